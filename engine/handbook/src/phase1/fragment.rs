use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::escape::{Csv, Dot};
use bindery_artifacts::write::{json_entry, json_line};
use bindery_artifacts::{
    CallType, DropCategory, DroppedCall, Edge, FunctionRow, InternalKind, InternalNode, TypeKind, TypeNode,
};
use bindery_facts::{CallSite, Decl, DeclIndex, DeclKind, DeclText};
use bindery_graph::{Callee, DropReason, Name, Outcome, Supertype, Symbol};
use bindery_source::{Language, RepoPath};
use serde::{Deserialize, Serialize};

use super::naming::{self, Ids, MODULE, NEW};
use crate::FileView;

/// One file's part of the exports of phase 1.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileFragment {
    pub(super) path: RepoPath,
    pub(super) language: Language,
    /// The line of the first error in the file's tree.
    pub(super) first_error: Option<u32>,
    /// Nodes that are there because they are declared, or because the file calls at module level.
    pub(super) nodes: Vec<NodePart>,
    /// Nodes that are there if something calls them: constructions and variants.
    pub(super) implied: Vec<NodePart>,
    /// Type ids and their finished lines in the graph.
    pub(super) types: Vec<(String, String)>,
    /// The resolved calls of each node that has any.
    pub(super) callers: Vec<CallerPart>,
    /// The dropped calls of each node and category, as finished lines.
    pub(super) dropped: Vec<DroppedPart>,
    /// The names outside the set that the file calls: id, specifier, type, name.
    pub(super) boundary: BTreeSet<(String, Name, Name, Name)>,
    /// Attributes used through the receiver: type id, attribute, node id, whether it is written.
    pub(super) attributes: BTreeSet<(String, Name, String, bool)>,
}

/// A node, finished but for the number of its callers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct NodePart {
    pub(super) id: String,
    /// Its line in the graph, up to that number.
    pub(super) json: String,
    /// Its record in `functions.csv` before and behind that number; none for a synthetic node.
    pub(super) record: Option<(String, String)>,
    /// Its statement in `graph.dot`.
    pub(super) dot: String,
}

/// The resolved calls of one node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct CallerPart {
    pub(super) id: String,
    /// Finished lines of the graph, in order, with commas between.
    pub(super) edges: String,
    pub(super) n_edges: u64,
    /// The different nodes called, sorted.
    pub(super) callees: Vec<String>,
    /// Finished statements of `graph.dot`.
    pub(super) dot: String,
}

/// The dropped calls of one node in one category.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct DroppedPart {
    pub(super) category: u8,
    pub(super) caller: String,
    /// Finished lines, in order, with commas between.
    pub(super) rows: String,
    pub(super) n_rows: u64,
}

/// What stands between two rows of an export, two levels deep.
pub(super) const ROW_SEPARATOR: &str = ",\n    ";
/// The same three levels deep.
pub(super) const DEEP_ROW_SEPARATOR: &str = ",\n      ";
/// What graph.dot adds to an edge that is awaited.
const AWAITED: &str = " [color=\"#b8560f\", style=bold];\n";

/// Works out one file's part of the exports. `ids` gives the id of every symbol that the file
/// declares or that its calls, accesses and supertypes lead to, and of the file's module symbol, whose
/// qualname is `<module>`.
pub fn fragment(view: FileView<'_>, ids: &dyn Fn(&Symbol) -> String) -> FileFragment {
    let pen = Pen::new(view, ids);
    let calls = pen.calls();
    FileFragment {
        path: view.path.clone(),
        language: view.facts.summary.language,
        first_error: view.facts.first_error,
        nodes: pen.nodes(&calls),
        implied: pen.implied(),
        types: pen.types(),
        callers: calls.iter().filter_map(|(caller, calls)| pen.caller(*caller, calls)).collect(),
        dropped: calls.iter().flat_map(|(caller, calls)| pen.dropped(*caller, calls)).collect(),
        boundary: pen.boundary(),
        attributes: pen.attributes(),
    }
}

/// The node a call stands in: a declaration, or none for the module.
type Caller = Option<u32>;

/// The calls of one node.
#[derive(Default)]
struct Calls<'a> {
    resolved: Vec<ResolvedCall<'a>>,
    dropped: Vec<(DropCategory, &'a CallSite)>,
}

struct ResolvedCall<'a> {
    site: &'a CallSite,
    call_type: CallType,
    callee: String,
}

/// What writing one file needs all the time.
struct Pen<'a> {
    view: FileView<'a>,
    ids: Ids<'a>,
    /// Declarations by qualname.
    decls: BTreeMap<&'a str, &'a Decl>,
    /// Attributes that each node reads and writes through its receiver.
    self_attrs: BTreeMap<Caller, [BTreeSet<&'a str>; 2]>,
}

impl<'a> Pen<'a> {
    fn new(view: FileView<'a>, ids: Ids<'a>) -> Self {
        let decls = view.facts.summary.decls.iter().map(|decl| (decl.qualname.as_str(), decl)).collect();
        let mut self_attrs: BTreeMap<Caller, [BTreeSet<&str>; 2]> = BTreeMap::new();
        for (caller, is_write, access) in self_accesses(view) {
            self_attrs.entry(caller).or_default()[usize::from(is_write)].insert(&access.name);
        }
        Self { view, ids, decls, self_attrs }
    }

    fn id(&self, qualname: &str) -> String {
        (self.ids)(&Symbol { path: self.view.path.clone(), qualname: qualname.into() })
    }

    fn caller_id(&self, caller: Caller) -> String {
        match caller {
            Some(index) => self.id(&self.view.facts.summary.decls[index as usize].qualname),
            None => self.id(MODULE),
        }
    }

    fn calls(&self) -> BTreeMap<Caller, Calls<'a>> {
        let mut calls: BTreeMap<Caller, Calls<'a>> = BTreeMap::new();
        for (site, outcome) in self.view.facts.bodies.sites.iter().zip(&self.view.resolution.outcomes) {
            let of_caller = calls.entry(node_of(self.view, site.caller)).or_default();
            match outcome {
                Outcome::Edges(call_type, callees) => {
                    of_caller.resolved.extend(callees.iter().map(|callee| ResolvedCall {
                        site,
                        call_type: written_call_type(*call_type),
                        callee: naming::callee_id(callee, self.ids),
                    }));
                }
                Outcome::Dropped(reason) => of_caller.dropped.push((category(*reason), site)),
            }
        }
        for of_caller in calls.values_mut() {
            let edge_key =
                |call: &ResolvedCall<'a>| (call.site.line, call.callee.clone(), call.site.raw.clone());
            of_caller.resolved.sort_by_cached_key(edge_key);
            of_caller.dropped.sort_by(|(a_category, a), (b_category, b)| {
                (a_category, a.line, &a.raw).cmp(&(b_category, b.line, &b.raw))
            });
        }
        calls
    }

    fn nodes(&self, calls: &BTreeMap<Caller, Calls<'a>>) -> Vec<NodePart> {
        let facts = self.view.facts;
        let has_module_node = calls.contains_key(&None) || self.self_attrs.contains_key(&None);
        let module = has_module_node.then(|| self.module_node(calls.get(&None)));
        let declared = facts.summary.decls.iter().zip(&facts.texts).enumerate();
        let functions =
            declared.filter(|(_, (decl, _))| decl.kind.is_callable()).map(|(index, (decl, text))| {
                let caller = Some(index as u32);
                let node = self.function_node(decl, text, caller, n_callees(calls.get(&caller)));
                let kind = decl.kind.callable_kind().expect("only callables are here, and each has a word");
                finish_node(node, Some(kind))
            });
        module.into_iter().chain(functions).collect()
    }

    fn module_node(&self, calls: Option<&Calls<'a>>) -> NodePart {
        let span =
            DeclText { line_start: 1, line_end: 1, signature: MODULE.to_owned(), ..DeclText::default() };
        let mut node = self.synthetic_node(self.id(MODULE), MODULE, MODULE, &span, None);
        self.set_self_attrs(&mut node, None);
        node.n_callees = n_callees(calls);
        finish_node(node, None)
    }

    fn function_node<'n>(
        &'n self,
        decl: &'n Decl,
        text: &'n DeclText,
        caller: Caller,
        n_callees: u64,
    ) -> InternalNode<'n> {
        let class = naming::class_name(decl, self.decls.get(decl.owner.as_str()).copied());
        let mut node =
            self.synthetic_node(self.id(&decl.qualname), &decl.name, decl.qualname.as_str(), text, class);
        node.is_async = decl.flags.is_async;
        node.decorators = decl.decorators.iter().map(|name| Cow::from(name.as_str())).collect();
        node.synthetic = false;
        let typed = decl.params.iter().filter(|param| !param.type_text.is_empty());
        node.param_types =
            typed.map(|param| (param.name.as_str().into(), param.type_text.as_str().into())).collect();
        node.n_callees = n_callees;
        self.set_self_attrs(&mut node, caller);
        node
    }

    fn set_self_attrs<'n>(&'n self, node: &mut InternalNode<'n>, caller: Caller) {
        if let Some([read, written]) = self.self_attrs.get(&caller) {
            node.self_attrs_read = read.iter().map(|name| Cow::from(*name)).collect();
            node.self_attrs_written = written.iter().map(|name| Cow::from(*name)).collect();
        }
    }

    fn synthetic_node<'n>(
        &'n self,
        id: String,
        name: &'n str,
        qualname: impl Into<Cow<'n, str>>,
        text: &'n DeclText,
        class: Option<&'n str>,
    ) -> InternalNode<'n> {
        InternalNode {
            id: id.into(),
            name: name.into(),
            qualname: qualname.into(),
            file: self.view.path.as_str().into(),
            line_start: text.line_start,
            line_end: text.line_end,
            signature: text.signature.as_str().into(),
            is_async: false,
            is_method: class.is_some(),
            class_name: class.map(Cow::from),
            decorators: Vec::new(),
            kind: InternalKind::Internal,
            synthetic: true,
            self_attrs_read: Vec::new(),
            self_attrs_written: Vec::new(),
            param_types: BTreeMap::new(),
            n_callees: 0,
            n_callers: 0,
        }
    }

    fn implied(&self) -> Vec<NodePart> {
        let facts = self.view.facts;
        let parts = facts.summary.decls.iter().zip(&facts.texts).filter_map(|(decl, text)| {
            let id = self.id(&decl.qualname);
            let node = match decl.kind {
                DeclKind::Variant => {
                    self.synthetic_node(id, &decl.name, decl.qualname.as_str(), text, Some(&decl.owner))
                }
                kind if kind.type_kind().is_some() => {
                    let qualname = format!("{}.{NEW}", decl.qualname);
                    self.synthetic_node(format!("{id}.{NEW}"), NEW, qualname, text, Some(&decl.qualname))
                }
                _ => return None,
            };
            Some(finish_node(node, None))
        });
        parts.collect()
    }

    fn types(&self) -> Vec<(String, String)> {
        let facts = self.view.facts;
        let mut supertypes: BTreeMap<u32, &[Supertype]> = BTreeMap::new();
        for (DeclIndex(index), of_type) in &self.view.resolution.supertypes {
            supertypes.insert(*index, of_type);
        }
        let declared = facts.summary.decls.iter().zip(&facts.texts).enumerate();
        let typed =
            declared.filter_map(|(index, (decl, text))| Some((index, decl, text, type_kind(decl.kind)?)));
        typed
            .map(|(index, decl, text, type_kind)| {
                let of_type = supertypes.get(&(index as u32)).copied().unwrap_or_default();
                let node = TypeNode {
                    id: self.id(&decl.qualname).into(),
                    name: decl.name.as_str().into(),
                    qualname: decl.qualname.as_str().into(),
                    file: self.view.path.as_str().into(),
                    line_start: text.line_start,
                    line_end: text.line_end,
                    signature: text.signature.as_str().into(),
                    type_kind,
                    supertypes: of_type.iter().map(|supertype| self.supertype(supertype)).collect(),
                };
                let line = text_of(|out| json_entry(out, &node.id, &node));
                (node.id.into_owned(), line)
            })
            .collect()
    }

    fn supertype<'n>(&self, supertype: &'n Supertype) -> Cow<'n, str> {
        match supertype {
            Supertype::Type(symbol) => (self.ids)(symbol).into(),
            Supertype::Boundary { specifier, name } => naming::boundary_id(specifier, "", name).into(),
            Supertype::Written(name) => name.as_str().into(),
        }
    }

    fn caller(&self, caller: Caller, calls: &Calls<'a>) -> Option<CallerPart> {
        if calls.resolved.is_empty() {
            return None;
        }
        let id = self.caller_id(caller);
        let rows = calls.resolved.iter().map(|call| {
            let edge = Edge {
                caller_id: id.as_str().into(),
                callee_id: call.callee.as_str().into(),
                is_await: call.site.is_await,
                call_type: call.call_type,
                line: call.site.line,
                raw: call.site.raw.as_str().into(),
            };
            text_of(|out| json_line(out, &edge))
        });
        let edges = rows.collect::<Vec<_>>().join(ROW_SEPARATOR);
        let callees: BTreeSet<&str> = calls.resolved.iter().map(|call| call.callee.as_str()).collect();
        let dot = edge_statements(&id, calls);
        let callees = callees.into_iter().map(str::to_owned).collect();
        Some(CallerPart { id, edges, n_edges: calls.resolved.len() as u64, callees, dot })
    }

    fn dropped(&self, caller: Caller, calls: &Calls<'a>) -> Vec<DroppedPart> {
        if calls.dropped.is_empty() {
            return Vec::new();
        }
        let id = self.caller_id(caller);
        let groups = calls.dropped.chunk_by(|(a, _), (b, _)| a == b);
        groups
            .map(|group| {
                let rows: Vec<String> = group.iter().map(|(_, site)| self.dropped_row(&id, site)).collect();
                DroppedPart {
                    category: group[0].0 as u8,
                    caller: id.clone(),
                    rows: rows.join(DEEP_ROW_SEPARATOR),
                    n_rows: group.len() as u64,
                }
            })
            .collect()
    }

    fn dropped_row(&self, caller: &str, site: &CallSite) -> String {
        let call = DroppedCall {
            caller: caller.into(),
            callee_raw: naming::callee_name(self.view.facts, site).into(),
            is_await: site.is_await,
            line: site.line,
            raw: site.raw.as_str().into(),
        };
        text_of(|out| json_line(out, &call))
    }

    fn boundary(&self) -> BTreeSet<(String, Name, Name, Name)> {
        let callees = self.view.resolution.outcomes.iter().flat_map(|outcome| match outcome {
            Outcome::Edges(_, callees) => callees.as_slice(),
            Outcome::Dropped(_) => &[],
        });
        callees
            .filter_map(|callee| match callee {
                Callee::Boundary { specifier, class, name } => {
                    let id = naming::boundary_id(specifier, class, name);
                    Some((id, specifier.clone(), class.clone(), name.clone()))
                }
                _ => None,
            })
            .collect()
    }

    fn attributes(&self) -> BTreeSet<(String, Name, String, bool)> {
        self_accesses(self.view)
            .map(|(caller, is_write, access)| {
                ((self.ids)(&access.owner), access.name.clone(), self.caller_id(caller), is_write)
            })
            .collect()
    }
}

/// The attributes of types that are used through the receiver: by whom, whether written, which.
fn self_accesses(view: FileView<'_>) -> impl Iterator<Item = (Caller, bool, &bindery_graph::StateAccess)> {
    let used =
        view.resolution.accesses.iter().filter(|used| used.through_self && !used.owner.qualname.is_empty());
    used.filter_map(move |used| {
        let access = view.facts.bodies.accesses.get(used.access as usize)?;
        Some((node_of(view, access.caller), access.is_write, used))
    })
}

/// A caller that is no function itself (a class body) is the module.
fn node_of(view: FileView<'_>, caller: Option<DeclIndex>) -> Caller {
    let DeclIndex(index) = caller?;
    let decl = view.facts.summary.decls.get(index as usize)?;
    decl.kind.is_callable().then_some(index)
}

fn n_callees(calls: Option<&Calls<'_>>) -> u64 {
    let callees: BTreeSet<&str> =
        calls.into_iter().flat_map(|calls| &calls.resolved).map(|call| call.callee.as_str()).collect();
    callees.len() as u64
}

/// Writes a node in its three forms. Its number of callers is 0 and comes last, so cutting it off
/// leaves the place for the right one.
fn finish_node(node: InternalNode<'_>, function_kind: Option<&'static str>) -> NodePart {
    let mut json = text_of(|out| json_entry(out, &node.id, &node));
    json.truncate(json.len() - "0}".len());
    let record = function_kind.map(|kind| {
        let row = FunctionRow {
            id: Cow::from(&*node.id),
            file: Cow::from(&*node.file),
            line_start: node.line_start,
            line_end: node.line_end,
            qualname: Cow::from(&*node.qualname),
            class_name: Cow::from(node.class_name.as_deref().unwrap_or_default()),
            kind: kind.into(),
            is_async: node.is_async,
            n_callees: node.n_callees,
            n_callers: 0,
            signature: Cow::from(&*node.signature),
        };
        let (mut head, mut tail) = (Csv::new(), Csv::new());
        row.write_head(&mut head);
        row.write_tail(&mut tail);
        (head.finish(), tail.finish())
    });
    let mut dot = Dot::new();
    dot.markup("    ").quoted(&node.id).markup(" [label=").quoted(&node.qualname);
    dot.markup(if node.synthetic { ", style=dotted];\n" } else { "];\n" });
    NodePart { json, record, dot: dot.finish(), id: node.id.into_owned() }
}

/// One statement for each different callee; it is awaited if any of its calls is.
fn edge_statements(caller: &str, calls: &Calls<'_>) -> String {
    let mut awaited: BTreeMap<&str, bool> = BTreeMap::new();
    for call in &calls.resolved {
        *awaited.entry(&call.callee).or_default() |= call.site.is_await;
    }
    let mut dot = Dot::new();
    for (callee, is_awaited) in awaited {
        dot.markup("  ").quoted(caller).markup(" -> ").quoted(callee);
        dot.markup(if is_awaited { AWAITED } else { ";\n" });
    }
    dot.finish()
}

fn text_of(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).expect("JSON made from strings is UTF-8")
}

fn type_kind(kind: DeclKind) -> Option<TypeKind> {
    Some(match kind {
        DeclKind::Class => TypeKind::Class,
        DeclKind::Interface => TypeKind::Interface,
        DeclKind::Struct => TypeKind::Struct,
        DeclKind::Record => TypeKind::Record,
        DeclKind::Enum => TypeKind::Enum,
        DeclKind::Trait => TypeKind::Trait,
        DeclKind::Alias => TypeKind::Alias,
        DeclKind::OtherType => TypeKind::Other,
        _ => return None,
    })
}

fn written_call_type(call_type: bindery_graph::CallType) -> CallType {
    use bindery_graph::CallType as Resolved;
    match call_type {
        Resolved::InternalFunc => CallType::InternalFunc,
        Resolved::InternalConstructor => CallType::InternalConstructor,
        Resolved::SelfMethod => CallType::SelfMethod,
        Resolved::SelfAttrMethod => CallType::SelfAttrMethod,
        Resolved::ParamMethod => CallType::ParamMethod,
        Resolved::Boundary => CallType::Boundary,
        Resolved::BoundaryConstructor => CallType::BoundaryConstructor,
    }
}

fn category(reason: DropReason) -> DropCategory {
    match reason {
        DropReason::StringLiteralMethod => DropCategory::StringLiteralMethod,
        DropReason::Builtin => DropCategory::Builtin,
        DropReason::InheritedMethod => DropCategory::InheritedMethod,
        DropReason::SelfAttrUnknown => DropCategory::SelfAttrUnknown,
        DropReason::LocalVarMethod => DropCategory::LocalVarMethod,
        DropReason::BareName => DropCategory::BareName,
    }
}
