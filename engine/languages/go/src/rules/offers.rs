//! What a Go file or manifest offers under keys of Go's own.

use bindery_facts::{DeclKind, ImportBinding, Manifest, Name, Summary};
use bindery_graph::{Contents, Item, Key, LIBRARY, Unit};
use bindery_source::Language;

/// The files of a directory: (directory, "").
pub(super) const DIRECTORY: &str = "go directory";
/// What a package declares at its top: (package key, name).
pub(super) const PACKAGE_NAME: &str = "go package name";
/// A method of a type: (package key, `Type.method`).
pub(super) const METHOD: &str = "go method";
/// The imports of a file that have the name their package gives itself, and dot imports: (its path, "").
pub(super) const IMPORT: &str = "go import";
/// The manifests of a module path, or that replace it: (module path, "").
pub(super) const MODULE: &str = "go module";
/// The statements of a manifest: (its path, "").
pub(super) const MANIFEST: &str = "go manifest";

/// Adds all of them.
pub(super) fn add(unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
    match &unit.contents {
        // The library data lies in no directory.
        Contents::Source(_) if unit.path.as_str() == LIBRARY => {}
        Contents::Source(summary) => source_pairs(unit, summary, pairs),
        Contents::Manifest(_, manifest) => manifest_pairs(unit, manifest, pairs),
    }
}

fn custom(kind: &'static str, subject: &str, name: &str) -> Key {
    Key::Custom { language: Language::Go, kind, subject: subject.into(), name: name.into() }
}

/// The key of a package: its directory and the name in its clause.
pub(super) fn package_key(directory: &str, package: &str) -> Name {
    format!("{directory}:{package}").into()
}

/// The name in a file's package clause.
pub(super) fn package_of(marks: &[Name]) -> &str {
    marks.iter().find_map(|mark| mark.strip_prefix("package ")).unwrap_or_default()
}

fn source_pairs(unit: &Unit, summary: &Summary, pairs: &mut Vec<(Key, Item)>) {
    let path = unit.path.as_str();
    let key = package_key(unit.path.directory(), package_of(&summary.marks));
    pairs.push((custom(DIRECTORY, unit.path.directory(), ""), Item::File));
    for (index, decl) in summary.decls.iter().enumerate() {
        let item = Item::Decl(index as u32);
        let is_method = decl.kind == DeclKind::Method && !decl.flags.is_bodiless || has_receiver(decl);
        if is_method {
            let type_name = decl.owner.strip_prefix("impl#").unwrap_or(&decl.owner);
            pairs.push((custom(METHOD, &key, &format!("{type_name}.{}", decl.name)), item));
        } else if decl.owner.is_empty() && !matches!(decl.kind, DeclKind::Impl | DeclKind::Anonymous) {
            pairs.push((custom(PACKAGE_NAME, &key, &decl.name), item));
        }
    }
    for (index, variable) in summary.variables.iter().enumerate() {
        if variable.owner.is_empty() {
            pairs.push((custom(PACKAGE_NAME, &key, &variable.name), Item::Variable(index as u32)));
        }
    }
    for (index, import) in summary.imports.iter().enumerate() {
        if matches!(import.binds, ImportBinding::Own | ImportBinding::Glob) {
            pairs.push((custom(IMPORT, path, ""), Item::Import(index as u32)));
        }
    }
}

/// Whether it is a method that is declared with a receiver, a body or not (assembly).
fn has_receiver(decl: &bindery_facts::Decl) -> bool {
    decl.kind == DeclKind::Method && decl.params.first().is_some_and(|param| param.ty.is_some())
}

fn manifest_pairs(unit: &Unit, manifest: &Manifest, pairs: &mut Vec<(Key, Item)>) {
    let path = unit.path.as_str();
    for (index, entry) in manifest.entries.iter().enumerate() {
        let item = Item::Entry(index as u32);
        pairs.push((custom(MANIFEST, path, ""), item));
        if entry.kind == "module" {
            pairs.push((custom(MODULE, &entry.value, ""), item));
        }
    }
}
