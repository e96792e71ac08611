//! Who implements what, and what associated types stand for.

use std::cell::RefCell;
use std::rc::Rc;

use bindery_facts::{DeclKind, Name, TypeExpr};
use bindery_graph::{
    Bound, Def, LANGUAGE_GUARD, Learned, ParamId, Place, Provided, Session, Subst, Ty, bound_callable,
};
use rustc_hash::FxHashMap;

use super::crates::State;
use super::members::{self, impl_self};
use super::offers::{ANY_TYPE, IMPL_MEMBER, TRAIT_IMPL, dyn_key};

/// What is remembered of impls.
#[derive(Default)]
pub(super) struct TraitState {
    pub(super) selves: RefCell<FxHashMap<u32, Ty>>,
    known: RefCell<FxHashMap<u32, Option<Implementation>>>,
    by_key: RefCell<FxHashMap<Name, Rc<[Implementation]>>>,
    /// Of a type: the trait impls for it, whatever its arguments.
    of_type: RefCell<FxHashMap<u32, Rc<[Implementation]>>>,
    /// Of a type: whether any impl says what it derefs to.
    has_target: RefCell<FxHashMap<u32, bool>>,
    /// Whether a type without parameters meets the bounds of an impl for all types.
    meets: RefCell<FxHashMap<(u32, u32), bool>>,
    /// What the impls of a type without parameters make of a name.
    pub(super) members: RefCell<FxHashMap<(u32, Name, bool), Option<Ty>>>,
}

/// An impl, its types resolved where it stands.
#[derive(Clone)]
pub(super) struct Implementation {
    pub(super) def: Def,
    /// The type it is for.
    pub(super) target: Ty,
    /// The trait, if it is not inherent; unknown if it does not resolve.
    pub(super) of_trait: Option<Ty>,
}

/// How deep bounds are checked through impls that have bounds themselves.
const MAX_BOUND_DEPTH: u32 = 4;

/// The word under which impls of a value's type are found.
pub(super) fn key_of(value: &Ty) -> Option<Name> {
    Some(match value {
        Ty::Instance(def, _) => def.decl().name.clone(),
        Ty::ExternalInstance(external) => external.name.clone(),
        Ty::Tuple(_) => "tuple".into(),
        Ty::Bounded(bounds) => match bounds.first().map(|bound| &bound.ty) {
            Some(Ty::Instance(def, _)) => dyn_key(&def.decl().name),
            Some(Ty::ExternalInstance(external)) => dyn_key(&external.name),
            _ => return None,
        },
        _ => return None,
    })
}

/// An impl as resolved; none if its own type does not resolve.
pub(super) fn implementation(session: &Session, def: &Def) -> Option<Implementation> {
    let known = &session.state::<State>().traits.known;
    if let Some(known) = known.borrow().get(&def.id()) {
        return known.clone();
    }
    let found = session.guarded(LANGUAGE_GUARD + 1, def.id(), &Name::default(), || {
        if def.decl().kind != DeclKind::Impl {
            return None;
        }
        let target = Some(impl_self(session, def)).filter(Ty::is_known)?;
        let of_trait = def.decl().supertypes.first().map(|ty| session.written(&def.place(), ty));
        Some(Implementation { def: def.clone(), target, of_trait })
    });
    known.borrow_mut().insert(def.id(), found.clone());
    found
}

/// The trait impls found under a type key.
fn under_key(session: &Session, key: &Name) -> Rc<[Implementation]> {
    let by_key = &session.state::<State>().traits.by_key;
    if let Some(known) = by_key.borrow().get(key) {
        return known.clone();
    }
    let items = session.custom(TRAIT_IMPL, key, "");
    let all: Rc<[Implementation]> = items
        .iter()
        .filter_map(|item| session.def(item))
        .filter_map(|def| implementation(session, &def))
        .collect();
    by_key.borrow_mut().insert(key.clone(), all.clone());
    all
}

/// The trait impls for a value's type.
pub(super) fn implementations(session: &Session, value: &Ty) -> Rc<[Implementation]> {
    let Some(key) = key_of(value) else { return [].into() };
    let admitted = |all: &[Implementation]| -> Rc<[Implementation]> {
        all.iter().filter(|it| admits(session, it, value)).cloned().collect()
    };
    let Ty::Instance(def, _) = value else { return admitted(&under_key(session, &key)) };
    let of_type = of_type(session, def, &key);
    if of_type.is_empty() || def.decl().type_params.is_empty() && !def.is_library() {
        return of_type;
    }
    admitted(&of_type)
}

/// The trait impls for a type, whatever its arguments.
fn of_type(session: &Session, def: &Def, key: &Name) -> Rc<[Implementation]> {
    let cache = &session.state::<State>().traits.of_type;
    if let Some(known) = cache.borrow().get(&def.id()) {
        return known.clone();
    }
    let plain = Ty::instance(def.clone());
    let all: Rc<[Implementation]> =
        under_key(session, key).iter().filter(|it| fits(&it.target, &plain)).cloned().collect();
    cache.borrow_mut().insert(def.id(), all.clone());
    all
}

/// The trait impls for all types.
pub(super) fn blanket_implementations(session: &Session) -> Rc<[Implementation]> {
    under_key(session, &ANY_TYPE.into())
}

/// Whether a value can be of an impl's target type, as far as it is known.
pub(super) fn fits(pattern: &Ty, value: &Ty) -> bool {
    let all_fit = |patterns: &[Ty], values: &[Ty]| {
        patterns.iter().zip(values).all(|(pattern, value)| fits(pattern, value))
    };
    match (pattern, value) {
        (Ty::Unknown | Ty::Param(..) | Ty::Associated(_), _) | (_, Ty::Unknown) => true,
        (_, Ty::Param(..) | Ty::Associated(_)) => true,
        (Ty::Instance(def, args), Ty::Instance(value_def, value_args)) => {
            def == value_def && all_fit(args, value_args)
        }
        (Ty::ExternalInstance(a), Ty::ExternalInstance(b)) => a == b,
        (Ty::Tuple(patterns), Ty::Tuple(values)) => {
            patterns.len() == values.len() && all_fit(patterns, values)
        }
        (Ty::Bounded(a), Ty::Bounded(b)) => a.first().map(|it| &it.ty) == b.first().map(|it| &it.ty),
        (Ty::Callable(_), Ty::Callable(_) | Ty::Closure(_) | Ty::Function(_)) => true,
        _ => false,
    }
}

/// Whether a value's type gets an impl's members: it is of the target type and, where the library says
/// so, meets the bounds. Bounds of the set's own impls are not looked into: code that compiles
/// meets them.
pub(super) fn admits(session: &Session, implementation: &Implementation, value: &Ty) -> bool {
    if !fits(&implementation.target, value) {
        return false;
    }
    let def = &implementation.def;
    if !def.is_library() || def.decl().type_params.iter().all(|param| param.bounds.is_empty()) {
        return true;
    }
    let mut learned = Learned::default();
    session.unify(&implementation.target, value, &mut learned);
    (0..def.decl().type_params.len() as u32).all(|index| {
        match learned.get(ParamId { owner: def.id(), index }) {
            Some(actual) => {
                let bounds = session.param_bounds(def, index);
                bounds.iter().all(|bound| implements(session, actual, bound, 1))
            }
            None => true,
        }
    })
}

/// Whether a value's type meets the bounds of an impl for all types.
pub(super) fn meets_bounds(session: &Session, implementation: &Implementation, value: &Ty) -> bool {
    let key = match value {
        Ty::Instance(def, _) if def.decl().type_params.is_empty() => (implementation.def.id(), def.id()),
        _ => return meets_bounds_now(session, implementation, value),
    };
    let cache = &session.state::<State>().traits.meets;
    if let Some(known) = cache.borrow().get(&key) {
        return *known;
    }
    let meets = meets_bounds_now(session, implementation, value);
    cache.borrow_mut().insert(key, meets);
    meets
}

fn meets_bounds_now(session: &Session, implementation: &Implementation, value: &Ty) -> bool {
    match &implementation.target {
        Ty::Param(def, index) => {
            let bounds = session.param_bounds(def, *index);
            bounds.iter().all(|bound| implements(session, value, bound, 0))
        }
        _ => false,
    }
}

/// Whether a value's type implements a trait. What cannot be looked into (external traits, markers)
/// counts as implemented.
fn implements(session: &Session, value: &Ty, bound: &Bound, depth: u32) -> bool {
    let Some(of_trait) = bound.ty.instance_def() else { return matches!(bound.ty, Ty::ExternalInstance(_)) };
    if of_trait.is_library() && is_marker(&of_trait.decl().name) {
        return true;
    }
    let is_it = |ty: &Ty| ty.instance_def() == Some(of_trait);
    match value {
        Ty::Param(def, ParamId::SELF) => session.linear(def, &session.own_params(def)).iter().any(is_it),
        Ty::Param(..) | Ty::Bounded(_) | Ty::Associated(_) => {
            bounds_of(session, value).iter().any(|bound| match &bound.ty {
                Ty::Instance(def, args) => session.linear(def, args).iter().any(is_it),
                _ => false,
            })
        }
        Ty::Callable(_) | Ty::Closure(_) | Ty::Function(_) => {
            matches!(of_trait.decl().name.as_str(), "Fn" | "FnMut" | "FnOnce")
        }
        Ty::Unknown => false,
        _ => {
            let own = implementations(session, value);
            own.iter().any(|it| it.of_trait.as_ref().is_some_and(is_it))
                || derives(session, value).iter().any(is_it)
                || depth < MAX_BOUND_DEPTH && implements_through_blanket(session, value, of_trait, depth)
        }
    }
}

fn implements_through_blanket(session: &Session, value: &Ty, of_trait: &Def, depth: u32) -> bool {
    blanket_implementations(session).iter().any(|it| {
        let is_it = it.of_trait.as_ref().and_then(Ty::instance_def) == Some(of_trait);
        is_it
            && match &it.target {
                Ty::Param(def, index) => {
                    let bounds = session.param_bounds(def, *index);
                    bounds.iter().all(|bound| implements(session, value, bound, depth + 1))
                }
                _ => false,
            }
    })
}

/// Traits without members, which tell nothing apart.
fn is_marker(name: &str) -> bool {
    matches!(name, "Send" | "Sync" | "Sized" | "Unpin" | "Copy" | "Any")
}

/// The library traits a type derives.
fn derives(session: &Session, value: &Ty) -> Vec<Ty> {
    let Ty::Instance(def, _) = value else { return Vec::new() };
    let Some(library) = session.rules().library() else { return Vec::new() };
    derived_names(&def.decl().decorators)
        .filter_map(|name| library.declared(name))
        .filter_map(|item| session.def(&item))
        .filter(|def| def.decl().kind == DeclKind::Trait)
        .map(|def| Ty::Instance(def.clone(), session.own_params(&def)))
        .collect()
}

/// The last names of the traits in `derive(…)` attributes.
fn derived_names(decorators: &[Name]) -> impl Iterator<Item = &str> {
    decorators
        .iter()
        .filter_map(|decorator| decorator.strip_prefix("derive"))
        .flat_map(|list| list.trim().trim_start_matches('(').trim_end_matches(')').split(','))
        .map(|path| path.rsplit("::").next().unwrap_or(path).trim())
}

/// A member of a derived trait.
pub(super) fn derived_member(session: &Session, value: &Ty, receiver: &Ty, name: &Name) -> Option<Ty> {
    derives(session, value)
        .iter()
        .find_map(|of_trait| members::trait_member(session, of_trait, value, receiver, name))
}

/// See [`bindery_graph::Rules::may_inherit`]: a type that derives or implements a trait from outside
/// the set has members that the set does not declare.
pub(super) fn may_inherit(session: &Session, receiver: &Ty) -> bool {
    let value = match receiver {
        Ty::Type(inner) => inner,
        other => other,
    };
    let Ty::Instance(def, _) = value else { return false };
    if def.is_library() || def.decl().kind == DeclKind::Trait {
        return false;
    }
    let is_outside = |it: &Implementation| match &it.of_trait {
        Some(Ty::Instance(def, _)) => def.is_library(),
        Some(_) => true,
        None => false,
    };
    derived_names(&def.decl().decorators).next().is_some()
        || implementations(session, value).iter().any(is_outside)
}

/// What a value known by its traits only is known to implement, `where` clauses included.
pub(super) fn bounds_of(session: &Session, value: &Ty) -> Rc<[Bound]> {
    match value {
        Ty::Bounded(bounds) => bounds.clone(),
        Ty::Param(def, index) if *index != ParamId::SELF => session.param_bounds(def, *index),
        Ty::Associated(parts) => {
            let (base, of_trait, name) = &**parts;
            match of_trait {
                Some(of_trait) => bounds_of_associated(session, of_trait, base, name),
                None => bounds_of(session, base)
                    .iter()
                    .map(|bound| bounds_of_associated(session, &bound.ty, base, name))
                    .chain(own_trait(session, base).map(|it| bounds_of_associated(session, &it, base, name)))
                    .find(|bounds| !bounds.is_empty())
                    .unwrap_or_else(|| [].into()),
            }
        }
        _ => [].into(),
    }
}

/// The trait whose `Self` a value is.
fn own_trait(session: &Session, value: &Ty) -> Option<Ty> {
    match value {
        Ty::Param(def, ParamId::SELF) => Some(Ty::Instance(def.clone(), session.own_params(def))),
        _ => None,
    }
}

/// The bounds a trait writes for one of its associated types.
fn bounds_of_associated(session: &Session, of_trait: &Ty, base: &Ty, name: &Name) -> Rc<[Bound]> {
    let Ty::Instance(def, args) = of_trait else { return [].into() };
    for base_trait in session.linear(def, args).iter() {
        let Some(trait_def) = base_trait.instance_def() else { continue };
        let place = trait_def.place();
        let items = session.members(&place.path, &place.owner, name);
        let Some(alias) = items.iter().find_map(|item| alias_def(session, item)) else { continue };
        let subst = members::trait_subst(session, base_trait, base);
        let bounds = session.bounds(&alias.place(), &alias.decl().supertypes);
        return bounds.iter().map(|bound| session.replace_in_bound(bound, &subst)).collect();
    }
    [].into()
}

fn alias_def(session: &Session, item: &Provided) -> Option<Def> {
    item.decl().filter(|decl| decl.kind == DeclKind::Alias)?;
    session.def(item)
}

/// See [`bindery_graph::Rules::deref`]: the target of the type's `Deref` impl.
pub(super) fn deref(session: &Session, ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Instance(def, _) if def.decl().kind != DeclKind::Trait => {
            if !has_target(session, def) {
                return None;
            }
            let target = associated(session, ty, None, &Name::new_static("Target"))?;
            Some(target).filter(Ty::is_known)
        }
        Ty::Param(..) | Ty::Bounded(_) => {
            let name = Name::new_static("Target");
            let bounds = bounds_of(session, ty);
            bounds.iter().find_map(|bound| binding(bound, &name)).filter(Ty::is_known)
        }
        _ => None,
    }
}

/// Whether any impl of the type's name says what it derefs to.
fn has_target(session: &Session, def: &Def) -> bool {
    let cache = &session.state::<State>().traits.has_target;
    if let Some(known) = cache.borrow().get(&def.id()) {
        return *known;
    }
    let has = !session.custom(IMPL_MEMBER, &def.decl().name, "Target").is_empty();
    cache.borrow_mut().insert(def.id(), has);
    has
}

fn binding(bound: &Bound, name: &Name) -> Option<Ty> {
    bound.bindings.iter().find(|(bound_name, _)| bound_name == name).map(|(_, ty)| ty.clone())
}

/// See [`bindery_graph::Rules::associated`].
pub(super) fn associated(session: &Session, base: &Ty, of_trait: Option<&Ty>, name: &Name) -> Option<Ty> {
    match base {
        Ty::Param(..) | Ty::Bounded(_) | Ty::Associated(_) => {
            let bounds = bounds_of(session, base);
            let from_bounds = bounds.iter().find_map(|bound| match binding(bound, name) {
                Some(ty) => Some(ty),
                None if name == "Output" => bound_callable(bound).map(|callable| callable.result.clone()),
                None => bound_supertraits(session, &bound.ty, name),
            });
            from_bounds.or_else(|| from_impls(session, base, of_trait, name))
        }
        Ty::Closure(_) | Ty::Callable(_) | Ty::Function(_) if name == "Output" => {
            Some(session.result_of_callable(base, &[]))
        }
        Ty::Awaitable(inner) if name == "Output" => Some(inner.as_ref().clone()),
        Ty::Instance(..) | Ty::Tuple(_) | Ty::ExternalInstance(_) => {
            from_impls(session, base, of_trait, name)
        }
        _ => None,
    }
}

/// `trait A: Iterator<Item = X>` binds the type for all that is bounded by `A`.
fn bound_supertraits(session: &Session, of_trait: &Ty, name: &Name) -> Option<Ty> {
    let Ty::Instance(def, args) = of_trait else { return None };
    let supertypes = &def.decl().supertypes;
    if !supertypes.iter().any(|ty| names_binding(ty, name)) {
        return None;
    }
    let bounds = session.bounds(&def.place(), supertypes);
    let ty = bounds.iter().find_map(|bound| binding(bound, name))?;
    Some(session.substituted(&ty, &session.args_subst(def, args)))
}

fn names_binding(ty: &TypeExpr, name: &Name) -> bool {
    match ty {
        TypeExpr::Path(segments) => {
            segments.last().is_some_and(|last| last.bindings.iter().any(|(bound, _)| bound == name))
        }
        _ => false,
    }
}

fn from_impls(session: &Session, base: &Ty, of_trait: Option<&Ty>, name: &Name) -> Option<Ty> {
    let subject: Name = name.clone();
    let guard_id = base.instance_def().map_or(0, |def| def.id());
    session.guarded(LANGUAGE_GUARD + 2, guard_id, &subject, || {
        let mut found: Option<Ty> = None;
        if let Some(key) = key_of(base) {
            let items = session.custom(IMPL_MEMBER, &key, name);
            for item in items.iter() {
                let Some(ty) = alias_in_impl(session, item, base, of_trait) else { continue };
                match &found {
                    Some(before) if *before != ty => return Some(Ty::Unknown),
                    _ => found = Some(ty),
                }
            }
        }
        found.or_else(|| from_blankets(session, base, of_trait, name))
    })
}

fn alias_in_impl(session: &Session, item: &Provided, base: &Ty, of_trait: Option<&Ty>) -> Option<Ty> {
    let alias = alias_def(session, item)?;
    let implementation = implementation(session, &session.owner(&alias)?)?;
    if !is_of(&implementation, of_trait) || !admits(session, &implementation, base) {
        return None;
    }
    let subst = members::impl_subst(session, &implementation, base);
    alias_value(session, &alias, &subst)
}

fn alias_value(session: &Session, alias: &Def, subst: &Subst) -> Option<Ty> {
    let target = session.written(&alias.place(), alias.decl().target.as_ref()?);
    Some(session.substituted(&target, subst))
}

fn is_of(implementation: &Implementation, of_trait: Option<&Ty>) -> bool {
    match of_trait.and_then(Ty::instance_def) {
        Some(wanted) => implementation.of_trait.as_ref().and_then(Ty::instance_def) == Some(wanted),
        None => true,
    }
}

fn from_blankets(session: &Session, base: &Ty, of_trait: Option<&Ty>, name: &Name) -> Option<Ty> {
    let items = session.custom(IMPL_MEMBER, ANY_TYPE, name);
    items.iter().find_map(|item| {
        let alias = alias_def(session, item)?;
        let implementation = implementation(session, &session.owner(&alias)?)?;
        if !is_of(&implementation, of_trait) || !meets_bounds(session, &implementation, base) {
            return None;
        }
        alias_value(session, &alias, &members::impl_subst(session, &implementation, base))
    })
}

/// See [`bindery_graph::Rules::learn_from_bound`]: associated types that the bound names, and the
/// arguments of the trait as the type implements it.
pub(super) fn learn_from_bound(session: &Session, bound: &Bound, actual: &Ty, learned: &mut Learned) {
    for (name, pattern) in bound.bindings.iter() {
        let ty = session.associated(actual.clone(), Some(bound.ty.clone()), name);
        session.unify(pattern, &ty, learned);
    }
    let Ty::Instance(def, args) = &bound.ty else { return };
    if !args.iter().any(Ty::is_generic) {
        return;
    }
    let implemented: Vec<Ty> = match actual {
        Ty::Param(..) | Ty::Bounded(_) => bounds_of(session, actual).iter().map(|it| it.ty.clone()).collect(),
        _ => implementations(session, actual)
            .iter()
            .filter(|it| it.of_trait.as_ref().and_then(Ty::instance_def) == Some(def))
            .filter_map(|it| {
                let subst = members::impl_subst(session, it, actual);
                it.of_trait.as_ref().map(|ty| session.substituted(ty, &subst))
            })
            .collect(),
    };
    let mut fitting = implemented.iter().filter(|ty| ty.instance_def() == Some(def));
    if let (Some(Ty::Instance(_, actual_args)), None) = (fitting.next(), fitting.next()) {
        for (pattern, arg) in args.iter().zip(actual_args.iter()) {
            session.unify(pattern, arg, learned);
        }
    }
}

/// See [`bindery_graph::Rules::written_supertypes`]: a trait's supertraits; the traits implemented for
/// a type, wherever the impl stands.
pub(super) fn written_supertypes(session: &Session, def: &Def) -> Vec<(Place, TypeExpr)> {
    let decl = def.decl();
    if decl.kind == DeclKind::Trait || decl.kind == DeclKind::Alias {
        return decl.supertypes.iter().map(|ty| (def.place(), ty.clone())).collect();
    }
    let value = Ty::Instance(def.clone(), session.own_params(def));
    implementations(session, &value)
        .iter()
        .filter_map(|it| Some((it.def.place(), it.def.decl().supertypes.first()?.clone())))
        .collect()
}

/// The type of an associated item of the library that values are asked for by name.
pub(super) fn library_associated(session: &Session, base: &Ty, of_trait: &str, name: &'static str) -> Ty {
    let of_trait = session.library_instance(of_trait, [].into());
    session.associated(base.clone(), Some(of_trait), &Name::new_static(name))
}
