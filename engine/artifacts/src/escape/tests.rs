use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::hidden::{one_line, visible};
use super::*;

/// Texts with much that some format could take for markup.
fn hostile() -> impl Strategy<Value = String> {
    let special = "[-+*_`|<>&#!\\[\\](){}~$:.=/\\\\\"'%@^;, \\t\\n\\r0-9awé\u{202e}\u{200b}\u{7f}\u{e0041}\u{1b}]{0,14}";
    let words = prop::sample::select(vec![
        "<script>alert(1)</script>",
        "](javascript:x)",
        "https://a.b/c",
        "www.a.b",
        "```\n# x",
        "| a | b |",
        "%%{init: {}}%%",
        "$$x$$",
        "{{ x }}",
        "&lt;",
        "- [ ] x",
        "1. x",
        "<!-- x",
        "\\|",
        "\\\\",
        "snake_case_name",
        "__init__",
        "null",
        "~",
        "1e3",
        "[^1]",
        "a\n---\nb",
        "\"\"\"",
        "end",
    ]);
    prop_oneof![
        special.prop_map(|text| text),
        (special, words, special).prop_map(|(before, word, after)| format!("{before}{word}{after}")),
        any::<String>(),
    ]
}

fn has_hidden(text: &str) -> bool {
    text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r'))
}

/// Turns backslash escapes back, given those of one character besides `\u{…}`.
fn unescape(text: &str, short: &[(char, char)]) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                let kind = rest.next().unwrap();
                match short.iter().find(|(name, _)| *name == kind) {
                    Some((_, meant)) => out.push(*meant),
                    None => {
                        assert_eq!((kind, rest.next()), ('u', Some('{')));
                        let digits: String = rest.by_ref().take_while(|c| *c != '}').collect();
                        out.push(char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap());
                    }
                }
            }
            plain => out.push(plain),
        }
    }
    out
}

/// Every extension, but for the typographic one, which changes text and no structure.
const MARKDOWN: Options = Options::all().difference(Options::ENABLE_SMART_PUNCTUATION);

/// The tags a Markdown text opens, and all its text.
fn parsed(markdown: &str) -> (Vec<String>, String) {
    let mut tags = Vec::new();
    let mut text = String::new();
    for event in Parser::new_ext(markdown, MARKDOWN) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => tags.push(format!("link {dest_url}")),
            Event::Start(tag) => tags.push(format!("{tag:?}").split(['(', ' ']).next().unwrap().to_owned()),
            Event::Code(code) => {
                tags.push("Code".to_owned());
                text.push_str(&code);
            }
            Event::Text(part) => text.push_str(&part),
            Event::End(TagEnd::TableCell) => text.push('\u{1}'),
            Event::End(_) => {}
            other => tags.push(format!("{other:?}")),
        }
    }
    (tags, text)
}

/// The tags of a code span, or of the element that stands for it if the text holds one of `special`.
fn code_tags(text: &str, special: &[char]) -> Vec<&'static str> {
    match text.contains(special) {
        true => vec!["InlineHtml(Borrowed(\"<code>\"))", "InlineHtml(Borrowed(\"</code>\"))"],
        false => vec!["Code"],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(1_000)))]

    #[test]
    fn tsv_fields_round_trip(text in hostile()) {
        let mut tsv = Tsv::new();
        tsv.field(&text);
        let forbidden = ['\t', '\n', '\r'];
        prop_assert!(!tsv.as_str().contains(forbidden) && !has_hidden(tsv.as_str()));
        let short = [('\\', '\\'), ('t', '\t'), ('n', '\n'), ('r', '\r')];
        prop_assert_eq!(unescape(tsv.as_str(), &short), text);
    }

    #[test]
    fn csv_records_keep_their_columns(first in hostile(), second in hostile()) {
        let mut out = Csv::new();
        out.field(&first).markup(",").field(&second).markup("\nx,y\n");
        prop_assert!(!has_hidden(out.as_str()));
        let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(out.as_str().as_bytes());
        let records: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        prop_assert_eq!(records.len(), 2);
        prop_assert_eq!(records[0].iter().collect::<Vec<_>>(), [visible(&first), visible(&second)]);
    }

    #[test]
    fn dot_strings_end_where_they_should(text in hostile()) {
        let mut dot = Dot::new();
        dot.quoted(&text);
        let inner = dot.as_str().strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        prop_assert!(!inner.contains('\n') && !has_hidden(inner));
        prop_assert_eq!(unescape(inner, &[('\\', '\\'), ('"', '"')]), one_line(&text));
    }

    #[test]
    fn mermaid_labels_hold_only_harmless_characters(text in hostile()) {
        let mut mermaid = Mermaid::new();
        mermaid.label(&text);
        let inner = mermaid.as_str().strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        let forbidden = ['"', '`', '%', '{', '<', '>', '$', '\n', '\\'];
        prop_assert!(!has_hidden(inner) && !inner.contains(forbidden));
        let mut decoded = String::new();
        let mut rest = inner;
        while let Some((before, reference)) = rest.split_once('#') {
            let (number, after) = reference.split_once(';').unwrap();
            decoded.push_str(before);
            decoded.push(char::from_u32(number.parse().unwrap()).unwrap());
            rest = after;
        }
        decoded.push_str(rest);
        prop_assert_eq!(decoded, one_line(&text));
    }

    #[test]
    fn yaml_scalars_are_read_back_as_the_same_string(text in hostile()) {
        let mut out = String::new();
        yaml_scalar(&mut out, &text, YamlContext::Block);
        out.push_str(": ");
        yaml_scalar(&mut out, &text, YamlContext::Block);
        out.push_str("\nflow: { ");
        yaml_scalar(&mut out, &text, YamlContext::Flow);
        out.push_str(": [");
        yaml_scalar(&mut out, &text, YamlContext::Flow);
        out.push_str(", x] }\n");
        prop_assert!(!has_hidden(&out));
        let options = serde_saphyr::options! { strict_booleans: true };
        let value: serde_json::Value = serde_saphyr::from_str_with_options(&out, options).unwrap();
        let key = text.as_str();
        let expected = serde_json::json!({ key: key, "flow": { key: [key, "x"] } });
        prop_assert!(key == "flow" || value == expected, "{}", out);
    }

    #[test]
    fn json_round_trips_and_hides_nothing(text in hostile()) {
        let json = String::from_utf8(crate::write::json_text(&text, crate::write::Layout::Line)).unwrap();
        prop_assert!(!has_hidden(&json) && json.matches('\n').count() == 1);
        prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn markdown_text_is_only_text(text in hostile()) {
        prop_assume!(!one_line(&text).is_empty());
        let mut page = Markdown::new();
        page.markup("- ").text(&text).markup("\n\n> ").text(&text).markup("\n\n").text(&text).markup("\n\n");
        page.heading(2, &text);
        let (tags, shown) = parsed(page.as_str());
        prop_assert_eq!(tags, ["List", "Item", "BlockQuote", "Paragraph", "Paragraph", "Heading"], "{}", page.as_str());
        prop_assert_eq!(shown, one_line(&text).repeat(4), "{}", page.as_str());
        prop_assert!(!has_hidden(page.as_str()));
    }

    #[test]
    fn markdown_code_is_only_code(text in hostile()) {
        prop_assume!(!one_line(&text).is_empty());
        let mut page = Markdown::new();
        page.code(&text).markup("\n\n").heading(1, "x");
        let (tags, shown) = parsed(page.as_str());
        prop_assert_eq!(tags, ["Paragraph", "Code", "Heading"], "{}", page.as_str());
        prop_assert_eq!(shown, format!("{}x", one_line(&text)), "{}", page.as_str());
        prop_assert!(!has_hidden(page.as_str()));
    }

    #[test]
    fn markdown_tables_keep_their_columns(text in hostile()) {
        prop_assume!(!one_line(&text).is_empty());
        let mut page = Markdown::new();
        page.markup("| a | b |\n| --- | --- |\n| ").text(&text).markup(" | ").table_code(&text).markup(" |\n");
        let (tags, shown) = parsed(page.as_str());
        let cells: Vec<&str> = shown.split('\u{1}').collect();
        let line = one_line(&text);
        prop_assert_eq!(cells, ["a", "b", &line, &line, ""], "{}", page.as_str());
        let code = code_tags(&text, &['|']);
        let expected = ["Table", "TableHead", "TableCell", "TableCell", "TableRow", "TableCell", "TableCell"];
        prop_assert_eq!(tags, [expected.as_slice(), &code].concat(), "{}", page.as_str());
    }

    #[test]
    fn markdown_links_lead_where_they_should(text in hostile(), path in hostile()) {
        prop_assume!(!one_line(&text).is_empty());
        let target = LinkTarget::path(&path).with_anchor(&text);
        let is_safe = |c: char| c.is_ascii_alphanumeric() || "-._~/%#".contains(c);
        prop_assert!(target.as_str().chars().all(is_safe));
        let mut page = Markdown::new();
        page.link(&text, &target).markup("\n\n").code_link(&text, &target);
        let (tags, shown) = parsed(page.as_str());
        let link = format!("link {}", target.as_str());
        let expected = ["Paragraph", &link, "Paragraph", &link];
        let code = code_tags(&text, &['|', ']']);
        prop_assert_eq!(tags, [expected.as_slice(), &code].concat(), "{}", page.as_str());
        prop_assert_eq!(shown, one_line(&text).repeat(2));
    }

    #[test]
    fn markdown_fences_hold_every_text(text in hostile()) {
        let mut page = Markdown::new();
        page.fenced("text", &text).markup("\nx\n");
        let (tags, shown) = parsed(page.as_str());
        prop_assert_eq!(tags, ["CodeBlock", "Paragraph"], "{}", page.as_str());
        prop_assert!(shown.ends_with("\nx") || shown == "x", "{}", shown);
        prop_assert!(!has_hidden(page.as_str()));
    }

    #[test]
    fn link_templates_never_leave_the_url(path in hostile()) {
        let target = LinkTarget::from_template("https://h.org/{path}?a={line}#L{line}-{end_line}", &path, 3, 5);
        let rest = target.as_str().strip_prefix("https://h.org/").unwrap();
        let path = rest.strip_suffix("?a=3#L3-5").unwrap();
        prop_assert!(path.chars().all(|c| c.is_ascii_alphanumeric() || "-._~/%".contains(c)));
    }
}

#[test]
fn plain_words_stay_readable() {
    let mut page = Markdown::new();
    page.text("Reads snake_case names, e.g. `x` (see RFC 4180); costs 3 < 4 & more.");
    assert_eq!(
        page.as_str(),
        "Reads snake_case names, e.g. \\`x\\` (see RFC 4180); costs 3 &lt; 4 &amp; more."
    );
    let mut page = Markdown::new();
    page.text("").code("").number(7).append(&Markdown::new());
    assert_eq!(page.finish(), "7");
}

#[test]
fn hidden_characters_are_shown() {
    assert_eq!(visible("a\u{202e}b\u{200b}\tc"), "a\\u{202e}b\\u{200b}\tc");
    assert_eq!(one_line(" a\u{a0}\n b\u{feff} "), "a b\\u{feff}");
    assert!(!is_hidden('é') && !is_hidden('中') && !is_hidden('\u{301}') && is_hidden('\u{0}'));
}

proptest! {
    /// What stands on a page can be read back, or is not what we write.
    #[test]
    fn markdown_text_is_read_back(text in hostile()) {
        let mut page = Markdown::new();
        page.text(&text);
        let plain = plain_text_of(page.as_str()).expect("it was written by `text`");
        let mut again = Markdown::new();
        again.text(&plain);
        prop_assert_eq!(again.as_str(), page.as_str());
    }
}

#[test]
fn what_no_text_is_written_as_is_not_read_back() {
    for foreign in ["a <b>", "a *b*", "\\", "a\nb", "&nbsp;"] {
        assert_eq!(plain_text_of(foreign), None, "{foreign:?}");
    }
    assert_eq!(plain_text_of("a \\*b\\* &lt;c&gt; &amp;d"), Some("a *b* <c> &d".to_owned()));
    assert_eq!(plain_text_of(""), Some(String::new()));
}
