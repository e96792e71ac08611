#![doc = include_str!(concat!(env!("OUT_DIR"), "/handbook/overview.md"))]
#![allow(dead_code, reason = "an example of what can be included")]

include!(concat!(env!("OUT_DIR"), "/handbook.rs"));

/// How many stages a reader meets.
pub fn stages() -> usize {
    HANDBOOK_STAGES.len()
}
