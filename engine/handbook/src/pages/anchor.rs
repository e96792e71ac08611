//! Names of places on pages, which follow from what they stand for and nothing else.

use bindery_graph::Symbol;
use bindery_source::RepoPath;

use crate::naming::{short_hash, word_slices};

/// Digits of the hash in an anchor: with 48 bits, equal anchors on one page of 10,000 functions are
/// less likely than one in five million.
const HASH_DIGITS: usize = 12;

/// The longest readable part.
const READABLE: usize = 40;

/// The anchor of a file's card.
pub fn file_anchor(path: &RepoPath) -> String {
    anchor("file", path.file_name(), path.as_str())
}

/// The anchor of a function or type on its file's card.
pub fn symbol_anchor(symbol: &Symbol) -> String {
    anchor("s", &symbol.qualname, &format!("{}\0{}", symbol.path, symbol.qualname))
}

/// The anchor of a register's row.
pub fn register_anchor(id: &str) -> String {
    id.to_owned()
}

/// A readable part and a hash of the identity: only lower-case letters, digits and `-`. Pages name hundreds of
/// thousands of symbols, so this is written for speed.
fn anchor(kind: &str, readable: &str, identity: &str) -> String {
    let mut anchor = String::with_capacity(kind.len() + READABLE + HASH_DIGITS + 2);
    anchor.push_str(kind);
    let words = word_slices(readable).enumerate();
    let spelled = words.flat_map(|(number, word)| {
        let separator = (number > 0).then_some('-');
        separator.into_iter().chain(word.chars().flat_map(char::to_lowercase))
    });
    anchor.push('-');
    let start = anchor.len();
    for c in spelled.filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(READABLE) {
        // Nothing readable may come before it.
        if c != '-' || anchor.len() > start {
            anchor.push(c);
        }
    }
    anchor.truncate(anchor.trim_end_matches('-').len());
    anchor.push('-');
    anchor.push_str(&short_hash(identity, HASH_DIGITS));
    anchor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_plain_and_tell_equal_names_apart() {
        let symbol =
            |path: &str, qualname: &str| Symbol { path: RepoPath::new(path), qualname: qualname.into() };
        let one = symbol_anchor(&symbol("a.rs", "Type.f(int,String)"));
        let other = symbol_anchor(&symbol("b.rs", "Type.f(int,String)"));
        assert!(one.starts_with("s-type-f-int-string-") && other.starts_with("s-type-f-int-string-"));
        assert_ne!(one, other);
        for anchor in
            [one, other, file_anchor(&RepoPath::new("é/\"<>.rs")), symbol_anchor(&symbol("x", "日本"))]
        {
            assert!(
                anchor.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{anchor}"
            );
        }
    }
}
