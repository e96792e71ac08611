//! Ids, titles and descriptions of drafted stages.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::StageId;

use super::DirectoryTitle;
use super::partition::{Part, PartKind};
use super::substages::Divided;
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
    pub(crate) is_crosscut: &'l [bool],
    /// The handbook's name.
    pub(crate) name: &'l str,
    pub(crate) directory_titles: &'l [DirectoryTitle],
}

impl Labels<'_, '_> {
    /// The labels, parallel to the stages.
    pub(crate) fn all(&self) -> Vec<Label> {
        let ids = self.ids();
        let titles = self.titles();
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

    fn titles(&self) -> Vec<String> {
        let plain: Vec<String> = (0..self.stages.len()).map(|index| self.plain_title(index)).collect();
        let mut uses: BTreeMap<(bool, &str), usize> = BTreeMap::new();
        for (title, stage) in plain.iter().zip(self.stages) {
            // A substage must not share a title with any stage, a stage only not with other stages.
            *uses.entry((true, title)).or_default() += 1;
            *uses.entry((false, title)).or_default() += usize::from(stage.parent.is_none());
        }
        let mut titles: Vec<String> = Vec::with_capacity(plain.len());
        for (index, stage) in self.stages.iter().enumerate() {
            let title = &plain[index];
            let is_ambiguous = uses[&(stage.parent.is_some(), title.as_str())] > 1;
            let needs_context = is_ambiguous || !matches!(stage.part.kind, PartKind::Directory);
            titles.push(match stage.parent {
                Some(parent) if needs_context => format!("{}: {}", titles[parent], lower_first(title)),
                None if is_ambiguous && is_in_directory(&stage.part) => {
                    format!("{title} ({})", stage.part.directory)
                }
                _ => title.clone(),
            });
        }
        self.with_places_where_equal(titles)
    }

    fn with_places_where_equal(&self, mut titles: Vec<String>) -> Vec<String> {
        let mut seen = BTreeSet::new();
        for (title, stage) in titles.iter_mut().zip(self.stages) {
            if seen.contains(title) && is_in_directory(&stage.part) {
                *title = format!("{title} ({})", stage.part.directory);
            }
            seen.insert(title.clone());
        }
        titles
    }

    fn plain_title(&self, index: usize) -> String {
        let part = &self.stages[index].part;
        match &part.kind {
            PartKind::Companion(companion) => companion.title().to_owned(),
            PartKind::Directory | PartKind::Rest => self.directory_title(part),
            PartKind::Words(word) => naming::title(word),
            PartKind::Run(first, last) => span_title(first, last),
            PartKind::Piece { entries, .. } => self.entries_title(part, entries),
        }
    }

    /// The README heading of the directory, else its name; of a directory whose name only says where
    /// code lies, the name of the one around it, at last the name of the whole.
    fn directory_title(&self, part: &Part<'_>) -> String {
        if let Some(heading) = self.heading(part.directory) {
            return heading.to_owned();
        }
        let mut segments = part.directory.rsplit('/').filter(|segment| !segment.is_empty());
        match segments.find(|segment| !naming::is_layout_name(segment)) {
            Some(name) if naming::phrase(name) == naming::phrase(self.name) => core_title(name),
            Some(name) => naming::title(name),
            None => core_title(self.name),
        }
    }

    fn heading(&self, directory: &str) -> Option<&str> {
        let at =
            self.directory_titles.binary_search_by(|title| title.directory.as_str().cmp(directory)).ok()?;
        let heading = self.directory_titles[at].title.as_str();
        (!directory.is_empty() && !heading.is_empty() && heading.chars().count() <= LONGEST_HEADING)
            .then_some(heading)
    }

    /// The entries of a piece: all of up to three, else first and last.
    fn entries_title(&self, part: &Part<'_>, entries: &[String]) -> String {
        match entries {
            [] => self.directory_title(part),
            [first, .., last] if entries.len() > 3 => self.within_directory(part, span_title(first, last)),
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
            Some(_) => format!("{}: {}", self.directory_title(part), lower_first(&title)),
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

fn is_in_directory(part: &Part<'_>) -> bool {
    !part.directory.is_empty()
}

fn core_title(name: &str) -> String {
    if name.is_empty() { "Core".to_owned() } else { format!("{} core", naming::capitalized(name)) }
}

fn span_title(first: &str, last: &str) -> String {
    let (first, last) = (stem(first), stem(last));
    match first == last {
        true => naming::title(first),
        false => format!("{} to {}", naming::title(first), naming::phrase(last)),
    }
}

fn lower_first(title: &str) -> String {
    let second_is_upper = title.chars().nth(1).is_some_and(char::is_uppercase);
    let mut chars = title.chars();
    match chars.next() {
        Some(first) if !second_is_upper => first.to_lowercase().chain(chars).collect(),
        _ => title.to_owned(),
    }
}

fn stem(entry: &str) -> &str {
    entry.rsplit_once('.').map_or(entry, |(stem, _)| if stem.is_empty() { entry } else { stem })
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
