//! The order in which a reader meets the stages: along imports and calls, from the entry points.

use std::collections::{BTreeMap, BTreeSet};

use crate::order::flow_order;

/// How strongly files of one group of sibling stages lean on those of another: (user, used) → number
/// of imports and calls. Between stages of different parents it counts for the siblings above them.
pub(crate) type Ties = BTreeMap<(u32, u32), u64>;

/// One stage as the order sees it.
pub(crate) struct FlowStage<'a> {
    /// Its parent.
    pub(crate) parent: Option<u32>,
    /// What comes first among equals: the rank of its kind, then the anchor.
    pub(crate) rank: u8,
    /// Whether a program starts in it.
    pub(crate) has_entry: bool,
    /// The directory it belongs to.
    pub(crate) anchor: &'a str,
}

/// Adds up what files say of each other for the stages they are in. `file_ties` are
/// (stage of the user, stage of the used, weight).
pub(crate) fn sibling_ties(
    parents: &[Option<u32>],
    file_ties: impl Iterator<Item = (u32, u32, u64)>,
) -> Ties {
    let mut between_stages: rustc_hash::FxHashMap<(u32, u32), u64> = rustc_hash::FxHashMap::default();
    for (user, used, weight) in file_ties.filter(|(user, used, _)| user != used) {
        *between_stages.entry((user, used)).or_default() += weight;
    }
    let mut ties = Ties::new();
    for ((user, used), weight) in between_stages {
        if let Some(siblings) = siblings_above(parents, user, used) {
            *ties.entry(siblings).or_default() += weight;
        }
    }
    ties
}

/// The two different stages of one parent that two stages lie in; none if one lies in the other.
fn siblings_above(parents: &[Option<u32>], one: u32, other: u32) -> Option<(u32, u32)> {
    let one = ancestry(parents, one);
    let other = ancestry(parents, other);
    let at = one.iter().zip(&other).position(|(a, b)| a != b)?;
    Some((one[at], other[at]))
}

/// A stage and its ancestors, outermost first.
fn ancestry(parents: &[Option<u32>], stage: u32) -> Vec<u32> {
    let mut line: Vec<u32> = std::iter::successors(Some(stage), |stage| parents[*stage as usize])
        .take(parents.len() + 1)
        .collect();
    line.reverse();
    line
}

/// All stages in reading order: siblings by flow, every stage followed by its substages.
pub(crate) fn reading_order(stages: &[FlowStage<'_>], ties: &Ties) -> Vec<u32> {
    let mut children: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
    for (index, stage) in stages.iter().enumerate() {
        children.entry(stage.parent).or_default().push(index as u32);
    }
    let edges = leading_ties(stages, ties);
    let mut order = Vec::with_capacity(stages.len());
    let mut pending: Vec<u32> = Vec::new();
    let mut push_children = |parent: Option<u32>, pending: &mut Vec<u32>| {
        let mut siblings = sorted_by_flow(children.remove(&parent).unwrap_or_default(), stages, &edges);
        siblings.reverse();
        pending.append(&mut siblings);
    };
    push_children(None, &mut pending);
    while let Some(stage) = pending.pop() {
        order.push(stage);
        push_children(Some(stage), &mut pending);
    }
    order
}

/// The ties that decide the order: between stages of one rank, and of two that use each other only
/// from the one that uses more.
fn leading_ties(stages: &[FlowStage<'_>], ties: &Ties) -> Vec<(u32, u32)> {
    let leads = |user: u32, used: u32, weight: u64| {
        let is_same_rank = stages[user as usize].rank == stages[used as usize].rank;
        is_same_rank && weight > ties.get(&(used, user)).copied().unwrap_or(0)
    };
    ties.iter()
        .filter(|((user, used), weight)| leads(*user, *used, **weight))
        .map(|(edge, _)| *edge)
        .collect()
}

fn sorted_by_flow(siblings: Vec<u32>, stages: &[FlowStage<'_>], edges: &[(u32, u32)]) -> Vec<u32> {
    let mut order = Vec::with_capacity(siblings.len());
    let ranks: BTreeSet<u8> = siblings.iter().map(|stage| stages[*stage as usize].rank).collect();
    for rank in ranks {
        let nodes: Vec<u32> =
            siblings.iter().copied().filter(|stage| stages[*stage as usize].rank == rank).collect();
        let keys: Vec<_> = nodes
            .iter()
            .map(|stage| (!stages[*stage as usize].has_entry, stages[*stage as usize].anchor, *stage))
            .collect();
        let node = |stage: u32| nodes.binary_search(&stage).ok().map(|at| at as u32);
        let local: Vec<(u32, u32)> =
            edges.iter().filter_map(|(user, used)| Some((node(*user)?, node(*used)?))).collect();
        order.extend(flow_order(&keys, &local).into_iter().map(|at| nodes[at as usize]));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(anchors: &[&str], entry: usize, ties: &[(u32, u32, u64)]) -> Vec<u32> {
        let stages: Vec<_> = anchors
            .iter()
            .enumerate()
            .map(|(index, anchor)| FlowStage { parent: None, rank: 0, has_entry: index == entry, anchor })
            .collect();
        let ties = sibling_ties(&vec![None; anchors.len()], ties.iter().copied());
        reading_order(&stages, &ties)
    }

    #[test]
    fn users_come_before_used() {
        assert_eq!(order(&["a", "b", "c"], 2, &[(2, 1, 1), (1, 0, 3), (0, 1, 2)]), [2, 1, 0]);
    }

    #[test]
    fn without_ties_the_entry_comes_first_then_paths() {
        assert_eq!(order(&["b", "a", "c"], 2, &[]), [2, 1, 0]);
    }

    #[test]
    fn a_cycle_counts_as_one_and_starts_with_its_first_path() {
        let cycle = [(0, 1, 2), (1, 2, 2), (2, 0, 2), (3, 1, 1), (0, 4, 9)];
        assert_eq!(order(&["c", "b", "d", "x", "a"], 9, &cycle), [3, 1, 0, 2, 4]);
    }

    #[test]
    fn ties_of_substages_count_for_the_stages_above() {
        let parents = [None, None, Some(0), Some(1)];
        assert_eq!(sibling_ties(&parents, [(2, 3, 5), (2, 0, 7)].into_iter()), Ties::from([((0, 1), 5)]));
    }
}
