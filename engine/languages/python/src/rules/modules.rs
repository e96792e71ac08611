//! What imports lead to (Language reference, "The import system").
//!
//! A module of the set is [`Module`] with the path of its file; a package's is that of its
//! `__init__.py`. A namespace package, which has no file, is its dotted name behind [`NAMESPACE`].
//! A library module is [`LIBRARY`] with its dotted name as owner.
//!
//! Where imports are searched from is not written in a repository, so each file is offered under
//! every dotted name that some directory above it, as a search path entry, would give it. Of several
//! files that answer to one name, that below the importing file's own root counts, else the one whose
//! root is nearest; where two are equally near, nothing is said.

use std::cell::RefCell;

use bindery_facts::{Import, ImportBinding, Language, Name};
use bindery_graph::{
    External, Item, Key, LANGUAGE_GUARD, LIBRARY, Module, Namespace, Place, Session, Ty, Unit,
};

use rustc_hash::FxHashMap;

use super::standard_modules;

/// The kind of the custom key a module's dotted names are offered under.
const MODULE_KEY: &str = "module";
/// Stands before the dotted name of a namespace package.
const NAMESPACE: &str = "?";
/// Guards the members of one module against import cycles.
const MEMBER_GUARD: u8 = LANGUAGE_GUARD;

const INITS: [&str; 2] = ["__init__.py", "__init__.pyi"];

/// Offers a file under every dotted name it may be imported as.
pub(super) fn offers(unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
    if !matches!(unit.contents, bindery_graph::Contents::Source(_)) {
        return;
    }
    let Some(dotted) = dotted_path(unit.path.as_str()) else { return };
    let mut rest = Some(dotted.as_str());
    while let Some(name) = rest {
        let key = Key::Custom {
            language: Language::Python,
            kind: MODULE_KEY,
            subject: name.into(),
            name: Name::default(),
        };
        pairs.push((key, Item::File));
        rest = name.split_once('.').map(|(_, rest)| rest);
    }
}

/// The whole path of a file in dotted form; none if it cannot be imported by name.
fn dotted_path(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".py").or_else(|| path.strip_suffix(".pyi"))?;
    let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
    let last = stem.rsplit('/').next().unwrap_or(stem);
    (!last.contains('.')).then(|| stem.replace('/', "."))
}

// ---- Finding modules

/// The module that `dotted`, written without leading dots, means in the file at `from`.
fn absolute(session: &Session, from: &str, dotted: &str) -> Option<Module> {
    let memo = &session.state::<FoundModules>().0;
    let key = (Name::from(from), Name::from(dotted));
    if let Some(known) = memo.borrow().get(&key) {
        return known.clone();
    }
    let found = nearest(session, from, dotted);
    memo.borrow_mut().insert(key, found.clone());
    found
}

/// The modules that names were found to mean, by file and dotted name, while one file is resolved.
#[derive(Default)]
struct FoundModules(RefCell<FxHashMap<(Name, Name), Option<Module>>>);

fn nearest(session: &Session, from: &str, dotted: &str) -> Option<Module> {
    let candidates = session.custom(MODULE_KEY, dotted, "");
    let mut best: Vec<(Rank, Name)> = Vec::new();
    for candidate in candidates.iter() {
        let path = candidate.path().as_str();
        if let Some(rank) = rank(session, from, path, dotted) {
            best.push((rank, path.into()));
        }
    }
    best.sort();
    let (rank, path) = best.last()?;
    let is_clear = best.len() == 1 || best[best.len() - 2].0 < *rank;
    is_clear.then(|| Module::file(path.clone()))
}

/// How near a candidate is; the greatest counts.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    is_own_root: bool,
    /// The root is a directory above the importing file.
    is_above: bool,
    /// How many directories root and importing file share.
    shared: usize,
    /// A package goes before a module of its name, and source before stubs.
    is_package: bool,
    is_source: bool,
}

fn rank(session: &Session, from: &str, path: &str, dotted: &str) -> Option<Rank> {
    let root = root_of_candidate(path, dotted)?;
    // A directory of a package is no place imports start from.
    if !root.is_empty() && has_init(session, root) {
        return None;
    }
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let is_own_root = own_root(session, directory) == root;
    let is_above = root.is_empty() || directory == root || directory.starts_with(&format!("{root}/"));
    let is_package = path.contains("/__init__.");
    let is_certain = is_own_root || is_above || is_package || dotted.contains('.');
    if !is_certain || (!is_own_root && standard_modules::is_standard(dotted)) {
        return None;
    }
    let shared = root.split('/').zip(directory.split('/')).take_while(|(a, b)| a == b).count();
    let shared = if root.is_empty() { 0 } else { shared };
    Some(Rank { is_own_root, is_above, shared, is_package, is_source: path.ends_with(".py") })
}

/// The directory that makes a file importable as `dotted`.
fn root_of_candidate<'p>(path: &'p str, dotted: &str) -> Option<&'p str> {
    let stem = path.strip_suffix(".py").or_else(|| path.strip_suffix(".pyi"))?;
    let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
    let root = &stem[..stem.len().checked_sub(dotted.len())?];
    Some(root.strip_suffix('/').unwrap_or(root))
}

/// The nearest directory, from a file's own upwards, that is no package.
fn own_root<'d>(session: &Session, directory: &'d str) -> &'d str {
    let mut root = directory;
    while !root.is_empty() && has_init(session, root) {
        root = root.rsplit_once('/').map_or("", |(above, _)| above);
    }
    root
}

fn has_init(session: &Session, directory: &str) -> bool {
    INITS.iter().any(|init| session.has_file(&format!("{directory}/{init}")))
}

/// The module at a path below a directory, as file or package.
fn below(session: &Session, directory: &str, name: &str) -> Option<Module> {
    let stem = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
    let files = [
        format!("{stem}/__init__.py"),
        format!("{stem}.py"),
        format!("{stem}/__init__.pyi"),
        format!("{stem}.pyi"),
    ];
    files.iter().find(|file| session.has_file(file)).map(|file| Module::file(file.as_str()))
}

/// A module of a package, found by its file.
pub(super) fn submodule(session: &Session, module: &Module, name: &Name) -> Option<Module> {
    if let Some(dotted) = module.path.strip_prefix(NAMESPACE) {
        let dotted = format!("{dotted}.{name}");
        let found = absolute(session, session.path(), &dotted);
        // Whether a directory of that name is there shows when a module in it is asked for.
        return found.or_else(|| Some(Module::file(format!("{NAMESPACE}{dotted}"))));
    }
    let (directory, file) = module.path.rsplit_once('/').unwrap_or(("", &module.path));
    if !INITS.contains(&file) {
        return None;
    }
    below(session, directory, name)
}

// ---- Members

/// What `name` means in a module.
pub(super) fn member(session: &Session, from: &Place, module: &Module, name: &Name) -> Ty {
    if module.path == LIBRARY {
        return library_member(session, module, name);
    }
    if module.path.starts_with(NAMESPACE) {
        return submodule(session, module, name).map_or(Ty::Unknown, Ty::Module);
    }
    let scope = Place { path: module.path.clone(), owner: Name::default() };
    let subject: Name = format!("{}\0{name}", module.path).into();
    let own = session.guarded(MEMBER_GUARD, 0, &subject, || session.declared(&scope, name, Namespace::Value));
    if let Some(own) = own.filter(Ty::is_known) {
        return own;
    }
    if let Some(submodule) = submodule(session, module, name) {
        return Ty::Module(submodule);
    }
    session.through_globs(from, &scope, name, Namespace::Value).unwrap_or_default()
}

/// A member of a standard module: as the library data tells it, else known by its name only.
fn library_member(session: &Session, module: &Module, name: &Name) -> Ty {
    let scope = Place { path: module.path.clone(), owner: module.owner.clone() };
    if let Some(declared) = session.declared(&scope, name, Namespace::Value) {
        return declared;
    }
    let dotted: Name = format!("{}.{name}", module.owner).into();
    match library_module(session, &dotted) {
        Some(module) => Ty::Module(module),
        None => external(&module.owner, name),
    }
}

fn library_module(session: &Session, dotted: &Name) -> Option<Module> {
    let module = session.symbol(&LIBRARY.into(), dotted)?;
    (module.decl().kind == bindery_facts::DeclKind::Module)
        .then(|| Module { path: LIBRARY.into(), owner: dotted.clone() })
}

fn external(specifier: &str, name: &str) -> Ty {
    Ty::External(External { specifier: specifier.into(), class: Name::default(), name: name.into() }.into())
}

/// Whether `from module import *` brings in a name: those of `__all__`, else all without a leading
/// underscore.
pub(super) fn exposes(session: &Session, module: &Module, name: &Name) -> bool {
    if module.path == LIBRARY {
        let items = session.members(&module.path, &module.owner, name);
        return !items.is_empty();
    }
    let file = session.provided(&Key::File(module.path.clone()));
    let exports =
        file.first().and_then(|file| file.file()).and_then(|(exports, _)| exports.map(<[Name]>::to_vec));
    match exports {
        Some(exports) => exports.contains(name),
        None => !name.starts_with('_'),
    }
}

// ---- Imports

/// What an import binds.
pub(super) fn import_target(session: &Session, place: &Place, import: &Import) -> Ty {
    let from = place.path.as_str();
    if import.level > 0 {
        return relative_target(session, place, import);
    }
    let dotted = import.path.join(".");
    if import.is_member {
        return match import.path.split_last() {
            Some((name, module)) => member_target(session, place, &module.join("."), name),
            None => Ty::Unknown,
        };
    }
    match (&import.binds, import.path.first()) {
        (ImportBinding::First, Some(first)) => first_segment(session, from, first, &dotted),
        _ => module_target(session, from, &dotted),
    }
}

/// `import a.b` binds `a`, which is of the set if `a.b` is.
fn first_segment(session: &Session, from: &str, first: &Name, dotted: &str) -> Ty {
    if let Some(module) = absolute(session, from, first) {
        return Ty::Module(module);
    }
    if first != dotted && absolute(session, from, dotted).is_some() {
        return Ty::Module(Module::file(format!("{NAMESPACE}{first}")));
    }
    outside_module(session, first)
}

fn module_target(session: &Session, from: &str, dotted: &str) -> Ty {
    match absolute(session, from, dotted) {
        Some(module) => Ty::Module(module),
        None => outside_module(session, dotted),
    }
}

fn outside_module(session: &Session, dotted: &str) -> Ty {
    match library_module(session, &dotted.into()) {
        Some(module) => Ty::Module(module),
        None => external(dotted, ""),
    }
}

/// `from module import name`.
fn member_target(session: &Session, place: &Place, module: &str, name: &Name) -> Ty {
    let from = place.path.as_str();
    if let Some(found) = absolute(session, from, module) {
        return member(session, place, &found, name);
    }
    // A module of a namespace package.
    if let Some(found) = absolute(session, from, &format!("{module}.{name}")) {
        return Ty::Module(found);
    }
    match library_module(session, &module.into()) {
        Some(library) => library_member(session, &library, name),
        None => external(module, name),
    }
}

fn relative_target(session: &Session, place: &Place, import: &Import) -> Ty {
    let Some(directory) = relative_directory(&place.path, import.level) else { return Ty::Unknown };
    let (name, module) = match import.path.split_last() {
        Some((name, module)) if import.is_member => (Some(name), module),
        _ => (None, import.path.as_slice()),
    };
    let Some(found) = module_below(session, directory, module) else {
        let whole = import.path.as_slice();
        return module_below(session, directory, whole).map_or(Ty::Unknown, Ty::Module);
    };
    match name {
        Some(name) => member(session, place, &found, name),
        None => Ty::Module(found),
    }
}

/// The module at `segments` below a directory; the directory's own package if there are none.
fn module_below(session: &Session, directory: &str, segments: &[Name]) -> Option<Module> {
    if segments.is_empty() {
        let file = |init: &&str| {
            if directory.is_empty() { (**init).to_owned() } else { format!("{directory}/{init}") }
        };
        return INITS.iter().map(file).find(|file| session.has_file(file)).map(Module::file);
    }
    below(session, directory, &segments.join("/"))
}

/// The directory that `level` leading dots mean in a file.
fn relative_directory(path: &str, level: u32) -> Option<&str> {
    let mut directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    for _ in 1..level {
        if directory.is_empty() {
            return None;
        }
        directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
    }
    Some(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_dotted_names() {
        assert_eq!(dotted_path("src/a/__init__.py").as_deref(), Some("src.a"));
        assert_eq!(dotted_path("a/b.pyi").as_deref(), Some("a.b"));
        assert_eq!(dotted_path("a/b.test.py"), None);
        assert_eq!(root_of_candidate("src/a/b.py", "a.b"), Some("src"));
        assert_eq!(root_of_candidate("a/b/__init__.py", "a.b"), Some(""));
    }

    #[test]
    fn leading_dots_go_upwards() {
        assert_eq!(relative_directory("a/b/c.py", 1), Some("a/b"));
        assert_eq!(relative_directory("a/b/c.py", 3), Some(""));
        assert_eq!(relative_directory("a/b/c.py", 4), None);
    }
}
