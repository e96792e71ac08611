//! The forms of the handbook: which files each has, what they show, how they are rendered.
//!
//! A form is a row of [`FORMS`]. All forms show the same models, so that a further form adds files and no
//! queries. What is rendered again is decided in [`present`](crate::present) from what a file shows.

use bindery_artifacts::Format;
use bindery_handbook::agent::{self, AgentFile, AgentIndex, CoChange, HistoryDepth};
use bindery_handbook::html;
use bindery_handbook::pages::{self, IndexPage, OverviewPage, RegisterPage, StagePage};

/// How links to source files are spelled, which depends on where a page lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LinkTemplates {
    /// The configured template, for all pages.
    pub(crate) configured: Option<String>,
    /// The handbook's directory, relative to the root.
    pub(crate) handbook: String,
}

impl LinkTemplates {
    /// The template for pages in a directory of the handbook; empty for the handbook's own.
    pub(crate) fn below(&self, directory: &str) -> String {
        let relative = || pages::default_link_template(&format!("{}/{directory}", self.handbook));
        self.configured.clone().unwrap_or_else(relative)
    }
}

/// The models of the pages about everything.
pub(crate) struct Globals {
    pub(crate) overview: OverviewPage,
    pub(crate) index: IndexPage,
    /// None if there are no registers.
    pub(crate) register: Option<RegisterPage>,
    /// Those of the agent index; none if that is not wanted.
    pub(crate) agent: Option<AgentModels>,
}

/// The models of the agent index about everything.
pub(crate) struct AgentModels {
    pub(crate) index: AgentIndex,
    pub(crate) files: Vec<AgentFile>,
}

/// A model among [`Globals`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Global {
    Overview,
    Index,
    Register,
    AgentIndex,
    AgentFiles,
}

impl Global {
    /// All of them.
    pub(crate) const ALL: [Global; 5] =
        [Global::Overview, Global::Index, Global::Register, Global::AgentIndex, Global::AgentFiles];

    /// What its digest is filed under; no stage's page is called so.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Global::Overview => "overview.md",
            Global::Index => "index.md",
            Global::Register => "register.md",
            Global::AgentIndex => "agent/index.md",
            Global::AgentFiles => "agent/files.tsv",
        }
    }
}

/// A file about everything.
pub(crate) struct GlobalOutput {
    pub(crate) path: &'static str,
    /// The models it is rendered from.
    pub(crate) shows: &'static [Global],
    /// Whether it has a field for the stamp.
    pub(crate) is_stamped: bool,
    /// None if there is nothing to show.
    pub(crate) render: fn(&Globals, &LinkTemplates) -> Option<String>,
}

/// A file that each stage with content has.
pub(crate) struct StageOutput {
    /// The directory in the handbook; empty or ending in `/`.
    pub(crate) directory: &'static str,
    /// The extension, with its dot.
    pub(crate) extension: &'static str,
    /// Whether it shows what git's history says of the stage's files.
    pub(crate) shows_history: bool,
    pub(crate) render: fn(&StagePage, &Beside<'_>) -> String,
}

/// What a stage's file may show besides the model.
pub(crate) struct Beside<'a> {
    /// How links to source files are spelled.
    pub(crate) links: &'a LinkTemplates,
    /// The name of the stage's Markdown page, if there are such.
    pub(crate) page: Option<&'a str>,
    /// How much of git's history is used, and what it says of the stage's files.
    pub(crate) history: HistoryDepth,
    pub(crate) pairs: &'a [CoChange],
}

/// A table that is put together from the rows of all files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Table {
    Symbols,
    Calls,
}

impl Table {
    /// Where it lies.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Table::Symbols => "agent/symbols.tsv",
            Table::Calls => "agent/calls.tsv",
        }
    }
}

/// A file that holds every stage.
pub(crate) struct WholeOutput {
    pub(crate) path: &'static str,
    /// What one stage contributes.
    pub(crate) section: fn(&StagePage, &LinkTemplates) -> String,
    /// The file, given what the stages contribute, in reading order.
    pub(crate) render: fn(&Globals, &[String]) -> String,
}

/// Files with texts of their own.
pub(crate) struct FixedFiles {
    /// The directory in the handbook; empty or ending in `/`.
    pub(crate) directory: &'static str,
    /// Paths in the directory, and texts.
    pub(crate) texts: &'static [(&'static str, &'static str)],
}

/// A form of the handbook.
pub(crate) struct Form {
    pub(crate) format: Format,
    pub(crate) globals: &'static [GlobalOutput],
    pub(crate) stages: &'static [StageOutput],
    pub(crate) wholes: &'static [WholeOutput],
    /// The same in every handbook.
    pub(crate) fixed: FixedFiles,
    pub(crate) tables: &'static [Table],
}

const NO_FILES: FixedFiles = FixedFiles { directory: "", texts: &[] };

/// Every form, in the order of [`Format`].
pub(crate) const FORMS: [Form; 4] = [MARKDOWN, HTML, HTML_SINGLE, AGENT];

const MARKDOWN: Form = Form {
    format: Format::Markdown,
    globals: &[
        GlobalOutput {
            path: "overview.md",
            shows: &[Global::Overview],
            is_stamped: true,
            render: |globals, _| Some(pages::render_overview(&globals.overview)),
        },
        GlobalOutput {
            path: "index.md",
            shows: &[Global::Index],
            is_stamped: false,
            render: |globals, _| Some(pages::render_index(&globals.index)),
        },
        GlobalOutput {
            path: "register.md",
            shows: &[Global::Register],
            is_stamped: false,
            render: |globals, _| globals.register.as_ref().map(pages::render_register),
        },
    ],
    stages: &[StageOutput {
        directory: "",
        extension: ".md",
        shows_history: false,
        render: |page, _| pages::render_stage(page),
    }],
    wholes: &[],
    tables: &[],
    fixed: NO_FILES,
};

const AGENT: Form = Form {
    format: Format::Agent,
    globals: &[
        GlobalOutput {
            path: "agent/index.md",
            shows: &[Global::AgentIndex],
            is_stamped: true,
            render: |globals, _| Some(agent::render_agent_index(&globals.agent.as_ref()?.index)),
        },
        GlobalOutput {
            path: "agent/files.tsv",
            shows: &[Global::AgentFiles],
            is_stamped: false,
            render: |globals, _| Some(agent::files_table(&globals.agent.as_ref()?.files)),
        },
    ],
    stages: &[StageOutput {
        directory: "agent/stages/",
        extension: ".md",
        shows_history: true,
        render: |page, beside| agent::render_agent_stage(page, beside.page, beside.pairs, beside.history),
    }],
    wholes: &[],
    tables: &[Table::Symbols, Table::Calls],
    fixed: NO_FILES,
};

const HTML: Form = Form {
    format: Format::Html,
    globals: &[
        GlobalOutput {
            path: "html/index.html",
            shows: &[Global::Overview, Global::Index],
            is_stamped: false,
            render: |globals, _| Some(html::render_start(&globals.overview, &globals.index)),
        },
        GlobalOutput {
            path: "html/navigation.js",
            shows: &[Global::Index],
            is_stamped: false,
            render: |globals, _| Some(html::navigation(&globals.index)),
        },
        GlobalOutput {
            path: "html/register.html",
            shows: &[Global::Register],
            is_stamped: false,
            render: |globals, _| globals.register.as_ref().map(html::render_register),
        },
    ],
    stages: &[
        StageOutput {
            directory: "html/",
            extension: ".html",
            shows_history: false,
            render: |page, beside| html::render_stage(page, &beside.links.below("html")),
        },
        StageOutput {
            directory: "html/search/",
            extension: ".js",
            shows_history: false,
            render: |page, _| html::search_shard(page),
        },
    ],
    wholes: &[],
    tables: &[],
    fixed: FixedFiles { directory: "html/", texts: html::assets() },
};

const HTML_SINGLE: Form = Form {
    format: Format::HtmlSingle,
    globals: &[],
    stages: &[],
    wholes: &[WholeOutput {
        path: "handbook.html",
        section: |page, links| html::single_section(page, &links.below("")),
        render: |globals, sections| {
            html::render_single(&globals.overview, &globals.index, globals.register.as_ref(), sections)
        },
    }],
    tables: &[],
    fixed: NO_FILES,
};

/// Files that are the same in every handbook of any form, with their texts.
pub(crate) const FIXED: FixedFiles = FixedFiles {
    directory: "",
    // Tells git not to merge or diff what a build writes (handbook §8).
    texts: &[(".gitattributes", "* -text -merge linguist-generated\n.bindery-manifest merge=union\n")],
};

impl FixedFiles {
    /// The files' paths in the handbook, with their texts.
    pub(crate) fn files(&'static self) -> impl Iterator<Item = (String, &'static str)> {
        self.texts.iter().map(|(name, text)| (format!("{}{name}", self.directory), *text))
    }
}

impl StageOutput {
    /// Its path for the stage whose Markdown page is called `page`.
    pub(crate) fn path(&self, page: &str) -> String {
        format!("{}{}{}", self.directory, page.trim_end_matches(".md"), self.extension)
    }
}
