//! The sources are formatted as `rustfmt.toml` says.

use std::process::Command;

#[test]
fn every_source_is_formatted() {
    let cargo = || {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("fmt");
        command
    };
    let is_installed = cargo().arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_installed {
        eprintln!("skipped: `cargo fmt` is not installed (`rustup component add rustfmt` installs it)");
        return;
    }
    let output = cargo().args(["--all", "--", "--check"]).output().expect("cargo could be started just now");
    let differences = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "run `cargo fmt --all`:\n{differences}");
}
