use std::collections::BTreeMap;

use bindery_artifacts::{OrganizedStage, Registers};
use bindery_facts::DeclKind;
use bindery_graph::Callee;

use super::*;
use crate::sample::{SampleFile, callers, plain_id, symbol};
use crate::*;

/// Everything that the handbook of a set of files shows.
pub(crate) struct Models {
    pub(crate) overview: OverviewPage,
    pub(crate) index: IndexPage,
    pub(crate) register: Option<RegisterPage>,
    pub(crate) stages: Vec<StagePage>,
}

/// The whole handbook of a set of files, by page.
fn handbook(files: &[SampleFile]) -> BTreeMap<String, String> {
    let models = models(files);
    let mut pages: BTreeMap<String, String> =
        models.stages.iter().map(|page| (page.page.clone(), render_stage(page))).collect();
    pages.insert("overview.md".to_owned(), render_overview(&models.overview));
    pages.insert("index.md".to_owned(), render_index(&models.index));
    pages.extend(models.register.map(|model| ("register.md".to_owned(), render_register(&model))));
    pages
}

pub(crate) fn models(files: &[SampleFile]) -> Models {
    let sketches: Vec<FileSketch> = files.iter().map(|file| sketch(&file.view())).collect();
    let states: Vec<FileState> = files.iter().map(|file| file_state(&file.view())).collect();
    let draft = draft_skeleton(&sketches, "sample", &[]);
    let skeleton = &draft.skeleton;
    let stages = assign_draft(&draft, &sketches);
    let names = page_names(skeleton, &stages);
    let stage_of = |path: &bindery_source::RepoPath| {
        let at = sketches.iter().position(|sketch| sketch.path == *path)?;
        stages.primary[at]
    };
    let references = CrossReferences {
        id_of: &plain_id,
        callers_of: &|wanted| callers(files, wanted),
        page_of: &|path| names[stage_of(path)? as usize].clone(),
    };
    let state_files: Vec<StateOfFile<'_>> = sketches
        .iter()
        .zip(&states)
        .zip(&stages.primary)
        .map(|((sketch, state), stage)| StateOfFile {
            path: &sketch.path,
            state,
            stage: *stage,
            is_test: sketch.is_test,
        })
        .collect();
    let registers = registers(skeleton, &state_files, &references);
    let stage_models = stage_models(files, &sketches, &stages, &draft, &registers, &references);
    let ties = stage_ties(skeleton, &sketches, &stages);
    let overview = system_overview("sample", None, skeleton, &sketches);
    let has_registers = !registers.registers.is_empty();
    let unscanned = vec![("bad|name.py".to_owned(), "not UTF-8".to_owned())];
    Models {
        overview: overview_page_model("sample", &overview, skeleton, &names, &ties, has_registers),
        index: index_page_model("sample", skeleton, &names, &stages, &sketches, unscanned),
        register: register_page_model("sample", skeleton, &names, &registers),
        stages: stage_models,
    }
}

fn stage_models(
    files: &[SampleFile],
    sketches: &[FileSketch],
    stages: &FileStages,
    draft: &Draft,
    registers: &Registers,
    references: &CrossReferences<'_>,
) -> Vec<StagePage> {
    let names = page_names(&draft.skeleton, stages);
    let mut pages = Vec::new();
    for (at, stage) in draft.skeleton.stages.iter().enumerate() {
        let own: Vec<usize> =
            (0..files.len()).filter(|file| stages.primary[*file] == Some(at as u32)).collect();
        let own_sketches: Vec<&FileSketch> = own.iter().map(|file| &sketches[*file]).collect();
        let organized: OrganizedStage = organize_stage(&stage.title, &own_sketches);
        let story = StageStory {
            title: &stage.title,
            files: &own_sketches,
            all_files: own.len(),
            parts: &[],
            uses: &[],
            used_by: &[],
        };
        let summary = stage_summary(&story);
        let context = StageContext {
            skeleton: &draft.skeleton,
            pages: &names,
            stage: at as u32,
            organized: &organized,
            summary: &summary,
            prose: None,
            registers: &registers.registers,
            link_template: "../{path}#L{line}-L{end_line}",
            is_deep: false,
        };
        let card = |file: &usize| {
            let file =
                StageFile { view: files[*file].view(), sketch: &sketches[*file], also: &stages.also[*file] };
            file_card(&context, &file, references)
        };
        pages.extend(stage_page_model(&context, own.iter().map(card).collect()));
    }
    pages
}

/// Three stages of a task runner: the program, its queue, its workers.
pub(crate) fn task_runner() -> Vec<SampleFile> {
    let push = || Callee::Function(symbol("app/queue/fifo.py", "Fifo.push"));
    let getpid = Callee::Boundary { specifier: "os".into(), class: "".into(), name: "getpid".into() };
    let fifo = || symbol("app/queue/fifo.py", "Fifo");
    let mut files = vec![
        SampleFile::new("app/__main__.py")
            .doc("Runs tasks.\n\nMore about it.")
            .entry_point()
            .decl(DeclKind::Function, "main", [3, 9], "Starts everything. Then waits.")
            .call(Some(0), 4, push())
            .call(Some(0), 5, getpid)
            .call(None, 12, Callee::Function(symbol("app/__main__.py", "main"))),
        SampleFile::new("app/queue/fifo.py")
            .doc("A queue | of `tasks`.")
            .decl(DeclKind::Class, "Fifo", [1, 8], "First in, first out.")
            .decl(DeclKind::Method, "Fifo.push", [2, 4], "")
            .access(Some(1), 3, fifo(), "count", true),
        SampleFile::new("app/workers/pool.py")
            .decl(DeclKind::Function, "drain", [1, 6], "")
            .call(Some(0), 2, push())
            .call(Some(0), 3, Callee::New(fifo()))
            .access(Some(0), 4, fifo(), "count", false),
    ];
    for directory in ["queue", "workers"] {
        files.extend((0..4).map(|n| SampleFile::new(&format!("app/{directory}/extra{n}.py"))));
    }
    files
}

#[test]
fn the_page_of_a_stage() {
    let pages = handbook(&task_runner());
    assert_eq!(pages["queue.md"], include_str!("../../snapshots/queue.md"));
    assert_eq!(pages["workers.md"], include_str!("../../snapshots/workers.md"));
}

#[test]
fn the_pages_about_the_whole() {
    let pages = handbook(&task_runner());
    assert_eq!(pages["overview.md"], include_str!("../../snapshots/overview.md"));
    assert_eq!(pages["index.md"], include_str!("../../snapshots/index.md"));
    assert_eq!(pages["register.md"], include_str!("../../snapshots/register.md"));
}

/// Every link to a page of the handbook leads to a page and an anchor that are there, once.
fn assert_links_resolve(pages: &BTreeMap<String, String>) -> usize {
    let links: BTreeMap<&String, PageLinks> =
        pages.iter().map(|(name, page)| (name, page_links(page))).collect();
    let mut checked = 0;
    for (name, found) in &links {
        for target in found.targets.iter().filter(|target| !target.starts_with("../")) {
            let (page, anchor) =
                target.split_once('#').map_or((target.as_str(), None), |(p, a)| (p, Some(a)));
            let there = links.get(&page.to_owned()).unwrap_or_else(|| panic!("{name} links to {target}"));
            assert!(anchor.is_none_or(|anchor| there.anchors.contains(anchor)), "{name} links to {target}");
            checked += 1;
        }
        let mark = "<a id=\"";
        let in_code =
            pages[*name].lines().flat_map(code_of_line).map(|code| code.matches(mark).count()).sum::<usize>();
        let written = pages[*name].matches(mark).count() - in_code;
        assert_eq!(written, found.anchors.len(), "{name} has an anchor twice");
    }
    checked
}

#[test]
fn every_link_resolves() {
    assert!(assert_links_resolve(&handbook(&task_runner())) > 25);
}

/// Names and texts that are markup somewhere.
const HOSTILE: &[&str] = &[
    "a|b",
    "`tick`",
    "``",
    "<script>alert(1)</script>",
    "](evil)",
    "[x](javascript:y)",
    "# head",
    "- item",
    "日本語",
    "a\u{202e}b",
    "\\",
    "*bold*",
    "<!-- /bindery:prose -->",
    "<a id=\"x\">",
    "1. one",
    "```",
    "~~~",
    "$x$",
    "{{x}}",
    "&amp;",
    "",
];

#[test]
fn hostile_names_stay_text() {
    let mut files = Vec::new();
    for (n, text) in HOSTILE.iter().enumerate() {
        let path = format!("src/{}/{n}{}.py", ["one", "two"][n % 2], text.replace('/', "-"));
        let target = symbol(&path, &format!("{text}.f{text}"));
        let mut file = SampleFile::new(&path)
            .doc(text)
            .decl(DeclKind::Class, text, [1, 2], text)
            .decl(DeclKind::Method, &target.qualname, [3, 4], text)
            .call(Some(1), 3, Callee::Function(target.clone()))
            .call(None, 4, Callee::New(symbol(&path, text)))
            .call(
                Some(1),
                5,
                Callee::Boundary { specifier: (*text).into(), class: "".into(), name: (*text).into() },
            );
        file.facts.texts[1].signature = format!("def {text}");
        files.push(file);
    }
    let pages = handbook(&files);
    assert_links_resolve(&pages);
    for (name, page) in &pages {
        // Outside of code spans, every `<` is one of ours.
        let mut rest = page.clone();
        page.lines().flat_map(code_of_line).for_each(|code| rest = rest.replacen(&code, "", 1));
        let ours = ["<a id=\"", "</a>", "<!-- ", "<code>", "</code>"].map(|tag| rest.matches(tag).count());
        assert_eq!(rest.matches('<').count(), ours.iter().sum::<usize>(), "{name}:\n{page}");
        assert!(!page.contains('\u{202e}'), "{name}");
        assert!(page.ends_with('\n') && !page.contains('\r'));
    }
    for unit in pages.values().flat_map(|page| prose_units(page)) {
        assert_eq!(unit.key.len(), 16);
    }
}

/// The code spans of a line, by the rule of equally long runs of backticks.
fn code_of_line(line: &str) -> Vec<String> {
    let mut spans = Vec::new();
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        if rest[..open].ends_with('\\') {
            rest = &rest[open + 1..];
            continue;
        }
        let behind = &rest[open..];
        let ticks = behind.len() - behind.trim_start_matches('`').len();
        let mark = "`".repeat(ticks);
        let Some(close) = behind[ticks..].match_indices(&mark).map(|(at, _)| at).find(|at| {
            let after = &behind[ticks + at + ticks..];
            !after.starts_with('`') && !behind[ticks..ticks + at].ends_with('`')
        }) else {
            break;
        };
        spans.push(behind[ticks..ticks + close].to_owned());
        rest = &behind[ticks + close + ticks..];
    }
    spans
}

#[test]
fn many_functions_keep_their_own_anchors() {
    let mut file = SampleFile::new("src/big.py");
    for n in 0..10_000u32 {
        file = file.decl(DeclKind::Function, &format!("f_{n}"), [n + 1, n + 1], "");
    }
    let pages = handbook(&[file]);
    let page = pages.iter().find(|(name, _)| !matches!(name.as_str(), "overview.md" | "index.md")).unwrap().1;
    assert_eq!(page_links(page).anchors.len(), 10_001);
}

#[test]
fn a_page_does_not_show_lines_of_other_files() {
    let mut files = task_runner();
    let before = handbook(&files);
    for text in &mut files[1].facts.texts {
        text.line_start += 7;
        text.line_end += 7;
    }
    let after = handbook(&files);
    let changed: Vec<&String> = before.keys().filter(|name| before[*name] != after[*name]).collect();
    assert_eq!(changed, ["queue.md"]);
}

#[test]
fn the_stamp_field_can_be_filled_and_emptied() {
    let page = &handbook(&task_runner())["overview.md"];
    let stamped = with_stamp(page, "0123abcd");
    assert!(stamped.ends_with("<!-- bindery:stamp 0123abcd -->\n"));
    assert_eq!(&without_stamp(&stamped), page);
}
