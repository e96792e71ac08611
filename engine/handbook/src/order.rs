//! One order for readers: users before what they use, cycles as one, ties by a key.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Sorts the nodes `0..keys.len()` so that every edge (user, used) leads forward.
///
/// Nodes of a cycle stand together, sorted by key; of those that may come next, the smallest key
/// comes first. Keys must differ. Costs (nodes + edges) × log.
pub(crate) fn flow_order<K: Ord>(keys: &[K], edges: &[(u32, u32)]) -> Vec<u32> {
    let followers = followers(keys.len(), edges);
    let component_of = components(&followers);
    let count = component_of.iter().map(|component| component + 1).max().unwrap_or(0) as usize;
    let mut members = vec![Vec::new(); count];
    let mut by_key: Vec<u32> = (0..keys.len() as u32).collect();
    by_key.sort_by(|a, b| keys[*a as usize].cmp(&keys[*b as usize]));
    by_key.iter().for_each(|node| members[component_of[*node as usize] as usize].push(*node));
    let between: BTreeSet<(u32, u32)> = edges
        .iter()
        .map(|(user, used)| (component_of[*user as usize], component_of[*used as usize]))
        .filter(|(user, used)| user != used)
        .collect();
    let mut waiting_for = vec![0u32; count];
    between.iter().for_each(|(_, used)| waiting_for[*used as usize] += 1);
    let mut rank = vec![0; keys.len()];
    by_key.iter().enumerate().for_each(|(at, node)| rank[*node as usize] = at);
    let first = |component: usize| Reverse((rank[members[component][0] as usize], component as u32));
    let mut ready: BinaryHeap<_> = (0..count).filter(|at| waiting_for[*at] == 0).map(first).collect();
    let mut order = Vec::with_capacity(keys.len());
    while let Some(Reverse((_, component))) = ready.pop() {
        order.extend(&members[component as usize]);
        for (_, used) in between.range((component, 0)..(component + 1, 0)) {
            waiting_for[*used as usize] -= 1;
            ready.extend((waiting_for[*used as usize] == 0).then(|| first(*used as usize)));
        }
    }
    order
}

fn followers(count: usize, edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
    let mut followers = vec![Vec::new(); count];
    edges.iter().for_each(|(user, used)| followers[*user as usize].push(*used));
    followers
}

/// What the search knows of a node it is at: its place in the search, and the next edge to follow.
struct Visit {
    node: u32,
    next_edge: usize,
}

const UNSEEN: u32 = u32::MAX;

/// The strongly connected component of each node of a graph, by number; `followers` has the nodes each node leads to
/// (Tarjan's algorithm, without recursion).
pub fn components(followers: &[Vec<u32>]) -> Vec<u32> {
    let mut search = Components {
        followers,
        place: vec![UNSEEN; followers.len()],
        lowest: vec![UNSEEN; followers.len()],
        component: vec![UNSEEN; followers.len()],
        open: Vec::new(),
        places: 0,
        found: 0,
    };
    for node in 0..followers.len() as u32 {
        search.visit(node);
    }
    search.component
}

struct Components<'f> {
    followers: &'f [Vec<u32>],
    place: Vec<u32>,
    lowest: Vec<u32>,
    component: Vec<u32>,
    open: Vec<u32>,
    places: u32,
    found: u32,
}

impl Components<'_> {
    fn visit(&mut self, start: u32) {
        if self.place[start as usize] != UNSEEN {
            return;
        }
        let mut path = vec![self.enter(start)];
        while let Some(visit) = path.last_mut() {
            let node = visit.node as usize;
            let Some(next) = self.followers[node].get(visit.next_edge).copied() else {
                self.close(node as u32);
                path.pop();
                if let Some(above) = path.last() {
                    self.lower(above.node, self.lowest[node]);
                }
                continue;
            };
            visit.next_edge += 1;
            if self.place[next as usize] == UNSEEN {
                path.push(self.enter(next));
            } else if self.component[next as usize] == UNSEEN {
                self.lower(node as u32, self.place[next as usize]);
            }
        }
    }

    fn enter(&mut self, node: u32) -> Visit {
        self.place[node as usize] = self.places;
        self.lowest[node as usize] = self.places;
        self.places += 1;
        self.open.push(node);
        Visit { node, next_edge: 0 }
    }

    fn lower(&mut self, node: u32, place: u32) {
        let lowest = &mut self.lowest[node as usize];
        *lowest = place.min(*lowest);
    }

    /// If nothing above is reachable from `node`, everything opened since is its component.
    fn close(&mut self, node: u32) {
        if self.lowest[node as usize] != self.place[node as usize] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member as usize] = self.found;
            if member == node {
                break;
            }
        }
        self.found += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::flow_order;

    #[test]
    fn users_come_before_used() {
        assert_eq!(flow_order(&["a", "b", "c"], &[(2, 1), (1, 0)]), [2, 1, 0]);
    }

    #[test]
    fn ties_go_by_key() {
        assert_eq!(flow_order(&["b", "a", "c"], &[]), [1, 0, 2]);
        assert_eq!(flow_order(&["d", "c", "b", "a"], &[(0, 3), (0, 2), (1, 2)]), [1, 0, 3, 2]);
    }

    #[test]
    fn a_cycle_stands_together() {
        // x → b, and c → b → d → c, and c → a.
        let edges = [(3, 1), (0, 1), (1, 2), (2, 0), (0, 4)];
        assert_eq!(flow_order(&["c", "b", "d", "x", "a"], &edges), [3, 1, 0, 2, 4]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let keys: Vec<u32> = (0..200_000).collect();
        let edges: Vec<_> = (1..200_000).map(|node| (node, node - 1)).collect();
        let order = flow_order(&keys, &edges);
        assert_eq!((order[0], order[199_999]), (199_999, 0));
    }

    #[test]
    fn self_edges_are_harmless() {
        assert_eq!(flow_order(&["a"], &[(0, 0)]), [0]);
        assert_eq!(flow_order::<u8>(&[], &[]), [0u32; 0]);
    }
}
