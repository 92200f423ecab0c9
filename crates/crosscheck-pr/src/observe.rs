//! What git shows: the diff, both trees, commits and script files. Only plumbing commands are
//! asked; nothing is checked out, and no program of the repository or its settings runs.

mod patch;

use std::collections::{BTreeMap, BTreeSet};

use crosscheck_process::git::Git;

use crate::read::{Claim, ClaimKind, Subject};
use crate::{PrError, PrText};
pub(crate) use patch::{DiffLine, Patch};

/// Commits whose messages are read.
const MAX_COMMITS: usize = 250;

/// Script files that are read.
const MAX_SCRIPT_FILES: usize = 50;

/// git's name of the tree without files: what a first commit is compared with.
const EMPTY_TREES: [(usize, &str); 2] = [
    (40, "4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
    (
        64,
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    ),
];

/// Two commits, the older first.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Range {
    /// For people: `1a2b3c4d..5e6f7a8b`.
    pub(crate) fn shown(&self) -> String {
        let short = |id: &str| id.get(..8).unwrap_or(id).to_owned();
        format!("{}..{}", short(&self.before), short(&self.after))
    }
}

/// A commit whose message is checked against its own diff.
pub(crate) struct Commit {
    pub(crate) range: Range,
    pub(crate) text: PrText,
}

/// The commits of a range, as far as they are read.
pub(crate) struct Commits {
    pub(crate) read: Vec<Commit>,
    pub(crate) left_out: usize,
}

/// How one file changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) status: Status,
    pub(crate) path: String,
    /// The path before a rename.
    pub(crate) old_path: Option<String>,
    /// Added and removed lines; a binary file has none.
    pub(crate) lines: Option<(u64, u64)>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Added,
    Deleted,
    Modified,
    Renamed,
}

/// Where a commit id leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommitSeen {
    InRange,
    Elsewhere,
    Missing,
}

/// Everything that the claims about one range need.
pub(crate) struct Facts {
    pub(crate) changes: Vec<Change>,
    pub(crate) before: BTreeSet<String>,
    pub(crate) after: BTreeSet<String>,
    /// The lines, or why there are none.
    pub(crate) patch: Result<Patch, String>,
    pub(crate) commits: BTreeMap<String, CommitSeen>,
    /// Files that declare scripts, with their text.
    pub(crate) scripts: Vec<(String, String)>,
}

/// The range from the last common commit to the head.
pub(crate) fn range(git: &Git, base: &str, head: &str) -> Result<Range, PrError> {
    git.ask(&["rev-parse", "--git-dir"])
        .map_err(PrError::NoRepository)?;
    let is_shallow = git
        .ask(&["rev-parse", "--is-shallow-repository"])
        .is_ok_and(|answer| answer.trim() == "true");
    let commit = |name: &str| {
        let missing = || PrError::NoCommit {
            name: name.to_owned(),
            is_shallow,
        };
        git.commit(name).map_err(|_| missing())
    };
    let (old, after) = (commit(base)?, commit(head)?);
    let common = git.ask(&["merge-base", &old, &after]);
    let common = common.map_err(|_| PrError::NoCommonCommit {
        base: base.to_owned(),
        head: head.to_owned(),
        is_shallow,
    })?;
    Ok(Range {
        before: common.trim().to_owned(),
        after,
    })
}

/// The commits of a range, the oldest first, without merges.
pub(crate) fn commits(git: &Git, range: &Range) -> Result<Commits, PrError> {
    let span = format!("{}..{}", range.before, range.after);
    let listed = git.ask(&["rev-list", "--reverse", "--no-merges", &span]);
    let listed = listed.map_err(PrError::Git)?;
    let ids: Vec<&str> = listed.lines().collect();
    let read = ids.iter().take(MAX_COMMITS);
    Ok(Commits {
        read: read
            .map(|id| commit(git, id))
            .collect::<Result<Vec<_>, PrError>>()?,
        left_out: ids.len().saturating_sub(MAX_COMMITS),
    })
}

fn commit(git: &Git, id: &str) -> Result<Commit, PrError> {
    let object = git.ask(&["cat-file", "commit", id]).map_err(PrError::Git)?;
    let (header, message) = object.split_once("\n\n").unwrap_or((&object, ""));
    let mut parents = header
        .lines()
        .filter_map(|line| line.strip_prefix("parent "));
    let empty = EMPTY_TREES.iter().find(|(length, _)| *length == id.len());
    let empty = empty.map_or("", |(_, tree)| tree);
    Ok(Commit {
        range: Range {
            before: parents.next().unwrap_or(empty).to_owned(),
            after: id.to_owned(),
        },
        text: PrText {
            name: format!("commit {}", id.get(..8).unwrap_or(id)),
            text: message.to_owned(),
        },
    })
}

/// Looks at everything that these claims need.
pub(crate) fn facts(git: &Git, range: &Range, claims: &[Claim]) -> Result<Facts, PrError> {
    let after = tree(git, &range.after)?;
    let is_asked = |kind: ClaimKind| claims.iter().any(|claim| claim.kind == kind);
    Ok(Facts {
        changes: changes(git, range)?,
        before: tree(git, &range.before)?,
        patch: diff(git, range, &["-p", "-U0"]).map(|text| Patch::read(&text)),
        commits: if is_asked(ClaimKind::CommitIncluded) || is_asked(ClaimKind::CommitExists) {
            seen_commits(git, range, claims)?
        } else {
            BTreeMap::new()
        },
        scripts: if is_asked(ClaimKind::ScriptExists) {
            script_files(git, range, &after)
        } else {
            Vec::new()
        },
        after,
    })
}

fn tree(git: &Git, id: &str) -> Result<BTreeSet<String>, PrError> {
    let listed = git.ask(&["ls-tree", "-r", "-z", "--full-tree", "--name-only", id]);
    let listed = listed.map_err(PrError::Git)?;
    let paths = listed.split('\0').filter(|path| !path.is_empty());
    Ok(paths.map(str::to_owned).collect())
}

/// One form of the diff, with renames, as git makes it without settings.
fn diff(git: &Git, range: &Range, form: &[&str]) -> Result<String, String> {
    let mut args = vec!["diff-tree", "-r", "-M", "--no-color", "--no-ext-diff"];
    args.extend(["--no-textconv", "--ignore-submodules=none"]);
    args.extend(["--src-prefix=a/", "--dst-prefix=b/", "--full-index"]);
    args.extend(form);
    args.extend([range.before.as_str(), range.after.as_str()]);
    git.ask(&args)
}

fn changes(git: &Git, range: &Range) -> Result<Vec<Change>, PrError> {
    let raw = diff(git, range, &["--raw", "-z"]).map_err(PrError::Git)?;
    // a clone without all contents still knows which files differ
    let counts = diff(git, range, &["--numstat", "-z"]).unwrap_or_default();
    let counts = numstat(&counts);
    let mut fields = raw.split('\0').filter(|field| !field.is_empty());
    let mut found = Vec::new();
    while let Some(head) = fields.next() {
        let letter = head.rsplit(' ').next().unwrap_or_default().chars().next();
        let status = match letter {
            Some('A') => Status::Added,
            Some('D') => Status::Deleted,
            Some('R' | 'C') => Status::Renamed,
            _ => Status::Modified,
        };
        let Some(first) = fields.next() else { break };
        let (old_path, path) = match status {
            Status::Renamed => (Some(first), fields.next().unwrap_or(first)),
            _ => (None, first),
        };
        found.push(Change {
            status,
            path: path.to_owned(),
            old_path: old_path.map(str::to_owned),
            lines: counts.get(path).copied().flatten(),
        });
    }
    Ok(found)
}

/// Added and removed lines by path; the path of a rename is the new one.
fn numstat(text: &str) -> BTreeMap<String, Option<(u64, u64)>> {
    let mut fields = text.split('\0').filter(|field| !field.is_empty());
    let mut found = BTreeMap::new();
    while let Some(field) = fields.next() {
        let mut parts = field.splitn(3, '\t');
        let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok());
        let lines = number().zip(number());
        let path = match parts.next() {
            // the old and the new path follow
            None | Some("") => fields.nth(1),
            path => path,
        };
        if let Some(path) = path {
            found.insert(path.to_owned(), lines);
        }
    }
    found
}

fn seen_commits(
    git: &Git,
    range: &Range,
    claims: &[Claim],
) -> Result<BTreeMap<String, CommitSeen>, PrError> {
    let span = format!("{}..{}", range.before, range.after);
    let listed = git.ask(&["rev-list", &span]).map_err(PrError::Git)?;
    let mut found = BTreeMap::new();
    for claim in claims {
        let is_commit = matches!(
            claim.kind,
            ClaimKind::CommitIncluded | ClaimKind::CommitExists
        );
        let Subject::Name(name) = &claim.subject else {
            continue;
        };
        if !is_commit {
            continue;
        }
        let id = name.text.as_str();
        let seen = if listed.lines().any(|commit| commit.starts_with(id)) {
            CommitSeen::InRange
        } else if git
            .ask(&[
                "rev-parse",
                "--verify",
                "--quiet",
                &format!("{id}^{{commit}}"),
            ])
            .is_ok()
        {
            CommitSeen::Elsewhere
        } else {
            CommitSeen::Missing
        };
        found.insert(id.to_owned(), seen);
    }
    Ok(found)
}

/// Manifests and files of targets in the new tree, those with the shortest path first.
fn script_files(git: &Git, range: &Range, after: &BTreeSet<String>) -> Vec<(String, String)> {
    const NAMES: [&str; 7] = [
        "package.json",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
        ".justfile",
    ];
    let is_one = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        NAMES.contains(&name) && !path.contains("node_modules/")
    };
    let mut paths: Vec<&String> = after.iter().filter(is_one).collect();
    paths.sort_by_key(|path| path.matches('/').count());
    let read = |path: &String| {
        let object = format!("{}:{path}", range.after);
        let text = git.ask(&["cat-file", "blob", &object]).ok()?;
        Some((path.clone(), text))
    };
    let first = paths.into_iter().take(MAX_SCRIPT_FILES);
    first.filter_map(read).collect()
}
