//! The page of one stage.

use bindery_artifacts::Role;
use bindery_artifacts::escape::{LinkTarget, Markdown};

use super::model::*;
use super::prose_unit::{push_inline_unit, push_unit};

/// Renders the page of one stage.
pub fn render_stage(page: &StagePage) -> String {
    let mut out = Markdown::new();
    breadcrumb(&mut out, page);
    out.heading(1, &page.title);
    if page.crosscut {
        out.markup("*Crosscut: serves many other stages.*\n\n");
    }
    paragraph(&mut out, &page.description);
    push_unit(&mut out, "stage-summary", &page.id, &page.summary);
    out.markup("\n");
    substages(&mut out, page);
    registers(&mut out, page);
    for group in &page.groups {
        group_section(&mut out, group, &page.link_template);
    }
    if let Some(next) = &page.next {
        out.markup("---\n\nNext: ").link(&next.title, &LinkTarget::path(&next.page)).markup("\n");
    }
    out.finish()
}

fn breadcrumb(out: &mut Markdown, page: &StagePage) {
    out.markup("[Overview](overview.md) · [Index](index.md)");
    for link in &page.above {
        out.markup(" · ").link(&link.title, &LinkTarget::path(&link.page));
    }
    out.markup("\n\n");
}

fn paragraph(out: &mut Markdown, text: &str) {
    if !text.trim().is_empty() {
        out.text(text).markup("\n\n");
    }
}

fn substages(out: &mut Markdown, page: &StagePage) {
    if page.substages.is_empty() {
        return;
    }
    out.markup("## Sub-stages\n\n");
    for part in &page.substages {
        out.markup("- ").link(&part.link.title, &LinkTarget::path(&part.link.page));
        if !part.description.is_empty() {
            out.markup(" — ").text(&part.description);
        }
        out.markup("\n");
    }
    out.markup("\n");
}

fn registers(out: &mut Markdown, page: &StagePage) {
    if page.registers.is_empty() {
        return;
    }
    out.markup(
        "## 📊 State registers\n\n| State register | Semantics | Read by | Written by |\n|---|---|---|---|\n",
    );
    for register in &page.registers {
        let target = LinkTarget::path("register.md").with_anchor(&super::register_anchor(&register.id));
        out.markup("| ").code_link(&register.id, &target).markup(" | ");
        push_inline_unit(out, "register-semantics", &register.id, &register.semantics);
        out.markup(" | ");
        table_ids(out, &register.readers);
        out.markup(" | ");
        table_ids(out, &register.writers);
        out.markup(" |\n");
    }
    out.markup("\n");
}

fn table_ids(out: &mut Markdown, ids: &[String]) {
    if ids.is_empty() {
        out.markup("—");
    }
    for (at, id) in ids.iter().enumerate() {
        out.markup(if at > 0 { ", " } else { "" }).table_code(id);
    }
}

fn group_section(out: &mut Markdown, group: &GroupSection, template: &str) {
    out.heading(2, &group.title);
    paragraph(out, &group.summary);
    for card in &group.cards {
        file_card(out, card, template);
    }
}

fn file_card(out: &mut Markdown, card: &FileCard, template: &str) {
    let source = LinkTarget::from_template(template, &card.path, 1, 1);
    anchor(out, &card.anchor);
    out.markup("\n\n### ").code_link(&card.path, &source).markup("\n\n");
    push_unit(out, "purpose", &card.path, &card.purpose);
    out.markup("\n");
    if let Some(description) = &card.description {
        push_unit(out, "description", &card.path, description);
        out.markup("\n");
    }
    out.markup("Role: ").markup(role_words(card.role));
    if card.lifecycle != "none" {
        out.markup(" · Lifecycle: ").text(&card.lifecycle);
    }
    for (at, link) in card.also.iter().enumerate() {
        out.markup(if at == 0 { " · Also used by " } else { ", " });
        out.link(&link.title, &LinkTarget::path(&link.page));
    }
    out.markup("\n\n");
    if let Some(line) = card.first_error {
        out.markup("**Incomplete:** the parser did not understand the file from line ").number(line.into());
        out.markup(" on; what is listed here is real, but something may be missing.\n\n");
    }
    type_list(out, &card.types, template);
    function_list(out, &card.functions, template);
}

/// What a role is called on pages of every form.
pub(crate) fn role_words(role: Role) -> &'static str {
    match role {
        Role::Entrypoint => "entry point",
        Role::Orchestration => "orchestration",
        Role::DomainLogic => "domain logic",
        Role::IoTransport => "input, output and transport",
        Role::DataModel => "data model",
        Role::Config => "configuration",
        Role::Util => "utility",
        Role::Test => "test",
        Role::Generated => "generated",
        Role::Other => "other",
    }
}

/// Anchors are made of letters, digits and `-`, which no escaping changes.
fn anchor(out: &mut Markdown, name: &str) {
    out.markup("<a id=\"").attribute(name).markup("\"></a>");
}

fn lines(out: &mut Markdown, source: &SourceLink, template: &str) {
    let target = LinkTarget::from_template(template, &source.path, source.line, source.end_line);
    let label = match source.line == source.end_line {
        true => format!("line {}", source.line),
        false => format!("lines {}–{}", source.line, source.end_line),
    };
    out.link(&label, &target);
}

fn type_list(out: &mut Markdown, types: &[TypeEntry], template: &str) {
    if types.is_empty() {
        return;
    }
    out.markup("**Types**\n\n");
    for entry in types {
        out.markup("- ");
        anchor(out, &entry.anchor);
        out.code(&entry.qualname).markup(" (").text(&entry.kind).markup(", ");
        lines(out, &entry.source, template);
        out.markup(")");
        if !entry.doc.is_empty() {
            out.markup(" — ").text(&entry.doc);
        }
        out.markup("\n");
    }
    out.markup("\n");
}

fn function_list(out: &mut Markdown, functions: &[FunctionEntry], template: &str) {
    if functions.is_empty() {
        return;
    }
    out.markup("**Functions**\n\n");
    for entry in functions {
        out.markup("- ");
        anchor(out, &entry.anchor);
        out.code(&entry.qualname).markup(" (");
        lines(out, &entry.source, template);
        out.markup(")");
        if !entry.doc.is_empty() {
            out.markup(" — ").text(&entry.doc);
        }
        function_prose(out, entry);
        out.markup("\n  - Signature: ").code(&entry.signature);
        out.markup("\n  - Called by: ");
        let callers = entry.callers.iter();
        listed(out, callers, reference);
        out.markup("\n  - Calls: ");
        listed(out, entry.callees.iter(), |out, callee| match callee {
            CalleeReference::Internal(callee) => reference(out, callee),
            CalleeReference::Boundary(id) => {
                out.code(id);
            }
        });
        out.markup("\n");
    }
    out.markup("\n");
}

/// What a model wrote; what it left empty is left out.
fn function_prose(out: &mut Markdown, entry: &FunctionEntry) {
    let Some(prose) = &entry.prose else { return };
    let units = [
        ("\n  - Purpose: ", "function-purpose", &prose.text.purpose),
        ("\n  - Data flow: ", "function-data-flow", &prose.text.data_flow),
        ("\n  - Relations: ", "function-relations", &prose.text.relations),
    ];
    for (label, kind, text) in units.into_iter().filter(|(_, _, text)| !text.is_empty()) {
        out.markup(label);
        push_inline_unit(out, kind, &prose.id, text);
    }
}

/// An empty list is said, not left out.
fn listed<'i, T: 'i>(
    out: &mut Markdown,
    items: impl Iterator<Item = &'i T>,
    mut push: impl FnMut(&mut Markdown, &T),
) {
    let mut is_first = true;
    for item in items {
        out.markup(if is_first { "" } else { ", " });
        push(out, item);
        is_first = false;
    }
    if is_first {
        out.markup("none found");
    }
}

fn reference(out: &mut Markdown, reference: &LinkedReference) {
    match &reference.place {
        Some((page, anchor)) => out.code_link(&reference.id, &LinkTarget::path(page).with_anchor(anchor)),
        None => out.code(&reference.id),
    };
}
