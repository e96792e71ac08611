use std::collections::BTreeSet;

use bindery_artifacts::SkillCoverage;
use bindery_artifacts::read::{json_line, read, yaml_strings};

use super::markdown::read as read_page;
use super::{Files, Finding, Rule, Source, Texts};

const SKILL: &str = "SKILL.md";
const COVERAGE: &str = "references/coverage.json";
const INDEX: &str = "references/index.md";
const STAGES: &str = "references/stages/";

/// What holds of a SKILL package alone.
pub(super) fn check(
    texts: &Texts<'_>,
    files: &Files,
    source: Option<&Source<'_>>,
    findings: &mut Vec<Finding>,
) {
    if let Some(skill) = texts.get(SKILL) {
        check_skill(skill, findings);
    }
    check_pages(texts, findings);
    if let Some(coverage) = texts.get(COVERAGE) {
        check_coverage(coverage, source, findings);
    } else if files.contains_key(COVERAGE) {
        findings.push(Finding::new(Rule::CoverageForm, COVERAGE, None, "is not text"));
    }
}

fn check_skill(skill: &str, findings: &mut Vec<Finding>) {
    let mut find = |rule, line, message: &str| findings.push(Finding::new(rule, SKILL, line, message));
    let Some((head, body)) = skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")) else {
        find(Rule::Frontmatter, Some(1), "has no frontmatter between lines of `---`");
        return;
    };
    match yaml_strings(head) {
        Err(message) => find(Rule::Frontmatter, Some(2), &format!("is no mapping of texts: {message}")),
        Ok(fields) => {
            let keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
            if !(keys.len() == 2 && keys.contains(&"name") && keys.contains(&"description")) {
                let message = format!("has the keys {} instead of name and description", keys.join(", "));
                find(Rule::Frontmatter, Some(2), &message);
            }
            let description =
                fields.iter().find(|(key, _)| key == "description").map(|(_, text)| text.as_str());
            let description = description.unwrap_or_default().to_lowercase();
            let without =
                ["do not use", "don't use", "not for"].iter().find_map(|words| description.find(words));
            let with =
                description.find("use ").filter(|at| without.is_none_or(|not| *at < not || *at > not + 8));
            if with.is_none() {
                find(Rule::UseAndNonUse, Some(3), "does not say when to use the package");
            }
            if without.is_none() {
                find(Rule::UseAndNonUse, Some(3), "does not say when not to use the package");
            }
        }
    }
    let page = read_page(body);
    if !page.links.iter().any(|(target, _)| target.split('#').next() == Some(INDEX)) {
        find(Rule::RoutesToIndex, None, "does not link references/index.md");
    }
    if !body.to_lowercase().contains("open the source") {
        find(Rule::RoutesToSource, None, "does not say to open the source");
    }
}

fn check_pages(texts: &Texts<'_>, findings: &mut Vec<Finding>) {
    for page in ["references/overview.md", INDEX, "references/registers.md"] {
        if !texts.contains_key(page) {
            findings.push(Finding::new(Rule::PagesPresent, page, None, "is not there"));
        }
    }
    let stages: Vec<&str> =
        texts.keys().copied().filter(|path| path.starts_with(STAGES) && path.ends_with(".md")).collect();
    let Some(index) = texts.get(INDEX) else { return };
    let links = read_page(index).links;
    let linked: BTreeSet<&str> = links.iter().filter_map(|(target, _)| target.split('#').next()).collect();
    for stage in &stages {
        let target = stage.strip_prefix("references/").unwrap_or(stage);
        if !linked.contains(target) {
            findings.push(Finding::new(
                Rule::IndexLinksStages,
                INDEX,
                None,
                format!("does not link `{target}`"),
            ));
        }
    }
}

fn check_coverage(text: &str, source: Option<&Source<'_>>, findings: &mut Vec<Finding>) {
    let coverage = match read::<SkillCoverage>(COVERAGE, text) {
        Ok(coverage) => coverage,
        Err(problems) => {
            for problem in problems {
                let line = Some(problem.line);
                findings.push(Finding::new(Rule::CoverageForm, COVERAGE, line, problem.problem.to_string()));
            }
            return;
        }
    };
    let mut seen = BTreeSet::new();
    for (at, file) in coverage.value.files.iter().enumerate() {
        let line = || Some(json_line(text, &format!("/files/{at}")));
        if !seen.insert(&file.path) {
            let message = format!("`{}` is there twice", file.path);
            findings.push(Finding::new(Rule::CoverageUnique, COVERAGE, line(), message));
        }
        let Some(source) = source else { continue };
        match (source.sha256)(&file.path) {
            Some(hash) if hash == file.sha256 => {}
            Some(_) => {
                let message = format!("`{}` has changed since", file.path);
                findings.push(Finding::new(Rule::SourceHash, COVERAGE, line(), message));
            }
            None => {
                let message = format!("`{}` is not there any more", file.path);
                findings.push(Finding::new(Rule::SourceHash, COVERAGE, line(), message));
            }
        }
    }
}
