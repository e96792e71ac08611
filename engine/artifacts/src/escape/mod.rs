//! The sinks: one type per text format, through which alone text of the repository gets into an
//! output.
//!
//! A sink takes its markup as `&'static str`, so only what stands in our own source can be markup;
//! everything else passes a method that escapes for the place it lands in. In every format,
//! characters that a reader cannot see or that reorder what he sees are shown as escapes
//! (`\u{202e}`), see [`is_hidden`]. HTML has no sink here: its template engine escapes every slot by type.

mod csv;
mod dot;
mod hidden;
mod markdown;
mod mermaid;
mod tsv;
mod yaml;

pub use csv::Csv;
pub use dot::Dot;
pub use hidden::{is_hidden, visible};
pub use markdown::{LinkTarget, Markdown, plain_text_of};
pub use mermaid::Mermaid;
pub use tsv::Tsv;
pub use yaml::{YamlContext, yaml_scalar};

/// What all sinks share: a text that grows by markup of our own and by numbers.
macro_rules! sink {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct $name {
            out: String,
        }

        impl $name {
            /// An empty text.
            pub fn new() -> Self {
                Self::default()
            }

            /// Adds markup, which only our own source can spell.
            pub fn markup(&mut self, markup: &'static str) -> &mut Self {
                self.out.push_str(markup);
                self
            }

            /// Adds a number.
            pub fn number(&mut self, number: u64) -> &mut Self {
                use std::fmt::Write;
                write!(self.out, "{number}").expect("writing to a string cannot fail");
                self
            }

            /// Adds what another sink of the same format holds.
            pub fn append(&mut self, part: &Self) -> &mut Self {
                self.out.push_str(&part.out);
                self
            }

            /// The text so far.
            pub fn as_str(&self) -> &str {
                &self.out
            }

            /// The finished text.
            pub fn finish(self) -> String {
                self.out
            }
        }
    };
}
use sink;

#[cfg(test)]
mod tests;
