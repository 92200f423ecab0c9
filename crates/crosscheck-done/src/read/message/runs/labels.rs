//! Labels with a value (F2) and marks before a label (F3).

use super::super::found::{Found, Place};
use super::super::tokens::What;
use super::{Frames, Subject, is_joint};
use crate::kind::ClaimKind;

impl Frames<'_> {
    /// F2.
    pub(super) fn labels(&self, subjects: &[Subject], found: &mut Vec<Found>) {
        for subject in subjects.iter().filter(|subject| subject.own) {
            let Some(sign) = self.label_sign(subject.end) else {
                continue;
            };
            let start = self.noun_phrase(subject.start);
            let is_arrow = self.token(sign).is_some_and(|token| token.is_sign('>'));
            if is_arrow && !(0..start).all(|before| self.word(before).is_empty()) {
                continue; // "the colour of passed tests => green"
            }
            if let Some((end, count)) = self.value(sign + 1, &subject.kinds) {
                for kind in &subject.kinds {
                    found.push(Found {
                        scope: self.scope(subject, start).0,
                        count: count.filter(|_| *kind == ClaimKind::TestsPass),
                        ..Found::new(*kind, Place::new(start, end), Place::new(sign, end))
                    });
                }
            }
        }
    }

    /// The sign between a label and its value; in a table other cells may
    /// are between.
    fn label_sign(&self, mut at: usize) -> Option<usize> {
        // `Tests ✅`
        if self.token(at).is_some_and(|token| token.what == What::Good)
            && at + 1 >= self.clause.len()
        {
            return at.checked_sub(1);
        }
        while self.token(at).is_some_and(|token| {
            matches!(
                token.word(),
                "status" | "result" | "results" | "run" | "output" | "check"
            )
        }) {
            at += 1;
        }
        let is_arrow = |at: usize| {
            self.token(at)
                .is_some_and(|token| matches!(token.what, What::Sign('=' | '-' | '>' | '⇒' | '→')))
        };
        let arrow = (at..at + 4).take_while(|at| is_arrow(*at)).last();
        let token = self.token(at)?;
        let is_sign = matches!(token.what, What::Sign(':' | '|' | '–' | '—'));
        arrow.or_else(|| is_sign.then_some(at))
    }

    /// "pytest exit code: 0", "exit code 0 from `pytest`".
    pub(super) fn exit_labels(&self, subjects: &[Subject], found: &mut Vec<Found>) {
        let names = self.pack.list("exit_names");
        for at in 0..self.clause.len() {
            let Some(length) = names.at(self.clause, at) else {
                continue;
            };
            let end = at + length;
            let is_near = |subject: &&Subject| {
                subject.own && (subject.end <= at && at - subject.end <= 2 || subject.start >= end)
            };
            let Some(subject) = subjects.iter().find(is_near) else {
                continue;
            };
            let ahead = end..self.clause.len().min(end + 6);
            let mut ahead = ahead.filter(|at| !(subject.start..subject.end).contains(at));
            let number = ahead.find(|at| {
                let token = self.token(*at);
                let is_between = token
                    .is_some_and(|token| matches!(token.what, What::Sign(':' | '=')))
                    || names.has(self.word(*at));
                !is_between
            });
            let Some(number) = number.filter(|at| self.number(*at) == Some(0)) else {
                continue;
            };
            let is_behind = subject.start < number
                || matches!(self.word(number + 1), "from" | "of" | "for" | "by" | "in");
            if is_behind {
                let quote = Place::new(at.min(subject.start), subject.end.max(number + 1));
                let kinds = subject.kinds.iter();
                found
                    .extend(kinds.map(|kind| Found::new(*kind, quote, Place::new(at, number + 1))));
            }
        }
    }

    /// The end of a value that says that all is well, with the count in it.
    fn value(&self, start: usize, kinds: &[ClaimKind]) -> Option<(usize, Option<u64>)> {
        let mut at = start;
        let mut good = None;
        let mut number = None;
        let limit = start + 8;
        while at < self.clause.len().min(limit) {
            let token = self.token(at)?;
            match token.what {
                What::Bad | What::Masked => return None,
                What::Good => good = Some(at + 1),
                What::Number(value) => {
                    let of = self.fraction(at);
                    if let Some((other, end)) = of {
                        return (other == value
                            && value > 0
                            && kinds.contains(&ClaimKind::TestsPass))
                        .then_some((end, Some(value)));
                    }
                    number = Some(value);
                    if self.absence(at).is_some() {
                        return self.absence(at).map(|end| (end, None));
                    }
                }
                What::Sign('|' | ',' | '(' | '*') => {}
                What::Sign('%') if number == Some(100) => number = None,
                What::Word => {
                    let fits = self
                        .pack
                        .runs
                        .iter()
                        .filter(|run| kinds.contains(&run.kind))
                        .filter_map(|run| run.value.at(self.clause, at))
                        .max();
                    if let Some(length) = fits {
                        let ok = !self.is_transitive(at, length);
                        return ok.then_some((at + length, number));
                    }
                    if let Some(end) = self.absence(at) {
                        return Some((end, None));
                    }
                    let skips = self.pack.list("adv").has(&token.text)
                        || self
                            .pack
                            .runs
                            .iter()
                            .any(|run| run.subject.at(self.clause, at).is_some())
                        || self.pack.list("all_words").has(&token.text)
                        || self.pack.list("copulas").has(&token.text);
                    if !skips && good.is_none() {
                        return None;
                    }
                    if !skips {
                        break;
                    }
                }
                _ => break,
            }
            at += 1;
        }
        good.map(|end| (end, number))
    }

    /// `42/42` and `42 of 42`: the other number and where it ends.
    pub(super) fn fraction(&self, at: usize) -> Option<(u64, usize)> {
        let joint = self.token(at + 1)?;
        if !(joint.is_sign('/') || self.pack.list("parts").has(joint.word())) {
            return None;
        }
        let mut place = at + 2;
        while matches!(self.word(place), "the" | "all" | "our" | "these") {
            place += 1;
        }
        match self.token(place)?.what {
            What::Number(other) => Some((other, place + 1)),
            _ => None,
        }
    }

    /// F3: a mark before a label that stands alone.
    pub(super) fn marked(&self, subjects: &[Subject], found: &mut Vec<Found>) {
        if self.is_row || !self.token(0).is_some_and(|token| token.what == What::Good) {
            return;
        }
        let mut end = 1;
        let mut listed = Vec::new();
        while let Some(token) = self.token(end) {
            if let Some(subject) = subjects.iter().find(|subject| subject.start == end) {
                listed.push(subject);
                end = subject.end;
            } else if is_joint(token)
                || self.pack.list("plain_modifiers").has(token.word())
                || matches!(token.what, What::Number(_))
            {
                end += 1;
            } else {
                break;
            }
        }
        let is_alone = self.token(end).is_none_or(|token| {
            matches!(token.what, What::Sign('.' | ',' | '!' | '(' | '–' | '—'))
                && self.token(end + 1).is_none()
        });
        if !is_alone {
            return;
        }
        for subject in listed.into_iter().filter(|subject| subject.own) {
            let (scope, count) = self.scope(subject, 1);
            for kind in &subject.kinds {
                found.push(Found {
                    scope: scope.clone(),
                    count: count.filter(|_| *kind == ClaimKind::TestsPass),
                    ..Found::new(*kind, Place::new(0, subject.end), Place::new(0, 1))
                });
            }
        }
    }
}
