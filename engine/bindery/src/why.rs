//! Why an output or a file would be redone: the shortest chains from it back to changed inputs, one step a line.
//! Of several chains of one length all are shown, by path; where several files changed a key that one file needs,
//! the first by path stands for them.

use std::collections::BTreeSet;

use bindery_artifacts::{Reason, Recomputed};
use bindery_source::RepoPath;
use rustc_hash::FxHashSet;

use crate::analysis::{Analysis, InputChange};
use crate::blobs::Lost;
use crate::digest::callers_of_file;
use crate::outcome::{OutputState, WhyOutcome};
use crate::query::in_words;
use crate::relink::edges;
use crate::run::Computed;
use crate::state::FileRecord;

/// More inputs than this behind one change are counted.
const MOST_INPUTS: usize = 10;

/// From the target to the changed input, one step a line.
type Chain = Vec<String>;

/// Why a page is as it is; `state` is what is the matter with it on disk.
pub(crate) fn page(computed: &Computed, page: &RepoPath, state: Option<OutputState>) -> WhyOutcome {
    let recomputed = computed.handbook.recomputed.iter().find(|recomputed| recomputed.unit == page.as_str());
    let own = own_files(computed, page);
    let mut from = match recomputed {
        Some(recomputed) => page_chains(computed, recomputed).concat(),
        None if own.is_empty() && state.is_some() => stamp_chain(computed),
        None => Vec::new(),
    };
    from.extend(own.iter().map(|path| format!("shows {path}")));
    WhyOutcome {
        subject: format!("page {page}"),
        is_stale: state.is_some() || recomputed.is_some(),
        from,
        to: Vec::new(),
    }
}

/// Why a file is read or resolved again, and what that reaches.
pub(crate) fn file(computed: &Computed, path: &RepoPath) -> Result<WhyOutcome, Lost> {
    let analysis = &computed.analysis;
    let from = file_chain(analysis, path);
    let mut to: BTreeSet<String> = BTreeSet::new();
    let mut stages: BTreeSet<u32> = computed.structure.stage_of(path).into_iter().collect();
    for callers in callers_of_file(analysis, analysis.snapshot.blobs(), path)?.values() {
        let callers = callers.iter().filter(|caller| caller.path != *path);
        to.extend(callers.map(|caller| format!("called from {}", caller.path)));
    }
    for (needer, cause) in &analysis.causes {
        if let Some((_, key)) = cause.because_of.as_ref().filter(|(origin, _)| origin == path) {
            to.insert(format!("{needer}: needs {key}"));
        }
    }
    if let Some(slot) = analysis.snapshot.slot(path)
        && analysis.snapshot.file(slot).is_some_and(FileRecord::is_scanned)
    {
        let resolution = analysis.snapshot.resolution(slot)?;
        stages.extend(edges(&resolution).filter_map(|(_, symbol)| computed.structure.stage_of(&symbol.path)));
    }
    let pages = computed.handbook.stages.iter().filter(|(_, stage)| stages.contains(stage));
    to.extend(pages.map(|(page, _)| format!("shown on page {page}")));
    Ok(WhyOutcome {
        subject: format!("file {path}"),
        is_stale: !from.is_empty(),
        from,
        to: to.into_iter().collect(),
    })
}

/// The files whose cards stand on a page, in path order.
fn own_files<'c>(computed: &'c Computed, page: &RepoPath) -> Vec<&'c RepoPath> {
    let structure = &computed.structure;
    let stage = computed.handbook.stages.get(page).copied();
    let own = structure.files.iter().filter(|(_, primary, _)| stage.is_some() && *primary == stage);
    own.map(|(path, _, _)| path).collect()
}

/// The chains behind a page that was rendered: those of the least length, by path.
fn page_chains(computed: &Computed, recomputed: &Recomputed) -> Vec<Chain> {
    let analysis = &computed.analysis;
    let mut chains: Vec<Chain> = Vec::new();
    for path in own_files(computed, &RepoPath::new(&recomputed.unit)) {
        let is_in =
            |slots: &FxHashSet<u32>| analysis.snapshot.slot(path).is_some_and(|slot| slots.contains(&slot));
        let mut add = |reason: Reason, next: &RepoPath| {
            let first = vec![format!("{} of {path}", in_words(reason))];
            chains.push([first, file_chain(analysis, next)].concat());
        };
        if is_in(&analysis.changed) {
            add(Reason::FactsChanged, path);
        } else if is_in(&analysis.resolved) {
            add(Reason::ResolutionChanged, path);
        }
        if let Some(caller) = analysis.callers_changed.get(path) {
            add(Reason::CallersChanged, caller);
        }
    }
    let least = chains.iter().map(Vec::len).min();
    chains.retain(|chain| Some(chain.len()) == least);
    if chains.is_empty() {
        chains.push(vec![in_words(recomputed.reason)]);
        chains.push(inputs_behind_stages(analysis));
    }
    chains
}

/// The page that changes the stamp of all, by the shortest chain, then by name.
fn stamp_chain(computed: &Computed) -> Chain {
    let chains = computed.handbook.recomputed.iter().map(|recomputed| {
        let stamps = vec![format!("stamps {}, which changes", recomputed.unit)];
        [stamps, page_chains(computed, recomputed).into_iter().next().unwrap_or_default()].concat()
    });
    chains.min_by(|a, b| (a.len(), a).cmp(&(b.len(), b))).unwrap_or_default()
}

/// From a file that was read or resolved again back to the change behind it.
fn file_chain(analysis: &Analysis, path: &RepoPath) -> Chain {
    let change = |path: &RepoPath| analysis.inputs.get(path).map_or("changed", |change| change.word());
    match analysis.causes.get(path) {
        Some(cause) => match &cause.because_of {
            Some((origin, key)) => {
                vec![format!("{path}: needs {key}"), format!("{origin}: {}", change(origin))]
            }
            None => vec![format!("{path}: {}", in_words(cause.reason))],
        },
        None if analysis.inputs.contains_key(path) => vec![format!("{path}: {}", change(path))],
        None => Vec::new(),
    }
}

/// The inputs that changed the stages: those that came or went, else all that changed.
fn inputs_behind_stages(analysis: &Analysis) -> Chain {
    let moved = analysis.inputs.values().any(|change| *change != InputChange::Changed);
    let behind = analysis.inputs.iter().filter(|(_, change)| !moved || **change != InputChange::Changed);
    let mut lines: Vec<String> = behind.map(|(path, change)| format!("{path}: {}", change.word())).collect();
    if lines.len() > MOST_INPUTS {
        let more = lines.len() - MOST_INPUTS;
        lines.truncate(MOST_INPUTS);
        lines.push(format!("and {more} more inputs"));
    }
    lines
}
