//! How pages are fetched, as the flags ask for it.

use std::collections::BTreeMap;
use std::time::Duration;

use crosscheck::core::advice::with_causes;
use crosscheck::core::files::read_limited;
use crosscheck::core::secrets::{looks_secret, sounds_secret};
use crosscheck::fetch::{
    AcceptList, CacheSettings, DnsFixture, FetchSettings, Header, NameService, Proxies, Url,
};

use super::variable;
use crate::args::fetching::FetchingArgs;

const MAX_BYTES: u64 = 1024 * 1024;

/// Puts the flags over what is configured.
pub(crate) fn apply(web: &FetchingArgs, fetch: &mut FetchSettings) -> Result<(), String> {
    fetch.politeness.per_host = web.host_concurrency.unwrap_or(fetch.politeness.per_host);
    if fetch.politeness.per_host == 0 {
        return Err("--host-concurrency must be at least 1".to_owned());
    }
    fetch.politeness.interval = web
        .host_request_interval
        .unwrap_or(fetch.politeness.interval);
    fetch.limits.total = web.timeout.unwrap_or(fetch.limits.total);
    if fetch.limits.total.is_zero() {
        return Err("--timeout must be more than 0: no page answers at once".to_owned());
    }
    fetch.limits.redirects = web.max_redirects.unwrap_or(fetch.limits.redirects);
    fetch.limits.body = web.max_body.unwrap_or(fetch.limits.body);
    fetch.max_retries = web.max_retries.unwrap_or(fetch.max_retries);
    fetch.retry_wait = web.retry_wait.unwrap_or(fetch.retry_wait);
    if let Some(accept) = &web.accept {
        let list = AcceptList::parse(accept);
        fetch.accept = list.ok_or("--accept names no statuses; write 200..=299,403")?;
    }
    fetch.guard.allow_private |= web.allow_private;
    for network in &web.allow_cidr {
        let wrong =
            || format!("--allow-cidr: `{network}` is not a network; write it like 10.0.0.0/8");
        fetch
            .guard
            .allow_networks
            .push(network.parse().map_err(|_| wrong())?);
    }
    fetch.allow_downgrade |= web.allow_downgrade;
    fetch.require_https |= web.require_https;
    fetch.robots |= web.robots;
    fetch.send_url_credentials = web.send_url_credentials;
    fetch.offline |= web.offline;
    fetch.names = names(web)?;
    who_asks(web, fetch)
}

/// What a site sees of us, and what is kept of its answers.
fn who_asks(web: &FetchingArgs, fetch: &mut FetchSettings) -> Result<(), String> {
    for text in &web.header {
        let header = header(text).ok_or("--header has no colon; write it as `Name: value`")?;
        if header.is_secret() || sounds_secret(&header.name) || looks_secret(&header.value) {
            return Err(format!(
                "--header would send `{}` to every cited site; name the host with --host-header",
                header.name
            ));
        }
        fetch.headers.push(header);
    }
    for text in &web.host_header {
        let (host, rest) = for_host(text).ok_or("--host-header: write it as `HOST Name: value`")?;
        let header = header(rest).ok_or("--host-header: write it as `HOST Name: value`")?;
        fetch.add_host_header(host, header);
    }
    for text in &web.basic_auth {
        let (host, login) =
            for_host(text).ok_or("--basic-auth: write it as `HOST USER:PASSWORD`")?;
        let login = match login.strip_prefix("env:") {
            Some(name) => variable(name)
                .ok_or_else(|| format!("--basic-auth: the variable `{name}` is not set"))?,
            None => login.to_owned(),
        };
        let header = Header::basic(&login).ok_or("--basic-auth: a login is `USER:PASSWORD`")?;
        fetch.add_host_header(host, header);
    }
    if let Some(agent) = &web.user_agent {
        fetch.user_agent.clone_from(agent);
    }
    if let Some(folder) = &web.cache_dir {
        let max_age = web.max_cache_age.unwrap_or(Duration::from_hours(24));
        fetch.cache = Some(CacheSettings {
            folder: folder.clone(),
            max_age,
        });
    }
    if web.use_proxy_env {
        fetch.proxies = Some(proxies());
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

fn names(web: &FetchingArgs) -> Result<NameService, String> {
    let mut service = NameService::System;
    if let Some(path) = &web.dns_fixture {
        let bytes = read_limited(path, MAX_BYTES).map_err(|error| with_causes(&error))?;
        let fixture = DnsFixture::parse(&bytes);
        service = NameService::Fixture(fixture.map_err(|error| format!("--dns-fixture: {error}"))?);
    }
    if !web.resolve.is_empty() {
        let table: BTreeMap<_, _> = web
            .resolve
            .iter()
            .map(|pin| ((pin.host.clone(), pin.port), pin.address))
            .collect();
        service = NameService::Pinned(table, Box::new(service));
    }
    Ok(service)
}

fn proxies() -> Proxies {
    let url = |names: [&str; 2]| {
        let text = names.iter().find_map(|name| variable(name))?;
        let text = if text.contains("://") {
            text
        } else {
            format!("http://{text}")
        };
        Url::parse(&text).ok()
    };
    let bypass = variable("NO_PROXY")
        .or_else(|| variable("no_proxy"))
        .unwrap_or_default();
    Proxies {
        http: url(["HTTP_PROXY", "http_proxy"]),
        https: url(["HTTPS_PROXY", "https_proxy"]),
        bypass: bypass
            .split(',')
            .map(|entry| entry.trim().to_ascii_lowercase())
            .filter(|entry| !entry.is_empty())
            .collect(),
    }
}
