//! What can be found on a stage's page, as a classic script: browsers run those from the disk, where they
//! neither fetch nor load modules.

use super::links::stem;
use crate::pages::StagePage;

/// Renders `search/<stage>.js`: the name of the page, its files (path, anchor), its symbols (qualname, anchor,
/// kind, place in the list of files).
pub fn search_shard(page: &StagePage) -> String {
    let cards = || page.groups.iter().flat_map(|group| &group.cards);
    let mut script = Script::new("binderyShard(");
    script.value(&string(stem(&page.page))).open(",");
    script.list(cards().map(|card| format!("[{},{}]", string(&card.path), string(&card.anchor))));
    script.open(",");
    script.list(cards().enumerate().flat_map(|(at, card)| {
        let types = card.types.iter().map(|entry| (&entry.qualname, &entry.anchor, entry.kind.as_str()));
        let functions = card.functions.iter().map(|entry| (&entry.qualname, &entry.anchor, "fn"));
        types.chain(functions).map(move |(name, anchor, kind)| {
            format!("[{},{},{},{at}]", string(name), string(anchor), string(kind))
        })
    }));
    script.open(");").finish()
}

/// A script that hands data over.
pub(super) struct Script {
    out: String,
}

impl Script {
    pub(super) fn new(start: &'static str) -> Self {
        Self { out: start.to_owned() }
    }

    /// Adds script of our own.
    pub(super) fn open(&mut self, script: &'static str) -> &mut Self {
        self.out.push_str(script);
        self
    }

    /// Adds a value made by [`string`].
    pub(super) fn value(&mut self, value: &str) -> &mut Self {
        self.out.push_str(value);
        self
    }

    /// Adds a list, each row on a line of its own.
    pub(super) fn list(&mut self, rows: impl Iterator<Item = String>) -> &mut Self {
        self.out.push('[');
        for (at, row) in rows.enumerate() {
            self.out.push_str(if at > 0 { ",\n" } else { "\n" });
            self.out.push_str(&row);
        }
        self.out.push_str("\n]");
        self
    }

    pub(super) fn finish(&mut self) -> String {
        self.out.push('\n');
        std::mem::take(&mut self.out)
    }
}

/// A string of JavaScript that also holds where scripts stand in HTML: `<`, `>` and `&` are escaped, and what
/// nobody can see.
pub(super) fn string(text: &str) -> String {
    let mut json = Vec::new();
    bindery_artifacts::write::json_line(&mut json, &text);
    let json = String::from_utf8(json).expect("JSON of a string is UTF-8");
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_where_it_should() {
        assert_eq!(string("a\"b\\"), r#""a\"b\\""#);
        assert_eq!(string("</script><!--&"), r#""\u003c/script\u003e\u003c!--\u0026""#);
        assert_eq!(string("\u{2028}\n\u{202e}"), r#""\u2028\n\u202e""#);
    }
}
