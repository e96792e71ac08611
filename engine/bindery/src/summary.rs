//! What a build did, as the summary of a CI job shows it.

use bindery_artifacts::escape::Markdown;
use bindery_artifacts::wording::counted;
use bindery_artifacts::{QueryKind, Recomputed, RunReport};

use crate::query::in_words;

/// Pages that are listed with their reasons; the rest is counted.
const MOST_ROWS: usize = 100;

/// Bytes of all rows: GitHub shows at most 1 MiB of a summary, and others write into it too.
const MOST_BYTES: usize = 512 << 10;

/// Markdown: one line that counts, and a table of the pages that were rendered and why. Below 1 MiB.
pub fn summary(report: &RunReport) -> String {
    let computed = |query| report.queries.get(&query).map_or(0, |counts| counts.computed);
    let mut text = Markdown::new();
    text.markup("### Handbook\n\nParsed ").number(computed(QueryKind::Facts));
    text.markup(" of ").text(&counted(report.files.selected, "file")).markup(", resolved ");
    text.number(computed(QueryKind::Resolution)).markup(", rendered ");
    text.text(&counted(computed(QueryKind::Page), "page"));
    text.markup(", wrote ").number(report.pages.written).markup(", removed ");
    text.number(report.pages.removed).markup(".\n");
    let pages: Vec<_> = report.recomputed.iter().filter(|unit| unit.query == QueryKind::Page).collect();
    if pages.is_empty() {
        return text.finish();
    }
    text.markup("\n| page | why | because of |\n|---|---|---|\n");
    let mut text = text.finish();
    let mut listed = 0;
    for page in pages.iter().take(MOST_ROWS) {
        let row = row(page);
        if text.len() + row.len() > MOST_BYTES {
            break;
        }
        text.push_str(&row);
        listed += 1;
    }
    if pages.len() > listed {
        text.push_str(&format!("\nAnd {} more.\n", pages.len() - listed));
    }
    text
}

fn row(page: &Recomputed) -> String {
    let mut row = Markdown::new();
    row.markup("| ").table_code(&page.unit).markup(" | ").text(&in_words(page.reason)).markup(" | ");
    if let Some(path) = &page.because_of {
        row.table_code(path);
    }
    row.markup(" |\n");
    row.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindery_artifacts::Reason;

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
        let expected = "### Handbook\n\nParsed 1 of 7 files, resolved 0, rendered 1 page, wrote 2, removed 0.\n\n\
            | page | why | because of |\n|---|---|---|\n| `core.md` | facts changed | <code>src/a&#124;b.rs</code> |\n";
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
        let more =
            text.rsplit_once("And ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<usize>().ok());
        assert_eq!(more.map(|more| more + text.matches("facts changed").count()), Some(5_000));
    }
}
