//! Attributes and doc comments: what stands before an item, and at the top of a file.

use bindery_facts::Name;
use bindery_syntax::{
    NodeIndex,
    doc_comment::{dedented, without_stars},
    text::folded,
};

use super::kinds::{Kind, Tree};

/// File-level attributes that say something about how the crate resolves names or when it is built.
const FILE_MARKS: &[&str] = &["cfg", "no_core", "no_implicit_prelude", "no_main", "no_std"];

/// What stands before an item.
#[derive(Default, Debug, PartialEq)]
pub(super) struct Before {
    /// Where the first attribute that is no documentation begins.
    pub(super) start: Option<u32>,
    /// Attributes without `#[…]`, documentation left out.
    pub(super) attributes: Vec<Name>,
    /// The documentation's text, one line for each line.
    pub(super) doc: String,
}

impl Before {
    /// Reads the attributes and comments `nodes`, which stand in front of one item.
    pub(super) fn read(tree: &Tree, source: &str, nodes: &[NodeIndex]) -> Self {
        let mut before = Self::default();
        for node in nodes {
            let text = tree.text(*node, source);
            match outer_doc(text) {
                Some(doc) => before.push_doc(&doc),
                None if tree.kind(*node) == Kind::AttributeItem => {
                    let attribute = Name::from(folded(inside(text)));
                    // `doc(hidden)` is about the documentation and counts with it.
                    if attribute_name(&attribute) != "doc" {
                        before.start.get_or_insert(tree.node(*node).start);
                    }
                    before.attributes.push(attribute);
                }
                None => {}
            }
        }
        before
    }

    /// Adds documentation.
    pub(super) fn push_doc(&mut self, text: &str) {
        if !self.doc.is_empty() {
            self.doc.push('\n');
        }
        self.doc.push_str(text);
    }

    /// Whether it stands under `#[cfg(…)]`.
    pub(super) fn is_conditional(&self) -> bool {
        self.attributes.iter().any(|attribute| attribute_name(attribute) == "cfg")
    }

    /// Whether it is a test or compiled for tests only.
    pub(super) fn is_test(&self) -> bool {
        self.attributes.iter().any(|attribute| {
            let name = attribute_name(attribute).rsplit("::").next().unwrap_or_default();
            matches!(name, "test" | "bench" | "rstest" | "test_case" | "wasm_bindgen_test")
                || is_test_cfg(attribute)
        })
    }

    /// The attributes as they are written, for a signature.
    pub(super) fn written(&self) -> String {
        let written: Vec<String> =
            self.attributes.iter().map(|attribute| format!("#[{attribute}]")).collect();
        written.join(" ")
    }
}

/// The path of an attribute written without `#[…]`.
fn attribute_name(attribute: &str) -> &str {
    attribute.split(['(', '=', '[', '{']).next().unwrap_or_default().trim()
}

/// Whether `cfg(…)` holds only for tests: `test`, alone or among the operands of `all`.
pub(super) fn is_test_cfg(attribute: &str) -> bool {
    let Some(predicate) = attribute.strip_prefix("cfg").map(|rest| rest.trim().trim_start_matches('('))
    else {
        return false;
    };
    let mut words = predicate.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '"'));
    !predicate.contains("not") && !predicate.contains("any") && words.any(|word| word == "test")
}

/// The text between `#[` and `]`, or `#![` and `]`.
fn inside(attribute: &str) -> &str {
    let inner = attribute.trim_start_matches('#').trim_start().trim_start_matches('!').trim_start();
    inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner)
}

/// The documentation that a comment or attribute gives the item after it.
fn outer_doc(text: &str) -> Option<String> {
    if let Some(line) = text.strip_prefix("///") {
        return (!line.starts_with('/')).then(|| line_doc(line));
    }
    if let Some(block) = text.strip_prefix("/**") {
        let inner = block.strip_suffix("*/")?;
        return (!inner.is_empty() && !block.starts_with(['*', '/'])).then(|| without_stars(inner));
    }
    text.starts_with('#').then(|| doc_attribute(inside(text))).flatten()
}

/// The documentation that a comment or attribute gives the item it stands in.
fn inner_doc(text: &str) -> Option<String> {
    if let Some(line) = text.strip_prefix("//!") {
        return Some(line_doc(line));
    }
    if let Some(block) = text.strip_prefix("/*!") {
        return Some(without_stars(block.strip_suffix("*/")?));
    }
    text.starts_with("#!").then(|| doc_attribute(inside(text))).flatten()
}

fn line_doc(line: &str) -> String {
    line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
}

/// The text of `doc = "…"`.
fn doc_attribute(attribute: &str) -> Option<String> {
    let value = attribute.trim().strip_prefix("doc")?.trim_start().strip_prefix('=')?.trim();
    let text = match value.strip_prefix('r') {
        Some(raw) => raw.trim_matches('#').strip_prefix('"')?.strip_suffix('"')?.to_owned(),
        None => unescaped(value.strip_prefix('"')?.strip_suffix('"')?),
    };
    Some(dedented(&text))
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, character == '\\') {
            (_, false) => out.push(character),
            (_, true) => match characters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
        }
    }
    out
}

/// The documentation at the head of a file or module body: the inner doc comments among the leading
/// children of `body`.
pub(super) fn head_doc(tree: &Tree, source: &str, body: NodeIndex) -> String {
    let mut head = Before::default();
    for node in tree.children(body).take_while(|node| tree.kind(*node).is_trivia()) {
        if let Some(doc) = inner_doc(tree.text(node, source)) {
            head.push_doc(&doc);
        }
    }
    head.doc
}

/// The file-level attributes that are kept as marks.
pub(super) fn file_marks(tree: &Tree, source: &str) -> Vec<Name> {
    let attributes = tree.children(0).filter(|node| tree.kind(*node) == Kind::InnerAttributeItem);
    attributes
        .map(|node| folded(inside(tree.text(node, source))))
        .filter(|attribute| FILE_MARKS.contains(&attribute_name(attribute)))
        .map(Name::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_in_every_form() {
        assert_eq!(outer_doc("/// A."), Some("A.".to_owned()));
        assert_eq!(outer_doc("//// no doc"), None);
        assert_eq!(outer_doc("// no doc"), None);
        assert_eq!(outer_doc("/** A.\n * B. */"), Some("A.\nB.".to_owned()));
        assert_eq!(outer_doc("/***/"), None);
        assert_eq!(outer_doc("/*** no doc */"), None);
        assert_eq!(outer_doc("#[doc = \" A \\\"b\\\"\"]"), Some("A \"b\"".to_owned()));
        assert_eq!(outer_doc("#[doc(hidden)]"), None);
        assert_eq!(inner_doc("//! A."), Some("A.".to_owned()));
        assert_eq!(inner_doc("#![doc = r#\"A\"#]"), Some("A".to_owned()));
    }

    #[test]
    fn only_predicates_that_need_test_are_tests() {
        assert!(is_test_cfg("cfg(test)"));
        assert!(is_test_cfg("cfg(all(test, unix))"));
        assert!(!is_test_cfg("cfg(not(test))"));
        assert!(!is_test_cfg("cfg(any(test, unix))"));
        assert!(!is_test_cfg("cfg(feature = \"test\")"));
    }
}
