//! `bindery affected`: which stages, cards and pages differ between two states.

use bindery_engine::AffectedOutcome;
use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, field};
use crate::exit::{Ending, Stop};

/// Jobs a matrix may have on GitHub.
const MOST_JOBS: usize = 256;

const EXAMPLES: &str = "\
Examples:
  bindery affected --since main                      the files on disk against main
  bindery affected --since v1.2 --to v1.3
  bindery affected --since main --format json | jq -c .matrix      for a job matrix";

/// List the stages, cards and pages that differ between a commit and the files on disk, or another commit.
///
/// Each state is taken with its own configuration. Exit code 0 whatever differs; 2 if a commit is not here.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Affected {
    #[command(flatten)]
    place: Place,
    /// The commit to compare with.
    #[arg(long, value_name = "REV")]
    since: String,
    /// The commit that is compared, instead of the files on disk.
    #[arg(long, value_name = "REV")]
    to: Option<String>,
}

#[derive(Serialize)]
struct Body<'a> {
    since: &'a str,
    to: Option<&'a str>,
    stages: &'a [String],
    cards: &'a [String],
    pages: &'a [String],
    matrix: Matrix,
}

/// A job matrix as CI services take it.
#[derive(Serialize)]
struct Matrix {
    include: Vec<Job>,
}

#[derive(Serialize)]
struct Job {
    /// Ids of stages with commas between them.
    stages: String,
}

impl Affected {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let outcome = bindery_engine::affected(&self.place.options(global), &self.since, self.to.as_deref())?;
        let body = Body {
            since: &self.since,
            to: self.to.as_deref(),
            stages: &outcome.stages,
            cards: &outcome.cards,
            pages: &outcome.pages,
            matrix: matrix(&outcome.stages),
        };
        console.report("affected", &body, || text(&outcome))?;
        Ok(Ending::Done)
    }
}

/// One job a stage, or several stages a job where there are too many.
fn matrix(stages: &[String]) -> Matrix {
    let per_job = stages.len().div_ceil(MOST_JOBS).max(1);
    let include = stages.chunks(per_job).map(|stages| Job { stages: stages.join(",") }).collect();
    Matrix { include }
}

fn text(outcome: &AffectedOutcome) -> String {
    let lists = [("stage", &outcome.stages), ("card", &outcome.cards), ("page", &outcome.pages)];
    let lines = lists
        .iter()
        .flat_map(|(word, list)| list.iter().map(move |item| format!("{word:<5}  {}\n", field(item))));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_has_no_more_jobs_than_a_service_takes() {
        let stages = |count: usize| (0..count).map(|at| format!("s{at}")).collect::<Vec<_>>();
        let jobs = |count| matrix(&stages(count)).include.len();
        assert_eq!((jobs(0), jobs(1), jobs(256), jobs(257), jobs(5_000)), (0, 1, 256, 129, 250));
        assert_eq!(matrix(&stages(257)).include[0].stages, "s0,s1");
    }
}
