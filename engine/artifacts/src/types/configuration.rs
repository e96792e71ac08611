use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::{Finding, Located, Problem, read};

/// The placeholders a link template may hold.
pub const LINK_PLACEHOLDERS: [&str; 3] = ["{path}", "{line}", "{end_line}"];

/// `bindery.toml`: everything that changes what is written. Every key may be left out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Configuration {
    /// What the repository is called in the handbook. Without it: the root manifest's package name,
    /// else the root README's first heading, else `repository`.
    pub name: Option<String>,
    /// The directory the handbook is written to, relative to the root and below it. Without it:
    /// `handbook/` in the work directory, which is not committed.
    pub out: Option<String>,
    /// The forms of the handbook.
    pub formats: Vec<Format>,
    /// How much each card tells.
    pub depth: Depth,
    /// Whether stages own files or functions.
    pub strategy: Strategy,
    /// The path of a committed skeleton, which is then read and never written.
    pub skeleton: Option<String>,
    /// The path of the committed file that keeps prose written by a model.
    pub prose: Option<String>,
    /// The narrator by name. What a name other than `extractive` stands for is said by the user's own
    /// configuration, never here.
    pub narrator: String,
    /// Whether git history is used (co-change pairs). Without it: only when the handbook is not committed.
    pub history: Option<bool>,
    /// Globs that bring back files left out by default (vendored, generated).
    pub include: Vec<String>,
    /// Globs of files to leave out.
    pub exclude: Vec<String>,
    /// Which files are looked at.
    pub files: FileSet,
    /// Limits beyond which a file is listed instead of parsed.
    pub limits: Limits,
    /// The target of links into source files, with the placeholders `{path}`, `{line}` and `{end_line}`.
    /// Without it: the relative path of the file.
    pub link_template: Option<String>,
    /// The versions of Bindery that may write this handbook, as a Cargo version requirement.
    pub required_version: Option<String>,
    /// Whether the phase artifacts are exported. Without it: `all`, but `none` in hooks, watch and build scripts.
    pub artifacts: Option<ArtifactExport>,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            name: None,
            out: None,
            formats: vec![Format::Markdown],
            depth: Depth::default(),
            strategy: Strategy::default(),
            skeleton: None,
            prose: None,
            narrator: super::EXTRACTIVE.to_owned(),
            history: None,
            include: Vec::new(),
            exclude: Vec::new(),
            files: FileSet::default(),
            limits: Limits::default(),
            link_template: None,
            required_version: None,
            artifacts: None,
        }
    }
}

/// A form of the handbook.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Markdown pages.
    Markdown,
    /// A site of several HTML pages, in `html/`.
    Html,
    /// One HTML page, `handbook.html`.
    HtmlSingle,
    /// Tables in `agent/` that locate symbols, calls and files, for readers that search with `grep`.
    Agent,
}

/// How much a card tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// Purpose, role and lifecycle, and the functions with their callers.
    #[default]
    Brief,
    /// A description, and prose for each function, too.
    Deep,
}

/// What stages own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Files.
    #[default]
    File,
    /// Functions; needs a `skeleton`.
    Member,
}

/// Which files are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileSet {
    /// All that no ignore rule excludes.
    #[default]
    All,
    /// Only those in the git index.
    Tracked,
}

/// Whether the phase artifacts are exported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArtifactExport {
    /// All of them.
    All,
    /// None; those of an earlier run stay and are marked stale.
    None,
}

/// Counts beyond which a file is listed instead of parsed. A limit that is left out has its built-in value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a file.
    pub file_bytes: Option<NonZeroU64>,
    /// Nesting of brackets in a file.
    pub bracket_depth: Option<NonZeroU32>,
    /// Live bytes a parse may hold, apart from those the file's size allows.
    pub memory_base: Option<NonZeroU64>,
    /// Live bytes a parse may hold for each byte of the file.
    pub memory_per_byte: Option<NonZeroU64>,
    /// Steps a parse may take, apart from those the file's size allows.
    pub ticks_base: Option<NonZeroU64>,
    /// Steps a parse may take for each 1,024 bytes of the file.
    pub ticks_per_kibibyte: Option<NonZeroU64>,
}

impl Configuration {
    /// Reads `bindery.toml`.
    pub fn read(text: &str) -> Result<Located<Configuration>, Vec<Finding>> {
        read(crate::files::CONFIGURATION, text)
    }

    /// Values that fit the schema but cannot be meant.
    pub(crate) fn wrong_values(&self) -> Vec<(String, Problem)> {
        let mut problems = Vec::new();
        for (key, value) in [("out", &self.out), ("skeleton", &self.skeleton), ("prose", &self.prose)] {
            let wrong = value.as_deref().filter(|path| !is_below_root(path));
            problems.extend(wrong.map(|found| form(key, found, "a relative path to a place below the root")));
        }
        let wrong_link = self.link_template.as_deref().filter(|template| !is_link_template(template));
        problems.extend(wrong_link.map(|found| form("link_template", found, LINK_FORM)));
        let wrong_version =
            self.required_version.as_deref().filter(|required| semver::VersionReq::parse(required).is_err());
        problems.extend(wrong_version.map(|found| form("required_version", found, VERSION_FORM)));
        if self.strategy == Strategy::Member && self.skeleton.is_none() {
            problems.push(form("strategy", "member", "`member` only together with `skeleton`"));
        }
        if let (Some(prose), Some(out)) = (&self.prose, &self.out)
            && is_below(prose, out)
        {
            problems.push(form(
                "prose",
                prose,
                "a path outside of `out`, where only what is written anew may lie",
            ));
        }
        if self.formats.is_empty() {
            problems.push(form("formats", "an empty list", "at least one format"));
        }
        problems
    }
}

const VERSION_FORM: &str = "a version requirement as in `Cargo.toml`, for instance `>=0.1, <0.3`";
const LINK_FORM: &str = "a link that begins with `https://`, `http://` or is relative, holds `{path}`, and no other \
                         placeholders than `{path}`, `{line}` and `{end_line}`";

fn form(key: &str, found: &str, allowed: &str) -> (String, Problem) {
    (format!("/{key}"), Problem::Form { found: found.to_owned(), allowed: allowed.to_owned() })
}

/// Whether a path of the configuration leads to a place below another, however both are spelled.
fn is_below(path: &str, directory: &str) -> bool {
    let folded = |path| bindery_source::RepoPath::join("", path);
    let (Some(path), Some(directory)) = (folded(path), folded(directory)) else { return false };
    path.as_str().strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a path of the configuration stays below the root, names something, and is neither in git's
/// nor in our own directory.
fn is_below_root(path: &str) -> bool {
    let is_absolute = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
    let first = bindery_source::RepoPath::join("", path);
    let is_ours = |path: &bindery_source::RepoPath| {
        let first = path.as_str().split('/').next().unwrap_or_default();
        first.eq_ignore_ascii_case(".git") || first.eq_ignore_ascii_case(".bindery")
    };
    !is_absolute && !path.contains('\\') && first.is_some_and(|path| !is_ours(&path))
}

fn is_link_template(template: &str) -> bool {
    let bare = LINK_PLACEHOLDERS.iter().fold(template.to_owned(), |bare, name| bare.replace(name, ""));
    let has_safe_scheme = ["https://", "http://"].iter().any(|scheme| template.starts_with(scheme));
    let is_relative =
        !template.starts_with("//") && !template.split('/').next().unwrap_or_default().contains(':');
    template.contains("{path}") && !bare.contains(['{', '}']) && (has_safe_scheme || is_relative)
}
