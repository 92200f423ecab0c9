//! The configuration of a check, with what the environment and the command
//! line add.

use std::path::Path;
use std::time::Duration;

use crosscheck::config::{Config, ConfigError, DONE, Layer, WORKS};
use crosscheck::done::Others;
use crosscheck::done::config::{Mode, Settings};
use crosscheck::done::gate::Layers;
use serde_json::json;

use crate::args::chosen::Typed;
use crate::failure::Failure;
use crate::settings::{database, misconfigured, places, variable};

/// The layers for a project, with what was typed; a file of the project that cannot be
/// used is left to whoever asks.
pub(super) fn layers(
    root: &Path,
    named: Option<&Path>,
    typed: Vec<Typed>,
) -> Result<Layers, ConfigError> {
    let (mut config, broken) = Config::load_around(&places(root, named))?;
    config.insert(Layer::of_options(typed));
    let mode = match variable("CROSSCHECK_DONE").as_deref() {
        Some("off") => Some(Mode::Off),
        Some("warn") => Some(Mode::Warn),
        Some("block") => Some(Mode::Block),
        _ => None,
    };
    let layers = Layers {
        config,
        broken,
        mode,
        names_project: false,
        root: root.to_owned(),
    };
    Ok(layers.without_broken())
}

/// What holds in a project that no session is about.
pub(super) fn held(root: &Path) -> Result<Settings, Failure> {
    let layers = layers(root, None, Vec::new());
    let layers = layers.and_then(|mut layers| layers.broken.take().map_or(Ok(layers), Err));
    let held = layers.and_then(|layers| layers.settings());
    held.map_err(|error| misconfigured(&error))
}

/// What `--reality` means for the keys of `[done.reality]`.
pub(super) fn reality(kinds: &[String]) -> Vec<Typed> {
    let has = |kind: &str| kinds.iter().any(|one| one == kind || one == "all");
    let works: &[&str] = if has("commands") { WORKS } else { &[] };
    let meant = [
        ("reality.fs", json!(has("fs"))),
        ("reality.git", json!(has("git"))),
        ("reality.env", json!(has("env"))),
        ("reality.http", json!(has("http"))),
        ("reality.commands", json!(works)),
    ];
    let meant = meant.into_iter().filter(|_| !kinds.is_empty());
    meant
        .filter_map(|(path, value)| Some((&DONE, DONE.key(path)?, value)))
        .collect()
}

/// What `rows` needs for what is handed to it; a limit is the time that looking may take.
pub(super) fn others(settings: &Settings, limit: Option<Duration>) -> Others {
    let named = settings.database.as_ref();
    Others {
        database: named.map(|url| database::named(url.expose())),
        limit,
    }
}
