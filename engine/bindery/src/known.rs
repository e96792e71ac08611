//! What the gate compares: the stats of everything the last run looked at.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::FileCounts;
use bindery_source::{ContentHash, RepoPath};
use bindery_store::fs::{FileSystem, Stat};
use bindery_store::outputs::KnownOutputs;
use bindery_store::select::{Selection, changed_links};
use bindery_store::{EntryChange, GateMode, KnownEntry, RacyStamp, changed_since};
use serde::{Deserialize, Serialize};

use crate::history::Head;

/// A path outside the selection that the build depends on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct OtherInput {
    /// Below the root.
    pub(crate) raw: Vec<u8>,
    /// None if it was not there, which is as much an input.
    pub(crate) stat: Option<Stat>,
}

/// See the module's page.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Known {
    /// The tool, the configuration, the options of the run and the date it shows.
    pub(crate) circumstances: Option<ContentHash>,
    /// What the configuration says about selecting; another value makes everything be walked again.
    pub(crate) selection_rules: Option<ContentHash>,
    /// What was selected.
    pub(crate) selection: Selection,
    /// The configuration and the skeleton.
    pub(crate) others: Vec<OtherInput>,
    /// With `files = "tracked"`: the digest of the git index, taken before its paths were read.
    pub(crate) index: Option<ContentHash>,
    /// Raw paths of all the above whose stats prove nothing next time.
    pub(crate) smudged: BTreeSet<Vec<u8>>,
    /// Something could not be read, or failed through a fault of ours, and is to be tried again.
    pub(crate) is_provisional: bool,
    /// Prose is missing that a build may get.
    pub(crate) lacks_prose: bool,
    /// The handbook's files and hashes as the last run wanted them.
    pub(crate) wanted: BTreeMap<RepoPath, ContentHash>,
    /// What the last run counted of them, for the report of a run that looks no further than the gate.
    pub(crate) counts: FileCounts,
    /// HEAD's id and the date that followed from it.
    pub(crate) date: (Option<String>, String),
    /// Where git's history stood.
    pub(crate) head: Head,
    /// The digest of what pages about everything show besides the stages; see [`crate::present`].
    pub(crate) beside: Option<ContentHash>,
    /// Those of the handbook's files that were there as wanted, with stats that prove it.
    pub(crate) handbook: KnownOutputs,
    /// Those of the handbook's files that git's index held as wanted; empty unless they are staged.
    pub(crate) staged: KnownOutputs,
    /// The phase artifacts and hashes as the last run that wrote them wanted them; empty if none did.
    pub(crate) wanted_exports: BTreeMap<RepoPath, ContentHash>,
    /// Those of the phase artifacts that were there as wanted, likewise.
    pub(crate) exports: KnownOutputs,
}

/// What moved since, by kind.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    /// Indices of selected files that must be looked at, with their stats now if they are there.
    pub(crate) files: Vec<(usize, Option<Stat>)>,
    /// Raw paths of directories that must be listed again.
    pub(crate) directories: Vec<Vec<u8>>,
    /// An ignore file changed: everything must be walked.
    pub(crate) ignore_files: bool,
    /// The configuration or the skeleton changed.
    pub(crate) others: bool,
}

impl Moved {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.directories.is_empty() && !self.ignore_files && !self.others
    }
}

impl Known {
    /// Asks the disk about every input.
    pub(crate) fn moved(&self, file_system: &dyn FileSystem, mode: GateMode) -> Moved {
        let selection = &self.selection;
        let (files, directories) = (selection.files.len(), selection.directories.len());
        let entries: Vec<KnownEntry<'_>> = (selection.files.iter().map(|file| (file.raw(), Some(file.stat))))
            .chain(selection.directories.iter().map(|seen| (seen.place.raw(), Some(seen.stat))))
            .chain(selection.ignore_files.iter().map(|seen| (seen.place.raw(), Some(seen.stat))))
            .chain(self.others.iter().map(|other| (other.raw.as_slice(), other.stat)))
            .map(|(raw, stat)| KnownEntry { raw, stat, smudged: self.smudged.contains(raw) })
            .collect();
        let ignores_end = files + directories + selection.ignore_files.len();
        let mut moved = Moved::default();
        for (index, change) in changed_since(file_system, &entries, mode) {
            match index {
                _ if index < files => moved.files.push((index, stat_now(change))),
                // A listing is no content: when everything is hashed, directories are still believed.
                _ if index < files + directories => {
                    if mode == GateMode::Stats || !matches!(change, EntryChange::Unproven(_)) {
                        moved.directories.push(entries[index].raw.to_vec());
                    }
                }
                _ if index < ignores_end => moved.ignore_files = true,
                _ => moved.others = true,
            }
        }
        let parent = |raw: &[u8]| {
            raw.iter().rposition(|byte| *byte == b'/').map_or(Vec::new(), |at| raw[..at].to_vec())
        };
        for link in changed_links(file_system, &selection.links) {
            moved.directories.push(parent(selection.links[link].place.raw()));
        }
        moved.directories.sort_unstable();
        moved.directories.dedup();
        moved
    }

    /// Notes which of the stats taken in this run are too fresh to be believed next time: none of inputs
    /// (`inputs_settled`) or of handbook files (`handbook_settled`) that lie in a snapshot.
    pub(crate) fn smudge(&mut self, stamp: RacyStamp, inputs_settled: bool, handbook_settled: bool) {
        let selection = &self.selection;
        let stats = (selection.files.iter().map(|file| (file.raw(), file.stat)))
            .chain(selection.directories.iter().map(|seen| (seen.place.raw(), seen.stat)))
            .chain(selection.ignore_files.iter().map(|seen| (seen.place.raw(), seen.stat)))
            .chain(self.others.iter().filter_map(|other| Some((other.raw.as_slice(), other.stat?))));
        let is_smudged = |stat: &Stat| !inputs_settled && stamp.smudges(stat);
        self.smudged = stats.filter(|(_, stat)| is_smudged(stat)).map(|(raw, _)| raw.to_vec()).collect();
        self.handbook.retain(|_, on_disk| handbook_settled || !stamp.smudges(&on_disk.stat));
        self.exports.retain(|_, on_disk| !stamp.smudges(&on_disk.stat));
    }
}

fn stat_now(change: EntryChange) -> Option<Stat> {
    match change {
        EntryChange::Appeared(stat) | EntryChange::Touched(stat) | EntryChange::Unproven(stat) => Some(stat),
        EntryChange::Vanished | EntryChange::Unreadable(_) => None,
    }
}
