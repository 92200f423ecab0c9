//! Compares a claim with what git shows. Pure.

mod paths;
mod symbols;

use crosscheck_core::{Place, Rule, Verdict};

use crate::observe::{Change, CommitSeen, Facts, Status};
use crate::read::checks::{CheckEnding, CheckResults};
use crate::read::{
    Claim, ClaimKind, Subject, class_of, is_test_definition, may_hold_tests, shows_several_tests,
    shows_test,
};
use crate::reasons::PrReason;

const TESTS: Rule = Rule::new(
    "pr.tests",
    "lines and paths that look like tests decide whether tests were added",
);

/// What a claim came to.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) verdict: Verdict,
    pub(crate) reason: PrReason,
    /// What the diff should show.
    pub(crate) expected: String,
    /// What it shows.
    pub(crate) observed: String,
    pub(crate) place: Option<Place>,
}

impl Finding {
    fn new(verdict: Verdict, reason: PrReason, observed: impl Into<String>) -> Self {
        Self {
            verdict,
            reason,
            expected: String::new(),
            observed: observed.into(),
            place: None,
        }
    }

    fn confirmed(observed: impl Into<String>) -> Self {
        Self::new(Verdict::Confirmed, PrReason::DiffAgrees, observed)
    }

    fn refuted(reason: PrReason, observed: impl Into<String>) -> Self {
        Self::new(Verdict::Refuted, reason, observed)
    }

    fn undecided(reason: PrReason, observed: impl Into<String>) -> Self {
        Self::new(Verdict::Undecided, reason, observed)
    }

    fn at(mut self, path: &str, line: Option<u64>) -> Self {
        self.place = Some(Place {
            path: path.to_owned(),
            line,
            column: None,
            end_line: None,
        });
        self
    }
}

/// Judges one claim; a name that turns out to be no path claims nothing.
pub(crate) fn claim(
    claim: &Claim,
    facts: &Facts,
    checks: Option<&CheckResults>,
) -> Option<Finding> {
    let finding = match &claim.subject {
        Subject::Name(name) => match claim.kind {
            ClaimKind::SymbolAdded => symbols::added(name, facts),
            ClaimKind::SymbolRemoved => symbols::removed(name, facts),
            ClaimKind::CommitIncluded => commit(&name.text, true, facts),
            ClaimKind::CommitExists => commit(&name.text, false, facts),
            ClaimKind::ScriptExists => symbols::script(&name.text, facts),
            ClaimKind::Unread if !paths::may_mean(name, facts) => return None,
            ClaimKind::Unread => unread(),
            kind => paths::one(kind, name, facts)?,
        },
        Subject::Names(names) => paths::only(names, facts)?,
        Subject::Pair(a, b) if claim.kind == ClaimKind::FileRenamed => paths::renamed(a, b, facts),
        Subject::Pair(a, b) => symbols::renamed(a, b, facts),
        Subject::Class(class) => untouched_class(class, facts),
        Subject::Count(count) if claim.kind == ClaimKind::TestsAdded => tests(Some(*count), facts),
        Subject::Count(_) if claim.kind == ClaimKind::Unread => unread(),
        Subject::Count(count) => counted(claim.kind, *count, facts),
        Subject::Change if claim.kind == ClaimKind::TestsAdded => tests(None, facts),
        Subject::Change => passed(claim.kind, checks),
    };
    Some(Finding {
        expected: expected(claim),
        ..finding
    })
}

/// What the diff should show, in words.
fn expected(claim: &Claim) -> String {
    match (&claim.subject, claim.kind) {
        (Subject::Name(name), kind) => {
            let text = &name.text;
            match kind {
                ClaimKind::FileCreated | ClaimKind::FileAdded | ClaimKind::FileMade => {
                    format!("{text} is new")
                }
                ClaimKind::FileDeleted => format!("{text} is removed"),
                ClaimKind::Untouched => format!("{text} is not changed"),
                ClaimKind::Unread => format!("what is said of {text}"),
                ClaimKind::SymbolAdded => format!("an added line has {text}"),
                ClaimKind::SymbolRemoved => format!("a removed line has {text}"),
                ClaimKind::CommitIncluded => format!("{text} is a commit of this change"),
                ClaimKind::CommitExists => format!("{text} is a commit of this repository"),
                ClaimKind::ScriptExists => format!("the project declares `{text}`"),
                _ => format!("{text} is changed"),
            }
        }
        (Subject::Names(names), _) => {
            let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
            format!("nothing but {} is changed", names.join(", "))
        }
        (Subject::Pair(a, b), _) => format!("{} becomes {}", a.text, b.text),
        (Subject::Class(class), _) => format!("no change to {class}"),
        (Subject::Count(count), kind) => match kind {
            ClaimKind::TestsAdded => format!("{count} added tests"),
            ClaimKind::FilesCreated => format!("{count} new files"),
            ClaimKind::LinesAdded => format!("{count} added lines"),
            ClaimKind::LinesRemoved => format!("{count} removed lines"),
            ClaimKind::Unread => format!("what is said of {count} lines"),
            _ => format!("{count} changed files"),
        },
        (Subject::Change, ClaimKind::TestsAdded) => "an added test".to_owned(),
        (Subject::Change, ClaimKind::TestsPass) => "every test passed".to_owned(),
        (Subject::Change, _) => "every check passed".to_owned(),
    }
}

/// A change in one line: `modified src/a.rs (+3 -1)`.
fn shown(change: &Change) -> String {
    let word = match change.status {
        Status::Added => "added",
        Status::Deleted => "deleted",
        Status::Modified => "modified",
        Status::Renamed => "renamed",
    };
    let path = match &change.old_path {
        Some(old) => format!("{old} to {}", change.path),
        None => change.path.clone(),
    };
    match change.lines {
        Some((added, removed)) => format!("{word} {path} (+{added} -{removed})"),
        None => format!("{word} {path}"),
    }
}

/// The words are not understood; what they say may be false.
fn unread() -> Finding {
    Finding::undecided(
        PrReason::NotInDiff,
        "no known form of words says what this claims",
    )
}

fn untouched_class(class: &str, facts: &Facts) -> Finding {
    let Some(form) = class_of(class) else {
        return Finding::undecided(PrReason::NotInDiff, "no files are known by this name");
    };
    let is_one = |change: &&Change| {
        let old = change.old_path.as_deref().unwrap_or_default();
        form.is_match(&change.path) || form.is_match(old)
    };
    match facts.changes.iter().find(is_one) {
        Some(change) => {
            Finding::refuted(PrReason::OtherFileChanged, shown(change)).at(&change.path, None)
        }
        None => Finding::confirmed(format!(
            "{} files changed, none of them",
            facts.changes.len()
        )),
    }
}

fn counted(kind: ClaimKind, count: u64, facts: &Facts) -> Finding {
    let files = facts.changes.len() as u64;
    let lines = |pick: fn((u64, u64)) -> u64| {
        let counts = facts.changes.iter().filter_map(|change| change.lines);
        counts.map(pick).sum::<u64>()
    };
    let is_status = |status: Status| facts.changes.iter().filter(move |one| one.status == status);
    let (found, word, may_be_more) = match kind {
        // the text may name the most important ones only
        ClaimKind::FilesCreated => (is_status(Status::Added).count() as u64, "new files", true),
        ClaimKind::LinesAdded => (lines(|(added, _)| added), "added lines", false),
        ClaimKind::LinesRemoved => (lines(|(_, removed)| removed), "removed lines", false),
        _ => (files, "changed files", false),
    };
    let observed = format!("{found} {word}");
    let is_whole = facts.changes.iter().all(|change| change.lines.is_some());
    if found == count {
        Finding::confirmed(observed)
    } else if may_be_more && found > count {
        Finding::undecided(PrReason::NotInDiff, observed)
    } else if !is_whole && matches!(kind, ClaimKind::LinesAdded | ClaimKind::LinesRemoved) {
        Finding::undecided(PrReason::PatchUnread, observed)
    } else {
        Finding::refuted(PrReason::CountDiffers, observed)
    }
}

/// Whether tests were added, and how many.
fn tests(count: Option<u64>, facts: &Facts) -> Finding {
    let patch = match &facts.patch {
        Ok(patch) => patch,
        Err(why) => return Finding::undecided(PrReason::PatchUnread, why.clone()),
    };
    let definitions: Vec<_> = patch
        .added
        .iter()
        .filter(|line| TESTS.is_on() && is_test_definition(&line.text))
        .collect();
    let new_files = facts.changes.iter().filter(|change| {
        change.status == Status::Added
            && class_of("tests").is_some_and(|c| c.is_match(&change.path))
    });
    let new_files = new_files.count() as u64;
    let found = definitions.len() as u64;
    let observed = format!("{found} added lines begin a test, {new_files} new test files");
    let evidence = |finding: Finding| match definitions.first() {
        Some(line) => finding.at(&line.path, Some(line.line)),
        None => finding,
    };
    let may_hold = |change: &Change| shows_test(&change.path) || may_hold_tests(&change.path);
    let has_trace =
        facts.changes.iter().any(may_hold) || patch.added.iter().any(|line| shows_test(&line.text));
    let is_several = patch
        .added
        .iter()
        .any(|line| shows_several_tests(&line.text));
    match count {
        _ if !has_trace && patch.binary == 0 => Finding::refuted(PrReason::NoTestInDiff, observed),
        None if found + new_files > 0 => evidence(Finding::confirmed(observed)),
        Some(count) if count == found || count == new_files => {
            evidence(Finding::confirmed(observed))
        }
        Some(count) if found > 0 && found < count && new_files < count && !is_several => {
            evidence(Finding::refuted(PrReason::CountDiffers, observed))
        }
        _ => Finding::undecided(PrReason::NotInDiff, observed),
    }
}

fn commit(id: &str, must_be_in_range: bool, facts: &Facts) -> Finding {
    match (facts.commits.get(id), must_be_in_range) {
        (Some(CommitSeen::InRange), _) => Finding::confirmed("a commit of this change"),
        (Some(CommitSeen::Elsewhere), false) => Finding::confirmed("a commit of the repository"),
        (Some(CommitSeen::Elsewhere), true) => Finding::undecided(
            PrReason::NotInDiff,
            "a commit of the repository, not of this change",
        ),
        // it may be a commit of another repository, or one that was rebased
        _ => Finding::undecided(PrReason::CommitMissing, "no commit has this id"),
    }
}

/// "All tests pass", by the results that the user names.
fn passed(kind: ClaimKind, checks: Option<&CheckResults>) -> Finding {
    let Some(results) = checks else {
        return Finding::undecided(PrReason::ResultsMissing, "no results were given");
    };
    let is_meant = |name: &str| {
        kind == ClaimKind::ChecksPass || results.are_tests || name.to_lowercase().contains("test")
    };
    let meant = || results.checks.iter().filter(|check| is_meant(&check.name));
    let with = |ending: CheckEnding| meant().find(move |check| check.ending == ending);
    if let Some(check) = with(CheckEnding::Failed) {
        return Finding::refuted(PrReason::CheckFailed, format!("`{}` failed", check.name));
    }
    if let Some(check) = with(CheckEnding::Open) {
        let observed = format!("`{}` has no result yet", check.name);
        return Finding::undecided(PrReason::ResultsMissing, observed);
    }
    let count = meant()
        .filter(|check| check.ending == CheckEnding::Passed)
        .count();
    match count {
        0 => Finding::undecided(PrReason::ResultsMissing, "no result is about it"),
        _ => Finding::confirmed(format!("{count} passed, none failed")),
    }
}
