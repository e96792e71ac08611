//! What all declarations have: owner, span, head, doc comment; and functions of every form.

use bindery_facts::{
    BindingKind, Decl, DeclFlags, DeclIndex, DeclKind, DeclText, ExprIndex, Language, Name, ParamKind,
    ScopeIndex, ScopeKind, Shape, TypeExpr, Visibility,
};
use bindery_syntax::{NodeIndex, doc_comment, text};

use super::kinds::{Field, Kind};
use super::reader::{Reader, Receiver};
use super::types::unquoted;

/// The object that owns what is assigned to something without a declaration.
const UNNAMED: &str = "<unnamed>";

/// A declaration while the file is read. Its qualname and owner are filled in at the end, when all
/// that share a name are known.
pub(super) struct DeclDraft {
    pub(super) decl: Decl,
    pub(super) text: DeclText,
    /// The declaration whose member it is.
    pub(super) owner: Option<DeclIndex>,
    /// Has no name of its own and is left out of the names of what stands in it.
    pub(super) is_hidden: bool,
    /// What tells declarations of one name apart: `get`, `set`, `static`.
    pub(super) marks: Vec<&'static str>,
    /// The head of a function whose body stands at another declaration.
    pub(super) is_signature: bool,
    /// The values of its `return` statements.
    pub(super) returned: Vec<ExprIndex>,
}

/// How a function value gets its name.
pub(super) struct Naming {
    /// The name it is bound under.
    pub(super) name: Name,
    /// The statement or member whose span it has.
    pub(super) holder: NodeIndex,
    /// What names it: a declarator, pair, field or assignment.
    pub(super) binder: NodeIndex,
}

impl Reader<'_> {
    // ---- What all have

    pub(super) fn new_decl(&self, kind: DeclKind, name: &str) -> Decl {
        Decl {
            kind,
            name: name.into(),
            qualname: Name::default(),
            owner: Name::default(),
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
        }
    }

    /// The node whose span a declaration has: `export` and `declare` belong to it.
    pub(super) fn span_node(&self, mut node: NodeIndex) -> NodeIndex {
        loop {
            let parent = self.parent(node);
            let is_part = matches!(self.kind(parent), Kind::ExportStatement | Kind::AmbientDeclaration);
            if !is_part || parent == node {
                return node;
            }
            node = parent;
        }
    }

    /// Whether a declaration is exported where it stands: under its own name, or only as the default.
    pub(super) fn visibility(&self, span: NodeIndex) -> Visibility {
        match self.kind(span) {
            Kind::ExportStatement if self.is_default_export(span) => Visibility::Restricted("default".into()),
            Kind::ExportStatement => Visibility::Public,
            _ => Visibility::Private,
        }
    }

    /// The declaration that what is declared in `scope` is a member of. What stands in a block or in a
    /// function without a name is nobody's member.
    pub(super) fn owner_in(&mut self, scope: ScopeIndex) -> Option<DeclIndex> {
        if self.info(scope).is_top {
            return self.info(scope).owner;
        }
        let around = self.nearest_owner(scope);
        if self.bodies.scopes[scope.0 as usize].decl.is_some() {
            return around;
        }
        let hidden = self.hidden_decl(DeclKind::Scope, "<scope>", around);
        self.bodies.scopes[scope.0 as usize].decl = Some(hidden);
        Some(hidden)
    }

    /// The innermost declaration around a scope that names are looked up in.
    fn nearest_owner(&self, mut scope: ScopeIndex) -> Option<DeclIndex> {
        loop {
            let around = &self.bodies.scopes[scope.0 as usize];
            if around.decl.is_some() || self.info(scope).is_top {
                return around.decl.or(self.info(scope).owner);
            }
            scope = around.parent?;
        }
    }

    /// The hidden declaration that owns what has no name inside `owner`: functions that are assigned to
    /// what is declared nowhere.
    pub(super) fn unnamed_owner(&mut self, owner: Option<DeclIndex>) -> DeclIndex {
        if let Some(known) = self.unnamed_owners.get(&owner) {
            return *known;
        }
        let hidden = self.hidden_decl(DeclKind::Object, UNNAMED, owner);
        self.unnamed_owners.insert(owner, hidden);
        hidden
    }

    /// Declares an object or scope that has no name of its own.
    pub(super) fn hidden_decl(
        &mut self,
        kind: DeclKind,
        name: &'static str,
        owner: Option<DeclIndex>,
    ) -> DeclIndex {
        let mut decl = self.new_decl(kind, name);
        decl.visibility = Visibility::Private;
        self.push_decl(decl, DeclText::default(), owner, true)
    }

    fn push_decl(
        &mut self,
        decl: Decl,
        text: DeclText,
        owner: Option<DeclIndex>,
        is_hidden: bool,
    ) -> DeclIndex {
        self.decls.push(DeclDraft {
            decl,
            text,
            owner,
            is_hidden,
            marks: Vec::new(),
            is_signature: false,
            returned: Vec::new(),
        });
        DeclIndex(self.decls.len() as u32 - 1)
    }

    /// Adds a declaration that stands at `node`, with the span of `span` and a head that ends before
    /// `head_end`.
    pub(super) fn declare(
        &mut self,
        node: NodeIndex,
        span: NodeIndex,
        name_node: Option<NodeIndex>,
        head_end: u32,
        decl: Decl,
        owner: Option<DeclIndex>,
    ) -> DeclIndex {
        let start = self.first_decorator(span).unwrap_or_else(|| self.start(span));
        let head = text::folded(self.between(start, head_end.max(start)).trim_end());
        let head = head.trim_end_matches(['{', ';', ',']).trim_end();
        let text = DeclText {
            line_start: self.lines.line(start),
            line_end: self.lines.last_line(start, self.end(span)),
            name_line: name_node.map_or_else(|| self.line(node), |name| self.line(name)),
            signature: text::signature("", head, &decl.name),
            doc: self.doc_before(self.doc_start(span).unwrap_or(start)),
        };
        let index = self.push_decl(decl, text, owner, false);
        self.note_decl(node, index);
        index
    }

    /// Notes what a value is declared as, for whoever asks for it with the parentheses around it.
    pub(super) fn note_decl(&mut self, node: NodeIndex, decl: DeclIndex) {
        let around: Vec<NodeIndex> = self.with_parentheses(node).collect();
        self.decl_of.extend(around.into_iter().chain([node]).map(|node| (node, decl)));
    }

    /// Where the statement starts whose first declarator `span` is.
    fn doc_start(&self, span: NodeIndex) -> Option<u32> {
        let statement = self.parent(span);
        let is_first = self.kind(span) == Kind::VariableDeclarator
            && self.tree.child_of_kind(statement, Kind::VariableDeclarator) == Some(span);
        is_first.then(|| self.start(self.span_node(statement)))
    }

    /// Decorators of a class member stand beside it in its parent, before it.
    fn first_decorator(&self, span: NodeIndex) -> Option<u32> {
        let parent = self.parent(span);
        if self.kind(parent) != Kind::ClassBody {
            return None;
        }
        let mut first = None;
        for child in self.tree.children(parent) {
            if child == span {
                return first;
            }
            match self.kind(child) {
                Kind::Decorator => first = first.or(Some(self.start(child))),
                _ => first = None,
            }
        }
        None
    }

    /// Decorators as written, without `@`.
    pub(super) fn decorators(&self, node: NodeIndex) -> Vec<Name> {
        let span = self.span_node(node);
        let mut found = Vec::new();
        let text = |child: NodeIndex| Name::from(text::folded(self.text(child).trim_start_matches('@')));
        for holder in [span, node] {
            found.extend(
                self.tree.children(holder).filter(|child| self.kind(*child) == Kind::Decorator).map(text),
            );
            if span == node {
                break;
            }
        }
        if let Some(start) = self.first_decorator(node) {
            let before = self.tree.children(self.parent(node));
            let is_own = |child: &NodeIndex| {
                self.kind(*child) == Kind::Decorator && self.start(*child) >= start && *child < node
            };
            found.extend(before.filter(is_own).map(text));
        }
        found
    }

    /// The first paragraph of the `/** … */` that ends right before `start`.
    pub(super) fn doc_before(&self, start: u32) -> Option<String> {
        first_sentences(self.comment_before(start)?)
    }

    /// The inside of the `/** … */` that ends right before `start`.
    pub(super) fn comment_before(&self, start: u32) -> Option<&str> {
        let before = self.between(0, start).trim_end();
        let comment = before.strip_suffix("*/")?;
        let opening = comment.rfind("/*")?;
        comment[opening..].strip_prefix("/**")
    }

    // ---- Functions

    pub(super) fn open_function(&mut self, node: NodeIndex) {
        let named = match self.kind(node) {
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration => {
                Some(self.declare_function(node))
            }
            Kind::MethodDefinition => Some(self.declare_method(node)),
            _ => self.declare_function_value(node),
        };
        if let Some(named) = named.filter(|named| self.may_construct(node, *named)) {
            self.prototype(named);
        }
        let this = self.receiver_of(node, named);
        let this_type = self.written_receiver(node);
        let kind = if named.is_some() { ScopeKind::Function } else { ScopeKind::Closure };
        let inner = self.open_scope(node, kind, named, |scope, info| {
            info.function = scope;
            info.caller = named.or(info.caller);
            info.owner = named.or(info.owner);
            info.is_top = false;
            info.this = this;
            info.this_type = this_type;
        });
        if let (Some(decl), Some(name), true) =
            (named, self.child(node, Field::Name), self.kind(node).is_function_value())
        {
            self.bind(inner, self.text(name), 0, BindingKind::Decl(decl), None, None);
        }
        self.bind_parameters(node, inner);
    }

    /// Whether a function may be a constructor by the convention of JavaScript: its name has a capital.
    fn may_construct(&self, node: NodeIndex, named: DeclIndex) -> bool {
        let draft = &self.decls[named.0 as usize];
        self.language == Language::JavaScript
            && !matches!(self.kind(node), Kind::ArrowFunction | Kind::MethodDefinition)
            && draft.decl.name.starts_with(char::is_uppercase)
    }

    /// What `this` is inside a function: arrow functions have none of their own.
    fn receiver_of(&self, node: NodeIndex, named: Option<DeclIndex>) -> Option<Receiver> {
        let outer = self.info(self.scope(node));
        if self.kind(node) == Kind::ArrowFunction {
            return outer.this;
        }
        let named = named?;
        if let Some(prototype) = self.prototypes.get(&named) {
            return Some(Receiver { decl: *prototype, is_static: false });
        }
        let draft = &self.decls[named.0 as usize];
        let owner = draft.owner?;
        let holder = &self.decls[owner.0 as usize];
        let is_object = holder.decl.kind == DeclKind::Object && holder.decl.name != UNNAMED;
        let is_class = holder.decl.kind == DeclKind::Class;
        (is_object || is_class)
            .then_some(Receiver { decl: owner, is_static: is_class && draft.decl.flags.is_static })
    }

    /// The type of a `this` parameter, or of the object that a method's object literal is written to be.
    fn written_receiver(&self, node: NodeIndex) -> Option<TypeExpr> {
        let outer = self.info(self.scope(node));
        if self.kind(node) == Kind::ArrowFunction {
            return outer.this_type.clone();
        }
        let list = self.child(node, Field::Parameters);
        let first = list.and_then(|list| self.tree.children(list).next());
        if let Some(this) = first.filter(|first| self.is_this_param(*first)) {
            return Some(self.annotated(this).unwrap_or(TypeExpr::Unknown));
        }
        let member = if self.kind(node) == Kind::MethodDefinition { node } else { self.parent(node) };
        let object = self.parent(member);
        let is_member = self.kind(object) == Kind::Object
            && matches!(self.kind(member), Kind::Pair | Kind::MethodDefinition);
        if is_member { self.expected_object(object) } else { None }
    }

    /// What an object literal is written to be, by the variable it is the value of. What it is passed
    /// to decides elsewhere, and is not followed.
    fn expected_object(&self, object: NodeIndex) -> Option<TypeExpr> {
        let holder = self.parent(object);
        match self.kind(holder) {
            Kind::VariableDeclarator => self.annotated(holder),
            kind if kind.is_field() => self.annotated(holder),
            Kind::Arguments | Kind::AsExpression | Kind::SatisfiesExpression => Some(TypeExpr::Unknown),
            _ => None,
        }
    }

    /// The head of a function from its start to its body.
    fn head_end(&self, node: NodeIndex) -> u32 {
        self.child(node, Field::Body).map_or(self.end(node), |body| self.start(body))
    }

    fn function_decl(&mut self, kind: DeclKind, name: &str, node: NodeIndex) -> Decl {
        let mut decl = self.new_decl(kind, name);
        decl.params = self.parameters(node);
        decl.type_params = self.type_params(node);
        decl.returns = self.child(node, Field::ReturnType).map(|ty| self.type_of(ty));
        let doc = self.function_doc(node);
        for param in decl.params.iter_mut().filter(|param| param.ty.is_none()) {
            param.ty = doc.param(&param.name).filter(|_| param.kind == ParamKind::Normal);
        }
        decl.returns = decl.returns.or(doc.returns);
        let before = self.child(node, Field::Parameters).or(self.child(node, Field::Parameter));
        let before = self.child(node, Field::Name).or(before).unwrap_or(node);
        decl.flags.is_async = self.has_word(node, before, "async");
        decl.flags.is_generator = match self.kind(node) {
            Kind::GeneratorFunctionDeclaration | Kind::GeneratorFunction => true,
            Kind::MethodDefinition => {
                self.between(self.start(node), self.start(before)).trim_end().ends_with('*')
            }
            _ => false,
        };
        decl
    }

    fn declare_function(&mut self, node: NodeIndex) -> DeclIndex {
        let scope = self.scope(node);
        let name_node = self.child(node, Field::Name);
        let name = name_node.map_or("default", |name| self.text(name));
        let span = self.span_node(node);
        let mut decl = self.function_decl(DeclKind::Function, name, node);
        decl.visibility = self.visibility(span);
        let owner = self.owner_in(scope);
        let index = self.declare(node, span, name_node, self.head_end(node), decl, owner);
        self.bind(scope, name, 0, BindingKind::Decl(index), None, None);
        index
    }

    /// `function f(a: A): B;` — the head of an overload, or of a function declared elsewhere.
    pub(super) fn read_signature(&mut self, node: NodeIndex) {
        let scope = self.scope(node);
        let Some(name_node) = self.child(node, Field::Name) else { return };
        let name = self.text(name_node);
        let span = self.span_node(node);
        let mut decl = self.function_decl(DeclKind::Function, name, node);
        decl.visibility = self.visibility(span);
        decl.flags.is_bodiless = true;
        let owner = self.owner_in(scope);
        let index = self.declare(node, span, Some(name_node), self.end(node), decl, owner);
        self.decls[index.0 as usize].is_signature = true;
        if self.declared(scope, name).is_none() {
            self.bind(scope, name, 0, BindingKind::Decl(index), None, None);
        }
    }

    // ---- Members

    /// The name of a member as look-ups spell it; computed names are kept as written.
    pub(super) fn member_name(&self, node: NodeIndex) -> Option<(NodeIndex, Name)> {
        let name = self.child(node, Field::Name).or(self.child(node, Field::Property))?;
        let name = if self.kind(node) == Kind::Pair { self.child(node, Field::Key)? } else { name };
        Some((name, self.key_text(name)))
    }

    pub(super) fn key_text(&self, key: NodeIndex) -> Name {
        match self.kind(key) {
            Kind::String => unquoted(self.text(key)).into(),
            _ => text::folded(self.text(key)).into(),
        }
    }

    fn declare_method(&mut self, node: NodeIndex) -> DeclIndex {
        let (name_node, name) = match self.member_name(node) {
            Some((node, name)) => (Some(node), name),
            None => (None, Name::default()),
        };
        let before = name_node.unwrap_or(node);
        let in_class = self.kind(self.parent(node)) == Kind::ClassBody;
        let is_static = in_class && self.has_word(node, before, "static");
        let accessor = ["get", "set"].into_iter().find(|word| self.has_word(node, before, word));
        let kind = match accessor {
            Some("get") => DeclKind::Getter,
            Some(_) => DeclKind::Setter,
            None if in_class && !is_static && name == "constructor" => DeclKind::Constructor,
            None => DeclKind::Method,
        };
        let mut decl = self.function_decl(kind, &name, node);
        decl.flags.is_static = is_static;
        decl.flags.is_property = accessor == Some("get");
        decl.decorators = self.decorators(node);
        decl.visibility = self.member_visibility(node, &name);
        let owner = self.info(self.scope(node)).owner;
        let index = self.declare(node, node, name_node, self.head_end(node), decl, owner);
        self.mark(index, is_static, accessor);
        index
    }

    fn mark(&mut self, index: DeclIndex, is_static: bool, accessor: Option<&'static str>) {
        let marks = &mut self.decls[index.0 as usize].marks;
        marks.extend(is_static.then_some("static"));
        marks.extend(accessor);
    }

    pub(super) fn member_visibility(&self, node: NodeIndex, name: &str) -> Visibility {
        let written = self.tree.child_of_kind(node, Kind::AccessibilityModifier);
        match written.map(|modifier| self.text(modifier)) {
            Some("private") => Visibility::Private,
            Some("protected") => Visibility::Restricted("protected".into()),
            _ if name.starts_with('#') => Visibility::Private,
            _ => Visibility::Public,
        }
    }

    /// `m(a: A): B;` in a class, interface or object type.
    pub(super) fn read_method_signature(&mut self, node: NodeIndex) {
        let Some((name_node, name)) = self.member_name(node) else { return };
        let is_static = self.has_word(node, name_node, "static");
        let accessor = ["get", "set"].into_iter().find(|word| self.has_word(node, name_node, word));
        let in_class = self.kind(self.parent(node)) == Kind::ClassBody;
        let kind = match accessor {
            Some("get") => DeclKind::Getter,
            Some(_) => DeclKind::Setter,
            None if in_class && name == "constructor" => DeclKind::Constructor,
            None => DeclKind::Method,
        };
        let mut decl = self.function_decl(kind, &name, node);
        decl.flags.is_bodiless = true;
        decl.flags.is_static = is_static;
        decl.flags.is_property = accessor == Some("get");
        decl.visibility = self.member_visibility(node, &name);
        let owner = self.info(self.scope(node)).owner;
        let index = self.declare(node, node, Some(name_node), self.end(node), decl, owner);
        self.mark(index, is_static, accessor);
        let draft = &mut self.decls[index.0 as usize];
        draft.is_signature = accessor.is_none();
    }

    // ---- Function values

    fn declare_function_value(&mut self, node: NodeIndex) -> Option<DeclIndex> {
        let naming = self.naming(node);
        let own_name = self.child(node, Field::Name);
        let (holder, name) = match (&naming, own_name) {
            (Some(naming), None) => (naming.holder, naming.name.clone()),
            (Some(naming), Some(own)) => (naming.holder, self.text(own).into()),
            (None, Some(own)) => (node, self.text(own).into()),
            (None, None) => return None,
        };
        let is_field = naming.as_ref().is_some_and(|naming| self.kind(naming.binder).is_field());
        let mut decl = self.function_decl(DeclKind::Closure, &name, node);
        if decl.returns.is_none() {
            // What the variable is written to be says what a call gives.
            let written = naming.as_ref().and_then(|naming| self.annotated(naming.binder));
            decl.returns = written.map(super::types::result_of);
        }
        let scope = self.scope(node);
        let place = match &naming {
            Some(naming) => self.place_of_value(node, naming, scope),
            None => {
                let owner = self.info(scope).owner;
                Placed::unlisted(self.unnamed_owner(owner))
            }
        };
        decl.flags.is_static = place.is_static;
        decl.visibility = match &naming {
            Some(naming) if is_field => self.member_visibility(naming.binder, &name),
            Some(naming) => self.visibility(naming.holder),
            None => Visibility::Private,
        };
        let name_node = own_name.or_else(|| naming.as_ref().and_then(|naming| self.name_node(naming.binder)));
        let mut owner = place.owner;
        let bound_name = naming.as_ref().map(|naming| naming.name.clone());
        let is_renamed = bound_name.as_ref().is_some_and(|bound| *bound != name);
        if is_renamed && place.is_listed {
            owner = Some(self.unnamed_owner(owner));
        }
        let index = self.declare(node, holder, name_node, self.head_end(node), decl, owner);
        if place.is_static {
            self.mark(index, true, None);
        }
        if let Some(bound) = bound_name {
            if is_renamed && place.is_listed {
                self.alias_variable(place.owner, bound.clone(), index);
            }
            if place.is_bound {
                self.bind(place.scope, &bound, 0, BindingKind::Decl(index), None, None);
            }
        }
        Some(index)
    }

    /// The parentheses around an expression, from the inside out.
    fn with_parentheses(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let around = |node: &NodeIndex| {
            let parent = self.parent(*node);
            (self.kind(parent) == Kind::ParenthesizedExpression).then_some(parent)
        };
        std::iter::successors(around(&node), around)
    }

    fn name_node(&self, binder: NodeIndex) -> Option<NodeIndex> {
        let left = self.child(binder, Field::Left);
        let member = left.and_then(|left| self.child(left, Field::Property)).or(left);
        member
            .or_else(|| self.child(binder, Field::Name))
            .or_else(|| self.child(binder, Field::Key))
            .or_else(|| self.child(binder, Field::Property))
    }

    /// What gives a function or class value its name: the declarator, property, field, assignment or
    /// default export whose whole value it is. Parentheses do not count (ECMAScript, *IsFunctionDefinition*).
    pub(super) fn naming(&self, node: NodeIndex) -> Option<Naming> {
        let value = self.with_parentheses(node).last().unwrap_or(node);
        let binder = self.parent(value);
        let field = self.field(value);
        let naming = |name: Name, holder| Some(Naming { name, holder, binder });
        match self.kind(binder) {
            Kind::VariableDeclarator if field == Field::Value => {
                let target = self.child(binder, Field::Name)?;
                if self.kind(target) != Kind::Identifier {
                    return None;
                }
                let statement = self.parent(binder);
                let declarators = self.tree.children(statement);
                let is_only =
                    declarators.filter(|child| self.kind(*child) == Kind::VariableDeclarator).count() == 1;
                let in_for = self.kind(self.parent(statement)) == Kind::ForStatement;
                let holder = if is_only && !in_for { self.span_node(statement) } else { binder };
                naming(self.text(target).into(), holder)
            }
            kind if kind.is_field() && field == Field::Value => naming(self.member_name(binder)?.1, binder),
            Kind::Pair if field == Field::Value => {
                naming(self.key_text(self.child(binder, Field::Key)?), binder)
            }
            Kind::AssignmentExpression if field == Field::Right => {
                let left = self.child(binder, Field::Left)?;
                let name = match self.kind(left) {
                    Kind::MemberExpression => self.child_text(left, Field::Property).into(),
                    _ => text::folded(self.text(left)).into(),
                };
                let statement = self.parent(binder);
                let is_statement = self.kind(statement) == Kind::ExpressionStatement;
                naming(name, if is_statement { statement } else { node })
            }
            Kind::ExportStatement if matches!(field, Field::Value | Field::Declaration) => {
                naming("default".into(), self.span_of_default(node, binder))
            }
            _ => None,
        }
    }

    /// A class or function value that is exported by default: the statement, as for declarations.
    fn span_of_default(&self, node: NodeIndex, statement: NodeIndex) -> NodeIndex {
        match self.kind(node) {
            Kind::ArrowFunction => node,
            _ => statement,
        }
    }
}

/// Where a function value belongs.
pub(super) struct Placed {
    /// The declaration it is a member of.
    pub(super) owner: Option<DeclIndex>,
    /// Whether it is found there under the name it is bound to.
    pub(super) is_listed: bool,
    pub(super) is_static: bool,
    /// Whether a local name is bound to it, and in which scope.
    pub(super) is_bound: bool,
    pub(super) scope: ScopeIndex,
}

impl Placed {
    pub(super) fn unlisted(owner: DeclIndex) -> Self {
        Self {
            owner: Some(owner),
            is_listed: false,
            is_static: false,
            is_bound: false,
            scope: ScopeIndex::FILE,
        }
    }

    pub(super) fn member(owner: Option<DeclIndex>, is_static: bool) -> Self {
        Self { owner, is_listed: true, is_static, is_bound: false, scope: ScopeIndex::FILE }
    }
}

fn first_sentences(inside: &str) -> Option<String> {
    let plain = doc_comment::without_stars(inside);
    let described: Vec<&str> = plain.lines().take_while(|line| !line.trim_start().starts_with('@')).collect();
    doc_comment::first_paragraph(&described.join("\n"))
}
