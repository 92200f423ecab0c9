//! `crosscheck sources`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};

/// Check that cited pages exist and say what they are cited for
///
/// With --log, checks the sources of a debate log: each result is told to the
/// Chair and appended to the log, once or, with --watch, for as long as the
/// debate goes on. With files, checks the citations of Markdown, JSON, JSON
/// Lines or text and prints a report. Only public addresses are contacted.
///
/// Exit codes: 0 everything verified or nothing to check, 1 something
/// fabricated or unreliable, 2 something could not be decided, 3 could not
/// run.
#[derive(Debug, Args)]
pub(crate) struct SourcesArgs {
    /// Documents to check; `-` reads standard input
    #[arg(value_name = "FILE", conflicts_with = "log")]
    pub(crate) inputs: Vec<PathBuf>,
    /// What the debate or document is about
    #[arg(long, value_name = "TEXT")]
    pub(crate) topic: Option<String>,
    /// Language of the claims
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub(crate) lang: String,
    /// Configuration in place of crosscheck.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) debate: DebateArgs,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Say less on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Say more on standard error
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// The debate and its Chair.
#[derive(Debug, Args)]
#[command(next_help_heading = "Debates")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct DebateArgs {
    /// Folder of the debate, or its debate-log.jsonl; default $`DEBATE_OUTPUT_DIR`
    #[arg(long, value_name = "PATH")]
    pub(crate) log: Option<PathBuf>,
    /// Only these entries, struck ones too
    #[arg(long, value_name = "N", num_args = 1.., conflicts_with = "watch")]
    pub(crate) seq: Vec<u64>,
    /// Follow the log until the debate ends
    #[arg(long)]
    pub(crate) watch: bool,
    /// Where the Chair's requests come from: `-`, a file or a FIFO
    #[arg(long, value_name = "PATH")]
    pub(crate) inbox: Option<PathBuf>,
    /// Read the inbox file from its start, not from its end
    #[arg(long)]
    pub(crate) inbox_from_start: bool,
    /// Take the Chair's requests by POST /messages
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Environment variable with the token that --listen asks for
    #[arg(long, value_name = "NAME")]
    pub(crate) listen_token_env: Option<String>,
    /// Where messages go: `-`, a file, `cmd:PROGRAM ARGS`, `http://127.0.0.1:PORT/…`
    #[arg(long, value_name = "CHANNEL", default_value = "-")]
    pub(crate) outbox: String,
    /// One JSON object for each message, or its text alone
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) outbox_format: MessageFormat,
    /// The outbox may be on another machine
    #[arg(long)]
    pub(crate) allow_remote_outbox: bool,
    /// Share of sources checked unasked while following; default 0.5
    #[arg(long, value_name = "SHARE")]
    pub(crate) spot_check_rate: Option<f64>,
    /// Seconds an entry waits for a notification of the Chair
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = time)]
    pub(crate) grace: Duration,
    /// End after the Chair's conclusion
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub(crate) exit_on_conclusion: bool,
    /// Seconds to wait for the lock of the log
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = time)]
    pub(crate) lock_timeout: Duration,
    /// Write results with four keys, without details
    #[arg(long)]
    pub(crate) minimal_content: bool,
    /// Write lint findings into the log too
    #[arg(long)]
    pub(crate) log_lint: bool,
    /// Judge a known URL again when it is cited for something else
    #[arg(long)]
    pub(crate) rejudge: bool,
    /// Write suspect results as this status, marked `SUSPECT:`
    #[arg(long, value_enum)]
    pub(crate) suspect_as: Option<SuspectAs>,
}

/// What counts as support.
#[derive(Debug, Args)]
#[command(next_help_heading = "Judging")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct JudgingArgs {
    /// File with domains that you call unreliable, one on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) unreliable_domains: Option<PathBuf>,
    /// Where archived copies are found, with `{url}` or `{url_encoded}`
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) archive: Option<String>,
    /// A missing page with an archived copy is suspect, not fabricated
    #[arg(long)]
    pub(crate) archive_404: bool,
    /// Judge search results on their page, not on their snippet
    #[arg(long)]
    pub(crate) search_fetch: bool,
    /// Ask each site for a page that cannot exist, to know its way of saying so
    #[arg(long)]
    pub(crate) probe_soft_404: bool,
    /// Believe a model judge that calls a source biased
    #[arg(long)]
    pub(crate) judge_bias: bool,
    /// Who says whether a page supports a claim
    #[arg(long, value_enum, default_value = "builtin")]
    pub(crate) judge: JudgeName,
    /// Judge command and its arguments, up to a lone `;` or the end; `{prompt}` becomes the question
    #[arg(long, value_name = "ARGV", num_args = 1.., value_terminator = ";", allow_hyphen_values = true)]
    pub(crate) judge_command: Vec<String>,
    /// Base URL of an OpenAI-compatible endpoint
    #[arg(long, value_name = "URL")]
    pub(crate) judge_url: Option<String>,
    /// Model of the endpoint
    #[arg(long, value_name = "NAME")]
    pub(crate) judge_model: Option<String>,
    /// Environment variable that holds the key of the endpoint
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) judge_api_key_env: Option<String>,
    /// Ask the endpoint for structured output
    #[arg(long)]
    pub(crate) judge_structured: bool,
    /// Seconds for one question
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = time)]
    pub(crate) judge_timeout: Duration,
    /// Who answers when the model judge fails
    #[arg(long, value_enum, value_name = "JUDGE")]
    pub(crate) judge_fallback: Option<Builtin>,
    /// Ask the model only where this judge is unclear
    #[arg(long, value_enum, value_name = "JUDGE")]
    pub(crate) judge_first: Option<Builtin>,
    /// Folder of remembered answers of a model judge
    #[arg(long, value_name = "DIR")]
    pub(crate) judge_cache: Option<PathBuf>,
}

/// How documents are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Documents")]
pub(crate) struct ReadingArgs {
    /// How documents are read; default by their names
    #[arg(long, value_enum)]
    pub(crate) input_format: Option<InputFormat>,
    /// Read code blocks too
    #[arg(long)]
    pub(crate) include_code: bool,
    /// Leave DOI, arXiv and PMID forms alone
    #[arg(long)]
    pub(crate) no_identifiers: bool,
    /// Only URLs that match this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) include: Vec<String>,
    /// No URLs that match this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) exclude: Vec<String>,
    /// List what would be checked, and check nothing
    #[arg(long)]
    pub(crate) dump: bool,
}

/// What is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// How to print the report; default human
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) format: Option<crosscheck_render::Format>,
    /// Write the report into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the JSON report of a debate into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write lint findings into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) lint_out: Option<PathBuf>,
    /// From where on the exit code is 1
    #[arg(long, value_enum, default_value = "unreliable")]
    pub(crate) fail_on: Border,
}

/// How pages are fetched.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fetching")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct WebArgs {
    /// Checks at the same time; default 4
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Requests to one host at the same time; default 2
    #[arg(long, value_name = "N")]
    pub(crate) host_concurrency: Option<usize>,
    /// Seconds between two requests to one host; default 0.5
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    pub(crate) host_request_interval: Option<Duration>,
    /// Seconds for one request; default 20
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    pub(crate) timeout: Option<Duration>,
    /// Seconds before the one retry; default 5
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    pub(crate) retry_wait: Option<Duration>,
    /// Redirects followed; default 5
    #[arg(long, value_name = "N")]
    pub(crate) max_redirects: Option<usize>,
    /// Bytes of a page after decoding; default 5242880
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_body: Option<usize>,
    /// Statuses that count as 200, for example `200..=299,403`
    #[arg(long, value_name = "CODES")]
    pub(crate) accept: Option<String>,
    /// Contact private addresses and local names too
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Contact addresses of this network too
    #[arg(long, value_name = "NET")]
    pub(crate) allow_cidr: Vec<String>,
    /// Follow redirects from https to http
    #[arg(long)]
    pub(crate) allow_downgrade: bool,
    /// Refuse http
    #[arg(long)]
    pub(crate) require_https: bool,
    /// Obey robots.txt
    #[arg(long)]
    pub(crate) robots: bool,
    /// Header for the cited sites, as `Name: value`
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// The User-Agent header
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,
    /// Send `user:password@` of cited URLs
    #[arg(long)]
    pub(crate) send_url_credentials: bool,
    /// Use the proxies of the environment
    #[arg(long)]
    pub(crate) use_proxy_env: bool,
    /// Keep pages in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Seconds a kept page is good; default 86400
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    pub(crate) max_cache_age: Option<Duration>,
    /// Contact nobody
    #[arg(long)]
    pub(crate) offline: bool,
    /// Address for a host and port, as `host:port:address`
    #[arg(long, value_name = "HOST:PORT:ADDR", value_parser = pinned)]
    pub(crate) resolve: Vec<Pinned>,
    /// JSON file with answers of a name server, for tests
    #[arg(long, value_name = "FILE")]
    pub(crate) dns_fixture: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageFormat {
    /// One JSON object on a line
    Json,
    /// The text alone
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeName {
    /// Offline, by words, names and numbers
    Builtin,
    /// A program that is asked once per question
    Command,
    /// An OpenAI-compatible endpoint
    Http,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Builtin {
    /// The built-in judge
    Builtin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuspectAs {
    /// For readers that know three words
    Unreliable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// Links, footnotes, lists of sources
    Markdown,
    /// One JSON object on each line
    Jsonl,
    /// One JSON value
    Json,
    /// Bare URLs and lists of sources
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Border {
    /// Only fabricated sources
    Fabricated,
    /// Fabricated and unreliable ones
    Unreliable,
    /// Everything that is not verified
    Suspect,
    /// As unreliable, and lint findings too
    Lint,
}

/// An address for a host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pinned {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) address: IpAddr,
}

/// `5`, `0.5`, `5s` or `500ms`.
fn time(text: &str) -> Result<Duration, String> {
    let (number, scale) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1000.0),
        (None, Some(number)) => (number, 1.0),
        (None, None) => (text, 1.0),
    };
    let value: f64 = number
        .trim()
        .parse()
        .map_err(|_| "a number of seconds is wanted".to_owned())?;
    Duration::try_from_secs_f64(value / scale).map_err(|error| error.to_string())
}

fn pinned(text: &str) -> Result<Pinned, String> {
    let mut parts = text.splitn(3, ':');
    let parsed = (|| {
        let host = parts.next()?.to_ascii_lowercase();
        let port = parts.next()?.parse().ok()?;
        let address = parts.next()?.trim_matches(['[', ']']).parse().ok()?;
        Some(Pinned {
            host,
            port,
            address,
        })
    })();
    parsed.ok_or_else(|| "host:port:address is wanted".to_owned())
}

fn format(text: &str) -> Result<crosscheck_render::Format, String> {
    text.parse()
        .map_err(|error: crosscheck_render::UnknownFormat| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_say_what_they_are() {
        for (text, millis) in [
            ("5", 5000),
            ("0.5", 500),
            ("2s", 2000),
            ("250ms", 250),
            ("0", 0),
        ] {
            assert_eq!(time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "-1", "soon", "1e400"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pinned_addresses_name_host_port_and_address() {
        let pin = pinned("A.example:443:[::1]").unwrap();
        assert_eq!((pin.host.as_str(), pin.port), ("a.example", 443));
        assert!(pinned("a.example:443").is_err());
    }
}
