//! When a file is built: `//go:build` lines and the GOOS and GOARCH in file names, as the documentation of
//! `go help buildconstraint` says.
//!
//! Two files that cannot be built together do not see each other. That is found by trying every system and
//! architecture, with the other tags on and off.

/// The systems a tag or file name can mean.
const SYSTEMS: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];
/// The systems that the tag `unix` stands for.
const UNIX: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "linux",
    "netbsd",
    "openbsd",
    "solaris",
];
/// The architectures a tag or file name can mean.
const ARCHITECTURES: &[&str] = &[
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
    "riscv64", "s390x", "sparc64", "wasm",
];
/// Files with more other tags than this are taken to go together with all others.
const MAX_TAGS: usize = 5;
/// Nesting of a constraint that is followed.
const MAX_DEPTH: u32 = 32;

/// A constraint.
#[derive(Clone, PartialEq, Debug)]
enum Expression {
    Tag(String),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
}

/// Whether a file is built under some constraint at all: by its name, or by a line in it.
pub(super) fn is_constrained(path: &str, line: Option<&str>) -> bool {
    line.is_some() || !name_tags(path).is_empty()
}

/// Whether a constraint says that a file is never built (`ignore`, by convention).
pub(super) fn is_ignored(line: Option<&str>) -> bool {
    line.is_some_and(|line| line.split(|c: char| !c.is_alphanumeric()).next() == Some("ignore"))
}

/// Whether two files can be built together; what cannot be read or is too large to try is taken to allow it.
pub(super) fn go_together(a: (&str, Option<&str>), b: (&str, Option<&str>)) -> bool {
    let all: Vec<Expression> = [a, b].into_iter().flat_map(|(path, line)| expressions(path, line)).collect();
    let mut tags: Vec<&str> = Vec::new();
    all.iter().for_each(|expression| expression.other_tags(&mut tags));
    tags.sort_unstable();
    tags.dedup();
    if tags.len() > MAX_TAGS {
        return true;
    }
    SYSTEMS.iter().any(|system| {
        ARCHITECTURES.iter().any(|architecture| {
            (0..1u32 << tags.len()).any(|on| {
                let is_on = |tag: &str| {
                    let position = tags.iter().position(|known| *known == tag);
                    position.is_some_and(|position| on >> position & 1 == 1)
                };
                all.iter().all(|expression| expression.holds(system, architecture, &is_on))
            })
        })
    })
}

fn expressions(path: &str, line: Option<&str>) -> Vec<Expression> {
    let by_name = name_tags(path).into_iter().map(|tag| Expression::Tag(tag.to_owned()));
    by_name.chain(line.and_then(parse)).collect()
}

/// The GOOS and GOARCH that a file's name ends with: `name_GOOS`, `name_GOARCH`, `name_GOOS_GOARCH`, each
/// before an optional `_test`.
fn name_tags(path: &str) -> Vec<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let parts: Vec<&str> = stem.split('_').skip(1).collect();
    match parts.as_slice() {
        [.., system, architecture] if SYSTEMS.contains(system) && ARCHITECTURES.contains(architecture) => {
            vec![system, architecture]
        }
        [.., last] if SYSTEMS.contains(last) || ARCHITECTURES.contains(last) => vec![last],
        _ => Vec::new(),
    }
}

fn parse(line: &str) -> Option<Expression> {
    let mut reader = Reader { rest: line };
    let expression = reader.any(0)?;
    reader.rest.trim().is_empty().then_some(expression)
}

struct Reader<'l> {
    rest: &'l str,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(token) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn any(&mut self, depth: u32) -> Option<Expression> {
        let mut left = self.all(depth)?;
        while self.eat("||") {
            left = Expression::Or(Box::new(left), Box::new(self.all(depth)?));
        }
        Some(left)
    }

    fn all(&mut self, depth: u32) -> Option<Expression> {
        let mut left = self.single(depth)?;
        while self.eat("&&") {
            left = Expression::And(Box::new(left), Box::new(self.single(depth)?));
        }
        Some(left)
    }

    fn single(&mut self, depth: u32) -> Option<Expression> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.eat("!") {
            return Some(Expression::Not(Box::new(self.single(depth + 1)?)));
        }
        if self.eat("(") {
            let inner = self.any(depth + 1)?;
            return self.eat(")").then_some(inner);
        }
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (tag, after) = rest.split_at(end);
        self.rest = after;
        (!tag.is_empty()).then(|| Expression::Tag(tag.to_owned()))
    }
}

impl Expression {
    fn holds(&self, system: &str, architecture: &str, is_on: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Not(inner) => !inner.holds(system, architecture, is_on),
            Self::And(a, b) => a.holds(system, architecture, is_on) && b.holds(system, architecture, is_on),
            Self::Or(a, b) => a.holds(system, architecture, is_on) || b.holds(system, architecture, is_on),
            Self::Tag(tag) => match tag.as_str() {
                "unix" => UNIX.contains(&system),
                "linux" => matches!(system, "linux" | "android"),
                "darwin" => matches!(system, "darwin" | "ios"),
                "solaris" => matches!(system, "solaris" | "illumos"),
                tag if SYSTEMS.contains(&tag) => tag == system,
                tag if ARCHITECTURES.contains(&tag) => tag == architecture,
                tag => is_version(tag) || is_on(tag),
            },
        }
    }

    fn other_tags<'e>(&'e self, tags: &mut Vec<&'e str>) {
        match self {
            Self::Not(inner) => inner.other_tags(tags),
            Self::And(a, b) | Self::Or(a, b) => {
                a.other_tags(tags);
                b.other_tags(tags);
            }
            Self::Tag(tag) => {
                let is_known = tag == "unix"
                    || is_version(tag)
                    || SYSTEMS.contains(&tag.as_str())
                    || ARCHITECTURES.contains(&tag.as_str());
                if !is_known {
                    tags.push(tag);
                }
            }
        }
    }
}

/// `go1.18`: holds for every later release, so for all that are in use.
fn is_version(tag: &str) -> bool {
    tag.strip_prefix("go1.").is_some_and(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: (&str, Option<&str>), b: (&str, Option<&str>), expected: bool) {
        assert_eq!(go_together(a, b), expected, "{a:?} {b:?}");
    }

    #[test]
    fn file_names_and_lines_exclude_each_other() {
        check(("a.go", None), ("b.go", None), true);
        check(("a_linux.go", None), ("a_windows.go", None), false);
        check(("a_linux.go", None), ("a_linux_arm64.go", None), true);
        check(("a_linux_test.go", None), ("a.go", Some("!linux")), false);
        check(("a_arm64.go", None), ("a_amd64.go", None), false);
        check(("a_windows.go", None), ("a.go", Some("unix || plan9")), false);
        check(("linux.go", None), ("windows.go", None), true);
    }

    #[test]
    fn other_tags_are_on_or_off() {
        check(("a.go", Some("debug")), ("b.go", Some("!debug")), false);
        check(("a.go", Some("debug && (x || y)")), ("b.go", Some("!x")), true);
        check(("a.go", Some("debug && (x || y)")), ("b.go", Some("!x && !y")), false);
        check(("a.go", Some("go1.21")), ("b.go", Some("!go1.18")), false);
        check(("a.go", Some("not readable (")), ("b.go", None), true);
    }
}
