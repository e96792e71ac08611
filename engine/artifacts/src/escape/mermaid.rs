use std::fmt::Write;

use super::hidden::one_line;

super::sink! {
    /// Mermaid's flowchart language.
    Mermaid
}

impl Mermaid {
    /// Adds a quoted label. Mermaid knows no escapes but numbered references, and it looks for
    /// directives (`%%{…}%%`), Markdown and formulas inside quotes too, so all punctuation that
    /// could be any of these becomes a reference.
    pub fn label(&mut self, text: &str) -> &mut Self {
        self.out.push('"');
        for c in one_line(text).chars() {
            match c.is_ascii_punctuation() && !"-_.,/()+:'!?".contains(c) {
                true => write!(self.out, "#{};", u32::from(c)).expect("writing to a string cannot fail"),
                false => self.out.push(c),
            }
        }
        self.out.push('"');
        self
    }
}
