//! In one long-lived database salsa re-runs exactly what the needs recorded by the resolutions say: the files
//! that changed and those that asked for a key that changed. The driver decides by the same needs across
//! processes, so the two must agree.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bindery_db::{Database, FileChange, Resolved, Source};
use bindery_facts::FileFacts;
use bindery_graph::{Contents, Key, Lookup, MapLookup, Offer, Provided, Unit, offers};
use bindery_languages::for_language;
use bindery_source::{ContentHash, Digest64, Language, RepoPath};
use bindery_syntax::{Limits, Parsed, parse};

/// Files in memory with their facts; look-ups go to all of them.
#[derive(Default)]
struct Files(Mutex<BTreeMap<RepoPath, Arc<FileFacts>>>);

impl Files {
    fn all(&self) -> MutexGuard<'_, BTreeMap<RepoPath, Arc<FileFacts>>> {
        self.0.lock().expect("no test panics while it holds the lock")
    }

    fn set(&self, path: &str, text: &str) -> FileChange {
        let language =
            path.rsplit('.').next().and_then(Language::from_extension).expect("tests use known endings");
        let entry = for_language(language).expect("tests use compiled languages");
        let Parsed::Facts(facts) = parse(entry.adapter, text.as_bytes(), &Limits::default()) else {
            panic!("{path} does not parse");
        };
        self.all().insert(RepoPath::new(path), Arc::new(*facts));
        FileChange::Set(RepoPath::new(path), ContentHash::of(text.as_bytes()))
    }

    fn unit(&self, path: &str) -> Option<Unit> {
        let path = RepoPath::new(path);
        let facts = self.all().get(&path)?.clone();
        Some(Unit { path, contents: Contents::Source(facts.summary.clone()) })
    }

    fn offers(&self, path: &str) -> Vec<Offer> {
        let Some(unit) = self.unit(path) else { return Vec::new() };
        offers(&unit, for_language(unit.language()).expect("it was parsed").rules)
    }
}

impl Lookup for Files {
    fn provided(&self, key: &Key) -> Arc<[Provided]> {
        let paths: Vec<RepoPath> = self.all().keys().cloned().collect();
        let units = paths.iter().filter_map(|path| {
            let unit = self.unit(path.as_str())?;
            let rules = for_language(unit.language())?.rules;
            Some((Arc::new(unit), rules))
        });
        MapLookup::new(units).provided(key)
    }
}

impl Source for Files {
    fn facts(&self, path: &RepoPath, _content: ContentHash) -> Option<Arc<FileFacts>> {
        self.all().get(path).cloned()
    }
}

const FILES: [(&str, &str); 6] = [
    ("a.py", "from b import helper\n\n\ndef run():\n    return helper()\n"),
    ("b.py", "def helper():\n    return 1\n\n\ndef other():\n    return helper()\n"),
    ("c.py", "import b\n\n\ndef go():\n    return b.other()\n"),
    ("d.py", "def alone():\n    return 1\n"),
    ("lib.rs", "pub mod shape;\npub fn area() -> u32 { shape::Square { side: 2 }.area() }\n"),
    (
        "shape.rs",
        "pub struct Square { pub side: u32 }\nimpl Square { pub fn area(&self) -> u32 { self.side } }\n",
    ),
];

/// The keys under which two lists of offers differ.
fn changed(before: &[Offer], after: &[Offer]) -> Vec<Key> {
    let by_key = |offers: &[Offer]| -> BTreeMap<Key, Vec<Digest64>> {
        let mut keys: BTreeMap<Key, Vec<Digest64>> = BTreeMap::new();
        for offer in offers {
            keys.entry(offer.key.clone()).or_default().push(offer.fingerprint);
        }
        keys
    };
    let (before, after) = (by_key(before), by_key(after));
    let all: BTreeSet<&Key> = before.keys().chain(after.keys()).collect();
    all.into_iter().filter(|key| before.get(*key) != after.get(*key)).cloned().collect()
}

#[test]
fn salsa_runs_what_the_needs_say() {
    let edits = [
        ("b.py", "def helper():\n    return 2\n\n\ndef other():\n    return helper()\n", "a body"),
        ("b.py", "def helper(x=1):\n    return 1\n\n\ndef other():\n    return helper()\n", "a parameter"),
        ("b.py", "def helper():\n    return 1\n", "a function goes"),
        (
            "b.py",
            "def helper():\n    return 1\n\n\ndef other():\n    return helper()\n\n\ndef alone():\n    pass\n",
            "a name elsewhere",
        ),
        ("d.py", "def alone():\n    return 1\n\n\ndef helper():\n    pass\n", "a common name"),
        (
            "shape.rs",
            "pub struct Square { pub side: u32 }\nimpl Square { pub fn area(&self) -> u64 { 1 } }\n",
            "a return type",
        ),
        (
            "shape.rs",
            "// note\npub struct Square { pub side: u32 }\nimpl Square { pub fn area(&self) -> u32 { self.side } }\n",
            "a comment",
        ),
        ("e.py", "def helper():\n    return 3\n", "a new file"),
    ];
    for (path, text, what) in edits {
        let files = Arc::new(Files::default());
        let changes: Vec<FileChange> = FILES.iter().map(|(path, text)| files.set(path, text)).collect();
        let mut db = Database::new(files.clone());
        db.apply(changes, &[]);
        let paths: Vec<RepoPath> = files.all().keys().cloned().collect();
        let needs: BTreeMap<RepoPath, Vec<Digest64>> = db
            .resolutions(&paths)
            .into_iter()
            .map(|(path, resolved)| match resolved {
                Resolved::Done(resolution) => (path, resolution.needs.clone()),
                other => panic!("{path}: {other:?}"),
            })
            .collect();
        assert_eq!(db.take_executed().len(), FILES.len(), "everything runs the first time");

        let before = files.offers(path);
        let change = files.set(path, text);
        let keys = changed(&before, &files.offers(path));
        db.apply([change], &keys);
        let paths: Vec<RepoPath> = files.all().keys().cloned().collect();
        db.resolutions(&paths);
        let ran: BTreeSet<RepoPath> = db.take_executed().into_iter().map(|executed| executed.path).collect();
        let mut expected = BTreeSet::from([RepoPath::new(path)]);
        for (file, needs) in &needs {
            if keys.iter().any(|key| needs.binary_search(&key.digest()).is_ok()) {
                expected.insert(file.clone());
            }
        }
        assert_eq!(ran, expected, "{what} in {path}");
    }
}
