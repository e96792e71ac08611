//! The start page with the stage map, the index, and the table of registers.

use bindery_artifacts::escape::{LinkTarget, Markdown, Mermaid};

use super::model::*;
use super::prose_unit::{push_inline_unit, push_unit};
use super::register_anchor;

/// What stands in front of the stamp in `overview.md`.
pub const STAMP_FIELD: &str = "<!-- bindery:stamp ";
/// What stands behind it.
pub const STAMP_END: &str = " -->";

/// Renders the start page, its stamp field empty.
pub fn render_overview(page: &OverviewPage) -> String {
    let mut out = Markdown::new();
    out.heading(1, &page.name);
    push_unit(&mut out, "system-overview", "", &page.overview);
    out.markup("\n## 🗺️ System overview\n\n");
    let map = stage_map(page);
    out.fenced("mermaid", &map).markup("\n");
    for (at, stage) in page.stages.iter().enumerate() {
        out.number(at as u64 + 1).markup(". ").link(&stage.title, &LinkTarget::path(&stage.page));
        out.markup(if page.crosscut[at] { " (crosscut)\n" } else { "\n" });
    }
    out.markup("\n## See also\n\n- [Index of all stages](index.md)\n");
    if page.has_registers {
        out.markup("- [State registers](register.md)\n");
    }
    out.markup("\n").markup(STAMP_FIELD).markup(STAMP_END).markup("\n");
    out.finish()
}

fn stage_map(page: &OverviewPage) -> String {
    let mut map = Mermaid::new();
    map.markup("flowchart TD\n");
    for (at, stage) in page.stages.iter().enumerate() {
        let (open, close) = if page.crosscut[at] { ("([", "])\n") } else { ("[", "]\n") };
        map.markup("  s").number(at as u64 + 1).markup(open).label(&stage.title).markup(close);
    }
    for tie in &page.ties {
        map.markup("  s")
            .number(u64::from(tie.user) + 1)
            .markup(" --> s")
            .number(u64::from(tie.used) + 1)
            .markup("\n");
    }
    map.finish()
}

/// The page with its stamp filled in; unchanged if it has no stamp field.
pub fn with_stamp(page: &str, stamp: &str) -> String {
    match stamp_range(page) {
        Some(range) => format!("{}{stamp}{}", &page[..range.start], &page[range.end..]),
        None => page.to_owned(),
    }
}

/// The page with its stamp field empty, which is what the stamp is computed from.
pub fn without_stamp(page: &str) -> String {
    with_stamp(page, "")
}

/// The last field counts: text of the repository cannot spell one, and the page ends with ours.
fn stamp_range(page: &str) -> Option<std::ops::Range<usize>> {
    let start = page.rfind(STAMP_FIELD)? + STAMP_FIELD.len();
    Some(start..start + page[start..].find(STAMP_END)?)
}

/// Renders the recursive index of stages.
pub fn render_index(page: &IndexPage) -> String {
    let mut out = Markdown::new();
    out.markup("[Overview](overview.md)\n\n# Index of ").text(&page.name).markup("\n\n");
    for entry in &page.entries {
        out.markup(heading_marks(entry.depth)).link(&entry.link.title, &LinkTarget::path(&entry.link.page));
        out.markup("\n\n");
        if !entry.description.is_empty() {
            out.text(&entry.description).markup(" ");
        }
        out.markup("Files: ").number(entry.files.into());
        out.markup(if entry.crosscut { " · crosscut\n\n" } else { "\n\n" });
    }
    file_list(
        &mut out,
        "## Files without a stage\n\n",
        page.unassigned.iter().map(|file| (file.as_str(), "")),
    );
    let unscanned = page.unscanned.iter().map(|(file, reason)| (file.as_str(), reason.as_str()));
    file_list(&mut out, "## Files that could not be read\n\n", unscanned);
    out.finish()
}

/// Heading depth is tree depth, as far as Markdown goes.
fn heading_marks(depth: u32) -> &'static str {
    match depth {
        0 => "## ",
        1 => "### ",
        2 => "#### ",
        3 => "##### ",
        _ => "###### ",
    }
}

fn file_list<'f>(out: &mut Markdown, heading: &'static str, files: impl Iterator<Item = (&'f str, &'f str)>) {
    let mut is_first = true;
    for (file, reason) in files {
        out.markup(if is_first { heading } else { "" }).markup("- ").code(file);
        if !reason.is_empty() {
            out.markup(" — ").text(reason);
        }
        out.markup("\n");
        is_first = false;
    }
    out.markup(if is_first { "" } else { "\n" });
}

/// Renders the table of registers.
pub fn render_register(page: &RegisterPage) -> String {
    let mut out = Markdown::new();
    out.markup("[Overview](overview.md) · [Index](index.md)\n\n# State registers of ").text(&page.name);
    out.markup("\n\n| State register | Semantics | Stages touched |\n|---|---|---|\n");
    for row in &page.rows {
        out.markup("| <a id=\"")
            .attribute(&register_anchor(&row.id))
            .markup("\"></a>")
            .table_code(&row.id)
            .markup(" | ");
        push_inline_unit(&mut out, "register-semantics", &row.id, &row.semantics);
        out.markup(" | ");
        for (at, stage) in row.stages.iter().enumerate() {
            out.markup(if at > 0 { ", " } else { "" }).link(&stage.title, &LinkTarget::path(&stage.page));
        }
        out.markup(" |\n");
    }
    out.finish()
}
