//! What operators, iteration, subscripts, `await` and `with` give.

use bindery_facts::Name;
use bindery_graph::{Def, Namespace, ParamId, Session, Ty};

/// Special methods of binary operators (Data model, "Emulating numeric types").
const OPERATORS: &[(&str, &str)] = &[
    ("+", "__add__"),
    ("-", "__sub__"),
    ("*", "__mul__"),
    ("/", "__truediv__"),
    ("//", "__floordiv__"),
    ("%", "__mod__"),
    ("@", "__matmul__"),
    ("&", "__and__"),
    ("|", "__or__"),
    ("^", "__xor__"),
    ("<<", "__lshift__"),
    (">>", "__rshift__"),
    ("**", "__pow__"),
];

/// A receiver that may be of a derived type, as an instance of the class it is written in.
fn concrete(session: &Session, value: &Ty) -> Ty {
    match value {
        Ty::Param(def, index) if *index == ParamId::SELF => {
            Ty::Instance(def.clone(), session.own_params(def))
        }
        other => other.clone(),
    }
}

/// What calling the special method `name` of a value gives.
pub(super) fn special(session: &Session, value: &Ty, name: &'static str) -> Ty {
    let member = session.rules().member(
        session,
        &session.file_place(),
        value,
        &Name::new_static(name),
        Namespace::Value,
    );
    match member {
        Ty::Function(_) => session.result_of_callable(&member, &[]),
        _ => Ty::Unknown,
    }
}

/// The type argument that a value's base of this library name has.
fn argument_of(session: &Session, value: &Ty, class: &str, index: usize) -> Option<Ty> {
    let Ty::Instance(def, args) = value else { return None };
    let bases = session.linear(def, args);
    let is_named = |def: &Def| def.is_library() && def.decl().name == class;
    let base = bases.iter().find(|base| base.instance_def().is_some_and(is_named))?;
    Some(base.arg(index)).filter(|ty| ty.is_known() && !matches!(ty, Ty::Param(..)))
}

fn is_library(value: &Ty) -> bool {
    value.instance_def().is_some_and(|def| def.is_library())
}

fn each(session: &Session, members: &[Ty], of: impl Fn(&Ty) -> Ty) -> Ty {
    session.joined(members.iter().map(of))
}

/// What iterating over a value gives.
pub(super) fn element(session: &Session, base: &Ty, is_async: bool) -> Ty {
    let base = &concrete(session, base);
    match base {
        Ty::Tuple(parts) => session.joined(parts.iter().cloned()),
        Ty::Union(members) => each(session, members, |member| element(session, member, is_async)),
        Ty::Type(instance) => enum_element(session, instance),
        Ty::Instance(..) if is_async => async_element(session, base),
        Ty::Instance(..) => {
            if let Some(element) = argument_of(session, base, "Iterable", 0) {
                return element;
            }
            if is_library(base) {
                return Ty::Unknown;
            }
            let iterator = special(session, base, "__iter__");
            iterated(session, &iterator)
        }
        _ => Ty::Unknown,
    }
}

fn enum_element(session: &Session, instance: &Ty) -> Ty {
    match instance.instance_def() {
        Some(def) if super::members::is_enum(session, def) => instance.clone(),
        _ => Ty::Unknown,
    }
}

/// What an iterator gives one after the other.
fn iterated(session: &Session, iterator: &Ty) -> Ty {
    match argument_of(session, iterator, "Iterable", 0) {
        Some(element) => element,
        None => special(session, iterator, "__next__"),
    }
}

fn async_element(session: &Session, base: &Ty) -> Ty {
    if let Some(element) = argument_of(session, base, "AsyncIterable", 0) {
        return element;
    }
    // A generator function that is `async` is an asynchronous one.
    if let Some(element) = argument_of(session, base, "Iterable", 0) {
        return element;
    }
    let iterator = special(session, base, "__aiter__");
    match argument_of(session, &iterator, "AsyncIterable", 0) {
        Some(element) => element,
        None => awaited(session, &special(session, &iterator, "__anext__")),
    }
}

/// `base[index]`.
pub(super) fn index(session: &Session, base: &Ty, index: &Ty) -> Ty {
    let base = &concrete(session, base);
    let is_slice = index.instance_def().is_some_and(|def| def.is_library() && def.decl().name == "slice");
    match base {
        Ty::Union(members) => each(session, members, |member| self::index(session, member, index)),
        // `list[int]` names a class.
        Ty::Type(_) => base.clone(),
        Ty::Tuple(_) if is_slice => Ty::Unknown,
        Ty::Tuple(parts) => session.joined(parts.iter().cloned()),
        Ty::Instance(..) if is_library(base) && is_slice => base.clone(),
        Ty::Instance(..) => argument_of(session, base, "Mapping", 1)
            .or_else(|| argument_of(session, base, "Sequence", 0))
            .unwrap_or_else(|| special(session, base, "__getitem__")),
        _ => Ty::Unknown,
    }
}

/// `await base`.
pub(super) fn awaited(session: &Session, base: &Ty) -> Ty {
    match base {
        Ty::Awaitable(inner) => inner.as_ref().clone(),
        Ty::Union(members) => each(session, members, |member| awaited(session, member)),
        Ty::Instance(..) => argument_of(session, base, "Awaitable", 0).unwrap_or_default(),
        _ => Ty::Unknown,
    }
}

/// What `with base as name` binds. A generator stands for the context manager that `contextlib` makes
/// of it.
pub(super) fn entered(session: &Session, base: &Ty, is_async: bool) -> Ty {
    match base {
        Ty::Union(members) => each(session, members, |member| entered(session, member, is_async)),
        _ if is_generator(base) => element(session, base, is_async),
        Ty::Instance(..) | Ty::Param(..) if is_async => {
            awaited(session, &special(session, base, "__aenter__"))
        }
        Ty::Instance(..) | Ty::Param(..) => special(session, base, "__enter__"),
        _ => Ty::Unknown,
    }
}

fn is_generator(base: &Ty) -> bool {
    const NAMES: [&str; 5] = ["Generator", "Iterator", "Iterable", "AsyncGenerator", "AsyncIterator"];
    base.instance_def().is_some_and(|def| def.is_library() && NAMES.contains(&def.decl().name.as_str()))
}

/// The value of an operator: what the left operand's special method gives; augmented assignments keep
/// the type unless it says otherwise.
pub(super) fn operation(session: &Session, operator: &str, operands: &[Ty]) -> Ty {
    let [left, right] = operands else { return Ty::Unknown };
    let left = &concrete(session, left);
    if let Ty::Union(members) = left {
        return each(session, members, |member| {
            operation(session, operator, &[member.clone(), right.clone()])
        });
    }
    let (plain, is_augmented) = match operator.strip_suffix('=') {
        Some(plain) => (plain, true),
        None => (operator, false),
    };
    let Some((_, method)) = OPERATORS.iter().find(|(sign, _)| *sign == plain) else { return Ty::Unknown };
    if is_library(left) && is_augmented {
        return left.clone();
    }
    special(session, left, method)
}
