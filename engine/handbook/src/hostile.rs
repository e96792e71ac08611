//! R21: texts that try to be more than text, in every slot of every format of this crate. HTML has its own tests
//! beside its pages; here are Markdown and the agent's files.

use std::collections::BTreeSet;

use bindery_artifacts::Role;
use bindery_artifacts::escape::is_hidden;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use crate::FunctionProse;
use crate::agent::{
    AgentFile, AgentIndex, AgentRegister, AgentStage, CoChange, FILES_HEAD, HistoryDepth, LanguageCoverage,
    files_table, render_agent_index, render_agent_stage,
};
use crate::pages::tests::Models;
use crate::pages::{
    CalleeReference, FileCard, FunctionEntry, GroupSection, IndexEntry, IndexPage, LinkedReference,
    OverviewPage, PageLink, ProseOfFunction, RegisterPage, RegisterRow, RegisterTouch, SourceLink, StagePage,
    StageTie, SubstageEntry, TypeEntry, render_index, render_overview, render_register, render_stage,
};

/// Texts that are markup, script or a link of some kind somewhere.
pub(crate) const ATTACKS: [&str; 50] = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//e.vil/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe src=javascript:alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)//",
    "java\tscript:alert(1)",
    "vbscript:x",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=",
    "//e.vil/x",
    "<body onload=alert(1)>",
    "<base href=//e.vil/>",
    "<meta http-equiv=refresh content=0;url=//e.vil>",
    "<link rel=stylesheet href=//e.vil/x.css>",
    "<style>*{background:url(//e.vil)}</style>",
    "<form action=//e.vil><input name=x>",
    "<details open ontoggle=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<math><mtext></mtext><script>alert(1)</script></math>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<textarea></textarea><script>alert(1)</script>",
    "<title></title><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</code></pre></details></main>",
    "</svg><p>out",
    "</a></li></ul>",
    "<!-- x",
    "--><img src=x onerror=alert(1)>",
    "--!><img src=x onerror=alert(1)>",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?php x ?>",
    "<!DOCTYPE x>",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "&#x6a;avascript:alert(1)",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "`;alert(1);`",
    "\\u003cscript\\u003e",
    "url(javascript:alert(1))",
    "a\u{202e}b\u{200b}c\u{feff}d\u{e0041}",
    "line\u{2028}one\u{2029}two\u{85}three",
    "nul\u{0}bell\u{7}esc\u{1b}[31m",
];

/// What can stand around an attack: ends of attributes, of strings and of elements.
const SURROUNDINGS: [(&str, &str); 10] = [
    ("", ""),
    ("\">", "<\""),
    ("'>", "<'"),
    ("\" onmouseover=\"alert(1)\" x=\"", ""),
    ("' onfocus='alert(1)' autofocus x='", ""),
    ("x\r\n\r\n", "\n"),
    ("\\", "\\"),
    ("\"]);alert(1);//", "\""),
    ("]]>", "<![CDATA["),
    ("/>", "\u{200d}"),
];

/// How many payloads there are: `BINDERY_NIGHTLY=1` chooses the long lane (reliability.md, R21).
fn most() -> usize {
    if option_env!("BINDERY_NIGHTLY").is_some() { 20_000 } else { 500 }
}

/// All payloads. The first 500 are one attack in one surrounding each; each of the others is followed by a second
/// attack.
pub(crate) fn payloads() -> impl Iterator<Item = String> {
    let each = ATTACKS.len() * SURROUNDINGS.len();
    (0..most()).map(move |number| {
        let attack = ATTACKS[number / SURROUNDINGS.len() % ATTACKS.len()];
        let (before, after) = SURROUNDINGS[number % SURROUNDINGS.len()];
        let second = if number < each { "" } else { ATTACKS[number / each] };
        format!("{before}{attack}{after}{second}")
    })
}

/// Says how many payloads a test has tried, and that it was all of them.
pub(crate) fn assert_all_ran(what: &str, count: usize) {
    eprintln!("{count} payloads in {what}");
    assert_eq!(count, most());
}

/// Models with every slot of text filled with the same text.
pub(crate) fn filled(text: &str) -> Models {
    let text = || text.to_owned();
    let link = || PageLink { title: text(), page: format!("{}.md", text()) };
    let reference = || LinkedReference { id: text(), place: Some((format!("{}.md", text()), text())) };
    let source = || SourceLink { path: text(), line: 3, end_line: 5 };
    let function = FunctionEntry {
        anchor: text(),
        qualname: text(),
        signature: text(),
        source: source(),
        doc: text(),
        prose: Some(ProseOfFunction {
            id: text(),
            text: FunctionProse { purpose: text(), data_flow: text(), relations: text() },
        }),
        callers: vec![reference(), LinkedReference { id: text(), place: None }],
        callees: vec![CalleeReference::Internal(reference()), CalleeReference::Boundary(text())],
    };
    let card = FileCard {
        path: text(),
        anchor: text(),
        purpose: text(),
        role: Role::DomainLogic,
        lifecycle: text(),
        description: Some(text()),
        first_error: Some(7),
        also: vec![link()],
        types: vec![TypeEntry {
            anchor: text(),
            qualname: text(),
            kind: text(),
            source: source(),
            doc: text(),
        }],
        functions: vec![function],
    };
    let page = StagePage {
        id: text(),
        page: format!("{}.md", text()),
        title: text(),
        above: vec![link()],
        crosscut: true,
        description: text(),
        summary: text(),
        substages: vec![SubstageEntry { link: link(), description: text() }],
        groups: vec![GroupSection { title: text(), summary: text(), cards: vec![card.clone(), card] }],
        registers: vec![RegisterTouch {
            id: text(),
            semantics: text(),
            readers: vec![text()],
            writers: vec![text(), text()],
        }],
        next: Some(link()),
        link_template: text(),
    };
    let entry = |depth| IndexEntry { link: link(), depth, crosscut: true, description: text(), files: 2 };
    Models {
        overview: OverviewPage {
            name: text(),
            overview: text(),
            stages: vec![link(), link(), link()],
            crosscut: vec![false, false, true],
            ties: vec![StageTie { user: 0, used: 1 }, StageTie { user: 1, used: 2 }],
            has_registers: true,
        },
        index: IndexPage {
            name: text(),
            entries: vec![entry(0), entry(1)],
            unassigned: vec![text()],
            unscanned: vec![(text(), text())],
        },
        register: Some(RegisterPage {
            name: text(),
            rows: vec![RegisterRow { id: text(), semantics: text(), stages: vec![link()] }],
        }),
        stages: vec![page],
    }
}

/// The Markdown pages for people.
fn pages(text: &str) -> Vec<(&'static str, String)> {
    let mut models = filled(text);
    // The configuration admits only templates that are relative or of the web.
    models.stages[0].link_template = "../{path}#L{line}-L{end_line}".to_owned();
    let register = models.register.as_ref().expect("the models have registers");
    vec![
        ("overview", render_overview(&models.overview)),
        ("index", render_index(&models.index)),
        ("register", render_register(register)),
        ("stage", render_stage(&models.stages[0])),
    ]
}

/// The pages for agents.
fn agent_pages(text: &str) -> Vec<(&'static str, String)> {
    let models = filled(text);
    let text = || text.to_owned();
    let index = AgentIndex {
        name: text(),
        stages: vec![AgentStage {
            id: text(),
            page: text(),
            files: 1,
            parent: text(),
            title: text(),
            description: text(),
        }],
        registers: vec![AgentRegister { id: text(), stages: vec![text(), text()], semantics: text() }],
        languages: vec![LanguageCoverage { language: "rust", files: 1, type_kinds: &["enum"] }],
        unread: vec![(text(), text())],
        unread_count: 1,
        history: HistoryDepth::Full,
        has_pages: true,
    };
    let pair = CoChange { path: text(), with: text(), support: 3, confidence: 50 };
    let stage = render_agent_stage(&models.stages[0], Some(&text()), &[pair], HistoryDepth::Full);
    vec![("agent index", render_agent_index(&index)), ("agent stage", stage)]
}

/// What a Markdown reader makes of a page, without its texts: blocks, links and code in their order. HTML other than
/// our own anchors, marks and code is a failure, as is a link to anything but a place on the web or below.
fn structure(what: &str, page: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let scheme = crate::validate::scheme(&dest_url);
                let is_harmless = matches!(scheme.as_deref(), None | Some("http" | "https"));
                assert!(is_harmless, "{what}: a link to {dest_url:?}");
                parts.push("link".to_owned());
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => parts.push(format!("fence {info}")),
            Event::Start(Tag::Heading { level, .. }) => parts.push(format!("heading {level}")),
            Event::Start(tag) => parts.push(format!("{:?}", tag.to_end())),
            Event::End(end) => parts.push(format!("end {end:?}")),
            Event::Html(html) | Event::InlineHtml(html) => match html.trim_end() {
                "<code>" => parts.push("code".to_owned()),
                "</code>" => {}
                html => {
                    let ours = ["<a id=\"", "</a>", "<!-- bindery:", "<!-- /bindery:"];
                    assert!(ours.iter().any(|start| html.starts_with(start)), "{what}: {html:?}");
                    assert_eq!(html.matches('<').count(), 1, "{what}: {html:?}");
                    parts.push("html".to_owned());
                }
            },
            Event::Code(_) => parts.push("code".to_owned()),
            Event::Text(_) | Event::SoftBreak => {}
            other => parts.push(format!("{other:?}")),
        }
    }
    parts
}

#[test]
fn every_text_stays_text_in_markdown() {
    let all = |text: &str| [pages(text), agent_pages(text)].concat();
    let benign: Vec<Vec<String>> = all("plain").iter().map(|(what, page)| structure(what, page)).collect();
    let mut count = 0;
    for payload in payloads() {
        for ((what, page), expected) in all(&payload).iter().zip(&benign) {
            assert!(
                !page.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t' | '\u{fe0f}')),
                "{what}: {payload:?}"
            );
            let what = format!("{what} with {payload:?}");
            assert_eq!(&structure(&what, page), expected, "{what}:\n{page}");
        }
        count += 1;
    }
    assert_all_ran("Markdown pages", count);
}

#[test]
fn every_text_stays_a_field_in_tables() {
    let mut count = 0;
    for payload in payloads() {
        let file = AgentFile {
            path: payload.clone(),
            stage: payload.clone(),
            role: Role::Other,
            symbols: 7,
            purpose: payload.clone(),
        };
        let table = files_table(&[file.clone(), file]);
        let rows: BTreeSet<&str> =
            table.strip_prefix(FILES_HEAD).expect("the head is first").lines().collect();
        let [row] = rows.into_iter().collect::<Vec<_>>()[..] else {
            panic!("{payload:?} has other rows: {table}")
        };
        let fields: Vec<&str> = row.split('\t').collect();
        assert_eq!((fields.len(), fields[2], fields[3]), (5, "other", "7"), "{payload:?}");
        assert!(!table.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')), "{payload:?}");
        count += 1;
    }
    assert_all_ran("tables", count);
}
