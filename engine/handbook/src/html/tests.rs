use std::collections::{BTreeMap, BTreeSet};

use scraper::{Html, Selector};

use super::*;
use crate::pages::tests::{Models, models, task_runner};
use crate::validate;

const TEMPLATE: &str = "../../{path}#L{line}-L{end_line}";

/// The site of a set of models, by path in the site's directory.
pub(crate) fn site(models: &Models) -> BTreeMap<String, String> {
    let mut files = BTreeMap::from([
        ("index.html".to_owned(), render_start(&models.overview, &models.index)),
        ("navigation.js".to_owned(), navigation(&models.index)),
    ]);
    files.extend(models.register.as_ref().map(|page| ("register.html".to_owned(), render_register(page))));
    for page in &models.stages {
        let stem = links::stem(&page.page);
        files.insert(format!("{stem}.html"), render_stage(page, TEMPLATE));
        files.insert(format!("search/{stem}.js"), search_shard(page));
    }
    files.extend(assets().iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    files
}

pub(crate) fn single(models: &Models) -> String {
    let sections: Vec<String> = models.stages.iter().map(|page| single_section(page, TEMPLATE)).collect();
    render_single(&models.overview, &models.index, models.register.as_ref(), &sections)
}

fn selected<'h>(page: &'h Html, selector: &str) -> Vec<scraper::ElementRef<'h>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

fn texts(page: &Html, selector: &str) -> Vec<String> {
    let text = |element: scraper::ElementRef<'_>| element.text().collect::<String>();
    selected(page, selector).into_iter().map(text).collect()
}

/// Text and target of each link.
fn links_of(page: &Html, selector: &str) -> Vec<(String, String)> {
    let link = |element: scraper::ElementRef<'_>| {
        (element.text().collect(), element.attr("href").unwrap_or("no target").to_owned())
    };
    selected(page, selector).into_iter().map(link).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
}

#[test]
fn the_page_of_a_stage() {
    let page = Html::parse_document(&site(&models(&task_runner()))["queue.html"]);
    assert!(page.errors.is_empty(), "{:?}", page.errors);
    assert_eq!(texts(&page, "title"), ["Queue"]);
    assert_eq!(links_of(&page, ".breadcrumb a"), pairs(&[("Start", "index.html")]));
    assert_eq!(texts(&page, "h1"), ["Queue"]);
    assert!(texts(&page, ".card h3").contains(&"app/queue/fifo.py".to_owned()));
    let card = selected(&page, ".card")
        .into_iter()
        .find(|card| card.attr("id").unwrap().starts_with("file-fifo-py-"));
    let card = Html::parse_fragment(&card.unwrap().html());
    assert_eq!(texts(&card, ".purpose"), ["A queue | of tasks."]);
    assert_eq!(texts(&card, ".types .name"), ["Fifo"]);
    assert_eq!(texts(&card, ".types .doc"), ["First in, first out."]);
    assert_eq!(texts(&card, ".function .name"), ["Fifo.push"]);
    assert_eq!(texts(&card, ".function .count"), ["2 callers"]);
    assert_eq!(texts(&card, ".function pre"), ["def push"]);
    assert_eq!(
        links_of(&card, ".lines")[1],
        ("lines 2–4".to_owned(), "../../app/queue/fifo.py#L2-L4".to_owned())
    );
    let callers: Vec<(String, String)> = links_of(&card, "dd a");
    assert_eq!(callers.len(), 2);
    assert_eq!(callers[0].0, "app.__main__.main");
    assert!(callers[1].0 == "app.workers.pool.drain" && callers[1].1.starts_with("workers.html#s-drain-"));
}

#[test]
fn what_is_called_outside_is_named_and_an_empty_list_is_said() {
    let models = models(&task_runner());
    let site = site(&models);
    let main = site.values().find(|page| page.contains("app/__main__.py</code></a></h3>")).unwrap();
    let main = Html::parse_document(main);
    assert!(texts(&main, "dd code").contains(&"os.getpid".to_owned()));
    let workers = Html::parse_document(&site["workers.html"]);
    assert_eq!(texts(&workers, "dd .muted"), ["none found"]);
}

#[test]
fn the_start_page_leads_to_every_stage_by_map_and_by_tree() {
    let models = models(&task_runner());
    let page = Html::parse_document(&site(&models)["index.html"]);
    assert!(page.errors.is_empty(), "{:?}", page.errors);
    let expected: BTreeSet<String> =
        models.stages.iter().map(|stage| links::site_page(&stage.page)).collect();
    for selector in [".map a", ".tree a", ".uses a"] {
        let found: BTreeSet<String> =
            links_of(&page, selector).into_iter().map(|(_, target)| target).collect();
        assert_eq!(found, expected, "{selector}");
    }
    assert_eq!(texts(&page, "h1"), ["sample"]);
    assert_eq!(texts(&page, ".files code"), ["bad|name.py"]);
    assert_eq!(selected(&page, ".map .edge").len(), 2);
}

#[test]
fn the_register_page_is_where_links_lead() {
    let site = site(&models(&task_runner()));
    let page = Html::parse_document(&site["register.html"]);
    let ids: Vec<&str> = selected(&page, "tbody tr").iter().filter_map(|row| row.attr("id")).collect();
    let queue = Html::parse_document(&site["queue.html"]);
    let links = links_of(&queue, "tbody th a");
    assert_eq!(links.len(), 1);
    assert_eq!(links[0].1, format!("register.html#{}", ids[0]));
}

/// Every link leads to a page and a place that are there, and no place is there twice. Gives their number.
fn assert_links_resolve(pages: &BTreeMap<String, String>) -> usize {
    let known: BTreeMap<&String, _> =
        pages.iter().map(|(name, page)| (name, validate::html::read(page).0)).collect();
    let mut checked = 0;
    for (name, links) in &known {
        for (target, _) in links.links.iter().filter(|(target, _)| !target.starts_with("../")) {
            let (page, anchor) =
                target.split_once('#').map_or((target.as_str(), None), |(p, a)| (p, Some(a)));
            let page = if page.is_empty() { (*name).clone() } else { page.to_owned() };
            let there = known.get(&page).unwrap_or_else(|| panic!("{name} links to {target}"));
            assert!(anchor.is_none_or(|anchor| there.anchors.contains(anchor)), "{name} links to {target}");
            checked += 1;
        }
        assert_eq!(links.repeated, [], "{name} has a place twice");
    }
    checked
}

#[test]
fn every_link_resolves() {
    let models = models(&task_runner());
    assert!(assert_links_resolve(&site(&models)) > 50);
    let page = BTreeMap::from([("handbook.html".to_owned(), single(&models))]);
    assert!(assert_links_resolve(&page) > 20);
}

#[test]
fn the_single_page_holds_every_stage_in_reading_order() {
    let models = models(&task_runner());
    let page = Html::parse_document(&single(&models));
    assert!(page.errors.is_empty(), "{:?}", page.errors);
    let stages: Vec<String> =
        selected(&page, ".stage").iter().map(|stage| stage.attr("id").unwrap().to_owned()).collect();
    let expected: Vec<String> = models.stages.iter().map(|stage| links::stage_anchor(&stage.page)).collect();
    assert_eq!(stages, expected);
    assert_eq!(selected(&page, "link[rel=stylesheet], script[src], img, iframe").len(), 0);
    let policy = selected(&page, "meta[http-equiv]")[0].attr("content").unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"));
}

#[test]
fn headings_go_down_one_level_at_a_time() {
    let models = models(&task_runner());
    let mut pages = site(&models);
    pages.insert("handbook.html".to_owned(), single(&models));
    for (name, page) in pages.iter().filter(|(name, _)| name.ends_with(".html")) {
        let page = Html::parse_document(page);
        let headings = selected(&page, "h1, h2, h3, h4, h5, h6");
        let levels: Vec<u8> =
            headings.iter().map(|heading| heading.value().name().as_bytes()[1] - b'0').collect();
        assert_eq!(levels[0], 1, "{name}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1 && pair[1] > 1), "{name}: {levels:?}");
    }
}

#[test]
fn scripts_hand_over_what_the_pages_hold() {
    let models = models(&task_runner());
    let site = site(&models);
    let queue = &site["search/queue.js"];
    let rest = queue.strip_prefix("binderyShard(").unwrap().strip_suffix(");\n").unwrap();
    let shard: serde_json::Value = serde_json::from_str(&format!("[{rest}]")).unwrap();
    assert_eq!(shard[0], "queue");
    let at = shard[1].as_array().unwrap().iter().position(|file| file[0] == "app/queue/fifo.py").unwrap();
    let symbols: Vec<(&str, &str)> = shard[2]
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| (symbol[0].as_str().unwrap(), symbol[2].as_str().unwrap()))
        .collect();
    assert_eq!(symbols, [("Fifo", "class"), ("Fifo.push", "fn")]);
    assert_eq!(shard[2][1][3], at);
    let anchors = validate::html::read(&site["queue.html"]).0.anchors;
    assert!(anchors.contains(shard[2][1][1].as_str().unwrap()));
    let navigation = site["navigation.js"].strip_prefix("var binderyNavigation=").unwrap();
    let navigation: serde_json::Value =
        serde_json::from_str(navigation.strip_suffix(";\n").unwrap()).unwrap();
    assert_eq!(navigation["name"], "sample");
    assert_eq!(navigation["stages"].as_array().unwrap().len(), models.stages.len());
}

#[test]
fn the_single_page_may_run_its_own_script_and_no_other() {
    use base64::Engine;
    use sha2::Digest;
    let page = Html::parse_document(&single(&models(&task_runner())));
    let policy = selected(&page, "meta[http-equiv]")[0].attr("content").unwrap().to_owned();
    for (element, directive) in [("script", "script-src"), ("style", "style-src")] {
        let text = texts(&page, element);
        assert_eq!(text.len(), 1);
        let hash = base64::prelude::BASE64_STANDARD.encode(sha2::Sha256::digest(&text[0]));
        assert!(policy.contains(&format!("{directive} 'sha256-{hash}';")));
    }
}

#[test]
fn assets_can_stand_inside_of_a_page() {
    for (path, text) in assets() {
        assert!(text.is_ascii() && text.ends_with('\n') && !text.contains('\r'), "{path}");
        for forbidden in
            ["</", "<!--", " href=\"", " id=\"", "@import", "http:", "https:", "eval(", "innerHTML"]
        {
            let allowed = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!allowed.contains(forbidden), "{path} holds `{forbidden}`");
        }
    }
}

#[test]
fn a_page_knows_no_title_but_those_of_its_model() {
    let mut models = models(&task_runner());
    let before = site(&models);
    models.index.entries.iter_mut().for_each(|entry| entry.link.title.push('!'));
    let after = site(&models);
    let changed: Vec<&String> = before.keys().filter(|name| before[*name] != after[*name]).collect();
    assert_eq!(changed, ["index.html", "navigation.js"]);
}

#[test]
fn a_page_of_many_functions_is_folded() {
    let mut models = models(&task_runner());
    let card = &mut models.stages[0].groups[0].cards[0];
    let one = crate::pages::FunctionEntry {
        callers: (0..40)
            .map(|n| crate::pages::LinkedReference { id: format!("a.f{n}"), place: None })
            .collect(),
        ..card.functions[0].clone()
    };
    card.functions = vec![one; 300];
    let page = Html::parse_document(&render_stage(&models.stages[0], TEMPLATE));
    assert_eq!(selected(&page, "details.function").len(), 300);
    assert_eq!(selected(&page, "details[open]").len(), 0);
    assert_eq!(texts(&page, "details.more > summary")[0], "28 more");
}
