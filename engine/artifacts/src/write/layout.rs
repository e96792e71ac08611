/// How a value is spread over lines.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Layout {
    /// On the line it begins on, whatever it holds.
    Line,
    /// A list or map: each entry begins a line of its own and is laid out like this.
    Rows(&'static Layout),
    /// An object: each field begins a line of its own; those named here are laid out as said, the
    /// others stay on their line.
    Fields(&'static [(&'static str, Layout)]),
}

impl Layout {
    /// The layout of a list's entries; none if they stay on the line.
    pub(super) fn entry(self) -> Option<Layout> {
        match self {
            Layout::Rows(entry) => Some(*entry),
            Layout::Line | Layout::Fields(_) => None,
        }
    }

    /// The layout of the value under `key`; none if it stays on the line.
    pub(super) fn field(self, key: &str) -> Option<Layout> {
        match self {
            Layout::Line => None,
            Layout::Rows(entry) => Some(*entry),
            Layout::Fields(fields) => {
                let named = fields.iter().find(|(name, _)| *name == key);
                Some(named.map_or(Layout::Line, |(_, layout)| *layout))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_not_named_stay_on_their_line() {
        let layout = Layout::Fields(&[("rows", Layout::Rows(&Layout::Line))]);
        assert_eq!(layout.field("rows"), Some(Layout::Rows(&Layout::Line)));
        assert_eq!(layout.field("other"), Some(Layout::Line));
        assert_eq!(layout.entry(), None);
        assert_eq!(Layout::Rows(&Layout::Line).field("any"), Some(Layout::Line));
        assert_eq!(Layout::Line.field("any"), None);
    }
}
