//! The absence of problems (F4), counts (F5), and what is said to have failed.

use super::super::found::{Found, Place};
use super::super::tokens::{Token, What};
use super::{Frames, Subject, Topic};
use crate::kind::{Kind, Scope};

impl Frames<'_> {
    /// "no errors", "0 warnings": where the words end.
    pub(super) fn absence(&self, at: usize) -> Option<usize> {
        let mut place = at + self.pack.list("problems.no").at(self.clause, at)?;
        let mut best = None;
        loop {
            let named = self
                .pack
                .runs
                .iter()
                .filter_map(|run| run.problem.at(self.clause, place));
            let plain = self.pack.list("problems.words").at(self.clause, place);
            best = best.max(named.chain(plain).max().map(|length| place + length));
            if !self.pack.list("problems.modifiers").has(self.word(place)) {
                return best;
            }
            place += 1;
        }
    }

    /// F4.
    pub(super) fn no_problems(&self, subjects: &[Subject], topic: &Topic, found: &mut Vec<Found>) {
        for at in 0..self.clause.len() {
            let Some(end) = self.absence(at) else {
                continue;
            };
            let quote = Place::new(at, end);
            let skip = self
                .pack
                .list("problems.no")
                .at(self.clause, at)
                .unwrap_or(1);
            let mut place = at + skip;
            while self.pack.list("problems.modifiers").has(self.word(place)) && place + 1 < end {
                place += 1;
            }
            // "no failing" is a part of "no failing tests"
            let named = self.pack.runs.iter().filter(|run| {
                (at + skip..=place).any(|from| {
                    run.problem
                        .at(self.clause, from)
                        .is_some_and(|length| from + length == end)
                })
            });
            let kinds: Vec<Kind> = named.map(|run| run.kind).collect();
            if !kinds.is_empty() {
                let is_count = matches!(
                    self.token(at).map(|token| token.what),
                    Some(What::Number(_))
                );
                let alone = !(is_count && self.word(end - 1).starts_with("fail") && end - at == 2);
                found.extend(kinds.into_iter().filter(|_| alone).map(|kind| Found {
                    scope: Scope::All,
                    negative: true,
                    ..Found::new(kind, quote, quote)
                }));
                continue;
            }
            self.nothing_reported(at, end, subjects, topic, found);
        }
    }

    /// "clippy reports no warnings", "compiled without errors".
    fn nothing_reported(
        &self,
        at: usize,
        end: usize,
        subjects: &[Subject],
        topic: &Topic,
        found: &mut Vec<Found>,
    ) {
        let reports = self.pack.list("problems.reports");
        let linked = |gap: &[&Token]| {
            gap.len() <= 4
                && gap.iter().all(|token| {
                    reports.has(token.word())
                        || self.pack.list("adv").has(token.word())
                        || matches!(token.what, What::Sign(':' | ','))
                })
        };
        let quote = |start: usize| Place::new(start, end);
        if let Some(subject) = subjects.iter().rfind(|subject| subject.end <= at) {
            let gap = self.clause.get(subject.end..at).unwrap_or_default();
            let compiled = gap
                .iter()
                .any(|token| matches!(token.word(), "compiled" | "compiles" | "builds" | "built"));
            if linked(gap) && (subject.own || compiled) {
                for kind in &subject.kinds {
                    if compiled || subject.own {
                        found.push(Found {
                            negative: true,
                            ..Found::new(*kind, quote(subject.start), Place::new(at, end))
                        });
                    }
                }
            }
            return;
        }
        // "it compiles without errors"
        let verb = (0..at).rev().find(|place| {
            self.pack
                .runs
                .iter()
                .any(|run| run.itself.at(self.clause, *place).is_some())
                || matches!(self.word(*place), "compiled" | "built")
        });
        if let Some(verb) = verb.filter(|verb| at - verb <= 3) {
            let kinds: Vec<Kind> = match self.word(verb) {
                "compiled" | "built" => vec![Kind::BuildOk],
                _ => self
                    .pack
                    .runs
                    .iter()
                    .filter(|run| run.itself.at(self.clause, verb).is_some())
                    .map(|run| run.kind)
                    .collect(),
            };
            found.extend(kinds.into_iter().map(|kind| Found {
                negative: true,
                ..Found::new(kind, quote(verb), Place::new(verb, end))
            }));
            return;
        }
        let opens = (0..at).all(|place| {
            self.is_opener(place)
                || self.pack.list("pronouns").has(self.word(place))
                || reports.has(self.word(place))
        });
        let pronoun = (0..at).any(|place| self.pack.list("pronouns").has(self.word(place)));
        if opens && pronoun {
            let kinds = topic.kinds().iter();
            found.extend(kinds.map(|kind| Found {
                negative: true,
                ..Found::new(*kind, quote(at), quote(at))
            }));
        }
    }

    /// F4: "no tests fail", "the build no longer fails", "14 tests, 0 failures".
    pub(super) fn no_failures(&self, subjects: &[Subject], found: &mut Vec<Found>) {
        for at in 0..self.clause.len() {
            for (kind, quote) in self.denied_failures(at, subjects) {
                found.push(Found {
                    scope: Scope::All,
                    negative: true,
                    ..Found::new(kind, quote, Place::new(at, at + 1))
                });
            }
            if let Some((count, quote)) = self.counted_failures(at) {
                found.push(Found {
                    count: Some(count),
                    negative: true,
                    ..Found::new(Kind::TestsPass, quote, Place::new(at, quote.end))
                });
            }
        }
    }

    /// Kinds whose failure is denied by the words before this one, which
    /// must end the statement: "no longer fails with X" says little.
    fn denied_failures(&self, at: usize, subjects: &[Subject]) -> Vec<(Kind, Place)> {
        let Some(subject) = subjects
            .iter()
            .rfind(|subject| subject.end <= at && subject.own)
        else {
            return Vec::new();
        };
        let Some(start) = self.denial(subject, at) else {
            return Vec::new();
        };
        let ends = |place: usize| {
            self.token(place).is_none_or(|next| {
                matches!(next.what, What::Sign(_) | What::Good)
                    || self.pack.list("adv").has(next.word())
            })
        };
        let runs = self.pack.runs.iter();
        let fails = runs.filter_map(|run| Some((run.kind, at + run.failure.at(self.clause, at)?)));
        fails
            .filter(|(kind, end)| subject.kinds.contains(kind) && ends(*end))
            .map(|(kind, end)| (kind, Place::new(start, end)))
            .collect()
    }

    /// Where the words begin that deny what is said here of a subject.
    fn denial(&self, subject: &Subject, at: usize) -> Option<usize> {
        let gap: Vec<&str> = (subject.end..at).map(|place| self.word(place)).collect();
        let is_plain =
            |word: &&str| self.pack.list("adv").has(word) || self.pack.list("copulas").has(word);
        match gap.as_slice() {
            [before @ .., "no", "longer"] if before.iter().all(&is_plain) => {
                Some(self.noun_phrase(subject.start))
            }
            words if words.iter().all(is_plain) => self.none_before(subject.start),
            _ => None,
        }
    }

    /// Where "no", "none of the", "0 of 14" begins, right before a noun.
    fn none_before(&self, noun: usize) -> Option<usize> {
        let mut place = noun;
        while let Some(before) = place.checked_sub(1) {
            let word = self.word(before);
            let number = match self.token(before)?.what {
                What::Number(number) => Some(number),
                _ => None,
            };
            let is_no = self.pack.list("problems.no").has(word) || word == "none";
            if is_no || number == Some(0) {
                return Some(before);
            }
            let is_between = number.is_some()
                || matches!(
                    word,
                    "of" | "the" | "our" | "these" | "those" | "all" | "my" | "your"
                )
                || self.pack.list("plain_modifiers").has(word);
            if !is_between || noun - before > 5 {
                return None;
            }
            place = before;
        }
        None
    }

    /// "0 failures" behind or before a number of tests: that number.
    fn counted_failures(&self, at: usize) -> Option<(u64, Place)> {
        let is_failure = |place: usize| {
            matches!(
                self.word(place),
                "failures" | "failure" | "failed" | "failing" | "fail"
            )
        };
        let none = self.token(at)?.what == What::Number(0);
        if !none || !is_failure(at + 1) {
            return None;
        }
        let number = |place: usize| match self.token(place).map(|token| token.what) {
            Some(What::Number(number)) if number > 0 => Some(number),
            _ => None,
        };
        let failed = (0..self.clause.len()).any(|place| {
            number(place).is_some()
                && (is_failure(place + 1) || self.word(place + 1).starts_with("error"))
        });
        let is_tests = |place: usize| {
            matches!(
                self.word(place),
                "tests" | "test" | "examples" | "specs" | "cases" | "run" | "total"
            )
        };
        let mut places = 0..self.clause.len();
        let total = places.find(|place| number(*place).is_some() && is_tests(place + 1))?;
        let (start, end) = (total.min(at), (total + 2).max(at + 2));
        (!failed && end - start <= 8).then_some((number(total)?, Place::new(start, end)))
    }

    /// F5: "12 passed, 0 failed", "42/42 passing".
    pub(super) fn summaries(&self, found: &mut Vec<Found>) {
        for at in 0..self.clause.len() {
            let Some(What::Number(number)) = self.token(at).map(|token| token.what) else {
                continue;
            };
            if number == 0 || self.is_fraction_end(at) {
                continue;
            }
            let (end, whole) = match self.fraction(at) {
                Some((other, end)) => (end, other == number),
                None => (at + 1, true),
            };
            let mut verb = end;
            while self.pack.list("adv").has(self.word(verb)) {
                verb += 1;
            }
            let tests = self
                .pack
                .runs
                .iter()
                .find(|run| run.kind == Kind::TestsPass);
            let is_passed = tests.is_some_and(|run| {
                let word = self.word(verb);
                !matches!(word, "ok" | "okay" | "good" | "clean" | "fine")
                    && (run.predicate.has(word) || run.adjective.has(word))
            });
            let fraction = end > at + 1;
            if !whole
                || !is_passed
                || self.is_transitive(verb, 1)
                || (self.word(verb) == "green" && !fraction)
            {
                continue;
            }
            let start = if self.word(at.wrapping_sub(1)) == "all" {
                at - 1
            } else {
                at
            };
            found.push(Found {
                count: Some(number),
                scope: if start < at { Scope::All } else { Scope::Plain },
                ..Found::new(
                    Kind::TestsPass,
                    Place::new(start, verb + 1),
                    Place::new(verb, verb + 1),
                )
            });
        }
    }

    fn is_fraction_end(&self, at: usize) -> bool {
        (2..=4).any(|back| {
            at.checked_sub(back)
                .is_some_and(|first| self.fraction(first).is_some_and(|(_, end)| end == at + 1))
        })
    }

    /// Kinds of which the clause says that something failed.
    pub(in crate::read::message) fn failures(&self) -> Vec<Kind> {
        let subjects = self.subjects();
        let mut kinds = Vec::new();
        for at in 0..self.clause.len() {
            let token = self.token(at);
            if token.is_some_and(|token| token.what == What::Bad) {
                kinds.extend(subjects.iter().flat_map(|subject| subject.kinds.clone()));
            }
            let number = at.checked_sub(1).and_then(|before| self.token(before));
            let zero = number.is_some_and(|token| {
                token.what == What::Number(0)
                    || matches!(
                        token.word(),
                        "no" | "none" | "zero" | "longer" | "never" | "without" | "any" | "not"
                    )
            });
            if let Some(What::Number(number)) = token.map(|token| token.what)
                && let Some((other, _)) = self.fraction(at)
                && number < other
                && self.said_to_pass(at.saturating_sub(3))
            {
                kinds.push(Kind::TestsPass);
            }
            for run in &self.pack.runs {
                let denied = || self.denied_failures(at, &subjects);
                if run.failure.at(self.clause, at).is_none() || zero || !denied().is_empty() {
                    continue;
                }
                let before = subjects.iter().any(|subject| {
                    subject.kinds.contains(&run.kind) && subject.start < at && at - subject.end <= 6
                });
                let attributive = subjects.iter().any(|subject| {
                    subject.kinds.contains(&run.kind)
                        && subject.start == at + 1
                        && self.word(at) == "failing"
                        && run.kind == Kind::TestsPass
                        && !self.said_to_pass(subject.end) // "the failing test passes now"
                });
                let counted = run.kind == Kind::TestsPass
                    && matches!(number.map(|token| token.what), Some(What::Number(count)) if count > 0);
                if before || counted || attributive {
                    kinds.push(run.kind);
                }
            }
        }
        kinds
    }

    fn said_to_pass(&self, at: usize) -> bool {
        let ahead = self
            .clause
            .get(at..self.clause.len().min(at + 8))
            .unwrap_or_default();
        ahead
            .iter()
            .any(|token| token.word().starts_with("pass") || token.word() == "green")
    }
}
