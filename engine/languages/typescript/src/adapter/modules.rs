//! Imports and exports.
//!
//! An import's path is its specifier and, if it brings in one name, that name. What a file exports
//! stands apart from what its names mean inside: an import whose owner is [`crate::EXPORTS`] says that
//! a name is exported. An empty specifier is the file itself.

use bindery_facts::{Import, ImportBinding, Name, ScopeIndex, VariableKind, Visibility};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::reader::{Reader, VariableDraft};
use super::types::unquoted;

impl Reader<'_> {
    fn add_import(&mut self, path: Vec<Name>, is_member: bool, binds: ImportBinding, scope: ScopeIndex) {
        let import = Import {
            owner: Name::default(),
            path,
            level: 0,
            is_member,
            binds,
            visibility: Visibility::Private,
            is_conditional: false,
        };
        let owner = self.owner_in(scope);
        let is_top = self.info(scope).is_top;
        if let (false, ImportBinding::Name(name)) = (is_top, &import.binds) {
            let kind = bindery_facts::BindingKind::Import(self.imports.len() as u32);
            let name = name.clone();
            self.bind(scope, &name, 0, kind, None, None);
        }
        self.imports.push((import, owner));
    }

    fn add_export(&mut self, path: Vec<Name>, is_member: bool, binds: ImportBinding) {
        let import = Import {
            owner: Name::new_static(crate::EXPORTS),
            path,
            level: 0,
            is_member,
            binds,
            visibility: Visibility::Public,
            is_conditional: false,
        };
        self.imports.push((import, None));
    }

    /// A module that is loaded where no name is bound to it.
    pub(super) fn import_for_effect(&mut self, specifier: &str) {
        self.add_import(vec![specifier.into()], false, ImportBinding::Nothing, ScopeIndex::FILE);
    }

    // ---- import

    pub(super) fn read_import(&mut self, node: NodeIndex) {
        self.is_module = true;
        let scope = self.scope(node);
        let source = self.child(node, Field::Source);
        if let Some(clause) = self.tree.child_of_kind(node, Kind::ImportRequireClause) {
            let source = self.child(clause, Field::Source).or(source);
            let name = self.tree.child_of_kind(clause, Kind::Identifier);
            if let (Some(source), Some(name)) = (source, name) {
                let binds = ImportBinding::Name(self.text(name).into());
                self.add_import(vec![unquoted(self.text(source)).into()], false, binds, scope);
            }
            return;
        }
        let Some(source) = source else { return };
        let specifier: Name = unquoted(self.text(source)).into();
        let Some(clause) = self.tree.child_of_kind(node, Kind::ImportClause) else {
            return self.add_import(vec![specifier], false, ImportBinding::Nothing, scope);
        };
        let parts: Vec<NodeIndex> = self.tree.children(clause).collect();
        for part in parts {
            match self.kind(part) {
                Kind::Identifier => {
                    let binds = ImportBinding::Name(self.text(part).into());
                    self.add_import(vec![specifier.clone(), "default".into()], true, binds, scope);
                }
                Kind::NamespaceImport => {
                    let name = self.tree.children(part).next().map(|name| self.text(name));
                    let binds = ImportBinding::Name(name.unwrap_or_default().into());
                    self.add_import(vec![specifier.clone()], false, binds, scope);
                }
                Kind::NamedImports => self.read_named_imports(part, &specifier, scope),
                _ => {}
            }
        }
    }

    fn read_named_imports(&mut self, list: NodeIndex, specifier: &Name, scope: ScopeIndex) {
        let specifiers: Vec<NodeIndex> = self.tree.children(list).collect();
        for import in specifiers {
            let Some(name) = self.child(import, Field::Name) else { continue };
            let bound = self.child(import, Field::Alias).unwrap_or(name);
            let binds = ImportBinding::Name(self.text(bound).into());
            let path = vec![specifier.clone(), unquoted(self.text(name)).into()];
            self.add_import(path, true, binds, scope);
        }
    }

    /// `import A = B.C;`
    pub(super) fn read_import_alias(&mut self, node: NodeIndex) {
        let mut parts = self.tree.children(node);
        let (Some(name), Some(target)) = (parts.next(), parts.next()) else { return };
        let Some(names) = self.dotted(target) else { return };
        let mut path = vec![Name::default()];
        path.extend(names);
        let binds = ImportBinding::Name(self.text(name).into());
        let scope = self.scope(node);
        self.add_import(path, true, binds, scope);
    }

    /// `const x = require("…")`, `const { a, b: c } = require("…")`, `const x = require("…").a`; true if
    /// the declarator is one.
    pub(super) fn read_require(&mut self, target: NodeIndex, value: NodeIndex, scope: ScopeIndex) -> bool {
        let (call, member) = match self.kind(value) {
            Kind::MemberExpression => (
                self.child(value, Field::Object).unwrap_or(value),
                Some(self.child_text(value, Field::Property)),
            ),
            _ => (value, None),
        };
        let Some((word, specifier)) = self.module_call(call) else { return false };
        if word != crate::REQUIRE {
            return false;
        }
        let specifier = Name::from(specifier);
        match (self.kind(target), member) {
            (Kind::Identifier, member) => {
                let mut path = vec![specifier];
                path.extend(member.map(Name::from));
                let binds = ImportBinding::Name(self.text(target).into());
                self.add_import(path, member.is_some(), binds, scope);
                true
            }
            (Kind::ObjectPattern, None) => {
                let parts: Vec<NodeIndex> = self.tree.children(target).collect();
                let names: Option<Vec<(Name, Name)>> =
                    parts.into_iter().map(|part| self.required_name(part)).collect();
                let Some(names) = names else { return false };
                for (name, bound) in names {
                    let binds = ImportBinding::Name(bound);
                    self.add_import(vec![specifier.clone(), name], true, binds, scope);
                }
                true
            }
            _ => false,
        }
    }

    fn required_name(&self, part: NodeIndex) -> Option<(Name, Name)> {
        match self.kind(part) {
            Kind::ShorthandPattern => Some((self.text(part).into(), self.text(part).into())),
            Kind::PairPattern => {
                let value = self.child(part, Field::Value)?;
                let key = self.key_text(self.child(part, Field::Key)?);
                (self.kind(value) == Kind::Identifier).then(|| (key, self.text(value).into()))
            }
            _ => None,
        }
    }

    // ---- export

    pub(super) fn read_export(&mut self, node: NodeIndex) {
        self.is_module = true;
        let source = self.child(node, Field::Source).map(|source| Name::from(unquoted(self.text(source))));
        if let Some(clause) = self.tree.child_of_kind(node, Kind::ExportClause) {
            return self.read_export_clause(clause, source);
        }
        let Some(source) = source else { return };
        match self.tree.child_of_kind(node, Kind::NamespaceExport) {
            Some(namespace) => {
                let name = self.tree.children(namespace).next().map(|name| unquoted(self.text(name)));
                let binds = ImportBinding::Name(name.unwrap_or_default().into());
                self.add_export(vec![source], false, binds);
            }
            None => self.add_export(vec![source], false, ImportBinding::Glob),
        }
    }

    fn read_export_clause(&mut self, clause: NodeIndex, source: Option<Name>) {
        let specifiers: Vec<NodeIndex> = self.tree.children(clause).collect();
        for specifier in specifiers {
            let Some(name) = self.child(specifier, Field::Name) else { continue };
            let exported = self.child(specifier, Field::Alias).unwrap_or(name);
            let binds = ImportBinding::Name(unquoted(self.text(exported)).into());
            let name: Name = unquoted(self.text(name)).into();
            if source.is_none() && matches!(&binds, ImportBinding::Name(exported) if *exported == name) {
                self.exported_names.insert(name.clone());
            }
            self.add_export(vec![source.clone().unwrap_or_default(), name], true, binds);
        }
    }

    /// Whether an export statement says `default`.
    pub(super) fn is_default_export(&self, node: NodeIndex) -> bool {
        self.behind_export(node).starts_with("default")
    }

    /// The text of an `export` statement behind the word; decorators of what is exported may stand before it.
    fn behind_export(&self, node: NodeIndex) -> &str {
        let decorators = self.tree.children(node).take_while(|child| self.kind(*child) == Kind::Decorator);
        let start = decorators.last().map_or(self.start(node), |decorator| self.end(decorator));
        self.between(start, self.end(node)).trim_start().trim_start_matches("export").trim_start()
    }

    /// What `export default` and `export =` say, once the value is read.
    pub(super) fn close_export(&mut self, node: NodeIndex) {
        if self.child(node, Field::Source).is_some() {
            return;
        }
        let is_default = self.is_default_export(node);
        if let Some(declaration) = self.child(node, Field::Declaration).filter(|_| is_default) {
            let Some(name) = self.child(declaration, Field::Name) else { return };
            let name: Name = self.text(name).into();
            return self.add_export(vec![Name::default(), name], true, ImportBinding::Name("default".into()));
        }
        let last = self.tree.children(node).find(|child| self.kind(*child) != Kind::Decorator);
        let Some(value) = self.child(node, Field::Value).or(last) else { return };
        let is_whole = !is_default && self.behind_export(node).starts_with('=');
        let name: Name = match (is_default, is_whole) {
            (true, _) => "default".into(),
            (_, true) => Name::new_static(crate::WHOLE),
            _ => return,
        };
        if self.kind(value) == Kind::Identifier {
            let path = vec![Name::default(), Name::from(self.text(value))];
            return self.add_export(path, true, ImportBinding::Name(name));
        }
        if self
            .decl_of
            .get(&value)
            .is_some_and(|decl| self.decls[decl.0 as usize].decl.kind != bindery_facts::DeclKind::Object)
        {
            return;
        }
        let exports = self.exports_object();
        let value = self.value(value);
        self.variables.push(VariableDraft {
            name,
            owner: Some(exports),
            kind: VariableKind::Constant,
            ty: None,
            value: Some(value),
            assigned_in: None,
            visibility: Visibility::Public,
        });
    }
}
