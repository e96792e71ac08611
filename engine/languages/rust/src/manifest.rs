//! `Cargo.toml` to manifest entries.
//!
//! | kind | key | value |
//! |---|---|---|
//! | `package` | `name`, `edition`, `description`, `default-run` | as written; `workspace` if inherited |
//! | `lib` | crate name in code | path of the root file; one for each package, whether the file exists or not, unless `autolib = false` |
//! | `lib-kind` | `proc-macro` | `true` |
//! | `bin` `test` `example` `bench` | target name | path; without a written one an entry for each place Cargo looks |
//! | `auto` | `bin` `test` `example` `bench` | pattern of autodiscovered roots, `*` for one path segment |
//! | `build` | | path of the build script |
//! | `dependency` `dev-dependency` `build-dependency` | crate name in code | `path:…`, `workspace`, `git`, `registry` |
//! | `rename` | crate name in code | the package's own name; follows its dependency |
//! | `workspace` | `root` | |
//! | `workspace-member` `workspace-exclude` | | as written |
//! | `workspace-package` | `edition`, `name` … | as written |
//! | `workspace-dependency`, `workspace-rename` | as above | as above |
//!
//! Names in code have `_` for `-`. Paths are relative to the manifest's directory and may hold `..`.
//! The manifest is parsed, never executed, and what it names is not looked for.

use bindery_facts::{Manifest, ManifestEntry, Name};
use toml::{Table, Value};

/// Reads a manifest; of one that is no TOML only the problem is kept.
pub(crate) fn read(text: &str) -> Manifest {
    match text.parse::<Table>() {
        Ok(table) => {
            let mut entries = Entries::default();
            entries.read(&table);
            Manifest { entries: entries.0, problem: None }
        }
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
            Manifest { entries: Vec::new(), problem: Some((line, error.message().to_owned())) }
        }
    }
}

/// A kind of target: its word, the table it is written in, the key that turns autodiscovery off, and
/// the directory it is found in.
struct TargetKind {
    word: &'static str,
    auto: &'static str,
    directory: &'static str,
}

const TARGET_KINDS: [TargetKind; 4] = [
    TargetKind { word: "bin", auto: "autobins", directory: "src/bin" },
    TargetKind { word: "example", auto: "autoexamples", directory: "examples" },
    TargetKind { word: "test", auto: "autotests", directory: "tests" },
    TargetKind { word: "bench", auto: "autobenches", directory: "benches" },
];

const DEPENDENCY_TABLES: [(&str, &str); 5] = [
    ("dependencies", "dependency"),
    ("dev-dependencies", "dev-dependency"),
    ("dev_dependencies", "dev-dependency"),
    ("build-dependencies", "build-dependency"),
    ("build_dependencies", "build-dependency"),
];

#[derive(Default)]
struct Entries(Vec<ManifestEntry>);

impl Entries {
    fn push(&mut self, kind: &str, key: &str, value: &str) {
        self.0.push(ManifestEntry { kind: Name::from(kind), key: Name::from(key), value: Name::from(value) });
    }

    fn read(&mut self, manifest: &Table) {
        if let Some(package) = table(manifest, "package").or(table(manifest, "project")) {
            self.package(package, manifest);
        }
        self.dependency_tables(manifest);
        for target in
            table(manifest, "target").into_iter().flat_map(Table::values).filter_map(Value::as_table)
        {
            self.dependency_tables(target);
        }
        if let Some(workspace) = table(manifest, "workspace") {
            self.workspace(workspace);
        }
    }

    fn package(&mut self, package: &Table, manifest: &Table) {
        for key in ["name", "edition", "description", "default-run"] {
            match package.get(key) {
                Some(Value::String(text)) => self.push("package", key, text),
                Some(Value::Table(_)) => self.push("package", key, "workspace"),
                _ => {}
            }
        }
        let name = text(package, "name").unwrap_or_default();
        self.library(package, table(manifest, "lib"), name);
        for kind in &TARGET_KINDS {
            self.targets(kind, package, manifest, name);
        }
        match package.get("build") {
            Some(Value::Boolean(false)) => {}
            Some(Value::String(path)) => self.push("build", "", path),
            _ => self.push("build", "", "build.rs"),
        }
    }

    fn library(&mut self, package: &Table, lib: Option<&Table>, package_name: &str) {
        if lib.is_none() && package.get("autolib") == Some(&Value::Boolean(false)) {
            return;
        }
        let written = |key| lib.and_then(|lib| text(lib, key));
        let name = written("name").unwrap_or(package_name);
        self.push("lib", &name_in_code(name), written("path").unwrap_or("src/lib.rs"));
        let is_proc_macro = |key| lib.and_then(|lib| lib.get(key)) == Some(&Value::Boolean(true));
        if is_proc_macro("proc-macro") || is_proc_macro("proc_macro") {
            self.push("lib-kind", "proc-macro", "true");
        }
    }

    fn targets(&mut self, kind: &TargetKind, package: &Table, manifest: &Table, package_name: &str) {
        let written = manifest.get(kind.word).and_then(Value::as_array);
        for target in written.into_iter().flatten().filter_map(Value::as_table) {
            let Some(name) = text(target, "name") else { continue };
            match text(target, "path") {
                Some(path) => self.push(kind.word, name, path),
                None => self.usual_places(kind, name, package_name),
            }
        }
        if package.get(kind.auto) != Some(&Value::Boolean(false)) {
            if kind.word == "bin" {
                self.push("auto", kind.word, "src/main.rs");
            }
            self.push("auto", kind.word, &format!("{}/*.rs", kind.directory));
            self.push("auto", kind.word, &format!("{}/*/main.rs", kind.directory));
        }
    }

    fn usual_places(&mut self, kind: &TargetKind, name: &str, package_name: &str) {
        if kind.word == "bin" && name == package_name {
            self.push(kind.word, name, "src/main.rs");
        }
        self.push(kind.word, name, &format!("{}/{name}.rs", kind.directory));
        self.push(kind.word, name, &format!("{}/{name}/main.rs", kind.directory));
    }

    fn dependency_tables(&mut self, holder: &Table) {
        for (key, kind) in DEPENDENCY_TABLES {
            self.dependencies(table(holder, key), kind, "rename");
        }
    }

    fn dependencies(&mut self, dependencies: Option<&Table>, kind: &str, rename: &str) {
        for (name, written) in dependencies.into_iter().flatten() {
            let name = name_in_code(name);
            let details = written.as_table();
            self.push(kind, &name, &details.map_or("registry".to_owned(), source_of));
            if let Some(package) = details.and_then(|details| text(details, "package")) {
                self.push(rename, &name, package);
            }
        }
    }

    fn workspace(&mut self, workspace: &Table) {
        self.push("workspace", "root", "");
        for (key, kind) in [("members", "workspace-member"), ("exclude", "workspace-exclude")] {
            let paths = workspace.get(key).and_then(Value::as_array);
            for path in paths.into_iter().flatten().filter_map(Value::as_str) {
                self.push(kind, "", path);
            }
        }
        for (key, value) in table(workspace, "package").into_iter().flatten() {
            if let Some(value) = value.as_str() {
                self.push("workspace-package", key, value);
            }
        }
        self.dependencies(table(workspace, "dependencies"), "workspace-dependency", "workspace-rename");
    }
}

/// Where a dependency comes from: Cargo builds with a path before all else.
fn source_of(details: &Table) -> String {
    if let Some(path) = text(details, "path") {
        return format!("path:{path}");
    }
    let source = if details.get("workspace") == Some(&Value::Boolean(true)) {
        "workspace"
    } else if details.contains_key("git") {
        "git"
    } else {
        "registry"
    };
    source.to_owned()
}

fn table<'a>(holder: &'a Table, key: &str) -> Option<&'a Table> {
    holder.get(key).and_then(Value::as_table)
}

fn text<'a>(holder: &'a Table, key: &str) -> Option<&'a str> {
    holder.get(key).and_then(Value::as_str)
}

fn name_in_code(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let manifest = read(text);
        assert_eq!(manifest.problem, None);
        manifest.entries.iter().map(|it| format!("{}|{}|{}", it.kind, it.key, it.value)).collect()
    }

    #[test]
    fn a_plain_package_has_the_usual_targets() {
        assert_eq!(
            lines("[package]\nname = \"my-tool\"\nedition.workspace = true\n"),
            [
                "package|name|my-tool",
                "package|edition|workspace",
                "lib|my_tool|src/lib.rs",
                "auto|bin|src/main.rs",
                "auto|bin|src/bin/*.rs",
                "auto|bin|src/bin/*/main.rs",
                "auto|example|examples/*.rs",
                "auto|example|examples/*/main.rs",
                "auto|test|tests/*.rs",
                "auto|test|tests/*/main.rs",
                "auto|bench|benches/*.rs",
                "auto|bench|benches/*/main.rs",
                "build||build.rs",
            ]
        );
    }

    #[test]
    fn written_targets_and_switches() {
        let text = "[package]\nname = \"a\"\nbuild = false\nautobins = false\nautotests = false\n\
                    autoexamples = false\nautobenches = false\n\
                    [lib]\nname = \"b\"\npath = \"b.rs\"\nproc-macro = true\n\
                    [[bin]]\nname = \"a\"\n[[test]]\nname = \"t\"\npath = \"t/t.rs\"\n";
        assert_eq!(
            lines(text),
            [
                "package|name|a",
                "lib|b|b.rs",
                "lib-kind|proc-macro|true",
                "bin|a|src/main.rs",
                "bin|a|src/bin/a.rs",
                "bin|a|src/bin/a/main.rs",
                "test|t|t/t.rs",
            ]
        );
    }

    #[test]
    fn dependencies_of_every_form() {
        let text = "[dependencies]\nlog = \"1\"\nmy-core = { path = \"../core\", version = \"1\" }\n\
                    other = { git = \"https://x\", package = \"real-name\" }\nshared.workspace = true\n\
                    [dev-dependencies]\ntempfile = \"3\"\n\
                    [target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n\
                    [workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/old\"]\n\
                    [workspace.package]\nedition = \"2024\"\n\
                    [workspace.dependencies]\nshared = { path = \"crates/shared\" }\n";
        assert_eq!(
            lines(text),
            [
                "dependency|log|registry",
                "dependency|my_core|path:../core",
                "dependency|other|git",
                "rename|other|real-name",
                "dependency|shared|workspace",
                "dev-dependency|tempfile|registry",
                "dependency|libc|registry",
                "workspace|root|",
                "workspace-member||crates/*",
                "workspace-exclude||crates/old",
                "workspace-package|edition|2024",
                "workspace-dependency|shared|path:crates/shared",
            ]
        );
    }

    #[test]
    fn a_broken_manifest_names_the_line() {
        let manifest = read("[package]\nname = \n");
        assert_eq!((manifest.entries.len(), manifest.problem.map(|(line, _)| line)), (0, Some(2)));
    }
}
