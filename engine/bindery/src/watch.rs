//! `watch`: a build after each burst of changes.

use core::time::Duration;
use std::collections::BTreeSet;
use std::path::PathBuf;

use bindery_store::{ContentStore, Watcher, native_path};

use crate::options::{Options, Progress};
use crate::outcome::{BuildOutcome, Failure};
use crate::repository::{Repository, WORK_DIRECTORY};
use crate::state::Gate;

/// How long it must be quiet after a change: editors write, rename and touch within a few milliseconds, a branch
/// switch within tens between files.
const QUIET: Duration = Duration::from_millis(50);

/// Builds, and builds again after each burst of changes, until the user asks to stop. `built` gets what each build
/// did, failures included (a half-written configuration is no reason to stop), and says whether to go on.
///
/// Only directories that a build looks into are watched: the ignore rules hold before anything is registered.
/// Nothing is kept between builds but what a cold build finds on disk too, so memory does not grow with edits, and
/// there is no second way to a result. Keeping more would gain little: of the processor time of a build after an edit
/// of one body in django, reading the state and its pieces was 14 %, facts of the files on the same page 10 %, and
/// the look-ups that a kept salsa database would still know 3 %; all of it about 12 ms, beside 50 ms of [`QUIET`].
pub fn watch(
    options: &Options,
    progress: &dyn Progress,
    built: &mut dyn FnMut(Result<BuildOutcome, Failure>) -> bool,
) -> Result<(), Failure> {
    let mut watcher = Watcher::new([WORK_DIRECTORY, ".git"].map(|name| name.as_bytes().to_vec()))?;
    let interrupt = bindery_store::Interrupt::on_signals();
    let mut directories = BTreeSet::new();
    loop {
        let repository = Repository::open(options);
        if let Ok(repository) = &repository {
            // Registered before the build reads: what changes meanwhile is news afterwards.
            directories.insert(repository.root().to_owned());
            watcher.watch(&directories)?;
        }
        let outcome = repository.and_then(|repository| {
            let outcome = repository.build(progress)?;
            let looked_into = repository.directories();
            if looked_into != directories {
                directories = looked_into;
                watcher.watch(&directories)?;
                // What appeared in a directory that was new to this build may have been missed.
                return Ok(merged(outcome, repository.build(progress)?));
            }
            Ok(outcome)
        });
        if let Some(signal) = interrupt.received() {
            return Err(Failure::interrupted(signal));
        }
        if !built(outcome) {
            return Ok(());
        }
        if !watcher.wait(&interrupt, QUIET)?
            && let Some(signal) = interrupt.received()
        {
            return Err(Failure::interrupted(signal));
        }
    }
}

/// The first of two builds, unless the second had something to do.
fn merged(first: BuildOutcome, second: BuildOutcome) -> BuildOutcome {
    if second.report.pages.written + second.report.pages.removed == 0 { first } else { second }
}

impl Repository {
    /// The directories the last build looked into, the root included.
    fn directories(&self) -> BTreeSet<PathBuf> {
        let (bytes, _) = ContentStore::open(&self.work, self.durability()).read_state();
        let known = bytes.and_then(Gate::decode).map(|gate| gate.known);
        let seen = known.iter().flat_map(|known| &known.selection.directories);
        let paths = seen.map(|seen| self.root.join(native_path(seen.place.raw())));
        paths.chain([self.root.clone()]).collect()
    }
}
