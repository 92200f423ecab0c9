//! Notifications of a run (workspace 14).

use crate::observe::notify::{self, Message};
use crate::voice::Voice;
use crate::workspace::Workspace;

/// Sends an event without further text.
pub(crate) fn send(workspace: &Workspace, event: &str, voice: &mut Voice<'_>) {
    send_with(workspace, event, "", voice);
}

/// Sends an event if the address subscribes to it. A failure is a warning.
pub(crate) fn send_with(workspace: &Workspace, event: &str, detail: &str, voice: &mut Voice<'_>) {
    let settings = &workspace.settings;
    let address = settings.text("notify_url");
    let Some(address) = address.filter(|_| settings.wants_event(event)) else {
        return;
    };
    if let Err(why) = post(&address, &workspace.name, event, detail) {
        voice.warn(&format!("Warning: notification not sent: {why}"));
    }
}

/// Sends an event to an address.
pub(super) fn post(address: &str, name: &str, event: &str, detail: &str) -> Result<(), String> {
    let (title, priority) = match event {
        "setup_complete" => ("Setup Complete", "default"),
        "execution_start" => ("Execution Started", "default"),
        "iteration" => ("Iteration Complete", "low"),
        "iteration_milestone" => ("Iteration Milestone", "default"),
        "completion" => ("Task Completed", "high"),
        "error" => ("Execution Error", "urgent"),
        _ => ("Status Update", "low"),
    };
    let message = Message {
        title: title.to_owned(),
        priority,
        tags: "crosscheck,run",
        body: format!("{}\n\nWorkspace: {name}\n{detail}", title.to_uppercase()),
    };
    notify::send(address, &message)
}
