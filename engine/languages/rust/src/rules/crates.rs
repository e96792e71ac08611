//! Which file is which module of which crate.
//!
//! A module's file is where `mod name;` says, as the reference's section *Module source filenames*
//! defines. A file that no `mod` leads to is a crate's root. Dependencies follow `Cargo.toml`: path and
//! workspace dependencies lead to the library of another package of the set.

use std::cell::RefCell;
use std::rc::Rc;

use bindery_facts::{DeclKind, ManifestEntry, Name};
use bindery_graph::{External, LANGUAGE_GUARD, Module, Provided, Session, Ty};
use bindery_source::RepoPath;
use rustc_hash::FxHashMap;

use super::offers::{CARGO, MODULE_FILE, dependency_key};
use super::traits::TraitState;

/// What is remembered while a file is resolved.
#[derive(Default)]
pub(super) struct State {
    parents: RefCell<FxHashMap<Name, Option<Module>>>,
    roots: RefCell<FxHashMap<Name, Name>>,
    packages: RefCell<FxHashMap<Name, Option<Name>>>,
    externs: RefCell<FxHashMap<(Name, Name), Option<Ty>>>,
    pub(super) traits: TraitState,
}

/// The longest chain of modules or directories that is followed.
const MAX_CHAIN: usize = 64;

/// Where the submodules of a file lie.
pub(super) struct ModuleFile {
    /// The directory of the file itself, which `#[path]` starts from.
    directory: Name,
    /// The directory its submodules lie in.
    children: Name,
}

impl ModuleFile {
    /// As a crate root or `mod.rs`, whose submodules are its neighbours.
    fn with_neighbours(path: &str) -> Self {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        Self { directory: directory.into(), children: directory.into() }
    }

    /// As `name.rs`, whose submodules lie in `name/`.
    fn with_directory(path: &str) -> Self {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        Self { directory: directory.into(), children: path.strip_suffix(".rs").unwrap_or(path).into() }
    }

    /// What a file may be, going by its path alone.
    pub(super) fn possible(path: &str) -> Vec<Self> {
        let mut possible = vec![Self::with_neighbours(path)];
        if !has_neighbours(path) {
            possible.push(Self::with_directory(path));
        }
        possible
    }

    /// Where `mod name;` inside the inline module `owner` may lead, best first.
    pub(super) fn candidates(&self, owner: &str, name: &str, path_attribute: Option<&str>) -> Vec<Name> {
        let inline = owner.replace('.', "/");
        let below = |base: &str, relative: &str| RepoPath::join(base, relative);
        let paths = match path_attribute {
            Some(written) if inline.is_empty() => vec![below(&self.directory, written)],
            Some(written) => vec![below(&self.children, &format!("{inline}/{written}"))],
            None => vec![
                below(&self.children, &format!("{inline}/{name}.rs")),
                below(&self.children, &format!("{inline}/{name}/mod.rs")),
            ],
        };
        paths.into_iter().flatten().map(|path| path.as_str().into()).collect()
    }
}

/// Whether a file's name says that its submodules are its neighbours.
fn has_neighbours(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "mod.rs" | "lib.rs" | "main.rs")
}

/// The file named by `#[path = "…"]`.
pub(super) fn written_path_attribute(decorators: &[Name]) -> Option<&str> {
    decorators.iter().find_map(|decorator| {
        let value = decorator.strip_prefix("path")?.trim_start().strip_prefix('=')?;
        value.trim().trim_matches('"').into()
    })
}

/// The module that `mod name` declares in `module`, inline or in a file.
pub(super) fn submodule(session: &Session, module: &Module, name: &Name) -> Option<Module> {
    let items = session.members(&module.path, &module.owner, name);
    let decl = items.iter().find_map(|item| item.decl().filter(|decl| decl.kind == DeclKind::Module))?;
    if !decl.flags.is_external_module {
        return Some(Module { path: module.path.clone(), owner: decl.qualname.clone() });
    }
    let attribute = written_path_attribute(&decl.decorators);
    let file = module_file(session, &module.path);
    let candidates = file.candidates(&module.owner, name, attribute);
    candidates.into_iter().find(|path| session.has_file(path)).map(Module::file)
}

fn module_file(session: &Session, path: &Name) -> ModuleFile {
    if has_neighbours(path) || declarer(session, path).is_none() {
        return ModuleFile::with_neighbours(path);
    }
    ModuleFile::with_directory(path)
}

/// The module that declares a file with `mod name;`; none for crate roots.
fn declarer(session: &Session, path: &Name) -> Option<Module> {
    let state = session.state::<State>();
    if let Some(known) = state.parents.borrow().get(path) {
        return known.clone();
    }
    let found = session.guarded(LANGUAGE_GUARD, 0, path, || {
        let items = session.custom(MODULE_FILE, path, "");
        items.iter().find_map(|item| declares(session, item, path))
    });
    state.parents.borrow_mut().insert(path.clone(), found.clone());
    found
}

fn declares(session: &Session, item: &Provided, path: &Name) -> Option<Module> {
    let decl = item.decl()?;
    let module = Module { path: session.path_of(item), owner: decl.owner.clone() };
    let leads_to = submodule(session, &module, &decl.name)?;
    (leads_to.path == *path && module.path != *path).then_some(module)
}

/// The module around a module.
pub(super) fn parent(session: &Session, module: &Module) -> Option<Module> {
    if module.owner.is_empty() {
        return declarer(session, &module.path);
    }
    let decl = session.symbol(&module.path, &module.owner)?;
    Some(Module { path: module.path.clone(), owner: decl.decl().owner.clone() })
}

/// The root file of the crate that a file belongs to.
pub(super) fn root(session: &Session, path: &Name) -> Name {
    let state = session.state::<State>();
    if let Some(known) = state.roots.borrow().get(path) {
        return known.clone();
    }
    let mut root = path.clone();
    for _ in 0..MAX_CHAIN {
        match declarer(session, &root) {
            Some(module) => root = module.path,
            None => break,
        }
    }
    state.roots.borrow_mut().insert(path.clone(), root.clone());
    root
}

/// The `Cargo.toml` of the package that a file belongs to.
fn package(session: &Session, path: &Name) -> Option<Name> {
    let state = session.state::<State>();
    if let Some(known) = state.packages.borrow().get(path) {
        return known.clone();
    }
    let found = manifests_above(path).find(|manifest| !entries(session, manifest, "package").is_empty());
    state.packages.borrow_mut().insert(path.clone(), found.clone());
    found
}

/// The places of `Cargo.toml` from a file's directory upwards.
fn manifests_above(path: &str) -> impl Iterator<Item = Name> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let directory = rest?.rsplit_once('/').map(|(directory, _)| directory);
        rest = directory;
        Some(manifest_in(directory.unwrap_or("")))
    })
    .take(MAX_CHAIN)
}

fn manifest_in(directory: &str) -> Name {
    if directory.is_empty() { "Cargo.toml".into() } else { format!("{directory}/Cargo.toml").into() }
}

fn directory_of(manifest: &str) -> &str {
    manifest.rsplit_once('/').map_or("", |(directory, _)| directory)
}

fn entries(session: &Session, manifest: &str, name: &str) -> Rc<[ManifestEntry]> {
    let items = session.custom(CARGO, manifest, name);
    items.iter().filter_map(|item| item.entry().cloned()).collect()
}

/// What a crate's name means in a file: the root module of a crate of the set, or a crate outside it.
pub(super) fn extern_crate(session: &Session, path: &Name, name: &Name) -> Option<Ty> {
    let state = session.state::<State>();
    let key = (path.clone(), name.clone());
    if let Some(known) = state.externs.borrow().get(&key) {
        return known.clone();
    }
    let found = find_crate(session, path, name);
    state.externs.borrow_mut().insert(key, found.clone());
    found
}

/// Crates that come with the compiler.
pub(super) fn is_standard_crate(name: &str) -> bool {
    matches!(name, "std" | "core" | "alloc" | "proc_macro" | "test")
}

fn find_crate(session: &Session, path: &Name, name: &Name) -> Option<Ty> {
    if is_standard_crate(name) {
        return Some(outside(name));
    }
    let root = root(session, path);
    let manifest = package(session, &root)?;
    if let Some(library) = library_root(session, &manifest, Some(name)).filter(|library| *library != root) {
        return Some(Ty::Module(Module::file(library)));
    }
    let dependency = entries(session, &manifest, &dependency_key("dependency", name));
    let spec = &dependency.first()?.value;
    let target = match spec.as_str() {
        "workspace" => workspace_dependency(session, &manifest, name),
        spec => path_dependency(&manifest, spec),
    };
    let library = target.and_then(|manifest| library_root(session, &manifest, None));
    Some(library.map_or_else(|| outside(name), |library| Ty::Module(Module::file(library))))
}

/// A crate outside the set.
pub(super) fn outside(name: &Name) -> Ty {
    Ty::External(Rc::new(External { specifier: name.clone(), class: Name::default(), name: Name::default() }))
}

/// The root of a package's library, if it has one of that name.
fn library_root(session: &Session, manifest: &str, name: Option<&Name>) -> Option<Name> {
    let entries = entries(session, manifest, "lib");
    let library = entries.iter().find(|entry| name.is_none_or(|name| entry.key == *name))?;
    let path = RepoPath::join(directory_of(manifest), &library.value)?;
    session.has_file(path.as_str()).then(|| path.as_str().into())
}

fn path_dependency(manifest: &str, spec: &str) -> Option<Name> {
    let relative = spec.strip_prefix("path:")?;
    let directory = match relative.trim_matches('/') {
        "" | "." => directory_of(manifest).to_owned(),
        relative => match RepoPath::join(directory_of(manifest), relative) {
            Some(path) => path.as_str().to_owned(),
            // The package lies in the root.
            None => String::new(),
        },
    };
    Some(manifest_in(&directory))
}

fn workspace_dependency(session: &Session, manifest: &str, name: &Name) -> Option<Name> {
    let workspace =
        manifests_above(manifest).find(|manifest| !entries(session, manifest, "workspace").is_empty())?;
    let found = entries(session, &workspace, &dependency_key("workspace-dependency", name));
    path_dependency(&workspace, &found.first()?.value)
}
