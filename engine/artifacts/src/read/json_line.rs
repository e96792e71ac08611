use super::tree::escape_key;

/// The line (from 1) on which the part of a valid JSON text begins that a pointer leads to; of a map's
/// entry the line of its key. The last line reached for a pointer that leads nowhere.
pub fn line_of(text: &str, pointer: &str) -> u32 {
    if pointer.is_empty() {
        return 1;
    }
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, line: 1 };
    let mut open: Vec<Open> = Vec::new();
    while let Some(byte) = scan.bytes.get(scan.at).copied() {
        let begins_item = !matches!(byte, b',' | b']' | b' ' | b'\n' | b'\r' | b'\t');
        if begins_item && open.last().is_some_and(|open| !open.is_map && open.path == pointer) {
            return scan.line;
        }
        match byte {
            b'{' | b'[' => open.push(Open::new(byte == b'{', open.last())),
            b'}' | b']' => drop(open.pop()),
            b',' => open.last_mut().into_iter().for_each(Open::advance),
            b'"' => {
                let line = scan.line;
                let string = scan.string(text);
                let innermost = open.last_mut();
                if let Some(innermost) = innermost.filter(|open| open.awaits_key) {
                    innermost.take_key(string);
                    if innermost.path == pointer {
                        return line;
                    }
                }
                continue;
            }
            _ => {}
        }
        scan.advance(byte);
    }
    scan.line
}

/// A list or map that is open.
struct Open {
    is_map: bool,
    awaits_key: bool,
    base: String,
    index: usize,
    /// The pointer to the entry the scan is in.
    path: String,
}

impl Open {
    fn new(is_map: bool, outer: Option<&Open>) -> Self {
        let base = outer.map(|open| open.path.clone()).unwrap_or_default();
        let path = if is_map { String::new() } else { format!("{base}/0") };
        Self { is_map, awaits_key: is_map, base, index: 0, path }
    }

    fn advance(&mut self) {
        self.index += 1;
        self.awaits_key = self.is_map;
        if !self.is_map {
            self.path = format!("{}/{}", self.base, self.index);
        }
    }

    fn take_key(&mut self, quoted: &str) {
        let key: String = serde_json::from_str(quoted).unwrap_or_default();
        self.path = format!("{}/{}", self.base, escape_key(&key));
        self.awaits_key = false;
    }
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

impl Scan<'_> {
    fn advance(&mut self, byte: u8) {
        self.at += 1;
        self.line += u32::from(byte == b'\n');
    }

    /// Passes the string that begins here and gives it with its quotes.
    fn string<'t>(&mut self, text: &'t str) -> &'t str {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = (self.at + 1).min(self.bytes.len());
        &text[start..self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::line_of;

    #[test]
    fn pointers_lead_to_lines() {
        let text = "{\n \"a\": {\n  \"b\\\"/c\": [\n   1,\n   {\"x\": \"}\",\n    \"y\": [\n[]]}\n  ]},\n \"d\": \"s\\\\\"\n}";
        for (pointer, line) in
            [("", 1), ("/a", 2), ("/a/b\"~1c", 3), ("/a/b\"~1c/0", 4), ("/a/b\"~1c/1", 5), ("/d", 9)]
        {
            assert_eq!(line_of(text, pointer), line, "{pointer}");
        }
        assert_eq!(line_of(text, "/a/b\"~1c/1/x"), 5);
        assert_eq!(line_of(text, "/a/b\"~1c/1/y"), 6);
        assert_eq!(line_of(text, "/a/b\"~1c/1/y/0"), 7);
    }

    #[test]
    fn strings_are_items_of_lists_too() {
        assert_eq!(line_of("[\n\"a\",\n\"b\"\n]", "/1"), 3);
    }
}
