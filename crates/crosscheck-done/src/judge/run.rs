//! How one program of the session ended, as far as its status and its output
//! say.
//!
//! Contract: done 5.3.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::Digest;
use crosscheck_core::rules::Rule;
use crosscheck_transcript::session::{By, State};

use super::Ground;
use crate::kind::{Claim, ClaimKind, Scope, Work};
use crate::observe::outputs::Text;
use crate::opinion::Trace;
use crate::read::session::{Candidate, Edit, Order, Run, Session};
use crate::reasons::{Caveat, DoneReason};
use crate::runner::{self, Followed, Reading, Row};

const SUMMARY: Rule = Rule::new(
    "done.summary",
    "the summary of a test runner counts, whatever started it",
);
const LINES: Rule = Rule::new(
    "done.lines",
    "the lines of commit hooks and of jobs elsewhere show checks",
);
const QUIET: Rule = Rule::new(
    "done.quiet",
    "a program that prints only what is wrong did well when it printed nothing",
);

/// A program of the session that may show a claim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'s> {
    pub(super) run: &'s Run,
    pub(super) candidate: &'s Candidate,
    /// What in its output counts.
    pub(super) via: Via,
}

/// By what a program shows that a check ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Via {
    /// It is the check.
    Own,
    /// The summary of a runner that something else started.
    Summary,
    /// The line of a hook of git, or of a job elsewhere, and whether it says
    /// that all was well.
    Line(bool),
}

/// How it ended.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) how: How,
    pub(super) reading: Reading,
    pub(super) sha256: Option<String>,
    pub(super) is_cut: bool,
    /// What failed, as far as the output names it.
    pub(super) failures: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// It did well: by its status, or by its output alone.
    Well { by_output: bool },
    /// It failed.
    Badly { by_output: bool },
    /// Nothing can be said, for this reason.
    Unknown(DoneReason),
}

impl Shown<'_> {
    pub(super) fn row<'g>(&self, ground: &Ground<'g>) -> Option<&'g Row> {
        ground.table.row(self.candidate.found.row)
    }

    pub(super) fn order(&self) -> Order {
        self.run.order
    }

    /// Whether it began after a change.
    pub(super) fn is_after(&self, edit: &Edit) -> bool {
        if self.run.id == edit.id && self.run.order == edit.order && !edit.id.is_empty() {
            return self.candidate.segment >= edit.segment;
        }
        let same_call =
            self.run.order == edit.order && edit.command.as_deref() == Some(&*self.run.command);
        if same_call {
            return self.candidate.segment >= edit.segment;
        }
        let parallel = self.run.step != 0 && self.run.step == edit.step;
        !parallel && self.run.order > edit.order
    }

    /// Whether it ran this program, as far as its command, the definition of
    /// its task or its output tell.
    pub(super) fn runs_tool(&self, tool: &str, ground: &Ground<'_>) -> bool {
        let (layout, root) = (ground.layout, &ground.places.root);
        let read = |path: &Path| layout.before(path).or_else(|| layout.now(path));
        let folder = self.candidate.dir.as_ref().unwrap_or(root);
        let prints = || {
            let output = ground.outputs.output(self.run).unwrap_or_default();
            output.text.contains(tool)
        };
        self.via != Via::Own
            || runner::runs_tool(&self.run.command, tool, folder, &read)
            || prints()
    }

    /// How it ended, whether or not it was the right one.
    pub(super) fn ended(&self, ground: &Ground<'_>) -> Ended {
        let text = ground.outputs.output(self.run).unwrap_or_default();
        let own = self.own_output(&text.text);
        let reading = match self.via {
            Via::Own => self
                .row(ground)
                .map(|row| runner::read(ground.table, row, &own))
                .unwrap_or_default(),
            Via::Summary => runner::summary(ground.table, &own).unwrap_or_default(),
            Via::Line(_) => Reading::default(),
        };
        let how = match self.via {
            Via::Own => self.how(ground, &reading, &text),
            Via::Summary if reading.says_fail => How::Badly { by_output: true },
            Via::Summary if reading.is_good() => How::Well { by_output: true },
            Via::Summary => How::Unknown(DoneReason::Masked),
            Via::Line(true) => How::Well { by_output: true },
            Via::Line(false) => How::Badly { by_output: true },
        };
        let failures = match how {
            How::Badly { .. } => failures(&text.text),
            How::Well { .. } | How::Unknown(_) => Vec::new(),
        };
        Ended {
            how,
            reading,
            sha256: Some(Digest::of(&text.text).hex()),
            is_cut: text.is_cut,
            failures,
        }
    }

    /// What the program itself can have printed: a line that the command line
    /// holds word for word was printed by `echo` and its like.
    fn own_output<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.candidate.unseen {
            return Cow::Borrowed("");
        }
        let command = &*self.run.command;
        let is_stated = |line: &str| {
            let line = line.trim();
            line.len() >= 4 && command.contains(line)
        };
        if !text.lines().any(is_stated) {
            return Cow::Borrowed(text);
        }
        let own: Vec<&str> = text.lines().filter(|line| !is_stated(line)).collect();
        Cow::Owned(own.join("\n"))
    }

    fn how(&self, ground: &Ground<'_>, reading: &Reading, text: &Text) -> How {
        let unknown = How::Unknown;
        match self.run.state {
            State::Unanswered => return unknown(DoneReason::NoResult),
            State::Background => return unknown(DoneReason::BackgroundRun),
            State::Interrupted => return unknown(DoneReason::Interrupted),
            State::TimedOut => return unknown(DoneReason::TimedOut),
            State::Ended => {}
        }
        if self.candidate.standing == crate::shell::Standing::Background {
            return unknown(DoneReason::BackgroundRun);
        }
        let status = self.status(ground, &text.text);
        let is_status = |known: Option<i64>| known.is_some() && known == status.number();
        let row = self.row(ground);
        match status {
            Known::NotReached => return unknown(DoneReason::NotReached),
            Known::Status(124 | 137) if self.candidate.limited => {
                return unknown(DoneReason::TimedOut);
            }
            Known::Status(status)
                if status != 0 && never_started(status, &text.text, &self.candidate.program) =>
            {
                return unknown(DoneReason::DisqualifiedRun);
            }
            _ => {}
        }
        if row.is_some_and(|row| is_status(row.pending_status)) && !reading.says_fail {
            return How::Well { by_output: true };
        }
        let only_part = self.shows_part();
        let empty_status = row.is_some_and(|row| is_status(row.empty_status));
        if empty_status || (reading.is_empty && !reading.says_fail && !only_part) {
            return unknown(DoneReason::EmptyRun);
        }
        match status {
            Known::Status(0)
                if reading.failed.is_some_and(|failed| failed > 0) && !Self::is_indirect(row) =>
            {
                How::Badly { by_output: true }
            }
            Known::Status(0) if self.is_denied(reading) => unknown(DoneReason::Masked),
            Known::Status(0) => How::Well { by_output: false },
            Known::Status(_) => How::Badly { by_output: false },
            Known::NotReached => unknown(DoneReason::NotReached),
            Known::Nothing if reading.says_fail => How::Badly { by_output: true },
            Known::Nothing if reading.is_good() && !self.candidate.altered => {
                How::Well { by_output: true }
            }
            Known::Nothing if self.is_quiet(ground, text) => How::Well { by_output: true },
            Known::Nothing => unknown(DoneReason::Masked),
        }
    }

    /// Whether a program that prints only what is wrong printed nothing, all of
    /// whose output would be seen.
    fn is_quiet(&self, ground: &Ground<'_>, text: &Text) -> bool {
        let is_echo = |line: &str| {
            let line = line.trim_start();
            line.is_empty()
                || line.starts_with("$ ")
                || line.starts_with("> ")
                || line.starts_with('[')
        };
        let plain = runner::strip_ansi(&text.text);
        let is_last = self
            .run
            .candidates
            .last()
            .is_some_and(|last| std::ptr::eq(last, self.candidate));
        // behind the echo of the last program nothing was printed
        let mut ends = plain.lines().rev().filter(|line| !line.trim().is_empty());
        let ends_with_echo = is_last && ends.next().is_some_and(|line| line.starts_with("$ "));
        QUIET.is_on()
            && self.row(ground).is_some_and(|row| row.silent)
            && (self.run.candidates.len() == 1 && plain.lines().all(is_echo) || ends_with_echo)
            && !self.candidate.sifted
            && !self.candidate.altered
            && self.run.status == Some(0)
    }

    /// Programs that call others print what those say of expected failures.
    fn is_indirect(row: Option<&Row>) -> bool {
        row.is_some_and(|row| !row.also.is_empty())
    }

    /// Whether a check that ended well prints that it did not.
    fn is_denied(&self, reading: &Reading) -> bool {
        let works = &self.candidate.found.work;
        let is_check =
            |work: &Work| matches!(work, Work::Tests | Work::Build | Work::Lint | Work::Types);
        works.iter().any(is_check) && reading.denies(works.contains(&Work::Build))
            || *works == [Work::Exec] && reading.says_fail
    }

    /// Whether only a part of the output was shown, so that a number in it is
    /// no sum.
    pub(super) const fn shows_part(&self) -> bool {
        self.candidate.partly
    }

    /// What the exit status says about this program of the line.
    fn status(&self, ground: &Ground<'_>, output: &str) -> Known {
        use crate::shell::Standing;
        let candidate = self.candidate;
        if let Some(echo) = &candidate.echo
            && let Some(number) = echoed(echo, output)
        {
            return Known::Status(number);
        }
        let (Standing::Chain(at, of), Some(status)) = (candidate.standing, self.run.status) else {
            return Known::Nothing;
        };
        if status == 0
            && (candidate.found.hides || followed(self, ground).is_some_and(|one| one.hides))
        {
            return Known::Nothing;
        }
        if status == 0 || of <= 1 {
            return Known::Status(status);
        }
        let failing = self.failing(ground, output, of);
        match at.cmp(&failing) {
            std::cmp::Ordering::Less => Known::Status(0),
            std::cmp::Ordering::Equal => Known::Status(status),
            std::cmp::Ordering::Greater => Known::NotReached,
        }
    }

    /// Which program of a chain failed: the first whose own output says so,
    /// else the last.
    fn failing(&self, ground: &Ground<'_>, output: &str, of: usize) -> usize {
        use crate::shell::Standing;
        let mut chain: Vec<(usize, &Candidate)> = self
            .run
            .candidates
            .iter()
            .filter_map(|candidate| match candidate.standing {
                Standing::Chain(at, _) => Some((at, candidate)),
                _ => None,
            })
            .collect();
        chain.sort_by_key(|(at, _)| *at);
        let says = |candidate: &Candidate| {
            let row = ground.table.row(candidate.found.row);
            row.is_some_and(|row| {
                let reading = runner::read(ground.table, row, output);
                // its own counts say more than the errors of the next program
                let is_whole = reading.passed.is_some_and(|passed| passed > 0)
                    && reading.failed.is_none_or(|failed| failed == 0);
                reading.says_fail && !is_whole
            })
        };
        let found = chain.iter().find(|(_, candidate)| says(candidate));
        found.map_or(of.saturating_sub(1), |(at, _)| *at)
    }

    /// The evidence line.
    pub(super) fn trace(&self, ended: &Ended) -> Trace {
        Trace::Run {
            step: self.run.order.line,
            command: self.run.command.to_string(),
            status: self.run.status,
            summary: ended.reading.line.clone(),
            output_sha256: ended.sha256.clone(),
        }
    }

    /// Who ran it, if not the agent itself.
    pub(super) fn caveat(&self) -> Option<Caveat> {
        match self.run.by {
            By::Agent => None,
            By::User => Some(Caveat::ByUser),
            By::Subagent => Some(Caveat::BySubagent),
        }
    }
}

/// What is known of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Status(i64),
    NotReached,
    Nothing,
}

impl Known {
    const fn number(self) -> Option<i64> {
        match self {
            Self::Status(status) => Some(status),
            Self::NotReached | Self::Nothing => None,
        }
    }
}

/// The names of tests that an output says have failed.
fn failures(output: &str) -> Vec<String> {
    const BEGINNINGS: [&str; 9] = [
        "FAILED ",
        "ERROR ",
        "--- FAIL: ",
        "● ",
        "✕ ",
        "× ",
        "not ok ",
        "rspec ",
        "FAIL: ",
    ];
    let plain = runner::strip_ansi(output);
    let mut names = Vec::new();
    for line in plain.lines() {
        let line = line.trim();
        let begun = BEGINNINGS.iter().find_map(|begin| line.strip_prefix(begin));
        let ended = line
            .strip_prefix("test ")
            .and_then(|rest| rest.strip_suffix(" ... FAILED"));
        if let Some(name) = begun.or(ended).filter(|name| !name.starts_with('(')) {
            names.push(name.to_owned());
        }
        if names.len() >= 64 {
            break;
        }
    }
    names
}

/// The number behind the words of an `echo` in the output.
fn echoed(before: &str, output: &str) -> Option<i64> {
    let plain = runner::strip_ansi(output);
    plain.lines().rev().find_map(|line| {
        let rest = if before.is_empty() {
            line.trim()
        } else {
            line.split_once(before.trim_end())?.1.trim_start()
        };
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let whole = rest.len() == digits.len() || !before.is_empty();
        whole.then(|| digits.parse().ok())?
    })
}

/// Whether the program itself is missing, so that nothing was checked.
pub(super) fn never_started(status: i64, output: &str, program: &str) -> bool {
    if matches!(status, 126 | 127) {
        return true;
    }
    let missing = [
        format!("No module named {program}"),
        format!("No module named '{program}'"),
        format!("{program}: command not found"),
        format!("{program}: not found"),
        "Missing script:".to_owned(),
        "is not recognized as an internal or external command".to_owned(),
        "could not determine executable to run".to_owned(),
        "unrecognized subcommand".to_owned(),
    ];
    let tail = output
        .get(output.len().saturating_sub(4096)..)
        .unwrap_or(output);
    missing.iter().any(|words| tail.contains(words.as_str()))
}

/// The programs of the session that do this work, in order.
pub(super) fn shown<'s>(
    session: &'s Session,
    works: &[Work],
    ground: &Ground<'_>,
) -> Vec<Shown<'s>> {
    let mut all = Vec::new();
    for run in &session.runs {
        for candidate in &run.candidates {
            let one = Shown {
                run,
                candidate,
                via: Via::Own,
            };
            let is_such = |own: &[Work]| own.iter().any(|work| works.contains(work));
            let does = match followed(&one, ground) {
                Some(task) if !task.works.is_empty() => is_such(&task.works),
                _ => is_such(&candidate.found.work),
            };
            if does {
                all.push(one);
            }
        }
    }
    all
}

/// Whether something ran that can show behaviour, after a change.
pub(super) fn anything_ran(session: &Session, after: Option<&Edit>) -> bool {
    session.runs.iter().any(|run| {
        run.candidates.iter().any(|candidate| {
            let one = Shown {
                run,
                candidate,
                via: Via::Own,
            };
            candidate.found.work != [Work::Git]
                && !candidate.found.disqualified
                && after.is_none_or(|edit| one.is_after(edit))
        })
    })
}

/// What the definition of a task does, as it was before the session.
fn followed(shown: &Shown<'_>, ground: &Ground<'_>) -> Option<Followed> {
    let found = &shown.candidate.found;
    let folder = shown
        .candidate
        .dir
        .as_ref()
        .filter(|_| !found.tasks.is_empty())?;
    let read = |path: &Path| {
        ground
            .layout
            .before(path)
            .or_else(|| ground.layout.now(path))
    };
    let all = found
        .tasks
        .iter()
        .map(|task| runner::follow(ground.table, task, folder, &read));
    let all: Option<Vec<Followed>> = all.collect();
    let mut sum = Followed::default();
    for one in all? {
        sum.works.extend(one.works);
        sum.hides |= one.hides;
    }
    Some(sum)
}

/// At most this many outputs are searched for a summary: the last ones.
const MAX_SEARCHED: usize = 48;

/// What shows a check without being one: the summary of a runner in the output
/// of another program, the lines of hooks and of jobs elsewhere.
pub(super) fn hinted<'s>(session: &'s Session, work: Work, ground: &Ground<'_>) -> Vec<Shown<'s>> {
    let mut all = Vec::new();
    let late = session
        .runs
        .iter()
        .rev()
        .filter(|run| run.state == State::Ended);
    for run in late.take(MAX_SEARCHED) {
        let Some(candidate) = run.candidates.last() else {
            continue;
        };
        let works = |of: Work| {
            run.candidates
                .iter()
                .any(|one| one.found.work.contains(&of))
        };
        let is_away = run.candidates.iter().any(|one| one.away);
        if works(work) || candidate.unseen || is_away && !works(Work::Checks) {
            continue;
        }
        let Some(output) = ground.outputs.output(run) else {
            continue;
        };
        let shown = |via| Shown {
            run,
            candidate,
            via,
        };
        let skips = run.command.contains("--no-verify");
        let lines = if works(Work::Git) && !skips {
            runner::hook_works(ground.table, &output.text)
        } else if works(Work::Checks) {
            runner::job_works(ground.table, &output.text)
        } else {
            Vec::new()
        };
        let own: Vec<bool> = lines
            .iter()
            .filter(|(of, _)| *of == work)
            .map(|(_, well)| *well)
            .collect();
        if !own.is_empty() && LINES.is_on() {
            all.push(shown(Via::Line(own.iter().all(|well| *well))));
        } else if SUMMARY.is_on()
            && work == Work::Tests
            && !works(Work::Checks)
            && !prints_own(run, session)
        {
            let one = shown(Via::Summary);
            let text = one.own_output(&output.text);
            if runner::summary(ground.table, &text).is_some() {
                all.push(one);
            }
        }
    }
    all.reverse();
    all
}

/// Whether a command runs code that the session wrote, which can print
/// anything.
fn prints_own(run: &Run, session: &Session) -> bool {
    let inline = [" -c ", " -e ", "<<"];
    if inline.iter().any(|sign| run.command.contains(sign)) && !run.command.contains("git ") {
        return true;
    }
    let mut edits = session.edits.iter().filter(|edit| edit.done);
    edits.any(|edit| {
        let name = edit.path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| run.command.contains(name))
    })
}

/// The last change that matters for a kind.
pub(super) fn anchor<'s>(
    session: &'s Session,
    kind: ClaimKind,
    ground: &Ground<'_>,
) -> Option<&'s Edit> {
    session
        .edits
        .iter()
        .rfind(|edit| edit.done && matters(edit, kind, ground))
}

pub(super) fn matters(edit: &Edit, kind: ClaimKind, ground: &Ground<'_>) -> bool {
    use crosscheck_transcript::session::Change;
    match edit.change {
        Change::Tree => {
            ground.places.below(&edit.path).is_some() || edit.path == ground.places.root
        }
        _ => ground.relevance.matters(&edit.path, kind),
    }
}

/// Whether a run was limited to a part of what it could check.
pub(super) fn is_partial(shown: &Shown<'_>, ended: &Ended, ground: &Ground<'_>) -> bool {
    let found = &shown.candidate.found;
    if found.partial || ended.reading.deselected > 0 {
        return true;
    }
    if found.early && ended.reading.failed.is_some_and(|failed| failed > 0) {
        return true;
    }
    if !found.packages.is_empty() && ground.layout.is_workspace() {
        return true;
    }
    let tests = found.work.contains(&Work::Tests);
    if !tests || found.targets.is_empty() {
        return false;
    }
    let whole = found.targets.iter().all(|target| is_whole(target));
    if whole {
        return false;
    }
    let Some(dir) = &shown.candidate.dir else {
        return true;
    };
    let targets: Vec<_> = found
        .targets
        .iter()
        .map(|target| ground.places.absolute(dir, target.trim_end_matches("/...")))
        .collect();
    !ground.layout.covers_tests(&targets)
}

/// A run that failed and that no later one covers: the same command again, or
/// one of everything in its folder or above.
pub(super) fn standing_failure<'r>(
    fresh: &[Shown<'r>],
    ground: &Ground<'_>,
) -> Option<(Shown<'r>, Ended)> {
    let late = fresh
        .get(fresh.len().saturating_sub(16)..)
        .unwrap_or_default();
    let mut later: Vec<(&Shown<'r>, Ended)> = Vec::new();
    for one in late.iter().rev() {
        let ended = one.ended(ground);
        let mut all = later.iter();
        let is_failure = matches!(ended.how, How::Badly { .. }) && !later.is_empty();
        if is_failure && !all.any(|(later, ended)| covers(later, ended, one, ground)) {
            return Some((*one, ended));
        }
        later.push((one, ended));
    }
    None
}

fn covers(later: &Shown<'_>, ended: &Ended, failed: &Shown<'_>, ground: &Ground<'_>) -> bool {
    if !matches!(ended.how, How::Well { .. }) {
        return false;
    }
    let (own, its) = (folder(later, ground), folder(failed, ground));
    let found = &later.candidate.found;
    let is_above = found.everywhere && found.targets.iter().all(|target| !target.ends_with("..."))
        || match (&own, &its) {
            (Some(own), Some(its)) => its.starts_with(own),
            _ => true,
        };
    let is_same = later.run.command == failed.run.command
        || found.targets == failed.candidate.found.targets
            && found.partial == failed.candidate.found.partial;
    let is_full = !is_partial(later, ended, ground);
    is_above && (is_full || is_same)
}

/// Where a run looks for what it checks.
fn folder(shown: &Shown<'_>, ground: &Ground<'_>) -> Option<PathBuf> {
    let dir = shown.candidate.dir.as_ref()?;
    let Some(given) = &shown.candidate.found.root else {
        return Some(dir.clone());
    };
    let given = ground.places.absolute(dir, given);
    match given.extension() {
        Some(_) => given.parent().map(Path::to_owned),
        None => Some(given),
    }
}

/// Names of folders that hold all tests of a project.
pub(super) fn is_whole(target: &str) -> bool {
    let name = target.trim_start_matches("./").trim_end_matches('/');
    matches!(
        name,
        "" | "." | "..." | "test" | "tests" | "spec" | "specs" | "__tests__" | "src/test"
    )
}

/// Whether a run included what a claim names.
pub(super) fn includes(shown: &Shown<'_>, claim: &Claim, ground: &Ground<'_>) -> bool {
    let found = &shown.candidate.found;
    match &claim.scope {
        Scope::Path(path) => {
            if found.targets.is_empty() {
                return true;
            }
            let wanted = ground.places.absolute(&ground.places.root, path);
            let dir = shown
                .candidate
                .dir
                .as_deref()
                .unwrap_or(&ground.places.root);
            found.targets.iter().any(|target| {
                let target = target.trim_end_matches("/...");
                let given = ground.places.absolute(dir, target);
                wanted.starts_with(&given)
                    || given.starts_with(&wanted)
                    || given.ends_with(Path::new(path))
            })
        }
        Scope::Name(name) if !found.targets.is_empty() => {
            found.targets.iter().all(|target| is_whole(target)) || names(shown, name)
        }
        _ => true,
    }
}

/// Whether a command or its folder has the name of what a statement speaks of.
pub(super) fn names(shown: &Shown<'_>, name: &str) -> bool {
    let name = name.to_lowercase();
    let folder = shown
        .candidate
        .dir
        .as_ref()
        .map(|dir| dir.to_string_lossy().to_lowercase());
    name.len() >= 3
        && (shown.run.command.to_lowercase().contains(&name)
            || folder.is_some_and(|folder| folder.contains(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_that_the_line_prints_is_read() {
        assert_eq!(echoed("exit ", "12 passed\nexit 0\n"), Some(0));
        assert_eq!(echoed("", "x\n3\n"), Some(3));
        assert_eq!(echoed("EXIT:", "x\nEXIT:1\n"), Some(1));
        assert_eq!(echoed("", "no number"), None);
        assert_eq!(echoed("", "12 passed in 3s"), None);
    }

    #[test]
    fn a_missing_program_is_no_failing_one() {
        assert!(never_started(127, "", "pytest"));
        assert!(never_started(
            1,
            "/usr/bin/python3: No module named pytest",
            "pytest"
        ));
        assert!(!never_started(1, "1 failed", "pytest"));
    }
}
