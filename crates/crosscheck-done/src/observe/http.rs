//! Whether an address on this machine answers. No other address is asked, no
//! redirect is followed, no cookie is kept.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use super::{confirmed, refuted, undecided};
use crate::opinion::{Opinion, Trace};
use crate::reasons::{Caveat, DoneReason};

const TIME: Duration = Duration::from_secs(3);
const MAX_ANSWER: u64 = 64 * 1024;

/// An address on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Local {
    host: String,
    port: u16,
    target: String,
    tls: bool,
}

/// Asks an address; `status` is the one that the message claims.
pub fn look(url: &str, status: Option<u64>) -> Opinion {
    let Some(local) = local(url) else {
        let is_route = url.starts_with('/');
        return undecided(if is_route {
            DoneReason::NoProbe
        } else {
            DoneReason::NotLoopback
        });
    };
    if local.tls || is_harmful(&local.target) {
        return undecided(DoneReason::NoProbe);
    }
    let seen = match ask(&local) {
        // another method than the one that can be tried may work
        Ok(405) => return undecided(DoneReason::NoProbe),
        Ok(seen) => seen,
        Err(reason) => return undecided(reason),
    };
    let trace = Trace::Http {
        url: url.to_owned(),
        status: Some(seen),
    };
    let good = status.map_or(seen < 400, |wanted| wanted == u64::from(seen));
    let opinion = if good {
        confirmed(DoneReason::HttpOk)
    } else {
        refuted(DoneReason::HttpError)
    };
    let opinion = opinion.with(trace);
    if (300..400).contains(&seen) {
        opinion.but(Caveat::RedirectNotFollowed)
    } else {
        opinion
    }
}

/// Requests that may do something are not made.
fn is_harmful(target: &str) -> bool {
    let lower = target.to_ascii_lowercase();
    [
        "logout", "delete", "remove", "drop", "reset", "shutdown", "kill", "destroy", "restart",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// The parts of a URL that leads to this machine, by its name alone.
fn local(text: &str) -> Option<Local> {
    let url = url::Url::parse(text).ok()?;
    // another spelling of an address is not one that a person would read as this machine
    let is_spelled = url.host_str().is_some_and(|host| text.contains(host))
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && matches!(url.scheme(), "http" | "https");
    let is_local = match url.host()? {
        url::Host::Domain(name) => name.eq_ignore_ascii_case("localhost"),
        url::Host::Ipv4(address) => address.is_loopback(),
        url::Host::Ipv6(address) => address.is_loopback(),
    };
    let is_plain = url.username().is_empty() && url.password().is_none();
    let query = url
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    (is_local && is_plain && is_spelled).then_some(Local {
        host: url.host_str()?.trim_matches(['[', ']']).to_owned(),
        port: url.port_or_known_default()?,
        target: format!("{}{query}", url.path()),
        tls: url.scheme() == "https",
    })
}

/// The status that an address answers with, or why there is none.
fn ask(local: &Local) -> Result<u16, DoneReason> {
    let unreachable = DoneReason::HttpUnreachable;
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => DoneReason::HttpTimeout,
        _ => unreachable,
    };
    let addresses = (local.host.as_str(), local.port).to_socket_addrs();
    let addresses: Vec<SocketAddr> = addresses.map_err(failed)?.collect();
    // a name that leads elsewhere is not asked
    if !addresses.iter().all(|address| address.ip().is_loopback()) {
        return Err(DoneReason::NotLoopback);
    }
    let mut opened = Err(unreachable);
    for address in &addresses {
        opened = TcpStream::connect_timeout(address, TIME).map_err(failed);
        if opened.is_ok() {
            break;
        }
    }
    let mut stream = opened?;
    stream.set_write_timeout(Some(TIME)).map_err(failed)?;
    let host = if local.host.contains(':') {
        format!("[{}]", local.host)
    } else {
        local.host.clone()
    };
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {host}:{}\r\nUser-Agent: crosscheck\r\nAccept: */*\r\nConnection: close\r\n\r\n",
        local.target, local.port
    );
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let started = Instant::now();
    let mut answer = Vec::new();
    let mut chunk = [0; 4096];
    while (answer.len() as u64) < MAX_ANSWER && memchr::memchr(b'\n', &answer).is_none() {
        let left = TIME.checked_sub(started.elapsed());
        let left = left.filter(|left| !left.is_zero());
        let left = left.ok_or(DoneReason::HttpTimeout)?;
        stream.set_read_timeout(Some(left)).map_err(failed)?;
        let count = stream.read(&mut chunk).map_err(failed)?;
        if count == 0 {
            break;
        }
        answer.extend_from_slice(chunk.get(..count).unwrap_or_default());
    }
    let line = String::from_utf8_lossy(&answer).into_owned();
    let mut words = line.lines().next().unwrap_or_default().split_whitespace();
    let is_http = words.next().is_some_and(|word| word.starts_with("HTTP/"));
    let status = words.next().and_then(|word| word.parse().ok());
    status.filter(|_| is_http).ok_or(unreachable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_asked() {
        for (url, expected) in [
            ("http://localhost:8080/health", true),
            ("http://127.0.0.1/x", true),
            ("http://127.9.9.9:1", true),
            ("http://[::1]:3000/", true),
            ("http://0.0.0.0:80/", false),
            ("http://example.com/", false),
            ("http://localhost.evil.com/", false),
            ("http://user@localhost/", false),
            ("http://localhost@evil.com/", false),
            ("http://169.254.169.254/latest", false),
            ("http://[::ffff:127.0.0.1]/", false),
            ("ftp://localhost/", false),
            ("http://localhost:80/\r\nx", false),
            ("http://2130706433/", false),
        ] {
            assert_eq!(local(url).is_some(), expected, "{url}");
        }
        assert!(is_harmful("/api/logout") && !is_harmful("/health"));
    }
}
