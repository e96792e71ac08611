//! The walk: one pass over the tree that fills the facts.
//!
//! [`Reader`] enters and leaves every node once. On entering it declares, opens scopes and binds what is
//! known before the children; on leaving it lowers expressions, whose parts are lowered by then, and binds
//! what needed a value. `memo` holds what each node's expression became.

use bindery_facts::{
    Access, Binding, BindingKind, Bodies, CallSite, Decl, DeclIndex, DeclText, Expr, ExprIndex, Import, Name,
    Scope, ScopeIndex, ScopeKind, TypeExpr, Variable,
};
use bindery_syntax::{Claim, NodeIndex, Visitor, text::LineTable};
use rustc_hash::FxHashMap;

use super::docs::documentation;
use super::kinds::{Field, Kind, Tree};
use super::locals::Locals;
use super::types::Types;

/// A declaration before names are unique.
pub(super) struct Draft {
    pub(super) decl: Decl,
    pub(super) text: DeclText,
    pub(super) owner: Option<DeclIndex>,
    pub(super) claim: Claim,
}

/// Where the walk is.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) scope: ScopeIndex,
    /// The declaration that new ones stand in.
    pub(super) owner: Option<DeclIndex>,
    /// The function that calls belong to.
    pub(super) caller: Option<DeclIndex>,
}

/// The type and values of the last written constant of a group, which the following repeat.
pub(super) type Repeated = (Option<TypeExpr>, Vec<ExprIndex>);

/// The state of the walk.
pub(super) struct Reader<'t> {
    pub(super) tree: &'t Tree,
    pub(super) source: &'t str,
    pub(super) types: Types<'t>,
    pub(super) lines: LineTable,
    pub(super) context: Context,
    saved: Vec<(NodeIndex, Context)>,
    /// Comments since the last declaration.
    pub(super) comments: Vec<NodeIndex>,
    pub(super) memo: Vec<Option<ExprIndex>>,
    pub(super) drafts: Vec<Draft>,
    pub(super) imports: Vec<Import>,
    pub(super) variables: Vec<(Variable, Option<DeclIndex>)>,
    pub(super) bodies: Bodies,
    pub(super) locals: Locals,
    /// Call sites with their nodes, in the order they were left.
    pub(super) sites: Vec<(NodeIndex, CallSite)>,
    /// The site of each call node.
    pub(super) site_of: FxHashMap<NodeIndex, u32>,
    /// Accesses with their nodes, in the order they were left.
    pub(super) accesses: Vec<(NodeIndex, Access)>,
    /// The types declared at the file's top, by name.
    pub(super) top_types: FxHashMap<Name, DeclIndex>,
    /// The blocks that hold the methods of types declared in other files.
    pub(super) blocks: FxHashMap<Name, DeclIndex>,
    /// The constants of a group that later ones repeat.
    pub(super) repeated: Repeated,
    pub(super) package: Name,
    pub(super) doc: String,
}

impl<'t> Reader<'t> {
    /// Prepares to read a file.
    pub(super) fn new(tree: &'t Tree, source: &'t str) -> Self {
        let mut bodies = Bodies::default();
        bodies.scopes.push(Scope { parent: None, kind: ScopeKind::Module, decl: None });
        Self {
            tree,
            source,
            types: Types::new(tree, source),
            lines: LineTable::new(source),
            context: Context { scope: ScopeIndex::FILE, owner: None, caller: None },
            saved: Vec::new(),
            comments: Vec::new(),
            memo: vec![None; tree.len() as usize],
            drafts: Vec::new(),
            imports: Vec::new(),
            variables: Vec::new(),
            bodies,
            locals: Locals::default(),
            sites: Vec::new(),
            site_of: FxHashMap::default(),
            accesses: Vec::new(),
            top_types: FxHashMap::default(),
            blocks: FxHashMap::default(),
            repeated: (None, Vec::new()),
            package: Name::default(),
            doc: String::new(),
        }
    }

    /// The text of a node.
    pub(super) fn text(&self, node: NodeIndex) -> &'t str {
        self.tree.text(node, self.source)
    }

    /// The kind of a node.
    pub(super) fn kind(&self, node: NodeIndex) -> Kind {
        self.tree.kind(node)
    }

    /// The field a node fills in its parent.
    pub(super) fn field(&self, node: NodeIndex) -> Field {
        self.tree.node(node).field
    }

    /// The node around a node.
    pub(super) fn parent(&self, node: NodeIndex) -> NodeIndex {
        self.tree.node(node).parent
    }

    /// A node's children without comments.
    pub(super) fn parts(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + use<'t> {
        let tree = self.tree;
        tree.children(node).filter(move |child| tree.kind(*child) != Kind::Comment)
    }

    /// A node's children that fill a field.
    pub(super) fn fields(&self, node: NodeIndex, field: Field) -> Vec<NodeIndex> {
        self.parts(node).filter(|child| self.field(*child) == field).collect()
    }

    /// The parts of the expression list that fills a field, or the one expression that does.
    pub(super) fn listed(&self, node: NodeIndex, field: Field) -> Vec<NodeIndex> {
        match self.tree.child(node, field) {
            Some(list) if self.kind(list) == Kind::ExpressionList => self.parts(list).collect(),
            Some(single) => vec![single],
            None => Vec::new(),
        }
    }

    /// Adds an expression.
    pub(super) fn push(&mut self, expr: Expr) -> ExprIndex {
        self.bodies.exprs.push(expr)
    }

    /// Opens a scope that ends with `node`.
    pub(super) fn open_scope(&mut self, node: NodeIndex, kind: ScopeKind, decl: Option<DeclIndex>) {
        self.saved.push((node, self.context));
        let scopes = &mut self.bodies.scopes;
        scopes.push(Scope { parent: Some(self.context.scope), kind, decl });
        self.context.scope = ScopeIndex(scopes.len() as u32 - 1);
    }

    /// Whether the walk is inside a function or function literal.
    pub(super) fn is_local(&self) -> bool {
        self.bodies.scopes[self.context.scope.0 as usize].kind != ScopeKind::Module
    }

    /// Binds a name in the current scope; `_` binds nothing.
    pub(super) fn bind(
        &mut self,
        name: &str,
        at: u32,
        kind: BindingKind,
        ty: Option<TypeExpr>,
        value: Option<ExprIndex>,
    ) {
        if name == "_" || name.is_empty() {
            return;
        }
        let (scope, name) = (self.context.scope, Name::from(name));
        self.locals.declare(scope, name.clone(), self.bodies.bindings.len() as u32);
        self.bodies.bindings.push(Binding { scope, name, at, kind, ty, value });
    }

    /// The number of the binding that a name means here, if it is local.
    pub(super) fn binding_of(&self, name: &str) -> Option<u32> {
        self.locals.find(&self.bodies.scopes, self.context.scope, name)
    }

    /// The documentation of a declaration that begins with `node`.
    pub(super) fn take_doc(&mut self, node: NodeIndex) -> String {
        let comments = std::mem::take(&mut self.comments);
        documentation(self.tree, self.source, &comments, self.tree.node(node).start)
    }
}

impl Visitor for Reader<'_> {
    fn enter(&mut self, node: NodeIndex) -> bool {
        match self.kind(node) {
            Kind::Comment => {
                self.comments.push(node);
                return false;
            }
            Kind::PackageClause => {
                self.doc = self.take_doc(node);
                self.package = self.parts(node).next().map_or("", |name| self.text(name)).into();
                return false;
            }
            Kind::ImportSpec => {
                self.comments.clear();
                self.enter_import(node);
                return false;
            }
            Kind::FunctionDeclaration | Kind::MethodDeclaration => self.enter_function(node),
            Kind::TypeSpec | Kind::TypeAlias => self.enter_type(node),
            Kind::StructType => self.enter_struct(node),
            Kind::ConstDeclaration | Kind::VarDeclaration => self.repeated = (None, Vec::new()),
            kind => self.enter_statement(node, kind),
        }
        true
    }

    fn exit(&mut self, node: NodeIndex) {
        self.exit_expression(node);
        self.exit_statement(node);
        if self.saved.last().is_some_and(|(saved, _)| *saved == node) {
            let (_, context) = self.saved.pop().expect("the last was looked at");
            self.context = context;
        }
    }
}
