//! Operators, indexing, iteration, `?`, `await` and the standard library's macros.

use bindery_facts::{Expr, ExprIndex, Name};
use bindery_graph::{Builtin, CallView, Session, Ty};

use super::traits::{deref, library_associated};

/// How far smart pointers are followed.
const MAX_DEREFS: usize = 6;

/// `value`, what it derefs to, and so on.
pub(super) fn deref_chain<'s>(session: &'s Session, value: &Ty) -> impl Iterator<Item = Ty> + use<'s> {
    let mut next = Some(value.clone());
    std::iter::from_fn(move || {
        let value = next.take()?;
        next = deref(session, &value);
        Some(value)
    })
    .take(MAX_DEREFS)
}

/// What a loop over `base` gives: `IntoIterator::Item`, of what it derefs to where it has none itself.
pub(super) fn element(session: &Session, base: &Ty) -> Ty {
    let item = Name::new_static("Item");
    deref_chain(session, base)
        .map(|value| session.associated(value, None, &item))
        .find(Ty::is_known)
        .unwrap_or_default()
}

/// `base[index]`.
pub(super) fn index(session: &Session, base: &Ty, index: &Ty) -> Ty {
    let is_range =
        index.instance_def().is_some_and(|def| def.is_library() && def.decl().name.starts_with("Range"));
    for value in deref_chain(session, base) {
        let output = library_associated(session, &value, "Index", "Output");
        if output.is_known() {
            return if is_range && value.instance_def().is_some_and(|def| def.is_library()) {
                value
            } else {
                output
            };
        }
    }
    Ty::Unknown
}

/// The output of a future.
pub(super) fn awaited(session: &Session, base: &Ty) -> Ty {
    let outputs = deref_chain(session, base).map(|value| match value {
        Ty::Awaitable(inner) => inner.as_ref().clone(),
        value => {
            let future = library_associated(session, &value, "Future", "Output");
            if future.is_known() {
                future
            } else {
                library_associated(session, &value, "IntoFuture", "Output")
            }
        }
    });
    outputs.into_iter().find(Ty::is_known).unwrap_or_default()
}

/// The value inside `Option` and `Result`.
pub(super) fn tried(base: &Ty) -> Ty {
    match base {
        Ty::Instance(def, _)
            if def.is_library() && matches!(def.decl().name.as_str(), "Option" | "Result") =>
        {
            base.arg(0)
        }
        Ty::Instance(def, _) if def.is_library() && def.decl().name == "Poll" => base.arg(0),
        _ => Ty::Unknown,
    }
}

/// `*base`: what a smart pointer points to; references are not seen.
pub(super) fn dereferenced(session: &Session, base: &Ty) -> Ty {
    let is_collection = base.instance_def().is_some_and(|def| {
        def.is_library() && matches!(def.decl().name.as_str(), "Vec" | "String" | "PathBuf" | "OsString")
    });
    if is_collection {
        return base.clone();
    }
    deref(session, base).unwrap_or_else(|| base.clone())
}

/// The value of an operator.
pub(super) fn operation(session: &Session, operator: &str, operands: &[Ty]) -> Ty {
    let first = operands.first().cloned().unwrap_or_default();
    match operator {
        "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => session.builtin(Builtin::Bool, [].into()),
        "!" | "-" if operands.len() == 1 => match &first {
            Ty::Instance(def, _) if def.is_library() => first,
            _ => library_associated(session, &first, if operator == "!" { "Not" } else { "Neg" }, "Output"),
        },
        _ => binary(session, operator, &first),
    }
}

fn binary(session: &Session, operator: &str, first: &Ty) -> Ty {
    let of_trait = match operator {
        "+" => "Add",
        "-" => "Sub",
        "*" => "Mul",
        "/" => "Div",
        "%" => "Rem",
        "&" => "BitAnd",
        "|" => "BitOr",
        "^" => "BitXor",
        "<<" => "Shl",
        ">>" => "Shr",
        _ => return Ty::Unknown,
    };
    match first {
        Ty::Instance(def, args) if def.is_library() && args.is_empty() => first.clone(),
        _ => library_associated(session, first, of_trait, "Output"),
    }
}

/// Macros of the standard library and the compiler.
const MACROS: &[&str] = &[
    "addr_of",
    "addr_of_mut",
    "asm",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "global_asm",
    "include",
    "include_bytes",
    "include_str",
    "is_x86_feature_detected",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "pin",
    "print",
    "println",
    "ready",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Whether a macro is one of them.
pub(super) fn is_builtin_macro(name: &Name) -> bool {
    MACROS.contains(&name.strip_prefix("std::").unwrap_or(name))
}

/// The value of a macro of the standard library.
pub(super) fn macro_value(session: &Session, name: &Name, args: &[ExprIndex]) -> Ty {
    let library = |name: &str| session.library_instance(name, [].into());
    match name.rsplit("::").next().unwrap_or(name) {
        "format" => library("String"),
        "vec" => {
            let element = session.joined(args.iter().take(1).map(|arg| session.ty(*arg)));
            session.library_instance("Vec", [element].into())
        }
        "matches" | "cfg" => library("bool"),
        "concat" | "stringify" | "env" | "file" | "module_path" | "include_str" => library("str"),
        "line" | "column" => library("u32"),
        "panic" | "todo" | "unimplemented" | "unreachable" => Ty::Never,
        "dbg" | "pin" if args.len() == 1 => session.ty(args[0]),
        "ready" if args.len() == 1 => polled(session.ty(args[0])),
        _ => Ty::Unknown,
    }
}

/// What `std::task::ready!` takes out of a `Poll`.
fn polled(poll: Ty) -> Ty {
    match &poll {
        Ty::Instance(def, _) if def.is_library() && def.decl().name == "Poll" => poll.arg(0),
        _ => poll,
    }
}

/// The results that signatures cannot say: `collect::<Vec<_>>()`.
pub(super) fn call_result(session: &Session, call: &CallView<'_>) -> Option<Ty> {
    let Ty::Function(function) = call.callee else { return None };
    if !function.def.is_library() || function.def.decl().name != "collect" {
        return None;
    }
    let (_, collection) = function.subst.iter().find(|(id, _)| id.owner == function.def.id())?;
    let item = element(session, function.receiver.as_ref()?);
    Some(collected(session, collection.clone(), item))
}

/// A collection type with what its type leaves open filled in from the items collected into it.
fn collected(session: &Session, collection: Ty, item: Ty) -> Ty {
    let Ty::Instance(def, args) = &collection else { return collection };
    let from_items = match def.decl().name.as_str() {
        "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "BinaryHeap" | "LinkedList" | "Box" => vec![item],
        "HashMap" | "BTreeMap" => match item {
            Ty::Tuple(parts) => parts.to_vec(),
            _ => return collection,
        },
        "Result" | "Option" => match item.instance_def() == Some(def) {
            true => {
                let inner = collected(session, collection.arg(0), item.arg(0));
                vec![inner, item.arg(1)]
            }
            false => return collection,
        },
        _ => return collection,
    };
    let filled = Ty::Instance(def.clone(), from_items.into());
    let _ = args;
    session.merged(collection.clone(), filled)
}

/// See [`bindery_graph::Rules::filled`]: `let x: Vec<_> = ….collect()`.
pub(super) fn filled(session: &Session, written: Ty, value: ExprIndex) -> Ty {
    let mut call = value;
    if let Expr::Try(inner) = session.body_expr(value) {
        call = *inner;
    }
    if let Expr::Call { callee, .. } = session.body_expr(call)
        && let Expr::Member { base, name, .. } = session.body_expr(*callee)
        && name == "collect"
    {
        let mut item = element(session, &session.ty(*base));
        if call != value {
            item = tried(&item);
        }
        return collected(session, written, item);
    }
    session.merged(written, session.ty(value))
}
