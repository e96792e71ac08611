//! The map of the stages, as a drawing and as text.

use std::fmt::Write;

use maud::{Markup, html};

use super::layering::{Drawing, Route, Sizes, draw};
use super::links::Place;
use crate::pages::{OverviewPage, PageLink};

/// Characters of a line of a box's title.
const LINE: usize = 18;
const LINES: usize = 3;
const LINE_HEIGHT: i32 = 19;
const MARGIN: i32 = 12;
/// Boxes side by side.
const ROW_LENGTH: usize = 4;
/// With more stages than this the arrows would be a tangle, and only the list tells what uses what.
const MOST_WITH_ARROWS: usize = 36;
/// Between the stages and the crosscut ones below them, with room for a line of text.
const BAND: i32 = 62;

/// A box to be drawn.
struct Node {
    /// Place in the list of stages.
    stage: usize,
    at: (i32, i32),
}

/// Draws the map. Crosscut stages stand below a line, without arrows: nearly everything leads to them.
pub(super) fn stage_map(page: &OverviewPage, place: Place<'_>) -> Markup {
    let titles: Vec<Vec<String>> = page.stages.iter().map(|stage| lines(&stage.title)).collect();
    let tallest = titles.iter().map(Vec::len).max().unwrap_or(1) as i32;
    let box_height = tallest * LINE_HEIGHT + 24;
    let sizes = Sizes { box_width: 164, box_height, gap: 22, row_gap: 56, row_length: ROW_LENGTH };
    let is_crosscut = |stage: &usize| page.crosscut.get(*stage).copied().unwrap_or(false);
    let (below, above): (Vec<usize>, Vec<usize>) = (0..page.stages.len()).partition(is_crosscut);
    let drawing = draw(above.len(), &arrows(page, &above), &sizes);
    let (nodes, shift, width, height) = arrange(&drawing, &above, &below, &sizes);
    html! {
        @if !page.stages.is_empty() {
            div.map {
                svg viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="group"
                    aria-labelledby="map-title map-description" {
                    title #map-title { "Stage map of " (page.name) }
                    desc #map-description { (description(page, above.len())) }
                    (arrow_head())
                    g transform={ "translate(" (shift) " " (MARGIN) ")" } { @for edge in &drawing.edges { (arrow(edge, &above)) } }
                    @if !below.is_empty() { (band(&drawing, width)) }
                    @for node in &nodes { (stage_box(page, node, &titles[node.stage], &sizes, place)) }
                }
            }
            (uses(page, place))
        }
    }
}

/// The arrows between the stages that are not crosscut, as places in `above`.
fn arrows(page: &OverviewPage, above: &[usize]) -> Vec<(usize, usize)> {
    if above.len() > MOST_WITH_ARROWS {
        return Vec::new();
    }
    let at = |stage: u32| above.binary_search(&(stage as usize)).ok();
    page.ties.iter().filter_map(|tie| Some((at(tie.user)?, at(tie.used)?))).collect()
}

/// The boxes, how far the drawing is moved to the right, width and height of the whole.
fn arrange(drawing: &Drawing, above: &[usize], below: &[usize], sizes: &Sizes) -> (Vec<Node>, i32, i32, i32) {
    let step = sizes.box_width + sizes.gap;
    let band_width = below.len().min(ROW_LENGTH) as i32 * step - sizes.gap;
    let inner = drawing.width.max(band_width);
    let shift = MARGIN + (inner - drawing.width) / 2;
    let mut nodes: Vec<Node> = above
        .iter()
        .zip(&drawing.boxes)
        .map(|(stage, place)| Node { stage: *stage, at: (place.0 + shift, place.1 + MARGIN) })
        .collect();
    let top = MARGIN + if above.is_empty() { BAND - MARGIN } else { drawing.height + BAND };
    for (at, stage) in below.iter().enumerate() {
        let in_row = (below.len() - at / ROW_LENGTH * ROW_LENGTH).min(ROW_LENGTH) as i32;
        let left = MARGIN + (inner - (in_row * step - sizes.gap)) / 2;
        let row = (at / ROW_LENGTH) as i32;
        let x = left + (at % ROW_LENGTH) as i32 * step;
        nodes.push(Node { stage: *stage, at: (x, top + row * (sizes.box_height + sizes.gap)) });
    }
    let bottom = nodes.iter().map(|node| node.at.1 + sizes.box_height).max().unwrap_or(0);
    (nodes, shift, inner + 2 * MARGIN, bottom + MARGIN)
}

/// The title on up to three lines, each short enough for its box.
fn lines(title: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in title.split_whitespace() {
        let word = shortened(word);
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(&word) <= LINE => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.last_mut().expect("three lines are left").push('…');
    }
    lines
}

/// The word, cut where it would not fit a line.
fn shortened(word: &str) -> String {
    if columns(word) <= LINE {
        return word.to_owned();
    }
    let mut room = LINE - 1;
    let mut kept: String = word
        .chars()
        .take_while(|c| room.checked_sub(column(*c)).inspect(|left| room = *left).is_some())
        .collect();
    kept.push('…');
    kept
}

fn columns(text: &str) -> usize {
    text.chars().map(column).sum()
}

/// Letters of most scripts beyond U+1100 are about twice as wide; what is shown as an escape is longer.
fn column(c: char) -> usize {
    match c {
        _ if bindery_artifacts::escape::is_hidden(c) => 8,
        '\u{1100}'.. => 2,
        _ => 1,
    }
}

fn description(page: &OverviewPage, drawn: usize) -> String {
    let crosscut = page.stages.len() - drawn;
    let mut text = format!(
        "{drawn} stages in reading order from top to bottom; an arrow leads from a stage to one it uses."
    );
    if crosscut > 0 {
        write!(text, " Below them {crosscut} that serve many others.")
            .expect("writing to a string cannot fail");
    }
    text
}

fn arrow_head() -> Markup {
    html! {
        defs {
            marker #map-arrow viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
                orient="auto-start-reverse" {
                path d="M0 0.5L8 4L0 7.5z" {}
            }
        }
    }
}

fn arrow(edge: &Route, above: &[usize]) -> Markup {
    let shown = |there: bool| there.then_some("url(#map-arrow)");
    html! {
        path.edge data-ends={ (above[edge.upper]) " " (above[edge.lower]) } d=(curve(&edge.points))
            marker-start=[shown(edge.up)] marker-end=[shown(edge.down)] {}
    }
}

/// Upright within a row, a curve between two rows.
fn curve(points: &[(i32, i32)]) -> String {
    let mut path = String::new();
    for (at, pair) in points.chunks(2).enumerate() {
        let [(x, y), (next_x, next_y)] = pair else { continue };
        let middle = (y + next_y) / 2;
        let start = if at == 0 { 'M' } else { 'L' };
        write!(path, "{start}{x} {y}C{x} {middle} {next_x} {middle} {next_x} {next_y}")
            .expect("writing to a string cannot fail");
    }
    path
}

fn band(drawing: &Drawing, width: i32) -> Markup {
    let y = if drawing.height > 0 { MARGIN + drawing.height + 18 } else { 6 };
    html! {
        line.band x1=(MARGIN) x2=(width - MARGIN) y1=(y) y2=(y) {}
        text.band-label x=(width / 2) y=(y + 22) { "Used throughout" }
    }
}

fn stage_box(page: &OverviewPage, node: &Node, title: &[String], sizes: &Sizes, place: Place<'_>) -> Markup {
    let link = &page.stages[node.stage];
    let (x, y) = node.at;
    let first = y + (sizes.box_height - title.len() as i32 * LINE_HEIGHT) / 2 + LINE_HEIGHT - 5;
    html! {
        a.stage-box href=(place.stage(&link.page)) data-stage=(node.stage) aria-label=(link.title) {
            title { (link.title) }
            rect x=(x) y=(y) width=(sizes.box_width) height=(sizes.box_height) rx="8" {}
            text {
                @for (at, line) in title.iter().enumerate() {
                    tspan x=(x + sizes.box_width / 2) y=(first + at as i32 * LINE_HEIGHT) { (line) }
                }
            }
        }
    }
}

/// The map in words.
fn uses(page: &OverviewPage, place: Place<'_>) -> Markup {
    let used_by = |stage: usize| -> Vec<&PageLink> {
        let ties = page.ties.iter().filter(|tie| tie.user as usize == stage);
        ties.filter_map(|tie| page.stages.get(tie.used as usize)).collect()
    };
    let link = |link: &PageLink| html! { a href=(place.stage(&link.page)) { (link.title) } };
    html! {
        details.uses {
            summary { "The map in words" }
            ol {
                @for (at, stage) in page.stages.iter().enumerate() {
                    li {
                        (link(stage))
                        @for (at, used) in used_by(at).into_iter().enumerate() {
                            @if at == 0 { " uses " } @else { ", " }
                            (link(used))
                        }
                    }
                }
            }
        }
    }
}
