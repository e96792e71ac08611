//! The prose of a run: which units the handbook has, which are written already, which are asked for.
//!
//! With the built-in narrator there is nothing to do here. With another one, each unit's request is made from facts
//! and source text, and its answer is looked up by the request's digest in the prose that is kept
//! ([`ProseStore`]). What is missing is asked for by `build`, if the user lets it; every answer is kept before the next
//! one is waited for. `check` and everything else that only looks asks nobody: it takes a missing unit's text from the
//! page it stands on.

mod on_pages;
mod store;
mod units;

use std::collections::BTreeMap;
use std::sync::Arc;

use bindery_artifacts::{MissingProse, ProseEntry, ProseReport, ProseTexts, QueryKind};
use bindery_handbook::ModelProse;
use bindery_handbook::request::{ProseRequest, Unit};
use bindery_narrators::{Asked, Narrator, Secret};
use bindery_source::{ContentHash, KeyHasher};

use crate::analysis::{Analysis, Stop};
use crate::outcome::{Failure, PlannedRequest};
use crate::readme::About;
use crate::repository::Repository;
use crate::run::Run;
use crate::structure::Structure;
use crate::user_configuration::{ModelWish, Refusal, Wish};

use store::ProseStore;
pub(crate) use store::kept_digest;
use units::{Collected, Wanted};

/// What a run does about prose it does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    /// It asks the narrator, if it may.
    AskedFor,
    /// It takes what stands on the pages that are there.
    FromPages,
    /// It lists the requests.
    Listed,
}

/// The prose that is there, and what came of asking for the rest.
struct Kept {
    store: ProseStore,
    /// The model that is asked, whose answers come first.
    model: Option<String>,
    /// Whether somebody is asked, and if not, why.
    asks: Result<(), Refusal>,
    /// What failed.
    problems: BTreeMap<Unit, String>,
}

impl Kept {
    /// Whether a request is to be made.
    fn is_missing(&self, digest: &ContentHash) -> bool {
        self.asks.is_ok() && self.store.find(digest, self.model.as_deref()).is_none()
    }

    /// The answer to a request: rather another model's than none.
    fn answer(&self, digest: &ContentHash) -> Option<&ProseEntry> {
        let own = self.store.find(digest, self.model.as_deref());
        own.or_else(|| self.store.find(digest, None))
    }
}

/// What a run shows of prose.
#[derive(Default)]
pub(crate) struct Narration {
    /// None if the built-in narrator writes it.
    pub(crate) prose: Option<ModelProse>,
    /// What each stage's page shows of it, by the stage's id; under the empty name what pages about everything show.
    pub(crate) digests: BTreeMap<String, ContentHash>,
    /// Whether units are empty that another run may have.
    pub(crate) lacks_prose: bool,
    /// With [`Missing::Listed`]: what would be asked.
    pub(crate) planned: Vec<PlannedRequest>,
}

impl Run<'_> {
    /// Brings the prose together.
    pub(crate) fn narrate(
        &mut self,
        analysis: &Analysis,
        structure: &Structure,
        about: &About,
    ) -> Result<Narration, Stop> {
        let repository = self.repository;
        let Wish::Model(wish) = &repository.wish else { return Ok(Narration::default()) };
        let asks = match self.missing {
            Missing::AskedFor => wish.may_ask(&repository.options),
            Missing::Listed => Ok(()),
            Missing::FromPages => Err(Refusal::OnlyLooking),
        };
        // Whoever asks wants this model's answers; whoever does not takes what there is, so that the handbook is the
        // same with and without a configuration of the user's.
        let declaration = wish.declaration.as_ref().filter(|_| asks.is_ok());
        let model = declaration.map(|declaration| declaration.model.clone().unwrap_or_default());
        let store = ProseStore::read(repository)?;
        let mut kept = Kept { store, model, asks, problems: BTreeMap::new() };
        let keeps = |digest: &ContentHash| kept.is_missing(digest);
        let mut collected =
            units::collect(repository, analysis, &self.blobs, structure, about, &wish.name, &keeps)?;
        let requests: Vec<ProseRequest> =
            collected.wanted.iter_mut().filter_map(|wanted| wanted.request.take()).collect();
        if self.missing == Missing::Listed {
            let mut planned: Vec<PlannedRequest> = requests.iter().map(planned).collect();
            planned.sort();
            return Ok(Narration { planned, ..Narration::default() });
        }
        let received = self.ask(&mut kept, wish, requests)?;
        Ok(self.tell(kept, &collected, received, structure)?)
    }

    /// What there is to show when nothing more is asked.
    fn tell(
        &mut self,
        mut kept: Kept,
        collected: &Collected,
        received: u64,
        structure: &Structure,
    ) -> Result<Narration, Failure> {
        let Collected { wanted, changed } = collected;
        let used: Vec<ContentHash> = wanted.iter().map(|wanted| wanted.digest).collect();
        if self.missing == Missing::AskedFor {
            kept.store.settle(self.repository, &used, kept.model.as_deref())?;
        }
        let has_changed = |unit: &Unit| MissingProse {
            unit: unit.to_string(),
            reason: "the file changed while it was read".to_owned(),
        };
        let mut report = ProseReport {
            narrator: self.repository.configuration.narrator.clone(),
            units: (wanted.len() + changed.len()) as u64,
            received,
            unused: kept.store.unused(&used),
            missing: changed.iter().map(has_changed).collect(),
            ..ProseReport::default()
        };
        let prose = self.prose(wanted, &kept, structure, &mut report)?;
        let counts = self.report.queries.entry(QueryKind::Prose).or_default();
        (counts.computed, counts.reused) = (report.received, report.reused);
        let narration = Narration {
            digests: digests(wanted, &prose, structure),
            prose: Some(prose),
            lacks_prose: !kept.problems.is_empty() || !report.missing.is_empty(),
            planned: Vec::new(),
        };
        self.report.prose = Some(report);
        Ok(narration)
    }

    /// The text of every unit: the one that is kept, else the page's if this run only looks, else none.
    fn prose(
        &self,
        wanted: &[Wanted],
        kept: &Kept,
        structure: &Structure,
        report: &mut ProseReport,
    ) -> Result<ModelProse, Failure> {
        let mut pages = None;
        let mut texts: Vec<(Unit, ProseTexts)> = Vec::new();
        for Wanted { unit, digest, .. } in wanted {
            if let Some(entry) = kept.answer(digest) {
                texts.push((unit.clone(), entry.texts.clone()));
                continue;
            }
            if self.missing == Missing::FromPages {
                let pages = match &mut pages {
                    Some(pages) => pages,
                    none => none.insert(on_pages::prose_on_pages(self.repository, structure)?),
                };
                texts.extend(pages.texts(unit).map(|texts| (unit.clone(), texts)));
                continue;
            }
            let refused = || kept.asks.as_ref().err().map_or_else(String::new, ToString::to_string);
            let reason = kept.problems.get(unit).cloned().unwrap_or_else(refused);
            report.missing.push(MissingProse { unit: unit.to_string(), reason });
        }
        report.missing.sort();
        report.reused = (texts.len() as u64).saturating_sub(report.received);
        Ok(texts.into_iter().collect())
    }

    /// Asks for what is missing, and says how many answers came. Each is kept at once; what failed is noted.
    fn ask(&self, kept: &mut Kept, wish: &ModelWish, requests: Vec<ProseRequest>) -> Result<u64, Failure> {
        let (Some(declaration), Some(directory), false) =
            (&wish.declaration, &wish.directory, requests.is_empty())
        else {
            return Ok(0);
        };
        let repository = self.repository;
        let Kept { store, problems, .. } = kept;
        let narrator = match Narrator::new(declaration, directory, Secret::from_environment) {
            Ok(narrator) => Arc::new(narrator),
            Err(problem) => {
                problems.extend(requests.into_iter().map(|request| (request.unit, problem.to_string())));
                return Ok(0);
            }
        };
        let units: Vec<(Unit, ContentHash)> =
            requests.iter().map(|request| (request.unit.clone(), request.digest)).collect();
        let asked: Vec<_> =
            requests.into_iter().map(|request| request.for_narrator(narrator.model())).collect();
        let (total, mut done, mut received) = (units.len() as u64, 0, 0);
        let mut failure = None;
        let is_called_off = || repository.interrupt.received().is_some();
        let ended = narrator.ask(asked, &is_called_off, &mut |place, result| {
            let (unit, digest) = &units[place];
            done += 1;
            self.progress.step("narrating", done, total);
            match result {
                Ok(texts) => {
                    let entry = ProseEntry {
                        request: digest.to_hex(),
                        model: narrator.model().to_owned(),
                        unit: unit.to_string(),
                        texts,
                    };
                    if let Err(error) = store.keep(repository, entry) {
                        failure.get_or_insert(error);
                    }
                    received += 1;
                }
                Err(problem) => drop(problems.insert(unit.clone(), problem.to_string())),
            }
        });
        if ended == Asked::CalledOff {
            repository.check_interrupt()?;
        }
        match failure {
            Some(failure) => Err(failure),
            None => Ok(received),
        }
    }
}

fn planned(request: &ProseRequest) -> PlannedRequest {
    PlannedRequest { unit: request.unit.to_string(), digest: request.digest.to_hex(), bytes: request.bytes }
}

/// What each stage's page shows of the prose, and what the pages about everything do.
fn digests(wanted: &[Wanted], prose: &ModelProse, structure: &Structure) -> BTreeMap<String, ContentHash> {
    let mut keys: BTreeMap<String, KeyHasher> = BTreeMap::new();
    for Wanted { unit, stages, is_global, .. } in wanted {
        let texts = prose.texts(unit);
        let ids =
            stages.iter().map(|stage| structure.skeleton.stages[*stage as usize].id.as_str().to_owned());
        for id in ids.chain(is_global.then(String::new)) {
            let key = keys.entry(id).or_insert_with(|| KeyHasher::new("prose of a page"));
            key.field("kind", unit.kind.name().as_bytes()).field("subject", unit.subject.as_bytes());
            for (field, text) in texts.into_iter().flatten() {
                key.field(field.name(), text.as_bytes());
            }
        }
    }
    keys.into_iter().map(|(id, key)| (id, key.finish())).collect()
}

impl Repository {
    /// The requests a build would send now; empty with the built-in narrator. Nothing is sent and no output written.
    pub fn planned_requests(&self, progress: &dyn crate::Progress) -> Result<Vec<PlannedRequest>, Failure> {
        let may_write = self.prepare_cache();
        let (mut run, gate) = Run::open(self, progress, may_write);
        run.missing = Missing::Listed;
        let (old, moved) = run.last_state(gate);
        Ok(run.compute(old, moved)?.narration.planned)
    }
}
