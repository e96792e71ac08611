//! Declarations: imports, functions, methods, types, package variables and constants.

use bindery_facts::{
    BindingKind, Decl, DeclFlags, DeclIndex, DeclKind, DeclText, ExprIndex, Exprs, Import, ImportBinding,
    Name, Param, ParamKind, ScopeKind, Shape, TypeExpr, Variable, VariableKind, Visibility,
};
use bindery_syntax::{
    Claim, NodeIndex, Prefix, Spelling,
    doc_comment::first_paragraph,
    text::{folded, folded_with, signature},
};

use super::kinds::{Field, Kind};
use super::locals::may_change;
use super::reader::{Draft, Reader};

/// A package variable's value is kept up to this many expressions.
const VALUE_LIMIT: usize = 64;
/// The prefixes of the functions that `go test` runs.
const TEST_PREFIXES: &[&str] = &["Test", "Benchmark", "Fuzz", "Example"];

impl Reader<'_> {
    /// One imported package.
    pub(super) fn enter_import(&mut self, node: NodeIndex) {
        let Some(path) = self.tree.child(node, Field::Path) else { return };
        let path = self.text(path).trim_matches(['"', '`']);
        let binds = match self.tree.child(node, Field::Name) {
            None => ImportBinding::Own,
            Some(name) => match self.kind(name) {
                Kind::Dot => ImportBinding::Glob,
                Kind::BlankIdentifier => ImportBinding::Nothing,
                _ if self.text(name) == "_" => ImportBinding::Nothing,
                _ => ImportBinding::Name(self.text(name).into()),
            },
        };
        self.imports.push(Import {
            owner: Name::default(),
            path: path.split('/').map(Name::from).collect(),
            level: 0,
            is_member: false,
            binds,
            visibility: Visibility::Private,
            is_conditional: false,
        });
    }

    /// A function or method.
    pub(super) fn enter_function(&mut self, node: NodeIndex) {
        let doc = self.take_doc(node);
        let Some(name_node) = self.tree.child(node, Field::Name) else { return };
        let receiver = self.tree.child(node, Field::Receiver);
        let kind = if receiver.is_some() { DeclKind::Method } else { DeclKind::Function };
        let mut draft = self.draft(node, name_node, kind, &doc);
        if let Some(list) = receiver {
            self.put_in_type(&mut draft, list);
            draft.decl.type_params = self.types.receiver_params(list);
            draft.decl.params.extend(self.params(list).into_iter().take(1));
            draft.decl.params.iter_mut().for_each(|param| param.kind = ParamKind::Receiver);
        }
        let parameters = self.tree.child(node, Field::Parameters);
        draft.decl.params.extend(parameters.map_or(Vec::new(), |list| self.params(list)));
        draft.decl.returns = self.types.result(node);
        draft.decl.flags.is_test = is_test(&draft.decl);
        draft.decl.flags.is_bodiless = self.tree.child(node, Field::Body).is_none();
        let index = self.declare(draft);
        self.open_scope(node, ScopeKind::Function, Some(index));
        (self.context.owner, self.context.caller) = (Some(index), Some(index));
        if let Some(list) = receiver {
            self.bind_params(list, 0, true);
        }
        self.bind_signature(node, usize::from(receiver.is_some()));
    }

    /// Binds the parameters and named results of a function or function literal.
    pub(super) fn bind_signature(&mut self, node: NodeIndex, first: usize) {
        if let Some(list) = self.tree.child(node, Field::Parameters) {
            self.bind_params(list, first, false);
        }
        let results = self.tree.child(node, Field::Result);
        if let Some(list) = results.filter(|list| self.kind(*list) == Kind::ParameterList) {
            for part in self.parts(list) {
                let ty = self.tree.child(part, Field::Type).map(|ty| self.types.lower(ty));
                for name in self.fields(part, Field::Name) {
                    self.bind(
                        self.text(name),
                        self.tree.node(name).start,
                        BindingKind::Local,
                        ty.clone(),
                        None,
                    );
                }
            }
        }
    }

    fn bind_params(&mut self, list: NodeIndex, first: usize, is_receiver: bool) {
        let mut position = first as u32;
        for part in self.parts(list) {
            let ty = self.tree.child(part, Field::Type).map(|ty| self.types.lower(ty));
            let is_rest = self.kind(part) == Kind::VariadicParameterDeclaration;
            let ty = ty.map(|ty| if is_rest { TypeExpr::Slice(Box::new(ty)) } else { ty });
            let names = self.fields(part, Field::Name);
            position += u32::from(names.is_empty());
            for name in names {
                let kind = if is_receiver { BindingKind::Receiver } else { BindingKind::Param(position) };
                self.bind(self.text(name), self.tree.node(name).start, kind, ty.clone(), None);
                position += 1;
            }
        }
    }

    /// The parameters of a list, one for each name.
    pub(super) fn params(&self, list: NodeIndex) -> Vec<Param> {
        let mut params = Vec::new();
        for part in self.parts(list) {
            let ty = self.tree.child(part, Field::Type);
            let is_rest = self.kind(part) == Kind::VariadicParameterDeclaration;
            let text = ty.map_or(String::new(), |ty| folded(self.text(ty)));
            let param = |name: &str| Param {
                name: Name::from(name),
                kind: if is_rest { ParamKind::Variadic } else { ParamKind::Normal },
                ty: ty.map(|ty| self.types.lower(ty)),
                type_text: Name::from(if is_rest { format!("...{text}") } else { text.clone() }),
                has_default: false,
            };
            let names = self.fields(part, Field::Name);
            if names.is_empty() {
                params.push(param("_"));
            }
            params.extend(names.into_iter().map(|name| param(self.text(name))));
        }
        params
    }

    /// Makes a method a member of its receiver's type, declared in this file or elsewhere.
    fn put_in_type(&mut self, draft: &mut Draft, list: NodeIndex) {
        let type_name = Name::from(self.types.receiver_name(list));
        let owner = match self.top_type(&type_name) {
            Some(owner) => owner,
            None => self.block_of(&type_name, list),
        };
        draft.owner = Some(owner);
        draft.claim.prefix = Prefix::Text(None, type_name);
    }

    fn top_type(&mut self, name: &Name) -> Option<DeclIndex> {
        self.top_types.get(name).copied()
    }

    /// The block for the methods of a type that this file does not declare before them.
    fn block_of(&mut self, type_name: &Name, list: NodeIndex) -> DeclIndex {
        if let Some(block) = self.blocks.get(type_name) {
            return *block;
        }
        let name = format!("impl#{type_name}");
        let mut draft = self.draft_of((list, list), &name, DeclKind::Impl, "");
        draft.decl.target = Some(TypeExpr::named(type_name.clone()));
        let index = self.declare(draft);
        self.blocks.insert(type_name.clone(), index);
        index
    }

    /// A defined type or an alias.
    pub(super) fn enter_type(&mut self, node: NodeIndex) {
        let Some(name_node) = self.tree.child(node, Field::Name) else { return };
        let declaration = self.parent(node);
        let is_single = self.kind(declaration) == Kind::TypeDeclaration
            && !self.text(declaration).trim_start_matches("type").trim_start().starts_with('(');
        let whole = if is_single { declaration } else { node };
        let doc = self.take_doc(whole);
        let ty = self.tree.child(node, Field::Type);
        let kind = match ty.map(|ty| self.kind(ty)) {
            _ if self.kind(node) == Kind::TypeAlias => DeclKind::Alias,
            Some(Kind::StructType) => DeclKind::Struct,
            Some(Kind::InterfaceType) => DeclKind::Interface,
            _ => DeclKind::OtherType,
        };
        let mut draft = self.draft(whole, name_node, kind, &doc);
        draft.decl.type_params = self.types.type_params(node);
        match (kind, ty) {
            (DeclKind::Struct, _) => draft.decl.shape = Shape::Fields,
            (DeclKind::Interface, Some(ty)) => draft.decl.supertypes = self.types.embedded_interfaces(ty),
            (_, Some(ty)) => draft.decl.target = Some(self.types.lower(ty)),
            _ => {}
        }
        let index = self.declare(draft);
        if !self.is_local() {
            self.top_types.insert(Name::from(self.text(name_node)), index);
        }
        match (kind, ty) {
            (DeclKind::Struct, Some(ty)) => self.add_fields(ty, index),
            (DeclKind::Interface, Some(ty)) => self.add_methods(ty, index),
            _ => {}
        }
    }

    /// A struct type without a name is declared under one that no program can write.
    pub(super) fn enter_struct(&mut self, node: NodeIndex) {
        let Some(name) = self.types.anonymous.get(&node).cloned() else { return };
        let mut draft = self.draft_of((node, node), &name, DeclKind::Anonymous, "");
        // Inside a function, names of its own may be in the fields' types.
        draft.owner = self.context.owner.filter(|_| self.is_local());
        draft.claim.prefix = Prefix::Top;
        let index = DeclIndex(self.drafts.len() as u32);
        self.drafts.push(draft);
        self.add_fields(node, index);
    }

    /// The fields of a struct type; embedded types are its supertypes as well.
    fn add_fields(&mut self, node: NodeIndex, of: DeclIndex) {
        let lists: Vec<_> =
            self.parts(node).filter(|part| self.kind(*part) == Kind::FieldDeclarationList).collect();
        let parts: Vec<_> = lists.into_iter().flat_map(|list| self.parts(list)).collect();
        for part in parts {
            let Some(ty) = self.tree.child(part, Field::Type) else { continue };
            let written = self.types.lower(ty);
            let names = self.fields(part, Field::Name);
            if names.is_empty() {
                let name = embedded_name(&written);
                self.drafts[of.0 as usize].decl.supertypes.push(written.clone());
                self.add_field(&name, written.clone(), of);
            }
            for name in names {
                self.add_field(self.text(name), written.clone(), of);
            }
        }
    }

    fn add_field(&mut self, name: &str, ty: TypeExpr, of: DeclIndex) {
        if name != "_" {
            let variable = variable(name, VariableKind::Instance, Some(ty), None);
            self.variables.push((variable, Some(of)));
        }
    }

    fn add_methods(&mut self, node: NodeIndex, of: DeclIndex) {
        let mut comments = Vec::new();
        for part in self.tree.children(node) {
            match self.kind(part) {
                Kind::Comment => comments.push(part),
                Kind::MethodElem => {
                    self.comments = std::mem::take(&mut comments);
                    self.add_method(part, of);
                }
                _ => comments.clear(),
            }
        }
    }

    fn add_method(&mut self, node: NodeIndex, of: DeclIndex) {
        let doc = self.take_doc(node);
        let Some(name_node) = self.tree.child(node, Field::Name) else { return };
        let mut draft = self.draft(node, name_node, DeclKind::Method, &doc);
        draft.decl.params = vec![Param {
            name: Name::default(),
            kind: ParamKind::Receiver,
            ty: None,
            type_text: Name::default(),
            has_default: false,
        }];
        let list = self.tree.child(node, Field::Parameters);
        draft.decl.params.extend(list.map_or(Vec::new(), |list| self.params(list)));
        draft.decl.returns = self.types.result(node);
        draft.decl.flags.is_bodiless = true;
        draft.owner = Some(of);
        draft.claim.prefix = Prefix::Decl(of.0);
        self.drafts.push(draft);
    }

    /// A declaration with all that is read the same way for every kind.
    pub(super) fn draft(&self, node: NodeIndex, name_node: NodeIndex, kind: DeclKind, doc: &str) -> Draft {
        self.draft_of((node, name_node), self.text(name_node), kind, doc)
    }

    /// As [`Reader::draft`], under a name of our own making.
    fn draft_of(
        &self,
        (node, name_node): (NodeIndex, NodeIndex),
        name: &str,
        kind: DeclKind,
        doc: &str,
    ) -> Draft {
        let name = Name::from(name);
        let decl = Decl {
            kind,
            name: name.clone(),
            qualname: Name::default(),
            owner: Name::default(),
            visibility: visibility(&name),
            flags: DeclFlags::default(),
            decorators: Vec::new(),
            type_params: self.types.type_params(node),
            params: Vec::new(),
            returns: None,
            result: None,
            supertypes: Vec::new(),
            target: None,
            shape: Shape::Unit,
        };
        let place = self.tree.node(node);
        let text = DeclText {
            line_start: self.lines.line(place.start),
            line_end: self.lines.last_line(place.start, place.end),
            name_line: self.lines.line(self.tree.node(name_node).start),
            signature: signature("", &self.head(node), &folded(&name)),
            doc: first_paragraph(doc),
        };
        let prefix = self.context.owner.map_or(Prefix::Top, |owner| Prefix::Decl(owner.0));
        let claim = Claim { prefix, spellings: vec![Spelling::Part(name)] };
        Draft { decl, text, owner: self.context.owner, claim }
    }

    /// The text of a declaration up to its body, comments left out.
    fn head(&self, node: NodeIndex) -> String {
        let is_body = |inner: &NodeIndex| {
            let kind = self.kind(*inner);
            kind == Kind::FieldDeclarationList || kind == Kind::Block && self.field(*inner) == Field::Body
        };
        let place = self.tree.node(node);
        let nodes = || self.tree.subtree(node).skip(1);
        let end = nodes().find(is_body).map_or(place.end, |body| self.tree.node(body).start);
        let comments: Vec<_> = nodes()
            .take_while(|inner| self.tree.node(*inner).start < end)
            .filter(|inner| self.kind(*inner) == Kind::Comment)
            .map(|inner| (self.tree.node(inner).start..self.tree.node(inner).end, " "))
            .collect();
        let head = folded_with(self.source, place.start..end, &comments);
        match head.split_once("interface {").or(head.split_once("interface{")) {
            Some((before, _)) if self.kind(node) != Kind::MethodElem => format!("{before}interface"),
            _ => head.trim_end_matches('{').trim_end().to_owned(),
        }
    }

    /// Adds a declaration; inside a function it is bound as well.
    pub(super) fn declare(&mut self, draft: Draft) -> DeclIndex {
        let index = DeclIndex(self.drafts.len() as u32);
        let is_type = draft.decl.kind.type_kind().is_some();
        if self.is_local() && is_type {
            let name = draft.decl.name.clone();
            self.bind(&name, 0, BindingKind::Decl(index), None, None);
        }
        self.drafts.push(draft);
        index
    }

    /// Package variables and constants; the value of one without a type is kept, if it is small.
    pub(super) fn add_package_variables(
        &mut self,
        names: &[NodeIndex],
        kind: VariableKind,
        ty: Option<&TypeExpr>,
        values: &[ExprIndex],
    ) {
        for (position, name) in names.iter().enumerate() {
            let name = self.text(*name);
            if name == "_" {
                continue;
            }
            let value = values.get(position).filter(|_| ty.is_none()).copied();
            let value = value.and_then(|value| {
                let value = self.push(may_change(value));
                self.bodies.exprs.extract(value, VALUE_LIMIT)
            });
            let variable = variable(name, kind, ty.cloned(), value);
            self.variables.push((variable, None));
        }
    }
}

fn variable(name: &str, kind: VariableKind, ty: Option<TypeExpr>, value: Option<Exprs>) -> Variable {
    Variable {
        name: Name::from(name),
        owner: Name::default(),
        kind,
        ty,
        value,
        assigned_in: Name::default(),
        visibility: visibility(name),
        is_mutable: kind != VariableKind::Constant,
    }
}

/// Names that begin with a capital are exported.
fn visibility(name: &str) -> Visibility {
    if name.starts_with(char::is_uppercase) { Visibility::Public } else { Visibility::Private }
}

/// The field's name that an embedded type has: its own, without package and arguments.
fn embedded_name(ty: &TypeExpr) -> Name {
    match ty {
        TypeExpr::Ref(inner) => embedded_name(inner),
        TypeExpr::Path(segments) => segments.last().map(|last| last.name.clone()).unwrap_or_default(),
        _ => Name::default(),
    }
}

/// Whether `go test` runs a function: by its name and the package `testing` in its parameters.
fn is_test(decl: &Decl) -> bool {
    let is_named = TEST_PREFIXES.iter().any(|prefix| {
        let rest = decl.name.strip_prefix(prefix);
        rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
    });
    let is_of_testing = decl.params.iter().any(|param| param.type_text.starts_with("*testing."));
    decl.kind == DeclKind::Function && is_named && is_of_testing
}
