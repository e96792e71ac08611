use std::collections::{BTreeMap, BTreeSet};

use bindery_source::RepoPath;
use serde::{Deserialize, Serialize};

use super::cells::{BOUNDARY, escaped_name, path_of};

/// A package of the repository.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Package {
    /// What imports call it.
    pub name: String,
    /// Where it lies.
    pub directory: String,
}

impl Package {
    fn is_named_by(&self, specifier: &str) -> bool {
        let rest = specifier.strip_prefix(&self.name);
        !self.name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':', '.']))
    }

    fn holds(&self, path: &RepoPath) -> bool {
        let below = |rest: &str| rest.starts_with('/');
        self.directory.is_empty() || path.as_str().strip_prefix(&self.directory).is_some_and(below)
    }
}

/// Who calls what through imports of the repository's own packages that could not be followed to a
/// declaration: by package and callee, the callers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiblingCallers<'t> {
    by_callee: BTreeMap<(&'t str, &'t str), BTreeSet<(&'t str, &'t str)>>,
}

/// Reads them off a `calls.tsv`. Of several packages that an import may mean, the one with the longest name
/// counts.
pub fn sibling_callers<'t>(calls: &'t str, packages: &'t [Package]) -> SiblingCallers<'t> {
    let mut callers = SiblingCallers::default();
    if packages.is_empty() {
        return callers;
    }
    for row in calls.lines().filter(|row| !row.starts_with('#')) {
        let mut fields = row.rsplitn(4, '\t');
        let Some(specifier) = fields.next().and_then(|place| place.strip_prefix(BOUNDARY)) else { continue };
        let named = packages.iter().filter(|package| package.is_named_by(specifier));
        let Some(package) = named.max_by_key(|package| package.name.len()) else { continue };
        let (Some(callee), Some(location), Some(caller)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let from = callers.by_callee.entry((&package.name, callee)).or_default();
        from.insert((caller, path_of(location).unwrap_or(location)));
    }
    callers
}

impl SiblingCallers<'_> {
    /// How many callers name the symbol of this file in this way.
    pub fn count(&self, packages: &[Package], path: &RepoPath, qualname: &str) -> u64 {
        if self.by_callee.is_empty() {
            return 0;
        }
        let callee = escaped_name(qualname);
        let own = packages.iter().filter(|package| package.holds(path));
        let callers: BTreeSet<&(&str, &str)> = own
            .filter_map(|package| self.by_callee.get(&(package.name.as_str(), callee.as_str())))
            .flatten()
            .collect();
        callers.len() as u64
    }
}
