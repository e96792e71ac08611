//! The order in which classes are searched.

use std::rc::Rc;

use bindery_facts::Name;
use bindery_graph::{Args, Builtin, Def, Session, Ty};

/// The method resolution order: the C3 merge of the bases' own orders and the list of bases
/// (Python 2.3 "The Python Method Resolution Order"; Data model, "Customizing class creation").
/// `object` comes last. A base that is not known, or outside the set, stands for itself alone.
pub(super) fn linearization(session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
    let this = Ty::Instance(def.clone(), args.clone());
    let place = def.place();
    let bases: Vec<Ty> = def
        .decl()
        .supertypes
        .iter()
        .map(|written| session.written(&place, written))
        .filter(|base| !is_marker(base))
        .collect();
    let mut sequences: Vec<Vec<Ty>> = bases.iter().map(|base| order_of(session, base)).collect();
    sequences.push(bases);
    let object = session.builtin(Builtin::Object, [].into());
    let is_object = def.is_library() && def.decl().name == "object";
    let mut order = vec![this];
    order.extend(merge(sequences).into_iter().filter(|base| *base != object));
    if !is_object && object.is_known() {
        order.push(object);
    }
    order.into()
}

/// `Generic[T]` and `Protocol` say something of the class and bring no members.
fn is_marker(base: &Ty) -> bool {
    base.instance_def().is_some_and(|def| {
        def.is_library() && matches!(def.decl().name.as_str(), "Generic" | "Protocol" | "object")
    })
}

fn order_of(session: &Session, base: &Ty) -> Vec<Ty> {
    match base {
        Ty::Instance(def, args) => session.linear(def, args).to_vec(),
        other => vec![other.clone()],
    }
}

/// Merges orders: always the first head that stands in no other tail. Where there is none the order
/// is not defined, and what is left follows in the order it is written.
fn merge(mut sequences: Vec<Vec<Ty>>) -> Vec<Ty> {
    let mut merged = Vec::new();
    loop {
        sequences.retain(|sequence| !sequence.is_empty());
        if sequences.is_empty() {
            return merged;
        }
        let is_free =
            |head: &Ty| sequences.iter().all(|other| !other[1..].iter().any(|ty| is_same(ty, head)));
        let free = sequences.iter().position(|sequence| is_free(&sequence[0])).unwrap_or(0);
        let next = sequences[free].remove(0);
        for sequence in &mut sequences {
            sequence.retain(|ty| !is_same(ty, &next));
        }
        merged.push(next);
    }
}

/// Whether two entries are one class, whatever its type arguments. Unknown ones are never the same.
fn is_same(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Instance(a, _), Ty::Instance(b, _)) => a == b,
        (Ty::Unknown, Ty::Unknown) => false,
        _ => a == b,
    }
}

/// Whether a member that a class does not show may come from a base outside the set. What `object` and
/// `ABC` have is known, and so is an attribute that a class of the set assigns.
pub(super) fn may_inherit(session: &Session, receiver: &Ty, name: &Name) -> bool {
    let (def, args) = match receiver {
        Ty::Instance(def, args) | Ty::Super(def, args) => (def, args),
        Ty::Type(inner) => return may_inherit(session, inner, name),
        _ => return false,
    };
    let bases = session.linear(def, args);
    let is_assigned = |base: &Ty| {
        let place = base.instance_def().map(|def| def.place());
        place.is_some_and(|place| {
            session.members(&place.path, &place.owner, name).iter().any(|item| item.variable().is_some())
        })
    };
    let is_outside = |base: &Ty| {
        base.instance_def()
            .is_none_or(|def| def.is_library() && !matches!(def.decl().name.as_str(), "object" | "ABC"))
    };
    !bases.iter().any(is_assigned) && bases.iter().skip(1).any(is_outside)
}
