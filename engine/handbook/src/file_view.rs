use bindery_facts::FileFacts;
use bindery_graph::Resolution;
use bindery_source::RepoPath;

/// All that is known of one scanned file: where it lies, what it says, and where its calls lead.
///
/// This is what every per-file step of the handbook starts from, the exports of phase 1 as well as
/// cards and registers.
#[derive(Clone, Copy, Debug)]
pub struct FileView<'a> {
    /// Where the file lies.
    pub path: &'a RepoPath,
    /// What it says.
    pub facts: &'a FileFacts,
    /// Where its calls, accesses and supertypes lead.
    pub resolution: &'a Resolution,
}
