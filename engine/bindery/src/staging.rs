//! Bringing the handbook in git's index up to date, for hooks: nothing else of the index changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use bindery_source::{ContentHash, RepoPath};
use bindery_store::outputs::{KnownOutputs, MANIFEST_NAME, OutputDir, OutputPlan, Ownership, Planned};
use bindery_store::{Directory, GitLocation};

use crate::outcome::Failure;
use crate::repository::Repository;

/// What staging did.
#[derive(Default)]
pub(crate) struct Staged {
    /// The paths that were put into the index or taken out of it, from the root, sorted.
    pub(crate) paths: Vec<String>,
    /// The handbook's files in the index.
    pub(crate) held: KnownOutputs,
}

impl Repository {
    /// Puts those files of the handbook into git's index that it does not hold as `wanted`, and takes those out
    /// that stand for nothing any more. Files in the index that are not ours stay. `known` is what the index held
    /// after an earlier run. Without a handbook that is committed there is nothing to do, so that a hook stops nobody
    /// on a branch without a configuration.
    pub(crate) fn stage(
        &self,
        wanted: &BTreeMap<RepoPath, ContentHash>,
        known: &KnownOutputs,
    ) -> Result<Staged, Failure> {
        let Some(out) = &self.configuration.out else { return Ok(Staged::default()) };
        let git = self.git().ok_or_else(|| Failure::usage("`--stage` needs a git repository"))?;
        let plan = self.plan_of_index(&git, out, wanted, known)?;
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
        if present.is_empty() && absent.is_empty() {
            return Ok(Staged { paths: Vec::new(), held: plan.kept });
        }
        let from_top = |paths: &[&str]| -> Vec<Vec<u8>> {
            paths.iter().map(|path| below_top(&git, self, out, path)).collect()
        };
        git.stage(&from_top(&present), &from_top(&absent))?;
        let held = self.plan_of_index(&git, out, wanted, &plan.kept)?.kept;
        present.extend(absent);
        present.sort_unstable();
        Ok(Staged { paths: present.into_iter().map(|path| format!("{out}/{path}")).collect(), held })
    }

    /// How the handbook in the index differs from what is wanted.
    fn plan_of_index(
        &self,
        git: &GitLocation,
        out: &str,
        wanted: &BTreeMap<RepoPath, ContentHash>,
        known: &KnownOutputs,
    ) -> Result<OutputPlan, Failure> {
        let directory = Directory::new(Arc::new(git.index_tree(&self.root)?), out.as_bytes());
        let local = self.work.clone();
        let held = OutputDir::new(directory, local, "handbook", Ownership::Shared, self.durability());
        Ok(held.plan(&self.handbook_request(wanted, known).as_request())?)
    }
}

/// A path of the handbook as git's index spells it.
fn below_top(git: &GitLocation, repository: &Repository, out: &str, path: &str) -> Vec<u8> {
    let root = repository.root.strip_prefix(&git.top_level).unwrap_or(&repository.root);
    root.join(out).join(path).into_os_string().into_encoded_bytes()
}
