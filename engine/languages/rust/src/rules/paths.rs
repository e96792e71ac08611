//! What paths lead to: `use` declarations, paths in expressions and types, visibility.

use bindery_facts::{DeclKind, Import, ImportBinding, Name, Segment, TypeExpr, Visibility};
use bindery_graph::{External, LIBRARY, Module, Namespace, Place, Provided, Session, Ty, defaults};

use super::crates::{self, is_standard_crate};
use super::members;

/// The longest chain of modules that is followed.
const MAX_CHAIN: usize = 64;

/// The module a place stands in.
pub(super) fn module_of_place(session: &Session, place: &Place) -> Module {
    let mut owner = place.owner.clone();
    while let Some(def) = session.symbol(&place.path, &owner) {
        if def.decl().kind == DeclKind::Module {
            break;
        }
        owner = def.decl().owner.clone();
    }
    Module { path: place.path.clone(), owner }
}

fn module_place(module: &Module) -> Place {
    Place { path: module.path.clone(), owner: module.owner.clone() }
}

/// The value of a path that does not start with a name in scope, or that names its type in angle
/// brackets.
pub(super) fn path(session: &Session, place: &Place, path: &TypeExpr, namespace: Namespace) -> Option<Ty> {
    match path {
        TypeExpr::Path(segments) => from_special(session, place, segments, namespace),
        TypeExpr::Qualified { ty, of_trait, rest } => {
            let base = session.written(place, ty);
            let of_trait = of_trait.as_ref().map(|ty| session.written(place, ty));
            let [last] = rest.as_slice() else { return Some(Ty::Unknown) };
            let member = match namespace {
                Namespace::Type => session.associated(base, of_trait, &last.name).into_type(),
                _ => members::qualified(session, place, &base, of_trait.as_ref(), &last.name),
            };
            Some(session.with_args(place, member, &last.args))
        }
        _ => None,
    }
}

/// See [`bindery_graph::Rules::written_path`].
pub(super) fn written_path(session: &Session, place: &Place, segments: &[Segment]) -> Option<Ty> {
    let special = from_special(session, place, segments, Namespace::Type).map(Ty::into_instance);
    let Some(last) = segments.last().filter(|last| last.name == "Result" && !last.args.is_empty()) else {
        return special;
    };
    let ty =
        special.unwrap_or_else(|| session.path_by_members(place, segments, Namespace::Type).into_instance());
    match ty {
        // Every crate's `Result<T>` is an alias of the standard one: nothing else can stand before `?`
        // under that name with the value's type first.
        Ty::ExternalInstance(_) => {
            let args = session.written_all(place, &last.args);
            Some(session.library_instance("Result", args))
        }
        ty => Some(ty),
    }
}

/// A path that starts with `crate`, `self`, `super`, `Self` or `::`; none for others.
pub(super) fn from_special(
    session: &Session,
    place: &Place,
    segments: &[Segment],
    namespace: Namespace,
) -> Option<Ty> {
    let names = segments.iter().map(|segment| &segment.name);
    let (start, taken) = special_start(session, place, names)?;
    Some(session.path_from(place, start, &segments[taken..], namespace))
}

/// The module or type that the special first segments of a path mean, and how many they are.
fn special_start<'n>(
    session: &Session,
    place: &Place,
    mut names: impl Iterator<Item = &'n Name>,
) -> Option<(Ty, usize)> {
    let first = names.next()?;
    Some(match first.as_str() {
        "crate" | "$crate" => (Ty::Module(Module::file(crates::root(session, &place.path))), 1),
        "self" => supers(session, module_of_place(session, place), names, 1),
        "super" => {
            let parent = crates::parent(session, &module_of_place(session, place));
            match parent {
                Some(parent) => supers(session, parent, names, 1),
                None => (Ty::Unknown, 1),
            }
        }
        "Self" => (self_type(session, place).into_type(), 1),
        "" => {
            let name = names.next()?;
            (crates::extern_crate(session, &place.path, name).unwrap_or_default(), 2)
        }
        _ => return None,
    })
}

fn supers<'n>(
    session: &Session,
    mut module: Module,
    names: impl Iterator<Item = &'n Name>,
    mut taken: usize,
) -> (Ty, usize) {
    for name in names {
        if name != "super" {
            break;
        }
        taken += 1;
        match crates::parent(session, &module) {
            Some(parent) => module = parent,
            None => return (Ty::Unknown, taken),
        }
    }
    (Ty::Module(module), taken)
}

/// What `Self` means at a place.
pub(super) fn self_type(session: &Session, place: &Place) -> Ty {
    let mut at = session.place_def(place);
    while let Some(def) = at {
        let kind = def.decl().kind;
        if kind == DeclKind::Impl || kind.type_kind().is_some() && kind != DeclKind::Alias {
            return members::impl_self(session, &def);
        }
        if kind == DeclKind::Module {
            break;
        }
        at = session.owner(&def);
    }
    Ty::Unknown
}

/// A name that nothing in the file answers: an extern crate, or the prelude.
pub(super) fn outer_name(session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Ty {
    if name == "Self" {
        return self_type(session, place).into_type();
    }
    match namespace {
        Namespace::Macro => return Ty::Unknown,
        Namespace::Type => {
            if let Some(ty) = crates::extern_crate(session, &place.path, name) {
                return ty;
            }
        }
        Namespace::Value | Namespace::Method => {}
    }
    session.library_name(name)
}

/// What an import leads to.
pub(super) fn import_target(session: &Session, place: &Place, import: &Import, namespace: Namespace) -> Ty {
    let (start, taken) = match special_start(session, place, import.path.iter()) {
        Some(start) => start,
        None => {
            let Some(first) = import.path.first() else { return Ty::Unknown };
            (import_start(session, place, import, first, namespace), 1)
        }
    };
    let Some(rest) = import.path.get(taken..) else { return Ty::Unknown };
    let mut ty = start;
    for (index, name) in rest.iter().enumerate() {
        let is_container = index + 1 < rest.len() || import.binds == ImportBinding::Glob;
        let namespace = if is_container { Namespace::Type } else { namespace };
        ty = step(session, place, &ty, name, namespace);
    }
    ty
}

/// The first segment of a `use` path: a name in scope, else a crate. A name that the import itself
/// binds can only be a crate.
fn import_start(session: &Session, place: &Place, import: &Import, first: &Name, namespace: Namespace) -> Ty {
    let binds_itself = import.binds == ImportBinding::Name(first.clone());
    if !binds_itself {
        let namespace = if import.path.len() > 1 { Namespace::Type } else { namespace };
        let found = session.name_in(place, first, namespace);
        if found.is_known() {
            return found;
        }
    }
    match crates::extern_crate(session, &place.path, first) {
        Some(ty) => ty,
        None if binds_itself && import.path.len() > 1 => {
            declared_apart(session, place, import, first).unwrap_or_else(|| crates::outside(first))
        }
        // A crate that no manifest of the set knows.
        None => crates::outside(first),
    }
}

/// A module declared beside an import that binds the same name to something in it.
fn declared_apart(session: &Session, place: &Place, import: &Import, name: &Name) -> Option<Ty> {
    let module = module_of_place(session, place);
    let items = session.members(&module.path, &module.owner, name);
    let others: Vec<Provided> =
        items.iter().filter(|item| item.import().is_none_or(|other| other != import)).cloned().collect();
    session.chosen_value(&others, &module_place(&module), name, Namespace::Type)
}

/// The member `name` of a module, type or external path.
fn step(session: &Session, place: &Place, base: &Ty, name: &Name, namespace: Namespace) -> Ty {
    match base {
        Ty::Module(module) => session.rules().module_member(session, place, module, name, namespace),
        Ty::External(external) => external_step(session, external, name, namespace),
        _ => session.rules().member(session, place, base, name, namespace),
    }
}

/// Paths into the standard library lead to its library data as far as that goes.
fn external_step(session: &Session, external: &External, name: &Name, namespace: Namespace) -> Ty {
    if external.class.is_empty() && is_standard_crate(root_of(external)) {
        let module = module_path(external);
        let known = standard_member(session, &module, name, namespace);
        if let Some(ty) = known {
            return ty;
        }
    }
    session.rules().external_member(external, name)
}

fn root_of(external: &External) -> &str {
    let specifier = if external.specifier.is_empty() { &external.name } else { &external.specifier };
    specifier.split("::").next().unwrap_or(specifier)
}

/// The module that an external path names as a whole.
fn module_path(external: &External) -> String {
    match external.name.as_str() {
        "" => external.specifier.to_string(),
        name => format!("{}::{name}", external.specifier),
    }
}

/// `core` and `alloc` are parts of `std`.
fn standard_member(session: &Session, module: &str, name: &Name, namespace: Namespace) -> Option<Ty> {
    let rest = module.split_once("::").map(|(_, rest)| rest);
    let module: Name = rest.map_or_else(|| "std".into(), |rest| format!("std::{rest}").into());
    session.declared(&Place::new(LIBRARY, module), name, namespace)
}

/// The value of an external path, through library data where there is any.
pub(super) fn external_member(
    session: &Session,
    external: &External,
    name: &Name,
    namespace: Namespace,
) -> Ty {
    external_step(session, external, name, namespace)
}

/// A member of a module, private items of other modules left out.
pub(super) fn module_member(
    session: &Session,
    from: &Place,
    module: &Module,
    name: &Name,
    namespace: Namespace,
) -> Ty {
    let scope = module_place(module);
    let items = session.members(&scope.path, &scope.owner, name);
    let is_seen = |item: &&Provided| match (item.decl(), item.import(), item.variable()) {
        (Some(decl), ..) => is_visible(session, from, &scope, &decl.visibility),
        (_, Some(import), _) => is_visible(session, from, &scope, &import.visibility),
        (_, _, Some(variable)) => is_visible(session, from, &scope, &variable.visibility),
        _ => true,
    };
    let seen: Vec<Provided> = items.iter().filter(is_seen).cloned().collect();
    if let Some(ty) = session.chosen_value(&seen, &scope, name, namespace) {
        return ty;
    }
    session.through_globs(from, &scope, name, namespace).unwrap_or_default()
}

/// See [`bindery_graph::Rules::choose`]. Two items of one name, name space and module do not compile
/// together: where both are written, a macro around them stands for the `cfg` that tells them apart.
/// In a function they may stand in different blocks.
pub(super) fn choose(session: &Session, items: &[Provided], namespace: Namespace) -> Vec<Provided> {
    let chosen = defaults::choose(session, items, namespace);
    if !chosen.is_empty() || items.len() < 2 {
        return chosen;
    }
    let fits = |item: &&Provided| match (item.decl(), item.import()) {
        (Some(decl), _) => {
            decl.kind != DeclKind::Impl
                && session.rules().is_in_namespace(decl, namespace)
                && is_module(session, item, &decl.owner)
        }
        (_, Some(import)) => is_module(session, item, &import.owner),
        _ => false,
    };
    items.iter().filter(fits).cloned().collect()
}

fn is_module(session: &Session, item: &Provided, owner: &Name) -> bool {
    let around = session.symbol(&session.path_of(item), owner);
    around.is_none_or(|around| around.decl().kind == DeclKind::Module)
}

/// Whether an item of this visibility in `container` can be named at `from`.
pub(super) fn is_visible(
    session: &Session,
    from: &Place,
    container: &Place,
    visibility: &Visibility,
) -> bool {
    let container = || module_of_place(session, container);
    match visibility {
        Visibility::Public => true,
        Visibility::Private => is_within(session, from, &container()),
        Visibility::Restricted(to) if to == "crate" => true,
        Visibility::Restricted(to) if to == "super" => {
            crates::parent(session, &container()).is_none_or(|parent| is_within(session, from, &parent))
        }
        Visibility::Restricted(to) if to == "self" => is_within(session, from, &container()),
        Visibility::Restricted(_) => true,
    }
}

fn is_within(session: &Session, from: &Place, container: &Module) -> bool {
    let mut module = Some(module_of_place(session, from));
    for _ in 0..MAX_CHAIN {
        match module {
            Some(at) if at == *container => return true,
            Some(at) => module = crates::parent(session, &at),
            None => return false,
        }
    }
    false
}
