//! Flags over configuration over defaults.

use std::path::{Path, PathBuf};

use crosscheck::config::{self, Config};
use crosscheck::core::files::read_limited;
use crosscheck::fetch::FetchSettings;
use crosscheck::sources::settings::Settings;
use regex::{RegexSet, RegexSetBuilder};

use crate::args::sources::SourcesArgs;
use crate::failure::Failure;
use crate::settings::{folders_of, misconfigured, pdf_reader, places, variable};

const LIST_MAX: u64 = 16 * 1024 * 1024;
/// Files of the project that leave URLs out.
pub(super) const IGNORE_FILES: [&str; 2] = [".crosscheckignore", ".lycheeignore"];
const REGEX_MAX: usize = 10 * 1024 * 1024;

/// Everything a run needs to know.
pub(super) struct Choices {
    pub(super) settings: Settings,
    pub(super) fetch: FetchSettings,
    /// The configuration, for the judge and for what does not count.
    pub(super) config: Config,
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
        self.config.notices().map(ToString::to_string).collect()
    }

    /// Whether the project's list of exceptions names this URL.
    pub(super) fn is_ignored(&self, url: &str) -> bool {
        self.ignored.is_match(url)
    }
}

/// `read` is every document, and the log of a debate.
pub(super) fn choose(args: &SourcesArgs, read: &[&Path]) -> Result<Choices, Failure> {
    let mut places = places(Path::new("."), args.config.as_deref());
    places.documents = folders_of(read.iter().copied());
    let mut config = Config::load(&places).map_err(|error| misconfigured(&error))?;
    config.insert(args.layer());
    let mut settings = config::sources(&config).map_err(|error| misconfigured(&error))?;
    let fetch = config::web(&config, &variable).map_err(|error| misconfigured(&error))?;
    if let Some(path) = settings.unreliable_domains_file.clone() {
        let bare = |line: String| line.split('#').next().unwrap_or_default().trim().to_owned();
        let domains = lines_of(Path::new(&path))?.into_iter().map(bare);
        settings.unreliable_domains.extend(domains);
    }
    settings.pdf_reader = pdf_reader();
    Ok(Choices {
        ignored: ignored()?,
        include: patterns(&settings.include, "--include")?,
        exclude: patterns(&settings.exclude, "--exclude")?,
        settings,
        fetch,
        config,
    })
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

/// The seed's variable for the folder of the debate.
pub(super) fn debate_folder() -> Option<PathBuf> {
    variable("DEBATE_OUTPUT_DIR").map(PathBuf::from)
}
