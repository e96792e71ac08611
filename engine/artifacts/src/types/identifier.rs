use std::borrow::{Borrow, Cow};
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A text that does not have the form its identifier asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidIdentifier {
    /// The text.
    pub found: String,
    /// The regular expression of the identifier.
    pub pattern: &'static str,
}

impl fmt::Display for InvalidIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not match `{}`", self.found.escape_debug(), self.pattern)
    }
}

impl std::error::Error for InvalidIdentifier {}

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $pattern:literal, $accepts:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The regular expression every value matches.
            pub const PATTERN: &str = $pattern;

            /// Takes a text that has the right form.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidIdentifier> {
                let text = text.into();
                match $accepts(text.as_bytes()) {
                    true => Ok(Self(text)),
                    false => Err(InvalidIdentifier { found: text, pattern: Self::PATTERN }),
                }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidIdentifier;

            fn try_from(text: String) -> Result<Self, InvalidIdentifier> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": Self::PATTERN })
            }
        }
    };
}

identifier! {
    /// The id of a stage, which is also its page's file name without extension.
    ///
    /// [`crate::names::stage_page_name`] says which ids may not be page names as they stand.
    StageId, "^[A-Za-z0-9][A-Za-z0-9._-]*$", is_stage_id
}

identifier! {
    /// The id of a register.
    RegisterId, "^reg-[a-z0-9-]+$", is_register_id
}

fn is_stage_id(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_alphanumeric)
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

fn is_register_id(text: &[u8]) -> bool {
    text.strip_prefix(b"reg-").is_some_and(|rest| {
        let is_allowed = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
        !rest.is_empty() && rest.iter().all(is_allowed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stage_ids_start_with_a_letter_or_digit() {
        for good in ["a", "stage-1.2", "9", "crosscut-util_x"] {
            assert!(StageId::new(good).is_ok(), "{good}");
        }
        for bad in ["", ".a", "-a", "a/b", "a b", "é", "a\n"] {
            assert!(StageId::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn register_ids_are_lower_case() {
        assert!(RegisterId::new("reg-task-queue2").is_ok());
        for bad in ["reg-", "reg", "Reg-a", "reg-A", "reg-a_b"] {
            assert!(RegisterId::new(bad).is_err(), "{bad}");
        }
    }
}
