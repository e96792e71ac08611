//! One file's bytes to its facts, within the limits.

use std::fmt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bindery_facts::FileFacts;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::allocator::{self, Measurement, Passed};
use crate::guard::examine;
use crate::limits::WORK_PER_TICK;
use crate::{Adapter, Limits, SourceText};

/// What came of a file. A pure function of bytes, adapter and limits, but for `Panicked`.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// Its facts.
    Facts(Box<FileFacts>),
    /// It is over a limit, or no text. A fact like any other: it may be cached and is not retried.
    Unparsable {
        /// Names the limit, or the byte and where it stands.
        detail: String,
    },
    /// The adapter panicked: a fault of ours. The file is reported, the run goes on and fails in the
    /// end; never to be cached.
    Panicked {
        /// What the panic said.
        detail: String,
    },
}

/// Parses a file and reads its facts.
///
/// On files that [`crate::route`] sends to a worker this may take gigabytes or end the process; there
/// it belongs into a worker process (see [`crate::exit_when_over_limit`]).
pub fn parse(adapter: &dyn Adapter, bytes: &[u8], limits: &Limits) -> Parsed {
    let outcome = parse_observed(adapter, bytes, limits, &mut || ControlFlow::Continue(()));
    outcome.unwrap_or_else(|Cancelled| unreachable!("the observer above never cancels"))
}

/// The observer of [`parse_observed`] asked for an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// As [`parse`]; calls `on_tick` at each of the parser's ticks, which may cancel.
pub fn parse_observed(
    adapter: &dyn Adapter,
    bytes: &[u8],
    limits: &Limits,
    on_tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Parsed, Cancelled> {
    let unparsable = |reason: &dyn fmt::Display| Ok(Parsed::Unparsable { detail: reason.to_string() });
    if let Err(refusal) = examine(bytes, limits) {
        return unparsable(&refusal);
    }
    let text = match SourceText::decode(bytes) {
        Ok(text) => text,
        Err(not_text) => return unparsable(&not_text),
    };
    match parse_source(adapter, text.as_str(), limits, on_tick) {
        Ok(tree) => Ok(read_facts(adapter, text.as_str(), &tree)),
        Err(Stop::Cancelled) => Err(Cancelled),
        Err(Stop::Exceeded(exceeded)) => unparsable(&exceeded),
    }
}

/// A limit that only the parser itself can find a file to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// Live bytes the parser has allocated; the limit.
    Memory(u64),
    /// Ticks of the parser; the limit.
    Ticks(u64),
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(limit) => write!(f, "parser memory over the limit of {limit} bytes"),
            Self::Ticks(limit) => write!(f, "parser work over the limit of {limit} ticks"),
        }
    }
}

/// Makes a parser. The only way to do so in this workspace: it first puts the counting allocator in
/// place, behind whose back nothing may be allocated.
pub fn new_parser(grammar: &tree_sitter::Language) -> Parser {
    allocator::install();
    let mut parser = Parser::new();
    parser.set_language(grammar).expect("the grammars in the lock file are of an ABI this tree-sitter reads");
    parser
}

/// Why [`parse_tree`] gave no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The observer cancelled.
    Cancelled,
    /// The text is over a limit.
    Exceeded(Exceeded),
}

/// What a parse took, in counts that are the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Ticks: the work done, see [`Limits::ticks_base`].
    pub ticks: u64,
    /// The most bytes the parser had allocated at once.
    pub peak_bytes: u64,
}

/// Parses a text within the limits, with a parser of its own, so that no count depends on the file
/// before. Calls `on_tick` at each of the parser's progress callbacks; it may cancel.
///
/// For the counts to be right, no tree from the same thread may be dropped meanwhile.
pub fn parse_tree(
    grammar: &tree_sitter::Language,
    text: &str,
    limits: &Limits,
    on_tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(Tree, Cost), Stop> {
    let (memory_limit, tick_limit) = (limits.memory(text.len()), limits.ticks(text.len()));
    let measurement = Measurement::start(memory_limit, tick_limit.saturating_mul(WORK_PER_TICK));
    let mut is_cancelled = false;
    let mut on_progress = |_: &ParseState| {
        measurement.charge(WORK_PER_TICK);
        is_cancelled = measurement.passed().is_none() && on_tick().is_break();
        if is_cancelled || measurement.passed().is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let tree = read_text(&mut new_parser(grammar), text, &measurement, &mut on_progress);
    // A limit passed behind the last callback counts too: a worker would have ended over it.
    match measurement.passed() {
        _ if is_cancelled => Err(Stop::Cancelled),
        Some(Passed::Memory) => Err(Stop::Exceeded(Exceeded::Memory(memory_limit))),
        Some(Passed::Work) => Err(Stop::Exceeded(Exceeded::Ticks(tick_limit))),
        None => {
            let tree =
                tree.expect("a parser with a language ends without a tree only if its callback breaks");
            Ok((tree, Cost { ticks: measurement.work() / WORK_PER_TICK, peak_bytes: measurement.peak() }))
        }
    }
}

/// Parses a text, and once more as the adapter rewrites it, if it does; the tree with fewer errors counts. Where
/// neither has any, that of the rewritten text does, which says what the grammar misreads. Each parse has the limits
/// to itself.
pub fn parse_source(
    adapter: &dyn Adapter,
    text: &str,
    limits: &Limits,
    on_tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Tree, Stop> {
    let grammar = adapter.grammar();
    let (tree, _) = parse_tree(&grammar, text, limits, on_tick)?;
    let errors = errors(&tree);
    let Some(rewritten) = adapter.rewritten(text, errors > 0) else { return Ok(tree) };
    debug_assert_eq!(rewritten.len(), text.len(), "positions mean the same in both");
    let (other, _) = parse_tree(&grammar, &rewritten, limits, on_tick)?;
    let errors_left = self::errors(&other);
    Ok(if errors_left < errors || errors_left == 0 { other } else { tree })
}

/// The nodes of a tree that are errors or missing.
fn errors(tree: &Tree) -> usize {
    let (mut cursor, mut count) = (tree.walk(), 0);
    loop {
        let node = cursor.node();
        count += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

/// How much of a text the lexer gets at once. Some scanners run from every token to the end of the file
/// and back without calling anybody; small pieces make that show.
const CHUNK_BYTES: usize = 1024;

/// Hands the text to the parser in pieces, each counted. Past a limit the text seems to end, which ends a
/// scanner that runs ahead.
fn read_text(
    parser: &mut Parser,
    text: &str,
    measurement: &Measurement,
    on_progress: &mut impl FnMut(&ParseState) -> ControlFlow<()>,
) -> Option<Tree> {
    let mut chunk = |start: usize, _| {
        measurement.charge(WORK_PER_TICK);
        if measurement.passed().is_some() { &[][..] } else { chunk_at(text, start) }
    };
    parser.parse_with_options(&mut chunk, None, Some(ParseOptions::new().progress_callback(on_progress)))
}

/// The piece of text from `start`. It ends between characters: a lexer that finds the text ended inside
/// one would read through a null pointer.
fn chunk_at(text: &str, start: usize) -> &[u8] {
    let start = start.min(text.len());
    let mut end = text.len().min(start + CHUNK_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text.as_bytes()[start..end]
}

fn read_facts(adapter: &dyn Adapter, text: &str, tree: &Tree) -> Parsed {
    // Unwind safety: an adapter is immutable, and whatever it was building is lost with the panic.
    match catch_unwind(AssertUnwindSafe(|| adapter.facts(text, tree))) {
        Ok(mut facts) => {
            facts.bodies.number_positions();
            Parsed::Facts(Box::new(facts))
        }
        Err(payload) => Parsed::Panicked { detail: panic_message(&*payload).to_owned() },
    }
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(message), _) => message,
        (None, Some(message)) => message,
        (None, None) => "a panic without a message",
    }
}
