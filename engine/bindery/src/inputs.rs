//! What a build reads, for build systems that ask when to run it again.

use std::collections::BTreeSet;

use bindery_store::{ContentStore, DiskPath, native_path};

use crate::blobs::Blobs;
use crate::outcome::{Inputs, Page};
use crate::repository::Repository;
use crate::state::Gate;
use crate::structure::Structure;

impl Repository {
    /// What the last build in this work directory read; nothing if there was none, or its state cannot be read.
    pub fn inputs(&self) -> Inputs {
        let (bytes, _) = ContentStore::open(&self.work, self.durability()).read_state();
        let Some(gate) = bytes.and_then(Gate::decode) else { return Inputs::default() };
        let selection = &gate.known.selection;
        let ignore_files = selection.ignore_files.iter().map(|seen| seen.place.raw());
        let others = gate.known.others.iter().filter(|other| other.stat.is_some()).map(|other| &*other.raw);
        let files = selection.files.iter().map(|file| file.raw()).chain(ignore_files).chain(others);
        // A directory above a selected file: what appears there may be selected too.
        let tops = selection.files.iter().filter_map(|file| top(&file.place));
        Inputs {
            files: files
                .map(|raw| self.root.join(native_path(raw)))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            directories: tops
                .map(|raw| self.root.join(native_path(raw)))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
        }
    }

    /// The pages of the stages as the last build left them, in reading order; none if there was none.
    pub fn pages(&self) -> Vec<Page> {
        let blobs = Blobs::new(ContentStore::open(&self.work, self.durability()));
        let (bytes, _) = blobs.store().read_state();
        let state = bytes.and_then(Gate::decode).and_then(Gate::state);
        let Some(structure) = state.and_then(|state| Structure::decode(state.structure.get(&blobs))) else {
            return Vec::new();
        };
        let stages = structure.skeleton.stages.iter().zip(&structure.pages);
        let page = |(stage, page): (&bindery_artifacts::Stage, &Option<String>)| {
            Some(Page { stage: stage.id.to_string(), title: stage.title.clone(), file: page.clone()? })
        };
        stages.filter_map(page).collect()
    }
}

/// The directory in the root that a file lies in; none for the root's own files.
fn top(place: &DiskPath) -> Option<&[u8]> {
    let raw = place.raw();
    raw.iter().position(|&byte| byte == b'/').map(|slash| &raw[..slash])
}
