//! Which of several declarations of one name in one scope a use means.

use bindery_facts::{DeclKind, Expr, Literal, Variable};
use bindery_graph::{Item, Provided};

/// Later declarations replace earlier ones, unless they stand under a condition: then either may be
/// there. A variable that only stands for a missing import (`json = None`) is no alternative.
pub(super) fn choose(items: &[Provided]) -> Vec<Provided> {
    let decls: Vec<&Provided> = items.iter().filter(is_meant).collect();
    if !decls.is_empty() {
        let mut chosen = latest(&decls);
        if chosen.iter().all(is_conditional) {
            chosen.extend(items.iter().filter(|item| is_import(item) && is_conditional(item)).cloned());
        }
        return chosen;
    }
    let imports: Vec<&Provided> = items.iter().filter(|item| is_import(item)).collect();
    let variables = items.iter().filter(|item| item.variable().is_some());
    if imports.is_empty() {
        return variables.cloned().collect();
    }
    let mut chosen = latest(&imports);
    if chosen.iter().all(is_conditional) {
        chosen.extend(variables.filter(|item| !item.variable().is_some_and(is_nothing)).cloned());
    }
    chosen
}

/// Overloads and setters stand beside what is meant when the name is read.
fn is_meant(item: &&Provided) -> bool {
    item.decl().is_some_and(|decl| {
        decl.kind != DeclKind::Setter
            && !decl.decorators.iter().any(|decorator| decorator.ends_with("overload"))
    })
}

fn is_import(item: &Provided) -> bool {
    matches!(item.item(), Item::Import(_))
}

fn is_conditional(item: &Provided) -> bool {
    item.decl().is_some_and(|decl| decl.flags.is_conditional)
        || item.import().is_some_and(|import| import.is_conditional)
}

/// The last unconditional item and the conditional ones behind it; items are in source order.
fn latest(items: &[&Provided]) -> Vec<Provided> {
    let from = items.iter().rposition(|item| !is_conditional(item)).unwrap_or(0);
    items[from..].iter().map(|item| (*item).clone()).collect()
}

/// Whether a variable is set to `None` there.
fn is_nothing(variable: &Variable) -> bool {
    let value = variable.value.as_ref();
    let root = value.and_then(|value| value.root().map(|root| value.get(root)));
    matches!(root, Some(Expr::Literal(Literal::None)))
}
