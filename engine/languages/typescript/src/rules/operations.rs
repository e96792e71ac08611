//! What operators, iteration, subscripts and `await` give.

use bindery_facts::{Literal, Name};
use bindery_graph::{Bound, Builtin, Def, LANGUAGE_GUARD, Namespace, Session, Ty, defaults};

use crate::adapter::types::PREDICATE;

/// Guards operations against types that lead back to themselves.
const OPERATION_GUARD: u8 = LANGUAGE_GUARD + 2;

/// The type argument that a value's base of this library name has.
fn argument_of(session: &Session, value: &Ty, class: &str, index: usize) -> Option<Ty> {
    let Ty::Instance(def, args) = value else { return None };
    let bases = session.linear(def, args);
    let is_named = |def: &Def| def.is_library() && def.decl().name == class;
    let base = bases.iter().find(|base| base.instance_def().is_some_and(is_named))?;
    Some(base.arg(index)).filter(|ty| ty.is_known() && !matches!(ty, Ty::Param(..)))
}

/// What iterating over a value gives.
pub(super) fn element(session: &Session, base: &Ty, is_async: bool) -> Ty {
    match base {
        Ty::Tuple(parts) => session.joined(parts.iter().cloned()),
        Ty::Union(members) => session.joined(members.iter().map(|member| element(session, member, is_async))),
        Ty::Param(def, index) if *index != bindery_graph::ParamId::SELF => {
            let bounds = session.param_bounds(def, *index);
            let of_bound =
                || bounds.first().map_or(Ty::Unknown, |bound| element(session, &bound.ty, is_async));
            session.guarded(OPERATION_GUARD, def.id() * 64 + index, &Name::default(), of_bound)
        }
        Ty::Instance(..) => {
            let classes: &[&str] = if is_async { &["AsyncIterable", "Iterable"] } else { &["Iterable"] };
            let found = classes.iter().find_map(|class| argument_of(session, base, class, 0));
            found.unwrap_or_default()
        }
        _ => Ty::Unknown,
    }
}

/// `base[index]`.
pub(super) fn index(session: &Session, base: &Ty, index: &Ty) -> Ty {
    let _ = index;
    match base {
        Ty::Tuple(parts) => session.joined(parts.iter().cloned()),
        Ty::Union(members) => {
            session.joined(members.iter().map(|member| self::index(session, member, index)))
        }
        Ty::Instance(def, args) if def.is_library() => match def.decl().name.as_str() {
            "Record" => args.get(1).cloned().unwrap_or_default(),
            "string" => base.clone(),
            _ => argument_of(session, base, "ArrayLike", 0).unwrap_or_default(),
        },
        Ty::Instance(..) => argument_of(session, base, "ArrayLike", 0).unwrap_or_default(),
        _ => Ty::Unknown,
    }
}

/// The part number `index` of a destructured array; of a function type, what it is called with there.
pub(super) fn item(session: &Session, base: &Ty, index: u32) -> Ty {
    match base {
        Ty::Callable(callable) => callable.params.get(index as usize).cloned().unwrap_or_default(),
        Ty::Function(function) => {
            session.signature(&function.def).params.get(index as usize).cloned().unwrap_or_default()
        }
        Ty::Instance(def, _) if !def.is_library() => {
            let place = session.file_place();
            let name = Name::new_static(crate::adapter::CALL_MEMBER);
            match session.rules().member(session, &place, base, &name, Namespace::Value) {
                Ty::Callable(callable) => callable.params.get(index as usize).cloned().unwrap_or_default(),
                _ => element(session, base, false),
            }
        }
        _ => element(session, base, false),
    }
}

pub(super) fn awaited(session: &Session, base: &Ty) -> Ty {
    match base {
        Ty::Awaitable(inner) => awaited(session, inner),
        Ty::Union(members) => session.joined(members.iter().map(|member| awaited(session, member))),
        Ty::Instance(def, _) => match argument_of(session, base, "PromiseLike", 0) {
            // A promise of itself has no end.
            Some(inner) => {
                let name = Name::new_static("await");
                session.guarded(OPERATION_GUARD, def.id(), &name, || awaited(session, &inner))
            }
            None if is_promise(session, base) => Ty::Unknown,
            None => base.clone(),
        },
        Ty::Unknown | Ty::ExternalInstance(_) | Ty::External(_) => Ty::Unknown,
        other => other.clone(),
    }
}

fn is_promise(session: &Session, value: &Ty) -> bool {
    let Ty::Instance(def, args) = value else { return false };
    let bases = session.linear(def, args);
    bases.iter().any(|base| {
        base.instance_def().is_none_or(|def| def.is_library() && def.decl().name == "PromiseLike")
    })
}

/// The value of an operator, or of an object literal by the names of its properties.
pub(super) fn operation(session: &Session, operator: &str, operands: &[Ty]) -> Ty {
    if let Some(names) = operator.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return object(names, operands);
    }
    if let (crate::PROVEN, [check, before]) = (operator, operands) {
        return proven(check).unwrap_or_else(|| before.clone());
    }
    let string = session.builtin(Builtin::String, [].into());
    if operator == "+" && operands.contains(&string) {
        return string;
    }
    if operator == "+" && operands.contains(&Ty::Unknown) {
        return Ty::Unknown;
    }
    defaults::literal(session, Literal::Integer)
}

/// The members of an object literal: what stands later counts. Nothing is said of one into which
/// something unknown is spread.
fn object(names: &str, operands: &[Ty]) -> Ty {
    let mut bounds: Vec<Bound> = Vec::new();
    let names: Vec<&str> = names.split(',').collect();
    for (name, ty) in names.into_iter().zip(operands).rev() {
        if name == crate::SPREAD {
            if !ty.is_known() {
                return Ty::Unknown;
            }
            bounds.push(Bound { ty: ty.clone(), bindings: [].into() });
        } else {
            bounds.push(Bound { ty: Ty::Unknown, bindings: [(Name::from(name), ty.clone())].into() });
        }
    }
    Ty::Bounded(bounds.into())
}

/// The type that the result of a type guard proves.
fn proven(check: &Ty) -> Option<Ty> {
    let Ty::Bounded(bounds) = check else { return None };
    let (name, ty) = bounds.first()?.bindings.first()?;
    (name == PREDICATE && ty.is_known() && !ty.is_generic()).then(|| ty.clone())
}

/// A call of an asynchronous function gives a promise, of a generator an iterator.
pub(super) fn wrapped_result(session: &Session, function: &Def, value: Ty) -> Ty {
    let decl = function.decl();
    if decl.returns.is_some() || function.is_library() {
        return value;
    }
    if decl.flags.is_generator {
        return Ty::Unknown;
    }
    if decl.flags.is_async {
        session.library_instance("Promise", [awaited(session, &value)].into())
    } else {
        value
    }
}
