//! One type per file, with its keys in the order they are written.
//!
//! Every type refuses unknown keys, so that what deserializes also fits its published schema.

mod assignment;
mod card;
mod configuration;
mod coverage;
mod dropped;
mod function_row;
mod graph;
mod identifier;
mod narration;
mod organization;
mod plan;
mod prose;
mod registers;
mod report;
mod resync;
mod skeleton;
mod skill_coverage;
mod user_configuration;
mod version;

pub use assignment::{Assignment, AssignmentCoverage, MemberCoverage, Members, Placement};
pub use card::{Card, CardCoverage, CardFunction, Role};
pub use configuration::{
    ArtifactExport, Configuration, Depth, FileSet, Format, LINK_PLACEHOLDERS, Limits, Strategy,
};
pub use coverage::{CoverageMetadata, FileProblem, ProblemCounts, ProblemKind, ScanCoverage};
pub use dropped::{ByCategory, DropCategory, DroppedCall, DroppedCalls, DroppedMetadata};
pub use function_row::FunctionRow;
pub use graph::{
    AttributeUse, BoundaryKind, BoundaryNode, CallType, Edge, Graph, GraphMetadata, InternalKind,
    InternalNode, Node, TypeKind, TypeNode,
};
pub use identifier::{InvalidIdentifier, RegisterId, StageId};
pub use narration::{Narration, ProseLanguage};
pub use organization::{
    Organization, OrganizedCoverage, OrganizedFile, OrganizedGroup, OrganizedMetadata, OrganizedStage,
};
pub use plan::PlanDeclarations;
pub use prose::{NarratorAnswer, NarratorRequest, ProseEntry, ProseField, ProseKind, ProseTexts};
pub use registers::{Register, Registers, StateUse};
pub use report::{
    ExportState, FileCounts, MissingProse, OutputCounts, Phase, ProseReport, QueryCounts, QueryKind, Reason,
    Recomputed, ReportKind, RunRecord, RunReport,
};
pub use resync::ResyncReport;
pub use skeleton::{DraftedBy, Skeleton, SkeletonMetadata, Stage};
pub use skill_coverage::{CoveredFile, SkillCoverage, SkillSummary};
pub use user_configuration::{EXTRACTIVE, NarratorDeclaration, NarratorKind, UserConfiguration};
pub use version::Version;
