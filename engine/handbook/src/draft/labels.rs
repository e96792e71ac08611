//! Ids, titles and descriptions of drafted stages.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::StageId;

use super::DirectoryTitle;
use super::partition::{Part, PartKind};
use super::substages::Divided;
use super::terms::{self, stem};
use crate::naming;

/// The names of one stage.
pub(crate) struct Label {
    pub(crate) id: StageId,
    pub(crate) title: String,
    pub(crate) description: String,
}

/// Longer README headings are sentences, not titles.
const LONGEST_HEADING: usize = 40;

/// Names all stages; `stages` has parents before children.
pub(crate) struct Labels<'l, 'a> {
    pub(crate) stages: &'l [Divided<'a>],
    /// The paths of all files, sorted.
    pub(crate) paths: &'l [&'a str],
    pub(crate) is_crosscut: &'l [bool],
    /// The handbook's name.
    pub(crate) name: &'l str,
    pub(crate) directory_titles: &'l [DirectoryTitle],
}

impl Labels<'_, '_> {
    /// The labels, parallel to the stages.
    pub(crate) fn all(&self) -> Vec<Label> {
        let ids = self.ids();
        let titles = self.titles(&ids);
        let label = |(index, (id, title)): (usize, (StageId, String))| {
            let description = self.description(&self.stages[index].part);
            Label { id, title, description }
        };
        ids.into_iter().zip(titles).enumerate().map(label).collect()
    }

    fn ids(&self) -> Vec<StageId> {
        let mut spelled: Vec<String> = Vec::with_capacity(self.stages.len());
        let mut taken = BTreeSet::new();
        for (index, stage) in self.stages.iter().enumerate() {
            let above = stage.parent.map(|parent| (spelled[parent].as_str(), &self.stages[parent].part));
            let mut id = plain_id(&stage.part, above);
            if self.is_crosscut[index] {
                id.insert_str(0, "crosscut-");
            }
            if taken.contains(&id) {
                let anchor =
                    format!("{}\0{:?}\0{}", stage.part.directory, stage.part.kind, above.map_or("", |a| a.0));
                id = format!("{id}-{}", naming::short_hash(&anchor, 8));
            }
            taken.insert(id.clone());
            spelled.push(id);
        }
        let checked = |id| {
            StageId::new(id).expect("slugs have only letters, digits, `-` and `_`, a letter or digit first")
        };
        spelled.into_iter().map(checked).collect()
    }

    /// No two are equal, however they are capitalized: of top-level stages the one that best deserves the title
    /// keeps it; a substage that shares its title is called after as many of the stages around it as tell it apart.
    fn titles(&self, ids: &[StageId]) -> Vec<String> {
        let mut plain: Vec<String> = (0..self.stages.len()).map(|index| self.plain_title(index)).collect();
        let top: Vec<usize> = (0..plain.len()).filter(|index| self.stages[*index].parent.is_none()).collect();
        self.tell_apart(&mut plain, &top, ids);
        let mut around = vec![0; plain.len()];
        let all: Vec<usize> = (0..plain.len()).collect();
        let mut titles = loop {
            let titles = self.with_context(&plain, &around);
            let mut is_settled = true;
            for index in groups_of_equal(&titles, &all).into_iter().flatten() {
                if self.is_directory(index) && self.ancestors(index).count() > around[index] {
                    around[index] += 1;
                    is_settled = false;
                }
            }
            if is_settled {
                break titles;
            }
        };
        self.tell_apart(&mut titles, &all, ids);
        titles
    }

    /// The titles with those of `around` so many stages in front. What is no directory of its own says little
    /// without its stage.
    fn with_context(&self, plain: &[String], around: &[usize]) -> Vec<String> {
        let mut titles: Vec<String> = Vec::with_capacity(plain.len());
        for (index, stage) in self.stages.iter().enumerate() {
            let title = match stage.parent {
                Some(parent) if !self.is_directory(index) => {
                    format!("{}: {}", titles[parent], lower_first(&plain[index]))
                }
                _ => {
                    let context = self.ancestors(index).take(around[index]);
                    let spelled =
                        |inner: String, outer: usize| format!("{}: {}", plain[outer], lower_first(&inner));
                    context.fold(plain[index].clone(), spelled)
                }
            };
            titles.push(title);
        }
        titles
    }

    /// The stages around a stage, the nearest first.
    fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.stages[index].parent, |parent| self.stages[*parent].parent)
    }

    fn is_directory(&self, index: usize) -> bool {
        matches!(self.stages[index].part.kind, PartKind::Directory)
    }

    /// Gives other titles to those `among` all that are equal: the first of them keeps its title, stages before
    /// substages, those with a heading of their own before others, large before small. The others are called after
    /// what lies around them, else after their largest entries, else after their directory, else after their id.
    fn tell_apart(&self, titles: &mut [String], among: &[usize], ids: &[StageId]) {
        let equal = groups_of_equal(titles, among);
        if equal.is_empty() {
            return;
        }
        let mut taken: BTreeSet<String> = titles.iter().map(|title| title.to_lowercase()).collect();
        let files = self.files_below();
        for mut group in equal {
            group.sort_by_key(|index| {
                let stage = &self.stages[*index];
                let has_heading = self.heading(stage.part.directory).is_some();
                (stage.parent.is_some(), !has_heading, std::cmp::Reverse(files[*index].len()), *index)
            });
            for index in group.into_iter().skip(1) {
                let part = &self.stages[index].part;
                let entries = terms::entries(self.paths, part.directory, &files[index]);
                let title = &titles[index];
                let by_around = self.around(part).map(|around| format!("{around}: {}", lower_first(title)));
                let by_entries = self.within_directory(part, terms::largest_title(&entries));
                let directory = if part.directory.is_empty() { "root" } else { part.directory };
                let by_place = [directory, ids[index].as_str()].map(|place| format!("{title} ({place})"));
                let is_free = |title: &String| !taken.contains(&title.to_lowercase());
                if let Some(free) = by_around.into_iter().chain([by_entries]).chain(by_place).find(is_free) {
                    taken.insert(free.to_lowercase());
                    titles[index] = free;
                }
            }
        }
    }

    /// The title of the nearest directory around a stage's own that is called otherwise than for where code lies.
    fn around(&self, part: &Part<'_>) -> Option<String> {
        let (around, _) = part.directory.rsplit_once('/')?;
        self.has_telling_name(around).then(|| self.directory_title(around))
    }

    /// All files of each stage, those of its substages included, sorted.
    fn files_below(&self) -> Vec<Vec<u32>> {
        let mut files: Vec<Vec<u32>> = self.stages.iter().map(|stage| stage.part.files.clone()).collect();
        for index in (0..files.len()).rev() {
            files[index].sort_unstable();
            if let Some(parent) = self.stages[index].parent {
                let below = files[index].clone();
                files[parent].extend(below);
            }
        }
        files
    }

    fn plain_title(&self, index: usize) -> String {
        let part = &self.stages[index].part;
        match &part.kind {
            PartKind::Companion(companion) => companion.title().to_owned(),
            PartKind::Directory if self.stages[index].parent.is_some() => self.inner_directory_title(part),
            PartKind::Rest if self.has_core() && !self.has_telling_name(part.directory) => {
                let entries = terms::entries(self.paths, part.directory, &part.files);
                if entries.is_empty() { self.core_title(self.name) } else { terms::largest_title(&entries) }
            }
            PartKind::Directory | PartKind::Rest => self.directory_title(part.directory),
            PartKind::Words(word) => naming::title(word),
            PartKind::Run(..) => terms::run_title(&terms::entries(self.paths, part.directory, &part.files)),
            PartKind::Piece { entries, .. } => self.entries_title(part, entries),
        }
    }

    /// Inside a stage a directory whose name only says where code lies is told apart from the one around it,
    /// whose name it would have.
    fn inner_directory_title(&self, part: &Part<'_>) -> String {
        let (around, name) = part.directory.rsplit_once('/').unwrap_or(("", part.directory));
        if !naming::is_layout_name(name) || self.heading(part.directory).is_some() {
            return self.directory_title(part.directory);
        }
        let kind = if name == "src" { "sources" } else { name };
        format!("{} {kind}", self.directory_title(around))
    }

    /// The README heading of the directory, else its name; of a directory whose name only says where
    /// code lies, the name of the one around it, at last the name of the whole.
    fn directory_title(&self, directory: &str) -> String {
        if let Some(heading) = self.heading(directory) {
            return heading.to_owned();
        }
        let mut segments = directory.rsplit('/').filter(|segment| !segment.is_empty());
        match segments.find(|segment| !naming::is_layout_name(segment)) {
            Some(name) if naming::phrase(name) == naming::phrase(self.name) => self.core_title(name),
            Some(name) => naming::title(name),
            None => self.core_title(self.name),
        }
    }

    /// What is called after the whole is its core, unless another stage has that name.
    fn core_title(&self, name: &str) -> String {
        match name {
            "" => "Core".to_owned(),
            _ if self.has_core() => naming::capitalized(name),
            _ => format!("{} core", naming::capitalized(name)),
        }
    }

    /// Whether a stage of the top level is a directory called `core`.
    fn has_core(&self) -> bool {
        self.stages.iter().any(|stage| {
            let is_directory = matches!(stage.part.kind, PartKind::Directory);
            is_directory && stage.parent.is_none() && stage.part.directory.rsplit('/').next() == Some("core")
        })
    }

    /// Whether a directory or one around it is called otherwise than for where code lies.
    fn has_telling_name(&self, directory: &str) -> bool {
        let mut segments = directory.split('/').filter(|segment| !segment.is_empty());
        self.heading(directory).is_some() || segments.any(|segment| !naming::is_layout_name(segment))
    }

    fn heading(&self, directory: &str) -> Option<&str> {
        let at =
            self.directory_titles.binary_search_by(|title| title.directory.as_str().cmp(directory)).ok()?;
        let heading = self.directory_titles[at].title.as_str();
        (!directory.is_empty() && !heading.is_empty() && heading.chars().count() <= LONGEST_HEADING)
            .then_some(heading)
    }

    /// The entries of a piece: all of up to three, else what stands out among them.
    fn entries_title(&self, part: &Part<'_>, entries: &[String]) -> String {
        match entries {
            [] => self.directory_title(part.directory),
            many if many.len() > 3 => {
                let mut counted = terms::entries(self.paths, part.directory, &part.files);
                if counted.is_empty() {
                    // All its files went to its own parts.
                    counted = many.iter().map(|entry| (entry.as_str(), 1)).collect();
                }
                self.within_directory(part, terms::run_title(&counted))
            }
            few => {
                let phrases: Vec<String> = few.iter().map(|entry| naming::phrase(stem(entry))).collect();
                self.within_directory(part, naming::capitalized(&naming::enumeration(&phrases)))
            }
        }
    }

    /// Puts the directory's title in front, where the directory has a telling name.
    fn within_directory(&self, part: &Part<'_>, title: String) -> String {
        match part.directory.rsplit('/').next() {
            Some("") | None => title,
            Some(name) if naming::is_layout_name(name) => title,
            Some(_) => format!("{}: {}", self.directory_title(part.directory), lower_first(&title)),
        }
    }

    fn description(&self, part: &Part<'_>) -> String {
        let place = if part.directory.is_empty() { "the root" } else { part.directory };
        match &part.kind {
            PartKind::Directory => format!("Everything below {place}."),
            PartKind::Rest | PartKind::Piece { .. } => {
                format!("What lies in {place} apart from the other stages.")
            }
            PartKind::Words(word) => format!("The entries of {place} whose names start with \"{word}\"."),
            PartKind::Run(first, last) => format!("The entries of {place} from {first} to {last}."),
            PartKind::Companion(companion) => match companion {
                super::area::Companion::Tests => {
                    "Tests that stand apart from the code they exercise.".to_owned()
                }
                other => format!("{} of the repository.", other.title()),
            },
        }
    }
}

/// The places `among` all of the titles that occur more than once, however they are capitalized.
fn groups_of_equal(titles: &[String], among: &[usize]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for index in among {
        places.entry(titles[*index].to_lowercase()).or_default().push(*index);
    }
    places.into_values().filter(|equal| equal.len() > 1).collect()
}

fn lower_first(title: &str) -> String {
    let first_word = title.split(' ').next().unwrap_or_default();
    let is_name = first_word.chars().skip(1).any(char::is_uppercase);
    let mut chars = title.chars();
    match chars.next() {
        Some(first) if !is_name => first.to_lowercase().chain(chars).collect(),
        _ => title.to_owned(),
    }
}

/// The id from what the stage is anchored to, before it is made unique.
fn plain_id(part: &Part<'_>, above: Option<(&str, &Part<'_>)>) -> String {
    let directory =
        || if part.directory.is_empty() { "root".to_owned() } else { naming::slug(part.directory) };
    let owner = match above {
        Some((id, parent)) if parent.directory == part.directory => id.to_owned(),
        _ => directory(),
    };
    let joined = |tail: &str| naming::slug(&format!("{owner}-{tail}"));
    match &part.kind {
        PartKind::Companion(companion) => companion.id().to_owned(),
        PartKind::Directory | PartKind::Rest | PartKind::Piece { border: None, .. } => directory(),
        PartKind::Words(word) => joined(word),
        PartKind::Piece { border: Some(border), .. } => joined(&format!("from-{border}")),
        PartKind::Run(first, last) if first == last => joined(stem(first)),
        PartKind::Run(first, last) => joined(&format!("{}-to-{}", stem(first), stem(last))),
    }
}
