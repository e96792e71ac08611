//! What changed in meaning, as a comment on a pull request shows it.

use bindery_artifacts::escape::Markdown;

use crate::outcome::{Declared, DiffOutcome, Edge};

/// Rows of one list that are shown; the rest is counted.
const MOST_ROWS: usize = 50;

/// Bytes a comment may have: GitHub takes 65,536 characters, and what stands around ours is somebody else's.
const MOST_BYTES: usize = 60_000;

impl DiffOutcome {
    /// Whether nothing changed that anybody could see.
    pub fn is_empty(&self) -> bool {
        *self == DiffOutcome::default()
    }

    /// Markdown: one line that counts, then a collapsible list for each kind of change. At most 60,000 bytes; lists
    /// that no longer fit are left out and said to be.
    pub fn markdown(&self) -> String {
        let mut text = format!("### What changed in meaning\n\n{}\n", self.summary());
        let mut left_out = Vec::new();
        for (title, list) in self.lists() {
            if list.is_empty() {
                continue;
            }
            let section = section(title, &list);
            if text.len() + section.len() > MOST_BYTES {
                left_out.push(title);
            } else {
                text.push_str(&section);
            }
        }
        if !left_out.is_empty() {
            text.push_str(&format!("\nToo long for here: {}.\n", left_out.join(", ")));
        }
        text
    }

    fn summary(&self) -> String {
        if self.is_empty() {
            return "Nothing that a page would show.".to_owned();
        }
        let counts = [
            ("added", self.added.len()),
            ("removed", self.removed.len()),
            ("moved", self.moved.len()),
            ("with another signature", self.changed.len()),
            ("calls gained", self.gained.len()),
            ("calls lost", self.lost.len()),
            ("cycles closed", self.cycles.len()),
            ("stages affected", self.affected.stages.len()),
        ];
        let shown = counts.iter().filter(|(_, count)| *count > 0);
        shown.map(|(what, count)| format!("{what}: {count}")).collect::<Vec<_>>().join(" · ")
    }

    fn lists(&self) -> Vec<(&'static str, Vec<String>)> {
        let moved = self.moved.iter().map(|moved| {
            let mut row = Markdown::new();
            row.code(&moved.before.id).markup(" → ").code(&moved.after.id);
            row.finish()
        });
        let cycles = self.cycles.iter().map(|members| {
            let mut row = Markdown::new();
            for (at, member) in members.iter().enumerate() {
                row.markup(if at > 0 { " ⇄ " } else { "" }).code(member);
            }
            row.finish()
        });
        vec![
            ("Cycles closed", cycles.collect()),
            ("Added", self.added.iter().map(declared).collect()),
            ("Removed", self.removed.iter().map(declared).collect()),
            ("Moved", moved.collect()),
            ("With another signature", self.changed.iter().map(declared).collect()),
            ("Calls gained", self.gained.iter().map(edge).collect()),
            ("Calls lost", self.lost.iter().map(edge).collect()),
            ("Stages affected", self.affected.stages.iter().map(|stage| code(stage)).collect()),
        ]
    }
}

fn section(title: &str, rows: &[String]) -> String {
    let mut text = format!("\n<details><summary>{title} ({})</summary>\n\n", rows.len());
    for row in rows.iter().take(MOST_ROWS) {
        text.push_str(&format!("- {}\n", row.trim_end()));
    }
    if rows.len() > MOST_ROWS {
        text.push_str(&format!("- and {} more\n", rows.len() - MOST_ROWS));
    }
    text + "\n</details>\n"
}

fn code(text: &str) -> String {
    let mut row = Markdown::new();
    row.code(text);
    row.finish()
}

fn declared(declared: &Declared) -> String {
    let mut row = Markdown::new();
    row.text(&declared.kind).markup(" ").code(&declared.id).markup(" (");
    row.code(&format!("{}:{}", declared.file, declared.line)).markup(")");
    row.finish()
}

fn edge(edge: &Edge) -> String {
    let mut row = Markdown::new();
    row.code(&edge.caller).markup(" → ").code(&edge.callee);
    row.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(id: &str) -> Declared {
        Declared {
            id: id.to_owned(),
            kind: "function".to_owned(),
            qualname: id.to_owned(),
            signature: String::new(),
            file: "a.py".to_owned(),
            line: 3,
        }
    }

    #[test]
    fn a_comment_counts_first_and_lists_what_there_is() {
        let outcome = DiffOutcome { added: vec![function("a.f")], ..DiffOutcome::default() };
        let expected = "### What changed in meaning\n\nadded: 1\n\n\
            <details><summary>Added (1)</summary>\n\n- function `a.f` (`a.py:3`)\n\n</details>\n";
        assert_eq!(outcome.markdown(), expected);
        assert!(DiffOutcome::default().markdown().contains("Nothing that a page would show."));
    }

    #[test]
    fn a_comment_stays_within_bounds() {
        let long = "x".repeat(2_000);
        let many: Vec<Declared> = (0..200).map(|at| function(&format!("{long}{at}"))).collect();
        let outcome = DiffOutcome { added: many.clone(), removed: many, ..DiffOutcome::default() };
        let text = outcome.markdown();
        assert!(text.len() <= MOST_BYTES + 200, "{}", text.len());
        assert!(text.ends_with("Too long for here: Added, Removed.\n"), "{}", &text[..200]);
        let short = DiffOutcome {
            added: (0..200).map(|at| function(&format!("f{at}"))).collect(),
            ..DiffOutcome::default()
        };
        assert!(short.markdown().contains("- and 150 more\n"));
    }
}
