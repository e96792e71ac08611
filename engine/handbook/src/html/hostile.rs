//! 500 payloads in every slot of every page, of the map and of the scripts.

use bindery_artifacts::Role;
use bindery_artifacts::escape::{is_hidden, visible};
use scraper::{ElementRef, Html};

use super::tests::single;
use super::{
    navigation, render_register, render_single, render_stage, render_start, search_shard, single_section,
};
use crate::FunctionProse;
use crate::pages::tests::Models;
use crate::pages::{
    CalleeReference, FileCard, FunctionEntry, GroupSection, IndexEntry, IndexPage, LinkedReference,
    OverviewPage, PageLink, ProseOfFunction, RegisterPage, RegisterRow, RegisterTouch, SourceLink, StagePage,
    StageTie, SubstageEntry, TypeEntry,
};

/// Texts that are markup, script or a link of some kind somewhere.
const ATTACKS: [&str; 50] = [
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

fn payloads() -> impl Iterator<Item = String> {
    let one = |attack: &'static str| {
        SURROUNDINGS.iter().map(move |(before, after)| format!("{before}{attack}{after}"))
    };
    ATTACKS.into_iter().flat_map(one)
}

/// Models with every slot of text filled with the same text.
fn filled(text: &str) -> Models {
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

/// Every page, with the text as the link template too.
fn pages(text: &str) -> Vec<(&'static str, String)> {
    let models = filled(text);
    let template = format!("{text}{{path}}");
    let stage = &models.stages[0];
    let sections = [single_section(stage, &template)];
    let register = models.register.as_ref().unwrap();
    vec![
        ("start", render_start(&models.overview, &models.index)),
        ("stage", render_stage(stage, &template)),
        ("register", render_register(register)),
        ("single", render_single(&models.overview, &models.index, Some(register), &sections)),
    ]
}

/// The elements of a page with the names of their attributes, without the lines a title on the map takes.
fn skeleton(page: &Html) -> Vec<String> {
    let elements = page.root_element().descendants().filter_map(ElementRef::wrap);
    let spelled = |element: ElementRef<'_>| {
        let depth = element.ancestors().count();
        let mut names: Vec<&str> = element.value().attrs().map(|(name, _)| name).collect();
        names.sort_unstable();
        format!("{depth} {} {}", element.value().name(), names.join(" "))
    };
    elements.filter(|element| element.value().name() != "tspan").map(spelled).collect()
}

/// The scheme a browser would read off a link: it skips controls and blanks.
fn scheme(target: &str) -> Option<String> {
    let plain: String = target.chars().filter(|c| !c.is_control() && *c != ' ').collect();
    let first = plain.split(['/', '?', '#', '\\']).next()?.to_owned();
    first.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase())
}

fn assert_harmless(what: &str, payload: &str, page: &Html) {
    for element in page.root_element().descendants().filter_map(ElementRef::wrap) {
        for (name, value) in element.value().attrs() {
            assert!(!name.starts_with("on"), "{what}: a handler from {payload:?}");
            let is_icon = value.starts_with("data:image/svg+xml,");
            if matches!(name, "href" | "src" | "action") && !is_icon {
                let scheme = scheme(value);
                let is_web = matches!(scheme.as_deref(), None | Some("http" | "https"));
                assert!(is_web, "{what}: {value:?} from {payload:?}");
            }
        }
    }
}

#[test]
fn every_text_stays_text_in_html() {
    let benign: Vec<Vec<String>> =
        pages("plain").iter().map(|(_, page)| skeleton(&Html::parse_document(page))).collect();
    let mut count = 0;
    for payload in payloads() {
        for ((what, text), expected) in pages(&payload).iter().zip(&benign) {
            assert!(!text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')), "{what}: {payload:?}");
            let page = Html::parse_document(text);
            assert_eq!(&skeleton(&page), expected, "{what}: {payload:?}");
            assert_harmless(what, &payload, &page);
        }
        count += 1;
    }
    assert_eq!(count, 500);
}

#[test]
fn what_is_shown_is_the_text_itself() {
    for payload in payloads() {
        let models = filled(&payload);
        let page = Html::parse_document(&render_stage(&models.stages[0], &payload));
        let shown = page.select(&scraper::Selector::parse(".detail code").unwrap()).next().unwrap();
        let shown: String = shown.text().collect();
        assert_eq!(shown, visible(&payload.replace('\r', "\\u{d}")));
    }
}

#[test]
fn every_text_stays_a_string_in_scripts() {
    for payload in payloads() {
        let models = filled(&payload);
        let shard = search_shard(&models.stages[0]);
        let navigation = navigation(&models.index);
        for script in [&shard, &navigation] {
            let has_hidden = script.chars().any(|c| is_hidden(c) && c != '\n');
            assert!(!has_hidden && !script.contains(['<', '>', '&']), "{payload:?}");
        }
        let list = shard.strip_prefix("binderyShard(").unwrap().strip_suffix(");\n").unwrap();
        let list: serde_json::Value = serde_json::from_str(&format!("[{list}]")).unwrap();
        assert_eq!(list[0], payload.as_str());
        assert_eq!(list[1][0], serde_json::json!([payload, payload]));
        assert_eq!(list[2][0], serde_json::json!([payload, payload, payload, 0]));
        let data = navigation.strip_prefix("var binderyNavigation=").unwrap().strip_suffix(";\n").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["name"], payload.as_str());
        assert_eq!(data["stages"][1], serde_json::json!([payload, payload, 1, 1]));
    }
}

#[test]
fn the_single_page_of_hostile_models_has_one_script() {
    for attack in ATTACKS {
        let page = Html::parse_document(&single(&filled(attack)));
        assert_eq!(page.select(&scraper::Selector::parse("script").unwrap()).count(), 1, "{attack:?}");
    }
}
