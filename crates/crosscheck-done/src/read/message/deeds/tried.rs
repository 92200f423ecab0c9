//! Statements about what was fixed, tried, run and counted.

use super::super::found::{Found, Place};
use super::super::path;
use super::super::runs::number_word;
use super::super::tokens::What;
use super::{Deeds, Voice, is_preposition};
use crate::kind::{ClaimKind, Scope};

impl Deeds<'_> {
    pub(super) fn fixed(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        let Some(length) = self.verb(ClaimKind::Fixed, at) else {
            return;
        };
        let end = at + length;
        if self
            .pack
            .of(ClaimKind::Fixed, "nouns_after")
            .has(self.word(end))
        {
            return;
        }
        let range = match voice {
            Voice::Active => end..(end + 8).min(self.clause.len()),
            Voice::Passive(before) => before.saturating_sub(8)..before,
        };
        let mut object = None;
        for place in range {
            let token = self.token(place);
            if voice == Voice::Active
                && token.is_some_and(|token| {
                    is_preposition(token.word()) && object.is_none() && place > end
                })
            {
                break;
            }
            let is_number = token.is_some_and(|token| token.is_sign('#'))
                && matches!(self.what(place + 1), Some(What::Number(_)));
            if is_number
                || self
                    .pack
                    .of(ClaimKind::Fixed, "object")
                    .at(self.clause, place)
                    .is_some()
            {
                object = Some(place);
                break;
            }
        }
        let Some(object) = object.or_else(|| self.carried_problem(at, end, voice)) else {
            return;
        };
        if self.count_of_problems(end).is_some() {
            return;
        }
        let subject = match (self.token(object), self.what(object + 1)) {
            (Some(token), Some(What::Number(number))) if token.is_sign('#') => format!("#{number}"),
            _ => self.word(object).to_owned(),
        };
        let quote = Place::new(self.start_of(at, voice).min(object), (object + 1).max(end));
        found.push(Found {
            subject,
            ..Found::new(ClaimKind::Fixed, quote, Place::new(at, end))
        });
    }

    /// F8: "There was a crash. I fixed it." Where the pronoun is.
    fn carried_problem(&self, at: usize, end: usize, voice: Voice) -> Option<usize> {
        const OBJECTS: [&str; 6] = ["it", "them", "this", "that", "these", "both"];
        if !self.problem_before || !self.ends(if voice == Voice::Active { end + 1 } else { end }) {
            return None;
        }
        let is_pronoun = |place: &usize| {
            let word = self.word(*place);
            OBJECTS.contains(&word) || self.pack.list("pronouns").has(word)
        };
        match voice {
            Voice::Active => Some(end).filter(is_pronoun),
            // "it's fixed": the helper is the pronoun
            Voice::Passive(first) => {
                let own = (first..at).find(is_pronoun);
                let before = first.checked_sub(1).filter(is_pronoun);
                own.or(before)
                    .filter(|place| (0..*place).all(|before| self.is_opener(before)))
            }
        }
    }

    /// "The crash is gone", "the error no longer occurs".
    pub(super) fn problem_gone(&self, at: usize, found: &mut Vec<Found>) {
        let Some(length) = self.pack.of(ClaimKind::Fixed, "gone").at(self.clause, at) else {
            return;
        };
        let problems = self.pack.of(ClaimKind::Fixed, "object");
        let first = at.saturating_sub(6);
        let object = (first..at)
            .rev()
            .find(|place| problems.at(self.clause, *place).is_some());
        let Some(object) = object.filter(|_| self.ends(at + length)) else {
            return;
        };
        let is_verb = |place: usize| {
            self.pack.list("verbs").has(self.word(place)) || self.pack.deeds.has(self.word(place))
        };
        if (object..at).any(is_verb) {
            return;
        }
        found.push(Found {
            subject: self.word(object).to_owned(),
            negative: true,
            ..Found::new(
                ClaimKind::Fixed,
                Place::new(object, at + length),
                Place::new(at, at + length),
            )
        });
    }

    /// "Everything works now."
    pub(super) fn all_works(&self, at: usize, found: &mut Vec<Found>) {
        let whole = self
            .pack
            .of(ClaimKind::Verified, "whole")
            .at(self.clause, at);
        if let Some(length) = whole
            && self.ends(at + length)
            && (0..at).all(|before| self.is_opener(before))
        {
            let place = Place::new(at, at + length);
            found.push(Found::new(ClaimKind::Verified, place, place));
        }
    }

    pub(super) fn tried(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        if let Some(length) = self.verb(ClaimKind::Verified, at)
            && self.is_trial(at + length, voice)
        {
            let quote = Place::new(self.start_of(at, voice), self.end_of(at + length));
            found.push(Found::new(
                ClaimKind::Verified,
                quote,
                Place::new(at, at + length),
            ));
        }
        if self
            .pack
            .of(ClaimKind::Verified, "checked")
            .at(self.clause, at)
            .is_some()
            && self.works_elsewhere
        {
            let quote = Place::new(self.start_of(at, voice), self.end_of(at + 1));
            found.push(Found::new(
                ClaimKind::Verified,
                quote,
                Place::new(at, at + 1),
            ));
        }
        if let Some(length) = self.verb(ClaimKind::Ran, at)
            && voice == Voice::Active
        {
            self.ran(at, at + length, found);
        }
    }

    /// "verified users can log in" is about users.
    fn is_trial(&self, next: usize, voice: Voice) -> bool {
        const AFTER: [&str; 45] = [
            "it's",
            "that's",
            "they",
            "they're",
            "everything's",
            "that",
            "it",
            "the",
            "this",
            "by",
            "with",
            "both",
            "all",
            "via",
            "locally",
            "against",
            "end",
            "using",
            "manually",
            "everything",
            "in",
            "on",
            "and",
            "how",
            "your",
            "my",
            "our",
            "these",
            "end-to-end",
            "working",
            "through",
            "as",
            "each",
            "every",
            "no",
            "from",
            "after",
            "a",
            "an",
            "successfully",
            "under",
            "for",
            "at",
            "them",
            "to",
        ];
        match self.what(next) {
            Some(What::Word) => {
                AFTER.contains(&self.word(next)) || matches!(voice, Voice::Passive(_))
            }
            _ => true,
        }
    }

    fn ran(&self, at: usize, end: usize, found: &mut Vec<Found>) {
        let mut place = end;
        while self.pack.list("plain_modifiers").has(self.word(place))
            && self
                .pack
                .of(ClaimKind::Ran, "object")
                .at(self.clause, place)
                .is_none()
        {
            place += 1;
        }
        let code = self.token(place).filter(|token| {
            matches!(token.what, What::Code)
                || (token.what == What::Id && !self.commands.claims(&token.text).is_empty())
                || (token.what == What::Path && path::has_extension(&token.text))
        });
        let noun = self
            .pack
            .of(ClaimKind::Ran, "object")
            .at(self.clause, place);
        let (subject, stop) = match (code, noun) {
            (Some(code), _) => (code.text.clone(), place + 1),
            (None, Some(length)) => {
                let words = self.clause.get(place..place + length).unwrap_or_default();
                let words: Vec<&str> = words.iter().map(|token| token.word()).collect();
                (words.join(" "), place + length)
            }
            (None, None) => return,
        };
        found.push(Found {
            subject,
            ..Found::new(
                ClaimKind::Ran,
                Place::new(self.start_of(at, Voice::Active), stop),
                Place::new(at, end),
            )
        });
    }

    pub(super) fn counted(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        if voice != Voice::Active {
            return;
        }
        let adds = self.pack.of(ClaimKind::Count, "added").at(self.clause, at);
        if let Some(length) = adds
            && let Some((number, place)) = self.number_at(at + length)
        {
            let mut noun = place;
            while self.pack.list("plain_modifiers").has(self.word(noun))
                && self
                    .pack
                    .of(ClaimKind::Count, "tests")
                    .at(self.clause, noun)
                    .is_none()
            {
                noun += 1;
            }
            if let Some(size) = self
                .pack
                .of(ClaimKind::Count, "tests")
                .at(self.clause, noun)
            {
                Self::count("tests", number, at, noun + size, found);
            }
        }
        if let Some(length) = self.pack.of(ClaimKind::Count, "fixed").at(self.clause, at)
            && let Some((number, end, subject)) = self.count_of_problems(at + length)
        {
            Self::count(&subject, number, at, end, found);
        }
        let mut place = at + 1;
        if self.word(place) == "all" {
            place += 1;
            if let Some((number, noun)) = self.number_at(place)
                && let Some(size) = self
                    .pack
                    .of(ClaimKind::Count, "items")
                    .at(self.clause, noun)
            {
                Self::count(self.word(noun), number, at, noun + size, found);
            }
        }
    }

    fn count(subject: &str, number: u64, at: usize, end: usize, found: &mut Vec<Found>) {
        found.push(Found {
            subject: subject.to_owned(),
            count: Some(number),
            scope: Scope::Count(number),
            ..Found::new(
                ClaimKind::Count,
                Place::new(at, end),
                Place::new(at, at + 1),
            )
        });
    }

    /// A number here, behind "all" and "the", and the place after it.
    fn number_at(&self, mut at: usize) -> Option<(u64, usize)> {
        while matches!(
            self.word(at),
            "all" | "the" | "these" | "another" | "a" | "total" | "of"
        ) {
            at += 1;
        }
        match self.token(at)?.what {
            What::Number(number) => Some((number, at + 1)),
            _ => Some((number_word(self.pack, self.word(at))?, at + 1)),
        }
    }

    /// "all 7 lint errors": the number, where it ends, what it counts.
    fn count_of_problems(&self, at: usize) -> Option<(u64, usize, String)> {
        let (number, mut place) = self.number_at(at)?;
        while matches!(
            self.word(place),
            "remaining" | "new" | "of" | "the" | "outstanding" | "reported" | "existing"
        ) {
            place += 1;
        }
        let length = self
            .pack
            .of(ClaimKind::Count, "problems")
            .at(self.clause, place)?;
        let words = self.clause.get(place..place + length)?;
        let words: Vec<&str> = words.iter().map(|token| token.word()).collect();
        Some((number, place + length, words.join(" ")))
    }
}
