//! The hook within the settings of a harness: merged in and taken out again,
//! with everything else left as it is.
//!
//! Both harnesses keep hooks in the same shape: `hooks`, an event, a list of
//! groups, in each a list of commands. Members keep their order; a file that
//! is not JSON is refused.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::own::Proposal;
use crate::shell;

/// Members of an object in their order, each with its own text.
type Members = IndexMap<String, Box<RawValue>>;
/// The groups of each event.
type Events = IndexMap<String, Vec<Box<RawValue>>>;

/// Why settings cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The file is not JSON.
    #[error("the settings are not valid JSON: {0}")]
    NotJson(String),
    /// A part of it has an unexpected type.
    #[error("unexpected type at `{0}`")]
    Shape(String),
}

/// The hook to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The command line.
    pub command: String,
    /// Seconds that the harness lets it run.
    pub timeout: u64,
    /// Events that call it.
    pub events: Vec<String>,
}

/// The person's configuration with this project named in it.
pub fn with_project(old: &str, root: &Path, proposals: &[Proposal]) -> String {
    let name = format!("done.projects.{:?}", root.display().to_string());
    let is_own = |header: &str| header == name || header == format!("{name}.commands");
    let mut new = String::new();
    let mut is_kept = true;
    for line in old.split_inclusive('\n') {
        if line.starts_with('[') {
            is_kept = !is_own(line.trim().trim_matches(['[', ']']));
        }
        if is_kept {
            new.push_str(line);
        }
    }
    if !new.is_empty() {
        new.truncate(new.trim_end().len());
        new.push_str("\n\n");
    }
    if proposals.is_empty() {
        let _ = writeln!(new, "[{name}]");
        return new;
    }
    let _ = writeln!(new, "[{name}.commands]");
    for one in proposals {
        let words: Vec<String> = one.argv.iter().map(|word| format!("{word:?}")).collect();
        let _ = writeln!(new, "{} = [{}]", one.work.name(), words.join(", "));
    }
    new
}

/// Whether a command is the hook of this program.
pub fn is_ours(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let named = command.contains("crosscheck");
    named && words.windows(2).any(|pair| pair == ["done", "hook"])
}

/// The version that installed a hook, if its command says so.
pub fn version_of(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    words.find(|word| *word == "--installed")?;
    words.next()
}

/// The projects that an installed command names.
pub fn projects_of(command: &str) -> Vec<PathBuf> {
    let line = shell::line(command);
    let segments = line.map(|line| line.segments).unwrap_or_default();
    let words = segments
        .iter()
        .flat_map(|segment| segment.run.words.windows(2));
    let named = words.filter_map(|pair| match pair {
        [option, path] if option == "--project" => Some(PathBuf::from(path)),
        _ => None,
    });
    named.collect()
}

/// The settings with the hook in them. An older hook of this program is
/// replaced; what is there already gives the same text.
pub fn install(settings: &str, hook: &Hook) -> Result<String, SettingsError> {
    let members = parse(settings)?;
    let (mut events, _) = without_ours(&members)?;
    for event in &hook.events {
        let command = json!({"type": "command", "command": hook.command, "timeout": hook.timeout});
        let group = raw(&json!({"hooks": [command]}))?;
        events.entry(event.clone()).or_default().push(group);
    }
    written(settings, members, events)
}

/// The settings without the hook.
pub fn uninstall(settings: &str) -> Result<String, SettingsError> {
    let members = parse(settings)?;
    match without_ours(&members)? {
        (_, false) => Ok(settings.to_owned()),
        (events, true) => written(settings, members, events),
    }
}

/// The commands of this program in the settings, each with its event.
pub fn installed(settings: &str) -> Result<Vec<(String, String)>, SettingsError> {
    let mut all = Vec::new();
    for (event, groups) in events(&parse(settings)?)? {
        let commands = groups.iter().flat_map(|group| commands(group));
        let ours = commands.filter(|command| is_ours(command));
        all.extend(ours.map(|command| (event.clone(), command)));
    }
    Ok(all)
}

/// Whether the settings switch all hooks off.
pub fn is_disabled(settings: &str) -> bool {
    let members = parse(settings).unwrap_or_default();
    let switch = members.get("disableAllHooks");
    switch.is_some_and(|switch| switch.get() == "true")
}

/// A member of the settings: the hooks, or what stays as it is.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Member {
    Kept(Box<RawValue>),
    Hooks(Events),
}

/// The settings with these hooks; the old text, where nothing changed but its layout.
fn written(settings: &str, members: Members, events: Events) -> Result<String, SettingsError> {
    let members = members.into_iter();
    let mut doc: IndexMap<String, Member> = members
        .map(|(name, member)| (name, Member::Kept(member)))
        .collect();
    if events.is_empty() {
        doc.shift_remove("hooks");
    } else {
        doc.insert("hooks".to_owned(), Member::Hooks(events));
    }
    let text = serde_json::to_string_pretty(&doc).map_err(|error| not_json(&error))?;
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    if value(settings) == value(&text) {
        return Ok(settings.to_owned());
    }
    Ok(text + "\n")
}

fn not_json(error: &serde_json::Error) -> SettingsError {
    SettingsError::NotJson(error.to_string())
}

fn parse(settings: &str) -> Result<Members, SettingsError> {
    let settings = settings.strip_prefix('\u{FEFF}').unwrap_or(settings);
    if settings.trim().is_empty() {
        return Ok(Members::new());
    }
    serde_json::from_str(settings).map_err(|error| not_json(&error))
}

/// A group as its text, laid out as one within the settings.
fn raw(group: &Value) -> Result<Box<RawValue>, SettingsError> {
    let text = format!("{group:#}").replace('\n', "\n      ");
    RawValue::from_string(text).map_err(|error| not_json(&error))
}

/// The hooks of all events.
fn events(members: &Members) -> Result<Events, SettingsError> {
    let shape = |_| SettingsError::Shape("hooks".to_owned());
    let hooks = members.get("hooks").map(|hooks| hooks.get());
    hooks.map_or(Ok(Events::new()), |hooks| {
        serde_json::from_str(hooks).map_err(shape)
    })
}

/// The hooks of others, and whether there were any of this program. What is empty because ours are
/// gone goes, too.
fn without_ours(members: &Members) -> Result<(Events, bool), SettingsError> {
    let mut kept = Events::new();
    let mut had_ours = false;
    for (event, groups) in events(members)? {
        let mut others = Vec::new();
        let was_empty = groups.is_empty();
        for group in groups {
            let all = commands(&group);
            let ours = all.iter().filter(|command| is_ours(command)).count();
            had_ours |= ours > 0;
            if ours == 0 {
                others.push(group);
            } else if ours < all.len() {
                others.push(raw(&others_of(&group))?);
            }
        }
        if was_empty || !others.is_empty() {
            kept.insert(event, others);
        }
    }
    Ok((kept, had_ours))
}

/// The commands of a group.
fn commands(group: &RawValue) -> Vec<String> {
    let group: Value = serde_json::from_str(group.get()).unwrap_or_default();
    let entries = group.get("hooks").and_then(Value::as_array);
    let commands = entries.into_iter().flatten().map(command_of);
    commands.map(str::to_owned).collect()
}

fn command_of(entry: &Value) -> &str {
    let command = entry.get("command").and_then(Value::as_str);
    command.unwrap_or_default()
}

/// A group without the commands of this program.
fn others_of(group: &RawValue) -> Value {
    let mut group: Value = serde_json::from_str(group.get()).unwrap_or_default();
    if let Some(entries) = group.get_mut("hooks").and_then(Value::as_array_mut) {
        entries.retain(|entry| !is_ours(command_of(entry)));
    }
    group
}

/// The lines that differ.
pub fn difference(old: &str, new: &str, name: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let limit = old.len().min(new.len()) - start;
    let end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(limit)
        .take_while(|(a, b)| a == b)
        .count();
    let mut text = format!("--- {name}\n+++ {name}\n");
    for (sign, lines) in [('-', &old), ('+', &new)] {
        let changed = lines.get(start..lines.len() - end).unwrap_or_default();
        for line in changed {
            let _ = writeln!(text, "{sign}{line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook() -> Hook {
        Hook {
            command: "/usr/bin/crosscheck done hook --harness claude-code --installed 0.1.0"
                .to_owned(),
            timeout: 30,
            events: vec!["Stop".to_owned(), "SubagentStop".to_owned()],
        }
    }

    const OTHERS: &str = "{\n  \"zeta\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"other\"\n          }\n        ]\n      }\n    ]\n  },\n  \"alpha\": [\n    1.50\n  ]\n}\n";

    #[test]
    fn installing_twice_is_installing_once_and_uninstalling_restores_the_file() {
        for before in [OTHERS, "{}\n", "{\"a\":{\"b\":[]}}"] {
            let once = install(before, &hook()).unwrap();
            assert_eq!(install(&once, &hook()).unwrap(), once);
            assert_eq!(installed(&once).unwrap().len(), 2, "{once}");
            let after = uninstall(&once).unwrap();
            let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            assert_eq!(value(&after), value(before), "{after}");
        }
        assert_eq!(uninstall(OTHERS).unwrap(), OTHERS);
    }

    #[test]
    fn other_hooks_numbers_and_the_order_of_members_stay() {
        let text = install(OTHERS, &hook()).unwrap();
        assert!(
            text.starts_with("{\n  \"zeta\": 1,\n  \"hooks\"")
                && text.contains("\"other\"")
                && text.contains("1.50"),
            "{text}"
        );
        let mut lines = difference(OTHERS, &text, "settings.json");
        lines.retain(|c| c != ' ');
        assert!(
            !lines.contains("\n-\"zeta\"") && lines.contains("+\"SubagentStop\":["),
            "{lines}"
        );
    }

    #[test]
    fn an_older_hook_is_replaced() {
        let old = Hook {
            command: "/old/crosscheck done hook --installed 0.0.9".to_owned(),
            ..hook()
        };
        let text = install(&install("", &old).unwrap(), &hook()).unwrap();
        let commands = installed(&text).unwrap();
        assert!(
            commands
                .iter()
                .all(|(_, command)| version_of(command) == Some("0.1.0")),
            "{text}"
        );
        assert_eq!(commands.len(), 2);
    }

    #[test]
    fn what_is_no_settings_file_is_refused() {
        for text in [
            "{",
            "[]",
            "// comment\n{}",
            "{\"hooks\": 5}",
            "{\"hooks\": {\"Stop\": 5}}",
        ] {
            assert!(install(text, &hook()).is_err(), "{text}");
        }
    }
}
