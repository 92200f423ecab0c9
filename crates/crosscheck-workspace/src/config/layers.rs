//! Where settings come from. Each layer changes only the keys it contains.

use std::collections::BTreeMap;
use std::path::Path;

use crosscheck_core::canonical;
use crosscheck_core::files::{ReadError, read_regular};
use crosscheck_core::json::Node;
use crosscheck_core::tables::{SLIP, TABLES};
use serde_json::{Map, Value};

use super::judges::JudgeProfile;
use super::keys::{KEYS, Key, PROJECT, Setting, USER, WORKSPACE};
use crate::error::WorkspaceError;
use crate::read::metadata::Metadata;

const LIMIT: u64 = 1 << 20;
const PREFIX: &str = "CROSSCHECK_WORKSPACE_";

/// Layers, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    User,
    Project,
    Workspace,
    Environment,
}

impl Layer {
    const fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Project => "Project",
            Self::Workspace => "Workspace",
            Self::Environment => "Environment",
        }
    }

    fn refuse(self, key: &str, why: &str) -> WorkspaceError {
        WorkspaceError::Config(format!("{} config: {key}: {why}", self.name()))
    }
}

/// All settings that some layer contains.
#[derive(Debug, Clone, Default)]
pub(super) struct Merged {
    values: BTreeMap<&'static str, (Layer, Setting)>,
    pub(super) judges: BTreeMap<String, JudgeProfile>,
    pub(super) warnings: Vec<String>,
}

impl Merged {
    pub(super) fn get(&self, path: &str) -> Option<&Setting> {
        self.values.get(path).map(|(_, setting)| setting)
    }

    /// An error about a value that only turns out wrong when it is used.
    pub(super) fn refuse(&self, path: &str, why: &str) -> WorkspaceError {
        let key = KEYS.iter().find(|key| key.path == path);
        match (self.values.get(path), key) {
            (Some((Layer::Environment, _)), Some(key)) => {
                Layer::Environment.refuse(&key.variable(), why)
            }
            (Some((layer, _)), _) => layer.refuse(path, why),
            (None, _) => WorkspaceError::Usage(why.to_owned()),
        }
    }

    fn put(&mut self, layer: Layer, key: &'static Key, setting: Setting) {
        match self.values.get(key.path) {
            Some((stronger, _)) if *stronger > layer => {}
            _ => drop(self.values.insert(key.path, (layer, setting))),
        }
    }

    /// A compatible JSON file; unknown keys are not ours to judge.
    pub(super) fn add_compatible_file(
        &mut self,
        layer: Layer,
        path: &Path,
    ) -> Result<(), WorkspaceError> {
        let Some(text) = text_of(layer, path)? else {
            return Ok(());
        };
        let refuse = |why: &str| layer.refuse(&name_of(path), why);
        let value: Value =
            serde_json::from_str(&text).map_err(|error| refuse(&error.to_string()))?;
        if !value.is_object() {
            return Err(refuse("must be one JSON object"));
        }
        self.add_compatible(layer, &value)
    }

    fn add_compatible(&mut self, layer: Layer, value: &Value) -> Result<(), WorkspaceError> {
        let bit = match layer {
            Layer::User => USER,
            Layer::Project => PROJECT,
            Layer::Workspace => WORKSPACE,
            Layer::Environment => 0,
        };
        for key in KEYS.iter().filter(|key| key.compatible & bit != 0) {
            if let Some(found) =
                at(value, key.path).map_err(|table| layer.refuse(table, "must be an object"))?
            {
                let setting = key
                    .kind
                    .check(found)
                    .map_err(|why| layer.refuse(key.path, &why))?;
                self.put(layer, key, setting);
            }
        }
        Ok(())
    }

    /// The `[workspace]` table of one of our own files.
    pub(super) fn add_own_file(&mut self, layer: Layer, path: &Path) -> Result<(), WorkspaceError> {
        let Some(text) = text_of(layer, path)? else {
            return Ok(());
        };
        let table: toml::Table =
            toml::from_str(&text).map_err(|error| layer.refuse(&name_of(path), error.message()))?;
        if let Some(name) = table.keys().find(|name| is_slip(name)) {
            let known = TABLES.iter().map(|name| (*name).to_owned());
            return Err(layer.refuse(name, &unknown("table", name, known)));
        }
        let Some(own) = table.get("workspace") else {
            return Ok(());
        };
        let Value::Object(own) = json(own) else {
            return Err(layer.refuse("workspace", "must be a table"));
        };
        self.add_own(layer, "", &own)
    }

    fn add_own(
        &mut self,
        layer: Layer,
        above: &str,
        table: &Map<String, Value>,
    ) -> Result<(), WorkspaceError> {
        for (name, value) in table {
            let path = format!("{above}{name}");
            if path == "judges" {
                self.add_judges(layer, value)?;
            } else if let Some(key) = KEYS.iter().find(|key| key.snake() == path) {
                let setting = key
                    .kind
                    .check(value)
                    .map_err(|why| layer.refuse(&path, &why))?;
                self.put(layer, key, setting);
            } else if is_table(&path) {
                let inner = value
                    .as_object()
                    .ok_or_else(|| layer.refuse(&path, "must be a table"))?;
                self.add_own(layer, &format!("{path}."), inner)?;
            } else {
                return Err(layer.refuse(&path, &unknown_key(&path)));
            }
        }
        Ok(())
    }

    /// Profiles, key by key on top of those of lower layers and the built-in ones.
    fn add_judges(&mut self, layer: Layer, value: &Value) -> Result<(), WorkspaceError> {
        let Some(table) = value.as_object() else {
            return Err(layer.refuse("judges", "must be a table"));
        };
        for (name, keys) in table {
            let refuse = |key: &str, why: &str| layer.refuse(&format!("judges.{name}{key}"), why);
            let Some(keys) = keys.as_object() else {
                return Err(refuse("", "must be a table"));
            };
            if name == "claude" || name == "none" {
                return Err(refuse(
                    "",
                    "is built in; set claude.command and claude.args, or take another name",
                ));
            }
            let below = match self.judges.get(name) {
                Some(profile) => serde_json::to_value(profile),
                None => serde_json::to_value(JudgeProfile::built_in(name)),
            };
            let mut merged = match below {
                Ok(Value::Object(below)) => below,
                _ => Map::new(),
            };
            merged.extend(keys.clone());
            let profile = JudgeProfile::of(&merged).map_err(|(key, why)| refuse(&key, &why))?;
            self.judges.insert(name.clone(), profile);
        }
        Ok(())
    }

    pub(super) fn add_variables(
        &mut self,
        variables: &[(String, String)],
    ) -> Result<(), WorkspaceError> {
        for (name, text) in variables
            .iter()
            .filter(|(name, _)| name.starts_with(PREFIX))
        {
            let Some(key) = KEYS.iter().find(|key| key.variable() == *name) else {
                let known = KEYS.iter().map(Key::variable);
                return Err(Layer::Environment.refuse(name, &unknown("key", name, known)));
            };
            let setting = key
                .kind
                .check(&key.kind.of_variable(text))
                .map_err(|why| Layer::Environment.refuse(name, &why))?;
            self.put(Layer::Environment, key, setting);
        }
        Ok(())
    }

    /// The workspace's own settings. With `distrust`, what would let the agent
    /// choose its own judge, or the address that is told of it, is left out.
    pub(super) fn add_workspace(
        &mut self,
        metadata: &Metadata,
        distrust: bool,
    ) -> Result<(), WorkspaceError> {
        let mut config = metadata.config().map(plain);
        if distrust {
            let dropped = config.as_mut().map(drop_untrusted).unwrap_or_default();
            self.warn_of_dropped(dropped, metadata.notify_url.is_some());
        }
        if let Some(config) = config {
            self.add_compatible(Layer::Workspace, &config)?;
        }
        for key in KEYS {
            let setting = match key.path {
                "notifyUrl" if distrust => None,
                "notifyUrl" => metadata.notify_url.clone().map(Setting::Text),
                "notifyEvents" => metadata.notify_events.clone().map(Setting::List),
                _ => None,
            };
            if let Some(setting) = setting {
                self.put(Layer::Workspace, key, setting);
            }
        }
        Ok(())
    }

    fn warn_of_dropped(&mut self, mut dropped: Vec<&'static str>, address: bool) {
        if address && !dropped.contains(&"notifyUrl") {
            dropped.push("notifyUrl");
        }
        if !dropped.is_empty() {
            self.warnings.push(format!(
                "strict guards: ignoring {} from the workspace configuration",
                dropped.join(", ")
            ));
        }
    }
}

/// Takes out what decides about the judge; the names of what was there.
fn drop_untrusted(config: &mut Value) -> Vec<&'static str> {
    [
        "claude",
        "judge",
        "verification.testCommand",
        "verification.guards",
        "notifyUrl",
    ]
    .into_iter()
    .filter(|path| {
        let (table, name) = match path.split_once('.') {
            Some((above, name)) => (config.get_mut(above), name),
            None => (Some(&mut *config), *path),
        };
        table
            .and_then(Value::as_object_mut)
            .is_some_and(|table| table.remove(name).is_some())
    })
    .collect()
}

/// The value at a dotted path; the error is the path of what is no table on
/// the way.
fn at<'v, 'p>(root: &'v Value, path: &'p str) -> Result<Option<&'v Value>, &'p str> {
    let mut value = root;
    let mut end = 0;
    for part in path.split('.') {
        let Some(table) = value.as_object() else {
            return Err(path.get(..end).unwrap_or(path));
        };
        let Some(inner) = table.get(part) else {
            return Ok(None);
        };
        value = inner;
        end += part.len() + usize::from(end > 0);
    }
    Ok(Some(value))
}

fn plain(node: Node<'_>) -> Value {
    serde_json::from_str(&canonical::of_node(node)).unwrap_or(Value::Null)
}

fn text_of(layer: Layer, path: &Path) -> Result<Option<String>, WorkspaceError> {
    match read_regular(path, LIMIT) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes)
                .map_err(|_| layer.refuse(&name_of(path), "is not UTF-8"))?;
            Ok(Some(
                text.strip_prefix('\u{FEFF}')
                    .map_or(text.clone(), str::to_owned),
            ))
        }
        Err(ReadError::Io { source, .. })
            if matches!(
                source.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(layer.refuse(
            &name_of(path),
            &crosscheck_core::advice::with_causes(&error),
        )),
    }
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Whether some key lies below this path.
fn is_table(path: &str) -> bool {
    KEYS.iter().any(|key| {
        key.snake()
            .strip_prefix(path)
            .is_some_and(|rest| rest.starts_with('.'))
    })
}

/// Whether a table is called nearly as one of ours.
fn is_slip(name: &str) -> bool {
    let is_near = |known: &&str| strsim::damerau_levenshtein(name, known) <= SLIP;
    !TABLES.contains(&name) && TABLES.iter().any(is_near)
}

/// A key may be meant that lies in a table, or the table itself.
fn unknown_key(path: &str) -> String {
    let keys = || KEYS.iter().map(Key::snake);
    let misplaced = keys().find(|key| key.rsplit_once('.').is_some_and(|(_, name)| name == path));
    if let Some(key) = misplaced {
        return format!("unknown key; did you mean {key}?");
    }
    let tables = keys().filter_map(|key| Some(key.rsplit_once('.')?.0.to_owned()));
    unknown(
        "key",
        path,
        keys().chain(tables).chain(["judges".to_owned()]),
    )
}

/// The same value as JSON. No setting is a date, so it stays something else
/// than a text, but readable.
fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => serde_json::json!({"date": date.to_string()}),
        toml::Value::Array(values) => values.iter().map(json).collect(),
        toml::Value::Table(table) => table
            .iter()
            .map(|(key, value)| (key.clone(), json(value)))
            .collect(),
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(truth) => (*truth).into(),
    }
}

fn unknown(what: &str, name: &str, known: impl Iterator<Item = String>) -> String {
    known
        .min_by_key(|known| strsim::damerau_levenshtein(name, known))
        .map_or_else(String::new, |nearest| {
            format!("unknown {what}; did you mean {nearest}?")
        })
}
