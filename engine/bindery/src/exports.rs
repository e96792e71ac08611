//! The phase artifacts: assembled from all files' facts, resolutions and sketches, never read back.

use std::collections::BTreeMap;

use bindery_artifacts::names::card_names;
use bindery_artifacts::write::artifact_text;
use bindery_artifacts::{Artifact, FileProblem, ProblemKind, StageId, Strategy, files};
use bindery_handbook::phase1::{ScanMetadata, assemble, fragment};
use bindery_handbook::{
    CrossReferences, FileSketch, FileView, Member, assign_members, assignment_artifact, card, card_coverage,
    members_of_file, narration_artifact, organization_artifact,
};
use bindery_source::RepoPath;
use rayon::prelude::*;

use crate::blobs::Lost;
use crate::digest::callers_of_file;
use crate::identity::Ids;
use crate::present::Presenter;
use crate::state::{InputKind, Status};
use crate::structure::{Sketched, registers_of};

/// Everything that is exported, by path in the work directory.
pub(crate) fn exports(
    presenter: &Presenter<'_>,
    strategy: Strategy,
    generated_at: &str,
) -> Result<BTreeMap<RepoPath, Vec<u8>>, Lost> {
    let mut outputs = phase1(presenter, generated_at)?;
    phase2(presenter, strategy, &mut outputs)?;
    phase3(presenter, &mut outputs)?;
    Ok(outputs)
}

type Outputs = BTreeMap<RepoPath, Vec<u8>>;

fn put(outputs: &mut Outputs, path: &str, artifact: &impl Artifact) {
    outputs.insert(RepoPath::new(path), artifact_text(artifact));
}

fn phase1(presenter: &Presenter<'_>, generated_at: &str) -> Result<Outputs, Lost> {
    let snapshot = &presenter.analysis.snapshot;
    let ids = Ids { clashes: &presenter.analysis.state.clashes };
    let fragments = snapshot
        .scanned()
        .into_par_iter()
        .map(|(slot, file)| {
            let (facts, resolution) = (snapshot.facts(slot)?, snapshot.resolution(slot)?);
            let view = FileView { path: &file.path, facts: &facts, resolution: &resolution };
            Ok(fragment(view, &|symbol| ids.id(symbol)))
        })
        .collect::<Result<Vec<_>, Lost>>()?;
    let problems = problems(presenter);
    let metadata = ScanMetadata { generated_at, problems: &problems };
    let exports = assemble(&fragments, &metadata);
    // Letting go of them takes as long as writing one of the files.
    rayon::spawn(|| drop(fragments));
    Ok(exports.into_iter().map(|export| (RepoPath::new(export.name), export.bytes)).collect())
}

fn problems(presenter: &Presenter<'_>) -> Vec<FileProblem> {
    let problem = |status: &Status| match status {
        Status::Unreadable(detail) => Some((ProblemKind::Unreadable, detail.clone())),
        Status::Unparsable(detail) | Status::Failed(detail) => {
            Some((ProblemKind::Unparsable, detail.clone()))
        }
        _ => None,
    };
    let files = presenter.analysis.state.files.iter(presenter.blobs).map(|(_, file)| file);
    let sources = files.filter(|file| matches!(file.kind, InputKind::Source(_)));
    let mut problems: Vec<FileProblem> = sources
        .filter_map(|file| {
            let (reason, detail) = problem(&file.status)?;
            Some(FileProblem { file: file.path.to_string(), reason, detail })
        })
        .collect();
    problems.sort_by(|a, b| a.file.cmp(&b.file));
    problems
}

fn phase2(presenter: &Presenter<'_>, strategy: Strategy, outputs: &mut Outputs) -> Result<(), Lost> {
    let structure = presenter.structure;
    let sketches: Vec<FileSketch> = presenter.sketches()?.into_iter().map(|file| file.sketch).collect();
    let snapshot = &presenter.analysis.snapshot;
    let names = card_names(sketches.iter().map(|sketch| &sketch.path));
    let cards = sketches
        .par_iter()
        .map(|sketch| {
            let slot = snapshot.slot(&sketch.path).ok_or(Lost)?;
            let (text, members) = card_of_file(presenter, slot, sketch, strategy)?;
            Ok((RepoPath::new(&format!("{}/{}", files::CARDS, names[&sketch.path])), text, members))
        })
        .collect::<Result<Vec<_>, Lost>>()?;
    let mut members = Vec::new();
    for (path, text, own) in cards {
        outputs.insert(path, text);
        members.extend(own);
    }
    put(outputs, files::CARD_COVERAGE, &card_coverage(&sketches));
    put(outputs, files::SKELETON, &structure.skeleton);
    let stages = structure.stages();
    put(outputs, files::ASSIGNMENT, &assignment_artifact(&structure.skeleton, &sketches, &stages));
    let n_assigned = stages.primary.iter().flatten().count() as u64;
    let organized = (0..structure.organized.len()).map(|at| (at, presenter.organized(at as u32)));
    let with_files = organized
        .map(|(at, organized)| (at as u32, organized))
        .filter(|(at, _)| stages.primary.contains(&Some(*at)));
    put(outputs, files::ORGANIZATION, &organization_artifact(&structure.skeleton, with_files, n_assigned));
    if strategy == Strategy::Member {
        put(outputs, files::MEMBERS, &assign_members(&structure.skeleton, &members));
    }
    Ok(())
}

/// The card of a file, and its members where stages own those.
fn card_of_file(
    presenter: &Presenter<'_>,
    slot: u32,
    sketch: &FileSketch,
    strategy: Strategy,
) -> Result<(Vec<u8>, Vec<Member>), Lost> {
    let (structure, snapshot) = (presenter.structure, &presenter.analysis.snapshot);
    let ids = Ids { clashes: &presenter.analysis.state.clashes };
    let (facts, resolution) = (snapshot.facts(slot)?, snapshot.resolution(slot)?);
    let view = FileView { path: &sketch.path, facts: &facts, resolution: &resolution };
    let callers = callers_of_file(presenter.analysis, presenter.blobs, &sketch.path)?;
    let references = CrossReferences {
        id_of: &|symbol| ids.id(symbol),
        callers_of: &|symbol| callers.get(&symbol.qualname).cloned().unwrap_or_default(),
        page_of: &|path| structure.page_of(path),
    };
    let members = match strategy {
        Strategy::Member => members_of_file(&view, &|path| structure.stage_of(path), &references),
        Strategy::File => Vec::new(),
    };
    let prose = presenter.narration.prose.as_ref();
    Ok((artifact_text(&card(&view, sketch, presenter.depth, &references, prose)), members))
}

/// The card of the file in a slot, as it is exported.
pub(crate) fn card_text(presenter: &Presenter<'_>, slot: u32) -> Result<Vec<u8>, Lost> {
    let encoded = presenter.analysis.state.sketches.get(slot, presenter.blobs).ok_or(Lost)?;
    let sketched: Sketched = bindery_facts::decode(encoded).map_err(|_| Lost)?;
    card_of_file(presenter, slot, &sketched.sketch, Strategy::File).map(|(text, _)| text)
}

fn phase3(presenter: &Presenter<'_>, outputs: &mut Outputs) -> Result<(), Lost> {
    let structure = presenter.structure;
    let summaries: BTreeMap<StageId, String> = structure
        .skeleton
        .stages
        .iter()
        .enumerate()
        .zip(&structure.pages)
        .filter(|(_, page)| page.is_some())
        .map(|((at, stage), _)| (stage.id.clone(), presenter.summary(at as u32).to_owned()))
        .collect();
    put(outputs, files::NARRATION, &narration_artifact(presenter.overview().to_owned(), summaries));
    let ids = Ids { clashes: &presenter.analysis.state.clashes };
    let mut registers = registers_of(&structure.skeleton, &presenter.sketches()?, &structure.stages(), &ids);
    if let Some(prose) = &presenter.narration.prose {
        prose.lay_over_registers(&mut registers);
    }
    put(outputs, files::REGISTERS, &registers);
    Ok(())
}
