//! One input, one output: threads, directory order, roots, and the surroundings of the process (R5), and this
//! repository's own history (R2).

mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bindery_engine::{Options, Quiet, Repository};
use bindery_source::Language;
use bindery_store::fs::{DirEntry, FileSystem, LockAttempt, MemoryFileSystem, OpenFile, Stat};
use bindery_store::{Environment, Interrupt, StoreResult};
use harness::*;

/// Lists directories in an order that depends on a seed.
struct Shuffled(MemoryFileSystem, u64);

impl FileSystem for Shuffled {
    fn shown(&self, path: &[u8]) -> String {
        self.0.shown(path)
    }
    fn lstat(&self, path: &[u8]) -> StoreResult<Stat> {
        self.0.lstat(path)
    }
    fn device(&self, path: &[u8]) -> StoreResult<u64> {
        self.0.device(path)
    }
    fn read_link(&self, path: &[u8]) -> StoreResult<Vec<u8>> {
        self.0.read_link(path)
    }
    fn list(&self, path: &[u8]) -> StoreResult<Vec<DirEntry>> {
        let mut entries = self.0.list(path)?;
        let mut numbers = Numbers::new(self.1);
        for at in (1..entries.len()).rev() {
            entries.swap(at, numbers.below(at + 1));
        }
        Ok(entries)
    }
    fn open(&self, path: &[u8]) -> StoreResult<Box<dyn OpenFile>> {
        self.0.open(path)
    }
    fn create_file(&self, path: &[u8], bytes: &[u8]) -> StoreResult<()> {
        self.0.create_file(path, bytes)
    }
    fn set_mode(&self, path: &[u8], mode: u32) -> StoreResult<()> {
        self.0.set_mode(path, mode)
    }
    fn sync(&self, path: &[u8]) -> StoreResult<()> {
        self.0.sync(path)
    }
    fn rename(&self, from: &[u8], to: &[u8]) -> StoreResult<()> {
        self.0.rename(from, to)
    }
    fn create_directory(&self, path: &[u8]) -> StoreResult<()> {
        self.0.create_directory(path)
    }
    fn remove_file(&self, path: &[u8]) -> StoreResult<()> {
        self.0.remove_file(path)
    }
    fn remove_directory(&self, path: &[u8]) -> StoreResult<()> {
        self.0.remove_directory(path)
    }
    fn try_lock(&self, path: &[u8], holder: &[u8]) -> StoreResult<LockAttempt> {
        self.0.try_lock(path, holder)
    }
}

/// A repository that calls across files, and one that has every language.
fn repositories() -> [Seed; 2] {
    ["sample", "borders"].map(repository_of_fixtures)
}

#[test]
fn the_repositories_have_every_language_that_is_analysed() {
    let [_, borders] = repositories();
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, bytes) in &borders.files {
        let language = std::str::from_utf8(path).ok().and_then(|path| language_of(path, bytes));
        *files.entry(language.map_or("none", Language::name)).or_default() += 1;
    }
    let expected = [("go", 4), ("java", 4), ("javascript", 2), ("python", 4), ("rust", 4), ("tsx", 1)];
    let others = [("typescript", 4), ("none", 5)];
    assert_eq!(files, expected.into_iter().chain(others).collect());
}

#[test]
fn threads_directory_order_and_root_do_not_show() {
    let mut runs = 0;
    for repository in repositories() {
        let expected = clean_outputs(&fresh(&repository.files));
        for threads in [1, 2, 16] {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            for order in 0..7 {
                let found = pool.install(|| outputs_of_shuffled(&repository.files, order, threads));
                let differing = differences(&found, &expected).join("\n");
                assert!(differing.is_empty(), "{}, {threads} threads, {order}: {differing}", repository.name);
                runs += 1;
            }
        }
    }
    eprintln!("{runs} runs");
    assert_eq!(runs, 42);
}

fn outputs_of_shuffled(files: &Tree, order: u64, threads: usize) -> Tree {
    let file_system = fresh(files);
    let shuffled: Arc<dyn FileSystem> = Arc::new(Shuffled(file_system.clone(), order));
    let environment = Environment { cores: threads, ..Environment::default() };
    let root = PathBuf::from(format!("/elsewhere/{order}"));
    let options = Options { jobs: Some(threads), ..Options::default() };
    let repository = Repository::over(shuffled, root, environment, &options, Interrupt::never());
    repository.expect("it opens").build(&Quiet).expect("it builds");
    outputs(&file_system)
}

/// What a process is started in. Every process seeds the standard library's hash maps anew, and every start
/// places its memory elsewhere, so each run varies these too.
struct Surroundings {
    /// Where the repository lies, below a directory of its own.
    root: &'static str,
    /// The current directory, as seen from the root's parent, and how it names the root.
    here: (&'static str, &'static str),
    jobs: &'static str,
    umask: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

const ROOTS: [&str; 4] =
    ["r", "a repository", "d\u{e9}p\u{f4}t/\u{4ed3}\u{5e93}", "deep/er/and/deeper/still"];
const UMASKS: [&str; 4] = ["022", "077", "000", "027"];
const JOBS: [&str; 3] = ["1", "2", "16"];
const VARIABLES: [&[(&str, &str)]; 5] = [
    &[("LC_ALL", "C"), ("TZ", "UTC"), ("HOME", "/")],
    &[("LC_ALL", "tr_TR.UTF-8"), ("LANG", "tr_TR.UTF-8"), ("TZ", "Asia/Kathmandu"), ("HOME", "/nonexistent")],
    &[("LC_ALL", "de_DE.ISO-8859-1"), ("TZ", "America/St_Johns"), ("COLUMNS", "20"), ("TERM", "dumb")],
    &[
        ("LC_ALL", "ja_JP.eucJP"),
        ("TZ", "<+14>-14"),
        ("HOME", ""),
        ("NO_COLOR", "1"),
        ("PATH", "/nonexistent"),
    ],
    &[("LANG", "C.UTF-8"), ("TZ", ":nonsense"), ("TMPDIR", "/nonexistent"), ("CI", "1"), ("USER", "nobody")],
];

fn surroundings(number: u64) -> Surroundings {
    let mut numbers = Numbers::new(number);
    Surroundings {
        root: ROOTS[number as usize % ROOTS.len()],
        here: *numbers.pick(&[(".", "absolute"), ("", "relative"), ("src", "up"), (".", "found")]),
        jobs: JOBS[number as usize % JOBS.len()],
        umask: UMASKS[numbers.below(UMASKS.len())],
        variables: VARIABLES[number as usize % VARIABLES.len()],
    }
}

/// Writes the files in an order of the seed's, so that directories list them in another one.
fn write_shuffled(root: &Path, files: &Tree, seed: u64) {
    let mut paths: Vec<&Vec<u8>> = files.keys().collect();
    let mut numbers = Numbers::new(seed);
    for at in (1..paths.len()).rev() {
        paths.swap(at, numbers.below(at + 1));
    }
    for path in paths {
        let target = root.join(String::from_utf8_lossy(path).as_ref());
        fs::create_dir_all(target.parent().expect("it is below the root")).expect("directories can be made");
        fs::write(target, &files[path]).expect("files can be written");
    }
}

#[test]
fn the_surroundings_of_the_process_do_not_show() {
    let repositories = repositories();
    let expected = [0, 1].map(|at: usize| clean_outputs(&fresh(&repositories[at].files)));
    // The surroundings follow from the number; each meets both repositories.
    let numbers = seed_numbers(lane(20, 200));
    let runs: Vec<(u64, usize)> = numbers.iter().flat_map(|number| [(*number, 0), (*number, 1)]).collect();
    on_all_cores(&runs, |(number, at)| {
        let (repository, expected) = (&repositories[*at], &expected[*at]);
        let Surroundings { root, here: (here, naming), jobs, umask, variables } = surroundings(*number);
        let scratch = scratch();
        let root = scratch.path().join(root);
        write_shuffled(&root, &repository.files, *number);
        // Without a root the nearest `bindery.toml` says where it is; an empty one says nothing else.
        fs::create_dir_all(root.join("src")).expect("directories can be made");
        let (here, root_argument) = match naming {
            "absolute" => (scratch.path().to_owned(), Some(root.clone())),
            "relative" => {
                (scratch.path().to_owned(), root.strip_prefix(scratch.path()).ok().map(PathBuf::from))
            }
            "up" => (root.join(here), Some(PathBuf::from(".."))),
            _ => {
                fs::write(root.join("bindery.toml"), "").expect("files can be written");
                (root.join(here), None)
            }
        };
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "umask \"$1\" && shift && exec \"$@\"", "sh", umask])
            .args([env!("CARGO_BIN_EXE_bindery"), "build", "--quiet", "--jobs", jobs])
            .args(root_argument)
            .current_dir(here)
            .env_clear()
            .envs(variables.iter().copied());
        let output = command.output().expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "run {number}, {variables:?}: {message}");
        let differing = differences(&outputs_on_disk(&root), expected);
        assert!(
            differing.is_empty(),
            "run {number}, {}, {variables:?}: {}",
            repository.name,
            differing.join("\n")
        );
    });
    eprintln!("{} runs of the program", runs.len());
}

fn git(arguments: &[&str]) -> Option<Vec<u8>> {
    let directory = env!("CARGO_MANIFEST_DIR");
    let output = Command::new("git").args(["-C", directory]).args(arguments).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// The files of a commit that a build looks at; the others cannot matter.
fn tree_of(commit: &str) -> Option<Tree> {
    let listing = git(&["ls-tree", "-r", "-z", commit])?;
    let mut tree = Tree::new();
    for entry in listing.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        let (head, path) = entry.split_at(entry.iter().position(|byte| *byte == b'\t')?);
        let (head, path) = (String::from_utf8_lossy(head), &path[1..]);
        let object = head.split(' ').nth(2)?;
        let is_source = std::str::from_utf8(path).is_ok_and(|path| language_of(path, b"").is_some());
        let is_read = [".toml", ".md", ".gitignore", ".json", ".mod"];
        let wanted = is_source || is_read.iter().any(|ending| path.ends_with(ending.as_bytes()));
        if wanted && head.contains("blob") {
            tree.insert(path.to_vec(), git(&["cat-file", "blob", object])?.into());
        }
    }
    Some(tree)
}

#[test]
fn this_repositorys_history_builds_incrementally_as_it_does_clean() {
    let Some(log) = git(&["rev-list", "--first-parent", "--max-count=100", "HEAD"]) else {
        eprintln!("no git history here: nothing to compare");
        return;
    };
    let commits: Vec<String> = String::from_utf8_lossy(&log).lines().rev().map(str::to_owned).collect();
    // The fast lane compares the newest commits; every commit's build takes the last one's state.
    let count = lane(12, 100) as usize;
    let commits = &commits[commits.len().saturating_sub(count)..];
    let file_system = MemoryFileSystem::new();
    for commit in commits {
        let tree = tree_of(commit).expect("git gives the files of its commits");
        for path in sources(&file_system).keys().filter(|path| !tree.contains_key(*path)) {
            file_system.remove(path);
        }
        for (path, bytes) in &tree {
            if file_system.contents(path).as_ref() != Some(bytes) {
                file_system.write(path, bytes);
            }
        }
        build(&file_system).unwrap_or_else(|failure| panic!("commit {commit}: {failure}"));
        let differing = differences(&outputs(&file_system), &clean_outputs(&file_system));
        assert!(differing.is_empty(), "commit {commit}: {}", differing.join("\n"));
    }
    eprintln!("{} commits", commits.len());
}
