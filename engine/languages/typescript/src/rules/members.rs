//! What reading a member gives, and what written types mean that are no plain names.

use std::rc::Rc;

use bindery_facts::{DeclKind, Name, Segment, TypeExpr, VariableKind};
use bindery_graph::{
    Args, Bound, Builtin, Construction, Def, FunctionTy, LANGUAGE_GUARD, Module, Namespace, ParamId, Place,
    Provided, Session, Subst, Ty, defaults,
};

use super::{declared, modules};
use crate::adapter::types::{IMPORT_TYPE, LOOKUP, PREDICATE, RESULT, STRUCTURE, TYPEOF};

/// Guards the bounds of type parameters against cycles.
const BOUND_GUARD: u8 = LANGUAGE_GUARD + 1;

// ---- Written types

pub(super) fn written_path(session: &Session, place: &Place, segments: &[Segment]) -> Option<Ty> {
    let first = segments.first()?;
    match first.name.as_str() {
        STRUCTURE => {
            let bindings =
                first.bindings.iter().map(|(name, ty)| (name.clone(), session.written(place, ty))).collect();
            Some(structure(bindings))
        }
        TYPEOF => match first.args.first()? {
            TypeExpr::Path(path) => Some(session.path_by_members(place, path, Namespace::Value)),
            _ => None,
        },
        LOOKUP => {
            let base = session.written(place, first.args.first()?);
            let (name, _) = first.bindings.first()?;
            Some(session.rules().member(session, place, &base, name, Namespace::Value))
        }
        PREDICATE => {
            let proven = session.written(place, first.args.first()?);
            Some(structure([(Name::new_static(PREDICATE), proven)].into()))
        }
        RESULT => {
            let function = session.written(place, first.args.first()?);
            Some(session.result_of_callable(&function, &[]))
        }
        IMPORT_TYPE => {
            let (specifier, _) = first.bindings.first()?;
            let module = modules::imported_module(session, place, specifier);
            Some(session.path_from(place, module, &segments[1..], Namespace::Type).into_instance())
        }
        "this" => {
            let class = enclosing_type(session, place)?;
            Some(Ty::Param(class, ParamId::SELF))
        }
        "Readonly" | "Required" | "Partial" | "NonNullable" | "Awaited" | "NoInfer"
            if segments.len() == 1 =>
        {
            let inner = first.args.first()?;
            let is_own = matches!(session.name_in(place, &first.name, Namespace::Type), Ty::Type(ty)
                if ty.instance_def().is_some_and(|def| !def.is_library()));
            if is_own {
                return None;
            }
            let inner = session.written(place, inner);
            Some(if first.name == "Awaited" { session.rules().awaited(session, &inner) } else { inner })
        }
        "ReturnType" | "InstanceType" if segments.len() == 1 => {
            let function = session.written(place, first.args.first()?);
            Some(match (&function, first.name == "ReturnType") {
                (Ty::Type(instance), false) => (**instance).clone(),
                (_, true) => session.result_of_callable(&function, &[]),
                _ => Ty::Unknown,
            })
        }
        _ => None,
    }
}

/// A value of which only some members are known.
pub(super) fn structure(bindings: Rc<[(Name, Ty)]>) -> Ty {
    Ty::Bounded([Bound { ty: Ty::Unknown, bindings }].into())
}

fn enclosing_type(session: &Session, place: &Place) -> Option<Def> {
    let mut def = session.place_def(place)?;
    while def.decl().kind.type_kind().is_none() {
        def = session.owner(&def)?;
    }
    Some(def)
}

// ---- Inheritance

/// All declarations of a class or interface that are merged into one, itself first.
fn merged_types(session: &Session, def: &Def) -> Vec<Def> {
    let mut all = vec![def.clone()];
    if def.is_library() || !matches!(def.decl().kind, DeclKind::Class | DeclKind::Interface) {
        return all;
    }
    let items = session.members(def.path(), &def.decl().owner, &def.decl().name);
    for other in items.iter().filter_map(|item| session.def(item)) {
        if matches!(other.decl().kind, DeclKind::Class | DeclKind::Interface) && !all.contains(&other) {
            all.push(other);
        }
    }
    all
}

/// Depth first; what merged declarations extend comes after what the first does.
pub(super) fn linearization(session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
    let mut bases = vec![Ty::Instance(def.clone(), args.clone())];
    let merged = merged_types(session, def);
    for other in &merged[1..] {
        bases.push(Ty::Instance(other.clone(), args.clone()));
    }
    for part in merged {
        for written in &part.decl().supertypes {
            let base = session.written(&part.place(), written);
            match &base {
                Ty::Instance(base_def, base_args) => {
                    for ty in session.linear(base_def, base_args).iter() {
                        if !bases.contains(ty) {
                            bases.push(ty.clone());
                        }
                    }
                }
                other if !bases.contains(other) => bases.push(other.clone()),
                _ => {}
            }
        }
    }
    bases.into()
}

// ---- Members

pub(super) fn direct_member(
    session: &Session,
    from: &Place,
    receiver: &Ty,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    let member_of =
        |ty: &Ty| Some(session.rules().member(session, from, ty, name, namespace)).filter(Ty::is_known);
    match receiver {
        Ty::Instance(def, args) => {
            let bases = session.linear(def, args);
            in_bases(session, receiver, &bases, name, false).or_else(|| {
                is_closed(&bases).then(|| of_library(session, "Object", receiver, name)).flatten()
            })
        }
        Ty::Param(def, index) if *index == ParamId::SELF => {
            in_bases(session, receiver, &session.linear(def, &session.own_params(def)), name, false)
        }
        Ty::Super(def, args) => {
            let this = Ty::Instance(def.clone(), args.clone());
            let bases = session.linear(def, args);
            let bases = bases.get(1..)?;
            in_bases(session, &this, bases, name, false)
                .or_else(|| in_bases(session, &this.clone().into_type(), bases, name, true))
        }
        Ty::Type(instance) => match &**instance {
            Ty::Instance(def, args) => {
                let bases = session.linear(def, args);
                in_bases(session, receiver, &bases, name, true)
                    .or_else(|| of_companions(session, from, def, name, namespace))
                    .or_else(|| {
                        is_closed(&bases).then(|| of_library(session, "Function", receiver, name)).flatten()
                    })
            }
            Ty::ExternalInstance(external) => Some(defaults::member_of_external_type(external, name)),
            _ => None,
        },
        Ty::Function(function) => of_companions(session, from, &function.def, name, namespace)
            .or_else(|| of_library(session, "Function", receiver, name)),
        Ty::Callable(_) | Ty::Closure(_) | Ty::Overloads(_) => {
            of_library(session, "Function", receiver, name)
        }
        Ty::Bounded(bounds) => bounds.iter().find_map(|bound| {
            let own = bound.bindings.iter().find(|(key, _)| key == name).map(|(_, ty)| ty.clone());
            own.or_else(|| member_of(&bound.ty))
        }),
        Ty::Tuple(parts) => {
            let element = Ty::union(parts.iter().cloned());
            member_of(&session.builtin(Builtin::List, [element].into()))
        }
        // Bounds may lead back to themselves.
        Ty::Param(def, index) => session.guarded(BOUND_GUARD, def.id() * 64 + index, name, || {
            session.param_bounds(def, *index).iter().find_map(|bound| member_of(&bound.ty))
        }),
        Ty::Module(module) => {
            let value = defaults::value_of(namespace);
            Some(modules::member(session, from, module, name, value)).filter(Ty::is_known)
        }
        _ => defaults::direct_member(session, from, receiver, name, namespace),
    }
}

/// Whether all bases of a type are known.
fn is_closed(bases: &[Ty]) -> bool {
    bases.iter().all(|base| base.instance_def().is_some())
}

/// What every value, or every function, has.
fn of_library(session: &Session, class: &str, receiver: &Ty, name: &Name) -> Option<Ty> {
    let base = session.library_instance(class, [].into());
    let def = base.instance_def()?.clone();
    member_of_base(session, receiver, &Ty::instance(def), name, false)
}

fn in_bases(session: &Session, receiver: &Ty, bases: &[Ty], name: &Name, is_static: bool) -> Option<Ty> {
    let is_class =
        bases.first().and_then(Ty::instance_def).is_some_and(|def| def.decl().kind == DeclKind::Class);
    for base in bases {
        if base.instance_def().is_none() {
            // A class has to declare what it implements: what it does not declare it has from its base.
            if is_class {
                return None;
            }
            continue;
        }
        if let Some(found) = member_of_base(session, receiver, base, name, is_static) {
            return Some(found);
        }
    }
    None
}

/// What one type itself declares under a name, as read from `receiver`.
fn member_of_base(session: &Session, receiver: &Ty, base: &Ty, name: &Name, is_static: bool) -> Option<Ty> {
    let scope = base.instance_def()?.place();
    let items = session.members(&scope.path, &scope.owner, name);
    let items: Vec<Provided> = items.iter().filter(|item| is_of(item, is_static)).cloned().collect();
    if items.is_empty() {
        return None;
    }
    let callables: Vec<Provided> = items
        .iter()
        .filter(|item| item.decl().is_some_and(|decl| decl.kind.is_callable()))
        .cloned()
        .collect();
    let variables = declared::variables(&items);
    let is_written =
        variables.iter().any(|item| item.variable().is_some_and(|variable| variable.ty.is_some()));
    let is_assigned =
        callables.iter().all(|item| item.decl().is_some_and(|decl| decl.kind == DeclKind::Closure));
    if !(callables.is_empty() || is_written && is_assigned) {
        let chosen = declared::functions(&callables);
        let values: Vec<Ty> = chosen
            .iter()
            .filter_map(|item| session.def(item))
            .map(|def| session.rules().bound(session, receiver, base, &def))
            .collect();
        return Some(match values.len() {
            0 => Ty::Unknown,
            1 => values.into_iter().next().unwrap_or_default(),
            _ => Ty::Overloads(values.into()),
        });
    }
    let value = match variables.is_empty() {
        false => session.variable(&scope, name, &variables),
        true => session.chosen_value(&items, &scope, name, Namespace::Value)?,
    };
    Some(session.substituted(&value, &subst_of(session, receiver, base)))
}

/// Whether a member belongs to the class itself, or to instances.
fn is_of(item: &Provided, is_static: bool) -> bool {
    match (item.decl(), item.variable()) {
        (Some(decl), _) if decl.kind.is_callable() || decl.kind == DeclKind::Object => {
            decl.flags.is_static == is_static
        }
        (Some(_), _) => true,
        (None, Some(variable)) => {
            matches!(variable.kind, VariableKind::Class | VariableKind::Constant) == is_static
        }
        _ => true,
    }
}

/// Members that a merged namespace or assignments give a class or function.
fn of_companions(
    session: &Session,
    from: &Place,
    def: &Def,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    if def.is_library() {
        return None;
    }
    let decl = def.decl();
    let properties: Name = format!("{}{}", decl.name, crate::PROPERTIES).into();
    let namespaces = session.members(def.path(), &decl.owner, &decl.name);
    let assigned = session.members(def.path(), &decl.owner, &properties);
    let companions = namespaces.iter().chain(assigned.iter()).filter_map(|item| session.def(item));
    let mut companions =
        companions.filter(|other| matches!(other.decl().kind, DeclKind::Module | DeclKind::Object));
    let value = defaults::value_of(namespace);
    companions.find_map(|companion| {
        let module = Module { path: companion.path().clone(), owner: companion.decl().qualname.clone() };
        Some(modules::member(session, from, &module, name, value)).filter(Ty::is_known)
    })
}

/// What reading a function through a value or class gives; `this` in its head is what it is read from.
pub(super) fn bound(session: &Session, receiver: &Ty, base: &Ty, def: &Def) -> Ty {
    let decl = def.decl();
    let subst = subst_of(session, receiver, base);
    let function = Ty::from(FunctionTy { def: def.clone(), receiver: Some(receiver.clone()), subst });
    if decl.flags.is_property {
        return session.result_of_callable(&function, &[]);
    }
    function
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

// ---- Construction

/// The constructor of the class, else of the nearest base that has one.
pub(super) fn construction(session: &Session, instance: &Ty) -> Construction {
    let Ty::Instance(def, args) = instance else { return Construction::Unknown };
    if !matches!(def.decl().kind, DeclKind::Class) {
        return Construction::Unknown;
    }
    let constructor = Name::new_static("constructor");
    for base in session.linear(def, args).iter() {
        let Some(base_def) = base.instance_def() else { return Construction::Outside };
        let scope = base_def.place();
        let items = session.members(&scope.path, &scope.owner, &constructor);
        let own: Vec<Def> = items
            .iter()
            .filter_map(|item| session.def(item))
            .filter(|def| def.decl().kind == DeclKind::Constructor)
            .collect();
        let with_body = own.iter().find(|def| !def.decl().flags.is_bodiless).or(own.first());
        if let Some(constructor) = with_body {
            let function = FunctionTy {
                def: constructor.clone(),
                receiver: Some(instance.clone()),
                subst: defaults::base_subst(session, base),
            };
            return Construction::Constructor(Rc::new(function));
        }
    }
    Construction::Synthetic(def.clone())
}

/// An instance of a constructor function: what its prototype has.
pub(super) fn constructed(session: &Session, function: &Def) -> Ty {
    let prototype: Name = format!("{}{}", function.decl().name, crate::PROTOTYPE).into();
    let items = session.members(function.path(), &function.decl().owner, &prototype);
    match items.iter().find_map(|item| session.def(item)) {
        Some(prototype) => session.def_value(&prototype),
        None => Ty::Unknown,
    }
}
