//! `[fetch]`

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::why;
use crate::Direction::{Down, Shrink, StarterOnly, UpTo};
use crate::Preset::{self, Unset};
use crate::Typed::{All, Nowhere, People};
use crate::ValueKind::{Flag, Seconds, Table, Text, Texts, Whole};
use crate::key::table;

table! {
    /// How pages are fetched, for every command that reads the web.
    FETCH, WebSettings = "fetch", "How pages are fetched, for every command that reads the web";
    "Fetching" {
        host_concurrency: usize, Whole { least: 1, most: 1024 }, Preset::Number(4.0), Down, All("--host-concurrency N"),
            "Number of parallel requests to one host\n\nA host that answers 429 or 503 gets one request at a time, and fewer of them, until it recovers.";
        host_request_interval: f64, Seconds(3600), Preset::Number(0.05), UpTo(5), All("--host-request-interval SECONDS"),
            "Seconds between two requests to one host";
        timeout: f64, Seconds(3600), Preset::Number(20.0), UpTo(120), All("--timeout SECONDS"),
            "Seconds to fetch a page, and the same again to read and judge it (at most 1 MiB for each second)";
        max_retries: u32, Whole { least: 0, most: 100 }, Preset::Number(1.0), UpTo(10), All("--max-retries N"),
            "Retries after a time-out, a failed connection, 429 or 5xx";
        retry_wait: f64, Seconds(3600), Preset::Number(5.0), UpTo(60), All("--retry-wait SECONDS"),
            "Seconds before a retry, unless the server names a time";
        max_redirects: usize, Whole { least: 0, most: 100 }, Preset::Number(5.0), UpTo(20), All("--max-redirects N"),
            "Maximum number of redirects";
        max_body: usize, Whole { least: 1, most: u64::MAX }, Preset::Number(5_242_880.0), StarterOnly(why::COSTS), All("--max-body BYTES"),
            "Maximum size of a decoded page, in bytes";
        accept: Option<String>, Text, Unset, StarterOnly(why::BELIEVED), People("--accept CODES"),
            "HTTP statuses treated as success, for example `200..=299,403`";
        allow_private: bool, Flag, Preset::Flag(false), Down, People("--allow-private"),
            "Contact private addresses and local names too";
        allow_cidr: Vec<String>, Texts, Preset::Texts(&[]), Shrink, People("--allow-cidr NET"),
            "Networks that may be contacted although they are private, for example `10.0.0.0/8`";
        allow_downgrade: bool, Flag, Preset::Flag(false), Down, People("--allow-downgrade"),
            "Follow redirects from https to http";
        require_https: bool, Flag, Preset::Flag(false), StarterOnly(why::SKIPS), All("--require-https"),
            "Refuse http";
        robots: bool, Flag, Preset::Flag(false), StarterOnly(why::SKIPS), All("--robots"),
            "Obey robots.txt";
        header: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::SENDS), People("--header HEADER"),
            "Headers for all cited sites, each as `Name: value`; never a secret";
        host_header: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::SENDS), People("--host-header HOST_HEADER"),
            "Headers for one host, each as `HOST Name: value`\n\nHOST is `example.org` for https, `example.org:8443`, or `http://example.org`. The header goes nowhere else, and is not sent after a redirect from another site.";
        headers: Option<BTreeMap<String, BTreeMap<String, String>>>, Table, Unset, StarterOnly(why::SENDS), Nowhere,
            "Headers for single hosts: a table of names and values for each host";
        basic_auth: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::SENDS), People("--basic-auth HOST_LOGIN"),
            "Logins for single hosts, each as `HOST USER:PASSWORD` or `HOST env:VARIABLE`";
        user_agent: Option<String>, Text, Preset::Depends("`crosscheck/` and the version"), StarterOnly(why::READ), All("--user-agent TEXT"),
            "The `User-Agent` header";
        send_url_credentials: bool, Flag, Preset::Flag(false), StarterOnly(why::SENDS), People("--send-url-credentials"),
            "Send `user:password@` of cited URLs";
        use_proxy_env: bool, Flag, Preset::Flag(false), StarterOnly(why::SENDS), People("--use-proxy-env"),
            "Use the proxies of the environment";
        cache_dir: Option<PathBuf>, Text, Unset, StarterOnly(why::BELIEVED), People("--cache-dir DIR"),
            "Folder for pages kept between runs";
        max_cache_age: f64, Seconds(u32::MAX), Preset::Number(86_400.0), Down, People("--max-cache-age SECONDS"),
            "Seconds a kept page is good";
        offline: bool, Flag, Preset::Flag(false), StarterOnly(why::SKIPS), All("--offline"),
            "Use no network";
        resolve: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::BELIEVED), People("--resolve HOST:PORT:ADDR"),
            "Addresses for hosts and ports, each as `host:port:address`";
        dns_fixture: Option<PathBuf>, Text, Unset, StarterOnly(why::BELIEVED), People("--dns-fixture FILE"),
            "JSON file with answers of a name server, for tests";
    }
}
