use serde::Serialize;

/// What was checked. The word of a rule is its id and never changes its meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Every file is UTF-8 and ends with a line feed.
    Encoding,
    /// No file has characters that cannot be seen or that reorder text.
    HiddenCharacters,
    /// Every link leads to a file.
    LinkTarget,
    /// Every link with an anchor leads to one.
    LinkAnchor,
    /// No place on a page has the same name twice.
    DuplicateId,
    /// What a page loads is there.
    ResourceTarget,
    /// No page loads anything from elsewhere.
    OutsideRequest,
    /// Every HTML page has a policy first, which lets in nothing but its own directory and what it holds.
    ContentPolicy,
    /// No HTML page has a handler, or a script or style that its policy does not name.
    ForeignScript,
    /// The scripts of the search hold data and nothing else.
    SearchForm,
    /// The manifest has one line for each file, with its hash.
    Manifest,
    /// The stamp is the hash over all files.
    Stamp,
    /// `SKILL.md` begins with exactly `name` and `description`.
    Frontmatter,
    /// The description says when to use the package and when not to.
    UseAndNonUse,
    /// The body of `SKILL.md` links `references/index.md`.
    RoutesToIndex,
    /// The body of `SKILL.md` sends the reader on to the source itself.
    RoutesToSource,
    /// The pages that every package has are there.
    PagesPresent,
    /// The index links every stage's page.
    IndexLinksStages,
    /// `coverage.json` is what its schema says.
    CoverageForm,
    /// No path is in `coverage.json` twice.
    CoverageUnique,
    /// The hashes in `coverage.json` are those of the source.
    SourceHash,
    /// An agent index has its page and all its tables, or is not there.
    AgentComplete,
    /// A table has its head, its columns in every row, sorted rows, and locations where they belong.
    TableForm,
    /// Pages for agents quote the repository in fences only.
    QuotedData,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 24] = [
        Rule::Encoding,
        Rule::HiddenCharacters,
        Rule::LinkTarget,
        Rule::LinkAnchor,
        Rule::DuplicateId,
        Rule::ResourceTarget,
        Rule::OutsideRequest,
        Rule::ContentPolicy,
        Rule::ForeignScript,
        Rule::SearchForm,
        Rule::Manifest,
        Rule::Stamp,
        Rule::Frontmatter,
        Rule::UseAndNonUse,
        Rule::RoutesToIndex,
        Rule::RoutesToSource,
        Rule::PagesPresent,
        Rule::IndexLinksStages,
        Rule::CoverageForm,
        Rule::CoverageUnique,
        Rule::SourceHash,
        Rule::AgentComplete,
        Rule::TableForm,
        Rule::QuotedData,
    ];

    /// Its id.
    pub fn id(self) -> &'static str {
        match self {
            Rule::Encoding => "encoding",
            Rule::HiddenCharacters => "hidden-characters",
            Rule::LinkTarget => "link-target",
            Rule::LinkAnchor => "link-anchor",
            Rule::DuplicateId => "duplicate-id",
            Rule::ResourceTarget => "resource-target",
            Rule::OutsideRequest => "outside-request",
            Rule::ContentPolicy => "content-policy",
            Rule::ForeignScript => "foreign-script",
            Rule::SearchForm => "search-form",
            Rule::Manifest => "manifest",
            Rule::Stamp => "stamp",
            Rule::Frontmatter => "frontmatter",
            Rule::UseAndNonUse => "use-and-non-use",
            Rule::RoutesToIndex => "routes-to-index",
            Rule::RoutesToSource => "routes-to-source",
            Rule::PagesPresent => "pages-present",
            Rule::IndexLinksStages => "index-links-stages",
            Rule::CoverageForm => "coverage-form",
            Rule::CoverageUnique => "coverage-unique",
            Rule::SourceHash => "source-hash",
            Rule::AgentComplete => "agent-complete",
            Rule::TableForm => "table-form",
            Rule::QuotedData => "quoted-data",
        }
    }

    /// What must hold, in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Rule::Encoding => "Every file is UTF-8 text that ends with a line feed.",
            Rule::HiddenCharacters => "No file has characters that cannot be seen or that reorder text.",
            Rule::LinkTarget => "Every link leads to a file.",
            Rule::LinkAnchor => "Every link with an anchor leads to one.",
            Rule::DuplicateId => "No place on a page has the same name twice.",
            Rule::ResourceTarget => "What a page loads is there.",
            Rule::OutsideRequest => "No page loads anything from elsewhere.",
            Rule::ContentPolicy => {
                "Every HTML page has a policy first, which lets in nothing but its own directory and what it holds."
            }
            Rule::ForeignScript => {
                "No HTML page has a handler, or a script or style that its policy does not name."
            }
            Rule::SearchForm => "The scripts of the search hold data and nothing else.",
            Rule::Manifest => "The manifest has one line for each file, with its hash.",
            Rule::Stamp => "The stamp is the hash over all files, each without its stamp.",
            Rule::Frontmatter => "SKILL.md begins with exactly `name` and `description`.",
            Rule::UseAndNonUse => "The description says when to use the package and when not to.",
            Rule::RoutesToIndex => "The body of SKILL.md links references/index.md.",
            Rule::RoutesToSource => "The body of SKILL.md sends the reader on to the source itself.",
            Rule::PagesPresent => "Overview, index, registers and stage pages are there.",
            Rule::IndexLinksStages => "The index links every stage's page.",
            Rule::CoverageForm => "coverage.json has the form its schema says.",
            Rule::CoverageUnique => "No path is in coverage.json twice.",
            Rule::SourceHash => "The hashes in coverage.json are those of the source.",
            Rule::AgentComplete => "An agent index has its page and all its tables, or is not there.",
            Rule::TableForm => {
                "A table has its head, its columns in every row, sorted rows, and locations where they belong."
            }
            Rule::QuotedData => "Pages for agents quote the repository in fences only.",
        }
    }
}

/// Something that does not hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Finding {
    /// The file, below the checked directory.
    pub file: String,
    /// The line, from 1; none where the whole file is meant.
    pub line: Option<u32>,
    /// The rule.
    pub rule: Rule,
    /// What is wrong.
    pub message: String,
}

impl Finding {
    pub(super) fn new(rule: Rule, file: &str, line: Option<u32>, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, rule, message: message.into() }
    }
}
