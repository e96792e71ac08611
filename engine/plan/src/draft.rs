//! The skeleton of a plan: what is there today, ready to be changed.

use std::fmt::Write as _;

use bindery_artifacts::PlanDeclarations;
use bindery_artifacts::write::artifact_text;

/// What a plan is to be made for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    /// What was asked for, as it was asked for.
    pub wanted: Vec<String>,
    /// The functions and types concerned, with their callers.
    pub targets: Vec<Target>,
    /// The passages of the files, each one edit.
    pub passages: Vec<Passage>,
    /// What the edits will do to the symbols.
    pub declarations: PlanDeclarations,
}

/// A symbol that is to change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// Its id.
    pub id: String,
    /// Its file and line.
    pub place: String,
    /// Its declaration.
    pub signature: String,
    /// The calls that lead to it: id of the caller, file and line, sorted.
    pub callers: Vec<(String, String)>,
}

/// A passage of a file that occurs only once in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passage {
    /// The file.
    pub file: String,
    /// What it holds, for people: `Engine.spin (~5)`.
    pub place: String,
    /// Its text, whole lines.
    pub text: String,
}

impl Draft {
    /// The plan as Markdown. Every edit changes nothing yet, and a check of it is clean.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        let wanted: Vec<String> = self.wanted.iter().map(|wanted| code(wanted)).collect();
        let _ = writeln!(out, "Change {}: say here what is to change, and why.\n", wanted.join(", "));
        out.push_str("## Affected\n\n");
        for target in &self.targets {
            let _ = writeln!(
                out,
                "- {} at {}: {}",
                code(&target.id),
                code(&target.place),
                code(&target.signature)
            );
            for (caller, place) in &target.callers {
                let _ = writeln!(out, "  - called by {} at {}", code(caller), code(place));
            }
            if target.callers.is_empty() {
                out.push_str("  - no call to it was found\n");
            }
        }
        for (passage, number) in self.passages.iter().zip(1u32..) {
            let fence = fence(&passage.text);
            let text = ended(&passage.text);
            let _ = write!(
                out,
                "\n### EDIT {number}\n\n- file: {}\n- where: {}\n\n{fence}old\n{text}{fence}\n\n{fence}new\n{text}{fence}\n",
                code(&passage.file),
                code(&passage.place),
            );
        }
        let declarations = String::from_utf8_lossy(&artifact_text(&self.declarations)).into_owned();
        let _ = write!(out, "\n```json\n{}```\n", ended(&declarations));
        out
    }
}

fn ended(text: &str) -> String {
    match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    }
}

/// A fence longer than every run of backticks in `text`, three at least.
pub fn fence(text: &str) -> String {
    "`".repeat(longest_run(text).max(2) + 1)
}

/// Text on one line as a code span, whatever backticks it has. An unprintable path cannot be written so, and
/// is not either: line ends become spaces.
fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let marks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{marks}{pad}{text}{pad}{marks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
