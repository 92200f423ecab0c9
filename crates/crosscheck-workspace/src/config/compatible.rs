//! Files of claude-iterate: one JSON object each, with keys in camel case
//! (workspace 6). Unknown keys in them are ignored.

use std::path::Path;

use crosscheck_config::tables::WORKSPACE;
use crosscheck_config::{ConfigError, Layer, Notice, Place};
use serde_json::Value;

use crate::read::metadata::METADATA_FILE;

/// Files that may contain a key.
const USER: u8 = 1;
const PROJECT: u8 = 2;
const STATE: u8 = 4;
const ALL: u8 = USER | PROJECT | STATE;

/// Every key of these files.
const KEYS: &[(&str, u8)] = &[
    ("workspacesDir", PROJECT),
    ("defaultMaxIterations", PROJECT | USER),
    ("defaultDelay", PROJECT | USER),
    ("outputLevel", ALL),
    ("notifyUrl", ALL),
    ("claude.command", ALL),
    ("claude.args", ALL),
    ("colors", USER),
    ("verification.autoVerify", ALL),
    ("verification.resumeOnFail", ALL),
    ("verification.maxAttempts", ALL),
    ("verification.reportFilename", ALL),
    ("verification.depth", ALL),
    ("verification.notifyOnVerification", ALL),
];

/// An empty layer at this place.
pub(super) fn layer(place: Place, file: &str) -> Layer {
    Layer {
        place,
        file: Some(file.to_owned()),
        is_found: false,
        trusted: None,
        values: Vec::new(),
        checks: Vec::new(),
    }
}

/// Reads a file; `None` when there is none.
pub(super) fn read(place: Place, path: &Path) -> Result<Option<Layer>, ConfigError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut layer = layer(place, &name);
    let Some(text) = layer.text_of(path)? else {
        return Ok(None);
    };
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| layer.refuse(&*name, format!("is not JSON: {error}")))?;
    if !value.is_object() {
        return Err(layer.refuse(&*name, "must be one JSON object"));
    }
    add(&mut layer, &value)?;
    Ok(Some(layer))
}

/// Adds the keys of a JSON object.
pub(super) fn add(layer: &mut Layer, value: &Value) -> Result<(), ConfigError> {
    let bit = match layer.place {
        Place::User => USER,
        Place::Project => PROJECT,
        _ => STATE,
    };
    for table in ["claude", "verification"] {
        if value.get(table).is_some_and(|value| !value.is_object()) {
            return Err(layer.refuse(table, "must be an object"));
        }
    }
    for (path, files) in KEYS {
        let Some(key) = WORKSPACE.key(&snake(path)).filter(|_| files & bit != 0) else {
            continue;
        };
        let found = value.pointer(&format!("/{}", path.replace('.', "/")));
        if let Some(found) = found {
            let value = key.kind.check(found);
            let value = value.map_err(|why| layer.refuse(*path, why))?;
            layer.values.push((&WORKSPACE, key, value));
        }
    }
    Ok(())
}

/// Whether it is one of these files.
pub(super) fn is_file(shown: &str) -> bool {
    [super::PROJECT_FILE, METADATA_FILE, "config.json"].contains(&shown)
}

/// A notice about one of these files, in the spelling of the file.
pub(super) fn spelt(notice: &Notice) -> Notice {
    let mut notice = notice.clone();
    if is_file(&notice.file)
        && let Some(key) = &mut notice.key
    {
        let snake_path = key.strip_prefix("workspace.").unwrap_or(key);
        let known = KEYS.iter().find(|(path, _)| snake(path) == snake_path);
        if let Some((path, _)) = known {
            *key = (*path).to_owned();
        }
    }
    notice
}

/// `verification.maxAttempts` is `verification.max_attempts` in our own files.
fn snake(path: &str) -> String {
    let mut snake = String::new();
    for c in path.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compatible_key_is_one_of_ours() {
        for (path, _) in KEYS {
            assert!(WORKSPACE.key(&snake(path)).is_some(), "{path}");
        }
    }
}
