use pulldown_cmark::{Event, Options, Parser, Tag};

use super::html::read_part;
use super::page::{Lines, Page};

/// Reads links and anchors of a page, as a Markdown reader sees them.
pub(super) fn read(text: &str) -> Page {
    let mut page = Page::default();
    let lines = Lines::of(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let line = || lines.at(range.start);
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => page.links.push((dest_url.to_string(), line())),
            Event::Start(Tag::Image { dest_url, .. }) => page.loads.push((dest_url.to_string(), line())),
            Event::InlineHtml(html) | Event::Html(html) => read_part(&html, line(), &mut page),
            _ => {}
        }
    }
    page
}
