//! What Python's project files say, as far as anything asks: the package's name and description, as
//! `("package", "name", …)` and `("package", "description", …)`.

use bindery_facts::{Manifest, ManifestEntry};
use toml::Table;

/// The files that are read.
pub(crate) const NAMES: &[&str] = &["pyproject.toml", "setup.cfg"];

/// Reads one of [`NAMES`].
pub(crate) fn read(file_name: &str, text: &str) -> Manifest {
    match file_name {
        "pyproject.toml" => read_pyproject(text),
        _ => read_setup_cfg(text),
    }
}

fn entry(kind: &str, key: &str, value: &str) -> ManifestEntry {
    ManifestEntry { kind: kind.into(), key: key.into(), value: value.into() }
}

fn read_pyproject(text: &str) -> Manifest {
    let table = match text.parse::<Table>() {
        Ok(table) => table,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
            return Manifest { entries: Vec::new(), problem: Some((line, error.message().to_owned())) };
        }
    };
    let mut entries = Vec::new();
    for key in ["name", "description"] {
        let written =
            [&["project"][..], &["tool", "poetry"]].into_iter().find_map(|path| string(&table, path, key));
        entries.extend(written.map(|value| entry("package", key, value)));
    }
    Manifest { entries, problem: None }
}

fn string<'t>(table: &'t Table, path: &[&str], key: &str) -> Option<&'t str> {
    let mut table = table;
    for segment in path {
        table = table.get(*segment)?.as_table()?;
    }
    table.get(key)?.as_str()
}

/// Reads `[metadata]` of `setup.cfg` as setuptools documents it.
fn read_setup_cfg(text: &str) -> Manifest {
    let mut entries = Vec::new();
    let (mut section, mut key) = (String::new(), String::new());
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        let trimmed = line.trim();
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (section, key) = (name.trim().to_owned(), String::new());
            continue;
        }
        let is_continued = line.starts_with(char::is_whitespace);
        let value = if is_continued {
            trimmed
        } else {
            let (name, value) = trimmed.split_once('=').unwrap_or((trimmed, ""));
            key = name.trim().to_owned();
            value.trim()
        };
        entries.extend(setup_cfg_entry(&section, &key, value));
    }
    Manifest { entries, problem: None }
}

fn setup_cfg_entry(section: &str, key: &str, value: &str) -> Option<ManifestEntry> {
    let is_computed = value.is_empty() || value.starts_with("attr:") || value.starts_with("file:");
    let is_wanted = section == "metadata" && matches!(key, "name" | "description") && !is_computed;
    is_wanted.then(|| entry("package", key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pyproject_names_the_package() {
        let text = "[tool.poetry]\nname = \"other\"\ndescription = \"d\"\n[project]\nname = \"demo\"\n";
        let expected = [entry("package", "name", "demo"), entry("package", "description", "d")];
        assert_eq!(read("pyproject.toml", text).entries, expected);
        let broken = read("pyproject.toml", "[project]\nname = \n");
        assert_eq!(broken.problem.map(|problem| problem.0), Some(2));
    }

    #[test]
    fn setup_cfg_is_read_as_setuptools_writes_it() {
        let text = "[metadata]\nname = demo\ndescription = attr: demo.v\n[options]\nname = x\n# x\n";
        assert_eq!(read("setup.cfg", text).entries, [entry("package", "name", "demo")]);
    }
}
