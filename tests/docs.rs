//! The README says what the program and the workspace are, no more and no less.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("the README can be read")
}

/// The text below a heading, up to the next heading of the same or a higher level; what looks like one in a code
/// block is none.
fn section(readme: &str, heading: &str) -> String {
    let level = marks(heading);
    let mut lines = readme.lines().skip_while(|line| *line != heading);
    assert!(lines.next().is_some(), "the README has no heading `{heading}`");
    let mut is_code = false;
    let mut text = String::new();
    for line in lines {
        is_code ^= line.starts_with("```");
        if !is_code && (1..=level).contains(&marks(line)) {
            break;
        }
        text.extend([line, "\n"]);
    }
    text
}

/// The level of a heading; 0 for any other line.
fn marks(line: &str) -> usize {
    let marks = line.bytes().take_while(|&byte| byte == b'#').count();
    if line.as_bytes().get(marks) == Some(&b' ') { marks } else { 0 }
}

/// What stands in backticks in the first cell of each row of a section's tables.
fn first_cells(section: &str) -> BTreeSet<String> {
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| code(row.trim_start_matches('|').split('|').next().unwrap_or_default())).collect()
}

/// Everything in backticks.
fn code(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn help(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindery"));
    let output = command.args(arguments).arg("--help").output().expect("the program can be started");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("help is UTF-8")
}

/// The names in the list of commands, `help` left out.
fn commands(help: &str) -> Vec<String> {
    let list = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    let list = list.split("\n\n").next().unwrap_or_default();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
}

/// The long flags in the lists of options, `--help` and `--version` left out.
fn flags(help: &str) -> BTreeSet<String> {
    let is_option = |line: &&str| line.trim_start().starts_with('-');
    let words = help.lines().filter(is_option).flat_map(str::split_whitespace);
    let long = words.filter(|word| word.starts_with("--")).map(|word| word.trim_end_matches("..."));
    long.filter(|flag| !["--help", "--version"].contains(flag)).map(str::to_owned).collect()
}

/// All commands, those of commands included (`cache gc`).
fn all_commands() -> Vec<String> {
    let mut all = Vec::new();
    for command in commands(&help(&[])) {
        match &commands(&help(&[&command]))[..] {
            [] => all.push(command),
            actions => all.extend(actions.iter().map(|action| format!("{command} {action}"))),
        }
    }
    all
}

#[test]
fn the_readme_lists_exactly_the_commands_there_are() {
    let listed = first_cells(&section(&readme(), "### Commands"));
    let listed: BTreeSet<String> = listed.iter().map(|cell| without_operands(cell)).collect();
    assert_eq!(listed, all_commands().into_iter().collect());
}

/// `bindery cache gc [ROOT]` → `cache gc`.
fn without_operands(cell: &str) -> String {
    let words = cell.split(' ').filter(|word| *word != "bindery");
    words.filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_readme_lists_exactly_the_flags_there_are() {
    let mut flags_there_are = flags(&help(&[]));
    for command in all_commands() {
        flags_there_are.extend(flags(&help(&command.split(' ').collect::<Vec<_>>())));
    }
    let listed = first_cells(&section(&readme(), "### Flags"));
    let listed: BTreeSet<String> = listed
        .iter()
        .flat_map(|cell| cell.split(' '))
        .filter(|word| word.starts_with("--"))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, flags_there_are);
}

#[test]
fn the_readme_lists_exactly_the_keys_of_the_configuration() {
    let schema = Command::new(env!("CARGO_BIN_EXE_bindery")).args(["schema", "configuration"]).output();
    let schema: Value =
        serde_json::from_slice(&schema.expect("the program can be started").stdout).expect("JSON");
    let mut keys = properties(&schema);
    assert!(keys.remove("limits"), "limits are a table of their own");
    keys.extend(properties(&schema["$defs"]["Limits"]).iter().map(|limit| format!("limits.{limit}")));
    assert_eq!(first_cells(&section(&readme(), "## Configuration")), keys);
}

fn properties(schema: &Value) -> BTreeSet<String> {
    schema["properties"].as_object().expect("an object's schema has properties").keys().cloned().collect()
}

#[test]
fn the_readme_has_a_line_for_every_crate() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest can be read");
    let manifest: toml::Table = manifest.parse().expect("the manifest is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("the workspace lists its members");
    let mut crates: BTreeSet<String> =
        members.iter().filter_map(|member| Some(format!("{}/", member.as_str()?))).collect();
    crates.insert("cli/".to_owned());
    assert_eq!(first_cells(&section(&readme(), "## Architecture")), crates);
}

#[test]
fn links_inside_the_repository_lead_somewhere() {
    for file in ["README.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(root().join(file)).expect("the file can be read");
        let prose: String = text.split("```").step_by(2).collect();
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://") && !target.starts_with('#')) {
            assert!(root().join(target.split('#').next().unwrap_or(target)).exists(), "{file}: {target}");
        }
    }
}

/// Set it to write the tour's output into the README instead of comparing; then read the difference.
const UPDATE: &str = "BINDERY_UPDATE_README";

/// Runs the commands of the tour, in order, on a copy of the sample.
#[cfg(unix)]
#[test]
fn the_tour_shows_what_the_commands_print() {
    let readme = readme();
    let tour = section(&readme, "## A tour");
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    copy_sample(directory.path());
    let mut shell = Shell { directory: directory.path(), last_code: 0 };
    let mut shown = String::new();
    let mut is_console = false;
    for line in tour.lines() {
        match line.strip_prefix("$ ").filter(|_| is_console) {
            Some(command) => shown.push_str(&format!("{line}\n{}", shell.run(command))),
            None if is_console && line != "```" => {}
            None => shown.push_str(&format!("{line}\n")),
        }
        is_console = line == "```console" || is_console && line != "```";
    }
    if std::env::var_os(UPDATE).is_some() {
        fs::write(root().join("README.md"), readme.replace(&tour, &shown))
            .expect("the README can be written");
        return;
    }
    assert_eq!(tour, shown, "set {UPDATE} to write it");
}

/// Runs commands one by one, each with the exit code of the one before in `$?`.
#[cfg(unix)]
struct Shell<'a> {
    directory: &'a Path,
    last_code: i32,
}

#[cfg(unix)]
impl Shell<'_> {
    /// What the command printed, stderr behind stdout.
    fn run(&mut self, command: &str) -> String {
        let program =
            Path::new(env!("CARGO_BIN_EXE_bindery")).parent().expect("a program lies in a directory");
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("(exit {}); {command}", self.last_code))
            .current_dir(self.directory)
            .env("PATH", format!("{}:{path}", program.display()))
            .env("LC_ALL", "C")
            .env_remove("BINDERY_LOG")
            .env_remove("CI")
            .output()
            .expect("there is a shell");
        self.last_code = output.status.code().expect("the command was not killed");
        let printed = [output.stdout, output.stderr].concat();
        String::from_utf8(printed).expect("the commands print UTF-8")
    }
}

#[cfg(unix)]
fn copy_sample(directory: &Path) {
    let copied = Command::new("sh")
        .args([
            "-c",
            "mkdir fixtures && cp -R \"$1\" fixtures/sample && rm -rf fixtures/sample/.bindery",
            "sh",
        ])
        .arg(root().join("fixtures/sample"))
        .current_dir(directory)
        .status();
    assert!(copied.expect("there is a shell").success());
}
