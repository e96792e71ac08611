//! Prose as it stands on the pages that are there, for runs that only look.

use std::collections::BTreeMap;

use bindery_artifacts::escape::plain_text_of;
use bindery_artifacts::{ProseField, ProseKind, ProseTexts};
use bindery_handbook::pages::{prose_units, unit_key};
use bindery_handbook::request::Unit;
use bindery_store::{found, read_file};

use crate::outcome::Failure;
use crate::repository::Repository;
use crate::structure::Structure;

/// Texts by the words and keys of their markers.
pub(super) struct ProseOnPages(BTreeMap<(String, String), String>);

/// Reads the Markdown pages. A text that we would not write so is none: the page is then not what a build would
/// write, and that is what is to be found out.
pub(super) fn prose_on_pages(
    repository: &Repository,
    structure: &Structure,
) -> Result<ProseOnPages, Failure> {
    let mut units = BTreeMap::new();
    let about_everything = ["overview.md", "register.md"].into_iter();
    for page in about_everything.chain(structure.pages.iter().flatten().map(String::as_str)) {
        let path = repository.handbook.path(page.as_bytes());
        let Some(read) = found(read_file(repository.handbook.file_system(), &path))? else { continue };
        let Ok(text) = String::from_utf8(read.bytes) else { continue };
        for unit in prose_units(&text) {
            let plain = plain_text_of(&unit.markdown);
            units.extend(plain.map(|plain| ((unit.kind, unit.key), plain)));
        }
    }
    Ok(ProseOnPages(units))
}

impl ProseOnPages {
    /// The texts of a unit; none if it stands on no page.
    pub(super) fn texts(&self, unit: &Unit) -> Option<ProseTexts> {
        let key = unit_key(&unit.subject);
        let text = |(field, _): &(ProseField, usize)| {
            let text = self.0.get(&(marker(unit.kind, *field).to_owned(), key.clone()))?;
            Some((*field, text.clone()))
        };
        let texts: ProseTexts = unit.kind.fields().iter().filter_map(text).collect();
        (!texts.is_empty()).then_some(texts)
    }
}

/// The word a text's marker has.
fn marker(kind: ProseKind, field: ProseField) -> &'static str {
    match field {
        ProseField::Text => kind.name(),
        ProseField::Purpose => "function-purpose",
        ProseField::DataFlow => "function-data-flow",
        ProseField::Relations => "function-relations",
    }
}
