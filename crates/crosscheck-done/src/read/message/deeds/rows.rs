//! Statements about rows of a database and its migrations.

use super::super::found::{Found, Place};
use super::super::tokens::What;
use super::{Deeds, Voice, is_preposition};
use crate::kind::ClaimKind;

impl Deeds<'_> {
    pub(super) fn rows(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        let (start, stop) = match voice {
            Voice::Active => (at + 1, self.clause.len()),
            Voice::Passive(end) => (0, end),
        };
        let range = || start..stop;
        if let Some(length) = self.verb(ClaimKind::MigrationApplied, at) {
            let near = range().take(6).find(|place| {
                self.pack
                    .of(ClaimKind::MigrationApplied, "object")
                    .at(self.clause, *place)
                    .is_some()
            });
            let migrates = self.word(at) == "migrated"
                && range()
                    .take(5)
                    .any(|place| matches!(self.word(place), "database" | "db" | "schema"));
            if near.is_some() || migrates {
                let quote = Place::new(self.start_of(at, voice), self.end_of(at + length));
                found.push(Found::new(
                    ClaimKind::MigrationApplied,
                    quote,
                    Place::new(at, at + length),
                ));
                return;
            }
        }
        let Some(length) = self.verb(ClaimKind::RowWritten, at) else {
            return;
        };
        let object = range().take(6).find(|place| {
            let noun = self
                .pack
                .of(ClaimKind::RowWritten, "object")
                .has(self.word(*place));
            let ends = self.token(place + 1).is_none_or(|next| match next.what {
                What::Word => {
                    is_preposition(&next.text)
                        || matches!(
                            next.word(),
                            "and"
                                | "was"
                                | "were"
                                | "is"
                                | "are"
                                | "has"
                                | "have"
                                | "whose"
                                | "where"
                        )
                }
                _ => true,
            });
            noun && ends
        });
        let place = self
            .pack
            .of(ClaimKind::RowWritten, "place")
            .any(self.clause.get(at..).unwrap_or_default());
        let id = (at..self.clause.len()).find(|place| {
            matches!(
                self.what(*place),
                Some(What::Id | What::Code | What::Number(_))
            )
        });
        let is_document = object.is_some_and(|object| self.word(object).starts_with("document"));
        let in_file = self.destination(at).is_some();
        let fits = match object {
            Some(_) if is_document => place || id.is_some(),
            Some(_) => true,
            None => place || (self.has_database && self.saves_a_thing(at, length, voice)),
        };
        if fits && !in_file {
            let subject = id.map_or_else(String::new, |id| match self.what(id) {
                Some(What::Number(number)) => number.to_string(),
                _ => self.text(id).to_owned(),
            });
            let quote = Place::new(
                self.start_of(at, voice),
                self.end_of(at + length).max(id.map_or(0, |id| id + 1)),
            );
            found.push(Found {
                subject,
                ..Found::new(ClaimKind::RowWritten, quote, Place::new(at, at + length))
            });
        }
    }

    /// "I saved the order", "the order was saved": a thing of the business,
    /// and not a file or a setting.
    fn saves_a_thing(&self, at: usize, length: usize, voice: Voice) -> bool {
        let (verbs, others) = (
            self.pack.of(ClaimKind::RowWritten, "saves"),
            self.pack.of(ClaimKind::RowWritten, "no_row"),
        );
        let range = match voice {
            Voice::Active => at + length..(at + length + 4).min(self.clause.len()),
            Voice::Passive(end) => end.saturating_sub(3)..end,
        };
        let words = || range.clone().map(|place| (place, self.word(place)));
        let ends = |word: &str| is_preposition(word) || matches!(word, "" | "and");
        let noun = match voice {
            Voice::Active => words().take_while(|(_, word)| !ends(word)).last(),
            Voice::Passive(_) => words().rfind(|(_, word)| !ends(word)),
        };
        let is_plain = |place: usize| self.what(place) == Some(What::Word);
        verbs.at(self.clause, at).is_some()
            && noun.is_some_and(|(place, word)| {
                is_plain(place) && word.len() > 2 && !self.pack.list("plain_modifiers").has(word)
            })
            && !words().any(|(place, word)| others.has(word) || !is_plain(place) && !ends(word))
    }
}
