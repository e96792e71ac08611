use std::collections::BTreeMap;

use bindery_source::ContentHash;

use super::{Files, Finding, Rule, Subject, Texts, line_at};
use crate::pages::{STAMP_END, STAMP_FIELD};
use crate::skill::{STAMPED, unstamped_hash};

/// The handbook's list of its own files.
const MANIFEST: &str = ".bindery-manifest";

/// The manifest names every file that is there, with its hash.
pub(super) fn check(texts: &Texts<'_>, files: &Files, findings: &mut Vec<Finding>) {
    let Some(manifest) = texts.get(MANIFEST) else {
        findings.push(Finding::new(Rule::Manifest, MANIFEST, None, "is not there"));
        return;
    };
    let mut named: BTreeMap<&str, Vec<(u32, &str)>> = BTreeMap::new();
    for (at, line) in manifest.lines().enumerate().skip_while(|(at, _)| *at == 0) {
        match line.split_once(' ') {
            Some((hash, path)) => named.entry(path).or_default().push((at as u32 + 1, hash)),
            None => findings.push(Finding::new(
                Rule::Manifest,
                MANIFEST,
                Some(at as u32 + 1),
                "is not a hash and a path",
            )),
        }
    }
    for (path, lines) in &named {
        let (line, message) = match files.get(*path) {
            None => (lines[0].0, format!("`{path}` is not there")),
            // Merges unite lines: any of them may be the right one.
            Some(bytes) => {
                let hash = ContentHash::of(bytes).to_hex();
                if lines.iter().any(|(_, named)| *named == hash) {
                    continue;
                }
                (lines[0].0, format!("`{path}` has other bytes"))
            }
        };
        findings.push(Finding::new(Rule::Manifest, MANIFEST, Some(line), message));
    }
    for path in files.keys().filter(|path| *path != MANIFEST && !named.contains_key(path.as_str())) {
        findings.push(Finding::new(Rule::Manifest, path, None, "is in no line of the manifest"));
    }
}

/// The stamp that pages show is the hash over all files.
pub(super) fn check_stamp(texts: &Texts<'_>, files: &Files, subject: Subject, findings: &mut Vec<Finding>) {
    let ours = ours(texts, files);
    let lines: String = ours
        .iter()
        .map(|(path, bytes)| format!("{} {path}\n", unstamped_hash(path, bytes).to_hex()))
        .collect();
    let expected = ContentHash::of(lines.as_bytes()).to_hex();
    for path in STAMPED.iter().filter(|path| texts.contains_key(*path)) {
        let text = texts[*path];
        let Some(start) = text.rfind(STAMP_FIELD) else {
            findings.push(Finding::new(Rule::Stamp, path, None, "has no stamp"));
            continue;
        };
        let stamp = text[start + STAMP_FIELD.len()..].split(STAMP_END).next().unwrap_or_default();
        if stamp != expected {
            let whole = if subject == Subject::Package { "package" } else { "handbook" };
            let message = format!("is not the stamp of this {whole}, which is {expected}");
            findings.push(Finding::new(Rule::Stamp, path, Some(line_at(text, start)), message));
        }
    }
}

/// The files the stamp is over: those the manifest names, else all.
fn ours<'f>(texts: &Texts<'_>, files: &'f Files) -> BTreeMap<&'f str, &'f [u8]> {
    let named: Option<Vec<&str>> = texts
        .get(MANIFEST)
        .map(|manifest| manifest.lines().skip(1).filter_map(|line| Some(line.split_once(' ')?.1)).collect());
    let is_ours = |path: &str| named.as_ref().is_none_or(|named| named.contains(&path));
    let files = files.iter().filter(|(path, _)| *path != MANIFEST && is_ours(path));
    files.map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect()
}
