//! Flags over configuration over defaults.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck::config::{self, Config, ConfigError, LYCHEE_FILE, Lychee, Place};
use crosscheck::core::files::read_limited;
use crosscheck::fetch::{CacheSettings, FetchSettings};
use crosscheck::sources::settings::{Remap, Settings};
use regex::{RegexSet, RegexSetBuilder};

use crate::args::fetching::FetchingArgs;
use crate::args::sources::{Links, SourcesArgs};
use crate::failure::Failure;
use crate::settings::{fetching, folders_of, places, variable};

const LIST_MAX: u64 = 16 * 1024 * 1024;
/// Files of the project that leave URLs out.
pub(super) const IGNORE_FILES: [&str; 2] = [".crosscheckignore", ".lycheeignore"];
const REGEX_MAX: usize = 10 * 1024 * 1024;

/// Everything a run needs to know.
pub(super) struct Choices {
    pub(super) settings: Settings,
    pub(super) fetch: FetchSettings,
    pub(super) spot_check_rate: f64,
    /// The configuration, for the judge and for what does not count.
    pub(super) config: Config,
    /// What is said about the configuration of lychee.
    lychee: Option<String>,
    include: RegexSet,
    exclude: RegexSet,
    /// What a file of the project wants to leave out.
    ignored: RegexSet,
}

impl Choices {
    /// Whether this URL is to be checked.
    pub(super) fn wants(&self, url: &str) -> bool {
        (self.include.is_empty() || self.include.is_match(url)) && !self.exclude.is_match(url)
    }

    /// What of the configuration does not count.
    pub(super) fn notices(&self) -> Vec<String> {
        let ignored = self.config.notices().map(ToString::to_string);
        ignored.chain(self.lychee.clone()).collect()
    }

    /// Whether the project's list of exceptions names this URL.
    pub(super) fn is_ignored(&self, url: &str) -> bool {
        self.ignored.is_match(url)
    }
}

/// `read` is every document, and the log of a debate.
pub(super) fn choose(args: &SourcesArgs, read: &[&Path]) -> Result<Choices, Failure> {
    let mut settings = Settings::default();
    let mut fetch = FetchSettings::default();
    let misconfigured = |error: ConfigError| misconfigured(error.to_string());
    let mut places = places(Path::new("."), args.config.as_deref());
    places.documents = folders_of(read.iter().copied());
    let mut config = Config::load(&places).map_err(misconfigured)?;
    let lychee = lychee(args, &mut config)?;
    let table = config::sources(&config, &mut settings, &mut fetch).map_err(misconfigured)?;
    config::fetch(&config, &mut fetch).map_err(misconfigured)?;
    let include = [args.reading.include.clone(), table.include].concat();
    let exclude = [args.reading.exclude.clone(), table.exclude].concat();
    settings.pdf_reader = pdf_reader();
    apply_flags(args, &mut settings)?;
    settings.jobs = args.web.jobs.unwrap_or(settings.jobs);
    for rule in args.web.remap.chunks_exact(2) {
        if let [from, to] = rule {
            let rule = Remap::new(from, to);
            settings
                .remap
                .push(rule.map_err(|error| usage(&error.to_string()))?);
        }
    }
    settings
        .check()
        .map_err(|error| usage(&error.to_string()))?;
    fetching::apply(&args.web.fetching, &mut fetch)
        .map_err(|problem| Failure::usage(&problem, "correct the option"))?;
    fetch.cache = cache(&args.web.fetching, fetch.cache.take(), table.max_cache_age);
    let rate = args.debate.spot_check_rate.or(table.spot_check_rate);
    let rate = rate.unwrap_or(0.5);
    if !(0.0..=1.0).contains(&rate) {
        return Err(Failure::usage(
            "--spot-check-rate must lie between 0 and 1",
            "give a share such as 0.5",
        ));
    }
    Ok(Choices {
        settings,
        fetch,
        spot_check_rate: rate,
        config,
        lychee,
        ignored: ignored()?,
        include: patterns(&include, "--include")?,
        exclude: patterns(&exclude, "--exclude")?,
    })
}

fn apply_flags(args: &SourcesArgs, settings: &mut Settings) -> Result<(), Failure> {
    settings.topic.clone_from(&args.topic);
    settings.language.clone_from(&args.lang);
    settings.base_url.clone_from(&args.reading.base_url);
    settings.places = args.reading.links == Links::All;
    settings.rejudge = args.debate.rejudge;
    settings.suspect_as_unreliable = args.debate.suspect_as.is_some();
    settings.archive = args
        .judging
        .archive
        .clone()
        .or_else(|| settings.archive.take());
    settings.archive_404 |= args.judging.archive_404;
    settings.suggest |= args.judging.suggest;
    settings.search_fetch = args.judging.search_fetch;
    settings.probe_soft_404 = args.judging.probe_soft_404;
    settings.judge_bias = args.judging.judge_bias;
    if let Some(path) = &args.judging.unreliable_domains {
        let bare = |line: String| line.split('#').next().unwrap_or_default().trim().to_owned();
        let domains = lines_of(path)?.into_iter().map(bare);
        settings.unreliable_domains.extend(domains);
    }
    Ok(())
}

/// Folder and age of the cache, each from the command line before the files.
fn cache(
    web: &FetchingArgs,
    configured: Option<CacheSettings>,
    seconds: Option<f64>,
) -> Option<CacheSettings> {
    let age = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let folder = web
        .cache_dir
        .clone()
        .or_else(|| configured.map(|cache| cache.folder))?;
    let max_age = web
        .max_cache_age
        .or(age)
        .unwrap_or(Duration::from_hours(24));
    Some(CacheSettings { folder, max_age })
}

fn usage(problem: &str) -> Failure {
    Failure::usage(problem, "correct the option or the configuration file")
}

fn misconfigured(problem: impl AsRef<str>) -> Failure {
    Failure::usage(
        problem.as_ref(),
        "correct the configuration file, or name another one with --config",
    )
}

/// The configuration of lychee as a layer of ours, and what is not understood.
fn lychee(args: &SourcesArgs, config: &mut Config) -> Result<Option<String>, Failure> {
    let named = args.lychee_config.as_deref();
    let path = named.unwrap_or(Path::new(LYCHEE_FILE));
    if named.is_none() && (args.config.is_some() || !path.is_file()) {
        return Ok(None);
    }
    let bytes = bytes_of(path, LIST_MAX)?;
    let place = named.map_or(Place::Project, |_| Place::Named);
    let shown = path.display().to_string();
    let text = String::from_utf8_lossy(&bytes);
    match Lychee::of_text(place, &text, &shown, named.is_none()) {
        Ok(read) => {
            config.insert(read.layer);
            let unknown = read.unknown.join(", ");
            Ok((!unknown.is_empty()).then(|| {
                format!("{shown}: these keys are not understood and have no effect: {unknown}")
            }))
        }
        Err(error) if named.is_some() => Err(misconfigured(error.to_string())),
        Err(error) => Ok(Some(format!("{error}; the file has no effect"))),
    }
}

fn ignored() -> Result<RegexSet, Failure> {
    let mut all = Vec::new();
    for name in IGNORE_FILES {
        if Path::new(name).is_file() {
            let lines = lines_of(Path::new(name))?;
            patterns(&lines, name)?;
            all.extend(lines);
        }
    }
    patterns(&all, "the ignore files")
}

/// The lines of a list, without comments and blank ones.
fn lines_of(path: &Path) -> Result<Vec<String>, Failure> {
    let bytes = bytes_of(path, LIST_MAX)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

fn bytes_of(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    read_limited(path, limit)
        .map_err(|error| Failure::usage(&error.to_string(), "name a file that can be read"))
}

fn patterns(list: &[String], of: &str) -> Result<RegexSet, Failure> {
    RegexSetBuilder::new(list)
        .size_limit(REGEX_MAX)
        .build()
        .map_err(|error| {
            Failure::usage(
                &format!("{of}: a pattern is not a regular expression: {error}"),
                "correct the pattern",
            )
        })
}

/// The program itself reads PDFs, in a process of its own.
fn pdf_reader() -> Option<Vec<OsString>> {
    if !cfg!(feature = "pdf") {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    Some(vec![program.into_os_string(), OsString::from("pdf-text")])
}

/// The seed's variable for the folder of the debate.
pub(super) fn debate_folder() -> Option<PathBuf> {
    variable("DEBATE_OUTPUT_DIR").map(PathBuf::from)
}
