use std::cmp::Ordering;
use std::fmt;

use crate::escape::visible;

/// Something wrong in a file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The file, as the reader was told to call it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// A JSON pointer to the part that is wrong.
    pub at: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// It cannot be parsed.
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// It was written by a newer Bindery.
    NewerVersion {
        /// The version of the file.
        found: u64,
        /// The version this build reads.
        readable: u64,
    },
    /// A key that does not exist.
    UnknownKey {
        /// The key.
        key: String,
        /// Those that do.
        allowed: Vec<String>,
    },
    /// A key that must be there.
    MissingKey {
        /// The key.
        key: String,
    },
    /// A value that is not one of those allowed.
    Choice {
        /// The value.
        found: String,
        /// The allowed ones.
        allowed: Vec<String>,
    },
    /// A value of the wrong form.
    Form {
        /// The value.
        found: String,
        /// The form it must have, for instance `a string` or `a path below the root`.
        allowed: String,
    },
}

/// The order findings are listed in.
pub(super) fn by_place(a: &Finding, b: &Finding) -> Ordering {
    (a.line, &a.at).cmp(&(b.line, &b.at))
}

impl Finding {
    pub(super) fn syntax(file: &str, line: u32, message: String) -> Self {
        Self { file: file.to_owned(), line, at: String::new(), problem: Problem::Syntax { message } }
    }
}

impl Problem {
    /// What was probably meant.
    pub fn nearest(&self) -> Option<&str> {
        match self {
            Problem::UnknownKey { key: found, allowed } | Problem::Choice { found, allowed } => {
                nearest(found, allowed.iter().map(String::as_str))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", visible(&self.file), self.line)?;
        match self.at.is_empty() {
            true => write!(f, "{}", self.problem),
            false => write!(f, "at `{}`: {}", visible(&self.at), self.problem),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Syntax { message } => write!(f, "{}", visible(message)),
            Problem::NewerVersion { found, readable } => {
                write!(f, "version {found} is newer than version {readable}, the newest this build reads")
            }
            Problem::UnknownKey { key, allowed } => {
                write!(f, "unknown key `{}`", visible(key))?;
                self.fmt_nearest(f)?;
                write!(f, "; allowed: {}", quoted_list(allowed))
            }
            Problem::MissingKey { key } => write!(f, "missing key `{key}`"),
            Problem::Choice { found, allowed } => {
                write!(f, "found `{}`", visible(found))?;
                self.fmt_nearest(f)?;
                write!(f, "; allowed: {}", quoted_list(allowed))
            }
            Problem::Form { found, allowed } => write!(f, "found `{}`; allowed: {allowed}", visible(found)),
        }
    }
}

impl Problem {
    fn fmt_nearest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.nearest().map_or(Ok(()), |nearest| write!(f, ", did you mean `{}`", visible(nearest)))
    }
}

fn quoted_list(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{}`", visible(word))).collect();
    match quoted.is_empty() {
        true => "nothing".to_owned(),
        false => quoted.join(", "),
    }
}

/// The candidate most like `found`, if one is like it at all; of equally near ones the first.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let likeness = strsim::jaro_winkler(&found.to_lowercase(), &candidate.to_lowercase());
        if likeness > best.map_or(0.75, |(likeness, _)| likeness) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_like_the_found_one() {
        let words = ["include", "exclude", "files", "formats"];
        assert_eq!(nearest("exlude", words), Some("exclude"));
        assert_eq!(nearest("Format", words), Some("formats"));
        assert_eq!(nearest("zzz", words), None);
    }
}
