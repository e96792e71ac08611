//! Adapters that hold the bare grammars to the limits: their facts are what the tree itself says.

use bindery_facts::{Bodies, FileFacts, Manifest, Summary};
use bindery_source::Language;
use bindery_syntax::Adapter;

/// A grammar with the least there can be around it.
pub(crate) struct RawGrammar {
    pub(crate) language: Language,
    pub(crate) grammar: fn() -> tree_sitter::Language,
    /// Panics on every file, as a faulty adapter would.
    pub(crate) is_faulty: bool,
}

pub(crate) static RUST: RawGrammar =
    RawGrammar { language: Language::Rust, grammar: || tree_sitter_rust::LANGUAGE.into(), is_faulty: false };
pub(crate) static PYTHON: RawGrammar = RawGrammar {
    language: Language::Python,
    grammar: || tree_sitter_python::LANGUAGE.into(),
    is_faulty: false,
};

impl Adapter for RawGrammar {
    fn language(&self) -> Language {
        self.language
    }

    fn grammar(&self) -> tree_sitter::Language {
        (self.grammar)()
    }

    fn type_kinds(&self) -> &'static [&'static str] {
        &[]
    }

    fn call_node_kinds(&self) -> &'static [&'static str] {
        &[]
    }

    fn facts(&self, source: &str, tree: &tree_sitter::Tree) -> FileFacts {
        assert!(!self.is_faulty, "no facts for {} bytes", source.len());
        let summary = Summary {
            language: self.language,
            decls: Vec::new(),
            imports: Vec::new(),
            variables: Vec::new(),
            exports: None,
            marks: Vec::new(),
        };
        FileFacts {
            summary: summary.into(),
            texts: Vec::new(),
            bodies: Bodies::default(),
            doc: Some(format!("{} nodes", tree.root_node().descendant_count())),
            line_count: source.lines().count() as u32,
            first_error: tree.root_node().has_error().then_some(1),
            is_entry_point: false,
            is_test: false,
        }
    }

    fn manifest_names(&self) -> &'static [&'static str] {
        &[]
    }

    fn manifest(&self, _: &str, _: &str) -> Manifest {
        Manifest::default()
    }
}
