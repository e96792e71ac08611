//! `bindery cache`: what earlier runs left to make the next one fast. It may be deleted at any time.

use bindery_engine::{CacheOutcome, Failure, Repository, grouped};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, place};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery cache stats
  bindery cache verify                 exit code 3 if an entry is damaged
  bindery cache gc                     drop what nothing refers to
  bindery cache clear                  drop everything; the next build is a full one";

/// Look after the cache: facts and resolutions of earlier runs.
///
/// A missing, foreign or damaged cache never changes an output; it costs time.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Cache {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Print where the cache lies and what it holds.
    Stats(Place),
    /// Read every entry and name the damaged ones.
    Verify(Place),
    /// Remove what nothing refers to any more.
    Gc(Place),
    /// Remove everything.
    Clear(Place),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    path: &'a str,
    entries: u64,
    bytes: u64,
    unused_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged_entries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    freed_bytes: Option<u64>,
}

impl Cache {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let outcome = self.action.ask(global)?;
        console.report(self.action.kind(), &self.action.body(&outcome), || self.action.text(&outcome))?;
        match self.action {
            Action::Verify(_) if outcome.affected > 0 => {
                let message = format!("damaged entries: {}", grouped(outcome.affected));
                console.error(
                    &message,
                    Some("the next build replaces what it needs; `bindery cache clear` removes all"),
                );
                Ok(Ending::Findings)
            }
            _ => Ok(Ending::Done),
        }
    }
}

impl Action {
    fn ask(&self, global: &Global) -> Result<CacheOutcome, Failure> {
        let (Action::Stats(place) | Action::Verify(place) | Action::Gc(place) | Action::Clear(place)) = self;
        let repository = Repository::open(&place.options(global))?;
        match self {
            Action::Stats(_) => repository.cache_stats(),
            Action::Verify(_) => repository.cache_verify(),
            Action::Gc(_) => repository.cache_gc(),
            Action::Clear(_) => repository.cache_clear(),
        }
    }

    /// The `kind` of the JSON report.
    fn kind(&self) -> &'static str {
        match self {
            Action::Stats(_) => "cache-stats",
            Action::Verify(_) => "cache-verify",
            Action::Gc(_) => "cache-gc",
            Action::Clear(_) => "cache-clear",
        }
    }

    fn body<'a>(&self, outcome: &'a CacheOutcome) -> Body<'a> {
        Body {
            path: &outcome.path,
            entries: outcome.entries,
            bytes: outcome.bytes,
            unused_bytes: outcome.unused_bytes,
            damaged_entries: matches!(self, Action::Verify(_)).then_some(outcome.affected),
            freed_bytes: matches!(self, Action::Gc(_) | Action::Clear(_)).then_some(outcome.affected),
        }
    }

    fn text(&self, outcome: &CacheOutcome) -> String {
        let mut rows = vec![("entries", grouped(outcome.entries)), ("bytes", grouped(outcome.bytes))];
        match self {
            Action::Stats(_) => rows.push(("unused", grouped(outcome.unused_bytes))),
            Action::Verify(_) => rows.push(("damaged", grouped(outcome.affected))),
            Action::Gc(_) | Action::Clear(_) => rows.push(("freed", grouped(outcome.affected))),
        }
        let rows: String = rows.iter().map(|(name, value)| format!("{name:<8} {value:>15}\n")).collect();
        format!("{}\n{rows}", place(&outcome.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_action_shows_what_it_is_about() {
        let outcome = CacheOutcome {
            path: ".bindery/cache".to_owned(),
            entries: 1_200,
            bytes: 3_400_000,
            unused_bytes: 5,
            affected: 2,
        };
        let stats = Action::Stats(Place::default()).text(&outcome);
        assert_eq!(
            stats,
            ".bindery/cache\nentries            1,200\nbytes          3,400,000\nunused                 5\n"
        );
        assert!(Action::Gc(Place::default()).text(&outcome).ends_with("freed                  2\n"));
    }
}
