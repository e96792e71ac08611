mod objects;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bindery_source::ContentHash;
pub(crate) use objects::{GitEntry, GitEntryKind, ObjectReader};

use crate::{Environment, ErrorKind, Operation, StoreError, StoreResult};

/// Where a repository lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GitLocation {
    /// The directory that has `.git`.
    pub top_level: PathBuf,
    /// The repository itself: `.git`, or where a `.git` file points (worktrees, submodules).
    pub git_directory: PathBuf,
    /// The index, where it is not the repository's own (a commit of some paths only has one for its hooks).
    pub index_file: Option<PathBuf>,
}

/// A commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GitCommit {
    /// Its id in hexadecimal digits.
    pub id: String,
    /// The committer's time, seconds since 1970.
    pub committer_time: i64,
}

/// More steps from one reference to the next than any repository has.
const MOST_REFERENCES: usize = 5;

impl GitLocation {
    /// The repository that `directory` belongs to: that of the nearest ancestor, itself included, with a
    /// `.git` that is a repository or points to one.
    pub fn find(directory: &Path) -> Option<Self> {
        let absolute = std::path::absolute(directory).ok()?;
        absolute.ancestors().find_map(Self::at)
    }

    /// The repository that git runs a hook for, as its environment says, else that of `directory`.
    pub fn of_hook(environment: &Environment, directory: &Path) -> Option<Self> {
        let found = match &environment.git_directory {
            Some(git_directory) => {
                let here = environment.current_directory.as_deref().unwrap_or(directory);
                let work_tree = environment.git_work_tree.as_deref().map(|tree| here.join(tree));
                let top_level = work_tree.or_else(|| Some(Self::find(here)?.top_level));
                Self {
                    top_level: top_level.unwrap_or_else(|| here.to_owned()),
                    git_directory: here.join(git_directory),
                    index_file: None,
                }
            }
            None => Self::find(directory)?,
        };
        Some(Self { index_file: environment.git_index_file.clone(), ..found })
    }

    fn at(top_level: &Path) -> Option<Self> {
        let git = top_level.join(".git");
        let git_directory = match std::fs::read(&git) {
            Ok(text) => {
                let target = text.trim_ascii_end().strip_prefix(b"gitdir: ")?;
                top_level.join(OsStr::from_bytes(target))
            }
            Err(_) => git,
        };
        let is_repository = git_directory.join("HEAD").symlink_metadata().is_ok();
        is_repository.then(|| Self { top_level: top_level.to_owned(), git_directory, index_file: None })
    }

    /// The id HEAD stands for, read from the repository's files; no program is run. None: an unborn branch,
    /// or a way of keeping references that this does not read ([`GitLocation::head`] does).
    pub fn head_id(&self) -> Option<String> {
        let shared = self.shared_directory();
        let mut text = read_line(&self.git_directory.join("HEAD"))?;
        for _ in 0..MOST_REFERENCES {
            let Some(reference) = text.strip_prefix("ref: ") else {
                return is_object_id(&text).then_some(text);
            };
            let name = checked_reference(reference)?;
            text = read_line(&self.git_directory.join(name))
                .or_else(|| read_line(&shared.join(name)))
                .or_else(|| packed_reference(&shared, name))?;
        }
        None
    }

    /// Where references and objects are: elsewhere than [`GitLocation::git_directory`] in a worktree.
    fn shared_directory(&self) -> PathBuf {
        match read_line(&self.git_directory.join("commondir")) {
            Some(path) => self.git_directory.join(path),
            None => self.git_directory.clone(),
        }
    }

    /// HEAD's commit, by running `git` once. None if there is no commit yet.
    pub fn head(&self) -> StoreResult<Option<GitCommit>> {
        // The batch command answers both questions in one process, and `missing` for an unborn branch.
        let output = self.git(&self.top_level, &["cat-file", "--batch"], b"HEAD\n")?;
        let end = output.iter().position(|&byte| byte == b'\n').unwrap_or(output.len());
        let first_line = String::from_utf8_lossy(&output[..end]);
        let mut words = first_line.split(' ');
        let (Some(id), Some("commit")) = (words.next(), words.next()) else { return Ok(None) };
        let body = output.get(end + 1..).unwrap_or_default();
        Ok(committer_time(body).map(|committer_time| GitCommit { id: id.to_owned(), committer_time }))
    }

    /// Where git looks for hooks, as the repository's and the user's settings say.
    pub fn hooks_directory(&self) -> StoreResult<PathBuf> {
        // The settings of this command would hide the user's.
        let output = Command::new("git")
            .args(["rev-parse", "--git-path", "hooks"])
            .current_dir(&self.top_level)
            .env_remove("GIT_DIR")
            .stderr(Stdio::null())
            .output();
        let output = output.map_err(|error| {
            StoreError::new(ErrorKind::Io, Operation::Run, "git rev-parse".to_owned())
                .with_detail(error.to_string())
        })?;
        let path = output.stdout.trim_ascii_end();
        Ok(self.top_level.join(OsStr::from_bytes(path)))
    }

    /// The paths of the index below `root` (a directory of the repository), relative to it, as raw bytes,
    /// sorted, by running `git` once.
    pub fn tracked_paths(&self, root: &Path) -> StoreResult<Vec<Vec<u8>>> {
        let output = self.git(root, &["ls-files", "-z", "--cached"], b"")?;
        let names = output.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        let mut paths: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
        paths.sort();
        // A conflicted path is in the index up to three times.
        paths.dedup();
        Ok(paths)
    }

    /// The ids of the commits where history was cut off when the repository was cloned, sorted: git shows each as
    /// if it had no parents. None if all of it is there.
    pub fn shallow_commits(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.shared_directory().join("shallow")).unwrap_or_default();
        let mut ids: Vec<String> =
            text.lines().filter(|line| is_object_id(line)).map(str::to_owned).collect();
        ids.sort();
        ids
    }

    /// The ids of the newest commits that `head` (an id) leads back to, itself included, merges left out, at
    /// most `most`, newest first, by running `git` once.
    pub fn commits_before(&self, head: &str, most: usize) -> StoreResult<Vec<String>> {
        let most = format!("--max-count={most}");
        let arguments = ["rev-list", "--no-merges", &most, "--end-of-options", head];
        let output = self.git(&self.top_level, &arguments, b"")?;
        let lines = output.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        Ok(lines.filter(|line| is_object_id(line)).map(str::to_owned).collect())
    }

    /// The paths below `root` (a directory of the repository) that each commit changed, relative to it, as
    /// raw bytes, in git's order, by running `git` once. Renames are a path that goes and one that comes.
    pub fn changed_paths(&self, root: &Path, ids: &[&str]) -> StoreResult<Vec<(String, Vec<Vec<u8>>)>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let arguments = ["diff-tree", "--stdin", "--always", "--root", "-r", "-z", "--raw", "--no-renames"];
        let safe = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];
        let input = ids.iter().flat_map(|id| [*id, "\n"]).collect::<String>();
        let output = self.git(&self.top_level, &[&arguments[..], &safe[..]].concat(), input.as_bytes())?;
        let below = root.strip_prefix(&self.top_level).unwrap_or(Path::new("")).as_os_str().as_bytes();
        Ok(commits_with_paths(&output, below))
    }

    /// The hash of the index file, for the gate: whoever changes what is tracked changes it. None: there is none.
    pub fn index_digest(&self) -> Option<ContentHash> {
        let own = || self.git_directory.join("index");
        std::fs::read(self.index_file.clone().unwrap_or_else(own)).ok().map(|bytes| ContentHash::of(&bytes))
    }

    /// A plumbing command in surroundings where the repository can make it run nothing (hooks, monitors,
    /// pagers, fetching of missing objects), and where nobody's settings change what it says.
    fn command(&self, directory: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(["-c", "safe.directory=*", "-c", "core.quotePath=false"])
            .args(arguments)
            .current_dir(directory)
            .env_clear()
            .envs(kept_environment())
            .env("GIT_DIR", absolute(&self.git_directory))
            .env("GIT_WORK_TREE", absolute(&self.top_level))
            .envs(self.index_file.iter().map(|index| ("GIT_INDEX_FILE", absolute(index))))
            .envs(FIXED_ENVIRONMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs such a command to its end.
    fn git(&self, directory: &Path, arguments: &[&str], input: &[u8]) -> StoreResult<Vec<u8>> {
        use std::io::Write;
        let fail = |detail: String| {
            let shown = format!("git {}", arguments.join(" "));
            StoreError::new(ErrorKind::Io, Operation::Run, shown).with_detail(detail)
        };
        let mut child =
            self.command(directory, arguments).spawn().map_err(|error| fail(error.to_string()))?;
        // Written beside reading: git may answer before it has read everything.
        let writer = child.stdin.take().map(|mut stdin| {
            let input = input.to_vec();
            // A git that ends before it reads says why on stderr.
            std::thread::spawn(move || drop(stdin.write_all(&input)))
        });
        let output = child.wait_with_output().map_err(|error| fail(error.to_string()))?;
        if let Some(writer) = writer {
            // It wrote all it could; git's own answer counts.
            let _ = writer.join();
        }
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(fail(String::from_utf8_lossy(output.stderr.trim_ascii()).into_owned())),
        }
    }
}

const FIXED_ENVIRONMENT: [(&str, &str); 7] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("LC_ALL", "C"),
];

/// Where programs are, and nothing else of ours.
fn kept_environment() -> impl Iterator<Item = (&'static str, OsString)> {
    ["PATH", "SystemRoot"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn read_line(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let line = bytes.split(|&byte| byte == b'\n').next()?.trim_ascii_end();
    String::from_utf8(line.to_vec()).ok().filter(|line| !line.is_empty())
}

/// Reads the output of `git diff-tree --stdin --raw -z`: a commit's id, then a line of modes and ids and a path
/// for each file.
fn commits_with_paths(output: &[u8], below: &[u8]) -> Vec<(String, Vec<Vec<u8>>)> {
    let mut commits: Vec<(String, Vec<Vec<u8>>)> = Vec::new();
    let mut tokens = output.split(|&byte| byte == 0).filter(|token| !token.is_empty());
    while let Some(token) = tokens.next() {
        if !token.starts_with(b":") {
            commits.push((String::from_utf8_lossy(token.trim_ascii()).into_owned(), Vec::new()));
            continue;
        }
        let (Some(path), Some((_, paths))) = (tokens.next(), commits.last_mut()) else { break };
        let inside = match below {
            b"" => Some(path),
            below => path.strip_prefix(below).and_then(|rest| rest.strip_prefix(b"/")),
        };
        paths.extend(inside.map(<[u8]>::to_vec));
    }
    commits
}

/// A reference's name, if it stays where references are.
fn checked_reference(name: &str) -> Option<&str> {
    let plain = name.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    (plain && name.starts_with("refs/")).then_some(name)
}

fn packed_reference(git_directory: &Path, name: &str) -> Option<String> {
    let packed = std::fs::read(git_directory.join("packed-refs")).ok()?;
    packed.split(|&byte| byte == b'\n').find_map(|line| {
        let (id, reference) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        (reference == name && is_object_id(id)).then(|| id.to_owned())
    })
}

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The time in a commit object's `committer NAME <MAIL> SECONDS ZONE` line.
fn committer_time(commit: &[u8]) -> Option<i64> {
    let headers = commit.split(|&byte| byte == b'\n').take_while(|line| !line.is_empty());
    let line = headers.into_iter().find_map(|line| line.strip_prefix(b"committer "))?;
    let after_mail = &line[line.iter().rposition(|&byte| byte == b'>')? + 1..];
    std::str::from_utf8(after_mail).ok()?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(directory: &Path, arguments: &[&str]) {
        let run = Command::new("git")
            .args(["-c", "user.name=N", "-c", "user.email=n@example.org", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .current_dir(directory)
            .env("GIT_COMMITTER_DATE", "1700000000 +0130")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }

    fn repository() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        git(directory.path(), &["init", "-q"]);
        directory
    }

    fn with_commit() -> tempfile::TempDir {
        let directory = repository();
        std::fs::create_dir(directory.path().join("d")).unwrap();
        std::fs::write(directory.path().join("d/b\nc.py"), "").unwrap();
        std::fs::write(directory.path().join("a.py"), "").unwrap();
        std::fs::write(directory.path().join("untracked.py"), "").unwrap();
        git(directory.path(), &["add", "a.py", "d"]);
        git(directory.path(), &["commit", "-q", "-m", "one"]);
        directory
    }

    #[test]
    fn a_directory_belongs_to_the_nearest_repository_above() {
        let directory = repository();
        let root = directory.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        let found = GitLocation::find(&root.join("a/b")).unwrap();
        assert_eq!((found.top_level.as_path(), found.git_directory), (root, root.join(".git")));
        assert_eq!(GitLocation::find(Path::new("/")), None);
        std::fs::write(root.join("a/.git"), "not a pointer").unwrap();
        assert_eq!(GitLocation::find(&root.join("a/b")).unwrap().top_level, root);
    }

    #[test]
    fn an_unborn_branch_has_no_head() {
        let directory = repository();
        let location = GitLocation::find(directory.path()).unwrap();
        assert_eq!(location.head_id(), None);
        assert_eq!(location.head().unwrap(), None);
        assert_eq!(location.tracked_paths(directory.path()).unwrap(), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn head_is_found_loose_packed_and_detached() {
        let directory = with_commit();
        let root = directory.path();
        let location = GitLocation::find(root).unwrap();
        let head = location.head().unwrap().unwrap();
        assert_eq!(head.committer_time, 1_700_000_000);
        assert_eq!(location.head_id(), Some(head.id.clone()));
        git(root, &["pack-refs", "--all"]);
        assert_eq!(location.head_id(), Some(head.id.clone()));
        git(root, &["checkout", "-q", "--detach"]);
        assert_eq!(location.head_id(), Some(head.id.clone()));
        std::fs::write(root.join(".git/HEAD"), "ref: refs/../../secret\n").unwrap();
        assert_eq!(location.head_id(), None);
        std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/loop\n").unwrap();
        std::fs::write(root.join(".git/refs/heads/loop"), "ref: refs/heads/loop\n").unwrap();
        assert_eq!(location.head_id(), None);
    }

    #[test]
    fn worktrees_share_the_references_of_their_repository() {
        let directory = with_commit();
        let other = tempfile::tempdir().unwrap();
        let place = other.path().join("tree");
        git(directory.path(), &["worktree", "add", "-q", place.to_str().unwrap(), "-b", "side"]);
        let location = GitLocation::find(&place).unwrap();
        let main = GitLocation::find(directory.path()).unwrap();
        assert_eq!(location.head_id(), main.head_id());
        assert_eq!(location.head().unwrap(), main.head().unwrap());
        assert!(location.index_digest().is_some());
        assert_eq!(location.tracked_paths(&place).unwrap().len(), 2);
    }

    #[test]
    fn tracked_paths_are_raw_and_relative_to_the_root_given() {
        let directory = with_commit();
        let location = GitLocation::find(directory.path()).unwrap();
        let all = location.tracked_paths(directory.path()).unwrap();
        assert_eq!(all, [b"a.py".to_vec(), b"d/b\nc.py".to_vec()]);
        assert_eq!(location.tracked_paths(&directory.path().join("d")).unwrap(), [b"b\nc.py".to_vec()]);
    }

    #[test]
    fn history_is_read_as_paths_of_commits() {
        let directory = with_commit();
        let root = directory.path();
        std::fs::write(root.join("a.py"), "x = 1\n").unwrap();
        // A name that looks like a commit's id is a path all the same.
        std::fs::write(root.join("d").join("0".repeat(40)), "").unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "two"]);
        git(root, &["checkout", "-q", "-b", "side", "HEAD~1"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "three"]);
        git(root, &["merge", "-q", "--no-edit", "main"]);
        let location = GitLocation::find(root).unwrap();
        let head = location.head_id().unwrap();
        let ids = location.commits_before(&head, 10).unwrap();
        assert_eq!(ids.len(), 3, "the merge is left out");
        assert!(!ids.contains(&head));
        assert_eq!(location.commits_before(&head, 2).unwrap(), ids[..2]);
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut paths: Vec<Vec<Vec<u8>>> =
            location.changed_paths(root, &ids).unwrap().into_iter().map(|(_, paths)| paths).collect();
        paths.sort();
        let zeros = format!("d/{}", "0".repeat(40)).into_bytes();
        let one = vec![b"a.py".to_vec(), b"d/b\nc.py".to_vec()];
        let two = vec![b"a.py".to_vec(), zeros.clone(), b"untracked.py".to_vec()];
        assert_eq!(paths, [vec![], two, one]);
        let below = location.changed_paths(&root.join("d"), &ids).unwrap();
        let below: std::collections::BTreeSet<Vec<u8>> =
            below.into_iter().flat_map(|(_, paths)| paths).collect();
        assert_eq!(below, [b"b\nc.py".to_vec(), zeros[2..].to_vec()].into());
        assert_eq!(location.changed_paths(root, &[]).unwrap(), []);
        assert_eq!(location.shallow_commits(), Vec::<String>::new());
        std::fs::write(root.join(".git/shallow"), format!("{}\n", ids[2])).unwrap();
        assert_eq!(location.shallow_commits(), [ids[2]]);
        assert!(location.commits_before("--output=x", 1).is_err());
        assert!(!root.join("x").exists());
    }

    #[test]
    fn the_repository_cannot_make_git_run_anything() {
        let directory = with_commit();
        let root = directory.path();
        let trap = root.join("trap.sh");
        std::fs::write(&trap, "#!/bin/sh\ntouch \"$(dirname \"$0\")/sprung\"\n").unwrap();
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
        let program = trap.to_str().unwrap();
        for key in
            ["core.fsmonitor", "core.pager", "gpg.program", "diff.external", "core.editor", "core.sshCommand"]
        {
            git(root, &["config", key, program]);
        }
        git(root, &["config", "log.showSignature", "true"]);
        git(root, &["config", "core.hooksPath", root.to_str().unwrap()]);
        std::fs::copy(&trap, root.join("post-index-change")).unwrap();
        let location = GitLocation::find(root).unwrap();
        assert!(location.head().unwrap().is_some());
        assert_eq!(location.tracked_paths(root).unwrap().len(), 2);
        let attributes = "*.py diff=trap\n";
        std::fs::write(root.join(".gitattributes"), attributes).unwrap();
        git(root, &["config", "diff.trap.textconv", program]);
        git(root, &["config", "diff.trap.command", program]);
        let head = location.head_id().unwrap();
        assert_eq!(location.commits_before(&head, 10).unwrap(), std::slice::from_ref(&head));
        assert_eq!(location.changed_paths(root, &[&head]).unwrap()[0].1.len(), 2);
        assert!(!root.join("sprung").exists());
    }

    #[test]
    fn errors_say_what_was_run() {
        let directory = with_commit();
        let location = GitLocation::find(directory.path()).unwrap();
        std::fs::write(directory.path().join(".git/index"), "garbage").unwrap();
        let error = location.tracked_paths(directory.path()).unwrap_err();
        assert!(error.to_string().starts_with("cannot run `git ls-files -z --cached`: input/output error ("));
    }

    #[test]
    fn the_time_is_the_committers_whatever_the_name() {
        let commit =
            b"tree 0\nauthor A <a> 1 +0000\ncommitter X > Y <x@y> 42 -0800\n\ncommitter N <n> 7 +0000\n";
        assert_eq!(committer_time(commit), Some(42));
        assert_eq!(committer_time(b"tree 0\n\ncommitter N <n> 7 +0000\n"), None);
    }
}
