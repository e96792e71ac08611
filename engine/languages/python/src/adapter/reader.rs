//! The walk: what is known at each place of a file, and which file of this folder deals with which
//! kind of node.

use bindery_facts::{
    Access, Binding, BindingKind, Bodies, DeclIndex, Expr, ExprIndex, Exprs, Import, Name, Scope, ScopeIndex,
    ScopeKind, TypeExpr, VariableKind,
};
use bindery_syntax::{NodeIndex, Visitor, text::LineTable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::DeclDraft;
use super::kinds::{Field, Kind, PythonTree};
use super::narrowing::Proof;

/// No expression was lowered for a node.
const NO_EXPR: u32 = u32::MAX;

/// The receiver of the method around a place.
#[derive(Clone)]
pub(super) struct Receiver {
    /// Its parameter's name.
    pub(super) name: Name,
    /// The class.
    pub(super) class: DeclIndex,
    /// Whether it is the class itself (`cls`).
    pub(super) is_class: bool,
}

/// What holds in a scope beside what [`Scope`] says.
#[derive(Clone)]
pub(super) struct ScopeInfo {
    /// The scope that names bound here belong to: file, class, function, lambda or comprehension.
    pub(super) names: ScopeIndex,
    /// The function calls here belong to.
    pub(super) caller: Option<DeclIndex>,
    /// The innermost declaration around.
    pub(super) owner: Option<DeclIndex>,
    /// Whether an `if` or `try` of the same function, class or file is around.
    pub(super) is_conditional: bool,
    /// The receiver of the innermost method around.
    pub(super) receiver: Option<Receiver>,
}

/// A variable before its value is cut out of the file's expressions.
pub(super) struct VariableDraft {
    pub(super) name: Name,
    pub(super) owner: Option<DeclIndex>,
    pub(super) kind: VariableKind,
    pub(super) ty: Option<TypeExpr>,
    pub(super) value: Option<ExprIndex>,
    pub(super) assigned_in: Option<DeclIndex>,
    /// Changes what was there before (`+=`, `global`), rather than setting it first.
    pub(super) is_change: bool,
    pub(super) is_conditional: bool,
}

/// Everything read so far.
pub(super) struct Reader<'s> {
    pub(super) source: &'s str,
    pub(super) tree: &'s PythonTree,
    pub(super) lines: LineTable,
    /// The scope each node's children are read in.
    scope_of: Vec<ScopeIndex>,
    expr_of: Vec<u32>,
    /// Scopes that some children of a node are read in, by that node.
    pub(super) inner_scopes: FxHashMap<NodeIndex, ScopeIndex>,
    pub(super) infos: Vec<ScopeInfo>,
    pub(super) bodies: Bodies,
    pub(super) decls: Vec<DeclDraft>,
    pub(super) imports: Vec<(Import, Option<DeclIndex>)>,
    pub(super) variables: Vec<VariableDraft>,
    pub(super) exports: Exports,
    /// The call sites whose calls are being read, innermost last.
    pub(super) open_sites: Vec<u32>,
    /// Names read or written outside callee position, candidates for accesses of module variables.
    pub(super) name_accesses: Vec<Access>,
    /// `global` and `nonlocal` names of each function.
    pub(super) globals: FxHashSet<(ScopeIndex, Name)>,
    pub(super) nonlocals: FxHashSet<(ScopeIndex, Name)>,
    /// What the conditions of the `if` statements around did not prove, by their `Choice` scope.
    pub(super) disproved: FxHashMap<ScopeIndex, Vec<Proof>>,
    /// How many annotations are around.
    pub(super) annotation_depth: u32,
    pub(super) is_entry_point: bool,
}

/// What the assignments to `__all__` say.
#[derive(Default)]
pub(super) struct Exports {
    pub(super) names: Option<Vec<Name>>,
    /// A part could not be read, so that the list is not complete.
    pub(super) is_open: bool,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s str, tree: &'s PythonTree) -> Self {
        let file = Scope { parent: None, kind: ScopeKind::Module, decl: None };
        let mut exprs = Exprs::default();
        exprs.push(Expr::Unknown);
        let info = ScopeInfo {
            names: ScopeIndex::FILE,
            caller: None,
            owner: None,
            is_conditional: false,
            receiver: None,
        };
        Self {
            source,
            tree,
            lines: LineTable::new(source),
            scope_of: vec![ScopeIndex::FILE; tree.len() as usize],
            expr_of: vec![NO_EXPR; tree.len() as usize],
            inner_scopes: FxHashMap::default(),
            infos: vec![info],
            bodies: Bodies { scopes: vec![file], exprs, ..Bodies::default() },
            decls: Vec::new(),
            imports: Vec::new(),
            variables: Vec::new(),
            exports: Exports::default(),
            open_sites: Vec::new(),
            name_accesses: Vec::new(),
            globals: FxHashSet::default(),
            nonlocals: FxHashSet::default(),
            disproved: FxHashMap::default(),
            annotation_depth: 0,
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

    /// The source text between two places.
    pub(super) fn between(&self, from: u32, to: u32) -> &'s str {
        self.source.get(from as usize..to as usize).unwrap_or_default()
    }

    /// Whether the construct starts with `async` (function, `for`, `with`, comprehension clause).
    pub(super) fn is_async(&self, node: NodeIndex) -> bool {
        self.text(node).strip_prefix("async").is_some_and(|rest| rest.starts_with(char::is_whitespace))
    }

    // ---- Scopes

    /// The scope a node stands in.
    pub(super) fn scope(&self, node: NodeIndex) -> ScopeIndex {
        self.scope_of[node as usize]
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
        let mut info = self.info(parent).clone();
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

    /// Binds a name in the scope, as seen from `at` on.
    pub(super) fn bind(&mut self, scope: ScopeIndex, name: &str, at: u32, kind: BindingKind) {
        self.bind_value(scope, name, at, kind, None, None);
    }

    pub(super) fn bind_value(
        &mut self,
        scope: ScopeIndex,
        name: &str,
        at: u32,
        kind: BindingKind,
        ty: Option<TypeExpr>,
        value: Option<ExprIndex>,
    ) {
        let scope = self.binding_scope(scope);
        self.bodies.bindings.push(Binding { scope, name: name.into(), at, kind, ty, value });
    }

    /// Names are never bound in a [`ScopeKind::Choice`] itself.
    fn binding_scope(&self, mut scope: ScopeIndex) -> ScopeIndex {
        while let Scope { kind: ScopeKind::Choice, parent: Some(parent), .. } =
            self.bodies.scopes[scope.0 as usize]
        {
            scope = parent;
        }
        scope
    }
}

impl Visitor for Reader<'_> {
    fn enter(&mut self, node: NodeIndex) -> bool {
        let scope = self.scope_of_children(node);
        self.scope_of[node as usize] = scope;
        match self.kind(node) {
            Kind::FunctionDefinition => self.open_function(node),
            Kind::ClassDefinition => self.open_class(node),
            Kind::Lambda => self.open_lambda(node),
            Kind::TypeAliasStatement => self.read_type_alias(node),
            Kind::IfStatement | Kind::MatchStatement => self.open_choice(node),
            Kind::Call => self.open_site(node),
            Kind::Type => self.annotation_depth += 1,
            Kind::ImportStatement
            | Kind::ImportFromStatement
            | Kind::FutureImportStatement
            | Kind::GlobalStatement
            | Kind::NonlocalStatement => return self.read_leaf_statement(node),
            kind if kind.is_comprehension() => self.open_comprehension(node),
            _ => {}
        }
        true
    }

    fn exit(&mut self, node: NodeIndex) {
        match self.kind(node) {
            Kind::Type => self.annotation_depth -= 1,
            Kind::IfStatement => self.close_if(node),
            Kind::MatchStatement => self.close_match(node),
            Kind::Assignment => self.read_assignment(node),
            Kind::AugmentedAssignment => self.read_augmented_assignment(node),
            Kind::NamedExpression => self.read_named_expression(node),
            Kind::ForInClause => self.read_for_in_clause(node),
            Kind::WithItem => self.read_with_item(node),
            Kind::ReturnStatement => self.read_return(node),
            Kind::DeleteStatement => self.read_delete(node),
            Kind::AssertStatement => self.read_assert(node),
            Kind::Yield => self.read_yield(node),
            Kind::CasePattern => self.read_case_pattern(node),
            _ => self.lower(node),
        }
    }
}
