//! `.metadata.json`: the state of a workspace (workspace 4).

use std::path::Path;

use crosscheck_config::tables::NOTIFY_EVENTS;
use crosscheck_core::canonical;
use crosscheck_core::files::Root;
use crosscheck_core::json::{Json, Node, Value};

use super::document::{OrderedJson, parse};
use super::time::is_timestamp;
use crate::error::WorkspaceError;
use crate::status::WorkspaceStatus;

/// The file in the workspace folder.
pub const METADATA_FILE: &str = ".metadata.json";
const LIMIT: u64 = 4 << 20;

/// How the agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Item by item, with counts.
    Loop,
    /// As much as fits into one iteration.
    Iterative,
}

impl Mode {
    /// The word in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Iterative => "iterative",
        }
    }
}

/// The values of `status`.
pub const RUN_STATES: [&str; 3] = ["in_progress", "completed", "error"];

/// The verification record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The last verdict; `None` for `not_run`.
    pub last_status: Option<WorkspaceStatus>,
    /// When.
    pub last_time: Option<String>,
    /// Verifications that ended with a verdict.
    pub attempts: u64,
    /// Automatic resumes.
    pub resume_cycles: u64,
}

/// The checked content of the file.
#[derive(Debug, Clone)]
pub struct Metadata {
    /// The unchanged file, for updates that keep the rest.
    pub(crate) document: OrderedJson,
    json: Json,
    /// Name as written; need not be the folder's.
    pub name: String,
    /// `in_progress`, `completed` or `error`.
    pub status: String,
    /// When it was made.
    pub created: String,
    /// When it last ran.
    pub last_run: Option<String>,
    /// Total, setup and execution iterations.
    pub iterations: [u64; 3],
    /// How the agent works.
    pub mode: Mode,
    /// Budget of one run.
    pub max_iterations: u64,
    /// Seconds between iterations.
    pub delay: u64,
    /// Idle iterations that end a run.
    pub stagnation_threshold: u64,
    /// Notification address of the workspace itself.
    pub notify_url: Option<String>,
    /// Events it asks for, if the file names any.
    pub notify_events: Option<Vec<String>>,
    /// The verification record.
    pub verification: Option<Record>,
}

/// The keys of the three counters.
pub const COUNTERS: [&str; 3] = ["totalIterations", "setupIterations", "executionIterations"];

impl Metadata {
    /// Reads the file of a workspace.
    pub fn load(folder: &Path) -> Result<Self, WorkspaceError> {
        let bytes = Root::new(folder)
            .and_then(|root| root.read(Path::new(METADATA_FILE), LIMIT))
            .map_err(|error| WorkspaceError::io(&error))?;
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Checks a text.
    pub fn parse(text: &str) -> Result<Self, WorkspaceError> {
        let json = parse(text)
            .map_err(|error| WorkspaceError::Metadata(format!("{METADATA_FILE}: {error}")))?;
        let root = json.root();
        if root.as_object().is_none() {
            return Err(wrong(METADATA_FILE, "an object", root));
        }
        if let Some(config) = root.get("config").filter(|node| node.as_object().is_none()) {
            return Err(wrong("config", "an object", config));
        }
        let mode = match word(root, "mode", &["loop", "iterative"])? {
            Some("iterative") => Mode::Iterative,
            _ => Mode::Loop,
        };
        let mut iterations = [0; 3];
        for (slot, key) in iterations.iter_mut().zip(COUNTERS) {
            *slot = count(root, key, key, 0)?.unwrap_or(0);
        }
        Ok(Self {
            document: OrderedJson::of(root),
            name: required(root, "name", "a non-empty string", |text| !text.is_empty())?,
            created: required(root, "created", "a timestamp", is_timestamp)?,
            last_run: optional(root, "lastRun", "a timestamp", is_timestamp)?,
            status: word(root, "status", &RUN_STATES)?
                .unwrap_or("in_progress")
                .to_owned(),
            iterations,
            mode,
            max_iterations: count(root, "maxIterations", "maxIterations", 1)?.unwrap_or(50),
            delay: count(root, "delay", "delay", 0)?.unwrap_or(2),
            stagnation_threshold: count(root, "stagnationThreshold", "stagnationThreshold", 0)?
                .unwrap_or(2),
            notify_url: optional(root, "notifyUrl", "an absolute URL", |text| {
                url::Url::parse(text).is_ok()
            })?,
            notify_events: notify_events(root)?,
            verification: record(root)?,
            json,
        })
    }

    /// The workspace's own settings.
    pub fn config(&self) -> Option<Node<'_>> {
        self.json
            .root()
            .get("config")
            .filter(|node| node.as_object().is_some())
    }

    /// A fresh file.
    pub fn fresh(name: &str, created: &str) -> OrderedJson {
        let mut document = OrderedJson::object();
        document.set("name", OrderedJson::text(name));
        document.set("created", OrderedJson::text(created));
        document.set("status", OrderedJson::text("in_progress"));
        document
    }
}

fn record(root: Node<'_>) -> Result<Option<Record>, WorkspaceError> {
    let Some(node) = root.get("verification") else {
        return Ok(None);
    };
    if node.as_object().is_none() {
        return Err(wrong("verification", "an object", node));
    }
    let status = |node| {
        nested_word(
            node,
            "lastVerificationStatus",
            &["pass", "fail", "needs_review", "not_run"],
        )
    };
    Ok(Some(Record {
        last_status: match status(node)? {
            Some("pass") => Some(WorkspaceStatus::Pass),
            Some("fail") => Some(WorkspaceStatus::Fail),
            Some("needs_review") => Some(WorkspaceStatus::NeedsReview),
            _ => None,
        },
        last_time: match node.get("lastVerificationTime") {
            None => None,
            Some(time) => match time.as_str().filter(|text| is_timestamp(text)) {
                Some(text) => Some(text.to_owned()),
                None => {
                    return Err(wrong(
                        "verification.lastVerificationTime",
                        "a timestamp",
                        time,
                    ));
                }
            },
        },
        attempts: count(
            node,
            "verificationAttempts",
            "verification.verificationAttempts",
            0,
        )?
        .unwrap_or(0),
        resume_cycles: count(
            node,
            "verifyResumeCycles",
            "verification.verifyResumeCycles",
            0,
        )?
        .unwrap_or(0),
    }))
}

fn nested_word<'n>(
    node: Node<'n>,
    key: &str,
    words: &[&str],
) -> Result<Option<&'n str>, WorkspaceError> {
    word_at(node, key, &format!("verification.{key}"), words)
}

fn word<'n>(node: Node<'n>, key: &str, words: &[&str]) -> Result<Option<&'n str>, WorkspaceError> {
    word_at(node, key, key, words)
}

fn word_at<'n>(
    node: Node<'n>,
    key: &str,
    path: &str,
    words: &[&str],
) -> Result<Option<&'n str>, WorkspaceError> {
    let Some(value) = node.get(key) else {
        return Ok(None);
    };
    match value.as_str().filter(|text| words.contains(text)) {
        Some(text) => Ok(Some(text)),
        None => Err(wrong(path, &one_of(words), value)),
    }
}

/// `a, b or c`
fn one_of(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.join(""),
    }
}

fn optional(
    root: Node<'_>,
    key: &str,
    kind: &str,
    good: impl Fn(&str) -> bool,
) -> Result<Option<String>, WorkspaceError> {
    let Some(value) = root.get(key) else {
        return Ok(None);
    };
    match value.as_str().filter(|text| good(text)) {
        Some(text) => Ok(Some(text.to_owned())),
        None => Err(wrong(key, kind, value)),
    }
}

fn required(
    root: Node<'_>,
    key: &str,
    kind: &str,
    good: impl Fn(&str) -> bool,
) -> Result<String, WorkspaceError> {
    optional(root, key, kind, good)?
        .ok_or_else(|| WorkspaceError::Metadata(format!("{key}: expected {kind}, got nothing")))
}

fn count(node: Node<'_>, key: &str, path: &str, least: u64) -> Result<Option<u64>, WorkspaceError> {
    let Some(value) = node.get(key) else {
        return Ok(None);
    };
    match whole_number(value).filter(|number| *number >= least) {
        Some(number) => Ok(Some(number)),
        None => Err(wrong(
            path,
            &format!("a whole number of at least {least}"),
            value,
        )),
    }
}

/// A number without a fraction, in any spelling (`2.0` counts).
pub(crate) fn whole_number(node: Node<'_>) -> Option<u64> {
    let Value::Number(digits) = node.value() else {
        return None;
    };
    if let Ok(number) = digits.text().parse() {
        return Some(number);
    }
    let number = digits.to_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and in the range of exact doubles"
    )]
    (number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number))
        .then_some(number as u64)
}

fn notify_events(root: Node<'_>) -> Result<Option<Vec<String>>, WorkspaceError> {
    let Some(value) = root.get("notifyEvents") else {
        return Ok(None);
    };
    let kind = format!("an array of {}", one_of(&NOTIFY_EVENTS));
    let Some(elements) = value.as_array() else {
        return Err(wrong("notifyEvents", &kind, value));
    };
    elements
        .map(
            |element| match element.as_str().filter(|text| NOTIFY_EVENTS.contains(text)) {
                Some(text) => Ok(text.to_owned()),
                None => Err(wrong("notifyEvents", &kind, element)),
            },
        )
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
}

fn wrong(path: &str, expected: &str, got: Node<'_>) -> WorkspaceError {
    let got = canonical::of_node(got);
    let shown: String = got.chars().take(80).collect();
    let dots = if shown.len() < got.len() { "…" } else { "" };
    WorkspaceError::Metadata(format!("{path}: expected {expected}, got {shown}{dots}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = r#""name":"demo","created":"2025-10-15T10:00:00.000Z""#;

    fn error(more: &str) -> String {
        Metadata::parse(&format!("{{{LEAST},{more}}}"))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn absent_keys_have_defaults() {
        let metadata = Metadata::parse(&format!("{{{LEAST}}}")).unwrap();
        assert_eq!(
            (metadata.status.as_str(), metadata.mode),
            ("in_progress", Mode::Loop)
        );
        assert_eq!(
            (
                metadata.max_iterations,
                metadata.delay,
                metadata.stagnation_threshold
            ),
            (50, 2, 2)
        );
        assert!(metadata.verification.is_none() && metadata.config().is_none());
    }

    #[test]
    fn a_wrong_value_is_named_with_its_path() {
        assert_eq!(
            error(r#""mode":"weird""#),
            r#"Invalid metadata: mode: expected loop or iterative, got "weird""#
        );
        for (more, path) in [
            (r#""maxIterations":0"#, "maxIterations"),
            (r#""delay":-1"#, "delay"),
            (r#""delay":1.5"#, "delay"),
            (r#""notifyUrl":"here""#, "notifyUrl"),
            (r#""notifyEvents":["verified"]"#, "notifyEvents"),
            (r#""lastRun":"2025-10-15""#, "lastRun"),
            (r#""status":"done""#, "status"),
            (r#""verification":3"#, "verification"),
            (r#""config":[]"#, "config"),
            (
                r#""verification":{"verificationAttempts":-1}"#,
                "verification.verificationAttempts",
            ),
            (
                r#""verification":{"lastVerificationStatus":"ok"}"#,
                "verification.lastVerificationStatus",
            ),
        ] {
            let message = error(more);
            assert!(
                message.starts_with(&format!("Invalid metadata: {path}: expected ")),
                "{message}"
            );
        }
        assert_eq!(
            Metadata::parse("[]").unwrap_err().to_string(),
            "Invalid metadata: .metadata.json: expected an object, got []"
        );
        assert!(
            Metadata::parse("{")
                .unwrap_err()
                .to_string()
                .starts_with("Invalid metadata: .metadata.json: ")
        );
        assert!(
            Metadata::parse("{}")
                .unwrap_err()
                .to_string()
                .contains("name: expected")
        );
    }

    #[test]
    fn the_last_of_repeated_keys_counts_and_not_run_is_read() {
        let text = format!(
            r#"{{{LEAST},"delay":1,"delay":7,"verification":{{"lastVerificationStatus":"not_run"}}}}"#
        );
        let metadata = Metadata::parse(&text).unwrap();
        assert_eq!(metadata.delay, 7);
        assert_eq!(metadata.verification, Some(Record::default()));
    }
}
