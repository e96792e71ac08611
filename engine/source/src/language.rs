use serde::{Deserialize, Serialize};

macro_rules! languages {
    ($($variant:ident $name:literal [$($extension:literal)*] [$($interpreter:literal)*];)*) => {
        /// A language a file can be written in. Whether this build can analyse it is a question for
        /// the language registry.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Language { $(#[doc = $name] $variant,)* }

        impl Language {
            /// Every language, in the order of the handbook's list.
            pub const ALL: &[Language] = &[$(Language::$variant),*];

            /// The name used in artifacts, configuration and fixtures (`rust`, `c-sharp`).
            pub fn name(self) -> &'static str {
                match self { $(Language::$variant => $name),* }
            }

            /// The language a file extension (without dot, any case for C++'s `.C` excepted) stands for.
            pub fn from_extension(extension: &str) -> Option<Language> {
                match extension { $($($extension)|* => Some(Language::$variant),)* _ => None }
            }

            /// The language of an interpreter named in a `#!` line, version digits cut off.
            pub fn from_interpreter(interpreter: &str) -> Option<Language> {
                let name = interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
                $( { const NAMES: &[&str] = &[$($interpreter),*]; if NAMES.contains(&name) { return Some(Language::$variant); } } )*
                None
            }
        }
    };
}

languages! {
    C "c" ["c" "h"] [];
    Cpp "cpp" ["cc" "cpp" "cxx" "hpp" "hh" "hxx" "ipp" "inl" "C"] [];
    CSharp "c-sharp" ["cs"] [];
    Dart "dart" ["dart"] ["dart"];
    Go "go" ["go"] [];
    Java "java" ["java"] [];
    JavaScript "javascript" ["js" "mjs" "cjs" "jsx"] ["node" "nodejs"];
    Kotlin "kotlin" ["kt" "kts"] ["kotlin"];
    ObjectiveC "objective-c" ["m" "mm"] [];
    OCaml "ocaml" ["ml" "mli"] ["ocaml"];
    Php "php" ["php"] ["php"];
    Python "python" ["py" "pyi" "pyw"] ["python" "pypy"];
    Ruby "ruby" ["rb" "rake"] ["ruby"];
    Rust "rust" ["rs"] [];
    Scala "scala" ["scala" "sc"] ["scala"];
    Shell "shell" ["sh" "bash"] ["sh" "bash" "dash" "ksh"];
    Solidity "solidity" ["sol"] [];
    Swift "swift" ["swift"] ["swift"];
    Tsx "tsx" ["tsx"] [];
    TypeScript "typescript" ["ts" "mts" "cts"] ["deno" "bun" "tsx"];
    Zig "zig" ["zig"] [];
}

impl Language {
    /// The language a `#!` first line names: the interpreter itself, or the first word after `env`
    /// that is neither an option nor an assignment.
    pub fn from_shebang(first_line: &str) -> Option<Language> {
        let mut words = first_line.strip_prefix("#!")?.split_whitespace();
        let program = words.next()?;
        let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
        let interpreter = match base(program).as_str() {
            "env" => base(words.find(|word| !word.starts_with('-') && !word.contains('='))?),
            name => name.to_owned(),
        };
        Self::from_interpreter(&interpreter)
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn shebangs_name_the_interpreter() {
        assert_eq!(Language::from_shebang("#!/usr/bin/env -S python3.12 -u"), Some(Language::Python));
        assert_eq!(Language::from_shebang("#!/bin/bash"), Some(Language::Shell));
        assert_eq!(Language::from_shebang("#!/usr/bin/env X=1 node"), Some(Language::JavaScript));
        assert_eq!(Language::from_shebang("# python"), None);
        assert_eq!(Language::from_shebang("#!"), None);
    }
}
