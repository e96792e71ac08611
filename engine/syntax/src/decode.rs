//! From a file's bytes to the text that is parsed.
//!
//! A byte-order mark is left out and CRLF becomes LF, so that the facts of a file do not depend on how
//! it was checked out; no line number changes. A CR on its own stays what it is. Bytes that are no
//! text (a NUL, invalid UTF-8) never reach a parser: some grammars' scanners take quadratic time on
//! them without ever calling back.

use std::borrow::Cow;
use std::fmt;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Valid UTF-8 without NUL, byte-order mark or CRLF: what a parser and an adapter see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText<'a>(Cow<'a, str>);

impl<'a> SourceText<'a> {
    /// Decodes a file. Copies only if the file holds a CRLF.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, NotText> {
        let text = check_text(bytes)?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        // Looking for the lone byte first is an order of magnitude faster than for the pair.
        let has_crlf = text.as_bytes().contains(&b'\r') && text.contains("\r\n");
        Ok(Self(if has_crlf { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A file is not text: the first byte that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotText {
    /// The byte.
    pub byte: u8,
    /// Its offset in the file as it lies on disk, from 0.
    pub offset: usize,
}

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.byte == 0 { "NUL byte" } else { "invalid UTF-8, byte" };
        write!(f, "{what} 0x{:02X} at offset {}", self.byte, self.offset)
    }
}

/// The bytes as text, or whichever of a NUL and an invalid sequence comes first.
pub(crate) fn check_text(bytes: &[u8]) -> Result<&str, NotText> {
    let (valid_length, text) = match std::str::from_utf8(bytes) {
        Ok(text) => (bytes.len(), Some(text)),
        Err(error) => (error.valid_up_to(), None),
    };
    let valid = &bytes[..valid_length];
    if valid.contains(&0) {
        let offset = valid.iter().position(|&byte| byte == 0).expect("the line above found a NUL");
        return Err(NotText { byte: 0, offset });
    }
    text.ok_or_else(|| NotText { byte: bytes[valid_length], offset: valid_length })
}

/// The bytes behind a byte-order mark, if there is one.
pub(crate) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Result<String, String> {
        SourceText::decode(bytes).map(|text| text.as_str().to_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn line_ends_and_mark_do_not_reach_the_parser() {
        assert_eq!(decoded(b"\xEF\xBB\xBFa\r\nb\r\n"), Ok("a\nb\n".to_owned()));
        assert_eq!(decoded(b"a\rb\r\r\nc"), Ok("a\rb\r\nc".to_owned()));
        assert_eq!(
            decoded(b"a\n\xEF\xBB\xBF"),
            Ok("a\n\u{FEFF}".to_owned()),
            "a mark only counts at the start"
        );
        assert_eq!(decoded(b""), Ok(String::new()));
    }

    #[test]
    fn text_without_crlf_is_not_copied() {
        let text = SourceText::decode(b"a\rb\n").unwrap();
        assert!(matches!(text.0, Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_not_text_is_named_with_its_place() {
        assert_eq!(decoded(b"ab\0\xFF"), Err("NUL byte 0x00 at offset 2".to_owned()));
        assert_eq!(decoded(b"ab\xFF\0"), Err("invalid UTF-8, byte 0xFF at offset 2".to_owned()));
        assert_eq!(decoded(b"\xEF\xBB\xBFx\xC3("), Err("invalid UTF-8, byte 0xC3 at offset 4".to_owned()));
        assert_eq!(
            decoded(b"x\xE2\x82"),
            Err("invalid UTF-8, byte 0xE2 at offset 1".to_owned()),
            "cut off at the end"
        );
    }
}
