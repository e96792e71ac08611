//! Installing and removing git's pre-commit hook, for people who use no hook manager.

use std::path::{Path, PathBuf};

use bindery_store::{Environment, GitLocation, read_user_file, remove_user_file, write_user_program};

use crate::options::Options;
use crate::outcome::Failure;
use crate::repository::find_root_to_set_up;

/// What the hook does before a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HookAction {
    /// Brings the handbook in the index up to date.
    Build,
    /// Stops the commit if the handbook in the index is not up to date.
    Check,
}

impl HookAction {
    const ALL: [HookAction; 2] = [HookAction::Build, HookAction::Check];

    fn command(self) -> &'static str {
        match self {
            HookAction::Build => "build --staged --stage --quiet",
            HookAction::Check => "check --staged --quiet",
        }
    }
}

/// Installs the hook; its path. A finding if there is another one, which is kept.
pub fn install_hook(options: &Options, action: HookAction) -> Result<String, Failure> {
    let environment = Environment::read();
    let (root, path) = hook_of(options, &environment)?;
    let wanted = script(action, &root, environment.program.as_deref());
    match read_user_file(&path)? {
        Some(there) if there != wanted.as_bytes() && !is_ours(&there) => {
            return Err(Failure::findings(format!("`{}` exists, and was kept", path.display()))
                .with_hint(format!("add this line to it: bindery {}", action.command())));
        }
        _ => write_user_program(&path, wanted.as_bytes())?,
    }
    Ok(path.display().to_string())
}

/// Removes the hook; its path. A finding if there is none of ours; another one is kept.
pub fn uninstall_hook(options: &Options) -> Result<String, Failure> {
    let (_, path) = hook_of(options, &Environment::read())?;
    match read_user_file(&path)? {
        None => Err(Failure::findings(format!("there is no hook `{}`", path.display()))),
        Some(there) if !is_ours(&there) => Err(Failure::findings(format!(
            "`{}` was not written by bindery, or was changed since, and was kept",
            path.display()
        ))),
        Some(_) => {
            remove_user_file(&path)?;
            Ok(path.display().to_string())
        }
    }
}

/// The root to analyse, from the top of the repository, and the hook's path.
fn hook_of(options: &Options, environment: &Environment) -> Result<(PathBuf, PathBuf), Failure> {
    let root = find_root_to_set_up(options.root.as_deref(), environment)?;
    let git = GitLocation::find(&root)
        .ok_or_else(|| Failure::usage(format!("`{}` is not in a git repository", root.display())))?;
    let inside = root.strip_prefix(&git.top_level).unwrap_or(Path::new("")).to_owned();
    Ok((inside, git.hooks_directory()?.join("pre-commit")))
}

const FIRST_LINES: &str =
    "#!/bin/sh\n# Written by `bindery hook install`; `bindery hook uninstall` removes it.\n";

/// Git runs hooks at the top of the working tree. The program is looked for by name first, so that an upgrade
/// elsewhere needs no new hook.
fn script(action: HookAction, root: &Path, program: Option<&Path>) -> String {
    let program = program.map_or("bindery".into(), Path::to_string_lossy);
    let root = match root.as_os_str().is_empty() {
        true => ".".into(),
        false => root.to_string_lossy(),
    };
    format!(
        "{FIRST_LINES}bindery=$(command -v bindery) || bindery={}\nexec \"$bindery\" {} {}\n",
        quoted(&program),
        action.command(),
        quoted(&root),
    )
}

/// A word as a shell takes it literally.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Whether a hook is one that [`script`] writes, for whichever root and program.
fn is_ours(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let Some(rest) = text.strip_prefix(FIRST_LINES) else { return false };
    let lines: Vec<&str> = rest.lines().collect();
    let is_command = |line: &str| {
        HookAction::ALL
            .iter()
            .any(|action| line.starts_with(&format!("exec \"$bindery\" {} '", action.command())))
    };
    matches!(lines[..], [first, second] if first.starts_with("bindery=$(command -v bindery) || bindery='") && is_command(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_ours_only_as_we_wrote_it() {
        for action in HookAction::ALL {
            let ours = script(action, Path::new("it's/sub"), Some(Path::new("/opt/a b/bindery")));
            assert!(is_ours(ours.as_bytes()), "{ours}");
            assert!(!is_ours(format!("{ours}make lint\n").as_bytes()));
            assert!(!is_ours(ours.replace("exec", "echo; exec").as_bytes()));
        }
        assert!(!is_ours(b"#!/bin/sh\nexec bindery check --staged\n") && !is_ours(b"\xff"));
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        let text = script(HookAction::Check, Path::new("it's"), Some(Path::new("/a b/$x")));
        assert!(
            text.ends_with("|| bindery='/a b/$x'\nexec \"$bindery\" check --staged --quiet 'it'\\''s'\n"),
            "{text}"
        );
    }
}
