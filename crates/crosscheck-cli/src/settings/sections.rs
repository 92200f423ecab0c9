//! The tables of the configuration that commands read, in one place, so that
//! `doctor` reads them as the commands do.

use std::path::Path;

use crosscheck::claims::Options;
use crosscheck::claims::config::RawClaims;
use crosscheck::ground::http::FetchSettings;
use crosscheck::ground::judges::RawJudge;
use crosscheck::sources::config::{RawFetch, RawSources};
use crosscheck::sources::settings::Settings;
use crosscheck::sources::status::Status;

use super::config::{Config, Section};

pub(crate) const CLAIMS: Section = Section {
    name: "claims",
    keys: RawClaims::KEYS,
    starter_keys: RawClaims::STARTER_KEYS,
};

pub(crate) const FETCH: Section = Section {
    name: "fetch",
    keys: RawFetch::KEYS,
    starter_keys: &[],
};

pub(crate) const JUDGE: Section = Section {
    name: "judge",
    keys: RawJudge::KEYS,
    starter_keys: RawJudge::STARTER_KEYS,
};

pub(crate) const SOURCES: Section = Section {
    name: "sources",
    keys: RawSources::KEYS,
    starter_keys: RawSources::STARTER_KEYS,
};

/// What the commands would say about a file; `found` is one that nobody named.
pub(crate) fn problems(path: &Path, found: bool) -> Vec<String> {
    match Config::of_file(path, found) {
        Ok(config) => problems_of(&config),
        Err(problem) => vec![problem],
    }
}

/// What the commands would say about the variables of the environment.
pub(crate) fn problems_of_environment() -> Vec<String> {
    problems_of(&Config::of_environment())
}

/// The first problem of each table.
fn problems_of(config: &Config) -> Vec<String> {
    let looks = [
        claims(config),
        config.layers::<RawJudge>(&JUDGE).map(drop),
        sources(config).map(drop),
        fetch(config).map(drop),
    ];
    looks.into_iter().filter_map(Result::err).collect()
}

fn claims(config: &Config) -> Result<(), String> {
    let mut options = Options::new(Path::new(".").to_owned());
    for layer in config.layers::<RawClaims>(&CLAIMS)? {
        let wrong = |problem: String| format!("{}: {problem}", layer.place);
        layer.table.apply(&mut options).map_err(wrong)?;
    }
    Ok(())
}

/// `[sources]` of every layer, each with values that can be used.
pub(crate) fn sources(config: &Config) -> Result<Vec<RawSources>, String> {
    let mut tables = Vec::new();
    for layer in config.layers::<RawSources>(&SOURCES)? {
        let wrong = |problem: String| format!("{}: {problem}", layer.place);
        let (mut settings, mut fetch) = (Settings::default(), FetchSettings::default());
        let applied = layer.table.apply(&mut settings, &mut fetch);
        applied.map_err(|error| wrong(error.to_string()))?;
        let statuses = &layer.table.status_overrides;
        if layer.found && statuses.values().any(|status| *status == Status::Verified) {
            return Err(wrong(
                "`sources.status_overrides`: a file of the project under check cannot make a status `verified`; \
                 use the user's configuration, or name this file with --config"
                    .to_owned(),
            ));
        }
        tables.push(layer.table);
    }
    Ok(tables)
}

/// `[fetch]` of every layer, each with values that can be used.
pub(crate) fn fetch(config: &Config) -> Result<Vec<RawFetch>, String> {
    let mut tables = Vec::new();
    for layer in config.layers::<RawFetch>(&FETCH)? {
        let applied = layer.table.apply(&mut FetchSettings::default());
        applied.map_err(|error| format!("{}: {error}", layer.place))?;
        tables.push(layer.table);
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::*;

    /// The keys that the reader of a table names when it meets another one.
    fn known<T: DeserializeOwned>() -> Vec<String> {
        let table: toml::Table = "nope = 1".parse().unwrap();
        let Err(error) = table.try_into::<T>() else {
            panic!("any key is taken")
        };
        let keys = error.message().split("expected one of ").nth(1).unwrap();
        let keys = keys.replace('`', "");
        keys.trim().split(", ").map(str::to_owned).collect()
    }

    #[test]
    fn every_key_of_every_table_is_listed() {
        assert_eq!(known::<RawClaims>(), CLAIMS.keys);
        assert_eq!(known::<RawFetch>(), FETCH.keys);
        assert_eq!(known::<RawJudge>(), JUDGE.keys);
        assert_eq!(known::<RawSources>(), SOURCES.keys);
    }
}
