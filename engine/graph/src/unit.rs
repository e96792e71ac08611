use std::fmt;
use std::sync::Arc;

use bindery_facts::{Decl, Import, ImportBinding, Manifest, ManifestEntry, Name, Summary, Variable};
use bindery_source::{Digest64, KeyHasher, Language, RepoPath, module_path};
use serde::Serialize;

use crate::Rules;
use crate::indexed_unit::has_id;

/// The qualname of the synthetic node that calls outside any function belong to (handbook §3).
pub const MODULE_NAME: &str = "<module>";

/// What can be asked of other files.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the sentence on each variant names its fields")]
pub enum Key {
    /// Whether a file of this path is there (source or manifest).
    File(Name),
    /// The declaration with this qualname in this file.
    Symbol { path: Name, qualname: Name },
    /// What a module (`owner` empty), inline module, type or enum of a file declares directly under a
    /// name: declarations, variables, imports that bind it.
    Member { path: Name, owner: Name, name: Name },
    /// The glob imports of a module or inline module.
    Globs { path: Name, owner: Name },
    /// A symbol id, for clashes between files.
    Id(String),
    /// A key only one language's rules give meaning to.
    Custom { language: Language, kind: &'static str, subject: Name, name: Name },
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::File(path) => write!(f, "file `{path}`"),
            Key::Symbol { path, qualname } => write!(f, "symbol `{qualname}` of `{path}`"),
            Key::Member { path, owner, name } if owner.is_empty() => write!(f, "name `{name}` in `{path}`"),
            Key::Member { path, owner, name } => write!(f, "name `{name}` in `{owner}` of `{path}`"),
            Key::Globs { path, .. } => write!(f, "glob imports of `{path}`"),
            Key::Id(id) => write!(f, "id `{id}`"),
            Key::Custom { kind, subject, name, .. } if name.is_empty() => write!(f, "{kind} `{subject}`"),
            Key::Custom { kind, subject, name, .. } => write!(f, "{kind} `{name}` of `{subject}`"),
        }
    }
}

impl Key {
    /// The digest the key is stored under.
    pub fn digest(&self) -> Digest64 {
        let fields: (&str, &str, &str, &str, &str) = match self {
            Key::File(path) => ("file", "", path, "", ""),
            Key::Symbol { path, qualname } => ("symbol", "", path, qualname, ""),
            Key::Member { path, owner, name } => ("member", "", path, owner, name),
            Key::Globs { path, owner } => ("globs", "", path, owner, ""),
            Key::Id(id) => ("id", "", id, "", ""),
            Key::Custom { language, kind, subject, name } => (kind, language.name(), subject, name, ""),
        };
        let mut hasher = KeyHasher::new(fields.0);
        for part in [fields.1, fields.2, fields.3, fields.4] {
            hasher.field("", part.as_bytes());
        }
        hasher.finish64()
    }
}

/// What one file is to the others: its path and its position-free half.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// Where it lies.
    pub path: RepoPath,
    /// What it says.
    pub contents: Contents,
}

impl Unit {
    /// The language of the file, for a manifest that of the rules that read it.
    pub fn language(&self) -> Language {
        match &self.contents {
            Contents::Source(summary) => summary.language,
            Contents::Manifest(language, _) => *language,
        }
    }
}

/// The position-free half of a file.
#[derive(Clone, PartialEq, Debug)]
pub enum Contents {
    /// Of a source file.
    Source(Arc<Summary>),
    /// Of a manifest, and the language whose rules read it.
    Manifest(Language, Arc<Manifest>),
}

/// A part of a [`Unit`] that a key leads to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Item {
    /// The file itself.
    File,
    /// A declaration, by its place in the summary.
    Decl(u32),
    /// A variable.
    Variable(u32),
    /// An import.
    Import(u32),
    /// A manifest's entry.
    Entry(u32),
}

/// One (key, item) pair of a file, and the fingerprint of all that the item shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Offer {
    /// What is asked.
    pub key: Key,
    /// What answers.
    pub item: Item,
    /// Covers everything [`Provided`] gives access to, spans and bodies excluded.
    pub fingerprint: Digest64,
}

/// An answer to a key: an item of a file. Only the item itself can be looked at; everything else of
/// that file has its own key.
#[derive(Clone, Debug)]
pub struct Provided {
    unit: Arc<Unit>,
    item: Item,
}

impl Provided {
    /// Pairs an item with the unit it belongs to.
    pub fn new(unit: Arc<Unit>, item: Item) -> Self {
        Self { unit, item }
    }

    /// The path of the file that answers, as keys spell it.
    pub fn path_name(&self) -> Name {
        self.unit.path.as_str().into()
    }

    /// The file that answers.
    pub fn path(&self) -> &RepoPath {
        &self.unit.path
    }

    /// The language of the file.
    pub fn language(&self) -> Language {
        self.unit.language()
    }

    /// Which item it is.
    pub fn item(&self) -> Item {
        self.item
    }

    /// The declaration, if it is one.
    pub fn decl(&self) -> Option<&Decl> {
        match (self.item, &self.unit.contents) {
            (Item::Decl(index), Contents::Source(summary)) => summary.decls.get(index as usize),
            _ => None,
        }
    }

    /// The variable, if it is one.
    pub fn variable(&self) -> Option<&Variable> {
        match (self.item, &self.unit.contents) {
            (Item::Variable(index), Contents::Source(summary)) => summary.variables.get(index as usize),
            _ => None,
        }
    }

    /// The import, if it is one.
    pub fn import(&self) -> Option<&Import> {
        match (self.item, &self.unit.contents) {
            (Item::Import(index), Contents::Source(summary)) => summary.imports.get(index as usize),
            _ => None,
        }
    }

    /// The manifest entry, if it is one.
    pub fn entry(&self) -> Option<&ManifestEntry> {
        match (self.item, &self.unit.contents) {
            (Item::Entry(index), Contents::Manifest(_, manifest)) => manifest.entries.get(index as usize),
            _ => None,
        }
    }

    /// For [`Item::File`]: the names the file says it exports, and its file-level marks. They are
    /// part of that item's fingerprint.
    pub fn file(&self) -> Option<(Option<&[Name]>, &[Name])> {
        match (self.item, &self.unit.contents) {
            (Item::File, Contents::Source(summary)) => Some((summary.exports.as_deref(), &summary.marks)),
            (Item::File, Contents::Manifest(..)) => Some((None, &[])),
            _ => None,
        }
    }
}

/// All that a file offers, sorted by key, then item.
pub fn offers(unit: &Unit, rules: &dyn Rules) -> Vec<Offer> {
    let offer = |(key, item)| Offer { fingerprint: fingerprint(unit, item), key, item };
    offered(unit, rules).into_iter().map(offer).collect()
}

/// The keys of [`offers`], each once, in order; for a file that nothing is compared with.
pub fn offered_keys(unit: &Unit, rules: &dyn Rules) -> Vec<Key> {
    let mut keys: Vec<Key> = offered(unit, rules).into_iter().map(|(key, _)| key).collect();
    keys.dedup();
    keys
}

fn offered(unit: &Unit, rules: &dyn Rules) -> Vec<(Key, Item)> {
    let mut pairs = pairs(unit);
    rules.custom_offers(unit, &mut pairs);
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The (key, item) pairs every language has.
fn pairs(unit: &Unit) -> Vec<(Key, Item)> {
    let path: Name = unit.path.as_str().into();
    let mut pairs = vec![(Key::File(path.clone()), Item::File)];
    if let Contents::Source(summary) = &unit.contents {
        scope_pairs(&path, summary, &mut pairs);
        id_pairs(&unit.path, summary, &mut pairs);
    }
    pairs
}

/// What can be asked of a source file besides whether it is there: a [`Key`] without the path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Asked<'a> {
    /// The declaration of this qualname.
    Symbol(&'a str),
    /// What `owner` declares directly under a name.
    Member { owner: &'a str, name: &'a str },
    /// The glob imports of an owner.
    Globs(&'a str),
}

/// Calls `found` with everything a file answers, each item with what it answers; equal questions in item order.
pub(crate) fn each_answer<'a>(summary: &'a Summary, mut found: impl FnMut(Asked<'a>, Item)) {
    let decls = (0..summary.decls.len()).map(|index| Item::Decl(index as u32));
    let variables = (0..summary.variables.len()).map(|index| Item::Variable(index as u32));
    let imports = (0..summary.imports.len()).map(|index| Item::Import(index as u32));
    for item in decls.chain(variables).chain(imports) {
        item.each_question(summary, |asked| found(asked, item));
    }
}

impl Item {
    /// Calls `found` with every question of its file that it is an answer to.
    pub(crate) fn each_question<'a>(self, summary: &'a Summary, mut found: impl FnMut(Asked<'a>)) {
        match self {
            Item::Decl(index) => {
                let decl = &summary.decls[index as usize];
                found(Asked::Symbol(&decl.qualname));
                found(Asked::Member { owner: &decl.owner, name: &decl.name });
            }
            Item::Variable(index) => {
                let variable = &summary.variables[index as usize];
                found(Asked::Member { owner: &variable.owner, name: &variable.name });
            }
            Item::Import(index) => {
                let Import { owner, path, binds, .. } = &summary.imports[index as usize];
                match binds {
                    ImportBinding::Name(name) => found(Asked::Member { owner, name }),
                    ImportBinding::First => {
                        path.first().into_iter().for_each(|name| found(Asked::Member { owner, name }))
                    }
                    ImportBinding::Glob => found(Asked::Globs(owner)),
                    ImportBinding::Nothing | ImportBinding::Own => {}
                }
            }
            Item::File | Item::Entry(_) => {}
        }
    }
}

fn scope_pairs(path: &Name, summary: &Summary, pairs: &mut Vec<(Key, Item)>) {
    let path = || path.clone();
    each_answer(summary, |asked, item| {
        let key = match asked {
            Asked::Symbol(qualname) => Key::Symbol { path: path(), qualname: qualname.into() },
            Asked::Member { owner, name } => {
                Key::Member { path: path(), owner: owner.into(), name: name.into() }
            }
            Asked::Globs(owner) => Key::Globs { path: path(), owner: owner.into() },
        };
        pairs.push((key, item));
    });
}

fn id_pairs(path: &RepoPath, summary: &Summary, pairs: &mut Vec<(Key, Item)>) {
    let module = module_path(path);
    pairs.push((Key::Id(format!("{module}.{MODULE_NAME}")), Item::File));
    for (index, decl) in summary.decls.iter().enumerate() {
        if has_id(decl) {
            pairs.push((Key::Id(format!("{module}.{}", decl.qualname)), Item::Decl(index as u32)));
        }
    }
}

fn fingerprint(unit: &Unit, item: Item) -> Digest64 {
    fn of(value: &impl Serialize) -> Vec<u8> {
        postcard::to_stdvec(value).expect("facts hold only plain values, which postcard writes")
    }
    let bytes = match (&unit.contents, item) {
        (Contents::Source(summary), Item::File) => of(&(summary.language, &summary.exports, &summary.marks)),
        (Contents::Source(summary), Item::Decl(index)) => of(&summary.decls[index as usize]),
        (Contents::Source(summary), Item::Variable(index)) => of(&summary.variables[index as usize]),
        (Contents::Source(summary), Item::Import(index)) => of(&summary.imports[index as usize]),
        (Contents::Manifest(_, manifest), Item::Entry(index)) => of(&manifest.entries[index as usize]),
        (Contents::Manifest(language, _), _) => of(language),
        (Contents::Source(_), Item::Entry(_)) => Vec::new(),
    };
    KeyHasher::new("item").field("value", &bytes).finish64()
}
