use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use bindery_facts::{Decl, DeclKind, Summary};
use bindery_source::module_path;
use rustc_hash::FxBuildHasher;

use crate::unit::{Asked, MODULE_NAME, each_answer};
use crate::{Contents, Item, Key, Provided, Rules, Unit};

/// A unit that is asked more often gets a table: it costs about 30 ns per declaration, variable and import, a scan
/// about 1 ns, and of the units that a small change asks most are asked once or twice.
const SCANS: u32 = 16;

/// A unit that can be asked for the items it offers under a key.
pub struct IndexedUnit {
    unit: Arc<Unit>,
    rules: &'static dyn Rules,
    custom: OnceLock<Vec<(Key, Item)>>,
    scans: AtomicU32,
    table: OnceLock<Table>,
}

impl IndexedUnit {
    /// Wraps a unit with the rules of its language; nothing is computed yet.
    pub fn new(unit: Arc<Unit>, rules: &'static dyn Rules) -> Self {
        Self { unit, rules, custom: OnceLock::new(), scans: AtomicU32::new(0), table: OnceLock::new() }
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

    /// What the unit declares under a key that names its path; for units that are asked often, the file that is
    /// resolved and the library.
    pub(crate) fn declared(&self, key: &Key) -> Arc<[Provided]> {
        let asked = match key {
            Key::Symbol { qualname, .. } => Asked::Symbol(qualname),
            Key::Member { owner, name, .. } => Asked::Member { owner, name },
            Key::Globs { owner, .. } => Asked::Globs(owner),
            Key::File(_) | Key::Id(_) | Key::Custom { .. } => return Arc::from([]),
        };
        let Contents::Source(summary) = &self.unit.contents else { return Arc::from([]) };
        let table = self.table(summary);
        let (start, candidates) = table.candidates(asked);
        let is_answer = |(_, item): &&(u64, Item)| item.answers(summary, asked);
        let answer =
            |items: &mut dyn Iterator<Item = &(u64, Item)>| items.map(|(_, item)| self.item(*item)).collect();
        match candidates.iter().filter(is_answer).count() {
            0 => table.nothing.clone(),
            // Nothing else has this hash.
            all if all == candidates.len() => {
                table.answers[start].get_or_init(|| answer(&mut candidates.iter())).clone()
            }
            _ => answer(&mut candidates.iter().filter(is_answer)),
        }
    }

    fn table(&self, summary: &Summary) -> &Table {
        self.table.get_or_init(|| Table::new(summary))
    }

    fn answer(&self, summary: &Summary, asked: Asked<'_>, mut found: impl FnMut(Item)) {
        if self.table.get().is_none() && self.scans.fetch_add(1, Ordering::Relaxed) < SCANS {
            return each_answer(summary, |other, item| {
                if other == asked {
                    found(item);
                }
            });
        }
        let (_, candidates) = self.table(summary).candidates(asked);
        candidates.iter().filter(|(_, item)| item.answers(summary, asked)).for_each(|(_, item)| found(*item));
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

/// The items of a file by what they may answer.
struct Table {
    /// The hash of a question and an item, sorted.
    entries: Vec<(u64, Item)>,
    /// At the place of the first entry of a hash: the answer, once it was given.
    answers: Box<[OnceLock<Arc<[Provided]>>]>,
    /// The answer to what is not there, which is most of what is asked.
    nothing: Arc<[Provided]>,
}

impl Table {
    fn new(summary: &Summary) -> Self {
        let most = 2 * summary.decls.len() + summary.variables.len() + summary.imports.len();
        let mut entries = Vec::with_capacity(most);
        each_answer(summary, |asked, item| entries.push((FxBuildHasher.hash_one(asked), item)));
        entries.sort_unstable();
        let answers = std::iter::repeat_with(OnceLock::new).take(entries.len()).collect();
        Self { entries, answers, nothing: Arc::from([]) }
    }

    /// The entries with the hash of a question, and the place of the first.
    fn candidates(&self, asked: Asked<'_>) -> (usize, &[(u64, Item)]) {
        let hash = FxBuildHasher.hash_one(asked);
        let start = self.entries.partition_point(|(other, _)| *other < hash);
        let length = self.entries[start..].iter().take_while(|(other, _)| *other == hash).count();
        (start, &self.entries[start..start + length])
    }
}

/// Whether a declaration is a symbol of the graph with an id of its own.
pub(crate) fn has_id(decl: &Decl) -> bool {
    decl.kind.is_callable() || decl.kind.type_kind().is_some() || decl.kind == DeclKind::Variant
}
