//! Packages: what they hold, over all files of the set.

use std::rc::Rc;

use bindery_facts::{Language, Name};
use bindery_graph::{
    Contents, Def, External, Item, Key, LIBRARY, Module, Namespace, Place, Provided, Session, Ty, Unit,
};

use super::State;

/// The mark that names a file's package.
const PACKAGE_MARK: &str = "package ";
/// Top-level types by package and name.
const TYPE_KEY: &str = "java type";
/// Build files by directory: `<directory>` with the modules they list.
const BUILD_KEY: &str = "java build";

/// What a project is called by others, by directory.
const ARTIFACT_KEY: &str = "java artifact";
/// The projects that a project depends on, by directory and what they are called.
const DEPENDENCY_KEY: &str = "java dependency";

/// Offers the types of a file to its package, and a build file to its directory.
pub(super) fn offers(unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
    let key = |kind, subject: &str, name: &str| Key::Custom {
        language: Language::Java,
        kind,
        subject: subject.into(),
        name: name.into(),
    };
    match &unit.contents {
        Contents::Source(summary) => {
            let package = package_in(&summary.marks);
            for (index, decl) in summary.decls.iter().enumerate() {
                if decl.owner.is_empty() && decl.kind.type_kind().is_some() {
                    pairs.push((key(TYPE_KEY, package, &decl.name), Item::Decl(index as u32)));
                }
            }
        }
        Contents::Manifest(_, manifest) => {
            let directory = directory_of(unit.path.as_str());
            pairs.push((key(BUILD_KEY, directory, ""), Item::File));
            for (index, entry) in manifest.entries.iter().enumerate() {
                let key = match entry.kind.as_str() {
                    "module" => key(BUILD_KEY, directory, &entry.key),
                    "artifact" => key(ARTIFACT_KEY, directory, ""),
                    "dependency" => key(DEPENDENCY_KEY, directory, &entry.key),
                    _ => continue,
                };
                pairs.push((key, Item::Entry(index as u32)));
            }
        }
    }
}

fn package_in(marks: &[Name]) -> &str {
    marks.iter().find_map(|mark| mark.strip_prefix(PACKAGE_MARK)).unwrap_or_default()
}

fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The package of a file.
pub(super) fn package_of(session: &Session, path: &Name) -> Name {
    let state: &State = session.state();
    if let Some(known) = state.packages.borrow().get(path) {
        return known.clone();
    }
    let package: Name = if path == session.path() {
        package_in(&session.facts().summary.marks).into()
    } else {
        let file = session.provided(&Key::File(path.clone()));
        file.first().and_then(Provided::file).map(|(_, marks)| package_in(marks)).unwrap_or_default().into()
    };
    state.packages.borrow_mut().insert(path.clone(), package.clone());
    package
}

/// The top-level type of this name in a package, as seen from a file: one of the set, else one of the
/// platform's.
pub(super) fn type_in(session: &Session, from: &Name, package: &str, name: &str) -> Option<Ty> {
    set_type(session, from, package, name).or_else(|| {
        let item = session.symbol(&LIBRARY.into(), &format!("{package}/{name}").into());
        item.filter(|_| !package.is_empty()).map(|def| Ty::instance(def).into_type())
    })
}

/// As [`type_in`], in the set only. Several that cannot be told apart are nothing that is known.
pub(super) fn set_type(session: &Session, from: &Name, package: &str, name: &str) -> Option<Ty> {
    let items = session.custom(TYPE_KEY, package, name);
    if items.is_empty() {
        return None;
    }
    let def = nearest(session, from, package, &items);
    Some(def.map_or(Ty::Unknown, |def| Ty::instance(def).into_type()))
}

/// Of several types with one full name: the one in the same source root, else in the same module, else in
/// a module of the same build that it depends on, else in the same build. A class path holds one of them; which, only the build can say.
fn nearest(session: &Session, from: &Name, package: &str, items: &[Provided]) -> Option<Def> {
    if let [only] = items {
        return session.def(only);
    }
    let own_root = source_root(from, &package_of(session, from)).to_owned();
    let only = |is_near: &dyn Fn(&str) -> bool| {
        let mut near = items.iter().filter(|item| is_near(item.path().as_str()));
        match (near.next(), near.next()) {
            (Some(only), None) => Ok(session.def(only)),
            (None, _) => Err(()),
            (Some(_), Some(_)) => Ok(None),
        }
    };
    let module = module_directory(session, from);
    let build = build_root(session, &module);
    let is_in_build = |path: &str| build_root(session, &module_directory(session, path)) == build;
    only(&|path| source_root(path, package) == own_root)
        .or_else(|()| only(&|path| module_directory(session, path) == module))
        .or_else(|()| only(&|path| is_in_build(path) && depends(session, &module, path)))
        .or_else(|()| only(&is_in_build))
        .ok()
        .flatten()
}

/// Whether a module names the project that a file is part of as a dependency.
fn depends(session: &Session, module: &str, path: &str) -> bool {
    let artifacts = session.custom(ARTIFACT_KEY, &module_directory(session, path), "");
    let mut names = artifacts.iter().filter_map(Provided::entry).map(|entry| &entry.key);
    names.any(|name| !session.custom(DEPENDENCY_KEY, module, name).is_empty())
}

/// The directory that a file's package directories stand in.
fn source_root<'p>(path: &'p str, package: &str) -> &'p str {
    let directory = directory_of(path);
    let below = package.replace('.', "/");
    directory.strip_suffix(below.as_str()).map_or(directory, |root| root.trim_end_matches('/'))
}

/// The nearest directory around a file that has a build file; the root's, if none has.
fn module_directory(session: &Session, path: &str) -> String {
    let mut directory = directory_of(path);
    while !directory.is_empty() && session.custom(BUILD_KEY, directory, "").is_empty() {
        directory = directory_of(directory);
    }
    directory.to_owned()
}

/// The outermost directory whose build lists the module, or a module that does.
fn build_root(session: &Session, module: &str) -> String {
    let mut root = module.to_owned();
    let mut around = module;
    while !around.is_empty() {
        around = directory_of(around);
        let below = root.strip_prefix(around).unwrap_or(&root).trim_start_matches('/');
        if !session.custom(BUILD_KEY, around, below).is_empty() {
            root = around.to_owned();
        }
    }
    root
}

/// A member of a package: a type, or a package further down (JLS 6.5.3, 6.5.5).
pub(super) fn member(
    session: &Session,
    from: &Place,
    module: &Module,
    name: &Name,
    namespace: Namespace,
) -> Ty {
    if namespace == Namespace::Method {
        return Ty::Unknown;
    }
    if let Some(ty) = type_in(session, &from.path, &module.path, name) {
        return ty;
    }
    let is_type_name = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    if is_type_name && module.path.contains('.') {
        return external(&module.path, name);
    }
    package(&format!("{}.{name}", module.path))
}

/// A package by its name.
pub(super) fn package(name: &str) -> Ty {
    Ty::Module(Module::file(name))
}

/// A type outside the set.
pub(super) fn external(package: &str, name: &str) -> Ty {
    Ty::External(Rc::new(External { specifier: package.into(), class: Name::default(), name: name.into() }))
}
