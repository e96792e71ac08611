//! Import, `global` and `nonlocal` statements.

use bindery_facts::{BindingKind, Import, ImportBinding, Name, ScopeIndex, Visibility};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::Reader;

impl Reader<'_> {
    /// Reads a statement in whose children nothing else is of interest; false, so that they are not
    /// walked.
    pub(super) fn read_leaf_statement(&mut self, node: NodeIndex) -> bool {
        match self.kind(node) {
            Kind::GlobalStatement => self.read_scope_statement(node, BindingKind::Global),
            Kind::NonlocalStatement => self.read_scope_statement(node, BindingKind::Nonlocal),
            Kind::ImportStatement => self.read_import(node),
            _ => self.read_import_from(node),
        }
        false
    }

    fn read_scope_statement(&mut self, node: NodeIndex, kind: BindingKind) {
        let scope = self.scope(node);
        let names = self.info(scope).names;
        for child in self.tree.children(node) {
            let name = self.text(child);
            let set = if kind == BindingKind::Global { &mut self.globals } else { &mut self.nonlocals };
            set.insert((names, Name::from(name)));
            if names != ScopeIndex::FILE {
                self.bind(names, name, self.start(node), kind);
            }
        }
    }

    /// `import a.b`, `import a.b as c`.
    fn read_import(&mut self, node: NodeIndex) {
        for child in self.tree.children(node) {
            let (path, alias) = self.imported(child);
            let binds = alias.map_or(ImportBinding::First, ImportBinding::Name);
            self.add_import(node, path, 0, false, binds);
        }
    }

    /// `from .a import b, c as d`, `from a import *`.
    fn read_import_from(&mut self, node: NodeIndex) {
        let (module, level) = match self.child(node, Field::ModuleName) {
            Some(module) => self.module_named(module),
            None => (vec!["__future__".into()], 0),
        };
        if self.tree.child_of_kind(node, Kind::WildcardImport).is_some() {
            self.add_import(node, module, level, false, ImportBinding::Glob);
            return;
        }
        for child in self.tree.children(node) {
            if self.tree.node(child).field != Field::Name {
                continue;
            }
            let (name, alias) = self.imported(child);
            let bound = alias.or_else(|| name.last().cloned()).unwrap_or_default();
            let path = module.iter().cloned().chain(name).collect();
            self.add_import(node, path, level, true, ImportBinding::Name(bound));
        }
    }

    fn module_named(&self, module: NodeIndex) -> (Vec<Name>, u32) {
        let dotted = match self.kind(module) {
            Kind::RelativeImport => self.tree.child_of_kind(module, Kind::DottedName),
            _ => Some(module),
        };
        let prefix = self.tree.child_of_kind(module, Kind::ImportPrefix).map(|prefix| self.text(prefix));
        let level = prefix.unwrap_or_default().matches('.').count() as u32;
        (dotted.map(|dotted| self.segments(dotted)).unwrap_or_default(), level)
    }

    /// The path and alias of a `dotted_name` or `aliased_import`.
    fn imported(&self, node: NodeIndex) -> (Vec<Name>, Option<Name>) {
        let alias = self.child(node, Field::Alias).map(|alias| Name::from(self.text(alias)));
        let path = if alias.is_some() { self.child(node, Field::Name) } else { Some(node) };
        (path.map(|path| self.segments(path)).unwrap_or_default(), alias)
    }

    fn segments(&self, dotted: NodeIndex) -> Vec<Name> {
        self.text(dotted).split('.').map(|segment| Name::from(segment.trim())).collect()
    }

    fn add_import(
        &mut self,
        node: NodeIndex,
        path: Vec<Name>,
        level: u32,
        is_member: bool,
        binds: ImportBinding,
    ) {
        let scope = self.scope(node);
        let info = self.info(scope);
        let (owner, is_conditional) = (info.owner, info.is_conditional);
        let bound = match &binds {
            ImportBinding::Name(name) => Some(name.clone()),
            ImportBinding::First => path.first().cloned(),
            ImportBinding::Glob | ImportBinding::Nothing | ImportBinding::Own => None,
        };
        let import = Import {
            owner: Name::default(),
            path,
            level,
            is_member,
            binds,
            visibility: Visibility::Public,
            is_conditional,
        };
        let index = self.imports.len() as u32;
        self.imports.push((import, owner));
        if let Some(name) = bound {
            self.bind(scope, &name, self.end(node), BindingKind::Import(index));
        }
    }
}
