//! The skeleton of a plan: the symbols asked for, who calls them, and their text as it is.

use std::collections::BTreeMap;
use std::ops::Range;

use bindery_artifacts::PlanDeclarations;
use bindery_plan::{CONTEXT_LINES, Draft, Passage, Target, occurs_once};
use bindery_source::RepoPath;
use bindery_store::{found, read_file};

use crate::blobs::Lost;
use crate::options::Quiet;
use crate::outcome::{Failure, SymbolOutcome};
use crate::query::{called, symbols_of_file};
use crate::repository::Repository;
use crate::run::Computed;

/// What was asked for: symbols by id, files as a whole with what is in them.
#[derive(Default)]
struct Wanted {
    symbols: BTreeMap<String, SymbolOutcome>,
    files: BTreeMap<String, Vec<SymbolOutcome>>,
}

/// The lines of a file that an edit is made of, from 0, the end left out, with the names of what is in them.
struct Span {
    lines: Range<usize>,
    names: Vec<String>,
}

impl Repository {
    /// Writes the skeleton of a plan for symbols (by name, qualified name or id) and files: the functions and types
    /// concerned, the calls that lead to them, and one edit for each passage, which changes nothing yet. A check of
    /// it is clean.
    pub fn plan_new(&self, targets: &[String]) -> Result<String, Failure> {
        let (mut run, mut computed) = self.computed(&Quiet)?;
        let wanted = loop {
            match Wanted::find(&computed, targets) {
                Ok(wanted) => break wanted?,
                Err(Lost) => computed = run.compute_anew()?,
            }
        };
        let mut passages = Vec::new();
        for (file, spans) in wanted.spans() {
            passages.extend(self.passages(&computed, file, spans)?);
        }
        let concerned = wanted.symbols.values().chain(wanted.files.values().flatten());
        let concerned: BTreeMap<&str, &SymbolOutcome> =
            concerned.map(|symbol| (symbol.id.as_str(), symbol)).collect();
        let draft = Draft {
            wanted: targets.to_vec(),
            targets: concerned.into_values().map(target).collect(),
            passages,
            declarations: PlanDeclarations {
                will_modify: wanted.symbols.keys().cloned().collect(),
                ..PlanDeclarations::default()
            },
        };
        Ok(draft.to_markdown())
    }

    /// The passages of one file: spans with their context, as far as they must reach to be unlike any other.
    fn passages(&self, computed: &Computed, file: &str, spans: Vec<Span>) -> Result<Vec<Passage>, Failure> {
        let read = found(read_file(&*self.file_system, &computed.raw_path(&RepoPath::new(file))))?;
        let bytes = read.ok_or_else(|| Failure::findings(format!("`{file}` is gone")))?.bytes;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        let text = text.ok_or_else(|| Failure::findings(format!("`{file}` is no UTF-8 text")))?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut merged: Vec<Span> = Vec::new();
        for span in spans {
            let span = unlike_any_other(with_context(span, &lines), &lines, &text);
            match merged.last_mut().filter(|last| span.lines.start < last.lines.end) {
                Some(last) => {
                    last.lines = last.lines.start.min(span.lines.start)..last.lines.end.max(span.lines.end);
                    last.names.extend(span.names);
                }
                None => merged.push(span),
            }
        }
        let passage = |span: Span| Passage {
            file: file.to_owned(),
            place: span.names.join(", "),
            text: lines[span.lines].concat(),
        };
        Ok(merged.into_iter().map(passage).collect())
    }
}

impl Wanted {
    fn find(computed: &Computed, targets: &[String]) -> Result<Result<Self, Failure>, Lost> {
        let mut wanted = Self::default();
        for target in targets {
            let path = RepoPath::new(target.trim_start_matches("./"));
            if computed.analysis.snapshot.slot(&path).is_some() {
                wanted.files.insert(path.to_string(), symbols_of_file(computed, &path)?);
                continue;
            }
            let symbols = called(computed, target)?;
            if symbols.is_empty() {
                let failure =
                    Failure::findings(format!("`{target}` is neither a symbol nor a selected file"));
                return Ok(Err(failure.with_hint(
                    "names are matched whole: `push`, `Queue.push`, an id, or a path relative to the root",
                )));
            }
            wanted.symbols.extend(symbols.into_iter().map(|symbol| (symbol.id.clone(), symbol)));
        }
        Ok(Ok(wanted))
    }

    /// The spans of each file, by first line. A file that is wanted as a whole is one span.
    fn spans(&self) -> BTreeMap<&str, Vec<Span>> {
        let mut spans: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
        for symbol in self.symbols.values().filter(|symbol| !self.files.contains_key(&symbol.file)) {
            let (first, last) = (symbol.lines.0 as usize, symbol.lines.1 as usize);
            let lines = first.saturating_sub(1)..last.max(1);
            let names = vec![format!("{} (~{first})", symbol.id)];
            spans.entry(&symbol.file).or_default().push(Span { lines, names });
        }
        for spans in spans.values_mut() {
            spans.sort_by_key(|span| (span.lines.start, span.lines.end));
        }
        for file in self.files.keys() {
            let whole = Span { lines: 0..usize::MAX, names: vec!["the whole file".to_owned()] };
            spans.insert(file, vec![whole]);
        }
        spans
    }
}

/// The span with the lines directly above it, which are its documentation, and lines of context on each side.
fn with_context(span: Span, lines: &[&str]) -> Span {
    let end = span.lines.end.min(lines.len());
    let mut start = span.lines.start.min(end);
    while start > 0 && !lines[start - 1].trim().is_empty() {
        start -= 1;
    }
    let context = start.saturating_sub(CONTEXT_LINES)..(end + CONTEXT_LINES).min(lines.len());
    Span { lines: context, ..span }
}

/// The span, longer on both sides as long as its text stands in the file more than once.
fn unlike_any_other(mut span: Span, lines: &[&str], text: &str) -> Span {
    while span.lines.len() < lines.len() {
        let mut passage = lines[span.lines.clone()].concat();
        // A plan cannot write a passage without a line end.
        if !passage.ends_with('\n') {
            passage.push('\n');
        }
        if occurs_once(text.as_bytes(), passage.as_bytes()) {
            break;
        }
        span.lines = span.lines.start.saturating_sub(1)..(span.lines.end + 1).min(lines.len());
    }
    span
}

fn target(symbol: &SymbolOutcome) -> Target {
    let mut callers: Vec<(String, String)> =
        symbol.calls.iter().map(|call| (call.id.clone(), format!("{}:{}", call.file, call.line))).collect();
    callers.dedup();
    Target {
        id: symbol.id.clone(),
        place: format!("{}:{}", symbol.file, symbol.lines.0),
        signature: symbol.signature.clone(),
        callers,
    }
}
