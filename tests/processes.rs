//! Several processes, signals and kills on one repository: R8 (kill −9), R11, R30, with the real program.

mod harness;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bindery_engine::Options;
use harness::*;

const BINDERY: &str = env!("CARGO_BIN_EXE_bindery");

/// A repository on disk with `count` Python files that call each other.
fn repository(count: usize) -> tempfile::TempDir {
    let directory = scratch();
    for number in 0..count {
        let next = (number + 1) % count;
        let text = format!(
            "from m{next} import f{next}\n\n\nclass C{number}:\n    def go(self):\n        return f{next}()\n\n\ndef f{number}():\n    return C{number}().go()\n"
        );
        fs::write(directory.path().join(format!("m{number}.py")), text)
            .expect("the repository can be written");
    }
    directory
}

fn start(root: &Path) -> Child {
    start_command(root, &["build"])
}

fn start_command(root: &Path, words: &[&str]) -> Child {
    let mut command = Command::new(BINDERY);
    command
        .args(words)
        .arg(root)
        .arg("--quiet")
        .env_remove("CI")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Builds to the end and compares with a build of the same sources elsewhere.
fn assert_clean(root: &Path, context: &str) {
    let status = start(root).wait().expect("the program ends");
    assert!(status.success(), "{context}: the next build ends with {status}");
    let clean = scratch();
    for entry in fs::read_dir(root).expect("the root can be listed").flatten() {
        if entry.path().is_file() {
            fs::copy(entry.path(), clean.path().join(entry.file_name())).expect("sources can be copied");
        }
    }
    assert!(start(clean.path()).wait().expect("the program ends").success(), "{context}: a clean build");
    let differing = differences(&outputs_on_disk(root), &outputs_on_disk(clean.path()));
    assert!(differing.is_empty(), "{context}: {}", differing.join("\n"));
}

/// A wait that differs from round to round, up to `most`.
fn pause(numbers: &mut Numbers, most: Duration) {
    std::thread::sleep(most.mul_f64(numbers.below(1_000) as f64 / 1_000.0));
}

/// What a process of a round does, and the exit codes it may end with undisturbed: 1 is the lock that was held
/// for 10 s, 3 a handbook that another one is about to write or an entry that another one removed.
const COMMANDS: [(&[&str], &[i32]); 9] = [
    (&["build"], &[0, 1]),
    (&["build", "--verify"], &[0, 1]),
    (&["build", "--jobs", "1"], &[0, 1]),
    (&["check"], &[0, 3]),
    (&["cache", "gc"], &[0, 1]),
    (&["cache", "clear"], &[0, 1]),
    (&["cache", "verify"], &[0, 3]),
    (&["status"], &[0]),
    (&["callers", "f1"], &[0]),
];

/// One round: 2 to 8 processes, at least one of them a build, some killed, the cache evicted under them.
fn round(number: u64, files: usize) -> (usize, usize, usize) {
    let mut numbers = Numbers::new(number);
    let root = repository(files);
    if numbers.below(2) == 0 {
        assert!(start(root.path()).wait().expect("the program ends").success(), "round {number}");
        fs::write(root.path().join("m0.py"), "def f0():\n    return 1\n").expect("sources can be written");
    }
    let mut children = vec![(0, start(root.path()), false)];
    for _ in 0..1 + numbers.below(7) {
        let which = numbers.below(COMMANDS.len());
        children.push((which, start_command(root.path(), COMMANDS[which].0), false));
    }
    let mut evictions = 0;
    for (_, child, is_killed) in &mut children {
        pause(&mut numbers, Duration::from_millis(8));
        match numbers.below(4) {
            0 => {
                child.kill().expect("a child can be killed");
                *is_killed = true;
            }
            1 => {
                // Whoever holds a file of it open goes on reading; everybody else starts over.
                let part = *numbers.pick(&["cache", "cache/segments", "cache/HEAD"]);
                let path = root.path().join(".bindery").join(part);
                let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                evictions += 1;
            }
            _ => {}
        }
    }
    let (processes, kills) = (children.len(), children.iter().filter(|(.., is_killed)| *is_killed).count());
    for (which, child, is_killed) in children {
        let (words, allowed) = COMMANDS[which];
        let output = child.wait_with_output().expect("the program ends");
        let message = String::from_utf8_lossy(&output.stderr);
        let is_allowed = match output.status.code() {
            None => is_killed,
            Some(1) => allowed.contains(&1) && message.contains("locked by another process"),
            Some(code) => allowed.contains(&code),
        };
        assert!(is_allowed, "round {number}, {words:?}: {}, {message}", output.status);
    }
    assert_clean(root.path(), &format!("round {number}"));
    (processes, kills, evictions)
}

#[test]
fn processes_on_one_repository_that_die_and_evict_leave_it_sound() {
    let rounds: Vec<u64> = seed_numbers(lane(50, 1_000));
    let counts = Mutex::new((0, 0, 0));
    on_all_cores(&rounds, |number| {
        // Up to 8 files are parsed in process, more by workers.
        let (processes, kills, evictions) = round(*number, if number % 2 == 0 { 6 } else { 12 });
        let mut counts = counts.lock().expect("no round fails while it holds the lock");
        *counts = (counts.0 + processes, counts.1 + kills, counts.2 + evictions);
    });
    let (processes, kills, evictions) = counts.into_inner().expect("no round failed");
    eprintln!("{} rounds, {processes} processes, {kills} kills, {evictions} evictions", rounds.len());
}

#[test]
fn a_build_killed_at_any_moment_is_repaired_by_the_next() {
    let root = repository(80);
    let rounds = lane(20, 500);
    for round in 0..rounds {
        let mut numbers = Numbers::new(round ^ 0xDEAD);
        let which = numbers.below(80);
        let path = root.path().join(format!("m{which}.py"));
        let text = fs::read_to_string(&path).expect("sources can be read");
        fs::write(&path, format!("{text}\n\ndef extra{round}():\n    return f{which}()\n"))
            .expect("sources can be written");
        let mut child = start(root.path());
        pause(&mut numbers, Duration::from_millis(150));
        child.kill().expect("a child can be killed");
        let _ = child.wait();
    }
    assert_clean(root.path(), "after all kills");
    eprintln!("{rounds} kills");
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
}

fn ends_within(child: &mut Child, limit: Duration) -> ExitStatus {
    let clock = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        assert!(clock.elapsed() < limit, "the program did not end after the signal");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn signals_end_the_program_with_their_code_and_leave_no_lock() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let root = repository(400);
        let mut child = start(root.path());
        // Handlers are installed first thing; the build takes far longer than this.
        std::thread::sleep(Duration::from_millis(60));
        signal(&child, name);
        let status = ends_within(&mut child, Duration::from_secs(20));
        assert!(matches!(status.code(), Some(ended) if ended == code || ended == 0), "SIG{name}: {status}");
        assert_clean(root.path(), &format!("after SIG{name}"));
        let workers = Command::new("pgrep").args(["-f", "__parse-worker"]).output();
        if let Ok(workers) = workers {
            let own = String::from_utf8_lossy(&workers.stdout).lines().filter(|pid| is_orphan(pid)).count();
            assert_eq!(own, 0, "SIG{name}: workers are left");
        }
    }
}

/// Whether a process has lost its parent.
fn is_orphan(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)) == Some("1")
}

#[test]
fn a_file_that_took_a_run_along_is_parsed_apart_and_forgotten() {
    let root = repository(4);
    assert!(start(root.path()).wait().expect("the program ends").success());
    fs::write(root.path().join("m1.py"), "def f1():\n    return 1\n").expect("sources can be written");
    let names = root.path().join(".bindery/parsing");
    fs::write(&names, "m1.py\n").expect("the work directory can be written");
    assert_clean(root.path(), "after a crash in the parser");
    assert!(!names.exists(), "the names are forgotten once the file is parsed");
}

/// `a\` and a line break: error recovery walks over all of those before, at each of them, and no count of the
/// parser's shows it. So many take minutes.
fn endless() -> Arc<[u8]> {
    "a\\\n".repeat(64 << 10).into_bytes().into()
}

/// Small files enough for a large batch, which is parsed by workers from the start.
fn bystanders(count: usize) -> Tree {
    (0..count).map(|n| (format!("m{n}.py").into_bytes(), "def f():\n    pass\n".as_bytes().into())).collect()
}

#[test]
fn a_parser_that_does_not_end_is_killed_and_its_file_listed() {
    let worker = Some(vec![BINDERY.into(), "__parse-worker".into()]);
    for (worker, beside) in [(worker.clone(), 20), (worker, 1), (None, 1)] {
        let options = Options { worker, patience: Some(Duration::from_secs(1)), ..Options::default() };
        let context = format!("{beside} beside, {:?}", options.worker);
        let file_system = fresh(&bystanders(beside));
        file_system.write(b"endless.py", &endless());
        // Nothing of it is cached: the second time it is tried again.
        let rounds = if beside == 1 && options.worker.is_some() { 2 } else { 1 };
        for _ in 0..rounds {
            let outcome = build_with(&file_system, &options).expect("such a file fails no call");
            assert_eq!(outcome.faults, ["`endless.py`: parser died"], "{context}");
        }
        let coverage = outputs(&file_system)[&b".bindery/phase1/scan-coverage.json"[..]].clone();
        let coverage: serde_json::Value = serde_json::from_slice(&coverage).expect("artifacts are JSON");
        assert_eq!(coverage["metadata"]["nScanned"], beside, "{context}");
        let listed = &coverage["files"][0];
        assert_eq!((&listed["file"], &listed["detail"]), (&"endless.py".into(), &"parser died".into()));
        assert_eq!(listed["reason"], "unparsable", "{context}");

        file_system.write(b"endless.py", b"def g():\n    pass\n");
        let outcome = build_with(&file_system, &options).expect("the file is sound now");
        assert_eq!(outcome.faults, [""; 0], "{context}");
        let differing = differences(&outputs(&file_system), &clean_outputs(&file_system));
        assert!(differing.is_empty(), "{context}: {}", differing.join("\n"));
    }
}
