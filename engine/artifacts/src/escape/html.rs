use super::hidden::{is_hidden, push_escape};

super::sink! {
    /// HTML.
    Html
}

impl Html {
    /// Adds text, between tags or as an attribute's value in quotes.
    pub fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                '\t' | '\n' => self.out.push(c),
                '\r' => self.out.push_str("&#13;"),
                hidden if is_hidden(hidden) => push_escape(&mut self.out, hidden),
                plain => self.out.push(plain),
            }
        }
        self
    }
}
