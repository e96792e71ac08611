/// A Content-Security-Policy, as far as it says what a page may load.
pub(super) struct Policy {
    directives: Vec<(String, Vec<String>)>,
}

/// What holds by default and what the default does not cover: all of them must be `'none'`.
const CLOSED: [&str; 3] = ["default-src", "base-uri", "form-action"];

impl Policy {
    /// Reads the content of the `meta` element. Of equal directives the first counts, as in browsers.
    pub(super) fn parse(content: &str) -> Self {
        let mut directives: Vec<(String, Vec<String>)> = Vec::new();
        for directive in content.split(';') {
            let mut words = directive.split_whitespace();
            let Some(name) = words.next().map(str::to_ascii_lowercase) else { continue };
            if directives.iter().all(|(known, _)| *known != name) {
                directives.push((name, words.map(str::to_owned).collect()));
            }
        }
        Self { directives }
    }

    fn sources(&self, name: &str) -> Option<&[String]> {
        self.directives.iter().find(|(known, _)| known == name).map(|(_, sources)| sources.as_slice())
    }

    /// What it lets in or out that a handbook does not need.
    pub(super) fn problems(&self) -> Vec<String> {
        let is_closed = |name: &&str| self.sources(name).is_some_and(|sources| *sources == ["'none'"]);
        let open = CLOSED.iter().filter(|name| !is_closed(name));
        let mut problems: Vec<String> = open.map(|name| format!("`{name}` is not `'none'`")).collect();
        for (name, sources) in &self.directives {
            let foreign = sources.iter().filter(|source| !is_own(name, source));
            problems.extend(foreign.map(|source| format!("`{name}` lets in `{source}`")));
        }
        problems
    }

    /// Whether it names an inline script or style by its hash.
    pub(super) fn names(&self, kind: &str, hash: &str) -> bool {
        self.sources(&format!("{kind}-src"))
            .is_some_and(|sources| sources.iter().any(|source| source == hash))
    }
}

/// Whether a source is the page's own: its directory, a hash, nothing, or a picture within the page.
fn is_own(directive: &str, source: &str) -> bool {
    matches!(source, "'self'" | "'none'")
        || source.starts_with("'sha256-")
        || (directive == "img-src" && source == "data:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html;

    #[test]
    fn our_own_policies_are_closed() {
        for policy in [html::SITE_POLICY, html::SINGLE_POLICY.as_str()] {
            assert_eq!(Policy::parse(policy).problems(), Vec::<String>::new());
        }
    }

    #[test]
    fn what_is_let_in_is_named() {
        let problems = |content: &str| Policy::parse(content).problems();
        let closed = "default-src 'none'; base-uri 'none'; form-action 'none'";
        let with = |more: &str| problems(&format!("{closed}; {more}"));
        assert_eq!(problems(closed), Vec::<String>::new());
        assert_eq!(with("script-src 'unsafe-inline'"), ["`script-src` lets in `'unsafe-inline'`"]);
        assert_eq!(with("connect-src https: 'self'"), ["`connect-src` lets in `https:`"]);
        assert_eq!(with("script-src data:"), ["`script-src` lets in `data:`"]);
        assert_eq!(with("default-src *"), Vec::<String>::new(), "the first counts");
        assert_eq!(
            problems("default-src 'self'; base-uri 'none'"),
            ["`default-src` is not `'none'`", "`form-action` is not `'none'`"]
        );
    }
}
