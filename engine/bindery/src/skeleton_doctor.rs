//! `skeleton doctor`: a committed skeleton held against today's facts, and mended.

use bindery_artifacts::read::Located;
use bindery_artifacts::{DraftedBy, Skeleton};
use bindery_handbook::{Ailment, Diagnosis, diagnose, draft_skeleton, mend_text};
use bindery_store::fs::FileSystem;
use bindery_store::write_atomically;
use similar::{ChangeTag, TextDiff};

use crate::blobs::Lost;
use crate::options::Quiet;
use crate::outcome::Failure;
use crate::plan::outcome::{DoctorFinding, SkeletonDoctorOutcome};
use crate::present::sketches;
use crate::repository::Repository;
use crate::run::{Computed, Run};

impl Repository {
    /// Holds the committed skeleton against today's facts and makes the smallest patch that mends it; with `write`
    /// applies it. A skeleton that a person wrote is only reported on.
    pub fn skeleton_doctor(&self, write: bool) -> Result<SkeletonDoctorOutcome, Failure> {
        let (Some(path), Some((text, located))) =
            (self.configuration.skeleton.clone(), self.read_skeleton()?)
        else {
            return Err(Failure::usage("`bindery.toml` names no skeleton").with_hint(
                "`skeleton = \"handbook-skeleton.yaml\"` names one, and `bindery skeleton pin` writes it",
            ));
        };
        let (mut run, mut computed) = self.computed(&Quiet)?;
        let diagnosis = loop {
            match diagnosis(&run, &computed, &located.value) {
                Ok(diagnosis) => break diagnosis,
                Err(Lost) => computed = run.compute_anew()?,
            }
        };
        let is_users = located.value.metadata.drafted_by == DraftedBy::User;
        let mut outcome = SkeletonDoctorOutcome {
            findings: diagnosis.ailments.iter().map(|ailment| finding(ailment, &located)).collect(),
            patch: String::new(),
            is_users,
            is_written: false,
            path,
        };
        if diagnosis.ailments.is_empty() || is_users {
            return Ok(outcome);
        }
        let mended = mend_text(&text, &located, &diagnosis.mended);
        outcome.patch = patch(&outcome.path, &text, &mended.text, &diagnosis.ailments, mended.is_minimal);
        if write {
            let file_system: &dyn FileSystem = &*self.file_system;
            write_atomically(
                file_system,
                outcome.path.as_bytes(),
                mended.text.as_bytes(),
                self.durability(),
            )?;
            outcome.is_written = true;
        }
        Ok(outcome)
    }
}

fn diagnosis(run: &Run<'_>, computed: &Computed, skeleton: &Skeleton) -> Result<Diagnosis, Lost> {
    let about = computed.analysis.state.about.as_ref().ok_or(Lost)?;
    let sketched = sketches(&computed.analysis, &run.blobs)?;
    let sketches: Vec<_> = sketched.into_iter().map(|sketched| sketched.sketch).collect();
    let name = about.name(run.repository.configuration.name.as_deref());
    let draft = draft_skeleton(&sketches, name, &about.titles);
    Ok(diagnose(skeleton, &draft, &sketches))
}

fn finding(ailment: &Ailment, located: &Located<Skeleton>) -> DoctorFinding {
    let at = located.value.stages.iter().position(|stage| stage.id == ailment.stage);
    DoctorFinding {
        kind: ailment.kind.word(),
        stage: ailment.stage.to_string(),
        line: at.map_or(1, |at| located.line(&format!("/stages/{at}"))),
        message: ailment.message.clone(),
    }
}

/// A unified diff whose hunks say why.
fn patch(path: &str, old: &str, new: &str, ailments: &[Ailment], is_minimal: bool) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut text = format!("--- a/{path}\n+++ b/{path}\n");
    for hunk in diff.unified_diff().context_radius(1).iter_hunks() {
        let changed: Vec<&str> = hunk
            .iter_changes()
            .filter(|change| change.tag() != ChangeTag::Equal)
            .map(|change| entry(change.value()))
            .collect();
        let touches = |ailment: &&Ailment| ailment.touched.iter().any(|id| changed.contains(&id.as_str()));
        let mut reasons: Vec<&str> =
            ailments.iter().filter(touches).map(|ailment| ailment.message.as_str()).collect();
        reasons.dedup();
        if !is_minimal {
            reasons.insert(0, "the whole text is written anew: it is not laid out one entry a line");
        } else if reasons.is_empty() {
            reasons.push("says who mended it");
        }
        text.push_str(&format!("{} {}\n", hunk.header(), reasons.join("; ")));
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            text.push(sign);
            text.push_str(change.value());
            if change.missing_newline() {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// The id that a line of a skeleton names, as an entry of a list or as a stage's own.
fn entry(line: &str) -> &str {
    let line = line.split(" #").next().unwrap_or(line).trim();
    let line = line.strip_prefix("- ").unwrap_or(line);
    line.strip_prefix("id:").unwrap_or(line).trim()
}
