//! `[sources]`

use super::why;
use crate::Direction::{Down, Grow, Harmless, StarterOnly, Up, UpTo};
use crate::Preset;
use crate::ValueKind::{Flag, Program, Seconds, Share, Table, Text, Texts, Whole};
use crate::key::table;

table! {
    /// What `crosscheck sources` reads.
    SOURCES = "sources", "How `crosscheck sources` checks cited pages";
    "jobs": Whole { least: 1, most: 1024 }, Preset::Number(4.0), Harmless,
        "Number of parallel checks";
    "host_concurrency": Whole { least: 1, most: 1024 }, Preset::Number(4.0), Down,
        "Number of parallel requests to one host";
    "host_request_interval": Seconds(3600), Preset::Number(0.05), UpTo(5),
        "Seconds between two requests to one host";
    "timeout": Seconds(3600), Preset::Number(20.0), UpTo(120),
        "Seconds for one request";
    "max_retries": Whole { least: 0, most: 100 }, Preset::Number(1.0), UpTo(10),
        "Retries after a time-out, a failed connection, 429 or 5xx";
    "retry_wait": Seconds(3600), Preset::Number(5.0), UpTo(60),
        "Seconds before a retry, unless the server names a time";
    "max_redirects": Whole { least: 0, most: 100 }, Preset::Number(5.0), UpTo(20),
        "Maximum number of redirects";
    "accept": Text, Preset::Unset, StarterOnly(why::BELIEVED),
        "HTTP statuses treated as success, for example `200..=299,403`";
    "include": Texts, Preset::Texts(&[]), StarterOnly(why::SKIPS),
        "Only URLs that match one of these regular expressions";
    "exclude": Texts, Preset::Texts(&[]), StarterOnly(why::SKIPS),
        "No URLs that match one of these regular expressions";
    "cache": Text, Preset::Unset, StarterOnly(why::BELIEVED),
        "Folder for pages kept between runs";
    "max_cache_age": Seconds(u32::MAX), Preset::Number(86_400.0), Down,
        "Seconds a kept page is good";
    "user_agent": Text, Preset::Depends("`crosscheck/` and the version"), StarterOnly(why::READ),
        "The `User-Agent` header";
    "headers": Table, Preset::Unset, StarterOnly(why::SENDS),
        "Headers for single hosts: a table of names and values for each host";
    "basic_auth": Texts, Preset::Texts(&[]), StarterOnly(why::SENDS),
        "Logins for single hosts, each as `HOST USER:PASSWORD`";
    "remap": Texts, Preset::Texts(&[]), StarterOnly(why::BELIEVED),
        "Addresses asked in place of the cited ones, each as `FROM TO`; FROM is a regular expression";
    "unreliable_domains": Texts, Preset::Texts(&[]), Grow,
        "Domains that you call unreliable";
    "self_published_domains": Texts, Preset::Texts(&[]), Grow,
        "Domains where anyone can publish";
    "parked_hosts": Texts, Preset::Texts(&[]), Grow,
        "Hosts that only show parking pages";
    "archive": Text, Preset::Unset, StarterOnly(why::BELIEVED),
        "Address of archived copies, with `{url}` or `{url_encoded}`";
    "archive_404": Flag, Preset::Flag(false), Down,
        "A missing page with an archived copy is suspect, not fabricated";
    "search_command": Program, Preset::Unset, StarterOnly(why::PROGRAM),
        "Program that searches the web, with its arguments";
    "spot_check_rate": Share, Preset::Number(0.5), Up,
        "Share of sources checked without a request while a debate is followed";
    "status_overrides": Table, Preset::Unset, StarterOnly(why::BELIEVED),
        "Other statuses for single codes";
}
