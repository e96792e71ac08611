use bindery_artifacts::escape::LinkTarget;
use serde::Deserialize;

use super::page::Page;

/// `navigation.js`: rows of title, page, depth, and 1 for a crosscut stage.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Navigation {
    #[serde(rename = "name")]
    _name: String,
    stages: Vec<(String, String, u32, u8)>,
}

/// `search/<stage>.js`: page; rows of path and anchor; rows of name, anchor, kind and place in the list of files.
type Shard = (String, Vec<(String, String)>, Vec<(String, String, String, usize)>);

/// Reads where the search leads, from the scripts that are data alone; none for another script.
pub(super) fn read(path: &str, text: &str) -> Option<Result<Page, String>> {
    let form = |error: serde_json::Error| format!("is not the data of the search: {error}");
    if path.contains("/search/") {
        let data = format!("[{}]", between(text, "binderyShard(", ");\n"));
        return Some(serde_json::from_str(&data).map_err(form).and_then(shard));
    }
    if path.ends_with("/navigation.js") {
        let data = between(text, "var binderyNavigation=", ";\n");
        return Some(serde_json::from_str(data).map(navigation).map_err(form));
    }
    None
}

/// What stands between two texts; nothing, which is no JSON, if it does not stand between them.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).unwrap_or_default()
}

fn navigation(navigation: Navigation) -> Page {
    let mut page = Page::default();
    for (at, (_, stage, _, _)) in navigation.stages.iter().enumerate() {
        let line = at as u32 + 2;
        page.links.push((LinkTarget::path(&format!("{stage}.html")).as_str().to_owned(), line));
        page.loads.push((LinkTarget::path(&format!("search/{stage}.js")).as_str().to_owned(), line));
    }
    page
}

fn shard((stage, files, symbols): Shard) -> Result<Page, String> {
    let mut page = Page::default();
    let mut link = |anchor: &str, line: usize| {
        let target = LinkTarget::path(&format!("../{stage}.html")).with_anchor(anchor);
        page.links.push((target.as_str().to_owned(), line as u32));
    };
    // Each row has a line of its own, after the lines that begin the lists.
    for (at, (_, anchor)) in files.iter().enumerate() {
        link(anchor, at + 2);
    }
    for (at, (name, anchor, _, file)) in symbols.iter().enumerate() {
        if *file >= files.len() {
            return Err(format!("`{name}` is in a file that is not in the list"));
        }
        link(anchor, at + files.len() + 3);
    }
    Ok(page)
}
