//! What a simple name means (JLS 6.3, 6.4.1, 6.5, 15.12.1).

use bindery_facts::{Decl, DeclKind, ImportBinding, Name};
use bindery_graph::{Def, Item, Key, Namespace, Place, Provided, Session, Ty};

use super::{imports, inheritance, members, packages};

/// Whether a declaration is found under a kind of name. In expressions a type's name is looked for where
/// no variable has it.
pub(super) fn is_in_namespace(decl: &Decl, namespace: Namespace) -> bool {
    match namespace {
        Namespace::Method => decl.kind == DeclKind::Method,
        Namespace::Type => decl.kind.type_kind().is_some(),
        _ => decl.kind == DeclKind::Variant || decl.kind.type_kind().is_some(),
    }
}

/// What the inside of a declaration or of the file makes of a name.
pub(super) fn inner_name(
    session: &Session,
    from: &Place,
    scope: &Place,
    def: Option<&Def>,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    if imports::is_library(scope) {
        return None;
    }
    match def {
        None => of_file(session, scope, name, namespace),
        Some(def) if def.decl().kind.type_kind().is_some() => of_type(session, from, def, name, namespace),
        Some(_) if namespace == Namespace::Method => None,
        Some(_) => session.declared(scope, name, namespace),
    }
}

/// The members of a type, inherited ones included, are in scope in its body (JLS 8.1.6); a method's name
/// means the innermost type that has a member method of it.
fn of_type(session: &Session, from: &Place, def: &Def, name: &Name, namespace: Namespace) -> Option<Ty> {
    let this = session.self_type(def);
    let found = members::direct_member(session, from, &this, name, namespace).filter(Ty::is_known);
    match namespace {
        Namespace::Method => {
            // A base outside the set may have a method of that name.
            found.or_else(|| inheritance::has_unknown_base(session, &this).then_some(Ty::Unknown))
        }
        Namespace::Type => found,
        _ => found.or_else(|| members::member_type(session, &this, name)),
    }
}

/// Types that the file declares, and what its single imports name.
fn of_file(session: &Session, scope: &Place, name: &Name, namespace: Namespace) -> Option<Ty> {
    let items = session.members(&scope.path, &scope.owner, name);
    let declared = items.iter().find(|item| item.decl().is_some_and(|decl| is_in_namespace(decl, namespace)));
    let from_imports = |namespace| {
        let imports = items.iter().filter(|item| matches!(item.item(), Item::Import(_)));
        let targets: Vec<Ty> =
            imports.map(|import| session.item_value(import, namespace)).filter(Ty::is_known).collect();
        one_or_overloads(targets)
    };
    if namespace == Namespace::Value
        && let Some(variable) = static_imports(&items).next().and_then(|_| from_imports(namespace))
    {
        return Some(variable);
    }
    declared.map(|item| session.item_value(item, namespace)).or_else(|| from_imports(namespace))
}

fn static_imports(items: &[Provided]) -> impl Iterator<Item = &Provided> {
    items.iter().filter(|item| item.import().is_some_and(|import| import.is_member))
}

/// Several static imports of one name bring in methods that are overloads of each other.
fn one_or_overloads(mut targets: Vec<Ty>) -> Option<Ty> {
    targets.dedup();
    if targets.len() <= 1 {
        return targets.pop();
    }
    let mut functions = Vec::new();
    for target in targets {
        match target {
            Ty::Function(_) => functions.push(target),
            Ty::Overloads(all) => functions.extend(all.iter().cloned()),
            _ => return Some(Ty::Unknown),
        }
    }
    Some(Ty::Overloads(functions.into()))
}

/// What no scope of the file answers: the package's other types, on-demand imports, `java.lang`, and in
/// the end a package.
pub(super) fn outer_name(session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Ty {
    if namespace != Namespace::Method {
        let package = packages::package_of(session, &place.path);
        if let Some(ty) = packages::set_type(session, &place.path, &package, name) {
            return ty;
        }
    }
    if let Some(ty) = on_demand(session, place, name, namespace) {
        return ty;
    }
    if namespace == Namespace::Method {
        return Ty::Unknown;
    }
    if let Some(ty) = packages::type_in(session, &place.path, "java.lang", name) {
        return ty;
    }
    match name.chars().next() {
        Some(first) if first.is_lowercase() => packages::package(name),
        _ => Ty::Unknown,
    }
}

/// What the `*` imports of a file make of a name.
fn on_demand(session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Option<Ty> {
    let globs = session.provided(&Key::Globs { path: place.path.clone(), owner: Name::default() });
    let file = Place::new(place.path.clone(), Name::default());
    let mut found = Vec::new();
    for import in globs.iter().filter_map(Provided::import) {
        debug_assert_eq!(import.binds, ImportBinding::Glob, "the key is that of globs");
        let target = imports::target(session, &file, import, Namespace::Type);
        let ty = match (&target, import.is_member) {
            (Ty::Module(_), _) if namespace == Namespace::Method => None,
            (Ty::Module(package), _) => packages::type_in(session, &place.path, &package.path, name),
            (Ty::Type(_), true) => members::direct_member(session, &file, &target, name, namespace),
            (Ty::Type(instance), false) if namespace != Namespace::Method => {
                members::member_type(session, instance, name)
            }
            _ => None,
        };
        found.extend(ty.filter(Ty::is_known));
    }
    one_or_overloads(found)
}
