//! `bindery symbol`: where a name is declared. `callers` and `callees` print with what is here.

use bindery_engine::{Failure, Repository, SymbolOutcome};
use clap::Args;
use serde::Serialize;

use crate::arguments::{Global, Place};
use crate::console::{Console, field};
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery symbol push                  every symbol of that name
  bindery symbol Queue.push            the one in `Queue`
  bindery symbol crates.queue.src.queue.Queue.push";

/// Look a function, method or type up by name.
///
/// Prints its id, kind, place and stage, and its declaration. Exit code 3 if there is none.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Symbol {
    #[command(flatten)]
    lookup: Lookup,
}

/// What all look-ups take.
#[derive(Args, Debug)]
pub(super) struct Lookup {
    /// A name, a qualified name (`Type.method`) or a whole id.
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    place: Place,
}

/// How the engine answers a look-up.
type Answer = Result<Vec<SymbolOutcome>, Failure>;

#[derive(Serialize)]
struct Body<'a> {
    name: &'a str,
    symbols: Vec<SymbolBody<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SymbolBody<'a> {
    id: &'a str,
    kind: &'a str,
    file: &'a str,
    line_start: u32,
    line_end: u32,
    signature: &'a str,
    stage: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<CallBody<'a>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallBody<'a> {
    id: &'a str,
    file: &'a str,
    line: u32,
    call_type: &'a str,
    raw: &'a str,
}

impl Symbol {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> Result<Ending, Stop> {
        self.lookup.run("symbol", global, console, Repository::symbols)
    }
}

impl Lookup {
    /// Asks and prints; `kind` is the command's name.
    pub(super) fn run(
        &self,
        kind: &str,
        global: &Global,
        console: &Console,
        ask: impl FnOnce(&Repository, &str) -> Answer,
    ) -> Result<Ending, Stop> {
        let repository = Repository::open(&self.place.options(global))?;
        let mut symbols = ask(&repository, &self.name)?;
        for symbol in &mut symbols {
            symbol.calls.sort_by(|a, b| (&a.file, a.line, &a.id).cmp(&(&b.file, b.line, &b.id)));
        }
        let with_calls = kind != "symbol";
        let bodies = symbols.iter().map(|symbol| body(symbol, with_calls)).collect();
        console.report(kind, &Body { name: &self.name, symbols: bodies }, || text(&symbols, with_calls))?;
        if symbols.is_empty() {
            let hint =
                "names are matched whole: `push`, `Queue.push`, or the id as `bindery symbol` prints it";
            console.error(&format!("nothing is called `{}`", self.name), Some(hint));
            return Ok(Ending::Findings);
        }
        Ok(Ending::Done)
    }
}

fn body(symbol: &SymbolOutcome, with_calls: bool) -> SymbolBody<'_> {
    let calls = || {
        symbol.calls.iter().map(|call| CallBody {
            id: &call.id,
            file: &call.file,
            line: call.line,
            call_type: &call.call_type,
            raw: &call.raw,
        })
    };
    SymbolBody {
        id: &symbol.id,
        kind: &symbol.kind,
        file: &symbol.file,
        line_start: symbol.lines.0,
        line_end: symbol.lines.1,
        signature: &symbol.signature,
        stage: &symbol.stage,
        calls: with_calls.then(|| calls().collect()),
    }
}

fn text(symbols: &[SymbolOutcome], with_calls: bool) -> String {
    let mut text = String::new();
    for symbol in symbols {
        text.push_str(&head(symbol));
        for call in &symbol.calls {
            let place = format!("{}:{}", field(&call.file), call.line);
            text.push_str(&format!(
                "  {place}  {}  {}  {}\n",
                field(&call.id),
                call.call_type,
                field(&call.raw)
            ));
        }
        if with_calls && symbol.calls.is_empty() {
            text.push_str("  none\n");
        }
    }
    text
}

/// Id, kind, place and stage on one line, the declaration on the next. Names outside the repository have
/// neither place nor declaration.
fn head(symbol: &SymbolOutcome) -> String {
    let (first, last) = symbol.lines;
    if first == 0 {
        return format!("{}  {}\n", field(&symbol.id), symbol.kind);
    }
    let place = format!("{}:{first}-{last}", field(&symbol.file));
    let stage = field(&symbol.stage);
    format!("{}  {}  {place}  {stage}\n  {}\n", field(&symbol.id), symbol.kind, field(&symbol.signature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindery_engine::CallOutcome;

    fn symbol(calls: Vec<CallOutcome>) -> SymbolOutcome {
        SymbolOutcome {
            id: "src.queue.push".to_owned(),
            kind: "function".to_owned(),
            file: "src/queue.rs".to_owned(),
            lines: (3, 9),
            signature: "pub fn push()".to_owned(),
            stage: "core".to_owned(),
            calls,
        }
    }

    #[test]
    fn a_symbol_has_its_place_and_its_declaration() {
        let expected = "src.queue.push  function  src/queue.rs:3-9  core\n  pub fn push()\n";
        assert_eq!(text(&[symbol(Vec::new())], false), expected);
        assert_eq!(text(&[symbol(Vec::new())], true), format!("{expected}  none\n"));
    }

    #[test]
    fn calls_stand_below_one_a_line() {
        let call = CallOutcome {
            id: "src.main.main".to_owned(),
            file: "src/main.rs".to_owned(),
            line: 4,
            call_type: "internal_func".to_owned(),
            raw: "queue::push".to_owned(),
        };
        let text = text(&[symbol(vec![call])], true);
        assert!(text.ends_with("\n  src/main.rs:4  src.main.main  internal_func  queue::push\n"), "{text}");
    }
}
