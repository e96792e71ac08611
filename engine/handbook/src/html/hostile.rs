//! The payloads of [`crate::hostile`] in every slot of every HTML page, of the map and of the scripts.

use bindery_artifacts::escape::{is_hidden, visible};
use scraper::{ElementRef, Html};

use super::tests::single;
use super::{
    navigation, render_register, render_single, render_stage, render_start, search_shard, single_section,
};
use crate::hostile::{ATTACKS, assert_all_ran, filled, payloads};

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

/// The elements of a page with the names of their attributes, without the lines a title on the map takes and the
/// places where an id may be broken.
fn skeleton(page: &Html) -> Vec<String> {
    let elements = page.root_element().descendants().filter_map(ElementRef::wrap);
    let spelled = |element: ElementRef<'_>| {
        let depth = element.ancestors().count();
        let mut names: Vec<&str> = element.value().attrs().map(|(name, _)| name).collect();
        names.sort_unstable();
        format!("{depth} {} {}", element.value().name(), names.join(" "))
    };
    elements.filter(|element| !matches!(element.value().name(), "tspan" | "wbr")).map(spelled).collect()
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
    assert_all_ran("HTML pages", count);
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
