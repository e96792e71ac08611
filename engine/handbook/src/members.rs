//! The member strategy: functions are assigned to stages instead of files.
//!
//! A function belongs to the stage its own words speak for (three points at least by the words of
//! its qualname, the rule of [`crate::assign`]), where that stage is not the file's and has more
//! points for the function than the file's stage has; else to the stage of its file.

use std::collections::BTreeMap;

use bindery_artifacts::{MemberCoverage, Members, Placement, Skeleton, StageId, Version};
use bindery_graph::{Name, Symbol};

use crate::assign::{SkeletonWords, unassigned};
use crate::{CrossReferences, FileView};

/// A function as the member strategy sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// Its node's id.
    pub id: String,
    /// Its qualname.
    pub qualname: Name,
    /// The primary stage of its file.
    pub file_stage: Option<u32>,
    /// The primary stages of the files its callers are in.
    pub caller_stages: Vec<u32>,
}

/// The functions of one file. `stage_of` gives a file's primary stage.
pub fn members_of_file(
    view: &FileView<'_>,
    stage_of: &dyn Fn(&bindery_source::RepoPath) -> Option<u32>,
    references: &CrossReferences<'_>,
) -> Vec<Member> {
    let callables = view.facts.summary.decls.iter().filter(|decl| decl.kind.is_callable());
    callables
        .map(|decl| {
            let symbol = Symbol { path: view.path.clone(), qualname: decl.qualname.clone() };
            let callers = (references.callers_of)(&symbol);
            let mut caller_stages: Vec<u32> =
                callers.iter().filter_map(|caller| stage_of(&caller.path)).collect();
            caller_stages.sort_unstable();
            caller_stages.dedup();
            Member {
                id: (references.id_of)(&symbol),
                qualname: decl.qualname.clone(),
                file_stage: stage_of(view.path),
                caller_stages,
            }
        })
        .collect()
}

/// The artifact `members.json`.
pub fn assign_members(skeleton: &Skeleton, members: &[Member]) -> Members {
    let words = SkeletonWords::new(skeleton);
    let id = |stage: u32| skeleton.stages[stage as usize].id.clone();
    let mut function_stage = BTreeMap::new();
    let mut buckets: BTreeMap<StageId, Vec<String>> = BTreeMap::new();
    let mut left_over = Vec::new();
    for member in members {
        let stage = words.stage_over(&member.qualname, member.file_stage);
        match stage {
            Some(stage) => buckets.entry(id(stage)).or_default().push(member.id.clone()),
            None => left_over.push(member.id.clone()),
        }
        let mut also: Vec<StageId> = member
            .caller_stages
            .iter()
            .filter(|caller| Some(**caller) != stage)
            .map(|stage| id(*stage))
            .collect();
        also.sort_unstable();
        function_stage
            .insert(member.id.clone(), Placement { stage: stage.map_or_else(unassigned, id), also });
    }
    buckets.values_mut().for_each(|functions| functions.sort_unstable());
    left_over.sort_unstable();
    let n_functions = members.len() as u64;
    let coverage = MemberCoverage {
        n_functions,
        n_assigned: n_functions - left_over.len() as u64,
        unassigned: left_over,
    };
    Members { version: Version, function_stage, buckets, coverage }
}

#[cfg(test)]
mod tests {
    use bindery_artifacts::{SkeletonMetadata, Stage};

    use super::*;

    #[test]
    fn words_of_a_function_beat_its_file_only_where_they_say_more() {
        let stage = |id: &str, title: &str| Stage {
            id: StageId::new(id).unwrap(),
            title: title.to_owned(),
            description: String::new(),
            parent: None,
            children: Vec::new(),
            crosscut: false,
        };
        let metadata =
            SkeletonMetadata { version: Version, archetype: String::new(), drafted_by: Default::default() };
        let skeleton = Skeleton {
            metadata,
            order: None,
            stages: vec![stage("s1", "Parsing"), stage("s2", "Rendering pages")],
        };
        let member = |qualname: &str, file_stage, callers: &[u32]| Member {
            id: format!("m.{qualname}"),
            qualname: qualname.into(),
            file_stage,
            caller_stages: callers.to_vec(),
        };
        let members = assign_members(
            &skeleton,
            &[
                member("Site.pages", Some(0), &[0, 1]),
                member("parsing_pages", Some(0), &[]),
                member("other", Some(0), &[]),
                member("stray", None, &[]),
            ],
        );
        let stage_of = |name: &str| members.function_stage[&format!("m.{name}")].stage.as_str();
        assert_eq!(
            ["Site.pages", "parsing_pages", "other", "stray"].map(stage_of),
            ["s2", "s1", "s1", "unassigned"]
        );
        assert_eq!(members.function_stage["m.Site.pages"].also, [StageId::new("s1").unwrap()]);
        assert_eq!((members.coverage.n_functions, members.coverage.n_assigned), (4, 3));
        assert_eq!(members.coverage.unassigned, ["m.stray"]);
    }
}
