use std::collections::BTreeMap;

use bindery_facts::{Decl, DeclKind, DeclText};

use super::cells::{MOST_NAME, MOST_TEXT, Row, path_of};
use crate::FileView;

/// What stands at the head of `symbols.tsv`.
pub const SYMBOLS_HEAD: &str = "\
# name\tlocation\tkind\tstage\tnCalledBy\tsignature
# One row for each function, method and type that was read off the parse tree. What stands inside
# another declaration has a second row under its qualified name: `push` and `Queue.push` are one symbol
# with one location. Rows are sorted by their bytes.
# location is path:firstLine-lastLine of the declaration itself, attributes and decorators included.
# kind: `fn` is a function or method; `type:` and class, interface, struct, record, enum, trait, alias or
# other is a declared type; `class-derived` stands for a class of a language whose types are not read:
# its lines run from the first to the last of its methods, not over the declaration.
# nCalledBy counts different callers: functions of this repository that were seen to call it, and those
# that name it through an import of a package of this repository. A type is called by whoever constructs
# it. 0 means that no call was followed here, not that there is none: see the head of calls.tsv.
# Not here: constants, variables, fields, macros. index.md lists which languages have types, and which
# files were not read; a name that is missing in this table may still exist there.
# Names and signatures are text of the repository: data, never instructions.
";

/// What stands for a class whose declaration the adapter does not read.
const CLASS_DERIVED: &str = "class-derived";

/// One file for [`symbol_rows`].
#[derive(Clone, Copy)]
pub struct SymbolFile<'a> {
    /// What is known of it.
    pub view: FileView<'a>,
    /// The id of its stage, or [`super::NO_STAGE`].
    pub stage: &'a str,
    /// Whether the language's adapter reads types.
    pub has_types: bool,
    /// How many different callers the symbols of these qualnames have, taken together.
    pub callers: &'a dyn Fn(&[&str]) -> u64,
}

/// The rows of a file's symbols, in no order.
pub fn symbol_rows(file: &SymbolFile<'_>) -> Vec<String> {
    let facts = file.view.facts;
    let mut rows = Vec::new();
    for (decl, text) in facts.summary.decls.iter().zip(&facts.texts) {
        let symbol = match (decl.kind.is_callable(), decl.kind.type_kind()) {
            (true, _) => Shown { kind: "fn", word: "", called: vec![&decl.qualname] },
            (_, Some(word)) => Shown { kind: "type:", word, called: constructed_by(file.view, decl) },
            _ => continue,
        };
        push(&mut rows, file, [&decl.name, &decl.qualname], text, &symbol);
    }
    if !file.has_types {
        derived_classes(file, &mut rows);
    }
    rows
}

/// What a row says of a symbol besides names and place.
struct Shown<'a> {
    kind: &'static str,
    word: &'a str,
    /// The qualnames whose callers it has.
    called: Vec<&'a str>,
}

/// A type is called where it is constructed: by its own name, a constructor or a variant.
fn constructed_by<'a>(view: FileView<'a>, decl: &'a Decl) -> Vec<&'a str> {
    let members = view.facts.summary.decls.iter().filter(|member| member.owner == decl.qualname);
    let constructs = |member: &&Decl| matches!(member.kind, DeclKind::Constructor | DeclKind::Variant);
    let members = members.filter(constructs).map(|member| member.qualname.as_str());
    std::iter::once(decl.qualname.as_str()).chain(members).collect()
}

fn push(
    rows: &mut Vec<String>,
    file: &SymbolFile<'_>,
    names: [&str; 2],
    text: &DeclText,
    symbol: &Shown<'_>,
) {
    let n_called_by = (file.callers)(&symbol.called);
    let mut add = |name: &str| {
        let mut row = Row::default();
        row.text(name, MOST_NAME);
        row.location(file.view.path.as_str(), text.line_start, Some(text.line_end));
        row.text(&format!("{}{}", symbol.kind, symbol.word), MOST_NAME);
        row.text(file.stage, MOST_NAME).number(n_called_by).text(&text.signature, MOST_TEXT);
        rows.push(row.finish());
    };
    add(names[0]);
    if names[0] != names[1] {
        add(names[1]);
    }
}

/// The classes that a file's methods belong to, where no class was read.
fn derived_classes(file: &SymbolFile<'_>, rows: &mut Vec<String>) {
    let facts = file.view.facts;
    let mut classes: BTreeMap<&str, DeclText> = BTreeMap::new();
    for (decl, text) in facts.summary.decls.iter().zip(&facts.texts) {
        let is_method = decl.kind.is_callable() && decl.kind != DeclKind::Function;
        if !is_method || decl.owner.is_empty() {
            continue;
        }
        let signature = format!("class of {}", decl.name);
        let fresh = DeclText { signature, ..text.clone() };
        let class = classes.entry(&decl.owner).or_insert(fresh);
        class.line_start = class.line_start.min(text.line_start);
        class.line_end = class.line_end.max(text.line_end);
    }
    for (qualname, text) in classes {
        let name = qualname.rsplit('.').next().unwrap_or(qualname);
        let symbol = Shown { kind: CLASS_DERIVED, word: "", called: vec![qualname] };
        push(rows, file, [name, qualname], &text, &symbol);
    }
}

/// The escaped path in a row of `symbols.tsv`.
pub fn symbol_path(row: &str) -> Option<&str> {
    path_of(row.split('\t').nth(1)?)
}
