//! Notifications: one HTTP POST, compatible with ntfy (workspace 14). A failure
//! never changes a verdict.

use std::time::Duration;

use crosscheck_core::redact::SecretUrl;
use ureq::Agent;

const TIME: Duration = Duration::from_secs(10);

/// Sends a message with an ASCII title and one of the priorities `low`, `default`, `high` and
/// `urgent`; the error is text for a warning.
pub fn send(address: &str, title: &str, priority: &str, body: &str) -> Result<(), String> {
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(TIME))
        .max_redirects(0)
        .build()
        .into();
    let answer = agent
        .post(address)
        .header("Content-Type", "text/plain; charset=utf-8")
        .header("Title", title)
        .header("Priority", priority)
        .header("Tags", "crosscheck,verification")
        .send(body);
    let shown = SecretUrl::new(address);
    match answer {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => Err(format!("{shown} answered {}", answer.status().as_u16())),
        Err(error) => Err(format!("{shown}: {}", shown.scrub(&error.to_string()))),
    }
}
