//! Looking things up at the terminal: symbols, callers, callees, status and why.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::Reason;
use bindery_facts::{FileFacts, Name};
use bindery_graph::{Callee, MODULE_NAME, Outcome, Resolution, Symbol};
use bindery_source::RepoPath;
use bindery_store::found;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::blobs::Lost;
use crate::identity::Ids;
use crate::options::{Progress, Quiet};
use crate::outcome::{CallOutcome, Failure, Skipped, StatusOutcome, SymbolOutcome, WhyOutcome};
use crate::relink::edges;
use crate::repository::Repository;
use crate::run::{Computed, Run};
use crate::state::Status;
use crate::why;

/// Which other ends of a symbol's calls are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    None,
    Callers,
    Callees,
}

impl Repository {
    /// The symbols of that name, qualname or id.
    pub fn symbols(&self, name: &str) -> Result<Vec<SymbolOutcome>, Failure> {
        self.look_up(name, Ends::None)
    }

    /// The same with the calls that lead to them.
    pub fn callers(&self, name: &str) -> Result<Vec<SymbolOutcome>, Failure> {
        self.look_up(name, Ends::Callers)
    }

    /// The same with the calls in them.
    pub fn callees(&self, name: &str) -> Result<Vec<SymbolOutcome>, Failure> {
        self.look_up(name, Ends::Callees)
    }

    fn look_up(&self, name: &str, ends: Ends) -> Result<Vec<SymbolOutcome>, Failure> {
        let (mut run, mut computed) = self.computed(&Quiet)?;
        loop {
            match find(&computed, name, ends) {
                Ok(found) => return Ok(found),
                Err(Lost) => computed = run.compute_anew()?,
            }
        }
    }

    /// Everything a build would work out, without writing an output.
    pub(crate) fn computed<'a>(&'a self, progress: &'a dyn Progress) -> Result<(Run<'a>, Computed), Failure> {
        let may_write = self.prepare_cache();
        let (mut run, gate) = Run::open(self, progress, may_write);
        let (old, moved) = run.last_state(gate);
        let computed = run.compute(old, moved)?;
        Ok((run, computed))
    }

    /// The drafted (or committed) skeleton as YAML.
    pub fn skeleton_draft(&self) -> Result<String, Failure> {
        let (_, computed) = self.computed(&Quiet)?;
        let bytes = bindery_artifacts::write::artifact_text(&computed.structure.skeleton);
        String::from_utf8(bytes).map_err(Failure::machine)
    }

    /// Writes the skeleton to the path the configuration names; returns that path.
    pub fn skeleton_pin(&self) -> Result<String, Failure> {
        let Some(path) = self.configuration.skeleton.clone() else {
            return Err(Failure::usage("`bindery.toml` names no skeleton")
                .with_hint("add `skeleton = \"handbook-skeleton.yaml\"` to it first"));
        };
        let raw = path.as_bytes();
        if found(self.file_system.lstat(raw))?.is_some() {
            return Err(Failure::findings(format!("`{path}` exists already and is kept")));
        }
        let (directory, _) = path.rsplit_once('/').unwrap_or(("", &path));
        let draft = self.without_skeleton().skeleton_draft()?;
        bindery_store::create_directories(&*self.file_system, directory.as_bytes())?;
        bindery_store::write_atomically(&*self.file_system, raw, draft.as_bytes(), self.durability())?;
        Ok(path)
    }

    /// What a build would do now.
    pub fn status(&self, list_skipped: bool) -> Result<StatusOutcome, Failure> {
        let (run, computed) = self.computed(&Quiet)?;
        let analysis = &computed.analysis;
        let (_, outputs) = self.staleness(&run, &computed, false)?;
        let resolved = analysis.causes.iter().map(|(path, cause)| {
            let because = cause.because_of.as_ref().map(|(path, key)| format!(": {key} ({path})"));
            (path.to_string(), format!("{}{}", in_words(cause.reason), because.unwrap_or_default()))
        });
        Ok(StatusOutcome {
            inputs: analysis.inputs.iter().map(|(path, change)| (path.to_string(), change.word())).collect(),
            resolved: resolved.collect(),
            outputs,
            skipped: skipped(analysis, list_skipped),
        })
    }

    /// What stands behind an output or a file, and what depends on it.
    pub fn why(&self, target: &str) -> Result<WhyOutcome, Failure> {
        let (mut run, mut computed) = self.computed(&Quiet)?;
        let (_, stale) = self.staleness(&run, &computed, false)?;
        let target = target.trim_start_matches("./");
        let page = computed
            .handbook
            .records
            .keys()
            .find(|page| target == page.as_str() || self.shown_page(page) == target);
        if let Some(page) = page {
            let shown = self.handbook.shown(page.as_str().as_bytes());
            let state = stale.iter().find(|stale| stale.path == shown).map(|stale| stale.state);
            return Ok(why::page(&computed, page, state));
        }
        let path = RepoPath::new(target.split_once(':').map_or(target, |(path, _)| path));
        while computed.analysis.snapshot.slot(&path).is_some() {
            match why::file(&computed, &path) {
                Ok(outcome) => return Ok(outcome),
                Err(Lost) => computed = run.compute_anew()?,
            }
        }
        Err(Failure::usage(format!("`{target}` is neither a page of the handbook nor an input"))
            .with_hint("`bindery status --skipped` lists what is left out, and why"))
    }

    fn shown_page(&self, page: &RepoPath) -> String {
        match &self.handbook_in_root {
            Some(directory) => format!("{directory}/{page}"),
            None => page.to_string(),
        }
    }
}

/// Every function, method and type of a file, in its order, with the calls that lead to them; none for a file that
/// is not scanned.
pub(crate) fn symbols_of_file(computed: &Computed, path: &RepoPath) -> Result<Vec<SymbolOutcome>, Lost> {
    let analysis = &computed.analysis;
    let ids = Ids { clashes: &analysis.state.clashes };
    let is_scanned = |slot: &u32| analysis.snapshot.file(*slot).is_some_and(|file| file.is_scanned());
    let Some(slot) = analysis.snapshot.slot(path).filter(is_scanned) else { return Ok(Vec::new()) };
    let facts = analysis.snapshot.facts(slot)?;
    let mut found = Vec::new();
    for (at, decl) in facts.summary.decls.iter().enumerate() {
        if decl.kind.is_callable() || decl.kind.type_kind().is_some() {
            let symbol = Symbol { path: path.clone(), qualname: decl.qualname.clone() };
            let calls = callers(analysis, &symbol, ids)?;
            found.push(SymbolOutcome { calls, ..describe(computed, path, &facts, at, ids) });
        }
    }
    Ok(found)
}

/// The symbols of that name, qualname or id, with the calls that lead to them.
pub(crate) fn called(computed: &Computed, name: &str) -> Result<Vec<SymbolOutcome>, Lost> {
    find(computed, name, Ends::Callers)
}

fn find(computed: &Computed, name: &str, ends: Ends) -> Result<Vec<SymbolOutcome>, Lost> {
    let analysis = &computed.analysis;
    let ids = Ids { clashes: &analysis.state.clashes };
    let mut found = Vec::new();
    for (slot, file) in analysis.snapshot.scanned() {
        let unit = analysis.snapshot.unit(slot).ok_or(Lost)?;
        let bindery_graph::Contents::Source(summary) = &unit.contents else { continue };
        let wanted = |decl: &bindery_facts::Decl| {
            let symbol = Symbol { path: file.path.clone(), qualname: decl.qualname.clone() };
            let is_symbol = decl.kind.is_callable() || decl.kind.type_kind().is_some();
            is_symbol && (decl.name == name || decl.qualname == name || ids.id(&symbol) == name)
        };
        let hits: Vec<usize> = (0..summary.decls.len()).filter(|at| wanted(&summary.decls[*at])).collect();
        if hits.is_empty() {
            continue;
        }
        let facts = analysis.snapshot.facts(slot)?;
        for at in hits {
            found.push((describe(computed, &file.path, &facts, at, ids), facts.clone(), slot, at));
        }
    }
    let mut outcomes = Vec::with_capacity(found.len());
    for (mut outcome, facts, slot, at) in found {
        let symbol =
            Symbol { path: RepoPath::new(&outcome.file), qualname: facts.summary.decls[at].qualname.clone() };
        outcome.calls = match ends {
            Ends::None => Vec::new(),
            Ends::Callees => callees(&facts, &*analysis.snapshot.resolution(slot)?, at, ids, &outcome.file),
            Ends::Callers => callers(analysis, &symbol, ids)?,
        };
        outcomes.push(outcome);
    }
    outcomes.sort_by(|a, b| (&a.id, a.lines).cmp(&(&b.id, b.lines)));
    Ok(outcomes)
}

fn describe(
    computed: &Computed,
    path: &RepoPath,
    facts: &FileFacts,
    at: usize,
    ids: Ids<'_>,
) -> SymbolOutcome {
    let (decl, text) = (&facts.summary.decls[at], &facts.texts[at]);
    let kind = decl
        .kind
        .callable_kind()
        .map_or_else(|| format!("type:{}", decl.kind.type_kind().unwrap_or("other")), str::to_owned);
    let stage = computed.structure.stage_of(path).map(|at| &computed.structure.skeleton.stages[at as usize]);
    SymbolOutcome {
        id: ids.id(&Symbol { path: path.clone(), qualname: decl.qualname.clone() }),
        kind,
        file: path.to_string(),
        lines: (text.line_start, text.line_end),
        signature: text.signature.clone(),
        stage: stage.map_or_else(String::new, |stage| stage.id.as_str().to_owned()),
        calls: Vec::new(),
    }
}

fn callees(
    facts: &FileFacts,
    resolution: &Resolution,
    at: usize,
    ids: Ids<'_>,
    file: &str,
) -> Vec<CallOutcome> {
    let mut calls = Vec::new();
    for (site, outcome) in facts.bodies.sites.iter().zip(&resolution.outcomes) {
        let Outcome::Edges(call_type, callees) = outcome else { continue };
        if site.caller.is_none_or(|caller| caller.0 as usize != at) {
            continue;
        }
        calls.extend(callees.iter().map(|callee| CallOutcome {
            id: callee_id(callee, ids),
            file: file.to_owned(),
            line: site.line,
            call_type: word(call_type),
            raw: site.raw.to_string(),
        }));
    }
    calls.sort_unstable();
    calls
}

pub(crate) fn callee_id(callee: &Callee, ids: Ids<'_>) -> String {
    match callee {
        Callee::Function(symbol) | Callee::Variant(symbol) => ids.id(symbol),
        Callee::New(symbol) => format!("{}.<new>", ids.id(symbol)),
        Callee::Boundary { specifier, class, name } if class.is_empty() => {
            format!("boundary:{specifier}.{name}")
        }
        Callee::Boundary { specifier, class, name } => format!("boundary:{specifier}.{class}.{name}"),
    }
}

fn callers(analysis: &Analysis, symbol: &Symbol, ids: Ids<'_>) -> Result<Vec<CallOutcome>, Lost> {
    let mut calls = Vec::new();
    let of_file = crate::digest::callers_of_file(analysis, analysis.snapshot.blobs(), &symbol.path)?;
    let files: BTreeSet<RepoPath> =
        of_file.get(&symbol.qualname).into_iter().flatten().map(|caller| caller.path.clone()).collect();
    for path in files {
        let slot = analysis.snapshot.slot(&path).ok_or(Lost)?;
        let (facts, resolution) = (analysis.snapshot.facts(slot)?, analysis.snapshot.resolution(slot)?);
        for (at, callee) in edges(&resolution).filter(|(_, callee)| *callee == symbol) {
            let _ = callee;
            let site = &facts.bodies.sites[at];
            let function = site.caller.map_or(Name::new_static(MODULE_NAME), |caller| {
                facts.summary.decls[caller.0 as usize].qualname.clone()
            });
            let Outcome::Edges(call_type, _) = &resolution.outcomes[at] else { continue };
            calls.push(CallOutcome {
                id: ids.id(&Symbol { path: path.clone(), qualname: function }),
                file: path.to_string(),
                line: site.line,
                call_type: word(call_type),
                raw: site.raw.to_string(),
            });
        }
    }
    calls.sort_unstable();
    Ok(calls)
}

/// A reason in words (`content changed`).
pub(crate) fn in_words(reason: Reason) -> String {
    let mut words = String::new();
    for letter in word(&reason).chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// The word an enum of the artifacts is spelled with.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn skipped(analysis: &Analysis, list: bool) -> BTreeMap<String, Skipped> {
    let mut skipped: BTreeMap<String, Skipped> = BTreeMap::new();
    let mut add = |reason: &str, path: String| {
        let entry = skipped.entry(reason.to_owned()).or_default();
        entry.count += 1;
        if list {
            entry.paths.push(path);
        }
    };
    for left_out in &analysis.state.known.selection.skipped {
        let slash = if left_out.is_directory { "/" } else { "" };
        add(left_out.reason.name(), format!("{}{slash}", left_out.place.path()));
    }
    for (_, file) in analysis.state.files.iter(analysis.snapshot.blobs()) {
        if let Status::LeftOut(reason) = &file.status
            && let Some(word) = reason.word()
        {
            add(word, file.path.to_string());
        }
    }
    for entry in skipped.values_mut() {
        entry.paths.sort_unstable();
    }
    skipped
}
