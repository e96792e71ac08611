//! The branches of `select!`, written as what they mean.
//!
//! `pattern = future, if condition => handler` waits for `future` and, if its value matches, goes on
//! with `handler` (`tokio::select!`; `futures::select!` has the same form). It is read as
//! `async { let pattern = (future).await else { return }; if condition {}; handler }`, so that calls, awaiting and
//! the names bound come out right. A macro that is not made of such branches stays closed.

use std::ops::Range;

use bindery_syntax::Filler;
use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::macros::Copy;

/// Macros of this form.
pub(super) const NAMES: &[&str] = &["select", "select_biased"];

/// A token, or a tree of tokens in brackets, at its place in the file.
type Token = Range<u32>;

/// The branches as the arguments of a call.
pub(super) fn as_arguments<'s>(
    mut copy: Copy<'s>,
    filler: &Filler<'_, Kind, Field>,
    token_tree: Node<'_>,
    end: u32,
) -> Option<Copy<'s>> {
    let mut cursor = token_tree.walk();
    let tokens: Vec<Token> = token_tree
        .children(&mut cursor)
        .filter(|node| !node.is_extra())
        .map(|node| filler.position(node.start_byte())..filler.position(node.end_byte() - 1) + 1)
        .collect();
    // Without the brackets around them.
    let mut rest = Branches { source: copy.source(), tokens: tokens.get(1..tokens.len().checked_sub(1)?)? };
    rest.skip_biased();
    copy.text("f(", rest.tokens.first()?.start);
    while !rest.tokens.is_empty() {
        rest.copy_branch(&mut copy)?;
    }
    copy.text(");", end);
    Some(copy)
}

struct Branches<'s, 't> {
    source: &'s str,
    tokens: &'t [Token],
}

impl Branches<'_, '_> {
    fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &self.source[token.start as usize..token.end as usize])
    }

    fn find(&self, from: usize, word: &str) -> Option<usize> {
        (from..self.tokens.len()).find(|index| self.word(*index) == word)
    }

    /// The part of the file that the tokens `range` cover.
    fn covered(&self, range: Range<usize>) -> Option<Range<u32>> {
        let tokens = self.tokens.get(range)?;
        Some(tokens.first()?.start..tokens.last()?.end)
    }

    fn skip_biased(&mut self) {
        if self.word(0) == "biased" && self.word(1) == ";" {
            self.tokens = &self.tokens[2..];
        }
    }

    fn copy_branch(&mut self, copy: &mut Copy<'_>) -> Option<()> {
        let arrow = self.find(0, "=>")?;
        let at = self.tokens[0].start;
        copy.text("async { ", at);
        // `else`, `default` and `complete` have no future.
        if let Some(equals) = self.find(0, "=").filter(|equals| *equals < arrow) {
            let condition =
                (equals + 1..arrow).find(|index| self.word(*index) == "," && self.word(index + 1) == "if");
            copy.text("let ", at);
            copy.file(self.covered(0..equals)?);
            copy.text(" = (", at);
            copy.file(self.covered(equals + 1..condition.unwrap_or(arrow))?);
            copy.text(").await else { return }; ", at);
            if let Some(comma) = condition {
                copy.file(self.covered(comma + 1..arrow)?);
                copy.text(" {}; ", at);
            }
        }
        let is_block = self.word(arrow + 1).starts_with('{');
        let end = if is_block { arrow + 2 } else { self.find(arrow + 1, ",").unwrap_or(self.tokens.len()) };
        copy.file(self.covered(arrow + 1..end)?);
        copy.text(" }, ", at);
        let end = if self.word(end) == "," { end + 1 } else { end };
        self.tokens = &self.tokens[end..];
        Some(())
    }
}
