//! Places that cannot be written, names that are not text, signals.

use std::fs;
use std::path::Path;

use crate::sandbox::{Run, Sandbox};

#[test]
fn a_work_directory_that_cannot_be_made_is_named() {
    let sandbox = Sandbox::sample();
    let run = sandbox.run(["build", "--work-dir", "README.md/work"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.stderr.starts_with("error: ") && run.stderr.contains("README.md"), "{run:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_are_spelled_out() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::sample();
    sandbox.write(Path::new(OsStr::from_bytes(b"na\xffme.py")), "def odd():\n    pass\n");
    sandbox.run(["build"]).succeeded();
    let stdout = sandbox.run(["symbol", "odd"]).succeeded();
    assert!(stdout.contains("  na%FFme.py:1-2  "), "{stdout}");
    assert_eq!(sandbox.run(["check"]).succeeded(), "up to date\n");
}

#[test]
fn an_empty_repository_has_a_handbook_too() {
    let sandbox = Sandbox::empty();
    sandbox.run(["build"]).succeeded();
    assert!(sandbox.path().join(".bindery/handbook/overview.md").is_file());
    assert_eq!(sandbox.run(["check"]).succeeded(), "up to date\n");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    /// A user who owns nothing, where the tests run as root; root could write everywhere.
    const NOBODY: u32 = 65534;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode can be set");
    }

    /// A run by somebody who may read the sandbox and write nothing in it.
    fn run_without_rights(sandbox: &Sandbox, program: &Path, arguments: &[&str]) -> Run {
        let mut command = sandbox.command_of(program);
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        Run::of(command.args(arguments))
    }

    fn is_root() -> bool {
        let output = Command::new("id").arg("-u").output();
        output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
    }

    #[test]
    fn a_read_only_tree_can_be_checked_and_searched() {
        let sandbox = Sandbox::built();
        // Where the program was built need not be open to everybody.
        let place = tempfile::tempdir().expect("a temporary directory can be made");
        let program = place.path().join("bindery");
        fs::copy(env!("CARGO_BIN_EXE_bindery"), &program).expect("the program can be copied");
        set_mode(place.path(), 0o755);
        set_mode(sandbox.path(), 0o555);
        let run = run_without_rights(&sandbox, &program, &["check"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "up to date\n"), "{run:?}");
        let run = run_without_rights(&sandbox, &program, &["symbol", "Queue.push"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let elsewhere = tempfile::tempdir().expect("a temporary directory can be made");
        set_mode(elsewhere.path(), 0o777);
        let inside = |name: &str| elsewhere.path().join(name).display().to_string();
        let arguments = ["build", "--work-dir", &inside("work"), "--out", &inside("pages")];
        let run = run_without_rights(&sandbox, &program, &arguments);
        assert_eq!(run.code, Some(0), "{run:?}");
        set_mode(sandbox.path(), 0o755);
    }

    #[test]
    fn a_build_that_cannot_write_names_the_path() {
        let sandbox = Sandbox::sample();
        let place = tempfile::tempdir().expect("a temporary directory can be made");
        let program = place.path().join("bindery");
        fs::copy(env!("CARGO_BIN_EXE_bindery"), &program).expect("the program can be copied");
        set_mode(place.path(), 0o755);
        set_mode(sandbox.path(), 0o555);
        let run = run_without_rights(&sandbox, &program, &["build"]);
        set_mode(sandbox.path(), 0o755);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(".bindery"), "{run:?}");
    }

    #[test]
    fn signals_end_a_build_with_their_own_codes() {
        for (signal, code) in [("INT", 130), ("TERM", 143)] {
            let sandbox = Sandbox::empty();
            for number in 0..1_500 {
                let body = "    total = helper(total)\n".repeat(60);
                let source =
                    format!("def helper(n):\n    return n\n\ndef run{number}():\n    total = 0\n{body}");
                sandbox.write(format!("pkg{}/m{number}.py", number % 40), &source);
            }
            let mut child = sandbox
                .command()
                .arg("build")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program can be started");
            wait_for(&sandbox.path().join(".bindery"));
            let id = child.id().to_string();
            Command::new("kill").args(["-s", signal, &id]).status().expect("a signal can be sent");
            let status = child.wait().expect("the child can be waited for");
            assert_eq!((status.code(), status.signal()), (Some(code), None), "SIG{signal}");
            sandbox.run(["build"]).succeeded();
            assert_eq!(sandbox.run(["check"]).succeeded(), "up to date\n");
        }
    }

    /// Returns when the run has begun to work; fails the test if it never does.
    fn wait_for(path: &Path) {
        let started = Instant::now();
        while !path.exists() {
            assert!(started.elapsed() < Duration::from_secs(20), "{} never appeared", path.display());
            thread::sleep(Duration::from_millis(1));
        }
    }
}
