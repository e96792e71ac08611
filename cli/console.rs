//! What a person or a program reads: reports and artifacts on stdout, everything else on stderr.
//!
//! Colour comes from `anstream`, which leaves it out where stderr is no terminal or `NO_COLOR` is set. Text of
//! the repository passes [`field`] or [`lines`] before it reaches a terminal, because a path may hold an escape
//! sequence.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use bindery_engine::Failure;
use clap::ValueEnum;
use serde::Serialize;

use crate::arguments::Global;
use crate::exit::Stop;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Format {
    /// Lines for people, and for `grep`.
    #[default]
    Text,
    /// One JSON object with `kind` and `version`.
    Json,
    /// A SARIF 2.1.0 log; only `bindery validate` writes one.
    Sarif,
}

/// Where a command says what it has to say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    format: Format,
    is_quiet: bool,
    verbosity: u8,
}

/// What every JSON report starts with.
#[derive(Serialize)]
struct Envelope<'a, Body> {
    kind: &'a str,
    version: u32,
    #[serde(flatten)]
    body: Body,
}

impl Console {
    pub(crate) fn new(global: &Global) -> Self {
        Self { format: global.format, is_quiet: global.quiet, verbosity: global.verbose }
    }

    /// Whether only errors and what was asked for are to be printed.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// How often `-v` was given.
    pub(crate) fn verbosity(&self) -> u8 {
        self.verbosity
    }

    /// The report of a command in the form that was asked for. The text form is made only if it is needed.
    pub(crate) fn report<Body: Serialize>(
        &self,
        kind: &str,
        body: &Body,
        text: impl FnOnce() -> String,
    ) -> Result<(), Stop> {
        match self.format {
            Format::Text | Format::Sarif => self.print(&text()),
            Format::Json => {
                let envelope = Envelope { kind, version: 1, body };
                let mut json = serde_json::to_string_pretty(&envelope)
                    .expect("reports are plain structs with string keys, which serde_json writes");
                json.push('\n');
                self.print(&json)
            }
        }
    }

    /// Writes an artifact, help or a finished report to stdout as it is.
    pub(crate) fn print(&self, text: &str) -> Result<(), Stop> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Stop::StdoutClosed),
            Err(error) => Err(Failure::machine(format!("cannot write to stdout: {error}")).into()),
        }
    }

    /// Why the command failed, and what can be done.
    pub(crate) fn failure(&self, failure: &Failure) {
        self.error(&failure.message, failure.hint.as_deref());
    }

    /// A finding or fault, and what can be done about it.
    pub(crate) fn error(&self, message: &str, hint: Option<&str>) {
        labelled(ERROR, "error", message);
        if let Some(hint) = hint {
            labelled(NOTE, "hint", hint);
        }
    }

    /// Something that is worth a line and changes no exit code.
    pub(crate) fn warning(&self, message: &str) {
        if !self.is_quiet {
            labelled(WARNING, "warning", message);
        }
    }

    /// Something that is good to know.
    pub(crate) fn note(&self, message: &str) {
        if !self.is_quiet {
            labelled(NOTE, "note", message);
        }
    }

    /// A line on stderr for those who asked for more.
    pub(crate) fn detail(&self, line: &str) {
        // Nobody can be told that stderr is closed.
        let _ = writeln!(anstream::stderr(), "{}", lines(line));
    }
}

fn labelled(style: Style, label: &str, message: &str) {
    // As in `Console::detail`.
    let _ = writeln!(anstream::stderr(), "{style}{label}:{style:#} {}", lines(message));
}

/// Text of the repository as part of a line: whatever moves the cursor, hides or turns text is spelled out.
pub(crate) fn field(text: &str) -> Cow<'_, str> {
    spelled_out(text, |_| false)
}

/// Text of several lines, likewise; line ends and tabs stay.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    spelled_out(text, |character| matches!(character, '\n' | '\t'))
}

fn spelled_out(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_spelled = |character: char| is_hidden(character) && !is_kept(character);
    if !text.contains(is_spelled) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_spelled(character) {
            true => write!(out, "{}", character.escape_unicode())
                .expect("a string takes all that is written to it"),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Controls, and the characters of Unicode that show nothing or change the direction of what follows.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A place as the user would type it from the current directory. The engine names places from the top.
pub(crate) fn place(path: &str) -> Cow<'_, str> {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| Path::new(path).strip_prefix(here).ok());
    match below.and_then(Path::to_str) {
        Some(below) if !below.is_empty() => field(below),
        _ => field(path),
    }
}

/// A word of the engine's vocabulary as people write it: `contentChanged` → `content changed`.
pub(crate) fn phrase(word: &str) -> String {
    let mut phrase = String::with_capacity(word.len() + 4);
    for character in word.chars() {
        if character.is_ascii_uppercase() {
            phrase.push(' ');
        }
        phrase.push(character.to_ascii_lowercase());
    }
    phrase
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(field("src/a b.rs"), "src/a b.rs");
        assert_eq!(field("a\u{1b}[2Jb\n\u{202e}"), "a\\u{1b}[2Jb\\u{a}\\u{202e}");
        assert_eq!(lines("one\n\ttwo\r"), "one\n\ttwo\\u{d}");
    }

    #[test]
    fn places_below_the_current_directory_are_short() {
        let here = std::env::current_dir().expect("tests run somewhere");
        let below = here.join("a/b").display().to_string();
        assert_eq!((place(&below), place("/no/such/a\n")), ("a/b".into(), "/no/such/a\\u{a}".into()));
        let here = here.display().to_string();
        assert_eq!(place(&here), here);
    }

    #[test]
    fn words_become_phrases() {
        assert_eq!(
            (phrase("contentChanged").as_str(), phrase("added").as_str()),
            ("content changed", "added")
        );
    }
}
