//! A formatter for `serde_json`'s serializer, so that values stream into bytes without a tree in
//! between.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::Layout;
use crate::escape::is_hidden;

/// The whole text of a file.
pub fn json_text(value: &impl Serialize, layout: Layout) -> Vec<u8> {
    let mut out = Vec::new();
    serialize(&mut out, value, layout);
    out.push(b'\n');
    out
}

/// Adds a value on one line, without a line end.
pub fn json_line(out: &mut Vec<u8>, value: &impl Serialize) {
    serialize(out, value, Layout::Line);
}

/// Adds `"key": value` on one line, as in an object of rows.
pub fn json_entry(out: &mut Vec<u8>, key: &str, value: &impl Serialize) {
    json_line(out, &key);
    out.extend_from_slice(b": ");
    json_line(out, value);
}

fn serialize(out: &mut Vec<u8>, value: &impl Serialize, layout: Layout) {
    let mut serializer = Serializer::with_formatter(out, Canonical::new(layout));
    let result = value.serialize(&mut serializer);
    result.expect("artifact types have string keys and finite numbers, and a vector takes every byte");
}

/// One list or object that is open.
struct Open {
    layout: Layout,
    is_empty: bool,
}

struct Canonical {
    open: Vec<Open>,
    /// The layout of the value that comes next.
    next: Layout,
    /// The key being written, as far as an object of [`Layout::Fields`] asks for it.
    key: String,
    is_in_key: bool,
}

impl Canonical {
    fn new(layout: Layout) -> Self {
        Self { open: Vec::new(), next: layout, key: String::new(), is_in_key: false }
    }

    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.open.push(Open { layout: self.next, is_empty: true });
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        let closed = self.open.pop().expect("the serializer closes only what it opened");
        if closed.layout != Layout::Line && !closed.is_empty {
            self.new_line(writer)?;
        }
        writer.write_all(bracket)
    }

    /// Separates an entry of the innermost container from what is before it.
    fn separate<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        if !is_first {
            writer.write_all(b",")?;
        }
        let open = self.innermost();
        open.is_empty = false;
        match open.layout {
            Layout::Line => Ok(()),
            Layout::Rows(_) | Layout::Fields(_) => self.new_line(writer),
        }
    }

    fn innermost(&mut self) -> &mut Open {
        self.open.last_mut().expect("an entry stands in a container")
    }

    fn new_line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        const SPACES: &[u8] = b"                                ";
        writer.write_all(b"\n")?;
        writer.write_all(&SPACES[..SPACES.len().min(2 * self.open.len())])
    }
}

impl Formatter for Canonical {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.separate(writer, first)?;
        self.next = self.innermost().layout.entry().unwrap_or(Layout::Line);
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.separate(writer, first)?;
        self.is_in_key = matches!(self.innermost().layout, Layout::Fields(_));
        self.key.clear();
        Ok(())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_in_key = false;
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let layout = self.innermost().layout.field(&self.key);
        self.next = layout.unwrap_or(Layout::Line);
        writer.write_all(if layout.is_some() { b": " } else { b":" })
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if self.is_in_key {
            self.key.push_str(fragment);
        }
        // The serializer escapes what is hidden in ASCII but for delete; most fragments end here.
        if fragment.is_ascii() && !fragment.contains('\x7f') {
            return writer.write_all(fragment.as_bytes());
        }
        write_visible(writer, fragment)
    }
}

/// Writes hidden characters as JSON's own escapes, which every reader turns back.
fn write_visible<W: ?Sized + Write>(writer: &mut W, fragment: &str) -> io::Result<()> {
    let mut written = 0;
    for (at, c) in fragment.char_indices().filter(|(_, c)| is_hidden(*c)) {
        writer.write_all(&fragment.as_bytes()[written..at])?;
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(writer, "\\u{unit:04x}")?;
        }
        written = at + c.len_utf8();
    }
    writer.write_all(&fragment.as_bytes()[written..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const LAYOUT: Layout = Layout::Fields(&[
        ("meta", Layout::Fields(&[])),
        ("list", Layout::Rows(&Layout::Line)),
        ("map", Layout::Rows(&Layout::Fields(&[]))),
    ]);

    fn text(value: &Value) -> String {
        String::from_utf8(json_text(value, LAYOUT)).unwrap()
    }

    #[test]
    fn each_record_has_its_line() {
        let value = json!({
            "version": 1,
            "meta": { "a": [1, 2], "b": {} },
            "list": [{ "x": 1, "y": [{ "z": null }] }, "s"],
            "map": { "k": { "m": true } },
            "other": { "c": { "d": 1.5 } },
        });
        let expected = r#"{
  "version": 1,
  "meta": {
    "a": [1,2],
    "b": {}
  },
  "list": [
    {"x":1,"y":[{"z":null}]},
    "s"
  ],
  "map": {
    "k": {
      "m": true
    }
  },
  "other": {"c":{"d":1.5}}
}
"#;
        assert_eq!(text(&value), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).unwrap(), value);
    }

    #[test]
    fn empty_containers_stay_on_their_line() {
        assert_eq!(text(&json!({ "list": [], "map": {} })), "{\n  \"list\": [],\n  \"map\": {}\n}\n");
        assert_eq!(text(&json!({})), "{}\n");
    }

    #[test]
    fn hidden_characters_are_escaped_and_come_back() {
        let value = json!({ "a\u{202e}": "x\u{e0041}y\u{7f}\u{1}é\"\n" });
        let expected = "{\n  \"a\\u202e\": \"x\\udb40\\udc41y\\u007f\\u0001é\\\"\\n\"\n}\n";
        assert_eq!(text(&value), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).unwrap(), value);
    }

    #[test]
    fn entries_are_spelled_as_rows_of_an_object() {
        let mut out = Vec::new();
        json_entry(&mut out, "a\"b", &json!({ "x": [1] }));
        assert_eq!(out, br#""a\"b": {"x":[1]}"#);
    }
}
