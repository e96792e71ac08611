//! The stages and everything else that is computed from all files at once, and its memory between runs.
//!
//! It is a function of the sketches, the READMEs, the committed skeleton and the configuration. When none
//! of these changed, the state's copy is used and no sketch is decoded.

use std::collections::BTreeMap;

use bindery_artifacts::{Configuration, OrganizedStage, Registers, Skeleton};
use bindery_handbook::{
    CrossReferences, DirectoryTitle, Draft, FileSketch, FileStages, FileState, StageStory, StateOfFile,
    assign_draft, assign_skeleton, draft_skeleton, normalize_skeleton, organize_stage, pages, registers,
    stage_summary, stage_ties, system_overview,
};
use bindery_source::{ContentHash, KeyHasher, RepoPath};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::identity::Ids;

/// What is kept of each file for this.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Sketched {
    pub(crate) sketch: FileSketch,
    pub(crate) state: FileState,
}

impl Sketched {
    /// Equal for two files that look the same to all but `registers.json`, which shows line numbers.
    pub(crate) fn digest(&self) -> ContentHash {
        let mut without_lines = self.clone();
        for used in &mut without_lines.state.uses {
            used.line = 0;
        }
        without_lines.state.uses.sort_unstable();
        without_lines.state.uses.dedup();
        let bytes = postcard::to_stdvec(&without_lines)
            .expect("sketches hold only plain values, which postcard writes");
        ContentHash::of(&bytes)
    }
}

/// What the stages are computed from besides the sketches.
pub(crate) struct Surroundings<'a> {
    pub(crate) name: &'a str,
    /// The first paragraph of the root's README.
    pub(crate) readme: Option<&'a str>,
    /// README headings by directory, sorted.
    pub(crate) titles: &'a [DirectoryTitle],
    /// The committed skeleton, as read.
    pub(crate) committed: Option<&'a Skeleton>,
    pub(crate) configuration: &'a Configuration,
    /// How links to source files are spelled; depends on where the handbook lies if none is configured.
    pub(crate) link_template: &'a str,
}

impl Surroundings<'_> {
    /// Changes with anything in it that shows.
    pub(crate) fn digest(&self) -> ContentHash {
        let mut key = KeyHasher::new("surroundings");
        key.field("name", self.name.as_bytes()).field("readme", self.readme.unwrap_or_default().as_bytes());
        for title in self.titles {
            key.field("directory", title.directory.as_bytes()).field("title", title.title.as_bytes());
        }
        let committed = serde_json::to_vec(&self.committed).expect("a skeleton that was read can be written");
        key.field("skeleton", &committed);
        key.field("depth", format!("{:?}", self.configuration.depth).as_bytes());
        key.field("link", self.link_template.as_bytes());
        key.finish()
    }
}

/// What a structure took the place of.
pub(crate) enum Replaced {
    /// It is the last run's.
    Nothing,
    /// The last run had another one.
    Old(Box<Structure>),
    /// There is no last run's.
    Missing,
}

/// See the module's page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Structure {
    /// The digest of what it was computed from besides the sketches.
    pub(crate) surroundings: ContentHash,
    pub(crate) name: String,
    pub(crate) overview: String,
    /// As JSON: its serialized form leaves keys out, which postcard cannot read back.
    #[serde(with = "as_json")]
    pub(crate) skeleton: Skeleton,
    /// The scanned files in path order, with primary stage and the stages that use them.
    pub(crate) files: Vec<(RepoPath, Option<u32>, Vec<u32>)>,
    /// Parallel to the skeleton's stages: page file names, organizations, summaries.
    pub(crate) pages: Vec<Option<String>>,
    pub(crate) organized: Vec<OrganizedStage>,
    pub(crate) summaries: Vec<String>,
    pub(crate) ties: Vec<((u32, u32), u64)>,
    pub(crate) registers: Registers,
}

impl Structure {
    /// Computes it from all sketches, in path order.
    pub(crate) fn compute(
        surroundings_digest: ContentHash,
        sketched: &[Sketched],
        surroundings: &Surroundings<'_>,
        ids: &Ids<'_>,
    ) -> Self {
        let sketches: Vec<FileSketch> = sketched.iter().map(|file| file.sketch.clone()).collect();
        let draft = draft_skeleton(&sketches, surroundings.name, surroundings.titles);
        let (skeleton, stages) = skeleton_and_stages(surroundings.committed, draft, &sketches);
        let ties = stage_ties(&skeleton, &sketches, &stages);
        let own = own_files(&skeleton, &sketches, &stages);
        let organized: Vec<OrganizedStage> = skeleton
            .stages
            .iter()
            .zip(&own)
            .map(|(stage, files)| organize_stage(&stage.title, files))
            .collect();
        let summaries = tell_stages(&skeleton, &own, &ties, |_, story| stage_summary(story));
        let registers = registers_of(&skeleton, sketched, &stages, ids);
        Self {
            surroundings: surroundings_digest,
            name: surroundings.name.to_owned(),
            overview: system_overview(surroundings.name, surroundings.readme, &skeleton, &sketches),
            pages: pages::page_names(&skeleton, &stages),
            files: sketches
                .iter()
                .zip(stages.primary.iter().zip(&stages.also))
                .map(|(sketch, (primary, also))| (sketch.path.clone(), *primary, also.clone()))
                .collect(),
            ties: ties.into_iter().collect(),
            skeleton,
            organized,
            summaries,
            registers,
        }
    }

    /// The stages of all files, parallel to [`Structure::files`].
    pub(crate) fn stages(&self) -> FileStages {
        FileStages {
            primary: self.files.iter().map(|(_, primary, _)| *primary).collect(),
            also: self.files.iter().map(|(_, _, also)| also.clone()).collect(),
        }
    }

    /// The place of a file in [`Structure::files`].
    pub(crate) fn place(&self, path: &RepoPath) -> Option<usize> {
        self.files.binary_search_by(|(other, _, _)| other.cmp(path)).ok()
    }

    /// The stage of a file.
    pub(crate) fn stage_of(&self, path: &RepoPath) -> Option<u32> {
        self.files[self.place(path)?].1
    }

    /// The page a file's card stands on.
    pub(crate) fn page_of(&self, path: &RepoPath) -> Option<String> {
        self.pages[self.stage_of(path)? as usize].clone()
    }

    /// For each stage a digest of what its page shows that does not come from its own files' facts: its own
    /// texts, the stages above, in and after it, the stages that use its files, its registers.
    pub(crate) fn stage_digests(&self) -> BTreeMap<&str, ContentHash> {
        let stages = &self.skeleton.stages;
        let places: FxHashMap<&str, usize> =
            stages.iter().enumerate().map(|(at, stage)| (stage.id.as_str(), at)).collect();
        let parents: Vec<Option<usize>> =
            stages.iter().map(|stage| places.get(stage.parent.as_ref()?.as_str()).copied()).collect();
        let mut users: Vec<Vec<&[u32]>> = vec![Vec::new(); stages.len()];
        for (_, primary, also) in &self.files {
            if let Some(primary) = primary {
                users[*primary as usize].push(also);
            }
        }
        let link = |at: usize| (stages[at].title.as_str(), &self.pages[at]);
        let digest = |at: usize| {
            let stage = &stages[at];
            // Parents stand before their parts in the normal form, so this ends.
            let above: Vec<_> = std::iter::successors(parents[at], |at| parents[*at]).map(link).collect();
            let parts: Vec<_> = (at + 1..stages.len())
                .filter(|other| parents[*other] == Some(at))
                .map(|other| (link(other), stages[other].description.as_str()))
                .collect();
            let next = (at + 1..stages.len()).find(|next| self.pages[*next].is_some()).map(link);
            let users: Vec<Vec<_>> = users[at]
                .iter()
                .map(|also| also.iter().map(|other| link(*other as usize)).collect())
                .collect();
            let registers = self.registers.registers.iter();
            let registers: Vec<_> =
                registers.filter(|register| register.stages.contains(&stage.id)).collect();
            let own = (stage, &self.pages[at], &self.organized[at], &self.summaries[at]);
            let bytes = serde_json::to_vec(&(own, above, parts, next, users, registers))
                .expect("stages hold only plain values, which JSON writes");
            ContentHash::of(&bytes)
        };
        (0..stages.len()).map(|at| (stages[at].id.as_str(), digest(at))).collect()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("the stages hold only plain values, which postcard writes")
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

/// Writes a value as a JSON string inside another format.
mod as_json {
    use bindery_artifacts::Skeleton;
    use serde::{Deserialize, Deserializer, Serializer, de, ser};

    pub(super) fn serialize<S: Serializer>(value: &Skeleton, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(value).map_err(ser::Error::custom)?)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Skeleton, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

fn skeleton_and_stages(
    committed: Option<&Skeleton>,
    draft: Draft,
    sketches: &[FileSketch],
) -> (Skeleton, FileStages) {
    match committed {
        Some(committed) => {
            let (skeleton, _) = normalize_skeleton(committed.clone());
            let stages = assign_skeleton(&skeleton, &draft, sketches);
            (skeleton, stages)
        }
        None => {
            let stages = assign_draft(&draft, sketches);
            (draft.skeleton, stages)
        }
    }
}

pub(crate) fn own_files<'a>(
    skeleton: &Skeleton,
    sketches: &'a [FileSketch],
    stages: &FileStages,
) -> Vec<Vec<&'a FileSketch>> {
    let mut own: Vec<Vec<&FileSketch>> = vec![Vec::new(); skeleton.stages.len()];
    for (sketch, stage) in sketches.iter().zip(&stages.primary) {
        if let Some(stage) = stage {
            own[*stage as usize].push(sketch);
        }
    }
    own
}

/// Tells the story of each stage, by its place.
pub(crate) fn tell_stages<T>(
    skeleton: &Skeleton,
    own: &[Vec<&FileSketch>],
    ties: &BTreeMap<(u32, u32), u64>,
    tell: impl Fn(usize, &StageStory<'_>) -> T,
) -> Vec<T> {
    let title = |at: u32| skeleton.stages[at as usize].title.as_str();
    let places: FxHashMap<&str, usize> =
        skeleton.stages.iter().enumerate().map(|(at, stage)| (stage.id.as_str(), at)).collect();
    let parent = |at: usize| Some(places[skeleton.stages[at].parent.as_ref()?.as_str()]);
    let mut all_files: Vec<usize> = own.iter().map(Vec::len).collect();
    for at in (0..own.len()).rev() {
        if let Some(parent) = parent(at) {
            all_files[parent] += all_files[at];
        }
    }
    (0..own.len())
        .map(|at| {
            let parts: Vec<&str> = (0..own.len())
                .filter(|other| parent(*other) == Some(at))
                .map(|at| title(at as u32))
                .collect();
            let mut uses: Vec<(&u64, u32)> = ties
                .iter()
                .filter(|((user, _), _)| *user as usize == at)
                .map(|((_, used), n)| (n, *used))
                .collect();
            let mut used_by: Vec<(&u64, u32)> = ties
                .iter()
                .filter(|((_, used), _)| *used as usize == at)
                .map(|((user, _), n)| (n, *user))
                .collect();
            for list in [&mut uses, &mut used_by] {
                list.sort_by(|a, b| b.0.cmp(a.0).then(a.1.cmp(&b.1)));
            }
            let named = |list: &[(&u64, u32)]| list.iter().map(|(_, at)| title(*at)).collect::<Vec<_>>();
            let story = StageStory {
                title: title(at as u32),
                files: &own[at],
                all_files: all_files[at],
                parts: &parts,
                uses: &named(&uses),
                used_by: &named(&used_by),
            };
            tell(at, &story)
        })
        .collect()
}

/// The registers, with the lines the sketches have now.
pub(crate) fn registers_of(
    skeleton: &Skeleton,
    sketched: &[Sketched],
    stages: &FileStages,
    ids: &Ids<'_>,
) -> Registers {
    let files: Vec<StateOfFile<'_>> = sketched
        .iter()
        .zip(&stages.primary)
        .map(|(file, stage)| StateOfFile {
            path: &file.sketch.path,
            state: &file.state,
            stage: *stage,
            is_test: file.sketch.is_test,
        })
        .collect();
    let references =
        CrossReferences { id_of: &|symbol| ids.id(symbol), callers_of: &|_| Vec::new(), page_of: &|_| None };
    registers(skeleton, &files, &references)
}
