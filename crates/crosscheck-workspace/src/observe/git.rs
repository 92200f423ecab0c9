//! Calls git without letting the repository run programs of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crosscheck_process::git::ask as git;

/// The current commit of the project.
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
        // otherwise git writes the index when only the time of a file differs; names alone
        // would list such a file, numbers do not
        "-c",
        "diff.autoRefreshIndex=false",
        "diff",
        "--numstat",
        "-z",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames", // the old name differs as well
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
        let text = git(project, &args)?;
        let numbered = text
            .split('\0')
            .filter_map(|line| line.splitn(3, '\t').nth(2));
        files.extend(numbered.map(PathBuf::from));
    }
    files.extend(names(&git(
        project,
        &["ls-files", "--others", "--exclude-standard", "-z"],
    )?));
    Ok(files)
}

fn names(text: &str) -> impl Iterator<Item = PathBuf> + '_ {
    text.split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
}
