use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character is invisible, or changes how its neighbours are shown: controls, format and
/// bidirectional controls, zero-width characters, variation selectors, fillers, tags.
///
/// After Unicode's `Cc`, `Zl`, `Zp` and `Default_Ignorable_Code_Point`, and the interlinear annotation
/// characters. Line feed, carriage return and tab are controls too: a sink folds them or gives them
/// its format's own escape before it asks.
pub fn is_hidden(c: char) -> bool {
    match u32::from(c) {
        0x20..=0x7e | 0xa0..=0xac => false,
        0..=0x1f | 0x7f..=0x9f | 0xad => true,
        0x034f | 0x061c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f => true,
        0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 => true,
        0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb => true,
        0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff => true,
        _ => false,
    }
}

/// The text with every hidden character shown as `\u{…}`. White space is left as it is.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_shown = |c: char| !is_hidden(c) || matches!(c, '\t' | '\n' | '\r');
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_shown(c) {
            true => out.push(c),
            false => push_escape(&mut out, c),
        }
    }
    Cow::Owned(out)
}

/// Shows one character as `\u{…}`.
pub(super) fn push_escape(out: &mut String, c: char) {
    write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string cannot fail");
}

/// The text on one line: runs of white space become one space, those at the ends vanish, hidden
/// characters are shown.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c == ' ' || (!is_hidden(c) && !c.is_whitespace());
    if text.chars().all(is_plain) && !text.contains("  ") && !text.starts_with(' ') && !text.ends_with(' ') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split(char::is_whitespace).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&visible(word));
    }
    Cow::Owned(out)
}
