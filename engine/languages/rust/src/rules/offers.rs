//! What a Rust file or `Cargo.toml` offers under keys of Rust's own.

use bindery_facts::{Decl, DeclKind, Manifest, Name, Summary, TypeExpr};
use bindery_graph::{Contents, Item, Key, Unit};
use bindery_source::Language;
use rustc_hash::FxHashMap;

use super::crates::{ModuleFile, written_path_attribute};

/// A member that an impl gives a type: (type key, member name).
pub(super) const IMPL_MEMBER: &str = "impl member";
/// An impl of a trait: (type key, "").
pub(super) const TRAIT_IMPL: &str = "trait impl";
/// A `mod x;` that may mean a file: (its path, "").
pub(super) const MODULE_FILE: &str = "module file";
/// A statement of a `Cargo.toml`: (its path, kind), for dependencies (its path, kind and name).
pub(super) const CARGO: &str = "cargo";
/// The type key of a type parameter: an impl for all types.
pub(super) const ANY_TYPE: &str = "*";

/// Adds all of them.
pub(super) fn add(unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
    match &unit.contents {
        Contents::Source(summary) => {
            impl_pairs(summary, pairs);
            module_pairs(unit, summary, pairs);
        }
        Contents::Manifest(_, manifest) => manifest_pairs(unit, manifest, pairs),
    }
}

fn custom(kind: &'static str, subject: Name, name: Name) -> Key {
    Key::Custom { language: Language::Rust, kind, subject, name }
}

fn impl_pairs(summary: &Summary, pairs: &mut Vec<(Key, Item)>) {
    let mut impls: FxHashMap<&Name, Name> = FxHashMap::default();
    for (index, decl) in summary.decls.iter().enumerate() {
        let Some(target) = decl.target.as_ref().filter(|_| decl.kind == DeclKind::Impl) else { continue };
        let key = type_key(target, decl);
        if !decl.supertypes.is_empty() {
            pairs.push((custom(TRAIT_IMPL, key.clone(), Name::default()), Item::Decl(index as u32)));
        }
        impls.insert(&decl.qualname, key);
    }
    if impls.is_empty() {
        return;
    }
    for (index, decl) in summary.decls.iter().enumerate() {
        if let Some(key) = impls.get(&decl.owner) {
            pairs.push((custom(IMPL_MEMBER, key.clone(), decl.name.clone()), Item::Decl(index as u32)));
        }
    }
    for (index, variable) in summary.variables.iter().enumerate() {
        if let Some(key) = impls.get(&variable.owner) {
            let item = Item::Variable(index as u32);
            pairs.push((custom(IMPL_MEMBER, key.clone(), variable.name.clone()), item));
        }
    }
}

/// The word under which impls for a type are found: its own last name, whatever path it is written
/// with.
pub(super) fn type_key(target: &TypeExpr, owner: &Decl) -> Name {
    match target {
        TypeExpr::Path(segments) => match segments.as_slice() {
            [only] if owner.type_params.iter().any(|param| param.name == only.name) => ANY_TYPE.into(),
            [.., last] => last.name.clone(),
            [] => Name::default(),
        },
        TypeExpr::Ref(inner) => match &**inner {
            TypeExpr::Ref(_) => Name::default(),
            inner => type_key(inner, owner),
        },
        TypeExpr::Slice(_) => "slice".into(),
        TypeExpr::Tuple(_) => "tuple".into(),
        TypeExpr::Dyn(bounds) => match bounds.first() {
            Some(TypeExpr::Path(segments)) => dyn_key(segments.last().map_or("", |last| &last.name)),
            _ => Name::default(),
        },
        _ => Name::default(),
    }
}

/// The type key of trait objects.
pub(super) fn dyn_key(of_trait: &str) -> Name {
    format!("dyn {of_trait}").into()
}

fn module_pairs(unit: &Unit, summary: &Summary, pairs: &mut Vec<(Key, Item)>) {
    for (index, decl) in summary.decls.iter().enumerate() {
        if decl.kind != DeclKind::Module || !decl.flags.is_external_module {
            continue;
        }
        let attribute = written_path_attribute(&decl.decorators);
        for base in ModuleFile::possible(unit.path.as_str()) {
            for candidate in base.candidates(&decl.owner, &decl.name, attribute) {
                pairs.push((custom(MODULE_FILE, candidate, Name::default()), Item::Decl(index as u32)));
            }
        }
    }
}

fn manifest_pairs(unit: &Unit, manifest: &Manifest, pairs: &mut Vec<(Key, Item)>) {
    for (index, entry) in manifest.entries.iter().enumerate() {
        let name = match entry.kind.as_str() {
            "dependency" | "dev-dependency" | "build-dependency" => dependency_key("dependency", &entry.key),
            kind @ ("rename" | "workspace-dependency" | "workspace-rename") => {
                dependency_key(kind, &entry.key)
            }
            _ => entry.kind.clone(),
        };
        pairs.push((custom(CARGO, unit.path.as_str().into(), name), Item::Entry(index as u32)));
    }
}

/// The name of [`CARGO`] keys about one dependency.
pub(super) fn dependency_key(kind: &str, dependency: &str) -> Name {
    format!("{kind} {dependency}").into()
}
