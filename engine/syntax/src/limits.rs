//! The limits of parsing, as counts, so that every machine agrees what is over one.
//!
//! # Where the numbers come from
//!
//! Ticks: the highest of 26,358 real files, those under 2,000 bytes left out (Rust and Python: tokio, ripgrep, the EC2
//! client, django, flask, ansible, thrift, flatbuffers) takes 33.7 ticks per 1,024 bytes
//! (tokio's `async_send_sync.rs`, macros throughout); the limit is 20 × that, and 1,000 on top, which is
//! what makes short files free of it. `examples/parse_speed.rs` of the registry measures it again.
//! Memory: a tree takes about 200 bytes for each byte of dense source, so 64 MiB + 256 × file bytes is
//! past every real file and far below what a hostile one takes (gigabytes from 32 KB in some grammars).
//! Bracket depth: the deepest real file of 40,651 has 379.

use bindery_source::KeyHasher;
use serde::{Deserialize, Serialize};

/// A tick is 100 operations of the parser (its progress callback), 100 allocations, or one time its lexer
/// asks for a kibibyte of text; a unit of work is the hundredth of it.
pub(crate) const WORK_PER_TICK: u64 = 100;

/// What a file may cost before it is listed as unparsable.
///
/// A file's outcome depends on nothing but its bytes, its language and these: they are part of every
/// facts key (see [`Limits::enter`]). `bindery.toml` may move them in both directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of a file.
    pub file_bytes: u64,
    /// Brackets open at once, strings and comments included.
    pub bracket_depth: u32,
    /// Live bytes the parser may have allocated, whatever the size of the file.
    pub memory_base: u64,
    /// Live bytes the parser may have allocated besides, for each byte of the file.
    pub memory_per_byte: u64,
    /// Ticks the parser may take, whatever the size of the file (see [`WORK_PER_TICK`]).
    pub ticks_base: u64,
    /// Ticks the parser may take besides, for each 1,024 bytes of the file.
    pub ticks_per_kibibyte: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 10 << 20,
            bracket_depth: 10_000,
            memory_base: 64 << 20,
            memory_per_byte: 256,
            ticks_base: 1_000,
            ticks_per_kibibyte: 674,
        }
    }
}

impl Limits {
    /// Enters every limit into a cache key.
    pub fn enter(&self, key: &mut KeyHasher) {
        let Self { file_bytes, bracket_depth, memory_base, memory_per_byte, ticks_base, ticks_per_kibibyte } =
            self;
        key.field("limit file bytes", &file_bytes.to_le_bytes())
            .field("limit bracket depth", &bracket_depth.to_le_bytes())
            .field("limit memory base", &memory_base.to_le_bytes())
            .field("limit memory per byte", &memory_per_byte.to_le_bytes())
            .field("limit ticks base", &ticks_base.to_le_bytes())
            .field("limit ticks per kibibyte", &ticks_per_kibibyte.to_le_bytes());
    }

    /// The live bytes a parser may have allocated for a text of that many bytes.
    pub fn memory(&self, text_bytes: usize) -> u64 {
        self.memory_base.saturating_add(self.memory_per_byte.saturating_mul(text_bytes as u64))
    }

    /// The ticks a parser may take for a text of that many bytes.
    pub fn ticks(&self, text_bytes: usize) -> u64 {
        self.ticks_base.saturating_add(self.ticks_per_kibibyte.saturating_mul(text_bytes as u64) / 1024)
    }
}
