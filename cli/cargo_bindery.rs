//! `cargo bindery`: the program beside this one, on the cargo workspace around the current directory.
//!
//! Cargo starts `cargo-bindery` with `bindery` as the first argument and says in `CARGO` where it lies itself
//! (<https://doc.rust-lang.org/cargo/reference/external-tools.html#custom-subcommands>). Everything else is
//! the business of `bindery`, which this becomes.

use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "bindery") {
        arguments.remove(0);
    }
    let program = match env::current_exe() {
        Ok(own) => own.with_file_name("bindery"),
        Err(_) => PathBuf::from("bindery"),
    };
    let mut bindery = Command::new(&program);
    bindery.args(&arguments);
    if !asks_about_itself(&arguments) {
        // Where there is none, cargo has said what is the matter.
        let Some(root) = workspace() else { return ExitCode::from(2) };
        bindery.env("BINDERY_ROOT", root);
    }
    let error = bindery.exec();
    eprintln!("error: cannot start `{}`: {error}", program.display());
    ExitCode::from(1)
}

/// Help and the version need no workspace.
fn asks_about_itself(arguments: &[OsString]) -> bool {
    let itself = ["-h", "--help", "-V", "--version", "help"];
    arguments.is_empty() || arguments.iter().any(|argument| itself.iter().any(|name| argument == name))
}

/// The workspace that cargo finds from the current directory.
fn workspace() -> Option<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut locate = Command::new(cargo);
    locate.args(["locate-project", "--workspace", "--message-format", "plain"]).stderr(Stdio::inherit());
    let output = locate.output().ok().filter(|output| output.status.success())?;
    let manifest = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout).to_owned();
    PathBuf::from(OsString::from_vec(manifest)).parent().map(PathBuf::from)
}
