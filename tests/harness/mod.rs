//! The scenario runner: a repository in memory, edits to it, builds of it, and the tree a build leaves.
//!
//! Everything runs the real pipeline through [`Repository::over`]; only the file system is another one.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "each test binary uses its own part of the harness"
)]

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bindery_engine::{BuildOutcome, CheckOutcome, Failure, Options, Quiet, Repository};
use bindery_source::Language;
use bindery_store::fs::{FileSystem, MemoryFileSystem};
use bindery_store::{Environment, Interrupt};

/// How many scenarios a lane runs: `BINDERY_NIGHTLY=1` chooses the long one.
pub fn lane(fast: u64, nightly: u64) -> u64 {
    if std::env::var_os("BINDERY_NIGHTLY").is_some() { nightly } else { fast }
}

/// The seeds of a lane, or the one that `BINDERY_SEED` asks for.
pub fn seed_numbers(count: u64) -> Vec<u64> {
    match std::env::var("BINDERY_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => (0..count).collect(),
    }
}

/// Runs `scenario` for each seed with the fixture repositories and prints the count.
pub fn for_each_seed(count: u64, scenario: impl Fn(u64, &[Seed]) + Sync) {
    let (repositories, seeds) = (seeds(), seed_numbers(count));
    on_all_cores(&seeds, |seed| scenario(*seed, &repositories));
    eprintln!("{} scenarios over {} repositories", seeds.len(), repositories.len());
}

/// Runs `scenario` for each item on all cores, and says on the way how far a long lane is; a failure ends the
/// test when the others are through.
pub fn on_all_cores<T: Sync>(items: &[T], scenario: impl Fn(&T) + Sync) {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    scenario(item);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if done.is_multiple_of(1_000) && done < items.len() {
                        eprintln!("{done} of {} scenarios", items.len());
                    }
                }
            });
        }
    });
}

/// Whether a program of other people's is installed; if not, says that the test is skipped. `BINDERY_REQUIRE_TOOLS`
/// names, with blanks between them, those that must be, as the gate does for what it found.
pub fn is_installed(program: &str) -> bool {
    let mut command = std::process::Command::new(program);
    let is_there = command.arg("--version").stdin(std::process::Stdio::null()).output().is_ok();
    let required = std::env::var("BINDERY_REQUIRE_TOOLS").unwrap_or_default();
    let is_required = required.split_whitespace().any(|name| name == program);
    assert!(
        is_there || !is_required,
        "`{program}` is required by BINDERY_REQUIRE_TOOLS and cannot be started"
    );
    if !is_there {
        eprintln!("skipped: `{program}` is not installed");
    }
    is_there
}

/// The fenced block of the README that begins with the comment `# FILE`, as a user would copy it into that file.
pub fn documented(file: &str) -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("the README can be read");
    let mut blocks = readme.split("\n```").skip(1).step_by(2);
    let block = blocks.find_map(|block| {
        let (_, text) = block.split_once('\n')?;
        (text.lines().next()? == format!("# {file}")).then(|| format!("{text}\n"))
    });
    block.unwrap_or_else(|| panic!("the README has no block that begins with `# {file}`"))
}

/// A directory for one scenario, in memory where the machine has such a place.
pub fn scratch() -> tempfile::TempDir {
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.expect("a temporary directory can be made")
}

/// The contents of everything below a directory on disk, by relative path; links by their targets.
pub fn everything_below(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory).expect("it can be listed").flatten() {
            let path = entry.path();
            let bytes = match std::fs::read_link(&path) {
                Ok(target) => target.as_os_str().as_bytes().to_vec(),
                Err(_) if path.is_dir() => {
                    pending.push(path.clone());
                    b"directory".to_vec()
                }
                // Only a file is read: opening a pipe would wait for a writer.
                Err(_) if path.is_file() => std::fs::read(&path).unwrap_or_default(),
                Err(_) => b"special".to_vec(),
            };
            let relative = path.strip_prefix(root).expect("it was found below the root");
            tree.insert(relative.as_os_str().as_bytes().to_vec(), bytes.into());
        }
    }
    tree
}

/// The same as [`outputs`], of a repository on disk.
pub fn outputs_on_disk(root: &Path) -> Tree {
    let mut tree = Tree::new();
    for name in ["handbook", "phase1", "phase2", "phase3"] {
        let directory = root.join(".bindery").join(name);
        if directory.exists() {
            let files =
                everything_below(&directory).into_iter().filter(|(_, bytes)| &**bytes != b"directory");
            tree.extend(
                files.map(|(path, bytes)| ([format!(".bindery/{name}/").as_bytes(), &path].concat(), bytes)),
            );
        }
    }
    tree
}

/// A repository of five files in two languages that call each other.
pub fn small() -> Seed {
    let files = [
        ("Cargo.toml", "[package]\nname = \"small\"\nedition = \"2021\"\n"),
        ("src/lib.rs", "pub mod store;\n\npub fn run() {\n    store::save(1);\n}\n"),
        ("src/store.rs", "static mut COUNT: u32 = 0;\n\npub fn save(n: u32) -> u32 {\n    n + 1\n}\n"),
        ("tools/report.py", "from tools import text\n\n\ndef report():\n    return text.line(\"x\")\n"),
        ("tools/text.py", "def line(word):\n    return word.strip()\n"),
    ];
    let files = files.map(|(path, text)| (path.as_bytes().to_vec(), text.as_bytes().into()));
    Seed { name: "small".to_owned(), files: files.into_iter().collect() }
}

/// File contents by path.
pub type Tree = BTreeMap<Vec<u8>, Arc<[u8]>>;

/// Numbers from a seed, the same everywhere (xorshift64*, Vigna 2016).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        // A zero state would stay zero.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 33) as usize) % bound
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Opens a repository on any file system.
pub fn open(file_system: Arc<dyn FileSystem>, options: &Options) -> Result<Repository, Failure> {
    let environment = Environment { cores: 2, ..Environment::default() };
    Repository::over(file_system, PathBuf::from("/repository"), environment, options, Interrupt::never())
}

/// Builds with default options.
pub fn build(file_system: &MemoryFileSystem) -> Result<BuildOutcome, Failure> {
    build_with(file_system, &Options::default())
}

pub fn build_with(file_system: &MemoryFileSystem, options: &Options) -> Result<BuildOutcome, Failure> {
    open(Arc::new(file_system.clone()), options)?.build(&Quiet)
}

pub fn check(file_system: &MemoryFileSystem) -> Result<CheckOutcome, Failure> {
    open(Arc::new(file_system.clone()), &Options::default())?.check(false, &Quiet)
}

/// Everything a person or tool reads of a build: handbook, exports. Not the cache, nor the record of the run,
/// which has its time in it.
pub fn outputs(file_system: &MemoryFileSystem) -> Tree {
    let read = [".bindery/handbook/", ".bindery/phase1/", ".bindery/phase2/", ".bindery/phase3/"];
    let is_output = |path: &[u8]| read.iter().any(|prefix| path.starts_with(prefix.as_bytes()));
    file_system.files(b"").into_iter().filter(|(path, _)| is_output(path)).collect()
}

/// The files a person wrote.
pub fn sources(file_system: &MemoryFileSystem) -> Tree {
    file_system.files(b"").into_iter().filter(|(path, _)| !path.starts_with(b".bindery/")).collect()
}

/// A new file system with these files only.
pub fn fresh(sources: &Tree) -> MemoryFileSystem {
    let file_system = MemoryFileSystem::new();
    for (path, bytes) in sources {
        file_system.write(path, bytes);
    }
    file_system
}

/// The outputs of a build of the same files with nothing left from earlier runs.
pub fn clean_outputs(file_system: &MemoryFileSystem) -> Tree {
    let clean = fresh(&sources(file_system));
    build(&clean).expect("a clean build of a tree that builds works");
    outputs(&clean)
}

/// What differs between two trees, for messages; empty if nothing does.
pub fn differences(left: &Tree, right: &Tree) -> Vec<String> {
    let shown = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let mut differences = Vec::new();
    for (path, bytes) in left {
        match right.get(path) {
            None => differences.push(format!("only in the first: {}", shown(path))),
            Some(other) if other != bytes => {
                differences.push(format!("{}: {}", shown(path), first_difference(bytes, other)))
            }
            Some(_) => {}
        }
    }
    let only_right = right.keys().filter(|path| !left.contains_key(*path));
    differences.extend(only_right.map(|path| format!("only in the second: {}", shown(path))));
    differences
}

fn first_difference(left: &[u8], right: &[u8]) -> String {
    let (left, right) = (String::from_utf8_lossy(left), String::from_utf8_lossy(right));
    let mut lines = left.lines().zip(right.lines()).enumerate();
    match lines.find(|(_, (left, right))| left != right) {
        Some((number, (left, right))) => format!("line {}: `{left}` and `{right}`", number + 1),
        None => "one is longer".to_owned(),
    }
}

/// A named repository to start from.
#[derive(Clone)]
pub struct Seed {
    pub name: String,
    pub files: Tree,
}

/// The repository of the fixtures that is a directory of this name.
pub fn repository_of_fixtures(name: &str) -> Seed {
    let directory_of_it = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    Seed { name: name.to_owned(), files: directory(&directory_of_it) }
}

/// The folders of `fixtures` with literate cases. That none is missing is a test of `handbook.rs`.
pub const LITERATE: [&str; 6] = ["go", "java", "javascript", "python", "rust", "typescript"];

/// Every fixture repository: `fixtures/sample`, `fixtures/borders`, and each case of the literate language fixtures.
pub fn seeds() -> Vec<Seed> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut seeds = vec![repository_of_fixtures("sample"), repository_of_fixtures("borders")];
    for language in LITERATE {
        let mut pages: Vec<PathBuf> = std::fs::read_dir(fixtures.join(language))
            .expect("the fixtures are part of the repository")
            .map(|entry| entry.expect("the fixtures can be listed").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
            .collect();
        pages.sort();
        for page in pages {
            seeds.extend(cases(language, &page));
        }
    }
    seeds
}

/// All files below a directory, links left out.
pub fn directory(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("the fixtures can be listed") {
            let path = entry.expect("the fixtures can be listed").path();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                if path.file_name().is_none_or(|name| name != ".bindery" && name != "target") {
                    pending.push(path);
                }
            } else {
                let bytes = std::fs::read(&path).expect("the fixtures can be read");
                let relative = path.strip_prefix(root).expect("it was found below the root");
                tree.insert(relative.to_string_lossy().into_owned().into_bytes(), bytes.into());
            }
        }
    }
    tree
}

/// The language of a file, by its name, else by its first line.
pub fn language_of(path: &str, bytes: &[u8]) -> Option<Language> {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.and_then(Language::from_extension).or_else(|| {
        let line = bytes.split(|byte| *byte == b'\n').next()?;
        Language::from_shebang(std::str::from_utf8(line).ok()?)
    })
}

/// The languages whose files may call each other count as one.
pub fn family_of(language: Language) -> &'static str {
    match language {
        Language::JavaScript | Language::Tsx | Language::TypeScript => "scripts",
        other => other.name(),
    }
}

/// The calls and supertypes of a graph that lead from one family of languages into another; none may, as long as
/// no rule of a language says so. `graph` is what `phase1/graph.json` holds.
pub fn crossings(graph: &serde_json::Value, sources: &Tree) -> Vec<String> {
    let object = |value: &serde_json::Value| value.as_object().cloned().unwrap_or_default();
    let (nodes, types) = (object(&graph["nodes"]), object(&graph["types"]));
    let family = |id: &str| {
        let path = nodes.get(id).or_else(|| types.get(id))?["file"].as_str()?;
        let language = sources.get(path.as_bytes()).and_then(|bytes| language_of(path, bytes));
        Some(family_of(language.unwrap_or_else(|| panic!("{path}, where {id} is, has no language"))))
    };
    let calls = graph["edges"].as_array().into_iter().flatten();
    let calls = calls.filter_map(|edge| Some((edge["callerId"].as_str()?, edge["calleeId"].as_str()?)));
    let supertypes = types.iter().flat_map(|(id, entry)| {
        let bases = entry["supertypes"].as_array().into_iter().flatten();
        bases.filter_map(|base| Some((id.as_str(), base.as_str()?)))
    });
    let crosses = |(from, to): &(&str, &str)| match (family(from), family(to)) {
        (Some(from), Some(to)) => from != to,
        _ => false,
    };
    calls.chain(supertypes).filter(crosses).map(|(from, to)| format!("{from} -> {to}")).collect()
}

/// The cases of one literate page: a `## ` heading each, its files in fenced blocks with `file=`.
fn cases(language: &str, page: &Path) -> Vec<Seed> {
    let text = std::fs::read_to_string(page).expect("the fixtures can be read");
    let stem = page.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut cases: Vec<Seed> = Vec::new();
    let mut open: Option<(Vec<u8>, String)> = None;
    for line in text.lines() {
        if let Some((path, body)) = &mut open {
            if line.trim_end() == "```" {
                if let Some(case) = cases.last_mut() {
                    case.files.insert(path.clone(), body.as_bytes().into());
                }
                open = None;
            } else {
                body.push_str(line);
                body.push('\n');
            }
        } else if let Some(heading) = line.strip_prefix("## ") {
            cases.push(Seed { name: format!("{language}/{stem}: {heading}"), files: Tree::new() });
        } else if let Some(path) = line.strip_prefix("```").and_then(|info| info.split_once("file=")) {
            open = Some((
                path.1.split_whitespace().next().unwrap_or_default().as_bytes().to_vec(),
                String::new(),
            ));
        }
    }
    cases.retain(|case| !case.files.is_empty());
    cases
}
