//! `bindery completions`: completion scripts, from the definition of the command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::console::Console;
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery completions bash > ~/.local/share/bash-completion/completions/bindery
  bindery completions zsh > ~/.zfunc/_bindery
  bindery completions fish > ~/.config/fish/completions/bindery.fish";

/// Print a completion script for a shell.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, console: &Console) -> Result<Ending, Stop> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "bindery", &mut script);
        console.print(&String::from_utf8_lossy(&script))?;
        Ok(Ending::Done)
    }
}
