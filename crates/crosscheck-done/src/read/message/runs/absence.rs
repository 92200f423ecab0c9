//! The absence of problems (F4), counts (F5), and what is said to have failed.

use super::super::found::{Found, Place};
use super::super::tokens::{Token, What};
use super::{Frames, Subject, Topic};
use crate::kind::{ClaimKind, Scope};

impl Frames<'_> {
    /// "no errors", "0 warnings": where the words end.
    pub(super) fn absence(&self, at: usize) -> Option<usize> {
        self.absences.get(at).copied().flatten()
    }

    pub(super) fn find_absence(&self, at: usize) -> Option<usize> {
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
            best = best.max(self.problem_of(place).map(|(_, end)| end));
            if !self.pack.list("problems.modifiers").has(self.word(place)) {
                return best;
            }
            place += 1;
        }
    }

    /// "ruff complaints": the check, and where the words end.
    fn problem_of(&self, at: usize) -> Option<(&Subject, usize)> {
        let subject = self
            .starts
            .get(at)?
            .as_ref()
            .filter(|subject| subject.own)?;
        let words = self.pack.list("problems.words");
        let length = words.at(self.clause, subject.end)?;
        Some((subject, subject.end + length))
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
            let mut kinds: Vec<ClaimKind> = named.map(|run| run.kind).collect();
            if let Some((subject, _)) = self.problem_of(place).filter(|(_, of)| *of == end) {
                kinds.clone_from(&subject.kinds);
            }
            // "the linter reports no failures" is about the linter
            let of_another = kinds == [ClaimKind::TestsPass]
                && self.pack.list("problems.words").has(self.word(end - 1))
                && subjects.iter().any(|subject| {
                    subject.end <= at
                        && subject.own
                        && !subject.kinds.contains(&ClaimKind::TestsPass)
                });
            if !kinds.is_empty() && !of_another {
                let is_count = matches!(
                    self.token(at).map(|token| token.what),
                    Some(What::Number(_))
                );
                let noun = self.word(end - 1);
                let is_bare = is_count && end - at == 2 && noun.starts_with("fail");
                let is_whole = noun.starts_with("failure") && self.ends_statement(end);
                if is_bare && (self.counts || !is_whole) {
                    continue; // "12 passed, 0 failed" is a summary, "120 rows, 0 failures" about rows
                }
                found.extend(kinds.into_iter().map(|kind| Found {
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
        let verb = (at.saturating_sub(3)..at).rev().find(|place| {
            self.pack
                .runs
                .iter()
                .any(|run| run.itself.at(self.clause, *place).is_some())
                || matches!(self.word(*place), "compiled" | "built")
        });
        if let Some(verb) = verb {
            let kinds: Vec<ClaimKind> = match self.word(verb) {
                "compiled" | "built" => vec![ClaimKind::BuildOk],
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
    pub(super) fn no_failures(&self, subjects: &[Subject], topic: &Topic, found: &mut Vec<Found>) {
        for at in 0..self.clause.len() {
            self.nothing_failed(at, subjects, topic, found);
            self.no_failures_label(at, subjects, topic, found);
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
                    ..Found::new(ClaimKind::TestsPass, quote, Place::new(at, quote.end))
                });
            }
        }
    }

    /// F4: "cleared the last clippy complaint", "all ruff findings are resolved".
    pub(super) fn cleared(&self, subjects: &[Subject], found: &mut Vec<Found>) {
        let clears = self.pack.list("clears");
        for subject in subjects.iter().filter(|subject| subject.own) {
            let problem = self
                .pack
                .list("problems.words")
                .at(self.clause, subject.end);
            let Some(end) = problem.map(|length| subject.end + length) else {
                continue;
            };
            let start = self.noun_phrase(subject.start);
            let is_last =
                (start..subject.start).any(|at| self.pack.list("lasts").has(self.word(at)));
            let is_counted = (start..subject.start).any(|at| self.number(at).is_some());
            let verb = (start.saturating_sub(3)..start)
                .find(|at| clears.at(self.clause, *at) == Some(start - at));
            let mut done = end;
            while self.pack.list("copulas").has(self.word(done))
                || self.pack.list("passives").has(self.word(done))
                || self.pack.list("adv").has(self.word(done))
            {
                done += 1;
            }
            let is_said = done > end && clears.at(self.clause, done).is_some();
            let quote = match verb {
                Some(verb) => Place::new(verb, end),
                None if is_said => Place::new(start, done + 1),
                None => continue,
            };
            if is_last && !is_counted {
                let predicate =
                    verb.map_or(Place::new(done, done + 1), |verb| Place::new(verb, start));
                found.extend(subject.kinds.iter().map(|kind| Found {
                    scope: Scope::All,
                    negative: true,
                    ..Found::new(*kind, quote, predicate)
                }));
            }
        }
    }

    /// F8: "I ran the tests and nothing failed."
    fn nothing_failed(
        &self,
        at: usize,
        subjects: &[Subject],
        topic: &Topic,
        found: &mut Vec<Found>,
    ) {
        let Some(start) = self.nothing_before(at) else {
            return;
        };
        let mut said = Self::spoken_of(at, subjects, topic);
        let behind = |subject: &&Subject| subject.own && subject.start > at;
        if let Some(subject) = subjects.iter().find(behind)
            && self.behind_place(at + 1) == Some(subject.end)
        {
            said.clone_from(&subject.kinds); // "nothing failing in the suite"
        }
        if said.is_empty() && self.clause.len() <= 4 && self.word(at + 1).starts_with("any") {
            said.push(ClaimKind::TestsPass); // "Nothing fails anymore."
        }
        for run in self.pack.runs.iter().filter(|run| said.contains(&run.kind)) {
            if let Some(length) = run.failure.at(self.clause, at)
                && self.ends_statement(at + length)
            {
                found.push(Found {
                    scope: Scope::All,
                    negative: true,
                    ..Found::new(
                        run.kind,
                        Place::new(start, at + length),
                        Place::new(at, at + length),
                    )
                });
            }
        }
    }

    /// Where "nothing" is that is the subject of this verb: "nothing is
    /// failing", "nothing in the suite fails".
    fn nothing_before(&self, at: usize) -> Option<usize> {
        let nothing = self.pack.list("problems.nothing");
        let mut place = at.checked_sub(1)?;
        while self.pack.list("copulas").has(self.word(place))
            || self.pack.list("adv").has(self.word(place))
        {
            place = place.checked_sub(1)?;
        }
        if nothing.has(self.word(place)) {
            return Some(place);
        }
        let is_noun = self.ends.get(place + 1).is_some_and(|ends| *ends);
        let noun = (place.saturating_sub(2)..=place).find(|start| {
            let subject = self.starts.get(*start).and_then(Option::as_ref);
            subject.is_some_and(|subject| subject.end == place + 1)
        });
        let start = self.noun_phrase(noun.filter(|_| is_noun)?);
        let is_within = self.pack.list("narrows").has(self.word(start))
            || start > 0 && self.pack.list("narrows").has(self.word(start - 1));
        (start.saturating_sub(2)..start).find(|place| is_within && nothing.has(self.word(*place)))
    }

    /// F2: "Tests: 14, Failures: 0".
    fn no_failures_label(
        &self,
        at: usize,
        subjects: &[Subject],
        topic: &Topic,
        found: &mut Vec<Found>,
    ) {
        let tests = self
            .pack
            .runs
            .iter()
            .find(|run| run.kind == ClaimKind::TestsPass);
        let Some(length) = tests.and_then(|run| run.problem.at(self.clause, at)) else {
            return;
        };
        let sign = at + length;
        let is_zero = self
            .token(sign)
            .is_some_and(|token| token.is_sign(':') || token.is_sign('='))
            && self
                .token(sign + 1)
                .is_some_and(|token| token.what == What::Number(0) || is_none(token));
        let other = || {
            (0..self.clause.len()).any(|place| {
            self.pack.list("problems.words").has(self.word(place))
                && matches!(self.token(place + 2).map(|token| token.what), Some(What::Number(number)) if number > 0)
        })
        };
        let is_all = at == 0 && sign + 2 >= self.clause.len() && self.word(at) != "failed";
        let about_tests = is_all
            || length > 1
            || Self::spoken_of(at, subjects, topic).contains(&ClaimKind::TestsPass);
        if is_zero && about_tests && !other() {
            found.push(Found {
                negative: true,
                ..Found::new(
                    ClaimKind::TestsPass,
                    Place::new(at, sign + 2),
                    Place::new(at, sign + 2),
                )
            });
        }
    }

    /// The checks that the words before this place are about.
    fn spoken_of(at: usize, subjects: &[Subject], topic: &Topic) -> Vec<ClaimKind> {
        let before = subjects
            .iter()
            .rfind(|subject| subject.end <= at && subject.own);
        before.map_or_else(|| topic.kinds().to_vec(), |subject| subject.kinds.clone())
    }

    fn ends_statement(&self, at: usize) -> bool {
        let at = self.behind_place(at).unwrap_or(at);
        self.token(at).is_none_or(|next| {
            matches!(next.what, What::Sign(_) | What::Good)
                || self.pack.list("adv").has(next.word())
                || self.pack.list("tails").at(self.clause, at).is_some()
        })
    }

    /// Where a place ends that is all of the project: "in the suite".
    fn behind_place(&self, at: usize) -> Option<usize> {
        if !self.pack.list("narrows").has(self.word(at)) {
            return None;
        }
        let is_plain = |word: &str| {
            self.pack.list("articles").has(word)
                || self.pack.list("all_words").has(word)
                || word == "test"
        };
        let mut place = at + 1;
        while place <= at + 3 && is_plain(self.word(place)) {
            place += 1;
        }
        if self.pack.list("narrows_unless").has(self.word(place)) {
            return Some(place + 1);
        }
        let subject = self.starts.get(place).and_then(Option::as_ref);
        subject
            .filter(|subject| subject.own)
            .map(|subject| subject.end)
    }

    /// The same, with nothing but adverbs before the end.
    pub(super) fn ends_plainly(&self, mut at: usize) -> bool {
        while self.pack.list("adv").has(self.word(at)) {
            at += 1;
        }
        self.ends_statement(at)
    }

    /// Kinds whose failure is denied by the words before this one, which
    /// must end the statement: "no longer fails with X" says little.
    fn denied_failures(&self, at: usize, subjects: &[Subject]) -> Vec<(ClaimKind, Place)> {
        let Some(subject) = subjects
            .iter()
            .rfind(|subject| subject.end <= at && subject.own)
        else {
            return Vec::new();
        };
        let runs = self.pack.runs.iter();
        let breaks = matches!(self.word(at), "breaks" | "break" | "broke").then_some(1);
        let fails = runs.filter_map(|run| {
            let length = run.failure.at(self.clause, at).or(breaks)?;
            Some((run.kind, at + length))
        });
        let fails: Vec<(ClaimKind, usize)> = fails
            .filter(|(kind, end)| subject.kinds.contains(kind) && self.ends_statement(*end))
            .collect();
        let start = if fails.is_empty() {
            None
        } else {
            self.denial(subject, at)
        };
        start.map_or_else(Vec::new, |start| {
            let denied = fails.into_iter();
            denied
                .map(|(kind, end)| (kind, Place::new(start, end)))
                .collect()
        })
    }

    /// Where the words begin that deny what is said here of a subject.
    fn denial(&self, subject: &Subject, at: usize) -> Option<usize> {
        let from = self.behind_place(subject.end).unwrap_or(subject.end);
        let gap: Vec<&str> = (from..at).map(|place| self.word(place)).collect();
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
            let no = self.pack.list("problems.no");
            let phrase = (before.saturating_sub(3)..=before)
                .find(|start| no.at(self.clause, *start) == Some(place - start));
            if let Some(start) = phrase {
                return Some(start);
            }
            if word == "none" || number == Some(0) {
                return Some(before);
            }
            let is_between = number.is_some()
                || matches!(
                    word,
                    "of" | "the" | "our" | "these" | "those" | "all" | "my" | "your" | "single"
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
            let fraction = end > at + 1;
            let mut verb = end;
            while self.pack.list("adv").has(self.word(verb)) {
                verb += 1;
            }
            let tests = self
                .pack
                .runs
                .iter()
                .find(|run| run.kind == ClaimKind::TestsPass);
            let is_passed = tests.is_some_and(|run| {
                let word = self.word(verb);
                let is_weak = matches!(word, "ok" | "okay" | "good" | "clean" | "fine" | "green");
                (!is_weak || fraction && word == "green" || self.is_faultless)
                    && (run.predicate.has(word) || run.adjective.has(word))
            });
            if fraction
                && whole
                && let Some(quote) = self.score(at, end)
            {
                found.push(Found {
                    count: Some(number),
                    ..Found::new(ClaimKind::TestsPass, quote, Place::new(at, end))
                });
                continue;
            }
            if !whole || !is_passed || self.is_transitive(verb, 1) {
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
                    ClaimKind::TestsPass,
                    Place::new(start, verb + 1),
                    Place::new(verb, verb + 1),
                )
            });
        }
    }

    /// "Tests 12/12.", "Score: 12/12 tests": the words of a score that is
    /// alone.
    fn score(&self, at: usize, end: usize) -> Option<Place> {
        let is_tests = |subject: &&Subject| subject.kinds.contains(&ClaimKind::TestsPass);
        let behind = self
            .starts
            .get(end)
            .and_then(Option::as_ref)
            .filter(is_tests);
        let mut subjects = self.starts.iter().flatten().filter(is_tests);
        let before = subjects.find(|subject| subject.end == at);
        let quote = match (before, behind) {
            (Some(before), _) => Place::new(before.start, end),
            (None, Some(behind)) => Place::new(at, behind.end),
            (None, None) => return None,
        };
        let opens = quote.start.checked_sub(1).is_none_or(|before| {
            let token = self.token(before);
            token.is_some_and(|token| matches!(token.what, What::Sign(_) | What::Good))
        });
        (opens && self.ends_statement(quote.end)).then_some(quote)
    }

    fn is_fraction_end(&self, at: usize) -> bool {
        (2..=4).any(|back| {
            at.checked_sub(back)
                .is_some_and(|first| self.fraction(first).is_some_and(|(_, end)| end == at + 1))
        })
    }

    /// Kinds of which the clause says that something failed.
    pub(in crate::read::message) fn failures(&self) -> Vec<ClaimKind> {
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
                        "no" | "none"
                            | "zero"
                            | "longer"
                            | "never"
                            | "without"
                            | "any"
                            | "not"
                            | "stopped"
                            | "stops"
                            | "stop"
                    )
            }) || self.nothing_before(at).is_some()
                || self.is_zero_behind(at);
            if let Some(What::Number(number)) = token.map(|token| token.what)
                && let Some((other, _)) = self.fraction(at)
                && number < other
                && self.said_to_pass(at.saturating_sub(3))
            {
                kinds.push(ClaimKind::TestsPass);
            }
            for run in &self.pack.runs {
                // "aucun test n'a échoué": the phrase began before this word
                let denied = || {
                    (at.saturating_sub(2)..=at)
                        .flat_map(|from| self.denied_failures(from, &subjects))
                        .filter(|(_, quote)| quote.end > at)
                        .collect::<Vec<_>>()
                };
                let fails = run.failure.at(self.clause, at).is_some();
                if !fails || zero || self.is_over(at) || !denied().is_empty() {
                    continue;
                }
                let before = subjects.iter().any(|subject| {
                    subject.kinds.contains(&run.kind) && subject.start < at && at - subject.end <= 6
                });
                let attributive = subjects.iter().any(|subject| {
                    subject.kinds.contains(&run.kind)
                        && subject.start == at + 1
                        && self.word(at) == "failing"
                        && run.kind == ClaimKind::TestsPass
                        && !self.said_to_pass(subject.end) // "the failing test passes now"
                        && !(0..at).any(|start| self.absence(start) == Some(subject.end))
                });
                let counted = run.kind == ClaimKind::TestsPass
                    && matches!(number.map(|token| token.what), Some(What::Number(count)) if count > 0);
                if before || counted || attributive {
                    kinds.push(run.kind);
                }
            }
        }
        kinds
    }

    /// "FAIL=0"
    fn is_zero_behind(&self, at: usize) -> bool {
        let next = |ahead: usize| self.token(at + ahead).map(|token| token.what);
        matches!(next(1), Some(What::Sign('=' | ':'))) && next(2) == Some(What::Number(0))
    }

    /// "the ones that failed earlier", "3 were failing initially": unless the
    /// sentence makes an exception of them.
    fn is_over(&self, at: usize) -> bool {
        let (over, exceptions) = (self.pack.list("over"), self.pack.list("exceptions"));
        if self.is_one_of_them(at) || self.is_in_the_past(at) {
            return true;
        }
        let near = at.saturating_sub(4)..self.clause.len().min(at + 4);
        let mut words = near.clone();
        let is_still = words.any(|place| matches!(self.word(place), "still" | "again" | "now"));
        let mut near = near;
        !is_still
            && near.any(|place| over.at(self.clause, place).is_some())
            && !exceptions.any(self.clause)
    }

    /// "including the failing ones", "even the flaky one"
    fn is_one_of_them(&self, at: usize) -> bool {
        let mut before = at.saturating_sub(3)..at;
        matches!(self.word(at + 1), "ones" | "one")
            && before.any(|place| matches!(self.word(place), "including" | "even"))
    }

    /// "(was: 2 failed)"
    fn is_in_the_past(&self, at: usize) -> bool {
        let mut before = at.saturating_sub(3)..at;
        before.any(|place| {
            matches!(self.word(place), "was" | "were" | "before" | "previously")
                && self.token(place + 1).is_some_and(|next| next.is_sign(':'))
        })
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

/// "Failures: none"
fn is_none(token: &Token) -> bool {
    matches!(
        token.word(),
        "none" | "zero" | "keine" | "ninguno" | "aucun" | "nenhuma"
    )
}
