//! The top level of a draft: which directories are stages.
//!
//! A directory with a large share of the program is *opened*: its subdirectories compete for a stage
//! of their own instead of it. Those that reach the [threshold](super::threshold) get one; what
//! stays behind is the opened directory's *rest*, which keeps the directory's name. Tests, examples
//! and the like found on the way form one stage of their own each.
//!
//! Every decision depends on one directory's size against a threshold that moves smoothly, so one
//! file more or less splits or joins at most one stage.

use std::collections::BTreeMap;

use bindery_source::ContentHash;

use super::area::{Companion, is_shared};
use super::threshold::{FULL, fullness, threshold, weighted};
use super::tree::{DirectoryIndex, Tree};
use crate::naming;

/// What a stage is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PartKind {
    /// A directory as a whole.
    Directory,
    /// The files of a directory whose names start with the same words.
    Words(String),
    /// What is left of an opened directory.
    Rest,
    /// A piece of a large rest: the entry it was cut at (none for the first piece), and the entries
    /// in it.
    Piece { border: Option<String>, entries: Vec<String> },
    /// Tests, examples and the like.
    Companion(Companion),
    /// Files between two names, where nothing else tells them apart.
    Run(String, String),
}

/// A set of files that becomes a stage.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    /// The directory it belongs to.
    pub(crate) directory: &'a str,
    /// What it is made of.
    pub(crate) kind: PartKind,
    /// Its files, as places in the sorted file list.
    pub(crate) files: Vec<u32>,
    /// Shared infrastructure by its name.
    pub(crate) is_shared: bool,
}

/// Stages of the program at most; companions and the rest count, crosscut stages do not.
const MOST_STAGES: u64 = 12;
/// Fewer stages are too few for a repository of more files than [`SMALL_REPOSITORY`].
const FEWEST_STAGES: usize = 4;
const SMALL_REPOSITORY: usize = 50;
/// The share that is nearly the whole program, in per mille, and its smallest size.
const WHOLE_SHARE: u64 = 900;
const SMALLEST_WHOLE: usize = 6;
/// Companions of fewer files stay with the rest.
const SMALLEST_COMPANION: usize = 3;
/// A rest of fewer entries is not cut.
const FEWEST_ENTRIES: usize = 8;

/// When a directory is opened and a rest is cut.
#[derive(Clone, Copy)]
struct Granularity {
    /// A directory is opened above this share of the program, in per mille.
    opened_share: u64,
    /// Fewer files stay together, whatever their share.
    smallest: usize,
}

/// The usual one first; the finer ones only where it gives too few stages.
const GRANULARITIES: [Granularity; 3] = [
    Granularity { opened_share: 400, smallest: 26 },
    Granularity { opened_share: 300, smallest: 13 },
    Granularity { opened_share: 200, smallest: 6 },
];

/// A rest above these shares of the program (in per mille) is cut in two, three, four.
const REST_SHARES: [u64; 3] = [240, 360, 480];
/// Over how much of a share the count of rests rises towards the next one.
const REST_RAMP: u64 = 120;

/// Programs of at least so many files are measured by a sample.
const SAMPLED_FROM: usize = 400;
/// Of 256 files so many are in it.
const SAMPLED: u8 = 32;

/// How large a share of the program the files beside each other in a directory are, in per mille.
///
/// A part that is a third of the program grows or shrinks with every third edit, so that one whose share is just at
/// a bar would be over and under it all the time (of 200 edits of Effect's sources, 570 files, 18 moved the border
/// of a stage). A sample of an eighth of the files, chosen by their paths, changes with every eighth edit at most.
struct Shares {
    /// Of every file, whether it counts.
    counts: Vec<bool>,
    /// How many of the program's do.
    whole: u64,
}

impl Shares {
    fn new(tree: &Tree<'_>) -> Self {
        let are_all = tree.paths.len() < SAMPLED_FROM;
        let is_sampled = |path: &&str| are_all || ContentHash::of(path.as_bytes()).0[2] < SAMPLED;
        let mut shares = Self { counts: tree.paths.iter().map(is_sampled).collect(), whole: 0 };
        let companions = topmost_companions(tree);
        let outside: u64 = companions.iter().map(|(_, at)| shares.count(tree.get(*at).files.clone())).sum();
        shares.whole = (shares.count(0..tree.paths.len() as u32) - outside).max(1);
        shares
    }

    fn count(&self, files: impl IntoIterator<Item = u32>) -> u64 {
        files.into_iter().filter(|file| self.counts[*file as usize]).count() as u64
    }

    fn of<'f>(&self, files: impl IntoIterator<Item = &'f u32>) -> u64 {
        self.count(files.into_iter().copied()) * 1000 / self.whole
    }
}

/// What competes for a stage of its own.
struct Candidate<'a> {
    opened: usize,
    directory: &'a str,
    kind: PartKind,
    files: Vec<u32>,
    weight: u64,
    is_shared: bool,
}

/// An opened directory and what stays in it.
struct Opened {
    directory: DirectoryIndex,
    parent: Option<usize>,
    own: Vec<u32>,
}

/// Divides all files into the parts that become top-level stages.
pub(crate) fn top_level<'a>(tree: &Tree<'a>) -> Vec<Part<'a>> {
    let shares = Shares::new(tree);
    let mut parts = Vec::new();
    for granularity in GRANULARITIES {
        parts = divided(tree, &shares, granularity);
        let is_main = |part: &&Part<'_>| !part.is_shared && !matches!(part.kind, PartKind::Companion(_));
        if tree.paths.len() <= SMALL_REPOSITORY || parts.iter().filter(is_main).count() >= FEWEST_STAGES {
            break;
        }
    }
    parts
}

fn divided<'a>(tree: &Tree<'a>, shares: &Shares, granularity: Granularity) -> Vec<Part<'a>> {
    let mut search = Search::new(tree, shares, granularity);
    search.open_all();
    let companions = search.companion_parts();
    let threshold = search.threshold(&companions);
    let (mut parts, rests) = search.decide(threshold);
    let taken = parts.iter().filter(|part| !part.is_shared).count() + companions.len();
    let cutting = Cutting { tree, shares, smallest: granularity.smallest, bar: threshold };
    parts.extend(cutting.rest_parts(rests, (MOST_STAGES as usize).saturating_sub(taken)));
    parts.extend(companions);
    parts.retain(|part| !part.files.is_empty());
    parts
}

struct Search<'t, 'a> {
    tree: &'t Tree<'a>,
    granularity: Granularity,
    program_size: u64,
    shares: &'t Shares,
    companions: BTreeMap<Companion, Vec<u32>>,
    opened: Vec<Opened>,
    candidates: Vec<Candidate<'a>>,
}

impl<'t, 'a> Search<'t, 'a> {
    fn new(tree: &'t Tree<'a>, shares: &'t Shares, granularity: Granularity) -> Self {
        let companion_files: usize =
            topmost_companions(tree).iter().map(|(_, index)| tree.size(*index)).sum();
        Self {
            tree,
            granularity,
            program_size: (tree.paths.len() - companion_files).max(1) as u64,
            shares,
            companions: BTreeMap::new(),
            opened: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Opens the root and, below it, every directory that is large enough, outermost first.
    fn open_all(&mut self) {
        let mut pending = vec![(0, None)];
        while let Some((directory, parent)) = pending.pop() {
            let opened = self.opened.len();
            let own = self.tree.get(directory).own_files.clone();
            self.opened.push(Opened { directory, parent, own });
            self.split_flat_files(opened);
            for child in self.tree.get(directory).children.clone() {
                if let Some(companion) = Companion::of(self.tree, child) {
                    self.companions.entry(companion).or_default().extend(self.tree.get(child).files.clone());
                } else if self.is_opened(child) {
                    pending.push((child, Some(opened)));
                } else {
                    self.push_directory(opened, child);
                }
            }
        }
    }

    fn is_opened(&self, directory: DirectoryIndex) -> bool {
        let size = self.tree.size(directory);
        let weight = weighted(size, self.tree.get(directory).path);
        if !self.has_parts(directory) {
            return false;
        }
        (size >= self.granularity.smallest && weight >= self.program_size * self.granularity.opened_share)
            || (size >= SMALLEST_WHOLE && size as u64 * 1000 >= self.program_size * WHOLE_SHARE)
    }

    /// Whether opening a directory gives anything: two parts of some size, or many files.
    fn has_parts(&self, directory: DirectoryIndex) -> bool {
        let found = self.tree.get(directory);
        let floor = (self.floor() / 1000) as usize;
        let sizeable = found.children.iter().filter(|child| self.tree.size(**child) >= floor).count()
            + usize::from(found.own_files.len() >= floor);
        let holds_whole =
            found.children.iter().any(|child| self.tree.size(*child) * 10 >= found.files.len() * 9);
        sizeable >= 2 || holds_whole || self.is_flat(directory)
    }

    fn is_flat(&self, directory: DirectoryIndex) -> bool {
        let own_files = &self.tree.get(directory).own_files;
        own_files.len() >= self.granularity.smallest && self.shares.of(own_files) >= REST_SHARES[0]
    }

    fn push_directory(&mut self, opened: usize, directory: DirectoryIndex) {
        let Tree { directories, .. } = self.tree;
        let found = &directories[directory];
        self.candidates.push(Candidate {
            opened,
            directory: found.path,
            kind: PartKind::Directory,
            files: found.files.clone().collect(),
            weight: weighted(found.files.len(), found.path),
            is_shared: is_shared(found.name),
        });
    }

    /// Files directly in an opened directory compete too where there are many: those whose names
    /// start with the same word, together.
    fn split_flat_files(&mut self, opened: usize) {
        let directory = self.tree.get(self.opened[opened].directory);
        if !self.is_flat(self.opened[opened].directory) {
            return;
        }
        let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for file in &directory.own_files {
            let word = first_word(self.tree.paths[*file as usize]);
            groups.entry(word).or_default().push(*file);
        }
        for (word, files) in groups {
            let anchor = format!("{}/{word}", directory.path);
            self.candidates.push(Candidate {
                opened,
                directory: directory.path,
                weight: weighted(files.len(), &anchor),
                kind: PartKind::Words(word),
                files,
                is_shared: false,
            });
        }
        self.opened[opened].own.clear();
    }

    fn companion_parts(&mut self) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        for (companion, mut files) in std::mem::take(&mut self.companions) {
            if files.len() < SMALLEST_COMPANION {
                self.opened[0].own.append(&mut files);
                continue;
            }
            files.sort_unstable();
            parts.push(Part { directory: "", kind: PartKind::Companion(companion), files, is_shared: false });
        }
        parts
    }

    /// The weight from which a candidate becomes a stage.
    fn threshold(&self, companions: &[Part<'_>]) -> u64 {
        let counted: Vec<u64> = self.candidates.iter().filter(|c| !c.is_shared).map(|c| c.weight).collect();
        let room = MOST_STAGES - 1 - companions.len() as u64;
        threshold(&counted, self.floor(), room, |bar| self.rest_count(bar))
    }

    fn floor(&self) -> u64 {
        (self.program_size * 4).clamp(3_000, 30_000)
    }

    /// How many parts the largest rest is cut into beyond its first, so that the threshold makes room
    /// for them. A candidate near the threshold counts for the rest in part, so that this rises
    /// without a jump as well.
    fn rest_count(&self, bar: u64) -> u64 {
        let mut sizes: Vec<u64> = self.opened.iter().map(|opened| opened.own.len() as u64 * 1000).collect();
        for candidate in self.candidates.iter().filter(|candidate| candidate.weight < bar) {
            let outside = (FULL - fullness(candidate.weight, bar)) / (FULL / 1000);
            sizes[candidate.opened] += candidate.files.len() as u64 * outside;
        }
        let share = sizes.into_iter().max().unwrap_or(0) / self.program_size;
        let risen =
            share.saturating_sub(REST_SHARES[0] - REST_RAMP).min(REST_RAMP * REST_SHARES.len() as u64);
        risen * FULL / REST_RAMP
    }

    /// The candidates that become stages, and for each opened directory what is left of it.
    fn decide(self, bar: u64) -> (Vec<Part<'a>>, Vec<Rest>) {
        let mut rests: Vec<Rest> = self.opened.into_iter().map(Rest::from).collect();
        let mut parts = Vec::new();
        for candidate in self.candidates {
            if candidate.weight >= if candidate.is_shared { bar.min(5_000) } else { bar } {
                let Candidate { directory, kind, files, is_shared, .. } = candidate;
                parts.push(Part { directory, kind, files, is_shared });
            } else {
                rests[candidate.opened].small.push((entry_name(&candidate), candidate.files));
            }
        }
        (parts, rests)
    }
}

fn entry_name(candidate: &Candidate<'_>) -> String {
    match &candidate.kind {
        PartKind::Words(word) => word.clone(),
        _ => candidate.directory.rsplit('/').next().unwrap_or("").to_owned(),
    }
}

fn topmost_companions(tree: &Tree<'_>) -> Vec<(Companion, DirectoryIndex)> {
    let mut found = Vec::new();
    let mut pending = vec![0];
    while let Some(directory) = pending.pop() {
        match Companion::of(tree, directory) {
            Some(companion) => found.push((companion, directory)),
            None => pending.extend(&tree.get(directory).children),
        }
    }
    found
}

/// What is left of an opened directory: its own files and its small entries by name.
struct Rest {
    directory: DirectoryIndex,
    parent: Option<usize>,
    own: Vec<u32>,
    small: Vec<(String, Vec<u32>)>,
}

impl From<Opened> for Rest {
    fn from(opened: Opened) -> Self {
        Self { directory: opened.directory, parent: opened.parent, own: opened.own, small: Vec::new() }
    }
}

impl Rest {
    fn size(&self) -> usize {
        self.own.len() + self.small.iter().map(|(_, files)| files.len()).sum::<usize>()
    }

    fn into_files(self) -> Vec<u32> {
        let mut files = self.own;
        files.extend(self.small.into_iter().flat_map(|(_, files)| files));
        files.sort_unstable();
        files
    }
}

/// Makes parts of the rests.
struct Cutting<'t, 'a> {
    tree: &'t Tree<'a>,
    shares: &'t Shares,
    smallest: usize,
    bar: u64,
}

impl<'a> Cutting<'_, 'a> {
    /// A small rest joins the one of the opened directory around it, a small rest of the root the
    /// largest other one, a large rest is cut, as far as there is `room`.
    fn rest_parts(&self, mut rests: Vec<Rest>, room: usize) -> Vec<Part<'a>> {
        for index in (1..rests.len()).rev() {
            let path = self.tree.get(rests[index].directory).path;
            if weighted(rests[index].size(), path) < self.bar {
                let parent = rests[index].parent.expect("every opened directory but the root has one");
                let files = std::mem::take(&mut rests[index].own);
                let small = std::mem::take(&mut rests[index].small);
                rests[parent].own.extend(files);
                rests[parent].small.extend(small);
            }
        }
        join_small_root(&mut rests);
        let mut room = room.saturating_sub(rests.iter().filter(|rest| rest.size() > 0).count());
        let mut parts = Vec::new();
        for rest in rests {
            let pieces = self.cut(rest, room);
            room -= pieces.len() - 1;
            parts.extend(pieces);
        }
        parts
    }

    /// Cuts a rest that is a large share of the program into runs of entries. The cuts are nested
    /// (the second divides the first half), so that one more changes one part only.
    fn cut(&self, rest: Rest, room: usize) -> Vec<Part<'a>> {
        let directory = self.tree.get(rest.directory).path;
        let part = |kind, files| Part { directory, kind, files, is_shared: false };
        let share = self.shares.of(rest.own.iter().chain(rest.small.iter().flat_map(|(_, files)| files)));
        let cuts = REST_SHARES.iter().filter(|bar| share >= **bar).count().min(room);
        let names = entry_names(self.tree, rest.directory, &rest);
        if cuts == 0 || names.len() < FEWEST_ENTRIES || rest.size() < self.smallest {
            return vec![part(PartKind::Rest, rest.into_files())];
        }
        let borders = borders(&names, cuts);
        let mut pieces: BTreeMap<usize, (Vec<String>, Vec<u32>)> =
            BTreeMap::from([(0, (Vec::new(), rest.own))]);
        for (name, files) in rest.small {
            let piece = pieces.entry(borders.partition_point(|border| *border <= name)).or_default();
            piece.0.push(name);
            piece.1.extend(files);
        }
        let pieces = pieces.into_iter().map(|(piece, (mut entries, mut files))| {
            entries.sort_unstable();
            files.sort_unstable();
            let border = piece.checked_sub(1).map(|at| borders[at].clone());
            part(PartKind::Piece { border, entries }, files)
        });
        pieces.collect()
    }
}

fn join_small_root(rests: &mut [Rest]) {
    let [root, others @ ..] = rests else { return };
    let largest = others.iter_mut().filter(|rest| rest.size() > 0).max_by_key(|rest| rest.size());
    if let (true, Some(largest)) = (root.size() < SMALLEST_COMPANION, largest) {
        largest.own.append(&mut root.own);
        largest.small.append(&mut root.small);
    }
}

/// The names a rest can be cut at: all entries of the directory, also those with a stage of their
/// own, so that the cuts do not move when one of them crosses the threshold.
fn entry_names(tree: &Tree<'_>, directory: DirectoryIndex, rest: &Rest) -> Vec<String> {
    let mut names: Vec<String> = rest.small.iter().map(|(name, _)| name.clone()).collect();
    names.extend(tree.get(directory).children.iter().map(|child| tree.get(*child).name.to_owned()));
    names.sort_unstable();
    names.dedup();
    names
}

/// Cuts at one half, then at a quarter and three quarters. The exact place is the name with the
/// smallest hash in a window around the fraction, so that another entry seldom moves it.
fn borders(names: &[String], cuts: usize) -> Vec<String> {
    let mut borders: Vec<String> = [4, 2, 6]
        .iter()
        .take(cuts)
        .map(|eighths| {
            let middle = names.len() * eighths / 8;
            let reach = (names.len() / 16).max(1);
            let window = &names[middle - reach..=(middle + reach).min(names.len() - 1)];
            window
                .iter()
                .min_by_key(|name| naming::short_hash(name, 16))
                .expect("the window is not empty")
                .clone()
        })
        .collect();
    borders.sort_unstable();
    borders.dedup();
    borders
}

/// The first word of a file's name that tells it from its neighbours.
fn first_word(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    naming::words(stem).into_iter().find(|word| word != "test").unwrap_or_default()
}
