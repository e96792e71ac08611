use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::read::Problem;
use crate::write::Layout;
use crate::{
    Assignment, Card, CardCoverage, Configuration, DroppedCalls, FunctionRow, Graph, Members, Narration,
    NarratorAnswer, NarratorRequest, Organization, PlanDeclarations, ProseEntry, Registers, ResyncReport,
    RunRecord, RunReport, ScanCoverage, Skeleton, SkillCoverage, UserConfiguration,
};

/// A file with a schema of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each variant has the name of the type that holds the file")]
pub enum Kind {
    Configuration,
    UserConfiguration,
    Graph,
    FunctionRow,
    DroppedCalls,
    ScanCoverage,
    Card,
    CardCoverage,
    Skeleton,
    Assignment,
    Organization,
    Members,
    NarratorRequest,
    NarratorAnswer,
    ProseEntry,
    Narration,
    Registers,
    RunRecord,
    RunReport,
    PlanDeclarations,
    ResyncReport,
    SkillCoverage,
}

/// The notation a file is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
    /// Comma-separated values; the schema describes one record.
    Csv,
}

impl Kind {
    /// Every kind, in the order of the pipeline.
    pub const ALL: [Kind; 22] = [
        Kind::Configuration,
        Kind::UserConfiguration,
        Kind::Graph,
        Kind::FunctionRow,
        Kind::DroppedCalls,
        Kind::ScanCoverage,
        Kind::Card,
        Kind::CardCoverage,
        Kind::Skeleton,
        Kind::Assignment,
        Kind::Organization,
        Kind::Members,
        Kind::NarratorRequest,
        Kind::NarratorAnswer,
        Kind::ProseEntry,
        Kind::Narration,
        Kind::Registers,
        Kind::RunRecord,
        Kind::RunReport,
        Kind::PlanDeclarations,
        Kind::ResyncReport,
        Kind::SkillCoverage,
    ];

    /// The name `bindery schema` takes.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Configuration => "configuration",
            Kind::UserConfiguration => "user-configuration",
            Kind::Graph => "graph",
            Kind::FunctionRow => "functions",
            Kind::DroppedCalls => "dropped-calls",
            Kind::ScanCoverage => "scan-coverage",
            Kind::Card => "card",
            Kind::CardCoverage => "card-coverage",
            Kind::Skeleton => "skeleton",
            Kind::Assignment => "assignment",
            Kind::Organization => "organization",
            Kind::Members => "members",
            Kind::NarratorRequest => "narrator-request",
            Kind::NarratorAnswer => "narrator-answer",
            Kind::ProseEntry => "prose",
            Kind::Narration => "narration",
            Kind::Registers => "registers",
            Kind::RunRecord => "run",
            Kind::RunReport => "run-report",
            Kind::PlanDeclarations => "plan-declarations",
            Kind::ResyncReport => "resync-report",
            Kind::SkillCoverage => "skill-coverage",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The notation its files are written in.
    pub fn syntax(self) -> Syntax {
        match self {
            Kind::Configuration | Kind::UserConfiguration => Syntax::Toml,
            Kind::Skeleton | Kind::Organization => Syntax::Yaml,
            Kind::FunctionRow => Syntax::Csv,
            _ => Syntax::Json,
        }
    }

    /// The JSON Schema (draft 2020-12) of its files.
    pub fn schema(self) -> Value {
        let schema = match self {
            Kind::Configuration => schema_of::<Configuration>(),
            Kind::UserConfiguration => schema_of::<UserConfiguration>(),
            Kind::Graph => schema_of::<Graph<'static>>(),
            Kind::FunctionRow => schema_of::<FunctionRow<'static>>(),
            Kind::DroppedCalls => schema_of::<DroppedCalls<'static>>(),
            Kind::ScanCoverage => schema_of::<ScanCoverage>(),
            Kind::Card => schema_of::<Card>(),
            Kind::CardCoverage => schema_of::<CardCoverage>(),
            Kind::Skeleton => schema_of::<Skeleton>(),
            Kind::Assignment => schema_of::<Assignment>(),
            Kind::Organization => schema_of::<Organization>(),
            Kind::Members => schema_of::<Members>(),
            Kind::NarratorRequest => schema_of::<NarratorRequest>(),
            Kind::NarratorAnswer => schema_of::<NarratorAnswer>(),
            Kind::ProseEntry => schema_of::<ProseEntry>(),
            Kind::Narration => schema_of::<Narration>(),
            Kind::Registers => schema_of::<Registers>(),
            Kind::RunRecord => schema_of::<RunRecord>(),
            Kind::RunReport => schema_of::<RunReport>(),
            Kind::PlanDeclarations => schema_of::<PlanDeclarations>(),
            Kind::ResyncReport => schema_of::<ResyncReport>(),
            Kind::SkillCoverage => schema_of::<SkillCoverage>(),
        };
        schema.to_value()
    }
}

fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}

/// The schema `bindery schema NAME` prints; none for a name that is no kind's.
pub fn schema(name: &str) -> Option<Value> {
    Kind::from_name(name).map(Kind::schema)
}

/// The names [`schema`] knows, sorted.
pub static SCHEMA_NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut names: Vec<_> = Kind::ALL.into_iter().map(Kind::name).collect();
    names.sort_unstable();
    names
});

/// A type that is a whole file.
pub trait Artifact: Serialize + DeserializeOwned + JsonSchema {
    /// Which file.
    const KIND: Kind;
    /// How its text is spread over lines.
    const LAYOUT: Layout;

    /// What is wrong with a value that fits its schema: JSON pointers and problems.
    fn problems(&self) -> Vec<(String, Problem)> {
        Vec::new()
    }
}

const ROWS: Layout = Layout::Rows(&Layout::Line);
const FLAT: Layout = Layout::Fields(&[]);

macro_rules! artifacts {
    ($($type:ty => $kind:ident, $layout:expr $(, checked by $check:path)?;)*) => {
        $(impl Artifact for $type {
            const KIND: Kind = Kind::$kind;
            const LAYOUT: Layout = $layout;

            $(fn problems(&self) -> Vec<(String, Problem)> {
                $check(self)
            })?
        })*
    };
}

artifacts! {
    Configuration => Configuration, FLAT, checked by Configuration::wrong_values;
    UserConfiguration => UserConfiguration, FLAT, checked by UserConfiguration::wrong_values;
    NarratorRequest => NarratorRequest, Layout::Line;
    NarratorAnswer => NarratorAnswer, Layout::Line;
    ProseEntry => ProseEntry, Layout::Line, checked by ProseEntry::wrong_values;
    Graph<'static> => Graph, Layout::Fields(&[
        ("metadata", Layout::Fields(&[("scannedFiles", ROWS), ("unparsedFiles", ROWS)])),
        ("nodes", ROWS),
        ("edges", ROWS),
        ("selfAttrs", ROWS),
        ("types", ROWS),
    ]);
    DroppedCalls<'static> => DroppedCalls, Layout::Fields(&[
        ("metadata", FLAT),
        ("edgesByCategory", Layout::Rows(&ROWS)),
    ]);
    ScanCoverage => ScanCoverage, Layout::Fields(&[("metadata", FLAT), ("files", ROWS)]);
    Card => Card, Layout::Fields(&[("functions", ROWS)]);
    CardCoverage => CardCoverage, Layout::Fields(&[("missing", ROWS)]);
    Skeleton => Skeleton, Layout::Fields(&[
        ("metadata", FLAT),
        ("order", ROWS),
        ("stages", Layout::Rows(&FLAT)),
    ]), checked by Skeleton::wrong_references;
    Assignment => Assignment, Layout::Fields(&[
        ("fileStage", ROWS),
        ("buckets", Layout::Rows(&ROWS)),
        ("coverage", Layout::Fields(&[("unassigned", ROWS)])),
    ]);
    Organization => Organization, Layout::Fields(&[
        ("stages", Layout::Rows(&Layout::Fields(&[
            ("groups", Layout::Rows(&Layout::Fields(&[("files", ROWS)]))),
            ("orderedFiles", ROWS),
        ]))),
    ]);
    Members => Members, Layout::Fields(&[
        ("functionStage", ROWS),
        ("buckets", Layout::Rows(&ROWS)),
        ("coverage", Layout::Fields(&[("unassigned", ROWS)])),
    ]);
    Narration => Narration, Layout::Fields(&[("stageSummaries", ROWS)]);
    Registers => Registers, Layout::Fields(&[
        ("registers", Layout::Rows(&Layout::Fields(&[("reads", ROWS), ("writes", ROWS)]))),
    ]);
    RunRecord => RunRecord, FLAT;
    RunReport => RunReport, Layout::Fields(&[
        ("files", FLAT),
        ("queries", ROWS),
        ("prose", Layout::Fields(&[("missing", ROWS)])),
        ("microseconds", ROWS),
        ("recomputed", ROWS),
    ]);
    PlanDeclarations => PlanDeclarations, FLAT;
    ResyncReport => ResyncReport, Layout::Fields(&[
        ("changedFiles", ROWS),
        ("addedFiles", ROWS),
        ("deletedFiles", ROWS),
        ("affectedStages", ROWS),
        ("cardsRegenerated", ROWS),
    ]);
    SkillCoverage => SkillCoverage, Layout::Fields(&[("files", ROWS)]);
}
