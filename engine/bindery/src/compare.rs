//! Two states of a repository beside each other: which outputs differ (`affected`), and what changed in meaning
//! (`diff`).
//!
//! Each side is worked out with its own configuration. The earlier one leaves its state in a work directory of its
//! own, so that the later one, and the next comparison with the same commit, only redo what differs. A file is
//! looked into only if its content, what its calls lead to, or who calls it differs.

use std::collections::{BTreeMap, BTreeSet};

use bindery_facts::FileFacts;
use bindery_graph::{Callee, MODULE_NAME, Outcome, Symbol};
use bindery_handbook::components;
use bindery_source::RepoPath;

use crate::blobs::Lost;
use crate::digest::callers_of_file;
use crate::exports::card_text;
use crate::identity::Ids;
use crate::options::{Options, Quiet, Source};
use crate::outcome::{AffectedOutcome, Declared, DiffOutcome, Edge, Failure, Moved};
use crate::query::callee_id;
use crate::repository::Repository;
use crate::run::{Computed, Run};
use crate::state::FileRecord;

/// The outputs that differ between two states: of the commit `since`, and of the commit `to` or the files on disk.
pub fn affected(options: &Options, since: &str, to: Option<&str>) -> Result<AffectedOutcome, Failure> {
    compared(options, since, to, |sides| sides.affected())
}

/// What changed in meaning between two states, likewise.
pub fn diff(options: &Options, since: &str, to: Option<&str>) -> Result<DiffOutcome, Failure> {
    compared(options, since, to, |sides| sides.diff())
}

fn compared<T>(
    options: &Options,
    since: &str,
    to: Option<&str>,
    ask: impl Fn(&Sides<'_>) -> Result<T, Lost>,
) -> Result<T, Failure> {
    let opened = |source| Repository::open(&Options { source, ..options.clone() });
    let before = opened(Source::Commit(since.to_owned()))?;
    let after = opened(to.map_or(Source::WorkingTree, |to| Source::Commit(to.to_owned())))?;
    let mut first = Side::of(&before)?;
    // The later side starts from this; its own state is left alone, which would take the place of the first's.
    first.run.commit(first.computed.analysis.state.clone());
    let mut second = Side::of(&after)?;
    loop {
        match ask(&Sides { before: &first, after: &second }) {
            Ok(answer) => return Ok(answer),
            Err(Lost) => {
                first.computed = first.run.compute_anew()?;
                second.computed = second.run.compute_anew()?;
            }
        }
    }
}

/// One of two states that are compared.
pub(crate) struct Side<'r> {
    pub(crate) run: Run<'r>,
    pub(crate) computed: Computed,
}

/// What `ask` finds out of two states; `before` leaves its state in its work directory, where `after`, which has the
/// same, starts from it.
pub(crate) fn beside<T>(
    before: &Repository,
    after: &Repository,
    ask: impl Fn(&Side<'_>, &Side<'_>, AffectedOutcome) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut first = Side::of(before)?;
    first.run.commit(first.computed.analysis.state.clone());
    let mut second = Side::of(after)?;
    loop {
        match (Sides { before: &first, after: &second }).affected() {
            Ok(affected) => return ask(&first, &second, affected),
            Err(Lost) => {
                first.computed = first.run.compute_anew()?;
                second.computed = second.run.compute_anew()?;
            }
        }
    }
}

impl<'r> Side<'r> {
    fn of(repository: &'r Repository) -> Result<Self, Failure> {
        let (run, computed) = repository.computed(&Quiet)?;
        Ok(Self { run, computed })
    }

    fn ids(&self) -> Ids<'_> {
        Ids { clashes: &self.computed.analysis.state.clashes }
    }

    /// The files whose facts were read, by path.
    fn files(&self) -> BTreeMap<&RepoPath, (u32, &FileRecord)> {
        let scanned = self.computed.analysis.snapshot.scanned();
        scanned.into_iter().map(|(slot, file)| (&file.path, (slot, file))).collect()
    }

    fn stage_id(&self, page: &str) -> Option<String> {
        let structure = &self.computed.structure;
        let at = structure.pages.iter().position(|name| name.as_deref() == Some(page))?;
        Some(structure.skeleton.stages[at].id.as_str().to_owned())
    }

    /// The declarations of a file, by id.
    fn declared(&self, path: &RepoPath, slot: u32) -> Result<BTreeMap<String, Declared>, Lost> {
        let facts = self.computed.analysis.snapshot.facts(slot)?;
        let shown = |(decl, text): (&bindery_facts::Decl, &bindery_facts::DeclText)| {
            let is_function = decl.kind.is_callable();
            let kind = match decl.kind.type_kind() {
                Some(kind) => kind,
                None if is_function => "function",
                None => return None,
            };
            let id = self.ids().id(&Symbol { path: path.clone(), qualname: decl.qualname.clone() });
            let declared = Declared {
                id: id.clone(),
                kind: kind.to_owned(),
                qualname: decl.qualname.to_string(),
                signature: text.signature.clone(),
                file: path.to_string(),
                line: text.line_start,
            };
            Some((id, declared))
        };
        Ok(facts.summary.decls.iter().zip(&facts.texts).filter_map(shown).collect())
    }

    /// The calls of a file that lead somewhere, each pair of ends once.
    fn edges(&self, path: &RepoPath, slot: u32) -> Result<BTreeSet<Edge>, Lost> {
        let snapshot = &self.computed.analysis.snapshot;
        let (facts, resolution) = (snapshot.facts(slot)?, snapshot.resolution(slot)?);
        let mut edges = BTreeSet::new();
        for (site, outcome) in facts.bodies.sites.iter().zip(&resolution.outcomes) {
            let Outcome::Edges(_, callees) = outcome else { continue };
            let caller = self.caller(path, &facts, site.caller.map(|caller| caller.0));
            edges.extend(callees.iter().map(|callee| Edge {
                caller: caller.clone(),
                callee: callee_id(callee, self.ids()),
                is_internal: !matches!(callee, Callee::Boundary { .. }),
            }));
        }
        Ok(edges)
    }

    fn caller(&self, path: &RepoPath, facts: &FileFacts, at: Option<u32>) -> String {
        let qualname = at.map_or(MODULE_NAME.into(), |at| facts.summary.decls[at as usize].qualname.clone());
        self.ids().id(&Symbol { path: path.clone(), qualname })
    }

    /// The calls inside the set, of all files.
    fn internal_edges(&self) -> Result<BTreeSet<Edge>, Lost> {
        let mut all = BTreeSet::new();
        for (path, (slot, _)) in self.files() {
            all.extend(self.edges(path, slot)?.into_iter().filter(|edge| edge.is_internal));
        }
        Ok(all)
    }
}

struct Sides<'s> {
    before: &'s Side<'s>,
    after: &'s Side<'s>,
}

/// A file on both sides, on one of them not there.
type Both<'s> = (&'s RepoPath, Option<u32>, Option<u32>);

impl Sides<'_> {
    fn affected(&self) -> Result<AffectedOutcome, Lost> {
        let (before, after) = (&self.before.computed.handbook, &self.after.computed.handbook);
        let pages = differing(&before.records, &after.records, |record| record.bytes);
        let models = differing(&before.models, &after.models, |digest| *digest);
        let stages: BTreeSet<String> = models
            .into_iter()
            .filter_map(|page| self.after.stage_id(page).or_else(|| self.before.stage_id(page)))
            .collect();
        let mut cards = Vec::new();
        for (path, before, after) in self.differing_files()? {
            let text = |side: &Side<'_>, slot: Option<u32>| match slot {
                Some(slot) => card_text(&side.computed.presenter(&side.run), slot).map(Some),
                None => Ok(None),
            };
            if text(self.before, before)? != text(self.after, after)? {
                cards.push(path.to_string());
            }
        }
        Ok(AffectedOutcome {
            stages: stages.into_iter().collect(),
            cards,
            pages: pages.into_iter().map(ToString::to_string).collect(),
        })
    }

    /// The files that are not the same on both sides, as far as a card or an edge could show it, in path order.
    fn differing_files(&self) -> Result<Vec<Both<'_>>, Lost> {
        let (before, after) = (self.before.files(), self.after.files());
        let same_ids = self.before.ids().clashes == self.after.ids().clashes;
        let mut differing = Vec::new();
        for path in before.keys().chain(after.keys()).copied().collect::<BTreeSet<_>>() {
            let (old, new) = (before.get(path), after.get(path));
            let is_same = match (old, new) {
                (Some(old), Some(new)) => same_ids && self.is_same(path, *old, *new)?,
                _ => false,
            };
            if !is_same {
                differing.push((path, old.map(|(slot, _)| *slot), new.map(|(slot, _)| *slot)));
            }
        }
        Ok(differing)
    }

    fn is_same(
        &self,
        path: &RepoPath,
        old: (u32, &FileRecord),
        new: (u32, &FileRecord),
    ) -> Result<bool, Lost> {
        if old.1.content != new.1.content {
            return Ok(false);
        }
        let (before, after) = (&self.before.computed.analysis, &self.after.computed.analysis);
        if before.snapshot.resolution(old.0)? != after.snapshot.resolution(new.0)? {
            return Ok(false);
        }
        let callers = |side: &Side<'_>| callers_of_file(&side.computed.analysis, &side.run.blobs, path);
        Ok(callers(self.before)? == callers(self.after)?)
    }

    fn diff(&self) -> Result<DiffOutcome, Lost> {
        let (mut removed, mut added) = (BTreeMap::new(), BTreeMap::new());
        let (mut lost, mut gained) = (BTreeSet::new(), BTreeSet::new());
        for (path, before, after) in self.differing_files()? {
            if let Some(slot) = before {
                removed.extend(self.before.declared(path, slot)?);
                lost.extend(self.before.edges(path, slot)?);
            }
            if let Some(slot) = after {
                added.extend(self.after.declared(path, slot)?);
                gained.extend(self.after.edges(path, slot)?);
            }
        }
        let changed = without_common(&mut removed, &mut added);
        let moved = take_moved(&mut removed, &mut added);
        let renamed: BTreeMap<&str, &str> =
            moved.iter().map(|moved| (moved.before.id.as_str(), moved.after.id.as_str())).collect();
        let lost: BTreeSet<Edge> = lost.into_iter().map(|edge| edge.renamed(&renamed)).collect();
        let gained_only: Vec<Edge> = gained.difference(&lost).cloned().collect();
        let lost: Vec<Edge> = lost.difference(&gained).cloned().collect();
        Ok(DiffOutcome {
            added: added.into_values().collect(),
            removed: removed.into_values().collect(),
            cycles: self.new_cycles(&gained_only, &renamed)?,
            moved,
            changed,
            gained: gained_only,
            lost,
            affected: self.affected()?,
        })
    }

    /// The cycles of calls that a gained call closes, each as its functions in id order.
    fn new_cycles(&self, gained: &[Edge], renamed: &BTreeMap<&str, &str>) -> Result<Vec<Vec<String>>, Lost> {
        let candidates: Vec<&Edge> =
            gained.iter().filter(|edge| edge.is_internal && edge.caller != edge.callee).collect();
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let after = Cycles::of(&self.after.internal_edges()?);
        let closing: Vec<&&Edge> = candidates.iter().filter(|edge| after.joins(edge)).collect();
        if closing.is_empty() {
            return Ok(Vec::new());
        }
        let earlier = self.before.internal_edges()?.into_iter().map(|edge| edge.renamed(renamed)).collect();
        let before = Cycles::of(&earlier);
        let new = closing.into_iter().filter(|edge| !before.joins(edge));
        let cycles: BTreeSet<Vec<String>> = new.map(|edge| after.members(&edge.caller)).collect();
        Ok(cycles.into_iter().collect())
    }
}

/// The keys whose values differ, those on one side only included, sorted.
fn differing<'m, K: Ord, V, T: PartialEq>(
    before: &'m BTreeMap<K, V>,
    after: &'m BTreeMap<K, V>,
    shown: impl Fn(&V) -> T,
) -> BTreeSet<&'m K> {
    let value = |side: &BTreeMap<K, V>, key: &K| side.get(key).map(&shown);
    before.keys().chain(after.keys()).filter(|key| value(before, key) != value(after, key)).collect()
}

/// Takes what is on both sides out of them; gives what has another signature or kind now.
fn without_common(
    removed: &mut BTreeMap<String, Declared>,
    added: &mut BTreeMap<String, Declared>,
) -> Vec<Declared> {
    let common: Vec<String> = removed.keys().filter(|id| added.contains_key(*id)).cloned().collect();
    let mut changed = Vec::new();
    for id in common {
        let (Some(old), Some(new)) = (removed.remove(&id), added.remove(&id)) else { continue };
        if (&old.kind, &old.signature) != (&new.kind, &new.signature) {
            changed.push(new);
        }
    }
    changed
}

/// Takes out what only has another file now: the same name, kind and signature, once on each side.
fn take_moved(
    removed: &mut BTreeMap<String, Declared>,
    added: &mut BTreeMap<String, Declared>,
) -> Vec<Moved> {
    type Likeness = (String, String, String);
    fn by_likeness(side: &BTreeMap<String, Declared>) -> BTreeMap<Likeness, Vec<String>> {
        let mut alike: BTreeMap<Likeness, Vec<String>> = BTreeMap::new();
        for (id, declared) in side {
            let likeness = (declared.qualname.clone(), declared.kind.clone(), declared.signature.clone());
            alike.entry(likeness).or_default().push(id.clone());
        }
        alike
    }
    let (old, new) = (by_likeness(removed), by_likeness(added));
    let mut moved = Vec::new();
    for (likeness, from) in &old {
        let Some(to) = new.get(likeness) else { continue };
        if let ([from], [to]) = (&from[..], &to[..])
            && let (Some(before), Some(after)) = (removed.remove(from), added.remove(to))
        {
            moved.push(Moved { before, after });
        }
    }
    moved
}

/// Which functions call each other in circles.
struct Cycles {
    numbers: BTreeMap<String, u32>,
    component: Vec<u32>,
}

impl Cycles {
    fn of(edges: &BTreeSet<Edge>) -> Self {
        let ends: BTreeSet<&str> =
            edges.iter().flat_map(|edge| [edge.caller.as_str(), edge.callee.as_str()]).collect();
        let numbers: BTreeMap<String, u32> = ends.into_iter().map(str::to_owned).zip(0..).collect();
        let mut followers = vec![Vec::new(); numbers.len()];
        for edge in edges {
            followers[numbers[&edge.caller] as usize].push(numbers[&edge.callee]);
        }
        Self { numbers, component: components(&followers) }
    }

    fn component(&self, id: &str) -> Option<u32> {
        Some(self.component[*self.numbers.get(id)? as usize])
    }

    /// Whether both ends of a call lie in one circle.
    fn joins(&self, edge: &Edge) -> bool {
        let caller = self.component(&edge.caller);
        caller.is_some() && caller == self.component(&edge.callee)
    }

    fn members(&self, id: &str) -> Vec<String> {
        let component = self.component(id);
        let ids = self.numbers.keys().filter(|other| self.component(other) == component);
        ids.cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(pairs: &[(&str, &str)]) -> BTreeSet<Edge> {
        let edge = |(caller, callee): &(&str, &str)| Edge {
            caller: (*caller).to_owned(),
            callee: (*callee).to_owned(),
            is_internal: true,
        };
        pairs.iter().map(edge).collect()
    }

    #[test]
    fn circles_have_their_members() {
        let cycles = Cycles::of(&edges(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "d")]));
        let joins = |pair: (&str, &str)| edges(&[pair]).iter().all(|edge| cycles.joins(edge));
        assert!(joins(("a", "c")) && !joins(("c", "d")) && !joins(("x", "y")));
        assert_eq!(cycles.members("b"), ["a", "b", "c"]);
    }

    fn declared(id: &str, qualname: &str, signature: &str) -> (String, Declared) {
        let declared = Declared {
            id: id.to_owned(),
            kind: "function".to_owned(),
            qualname: qualname.to_owned(),
            signature: signature.to_owned(),
            file: String::new(),
            line: 1,
        };
        (id.to_owned(), declared)
    }

    #[test]
    fn only_what_is_unmistakably_the_same_has_moved() {
        let mut removed = BTreeMap::from([
            declared("a.f", "f", "f()"),
            declared("a.g", "g", "g()"),
            declared("b.g", "g", "g()"),
        ]);
        let mut added = BTreeMap::from([declared("c.f", "f", "f()"), declared("c.g", "g", "g()")]);
        let moved = take_moved(&mut removed, &mut added);
        let ids: Vec<(&str, &str)> =
            moved.iter().map(|moved| (moved.before.id.as_str(), moved.after.id.as_str())).collect();
        assert_eq!(ids, [("a.f", "c.f")]);
        assert_eq!((removed.len(), added.len()), (2, 1), "which `g` moved cannot be told");
    }
}
