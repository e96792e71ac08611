use std::collections::BTreeSet;

use super::{AGENT_FILES, Finding, Rule, Texts};
use crate::agent::{AgentIndex, HistoryDepth, render_agent_index, render_agent_stage};
use crate::pages::{STAMP_FIELD, StagePage};

/// The agent index below `directory`: all of it is there, tables have their form, pages quote in fences.
pub(super) fn check(texts: &Texts<'_>, directory: &str, findings: &mut Vec<Finding>) {
    let below: Vec<&str> = texts.keys().copied().filter(|path| path.starts_with(directory)).collect();
    if below.is_empty() {
        return;
    }
    let names = AGENT_FILES.iter().map(|(name, _)| *name).chain(["index.md"]);
    for name in names {
        let path = format!("{directory}{name}");
        if !texts.contains_key(path.as_str()) {
            findings.push(Finding::new(
                Rule::AgentComplete,
                &path,
                None,
                "is not there, unlike others of its kind",
            ));
        }
    }
    for (name, head) in AGENT_FILES {
        let path = format!("{directory}{name}");
        if let Some(text) = texts.get(path.as_str()) {
            check_table(&path, name, head, text, findings);
        }
    }
    let known = known_lines();
    for path in below.into_iter().filter(|path| path.ends_with(".md")) {
        check_page(path, texts[path], &known, findings);
    }
}

fn check_table(path: &str, name: &str, head: &str, text: &str, findings: &mut Vec<Finding>) {
    let mut find = |line: usize, message: String| {
        findings.push(Finding::new(Rule::TableForm, path, Some(line as u32), message));
    };
    let columns = head.lines().next().unwrap_or_default().split('\t').count();
    let first = text.lines().next().unwrap_or_default();
    if first != head.lines().next().unwrap_or_default() {
        find(1, "is not the head of this table".to_owned());
    }
    let mut before: Option<&str> = None;
    for (at, row) in text.lines().enumerate().skip_while(|(_, row)| row.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        if fields.len() != columns {
            find(at + 1, format!("has {} fields instead of {columns}", fields.len()));
        } else if let Some(problem) = field_problem(name, &fields) {
            find(at + 1, problem.to_owned());
        }
        if before.is_some_and(|before| before >= row) {
            find(at + 1, "does not come after the row before it".to_owned());
        }
        before = Some(row);
    }
}

fn field_problem(name: &str, fields: &[&str]) -> Option<&'static str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let lines = |place: &str| place.rsplit_once(':').map(|(_, lines)| lines.to_owned());
    let is_line = |place: &str| lines(place).is_some_and(|line| is_number(&line));
    let is_span = |place: &str| {
        lines(place).is_some_and(|lines| {
            lines.split_once('-').is_some_and(|(first, last)| is_number(first) && is_number(last))
        })
    };
    match name {
        "symbols.tsv" if !is_span(fields[1]) => Some("has no path:firstLine-lastLine"),
        "symbols.tsv" if !is_number(fields[4]) => Some("has no number of callers"),
        "symbols.tsv" if !is_kind(fields[2]) => Some("has a kind that there is not"),
        "files.tsv" if !is_number(fields[3]) => Some("has no number of symbols"),
        "calls.tsv" if !is_line(fields[1]) => Some("has no path:line of the caller"),
        "calls.tsv" if !fields[3].starts_with("boundary:") && !is_line(fields[3]) => {
            Some("has neither path:line nor boundary: of the callee")
        }
        _ => None,
    }
}

fn is_kind(kind: &str) -> bool {
    const TYPES: [&str; 8] = ["class", "interface", "struct", "record", "enum", "trait", "alias", "other"];
    matches!(kind, "fn" | "class-derived")
        || kind.strip_prefix("type:").is_some_and(|word| TYPES.contains(&word))
}

/// What stands outside fences on a page for agents is ours, word for word, but for numbers and link targets.
fn check_page(path: &str, text: &str, known: &BTreeSet<String>, findings: &mut Vec<Finding>) {
    for (line, shape) in own_lines(text) {
        if !known.contains(&shape) {
            findings.push(Finding::new(
                Rule::QuotedData,
                path,
                Some(line),
                "stands outside a fence and is not ours",
            ));
        }
    }
}

/// The lines outside fences with their numbers, in a form without numbers and link targets.
fn own_lines(text: &str) -> Vec<(u32, String)> {
    let mut lines = Vec::new();
    let mut fence: Option<usize> = None;
    for (at, line) in text.lines().enumerate() {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            Some(open) if ticks >= open && ticks == line.len() => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(ticks),
            None => lines.push((at as u32 + 1, shape(line))),
        }
    }
    lines
}

fn shape(line: &str) -> String {
    if line.starts_with(STAMP_FIELD) {
        return STAMP_FIELD.to_owned();
    }
    let mut shape = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        shape.push_str(before);
        shape.push_str("](");
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    shape.push_str(rest);
    let mut folded = String::new();
    for c in shape.chars() {
        match c.is_ascii_digit() {
            true if folded.ends_with('0') => {}
            true => folded.push('0'),
            false => folded.push(c),
        }
    }
    folded
}

/// Every line that pages for agents have outside their fences.
fn known_lines() -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let depths = [HistoryDepth::None, HistoryDepth::Shallow, HistoryDepth::Full];
    for history in depths {
        for has_pages in [false, true] {
            let index = AgentIndex {
                name: String::new(),
                stages: Vec::new(),
                registers: Vec::new(),
                languages: Vec::new(),
                unread: Vec::new(),
                unread_count: 0,
                history,
                has_pages,
            };
            let stage = render_agent_stage(&empty_stage(), has_pages.then_some("a.md"), &[], history);
            for page in [render_agent_index(&index), stage] {
                known.extend(own_lines(&page).into_iter().map(|(_, line)| line));
            }
        }
    }
    known
}

fn empty_stage() -> StagePage {
    StagePage {
        id: String::new(),
        page: String::new(),
        title: String::new(),
        above: Vec::new(),
        crosscut: false,
        description: String::new(),
        summary: String::new(),
        substages: Vec::new(),
        groups: Vec::new(),
        registers: Vec::new(),
        next: None,
        link_template: String::new(),
    }
}
