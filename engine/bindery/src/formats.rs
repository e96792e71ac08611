//! The forms of the handbook: which files each has, what they show, how they are rendered.
//!
//! A form is a row of [`FORMS`]. All forms show the same models, so that a further form adds files and no
//! queries. What is rendered again is decided in [`present`](crate::present) from what a file shows.

use bindery_artifacts::Format;
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
}

/// A model among [`Globals`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Global {
    Overview,
    Index,
    Register,
}

impl Global {
    /// All of them.
    pub(crate) const ALL: [Global; 3] = [Global::Overview, Global::Index, Global::Register];

    /// What its digest is filed under; no stage's page is called so.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Global::Overview => "overview.md",
            Global::Index => "index.md",
            Global::Register => "register.md",
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
    pub(crate) render: fn(&StagePage, &LinkTemplates) -> String,
}

/// A form of the handbook.
pub(crate) struct Form {
    pub(crate) format: Format,
    pub(crate) globals: &'static [GlobalOutput],
    pub(crate) stages: &'static [StageOutput],
}

/// Every form, in the order of [`Format`].
pub(crate) const FORMS: [Form; 1] = [Form {
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
    stages: &[StageOutput { directory: "", extension: ".md", render: |page, _| pages::render_stage(page) }],
}];

/// Files that are the same in every handbook, with their texts.
pub(crate) const FIXED: [(&str, &str); 1] =
    // Tells git not to merge or diff what a build writes (handbook §8).
    [(".gitattributes", "* -text -merge linguist-generated\n.bindery-manifest merge=union\n")];

impl StageOutput {
    /// Its path for the stage whose Markdown page is called `page`.
    pub(crate) fn path(&self, page: &str) -> String {
        format!("{}{}{}", self.directory, page.trim_end_matches(".md"), self.extension)
    }
}
