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

/// Tags of what something can be done with.
const OBJECTS: &str = "DIKRHU";

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
        let deeds = self.place.clone().filter_map(|at| self.deed(at));
        let mut all: Vec<Found> = deeds
            .flat_map(|deed| self.of_deed(&deed, has_database))
            .collect();
        let tokens = self.tokens();
        let known = tokens.filter(|at| !self.sentence.hits(*at).is_empty());
        all.extend(known.flat_map(|at| self.phrases(at)));
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

    /// The deed of the verb in a cell, if there is one.
    fn deed(&self, at: usize) -> Option<Deed> {
        let tokens = self.tokens();
        let cell = self.cells.get(at).filter(|cell| cell.is(tag('v')))?;
        let before = self.cells.get(self.place.start..at).unwrap_or_default();
        let behind = self.cells.get(at + 1..self.place.end).unwrap_or_default();
        let next = behind.first();
        let is_copula = |cell: &Cell| cell.is(tag('c')) && !cell.is(tag('o'));
        let end_of = |cells: &[Cell], is_part: &dyn Fn(&Cell) -> bool| {
            let last = cells.iter().rposition(|cell| !is_part(cell));
            last.map_or(0, |last| last + 1)
        };
        // "was", and before it what it is said of
        let adverbs = end_of(before, &|cell| cell.is(tag('a')));
        let subject = end_of(before.get(..adverbs).unwrap_or_default(), &is_copula);
        let is_active = self.opens(at);
        let is_passive = !is_active && subject < adverbs && subject > 0;
        let is_headline = (1..=5).contains(&before.len())
            && next.is_none_or(|next| next.is(tags(".,:gato")))
            && !behind.iter().any(is_copula);
        let is_stated = is_passive || is_headline || self.sentence.pack.verb_last;
        if !is_active && !is_stated {
            return None;
        }
        // "tests for `a.py` were added" is said of the tests
        let said_of = before.iter().take(if is_passive { subject } else { at });
        let narrow = said_of.clone().rposition(|cell| cell.is(tag('t')));
        let own = said_of.take(narrow.unwrap_or(at));
        let objects = own.filter(|cell| cell.is(tags(OBJECTS)));
        let mut files = behind.iter().enumerate();
        let target = files.find_map(|(nth, cell)| {
            let near = behind.get(nth.saturating_sub(3)..nth).unwrap_or_default();
            let is_target = cell.is(tag('D')) && near.iter().any(|cell| cell.is(tag('t')));
            is_target.then_some(cell.place.start)
        });
        Some(Deed {
            verb: cell.place.clone(),
            objects: if is_active {
                self.objects(at + 1)
            } else {
                objects.map(|cell| cell.place.start).collect()
            },
            nouns: if is_active {
                cell.place.end..tokens.end.min(cell.place.end + 8)
            } else {
                tokens.start..cell.place.start
            },
            target,
            is_active,
            is_last: next.is_none_or(|next| next.is(tag('.'))),
        })
    }

    /// The objects behind a verb: "created `a.py`, `b.py` and the new `c.py`".
    fn objects(&self, from: usize) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        let mut others = 0;
        let mut is_listed = true;
        for cell in self.cells.get(from..self.place.end).unwrap_or_default() {
            if cell.is(tags(OBJECTS)) {
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
        let first = |kinds: &[ClaimKind]| kinds.iter().copied().find(|kind| is(*kind));
        let symbol = first(&[ClaimKind::SymbolAdded, ClaimKind::SymbolRemoved]);
        let into = target.filter(|target| {
            paths.is_empty()
                && deed.is_active
                && !text(*target).starts_with(['/', '~'])
                && self.list(ClaimKind::FileModified, "into", verb) > 0
        });
        let file = if self.sentence.is("needs_target", verb) {
            first(&[ClaimKind::FileCreated, ClaimKind::FileDeleted])
        } else {
            first(&[
                ClaimKind::FileCreated,
                ClaimKind::FileModified,
                ClaimKind::FileDeleted,
            ])
        };
        let (kind, objects) = if !keys.is_empty() && is(ClaimKind::EnvSet) && in_env {
            (Some(ClaimKind::EnvSet), keys)
        } else if !names.is_empty() && is_symbol && symbol.is_some() {
            (symbol, names)
        } else if let Some(target) = into {
            (Some(ClaimKind::FileModified), vec![target])
        } else {
            (file, paths)
        };
        let Some(kind) = kind else {
            return Vec::new();
        };
        let is_file = matches!(
            kind,
            ClaimKind::FileCreated | ClaimKind::FileModified | ClaimKind::FileDeleted
        );
        let last = target.filter(|_| objects.len() == 1).unwrap_or(0);
        let found = objects.into_iter().enumerate().map(|(nth, at)| Found {
            subject: if is_file { text(at) } else { placed(at) },
            ..Found::new(
                kind,
                if nth == 0 {
                    verb.min(at)..deed.verb.end.max(at.max(last) + 1)
                } else {
                    at..at + 1
                },
                verb,
            )
        });
        found.collect()
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
    fn phrases(&self, at: usize) -> Vec<Found> {
        let clause = self.tokens();
        let before = clause.start.max(at.saturating_sub(6))..at;
        let find = |what: What| {
            let mut back = before.clone().rev();
            back.find(|at| self.sentence.what(*at) == Some(what))
        };
        let opened = before.clone().all(|at| self.is_opener(at));
        let length = |kind: ClaimKind, name: &str| self.list(kind, name, at);
        // the same where nothing but an adverb or a place comes behind it
        let last = |kind: ClaimKind, name: &str| {
            let length = self.list(kind, name, at);
            let next = at + length;
            let ends = next >= clause.end
                || matches!(self.sentence.what(next), Some(What::Sign(_)))
                || self.sentence.is("adv", next)
                || self.sentence.is("into", next);
            if ends { length } else { 0 }
        };
        let mut all = Vec::new();
        let mut say = |kind: ClaimKind, start: usize, length: usize, subject: String| {
            all.extend((length > 0).then(|| Found {
                subject,
                ..Found::new(kind, start..at + length, at)
            }));
        };
        let start = clause.start.max(at.saturating_sub(2));
        let (verified, committed) = (ClaimKind::Verified, ClaimKind::Committed);
        say(verified, start, length(verified, "works"), String::new());
        if opened {
            for kind in [verified, ClaimKind::Complete] {
                say(kind, at, last(kind, "whole"), String::new());
            }
            say(
                committed,
                at,
                length(committed, "phrase"),
                self.named_hash(),
            );
        }
        let label = length(committed, "noun");
        let sign = self.sentence.what(at + label);
        let is_label = opened && matches!(sign, Some(What::Sign(':' | '|' | '=')));
        let lead = length(committed, "there").max(if is_label { label } else { 0 });
        let hash = self.hash_behind(at + lead).filter(|_| lead > 0);
        let gone = last(ClaimKind::Fixed, "gone");
        if let Some(path) = find(What::Path) {
            let text = || self.sentence.text(path);
            let deleted = gone.max(length(ClaimKind::FileDeleted, "gone"));
            let there = length(ClaimKind::FileCreated, "there");
            say(ClaimKind::FileDeleted, path, deleted, text());
            say(ClaimKind::FileCreated, path, there, text());
        } else {
            let is_problem = |at: &usize| self.list(ClaimKind::Fixed, "object", *at) > 0;
            let problem = before.clone().rev().find(is_problem);
            let length = if problem.is_some() { gone } else { 0 };
            say(
                ClaimKind::Fixed,
                problem.unwrap_or(at),
                length,
                String::new(),
            );
        }
        if find(What::Url).is_none() && self.is_deployed(&before) {
            let live = last(ClaimKind::Deployed, "live");
            say(ClaimKind::Deployed, before.start, live, String::new());
        }
        if self.has(ClaimKind::Pushed, "object", 0..at) {
            let there = length(ClaimKind::Pushed, "there");
            say(ClaimKind::Pushed, before.start, there, String::new());
        }
        for found in &mut all {
            found.negative = matches!(found.kind, ClaimKind::FileDeleted | ClaimKind::Fixed);
        }
        all.extend(hash.map(|(hash, end)| Found {
            scope: Scope::Name(hash.clone()),
            subject: hash,
            ..Found::new(committed, at..end, at)
        }));
        all.extend(self.endpoint(at, &before));
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
