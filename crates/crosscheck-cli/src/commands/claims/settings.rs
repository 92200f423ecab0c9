//! Flags over environment over `[claims]`, `[judge]` and `[fetch]` over defaults.

use std::path::{Path, PathBuf};

use crosscheck::claims::plan::Selection;
use crosscheck::claims::read::Settings;
use crosscheck::claims::{
    EvidenceMode, OnUnclear, Options, QuoteLevel, Rate, Risk, Tools, below, default_jobs,
};
use crosscheck::config::{self, Config, ConfigError};
use crosscheck::core::advice::with_causes;
use crosscheck::fetch::{FetchSettings, Guard};
use crosscheck::render::Format;

use crate::args::asking::JudgeWord;
use crate::args::claims::ClaimsArgs;
use crate::args::is_given;
use crate::ledger::Recorder;
use crate::settings::asking::Asking;
use crate::settings::{cache_folder, fetching, folders_of, places};
use crosscheck::judge::JudgeKind;

/// Everything a run needs to know.
pub(super) struct Choices {
    pub(super) options: Options,
    pub(super) tools: Tools,
    pub(super) persist: bool,
    pub(super) recorder: Recorder,
    /// What is said about files that are not read.
    pub(super) left_out: Vec<String>,
}

/// The options that `cf-verify` refuses. An agent that may call it without
/// being asked each time must not gain more by it than a look at files of the
/// project: it starts no program, sends no text anywhere, reads nothing else,
/// and writes nothing but reports.
pub(super) const NOT_FOR_AGENTS: [&str; 26] = [
    "root",
    "output",
    "details",
    "allow-path",
    "allow-outside-root",
    "judge-command",
    "judge-url",
    "judge-api-key-env",
    "judge-replay",
    "judge-cache",
    "search-command",
    "config",
    "ledger",
    "allow-private",
    "allow-cidr",
    "header",
    "host-header",
    "basic-auth",
    "cache-dir",
    "max-cache-age",
    "resolve",
    "dns-fixture",
    "accept",
    "allow-downgrade",
    "send-url-credentials",
    "use-proxy-env",
];

/// The option that would make `cf-verify` easier to satisfy than the user's own
/// settings do, or than it is by default.
fn loosened(args: &ClaimsArgs, configured: &Options) -> Option<&'static str> {
    const fn strictness(unclear: OnUnclear) -> u8 {
        match unclear {
            OnUnclear::Pass => 0,
            OnUnclear::Auto => 1,
            OnUnclear::Partial => 2,
            OnUnclear::Fail => 3,
        }
    }
    let rate = args.sample_rate.as_deref().and_then(Rate::parse);
    let risk = args.risk.map_or(configured.risk, Into::into);
    let defaults = Settings::default();
    let least = configured.sample_rate.as_ref();
    let lowers = rate.is_some_and(|rate| rate.is_below(least.unwrap_or(defaults.rate(risk))));
    // the risk is the agent's to name, unless the user asks for more
    let lowers_risk = configured.risk == Risk::High && risk != Risk::High;
    let quotes = args.quote_match.map(QuoteLevel::from);
    let unclear = args.on_unclear.map(OnUnclear::from);
    let selection = args.select.map(Selection::from);
    let mode = args.evidence_mode.map(EvidenceMode::from);
    [
        (lowers, "--sample-rate"),
        (lowers_risk, "--risk"),
        (
            configured.selection == Selection::All
                && selection.is_some_and(|it| it != Selection::All),
            "--select",
        ),
        (
            configured.evidence_mode == EvidenceMode::All && mode == Some(EvidenceMode::Any),
            "--evidence-mode",
        ),
        (
            args.line_slack
                .is_some_and(|lines| lines > configured.line_slack),
            "--line-slack",
        ),
        (
            quotes.is_some_and(|level| level > configured.quote_level),
            "--quote-match",
        ),
        (
            unclear.is_some_and(|it| strictness(it) < strictness(configured.on_unclear)),
            "--on-unclear",
        ),
    ]
    .into_iter()
    .find_map(|(loosens, option)| loosens.then_some(option))
}

fn refuse_to_agents(args: &ClaimsArgs) -> Result<(), String> {
    let asks_a_model = args
        .asking
        .judge
        .as_ref()
        .is_some_and(|judge| *judge != JudgeWord::Kind(JudgeKind::Builtin));
    let mut refused = NOT_FOR_AGENTS.into_iter().filter(|option| is_given(option));
    match Some("judge")
        .filter(|_| asks_a_model)
        .or_else(|| refused.next())
    {
        Some(option) => Err(format!(
            "--{option} is not for `cf-verify`, which agents call; use `crosscheck claims --{option}`"
        )),
        None => Ok(()),
    }
}

pub(super) fn choose(args: &ClaimsArgs, root: &Path) -> Result<Choices, String> {
    if args.by_agent {
        refuse_to_agents(args)?;
    }
    let wrong = |error: ConfigError| error.to_string();
    let mut places = places(root, args.config.as_deref());
    let documents: Vec<PathBuf> = args
        .result
        .iter()
        .chain(&args.batch)
        .map(|name| root.join(name))
        .filter(|path| path.exists())
        .collect();
    places.documents = folders_of(documents.iter().map(PathBuf::as_path));
    let config = Config::load(&places).map_err(wrong)?;
    let named = args.record.ledger.as_deref();
    let recorder = Recorder::configured(named, &config, root)
        .map_err(|failure| failure.message().to_owned())?;
    let asking = Asking::choose(&args.asking, &config)?;
    let mut options = Options {
        jobs: default_jobs(),
        ..Options::new(root.to_owned())
    };
    let raw = config::claims(&config, &mut options).map_err(wrong)?;
    if let Some(option) = loosened(args, &options).filter(|_| args.by_agent) {
        return Err(format!(
            "{option} may only tighten what is configured in `cf-verify`, which agents call; use `crosscheck claims`"
        ));
    }
    apply(args, &mut options)?;
    options.views |= recorder.is_on();
    options.notices = config.notices().map(ToString::to_string).collect();
    // File text leaves the machine with a model, so it stays in the root then.
    options.confined = (options.confined || asking.is_model()) && !args.allow_outside_root;
    if asking.has_budget() {
        // With a budget the order of questions matters, so they are put one after the other.
        options.jobs = 1;
    }
    let mut fetch = FetchSettings::default();
    config::fetch(&config, &mut fetch).map_err(wrong)?;
    if args.by_agent {
        // nor does a variable or the user's file widen it
        fetch.guard = Guard::default();
        options.confined = true;
        options.allow_paths = Vec::new();
        options.hides_private = true;
    }
    fetch.offline = options.offline;
    fetching::apply(&args.fetching, &mut fetch)?;
    let search = if args.search_command.is_empty() {
        raw.search_command.unwrap_or_default()
    } else {
        args.search_command.clone()
    };
    let remembered = cache_folder(root).map(|folder| folder.join("judge"));
    let judge = asking.judge(root, remembered, options.offline)?;
    Ok(Choices {
        options,
        tools: Tools::new(judge, fetch, search, root),
        recorder,
        left_out: Vec::new(),
        persist: raw.persist.unwrap_or(true) && !args.no_persist,
    })
}

/// Puts the flags over what is configured.
fn apply(args: &ClaimsArgs, options: &mut Options) -> Result<(), String> {
    fn put<T>(place: &mut T, value: Option<impl Into<T>>) {
        if let Some(value) = value {
            *place = value.into();
        }
    }
    if let Some(text) = &args.sample_rate {
        let wrong = || format!("--sample-rate: `{text}` is not a number from 0 to 1");
        options.sample_rate = Some(Rate::parse(text).ok_or_else(wrong)?);
    }
    put(&mut options.risk, args.risk);
    put(&mut options.selection, args.select);
    if args.seed.is_some() {
        options.seed.clone_from(&args.seed);
    }
    if args.by_agent {
        options.seed = None; // whoever wrote the document does not choose the sample
    }
    put(&mut options.evidence_mode, args.evidence_mode);
    put(&mut options.quote_level, args.quote_match);
    put(&mut options.line_slack, args.line_slack);
    put(&mut options.on_unclear, args.on_unclear);
    put(&mut options.max_file_bytes, args.max_file_bytes);
    put(&mut options.max_snippet_bytes, args.max_snippet_bytes);
    put(&mut options.jobs, args.jobs);
    options.jobs = options.jobs.max(1);
    options.strict_hash |= args.strict_hash;
    options.strict_schema |= args.strict_schema;
    options.confined |= args.confine;
    options.extended |= args.extended;
    options.offline |= args.fetching.offline;
    options.allow_paths.extend(args.allow_path.iter().cloned());
    options.read_settings = !args.ignore_settings;
    options.details = args.details.is_some();
    options.views = args.format != Format::Json;
    Ok(())
}

/// Where `cf-verify` may write a report that the agent names: a new `.json`
/// file of the project or an earlier report, in no hidden folder but its own.
pub(super) fn check_out_of_agent(root: &Path, out: &Path) -> Result<(), String> {
    const OWN_FOLDER: &str = ".claude/context-firewall";
    let refuse = |why: &str| Err(format!("--out: {why}: {}", out.display()));
    let path = match below(root, out) {
        Ok(path) => path,
        Err(error) => return Err(format!("--out: {}", with_causes(&error))),
    };
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let inside = path.strip_prefix(&root).unwrap_or(&path);
    let is_hidden = |path: &Path| {
        path.iter()
            .any(|part| part.as_encoded_bytes().starts_with(b"."))
    };
    if inside.extension().is_none_or(|ending| ending != "json") {
        return refuse("the name must end in .json");
    }
    if is_hidden(inside.strip_prefix(OWN_FOLDER).unwrap_or(inside)) {
        return refuse("hidden files and folders are refused");
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line knows the working folder"
)]
pub(super) fn project_root(named: Option<&Path>) -> Result<PathBuf, String> {
    let here = std::env::current_dir()
        .map_err(|error| format!("the current folder cannot be used: {error}"))?;
    Ok(named.map_or(here.clone(), |root| here.join(root)))
}
