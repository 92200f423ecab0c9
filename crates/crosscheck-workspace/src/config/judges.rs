//! Profiles: how to call an LLM CLI (workspace 19).

use std::collections::BTreeMap;

use crosscheck_config::tables::WORKSPACE;
use crosscheck_config::{Config, ConfigError};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The default profile.
pub(crate) const CLAUDE: &str = "claude";

/// How the prompt is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum PromptVia {
    /// As an argument.
    #[default]
    Arg,
    /// On standard input.
    Stdin,
    /// In a temporary file.
    File,
}

/// How the system text is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum SystemVia {
    /// As an argument.
    Arg,
    /// Before the prompt.
    #[default]
    Prefix,
}

/// Where the report comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum ReportVia {
    /// The program writes the file.
    #[default]
    File,
    /// The answer is the report; the program needs no write permission.
    Stdout,
}

/// One profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeProfile {
    /// The program; a layer above may name it.
    #[serde(default)]
    pub command: String,
    /// Its arguments, with placeholders.
    #[serde(default)]
    pub args: Vec<String>,
    /// How the prompt is passed.
    #[serde(default)]
    pub prompt_via: PromptVia,
    /// How the system text is passed.
    #[serde(default)]
    pub system_via: SystemVia,
    /// Arguments of the availability probe; empty for no probe.
    #[serde(default = "version")]
    pub version_args: Vec<String>,
    /// The arguments for `--dangerously-skip-permissions`.
    #[serde(default)]
    pub skip_permissions_args: Vec<String>,
    /// Where the report comes from.
    #[serde(default)]
    pub report_via: ReportVia,
}

fn version() -> Vec<String> {
    vec!["--version".to_owned()]
}

/// The placeholders in arguments.
const PLACEHOLDERS: [&str; 6] = [
    "prompt",
    "system",
    "promptFile",
    "reportPath",
    "workspace",
    "project",
];

/// The configured profiles, merged over the built-in ones key by key.
pub(super) fn profiles(config: &Config) -> Result<BTreeMap<String, JudgeProfile>, ConfigError> {
    let mut profiles = BTreeMap::new();
    let table = config
        .value(&WORKSPACE, "judges")
        .and_then(Value::as_object);
    for (name, keys) in table.into_iter().flatten() {
        let refuse = |key: &str, why: String| {
            let mut error = config.refuse(&WORKSPACE, "judges", why);
            error.key = format!("workspace.judges.{name}{key}");
            error
        };
        let Some(keys) = keys.as_object() else {
            return Err(refuse("", "must be a table".to_owned()));
        };
        if name == CLAUDE || name == "none" {
            let why = "is built in; set claude.command and claude.args, or take another name";
            return Err(refuse("", why.to_owned()));
        }
        let mut merged = built_in(name).unwrap_or_default();
        merged.extend(keys.clone());
        let profile = JudgeProfile::of(&merged).map_err(|(key, why)| refuse(&key, why))?;
        profiles.insert(name.clone(), profile);
    }
    Ok(profiles)
}

impl JudgeProfile {
    /// Checks a profile; the error is the path below the profile, and why.
    pub(super) fn of(keys: &Map<String, Value>) -> Result<Self, (String, String)> {
        let read = |keys: Map<String, Value>| -> Result<Self, String> {
            serde_json::from_value(Value::Object(keys)).map_err(|error| error.to_string())
        };
        for (key, value) in keys {
            let alone = Map::from_iter([(key.clone(), value.clone())]);
            read(alone).map_err(|why| (format!(".{key}"), why))?;
        }
        let profile = read(keys.clone()).map_err(|why| (String::new(), why))?;
        if keys.contains_key("command") && profile.command.is_empty() {
            return Err((".command".to_owned(), "must be a non-empty text".to_owned()));
        }
        for name in profile.args.iter().flat_map(|arg| placeholders(arg)) {
            if !PLACEHOLDERS.contains(&name) {
                let known = PLACEHOLDERS.map(|name| format!("{{{name}}}")).join(", ");
                return Err((
                    ".args".to_owned(),
                    format!("unknown placeholder {{{name}}}; known are {known}"),
                ));
            }
        }
        Ok(profile)
    }

    /// Whether one of its arguments has this placeholder.
    pub(crate) fn names(&self, placeholder: &str) -> bool {
        let mut names = self.args.iter().flat_map(|arg| placeholders(arg));
        names.any(|name| name == placeholder)
    }

    /// The profiles that need no configuration.
    pub(crate) fn built_in(name: &str) -> Option<Self> {
        serde_json::from_value(Value::Object(built_in(name)?)).ok()
    }
}

/// The keys of a profile that needs no configuration.
fn built_in(name: &str) -> Option<Map<String, Value>> {
    let mut all: Value = serde_json::from_str(include_str!("judges.json")).ok()?;
    match all.get_mut(name).map(Value::take)? {
        Value::Object(keys) => Some(keys),
        _ => None,
    }
}

/// The names in braces: `{` letters `}`.
pub(crate) fn placeholders(arg: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = arg;
    while let Some((_, after)) = rest.split_once('{') {
        rest = after;
        if let Some((name, _)) = after.split_once('}')
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_placeholder_or_key_is_refused() {
        let of = |value: Value| JudgeProfile::of(value.as_object().unwrap());
        let wrong = of(json!({"command": "x", "args": ["{promt}"]})).unwrap_err();
        assert!(
            wrong.1.contains("unknown placeholder {promt}"),
            "{}",
            wrong.1
        );
        for (value, path) in [
            (json!({"command": "x", "colour": 1}), ".colour"),
            (json!({"command": "x", "stream": "foo"}), ".stream"),
            (json!({"command": ""}), ".command"),
        ] {
            assert_eq!(of(value).unwrap_err().0, path);
        }
    }

    #[test]
    fn braces_around_other_text_are_plain_text() {
        let keys = json!({"command": "x", "args": ["{}", "{\"a\":1}", "a{prompt}b"]});
        assert!(JudgeProfile::of(keys.as_object().unwrap()).is_ok());
    }
}
