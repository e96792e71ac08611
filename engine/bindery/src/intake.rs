//! Reading and parsing of the files that changed.
//!
//! Each file's bytes are read once: they are hashed, looked up in the cache under that hash, and parsed,
//! in that order, and dropped. A file the guards distrust, and every file of a large batch, is parsed by
//! a worker; few small files are parsed here, and one that takes long is handed to a worker after all, which
//! can be killed.

use core::time::Duration;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bindery_facts::{Manifest, encode};
use bindery_graph::{Contents, Unit};
use bindery_languages::for_language;
use bindery_source::{ContentHash, Language, RepoPath};
use bindery_store::fs::FileSystem;
use bindery_store::workers::{Answer, Ending, WorkerCommand, WorkerPool, patience_with};
use bindery_store::{Directory, Durability, Interrupt, Stopwatch, hash_file, read_file, write_atomically};
use bindery_syntax::{
    Cancelled, Limits, PARSER_DIED, PackedFacts, Parsed, Refusal, Route, SourceText, Verdict, WorkerAnswer,
    WorkerEnd, WorkerRequest,
};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::analysis::CachedFacts;
use crate::blobs::{Batches, Blobs};
use crate::options::Progress;
use crate::reading::{Packed, facts_key, left_out, parse_here};
use crate::state::{InputKind, LeftOut, Retired, Status};

/// The file in the work directory that names what this process is parsing.
const PARSING: &[u8] = b"parsing";

/// Up to this many files a process of its own costs more than it protects (starting one takes about 5 ms).
const PARSED_HERE: usize = 8;

/// A parse that takes longer than this in our own process is begun anew in a worker. Real files of a megabyte
/// take a tenth of it.
const PATIENCE_HERE: Duration = Duration::from_secs(2);

/// Cache entries whose key begins with a byte below this are the sample (handbook §6): one in 32.
const SAMPLED_BELOW: u8 = 8;

/// A file to be read.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) path: RepoPath,
    /// What to open: never a link.
    pub(crate) raw: Vec<u8>,
    /// Its size when it was found.
    pub(crate) size: u64,
    pub(crate) kind: InputKind,
    /// Its first line must say which language it is.
    pub(crate) by_first_line: bool,
    /// It is analysed even if it says that it is generated.
    pub(crate) is_included: bool,
}

/// What became of a file.
pub(crate) struct Taken {
    pub(crate) kind: InputKind,
    pub(crate) content: Option<ContentHash>,
    pub(crate) status: Status,
    pub(crate) first_error: Option<u32>,
    /// What others see of it, where this run had it in hand.
    pub(crate) unit: Option<Arc<Unit>>,
    /// Whether the facts came from the cache.
    pub(crate) from_cache: bool,
}

/// Everything reading needs.
pub(crate) struct Intake<'a> {
    pub(crate) file_system: &'a dyn FileSystem,
    pub(crate) blobs: &'a Blobs,
    pub(crate) limits: Limits,
    /// Facts by cache key.
    pub(crate) cached: Option<CachedFacts<'a>>,
    /// Parse a sample of what the cache has all the same, and compare.
    pub(crate) recheck_sample: bool,
    /// How many of the sample differed.
    pub(crate) differing: AtomicU64,
    pub(crate) worker: Option<WorkerCommand>,
    /// How long one file may keep its parser.
    pub(crate) patience: Duration,
    /// The work directory, where files are named while they are parsed in this process.
    pub(crate) work: &'a Directory,
    pub(crate) jobs: usize,
    pub(crate) interrupt: Interrupt,
    pub(crate) progress: &'a dyn Progress,
}

/// A file whose bytes must be parsed.
struct ParseJob {
    index: usize,
    language: Language,
    content: ContentHash,
    key: ContentHash,
    bytes: Vec<u8>,
    /// What the cache has under the key, to be compared.
    recheck: Option<Retired>,
}

enum Read {
    Done(Box<Taken>),
    Store(Box<Taken>, ContentHash, Vec<u8>),
    Parse(ParseJob),
}

impl Intake<'_> {
    /// Reads all `wanted`, in their order.
    pub(crate) fn take(&self, wanted: &[Wanted]) -> Vec<Taken> {
        let run = Run::new(self, wanted);
        match &self.worker {
            Some(command) if wanted.len() > PARSED_HERE || self.crashed_on(wanted) => {
                run.with_workers(command)
            }
            Some(_) if !wanted.is_empty() => {
                self.name(wanted);
                run.here();
            }
            _ => run.here(),
        }
        let taken = run.finish();
        if self.worker.is_some() && !wanted.is_empty() {
            // Whoever reads the names later takes a worker for nothing; that is no fault worth a message.
            let _ = self.work.file_system().remove_file(&self.work.path(PARSING));
        }
        taken
    }

    /// Whether an earlier run ended while it parsed one of these in its own process.
    fn crashed_on(&self, wanted: &[Wanted]) -> bool {
        let Ok(named) = read_file(self.work.file_system(), &self.work.path(PARSING)) else { return false };
        let named: Vec<&[u8]> = named.bytes.split(|byte| *byte == b'\n').collect();
        wanted.iter().any(|wanted| named.contains(&wanted.path.as_str().as_bytes()))
    }

    /// Names the files before they are parsed here: a parser that takes the process along leaves the names.
    fn name(&self, wanted: &[Wanted]) {
        let names: Vec<&str> = wanted.iter().map(|wanted| wanted.path.as_str()).collect();
        let (file_system, path) = (self.work.file_system(), self.work.path(PARSING));
        // A work directory that cannot be written costs the protection, not the build.
        let _ = write_atomically(file_system, &path, names.join("\n").as_bytes(), Durability::Renamed);
    }

    fn read(&self, index: usize, wanted: &Wanted) -> Read {
        if let InputKind::OtherLanguage(_) = wanted.kind {
            return Taken::unread(wanted.kind, Status::LeftOut(LeftOut::LanguageNotAnalysed));
        }
        if wanted.size > self.limits.file_bytes.saturating_mul(2).saturating_add(3) {
            return self.too_large(wanted);
        }
        let bytes = match read_file(self.file_system, &wanted.raw) {
            Ok(read) => read.bytes,
            Err(error) => {
                return Taken::unread(wanted.kind, Status::Unreadable(error.kind.words().to_owned()));
            }
        };
        let content = ContentHash::of(&bytes);
        let done = |kind, status| Read::Done(Box::new(Taken::new(kind, content, status)));
        match wanted.kind {
            InputKind::Manifest(language) => self.read_manifest(wanted, language, content, &bytes),
            InputKind::Readme => {
                let text = SourceText::decode(&bytes).map_or(String::new(), |text| text.as_str().to_owned());
                let blob = encode(&text);
                let taken = Taken::new(wanted.kind, content, Status::Failed(String::new()));
                Read::Store(Box::new(taken), ContentHash::of(&blob), blob)
            }
            InputKind::OtherLanguage(_) => done(wanted.kind, Status::LeftOut(LeftOut::LanguageNotAnalysed)),
            InputKind::Source(named) => {
                let Some(language) =
                    (if wanted.by_first_line { first_line_language(&bytes) } else { Some(named) })
                else {
                    return done(wanted.kind, Status::LeftOut(LeftOut::NoLanguage));
                };
                let kind = InputKind::Source(language);
                if let Some(reason) = left_out(language, &bytes).filter(|_| !wanted.is_included) {
                    return done(kind, Status::LeftOut(reason));
                }
                let entry =
                    for_language(language).expect("inputs are selected by the registry's own languages");
                let key = facts_key(content, entry, &self.limits);
                let cached = self.cached.as_ref().and_then(|cached| cached.get(key));
                match cached {
                    Some(cached) if !self.recheck_sample || key.0[0] >= SAMPLED_BELOW => {
                        Read::Done(Box::new(Taken::cached(kind, content, &cached)))
                    }
                    recheck => Read::Parse(ParseJob { index, language, content, key, bytes, recheck }),
                }
            }
        }
    }

    /// A file that is over the limit however its lines end is hashed and never held.
    fn too_large(&self, wanted: &Wanted) -> Read {
        match hash_file(self.file_system, &wanted.raw) {
            Ok((content, stat)) => {
                let refusal = Refusal::FileBytes { found: stat.size, limit: self.limits.file_bytes };
                let status = Status::Unparsable(refusal.to_string());
                Read::Done(Box::new(Taken::new(wanted.kind, content, status)))
            }
            Err(error) => Taken::unread(wanted.kind, Status::Unreadable(error.kind.words().to_owned())),
        }
    }

    fn read_manifest(&self, wanted: &Wanted, language: Language, content: ContentHash, bytes: &[u8]) -> Read {
        let entry = for_language(language).expect("inputs are selected by the registry's own languages");
        let manifest = match SourceText::decode(bytes) {
            Ok(text) => entry.adapter.manifest(wanted.path.file_name(), text.as_str()),
            Err(problem) => Manifest { entries: Vec::new(), problem: Some((1, problem.to_string())) },
        };
        let blob = encode(&manifest);
        let key = ContentHash::of(&blob);
        let mut taken = Taken::new(wanted.kind, content, Status::Failed(String::new()));
        let contents = Contents::Manifest(language, Arc::new(manifest));
        taken.unit = Some(Arc::new(Unit { path: wanted.path.clone(), contents }));
        Read::Store(Box::new(taken), key, blob)
    }
}

impl Taken {
    fn new(kind: InputKind, content: ContentHash, status: Status) -> Self {
        Self { kind, content: Some(content), status, first_error: None, unit: None, from_cache: false }
    }

    fn unread(kind: InputKind, status: Status) -> Read {
        let taken = Self { kind, content: None, status, first_error: None, unit: None, from_cache: false };
        Read::Done(Box::new(taken))
    }

    fn cached(kind: InputKind, content: ContentHash, cached: &Retired) -> Self {
        let status = Status::Scanned { summary: cached.summary, rest: cached.rest, resolution: None };
        Self { first_error: cached.first_error, from_cache: true, ..Self::new(kind, content, status) }
    }
}

fn first_line_language(bytes: &[u8]) -> Option<Language> {
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok()?;
    Language::from_shebang(line).filter(|language| for_language(*language).is_some())
}

/// One reading of many files, by several threads.
struct Run<'a> {
    intake: &'a Intake<'a>,
    wanted: &'a [Wanted],
    taken: Mutex<FxHashMap<usize, Taken>>,
    packed: Batches<'a, (usize, Taken)>,
    done: AtomicU64,
}

impl<'a> Run<'a> {
    fn new(intake: &'a Intake<'a>, wanted: &'a [Wanted]) -> Self {
        let packed = Batches::new(intake.blobs);
        Self { intake, wanted, taken: Mutex::default(), packed, done: AtomicU64::new(0) }
    }

    fn here(&self) {
        self.wanted.par_iter().enumerate().for_each(|(index, wanted)| {
            if self.intake.interrupt.received().is_some() {
                return;
            }
            match self.intake.read(index, wanted) {
                Read::Done(taken) => self.set(index, *taken),
                Read::Store(taken, key, blob) => self.store(index, *taken, vec![(key, blob)]),
                Read::Parse(job) => self.parse_job(job),
            }
        });
    }

    fn parse_job(&self, job: ParseJob) {
        let Intake { limits, interrupt, patience, .. } = self.intake;
        let route = bindery_syntax::route(job.language, &job.bytes, limits);
        let patience = match (route, &self.intake.worker) {
            (Route::Worker, Some(command)) => return self.parse_alone(command, job, false),
            (_, Some(_)) => PATIENCE_HERE.min(*patience),
            (_, None) => patience_with(*patience, job.bytes.len()),
        };
        let clock = Stopwatch::start();
        let mut on_tick = || match interrupt.received().is_some() || clock.elapsed() > patience {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        match (parse_here(job.language, &job.bytes, limits, &mut on_tick), &self.intake.worker) {
            (Ok(parsed), _) => self.accept(&job, parsed),
            (Err(Cancelled), _) if interrupt.received().is_some() => {}
            (Err(Cancelled), Some(command)) => self.parse_alone(command, job, false),
            (Err(Cancelled), None) => self.fail(&job, PARSER_DIED.to_owned()),
        }
    }

    fn with_workers(&self, command: &WorkerCommand) {
        let under_way: Mutex<FxHashMap<usize, ParseJob>> = Mutex::default();
        let lost: Mutex<Vec<(ParseJob, Ending)>> = Mutex::default();
        let mut sent = 0;
        let mut files = self.wanted.iter().enumerate();
        let requests = std::iter::from_fn(|| {
            for (index, wanted) in files.by_ref() {
                match self.intake.read(index, wanted) {
                    Read::Done(taken) => self.set(index, *taken),
                    Read::Store(taken, key, blob) => self.store(index, *taken, vec![(key, blob)]),
                    Read::Parse(job) => {
                        let request = self.request(&job);
                        lock(&under_way).insert(sent, job);
                        sent += 1;
                        return Some(request);
                    }
                }
            }
            None
        });
        let pool = self.pool(command, self.intake.jobs);
        pool.run(requests, &|number, answer| {
            let Some(job) = lock(&under_way).remove(&number) else { return };
            match answer {
                Answer::Done(bytes) => self.accept_answer(&job, &bytes),
                Answer::Lost(ending) => lock(&lost).push((job, ending)),
                Answer::Interrupted => {}
            }
        });
        let mut lost = lost.into_inner().unwrap_or_else(PoisonError::into_inner);
        lost.sort_by_key(|(job, _)| job.index);
        for (job, ending) in lost {
            self.judge(command, job, ending, false);
        }
    }

    fn pool(&self, command: &WorkerCommand, jobs: usize) -> WorkerPool {
        let mut pool = WorkerPool::new(command.clone(), jobs, self.intake.interrupt.clone());
        pool.patience = self.intake.patience;
        pool
    }

    fn parse_alone(&self, command: &WorkerCommand, job: ParseJob, is_retry: bool) {
        let ended: Mutex<Option<Ending>> = Mutex::default();
        let pool = self.pool(command, 1);
        pool.run(std::iter::once(self.request(&job)), &|_, answer| match answer {
            Answer::Done(bytes) => self.accept_answer(&job, &bytes),
            Answer::Lost(ending) => *lock(&ended) = Some(ending),
            Answer::Interrupted => {}
        });
        if let Some(ending) = ended.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.judge(command, job, ending, is_retry);
        }
    }

    fn judge(&self, command: &WorkerCommand, job: ParseJob, ending: Ending, is_retry: bool) {
        let end = match ending {
            Ending::Exited(code) => WorkerEnd::Exited(Some(code)),
            Ending::Killed(_) | Ending::Unusable => WorkerEnd::Exited(None),
            Ending::Silent => WorkerEnd::Silent,
        };
        let limits = self.intake.limits;
        let request = WorkerRequest { language: job.language, limits, bytes: &job.bytes };
        match bindery_syntax::judge(end, is_retry, &request) {
            Verdict::Fact(parsed) => self.accept(&job, parsed),
            Verdict::RetryAlone => self.parse_alone(command, job, true),
            Verdict::Died => self.fail(&job, PARSER_DIED.to_owned()),
        }
    }

    fn request(&self, job: &ParseJob) -> Vec<u8> {
        WorkerRequest { language: job.language, limits: self.intake.limits, bytes: &job.bytes }.encode()
    }

    fn accept_answer(&self, job: &ParseJob, bytes: &[u8]) {
        let unreadable = || "parser gave an answer that cannot be read".to_owned();
        match WorkerAnswer::decode(bytes) {
            Some(WorkerAnswer::Facts(packed)) => match Packed::of_worker(packed) {
                Ok(packed) => self.accept_facts(job, packed),
                Err(_) => self.fail(job, unreadable()),
            },
            Some(WorkerAnswer::Unparsable(detail)) => self.accept(job, Parsed::Unparsable { detail }),
            Some(WorkerAnswer::Panicked(detail)) => self.fail(job, detail),
            None => self.fail(job, unreadable()),
        }
    }

    fn accept(&self, job: &ParseJob, parsed: Parsed) {
        match parsed {
            Parsed::Facts(facts) => self.accept_facts(job, Packed::new(*facts)),
            Parsed::Unparsable { detail } => {
                let kind = InputKind::Source(job.language);
                self.set(job.index, Taken::new(kind, job.content, Status::Unparsable(detail)));
            }
            Parsed::Panicked { detail } => self.fail(job, detail),
        }
    }

    fn accept_facts(&self, job: &ParseJob, packed: Packed) {
        let kind = InputKind::Source(job.language);
        let unit = packed.unit(&self.wanted[job.index].path);
        let PackedFacts { first_error, summary, rest } = packed.blobs;
        if let Some(cached) = &job.recheck {
            let blobs = self.intake.blobs;
            let same = |blob, packed: &[u8]| blobs.read(blob).is_some_and(|there| there == packed);
            if same(&cached.summary, &summary) && same(&cached.rest, &rest) {
                return self.set(job.index, Taken::cached(kind, job.content, cached));
            }
            self.intake.differing.fetch_add(1, Ordering::Relaxed);
        }
        let blank = Status::Failed(String::new());
        let taken = Taken { first_error, unit: Some(unit), ..Taken::new(kind, job.content, blank) };
        // Both under the facts key: what is kept of the file says under which key it was read.
        self.store(job.index, taken, vec![(job.key, summary), (job.key, rest)]);
    }

    fn fail(&self, job: &ParseJob, detail: String) {
        let kind = InputKind::Source(job.language);
        self.set(job.index, Taken::new(kind, job.content, Status::Failed(detail)));
    }

    /// For files whose status will be where their blobs lie, which is known when the batch is written.
    fn store(&self, index: usize, taken: Taken, blobs: Vec<(ContentHash, Vec<u8>)>) {
        self.packed.add((index, taken), blobs);
        self.count();
    }

    fn set(&self, index: usize, taken: Taken) {
        lock(&self.taken).insert(index, taken);
        self.count();
    }

    fn count(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.intake.progress.step("reading", done, self.wanted.len() as u64);
    }

    fn finish(self) -> Vec<Taken> {
        let mut taken = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        for ((index, mut packed), blobs) in self.packed.finish() {
            packed.status = match *blobs.as_slice() {
                [summary, rest] => Status::Scanned { summary, rest, resolution: None },
                [data] => Status::Data(data),
                _ => continue,
            };
            taken.insert(index, packed);
        }
        // Only an interrupted run leaves files out, and it ends before anything is made of them.
        let blank = |index: usize| Taken {
            kind: self.wanted[index].kind,
            content: None,
            status: Status::Failed("interrupted".to_owned()),
            first_error: None,
            unit: None,
            from_cache: false,
        };
        (0..self.wanted.len()).map(|index| taken.remove(&index).unwrap_or_else(|| blank(index))).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
