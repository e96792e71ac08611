//! The commands, one file each: arguments as a plain struct, one call into the engine, printing.
//!
//! A new command is a new file with such a struct, a variant of [`Command`] and its line in
//! [`Command::run`]; the README's table must name it, or a test fails.

mod affected;
mod build;
mod cache;
mod callees;
mod callers;
mod check;
mod completions;
mod config;
mod diff;
mod doctor;
mod hook;
mod init;
mod man;
mod plan;
mod resync;
mod schema;
mod skeleton;
mod skill;
mod status;
mod symbol;
mod validate;
mod watch;
mod why;

use std::path::Path;

use bindery_engine::Failure;
use clap::Subcommand;

use crate::arguments::Global;
use crate::console::{Console, Format};
use crate::exit::{Ending, Stop};

/// What can be asked for.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Build(build::Build),
    Check(check::Check),
    Status(status::Status),
    Why(why::Why),
    Symbol(symbol::Symbol),
    Callers(callers::Callers),
    Callees(callees::Callees),
    Watch(watch::Watch),
    Affected(affected::Affected),
    Diff(diff::Diff),
    Skeleton(skeleton::Skeleton),
    Skill(skill::Skill),
    Validate(validate::Validate),
    Plan(plan::Plan),
    Resync(resync::Resync),
    Cache(cache::Cache),
    Schema(schema::Schema),
    Init(init::Init),
    Config(config::Config),
    Doctor(doctor::Doctor),
    Hook(hook::Hook),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Does it.
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        if global.format == Format::Sarif && !matches!(self, Command::Validate(_)) {
            return Err(Failure::usage("only `bindery validate` reports in the form `sarif`").into());
        }
        match self {
            Command::Build(command) => command.run(global, console),
            Command::Check(command) => command.run(global, console),
            Command::Status(command) => command.run(global, console),
            Command::Why(command) => command.run(global, console),
            Command::Symbol(command) => command.run(global, console),
            Command::Callers(command) => command.run(global, console),
            Command::Callees(command) => command.run(global, console),
            Command::Watch(command) => command.run(global, console),
            Command::Affected(command) => command.run(global, console),
            Command::Diff(command) => command.run(global, console),
            Command::Skeleton(command) => command.run(global, console),
            Command::Skill(command) => command.run(global, console),
            Command::Validate(command) => command.run(global, console),
            Command::Plan(command) => command.run(global, console),
            Command::Resync(command) => command.run(global, console),
            Command::Cache(command) => command.run(global, console),
            Command::Schema(command) => command.run(console),
            Command::Init(command) => command.run(global, console),
            Command::Config(command) => command.run(global, console),
            Command::Doctor(command) => command.run(global, console),
            Command::Hook(command) => command.run(console),
            Command::Completions(command) => command.run(console),
            Command::Man(command) => command.run(console),
        }
    }

    /// Where the run's trace is to be written; needed before the run.
    pub(crate) fn trace_file(&self) -> Option<&Path> {
        match self {
            Command::Build(command) => command.trace_file(),
            Command::Check(command) => command.trace_file(),
            _ => None,
        }
    }
}
