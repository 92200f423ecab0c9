//! `[sources]`

use std::collections::BTreeMap;

use serde_json::Value;

use super::why;
use crate::Direction::{Down, Grow, Harmless, StarterOnly, Up};
use crate::Preset::{self, Unset};
use crate::Typed::{All, Nowhere};
use crate::ValueKind::{Flag, Program, Seconds, Share, Table, Text, Texts, Url, Whole, Word};
use crate::key::table;

/// The formats of documents, by the names that `--input-format` takes.
const DOCUMENTS: &[&str] = &[
    "markdown", "jsonl", "json", "html", "rst", "tex", "bib", "notebook", "text",
];

table! {
    /// What `crosscheck sources` reads.
    SOURCES, SourcesSettings = "sources", "How `crosscheck sources` checks cited pages";
    "Judging" {
        topic: Option<String>, Text, Unset, StarterOnly(why::BELIEVED), All("--topic TEXT"),
            "What the debate or document is about";
        language: String, Text, Preset::Text("en"), StarterOnly(why::BELIEVED), All("--lang TAG"),
            "Language of the claims";
        unreliable_domains: Vec<String>, Texts, Preset::Texts(&[]), Grow, Nowhere,
            "Domains that you call unreliable";
        unreliable_domains_file: Option<String>, Text, Unset, StarterOnly(why::READ), All("--unreliable-domains FILE"),
            "File with unreliable domains, one per line";
        self_published_domains: Vec<String>, Texts, Preset::Texts(&[]), Grow, All("--self-published-domain DOMAIN"),
            "Domains where anyone can publish";
        parked_hosts: Vec<String>, Texts, Preset::Texts(&[]), Grow, All("--parked-host HOST"),
            "Hosts that only show parking pages";
        archive: Option<String>, Text, Unset, StarterOnly(why::BELIEVED), All("--archive TEMPLATE"),
            "Address of archived copies, with `{url}` or `{url_encoded}`";
        archive_404: bool, Flag, Preset::Flag(false), Down, All("--archive-404"),
            "A missing page with an archived copy is suspect, not fabricated";
        suggest: bool, Flag, Preset::Flag(false), Harmless, All("--suggest"),
            "Name the archived copy of a page that is gone; needs an archive";
        search_command: Option<Vec<String>>, Program, Unset, StarterOnly(why::PROGRAM), All("--search-command ARGV"),
            "Program that searches the web, with its arguments; on the command line up to a lone `;` or the end";
        search_fetch: bool, Flag, Preset::Flag(false), StarterOnly(why::BELIEVED), All("--search-fetch"),
            "Judge search results on their page, not on their snippet";
        probe_soft_404: bool, Flag, Preset::Flag(false), Up, All("--probe-soft-404"),
            "Request a page that cannot exist from each site, to recognise its \"not found\" page";
        judge_bias: bool, Flag, Preset::Flag(false), Up, All("--judge-bias"),
            "Treat a source as unreliable if a model judge calls it biased";
        status_overrides: Option<BTreeMap<String, String>>, Table, Unset, StarterOnly(why::BELIEVED), Nowhere,
            "Other statuses for single codes";
    }
    "Documents" {
        input_format: Option<String>, Word(DOCUMENTS), Preset::Depends("by their names"), StarterOnly(why::READ),
            All("--input-format INPUT_FORMAT"),
            "How documents are read";
        field: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::SKIPS), All("--field NAME"),
            "Text fields of JSON and JSON Lines that are read; without any, every field with a citation";
        include_code: bool, Flag, Preset::Flag(false), Up, All("--include-code"),
            "Read code blocks too";
        identifiers: bool, Flag, Preset::Flag(true), Up, All("--no-identifiers"),
            "Resolve DOI, arXiv and PMID identifiers";
        include: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::SKIPS), All("--include REGEX"),
            "Only URLs that match one of these regular expressions";
        exclude: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::SKIPS), All("--exclude REGEX"),
            "No URLs that match one of these regular expressions";
        links: String, Word(&["web", "all"]), Preset::Text("web"), Up, All("--links LINKS"),
            "Which links are checked; `all` adds links to local files and places in them";
        base_url: Option<String>, Url, Unset, StarterOnly(why::SENDS), All("--base-url URL"),
            "With all links, the address of the site that local links belong to";
        include_files: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::SKIPS), All("--include-files GLOB"),
            "In folders, read only files that match one of these patterns; without any, documents by their names";
        exclude_files: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::SKIPS), All("--exclude-files GLOB"),
            "In folders and patterns, skip files that match one of these patterns";
    }
    "Report" {
        allow_empty: bool, Flag, Preset::Flag(false), Down, All("--allow-empty"),
            "Accept a run without any citation that can be checked";
        fail_on: String, Word(&["fabricated", "unreliable", "suspect", "lint"]), Preset::Text("unreliable"),
            StarterOnly("it decides what fails a run"), All("--fail-on SEVERITY"),
            "Exit with 1 at this severity or worse: fabricated sources only, unreliable ones too, everything that is not verified (suspect), or as unreliable with lint findings too";
    }
    "Fetching" {
        remap: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::BELIEVED), All("--remap FROM TO"),
            "Addresses asked in place of the cited ones: what the regular expression FROM matches is replaced with TO, `$1` is its first group; in files each is one text, `FROM TO`";
        jobs: usize, Whole { least: 1, most: 1024 }, Preset::Number(4.0), Harmless, All("--jobs N"),
            "Number of parallel checks";
    }
    "Debates" {
        listen_token_env: Option<String>, Text, Unset, StarterOnly(why::SECRET), All("--listen-token-env NAME"),
            "Environment variable with the token that --listen asks for";
        outbox_format: String, Word(&["json", "text"]), Preset::Text("json"), Harmless, All("--outbox-format FORM"),
            "One JSON object for each message, or its text alone";
        allow_remote_outbox: bool, Flag, Preset::Flag(false), StarterOnly(why::SENDS), All("--allow-remote-outbox"),
            "Allow an outbox on another machine";
        spot_check_rate: Value, Share, Preset::Number(0.5), Up, All("--spot-check-rate SHARE"),
            "Share of sources checked without a request while a debate is followed";
        grace: f64, Seconds(86_400), Preset::Number(5.0), StarterOnly(why::COSTS), All("--grace SECONDS"),
            "Seconds an entry waits for a notification of the Chair";
        exit_on_conclusion: bool, Flag, Preset::Flag(true), StarterOnly(why::COSTS), All("--exit-on-conclusion BOOL"),
            "End after the Chair's conclusion";
        lock_timeout: f64, Seconds(86_400), Preset::Number(30.0), StarterOnly(why::COSTS), All("--lock-timeout SECONDS"),
            "Seconds to wait for the lock of the log";
        minimal_content: bool, Flag, Preset::Flag(false), Harmless, All("--minimal-content"),
            "Write results with four keys, without details";
        log_lint: bool, Flag, Preset::Flag(false), Harmless, All("--log-lint"),
            "Write lint findings into the log too";
        rejudge: bool, Flag, Preset::Flag(false), Up, All("--rejudge"),
            "Judge a known URL again when it is cited for something else";
        suspect_as: Option<String>, Word(&["unreliable"]), Unset, StarterOnly(why::BELIEVED), All("--suspect-as STATUS"),
            "Write suspect results as this status, marked `SUSPECT:`";
    }
}
