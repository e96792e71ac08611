//! A committed skeleton against today's facts: what does not fit any more, and the smallest change that mends it.
//!
//! A skeleton has no file list, so what a change of it does is found out by assigning the files anew. Four
//! ailments are looked for, in this order, until none is left:
//!
//! 1. **Gone.** No file belongs to a stage or to one of its parts: it is taken out.
//! 2. **Unassigned.** A file belongs to no stage: the top-level stage that today's draft has for it is added.
//! 3. **Too large.** A stage has more files of its own than a draft leaves undivided, and stages of today's draft
//!    hold some of them and nothing else: these are added as its parts.
//! 4. **Out of order.** A top-level stage stands before one that uses it more than it is used by it, among stages
//!    of one kind (program, crosscutting, companions): those that must move are moved.
//!
//! A skeleton that was just pinned has none of them, and neither has one that was mended. [`mend_text`] makes the
//! change in the file's text.

mod text;

use bindery_artifacts::wording::counted;
use std::collections::{BTreeMap, BTreeSet};

use bindery_artifacts::{DraftedBy, Skeleton, Stage, StageId};

use crate::assign::{assign_skeleton, stage_ties};
use crate::draft::{Companion, LARGEST_UNDIVIDED};
use crate::order::{components, flow_order};
use crate::skeleton::normalize_skeleton;
use crate::{Draft, FileSketch};

pub use text::{MendedText, mend_text};

/// What is wrong with a stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AilmentKind {
    /// No file belongs to it.
    Gone,
    /// Files that no stage takes need it.
    Unassigned,
    /// It has too many files of its own.
    TooLarge,
    /// It stands before a stage that uses it.
    OutOfOrder,
}

impl AilmentKind {
    /// The word reports use.
    pub fn word(self) -> &'static str {
        match self {
            AilmentKind::Gone => "gone",
            AilmentKind::Unassigned => "unassigned",
            AilmentKind::TooLarge => "too-large",
            AilmentKind::OutOfOrder => "out-of-order",
        }
    }
}

/// Something in a skeleton that does not fit today's facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ailment {
    /// What.
    pub kind: AilmentKind,
    /// The stage it is about: one of the skeleton's, or for unassigned files the one they need.
    pub stage: StageId,
    /// Every stage the remedy takes out, adds or moves.
    pub touched: Vec<StageId>,
    /// The reason, for people.
    pub message: String,
}

/// What a skeleton lacks, and what it is with that mended.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnosis {
    /// In the order they were found.
    pub ailments: Vec<Ailment>,
    /// The skeleton without them.
    pub mended: Skeleton,
}

/// More rounds than any skeleton needs: each adds or takes out a stage, or ends.
const MOST_ROUNDS: usize = 1_000;
/// Examples that a message names.
const MOST_NAMED: usize = 3;

/// Holds a committed skeleton, as it was read, against today's draft and files.
pub fn diagnose(skeleton: &Skeleton, draft: &Draft, sketches: &[FileSketch]) -> Diagnosis {
    let mut ailments = Vec::new();
    let mut mended = skeleton.clone();
    for _ in 0..MOST_ROUNDS {
        if sketches.is_empty() {
            break;
        }
        let patient = Patient::new(&mended, draft, sketches);
        let found = [Patient::gone, Patient::unassigned, Patient::too_large, Patient::out_of_order]
            .iter()
            .find_map(|look| Some(look(&patient)).filter(|found| !found.is_empty()));
        let Some(found) = found else { break };
        for (ailment, remedy) in found {
            remedy.apply(&mut mended);
            ailments.push(ailment);
        }
    }
    if !ailments.is_empty() {
        mended.rebuild_children();
        mended.metadata.drafted_by = DraftedBy::SkeletonDoctor;
    }
    Diagnosis { ailments, mended }
}

/// A change of a skeleton.
enum Remedy {
    Remove(Vec<StageId>),
    /// Adds a stage behind another one with its parts, both in the list and in the order; first without one.
    Add(Box<Stage>, Option<StageId>),
    Order(Vec<StageId>),
}

/// A skeleton with the files of its stages.
struct Patient<'a> {
    /// The normal form.
    skeleton: Skeleton,
    draft: &'a Draft,
    sketches: &'a [FileSketch],
    stages: crate::FileStages,
    ids: BTreeSet<StageId>,
}

type Found = Vec<(Ailment, Remedy)>;

impl<'a> Patient<'a> {
    fn new(skeleton: &Skeleton, draft: &'a Draft, sketches: &'a [FileSketch]) -> Self {
        let ids = skeleton.stages.iter().map(|stage| stage.id.clone()).collect();
        let (skeleton, _) = normalize_skeleton(skeleton.clone());
        let stages = assign_skeleton(&skeleton, draft, sketches);
        Self { skeleton, draft, sketches, stages, ids }
    }

    /// The files of each stage's own, by place.
    fn own(&self) -> Vec<Vec<u32>> {
        let mut own = vec![Vec::new(); self.skeleton.stages.len()];
        for (file, stage) in self.stages.primary.iter().enumerate() {
            if let Some(stage) = stage {
                own[*stage as usize].push(file as u32);
            }
        }
        own
    }

    fn gone(&self) -> Found {
        let stages = &self.skeleton.stages;
        let mut is_empty: Vec<bool> = self.own().iter().map(Vec::is_empty).collect();
        let places: BTreeMap<&StageId, usize> =
            stages.iter().enumerate().map(|(at, stage)| (&stage.id, at)).collect();
        // Parts stand behind their stage in the normal form.
        for at in (0..stages.len()).rev() {
            if let (false, Some(parent)) = (is_empty[at], &stages[at].parent) {
                is_empty[places[parent]] = false;
            }
        }
        let mut found = Found::new();
        for (at, stage) in stages.iter().enumerate().filter(|(at, _)| is_empty[*at]) {
            let is_part = stage.parent.as_ref().is_some_and(|parent| is_empty[places[parent]]);
            // An id with the suffix of a reserved name is not in the file; what a person called so is theirs to mend.
            if is_part || !self.ids.contains(&stage.id) {
                continue;
            }
            let mut touched = vec![stage.id.clone()];
            for part in &stages[at + 1..] {
                if part.parent.as_ref().is_some_and(|parent| touched.contains(parent)) {
                    touched.push(part.id.clone());
                }
            }
            let parts = if touched.len() > 1 { " nor to its parts" } else { "" };
            let message = format!("no file belongs to stage `{}`{parts} any more", stage.id);
            let ailment = Ailment { kind: AilmentKind::Gone, stage: stage.id.clone(), touched, message };
            let remedy = Remedy::Remove(ailment.touched.clone());
            found.push((ailment, remedy));
        }
        found
    }

    fn unassigned(&self) -> Found {
        let draft = &self.draft.skeleton.stages;
        let tops = crate::assign::tops(&self.draft.skeleton);
        let mut needed: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for ((sketch, primary), stage) in
            self.sketches.iter().zip(&self.stages.primary).zip(&self.draft.stage_of)
        {
            if primary.is_none() {
                needed.entry(tops[*stage as usize]).or_default().push(sketch.path.as_str());
            }
        }
        // One at a time: its files may draw others along.
        let mut found = Found::new();
        for (top, files) in needed.into_iter().take(1) {
            let drafted = &draft[top as usize];
            let stage = Stage { parent: None, children: Vec::new(), ..drafted.clone() };
            let message = format!("{} to no stage: {}", belong(files.len()), named(&files));
            let ailment = Ailment {
                kind: AilmentKind::Unassigned,
                stage: stage.id.clone(),
                touched: vec![stage.id.clone()],
                message,
            };
            found.push((ailment, Remedy::Add(Box::new(stage), self.drafted_before(&drafted.id))));
        }
        found
    }

    /// The nearest top-level stage before another one in the draft's order that the skeleton has.
    fn drafted_before(&self, id: &StageId) -> Option<StageId> {
        let order = self.draft.skeleton.order.as_deref().unwrap_or_default();
        let known = self.skeleton.order.as_deref().unwrap_or_default();
        let before = order.iter().take_while(|other| *other != id);
        before.filter(|other| known.contains(other) && self.ids.contains(*other)).last().cloned()
    }

    fn too_large(&self) -> Found {
        let own = self.own();
        let mut found = Found::new();
        for (at, files) in own.iter().enumerate().filter(|(_, files)| files.len() > LARGEST_UNDIVIDED) {
            let stage = &self.skeleton.stages[at];
            let parts = self.parts_of(at as u32, files.len());
            if parts.is_empty() || !self.ids.contains(&stage.id) {
                continue;
            }
            let message =
                format!("stage `{}` has {} of its own", stage.id, counted(files.len() as u64, "file"));
            let mut before = stage.id.clone();
            for part in parts {
                let drafted = &self.draft.skeleton.stages[part as usize];
                let part = Stage {
                    parent: Some(stage.id.clone()),
                    children: Vec::new(),
                    crosscut: false,
                    ..drafted.clone()
                };
                let ailment = Ailment {
                    kind: AilmentKind::TooLarge,
                    stage: stage.id.clone(),
                    touched: vec![part.id.clone()],
                    message: message.clone(),
                };
                let behind = std::mem::replace(&mut before, part.id.clone());
                found.push((ailment, Remedy::Add(Box::new(part), Some(behind))));
            }
        }
        found
    }

    /// The largest stages of the draft whose files all are a stage's own, but not all of these.
    fn parts_of(&self, stage: u32, size: usize) -> Vec<u32> {
        let drafted = &self.draft.skeleton.stages;
        let places: BTreeMap<&StageId, usize> =
            drafted.iter().enumerate().map(|(at, stage)| (&stage.id, at)).collect();
        let parent = |at: usize| drafted[at].parent.as_ref().and_then(|parent| places.get(parent).copied());
        // Files in each drafted stage with its parts: how many there are, how many are the stage's own.
        let mut all = vec![0usize; drafted.len()];
        let mut own = vec![0usize; drafted.len()];
        for (primary, drafted) in self.stages.primary.iter().zip(&self.draft.stage_of) {
            all[*drafted as usize] += 1;
            own[*drafted as usize] += usize::from(*primary == Some(stage));
        }
        for at in (0..drafted.len()).rev() {
            if let Some(parent) = parent(at) {
                all[parent] += all[at];
                own[parent] += own[at];
            }
        }
        let is_fit = |at: usize| {
            all[at] > 0 && own[at] == all[at] && all[at] < size && !self.ids.contains(&drafted[at].id)
        };
        let has_fit_above = |at: usize| std::iter::successors(parent(at), |at| parent(*at)).any(is_fit);
        (0..drafted.len()).filter(|at| is_fit(*at) && !has_fit_above(*at)).map(|at| at as u32).collect()
    }

    fn out_of_order(&self) -> Found {
        let stages = &self.skeleton.stages;
        let top: Vec<u32> =
            (0..stages.len()).filter(|at| stages[*at].parent.is_none()).map(|at| at as u32).collect();
        let node = |stage: u32| top.binary_search(&stage).ok().map(|at| at as u32);
        let ties = stage_ties(&self.skeleton, self.sketches, &self.stages);
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for ((user, used), weight) in &ties {
            let is_same_kind = kind(&stages[*user as usize]) == kind(&stages[*used as usize]);
            let leads = *weight > ties.get(&(*used, *user)).copied().unwrap_or(0);
            if let (true, true, Some(user), Some(used)) = (is_same_kind, leads, node(*user), node(*used)) {
                edges.push((user, used));
            }
        }
        let mut followers = vec![Vec::new(); top.len()];
        edges.iter().for_each(|(user, used)| followers[*user as usize].push(*used));
        let component = components(&followers);
        let is_wrong = |(user, used): &&(u32, u32)| {
            component[*user as usize] != component[*used as usize] && used < user
        };
        let id = |at: u32| stages[top[at as usize] as usize].id.clone();
        let wrong: Vec<&(u32, u32)> = edges.iter().filter(is_wrong).collect();
        let order: Vec<u32> = flow_order(&(0..top.len()).collect::<Vec<_>>(), &edges);
        let order: Vec<StageId> = order.into_iter().map(id).collect();
        if wrong.is_empty() || !order.iter().all(|id| self.ids.contains(id)) {
            return Found::new();
        }
        let before: Vec<StageId> = (0..top.len() as u32).map(id).collect();
        let touched = moved(&before, &order);
        let reasons: Vec<String> =
            wrong.iter().map(|(user, used)| format!("`{}` uses `{}`", id(*user), id(*used))).collect();
        let message = format!("the order no longer follows the flow: {}", reasons.join(", "));
        let ailment = Ailment { kind: AilmentKind::OutOfOrder, stage: touched[0].clone(), touched, message };
        vec![(ailment, Remedy::Order(order))]
    }
}

/// The kinds that a draft keeps apart in its order.
fn kind(stage: &Stage) -> (bool, bool) {
    (Companion::has_id(stage.id.as_str()), stage.crosscut)
}

/// The ids that a longest run of unmoved ones leaves out.
fn moved(before: &[StageId], after: &[StageId]) -> Vec<StageId> {
    let place = |id: &StageId| before.iter().position(|other| other == id).unwrap_or(usize::MAX);
    let places: Vec<usize> = after.iter().map(place).collect();
    // The longest increasing run that ends at each place, and the place before it in that run.
    let mut longest: Vec<(usize, Option<usize>)> = Vec::with_capacity(places.len());
    for (at, place) in places.iter().enumerate() {
        let best = (0..at).filter(|other| places[*other] < *place).max_by_key(|other| longest[*other].0);
        longest.push((best.map_or(0, |best| longest[best].0) + 1, best));
    }
    let mut kept = BTreeSet::new();
    let mut next = (0..places.len()).max_by_key(|at| longest[*at].0);
    while let Some(at) = next {
        kept.insert(at);
        next = longest[at].1;
    }
    (0..after.len()).filter(|at| !kept.contains(at)).map(|at| after[at].clone()).collect()
}

fn belong(count: usize) -> String {
    format!("{} {}", counted(count as u64, "file"), if count == 1 { "belongs" } else { "belong" })
}

fn named(files: &[&str]) -> String {
    let names: Vec<String> = files.iter().take(MOST_NAMED).map(|file| format!("`{file}`")).collect();
    let more = if files.len() > MOST_NAMED { ", …" } else { "" };
    format!("{}{more}", names.join(", "))
}

impl Remedy {
    fn apply(self, skeleton: &mut Skeleton) {
        match self {
            Remedy::Remove(ids) => {
                skeleton.stages.retain(|stage| !ids.contains(&stage.id));
                if let Some(order) = &mut skeleton.order {
                    order.retain(|id| !ids.contains(id));
                }
            }
            Remedy::Add(stage, behind) => {
                if let (Some(order), None) = (&mut skeleton.order, &stage.parent) {
                    let at = behind.as_ref().and_then(|behind| order.iter().position(|id| id == behind));
                    order.insert(at.map_or(0, |at| at + 1), stage.id.clone());
                }
                let at = behind.map_or(0, |behind| end_of(skeleton, &behind));
                skeleton.stages.insert(at, *stage);
            }
            Remedy::Order(order) => skeleton.order = Some(order),
        }
    }
}

/// The place behind a stage and its parts in the list.
fn end_of(skeleton: &Skeleton, id: &StageId) -> usize {
    let mut family = vec![id];
    let mut end = 0;
    for (at, stage) in skeleton.stages.iter().enumerate() {
        if stage.parent.as_ref().is_some_and(|parent| family.contains(&parent)) {
            family.push(&stage.id);
        }
        if family.contains(&&stage.id) {
            end = at + 1;
        }
    }
    end
}
