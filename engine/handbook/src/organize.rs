//! One stage from the inside: groups of files, and the order to read them in.

use bindery_artifacts::wording::counted;
use std::collections::BTreeMap;

use bindery_artifacts::{
    Organization, OrganizedCoverage, OrganizedFile, OrganizedGroup, OrganizedMetadata, OrganizedStage, Role,
    Skeleton, StageId, Version,
};
use bindery_source::RepoPath;

use crate::order::flow_order;
use crate::{FileSketch, naming};

/// With so few files groups only get in the way.
const SMALLEST_GROUPED: usize = 6;
/// How many names a group's summary lists.
const NAMES_IN_SUMMARY: usize = 4;

/// Organizes the files of one stage; a pure function of their sketches.
///
/// Groups follow the directories where there are several, else the roles. Groups and files stand in
/// one reading order: entry points first, callers before callees.
pub fn organize_stage(title: &str, files: &[&FileSketch]) -> OrganizedStage {
    let order = reading_order(files);
    let mut groups: Vec<(String, Vec<&FileSketch>)> = Vec::new();
    let names = group_names(title, files);
    for at in &order {
        let name = &names[*at as usize];
        match groups.iter_mut().find(|(other, _)| other == name) {
            Some((_, members)) => members.push(files[*at as usize]),
            None => groups.push((name.clone(), vec![files[*at as usize]])),
        }
    }
    OrganizedStage {
        title: title.to_owned(),
        groups: groups.into_iter().map(|(title, members)| group(title, &members)).collect(),
        ordered_files: order.iter().map(|at| files[*at as usize].path.as_str().to_owned()).collect(),
    }
}

/// Entry points first, callers before callees, ties by path.
fn reading_order(files: &[&FileSketch]) -> Vec<u32> {
    let places: BTreeMap<&RepoPath, u32> =
        files.iter().enumerate().map(|(at, sketch)| (&sketch.path, at as u32)).collect();
    let mut edges = Vec::new();
    for (user, sketch) in files.iter().enumerate() {
        let used = sketch.called_files.iter().map(|(path, _)| path).chain(&sketch.imported_files);
        edges.extend(used.filter_map(|path| places.get(path)).map(|used| (user as u32, *used)));
    }
    edges.sort_unstable();
    edges.dedup();
    let keys: Vec<_> = files.iter().map(|sketch| (!sketch.is_program_entry(), &sketch.path)).collect();
    flow_order(&keys, &edges)
}

/// The group each file belongs to.
fn group_names(title: &str, files: &[&FileSketch]) -> Vec<String> {
    if files.len() < SMALLEST_GROUPED {
        return vec![title.to_owned(); files.len()];
    }
    let base = common_directory(files);
    let below = |sketch: &FileSketch| {
        let directory = sketch.path.directory();
        let rest = directory[base.len()..].trim_start_matches('/');
        rest.split('/').next().unwrap_or("").to_owned()
    };
    let directories: Vec<String> = files.iter().map(|sketch| below(sketch)).collect();
    if directories.iter().any(|directory| *directory != directories[0]) {
        let named = |directory: &String| {
            if directory.is_empty() { title.to_owned() } else { naming::title(directory) }
        };
        return directories.iter().map(named).collect();
    }
    files.iter().map(|sketch| role_title(sketch.role).to_owned()).collect()
}

fn common_directory<'a>(files: &[&'a FileSketch]) -> &'a str {
    let mut base = files.first().map_or("", |sketch| sketch.path.directory());
    let is_below = |directory: &str, base: &str| {
        base.is_empty()
            || directory.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    for sketch in files {
        while !is_below(sketch.path.directory(), base) {
            base = base.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    base
}

/// What a group of files of one role is called.
pub(crate) fn role_title(role: Role) -> &'static str {
    match role {
        Role::Entrypoint => "Entry points",
        Role::Orchestration => "Coordination",
        Role::DomainLogic => "Core logic",
        Role::IoTransport => "Input and output",
        Role::DataModel => "Data types",
        Role::Config => "Configuration",
        Role::Util => "Utilities",
        Role::Test => "Tests",
        Role::Generated => "Generated code",
        Role::Other => "Other files",
    }
}

fn group(title: String, members: &[&FileSketch]) -> OrganizedGroup {
    let organized = |sketch: &&FileSketch| OrganizedFile {
        file: sketch.path.as_str().to_owned(),
        purpose: sketch.purpose_or_absence().to_owned(),
        role: sketch.role,
        n_functions: u64::from(sketch.function_count),
    };
    OrganizedGroup { title, summary: group_summary(members), files: members.iter().map(organized).collect() }
}

/// One sentence: what a lone file says of itself, else what the files are called.
fn group_summary(members: &[&FileSketch]) -> String {
    if let [only] = members {
        return only.purpose_or_absence().to_owned();
    }
    let mut names: Vec<String> = members
        .iter()
        .take(NAMES_IN_SUMMARY)
        .map(|sketch| naming::file_phrase(sketch.path.as_str()))
        .collect();
    names.dedup();
    if members.len() > NAMES_IN_SUMMARY {
        names.push(counted((members.len() - NAMES_IN_SUMMARY) as u64, "more file"));
    }
    format!("{}.", naming::capitalized(&naming::enumeration(&names)))
}

/// The artifact `organization.yaml`; `stages` are those that have files.
pub fn organization_artifact(
    skeleton: &Skeleton,
    stages: impl IntoIterator<Item = (u32, OrganizedStage)>,
    n_assigned: u64,
) -> Organization {
    let stages: BTreeMap<StageId, OrganizedStage> =
        stages.into_iter().map(|(at, stage)| (skeleton.stages[at as usize].id.clone(), stage)).collect();
    let n_organized = stages.values().map(|stage| stage.ordered_files.len() as u64).sum();
    Organization {
        metadata: OrganizedMetadata { version: Version, n_stages: stages.len() as u64 },
        stages,
        coverage: OrganizedCoverage { n_files: n_assigned, n_organized },
    }
}

#[cfg(test)]
mod tests {
    use bindery_source::Language;

    use super::*;

    fn sketch(path: &str, role: Role, used: &[&str]) -> FileSketch {
        FileSketch {
            path: RepoPath::new(path),
            language: Language::Python,
            role,
            lifecycle: "none".into(),
            function_count: 2,
            type_count: 0,
            is_entry_point: role == Role::Entrypoint,
            is_test: false,
            purpose: None,
            imported_files: Vec::new(),
            called_files: used.iter().map(|path| (RepoPath::new(path), 1)).collect(),
        }
    }

    fn organized(files: &[FileSketch]) -> OrganizedStage {
        organize_stage("Running", &files.iter().collect::<Vec<_>>())
    }

    #[test]
    fn callers_come_before_callees_and_entries_first() {
        let files = [
            sketch("a/low.py", Role::Util, &[]),
            sketch("a/mid.py", Role::DomainLogic, &["a/low.py"]),
            sketch("a/zmain.py", Role::Entrypoint, &[]),
        ];
        let stage = organized(&files);
        assert_eq!(stage.ordered_files, ["a/zmain.py", "a/mid.py", "a/low.py"]);
        assert_eq!(stage.groups.len(), 1);
        assert_eq!(stage.groups[0].summary, "Zmain, mid and low.");
    }

    #[test]
    fn directories_make_groups_else_roles() {
        let mut files: Vec<FileSketch> =
            ["a/x/1.py", "a/x/2.py", "a/y_z/3.py", "a/y_z/4.py", "a/5.py", "a/6.py"]
                .map(|p| sketch(p, Role::Other, &[]))
                .into();
        let titles = |files: &[FileSketch]| {
            let stage = organized(files);
            stage.groups.into_iter().map(|group| (group.title, group.files.len())).collect::<Vec<_>>()
        };
        let expected = [("Running", 2), ("X", 2), ("Y z", 2)].map(|(title, count)| (title.to_owned(), count));
        assert_eq!(titles(&files), expected);
        for (n, file) in files.iter_mut().enumerate() {
            file.path = RepoPath::new(&format!("a/{n}.py"));
            file.role = [Role::DataModel, Role::DomainLogic][n % 2];
        }
        let expected = [("Data types", 3), ("Core logic", 3)].map(|(title, count)| (title.to_owned(), count));
        assert_eq!(titles(&files), expected);
    }
}
