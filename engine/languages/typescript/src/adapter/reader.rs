//! The walk: what is known at each place of a file, and which file of this folder deals with which
//! kind of node.

use bindery_facts::{
    Access, Binding, BindingKind, Bodies, DeclIndex, Expr, ExprIndex, Exprs, Import, Language, Name, Scope,
    ScopeIndex, ScopeKind, TypeExpr, VariableKind, Visibility,
};
use bindery_syntax::{NodeIndex, Visitor, text::LineTable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::DeclDraft;
use super::kinds::{Field, Kind, Tree};

/// No expression was lowered for a node.
const NO_EXPR: u32 = u32::MAX;

/// What `this` is at a place: the class, interface or object, and whether it is the class itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Receiver {
    pub(super) decl: DeclIndex,
    pub(super) is_static: bool,
}

/// What holds in a scope beside what [`Scope`] says.
#[derive(Clone)]
pub(super) struct ScopeInfo {
    /// The function, class or file around: where `var` binds.
    pub(super) function: ScopeIndex,
    /// The function calls here belong to.
    pub(super) caller: Option<DeclIndex>,
    /// The innermost declaration around.
    pub(super) owner: Option<DeclIndex>,
    /// Whether names declared here belong to `owner`, so that other files may see them.
    pub(super) is_top: bool,
    /// What `this` is.
    pub(super) this: Option<Receiver>,
    /// What `this` is written to be.
    pub(super) this_type: Option<TypeExpr>,
}

/// A variable before its value is cut out of the file's expressions.
pub(super) struct VariableDraft {
    pub(super) name: Name,
    pub(super) owner: Option<DeclIndex>,
    pub(super) kind: VariableKind,
    pub(super) ty: Option<TypeExpr>,
    pub(super) value: Option<ExprIndex>,
    pub(super) assigned_in: Option<DeclIndex>,
    pub(super) visibility: Visibility,
}

/// Everything read so far.
pub(super) struct Reader<'s> {
    pub(super) language: Language,
    pub(super) source: &'s str,
    pub(super) tree: &'s Tree,
    pub(super) lines: LineTable,
    /// The scope each node stands in.
    scope_of: Vec<ScopeIndex>,
    expr_of: Vec<u32>,
    /// The scope the children of a node are read in, by that node.
    pub(super) inner_scopes: FxHashMap<NodeIndex, ScopeIndex>,
    pub(super) infos: Vec<ScopeInfo>,
    pub(super) bodies: Bodies,
    pub(super) decls: Vec<DeclDraft>,
    /// Imports, each with the declaration it stands in; none for what is exported.
    pub(super) imports: Vec<(Import, Option<DeclIndex>)>,
    pub(super) variables: Vec<VariableDraft>,
    /// Which object literals have functions, or objects with functions, among their properties.
    pub(super) holds_functions: Vec<bool>,
    /// The declarations of functions, classes and objects by node.
    pub(super) decl_of: FxHashMap<NodeIndex, DeclIndex>,
    /// Declarations by the scope and name they are bound under.
    pub(super) named: FxHashMap<(ScopeIndex, Name), DeclIndex>,
    /// The call sites whose calls are being read, innermost last.
    pub(super) open_sites: Vec<u32>,
    /// Names read or written outside callee position, candidates for accesses of module variables.
    pub(super) name_accesses: Vec<Access>,
    /// What each function gives back, by its scope.
    pub(super) returned: FxHashMap<ScopeIndex, Vec<ExprIndex>>,
    /// Assignments to plain names, by the scope they stand in.
    pub(super) assignments: Vec<(ScopeIndex, Name, ExprIndex)>,
    /// The object that `module.exports` and `exports` are.
    pub(super) exports: Option<DeclIndex>,
    /// The hidden owners of functions that are assigned to what has no declaration.
    pub(super) unnamed_owners: FxHashMap<Option<DeclIndex>, DeclIndex>,
    /// The prototypes of functions, and the objects their properties belong to, by function.
    pub(super) prototypes: FxHashMap<DeclIndex, DeclIndex>,
    pub(super) companions: FxHashMap<DeclIndex, DeclIndex>,
    /// Names that `export { … }` clauses without a source export as they are.
    pub(super) exported_names: FxHashSet<Name>,
    /// Whether the file has an import or export of its own, and so is a module.
    pub(super) is_module: bool,
    /// How many types are around.
    pub(super) type_depth: u32,
}

impl<'s> Reader<'s> {
    pub(super) fn new(language: Language, source: &'s str, tree: &'s Tree) -> Self {
        let file = Scope { parent: None, kind: ScopeKind::Module, decl: None };
        let mut exprs = Exprs::default();
        exprs.push(Expr::Unknown);
        let info = ScopeInfo {
            function: ScopeIndex::FILE,
            caller: None,
            owner: None,
            is_top: true,
            this: None,
            this_type: None,
        };
        Self {
            language,
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
            holds_functions: objects_with_functions(tree),
            decl_of: FxHashMap::default(),
            named: FxHashMap::default(),
            open_sites: Vec::new(),
            name_accesses: Vec::new(),
            returned: FxHashMap::default(),
            assignments: Vec::new(),
            exports: None,
            unnamed_owners: FxHashMap::default(),
            prototypes: FxHashMap::default(),
            companions: FxHashMap::default(),
            exported_names: FxHashSet::default(),
            is_module: false,
            type_depth: 0,
        }
    }

    // ---- Reading the tree

    pub(super) fn kind(&self, node: NodeIndex) -> Kind {
        self.tree.kind(node)
    }

    pub(super) fn field(&self, node: NodeIndex) -> Field {
        self.tree.node(node).field
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

    /// The words before a declaration's name or parameters: `static async`, `export default`.
    pub(super) fn has_word(&self, node: NodeIndex, before: NodeIndex, word: &str) -> bool {
        let head = self.between(self.start(node), self.start(before));
        head.split(|c: char| !c.is_alphanumeric()).any(|it| it == word)
    }

    // ---- Scopes

    /// The scope a node stands in.
    pub(super) fn scope(&self, node: NodeIndex) -> ScopeIndex {
        self.scope_of[node as usize]
    }

    pub(super) fn info(&self, scope: ScopeIndex) -> &ScopeInfo {
        &self.infos[scope.0 as usize]
    }

    /// Opens the scope that the children of `node` are read in; `change` turns what holds in the
    /// parent into what holds in it.
    pub(super) fn open_scope(
        &mut self,
        node: NodeIndex,
        kind: ScopeKind,
        decl: Option<DeclIndex>,
        change: impl FnOnce(ScopeIndex, &mut ScopeInfo),
    ) -> ScopeIndex {
        let parent = self.scope(node);
        let scope = ScopeIndex(self.bodies.scopes.len() as u32);
        self.bodies.scopes.push(Scope { parent: Some(parent), kind, decl });
        let mut info = self.info(parent).clone();
        if kind == ScopeKind::Block {
            info.is_top = false;
        }
        change(scope, &mut info);
        self.infos.push(info);
        self.inner_scopes.insert(node, scope);
        scope
    }

    /// Puts a node and all below it into another scope.
    pub(super) fn set_scope(&mut self, node: NodeIndex, scope: ScopeIndex) {
        self.scope_of[node as usize] = scope;
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

    /// Binds a name in a scope; it holds in all of it.
    pub(super) fn bind(
        &mut self,
        scope: ScopeIndex,
        name: &str,
        at: u32,
        kind: BindingKind,
        ty: Option<TypeExpr>,
        value: Option<ExprIndex>,
    ) {
        if let BindingKind::Decl(decl) = kind {
            self.named.insert((scope, name.into()), decl);
        }
        // What is declared at the top of a file, class or namespace is found among its members.
        if self.info(scope).is_top && !matches!(kind, BindingKind::Narrow) {
            return;
        }
        self.bodies.bindings.push(Binding { scope, name: name.into(), at, kind, ty, value });
    }

    /// The declaration that a name means at a place, if it was read already.
    pub(super) fn declared(&self, mut scope: ScopeIndex, name: &str) -> Option<DeclIndex> {
        loop {
            if let Some(decl) = self.named.get(&(scope, name.into())) {
                return Some(*decl);
            }
            scope = self.bodies.scopes[scope.0 as usize].parent?;
        }
    }
}

impl Visitor for Reader<'_> {
    fn enter(&mut self, node: NodeIndex) -> bool {
        let parent = self.parent(node);
        if parent != node {
            self.scope_of[node as usize] =
                self.inner_scopes.get(&parent).copied().unwrap_or_else(|| self.scope(parent));
        }
        self.enter_branch(node, parent);
        match self.kind(node) {
            kind if kind.is_function() => self.open_function(node),
            Kind::FunctionSignature => self.read_signature(node),
            kind if kind.is_class() => self.open_class(node),
            Kind::ClassStaticBlock => self.open_static_block(node),
            Kind::InterfaceDeclaration => self.open_interface(node),
            Kind::ObjectType => self.open_object_type(node),
            Kind::MethodSignature | Kind::AbstractMethodSignature => self.read_method_signature(node),
            Kind::PropertySignature => self.read_property_signature(node),
            Kind::TypeAliasDeclaration => self.open_alias(node),
            Kind::EnumDeclaration => self.read_enum(node),
            Kind::InternalModule | Kind::Module => self.open_namespace(node),
            kind if kind.is_field() => self.open_field(node),
            Kind::Object => self.open_object(node),
            Kind::CallExpression | Kind::NewExpression => self.open_site(node),
            Kind::JsxOpening | Kind::JsxSelfClosing => self.open_jsx_site(node),
            Kind::Decorator => self.open_decorator(node),
            Kind::StatementBlock
            | Kind::ForStatement
            | Kind::ForInStatement
            | Kind::CatchClause
            | Kind::SwitchBody => self.open_block(node),
            Kind::ImportStatement => {
                self.read_import(node);
                return false;
            }
            Kind::ImportAlias => {
                self.read_import_alias(node);
                return false;
            }
            Kind::ExportStatement => self.read_export(node),
            Kind::TypeAnnotation | Kind::TypeArguments | Kind::TypeParameters => self.type_depth += 1,
            _ => {}
        }
        true
    }

    fn exit(&mut self, node: NodeIndex) {
        match self.kind(node) {
            Kind::TypeAnnotation | Kind::TypeArguments | Kind::TypeParameters => self.type_depth -= 1,
            Kind::VariableDeclarator => self.read_declarator(node),
            Kind::ReturnStatement => self.read_return(node),
            Kind::IfStatement => self.read_guard(node),
            Kind::Decorator => self.close_decorator(node),
            Kind::JsxOpening | Kind::JsxSelfClosing => self.close_jsx_site(node),
            Kind::ExportStatement => self.close_export(node),
            kind if kind.is_field() => self.read_field(node),
            kind if kind.is_function() => self.close_function(node),
            _ => self.lower(node),
        }
    }
}

/// Finds the object literals with functions from the inside outwards.
fn objects_with_functions(tree: &Tree) -> Vec<bool> {
    let mut holds = vec![false; tree.len() as usize];
    for node in (0..tree.len()).rev() {
        let kind = tree.kind(node);
        let parent = tree.node(node).parent;
        let may_hold = matches!(kind, Kind::Object | Kind::ParenthesizedExpression);
        let is_value = kind.is_function_value() || kind == Kind::Class || (may_hold && holds[node as usize]);
        match tree.kind(parent) {
            Kind::ParenthesizedExpression if is_value => holds[parent as usize] = true,
            Kind::Object if kind == Kind::MethodDefinition => holds[parent as usize] = true,
            Kind::Pair if is_value && tree.node(node).field == Field::Value => {
                holds[tree.node(parent).parent as usize] = true;
            }
            _ => {}
        }
    }
    holds
}
