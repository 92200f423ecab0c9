//! Asking git, without letting the repository run anything of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_process::{Ending, Program};

const TIME: Duration = Duration::from_mins(1);
const KEEP: usize = 64 << 20;

/// The commit the project stands on.
pub fn head(project: &Path) -> Option<String> {
    let text = git(
        project,
        &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
    )
    .ok()?;
    Some(text.trim().to_owned())
}

/// Files below the project that differ from a commit: committed, staged, in
/// the work tree, or untracked.
pub fn changed_files(project: &Path, base: &str) -> Result<BTreeSet<PathBuf>, String> {
    let commit = git(
        project,
        &[
            "rev-parse",
            "--verify",
            "--quiet",
            &format!("{base}^{{commit}}"),
        ],
    )
    .map_err(|why| {
        if why.is_empty() {
            format!("no such commit: {base}")
        } else {
            why
        }
    })?;
    let commit = commit.trim();
    let diff = [
        "diff",
        "--name-only",
        "-z",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames", // the old name differs, too
        "--ignore-submodules=dirty",
        "--relative",
    ];
    let mut files = BTreeSet::new();
    for cached in [&[][..], &["--cached"]] {
        let args: Vec<&str> = diff
            .iter()
            .chain(cached)
            .copied()
            .chain([commit, "--"])
            .collect();
        files.extend(names(&git(project, &args)?));
    }
    files.extend(names(&git(
        project,
        &["ls-files", "--others", "--exclude-standard", "-z"],
    )?));
    Ok(files)
}

/// Files that git tracks or would track, below the project.
pub(super) fn known_files(project: &Path) -> Result<Vec<PathBuf>, String> {
    let args = [
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--deduplicate",
        "-z",
    ];
    git(project, &args).map(|text| names(&text).collect())
}

fn names(text: &str) -> impl Iterator<Item = PathBuf> + '_ {
    text.split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
}

/// Settings under which no program of the repository runs.
const HARMLESS: [(&str, &str); 3] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotepath", "off"),
];

fn git(project: &Path, args: &[&str]) -> Result<String, String> {
    let mut settings: Vec<(String, String)> = HARMLESS
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    settings.extend(filters(project).into_iter().map(|key| (key, String::new())));
    ask(project, args, &settings)
}

/// The content filters that the repository itself brings: programs that git
/// would run on changed files. Those of the user and the machine stay.
fn filters(project: &Path) -> Vec<String> {
    let args = [
        "config",
        "--show-scope",
        "--name-only",
        "--null",
        "--get-regexp",
        r"^filter\.",
    ];
    let Ok(text) = ask(project, &args, &[]) else {
        return Vec::new(); // none is an error to git
    };
    let parts: Vec<&str> = text.split('\0').collect();
    parts
        .chunks_exact(2)
        .filter_map(|pair| match pair {
            ["local" | "worktree", key] => Some((*key).to_owned()),
            _ => None,
        })
        .collect()
}

fn ask(project: &Path, args: &[&str], settings: &[(String, String)]) -> Result<String, String> {
    let mut program = Program::new("git", project)
        .args(["--no-optional-locks", "--no-pager"])
        .args(args)
        // Missing objects are not fetched: that, too, could start a program.
        .variable("GIT_NO_LAZY_FETCH", "1")
        .variable("GIT_ALLOW_PROTOCOL", "none")
        .variable("GIT_CONFIG_COUNT", settings.len().to_string());
    for (at, (key, value)) in settings.iter().enumerate() {
        program = program
            .variable(&format!("GIT_CONFIG_KEY_{at}"), key)
            .variable(&format!("GIT_CONFIG_VALUE_{at}"), value);
    }
    let ran = program
        .time_limit(Some(TIME))
        .keep(KEEP)
        .run()
        .map_err(|error| crosscheck_core::advice::with_causes(&error))?;
    match ran.ending {
        Ending::Exited(0) if ran.stdout.dropped() == 0 => Ok(ran.stdout.text()),
        Ending::Exited(0) => Err("git printed too much".to_owned()),
        Ending::TimedOut => Err("git took too long".to_owned()),
        Ending::Exited(_) | Ending::Signalled(_) => {
            Err(crosscheck_core::text::one_line(&ran.stderr.end(400)))
        }
    }
}
