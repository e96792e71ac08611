//! Whose file is it, what is written, what is left alone, and what a crash leaves.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::fs::{Fault, FaultFileSystem, FileSystem, MemoryFileSystem};
use crate::{ErrorKind, StoreResult};

type Pages<'a> = &'a [(&'a str, &'a str)];

fn output_dir(fs: Arc<dyn FileSystem>, ownership: Ownership) -> OutputDir {
    let directory = Directory::new(fs.clone(), b"out");
    let local = Directory::new(fs, b"work/outputs");
    OutputDir::new(directory, local, "handbook", ownership, Durability::Renamed)
}

fn hashes(pages: Pages<'_>) -> BTreeMap<RepoPath, ContentHash> {
    pages.iter().map(|(path, text)| (RepoPath::new(path), ContentHash::of(text.as_bytes()))).collect()
}

struct Build<'a> {
    pages: Pages<'a>,
    known: KnownOutputs,
    overwrite: &'a [&'a str],
    ownership: Ownership,
}

impl<'a> Build<'a> {
    fn of(pages: Pages<'a>) -> Self {
        Self { pages, known: KnownOutputs::new(), overwrite: &[], ownership: Ownership::Shared }
    }

    fn plan(&self, fs: Arc<dyn FileSystem>) -> StoreResult<OutputPlan> {
        let desired = hashes(self.pages);
        let overwrite: BTreeSet<RepoPath> = self.overwrite.iter().map(|path| RepoPath::new(path)).collect();
        output_dir(fs, self.ownership).plan(&OutputRequest {
            desired: &desired,
            known: &self.known,
            overwrite: &overwrite,
            version: "1.2.3",
        })
    }

    fn run(&self, fs: Arc<dyn FileSystem>) -> StoreResult<(OutputPlan, Applied)> {
        let plan = self.plan(fs.clone())?;
        let text = |path: &RepoPath| {
            let (_, text) = self.pages.iter().find(|(name, _)| *name == path.as_str()).unwrap();
            Cow::Borrowed(text.as_bytes())
        };
        let applied = output_dir(fs, self.ownership).apply(&plan, &text)?;
        Ok((plan, applied))
    }

    fn on(&self, fs: &MemoryFileSystem) -> (OutputPlan, Applied) {
        self.run(Arc::new(fs.clone())).unwrap()
    }
}

fn strings<'a>(paths: impl IntoIterator<Item = &'a RepoPath>) -> Vec<&'a str> {
    paths.into_iter().map(RepoPath::as_str).collect()
}

const FIRST: Pages<'static> = &[("a.md", "A"), ("cards/x.md", "X"), ("cards/y/z.md", "Z")];
const SECOND: Pages<'static> = &[("a.md", "A2"), ("cards/x.md", "X"), ("new/n.md", "N")];

#[test]
fn a_first_build_writes_everything_and_a_second_one_nothing() {
    let fs = MemoryFileSystem::new();
    let (plan, applied) = Build::of(FIRST).on(&fs);
    assert!(!plan.is_current());
    assert_eq!(strings(&applied.written), ["a.md", "cards/x.md", "cards/y/z.md"]);
    let manifest = String::from_utf8(fs.contents(b"out/.bindery-manifest").unwrap().to_vec()).unwrap();
    let expected = format!(
        "# bindery 1.2.3\n{} a.md\n{} cards/x.md\n{} cards/y/z.md\n",
        ContentHash::of(b"A").to_hex(),
        ContentHash::of(b"X").to_hex(),
        ContentHash::of(b"Z").to_hex()
    );
    assert_eq!(manifest, expected);
    let directories: Vec<&str> = applied.directories.iter().map(|seen| seen.place.path().as_str()).collect();
    assert_eq!(directories, ["", "cards", "cards/y"]);

    let clock = fs.clock();
    let (plan, again) = Build::of(FIRST).on(&fs);
    assert!(plan.is_current());
    assert_eq!((again.written.len(), again.removed.len(), fs.clock()), (0, 0, clock), "not one write");
    assert_eq!(again.on_disk, applied.on_disk);
    assert_eq!(plan.written_by.as_deref(), Some("1.2.3"));
}

#[test]
fn a_change_writes_what_differs_and_removes_what_is_gone() {
    let fs = MemoryFileSystem::new();
    Build::of(FIRST).on(&fs);
    let untouched = fs.lstat(b"out/cards/x.md").unwrap();
    let (plan, applied) = Build::of(SECOND).on(&fs);
    assert_eq!(strings(plan.with(Planned::Remove)), ["cards/y/z.md"]);
    assert_eq!(strings(&applied.written), ["a.md", "new/n.md"]);
    assert_eq!(strings(&applied.removed), ["cards/y/z.md"]);
    assert_eq!(fs.lstat(b"out/cards/x.md").unwrap(), untouched);
    assert!(fs.lstat(b"out/cards/y").is_err(), "the empty directory goes too");
    let clean = MemoryFileSystem::new();
    Build::of(SECOND).on(&clean);
    assert_eq!(fs.digest(b""), clean.digest(b""));
}

#[test]
fn checking_writes_nothing() {
    let fs = MemoryFileSystem::new();
    Build::of(FIRST).on(&fs);
    let (digest, clock) = (fs.digest(b""), fs.clock());
    let plan = Build::of(SECOND).plan(Arc::new(fs.clone())).unwrap();
    assert!(!plan.is_current() && plan.manifest_differs);
    assert_eq!((fs.digest(b""), fs.clock()), (digest, clock));
}

#[test]
fn foreign_files_are_kept_and_named() {
    let fs = MemoryFileSystem::new();
    Build::of(FIRST).on(&fs);
    fs.write(b"out/notes.md", b"mine");
    fs.write(b"out/a.md", b"edited by hand");
    fs.write(b"out/cards/y/z.md", b"edited too");
    fs.symlink(b"out/link", b"/etc/passwd");
    fs.special(b"out/pipe");
    let (plan, applied) = Build::of(SECOND).on(&fs);
    assert_eq!(strings(plan.foreign()), ["a.md", "cards/y/z.md", "link", "notes.md", "pipe"]);
    assert_eq!(plan.files[&RepoPath::new("a.md")], Planned::ForeignInTheWay);
    assert_eq!(plan.files[&RepoPath::new("cards/y/z.md")], Planned::Foreign);
    assert_eq!(strings(&applied.written), ["new/n.md"]);
    assert_eq!(fs.contents(b"out/a.md").as_deref(), Some(b"edited by hand".as_slice()));
    assert_eq!(fs.contents(b"out/cards/y/z.md").as_deref(), Some(b"edited too".as_slice()));
    assert!(!applied.on_disk.contains_key("a.md"));
    let manifest = Manifest::parse(&fs.contents(b"out/.bindery-manifest").unwrap());
    assert_eq!(strings(manifest.paths()), ["cards/x.md", "new/n.md"]);

    // The user gives two of them away; the next build takes them, and then all is as wanted but the rest.
    let build =
        Build { overwrite: &["a.md", "cards/y/z.md", "link", "notes.md", "pipe"], ..Build::of(SECOND) };
    let (plan, applied) = build.on(&fs);
    assert_eq!(strings(plan.foreign()), Vec::<&str>::new());
    assert_eq!(strings(&applied.removed), ["cards/y/z.md", "link", "notes.md", "pipe"]);
    let clean = MemoryFileSystem::new();
    Build::of(SECOND).on(&clean);
    assert_eq!(fs.digest(b"out"), clean.digest(b"out"));
}

#[test]
fn ours_is_what_any_line_of_any_manifest_says() {
    let fs = MemoryFileSystem::new();
    fs.write(b"out/a.md", b"from one branch");
    fs.write(b"out/b.md", b"from another");
    fs.write(b"out/c.md", b"already right");
    let mut local = Manifest::default();
    local.insert(RepoPath::new("b.md"), ContentHash::of(b"from another"));
    fs.write(b"work/outputs/handbook.manifest", &local.to_bytes());
    let lines =
        ["one", "from one branch", "two"].map(|text| ContentHash::of(text.as_bytes()).to_hex() + " a.md\n");
    let manifest = format!(
        "# bindery 1.0.0\n<<<<<<< ours\n{}{}=======\n{}>>>>>>> theirs\n",
        lines[0], lines[1], lines[2]
    );
    fs.write(b"out/.bindery-manifest", manifest.as_bytes());
    let (plan, applied) = Build::of(&[("a.md", "new"), ("b.md", "new"), ("c.md", "already right")]).on(&fs);
    assert_eq!(strings(plan.foreign()), Vec::<&str>::new());
    assert_eq!(plan.written_by.as_deref(), Some("1.0.0"));
    assert_eq!(strings(&applied.written), ["a.md", "b.md"]);
}

#[test]
fn a_hostile_manifest_owns_nothing_outside() {
    let fs = MemoryFileSystem::with_files([("secret", "S"), ("out/x", "X")]);
    let hash = ContentHash::of(b"S").to_hex();
    fs.write(
        b"out/.bindery-manifest",
        format!("{hash} ../secret\n{hash} /secret\n{hash} a/../../secret\n").as_bytes(),
    );
    let build = Build { overwrite: &["x"], ..Build::of(FIRST) };
    build.on(&fs);
    assert_eq!(fs.contents(b"secret").as_deref(), Some(b"S".as_slice()));
    let ours = Build { ownership: Ownership::Ours, ..Build::of(FIRST) };
    fs.write(b"work/outputs/handbook.manifest", format!("{hash} ../secret\n").as_bytes());
    ours.on(&fs);
    assert_eq!(fs.contents(b"secret").as_deref(), Some(b"S".as_slice()));
}

#[test]
fn links_in_place_of_the_directory_or_inside_are_never_written_through() {
    let fs = MemoryFileSystem::with_files([("elsewhere/keep", "K")]);
    fs.symlink(b"out", b"elsewhere");
    assert!(Build::of(FIRST).run(Arc::new(fs.clone())).is_err());
    assert_eq!(fs.files(b"elsewhere").len(), 1);
    fs.remove(b"out");
    fs.directory(b"out");
    fs.symlink(b"out/cards", b"../elsewhere");
    let (plan, applied) = Build::of(FIRST).on(&fs);
    assert_eq!(strings(plan.foreign()), ["cards", "cards/x.md", "cards/y/z.md"]);
    assert_eq!(strings(&applied.written), ["a.md"]);
    assert_eq!(fs.files(b"elsewhere").len(), 1);
    fs.hard_link(b"elsewhere/keep", b"out/hard.md");
    Build { overwrite: &["hard.md"], ..Build::of(&[("hard.md", "H")]) }.on(&fs);
    assert_eq!(fs.contents(b"elsewhere/keep").as_deref(), Some(b"K".as_slice()));
}

#[test]
fn files_become_directories_and_back() {
    let fs = MemoryFileSystem::new();
    let (file, directory): (Pages<'_>, Pages<'_>) =
        (&[("p", "1"), ("q/r", "2")], &[("p/s", "3"), ("q", "4")]);
    for pages in [file, directory, file] {
        let (plan, _) = Build::of(pages).on(&fs);
        assert_eq!(strings(plan.foreign()), Vec::<&str>::new());
        let clean = MemoryFileSystem::new();
        Build::of(pages).on(&clean);
        assert_eq!(fs.digest(b"out"), clean.digest(b"out"));
    }
    fs.write(b"out/q/mine", b"M");
    let (plan, _) = Build::of(directory).on(&fs);
    assert_eq!(strings(plan.foreign()), ["q", "q/mine"]);
}

#[test]
fn exports_are_ours_alone_and_leave_neighbours_in_peace() {
    let fs = MemoryFileSystem::new();
    let first = Build { ownership: Ownership::Ours, ..Build::of(FIRST) };
    first.on(&fs);
    assert!(fs.contents(b"out/.bindery-manifest").is_none());
    fs.write(b"out/prose.jsonl", b"not an export");
    fs.write(b"out/a.md", b"damaged");
    let second = Build { ownership: Ownership::Ours, ..Build::of(SECOND) };
    let (plan, applied) = second.on(&fs);
    assert_eq!(strings(plan.foreign()), Vec::<&str>::new());
    assert_eq!(strings(&applied.written), ["a.md", "new/n.md"]);
    assert_eq!(strings(&applied.removed), ["cards/y/z.md"]);
    assert!(fs.lstat(b"out/cards/y").is_err());
    assert!(fs.contents(b"out/prose.jsonl").is_some());
    let clock = fs.clock();
    assert!(second.on(&fs).0.is_current());
    assert_eq!(fs.clock(), clock);
}

#[test]
fn known_stats_spare_the_reading() {
    let memory = MemoryFileSystem::new();
    let (_, applied) = Build::of(FIRST).on(&memory);
    let known = applied.on_disk;
    let counted = |known: KnownOutputs| {
        let fs = Arc::new(FaultFileSystem::new(Arc::new(memory.clone()), Fault::None));
        assert!(Build { known, ..Build::of(FIRST) }.plan(fs.clone()).unwrap().is_current());
        fs.calls()
    };
    let (with, without) = (counted(known.clone()), counted(KnownOutputs::new()));
    assert_eq!(without - with, 3 * 4, "open, stat, read, stat for each of three files");
    memory.write(b"out/a.md", b"B");
    let changed = Build { known, ..Build::of(FIRST) }.plan(Arc::new(memory.clone())).unwrap();
    assert_eq!(strings(changed.foreign()), ["a.md"]);
}

#[test]
fn what_somebody_writes_between_plan_and_deed_is_left_alone() {
    let fs = MemoryFileSystem::new();
    Build::of(FIRST).on(&fs);
    let build = Build::of(SECOND);
    let plan = build.plan(Arc::new(fs.clone())).unwrap();
    fs.write(b"out/a.md", b"just now");
    let text = |_: &RepoPath| Cow::Borrowed(b"N".as_slice());
    let error = output_dir(Arc::new(fs.clone()), Ownership::Shared).apply(&plan, &text).unwrap_err();
    assert_eq!((error.kind, error.path.as_str()), (ErrorKind::ChangedDuringRead, "out/a.md"));
    assert_eq!(fs.contents(b"out/a.md").as_deref(), Some(b"just now".as_slice()));
}

#[test]
fn after_a_crash_at_any_write_the_next_build_equals_a_clean_one() {
    let third: Pages<'_> = &[("a.md", "A3"), ("cards/y/z.md", "Z3"), ("new/n.md", "N3")];
    for ownership in [Ownership::Shared, Ownership::Ours] {
        for (next, finished_at) in [(SECOND, 60_u64), (third, 60)] {
            let clean = MemoryFileSystem::new();
            Build { ownership, ..Build::of(next) }.on(&clean);
            for number in 1..=finished_at {
                let fs = MemoryFileSystem::new();
                Build { ownership, ..Build::of(FIRST) }.on(&fs);
                let faulty = FaultFileSystem::new(Arc::new(fs.clone()), Fault::CrashAtWrite(number));
                let _ = Build { ownership, ..Build::of(SECOND) }.run(Arc::new(faulty));
                let (plan, _) = Build { ownership, ..Build::of(next) }.on(&fs);
                let what = format!("{ownership:?}, crash at write {number}");
                assert_eq!(strings(plan.foreign()), Vec::<&str>::new(), "{what}");
                assert_eq!(fs.digest(b"out"), clean.digest(b"out"), "{what}");
            }
        }
    }
}

#[test]
fn every_failing_call_is_a_clean_error_and_the_next_build_is_right() {
    let clean = MemoryFileSystem::new();
    Build::of(SECOND).on(&clean);
    for kind in [ErrorKind::NoSpace, ErrorKind::Io, ErrorKind::TooManyOpenFiles] {
        for number in 1.. {
            let fs = MemoryFileSystem::new();
            Build::of(FIRST).on(&fs);
            let faulty = Arc::new(FaultFileSystem::new(Arc::new(fs.clone()), Fault::FailCall(number, kind)));
            let outcome = Build::of(SECOND).run(faulty.clone());
            if let Err(error) = &outcome {
                assert!(!error.path.is_empty() && !error.path.contains("tmp"), "{error}");
            }
            Build::of(SECOND).on(&fs);
            assert_eq!(fs.digest(b"out"), clean.digest(b"out"), "{kind:?} at call {number}");
            if faulty.calls() < number {
                break;
            }
        }
    }
}

#[test]
fn an_unwritable_local_manifest_does_not_stop_the_handbook() {
    let fs = MemoryFileSystem::with_files([("work", "a file where a directory should be")]);
    Build::of(FIRST).on(&fs);
    let (_, applied) = Build::of(SECOND).on(&fs);
    assert_eq!(strings(&applied.written), ["a.md", "new/n.md"]);
}

#[test]
fn names_that_some_disk_confuses_or_refuses_are_refused() {
    let check = |names: &[&str]| {
        let paths: Vec<RepoPath> = names.iter().map(|name| RepoPath::new(name)).collect();
        check_names(&paths).map_err(|problem| problem.to_string())
    };
    assert_eq!(check(&["a.md", "b/a.md", "cards/ä.json", "com10", "console"]), Ok(()));
    let refused = |names: &[&str], message: &str| assert_eq!(check(names), Err(message.to_owned()));
    refused(&["a/B.md", "A/b.md"], "`A/b.md` is the same name as `a/B.md` where case does not count");
    refused(&["x", "X/y"], "`x` is wanted both as a file and as a directory");
    refused(&["a/../b"], "`a/../b` does not stay below its directory");
    refused(&["/a"], "`/a` does not stay below its directory");
    refused(&["AUX.json"], "`AUX.json` is a name reserved for devices");
    refused(&["a/lpt1"], "`a/lpt1` is a name reserved for devices");
    refused(&["a."], "`a.` ends in a dot or a space");
    refused(&["a:b"], "`a:b` has a character that is not for file names");
    refused(&["a\nb"], "`a\nb` has a character that is not for file names");
    refused(&[".bindery-manifest"], "`.bindery-manifest` is kept for bindery's own files");
    let long = "n".repeat(256);
    refused(&[&long], &format!("`{long}` is longer than 255 bytes"));
}

#[test]
fn manifests_round_trip_and_read_several_lines_per_path() {
    let mut manifest = Manifest::new("0.1.0");
    for text in ["1", "2"] {
        manifest.insert(RepoPath::new("b c.md"), ContentHash::of(text.as_bytes()));
    }
    manifest.insert(RepoPath::new("a.md"), ContentHash::of(b"1"));
    let read = Manifest::parse(&manifest.to_bytes());
    assert_eq!(read, manifest);
    assert!(read.owns(&RepoPath::new("b c.md"), ContentHash::of(b"2")));
    assert!(!read.owns(&RepoPath::new("a.md"), ContentHash::of(b"2")));
    assert_eq!(Manifest::parse(b"\xff\x00nonsense\n"), Manifest::default());
}
