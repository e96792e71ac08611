//! `bindery diff`: what changed in meaning between two states.

use bindery_engine::{Declared, DiffOutcome, Edge};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, field};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery diff main                          the files on disk against main
  bindery diff v1.2 v1.3
  bindery diff main --markdown               as a comment on a pull request
  bindery diff main --format json";

/// Say what changed in meaning: functions and types, calls, cycles, stages.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Diff {
    /// The commit to compare with.
    #[arg(value_name = "REV")]
    since: String,
    /// The commit that is compared, instead of the files on disk.
    #[arg(value_name = "REV")]
    to: Option<String>,
    /// The directory to analyse [default: as for `build`].
    #[arg(long, value_name = "ROOT")]
    root: Option<std::path::PathBuf>,
    /// Print Markdown for a comment, at most 60,000 bytes.
    #[arg(long)]
    markdown: bool,
}

#[derive(Serialize)]
struct Body<'a> {
    since: &'a str,
    to: Option<&'a str>,
    added: Vec<DeclaredBody<'a>>,
    removed: Vec<DeclaredBody<'a>>,
    moved: Vec<MovedBody<'a>>,
    changed: Vec<DeclaredBody<'a>>,
    gained: Vec<EdgeBody<'a>>,
    lost: Vec<EdgeBody<'a>>,
    cycles: &'a [Vec<String>],
    stages: &'a [String],
    cards: &'a [String],
    pages: &'a [String],
}

#[derive(Serialize)]
struct DeclaredBody<'a> {
    id: &'a str,
    kind: &'a str,
    file: &'a str,
    line: u32,
    signature: &'a str,
}

#[derive(Serialize)]
struct MovedBody<'a> {
    from: DeclaredBody<'a>,
    to: DeclaredBody<'a>,
}

#[derive(Serialize)]
struct EdgeBody<'a> {
    caller: &'a str,
    callee: &'a str,
}

impl Diff {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let place = Place { root: self.root.clone(), ..Place::default() };
        let outcome = bindery_engine::diff(&place.options(global), &self.since, self.to.as_deref())?;
        if self.markdown {
            console.print(&outcome.markdown())?;
        } else {
            console.report("diff", &self.body(&outcome), || text(&outcome))?;
        }
        Ok(Ending::Done)
    }

    fn body<'a>(&'a self, outcome: &'a DiffOutcome) -> Body<'a> {
        let moved = outcome.moved.iter();
        Body {
            since: &self.since,
            to: self.to.as_deref(),
            added: outcome.added.iter().map(declared).collect(),
            removed: outcome.removed.iter().map(declared).collect(),
            moved: moved
                .map(|moved| MovedBody { from: declared(&moved.before), to: declared(&moved.after) })
                .collect(),
            changed: outcome.changed.iter().map(declared).collect(),
            gained: outcome.gained.iter().map(edge).collect(),
            lost: outcome.lost.iter().map(edge).collect(),
            cycles: &outcome.cycles,
            stages: &outcome.affected.stages,
            cards: &outcome.affected.cards,
            pages: &outcome.affected.pages,
        }
    }
}

fn declared(declared: &Declared) -> DeclaredBody<'_> {
    let Declared { id, kind, file, line, signature, .. } = declared;
    DeclaredBody { id, kind, file, line: *line, signature }
}

fn edge(edge: &Edge) -> EdgeBody<'_> {
    EdgeBody { caller: &edge.caller, callee: &edge.callee }
}

fn text(outcome: &DiffOutcome) -> String {
    let mut text = String::new();
    let mut row = |word: &str, rest: String| text.push_str(&format!("{word:<8} {}\n", field(&rest)));
    let placed = |item: &Declared| format!("{} {}  {}:{}", item.kind, item.id, item.file, item.line);
    outcome.added.iter().for_each(|item| row("added", placed(item)));
    outcome.removed.iter().for_each(|item| row("removed", placed(item)));
    for moved in &outcome.moved {
        row("moved", format!("{} {} -> {}", moved.after.kind, moved.before.id, moved.after.id));
    }
    outcome.changed.iter().for_each(|item| row("changed", placed(item)));
    outcome.gained.iter().for_each(|edge| row("gained", format!("{} -> {}", edge.caller, edge.callee)));
    outcome.lost.iter().for_each(|edge| row("lost", format!("{} -> {}", edge.caller, edge.callee)));
    outcome.cycles.iter().for_each(|members| row("cycle", members.join(" <-> ")));
    outcome.affected.stages.iter().for_each(|stage| row("stage", stage.clone()));
    text
}
