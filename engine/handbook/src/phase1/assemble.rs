use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::escape::Dot;
use bindery_artifacts::write::{artifact_text, json_entry};
use bindery_artifacts::{
    AttributeUse, BoundaryKind, BoundaryNode, ByCategory, CoverageMetadata, DropCategory, DroppedCalls,
    DroppedMetadata, FileProblem, FunctionRow, Graph, GraphMetadata, ProblemCounts, ProblemKind,
    ScanCoverage, Version, files,
};
use bindery_graph::Name;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::fragment::{CallerPart, DEEP_ROW_SEPARATOR, DroppedPart, FileFragment, NodePart, ROW_SEPARATOR};
use super::naming;

/// What an edge of the graph promises, in one sentence of the artifact.
const POLICY: &str = "An edge stands only where the callee follows from what is written, by a rule of the \
                      language; every other call is listed with its reason in dropped-calls.json.";

/// A finished file of the work directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Export {
    /// Its path in the work directory.
    pub name: &'static str,
    /// Its text.
    pub bytes: Vec<u8>,
}

/// What the exports say besides the facts of scanned files.
#[derive(Clone, Copy, Debug)]
pub struct ScanMetadata<'a> {
    /// The reproducible time.
    pub generated_at: &'a str,
    /// Files that were selected but gave no facts: unreadable and unparsable ones. Partial ones
    /// follow from the fragments.
    pub problems: &'a [FileProblem],
}

/// Sorts the parts of all scanned files, given in any order, into the exports.
pub fn assemble<'a>(
    fragments: impl IntoIterator<Item = &'a FileFragment>,
    metadata: &ScanMetadata<'_>,
) -> Vec<Export> {
    let whole = Whole::new(fragments.into_iter().collect(), metadata);
    EXPORTS.par_iter().map(|(name, bytes)| Export { name, bytes: bytes(&whole) }).collect()
}

/// How an export is written.
type Writer = fn(&Whole<'_>) -> Vec<u8>;

/// The exports by name; the largest come first, since they are written side by side.
const EXPORTS: [(&str, Writer); 5] = [
    (files::GRAPH, |whole| whole.graph()),
    (files::GRAPH_DOT, |whole| whole.dot()),
    (files::FUNCTIONS, |whole| whole.functions()),
    (files::DROPPED_CALLS, |whole| whole.dropped_calls()),
    (files::SCAN_COVERAGE, |whole| whole.scan_coverage()),
];

/// All parts, in the order of the exports.
struct Whole<'a> {
    generated_at: &'a str,
    /// By path.
    fragments: Vec<&'a FileFragment>,
    /// By path.
    problems: Vec<FileProblem>,
    /// By id, those implied nodes only that are called.
    nodes: BTreeMap<&'a str, &'a NodePart>,
    boundary: BTreeMap<&'a str, (&'a Name, &'a Name, &'a Name)>,
    /// By id.
    callers: Vec<&'a CallerPart>,
    n_callers: FxHashMap<&'a str, u64>,
}

impl<'a> Whole<'a> {
    fn new(mut fragments: Vec<&'a FileFragment>, metadata: &ScanMetadata<'a>) -> Self {
        fragments.sort_unstable_by_key(|fragment| &fragment.path);
        let mut callers: Vec<&CallerPart> = fragments.iter().flat_map(|fragment| &fragment.callers).collect();
        callers.sort_unstable_by_key(|caller| &caller.id);
        let mut n_callers: FxHashMap<&str, u64> = FxHashMap::default();
        for callee in callers.iter().flat_map(|caller| &caller.callees) {
            *n_callers.entry(callee).or_default() += 1;
        }
        let declared = fragments.iter().flat_map(|fragment| &fragment.nodes);
        let implied = fragments.iter().flat_map(|fragment| &fragment.implied);
        let called = implied.filter(|node| n_callers.contains_key(node.id.as_str()));
        let nodes = declared.chain(called).map(|node| (node.id.as_str(), node)).collect();
        Self {
            generated_at: metadata.generated_at,
            problems: problems(&fragments, metadata.problems),
            nodes,
            boundary: boundary(&fragments),
            callers,
            n_callers,
            fragments,
        }
    }

    fn callers_of(&self, id: &str) -> u64 {
        self.n_callers.get(id).copied().unwrap_or(0)
    }

    /// The graph's own writer writes the frame, with empty lists where the finished lines go.
    fn graph(&self) -> Vec<u8> {
        let frame = artifact_text(&Graph {
            version: Version,
            metadata: self.graph_metadata(),
            nodes: BTreeMap::new(),
            edges: Vec::new(),
            self_attrs: self.self_attrs(),
            types: BTreeMap::new(),
        });
        let edges = self.callers.iter().map(|caller| caller.edges.as_str());
        let mut types: Vec<&(String, String)> = self.fragments.iter().flat_map(|f| &f.types).collect();
        types.sort_unstable();
        let mut filler = FrameFiller::new(frame, self.graph_size());
        filler.fill("\n  \"nodes\": {", |out| self.push_nodes(out));
        filler.fill("\n  \"edges\": [", |out| push_rows(out, edges, ROW_SEPARATOR));
        filler.fill("\n  \"types\": {", |out| {
            push_rows(out, types.iter().map(|(_, line)| line.as_str()), ROW_SEPARATOR);
        });
        filler.finish()
    }

    /// About how many bytes the lines of the graph have.
    fn graph_size(&self) -> usize {
        let nodes: usize = self.nodes.values().map(|node| node.json.len() + 16).sum();
        let edges: usize = self.callers.iter().map(|caller| caller.edges.len() + 8).sum();
        let types: usize = self.fragments.iter().flat_map(|f| &f.types).map(|(_, line)| line.len() + 8).sum();
        nodes + edges + types + 256 * self.boundary.len()
    }

    fn graph_metadata(&self) -> GraphMetadata {
        let languages: BTreeSet<&str> =
            self.fragments.iter().map(|fragment| fragment.language.name()).collect();
        let mut languages = languages.into_iter();
        let language = match (languages.next(), languages.next()) {
            (Some(only), None) => only,
            _ => "multi",
        };
        GraphMetadata {
            generated_at: self.generated_at.to_owned(),
            language: language.to_owned(),
            source_root: ".".to_owned(),
            scanned_files: self.fragments.iter().map(|fragment| fragment.path.to_string()).collect(),
            n_internal_functions: self.nodes.values().filter(|node| node.record.is_some()).count() as u64,
            n_boundary_nodes: self.boundary.len() as u64,
            n_edges: self.callers.iter().map(|caller| caller.n_edges).sum(),
            policy: POLICY.to_owned(),
            unparsed_files: self.problems.clone(),
        }
    }

    fn push_nodes(&self, out: &mut Vec<u8>) {
        let mut separator = &ROW_SEPARATOR[1..];
        let mut boundary = self.boundary.iter().peekable();
        for (id, node) in &self.nodes {
            while let Some((id, parts)) = boundary.next_if(|(boundary_id, _)| *boundary_id < id) {
                out.extend_from_slice(separator.as_bytes());
                self.push_boundary_node(out, id, *parts);
                separator = ROW_SEPARATOR;
            }
            out.extend_from_slice(separator.as_bytes());
            out.extend_from_slice(node.json.as_bytes());
            out.extend_from_slice(format!("{}}}", self.callers_of(id)).as_bytes());
            separator = ROW_SEPARATOR;
        }
        for (id, parts) in boundary {
            out.extend_from_slice(separator.as_bytes());
            self.push_boundary_node(out, id, *parts);
            separator = ROW_SEPARATOR;
        }
    }

    fn push_boundary_node(&self, out: &mut Vec<u8>, id: &str, (module, class, name): (&Name, &Name, &Name)) {
        let node = BoundaryNode {
            id: id.into(),
            name: name.as_str().into(),
            qualname: naming::boundary_qualname(module, class, name).into(),
            module: module.as_str().into(),
            class_name: class.as_str().into(),
            kind: BoundaryKind::Boundary,
            n_callees: 0,
            n_callers: self.callers_of(id),
        };
        json_entry(out, id, &node);
    }

    fn self_attrs(&self) -> BTreeMap<String, BTreeMap<String, AttributeUse>> {
        let mut attrs: BTreeMap<String, BTreeMap<String, AttributeUse>> = BTreeMap::new();
        let uses: BTreeSet<_> = self.fragments.iter().flat_map(|fragment| &fragment.attributes).collect();
        for (type_id, attribute, node, is_write) in uses {
            let of_type = attrs.entry(type_id.clone()).or_default();
            let used = of_type.entry(attribute.to_string()).or_default();
            let list = if *is_write { &mut used.written_in } else { &mut used.read_in };
            list.push(node.clone());
        }
        attrs
    }

    fn functions(&self) -> Vec<u8> {
        let mut out = FunctionRow::HEADER.to_owned();
        for (id, node) in &self.nodes {
            if let Some((head, tail)) = &node.record {
                out.push_str(head);
                out.push_str(&self.callers_of(id).to_string());
                out.push_str(tail);
            }
        }
        out.into_bytes()
    }

    fn dot(&self) -> Vec<u8> {
        let mut out = "digraph calls {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
        for fragment in &self.fragments {
            let implied = fragment.implied.iter().filter(|node| self.nodes.contains_key(node.id.as_str()));
            let mut nodes: Vec<&NodePart> = fragment.nodes.iter().chain(implied).collect();
            nodes.sort_unstable_by_key(|node| &node.id);
            if nodes.is_empty() {
                continue;
            }
            out.push_str(&cluster_head(fragment.path.as_str()));
            out.extend(nodes.iter().map(|node| node.dot.as_str()));
            out.push_str("  }\n");
        }
        for (id, parts) in &self.boundary {
            let mut dot = Dot::new();
            dot.markup("  ").quoted(id).markup(" [label=");
            dot.quoted(&naming::boundary_qualname(parts.0, parts.1, parts.2)).markup(", style=dashed];\n");
            out.push_str(dot.as_str());
        }
        out.extend(self.callers.iter().map(|caller| caller.dot.as_str()));
        out.push_str("}\n");
        out.into_bytes()
    }

    fn dropped_calls(&self) -> Vec<u8> {
        let mut parts: Vec<&DroppedPart> = self.fragments.iter().flat_map(|f| &f.dropped).collect();
        parts.sort_unstable_by_key(|part| (part.category, &part.caller));
        let mut by_category = ByCategory::default();
        for category in DropCategory::ALL {
            let rows = parts.iter().filter(|part| part.category == category as u8).map(|part| part.n_rows);
            *by_category.get_mut(category) = rows.sum();
        }
        let total_dropped = parts.iter().map(|part| part.n_rows).sum();
        let frame = artifact_text(&DroppedCalls {
            version: Version,
            metadata: DroppedMetadata {
                generated_at: self.generated_at.to_owned(),
                total_dropped,
                by_category,
            },
            edges_by_category: ByCategory::default(),
        });
        let size = parts.iter().map(|part| part.rows.len() + DEEP_ROW_SEPARATOR.len()).sum();
        let mut filler = FrameFiller::new(frame, size);
        for category in DropCategory::ALL {
            let rows =
                parts.iter().filter(|part| part.category == category as u8).map(|part| part.rows.as_str());
            filler.fill(&format!("\n    \"{}\": [", category.name()), |out| {
                push_rows(out, rows, DEEP_ROW_SEPARATOR);
            });
        }
        filler.finish()
    }

    fn scan_coverage(&self) -> Vec<u8> {
        artifact_text(&ScanCoverage {
            version: Version,
            metadata: CoverageMetadata {
                generated_at: self.generated_at.to_owned(),
                n_scanned: self.fragments.len() as u64,
                n_unparsed: self.problems.len() as u64,
                by_reason: ProblemCounts::of(&self.problems),
            },
            files: self.problems.clone(),
        })
    }
}

fn cluster_head(path: &str) -> String {
    let mut dot = Dot::new();
    let name = format!("cluster {path}");
    dot.markup("  subgraph ").quoted(&name).markup(" {\n    label=").quoted(path).markup(";\n");
    dot.finish()
}

/// The files without facts, and those whose tree has an error, by path.
fn problems(fragments: &[&FileFragment], without_facts: &[FileProblem]) -> Vec<FileProblem> {
    let partial = fragments.iter().filter_map(|fragment| {
        let line = fragment.first_error?;
        let detail = format!("the text could not be parsed completely; the first error is on line {line}");
        Some(FileProblem { file: fragment.path.to_string(), reason: ProblemKind::Partial, detail })
    });
    let mut problems: Vec<FileProblem> = without_facts.iter().cloned().chain(partial).collect();
    problems.sort_unstable();
    problems
}

/// The names outside the set. If two spellings give one id, the smallest stands.
fn boundary<'a>(fragments: &[&'a FileFragment]) -> BTreeMap<&'a str, (&'a Name, &'a Name, &'a Name)> {
    let mut boundary: BTreeMap<&str, (&Name, &Name, &Name)> = BTreeMap::new();
    for (id, module, class, name) in fragments.iter().flat_map(|fragment| &fragment.boundary) {
        let parts = (module, class, name);
        boundary.entry(id).and_modify(|known| *known = (*known).min(parts)).or_insert(parts);
    }
    boundary
}

/// A finished text with empty lists, which are filled from the first to the last.
struct FrameFiller {
    frame: Vec<u8>,
    /// How much of the frame is in `out`.
    copied: usize,
    out: Vec<u8>,
}

impl FrameFiller {
    fn new(frame: Vec<u8>, size: usize) -> Self {
        Self { out: Vec::with_capacity(frame.len() + size), frame, copied: 0 }
    }

    /// Fills the list that opens with `opening`. That begins with a line feed, which no string in the
    /// text can hold, so it stands nowhere else. `rows` writes each row with a line start before it.
    fn fill(&mut self, opening: &str, rows: impl FnOnce(&mut Vec<u8>)) {
        let rest = &self.frame[self.copied..];
        let place = rest.windows(opening.len()).position(|window| window == opening.as_bytes());
        let end = place.expect("the frame was written with an empty list of that name") + opening.len();
        self.out.extend_from_slice(&rest[..end]);
        self.copied += end;
        let empty = self.out.len();
        rows(&mut self.out);
        if self.out.len() > empty {
            let indent = opening.bytes().skip(1).take_while(|byte| *byte == b' ').count();
            self.out.push(b'\n');
            self.out.resize(self.out.len() + indent, b' ');
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(&self.frame[self.copied..]);
        self.out
    }
}

fn push_rows<'a>(out: &mut Vec<u8>, rows: impl Iterator<Item = &'a str>, separator: &str) {
    for (number, row) in rows.enumerate() {
        let start = usize::from(number == 0);
        out.extend_from_slice(&separator.as_bytes()[start..]);
        out.extend_from_slice(row.as_bytes());
    }
}
