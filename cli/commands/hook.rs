//! `bindery hook`: git's pre-commit hook.

use bindery_engine::{HookAction, Options, install_hook, uninstall_hook};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::PathBuf;

use crate::console::{Console, place};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery hook install                 each commit takes the handbook along, as the index has it
  bindery hook install --check         a commit with an outdated handbook is stopped
  bindery hook uninstall";

/// Install or remove a pre-commit hook; a hook of somebody else is kept.
///
/// The hook reads what is staged, not the working tree. With a hook manager, use its configuration instead.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Hook {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Install the hook.
    Install {
        #[command(flatten)]
        root: Root,
        /// Stop a commit whose handbook is outdated, instead of bringing it up to date.
        #[arg(long)]
        check: bool,
    },
    /// Remove it.
    Uninstall {
        #[command(flatten)]
        root: Root,
    },
}

#[derive(Args, Debug)]
struct Root {
    /// The directory to analyse [default: the top of the git repository].
    #[arg(value_name = "ROOT")]
    root: Option<PathBuf>,
}

impl Root {
    fn options(&self) -> Options {
        Options { root: self.root.clone(), ..Options::default() }
    }
}

#[derive(Serialize)]
struct Body<'a> {
    path: &'a str,
}

impl Hook {
    pub(crate) fn run(&self, console: &Console) -> Result<Ending, Stop> {
        let (kind, path) = match &self.action {
            Action::Install { root, check } => {
                let action = if *check { HookAction::Check } else { HookAction::Build };
                ("hook-install", install_hook(&root.options(), action)?)
            }
            Action::Uninstall { root } => ("hook-uninstall", uninstall_hook(&root.options())?),
        };
        console.report(kind, &Body { path: &path }, || format!("{}\n", place(&path)))?;
        Ok(Ending::Done)
    }
}
