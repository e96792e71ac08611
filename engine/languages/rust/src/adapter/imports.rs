//! `use` trees, spread out into one import for each name, and `extern crate`.

use bindery_facts::{BindingKind, DeclIndex, DeclKind, Import, ImportBinding, Name, Visibility};
use bindery_syntax::NodeIndex;

use super::attributes::Before;
use super::kinds::{Field, Kind};
use super::reader::Reader;
use super::types::plain_name;

/// Use trees are not followed into paths longer than this.
const MAX_SEGMENTS: usize = 100;

impl Reader<'_> {
    /// Adds the imports of a `use` or `extern crate` item.
    pub(super) fn enter_import(&mut self, node: NodeIndex, before: &Before) {
        let is_conditional = self.flags(before).is_conditional;
        let visibility = self.visibility(node);
        if self.kind(node) == Kind::ExternCrateDeclaration {
            if let Some(name) = self.tree.child(node, Field::Name) {
                let path = vec![self.crate_name(name)];
                let binds = self.binding_of_alias(node, &path);
                self.add_import(path, binds, visibility, is_conditional, false);
            }
            return;
        }
        let Some(argument) = self.tree.child(node, Field::Argument) else { return };
        let mut open = vec![(argument, Vec::new())];
        while let Some((clause, prefix)) = open.pop() {
            self.read_clause(clause, prefix, &mut open, &visibility, is_conditional);
        }
    }

    /// `extern crate self as name` names the crate itself.
    fn crate_name(&self, node: NodeIndex) -> Name {
        match self.text(node) {
            "self" => Name::from("crate"),
            name => plain_name(name),
        }
    }

    fn read_clause(
        &mut self,
        clause: NodeIndex,
        prefix: Vec<Name>,
        open: &mut Vec<(NodeIndex, Vec<Name>)>,
        visibility: &Visibility,
        is_conditional: bool,
    ) {
        let mut path = prefix;
        if path.len() > MAX_SEGMENTS {
            return;
        }
        match self.kind(clause) {
            Kind::UseList | Kind::ScopedUseList => {
                let mut list = Some(clause);
                if self.kind(clause) == Kind::ScopedUseList {
                    self.extend_path(self.tree.child(clause, Field::Path), &mut path);
                    list = self.tree.child(clause, Field::List);
                }
                let entries: Vec<_> = list.into_iter().flat_map(|list| self.parts(list)).collect();
                open.extend(entries.into_iter().rev().map(|entry| (entry, path.clone())));
            }
            Kind::UseWildcard => {
                if let Some(module) = self.parts(clause).next() {
                    self.extend_path(Some(module), &mut path);
                } else if path.is_empty() && self.text(clause).starts_with("::") {
                    path.push(Name::default());
                }
                self.add_import(path, ImportBinding::Glob, visibility.clone(), is_conditional, true);
            }
            Kind::UseAsClause => {
                self.extend_path(self.tree.child(clause, Field::Path), &mut path);
                drop_self(&mut path);
                let binds = self.binding_of_alias(clause, &path);
                self.add_import(path, binds, visibility.clone(), is_conditional, true);
            }
            _ => {
                self.extend_path(Some(clause), &mut path);
                drop_self(&mut path);
                let binds = path.last().cloned().map_or(ImportBinding::Nothing, ImportBinding::Name);
                self.add_import(path, binds, visibility.clone(), is_conditional, true);
            }
        }
    }

    /// Adds the segments of a path; a `::` in front is an empty first one.
    fn extend_path(&self, node: Option<NodeIndex>, path: &mut Vec<Name>) {
        let Some(node) = node else {
            if path.is_empty() {
                path.push(Name::default());
            }
            return;
        };
        // A path holds nothing but names and `::`.
        let mut segments = self.text(node).split("::").map(str::trim).peekable();
        if segments.peek() == Some(&"") && !path.is_empty() {
            segments.next();
        }
        path.extend(segments.map(plain_name));
    }

    fn binding_of_alias(&self, node: NodeIndex, path: &[Name]) -> ImportBinding {
        match self.tree.child(node, Field::Alias) {
            Some(alias) if self.text(alias) == "_" => ImportBinding::Nothing,
            Some(alias) => ImportBinding::Name(plain_name(self.text(alias))),
            // `as _`, whose `_` is no identifier to the grammar.
            None if self.kind(node) == Kind::UseAsClause => ImportBinding::Nothing,
            None => path.last().cloned().map_or(ImportBinding::Nothing, ImportBinding::Name),
        }
    }

    fn add_import(
        &mut self,
        path: Vec<Name>,
        binds: ImportBinding,
        visibility: Visibility,
        is_conditional: bool,
        is_member: bool,
    ) {
        let bound = match &binds {
            ImportBinding::Name(name) => name.clone(),
            ImportBinding::Glob => Name::from("*"),
            ImportBinding::First | ImportBinding::Nothing | ImportBinding::Own => Name::default(),
        };
        self.bind_local_item(&bound, BindingKind::Import(self.imports.len() as u32));
        let owner = self.import_owner();
        let import =
            Import { owner: Name::default(), path, level: 0, is_member, binds, visibility, is_conditional };
        self.imports.push((import, owner));
    }

    /// The function, closure or inline module an import stands in.
    fn import_owner(&self) -> Option<DeclIndex> {
        let kind = |index: DeclIndex| self.drafts[index.0 as usize].decl.kind;
        let mut owner = self.context.owner;
        while let Some(index) = owner.filter(|index| kind(*index) == DeclKind::Impl) {
            owner = self.drafts[index.0 as usize].owner;
        }
        owner
    }
}

/// `use a::b::{self}` imports `a::b`.
fn drop_self(path: &mut Vec<Name>) {
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
}
