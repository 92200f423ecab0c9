//! Calls git without letting the repository run programs of its own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Ending, Program};

const TIME: Duration = Duration::from_mins(1);
const KEEP: usize = 64 << 20;

/// Variables that would point git to another repository, or make it start a
/// program.
const OVERRIDES: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_TRACE",
];

/// Settings that prevent git from running programs of the repository.
const HARMLESS: [(&str, &str); 3] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotepath", "off"),
];

/// Settings of a repository that name a program, or make git start one.
const PROGRAMS: &str = r"^(filter\..*|alias\..*|pager\..*|difftool\..*|mergetool\..*|browser\..*|man\..*|gpg\.(.*\.)?program|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|trailer\..*\.(command|cmd)|credential\.(.*\.)?helper|core\.(askpass|editor|pager|sshcommand|gitproxy|alternaterefscommand)|sequence\.editor|interactive\.difffilter|log\.showsignature|remote\..*\.(uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|hook\..*|tar\..*\.command|gpg\.ssh\.defaultkeycommand|submodule\..*\.update|protocol\.(ext\.)?allow|guitool\..*|sendemail\..*|imap\.tunnel|web\.browser|instaweb\..*)$";

/// Variables for another program that may call git in a project: git then
/// starts no hook, and none of the programs that the repository names.
pub fn harmless_variables(project: &Path) -> Vec<(String, String)> {
    let own = settings_of(project, PROGRAMS);
    let own = own
        .into_iter()
        .filter(|(scope, _)| matches!(scope.as_str(), "local" | "worktree"))
        .map(|(_, key)| (key, String::new()));
    let fixed = HARMLESS.iter().filter(|(key, _)| *key != "core.quotepath");
    let fixed = fixed.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    as_variables(&fixed.chain(own).collect::<Vec<_>>())
}

/// Settings that override those of every file.
fn as_variables(settings: &[(String, String)]) -> Vec<(String, String)> {
    let count = ("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string());
    let pairs = settings.iter().enumerate().flat_map(|(at, (key, value))| {
        [
            (format!("GIT_CONFIG_KEY_{at}"), key.clone()),
            (format!("GIT_CONFIG_VALUE_{at}"), value.clone()),
        ]
    });
    std::iter::once(count).chain(pairs).collect()
}

/// A repository that several questions are asked about.
#[derive(Debug)]
pub struct Git {
    project: PathBuf,
    settings: Vec<(String, String)>,
    has_filters: bool,
    time: Duration,
}

impl Git {
    /// Content filters of the user and the system stay on; those that the
    /// repository defines do not run.
    pub fn of(project: &Path) -> Self {
        Self::with(project, |scope| matches!(scope, "local" | "worktree"))
    }

    /// No content filter runs. Files that a filter would have changed may then
    /// look modified: see [`Git::has_filters`].
    pub fn without_filters(project: &Path) -> Self {
        Self::with(project, |_| true)
    }

    fn with(project: &Path, is_off: fn(&str) -> bool) -> Self {
        let filters = settings_of(project, r"^filter\.");
        let mut settings: Vec<(String, String)> = HARMLESS
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let off = filters.iter().filter(|(scope, _)| is_off(scope));
        settings.extend(off.map(|(_, key)| (key.clone(), String::new())));
        Self {
            project: project.to_owned(),
            settings,
            has_filters: !filters.is_empty(),
            time: TIME,
        }
    }

    /// Gives up after this time.
    #[must_use]
    pub const fn within(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Whether any content filter is configured.
    pub const fn has_filters(&self) -> bool {
        self.has_filters
    }

    /// Runs git with fixed arguments: no hook runs, nothing is fetched, no lock
    /// is taken.
    pub fn ask(&self, args: &[&str]) -> Result<String, String> {
        plain(&self.project, args, &self.settings, self.time)
    }

    /// The id of the commit that a name means: a branch before a tag, which
    /// anybody may push. An option is no name.
    pub fn commit(&self, name: &str) -> Result<String, String> {
        if name.is_empty() || name.starts_with('-') || name.contains(':') {
            return Err("it is not the name of a commit".to_owned());
        }
        let ask = |name: &str| {
            let name = format!("{name}^{{commit}}");
            self.ask(&["rev-parse", "--verify", "--quiet", &name])
        };
        let is_id = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let branches = ["refs/remotes", "refs/heads"].map(|place| format!("{place}/{name}"));
        let branch = branches.iter().find_map(|branch| ask(branch).ok());
        let branch = branch.filter(|_| !is_id && name != "HEAD");
        Ok(branch.map_or_else(|| ask(name), Ok)?.trim().to_owned())
    }
}

/// Runs one command, as [`Git::of`] does.
pub fn ask(project: &Path, args: &[&str]) -> Result<String, String> {
    Git::of(project).ask(args)
}

/// The configured settings whose name matches, each with its origin.
fn settings_of(project: &Path, pattern: &str) -> Vec<(String, String)> {
    let args = [
        "config",
        "--show-scope",
        "--name-only",
        "--null",
        "--get-regexp",
        pattern,
    ];
    let Ok(text) = plain(project, &args, &[], TIME) else {
        return Vec::new(); // git reports an error if there is none
    };
    let parts: Vec<&str> = text.split('\0').collect();
    parts
        .chunks_exact(2)
        .filter_map(|pair| match pair {
            [scope, key] => Some(((*scope).to_owned(), (*key).to_owned())),
            _ => None,
        })
        .collect()
}

fn plain(
    project: &Path,
    args: &[&str],
    settings: &[(String, String)],
    time: Duration,
) -> Result<String, String> {
    let git = crate::search::found_outside("git".as_ref(), project);
    let mut program = Program::new(git, project)
        .without(OVERRIDES)
        .args(["--no-optional-locks", "--no-pager"])
        .args(args)
        // Missing objects are not fetched: fetching could also start a program.
        .variable("GIT_NO_LAZY_FETCH", "1")
        // `git replace` would show other contents under the same name.
        .variable("GIT_NO_REPLACE_OBJECTS", "1")
        .variable("GIT_ALLOW_PROTOCOL", "none");
    for (name, value) in as_variables(settings) {
        program = program.variable(&name, value);
    }
    // `core.worktree` would make git look at other files
    let mut above = project.ancestors();
    if let Some(top) = above.find(|folder| folder.join(".git").exists()) {
        program = program.variable("GIT_WORK_TREE", top);
    }
    let ran = program
        .time_limit(Some(time))
        .keep(KEEP)
        .run()
        .map_err(|error| crosscheck_core::advice::with_causes(&error))?;
    match ran.ending {
        Ending::Exited(0) if ran.stdout.dropped() == 0 => Ok(ran.stdout.text()),
        Ending::Exited(0) => Err("git printed too much".to_owned()),
        Ending::TimedOut => Err("git took too long".to_owned()),
        Ending::Exited(_) | Ending::Signalled(_) | Ending::LeftRunning => {
            Err(crosscheck_core::text::one_line(&ran.stderr.end(400)))
        }
    }
}
