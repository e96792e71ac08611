//! What needs real processes: workers that answer, hang, die and talk nonsense; two processes on one cache;
//! kills in the middle of a write; signals. This binary is its own worker: with an argument it plays a part,
//! without one it runs the tests.

#![allow(clippy::unwrap_used, reason = "everything in here is a test")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bindery_source::ContentHash;
use bindery_store::fs::OsFileSystem;
use bindery_store::workers::{Answer, Ending, WorkerCommand, WorkerPool, end_worker, patience_with, serve};
use bindery_store::{
    BlobRef, Commit, ContentStore, Directory, Durability, ErrorKind, Holder, Interrupt, Signal, WorkDir,
    peak_memory_of_children,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["worker"] => serve(&mut work),
        ["babble"] => {
            println!("hello, I am no worker");
            std::thread::sleep(Duration::from_secs(60));
        }
        ["supervise"] => supervise(),
        ["add", directory, who, count] => add_entries(Path::new(directory), who, count.parse().unwrap()),
        ["hold", directory] => hold(Path::new(directory)),
        ["wait-for-signal"] => wait_for_signal(),
        _ => run_tests(&words),
    }
}

/// Every test by name, run one after the other; arguments of the form of cargo's filter choose among them.
fn run_tests(words: &[&str]) {
    let tests: [(&str, fn()); 9] = [
        ("workers_answer_every_request_once", workers_answer_every_request_once),
        ("death_is_noticed_and_costs_one_request", death_is_noticed_and_costs_one_request),
        ("an_answer_that_takes_too_long_is_not_waited_for", an_answer_that_takes_too_long_is_not_waited_for),
        ("nonsense_is_not_taken_for_an_answer", nonsense_is_not_taken_for_an_answer),
        ("an_interrupt_ends_the_run_at_once", an_interrupt_ends_the_run_at_once),
        ("no_worker_outlives_its_supervisor", no_worker_outlives_its_supervisor),
        ("processes_share_one_cache_through_kills", processes_share_one_cache_through_kills),
        ("a_second_build_learns_who_holds_the_lock", a_second_build_learns_who_holds_the_lock),
        ("signals_ask_first_and_insist_the_second_time", signals_ask_first_and_insist_the_second_time),
    ];
    let filters: Vec<&&str> = words.iter().filter(|word| !word.starts_with('-')).collect();
    for (name, test) in tests {
        if filters.is_empty() || filters.iter().any(|filter| name.contains(**filter)) {
            let start = Instant::now();
            test();
            println!("test {name} ... ok ({:.2} s)", start.elapsed().as_secs_f64());
        }
    }
}

fn this_program(arguments: &[&str]) -> WorkerCommand {
    WorkerCommand {
        program: std::env::current_exe().unwrap(),
        arguments: arguments.iter().map(Into::into).collect(),
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments).stdin(Stdio::null());
    command
}

fn pool(arguments: &[&str], jobs: usize) -> WorkerPool {
    let mut pool = WorkerPool::new(this_program(arguments), jobs, Interrupt::never());
    pool.patience = Duration::from_millis(400);
    pool
}

fn ask(pool: &WorkerPool, requests: &[&[u8]]) -> Vec<Answer> {
    let answers = Mutex::new(BTreeMap::new());
    pool.run(requests.iter().map(|request| request.to_vec()), &|index, answer| {
        let before = answers.lock().unwrap().insert(index, answer);
        assert!(before.is_none(), "request {index} was answered twice");
    });
    let answers = answers.into_inner().unwrap();
    assert_eq!(answers.len(), requests.len());
    answers.into_values().collect()
}

/// What the worker does, by the first word of the request.
fn work(request: Vec<u8>) -> Vec<u8> {
    match request.as_slice() {
        b"exit" => end_worker(7),
        b"abort" => std::process::abort(),
        b"hang" => std::thread::sleep(Duration::from_secs(60)),
        b"slow" => std::thread::sleep(Duration::from_millis(800)),
        b"memory" => return vec![1; 64 << 20],
        b"pid" => return std::process::id().to_string().into_bytes(),
        _ => {}
    }
    request.iter().rev().copied().collect()
}

fn workers_answer_every_request_once() {
    let requests: Vec<Vec<u8>> = (0..500).map(|number| format!("request {number}").into_bytes()).collect();
    let borrowed: Vec<&[u8]> = requests.iter().map(Vec::as_slice).collect();
    for jobs in [1, 4] {
        for (request, answer) in requests.iter().zip(ask(&pool(&["worker"], jobs), &borrowed)) {
            assert_eq!(answer, Answer::Done(request.iter().rev().copied().collect()));
        }
    }
    // Longer than a pipe holds, both ways, and empty ones.
    let large = vec![b'x'; 8 << 20];
    let pool = pool(&["worker"], 2);
    assert_eq!(ask(&pool, &[&large, b""]), [Answer::Done(large.clone()), Answer::Done(Vec::new())]);
    assert_eq!(ask(&pool, &[]), []);
    assert!(matches!(&ask(&pool, &[b"memory"])[..], [Answer::Done(bytes)] if bytes.len() == 64 << 20));
    assert!(peak_memory_of_children() > 64 << 20);
}

fn death_is_noticed_and_costs_one_request() {
    let answers = ask(&pool(&["worker"], 1), &[b"ab", b"exit", b"cd", b"abort", b"ef"]);
    let aborted = Ending::Killed(6);
    let expected = [
        Answer::Done(b"ba".to_vec()),
        Answer::Lost(Ending::Exited(7)),
        Answer::Done(b"dc".to_vec()),
        Answer::Lost(aborted),
        Answer::Done(b"fe".to_vec()),
    ];
    assert_eq!(answers, expected);
    let missing = WorkerCommand { program: "/nonexistent/program".into(), arguments: Vec::new() };
    let pool = WorkerPool::new(missing, 1, Interrupt::never());
    assert_eq!(ask(&pool, &[b"x"]), [Answer::Lost(Ending::Unusable)]);
}

fn an_answer_that_takes_too_long_is_not_waited_for() {
    let start = Instant::now();
    let mut pool = pool(&["worker"], 1);
    let lost = Answer::Lost(Ending::Silent);
    assert_eq!(ask(&pool, &[b"hang", b"ab", b"slow"]), [lost.clone(), Answer::Done(b"ba".to_vec()), lost]);
    assert!(start.elapsed() < Duration::from_secs(20));
    pool.patience = Duration::from_secs(30);
    assert_eq!(ask(&pool, &[b"slow"]), [Answer::Done(b"wols".to_vec())]);
    let seconds = |mebibytes: usize| patience_with(Duration::from_secs(120), mebibytes << 20).as_secs();
    assert_eq!([0, 1, 10].map(seconds), [120, 180, 720]);
}

fn nonsense_is_not_taken_for_an_answer() {
    assert_eq!(ask(&pool(&["babble"], 1), &[b"x"]), [Answer::Lost(Ending::Unusable)]);
}

fn an_interrupt_ends_the_run_at_once() {
    let mut pool = pool(&["worker"], 2);
    pool.patience = Duration::from_secs(60);
    let interrupt = pool.interrupt.clone();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            interrupt.raise(Signal::Interrupt);
        });
        assert_eq!(ask(&pool, &[b"hang", b"hang", b"ab"]), vec![Answer::Interrupted; 3]);
    });
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// Starts a worker that hangs, says its number, and waits with it.
fn supervise() {
    let mut pool = pool(&["worker"], 1);
    pool.patience = Duration::from_secs(60);
    pool.run([b"pid".to_vec(), b"hang".to_vec()].into_iter(), &|_, answer| {
        if let Answer::Done(pid) = answer {
            println!("{}", String::from_utf8(pid).unwrap());
            std::io::stdout().flush().unwrap();
        }
    });
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    line.trim().to_owned()
}

fn no_worker_outlives_its_supervisor() {
    let mut supervisor = command(&["supervise"]).stdout(Stdio::piped()).spawn().unwrap();
    let worker = first_line(&mut supervisor);
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    let start = Instant::now();
    // A zombie waiting for some init to collect it is as good as gone.
    while std::fs::read_to_string(format!("/proc/{worker}/stat")).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(start.elapsed() < Duration::from_secs(20), "worker {worker} is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn work_directory(root: &Path) -> Directory {
    Directory::new(Arc::new(OsFileSystem::open(root).unwrap()), b".bindery")
}

/// Adds entries to the state of a cache, one commit each.
fn add_entries(root: &Path, who: &str, count: usize) {
    let work = WorkDir::open(work_directory(root)).unwrap();
    let store = ContentStore::open(work.directory(), Durability::Renamed);
    for number in 0..count {
        let text = format!("{who}-{number}");
        let payload = vec![b'p'; 2_000];
        let place = store.append_blobs(&[(ContentHash::of(text.as_bytes()), payload)]).unwrap()[0];
        loop {
            let (state, base) = store.read_state();
            let mut entries = decode(&state.unwrap_or_default());
            entries.insert(text.clone(), place);
            let live: Vec<u64> = entries.values().map(|place| place.segment).collect();
            match store.commit(base, encode(&entries).as_bytes(), &live) {
                Commit::Done(_) => break,
                Commit::LostRace => {}
                Commit::Unavailable => panic!("{:?}", store.take_warning()),
            }
        }
    }
}

fn encode(entries: &BTreeMap<String, BlobRef>) -> String {
    let line = |(name, place): (&String, &BlobRef)| {
        format!("{name} {} {} {}\n", place.segment, place.offset, place.length)
    };
    entries.iter().map(line).collect()
}

fn decode(state: &[u8]) -> BTreeMap<String, BlobRef> {
    let text = std::str::from_utf8(state).unwrap();
    let entry = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |index: usize| words[index].parse().unwrap();
        (words[0].to_owned(), BlobRef { segment: number(1), offset: number(2), length: number(3) })
    };
    text.lines().map(entry).collect()
}

/// Two processes finish and lose nothing; others are killed at odd moments and break nothing.
fn processes_share_one_cache_through_kills() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().to_str().unwrap();
    let start = |who: &str, count: &str| command(&["add", root, who, count]).spawn().unwrap();
    let mut lasting: Vec<Child> = ["a", "b"].iter().map(|who| start(who, "60")).collect();
    for round in 0..30_u64 {
        let mut victim = start(&format!("victim{round}"), "100000");
        std::thread::sleep(Duration::from_millis(3 + round * 7 % 40));
        victim.kill().unwrap();
        assert_eq!(victim.wait().unwrap().signal(), Some(9));
    }
    for child in &mut lasting {
        assert!(child.wait().unwrap().success());
    }
    add_entries(directory.path(), "last", 1);
    let store = ContentStore::open(&work_directory(directory.path()), Durability::Renamed);
    let entries = decode(&store.read_state().0.unwrap());
    for name in (0..60).flat_map(|number| [format!("a-{number}"), format!("b-{number}")]) {
        assert!(entries.contains_key(&name), "{name} was lost");
    }
    for (name, place) in &entries {
        let blob = store.read_blob(place, ContentHash::of(name.as_bytes()));
        assert_eq!(blob.map(|blob| blob.len()), Some(2_000), "{name}");
    }
    assert_eq!(store.verify().bad, Vec::<String>::new());
    let stats = store.stats();
    assert_eq!((stats.segments as usize, stats.unused_segments), (entries.len(), 0), "nothing stray");
    let cache = directory.path().join(".bindery/cache");
    let mut names: Vec<String> = std::fs::read_dir(&cache)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("state-"))
        .collect();
    names.sort();
    assert_eq!(names, ["CACHEDIR.TAG", "HEAD", "lock", "segments", "writers"]);
    assert_eq!(std::fs::read_dir(cache.join("writers")).unwrap().count(), 0);
}

fn hold(root: &Path) {
    let work = WorkDir::open(work_directory(root)).unwrap();
    let _lock = work.lock(&Holder::this_process("bindery build")).unwrap();
    println!("held");
    std::thread::sleep(Duration::from_secs(60));
}

fn a_second_build_learns_who_holds_the_lock() {
    let directory = tempfile::tempdir().unwrap();
    let mut holder =
        command(&["hold", directory.path().to_str().unwrap()]).stdout(Stdio::piped()).spawn().unwrap();
    assert_eq!(first_line(&mut holder), "held");
    let work = WorkDir::open(work_directory(directory.path())).unwrap();
    let (start, pid, wait) = (Instant::now(), holder.id(), Duration::from_millis(300));
    let error = work.lock_within(&Holder::this_process("bindery build"), wait).err().unwrap();
    assert!(start.elapsed() >= wait);
    assert_eq!(
        (error.kind, error.detail),
        (ErrorKind::LockHeld, format!("by `bindery build`, process {pid}"))
    );
    holder.kill().unwrap();
    holder.wait().unwrap();
    // The system lets go of a dead process's lock.
    work.lock_within(&Holder::this_process("bindery build"), wait).unwrap();
}

fn wait_for_signal() {
    let interrupt = Interrupt::on_signals();
    println!("ready");
    while interrupt.received().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("asked");
    std::thread::sleep(Duration::from_secs(60));
}

fn signals_ask_first_and_insist_the_second_time() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let mut child = command(&["wait-for-signal"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert_eq!(lines.next().as_deref(), Some("ready"));
        let send = || {
            let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
            assert!(sent.success());
        };
        send();
        assert_eq!(lines.next().as_deref(), Some("asked"));
        send();
        assert_eq!(child.wait().unwrap().code(), Some(code));
    }
}
