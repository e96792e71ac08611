use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use bindery_source::Digest64;
use rustc_hash::FxHashSet;

use crate::{Key, Provided, Rules, Unit, offers};

/// The only way a resolution sees another file.
pub trait Lookup {
    /// All items offered under `key`, sorted by path, then item; empty if nothing answers.
    fn provided(&self, key: &Key) -> Arc<[Provided]>;
}

/// Passes questions on and remembers every key, misses included.
pub struct Recorder<'a> {
    inner: &'a dyn Lookup,
    needs: RefCell<FxHashSet<Digest64>>,
}

impl<'a> Recorder<'a> {
    /// Records what is asked of `inner`.
    pub fn new(inner: &'a dyn Lookup) -> Self {
        Self { inner, needs: RefCell::default() }
    }

    /// Every key asked for, sorted.
    pub fn into_needs(self) -> Vec<Digest64> {
        let mut needs: Vec<_> = self.needs.into_inner().into_iter().collect();
        needs.sort_unstable();
        needs
    }
}

impl Lookup for Recorder<'_> {
    fn provided(&self, key: &Key) -> Arc<[Provided]> {
        self.needs.borrow_mut().insert(key.digest());
        self.inner.provided(key)
    }
}

/// A look-up over a fixed set of files, for tests and tools.
#[derive(Default)]
pub struct MapLookup(BTreeMap<Key, Vec<Provided>>);

impl MapLookup {
    /// Indexes the offers of all `units`.
    pub fn new(units: impl IntoIterator<Item = (Arc<Unit>, &'static dyn Rules)>) -> Self {
        let mut units: Vec<_> = units.into_iter().collect();
        units.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let mut map: BTreeMap<Key, Vec<Provided>> = BTreeMap::new();
        for (unit, rules) in units {
            for offer in offers(&unit, rules) {
                map.entry(offer.key).or_default().push(Provided::new(unit.clone(), offer.item));
            }
        }
        Self(map)
    }
}

impl Lookup for MapLookup {
    fn provided(&self, key: &Key) -> Arc<[Provided]> {
        self.0.get(key).map_or_else(|| Arc::from([]), |items| Arc::from(items.as_slice()))
    }
}
