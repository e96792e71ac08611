//! The units of prose of a handbook, and the request for each.

use std::collections::BTreeMap;

use bindery_artifacts::{Depth, ProseKind, StageId};
use bindery_handbook::request::{
    FileText, ProseRequest, Unit, file_requests, function_requests, overview_request, register_request,
    stage_request,
};
use bindery_handbook::{CrossReferences, FileSketch, FileView};
use bindery_source::{ContentHash, RepoPath};
use bindery_store::read_file;
use bindery_syntax::SourceText;
use rayon::prelude::*;

use crate::analysis::Analysis;
use crate::blobs::{Blobs, Lost};
use crate::digest::callers_of_file;
use crate::identity::Ids;
use crate::present::sketches;
use crate::readme::About;
use crate::repository::Repository;
use crate::structure::{Structure, own_files, tell_stages};

/// A unit the handbook has.
pub(super) struct Wanted {
    pub(super) unit: Unit,
    /// Its request's.
    pub(super) digest: ContentHash,
    /// Kept only if it may be asked.
    pub(super) request: Option<ProseRequest>,
    /// The stages whose pages show it.
    pub(super) stages: Vec<u32>,
    /// Whether pages about everything show it.
    pub(super) is_global: bool,
}

/// Every unit.
pub(super) struct Collected {
    /// Files first, then stages, registers, the whole.
    pub(super) wanted: Vec<Wanted>,
    /// Files that are not any more what their facts were read from.
    pub(super) changed: Vec<Unit>,
}

/// Makes the request of every unit. `keeps` says of which the request itself is wanted beside its digest.
pub(super) fn collect(
    repository: &Repository,
    analysis: &Analysis,
    blobs: &Blobs,
    structure: &Structure,
    about: &About,
    narrator: &str,
    keeps: &(dyn Fn(&ContentHash) -> bool + Sync),
) -> Result<Collected, Lost> {
    let sketches: Vec<FileSketch> = sketches(analysis, blobs)?.into_iter().map(|file| file.sketch).collect();
    let make = |request: ProseRequest, stages: Vec<u32>, is_global: bool| Wanted {
        unit: request.unit.clone(),
        digest: request.digest,
        request: keeps(&request.digest).then_some(request),
        stages,
        is_global,
    };
    let files = Files { repository, analysis, blobs, narrator, raw: raw_paths(analysis) };
    type OfFile = (Vec<Wanted>, Vec<Unit>);
    let of_files: Vec<Result<OfFile, Lost>> = sketches
        .par_iter()
        .map(|sketch| {
            let (requests, is_changed) = files.requests(sketch)?;
            let stages: Vec<u32> = structure.stage_of(&sketch.path).into_iter().collect();
            Ok(match is_changed {
                true => (Vec::new(), requests.into_iter().map(|request| request.unit).collect()),
                false => {
                    // A table about everything quotes purposes.
                    let is_global = |request: &ProseRequest| request.unit.kind == ProseKind::Purpose;
                    let wanted = requests.into_iter().map(|request| {
                        let is_global = is_global(&request);
                        make(request, stages.clone(), is_global)
                    });
                    (wanted.collect(), Vec::new())
                }
            })
        })
        .collect();
    let mut collected = Collected { wanted: Vec::new(), changed: Vec::new() };
    for file in of_files {
        let (wanted, changed) = file?;
        collected.wanted.extend(wanted);
        collected.changed.extend(changed);
    }
    let skeleton = &structure.skeleton;
    let own = own_files(skeleton, &sketches, &structure.stages());
    let ties = structure.ties.iter().copied().collect();
    let stages =
        tell_stages(skeleton, &own, &ties, |at, story| stage_request(&skeleton.stages[at], story, narrator));
    let with_pages = stages.into_iter().enumerate().filter(|(at, _)| structure.pages[*at].is_some());
    collected.wanted.extend(with_pages.map(|(at, request)| make(request, vec![at as u32], false)));
    let places: BTreeMap<&StageId, u32> =
        skeleton.stages.iter().enumerate().map(|(at, stage)| (&stage.id, at as u32)).collect();
    for register in &structure.registers.registers {
        let stages = register.stages.iter().filter_map(|id| places.get(id).copied()).collect();
        collected.wanted.push(make(register_request(register, narrator), stages, true));
    }
    let overview =
        overview_request(&structure.name, about.paragraph.as_deref(), skeleton, &sketches, narrator);
    collected.wanted.push(make(overview, Vec::new(), true));
    Ok(collected)
}

/// Where files lie on the disk.
fn raw_paths(analysis: &Analysis) -> BTreeMap<&RepoPath, &[u8]> {
    let files = analysis.state.known.selection.files.iter();
    files.map(|file| (file.place.path(), file.raw())).collect()
}

struct Files<'a> {
    repository: &'a Repository,
    analysis: &'a Analysis,
    blobs: &'a Blobs,
    narrator: &'a str,
    raw: BTreeMap<&'a RepoPath, &'a [u8]>,
}

impl Files<'_> {
    /// The requests about a file and what is in it, and whether the file has changed since its facts were read.
    fn requests(&self, sketch: &FileSketch) -> Result<(Vec<ProseRequest>, bool), Lost> {
        let snapshot = &self.analysis.snapshot;
        let slot = snapshot.slot(&sketch.path).ok_or(Lost)?;
        let (facts, resolution) = (snapshot.facts(slot)?, snapshot.resolution(slot)?);
        let view = FileView { path: &sketch.path, facts: &facts, resolution: &resolution };
        let content = snapshot.file(slot).and_then(|file| file.content);
        let bytes = self.raw.get(&sketch.path).and_then(|raw| {
            let read = read_file(&*self.repository.file_system, raw).ok()?;
            (content == Some(ContentHash::of(&read.bytes))).then_some(read.bytes)
        });
        let text = bytes.as_deref().and_then(|bytes| SourceText::decode(bytes).ok());
        let text = FileText::new(text.as_ref().map_or("", SourceText::as_str));
        let is_deep = self.repository.configuration.depth == Depth::Deep;
        let mut requests = file_requests(&view, sketch, &text, self.narrator, is_deep);
        if is_deep {
            let callers = callers_of_file(self.analysis, self.blobs, &sketch.path)?;
            let ids = Ids { clashes: &self.analysis.state.clashes };
            let references = CrossReferences {
                id_of: &|symbol| ids.id(symbol),
                callers_of: &|symbol| callers.get(&symbol.qualname).cloned().unwrap_or_default(),
                page_of: &|_| None,
            };
            requests.extend(function_requests(&view, sketch, &text, self.narrator, &references));
        }
        Ok((requests, bytes.is_none()))
    }
}
