//! The languages this build can analyse: one cargo feature and one row each.
//!
//! A language that is not compiled in is simply absent, and its files are counted as such. This crate
//! must hold nothing but the table and the digests of what it is built from. Start reading at [`registry`].

use bindery_graph::Rules;
use bindery_source::Language;
use bindery_syntax::Adapter;

/// Changes with every change of what reads facts from bytes: the adapters, the grammars, the form of the facts.
/// Part of the key facts are cached under.
pub const READING: &str = env!("BINDERY_READING");

/// Changes with every change of the engine. Part of the key everything else is kept under.
pub const ENGINE: &str = env!("BINDERY_ENGINE");

/// A language: how its files are read, and how its names resolve.
pub struct LanguageEntry {
    /// Bytes to facts.
    pub adapter: &'static dyn Adapter,
    /// Facts to edges.
    pub rules: &'static dyn Rules,
}

static REGISTRY: &[LanguageEntry] = &[
    #[cfg(feature = "go")]
    LanguageEntry { adapter: &bindery_language_go::ADAPTER, rules: &bindery_language_go::RULES },
    #[cfg(feature = "java")]
    LanguageEntry { adapter: &bindery_language_java::ADAPTER, rules: &bindery_language_java::RULES },
    #[cfg(feature = "typescript")]
    LanguageEntry {
        adapter: &bindery_language_typescript::JAVASCRIPT,
        rules: &bindery_language_typescript::RULES,
    },
    #[cfg(feature = "python")]
    LanguageEntry { adapter: &bindery_language_python::ADAPTER, rules: &bindery_language_python::RULES },
    #[cfg(feature = "rust")]
    LanguageEntry { adapter: &bindery_language_rust::ADAPTER, rules: &bindery_language_rust::RULES },
    #[cfg(feature = "typescript")]
    LanguageEntry { adapter: &bindery_language_typescript::TSX, rules: &bindery_language_typescript::RULES },
    #[cfg(feature = "typescript")]
    LanguageEntry {
        adapter: &bindery_language_typescript::TYPESCRIPT,
        rules: &bindery_language_typescript::RULES,
    },
];

/// Every language compiled in, sorted by its place in [`Language::ALL`].
pub fn registry() -> &'static [LanguageEntry] {
    REGISTRY
}

/// The entry of `language`, if it is compiled in.
pub fn for_language(language: Language) -> Option<&'static LanguageEntry> {
    REGISTRY.iter().find(|entry| entry.adapter.language() == language)
}
