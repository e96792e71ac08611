//! Which package a file belongs to, and what an import path leads to.
//!
//! A package is the files of one directory that share a package clause; a directory may hold several
//! (`x`, `x_test`, programs that are built by hand). An import path is a module's path and the directory
//! below that module (*Go Modules Reference*); modules of the set are known by their `go.mod`.

use std::cell::RefCell;
use std::rc::Rc;

use bindery_facts::{DeclKind, Import, ImportBinding, Name};
use bindery_graph::{External, Item, Key, Module, Namespace, Place, Provided, Session, Ty};
use bindery_source::RepoPath;
use rustc_hash::FxHashMap;

use super::constraints;
use super::members::Levels;
use super::offers::{DIRECTORY, IMPORT, MANIFEST, MODULE, PACKAGE_NAME, package_key, package_of};

/// What is remembered while a file is resolved.
#[derive(Default)]
pub(super) struct State {
    packages: RefCell<FxHashMap<Name, Module>>,
    imports: RefCell<FxHashMap<(Name, Name), Ty>>,
    files: RefCell<FxHashMap<Name, Rc<FileMarks>>>,
    outer_names: RefCell<FxHashMap<(Name, Name), Ty>>,
    together: RefCell<FxHashMap<(Name, Name), bool>>,
    pub(super) levels: RefCell<FxHashMap<u32, Levels>>,
}

/// What a file says of itself.
#[derive(Default)]
pub(super) struct FileMarks {
    package: Name,
    constraint: Option<Name>,
}

/// The longest chain of directories that is followed.
const MAX_CHAIN: usize = 64;

fn marks(session: &Session, path: &Name) -> Rc<FileMarks> {
    let state = session.state::<State>();
    if let Some(known) = state.files.borrow().get(path) {
        return known.clone();
    }
    let items = session.provided(&Key::File(path.clone()));
    let marks = Rc::new(items.first().map(marks_of).unwrap_or_default());
    state.files.borrow_mut().insert(path.clone(), marks.clone());
    marks
}

fn marks_of(item: &Provided) -> FileMarks {
    let marks = item.file().map_or(&[] as &[Name], |(_, marks)| marks);
    let constraint = marks.iter().find_map(|mark| mark.strip_prefix("build ")).map(Name::from);
    FileMarks { package: package_of(marks).into(), constraint }
}

/// The package a file belongs to: its directory, and the name in its clause.
pub(super) fn package(session: &Session, path: &Name) -> Module {
    let state = session.state::<State>();
    if let Some(known) = state.packages.borrow().get(path) {
        return known.clone();
    }
    let package = Module { path: directory_of(path).into(), owner: marks(session, path).package.clone() };
    state.packages.borrow_mut().insert(path.clone(), package.clone());
    package
}

fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The items that a use in the file `from` can mean: those that are built together with it. Several are
/// left only if each stands in a file that is not always built.
pub(super) fn built_with(session: &Session, from: &Name, items: &[Provided]) -> Vec<Provided> {
    if items.len() < 2 {
        return items.to_vec();
    }
    let is_literal = |item: &Provided| item.decl().is_some_and(|decl| decl.kind == DeclKind::Closure);
    let chosen: Vec<Provided> = items
        .iter()
        .filter(|item| !is_literal(item) && go_together(session, from, &session.path_of(item)))
        .cloned()
        .collect();
    let is_constrained = |item: &Provided| {
        let path = session.path_of(item);
        constraints::is_constrained(&path, marks(session, &path).constraint.as_deref())
    };
    if chosen.len() < 2 || chosen.iter().all(is_constrained) { chosen } else { Vec::new() }
}

/// Whether two files can be built together.
pub(super) fn go_together(session: &Session, a: &Name, b: &Name) -> bool {
    if a == b {
        return true;
    }
    let state = session.state::<State>();
    let key = (a.clone(), b.clone());
    if let Some(known) = state.together.borrow().get(&key) {
        return *known;
    }
    let constraint = |path: &Name| marks(session, path).constraint.clone();
    let (of_a, of_b) = (constraint(a), constraint(b));
    let together = constraints::go_together((a, of_a.as_deref()), (b, of_b.as_deref()));
    state.together.borrow_mut().insert(key, together);
    together
}

/// What a package declares under a name, as the file `from` sees it.
pub(super) fn member(
    session: &Session,
    from: &Name,
    package: &Module,
    name: &Name,
    namespace: Namespace,
) -> Option<Ty> {
    let items = session.custom(PACKAGE_NAME, &package_key(&package.path, &package.owner), name);
    if items.is_empty() {
        return None;
    }
    let chosen = built_with(session, from, &items);
    Some(Ty::alternatives(chosen.iter().map(|item| session.item_value(item, namespace)).collect()))
}

/// The file of a package that declares a variable.
pub(super) fn variable_file(session: &Session, package: &Module, name: &Name) -> Option<Name> {
    let items = session.custom(PACKAGE_NAME, &package_key(&package.path, &package.owner), name);
    let variable = items.iter().find(|item| matches!(item.item(), Item::Variable(_)))?;
    Some(session.path_of(variable))
}

/// The file that stands for a package: the one of its name, else the first.
pub(super) fn main_file(session: &Session, package: &Module) -> Option<Name> {
    let files = session.custom(DIRECTORY, &package.path, "");
    let own = files.iter().filter(|file| marks_of(file).package == package.owner);
    let mut paths: Vec<Name> = own.map(|file| session.path_of(file)).collect();
    paths.sort_unstable();
    let named = format!("{}.go", package.owner);
    let of_name = paths.iter().find(|path| path.rsplit('/').next() == Some(named.as_str()));
    let plain = paths.iter().find(|path| !path.ends_with("_test.go"));
    of_name.or(plain).or(paths.first()).cloned()
}

/// The package that importing a directory gives: the one its files declare, tests and files that are never
/// built left aside; none if there is none or it cannot be told.
fn importable(session: &Session, directory: &str) -> Option<Module> {
    let files = session.custom(DIRECTORY, directory, "");
    let mut names: Vec<Name> = Vec::new();
    for file in files.iter().filter(|file| !file.path().as_str().ends_with("_test.go")) {
        let marks = marks_of(file);
        if !constraints::is_ignored(marks.constraint.as_deref()) && !names.contains(&marks.package) {
            names.push(marks.package);
        }
    }
    match names.as_slice() {
        [only] => Some(Module { path: directory.into(), owner: only.clone() }),
        _ => None,
    }
}

/// What an import leads to.
pub(super) fn import_target(session: &Session, place: &Place, import: &Import) -> Ty {
    let path: Vec<&str> = import.path.iter().map(Name::as_str).collect();
    target_of(session, &place.path, &Name::from(path.join("/")))
}

fn target_of(session: &Session, from: &Name, path: &Name) -> Ty {
    let state = session.state::<State>();
    let key = (Name::from(directory_of(from)), path.clone());
    if let Some(known) = state.imports.borrow().get(&key) {
        return known.clone();
    }
    let target = match directory(session, from, path) {
        Found::Directory(directory) => importable(session, &directory).map_or(Ty::Unknown, Ty::Module),
        Found::Outside => Ty::External(Rc::new(External {
            specifier: path.clone(),
            class: Name::default(),
            name: Name::default(),
        })),
        Found::Unclear => Ty::Unknown,
    };
    state.imports.borrow_mut().insert(key, target.clone());
    target
}

enum Found {
    Directory(Name),
    Outside,
    Unclear,
}

/// The directory of the set that an import path means.
fn directory(session: &Session, from: &Name, path: &Name) -> Found {
    if path.starts_with("./") || path.starts_with("../") {
        return below(session, directory_of(from), path).map_or(Found::Outside, Found::Directory);
    }
    let own = own_module(session, from);
    if let Some((root, module)) = &own
        && let Some(rest) = rest_of(module, path)
        && let Some(directory) = below(session, root, rest)
    {
        return Found::Directory(directory);
    }
    let own = own.map(|(root, _)| root);
    let elsewhere = own.and_then(|root| {
        replaced(session, &root, path).or_else(|| below(session, &root, &format!("vendor/{path}")))
    });
    if let Some(directory) = elsewhere {
        return Found::Directory(directory);
    }
    of_any_module(session, path)
}

/// The module that holds a file: the directory of its `go.mod`, and the module's path.
fn own_module(session: &Session, path: &str) -> Option<(Name, Name)> {
    let mut directory = directory_of(path);
    for _ in 0..MAX_CHAIN {
        let items = session.custom(MANIFEST, &manifest_in(directory), "");
        let module = items.iter().filter_map(Provided::entry).find(|entry| entry.kind == "module");
        if let Some(module) = module {
            return Some((directory.into(), module.value.clone()));
        }
        if directory.is_empty() {
            return None;
        }
        directory = directory_of(directory);
    }
    None
}

fn manifest_in(directory: &str) -> String {
    if directory.is_empty() { "go.mod".to_owned() } else { format!("{directory}/go.mod") }
}

/// What is left of an import path behind a module's path. The standard library's own module, `std`, adds
/// nothing to the paths of its packages.
fn rest_of<'p>(module: &str, path: &'p str) -> Option<&'p str> {
    if module == "std" {
        return is_standard(path).then_some(path);
    }
    let rest = path.strip_prefix(module)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// Paths of the standard library have no dot in their first element.
fn is_standard(path: &str) -> bool {
    !path.split('/').next().unwrap_or(path).contains('.')
}

/// The directory below `root`, if it has files of the set.
fn below(session: &Session, root: &str, rest: &str) -> Option<Name> {
    let joined = RepoPath::join(root, rest);
    let directory: Name = joined.as_ref().map_or("", |path| path.as_str()).into();
    (!session.custom(DIRECTORY, &directory, "").is_empty()).then_some(directory)
}

/// Where the main module says a path lies instead.
fn replaced(session: &Session, root: &str, path: &str) -> Option<Name> {
    let items = session.custom(MANIFEST, &manifest_in(root), "");
    let mut entries: Vec<_> =
        items.iter().filter_map(Provided::entry).filter(|entry| entry.kind == "replace").collect();
    // The longest module path that is a prefix of an import's path is the module it belongs to.
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.key.len()));
    entries.iter().find_map(|entry| {
        let rest = rest_of(&entry.key, path)?;
        let target = RepoPath::join(root, &entry.value);
        below(session, target.as_ref().map_or("", |path| path.as_str()), rest)
    })
}

/// The directory of whatever module of the set has the longest path that is a prefix of the import's.
fn of_any_module(session: &Session, path: &str) -> Found {
    let mut prefix = path;
    loop {
        if let Some(found) = of_modules(session, prefix, path) {
            return found;
        }
        match prefix.rsplit_once('/') {
            Some((before, _)) => prefix = before,
            None => break,
        }
    }
    if is_standard(path) {
        return of_modules(session, "std", path).unwrap_or(Found::Outside);
    }
    Found::Outside
}

fn of_modules(session: &Session, module: &str, path: &str) -> Option<Found> {
    let items = session.custom(MODULE, module, "");
    let roots = items.iter().map(|item| Name::from(directory_of(item.path().as_str())));
    let rest = rest_of(module, path)?;
    let directories: Vec<Name> = roots.filter_map(|root| below(session, &root, rest)).collect();
    match directories.as_slice() {
        [] => None,
        [only] => Some(Found::Directory(only.clone())),
        _ => Some(Found::Unclear),
    }
}

/// What a name means that neither the file nor a dot import declares: an imported package, the package's
/// other files, what the language predeclares. It is the same in all of a file.
pub(super) fn outer_name(session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Ty {
    let state = session.state::<State>();
    let key = (place.path.clone(), name.clone());
    if let Some(known) = state.outer_names.borrow().get(&key) {
        return known.clone();
    }
    let ty = find_outer_name(session, place, name, namespace);
    state.outer_names.borrow_mut().insert(key, ty.clone());
    ty
}

fn find_outer_name(session: &Session, place: &Place, name: &Name, namespace: Namespace) -> Ty {
    let imports = session.custom(IMPORT, &place.path, "");
    let mut outside: Vec<(&Import, Name)> = Vec::new();
    for import in imports.iter().filter_map(Provided::import) {
        match import_target(session, place, import) {
            Ty::Module(module) if import.binds == ImportBinding::Own && module.owner == *name => {
                return Ty::Module(module);
            }
            Ty::External(external) => outside.push((import, external.specifier.clone())),
            _ => {}
        }
    }
    let own = package(session, &place.path);
    if let Some(ty) = member(session, &place.path, &own, name, namespace) {
        return ty;
    }
    let by_name = outside.iter().find(|(import, path)| {
        import.binds == ImportBinding::Own && conventional_name(path) == name.as_str()
    });
    if let Some((_, path)) = by_name {
        return external(path, "");
    }
    let predeclared = session.library_name(name);
    if predeclared.is_known() {
        return predeclared;
    }
    unexplained(&outside, name)
}

/// A name that nothing declares must come from an import outside the set, or the program would not
/// compile: from one whose path mentions it, or, exported, from the only dot import.
fn unexplained(outside: &[(&Import, Name)], name: &Name) -> Ty {
    let is_mentioned = |path: &Name| {
        path.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name.as_str())
    };
    let mut mentioning =
        outside.iter().filter(|(import, path)| import.binds == ImportBinding::Own && is_mentioned(path));
    if let (Some((_, path)), None) = (mentioning.next(), mentioning.next()) {
        return external(path, "");
    }
    let mut dots = outside.iter().filter(|(import, _)| import.binds == ImportBinding::Glob);
    match (dots.next(), dots.next()) {
        (Some((_, path)), None) if name.starts_with(char::is_uppercase) => external(path, name),
        _ => Ty::Unknown,
    }
}

fn external(path: &Name, name: &str) -> Ty {
    Ty::External(Rc::new(External { specifier: path.clone(), class: Name::default(), name: name.into() }))
}

/// The name that a package outside the set most likely gives itself: the last element of its path that is
/// no major version, the version behind a dot taken off.
fn conventional_name(path: &str) -> &str {
    let mut elements = path.rsplit('/');
    let last = elements.next().unwrap_or(path);
    let is_version =
        |text: &str| text.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    let last = if is_version(last) { elements.next().unwrap_or(last) } else { last };
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    }
}
