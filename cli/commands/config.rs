//! `bindery config`: the configuration in force.

use bindery_engine::{Origin, Repository, Setting};
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::{Global, Place};
use crate::console::{Console, field};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery config show                  every key, its value, and where that comes from
  bindery config show --format json";

/// Show the configuration in force.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Print every key, its value, and where that comes from, as TOML.
    Show(Place),
}

#[derive(Serialize)]
struct Body<'a> {
    root: String,
    settings: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    key: &'a str,
    value: &'a Value,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl Config {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        let Action::Show(place) = &self.action;
        let repository = Repository::open(&place.options(global))?;
        let settings = repository.settings()?;
        let root = repository.root().display().to_string();
        let body = Body { root: root.clone(), settings: settings.iter().map(entry).collect() };
        console.report("config-show", &body, || text(&root, &settings))?;
        Ok(Ending::Done)
    }
}

fn entry(setting: &Setting) -> Entry<'_> {
    let (origin, line) = match setting.origin {
        Origin::Default => ("default", None),
        Origin::File(line) => ("file", Some(line)),
        Origin::CommandLine => ("commandLine", None),
    };
    Entry { key: &setting.key, value: &setting.value, origin, line }
}

/// TOML that means what is in force, with the origin of each value behind it.
fn text(root: &str, settings: &[Setting]) -> String {
    let lines: Vec<String> = settings.iter().map(|setting| field(&setting.line()).into_owned()).collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).min(40);
    let mut text = format!("# root: {}\n", field(root));
    for (setting, line) in settings.iter().zip(lines) {
        let origin = match setting.origin {
            Origin::Default => "default".to_owned(),
            Origin::File(at) => format!("bindery.toml:{at}"),
            Origin::CommandLine => "command line".to_owned(),
        };
        text.push_str(&format!("{line:<width$}  # {origin}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_says_where_its_value_comes_from() {
        let setting = |key: &str, value: Value, origin| Setting { key: key.to_owned(), value, origin };
        let settings = [
            setting("depth", "deep".into(), Origin::File(3)),
            setting("name", Value::Null, Origin::Default),
            setting("history", true.into(), Origin::CommandLine),
        ];
        let expected = "# root: /r\n\
                        depth = \"deep\"     # bindery.toml:3\n\
                        # name is not set  # default\n\
                        history = true     # command line\n";
        assert_eq!(text("/r", &settings), expected);
    }
}
