//! String literals and comments, as text.

use std::ops::Range;

/// What a string literal holds, prefix and quotes off. Escapes stay as written: this is for doc
/// comments and names, which have none.
pub(super) fn content(literal: &str) -> String {
    let body = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(rest) = body.strip_prefix(quote) {
            return rest.strip_suffix(quote).unwrap_or(rest).to_owned();
        }
    }
    body.to_owned()
}

/// The comments inside a part of the source, each to be replaced by nothing.
pub(super) fn comments(source: &str, range: Range<u32>) -> Vec<(Range<u32>, &'static str)> {
    let text = source.get(range.start as usize..range.end as usize).unwrap_or_default();
    if !text.contains('#') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut quote, mut comment, mut escaped) = (None, None, false);
    for (at, c) in text.char_indices() {
        match (quote, comment, c) {
            (_, Some(from), '\n') => {
                found.push((range.start + from as u32..range.start + at as u32, ""));
                comment = None;
            }
            (_, Some(_), _) => {}
            (Some(_), _, '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _, _) if c == open && !escaped => quote = None,
            (None, _, '"' | '\'') => quote = Some(c),
            (None, _, '#') => comment = Some(at),
            _ => {}
        }
        escaped = false;
    }
    found.extend(comment.map(|from| (range.start + from as u32..range.end, "")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_lose_prefix_and_quotes() {
        assert_eq!(content("r'''a\n b'''"), "a\n b");
        assert_eq!(content("\"it's\""), "it's");
        assert_eq!(content("''"), "");
    }

    #[test]
    fn comments_are_found_outside_strings() {
        let source = "x = f(\n  'a#b',  # one\n  c,  # two\n)";
        let found: Vec<&str> = comments(source, 0..source.len() as u32)
            .into_iter()
            .map(|(range, _)| &source[range.start as usize..range.end as usize])
            .collect();
        assert_eq!(found, ["# one", "# two"]);
    }
}
