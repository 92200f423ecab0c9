//! Merges the layers. For each key the last layer wins, except that a file of
//! the project under check can only tighten.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::check::without_value;
use crate::key::{Direction, Key, Settings, Table, ValueKind};
use crate::layer::{ConfigError, Layer, PROJECT_FILE, Place, Places, Trust, USER_FILE};
use crate::policy::Check;

/// Everything that is configured.
#[derive(Debug, Clone, Default)]
pub struct Config {
    layers: Vec<Layer>,
    values: BTreeMap<(&'static str, &'static str), Held>,
    /// Notices that do not depend on the values: files that were not read.
    unread: Vec<Notice>,
    ignored: Vec<Notice>,
}

/// A value, and the index of the layer that set it last.
#[derive(Debug, Clone)]
struct Held {
    value: Value,
    layer: usize,
}

/// A part of the configuration that is ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// The file.
    pub file: String,
    /// The key with its table; none when the whole file is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why, and what to do instead.
    pub why: String,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "{}: {key} is ignored: {}", self.file, self.why),
            None => write!(f, "{} is ignored: {}", self.file, self.why),
        }
    }
}

impl Config {
    /// Reads the user's file, the project's file and the variables; a named
    /// file replaces the two files.
    pub fn load(places: &Places) -> Result<Self, ConfigError> {
        let (config, broken) = Self::load_around(places)?;
        broken.map_or(Ok(config), Err)
    }

    /// The same, but a project file that cannot be used is left out, and the
    /// error is returned beside the result.
    pub fn load_around(places: &Places) -> Result<(Self, Option<ConfigError>), ConfigError> {
        let mut config = Self::default();
        let mut broken = None;
        if let Some(path) = &places.named {
            let shown = path.display().to_string();
            let named = Layer::read(Place::Named, path, shown, false)?;
            config.layers.extend(named);
        } else {
            if let Some(path) = config.user_path(places, USER_FILE) {
                let shown = path.display().to_string();
                let user = Layer::read(Place::User, &path, shown, false)?;
                config.layers.extend(user);
            }
            let path = places.root.join(PROJECT_FILE);
            match Layer::read(Place::Project, &path, PROJECT_FILE.to_owned(), true) {
                Ok(project) => config.layers.extend(project),
                Err(error) => broken = Some(error),
            }
        }
        config.layers.push(Layer::of_variables(&places.variables)?);
        config.settle();
        Ok((config, broken))
    }

    /// Lets the project's file set keys of one table in full: for a command
    /// that knows whether the agent under check wrote the file.
    pub fn trust(&mut self, table: &'static Table, trust: Trust) {
        let layers = self.layers.iter_mut();
        for layer in layers.filter(|layer| layer.place == Place::Project) {
            layer.trusted = Some((table.name, trust));
        }
        self.settle();
    }

    /// A file in the user's configuration folder, unless the agent under check
    /// could have written it; then there is a notice.
    pub fn user_path(&mut self, places: &Places, name: &str) -> Option<std::path::PathBuf> {
        let path = places.user_folder.as_ref()?.join(name);
        if places.is_users(&path) {
            return Some(path);
        }
        if path.is_relative() || path.is_file() {
            self.unread.push(Notice {
                file: path.display().to_string(),
                key: None,
                why: "the user's configuration must have an absolute path outside the project under check, its repository and the folders of its documents; \
                      correct HOME or XDG_CONFIG_HOME, or name the file with --config"
                    .to_owned(),
            });
        }
        None
    }

    /// Files at this place may have been written by the agent under check from
    /// now on.
    pub fn distrust(&mut self, place: Place) {
        for layer in self.layers.iter_mut().filter(|layer| layer.place == place) {
            layer.is_found = true;
            layer.trusted = None;
        }
        self.settle();
    }

    /// Without the file at this place.
    pub fn leave_out(&mut self, place: Place) {
        self.layers.retain(|layer| layer.place != place);
        self.settle();
    }

    /// Adds a layer below those of the same place.
    pub fn insert(&mut self, layer: Layer) {
        let at = self.layers.partition_point(|one| one.place < layer.place);
        self.layers.insert(at, layer);
        self.settle();
    }

    /// What was ignored, and why.
    pub fn notices(&self) -> impl Iterator<Item = &Notice> {
        self.unread.iter().chain(&self.ignored)
    }

    /// What `crosscheck ci` runs. The layer that names a check first decides: a later
    /// file can add checks, not replace them, and one that the agent under check can write
    /// reaches no database and no workspace that the earlier ones do not. The notices say
    /// what was left out.
    pub fn checks(&self) -> (Vec<&Check>, Vec<Notice>) {
        let (mut checks, mut ignored): (Vec<&Check>, Vec<Notice>) = (Vec::new(), Vec::new());
        for layer in &self.layers {
            let above: Vec<&Check> = checks.clone();
            for check in &layer.checks {
                let known = above.iter().find(|known| known.name == check.name);
                let first = above.first().filter(|_| layer.is_found);
                let why = match (known, first) {
                    (Some(known), _) if known.values == check.values => continue,
                    (Some(known), _) => format!("{} declares it otherwise", known.file),
                    (None, Some(first)) if check.reaches_beyond(&above) => {
                        format!("it reaches what {} does not", first.file)
                    }
                    (None, _) => {
                        checks.push(check);
                        continue;
                    }
                };
                ignored.push(Notice {
                    file: check.file.clone(),
                    key: Some(format!("line {}, the check `{}`", check.line, check.name)),
                    why,
                });
            }
        }
        (checks, ignored)
    }

    /// A value, if some layer sets it.
    pub fn value(&self, table: &Table, path: &str) -> Option<&Value> {
        self.values
            .iter()
            .find(|((name, key), _)| *name == table.name && *key == path)
            .map(|(_, held)| &held.value)
    }

    /// The effective value: from the layers, else the default, else null.
    pub fn get(&self, table: &Table, path: &str) -> Value {
        let key = table.key(path);
        debug_assert!(key.is_some(), "{}.{path} is a key", table.name);
        let default = || key.and_then(|key| key.kind.check(&key.default.value()?).ok());
        let set = self.value(table, path).cloned();
        set.or_else(default).unwrap_or_default()
    }

    /// The layer that set a value last.
    pub fn layer_of(&self, table: &Table, path: &str) -> Option<&Layer> {
        let mut values = self.values.iter();
        let (_, held) = values.find(|((name, key), _)| *name == table.name && *key == path)?;
        self.layers.get(held.layer)
    }

    /// An error about a value that its owner cannot use.
    pub fn refuse(&self, table: &'static Table, path: &str, why: impl Into<String>) -> ConfigError {
        let whole = format!("{}.{path}", table.name);
        match (self.layer_of(table, path), table.key(path)) {
            (Some(layer), Some(key)) if layer.place == Place::Environment => {
                layer.refuse(table.variable(key), why)
            }
            (Some(layer), Some(key)) if layer.place == Place::CommandLine => {
                let long = key.typed.option().map_or(path, |(long, _)| long);
                layer.refuse(format!("--{long}"), why)
            }
            (Some(layer), _) => layer.refuse(whole, why),
            (None, _) => ConfigError {
                place: Place::Named,
                file: None,
                key: whole,
                why: why.into(),
            },
        }
    }

    /// A table with everything that is set, and the defaults for the rest.
    pub fn chosen<T: Settings>(&self) -> Result<T, ConfigError> {
        self.typed(T::TABLE, |left_out| {
            let mut values = Map::new();
            for key in T::TABLE.keys {
                let set = if left_out == Some(key.path) {
                    &Self::default()
                } else {
                    self
                };
                values.insert(key.path.to_owned(), set.get(T::TABLE, key.path));
            }
            values
        })
    }

    /// A table as its owner wants it: only the keys that some layer sets.
    pub fn read<T: DeserializeOwned>(&self, table: &'static Table) -> Result<T, ConfigError> {
        self.typed(table, |left_out| {
            let mut values = Map::new();
            for ((name, path), held) in &self.values {
                if *name == table.name && left_out != Some(path) {
                    put(&mut values, path, &held.value);
                }
            }
            values
        })
    }

    /// Values as a struct. The error names the key without which it could be read.
    fn typed<T: DeserializeOwned>(
        &self,
        table: &'static Table,
        values: impl Fn(Option<&str>) -> Map<String, Value>,
    ) -> Result<T, ConfigError> {
        let read = |left_out| serde_json::from_value::<T>(Value::Object(values(left_out)));
        read(None).map_err(|error| {
            let mut set = self.values.keys().filter(|(name, _)| *name == table.name);
            let wrong = set.find(|(_, path)| read(Some(path)).is_ok());
            let path = wrong.map_or(table.name, |(_, path)| path);
            self.refuse(table, path, without_value(&error.to_string()))
        })
    }

    fn settle(&mut self) {
        self.values.clear();
        self.ignored.clear();
        for (index, layer) in self.layers.iter().enumerate() {
            for (table, key, value) in &layer.values {
                let below = self.values.get(&(table.name, key.path));
                let below = below
                    .map(|held| held.value.clone())
                    .or_else(|| key.default.value());
                let allowed = if layer.is_limited(table, key) {
                    allow(table, key, value, below.as_ref())
                } else if layer.place == Place::CommandLine && matches!(key.kind, ValueKind::Texts)
                {
                    // what is typed is added to what is configured
                    let list = [below.as_ref(), Some(value)].into_iter().flatten();
                    let list = list.filter_map(Value::as_array).flatten().cloned();
                    (Some(list.collect()), None)
                } else {
                    (Some(over(below, value)), None)
                };
                if let Some(why) = allowed.1 {
                    self.ignored.push(Notice {
                        file: layer.file.clone().unwrap_or_default(),
                        key: Some(format!("{}.{}", table.name, key.path)),
                        why,
                    });
                }
                if let Some(value) = allowed.0 {
                    let held = Held {
                        value,
                        layer: index,
                    };
                    self.values.insert((table.name, key.path), held);
                }
            }
        }
    }
}

/// Tables are merged entry by entry, everything else is replaced.
fn over(below: Option<Value>, value: &Value) -> Value {
    match (below, value) {
        (Some(Value::Object(mut below)), Value::Object(above)) => {
            for (name, value) in above {
                let old = below.remove(name);
                below.insert(name.clone(), over(old, value));
            }
            Value::Object(below)
        }
        _ => value.clone(),
    }
}

/// Whether a value makes a check easier to satisfy than what is configured does.
pub fn loosens(config: &Config, table: &Table, key: &Key, value: &Value) -> bool {
    let below = config.get(table, key.path);
    match key.direction {
        Direction::StarterOnly(_) | Direction::Harmless => false,
        Direction::Only(word) => below == word && value != word,
        _ => below != *value && allow(table, key, value, Some(&below)).1.is_some(),
    }
}

/// What a project file may change about a value, and the notice for the rest.
fn allow(
    table: &Table,
    key: &Key,
    value: &Value,
    below: Option<&Value>,
) -> (Option<Value>, Option<String>) {
    let refused = |rule: String| {
        let name = table.variable(key);
        let why = format!(
            "{rule}; set it on the command line, with the variable {name} or in the user's configuration"
        );
        (None, Some(why))
    };
    let is_moved = |up: bool| {
        let (new, old) = (key.kind.rank(value)?, key.kind.rank(below?)?);
        Some(if up { new >= old } else { new <= old })
    };
    let listed = || below.and_then(Value::as_array).cloned().unwrap_or_default();
    match key.direction {
        Direction::Harmless => (Some(value.clone()), None),
        Direction::StarterOnly(why) => refused(format!(
            "{why}, and a file of the project under check must not"
        )),
        Direction::UpTo(most) if is_moved(true) == Some(true) => {
            let is_more = key.kind.rank(value) > key.kind.rank(&json!(most));
            if !is_more || below == Some(value) {
                return (Some(value.clone()), None);
            }
            refused(format!(
                "a file of the project under check may raise it to {most} at most"
            ))
        }
        Direction::Up | Direction::UpTo(_) | Direction::Down => {
            let up = !matches!(key.direction, Direction::Down);
            if is_moved(up) == Some(true) {
                return (Some(value.clone()), None);
            }
            let way = if up { "raise" } else { "lower" };
            // a whole number without `.0`, which is how its default is kept
            let shown = |value: &Value| value.as_f64().map(|number| number.to_string());
            let base = below.map_or_else(
                || "not set".to_owned(),
                |value| shown(value).unwrap_or_else(|| value.to_string()),
            );
            refused(format!(
                "a file of the project under check may only {way} it, and it is {base}"
            ))
        }
        Direction::Grow => {
            let mut list = listed();
            let new = value.as_array().into_iter().flatten();
            for one in new {
                if !list.contains(one) {
                    list.push(one.clone());
                }
            }
            (Some(Value::Array(list)), None)
        }
        Direction::Shrink => {
            let list = listed();
            let new = value.as_array().cloned().unwrap_or_default();
            let (kept, more): (Vec<Value>, Vec<Value>) =
                new.into_iter().partition(|one| list.contains(one));
            let kept = Some(Value::Array(kept));
            if more.is_empty() {
                return (kept, None);
            }
            let (_, why) = refused("a file of the project under check adds nothing to it".into());
            (kept, why)
        }
        Direction::Only(word) if value == word => (Some(value.clone()), None),
        Direction::Only(word) => refused(format!(
            "a file of the project under check may only set it to {}",
            json!(word)
        )),
    }
}

/// Puts a value at a dotted path.
fn put(values: &mut Map<String, Value>, path: &str, value: &Value) {
    match path.split_once('.') {
        None => drop(values.insert(path.to_owned(), value.clone())),
        Some((table, rest)) => {
            let inner = values.entry(table).or_insert_with(|| json!({}));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
