//! The extractive narrator: what a stage and the whole system are, in sentences from the source.

use bindery_artifacts::wording::counted;
use std::collections::BTreeMap;

use bindery_artifacts::{Narration, ProseLanguage, Skeleton, StageId, Version};

use crate::{FileSketch, naming};

/// What the narrator is shown of a stage.
#[derive(Clone, Debug)]
pub struct StageStory<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its own files.
    pub files: &'a [&'a FileSketch],
    /// How many files it has with all its parts.
    pub all_files: usize,
    /// The titles of its parts.
    pub parts: &'a [&'a str],
    /// The titles of sibling stages it uses, those it uses most first.
    pub uses: &'a [&'a str],
    /// The titles of sibling stages that use it, those that use it most first.
    pub used_by: &'a [&'a str],
}

/// How many names a sentence lists.
const NAMES_IN_SENTENCE: usize = 5;

/// Tells what a stage is: what its leading file says of itself, what it holds, how it stands to others.
pub fn stage_summary(story: &StageStory<'_>) -> String {
    let mut sentences: Vec<String> = Vec::new();
    match leading_purpose(story.files) {
        Some(purpose) => sentences.push(purpose.to_owned()),
        None if story.files.is_empty() => {}
        None => sentences.push(crate::NO_DESCRIPTION.to_owned()),
    }
    sentences.push(holdings(story));
    let entries: Vec<String> =
        story.files.iter().filter(|s| s.is_program_entry()).map(|s| s.path.to_string()).collect();
    if !entries.is_empty() {
        sentences.push(format!("The program starts in {}.", listed(&entries)));
    }
    let titles =
        |titles: &[&str]| listed(&titles.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>());
    if !story.parts.is_empty() {
        sentences.push(format!("Its parts are {}.", titles(story.parts)));
    }
    if !story.uses.is_empty() {
        sentences.push(format!("It uses {}.", titles(story.uses)));
    }
    if !story.used_by.is_empty() {
        sentences.push(format!("It is used by {}.", titles(story.used_by)));
    }
    sentences.join(" ")
}

/// What the file that speaks for the stage says: the one closest to the root whose name speaks for
/// its directory, else the entry point, else the only file.
fn leading_purpose<'a>(files: &[&'a FileSketch]) -> Option<&'a str> {
    const LEADING_NAMES: &[&str] = &["__init__", "index", "lib", "main", "mod"];
    let stem = |sketch: &FileSketch| sketch.path.file_name().split('.').next().unwrap_or("").to_owned();
    let depth = |sketch: &FileSketch| sketch.path.as_str().matches('/').count();
    let leading = files.iter().filter(|sketch| LEADING_NAMES.contains(&stem(sketch).as_str()));
    let closest =
        leading.filter(|sketch| sketch.purpose.is_some()).min_by_key(|sketch| (depth(sketch), &sketch.path));
    let entry = || files.iter().find(|sketch| sketch.is_program_entry() && sketch.purpose.is_some());
    let only = || if let [only] = files { Some(only) } else { None };
    closest.or_else(entry).or_else(only)?.purpose.as_deref()
}

fn holdings(story: &StageStory<'_>) -> String {
    let functions: usize = story.files.iter().map(|sketch| sketch.function_count as usize).sum();
    let types: usize = story.files.iter().map(|sketch| sketch.type_count as usize).sum();
    let all = counted(story.all_files as u64, "file");
    if story.files.is_empty() {
        return format!("It holds {all}, all in its parts.");
    }
    let own = format!("{} and {}", counted(types as u64, "type"), counted(functions as u64, "function"));
    match story.all_files == story.files.len() {
        true => format!("It holds {all} with {own}."),
        false => format!("It holds {all}; the {} on this page have {own}.", story.files.len()),
    }
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMES_IN_SENTENCE);
    let mut shown: Vec<String> = names.iter().take(NAMES_IN_SENTENCE).cloned().collect();
    shown.extend((more > 0).then(|| format!("{more} more")));
    naming::enumeration(&shown)
}

/// Tells what the whole is. `readme` is the first paragraph of the root's README.
pub fn system_overview(
    name: &str,
    readme: Option<&str>,
    skeleton: &Skeleton,
    sketches: &[FileSketch],
) -> String {
    let mut sentences: Vec<String> = Vec::new();
    sentences.extend(readme.map(crate::prose::plain_text).filter(|text| !text.is_empty()));
    let archetype = &skeleton.metadata.archetype;
    let is_a = if archetype.is_empty() { "a repository".to_owned() } else { with_article(archetype) };
    sentences.push(format!("{name} is {is_a} of {}.", counted(sketches.len() as u64, "analysed file")));
    let mut entries: Vec<String> = sketches
        .iter()
        .filter(|sketch| sketch.is_program_entry())
        .map(|sketch| sketch.path.to_string())
        .collect();
    entries.sort_unstable();
    if !entries.is_empty() {
        sentences.push(format!("Its programs start in {}.", listed(&entries)));
    }
    let top = |crosscut: bool| -> Vec<String> {
        let stages =
            skeleton.stages.iter().filter(|stage| stage.parent.is_none() && stage.crosscut == crosscut);
        stages.map(|stage| stage.title.clone()).collect()
    };
    if !top(false).is_empty() {
        sentences.push(format!("In reading order its parts are {}.", naming::enumeration(&top(false))));
    }
    if !top(true).is_empty() {
        sentences.push(format!("Serving them all: {}.", naming::enumeration(&top(true))));
    }
    sentences.join(" ")
}

fn with_article(noun: &str) -> String {
    let starts_with_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O']);
    format!("{} {noun}", if starts_with_vowel { "an" } else { "a" })
}

/// The artifact `narration.json`.
pub fn narration_artifact(system_overview: String, stage_summaries: BTreeMap<StageId, String>) -> Narration {
    Narration { version: Version, lang: ProseLanguage::En, system_overview, stage_summaries }
}
