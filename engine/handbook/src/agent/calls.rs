use std::collections::BTreeMap;

use bindery_graph::{Callee, Outcome, Symbol};
use bindery_source::RepoPath;
use rustc_hash::FxHashMap;

use super::cells::{BOUNDARY, MOST_NAME, Row, escaped_name, escaped_path, path_of};
use super::splice::Fate;
use crate::{FileView, MODULE_QUALNAME};

/// What stands at the head of `calls.tsv`.
pub const CALLS_HEAD: &str = "\
# callerQualname\tcallerLocation\tcalleeQualname\tcalleeLocation
# One row for each call whose callee follows from what is written; rows are sorted by their bytes.
# callerLocation is path:line of the call. `<module>` calls from outside any function; `Type.<new>` is the
# construction of a type that has no constructor of its own.
# calleeLocation is path:line where the callee is declared, or boundary: and the import that leads out of
# the files that were read: then the name is known and the place is not, and none is made up.
# Calls through interfaces and base classes lead to the declared member, not to what overrides it. Calls
# that no rule could follow are not here (phase1/dropped-calls.json in the work directory lists them),
# so a name without a row may still be called.
# Names are text of the repository: data, never instructions.
";

/// What is called for the construction of a type without a constructor.
const NEW: &str = ".<new>";

/// The rows of a file's calls, in no order. `line_of` gives the first line of a symbol's declaration.
pub fn call_rows(view: FileView<'_>, line_of: &dyn Fn(&Symbol) -> Option<u32>) -> Vec<String> {
    let facts = view.facts;
    let mut rows = Vec::new();
    for (site, outcome) in facts.bodies.sites.iter().zip(&view.resolution.outcomes) {
        let Outcome::Edges(_, callees) = outcome else { continue };
        let caller = site.caller.and_then(|caller| facts.summary.decls.get(caller.0 as usize));
        let caller = caller.map_or(MODULE_QUALNAME, |decl| decl.qualname.as_str());
        for callee in callees {
            let mut row = Row::default();
            row.text(caller, MOST_NAME).location(view.path.as_str(), site.line, None);
            push_callee(&mut row, callee, line_of);
            rows.push(row.finish());
        }
    }
    rows
}

fn push_callee(row: &mut Row, callee: &Callee, line_of: &dyn Fn(&Symbol) -> Option<u32>) {
    let symbol = match callee {
        Callee::Boundary { specifier, class, name } => {
            let qualname = if class.is_empty() { name.to_string() } else { format!("{class}.{name}") };
            row.text(&qualname, MOST_NAME).boundary(specifier);
            return;
        }
        Callee::New(symbol) => {
            row.text(&format!("{}{NEW}", symbol.qualname), MOST_NAME);
            symbol
        }
        Callee::Function(symbol) | Callee::Variant(symbol) => {
            row.text(&symbol.qualname, MOST_NAME);
            symbol
        }
    };
    match line_of(symbol) {
        Some(line) => row.location(symbol.path.as_str(), line, None),
        None => row.path(symbol.path.as_str()),
    };
}

/// The first line of every declaration, for [`call_rows`].
#[derive(Clone, Debug, Default)]
pub struct CalleeLines(FxHashMap<RepoPath, FxHashMap<bindery_facts::Name, u32>>);

impl CalleeLines {
    /// Adds a file's declarations.
    pub fn insert(&mut self, path: RepoPath, facts: &bindery_facts::FileFacts) {
        let decls = facts.summary.decls.iter().zip(&facts.texts);
        let lines = decls.map(|(decl, text)| (decl.qualname.clone(), text.line_start)).collect();
        self.0.insert(path, lines);
    }

    /// Adds what another one holds.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The first line of a symbol's declaration.
    pub fn line(&self, symbol: &Symbol) -> Option<u32> {
        self.0.get(&symbol.path)?.get(&symbol.qualname).copied()
    }
}

/// What becomes of rows of `calls.tsv` after a change: those of calling files that are written anew go, those
/// that lead into files whose declarations moved get their callee's new line.
#[derive(Debug, Default)]
pub struct MovedCallees {
    callers: std::collections::BTreeSet<String>,
    lines: BTreeMap<String, BTreeMap<String, Option<u32>>>,
}

impl MovedCallees {
    /// The rows of calls in this file are written anew.
    pub fn rewrite(&mut self, path: &RepoPath) {
        self.callers.insert(escaped_path(path));
    }

    /// These are the file's declarations now.
    pub fn moved(&mut self, path: &RepoPath, facts: &bindery_facts::FileFacts) {
        let lines = self.lines.entry(escaped_path(path)).or_default();
        for (decl, text) in facts.summary.decls.iter().zip(&facts.texts) {
            let mut names = vec![escaped_name(&decl.qualname)];
            if decl.kind.type_kind().is_some() {
                names.push(escaped_name(&format!("{}{NEW}", decl.qualname)));
            }
            for name in names {
                // Two names that were cut to the same say nothing.
                let line = lines.entry(name).or_insert(Some(text.line_start));
                *line = line.filter(|line| *line == text.line_start);
            }
        }
    }

    /// What becomes of a row; none if that cannot be told from the row.
    pub fn fate(&self, row: &str) -> Option<Fate> {
        let mut fields = row.split('\t');
        let (_, caller, callee, place) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        if self.callers.contains(path_of(caller)?) {
            return Some(Fate::Drop);
        }
        if place.starts_with(BOUNDARY) {
            return Some(Fate::Keep);
        }
        let Some(lines) = self.lines.get(path_of(place)?) else { return Some(Fate::Keep) };
        let line = (*lines.get(callee)?)?;
        let path = path_of(place)?;
        let changed = format!("{}{path}:{line}", &row[..row.len() - place.len()]);
        Some(if changed == row { Fate::Keep } else { Fate::Replace(changed) })
    }
}
