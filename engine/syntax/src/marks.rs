//! Files that are text but nobody's writing: generated, minified, stand-ins for large files.
//!
//! Pure functions of a file's first bytes or of its lines; what to do about such a file is the
//! selection's concern.

use bindery_source::Language;

/// How many lines a mark of generation may stand in.
const MARKED_LINES: usize = 5;

/// Whether a comment of the first five lines says `@generated` or `Code generated … DO NOT EDIT`.
pub fn is_marked_generated(language: Language, text: &str) -> bool {
    let mut in_block = false;
    text.lines().take(MARKED_LINES).any(|line| {
        let (comments, still_in_block) = comments_of(CommentSyntax::of(language), line, in_block);
        in_block = still_in_block;
        comments.iter().any(|comment| says_generated(comment))
    })
}

fn says_generated(comment: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let is_token = |rest: &str| !rest.starts_with(is_word);
    comment.split("@generated").skip(1).any(is_token)
        || comment.split_once("Code generated ").is_some_and(|(_, rest)| rest.contains("DO NOT EDIT"))
}

/// How a language writes comments, as far as the head of a file is concerned.
#[derive(Clone, Copy)]
struct CommentSyntax {
    line: &'static [&'static str],
    block: (&'static str, &'static str),
}

impl CommentSyntax {
    fn of(language: Language) -> Self {
        use Language::{OCaml, Php, Python, Ruby, Shell, Zig};
        // A block opener that stands on no line: these have no block comments.
        const NONE: (&str, &str) = ("\n", "\n");
        let (line, block): (&'static [&'static str], _) = match language {
            Python | Shell => (&["#"], NONE),
            Ruby => (&["#"], ("=begin", "=end")),
            Php => (&["//", "#"], ("/*", "*/")),
            OCaml => (&[], ("(*", "*)")),
            Zig => (&["//"], NONE),
            _ => (&["//"], ("/*", "*/")),
        };
        Self { line, block }
    }
}

/// The texts of a line's comments, and whether a block comment goes on behind it. String literals are
/// stepped over as far as their quotes pair up on the line.
fn comments_of(syntax: CommentSyntax, line: &str, mut in_block: bool) -> (Vec<&str>, bool) {
    let (mut comments, mut rest) = (Vec::new(), line);
    loop {
        if in_block {
            let Some((comment, behind)) = rest.split_once(syntax.block.1) else {
                comments.push(rest);
                return (comments, true);
            };
            comments.push(comment);
            (rest, in_block) = (behind, false);
        } else if let Some(comment) = syntax.line.iter().find_map(|opener| rest.strip_prefix(opener)) {
            comments.push(comment);
            return (comments, false);
        } else if let Some(behind) = rest.strip_prefix(syntax.block.0) {
            (rest, in_block) = (behind, true);
        } else {
            let Some(first) = rest.chars().next() else { return (comments, false) };
            rest = &rest[first.len_utf8()..];
            if matches!(first, '"' | '\'') {
                rest = rest.split_once(first).map_or(rest, |(_, behind)| behind);
            }
        }
    }
}

/// Longer lines than this are hardly written by hand.
const MINIFIED_LINE: usize = 1_000;

/// Whether most of a text stands in lines over 1,000 bytes that have less than one blank in twenty bytes.
///
/// Of what package registries ship as minified, such lines have 1 to 4 % blanks; the long comment lines
/// of real sources have 6 to 15 %.
pub fn is_minified(text: &str) -> bool {
    let (mut long, mut blanks) = (0, 0);
    for line in text.lines().filter(|line| line.len() > MINIFIED_LINE) {
        long += line.len();
        blanks += line.bytes().filter(|byte| matches!(byte, b' ' | b'\t')).count();
    }
    long > text.len() / 2 && blanks < long / 20
}

/// Whether the bytes are a Git LFS pointer, the stand-in for a file whose contents lie elsewhere: at most
/// 1,024 bytes, `version` first, then sorted keys, `oid` and `size` among them (Git LFS specification,
/// "The Pointer").
pub fn is_lfs_pointer(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(&bytes[..bytes.len().min(1025)]) else { return false };
    let mut lines = text.lines();
    let is_version = |line: &str| {
        line.strip_prefix("version ").is_some_and(|url| {
            url.starts_with("https://git-lfs.github.com/spec/")
                || url.starts_with("https://hawser.github.com/spec/")
        })
    };
    text.len() <= 1024
        && lines.next().is_some_and(is_version)
        && lines.clone().any(|line| line.starts_with("oid sha256:"))
        && lines.any(|line| line.starts_with("size "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expected: bool) {
        assert_eq!(is_marked_generated(language, text), expected, "{text}");
    }

    #[test]
    fn marks_count_in_comments_of_the_first_five_lines() {
        check(Language::Rust, "// @generated by prost\n", true);
        check(Language::Rust, "//! Code generated by smithy-rs. DO NOT EDIT.\n", true);
        check(Language::Rust, "/*\n * x\n * @generated\n */\n", true);
        check(Language::Rust, "use a; /* x */ /* @generated */\n", true);
        check(Language::Python, "#!/usr/bin/env python\n\n\n\n# @generated\n", true);
        check(Language::Python, "\n\n\n\n\n# @generated\n", false);
        check(Language::OCaml, "(* @generated *)", true);
        check(Language::Ruby, "=begin\n@generated\n=end", true);
    }

    #[test]
    fn the_words_elsewhere_are_no_mark() {
        check(Language::Rust, "let x = \"// @generated\";\n", false);
        check(Language::Rust, "/* x */ fn at_generated() {}\n@generated\n", false);
        check(Language::Rust, "# @generated\n", false);
        check(Language::Python, "x = '# @generated'\n", false);
        check(Language::Python, "x = 7 // 2 @generated\n", false);
        check(Language::Java, "// see @generatedBy and @generated-by\n", false);
        check(Language::Go, "// Code generated by hand\n// DO NOT EDIT\n", false);
    }

    #[test]
    fn minified_text_stands_in_long_lines() {
        assert!(is_minified(&"a=f(b);".repeat(200)));
        assert!(!is_minified(&"a=f(b);\n".repeat(200)));
        assert!(!is_minified(""));
        assert!(!is_minified(&"/// long prose in a comment ".repeat(60)));
        let table = format!("{}\n{}", "x".repeat(1_500), "let a = 1;\n".repeat(200));
        assert!(!is_minified(&table), "one long line among ordinary ones");
    }

    #[test]
    fn lfs_pointers() {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
        assert!(is_lfs_pointer(pointer.as_bytes()));
        assert!(!is_lfs_pointer(b"version https://git-lfs.github.com/spec/v1\n"));
        assert!(!is_lfs_pointer(format!("# {pointer}").as_bytes()));
        assert!(!is_lfs_pointer(format!("{pointer}{}", "x".repeat(1024)).as_bytes()));
    }
}
