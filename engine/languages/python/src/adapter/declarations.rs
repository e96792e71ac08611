//! Functions, classes, lambdas bound to names and type aliases.

use bindery_facts::{
    BindingKind, Decl, DeclFlags, DeclIndex, DeclKind, DeclText, Expr, ExprIndex, Name, Param, ParamKind,
    ScopeIndex, ScopeKind, Shape, TypeExpr, Visibility,
};
use bindery_syntax::{NodeIndex, doc_comment, text};

use super::kinds::{Field, Kind, code_end, unparenthesized};
use super::reader::{Reader, Receiver};
use super::strings;
use super::type_comments;
use super::type_text::{type_expr, type_params};

/// A declaration while the file is read. Its qualname and owner are filled in at the end, when all
/// that share a name are known.
pub(super) struct DeclDraft {
    pub(super) decl: Decl,
    pub(super) text: DeclText,
    /// The declaration around it.
    pub(super) owner: Option<DeclIndex>,
    /// What tells a property's accessors apart: `get`, `set`, `del`.
    pub(super) accessor: Option<&'static str>,
    /// The values of its `return` statements.
    pub(super) returned: Vec<ExprIndex>,
    /// The values of its `yield` expressions.
    pub(super) yielded: Vec<ExprIndex>,
}

/// What decorators say about a function.
#[derive(Default)]
struct Decoration {
    accessor: Option<&'static str>,
    flags: DeclFlags,
}

impl Reader<'_> {
    // ---- Functions

    pub(super) fn open_function(&mut self, node: NodeIndex) {
        let outer = self.scope(node);
        let class = self.enclosing_class(outer);
        let decorators = self.decorators(node);
        let decoration = decoration(&decorators);
        let name = self.child_text(node, Field::Name);
        let params = self
            .child(node, Field::Parameters)
            .map(|list| self.parameters(list, class.is_some() && !decoration.flags.is_static));
        let mut decl = self.new_decl(function_kind(name, class.is_some(), &decoration), name);
        decl.flags = DeclFlags {
            is_async: self.is_async(node),
            is_class_method: decoration.flags.is_class_method || is_implicit_class_method(name, class),
            is_bodiless: decoration.flags.is_bodiless || self.is_stub(node),
            is_conditional: self.info(outer).is_conditional,
            is_test: name.starts_with("test_") && self.may_hold_tests(outer),
            ..decoration.flags
        };
        decl.decorators = decorators;
        decl.params = params.unwrap_or_default();
        decl.type_params = self
            .child(node, Field::TypeParameters)
            .map(|node| type_params(self.text(node)))
            .unwrap_or_default();
        decl.returns = self.child(node, Field::ReturnType).map(|node| type_expr(self.text(node)));
        self.read_type_comments(node, &mut decl);
        let accessor = decoration.accessor;
        let index = self.declare(node, node, decl, accessor);
        self.open_function_scope(node, index, class);
    }

    fn open_function_scope(&mut self, node: NodeIndex, index: DeclIndex, class: Option<DeclIndex>) {
        let outer = self.scope(node);
        let decl = &self.decls[index.0 as usize].decl;
        let is_class = decl.flags.is_class_method;
        let params = decl.params.clone();
        let first = params.first().filter(|first| first.kind == ParamKind::Receiver);
        let receiver =
            class.zip(first).map(|(class, first)| Receiver { name: first.name.clone(), class, is_class });
        let inner = self.open_scope(outer, ScopeKind::Function, Some(index), |scope, info| {
            info.names = scope;
            info.caller = Some(index);
            info.owner = Some(index);
            info.is_conditional = false;
            if receiver.is_some() {
                info.receiver = receiver;
            } else if info
                .receiver
                .as_ref()
                .is_some_and(|old| params.iter().any(|param| param.name == old.name))
            {
                info.receiver = None;
            }
        });
        self.inner_scopes.insert(node, inner);
        let at = self.child(node, Field::Body).map_or(self.start(node), |body| self.start(body));
        self.bind_parameters(inner, at, &params);
        let name = self.child_text(node, Field::Name);
        self.bind(outer, name, self.end(node), BindingKind::Decl(index));
    }

    fn bind_parameters(&mut self, scope: ScopeIndex, at: u32, params: &[Param]) {
        for (position, param) in params.iter().enumerate() {
            let (kind, ty) = match param.kind {
                ParamKind::Receiver => (BindingKind::Receiver, None),
                // The collection that the rest is in is for the rules to say.
                ParamKind::Variadic | ParamKind::KeywordVariadic => {
                    (BindingKind::Param(position as u32), None)
                }
                _ => (BindingKind::Param(position as u32), param.ty.clone()),
            };
            self.bind_value(scope, &param.name, at, kind, ty, None);
        }
    }

    /// The class whose body `scope` is, branches inside it included.
    pub(super) fn enclosing_class(&self, scope: ScopeIndex) -> Option<DeclIndex> {
        let names = &self.bodies.scopes[self.info(scope).names.0 as usize];
        if names.kind == ScopeKind::Type { names.decl } else { None }
    }

    /// Test frameworks look for functions at the top of a file and in classes.
    fn may_hold_tests(&self, scope: ScopeIndex) -> bool {
        let names = self.info(scope).names;
        names == ScopeIndex::FILE || self.bodies.scopes[names.0 as usize].kind == ScopeKind::Type
    }

    /// A body that is nothing but `...`, after a docstring perhaps.
    fn is_stub(&self, node: NodeIndex) -> bool {
        let Some(body) = self.child(node, Field::Body) else { return false };
        let statements = self.tree.children(body).filter(|statement| self.docstring(*statement).is_none());
        let mut ellipses = statements.map(|statement| self.text(statement) == "...");
        ellipses.next() == Some(true) && ellipses.next().is_none()
    }

    /// Types written as comments in a function's head.
    fn read_type_comments(&self, node: NodeIndex, decl: &mut Decl) {
        let (Some(list), Some(body)) = (self.child(node, Field::Parameters), self.child(node, Field::Body))
        else {
            return;
        };
        let is_param = |node: &NodeIndex| {
            !matches!(self.kind(*node), Kind::KeywordSeparator | Kind::PositionalSeparator | Kind::Error)
        };
        let ends: Vec<u32> = self.tree.children(list).filter(is_param).map(|param| self.end(param)).collect();
        let between = self.between(self.end(list), self.start(body));
        let Decl { params, returns, .. } = decl;
        type_comments::apply(self.source, params, &ends, between, returns);
    }

    // ---- Parameters

    /// Reads a parameter list; the first one is the receiver if `has_receiver`.
    fn parameters(&self, list: NodeIndex, has_receiver: bool) -> Vec<Param> {
        let mut params = Vec::new();
        let mut kind = ParamKind::Normal;
        for node in self.tree.children(list) {
            match self.kind(node) {
                Kind::KeywordSeparator => kind = ParamKind::Keyword,
                Kind::PositionalSeparator | Kind::Error => {}
                _ => {
                    let param = self.parameter(node, kind);
                    if param.kind == ParamKind::Variadic {
                        kind = ParamKind::Keyword;
                    }
                    params.push(param);
                }
            }
        }
        if let Some(first) =
            params.first_mut().filter(|first| has_receiver && first.kind == ParamKind::Normal)
        {
            first.kind = ParamKind::Receiver;
        }
        params
    }

    fn parameter(&self, node: NodeIndex, kind: ParamKind) -> Param {
        let named = match self.kind(node) {
            Kind::TypedParameter => self.tree.children(node).next(),
            _ => self.child(node, Field::Name),
        };
        let named = named.unwrap_or(node);
        let kind = match self.kind(named) {
            Kind::ListSplatPattern => ParamKind::Variadic,
            Kind::DictionarySplatPattern => ParamKind::KeywordVariadic,
            _ => kind,
        };
        let ty = self.child(node, Field::Type).map(|ty| self.text(ty));
        Param {
            name: text::folded(self.text(named).trim_start_matches('*').trim()).into(),
            kind,
            ty: ty.map(type_expr),
            type_text: ty.map(text::folded).unwrap_or_default().into(),
            has_default: self.child(node, Field::Value).is_some(),
        }
    }

    // ---- Classes

    pub(super) fn open_class(&mut self, node: NodeIndex) {
        let outer = self.scope(node);
        let name = self.child_text(node, Field::Name);
        let mut decl = self.new_decl(DeclKind::Class, name);
        decl.decorators = self.decorators(node);
        decl.flags.is_conditional = self.info(outer).is_conditional;
        decl.type_params = self
            .child(node, Field::TypeParameters)
            .map(|node| type_params(self.text(node)))
            .unwrap_or_default();
        decl.supertypes = self.supertypes(node);
        decl.flags.is_test = is_test_class(name, &decl.supertypes);
        let index = self.declare(node, node, decl, None);
        let inner = self.open_scope(outer, ScopeKind::Type, Some(index), |scope, info| {
            info.names = scope;
            info.owner = Some(index);
            info.is_conditional = false;
        });
        self.inner_scopes.insert(node, inner);
        self.bind(outer, name, self.end(node), BindingKind::Decl(index));
    }

    fn supertypes(&self, node: NodeIndex) -> Vec<TypeExpr> {
        let Some(list) = self.child(node, Field::Superclasses) else { return Vec::new() };
        let bases = self.tree.children(list).filter(|base| self.kind(*base) != Kind::KeywordArgument);
        bases.flat_map(|base| self.supertype(base)).collect()
    }

    /// A base class; those that `six.with_metaclass(Meta, A, B)` passes on are read as written.
    fn supertype(&self, base: NodeIndex) -> Vec<TypeExpr> {
        let callee = self.child(base, Field::Function).map(|callee| self.text(callee));
        match (self.child(base, Field::Arguments), callee) {
            (Some(arguments), Some(callee)) if callee.ends_with("with_metaclass") => {
                self.tree.children(arguments).skip(1).map(|base| type_expr(self.text(base))).collect()
            }
            _ => vec![type_expr(self.text(base))],
        }
    }

    // ---- Lambdas and aliases

    pub(super) fn open_lambda(&mut self, node: NodeIndex) {
        let outer = self.scope(node);
        let params =
            self.child(node, Field::Parameters).map(|list| self.parameters(list, false)).unwrap_or_default();
        let named =
            self.assignment_of(node).map(|assignment| self.declare_lambda(assignment, node, params.clone()));
        let inner = self.open_scope(outer, ScopeKind::Closure, named, |scope, info| {
            info.names = scope;
            info.caller = named.or(info.caller);
            info.owner = named.or(info.owner);
            if info.receiver.as_ref().is_some_and(|old| params.iter().any(|param| param.name == old.name)) {
                info.receiver = None;
            }
        });
        self.inner_scopes.insert(node, inner);
        match self.argument_position(node) {
            Some((call, arg)) => self.bind_expected_parameters(inner, node, &params, call, arg),
            None => self.bind_parameters(inner, self.start(node), &params),
        }
    }

    /// The callee and position that a lambda is an argument of.
    fn argument_position(&self, lambda: NodeIndex) -> Option<(ExprIndex, u32)> {
        let list = self.parent(lambda);
        let call = self.parent(list);
        if self.kind(list) != Kind::ArgumentList || self.kind(call) != Kind::Call {
            return None;
        }
        let position = self.tree.children(list).position(|argument| argument == lambda)?;
        Some((self.value(self.callee(call)?), position as u32))
    }

    /// Binds a lambda's parameters to what the function it is passed to calls it with.
    fn bind_expected_parameters(
        &mut self,
        scope: ScopeIndex,
        lambda: NodeIndex,
        params: &[Param],
        call: ExprIndex,
        arg: u32,
    ) {
        let at = self.start(lambda);
        for (position, param) in params.iter().enumerate() {
            let position = position as u32;
            let value = self.push(Expr::ClosureParam { call, arg, param: position });
            self.bind_value(scope, &param.name, at, BindingKind::Param(position), None, Some(value));
        }
    }

    /// The assignment that gives a lambda its name: `name = lambda …`.
    fn assignment_of(&self, lambda: NodeIndex) -> Option<NodeIndex> {
        let parent = self.parent(lambda);
        let is_value = self.tree.node(lambda).field == Field::Right && self.kind(parent) == Kind::Assignment;
        let target = self.child(parent, Field::Left).filter(|_| is_value)?;
        (self.kind(target) == Kind::Identifier).then_some(parent)
    }

    fn declare_lambda(&mut self, assignment: NodeIndex, lambda: NodeIndex, params: Vec<Param>) -> DeclIndex {
        let mut decl = self.new_decl(DeclKind::Closure, self.child_text(assignment, Field::Left));
        decl.params = params;
        decl.flags.is_conditional = self.info(self.scope(lambda)).is_conditional;
        self.declare(assignment, lambda, decl, None)
    }

    pub(super) fn read_type_alias(&mut self, node: NodeIndex) {
        let (Some(left), Some(right)) = (self.child(node, Field::Left), self.child(node, Field::Right))
        else {
            return;
        };
        let head = self.text(left);
        let (name, params) = head.split_at(head.find('[').unwrap_or(head.len()));
        let name = name.trim();
        let mut decl = self.new_decl(DeclKind::Alias, name);
        decl.type_params = type_params(params);
        decl.target = Some(type_expr(self.text(right)));
        let index = self.declare(node, node, decl, None);
        self.bind(self.scope(node), name, self.end(node), BindingKind::Decl(index));
    }

    // ---- What all have

    fn new_decl(&self, kind: DeclKind, name: &str) -> Decl {
        let is_private = name.starts_with('_') && !name.ends_with("__");
        Decl {
            kind,
            name: name.into(),
            qualname: Name::default(),
            owner: Name::default(),
            visibility: if is_private { Visibility::Private } else { Visibility::Public },
            flags: DeclFlags::default(),
            decorators: Vec::new(),
            type_params: Vec::new(),
            params: Vec::new(),
            returns: None,
            result: None,
            supertypes: Vec::new(),
            target: None,
            shape: Shape::Unit,
        }
    }

    /// Adds a declaration whose span is that of `node`, decorators included, and whose head is read
    /// off `head` (the same node, but for lambdas).
    fn declare(
        &mut self,
        node: NodeIndex,
        head: NodeIndex,
        decl: Decl,
        accessor: Option<&'static str>,
    ) -> DeclIndex {
        let parent = self.parent(node);
        let span = if self.kind(parent) == Kind::DecoratedDefinition { parent } else { node };
        let name_node = self.child(node, Field::Name).or(self.child(node, Field::Left)).unwrap_or(node);
        let doc = self.child(head, Field::Body).and_then(|body| self.tree.children(body).next());
        let doc = doc.filter(|_| self.kind(node) != Kind::Assignment).and_then(|first| self.docstring(first));
        let text = DeclText {
            line_start: self.line(span),
            line_end: self.lines.last_line(self.start(span), code_end(self.tree, node)),
            name_line: self.line(name_node),
            signature: text::signature("", &self.head(node, head), &decl.name),
            doc: doc.and_then(|doc| doc_comment::first_paragraph(&doc)),
        };
        let owner = self.info(self.scope(node)).owner;
        self.decls.push(DeclDraft { decl, text, owner, accessor, returned: Vec::new(), yielded: Vec::new() });
        DeclIndex(self.decls.len() as u32 - 1)
    }

    /// The text from the declaration's start to the last part of its head, without the colon.
    fn head(&self, node: NodeIndex, head: NodeIndex) -> String {
        let parts =
            [Field::Name, Field::TypeParameters, Field::Parameters, Field::ReturnType, Field::Superclasses];
        let ends = parts.iter().filter_map(|part| self.child(head, *part)).map(|part| self.end(part));
        let keyword_end = self.start(head) + "lambda".len() as u32;
        let end = match self.kind(head) {
            Kind::TypeAliasStatement => self.end(head),
            Kind::Lambda => ends.max().unwrap_or(keyword_end),
            _ => ends.max().unwrap_or(self.end(head)),
        };
        let range = self.start(node)..end;
        text::folded_with(self.source, range.clone(), &strings::comments(self.source, range))
    }

    /// Decorators as written, without `@`.
    fn decorators(&self, node: NodeIndex) -> Vec<Name> {
        let parent = self.parent(node);
        if self.kind(parent) != Kind::DecoratedDefinition {
            return Vec::new();
        }
        let decorators = self.tree.children(parent).filter(|child| self.kind(*child) == Kind::Decorator);
        decorators
            .map(|decorator| text::folded(self.text(decorator).trim_start_matches('@')).into())
            .collect()
    }

    /// The text of a statement that is nothing but a string.
    pub(super) fn docstring(&self, statement: NodeIndex) -> Option<String> {
        if self.kind(statement) != Kind::ExpressionStatement {
            return None;
        }
        let string = self.tree.children(statement).next().map(|inner| unparenthesized(self.tree, inner))?;
        match self.kind(string) {
            Kind::String => Some(strings::content(self.text(string))),
            Kind::ConcatenatedString => {
                let parts = self.tree.children(string).map(|part| strings::content(self.text(part)));
                Some(parts.collect::<String>())
            }
            _ => None,
        }
        .map(|doc| doc_comment::dedented(&doc))
    }
}

fn function_kind(name: &str, in_class: bool, decoration: &Decoration) -> DeclKind {
    match (in_class, decoration.accessor) {
        (true, Some("get")) => DeclKind::Getter,
        (true, Some(_)) => DeclKind::Setter,
        (true, None) if name == "__init__" => DeclKind::Constructor,
        (true, None) => DeclKind::Method,
        (false, _) => DeclKind::Function,
    }
}

/// `__new__`, `__init_subclass__` and `__class_getitem__` take the class without a decorator
/// (Data model, "Basic customization", "Customizing class creation", "Emulating generic types").
fn is_implicit_class_method(name: &str, class: Option<DeclIndex>) -> bool {
    class.is_some() && matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__")
}

fn is_test_class(name: &str, supertypes: &[TypeExpr]) -> bool {
    let derives = supertypes.iter().any(|base| match base {
        TypeExpr::Path(segments) => segments.last().is_some_and(|last| last.name.ends_with("TestCase")),
        _ => false,
    });
    derives || name.starts_with("Test")
}

fn decoration(decorators: &[Name]) -> Decoration {
    let mut decoration = Decoration::default();
    for decorator in decorators {
        let callee = decorator.split('(').next().unwrap_or_default().trim();
        let (owner, last) = callee.rsplit_once('.').unwrap_or(("", callee));
        match last {
            "staticmethod" => decoration.flags.is_static = true,
            "classmethod" | "abstractclassmethod" => decoration.flags.is_class_method = true,
            "abstractmethod" | "overload" => decoration.flags.is_bodiless = true,
            "setter" if !owner.is_empty() => decoration.accessor = Some("set"),
            "deleter" if !owner.is_empty() => decoration.accessor = Some("del"),
            "getter" if !owner.is_empty() => decoration.accessor = Some("get"),
            _ if is_property(last) => decoration.accessor = Some("get"),
            _ => {}
        }
    }
    decoration.flags.is_property = decoration.accessor == Some("get");
    decoration
}

/// Decorators that make a function read like an attribute: `property`, `cached_property`,
/// `abstractproperty`, `hybrid_property` and whatever else calls itself a property.
fn is_property(decorator: &str) -> bool {
    decorator.ends_with("property")
}
