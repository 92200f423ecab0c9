//! Statements about deeds: files, names, commits, deployments, what was tried
//! and what was done with other tools.
//!
//! Contract: done 4.2, done 4.3.

use std::ops::Range;

use super::checks::{Clause, Found};
use super::grammar::{Cell, tag, tags};
use super::path::has_extension;
use super::tokens::What;
use crate::kind::{ClaimKind, Scope};

/// What a verb of a deed has around it.
struct Deed {
    /// The verb, in tokens.
    verb: Range<usize>,
    /// Files, names, keys and code that it is said of, as tokens.
    objects: Vec<usize>,
    /// The words around it that may name what it was done to.
    nouns: Range<usize>,
    /// The file behind "in", "to", "from".
    target: Option<usize>,
    is_active: bool,
    /// Whether the verb ends its clause.
    is_last: bool,
}

impl Clause<'_> {
    /// What the clause says was done.
    pub(super) fn deeds(&self, has_database: bool) -> Vec<Found> {
        let mut all = Vec::new();
        for at in self.place.clone() {
            let Some(cell) = self.cells.get(at).filter(|cell| cell.is(tag('v'))) else {
                continue;
            };
            if let Some(deed) = self.deed(at, cell) {
                let found = self.of_deed(&deed, has_database);
                all.extend(found);
            }
        }
        all.extend(self.phrases());
        all
    }

    fn list(&self, kind: ClaimKind, name: &str, at: usize) -> usize {
        self.sentence.part(kind, name, at)
    }

    fn has(&self, kind: ClaimKind, name: &str, mut places: Range<usize>) -> bool {
        places.any(|at| self.list(kind, name, at) > 0)
    }

    /// Whether nothing but openers, marks and numbers comes before a cell, or
    /// before the "I" that did it.
    fn opens(&self, at: usize) -> bool {
        let before = self.cells.get(self.place.start..at).unwrap_or_default();
        let begin = before.iter().rposition(|cell| cell.is(tags(":i")));
        let before = before.get(begin.unwrap_or(0)..).unwrap_or_default();
        before
            .iter()
            .all(|cell| cell.is(tags("oagu#,.:")) || cell.is(tag('c')) && self.is_have(cell))
    }

    fn is_have(&self, cell: &Cell) -> bool {
        matches!(self.sentence.word(cell.place.start), "have" | "has" | "had")
    }

    fn deed(&self, at: usize, cell: &Cell) -> Option<Deed> {
        let tokens = self.tokens();
        let before = self.cells.get(self.place.start..at).unwrap_or_default();
        let object = tags("DIKRHU");
        let copulas = before.iter().rev().skip_while(|cell| cell.is(tag('a')));
        let copulas = copulas
            .take_while(|cell| cell.is(tag('c')) && !cell.is(tag('o')))
            .count();
        let adverbs = before
            .iter()
            .rev()
            .take_while(|cell| cell.is(tag('a')))
            .count();
        let ends = self
            .cells
            .get(at + 1)
            .is_none_or(|next| next.is(tags(".,:gato")))
            || at + 1 >= self.place.end;
        let mut deed = Deed {
            verb: cell.place.clone(),
            objects: Vec::new(),
            nouns: cell.place.end..tokens.end.min(cell.place.end + 8),
            target: None,
            is_active: true,
            is_last: at + 1 >= self.place.end
                || self.cells.get(at + 1).is_some_and(|next| next.is(tag('.'))),
        };
        let is_passive = copulas > 0 && before.len() > copulas + adverbs && !self.opens(at);
        let rest = self.cells.get(at + 1..self.place.end).unwrap_or_default();
        let is_described = rest
            .iter()
            .any(|cell| cell.is(tag('c')) && !cell.is(tag('o')));
        let is_headline = before.len() <= 5 && ends && !before.is_empty() && !is_described;
        if is_passive || !self.opens(at) && (is_headline || self.sentence.pack.verb_last) {
            let end = if is_passive {
                before.len() - copulas - adverbs
            } else {
                before.len()
            };
            let said_of = before.get(..end).unwrap_or_default();
            // "tests for `a.py` were added" is said of the tests
            let narrow = said_of.iter().rposition(|cell| cell.is(tags("t")));
            let own = said_of.get(..narrow.unwrap_or(end)).unwrap_or_default();
            deed.objects = own
                .iter()
                .filter(|cell| cell.is(object))
                .map(|cell| cell.place.start)
                .collect();
            deed.nouns = tokens.start..cell.place.start;
            deed.is_active = false;
        } else if self.opens(at) {
            deed.objects = self.objects(at + 1);
        } else {
            return None;
        }
        let behind = self.cells.get(at + 1..self.place.end).unwrap_or_default();
        let mut pairs = behind
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.is(tag('D')));
        deed.target = pairs.find_map(|(nth, cell)| {
            let near = behind.get(nth.saturating_sub(3)..nth).unwrap_or_default();
            near.iter()
                .any(|cell| cell.is(tag('t')))
                .then_some(cell.place.start)
        });
        Some(deed)
    }

    /// The objects behind a verb: "created `a.py`, `b.py` and the new `c.py`".
    fn objects(&self, from: usize) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        let mut others = 0;
        let mut is_listed = true;
        for cell in self.cells.get(from..self.place.end).unwrap_or_default() {
            if cell.is(tags("DIKRHU")) {
                all.push(cell.place.start);
                is_listed = false;
            } else if cell.is(tags(".t")) || cell.is(tags("cvG")) && !cell.is(tag('m')) {
                break;
            } else if cell.is(tags(",:/g")) {
                is_listed = true;
            } else if !cell.is(tags("mqa#")) && !self.is_file_word(cell) {
                if !all.is_empty() && !is_listed {
                    break;
                }
                others += 1;
            }
            if others > 6 {
                break;
            }
        }
        all
    }

    fn is_file_word(&self, cell: &Cell) -> bool {
        matches!(
            self.sentence.word(cell.place.start),
            "file" | "files" | "new"
        )
    }

    fn of_deed(&self, deed: &Deed, has_database: bool) -> Vec<Found> {
        let named = self.of_objects(deed);
        if !named.is_empty() {
            return named;
        }
        if let Some(count) = self.counted(deed) {
            return vec![count];
        }
        let kinds = [
            ClaimKind::Committed,
            ClaimKind::Pushed,
            ClaimKind::Deployed,
            ClaimKind::MigrationApplied,
            ClaimKind::RowWritten,
            ClaimKind::Fixed,
            ClaimKind::Ran,
            ClaimKind::Verified,
            ClaimKind::Action,
            ClaimKind::Complete,
        ];
        let mut all: Vec<Found> = Vec::new();
        for kind in kinds {
            let is_verb = self.list(kind, "verbed", deed.verb.start) == deed.verb.len();
            if is_verb && self.fits(kind, deed, has_database) {
                all.push(self.found(kind, deed));
                break;
            }
        }
        all
    }

    /// Files, names and keys that something was done with.
    fn of_objects(&self, deed: &Deed) -> Vec<Found> {
        let verb = deed.verb.start;
        let is = |kind: ClaimKind| self.list(kind, "verbed", verb) == deed.verb.len();
        let of = |what: What| -> Vec<usize> {
            let own = deed.objects.iter().copied();
            own.filter(|at| self.sentence.what(*at) == Some(what))
                .collect()
        };
        let text = |at: usize| self.sentence.text(at);
        let (paths, names, keys) = (of(What::Path), of(What::Id), of(What::Key));
        let clause = self.tokens();
        let target = deed.target.filter(|target| !paths.contains(target));
        if self.list(ClaimKind::FileModified, "moves", verb) > 0 {
            let moved = self.moved(deed, &paths, target);
            if !moved.is_empty() {
                return moved;
            }
        }
        let placed = |at: usize| match target {
            Some(target) => format!("{}@{}", text(at), text(target)),
            None => text(at),
        };
        let in_env = target.is_some_and(|target| text(target).contains(".env"))
            || self.has(ClaimKind::EnvSet, "context", clause.clone());
        let is_called = |at: usize| {
            let token = self.sentence.tokens.get(at);
            token.is_some_and(|token| token.span.len() > token.text.len() + 2)
        };
        let is_symbol = target.is_some()
            || self.has(ClaimKind::SymbolAdded, "noun", clause)
            || names.first().is_some_and(|at| is_called(*at));
        let (kind, objects): (ClaimKind, Vec<(usize, String)>) =
            if !keys.is_empty() && is(ClaimKind::EnvSet) && in_env {
                (
                    ClaimKind::EnvSet,
                    keys.iter().map(|at| (*at, placed(*at))).collect(),
                )
            } else if !names.is_empty()
                && is_symbol
                && (is(ClaimKind::SymbolAdded) || is(ClaimKind::SymbolRemoved))
            {
                let kind = if is(ClaimKind::SymbolAdded) {
                    ClaimKind::SymbolAdded
                } else {
                    ClaimKind::SymbolRemoved
                };
                (kind, names.iter().map(|at| (*at, placed(*at))).collect())
            } else if let Some(target) = target.filter(|target| {
                paths.is_empty()
                    && deed.is_active
                    && !text(*target).starts_with(['/', '~'])
                    && self.list(ClaimKind::FileModified, "into", verb) > 0
            }) {
                (ClaimKind::FileModified, vec![(target, text(target))])
            } else if !paths.is_empty() {
                let kinds = [
                    ClaimKind::FileCreated,
                    ClaimKind::FileModified,
                    ClaimKind::FileDeleted,
                ];
                let needs_target = self.sentence.is("needs_target", verb);
                let Some(kind) = kinds
                    .into_iter()
                    .find(|kind| is(*kind) && !(*kind == ClaimKind::FileModified && needs_target))
                else {
                    return Vec::new();
                };
                (kind, paths.iter().map(|at| (*at, text(*at))).collect())
            } else {
                return Vec::new();
            };
        let single = objects.len() == 1;
        let mut all = Vec::new();
        for (nth, (at, subject)) in objects.into_iter().enumerate() {
            let quote = if nth == 0 || single {
                let end = target
                    .filter(|_| single)
                    .map_or(at, |target| target.max(at));
                verb.min(at)..deed.verb.end.max(end + 1)
            } else {
                at..at + 1
            };
            all.push(Found {
                subject,
                ..Found::new(kind, quote, verb)
            });
        }
        all
    }

    /// "renamed `a.py` to `b.py`": the one is gone, the other is there.
    fn moved(&self, deed: &Deed, paths: &[usize], target: Option<usize>) -> Vec<Found> {
        let is_direct = |to: usize| {
            let mut before = (0..to).rev();
            let word = before.find(|at| self.sentence.at("articles", *at) == 0);
            word.is_some_and(|at| self.sentence.is("into", at))
        };
        let (from, to) = match (paths, target) {
            ([from], Some(to)) if is_direct(to) => (*from, to),
            ([from, to], None) => (*from, *to),
            _ => return Vec::new(),
        };
        let (old, new) = (self.sentence.text(from), self.sentence.text(to));
        if !has_extension(&old) || !has_extension(&new) {
            return Vec::new();
        }
        let found = |kind, subject: &String| Found {
            subject: subject.clone(),
            ..Found::new(kind, from.min(deed.verb.start)..to + 1, deed.verb.start)
        };
        let mut all = vec![found(ClaimKind::FileCreated, &new)];
        if !new.ends_with(&old) {
            all.push(found(ClaimKind::FileDeleted, &old));
        }
        all
    }

    /// "added 3 tests", "fixed all 12 errors"
    fn counted(&self, deed: &Deed) -> Option<Found> {
        let verb = deed.verb.start;
        let from = deed.verb.end;
        let at = (from..from + 3).find(|at| self.sentence.number(*at).is_some())?;
        let count = self.sentence.number(at);
        let noun = |name: &str, at: usize| self.list(ClaimKind::Count, name, at);
        let is_plain = |at: usize| self.sentence.is_of("counted", at);
        let mut next = at + 1;
        while is_plain(next) && noun("tests", next) == 0 && noun("problems", next) == 0 {
            next += 1;
        }
        let (subject, length) = if noun("added", verb) > 0 && noun("tests", next) > 0 {
            ("tests".to_owned(), noun("tests", next))
        } else if noun("fixed", verb) > 0 && noun("problems", next) > 0 {
            let length = noun("problems", next);
            let words: Vec<&str> = (next..next + length)
                .map(|at| self.sentence.word(at))
                .collect();
            (words.join(" "), length)
        } else {
            return None;
        };
        deed.is_active.then(|| Found {
            subject,
            count,
            ..Found::new(ClaimKind::Count, verb..next + length, verb)
        })
    }

    /// Whether a verb has around it what its kind asks for.
    fn fits(&self, kind: ClaimKind, deed: &Deed, has_database: bool) -> bool {
        let clause = self.tokens();
        let near = |name: &str| self.has(kind, name, deed.nouns.clone());
        let next = self.sentence.word(deed.verb.end);
        let is_alone = deed.is_active
            && (deed.is_last
                || self
                    .cells
                    .iter()
                    .any(|cell| cell.place.start == deed.verb.end && cell.is(tags(",:aH"))));
        match kind {
            ClaimKind::Committed => {
                let is_vow = next == "to" && !near("object") && !self.has(kind, "place", clause);
                let is_told = matches!(next, "as" | "in" | "and" | "with" | "to");
                near("object") || deed.is_active && !is_vow && (is_alone || is_told)
            }
            ClaimKind::Pushed => {
                let moved = self.sentence.has("N11_objects", clause);
                let is_elsewhere = self.has(ClaimKind::Deployed, "place", self.tokens());
                let is_branch = near("place") || self.names_branch(deed);
                let is_some = near("object") || is_branch || next == "to";
                !moved && !is_elsewhere && (is_some || is_alone && !near("alone"))
            }
            ClaimKind::Deployed => {
                near("object")
                    || self.has(kind, "place", clause)
                    || is_alone
                    || deed.is_active && next == "to"
            }
            ClaimKind::MigrationApplied => near("object"),
            ClaimKind::RowWritten => {
                let saves = has_database
                    && self.list(kind, "saves", deed.verb.start) > 0
                    && !near("no_row")
                    && deed.objects.is_empty();
                near("object") || self.has(kind, "place", clause) || saves && deed.is_active
            }
            ClaimKind::Fixed => {
                let is_issue = matches!(self.sentence.what(deed.verb.end), Some(What::Sign('#')));
                let before = self.word_before(deed);
                let is_it = deed.is_active
                    && (matches!(next, "it" | "them" | "this" | "that" | "both")
                        || matches!(before, "it's" | "that's" | "now"));
                let is_width = self.list(kind, "nouns_after", deed.verb.end) > 0;
                !is_width && (near("object") || is_issue || is_it)
            }
            ClaimKind::Verified => self.is_tried(deed),
            ClaimKind::Ran => {
                let object = self.sentence.what(deed.verb.end);
                deed.is_active
                    && (near("object") || matches!(object, Some(What::Code | What::Path)))
            }
            ClaimKind::Action => {
                // "PR opened: https://…"
                let mut behind = deed.verb.end..deed.verb.end + 3;
                let is_shown = behind.any(|at| self.sentence.what(at) == Some(What::Url));
                let says_who = deed.is_active || is_shown || self.has(kind, "context", clause);
                says_who && (near("object") || self.has(kind, "alone", deed.verb.clone()))
            }
            ClaimKind::Complete => near("object"),
            _ => false,
        }
    }

    /// "pushed `main`", "pushed `fix/login`"
    fn names_branch(&self, deed: &Deed) -> bool {
        let pack = self.sentence.pack;
        let places = pack.part(ClaimKind::Pushed, "place");
        let mut objects = deed.objects.iter().map(|at| self.sentence.text(*at));
        objects.any(|text| pack.has(places, &text) || text.contains(['-', '/']))
    }

    fn word_before(&self, deed: &Deed) -> &str {
        let before = deed.verb.start.checked_sub(1);
        before.map_or("", |at| self.sentence.word(at))
    }

    /// "verified that it works", and not "a verified address".
    fn is_tried(&self, deed: &Deed) -> bool {
        // "it is tested by CI" is a habit
        let before = self.word_before(deed);
        if !deed.is_active && matches!(before, "is" | "are" | "be" | "being" | "gets") {
            return false;
        }
        let next = self.sentence.word(deed.verb.end);
        let takes = self.sentence.is("tried", deed.verb.end);
        !deed.is_active || deed.is_last || takes || next.is_empty()
    }

    fn found(&self, kind: ClaimKind, deed: &Deed) -> Found {
        let clause = self.tokens();
        let first = if deed.is_active {
            deed.verb.start
        } else {
            deed.nouns.start
        };
        let end = clause.end.min(deed.verb.end + 5).max(deed.verb.end);
        let subject = match kind {
            ClaimKind::Committed => self.named_hash(),
            ClaimKind::Ran => match self.sentence.what(deed.verb.end) {
                Some(What::Code | What::Path) => self.sentence.text(deed.verb.end),
                _ => self.words(deed.verb.end..end),
            },
            ClaimKind::Action => self.named_object(&clause),
            ClaimKind::Verified => {
                let mut places = clause.clone();
                let elsewhere = places.find(|at| self.list(kind, "elsewhere", *at) > 0);
                elsewhere.map_or(String::new(), |at| self.sentence.text(at))
            }
            _ => String::new(),
        };
        Found {
            subject,
            ..Found::new(kind, first..end, deed.verb.start)
        }
    }

    fn words(&self, places: Range<usize>) -> String {
        let words = self.sentence.tokens.get(places).unwrap_or_default().iter();
        let words: Vec<&str> = words
            .map(|token| token.text.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        words.join(" ")
    }

    /// The hash that the sentence names, in code or in plain words.
    fn named_hash(&self) -> String {
        let mut places = 0..self.sentence.tokens.len();
        let found = places.find_map(|at| self.hash_at(at));
        found.unwrap_or_default()
    }

    fn hash_at(&self, at: usize) -> Option<String> {
        let token = self.sentence.tokens.get(at)?;
        let text = token.text.as_str();
        let is_hex =
            (7..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_mixed = text.bytes().any(|byte| byte.is_ascii_digit())
            && text.bytes().any(|byte| byte.is_ascii_alphabetic());
        // a hash of letters alone may be a word; behind these it is none
        let before = at.checked_sub(1).map_or("", |at| self.sentence.word(at));
        let is_named = matches!(before, "as" | "commit" | "hash" | "sha");
        let is_plain = token.what == What::Word && is_hex && (is_mixed || is_named);
        (token.what == What::Sha || is_plain).then(|| text.to_owned())
    }

    /// The hash behind "landed in" or "commit:", and where it ends.
    fn hash_behind(&self, from: usize) -> Option<(String, usize)> {
        let clause = self.tokens();
        let is_between = |at: &usize| {
            matches!(self.sentence.what(*at), Some(What::Sign(_)))
                || self.list(ClaimKind::Committed, "noun", *at) > 0
                || self.sentence.is_of("unnamed", *at)
        };
        let between = (from..clause.end).take(4).take_while(is_between).count();
        Some((self.hash_at(from + between)?, from + between + 1))
    }

    /// What an action was done to, by its name or number: `SO-1001`, `#42`, an
    /// address.
    fn named_object(&self, clause: &Range<usize>) -> String {
        let tokens = self.sentence.tokens.get(clause.clone()).unwrap_or_default();
        let mut all = tokens.iter().filter_map(|token| match token.what {
            What::Number(value) => Some(value.to_string()),
            What::Id | What::Code | What::Url | What::Path | What::Key => Some(token.text.clone()),
            What::Word if token.text.bytes().any(|byte| byte.is_ascii_digit()) => {
                Some(token.text.clone())
            }
            _ => None,
        });
        all.next().unwrap_or_default()
    }

    /// Statements that are phrases: "it works as expected", "is live".
    fn phrases(&self) -> Vec<Found> {
        let clause = self.tokens();
        let mut all = Vec::new();
        let has_phrase = |at: &usize| !self.sentence.hits(*at).is_empty();
        for at in clause.clone().filter(has_phrase) {
            let before = clause.start.max(at.saturating_sub(6))..at;
            let find = |what: What| {
                before
                    .clone()
                    .rev()
                    .find(|at| self.sentence.what(*at) == Some(what))
            };
            let ends = |length: usize| {
                let next = at + length;
                next >= clause.end
                    || matches!(self.sentence.what(next), Some(What::Sign(_)))
                    || self.sentence.is("adv", next)
                    || self.sentence.is("into", next)
            };
            let length = self.list(ClaimKind::Verified, "works", at);
            if length > 0 {
                all.push(Found::new(
                    ClaimKind::Verified,
                    clause.start.max(at.saturating_sub(2))..at + length,
                    at,
                ));
            }
            let opened = before.clone().all(|at| self.is_opener(at));
            for kind in [ClaimKind::Verified, ClaimKind::Complete] {
                let length = self.list(kind, "whole", at);
                if length > 0 && opened && ends(length) {
                    all.push(Found::new(kind, at..at + length, at));
                }
            }
            let length = self.list(ClaimKind::Committed, "phrase", at);
            if length > 0 && opened {
                all.push(Found {
                    subject: self.named_hash(),
                    ..Found::new(ClaimKind::Committed, at..at + length, at)
                });
            }
            let label = self.list(ClaimKind::Committed, "noun", at);
            let is_value = matches!(
                self.sentence.what(at + label),
                Some(What::Sign(':' | '|' | '='))
            );
            let there = self.list(ClaimKind::Committed, "there", at);
            let length = there.max(if opened && is_value { label } else { 0 });
            let hash = self.hash_behind(at + length).filter(|_| length > 0);
            all.extend(hash.map(|(hash, end)| Found {
                scope: Scope::Name(hash.clone()),
                subject: hash,
                ..Found::new(ClaimKind::Committed, at..end, at)
            }));
            let gone = self.list(ClaimKind::Fixed, "gone", at);
            let deleted = self.list(ClaimKind::FileDeleted, "gone", at);
            let there = self.list(ClaimKind::FileCreated, "there", at);
            let is_gone = gone > 0 && ends(gone);
            let of_path = |path: usize, kind: ClaimKind, length: usize| Found {
                subject: self.sentence.text(path),
                negative: kind == ClaimKind::FileDeleted,
                ..Found::new(kind, path..at + length, at)
            };
            if let Some(path) = find(What::Path) {
                let kinds = [
                    (ClaimKind::FileDeleted, if is_gone { gone } else { deleted }),
                    (ClaimKind::FileCreated, there),
                ];
                let said = kinds.into_iter().filter(|(_, length)| *length > 0);
                all.extend(said.map(|(kind, length)| of_path(path, kind, length)));
            } else if is_gone {
                let mut nouns = before.clone().rev();
                let problem = nouns.find(|at| self.list(ClaimKind::Fixed, "object", *at) > 0);
                all.extend(problem.map(|problem| Found {
                    negative: true,
                    ..Found::new(ClaimKind::Fixed, problem..at + gone, at)
                }));
            }
            let length = self.list(ClaimKind::Deployed, "live", at);
            if length > 0 && find(What::Url).is_none() && self.is_deployed(&before) && ends(length)
            {
                let quote = before.start..at + length;
                all.push(Found::new(ClaimKind::Deployed, quote, at));
            }
            let length = self.list(ClaimKind::Pushed, "there", at);
            if length > 0 && self.has(ClaimKind::Pushed, "object", 0..at) {
                all.push(Found::new(ClaimKind::Pushed, before.start..at + length, at));
            }
            all.extend(self.endpoint(at, &before));
        }
        all
    }

    fn is_opener(&self, at: usize) -> bool {
        match self.sentence.what(at) {
            Some(What::Word) => self.sentence.is_of("opening", at),
            Some(What::Sign(_) | What::Good | What::Number(_)) => true,
            _ => false,
        }
    }

    /// "the release is live", and not "they live on a branch".
    fn is_deployed(&self, before: &Range<usize>) -> bool {
        let is_code = before
            .clone()
            .any(|at| matches!(self.sentence.what(at), Some(What::Id | What::Code)));
        let is_this = before.len() <= 2
            && before.clone().any(|at| {
                matches!(
                    self.sentence.word(at),
                    "it" | "it's" | "this" | "that" | "everything"
                )
            });
        is_code || is_this || self.has(ClaimKind::Deployed, "object", before.clone())
    }

    /// "`http://localhost:8000/health` returns 200"
    fn endpoint(&self, at: usize, before: &Range<usize>) -> Option<Found> {
        let kind = ClaimKind::EndpointWorks;
        let length = self.list(kind, "predicate", at);
        let is_route = |at: usize| {
            let path = self.sentence.tokens.get(at);
            let is_rooted =
                path.is_some_and(|token| token.what == What::Path && token.text.starts_with('/'));
            let beside = [at.wrapping_sub(1), at + 1];
            is_rooted && beside.iter().any(|at| self.list(kind, "noun", *at) > 0)
        };
        let mut places = before.clone().rev().take(4);
        let place = places
            .find(|at| self.sentence.what(*at) == Some(What::Url) || is_route(*at))
            .filter(|_| length > 0)?;
        let numbers =
            (at + length..at + length + 4).filter_map(|at| match self.sentence.what(at) {
                Some(What::Number(value)) => Some(value),
                _ => None,
            });
        let status = numbers.into_iter().find(|value| (100..600).contains(value));
        Some(Found {
            subject: self.sentence.text(place),
            count: status,
            ..Found::new(kind, place..at + length, at)
        })
    }
}
