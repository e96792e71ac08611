//! What the user's own configuration says about the narrator the repository names.

use core::fmt;
use std::path::PathBuf;

use bindery_artifacts::read::read;
use bindery_artifacts::{EXTRACTIVE, NarratorDeclaration, UserConfiguration, files};
use bindery_store::{Environment, read_user_file};

use crate::options::{Options, Source};
use crate::outcome::Failure;

/// Who is to write the prose.
#[derive(Clone, Debug)]
pub(crate) enum Wish {
    /// The narrator that is built in.
    BuiltIn,
    /// One that the user's configuration declares, or lacks.
    Model(Box<ModelWish>),
}

/// A narrator of the user's.
#[derive(Clone, Debug)]
pub(crate) struct ModelWish {
    /// The name the repository gives.
    pub(crate) name: String,
    /// What it stands for; none if the user's configuration lacks it.
    pub(crate) declaration: Option<NarratorDeclaration>,
    /// Where the user's configuration lies.
    pub(crate) directory: Option<PathBuf>,
    /// The user's configuration, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// The file that was looked into, as messages show it.
    shown: String,
}

/// Why a narrator is not asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// The user's configuration lacks it.
    NotDeclared { name: String, file: String },
    /// `--offline`.
    Offline,
    /// Nobody allowed to send source text.
    NotAllowed,
    /// What is analysed is not what lies on the disk.
    NotWorkingTree,
    /// The command only looks.
    OnlyLooking,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotDeclared { name, file } => write!(f, "no narrator `{name}` in {file}"),
            Refusal::Offline => f.write_str("`--offline`"),
            Refusal::NotAllowed => {
                f.write_str("sending source text needs `--allow-send`, or `allow_send` in your configuration")
            }
            Refusal::NotWorkingTree => f.write_str("only a build of the working tree asks a narrator"),
            Refusal::OnlyLooking => f.write_str("only `bindery build` asks a narrator"),
        }
    }
}

impl Wish {
    /// Reads the user's configuration if the repository wants a narrator that is not built in.
    pub(crate) fn of(name: &str, environment: &Environment) -> Result<Self, Failure> {
        if name == EXTRACTIVE {
            return Ok(Wish::BuiltIn);
        }
        let none = ModelWish {
            name: name.to_owned(),
            declaration: None,
            directory: None,
            file: None,
            shown: "a configuration of yours, because there is no place for one".to_owned(),
        };
        let Some((path, is_chosen)) = place(environment) else { return Ok(Wish::Model(Box::new(none))) };
        let shown = path.display().to_string();
        let there = read_user_file(&path)?;
        if there.is_none() && is_chosen {
            return Err(Failure::usage(format!("cannot find `{shown}`, which `BINDERY_CONFIG` names")));
        }
        let file = there.is_some().then(|| path.clone());
        let text = String::from_utf8(there.unwrap_or_default())
            .map_err(|_| Failure::findings(format!("`{shown}` is not UTF-8 text")))?;
        let configuration = read::<UserConfiguration>(&shown, &text)
            .map_err(|findings| Failure::of_findings(&findings))?
            .value;
        let declaration = configuration.narrators.get(name).cloned();
        let directory = path.parent().map(PathBuf::from);
        Ok(Wish::Model(Box::new(ModelWish {
            declaration,
            directory,
            file,
            shown: format!("`{shown}`"),
            ..none
        })))
    }

    /// The model that would be asked for what is missing; none if nobody would be.
    pub(crate) fn asked_model(&self, options: &Options) -> Option<&str> {
        match self {
            Wish::Model(wish) if wish.may_ask(options).is_ok() => {
                Some(wish.declaration.as_ref()?.model.as_deref().unwrap_or_default())
            }
            _ => None,
        }
    }
}

impl ModelWish {
    /// Whether a build may ask it.
    pub(crate) fn may_ask(&self, options: &Options) -> Result<(), Refusal> {
        let Some(declaration) = &self.declaration else {
            return Err(Refusal::NotDeclared { name: self.name.clone(), file: self.shown.clone() });
        };
        match () {
            () if options.offline => Err(Refusal::Offline),
            () if options.source != Source::WorkingTree => Err(Refusal::NotWorkingTree),
            () if !options.allow_send && !declaration.allow_send => Err(Refusal::NotAllowed),
            () => Ok(()),
        }
    }
}

/// Where the user's configuration is looked for, and whether the user said so. Both directories count only if they
/// are absolute, so that no repository can be the place (XDG Base Directory Specification).
fn place(environment: &Environment) -> Option<(PathBuf, bool)> {
    if let Some(chosen) = &environment.user_configuration {
        let here = environment.current_directory.clone().unwrap_or_default();
        return Some((here.join(chosen), true));
    }
    let own = environment.configuration_home.clone().filter(|home| home.is_absolute());
    let home = environment.home.as_ref().filter(|home| home.is_absolute()).map(|home| home.join(".config"));
    Some((own.or(home)?.join("bindery").join(files::USER_CONFIGURATION), false))
}
