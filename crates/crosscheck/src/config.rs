//! The configuration, applied to the settings of each verifier.

pub use crosscheck_config::tables::{CLAIMS, DONE, FETCH, JUDGE, LEDGER, SOURCES, WORKSPACE};
pub use crosscheck_config::{
    Config, ConfigError, LYCHEE_FILE, Lychee, Notice, PROJECT_FILE, Place, Places, TABLES,
    USER_FILE, lies_outside, reference, schema,
};

use std::path::Path;

use crosscheck_claims::Options;
use crosscheck_claims::config::RawClaims;
use crosscheck_fetch::{FetchSettings, RawFetch};
use crosscheck_judge::RawJudge;
use crosscheck_sources::config::RawSources;
use crosscheck_sources::settings::Settings;

use crate::ledger;

/// Applies `[claims]` to these options.
pub fn claims(config: &Config, options: &mut Options) -> Result<RawClaims, ConfigError> {
    let raw: RawClaims = config.read(&CLAIMS)?;
    raw.apply(options)
        .map_err(|why| config.refuse(&CLAIMS, "sample_rate", why))?;
    Ok(raw)
}

/// Applies `[fetch]` to these settings.
pub fn fetch(config: &Config, settings: &mut FetchSettings) -> Result<(), ConfigError> {
    let raw: RawFetch = config.read(&FETCH)?;
    raw.apply(settings)
        .map_err(|why| config.refuse(&FETCH, "allow_cidr", why))
}

/// `[judge]`, for the code that makes the judge.
pub fn judge(config: &Config) -> Result<RawJudge, ConfigError> {
    config.read(&JUDGE)
}

/// Where runs are recorded, if `[ledger]` says so; below this root by default.
pub fn ledger(config: &Config, root: &Path) -> Result<Option<ledger::Place>, ConfigError> {
    let path = config.get(&LEDGER, "path");
    let is_on = config.get(&LEDGER, "enabled") == true;
    // the project's file can say false, too, and that switches nothing off
    let by_project = config
        .layer_of(&LEDGER, "enabled")
        .is_none_or(|layer| layer.place == Place::Project);
    match path.as_str() {
        Some(path) if path.contains("://") => Err(config.refuse(
            &LEDGER,
            "path",
            "a ledger is an SQLite file; servers cannot hold one yet",
        )),
        Some(path) if !Path::new(path).is_absolute() => Err(config.refuse(
            &LEDGER,
            "path",
            "a ledger that is for all projects needs a path from the root, as in `/home/me/ledger.db`; `~` is not expanded",
        )),
        Some(path) if is_on || by_project => Ok(Some(ledger::Place::named(path))),
        None if is_on => Ok(Some(ledger::Place::of_project(root))),
        _ => Ok(None),
    }
}

/// Applies `[sources]` to these settings.
pub fn sources(
    config: &Config,
    settings: &mut Settings,
    fetching: &mut FetchSettings,
) -> Result<RawSources, ConfigError> {
    let raw: RawSources = config.read(&SOURCES)?;
    raw.apply(settings, fetching)
        .and_then(|()| settings.check())
        .map_err(|error| config.refuse(&SOURCES, error.key(), error.to_string()))?;
    Ok(raw)
}

/// The errors that the commands would report for a configuration that could be
/// loaded.
pub fn problems(config: &Config) -> Vec<ConfigError> {
    let mut fetching = FetchSettings::default();
    let looks = [
        claims(config, &mut Options::new(".".into())).map(drop),
        judge(config).map(drop),
        sources(config, &mut Settings::default(), &mut fetching).map(drop),
        fetch(config, &mut fetching),
        ledger(config, Path::new(".")).map(drop),
    ];
    looks.into_iter().filter_map(Result::err).collect()
}

#[cfg(test)]
mod tests {
    use crosscheck_config::{Layer, Place};
    use serde::de::DeserializeOwned;

    use super::*;

    /// The keys that the reader of a table lists when it meets an unknown one.
    fn known<T: DeserializeOwned>() -> Vec<String> {
        let Err(error) = serde_json::from_str::<T>("{\"nope\":1}") else {
            panic!("any key is taken")
        };
        let error = error.to_string();
        let (_, keys) = error.split_once("expected one of ").unwrap();
        let (keys, _) = keys.rsplit_once(" at line").unwrap();
        let keys = keys.replace('`', "");
        keys.split(", ").map(str::to_owned).collect()
    }

    #[test]
    fn every_key_has_a_reader_and_every_reader_a_key() {
        for (table, known) in [
            (&CLAIMS, known::<RawClaims>()),
            (&FETCH, known::<RawFetch>()),
            (&JUDGE, known::<RawJudge>()),
            (&SOURCES, known::<RawSources>()),
        ] {
            let keys: Vec<&str> = table.keys.iter().map(|key| key.path).collect();
            assert_eq!(keys, known, "{}", table.name);
        }
    }

    /// A file that sets every key to its default.
    fn defaults() -> Config {
        let mut layer = Layer {
            place: Place::User,
            file: None,
            is_found: false,
            trusted: None,
            values: Vec::new(),
        };
        for table in TABLES {
            for key in table.keys {
                if let Some(value) = key.default.value() {
                    let value = key.kind.check(&value).unwrap();
                    layer.values.push((table, key, value));
                }
            }
        }
        let mut config = Config::default();
        config.insert(layer);
        config
    }

    #[test]
    fn the_stated_defaults_are_those_of_the_code() {
        let mut options = Options::new(".".into());
        claims(&defaults(), &mut options).unwrap();
        assert_eq!(
            format!("{options:?}"),
            format!("{:?}", Options::new(".".into()))
        );

        let (mut settings, mut fetching) = (Settings::default(), FetchSettings::default());
        sources(&defaults(), &mut settings, &mut fetching).unwrap();
        fetch(&defaults(), &mut fetching).unwrap();
        assert_eq!(
            format!("{settings:?}"),
            format!("{:?}", Settings::default())
        );
        assert_eq!(
            format!("{fetching:?}"),
            format!("{:?}", FetchSettings::default())
        );
    }
}
