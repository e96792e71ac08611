use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::Problem;

/// `config.toml` of the user: what a repository may not say, because it would make Bindery run a program or
/// contact a host. Every key may be left out.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserConfiguration {
    /// The narrators a repository's `narrator` key can name.
    pub narrators: BTreeMap<String, NarratorDeclaration>,
}

/// What a narrator's name stands for on this machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NarratorDeclaration {
    /// How the narrator is asked.
    pub kind: NarratorKind,
    /// `command`: the program and its arguments. A name without `/` is looked for in `PATH`, a relative path
    /// is taken from the directory of this file.
    #[serde(default)]
    pub program: Vec<String>,
    /// `openai`: the address the interface begins at; `/chat/completions` is added to it.
    pub endpoint: Option<String>,
    /// The model that is asked. `openai` needs it; a `command` is told it. Another model is asked anew for
    /// everything.
    pub model: Option<String>,
    /// `openai`: the environment variable that holds the key. Without it none is sent.
    pub key_env: Option<String>,
    /// Whether source text may be sent without `--allow-send`.
    #[serde(default)]
    pub allow_send: bool,
    /// Seconds one request may take; 120 without it.
    pub timeout_seconds: Option<NonZeroU32>,
    /// Requests under way at once; 4 without it.
    pub concurrency: Option<NonZeroU32>,
    /// `openai`: how often a request is tried again when the endpoint is overloaded or fails; 4 without it.
    pub retries: Option<u32>,
}

/// How a narrator is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NarratorKind {
    /// A program: one request as JSON on its standard input, one answer as JSON on its standard output.
    Command,
    /// A chat-completions endpoint.
    Openai,
}

/// The name of the narrator that is built in; no declaration can take it.
pub const EXTRACTIVE: &str = "extractive";

impl UserConfiguration {
    /// Values that fit the schema but cannot be meant.
    pub(crate) fn wrong_values(&self) -> Vec<(String, Problem)> {
        let mut problems = Vec::new();
        for (name, narrator) in &self.narrators {
            let at = format!("/narrators/{}", crate::read::escape_pointer(name));
            if name == EXTRACTIVE {
                problems.push(form(&at, name, "another name: `extractive` is built in"));
            }
            match narrator.kind {
                NarratorKind::Command => narrator.wrong_for_command(&at, &mut problems),
                NarratorKind::Openai => narrator.wrong_for_openai(&at, &mut problems),
            }
        }
        problems
    }
}

impl NarratorDeclaration {
    fn wrong_for_command(&self, at: &str, problems: &mut Vec<(String, Problem)>) {
        if self.program.first().is_none_or(String::is_empty) {
            problems.push((at.to_owned(), Problem::MissingKey { key: "program".to_owned() }));
        }
        let foreign = [("endpoint", self.endpoint.is_some()), ("key_env", self.key_env.is_some())];
        for (key, _) in foreign.into_iter().filter(|(_, is_set)| *is_set) {
            problems.push(form(&format!("{at}/{key}"), key, "this key only with `kind = \"openai\"`"));
        }
    }

    fn wrong_for_openai(&self, at: &str, problems: &mut Vec<(String, Problem)>) {
        if !self.program.is_empty() {
            let allowed = "this key only with `kind = \"command\"`";
            problems.push(form(&format!("{at}/program"), "program", allowed));
        }
        match &self.endpoint {
            Some(endpoint) if !is_endpoint(endpoint) => {
                problems.push(form(&format!("{at}/endpoint"), endpoint, ENDPOINT_FORM));
            }
            Some(_) => {}
            None => problems.push((at.to_owned(), Problem::MissingKey { key: "endpoint".to_owned() })),
        }
        if self.model.as_deref().is_none_or(str::is_empty) {
            problems.push((at.to_owned(), Problem::MissingKey { key: "model".to_owned() }));
        }
        let wrong_key = self.key_env.as_deref().filter(|name| !is_variable_name(name));
        // The value is not shown: it may be a key that somebody put in the place of its variable's name.
        problems.extend(wrong_key.map(|_| {
            form(&format!("{at}/key_env"), "something else", "the name of an environment variable")
        }));
    }
}

const ENDPOINT_FORM: &str =
    "an address that begins with `https://` or `http://`, without user name, `?` and `#`";

fn is_endpoint(endpoint: &str) -> bool {
    let rest = endpoint.strip_prefix("https://").or_else(|| endpoint.strip_prefix("http://"));
    let is_plain =
        |rest: &str| !rest.contains(['@', '?', '#', ' ']) && rest.chars().all(|c| c.is_ascii_graphic());
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && is_plain(rest))
}

fn is_variable_name(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_word)
}

fn form(at: &str, found: &str, allowed: &str) -> (String, Problem) {
    (at.to_owned(), Problem::Form { found: found.to_owned(), allowed: allowed.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    fn findings(text: &str) -> Vec<String> {
        match read::<UserConfiguration>("config.toml", text) {
            Ok(_) => Vec::new(),
            Err(findings) => findings.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn declarations_of_both_kinds_are_read() {
        let text = "[narrators.mine]\nkind = \"command\"\nprogram = [\"tell\", \"--brief\"]\nallow_send = true\n\
                    [narrators.local]\nkind = \"openai\"\nendpoint = \"http://localhost:11434/v1\"\nmodel = \"m\"\n\
                    key_env = \"LOCAL_KEY\"\n";
        let read = read::<UserConfiguration>("config.toml", text).expect("the text is right");
        let mine = &read.value.narrators["mine"];
        assert_eq!((mine.kind, mine.allow_send), (NarratorKind::Command, true));
        assert_eq!(mine.program, ["tell", "--brief"]);
        assert_eq!(read.value.narrators["local"].key_env.as_deref(), Some("LOCAL_KEY"));
    }

    #[test]
    fn what_a_kind_lacks_or_cannot_have_is_named_with_its_line() {
        let lines = findings("[narrators.a]\nkind = \"openai\"\nprogram = [\"x\"]\nendpoint = \"ftp://h\"\n");
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("config.toml:3:") && line.contains("program")));
        assert!(lines.iter().any(|line| line.starts_with("config.toml:4:") && line.contains("ftp://h")));
        assert!(lines.iter().any(|line| line.contains("model")));
        let lines = findings("[narrators.b]\nkind = \"command\"\nendpoint = \"http://h\"\n");
        assert!(lines.iter().any(|line| line.contains("program")), "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("config.toml:3:")), "{lines:?}");
        assert_eq!(findings("[narrators.extractive]\nkind = \"command\"\nprogram = [\"x\"]\n").len(), 1);
        assert_eq!(findings("[narrators.c]\nkind = \"telepathy\"\n").len(), 1);
    }

    #[test]
    fn a_key_in_the_place_of_its_variable_is_not_shown() {
        let text = "[narrators.a]\nkind = \"openai\"\nendpoint = \"https://h/v1\"\nmodel = \"m\"\nkey_env = \"sk-12\"\n";
        let lines = findings(text);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("config.toml:5:") && !lines[0].contains("sk-12"), "{lines:?}");
    }

    #[test]
    fn endpoints_carry_no_user_and_no_query() {
        for right in ["https://h", "http://127.0.0.1:8080/v1", "https://h.example/v1/"] {
            assert!(is_endpoint(right), "{right}");
        }
        for wrong in
            ["", "h/v1", "https://", "https:///v1", "https://u:p@h", "https://h?x", "https://h#x", "file://h"]
        {
            assert!(!is_endpoint(wrong), "{wrong}");
        }
    }
}
