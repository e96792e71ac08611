//! `bindery man`: manual pages, from the definition of the command line.

use bindery_engine::Failure;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man as Page;

use crate::arguments::Arguments;
use crate::console::Console;
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery man | man -l -                             read it
  bindery man build > bindery-build.1                the page of one command
  bindery man skeleton pin > bindery-skeleton-pin.1";

/// Print a manual page: of `bindery`, or of one of its commands.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Man {
    /// The command whose page it is.
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl Man {
    pub(crate) fn run(&self, console: &Console) -> Result<Ending, Stop> {
        let mut whole = Arguments::command();
        whole.build();
        let mut page = Vec::new();
        Page::new(self.found_in(whole)?)
            .render(&mut page)
            .map_err(|error| Failure::machine(format!("cannot write the page: {error}")))?;
        console.print(&String::from_utf8_lossy(&page))?;
        Ok(Ending::Done)
    }

    fn found_in(&self, whole: Command) -> Result<Command, Failure> {
        let mut command = whole;
        for name in &self.command {
            let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            let Some(inner) = command.find_subcommand(name) else {
                let failure = Failure::usage(format!("there is no command `{}`", self.command.join(" ")));
                return Err(failure.with_hint(format!("there are `{}`", names.join("`, `"))));
            };
            let title =
                format!("{}-{name}", command.get_display_name().unwrap_or_else(|| command.get_name()));
            command = inner.clone().display_name(title);
        }
        Ok(command)
    }
}
