//! What calls give, and what constructing a class calls.

use std::rc::Rc;

use bindery_facts::{DeclKind, Name};
use bindery_graph::{CallView, Construction, Def, FunctionTy, Session, Ty, defaults};

use super::operations;

/// Library classes that are made from what an iterable gives.
const COLLECTIONS: &[&str] = &["list", "set", "frozenset", "tuple", "deque", "Counter", "OrderedSet"];

/// What a decorated declaration is worth. A decorator whose effect is not written leaves the function
/// what it is to a reader: calling the name means the function below the decorator.
pub(super) fn decorated(_: &Session, _: &Def, plain: Ty) -> Ty {
    plain
}

/// What a call gives, seen from the function's body. A written return type of a generator is already
/// that of the iterator; that of a coroutine is what awaiting it gives.
pub(super) fn wrapped_result(session: &Session, function: &Def, value: Ty) -> Ty {
    let decl = function.decl();
    match (decl.flags.is_generator, decl.flags.is_async) {
        (true, _) if decl.returns.is_some() => value,
        (true, false) => session.library_instance("Generator", [value].into()),
        (true, true) => session.library_instance("AsyncGenerator", [value].into()),
        (false, true) => Ty::Awaitable(Rc::new(value)),
        (false, false) => value,
    }
}

/// What constructing a class runs: the first `__init__` in the order of its bases. A base outside the
/// set before it may have one of its own.
pub(super) fn construction(session: &Session, instance: &Ty) -> Construction {
    let Ty::Instance(def, args) = instance else { return Construction::Unknown };
    for base in session.linear(def, args).iter() {
        let Some(base_def) = base.instance_def() else { return Construction::Outside };
        let place = base_def.place();
        let items = session.members(&place.path, &place.owner, &Name::new_static("__init__"));
        let items = super::declared::choose(&items);
        let constructors: Vec<Def> = items
            .iter()
            .filter_map(|item| session.def(item))
            .filter(|def| def.decl().kind == DeclKind::Constructor)
            .collect();
        match constructors.as_slice() {
            [] => {}
            [only] => {
                let subst = defaults::base_subst(session, base);
                let function = FunctionTy { def: only.clone(), receiver: Some(instance.clone()), subst };
                return Construction::Constructor(Rc::new(function));
            }
            _ => return Construction::Unknown,
        }
    }
    Construction::Synthetic(def.clone())
}

/// Results that signatures cannot tell.
pub(super) fn call_result(session: &Session, call: &CallView<'_>) -> Option<Ty> {
    match call.callee {
        Ty::Type(instance) => constructed_collection(session, instance, call),
        Ty::Function(function) if function.def.is_library() => library_result(session, function, call),
        _ => None,
    }
}

fn constructed_collection(session: &Session, instance: &Ty, call: &CallView<'_>) -> Option<Ty> {
    let def = instance.instance_def().filter(|def| def.is_library())?;
    let name = def.decl().name.as_str();
    let first = || (call.args)(0);
    match name {
        "type" if call.arg_count == 1 => Some(first().into_type()),
        "property" => Some(session.result_of_callable(&first(), &[])),
        "staticmethod" | "classmethod" | "partial" => Some(first()),
        "defaultdict" => Some(Ty::Instance(def.clone(), [Ty::Unknown, result_of(session, &first())].into())),
        _ if COLLECTIONS.contains(&name) && call.arg_count > 0 && instance_has_no_args(instance) => {
            Some(Ty::Instance(def.clone(), [operations::element(session, &first(), false)].into()))
        }
        _ => None,
    }
}

fn instance_has_no_args(instance: &Ty) -> bool {
    matches!(instance, Ty::Instance(_, args) if args.is_empty())
}

fn result_of(session: &Session, callable: &Ty) -> Ty {
    match callable {
        Ty::Type(instance) => instance.as_ref().clone(),
        other => session.result_of_callable(other, &[]),
    }
}

fn library_result(session: &Session, function: &FunctionTy, call: &CallView<'_>) -> Option<Ty> {
    let first = || (call.args)(0);
    match function.def.decl().name.as_str() {
        "__new__" => Some(first().into_instance()),
        "super" | "cast" => Some(Ty::Unknown),
        "wraps" | "update_wrapper" => None,
        "map" => {
            let result = result_of(session, &first());
            Some(session.library_instance("Iterator", [result].into()))
        }
        "zip" => {
            let parts: Vec<Ty> = (0..call.arg_count - call.keywords.len())
                .map(|index| operations::element(session, &(call.args)(index), false))
                .collect();
            Some(session.library_instance("Iterator", [Ty::Tuple(parts.into())].into()))
        }
        "enumerate" => {
            let number = session.library_instance("int", [].into());
            let pair = Ty::Tuple([number, operations::element(session, &first(), false)].into());
            Some(session.library_instance("Iterator", [pair].into()))
        }
        "filter" => {
            let element = operations::element(session, &(call.args)(1), false);
            Some(session.library_instance("Iterator", [element].into()))
        }
        "sorted" => {
            let element = operations::element(session, &first(), false);
            Some(session.library_instance("list", [element].into()))
        }
        "iter" | "reversed" => {
            let element = operations::element(session, &first(), false);
            Some(session.library_instance("Iterator", [element].into()))
        }
        "next" | "choice" => Some(operations::element(session, &first(), false)),
        "max" | "min" if call.arg_count - call.keywords.len() == 1 => {
            Some(operations::element(session, &first(), false))
        }
        "getattr" | "vars" => Some(Ty::Unknown),
        _ => None,
    }
}
