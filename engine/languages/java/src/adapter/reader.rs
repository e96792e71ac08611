//! The walk: what is known at each place of a file, and which file of this folder deals with which kind
//! of node.

use bindery_facts::{
    Access, Binding, BindingKind, Bodies, Decl, DeclIndex, DeclText, Expr, ExprIndex, Exprs, Import, Name,
    Scope, ScopeIndex, ScopeKind, TypeExpr, VariableKind, Visibility,
};
use bindery_syntax::{NodeIndex, Spelling, Visitor, text::LineTable};
use rustc_hash::FxHashMap;

use super::kinds::{Field, JavaTree, Kind};

/// No expression was lowered for a node.
const NO_EXPR: u32 = u32::MAX;

/// A declaration while the file is read; its qualname and owner are filled in at the end.
pub(super) struct DeclDraft {
    pub(super) decl: Decl,
    pub(super) text: DeclText,
    /// The declaration around it.
    pub(super) owner: Option<DeclIndex>,
    /// How its last part is spelled, from the plain name to the most telling.
    pub(super) spellings: Vec<Spelling>,
}

/// A variable while the file is read.
pub(super) struct VariableDraft {
    pub(super) name: Name,
    pub(super) owner: DeclIndex,
    pub(super) kind: VariableKind,
    pub(super) ty: Option<TypeExpr>,
    pub(super) visibility: Visibility,
    pub(super) is_mutable: bool,
}

/// What holds in a scope beside what [`Scope`] says.
#[derive(Clone, Copy)]
pub(super) struct ScopeInfo {
    /// The function calls here belong to.
    pub(super) caller: Option<DeclIndex>,
    /// The innermost declaration around.
    pub(super) owner: Option<DeclIndex>,
    /// The scope of the innermost type body around; the file's if there is none.
    pub(super) type_scope: ScopeIndex,
    /// Whether a type body or function is around, so that declarations here are a function's own.
    pub(super) is_local: bool,
    /// The lambda whose body this is in, if no method stands between.
    pub(super) lambda: Option<NodeIndex>,
    /// The innermost `switch` around.
    pub(super) switch: Option<NodeIndex>,
}

/// Everything read so far.
pub(super) struct Reader<'s> {
    pub(super) source: &'s str,
    pub(super) tree: &'s JavaTree,
    pub(super) lines: LineTable,
    /// The scope each node's children are read in.
    inner: Vec<ScopeIndex>,
    expr_of: Vec<u32>,
    pub(super) infos: Vec<ScopeInfo>,
    pub(super) bodies: Bodies,
    pub(super) decls: Vec<DeclDraft>,
    /// The declaration each declaring node became.
    pub(super) decl_of: FxHashMap<NodeIndex, DeclIndex>,
    pub(super) imports: Vec<Import>,
    pub(super) package: Option<Name>,
    /// The documentation before the package declaration, which is the package's in `package-info.java`.
    pub(super) package_doc: Option<String>,
    pub(super) variables: Vec<VariableDraft>,
    /// The call sites whose calls are being read, innermost last.
    pub(super) open_sites: Vec<u32>,
    /// Names read or written outside callee position, candidates for accesses of fields.
    pub(super) name_accesses: Vec<Access>,
    /// The bindings of each lambda's parameters whose types the context decides.
    pub(super) open_params: FxHashMap<NodeIndex, Vec<u32>>,
    /// What the `return` statements of each lambda give.
    pub(super) lambda_results: FxHashMap<NodeIndex, Vec<ExprIndex>>,
    /// What the branches and `yield` statements of each `switch` give.
    pub(super) switch_results: FxHashMap<NodeIndex, Vec<ExprIndex>>,
    pub(super) is_entry_point: bool,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s str, tree: &'s JavaTree) -> Self {
        let file = Scope { parent: None, kind: ScopeKind::Module, decl: None };
        let mut exprs = Exprs::default();
        exprs.push(Expr::Unknown);
        let info = ScopeInfo {
            caller: None,
            owner: None,
            type_scope: ScopeIndex::FILE,
            is_local: false,
            lambda: None,
            switch: None,
        };
        Self {
            source,
            tree,
            lines: LineTable::new(source),
            inner: vec![ScopeIndex::FILE; tree.len() as usize],
            expr_of: vec![NO_EXPR; tree.len() as usize],
            infos: vec![info],
            bodies: Bodies { scopes: vec![file], exprs, ..Bodies::default() },
            decls: Vec::new(),
            decl_of: FxHashMap::default(),
            imports: Vec::new(),
            package: None,
            package_doc: None,
            variables: Vec::new(),
            open_sites: Vec::new(),
            name_accesses: Vec::new(),
            open_params: FxHashMap::default(),
            lambda_results: FxHashMap::default(),
            switch_results: FxHashMap::default(),
            is_entry_point: false,
        }
    }

    // ---- Reading the tree

    pub(super) fn kind(&self, node: NodeIndex) -> Kind {
        self.tree.kind(node)
    }

    pub(super) fn text(&self, node: NodeIndex) -> &'s str {
        self.tree.text(node, self.source)
    }

    pub(super) fn start(&self, node: NodeIndex) -> u32 {
        self.tree.node(node).start
    }

    pub(super) fn end(&self, node: NodeIndex) -> u32 {
        self.tree.node(node).end
    }

    pub(super) fn child(&self, node: NodeIndex, field: Field) -> Option<NodeIndex> {
        self.tree.child(node, field)
    }

    /// The text of the child that fills `field`; empty without one.
    pub(super) fn child_text(&self, node: NodeIndex, field: Field) -> &'s str {
        self.child(node, field).map(|child| self.text(child)).unwrap_or_default()
    }

    pub(super) fn parent(&self, node: NodeIndex) -> NodeIndex {
        self.tree.node(node).parent
    }

    pub(super) fn line(&self, node: NodeIndex) -> u32 {
        self.lines.line(self.start(node))
    }

    /// Whether a node's modifiers hold the keyword.
    pub(super) fn has_modifier(&self, node: NodeIndex, keyword: Kind) -> bool {
        let modifiers = self.tree.child_of_kind(node, Kind::Modifiers);
        modifiers.is_some_and(|modifiers| self.tree.child_of_kind(modifiers, keyword).is_some())
    }

    // ---- Scopes

    /// The scope a node stands in.
    pub(super) fn scope(&self, node: NodeIndex) -> ScopeIndex {
        self.inner[self.parent(node) as usize]
    }

    /// The scope a node's children are read in.
    pub(super) fn inner_scope(&self, node: NodeIndex) -> ScopeIndex {
        self.inner[node as usize]
    }

    pub(super) fn info(&self, scope: ScopeIndex) -> &ScopeInfo {
        &self.infos[scope.0 as usize]
    }

    /// Opens a scope; `change` turns what holds in the parent into what holds in it.
    pub(super) fn open_scope(
        &mut self,
        parent: ScopeIndex,
        kind: ScopeKind,
        decl: Option<DeclIndex>,
        change: impl FnOnce(ScopeIndex, &mut ScopeInfo),
    ) -> ScopeIndex {
        let scope = ScopeIndex(self.bodies.scopes.len() as u32);
        self.bodies.scopes.push(Scope { parent: Some(parent), kind, decl });
        let mut info = *self.info(parent);
        change(scope, &mut info);
        self.infos.push(info);
        scope
    }

    // ---- Expressions

    pub(super) fn push(&mut self, expr: Expr) -> ExprIndex {
        self.bodies.exprs.push(expr)
    }

    /// The expression a node was lowered to.
    pub(super) fn value(&self, node: NodeIndex) -> ExprIndex {
        match self.expr_of[node as usize] {
            NO_EXPR => ExprIndex(0),
            index => ExprIndex(index),
        }
    }

    pub(super) fn set_value(&mut self, node: NodeIndex, expr: ExprIndex) {
        self.expr_of[node as usize] = expr.0;
    }

    // ---- Bindings

    /// Binds a name in a scope from byte `at` on; gives the binding's number.
    pub(super) fn bind(
        &mut self,
        scope: ScopeIndex,
        name: &str,
        at: u32,
        kind: BindingKind,
        ty: Option<TypeExpr>,
        value: Option<ExprIndex>,
    ) -> u32 {
        self.bodies.bindings.push(Binding { scope, name: name.into(), at, kind, ty, value });
        self.bodies.bindings.len() as u32 - 1
    }
}

impl Visitor for Reader<'_> {
    fn enter(&mut self, node: NodeIndex) -> bool {
        let kind = self.kind(node);
        match kind {
            Kind::PackageDeclaration => return self.read_package(node),
            Kind::ImportDeclaration => return self.read_import(node),
            // Annotations are no calls, and nothing in them is one.
            Kind::MarkerAnnotation | Kind::Annotation => return false,
            _ if kind.declares_type() => self.open_type(node),
            _ if kind.declares_callable() => self.open_callable(node),
            Kind::EnumConstant => self.open_enum_constant(node),
            _ => {}
        }
        self.inner[node as usize] = self.scope_of_children(node);
        match kind {
            Kind::MethodInvocation
            | Kind::ObjectCreationExpression
            | Kind::ExplicitConstructorInvocation
            | Kind::EnumConstant => self.open_site(node),
            Kind::LambdaExpression => self.bind_lambda_parameters(node),
            Kind::FieldDeclaration | Kind::ConstantDeclaration => self.read_fields(node),
            _ => {}
        }
        true
    }

    fn exit(&mut self, node: NodeIndex) {
        match self.kind(node) {
            Kind::MethodInvocation
            | Kind::ObjectCreationExpression
            | Kind::ExplicitConstructorInvocation
            | Kind::EnumConstant => self.close_site(node),
            Kind::VariableDeclarator => self.read_declarator(node),
            Kind::Resource => self.read_resource(node),
            Kind::CatchFormalParameter => self.read_catch_parameter(node),
            Kind::InstanceofExpression => self.read_instanceof(node),
            Kind::TypePattern | Kind::RecordPatternComponent => self.read_pattern_variable(node),
            Kind::ReturnStatement => self.read_return(node),
            Kind::YieldStatement => self.read_yield(node),
            Kind::SwitchRule => self.read_switch_rule(node),
            _ => self.lower(node),
        }
    }
}
