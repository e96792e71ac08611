//! Which binding a name means while a file is read, and which variables are assigned again.

use bindery_facts::{Binding, BindingKind, Expr, ExprIndex, Exprs, Name, Scope, ScopeIndex};
use rustc_hash::FxHashMap;

/// The operation that a value stands below if its variable may hold another one of its type.
const MAY_CHANGE: &str = "=";

/// The local names seen so far.
#[derive(Default)]
pub(super) struct Locals {
    /// The latest binding of each name in each scope.
    names: FxHashMap<(ScopeIndex, Name), u32>,
    /// Assignments to bindings; with the function literal that is assigned, if it is one.
    assigned: Vec<(u32, Option<ExprIndex>)>,
}

impl Locals {
    /// Notes a binding.
    pub(super) fn declare(&mut self, scope: ScopeIndex, name: Name, binding: u32) {
        self.names.insert((scope, name), binding);
    }

    /// The binding of a name in exactly this scope.
    pub(super) fn in_scope(&self, scope: ScopeIndex, name: &str) -> Option<u32> {
        self.names.get(&(scope, Name::from(name))).copied()
    }

    /// The binding that a name means in a scope.
    pub(super) fn find(&self, scopes: &[Scope], mut scope: ScopeIndex, name: &str) -> Option<u32> {
        let name = Name::from(name);
        loop {
            if let Some(binding) = self.names.get(&(scope, name.clone())) {
                return Some(*binding);
            }
            scope = scopes[scope.0 as usize].parent?;
        }
    }

    /// Notes that a variable is assigned, or may be because its address is taken.
    pub(super) fn assign(&mut self, binding: u32, literal: Option<ExprIndex>) {
        self.assigned.push((binding, literal));
    }

    /// Takes back the values of variables that are assigned again; a variable that is declared without a
    /// value and assigned one function literal, nothing else, holds that.
    pub(super) fn settle(&self, bindings: &mut [Binding], exprs: &mut Exprs) {
        let mut by_binding: FxHashMap<u32, Vec<Option<ExprIndex>>> = FxHashMap::default();
        for (binding, literal) in &self.assigned {
            by_binding.entry(*binding).or_default().push(*literal);
        }
        for (number, binding) in bindings.iter_mut().enumerate() {
            let Some(assigned) = by_binding.get(&(number as u32)) else { continue };
            match (binding.value, assigned.as_slice()) {
                (None, [Some(literal)]) if binding.kind == BindingKind::Local && binding.ty.is_some() => {
                    (binding.ty, binding.value) = (None, Some(*literal));
                }
                (Some(value), _) => binding.value = Some(exprs.push(may_change(value))),
                _ => {}
            }
        }
    }
}

/// A value whose variable may hold another one of its type.
pub(super) fn may_change(value: ExprIndex) -> Expr {
    Expr::Operation { operator: Name::new_static(MAY_CHANGE), operands: vec![value] }
}
