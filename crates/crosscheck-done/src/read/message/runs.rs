//! Statements about checks that run: tests, build, lint, types.
//!
//! Frames: a subject and what it does (F1), a label and its value (F2), a
//! mark and a label (F3), the absence of problems (F4), a count (F5), and a
//! pronoun for what was named before (F8).

mod absence;
mod labels;
mod named;

use super::Commands;
use super::found::{Found, Place};
use super::pack::{Pack, Run};
use super::tokens::{Token, What};
use crate::kind::{ClaimKind, Scope};
pub(crate) use named::is_test_name;

/// What the last units spoke of.
#[derive(Debug, Default, Clone)]
pub(super) struct Topic {
    /// Kinds named in the unit before and in the one before that.
    recent: [Vec<ClaimKind>; 2],
    current: Vec<ClaimKind>,
}

impl Topic {
    /// Another unit begins.
    pub(super) fn next(&mut self) {
        let now = std::mem::take(&mut self.current);
        let [last, _] = std::mem::take(&mut self.recent);
        self.recent = [now, last];
    }

    fn name(&mut self, kinds: &[ClaimKind]) {
        self.current = kinds.to_vec();
    }

    /// What a pronoun stands for.
    fn kinds(&self) -> &[ClaimKind] {
        let [last, before] = &self.recent;
        [&self.current, last, before]
            .into_iter()
            .find(|kinds| !kinds.is_empty())
            .map_or(&[], Vec::as_slice)
    }
}

/// A noun phrase that names a check.
#[derive(Debug, Clone)]
struct Subject {
    start: usize,
    end: usize,
    kinds: Vec<ClaimKind>,
    /// Whether it is the check itself: "the build", and not "the app".
    own: bool,
}

pub(super) struct Frames<'c> {
    pack: &'c Pack,
    clause: &'c [&'c Token],
    is_row: bool,
    /// Whether the sentence holds a number above zero.
    counts: bool,
    /// Whether the sentence says that no test failed: "12 green, 0 red".
    is_faultless: bool,
    /// The subject that begins at each token.
    starts: Vec<Option<Subject>>,
    /// Whether a subject ends at each token.
    ends: Vec<bool>,
    /// Where the words end that begin at each token and say that there is no
    /// problem.
    absences: Vec<Option<usize>>,
}

impl<'c> Frames<'c> {
    pub(super) fn new(
        pack: &'c Pack,
        clause: &'c [&'c Token],
        commands: &dyn Commands,
        is_row: bool,
        counts: bool,
        is_faultless: bool,
    ) -> Self {
        let mut frames = Self {
            pack,
            clause,
            is_row,
            counts,
            is_faultless,
            starts: Vec::new(),
            ends: vec![false; clause.len() + 1],
            absences: Vec::new(),
        };
        let starts = (0..clause.len()).map(|at| frames.subject_at(at, commands));
        frames.starts = starts.collect();
        for subject in frames.starts.iter().flatten() {
            if let Some(end) = frames.ends.get_mut(subject.end) {
                *end = true;
            }
        }
        let absences = (0..clause.len()).map(|at| frames.find_absence(at));
        frames.absences = absences.collect();
        frames
    }

    /// Every statement of the clause about a check.
    pub(super) fn read(&self, topic: &mut Topic) -> Vec<Found> {
        let subjects = self.subjects();
        let mut found = Vec::new();
        self.predicates(&subjects, topic, &mut found);
        self.labels(&subjects, &mut found);
        self.exit_labels(&subjects, &mut found);
        self.marked(&subjects, &mut found);
        self.no_problems(&subjects, topic, &mut found);
        self.no_failures(&subjects, topic, &mut found);
        self.cleared(&subjects, &mut found);
        self.summaries(&mut found);
        self.wholes(&mut found);
        self.named_tests(&mut found);
        if let Some(last) = subjects.iter().rfind(|subject| subject.own) {
            topic.name(&last.kinds);
        }
        found
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.clause.get(at).copied()
    }

    fn word(&self, at: usize) -> &str {
        self.token(at).map_or("", Token::word)
    }

    fn subjects(&self) -> Vec<Subject> {
        let mut all = Vec::new();
        let mut at = 0;
        while at < self.clause.len() {
            let subject = self.starts.get(at).and_then(Option::as_ref);
            at = subject.map_or(at + 1, |subject| subject.end);
            all.extend(subject.cloned());
        }
        all
    }

    fn subject_at(&self, at: usize, commands: &dyn Commands) -> Option<Subject> {
        let token = self.token(at)?;
        if matches!(token.what, What::Code | What::Id) {
            let kinds = commands.claims(&token.text);
            return (!kinds.is_empty()).then_some(Subject {
                start: at,
                end: at + 1,
                kinds,
                own: true,
            });
        }
        let lengths = self.pack.runs.iter().filter_map(|run| {
            let length = run.subject.at(self.clause, at)?;
            Some((length, run))
        });
        let fits: Vec<(usize, &Run)> = lengths.collect();
        let longest = fits.iter().map(|(length, _)| *length).max()?;
        let best = fits.iter().filter(|(length, _)| *length == longest);
        let kinds: Vec<ClaimKind> = best.clone().map(|(_, run)| run.kind).collect();
        let own = best.clone().any(|(_, run)| {
            run.own.all().next().is_none() || run.own.at(self.clause, at) == Some(longest)
        });
        Some(Subject {
            start: at,
            end: at + longest,
            kinds,
            own,
        })
    }

    /// F1 and F8.
    fn predicates(&self, subjects: &[Subject], topic: &mut Topic, found: &mut Vec<Found>) {
        let mut at = 0;
        while at < self.clause.len() {
            let taken = subjects
                .iter()
                .any(|subject| (subject.start..subject.end).contains(&at));
            let Some((length, kinds)) = self.predicate_at(at).filter(|_| !taken) else {
                at += 1;
                continue;
            };
            if self.is_transitive(at, length) {
                self.passes_object(at, length, subjects, found);
            } else {
                let before = subjects.iter().rfind(|subject| subject.end <= at);
                if let Some(before) = before {
                    topic.name(&before.kinds);
                }
                self.said_of(at, length, &kinds, subjects, topic, found);
            }
            at += length;
        }
    }

    /// A predicate that begins here, with the kinds it fits; an adjective only
    /// behind a form of "to be" or right behind its subject.
    fn predicate_at(&self, at: usize) -> Option<(usize, Vec<(ClaimKind, bool)>)> {
        if let Some(length) = self.pack.list("exits").at(self.clause, at) {
            let kinds = self.pack.runs.iter().map(|run| (run.kind, false));
            return Some((length, kinds.collect()));
        }
        let mut best: Option<(usize, Vec<(ClaimKind, bool)>)> = None;
        for run in &self.pack.runs {
            let last = run.last.at(self.clause, at);
            let last = last.filter(|length| self.ends_plainly(at + length));
            let verb = run.predicate.at(self.clause, at).max(last);
            let verb = verb.map(|length| (length, false));
            let adjective = run
                .adjective
                .at(self.clause, at)
                .filter(|_| self.is_behind_copula(at))
                .map(|length| (length, true));
            let itself = run.itself.at(self.clause, at).map(|length| (length, false));
            let Some((length, _)) = [verb, adjective, itself].into_iter().flatten().max() else {
                continue;
            };
            let alone = itself.is_some_and(|(own, _)| own == length);
            let is_bare_adjective =
                run.adjective.at(self.clause, at) == Some(length) && adjective.is_none();
            if is_bare_adjective && !is_verb_form(self.word(at)) {
                continue;
            }
            match &mut best {
                Some((longest, kinds)) if *longest == length => kinds.push((run.kind, alone)),
                Some((longest, _)) if *longest > length => {}
                _ => best = Some((length, vec![(run.kind, alone)])),
            }
        }
        best
    }

    /// Whether the words before an adjective make it one of the subject.
    fn is_behind_copula(&self, at: usize) -> bool {
        let mut place = at;
        while let Some(before) = place.checked_sub(1) {
            let token = self.token(before);
            let word = token.map_or("", Token::word);
            if self.pack.list("copulas").has(word) {
                return true;
            }
            if self.ends.get(before + 1).is_some_and(|ends| *ends) {
                return true;
            }
            if !self.pack.list("adv").has(word) {
                return word == "back" || word == "come" || word == "comes" || word == "came";
            }
            place = before;
        }
        true // "all green"
    }

    /// "pass a value", "passed to the handler": nothing about a test.
    fn is_transitive(&self, at: usize, length: usize) -> bool {
        const OBJECTS: [&str; 22] = [
            "a", "an", "the", "to", "through", "along", "around", "over", "down", "back", "it",
            "them", "all", "every", "both", "our", "its", "your", "this", "that", "any",
            "existing",
        ];
        if !self.word(at).starts_with("pass") || length != 1 {
            return false;
        }
        let Some(next) = self.token(at + length) else {
            return false;
        };
        if matches!(
            next.what,
            What::Code | What::Id | What::Path | What::Masked | What::Key
        ) {
            return true;
        }
        if next.word() == "all" {
            return self
                .token(at + length + 1)
                .is_some_and(|token| !token.word().is_empty());
        }
        OBJECTS.contains(&next.word())
    }

    /// "it passes all tests": the check is what was passed.
    fn passes_object(
        &self,
        at: usize,
        length: usize,
        subjects: &[Subject],
        found: &mut Vec<Found>,
    ) {
        let mut place = at + length;
        while self.pack.list("plain_modifiers").has(self.word(place))
            || matches!(
                self.token(place).map(|token| token.what),
                Some(What::Number(_))
            )
        {
            place += 1;
        }
        let Some(object) = subjects
            .iter()
            .find(|subject| subject.start <= place && place < subject.end)
        else {
            return;
        };
        let ends = self.token(object.end).is_none_or(|next| match next.what {
            What::Word => !next.word().is_empty() && is_after_noun(next.word()),
            _ => true,
        });
        if !ends || !object.own || self.word(at + length) == "to" {
            return;
        }
        let (scope, count) = self.scope(object, at + length);
        for kind in &object.kinds {
            found.push(Found {
                scope: scope.clone(),
                count,
                ..Found::new(
                    *kind,
                    Place::new(at, object.end),
                    Place::new(at, at + length),
                )
            });
        }
    }

    /// F1: the subject comes before; F8: a pronoun does.
    fn said_of(
        &self,
        at: usize,
        length: usize,
        kinds: &[(ClaimKind, bool)],
        subjects: &[Subject],
        topic: &Topic,
        found: &mut Vec<Found>,
    ) {
        let predicate = Place::new(at, at + length);
        if let Some(subject) = self.subject_before(at, subjects, kinds) {
            self.tell(&subject, predicate, kinds, subjects, found);
            return;
        }
        if let Some(start) = self.pronoun_before(at) {
            let is_everything = self.word(start).starts_with("everything");
            let named = topic.kinds();
            let fits = kinds
                .iter()
                .filter(|(kind, alone)| *alone || named.contains(kind));
            let mut fits: Vec<ClaimKind> = fits.map(|(kind, _)| *kind).collect();
            let checks = kinds.iter().any(|(kind, _)| *kind == ClaimKind::ChecksPass);
            if is_everything && checks {
                fits = vec![ClaimKind::ChecksPass];
            }
            let count = self.number_between(start, at);
            if fits.is_empty()
                && count.is_some()
                && kinds.iter().any(|(kind, _)| *kind == ClaimKind::TestsPass)
            {
                fits.push(ClaimKind::TestsPass); // "all 12 pass"
            }
            for kind in fits {
                found.push(Found {
                    scope: if self.word(start) == "all" {
                        Scope::All
                    } else {
                        Scope::Plain
                    },
                    count: count.filter(|_| kind == ClaimKind::TestsPass),
                    ..Found::new(kind, Place::new(start, at + length), predicate)
                });
            }
            return;
        }
        // "compiles cleanly" opens a clause
        let opens = (0..at).all(|place| self.is_opener(place));
        for (kind, alone) in kinds {
            if *alone && opens {
                found.push(Found::new(*kind, predicate, predicate));
            }
        }
    }

    fn is_opener(&self, at: usize) -> bool {
        let word = self.word(at);
        matches!(
            self.token(at).map(|token| token.what),
            Some(What::Good | What::Sign(_) | What::Number(_))
        ) || self.pack.list("adv").has(word)
            || self.pack.list("openers").has(word)
    }

    fn subject_before(
        &self,
        at: usize,
        subjects: &[Subject],
        kinds: &[(ClaimKind, bool)],
    ) -> Option<Subject> {
        let fits = |subject: &Subject| {
            kinds
                .iter()
                .any(|(kind, alone)| subject.kinds.contains(kind) && (subject.own || *alone))
        };
        let mut before = subjects.iter().rev().filter(|subject| subject.end <= at);
        // "all tests in the project pass": the project is not a check
        let subject = before.find(|subject| subject.own || fits(subject))?;
        let gap = self.clause.get(subject.end..at).unwrap_or_default();
        let words = gap
            .iter()
            .filter(|token| !self.pack.list("adv").has(token.word()));
        let stops = gap.iter().any(|token| {
            self.pack.list("gap_stops").has(token.word())
                || matches!(token.what, What::Sign(':' | '|' | '=') | What::Bad)
        });
        if words.count() > 8 || stops {
            return None;
        }
        fits(subject).then(|| subject.clone())
    }

    /// Where a pronoun begins that is the subject of the predicate.
    fn pronoun_before(&self, at: usize) -> Option<usize> {
        let mut place = at;
        while let Some(before) = place.checked_sub(1) {
            let word = self.word(before);
            let is_number = matches!(
                self.token(before).map(|token| token.what),
                Some(What::Number(_))
            );
            if self.pack.list("pronouns").has(word) {
                return Some(before);
            }
            if word == "all" && (before == 0 || self.is_opener(before - 1)) {
                return Some(before);
            }
            if !(is_number
                || self.pack.list("adv").has(word)
                || self.pack.list("copulas").has(word)
                || word == "of"
                || word == "them")
            {
                return None;
            }
            place = before;
        }
        None
    }

    fn number_between(&self, start: usize, end: usize) -> Option<u64> {
        let tokens = self.clause.get(start..end).unwrap_or_default();
        tokens.iter().find_map(|token| match token.what {
            What::Number(number) => Some(number),
            _ => None,
        })
    }

    /// Tells the predicate of a subject and of those listed before it.
    fn tell(
        &self,
        subject: &Subject,
        predicate: Place,
        kinds: &[(ClaimKind, bool)],
        subjects: &[Subject],
        found: &mut Vec<Found>,
    ) {
        let mut listed = vec![subject.clone()];
        while let Some(first) = listed.last().cloned() {
            let Some(before) = subjects.iter().find(|other| self.are_listed(other, &first)) else {
                break;
            };
            listed.push(before.clone());
        }
        for subject in listed.iter().rev() {
            let start = self.noun_phrase(subject.start);
            let is_less = self.is_less_than_all(start, subject.start);
            if is_less || self.is_part_behind(start, subject) || self.is_asked_how(start) {
                continue;
            }
            let (mut scope, count) = self.scope(subject, start);
            if let Some(except) = self.exception(subject.end, predicate) {
                scope = Scope::Except(except);
            }
            let place = self.file_behind(predicate.end);
            let of_files = [ClaimKind::LintClean, ClaimKind::TypesClean];
            if scope == Scope::Plain && subject.kinds.iter().all(|kind| of_files.contains(kind)) {
                scope = place.map_or(scope, Scope::Path);
            }
            for kind in &subject.kinds {
                if kinds
                    .iter()
                    .any(|(fits, alone)| fits == kind && (subject.own || *alone))
                {
                    let quote = Place::new(start, predicate.end);
                    found.push(Found {
                        scope: scope.clone(),
                        count: count.filter(|_| *kind == ClaimKind::TestsPass),
                        subject: path_of(&scope),
                        ..Found::new(*kind, quote, predicate)
                    });
                }
            }
        }
    }

    /// Whether only a comma or "and" is between two subjects.
    fn are_listed(&self, one: &Subject, other: &Subject) -> bool {
        let between = self.clause.get(one.end..other.start);
        one.end < other.start
            && between.is_some_and(|tokens| {
                tokens.iter().rev().all(|token| {
                    is_joint(token)
                        || self.pack.list("plain_modifiers").has(token.word())
                        || matches!(token.what, What::Number(_))
                }) && tokens.iter().any(|token| is_joint(token))
            })
    }

    /// Where the words begin that belong to a noun.
    fn noun_phrase(&self, start: usize) -> usize {
        let mut place = start;
        while let Some(before) = place.checked_sub(1) {
            let Some(token) = self.token(before) else {
                break;
            };
            let belongs = match token.what {
                What::Word => {
                    (self.pack.list("plain_modifiers").has(&token.text)
                        || self.pack.list("all_words").has(&token.text)
                        || self.pack.list("numbers").has(&token.text)
                        || (place == start
                            && !self.pack.list("verbs").has(&token.text)
                            && !self.is_function_word(&token.text)))
                        && token.text != "and"
                }
                What::Number(_) | What::Sign('/') | What::Id | What::Code => start - before <= 4,
                _ => false,
            };
            if !belongs || start - before > 6 {
                break;
            }
            place = before;
        }
        place
    }

    /// "few tests", "only 3 tests", "most tests" are not the tests.
    fn is_less_than_all(&self, start: usize, noun: usize) -> bool {
        let less = self.pack.list("less_than_all");
        let mut places = start.saturating_sub(1)..noun;
        let is_share = |place: usize| {
            let is_sign = self.token(place).is_some_and(|token| token.is_sign('%'));
            let number = place.checked_sub(1).filter(|_| is_sign);
            number
                .and_then(|number| self.number(number))
                .is_some_and(|share| share < 100)
        };
        let near = start.saturating_sub(2)..noun;
        places.clone().any(|place| less.has(self.word(place)))
            || near.into_iter().any(is_share)
            || places.any(|place| self.is_part(place, noun))
    }

    /// "two of the three tests", "half of the tests", "2/3 tests".
    fn is_part(&self, at: usize, noun: usize) -> bool {
        let is_slash = self.token(at).is_some_and(|token| token.is_sign('/'));
        let is_of = self.pack.list("parts").has(self.word(at));
        let Some(mut before) = at.checked_sub(1).filter(|_| is_of || is_slash) else {
            return false;
        };
        if is_of && self.word(before) == "out" {
            before = before.saturating_sub(1);
        }
        let is_all = before.checked_sub(1).is_some_and(|first| {
            let all = self.pack.list("all_words");
            all.has(self.word(first))
        });
        if is_all {
            return false; // "all three of the tests"
        }
        let whole = (at + 1..noun).find_map(|place| self.number(place));
        match (self.number(before), whole) {
            (Some(part), Some(whole)) => part < whole,
            (Some(_), None) => is_of,
            (None, _) => {
                is_of
                    && ["less_than_all", "shares"]
                        .iter()
                        .any(|list| self.pack.list(list).has(self.word(before)))
            }
        }
    }

    /// "10 tests sur 12".
    fn is_part_behind(&self, start: usize, subject: &Subject) -> bool {
        let part = (start..subject.start).find_map(|place| self.number(place));
        let is_of = self.pack.list("parts").has(self.word(subject.end));
        let whole = self.number(subject.end + 1).filter(|_| is_of);
        part.zip(whole).is_some_and(|(part, whole)| part < whole)
    }

    /// "how the tests work"
    fn is_asked_how(&self, start: usize) -> bool {
        let before = start.checked_sub(1).map_or("", |before| self.word(before));
        self.pack.list("how").has(before) || self.pack.list("how").has(self.word(start))
    }

    fn number(&self, at: usize) -> Option<u64> {
        match self.token(at)?.what {
            What::Number(number) => Some(number),
            _ => number_word(self.pack, self.word(at)),
        }
    }

    fn is_function_word(&self, word: &str) -> bool {
        self.pack.list("openers").has(word)
            || self.pack.list("copulas").has(word)
            || self.pack.list("gap_stops").has(word)
            || self.pack.list("N1").has(word)
            || self.pack.list("N2").has(word)
            || self.pack.list("N4").has(word)
            || self.pack.list("N5").has(word)
            || self.pack.list("clause_breaks").has(word)
            || self.pack.deeds.has(word)
            || matches!(
                word,
                "to" | "with"
                    | "for"
                    | "on"
                    | "at"
                    | "by"
                    | "from"
                    | "as"
                    | "make"
                    | "made"
                    | "keep"
                    | "run"
                    | "ran"
                    | "running"
                    | "than"
            )
    }

    /// What part of it a statement about a check speaks of, and how many.
    fn scope(&self, subject: &Subject, start: usize) -> (Scope, Option<u64>) {
        if !subject.kinds.contains(&ClaimKind::TestsPass) {
            return (Scope::Plain, None);
        }
        let before = self.clause.get(start..subject.start).unwrap_or_default();
        let is_code = self
            .token(subject.start)
            .is_some_and(|token| token.what != What::Word);
        if is_code {
            return (Scope::Plain, None);
        }
        if let Some(scope) = self.place_behind(subject) {
            return (scope, None);
        }
        let mut all = false;
        let mut is_new = false;
        let mut numbers = Vec::new();
        let mut name = None;
        for token in before {
            match token.what {
                What::Number(number) => numbers.push(number),
                What::Word => {
                    all |= self.pack.list("all_words").has(&token.text);
                    is_new |= self.pack.list("new_modifiers").has(&token.text);
                    numbers.extend(number_word(self.pack, &token.text));
                    if token.text == "both" {
                        return (Scope::Count(2), None);
                    }
                    let known = self.pack.list("plain_modifiers").has(&token.text)
                        || self.pack.list("all_words").has(&token.text)
                        || self.pack.list("numbers").has(&token.text)
                        || self.pack.list("adv").has(&token.text);
                    if !known {
                        name = Some(token.text.clone());
                    }
                }
                What::Id | What::Code => name = Some(token.text.clone()),
                _ => {}
            }
        }
        let number = numbers.first().copied();
        let noun = self.word(subject.end - 1);
        let is_single =
            subject.end - subject.start == 1 && matches!(noun, "test" | "spec") || noun == "case";
        match (name, number) {
            (Some(name), _) => (Scope::Name(name), None),
            (None, Some(number)) if is_new => (Scope::Count(number), None),
            (None, None) if is_new && !all => (Scope::Name("new".to_owned()), None),
            (None, number) if all => (Scope::All, number),
            (None, None) if is_single => (Scope::Count(1), None),
            (None, number) => (Scope::Plain, number),
        }
    }

    /// "the tests in `x` pass", "the tests for the parser pass".
    fn place_behind(&self, subject: &Subject) -> Option<Scope> {
        // "the tests I added"
        if matches!(self.word(subject.end), "i" | "we") && !self.word(subject.end + 1).is_empty() {
            return Some(Scope::Name("new".to_owned()));
        }
        if !self.pack.list("narrows").has(self.word(subject.end)) {
            return None;
        }
        let mut at = subject.end + 1;
        while self.pack.list("articles").has(self.word(at)) {
            at += 1;
        }
        let token = self.token(at)?;
        match token.what {
            What::Path => Some(Scope::Path(token.text.clone())),
            What::Id | What::Code => Some(Scope::Name(token.text.clone())),
            What::Word if self.pack.list("narrows_unless").has(token.word()) => None,
            What::Word if self.pack.list("all_words").has(token.word()) => None,
            What::Word => Some(Scope::Name(token.text.clone())),
            _ => None,
        }
    }

    /// "mypy is clean for `calc`"
    fn file_behind(&self, at: usize) -> Option<String> {
        let token = self.token(at + 1)?;
        let is_file = matches!(token.what, What::Path | What::Id | What::Code)
            && self.starts.get(at + 1).is_none_or(Option::is_none);
        let narrows = self.pack.list("narrows").has(self.word(at));
        (narrows && is_file).then(|| token.text.clone())
    }

    /// "all tests pass except X".
    fn exception(&self, noun: usize, predicate: Place) -> Option<String> {
        let list = self.pack.list("exceptions");
        let begins = |at: &usize| list.at(self.clause, *at).is_some();
        let from = predicate.end;
        // "all tests except X pass"
        if let Some(at) = (noun..predicate.start).find(begins) {
            let from = at + list.at(self.clause, at)?;
            let words = self.clause.get(from..predicate.start)?.iter();
            let words = words
                .map(|token| shown(token))
                .filter(|word| !word.is_empty());
            return Some(words.collect::<Vec<_>>().join(" "));
        }
        let behind = (from..self.clause.len().min(from + 4)).find(begins);
        // "except for two, all tests pass"
        let Some(at) = behind.or_else(|| Some(0).filter(begins)) else {
            return self.counted_exception(from);
        };
        let is_fronted = behind.is_none();
        let length = list.at(self.clause, at)?;
        let rest = self.clause.get(at + length..)?;
        let words = rest
            .iter()
            .take_while(|token| !matches!(token.what, What::Sign('.' | ';' | '!' | ':')))
            .take_while(|token| !(is_fronted && token.is_sign(',')))
            .map(|token| shown(token))
            .filter(|word| !word.is_empty());
        let words: Vec<String> = words.collect();
        Some(words.join(" "))
    }

    /// "all tests pass with two exceptions"
    fn counted_exception(&self, from: usize) -> Option<String> {
        let at = (from..from + 3).find(|at| self.word(*at) == "with")?;
        let is_named = self.word(at + 2).starts_with("exception");
        let number = self.token(at + 1).filter(|_| is_named)?;
        Some(shown(number))
    }

    fn wholes(&self, found: &mut Vec<Found>) {
        for run in &self.pack.runs {
            for at in 0..self.clause.len() {
                let anywhere = run.anywhere.at(self.clause, at);
                if let Some(length) = anywhere.or_else(|| run.whole.at(self.clause, at)) {
                    let place = Place::new(at, at + length);
                    let opens = (0..at).all(|before| self.is_opener(before));
                    let ends = self.token(at + length).is_none_or(|next| {
                        matches!(next.what, What::Sign(_)) || self.pack.list("adv").has(next.word())
                    });
                    if anywhere.is_some() || opens && ends {
                        found.push(Found {
                            scope: Scope::All,
                            ..Found::new(run.kind, place, place)
                        });
                    }
                }
            }
        }
    }
}

/// Forms of verbs that are also adjectives.
fn is_verb_form(word: &str) -> bool {
    matches!(word, "passing")
}

/// Words that follow a noun and end it.
fn is_after_noun(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "or"
            | "in"
            | "on"
            | "with"
            | "without"
            | "now"
            | "again"
            | "for"
            | "as"
            | "too"
            | "but"
            | "locally"
            | "cleanly"
            | "successfully"
            | "after"
            | "before"
            | "except"
            | "at"
            | "under"
    )
}

pub(super) fn is_joint(token: &Token) -> bool {
    matches!(token.what, What::Sign(',' | '&' | '/' | '+'))
        || matches!(token.word(), "and" | "or" | "plus")
}

fn path_of(scope: &Scope) -> String {
    match scope {
        Scope::Path(path) => path.clone(),
        _ => String::new(),
    }
}

/// The number behind a word such as "twelve".
pub(super) fn number_word(pack: &Pack, word: &str) -> Option<u64> {
    let at = pack
        .list("numbers")
        .all()
        .position(|number| number == word)?;
    u64::try_from(at + 1).ok()
}

/// The word or the number of a token.
fn shown(token: &Token) -> String {
    match token.what {
        What::Number(number) => number.to_string(),
        _ => token.text.clone(),
    }
}
