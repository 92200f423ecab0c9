//! The tables of the configuration that commands read, in one place, so that
//! `doctor` reads them as the commands do.

use std::path::Path;

use crosscheck::claims::config::RawClaims;
use crosscheck::claims::{OnUnclear, Options};
use crosscheck::fetch::FetchSettings;
use crosscheck::judge::RawJudge;
use crosscheck::sources::config::{RawFetch, RawSources};
use crosscheck::sources::settings::Settings;
use crosscheck::sources::status::Status;

use super::config::{Config, Placed, Section, not_by_a_project};

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
        Ok(config) => problems_of(&config, path.parent().unwrap_or(Path::new("."))),
        Err(problem) => vec![problem],
    }
}

/// What the commands would say about the variables of the environment.
pub(crate) fn problems_of_environment() -> Vec<String> {
    problems_of(&Config::of_environment(), Path::new("."))
}

/// The first problem of each table.
fn problems_of(config: &Config, project: &Path) -> Vec<String> {
    let looks = [
        claims(config, project),
        config.layers::<RawJudge>(&JUDGE).map(drop),
        sources(config).map(drop),
        fetch(config).map(drop),
    ];
    looks.into_iter().filter_map(Result::err).collect()
}

/// Says what is wrong with the values of `[claims]` in a layer, or with a layer
/// of the project that has them.
pub(crate) fn claims(config: &Config, project: &Path) -> Result<(), String> {
    let mut options = Options::new(project.to_owned());
    for layer in config.layers::<RawClaims>(&CLAIMS)? {
        let wrong = |problem: String| format!("{}: {problem}", layer.place);
        layer.table.apply(&mut options).map_err(wrong)?;
        if layer.found
            && let Some((key, value)) = loosened_claims(&layer.table, project)
        {
            return Err(wrong(not_by_a_project(&CLAIMS, key, &value)));
        }
    }
    Ok(())
}

/// What of a project's `[claims]` makes a verdict milder or opens files
/// outside the project, as key and value.
fn loosened_claims(table: &RawClaims, project: &Path) -> Option<(&'static str, String)> {
    if table.on_unclear == Some(OnUnclear::Pass) {
        return Some(("on_unclear", " = \"pass\"".to_owned()));
    }
    let folders = table.allow_paths.iter().flatten();
    let outside = folders
        .into_iter()
        .find(|folder| leads_out(project, folder));
    outside.map(|folder| ("allow_paths", format!(" = [\"{}\"]", folder.display())))
}

/// Whether a folder really lies outside the project. One that is missing
/// opens nothing.
fn leads_out(project: &Path, folder: &Path) -> bool {
    let real = project.join(folder).canonicalize();
    let home = project.canonicalize();
    real.is_ok_and(|real| !home.is_ok_and(|home| real.starts_with(home)))
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
        if let Some(problem) = loosened_fetch(&layer) {
            return Err(format!("{}: {problem}", layer.place));
        }
        tables.push(layer.table);
    }
    Ok(tables)
}

/// What of a project's `[fetch]` opens the guard.
fn loosened_fetch(layer: &Placed<RawFetch>) -> Option<String> {
    let on = |value: Option<bool>| value == Some(true);
    let (key, value) = if on(layer.table.allow_private) {
        ("allow_private", " = true")
    } else if !layer.table.allow_cidr.is_empty() {
        ("allow_cidr", "")
    } else if on(layer.table.allow_downgrade) {
        ("allow_downgrade", " = true")
    } else {
        return None;
    };
    layer.found.then(|| not_by_a_project(&FETCH, key, value))
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
