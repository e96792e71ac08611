//! Setting a repository up and looking whether all is well with it: `init`, `config show`, `doctor`.
//!
//! What a key means and what it is without being set comes from the schema of `bindery.toml`, which is made
//! from the type; nothing about a key is said twice.

use bindery_artifacts::read::read;
use bindery_artifacts::wording::{counted, grouped};
use bindery_artifacts::{Configuration, Kind, files};
use bindery_store::fs::{FileSystem, OsFileSystem};
use bindery_store::workers::{Answer, WorkerPool};
use bindery_store::{Durability, Environment, WorkDir, found, read_file, write_atomically};
use bindery_syntax::{WorkerAnswer, WorkerRequest};
use serde_json::Value;

use crate::options::Options;
use crate::outcome::{Failure, FailureKind};
use crate::repository::{Repository, find_root_to_set_up, parse_configuration};

/// Columns a comment in a written configuration may take, `# ` included.
const COMMENT_WIDTH: usize = 100;

/// Where the value of a key comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is built in.
    Default,
    /// `bindery.toml`, at this line.
    File(u32),
    /// A flag of this run.
    CommandLine,
}

/// A key of the configuration as it is in force.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// The key; `limits.KEY` for a limit.
    pub key: String,
    /// Its value; null if it is not set and nothing stands for it.
    pub value: Value,
    /// Where that comes from.
    pub origin: Origin,
}

impl Setting {
    /// A line of TOML, a comment if there is no value.
    pub fn line(&self) -> String {
        match toml_value(&self.value) {
            Some(value) => format!("{} = {value}", self.key),
            None => format!("# {} is not set", self.key),
        }
    }
}

/// How one thing about a repository or the machine is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// What was looked at.
    pub subject: &'static str,
    /// Whether it will do.
    pub state: Health,
    /// What was found.
    pub found: String,
    /// What the user can do, where something is wrong.
    pub hint: Option<String>,
}

/// How well something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Health {
    /// As it should be.
    Good,
    /// Bindery works, but slower or with less to show.
    Limited,
    /// Something is wrong.
    Wrong,
}

/// Writes a `bindery.toml` that says what every key means, with `options.overrides` as its only settings, into
/// the root: the directory given, else the top of the git repository, else the current directory. Its path.
///
/// A finding if there is one already, which is kept.
pub fn init(options: &Options) -> Result<String, Failure> {
    let text = initial_configuration(&options.overrides.join("\n"))?;
    let environment = Environment::read();
    let root = find_root_to_set_up(options.root.as_deref(), &environment)?;
    let file_system = OsFileSystem::open(&root).map_err(Failure::usage)?;
    let path = files::CONFIGURATION.as_bytes();
    let shown = root.join(files::CONFIGURATION).display().to_string();
    if found(file_system.lstat(path))?.is_some() {
        return Err(Failure::findings(format!("`{shown}` exists, and was kept"))
            .with_hint("`bindery config show` prints what is in force"));
    }
    write_atomically(&file_system, path, text.as_bytes(), Durability::Renamed)?;
    Ok(shown)
}

/// The text of a new `bindery.toml`: every key with its meaning, as a comment unless `settings` has it.
fn initial_configuration(settings: &str) -> Result<String, Failure> {
    parse_configuration("--config", settings)
        .map_err(|failure| Failure { kind: FailureKind::Usage, ..failure })?;
    let set: toml::Table = toml::from_str(settings).map_err(Failure::usage)?;
    let schema = Kind::Configuration.schema();
    let mut text = format!(
        "# How Bindery compiles this repository. Every key may be left out; `bindery config show` prints what is\n\
         # in force, `bindery schema {}` what is allowed.\n",
        Kind::Configuration.name()
    );
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        text.push('\n');
        let description = property["description"].as_str().unwrap_or_default();
        text.extend(folded(description).map(|line| format!("# {line}\n")));
        let default = toml_value(&property["default"]);
        text.push_str(&match (set.get(key), default) {
            (Some(value), _) => format!("{key} = {value}\n"),
            (None, Some(default)) => format!("# {key} = {default}\n"),
            (None, None) => format!("# {key} =\n"),
        });
    }
    parse_configuration(files::CONFIGURATION, &text)?;
    Ok(text)
}

/// The words of a description in lines that fit a comment.
fn folded(description: &str) -> impl Iterator<Item = String> {
    let mut lines = vec![String::new()];
    for word in description.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.len() + word.len() + 3 > COMMENT_WIDTH {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.into_iter()
}

/// A value as TOML spells it; none for null.
fn toml_value(value: &Value) -> Option<String> {
    toml::Value::try_from(value).ok().map(|value| value.to_string())
}

/// Whether a table has the value a JSON pointer leads to.
fn has(table: &toml::Table, pointer: &str) -> bool {
    let mut keys = pointer.split('/').skip(1);
    let first = keys.next().and_then(|key| table.get(key));
    first.and_then(|first| keys.try_fold(first, |value, key| value.get(key))).is_some()
}

impl Repository {
    /// The configuration in force, in the order of the schema, limits last, and where each value comes from.
    pub fn settings(&self) -> Result<Vec<Setting>, Failure> {
        let read_text = found(read_file(&*self.file_system, files::CONFIGURATION.as_bytes()))?;
        let text = read_text.map_or(String::new(), |read| String::from_utf8_lossy(&read.bytes).into_owned());
        let located = read::<Configuration>(files::CONFIGURATION, &text)
            .map_err(|findings| Failure::of_findings(&findings))?;
        let of_file: toml::Table = toml::from_str(&text).map_err(Failure::findings)?;
        let of_flags: toml::Table =
            toml::from_str(&self.options.overrides.join("\n")).map_err(Failure::usage)?;
        let origin = |pointer: &str| match (has(&of_flags, pointer), has(&of_file, pointer)) {
            (true, _) => Origin::CommandLine,
            (false, true) => Origin::File(located.line(pointer)),
            (false, false) => Origin::Default,
        };
        let configuration = serde_json::to_value(&self.configuration).map_err(Failure::machine)?;
        let mut settings: Vec<Setting> = Vec::new();
        for (key, value) in configuration.as_object().into_iter().flatten() {
            if key != "limits" {
                settings.push(Setting {
                    key: key.clone(),
                    value: value.clone(),
                    origin: origin(&format!("/{key}")),
                });
            }
        }
        let limits = self.limits();
        let limits = [
            ("file_bytes", limits.file_bytes),
            ("bracket_depth", limits.bracket_depth.into()),
            ("memory_base", limits.memory_base),
            ("memory_per_byte", limits.memory_per_byte),
            ("ticks_base", limits.ticks_base),
            ("ticks_per_kibibyte", limits.ticks_per_kibibyte),
        ];
        settings.extend(limits.map(|(key, value)| Setting {
            key: format!("limits.{key}"),
            value: value.into(),
            origin: origin(&format!("/limits/{key}")),
        }));
        Ok(settings)
    }

    fn check_git(&self) -> Check {
        let good = |found: String| Check { subject: "git", state: Health::Good, found, hint: None };
        let Some(git) = self.git() else {
            return good("not a git repository".to_owned());
        };
        match git.head() {
            Ok(Some(commit)) => good(format!("commit {}", commit.id)),
            Ok(None) => good("no commit yet".to_owned()),
            Err(error) => Check {
                subject: "git",
                state: Health::Limited,
                found: error.to_string(),
                hint: Some("install git; without it artifacts carry no date".to_owned()),
            },
        }
    }

    fn check_work_directory(&self) -> Check {
        let subject = "work directory";
        match WorkDir::open(self.work.clone()) {
            Ok(_) => Check { subject, state: Health::Good, found: self.work.shown(b""), hint: None },
            Err(error) => Check {
                subject,
                state: Health::Wrong,
                found: error.to_string(),
                hint: Some("`--work-dir` chooses another place".to_owned()),
            },
        }
    }

    fn check_cache(&self) -> Result<Check, Failure> {
        let cache = self.cache_verify()?;
        let subject = "cache";
        let (entries, bytes) = (counted(cache.entries, "entry"), counted(cache.bytes, "byte"));
        let found = format!("{entries}, {bytes}, {} damaged", grouped(cache.affected));
        let is_sound = cache.affected == 0;
        Ok(Check {
            subject,
            state: if is_sound { Health::Good } else { Health::Limited },
            found,
            hint: (!is_sound)
                .then(|| "`bindery cache clear` removes it; the next build is a full one".to_owned()),
        })
    }

    /// Lets a parse worker parse one line of each language.
    fn check_parsers(&self) -> Check {
        let subject = "parsers";
        let languages = bindery_languages::registry();
        let names: Vec<&str> = languages.iter().map(|entry| entry.adapter.language().name()).collect();
        let found = names.join(", ");
        let Some(command) = self.worker() else {
            return Check { subject, state: Health::Limited, found, hint: None };
        };
        let requests = languages.iter().map(|entry| {
            let request =
                WorkerRequest { language: entry.adapter.language(), limits: self.limits(), bytes: b"" };
            request.encode()
        });
        let lost = std::sync::Mutex::new(Vec::new());
        WorkerPool::new(command, 1, self.interrupt.clone()).run(requests, &|index, answer| {
            let is_parsed = matches!(&answer, Answer::Done(bytes) if WorkerAnswer::decode(bytes).is_some());
            if !is_parsed && let Ok(mut lost) = lost.lock() {
                lost.push(names[index]);
            }
        });
        match lost.into_inner() {
            Ok(lost) if lost.is_empty() => Check { subject, state: Health::Good, found, hint: None },
            lost => Check {
                subject,
                state: Health::Wrong,
                found: format!("no answer for {}", lost.unwrap_or_default().join(", ")),
                hint: Some(
                    "the program must be able to start itself; `BINDERY_LOG=debug` says more".to_owned(),
                ),
            },
        }
    }
}

/// Looks at everything a build needs; nothing is written but an empty work directory.
pub fn health(options: &Options) -> Vec<Check> {
    let repository = match Repository::open(options) {
        Ok(repository) => repository,
        Err(failure) => {
            return vec![Check {
                subject: "configuration",
                state: Health::Wrong,
                found: failure.message,
                hint: failure.hint,
            }];
        }
    };
    let good = |subject, found: String| Check { subject, state: Health::Good, found, hint: None };
    let configured = found(repository.file_system.lstat(files::CONFIGURATION.as_bytes())).ok().flatten();
    let configuration = match configured {
        Some(_) => files::CONFIGURATION.to_owned(),
        None => format!("no {}; every key has its default", files::CONFIGURATION),
    };
    let mut checks = vec![
        good("root", repository.root.display().to_string()),
        good("configuration", configuration),
        repository.check_git(),
        repository.check_work_directory(),
    ];
    checks.extend(repository.check_cache().ok());
    checks.push(repository.check_parsers());
    checks
}
