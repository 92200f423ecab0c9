//! Claims that a command proves: which run counts, and whether it is enough.
//!
//! Contract: done 5.5, done 5.8.

use std::path::PathBuf;

use crosscheck_core::Verdict;
use crosscheck_transcript::session::{By, Change, State};

use super::Ground;
use super::run::{
    Ended, How, Shown, anchor, beside_a_failure, includes, is_below_a_failure, is_partial, matters,
    shown_with_scripts, test_scripts,
};
use super::{settings, shadow};
use crate::kind::{Claim, ClaimKind, Denied, Scope, Work};
use crate::opinion::{Opinion, Source, Trace};
use crate::read::session::{Edit, Session};
use crate::reasons::{Caveat, DoneReason};
use crate::redact::redacted;
use crate::relevance::is_test_file;
use crate::runner::{self, Row};
use crate::shell;

/// At most this many runs may add up to a claimed number.
const MAX_SUM: usize = 6;

/// Whether a name is one of a test: `test_round`, `TestRound`, `round_test`.
pub(super) fn is_test_name(name: &str) -> bool {
    crate::read::message::is_test_name(name)
}

/// Whether an exception is stated in words, and neither counted nor named.
fn is_described(except: &str) -> bool {
    let mut words = except.split_whitespace();
    let first = words.clone().next();
    first.is_some_and(|first| number_of(first).is_none())
        && !words.any(|word| word.contains(['_', '.', '/', ':']))
}

/// Whether one of the failures has this name, and not only a longer one.
fn is_among(name: &str, failures: &[String]) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let last = name.rsplit(|c: char| !is_word(c)).next().unwrap_or(name);
    let mut words = failures
        .iter()
        .flat_map(|failure| failure.split(|c| !is_word(c)));
    words.any(|word| word == last)
}

/// Whether the name of a failure and a word have a beginning in common:
/// `test_discount_round` and "rounding".
fn is_related(failure: &str, word: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric());
        let parts = parts.filter(|part| part.len() >= 3).map(str::to_lowercase);
        parts
            .filter(|part| !matches!(part.as_str(), "test" | "tests" | "new"))
            .collect()
    };
    let (failure, words) = (parts(failure), parts(word));
    failure.iter().any(|one| {
        words.iter().any(|other| {
            let common = one
                .chars()
                .zip(other.chars())
                .take_while(|(a, b)| a == b)
                .count();
            common >= 4 || common == one.len() || common == other.len()
        })
    })
}

fn works_of(kind: ClaimKind) -> Vec<Work> {
    match kind {
        ClaimKind::TestsPass => vec![Work::Tests],
        ClaimKind::BuildOk => vec![Work::Build],
        ClaimKind::LintClean => vec![Work::Lint],
        ClaimKind::TypesClean => vec![Work::Types],
        ClaimKind::Deployed => vec![Work::Deploy],
        ClaimKind::ChecksPass => vec![Work::Checks],
        _ => Vec::new(),
    }
}

/// Tests, build, lint, types, deployments.
pub(super) fn judge(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let all = shown_with_scripts(session, &works_of(claim.kind), ground);
    let case = Case {
        claim,
        session,
        ground,
    };
    case.decide(&all)
}

pub(super) struct Case<'c> {
    pub(super) claim: &'c Claim,
    pub(super) session: &'c Session,
    pub(super) ground: &'c Ground<'c>,
}

impl Case<'_> {
    pub(super) fn unproven(reason: DoneReason) -> Opinion {
        Opinion::undecided(reason, Source::Transcript)
    }

    fn decide(&self, all: &[Shown<'_>]) -> Opinion {
        let mut real: Vec<Shown<'_>> = all
            .iter()
            .filter(|one| !one.candidate.found.disqualified)
            .copied()
            .collect();
        if real.iter().any(|one| !self.is_of_others(one)) {
            real.retain(|one| !self.is_of_others(one));
        }
        if let Some(at) = real.iter().rposition(|one| self.is_named(one))
            && let Some((named, later)) = real.get(at..).and_then(<[_]>::split_first)
            && !later.iter().any(|one| self.tells_of(one, named))
        {
            real.truncate(at + 1);
        }
        let suggest = Self::suggest(&real);
        let mut opinion = if real.is_empty() {
            self.nothing(all)
        } else {
            self.among(&real)
        };
        opinion.suggest = suggest;
        // who tells that something is left out is not refuted by it
        if self.claim.is_limited && !matches!(self.claim.scope, Scope::Except(_)) {
            opinion.verdict = opinion.verdict.min(Verdict::Undecided);
        }
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
        own.map(|one| redacted(&one.run.command))
            .filter(|command| command.chars().count() <= 120 && !command.contains('\n'))
    }

    /// No command could show it.
    pub(super) fn nothing(&self, all: &[Shown<'_>]) -> Opinion {
        let running = self
            .ground
            .running
            .iter()
            .any(|command| self.is_candidate(command));
        if running {
            return Self::unproven(DoneReason::BackgroundRun);
        }
        if let Some(last) = all.last() {
            let trace = Trace::Run {
                step: last.run.order.line,
                command: redacted(&last.run.command),
                status: last.run.status,
                summary: String::new(),
                output_sha256: None,
            };
            return Self::unproven(DoneReason::DisqualifiedRun).with(trace);
        }
        let unparsed = self
            .session
            .runs
            .iter()
            .rfind(|run| run.unparsed && self.may_hold(&run.command));
        if let Some(run) = unparsed {
            return Self::unproven(DoneReason::ShellUnparsed).with(Trace::Run {
                step: run.order.line,
                command: redacted(&run.command),
                status: run.status,
                summary: String::new(),
                output_sha256: None,
            });
        }
        if self.session.facts.begins_midway || self.session.is_cut {
            return Self::unproven(DoneReason::HistoryIncomplete);
        }
        let opaque = self.session.opaque.iter().max();
        let edited = anchor(self.session, self.claim.kind, self.ground).map(|edit| edit.order);
        if opaque.is_some_and(|opaque| edited.is_none_or(|edited| *opaque > edited)) {
            return Self::unproven(DoneReason::SubagentOpaque);
        }
        let opinion = Self::unproven(DoneReason::NoRun);
        let script = test_scripts(self.session).next_back();
        match script.filter(|_| self.claim.kind == ClaimKind::TestsPass) {
            Some(script) => {
                let opinion = opinion.with(script.trace(&script.ended(self.ground)));
                match script.script_edit(self.session, self.ground) {
                    Some(edit) => opinion.with(Trace::Edit {
                        step: edit.order.line,
                        path: self.shown_path(&edit.path),
                    }),
                    None => opinion,
                }
            }
            None => opinion,
        }
    }

    fn is_candidate(&self, command: &str) -> bool {
        let works = works_of(self.claim.kind);
        shell::line(command).is_ok_and(|line| {
            line.segments.iter().any(|segment| {
                let found = self.ground.table.matches(&segment.run);
                found.iter().any(|found| {
                    !found.disqualified && found.work.iter().any(|work| works.contains(work))
                })
            })
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
            (None, None) => Self::unproven(DoneReason::NoRun),
            (Some(_), _) => self.newest(&fresh, real),
        }
    }

    /// Every run is older than the last change.
    pub(super) fn stale(&self, real: &[Shown<'_>], edit: &Edit) -> Opinion {
        let Some(last) = real.last() else {
            return Self::unproven(DoneReason::NoRun);
        };
        let running = self
            .ground
            .running
            .iter()
            .any(|command| self.is_candidate(command));
        if running && last.run.state == State::Background && self.is_now(last) {
            return Self::unproven(DoneReason::BackgroundRun);
        }
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
        let path = self.shown_path(&edit.path);
        Self::unproven(reason)
            .with(last.trace(&ended))
            .with(Trace::Edit {
                step: edit.order.line,
                path,
            })
    }

    fn is_now(&self, last: &Shown<'_>) -> bool {
        anchor(self.session, self.claim.kind, self.ground).is_none_or(|edit| last.is_after(edit))
    }

    fn shown_path(&self, path: &std::path::Path) -> String {
        let shown = self.ground.places.below(path).unwrap_or(path);
        shown.display().to_string()
    }

    /// The last run after the last change decides.
    fn newest(&self, fresh: &[Shown<'_>], real: &[Shown<'_>]) -> Opinion {
        let Some(last) = fresh.last() else {
            return Self::unproven(DoneReason::NoRun);
        };
        if let Some(order) = self.session.opaque.iter().max()
            && *order > last.order()
        {
            return Self::unproven(DoneReason::SubagentOpaque)
                .with(last.trace(&last.ended(self.ground)));
        }
        let ended = last.ended(self.ground);
        let partial = self.is_part(last, &ended, real);
        if partial && let Some(opinion) = self.superseded(fresh, real) {
            return opinion;
        }
        let mut opinion = self.by_state(last, &ended, partial, fresh, real);
        let is_whole = matches!(self.claim.scope, Scope::All | Scope::Plain);
        let beside = beside_a_failure(last, fresh, self.ground);
        if let Some((one, failed)) = beside
            && is_whole
            && opinion.verdict == Verdict::Confirmed
        {
            opinion = Self::unproven(DoneReason::PartialRun).with(one.trace(&failed));
        }
        opinion.proof.insert(0, last.trace(&ended));
        opinion.caveats.extend(last.caveat());
        if ended.is_cut && matches!(ended.how, How::Well { by_output: true }) {
            opinion = opinion.but(Caveat::OutputTruncated);
        }
        opinion
    }

    /// Whether a run was one of a part, by its arguments or by its folder.
    fn is_part(&self, one: &Shown<'_>, ended: &Ended, real: &[Shown<'_>]) -> bool {
        let at = real
            .iter()
            .position(|other| std::ptr::eq(other.candidate, one.candidate));
        let earlier = real.get(..at.unwrap_or_default()).unwrap_or_default();
        is_partial(one, ended, self.ground)
            || is_below_a_failure(one, ended, earlier, self.ground)
            || settings::leave_out(one, self.session, self.ground)
            || self.is_beside_the_changes(one)
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
                let is_file = |target: &String| crate::read::message::has_extension(target);
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

    /// A part was run again after everything had failed, without a change
    /// between.
    fn superseded(&self, fresh: &[Shown<'_>], real: &[Shown<'_>]) -> Option<Opinion> {
        if !matches!(self.claim.scope, Scope::All | Scope::Plain) {
            return None;
        }
        let (last, earlier) = fresh.split_last()?;
        // the newest run of everything counts
        for one in earlier.iter().rev().take(16) {
            let ended = one.ended(self.ground);
            if self.is_part(one, &ended, real) {
                continue;
            }
            return matches!(ended.how, How::Badly { .. }).then(|| {
                let newer = last.ended(self.ground);
                Opinion::new(Verdict::Refuted, DoneReason::Superseded, Source::Transcript)
                    .with(one.trace(&ended))
                    .with(last.trace(&newer))
            });
        }
        None
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
            return Self::unproven(reason);
        }
        if let Some(reason) = shadow::reason(last, self.session, self.ground) {
            return Self::unproven(reason);
        }
        if self.is_elsewhere(last, real) {
            return Self::unproven(DoneReason::WrongDir);
        }
        if !includes(last, self.claim, self.ground) {
            return Self::unproven(DoneReason::WrongTarget);
        }
        match ended.how {
            How::Badly { by_output } => self.failed(last, ended, by_output),
            How::Unknown(reason) => Self::unproven(reason),
            How::Well { by_output } => {
                if partial
                    && matches!(
                        self.claim.scope,
                        Scope::All | Scope::Plain | Scope::Except(_)
                    )
                {
                    return Self::unproven(DoneReason::PartialRun);
                }
                if let Some(opinion) = self.denied(last, ended, fresh) {
                    return opinion;
                }
                if !self.count_fits(last, ended, fresh) {
                    return Opinion::new(
                        Verdict::Refuted,
                        DoneReason::CountMismatch,
                        Source::Transcript,
                    );
                }
                let reason = if by_output {
                    DoneReason::RunOkOutput
                } else {
                    DoneReason::RunOk
                };
                Opinion::new(Verdict::Confirmed, reason, Source::Transcript)
            }
        }
    }

    /// A run that shows what the statement says is absent.
    fn denied(&self, last: &Shown<'_>, ended: &Ended, fresh: &[Shown<'_>]) -> Option<Opinion> {
        let Denied { skips, warnings } = self.claim.denies;
        let is_tests = self.claim.kind == ClaimKind::TestsPass;
        let skipped = |ended: &Ended| ended.reading.skipped.is_some_and(|skipped| skipped > 0);
        if skips && is_tests && skipped(ended) {
            // "`test_a.py`: 5 passed, none skipped": another run than the last
            let counts = |one: &Ended| one.reading.passed == self.claim.count && !skipped(one);
            let mut others = fresh.iter().rev().take(MAX_SUM);
            let is_other = self.claim.count.is_some()
                && ended.reading.passed != self.claim.count
                && others.any(|one| counts(&one.ended(self.ground)));
            if is_other {
                return Some(Self::unproven(DoneReason::PartialRun));
            }
            let (verdict, reason) = (Verdict::Refuted, DoneReason::CountMismatch);
            return Some(Opinion::new(verdict, reason, Source::Transcript));
        }
        if !warnings || self.claim.kind == ClaimKind::Deployed {
            return None;
        }
        if last.run.command.contains("--quiet") {
            return Some(Self::unproven(DoneReason::Masked));
        }
        let text = self.ground.outputs.output(last.run).unwrap_or_default();
        runner::warns(&text.text).then(|| {
            let (verdict, reason) = (Verdict::Refuted, DoneReason::RunFailedOutput);
            Opinion::new(verdict, reason, Source::Transcript)
        })
    }

    /// A failure, unless the statement itself leaves out what failed, or
    /// speaks of a part of which the output says nothing.
    fn failed(&self, last: &Shown<'_>, ended: &Ended, by_output: bool) -> Opinion {
        if let Scope::Except(except) = &self.claim.scope
            && self.ground.session.is_some()
            && ended.reading.failed.is_none_or(|failed| failed > 0)
            && (Self::fails_only_in(except, ended) || Self::is_counted(except, ended))
        {
            return Opinion::new(
                Verdict::Confirmed,
                DoneReason::RunMatchesException,
                Source::Transcript,
            );
        }
        let reason = if by_output {
            DoneReason::RunFailedOutput
        } else {
            DoneReason::RunFailed
        };
        let is_open = match &self.claim.scope {
            Scope::Except(except) => {
                self.claim.kind != ClaimKind::TestsPass || is_described(except)
            }
            Scope::Name(name) if is_test_name(name) => !is_among(name, &ended.failures),
            Scope::Name(name) => {
                let mut failures = ended.failures.iter();
                last.candidate.found.targets.is_empty()
                    && !failures.any(|failure| is_related(failure, name))
            }
            _ => false,
        };
        if is_open {
            return Self::unproven(reason);
        }
        Opinion::new(Verdict::Refuted, reason, Source::Transcript)
    }

    /// Whether the exception is the number of failures: "all but two".
    fn is_counted(except: &str, ended: &Ended) -> bool {
        let mut words = except.split_whitespace();
        let count = words.next().and_then(number_of);
        let is_plain = |word: &str| {
            matches!(
                word.to_ascii_lowercase().as_str(),
                "tests"
                    | "test"
                    | "failures"
                    | "failure"
                    | "of"
                    | "them"
                    | "failing"
                    | "exceptions"
            )
        };
        count.is_some() && count == ended.reading.failed && words.all(is_plain)
    }

    /// Whether every failure that the output names is one that was excepted.
    fn fails_only_in(except: &str, ended: &Ended) -> bool {
        let names: Vec<&str> = ended.failures.iter().map(String::as_str).collect();
        let words: Vec<String> = except
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| {
                word.len() >= 3
                    && !matches!(
                        *word,
                        "the" | "and" | "for" | "tests" | "test" | "which" | "that"
                    )
            })
            .map(str::to_ascii_lowercase)
            .collect();
        let enough = ended
            .reading
            .failed
            .is_none_or(|failed| names.len() as u64 >= failed);
        !names.is_empty()
            && enough
            && names.iter().all(|name| {
                let name = name.to_ascii_lowercase();
                let is_named = |word: &String| {
                    name.contains(word.as_str()) || !word.contains('_') && is_related(&name, word)
                };
                words.iter().any(is_named)
            })
    }

    /// Whether the run was in a package beside the one that was changed.
    fn is_elsewhere(&self, last: &Shown<'_>, real: &[Shown<'_>]) -> bool {
        let candidate = last.candidate;
        let Some(dir) = &candidate.dir else {
            return false;
        };
        if candidate.found.everywhere || self.claim.kind == ClaimKind::Deployed {
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

    /// Whether the claimed number is one that the runs show.
    fn count_fits(&self, last: &Shown<'_>, ended: &Ended, fresh: &[Shown<'_>]) -> bool {
        let Some(claimed) = self
            .claim
            .count
            .filter(|_| self.claim.kind == ClaimKind::TestsPass)
        else {
            return true;
        };
        if !matches!(self.claim.scope, Scope::All | Scope::Plain) {
            return true;
        }
        let unsure = |shown: &Shown<'_>, ended: &Ended| {
            ended.is_cut
                || (shown.shows_part()
                    && (ended.reading.parts.len() <= 1
                        && shown.row(self.ground).is_some_and(Row::adds_up)))
        };
        if unsure(last, ended) {
            return true;
        }
        let mut sums: Vec<u64> = vec![0];
        let mut known = false;
        for one in fresh.iter().rev().take(MAX_SUM) {
            let seen = one.ended(self.ground);
            if !matches!(seen.how, How::Well { .. }) {
                continue;
            }
            if unsure(one, &seen) {
                return true;
            }
            let numbers = numbers(&seen);
            if seen.reading.passed.is_none() {
                return true; // a run without a number may be the rest of it
            }
            known = true;
            let more: Vec<u64> = sums
                .iter()
                .flat_map(|sum| numbers.iter().map(move |number| sum + number))
                .collect();
            sums.extend(more);
            sums.sort_unstable();
            sums.dedup();
            sums.truncate(4096);
        }
        !known || sums.contains(&claimed)
    }
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
    let mut all: Vec<u64> = Vec::new();
    all.extend(reading.passed);
    all.extend(reading.total);
    all.extend(reading.suites);
    all.extend(
        reading
            .passed
            .and_then(|passed| Some(passed + reading.skipped?)),
    );
    all.extend(reading.parts.iter().copied().filter(|part| *part > 0));
    all
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
        let all = shown_with_scripts(session, &works_of(kind), ground);
        if all.iter().all(|one| one.candidate.found.disqualified) {
            continue;
        }
        let part = Claim {
            kind,
            scope: Scope::All,
            count: None,
            is_limited: claim.is_limited
                || kind == ClaimKind::ChecksPass && matches!(claim.scope, Scope::Except(_)),
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
        return Case {
            claim,
            session,
            ground,
        }
        .nothing(&[]);
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
    let claimed = claim.count.unwrap_or_default();
    if claim.subject == "tests" {
        return added_tests(claimed, session, ground);
    }
    let subject = claim.subject.as_str();
    let kind = if subject.contains("lint")
        || subject.contains("clippy")
        || subject.contains("eslint")
        || subject.contains("warning")
    {
        Some(ClaimKind::LintClean)
    } else if subject.contains("type") || subject.contains("mypy") {
        Some(ClaimKind::TypesClean)
    } else if subject.contains("test") || subject.contains("failure") {
        Some(ClaimKind::TestsPass)
    } else if subject.contains("build") || subject.contains("compile") {
        Some(ClaimKind::BuildOk)
    } else {
        None
    };
    let Some(kind) = kind else {
        return Case::unproven(DoneReason::CountUnknown);
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
    let mut added: i64 = 0;
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
            let more = signed(after) - signed(before.unwrap_or_default());
            if more != 0 {
                added += more;
                last = Some(edit);
            }
        }
    }
    let opaque =
        hidden || !session.opaque.is_empty() || session.is_cut || session.facts.begins_midway;
    let opinion = if added == signed(claimed) {
        Opinion::new(
            Verdict::Confirmed,
            DoneReason::FileChanged,
            Source::Transcript,
        )
    } else if added < signed(claimed) && !opaque && last.is_some() {
        Opinion::new(
            Verdict::Refuted,
            DoneReason::CountMismatch,
            Source::Transcript,
        )
    } else {
        Opinion::undecided(DoneReason::CountUnknown, Source::Transcript)
    };
    match last {
        Some(edit) => opinion.with(Trace::Edit {
            step: edit.order.line,
            path: ground
                .places
                .below(&edit.path)
                .unwrap_or(&edit.path)
                .display()
                .to_string(),
        }),
        None => opinion,
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// "Done!" alone: something ran after the last change.
pub(super) fn done(session: &Session, ground: &Ground<'_>) -> Opinion {
    let anchor = session
        .edits
        .iter()
        .rfind(|edit| edit.done && matters(edit, ClaimKind::TestsPass, ground));
    let ran = session.runs.iter().any(|run| {
        run.candidates.iter().any(|candidate| {
            let shown = Shown { run, candidate };
            !candidate.found.disqualified
                && candidate.found.work != [Work::Git]
                && anchor.is_none_or(|edit| shown.is_after(edit))
        })
    });
    if ran || anchor.is_none() {
        Opinion::new(Verdict::Confirmed, DoneReason::RunOk, Source::Transcript)
    } else {
        Opinion::undecided(DoneReason::NoRun, Source::Transcript)
    }
}
