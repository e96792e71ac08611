use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::Problem;
use crate::{StageId, Version};

/// The stages of the system, drafted from facts or written by hand.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Skeleton {
    /// Where it comes from.
    pub metadata: SkeletonMetadata,
    /// The order a reader meets the top-level stages in; missing: the order of `stages`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<StageId>>,
    /// Every stage, substages too.
    pub stages: Vec<Stage>,
}

/// Where a skeleton comes from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkeletonMetadata {
    /// The format version.
    pub version: Version<1>,
    /// The shape of the system in one phrase.
    #[serde(default)]
    pub archetype: String,
    /// Who wrote it.
    #[serde(default)]
    pub drafted_by: DraftedBy,
}

/// Who wrote a skeleton.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DraftedBy {
    /// Drafted from the facts.
    SkeletonSynth,
    /// A committed skeleton mended against the facts.
    SkeletonDoctor,
    /// A person.
    #[default]
    User,
}

/// A part of the system a reader meets in one sitting.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stage {
    /// Its id, which names its page too.
    pub id: StageId,
    /// What a reader calls it.
    pub title: String,
    /// What belongs to it.
    #[serde(default)]
    pub description: String,
    /// The stage it is a part of.
    #[serde(default)]
    pub parent: Option<StageId>,
    /// Its parts; rebuilt from `parent` when a skeleton is read.
    #[serde(default)]
    pub children: Vec<StageId>,
    /// Whether it serves many other stages.
    #[serde(default)]
    pub crosscut: bool,
}

impl Skeleton {
    /// Sets `children` of every stage to the stages that name it as parent, in the order of `stages`.
    pub fn rebuild_children(&mut self) {
        let mut children: BTreeMap<StageId, Vec<StageId>> = BTreeMap::new();
        for stage in &self.stages {
            if let Some(parent) = &stage.parent {
                children.entry(parent.clone()).or_default().push(stage.id.clone());
            }
        }
        for stage in &mut self.stages {
            stage.children = children.remove(&stage.id).unwrap_or_default();
        }
    }

    /// Ids given twice, references to stages that are not there, and stages inside themselves.
    /// `children` is not looked at, because it is rebuilt.
    pub(crate) fn wrong_references(&self) -> Vec<(String, Problem)> {
        let mut parents: BTreeMap<&StageId, Option<&StageId>> = BTreeMap::new();
        let mut problems = Vec::new();
        for (at, stage) in self.stages.iter().enumerate() {
            let is_new = parents.insert(&stage.id, stage.parent.as_ref()).is_none();
            if !is_new || stage.id.as_str() == "unassigned" {
                let allowed = "an id that no other stage has, and not `unassigned`".to_owned();
                let found = stage.id.to_string();
                problems.push((format!("/stages/{at}/id"), Problem::Form { found, allowed }));
            }
        }
        for (at, stage) in self.stages.iter().enumerate() {
            let problem = stage.parent.as_ref().and_then(|parent| wrong_parent(&parents, &stage.id, parent));
            problems.extend(problem.map(|problem| (format!("/stages/{at}/parent"), problem)));
        }
        problems.extend(self.wrong_order(&parents));
        problems
    }

    fn wrong_order(&self, parents: &BTreeMap<&StageId, Option<&StageId>>) -> Vec<(String, Problem)> {
        let mut left: Vec<&StageId> = parents.keys().copied().collect();
        let mut problems = Vec::new();
        for (at, id) in self.order.iter().flatten().enumerate() {
            match left.iter().position(|stage| *stage == id) {
                Some(place) => drop(left.remove(place)),
                None => problems.push((format!("/order/{at}"), unknown_stage(id, left.iter().copied()))),
            }
        }
        problems
    }
}

fn wrong_parent(
    parents: &BTreeMap<&StageId, Option<&StageId>>,
    id: &StageId,
    parent: &StageId,
) -> Option<Problem> {
    if !parents.contains_key(parent) {
        return Some(unknown_stage(parent, parents.keys().copied().filter(|stage| *stage != id)));
    }
    let mut above = Some(parent);
    for _ in 0..=parents.len() {
        match above {
            None => return None,
            Some(stage) if stage == id => break,
            Some(stage) => above = parents.get(stage).copied().flatten(),
        }
    }
    (above == Some(id)).then(|| Problem::Form {
        found: parent.to_string(),
        allowed: format!("a stage that is not inside `{id}`"),
    })
}

fn unknown_stage<'a>(found: &StageId, stages: impl Iterator<Item = &'a StageId>) -> Problem {
    Problem::Choice { found: found.to_string(), allowed: stages.map(StageId::to_string).collect() }
}
