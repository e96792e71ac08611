//! What reading an attribute gives.

use std::rc::Rc;

use bindery_facts::{Name, Segment, VariableKind};
use bindery_graph::{
    Builtin, Def, External, FunctionTy, Namespace, ParamId, Place, Session, Subst, Ty, defaults,
};

/// Names the typing module gives meaning to, as the built-in classes they stand for.
const TYPING_ALIASES: &[(&str, &str)] = &[
    ("List", "list"),
    ("Dict", "dict"),
    ("Set", "set"),
    ("FrozenSet", "frozenset"),
    ("Text", "str"),
    ("Tuple", "tuple"),
    ("Deque", "deque"),
    ("DefaultDict", "defaultdict"),
    ("OrderedDict", "OrderedDict"),
    ("Counter", "Counter"),
];

/// The instance type of a written path that means more than a name in scope.
pub(super) fn written_path(session: &Session, place: &Place, segments: &[Segment]) -> Option<Ty> {
    let last = segments.last()?;
    if last.name == "None" && segments.len() == 1 {
        return Some(session.builtin(Builtin::None, [].into()));
    }
    let from_typing = match segments {
        [_] => None,
        [module, _] => Some(module.name.as_str()),
        _ => return None,
    };
    if from_typing.is_some_and(|module| !matches!(module, "typing" | "t" | "te" | "typing_extensions")) {
        return None;
    }
    if last.name == "Self" {
        return enclosing_class(session, place).map(|class| Ty::Param(class, ParamId::SELF));
    }
    let alias = TYPING_ALIASES.iter().find(|(alias, _)| last.name == *alias)?;
    // A class of the file's own with such a name is what it says.
    let named = session.name_in(place, &segments[0].name, Namespace::Type);
    if matches!(&named, Ty::Type(inner) if inner.instance_def().is_some_and(|def| !def.is_library())) {
        return None;
    }
    Some(session.library_instance(alias.1, session.written_all(place, &last.args)))
}

/// The innermost class around a place.
pub(super) fn enclosing_class(session: &Session, place: &Place) -> Option<Def> {
    let mut def = session.place_def(place)?;
    while def.decl().kind.type_kind().is_none() {
        def = session.owner(&def)?;
    }
    Some(def)
}

/// A member of exactly this value or type.
pub(super) fn direct_member(
    session: &Session,
    from: &Place,
    receiver: &Ty,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    match receiver {
        Ty::Instance(def, args) => in_bases(session, receiver, &session.linear(def, args), name)
            .or_else(|| outside_member(session, def, name)),
        // What the receiver of a method is called in what the method gives: it may be of a derived type,
        // and what is read from it is bound to whatever it turns out to be.
        Ty::Param(def, index) if *index == ParamId::SELF => {
            in_bases(session, receiver, &session.linear(def, &session.own_params(def)), name)
        }
        Ty::Super(def, args) => {
            let this = Ty::Instance(def.clone(), args.clone());
            in_bases(session, &this, session.linear(def, args).get(1..)?, name)
        }
        Ty::Type(instance) => match &**instance {
            Ty::Instance(def, args) => {
                let found = in_bases(session, receiver, &session.linear(def, args), name);
                enum_member(session, def, instance, name).or(found).or_else(|| of_metaclass(session, name))
            }
            Ty::Param(def, index) if *index != ParamId::SELF => {
                let bounds = session.param_bounds(def, *index);
                bounds.iter().find_map(|bound| {
                    direct_member(session, from, &bound.ty.clone().into_type(), name, namespace)
                })
            }
            Ty::Param(def, _) => {
                in_bases(session, receiver, &session.linear(def, &session.own_params(def)), name)
            }
            _ => defaults::direct_member(session, from, receiver, name, namespace),
        },
        _ => defaults::direct_member(session, from, receiver, name, namespace),
    }
}

/// What every class has from `type`.
fn of_metaclass(session: &Session, name: &Name) -> Option<Ty> {
    let class = session.library_instance("type", [].into());
    in_bases(session, &class, std::slice::from_ref(&class), name)
}

/// A member of a standard type that the library data does not list: its name is all that is known.
fn outside_member(session: &Session, def: &Def, name: &Name) -> Option<Ty> {
    let library = session.rules().library().filter(|_| def.is_library())?;
    let External { specifier, name: class, .. } = library.external(def);
    if library.is_prelude(&class) {
        return None;
    }
    Some(Ty::External(Rc::new(External { specifier, class, name: name.clone() })))
}

/// The first base that says what a name is. An attribute that is only ever `None`, or of unknown type,
/// is what a further base has it written as.
fn in_bases(session: &Session, receiver: &Ty, bases: &[Ty], name: &Name) -> Option<Ty> {
    let nothing = session.builtin(Builtin::None, [].into());
    let mut vague = None;
    for base in bases {
        let Some(def) = base.instance_def() else {
            // What a base outside the set has under a special name is not known.
            if is_special(name) {
                return vague;
            }
            continue;
        };
        if vague.is_some() && !is_written_attribute(session, def, name) {
            continue;
        }
        match defaults::member_of_base(session, receiver, base, name, Namespace::Value) {
            Some(found) if found.is_known() && found != nothing => return Some(found),
            Some(found) => vague = vague.or(Some(found)),
            None => {}
        }
    }
    vague
}

fn is_special(name: &Name) -> bool {
    name.starts_with("__") && name.ends_with("__")
}

fn is_written_attribute(session: &Session, def: &Def, name: &Name) -> bool {
    let place = def.place();
    let items = session.members(&place.path, &place.owner, name);
    items.iter().any(|item| item.variable().is_some_and(|variable| variable.ty.is_some()))
}

/// The members of an enumeration are instances of it (Library reference, "enum").
fn enum_member(session: &Session, def: &Def, instance: &Ty, name: &Name) -> Option<Ty> {
    if name.starts_with('_') || !is_enum(session, def) {
        return None;
    }
    let place = def.place();
    let items = session.members(&place.path, &place.owner, name);
    let is_member = items.iter().any(|item| {
        item.variable().is_some_and(|variable| variable.kind == VariableKind::Class && variable.ty.is_none())
    });
    is_member.then(|| instance.clone())
}

/// Whether a class is an enumeration.
pub(super) fn is_enum(session: &Session, def: &Def) -> bool {
    let bases = session.linear(def, &[].into());
    bases.iter().filter_map(Ty::instance_def).any(|base| base.is_library() && base.decl().name == "Enum")
}

/// What reading a function through a value or class gives; `Self` in its head is what it is read from.
pub(super) fn bound(session: &Session, receiver: &Ty, base: &Ty, def: &Def) -> Ty {
    let decl = def.decl();
    let from_type = matches!(receiver, Ty::Type(_));
    let is_taken = !decl.flags.is_static && (!from_type || decl.flags.is_class_method);
    let taken = match (decl.flags.is_class_method, from_type) {
        (true, false) => receiver.clone().into_type(),
        _ => receiver.clone(),
    };
    let subst = subst_of(session, receiver, base);
    let function = FunctionTy { def: def.clone(), receiver: is_taken.then_some(taken), subst };
    if decl.flags.is_property && !from_type {
        return session.result_of_callable(&function.into(), &[]);
    }
    session.rules().decorated(session, def, function.into())
}

fn subst_of(session: &Session, receiver: &Ty, base: &Ty) -> Subst {
    let mut subst = defaults::base_subst(session, base).to_vec();
    let instance = match receiver {
        Ty::Type(instance) => instance.as_ref(),
        other => other,
    };
    if let Some(class) = base.instance_def() {
        subst.push((ParamId { owner: class.id(), index: ParamId::SELF }, instance.clone()));
    }
    subst.into()
}
