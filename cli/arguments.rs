//! Arguments that several commands take, and what the engine makes of them.
//!
//! Each flag is said once, here or in its command's file; `--help` comes from it, and a test holds the tables
//! of the README against it.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use bindery_engine::Options;
use clap::{Args, CommandFactory, Parser, ValueEnum};

use crate::commands::Command;
use crate::console::Format;

/// The hidden first argument that makes this process a parse worker.
pub(crate) const PARSE_WORKER: &str = "__parse-worker";

const EXAMPLES: &str = "\
Examples:
  bindery build                        the repository around the current directory
  bindery check --diff                 is the handbook what a build would write? exit code 3 if not
  bindery callers Queue.push           who calls it
  bindery build --format json ROOT     what was done, for a program

Exit codes:
  0  done, nothing to report
  1  our fault or the machine's
  2  the command line makes no sense
  3  findings: stale, invalid, a foreign file kept
  130, 143  ended by SIGINT, SIGTERM

Environment:
  BINDERY_ROOT    the directory to analyse where none is given
  BINDERY_CONFIG  your own configuration [default: bindery/config.toml in $XDG_CONFIG_HOME or ~/.config]
  BINDERY_LOG     log to stderr: `debug`, or `bindery_store=debug,bindery_engine=trace`
  NO_COLOR        no colour anywhere";

/// Compiles a repository into a handbook and keeps it true on every commit.
///
/// The handbook is a set of Markdown pages drawn from facts in the source: functions, types, who calls
/// whom, state that is shared. A second build redoes only what a change reaches.
#[derive(Parser, Debug)]
#[command(name = "bindery", bin_name = "bindery", version, after_long_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Arguments {
    /// The long help, as `bindery` without a command prints it.
    pub(crate) fn help() -> String {
        Self::command().render_long_help().to_string()
    }
}

/// What every command takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The form of the report on stdout.
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: Format,
    /// No progress, warnings or summary line; only errors and what was asked for.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more on stderr: times and counts; twice, every unit that was redone and why.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Threads and parse workers [default: one per core].
    #[arg(short, long, global = true, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Contact nothing: ask no narrator, whatever the configurations say.
    #[arg(long, global = true)]
    pub(crate) offline: bool,
}

/// Where the repository and its outputs lie, and what holds for this run only.
#[derive(Args, Debug, Default)]
pub(crate) struct Place {
    /// The directory to analyse.
    ///
    /// Without it: what BINDERY_ROOT says, else the nearest directory upwards with a `bindery.toml`, else the
    /// top of the git repository, else the current directory.
    #[arg(value_name = "ROOT")]
    pub(crate) root: Option<PathBuf>,
    /// The work directory: state, cache and exports [default: `.bindery` in ROOT].
    #[arg(long, value_name = "DIR")]
    pub(crate) work_dir: Option<PathBuf>,
    /// The directory of the handbook, for this run instead of the configuration's `out`.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// A line of `bindery.toml` that holds for this run instead of the file's; may be repeated.
    ///
    /// A key that changes the handbook needs `--out`, so that no committed handbook depends on flags.
    #[arg(long = "config", value_name = "KEY = VALUE")]
    pub(crate) overrides: Vec<String>,
}

impl Place {
    /// What the engine is to open.
    pub(crate) fn options(&self, global: &Global) -> Options {
        Options {
            root: self.root.clone(),
            work_dir: self.work_dir.clone(),
            out: self.out.clone(),
            overrides: self.overrides.clone(),
            jobs: global.jobs.map(NonZeroUsize::get),
            offline: global.offline,
            worker: worker_command(),
            ..Options::default()
        }
    }
}

/// How `build` and `check` work out the handbook.
#[derive(Args, Debug)]
pub(crate) struct Effort {
    /// Whether the phase artifacts (`phase1/` to `phase3/`) are part of the run.
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) artifacts: Option<Artifacts>,
    /// Write the agent index too: tables in `agent/` for readers that search with grep.
    ///
    /// Where the configuration's `formats` do not have it anyway, this needs `--out`.
    #[arg(long)]
    pub(crate) agent_site: bool,
    /// Recompute everything the cache would give, and report the first difference.
    #[arg(long)]
    pub(crate) verify: bool,
    /// Hash every file instead of trusting its time stamps; what `CI` in the environment does too.
    #[arg(long)]
    pub(crate) hash_everything: bool,
    /// Write a Chrome trace of the run to FILE, for <https://ui.perfetto.dev> or `chrome://tracing`.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
}

impl Effort {
    /// The options of `place`, with these.
    pub(crate) fn options(&self, place: &Place, global: &Global) -> Options {
        let mut options = place.options(global);
        options.overrides.extend(self.artifacts.map(Artifacts::as_override));
        options.agent_site = self.agent_site;
        options.verify = self.verify;
        options.hash_everything = self.hash_everything;
        // Test builds assert what work is done, so they leave the sample out (handbook §6).
        options.recheck_sample = cfg!(not(debug_assertions));
        options
    }
}

/// A value of `--artifacts`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Artifacts {
    /// All of them.
    All,
    /// None; what an earlier run exported stays and is marked stale.
    None,
}

impl Artifacts {
    fn as_override(self) -> String {
        let value = match self {
            Artifacts::All => "all",
            Artifacts::None => "none",
        };
        format!("artifacts = \"{value}\"")
    }
}

/// This program again. On Linux by the name that leads to the running program even if an upgrade replaces
/// or removes the file meanwhile; a worker of another version would not understand us.
fn worker_command() -> Option<Vec<OsString>> {
    let program = match cfg!(target_os = "linux") {
        true => PathBuf::from("/proc/self/exe"),
        false => std::env::current_exe().ok()?,
    };
    Some(vec![program.into(), PARSE_WORKER.into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_holds_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn artifacts_is_a_line_of_the_configuration() {
        let arguments =
            Arguments::try_parse_from(["bindery", "build", "--artifacts", "none", "--jobs", "3", "x"]);
        let arguments = arguments.expect("these arguments are right");
        let Some(Command::Build(build)) = &arguments.command else { panic!("not a build") };
        let options = build.options(&arguments.global);
        assert_eq!(options.overrides, ["artifacts = \"none\""]);
        assert_eq!((options.jobs, options.root), (Some(3), Some(PathBuf::from("x"))));
    }
}
