//! Results of tests and other checks: check runs of GitHub as JSON, or JUnit XML.

use serde::Deserialize;

use crate::PrError;

/// The results that the user names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResults {
    /// One entry for each check; the tests of a JUnit report are one entry each.
    pub checks: Vec<CheckResult>,
    /// Whether every entry is a test.
    pub are_tests: bool,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub ending: CheckEnding,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckEnding {
    /// It passed.
    Passed,
    /// It failed, or was ended before it could pass.
    Failed,
    /// It was left out on purpose.
    Skipped,
    /// It has not ended, or its ending is unknown.
    Open,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawChecks {
    Runs { check_runs: Vec<RawCheck> },
    List(Vec<RawCheck>),
}

/// Check runs of the API have `conclusion`, those of `gh pr checks --json` have `state`.
#[derive(Deserialize)]
struct RawCheck {
    name: String,
    #[serde(alias = "state")]
    conclusion: Option<String>,
}

/// Reads the results.
pub fn read(bytes: &[u8]) -> Result<CheckResults, PrError> {
    let refused = |why: String| PrError::Input {
        what: "the results of the checks",
        why,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| refused(error.to_string()))?;
    if text.trim_start().starts_with('<') {
        return junit(text).map_err(refused);
    }
    let raw: RawChecks = serde_json::from_str(text)
        .map_err(|error| refused(format!("{error}; expected check runs or JUnit XML")))?;
    let (RawChecks::Runs { check_runs: list } | RawChecks::List(list)) = raw;
    let checks = list.into_iter().map(|check| CheckResult {
        ending: ending(check.conclusion.as_deref().unwrap_or_default()),
        name: check.name,
    });
    Ok(CheckResults {
        checks: checks.collect(),
        are_tests: false,
    })
}

fn ending(word: &str) -> CheckEnding {
    match word.to_ascii_lowercase().as_str() {
        "success" => CheckEnding::Passed,
        "neutral" | "skipped" => CheckEnding::Skipped,
        "failure" | "error" | "timed_out" | "cancelled" | "action_required" | "startup_failure" => {
            CheckEnding::Failed
        }
        _ => CheckEnding::Open,
    }
}

fn junit(text: &str) -> Result<CheckResults, String> {
    let document = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
    let cases = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    let mut checks: Vec<CheckResult> = cases
        .map(|case| {
            let has = |tag: &str| case.children().any(|child| child.has_tag_name(tag));
            let is_bad = matches!(case.attribute("status"), Some("failed" | "error"));
            let ending = if has("failure") || has("error") || has("rerunFailure") || is_bad {
                CheckEnding::Failed
            } else if has("skipped") {
                CheckEnding::Skipped
            } else {
                CheckEnding::Passed
            };
            let name = case.attribute("name").unwrap_or("a test without a name");
            CheckResult {
                name: name.to_owned(),
                ending,
            }
        })
        .collect();
    // a suite may count failures that it does not list
    let suites = document.descendants().filter(|node| {
        let counts = |key: &str| !matches!(node.attribute(key), None | Some("0" | ""));
        let is_suite = node.has_tag_name("testsuite") || node.has_tag_name("testsuites");
        let has_error = node.children().any(|child| child.has_tag_name("error"));
        is_suite && (counts("failures") || counts("errors") || has_error)
    });
    checks.extend(suites.map(|suite| CheckResult {
        name: suite.attribute("name").unwrap_or("a suite").to_owned(),
        ending: CheckEnding::Failed,
    }));
    Ok(CheckResults {
        checks,
        are_tests: true,
    })
}
