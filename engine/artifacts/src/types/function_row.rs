use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::escape::Csv;

/// One record of `functions.csv`: a function of the set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FunctionRow<'a> {
    /// `<module path>.<qualname>`.
    pub id: Cow<'a, str>,
    /// The file it stands in.
    pub file: Cow<'a, str>,
    /// First line of the declaration, attributes included.
    pub line_start: u32,
    /// Last line of the declaration.
    pub line_end: u32,
    /// Enclosing names and the name, joined with `.`.
    pub qualname: Cow<'a, str>,
    /// The qualname of the type it is a member of, or empty.
    pub class_name: Cow<'a, str>,
    /// `function`, `method`, `constructor`, `getter`, `setter` or `closure`.
    pub kind: Cow<'a, str>,
    /// Whether it is declared asynchronous.
    pub is_async: bool,
    /// Different nodes it calls.
    pub n_callees: u64,
    /// Different nodes that call it.
    pub n_callers: u64,
    /// The declaration's head on one line.
    pub signature: Cow<'a, str>,
}

impl FunctionRow<'_> {
    /// The first line of the file.
    pub const HEADER: &'static str =
        "id,file,lineStart,lineEnd,qualname,className,kind,isAsync,nCallees,nCallers,signature\n";

    /// Adds the record as a line.
    pub fn write(&self, csv: &mut Csv) {
        self.write_head(csv);
        csv.number(self.n_callers);
        self.write_tail(csv);
    }

    /// Adds what stands before the number of callers, which is known only when all files are.
    pub fn write_head(&self, csv: &mut Csv) {
        csv.field(&self.id).markup(",").field(&self.file).markup(",");
        csv.number(self.line_start.into()).markup(",").number(self.line_end.into()).markup(",");
        csv.field(&self.qualname).markup(",").field(&self.class_name).markup(",");
        csv.field(&self.kind).markup(if self.is_async { ",true," } else { ",false," });
        csv.number(self.n_callees).markup(",");
    }

    /// Adds what stands behind the number of callers.
    pub fn write_tail(&self, csv: &mut Csv) {
        csv.markup(",").field(&self.signature).markup("\n");
    }
}
