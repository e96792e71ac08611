//! Which file a specifier means (TypeScript handbook, "Module Resolution"; Node.js, "Modules: Packages").
//!
//! What is written is what is looked for: a specifier for compiled output (`./x.js`) finds the source it
//! is compiled from. Packages of the repository are found by the name in their `package.json`.

use std::cell::RefCell;

use bindery_facts::{Language, Name};
use bindery_graph::{Contents, Item, Key, Session, Unit};
use rustc_hash::FxHashMap;

/// Extensions in the order in which a path without one is completed.
const EXTENSIONS: [&str; 9] = ["ts", "tsx", "d.ts", "js", "jsx", "mts", "cts", "mjs", "cjs"];
/// The sources that a written extension stands for, before itself.
const SUBSTITUTES: [(&str, &[&str]); 4] = [
    ("js", &["ts", "tsx", "d.ts", "js", "jsx"]),
    ("jsx", &["tsx", "d.ts", "jsx"]),
    ("mjs", &["mts", "d.mts", "mjs"]),
    ("cjs", &["cts", "d.cts", "cjs"]),
];
/// Directories that compilers write to, and where what they write comes from.
const OUTPUTS: [&str; 6] = ["dist", "lib", "build", "out", "esm", "cjs"];
/// The kind of the key that a package is offered under by its name.
const PACKAGE_KEY: &str = "package";
/// The kind of the key that a manifest's entries are offered under by their kind.
const MANIFEST_KEY: &str = "manifest";
/// How many configurations are followed from one to the next.
const MAX_EXTENDS: usize = 8;

/// What a specifier leads to.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Found {
    /// A file of the set.
    File(Name),
    /// A package outside the set.
    Outside,
    /// A path at which nothing is.
    Nothing,
}

/// What specifiers were found to mean, by file and specifier, while one file is resolved.
#[derive(Default)]
struct Memo(RefCell<FxHashMap<(Name, Name), Found>>);

fn key(kind: &'static str, subject: &str, name: &str) -> Key {
    Key::Custom { language: Language::TypeScript, kind, subject: subject.into(), name: name.into() }
}

/// Offers packages by name and all entries by kind.
pub(super) fn offers(unit: &Unit, pairs: &mut Vec<(Key, Item)>) {
    let Contents::Manifest(_, manifest) = &unit.contents else { return };
    for (index, entry) in manifest.entries.iter().enumerate() {
        let item = Item::Entry(index as u32);
        if entry.kind == "package" && entry.key == "name" {
            pairs.push((key(PACKAGE_KEY, &entry.value, ""), item));
        }
        pairs.push((key(MANIFEST_KEY, unit.path.as_str(), &entry.kind), item));
    }
}

/// The key and value of each entry of one kind in a manifest.
fn entries(session: &Session, manifest: &str, kind: &str) -> Vec<(Name, Name)> {
    let items = session.provided(&key(MANIFEST_KEY, manifest, kind));
    items
        .iter()
        .filter_map(|item| item.entry())
        .map(|entry| (entry.key.clone(), entry.value.clone()))
        .collect()
}

pub(super) fn resolve(session: &Session, from: &Name, specifier: &Name) -> Found {
    let memo = &session.state::<Memo>().0;
    let key = (from.clone(), specifier.clone());
    if let Some(known) = memo.borrow().get(&key) {
        return known.clone();
    }
    let found = search(session, from, specifier);
    memo.borrow_mut().insert(key, found.clone());
    found
}

fn search(session: &Session, from: &str, specifier: &str) -> Found {
    let directory = parent(from);
    if specifier.starts_with("./") || specifier.starts_with("../") || matches!(specifier, "." | "..") {
        let path = joined(directory, specifier);
        return path.and_then(|path| at_path(session, &path)).map_or(Found::Nothing, Found::File);
    }
    if specifier.starts_with('/') {
        return Found::Nothing;
    }
    if let Some(file) = configured(session, directory, specifier) {
        return Found::File(file);
    }
    match of_package(session, specifier) {
        Some(file) => Found::File(file),
        None => Found::Outside,
    }
}

// ---- Paths

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// A relative path from a directory; none if it leaves the root.
fn joined(directory: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The file at a path as it is written: with its source's extension, completed, or as a directory.
fn at_path(session: &Session, path: &str) -> Option<Name> {
    as_file(session, path).or_else(|| as_directory(session, path))
}

fn as_file(session: &Session, path: &str) -> Option<Name> {
    let existing = |path: String| session.has_file(&path).then(|| Name::from(path));
    let (stem, extension) = path.rsplit_once('.').unwrap_or((path, ""));
    if let Some((_, sources)) = SUBSTITUTES.iter().find(|(written, _)| *written == extension)
        && let Some(file) = sources.iter().find_map(|source| existing(format!("{stem}.{source}")))
    {
        return Some(file);
    }
    if EXTENSIONS.contains(&extension)
        && let Some(file) = existing(path.to_owned())
    {
        return Some(file);
    }
    EXTENSIONS.iter().find_map(|extension| existing(format!("{path}.{extension}")))
}

fn as_directory(session: &Session, path: &str) -> Option<Name> {
    let manifest = below(path, "package.json");
    if session.has_file(&manifest)
        && let Some(file) = main_file(session, path, &manifest)
    {
        return Some(file);
    }
    as_file(session, &below(path, "index"))
}

fn below(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

// ---- Packages

/// The file that a package of the set means by a specifier.
fn of_package(session: &Session, specifier: &str) -> Option<Name> {
    let cut = match specifier.starts_with('@') {
        true => specifier.match_indices('/').nth(1).map(|(at, _)| at),
        false => specifier.find('/'),
    };
    let (name, rest) = cut.map_or((specifier, ""), |at| (&specifier[..at], &specifier[at + 1..]));
    let found = session.provided(&key(PACKAGE_KEY, name, ""));
    let mut manifests: Vec<&str> = found.iter().map(|item| item.path().as_str()).collect();
    manifests.dedup();
    let [manifest] = manifests.as_slice() else { return None };
    let directory = parent(manifest);
    if rest.is_empty() {
        return main_file(session, directory, manifest);
    }
    let exports = entries(session, manifest, "exports");
    let targets =
        exports.iter().filter_map(|(pattern, target)| matched(pattern, &format!("./{rest}"), target));
    targets
        .into_iter()
        .find_map(|target| output_or_source(session, directory, &target))
        .or_else(|| output_or_source(session, directory, rest))
        .or_else(|| at_path(session, &below(&below(directory, "src"), rest)))
}

/// What a package is as a whole.
fn main_file(session: &Session, directory: &str, manifest: &str) -> Option<Name> {
    let exports = entries(session, manifest, "exports");
    let mains =
        exports.into_iter().filter(|(pattern, _)| pattern == ".").chain(entries(session, manifest, "main"));
    mains
        .into_iter()
        .find_map(|(_, target)| output_or_source(session, directory, &target))
        .or_else(|| as_file(session, &below(directory, "src/index")))
        .or_else(|| as_file(session, &below(directory, "index")))
}

/// A file that a manifest names, or the source it is built from.
fn output_or_source(session: &Session, directory: &str, target: &str) -> Option<Name> {
    let path = joined(directory, target)?;
    if let Some(file) = at_path(session, &path) {
        return Some(file);
    }
    let inside = path.strip_prefix(directory).unwrap_or(&path).trim_start_matches('/');
    let mut rest = inside;
    while let Some((first, behind)) = rest.split_once('/') {
        if !OUTPUTS.contains(&first) {
            break;
        }
        rest = behind;
    }
    if rest == inside {
        return None;
    }
    let rest = rest.strip_suffix(".d.ts").map_or(rest.to_owned(), |stem| format!("{stem}.js"));
    ["src", ""].iter().find_map(|source| as_file(session, &below(&below(directory, source), &rest)))
}

/// The target of a pattern with at most one `*` that a subpath matches.
fn matched(pattern: &str, subpath: &str, target: &str) -> Option<String> {
    match pattern.split_once('*') {
        None => (pattern == subpath).then(|| target.to_owned()),
        Some((before, after)) => {
            let middle = subpath.strip_prefix(before)?.strip_suffix(after)?;
            Some(target.replacen('*', middle, 1))
        }
    }
}

// ---- tsconfig.json

/// The file that `paths` or `baseUrl` of the nearest configuration gives.
fn configured(session: &Session, directory: &str, specifier: &str) -> Option<Name> {
    let config = nearest_config(session, directory)?;
    let mut config = Some(config);
    for _ in 0..MAX_EXTENDS {
        let at = config?;
        let home = parent(&at).to_owned();
        let base = entries(session, &at, "baseUrl").into_iter().next();
        let base_directory = match &base {
            Some((_, base)) => joined(&home, base)?,
            None => home.clone(),
        };
        let paths = entries(session, &at, "paths");
        let mut fitting: Vec<(usize, String)> = paths
            .iter()
            .filter_map(|(pattern, target)| {
                let prefix = pattern.split('*').next().unwrap_or_default().len();
                Some((prefix, matched(pattern, specifier, target)?))
            })
            .collect();
        // The longest prefix counts; its targets are tried in order.
        fitting.sort_by_key(|(prefix, _)| std::cmp::Reverse(*prefix));
        let found =
            fitting.iter().find_map(|(_, target)| at_path(session, &joined(&base_directory, target)?));
        if found.is_some() {
            return found;
        }
        if base.is_some()
            && let Some(file) = at_path(session, &joined(&base_directory, specifier)?)
        {
            return Some(file);
        }
        let has_paths = !paths.is_empty();
        config = entries(session, &at, "extends").into_iter().next().filter(|_| !has_paths).and_then(
            |(_, next)| {
                let path = joined(&home, &next)?;
                let candidates = [path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")];
                candidates.into_iter().find(|path| session.has_file(path))
            },
        );
    }
    None
}

fn nearest_config(session: &Session, directory: &str) -> Option<String> {
    let mut directory = directory;
    loop {
        for name in ["tsconfig.json", "jsconfig.json"] {
            let path = below(directory, name);
            if session.has_file(&path) {
                return Some(path);
            }
        }
        if directory.is_empty() {
            return None;
        }
        directory = parent(directory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_stay_below_the_root() {
        assert_eq!(joined("a/b", "../c.js").as_deref(), Some("a/c.js"));
        assert_eq!(joined("a", "..").as_deref(), Some(""));
        assert_eq!(joined("a", "../../b"), None);
    }

    #[test]
    fn patterns_have_one_star() {
        assert_eq!(matched("@app/*", "@app/x/y", "src/*").as_deref(), Some("src/x/y"));
        assert_eq!(matched("./a", "./a", "./dist/a.js").as_deref(), Some("./dist/a.js"));
        assert_eq!(matched("./a", "./ab", "x"), None);
    }
}
