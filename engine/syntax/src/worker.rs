//! What a parse worker and the process that started it say to each other, and how its end is judged.
//!
//! A grammar's scanner can crash the process it runs in, and a parser can pass a limit between two
//! callbacks. Hence workers: the same program, which reads one request at a time and answers it. This
//! module is what is said only; starting, watching and killing processes is the store's concern.
//!
//! A worker first calls [`crate::exit_when_over_limit`], then answers each [`WorkerRequest`] with what
//! [`crate::parse`] gives, packed as a [`WorkerAnswer`]: a request is language and limits
//! (postcard) and the file's bytes; an answer is a byte that says what it is, and the packed facts or the
//! detail. Facts stay as the worker packed them until someone asks for them: the worker is this program.
//!
//! What no count holds: error recovery walks over every extra (comment, line continuation, skipped token)
//! since the last sound one, again at each error, between callbacks that do come. `a\⏎` repeated takes
//! 84 ticks per kibibyte at any length, twice what real files take and an eighth of the limit, and
//! 0.06, 0.25, 0.9 and 4 s at 4, 8, 16 and 32 KB: an hour for a megabyte. So whoever watches a worker needs a
//! last resort in time, and whoever parses in process should cancel after some seconds and leave the file to a
//! worker.

use bindery_facts::{FileFacts, Summary, encode};
use bindery_source::Language;
use serde::{Deserialize, Serialize};

use crate::parse::Exceeded;
use crate::{Limits, Parsed, SourceText};

/// The exit code of a worker whose parser passed its memory limit. No other death means that.
pub const OVER_MEMORY_EXIT: i32 = 86;
/// The exit code of a worker whose parser passed its limit of ticks. No other death means that.
pub const OVER_WORK_EXIT: i32 = 87;

/// The detail of a file whose parser ended twice without an answer, or took too long where no other process
/// could be asked.
pub const PARSER_DIED: &str = "parser died";

const FACTS: u8 = 1;
const UNPARSABLE: u8 = 2;
const PANICKED: u8 = 3;

/// Asks a worker for a file's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerRequest<'a> {
    /// The language to read it as.
    pub language: Language,
    /// The limits it is held to.
    pub limits: Limits,
    /// The file.
    pub bytes: &'a [u8],
}

#[derive(Serialize, Deserialize)]
struct RequestHead {
    language: Language,
    limits: Limits,
}

impl<'a> WorkerRequest<'a> {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let head = RequestHead { language: self.language, limits: self.limits };
        let mut message =
            postcard::to_stdvec(&head).expect("a request's head is plain values, which postcard writes");
        message.extend_from_slice(self.bytes);
        message
    }

    /// Reads what [`WorkerRequest::encode`] wrote; none for anything else.
    pub fn decode(message: &'a [u8]) -> Option<Self> {
        let (RequestHead { language, limits }, bytes) = postcard::take_from_bytes(message).ok()?;
        Some(Self { language, limits, bytes })
    }
}

/// A file's facts as they lie on disk: the halves apart, so that a look-up from another file reads only the
/// first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFacts {
    /// [`FileFacts::first_error`], which the file's record wants too.
    pub first_error: Option<u32>,
    /// The packed [`Summary`].
    pub summary: Vec<u8>,
    /// The packed [`FileFacts`] with an empty summary.
    pub rest: Vec<u8>,
}

impl PackedFacts {
    /// Packs `facts`.
    pub fn new(mut facts: FileFacts) -> Self {
        let summary = encode(&*facts.summary);
        facts.summary = Summary::empty(facts.summary.language).into();
        Self { first_error: facts.first_error, summary, rest: encode(&facts) }
    }
}

#[derive(Serialize, Deserialize)]
struct FactsHead {
    first_error: Option<u32>,
    summary_bytes: u64,
}

/// A worker's answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerAnswer {
    /// The facts.
    Facts(PackedFacts),
    /// As [`Parsed::Unparsable`].
    Unparsable(String),
    /// As [`Parsed::Panicked`].
    Panicked(String),
}

impl WorkerAnswer {
    /// Packs what came of a file.
    pub fn of(parsed: Parsed) -> Self {
        match parsed {
            Parsed::Facts(facts) => Self::Facts(PackedFacts::new(*facts)),
            Parsed::Unparsable { detail } => Self::Unparsable(detail),
            Parsed::Panicked { detail } => Self::Panicked(detail),
        }
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Facts(PackedFacts { first_error, summary, rest }) => {
                let head = FactsHead { first_error: *first_error, summary_bytes: summary.len() as u64 };
                let head = postcard::to_stdvec(&head)
                    .expect("an answer's head is plain values, which postcard writes");
                [&[FACTS], &head[..], summary, rest].concat()
            }
            Self::Unparsable(detail) => [&[UNPARSABLE], detail.as_bytes()].concat(),
            Self::Panicked(detail) => [&[PANICKED], detail.as_bytes()].concat(),
        }
    }

    /// Reads what [`WorkerAnswer::encode`] wrote; none for anything else.
    pub fn decode(message: &[u8]) -> Option<Self> {
        let (kind, rest) = message.split_first()?;
        let text = || String::from_utf8(rest.to_vec()).ok();
        match *kind {
            FACTS => {
                let (head, rest): (FactsHead, _) = postcard::take_from_bytes(rest).ok()?;
                let (summary, rest) = rest.split_at_checked(usize::try_from(head.summary_bytes).ok()?)?;
                let (summary, rest) = (summary.to_vec(), rest.to_vec());
                Some(Self::Facts(PackedFacts { first_error: head.first_error, summary, rest }))
            }
            UNPARSABLE => text().map(Self::Unparsable),
            PANICKED => text().map(Self::Panicked),
            _ => None,
        }
    }
}

/// How a worker ended over a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerEnd {
    /// It exited with that code, or by a signal.
    Exited(Option<i32>),
    /// It gave no answer for so long that it was killed.
    Silent,
}

/// What to do about a worker that ended over a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The file is over a limit: a fact about its bytes, to be cached.
    Fact(Parsed),
    /// Ask once more, a new worker with nothing beside it: another process may have been the cause.
    RetryAlone,
    /// Give the file up: listed as unparsable with the detail [`PARSER_DIED`], never cached, and the run fails.
    Died,
}

/// Judges the end of a worker. Only its own over-limit exits say something about the file.
pub fn judge(end: WorkerEnd, is_retry: bool, request: &WorkerRequest<'_>) -> Verdict {
    let text_bytes = || SourceText::decode(request.bytes).map_or(0, |text| text.as_str().len());
    let exceeded = match end {
        WorkerEnd::Exited(Some(OVER_MEMORY_EXIT)) => Exceeded::Memory(request.limits.memory(text_bytes())),
        WorkerEnd::Exited(Some(OVER_WORK_EXIT)) => Exceeded::Ticks(request.limits.ticks(text_bytes())),
        _ if is_retry => return Verdict::Died,
        _ => return Verdict::RetryAlone,
    };
    Verdict::Fact(Parsed::Unparsable { detail: exceeded.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: WorkerRequest<'_> =
        WorkerRequest { language: Language::Python, limits: LIMITS, bytes: b"\xEF\xBB\xBFx\r\n" };
    const LIMITS: Limits = Limits {
        file_bytes: 1,
        bracket_depth: 2,
        memory_base: 1_000,
        memory_per_byte: 4,
        ticks_base: 50,
        ticks_per_kibibyte: 1_024,
    };

    #[test]
    fn messages_round_trip_and_nonsense_is_none() {
        assert_eq!(WorkerRequest::decode(&REQUEST.encode()), Some(REQUEST));
        assert_eq!(WorkerRequest::decode(b""), None);
        assert_eq!(WorkerRequest::decode(&[0xFF; 40]), None);
        let packed = PackedFacts { first_error: Some(300), summary: vec![7; 200], rest: vec![1, 2] };
        for answer in [
            WorkerAnswer::Facts(packed),
            WorkerAnswer::Unparsable("too deep".to_owned()),
            WorkerAnswer::Panicked("é".to_owned()),
        ] {
            assert_eq!(WorkerAnswer::decode(&answer.encode()), Some(answer));
        }
        assert_eq!(WorkerAnswer::decode(b""), None);
        assert_eq!(WorkerAnswer::decode(&[9, 9]), None);
        assert_eq!(WorkerAnswer::decode(&[UNPARSABLE, 0xFF]), None);
        assert_eq!(WorkerAnswer::decode(&[FACTS, 0, 2, 1]), None, "a summary longer than what is there");
    }

    #[test]
    fn only_the_over_limit_exits_are_facts() {
        let fact = |detail: &str| Verdict::Fact(Parsed::Unparsable { detail: detail.to_owned() });
        for is_retry in [false, true] {
            let over_memory = WorkerEnd::Exited(Some(OVER_MEMORY_EXIT));
            let expected = fact("parser memory over the limit of 1008 bytes");
            assert_eq!(judge(over_memory, is_retry, &REQUEST), expected, "of the two bytes of text");
            let over_work = WorkerEnd::Exited(Some(OVER_WORK_EXIT));
            assert_eq!(judge(over_work, is_retry, &REQUEST), fact("parser work over the limit of 52 ticks"));
        }
        for end in [WorkerEnd::Exited(None), WorkerEnd::Exited(Some(1)), WorkerEnd::Silent] {
            assert_eq!(judge(end, false, &REQUEST), Verdict::RetryAlone);
            assert_eq!(judge(end, true, &REQUEST), Verdict::Died);
        }
    }
}
