//! What a build reads, for build systems that ask when to run it again.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use bindery_store::{ContentStore, DiskPath, found, native_path};

use crate::blobs::Blobs;
use crate::outcome::{Inputs, Page};
use crate::repository::Repository;
use crate::state::Gate;
use crate::structure::Structure;
use crate::user_configuration::{ModelWish, Wish};

/// The variables that say where the user's own configuration is, which is asked about narrators only.
const OF_NARRATORS: &[&str] = &["BINDERY_CONFIG", "HOME", "XDG_CONFIG_HOME"];

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
        let changed_by_us = self.parents_of_outputs();
        let listed = selection.directories.iter().map(|seen| seen.place.raw());
        let listed = listed.filter(|raw| !changed_by_us.contains(raw));
        let (of_narrator, variables) = match &self.wish {
            Wish::Model(wish) => (self.files_of_narrator(wish), OF_NARRATORS),
            Wish::BuiltIn => (Vec::new(), &[][..]),
        };
        Inputs {
            files: files
                .map(|raw| self.root.join(native_path(raw)))
                .chain(of_narrator)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            directories: tops
                .map(|raw| self.root.join(native_path(raw)))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            variables,
            listed: listed.map(|raw| self.root.join(native_path(raw))).collect(),
        }
    }

    /// The user's own configuration and the committed prose, if they are there.
    fn files_of_narrator(&self, wish: &ModelWish) -> Vec<PathBuf> {
        let prose = self.configuration.prose.as_deref().map(|prose| prose.as_bytes());
        let prose = prose.filter(|raw| found(self.file_system.lstat(raw)).ok().flatten().is_some());
        wish.file.iter().cloned().chain(prose.map(|raw| self.root.join(native_path(raw)))).collect()
    }

    /// The directories in the root in which a build may make its own.
    fn parents_of_outputs(&self) -> Vec<&[u8]> {
        let work = self.work.base();
        let is_in_root = Arc::ptr_eq(self.work.shared_file_system(), &self.file_system);
        let handbook = self.handbook_in_root.as_deref().map(str::as_bytes);
        is_in_root.then_some(work).into_iter().chain(handbook).map(parent).collect()
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

/// The directory that holds a path; the root is the empty one.
fn parent(raw: &[u8]) -> &[u8] {
    raw.iter().rposition(|&byte| byte == b'/').map_or(&[], |slash| &raw[..slash])
}

/// The directory in the root that a file lies in; none for the root's own files.
fn top(place: &DiskPath) -> Option<&[u8]> {
    let raw = place.raw();
    raw.iter().position(|&byte| byte == b'/').map(|slash| &raw[..slash])
}
