//! Which types a type inherits from.

use std::rc::Rc;

use bindery_facts::{DeclKind, Segment, TypeExpr};
use bindery_graph::{Args, Builtin, Def, Namespace, Place, Session, Ty};

use super::{State, operations};

/// A type itself, its superclasses from near to far, then the interfaces of all of them, each before
/// those it extends, `Object` last: what a class has goes before what an interface has (JLS 8.4.8). Each
/// type stands once. Bases are followed in a loop, so that long lines of them do not nest.
pub(super) fn linearization(session: &Session, def: &Def, args: &Args) -> Rc<[Ty]> {
    let object = operations::object(session);
    let mut order = vec![Ty::Instance(def.clone(), args.clone())];
    let mut interfaces = Vec::new();
    let mut at = 0;
    while at < order.len() {
        for base in bases_of(session, &order[at]) {
            if is_same(&base, &object) {
                continue;
            }
            match base.instance_def() {
                Some(def) if def.decl().kind == DeclKind::Interface => interfaces.push(base),
                _ if order.iter().any(|known| is_same(known, &base)) => {}
                _ => order.push(base),
            }
        }
        at += 1;
    }
    for interface in subtypes_first(session, interfaces) {
        if !order.iter().any(|known| is_same(known, &interface)) {
            order.push(interface);
        }
    }
    if object.instance_def() != Some(def) {
        order.push(object);
    }
    order.into()
}

/// Interfaces and all they extend, each before those it extends, else in the order they are written.
fn subtypes_first(session: &Session, roots: Vec<Ty>) -> Vec<Ty> {
    let mut seen: Vec<Ty> = Vec::new();
    let mut finished = Vec::new();
    let mut open: Vec<(Ty, bool)> = roots.into_iter().map(|root| (root, false)).collect();
    while let Some((interface, is_expanded)) = open.pop() {
        if is_expanded {
            finished.push(interface);
        } else if !seen.iter().any(|known| is_same(known, &interface)) {
            seen.push(interface.clone());
            let bases = bases_of(session, &interface);
            open.push((interface, true));
            open.extend(bases.into_iter().map(|base| (base, false)));
        }
    }
    finished.reverse();
    finished
}

/// Whether two entries are one type, whatever its type arguments.
fn is_same(a: &Ty, b: &Ty) -> bool {
    match (a.instance_def(), b.instance_def()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// The base types of an instance, type arguments filled in.
fn bases_of(session: &Session, ty: &Ty) -> Vec<Ty> {
    let Ty::Instance(def, args) = ty else { return Vec::new() };
    let bases = direct_bases(session, def);
    if args.is_empty() {
        return bases.to_vec();
    }
    let subst = session.args_subst(def, args);
    bases.iter().map(|base| session.substituted(base, &subst)).collect()
}

/// The written base types, and those that enums and records have without writing them (JLS 8.9, 8.10).
fn direct_bases(session: &Session, def: &Def) -> Rc<[Ty]> {
    let state: &State = session.state();
    if let Some(known) = state.bases.borrow().get(&def.id()) {
        return known.clone();
    }
    if !state.open_headers.borrow_mut().insert(def.id()) {
        // A type that is its own base.
        return [Ty::Unknown].into();
    }
    let decl = def.decl();
    let header = Header { session, def, outer: Place::new(def.path().clone(), decl.owner.clone()) };
    let written = |ty| if def.is_library() { session.written(&def.place(), ty) } else { header.written(ty) };
    let mut bases: Vec<Ty> = decl.supertypes.iter().map(written).collect();
    if !def.is_library() {
        match decl.kind {
            DeclKind::Enum => {
                bases.insert(0, operations::platform(session, "Enum", [session.self_type(def)].into()));
            }
            DeclKind::Record => bases.insert(0, operations::platform(session, "Record", [].into())),
            _ => {}
        }
    }
    state.open_headers.borrow_mut().remove(&def.id());
    let bases: Rc<[Ty]> = bases.into();
    state.bases.borrow_mut().insert(def.id(), bases.clone());
    bases
}

/// The head of a type declaration: what is declared in its body is not in scope there, its own type
/// parameters are (JLS 6.3, 8.1.2).
struct Header<'h, 's> {
    session: &'h Session<'s>,
    def: &'h Def,
    outer: Place,
}

impl Header<'_, '_> {
    fn written(&self, ty: &TypeExpr) -> Ty {
        match ty {
            TypeExpr::Path(segments) => self.path(segments),
            TypeExpr::Slice(inner) => self.session.builtin(Builtin::Slice, [self.written(inner)].into()),
            other => self.session.written(&self.outer, other),
        }
    }

    fn path(&self, segments: &[Segment]) -> Ty {
        if let Some(primitive) = operations::primitive(self.session, segments) {
            return primitive;
        }
        let Some((first, rest)) = segments.split_first() else { return Ty::Unknown };
        let params = &self.def.decl().type_params;
        let start = match params.iter().position(|param| param.name == first.name) {
            Some(index) => Ty::Param(self.def.clone(), index as u32).into_type(),
            None => self.session.name_in(&self.outer, &first.name, Namespace::Type),
        };
        let inner = |outer: Ty, segment: &Segment| {
            let rules = self.session.rules();
            let member = rules.member(self.session, &self.outer, &outer, &segment.name, Namespace::Type);
            self.with_args(member, segment)
        };
        rest.iter().fold(self.with_args(start, first), inner).into_instance()
    }

    fn with_args(&self, ty: Ty, segment: &Segment) -> Ty {
        if segment.args.is_empty() {
            return ty;
        }
        let args: Args = segment.args.iter().map(|arg| self.written(arg)).collect();
        self.session.with_types(ty, &args)
    }
}

/// The superclass of a class, `Object` if none is written.
pub(super) fn superclass(session: &Session, def: &Def, args: &Args) -> Ty {
    let first = bases_of(session, &Ty::Instance(def.clone(), args.clone())).into_iter().next();
    match first {
        Some(base) if base.instance_def().is_none_or(|def| def.decl().kind != DeclKind::Interface) => base,
        _ => operations::object(session),
    }
}

/// Whether some base of a type is not known, so that neither are all of its members.
pub(super) fn has_unknown_base(session: &Session, ty: &Ty) -> bool {
    match ty {
        Ty::Instance(def, args) | Ty::Super(def, args) => {
            session.linear(def, args).iter().any(|base| base.instance_def().is_none())
        }
        Ty::Type(inner) => has_unknown_base(session, inner),
        _ => false,
    }
}

/// Bases whose members are known and that every class, enum or record has.
const IMPLICIT: &[&str] = &["Object", "Enum", "Record"];

/// Whether a member that a type does not show may come from outside the set.
pub(super) fn may_inherit(session: &Session, receiver: &Ty) -> bool {
    let (def, args) = match receiver {
        Ty::Instance(def, args) | Ty::Super(def, args) => (def, args),
        Ty::Type(inner) => return may_inherit(session, inner),
        _ => return false,
    };
    let is_outside = |base: &Ty| match base.instance_def() {
        None => true,
        Some(def) => def.is_library() && !IMPLICIT.contains(&def.decl().name.as_str()),
    };
    !def.is_library() && session.linear(def, args).iter().skip(1).any(is_outside)
}

/// Whether `ty` is, or inherits from, the type `base`; none if that is not known.
pub(super) fn is_subtype(session: &Session, ty: &Ty, base: &Def) -> Option<bool> {
    let Ty::Instance(def, args) = ty else { return None };
    if def == base {
        return Some(true);
    }
    let bases = session.linear(def, args);
    if bases.iter().any(|ty| ty.instance_def() == Some(base)) {
        return Some(true);
    }
    bases.iter().all(|ty| ty.instance_def().is_some()).then_some(false)
}
