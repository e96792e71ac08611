//! What Maven and Gradle files say, as far as anything asks.
//!
//! | entry | because |
//! |---|---|
//! | `("package", "name", …)`, `("package", "description", …)` | `<name>` or `<artifactId>`, `<description>`; `rootProject.name` |
//! | `("artifact", "core", "")` | the project's own `<artifactId>` |
//! | `("dependency", "core", "")` | the `<artifactId>` of a `<dependency>` |
//! | `("module", "a/b", "")` | `<module>a/b</module>`; `include(":a:b")` |

use bindery_facts::{Manifest, ManifestEntry};

/// The files that are read.
pub(crate) const NAMES: &[&str] =
    &["pom.xml", "settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"];

/// Reads one of [`NAMES`]; never runs anything.
pub(crate) fn read(file_name: &str, text: &str) -> Manifest {
    let entries = match file_name {
        "pom.xml" => read_pom(text),
        _ => read_gradle(text),
    };
    Manifest { entries, problem: None }
}

fn entry(kind: &str, key: &str, value: &str) -> ManifestEntry {
    ManifestEntry { kind: kind.into(), key: key.into(), value: value.into() }
}

/// The elements of a POM by the path of their names; comments, attributes and processing instructions are
/// passed over.
fn read_pom(text: &str) -> Vec<ManifestEntry> {
    let (mut open, mut entries): (Vec<&str>, Vec<ManifestEntry>) = (Vec::new(), Vec::new());
    let (mut name, mut artifact) = (None, None);
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some((tag, after)) = rest.split_once('>') else { break };
        rest = after;
        if tag.starts_with(['?', '!']) {
            continue;
        }
        if tag.starts_with('/') {
            open.pop();
            continue;
        }
        let element = tag.split_whitespace().next().unwrap_or_default().trim_end_matches('/');
        let content = after.split('<').next().unwrap_or_default().trim();
        match (open.as_slice(), element) {
            (["project"], "name") => name = Some(content),
            (["project"], "artifactId") => {
                artifact = Some(content);
                entries.push(entry("artifact", content, ""));
            }
            (["project", "dependencies", "dependency"], "artifactId") => {
                entries.push(entry("dependency", content, ""));
            }
            (["project"], "description") if !content.is_empty() => {
                let folded: Vec<&str> = content.split_whitespace().collect();
                entries.push(entry("package", "description", &folded.join(" ")));
            }
            (["project", "modules"] | ["project", "profiles", "profile", "modules"], "module") => {
                entries.push(entry("module", content.trim_end_matches('/'), ""));
            }
            _ => {}
        }
        if !tag.ends_with('/') {
            open.push(element);
        }
    }
    let is_literal = |text: &&str| !text.is_empty() && !text.contains("${");
    if let Some(name) = name.filter(is_literal).or(artifact.filter(is_literal)) {
        entries.insert(0, entry("package", "name", name));
    }
    entries
}

/// The statements of a Gradle script that are written out: `rootProject.name = "x"`, `include ":a"`.
fn read_gradle(text: &str) -> Vec<ManifestEntry> {
    let mut entries = Vec::new();
    let mut is_including = false;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if let Some(value) = line.strip_prefix("rootProject.name") {
            entries.extend(quoted(value).first().map(|name| entry("package", "name", name)));
        } else if let Some(value) =
            line.strip_prefix("description").filter(|rest| rest.trim().starts_with('='))
        {
            entries.extend(quoted(value).first().map(|text| entry("package", "description", text)));
        }
        let begins = line.strip_prefix("include").is_some_and(|rest| rest.starts_with([' ', '(', '\'', '"']));
        if begins || is_including {
            let modules = quoted(line).into_iter().map(|path| path.trim_start_matches(':').replace(':', "/"));
            entries.extend(modules.map(|path| entry("module", &path, "")));
            is_including = line.ends_with([',', '(']);
        }
    }
    entries
}

/// The strings between quotes in a line.
fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = &rest[at..at + 1];
        let Some((inside, after)) = rest[at + 1..].split_once(quote) else { break };
        found.push(inside);
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pom_names_itself_and_its_modules() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <name>no</name> -->\n<project a=\"b\">\n<parent><artifactId>p\
                    </artifactId></parent>\n<artifactId>demo</artifactId>\n<name>${x}</name><description>A\n b\
                    </description><dependencies><dependency><artifactId>q</artifactId></dependency></dependencies><modules><module>core</module><module>cli/</module></modules><x/></project>";
        let expected = [
            entry("package", "name", "demo"),
            entry("artifact", "demo", ""),
            entry("package", "description", "A b"),
            entry("dependency", "q", ""),
            entry("module", "core", ""),
            entry("module", "cli", ""),
        ];
        assert_eq!(read("pom.xml", text).entries, expected);
        assert_eq!(read("pom.xml", "<project><name>").entries, []);
    }

    #[test]
    fn gradle_settings_list_the_modules() {
        let text =
            "rootProject.name = 'demo'\n// include ':x'\ninclude ':core',\n  ':cli:main'\ninclude(\"a\")\n";
        let expected = [
            entry("package", "name", "demo"),
            entry("module", "core", ""),
            entry("module", "cli/main", ""),
            entry("module", "a", ""),
        ];
        assert_eq!(read("settings.gradle", text).entries, expected);
    }
}
