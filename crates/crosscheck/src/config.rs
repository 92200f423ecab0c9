//! The configuration, applied to the settings of each verifier.

pub use crosscheck_config::tables::{
    CHECK, CLAIMS, ClaimsSettings, DONE, FETCH, JUDGE, JudgeSettings, LEDGER, LOGS, ROWS,
    RowsSettings, SOURCES, SourcesSettings, TRACE, TraceSettings, WORKS, WORKSPACE, WebSettings,
    WorkspaceSettings,
};
pub use crosscheck_config::{
    Check, Config, ConfigError, Key, Layer, Notice, PROJECT_FILE, Place, Places, Preset, Settings,
    TABLES, Table, Typed, USER_FILE, ValueKind, lies_outside, loosens, reference, schema, seconds,
    share,
};

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use crosscheck_core::advice::with_causes;
use crosscheck_core::files::read_limited;
use crosscheck_core::secrets::{looks_secret, sounds_secret};
use crosscheck_fetch::{
    AcceptList, CacheSettings, DnsFixture, FetchSettings, Header, NameService, Proxies, Url,
};
use crosscheck_sources::settings::Settings as SourceSettings;

use crate::ledger;

const FIXTURE_MAX: u64 = 1024 * 1024;

/// A variable of the environment; only the program reads it.
pub type Variable<'v> = &'v dyn Fn(&str) -> Option<String>;

/// How pages are fetched.
pub fn web(config: &Config, variable: Variable<'_>) -> Result<FetchSettings, ConfigError> {
    let chosen: WebSettings = config.chosen()?;
    let refuse = |key: &str, why: &str| config.refuse(&FETCH, key, why);
    if chosen.timeout <= 0.0 {
        return Err(refuse(
            "timeout",
            "must be more than 0: no page answers at once",
        ));
    }
    let mut fetch = FetchSettings {
        require_https: chosen.require_https,
        allow_downgrade: chosen.allow_downgrade,
        max_retries: chosen.max_retries,
        retry_wait: Duration::from_secs_f64(chosen.retry_wait),
        send_url_credentials: chosen.send_url_credentials,
        robots: chosen.robots,
        offline: chosen.offline,
        names: names(&chosen, &refuse)?,
        proxies: chosen.use_proxy_env.then(|| proxies(variable)),
        ..FetchSettings::default()
    };
    fetch.guard.allow_private = chosen.allow_private;
    fetch.politeness.per_host = chosen.host_concurrency;
    fetch.politeness.interval = Duration::from_secs_f64(chosen.host_request_interval);
    fetch.limits.total = Duration::from_secs_f64(chosen.timeout);
    fetch.limits.redirects = chosen.max_redirects;
    fetch.limits.body = chosen.max_body;
    for network in &chosen.allow_cidr {
        let why = || format!("`{network}` is not a network such as 10.0.0.0/8");
        let parsed = network.parse().map_err(|_| refuse("allow_cidr", &why()))?;
        fetch.guard.allow_networks.push(parsed);
    }
    if let Some(accept) = &chosen.accept {
        let wrong = || {
            refuse(
                "accept",
                "must be a list of statuses such as `200..=299,403`",
            )
        };
        fetch.accept = AcceptList::parse(accept).ok_or_else(wrong)?;
    }
    if let Some(agent) = &chosen.user_agent {
        fetch.user_agent.clone_from(agent);
    }
    fetch.cache = chosen.cache_dir.clone().map(|folder| CacheSettings {
        folder,
        max_age: Duration::from_secs_f64(chosen.max_cache_age),
    });
    add_headers(&chosen, &mut fetch, variable, &refuse)?;
    Ok(fetch)
}

/// What a site sees of us besides the request.
fn add_headers(
    chosen: &WebSettings,
    fetch: &mut FetchSettings,
    variable: Variable<'_>,
    refuse: &dyn Fn(&str, &str) -> ConfigError,
) -> Result<(), ConfigError> {
    for text in &chosen.header {
        let header = header(text).ok_or_else(|| refuse("header", "write it as `Name: value`"))?;
        if header.is_secret() || sounds_secret(&header.name) || looks_secret(&header.value) {
            let why = format!(
                "it would send `{}` to every cited site; name the host with --host-header",
                header.name
            );
            return Err(refuse("header", &why));
        }
        fetch.headers.push(header);
    }
    for (host, headers) in chosen.headers.iter().flatten() {
        for (name, value) in headers {
            let (name, value) = (name.clone(), value.clone());
            fetch.add_host_header(host, Header { name, value });
        }
    }
    for text in &chosen.host_header {
        let named = for_host(text).and_then(|(host, rest)| Some((host, header(rest)?)));
        let wrong = || refuse("host_header", "write it as `HOST Name: value`");
        let (host, header) = named.ok_or_else(wrong)?;
        fetch.add_host_header(host, header);
    }
    for text in &chosen.basic_auth {
        // a login is a secret, so it is not shown
        let wrong = || refuse("basic_auth", "write it as `HOST USER:PASSWORD`");
        let (host, login) = for_host(text).ok_or_else(wrong)?;
        let login = match login.strip_prefix("env:") {
            Some(name) => variable(name).ok_or_else(|| {
                refuse("basic_auth", &format!("the variable `{name}` is not set"))
            })?,
            None => login.to_owned(),
        };
        fetch.add_host_header(host, Header::basic(&login).ok_or_else(wrong)?);
    }
    Ok(())
}

/// A header as `Name: value`.
fn header(text: &str) -> Option<Header> {
    let (name, value) = text.split_once(':')?;
    Some(Header {
        name: name.trim().to_owned(),
        value: value.trim().to_owned(),
    })
}

/// A host, and what is meant for it.
fn for_host(text: &str) -> Option<(&str, &str)> {
    let (host, rest) = text.trim().split_once(char::is_whitespace)?;
    Some((host, rest.trim()))
}

fn names(
    chosen: &WebSettings,
    refuse: &dyn Fn(&str, &str) -> ConfigError,
) -> Result<NameService, ConfigError> {
    let mut service = NameService::System;
    if let Some(path) = &chosen.dns_fixture {
        let bytes = read_limited(path, FIXTURE_MAX).map_err(|error| with_causes(&error));
        let fixture =
            bytes.and_then(|bytes| DnsFixture::parse(&bytes).map_err(|error| error.to_string()));
        service = NameService::Fixture(fixture.map_err(|why| refuse("dns_fixture", &why))?);
    }
    if !chosen.resolve.is_empty() {
        let pins = chosen.resolve.iter().map(|text| {
            pinned(text).ok_or_else(|| refuse("resolve", "host:port:address is wanted"))
        });
        let table = pins.collect::<Result<BTreeMap<_, _>, _>>()?;
        service = NameService::Pinned(table, Box::new(service));
    }
    Ok(service)
}

/// An address for a host and port.
fn pinned(text: &str) -> Option<((String, u16), IpAddr)> {
    let mut parts = text.splitn(3, ':');
    let host = parts.next()?.to_ascii_lowercase();
    let port = parts.next()?.parse().ok()?;
    let address = parts.next()?.trim_matches(['[', ']']).parse().ok()?;
    Some(((host, port), address))
}

/// The proxies of the environment, by their usual names.
fn proxies(variable: Variable<'_>) -> Proxies {
    let named = |name: &str| variable(name).or_else(|| variable(&name.to_ascii_lowercase()));
    let url = |name: &str| {
        let text = named(name)?;
        let has_scheme = text.contains("://");
        Url::parse(&if has_scheme {
            text
        } else {
            format!("http://{text}")
        })
        .ok()
    };
    let bypass = named("NO_PROXY").unwrap_or_default();
    let bypass = bypass
        .split(',')
        .map(|entry| entry.trim().to_ascii_lowercase());
    Proxies {
        http: url("HTTP_PROXY"),
        https: url("HTTPS_PROXY"),
        bypass: bypass.filter(|entry| !entry.is_empty()).collect(),
    }
}

/// Finds a ledger that is not named as a file: by its URL, or by `env:NAME`.
pub type FindLedger = fn(&str) -> Result<ledger::Place, String>;

/// Where runs are recorded, if `[ledger]` says so; below this root by default.
pub fn ledger(
    config: &Config,
    root: &Path,
    find: FindLedger,
) -> Result<Option<ledger::Place>, ConfigError> {
    let path = config.get(&LEDGER, "path");
    let is_on = config.get(&LEDGER, "enabled") == true;
    // the project's file can say false, too, and that switches nothing off
    let by_project = config
        .layer_of(&LEDGER, "enabled")
        .is_none_or(|layer| layer.place == Place::Project);
    match path.as_str() {
        Some(path) if ledger::is_elsewhere(path) => match find(path) {
            Ok(place) => Ok((is_on || by_project).then_some(place)),
            Err(why) => Err(config.refuse(&LEDGER, "path", why)),
        },
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

/// How citations are read and judged.
pub fn sources(config: &Config) -> Result<SourceSettings, ConfigError> {
    let chosen: SourcesSettings = config.chosen()?;
    SourceSettings::new(chosen)
        .map_err(|error| config.refuse(&SOURCES, error.key(), error.to_string()))
}

/// What `claims` reads, applied to these options.
pub fn claims(
    config: &Config,
    options: &mut crosscheck_claims::Options,
) -> Result<ClaimsSettings, ConfigError> {
    let chosen: ClaimsSettings = config.chosen()?;
    let applied = options.choose(&chosen);
    applied.map_err(|why| config.refuse(&CLAIMS, "sample_rate", why))?;
    Ok(chosen)
}

/// The errors that the commands would report for a configuration that could be
/// loaded.
pub fn problems(config: &Config) -> Vec<ConfigError> {
    let mut options = crosscheck_claims::Options::new(".".into());
    let looks = [
        claims(config, &mut options).map(drop),
        config.chosen::<JudgeSettings>().map(drop),
        config
            .chosen::<crosscheck_done::config::Settings>()
            .map(drop),
        sources(config).map(drop),
        web(config, &|_| Some(String::from("user:password"))).map(drop),
        ledger(config, Path::new("."), |path| {
            Ok(ledger::Place::named(path))
        })
        .map(drop),
    ];
    looks.into_iter().filter_map(Result::err).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stated_defaults_are_those_of_the_code() {
        let mut options = crosscheck_claims::Options::new(".".into());
        claims(&Config::default(), &mut options).unwrap();
        let own = crosscheck_claims::Options::new(".".into());
        assert_eq!(format!("{options:?}"), format!("{own:?}"));
        let fetch = web(&Config::default(), &|_| None).unwrap();
        assert_eq!(
            format!("{fetch:?}"),
            format!("{:?}", FetchSettings::default())
        );
        sources(&Config::default()).unwrap();
        Config::default().chosen::<JudgeSettings>().unwrap();
    }

    #[test]
    fn pinned_addresses_name_host_port_and_address() {
        let ((host, port), _) = pinned("A.example:443:[::1]").unwrap();
        assert_eq!((host.as_str(), port), ("a.example", 443));
        assert!(pinned("a.example:443").is_none());
    }
}
