//! A layered drawing of a small directed graph, after Sugiyama, Tagawa and Toda (1981).
//!
//! Nodes stand in rows, an edge that passes a row has a place of its own there, so that no edge crosses a box.
//! Within a row the order is chosen by barycentres, the places by least squares under the order
//! (pool adjacent violators). Everything follows from the order of nodes and edges given.

use std::collections::BTreeMap;

/// Sizes of a drawing, in its own units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) box_width: i32,
    pub(super) box_height: i32,
    /// Between boxes of a row.
    pub(super) gap: i32,
    /// Between rows.
    pub(super) row_gap: i32,
    /// Boxes of a row at most.
    pub(super) row_length: usize,
}

/// Room for an edge that passes a row.
const LANE: i32 = 18;

/// A drawing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Drawing {
    /// The upper left corner of each box.
    pub(super) boxes: Vec<(i32, i32)>,
    pub(super) edges: Vec<Route>,
    pub(super) width: i32,
    pub(super) height: i32,
}

/// How an edge is drawn, from top to bottom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Route {
    pub(super) upper: usize,
    pub(super) lower: usize,
    /// There is an edge from `upper` to `lower`.
    pub(super) down: bool,
    /// There is an edge from `lower` to `upper`.
    pub(super) up: bool,
    /// Where it begins, then where it enters and leaves each row it passes, then where it ends.
    pub(super) points: Vec<(i32, i32)>,
}

/// Draws `count` nodes and the edges between them. An edge from a later node to an earlier one is drawn
/// upwards; one in both directions is drawn once.
pub(super) fn draw(count: usize, edges: &[(usize, usize)], sizes: &Sizes) -> Drawing {
    let mut arcs: BTreeMap<(usize, usize), (bool, bool)> = BTreeMap::new();
    for &(from, to) in edges.iter().filter(|(from, to)| from != to && *from < count && *to < count) {
        let arc = arcs.entry((from.min(to), from.max(to))).or_default();
        *(if from < to { &mut arc.0 } else { &mut arc.1 }) = true;
    }
    let rows_of = rows(count, arcs.keys().copied(), sizes.row_length);
    let mut graph = Layered::new(&rows_of, arcs.keys().copied());
    graph.order();
    let centres = graph.centres(sizes);
    graph.drawing(&arcs, &centres, &rows_of, sizes)
}

/// The row of each node: below everything that leads to it, and the first with room.
fn rows(count: usize, arcs: impl Iterator<Item = (usize, usize)>, row_length: usize) -> Vec<usize> {
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); count];
    arcs.for_each(|(upper, lower)| above[lower].push(upper));
    let mut lengths: Vec<usize> = Vec::new();
    let mut rows: Vec<usize> = Vec::with_capacity(count);
    for node in &above {
        let mut row = node.iter().map(|upper| rows[*upper] + 1).max().unwrap_or(0);
        while lengths.get(row).is_some_and(|length| *length >= row_length.max(1)) {
            row += 1;
        }
        lengths.resize(lengths.len().max(row + 1), 0);
        lengths[row] += 1;
        rows.push(row);
    }
    rows
}

/// Nodes and lanes in rows. Items below `count` are nodes, the others places where an edge passes a row.
struct Layered {
    count: usize,
    rows: Vec<Vec<usize>>,
    /// The items an item is joined to in the row above, and in the row below.
    up: Vec<Vec<usize>>,
    down: Vec<Vec<usize>>,
    /// The items of each edge, from top to bottom.
    chains: Vec<Vec<usize>>,
}

impl Layered {
    fn new(row_of: &[usize], arcs: impl Iterator<Item = (usize, usize)>) -> Self {
        let count = row_of.len();
        let mut rows = vec![Vec::new(); row_of.iter().max().map_or(0, |last| last + 1)];
        row_of.iter().enumerate().for_each(|(node, row)| rows[*row].push(node));
        let none = vec![Vec::new(); count];
        let mut graph = Self { count, rows, up: none.clone(), down: none, chains: Vec::new() };
        for (upper, lower) in arcs {
            let mut chain = vec![upper];
            for row in row_of[upper] + 1..row_of[lower] {
                chain.push(graph.up.len());
                graph.rows[row].push(graph.up.len());
                graph.up.push(Vec::new());
                graph.down.push(Vec::new());
            }
            chain.push(lower);
            for pair in chain.windows(2) {
                graph.down[pair[0]].push(pair[1]);
                graph.up[pair[1]].push(pair[0]);
            }
            graph.chains.push(chain);
        }
        graph
    }

    /// Orders the rows so that few edges cross.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for round in 0..24 {
            let places = 0..self.rows.len();
            match round % 2 {
                0 => places.skip(1).for_each(|row| self.sort_row(row, true)),
                _ => places.rev().skip(1).for_each(|row| self.sort_row(row, false)),
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    /// Sorts a row by the mean place of each item's neighbours in the row above or below.
    fn sort_row(&mut self, row: usize, by_row_above: bool) {
        let place = self.places();
        let neighbours = if by_row_above { &self.up } else { &self.down };
        let mean = |item: usize| {
            let near = &neighbours[item];
            let sum: usize = near.iter().map(|other| place[*other]).sum();
            if near.is_empty() { place[item] as f64 } else { sum as f64 / near.len() as f64 }
        };
        self.rows[row].sort_by(|one, other| mean(*one).total_cmp(&mean(*other)));
    }

    fn places(&self) -> Vec<usize> {
        let mut place = vec![0; self.up.len()];
        for row in &self.rows {
            row.iter().enumerate().for_each(|(at, item)| place[*item] = at);
        }
        place
    }

    fn crossings(&self) -> usize {
        let place = self.places();
        let mut crossings = 0;
        for row in &self.rows {
            let mut ends: Vec<(usize, usize)> = Vec::new();
            for item in row {
                ends.extend(self.down[*item].iter().map(|below| (place[*item], place[*below])));
            }
            for (at, one) in ends.iter().enumerate() {
                let later = &ends[at + 1..];
                crossings += later.iter().filter(|other| other.0 > one.0 && other.1 < one.1).count();
            }
        }
        crossings
    }

    fn width(&self, item: usize, sizes: &Sizes) -> i32 {
        if item < self.count { sizes.box_width } else { LANE }
    }

    /// The middle of each item.
    fn centres(&self, sizes: &Sizes) -> Vec<f64> {
        let mut centres = vec![0.0; self.up.len()];
        let offsets: Vec<Vec<f64>> = self.rows.iter().map(|row| self.offsets(row, sizes)).collect();
        for (row, offsets) in self.rows.iter().zip(&offsets) {
            let middle = offsets.last().copied().unwrap_or_default() / 2.0;
            row.iter().zip(offsets).for_each(|(item, offset)| centres[*item] = offset - middle);
        }
        for round in 0..30 {
            let near = if round % 2 == 0 { &self.up } else { &self.down };
            let mut sweep: Vec<usize> = (0..self.rows.len()).collect();
            if round % 2 == 1 {
                sweep.reverse();
            }
            for at in sweep {
                let row = &self.rows[at];
                let wanted: Vec<f64> = row.iter().map(|item| mean(&near[*item], &centres, *item)).collect();
                let settled = settle(&wanted, &offsets[at]);
                row.iter().zip(settled).for_each(|(item, centre)| centres[*item] = centre);
            }
        }
        centres
    }

    /// How far each item of a row is at least from the first.
    fn offsets(&self, row: &[usize], sizes: &Sizes) -> Vec<f64> {
        let mut offset = 0.0;
        let mut offsets = Vec::with_capacity(row.len());
        for (at, item) in row.iter().enumerate() {
            if at > 0 {
                let widths = self.width(row[at - 1], sizes) + self.width(*item, sizes);
                offset += f64::from(widths) / 2.0 + f64::from(sizes.gap);
            }
            offsets.push(offset);
        }
        offsets
    }

    fn drawing(
        &self,
        arcs: &BTreeMap<(usize, usize), (bool, bool)>,
        centres: &[f64],
        row_of: &[usize],
        sizes: &Sizes,
    ) -> Drawing {
        let items = 0..self.up.len();
        let left = |item: usize| centres[item] - f64::from(self.width(item, sizes)) / 2.0;
        let start = items.clone().map(left).fold(f64::INFINITY, f64::min);
        let x: Vec<i32> = centres.iter().map(|centre| (centre - start).round() as i32).collect();
        let top = |row: usize| row as i32 * (sizes.box_height + sizes.row_gap);
        let boxes = (0..self.count).map(|node| (x[node] - sizes.box_width / 2, top(row_of[node]))).collect();
        let edges = arcs.iter().zip(&self.chains).map(|((&(upper, lower), &(down, up)), chain)| {
            let mut points =
                vec![(self.port(chain[0], chain[1], &x, sizes, true), top(row_of[upper]) + sizes.box_height)];
            for (at, lane) in chain[1..chain.len() - 1].iter().enumerate() {
                let y = top(row_of[upper] + 1 + at);
                points.extend([(x[*lane], y), (x[*lane], y + sizes.box_height)]);
            }
            let last = chain.len() - 1;
            points.push((self.port(lower, chain[last - 1], &x, sizes, false), top(row_of[lower])));
            Route { upper, lower, down, up, points }
        });
        Drawing {
            boxes,
            edges: edges.collect(),
            width: items.map(|item| x[item] + self.width(item, sizes) / 2).max().unwrap_or(0),
            height: (top(self.rows.len()) - sizes.row_gap).max(0),
        }
    }

    /// Where on a box's lower or upper side the edge to `other` is fixed: in the order of the other ends.
    fn port(&self, node: usize, other: usize, x: &[i32], sizes: &Sizes, below: bool) -> i32 {
        let mut ends = if below { self.down[node].clone() } else { self.up[node].clone() };
        ends.sort_by_key(|end| (x[*end], *end));
        let at = ends.iter().position(|end| *end == other).unwrap_or_default() as i32;
        let room = sizes.box_width * 7 / 10;
        x[node] - room / 2 + room * (at + 1) / (ends.len() as i32 + 1)
    }
}

fn mean(near: &[usize], centres: &[f64], item: usize) -> f64 {
    match near.len() {
        0 => centres[item],
        count => near.iter().map(|other| centres[*other]).sum::<f64>() / count as f64,
    }
}

/// The places closest to `wanted`, by squares, that are as far apart as `offsets` are.
fn settle(wanted: &[f64], offsets: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (wanted, offset) in wanted.iter().zip(offsets) {
        let mut pool = (wanted - offset, 1);
        while let Some(last) = pools.pop_if(|last| last.0 / last.1 as f64 > pool.0 / pool.1 as f64) {
            pool = (pool.0 + last.0, pool.1 + last.1);
        }
        pools.push(pool);
    }
    let bases = pools.iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / *count as f64, *count));
    bases.zip(offsets).map(|(base, offset)| base + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { box_width: 100, box_height: 40, gap: 20, row_gap: 50, row_length: 4 };

    #[test]
    fn a_chain_stands_in_one_column_and_a_short_cut_passes_beside_it() {
        let drawing = draw(3, &[(0, 1), (1, 2), (0, 2)], &SIZES);
        assert_eq!(drawing.boxes.iter().map(|place| place.1).collect::<Vec<_>>(), [0, 90, 180]);
        assert_eq!(drawing.height, 220);
        let passing = drawing.edges.iter().find(|edge| (edge.upper, edge.lower) == (0, 2)).unwrap();
        assert_eq!(passing.points.len(), 4);
        let middle = drawing.boxes[1].0;
        assert!(passing.points[1].0 < middle || passing.points[1].0 > middle + SIZES.box_width);
    }

    #[test]
    fn opposite_edges_are_one_and_a_loop_is_none() {
        let drawing = draw(2, &[(1, 0), (0, 1), (1, 1), (0, 9)], &SIZES);
        assert_eq!(drawing.edges.len(), 1);
        assert!(drawing.edges[0].down && drawing.edges[0].up);
        assert_eq!(draw(0, &[], &SIZES), Drawing::default());
    }

    #[test]
    fn places_keep_their_distance_and_are_close_to_what_is_wanted() {
        assert_eq!(settle(&[5.0, 5.0, 50.0], &[0.0, 10.0, 20.0]), [0.0, 10.0, 50.0]);
    }

    /// Edges with many turns, from a small generator.
    fn tangle(count: usize, seed: u64) -> Vec<(usize, usize)> {
        let mut state = seed | 1;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % count
        };
        (0..count * 3).map(|_| (next(), next())).collect()
    }

    #[test]
    fn no_box_touches_another_and_no_edge_passes_through_one() {
        for (count, seed) in (1..=30).flat_map(|count| (0..12).map(move |seed| (count, seed))) {
            let drawing = draw(count, &tangle(count, seed), &SIZES);
            for (at, one) in drawing.boxes.iter().enumerate() {
                assert!(one.0 >= 0 && one.0 + SIZES.box_width <= drawing.width);
                for other in &drawing.boxes[at + 1..] {
                    let apart = (one.0 - other.0).abs() >= SIZES.box_width + SIZES.gap - 1;
                    assert!(one.1 != other.1 || apart, "{count} {seed}");
                }
                // Between its ends an edge is upright wherever there are boxes.
                for edge in &drawing.edges {
                    for lane in edge.points[1..edge.points.len() - 1].iter().filter(|lane| lane.1 == one.1) {
                        assert!(lane.0 < one.0 || lane.0 > one.0 + SIZES.box_width, "{count} {seed}");
                    }
                }
            }
        }
    }
}
