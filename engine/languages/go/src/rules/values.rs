//! What operations give: iteration, indexing, channels, predeclared functions.

use std::rc::Rc;

use bindery_facts::{DeclKind, Name};
use bindery_graph::{Builtin, CallView, CallableTy, Def, Session, Ty};

/// How many defined types and type parameters are seen through.
const MAX_STEPS: usize = 16;

/// The type that a defined type is made of in the end, and the only type in a type parameter's
/// constraint (*Underlying types*, *Core types*).
pub(super) fn underlying(session: &Session, ty: &Ty) -> Ty {
    let mut ty = ty.clone();
    for _ in 0..MAX_STEPS {
        let next = match &ty {
            Ty::Instance(def, args) if def.decl().kind == DeclKind::OtherType => {
                let Some(target) = &def.decl().target else { return ty };
                let written = session.written(&def.place(), target);
                session.substituted(&written, &session.args_subst(def, args))
            }
            Ty::Param(def, index) => match constraint(session, def, *index).as_slice() {
                [only] if !is_interface(only) => only.clone(),
                _ => return ty,
            },
            _ => return ty,
        };
        ty = next;
    }
    Ty::Unknown
}

/// What a type parameter is bounded by. A method's are those of its receiver's type, under the method's
/// own names.
pub(super) fn constraint(session: &Session, def: &Def, index: u32) -> Vec<Ty> {
    let own = session.param_bounds(def, index);
    if def.decl().kind != DeclKind::Method || !own.is_empty() {
        return own.iter().map(|bound| bound.ty.clone()).collect();
    }
    let signature = session.signature(def);
    let Some(Ty::Instance(of, args)) = signature.params.first() else { return Vec::new() };
    let bounds = session.param_bounds(of, index);
    let subst = session.args_subst(of, args);
    bounds.iter().map(|bound| session.substituted(&bound.ty, &subst)).collect()
}

/// The function type that a defined type is, if it is one.
pub(super) fn function_of(session: &Session, ty: &Ty) -> Option<Ty> {
    let is_defined = ty.instance_def().is_some_and(|def| def.decl().kind == DeclKind::OtherType);
    let under = is_defined.then(|| underlying(session, ty))?;
    matches!(under, Ty::Callable(_)).then_some(under)
}

fn is_interface(ty: &Ty) -> bool {
    ty.instance_def().is_some_and(|def| def.decl().kind == DeclKind::Interface)
}

/// The library's name of a type, if it is one of the language's own.
fn library_name(ty: &Ty) -> &str {
    match ty.instance_def() {
        Some(def) if def.is_library() => def.decl().name.as_str(),
        _ => "",
    }
}

/// What a loop's one or two variables take (*For statements with range clause*).
pub(super) fn element(session: &Session, base: &Ty) -> Ty {
    let base = underlying(session, &held(session, base));
    let int = || session.builtin(Builtin::Integer, [].into());
    let parts = match library_name(&base) {
        "slice" => vec![int(), base.arg(0)],
        "map" => vec![base.arg(0), base.arg(1)],
        "chan" => vec![base.arg(0)],
        "string" => vec![int(), session.builtin(Builtin::Char, [].into())],
        "int" => vec![int()],
        _ => match &base {
            Ty::Callable(iterator) => match iterator.params.first() {
                Some(Ty::Callable(yielding)) => yielding.params.to_vec(),
                _ => return Ty::Unknown,
            },
            _ => return Ty::Unknown,
        },
    };
    Ty::Tuple(parts.into())
}

/// `base[index]`; of a generic function or type the index is its type argument.
pub(super) fn index(session: &Session, base: &Ty, index: &Ty) -> Ty {
    if matches!(base, Ty::Function(_) | Ty::Type(_)) {
        return match index {
            Ty::Type(argument) => session.with_types(base.clone(), &[(**argument).clone()].into()),
            _ => base.clone(),
        };
    }
    let base = underlying(session, base);
    match library_name(&base) {
        "slice" => base.arg(0),
        "map" => base.arg(1),
        "string" => session.library_instance("byte", [].into()),
        _ => Ty::Unknown,
    }
}

/// The value of an operator. `=` is not one of the language's: it stands before what a variable may hold.
pub(super) fn operation(session: &Session, operator: &str, operands: &[Ty]) -> Ty {
    let Some(first) = operands.first() else { return Ty::Unknown };
    match operator {
        "=" => held(session, first),
        "<-" => match underlying(session, first) {
            channel if library_name(&channel) == "chan" => channel.arg(0),
            _ => Ty::Unknown,
        },
        "!" | "==" => session.builtin(Builtin::Bool, [].into()),
        // An untyped constant takes the type of the other operand.
        "+" => {
            operands.iter().find(|ty| ty.is_known() && library_name(ty).is_empty()).unwrap_or(first).clone()
        }
        _ => first.clone(),
    }
}

/// A function that a variable may hold is known by its type only.
fn held(session: &Session, value: &Ty) -> Ty {
    match value {
        Ty::Function(function) => {
            let signature = session.signature(&function.def);
            let taken = usize::from(function.receiver.is_some());
            Ty::Callable(Rc::new(CallableTy {
                params: signature.params.iter().skip(taken).cloned().collect(),
                result: session.result_of_callable(value, &[]),
            }))
        }
        Ty::Closure(_) => Ty::Callable(Rc::new(CallableTy {
            params: [].into(),
            result: session.result_of_callable(value, &[]),
        })),
        Ty::Type(_) | Ty::Module(_) | Ty::External(_) => Ty::Unknown,
        Ty::Alternatives(all) => Ty::alternatives(all.iter().map(|one| held(session, one)).collect()),
        other => other.clone(),
    }
}

/// The predeclared functions whose result their signature cannot tell.
pub(super) fn call_result(call: &CallView<'_>) -> Option<Ty> {
    let Ty::Function(function) = call.callee else { return None };
    if !function.def.is_library() || !function.def.decl().owner.as_str().eq("builtin") {
        return None;
    }
    match function.def.decl().name.as_str() {
        "append" | "make" | "new" | "min" | "max" => Some((call.args)(0)),
        _ => None,
    }
}

/// The name under which the library has a type that the language makes without naming it.
pub(super) fn builtin_name(builtin: Builtin) -> Option<&'static str> {
    Some(match builtin {
        Builtin::String => "string",
        Builtin::Char => "rune",
        Builtin::Integer => "int",
        Builtin::Float => "float64",
        Builtin::Bool => "bool",
        Builtin::List | Builtin::Array | Builtin::Slice => "slice",
        Builtin::Map => "map",
        _ => return None,
    })
}

/// Whether a name is exported.
pub(super) fn is_exported(name: &Name) -> bool {
    name.starts_with(char::is_uppercase)
}
