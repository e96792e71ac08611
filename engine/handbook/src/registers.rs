//! Registers: state that more than one stage touches.
//!
//! An attribute is one if a stage writes it and another reads it; a module's or type's own variable
//! if it can change and two stages use it. Stages are counted at the top level, since parts of one
//! stage share state by nature; tests do not count, they look at everything.

use bindery_artifacts::wording::counted;
use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::{Register, RegisterId, Registers, Skeleton, StageId, StateUse as ListedUse, Version};
use bindery_graph::{Name, Symbol};

use crate::assign::tops;
use crate::{CrossReferences, FileState, MODULE_QUALNAME, StateUse, naming};

/// One file's part in the search for registers.
#[derive(Clone, Copy, Debug)]
pub struct StateOfFile<'a> {
    /// The file.
    pub path: &'a bindery_source::RepoPath,
    /// What it does with state.
    pub state: &'a FileState,
    /// Its stage, a place in the skeleton's list.
    pub stage: Option<u32>,
    /// Whether it is a test.
    pub is_test: bool,
}

/// How many names a register's text lists.
const NAMES_IN_TEXT: usize = 3;

type Key = (Symbol, Name);

struct Found<'a> {
    stage: u32,
    path: &'a bindery_source::RepoPath,
    used: &'a StateUse,
}

/// Finds the registers of a repository.
pub fn registers(
    skeleton: &Skeleton,
    files: &[StateOfFile<'_>],
    references: &CrossReferences<'_>,
) -> Registers {
    let tops = tops(skeleton);
    let mut mutable: BTreeSet<Key> = BTreeSet::new();
    let mut uses: BTreeMap<Key, Vec<Found<'_>>> = BTreeMap::new();
    for file in files {
        for (owner, name) in &file.state.mutable {
            let owner = Symbol { path: file.path.clone(), qualname: owner.clone() };
            mutable.insert((owner, name.clone()));
        }
        let Some(stage) = file.stage.filter(|_| !file.is_test) else { continue };
        for used in &file.state.uses {
            let key = (used.owner.clone(), used.name.clone());
            uses.entry(key).or_default().push(Found { stage, path: file.path, used });
        }
    }
    uses.retain(|key, found| is_shared(key, found, &mutable, &tops));
    let ids = ids(uses.keys());
    let mut registers: Vec<Register> = uses
        .iter()
        .zip(ids)
        .map(|((key, found), id)| register(skeleton, key, id, found, references))
        .collect();
    registers.sort_by(|a, b| a.id.cmp(&b.id));
    Registers { version: Version, registers }
}

fn is_shared(key: &Key, found: &[Found<'_>], mutable: &BTreeSet<Key>, tops: &[u32]) -> bool {
    let stages = |is_write: bool| -> BTreeSet<u32> {
        let uses = found.iter().filter(|found| found.used.is_write == is_write);
        uses.map(|found| tops[found.stage as usize]).collect()
    };
    let (readers, writers) = (stages(false), stages(true));
    let is_handed_over = writers.iter().any(|writer| readers.iter().any(|reader| reader != writer));
    let is_common = mutable.contains(key) && readers.union(&writers).count() > 1;
    is_handed_over || is_common
}

/// `reg-<owner>-<name>`; those that would be equal all get 8 digits of their hash.
fn ids<'k>(keys: impl Iterator<Item = &'k Key>) -> Vec<RegisterId> {
    let keys: Vec<&Key> = keys.collect();
    let plain: Vec<String> = keys.iter().map(|key| plain_id(key)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    plain.iter().for_each(|id| *counts.entry(id).or_default() += 1);
    let unique = |(key, id): (&&Key, &String)| {
        let (owner, name) = key;
        let identity = format!("{}\0{}\0{name}", owner.path, owner.qualname);
        let spelled = match counts[id.as_str()] {
            1 => id.clone(),
            _ => format!("{id}-{}", naming::short_hash(&identity, 8)),
        };
        RegisterId::new(spelled).expect("the id has only lower-case letters, digits and `-` behind `reg-`")
    };
    keys.iter().zip(&plain).map(unique).collect()
}

fn plain_id((owner, name): &Key) -> String {
    let holder = match owner.qualname.rsplit('.').next() {
        Some(last) if !last.is_empty() => naming::words(last).join("-"),
        _ => naming::words(&naming::file_phrase(owner.path.as_str())).join("-"),
    };
    let words = naming::words(&format!("{holder} {name}")).join("-");
    let ascii: String = words.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    match ascii.trim_matches('-') {
        "" => {
            format!("reg-{}", naming::short_hash(&format!("{}\0{}\0{name}", owner.path, owner.qualname), 8))
        }
        readable => format!("reg-{readable}"),
    }
}

fn register(
    skeleton: &Skeleton,
    key: &Key,
    id: RegisterId,
    found: &[Found<'_>],
    references: &CrossReferences<'_>,
) -> Register {
    let stages: BTreeSet<StageId> =
        found.iter().map(|found| skeleton.stages[found.stage as usize].id.clone()).collect();
    let listed = |is_write: bool| {
        let mut uses: Vec<ListedUse> = found
            .iter()
            .filter(|found| found.used.is_write == is_write)
            .map(|found| ListedUse {
                file: found.path.as_str().to_owned(),
                line: found.used.line,
                symbol: (references.id_of)(&user(found)),
            })
            .collect();
        uses.sort_unstable();
        uses
    };
    let stages = stages.into_iter().collect();
    Register { id, semantics: semantics(key, found), stages, reads: listed(false), writes: listed(true) }
}

fn user(found: &Found<'_>) -> Symbol {
    let function = &found.used.function;
    let qualname = if function.is_empty() { MODULE_QUALNAME.into() } else { function.clone() };
    Symbol { path: found.path.clone(), qualname }
}

/// What kind of state it is, where it lives, who writes it and how widely it is read.
fn semantics((owner, name): &Key, found: &[Found<'_>]) -> String {
    let what = match owner.qualname.as_str() {
        "" => format!("Variable {name} of {}", owner.path),
        of_type => format!("Attribute {name} of {of_type} in {}", owner.path),
    };
    let names = |is_write: bool| -> String {
        let uses = found.iter().filter(|found| found.used.is_write == is_write);
        let users: BTreeSet<String> = uses
            .map(|found| match found.used.function.as_str() {
                "" => format!("the top level of {}", found.path.file_name()),
                function => function.to_owned(),
            })
            .collect();
        let more = users.len().saturating_sub(NAMES_IN_TEXT);
        let mut named: Vec<String> = users.into_iter().take(NAMES_IN_TEXT).collect();
        named.extend((more > 0).then(|| counted(more as u64, "other")));
        naming::enumeration(&named)
    };
    let by = |verb: &str, names: String| {
        if names.is_empty() { format!("not {verb} by name") } else { format!("{verb} by {names}") }
    };
    format!("{what}; {}, {}.", by("written", names(true)), by("read", names(false)))
}

#[cfg(test)]
mod tests {
    use bindery_artifacts::{SkeletonMetadata, Stage};
    use bindery_facts::DeclKind;

    use super::*;
    use crate::file_state;
    use crate::sample::{SampleFile, plain_id, symbol};

    fn skeleton(stages: &[(&str, Option<&str>)]) -> Skeleton {
        let id = |text: &str| StageId::new(text).unwrap();
        let stage = |(name, parent): &(&str, Option<&str>)| Stage {
            id: id(name),
            title: name.to_string(),
            description: String::new(),
            parent: parent.map(id),
            children: Vec::new(),
            crosscut: false,
        };
        let metadata =
            SkeletonMetadata { version: Version, archetype: String::new(), drafted_by: Default::default() };
        Skeleton { metadata, order: None, stages: stages.iter().map(stage).collect() }
    }

    /// One file that writes `Task.state` and reads `Task.name`, one that reads `Task.state`.
    fn files() -> [SampleFile; 2] {
        let task = || symbol("task.py", "Task");
        [
            SampleFile::new("task.py")
                .decl(DeclKind::Class, "Task", [1, 9], "")
                .decl(DeclKind::Method, "Task.run", [2, 4], "")
                .access(Some(1), 3, task(), "state", true)
                .access(Some(1), 4, task(), "name", false),
            SampleFile::new("view.py").access(None, 7, task(), "state", false).access(
                None,
                8,
                task(),
                "name",
                false,
            ),
        ]
    }

    fn found(stages: [Option<u32>; 2], test: bool) -> Vec<Register> {
        let files = files();
        let states: Vec<FileState> = files.iter().map(|file| file_state(&file.view())).collect();
        let inputs: Vec<StateOfFile<'_>> = (0..2)
            .map(|at| StateOfFile {
                path: &files[at].path,
                state: &states[at],
                stage: stages[at],
                is_test: test && at == 1,
            })
            .collect();
        let references =
            CrossReferences { id_of: &plain_id, callers_of: &|_| Vec::new(), page_of: &|_| None };
        let skeleton = skeleton(&[("one", None), ("part", Some("one")), ("two", None)]);
        registers(&skeleton, &inputs, &references).registers
    }

    #[test]
    fn what_one_stage_writes_and_another_reads_is_a_register() {
        let registers = found([Some(0), Some(2)], false);
        assert_eq!(registers.len(), 1);
        let register = &registers[0];
        assert_eq!(register.id.as_str(), "reg-task-state");
        assert_eq!(register.stages.iter().map(StageId::as_str).collect::<Vec<_>>(), ["one", "two"]);
        let listed = |uses: &[ListedUse]| {
            uses.iter().map(|u| format!("{}:{} {}", u.file, u.line, u.symbol)).collect::<Vec<_>>()
        };
        assert_eq!(listed(&register.writes), ["task.py:3 task.Task.run"]);
        assert_eq!(listed(&register.reads), ["view.py:7 view.<module>"]);
        assert_eq!(
            register.semantics,
            "Attribute state of Task in task.py; written by Task.run, read by the top level of view.py."
        );
    }

    #[test]
    fn parts_of_one_stage_tests_and_strays_do_not_make_a_register() {
        assert_eq!(found([Some(0), Some(1)], false), []);
        assert_eq!(found([Some(0), Some(2)], true), []);
        assert_eq!(found([Some(0), None], false), []);
    }

    #[test]
    fn equal_ids_all_get_a_hash() {
        let keys = [
            (symbol("a.py", "Task"), Name::from("state")),
            (symbol("b.py", "Task"), Name::from("state")),
            (symbol("c.py", ""), Name::from("日本")),
        ];
        let ids: Vec<String> = ids(keys.iter()).iter().map(ToString::to_string).collect();
        assert!(ids[0].starts_with("reg-task-state-") && ids[0].len() == "reg-task-state-".len() + 8);
        assert!(ids[1].starts_with("reg-task-state-") && ids[0] != ids[1]);
        assert_eq!(ids[2], "reg-c");
    }
}
