//! What the repository says about commits, pushes and changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_core::Verdict;
use crosscheck_process::git::Git;
use crosscheck_transcript::session::Change;

use super::files::{self, Found, changed_at, find};
use super::{confirmed, refuted, undecided};
use crate::kind::{Claim, Scope, Work};
use crate::opinion::{Opinion, Trace};
use crate::place::Places;
use crate::read::session::{Run, Session};
use crate::reasons::{Caveat, DoneReason};
use crate::relevance::Relevance;

const TIME: Duration = Duration::from_secs(20);

/// What a file held in a commit.
pub(crate) fn text_at(root: &Path, commit: &str, name: &str) -> Option<String> {
    let git = Git::without_filters(root).within(TIME);
    let spec = format!("{commit}:./{name}");
    git.ask(&["show", "--no-ext-diff", "--no-textconv", &spec])
        .ok()
}

fn trace(what: &str, found: &str) -> Trace {
    Trace::Git {
        what: what.to_owned(),
        found: found.to_owned(),
    }
}
/// A longer file is not compared.
const MAX_TEXT: u64 = 4 << 20;
/// At most this many files of a session are asked about.
const MAX_PATHS: usize = 400;
/// So many commits are passed over that are newer than their dates say.
const MAX_BACK: usize = 64;
const LEFT_OUT: &str = "was in a commit, and is no longer tracked";
const CLEAN: &str =
    "no file that git tracks differs from it; whether it holds this work only a log shows";
const DIFFERS: &str = "differs from the last commit, or is not tracked";

/// A repository that is asked only when needed.
pub struct Repository<'r> {
    places: &'r Places,
    /// When the session began, in seconds since 1970.
    pub started: Option<i64>,
    git: std::cell::OnceCell<Option<Git>>,
}

impl std::fmt::Debug for Repository<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository")
            .field("root", &self.places.root)
            .finish_non_exhaustive()
    }
}

/// What `git status` says.
#[derive(Debug, Default)]
struct GitStatus {
    upstream: Option<String>,
    ahead: Option<u64>,
    /// Files that differ from the last commit, or that git does not know.
    changed: BTreeSet<String>,
    head: Option<String>,
}

impl<'r> Repository<'r> {
    /// The repository around the root of a project.
    pub const fn new(places: &'r Places, started: Option<i64>) -> Self {
        Self {
            places,
            started,
            git: std::cell::OnceCell::new(),
        }
    }

    /// `None` when there is no repository.
    fn git(&self) -> Option<&Git> {
        let git = self.git.get_or_init(|| {
            let known = self
                .places
                .root
                .ancestors()
                .any(|folder| folder.join(".git").exists());
            known.then(|| Git::without_filters(&self.places.root).within(TIME))
        });
        git.as_ref()
    }

    /// The last commit and whether anything differs from it, for receipts.
    pub fn head(&self) -> Option<(String, bool)> {
        let status = self.status(&[]).ok()?;
        Some((status.head?, !status.changed.is_empty()))
    }

    fn status(&self, paths: &[String]) -> Result<GitStatus, String> {
        let git = self.git().ok_or("no repository")?;
        let mut args = vec![
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
            "--no-renames",
        ];
        if paths.is_empty() {
            args.retain(|arg| !arg.starts_with("--untracked"));
            args.push("--untracked-files=no");
        } else {
            args.push("--");
            args.extend(paths.iter().map(String::as_str));
        }
        let text = git.ask(&args)?;
        let mut status = GitStatus::default();
        for line in text.split('\0') {
            let field = |name: &str| line.strip_prefix(name).map(str::trim);
            if let Some(oid) = field("# branch.oid ") {
                status.head = Some(oid.to_owned()).filter(|oid| oid != "(initial)");
            } else if let Some(upstream) = field("# branch.upstream ") {
                status.upstream = Some(upstream.to_owned());
            } else if let Some(counts) = field("# branch.ab ") {
                let ahead = counts
                    .split(' ')
                    .next()
                    .and_then(|ahead| ahead.strip_prefix('+'));
                status.ahead = ahead.and_then(|ahead| ahead.parse().ok());
            } else if let Some(path) = line.strip_prefix("? ") {
                status.changed.insert(path.to_owned());
            } else if line.starts_with("1 ") {
                status
                    .changed
                    .extend(line.splitn(9, ' ').nth(8).map(str::to_owned));
            } else if line.starts_with("u ") {
                status
                    .changed
                    .extend(line.splitn(11, ' ').nth(10).map(str::to_owned));
            }
        }
        Ok(status)
    }

    /// Files that may only look changed because no filter runs.
    fn is_filtered(&self, paths: &BTreeSet<String>) -> bool {
        let Some(git) = self.git().filter(|git| git.has_filters()) else {
            return false;
        };
        let mut args = vec!["check-attr", "-z", "filter", "--"];
        args.extend(paths.iter().map(String::as_str));
        let Ok(text) = git.ask(&args) else {
            return true;
        };
        let parts: Vec<&str> = text.split('\0').collect();
        parts.chunks(3).any(|part| {
            part.get(2)
                .is_some_and(|value| !matches!(*value, "unspecified" | "unset" | ""))
        })
    }

    /// Whether what the session changed is in a commit of the session.
    pub fn committed(
        &self,
        claim: &Claim,
        session: Option<&Session>,
        relevance: &Relevance<'_>,
    ) -> Opinion {
        let Some(git) = self.git() else {
            return undecided(DoneReason::NotARepo);
        };
        if session.is_some_and(|session| self.commits_elsewhere(session)) {
            return undecided(DoneReason::NotARepo);
        }
        if let Some(opinion) = self.named(git, &claim.subject, session) {
            return opinion;
        }
        // "it landed in `4be91f7`" says no more than that there is such a commit
        if matches!(&claim.scope, Scope::Name(name) if *name == claim.subject) {
            let found = trace(&claim.subject, "a commit of this repository");
            return confirmed(DoneReason::GitCommitted).with(found);
        }
        let Some(session) = session else {
            return self.as_it_is();
        };
        let files = changed_files(session, self.places, relevance);
        let Some(dirty) = self.dirty(&files) else {
            return undecided(DoneReason::GitUnreadable);
        };
        if let Some(left) = self.left_out(git, &files) {
            return undecided(DoneReason::GitUncommitted).with(trace(&left, LEFT_OUT));
        }
        let partly = matches!(claim.scope, Scope::Except(_));
        if let Some(first) = dirty.first().filter(|_| !partly) {
            let opinion = if claim.concedes { undecided } else { refuted };
            return opinion(DoneReason::GitUncommitted).with(trace(first, DIFFERS));
        }
        let named = is_hash(&claim.subject).then_some(claim.subject.as_str());
        match self.newest(git, named.unwrap_or("HEAD")) {
            Err(_) => undecided(DoneReason::GitUnreadable),
            Ok(None) if named.is_some() => undecided(DoneReason::GitOtherCommit)
                .with(trace(&claim.subject, "is older than the session")),
            Ok(Some(commit)) if is_empty(git, &commit) => {
                undecided(DoneReason::GitOtherCommit).with(trace(&commit, "changes no file"))
            }
            // a commit of another person does not prove a session that changed nothing
            Ok(Some(_)) if files.is_empty() => undecided(DoneReason::NoProbe),
            Ok(Some(commit)) => {
                confirmed(DoneReason::GitCommitted).with(trace(named.unwrap_or("HEAD"), &commit))
            }
            // a session that changed nothing that git knows cannot have failed to commit it
            Ok(None) if files.is_empty() => undecided(DoneReason::GitUnreadable),
            Ok(None) if self.newest(git, "--branches") != Ok(None) => {
                undecided(DoneReason::GitOtherCommit).with(trace(
                    "HEAD",
                    "a commit since the session began is on another branch",
                ))
            }
            Ok(None) if claim.concedes => undecided(DoneReason::GitNoCommit),
            Ok(None) => refuted(DoneReason::GitNoCommit)
                .with(trace("HEAD", "no commit since the session began")),
        }
    }

    /// What git shows without a log: a file that differs may have differed
    /// before, and only a log says whose work a commit holds.
    fn as_it_is(&self) -> Opinion {
        let Ok(status) = self.status(&[]) else {
            return undecided(DoneReason::GitUnreadable);
        };
        let found = match status.changed.first() {
            Some(_) if self.is_filtered(&status.changed) => {
                return undecided(DoneReason::GitUnreadable);
            }
            Some(first) => trace(first, DIFFERS),
            None => trace("HEAD", CLEAN),
        };
        undecided(DoneReason::NoTranscript).with(found)
    }

    /// Which of some files differ from the last commit; `None` when git does
    /// not say.
    fn dirty(&self, files: &BTreeSet<String>) -> Option<BTreeSet<String>> {
        if files.is_empty() {
            return Some(BTreeSet::new());
        }
        let paths = files.iter().map(|path| format!(":(literal){path}"));
        let paths: Vec<String> = paths.take(MAX_PATHS).collect();
        let mut dirty = self.status(&paths).ok()?.changed;
        // marks in the index hide a file from `git status`
        let held: Vec<&str> = files.iter().take(MAX_PATHS).map(String::as_str).collect();
        let git = self.git()?;
        let committed = blobs(git, "HEAD", &held);
        dirty.extend(self.rewritten(git, &committed)?);
        (dirty.is_empty() || !self.is_filtered(&dirty)).then_some(dirty)
    }

    /// A file of the session that is there and was in a commit, and is in the
    /// last one no more: git was told to forget it.
    fn left_out(&self, git: &Git, files: &BTreeSet<String>) -> Option<String> {
        let held: Vec<&str> = files.iter().take(MAX_PATHS).map(String::as_str).collect();
        let known = blobs(git, "HEAD", &held);
        let is_there = |path: &&&str| self.places.root.join(path).is_file();
        let mut missing = held.iter().filter(|path| !known.contains_key(**path));
        let path = missing.find(is_there)?;
        let form = [
            "log",
            "-1",
            "--no-show-signature",
            "--format=%H",
            "--",
            path,
        ];
        let past = git.ask(&form).ok()?;
        (!past.trim().is_empty()).then(|| (*path).to_owned())
    }

    /// Which files hold other bytes than these blobs; `None` when git does not
    /// say.
    fn rewritten(&self, git: &Git, blobs: &BTreeMap<String, String>) -> Option<Vec<String>> {
        let is_there = |path: &str| self.places.root.join(path).is_file();
        let (there, gone): (Vec<_>, Vec<_>) = blobs.iter().partition(|(path, _)| is_there(path));
        let mut all: Vec<String> = gone.into_iter().map(|(path, _)| path.clone()).collect();
        if !there.is_empty() {
            let mut form = vec!["hash-object", "--"];
            form.extend(there.iter().map(|(path, _)| path.as_str()));
            let hashes = git.ask(&form).ok()?;
            let pairs = there.iter().zip(hashes.lines());
            let changed = pairs.filter(|((_, blob), hash)| blob.as_str() != *hash);
            all.extend(changed.map(|((path, _), _)| (*path).clone()));
        }
        Some(all)
    }

    /// Whether the last commit of the session was made in another repository.
    fn commits_elsewhere(&self, session: &Session) -> bool {
        let is_commit = |run: &&Run| run.command.contains("commit");
        let last = session.runs.iter().rev().filter(is_commit).find_map(|run| {
            let git = run
                .candidates
                .iter()
                .rfind(|one| one.found.work.contains(&Work::Git));
            git?.dir.clone()
        });
        last.is_some_and(|dir| {
            self.places.below(&dir).is_none() && !self.places.root.starts_with(&dir)
        })
    }

    /// The commit at a name, if it was made since the session began.
    fn newest(&self, git: &Git, name: &str) -> Result<Option<String>, String> {
        let started = self.started.ok_or("no time")?;
        let form = [
            "log",
            "-1",
            "--no-show-signature",
            "--format=%H %ct",
            name,
            "--",
        ];
        let text = git.ask(&form)?;
        let (hash, time) = text.trim().split_once(' ').ok_or("no commit")?;
        let time: i64 = time.parse().map_err(|_| "no time")?;
        Ok((time >= started - 1).then(|| hash.to_owned()))
    }

    /// A past commit by its hash: confirmed when it is on a branch and not
    /// older than the session. A branch may be gone by now, so that nothing
    /// is refuted.
    pub fn past(&self, hash: &str) -> Option<Opinion> {
        let git = self.git()?;
        if !is_hash(hash) || self.named(git, hash, None).is_some() {
            return None;
        }
        self.newest(git, hash).ok()??;
        let found = trace(hash, "a commit since the session began");
        Some(confirmed(DoneReason::GitCommitted).with(found))
    }

    /// A commit that the message names by its hash.
    fn named(&self, git: &Git, hash: &str, session: Option<&Session>) -> Option<Opinion> {
        if !is_hash(hash) {
            return None;
        }
        let missing = || {
            refuted(DoneReason::GitNoSuchCommit).with(trace(hash, "no such commit on any branch"))
        };
        let other = |found: &str| undecided(DoneReason::GitOtherCommit).with(trace(hash, found));
        let object = format!("{hash}^{{commit}}");
        let Ok(whole) = git.ask(&["rev-parse", "--verify", "--quiet", &object]) else {
            return Some(if self.is_nowhere(git, hash) {
                missing()
            } else {
                other("no commit that can be identified from here")
            });
        };
        let whole = whole.trim().to_owned();
        let places = ["refs/heads", "refs/remotes", "refs/tags"];
        let mut asked = vec!["for-each-ref", "--count=1", "--contains", &whole];
        asked.extend(places);
        match git.ask(&asked) {
            Ok(refs) if refs.trim().is_empty() => {
                // a commit without a branch, in a checkout without one
                let base = git.ask(&["merge-base", &whole, "HEAD"]);
                let is_here = base.is_ok_and(|base| base.trim() == whole);
                let is_amended = session.is_some_and(amends);
                let amended = || other("is on no branch; the session amended a commit");
                (!is_here).then(|| if is_amended { amended() } else { missing() })
            }
            Ok(_) => None, // it exists; whether it is the work of the session is asked next
            Err(_) => Some(undecided(DoneReason::GitUnreadable)),
        }
    }

    /// Whether the repository is whole and has no object of this name. What
    /// is missing in a shallow or partial clone, or is of a submodule, may
    /// still be there elsewhere.
    fn is_nowhere(&self, git: &Git, hash: &str) -> bool {
        let objects = git.ask(&["rev-parse", &format!("--disambiguate={hash}")]);
        let shallow = git.ask(&["rev-parse", "--is-shallow-repository"]);
        let partial = git.ask(&["config", "--get-regexp", r"^remote\..*\.promisor$"]);
        objects.is_ok_and(|objects| objects.trim().is_empty())
            && shallow.is_ok_and(|answer| answer.trim() == "false")
            && partial.is_err()
            && !self.places.root.join(".gitmodules").exists()
    }

    /// Whether the remote branch has every commit, as git last saw it, and a
    /// commit has what the session changed.
    pub fn pushed(
        &self,
        claim: &Claim,
        session: Option<&Session>,
        relevance: &Relevance<'_>,
        shown: &Opinion,
    ) -> Opinion {
        let Some(git) = self.git() else {
            return undecided(DoneReason::NotARepo);
        };
        let Ok(status) = self.status(&[]) else {
            return undecided(DoneReason::GitUnreadable);
        };
        let (Some(mut upstream), Some(ahead)) = (status.upstream, status.ahead) else {
            return undecided(DoneReason::NoUpstream);
        };
        let is_shown = shown.verdict == Verdict::Confirmed;
        if ahead > 0 {
            let Some(other) = holder(git).filter(|_| is_shown) else {
                let is_soft = claim.concedes || is_shown;
                let opinion = if is_soft { undecided } else { refuted };
                let found = format!("lacks {ahead} local commit(s)");
                return opinion(DoneReason::GitAhead).with(trace(&upstream, &found));
            };
            upstream = other;
        }
        if session.is_some_and(is_forged) {
            let found = trace(&upstream, "was set by a command of this session");
            return undecided(DoneReason::GitOwnRemote).with(found);
        }
        self.unsent(git, claim, session, relevance)
            .unwrap_or_else(|| {
                let found = trace(&upstream, "has every local commit");
                confirmed(DoneReason::GitRemoteMatches).with(found)
            })
    }

    /// "Pushed the change", when no commit has it. A branch or commits may be
    /// those of another person.
    fn unsent(
        &self,
        git: &Git,
        claim: &Claim,
        session: Option<&Session>,
        relevance: &Relevance<'_>,
    ) -> Option<Opinion> {
        let quote = claim.quote.to_lowercase();
        let is_of_branch = quote.contains("branch") || quote.contains("tag");
        let is_partly = matches!(claim.scope, Scope::Except(_));
        if is_of_branch || is_partly || self.newest(git, "HEAD") != Ok(None) {
            return None;
        }
        let dirty = self.dirty(&changed_files(session?, self.places, relevance))?;
        let is_said = quote.contains("commit");
        let opinion = if is_said { undecided } else { refuted };
        Some(opinion(DoneReason::GitUncommitted).with(trace(dirty.first()?, DIFFERS)))
    }

    /// Whether a file whose path ends so was ever in a commit or is in the
    /// index; a repository that does not answer may know it.
    pub fn knew(&self, end: &str) -> bool {
        let Some(git) = self.git() else {
            return false;
        };
        let is_plain = !end.contains(['*', '?', '[', '\\']);
        let spec = format!(":(top,glob)**/{end}");
        let has = |args: &[&str]| git.ask(args).map_or(true, |text| !text.trim().is_empty());
        !is_plain
            || has(&["ls-files", "-z", "--", &spec])
            || has(&["log", "--all", "--max-count=1", "--format=%H", "--", &spec])
    }

    /// Whether a file differs from what it was when the session began.
    pub fn modified(
        &self,
        subject: &str,
        session: Option<&Session>,
        from: &[PathBuf],
        asks_git: bool,
    ) -> Opinion {
        let path = match find(subject, self.places, from) {
            Found::There(path, meta) if files::is_void(&path, &meta) => {
                let found = Trace::file(&self.places.shown(&path), "0 bytes");
                return undecided(DoneReason::FilePresent)
                    .but(Caveat::EmptyFile)
                    .with(found);
            }
            Found::There(path, _) => path,
            // changed first, removed later: both may be so
            Found::Nowhere if was_removed(subject, session) => {
                return undecided(DoneReason::NoBaseline);
            }
            Found::Nowhere => {
                return refuted(DoneReason::FileAbsent).with(Trace::file(subject, "not there"));
            }
            Found::Outside | Found::Foreign => return undecided(DoneReason::OutsideRoot),
            Found::Hidden(_) => return undecided(DoneReason::Unreadable),
        };
        let edits = session.iter().flat_map(|session| &session.edits);
        let edits = edits.filter(|edit| edit.path == path && edit.change != Change::Delete);
        let is_named = edits.clone().next().is_some();
        // `touch` changes nothing: of a command git is asked
        let edits = edits.filter(|edit| edit.tool.is_some() || !asks_git);
        let edits: Vec<bool> = edits.map(|edit| edit.done).collect();
        let shown = self.places.shown(&path);
        let trace = |found: &str| Trace::file(&shown, found);
        let before = self.before(&path).filter(|_| asks_git && is_named);
        let now = || crosscheck_core::files::read_regular(&path, MAX_TEXT).ok();
        if before.is_some_and(|before| now().as_deref() == Some(before.as_bytes())) {
            // an edit that was taken back, a file that was only touched
            let has_failed = !edits.is_empty() && !edits.contains(&true);
            let opinion = if has_failed { refuted } else { undecided };
            return opinion(DoneReason::FileUnchanged)
                .with(trace("the same as before the session"));
        }
        if edits.contains(&true) {
            return confirmed(DoneReason::FileChanged).with(trace("changed in this session"));
        }
        let differs = if asks_git { self.differs(&shown) } else { None };
        match differs {
            Some(true) => confirmed(DoneReason::FileChanged)
                .with(trace("differs from the commit before the session")),
            Some(false) | None => undecided(DoneReason::NoBaseline),
        }
    }

    /// The files that git knows, and those that it does not ignore, each with whether it should be
    /// there: it is tracked, or the last commit has it and the index no more.
    pub fn files(&self) -> Vec<(String, bool)> {
        let known = "ls-files -t -z --cached --others --exclude-standard";
        let removed =
            "diff-index -z --cached --name-only --no-renames --relative --diff-filter=D HEAD";
        let ask = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            self.git().and_then(|git| git.ask(&words).ok())
        };
        let (known, removed) = (ask(known), ask(removed));
        let known = known.as_deref().unwrap_or_default().split('\0');
        // `H` is tracked, `S` is left out of the working tree on purpose, `?` is unknown
        let known = known.filter_map(|line| line.split_once(' '));
        let known = known.map(|(tag, name)| (name.to_owned(), tag == "H"));
        let removed = removed.as_deref().unwrap_or_default().split('\0');
        let removed = removed.filter(|name| !name.is_empty());
        known
            .chain(removed.map(|name| (name.to_owned(), true)))
            .collect()
    }

    fn differ(&self, git: &Git, literal: &str) -> Option<BTreeSet<String>> {
        let base = self.base(git)?;
        let text = git
            .ask(&[
                // otherwise git writes the index when only the time of a file differs;
                // names alone would list such a file, numbers do not
                "-c",
                "diff.autoRefreshIndex=false",
                "diff",
                "--numstat",
                "-z",
                "--relative",
                "--no-ext-diff",
                "--no-textconv",
                "--no-renames",
                &base,
                "--",
                literal,
            ])
            .ok()?;
        let names = text
            .split('\0')
            .filter_map(|line| line.splitn(3, '\t').nth(2));
        Some(names.map(str::to_owned).collect())
    }

    /// Whether a file differs from the commit before the session.
    fn differs(&self, path: &str) -> Option<bool> {
        let git = self.git()?;
        let literal = format!(":(literal){path}");
        let changed = self.differ(git, &literal)?;
        if !changed.is_empty() {
            return (!self.is_filtered(&changed)).then_some(true);
        }
        let others = [
            "ls-files",
            "--others",
            "--exclude-standard",
            "-z",
            "--",
            &literal,
        ];
        Some(!git.ask(&others).ok()?.is_empty())
    }

    /// The last commit before the session began.
    pub fn commit_before(&self) -> Option<String> {
        self.base(self.git()?)
    }

    fn base(&self, git: &Git) -> Option<String> {
        let started = self.started?;
        let before = format!("--before=@{}", started - 1);
        let mut form = vec!["log", "--no-show-signature", &before, "--format=%H"];
        let last = MAX_BACK.to_string();
        form.extend(["--max-count", &last, "HEAD"]);
        let text = git.ask(&form).ok()?;
        let is_new = |hash: &&str| self.is_made_since(git, hash, started);
        let old = text.lines().find(|hash| !is_new(hash));
        // of a repository that was copied since, only the dates tell
        old.or_else(|| text.lines().next()).map(str::to_owned)
    }

    /// Whether a commit came here since a time: its date is what somebody
    /// wrote, the time of its file is not.
    fn is_made_since(&self, git: &Git, hash: &str, time: i64) -> bool {
        let folder = git.ask(&["rev-parse", "--git-path", "objects"]);
        let folder = folder.ok().zip(hash.split_at_checked(2));
        folder.is_some_and(|(folder, (first, rest))| {
            let folder = self.places.root.join(folder.trim_end());
            changed_at(&folder.join(first).join(rest)) >= Some(time)
        })
    }

    /// A file as it was in the commit before the session; `None` when that
    /// cannot be said.
    pub fn before(&self, path: &Path) -> Option<String> {
        let base = self.base(self.git()?)?;
        let rel = self.places.below(path)?.display().to_string();
        text_at(&self.places.root, &base, &rel)
    }
}

/// The blobs of some files in a commit, by their paths from the root; links
/// are left out.
fn blobs(git: &Git, commit: &str, paths: &[&str]) -> BTreeMap<String, String> {
    let mut form = vec!["ls-tree", "-z", commit, "--"];
    form.extend(paths);
    let text = git.ask(&form).unwrap_or_default();
    let entries = text.split('\0').filter_map(|line| {
        let (about, path) = line.split_once('\t')?;
        let blob = about.strip_prefix("100")?.split(' ').nth(2)?;
        Some((path.to_owned(), blob.to_owned()))
    });
    entries.collect()
}

/// Whether a commit has the tree of the one before it.
fn is_empty(git: &Git, commit: &str) -> bool {
    let tree = |name: String| git.ask(&["rev-parse", "--verify", "--quiet", &name]).ok();
    let own = tree(format!("{commit}^{{tree}}"));
    let merged = tree(format!("{commit}^2"));
    own.is_some() && merged.is_none() && own == tree(format!("{commit}^^{{tree}}"))
}

/// A remote branch that has every commit.
fn holder(git: &Git) -> Option<String> {
    let format = "--format=%(refname:lstrip=2)";
    let text = git
        .ask(&["for-each-ref", "--contains", "HEAD", format, "refs/remotes"])
        .ok()?;
    text.lines().next().map(str::to_owned)
}

/// Every command line of a session.
fn commands(session: &Session) -> impl Iterator<Item = &str> {
    let runs = session.runs.iter().map(|run| &*run.command);
    runs.chain(session.others.iter().map(|(_, command, _)| &**command))
}

/// Whether a command wrote what git last saw of a remote without asking it.
fn is_forged(session: &Session) -> bool {
    commands(session).any(|command| command.contains("refs/remotes/"))
}

/// Whether a command made a commit anew.
fn amends(session: &Session) -> bool {
    let words = ["--amend", " rebase", "--fixup"];
    commands(session).any(|command| words.iter().any(|word| command.contains(word)))
}

/// Whether a text can be the hash of a commit.
pub(crate) fn is_hash(text: &str) -> bool {
    (7..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The files that the session changed, from the root: those that a commit
/// would have to hold.
fn changed_files(
    session: &Session,
    places: &Places,
    relevance: &Relevance<'_>,
) -> BTreeSet<String> {
    let counts = session.edits.iter().filter(|edit| {
        let by_tool = edit.tool.is_some();
        let is_source = crate::claim::has_extension(&edit.path.to_string_lossy())
            && edit.path.extension().is_none_or(|extension| {
                extension != "txt" && extension != "json" && extension != "xml"
            });
        edit.done
            && edit.change != Change::Tree
            && relevance.is_change(&edit.path)
            && (by_tool || is_source)
    });
    let inside = counts.filter_map(|edit| places.below(&edit.path));
    inside
        .filter(|rel| !rel.as_os_str().is_empty() && !rel.starts_with(".crosscheck"))
        .map(|rel| rel.display().to_string())
        .collect()
}
/// Whether the session removed a file of this name.
fn was_removed(subject: &str, session: Option<&Session>) -> bool {
    let name = Path::new(subject.trim_start_matches("./"));
    let edits = session.map_or(&[][..], |session| session.edits.as_slice());
    edits.iter().any(|edit| {
        edit.done
            && matches!(edit.change, Change::Delete | Change::Tree)
            && edit.path.ends_with(name)
    })
}
