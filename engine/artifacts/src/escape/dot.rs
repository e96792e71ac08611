use super::hidden::one_line;

super::sink! {
    /// Graphviz's language.
    Dot
}

impl Dot {
    /// Adds a quoted string: a node's id or a label. Backslashes are doubled, so that no label escape
    /// (`\n`, `\N`) can be spelled.
    pub fn quoted(&mut self, text: &str) -> &mut Self {
        self.out.push('"');
        for c in one_line(text).chars() {
            if matches!(c, '"' | '\\') {
                self.out.push('\\');
            }
            self.out.push(c);
        }
        self.out.push('"');
        self
    }
}
