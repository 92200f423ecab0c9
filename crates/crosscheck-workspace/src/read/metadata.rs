//! `.metadata.json`: the state of a workspace (workspace 4).

use std::path::Path;

use crosscheck_core::files::Root;
use serde_json::Value;

use super::document::OrderedJson;
use super::kind::{FieldKind, whole_number};
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
pub struct VerificationRecord {
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
    /// The workspace's own settings.
    pub config: Option<Value>,
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
    /// Notification address of the workspace itself.
    pub notify_url: Option<String>,
    /// The verification record.
    pub verification: Option<VerificationRecord>,
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
        let bare = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let broken = |error| WorkspaceError::metadata(format!("{METADATA_FILE}: {error}"));
        let root: Value = serde_json::from_str(bare).map_err(|error| broken(error.to_string()))?;
        let root = &root;
        let is_object = FieldKind::Object.check(root, METADATA_FILE);
        is_object.map_err(WorkspaceError::metadata)?;
        let document = OrderedJson::read(bare).map_err(|error| broken(error.to_string()))?;
        let text = |path, kind: FieldKind| field(root, path, &kind).map(owned);
        let count = |path, least, default| count(root, path, least, default);
        let required = |path, kind: FieldKind| {
            let words = kind.words();
            text(path, kind)?.ok_or_else(|| {
                WorkspaceError::metadata(format!("{path}: expected {words}, got nothing"))
            })
        };
        let mode = text("mode", FieldKind::Word(&["loop", "iterative"]))?;
        let mut iterations = [0; 3];
        for (slot, key) in iterations.iter_mut().zip(COUNTERS) {
            *slot = count(key, 0, 0)?;
        }
        Ok(Self {
            document,
            config: field(root, "config", &FieldKind::Object)?.cloned(),
            name: required("name", FieldKind::Filled)?,
            created: required("created", FieldKind::Timestamp)?,
            last_run: text("lastRun", FieldKind::Timestamp)?,
            status: text("status", FieldKind::Word(&RUN_STATES))?
                .unwrap_or_else(|| "in_progress".to_owned()),
            iterations,
            mode: match mode.as_deref() {
                Some("iterative") => Mode::Iterative,
                _ => Mode::Loop,
            },
            max_iterations: count("maxIterations", 1, 50)?,
            delay: count("delay", 0, 2)?,
            notify_url: text("notifyUrl", FieldKind::Url)?,
            verification: record(root)?,
        })
    }

    /// A fresh file.
    pub fn fresh(name: &str, created: &str) -> OrderedJson {
        let mut document = OrderedJson::default();
        document.set("name", name);
        document.set("created", created);
        document.set("status", "in_progress");
        document
    }
}

fn record(root: &Value) -> Result<Option<VerificationRecord>, WorkspaceError> {
    const WORDS: [&str; 4] = ["pass", "fail", "needs_review", "not_run"];
    let Some(node) = field(root, "verification", &FieldKind::Object)? else {
        return Ok(None);
    };
    let path = |key: &str| format!("verification.{key}");
    let status = field(
        node,
        &path("lastVerificationStatus"),
        &FieldKind::Word(&WORDS),
    )?;
    let time = field(node, &path("lastVerificationTime"), &FieldKind::Timestamp)?;
    Ok(Some(VerificationRecord {
        last_status: match status.and_then(Value::as_str) {
            Some("pass") => Some(WorkspaceStatus::Pass),
            Some("fail") => Some(WorkspaceStatus::Fail),
            Some("needs_review") => Some(WorkspaceStatus::NeedsReview),
            _ => None,
        },
        last_time: owned(time),
        attempts: count(node, &path("verificationAttempts"), 0, 0)?,
        resume_cycles: count(node, &path("verifyResumeCycles"), 0, 0)?,
    }))
}

fn field<'v>(
    table: &'v Value,
    path: &str,
    kind: &FieldKind,
) -> Result<Option<&'v Value>, WorkspaceError> {
    kind.of(table, path).map_err(WorkspaceError::metadata)
}

fn owned(text: Option<&Value>) -> Option<String> {
    text.and_then(Value::as_str).map(str::to_owned)
}

fn count(node: &Value, path: &str, least: u64, default: u64) -> Result<u64, WorkspaceError> {
    let number = field(node, path, &FieldKind::Count(least))?;
    Ok(number.and_then(whole_number).unwrap_or(default))
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
        assert_eq!((metadata.max_iterations, metadata.delay), (50, 2));
        assert!(metadata.verification.is_none() && metadata.config.is_none());
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
        assert_eq!(metadata.verification, Some(VerificationRecord::default()));
    }
}
