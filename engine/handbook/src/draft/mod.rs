//! Drafting a skeleton: stages of a repository nobody has described yet, from directories, names,
//! imports and calls.
//!
//! Directories decide which files belong together, because people put together what belongs
//! together and because one more file does not move the others; imports and calls decide the order
//! and which stages serve all others. Start reading at [`draft_skeleton`], then [`partition`] (the
//! top level), [`substages`] (below it), [`flow`] (the order), [`labels`] (the names).
//!
//! Nothing here may look at prose: a comment must never move a file to another stage.

mod area;
mod flow;
mod labels;
mod partition;
mod substages;
mod terms;
#[cfg(test)]
mod tests;
mod threshold;
mod tree;

use bindery_artifacts::{DraftedBy, Skeleton, SkeletonMetadata, Stage, StageId, Version};
use bindery_source::RepoPath;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::FileSketch;
use flow::{FlowStage, Ties};

pub(crate) use area::Companion;
pub(crate) use flow::sibling_ties;
use partition::PartKind;
use substages::Divided;
pub(crate) use substages::LARGEST_UNDIVIDED;

/// What a README calls the directory it lies in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct DirectoryTitle {
    /// The directory, `""` for the root.
    pub directory: String,
    /// The first heading, markup removed.
    pub title: String,
}

/// A drafted skeleton and the stage of every file.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    /// The stages, in reading order, substages behind their stage.
    pub skeleton: Skeleton,
    /// For each sketch, in the order given, the place of its stage in the skeleton's list.
    pub stage_of: Vec<u32>,
}

/// Drafts the stages of a repository.
///
/// `sketches` may come in any order; `name` is the handbook's name; `directory_titles` are sorted by
/// directory.
pub fn draft_skeleton(sketches: &[FileSketch], name: &str, directory_titles: &[DirectoryTitle]) -> Draft {
    let mut by_path: Vec<u32> = (0..sketches.len() as u32).collect();
    if !sketches.is_sorted_by(|a, b| a.path <= b.path) {
        by_path.sort_by(|a, b| sketches[*a as usize].path.cmp(&sketches[*b as usize].path));
    }
    let sorted: Vec<&FileSketch> = by_path.iter().map(|index| &sketches[*index as usize]).collect();
    let tree = tree::Tree::new(sorted.iter().map(|sketch| sketch.path.as_str()).collect());
    let stages = substages::divide_all(&tree.paths, partition::top_level(&tree));
    let (skeleton, place) = assemble(&sorted, &stages, name, directory_titles);
    let mut stage_of = vec![0; sketches.len()];
    for (stage, place) in stages.iter().zip(place) {
        stage.part.files.iter().for_each(|file| stage_of[by_path[*file as usize] as usize] = place);
    }
    Draft { skeleton, stage_of }
}

/// Names and orders the stages; with the place each one got in the skeleton.
fn assemble(
    sorted: &[&FileSketch],
    stages: &[Divided<'_>],
    name: &str,
    directory_titles: &[DirectoryTitle],
) -> (Skeleton, Vec<u32>) {
    let parents: Vec<Option<u32>> =
        stages.iter().map(|stage| stage.parent.map(|parent| parent as u32)).collect();
    let ties = flow::sibling_ties(&parents, file_ties(sorted, stages).into_iter());
    let is_crosscut = crosscut_stages(stages, &ties);
    let labels = {
        let paths: Vec<&str> = sorted.iter().map(|sketch| sketch.path.as_str()).collect();
        labels::Labels { stages, paths: &paths, is_crosscut: &is_crosscut, name, directory_titles }.all()
    };
    let order = flow::reading_order(&flow_stages(sorted, stages, &is_crosscut), &ties);
    let mut place = vec![0; stages.len()];
    order.iter().enumerate().for_each(|(at, stage)| place[*stage as usize] = at as u32);
    let ids: Vec<StageId> = labels.iter().map(|label| label.id.clone()).collect();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); stages.len()];
    for stage in &order {
        if let Some(parent) = parents[*stage as usize] {
            children[parent as usize].push(*stage);
        }
    }
    let listed = order.iter().map(|index| {
        let index = *index as usize;
        Stage {
            id: ids[index].clone(),
            title: labels[index].title.clone(),
            description: labels[index].description.clone(),
            parent: stages[index].parent.map(|parent| ids[parent].clone()),
            children: children[index].iter().map(|child| ids[*child as usize].clone()).collect(),
            crosscut: is_crosscut[index],
        }
    });
    let top = order.iter().filter(|stage| parents[**stage as usize].is_none());
    let skeleton = Skeleton {
        metadata: SkeletonMetadata {
            version: Version,
            archetype: archetype(sorted),
            drafted_by: DraftedBy::SkeletonSynth,
        },
        order: Some(top.map(|stage| ids[*stage as usize].clone()).collect()),
        stages: listed.collect(),
    };
    (skeleton, place)
}

/// A language is named if at least one file in so many is written in it.
const SMALLEST_SHARE: usize = 10;

/// The shape of the system in one phrase.
fn archetype(sorted: &[&FileSketch]) -> String {
    let mut languages: Vec<(&'static str, usize)> = Vec::new();
    for sketch in sorted {
        match languages.iter_mut().find(|(name, _)| *name == sketch.language.name()) {
            Some((_, count)) => *count += 1,
            None => languages.push((sketch.language.name(), 1)),
        }
    }
    languages.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then(a.cmp(b)));
    let kind = if sorted.iter().any(|sketch| sketch.is_program_entry()) { "program" } else { "library" };
    let is_telling = |(_, count): &&(&str, usize)| count * SMALLEST_SHARE >= sorted.len();
    let names: Vec<String> =
        languages.iter().filter(is_telling).map(|(name, _)| crate::naming::title(name)).collect();
    format!("{} {kind}", crate::naming::enumeration(&names)).trim_start().to_owned()
}

/// What the files of one stage use of another's: each import counts like a call.
fn file_ties(sorted: &[&FileSketch], stages: &[Divided<'_>]) -> Vec<(u32, u32, u64)> {
    let mut stage_of = vec![0u32; sorted.len()];
    for (index, stage) in stages.iter().enumerate() {
        stage.part.files.iter().for_each(|file| stage_of[*file as usize] = index as u32);
    }
    let places: FxHashMap<&RepoPath, u32> =
        sorted.iter().zip(&stage_of).map(|(sketch, stage)| (&sketch.path, *stage)).collect();
    let mut ties = Vec::new();
    for (sketch, user) in sorted.iter().zip(&stage_of) {
        let imports = sketch.imported_files.iter().map(|path| (path, 1));
        let calls = sketch.called_files.iter().map(|(path, count)| (path, u64::from(*count)));
        for (path, weight) in imports.chain(calls) {
            ties.extend(places.get(path).map(|used| (*user, *used, weight)));
        }
    }
    ties
}

/// Used by so many of the other stages, in quarters, a stage is infrastructure.
const CROSSCUT_USERS: usize = 3;
/// With fewer stages of the program, use says nothing.
const FEWEST_FOR_CROSSCUT: usize = 7;

/// Which stages serve most others: those that say so by their name, and those that three quarters of
/// the others use while they use less than a quarter of them.
fn crosscut_stages(stages: &[Divided<'_>], ties: &Ties) -> Vec<bool> {
    let is_main = |index: usize| {
        let Divided { part, parent, .. } = &stages[index];
        parent.is_none() && !part.is_shared && !matches!(part.kind, PartKind::Companion(_))
    };
    let main: Vec<u32> =
        (0..stages.len()).filter(|index| is_main(*index)).map(|index| index as u32).collect();
    let uses = |user: u32, used: u32| user != used && ties.contains_key(&(user, used));
    let mut is_crosscut: Vec<bool> = stages.iter().map(|stage| stage.part.is_shared).collect();
    let others = main.len().saturating_sub(1);
    let mut spare = main.len().saturating_sub(4);
    for stage in main.iter().filter(|_| main.len() >= FEWEST_FOR_CROSSCUT) {
        let users = main.iter().filter(|user| uses(**user, *stage)).count();
        let used = main.iter().filter(|used| uses(*stage, **used)).count();
        let is_directory = matches!(stages[*stage as usize].part.kind, PartKind::Directory);
        if is_directory && spare > 0 && users * 4 >= others * CROSSCUT_USERS && used * 4 < others {
            is_crosscut[*stage as usize] = true;
            spare -= 1;
        }
    }
    is_crosscut
}

fn flow_stages<'a>(
    sorted: &[&FileSketch],
    stages: &[Divided<'a>],
    is_crosscut: &[bool],
) -> Vec<FlowStage<'a>> {
    let mut has_entry: Vec<bool> = stages
        .iter()
        .map(|stage| stage.part.files.iter().any(|file| sorted[*file as usize].is_program_entry()))
        .collect();
    for index in (0..stages.len()).rev() {
        if let (true, Some(parent)) = (has_entry[index], stages[index].parent) {
            has_entry[parent] = true;
        }
    }
    let rank = |index: usize| match &stages[index].part.kind {
        PartKind::Companion(companion) => 2 + *companion as u8,
        _ => u8::from(is_crosscut[index]),
    };
    let flow_stage = |(index, stage): (usize, &Divided<'a>)| FlowStage {
        parent: stage.parent.map(|parent| parent as u32),
        rank: rank(index),
        has_entry: has_entry[index],
        anchor: stage.part.directory,
    };
    stages.iter().enumerate().map(flow_stage).collect()
}
