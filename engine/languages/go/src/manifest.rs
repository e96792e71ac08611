//! `go.mod` and `go.work` to manifest entries.
//!
//! | kind | key | value |
//! |---|---|---|
//! | `module` | | the module's path |
//! | `package` | `name` | its last part that is no major version, which the repository is called by |
//! | `replace` | the replaced module's path | the directory it is replaced by, relative to the manifest's |
//! | `use` | | a directory of the workspace |
//!
//! Replacements by another module, and everything else, lead nowhere inside the set and are left out
//! (*Go Modules Reference*, sections *go.mod files* and *Workspaces*).

use bindery_facts::{Manifest, ManifestEntry, Name};

/// Reads a manifest; lines that are no directive of the above are skipped.
pub(crate) fn read(text: &str) -> Manifest {
    let mut entries = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        if line == ")" {
            block = None;
            continue;
        }
        if let Some(word) = line.strip_suffix('(').map(str::trim) {
            block = Some(word.to_owned());
            continue;
        }
        let (word, rest) = match &block {
            Some(word) => (word.as_str(), line),
            None => line.split_once(char::is_whitespace).unwrap_or((line, "")),
        };
        entries.extend(directive(word, rest.trim()));
    }
    let module = entries.iter().find(|entry| entry.kind == "module").map(|entry| entry.value.clone());
    entries.extend(module.as_deref().and_then(package_name));
    Manifest { entries, problem: None }
}

fn directive(word: &str, rest: &str) -> Option<ManifestEntry> {
    let entry = |key: &str, value: &str| ManifestEntry {
        kind: Name::from(word),
        key: Name::from(key),
        value: Name::from(value),
    };
    match word {
        "module" | "use" if !rest.is_empty() => Some(entry("", unquoted(rest))),
        "replace" => {
            let (replaced, by) = rest.split_once("=>")?;
            let replaced = unquoted(replaced.split_whitespace().next()?);
            let by = unquoted(by.split_whitespace().next()?);
            (by.starts_with("./") || by.starts_with("../")).then(|| entry(replaced, by))
        }
        _ => None,
    }
}

/// `example.com/a/tool/v2` is called `tool`.
fn package_name(module: &str) -> Option<ManifestEntry> {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let name = module.rsplit('/').find(|part| !part.is_empty() && !is_version(part))?;
    Some(ManifestEntry { kind: "package".into(), key: "name".into(), value: name.into() })
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        read(text).entries.iter().map(|it| format!("{}|{}|{}", it.kind, it.key, it.value)).collect()
    }

    #[test]
    fn module_and_replacements() {
        let text = "module \"example.com/tool\" // the tool\n\ngo 1.22\nrequire example.com/lib v1.2.0\n\
                    replace example.com/lib v1.2.0 => ../lib\nreplace (\n\texample.com/x => ./x\n\
                    \texample.com/far => example.com/near v1.0.0\n)\n";
        assert_eq!(
            lines(text),
            [
                "module||example.com/tool",
                "replace|example.com/lib|../lib",
                "replace|example.com/x|./x",
                "package|name|tool"
            ]
        );
        assert_eq!(lines("module example.com/tool/v2"), ["module||example.com/tool/v2", "package|name|tool"]);
    }

    #[test]
    fn a_workspace_names_directories() {
        assert_eq!(
            lines("go 1.22\n\nuse (\n\t./a\n\t./b // second\n)\nuse ./c\n"),
            ["use||./a", "use||./b", "use||./c"]
        );
    }
}
