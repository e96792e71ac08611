//! One input, one output: threads, directory order, roots and repeated runs (R5), and this repository's own
//! history (R2).

mod harness;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use bindery_engine::{Options, Quiet, Repository};
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

#[test]
fn threads_directory_order_and_root_do_not_show() {
    let repository = seeds().into_iter().find(|seed| seed.name == "sample").expect("there is a sample");
    let expected = clean_outputs(&fresh(&repository.files));
    let mut runs = 0;
    for threads in [1, 2, 16] {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        for order in 0..7 {
            let file_system = fresh(&repository.files);
            let shuffled: Arc<dyn FileSystem> = Arc::new(Shuffled(file_system.clone(), order));
            let environment = Environment { cores: threads, ..Environment::default() };
            let root = PathBuf::from(format!("/elsewhere/{order}"));
            let options = Options { jobs: Some(threads), ..Options::default() };
            let repository = Repository::over(shuffled, root, environment, &options, Interrupt::never());
            let repository = repository.expect("it opens");
            pool.install(|| repository.build(&Quiet)).expect("it builds");
            let differing = differences(&outputs(&file_system), &expected);
            assert!(differing.is_empty(), "{threads} threads, order {order}: {}", differing.join("\n"));
            runs += 1;
        }
    }
    eprintln!("{runs} runs");
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
        let wanted = [".rs", ".py", ".toml", ".md", ".gitignore"]
            .iter()
            .any(|ending| path.ends_with(ending.as_bytes()));
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
