//! The HTML handbook in a real browser, opened from the disk: Chromium, which must be installed.
//!
//! Without one the tests say that they were skipped, unless `BINDERY_REQUIRE_BROWSER=1`. `BINDERY_AXE` names
//! the script of axe-core (`axe.min.js` of the npm package) for the accessibility check; `BINDERY_SCREENSHOTS`
//! a directory for pictures of what the tests saw.

mod chromium;
mod site;

use chromium::{Page, address};
use site::{Site, large_site, sample};

/// Everything a reader can open.
const PAGES: [&str; 5] =
    ["html/index.html", "html/queue.html", "html/worker.html", "html/report.html", "handbook.html"];

/// A page at a file of the site; none if there is no browser.
fn open(site: &Site, file: &str) -> Option<Page> {
    let mut page = Page::open()?;
    page.resize(1280, 900);
    page.go(&site.address(file));
    Some(page)
}

/// Types into the search box, as a reader would, and waits for the answer.
fn search(page: &mut Page, text: &str) {
    page.press("/");
    page.type_text(text);
    page.until("document.querySelector('#search-results .hit') && !/loading/.test(document.querySelector('#search-status').textContent)");
}

const SELECTED: &str = "document.querySelector('.hit[aria-selected=true] .what').textContent";

#[test]
fn links_lead_from_the_map_to_a_stage_and_to_a_function() {
    let site = sample();
    let Some(mut page) = open(&site, "html/index.html") else { return };
    page.value("document.querySelector('.map a[href=\"queue.html\"]').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))");
    page.wait_for_load();
    assert_eq!(page.text("document.querySelector('h1').textContent"), "Queue");
    assert_eq!(page.text("document.querySelector('#sidebar [aria-current]').textContent"), "Queue");
    page.value("[...document.querySelectorAll('.function dd a')].find(link => link.textContent === 'worker.src.runner.Runner.run_one').click()");
    page.wait_for_load();
    assert_eq!(page.text("document.querySelector('h1').textContent"), "Worker");
    let target = "document.querySelector('.detail:target').closest('details')";
    assert_eq!(page.text(&format!("{target}.querySelector('.name').textContent")), "Runner.run_one");
    assert_eq!(page.value(&format!("{target}.open")), true);
    let top = page.value(&format!("{target}.querySelector('summary').getBoundingClientRect().top"));
    let top = top.as_f64().expect("a place is a number");
    assert!((56.0..900.0).contains(&top), "the function's name stands at {top}");
    page.value("document.querySelector('.breadcrumb a').click()");
    page.wait_for_load();
    assert_eq!(page.text("document.querySelector('h1').textContent"), "Ferry");
}

#[test]
fn the_search_is_worked_by_keyboard_alone() {
    let site = sample();
    let Some(mut page) = open(&site, "html/index.html") else { return };
    search(&mut page, "Queue.retry");
    assert_eq!(page.text(SELECTED), "Queue.retry");
    assert_eq!(page.text("document.activeElement.getAttribute('aria-activedescendant')"), "hit-0");
    assert_eq!(page.text("document.activeElement.getAttribute('aria-expanded')"), "true");
    page.press("Escape");
    assert_eq!(page.value("document.querySelector('#search-results').hidden"), true);
    assert_eq!(page.text("document.activeElement.value"), "");
    page.type_text("job");
    page.until("document.querySelectorAll('.hit').length > 2");
    let first = page.text(SELECTED);
    page.press("ArrowDown");
    assert_ne!(page.text(SELECTED), first);
    page.press("ArrowUp");
    assert_eq!(page.text(SELECTED), first);
    page.press("ArrowUp");
    assert_eq!(page.value("document.querySelector('.hit:last-child').getAttribute('aria-selected')"), "true");
    page.press("Escape");
    page.type_text("retry");
    page.until("document.querySelector('.hit')");
    assert_eq!(page.text(SELECTED), "Queue.retry");
    page.press("Enter");
    page.wait_for_load();
    assert!(page.text("location.href").contains("/queue.html#s-queue-retry-"));
    assert_eq!(page.value("document.querySelector('.detail:target').closest('details').open"), true);
    assert_eq!(page.complaints, Vec::<String>::new());
}

#[test]
fn the_search_ranks_exact_names_first_and_finds_files_and_stages() {
    let site = sample();
    let Some(mut page) = open(&site, "html/report.html") else { return };
    let first = |page: &mut Page, text: &str| {
        page.press("/");
        page.value("document.activeElement.value = ''");
        page.type_text(text);
        page.until("document.querySelector('.hit') && !/loading/.test(document.querySelector('#search-status').textContent)");
        let kind = page.text("document.querySelector('.hit .kind').textContent");
        (kind, page.text(SELECTED))
    };
    let found = |kind: &str, name: &str| (kind.to_owned(), name.to_owned());
    assert_eq!(first(&mut page, "Worker"), found("stage", "Worker"));
    assert_eq!(first(&mut page, "spool.rs"), found("file", "queue/src/spool.rs"));
    assert_eq!(first(&mut page, "queue::retry"), found("fn", "Queue.retry"));
    assert_eq!(first(&mut page, "tally.ad"), found("fn", "Tally.add"));
    assert_eq!(first(&mut page, "prsln"), found("fn", "parse_line"));
    page.press("/");
    page.value("document.activeElement.value = ''");
    page.type_text("no such thing");
    page.until("document.querySelector('#search-status').textContent === 'Nothing found'");
    assert_eq!(page.value("document.querySelectorAll('.hit').length"), 0);
}

#[test]
fn nothing_is_asked_of_anyone_and_nothing_is_complained_about() {
    let site = sample();
    let Some(mut page) = open(&site, PAGES[0]) else { return };
    for file in PAGES {
        page.go(&site.address(file));
        search(&mut page, "queue");
        page.press("Escape");
        page.value("document.querySelector('#theme').click()");
    }
    let own = site.address("");
    let foreign: Vec<&String> = page
        .requests
        .iter()
        .filter(|url| !url.starts_with(&own) && !url.starts_with("data:image/svg+xml,"))
        .collect();
    assert_eq!(foreign, Vec::<&String>::new());
    assert_eq!(page.complaints, Vec::<String>::new());
}

#[test]
fn a_script_that_is_not_ours_does_not_run() {
    let site = sample();
    let Some(mut page) = open(&site, PAGES[0]) else { return };
    for file in ["html/queue.html", "handbook.html"] {
        page.go(&site.address(file));
        page.value("{ const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);
                     const d = document.createElement('p'); d.setAttribute('onclick', 'window.ran = 1'); document.body.append(d); d.click(); 0 }");
        assert_eq!(page.value("typeof window.ran"), "undefined", "{file}");
    }
}

#[test]
fn without_scripts_everything_can_be_reached() {
    let site = sample();
    let Some(mut page) = Page::open() else { return };
    page.resize(1280, 900);
    page.allow_scripts(false);
    page.go(&site.address("html/index.html"));
    assert_eq!(page.value("getComputedStyle(document.querySelector('.search')).display"), "none");
    let stages =
        page.value("[...document.querySelectorAll('.tree a')].map(link => link.getAttribute('href'))");
    assert_eq!(stages, serde_json::json!(["worker.html", "queue.html", "report.html"]));
    page.go(&site.address("html/queue.html"));
    assert_eq!(page.text("document.querySelector('.next a').getAttribute('href')"), "report.html");
    let anchor = page.text("document.querySelector('.detail[id^=s-queue-retry-]').id");
    page.go(&site.address(&format!("html/queue.html#{anchor}")));
    // The browser itself unfolds what a link leads to.
    assert_eq!(page.value("document.querySelector('.detail:target').closest('details').open"), true);
    page.go(&site.address("handbook.html"));
    assert_eq!(page.value("document.querySelectorAll('#sidebar a').length"), 3);
}

#[test]
fn the_single_page_searches_itself() {
    let site = sample();
    let Some(mut page) = open(&site, "handbook.html") else { return };
    search(&mut page, "Tally.add");
    assert_eq!(page.text(SELECTED), "Tally.add");
    page.press("Enter");
    page.until("document.querySelector('.detail:target')");
    assert_eq!(page.value("document.querySelector('.detail:target').closest('details').open"), true);
    assert_eq!(page.complaints, Vec::<String>::new());
}

#[test]
fn nothing_is_wider_than_a_narrow_screen() {
    let site = sample();
    let Some(mut page) = open(&site, PAGES[0]) else { return };
    page.resize(360, 740);
    for file in PAGES {
        page.go(&site.address(file));
        page.value("document.querySelectorAll('details').forEach(one => { one.open = true })");
        assert_eq!(page.value("document.documentElement.scrollWidth"), 360, "{file}");
    }
    page.go(&site.address(PAGES[1]));
    page.value("document.querySelector('#menu').click()");
    assert_eq!(page.value("document.querySelector('#sidebar').getBoundingClientRect().width"), 360);
    page.press("Escape");
    assert_eq!(page.value("document.querySelector('#menu').getAttribute('aria-expanded')"), "false");
}

#[test]
fn colours_follow_the_system_and_the_switch() {
    let site = sample();
    let Some(mut page) = open(&site, PAGES[0]) else { return };
    let paper = "getComputedStyle(document.body).backgroundColor";
    page.prefer("light");
    let light = page.text(paper);
    page.prefer("dark");
    let dark = page.text(paper);
    assert_ne!(light, dark);
    let switch = "document.querySelector('#theme')";
    page.value(&format!("{switch}.click()"));
    assert_eq!(
        (page.text(paper), page.text(&format!("{switch}.ariaLabel"))),
        (light.clone(), "Theme: light".to_owned())
    );
    page.go(&site.address(PAGES[1]));
    assert_eq!(page.text(paper), light, "the choice holds on the next page");
    page.value(&format!("{switch}.click()"));
    page.prefer("light");
    assert_eq!(
        (page.text(paper), page.text(&format!("{switch}.ariaLabel"))),
        (dark, "Theme: dark".to_owned())
    );
}

/// A long name goes on under its own beginning, not under the marker before it.
#[test]
fn a_long_name_keeps_to_its_column() {
    let site = sample();
    let Some(mut page) = open(&site, "html/queue.html") else { return };
    for width in [360, 1280] {
        page.resize(width, 900);
        page.go(&site.address("html/queue.html"));
        page.value("{ const name = document.querySelector('.function > summary .name'); name.textContent = 'Queue.' + 'very_long_name_'.repeat(20); 0 }");
        let edges = page.value(
            "{ const summary = document.querySelector('.function > summary'); const name = summary.querySelector('.name');
               const text = document.createRange(); text.selectNodeContents(name);
               const lines = [...text.getClientRects()].map(line => line.left);
               [Math.min(...lines) - summary.getBoundingClientRect().left, Math.max(...lines) - Math.min(...lines), name.getBoundingClientRect().height] }",
        );
        let edge = |at: usize| edges[at].as_f64().expect("an edge is a number");
        assert!(edge(0) > 10.0, "{width} wide: the name begins {} px from the marker's edge", edge(0));
        assert!(edge(1) < 1.0, "{width} wide: lines of the name begin {} px apart", edge(1));
        assert!(edge(2) > 30.0, "{width} wide: the name is not broken");
        assert_eq!(page.value("document.documentElement.scrollWidth"), width, "{width} wide");
    }
}

#[test]
fn a_table_on_a_narrow_screen_says_what_each_cell_is() {
    let (site, _) = large_site();
    let Some(mut page) = open(&site, "html/register.html") else { return };
    let label = "getComputedStyle(document.querySelector('tbody td'), '::before').content";
    assert_eq!(page.text(label), "none");
    page.resize(360, 740);
    assert_eq!(page.text(label), "\"Meaning\"");
    let cell = page.value("document.querySelector('tbody td').getBoundingClientRect().width");
    assert!(cell.as_f64().expect("a width is a number") > 250.0, "the cell is {cell} wide");
}

#[test]
fn on_paper_it_is_light_and_nothing_is_cut_off() {
    let site = sample();
    let Some(mut page) = open(&site, "html/index.html") else { return };
    page.value("localStorage.setItem('bindery-theme', 'dark')");
    for file in PAGES {
        page.resize(700, 900);
        page.go(&site.address(file));
        assert_eq!(page.text("document.documentElement.dataset.theme"), "dark", "{file}");
        page.call("Emulation.setEmulatedMedia", serde_json::json!({ "media": "print" }));
        assert_eq!(
            page.text("getComputedStyle(document.body).backgroundColor"),
            "rgb(255, 255, 255)",
            "{file}"
        );
        assert_eq!(page.text("getComputedStyle(document.body).color"), "rgb(0, 0, 0)", "{file}");
        assert_eq!(page.text("getComputedStyle(document.querySelector('.bar')).display"), "none", "{file}");
        assert_eq!(page.value("document.documentElement.scrollWidth"), 700, "{file}");
        let cut = page.value("[...document.querySelectorAll('.map, .table, pre')].filter(one => one.scrollWidth > one.clientWidth + 1).length");
        assert_eq!(cut, 0, "{file}");
        page.call("Emulation.setEmulatedMedia", serde_json::json!({ "media": "" }));
    }
}

/// The best of five, since other work runs on the machine.
#[test]
fn the_search_answers_at_once_among_20_000_symbols() {
    let (site, symbols) = large_site();
    assert_eq!(symbols, 20_000);
    let Some(mut page) = open(&site, "html/stage-0.html") else { return };
    search(&mut page, "QuerySet7.filter_4");
    assert_eq!(page.text(SELECTED), "QuerySet7.filter_4");
    for query in ["f", "filter", "queryset7.filter_4", "qstflt", "zzzz", "set filter"] {
        let took = page.value(&format!(
            "{{ const input = document.querySelector('#search-input'); const times = [];
                for (let i = 0; i < 5; i++) {{
                  input.value = {query:?};
                  const start = performance.now();
                  input.dispatchEvent(new Event('input'));
                  document.querySelector('#search-results').getBoundingClientRect();
                  times.push(performance.now() - start);
                }}
                Math.min(...times) }}"
        ));
        let took = took.as_f64().expect("a time is a number");
        eprintln!("`{query}` among {symbols} symbols: {took:.1} ms");
        assert!(took < 50.0, "`{query}` took {took} ms");
    }
}

#[test]
fn axe_finds_nothing_serious() {
    let Some(script) = std::env::var_os("BINDERY_AXE") else {
        eprintln!("skipped: BINDERY_AXE does not name axe-core's axe.min.js");
        return;
    };
    let axe = std::fs::read_to_string(&script).expect("BINDERY_AXE names a file");
    let site = sample();
    let Some(mut page) = open(&site, PAGES[0]) else { return };
    let views = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")];
    for (file, (width, scheme)) in PAGES.iter().flat_map(|file| views.map(|view| (file, view))) {
        page.resize(width, 900);
        page.prefer(scheme);
        page.go(&site.address(file));
        page.value("document.querySelectorAll('details').forEach(one => { one.open = true })");
        search(&mut page, "queue");
        page.value(&axe);
        let findings = page.value(
            "axe.run().then(found => found.violations.filter(one => one.impact !== 'minor').map(one =>
               one.id + ' (' + one.impact + '): ' + one.nodes.slice(0, 3).map(node => node.html).join(' | ')))",
        );
        assert_eq!(findings, serde_json::json!([]), "{file}, {scheme}, {width} wide");
    }
}

#[test]
fn pictures_for_a_person_to_look_at() {
    let Some(directory) = std::env::var_os("BINDERY_SCREENSHOTS") else { return };
    let site = match std::env::var_os("BINDERY_SITE") {
        Some(handbook) => Site::at(handbook.into()),
        None => sample(),
    };
    let Some(mut page) = open(&site, "html/index.html") else { return };
    let second = page.text("document.querySelectorAll('.tree a')[1].getAttribute('href')");
    let files = ["html/index.html".to_owned(), format!("html/{second}"), "handbook.html".to_owned()];
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")] {
        page.resize(width, 1100);
        page.prefer(scheme);
        for (at, file) in files.iter().enumerate() {
            page.go(&site.address(file));
            page.value(
                "document.querySelectorAll('.function').forEach((one, at) => { one.open = at === 1 })",
            );
            page.picture(&directory, &format!("{at}-{width}-{scheme}"));
        }
        page.go(&site.address(&files[1]));
        page.value("{ const one = document.querySelectorAll('.function')[1]; if (one) { one.open = true; one.scrollIntoView({ block: 'center' }); } 0 }");
        page.picture(&directory, &format!("function-{width}-{scheme}"));
        if site.handbook.join("html/register.html").exists() {
            page.go(&site.address("html/register.html"));
            page.picture(&directory, &format!("register-{width}-{scheme}"));
        }
        page.go(&site.address(&files[1]));
        search(&mut page, "que");
        page.picture(&directory, &format!("search-{width}-{scheme}"));
    }
}

impl Page {
    fn picture(&mut self, directory: &std::ffi::OsStr, name: &str) {
        use base64::Engine;
        let picture = self.call("Page.captureScreenshot", serde_json::json!({ "format": "png" }));
        let bytes = base64::prelude::BASE64_STANDARD
            .decode(picture["data"].as_str().expect("a picture has data"))
            .expect("the browser sends base64");
        let path = std::path::Path::new(directory).join(format!("{name}.png"));
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

impl Site {
    fn address(&self, file: &str) -> String {
        format!("{}/{file}", address(&self.handbook))
    }
}
