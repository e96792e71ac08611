use bindery_facts::{FileFacts, Name};
use bindery_source::RepoPath;

use crate::{Item, Key, Lookup, Outcome, Recorder, Resolution, Unit};

/// What differs between languages in resolution.
pub trait Rules: Sync {
    /// Part of the state's key: raise it when resolution by these rules changes.
    fn revision(&self) -> u32;

    /// Adds what a file offers under keys of the language's own ([`Key::Custom`]).
    fn custom_offers(&self, unit: &Unit, pairs: &mut Vec<(Key, Item)>);
}

/// Resolves one file.
pub fn resolve(path: &RepoPath, facts: &FileFacts, rules: &dyn Rules, lookup: &dyn Lookup) -> Resolution {
    let recorder = Recorder::new(lookup);
    let _ = (path, rules, Name::default());
    Resolution {
        outcomes: vec![Outcome::Dropped(crate::DropReason::BareName); facts.bodies.sites.len()],
        needs: recorder.into_needs(),
        ..Resolution::default()
    }
}
