//! The agent index: tables that locate, for readers that search with `grep` and read single lines.
//!
//! The pages for people explain; these files say where things are, one fact a line, complete in
//! itself, so that a cut-off answer is still an answer. Fields are escaped by the sink of the format, and
//! every text that the repository worded is capped: agents read these lines, and the repository is
//! not the one to instruct them. What a table does not hold, its head says.
//!
//! The two large tables are put together from the rows of all files, or, after a small change, from the
//! table as it was and the rows of the files the change reached ([`splice`]). Both ways give the same
//! bytes, because rows are sorted by their bytes and say nothing of how they came.
//!
//! Start reading at [`symbol_rows`] and [`call_rows`].

mod calls;
mod cells;
mod files;
mod history;
mod index;
mod siblings;
mod splice;
mod stage;
mod symbols;
#[cfg(test)]
mod tests;

pub use calls::{CALLS_HEAD, CalleeLines, MovedCallees, call_rows};
pub use cells::{MOST_NAME, MOST_TEXT, escaped_path};
pub use files::{AgentFile, FILES_HEAD, files_table};
pub use history::{CoChange, CoChanges, HistoryDepth, LEAST_SUPPORT};
pub use index::{
    AgentIndex, AgentRegister, AgentStage, Everything, LanguageCoverage, agent_index, render_agent_index,
};
pub use siblings::{Package, SiblingCallers, sibling_callers};
pub use splice::{Fate, splice, table};
pub use stage::render_agent_stage;
pub use symbols::{SYMBOLS_HEAD, SymbolFile, symbol_path, symbol_rows};

/// What stands for the stage of a file that has none.
pub const NO_STAGE: &str = "unassigned";
