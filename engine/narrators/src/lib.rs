//! Asking narrators: programs of the user's and chat-completions endpoints.
//!
//! It is the only crate that contacts a host, and starts a program, for the sake of prose. What is asked and what
//! becomes of an answer is decided elsewhere: requests come in, texts or [`Problem`]s go out, one by one, as soon
//! as each is there. What may be started or contacted comes from the user's own configuration alone, as a
//! [`NarratorDeclaration`](bindery_artifacts::NarratorDeclaration).
//!
//! HTTP is spoken by `ureq` 3: a blocking client, maintained, without a runtime of its own, and small beside the
//! asynchronous ones. TLS is rustls with ring, roots from webpki-roots (licences: MIT, Apache-2.0, ISC,
//! CDLA-Permissive-2.0). Redirects are not followed, so that neither source text nor the key goes anywhere but to the
//! endpoint. A proxy of the environment is used.
//!
//! A key is a [`Secret`], which cannot be printed or written. Problems are made of our own words and of numbers; they
//! quote neither what an endpoint answered nor what a program printed, because both may repeat the key.
//!
//! Start reading at [`Narrator`].

mod answer;
mod asking;
mod cancel;
mod command;
mod openai;
mod problem;
mod secret;
mod wait;

use core::time::Duration;
use std::path::{Path, PathBuf};

use bindery_artifacts::{NarratorDeclaration, NarratorKind, NarratorRequest, ProseTexts};

pub use asking::Asked;
pub use cancel::Cancel;
pub use problem::Problem;
pub use secret::Secret;

use command::CommandNarrator;
use openai::OpenAiNarrator;

/// Seconds one request may take if the declaration does not say.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
/// Requests under way at once if the declaration does not say.
pub const DEFAULT_CONCURRENCY: u32 = 4;
/// How often a request is tried again if the declaration does not say.
pub const DEFAULT_RETRIES: u32 = 4;
/// After so many failures in a row nothing more is asked: what fails for all need not fail for each.
pub const FAILURES_IN_A_ROW: usize = 5;

/// A narrator that can be asked.
pub struct Narrator {
    way: Way,
    model: String,
    concurrency: usize,
}

enum Way {
    Command(CommandNarrator),
    OpenAi(Box<OpenAiNarrator>),
}

impl Narrator {
    /// Makes a declaration's narrator ready. `directory` is where the user's configuration lies: relative programs
    /// are taken from there and started there, never from the repository. `key` reads an environment variable.
    pub fn new(
        declaration: &NarratorDeclaration,
        directory: &Path,
        key: impl FnOnce(&str) -> Option<Secret>,
    ) -> Result<Self, Problem> {
        let timeout = declaration
            .timeout_seconds
            .map_or(DEFAULT_TIMEOUT, |seconds| Duration::from_secs(seconds.get().into()));
        let way = match declaration.kind {
            NarratorKind::Command => {
                let (program, arguments) = declaration.program.split_first().ok_or(Problem::NoProgram)?;
                let program = program_path(program, directory);
                let directory = directory.to_owned();
                Way::Command(CommandNarrator { program, arguments: arguments.to_vec(), directory, timeout })
            }
            NarratorKind::Openai => {
                let key = match &declaration.key_env {
                    Some(name) => Some(key(name).ok_or_else(|| Problem::NoKey(name.clone()))?),
                    None => None,
                };
                let endpoint = declaration.endpoint.as_deref().unwrap_or_default();
                let retries = declaration.retries.unwrap_or(DEFAULT_RETRIES);
                Way::OpenAi(Box::new(OpenAiNarrator::new(endpoint, key, timeout, retries)))
            }
        };
        let concurrency = declaration.concurrency.map_or(DEFAULT_CONCURRENCY, core::num::NonZero::get);
        let model = declaration.model.clone().unwrap_or_default();
        Ok(Self { way, model, concurrency: concurrency as usize })
    }

    /// The model that is asked; empty if the declaration names none.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// One request, tried again where that can help.
    fn answer(&self, request: &NarratorRequest, cancel: &Cancel) -> Result<ProseTexts, Problem> {
        match &self.way {
            Way::Command(narrator) => narrator.answer(request, cancel),
            Way::OpenAi(narrator) => narrator.answer(request, cancel),
        }
    }

    /// Whether a request under way ends soon when it is called off; else it is left behind.
    fn ends_when_cancelled(&self) -> bool {
        matches!(self.way, Way::Command(_))
    }
}

/// A bare name is looked for in `PATH`; anything else is seen from `directory`.
fn program_path(program: &str, directory: &Path) -> PathBuf {
    match program.contains('/') {
        true => directory.join(program),
        false => PathBuf::from(program),
    }
}
