//! What must hold of a handbook or a SKILL package, whoever wrote or edited it.
//!
//! Rules look at the files alone, and with a source tree at hashes and source links. Each finding has the
//! id of its rule, and names a file and, where there is one, a line.
//!
//! Of scripts nothing is read but the search's data: an HTML page's policy lets them ask nobody, and must be there.

pub(crate) mod html;
mod links;
mod manifest;
mod markdown;
mod package;
mod page;
mod policy;
mod rule;
mod search;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

#[cfg(test)]
pub(crate) use links::scheme;
pub use rule::{Finding, Rule};

use crate::agent;

/// The files to check, by path below their directory.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What a directory of files is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Has a `SKILL.md`.
    Package,
    /// Has the first page of one of a handbook's forms.
    Handbook,
}

/// The first page of each form.
const FIRST_PAGES: [&str; 4] = ["overview.md", "html/index.html", "handbook.html", "agent/index.md"];

impl Subject {
    /// What these files are; none if neither.
    pub fn of(files: &Files) -> Option<Self> {
        match (files.contains_key("SKILL.md"), files) {
            (true, _) => Some(Subject::Package),
            (false, files) if FIRST_PAGES.iter().any(|page| files.contains_key(*page)) => {
                Some(Subject::Handbook)
            }
            _ => None,
        }
    }
}

/// The source tree the files speak of.
pub struct Source<'a> {
    /// The SHA-256 of a file of it in hexadecimal digits; none if it cannot be read.
    pub sha256: &'a dyn Fn(&str) -> Option<String>,
    /// Whether a path, relative to the checked directory and leading out of it, is a file.
    pub has: &'a dyn Fn(&[u8]) -> bool,
}

/// Checks everything. Findings are sorted by file, line and rule.
pub fn validate(subject: Subject, files: &Files, source: Option<&Source<'_>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let texts = texts(files, &mut findings);
    links::check(&texts, files, source, &mut findings);
    match subject {
        Subject::Package => package::check(&texts, files, source, &mut findings),
        Subject::Handbook => manifest::check(&texts, files, &mut findings),
    }
    let agent = if subject == Subject::Package { "references/agent/" } else { "agent/" };
    tables::check(&texts, agent, &mut findings);
    manifest::check_stamp(&texts, files, subject, &mut findings);
    findings.sort();
    findings.dedup();
    findings
}

/// The files as text; what is none, or hides characters, is a finding.
fn texts<'f>(files: &'f Files, findings: &mut Vec<Finding>) -> BTreeMap<&'f str, &'f str> {
    let mut texts = BTreeMap::new();
    for (path, bytes) in files {
        let Ok(text) = std::str::from_utf8(bytes) else {
            findings.push(Finding::new(Rule::Encoding, path, None, "is not UTF-8 text"));
            continue;
        };
        for (at, line) in text.split('\n').enumerate() {
            let hidden = line.chars().find(|c| bindery_artifacts::escape::is_hidden(*c) && *c != '\t');
            // The variation selector in our own headings asks for the coloured picture.
            if let Some(hidden) = hidden.filter(|c| *c != '\u{fe0f}' || !line.contains("🗺\u{fe0f}")) {
                let message = format!("has the invisible character U+{:04X}", u32::from(hidden));
                findings.push(Finding::new(Rule::HiddenCharacters, path, Some(at as u32 + 1), message));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            findings.push(Finding::new(Rule::Encoding, path, None, "does not end with a line feed"));
        }
        texts.insert(path.as_str(), text);
    }
    texts
}

/// The texts of one run.
type Texts<'t> = BTreeMap<&'t str, &'t str>;

/// The line a byte offset lies on, from 1.
fn line_at(text: &str, offset: usize) -> u32 {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() as u32 + 1
}

/// The names of the tables of an agent index, in its directory.
const AGENT_FILES: [(&str, &str); 3] = [
    ("symbols.tsv", agent::SYMBOLS_HEAD),
    ("files.tsv", agent::FILES_HEAD),
    ("calls.tsv", agent::CALLS_HEAD),
];
