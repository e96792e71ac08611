//! The walk: one pass over the tree that fills the facts.
//!
//! [`Reader`] enters and leaves every node once. On entering it declares items, opens scopes and binds
//! what is known before the children; on leaving it lowers expressions, whose parts are lowered by
//! then, and binds what needed a value. `memo` holds what each node's expression became.

use std::sync::Arc;

use bindery_facts::{
    Access, Binding, BindingKind, Bodies, CallSite, Decl, DeclFlags, DeclIndex, DeclKind, DeclText, Expr,
    ExprIndex, FileFacts, Import, Language, Name, Scope, ScopeIndex, ScopeKind, Summary, TypeExpr, Variable,
};
use bindery_syntax::{
    Claim, NodeIndex, Visitor, doc_comment::leading_paragraphs, text::LineTable, unique_qualnames,
};

use rustc_hash::FxHashMap;

use super::{
    attributes::{Before, file_marks, head_doc, is_test_cfg},
    kinds::{Kind, Tree},
    prune::prune,
    types::Types,
};

/// A declaration before names are unique.
pub(super) struct Draft {
    pub(super) decl: Decl,
    pub(super) text: DeclText,
    pub(super) owner: Option<DeclIndex>,
    pub(super) claim: Claim,
    /// For an `impl`: how its members are spelled.
    pub(super) implements: Option<Box<Implements>>,
}

/// How the members of an `impl` are spelled and told apart.
pub(super) struct Implements {
    /// The self type's name alone.
    pub(super) type_name: Name,
    /// The self type as written.
    pub(super) type_text: Name,
    /// The trait's name alone and as written.
    pub(super) of_trait: Option<(Name, Name)>,
}

/// Where the walk is.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) scope: ScopeIndex,
    /// The declaration that new ones stand in.
    pub(super) owner: Option<DeclIndex>,
    /// The function that calls belong to.
    pub(super) caller: Option<DeclIndex>,
    pub(super) is_conditional: bool,
    pub(super) is_test: bool,
    /// Inside `thread_local!`, where a static's type is wrapped.
    pub(super) is_thread_local: bool,
}

/// What a node's expression became.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lowered {
    /// Nothing yet, or it is no expression.
    Not,
    /// It never gives a value (`return`, `panic!()`).
    Diverges,
    /// An expression.
    To(ExprIndex),
}

/// The state of the walk.
pub(super) struct Reader<'t> {
    pub(super) tree: &'t Tree,
    pub(super) source: &'t str,
    pub(super) types: Types<'t>,
    pub(super) lines: LineTable,
    pub(super) context: Context,
    saved: Vec<(NodeIndex, Context)>,
    pending: Vec<NodeIndex>,
    pub(super) memo: Vec<Lowered>,
    pub(super) drafts: Vec<Draft>,
    pub(super) imports: Vec<(Import, Option<DeclIndex>)>,
    pub(super) variables: Vec<(Variable, Option<DeclIndex>)>,
    pub(super) bodies: Bodies,
    /// Call sites with their nodes, in the order they were left.
    pub(super) sites: Vec<(NodeIndex, CallSite)>,
    /// The site of each call node.
    pub(super) site_of: FxHashMap<NodeIndex, u32>,
    /// Accesses with their nodes, in the order they were left.
    pub(super) accesses: Vec<(NodeIndex, Access)>,
    /// For each name that a `let x;` declares: its bindings from there on, and whether they were such.
    pub(super) unassigned: FxHashMap<Name, Vec<(u32, bool)>>,
    /// What `break` gives each `loop`.
    pub(super) broken_with: FxHashMap<NodeIndex, Vec<ExprIndex>>,
    /// For each argument list with closures: how far they were counted, and how many parts there were.
    pub(super) searched: FxHashMap<NodeIndex, (NodeIndex, u32)>,
    has_main: bool,
}

impl<'t> Reader<'t> {
    /// Prepares to read a file.
    pub(super) fn new(tree: &'t Tree, source: &'t str) -> Self {
        let mut bodies = Bodies::default();
        bodies.scopes.push(Scope { parent: None, kind: ScopeKind::Module, decl: None });
        Self {
            tree,
            source,
            types: Types { tree, source },
            lines: LineTable::new(source),
            context: Context {
                scope: ScopeIndex::FILE,
                owner: None,
                caller: None,
                is_conditional: false,
                is_test: false,
                is_thread_local: false,
            },
            saved: Vec::new(),
            pending: Vec::new(),
            memo: vec![Lowered::Not; tree.len() as usize],
            drafts: Vec::new(),
            imports: Vec::new(),
            variables: Vec::new(),
            bodies,
            sites: Vec::new(),
            site_of: FxHashMap::default(),
            accesses: Vec::new(),
            unassigned: FxHashMap::default(),
            broken_with: FxHashMap::default(),
            searched: FxHashMap::default(),
            has_main: false,
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

    /// The node around a node.
    pub(super) fn parent(&self, node: NodeIndex) -> NodeIndex {
        self.tree.node(node).parent
    }

    /// A node's children without comments and attributes.
    pub(super) fn parts(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + use<'t> {
        let tree = self.tree;
        tree.children(node).filter(move |child| !tree.kind(*child).is_trivia())
    }

    /// Adds an expression.
    pub(super) fn push(&mut self, expr: Expr) -> ExprIndex {
        self.bodies.exprs.push(expr)
    }

    /// Keeps the context until `node` is left, when it comes back.
    pub(super) fn save_context(&mut self, node: NodeIndex) {
        self.saved.push((node, self.context));
    }

    /// Opens a scope that ends with `node`.
    pub(super) fn open_scope(&mut self, node: NodeIndex, kind: ScopeKind, decl: Option<DeclIndex>) {
        self.save_context(node);
        let scopes = &mut self.bodies.scopes;
        scopes.push(Scope { parent: Some(self.context.scope), kind, decl });
        self.context.scope = ScopeIndex(scopes.len() as u32 - 1);
    }

    /// The `let x;` that an assignment to a name gives a value: the last binding of the name around, if it is one.
    pub(super) fn assigned_later(&mut self, name: &Name) -> Option<u32> {
        let Self { unassigned, bodies, context, .. } = self;
        let bound = unassigned.get_mut(name)?;
        loop {
            let (number, is_unassigned) = bound.last().copied()?;
            match crossed(&bodies.scopes, bodies.bindings[number as usize].scope, context.scope) {
                // Its scope has ended.
                None => drop(bound.pop()),
                // An item inside a function does not see the function's variables.
                Some(is_in_item) => return Some(number).filter(|_| is_unassigned && !is_in_item),
            }
        }
    }

    /// Whether the walk is inside a function's body, where declarations are bound like locals.
    pub(super) fn is_local(&self) -> bool {
        let kind = self.bodies.scopes[self.context.scope.0 as usize].kind;
        matches!(kind, ScopeKind::Function | ScopeKind::Closure | ScopeKind::Block)
    }

    /// Binds a name in the current scope.
    pub(super) fn bind(
        &mut self,
        name: Name,
        at: u32,
        kind: BindingKind,
        ty: Option<TypeExpr>,
        value: Option<ExprIndex>,
    ) {
        let number = self.bodies.bindings.len() as u32;
        if let Some(bound) = self.unassigned.get_mut(&name) {
            bound.push((number, false));
        }
        self.bodies.bindings.push(Binding { scope: self.context.scope, name, at, kind, ty, value });
    }

    /// Binds a declaration or import that stands in a function: it holds in its whole block.
    pub(super) fn bind_local_item(&mut self, name: &Name, kind: BindingKind) {
        if self.is_local() && !name.is_empty() {
            self.bind(name.clone(), 0, kind, None, None);
        }
    }

    /// Adds a declaration; inside a function it is bound as well.
    pub(super) fn declare(&mut self, draft: Draft) -> DeclIndex {
        let index = DeclIndex(self.drafts.len() as u32);
        let name = draft.decl.name.clone();
        if !matches!(
            draft.decl.kind,
            DeclKind::Impl | DeclKind::Closure | DeclKind::Macro | DeclKind::Variant
        ) {
            self.bind_local_item(&name, BindingKind::Decl(index));
        }
        self.has_main |= draft.decl.kind == DeclKind::Function && draft.owner.is_none() && name == "main";
        self.drafts.push(draft);
        index
    }

    /// The flags that come from what stands around and before a declaration.
    pub(super) fn flags(&self, before: &Before) -> DeclFlags {
        DeclFlags {
            is_conditional: self.context.is_conditional || before.is_conditional(),
            is_test: self.context.is_test || before.is_test(),
            ..DeclFlags::default()
        }
    }

    /// What was read, as facts.
    pub(super) fn finish(mut self) -> FileFacts {
        let claims: Vec<Claim> = self.drafts.iter().map(|draft| draft.claim.clone()).collect();
        let qualnames = unique_qualnames(&claims);
        let owner = |index: Option<DeclIndex>| {
            index.map_or(Name::default(), |index| qualnames[index.0 as usize].clone())
        };
        let marks = file_marks(self.tree, self.source);
        let is_test = marks.iter().any(|mark| is_test_cfg(mark));
        let mut summary = Summary {
            language: Language::Rust,
            decls: Vec::with_capacity(self.drafts.len()),
            imports: Vec::with_capacity(self.imports.len()),
            variables: Vec::with_capacity(self.variables.len()),
            exports: None,
            marks,
        };
        let mut texts = Vec::with_capacity(self.drafts.len());
        for (draft, qualname) in self.drafts.drain(..).zip(&qualnames) {
            summary.decls.push(Decl { qualname: qualname.clone(), owner: owner(draft.owner), ..draft.decl });
            texts.push(draft.text);
        }
        summary
            .imports
            .extend(self.imports.drain(..).map(|(import, of)| Import { owner: owner(of), ..import }));
        summary
            .variables
            .extend(self.variables.drain(..).map(|(it, of)| Variable { owner: owner(of), ..it }));
        self.sort_bodies();
        prune(&mut self.bodies);
        FileFacts {
            summary: Arc::new(summary),
            texts,
            doc: leading_paragraphs(&head_doc(self.tree, self.source, 0)),
            line_count: self.lines.count(),
            first_error: self.tree.first_error().map(|at| self.lines.line(at)),
            is_entry_point: self.has_main,
            is_test,
            bodies: self.bodies,
        }
    }

    /// Puts calls and accesses in the order of the source; of those that begin together the inner first.
    fn sort_bodies(&mut self) {
        let tree = self.tree;
        let place = |node: NodeIndex| (tree.node(node).start, tree.node(node).end);
        self.sites.sort_by_key(|(node, _)| place(*node));
        self.accesses.sort_by_key(|(node, _)| place(*node));
        self.bodies.sites.extend(self.sites.drain(..).map(|(_, site)| site));
        self.bodies.accesses.extend(self.accesses.drain(..).map(|(_, access)| access));
    }

    fn take_before(&mut self) -> Before {
        let nodes = std::mem::take(&mut self.pending);
        if nodes.is_empty() { Before::default() } else { Before::read(self.tree, self.source, &nodes) }
    }
}

impl Visitor for Reader<'_> {
    fn enter(&mut self, node: NodeIndex) -> bool {
        let kind = self.kind(node);
        match kind {
            Kind::AttributeItem | Kind::LineComment | Kind::BlockComment => {
                self.pending.push(node);
                return false;
            }
            Kind::InnerAttributeItem => return false,
            Kind::FunctionItem | Kind::FunctionSignatureItem => {
                let before = self.take_before();
                self.enter_function(node, &before);
            }
            Kind::StructItem | Kind::UnionItem | Kind::EnumItem | Kind::TypeItem | Kind::AssociatedType => {
                let before = self.take_before();
                self.enter_type(node, &before);
            }
            Kind::EnumVariant => {
                let before = self.take_before();
                self.enter_variant(node, &before);
            }
            Kind::TraitItem | Kind::ImplItem | Kind::ModItem => {
                let before = self.take_before();
                self.enter_container(node, &before);
            }
            Kind::ConstItem | Kind::StaticItem => {
                self.pending.clear();
                self.enter_variable(node);
            }
            Kind::MacroDefinition => {
                let before = self.take_before();
                self.enter_macro(node, &before);
                return false;
            }
            Kind::UseDeclaration | Kind::ExternCrateDeclaration => {
                let before = self.take_before();
                self.enter_import(node, &before);
                return false;
            }
            // The attributes before a macro that holds items are the items' as well.
            Kind::MacroInvocation => {
                let before = self.take_before();
                self.enter_macro_invocation(node, &before);
            }
            _ => {
                self.pending.clear();
                self.enter_body_part(node, kind);
            }
        }
        true
    }

    fn exit(&mut self, node: NodeIndex) {
        self.exit_body_part(node);
        while let Some((_, context)) = self.saved.pop_if(|(at, _)| *at == node) {
            self.context = context;
        }
    }
}

/// Whether the way from a scope out to `outer` leaves a function; none if `outer` is not around it.
fn crossed(scopes: &[Scope], outer: ScopeIndex, mut scope: ScopeIndex) -> Option<bool> {
    let mut leaves_function = false;
    while scope != outer {
        let inner = &scopes[scope.0 as usize];
        leaves_function |= inner.kind == ScopeKind::Function;
        scope = inner.parent?;
    }
    Some(leaves_function)
}
