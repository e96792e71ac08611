use std::collections::BTreeMap;
use std::fmt::Debug;

use super::*;
use crate::read::{read, schema_findings};
use crate::*;

/// Holds an artifact against its schema, its expected text and what reading that text gives.
#[track_caller]
fn check<A: Artifact + PartialEq + Debug>(artifact: &A, expected: &str) {
    let value = serde_json::to_value(artifact).unwrap();
    assert_eq!(schema_findings(A::KIND, &value), []);
    let text = String::from_utf8(artifact_text(artifact)).unwrap();
    assert_eq!(text, expected);
    assert_eq!(&read::<A>("file", &text).unwrap().value, artifact);
}

fn stage(id: &str) -> StageId {
    StageId::new(id).unwrap()
}

#[test]
fn cards() {
    let mut card = Card {
        version: Version,
        file: "src/a.rs".to_owned(),
        purpose: "Reads\u{202e} \"a\".".to_owned(),
        role: Role::DomainLogic,
        lifecycle: "none".to_owned(),
        description: None,
        functions: None,
    };
    let brief = r#"{
  "version": 1,
  "file": "src/a.rs",
  "purpose": "Reads\u202e \"a\".",
  "role": "domain_logic",
  "lifecycle": "none"
}
"#;
    check(&card, brief);
    card.description = Some(String::new());
    card.functions = Some(vec![CardFunction {
        id: "src.a.f".to_owned(),
        qualname: "f".to_owned(),
        name: "f".to_owned(),
        class_name: None,
        line_range: [1, 2],
        signature: "fn f()".to_owned(),
        calls: vec!["src.a.g".to_owned()],
        called_by: Vec::new(),
        ext_calls: Vec::new(),
        n_calls: 1,
        n_called_by: 0,
        n_ext_calls: 0,
        purpose: String::new(),
        data_flow: String::new(),
        relations: String::new(),
    }]);
    let deep = r#"  "lifecycle": "none",
  "description": "",
  "functions": [
    {"id":"src.a.f","qualname":"f","name":"f","className":null,"lineRange":[1,2],"signature":"fn f()","calls":["src.a.g"],"calledBy":[],"extCalls":[],"nCalls":1,"nCalledBy":0,"nExtCalls":0,"purpose":"","dataFlow":"","relations":""}
  ]
}
"#;
    check(&card, &brief.replace("  \"lifecycle\": \"none\"\n}\n", deep));
    let coverage =
        CardCoverage { version: Version, n_files: 2, n_described: 1, missing: vec!["src/a.rs".to_owned()] };
    let expected = "{\n  \"version\": 1,\n  \"nFiles\": 2,\n  \"nDescribed\": 1,\n  \"missing\": [\n    \"src/a.rs\"\n  ]\n}\n";
    check(&coverage, expected);
}

#[test]
fn skeletons() {
    let top = Stage {
        id: stage("parse"),
        title: "Parsing: yes".to_owned(),
        description: String::new(),
        parent: None,
        children: vec![stage("parse.1")],
        crosscut: false,
    };
    let part = Stage {
        id: stage("parse.1"),
        title: "no".to_owned(),
        description: "Reads, then checks.".to_owned(),
        parent: Some(stage("parse")),
        children: Vec::new(),
        crosscut: true,
    };
    let mut skeleton = Skeleton {
        metadata: SkeletonMetadata {
            version: Version,
            archetype: "search tool".to_owned(),
            drafted_by: DraftedBy::SkeletonSynth,
        },
        order: Some(vec![stage("parse")]),
        stages: vec![top, part],
    };
    let expected = r#"metadata:
  version: 1
  archetype: search tool
  draftedBy: skeleton-synth
order:
  - parse
stages:
  - id: parse
    title: "Parsing: yes"
    description: ""
    parent: null
    children: [parse.1]
    crosscut: false
  - id: parse.1
    title: "no"
    description: Reads, then checks.
    parent: parse
    children: []
    crosscut: true
"#;
    check(&skeleton, expected);
    skeleton.stages[0].children.clear();
    skeleton.rebuild_children();
    check(&skeleton, expected);
}

#[test]
fn assignments() {
    let placement = Placement { stage: stage("s"), also: vec![stage("t")] };
    let assignment = Assignment {
        version: Version,
        file_stage: BTreeMap::from([("a.rs".to_owned(), placement.clone())]),
        buckets: BTreeMap::from([(stage("s"), vec!["a.rs".to_owned()]), (stage("t"), Vec::new())]),
        coverage: AssignmentCoverage { n_files: 1, n_assigned: 1, unassigned: Vec::new() },
    };
    let expected = r#"{
  "version": 1,
  "fileStage": {
    "a.rs": {"stage":"s","also":["t"]}
  },
  "buckets": {
    "s": [
      "a.rs"
    ],
    "t": []
  },
  "coverage": {
    "nFiles": 1,
    "nAssigned": 1,
    "unassigned": []
  }
}
"#;
    check(&assignment, expected);
    let members = Members {
        version: Version,
        function_stage: BTreeMap::from([("a.rs".to_owned(), placement)]),
        buckets: assignment.buckets,
        coverage: MemberCoverage { n_functions: 1, n_assigned: 1, unassigned: Vec::new() },
    };
    check(&members, &expected.replace("fileStage", "functionStage").replace("nFiles", "nFunctions"));
}

#[test]
fn organizations() {
    let file = OrganizedFile {
        file: "a b/#c.rs".to_owned(),
        purpose: "Says \"no\": never.".to_owned(),
        role: Role::Util,
        n_functions: 5,
    };
    let of_stage = OrganizedStage {
        title: "S".to_owned(),
        groups: vec![OrganizedGroup { title: "Core".to_owned(), summary: String::new(), files: vec![file] }],
        ordered_files: vec!["a b/#c.rs".to_owned()],
    };
    let organization = Organization {
        metadata: OrganizedMetadata { version: Version, n_stages: 1 },
        stages: BTreeMap::from([(stage("2"), of_stage)]),
        coverage: OrganizedCoverage { n_files: 1, n_organized: 1 },
    };
    let expected = r#"metadata: { version: 1, nStages: 1 }
stages:
  "2":
    title: S
    groups:
      - title: Core
        summary: ""
        files:
          - { file: "a b/#c.rs", purpose: "Says \"no\": never.", role: util, nFunctions: 5 }
    orderedFiles:
      - "a b/#c.rs"
coverage: { nFiles: 1, nOrganized: 1 }
"#;
    check(&organization, expected);
}

#[test]
fn prose_and_registers() {
    let narration = Narration {
        version: Version,
        lang: ProseLanguage::En,
        system_overview: "All.".to_owned(),
        stage_summaries: BTreeMap::from([(stage("s"), String::new())]),
    };
    let expected = "{\n  \"version\": 1,\n  \"lang\": \"en\",\n  \"systemOverview\": \"All.\",\n  \
                    \"stageSummaries\": {\n    \"s\": \"\"\n  }\n}\n";
    check(&narration, expected);
    let place = StateUse { file: "a.rs".to_owned(), line: 3, symbol: "a.f".to_owned() };
    let registers = Registers {
        version: Version,
        registers: vec![Register {
            id: RegisterId::new("reg-queue").unwrap(),
            semantics: String::new(),
            stages: vec![stage("s")],
            reads: vec![place],
            writes: Vec::new(),
        }],
    };
    let expected = r#"{
  "version": 1,
  "registers": [
    {
      "id": "reg-queue",
      "semantics": "",
      "stages": ["s"],
      "reads": [
        {"file":"a.rs","line":3,"symbol":"a.f"}
      ],
      "writes": []
    }
  ]
}
"#;
    check(&registers, expected);
}

#[test]
fn reports() {
    let record = RunRecord {
        version: Version,
        tool: "0.1.0".to_owned(),
        commit: None,
        finished_at: "2026-01-01T00:00:00.000Z".to_owned(),
        artifacts: ExportState::Stale,
        stamp: None,
    };
    let expected = "{\n  \"version\": 1,\n  \"tool\": \"0.1.0\",\n  \"commit\": null,\n  \"finishedAt\": \
                    \"2026-01-01T00:00:00.000Z\",\n  \"artifacts\": \"stale\",\n  \"stamp\": null\n}\n";
    check(&record, expected);
    let mut report = RunReport::empty("0.1.0");
    report.recomputed.push(Recomputed {
        query: QueryKind::Page,
        unit: "overview.md".to_owned(),
        reason: Reason::LinesChanged,
        because_of: Some("a.rs".to_owned()),
    });
    let text = String::from_utf8(artifact_text(&report)).unwrap();
    assert!(text.starts_with("{\n  \"kind\": \"run-report\",\n  \"version\": 1,\n"));
    assert!(text.contains("\n    \"facts\": {\"computed\":0,\"reused\":0,\"loaded\":0},\n"));
    assert!(text.contains("\n    {\"query\":\"page\",\"unit\":\"overview.md\",\"reason\":\"linesChanged\",\"becauseOf\":\"a.rs\"}\n"));
    check(&report, &text);
}
