use serde_json::{Number, Value};
use toml::de::{DeTable, DeValue};

use super::tree::{Lines, Tree};

/// Parses a TOML document; else line and message.
pub(super) fn parse(text: &str) -> Result<(Value, Lines), (u32, String)> {
    let starts = LineStarts::new(text);
    match DeTable::parse(text) {
        Ok(table) => Ok(map(table.get_ref(), &starts).split()),
        Err(error) => {
            let line = starts.line(error.span().map_or(0, |span| span.start));
            Err((line, error.message().to_owned()))
        }
    }
}

struct LineStarts(Vec<usize>);

impl LineStarts {
    fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(ends.map(|(at, _)| at).collect())
    }

    fn line(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|end| *end < offset)).unwrap_or(u32::MAX - 1) + 1
    }
}

/// Recursion ends where the parser's own limit on nesting does.
fn map(table: &DeTable<'_>, starts: &LineStarts) -> Tree {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    Tree::Map(
        entries
            .into_iter()
            .map(|(key, value)| {
                (
                    starts.line(key.span().start),
                    key.get_ref().clone().into_owned(),
                    tree(value.get_ref(), starts),
                )
            })
            .collect(),
    )
}

fn tree(value: &DeValue<'_>, starts: &LineStarts) -> Tree {
    match value {
        DeValue::String(text) => Tree::Scalar(text.as_ref().into()),
        DeValue::Boolean(value) => Tree::Scalar((*value).into()),
        DeValue::Integer(integer) => {
            let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
            Tree::Scalar(number.map_or_else(|| integer.as_str().into(), Value::from))
        }
        DeValue::Float(float) => {
            let number = float.as_str().parse().ok().and_then(Number::from_f64);
            Tree::Scalar(number.map_or_else(|| float.as_str().into(), Value::Number))
        }
        DeValue::Datetime(time) => Tree::Scalar(time.to_string().into()),
        DeValue::Array(items) => {
            let items =
                items.iter().map(|item| (starts.line(item.span().start), tree(item.get_ref(), starts)));
            Tree::List(items.collect())
        }
        DeValue::Table(table) => map(table, starts),
    }
}
