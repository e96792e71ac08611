//! `bindery schema`: the JSON Schemas of all files Bindery reads and writes.

use bindery_engine::Failure;
use clap::Args;
use serde::Serialize;

use crate::console::Console;
use crate::exit::{Ending, Stop};

const EXAMPLES: &str = "\
Examples:
  bindery schema                       the names
  bindery schema configuration         the keys of bindery.toml
  bindery schema graph > graph.schema.json";

/// Print the JSON Schema of a file Bindery reads or writes; without NAME, the names.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Schema {
    /// Whose schema.
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

#[derive(Serialize)]
struct Names {
    names: Vec<&'static str>,
}

impl Schema {
    pub(crate) fn run(&self, console: &Console) -> Result<Ending, Stop> {
        match &self.name {
            Some(name) => console.print(&text(name)?)?,
            None => {
                let names = bindery_engine::schema_names();
                let text = names.iter().map(|name| format!("{name}\n")).collect();
                console.report("schema-names", &Names { names }, || text)?;
            }
        }
        Ok(Ending::Done)
    }
}

fn text(name: &str) -> Result<String, Failure> {
    let mut text = bindery_engine::schema(name).ok_or_else(|| {
        let names = bindery_engine::schema_names().join("`, `");
        Failure::usage(format!("there is no schema `{name}`")).with_hint(format!("there are `{names}`"))
    })?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}
