use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use bindery_facts::{Decl, DeclKind, Summary};
use bindery_source::module_path;
use rustc_hash::FxBuildHasher;

use crate::unit::{Asked, MODULE_NAME, each_answer};
use crate::{Contents, Item, Key, Provided, Rules, Unit};

/// Up to this many declarations, variables and imports a scan beats building the sorted table
/// (a look-up costs about 1 ns per entry, the table about 30 ns per entry).
const SCAN_LIMIT: usize = 256;

/// A unit that can be asked for the items it offers under a key.
pub struct IndexedUnit {
    unit: Arc<Unit>,
    rules: &'static dyn Rules,
    custom: OnceLock<Vec<(Key, Item)>>,
    /// The hash of what is asked, and an item that may answer.
    table: OnceLock<Vec<(u64, Item)>>,
}

impl IndexedUnit {
    /// Wraps a unit with the rules of its language; nothing is computed yet.
    pub fn new(unit: Arc<Unit>, rules: &'static dyn Rules) -> Self {
        Self { unit, rules, custom: OnceLock::new(), table: OnceLock::new() }
    }

    /// The unit.
    pub fn unit(&self) -> &Arc<Unit> {
        &self.unit
    }

    /// The item as an answer.
    pub(crate) fn item(&self, item: Item) -> Provided {
        Provided::new(self.unit.clone(), item)
    }

    /// Appends what the unit offers under `key`, in item order: the same items that
    /// [`crate::offers`] pairs with it.
    pub fn provide(&self, key: &Key, into: &mut Vec<Provided>) {
        let mut found = |item| into.push(self.item(item));
        let here = |path: &str| self.unit.path.as_str() == path;
        match (&self.unit.contents, key) {
            (_, Key::Custom { .. }) => self.customs(key).for_each(found),
            (_, Key::File(path)) if here(path) => found(Item::File),
            (Contents::Source(summary), Key::Symbol { path, qualname }) if here(path) => {
                self.answer(summary, Asked::Symbol(qualname), found);
            }
            (Contents::Source(summary), Key::Member { path, owner, name }) if here(path) => {
                self.answer(summary, Asked::Member { owner, name }, found);
            }
            (Contents::Source(summary), Key::Globs { path, owner }) if here(path) => {
                self.answer(summary, Asked::Globs(owner), found);
            }
            (Contents::Source(summary), Key::Id(id)) => self.with_id(summary, id, &mut found),
            _ => {}
        }
    }

    fn with_id(&self, summary: &Summary, id: &str, found: &mut dyn FnMut(Item)) {
        let qualname = id.strip_prefix(&module_path(&self.unit.path)).and_then(|rest| rest.strip_prefix('.'));
        match qualname {
            Some(MODULE_NAME) => found(Item::File),
            Some(qualname) => self.answer(summary, Asked::Symbol(qualname), |item| {
                if matches!(item, Item::Decl(index) if has_id(&summary.decls[index as usize])) {
                    found(item);
                }
            }),
            None => {}
        }
    }

    fn answer(&self, summary: &Summary, asked: Asked<'_>, mut found: impl FnMut(Item)) {
        if size(summary) <= SCAN_LIMIT {
            return each_answer(summary, |other, item| {
                if other == asked {
                    found(item);
                }
            });
        }
        let table = self.table.get_or_init(|| table(summary));
        let hash = FxBuildHasher.hash_one(asked);
        let start = table.partition_point(|(other, _)| *other < hash);
        let candidates = table[start..].iter().take_while(|(other, _)| *other == hash);
        candidates.filter(|(_, item)| item.answers(summary, asked)).for_each(|(_, item)| found(*item));
    }

    /// What the language's own keys lead to.
    fn customs<'a>(&'a self, key: &'a Key) -> impl Iterator<Item = Item> + use<'a> {
        let customs = self.custom.get_or_init(|| {
            let mut pairs = Vec::new();
            self.rules.custom_offers(&self.unit, &mut pairs);
            pairs.sort_unstable();
            pairs.dedup();
            pairs
        });
        let start = customs.partition_point(|(other, _)| other < key);
        customs[start..].iter().take_while(move |(other, _)| other == key).map(|(_, item)| *item)
    }
}

impl Item {
    /// Whether it is an answer to what is asked of its file.
    fn answers(self, summary: &Summary, asked: Asked<'_>) -> bool {
        let mut does = false;
        self.each_question(summary, |other| does |= other == asked);
        does
    }
}

fn table(summary: &Summary) -> Vec<(u64, Item)> {
    let mut table = Vec::with_capacity(2 * size(summary));
    each_answer(summary, |asked, item| table.push((FxBuildHasher.hash_one(asked), item)));
    table.sort_unstable();
    table
}

fn size(summary: &Summary) -> usize {
    summary.decls.len() + summary.variables.len() + summary.imports.len()
}

/// Whether a declaration is a symbol of the graph with an id of its own.
pub(crate) fn has_id(decl: &Decl) -> bool {
    decl.kind.is_callable() || decl.kind.type_kind().is_some() || decl.kind == DeclKind::Variant
}
