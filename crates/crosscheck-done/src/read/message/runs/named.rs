//! Tests by their names: "`test_round` and `test_fee` pass", "✅ `test_round`".

use super::super::found::{Found, Place};
use super::super::tokens::What;
use super::{Frames, is_joint};
use crate::kind::{ClaimKind, Scope};

impl Frames<'_> {
    /// F1, F2 and F3 with names of tests as subjects.
    pub(super) fn named_tests(&self, found: &mut Vec<Found>) {
        for at in 0..self.clause.len() {
            let Some(name) = self.test_name(at).filter(|_| !self.is_left_out(at)) else {
                continue;
            };
            let behind = self.behind_names(at + 1);
            let is_marked = at == 1 && self.is_good(0) && self.token(at + 1).is_none();
            let predicate = behind.or_else(|| is_marked.then_some(Place::new(0, 1)));
            found.extend(predicate.map(|predicate| Found {
                scope: Scope::Name(name.to_owned()),
                subject: name.to_owned(),
                ..Found::new(
                    ClaimKind::TestsPass,
                    Place::new(at.min(predicate.start), predicate.end.max(at + 1)),
                    predicate,
                )
            }));
        }
    }

    fn test_name(&self, at: usize) -> Option<&str> {
        let token = self.token(at)?;
        let can_name = matches!(token.what, What::Word | What::Id | What::Code);
        Some(token.text.as_str()).filter(|text| can_name && is_test_name(text))
    }

    /// "everything but `test_round` passes"
    fn is_left_out(&self, at: usize) -> bool {
        let list = self.pack.list("exceptions");
        let is_exception =
            |place: usize| self.word(place) == "but" || list.at(self.clause, place).is_some();
        (0..at).any(is_exception)
    }

    fn is_good(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| token.what == What::Good)
    }

    /// What is said behind names of tests, when it is that they pass.
    fn behind_names(&self, mut at: usize) -> Option<Place> {
        let start = at;
        while self.token(at).is_some_and(is_joint) || self.test_name(at).is_some() {
            at += 1;
        }
        let is_label = |at: usize| {
            self.token(at).is_some_and(|token| {
                matches!(token.what, What::Sign(':' | '|' | '→' | '=' | '–' | '—'))
            })
        };
        let label = at;
        while is_label(at) {
            at += 1;
        }
        if self.is_good(at) {
            return Some(Place::new(at, at + 1));
        }
        if at > label {
            let mut runs = self.pack.runs.iter();
            let tests = runs.find(|run| run.kind == ClaimKind::TestsPass)?;
            let length = tests.value.at(self.clause, at)?;
            return self
                .ends_plainly(at + length)
                .then_some(Place::new(at, at + length));
        }
        // "test_a, all pass" would speak of others
        let is_list = at == start || self.test_name(at - 1).is_some();
        while self.pack.list("copulas").has(self.word(at))
            || self.pack.list("adv").has(self.word(at))
        {
            at += 1;
        }
        let (length, kinds) = self.predicate_at(at).filter(|_| is_list)?;
        let fits = kinds.iter().any(|(kind, _)| *kind == ClaimKind::TestsPass);
        (fits && !self.is_transitive(at, length)).then_some(Place::new(at, at + length))
    }
}

/// Whether a name is one of a test: `test_round`, `TestRound`, `round_test`.
pub(crate) fn is_test_name(name: &str) -> bool {
    let name = name.trim_end_matches("()");
    let last = name.rsplit([':', '.']).next().unwrap_or(name);
    let is_name = last.chars().all(|c| c.is_alphanumeric() || c == '_');
    let camel = last
        .strip_prefix("Test")
        .and_then(|rest| rest.chars().next());
    is_name
        && (last.starts_with("test_") && last.len() > 5
            || last.ends_with("_test") && last.len() > 5
            || camel.is_some_and(char::is_uppercase))
}
