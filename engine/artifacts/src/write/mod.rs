//! The one text each value has: UTF-8, line feeds, a final line feed, keys in the order of the type,
//! one record per line.

mod json;
mod layout;
mod yaml;

pub use json::{json_entry, json_line, json_text};
pub use layout::Layout;
pub use yaml::yaml_text;

use crate::{Artifact, Syntax};

/// The canonical text of an artifact.
pub fn artifact_text<A: Artifact>(artifact: &A) -> Vec<u8> {
    match A::KIND.syntax() {
        Syntax::Yaml => yaml_text(artifact, &A::LAYOUT).into_bytes(),
        _ => json_text(artifact, A::LAYOUT),
    }
}

#[cfg(test)]
mod tests;
