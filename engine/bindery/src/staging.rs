//! Bringing the handbook in git's index up to date, for hooks: nothing else of the index changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use bindery_source::{ContentHash, RepoPath};
use bindery_store::outputs::{KnownOutputs, MANIFEST_NAME, OutputDir, Ownership, Planned};
use bindery_store::{Directory, GitLocation};

use crate::outcome::Failure;
use crate::repository::Repository;

impl Repository {
    /// Puts those files of the handbook into git's index that it does not hold as `wanted`, and takes those out
    /// that stand for nothing any more. Files in the index that are not ours stay. The paths, from the root.
    pub(crate) fn stage(&self, wanted: &BTreeMap<RepoPath, ContentHash>) -> Result<Vec<String>, Failure> {
        let Some(out) = &self.configuration.out else {
            return Err(Failure::usage("`--stage` needs a handbook that is committed")
                .with_hint("name its directory with `out` in `bindery.toml`"));
        };
        let git = self.git().ok_or_else(|| Failure::usage("`--stage` needs a git repository"))?;
        let index = Arc::new(git.index_tree(&self.root)?);
        let directory = Directory::new(index, out.as_bytes());
        let held =
            OutputDir::new(directory, self.work.clone(), "handbook", Ownership::Shared, self.durability());
        let plan = held.plan(&self.handbook_request(wanted, &KnownOutputs::new()).as_request())?;
        let (mut present, mut absent) = (Vec::new(), Vec::new());
        for (path, planned) in &plan.files {
            match planned {
                Planned::Create | Planned::Replace => present.push(path.as_str()),
                Planned::Remove => absent.push(path.as_str()),
                Planned::Keep | Planned::Foreign | Planned::ForeignInTheWay => {}
            }
        }
        if plan.manifest_differs {
            present.push(MANIFEST_NAME);
        }
        let from_top = |paths: &[&str]| -> Vec<Vec<u8>> {
            paths.iter().map(|path| below_top(&git, self, out, path)).collect()
        };
        git.stage(&from_top(&present), &from_top(&absent))?;
        present.extend(absent);
        present.sort_unstable();
        Ok(present.into_iter().map(|path| format!("{out}/{path}")).collect())
    }
}

/// A path of the handbook as git's index spells it.
fn below_top(git: &GitLocation, repository: &Repository, out: &str, path: &str) -> Vec<u8> {
    let root = repository.root.strip_prefix(&git.top_level).unwrap_or(&repository.root);
    root.join(out).join(path).into_os_string().into_encoded_bytes()
}
