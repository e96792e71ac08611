//! The items of one file by what can be asked of it, for files at hand: the one that is resolved and
//! the library. Answers are the same as a [`crate::Lookup`] over the file's offers would give.

use std::sync::Arc;

use bindery_facts::Name;
use rustc_hash::FxHashMap;

use crate::{Item, Key, Provided, Rules, Unit, unit::scope_pairs};

type Answers<K> = FxHashMap<K, Arc<[Provided]>>;

/// See the module's description.
pub(crate) struct UnitIndex {
    unit: Arc<Unit>,
    symbols: Answers<Name>,
    members: Answers<(Name, Name)>,
    globs: Answers<Name>,
    customs: Answers<Key>,
    /// The answer to what is not there, which is most of what is asked.
    nothing: Arc<[Provided]>,
}

impl UnitIndex {
    /// Indexes the keys that name a file.
    pub(crate) fn new(unit: &Arc<Unit>) -> Self {
        let mut pairs = Vec::new();
        scope_pairs(&unit.path.as_str().into(), unit.summary(), &mut pairs);
        Self::from_pairs(unit, pairs)
    }

    /// Indexes the keys of the language's own too.
    pub(crate) fn with_customs(unit: &Arc<Unit>, rules: &dyn Rules) -> Self {
        let mut pairs = Vec::new();
        scope_pairs(&unit.path.as_str().into(), unit.summary(), &mut pairs);
        rules.custom_offers(unit, &mut pairs);
        Self::from_pairs(unit, pairs)
    }

    fn from_pairs(unit: &Arc<Unit>, pairs: Vec<(Key, Item)>) -> Self {
        let (mut symbols, mut members, mut globs, mut customs) =
            (Grouped::default(), Grouped::default(), Grouped::default(), Grouped::default());
        for (key, item) in pairs {
            match key {
                Key::Symbol { qualname, .. } => symbols.add(qualname, item),
                Key::Member { owner, name, .. } => members.add((owner, name), item),
                Key::Globs { owner, .. } => globs.add(owner, item),
                Key::Custom { .. } => customs.add(key, item),
                Key::File(_) | Key::Id(_) => {}
            }
        }
        Self {
            symbols: symbols.finish(unit),
            members: members.finish(unit),
            globs: globs.finish(unit),
            customs: customs.finish(unit),
            nothing: Arc::from([]),
            unit: unit.clone(),
        }
    }

    /// The item as an answer.
    pub(crate) fn item(&self, item: Item) -> Provided {
        Provided::new(self.unit.clone(), item)
    }

    /// The answer to a key that names this file.
    pub(crate) fn provided(&self, key: &Key) -> Arc<[Provided]> {
        let found = match key {
            Key::Symbol { qualname, .. } => self.symbols.get(qualname),
            Key::Member { owner, name, .. } => self.members.get(&(owner.clone(), name.clone())),
            Key::Globs { owner, .. } => self.globs.get(owner),
            Key::File(_) | Key::Id(_) | Key::Custom { .. } => None,
        };
        found.unwrap_or(&self.nothing).clone()
    }

    /// The answer to a key of the language's own.
    pub(crate) fn custom(&self, key: &Key) -> Arc<[Provided]> {
        self.customs.get(key).unwrap_or(&self.nothing).clone()
    }
}

struct Grouped<K>(FxHashMap<K, Vec<Item>>);

impl<K> Default for Grouped<K> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<K: Eq + std::hash::Hash> Grouped<K> {
    fn add(&mut self, key: K, item: Item) {
        self.0.entry(key).or_default().push(item);
    }

    fn finish(self, unit: &Arc<Unit>) -> Answers<K> {
        let provided = |mut items: Vec<Item>| {
            items.sort_unstable();
            items.dedup();
            items.into_iter().map(|item| Provided::new(unit.clone(), item)).collect()
        };
        self.0.into_iter().map(|(key, items)| (key, provided(items))).collect()
    }
}
