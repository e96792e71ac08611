//! Opening a repository: where its root is, what its configuration says, where outputs go.

use std::num::NonZero;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bindery_artifacts::{ArtifactExport, Configuration, Format, files};
use bindery_source::{ContentHash, KeyHasher};
use bindery_store::fs::{FileSystem, OsFileSystem, OverlayFileSystem};
use bindery_store::workers::WorkerCommand;
use bindery_store::{
    Directory, Environment, ErrorKind, GitLocation, Interrupt, StoreError, exists, found, read_file,
};

use crate::options::{Options, Source};
use crate::outcome::{Failure, FailureKind};
use crate::user_configuration::Wish;

/// The work directory's name in the root.
pub const WORK_DIRECTORY: &str = ".bindery";

/// A repository that can be built, checked and asked.
pub struct Repository {
    /// Where sources are read.
    pub(crate) file_system: Arc<dyn FileSystem>,
    pub(crate) root: PathBuf,
    /// Which git repository the root belongs to, where that was found out already.
    git: Option<GitLocation>,
    pub(crate) work: Directory,
    pub(crate) handbook: Directory,
    /// The handbook's directory as seen from the root; none if it lies elsewhere.
    pub(crate) handbook_in_root: Option<String>,
    pub(crate) configuration: Configuration,
    /// Who writes the prose.
    pub(crate) wish: Wish,
    pub(crate) environment: Environment,
    pub(crate) options: Options,
    pub(crate) interrupt: Interrupt,
}

impl Repository {
    /// Finds the root and reads `bindery.toml`. Creates nothing unless an option names a directory outside
    /// the root, which is then created.
    pub fn open(options: &Options) -> Result<Self, Failure> {
        let environment = Environment::read();
        let root = find_root(options.root.as_deref(), &environment)?;
        let disk: Arc<dyn FileSystem> = Arc::new(OsFileSystem::open(&root).map_err(Failure::usage)?);
        let (sources, git) = match &options.source {
            Source::WorkingTree => (disk.clone(), None),
            other => {
                let (sources, git) = git_sources(other, &root, &environment)?;
                (sources, Some(git))
            }
        };
        let disks = Disks { sources, outputs: disk };
        let mut repository = Self::assemble(disks, root, environment, options, Interrupt::on_signals())?;
        repository.git = git;
        Ok(repository)
    }

    /// A repository on any file system, for tests and for use inside other programs. Paths in `options` are
    /// taken relative to `root`.
    pub fn over(
        file_system: Arc<dyn FileSystem>,
        root: PathBuf,
        environment: Environment,
        options: &Options,
        interrupt: Interrupt,
    ) -> Result<Self, Failure> {
        let disks = Disks { sources: file_system.clone(), outputs: file_system };
        Self::assemble(disks, root, environment, options, interrupt)
    }

    fn assemble(
        disks: Disks,
        root: PathBuf,
        environment: Environment,
        options: &Options,
        interrupt: Interrupt,
    ) -> Result<Self, Failure> {
        let Disks { sources, outputs } = disks;
        if !options.stages.is_empty() && options.out.is_none() {
            return Err(Failure::usage("only some stages are asked for, which is no handbook")
                .with_hint("give them a directory of their own with `--out`"));
        }
        let mut configuration = read_configuration(&*sources, options)?;
        let work = place(&outputs, &root, options.work_dir.as_deref(), &environment)?
            .unwrap_or_else(|| (Directory::new(outputs.clone(), WORK_DIRECTORY.as_bytes()), None))
            .0;
        let (work, default_out) = match &options.source {
            Source::WorkingTree => (work, "handbook"),
            Source::Index | Source::IndexAlone => (work.subdirectory("staged"), "staged/handbook"),
            // Its handbook is only compared, as the one that a build writes.
            Source::Commit(_) => (work.subdirectory("commits"), "handbook"),
        };
        if options.source != Source::WorkingTree {
            configuration.artifacts.get_or_insert(ArtifactExport::None);
        }
        let of_handbook = if options.source == Source::IndexAlone { &sources } else { &outputs };
        let out = place(of_handbook, &root, options.out.as_deref(), &environment)?;
        let (handbook, handbook_in_root) = match (out, &configuration.out) {
            (Some(chosen), _) => chosen,
            (None, Some(out)) => (Directory::new(of_handbook.clone(), out.as_bytes()), Some(out.clone())),
            (None, None) => {
                let in_root = options.work_dir.is_none().then(|| format!("{WORK_DIRECTORY}/{default_out}"));
                (work.subdirectory("handbook"), in_root)
            }
        };
        Ok(Self {
            file_system: sources,
            root,
            git: None,
            work,
            handbook,
            handbook_in_root,
            wish: Wish::of(&configuration.narrator, &environment)?,
            configuration,
            environment,
            options: options.clone(),
            interrupt,
        })
    }

    /// The same repository as if no skeleton were committed.
    pub(crate) fn without_skeleton(&self) -> Self {
        let mut copy = self.copy();
        copy.configuration.skeleton = None;
        copy
    }

    /// The same repository over a file system that keeps in memory what is written to it.
    pub(crate) fn in_memory(&self) -> (Self, Arc<OverlayFileSystem>) {
        let overlay = Arc::new(OverlayFileSystem::over(self.file_system.clone()));
        let mut copy = self.copy();
        let on_overlay = |directory: &Directory| -> Directory {
            match Arc::ptr_eq(directory.shared_file_system(), &self.file_system) {
                true => directory.on(overlay.clone()),
                false => {
                    directory.on(Arc::new(OverlayFileSystem::over(directory.shared_file_system().clone())))
                }
            }
        };
        copy.work = on_overlay(&self.work);
        copy.handbook = on_overlay(&self.handbook);
        copy.file_system = overlay.clone();
        (copy, overlay)
    }

    /// The same configuration for another tree of sources, whose handbook lies somewhere else; the links in it are
    /// those of a handbook at this one's place.
    pub(crate) fn for_tree(&self, sources: Arc<dyn FileSystem>, root: PathBuf, handbook: Directory) -> Self {
        let mut copy = self.copy();
        (copy.file_system, copy.root, copy.handbook, copy.git) = (sources, root, handbook, None);
        copy.configuration.artifacts = Some(ArtifactExport::None);
        // The stats that are known are those of other files.
        copy.options.hash_everything = true;
        copy
    }

    pub(crate) fn copy(&self) -> Self {
        Self {
            file_system: self.file_system.clone(),
            root: self.root.clone(),
            git: self.git.clone(),
            work: self.work.clone(),
            handbook: self.handbook.clone(),
            handbook_in_root: self.handbook_in_root.clone(),
            configuration: self.configuration.clone(),
            wish: self.wish.clone(),
            environment: self.environment.clone(),
            options: self.options.clone(),
            interrupt: self.interrupt.clone(),
        }
    }

    /// The directory analysed.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The configuration in force.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    pub(crate) fn worker(&self) -> Option<WorkerCommand> {
        let (program, arguments) = self.options.worker.as_ref()?.split_first()?;
        Some(WorkerCommand { program: PathBuf::from(program), arguments: arguments.to_vec() })
    }

    pub(crate) fn jobs(&self) -> usize {
        self.options.jobs.unwrap_or(self.environment.cores).max(1)
    }

    pub(crate) fn git(&self) -> Option<GitLocation> {
        self.git.clone().or_else(|| GitLocation::find(&self.root))
    }

    /// Ends the call if the user asked to stop.
    pub(crate) fn check_interrupt(&self) -> Result<(), Failure> {
        match self.interrupt.received() {
            Some(signal) => Err(Failure::interrupted(signal)),
            None => Ok(()),
        }
    }

    /// What the configuration says about selecting files.
    pub(crate) fn selection_digest(&self) -> ContentHash {
        let configuration = &self.configuration;
        let mut key = KeyHasher::new("selection");
        for pattern in &configuration.include {
            key.field("include", pattern.as_bytes());
        }
        for pattern in &configuration.exclude {
            key.field("exclude", pattern.as_bytes());
        }
        key.field("files", format!("{:?}", configuration.files).as_bytes());
        key.field("handbook", self.handbook_in_root.as_deref().unwrap_or_default().as_bytes());
        key.field("work", self.work.base());
        self.limits().enter(&mut key);
        key.finish()
    }

    /// The limits of parsing in force.
    pub(crate) fn limits(&self) -> bindery_syntax::Limits {
        let (chosen, mut limits) = (self.configuration.limits, bindery_syntax::Limits::default());
        limits.file_bytes = chosen.file_bytes.map_or(limits.file_bytes, NonZero::get);
        limits.bracket_depth = chosen.bracket_depth.map_or(limits.bracket_depth, NonZero::get);
        limits.memory_base = chosen.memory_base.map_or(limits.memory_base, NonZero::get);
        limits.memory_per_byte = chosen.memory_per_byte.map_or(limits.memory_per_byte, NonZero::get);
        limits.ticks_base = chosen.ticks_base.map_or(limits.ticks_base, NonZero::get);
        limits.ticks_per_kibibyte = chosen.ticks_per_kibibyte.map_or(limits.ticks_per_kibibyte, NonZero::get);
        limits
    }
}

/// Where a repository's files are read, and where what is made of them is written.
struct Disks {
    sources: Arc<dyn FileSystem>,
    outputs: Arc<dyn FileSystem>,
}

/// What git holds of the repository at `root`.
fn git_sources(
    source: &Source,
    root: &Path,
    environment: &Environment,
) -> Result<(Arc<dyn FileSystem>, GitLocation), Failure> {
    let none = || Failure::usage(format!("`{}` is not in a git repository", root.display()));
    match source {
        Source::Commit(revision) => {
            let git = GitLocation::find(root).ok_or_else(none)?;
            let tree = git.commit_tree(root, revision).map_err(|error| match error.kind {
                ErrorKind::NotFound => Failure::usage(format!("there is no commit `{revision}` here"))
                    .with_hint(
                        "a shallow clone has only the last commits: `git fetch --unshallow` gets them all",
                    ),
                _ => Failure::machine(error),
            })?;
            Ok((Arc::new(tree), git))
        }
        _ => {
            let git = GitLocation::of_hook(environment, root).ok_or_else(none)?;
            let tree = git.index_tree(root).map_err(|error| match error.detail.as_str() {
                "it is unmerged in the git index" => {
                    Failure::findings(error).with_hint("resolve the conflict and `git add` the file")
                }
                _ => Failure::machine(error),
            })?;
            Ok((Arc::new(tree), git))
        }
    }
}

pub(crate) fn find_root(given: Option<&Path>, environment: &Environment) -> Result<PathBuf, Failure> {
    let here = environment.current_directory.clone();
    if let Some(given) = given.or(environment.root.as_deref()) {
        let path = here.map_or_else(|| given.to_owned(), |here| here.join(given));
        return if exists(&path) {
            Ok(normal(&path))
        } else {
            Err(Failure::usage(format!("cannot find the directory `{}`", given.display())))
        };
    }
    let configured = here.as_deref().into_iter().flat_map(Path::ancestors);
    match configured.into_iter().find(|directory| exists(&directory.join(files::CONFIGURATION))) {
        Some(directory) => Ok(directory.to_owned()),
        None => top_of_git(environment),
    }
}

/// The root that is set up: as [`find_root`], but a `bindery.toml` further up is no reason to look there.
pub(crate) fn find_root_to_set_up(
    given: Option<&Path>,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    match given.or(environment.root.as_deref()) {
        Some(given) => find_root(Some(given), environment),
        None => top_of_git(environment),
    }
}

/// The top of the git repository around the current directory, else the current directory.
fn top_of_git(environment: &Environment) -> Result<PathBuf, Failure> {
    let here = environment.current_directory.clone();
    let here = here.ok_or_else(|| Failure::usage("the current directory does not exist"))?;
    Ok(GitLocation::find(&here).map_or(here, |git| git.top_level))
}

/// Folds `.` and `..` by spelling.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                folded.pop();
            }
            other => folded.push(other),
        }
    }
    folded
}

/// The directory an option names, and its path in the root if it lies there.
pub(crate) fn place(
    file_system: &Arc<dyn FileSystem>,
    root: &Path,
    given: Option<&Path>,
    environment: &Environment,
) -> Result<Option<(Directory, Option<String>)>, Failure> {
    let Some(given) = given else { return Ok(None) };
    let base = environment.current_directory.as_deref().unwrap_or(root);
    let path = normal(&base.join(given));
    if let Ok(inside) = path.strip_prefix(root)
        && let Some(inside) = inside.to_str().filter(|inside| !inside.is_empty())
    {
        return Ok(Some((Directory::new(file_system.clone(), inside.as_bytes()), Some(inside.to_owned()))));
    }
    let outside = OsFileSystem::create(&path).map_err(Failure::machine)?;
    Ok(Some((Directory::new(Arc::new(outside), b""), None)))
}

fn read_configuration(file_system: &dyn FileSystem, options: &Options) -> Result<Configuration, Failure> {
    let bytes = found(read_file(file_system, files::CONFIGURATION.as_bytes())).map_err(Failure::machine)?;
    let text = match bytes {
        Some(read) => String::from_utf8(read.bytes).map_err(|_| not_text())?,
        None => String::new(),
    };
    let mut configuration = parse_configuration(files::CONFIGURATION, &text)?;
    if !options.overrides.is_empty() {
        let overrides = options.overrides.join("\n");
        parse_configuration("--config", &overrides)
            .map_err(|failure| Failure { kind: FailureKind::Usage, ..failure })?;
        let overridden = parse_configuration(files::CONFIGURATION, &merged(&text, &overrides)?)?;
        if options.out.is_none() {
            check_same_handbook("--config", &configuration, &overridden)?;
        }
        configuration = overridden;
    }
    if options.agent_site && !configuration.formats.contains(&Format::Agent) {
        let mut with_agent = configuration.clone();
        with_agent.formats.push(Format::Agent);
        if options.out.is_none() {
            check_same_handbook("--agent-site", &configuration, &with_agent)?;
        }
        configuration = with_agent;
    }
    check_version(&configuration)?;
    Ok(configuration)
}

fn not_text() -> Failure {
    Failure::findings(format!("`{}` is not UTF-8 text", files::CONFIGURATION))
}

pub(crate) fn parse_configuration(name: &str, text: &str) -> Result<Configuration, Failure> {
    bindery_artifacts::read::read::<Configuration>(name, text)
        .map(|located| located.value)
        .map_err(|findings| Failure::of_findings(&findings))
}

/// A run whose flags change the handbook must not write where the configuration's own handbook lies: the next
/// run would change it back.
fn check_same_handbook(
    flag: &str,
    written: &Configuration,
    overridden: &Configuration,
) -> Result<(), Failure> {
    let same = Configuration { artifacts: written.artifacts, ..overridden.clone() };
    if same == *written || overridden.out != written.out {
        return Ok(());
    }
    let failure = Failure::usage(format!("`{flag}` changes the handbook, for this run only"));
    Err(failure.with_hint("give such a run a directory of its own with `--out`"))
}

/// `text` with the top-level keys of `overrides` in place of its own.
fn merged(text: &str, overrides: &str) -> Result<String, Failure> {
    let mut table: toml::Table = toml::from_str(text).map_err(Failure::findings)?;
    table.extend(toml::from_str::<toml::Table>(overrides).map_err(Failure::usage)?);
    toml::to_string(&table).map_err(Failure::machine)
}

fn check_version(configuration: &Configuration) -> Result<(), Failure> {
    let Some(required) = &configuration.required_version else { return Ok(()) };
    let requirement = semver::VersionReq::parse(required)
        .map_err(|error| Failure::findings(format!("`required_version`: {error}")))?;
    let version = semver::Version::parse(crate::VERSION).map_err(Failure::machine)?;
    if requirement.matches(&version) {
        return Ok(());
    }
    let message = format!("this repository wants bindery {required}, and this is {version}");
    Err(Failure::findings(message).with_hint("install a version that fits, or change `required_version`"))
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::machine(error)
    }
}
