//! A mended skeleton as the text a person wrote, changed where it must be: comments and spelling stay.
//!
//! The text is taken apart by lines. Whatever the style, the result is read back: if it does not say what it must,
//! the canonical text takes its place.

use bindery_artifacts::read::{Located, read};
use bindery_artifacts::write::artifact_text;
use bindery_artifacts::{Skeleton, Stage, StageId};

/// The text of a skeleton after mending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MendedText {
    /// The whole file.
    pub text: String,
    /// Whether the person's own text was kept apart from what had to change.
    pub is_minimal: bool,
}

/// Makes `text`, which `located` was read from, say what `mended` says.
pub fn mend_text(text: &str, located: &Located<Skeleton>, mended: &Skeleton) -> MendedText {
    let changed = Sheet::new(text, located).and_then(|sheet| sheet.changed_to(mended));
    let says_it = |text: &String| {
        let again = read::<Skeleton>("skeleton", text);
        again.is_ok_and(|again| normal(again.value) == normal(mended.clone()))
    };
    match changed.filter(says_it) {
        Some(text) => MendedText { text, is_minimal: true },
        None => {
            let text = String::from_utf8_lossy(&artifact_text(mended)).into_owned();
            MendedText { text, is_minimal: false }
        }
    }
}

/// `children` is rebuilt when a skeleton is read, so what stands there does not count.
fn normal(mut skeleton: Skeleton) -> Skeleton {
    skeleton.rebuild_children();
    skeleton
}

/// A skeleton's text by lines.
struct Sheet<'a> {
    lines: Vec<&'a str>,
    skeleton: &'a Skeleton,
    /// The lines of each stage, from 0, in the order of the list; the end left out.
    stages: Vec<std::ops::Range<usize>>,
    /// The line of each entry of the order.
    order: Vec<usize>,
}

impl<'a> Sheet<'a> {
    /// None if the text is not laid out one entry a line.
    fn new(text: &'a str, located: &'a Located<Skeleton>) -> Option<Self> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let skeleton = &located.value;
        let line = |pointer: String| located.line(&pointer) as usize - 1;
        let starts: Vec<usize> = (0..skeleton.stages.len()).map(|at| line(format!("/stages/{at}"))).collect();
        let order: Vec<usize> =
            (0..skeleton.order.iter().flatten().count()).map(|at| line(format!("/order/{at}"))).collect();
        let is_entry =
            |line: &usize| lines.get(*line).is_some_and(|line| line.trim_start().starts_with("- "));
        let is_one_a_line =
            |starts: &[usize]| starts.iter().all(is_entry) && starts.windows(2).all(|pair| pair[0] < pair[1]);
        if !text.ends_with('\n') || starts.is_empty() || !is_one_a_line(&starts) || !is_one_a_line(&order) {
            return None;
        }
        let mut stages = Vec::new();
        for (at, start) in starts.iter().enumerate() {
            let next = starts.get(at + 1).copied().unwrap_or_else(|| end_of_list(&lines, *start));
            stages.push(*start..without_leading_comments(&lines, *start, next));
        }
        Some(Self { lines, skeleton, stages, order })
    }

    fn changed_to(&self, mended: &Skeleton) -> Option<String> {
        let mut out: Vec<String> = self.lines.iter().map(|line| (*line).to_owned()).collect();
        self.change_author(&mut out)?;
        self.change_order(mended, &mut out);
        self.change_stages(mended, &mut out);
        Some(out.concat())
    }

    fn change_author(&self, out: &mut [String]) -> Option<()> {
        let line = out.iter_mut().find(|line| line.trim_start().starts_with("draftedBy:"))?;
        let (key, rest) = line.split_once(':')?;
        let comment = rest.find(" #").map_or("\n", |at| &rest[at..]);
        *line = format!("{key}: skeleton-doctor{comment}");
        Some(())
    }

    fn change_order(&self, mended: &Skeleton, out: &mut [String]) {
        let new = mended.order.as_deref().unwrap_or_default();
        let old = self.skeleton.order.as_deref().unwrap_or_default();
        if new == old {
            return;
        }
        let (Some(first), Some(last)) = (self.order.first(), self.order.last()) else {
            // There is no order yet: it goes before the stages.
            if let Some(line) = out.iter_mut().find(|line| line.starts_with("stages:")) {
                let entries: String = new.iter().map(|id| format!("  - {id}\n")).collect();
                *line = format!("order:\n{entries}{line}");
            }
            return;
        };
        let indent = indent_of(self.lines[*first]);
        let mut region = String::new();
        for id in new {
            match old.iter().position(|other| other == id) {
                // An entry takes the comments directly above it along; the first one's belong to the list.
                Some(at) => {
                    let from = if at == 0 { *first } else { self.order[at - 1] + 1 };
                    self.lines[from..=self.order[at]].iter().for_each(|line| region.push_str(line));
                }
                None => region.push_str(&format!("{indent}- {id}\n")),
            }
        }
        out[*first..=*last].iter_mut().for_each(String::clear);
        out[*first] = region;
    }

    fn change_stages(&self, mended: &Skeleton, out: &mut [String]) {
        let is_known = |id: &StageId| self.skeleton.stages.iter().any(|stage| stage.id == *id);
        for (stage, range) in self.skeleton.stages.iter().zip(&self.stages) {
            match mended.stages.iter().find(|other| other.id == stage.id) {
                None => out[range.clone()].iter_mut().for_each(String::clear),
                Some(other) => self.change_children(stage, other, range.clone(), out),
            }
        }
        // Each new stage goes behind the known one that stands before it.
        let mut behind: Option<usize> = None;
        let indent = indent_of(self.lines[self.stages[0].start]);
        for stage in &mended.stages {
            if is_known(&stage.id) {
                behind = self.skeleton.stages.iter().position(|other| other.id == stage.id);
                continue;
            }
            let item = item(stage, indent);
            match behind {
                Some(at) => out[self.stages[at].end - 1].push_str(&item),
                None => {
                    let line = &mut out[self.stages[0].start];
                    // Several of them keep their order: each is put before the first known one, behind the last.
                    let place = line.len() - self.lines[self.stages[0].start].len().min(line.len());
                    line.insert_str(place, &item);
                }
            }
        }
    }

    /// Takes stages that are gone out of a written list of parts, and adds new ones.
    fn change_children(&self, old: &Stage, new: &Stage, range: std::ops::Range<usize>, out: &mut [String]) {
        let is_old = |id: &StageId| self.skeleton.stages.iter().any(|stage| stage.id == *id);
        let mut children: Vec<&StageId> =
            old.children.iter().filter(|id| !is_old(id) || new.children.contains(id)).collect();
        children.extend(new.children.iter().filter(|id| !is_old(id)));
        if children.iter().copied().eq(old.children.iter()) {
            return;
        }
        let Some(at) = range.clone().find(|at| self.lines[*at].trim_start().starts_with("children:")) else {
            return;
        };
        let is_entry = |line: &&&str| line.trim_start().starts_with("- ");
        let entries = self.lines[at + 1..range.end].iter().take_while(is_entry).count();
        let indent = indent_of(self.lines[at]);
        let listed: Vec<&str> = children.iter().map(|id| id.as_str()).collect();
        out[at + 1..=at + entries].iter_mut().for_each(String::clear);
        out[at] = match entries {
            0 => format!("{indent}children: [{}]\n", listed.join(", ")),
            _ if listed.is_empty() => format!("{indent}children: []\n"),
            _ => {
                let inner = indent_of(self.lines[at + 1]);
                let entries: String = listed.iter().map(|id| format!("{inner}- {id}\n")).collect();
                format!("{indent}children:\n{entries}")
            }
        };
    }
}

/// A stage as canonical text writes it, with the list's own indent.
fn item(stage: &Stage, indent: &str) -> String {
    let skeleton = Skeleton {
        metadata: bindery_artifacts::SkeletonMetadata {
            version: bindery_artifacts::Version,
            archetype: String::new(),
            drafted_by: bindery_artifacts::DraftedBy::SkeletonDoctor,
        },
        order: None,
        stages: vec![stage.clone()],
    };
    let text = String::from_utf8_lossy(&artifact_text(&skeleton)).into_owned();
    let lines = text.lines().skip_while(|line| *line != "stages:").skip(1);
    lines.map(|line| format!("{indent}{}\n", line.strip_prefix("  ").unwrap_or(line))).collect()
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The line behind a list of stages whose last entry begins at `start`: that of the next key of the file.
fn end_of_list(lines: &[&str], start: usize) -> usize {
    let is_key = |line: &&str| !line.starts_with([' ', '\t', '#', '-', '\n', '\r']);
    lines[start + 1..].iter().position(is_key).map_or(lines.len(), |at| start + 1 + at)
}

/// The end of an entry: comments and blank lines before the next one belong to that.
fn without_leading_comments(lines: &[&str], start: usize, next: usize) -> usize {
    let is_apart = |line: &&&str| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#')
    };
    next - lines[start + 1..next].iter().rev().take_while(is_apart).count()
}
