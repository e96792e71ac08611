//! What `x.f`, `x.f()` and `T::f` are: fields, inherent and trait methods, associated items, variants.
//!
//! For each step of auto-deref (the engine's loop over [`direct_member`]): fields or inherent members
//! first, then those of trait impls for exactly the type, default methods of traits it implements,
//! and last those of impls for all types (reference, *Method-call expressions*).

use std::rc::Rc;

use bindery_facts::{Decl, DeclKind, Import, ImportBinding, Name, ParamKind, TypeExpr};
use bindery_graph::{
    Def, FunctionTy, Learned, Namespace, ParamId, Place, Provided, Session, Subst, Ty, defaults,
};

use super::offers::{ANY_TYPE, IMPL_MEMBER};
use super::traits::{self, Implementation};
use super::{crates::State, paths, values};

/// See [`bindery_graph::Rules::direct_member`].
pub(super) fn direct_member(
    session: &Session,
    from: &Place,
    receiver: &Ty,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    match receiver {
        Ty::External(external) => Some(paths::external_member(session, external, name, namespace)),
        Ty::Type(instance) => type_member(session, receiver, instance, name, namespace),
        Ty::Instance(..) if namespace == Namespace::Value => field(session, receiver, name),
        Ty::Tuple(parts) if namespace == Namespace::Value => parts.get(name.parse::<usize>().ok()?).cloned(),
        Ty::Module(_) => defaults::direct_member(session, from, receiver, name, namespace),
        _ if namespace == Namespace::Method => method(session, receiver, receiver, name)
            .filter(|found| !is_passed_by(session, from, found, name)),
        _ => None,
    }
}

/// Whether auto-deref passes a trait's method by, because the trait is not in scope, and finds one that a type it
/// leads to has itself (reference, *Method-call expressions*).
fn is_passed_by(session: &Session, from: &Place, found: &Ty, name: &Name) -> bool {
    let Ty::Function(function) = found else { return false };
    let Some(receiver) = function.receiver.as_ref().filter(|receiver| receiver.instance_def().is_some())
    else {
        return false;
    };
    let of_trait = session.owner(&function.def).and_then(|owner| match owner.decl().kind {
        DeclKind::Trait => Some(owner),
        _ => traits::implementation(session, &owner)?.of_trait?.instance_def().cloned(),
    });
    of_trait.is_some_and(|of_trait| is_out_of_scope(session, from, &of_trait))
        && values::deref_chain(session, receiver).skip(1).any(|value| has_inherent(session, &value, name))
}

/// Whether a file can certainly not see a trait: it neither declares it nor imports its name or all of a module.
fn is_out_of_scope(session: &Session, from: &Place, of_trait: &Def) -> bool {
    let may_bring = |import: &Import| {
        import.binds == ImportBinding::Glob || import.path.last() == Some(&of_trait.decl().name)
    };
    from.path == *session.path()
        && !of_trait.is_library()
        && *of_trait.path() != from.path
        && !session.facts().summary.imports.iter().any(may_bring)
}

fn has_inherent(session: &Session, value: &Ty, name: &Name) -> bool {
    members_of_impls(session, value, name)
        .iter()
        .any(|candidate| candidate.implementation.of_trait.is_none() && candidate.item.decl().is_some())
}

/// A field of a struct.
fn field(session: &Session, receiver: &Ty, name: &Name) -> Option<Ty> {
    let Ty::Instance(def, args) = receiver else { return None };
    let scope = def.place();
    let items = session.members(&scope.path, &scope.owner, name);
    if !items.iter().any(|item| item.variable().is_some()) {
        return None;
    }
    let ty = session.variable(&scope, name, &items);
    Some(session.substituted(&ty, &session.args_subst(def, args)))
}

/// `Type::name`: a variant, an associated function or constant; an associated type in
/// [`Namespace::Type`].
fn type_member(
    session: &Session,
    receiver: &Ty,
    instance: &Ty,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    if let Ty::Instance(def, args) = instance
        && def.decl().kind == DeclKind::Enum
        && let Some(variant) = variant(session, def, name)
    {
        let subst = session.args_subst(def, args);
        return Some(match session.def_value(&variant) {
            Ty::Function(function) if !args.is_empty() => {
                Ty::Function(Rc::new(FunctionTy { subst, ..(*function).clone() }))
            }
            Ty::Instance(def, _) => Ty::Instance(def, args.clone()),
            other => other,
        });
    }
    if namespace == Namespace::Type {
        return None;
    }
    method(session, instance, receiver, name)
}

fn variant(session: &Session, def: &Def, name: &Name) -> Option<Def> {
    let place = def.place();
    let items = session.members(&place.path, &place.owner, name);
    let variants = items.iter().filter(|item| item.decl().is_some_and(|it| it.kind == DeclKind::Variant));
    variants.filter_map(|item| session.def(item)).next()
}

/// The method or associated item `name` of a value's type. `receiver` is what it is read from: the
/// value, or the type itself.
pub(super) fn method(session: &Session, value: &Ty, receiver: &Ty, name: &Name) -> Option<Ty> {
    match value {
        Ty::Instance(def, _) if def.decl().kind == DeclKind::Trait => {
            trait_member(session, value, value, receiver, name)
        }
        Ty::Instance(def, _) => {
            let declared =
                if def.is_library() { library_member(session, value, receiver, name) } else { None };
            declared.or_else(|| implemented(session, value, receiver, name))
        }
        Ty::Param(def, ParamId::SELF) => {
            let of_trait = Ty::Instance(def.clone(), session.own_params(def));
            trait_member(session, &of_trait, value, receiver, name)
                .or_else(|| implemented(session, value, receiver, name))
        }
        Ty::Param(..) | Ty::Bounded(_) | Ty::Associated(_) => traits::bounds_of(session, value)
            .iter()
            .find_map(|bound| trait_member(session, &bound.ty, value, receiver, name))
            .or_else(|| implemented(session, value, receiver, name)),
        Ty::ExternalInstance(external) => implemented(session, value, receiver, name)
            .or_else(|| Some(defaults::member_of_external_type(external, name)).filter(Ty::is_known)),
        Ty::Tuple(_) | Ty::Callable(_) | Ty::Closure(_) | Ty::Function(_) => {
            implemented(session, value, receiver, name)
        }
        _ => None,
    }
}

/// What library data declares under a type itself.
fn library_member(session: &Session, value: &Ty, receiver: &Ty, name: &Name) -> Option<Ty> {
    let Ty::Instance(def, args) = value else { return None };
    let place = def.place();
    let items = session.members(&place.path, &place.owner, name);
    let member = items.iter().filter_map(|item| session.def(item)).find(|it| it.decl().kind.is_callable())?;
    Some(function(&member, receiver, session.args_subst(def, args)))
}

/// A member of a trait or one of its supertraits, for a value that implements it.
pub(super) fn trait_member(
    session: &Session,
    of_trait: &Ty,
    value: &Ty,
    receiver: &Ty,
    name: &Name,
) -> Option<Ty> {
    let Ty::Instance(def, args) = of_trait else { return None };
    for base in session.linear(def, args).iter() {
        let Some(base_def) = base.instance_def() else { continue };
        let place = base_def.place();
        let items = session.members(&place.path, &place.owner, name);
        let member =
            items.iter().filter_map(|item| session.def(item)).find(|it| it.decl().kind.is_callable());
        if let Some(member) = member.filter(|member| !wants_another_wrapper(member.decl(), value)) {
            return Some(function(&member, receiver, trait_subst(session, base, value)));
        }
        if let Some(constant) = items.iter().find(|item| item.variable().is_some()) {
            let ty = session.item_value(constant, Namespace::Value);
            return Some(session.substituted(&ty, &trait_subst(session, base, value)));
        }
    }
    None
}

/// What a trait's parameters and `Self` stand for.
pub(super) fn trait_subst(session: &Session, of_trait: &Ty, value: &Ty) -> Subst {
    let Ty::Instance(def, args) = of_trait else { return [].into() };
    let mut subst = session.args_subst(def, args).to_vec();
    subst.push((ParamId { owner: def.id(), index: ParamId::SELF }, value.clone()));
    subst.into()
}

/// A function as read from a value, which is then its receiver, or from a type.
fn function(def: &Def, receiver: &Ty, subst: Subst) -> Ty {
    let is_bound = !matches!(receiver, Ty::Type(_));
    let receiver = is_bound.then(|| receiver.clone());
    Ty::Function(Rc::new(FunctionTy { def: def.clone(), receiver, subst }))
}

/// A member from the impls of a type: its own, those of traits, defaults of traits, and those for
/// all types.
fn implemented(session: &Session, value: &Ty, receiver: &Ty, name: &Name) -> Option<Ty> {
    let key = match value {
        Ty::Instance(def, _) if def.decl().type_params.is_empty() => {
            (def.id(), name.clone(), matches!(receiver, Ty::Type(_)))
        }
        _ => return implemented_now(session, value, receiver, name),
    };
    let cache = &session.state::<State>().traits.members;
    if let Some(known) = cache.borrow().get(&key) {
        return known.clone();
    }
    let found = implemented_now(session, value, receiver, name);
    cache.borrow_mut().insert(key, found.clone());
    found
}

fn implemented_now(session: &Session, value: &Ty, receiver: &Ty, name: &Name) -> Option<Ty> {
    let own = members_of_impls(session, value, name);
    let inherent = |candidate: &&Candidate| candidate.implementation.of_trait.is_none();
    let chosen: Vec<&Candidate> = match own.iter().any(|candidate| inherent(&candidate)) {
        true => own.iter().filter(inherent).collect(),
        false => own.iter().collect(),
    };
    if !chosen.is_empty() {
        return Some(choice(session, &chosen, value, receiver, name));
    }
    traits::implementations(session, value)
        .iter()
        .find_map(|implementation| default_member(session, implementation, value, receiver, name))
        .or_else(|| traits::derived_member(session, value, receiver, name))
        .or_else(|| blanket_member(session, value, receiver, name))
}

struct Candidate {
    item: Provided,
    implementation: Implementation,
}

/// The members of this name in impls that fit the type.
fn members_of_impls(session: &Session, value: &Ty, name: &Name) -> Vec<Candidate> {
    let Some(key) = traits::key_of(value) else { return Vec::new() };
    let items = session.custom(IMPL_MEMBER, &key, name);
    let candidate = |item: &Provided| {
        let owner = match (item.decl(), item.variable()) {
            (Some(decl), _) if decl.kind.is_callable() => &decl.owner,
            (_, Some(variable)) => &variable.owner,
            _ => return None,
        };
        if item.decl().is_some_and(|decl| wants_another_wrapper(decl, value)) {
            return None;
        }
        let implementation =
            traits::implementation(session, &session.symbol(&session.path_of(item), owner)?)?;
        traits::admits(session, &implementation, value)
            .then(|| Candidate { item: item.clone(), implementation })
    };
    items.iter().filter_map(candidate).collect()
}

/// Whether a method's receiver is its type in a smart pointer that the value is one of itself: on a
/// `Pin<&mut T>` a method with `self: Pin<&mut Self>` is one of `T`, not one of `Pin`.
fn wants_another_wrapper(decl: &Decl, value: &Ty) -> bool {
    let Ty::Instance(def, _) = value else { return false };
    let receiver = decl.params.first().filter(|param| param.kind == ParamKind::Receiver);
    match receiver.and_then(|param| param.ty.as_ref()) {
        Some(TypeExpr::Path(segments)) => {
            def.is_library() && segments.last().is_some_and(|last| last.name == def.decl().name)
        }
        _ => false,
    }
}

/// One candidate answers; alternatives of conditional compilation all do; impls of one generic trait
/// are told apart by the arguments.
fn choice(session: &Session, all: &[&Candidate], value: &Ty, receiver: &Ty, name: &Name) -> Ty {
    let values: Vec<Ty> = all
        .iter()
        .filter_map(|candidate| candidate_value(session, candidate, value, receiver, name))
        .collect();
    if values.len() < 2 {
        return values.into_iter().next().unwrap_or_default();
    }
    let is_conditional = |candidate: &&Candidate| {
        candidate.item.decl().is_some_and(|decl| decl.flags.is_conditional)
            || candidate.implementation.def.decl().flags.is_conditional
    };
    if all.iter().all(is_conditional) {
        return Ty::alternatives(values);
    }
    Ty::Overloads(values.into())
}

fn candidate_value(
    session: &Session,
    candidate: &Candidate,
    value: &Ty,
    receiver: &Ty,
    name: &Name,
) -> Option<Ty> {
    let subst = impl_subst(session, &candidate.implementation, value);
    if candidate.item.variable().is_some() {
        let scope = candidate.implementation.def.place();
        let ty = session.variable(&scope, name, std::slice::from_ref(&candidate.item));
        return Some(session.substituted(&ty, &subst));
    }
    Some(function(&session.def(&candidate.item)?, receiver, subst))
}

/// What an impl's type parameters stand for, for a value of its target type.
pub(super) fn impl_subst(session: &Session, implementation: &Implementation, value: &Ty) -> Subst {
    let mut learned = Learned::default();
    session.unify(&implementation.target, value, &mut learned);
    learned.into_subst()
}

/// A member that a trait gives every type which implements it.
fn default_member(
    session: &Session,
    implementation: &Implementation,
    value: &Ty,
    receiver: &Ty,
    name: &Name,
) -> Option<Ty> {
    let of_trait = implementation.of_trait.as_ref()?;
    let Ty::Instance(def, args) = of_trait else { return None };
    // Supertraits have impls of their own.
    let place = def.place();
    let items = session.members(&place.path, &place.owner, name);
    if items.is_empty() {
        return None;
    }
    let subst = impl_subst(session, implementation, value);
    let args = args.iter().map(|arg| session.substituted(arg, &subst)).collect();
    trait_member(session, &Ty::Instance(def.clone(), args), value, receiver, name)
}

/// A member from an impl for all types whose bounds the type meets.
fn blanket_member(session: &Session, value: &Ty, receiver: &Ty, name: &Name) -> Option<Ty> {
    let items = session.custom(IMPL_MEMBER, ANY_TYPE, name);
    let mut found: Vec<Ty> = Vec::new();
    for item in items.iter() {
        let Some(decl) = item.decl().filter(|decl| decl.kind.is_callable()) else { continue };
        let Some(implementation) = session
            .symbol(&session.path_of(item), &decl.owner)
            .and_then(|owner| traits::implementation(session, &owner))
        else {
            continue;
        };
        if traits::meets_bounds(session, &implementation, value) {
            let subst = impl_subst(session, &implementation, value);
            found.extend(session.def(item).map(|def| function(&def, receiver, subst)));
        }
    }
    if found.is_empty() {
        return traits::blanket_implementations(session)
            .iter()
            .filter(|implementation| declares(session, implementation, name))
            .filter(|implementation| traits::meets_bounds(session, implementation, value))
            .find_map(|implementation| default_member(session, implementation, value, receiver, name));
    }
    if found.len() == 1 { found.pop() } else { Some(Ty::Overloads(found.into())) }
}

/// Whether the trait of an impl itself declares a name.
fn declares(session: &Session, implementation: &Implementation, name: &Name) -> bool {
    let Some(def) = implementation.of_trait.as_ref().and_then(Ty::instance_def) else { return false };
    let place = def.place();
    !session.members(&place.path, &place.owner, name).is_empty()
}

/// `<base as of_trait>::name`.
pub(super) fn qualified(
    session: &Session,
    from: &Place,
    base: &Ty,
    of_trait: Option<&Ty>,
    name: &Name,
) -> Ty {
    let receiver = base.clone().into_type();
    let Some(of_trait) = of_trait else {
        return match base {
            Ty::Unknown => Ty::Unknown,
            _ => session.rules().member(session, from, &receiver, name, Namespace::Value),
        };
    };
    let own = members_of_impls(session, base, name);
    let is_of_trait = |candidate: &&Candidate| {
        let implemented = candidate.implementation.of_trait.as_ref().and_then(Ty::instance_def);
        implemented.is_some() && implemented == of_trait.instance_def()
    };
    let chosen: Vec<&Candidate> = own.iter().filter(is_of_trait).collect();
    if !chosen.is_empty() {
        return choice(session, &chosen, base, &receiver, name);
    }
    match of_trait {
        Ty::ExternalInstance(external) => defaults::member_of_external_type(external, name),
        _ => trait_member(session, of_trait, base, &receiver, name).unwrap_or_default(),
    }
}

/// What `Self` is in an impl, type or trait; worked out once.
pub(super) fn impl_self(session: &Session, def: &Def) -> Ty {
    let selves = &session.state::<State>().traits.selves;
    if let Some(known) = selves.borrow().get(&def.id()) {
        return known.clone();
    }
    let ty = session.self_type(def);
    selves.borrow_mut().insert(def.id(), ty.clone());
    ty
}
