//! `bindery validate`: whether a handbook or a SKILL package is sound.

use std::path::PathBuf;

use bindery_engine::{Finding, ValidateOutcome, counted, validate_directory};
use clap::Args;
use serde::Serialize;

use crate::arguments::Global;
use crate::console::{Console, Format, field};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery validate docs/handbook
  bindery validate .bindery/skill --source .
  bindery validate docs/handbook --format sarif > findings.sarif";

/// Check a handbook or a SKILL package on its own: links, anchors, hashes, tables, what a package must say.
///
/// Prints one line for each finding: file, line, rule, message. Exit code 3 if there is one.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Validate {
    /// The directory of the handbook or package [default: `.bindery/handbook`].
    #[arg(value_name = "DIR", default_value = ".bindery/handbook", hide_default_value = true)]
    directory: PathBuf,
    /// The repository it was made from: its files must be there, with the hashes the package has of them.
    #[arg(long, value_name = "ROOT")]
    source: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    directory: &'a str,
    is_package: bool,
    files: u64,
    findings: &'a [Finding],
}

impl Validate {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let outcome = validate_directory(&self.directory, self.source.as_deref())?;
        let ValidateOutcome { directory, is_package, files, findings } = &outcome;
        match global.format {
            Format::Sarif => console.print(&outcome.sarif())?,
            Format::Text | Format::Json => {
                let body = Body { directory, is_package: *is_package, files: *files, findings };
                console.report("validate", &body, || text(&outcome, console.is_quiet()))?;
            }
        }
        Ok(if findings.is_empty() { Ending::Done } else { Ending::Findings })
    }
}

fn text(outcome: &ValidateOutcome, is_quiet: bool) -> String {
    let mut text = String::new();
    for finding in &outcome.findings {
        let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
        let (file, rule) = (field(&finding.file), finding.rule.id());
        text.push_str(&format!("{file}{line}: {rule}: {}\n", field(&finding.message)));
    }
    if outcome.findings.is_empty() && !is_quiet {
        let what = if outcome.is_package { "package" } else { "handbook" };
        text.push_str(&format!("{} of the {what} checked, nothing found\n", counted(outcome.files, "file")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindery_engine::Rule;

    #[test]
    fn a_finding_is_a_line_with_its_place_and_rule() {
        let finding = |line| Finding {
            file: "a.md".to_owned(),
            line,
            rule: Rule::LinkTarget,
            message: "the link `b` leads\u{1b} nowhere".to_owned(),
        };
        let mut outcome = ValidateOutcome {
            directory: "docs".to_owned(),
            is_package: false,
            files: 2,
            findings: vec![finding(Some(3)), finding(None)],
        };
        let expected = "a.md:3: link-target: the link `b` leads\\u{1b} nowhere\n\
                        a.md: link-target: the link `b` leads\\u{1b} nowhere\n";
        assert_eq!(text(&outcome, false), expected);
        outcome.findings.clear();
        assert_eq!(text(&outcome, false), "2 files of the handbook checked, nothing found\n");
        assert_eq!(text(&outcome, true), "");
    }
}
