//! `verification-log.ndjson`: one line for each verification, also for those
//! that failed to run (workspace 15).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Instant;

use crosscheck_core::clock::Clock;
use crosscheck_core::files::{Owned, open_owned, open_regular};
use serde::{Deserialize, Serialize};

use super::result::VerificationResult;
use crate::plan::resume::short_issue;
use crate::read::time;

/// The file in the workspace folder.
pub const LOG_FILE: &str = "verification-log.ndjson";
/// Only the end of a long log is read.
const TAIL: u64 = 1 << 20;
const REPEATED: usize = 3;

/// One verification.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogRecord {
    /// When it ended.
    pub time: String,
    /// The workspace.
    pub workspace: String,
    /// The depth.
    pub depth: String,
    /// Mode of the workspace.
    pub mode: String,
    /// `manual` or `auto`.
    pub trigger: String,
    /// Profile of the judge.
    pub judge: String,
    /// The verdict, or `error`.
    pub outcome: String,
    /// From the markers alone.
    pub report_status: Option<String>,
    /// Why there is no verdict.
    pub error_code: Option<String>,
    /// Number of issues.
    pub issue_count: usize,
    /// Their names.
    pub issues: Vec<String>,
    /// How long it took.
    pub duration_ms: u64,
    /// Exit code of the LLM.
    pub llm_exit: Option<i32>,
    /// Which report.
    pub report_sha256: Option<String>,
    /// How far it was believed.
    pub guards: String,
    /// Codes of the findings.
    pub findings: Vec<String>,
    /// The number of this attempt.
    pub attempt: u64,
}

impl LogRecord {
    /// The same at its end.
    fn ended(self, started: Instant, clock: &dyn Clock) -> Self {
        Self {
            time: time::stamp(clock.now()),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            ..self
        }
    }

    /// Without a verdict.
    pub(crate) fn failed(self, code: &str, started: Instant, clock: &dyn Clock) -> Self {
        Self {
            error_code: Some(code.to_owned()),
            ..self.ended(started, clock)
        }
    }

    /// With a verdict, which is the attempt of this number.
    pub(crate) fn finished(
        self,
        result: &VerificationResult,
        attempt: u64,
        started: Instant,
        clock: &dyn Clock,
    ) -> Self {
        let audit = result.audit.as_ref();
        let reported = audit.map_or(result.status, |audit| audit.report_status);
        let codes = result.findings().iter().map(|one| one.code.code());
        Self {
            outcome: result.status.word().to_owned(),
            report_status: Some(reported.word().to_owned()),
            issue_count: result.issue_count,
            issues: result.issues.iter().map(|one| short_issue(one)).collect(),
            report_sha256: Some(result.report_digest.clone()),
            findings: codes.map(str::to_owned).collect(),
            attempt,
            ..self.ended(started, clock)
        }
    }
}

/// Appends a record with one write call.
pub fn append(folder: &Path, record: &LogRecord) -> io::Result<()> {
    let mut file = open_owned(&folder.join(LOG_FILE), Owned::Append)?;
    let mut line = String::new();
    if !ends_line(&mut file)? {
        line.push('\n'); // a torn record stays on its own line
    }
    line.push_str(&serde_json::to_string(record)?);
    line.push('\n');
    file.write_all(line.as_bytes())
}

/// Whether a file is empty or its last line has ended.
fn ends_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The latest records, oldest first; lines that cannot be read are left out.
pub fn latest(folder: &Path) -> Vec<LogRecord> {
    read_tail(&folder.join(LOG_FILE))
        .unwrap_or_default()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

fn read_tail(path: &Path) -> io::Result<String> {
    let mut file = open_regular(path).map_err(io::Error::other)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A warning when none of the last records passed.
pub fn repeated_trouble(records: &[LogRecord], name: &str) -> Option<String> {
    let bad: Vec<&LogRecord> = records
        .iter()
        .rev()
        .take_while(|record| record.outcome != "pass")
        .collect();
    if bad.len() < REPEATED {
        return None;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for record in &bad {
        let names: BTreeSet<&String> = record.issues.iter().collect(); // each once for a report
        for issue in names {
            *counts.entry(issue).or_default() += 1;
        }
    }
    let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let names: Vec<String> = names
        .iter()
        .take(3)
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    let most = if names.is_empty() {
        String::new()
    } else {
        format!("; most frequent: {}", names.join(", "))
    };
    Some(format!(
        "Warning: the last {} verifications of workspace '{name}' did not pass{most}",
        bad.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(outcome: &str, issues: &[&str]) -> LogRecord {
        LogRecord {
            outcome: outcome.to_owned(),
            issue_count: issues.len(),
            issues: issues.iter().map(|issue| (*issue).to_owned()).collect(),
            ..LogRecord::default()
        }
    }

    #[test]
    fn three_in_a_row_are_a_warning_with_the_most_frequent_issues() {
        let bad = |issues: &[&str]| record("fail", issues);
        let good = record("pass", &[]);
        assert_eq!(repeated_trouble(&[bad(&["a"]), bad(&["a"])], "demo"), None);
        assert_eq!(
            repeated_trouble(&[bad(&[]), bad(&[]), bad(&[]), good.clone()], "demo"),
            None
        );
        assert_eq!(
            repeated_trouble(
                &[
                    good,
                    bad(&["b"]),
                    bad(&["a", "b", "a", "a"]),
                    record("error", &[])
                ],
                "demo"
            )
            .unwrap(),
            "Warning: the last 3 verifications of workspace 'demo' did not pass; most frequent: b (2), a (1)"
        );
    }

    #[test]
    fn records_are_appended_and_broken_lines_survive_reading() {
        let desk = tempfile::tempdir().unwrap();
        append(desk.path(), &record("pass", &[])).unwrap();
        let mut file = open_owned(&desk.path().join(LOG_FILE), Owned::Append).unwrap();
        file.write_all(b"{broken").unwrap();
        append(desk.path(), &record("fail", &["x"])).unwrap();
        let outcomes: Vec<String> = latest(desk.path())
            .into_iter()
            .map(|record| record.outcome)
            .collect();
        assert_eq!(outcomes, ["pass", "fail"]);
    }
}
