//! What a build did, as the summary of a CI job shows it.

use bindery_artifacts::escape::Markdown;
use bindery_artifacts::{QueryKind, RunReport};

use crate::query::in_words;

/// Pages that are listed with their reasons; the rest is counted. GitHub shows at most 1 MiB of a summary; a row
/// has two paths of at most 4,096 bytes, so this stays below it.
const MOST_ROWS: usize = 100;

/// Markdown: one line that counts, and a table of the pages that were rendered and why. Below 1 MiB.
pub fn summary(report: &RunReport) -> String {
    let computed = |query| report.queries.get(&query).map_or(0, |counts| counts.computed);
    let mut text = Markdown::new();
    text.markup("### Handbook\n\nParsed ").number(computed(QueryKind::Facts));
    text.markup(" of ").number(report.files.selected).markup(" files, resolved ");
    text.number(computed(QueryKind::Resolution)).markup(", rendered ").number(computed(QueryKind::Page));
    text.markup(" pages, wrote ").number(report.pages.written).markup(", removed ");
    text.number(report.pages.removed).markup(".\n");
    let pages: Vec<_> = report.recomputed.iter().filter(|unit| unit.query == QueryKind::Page).collect();
    if pages.is_empty() {
        return text.finish();
    }
    text.markup("\n| page | why | because of |\n|---|---|---|\n");
    for page in pages.iter().take(MOST_ROWS) {
        text.markup("| ").table_code(&page.unit).markup(" | ").text(&in_words(page.reason)).markup(" | ");
        if let Some(path) = &page.because_of {
            text.table_code(path);
        }
        text.markup(" |\n");
    }
    if pages.len() > MOST_ROWS {
        text.markup("\nAnd ").number((pages.len() - MOST_ROWS) as u64).markup(" more.\n");
    }
    text.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindery_artifacts::{Reason, Recomputed};

    #[test]
    fn a_summary_counts_and_gives_reasons() {
        let mut report = RunReport::empty("0.1.0");
        (report.files.selected, report.pages.written) = (7, 2);
        report.queries.entry(QueryKind::Facts).or_default().computed = 1;
        report.queries.entry(QueryKind::Page).or_default().computed = 1;
        report.recomputed = vec![Recomputed {
            query: QueryKind::Page,
            unit: "core.md".to_owned(),
            reason: Reason::FactsChanged,
            because_of: Some("src/a|b.rs".to_owned()),
        }];
        let expected = "### Handbook\n\nParsed 1 of 7 files, resolved 0, rendered 1 pages, wrote 2, removed 0.\n\n\
            | page | why | because of |\n|---|---|---|\n| `core.md` | facts changed | `src/a\\|b.rs` |\n";
        assert_eq!(summary(&report), expected);
    }

    #[test]
    fn a_summary_stays_below_a_mebibyte() {
        let mut report = RunReport::empty("0.1.0");
        let long = "`|".repeat(2_048);
        let page = |at: usize| Recomputed {
            query: QueryKind::Page,
            unit: format!("{at}{long}"),
            reason: Reason::FactsChanged,
            because_of: Some(long.clone()),
        };
        report.recomputed = (0..5_000).map(page).collect();
        let text = summary(&report);
        assert!(text.len() < 1 << 20, "{}", text.len());
        assert!(text.contains("And 4900 more."), "{}", &text[text.len() - 40..]);
    }
}
