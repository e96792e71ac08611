//! Names for people and names for files: words of an identifier, readable titles, slugs.
//!
//! Nothing here looks at what a file contains. Titles may be reworded at any time; slugs are ids and
//! must stay as they are.

use bindery_source::ContentHash;

/// What an abbreviation in a directory or file name stands for, where the short form means little
/// to a reader who does not know the repository.
const EXPANSIONS: &[(&str, &str)] = &[
    ("api", "API"),
    ("asgi", "ASGI"),
    ("ast", "AST"),
    ("auth", "authentication"),
    ("aws", "AWS"),
    ("bin", "binaries"),
    ("ci", "continuous integration"),
    ("cli", "command line"),
    ("cmd", "commands"),
    ("conf", "configuration"),
    ("config", "configuration"),
    ("cpu", "CPU"),
    ("csrf", "CSRF"),
    ("css", "CSS"),
    ("csv", "CSV"),
    ("ctx", "context"),
    ("db", "database"),
    ("dns", "DNS"),
    ("docs", "documentation"),
    ("ext", "extensions"),
    ("fs", "file system"),
    ("gdal", "GDAL"),
    ("geos", "GEOS"),
    ("gis", "GIS"),
    ("html", "HTML"),
    ("http", "HTTP"),
    ("i18n", "internationalization"),
    ("io", "input and output"),
    ("ir", "intermediate representation"),
    ("java", "Java"),
    ("javascript", "JavaScript"),
    ("js", "JavaScript"),
    ("json", "JSON"),
    ("lang", "language"),
    ("ldap", "LDAP"),
    ("libs", "libraries"),
    ("llvm", "LLVM"),
    ("mpsc", "MPSC"),
    ("msg", "messages"),
    ("mysql", "MySQL"),
    ("net", "networking"),
    ("oauth", "OAuth"),
    ("orm", "ORM"),
    ("pdf", "PDF"),
    ("pkg", "packages"),
    ("postgis", "PostGIS"),
    ("postgres", "PostgreSQL"),
    ("postgresql", "PostgreSQL"),
    ("py", "Python"),
    ("rb", "Ruby"),
    ("rpc", "RPC"),
    ("rs", "Rust"),
    ("rt", "runtime"),
    ("sdk", "SDK"),
    ("sql", "SQL"),
    ("sqlite", "SQLite"),
    ("sqlite3", "SQLite"),
    ("ssh", "SSH"),
    ("ssl", "SSL"),
    ("sync", "synchronization"),
    ("tcp", "TCP"),
    ("tls", "TLS"),
    ("ts", "TypeScript"),
    ("tsx", "TSX"),
    ("typescript", "TypeScript"),
    ("udp", "UDP"),
    ("ui", "user interface"),
    ("url", "URL"),
    ("urls", "URLs"),
    ("utf8", "UTF-8"),
    ("util", "utilities"),
    ("utils", "utilities"),
    ("uuid", "UUID"),
    ("wsgi", "WSGI"),
    ("xml", "XML"),
    ("yaml", "YAML"),
];

/// Directory names that say where code lies and nothing about what it does.
const LAYOUT_NAMES: &[&str] =
    &["src", "lib", "crates", "packages", "source", "sources", "main", "java", "app"];

/// Whether a directory name only says where code lies (`src`, `crates`).
pub(crate) fn is_layout_name(name: &str) -> bool {
    LAYOUT_NAMES.contains(&name)
}

/// The words of an identifier or file name as written: split at everything that is neither letter
/// nor digit and where a lower-case letter meets an upper-case one.
pub(crate) fn word_slices(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let end = first_hump_end(rest)?;
            let (word, behind) = rest.split_at(end);
            rest = behind;
            Some(word)
        })
    })
}

/// Where the first word of a run of letters and digits ends; none if nothing is left.
fn first_hump_end(run: &str) -> Option<usize> {
    let mut previous_is_lower = false;
    for (at, c) in run.char_indices() {
        if at > 0 && c.is_uppercase() && previous_is_lower {
            return Some(at);
        }
        previous_is_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    (!run.is_empty()).then_some(run.len())
}

/// The words of an identifier or file name in lower case.
pub(crate) fn words(name: &str) -> Vec<String> {
    word_slices(name).map(str::to_lowercase).collect()
}

/// A name as a phrase without a capital: `multi_thread` → `multi thread`, `fs` → `file system`.
pub(crate) fn phrase(name: &str) -> String {
    let words = words(name);
    if words.is_empty() {
        return name.to_owned();
    }
    words.iter().map(|word| expanded(word)).collect::<Vec<_>>().join(" ")
}

/// A name as a title: its phrase with a capital in front.
pub(crate) fn title(name: &str) -> String {
    capitalized(&phrase(name))
}

/// The text with its first letter in upper case.
pub(crate) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn expanded(word: &str) -> &str {
    match EXPANSIONS.binary_search_by(|(short, _)| (*short).cmp(word)) {
        Ok(index) => EXPANSIONS[index].1,
        Err(_) => word,
    }
}

/// File names that speak for their directory.
const DIRECTORY_FILES: &[&str] = &["__init__", "index", "lib", "main", "mod"];

/// Whether a file of that name, its extension left out, speaks for its directory.
pub(crate) fn speaks_for_directory(stem: &str) -> bool {
    DIRECTORY_FILES.contains(&stem)
}

/// What a file is called in a sentence: the phrase of its name, or of its directory where the name
/// is one that speaks for the directory (`mod.rs`, `__init__.py`).
pub(crate) fn file_phrase(path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    let directory_name = directory.rsplit('/').next().unwrap_or("");
    phrase(if speaks_for_directory(stem) && !directory_name.is_empty() { directory_name } else { stem })
}

/// The longest slug; longer ones end in the hash of what they stand for.
const MAX_SLUG: usize = 60;

/// A path or name as an id: lower-case letters, digits, `-` and `_`, layout directories left out. What
/// leaves nothing readable becomes its hash.
pub(crate) fn slug(anchor: &str) -> String {
    let telling: Vec<&str> = anchor.split('/').filter(|part| !is_layout_name(part)).collect();
    let spelled =
        spelled_as_id(&if telling.is_empty() { anchor.replace('/', "-") } else { telling.join("-") });
    if spelled.is_empty() {
        return format!("part-{}", short_hash(anchor, 6));
    }
    if spelled.len() > MAX_SLUG {
        let kept = spelled[..MAX_SLUG - 7].trim_end_matches('-');
        return format!("{kept}-{}", short_hash(anchor, 6));
    }
    spelled
}

fn spelled_as_id(text: &str) -> String {
    let mut id = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'a'..='z' | '0'..='9' => id.push(c),
            'A'..='Z' => id.push(c.to_ascii_lowercase()),
            '_' if !id.is_empty() && !id.ends_with(['-', '_']) => id.push('_'),
            _ if !id.is_empty() && !id.ends_with('-') => id.push('-'),
            _ => {}
        }
    }
    id.trim_end_matches(['-', '_']).to_owned()
}

/// The first `digits` hexadecimal digits of the BLAKE3 of `text`.
pub(crate) fn short_hash(text: &str, digits: usize) -> String {
    ContentHash::of(text.as_bytes()).to_hex()[..digits].to_owned()
}

/// Joins phrases as a sentence does: `a`, `a and b`, `a, b and c`.
pub(crate) fn enumeration(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansions_can_be_searched() {
        assert!(EXPANSIONS.is_sorted_by_key(|(short, _)| short));
    }

    #[test]
    fn names_become_phrases() {
        assert_eq!(phrase("multi_thread"), "multi thread");
        assert_eq!(phrase("HttpRequest"), "HTTP request");
        assert_eq!(title("fs"), "File system");
        assert_eq!(title("größe"), "Größe");
        assert_eq!(title("--"), "--");
    }

    #[test]
    fn files_that_speak_for_a_directory_take_its_name() {
        assert_eq!(file_phrase("src/io/mod.rs"), "input and output");
        assert_eq!(file_phrase("src/io/read_buf.rs"), "read buf");
        assert_eq!(file_phrase("main.rs"), "main");
        assert_eq!(file_phrase(".profile"), "profile");
    }

    #[test]
    fn slugs_are_ids() {
        assert_eq!(slug("src/runtime/multi_thread"), "runtime-multi_thread");
        assert_eq!(slug("crates/core"), "core");
        assert_eq!(slug("src"), "src");
        assert_eq!(slug("日本"), format!("part-{}", short_hash("日本", 6)));
        let long = slug(&"x".repeat(200));
        assert!(long.len() <= MAX_SLUG && long.ends_with(&short_hash(&"x".repeat(200), 6)));
    }

    #[test]
    fn enumerations_read_as_sentences() {
        let items = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(enumeration(&items("a b c")), "a, b and c");
        assert_eq!(enumeration(&items("a b")), "a and b");
    }
}
