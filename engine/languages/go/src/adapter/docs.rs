//! Comments: what documents a declaration, and what says when a file is built.

use bindery_facts::Name;
use bindery_syntax::{NodeIndex, doc_comment::dedented};

use super::kinds::{Kind, Tree};

/// The documentation that the comments `before` give a declaration that begins at byte `start`: those on
/// the lines right above it, without a blank line between (*Go Doc Comments*).
pub(super) fn documentation(tree: &Tree, source: &str, before: &[NodeIndex], start: u32) -> String {
    let mut group: Vec<&str> = Vec::new();
    let mut next = line_start(source, start as usize);
    for comment in before.iter().rev() {
        let place = tree.node(*comment);
        let (from, to) = (place.start as usize, place.end as usize);
        let is_above =
            source.get(to..next).is_some_and(|between| between.trim() == "" && count(between) <= 1);
        let is_alone = source.get(line_start(source, from)..from).is_some_and(|text| text.trim().is_empty());
        if !is_above || !is_alone {
            break;
        }
        group.push(tree.text(*comment, source));
        next = line_start(source, from);
    }
    let lines: Vec<String> = group.iter().rev().filter_map(|text| plain(text)).collect();
    lines.join("\n")
}

fn line_start(source: &str, at: usize) -> usize {
    source.get(..at).and_then(|text| text.rfind('\n')).map_or(0, |feed| feed + 1)
}

fn count(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// A comment's text without its markers; none for directives to tools.
fn plain(comment: &str) -> Option<String> {
    if let Some(line) = comment.strip_prefix("//") {
        return (!is_directive(line)).then(|| line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
    }
    let inside = comment.strip_prefix("/*")?.strip_suffix("*/")?;
    Some(dedented(inside.trim()))
}

/// `//go:noinline`, `//nolint:all`: a word, a colon and no space before either.
fn is_directive(line: &str) -> bool {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let named = line.split_once(':').is_some_and(|(word, rest)| is_word(word) && !rest.starts_with(' '));
    named
        || line.starts_with("line ")
        || line.starts_with("export ")
        || line.starts_with("extern ")
        || line.trim_start().starts_with("+build ")
}

/// The build constraint in the comments before the package clause, as one expression; none if there is
/// none. `//go:build` counts before `// +build`, whose lines are all to hold (*Build constraints*).
pub(super) fn build_constraint(tree: &Tree, source: &str) -> Option<Name> {
    let comments = tree.children(0).take_while(|node| tree.kind(*node) == Kind::Comment);
    let texts: Vec<&str> = comments.map(|node| tree.text(node, source)).collect();
    if let Some(expression) = texts.iter().find_map(|text| text.strip_prefix("//go:build ")) {
        return Some(Name::from(expression.trim()));
    }
    let lines = texts.iter().filter_map(|text| text.strip_prefix("//")?.trim_start().strip_prefix("+build "));
    let lines: Vec<String> = lines.map(old_line).collect();
    (!lines.is_empty()).then(|| Name::from(lines.join(" && ")))
}

/// A `+build` line: options apart by spaces, of which one holds; terms apart by commas, which all hold.
fn old_line(line: &str) -> String {
    let options = line.split_whitespace().map(|option| option.replace(',', " && "));
    let options: Vec<String> = options.map(|option| format!("({option})")).collect();
    format!("({})", options.join(" || "))
}
