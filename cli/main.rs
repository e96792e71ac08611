//! The `bindery` command: arguments in, one call into the engine, printing, exit code.
//!
//! Start at [`commands`]: one file per command, and a new command is a new file there. What commands share
//! is here beside it: [`arguments`] (flags that several commands take), [`console`] (what goes to stdout
//! and what to stderr), [`exit`] (the exit codes), [`depfile`], [`progress`], [`logging`].
//!
//! Nothing here may know how an answer comes about: no salsa, no parser, no walking of directories. And
//! nothing slow may happen before the engine is called: a run that finds nothing to do has 10 ms in all,
//! which is why a subscriber for `tracing` exists only if somebody asked for it.

mod arguments;
mod chrome_trace;
mod commands;
mod console;
mod depfile;
mod exit;
mod logging;
mod progress;

use std::panic;
use std::process::ExitCode;

use bindery_engine::Failure;
use clap::Parser;

use crate::arguments::Arguments;
use crate::console::Console;
use crate::exit::{Ending, Stop};

/// Faster than the system's by 8 to 12 % on parsing, and the memory of tree-sitter's C core comes from it too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    bindery_engine::prefer_small_pages();
    if is_parse_worker() {
        bindery_engine::serve_parse_worker();
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage_or_help(&error),
    };
    let console = Console::new(&arguments.global);
    let result = panic::catch_unwind(|| run(&arguments, &console)).unwrap_or_else(|_| Err(panicked()));
    exit::report(result, &console)
}

/// Parse workers are this program again, started by the engine. They skip everything else: there is one per
/// job, and a full build waits for them.
fn is_parse_worker() -> bool {
    std::env::args_os().nth(1).is_some_and(|argument| argument == arguments::PARSE_WORKER)
}

fn run(arguments: &Arguments, console: &Console) -> Result<Ending, Stop> {
    let Some(command) = &arguments.command else {
        console.print(&Arguments::help())?;
        return Ok(Ending::Done);
    };
    let _flushed_at_the_end = logging::start(command.trace_file())?;
    command.run(&arguments.global, console)
}

/// Clap's own answer: 2 for a usage error, 0 for `--help` and `--version`, also if nobody reads them.
fn usage_or_help(error: &clap::Error) -> ExitCode {
    // A closed stdout or stderr is no news worth an exit code.
    let _ = error.print();
    exit::code_from(error.exit_code())
}

fn panicked() -> Stop {
    let failure = Failure::machine("this is a fault in bindery: the lines above say where");
    failure.with_hint("report them, with what `RUST_BACKTRACE=1 BINDERY_LOG=debug` adds to them").into()
}
