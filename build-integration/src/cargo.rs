//! What a build script says to cargo.

use std::fmt::Display;
use std::path::Path;

/// The first version of cargo that takes `cargo::KEY`; older ones take `cargo:KEY`
/// (<https://doc.rust-lang.org/cargo/reference/build-scripts.html>).
const TWO_COLONS: (u64, u64) = (1, 77);
/// The first version that takes `cargo::error`.
const ERRORS: (u64, u64) = (1, 84);

/// The instructions that the cargo a package asks for understands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Instructions {
    /// Major and minor version of the oldest Rust the package builds with.
    oldest: (u64, u64),
}

impl Instructions {
    /// For a package that says `rust-version` in its manifest; an empty text says nothing.
    pub(crate) fn for_rust(version: &str) -> Self {
        let mut parts = version.split('.').map(str::parse);
        match (parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Self { oldest: (major, minor) },
            _ => Self { oldest: ERRORS },
        }
    }

    /// Run again when this file, or a name in this directory, changes.
    pub(crate) fn rerun_if_changed(self, path: &Path) -> String {
        self.line("rerun-if-changed", path.display())
    }

    /// Run again when this variable changes.
    pub(crate) fn rerun_if_env_changed(self, variable: &str) -> String {
        self.line("rerun-if-env-changed", variable)
    }

    pub(crate) fn warning(self, message: &str) -> String {
        self.line("warning", one_line(message))
    }

    /// An error, or the warning that older versions have instead.
    pub(crate) fn error(self, message: &str) -> String {
        match self.oldest >= ERRORS {
            true => self.line("error", one_line(message)),
            false => self.warning(message),
        }
    }

    fn line(self, key: &str, value: impl Display) -> String {
        let colons = if self.oldest >= TWO_COLONS { "::" } else { ":" };
        format!("cargo{colons}{key}={value}")
    }
}

/// An instruction is a line; a message of several would end early, or begin another instruction.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_spoken_to_in_their_own_way() {
        let lines = |version: &str| {
            let cargo = Instructions::for_rust(version);
            [cargo.rerun_if_changed(Path::new("src")), cargo.error("a\ncargo::b")]
        };
        assert_eq!(lines("1.76.0"), ["cargo:rerun-if-changed=src", "cargo:warning=a cargo::b"]);
        assert_eq!(lines("1.77"), ["cargo::rerun-if-changed=src", "cargo::warning=a cargo::b"]);
        assert_eq!(lines("1.84"), ["cargo::rerun-if-changed=src", "cargo::error=a cargo::b"]);
        assert_eq!(lines(""), lines("1.90"));
    }
}
