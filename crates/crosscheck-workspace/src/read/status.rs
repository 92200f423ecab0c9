//! `.status.json`: the agent's own progress report (workspace 5).

use std::path::Path;

use crosscheck_core::files::{ReadError, Root};
use serde_json::Value;

use super::kind::{FieldKind, whole_number};

/// The file in the workspace folder.
pub const STATUS_FILE: &str = ".status.json";
pub(crate) const LIMIT: u64 = 4 << 20;

/// The agent's claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentStatus {
    /// Whether it says that all is done.
    pub complete: bool,
    /// Completed and total.
    pub progress: Option<(u64, u64)>,
    /// Whether the last iteration did anything.
    pub worked: Option<bool>,
    /// Its own summary.
    pub summary: Option<String>,
}

/// The result of reading the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusSeen {
    /// There is none.
    Absent,
    /// It is invalid; why.
    Invalid(String),
    /// The claim.
    Valid(AgentStatus),
}

impl AgentStatus {
    /// Items left, if known.
    pub fn remaining(&self) -> Option<u64> {
        self.progress
            .filter(|(_, total)| *total > 0)
            .map(|(completed, total)| total.saturating_sub(completed))
    }

    /// Contradictions inside the claim.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some((completed, total)) = self.progress {
            if completed > total {
                warnings.push(format!(
                    "progress.completed ({completed}) is greater than progress.total ({total})"
                ));
            }
            if self.complete && completed != total {
                warnings.push(format!(
                    "complete is true but progress is {completed} of {total}"
                ));
            }
        }
        warnings
    }
}

impl StatusSeen {
    /// The claim; a file that cannot be read claims nothing.
    pub fn claim(&self) -> AgentStatus {
        match self {
            Self::Valid(status) => status.clone(),
            Self::Absent | Self::Invalid(_) => AgentStatus::default(),
        }
    }
}

/// Reads the file of a workspace.
pub fn load(folder: &Path) -> StatusSeen {
    let bytes = match Root::new(folder).and_then(|root| root.read(Path::new(STATUS_FILE), LIMIT)) {
        Ok(bytes) => bytes,
        Err(ReadError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return StatusSeen::Absent;
        }
        Err(error) => return StatusSeen::Invalid(crosscheck_core::advice::with_causes(&error)),
    };
    match check(&String::from_utf8_lossy(&bytes)) {
        Ok(status) => StatusSeen::Valid(status),
        Err(why) => StatusSeen::Invalid(why),
    }
}

fn check(text: &str) -> Result<AgentStatus, String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let root: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let root = &root;
    let truth = |key| Ok::<_, String>(FieldKind::Truth.of(root, key)?.and_then(Value::as_bool));
    let complete = truth("complete")?.ok_or("complete: expected true or false")?;
    for key in ["phase", "notes"] {
        FieldKind::Text.of(root, key)?;
    }
    FieldKind::Timestamp.of(root, "lastUpdated")?;
    FieldKind::Texts.of(root, "blockers")?;
    let summary = FieldKind::Text.of(root, "summary")?.and_then(Value::as_str);
    Ok(AgentStatus {
        complete,
        progress: root.get("progress").map(progress).transpose()?,
        worked: truth("worked")?,
        summary: summary.map(str::to_owned),
    })
}

fn progress(node: &Value) -> Result<(u64, u64), String> {
    let part = |key| node.get(key).and_then(whole_number);
    match (part("completed"), part("total")) {
        (Some(completed), Some(total)) => Ok((completed, total)),
        _ => Err("progress: expected whole numbers completed and total".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_true_is_complete_and_wrong_types_are_invalid() {
        assert!(check(r#"{"complete":true}"#).unwrap().complete);
        for text in [
            r#"{"complete":"true"}"#,
            "{}",
            "nonsense",
            r#"{"complete":true,"progress":{"completed":1}}"#,
            r#"{"complete":true,"progress":{"completed":-1,"total":2}}"#,
            r#"{"complete":true,"worked":1}"#,
            r#"{"complete":true,"blockers":[1]}"#,
            r#"{"complete":true,"lastUpdated":"now"}"#,
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }

    #[test]
    fn remaining_needs_a_total() {
        let of = |text: &str| check(text).unwrap().remaining();
        assert_eq!(
            of(r#"{"complete":false,"progress":{"completed":1,"total":3}}"#),
            Some(2)
        );
        assert_eq!(
            of(r#"{"complete":false,"progress":{"completed":0,"total":0}}"#),
            None
        );
        assert_eq!(of(r#"{"complete":false}"#), None);
    }

    #[test]
    fn a_claim_that_contradicts_itself_is_noticed() {
        let warnings = |text: &str| check(text).unwrap().warnings().len();
        assert_eq!(
            warnings(r#"{"complete":true,"progress":{"completed":4,"total":3}}"#),
            2
        );
        assert_eq!(
            warnings(r#"{"complete":false,"progress":{"completed":1,"total":3}}"#),
            0
        );
    }
}
