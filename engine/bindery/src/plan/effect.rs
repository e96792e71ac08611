//! What a change does: to symbols, by their own text; to pages, by their bytes.
//!
//! The own text of a symbol is its lines and the lines directly above it (doc comments), without those of the
//! symbols inside it and without blank lines: a method added to a class modifies no other method and not the
//! class. It says what an edit touches, for comparison with what a plan declares.

use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::{PlanDeclarations, StageId};
use bindery_facts::{DeclKind, FileFacts};
use bindery_graph::{Contents, Symbol};
use bindery_source::{ContentHash, KeyHasher, RepoPath};
use bindery_store::{found, read_file};

use crate::blobs::Lost;
use crate::identity::Ids;
use crate::options::Progress;
use crate::outcome::Failure;
use crate::plan::outcome::{EffectOutcome, PageChange};
use crate::repository::Repository;
use crate::run::{Computed, Run};

/// A symbol as plans name it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Named {
    id: String,
    qualname: String,
    name: String,
}

impl Named {
    fn is_called(&self, name: &str) -> bool {
        [&self.id, &self.qualname, &self.name].iter().any(|own| *own == name)
    }
}

/// What a repository shows at one moment, as far as a change is measured by it.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// The files of the handbook as a build would write them.
    pages: BTreeMap<RepoPath, ContentHash>,
    /// The stage of each file that shows one.
    stages: BTreeMap<RepoPath, StageId>,
    /// The symbols of the files looked at, with the digests of their own texts.
    symbols: BTreeMap<Named, ContentHash>,
    /// Those of the names asked for that something is called by, each with the files it is in.
    known: BTreeMap<String, BTreeSet<RepoPath>>,
}

/// How two views differ.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Change {
    pages: BTreeMap<RepoPath, PageChange>,
    stages: BTreeSet<StageId>,
    modified: BTreeSet<Named>,
    added: BTreeSet<Named>,
    removed: BTreeSet<Named>,
}

/// Where declarations and a change differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mismatch {
    /// The key and place of the declaration, if it is one that does not come true.
    pub(crate) entry: Option<(&'static str, usize)>,
    pub(crate) message: String,
}

impl View {
    /// Builds in memory and looks. `repository` lies over an overlay, which keeps what was worked out for the next
    /// view.
    pub(crate) fn take(
        repository: &Repository,
        files: &[String],
        names: &[String],
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let (mut run, mut computed) = repository.computed(progress)?;
        let view = loop {
            match View::look(&run, &computed, files, names) {
                Ok(view) => break view?,
                Err(Lost) => computed = run.compute_anew()?,
            }
        };
        let wanted = computed.wanted();
        let state = &mut computed.analysis.state;
        state.known.wanted = wanted;
        state.models = computed.handbook.models.clone();
        state.pages = computed.handbook.records.clone();
        run.commit(std::mem::take(state));
        Ok(view)
    }

    /// Looks at what a run worked out.
    pub(crate) fn of(
        run: &Run<'_>,
        computed: &Computed,
        files: &[String],
        names: &[String],
    ) -> Result<Self, Failure> {
        Self::look(run, computed, files, names).unwrap_or_else(|Lost| Err(Failure::cache_lost()))
    }

    fn look(
        run: &Run<'_>,
        computed: &Computed,
        files: &[String],
        names: &[String],
    ) -> Result<Result<Self, Failure>, Lost> {
        let stage_id = |stage: &u32| computed.structure.skeleton.stages[*stage as usize].id.clone();
        let stages = &computed.handbook.stages;
        let mut view = View {
            pages: computed.wanted(),
            stages: stages.iter().map(|(path, stage)| (path.clone(), stage_id(stage))).collect(),
            symbols: BTreeMap::new(),
            known: known(computed, names)?,
        };
        for path in files {
            let path = RepoPath::new(path);
            let snapshot = &computed.analysis.snapshot;
            let is_scanned = |slot: &u32| snapshot.file(*slot).is_some_and(|file| file.is_scanned());
            let Some(slot) = snapshot.slot(&path).filter(is_scanned) else { continue };
            let facts = snapshot.facts(slot)?;
            let place = computed.raw_path(&path);
            let read = match found(read_file(&*run.repository.file_system, &place)) {
                Ok(read) => read,
                Err(error) => return Ok(Err(error.into())),
            };
            let bytes = read.map_or_else(Vec::new, |read| read.bytes);
            let ids = Ids { clashes: &computed.analysis.state.clashes };
            view.symbols.extend(symbols(&path, &facts, &bytes, ids));
        }
        Ok(Ok(view))
    }

    /// Whether one of the names asked for is something's.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// The files that have something of one of the names asked for.
    pub(crate) fn files_of_names(&self) -> impl Iterator<Item = &RepoPath> {
        self.known.values().flatten()
    }

    /// What is different in `after`.
    pub(crate) fn change_to(&self, after: &View) -> Change {
        let mut change = Change::default();
        let paths: BTreeSet<&RepoPath> = self.pages.keys().chain(after.pages.keys()).collect();
        for path in paths {
            let word = match (self.pages.get(path), after.pages.get(path)) {
                (None, _) => PageChange::Added,
                (_, None) => PageChange::Removed,
                (one, other) if one == other => continue,
                _ => PageChange::Changed,
            };
            change.pages.insert(path.clone(), word);
            change.stages.extend(after.stages.get(path).or_else(|| self.stages.get(path)).cloned());
        }
        for (symbol, text) in &self.symbols {
            match after.symbols.get(symbol) {
                None => drop(change.removed.insert(symbol.clone())),
                Some(other) if other != text => drop(change.modified.insert(symbol.clone())),
                Some(_) => {}
            }
        }
        let is_new = |symbol: &&Named| !self.symbols.contains_key(*symbol);
        change.added = after.symbols.keys().filter(is_new).cloned().collect();
        change
    }
}

impl Change {
    /// What a plan declares and the change does not do, and the other way round.
    pub(crate) fn against(&self, declared: &PlanDeclarations) -> Vec<Mismatch> {
        let mut differences = Vec::new();
        for (key, names, symbols, word) in [
            ("will_modify", &declared.will_modify, &self.modified, "modified"),
            ("will_add", &declared.will_add, &self.added, "added"),
            ("will_remove", &declared.will_remove, &self.removed, "removed"),
        ] {
            for (at, name) in names.iter().enumerate() {
                if !symbols.iter().any(|symbol| symbol.is_called(name)) {
                    let message = format!("`{name}` is declared to be {word} and is not");
                    differences.push(Mismatch { entry: Some((key, at)), message });
                }
            }
            for symbol in symbols {
                if !names.iter().any(|name| symbol.is_called(name)) {
                    let message = format!("`{}` is {word} and not declared", symbol.id);
                    differences.push(Mismatch { entry: None, message });
                }
            }
        }
        differences
    }

    /// What another change of the same files does otherwise.
    pub(crate) fn differences_to(&self, actual: &Change) -> Vec<String> {
        let mut differences = Vec::new();
        let paths: BTreeSet<&RepoPath> = self.pages.keys().chain(actual.pages.keys()).collect();
        for path in paths {
            let word = |change: Option<&PageChange>| change.map_or("unchanged", |change| change.word());
            let (foreseen, found) = (self.pages.get(path), actual.pages.get(path));
            if foreseen != found {
                let message =
                    format!("page `{path}` is {}, and was foreseen {}", word(found), word(foreseen));
                differences.push(message);
            }
        }
        for (foreseen, found, word) in [
            (&self.modified, &actual.modified, "modified"),
            (&self.added, &actual.added, "added"),
            (&self.removed, &actual.removed, "removed"),
        ] {
            let (less, more) = (foreseen.difference(found), found.difference(foreseen));
            differences
                .extend(less.map(|symbol| format!("`{}` was foreseen to be {word} and is not", symbol.id)));
            differences
                .extend(more.map(|symbol| format!("`{}` is {word}, which was not foreseen", symbol.id)));
        }
        differences
    }

    pub(crate) fn outcome(&self) -> EffectOutcome {
        let ids = |symbols: &BTreeSet<Named>| symbols.iter().map(|symbol| symbol.id.clone()).collect();
        EffectOutcome {
            modified: ids(&self.modified),
            added: ids(&self.added),
            removed: ids(&self.removed),
            stages: self.stages.iter().map(|stage| stage.as_str().to_owned()).collect(),
            pages: self.pages.iter().map(|(path, change)| (path.to_string(), *change)).collect(),
        }
    }
}

impl Computed {
    /// The bytes the disk knows a selected file by.
    pub(crate) fn raw_path(&self, path: &RepoPath) -> Vec<u8> {
        let selected = self.analysis.state.known.selection.files.iter();
        let mut places = selected.map(|file| file.raw()).filter(|raw| RepoPath::from_bytes(raw) == *path);
        places.next().map_or_else(|| path.as_str().as_bytes().to_vec(), <[u8]>::to_vec)
    }
}

fn is_symbol(kind: DeclKind) -> bool {
    kind.is_callable() || kind.type_kind().is_some()
}

/// Which of `names` are names, qualnames or ids of symbols, and the files those are in.
fn known(computed: &Computed, names: &[String]) -> Result<BTreeMap<String, BTreeSet<RepoPath>>, Lost> {
    let wanted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let mut known: BTreeMap<String, BTreeSet<RepoPath>> = BTreeMap::new();
    if wanted.is_empty() {
        return Ok(known);
    }
    let snapshot = &computed.analysis.snapshot;
    let ids = Ids { clashes: &computed.analysis.state.clashes };
    for (slot, file) in snapshot.scanned() {
        let unit = snapshot.unit(slot).ok_or(Lost)?;
        let Contents::Source(summary) = &unit.contents else { continue };
        for decl in summary.decls.iter().filter(|decl| is_symbol(decl.kind)) {
            let id = ids.id(&Symbol { path: file.path.clone(), qualname: decl.qualname.clone() });
            for name in [decl.name.as_str(), decl.qualname.as_str(), &id] {
                if wanted.contains(name) {
                    known.entry(name.to_owned()).or_default().insert(file.path.clone());
                }
            }
        }
    }
    Ok(known)
}

/// The symbols of a file with the digests of their own texts.
fn symbols(path: &RepoPath, facts: &FileFacts, bytes: &[u8], ids: Ids<'_>) -> Vec<(Named, ContentHash)> {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
    let owners = owners(facts, &lines);
    let texts = facts.summary.decls.iter().zip(&facts.texts).enumerate();
    texts
        .filter(|(_, (decl, _))| is_symbol(decl.kind))
        .map(|(at, (decl, text))| {
            let symbol = Named {
                id: ids.id(&Symbol { path: path.clone(), qualname: decl.qualname.clone() }),
                qualname: decl.qualname.to_string(),
                name: decl.name.to_string(),
            };
            let mut digest = KeyHasher::new("own text");
            digest.field("signature", text.signature.as_bytes());
            let own =
                lines.iter().zip(&owners).filter(|(line, owner)| **owner == Some(at) && !line.is_empty());
            own.for_each(|(line, _)| {
                digest.field("line", line);
            });
            (symbol, digest.finish())
        })
        .collect()
}

/// The symbol that each line of a file belongs to: the innermost whose lines it is one of, else the one it stands
/// directly above.
fn owners(facts: &FileFacts, lines: &[&[u8]]) -> Vec<Option<usize>> {
    let mut spans: Vec<(usize, usize, usize)> = Vec::new();
    for (at, (decl, text)) in facts.summary.decls.iter().zip(&facts.texts).enumerate() {
        let (first, last) = ((text.line_start as usize).max(1), (text.line_end as usize).min(lines.len()));
        if is_symbol(decl.kind) && first <= last {
            spans.push((first, last, at));
        }
    }
    // Outer before inner, so that inner ones overwrite.
    spans.sort_unstable_by_key(|(first, last, at)| (*first, std::cmp::Reverse(*last), *at));
    let mut owners: Vec<Option<usize>> = vec![None; lines.len()];
    let mut starts: Vec<bool> = vec![false; lines.len()];
    for (first, last, at) in &spans {
        owners[first - 1..*last].fill(Some(*at));
        starts[first - 1] = true;
    }
    for (first, _, at) in spans {
        let around = first.checked_sub(2).and_then(|above| owners[above]);
        for above in (0..first - 1).rev() {
            if lines[above].is_empty() || owners[above] != around || starts[above] {
                break;
            }
            owners[above] = Some(at);
        }
    }
    owners
}
