//! What a repository does not tell unless it is asked on purpose: files that
//! it was told not to look at, and remotes that are none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crosscheck_process::git::Git;

use super::files::changed_at;
use crate::place::Places;
use crate::relevance::is_code;

/// Files that git was told to take for unchanged, and that differ from the
/// last commit.
pub(super) fn unwatched(git: &Git, literal: &[String]) -> BTreeSet<String> {
    let mut args = vec!["ls-files", "-v", "-z", "--"];
    args.extend(literal.iter().map(String::as_str));
    let text = git.ask(&args).unwrap_or_default();
    let flagged = text.split('\0').filter_map(|line| {
        let (flag, path) = line.split_once(' ')?;
        (flag == "S" || flag.starts_with(|c: char| c.is_ascii_lowercase())).then_some(path)
    });
    let differs = |path: &&str| {
        let now = git.ask(&["hash-object", "--no-filters", "--", path]);
        let then = git.ask(&[
            "rev-parse",
            "--verify",
            "--quiet",
            &format!("HEAD:./{path}"),
        ]);
        now.is_ok_and(|now| then.as_ref().ok() != Some(&now))
    };
    flagged.filter(differs).map(str::to_owned).collect()
}

/// A source file that git leaves out by a rule which is younger than the
/// session, and the file with that rule.
pub(super) fn ignored_since(
    git: &Git,
    places: &Places,
    files: &BTreeSet<String>,
    started: i64,
) -> Option<(String, String)> {
    let there = |file: &&String| is_code(Path::new(file)) && places.root.join(file).is_file();
    let sources: Vec<&str> = files.iter().filter(there).map(String::as_str).collect();
    let mut args = vec!["check-ignore", "-v", "--"];
    args.extend(&sources);
    let text = git.ask(&args).ok().filter(|_| !sources.is_empty())?;
    // source:line:pattern, a tab, the file
    let mut rules = text.lines().filter_map(|line| {
        let (rule, file) = line.split_once('\t')?;
        Some((file, rule.split(':').next()?))
    });
    let is_young = |rule: &str| changed_at(&places.root.join(rule)) >= Some(started);
    let (file, rule) = rules.find(|(_, rule)| is_young(rule))?;
    Some((file.to_owned(), rule.to_owned()))
}

/// The folder of a remote on this machine that is younger than the session.
pub(super) fn own_remote(
    git: &Git,
    places: &Places,
    upstream: &str,
    started: i64,
) -> Option<PathBuf> {
    let (remote, _) = upstream.split_once('/')?;
    let url = git.ask(&["remote", "get-url", "--push", remote]).ok()?;
    let url = url.trim();
    let path = url.strip_prefix("file://").unwrap_or(url);
    let is_host = path
        .split('/')
        .next()
        .is_some_and(|first| first.contains(':'));
    let folder = Some(places.absolute(&places.root, path)).filter(|_| !is_host)?;
    let inner = folder.join(".git");
    let inner = if inner.is_dir() { &inner } else { &folder };
    let files = ["HEAD", "config", "description"].map(|name| inner.join(name));
    let times = files.iter().filter_map(|file| {
        let time = file.metadata().ok()?.modified().ok()?;
        let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_secs()).ok()
    });
    let oldest = times.min()?;
    (oldest >= started).then_some(folder)
}
