//! Classes, interfaces, aliases, enums, namespaces and object literals.

use bindery_facts::{
    BindingKind, DeclIndex, DeclKind, Name, ScopeIndex, ScopeKind, TypeExpr, VariableKind, Visibility,
};
use bindery_syntax::NodeIndex;

use super::declarations::{Naming, Placed};
use super::kinds::{Field, Kind};
use super::reader::{Reader, Receiver, VariableDraft};
use super::types::unquoted;

impl Reader<'_> {
    // ---- Classes

    pub(super) fn open_class(&mut self, node: NodeIndex) {
        let scope = self.scope(node);
        let name_node = self.child(node, Field::Name);
        let naming = if self.kind(node) == Kind::Class { self.naming(node) } else { None };
        let is_default = self.kind(self.parent(node)) == Kind::ExportStatement;
        let bound = naming.as_ref().map(|naming| naming.name.clone());
        let name: Name = match (name_node, &bound) {
            (Some(name), _) => self.text(name).into(),
            (None, Some(bound)) => bound.clone(),
            (None, None) if is_default => "default".into(),
            (None, None) => "<class>".into(),
        };
        let span = naming.as_ref().map_or_else(|| self.span_node(node), |naming| naming.holder);
        let place = match (&naming, self.kind(node)) {
            (Some(naming), _) => self.place_of_value(node, naming, scope),
            (None, Kind::Class) if !is_default => {
                let owner = self.info(scope).owner;
                Placed::unlisted(self.unnamed_owner(owner))
            }
            _ => Placed { is_bound: true, scope, ..Placed::member(self.owner_in(scope), false) },
        };
        let mut decl = self.new_decl(DeclKind::Class, &name);
        decl.type_params = self.type_params(node);
        decl.supertypes = self.heritage(node);
        decl.decorators = self.decorators(node);
        decl.visibility = self.visibility(span);
        let is_renamed = bound.as_ref().is_some_and(|bound| *bound != name);
        let owner =
            if is_renamed && place.is_listed { Some(self.unnamed_owner(place.owner)) } else { place.owner };
        let head_end = self.child(node, Field::Body).map_or(self.end(node), |body| self.start(body));
        let index = self.declare(node, span, name_node, head_end, decl, owner);
        let bound = bound.unwrap_or_else(|| name.clone());
        if is_renamed && place.is_listed {
            self.alias_variable(place.owner, bound.clone(), index);
        }
        if place.is_bound {
            self.bind(place.scope, &bound, 0, BindingKind::Decl(index), None, None);
        }
        let inner = self.open_type_scope(node, index);
        self.infos[inner.0 as usize].this = Some(Receiver { decl: index, is_static: false });
        self.infos[inner.0 as usize].this_type = None;
        if is_renamed || !place.is_bound {
            self.named.insert((inner, name), index);
        }
    }

    /// The scope of a declaration whose members its names are.
    fn open_type_scope(&mut self, node: NodeIndex, decl: DeclIndex) -> ScopeIndex {
        self.open_scope(node, ScopeKind::Type, Some(decl), |scope, info| {
            info.function = scope;
            info.owner = Some(decl);
            info.is_top = true;
        })
    }

    /// The extended class first, then the implemented interfaces.
    fn heritage(&self, node: NodeIndex) -> Vec<TypeExpr> {
        let Some(heritage) = self.tree.child_of_kind(node, Kind::ClassHeritage) else { return Vec::new() };
        let mut bases = Vec::new();
        for clause in self.tree.children(heritage) {
            match self.kind(clause) {
                Kind::ExtendsClause => {
                    let args = self.child(clause, Field::TypeArguments);
                    let value = self.child(clause, Field::Value);
                    bases.push(value.map_or(TypeExpr::Unknown, |value| self.type_of_expression(value, args)));
                }
                Kind::ImplementsClause => {
                    bases.extend(self.tree.children(clause).map(|base| self.type_of(base)))
                }
                _ => bases.push(self.type_of_expression(clause, None)),
            }
        }
        bases
    }

    pub(super) fn open_static_block(&mut self, node: NodeIndex) {
        self.open_scope(node, ScopeKind::Block, None, |scope, info| {
            info.function = scope;
            info.is_top = false;
            if let Some(this) = &mut info.this {
                this.is_static = true;
            }
        });
    }

    /// The value of a static field sees the class as `this`.
    pub(super) fn open_field(&mut self, node: NodeIndex) {
        if self.is_static_field(node) {
            self.open_scope(node, ScopeKind::Block, None, |_, info| {
                if let Some(this) = &mut info.this {
                    this.is_static = true;
                }
            });
        }
    }

    pub(super) fn is_static_field(&self, node: NodeIndex) -> bool {
        self.member_name(node).is_some_and(|(name, _)| self.has_word(node, name, "static"))
    }

    pub(super) fn read_field(&mut self, node: NodeIndex) {
        let Some((_, name)) = self.member_name(node) else { return };
        let value = self.child(node, Field::Value);
        if value.is_some_and(|value| self.is_named_value(value, &name)) {
            return;
        }
        let kind = if self.is_static_field(node) { VariableKind::Class } else { VariableKind::Instance };
        let draft = VariableDraft {
            visibility: self.member_visibility(node, &name),
            owner: self.info(self.scope(node)).owner,
            kind,
            ty: self.annotated(node).or_else(|| self.doc_types(self.start(node)).ty),
            value: value.map(|value| self.value(value)),
            assigned_in: None,
            name,
        };
        self.variables.push(draft);
    }

    /// Whether a value is a function, class or object that was declared under this name itself.
    pub(super) fn is_named_value(&self, value: NodeIndex, name: &Name) -> bool {
        let declared = self.decl_of.get(&value).map(|decl| &self.decls[decl.0 as usize]);
        declared.is_some_and(|draft| draft.decl.kind != DeclKind::Object && draft.decl.name == *name)
    }

    // ---- Interfaces, aliases, enums

    pub(super) fn open_interface(&mut self, node: NodeIndex) {
        let Some(name) = self.child(node, Field::Name) else { return };
        let mut decl = self.new_decl(DeclKind::Interface, self.text(name));
        decl.type_params = self.type_params(node);
        if let Some(clause) = self.tree.child_of_kind(node, Kind::ExtendsTypeClause) {
            decl.supertypes = self.tree.children(clause).map(|base| self.type_of(base)).collect();
        }
        self.open_named_type(node, name, decl, Field::Body);
    }

    pub(super) fn open_alias(&mut self, node: NodeIndex) {
        let Some(name) = self.child(node, Field::Name) else { return };
        let mut decl = self.new_decl(DeclKind::Alias, self.text(name));
        decl.type_params = self.type_params(node);
        let value = self.child(node, Field::Value);
        decl.target = value.filter(|ty| self.kind(*ty) != Kind::ObjectType).map(|ty| self.type_of(ty));
        self.open_named_type(node, name, decl, Field::Value);
    }

    fn open_named_type(
        &mut self,
        node: NodeIndex,
        name: NodeIndex,
        mut decl: bindery_facts::Decl,
        body: Field,
    ) {
        let scope = self.scope(node);
        let span = self.span_node(node);
        decl.visibility = self.visibility(span);
        let head_end = match decl.kind {
            DeclKind::Alias => self.end(node),
            _ => self.child(node, body).map_or(self.end(node), |body| self.start(body)),
        };
        let owner = self.owner_in(scope);
        let index = self.declare(node, span, Some(name), head_end, decl, owner);
        self.bind(scope, self.text(name), 0, BindingKind::Decl(index), None, None);
        self.open_type_scope(node, index);
        self.type_depth += 1;
    }

    pub(super) fn close_named_type(&mut self, node: NodeIndex) {
        if self.decl_of.contains_key(&node) {
            self.type_depth -= 1;
        }
    }

    /// Members of an object type that is not all of an alias are nobody's.
    pub(super) fn open_object_type(&mut self, node: NodeIndex) {
        if self.kind(self.parent(node)) == Kind::TypeAliasDeclaration && self.field(node) == Field::Value {
            return;
        }
        let owner = self.info(self.scope(node)).owner;
        let hidden = self.unnamed_owner(owner);
        self.open_scope(node, ScopeKind::Type, Some(hidden), |_, info| {
            info.owner = Some(hidden);
            info.is_top = true;
        });
    }

    pub(super) fn read_property_signature(&mut self, node: NodeIndex) {
        let Some((_, name)) = self.member_name(node) else { return };
        let owner = self.info(self.scope(node)).owner;
        let is_named =
            owner.is_some_and(|owner| self.decls[owner.0 as usize].decl.kind.type_kind().is_some());
        if !is_named {
            return;
        }
        let ty = self.annotated(node);
        self.variables.push(typed_member(name, owner, ty));
    }

    /// `(a: A): B;` — what calling a value of the type gives.
    pub(super) fn read_call_signature(&mut self, node: NodeIndex) {
        let owner = self.info(self.scope(node)).owner;
        let is_named =
            owner.is_some_and(|owner| self.decls[owner.0 as usize].decl.kind.type_kind().is_some());
        if is_named {
            let ty = self.call_signature(node);
            self.variables.push(typed_member(super::CALL_MEMBER.into(), owner, Some(ty)));
        }
    }

    pub(super) fn read_enum(&mut self, node: NodeIndex) {
        let Some(name) = self.child(node, Field::Name) else { return };
        let scope = self.scope(node);
        let span = self.span_node(node);
        let mut decl = self.new_decl(DeclKind::Enum, self.text(name));
        decl.visibility = self.visibility(span);
        let head_end = self.child(node, Field::Body).map_or(self.end(node), |body| self.start(body));
        let owner = self.owner_in(scope);
        let index = self.declare(node, span, Some(name), head_end, decl, owner);
        self.bind(scope, self.text(name), 0, BindingKind::Decl(index), None, None);
        let Some(body) = self.child(node, Field::Body) else { return };
        let members: Vec<NodeIndex> = self.tree.children(body).collect();
        for member in members {
            let named = self.child(member, Field::Name).unwrap_or(member);
            let ty = TypeExpr::named(self.text(name));
            let mut draft = typed_member(self.key_text(named), Some(index), Some(ty));
            draft.kind = VariableKind::Constant;
            self.variables.push(draft);
        }
    }

    // ---- Namespaces

    pub(super) fn open_namespace(&mut self, node: NodeIndex) {
        let Some(name) = self.child(node, Field::Name) else { return };
        let scope = self.scope(node);
        let span = self.span_node(node);
        let names: Vec<Name> = match self.kind(name) {
            Kind::String => vec![unquoted(self.text(name)).into()],
            _ => self.dotted(name).unwrap_or_else(|| vec![self.text(name).into()]),
        };
        let mut owner = self.owner_in(scope);
        let mut last = None;
        for (index, part) in names.iter().enumerate() {
            let mut decl = self.new_decl(DeclKind::Module, part);
            decl.visibility = if index == 0 { self.visibility(span) } else { Visibility::Public };
            let module = self.declare(node, span, Some(name), self.end(name), decl, owner);
            self.decls[module.0 as usize].is_hidden = true;
            if index == 0 && self.declared(scope, part).is_none() {
                self.bind(scope, part, 0, BindingKind::Decl(module), None, None);
            }
            (owner, last) = (Some(module), Some(module));
        }
        self.open_scope(node, ScopeKind::Module, last, |scope, info| {
            info.function = scope;
            info.owner = last;
            info.is_top = true;
            info.this = None;
        });
    }

    // ---- Object literals

    pub(super) fn open_object(&mut self, node: NodeIndex) {
        let naming = self.naming(node);
        let Some(decl) = self.object_decl(node, naming.as_ref()) else { return };
        self.note_decl(node, decl);
        self.open_type_scope(node, decl);
    }

    /// The declaration an object literal has: it has functions, or is bound to a name and may get some.
    fn object_decl(&mut self, node: NodeIndex, naming: Option<&Naming>) -> Option<DeclIndex> {
        if naming.is_some_and(|naming| self.leads_to_exports(naming.binder)) {
            return Some(self.exports_object());
        }
        let is_open = self.tree.children(node).next().is_none() && naming.is_some();
        if !self.holds_functions[node as usize] && !is_open {
            return None;
        }
        let scope = self.scope(node);
        let Some(naming) = naming else {
            let owner = self.info(scope).owner;
            return Some(self.hidden_decl(DeclKind::Object, "<object>", owner));
        };
        let place = self.place_of_value(node, naming, scope);
        let mut decl = self.new_decl(DeclKind::Object, &naming.name);
        decl.visibility = self.visibility(naming.holder);
        decl.flags.is_static = place.is_static;
        let index = self.declare(node, naming.holder, None, self.start(node), decl, place.owner);
        if place.is_bound {
            self.bind(place.scope, &naming.name, 0, BindingKind::Decl(index), None, None);
        }
        Some(index)
    }

    /// Whether an assignment gives `module.exports` its value, directly or in a chain.
    fn leads_to_exports(&self, binder: NodeIndex) -> bool {
        let mut at = binder;
        while self.kind(at) == Kind::AssignmentExpression {
            if self.child(at, Field::Left).is_some_and(|left| self.text(left) == "module.exports") {
                return true;
            }
            at = self.parent(at);
        }
        false
    }

    /// The object that holds what a CommonJS file exports.
    pub(super) fn exports_object(&mut self) -> DeclIndex {
        if let Some(exports) = self.exports {
            return exports;
        }
        let exports = self.hidden_decl(DeclKind::Object, crate::EXPORTS, None);
        self.exports = Some(exports);
        exports
    }

    /// A property of an object literal that is no function.
    pub(super) fn read_property(&mut self, object: NodeIndex, name: Name, value: NodeIndex) {
        let Some(owner) = self.decl_of.get(&object).copied() else { return };
        let declared = self.decl_of.get(&value).map(|decl| &self.decls[decl.0 as usize]);
        if declared.is_some_and(|draft| draft.owner == Some(owner) && draft.decl.name == name) {
            return;
        }
        let draft = VariableDraft {
            name,
            owner: Some(owner),
            kind: VariableKind::Instance,
            ty: None,
            value: Some(self.value(value)),
            assigned_in: None,
            visibility: Visibility::Public,
        };
        self.variables.push(draft);
    }

    /// A second name of a declaration.
    pub(super) fn alias_variable(&mut self, owner: Option<DeclIndex>, name: Name, decl: DeclIndex) {
        let value = self.decl_value(decl);
        let value = self.push(value);
        let draft = VariableDraft {
            name,
            owner,
            kind: VariableKind::Constant,
            ty: None,
            value: Some(value),
            assigned_in: None,
            visibility: Visibility::Public,
        };
        self.variables.push(draft);
    }

    // ---- Where values that are assigned belong

    pub(super) fn place_of_value(&mut self, node: NodeIndex, naming: &Naming, scope: ScopeIndex) -> Placed {
        let owner = self.info(scope).owner;
        match self.kind(naming.binder) {
            Kind::VariableDeclarator => {
                let target = self.variable_scope(naming.binder);
                let owner =
                    if self.info(target).is_top { self.info(target).owner } else { self.owner_in(target) };
                Placed { is_bound: true, scope: target, ..Placed::member(owner, false) }
            }
            kind if kind.is_field() => Placed::member(owner, self.is_static_field(naming.binder)),
            Kind::AssignmentExpression => {
                let left = self.child(naming.binder, Field::Left).unwrap_or(node);
                match self.place_of_target(left, scope) {
                    Some((owner, is_static)) => Placed::member(Some(owner), is_static),
                    None => Placed::unlisted(self.unnamed_owner(owner)),
                }
            }
            _ => Placed::member(owner, false),
        }
    }

    /// The declaration that an assignment to `a.b` adds a member to, and whether it is the class's own.
    pub(super) fn place_of_target(
        &mut self,
        left: NodeIndex,
        scope: ScopeIndex,
    ) -> Option<(DeclIndex, bool)> {
        if self.kind(left) != Kind::MemberExpression {
            return None;
        }
        let object = self.child(left, Field::Object)?;
        match self.text(object) {
            "this" => self.info(scope).this.map(|this| (this.decl, this.is_static)),
            "exports" | "module.exports" => Some((self.exports_object(), false)),
            text => match text.strip_suffix(".prototype") {
                Some(name) => {
                    let decl = self.declared(scope, name)?;
                    let kind = self.decls[decl.0 as usize].decl.kind;
                    match kind {
                        DeclKind::Class => Some((decl, false)),
                        kind if kind.is_callable() => Some((self.prototype(decl), false)),
                        _ => None,
                    }
                }
                None if self.kind(object) == Kind::Identifier => {
                    let decl = self.declared(scope, text)?;
                    match self.decls[decl.0 as usize].decl.kind {
                        DeclKind::Class => Some((decl, true)),
                        DeclKind::Object | DeclKind::Module => Some((decl, false)),
                        kind if kind.is_callable() => Some((self.companion(decl), false)),
                        _ => None,
                    }
                }
                None => None,
            },
        }
    }

    /// The object whose members instances of a constructor function have.
    pub(super) fn prototype(&mut self, function: DeclIndex) -> DeclIndex {
        if let Some(known) = self.prototypes.get(&function) {
            return *known;
        }
        let index = self.labelled_object(function, crate::PROTOTYPE);
        self.prototypes.insert(function, index);
        index
    }

    /// The object that holds the properties of a function.
    fn companion(&mut self, function: DeclIndex) -> DeclIndex {
        if let Some(known) = self.companions.get(&function) {
            return *known;
        }
        let index = self.labelled_object(function, crate::PROPERTIES);
        self.companions.insert(function, index);
        index
    }

    fn labelled_object(&mut self, function: DeclIndex, suffix: &str) -> DeclIndex {
        let draft = &self.decls[function.0 as usize];
        let (name, owner) = (format!("{}{suffix}", draft.decl.name), draft.owner);
        let index = self.hidden_decl(DeclKind::Object, "", owner);
        self.decls[index.0 as usize].decl.name = name.into();
        index
    }
}

fn typed_member(name: Name, owner: Option<DeclIndex>, ty: Option<TypeExpr>) -> VariableDraft {
    VariableDraft {
        name,
        owner,
        kind: VariableKind::Instance,
        ty,
        value: None,
        assigned_in: None,
        visibility: Visibility::Public,
    }
}
