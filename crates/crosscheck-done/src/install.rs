//! The hook within the settings of a harness: merged in and taken out again,
//! with everything else left as it is.
//!
//! Both harnesses keep hooks in the same shape: `hooks`, an event, a list of
//! groups, in each a list of commands. Members keep their order; a file that
//! is not JSON is refused.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node, canonical};

use crate::own::Proposal;
use crate::shell;

/// Settings are not nested deeper than this.
const MAX_DEPTH: usize = 64;

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

/// A JSON value with its members in order.
#[derive(Debug, Clone, PartialEq)]
enum Doc {
    /// Everything that is neither of the others, as text.
    Plain(String),
    List(Vec<Doc>),
    Object(Vec<(String, Doc)>),
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
    let mut doc = parse(settings)?;
    remove(&mut doc)?;
    let hooks = member(&mut doc, "hooks", "hooks")?;
    for event in &hook.events {
        let Doc::List(list) = entry(hooks, event, Doc::List(Vec::new())) else {
            return Err(SettingsError::Shape(format!("hooks.{event}")));
        };
        let command = Doc::Object(vec![
            ("type".to_owned(), text("command")),
            ("command".to_owned(), text(&hook.command)),
            ("timeout".to_owned(), Doc::Plain(hook.timeout.to_string())),
        ]);
        list.push(Doc::Object(vec![(
            "hooks".to_owned(),
            Doc::List(vec![command]),
        )]));
    }
    Ok(unchanged_or(settings, &doc))
}

/// The settings without the hook.
pub fn uninstall(settings: &str) -> Result<String, SettingsError> {
    let mut doc = parse(settings)?;
    remove(&mut doc)?;
    Ok(unchanged_or(settings, &doc))
}

/// The commands of this program in the settings, each with its event.
pub fn installed(settings: &str) -> Result<Vec<(String, String)>, SettingsError> {
    let doc = parse(settings)?;
    let mut all = Vec::new();
    let Some(Doc::Object(events)) = get(&doc, "hooks") else {
        return Ok(all);
    };
    for (event, groups) in events {
        let Doc::List(groups) = groups else {
            continue;
        };
        for group in groups {
            let Some(Doc::List(commands)) = get(group, "hooks") else {
                continue;
            };
            let ours = commands
                .iter()
                .filter_map(command_of)
                .filter(|command| is_ours(command));
            all.extend(ours.map(|command| (event.clone(), command)));
        }
    }
    Ok(all)
}

/// Whether the settings switch all hooks off.
pub fn is_disabled(settings: &str) -> bool {
    parse(settings)
        .is_ok_and(|doc| get(&doc, "disableAllHooks") == Some(&Doc::Plain("true".to_owned())))
}

/// The old text, where nothing changed but its layout.
fn unchanged_or(settings: &str, doc: &Doc) -> String {
    if parse(settings).is_ok_and(|old| old == *doc) && !settings.trim().is_empty() {
        return settings.to_owned();
    }
    let mut out = String::new();
    write(&mut out, doc, 0);
    out.push('\n');
    out
}

fn parse(settings: &str) -> Result<Doc, SettingsError> {
    let settings = settings.strip_prefix('\u{FEFF}').unwrap_or(settings);
    if settings.trim().is_empty() {
        return Ok(Doc::Object(Vec::new()));
    }
    let json = Json::parse(settings).map_err(|error| SettingsError::NotJson(error.to_string()))?;
    let doc = of(json.root(), 0)?;
    match doc {
        Doc::Object(_) => Ok(doc),
        _ => Err(SettingsError::NotJson("it is not an object".to_owned())),
    }
}

fn of(node: Node<'_>, depth: usize) -> Result<Doc, SettingsError> {
    if depth > MAX_DEPTH {
        return Err(SettingsError::NotJson("it is nested too deeply".to_owned()));
    }
    Ok(match node.value() {
        Value::Array(elements) => Doc::List(
            elements
                .map(|one| of(one, depth + 1))
                .collect::<Result<_, _>>()?,
        ),
        Value::Object(members) => {
            let members = members
                .map(|(key, value)| Ok((key.to_str_lossy().into_owned(), of(value, depth + 1)?)));
            Doc::Object(members.collect::<Result<_, SettingsError>>()?)
        }
        Value::Number(digits) => Doc::Plain(digits.text().to_owned()),
        Value::String(text) => Doc::Plain(canonical::quoted(text)),
        Value::Null => Doc::Plain("null".to_owned()),
        Value::Bool(truth) => Doc::Plain(truth.to_string()),
    })
}

fn text(words: &str) -> Doc {
    Doc::Plain(canonical::quoted(words.into()))
}

fn get<'d>(doc: &'d Doc, key: &str) -> Option<&'d Doc> {
    match doc {
        Doc::Object(members) => members
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value),
        Doc::Plain(_) | Doc::List(_) => None,
    }
}

/// The object member of this name, made if it is not there.
fn member<'d>(
    doc: &'d mut Doc,
    key: &str,
    shown: &str,
) -> Result<&'d mut Vec<(String, Doc)>, SettingsError> {
    let Doc::Object(members) = doc else {
        return Err(SettingsError::Shape(shown.to_owned()));
    };
    match entry(members, key, Doc::Object(Vec::new())) {
        Doc::Object(inner) => Ok(inner),
        _ => Err(SettingsError::Shape(shown.to_owned())),
    }
}

/// The member of this name, made as `empty` if it is not there.
fn entry<'d>(members: &'d mut Vec<(String, Doc)>, key: &str, empty: Doc) -> &'d mut Doc {
    let at = members
        .iter()
        .position(|(name, _)| name == key)
        .unwrap_or_else(|| {
            members.push((key.to_owned(), empty));
            members.len() - 1
        });
    #[expect(clippy::indexing_slicing, reason = "the place was found or made above")]
    &mut members[at].1
}

fn command_of(entry: &Doc) -> Option<String> {
    let Doc::Plain(quoted) = get(entry, "command")? else {
        return None;
    };
    serde_json::from_str(quoted).ok()
}

/// Takes every hook of this program out, and what is empty because of that.
fn remove(doc: &mut Doc) -> Result<(), SettingsError> {
    let Doc::Object(members) = doc else {
        return Ok(());
    };
    let Some(at) = members.iter().position(|(name, _)| name == "hooks") else {
        return Ok(());
    };
    let Some((_, Doc::Object(events))) = members.get_mut(at) else {
        return Err(SettingsError::Shape("hooks".to_owned()));
    };
    let mut emptied = false;
    events.retain_mut(|(_, groups)| {
        let Doc::List(groups) = groups else {
            return true;
        };
        let before = groups.len();
        groups.retain_mut(|group| !is_emptied(group));
        emptied |= groups.len() < before;
        !(groups.is_empty() && before > 0)
    });
    if emptied && events.is_empty() {
        members.remove(at);
    }
    Ok(())
}

/// Takes the hooks of this program out of a group; whether nothing is left.
fn is_emptied(group: &mut Doc) -> bool {
    let Doc::Object(members) = group else {
        return false;
    };
    let Some((_, Doc::List(commands))) = members.iter_mut().find(|(name, _)| name == "hooks")
    else {
        return false;
    };
    let before = commands.len();
    commands.retain(|command| !command_of(command).is_some_and(|command| is_ours(&command)));
    commands.is_empty() && before > 0
}

fn write(out: &mut String, doc: &Doc, depth: usize) {
    let indent = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    match doc {
        Doc::Plain(text) => out.push_str(text),
        Doc::List(list) if list.is_empty() => out.push_str("[]"),
        Doc::Object(members) if members.is_empty() => out.push_str("{}"),
        Doc::List(list) => {
            out.push('[');
            for (at, one) in list.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                indent(out, depth + 1);
                write(out, one, depth + 1);
            }
            indent(out, depth);
            out.push(']');
        }
        Doc::Object(members) => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                indent(out, depth + 1);
                out.push_str(&canonical::quoted(key.as_str().into()));
                out.push_str(": ");
                write(out, value, depth + 1);
            }
            indent(out, depth);
            out.push('}');
        }
    }
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
            assert_eq!(parse(&after), parse(before), "{after}");
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
