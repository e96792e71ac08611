//! The tables of the agent index: from the rows of all files, or from the tables on disk and the rows of the
//! files a change reached.
//!
//! The disk is believed only if it holds exactly what the last run's state stands for.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::{QueryKind, Reason, Recomputed};
use bindery_graph::Symbol;
use bindery_handbook::FileView;
use bindery_handbook::agent::{
    CALLS_HEAD, CalleeLines, Fate, MovedCallees, Package, SYMBOLS_HEAD, SiblingCallers, SymbolFile,
    call_rows, escaped_path, sibling_callers, splice, symbol_path, symbol_rows, table,
};
use bindery_source::{ContentHash, RepoPath};
use bindery_store::read_file;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::blobs::Lost;
use crate::digest::callers_of_file;
use crate::formats::Table;
use crate::present::{Handbook, Presenter, Rendered, digest};
use crate::state::{FileRecord, PageRecord};
use crate::structure::{Replaced, Structure};

/// When more than this share of the files is reached, everything is put together anew.
const SPLICED_SHARE: usize = 4;

impl Presenter<'_> {
    /// Brings the tables up to date.
    pub(crate) fn present_tables(&self, replaced: &Replaced, handbook: &mut Handbook) -> Result<(), Lost> {
        if !self.is_agent_wanted() {
            return Ok(());
        }
        let packages = digest(&self.packages());
        let moved = self.changed_stages(replaced);
        let calls = match self.calls_change() {
            false => self.old_record(Table::Calls, packages),
            true => None,
        };
        let symbols = match self.calls_change() || !moved.as_ref().is_some_and(BTreeSet::is_empty) {
            false => self.old_record(Table::Symbols, packages),
            true => None,
        };
        if let (Some(calls), Some(symbols)) = (&calls, &symbols) {
            for (table, record) in [(Table::Calls, calls), (Table::Symbols, symbols)] {
                handbook.records.insert(RepoPath::new(table.path()), record.clone());
            }
            return Ok(());
        }
        let old_calls = self.old_table(Table::Calls, packages);
        let calls = match &old_calls {
            Some(old) => self.spliced_calls(old)?,
            None => None,
        };
        let calls = calls.map_or_else(|| self.all_calls(), Ok)?;
        let siblings = sibling_callers(&calls, self.packages());
        let same_siblings =
            old_calls.as_ref().is_some_and(|old| sibling_callers(old, self.packages()) == siblings);
        let symbols = match (self.old_table(Table::Symbols, packages), moved) {
            (Some(old), Some(moved)) if same_siblings => self.spliced_symbols(&old, moved, &siblings)?,
            _ => None,
        };
        let symbols = symbols.map_or_else(|| self.all_symbols(&siblings), Ok)?;
        self.enter(Table::Calls, packages, calls, handbook);
        self.enter(Table::Symbols, packages, symbols, handbook);
        Ok(())
    }

    /// A table from all files.
    pub(crate) fn whole_table(&self, table: Table) -> Result<String, Lost> {
        let calls = || self.all_calls();
        match table {
            Table::Calls => calls(),
            Table::Symbols if self.packages().is_empty() => self.all_symbols(&SiblingCallers::default()),
            Table::Symbols => self.all_symbols(&sibling_callers(&calls()?, self.packages())),
        }
    }

    pub(crate) fn is_agent_wanted(&self) -> bool {
        self.forms().any(|form| !form.tables.is_empty())
    }

    fn packages(&self) -> &[Package] {
        self.analysis.state.about.as_ref().map_or(&[], |about| &about.packages)
    }

    /// Whether anything that rows of calls show may differ, and with it who calls what.
    fn calls_change(&self) -> bool {
        let analysis = self.analysis;
        !(analysis.inputs.is_empty() && analysis.resolved.is_empty() && analysis.callers_changed.is_empty())
    }

    fn old_record(&self, table: Table, packages: ContentHash) -> Option<PageRecord> {
        let record = self.analysis.state.pages.get(&RepoPath::new(table.path()))?;
        (record.model == packages).then(|| record.clone())
    }

    /// A table as the last run left it.
    fn old_table(&self, table: Table, packages: ContentHash) -> Option<String> {
        let record = self.old_record(table, packages)?;
        let raw = self.handbook.path(table.path().as_bytes());
        let bytes = read_file(self.handbook.file_system(), &raw).ok()?.bytes;
        let is_ours = ContentHash::of(&bytes) == record.bytes;
        String::from_utf8(bytes).ok().filter(|_| is_ours)
    }

    fn enter(&self, table: Table, packages: ContentHash, text: String, handbook: &mut Handbook) {
        let path = RepoPath::new(table.path());
        let record = PageRecord { model: packages, bytes: ContentHash::of(text.as_bytes()) };
        let before = self.analysis.state.pages.get(&path);
        let bytes = (before.map(|before| before.bytes) != Some(record.bytes)).then(|| text.into_bytes());
        handbook.add(Rendered { path, record, bytes }, |path| self.table_reason(path));
    }

    fn table_reason(&self, path: &RepoPath) -> Recomputed {
        let analysis = self.analysis;
        let path_of = |slot: &u32| analysis.snapshot.file(*slot).map(|file| file.path.clone());
        let changed = analysis.inputs.keys().min().cloned();
        let resolved = analysis.resolved.iter().filter_map(path_of).min();
        let (reason, because_of) = match (changed, resolved) {
            _ if !analysis.state.pages.contains_key(path) => (Reason::Added, None),
            (Some(changed), _) => (Reason::FactsChanged, Some(changed)),
            (None, Some(resolved)) => (Reason::ResolutionChanged, Some(resolved)),
            (None, None) => (Reason::StagesChanged, None),
        };
        let because_of = because_of.map(|path| path.to_string());
        Recomputed { query: QueryKind::Page, unit: path.to_string(), reason, because_of }
    }

    /// The files whose rows show another stage than before; none if that is not known.
    fn changed_stages(&self, replaced: &Replaced) -> Option<BTreeSet<RepoPath>> {
        let old: &Structure = match replaced {
            Replaced::Nothing => return Some(BTreeSet::new()),
            Replaced::Old(old) => old,
            Replaced::Missing => return None,
        };
        let old_id = |stage: u32| old.skeleton.stages[stage as usize].id.as_str();
        let differs = |path: &RepoPath, stage: Option<u32>| {
            old.place(path).is_some()
                && old.stage_of(path).map(old_id) != stage.map(|at| self.stage_id(Some(at)))
        };
        let files = self.structure.files.iter().filter(|(path, stage, _)| differs(path, *stage));
        Some(files.map(|(path, _, _)| path.clone()).collect())
    }

    /// The scanned files among these, unless they are so many that all of them may as well be taken.
    fn reached(&self, paths: &BTreeSet<RepoPath>) -> Option<Vec<u32>> {
        let snapshot = &self.analysis.snapshot;
        let slots = paths.iter().filter_map(|path| snapshot.slot(path));
        let slots: Vec<u32> =
            slots.filter(|slot| snapshot.file(*slot).is_some_and(FileRecord::is_scanned)).collect();
        (slots.len() * SPLICED_SHARE <= self.structure.files.len() + SPLICED_SHARE).then_some(slots)
    }

    fn spliced_calls(&self, old: &str) -> Result<Option<String>, Lost> {
        let analysis = self.analysis;
        let snapshot = &analysis.snapshot;
        let resolved = analysis.resolved.iter().filter_map(|slot| snapshot.file(*slot));
        let mut paths: BTreeSet<RepoPath> = resolved.map(|file| file.path.clone()).collect();
        paths.extend(analysis.inputs.keys().cloned());
        let Some(slots) = self.reached(&paths) else { return Ok(None) };
        let mut moved = MovedCallees::default();
        paths.iter().for_each(|path| moved.rewrite(path));
        for slot in slots.iter().filter(|slot| analysis.changed.contains(slot)) {
            let file = snapshot.file(*slot).ok_or(Lost)?;
            moved.moved(&file.path, &*snapshot.facts(*slot)?);
        }
        let lines = self.lines_of_callees(&slots)?;
        let fresh = self.call_rows(&slots, &lines)?;
        Ok(splice(old, CALLS_HEAD, &|row| moved.fate(row), fresh))
    }

    /// The lines of everything that these files call.
    fn lines_of_callees(&self, slots: &[u32]) -> Result<CalleeLines, Lost> {
        let snapshot = &self.analysis.snapshot;
        let called = |slot: &u32| -> Result<FxHashSet<RepoPath>, Lost> {
            let resolution = snapshot.resolution(*slot)?;
            Ok(crate::relink::edges(&resolution).map(|(_, symbol)| symbol.path.clone()).collect())
        };
        let called: Vec<FxHashSet<RepoPath>> = slots.par_iter().map(called).collect::<Result<_, Lost>>()?;
        let called: BTreeSet<RepoPath> = called.into_iter().flatten().collect();
        self.lines(called.iter().filter_map(|path| snapshot.slot(path)).collect())
    }

    fn lines(&self, slots: Vec<u32>) -> Result<CalleeLines, Lost> {
        let snapshot = &self.analysis.snapshot;
        let file_lines = |slot: &u32| {
            let mut lines = CalleeLines::default();
            lines.insert(snapshot.file(*slot).ok_or(Lost)?.path.clone(), &*snapshot.facts(*slot)?);
            Ok(lines)
        };
        let all: Vec<CalleeLines> = slots.par_iter().map(file_lines).collect::<Result<_, Lost>>()?;
        let mut lines = CalleeLines::default();
        all.into_iter().for_each(|more| lines.extend(more));
        Ok(lines)
    }

    fn call_rows(&self, slots: &[u32], lines: &CalleeLines) -> Result<Vec<String>, Lost> {
        let snapshot = &self.analysis.snapshot;
        let rows = |slot: &u32| {
            let file = snapshot.file(*slot).ok_or(Lost)?;
            let (facts, resolution) = (snapshot.facts(*slot)?, snapshot.resolution(*slot)?);
            let view = FileView { path: &file.path, facts: &facts, resolution: &resolution };
            Ok(call_rows(view, &|symbol| lines.line(symbol)))
        };
        let rows: Vec<Vec<String>> = slots.par_iter().map(rows).collect::<Result<_, Lost>>()?;
        Ok(rows.into_iter().flatten().collect())
    }

    fn all_slots(&self) -> Vec<u32> {
        self.analysis.snapshot.scanned().into_iter().map(|(slot, _)| slot).collect()
    }

    fn all_calls(&self) -> Result<String, Lost> {
        let slots = self.all_slots();
        let lines = self.lines(slots.clone())?;
        Ok(sorted_table(CALLS_HEAD, self.call_rows(&slots, &lines)?))
    }

    fn spliced_symbols(
        &self,
        old: &str,
        moved: BTreeSet<RepoPath>,
        siblings: &SiblingCallers<'_>,
    ) -> Result<Option<String>, Lost> {
        let analysis = self.analysis;
        let mut paths = moved;
        paths.extend(analysis.inputs.keys().chain(analysis.callers_changed.keys()).cloned());
        let Some(slots) = self.reached(&paths) else { return Ok(None) };
        let escaped: BTreeSet<String> = paths.iter().map(escaped_path).collect();
        let fate = |row: &str| {
            let is_reached = escaped.contains(symbol_path(row)?);
            Some(if is_reached { Fate::Drop } else { Fate::Keep })
        };
        Ok(splice(old, SYMBOLS_HEAD, &fate, self.symbol_rows(&slots, siblings)?))
    }

    fn symbol_rows(&self, slots: &[u32], siblings: &SiblingCallers<'_>) -> Result<Vec<String>, Lost> {
        let rows = |slot: &u32| self.symbol_rows_of(*slot, siblings);
        let rows: Vec<Vec<String>> = slots.par_iter().map(rows).collect::<Result<_, Lost>>()?;
        Ok(rows.into_iter().flatten().collect())
    }

    fn symbol_rows_of(&self, slot: u32, siblings: &SiblingCallers<'_>) -> Result<Vec<String>, Lost> {
        let snapshot = &self.analysis.snapshot;
        let file = snapshot.file(slot).ok_or(Lost)?;
        let (facts, resolution) = (snapshot.facts(slot)?, snapshot.resolution(slot)?);
        let callers: BTreeMap<_, Vec<Symbol>> = callers_of_file(self.analysis, self.blobs, &file.path)?;
        let entry = bindery_languages::for_language(facts.summary.language);
        let count = |qualnames: &[&str]| {
            let inside: BTreeSet<&Symbol> =
                qualnames.iter().filter_map(|name| callers.get(*name)).flatten().collect();
            let siblings =
                qualnames.iter().map(|name| siblings.count(self.packages(), &file.path, name)).sum::<u64>();
            inside.len() as u64 + siblings
        };
        Ok(symbol_rows(&SymbolFile {
            view: FileView { path: &file.path, facts: &facts, resolution: &resolution },
            stage: self.stage_id(self.structure.stage_of(&file.path)),
            has_types: entry.is_some_and(|entry| !entry.adapter.type_kinds().is_empty()),
            callers: &count,
        }))
    }

    fn all_symbols(&self, siblings: &SiblingCallers<'_>) -> Result<String, Lost> {
        Ok(sorted_table(SYMBOLS_HEAD, self.symbol_rows(&self.all_slots(), siblings)?))
    }
}

fn sorted_table(head: &str, mut rows: Vec<String>) -> String {
    rows.par_sort_unstable();
    rows.dedup();
    table(head, rows.iter().map(String::as_str))
}
