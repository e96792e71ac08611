//! Stands in for a build script, hence without the test harness: its first call serves the parse worker.

use std::process::{Command, Stdio};

fn main() {
    bindery_build::serve_parse_worker_if_asked();
    let command = bindery_build::worker_command().expect("the system says where this program lies");
    let (program, arguments) = command.split_first().expect("a command has a program");
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.expect("this program can be started again");
    // The end of its input ends a worker. Had it come as far as this line, it would have started workers
    // without end, or printed what stands below.
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    println!("test a_build_script_is_its_own_parse_worker ... ok");
}
