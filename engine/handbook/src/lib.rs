//! The handbook: from facts and resolved calls to cards, stages, registers, prose and pages.
//!
//! Every step is a pure function with small inputs, so that an engine can redo exactly what a change
//! reaches. In order:
//!
//! 1. [`sketch`] and [`file_state`] reduce one file to the small records that all global steps use.
//! 2. [`card`] describes one file.
//! 3. [`draft_skeleton`] divides the repository into stages; [`normalize_skeleton`] takes a committed
//!    skeleton instead.
//! 4. [`assign_draft`] or [`assign_skeleton`] give every file its stage, [`organize_stage`] orders
//!    the files of one stage, [`registers`] finds state that stages share, [`assign_members`] assigns
//!    functions where asked to.
//! 5. [`stage_summary`] and [`system_overview`] tell what stands in the source.
//! 6. [`pages`] turns all of that into Markdown, page by page.
//!
//! [`skill`] packs the pages for agents, [`validate`] checks what was written.
//! [`agent`] turns them into tables for readers that search.
//! [`phase1`] turns the same views into the call-graph artifacts. This crate must never touch the
//! disk, know salsa or a parser. Start reading at [`FileSketch`].

pub mod agent;
mod assign;
mod calls;
mod card;
mod doctor;
mod draft;
mod file_view;
#[cfg(test)]
mod hostile;
pub mod html;
mod members;
mod model_prose;
mod naming;
mod narrate;
mod order;
mod organize;
pub mod pages;
pub mod phase1;
mod prose;
mod registers;
pub mod request;
mod role;
#[cfg(test)]
mod sample;
mod skeleton;
mod sketch;
pub mod skill;
pub mod validate;

pub use assign::{FileStages, assign_draft, assign_skeleton, assignment_artifact, stage_ties};
pub use calls::{CrossReferences, MODULE_QUALNAME};
pub use card::{card, card_coverage};
pub use doctor::{Ailment, AilmentKind, Diagnosis, MendedText, diagnose, mend_text};
pub use draft::{DirectoryTitle, Draft, draft_skeleton};
pub use file_view::FileView;
pub use members::{Member, assign_members, members_of_file};
pub use model_prose::{FunctionProse, ModelProse};
pub use narrate::{StageStory, narration_artifact, stage_summary, system_overview};
pub use order::components;
pub use organize::{organization_artifact, organize_stage};
pub use prose::NO_DESCRIPTION;
pub use registers::{StateOfFile, registers};
pub use skeleton::{SkeletonProblem, normalize_skeleton};
pub use sketch::{FileSketch, FileState, StateUse, file_state, sketch};
