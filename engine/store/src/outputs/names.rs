use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use bindery_source::RepoPath;

/// A name that some file system would refuse or confuse with another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameProblem {
    /// The name.
    pub path: RepoPath,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.path, self.message)
    }
}

impl std::error::Error for NameProblem {}

/// Checks that the names of outputs can live beside each other on any file system and stay below their
/// directory: no two that differ only by case, none that is also the directory of another, no `..`, none
/// reserved, with characters that are not for file names, over-long, or ending in a dot or space.
pub fn check_names<'a>(paths: impl IntoIterator<Item = &'a RepoPath>) -> Result<(), NameProblem> {
    let mut folded: BTreeMap<String, &RepoPath> = BTreeMap::new();
    let mut directories: BTreeSet<String> = BTreeSet::new();
    for path in paths {
        let problem = |message: String| NameProblem { path: path.clone(), message };
        for component in path.as_str().split('/') {
            check_component(component).map_err(|message| problem(message.to_owned()))?;
        }
        let fold = path.as_str().to_lowercase();
        directories.extend(fold.match_indices('/').map(|(end, _)| fold[..end].to_owned()));
        if let Some(other) = folded.insert(fold, path) {
            return Err(problem(format!("is the same name as `{other}` where case does not count")));
        }
    }
    match folded.iter().find(|(fold, _)| directories.contains(*fold)) {
        Some((_, path)) => {
            let message = "is wanted both as a file and as a directory".to_owned();
            Err(NameProblem { path: (*path).clone(), message })
        }
        None => Ok(()),
    }
}

/// Names that Windows keeps for devices, whatever follows the first dot.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

fn check_component(name: &str) -> Result<(), &'static str> {
    match name {
        "" | "." | ".." => return Err("does not stay below its directory"),
        _ if name.len() > 255 => return Err("is longer than 255 bytes"),
        _ if name.ends_with(['.', ' ']) => return Err("ends in a dot or a space"),
        _ if name.starts_with(".bindery-") => return Err("is kept for bindery's own files"),
        _ if name.contains(|c: char| c.is_control() || r#"<>:"\|?*"#.contains(c)) => {
            return Err("has a character that is not for file names");
        }
        _ => {}
    }
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let is_port = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|digit| matches!(digit.as_bytes(), [b'1'..=b'9']))
    };
    match RESERVED.contains(&stem.as_str()) || is_port("com") || is_port("lpt") {
        true => Err("is a name reserved for devices"),
        false => Ok(()),
    }
}
