//! Every key and digest of the engine, each of its inputs flipped once (R7): a miss for what it must notice, a
//! hit for what it must not.
//!
//! | key | of | misses on | hits on |
//! |---|---|---|---|
//! | facts (`reading.rs`) | a file's facts | bytes, language, what reads them, limits | path, times |
//! | build (`analysis.rs`) | all but facts | tool, engine, languages | – |
//! | look-up keys (`Key::digest`) | offers and needs | kind and every part | – |
//! | fingerprints (`offers`) | what an item shows | every part of the item | the other items, its place |
//! | sketch (`structure.rs`) | a file to the stages | every part | lines of state uses |
//! | surroundings (`structure.rs`) | the stages' other inputs | every part | what pages do not show |
//! | stages (`structure.rs`) | what a page shows of the stages | its own, above, in, after, users, registers | other stages |
//! | models (`present.rs`) | a page | every part | – |
//! | selection (`repository.rs`) | what is walked | include, exclude, files, limits, out, work | the rest |
//! | prose request (`bindery_handbook::request`) | kept prose | what is shown, instructions, narrator, prompt | model, lines |
//! | circumstances (`run.rs`) | the gate | the whole configuration, the directories | threads, clock, care |
//!
//! Paths and times as non-inputs, and the artifacts' digest, are tested through whole builds
//! (`tests/minimal_work.rs`, `tests/inputs.rs`); the store's own checksums in `bindery-store`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use bindery_artifacts::{Configuration, Skeleton};
use bindery_facts::{Decl, Import, Manifest, Summary, Variable};
use bindery_graph::{Contents, Item, Key, Unit, offers};
use bindery_handbook::{DirectoryTitle, pages};
use bindery_source::{ContentHash, Digest64, Language, RepoPath};
use bindery_store::fs::MemoryFileSystem;
use bindery_store::{Environment, Interrupt};
use bindery_syntax::Limits;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::analysis::build_key;
use crate::present::digest;
use crate::reading::key_of;
use crate::run::Run;
use crate::snapshot::rules_of;
use crate::structure::{Sketched, Structure, Surroundings};
use crate::{Options, Quiet, Repository};

/// A value from its JSON form.
fn value<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("the sample is of this type")
}

/// `value` with one thing changed, in every way, with the place of the change: each leaf of its JSON form, and
/// each list shorter (`-`) and with its first element twice (`+`).
fn flipped<T: Serialize + DeserializeOwned>(value: &T) -> Vec<(String, T)> {
    let json = serde_json::to_value(value).expect("the sample has a JSON form");
    let mut flips = Vec::new();
    flips_of(&json, String::new(), &mut flips);
    let mut flipped = Vec::new();
    for (place, pointer, changed) in flips {
        let with = |changed: Value| {
            let mut json = json.clone();
            *json.pointer_mut(&pointer).expect("it was found there") = changed;
            serde_json::from_value::<T>(json)
        };
        match with(changed.clone()) {
            Ok(value) => flipped.push((place, value)),
            Err(error) => match another_word(&error.to_string(), &json, &pointer) {
                Some(word) => flipped.push((place, with(Value::from(word)).expect("serde named the word"))),
                // A pair has its length, a version its number, a vocabulary of one word that word.
                None => assert!(
                    !changed.is_string() || error.to_string().starts_with("unknown variant"),
                    "{place} cannot be flipped: {error}"
                ),
            },
        }
    }
    flipped
}

fn flips_of(json: &Value, pointer: String, flips: &mut Vec<(String, String, Value)>) {
    let mut flip =
        |kind: &str, changed: Value| flips.push((format!("{pointer}{kind}"), pointer.clone(), changed));
    match json {
        Value::Null => panic!("{pointer} of the sample is empty and would not be flipped"),
        Value::Bool(is_set) => flip("", Value::from(!is_set)),
        Value::Number(number) => flip("", Value::from(number.as_u64().expect("samples count up") + 1)),
        Value::String(text) => flip("", Value::from(format!("{text}x"))),
        Value::Array(items) => {
            assert!(!items.is_empty(), "{pointer} of the sample is empty and would not be flipped");
            flip("/-", Value::from(&items[1..]));
            flip("/+", Value::from_iter(items.iter().take(1).chain(items).cloned()));
            for (at, item) in items.iter().enumerate() {
                flips_of(item, format!("{pointer}/{at}"), flips);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                flips_of(field, format!("{pointer}/{name}"), flips);
            }
        }
    }
}

/// Where a word of a closed vocabulary stands, another one, as serde's message lists them.
fn another_word(message: &str, json: &Value, pointer: &str) -> Option<String> {
    let now = json.pointer(pointer)?.as_str()?;
    let (_, allowed) = message.split_once("expected ")?;
    allowed.split('`').skip(1).step_by(2).find(|word| *word != now).map(str::to_owned)
}

/// Asserts that exactly the flips at `hits` leave the digest as it is.
fn assert_flips<T: Serialize + DeserializeOwned, D: PartialEq + std::fmt::Debug>(
    sample: &T,
    digest: impl Fn(&T) -> D,
    hits: &[&str],
) -> usize {
    let before = digest(sample);
    assert_eq!(digest(&value(serde_json::to_value(sample).expect("it has a JSON form"))), before);
    let flips = flipped(sample);
    let same: BTreeSet<&str> = flips
        .iter()
        .filter(|(_, flipped)| digest(flipped) == before)
        .map(|(place, _)| place.as_str())
        .collect();
    assert_eq!(same, hits.iter().copied().collect(), "the flips that are no miss");
    flips.len()
}

fn assert_all_differ<D: Ord + std::fmt::Debug>(digests: Vec<D>) {
    let count = digests.len();
    assert_eq!(digests.into_iter().collect::<BTreeSet<_>>().len(), count, "two inputs, one digest");
}

#[test]
fn the_facts_key() {
    let (content, limits) = (ContentHash::of(b"x"), Limits::default());
    let key = |limits: &Limits| key_of(content, Language::Python, "1", limits);
    assert_all_differ(vec![
        key(&limits),
        key_of(ContentHash::of(b"y"), Language::Python, "1", &limits),
        key_of(content, Language::Rust, "1", &limits),
        key_of(content, Language::Python, "2", &limits),
    ]);
    assert_eq!(assert_flips(&limits, key, &[]), 6, "every limit");
}

#[test]
fn the_build_key() {
    let key =
        |tool: &str, engine: &str, languages: &[&str]| build_key(tool, engine, languages.iter().copied());
    assert_all_differ(vec![
        key("1.0.0", "1", &["python", "rust"]),
        key("1.0.1", "1", &["python", "rust"]),
        key("1.0.0", "2", &["python", "rust"]),
        key("1.0.0", "1", &["python"]),
        key("1.0.0", "1", &["rust", "python"]),
        key("1.0.0", "1", &["go", "rust"]),
    ]);
}

#[test]
fn the_digests_of_look_up_keys() {
    let symbol = |path: &str, qualname: &str| Key::Symbol { path: path.into(), qualname: qualname.into() };
    let member = |path: &str, owner: &str, name: &str| Key::Member {
        path: path.into(),
        owner: owner.into(),
        name: name.into(),
    };
    let globs = |path: &str, owner: &str| Key::Globs { path: path.into(), owner: owner.into() };
    let custom = |language, kind, subject: &str, name: &str| Key::Custom {
        language,
        kind,
        subject: subject.into(),
        name: name.into(),
    };
    let keys = [
        Key::File("a".into()),
        Key::File("b".into()),
        Key::Id("a".to_owned()),
        Key::Id("b".to_owned()),
        symbol("a", "b"),
        symbol("b", "b"),
        symbol("a", "a"),
        symbol("a", ""),
        member("a", "b", "c"),
        member("b", "b", "c"),
        member("a", "c", "c"),
        member("a", "b", "b"),
        member("a", "", "bc"),
        member("a", "bc", ""),
        globs("a", "b"),
        globs("b", "b"),
        globs("a", ""),
        custom(Language::Rust, "crate", "a", "b"),
        custom(Language::Python, "crate", "a", "b"),
        custom(Language::Rust, "impl", "a", "b"),
        custom(Language::Rust, "crate", "b", "b"),
        custom(Language::Rust, "crate", "a", "a"),
        custom(Language::Rust, "crate", "ab", ""),
        // A language's own kind that is called like one of the keys every language has.
        custom(Language::Rust, "file", "a", ""),
        custom(Language::Rust, "symbol", "a", "b"),
    ];
    assert_all_differ(keys.iter().map(Key::digest).collect());
}

/// A type as written, in its JSON form.
fn written_type() -> Value {
    json!({ "Path": [{ "name": "List", "args": ["Never"], "bindings": [["Item", "Never"]] }] })
}

/// A followed value, in its JSON form.
fn followed_value() -> Value {
    json!([{ "Name": { "name": "x", "scope": 0, "at": 0 } }])
}

fn declaration() -> Decl {
    value(json!({
        "kind": "Class", "name": "C", "qualname": "C", "owner": "o", "visibility": { "Restricted": "crate" },
        "flags": {
            "is_async": false, "is_static": false, "is_class_method": false, "is_property": false,
            "is_bodiless": false, "is_conditional": false, "is_test": false, "is_generator": false,
            "is_external_module": false,
        },
        "decorators": ["cache"],
        "type_params": [{ "name": "T", "bounds": [written_type()], "default": written_type() }],
        "params": [{
            "name": "p", "kind": "Normal", "ty": written_type(), "type_text": "List", "has_default": false,
        }],
        "returns": written_type(), "result": followed_value(), "supertypes": [written_type()],
        "target": written_type(), "shape": "Unit",
    }))
}

fn variable() -> Variable {
    value(json!({
        "name": "v", "owner": "C", "kind": "Instance", "ty": written_type(), "value": followed_value(),
        "assigned_in": "C.set", "visibility": { "Restricted": "crate" }, "is_mutable": true,
    }))
}

fn import() -> Import {
    value(json!({
        "owner": "C", "path": ["a", "b"], "level": 1, "is_member": true, "binds": { "Name": "b" },
        "visibility": { "Restricted": "crate" }, "is_conditional": false,
    }))
}

fn fingerprint(contents: Contents, item: Item) -> Digest64 {
    let unit = Unit { path: RepoPath::new("a.py"), contents };
    let offers = offers(&unit, rules_of(unit.language()));
    offers.into_iter().find(|offer| offer.item == item).expect("every item is offered").fingerprint
}

fn of_source(summary: Summary, item: Item) -> Digest64 {
    fingerprint(Contents::Source(Arc::new(summary)), item)
}

#[test]
fn the_fingerprints_of_offers() {
    let empty = || Summary::empty(Language::Python);
    let of_decl = |decl: &Decl| of_source(Summary { decls: vec![decl.clone()], ..empty() }, Item::Decl(0));
    let of_variable = |variable: &Variable| {
        of_source(Summary { variables: vec![variable.clone()], ..empty() }, Item::Variable(0))
    };
    let of_import =
        |import: &Import| of_source(Summary { imports: vec![import.clone()], ..empty() }, Item::Import(0));
    let flips = assert_flips(&declaration(), of_decl, &[])
        + assert_flips(&variable(), of_variable, &[])
        + assert_flips(&import(), of_import, &[]);
    assert!(flips > 60, "{flips} flips are fewer than there are fields");

    // A file shows its language, its exports and its marks; nothing in it shows the other items or its place.
    let file = Summary { exports: Some(vec!["a".into()]), marks: vec!["m".into()], ..empty() };
    let of_file = |summary: &Summary| of_source(summary.clone(), Item::File);
    assert_all_differ(vec![
        of_file(&file),
        of_file(&Summary { language: Language::Rust, ..file.clone() }),
        of_file(&Summary { exports: None, ..file.clone() }),
        of_file(&Summary { exports: Some(Vec::new()), ..file.clone() }),
        of_file(&Summary { exports: Some(vec!["b".into()]), ..file.clone() }),
        of_file(&Summary { marks: Vec::new(), ..file.clone() }),
    ]);
    let full = Summary {
        decls: vec![value(serde_json::to_value(declaration()).expect("it has a JSON form")), declaration()],
        imports: vec![import()],
        variables: vec![variable()],
        ..file.clone()
    };
    assert_eq!(of_file(&full), of_file(&file));
    assert_eq!(of_source(full.clone(), Item::Decl(1)), of_decl(&declaration()));
    assert_eq!(of_source(full.clone(), Item::Variable(0)), of_variable(&variable()));
    assert_eq!(of_source(full, Item::Import(0)), of_import(&import()));
}

#[test]
fn the_fingerprints_of_manifests() {
    let manifest: Manifest = value(json!({
        "entries": [{ "kind": "package", "key": "name", "value": "a" }],
        "problem": [1, "m"],
    }));
    let of = |manifest: &Manifest, item| {
        fingerprint(Contents::Manifest(Language::Rust, Arc::new(manifest.clone())), item)
    };
    let unit = |manifest: &Manifest| Unit {
        path: RepoPath::new("Cargo.toml"),
        contents: Contents::Manifest(Language::Rust, Arc::new(manifest.clone())),
    };
    let offered = |manifest: &Manifest| -> Vec<(Digest64, Digest64)> {
        let offers = offers(&unit(manifest), rules_of(Language::Rust));
        offers.iter().map(|offer| (offer.key.digest(), offer.fingerprint)).collect()
    };
    // Of a problem a finding is made; what others see are the entries.
    let hits = ["/problem/0", "/problem/1"];
    assert_flips(&manifest, offered, &hits);
    let python = fingerprint(Contents::Manifest(Language::Python, Arc::new(manifest.clone())), Item::File);
    assert_ne!(of(&manifest, Item::File), python);
}

fn sketched() -> Sketched {
    value(json!({
        "sketch": {
            "path": "a.py", "language": "python", "role": "config", "lifecycle": "startup",
            "function_count": 1, "type_count": 1, "is_entry_point": false, "is_test": false,
            "purpose": "Says it.", "imported_files": ["b.py"], "called_files": [["c.py", 2]],
        },
        "state": {
            "uses": [{
                "owner": { "path": "b.py", "qualname": "B" }, "name": "n", "is_write": true, "line": 3,
                "function": "f",
            }],
            "mutable": [["B", "n"]],
        },
    }))
}

#[test]
fn the_digest_of_a_sketch() {
    // Lines show in `registers.json` only, which is made anew; a second use at another line is no other use.
    let hits = ["/state/uses/0/line", "/state/uses/+"];
    let flips = assert_flips(&sketched(), Sketched::digest, &hits);
    assert!(flips > 20, "{flips} flips are fewer than there are fields");
}

fn skeleton() -> Value {
    let stage = |id: &str, parent: Value| {
        json!({
            "id": id, "title": format!("Title {id}"), "description": "Words.", "parent": parent,
            "children": [], "crosscut": false,
        })
    };
    json!({
        "metadata": { "version": 1, "archetype": "program", "draftedBy": "user" },
        "order": ["a", "c"],
        "stages": [stage("a", Value::Null), stage("b", Value::from("a")), stage("c", Value::Null)],
    })
}

#[test]
fn the_digest_of_the_stages_surroundings() {
    let (committed, configuration) = (value::<Skeleton>(skeleton()), Configuration::default());
    let title = |directory: &str, title: &str| {
        vec![DirectoryTitle { directory: directory.to_owned(), title: title.to_owned() }]
    };
    let titles = title("d", "Title");
    let plain = Surroundings {
        name: "Name",
        readme: Some("Words."),
        titles: &titles,
        committed: Some(&committed),
        configuration: &configuration,
        link_template: "{path}",
    };
    let (other_directory, other_title) = (title("e", "Title"), title("d", "Other"));
    let mut edited = committed.clone();
    edited.stages[2].description.push('x');
    let deep = Configuration { depth: bindery_artifacts::Depth::Deep, ..Configuration::default() };
    assert_all_differ(vec![
        plain.digest(),
        Surroundings { name: "Other", ..plain }.digest(),
        Surroundings { readme: Some("Other."), ..plain }.digest(),
        Surroundings { readme: None, ..plain }.digest(),
        Surroundings { titles: &[], ..plain }.digest(),
        Surroundings { titles: &other_directory, ..plain }.digest(),
        Surroundings { titles: &other_title, ..plain }.digest(),
        Surroundings { committed: None, ..plain }.digest(),
        Surroundings { committed: Some(&edited), ..plain }.digest(),
        Surroundings { configuration: &deep, ..plain }.digest(),
        Surroundings { link_template: "../{path}", ..plain }.digest(),
    ]);
    // What decides about other things: the files, the artifacts, the place of the handbook.
    for other in [
        Configuration { exclude: vec!["x".to_owned()], ..Configuration::default() },
        Configuration {
            artifacts: Some(bindery_artifacts::ArtifactExport::None),
            ..Configuration::default()
        },
        Configuration { out: Some("docs".to_owned()), ..Configuration::default() },
    ] {
        assert_eq!(Surroundings { configuration: &other, ..plain }.digest(), plain.digest());
    }
}

/// Stages a, b in a, and c after it, with a file each: c uses those of a and b, a that of c.
fn structure() -> Structure {
    let organized = |title: &str| {
        json!({
            "title": title,
            "groups": [{
                "title": "Group", "summary": "Words.",
                "files": [{ "file": "a.py", "purpose": "Does.", "role": "config", "nFunctions": 1 }],
            }],
            "orderedFiles": ["a.py"],
        })
    };
    let register = |id: &str, stage: &str| {
        let state_use = json!([{ "file": "a.py", "line": 1, "symbol": "a.f" }]);
        json!({ "id": id, "semantics": "Words.", "stages": [stage], "reads": state_use, "writes": state_use })
    };
    value(json!({
        "surroundings": vec![0; 32],
        "name": "Name",
        "overview": "Words.",
        "skeleton": skeleton().to_string(),
        "files": [["a.py", 0, [2]], ["b.py", 1, [2]], ["c.py", 2, [0]]],
        "pages": ["a.md", "b.md", "c.md"],
        "organized": [organized("a"), organized("b"), organized("c")],
        "summaries": ["About a.", "About b.", "About c."],
        "ties": [[[0, 2], 1]],
        "registers": { "version": 1, "registers": [register("reg-a", "a"), register("reg-b", "b"), register("reg-c", "c")] },
    }))
}

#[test]
fn the_digests_of_stages() {
    type Flip = fn(&mut Structure);
    /// Each flip with the stages whose pages show it.
    const FLIPS: [(&str, Flip, &[&str]); 24] = [
        ("a's title", |s| s.skeleton.stages[0].title.push('x'), &["a", "b", "c"]),
        ("a's description", |s| s.skeleton.stages[0].description.push('x'), &["a"]),
        ("a's page", |s| s.pages[0] = Some("x.md".to_owned()), &["a", "b", "c"]),
        ("a's summary", |s| s.summaries[0].push('x'), &["a"]),
        ("a's groups", |s| s.organized[0].groups[0].summary.push('x'), &["a"]),
        ("a's reading order", |s| s.organized[0].ordered_files.clear(), &["a"]),
        ("b's title", |s| s.skeleton.stages[1].title.push('x'), &["a", "b"]),
        ("b's description", |s| s.skeleton.stages[1].description.push('x'), &["a", "b"]),
        ("b's page", |s| s.pages[1] = None, &["a", "b"]),
        ("b's place", |s| s.skeleton.stages[1].parent = None, &["a", "b"]),
        ("b serves all", |s| s.skeleton.stages[1].crosscut = true, &["b"]),
        ("b's summary", |s| s.summaries[1].push('x'), &["b"]),
        ("c's title", |s| s.skeleton.stages[2].title.push('x'), &["a", "b", "c"]),
        ("c's description", |s| s.skeleton.stages[2].description.push('x'), &["c"]),
        ("c's page", |s| s.pages[2] = Some("x.md".to_owned()), &["a", "b", "c"]),
        ("the users of a's file", |s| s.files[0].2.clear(), &["a"]),
        ("the users of b's file", |s| s.files[1].2 = vec![0], &["b"]),
        ("a's register", |s| s.registers.registers[0].semantics.push('x'), &["a"]),
        ("a line of b's register", |s| s.registers.registers[1].writes[0].line += 1, &["b"]),
        (
            "b's register becomes c's",
            |s| s.registers.registers[1].stages = s.registers.registers[2].stages.clone(),
            &["b", "c"],
        ),
        ("the name", |s| s.name.push('x'), &[]),
        ("the overview", |s| s.overview.push('x'), &[]),
        ("the ties", |s| s.ties.clear(), &[]),
        ("the surroundings", |s| s.surroundings = ContentHash::of(b"x"), &[]),
    ];
    let plain = structure();
    let before = plain.stage_digests();
    for (what, flip, expected) in FLIPS {
        let mut flipped = plain.clone();
        flip(&mut flipped);
        let after = flipped.stage_digests();
        let changed: Vec<&str> =
            before.iter().filter(|(id, digest)| after.get(*id) != Some(digest)).map(|(id, _)| *id).collect();
        assert_eq!(changed, expected, "{what}");
    }
}

#[test]
fn the_digests_of_pages() {
    let link = || json!({ "title": "Stage", "page": "s.md" });
    let source = || json!({ "path": "a.py", "line": 1, "end_line": 2 });
    let reference = || json!({ "id": "a.f", "place": ["s.md", "s-f"] });
    let overview: pages::OverviewPage = value(json!({
        "name": "Name", "overview": "Words.", "stages": [link()], "crosscut": [false],
        "ties": [{ "user": 0, "used": 1 }], "has_registers": false,
    }));
    let index: pages::IndexPage = value(json!({
        "name": "Name",
        "entries": [{ "link": link(), "depth": 0, "crosscut": false, "description": "Words.", "files": 1 }],
        "unassigned": ["a.py"], "unscanned": [["b.py", "no reason"]],
    }));
    let register: pages::RegisterPage = value(json!({
        "name": "Name", "rows": [{ "id": "reg-a", "semantics": "Words.", "stages": [link()] }],
    }));
    let card = json!({
        "path": "a.py", "anchor": "f-a", "purpose": "Does.", "role": "config", "lifecycle": "startup",
        "description": "Words.", "first_error": 3, "also": [link()],
        "types": [{ "anchor": "s-c", "qualname": "C", "kind": "class", "source": source(), "doc": "Doc." }],
        "functions": [{
            "anchor": "s-f", "qualname": "f", "signature": "def f()", "source": source(), "doc": "Doc.",
            "prose": { "id": "a.f", "text": { "purpose": "Does.", "data_flow": "In.", "relations": "With." } },
            "callers": [reference()], "callees": [{ "Internal": reference() }, { "Boundary": "boundary:os.x" }],
        }],
    });
    let stage: pages::StagePage = value(json!({
        "id": "s", "page": "s.md", "title": "Stage", "above": [link()], "crosscut": false, "description": "Words.",
        "summary": "Words.", "substages": [{ "link": link(), "description": "Words." }],
        "groups": [{ "title": "Group", "summary": "Words.", "cards": [card] }],
        "registers": [{ "id": "reg-a", "semantics": "Words.", "readers": ["a.f"], "writers": ["a.g"] }],
        "next": link(), "link_template": "{path}",
    }));
    let flips = assert_flips(&overview, digest, &[])
        + assert_flips(&index, digest, &[])
        + assert_flips(&register, digest, &[])
        + assert_flips(&stage, digest, &[]);
    assert!(flips > 100, "{flips} flips are fewer than there are fields");
}

fn repository(options: &Options, environment: Environment) -> Repository {
    let file_system = Arc::new(MemoryFileSystem::with_files([("a.py", "")]));
    let root = PathBuf::from("/repository");
    Repository::over(file_system, root, environment, options, Interrupt::never()).expect("it opens")
}

fn configured(configuration: &Configuration) -> Repository {
    let mut repository = repository(&Options::default(), Environment::default());
    repository.configuration = configuration.clone();
    repository
}

fn circumstances(repository: &Repository) -> ContentHash {
    Run::open(repository, &Quiet, false).0.circumstances()
}

fn configuration() -> Configuration {
    value(json!({
        "name": "n", "out": "docs", "formats": ["markdown"], "depth": "brief", "strategy": "file",
        "skeleton": "stages.yaml", "prose": "prose.jsonl", "narrator": "extractive", "history": true,
        "include": ["vendor/"], "exclude": ["old/"], "files": "all",
        "limits": {
            "file_bytes": 1, "bracket_depth": 1, "memory_base": 1, "memory_per_byte": 1, "ticks_base": 1,
            "ticks_per_kibibyte": 1,
        },
        "link_template": "{path}", "required_version": ">=0.1", "artifacts": "all",
    }))
}

#[test]
fn the_circumstances() {
    let flips =
        assert_flips(&configuration(), |configuration| circumstances(&configured(configuration)), &[]);
    assert!(flips >= 22, "{flips} flips are fewer than there are settings");
    let of = |options: Options| circumstances(&repository(&options, Environment::default()));
    let docs = || Options { out: Some("docs".into()), ..Options::default() };
    assert_all_differ(vec![
        of(Options::default()),
        of(Options { work_dir: Some("work".into()), ..Options::default() }),
        of(docs()),
        of(Options { agent_site: true, ..docs() }),
        of(Options { overrides: vec!["artifacts = \"none\"".to_owned()], ..docs() }),
        of(Options { overrides: vec!["exclude = [\"x\"]".to_owned()], ..docs() }),
    ]);
    for same in [
        Options { jobs: Some(3), ..Options::default() },
        Options { worker: Some(vec!["bindery".into()]), ..Options::default() },
        Options { verify: true, hash_everything: true, recheck_sample: true, ..Options::default() },
        Options { durable: true, ..Options::default() },
        Options { stage: true, ..Options::default() },
        Options { overwrite: vec!["index.md".to_owned()], ..Options::default() },
        Options { allow_send: true, offline: true, prune_prose: true, ..Options::default() },
    ] {
        assert_eq!(of(same.clone()), of(Options::default()), "{same:?}");
    }
    let elsewhere = Environment {
        source_date_epoch: Some("1".to_owned()),
        ci: true,
        no_color: true,
        log_filter: Some("debug".to_owned()),
        root: Some("/elsewhere".into()),
        user_configuration: Some("/elsewhere/config.toml".into()),
        configuration_home: Some("/elsewhere".into()),
        home: Some("/elsewhere".into()),
        current_directory: Some("/elsewhere".into()),
        git_directory: Some("/elsewhere/.git".into()),
        git_work_tree: Some("/elsewhere".into()),
        git_index_file: Some("/elsewhere/.git/index".into()),
        program: Some("/bin/bindery".into()),
        stdout_is_terminal: true,
        stderr_is_terminal: true,
        cores: 16,
    };
    assert_eq!(circumstances(&repository(&Options::default(), elsewhere)), of(Options::default()));
}

#[test]
fn the_digest_of_what_is_selected() {
    let hits = [
        "/name",
        "/formats/+",
        "/formats/0",
        "/depth",
        "/strategy",
        "/skeleton",
        "/prose",
        "/narrator",
        "/history",
        "/link_template",
        "/required_version",
        "/artifacts",
        // Where the handbook lies was settled when the repository was opened.
        "/formats/-",
        "/out",
    ];
    assert_flips(&configuration(), |configuration| configured(configuration).selection_digest(), &hits);
    let of = |options: Options| repository(&options, Environment::default()).selection_digest();
    assert_all_differ(vec![
        of(Options::default()),
        of(Options { work_dir: Some("work".into()), ..Options::default() }),
        of(Options { out: Some("docs".into()), ..Options::default() }),
    ]);
}
