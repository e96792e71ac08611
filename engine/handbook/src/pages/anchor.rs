//! Names of places on pages, which follow from what they stand for and nothing else.

use bindery_graph::Symbol;
use bindery_source::RepoPath;

use crate::naming::{short_hash, words};

/// Digits of the hash in an anchor: with 48 bits, equal anchors on one page of 10,000 functions are
/// less likely than one in five million.
const HASH_DIGITS: usize = 12;

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

/// A readable part and a hash of the identity: only lower-case letters, digits and `-`.
fn anchor(kind: &str, readable: &str, identity: &str) -> String {
    let spelled: String = words(readable)
        .join("-")
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .take(40)
        .collect();
    let hash = short_hash(identity, HASH_DIGITS);
    match spelled.trim_matches('-') {
        "" => format!("{kind}-{hash}"),
        spelled => format!("{kind}-{spelled}-{hash}"),
    }
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
