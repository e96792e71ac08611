//! Handbooks on the disk, to be opened.

use std::path::{Path, PathBuf};
use std::process::Command;

use bindery_artifacts::Role;
use bindery_handbook::html;
use bindery_handbook::pages::{
    FileCard, FunctionEntry, GroupSection, IndexEntry, IndexPage, PageLink, RegisterPage, RegisterRow,
    SourceLink, StagePage,
};
use tempfile::TempDir;

/// A handbook on the disk.
pub(crate) struct Site {
    /// Its directory.
    pub(crate) handbook: PathBuf,
    _directory: Option<TempDir>,
}

impl Site {
    /// One that is there already.
    pub(crate) fn at(handbook: PathBuf) -> Site {
        Site { handbook, _directory: None }
    }
}

/// The sample repository's handbook, as the program writes it.
pub(crate) fn sample() -> Site {
    let directory = TempDir::new().expect("a temporary directory can be made");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sample"), directory.path());
    std::fs::write(directory.path().join("bindery.toml"), "formats = [\"html\", \"html-single\"]\n")
        .expect("the directory is ours");
    let built = Command::new(env!("CARGO_BIN_EXE_bindery"))
        .args(["build", "--quiet"])
        .arg(directory.path())
        .output()
        .expect("the program can be run");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Site { handbook: directory.path().join(".bindery/handbook"), _directory: Some(directory) }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the directory is ours");
    for entry in std::fs::read_dir(from).expect("the fixture can be listed").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == ".bindery" {
            continue;
        }
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(std::fs::copy(&path, &target).expect("the fixture can be read")),
        }
    }
}

/// A site of 200 stages with 100 functions each, and their number; and a table of registers.
pub(crate) fn large_site() -> (Site, usize) {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let below = |path: &str| directory.path().join("html").join(path);
    for part in ["assets", "search"] {
        std::fs::create_dir_all(below(part)).expect("the directory is ours");
    }
    let write = |path: &str, text: &str| std::fs::write(below(path), text).expect("the directory is ours");
    let stages: Vec<StagePage> = (0..200).map(stage).collect();
    for page in &stages {
        write(&format!("{}.html", page.id), &html::render_stage(page, "{path}"));
        write(&format!("search/{}.js", page.id), &html::search_shard(page));
    }
    let entry = |page: &StagePage| IndexEntry {
        link: PageLink { title: page.title.clone(), page: page.page.clone() },
        depth: 0,
        crosscut: false,
        description: String::new(),
        files: 1,
    };
    let index = IndexPage {
        name: "Large".to_owned(),
        entries: stages.iter().map(entry).collect(),
        unassigned: Vec::new(),
        unscanned: Vec::new(),
    };
    write("navigation.js", &html::navigation(&index));
    write("register.html", &html::render_register(&register()));
    html::assets().iter().for_each(|(path, text)| write(path, text));
    let cards = stages.iter().flat_map(|stage| &stage.groups).flat_map(|group| &group.cards);
    let symbols = cards.map(|card| card.functions.len()).sum();
    (Site { handbook: directory.path().to_owned(), _directory: Some(directory) }, symbols)
}

fn register() -> RegisterPage {
    let row = RegisterRow {
        id: "reg-query-set-result-cache".to_owned(),
        semantics: "Attribute _result_cache of QuerySet in models/query_7.py; written by QuerySet7.filter_4."
            .to_owned(),
        stages: vec![PageLink { title: "Stage 7".to_owned(), page: "stage-7.md".to_owned() }],
    };
    RegisterPage { name: "Large".to_owned(), rows: vec![row] }
}

fn stage(at: usize) -> StagePage {
    let function = |n: usize| FunctionEntry {
        anchor: format!("s-{at}-{n}"),
        qualname: format!("QuerySet{at}.{}_{n}", ["filter", "exclude", "annotate", "values_list"][n % 4]),
        signature: "def method(self)".to_owned(),
        source: SourceLink { path: format!("models/query_{at}.py"), line: 1, end_line: 2 },
        doc: String::new(),
        callers: Vec::new(),
        callees: Vec::new(),
        prose: None,
    };
    let card = FileCard {
        path: format!("models/query_{at}.py"),
        anchor: format!("file-{at}"),
        purpose: String::new(),
        role: Role::Other,
        lifecycle: "none".to_owned(),
        description: None,
        first_error: None,
        also: Vec::new(),
        types: Vec::new(),
        functions: (0..100).map(function).collect(),
    };
    StagePage {
        id: format!("stage-{at}"),
        page: format!("stage-{at}.md"),
        title: format!("Stage {at}"),
        above: Vec::new(),
        crosscut: false,
        description: String::new(),
        summary: String::new(),
        substages: Vec::new(),
        groups: vec![GroupSection { title: "Files".to_owned(), summary: String::new(), cards: vec![card] }],
        registers: Vec::new(),
        next: None,
        link_template: String::new(),
    }
}
