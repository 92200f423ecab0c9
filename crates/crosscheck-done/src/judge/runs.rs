//! Claims that a command proves: which run counts, and whether it is enough.
//!
//! Contract: done 5.5, done 5.8.

use std::path::PathBuf;

use crosscheck_core::Verdict;
use crosscheck_core::rules::Rule;
use crosscheck_transcript::session::{By, Change};

use super::run::{
    Ended, How, Shown, anchor, anything_ran, hinted, includes, is_partial, matters, names, shown,
    standing_failure,
};
use super::steer;
use super::{Ground, confirmed, edited, refuted, unproven};
use crate::kind::{Claim, ClaimKind, Scope, Work};
use crate::opinion::{Opinion, Trace};
use crate::read::session::{Edit, Session};
use crate::reasons::{Caveat, DoneReason};
use crate::relevance::is_test_file;
use crate::shell;

const NAMED_PART: Rule = Rule::new(
    "done.named-part",
    "a run of a part is enough for a statement that names this part or its number",
);
const BESIDE: Rule = Rule::new(
    "done.beside",
    "a run in a package or on single files is a part when something else was changed",
);
const EXCEPTION: Rule = Rule::new(
    "done.exception",
    "what a statement leaves out is what failed when their words or numbers are the same",
);

/// At most this many runs may add up to a claimed number.
const MAX_SUM: usize = 6;

fn works_of(kind: ClaimKind) -> Vec<Work> {
    let of = |work: &Work| work.claim() == Some(kind);
    Work::ALL.into_iter().filter(of).collect()
}

/// Tests, build, lint, types, deployments.
pub(super) fn judge(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let works = works_of(claim.kind);
    let mut all = shown(session, &works, ground);
    let case = Case {
        claim,
        session,
        ground,
    };
    let opinion = case.decide(&all);
    if opinion.verdict == Verdict::Confirmed || claim.kind.work().is_none() {
        return opinion;
    }
    let hinted = works.iter().flat_map(|work| hinted(session, *work, ground));
    let hinted: Vec<Shown<'_>> = hinted.collect();
    if hinted.is_empty() {
        return opinion;
    }
    all.extend(hinted);
    all.sort_by_key(|one| (one.order(), one.candidate.segment));
    case.decide(&all)
}

pub(super) struct Case<'c> {
    pub(super) claim: &'c Claim,
    pub(super) session: &'c Session,
    pub(super) ground: &'c Ground<'c>,
}

impl Case<'_> {
    fn decide(&self, all: &[Shown<'_>]) -> Opinion {
        let real = all.iter().filter(|one| !one.candidate.found.disqualified);
        let mut real: Vec<Shown<'_>> = real.copied().collect();
        if real.iter().any(|one| !self.is_of_others(one)) {
            real.retain(|one| !self.is_of_others(one));
        }
        let has_run = !real.is_empty();
        if !self.claim.tool.is_empty() {
            real.retain(|one| one.runs_tool(&self.claim.tool, self.ground));
        }
        let is_other = has_run && real.is_empty();
        if let Some(at) = real.iter().rposition(|one| self.is_named(one))
            && let Some((named, later)) = real.get(at..).and_then(<[_]>::split_first)
            && !later.iter().any(|one| self.tells_of(one, named))
        {
            real.truncate(at + 1);
        }
        let mut opinion = match all.last() {
            Some(other) if is_other => {
                unproven(DoneReason::WrongTarget).with(other.trace(&other.ended(self.ground)))
            }
            _ if real.is_empty() => self.nothing(all),
            _ => self.among(&real),
        };
        opinion.suggest = Self::suggest(&real);
        if self.session.is_cut {
            opinion = opinion.but(Caveat::PartialHistory);
        }
        opinion
    }

    /// Whether it looked only at files outside of the project, where the
    /// session changed nothing.
    fn is_of_others(&self, one: &Shown<'_>) -> bool {
        let (Some(dir), places) = (&one.candidate.dir, self.ground.places) else {
            return false;
        };
        let targets = &one.candidate.found.targets;
        let is_outside = |target: &String| {
            let path = places.absolute(dir, target);
            let mut edits = self.session.edits.iter();
            places.below(&path).is_none()
                && !places.root.starts_with(&path)
                && !edits.any(|edit| edit.path.starts_with(&path))
        };
        !targets.is_empty() && places.below(dir).is_some() && targets.iter().all(is_outside)
    }

    /// Whether the statement quotes this command, which names files, or names
    /// just the file that a linter looked at.
    fn is_named(&self, one: &Shown<'_>) -> bool {
        let quoted = format!("`{}`", one.run.command.trim());
        let targets = one.candidate.found.targets.as_slice();
        let is_target = match (&self.claim.scope, self.claim.kind) {
            (Scope::Path(path), ClaimKind::LintClean | ClaimKind::TypesClean) => {
                matches!(targets, [only] if only == path)
            }
            _ => false,
        };
        is_target || !targets.is_empty() && self.claim.quote.contains(&quoted)
    }

    /// Whether the output of a run names what another one looked at.
    fn tells_of(&self, one: &Shown<'_>, other: &Shown<'_>) -> bool {
        let output = self.ground.outputs.output(one.run).unwrap_or_default();
        let mut targets = other.candidate.found.targets.iter();
        output.is_cut || targets.any(|target| output.text.contains(target.as_str()))
    }

    /// The last full command of the agent for this work.
    fn suggest(real: &[Shown<'_>]) -> Option<String> {
        let own = real.iter().rfind(|one| {
            let found = &one.candidate.found;
            !found.partial && found.targets.is_empty() && one.run.by != By::User
        });
        own.map(|one| one.run.command.to_string())
            .filter(|command| command.chars().count() <= 120 && !command.contains('\n'))
    }

    /// No command could show it.
    pub(super) fn nothing(&self, all: &[Shown<'_>]) -> Opinion {
        if self.is_running() {
            return unproven(DoneReason::BackgroundRun);
        }
        if let Some(last) = all.last() {
            let run = last.run;
            let trace = Trace::ran(run.order.line, &run.command, run.status);
            return unproven(DoneReason::DisqualifiedRun).with(trace);
        }
        let unparsed = self
            .session
            .runs
            .iter()
            .rfind(|run| run.unparsed && self.may_hold(&run.command));
        if let Some(run) = unparsed {
            let trace = Trace::ran(run.order.line, &run.command, run.status);
            return unproven(DoneReason::ShellUnparsed).with(trace);
        }
        if self.session.facts.begins_midway || self.session.is_cut {
            return unproven(DoneReason::HistoryIncomplete);
        }
        let opaque = self.session.opaque.iter().max();
        let edited = anchor(self.session, self.claim.kind, self.ground).map(|edit| edit.order);
        if opaque.is_some_and(|opaque| edited.is_none_or(|edited| *opaque > edited)) {
            return unproven(DoneReason::SubagentOpaque);
        }
        unproven(DoneReason::NoRun)
    }

    /// Whether the harness says that such a command is still running.
    fn is_running(&self) -> bool {
        let works = works_of(self.claim.kind);
        let mut lines = self
            .ground
            .running
            .iter()
            .flat_map(|command| shell::line(command));
        lines.any(|line| {
            let found = line
                .segments
                .iter()
                .flat_map(|one| self.ground.table.matches(&one.run));
            let mut found = found.filter(|found| !found.disqualified);
            found.any(|found| found.work.iter().any(|work| works.contains(work)))
        })
    }

    /// Whether a command line that was not understood names a runner.
    fn may_hold(&self, command: &str) -> bool {
        let works = works_of(self.claim.kind);
        let rows = self
            .ground
            .table
            .rows()
            .iter()
            .filter(|row| row.work.iter().any(|work| works.contains(work)));
        let mut names = rows.flat_map(|row| row.commands().collect::<Vec<_>>());
        names.any(|name| {
            let name = name.trim_end_matches('*');
            name.len() > 3 && command.contains(name)
        })
    }

    fn among(&self, real: &[Shown<'_>]) -> Opinion {
        let anchor = anchor(self.session, self.claim.kind, self.ground);
        let fresh: Vec<Shown<'_>> = real
            .iter()
            .filter(|one| anchor.is_none_or(|edit| one.is_after(edit)))
            .copied()
            .collect();
        match (fresh.last(), anchor) {
            (None, Some(edit)) => self.stale(real, edit),
            (None, None) => unproven(DoneReason::NoRun),
            (Some(_), _) => self.newest(&fresh, real),
        }
    }

    /// Every run is older than the last change.
    pub(super) fn stale(&self, real: &[Shown<'_>], edit: &Edit) -> Opinion {
        let Some(last) = real.last() else {
            return unproven(DoneReason::NoRun);
        };
        let ended = last.ended(self.ground);
        let failed = matches!(ended.how, How::Badly { .. });
        let hidden = self
            .session
            .opaque
            .iter()
            .any(|order| *order > last.order());
        let reason = match (failed, hidden) {
            (true, _) => DoneReason::FailedThenEdited,
            (false, true) => DoneReason::SubagentOpaque,
            (false, false) => DoneReason::StaleRun,
        };
        unproven(reason)
            .with(last.trace(&ended))
            .with(edited(edit, self.ground))
    }

    /// The last run after the last change decides, unless an earlier failure
    /// stands.
    fn newest(&self, fresh: &[Shown<'_>], real: &[Shown<'_>]) -> Opinion {
        let Some(last) = fresh.last() else {
            return unproven(DoneReason::NoRun);
        };
        let opaque = self.session.opaque.iter().max();
        if opaque.is_some_and(|order| *order > last.order()) {
            return unproven(DoneReason::SubagentOpaque).with(last.trace(&last.ended(self.ground)));
        }
        let ended = last.ended(self.ground);
        let partial = is_partial(last, &ended, self.ground)
            || BESIDE.is_on() && self.is_beside_the_changes(last);
        let is_whole = matches!(self.claim.scope, Scope::All | Scope::Plain);
        let is_well = matches!(ended.how, How::Well { .. });
        let standing = standing_failure(fresh, self.ground).filter(|_| is_whole && is_well);
        let mut opinion = match standing {
            Some((one, failed)) if is_partial(&one, &failed, self.ground) || !partial => {
                unproven(DoneReason::PartialRun).with(one.trace(&failed))
            }
            Some((one, failed)) => refuted(DoneReason::Superseded).with(one.trace(&failed)),
            None => self.by_state(last, &ended, partial, fresh, real),
        };
        opinion.proof.insert(0, last.trace(&ended));
        opinion.caveats.extend(last.caveat());
        if ended.is_cut && matches!(ended.how, How::Well { by_output: true }) {
            opinion = opinion.but(Caveat::OutputTruncated);
        }
        opinion
    }

    /// Whether a run of a part is one of what the statement names: by its
    /// name, or by the number that it counts.
    fn is_named_part(&self, last: &Shown<'_>, ended: &Ended) -> bool {
        let counted = self.claim.count.is_some_and(|count| {
            [ended.reading.passed, ended.reading.total].contains(&Some(count))
        });
        match &self.claim.scope {
            _ if !NAMED_PART.is_on() => false,
            Scope::Name(name) => counted || names(last, name) || name == "new",
            Scope::Path(_) | Scope::Count(_) => true,
            Scope::All | Scope::Plain => counted,
            Scope::Except(_) => false,
        }
    }

    /// Whether it ran in a package of its own, or on single files, while
    /// something else was changed that it did not look at.
    fn is_beside_the_changes(&self, one: &Shown<'_>) -> bool {
        let (Some(dir), ground) = (&one.candidate.dir, self.ground) else {
            return false;
        };
        let found = &one.candidate.found;
        let seen: Vec<PathBuf> = match self.claim.kind {
            ClaimKind::TestsPass if !found.everywhere => {
                let package = ground.layout.package(dir);
                let is_inner = ground.places.below(&package).is_some()
                    && package != ground.places.root
                    && ground.layout.has_tests_beside(&package);
                is_inner.then_some(package).into_iter().collect()
            }
            ClaimKind::LintClean | ClaimKind::TypesClean => {
                let is_file = |target: &String| crate::claim::has_extension(target);
                let targets = found
                    .targets
                    .iter()
                    .filter(|_| found.targets.iter().all(is_file));
                targets
                    .map(|target| ground.places.absolute(dir, target))
                    .collect()
            }
            _ => Vec::new(),
        };
        let mut edits = self.session.edits.iter();
        !seen.is_empty()
            && edits.any(|edit| {
                let is_seen = seen.iter().any(|seen| edit.path.starts_with(seen));
                edit.done
                    && edit.change != Change::Tree
                    && !is_seen
                    && matters(edit, self.claim.kind, ground)
            })
    }

    fn by_state(
        &self,
        last: &Shown<'_>,
        ended: &Ended,
        partial: bool,
        fresh: &[Shown<'_>],
        real: &[Shown<'_>],
    ) -> Opinion {
        let early = [
            DoneReason::NoResult,
            DoneReason::BackgroundRun,
            DoneReason::Interrupted,
            DoneReason::TimedOut,
            DoneReason::EmptyRun,
            DoneReason::NotReached,
            DoneReason::DisqualifiedRun,
        ];
        if let How::Unknown(reason) = ended.how
            && early.contains(&reason)
        {
            return unproven(reason);
        }
        if let Some((reason, edit)) = steer::reason(last, self.session, self.ground)
            && matches!(ended.how, How::Well { .. })
        {
            let opinion = unproven(reason);
            return match edit {
                Some(edit) => opinion.with(edited(edit, self.ground)),
                None => opinion,
            };
        }
        if self.is_elsewhere(last, real) {
            return unproven(DoneReason::WrongDir);
        }
        if !includes(last, self.claim, self.ground) && !self.is_named_part(last, ended) {
            return unproven(DoneReason::WrongTarget);
        }
        match ended.how {
            How::Badly { by_output } => self.failed(ended, by_output),
            How::Unknown(reason) => unproven(reason),
            How::Well { by_output } => {
                if partial && !self.is_named_part(last, ended) {
                    return unproven(DoneReason::PartialRun);
                }
                if let Some(opinion) = self.wrong_count(last, ended, fresh, real) {
                    return opinion;
                }
                confirmed(if by_output {
                    DoneReason::RunOkOutput
                } else {
                    DoneReason::RunOk
                })
            }
        }
    }

    /// A failure, unless the statement itself leaves out what failed, by its
    /// name or number, or speaks of a part.
    fn failed(&self, ended: &Ended, by_output: bool) -> Opinion {
        let reason = if by_output {
            DoneReason::RunFailedOutput
        } else {
            DoneReason::RunFailed
        };
        match &self.claim.scope {
            Scope::Except(except) if EXCEPTION.is_on() && is_excepted(except, ended) => {
                confirmed(DoneReason::RunMatchesException)
            }
            Scope::All | Scope::Plain | Scope::Path(_) => refuted(reason),
            Scope::Name(name) if ended.failures.iter().any(|one| one.contains(name)) => {
                refuted(reason)
            }
            Scope::Except(except) if except.contains(['_', '.', '/', ':']) => refuted(reason),
            Scope::Name(_) | Scope::Count(_) | Scope::Except(_) => unproven(reason),
        }
    }

    /// Whether the run was in a package beside the one that was changed.
    fn is_elsewhere(&self, last: &Shown<'_>, real: &[Shown<'_>]) -> bool {
        let candidate = last.candidate;
        if self.claim.kind == ClaimKind::Deployed {
            return false;
        }
        let Some(dir) = candidate.dir.as_ref().filter(|_| !candidate.away) else {
            return candidate.away;
        };
        if candidate.found.everywhere {
            return false;
        }
        let named = |path: &PathBuf| {
            candidate.found.packages.iter().any(|package| {
                path.ends_with(
                    package
                        .trim_start_matches("./")
                        .rsplit('/')
                        .next()
                        .unwrap_or_default(),
                )
            })
        };
        let ran_in = self.ground.layout.package(dir);
        let before = real
            .iter()
            .filter(|one| one.order() < last.order())
            .map(Shown::order)
            .max();
        let edits = self.session.edits.iter().filter(|edit| {
            edit.done
                && edit.change != Change::Tree
                && matters(edit, self.claim.kind, self.ground)
                && last.is_after(edit)
                && before.is_none_or(|before| edit.order > before)
        });
        let places = &self.ground.places;
        if places.below(dir).is_none() && !places.root.starts_with(dir) {
            // a copy of the project, unless it was changed there
            let mut edits = edits.map(|edit| edit.path.as_path()).peekable();
            return edits.peek().is_some()
                && edits.all(|path| !path.starts_with(dir) && places.below(path).is_some());
        }
        let mut packages = edits.map(|edit| {
            self.ground
                .layout
                .package(edit.path.parent().unwrap_or(&edit.path))
        });
        packages.any(|package| {
            !package.starts_with(&ran_in) && !ran_in.starts_with(&package) && !named(&package)
        })
    }

    /// What a claimed number is that the runs do not show: contradicted, or
    /// the sum with a run before the last change.
    fn wrong_count(
        &self,
        last: &Shown<'_>,
        ended: &Ended,
        fresh: &[Shown<'_>],
        real: &[Shown<'_>],
    ) -> Option<Opinion> {
        let is_whole = matches!(self.claim.scope, Scope::All | Scope::Plain);
        let claimed = self
            .claim
            .count
            .filter(|_| is_whole && self.claim.kind == ClaimKind::TestsPass)?;
        let unsure = |shown: &Shown<'_>, ended: &Ended| {
            let adds_up = shown.row(self.ground).is_some_and(|row| row.sum);
            ended.is_cut || shown.shows_part() && ended.reading.parts.len() <= 1 && adds_up
        };
        if unsure(last, ended) {
            return None;
        }
        let mut sums: std::collections::BTreeSet<u64> = std::collections::BTreeSet::from([0]);
        for (nth, one) in real.iter().rev().take(MAX_SUM).enumerate() {
            let seen = one.ended(self.ground);
            let is_fresh = nth < fresh.len();
            if !matches!(seen.how, How::Well { .. }) {
                continue;
            }
            // a run without a number may be the rest of it
            if is_fresh && (unsure(one, &seen) || seen.reading.passed.is_none()) {
                return None;
            }
            if seen.reading.parts.contains(&claimed) {
                return None;
            }
            let numbers = numbers(&seen);
            let more: Vec<u64> = sums
                .iter()
                .flat_map(|sum| numbers.iter().map(move |number| sum + number))
                .collect();
            sums.extend(more);
            if sums.contains(&claimed) {
                return (!is_fresh).then(|| unproven(DoneReason::StaleRun));
            }
        }
        Some(refuted(DoneReason::CountMismatch))
    }
}

/// Whether what failed is what an exception names or counts.
fn is_excepted(except: &str, ended: &Ended) -> bool {
    let lower = except.to_lowercase();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let Some(first) = words.first().filter(|_| ended.reading.failed != Some(0)) else {
        return false;
    };
    let count = number_of(first);
    let is_named = |failure: &String| {
        let failure = failure.to_lowercase();
        let is_long = |word: &&&str| word.len() >= 4 && !matches!(**word, "test" | "tests");
        words
            .iter()
            .filter(is_long)
            .any(|word| failure.contains(*word))
    };
    let failed = ended.reading.failed;
    let enough = failed.is_none_or(|failed| ended.failures.len() as u64 >= failed);
    count.is_some() && count == failed
        || !ended.failures.is_empty() && enough && ended.failures.iter().all(is_named)
}

/// A small number in digits or in a word.
fn number_of(word: &str) -> Option<u64> {
    const WORDS: [&[&str]; 5] = [
        &[
            "one", "un", "une", "uno", "una", "um", "uma", "einen", "einer",
        ],
        &["two", "deux", "dos", "dois", "duas", "zwei"],
        &["three", "trois", "tres", "três", "drei"],
        &["four", "quatre", "cuatro", "quatro", "vier"],
        &["five", "cinq", "cinco", "fünf"],
    ];
    let lower = word.to_lowercase();
    let named = WORDS
        .iter()
        .zip(1..)
        .find(|(words, _)| words.contains(&&*lower));
    named
        .map(|(_, number)| number)
        .or_else(|| lower.parse().ok())
}

/// Numbers that can be taken from a summary.
fn numbers(ended: &Ended) -> Vec<u64> {
    let reading = &ended.reading;
    let with_skipped = || Some(reading.passed? + reading.skipped?);
    let all = [
        reading.passed,
        reading.total,
        reading.suites,
        with_skipped(),
    ];
    all.into_iter().flatten().collect()
}

/// "All checks pass": every kind of check that the session ran at all.
pub(super) fn checks(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let kinds = [
        ClaimKind::TestsPass,
        ClaimKind::LintClean,
        ClaimKind::TypesClean,
        ClaimKind::BuildOk,
        ClaimKind::ChecksPass,
    ];
    // what runs elsewhere is not shown by what ran here
    let is_elsewhere = is_elsewhere(claim, session);
    let counts = |kind: &ClaimKind| !is_elsewhere || *kind == ClaimKind::ChecksPass;
    let mut opinions = Vec::new();
    for kind in kinds.into_iter().filter(counts) {
        let all = shown(session, &works_of(kind), ground);
        if all.iter().all(|one| one.candidate.found.disqualified) {
            continue;
        }
        let part = Claim {
            kind,
            scope: Scope::All,
            count: None,
            concedes: claim.concedes || matches!(claim.scope, Scope::Except(_)),
            ..claim.clone()
        };
        let case = Case {
            claim: &part,
            session,
            ground,
        };
        opinions.push(case.decide(&all));
    }
    let worst = opinions.iter().map(|opinion| opinion.verdict).max();
    let Some(worst) = worst else {
        let case = Case {
            claim,
            session,
            ground,
        };
        return case.nothing(&[]);
    };
    let mut picked: Vec<Opinion> = opinions
        .into_iter()
        .filter(|opinion| opinion.verdict == worst)
        .collect();
    let by_status = picked
        .iter()
        .position(|opinion| opinion.reason == DoneReason::RunOk)
        .unwrap_or(0);
    let mut first = picked.swap_remove(by_status);
    for other in picked {
        first.proof.extend(other.proof);
        first.caveats.extend(other.caveats);
    }
    first
}

/// Whether a statement speaks of a service that runs checks, and nothing ran
/// here under its name.
fn is_elsewhere(claim: &Claim, session: &Session) -> bool {
    const NAMES: [&str; 4] = ["ci", "actions", "github", "gitlab"];
    let has = |text: &str| {
        let lower = text.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| NAMES.contains(&word))
    };
    let mut runs = session.runs.iter().filter(|run| !run.candidates.is_empty());
    has(&claim.quote) && !runs.any(|run| has(&run.command))
}

/// "Added N tests", "fixed all N errors".
pub(super) fn count(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    const NOUNS: [(&str, ClaimKind); 9] = [
        ("lint", ClaimKind::LintClean),
        ("clippy", ClaimKind::LintClean),
        ("warning", ClaimKind::LintClean),
        ("type", ClaimKind::TypesClean),
        ("mypy", ClaimKind::TypesClean),
        ("test", ClaimKind::TestsPass),
        ("failure", ClaimKind::TestsPass),
        ("build", ClaimKind::BuildOk),
        ("compile", ClaimKind::BuildOk),
    ];
    let claimed = claim.count.unwrap_or_default();
    if claim.subject == "tests" {
        return added_tests(claimed, session, ground);
    }
    let named = NOUNS.iter().find(|(noun, _)| claim.subject.contains(noun));
    let kind = named.map(|(_, kind)| *kind);
    let Some(kind) = kind else {
        return unproven(DoneReason::CountUnknown);
    };
    let part = Claim {
        kind,
        scope: Scope::Plain,
        count: None,
        ..claim.clone()
    };
    judge(&part, session, ground)
}

/// Counts the test cases that the edits of the session added.
fn added_tests(claimed: u64, session: &Session, ground: &Ground<'_>) -> Opinion {
    let mut added: u64 = 0;
    let mut hidden = false;
    let mut last = None;
    for edit in session
        .edits
        .iter()
        .filter(|edit| edit.done && ground.relevance.is_change(&edit.path))
    {
        if edit.tool.is_none() {
            hidden |= edit.change != Change::Delete && is_test_file(&edit.path)
                || edit.change == Change::Tree;
            continue;
        }
        for replaced in ground.outputs.replaced(edit) {
            let before = replaced
                .old
                .as_deref()
                .map(|old| super::findings::test_cases(old, &edit.path));
            hidden |= before.is_none() && is_test_file(&edit.path);
            let after = super::findings::test_cases(&replaced.new, &edit.path);
            // what was removed elsewhere takes nothing from what was added
            let more = after.saturating_sub(before.unwrap_or_default());
            if more > 0 {
                added += more;
                last = Some(edit);
            }
        }
    }
    let opaque =
        hidden || !session.opaque.is_empty() || session.is_cut || session.facts.begins_midway;
    let opinion = if added == claimed {
        confirmed(DoneReason::FileChanged)
    } else if added < claimed && !opaque && last.is_some() {
        refuted(DoneReason::CountMismatch)
    } else {
        unproven(DoneReason::CountUnknown)
    };
    match last {
        Some(edit) => opinion.with(edited(edit, ground)),
        None => opinion,
    }
}

/// "Done!" alone: something ran after the last change.
pub(super) fn done(session: &Session, ground: &Ground<'_>) -> Opinion {
    let anchor = anchor(session, ClaimKind::TestsPass, ground);
    if anchor.is_none() || anything_ran(session, anchor) {
        confirmed(DoneReason::RunOk)
    } else {
        unproven(DoneReason::NoRun)
    }
}
