//! What stands inside macro invocations, as far as it can be read as ordinary Rust.
//!
//! The grammar leaves a macro's arguments as tokens. Three forms are read again, all only if their text
//! parses without any error:
//!
//! * a comma-separated list of expressions (`println!("{}", f(x))`, `vec![a; n]`), wherever an
//!   expression or statement may stand; of `matches!` and its kin only the part before the first comma;
//! * items in braces where items may stand (`cfg_rt! { pub fn f() {} }`, `pin_project! { … }`);
//! * the branches of `select!` (see [`super::select`]).
//!
//! Macros whose arguments are no code that runs (`stringify!`, `quote!` …) and whatever does not parse
//! stay closed. What was read is put into the tree in place of the tokens, at its own place in the
//! file: the rest of the adapter does not see a difference.

use std::ops::{ControlFlow, Range};

use bindery_syntax::{Filler, Limits, NodeIndex, Piece, Splice, parse_tree};
use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::select;

/// Macros in macros are read this deep.
const MAX_DEPTH: u32 = 8;
/// Longer arguments stay closed.
const MAX_TEXT: usize = 256 << 10;
/// Macros whose arguments are not evaluated as they stand.
const CLOSED: &[&str] = &[
    "asm",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "concat_idents",
    "env",
    "file",
    "global_asm",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "module_path",
    "naked_asm",
    "option_env",
    "parse_quote",
    "parse_quote_spanned",
    "quote",
    "quote_spanned",
    "stringify",
];
/// Macros of an expression and a pattern.
const PATTERN_MACROS: &[&str] = &["assert_matches", "debug_assert_matches", "matches"];

/// Reads macro arguments while a tree is filled.
pub(super) struct MacroArguments<'s> {
    source: &'s str,
    /// Calls and struct literals found inside macros.
    pub(super) call_nodes: u32,
}

/// Where an invocation stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Items,
    Expressions,
}

impl<'s> MacroArguments<'s> {
    /// Prepares to read the macros of `source`.
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, call_nodes: 0 }
    }

    fn read(&mut self, filler: &mut Filler<'_, Kind, Field>, node: Node<'_>, index: NodeIndex) {
        let tree = filler.tree();
        let invocation = tree.node(index).parent;
        let name = last_segment(tree.text(invocation + 1, self.source));
        let place = place_of(filler, invocation);
        let (start, end) = (tree.node(index).start as usize, tree.node(index).end as usize);
        let Some(text) = self.source.get(start..end).filter(|text| (3..MAX_TEXT).contains(&text.len()))
        else {
            return;
        };
        let inner = start as u32 + 1..end as u32 - 1;
        match place {
            Place::Items if text.starts_with('{') => self.append_items(filler, inner),
            Place::Expressions if select::NAMES.contains(&name) => {
                self.append_branches(filler, node, inner.end)
            }
            Place::Expressions if !CLOSED.contains(&name) => {
                let is_pattern = PATTERN_MACROS.contains(&name);
                let comma = if is_pattern { first_comma(node) } else { None };
                let inner = inner.start..comma.map_or(inner.end, |comma| filler.position(comma));
                let written = self.text(&inner);
                let worth = name == "vec" || written.contains(['(', '{', '.']);
                if worth && !written.trim().is_empty() {
                    self.append_expressions(filler, inner, text.starts_with('['));
                }
            }
            _ => {}
        }
    }

    fn text(&self, range: &Range<u32>) -> &'s str {
        self.source.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    fn append_items(&mut self, filler: &mut Filler<'_, Kind, Field>, inner: Range<u32>) {
        let mut copy = Copy::new(self.source);
        copy.file(inner);
        let Some(tree) = copy.parse() else { return };
        let mut cursor = tree.root_node().walk();
        let items: Vec<_> = tree.root_node().named_children(&mut cursor).collect();
        if items.iter().all(|node| is_item(node.kind())) {
            for item in items {
                filler.append(item, copy.pieces.clone(), self);
            }
        }
    }

    fn append_expressions(
        &mut self,
        filler: &mut Filler<'_, Kind, Field>,
        inner: Range<u32>,
        is_array: bool,
    ) {
        // The line feed ends a comment that the list may end with.
        let wrapped = |open: &str, close: &str| {
            let mut copy = Copy::new(self.source);
            copy.text(open, inner.start - 1);
            copy.file(inner.clone());
            copy.text(close, inner.end);
            copy
        };
        if is_array {
            let copy = wrapped("[", "\n];");
            if let Some(tree) = copy.parse() {
                if let Some(array) = only_expression(tree.root_node(), "array_expression") {
                    filler.append(array, copy.pieces, self);
                }
                return;
            }
        }
        self.append_arguments(filler, wrapped("f(", "\n);"));
    }

    fn append_branches(&mut self, filler: &mut Filler<'_, Kind, Field>, node: Node<'_>, end: u32) {
        if let Some(copy) = select::as_arguments(Copy::new(self.source), filler, node, end) {
            self.append_arguments(filler, copy);
        }
    }

    /// Appends the arguments of the call that `copy` is.
    fn append_arguments(&mut self, filler: &mut Filler<'_, Kind, Field>, copy: Copy<'_>) {
        if let Some(tree) = copy.parse()
            && let Some(call) = only_expression(tree.root_node(), "call_expression")
            && let Some(arguments) = call.child_by_field_name("arguments")
        {
            filler.append(arguments, copy.pieces, self);
        }
    }
}

/// A text put together from parts of the file and words between them.
pub(super) struct Copy<'s> {
    source: &'s str,
    text: String,
    pieces: Vec<Piece>,
}

impl<'s> Copy<'s> {
    fn new(source: &'s str) -> Self {
        Self { source, text: String::new(), pieces: Vec::new() }
    }

    /// Adds words that stand at one place of the file.
    pub(super) fn text(&mut self, words: &str, at: u32) {
        self.pieces.push(Piece { start: self.text.len() as u32, file: at, is_copied: false });
        self.text.push_str(words);
    }

    /// Adds a part of the file.
    pub(super) fn file(&mut self, range: Range<u32>) {
        self.pieces.push(Piece { start: self.text.len() as u32, file: range.start, is_copied: true });
        self.text.push_str(self.source.get(range.start as usize..range.end as usize).unwrap_or_default());
    }

    /// The file it is put together from.
    pub(super) fn source(&self) -> &'s str {
        self.source
    }

    /// The tree of the text, if it has no error and is within the usual limits.
    fn parse(&self) -> Option<tree_sitter::Tree> {
        let grammar = tree_sitter_rust::LANGUAGE.into();
        let mut on_tick = || ControlFlow::Continue(());
        let (tree, _) = parse_tree(&grammar, &self.text, &Limits::default(), &mut on_tick).ok()?;
        (!tree.root_node().has_error()).then_some(tree)
    }
}

impl Splice<Kind, Field> for MacroArguments<'_> {
    fn replace_children(
        &mut self,
        filler: &mut Filler<'_, Kind, Field>,
        node: Node<'_>,
        index: NodeIndex,
    ) -> bool {
        if filler.tree().kind(index) != Kind::TokenTree {
            return false;
        }
        let is_argument = filler.tree().kind(filler.tree().node(index).parent) == Kind::MacroInvocation;
        if is_argument && filler.depth() < MAX_DEPTH {
            self.read(filler, node, index);
        }
        if filler.depth() == 0 {
            let tree = filler.tree();
            let calls = (index..tree.len())
                .filter(|node| matches!(tree.kind(*node), Kind::CallExpression | Kind::StructExpression));
            self.call_nodes += calls.count() as u32;
        }
        true
    }
}

/// The last segment of a macro's path.
pub(super) fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path).trim()
}

fn place_of(filler: &Filler<'_, Kind, Field>, invocation: NodeIndex) -> Place {
    let tree = filler.tree();
    let mut around = tree.node(invocation).parent;
    if tree.kind(around) == Kind::ExpressionStatement {
        around = tree.node(around).parent;
    }
    // A token tree holds items read by `append_items`; expressions have a list of their own in between.
    match tree.kind(around) {
        Kind::SourceFile | Kind::DeclarationList | Kind::TokenTree => Place::Items,
        _ => Place::Expressions,
    }
}

fn is_item(kind: &str) -> bool {
    kind.ends_with("_item")
        || kind.ends_with("_comment")
        || matches!(
            kind,
            "macro_invocation"
                | "macro_definition"
                | "use_declaration"
                | "extern_crate_declaration"
                | "associated_type"
                | "empty_statement"
        )
}

/// The expression of a tree that is nothing but one expression statement, if it is of that kind.
fn only_expression<'t>(root: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let statement = root.named_child(0).filter(|_| root.named_child_count() == 1)?;
    statement.named_child(0).filter(|node| node.kind() == kind)
}

fn first_comma(token_tree: Node<'_>) -> Option<usize> {
    let mut cursor = token_tree.walk();
    token_tree.children(&mut cursor).find(|node| node.kind() == ",").map(|node| node.start_byte())
}
