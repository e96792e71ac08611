//! Which stage each file belongs to.
//!
//! Under a draft every file has its stage already. A committed skeleton has no file list; a file
//! gets the stage of the first rule that answers:
//!
//! 1. **Same id.** The draft of today puts the file in a stage, and that stage, or the nearest one
//!    above it, has an id the skeleton knows: pinned skeletons follow the tree.
//! 2. **Directory.** A directory of the file, the nearest first, has the slug of its path or of its
//!    name as a stage's id.
//! 3. **Words.** The words of the file's path that a stage's id, title or description has: three
//!    points for a word of the id or title, one for one of the description, three points at least.
//!    The most points win, then the deeper stage, then the first listed.
//! 4. **Neighbours.** More than half of its imports and calls from and to files that the rules above
//!    assigned belong to one stage, two at least.
//!
//! What no rule answers is `unassigned`. Nothing depends on the order of the files.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::{Assignment, AssignmentCoverage, Placement, Skeleton, StageId, Version};
use bindery_source::RepoPath;
use rustc_hash::FxHashMap;

use crate::naming;
use crate::{Draft, FileSketch};

/// The stage of each file, as places in a skeleton's list of stages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileStages {
    /// For each sketch in the order given; none is `unassigned`.
    pub primary: Vec<Option<u32>>,
    /// The top-level stages whose files use it, its own excluded, if there are at least two; sorted.
    pub also: Vec<Vec<u32>>,
}

/// Fewer words in common are chance.
const ENOUGH_POINTS: u32 = 3;
/// Fewer stages that use a file do not make it shared.
const ENOUGH_USERS: usize = 2;

/// The stages of all files under the draft itself.
pub fn assign_draft(draft: &Draft, sketches: &[FileSketch]) -> FileStages {
    let primary: Vec<Option<u32>> = draft.stage_of.iter().copied().map(Some).collect();
    let also = also(&draft.skeleton, sketches, &primary);
    FileStages { primary, also }
}

/// The stages of all files under a committed skeleton in normal form.
pub fn assign_skeleton(skeleton: &Skeleton, draft: &Draft, sketches: &[FileSketch]) -> FileStages {
    let rules = SkeletonRules::new(skeleton);
    let by_draft = rules.by_id(draft);
    let mut primary: Vec<Option<u32>> = sketches
        .iter()
        .zip(&draft.stage_of)
        .map(|(sketch, stage)| by_draft[*stage as usize].or_else(|| rules.by_directory(&sketch.path)))
        .collect();
    for (stage, sketch) in primary.iter_mut().zip(sketches).filter(|(stage, _)| stage.is_none()) {
        *stage = rules.by_words(&sketch.path);
    }
    assign_by_neighbours(sketches, &mut primary);
    let also = also(skeleton, sketches, &primary);
    FileStages { primary, also }
}

struct SkeletonRules<'s> {
    places: BTreeMap<&'s str, u32>,
    words: SkeletonWords,
}

impl<'s> SkeletonRules<'s> {
    fn new(skeleton: &'s Skeleton) -> Self {
        let places: BTreeMap<&str, u32> =
            skeleton.stages.iter().enumerate().map(|(at, stage)| (stage.id.as_str(), at as u32)).collect();
        Self { places, words: SkeletonWords::new(skeleton) }
    }

    /// Rule 1 for each stage of the draft, which has parents before their parts.
    fn by_id(&self, draft: &Draft) -> Vec<Option<u32>> {
        let mut found: BTreeMap<&StageId, Option<u32>> = BTreeMap::new();
        for stage in &draft.skeleton.stages {
            let above = stage.parent.as_ref().and_then(|parent| found.get(parent).copied().flatten());
            found.insert(&stage.id, self.places.get(stage.id.as_str()).copied().or(above));
        }
        draft.skeleton.stages.iter().map(|stage| found[&stage.id]).collect()
    }

    fn by_directory(&self, path: &RepoPath) -> Option<u32> {
        let mut directory = path.directory();
        while !directory.is_empty() {
            let (above, name) = directory.rsplit_once('/').unwrap_or(("", directory));
            let found = self.places.get(naming::slug(directory).as_str());
            let found = found
                .or_else(|| self.places.get(name))
                .or_else(|| self.places.get(naming::slug(name).as_str()));
            if let Some(stage) = found {
                return Some(*stage);
            }
            directory = above;
        }
        None
    }

    fn by_words(&self, path: &RepoPath) -> Option<u32> {
        let stem = path.as_str().strip_suffix(path.extension().unwrap_or("")).unwrap_or(path.as_str());
        self.words.stage_over(stem, None)
    }
}

/// The words every stage of a skeleton has in its id, title and description, for rule 3.
pub(crate) struct SkeletonWords {
    /// For each word the stages that have it, with its points.
    points: BTreeMap<String, Vec<(u32, u32)>>,
    depths: Vec<u32>,
}

impl SkeletonWords {
    pub(crate) fn new(skeleton: &Skeleton) -> Self {
        let mut places: BTreeMap<&StageId, usize> = BTreeMap::new();
        let mut points: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
        let mut depths: Vec<u32> = Vec::new();
        for (at, stage) in skeleton.stages.iter().enumerate() {
            let parent = stage.parent.as_ref().and_then(|parent| places.get(parent));
            depths.push(parent.map_or(0, |parent| depths[*parent] + 1));
            places.insert(&stage.id, at);
            let strong: BTreeSet<String> = telling_words(&format!("{} {}", stage.id, stage.title)).collect();
            let weak: BTreeSet<String> =
                telling_words(&stage.description).filter(|w| !strong.contains(w)).collect();
            strong.into_iter().for_each(|word| points.entry(word).or_default().push((at as u32, 3)));
            weak.into_iter().for_each(|word| points.entry(word).or_default().push((at as u32, 1)));
        }
        Self { points, depths }
    }

    /// The stage that most words of `text` speak for, if they are enough and more than speak for
    /// `fallback`; else `fallback`.
    pub(crate) fn stage_over(&self, text: &str, fallback: Option<u32>) -> Option<u32> {
        let mut points: BTreeMap<u32, u32> = BTreeMap::new();
        for word in telling_words(text).collect::<BTreeSet<_>>() {
            for (stage, weight) in self.points.get(&word).into_iter().flatten() {
                *points.entry(*stage).or_default() += weight;
            }
        }
        let bar = fallback.and_then(|stage| points.get(&stage).copied()).unwrap_or(0);
        let best = points
            .into_iter()
            .max_by_key(|(stage, points)| (*points, self.depths[*stage as usize], std::cmp::Reverse(*stage)));
        let best = best.filter(|(_, points)| *points >= ENOUGH_POINTS && *points > bar);
        best.map_or(fallback, |(stage, _)| Some(stage))
    }
}

/// Words that say what something is about: each as written and as it is read (`io`, `input`),
/// connectives and layout names left out.
fn telling_words(text: &str) -> impl Iterator<Item = String> {
    const CONNECTIVES: &[&str] = &[
        "a", "all", "and", "by", "for", "from", "in", "is", "its", "of", "on", "or", "stage", "that", "the",
        "to", "with",
    ];
    let words = naming::words(text).into_iter().flat_map(|word| {
        let read: Vec<String> = naming::phrase(&word).split(' ').map(str::to_lowercase).collect();
        std::iter::once(word.clone()).chain(read.into_iter().filter(move |other| *other != word))
    });
    words.filter(|word| !CONNECTIVES.contains(&word.as_str()) && !naming::is_layout_name(word))
}

/// Rule 4, from what the other rules assigned only, so that no order among the files matters.
fn assign_by_neighbours(sketches: &[FileSketch], primary: &mut [Option<u32>]) {
    let places: FxHashMap<&RepoPath, usize> =
        sketches.iter().enumerate().map(|(at, s)| (&s.path, at)).collect();
    let mut votes: BTreeMap<usize, BTreeMap<u32, u64>> = BTreeMap::new();
    for (user, sketch) in sketches.iter().enumerate() {
        for (path, weight) in used_files(sketch) {
            let Some(used) = places.get(path).copied() else { continue };
            match (primary[user], primary[used]) {
                (None, Some(stage)) => *votes.entry(user).or_default().entry(stage).or_default() += weight,
                (Some(stage), None) => *votes.entry(used).or_default().entry(stage).or_default() += weight,
                _ => {}
            }
        }
    }
    for (file, votes) in votes {
        let all: u64 = votes.values().sum();
        let majority = votes.into_iter().find(|(_, votes)| *votes >= 2 && votes * 2 > all);
        primary[file] = majority.map(|(stage, _)| stage);
    }
}

/// The other files a file uses: each import counts like a call.
pub(crate) fn used_files(sketch: &FileSketch) -> impl Iterator<Item = (&RepoPath, u64)> {
    let imports = sketch.imported_files.iter().map(|path| (path, 1));
    imports.chain(sketch.called_files.iter().map(|(path, count)| (path, u64::from(*count))))
}

/// How strongly sibling stages lean on each other: (user, used) → imports and calls between their
/// files, those of their parts included. Stages are places in the skeleton's list.
pub fn stage_ties(
    skeleton: &Skeleton,
    sketches: &[FileSketch],
    stages: &FileStages,
) -> BTreeMap<(u32, u32), u64> {
    let places: FxHashMap<&RepoPath, u32> = sketches
        .iter()
        .zip(&stages.primary)
        .filter_map(|(sketch, stage)| Some((&sketch.path, (*stage)?)))
        .collect();
    let by_id: BTreeMap<&StageId, u32> =
        skeleton.stages.iter().enumerate().map(|(at, stage)| (&stage.id, at as u32)).collect();
    let parents: Vec<Option<u32>> = skeleton
        .stages
        .iter()
        .map(|stage| stage.parent.as_ref().and_then(|parent| by_id.get(parent).copied()))
        .collect();
    let ties = sketches.iter().flat_map(|sketch| {
        let user = places.get(&sketch.path).copied();
        let places = &places;
        used_files(sketch).filter_map(move |(path, weight)| Some((user?, *places.get(path)?, weight)))
    });
    crate::draft::sibling_ties(&parents, ties)
}

/// The top-level stage above each stage.
pub(crate) fn tops(skeleton: &Skeleton) -> Vec<u32> {
    let mut tops: Vec<u32> = Vec::with_capacity(skeleton.stages.len());
    let mut places: BTreeMap<&StageId, u32> = BTreeMap::new();
    for (at, stage) in skeleton.stages.iter().enumerate() {
        let parent = stage.parent.as_ref().and_then(|parent| places.get(parent));
        tops.push(parent.map_or(at as u32, |parent| tops[*parent as usize]));
        places.insert(&stage.id, at as u32);
    }
    tops
}

/// Tests do not count as users: they use everything.
fn also(skeleton: &Skeleton, sketches: &[FileSketch], primary: &[Option<u32>]) -> Vec<Vec<u32>> {
    let tops = tops(skeleton);
    let places: FxHashMap<&RepoPath, usize> =
        sketches.iter().enumerate().map(|(at, s)| (&s.path, at)).collect();
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); sketches.len()];
    for (sketch, stage) in sketches.iter().zip(primary).filter(|(sketch, _)| !sketch.is_test) {
        let Some(top) = stage.map(|stage| tops[stage as usize]) else { continue };
        for used in used_files(sketch).filter_map(|(path, _)| places.get(path)) {
            let is_elsewhere = primary[*used].is_some_and(|stage| tops[stage as usize] != top);
            if is_elsewhere && !users[*used].contains(&top) {
                users[*used].push(top);
            }
        }
    }
    for stages in &mut users {
        stages.sort_unstable();
        if stages.len() < ENOUGH_USERS {
            stages.clear();
        }
    }
    users
}

/// The id that stands for no stage.
pub(crate) fn unassigned() -> StageId {
    StageId::new("unassigned").expect("the word has the form of a stage id")
}

/// The artifact `assignment.json`.
pub fn assignment_artifact(skeleton: &Skeleton, sketches: &[FileSketch], stages: &FileStages) -> Assignment {
    let id = |stage: u32| skeleton.stages[stage as usize].id.clone();
    let mut file_stage = BTreeMap::new();
    let mut buckets: BTreeMap<StageId, Vec<String>> = BTreeMap::new();
    let mut left_over = Vec::new();
    for ((sketch, primary), also) in sketches.iter().zip(&stages.primary).zip(&stages.also) {
        let file = sketch.path.as_str().to_owned();
        let stage = primary.map_or_else(unassigned, id);
        match primary {
            Some(_) => buckets.entry(stage.clone()).or_default().push(file.clone()),
            None => left_over.push(file.clone()),
        }
        let mut also: Vec<StageId> = also.iter().map(|stage| id(*stage)).collect();
        also.sort_unstable();
        file_stage.insert(file, Placement { stage, also });
    }
    buckets.values_mut().for_each(|files| files.sort_unstable());
    left_over.sort_unstable();
    let n_files = sketches.len() as u64;
    let coverage =
        AssignmentCoverage { n_files, n_assigned: n_files - left_over.len() as u64, unassigned: left_over };
    Assignment { version: Version, file_stage, buckets, coverage }
}

#[cfg(test)]
mod tests {
    use bindery_artifacts::{Role, SkeletonMetadata, Stage};
    use bindery_source::Language;

    use super::*;
    use crate::draft_skeleton;

    fn sketch(path: &str, used: &[&str]) -> FileSketch {
        FileSketch {
            path: RepoPath::new(path),
            language: Language::Rust,
            role: Role::DomainLogic,
            lifecycle: "none".into(),
            function_count: 0,
            type_count: 0,
            is_entry_point: false,
            is_test: false,
            purpose: None,
            imported_files: Vec::new(),
            called_files: used.iter().map(|path| (RepoPath::new(path), 2)).collect(),
        }
    }

    fn skeleton(stages: &[(&str, &str)]) -> Skeleton {
        let stage = |(id, title): &(&str, &str)| Stage {
            id: StageId::new(*id).unwrap(),
            title: title.to_string(),
            description: String::new(),
            parent: None,
            children: Vec::new(),
            crosscut: false,
        };
        let metadata =
            SkeletonMetadata { version: Version, archetype: String::new(), drafted_by: Default::default() };
        Skeleton { metadata, order: None, stages: stages.iter().map(stage).collect() }
    }

    fn assigned(stages: &[(&str, &str)], sketches: &[FileSketch]) -> Vec<String> {
        let skeleton = skeleton(stages);
        let draft = draft_skeleton(sketches, "sample", &[]);
        let found = assign_skeleton(&skeleton, &draft, sketches).primary;
        found
            .iter()
            .map(|stage| stage.map_or("-".to_owned(), |at| stages[at as usize].0.to_owned()))
            .collect()
    }

    #[test]
    fn the_nearest_directory_with_a_stage_counts() {
        let sketches =
            [sketch("src/net/tcp/a.rs", &[]), sketch("src/net/b.rs", &[]), sketch("src/c.rs", &[])];
        assert_eq!(
            assigned(&[("net", "Networking"), ("net-tcp", "TCP")], &sketches),
            ["net-tcp", "net", "-"]
        );
    }

    #[test]
    fn words_of_the_title_count_then_neighbours() {
        let stages = [("stage-1", "Command line"), ("stage-2", "Storage of records")];
        let sketches = [
            sketch("src/cli/args.rs", &[]),
            sketch("src/record.rs", &["src/x.rs"]),
            sketch("src/records.rs", &["src/x.rs"]),
            sketch("src/x.rs", &[]),
            sketch("src/y.rs", &[]),
        ];
        // `record` is not `records`: it follows its neighbours only if they were assigned by a name.
        assert_eq!(assigned(&stages, &sketches), ["stage-1", "-", "stage-2", "stage-2", "-"]);
    }

    #[test]
    fn a_pinned_draft_gives_the_same_stages() {
        let mut sketches: Vec<FileSketch> = Vec::new();
        for directory in ["fs", "net", "sync", "time"] {
            sketches.extend((0..30).map(|n| sketch(&format!("src/{directory}/file{n}.rs"), &[])));
        }
        let draft = draft_skeleton(&sketches, "sample", &[]);
        let pinned = assign_skeleton(&draft.skeleton, &draft, &sketches);
        assert_eq!(pinned, assign_draft(&draft, &sketches));
    }

    #[test]
    fn files_used_by_two_other_stages_say_so() {
        let mut sketches = vec![sketch("src/base/a.rs", &[])];
        for directory in ["base", "one", "two"] {
            sketches
                .extend((0..4).map(|n| sketch(&format!("src/{directory}/file{n}.rs"), &["src/base/a.rs"])));
        }
        let stages = [("base", "Base"), ("one", "One"), ("two", "Two")];
        let skeleton = skeleton(&stages);
        let draft = draft_skeleton(&sketches, "sample", &[]);
        let found = assign_skeleton(&skeleton, &draft, &sketches);
        assert_eq!(found.also[0], [1, 2]);
        assert!(found.also[1..].iter().all(Vec::is_empty));
        let artifact = assignment_artifact(&skeleton, &sketches, &found);
        assert_eq!(artifact.coverage.n_assigned, 13);
        assert_eq!(artifact.file_stage["src/base/a.rs"].also.len(), 2);
        let ties = stage_ties(&skeleton, &sketches, &found);
        assert_eq!(ties, BTreeMap::from([((1, 0), 8), ((2, 0), 8)]));
    }
}
