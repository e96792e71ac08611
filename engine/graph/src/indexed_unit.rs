use std::sync::{Arc, OnceLock};

use bindery_facts::{Decl, DeclKind, ImportBinding, Summary};
use bindery_source::module_path;

use crate::unit::{MODULE_NAME, pairs};
use crate::{Contents, Item, Key, Provided, Rules, Unit};

/// Up to this many declarations, variables and imports a scan beats building the sorted table
/// (a look-up costs about 1 ns per entry, the table about 100 ns per entry).
const SCAN_LIMIT: usize = 256;

/// A unit that can be asked for the items it offers under a key.
pub struct IndexedUnit {
    unit: Arc<Unit>,
    rules: &'static dyn Rules,
    custom: OnceLock<Vec<(Key, Item)>>,
    all: OnceLock<Vec<(Key, Item)>>,
}

impl IndexedUnit {
    /// Wraps a unit with the rules of its language; nothing is computed yet.
    pub fn new(unit: Arc<Unit>, rules: &'static dyn Rules) -> Self {
        Self { unit, rules, custom: OnceLock::new(), all: OnceLock::new() }
    }

    /// The unit.
    pub fn unit(&self) -> &Arc<Unit> {
        &self.unit
    }

    /// Appends what the unit offers under `key`, in item order: the same items that
    /// [`crate::offers`] pairs with it.
    pub fn provide(&self, key: &Key, into: &mut Vec<Provided>) {
        let provided = |item| Provided::new(self.unit.clone(), item);
        match (&self.unit.contents, key) {
            (_, Key::Custom { .. }) => into.extend(range(self.custom(), key).map(provided)),
            (Contents::Source(summary), _) if size(summary) <= SCAN_LIMIT => {
                scan(&self.unit, summary, key, |item| into.push(provided(item)));
            }
            _ => into.extend(range(self.all(), key).map(provided)),
        }
    }

    fn custom(&self) -> &[(Key, Item)] {
        self.custom.get_or_init(|| {
            let mut pairs = Vec::new();
            self.rules.custom_offers(&self.unit, &mut pairs);
            sorted(pairs)
        })
    }

    fn all(&self) -> &[(Key, Item)] {
        self.all.get_or_init(|| sorted(pairs(&self.unit)))
    }
}

fn sorted(mut pairs: Vec<(Key, Item)>) -> Vec<(Key, Item)> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn range<'a>(pairs: &'a [(Key, Item)], key: &'a Key) -> impl Iterator<Item = Item> + 'a {
    let start = pairs.partition_point(|(k, _)| k < key);
    pairs[start..].iter().take_while(move |(k, _)| k == key).map(|(_, item)| *item)
}

fn size(summary: &Summary) -> usize {
    summary.decls.len() + summary.variables.len() + summary.imports.len()
}

fn scan(unit: &Unit, summary: &Summary, key: &Key, mut found: impl FnMut(Item)) {
    let here = |path: &str| unit.path.as_str() == path;
    let decls = |found: &mut dyn FnMut(Item), wanted: &dyn Fn(&Decl) -> bool| {
        for (index, decl) in summary.decls.iter().enumerate() {
            if wanted(decl) {
                found(Item::Decl(index as u32));
            }
        }
    };
    match key {
        Key::File(path) if here(path) => found(Item::File),
        Key::Symbol { path, qualname } if here(path) => decls(&mut found, &|decl| decl.qualname == *qualname),
        Key::Id(id) => {
            let module = module_path(&unit.path);
            let qualname = id.strip_prefix(&module).and_then(|rest| rest.strip_prefix('.'));
            if qualname == Some(MODULE_NAME) {
                found(Item::File);
            } else if let Some(qualname) = qualname {
                decls(&mut found, &|decl| decl.qualname == qualname && has_id(decl));
            }
        }
        Key::Member { path, owner, name } if here(path) => {
            decls(&mut found, &|decl| decl.owner == *owner && decl.name == *name);
            for (index, variable) in summary.variables.iter().enumerate() {
                if variable.owner == *owner && variable.name == *name {
                    found(Item::Variable(index as u32));
                }
            }
            for (index, import) in summary.imports.iter().enumerate() {
                let bound = match &import.binds {
                    ImportBinding::Name(bound) => Some(bound),
                    ImportBinding::First => import.path.first(),
                    ImportBinding::Glob | ImportBinding::Nothing | ImportBinding::Own => None,
                };
                if import.owner == *owner && bound == Some(name) {
                    found(Item::Import(index as u32));
                }
            }
        }
        Key::Globs { path, owner } if here(path) => {
            for (index, import) in summary.imports.iter().enumerate() {
                if import.binds == ImportBinding::Glob && import.owner == *owner {
                    found(Item::Import(index as u32));
                }
            }
        }
        _ => {}
    }
}

/// Whether a declaration is a symbol of the graph with an id of its own.
pub(crate) fn has_id(decl: &Decl) -> bool {
    decl.kind.is_callable() || decl.kind.type_kind().is_some() || decl.kind == DeclKind::Variant
}
