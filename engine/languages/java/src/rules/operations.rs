//! What literals, operators, arrays and loops give.

use bindery_facts::{Literal, Segment};
use bindery_graph::{Args, Builtin, Def, Session, Ty};

use super::packages;

/// The library's name for arrays: no Java identifier has a `_` alone behind it.
pub(super) const ARRAY: &str = "Array_";

/// The primitive types from narrow to wide, as far as one is converted to the next (JLS 5.1.2).
const NUMBERS: &[&str] = &["byte", "short", "int", "long", "float", "double"];

/// Primitive types and the classes they are boxed to (JLS 5.1.7).
const BOXES: &[(&str, &str)] = &[
    ("boolean", "Boolean"),
    ("byte", "Byte"),
    ("short", "Short"),
    ("char", "Character"),
    ("int", "Integer"),
    ("long", "Long"),
    ("float", "Float"),
    ("double", "Double"),
];

/// A written primitive type.
pub(super) fn primitive(session: &Session, segments: &[Segment]) -> Option<Ty> {
    let [only] = segments else { return None };
    let is_primitive = BOXES.iter().any(|(name, _)| only.name == *name);
    is_primitive.then(|| session.library_instance(&only.name, [].into()))
}

/// A type of `java.lang`: the set's own if it has one.
pub(super) fn platform(session: &Session, name: &str, args: Args) -> Ty {
    match packages::set_type(session, session.path(), "java.lang", name) {
        Some(Ty::Type(instance)) => match instance.as_ref() {
            Ty::Instance(def, _) => Ty::Instance(def.clone(), args),
            _ => Ty::Unknown,
        },
        _ => session.library_instance(name, args),
    }
}

/// `java.lang.Object`.
pub(super) fn object(session: &Session) -> Ty {
    platform(session, "Object", [].into())
}

/// The type of a literal; `null` fits every type that is not primitive.
pub(super) fn literal(session: &Session, literal: Literal) -> Ty {
    match literal {
        Literal::String => platform(session, "String", [].into()),
        Literal::None => Ty::Never,
        Literal::Char => session.builtin(Builtin::Char, [].into()),
        Literal::Integer => session.builtin(Builtin::Integer, [].into()),
        Literal::Float => session.builtin(Builtin::Float, [].into()),
        Literal::Bool => session.builtin(Builtin::Bool, [].into()),
        _ => Ty::Unknown,
    }
}

/// The name of a primitive type.
pub(super) fn primitive_name(ty: &Ty) -> Option<&str> {
    let name = ty.instance_def().filter(|def| def.is_library())?.decl().name.as_str();
    BOXES.iter().find(|(primitive, _)| *primitive == name).map(|(primitive, _)| *primitive)
}

/// The primitive type that a value of this type is, or is unboxed to.
pub(super) fn unboxed_name(ty: &Ty) -> Option<&'static str> {
    let def = ty.instance_def()?;
    let name = def.decl().name.as_str();
    let boxed = BOXES.iter().find(|(_, class)| *class == name).filter(|_| is_of_java_lang(def));
    let primitive = BOXES.iter().find(|(primitive, _)| *primitive == name).filter(|_| def.is_library());
    boxed.or(primitive).map(|(primitive, _)| *primitive)
}

fn is_of_java_lang(def: &Def) -> bool {
    match def.is_library() {
        true => def.decl().owner == "java.lang",
        false => def.decl().owner.is_empty() && def.path().contains("java/lang/"),
    }
}

/// The class that a primitive value is boxed to.
pub(super) fn boxed(session: &Session, primitive: &str) -> Ty {
    let class = BOXES.iter().find(|(name, _)| *name == primitive);
    class.map_or(Ty::Unknown, |(_, class)| platform(session, class, [].into()))
}

/// Whether a primitive type is widened to another, or is the same (JLS 5.1.2).
pub(super) fn widens(from: &str, to: &str) -> bool {
    let place = |name: &str| NUMBERS.iter().position(|number| *number == name);
    match (from, place(from), place(to)) {
        _ if from == to => true,
        (_, Some(from), Some(to)) => from <= to,
        ("char", None, Some(to)) => to >= 2,
        _ => false,
    }
}

/// The value of an operator (JLS 15.15 to 15.22).
pub(super) fn operation(session: &Session, operator: &str, operands: &[Ty]) -> Ty {
    let string = literal(session, Literal::String);
    if operator == "+" && operands.len() == 2 && operands.contains(&string) {
        return string;
    }
    let names: Option<Vec<&str>> = operands.iter().map(unboxed_name).collect();
    let Some(names) = names else { return Ty::Unknown };
    if names.iter().all(|name| *name == "boolean") {
        return session.builtin(Builtin::Bool, [].into());
    }
    let promoted = |name: &str| NUMBERS.iter().position(|number| *number == name).unwrap_or(2).max(2);
    let widest = match operator {
        // The type of a shift is that of its left operand.
        "<<" | ">>" | ">>>" => names.first().map(|name| promoted(name)),
        _ => names.iter().map(|name| promoted(name)).max(),
    };
    widest.map_or(Ty::Unknown, |at| session.library_instance(NUMBERS[at], [].into()))
}

/// Whether a type is that of arrays.
pub(super) fn is_array(def: &Def) -> bool {
    def.is_library() && def.decl().name == ARRAY
}

/// Whether no type outside the platform can be a subtype: primitive types, arrays, and final classes of
/// `java.lang`.
pub(super) fn is_final(ty: &Ty) -> bool {
    let Some(def) = ty.instance_def() else { return false };
    let is_final_class =
        || matches!(def.decl().name.as_str(), "String" | "Class" | "StringBuilder" | "StringBuffer");
    unboxed_name(ty).is_some() || is_array(def) || is_of_java_lang(def) && is_final_class()
}

/// What the elements of an array are.
pub(super) fn array_element(ty: &Ty) -> Option<Ty> {
    let Ty::Instance(def, args) = ty else { return None };
    is_array(def).then(|| args.first().cloned().unwrap_or_default())
}

/// What an enhanced `for` goes over: the elements of an array or of an `Iterable` (JLS 14.14.2).
pub(super) fn element(session: &Session, base: &Ty) -> Ty {
    if let Some(element) = array_element(base) {
        return element;
    }
    match base {
        Ty::Param(def, index) => {
            let bounds = session.param_bounds(def, *index);
            let elements = bounds.iter().map(|bound| element_of_bound(session, &bound.ty));
            elements.into_iter().find(Ty::is_known).unwrap_or_default()
        }
        _ => element_of_bound(session, base),
    }
}

fn element_of_bound(session: &Session, base: &Ty) -> Ty {
    let Ty::Instance(def, args) = base else { return Ty::Unknown };
    let iterable = platform(session, "Iterable", [].into());
    let bases = session.linear(def, args);
    let found = bases.iter().find(|base| base.instance_def() == iterable.instance_def());
    found.map_or(Ty::Unknown, |iterable| iterable.arg(0))
}

/// The component of a record that a record pattern takes apart.
pub(super) fn component(session: &Session, base: &Ty, index: u32) -> Ty {
    let Ty::Instance(def, args) = base else { return Ty::Unknown };
    if def.decl().kind != bindery_facts::DeclKind::Record {
        return Ty::Unknown;
    }
    let ty = session.param(def, index as usize);
    if args.is_empty() { ty } else { session.substituted(&ty, &session.args_subst(def, args)) }
}
