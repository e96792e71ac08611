//! What imports lead to, and what files and objects have as members (ECMAScript, "Modules"; Node.js,
//! "Modules: CommonJS modules").
//!
//! A file is [`Module`] with its path, a namespace or object literal with its qualname as owner. What
//! a file exports stands under the owner [`crate::EXPORTS`]: export clauses as imports, what a CommonJS
//! file assigns as members of an object of that name; and what is declared with `export` stands under
//! the file itself.

use bindery_facts::{DeclKind, Import, ImportBinding, Name, TypeExpr, Visibility};
use bindery_graph::{External, LANGUAGE_GUARD, Module, Namespace, Place, Provided, Session, Ty};

use super::declared;
use super::specifiers::{self, Found};

/// Guards what a file exports against cycles.
const EXPORT_GUARD: u8 = LANGUAGE_GUARD;

// ---- Imports

pub(super) fn import_target(session: &Session, place: &Place, import: &Import, namespace: Namespace) -> Ty {
    let Some((specifier, names)) = import.path.split_first() else { return Ty::Unknown };
    if specifier.is_empty() {
        return own_target(session, place, import, names, namespace);
    }
    match specifiers::resolve(session, &place.path, specifier) {
        Found::File(path) if import.binds == ImportBinding::Glob => Ty::Module(Module::file(path)),
        Found::File(path) => match names.first().filter(|_| import.is_member) {
            Some(name) => imported(session, place, &path, name, namespace),
            None => whole(session, &path),
        },
        Found::Outside => external(specifier, names.first().map_or("", Name::as_str)),
        Found::Nothing => Ty::Unknown,
    }
}

/// `export { a as b }`, `import A = B.C`: names of the file itself.
fn own_target(session: &Session, place: &Place, import: &Import, names: &[Name], namespace: Namespace) -> Ty {
    let owner = if import.owner == crate::EXPORTS { Name::default() } else { place.owner.clone() };
    let place = Place { path: place.path.clone(), owner };
    let Some((first, rest)) = names.split_first() else { return Ty::Module(Module::file(place.path)) };
    let start = session.name_in(&place, first, if rest.is_empty() { namespace } else { Namespace::Type });
    let segments: Vec<bindery_facts::Segment> =
        rest.iter().map(|name| bindery_facts::Segment::plain(name.clone())).collect();
    session.path_from(&place, start, &segments, namespace)
}

fn imported(session: &Session, from: &Place, path: &Name, name: &Name, namespace: Namespace) -> Ty {
    if let Some(found) = exported(session, from, path, name, namespace) {
        return found;
    }
    match whole(session, path) {
        Ty::Module(module) if module.path == *path && module.owner.is_empty() => {
            // The default of a file that exports in the CommonJS way is all of it.
            if name == "default" && exports_object(session, path) { Ty::Module(module) } else { Ty::Unknown }
        }
        whole if name == "default" => whole,
        whole => session.rules().member(session, from, &whole, name, namespace),
    }
}

fn exports_object(session: &Session, path: &Name) -> bool {
    session.symbol(path, &Name::new_static(crate::EXPORTS)).is_some()
}

/// What `require` gives, and what an import of all of a file means: what it exports as a whole, else
/// the module.
fn whole(session: &Session, path: &Name) -> Ty {
    let place = Place { path: path.clone(), owner: Name::default() };
    let name = Name::new_static(crate::WHOLE);
    exported(session, &place, path, &name, Namespace::Value)
        .unwrap_or_else(|| Ty::Module(Module::file(path.clone())))
}

/// A name that a file exports; none if it exports no such name.
fn exported(session: &Session, from: &Place, path: &Name, name: &Name, namespace: Namespace) -> Option<Ty> {
    let subject: Name = format!("{path}\0{name}").into();
    let answer = session.guarded(EXPORT_GUARD, namespace as u32, &subject, || {
        Some(exported_unguarded(session, from, path, name, namespace))
    });
    answer.flatten()
}

fn exported_unguarded(
    session: &Session,
    from: &Place,
    path: &Name,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    let exports = Place { path: path.clone(), owner: Name::new_static(crate::EXPORTS) };
    let listed = session.members(path, &exports.owner, name);
    if let Some(ty) = value_of_items(session, &exports, &listed, name, namespace) {
        return Some(ty);
    }
    let file = Place { path: path.clone(), owner: Name::default() };
    let declared: Vec<Provided> =
        session.members(path, &file.owner, name).iter().filter(|item| is_exported(item)).cloned().collect();
    if let Some(ty) = value_of_items(session, &file, &declared, name, namespace) {
        return Some(ty);
    }
    let is_single = name == crate::WHOLE || name == "default";
    let passed_on = if is_single { None } else { session.through_globs(from, &exports, name, namespace) };
    // A class that is exported as a value (`module.exports = { A }`) is a type as well.
    passed_on.or_else(|| match namespace {
        Namespace::Type => {
            exported(session, from, path, name, Namespace::Value).filter(|ty| matches!(ty, Ty::Type(_)))
        }
        _ => None,
    })
}

fn is_exported(item: &Provided) -> bool {
    match (item.decl(), item.variable()) {
        (Some(decl), _) => decl.visibility == Visibility::Public,
        (None, Some(variable)) => variable.visibility == Visibility::Public,
        _ => false,
    }
}

/// The value of the items that are of a name space; none if there are none.
fn value_of_items(
    session: &Session,
    scope: &Place,
    items: &[Provided],
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    let fits = |item: &&Provided| match item.decl() {
        Some(decl) => declared::is_in_namespace(decl, namespace),
        None => item.variable().is_none() || namespace != Namespace::Type,
    };
    let items: Vec<Provided> = items.iter().filter(fits).cloned().collect();
    if items.is_empty() {
        return None;
    }
    session.chosen_value(&items, scope, name, namespace)
}

// ---- Members

/// What `name` means in a file, namespace or object.
pub(super) fn member(
    session: &Session,
    from: &Place,
    module: &Module,
    name: &Name,
    namespace: Namespace,
) -> Ty {
    if module.owner.is_empty() || module.owner == crate::EXPORTS {
        if let Some(found) = exported(session, from, &module.path, name, namespace) {
            return found;
        }
        return match whole(session, &module.path) {
            Ty::Module(all) if all == *module || all.owner.is_empty() => Ty::Unknown,
            all => session.rules().member(session, from, &all, name, namespace),
        };
    }
    let own = Place { path: module.path.clone(), owner: module.owner.clone() };
    if let Some(found) = of_scope(session, &own, name, namespace) {
        return found;
    }
    let Some(def) = session.symbol(&module.path, &module.owner) else { return Ty::Unknown };
    // Namespaces of one name are one.
    let merged = session.members(&module.path, &def.decl().owner, &def.decl().name);
    let others = merged.iter().filter_map(|item| session.def(item));
    others
        .filter(|other| *other != def && matches!(other.decl().kind, DeclKind::Module | DeclKind::Object))
        .find_map(|other| of_scope(session, &other.place(), name, namespace))
        .unwrap_or_default()
}

fn of_scope(session: &Session, scope: &Place, name: &Name, namespace: Namespace) -> Option<Ty> {
    let items = session.members(&scope.path, &scope.owner, name);
    value_of_items(session, scope, &items, name, namespace).filter(Ty::is_known)
}

// ---- Markers

/// A path that the adapter made up for what has no name in scope.
pub(super) fn marked(session: &Session, place: &Place, path: &TypeExpr) -> Option<Ty> {
    let TypeExpr::Path(segments) = path else { return None };
    let [word, subject] = segments.as_slice() else { return None };
    match word.name.as_str() {
        crate::DECL => {
            let def = session.symbol(&place.path, &subject.name)?;
            Some(session.def_value(&def))
        }
        crate::THIS => {
            let def = session.symbol(&place.path, &subject.name)?;
            Some(Ty::Instance(def.clone(), session.own_params(&def)))
        }
        crate::REQUIRE => Some(loaded(session, place, &subject.name)),
        crate::IMPORT => {
            let module = imported_module(session, place, &subject.name);
            Some(session.library_instance("Promise", [module].into()))
        }
        _ => None,
    }
}

/// The module that a specifier means, with all it exports.
pub(super) fn imported_module(session: &Session, place: &Place, specifier: &Name) -> Ty {
    match specifiers::resolve(session, &place.path, specifier) {
        Found::File(path) => Ty::Module(Module::file(path)),
        Found::Outside => external(specifier, ""),
        Found::Nothing => Ty::Unknown,
    }
}

fn loaded(session: &Session, place: &Place, specifier: &Name) -> Ty {
    match specifiers::resolve(session, &place.path, specifier) {
        Found::File(path) => whole(session, &path),
        Found::Outside => external(specifier, ""),
        Found::Nothing => Ty::Unknown,
    }
}

// ---- Outside the set

fn external(specifier: &str, name: &str) -> Ty {
    // A module as a value is its default export to whoever calls it.
    let name = if name.is_empty() { "default" } else { name };
    Ty::External(External { specifier: specifier.into(), class: Name::default(), name: name.into() }.into())
}

pub(super) fn external_member(from: &External, name: &Name) -> Ty {
    if !from.class.is_empty() {
        return Ty::Unknown;
    }
    let class = if from.name == "default" { Name::default() } else { from.name.clone() };
    Ty::External(External { specifier: from.specifier.clone(), class, name: name.clone() }.into())
}
