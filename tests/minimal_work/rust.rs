//! Edits of Rust files and of what Cargo reads.

use crate::Edit::{Append, Replace, Write};
use crate::{Row, row};

/// Edits of Rust files and Cargo's manifests.
pub(crate) fn rows() -> Vec<Row> {
    let (lib, shape, draw, glue) =
        ("shapes/src/lib.rs", "shapes/src/shape.rs", "shapes/src/draw.rs", "shapes/src/glue.rs");
    let callers_of_area = "shapes/src/glue.rs shapes/src/lib.rs shapes/src/shape.rs";
    vec![
        row("comment at the end", Append(shape, "// note\n"), 1, shape, ""),
        row("body edit", Replace(shape, "self.side * self.side", "self.side"), 1, shape, ""),
        row(
            "doc comment",
            Replace(shape, "    pub fn area", "    /// Doc.\n    pub fn area"),
            1,
            shape,
            "shapes",
        ),
        row("a function nobody asks for", Append(shape, "\npub fn fresh() {}\n"), 1, shape, "shapes"),
        row("renamed method", Replace(shape, "pub fn area", "pub fn size"), 1, callers_of_area, "shapes"),
        row(
            "another return type",
            Replace(shape, "area(&self) -> u32", "area(&self) -> u64"),
            1,
            callers_of_area,
            "shapes",
        ),
        row(
            "a method becomes private",
            Replace(shape, "pub fn area", "fn area"),
            1,
            callers_of_area,
            "shapes",
        ),
        row(
            "renamed type",
            Replace(shape, "pub struct Square", "pub struct Block"),
            1,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/lib.rs shapes/src/shape.rs",
            "shapes",
        ),
        row(
            "a re-export goes",
            Replace(lib, "pub use draw::paint;\n", "\n"),
            1,
            "shapes/src/lib.rs shapes/src/main.rs",
            "shapes",
        ),
        // Which type the impl is for goes through that name: who asks for the impls of `Square` asks it.
        row(
            "a glob import instead of a name",
            Replace(glue, "shape::Square", "shape::*"),
            1,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/shape.rs",
            "",
        ),
        // Through the glob `Draw` and `paint` may have a second meaning in another name space: whoever imports
        // them, or the re-export of one, asks again.
        row(
            "a glob import in a module that others import from",
            Replace(draw, "shape::Square", "shape::*"),
            1,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/lib.rs shapes/src/main.rs",
            "",
        ),
        // `paint` calls the method that the impl gives to `Square`, whose supertypes are the traits it implements.
        row(
            "a trait impl goes",
            Write(glue, "use crate::draw::Draw;\nuse crate::shape::Square;\n"),
            1,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/shape.rs",
            "shapes",
        ),
        row(
            "a trait impl for another type",
            Append(glue, "\nimpl Draw for u32 {\n    fn draw(&self) -> u32 {\n        1\n    }\n}\n"),
            1,
            glue,
            "shapes",
        ),
        // Only main.rs names the crate; nothing of `tools` is used any more, which the stage map shows.
        row(
            "a dependency is renamed",
            Replace("shapes/Cargo.toml", "tools = {", "kit = { package = \"tools\","),
            0,
            "shapes/src/main.rs",
            "overview root shapes",
        ),
        // Every file of the package names `u32`, which would be the crate if the crate were called so.
        row(
            "a package is renamed",
            Replace("shapes/Cargo.toml", "name = \"shapes\"", "name = \"forms\""),
            0,
            "shapes/src/draw.rs shapes/src/glue.rs shapes/src/lib.rs shapes/src/main.rs shapes/src/shape.rs",
            "shapes",
        ),
        row("a manifest says the same in other words", Append("shapes/Cargo.toml", "# note\n"), 0, "", ""),
    ]
}
