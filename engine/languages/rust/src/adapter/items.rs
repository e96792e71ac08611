//! Declarations: functions, types, traits, impls, modules, constants.

use bindery_facts::{
    BindingKind, Decl, DeclIndex, DeclKind, DeclText, Name, Param, ParamKind, ScopeKind, Segment, Shape,
    TypeExpr, Variable, VariableKind, Visibility,
};
use bindery_syntax::{
    Claim, NodeIndex, Prefix, Spelling,
    doc_comment::first_paragraph,
    text::{folded, folded_with, signature},
};

use super::attributes::{Before, head_doc};
use super::kinds::{Field, Kind};
use super::macros::last_segment;
use super::reader::{Draft, Implements, Reader};
use super::types::plain_name;

/// Types whose values change behind a shared reference; their atomic kin all begin with `Atomic`.
const INTERIOR_MUTABILITY: &[&str] = &[
    "Cell",
    "Lazy",
    "LazyCell",
    "LazyLock",
    "Mutex",
    "Once",
    "OnceCell",
    "OnceLock",
    "RefCell",
    "RwLock",
    "ThreadLocal",
    "UnsafeCell",
];

/// Characters of a type that tells members apart.
const MAX_TYPE_IN_NAME: usize = 200;

impl Reader<'_> {
    /// A function, a method, or a member without a body.
    pub(super) fn enter_function(&mut self, node: NodeIndex, before: &Before) {
        let Some(name_node) = self.tree.child(node, Field::Name) else { return };
        let in_type = self.owner_kind().is_some_and(|kind| matches!(kind, DeclKind::Impl | DeclKind::Trait));
        let kind = if in_type { DeclKind::Method } else { DeclKind::Function };
        let mut draft = self.draft(node, name_node, kind, before);
        let modifiers = self.tree.child_of_kind(node, Kind::FunctionModifiers);
        let parameters = self.tree.child(node, Field::Parameters);
        draft.decl.params = parameters.map_or(Vec::new(), |list| self.params(list));
        let has_receiver = draft.decl.params.first().is_some_and(|param| param.kind == ParamKind::Receiver);
        let flags = &mut draft.decl.flags;
        flags.is_async =
            modifiers.is_some_and(|node| self.text(node).split_whitespace().any(|word| word == "async"));
        flags.is_static = in_type && !has_receiver;
        flags.is_bodiless = self.kind(node) == Kind::FunctionSignatureItem;
        draft.decl.returns = self.tree.child(node, Field::ReturnType).map(|ty| self.types.lower(ty));
        let index = self.declare(draft);
        self.open_scope(node, ScopeKind::Function, Some(index));
        self.enter_decl(index);
        self.context.caller = Some(index);
        if let Some(list) = parameters {
            self.bind_params(list);
        }
    }

    fn params(&self, list: NodeIndex) -> Vec<Param> {
        let plain =
            |name: Name, kind| Param { name, kind, ty: None, type_text: Name::default(), has_default: false };
        let param = |node: NodeIndex| match self.kind(node) {
            Kind::SelfParameter => plain(Name::from("self"), ParamKind::Receiver),
            Kind::VariadicParameter => plain(Name::from("..."), ParamKind::Variadic),
            Kind::Parameter => {
                let pattern = self.tree.child(node, Field::Pattern);
                let name = pattern.map_or(Name::from("_"), |pattern| plain_name(&folded(self.text(pattern))));
                let kind = if name == "self" { ParamKind::Receiver } else { ParamKind::Normal };
                self.typed_param(name, kind, self.tree.child(node, Field::Type))
            }
            _ => self.typed_param(Name::from("_"), ParamKind::Normal, Some(node)),
        };
        self.parts(list).map(param).collect()
    }

    fn typed_param(&self, name: Name, kind: ParamKind, ty: Option<NodeIndex>) -> Param {
        let type_text = ty.map_or(Name::default(), |node| Name::from(folded(self.text(node))));
        Param { name, kind, ty: ty.map(|node| self.types.lower(node)), type_text, has_default: false }
    }

    fn bind_params(&mut self, list: NodeIndex) {
        let nodes: Vec<_> = self.parts(list).collect();
        for (position, node) in nodes.into_iter().enumerate() {
            let at = self.tree.node(node).start;
            match self.kind(node) {
                Kind::SelfParameter => self.bind(Name::from("self"), at, BindingKind::Receiver, None, None),
                Kind::Parameter => {
                    let Some(pattern) = self.tree.child(node, Field::Pattern) else { continue };
                    let is_receiver = self.kind(pattern) == Kind::SelfWord;
                    let kind =
                        if is_receiver { BindingKind::Receiver } else { BindingKind::Param(position as u32) };
                    self.bind_declared(pattern, kind, self.tree.child(node, Field::Type), None, at);
                }
                _ => {}
            }
        }
    }

    /// A struct, union, enum, type alias or associated type.
    pub(super) fn enter_type(&mut self, node: NodeIndex, before: &Before) {
        let Some(name_node) = self.tree.child(node, Field::Name) else { return };
        let kind = match self.kind(node) {
            Kind::StructItem => DeclKind::Struct,
            Kind::UnionItem => DeclKind::OtherType,
            Kind::EnumItem => DeclKind::Enum,
            _ => DeclKind::Alias,
        };
        let mut draft = self.draft(node, name_node, kind, before);
        let body = self.tree.child(node, Field::Body);
        draft.decl.shape = self.shape(body);
        if kind == DeclKind::Alias {
            draft.decl.target = self.tree.child(node, Field::Type).map(|ty| self.types.lower(ty));
            draft.decl.flags.is_bodiless = self.kind(node) == Kind::AssociatedType;
            // An associated type's bounds are what its values are known by.
            if let Some(bounds) = self.tree.child(node, Field::Bounds) {
                draft.decl.supertypes = self.types.bounds(bounds);
            }
        }
        let index = self.declare(draft);
        self.open_scope(node, ScopeKind::Type, Some(index));
        self.enter_decl(index);
        self.add_fields(body, Visibility::Private);
    }

    fn shape(&self, body: Option<NodeIndex>) -> Shape {
        match body.map(|body| self.kind(body)) {
            Some(Kind::FieldDeclarationList) => Shape::Fields,
            Some(Kind::OrderedFieldDeclarationList) => Shape::Tuple,
            _ => Shape::Unit,
        }
    }

    /// An enum's variant; its fields are as visible as the enum.
    pub(super) fn enter_variant(&mut self, node: NodeIndex, before: &Before) {
        let Some(name_node) = self.tree.child(node, Field::Name) else { return };
        let mut draft = self.draft(node, name_node, DeclKind::Variant, before);
        let body = self.tree.child(node, Field::Body);
        draft.decl.shape = self.shape(body);
        draft.decl.visibility = Visibility::Public;
        let index = self.declare(draft);
        self.save_context(node);
        self.enter_decl(index);
        self.add_fields(body, Visibility::Public);
    }

    fn add_fields(&mut self, body: Option<NodeIndex>, default: Visibility) {
        let Some(body) = body else { return };
        let mut position = 0;
        let mut visibility = None;
        let parts: Vec<_> = self.parts(body).collect();
        for part in parts {
            match (self.kind(body), self.kind(part)) {
                (_, Kind::VisibilityModifier) => visibility = Some(visibility_of(self.text(part))),
                (Kind::FieldDeclarationList, Kind::FieldDeclaration) => {
                    let Some(name) = self.tree.child(part, Field::Name) else { continue };
                    let written = self.tree.child_of_kind(part, Kind::VisibilityModifier);
                    let visibility = written.map_or(default.clone(), |node| visibility_of(self.text(node)));
                    let ty = self.tree.child(part, Field::Type);
                    self.add_variable(
                        plain_name(self.text(name)),
                        VariableKind::Instance,
                        ty,
                        visibility,
                        false,
                    );
                }
                (Kind::OrderedFieldDeclarationList, _) if self.tree.node(part).field == Field::Type => {
                    let name = Name::from(position.to_string());
                    let visibility = visibility.take().unwrap_or(default.clone());
                    self.add_variable(name, VariableKind::Instance, Some(part), visibility, false);
                    position += 1;
                }
                _ => {}
            }
        }
    }

    fn add_variable(
        &mut self,
        name: Name,
        kind: VariableKind,
        ty: Option<NodeIndex>,
        visibility: Visibility,
        is_mutable: bool,
    ) {
        let mut ty = ty.map(|node| self.types.lower(node));
        let is_mutable = is_mutable || ty.as_ref().is_some_and(has_interior_mutability);
        if self.context.is_thread_local {
            ty = ty.map(|inner| {
                let mut segment = Segment::plain("LocalKey");
                segment.args.push(inner);
                let path = ["std", "thread"].map(Segment::plain);
                TypeExpr::Path(path.into_iter().chain([segment]).collect())
            });
        }
        let variable = Variable {
            name,
            owner: Name::default(),
            kind,
            ty,
            value: None,
            assigned_in: Name::default(),
            visibility,
            is_mutable,
        };
        self.variables.push((variable, self.context.owner));
    }

    /// A constant or static; inside a function it is bound like a local.
    pub(super) fn enter_variable(&mut self, node: NodeIndex) {
        let Some(name_node) = self.tree.child(node, Field::Name) else { return };
        let name = plain_name(self.text(name_node));
        let ty = self.tree.child(node, Field::Type);
        if name == "_" {
            return;
        }
        if self.is_local() {
            let ty = ty.map(|node| self.types.lower(node));
            return self.bind(name, 0, BindingKind::Local, ty, None);
        }
        let is_static = self.kind(node) == Kind::StaticItem;
        let kind = if is_static { VariableKind::Module } else { VariableKind::Constant };
        let is_mutable = is_static && self.tree.child_of_kind(node, Kind::MutableSpecifier).is_some();
        let visibility = self.visibility(node);
        self.add_variable(name, kind, ty, visibility, is_mutable);
    }

    /// A trait, an impl block or a module: what holds members.
    pub(super) fn enter_container(&mut self, node: NodeIndex, before: &Before) {
        let (index, scope) = match self.kind(node) {
            Kind::ImplItem => (self.declare_impl(node, before), ScopeKind::Type),
            Kind::TraitItem => (self.declare_trait(node, before), ScopeKind::Type),
            _ => (self.declare_module(node, before), ScopeKind::Module),
        };
        self.open_scope(node, scope, index);
        if let Some(index) = index {
            self.enter_decl(index);
        }
        self.context.caller = None;
    }

    fn declare_trait(&mut self, node: NodeIndex, before: &Before) -> Option<DeclIndex> {
        let name_node = self.tree.child(node, Field::Name)?;
        let mut draft = self.draft(node, name_node, DeclKind::Trait, before);
        let bounds = self.tree.child(node, Field::Bounds);
        draft.decl.supertypes = bounds.map_or(Vec::new(), |list| self.types.bounds(list));
        Some(self.declare(draft))
    }

    fn declare_module(&mut self, node: NodeIndex, before: &Before) -> Option<DeclIndex> {
        let name_node = self.tree.child(node, Field::Name)?;
        let mut draft = self.draft(node, name_node, DeclKind::Module, before);
        match self.tree.child(node, Field::Body) {
            Some(body) if draft.text.doc.is_none() => {
                draft.text.doc = first_paragraph(&head_doc(self.tree, self.source, body));
            }
            Some(_) => {}
            None => draft.decl.flags.is_external_module = true,
        }
        Some(self.declare(draft))
    }

    fn declare_impl(&mut self, node: NodeIndex, before: &Before) -> Option<DeclIndex> {
        let type_node = self.tree.child(node, Field::Type)?;
        let trait_node = self.tree.child(node, Field::Trait);
        let target = self.types.lower(type_node);
        let short = |node: NodeIndex| Name::from(without_space(self.text(node)));
        let of_trait =
            trait_node.map(|node| (type_name(&self.types.lower(node), self.text(node)), short(node)));
        let implements = Implements {
            type_name: type_name(&target, self.text(type_node)),
            type_text: short(type_node),
            of_trait,
        };
        let (plain, full) = match &implements.of_trait {
            None => (format!("impl#{}", implements.type_name), format!("impl#{}", implements.type_text)),
            Some((name, text)) => (
                format!("impl#{name} for {}", implements.type_name),
                format!("impl#{text} for {}", implements.type_text),
            ),
        };
        let mut draft = self.draft(node, type_node, DeclKind::Impl, before);
        draft.decl.name = Name::from(plain.as_str());
        draft.claim.spellings =
            vec![Spelling::Part(draft.decl.name.clone()), Spelling::Part(Name::from(full))];
        let head = self.tree.node(node).start as usize
            ..trait_node.map_or(0, |node| self.tree.node(node).start as usize);
        let is_negative = self.source.get(head).is_some_and(|text| text.trim_end().ends_with('!'));
        if !is_negative {
            draft.decl.supertypes.extend(trait_node.map(|node| self.types.lower(node)));
        }
        draft.decl.target = Some(target);
        draft.implements = Some(Box::new(implements));
        Some(self.declare(draft))
    }

    /// A macro by example; its name keeps the `!`, so that it shares none with a function.
    pub(super) fn enter_macro(&mut self, node: NodeIndex, before: &Before) {
        let Some(name_node) = self.tree.child(node, Field::Name) else { return };
        let mut draft = self.draft(node, name_node, DeclKind::Macro, before);
        draft.decl.name = Name::from(format!("{}!", draft.decl.name));
        draft.claim.spellings = vec![Spelling::Part(draft.decl.name.clone())];
        let is_exported = before.attributes.iter().any(|attribute| attribute.starts_with("macro_export"));
        draft.decl.visibility = if is_exported { Visibility::Public } else { Visibility::Private };
        self.declare(draft);
    }

    /// Items inside a macro may be left out by it, as if they stood under `#[cfg]`, and belong to the
    /// attributes before it.
    pub(super) fn enter_macro_invocation(&mut self, node: NodeIndex, before: &Before) {
        let name = self.tree.child(node, Field::Macro).map_or("", |name| last_segment(self.text(name)));
        self.save_context(node);
        self.context.is_thread_local = name.ends_with("thread_local");
        let holds_data = matches!(name, "pin_project" | "thread_local" | "lazy_static");
        self.context.is_conditional |= !holds_data || before.is_conditional();
        self.context.is_test |= before.is_test();
    }

    /// Makes a declaration what the nodes below belong to. The caller saved the context.
    pub(super) fn enter_decl(&mut self, index: DeclIndex) {
        let flags = self.drafts[index.0 as usize].decl.flags;
        self.context.owner = Some(index);
        self.context.is_conditional = flags.is_conditional;
        self.context.is_test = flags.is_test;
    }

    fn owner_kind(&self) -> Option<DeclKind> {
        self.context.owner.map(|owner| self.drafts[owner.0 as usize].decl.kind)
    }

    /// A declaration with all that is read the same way for every kind.
    pub(super) fn draft(
        &self,
        node: NodeIndex,
        name_node: NodeIndex,
        kind: DeclKind,
        before: &Before,
    ) -> Draft {
        let name = plain_name(self.text(name_node));
        let decl = Decl {
            kind,
            name: name.clone(),
            qualname: Name::default(),
            owner: Name::default(),
            visibility: self.visibility(node),
            flags: self.flags(before),
            decorators: before.attributes.clone(),
            type_params: if kind == DeclKind::Variant { Vec::new() } else { self.types.type_params(node) },
            params: Vec::new(),
            returns: None,
            result: None,
            supertypes: Vec::new(),
            target: None,
            shape: Shape::Unit,
        };
        let text = self.decl_text(node, name_node, before);
        Draft { decl, text, owner: self.context.owner, claim: self.claim(name, kind), implements: None }
    }

    /// What a page shows of the declaration `node`.
    pub(super) fn decl_text(&self, node: NodeIndex, name_node: NodeIndex, before: &Before) -> DeclText {
        let place = self.tree.node(node);
        DeclText {
            line_start: self.lines.line(before.start.unwrap_or(place.start).min(place.start)),
            line_end: self.lines.last_line(place.start, place.end),
            name_line: self.lines.line(self.tree.node(name_node).start),
            signature: signature(&before.written(), &self.head(node), &folded(self.text(name_node))),
            doc: first_paragraph(&before.doc),
        }
    }

    /// The text of a declaration up to its body, comments left out.
    fn head(&self, node: NodeIndex) -> String {
        let is_body = |child: &NodeIndex| match self.kind(*child) {
            Kind::Block | Kind::DeclarationList | Kind::EnumVariantList => true,
            Kind::FieldDeclarationList => self.kind(node) != Kind::EnumVariant,
            _ => self.kind(node) == Kind::ClosureExpression && self.tree.node(*child).field == Field::Body,
        };
        let place = self.tree.node(node);
        let end = self.tree.children(node).find(is_body).map_or(place.end, |body| self.tree.node(body).start);
        let comments: Vec<_> = self
            .tree
            .subtree(node)
            .take_while(|inner| self.tree.node(*inner).start < end)
            .filter(|inner| self.kind(*inner).is_trivia())
            .map(|inner| (self.tree.node(inner).start..self.tree.node(inner).end, " "))
            .collect();
        let head = folded_with(self.source, place.start..end, &comments);
        head.trim_end_matches(';').trim_end().to_owned()
    }

    /// How a declaration is named, from the plain spelling to the one that tells most.
    pub(super) fn claim(&self, name: Name, kind: DeclKind) -> Claim {
        let part = |text: String| Spelling::Part(Name::from(text));
        let owner = self.context.owner.map(|index| (index, &self.drafts[index.0 as usize]));
        let Some((index, draft)) = owner else {
            return Claim { prefix: Prefix::Top, spellings: spellings(name, kind) };
        };
        let Some(implements) = &draft.implements else {
            return Claim { prefix: Prefix::Decl(index.0), spellings: spellings(name, kind) };
        };
        let mut spellings = vec![Spelling::Part(name.clone())];
        let mut telling = name.to_string();
        if let Some((trait_name, trait_text)) = &implements.of_trait {
            spellings.push(part(format!("{name}({trait_name})")));
            telling = format!("{name}({trait_text})");
            spellings.push(part(telling.clone()));
        }
        spellings.push(Spelling::Whole(Name::from(format!("{}.{telling}", implements.type_text))));
        let around = draft.owner.map(|index| index.0);
        Claim { prefix: Prefix::Text(around, implements.type_name.clone()), spellings }
    }

    /// Who may use an item.
    pub(super) fn visibility(&self, node: NodeIndex) -> Visibility {
        let written = self.tree.child_of_kind(node, Kind::VisibilityModifier);
        let owner = self.context.owner.map(|index| &self.drafts[index.0 as usize]);
        let is_of_trait = owner.is_some_and(|owner| {
            owner.decl.kind == DeclKind::Trait
                || owner.implements.as_ref().is_some_and(|implements| implements.of_trait.is_some())
        });
        match written {
            Some(written) => visibility_of(self.text(written)),
            None if is_of_trait => Visibility::Public,
            None => Visibility::Private,
        }
    }
}

fn spellings(name: Name, kind: DeclKind) -> Vec<Spelling> {
    // Functions and types have name spaces of their own, and modules share that of types; functions
    // keep the plain name.
    let telling = match kind {
        DeclKind::Module => Some(format!("{name}(mod)")),
        kind if kind.type_kind().is_some() => Some(format!("{name}(type)")),
        _ => None,
    };
    let plain = Spelling::Part(name);
    [plain].into_iter().chain(telling.map(|text| Spelling::Part(Name::from(text)))).collect()
}

fn visibility_of(text: &str) -> Visibility {
    let text = folded(text);
    match text.strip_prefix("pub") {
        Some("") => Visibility::Public,
        Some(rest) => Visibility::Restricted(Name::from(rest.trim().trim_matches(['(', ')']).trim())),
        None => Visibility::Restricted(Name::from(text)),
    }
}

/// A type as part of a name: without the spaces that mean nothing, and not longer than a name may be.
fn without_space(text: &str) -> String {
    let end = text.char_indices().nth(MAX_TYPE_IN_NAME).map_or(text.len(), |(at, _)| at);
    let folded = folded(&text[..end]);
    folded.replace(", ", ",").replace(" ,", ",").replace("< ", "<").replace(" >", ">").replace(" <", "<")
}

/// A type's name alone: the last segment of its path, references taken off; else how it is written.
fn type_name(ty: &TypeExpr, written: &str) -> Name {
    let mut ty = ty;
    loop {
        ty = match ty {
            TypeExpr::Ref(inner) => inner,
            TypeExpr::Dyn(bounds) | TypeExpr::Opaque(bounds) if !bounds.is_empty() => &bounds[0],
            TypeExpr::Path(segments) if !segments.is_empty() => {
                return segments[segments.len() - 1].name.clone();
            }
            _ => return Name::from(without_space(written).replace('.', "_")),
        }
    }
}

fn has_interior_mutability(ty: &TypeExpr) -> bool {
    let TypeExpr::Path(segments) = ty else { return false };
    segments.last().is_some_and(|last| {
        INTERIOR_MUTABILITY.contains(&last.name.as_str())
            || last.name.starts_with("Atomic")
            || matches!(last.name.as_str(), "Arc" | "Rc" | "Box")
                && last.args.iter().any(has_interior_mutability)
    })
}
