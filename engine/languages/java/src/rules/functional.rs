//! Which method a lambda of an interface stands for (JLS 9.8).

use std::rc::Rc;

use bindery_facts::{DeclKind, Language, Name};
use bindery_graph::{CallableTy, Contents, Def, FunctionTy, Item, Key, Session, Ty, Unit};

use super::{State, members, operations};

/// The abstract methods of an interface, by its file and qualname.
const ABSTRACT_KEY: &str = "java abstract";

/// Offers the abstract methods of interfaces.
pub(super) fn offers(unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
    let Contents::Source(summary) = &unit.contents else { return };
    let is_interface = |name: &Name| {
        summary.decls.iter().any(|decl| decl.kind == DeclKind::Interface && decl.qualname == *name)
    };
    let mut known: Option<(&Name, bool)> = None;
    for (index, decl) in summary.decls.iter().enumerate() {
        if decl.kind != DeclKind::Method || !decl.flags.is_bodiless {
            continue;
        }
        // The methods of one interface follow each other.
        let of_interface = match known {
            Some((owner, answer)) if *owner == decl.owner => answer,
            _ => is_interface(&decl.owner),
        };
        known = Some((&decl.owner, of_interface));
        if of_interface {
            let key = Key::Custom {
                language: Language::Java,
                kind: ABSTRACT_KEY,
                subject: unit.path.as_str().into(),
                name: decl.owner.clone(),
            };
            pairs.push((key, Item::Decl(index as u32)));
        }
    }
}

/// The function type of a functional interface.
pub(super) fn callable(session: &Session, ty: &Ty) -> Option<Rc<CallableTy>> {
    let Ty::Instance(def, args) = ty else { return None };
    if def.decl().kind != DeclKind::Interface {
        return None;
    }
    let (method, base) = only_abstract(session, def)?;
    let base =
        if args.is_empty() { base } else { session.substituted(&base, &session.args_subst(def, args)) };
    let subst = match &base {
        Ty::Instance(base_def, base_args) => session.args_subst(base_def, base_args),
        _ => [].into(),
    };
    let result = session.substituted(&session.signature(&method).result, &subst);
    let function = FunctionTy { def: method, receiver: None, subst };
    let params = members::parameters(session, &function).into();
    Some(Rc::new(CallableTy { params, result }))
}

/// What a call's result is in terms of a type parameter that the arguments do not tell: it follows from
/// where the value is used, so that nothing but its bounds is known.
pub(super) fn unlearned(session: &Session, function: &Def, index: u32) -> Ty {
    let bounds = session.param_bounds(function, index);
    if bounds.is_empty() { Ty::Unknown } else { Ty::Bounded(bounds) }
}

fn only_abstract(session: &Session, def: &Def) -> Option<(Def, Ty)> {
    let state: &State = session.state();
    if let Some(known) = state.functional.borrow().get(&def.id()) {
        return known.clone();
    }
    let found = find_only_abstract(session, def);
    state.functional.borrow_mut().insert(def.id(), found.clone());
    found
}

/// The one abstract method of an interface: those that `Object` has, and those that a nearer interface
/// gives a body or declares again, do not count.
fn find_only_abstract(session: &Session, def: &Def) -> Option<(Def, Ty)> {
    let bases = session.linear(def, &session.own_params(def));
    let mut found: Option<(Def, Ty)> = None;
    for (distance, base) in bases.iter().enumerate() {
        let base_def = base.instance_def()?;
        for item in session.custom(ABSTRACT_KEY, base_def.path(), &base_def.decl().qualname).iter() {
            let Some(method) = session.def(item) else { continue };
            if is_of_object(session, &method) || is_declared_nearer(session, &bases[..distance], &method) {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some((method, base.clone()));
        }
    }
    found
}

fn parameter_count(def: &Def) -> usize {
    def.decl().params.len() - usize::from(members::takes_receiver(def))
}

fn is_declared_nearer(session: &Session, bases: &[Ty], method: &Def) -> bool {
    bases.iter().filter_map(Ty::instance_def).any(|base| has_method(session, base, method))
}

fn is_of_object(session: &Session, method: &Def) -> bool {
    let object = operations::object(session);
    object.instance_def().is_some_and(|object| has_method(session, object, method))
}

fn has_method(session: &Session, base: &Def, method: &Def) -> bool {
    let place = base.place();
    let items = session.members(&place.path, &place.owner, &method.decl().name);
    let mut methods = items.iter().filter_map(|item| session.def(item));
    methods.any(|other| {
        other.decl().kind == DeclKind::Method && parameter_count(&other) == parameter_count(method)
    })
}
