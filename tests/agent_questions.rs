//! The agent index answers questions: each of `agent_questions.toml` beside this file by one of the recipes its own index
//! gives, run as it stands there, in at most 20 lines. Those about a repository from outside are asked if
//! `BINDERY_CORPORA` names the directory it lies in.

mod harness;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use harness::*;
use serde::Deserialize;

/// More lines than an agent reads of an answer.
const MOST_LINES: usize = 20;

#[derive(Deserialize)]
struct Fixture {
    questions: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    repository: String,
    ask: String,
    recipe: String,
    with: BTreeMap<String, String>,
    answer: Vec<String>,
}

impl Question {
    /// What is wrong with the answer; none if it is right. `agent` is the directory of the index.
    fn problem(&self, agent: &Path) -> Option<String> {
        let index = std::fs::read_to_string(agent.join("index.md")).expect("the index was written");
        if !index.lines().any(|line| line == self.recipe) {
            return Some(format!("`{}` is no recipe", self.recipe));
        }
        let mut command = self.recipe.clone();
        for (word, meant) in &self.with {
            command = command.replace(word, meant);
        }
        let output = Command::new("sh").args(["-c", &command]).current_dir(agent).output().expect("sh runs");
        let text = String::from_utf8(output.stdout).expect("the tables are UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        let shown = || format!("`{command}` gave\n{text}");
        let has = |line: &&str| self.answer.iter().any(|answer| line.contains(answer));
        let is_said = |answer: &String| lines.iter().any(|line| line.contains(answer));
        let is_right = lines.iter().all(has) && self.answer.iter().all(is_said);
        (!is_right || lines.is_empty() || lines.len() > MOST_LINES).then(shown)
    }
}

fn questions() -> Vec<Question> {
    let text = include_str!("agent_questions.toml");
    toml::from_str::<Fixture>(text).expect("the questions are well formed").questions
}

/// The questions about a repository whose answers are wrong.
fn wrong_answers(repository: &str, sources: &Tree) -> Vec<String> {
    let file_system = fresh(sources);
    file_system.write(b"bindery.toml", b"formats = [\"agent\"]\nartifacts = \"none\"\n");
    build(&file_system).unwrap_or_else(|failure| panic!("{repository}: {failure}"));
    let place = scratch();
    let prefix = b".bindery/handbook/agent/";
    for (path, bytes) in file_system.files(prefix) {
        let inside = String::from_utf8_lossy(path.strip_prefix(&prefix[..]).unwrap_or(&path)).into_owned();
        let path = place.path().join(inside);
        std::fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("it can be made");
        std::fs::write(path, bytes).expect("it can be written");
    }
    let asked = questions().into_iter().filter(|question| question.repository == repository);
    asked
        .filter_map(|question| Some(format!("{}\n{}", question.ask, question.problem(place.path())?)))
        .collect()
}

#[test]
fn questions_about_the_sample_are_answered_by_one_recipe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wrong = wrong_answers("sample", &directory(&root.join("fixtures/sample")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn questions_about_real_repositories_are_answered_by_one_recipe() {
    let Some(corpora) = std::env::var_os("BINDERY_CORPORA") else {
        eprintln!("off: BINDERY_CORPORA names no directory");
        return;
    };
    let repositories: BTreeSet<String> =
        questions().into_iter().map(|question| question.repository).collect();
    for repository in repositories.iter().filter(|name| *name != "sample") {
        let sources = directory(&Path::new(&corpora).join(repository));
        let wrong = wrong_answers(repository, &sources);
        assert!(wrong.is_empty(), "{repository}: {}", wrong.join("\n"));
        eprintln!("{repository}: all answered");
    }
}
