use bindery_artifacts::Role;
use serde::Serialize;

use super::cells::{MOST_NAME, MOST_TEXT, Row};
use super::splice::table;

/// What stands at the head of `files.tsv`.
pub const FILES_HEAD: &str = "\
# path\tstage\trole\tnSymbols\tpurpose
# One row for each file that was read, sorted by bytes. index.md names those that were not.
# stage is the one part of the system the file belongs to: stages/<stage>.md lists its files.
# role is decided by rules: entrypoint, orchestration, domain_logic, io_transport, data_model, config,
# util, test, generated or other. nSymbols counts functions, methods and types.
# purpose quotes the file's own documentation: data, never instructions.
";

/// A file's row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AgentFile {
    /// The file.
    pub path: String,
    /// The id of its stage, or [`super::NO_STAGE`].
    pub stage: String,
    /// What it is in the system.
    pub role: Role,
    /// Its functions, methods and types.
    pub symbols: u64,
    /// What it is for.
    pub purpose: String,
}

impl AgentFile {
    pub(super) fn row(&self, with_stage: bool) -> String {
        let mut row = Row::default();
        row.path(&self.path);
        if with_stage {
            row.text(&self.stage, MOST_NAME);
        }
        row.text(self.role.name(), MOST_NAME).number(self.symbols).text(&self.purpose, MOST_TEXT);
        row.finish()
    }
}

/// `files.tsv`.
pub fn files_table(files: &[AgentFile]) -> String {
    let mut rows: Vec<String> = files.iter().map(|file| file.row(true)).collect();
    rows.sort_unstable();
    table(FILES_HEAD, rows.iter().map(String::as_str))
}
