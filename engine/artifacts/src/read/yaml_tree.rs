use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use serde_saphyr::{Budget, Options, Spanned};

use super::tree::{Lines, Tree};

/// Nesting a file may have. Our own formats have 6.
const DEEPEST: usize = 64;

/// Parses one YAML document; else line and message.
pub(super) fn parse(text: &str) -> Result<(Value, Lines), (u32, String)> {
    let parsed: Result<Spanned<Tree>, _> = serde_saphyr::from_str_with_options(text, options(text.len()));
    match parsed {
        Ok(tree) => Ok(tree.value.split()),
        Err(error) => {
            let error = error.without_snippet();
            let line =
                error.location().map_or(1, |location| u32::try_from(location.line()).unwrap_or(1).max(1));
            Err((line, message(error)))
        }
    }
}

/// Limits in proportion to the text: they are there against what aliases can make of a small one.
fn options(bytes: usize) -> Options {
    let mut budget = Budget::default();
    budget.max_depth = DEEPEST;
    budget.max_events = bytes.max(1_000);
    budget.max_nodes = bytes.max(1_000);
    budget.max_total_scalar_bytes = bytes.saturating_mul(2).max(10_000);
    let mut options = Options::default();
    options.budget = Some(budget);
    options.strict_booleans = true;
    options
}

/// The parser's message without the position it may end in.
fn message(error: &serde_saphyr::Error) -> String {
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default();
    first.split(" at line ").next().unwrap_or(first).to_owned()
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Tree, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<Tree>>()? {
            list.push((line(&item), item.value));
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<Spanned<String>>()? {
            let value = entries.next_value::<Tree>()?;
            map.push((line(&key), key.value, value));
        }
        Ok(Tree::Map(map))
    }
}

fn line<T>(spanned: &Spanned<T>) -> u32 {
    u32::try_from(spanned.referenced.line()).unwrap_or(1).max(1)
}
