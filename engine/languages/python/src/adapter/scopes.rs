//! Which scope each part of a statement or expression is read in, and what branches prove.

use bindery_facts::{BindingKind, ScopeIndex, ScopeKind};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind};
use super::narrowing::{self, Proof};
use super::reader::Reader;

impl Reader<'_> {
    /// The scope the children of `node` are read in: the one it stands in, unless its parent opens
    /// another one for it.
    pub(super) fn scope_of_children(&mut self, node: NodeIndex) -> ScopeIndex {
        let parent = self.parent(node);
        if parent == node {
            return ScopeIndex::FILE;
        }
        let outer = self.scope(parent);
        match (self.kind(parent), self.tree.node(node).field) {
            (Kind::FunctionDefinition | Kind::ClassDefinition | Kind::Lambda, Field::Body) => {
                self.inner_scopes.get(&parent).copied().unwrap_or(outer)
            }
            (Kind::IfStatement | Kind::ElifClause, Field::Consequence) => self.open_branch(parent, node),
            (Kind::IfStatement, Field::Alternative) => {
                self.inner_scopes.get(&parent).copied().unwrap_or(outer)
            }
            (Kind::ElseClause, Field::Body) => self.open_else(parent, node),
            (Kind::MatchStatement, Field::Body) => self.inner_scopes.get(&parent).copied().unwrap_or(outer),
            (Kind::Block, Field::Alternative) if self.kind(node) == Kind::CaseClause => {
                self.open_case(outer, node)
            }
            (Kind::WhileStatement, Field::Body) => self.open_loop(parent, node),
            (Kind::ForStatement, Field::Body) => self.open_for(parent, node),
            (Kind::TryStatement, Field::Body) => self.open_block(outer, node, true),
            (Kind::TryStatement, _) if self.kind(node) == Kind::ExceptClause => {
                self.open_handler(outer, node)
            }
            (Kind::ExceptClause, _) if self.kind(node) == Kind::Block => {
                self.bind_exception(parent);
                outer
            }
            (Kind::ConditionalExpression, _) => self.conditional_part(parent, node),
            (Kind::BooleanOperator, Field::Right) => self.right_operand(parent, node),
            (kind, _) if kind.is_comprehension() => self.comprehension_part(parent, node),
            (Kind::ForInClause, Field::Right) => self.iterated_part(parent),
            _ => outer,
        }
    }

    /// Opens a [`ScopeKind::Block`] for `block`, or a [`ScopeKind::Leaving`] one.
    pub(super) fn open_block(
        &mut self,
        outer: ScopeIndex,
        block: NodeIndex,
        is_conditional: bool,
    ) -> ScopeIndex {
        let kind = if self.ends_function(block) { ScopeKind::Leaving } else { ScopeKind::Block };
        self.open_scope(outer, kind, None, |_, info| info.is_conditional |= is_conditional)
    }

    /// Unlike `break` and `continue`, which go on behind or at the start of the loop.
    fn ends_function(&self, block: NodeIndex) -> bool {
        let last = self.tree.children(block).last().map(|last| self.kind(last));
        matches!(last, Some(Kind::ReturnStatement | Kind::RaiseStatement))
    }

    fn always_leaves(&self, block: NodeIndex) -> bool {
        self.tree.children(block).last().is_some_and(|last| self.kind(last).is_leaving())
    }

    fn prove(&mut self, scope: ScopeIndex, at: u32, proofs: Vec<Proof>) {
        for Proof { name, ty } in proofs {
            self.bind_value(scope, &name, at, BindingKind::Narrow, Some(ty), None);
        }
    }

    // ---- if, elif, else, match

    pub(super) fn open_choice(&mut self, statement: NodeIndex) {
        let outer = self.scope(statement);
        let choice = self.open_scope(outer, ScopeKind::Choice, None, |_, info| info.is_conditional = true);
        self.inner_scopes.insert(statement, choice);
        if self.kind(statement) == Kind::IfStatement && outer == ScopeIndex::FILE {
            self.is_entry_point |= self.tests_main(statement);
        }
    }

    fn tests_main(&self, statement: NodeIndex) -> bool {
        let condition = self.child(statement, Field::Condition).map(|condition| self.text(condition));
        condition.is_some_and(|text| text.contains("__name__") && text.contains("__main__"))
    }

    fn open_branch(&mut self, clause: NodeIndex, block: NodeIndex) -> ScopeIndex {
        let choice = match self.inner_scopes.get(&clause) {
            Some(choice) => *choice,
            None => self.scope(clause),
        };
        let branch = self.open_block(choice, block, true);
        let disproved = self.disproved.get(&choice).cloned().unwrap_or_default();
        self.prove(branch, self.start(block), disproved);
        if let Some(condition) = self.child(clause, Field::Condition) {
            let holds = narrowing::proofs(self.tree, self.source, condition, true);
            self.prove(branch, self.start(block), holds);
            let fails = narrowing::proofs(self.tree, self.source, condition, false);
            if !fails.is_empty() {
                self.disproved.entry(choice).or_default().extend(fails);
            }
        }
        branch
    }

    fn open_else(&mut self, clause: NodeIndex, block: NodeIndex) -> ScopeIndex {
        let outer = self.scope(clause);
        let branch = self.open_block(outer, block, true);
        let disproved = self.disproved.get(&outer).cloned().unwrap_or_default();
        self.prove(branch, self.start(block), disproved);
        branch
    }

    /// Adds the branch that a missing `else` is, and what holds behind an `if` that leaves.
    pub(super) fn close_if(&mut self, statement: NodeIndex) {
        let Some(choice) = self.inner_scopes.get(&statement).copied() else { return };
        let has_else = self.tree.child_of_kind(statement, Kind::ElseClause).is_some();
        if has_else {
            return;
        }
        self.open_scope(choice, ScopeKind::Block, None, |_, _| {});
        let alternatives = self.tree.child_of_kind(statement, Kind::ElifClause).is_some();
        let leaves = self.child(statement, Field::Consequence).is_some_and(|block| self.always_leaves(block));
        if leaves && !alternatives {
            let disproved = self.disproved.remove(&choice).unwrap_or_default();
            self.prove(self.scope(statement), self.end(statement), disproved);
        }
    }

    fn open_case(&mut self, choice: ScopeIndex, clause: NodeIndex) -> ScopeIndex {
        let block = self.child(clause, Field::Consequence).unwrap_or(clause);
        self.open_block(choice, block, true)
    }

    /// Adds the branch in which no case matches, unless the last one always does.
    pub(super) fn close_match(&mut self, statement: NodeIndex) {
        let Some(choice) = self.inner_scopes.get(&statement).copied() else { return };
        let cases = self.child(statement, Field::Body).and_then(|body| self.tree.children(body).last());
        let pattern = cases.and_then(|case| self.tree.child_of_kind(case, Kind::CasePattern));
        let is_open =
            pattern.is_none_or(|pattern| self.text(pattern).contains(['.', '(', '[', '{', '"', '\'']));
        if is_open {
            self.open_scope(choice, ScopeKind::Block, None, |_, _| {});
        }
    }

    // ---- Loops and handlers

    fn open_loop(&mut self, statement: NodeIndex, block: NodeIndex) -> ScopeIndex {
        let body = self.open_block(self.scope(statement), block, false);
        if let Some(condition) = self.child(statement, Field::Condition) {
            let holds = narrowing::proofs(self.tree, self.source, condition, true);
            self.prove(body, self.start(block), holds);
        }
        body
    }

    fn open_for(&mut self, statement: NodeIndex, block: NodeIndex) -> ScopeIndex {
        let body = self.open_block(self.scope(statement), block, false);
        self.bind_loop_target(statement, body, self.start(block));
        body
    }

    fn open_handler(&mut self, outer: ScopeIndex, clause: NodeIndex) -> ScopeIndex {
        let block = self.tree.child_of_kind(clause, Kind::Block).unwrap_or(clause);
        self.open_block(outer, block, true)
    }

    // ---- Inside expressions

    /// `body if condition else alternative`: the body is read where the condition holds.
    fn conditional_part(&mut self, expression: NodeIndex, part: NodeIndex) -> ScopeIndex {
        let outer = self.scope(expression);
        let mut parts = self.tree.children(expression);
        let (Some(body), Some(condition)) = (parts.next(), parts.next()) else { return outer };
        if part == condition {
            return outer;
        }
        let proofs = narrowing::proofs(self.tree, self.source, condition, part == body);
        self.proven_part(outer, part, proofs)
    }

    /// The right operand of `and` is read where the left one holds, that of `or` where it fails.
    fn right_operand(&mut self, expression: NodeIndex, right: NodeIndex) -> ScopeIndex {
        let outer = self.scope(expression);
        let Some(left) = self.child(expression, Field::Left) else { return outer };
        let is_and = narrowing::is_and(self.tree, self.source, expression);
        self.proven_part(outer, right, narrowing::proofs(self.tree, self.source, left, is_and))
    }

    fn proven_part(&mut self, outer: ScopeIndex, part: NodeIndex, proofs: Vec<Proof>) -> ScopeIndex {
        if proofs.is_empty() {
            return outer;
        }
        let scope = self.open_scope(outer, ScopeKind::Block, None, |_, _| {});
        self.prove(scope, self.start(part), proofs);
        scope
    }

    // ---- Comprehensions

    pub(super) fn open_comprehension(&mut self, expression: NodeIndex) {
        let outer = self.scope(expression);
        let inner = self.open_scope(outer, ScopeKind::Comprehension, None, |scope, info| info.names = scope);
        self.inner_scopes.insert(expression, inner);
    }

    fn comprehension_part(&mut self, expression: NodeIndex, part: NodeIndex) -> ScopeIndex {
        let inner = self.inner_scopes.get(&expression).copied().unwrap_or(self.scope(expression));
        if self.kind(part) == Kind::IfClause
            && let Some(condition) = self.tree.children(part).next()
        {
            let holds = narrowing::proofs(self.tree, self.source, condition, true);
            self.prove(inner, self.start(expression), holds);
        }
        inner
    }

    /// What the first clause of a comprehension iterates over is read outside of it.
    fn iterated_part(&mut self, clause: NodeIndex) -> ScopeIndex {
        let expression = self.parent(clause);
        let first = self.tree.child_of_kind(expression, Kind::ForInClause);
        if first == Some(clause) { self.scope(expression) } else { self.scope(clause) }
    }
}
