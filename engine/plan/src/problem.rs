/// Something wrong in a plan, by the line of the plan it stands on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong: lower case, paths in backticks.
    pub message: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), hint: None }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
