use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use bindery_engine::{Failure, Options, Quiet, Repository};

use crate::cargo::Instructions;
use crate::{constants, serve_parse_worker_if_asked, worker_command};

/// The handbook a build script makes.
#[derive(Clone, Debug)]
pub struct Handbook {
    root: PathBuf,
    is_workspace: bool,
    settings: Vec<String>,
}

/// What was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// The directory with the pages.
    pub handbook: PathBuf,
    /// The file with the constants, for `include!`.
    pub constants: PathBuf,
    /// The lines for cargo.
    pub instructions: Vec<String>,
}

impl Handbook {
    /// Of the package whose build script runs.
    ///
    /// A file that lies in the package's own directory is noticed when it changes, one that appears there is not:
    /// cargo looks at directories with everything in them, outputs included. Directories inside are watched whole.
    pub fn of_package() -> Self {
        serve_parse_worker_if_asked();
        let root = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
        Self { root, is_workspace: false, settings: Vec::new() }
    }

    /// Of the whole workspace the package belongs to, as `cargo metadata` says without asking anybody; of the
    /// package alone where there is none, as for a dependency from a registry.
    #[must_use]
    pub fn of_workspace() -> Self {
        Self { is_workspace: true, ..Self::of_package() }
    }

    /// With a line of `bindery.toml` that holds instead of the file's, such as `depth = "deep"`.
    #[must_use]
    pub fn with(mut self, setting: &str) -> Self {
        self.settings.push(setting.to_owned());
        self
    }

    /// Writes the pages to `OUT_DIR/handbook/` and the constants to `OUT_DIR/handbook.rs`, and tells cargo when to
    /// run the script again. A problem becomes an error of the build, with file and line where there is one; the
    /// process then ends with 1.
    pub fn write(&self) {
        let out = env::var_os("OUT_DIR").map(PathBuf::from);
        let cargo = Instructions::for_rust(&env::var("CARGO_PKG_RUST_VERSION").unwrap_or_default());
        let built = match out {
            Some(out) => self.build(&out, cargo),
            None => Err(Failure::usage("`OUT_DIR` is not set: this is for build scripts")),
        };
        match built {
            Ok(built) => built.instructions.iter().for_each(|line| println!("{line}")),
            Err(failure) => {
                let hint = failure.hint.map_or(String::new(), |hint| format!(" ({hint})"));
                // A finding a line, each with its file and line.
                for line in failure.message.lines() {
                    println!("{}", cargo.error(&format!("bindery: {line}{hint}")));
                }
                std::process::exit(1);
            }
        }
    }

    /// The same for any directory, without a word to cargo.
    pub fn build_into(&self, out: &Path) -> Result<Built, Failure> {
        self.build(out, Instructions::for_rust(""))
    }

    fn build(&self, out: &Path, cargo: Instructions) -> Result<Built, Failure> {
        let root = if self.is_workspace { workspace_of(&self.root) } else { self.root.clone() };
        let handbook = out.join("handbook");
        let mut overrides = vec!["artifacts = \"none\"".to_owned(), "formats = [\"markdown\"]".to_owned()];
        overrides.extend(self.settings.iter().cloned());
        let repository = Repository::open(&Options {
            root: Some(root.clone()),
            work_dir: Some(out.join("bindery")),
            out: Some(handbook.clone()),
            overrides,
            worker: worker_command(),
            // Building a crate asks nobody.
            offline: true,
            ..Options::default()
        })?;
        let outcome = repository.build(&Quiet)?;
        let constants = out.join("handbook.rs");
        write_if_changed(&constants, &constants::module(&repository.pages()))?;
        let inputs = repository.inputs();
        let target = target_directory(out);
        let watched = inputs.directories.iter().filter(|directory| !target.starts_with(directory));
        let mut instructions: Vec<String> =
            watched.chain(&inputs.files).map(|path| cargo.rerun_if_changed(path)).collect();
        instructions.extend(inputs.variables.iter().map(|variable| cargo.rerun_if_env_changed(variable)));
        let problems = outcome.warnings.iter().chain(&outcome.faults).chain(&outcome.foreign);
        instructions.extend(problems.map(|problem| cargo.warning(&format!("bindery: {problem}"))));
        if inputs.files.is_empty() {
            // Without a state nothing is known of the inputs; cargo's own rule then watches the package.
            instructions.push(cargo.warning("bindery: the work directory in `OUT_DIR` cannot be written"));
        }
        Ok(Built { handbook, constants, instructions })
    }
}

/// Where cargo puts what it makes, as far as can be told: a directory that holds it must not be watched.
fn target_directory(out: &Path) -> PathBuf {
    // `TARGET/PROFILE/build/PACKAGE-HASH/out`
    out.ancestors().nth(4).unwrap_or(out).to_owned()
}

fn workspace_of(package: &Path) -> PathBuf {
    let mut command = cargo_metadata::MetadataCommand::new();
    command.current_dir(package).no_deps().other_options(vec!["--offline".to_owned()]);
    match command.exec() {
        Ok(metadata) => metadata.workspace_root.into_std_path_buf(),
        Err(_) => package.to_owned(),
    }
}

fn write_if_changed(path: &Path, text: &str) -> Result<(), Failure> {
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text)
        .map_err(|error| Failure::machine(format!("cannot write `{}`: {error}", path.display())))
}
