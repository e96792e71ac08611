//! What `x.f`, `T.f` and `p.f` are: fields, methods, promotion through embedded types, packages.

use std::rc::Rc;

use bindery_facts::{DeclKind, Name};
use bindery_graph::{
    Args, Def, External, Item, LIBRARY, Namespace, ParamId, Place, Provided, Session, Ty, defaults,
};

use super::offers::{METHOD, package_key};
use super::packages::{self, State};
use super::values::{constraint, underlying};

/// The types whose members a type has, by how deep they are embedded, the type itself first. Of one that
/// counts for its fields only the methods are not members.
pub(super) type Levels = Rc<[Rc<[Embedded]>]>;

/// A type at some depth.
#[derive(Clone, PartialEq)]
pub(super) struct Embedded {
    pub(super) ty: Ty,
    /// The underlying type of a defined one: its methods are not the defined type's.
    fields_only: bool,
}

/// How deep embedding is followed; real code has at most a handful.
const MAX_LEVELS: usize = 16;
/// How many types of one depth are looked at.
const MAX_WIDTH: usize = 64;

/// See [`bindery_graph::Rules::direct_member`].
pub(super) fn direct_member(
    session: &Session,
    from: &Place,
    receiver: &Ty,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    match receiver {
        Ty::Instance(def, args) => of_type(session, from, receiver, def, args, name),
        Ty::Type(instance) => match &**instance {
            Ty::Instance(def, args) => of_type(session, from, receiver, def, args, name),
            _ => None,
        },
        Ty::External(external) if external.name.is_empty() => {
            let known = of_library(session, external, name, namespace);
            known.or_else(|| Some(session.rules().external_member(external, name)))
        }
        Ty::Module(module) => packages::member(session, &from.path, module, name, namespace),
        Ty::Param(def, index) if *index != ParamId::SELF => {
            let bounds = constraint(session, def, *index);
            let member = |bound: &Ty| session.rules().member(session, from, bound, name, namespace);
            bounds.iter().map(member).find(Ty::is_known)
        }
        _ => defaults::direct_member(session, from, receiver, name, namespace),
    }
}

/// What the library data knows of a package of the standard library.
fn of_library(session: &Session, package: &External, name: &Name, namespace: Namespace) -> Option<Ty> {
    let module = session.symbol(&LIBRARY.into(), &package.specifier)?;
    session.declared(&module.place(), name, namespace).filter(Ty::is_known)
}

/// The member at the shallowest depth (*Selectors*). Where a type outside the set stands at a depth without
/// an answer, it may have the member.
fn of_type(
    session: &Session,
    from: &Place,
    receiver: &Ty,
    def: &Def,
    args: &Args,
    name: &Name,
) -> Option<Ty> {
    for level in levels(session, def, args).iter() {
        let mut found: Vec<Ty> = Vec::new();
        for embedded in level.iter() {
            found.extend(own_member(session, from, receiver, embedded, name));
        }
        match found.len() {
            0 if level.iter().any(|embedded| !is_of_known_members(&embedded.ty)) => return None,
            0 => {}
            1 => return found.pop(),
            _ => return Some(same_target(found)),
        }
    }
    None
}

/// Interfaces may have a method from several that they embed; else the selector is not legal.
fn same_target(found: Vec<Ty>) -> Ty {
    let is_interface = |ty: &Ty| match ty {
        Ty::Function(function) => function.def.decl().flags.is_bodiless,
        _ => false,
    };
    match found.first() {
        Some(first) if found.iter().all(is_interface) => first.clone(),
        _ => Ty::Unknown,
    }
}

fn is_of_known_members(ty: &Ty) -> bool {
    match ty {
        Ty::Alternatives(all) => all.iter().all(is_of_known_members),
        _ => ty.instance_def().is_some(),
    }
}

/// What a type itself declares under a name: a field, a method of an interface, a method.
fn own_member(
    session: &Session,
    from: &Place,
    receiver: &Ty,
    embedded: &Embedded,
    name: &Name,
) -> Option<Ty> {
    let base = &embedded.ty;
    if let Ty::Alternatives(all) = base {
        let seen = all.iter().filter(|one| {
            one.instance_def().is_some_and(|def| packages::go_together(session, &from.path, def.path()))
        });
        let one = |ty: &Ty| Embedded { ty: ty.clone(), fields_only: embedded.fields_only };
        let members = seen.filter_map(|ty| own_member(session, from, receiver, &one(ty), name));
        return Some(Ty::alternatives(members.collect())).filter(Ty::is_known);
    }
    let def = base.instance_def()?;
    let scope = def.place();
    if def.is_library() || def.decl().kind == DeclKind::Interface {
        return defaults::member_of_base(session, receiver, base, name, Namespace::Value);
    }
    if let Some(field) = field(session, base, &scope, name) {
        return Some(field);
    }
    if embedded.fields_only || !def.decl().owner.is_empty() {
        return None;
    }
    let package = packages::package(session, &scope.path);
    let key = package_key(&package.path, &package.owner);
    let items = session.custom(METHOD, &key, &format!("{}.{name}", def.decl().name));
    let chosen = packages::built_with(session, &from.path, &items);
    let methods = chosen.iter().filter_map(|item| session.def(item));
    let methods: Vec<Ty> =
        methods.map(|method| session.rules().bound(session, receiver, base, &method)).collect();
    (!methods.is_empty()).then(|| Ty::alternatives(methods))
}

fn field(session: &Session, base: &Ty, scope: &Place, name: &Name) -> Option<Ty> {
    let items = session.members(&scope.path, &scope.owner, name);
    let is_field = |item: &&Provided| matches!(item.item(), Item::Variable(_));
    let fields: Vec<Provided> = items.iter().filter(is_field).cloned().collect();
    let value = (!fields.is_empty()).then(|| session.variable(scope, name, &fields))?;
    Some(session.substituted(&value, &defaults::base_subst(session, base)))
}

/// The types whose members a type has, type arguments filled in.
pub(super) fn levels(session: &Session, def: &Def, args: &Args) -> Levels {
    let plain = plain_levels(session, def);
    if def.decl().type_params.is_empty() {
        return plain;
    }
    let subst = session.args_subst(def, args);
    let level = |level: &Rc<[Embedded]>| {
        level
            .iter()
            .map(|it| Embedded { ty: session.substituted(&it.ty, &subst), fields_only: it.fields_only })
            .collect()
    };
    plain.iter().map(level).collect()
}

fn plain_levels(session: &Session, def: &Def) -> Levels {
    let state = session.state::<State>();
    if let Some(known) = state.levels.borrow().get(&def.id()) {
        return known.clone();
    }
    let own = Ty::Instance(def.clone(), session.own_params(def));
    let mut seen: Vec<Ty> = Vec::new();
    let mut levels: Vec<Rc<[Embedded]>> = Vec::new();
    let mut next = vec![Embedded { ty: own, fields_only: false }];
    while !next.is_empty() && levels.len() < MAX_LEVELS {
        let mut level: Vec<Embedded> = Vec::new();
        for embedded in next.drain(..).take(MAX_WIDTH) {
            if !seen.contains(&embedded.ty) {
                seen.push(embedded.ty.clone());
                level.extend(with_underlying(session, embedded));
            }
        }
        for embedded in &level {
            next.extend(embedded_in(session, &embedded.ty));
        }
        levels.push(level.into());
    }
    let levels: Levels = levels.into();
    state.levels.borrow_mut().insert(def.id(), levels.clone());
    levels
}

/// A defined type with what it is defined by: a struct gives its fields, an interface all it has.
fn with_underlying(session: &Session, embedded: Embedded) -> Vec<Embedded> {
    let under = match embedded.ty.instance_def() {
        Some(def) if def.decl().kind == DeclKind::OtherType => underlying(session, &embedded.ty),
        _ => return vec![embedded],
    };
    let under = under.instance_def().is_some().then_some(Embedded { ty: under, fields_only: true });
    [Some(embedded), under].into_iter().flatten().collect()
}

fn embedded_in(session: &Session, ty: &Ty) -> Vec<Embedded> {
    let (def, args) = match ty {
        Ty::Instance(def, args) => (def, args),
        Ty::Alternatives(all) => return all.iter().flat_map(|one| embedded_in(session, one)).collect(),
        _ => return Vec::new(),
    };
    let subst = session.args_subst(def, args);
    let written = def.decl().supertypes.iter().map(|written| session.written(&def.place(), written));
    let types = written.map(|ty| session.substituted(&ty, &subst));
    types.map(|ty| Embedded { ty, fields_only: false }).collect()
}
