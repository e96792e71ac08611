//! What imports lead to (JLS 7.5).

use std::rc::Rc;

use bindery_facts::{Import, ImportBinding, Name};
use bindery_graph::{External, LIBRARY, Namespace, Place, Session, Ty};

use super::{members, packages};

/// The target of an import: a type, what a static import names in a type, or for `*` the package or type
/// whose names it brings in.
pub(super) fn target(session: &Session, place: &Place, import: &Import, namespace: Namespace) -> Ty {
    let path = import.path.as_slice();
    if import.binds == ImportBinding::Glob {
        let ty = known_type(session, &place.path, path);
        return match (ty, import.is_member) {
            (Some(ty), _) => ty,
            (None, true) => external_type(path),
            (None, false) => packages::package(&joined(path)),
        };
    }
    match (import.is_member, path.split_last()) {
        (true, Some((name, holder))) => static_member(session, place, holder, name, namespace),
        _ if namespace == Namespace::Method => Ty::Unknown,
        _ => known_type(session, &place.path, path).unwrap_or_else(|| external_type(path)),
    }
}

fn static_member(session: &Session, place: &Place, holder: &[Name], name: &Name, namespace: Namespace) -> Ty {
    match known_type(session, &place.path, holder).unwrap_or_else(|| external_type(holder)) {
        Ty::External(external) => Ty::External(Rc::new(External {
            specifier: external.specifier.clone(),
            class: external.name.clone(),
            name: name.clone(),
        })),
        ty => members::direct_member(session, place, &ty, name, namespace).unwrap_or_default(),
    }
}

/// A type of the set or the platform by its canonical name. Which of its segments are packages follows
/// from what is declared.
pub(super) fn known_type(session: &Session, from: &Name, path: &[Name]) -> Option<Ty> {
    (0..path.len()).rev().find_map(|at| {
        let package = joined(&path[..at]);
        let top = packages::type_in(session, from, &package, &path[at])?;
        path[at + 1..].iter().try_fold(top, |outer, name| {
            let Ty::Type(instance) = &outer else { return None };
            members::member_type(session, instance, name)
        })
    })
}

/// A type outside the set: what stands before its name is its package or the type around it.
fn external_type(path: &[Name]) -> Ty {
    match path.split_last() {
        Some((name, before)) => packages::external(&joined(before), name),
        None => Ty::Unknown,
    }
}

fn joined(path: &[Name]) -> String {
    path.iter().map(Name::as_str).collect::<Vec<_>>().join(".")
}

/// Whether a place is in the platform's data and not in a file.
pub(super) fn is_library(place: &Place) -> bool {
    place.path == LIBRARY
}
