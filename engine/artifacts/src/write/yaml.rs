//! Block-style YAML for the few files that people write by hand too.

use serde::Serialize;
use serde_json::Value;

use super::Layout;
use crate::escape::{YamlContext, yaml_scalar};

/// The whole text of a file. What its layout puts on one line is in flow style.
pub fn yaml_text(value: &impl Serialize, layout: &Layout) -> String {
    let value = serde_json::to_value(value).expect("artifact types have string keys and finite numbers");
    let mut out = String::new();
    push_block(&mut out, &value, *layout, 0);
    out.push('\n');
    out.split_off(usize::from(out.starts_with('\n')))
}

/// Adds a value behind its key or dash, with a space or a new line before it. The depth of the
/// recursion is that of the layout, which is a constant of our own.
fn push_block(out: &mut String, value: &Value, layout: Layout, indent: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() && layout != Layout::Line => {
            push_fields(out, fields, layout, indent, "\n");
        }
        Value::Array(items) if !items.is_empty() && layout != Layout::Line => {
            for item in items {
                push_line_start(out, indent, "\n");
                out.push('-');
                push_item(out, item, layout.entry().unwrap_or(Layout::Line), indent);
            }
        }
        _ => {
            out.push(' ');
            push_flow(out, value, YamlContext::Block);
        }
    }
}

/// An object in a list begins on the line of its dash.
fn push_item(out: &mut String, item: &Value, layout: Layout, indent: usize) {
    match item {
        Value::Object(fields) if !fields.is_empty() && layout != Layout::Line => {
            push_fields(out, fields, layout, indent + 2, " ");
        }
        _ => push_block(out, item, layout, indent + 2),
    }
}

fn push_fields(
    out: &mut String,
    fields: &serde_json::Map<String, Value>,
    layout: Layout,
    indent: usize,
    first_start: &str,
) {
    for (number, (key, value)) in fields.iter().enumerate() {
        match number {
            0 => push_line_start(out, indent, first_start),
            _ => push_line_start(out, indent, "\n"),
        }
        yaml_scalar(out, key, YamlContext::Block);
        out.push(':');
        push_block(out, value, layout.field(key).unwrap_or(Layout::Line), indent + 2);
    }
}

fn push_line_start(out: &mut String, indent: usize, start: &str) {
    out.push_str(start);
    if start == "\n" {
        out.extend(std::iter::repeat_n(' ', indent));
    }
}

/// Adds a value in flow style. Recursion ends at the depth of our own types.
fn push_flow(out: &mut String, value: &Value, context: YamlContext) {
    match value {
        Value::String(text) => yaml_scalar(out, text, context),
        Value::Array(items) => push_delimited(out, items.iter(), ["[", "]"], |out, item| {
            push_flow(out, item, YamlContext::Flow);
        }),
        Value::Object(fields) if fields.is_empty() => out.push_str("{}"),
        Value::Object(fields) => push_delimited(out, fields.iter(), ["{ ", " }"], |out, (key, value)| {
            yaml_scalar(out, key, YamlContext::Flow);
            out.push_str(": ");
            push_flow(out, value, YamlContext::Flow);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

fn push_delimited<T>(
    out: &mut String,
    items: impl Iterator<Item = T>,
    brackets: [&str; 2],
    push: impl Fn(&mut String, T),
) {
    out.push_str(brackets[0]);
    for (number, item) in items.enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        push(out, item);
    }
    out.push_str(brackets[1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn blocks_and_flow_follow_the_layout() {
        const LAYOUT: Layout = Layout::Fields(&[
            ("stages", Layout::Rows(&Layout::Fields(&[("rows", Layout::Rows(&Layout::Line))]))),
            ("map", Layout::Rows(&Layout::Line)),
            ("order", Layout::Rows(&Layout::Line)),
        ]);
        let value = json!({
            "meta": { "version": 1, "note": "a, b" },
            "stages": [
                { "id": "s1", "parent": null, "rows": [{ "f": "a.rs", "nF": 2 }] },
                { "id": "s2", "parent": "s1", "rows": [] },
            ],
            "map": { "k 1": "true" },
            "order": ["s1", "1"],
        });
        let expected = r#"meta: { version: 1, note: "a, b" }
stages:
  - id: s1
    parent: null
    rows:
      - { f: a.rs, nF: 2 }
  - id: s2
    parent: s1
    rows: []
map:
  k 1: "true"
order:
  - s1
  - "1"
"#;
        assert_eq!(yaml_text(&value, &LAYOUT), expected);
        assert_eq!(serde_saphyr::from_str::<Value>(expected).unwrap(), value);
    }
}
