use std::collections::BTreeMap;

use serde_json::Value;

/// The line each part of a file begins on, by JSON pointer; of a map's entry the line of its key.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Lines(BTreeMap<String, u32>);

impl Lines {
    /// The line of a part, or of the nearest part around it, or 1.
    pub(super) fn line(&self, pointer: &str) -> u32 {
        let mut pointer = pointer;
        loop {
            match (self.0.get(pointer), pointer.rfind('/')) {
                (Some(line), _) => return *line,
                (None, Some(slash)) => pointer = &pointer[..slash],
                (None, None) => return 1,
            }
        }
    }
}

/// A parsed value whose parts know their lines; the common form of YAML and TOML.
pub(super) enum Tree {
    /// Anything but a list or map.
    Scalar(Value),
    /// Items with their lines.
    List(Vec<(u32, Tree)>),
    /// Keys with their lines, and values.
    Map(Vec<(u32, String, Tree)>),
}

impl Tree {
    /// Splits the tree into the value and the lines. Recursion ends where the parsers' own limits
    /// on nesting do, which is at most a few thousand for YAML and a hundred for TOML.
    pub(super) fn split(self) -> (Value, Lines) {
        let mut lines = Lines::default();
        let value = self.into_value("", &mut lines);
        (value, lines)
    }

    fn into_value(self, pointer: &str, lines: &mut Lines) -> Value {
        match self {
            Tree::Scalar(value) => value,
            Tree::List(items) => {
                let parts = items.into_iter().enumerate();
                Value::Array(
                    parts
                        .map(|(at, (line, item))| part(item, format!("{pointer}/{at}"), line, lines))
                        .collect(),
                )
            }
            Tree::Map(entries) => Value::Object(
                entries
                    .into_iter()
                    .map(|(line, key, value)| {
                        let pointer = format!("{pointer}/{}", escape_key(&key));
                        (key, part(value, pointer, line, lines))
                    })
                    .collect(),
            ),
        }
    }
}

fn part(tree: Tree, pointer: String, line: u32, lines: &mut Lines) -> Value {
    let value = tree.into_value(&pointer, lines);
    lines.0.insert(pointer, line);
    value
}

/// A key as it stands in a JSON pointer (RFC 6901).
pub(crate) fn escape_key(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
