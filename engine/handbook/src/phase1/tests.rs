use std::sync::Arc;

use bindery_artifacts::read::{read, schema_findings};
use bindery_artifacts::write::artifact_text;
use bindery_artifacts::{DroppedCalls, FileProblem, Graph, Kind, ProblemKind, ScanCoverage};
use bindery_facts::*;
use bindery_graph::{CallType, Callee, DropReason, Outcome, Resolution, StateAccess, Supertype, Symbol};
use bindery_source::{RepoPath, module_path};

use super::*;
use crate::FileView;

/// A file under construction.
struct File {
    path: RepoPath,
    facts: FileFacts,
    resolution: Resolution,
}

impl File {
    fn new(path: &str, language: Language) -> Self {
        let summary = Summary {
            language,
            decls: Vec::new(),
            imports: Vec::new(),
            variables: Vec::new(),
            exports: None,
            marks: Vec::new(),
        };
        let facts = FileFacts {
            summary: Arc::new(summary),
            texts: Vec::new(),
            bodies: Bodies::default(),
            doc: None,
            line_count: 20,
            first_error: None,
            is_entry_point: false,
            is_test: false,
        };
        Self { path: RepoPath::new(path), facts, resolution: Resolution::default() }
    }

    /// Declares `qualname` inside `owner` on two lines.
    fn decl(&mut self, kind: DeclKind, owner: &str, qualname: &str, lines: [u32; 2]) -> &mut Decl {
        let name = qualname.rsplit('.').next().unwrap().split('(').next().unwrap();
        self.facts.texts.push(DeclText {
            line_start: lines[0],
            line_end: lines[1],
            name_line: lines[0],
            signature: format!("def {name}, \"x\""),
            doc: None,
        });
        let decls = &mut Arc::make_mut(&mut self.facts.summary).decls;
        decls.push(Decl {
            kind,
            name: name.into(),
            qualname: qualname.into(),
            owner: owner.into(),
            visibility: Visibility::Public,
            flags: DeclFlags::default(),
            decorators: Vec::new(),
            type_params: Vec::new(),
            params: Vec::new(),
            returns: None,
            result: None,
            supertypes: Vec::new(),
            target: None,
            shape: Shape::Unit,
        });
        decls.last_mut().unwrap()
    }

    /// A call of a name, from a declaration by number.
    fn call(&mut self, caller: Option<u32>, line: u32, raw: &str, outcome: Outcome) -> &mut CallSite {
        let exprs = &mut self.facts.bodies.exprs;
        let scope = ScopeIndex::FILE;
        let callee = match raw.rsplit_once('.') {
            Some((_, name)) => {
                let base = exprs.push(Expr::Unknown);
                exprs.push(Expr::Member { base, name: name.into(), type_args: Vec::new() })
            }
            None => exprs.push(Expr::Name { name: raw.into(), scope, at: 0 }),
        };
        let expr = exprs.push(Expr::Call { callee, args: Vec::new(), keywords: Vec::new() });
        self.facts.bodies.sites.push(CallSite {
            expr,
            caller: caller.map(DeclIndex),
            scope,
            line,
            raw: raw.into(),
            is_await: false,
            kind: SiteKind::Call,
        });
        self.resolution.outcomes.push(outcome);
        self.facts.bodies.sites.last_mut().unwrap()
    }

    fn access(&mut self, caller: u32, is_write: bool, owner: Symbol, name: &str, through_self: bool) {
        let expr = self.facts.bodies.exprs.push(Expr::Unknown);
        let access = self.facts.bodies.accesses.len() as u32;
        self.facts.bodies.accesses.push(Access { expr, caller: Some(DeclIndex(caller)), line: 1, is_write });
        self.resolution.accesses.push(StateAccess { owner, name: name.into(), access, through_self });
    }

    fn view(&self) -> FileView<'_> {
        FileView { path: &self.path, facts: &self.facts, resolution: &self.resolution }
    }
}

fn symbol(path: &str, qualname: &str) -> Symbol {
    Symbol { path: RepoPath::new(path), qualname: qualname.into() }
}

fn function(path: &str, qualname: &str) -> Callee {
    Callee::Function(symbol(path, qualname))
}

fn boundary(specifier: &str, class: &str, name: &str) -> Callee {
    Callee::Boundary { specifier: specifier.into(), class: class.into(), name: name.into() }
}

fn edge(call_type: CallType, callee: Callee) -> Outcome {
    Outcome::Edges(call_type, vec![callee])
}

fn plain_id(symbol: &Symbol) -> String {
    format!("{}.{}", module_path(&symbol.path), symbol.qualname)
}

/// ```python
/// @app.entry                       # lib.py
/// class Pump(Base, abc.ABC, Odd):
///     def __init__(self, rate: int): self.n = rate
///     async def run(self): await self.step(); await self.step(); os.getpid(); self.n; odd.n
///     def step(self): …
/// ```
fn library() -> File {
    let mut file = File::new("app/lib.py", Language::Python);
    file.decl(DeclKind::Class, "", "Pump", [1, 9]);
    let init = file.decl(DeclKind::Constructor, "Pump", "Pump.__init__", [3, 3]);
    init.params.push(Param {
        name: "rate".into(),
        kind: ParamKind::Normal,
        ty: None,
        type_text: "int".into(),
        has_default: false,
    });
    let run = file.decl(DeclKind::Method, "Pump", "Pump.run", [4, 6]);
    run.flags.is_async = true;
    run.decorators.push("app.entry".into());
    file.decl(DeclKind::Method, "Pump", "Pump.step", [7, 9]);
    let step = || edge(CallType::SelfMethod, function("app/lib.py", "Pump.step"));
    file.call(Some(2), 5, "self.step", step()).is_await = true;
    file.call(Some(2), 5, "self.step", step());
    file.call(Some(2), 4, "os.getpid", edge(CallType::Boundary, boundary("os", "", "getpid")));
    file.call(Some(2), 6, "print", Outcome::Dropped(DropReason::Builtin));
    file.call(Some(2), 6, "print", Outcome::Dropped(DropReason::Builtin));
    file.call(Some(3), 8, "self.hook", Outcome::Dropped(DropReason::SelfAttrUnknown));
    let pump = || symbol("app/lib.py", "Pump");
    file.access(1, true, pump(), "n", true);
    file.access(2, false, pump(), "n", true);
    file.access(2, false, pump(), "other", false);
    file.resolution.supertypes.push((
        DeclIndex(0),
        vec![
            Supertype::Type(symbol("app/main.py", "Base")),
            Supertype::Boundary { specifier: "abc".into(), name: "ABC".into() },
            Supertype::Written("Odd".into()),
        ],
    ));
    file
}

/// ```python
/// class Base: …                    # main.py
/// Base(); Pump(); Shade.Dark(); x()
/// class Shade(Enum): Dark
/// ```
fn program() -> File {
    let mut file = File::new("app/main.py", Language::Python);
    file.decl(DeclKind::Class, "", "Base", [1, 2]);
    file.decl(DeclKind::Enum, "", "Shade", [4, 5]);
    file.decl(DeclKind::Variant, "Shade", "Shade.Dark", [5, 5]);
    file.decl(DeclKind::Variant, "Shade", "Shade.Light", [6, 6]);
    let construct = CallType::InternalConstructor;
    file.call(None, 3, "Pump", edge(construct, function("app/lib.py", "Pump.__init__")));
    file.call(None, 3, "Base", edge(construct, Callee::New(symbol("app/main.py", "Base"))));
    file.call(None, 3, "Shade.Dark", edge(construct, Callee::Variant(symbol("app/main.py", "Shade.Dark"))));
    file.call(None, 2, "x", Outcome::Dropped(DropReason::BareName));
    file.facts.first_error = Some(7);
    file
}

fn exports(files: &[File]) -> Vec<Export> {
    let fragments: Vec<FileFragment> = files.iter().map(|file| fragment(file.view(), &plain_id)).collect();
    let problems = [FileProblem {
        file: "app/gone.py".to_owned(),
        reason: ProblemKind::Unreadable,
        detail: "no such file".to_owned(),
    }];
    assemble(&fragments, &ScanMetadata { generated_at: "1970-01-01T00:00:00.000Z", problems: &problems })
}

fn export(exports: &[Export], name: &str) -> String {
    let export = exports.iter().find(|export| export.name.ends_with(name)).unwrap();
    String::from_utf8(export.bytes.clone()).unwrap()
}

#[test]
fn the_graph_has_one_line_for_each_fact() {
    let expected = r#"{
  "version": 1,
  "metadata": {
    "generatedAt": "1970-01-01T00:00:00.000Z",
    "language": "python",
    "sourceRoot": ".",
    "scannedFiles": [
      "app/lib.py",
      "app/main.py"
    ],
    "nInternalFunctions": 3,
    "nBoundaryNodes": 1,
    "nEdges": 6,
    "policy": "An edge stands only where the callee follows from what is written, by a rule of the language; every other call is listed with its reason in dropped-calls.json.",
    "unparsedFiles": [
      {"file":"app/gone.py","reason":"unreadable","detail":"no such file"},
      {"file":"app/main.py","reason":"partial","detail":"the text could not be parsed completely; the first error is on line 7"}
    ]
  },
  "nodes": {
    "app.lib.Pump.__init__": {"id":"app.lib.Pump.__init__","name":"__init__","qualname":"Pump.__init__","file":"app/lib.py","lineStart":3,"lineEnd":3,"signature":"def __init__, \"x\"","isAsync":false,"isMethod":true,"className":"Pump","decorators":[],"kind":"internal","synthetic":false,"selfAttrsRead":[],"selfAttrsWritten":["n"],"paramTypes":{"rate":"int"},"nCallees":0,"nCallers":1},
    "app.lib.Pump.run": {"id":"app.lib.Pump.run","name":"run","qualname":"Pump.run","file":"app/lib.py","lineStart":4,"lineEnd":6,"signature":"def run, \"x\"","isAsync":true,"isMethod":true,"className":"Pump","decorators":["app.entry"],"kind":"internal","synthetic":false,"selfAttrsRead":["n"],"selfAttrsWritten":[],"paramTypes":{},"nCallees":2,"nCallers":0},
    "app.lib.Pump.step": {"id":"app.lib.Pump.step","name":"step","qualname":"Pump.step","file":"app/lib.py","lineStart":7,"lineEnd":9,"signature":"def step, \"x\"","isAsync":false,"isMethod":true,"className":"Pump","decorators":[],"kind":"internal","synthetic":false,"selfAttrsRead":[],"selfAttrsWritten":[],"paramTypes":{},"nCallees":0,"nCallers":1},
    "app.main.<module>": {"id":"app.main.<module>","name":"<module>","qualname":"<module>","file":"app/main.py","lineStart":1,"lineEnd":1,"signature":"<module>","isAsync":false,"isMethod":false,"className":null,"decorators":[],"kind":"internal","synthetic":true,"selfAttrsRead":[],"selfAttrsWritten":[],"paramTypes":{},"nCallees":3,"nCallers":0},
    "app.main.Base.<new>": {"id":"app.main.Base.<new>","name":"<new>","qualname":"Base.<new>","file":"app/main.py","lineStart":1,"lineEnd":2,"signature":"def Base, \"x\"","isAsync":false,"isMethod":true,"className":"Base","decorators":[],"kind":"internal","synthetic":true,"selfAttrsRead":[],"selfAttrsWritten":[],"paramTypes":{},"nCallees":0,"nCallers":1},
    "app.main.Shade.Dark": {"id":"app.main.Shade.Dark","name":"Dark","qualname":"Shade.Dark","file":"app/main.py","lineStart":5,"lineEnd":5,"signature":"def Dark, \"x\"","isAsync":false,"isMethod":true,"className":"Shade","decorators":[],"kind":"internal","synthetic":true,"selfAttrsRead":[],"selfAttrsWritten":[],"paramTypes":{},"nCallees":0,"nCallers":1},
    "boundary:os.getpid": {"id":"boundary:os.getpid","name":"getpid","qualname":"os.getpid","module":"os","className":"","kind":"boundary","nCallees":0,"nCallers":1}
  },
  "edges": [
    {"callerId":"app.lib.Pump.run","calleeId":"boundary:os.getpid","isAwait":false,"callType":"boundary","line":4,"raw":"os.getpid"},
    {"callerId":"app.lib.Pump.run","calleeId":"app.lib.Pump.step","isAwait":true,"callType":"self_method","line":5,"raw":"self.step"},
    {"callerId":"app.lib.Pump.run","calleeId":"app.lib.Pump.step","isAwait":false,"callType":"self_method","line":5,"raw":"self.step"},
    {"callerId":"app.main.<module>","calleeId":"app.lib.Pump.__init__","isAwait":false,"callType":"internal_constructor","line":3,"raw":"Pump"},
    {"callerId":"app.main.<module>","calleeId":"app.main.Base.<new>","isAwait":false,"callType":"internal_constructor","line":3,"raw":"Base"},
    {"callerId":"app.main.<module>","calleeId":"app.main.Shade.Dark","isAwait":false,"callType":"internal_constructor","line":3,"raw":"Shade.Dark"}
  ],
  "selfAttrs": {
    "app.lib.Pump": {"n":{"readIn":["app.lib.Pump.run"],"writtenIn":["app.lib.Pump.__init__"]}}
  },
  "types": {
    "app.lib.Pump": {"id":"app.lib.Pump","name":"Pump","qualname":"Pump","file":"app/lib.py","lineStart":1,"lineEnd":9,"signature":"def Pump, \"x\"","typeKind":"class","supertypes":["app.main.Base","boundary:abc.ABC","Odd"]},
    "app.main.Base": {"id":"app.main.Base","name":"Base","qualname":"Base","file":"app/main.py","lineStart":1,"lineEnd":2,"signature":"def Base, \"x\"","typeKind":"class","supertypes":[]},
    "app.main.Shade": {"id":"app.main.Shade","name":"Shade","qualname":"Shade","file":"app/main.py","lineStart":4,"lineEnd":5,"signature":"def Shade, \"x\"","typeKind":"enum","supertypes":[]}
  }
}
"#;
    assert_eq!(export(&exports(&[library(), program()]), "graph.json"), expected);
}

#[test]
fn the_other_exports_say_the_rest() {
    let exports = exports(&[library(), program()]);
    let functions = r#"id,file,lineStart,lineEnd,qualname,className,kind,isAsync,nCallees,nCallers,signature
app.lib.Pump.__init__,app/lib.py,3,3,Pump.__init__,Pump,constructor,false,0,1,"def __init__, ""x"""
app.lib.Pump.run,app/lib.py,4,6,Pump.run,Pump,method,true,2,0,"def run, ""x"""
app.lib.Pump.step,app/lib.py,7,9,Pump.step,Pump,method,false,0,1,"def step, ""x"""
"#;
    assert_eq!(export(&exports, "functions.csv"), functions);
    let dot = r##"digraph calls {
  rankdir=LR;
  node [shape=box];
  subgraph "cluster app/lib.py" {
    label="app/lib.py";
    "app.lib.Pump.__init__" [label="Pump.__init__"];
    "app.lib.Pump.run" [label="Pump.run"];
    "app.lib.Pump.step" [label="Pump.step"];
  }
  subgraph "cluster app/main.py" {
    label="app/main.py";
    "app.main.<module>" [label="<module>", style=dotted];
    "app.main.Base.<new>" [label="Base.<new>", style=dotted];
    "app.main.Shade.Dark" [label="Shade.Dark", style=dotted];
  }
  "boundary:os.getpid" [label="os.getpid", style=dashed];
  "app.lib.Pump.run" -> "app.lib.Pump.step" [color="#b8560f", style=bold];
  "app.lib.Pump.run" -> "boundary:os.getpid";
  "app.main.<module>" -> "app.lib.Pump.__init__";
  "app.main.<module>" -> "app.main.Base.<new>";
  "app.main.<module>" -> "app.main.Shade.Dark";
}
"##;
    assert_eq!(export(&exports, "graph.dot"), dot);
    let dropped = r#"{
  "version": 1,
  "metadata": {
    "generatedAt": "1970-01-01T00:00:00.000Z",
    "totalDropped": 4,
    "byCategory": {"bare_name":1,"builtin":2,"inherited_method":0,"local_var_method":0,"self_attr_unknown":1,"string_literal_method":0}
  },
  "edgesByCategory": {
    "bare_name": [
      {"caller":"app.main.<module>","calleeRaw":"x","isAwait":false,"line":2,"raw":"x"}
    ],
    "builtin": [
      {"caller":"app.lib.Pump.run","calleeRaw":"print","isAwait":false,"line":6,"raw":"print"},
      {"caller":"app.lib.Pump.run","calleeRaw":"print","isAwait":false,"line":6,"raw":"print"}
    ],
    "inherited_method": [],
    "local_var_method": [],
    "self_attr_unknown": [
      {"caller":"app.lib.Pump.step","calleeRaw":"hook","isAwait":false,"line":8,"raw":"self.hook"}
    ],
    "string_literal_method": []
  }
}
"#;
    assert_eq!(export(&exports, "dropped-calls.json"), dropped);
    let coverage = r#"{
  "version": 1,
  "metadata": {
    "generatedAt": "1970-01-01T00:00:00.000Z",
    "nScanned": 2,
    "nUnparsed": 2,
    "byReason": {"partial":1,"unparsable":0,"unreadable":1}
  },
  "files": [
    {"file":"app/gone.py","reason":"unreadable","detail":"no such file"},
    {"file":"app/main.py","reason":"partial","detail":"the text could not be parsed completely; the first error is on line 7"}
  ]
}
"#;
    assert_eq!(export(&exports, "scan-coverage.json"), coverage);
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    assert_eq!(exports(&[library(), program()]), exports(&[program(), library()]));
}

#[test]
fn a_repository_without_files_has_exports_too() {
    let exports = assemble([], &ScanMetadata { generated_at: "", problems: &[] });
    let graph = export(&exports, "graph.json");
    assert!(
        graph.contains("\n  \"nodes\": {},\n  \"edges\": [],\n  \"selfAttrs\": {},\n  \"types\": {}\n}\n")
    );
    assert_eq!(read::<Graph<'static>>("graph.json", &graph).unwrap().value.metadata.language, "multi");
    assert!(export(&exports, "dropped-calls.json").contains("\"builtin\": [],\n"));
}

/// The lines that fragments write are those the canonical writer of the types would.
#[test]
fn exports_are_canonical_and_fit_their_schemas() {
    let exports = exports(&[library(), program()]);
    let graph = export(&exports, "graph.json");
    let read_graph = read::<Graph<'static>>("graph.json", &graph).unwrap().value;
    assert_eq!(String::from_utf8(artifact_text(&read_graph)).unwrap(), graph);
    let dropped = export(&exports, "dropped-calls.json");
    let read_dropped = read::<DroppedCalls<'static>>("dropped-calls.json", &dropped).unwrap().value;
    assert_eq!(String::from_utf8(artifact_text(&read_dropped)).unwrap(), dropped);
    let coverage = export(&exports, "scan-coverage.json");
    assert!(read::<ScanCoverage>("scan-coverage.json", &coverage).is_ok());
    for (kind, text) in [(Kind::Graph, graph), (Kind::DroppedCalls, dropped), (Kind::ScanCoverage, coverage)]
    {
        assert_eq!(schema_findings(kind, &serde_json::from_str(&text).unwrap()), [], "{}", kind.name());
    }
}

#[test]
fn every_call_site_ends_as_edges_or_as_one_row() {
    let mut file = library();
    let twins = vec![function("app/lib.py", "Pump.step"), function("app/lib.py", "Pump.run")];
    file.call(Some(3), 9, "self.either", Outcome::Edges(CallType::SelfMethod, twins));
    let files = [file, program()];
    let n_sites: usize = files.iter().map(|file| file.facts.bodies.sites.len()).sum();
    let exports = exports(&files);
    let graph = read::<Graph<'static>>("graph.json", &export(&exports, "graph.json")).unwrap().value;
    let dropped = export(&exports, "dropped-calls.json");
    let dropped = read::<DroppedCalls<'static>>("dropped-calls.json", &dropped).unwrap().value;
    let alternatives = 1;
    assert_eq!(graph.edges.len() + dropped.metadata.total_dropped as usize, n_sites + alternatives);
    assert_eq!(graph.metadata.n_edges as usize, graph.edges.len());
    for edge in &graph.edges {
        assert!(graph.nodes.contains_key(&*edge.caller_id) && graph.nodes.contains_key(&*edge.callee_id));
    }
}

#[test]
fn a_member_of_an_impl_belongs_to_the_type_it_names() {
    let mut file = File::new("src/a.rs", Language::Rust);
    file.decl(DeclKind::Module, "", "inner", [1, 9]);
    file.decl(DeclKind::Impl, "inner", "inner.impl#1", [2, 8]);
    for (qualname, class) in [
        ("inner.Run.run(a.run)", Some("inner.Run")),
        ("inner.run.run", Some("inner.run")),
        ("inner.Run.runner.run", Some("inner.Run.runner")),
    ] {
        let decl = file.decl(DeclKind::Method, "inner.impl#1", qualname, [3, 3]);
        decl.name = "run".into();
        let decl = decl.clone();
        assert_eq!(naming::class_name(&decl, Some(&file.facts.summary.decls[1])), class);
    }
}

#[test]
fn clashing_ids_come_from_the_caller() {
    let file = library();
    let ids = |symbol: &Symbol| match symbol.qualname.as_str() {
        "Pump.step" => "app.lib.Pump.step@app/lib.py".to_owned(),
        _ => plain_id(symbol),
    };
    let exports = assemble(&[fragment(file.view(), &ids)], &ScanMetadata { generated_at: "", problems: &[] });
    let graph = export(&exports, "graph.json");
    assert!(
        graph.contains("\n    \"app.lib.Pump.step@app/lib.py\": {\"id\":\"app.lib.Pump.step@app/lib.py\"")
    );
    assert!(graph.contains("\"calleeId\":\"app.lib.Pump.step@app/lib.py\""));
}
