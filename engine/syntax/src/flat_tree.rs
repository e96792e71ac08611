//! A syntax tree as one array, filled by one cursor pass.
//!
//! Adapters do not walk tree-sitter nodes: finding a child by field or position is linear there, and
//! every step crosses into C. [`FlatTree`] holds the nodes an adapter asked for in preorder, with the
//! language's own kind and field enums instead of strings, so that children, siblings and parents are
//! index arithmetic and no step needs recursion. Nodes of no use (punctuation, the insides of literals)
//! are left out while filling.
//!
//! ```text
//! node_kinds! { enum Kind { FunctionItem = "function_item", Plus = token "+", String = leaf "string" } }
//! node_fields! { enum Field { Name = "name" } }
//! static TABLES: LazyLock<Tables<Kind, Field>> = LazyLock::new(|| Tables::new(&grammar(), Kind::TABLE, Field::TABLE));
//! let flat = FlatTree::new(&TABLES, tree, &mut NoSplice);
//! flat.walk(&mut my_visitor);
//! ```

use tree_sitter::{Node, TreeCursor};

/// What becomes of the nodes of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Left out; its children are not looked at.
    Drop,
    /// Kept without its children.
    Leaf,
    /// Kept with its children.
    Inner,
}

/// One row of a language's kind table: grammar name, whether it names a named node (else a token),
/// the language's enum value, and what becomes of it.
pub type KindRow<K> = (&'static str, bool, K, Keep);

/// The kind and field enums of a language by the ids of its grammar; made once per process.
pub struct Tables<K, F> {
    kinds: Vec<(K, Keep)>,
    fields: Vec<F>,
    error: K,
}

impl<K: Copy + Default, F: Copy + Default> Tables<K, F> {
    /// Looks every name up in the grammar. Named nodes without a row are kept as `K::default()`,
    /// tokens without a row are dropped, fields without a row become `F::default()`. The row named
    /// `ERROR` gives the kind of error nodes.
    ///
    /// # Panics
    /// If a name is not in the grammar, which a grammar upgrade can cause and any test finds.
    pub fn new(grammar: &tree_sitter::Language, kinds: &[KindRow<K>], fields: &[(&'static str, F)]) -> Self {
        let mut tables = Self { kinds: Vec::new(), fields: Vec::new(), error: K::default() };
        for id in 0..grammar.node_kind_count() as u16 {
            let named = grammar.node_kind_is_named(id);
            let name = grammar.node_kind_for_id(id).unwrap_or_default();
            let row = kinds.iter().find(|row| row.0 == name && row.1 == named);
            let other = if named { Keep::Inner } else { Keep::Drop };
            tables.kinds.push(row.map_or((K::default(), other), |row| (row.2, row.3)));
        }
        for row in kinds {
            if row.0 == "ERROR" {
                tables.error = row.2;
            } else {
                assert_ne!(
                    grammar.id_for_node_kind(row.0, row.1),
                    0,
                    "no node kind `{}` in the grammar",
                    row.0
                );
            }
        }
        let field_ids = fields.iter().map(|(name, field)| {
            let id =
                grammar.field_id_for_name(name).unwrap_or_else(|| panic!("no field `{name}` in the grammar"));
            (id.get() as usize, *field)
        });
        tables.fields = vec![F::default(); grammar.field_count() + 1];
        field_ids.for_each(|(id, field)| tables.fields[id] = field);
        tables
    }

    fn kind(&self, id: u16) -> (K, Keep) {
        self.kinds.get(id as usize).copied().unwrap_or((self.error, Keep::Inner))
    }
}

/// Index of a node in a [`FlatTree`].
pub type NodeIndex = u32;

/// One node.
#[derive(Clone, Copy, Debug)]
pub struct FlatNode<K, F> {
    /// What it is.
    pub kind: K,
    /// The field of its parent it fills.
    pub field: F,
    /// First byte in the file's text.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// The enclosing kept node; of the root, itself.
    pub parent: NodeIndex,
    /// One past its last descendant: its next sibling, if the parent reaches that far.
    pub after: NodeIndex,
}

/// The kept nodes in preorder; number 0 is the root.
pub struct FlatTree<K, F> {
    nodes: Vec<FlatNode<K, F>>,
    first_error: Option<u32>,
}

/// Lets an adapter put something else in place of a node's children while a tree is filled, for
/// instance the expressions that a macro's tokens spell.
pub trait Splice<K, F> {
    /// Called for each kept node that may have children. If it appends children itself (with
    /// [`Filler::append`]) it returns true and the node's own children are left out.
    fn replace_children(&mut self, filler: &mut Filler<'_, K, F>, node: Node<'_>, index: NodeIndex) -> bool;
}

/// Replaces nothing.
pub struct NoSplice;

impl<K, F> Splice<K, F> for NoSplice {
    fn replace_children(&mut self, _: &mut Filler<'_, K, F>, _: Node<'_>, _: NodeIndex) -> bool {
        false
    }
}

/// A part of a text that was put together from parts of the file, so that a tree parsed from it speaks
/// of the file.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Where it begins in the text; it ends where the next begins.
    pub start: u32,
    /// Where its first byte lies in the file.
    pub file: u32,
    /// Whether its bytes are the file's; if not, all of it lies at one place.
    pub is_copied: bool,
}

/// A [`FlatTree`] while it is being filled.
pub struct Filler<'t, K, F> {
    tables: &'t Tables<K, F>,
    tree: FlatTree<K, F>,
    open: Vec<NodeIndex>,
    /// Where the text of the tree being read lies in the file.
    pieces: Vec<Piece>,
    depth: u32,
    may_have_errors: bool,
}

impl<K: Copy + Default, F: Copy + Default> Filler<'_, K, F> {
    /// The nodes so far.
    pub fn tree(&self) -> &FlatTree<K, F> {
        &self.tree
    }

    /// How many splices enclose the place that is being filled.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Where a byte of the tree being read lies in the file.
    pub fn position(&self, byte: usize) -> u32 {
        let byte = byte as u32;
        let next = self.pieces.partition_point(|piece| piece.start <= byte);
        match next.checked_sub(1).map(|index| self.pieces[index]) {
            None => byte,
            Some(piece) if piece.is_copied => piece.file + (byte - piece.start),
            Some(piece) => piece.file,
        }
    }

    /// The place of a node of the tree being read. What ends with a piece ends in it, not where the next
    /// begins.
    fn place(&self, node: Node<'_>) -> (u32, u32) {
        let (start, end) = (node.start_byte(), node.end_byte());
        if self.pieces.is_empty() {
            return (start as u32, end as u32);
        }
        let place = self.position(start);
        if end == start { (place, place) } else { (place, self.position(end - 1) + 1) }
    }

    /// Appends `node` and all below it as the next child of the innermost open node. `pieces` says
    /// where its text lies in the file, sorted by their start. Splices nest by recursion, so the caller
    /// of this bounds [`Filler::depth`].
    pub fn append(&mut self, node: Node<'_>, pieces: Vec<Piece>, splice: &mut dyn Splice<K, F>) {
        let outer = (std::mem::replace(&mut self.pieces, pieces), self.open.len());
        self.depth += 1;
        let mut cursor = node.walk();
        self.fill(&mut cursor, splice);
        self.depth -= 1;
        self.pieces = outer.0;
        debug_assert_eq!(self.open.len(), outer.1, "every node opened below is closed again");
    }

    fn fill(&mut self, cursor: &mut TreeCursor<'_>, splice: &mut dyn Splice<K, F>) {
        let base = self.open.len();
        loop {
            let descended = self.enter(cursor, splice);
            if descended && cursor.goto_first_child() {
                continue;
            }
            if descended {
                self.close();
            }
            while !cursor.goto_next_sibling() {
                if self.open.len() == base || !cursor.goto_parent() {
                    return;
                }
                self.close();
            }
        }
    }

    /// Adds the cursor's node; true if it was opened and its children come next.
    fn enter(&mut self, cursor: &TreeCursor<'_>, splice: &mut dyn Splice<K, F>) -> bool {
        let node = cursor.node();
        let (kind, keep) = self.tables.kind(node.kind_id());
        // Most trees have no error; theirs are not asked node by node.
        let is_missing = self.may_have_errors && node.is_missing();
        if self.may_have_errors && self.depth == 0 && self.tree.first_error.is_none() {
            let is_first = node.is_error() || is_missing;
            self.tree.first_error = is_first.then(|| self.position(node.start_byte()));
        }
        if keep == Keep::Drop || is_missing {
            return false;
        }
        let index = self.tree.nodes.len() as NodeIndex;
        let field = cursor.field_id().map_or(F::default(), |id| self.tables.fields[id.get() as usize]);
        let (start, end) = self.place(node);
        self.tree.nodes.push(FlatNode {
            kind,
            field,
            start,
            end,
            parent: self.open.last().copied().unwrap_or(0),
            after: index + 1,
        });
        if keep == Keep::Leaf {
            return false;
        }
        self.open.push(index);
        if splice.replace_children(self, node, index) {
            self.close();
            return false;
        }
        true
    }

    fn close(&mut self) {
        let index = self.open.pop().expect("a node is closed once for each time one is opened");
        self.tree.nodes[index as usize].after = self.tree.nodes.len() as NodeIndex;
    }
}

/// What a [`FlatTree::walk`] calls. Both are given the node's index.
pub trait Visitor {
    /// Before a node's children; false leaves them and the [`Visitor::exit`] of this node out.
    fn enter(&mut self, node: NodeIndex) -> bool;
    /// After a node's children.
    fn exit(&mut self, node: NodeIndex);
}

impl<K: Copy + Default + PartialEq, F: Copy + Default + PartialEq> FlatTree<K, F> {
    /// Reads a whole tree.
    pub fn new(tables: &Tables<K, F>, tree: &tree_sitter::Tree, splice: &mut dyn Splice<K, F>) -> Self {
        let flat = Self { nodes: Vec::new(), first_error: None };
        let may_have_errors = tree.root_node().has_error();
        let mut filler =
            Filler { tables, tree: flat, open: Vec::new(), pieces: Vec::new(), depth: 0, may_have_errors };
        filler.fill(&mut tree.walk(), splice);
        filler.tree
    }

    /// The byte position of the first error or missing node of the tree itself (not of splices).
    pub fn first_error(&self) -> Option<u32> {
        self.first_error
    }

    /// Number of nodes.
    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Whether nothing was kept.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node at `index`.
    pub fn node(&self, index: NodeIndex) -> &FlatNode<K, F> {
        &self.nodes[index as usize]
    }

    /// The kind of the node at `index`.
    pub fn kind(&self, index: NodeIndex) -> K {
        self.node(index).kind
    }

    /// The text of the node at `index`.
    pub fn text<'s>(&self, index: NodeIndex, source: &'s str) -> &'s str {
        let node = self.node(index);
        source.get(node.start as usize..node.end as usize).unwrap_or_default()
    }

    /// The children of a node, in order.
    pub fn children(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let end = self.node(index).after;
        let mut next = index + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.node(child).after;
            Some(child)
        })
    }

    /// The first child that fills `field`.
    pub fn child(&self, index: NodeIndex, field: F) -> Option<NodeIndex> {
        self.children(index).find(|child| self.node(*child).field == field)
    }

    /// The first child of `kind`.
    pub fn child_of_kind(&self, index: NodeIndex, kind: K) -> Option<NodeIndex> {
        self.children(index).find(|child| self.kind(*child) == kind)
    }

    /// The node itself and everything below it, in preorder.
    pub fn subtree(&self, index: NodeIndex) -> std::ops::Range<NodeIndex> {
        index..self.node(index).after
    }

    /// Visits every node in source order, without recursion.
    pub fn walk(&self, visitor: &mut impl Visitor) {
        let mut open: Vec<NodeIndex> = Vec::new();
        let mut next = 0;
        loop {
            while let Some(&top) = open.last() {
                if next < self.node(top).after {
                    break;
                }
                open.pop();
                visitor.exit(top);
            }
            if next >= self.len() {
                return;
            }
            if visitor.enter(next) {
                open.push(next);
                next += 1;
            } else {
                next = self.node(next).after;
            }
        }
    }
}

/// Declares a language's enum of node kinds and its `TABLE` for [`Tables::new`]: `Variant = "name"`
/// is a named node, `= token "text"` an anonymous one, `= leaf "name"` one kept without its children,
/// `= skip "name"` one left out. `Other` (the default) stands for named nodes without a row and
/// `Error` for error nodes.
#[macro_export]
macro_rules! node_kinds {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variant:ident = $($how:ident)? $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        $vis enum $name {
            #[doc = "A named node without a row."]
            #[default]
            Other,
            #[doc = "An error node."]
            Error,
            $(#[doc = $text] $variant,)*
        }

        impl $name {
            #[doc = "The rows for `Tables::new`."]
            $vis const TABLE: &[$crate::KindRow<$name>] = &[
                ("ERROR", true, $name::Error, $crate::Keep::Inner),
                $($crate::node_kinds!(@row $name $variant $($how)? $text),)*
            ];
        }
    };
    (@row $name:ident $variant:ident $text:literal) => { ($text, true, $name::$variant, $crate::Keep::Inner) };
    (@row $name:ident $variant:ident token $text:literal) => { ($text, false, $name::$variant, $crate::Keep::Leaf) };
    (@row $name:ident $variant:ident leaf $text:literal) => { ($text, true, $name::$variant, $crate::Keep::Leaf) };
    (@row $name:ident $variant:ident skip $text:literal) => { ($text, true, $name::$variant, $crate::Keep::Drop) };
}

/// Declares a language's enum of fields and its `TABLE` for [`Tables::new`]; `None` (the default)
/// stands for no field and for fields without a row.
#[macro_export]
macro_rules! node_fields {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        $vis enum $name {
            #[doc = "No field, or one without a row."]
            #[default]
            None,
            $(#[doc = $text] $variant,)*
        }

        impl $name {
            #[doc = "The rows for `Tables::new`."]
            $vis const TABLE: &[(&'static str, $name)] = &[$(($text, $name::$variant)),*];
        }
    };
}
