use std::fmt::Write;

use super::is_hidden;

/// Where a YAML scalar stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum YamlContext {
    /// As a value or key on a line of its own.
    Block,
    /// Inside `[…]` or `{…}`.
    Flow,
}

/// Adds a string as a YAML scalar that every reader takes for a string: plain if nothing in it could
/// be anything else, else in double quotes with escapes.
pub fn yaml_scalar(out: &mut String, text: &str, context: YamlContext) {
    match is_plain(text, context) {
        true => out.push_str(text),
        false => push_quoted(out, text),
    }
}

/// Words that some version of YAML reads as something other than a string.
const RESERVED: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan"];

fn is_plain(text: &str, context: YamlContext) -> bool {
    let is_inner = |c: char| {
        let is_punctuation = "_./-()+'".contains(c) || (c == ',' && context == YamlContext::Block);
        c.is_ascii_alphanumeric() || c == ' ' || is_punctuation
    };
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text.chars().all(is_inner)
        && !RESERVED.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            hidden if is_hidden(hidden) => push_numbered(out, u32::from(hidden)),
            plain => out.push(plain),
        }
    }
    out.push('"');
}

fn push_numbered(out: &mut String, code: u32) {
    let written = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    written.expect("writing to a string cannot fail");
}
