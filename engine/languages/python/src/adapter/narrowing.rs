//! What a condition proves about the types of names.

use bindery_facts::{Name, TypeExpr};
use bindery_syntax::NodeIndex;

use super::kinds::{Field, Kind, PythonTree, dotted_text, unparenthesized};
use super::type_text::type_expr;

/// That a name, or an attribute reached through one (`self.x`), has a type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Proof {
    pub(super) name: Name,
    pub(super) ty: TypeExpr,
}

/// The most parts of a condition that are looked at.
const PART_LIMIT: usize = 64;

/// What is proven where the condition has the value `outcome`. Only `isinstance` proves types; `and`,
/// `or`, `not` and parentheses are followed.
pub(super) fn proofs(tree: &PythonTree, source: &str, condition: NodeIndex, outcome: bool) -> Vec<Proof> {
    let mut found = Vec::new();
    if !tree.text(condition, source).contains("isinstance") {
        return found;
    }
    let mut parts = vec![(condition, outcome)];
    for _ in 0..PART_LIMIT {
        let Some((part, outcome)) = parts.pop() else { break };
        let part = unparenthesized(tree, part);
        match tree.kind(part) {
            Kind::NotOperator => parts.extend(tree.children(part).map(|inner| (inner, !outcome))),
            // Both operands have the outcome only if an `and` holds or an `or` fails.
            Kind::BooleanOperator if is_and(tree, source, part) == outcome => {
                parts.extend(tree.children(part).map(|operand| (operand, outcome)));
            }
            Kind::Call if outcome => found.extend(isinstance(tree, source, part)),
            _ => {}
        }
    }
    found
}

/// Whether a boolean operator is `and`.
pub(super) fn is_and(tree: &PythonTree, source: &str, operator: NodeIndex) -> bool {
    let sides = (tree.child(operator, Field::Left), tree.child(operator, Field::Right));
    let (Some(left), Some(right)) = sides else { return false };
    let between = tree.node(left).end as usize..tree.node(right).start as usize;
    source.get(between).is_some_and(|text| text.contains("and"))
}

fn isinstance(tree: &PythonTree, source: &str, call: NodeIndex) -> Option<Proof> {
    let function = tree.child(call, Field::Function)?;
    let arguments = tree.child(call, Field::Arguments)?;
    let mut arguments = tree.children(arguments);
    let (subject, types) = (arguments.next()?, arguments.next()?);
    if tree.text(function, source) != "isinstance" {
        return None;
    }
    let name = dotted_text(tree, subject, source)?;
    Some(Proof { name: name.into(), ty: one_of(type_expr(tree.text(types, source))) })
}

/// The tuple in the second place of `isinstance` means any of its members.
fn one_of(ty: TypeExpr) -> TypeExpr {
    match ty {
        TypeExpr::Tuple(members) => TypeExpr::Union(members.into_iter().map(one_of).collect()),
        other => other,
    }
}
