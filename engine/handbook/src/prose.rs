//! The extractive narrator's raw material: sentences that stand in the source.
//!
//! Offline, deterministic, without a model: every sentence is taken from a doc comment or composed
//! from names and counts. Where the source says nothing, the text says so.

use bindery_facts::{Decl, DeclText, FileFacts, Visibility};
use bindery_source::RepoPath;

use crate::naming;

/// What stands where the source does not describe something.
pub const NO_DESCRIPTION: &str = "No description in the source.";

/// A sentence is cut behind this many characters.
const LONGEST_SENTENCE: usize = 240;

/// What a file says it is for: its own doc comment, else that of its main declaration.
pub(crate) fn file_purpose(path: &RepoPath, facts: &FileFacts) -> Option<String> {
    let own = facts.doc.as_deref().map(plain_text).filter(|text| !text.is_empty());
    own.or_else(|| {
        main_declaration(path, facts)?.doc.as_deref().map(plain_text).filter(|text| !text.is_empty())
    })
}

/// The declaration a file is about: the type named like the file, else its only public type, else
/// its only public function.
fn main_declaration<'f>(path: &RepoPath, facts: &'f FileFacts) -> Option<&'f DeclText> {
    let top = || facts.summary.decls.iter().zip(&facts.texts).filter(|(decl, _)| decl.owner.is_empty());
    let types = || top().filter(|(decl, _)| decl.kind.type_kind().is_some());
    let file_words = naming::words(path.file_name().split('.').next().unwrap_or(""));
    let only = |mut found: Vec<(&'f Decl, &'f DeclText)>| if found.len() == 1 { found.pop() } else { None };
    let is_public = |(decl, _): &(&Decl, &DeclText)| decl.visibility != Visibility::Private;
    types()
        .find(|(decl, _)| naming::words(&decl.name) == file_words)
        .or_else(|| only(types().filter(is_public).collect()))
        .or_else(|| only(top().filter(|(decl, _)| decl.kind.is_callable()).filter(is_public).collect()))
        .map(|(_, text)| text)
}

/// The first sentence of a text, with a full stop, at most so long that it stays one line of a table.
pub(crate) fn first_sentence(text: &str) -> String {
    let end = sentence_end(text).unwrap_or(text.len());
    let sentence = text[..end].trim();
    if sentence.chars().count() > LONGEST_SENTENCE {
        let cut: String = sentence.chars().take(LONGEST_SENTENCE).collect();
        let kept = cut.rsplit_once(' ').map_or(cut.as_str(), |(kept, _)| kept);
        return format!("{}…", kept.trim_end_matches([',', ';', ':']));
    }
    match sentence.chars().last() {
        Some('.' | '!' | '?' | '…' | '。') | None => sentence.to_owned(),
        Some(':') => format!("{}.", sentence.trim_end_matches(':')),
        Some(_) => format!("{sentence}."),
    }
}

/// Where the first sentence ends: behind a full stop that white space follows and that does not
/// belong to an abbreviation.
fn sentence_end(text: &str) -> Option<usize> {
    const ABBREVIATIONS: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "incl"];
    text.match_indices(['.', '!', '?', '。']).find_map(|(at, mark)| {
        let before = text[..at].rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
        let ends_word =
            text[at + mark.len()..].chars().next().is_none_or(char::is_whitespace) || mark == "。";
        let is_abbreviation = ABBREVIATIONS.iter().any(|short| short.eq_ignore_ascii_case(before));
        let is_initial = before.chars().count() == 1 && before.chars().all(char::is_alphabetic);
        (ends_word && !is_abbreviation && !is_initial).then_some(at + mark.len())
    })
}

/// A doc comment's first paragraphs as running text: Markdown and reST markup taken off, since it
/// would be shown as it is written. Headings and underlines are left out, links keep their text.
pub(crate) fn plain_text(doc: &str) -> String {
    let mut text = String::with_capacity(doc.len());
    for line in doc.lines().map(str::trim) {
        if is_code_fence(line) {
            break;
        }
        let line = line.trim_start_matches(['#', '>']).trim_start();
        let is_rule = !line.is_empty() && line.chars().all(|c| "=-~*_^\"`".contains(c));
        if is_rule || line.starts_with(".. ") || line.starts_with("[!") || line.starts_with("![") {
            continue;
        }
        if !text.is_empty() && !line.is_empty() {
            text.push(' ');
        }
        push_without_markup(line, &mut text);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_code_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Appends a line without backticks, `**` and link targets.
fn push_without_markup(line: &str, text: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['`', '*', ']']) {
        text.push_str(&rest[..at]);
        let mark = &rest[at..=at];
        rest = &rest[at + 1..];
        match mark {
            "*" if !rest.starts_with('*') => text.push('*'),
            "*" => rest = &rest[1..],
            "]" => rest = close_link(rest, text),
            _ => {}
        }
    }
    text.push_str(rest);
}

/// Behind a `]`: if it closes a link, takes off the target and the opening bracket.
fn close_link<'l>(rest: &'l str, text: &mut String) -> &'l str {
    let Some(open) = text.rfind('[') else {
        text.push(']');
        return rest;
    };
    let target_end = match rest.chars().next() {
        Some('(') => rest.find(')'),
        Some('[') => rest.find(']'),
        _ => None,
    };
    text.remove(open);
    target_end.map_or(rest, |end| &rest[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sentences_survive_abbreviations_and_versions() {
        assert_eq!(first_sentence("Runs tasks, e.g. timers. Then stops."), "Runs tasks, e.g. timers.");
        assert_eq!(first_sentence("Since 1.2 only"), "Since 1.2 only.");
        assert_eq!(first_sentence("Options are:"), "Options are.");
        assert_eq!(first_sentence(""), "");
        let long = first_sentence(&"word ".repeat(100));
        assert!(long.ends_with("word…") && long.chars().count() <= LONGEST_SENTENCE);
    }

    #[test]
    fn markup_is_taken_off() {
        assert_eq!(
            plain_text("# Title\n\nSee [`Foo`](crate::Foo) and [bar][b], **now**."),
            "Title See Foo and bar, now."
        );
        assert_eq!(plain_text("Title\n=====\nText *here* a[0]."), "Title Text *here* a0.");
        assert_eq!(plain_text("Use:\n```\ncode\n```"), "Use:");
        assert_eq!(plain_text("a ] b"), "a ] b");
    }
}
