use super::hidden::visible;

super::sink! {
    /// Comma-separated values after RFC 4180, with line feeds between records.
    Csv
}

impl Csv {
    /// Adds a field's text, in quotes if it needs them. Commas and line ends between fields are markup.
    pub fn field(&mut self, text: &str) -> &mut Self {
        let text = visible(text);
        if !text.contains([',', '"', '\n', '\r']) {
            self.out.push_str(&text);
            return self;
        }
        self.out.push('"');
        self.out.push_str(&text.replace('"', "\"\""));
        self.out.push('"');
        self
    }
}
