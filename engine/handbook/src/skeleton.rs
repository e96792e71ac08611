//! Skeletons that people commit: what is wrong with them, and the form everything else works on.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::names::stage_page_names;
use bindery_artifacts::{Skeleton, Stage, StageId};

/// A reference in a committed skeleton that leads nowhere, with the place it stands at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SkeletonProblem {
    /// The JSON pointer of the place (`/stages/3/parent`), which the reader turns into a line.
    pub pointer: String,
    /// What is wrong, for the person who wrote it.
    pub message: String,
}

/// Brings a skeleton as read into its normal form and lists what had to be left out.
///
/// In the normal form ids are unique and fit for page names, every parent exists and comes before
/// its parts, `children` says the same as `parent`, and `order` lists every top-level stage once.
pub fn normalize_skeleton(skeleton: Skeleton) -> (Skeleton, Vec<SkeletonProblem>) {
    let mut problems = Vec::new();
    let mut stages = with_unique_ids(skeleton.stages, &mut problems);
    drop_bad_parents(&mut stages, &mut problems);
    let order = top_level_order(&stages, skeleton.order.as_deref(), &mut problems);
    let pages = stage_page_names(stages.iter().map(|(_, stage)| &stage.id));
    let pages: BTreeMap<StageId, StageId> = pages
        .into_iter()
        .map(|(id, page)| (id.clone(), StageId::new(page).expect("page names keep the form of stage ids")))
        .collect();
    let stages = in_reading_order(stages.into_iter().map(|(_, stage)| stage).collect(), &order);
    let renamed = |id: &StageId| pages.get(id).unwrap_or(id).clone();
    let stages = stages
        .into_iter()
        .map(|stage| Stage {
            id: renamed(&stage.id),
            parent: stage.parent.as_ref().map(renamed),
            children: stage.children.iter().map(renamed).collect(),
            ..stage
        })
        .collect();
    let order = Some(order.iter().map(renamed).collect());
    (Skeleton { metadata: skeleton.metadata, order, stages }, problems)
}

/// Keeps the first stage of each id, with its place in the file.
fn with_unique_ids(stages: Vec<Stage>, problems: &mut Vec<SkeletonProblem>) -> Vec<(usize, Stage)> {
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for (at, stage) in stages.into_iter().enumerate() {
        if seen.insert(stage.id.clone()) {
            kept.push((at, stage));
        } else {
            let message = format!("stage `{}` is listed twice; the first one counts", stage.id);
            problems.push(SkeletonProblem { pointer: format!("/stages/{at}/id"), message });
        }
    }
    kept
}

fn drop_bad_parents(stages: &mut [(usize, Stage)], problems: &mut Vec<SkeletonProblem>) {
    let ids: BTreeSet<StageId> = stages.iter().map(|(_, stage)| stage.id.clone()).collect();
    for (at, stage) in stages.iter_mut() {
        let Some(parent) = stage.parent.take_if(|parent| !ids.contains(parent)) else { continue };
        let message = format!("stage `{}` is part of `{parent}`, which is not a stage", stage.id);
        problems.push(SkeletonProblem { pointer: format!("/stages/{at}/parent"), message });
    }
    let mut parents: BTreeMap<StageId, StageId> =
        stages.iter().filter_map(|(_, stage)| Some((stage.id.clone(), stage.parent.clone()?))).collect();
    for (at, stage) in stages.iter_mut() {
        let mut above = parents.get(&stage.id);
        let mut steps = 0;
        while let Some(id) = above.filter(|id| **id != stage.id && steps <= parents.len()) {
            above = parents.get(id);
            steps += 1;
        }
        if above == Some(&stage.id) {
            let message = format!("stage `{}` is a part of itself", stage.id);
            problems.push(SkeletonProblem { pointer: format!("/stages/{at}/parent"), message });
            parents.remove(&stage.id);
            stage.parent = None;
        }
    }
}

/// The top-level stages: as `order` has them, then the others as listed.
fn top_level_order(
    stages: &[(usize, Stage)],
    written: Option<&[StageId]>,
    problems: &mut Vec<SkeletonProblem>,
) -> Vec<StageId> {
    let parents: BTreeMap<&StageId, Option<&StageId>> =
        stages.iter().map(|(_, stage)| (&stage.id, stage.parent.as_ref())).collect();
    let mut order: Vec<StageId> = Vec::new();
    for (at, id) in written.unwrap_or_default().iter().enumerate() {
        let message = match parents.get(id) {
            Some(None) if !order.contains(id) => {
                order.push(id.clone());
                continue;
            }
            Some(None) => format!("stage `{id}` is in the order twice"),
            Some(Some(parent)) => {
                format!("stage `{id}` is a part of `{parent}`; the order lists top-level stages")
            }
            None => format!("`{id}` in the order is not a stage"),
        };
        problems.push(SkeletonProblem { pointer: format!("/order/{at}"), message });
    }
    let listed: BTreeSet<StageId> = order.iter().cloned().collect();
    order.extend(parents_less(stages).filter(|id| !listed.contains(*id)).cloned());
    order
}

fn parents_less(stages: &[(usize, Stage)]) -> impl Iterator<Item = &StageId> {
    stages.iter().map(|(_, stage)| stage).filter(|stage| stage.parent.is_none()).map(|stage| &stage.id)
}

/// Every top-level stage in order, each followed by its parts as listed, `children` rebuilt.
fn in_reading_order(stages: Vec<Stage>, order: &[StageId]) -> Vec<Stage> {
    let mut children: BTreeMap<StageId, Vec<StageId>> = BTreeMap::new();
    for stage in &stages {
        if let Some(parent) = &stage.parent {
            children.entry(parent.clone()).or_default().push(stage.id.clone());
        }
    }
    let mut by_id: BTreeMap<StageId, Stage> =
        stages.into_iter().map(|stage| (stage.id.clone(), stage)).collect();
    let mut pending: Vec<StageId> = order.iter().rev().cloned().collect();
    let mut sorted = Vec::with_capacity(by_id.len());
    while let Some(id) = pending.pop() {
        let Some(mut stage) = by_id.remove(&id) else { continue };
        stage.children = children.remove(&id).unwrap_or_default();
        pending.extend(stage.children.iter().rev().cloned());
        sorted.push(stage);
    }
    sorted
}

#[cfg(test)]
mod tests {
    use bindery_artifacts::{SkeletonMetadata, Version};

    use super::*;

    fn id(text: &str) -> StageId {
        StageId::new(text).unwrap()
    }

    fn normalized(
        stages: &[(&str, Option<&str>)],
        order: Option<&[&str]>,
    ) -> (Skeleton, Vec<SkeletonProblem>) {
        let stage = |(name, parent): &(&str, Option<&str>)| Stage {
            id: id(name),
            title: name.to_string(),
            description: String::new(),
            parent: parent.map(id),
            children: vec![id("stale")],
            crosscut: false,
        };
        let metadata =
            SkeletonMetadata { version: Version, archetype: String::new(), drafted_by: Default::default() };
        let order = order.map(|ids| ids.iter().map(|text| id(text)).collect());
        normalize_skeleton(Skeleton { metadata, order, stages: stages.iter().map(stage).collect() })
    }

    fn shape(skeleton: &Skeleton) -> String {
        let part =
            |stage: &Stage| format!("{}<{}", stage.id, stage.parent.as_ref().map_or("-", |p| p.as_str()));
        skeleton.stages.iter().map(part).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parts_follow_their_stage_and_children_are_rebuilt() {
        let (skeleton, problems) =
            normalized(&[("b1", Some("b")), ("a", None), ("b", None), ("b2", Some("b"))], Some(&["b"]));
        assert_eq!(shape(&skeleton), "b<- b1<b b2<b a<-");
        assert_eq!(skeleton.stages[0].children, [id("b1"), id("b2")]);
        assert_eq!(skeleton.order, Some(vec![id("b"), id("a")]));
        assert_eq!(problems, []);
    }

    #[test]
    fn reserved_page_names_get_a_suffix_everywhere() {
        let (skeleton, _) = normalized(&[("Index", None), ("x", Some("Index"))], None);
        assert_eq!(shape(&skeleton), "Index-stage<- x<Index-stage");
        assert_eq!(skeleton.order, Some(vec![id("Index-stage")]));
    }

    #[test]
    fn bad_references_are_named_with_their_place() {
        let stages = [("a", Some("nowhere")), ("b", Some("c")), ("c", Some("b")), ("a", None)];
        let (skeleton, problems) = normalized(&stages, Some(&["c", "x", "a", "a"]));
        assert_eq!(shape(&skeleton), "a<- b<- c<b");
        let places: Vec<&str> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
        assert_eq!(
            places,
            ["/stages/3/id", "/stages/0/parent", "/stages/1/parent", "/order/0", "/order/1", "/order/3"]
        );
        assert_eq!(problems[1].message, "stage `a` is part of `nowhere`, which is not a stage");
    }
}
