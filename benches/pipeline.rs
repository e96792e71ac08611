//! How long the whole program takes on a real repository, beside the bare parse of the same files and
//! beside `git status`, in one run.
//!
//! `cargo bench --bench pipeline -- DIRECTORY [FILES]`
//!
//! The first FILES source files of DIRECTORY (3,000 without it) are copied to a temporary directory and
//! committed to a git repository there; DIRECTORY is left alone. Prints a table, then one line of JSON.
//! Times are medians of five, wall clock; `cpu` is user and system time of the program and its workers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 5;
const BINDERY: &str = env!("CARGO_BIN_EXE_bindery");
/// What is copied besides the sources of [`LANGUAGES`].
const ENDINGS: [&str; 8] = ["toml", "md", "mod", "json", "xml", "tsx", "jsx", "mjs"];

/// How a language's files are edited.
struct Language {
    ending: &'static str,
    /// Whether a line is the head of a function with a body below.
    is_head: fn(&str) -> bool,
    /// A statement that names `probe`.
    statement: &'static str,
    /// A declaration of `name` at the end of a file.
    function: &'static str,
}

const LANGUAGES: [Language; 6] = [
    Language {
        ending: "rs",
        is_head: |line| line.contains("fn ") && line.ends_with('{'),
        statement: "let probe = 1;",
        function: "pub fn name(key: u32) -> u32 {\n    key\n}\n",
    },
    Language {
        ending: "py",
        is_head: |line| line.starts_with("def ") && line.ends_with("):"),
        statement: "probe = 1",
        function: "def name(key):\n    return key\n",
    },
    Language {
        ending: "go",
        is_head: |line| line.starts_with("func ") && line.ends_with('{'),
        statement: "const probe = 1",
        function: "func name(key int) int {\n\treturn key\n}\n",
    },
    Language {
        ending: "java",
        is_head: |line| line.starts_with("public ") && line.ends_with(") {"),
        statement: "int probe = 1;",
        function: "class Of_name {\n  int name(int key) {\n    return key;\n  }\n}\n",
    },
    Language {
        ending: "ts",
        is_head: |line| line.contains("function ") && line.ends_with('{'),
        statement: "const probe = 1;",
        function: "export function name(key: number) {\n  return key;\n}\n",
    },
    Language {
        ending: "js",
        is_head: |line| line.contains("function ") && line.ends_with('{'),
        statement: "const probe = 1;",
        function: "export function name(key) {\n  return key;\n}\n",
    },
];

fn language(path: &Path) -> Option<&'static Language> {
    let ending = path.extension()?.to_str()?;
    LANGUAGES.iter().find(|language| language.ending == ending)
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(source) = arguments.next() else {
        println!("usage: cargo bench --bench pipeline -- DIRECTORY [FILES]");
        return;
    };
    let files: usize = arguments.next().map_or(3_000, |files| files.parse().expect("FILES is a number"));
    let scratch = tempfile::tempdir().expect("a temporary directory can be made");
    let repository = Repository::copy(Path::new(&source), files, scratch.path());
    println!("{} files, {:.1} MB", repository.files.len(), repository.bytes as f64 / 1e6);
    let rows = repository.rows();
    println!("{:34} {:>10} {:>10} {:>10}", "", "ms", "cpu ms", "peak MB");
    for row in &rows {
        println!("{:34} {:>10.1} {:>10.1} {:>10.1}", row.name, row.wall, row.cpu, row.peak);
    }
    let json: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "{{\"name\":\"{}\",\"ms\":{:.1},\"cpuMs\":{:.1},\"peakMb\":{:.1}}}",
                row.name, row.wall, row.cpu, row.peak
            )
        })
        .collect();
    let (cache, files, bytes) = (repository.cache_bytes(), repository.files.len(), repository.bytes);
    println!(
        "state and cache: {:.1} MB, {:.2} of the source",
        cache as f64 / 1e6,
        cache as f64 / bytes as f64
    );
    println!("{{\"files\":{files},\"bytes\":{bytes},\"cacheBytes\":{cache},\"rows\":[{}]}}", json.join(","));
}

/// One line of the table.
struct Row {
    name: &'static str,
    wall: f64,
    cpu: f64,
    peak: f64,
}

/// The copy that is measured.
struct Repository {
    root: PathBuf,
    files: Vec<PathBuf>,
    bytes: u64,
}

impl Repository {
    fn copy(source: &Path, limit: usize, scratch: &Path) -> Self {
        let root = scratch.join("repository");
        let mut pending = vec![source.to_owned()];
        let (mut files, mut bytes) = (Vec::new(), 0);
        while let Some(directory) = pending.pop() {
            let mut entries: Vec<PathBuf> = fs::read_dir(&directory)
                .expect("DIRECTORY can be listed")
                .filter_map(|entry| Some(entry.ok()?.path()))
                .collect();
            entries.sort();
            for path in entries {
                let wanted = path
                    .extension()
                    .and_then(|ending| ending.to_str())
                    .is_some_and(|ending| ENDINGS.contains(&ending) || language(&path).is_some());
                if path.is_dir() && !path.is_symlink() {
                    pending.push(path);
                } else if wanted && path.is_file() && files.len() < limit {
                    let target = root.join(path.strip_prefix(source).expect("it was found below DIRECTORY"));
                    fs::create_dir_all(target.parent().expect("a file has a directory"))
                        .expect("the copy can be made");
                    bytes += fs::copy(&path, &target).expect("the copy can be made");
                    files.push(target);
                }
            }
        }
        // Generated files are what some repositories consist of.
        fs::write(root.join("bindery.toml"), "include = [\"**\"]\n").expect("the copy can be written");
        let repository = Self { root, files, bytes };
        for arguments in [
            &["init", "-q"][..],
            &["add", "-A"],
            &["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "start"],
        ] {
            run(Command::new("git").args(arguments).current_dir(&repository.root));
        }
        repository
    }

    fn rows(&self) -> Vec<Row> {
        let clean = || fs::remove_dir_all(self.root.join(".bindery")).unwrap_or_default();
        let no_exports = ["build", "--quiet", "--artifacts", "none"];
        let mut rows = vec![self.bare_parse(), self.git_status()];
        rows.push(self.measure("full, with exports", &["build", "--quiet"], &|_| clean()));
        rows.push(self.measure("full, no exports", &no_exports, &|_| clean()));
        self.bindery(&no_exports);
        rows.push(self.measure("nothing changed", &no_exports, &|_| {}));
        rows.push(self.measure("one body edited", &no_exports, &|round| self.edit(round)));
        rows.push(self.measure("one name added", &no_exports, &|round| {
            self.add("median", &format!("unheard_of_{round}"))
        }));
        rows.push(self.measure("one common name added", &no_exports, &|round| {
            self.add(&format!("fresh{round}"), "get")
        }));
        rows.push(self.measure("check, nothing changed", &["check", "--quiet"], &|_| {}));
        rows
    }

    fn measure(&self, name: &'static str, arguments: &[&str], prepare: &dyn Fn(usize)) -> Row {
        let mut runs: Vec<(f64, f64, f64)> = (0..ROUNDS)
            .map(|round| {
                prepare(round);
                // Past the window in which a fresh write is not believed.
                std::thread::sleep(std::time::Duration::from_millis(60));
                self.bindery(arguments)
            })
            .collect();
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (wall, cpu, peak) = runs[ROUNDS / 2];
        Row { name, wall, cpu, peak }
    }

    /// Wall and CPU milliseconds and peak megabytes of one run.
    fn bindery(&self, arguments: &[&str]) -> (f64, f64, f64) {
        // GNU time reports CPU and memory of the program with the children it waited for.
        let mut command = Command::new("time");
        command
            .args(["-f", "%U %S %M", BINDERY])
            .args(arguments)
            .current_dir(&self.root)
            .stdout(Stdio::null());
        let clock = Instant::now();
        let output = command.output().expect("GNU time is installed");
        let wall = clock.elapsed().as_secs_f64() * 1e3;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = text.lines().last().unwrap_or_default();
        let numbers: Vec<f64> = last.split(' ').filter_map(|number| number.parse().ok()).collect();
        match numbers[..] {
            [user, system, peak] => (wall, (user + system) * 1e3, peak / 1e3),
            _ => panic!("`bindery {}` failed: {text}", arguments.join(" ")),
        }
    }

    fn bare_parse(&self) -> Row {
        let output = Command::new(env!("CARGO"))
            .args(["run", "--release", "-q", "-p", "bindery-languages", "--example", "parse_speed", "--"])
            .arg(&self.root)
            .arg("1")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line =
            text.lines().find(|line| line.starts_with("bare parse")).expect("the bare parse is reported");
        let seconds: f64 =
            line.split_whitespace().nth(2).and_then(|word| word.parse().ok()).expect("in seconds");
        Row { name: "bare parse, one thread", wall: seconds * 1e3, cpu: seconds * 1e3, peak: 0.0 }
    }

    fn git_status(&self) -> Row {
        let mut runs: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let clock = Instant::now();
                run(Command::new("git").args(["status", "--porcelain"]).current_dir(&self.root));
                clock.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        runs.sort_by(f64::total_cmp);
        Row { name: "git status", wall: runs[ROUNDS / 2], cpu: 0.0, peak: 0.0 }
    }

    /// The source file of median size that has a function with a one-line head.
    fn median(&self) -> PathBuf {
        let has_function =
            |path: &&PathBuf| fs::read_to_string(path).is_ok_and(|text| body_line(&text, path).is_some());
        let mut sized: Vec<(u64, &PathBuf)> = self
            .files
            .iter()
            .filter(has_function)
            .map(|path| (fs::metadata(path).map_or(0, |metadata| metadata.len()), path))
            .collect();
        sized.sort();
        sized[sized.len() / 2].1.clone()
    }

    /// Puts another statement at the start of a function's body.
    fn edit(&self, round: usize) {
        let path = self.median();
        let text = fs::read_to_string(&path).expect("the copy can be read");
        let (at, indent) = body_line(&text, &path).expect("the file was chosen for it");
        let language = language(&path).expect("the file was chosen for it");
        let statement = language.statement.replace("probe", &format!("probe{round}"));
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.insert(at, format!("{indent}{statement}"));
        fs::write(&path, lines.join("\n") + "\n").expect("the copy can be written");
    }

    /// Adds a function, to the median file or to a new file beside it.
    fn add(&self, file: &str, name: &str) {
        let median = self.median();
        let language = language(&median).expect("the file was chosen for it");
        let path = match file {
            "median" => median,
            _ => median.with_file_name(format!("{file}.{}", language.ending)),
        };
        let text = fs::read_to_string(&path).unwrap_or_else(|_| match language.ending {
            "go" => "package fresh\n".to_owned(),
            _ => String::new(),
        });
        let function = language.function.replace("name", name);
        fs::write(&path, format!("{text}\n\n{function}")).expect("the copy can be written");
    }

    fn cache_bytes(&self) -> u64 {
        let mut pending = vec![self.root.join(".bindery/cache")];
        let mut bytes = 0;
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => pending.push(entry.path()),
                    Ok(metadata) => bytes += metadata.len(),
                    Err(_) => {}
                }
            }
        }
        bytes
    }
}

/// Where the first body of a function with a one-line head begins, and its indentation.
fn body_line(text: &str, path: &Path) -> Option<(usize, String)> {
    let language = language(path)?;
    let mut lines = text.lines().enumerate();
    let (at, head) = lines.find(|(_, line)| (language.is_head)(line.trim_start()))?;
    Some((at + 1, format!("{}    ", &head[..head.len() - head.trim_start().len()])))
}

fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).status().expect("git runs");
    assert!(status.success(), "{command:?} failed");
}
