//! SARIF 2.1.0, as far as findings need it: the *Static Analysis Results Interchange Format* of OASIS.

use std::collections::BTreeMap;

use serde::Serialize;

/// The most results that code-scanning services take from one run.
pub const MOST_RESULTS: usize = 5_000;

/// Something found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SarifFinding<'a> {
    /// The id of the rule.
    pub rule: &'a str,
    /// The file, relative to the base of the log.
    pub file: &'a str,
    /// The line, from 1; none for the whole file.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: &'a str,
}

/// A rule and what it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SarifRule<'a> {
    /// Its id.
    pub id: &'a str,
    /// What must hold.
    pub sentence: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    column_kind: &'static str,
    results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'static str,
    version: &'a str,
    rules: Vec<Descriptor<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    id: &'a str,
    short_description: Message<'a>,
}

#[derive(Serialize)]
struct Message<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    message: Message<'a>,
    locations: [Location; 1],
    partial_fingerprints: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
}

/// A log with one run. Of more findings than [`MOST_RESULTS`] the first are in it. Every finding's rule must be
/// among `rules`.
pub fn sarif_log(version: &str, rules: &[SarifRule<'_>], findings: &[SarifFinding<'_>]) -> String {
    let mut seen: BTreeMap<(&str, &str, &str), u32> = BTreeMap::new();
    let results = findings.iter().take(MOST_RESULTS).map(|finding| {
        let occurrence = seen.entry((finding.rule, finding.file, finding.message)).or_default();
        *occurrence += 1;
        result(rules, finding, *occurrence)
    });
    let rules_of_tool = rules
        .iter()
        .map(|rule| Descriptor { id: rule.id, short_description: Message { text: rule.sentence } });
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            results: results.collect(),
            tool: Tool { driver: Driver { name: "bindery", version, rules: rules_of_tool.collect() } },
            column_kind: "unicodeCodePoints",
        }],
    };
    let mut text = serde_json::to_string_pretty(&log).expect("a log holds only texts and numbers");
    text.push('\n');
    text
}

fn result<'a>(rules: &[SarifRule<'_>], finding: &SarifFinding<'a>, occurrence: u32) -> SarifResult<'a> {
    let identity = format!("{}\0{}\0{}\0{occurrence}", finding.rule, finding.file, finding.message);
    let fingerprint = blake3::hash(identity.as_bytes()).to_hex()[..32].to_owned();
    let region = finding.line.filter(|line| *line > 0).map(|start_line| Region { start_line });
    SarifResult {
        rule_id: finding.rule,
        rule_index: rules.iter().position(|rule| rule.id == finding.rule).unwrap_or_default(),
        level: "error",
        message: Message { text: finding.message },
        locations: [Location {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation { uri: uri(finding.file) },
                region,
            },
        }],
        partial_fingerprints: [("findingHash/v1", fingerprint)].into(),
    }
}

/// A relative path as a URI reference: RFC 3986's unreserved characters and slashes stay as they are.
fn uri(path: &str) -> String {
    crate::escape::LinkTarget::path(path).as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: [SarifRule<'static>; 2] =
        [SarifRule { id: "one", sentence: "One holds." }, SarifRule { id: "two", sentence: "Two holds." }];

    fn parsed(findings: &[SarifFinding<'_>]) -> serde_json::Value {
        serde_json::from_str(&sarif_log("1.2.3", &RULES, findings)).expect("a log is JSON")
    }

    #[test]
    fn a_finding_is_a_result_with_its_place() {
        let finding = |line| SarifFinding { rule: "two", file: "a b/é#:.md", line, message: "is wrong" };
        let log = parsed(&[finding(Some(3)), finding(None), finding(Some(0))]);
        let results = log["runs"][0]["results"].as_array().unwrap();
        let location = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "a%20b/%C3%A9%23%3A.md");
        assert_eq!(location["region"]["startLine"], 3);
        assert_eq!((&results[0]["ruleId"], &results[0]["ruleIndex"]), (&"two".into(), &1.into()));
        for without in &results[1..] {
            assert_eq!(without["locations"][0]["physicalLocation"].get("region"), None);
        }
        let prints: std::collections::BTreeSet<&str> = results
            .iter()
            .filter_map(|result| result["partialFingerprints"]["findingHash/v1"].as_str())
            .collect();
        assert_eq!(prints.len(), 3);
        assert_eq!(log["version"], "2.1.0");
    }

    #[test]
    fn no_more_results_than_services_take() {
        let finding = SarifFinding { rule: "one", file: "a", line: Some(1), message: "m" };
        let log = parsed(&vec![finding; MOST_RESULTS + 1]);
        assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(MOST_RESULTS));
    }
}
