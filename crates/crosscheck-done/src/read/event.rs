//! The event that a harness hands to its hook.
//!
//! Contract: done 2.1.

use std::path::PathBuf;

use serde_json::Value;

/// Standard input of a hook is at most so long.
pub const MAX_EVENT: u64 = 4 << 20;

/// Which harness called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

impl Caller {
    /// The name on command lines and in receipts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }
}

/// What happened, as the harness tells it. A field of the wrong type counts
/// as missing.
#[derive(Debug, Clone, Default)]
pub struct HookEvent {
    /// `session_id`.
    pub session: Option<String>,
    /// `prompt_id`: one prompt of the user.
    pub prompt: Option<String>,
    /// `turn_id` of Codex.
    pub turn: Option<String>,
    /// The session's log.
    pub transcript: Option<PathBuf>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
    /// `plan` means that nothing was to be done.
    pub permission_mode: Option<String>,
    /// `Stop`, `SubagentStop`.
    pub name: String,
    /// Whether a hook has sent the agent back in this turn.
    pub is_again: Option<bool>,
    /// The message to judge.
    pub message: Option<String>,
    /// Commands of the shell that are still running.
    pub running: Vec<String>,
    /// `agent_id` of a subagent.
    pub agent: Option<String>,
    /// `agent_type` of a subagent.
    pub agent_type: Option<String>,
    /// A subagent's own log.
    pub agent_transcript: Option<PathBuf>,
    /// A folder for files that are thrown away.
    pub scratch: Option<PathBuf>,
}

/// The event cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the hook event cannot be read: {0}")]
pub struct EventError(pub String);

impl HookEvent {
    /// Reads one JSON object.
    pub fn parse(bytes: &[u8]) -> Result<Self, EventError> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| EventError(error.to_string()))?;
        if !value.is_object() {
            return Err(EventError("it is not an object".to_owned()));
        }
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let path = |key: &str| text(key).filter(|path| !path.is_empty()).map(PathBuf::from);
        Ok(Self {
            session: text("session_id"),
            prompt: text("prompt_id"),
            turn: text("turn_id"),
            transcript: path("transcript_path"),
            cwd: path("cwd"),
            permission_mode: text("permission_mode"),
            name: text("hook_event_name").unwrap_or_default(),
            is_again: value.get("stop_hook_active").and_then(Value::as_bool),
            message: text("last_assistant_message"),
            running: running(value.get("background_tasks")),
            agent: text("agent_id"),
            agent_type: text("agent_type"),
            agent_transcript: path("agent_transcript_path"),
            scratch: path("scratchpad_dir"),
        })
    }

    /// Which harness it comes from, by the fields it has.
    pub fn caller(&self) -> Caller {
        if self.turn.is_some() && self.prompt.is_none() {
            Caller::Codex
        } else {
            Caller::ClaudeCode
        }
    }

    /// Whether a subagent stopped.
    pub fn is_subagent(&self) -> bool {
        self.name.eq_ignore_ascii_case("SubagentStop")
    }

    /// Whether somebody stopped at all.
    pub fn is_stop(&self) -> bool {
        self.is_subagent() || self.name.eq_ignore_ascii_case("Stop")
    }
}

/// The commands of the shell that still run.
fn running(tasks: Option<&Value>) -> Vec<String> {
    let tasks = tasks.and_then(Value::as_array).into_iter().flatten();
    let text = |task: &Value, key: &str| {
        let text = task.get(key).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let shells =
        tasks.filter(|task| text(task, "type") == "shell" && text(task, "status") == "running");
    let commands = shells.map(|task| text(task, "command"));
    commands.filter(|command| !command.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_the_wrong_type_is_missing() {
        let event = HookEvent::parse(br#"{"session_id":7,"cwd":"/p","hook_event_name":"stop","background_tasks":{"a":1},"last_assistant_message":null}"#).unwrap();
        assert!(event.session.is_none() && event.message.is_none() && event.running.is_empty());
        assert!(event.is_stop() && !event.is_subagent());
        assert!(HookEvent::parse(b"[]").is_err() && HookEvent::parse(b"{").is_err());
    }

    #[test]
    fn the_harness_is_known_by_its_fields() {
        let caller = |text: &str| HookEvent::parse(text.as_bytes()).unwrap().caller();
        assert_eq!(caller(r#"{"turn_id":"t"}"#), Caller::Codex);
        assert_eq!(
            caller(r#"{"turn_id":"t","prompt_id":"p"}"#),
            Caller::ClaudeCode
        );
        assert_eq!(caller("{}"), Caller::ClaudeCode);
    }
}
