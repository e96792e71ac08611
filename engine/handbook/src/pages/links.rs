//! What a rendered page links to and what can be linked to on it, read off its text.

use std::collections::BTreeSet;

/// The links and anchors of one page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageLinks {
    /// Every link target, in order.
    pub targets: Vec<String>,
    /// The names links can lead to.
    pub anchors: BTreeSet<String>,
}

/// Reads links and anchors off a page that this crate rendered: text of the repository is escaped
/// there, so `](` outside of code is always a link of ours, and `<a id="` an anchor.
pub fn page_links(page: &str) -> PageLinks {
    let mut links = PageLinks::default();
    let mut fence: Option<&str> = None;
    for line in page.lines() {
        let ticks = leading_backticks(line);
        match fence {
            Some(open) if ticks.len() >= open.len() && line.len() == ticks.len() => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && !line[ticks.len()..].contains('`') => fence = Some(ticks),
            None => scan_line(line, &mut links),
        }
    }
    links
}

/// A page that this crate rendered with every link led elsewhere; where `lead` gives nothing, only the link's
/// text stays.
pub fn map_links(page: &str, lead: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(page.len());
    let mut fence: Option<&str> = None;
    for line in page.split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let ticks = leading_backticks(text);
        match fence {
            Some(open) if ticks.len() >= open.len() && text.len() == ticks.len() => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && !text[ticks.len()..].contains('`') => fence = Some(ticks),
            None => {
                map_line(line, lead, &mut out);
                continue;
            }
        }
        out.push_str(line);
    }
    out
}

fn map_line(line: &str, lead: &dyn Fn(&str) -> Option<String>, out: &mut String) {
    let mut at = 0;
    let mut open: Option<usize> = None;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let length = match c {
            '`' => {
                let ticks = leading_backticks(rest);
                code_span_end(rest, ticks).unwrap_or(ticks.len())
            }
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => c.len_utf8(),
        };
        if let Some(after) = rest.strip_prefix("](") {
            let target = after.split(')').next().unwrap_or(after);
            match (lead(target), open.take()) {
                (Some(target), _) => out.extend(["](", &target, ")"]),
                (None, Some(open)) => drop(out.remove(open)),
                (None, None) => {}
            }
            at += "](".len() + target.len() + ")".len();
            at = at.min(line.len());
            continue;
        }
        if c == '[' {
            open = Some(out.len());
        }
        out.push_str(&rest[..length]);
        at += length;
    }
}

fn leading_backticks(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches('`').len()]
}

fn scan_line(line: &str, links: &mut PageLinks) {
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        at += if c == '`' {
            let ticks = leading_backticks(rest);
            code_span_end(rest, ticks).unwrap_or(ticks.len())
        } else if c == '\\' {
            1 + rest[1..].chars().next().map_or(0, char::len_utf8)
        } else if let Some(after) = rest.strip_prefix("](") {
            let target = after.split(')').next().unwrap_or(after);
            links.targets.push(target.to_owned());
            2 + target.len()
        } else if let Some(after) = rest.strip_prefix("<a id=\"") {
            let anchor = after.split('"').next().unwrap_or(after);
            links.anchors.insert(anchor.to_owned());
            7 + anchor.len()
        } else {
            c.len_utf8()
        };
    }
}

/// The length of the code span that opens with `ticks`, if it is closed.
fn code_span_end(text: &str, ticks: &str) -> Option<usize> {
    let mut at = ticks.len();
    while let Some(found) = text[at..].find('`') {
        let run = leading_backticks(&text[at + found..]).len();
        at += found + run;
        if run == ticks.len() {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_led_elsewhere_or_leave_their_text() {
        let page = "# \\[a\\](b) [x](y.md#z), `[c](d)` [`e[0]`](gone) [f](gone)\n```\n[q](y.md#z)\n```\n";
        let lead = |target: &str| (target != "gone").then(|| format!("../{target}"));
        let expected = "# \\[a\\](b) [x](../y.md#z), `[c](d)` `e[0]` f\n```\n[q](y.md#z)\n```\n";
        assert_eq!(map_links(page, &lead), expected);
    }

    #[test]
    fn code_is_no_link() {
        let page = "[a](x.md#b) `f[0](y)` ``a`](z)`` \\](no)\n```mermaid\n[q](w)\n```\n<a id=\"here\"></a> [`c`](d)\n";
        let links = page_links(page);
        assert_eq!(links.targets, ["x.md#b", "d"]);
        assert_eq!(links.anchors, BTreeSet::from(["here".to_owned()]));
    }
}
