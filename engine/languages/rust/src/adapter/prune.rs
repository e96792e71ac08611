//! Leaves out expressions that no call, binding or access leads to.

use bindery_facts::{Bodies, ExprIndex, Exprs};

/// Removes every expression that nothing refers to and renumbers the rest.
pub(super) fn prune(bodies: &mut Bodies) {
    let mut exprs = std::mem::take(&mut bodies.exprs.0);
    let mut needed = vec![false; exprs.len()];
    let mut need = |index: ExprIndex| needed[index.0 as usize] = true;
    bodies.sites.iter().for_each(|site| need(site.expr));
    bodies.accesses.iter().for_each(|access| need(access.expr));
    bodies.bindings.iter().filter_map(|binding| binding.value).for_each(&mut need);
    // Children come before their parents, so one pass from the end reaches everything.
    for index in (0..exprs.len()).rev() {
        if needed[index] {
            exprs[index].map_children(&mut |child| {
                needed[child.0 as usize] = true;
                child
            });
        }
    }
    let mut renumbered = vec![ExprIndex(0); exprs.len()];
    let mut kept = Exprs::default();
    for (index, mut expr) in exprs.into_iter().enumerate() {
        if needed[index] {
            expr.map_children(&mut |child| renumbered[child.0 as usize]);
            renumbered[index] = kept.push(expr);
        }
    }
    bodies.exprs = kept;
    let renumber = |index: &mut ExprIndex| *index = renumbered[index.0 as usize];
    bodies.sites.iter_mut().for_each(|site| renumber(&mut site.expr));
    bodies.accesses.iter_mut().for_each(|access| renumber(&mut access.expr));
    bodies.bindings.iter_mut().filter_map(|binding| binding.value.as_mut()).for_each(renumber);
}
