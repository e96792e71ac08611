//! The scan before a parse: which files are refused outright, and which are parsed in a worker only.
//!
//! Some short inputs take a parser gigabytes or minutes between two of its progress callbacks, so no
//! limit that is checked there can hold them. What such inputs have in common shows in a byte scan.
//! Brackets are counted wherever they stand, in strings and comments too: a count that knew better
//! would need the lexer it is there to protect.
//!
//! The whole of it (UTF-8 check, NUL, both counts) runs at 0.5 GB/s on real sources, where a parse runs at
//! 10 MB/s: 2 % of it.

use std::fmt;

use bindery_source::Language;

use crate::decode::{check_text, without_byte_order_mark};
use crate::{Limits, NotText};

/// Over this many bytes a file is parsed in a worker.
pub const WORKER_FILE_BYTES: usize = 1 << 20;
/// Over this many open brackets a file is parsed in a worker. Real code has at most 379.
pub const WORKER_BRACKET_DEPTH: u32 = 1_000;
/// Over this many unclosed `<` a file of a language where they open type arguments is parsed in a
/// worker. 4 real files of 40,651 are.
pub const WORKER_OPEN_ANGLES: u32 = 2_000;

/// Where a file is to be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// In the calling process, or in a worker.
    InProcess,
    /// In a worker only: it may take its process down.
    Worker,
    /// Nowhere.
    Unparsable(Refusal),
}

/// Why a file is refused before any parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not text.
    NotText(NotText),
    /// It has more bytes than the limit.
    FileBytes {
        /// Bytes of its text.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// It has more brackets open at once than the limit.
    BracketDepth {
        /// The line of the first bracket past the limit, from 1.
        line: usize,
        /// The limit.
        limit: u32,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText(byte) => byte.fmt(f),
            Self::FileBytes { found, limit } => {
                write!(f, "{found} bytes, over the limit of {limit} bytes per file")
            }
            Self::BracketDepth { line, limit } => {
                write!(f, "bracket depth over the limit of {limit} at line {line}")
            }
        }
    }
}

/// Decides where a file is to be parsed. The outcome of the parse does not depend on it.
pub fn route(language: Language, bytes: &[u8], limits: &Limits) -> Route {
    match examine(bytes, limits) {
        Err(refusal) => Route::Unparsable(refusal),
        Ok(nesting) if is_risky(language, bytes, nesting) => Route::Worker,
        Ok(_) => Route::InProcess,
    }
}

/// Refuses what is not text or over a limit that needs no parser; else says how deep it nests.
pub(crate) fn examine(bytes: &[u8], limits: &Limits) -> Result<Nesting, Refusal> {
    let limit = limits.file_bytes;
    // The cheap comparison first: counting line ends of a huge file is needed for border cases only.
    if bytes.len() as u64 > limit {
        let found = text_bytes(bytes);
        if found > limit {
            return Err(Refusal::FileBytes { found, limit });
        }
    }
    check_text(bytes).map_err(Refusal::NotText)?;
    let nesting = Nesting::of(bytes);
    if nesting.brackets > limits.bracket_depth {
        let line = line_of_depth(bytes, limits.bracket_depth);
        return Err(Refusal::BracketDepth { line, limit: limits.bracket_depth });
    }
    Ok(nesting)
}

fn is_risky(language: Language, bytes: &[u8], nesting: Nesting) -> bool {
    use Language::{CSharp, Cpp, Dart, Java};
    bytes.len() > WORKER_FILE_BYTES
        || nesting.brackets > WORKER_BRACKET_DEPTH
        || (matches!(language, CSharp | Cpp | Dart | Java) && nesting.angles > WORKER_OPEN_ANGLES)
}

/// Bytes the file has as text: a check-out with CRLF is as long as one with LF.
fn text_bytes(bytes: &[u8]) -> u64 {
    let text = without_byte_order_mark(bytes);
    let carriage_returns = text.windows(2).filter(|pair| pair == b"\r\n").count();
    (text.len() - carriage_returns) as u64
}

/// The largest numbers of brackets and of `<` that are open at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nesting {
    brackets: u32,
    angles: u32,
}

impl Nesting {
    fn of(bytes: &[u8]) -> Self {
        let (mut brackets, mut angles) = (Depth::default(), Depth::default());
        for &byte in bytes {
            brackets.step(BRACKET_STEPS[usize::from(byte)]);
            angles.step(ANGLE_STEPS[usize::from(byte)]);
        }
        Self { brackets: brackets.deepest, angles: angles.deepest }
    }
}

/// A count that never falls below zero, so that closing brackets nobody opened hide nothing.
#[derive(Default)]
struct Depth {
    open: i32,
    deepest: u32,
}

impl Depth {
    fn step(&mut self, step: i8) {
        self.open = (self.open + i32::from(step)).max(0);
        self.deepest = self.deepest.max(self.open as u32);
    }
}

/// The line (from 1) on which the brackets first nest deeper than `limit`.
fn line_of_depth(bytes: &[u8], limit: u32) -> usize {
    let mut depth = Depth::default();
    let is_past = |byte: &u8| {
        depth.step(BRACKET_STEPS[usize::from(*byte)]);
        depth.deepest > limit
    };
    let end = bytes.iter().position(is_past).unwrap_or(bytes.len());
    1 + bytes[..end].iter().filter(|&&byte| byte == b'\n').count()
}

const BRACKET_STEPS: [i8; 256] = steps(b"([{", b")]}");
const ANGLE_STEPS: [i8; 256] = steps(b"<", b">");

const fn steps(opening: &[u8], closing: &[u8]) -> [i8; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < opening.len() {
        table[opening[index] as usize] = 1;
        table[closing[index] as usize] = -1;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route_of(language: Language, text: &str) -> Route {
        route(language, text.as_bytes(), &Limits::default())
    }

    #[test]
    fn ordinary_files_stay_in_process() {
        assert_eq!(route_of(Language::Rust, ""), Route::InProcess);
        assert_eq!(route_of(Language::Rust, &"(".repeat(1_000)), Route::InProcess);
        assert_eq!(
            route_of(Language::Rust, &"a<".repeat(5_000)),
            Route::InProcess,
            "only where `<` is a hazard"
        );
    }

    #[test]
    fn hazards_go_to_a_worker() {
        assert_eq!(route_of(Language::Rust, &"x".repeat((1 << 20) + 1)), Route::Worker);
        assert_eq!(route_of(Language::Rust, &"[{(".repeat(334)), Route::Worker);
        assert_eq!(route_of(Language::Rust, &format!("))){}", "(".repeat(1_001))), Route::Worker);
        assert_eq!(route_of(Language::Java, &"a<".repeat(2_000)), Route::InProcess);
        assert_eq!(route_of(Language::Java, &"a<".repeat(2_001)), Route::Worker);
        assert_eq!(route_of(Language::Java, &"a<b>".repeat(9_000)), Route::InProcess);
    }

    #[test]
    fn refusals_name_the_limit_or_the_byte() {
        let detail = |bytes: &[u8]| match route(Language::Python, bytes, &Limits::default()) {
            Route::Unparsable(refusal) => refusal.to_string(),
            route => panic!("not refused: {route:?}"),
        };
        assert_eq!(detail(b"a = '\0'"), "NUL byte 0x00 at offset 5");
        let nested = format!("x\n{}\n{}", "(".repeat(10_000), "[");
        assert_eq!(detail(nested.as_bytes()), "bracket depth over the limit of 10000 at line 3");
        let long = vec![b'x'; (10 << 20) + 1];
        assert_eq!(detail(&long), "10485761 bytes, over the limit of 10485760 bytes per file");
    }

    #[test]
    fn size_does_not_count_what_a_check_out_adds() {
        let limits = Limits { file_bytes: 4, ..Limits::default() };
        assert_eq!(route(Language::Rust, b"\xEF\xBB\xBFa\r\nb\r\n", &limits), Route::InProcess);
        let refusal = Refusal::FileBytes { found: 5, limit: 4 };
        assert_eq!(route(Language::Rust, b"a\r\nb\rc", &limits), Route::Unparsable(refusal));
    }

    #[test]
    fn the_line_is_that_of_the_first_bracket_too_many() {
        assert_eq!(line_of_depth(b"(\n)(\n(\n(", 1), 3);
    }
}
