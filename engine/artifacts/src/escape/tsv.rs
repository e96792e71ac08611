use super::hidden::{is_hidden, push_escape};

super::sink! {
    /// Tables with one record per line and a tab between fields.
    Tsv
}

impl Tsv {
    /// Adds a field's text. Tabs and line ends of the table itself are markup.
    pub fn field(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '\\' => self.out.push_str("\\\\"),
                '\t' => self.out.push_str("\\t"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                hidden if is_hidden(hidden) => push_escape(&mut self.out, hidden),
                plain => self.out.push(plain),
            }
        }
        self
    }
}
