//! `bindery doctor`: whether everything a build needs is there.

use bindery_engine::{Check, Health};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, field};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery doctor                       root, configuration, git, work directory, cache, parsers
  bindery doctor --format json         the same, for a report";

/// Look whether everything a build needs is there and sound.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Doctor {
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Body<'a> {
    tool: &'static str,
    checks: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    subject: &'static str,
    state: &'static str,
    found: &'a str,
    hint: Option<&'a str>,
}

impl Doctor {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let checks = bindery_engine::health(&self.place.options(global));
        let body = Body { tool: bindery_engine::VERSION, checks: checks.iter().map(entry).collect() };
        console.report("doctor", &body, || text(&checks))?;
        let is_wrong = checks.iter().any(|check| check.state == Health::Wrong);
        Ok(if is_wrong { Ending::Findings } else { Ending::Done })
    }
}

fn word(state: Health) -> &'static str {
    match state {
        Health::Good => "good",
        Health::Limited => "limited",
        Health::Wrong => "wrong",
    }
}

fn entry(check: &Check) -> Entry<'_> {
    Entry {
        subject: check.subject,
        state: word(check.state),
        found: &check.found,
        hint: check.hint.as_deref(),
    }
}

fn text(checks: &[Check]) -> String {
    let mut text = format!("good     bindery         {}\n", bindery_engine::VERSION);
    for check in checks {
        text.push_str(&format!("{:<7}  {:<14}  {}\n", word(check.state), check.subject, field(&check.found)));
        if let Some(hint) = &check.hint {
            text.push_str(&format!("{:<7}  {:<14}  hint: {}\n", "", "", field(hint)));
        }
    }
    text
}
