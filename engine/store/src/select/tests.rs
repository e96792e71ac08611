//! Each test builds a small tree in memory and asks what is selected and why the rest is not.

use super::*;
use crate::fs::{FileSystem, MemoryFileSystem};

fn interest(path: &RepoPath) -> Interest {
    match (path.extension(), path.file_name()) {
        (Some("py"), _) => Interest::Source,
        (Some("js"), _) => Interest::Source,
        (_, "Cargo.toml") => Interest::Input,
        (None, name) if !name.starts_with('.') => Interest::FirstLine,
        _ => Interest::None,
    }
}

fn rules(include: &[&str], exclude: &[&str]) -> SelectRules {
    let owned = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    SelectRules { include: owned(include), exclude: owned(exclude), ..SelectRules::default() }
}

fn select(fs: &dyn FileSystem, rules: &SelectRules) -> Selection {
    Selector::new(rules).unwrap().select(fs, &interest).unwrap()
}

fn names(selection: &Selection) -> Vec<&str> {
    selection.files.iter().map(|file| file.place.path().as_str()).collect()
}

fn reasons(selection: &Selection) -> Vec<(&str, &str)> {
    selection.skipped.iter().map(|skipped| (skipped.place.path().as_str(), skipped.reason.name())).collect()
}

fn tree(paths: &[&str]) -> MemoryFileSystem {
    MemoryFileSystem::with_files(paths.iter().map(|path| (*path, "")))
}

#[test]
fn the_caller_says_what_is_wanted_and_lists_are_sorted_by_bytes() {
    let fs = tree(&["b.py", "a/z.py", "a.py", "a/Cargo.toml", "run", "x.txt", ".hidden/h.py", "Z.py"]);
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), [".hidden/h.py", "Z.py", "a.py", "a/Cargo.toml", "a/z.py", "b.py", "run"]);
    let kinds: Vec<Interest> = selection.files.iter().map(|file| file.interest).collect();
    assert_eq!(kinds[3], Interest::Input);
    assert_eq!(kinds[6], Interest::FirstLine);
    let directories: Vec<&str> =
        selection.directories.iter().map(|seen| seen.place.path().as_str()).collect();
    assert_eq!(directories, ["", ".hidden", "a"]);
    assert_eq!(selection.skipped, []);
}

#[test]
fn ignore_files_of_the_repository_count_and_the_nearest_decides() {
    let fs = tree(&["gen/a.py", "keep.py", "log.py", "sub/log.py", "sub/deep/log.py", "sub/tmp/x.py"]);
    fs.write(b".gitignore", b"# comment\n\nlog.py\n/gen/\n");
    fs.write(b"sub/.gitignore", b"!log.py\r\ntmp\r\n");
    fs.write(b"sub/deep/.gitignore", b"log.py\n");
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), ["keep.py", "sub/log.py"]);
    let expected =
        [("gen", "ignored"), ("log.py", "ignored"), ("sub/deep/log.py", "ignored"), ("sub/tmp", "ignored")];
    assert_eq!(reasons(&selection), expected);
    assert!(selection.skipped[0].is_directory && !selection.skipped[1].is_directory);
    assert_eq!(selection.ignore_files.len(), 3);
}

#[test]
fn stronger_kinds_of_ignore_files_win_at_any_depth() {
    let fs = tree(&["a.py", "b.py", "c.py", "d/a.py"]);
    fs.write(b"d/.gitignore", b"!a.py\n");
    fs.write(b".gitignore", b"a.py\nb.py\n");
    fs.write(b".ignore", b"!b.py\nc.py\na.py\n");
    fs.write(b".binderyignore", b"!c.py\n");
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), ["b.py", "c.py"]);
}

#[test]
fn a_file_below_an_ignored_directory_cannot_be_taken_back() {
    let fs = tree(&["out/a.py"]);
    fs.write(b".gitignore", b"out/\n!out/a.py\n");
    assert_eq!(reasons(&select(&fs, &SelectRules::default())), [("out", "ignored")]);
}

#[test]
fn lines_that_say_nothing_are_reported_and_the_others_count() {
    let fs = tree(&["a.py", "b.py"]);
    fs.write(b".gitignore", b"\xef\xbb\xbfa.py\n\xff\xfe\n{b\n");
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), ["b.py"]);
    let lines: Vec<usize> = selection.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [2, 3]);
    assert_eq!(selection.problems[0].message, "is not valid UTF-8");
}

#[test]
fn an_unreadable_ignore_file_is_a_problem_and_noticed_when_it_changes() {
    let fs = tree(&["a.py"]);
    fs.write(b".gitignore", b"a.py\n");
    fs.set_readable(b".gitignore", false);
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), ["a.py"]);
    assert_eq!(selection.problems[0].message, "permission denied");
    assert_eq!(selection.ignore_files.len(), 1);
}

#[test]
fn vendored_and_minified_are_left_out_and_include_brings_them_back() {
    let paths =
        ["a.py", "j.min.js", "vendor/v.py", "x/node_modules/n/i.js", "x/node_modules/m/i.js", "target/t.py"];
    let fs = tree(&paths);
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), ["a.py"]);
    let expected = [
        ("j.min.js", "minified"),
        ("target", "vendored"),
        ("vendor", "vendored"),
        ("x/node_modules", "vendored"),
    ];
    assert_eq!(reasons(&selection), expected);

    let everything = select(&fs, &rules(&["**"], &[]));
    assert_eq!(everything.files.len(), paths.len());
    let one = select(&fs, &rules(&["/x/node_modules/n/"], &[]));
    assert_eq!(names(&one), ["a.py", "x/node_modules/n/i.js"]);
    assert!(reasons(&one).contains(&("x/node_modules/m", "vendored")));
    let by_name = select(&fs, &rules(&["v.py"], &[]));
    assert_eq!(names(&by_name), ["a.py", "vendor/v.py"]);
    assert!(reasons(&by_name).contains(&("target/t.py", "vendored")));
}

#[test]
fn include_overrides_neither_ignore_files_nor_exclude() {
    let fs = tree(&["vendor/a.py", "vendor/b.py", "c.py"]);
    fs.write(b".gitignore", b"c.py\n");
    let selection = select(&fs, &rules(&["**"], &["b.py"]));
    assert_eq!(names(&selection), ["vendor/a.py"]);
    assert_eq!(reasons(&selection), [("c.py", "ignored"), ("vendor/b.py", "excluded")]);
    let selector = Selector::new(&rules(&["gen/", "!gen/x.py"], &[])).unwrap();
    assert!(selector.is_included(&RepoPath::new("a/gen/b.py")));
    assert!(!selector.is_included(&RepoPath::new("a/b.py")));
    assert!(!selector.is_included(&RepoPath::new("gen/x.py")));
}

#[test]
fn patterns_that_cannot_be_understood_are_named() {
    let problem = Selector::new(&rules(&[], &["ok", "{a"])).err().unwrap();
    assert_eq!(problem.pattern, "{a");
}

#[test]
fn git_work_directory_and_handbook_are_never_looked_at() {
    let fs = tree(&[".git/a.py", ".bindery/b.py", "docs/handbook/c.py", "docs/d.py"]);
    let left_out = vec![b".bindery".to_vec(), b"docs/handbook".to_vec()];
    let selection = select(&fs, &SelectRules { left_out, ..SelectRules::default() });
    assert_eq!(names(&selection), ["docs/d.py"]);
    assert_eq!(selection.skipped, []);
}

#[test]
fn nested_repositories_are_left_out_with_their_reason() {
    let fs = tree(&["sub/.git", "sub/a.py", "other/.git/HEAD", "other/deep/b.py", "c.py"]);
    let selection = select(&fs, &rules(&["**"], &[]));
    assert_eq!(names(&selection), ["c.py"]);
    assert_eq!(reasons(&selection), [("other", "nested-repository"), ("sub", "nested-repository")]);
}

#[test]
fn links_are_followed_to_files_inside_and_nowhere_else() {
    let fs = tree(&["real/a.py", ".git/secret.py", "txt"]);
    for (link, target) in [
        ("ok.py", "real/a.py"),
        ("real/up.py", "../real/./a.py"),
        ("chain.py", "ok.py"),
        ("through.py", "dir/a.py"),
        ("dir", "real"),
        ("dir.py", "real"),
        ("outside.py", "../outside.py"),
        ("absolute.py", "/etc/passwd"),
        ("dangling.py", "none.py"),
        ("loop.py", "loop.py"),
        ("git.py", ".git/secret.py"),
        ("slash.py", "real/a.py/"),
        ("uninteresting.txt", "../x"),
    ] {
        fs.symlink(link.as_bytes(), target.as_bytes());
    }
    fs.special(b"pipe.py");
    fs.symlink(b"topipe.py", b"pipe.py");
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), ["chain.py", "ok.py", "real/a.py", "real/up.py", "through.py", "txt"]);
    let chain = &selection.files[0];
    assert_eq!(chain.raw(), b"real/a.py");
    assert_eq!(chain.stat, fs.lstat(b"real/a.py").unwrap());
    let expected = [
        ("absolute.py", "symlink-outside"),
        ("dangling.py", "symlink-broken"),
        ("dir", "symlinked-directory"),
        ("dir.py", "symlinked-directory"),
        ("git.py", "symlink-outside"),
        ("loop.py", "symlink-broken"),
        ("outside.py", "symlink-outside"),
        ("pipe.py", "special-file"),
        ("slash.py", "symlink-broken"),
        ("topipe.py", "special-file"),
    ];
    assert_eq!(reasons(&selection), expected);
    assert_eq!(changed_links(&fs, &selection.links), []);
    fs.write(b"none.py", b"");
    let changed = changed_links(&fs, &selection.links);
    assert_eq!(changed.len(), 1);
    assert_eq!(selection.links[changed[0]].place.path().as_str(), "dangling.py");
}

#[test]
fn what_cannot_be_read_is_listed_and_the_rest_goes_on() {
    let fs = tree(&["a.py", "closed/b.py", "c.py"]);
    fs.set_readable(b"closed", false);
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), ["a.py", "c.py"]);
    assert_eq!(reasons(&selection), [("closed", "unreadable")]);
    assert_eq!(selection.directories.len(), 2, "its stat will change when it is opened again");
    fs.set_readable(b"", false);
    assert!(Selector::new(&SelectRules::default()).unwrap().select(&fs, &interest).is_err());
}

#[test]
fn only_tracked_files_if_asked_for() {
    let fs = tree(&["a.py", "b.py"]);
    let tracked = Some([b"b.py".to_vec(), b"gone.py".to_vec()].into());
    let selection = select(&fs, &SelectRules { tracked, ..SelectRules::default() });
    assert_eq!(names(&selection), ["b.py"]);
    assert_eq!(reasons(&selection), [("a.py", "untracked")]);
}

#[test]
fn names_that_are_not_utf8_are_kept_unless_spelled_like_another() {
    let fs = MemoryFileSystem::new();
    fs.write(b"\xff.py", b"");
    fs.write(b"a%FE.py", b"plain");
    fs.write(b"a\xfe.py", b"raw");
    let selection = select(&fs, &SelectRules::default());
    assert_eq!(names(&selection), ["%FF.py", "a%FE.py"]);
    assert_eq!(selection.files[0].raw(), b"\xff.py");
    assert_eq!(selection.files[1].raw(), b"a%FE.py");
    assert_eq!(reasons(&selection), [("a%FE.py", "same-spelling")]);
}

#[test]
fn directories_nested_beyond_the_longest_path_are_listed_as_such() {
    use rustix::fs::{Mode, OFlags, mkdirat, open, openat};
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.py"), "").unwrap();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut current = open(directory.path(), flags, Mode::empty()).unwrap();
    for _ in 0..2_200 {
        mkdirat(&current, "d", Mode::from_raw_mode(0o755)).unwrap();
        current = openat(&current, "d", flags, Mode::empty()).unwrap();
    }
    let selection =
        select(&crate::fs::OsFileSystem::open(directory.path()).unwrap(), &SelectRules::default());
    assert_eq!(names(&selection), ["a.py"]);
    assert_eq!(selection.skipped.len(), 1);
    assert_eq!(selection.skipped[0].reason, SkipReason::PathTooLong);
}

#[test]
fn the_real_file_system_gives_the_same_selection_as_the_one_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let files = [
        (".gitignore", "log/\n!log/keep.py\n"),
        ("a/.ignore", "x.py\n"),
        ("a/b/x.py", ""),
        ("a/c/.git/HEAD", ""),
        ("a/c/y.py", ""),
        ("a/x.py", ""),
        ("log/keep.py", ""),
        ("node_modules/n.js", ""),
        ("run", ""),
        ("y.py", ""),
    ];
    for (path, text) in files {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let memory = MemoryFileSystem::with_files(files);
    memory.symlink(b"l.py", b"y.py");
    std::os::unix::fs::symlink("y.py", directory.path().join("l.py")).unwrap();
    let real = select(&crate::fs::OsFileSystem::open(directory.path()).unwrap(), &SelectRules::default());
    let expected = select(&memory, &SelectRules::default());
    assert_eq!(names(&real), ["l.py", "run", "y.py"]);
    assert_eq!(names(&real), names(&expected));
    assert_eq!(reasons(&real), reasons(&expected));
    assert_eq!(reasons(&real).len(), 5);
}

#[test]
fn lfs_pointers_are_recognised() {
    assert!(is_lfs_pointer(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"));
    assert!(!is_lfs_pointer(b"# version https://git-lfs.github.com/spec/v1\n"));
}

/// A small random number generator, so that the seed printed is all there is to know.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn pick<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.below(options.len() as u64) as usize]
    }
}

/// One random edit of a tree in which every kind of thing happens.
fn edit(fs: &MemoryFileSystem, random: &mut Random) {
    let mut directory = String::new();
    for _ in 0..random.below(4) {
        directory.push_str(random.pick(&["a/", "b/", "vendor/", "node_modules/"]));
    }
    let name = random.pick(&["x.py", "y.py", "run", "Cargo.toml", "l.py", "a", "m.min.js"]);
    let path = format!("{directory}{name}");
    match random.below(12) {
        0 | 1 => fs.remove(path.as_bytes()),
        2 => fs.remove(directory.trim_end_matches('/').as_bytes()),
        3 => fs.symlink(path.as_bytes(), random.pick(&["x.py", "../x.py", "/etc", "a/x.py", "a"]).as_bytes()),
        4 => fs.write(format!("{directory}.git").as_bytes(), b"gitdir: x"),
        5 => fs.remove(format!("{directory}.git").as_bytes()),
        6 => {
            let text = random.pick(&["x.py\n", "a/\n", "!x.py\n", "b\n"]);
            let file = random.pick(&[".gitignore", ".ignore", ".binderyignore"]);
            fs.write(format!("{directory}{file}").as_bytes(), text.as_bytes());
        }
        7 => fs.remove(format!("{directory}.gitignore").as_bytes()),
        8 => fs.special(path.as_bytes()),
        9 if !directory.is_empty() => {
            let from = directory.trim_end_matches('/').to_owned();
            let _ = fs.rename(from.as_bytes(), random.pick(&["a", "b", "c", "vendor"]).as_bytes());
        }
        _ => fs.write(path.as_bytes(), b"text"),
    }
}

/// What a driver does with the gate's answer.
fn updated(fs: &MemoryFileSystem, selector: &Selector, previous: &Selection) -> Selection {
    use crate::{GateMode, KnownEntry, changed_since};
    let entry = |raw, stat| KnownEntry { raw, stat: Some(stat), smudged: false };
    let directories: Vec<_> =
        previous.directories.iter().map(|seen| entry(seen.place.raw(), seen.stat)).collect();
    let ignores: Vec<_> =
        previous.ignore_files.iter().map(|seen| entry(seen.place.raw(), seen.stat)).collect();
    if !changed_since(fs, &ignores, GateMode::Stats).is_empty() {
        return selector.select(fs, &interest).unwrap();
    }
    let mut changed: Vec<Vec<u8>> = changed_since(fs, &directories, GateMode::Stats)
        .into_iter()
        .map(|(index, _)| directories[index].raw.to_vec())
        .collect();
    let links = changed_links(fs, &previous.links);
    changed.extend(
        links.into_iter().map(|index| crate::fs::split_parent(previous.links[index].place.raw()).0.to_vec()),
    );
    let mut selection = selector.refresh(fs, &interest, previous, &changed).unwrap();
    for file in &mut selection.files {
        file.stat = fs.lstat(file.raw()).unwrap();
    }
    for link in &mut selection.links {
        link.target = resolve_link(fs, link.place.raw());
    }
    selection
}

#[test]
fn refreshing_equals_walking_again_after_random_edits() {
    for include in [&[][..], &["/vendor/a/"], &["**"]] {
        let selector = Selector::new(&rules(include, &["b/y.py"])).unwrap();
        for seed in 1..=400_u64 {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let fs = MemoryFileSystem::new();
            for _ in 0..20 {
                edit(&fs, &mut random);
            }
            let mut selection = selector.select(&fs, &interest).unwrap();
            for step in 0..6 {
                for _ in 0..=random.below(3) {
                    edit(&fs, &mut random);
                }
                selection = updated(&fs, &selector, &selection);
                let clean = selector.select(&fs, &interest).unwrap();
                assert_eq!(selection, clean, "seed {seed}, step {step}, include {include:?}");
            }
        }
    }
}
