//! Which files a build read, in the syntax of Make that compilers write and Ninja reads with `deps = gcc`.
//!
//! The two agree on little: blanks, `#`, `:` and `$` are escaped alike, and a run of backslashes is itself unless
//! it ends in front of one of these (GNU make's manual, "Rule Syntax"; Ninja's `depfile_parser`). What one of them
//! would read as something else cannot be named at all.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bindery_engine::Inputs;

/// Bytes that end a name for Ninja, or are syntax for Make, escaped or not. So are all control characters.
const UNSPEAKABLE: &[u8] = b"\"'*;<=>?&|^`\x7f";

/// A rule for a target, and the paths that could not be named in it.
pub(crate) struct Depfile {
    pub(crate) text: Vec<u8>,
    pub(crate) left_out: Vec<PathBuf>,
}

/// The rule of the depfile `file`. Its target is what compilers name theirs after: `docs.stamp` of `docs.stamp.d`.
/// None if that cannot be named.
///
/// Each file has an empty rule besides, so that one that goes is no error. A directory stands for the names in it;
/// the one the depfile lies in is left out, because every run changes it.
pub(crate) fn depfile(file: &Path, inputs: &Inputs) -> Option<Depfile> {
    let mut text = spelled(file.with_extension("").as_os_str())?;
    text.push(b':');
    let mut left_out = Vec::new();
    let own = std::path::absolute(file).ok();
    let own = own.as_deref().and_then(Path::parent);
    // `/.` so that no name ends in a parenthesis, which is a member of an archive to Make.
    let directories = inputs.listed.iter().filter(|directory| Some(directory.as_path()) != own);
    let directories = directories.map(|directory| directory.join("."));
    let mut rules = Vec::new();
    for path in inputs.files.iter().cloned().chain(directories) {
        match spelled(path.as_os_str()) {
            Some(name) => {
                text.extend_from_slice(b" \\\n ");
                text.extend_from_slice(&name);
                // In a target `%` would make a pattern of it.
                rules.extend_from_slice(b"\n");
                name.iter().for_each(|&byte| match byte {
                    b'%' => rules.extend_from_slice(b"\\%"),
                    byte => rules.push(byte),
                });
                rules.extend_from_slice(b":\n");
            }
            None => left_out.push(path),
        }
    }
    text.push(b'\n');
    text.extend_from_slice(&rules);
    Some(Depfile { text, left_out })
}

/// A name as both read it; none if there is no such spelling.
fn spelled(name: &OsStr) -> Option<Vec<u8>> {
    let name = name.as_bytes();
    if name.is_empty() || name.iter().any(|byte| *byte < b' ' || UNSPEAKABLE.contains(byte)) {
        return None;
    }
    let mut spelled = Vec::with_capacity(name.len() + 8);
    let mut backslashes = 0;
    for &byte in name {
        match byte {
            b'\\' => backslashes += 1,
            b' ' => {
                spelled.extend(std::iter::repeat_n(b'\\', backslashes + 1));
                backslashes = 0;
            }
            // Make takes one backslash of two away here, Ninja none.
            b'#' | b':' | b'$' | b'%' if backslashes > 0 => return None,
            b'#' | b':' => spelled.push(b'\\'),
            b'$' => spelled.push(b'$'),
            _ => backslashes = 0,
        }
        spelled.push(byte);
    }
    // It would escape what follows the name.
    (backslashes == 0 && !name.ends_with(b")")).then_some(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_where_both_agree() {
        let shown = |name: &str| spelled(OsStr::new(name)).map(|name| String::from_utf8(name).expect("text"));
        for (name, expected) in [
            ("plain.py", "plain.py"),
            ("two words.py", "two\\ words.py"),
            ("a#b:c$d", "a\\#b\\:c$$d"),
            ("back\\slash", "back\\slash"),
            ("a\\ b", "a\\\\\\ b"),
            ("a\\\\ b", "a\\\\\\\\\\ b"),
            ("100%", "100%"),
        ] {
            assert_eq!(shown(name).as_deref(), Some(expected), "{name}");
        }
        for name in ["", "two\nlines", "a\\#b", "ends\\", "lib(member)", "a=b", "semi;colon", "it's"] {
            assert_eq!(shown(name), None, "{name}");
        }
    }

    #[test]
    fn every_input_has_an_empty_rule() {
        let inputs = Inputs {
            files: vec!["/r/a%.py".into(), "/r/it's.py".into()],
            listed: vec!["/r/b".into(), "/r".into()],
            ..Inputs::default()
        };
        let depfile = depfile(Path::new("/r/docs.stamp.d"), &inputs).expect("the target can be named");
        let text = String::from_utf8(depfile.text).expect("text");
        assert_eq!(text, "/r/docs.stamp: \\\n /r/a%.py \\\n /r/b/.\n\n/r/a\\%.py:\n\n/r/b/.:\n");
        assert_eq!(depfile.left_out, [Path::new("/r/it's.py")]);
    }
}
