//! Files built by hand, for the tests of this crate.

use std::sync::Arc;

use bindery_facts::*;
use bindery_graph::{CallType, Callee, Outcome, Resolution, StateAccess, Symbol};
use bindery_source::{RepoPath, module_path};

use crate::{FileView, MODULE_QUALNAME};

/// A file under construction.
pub(crate) struct SampleFile {
    pub(crate) path: RepoPath,
    pub(crate) facts: FileFacts,
    pub(crate) resolution: Resolution,
}

pub(crate) fn symbol(path: &str, qualname: &str) -> Symbol {
    Symbol { path: RepoPath::new(path), qualname: qualname.into() }
}

/// The id without regard to clashes.
pub(crate) fn plain_id(symbol: &Symbol) -> String {
    format!("{}.{}", module_path(&symbol.path), symbol.qualname)
}

impl SampleFile {
    pub(crate) fn new(path: &str) -> Self {
        let summary = Summary {
            language: Language::Python,
            decls: Vec::new(),
            imports: Vec::new(),
            variables: Vec::new(),
            exports: None,
            marks: Vec::new(),
        };
        let facts = FileFacts {
            summary: Arc::new(summary),
            texts: Vec::new(),
            bodies: Bodies::default(),
            doc: None,
            line_count: 20,
            first_error: None,
            is_entry_point: false,
            is_test: false,
        };
        Self { path: RepoPath::new(path), facts, resolution: Resolution::default() }
    }

    pub(crate) fn doc(mut self, doc: &str) -> Self {
        self.facts.doc = Some(doc.to_owned());
        self
    }

    pub(crate) fn entry_point(mut self) -> Self {
        self.facts.is_entry_point = true;
        self
    }

    /// Declares `qualname` on the given lines.
    pub(crate) fn decl(mut self, kind: DeclKind, qualname: &str, lines: [u32; 2], doc: &str) -> Self {
        let (owner, name) = qualname.rsplit_once('.').unwrap_or(("", qualname));
        let word = if kind.is_callable() { "def" } else { "class" };
        self.facts.texts.push(DeclText {
            line_start: lines[0],
            line_end: lines[1],
            name_line: lines[0],
            signature: format!("{word} {name}"),
            doc: (!doc.is_empty()).then(|| doc.to_owned()),
        });
        Arc::make_mut(&mut self.facts.summary).decls.push(Decl {
            kind,
            name: name.into(),
            qualname: qualname.into(),
            owner: owner.into(),
            visibility: Visibility::Public,
            flags: DeclFlags::default(),
            decorators: Vec::new(),
            type_params: Vec::new(),
            params: Vec::new(),
            returns: None,
            result: None,
            supertypes: Vec::new(),
            target: None,
            shape: Shape::Unit,
        });
        self
    }

    /// A call from the declaration `caller` (none: the file's own level).
    pub(crate) fn call(mut self, caller: Option<u32>, line: u32, callee: Callee) -> Self {
        let expr = self.facts.bodies.exprs.push(Expr::Unknown);
        self.facts.bodies.sites.push(CallSite {
            expr,
            caller: caller.map(DeclIndex),
            scope: ScopeIndex::FILE,
            line,
            raw: "callee".into(),
            is_await: false,
            kind: SiteKind::Call,
        });
        self.resolution.outcomes.push(Outcome::Edges(CallType::InternalFunc, vec![callee]));
        self
    }

    /// A read or write of an attribute of `owner`.
    pub(crate) fn access(
        mut self,
        caller: Option<u32>,
        line: u32,
        owner: Symbol,
        name: &str,
        is_write: bool,
    ) -> Self {
        let expr = self.facts.bodies.exprs.push(Expr::Unknown);
        let access = self.facts.bodies.accesses.len() as u32;
        self.facts.bodies.accesses.push(Access { expr, caller: caller.map(DeclIndex), line, is_write });
        self.resolution.accesses.push(StateAccess { owner, name: name.into(), access, through_self: false });
        self
    }

    pub(crate) fn view(&self) -> FileView<'_> {
        FileView { path: &self.path, facts: &self.facts, resolution: &self.resolution }
    }
}

/// Who calls a symbol in a set of files.
pub(crate) fn callers(files: &[SampleFile], wanted: &Symbol) -> Vec<Symbol> {
    let mut callers = Vec::new();
    for file in files {
        for (site, outcome) in file.facts.bodies.sites.iter().zip(&file.resolution.outcomes) {
            let Outcome::Edges(_, callees) = outcome else { continue };
            if callees.iter().filter_map(crate::sketch::called_symbol).any(|callee| callee == wanted) {
                let qualname = site.caller.map_or(MODULE_QUALNAME.into(), |caller| {
                    file.facts.summary.decls[caller.0 as usize].qualname.clone()
                });
                callers.push(Symbol { path: file.path.clone(), qualname });
            }
        }
    }
    callers.sort_unstable();
    callers.dedup();
    callers
}
