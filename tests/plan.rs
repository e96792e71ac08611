//! `plan check`, `plan apply`, `plan new`: what fits, what is foreseen, and all edits or none.

#[path = "cli/sandbox.rs"]
#[allow(dead_code, reason = "each test binary uses its own part of the sandbox")]
mod sandbox;

mod harness;

use std::collections::BTreeSet;
use std::sync::Arc;

use bindery_engine::{Options, PageChange, PlanApplyOutcome, PlanCheckOutcome, Quiet};
use bindery_store::ErrorKind;
use bindery_store::fs::{Fault, FaultFileSystem, FileSystem, MemoryFileSystem};
use harness::*;
use sandbox::Sandbox;

/// An edit as a section of a plan.
fn edit(number: u32, file: &str, old: &str, new: &str) -> String {
    format!(
        "### EDIT {number}\n\n- file: `{file}`\n- where: here\n\n```old\n{old}```\n\n```new\n{new}```\n\n"
    )
}

fn plan(edits: &[String], declarations: &str) -> String {
    format!("Why it is done.\n\n{}```json\n{declarations}\n```\n", edits.concat())
}

const NOTHING: &str = "{\"will_modify\": [], \"will_add\": [], \"will_remove\": []}";

/// Changes the body of `save` and what `line` returns, and adds a file.
fn sound_plan() -> String {
    let save = edit(
        1,
        "src/store.rs",
        "static mut COUNT: u32 = 0;\n\npub fn save(n: u32) -> u32 {\n    n + 1\n}\n",
        "static mut COUNT: u32 = 0;\n\npub fn save(n: u32) -> u32 {\n    check(n) + 1\n}\n\nfn check(n: u32) -> u32 {\n    n\n}\n",
    );
    let line = edit(
        2,
        "tools/text.py",
        "def line(word):\n    return word.strip()\n",
        "def line(word):\n    return word.upper()\n",
    );
    let more = edit(3, "tools/more/extra.py", "", "def extra():\n    pass\n");
    let declarations = "{\"will_modify\": [\"save\", \"tools.text.line\"], \"will_add\": [\"check\", \"extra\"], \"will_remove\": []}";
    plan(&[save, line, more], declarations)
}

fn check(file_system: &MemoryFileSystem, plan: &str) -> PlanCheckOutcome {
    let repository = open(Arc::new(file_system.clone()), &Options::default()).expect("it opens");
    repository.plan_check("plan.md", plan.as_bytes(), &Quiet).expect("it can be checked")
}

fn apply(file_system: Arc<dyn FileSystem>, plan: &str) -> Result<PlanApplyOutcome, String> {
    let repository = open(file_system, &Options::default()).map_err(|failure| failure.to_string())?;
    repository.plan_apply("plan.md", plan.as_bytes(), &Quiet).map_err(|failure| failure.to_string())
}

fn findings(outcome: &PlanCheckOutcome) -> Vec<String> {
    let shown = outcome.findings.iter();
    shown.map(|finding| format!("{}:{}: {}", finding.file, finding.line, finding.message)).collect()
}

/// The sources after the sound plan.
fn edited_sources(start: &MemoryFileSystem) -> Tree {
    let edited = fresh(&sources(start));
    let outcome = apply(Arc::new(edited.clone()), &sound_plan()).expect("the plan is sound");
    assert_eq!((findings(&outcome.check), &outcome.mismatches[..]), (vec![], &[][..]));
    sources(&edited)
}

#[test]
fn a_check_foresees_what_a_build_writes_and_writes_nothing() {
    for built_before in [false, true] {
        let file_system = fresh(&small().files);
        if built_before {
            build(&file_system).expect("the small repository builds");
        }
        let before = file_system.digest(b"");
        let outcome = check(&file_system, &sound_plan());
        assert_eq!(file_system.digest(b""), before, "a check writes nothing");
        assert_eq!((findings(&outcome), &outcome.warnings[..]), (vec![], &[][..]));
        let edits: Vec<_> =
            outcome.edits.iter().map(|edit| (edit.number, &edit.file[..], edit.lines)).collect();
        assert_eq!(
            edits,
            [(1, "src/store.rs", (1, 5)), (2, "tools/text.py", (1, 2)), (3, "tools/more/extra.py", (0, 0))]
        );
        let effect = outcome.effect.expect("nothing is wrong");
        assert_eq!(effect.modified, ["src.store.save", "tools.text.line"]);
        assert_eq!(effect.added, ["src.store.check", "tools.more.extra.extra"]);
        assert_eq!(effect.removed, Vec::<String>::new());
        // The pages are those that differ between clean builds of both trees.
        build(&file_system).expect("the small repository builds");
        let old = outputs(&file_system);
        let edited = fresh(&edited_sources(&file_system));
        build(&edited).expect("the edited repository builds");
        let new = outputs(&edited);
        let page = |path: &Vec<u8>| {
            let path = String::from_utf8_lossy(path).into_owned();
            path.strip_prefix(".bindery/handbook/")
                .map(str::to_owned)
                .filter(|page| page != ".bindery-manifest")
        };
        let paths: BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        let expected: Vec<(String, PageChange)> = paths
            .into_iter()
            .filter(|path| old.get(*path) != new.get(*path))
            .filter_map(|path| {
                let change = match (old.contains_key(path), new.contains_key(path)) {
                    (true, true) => PageChange::Changed,
                    (true, false) => PageChange::Removed,
                    (false, _) => PageChange::Added,
                };
                Some((page(path)?, change))
            })
            .collect();
        assert!(!expected.is_empty());
        assert_eq!(effect.pages, expected);
    }
}

#[test]
fn a_body_edit_is_foreseen_to_change_no_page_that_does_not_show_it() {
    let file_system = fresh(&small().files);
    let body = edit(
        1,
        "tools/text.py",
        "def line(word):\n    return word.strip()\n",
        "def line(word):\n    return word.lower()\n",
    );
    let effect = check(&file_system, &plan(&[body], NOTHING)).effect.expect("nothing is wrong");
    assert_eq!(effect.modified, ["tools.text.line"]);
    // Only dropped calls tell `strip` from `lower`, and no page shows those.
    assert_eq!((effect.pages, effect.stages), (vec![], vec![]));
}

#[test]
fn what_does_not_fit_is_named_with_its_place() {
    let file_system = fresh(&small().files);
    file_system.write(b"src/locked.rs", b"fn f() {}\n");
    file_system.set_mode(b"src/locked.rs", 0o444).expect("the file is there");
    file_system.write(b"data.bin", b"a\0b\n");
    file_system.symlink(b"link.rs", b"src/lib.rs");
    file_system.symlink(b"away", b"src");
    let cases: [(String, &[&str]); 12] = [
        (edit(1, "src/gone.rs", "x\n", "y\n"), &["plan.md:5: there is no file `src/gone.rs`"]),
        (edit(1, "../out.rs", "x\n", "y\n"), &["plan.md:5: `../out.rs` is no path below the root"]),
        (edit(1, ".git/config", "", "y\n"), &["plan.md:5: `.git/config` is git's, which no plan edits"]),
        (
            edit(1, ".bindery/x", "", "y\n"),
            &["plan.md:5: `.bindery/x` is in the work directory, which no plan edits"],
        ),
        (edit(1, "src/locked.rs", "fn f() {}\n", ""), &["plan.md:5: `src/locked.rs` is read-only"]),
        (edit(1, "data.bin", "b\n", "c\n"), &["plan.md:5: `data.bin` is no text: it has a NUL byte"]),
        (
            edit(1, "link.rs", "x\n", "y\n"),
            &["plan.md:5: cannot read `link.rs`: a symbolic link is in the way"],
        ),
        (
            edit(1, "away/lib.rs", "x\n", "y\n"),
            &["plan.md:5: cannot read `away/lib.rs`: a symbolic link is in the way"],
        ),
        (edit(1, "src", "x\n", "y\n"), &["plan.md:5: cannot read `src`: is a directory"]),
        (
            edit(1, "src/Lib.rs", "", "y\n"),
            &["plan.md:5: there is no `src/Lib.rs`, and `src/lib.rs` differs only in case"],
        ),
        (
            edit(1, "src/lib.rs", "pub fn run() {\n", "fn run() {\n"),
            &[
                "plan.md:8: edit 1 has too little context: `old` and `new` begin with 0 and end with 0 equal lines",
            ],
        ),
        (
            edit(1, "src/lib.rs", "pub fn walk() {\n", "x\n"),
            &["plan.md:8: the `old` block does not occur in `src/lib.rs`"],
        ),
    ];
    let before = file_system.digest(b"");
    for (edit, expected) in cases {
        let text = plan(&[edit], NOTHING);
        assert_eq!(findings(&check(&file_system, &text)), expected, "{text}");
        let applied = apply(Arc::new(file_system.clone()), &text).expect("findings are no failure");
        assert_eq!(
            (findings(&applied.check), applied.written),
            (expected.iter().map(|e| (*e).to_owned()).collect(), vec![])
        );
    }
    file_system.remove(b".bindery");
    assert_eq!(file_system.digest(b""), before);
}

#[test]
fn declared_symbols_must_be_there_or_not() {
    let file_system = fresh(&small().files);
    let same = edit(1, "tools/text.py", "def line(word):\n", "def line(word):\n");
    let declarations = "{\n  \"will_modify\": [\"line\", \"missing\"],\n  \"will_add\": [\"src.store.save\", \"fresh\"],\n  \"will_remove\": [\"gone\"]\n}";
    let expected = [
        "plan.md:18: `will_modify` names `missing`, and nothing is called that",
        "plan.md:19: `will_add` names `src.store.save`, which is there already",
        "plan.md:20: `will_remove` names `gone`, and nothing is called that",
    ];
    assert_eq!(findings(&check(&file_system, &plan(&[same], declarations))), expected);
}

#[test]
fn a_plan_that_is_none_is_findings_and_never_a_panic() {
    let file_system = fresh(&small().files);
    for text in [
        "",
        "\n",
        "### EDIT",
        "```old",
        "### EDIT 1\n```old\n```\n```new\n",
        "> ### EDIT 1\n",
        "### EDIT 99999999999\n",
    ] {
        let outcome = check(&file_system, text);
        assert!(!outcome.findings.is_empty() && outcome.effect.is_none(), "{text}: {outcome:?}");
    }
    let repository = open(Arc::new(file_system.clone()), &Options::default()).expect("it opens");
    let outcome = repository.plan_check("plan.md", b"\xff\xfe", &Quiet).expect("it can be checked");
    assert_eq!(findings(&outcome), ["plan.md:1: the plan is no UTF-8 text"]);
    // Parts of a sound plan, cut anywhere.
    let sound = sound_plan();
    let mut clean = 0;
    for end in (0..sound.len() - 4).step_by(7) {
        clean += usize::from(check(&file_system, &sound[..end]).findings.is_empty());
    }
    assert_eq!(clean, 0, "no part of the plan is a plan");
}

#[test]
fn an_applied_plan_does_what_was_foreseen() {
    let file_system = fresh(&small().files);
    build(&file_system).expect("the small repository builds");
    let outcome = apply(Arc::new(file_system.clone()), &sound_plan()).expect("the plan is sound");
    assert_eq!((findings(&outcome.check), &outcome.mismatches[..]), (vec![], &[][..]));
    assert_eq!(outcome.written, ["src/store.rs", "tools/more/extra.py", "tools/text.py"]);
    let text = file_system.contents(b"tools/text.py").expect("it is there");
    assert_eq!(&*text, b"def line(word):\n    return word.upper()\n");
    build(&file_system).expect("the edited repository builds");
    assert_eq!(differences(&outputs(&file_system), &clean_outputs(&file_system)), Vec::<String>::new());
    // A second time nothing fits any more, and nothing is written.
    let again = apply(Arc::new(file_system.clone()), &sound_plan()).expect("findings are no failure");
    assert_eq!((again.check.findings.is_empty(), again.written), (false, vec![]));
}

#[test]
fn what_was_not_declared_is_reported_and_stays() {
    let file_system = fresh(&small().files);
    let body = edit(
        1,
        "tools/text.py",
        "def line(word):\n    return word.strip()\n",
        "def line(word):\n    return word.upper()\n",
    );
    let text = plan(&[body], "{\"will_modify\": [\"report\"], \"will_add\": [\"other\"]}");
    let expected = [
        "`report` is declared to be modified and is not",
        "`tools.text.line` is modified and not declared",
        "`other` is declared to be added and is not",
    ];
    assert_eq!(check(&file_system, &text).warnings, expected);
    let outcome = apply(Arc::new(file_system.clone()), &text).expect("it fits");
    assert_eq!(outcome.mismatches, expected);
    assert_eq!(outcome.written, ["tools/text.py"]);
}

/// R8 for plans: at every write the process may die in, the next command finds all edits or none.
#[test]
fn a_crash_at_any_write_leaves_all_edits_or_none() {
    let start = fresh(&small().files);
    build(&start).expect("the small repository builds");
    let (old, new) = (sources(&start), edited_sources(&start));
    let counting = Arc::new(FaultFileSystem::new(Arc::new(start.snapshot()), Fault::None));
    apply(counting.clone(), &sound_plan()).expect("the plan is sound");
    let (mut all, mut none) = (0, 0);
    for at in 1..=counting.writes() {
        let disk = start.snapshot();
        let _ = apply(
            Arc::new(FaultFileSystem::new(Arc::new(disk.clone()), Fault::CrashAtWrite(at))),
            &sound_plan(),
        );
        // Any command that opens the work directory undoes what was begun; a look-up and a build in turn.
        match at % 2 {
            0 => drop(build(&disk).expect("the next run works")),
            _ => {
                let repository = open(Arc::new(disk.clone()), &Options::default()).expect("it opens");
                repository.symbols("save").expect("the next run works");
            }
        }
        let now = sources(&disk);
        assert!(now == old || now == new, "crash at write {at}: {:?}", differences(&now, &old));
        *(if now == old { &mut none } else { &mut all }) += 1;
        build(&disk).expect("the next build works");
        let differing = differences(&outputs(&disk), &clean_outputs(&disk));
        assert_eq!(differing, Vec::<String>::new(), "crash at write {at}");
    }
    eprintln!("{} crash points: {all} with all edits, {none} with none", counting.writes());
    assert!(all > 0 && none > 0);
}

#[test]
fn a_call_that_fails_leaves_all_edits_or_none() {
    let start = fresh(&small().files);
    build(&start).expect("the small repository builds");
    let (old, new) = (sources(&start), edited_sources(&start));
    let counting = Arc::new(FaultFileSystem::new(Arc::new(start.snapshot()), Fault::None));
    apply(counting.clone(), &sound_plan()).expect("the plan is sound");
    let kinds = [ErrorKind::NoSpace, ErrorKind::Io, ErrorKind::PermissionDenied];
    for at in 1..=counting.calls() {
        let disk = start.snapshot();
        let fault = Fault::FailCall(at, kinds[at as usize % kinds.len()]);
        let result = apply(Arc::new(FaultFileSystem::new(Arc::new(disk.clone()), fault)), &sound_plan());
        let now = sources(&disk);
        match &result {
            Ok(outcome) if outcome.check.findings.is_empty() => assert_eq!(now, new, "call {at}"),
            _ => assert!(now == old || now == new, "call {at}: {result:?}: {:?}", differences(&now, &old)),
        }
    }
    eprintln!("{} calls failed in turn", counting.calls());
}

#[test]
fn the_skeleton_of_a_plan_is_clean_for_every_symbol_and_file_of_the_sample() {
    let sample = seeds().into_iter().next().expect("the sample is the first seed");
    let file_system = fresh(&sample.files);
    let repository = open(Arc::new(file_system.clone()), &Options::default()).expect("it opens");
    let mut targets: Vec<Vec<String>> =
        ["Queue.push", "Queue", "Tally.add", "main", "enqueue"].map(|name| vec![name.to_owned()]).into();
    targets.push(vec!["Queue.push".to_owned(), "Queue.pop".to_owned(), "Tally".to_owned()]);
    let files = sample.files.keys().map(|path| String::from_utf8_lossy(path).into_owned());
    targets
        .extend(files.filter(|path| path.ends_with(".rs") || path.ends_with(".py")).map(|path| vec![path]));
    assert!(targets.len() > 15);
    for targets in targets {
        let text = repository.plan_new(&targets).expect("all of them are there");
        let outcome = check(&file_system, &text);
        assert_eq!((findings(&outcome), outcome.warnings.len()), (vec![], 0), "{targets:?}\n{text}");
        assert!(outcome.edits.iter().all(|edit| !edit.changes) && !outcome.edits.is_empty());
    }
    let failure = repository.plan_new(&["nothing".to_owned()]).expect_err("nothing is called that");
    assert_eq!(failure.message, "`nothing` is neither a symbol nor a selected file");
}

#[test]
fn the_skeleton_of_a_plan_has_the_callers_and_the_text() {
    let file_system = fresh(&small().files);
    let repository = open(Arc::new(file_system), &Options::default()).expect("it opens");
    let text = repository.plan_new(&["save".to_owned()]).expect("it is there");
    let source = "static mut COUNT: u32 = 0;\n\npub fn save(n: u32) -> u32 {\n    n + 1\n}\n";
    let expected = format!(
        "Change `save`: say here what is to change, and why.\n\n## Affected\n\n- `src.store.save` at `src/store.rs:3`: `pub fn save(n: u32) -> u32`\n  - called by `src.lib.run` at `src/lib.rs:4`\n\n### EDIT 1\n\n- file: `src/store.rs`\n- where: `src.store.save (~3)`\n\n```old\n{source}```\n\n```new\n{source}```\n\n```json\n"
    );
    assert!(text.starts_with(&expected), "{text}");
}

#[test]
fn the_commands_say_what_they_found_and_how_it_ended() {
    let sandbox = Sandbox::sample();
    let text = sandbox.run(["plan", "new", "Queue.pop"]).succeeded();
    sandbox.write("plan.md", &text);
    assert_eq!(sandbox.run(["plan", "check", "plan.md"]).succeeded(), "1 edit found, 0 with changes\n");
    let changed = text.replacen("```new\n", "```new\n\n", 1);
    sandbox.write("plan.md", &changed);
    let run = sandbox.run(["plan", "check", "plan.md", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        (run.code, &report["kind"], &report["isClean"]),
        (Some(3), &"plan-check".into(), &false.into())
    );
    assert!(
        report["findings"][0]["message"].as_str().is_some_and(|text| text.contains("too little context"))
    );
    let run = sandbox.run(["plan", "apply", "plan.md"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""), "{run:?}");
    assert!(run.stderr.starts_with("error: plan.md:"), "{run:?}");
    let body = "self.urgent.pop_front()";
    let (head, tail) = text.split_once("```new\n").expect("there is one");
    sandbox.write("plan.md", &format!("{head}```new\n{}", tail.replace(body, "self.idle.pop_front()")));
    let applied = sandbox.run(["plan", "apply", "plan.md"]).succeeded();
    assert!(
        applied.starts_with("written  queue/src/queue.rs\nmodified  symbol  queue.src.queue.Queue.pop\n"),
        "{applied}"
    );
    assert!(sandbox.read("queue/src/queue.rs").contains("self.idle.pop_front().or_else"));
    let run = sandbox.run(["plan", "check", "nowhere.md"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn permissions_and_line_ends_are_kept() {
        let sandbox = Sandbox::empty();
        sandbox.write("run.py", "def a():\r\n    return 1\r\n");
        let path = sandbox.path().join("run.py");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).expect("the mode can be set");
        let body = edit(1, "run.py", "def a():\r\n    return 1\r\n", "def a():\r\n    return 2\r\n");
        sandbox.write("plan.md", &plan(&[body], "{\"will_modify\": [\"a\"]}"));
        sandbox.run(["plan", "apply", "plan.md"]).succeeded();
        assert_eq!(sandbox.read("run.py"), "def a():\r\n    return 2\r\n");
        assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o7777, 0o751);
    }

    /// The process is killed at moments spread over its run; the next command finds all edits or none.
    #[test]
    fn a_killed_process_leaves_all_edits_or_none() {
        const FILES: usize = 40;
        let sandbox = Sandbox::empty();
        let (old, new) = ("def f():\n    return 1\n", "def f():\n    return 2\n");
        let name = |number: usize| format!("pkg/m{number}.py");
        let edits: Vec<String> = (0..FILES).map(|n| edit(n as u32 + 1, &name(n), old, new)).collect();
        sandbox.write("plan.md", &plan(&edits, "{\"will_modify\": [\"f\"]}"));
        let reset = || (0..FILES).for_each(|number| sandbox.write(name(number), old));
        let state = || -> BTreeSet<String> { (0..FILES).map(|number| sandbox.read(&name(number))).collect() };
        reset();
        let started = Instant::now();
        sandbox.run(["plan", "apply", "plan.md"]).succeeded();
        let whole = started.elapsed();
        assert_eq!(state(), BTreeSet::from([new.to_owned()]));
        let rounds = lane(24, 500) as u32;
        let (mut all, mut none) = (0, 0);
        for round in 1..=rounds {
            reset();
            let mut child = sandbox
                .command()
                .args(["plan", "apply", "plan.md"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program can be started");
            let until = Instant::now() + whole * round / rounds;
            while Instant::now() < until && child.try_wait().expect("the child is ours").is_none() {
                std::thread::sleep(Duration::from_micros(200));
            }
            // It may have ended by itself.
            let _ = child.kill();
            child.wait().expect("the child is ours");
            sandbox.run(["status"]).succeeded();
            let now = state();
            assert_eq!(now.len(), 1, "round {round}: half of the edits");
            *(if now.contains(old) { &mut none } else { &mut all }) += 1;
            let strays = fs::read_dir(sandbox.path().join("pkg")).expect("it can be listed").count();
            assert_eq!(strays, FILES, "round {round}");
        }
        eprintln!("{rounds} kills: {all} with all edits, {none} with none");
    }
}
