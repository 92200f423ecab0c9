//! Statements about what was done: files, names, commits, deployments.
//!
//! A deed opens its clause ("Created …", "I've pushed …", F6), or is said of
//! its object ("`x` has been removed", F7). What a script, a user or a test
//! did is none of the agent's.

mod files;
mod rows;
mod shipped;
mod tried;

use super::Commands;
use super::found::{Found, Place};
use super::pack::Pack;
use super::pieces;
use super::tokens::{Token, What};
use crate::kind::ClaimKind;

pub(super) struct Deeds<'c> {
    pub(super) pack: &'c Pack,
    pub(super) clause: &'c [&'c Token],
    pub(super) commands: &'c dyn Commands,
    /// Whether another clause of the sentence says that something works.
    pub(super) works_elsewhere: bool,
    /// Whether the sentence speaks of a commit.
    pub(super) commits_elsewhere: bool,
    /// Whether the words before this clause name a problem that "it" can mean.
    pub(super) problem_before: bool,
    /// Whether "I saved the order" speaks of a row.
    pub(super) has_database: bool,
}

/// Words before the file that something goes to.
const TO: [&str; 10] = [
    "to", "into", "in", "inside", "within", "at", "en", "dans", "em", "zu",
];

/// How a verb is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    /// The agent did it; its objects follow.
    Active,
    /// It was done to what comes before this place.
    Passive(usize),
}

impl Deeds<'_> {
    pub(super) fn read(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for at in 0..self.clause.len() {
            let Some(voice) = self.voice(at) else {
                continue;
            };
            self.files(at, voice, &mut found);
            self.git(at, voice, &mut found);
            self.deployed(at, voice, &mut found);
            self.rows(at, voice, &mut found);
            self.fixed(at, voice, &mut found);
            self.tried(at, voice, &mut found);
            self.counted(at, voice, &mut found);
        }
        self.on_remote(&mut found);
        self.endpoints(&mut found);
        self.phrases(&mut found);
        found
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.clause.get(at).copied()
    }

    fn word(&self, at: usize) -> &str {
        self.token(at).map_or("", Token::word)
    }

    fn what(&self, at: usize) -> Option<What> {
        self.token(at).map(|token| token.what)
    }

    fn verb(&self, kind: ClaimKind, at: usize) -> Option<usize> {
        self.pack.of(kind, "verbed").at(self.clause, at)
    }

    /// How the verb here is used, if the agent says it of its own work.
    fn voice(&self, at: usize) -> Option<Voice> {
        let known = self.pack.deeds.at(self.clause, at).is_some()
            || self
                .pack
                .of(ClaimKind::Verified, "checked")
                .at(self.clause, at)
                .is_some();
        if !known {
            return None;
        }
        if let Some(copula) = self.copula_before(at) {
            return Some(Voice::Passive(copula));
        }
        let start = self.label_end(at);
        let opens = (start..at).all(|place| self.is_opener(place));
        if opens {
            return Some(Voice::Active);
        }
        if self.is_headline(start, at) {
            return Some(Voice::Passive(at));
        }
        // "Ich habe `x` erstellt": the helper opens, the verb ends the clause
        let helper = (start..at).find(|place| self.pack.list("helpers").has(self.word(*place)));
        let is_helped = self.pack.verb_last
            && helper.is_some_and(|helper| (start..helper).all(|place| self.is_opener(place)));
        is_helped.then_some(Voice::Passive(at))
    }

    /// "Changes committed.", "`a.py` created": a passive without its verb, and
    /// nothing else in the clause but where it went.
    fn is_headline(&self, start: usize, at: usize) -> bool {
        const KINDS: [ClaimKind; 5] = [
            ClaimKind::Committed,
            ClaimKind::Pushed,
            ClaimKind::Deployed,
            ClaimKind::Fixed,
            ClaimKind::MigrationApplied,
        ];
        const BEHIND: [&str; 7] = ["to", "in", "as", "on", "and", "with", "successfully"];
        let is_object = |place: usize| match self.what(place) {
            Some(What::Path | What::Id) => true,
            Some(What::Word) => KINDS
                .iter()
                .any(|kind| self.pack.of(*kind, "object").has(self.word(place))),
            _ => false,
        };
        let is_before =
            |place: usize| is_object(place) || self.is_opener(place) || self.word(place) == "the";
        let end = at + self.pack.deeds.at(self.clause, at).unwrap_or(1);
        let ends = self.token(end).is_none_or(|next| {
            matches!(next.what, What::Sign(_) | What::Good) || BEHIND.contains(&next.word())
        });
        let has_verb = || {
            (end..self.clause.len()).any(|place| {
                let word = self.word(place);
                self.pack.list("passives").has(word) || self.pack.list("verbs").has(word)
            })
        };
        at <= start + 4
            && (start..at).any(is_object)
            && (start..at).all(is_before)
            && ends
            && !has_verb()
    }

    /// Words before a colon are a label, when they are few.
    fn label_end(&self, at: usize) -> usize {
        let colon = (0..at)
            .rev()
            .find(|place| matches!(self.what(*place), Some(What::Sign(':'))));
        colon
            .filter(|colon| *colon <= 6)
            .map_or(0, |colon| colon + 1)
    }

    fn is_opener(&self, at: usize) -> bool {
        let token = self.token(at);
        token.is_some_and(|token| pieces::is_opener(self.pack, token))
    }

    /// Where a form of "to be" begins that belongs to the verb here.
    fn copula_before(&self, at: usize) -> Option<usize> {
        let mut place = at;
        while let Some(before) = place.checked_sub(1) {
            let word = self.word(before);
            if self.pack.list("passives").has(word) {
                // "has been created": all of it
                let mut first = before;
                while first > 0 && self.pack.list("passives").has(self.word(first - 1)) {
                    first -= 1;
                }
                // "I have created" is said of the agent, "has been created" of a thing
                let is_perfect =
                    (first..=before).all(|at| matches!(self.word(at), "have" | "has" | "had"));
                return (!is_perfect).then_some(first);
            }
            if !self.pack.list("adv").has(word) {
                return None;
            }
            place = before;
        }
        None
    }

    /// The typed objects behind a verb: articles and nouns before them are
    /// passed over, a preposition ends them.
    fn objects(&self, from: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let mut at = from;
        let mut words = 0;
        while let Some(token) = self.token(at) {
            match token.what {
                What::Path | What::Id | What::Key | What::Code | What::Url | What::Sha => {
                    all.push(at);
                }
                What::Sign(',' | '&' | '/' | '+' | '[' | ']' | ':') => {}
                What::Word if token.text == "and" || token.text == "plus" || token.text == "or" => {
                }
                What::Word if is_preposition(&token.text) => break,
                What::Word if !all.is_empty() => {
                    // "`a` and the new `b`": only words that lead to another object
                    let leads = self.pack.list("plain_modifiers").has(&token.text)
                        || matches!(token.text.as_str(), "file" | "files")
                        || self.is_joint_before(at);
                    if !leads {
                        break;
                    }
                }
                What::Word => words += 1,
                What::Number(_) => {}
                _ => break,
            }
            if words > 6 {
                break;
            }
            at += 1;
        }
        // "removed `a`, `b` was added": `b` begins the next statement
        if all.len() > 1 && self.pack.list("passives").has(self.word(at)) {
            all.pop();
        }
        all
    }

    fn is_joint_before(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.token(before));
        before.is_some_and(|before| {
            matches!(before.what, What::Sign(',')) || matches!(before.word(), "and" | "plus")
        })
    }

    /// The objects right before a passive: one, or a list of them.
    fn objects_before(&self, end: usize) -> Vec<usize> {
        let mut all = Vec::new();
        // "the class that was removed" is not a statement of its own
        if end
            .checked_sub(1)
            .is_some_and(|before| matches!(self.word(before), "that" | "which"))
        {
            return all;
        }
        for at in (0..end).rev() {
            let Some(token) = self.token(at) else {
                break;
            };
            match token.what {
                What::Path | What::Id | What::Key | What::Code | What::Url | What::Sha => {
                    all.push(at);
                }
                What::Sign(',' | '&' | '+') => {}
                What::Word if token.text == "and" => {}
                What::Word if is_preposition(&token.text) => {
                    // "the tests in `x` were removed" is not about `x`
                    all.clear();
                    break;
                }
                // "`a` and `b` were added, `c` was removed": only `c`
                What::Word if !all.is_empty() && self.pack.deeds.has(&token.text) => {
                    all.truncate(1);
                    break;
                }
                // "`a` replaces `b`, which …": `a` is another matter
                What::Word if !all.is_empty() && !self.belongs_to_noun(&token.text) => break,
                What::Word => {}
                _ => break,
            }
        }
        all.reverse();
        all
    }

    /// Whether a word can be between the objects of a list.
    fn belongs_to_noun(&self, word: &str) -> bool {
        self.pack.list("plain_modifiers").has(word)
            || self.is_opener_word(word)
            || [ClaimKind::SymbolAdded, ClaimKind::SymbolRemoved]
                .iter()
                .any(|kind| self.pack.of(*kind, "noun").has(word))
            || matches!(
                word,
                "file"
                    | "files"
                    | "function"
                    | "functions"
                    | "method"
                    | "methods"
                    | "class"
                    | "classes"
                    | "module"
                    | "modules"
                    | "folder"
                    | "script"
                    | "scripts"
                    | "type"
                    | "types"
                    | "helper"
                    | "helpers"
                    | "unused"
                    | "die"
                    | "der"
                    | "das"
                    | "den"
                    | "datei"
                    | "dateien"
                    | "und"
                    | "el"
                    | "la"
                    | "los"
                    | "las"
                    | "archivo"
                    | "archivos"
                    | "y"
                    | "le"
                    | "les"
                    | "fichier"
                    | "fichiers"
                    | "et"
                    | "o"
                    | "os"
                    | "arquivo"
                    | "arquivos"
                    | "e"
            )
    }

    fn is_opener_word(&self, word: &str) -> bool {
        self.pack.list("adv").has(word) || self.pack.list("openers").has(word)
    }

    /// The file behind "to", "into", "in", "from".
    fn destination(&self, from: usize) -> Option<usize> {
        let leads = |word: &str| TO.contains(&word) || matches!(word, "from" | "aus");
        self.led_by(from, leads)
    }

    /// The file behind "to", "into", "in": what was moved from a file says
    /// nothing about that file, which may be gone.
    fn goal(&self, from: usize) -> Option<usize> {
        self.led_by(from, |word| TO.contains(&word))
    }

    fn led_by(&self, from: usize, leads: impl Fn(&str) -> bool) -> Option<usize> {
        (from..self.clause.len()).find(|at| {
            let is_led = || {
                at.checked_sub(1).is_some_and(|before| {
                    let mut place = before;
                    while place > 0
                        && matches!(
                            self.word(place),
                            "the" | "file" | "our" | "your" | "new" | "existing"
                        )
                    {
                        place -= 1;
                    }
                    leads(self.word(place))
                })
            };
            self.what(*at) == Some(What::Path) && is_led()
        })
    }

    fn text(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text.as_str())
    }

    /// Whether a statement ends here, but for words such as "now".
    fn ends(&self, at: usize) -> bool {
        let mut place = at;
        while self.pack.list("adv").has(self.word(place)) {
            place += 1;
        }
        self.token(place).is_none_or(|next| {
            matches!(
                next.what,
                What::Sign('.' | ',' | '!' | ';' | ':' | '(' | ')' | '—' | '–') | What::Good
            ) || matches!(next.word(), "and" | "und" | "et" | "y" | "e")
        })
    }

    /// Where a quote begins: at the verb or its helper, or at the object.
    fn start_of(&self, at: usize, voice: Voice) -> usize {
        match voice {
            Voice::Active => {
                let before = at.checked_sub(1).filter(|before| {
                    matches!(self.word(*before), "i've" | "we've" | "have" | "i" | "we")
                });
                before.unwrap_or(at)
            }
            Voice::Passive(end) => end.saturating_sub(3),
        }
    }

    /// Where a quote ends: before the next sign, some words on.
    fn end_of(&self, from: usize) -> usize {
        let stop = (from..self.clause.len()).find(|at| {
            matches!(
                self.what(*at),
                Some(What::Sign(',' | ';' | ':' | '.' | '!' | '—' | '–'))
            )
        });
        stop.unwrap_or(self.clause.len()).min(from + 6)
    }

    // ------------------------------------------------------------ the world outside

    fn endpoints(&self, found: &mut Vec<Found>) {
        let works = self.pack.of(ClaimKind::EndpointWorks, "predicate");
        for at in 0..self.clause.len() {
            let is_url = self.what(at) == Some(What::Url);
            let noun = |place: usize| {
                self.pack
                    .of(ClaimKind::EndpointWorks, "noun")
                    .has(self.word(place))
            };
            let is_route = self.what(at) == Some(What::Path)
                && self.text(at).starts_with('/')
                && (noun(at + 1) || at.checked_sub(1).is_some_and(noun));
            if !(is_url || is_route) {
                continue;
            }
            let behind = (at + 1..(at + 6).min(self.clause.len()))
                .find(|place| works.at(self.clause, *place).is_some());
            let gap_is_plain = |to: usize| {
                (at + 1..to).all(|place| {
                    let word = self.word(place);
                    noun(place)
                        || self.pack.list("adv").has(word)
                        || matches!(word, "correctly" | "endpoint")
                        || matches!(self.what(place), Some(What::Sign('(' | ')')))
                })
            };
            let before = (0..at).rev().take(3).find(|place| {
                is_url
                    && works
                        .at(self.clause, *place)
                        .is_some_and(|length| place + length < at + 1 && length > 1)
            });
            let predicate = behind.filter(|place| gap_is_plain(*place)).or(before);
            let Some(predicate) = predicate else {
                continue;
            };
            let length = works.at(self.clause, predicate).unwrap_or(1);
            let status = (predicate + length..self.clause.len().min(predicate + length + 4))
                .find_map(|place| match self.what(place) {
                    Some(What::Number(number)) if (100..600).contains(&number) => Some(number),
                    _ => None,
                });
            let returns = self.word(predicate).starts_with("return");
            if returns && status.is_none() && !is_url {
                continue;
            }
            let quote = Place::new(at.min(predicate), (at + 1).max(predicate + length));
            found.push(Found {
                subject: self.text(at).to_owned(),
                count: status,
                ..Found::new(
                    ClaimKind::EndpointWorks,
                    quote,
                    Place::new(predicate, predicate + length),
                )
            });
        }
    }

    /// "`x` is gone", "`x` now exists".
    fn is_there(&self, kind: ClaimKind, words: &str, at: usize, found: &mut Vec<Found>) {
        let Some(length) = self.pack.of(kind, words).at(self.clause, at) else {
            return;
        };
        let objects = self.objects_before(at).into_iter();
        let mut paths = objects.filter(|place| self.what(*place) == Some(What::Path));
        if let Some(object) = paths.next_back()
            && (kind == ClaimKind::FileDeleted || self.ends(at + length))
        {
            found.push(Found {
                subject: self.text(object).to_owned(),
                negative: kind == ClaimKind::FileDeleted,
                ..Found::new(
                    kind,
                    Place::new(object, at + length),
                    Place::new(at, at + length),
                )
            });
        }
    }

    fn phrases(&self, found: &mut Vec<Found>) {
        for at in 0..self.clause.len() {
            if let Some(length) = self
                .pack
                .of(ClaimKind::Verified, "works")
                .at(self.clause, at)
            {
                let place = Place::new(at, at + length);
                found.push(Found::new(
                    ClaimKind::Verified,
                    Place::new(at.saturating_sub(2), at + length),
                    place,
                ));
            }
            self.all_works(at, found);
            self.problem_gone(at, found);
            if let Some(length) = self
                .pack
                .of(ClaimKind::Committed, "phrase")
                .at(self.clause, at)
            {
                let place = Place::new(at, at + length);
                let names = self.what(at + length) == Some(What::Sha);
                let opens = (0..at).all(|before| self.is_opener(before));
                let is_reference = matches!(self.word(at), "in" | "as");
                let is_own = self.has_object(ClaimKind::Committed, 0, at)
                    || (0..at).any(|place| self.verb(ClaimKind::Committed, place).is_some());
                if (is_reference && names && is_own) || (!is_reference && opens) {
                    found.push(Found {
                        subject: self.sha(at),
                        ..Found::new(
                            ClaimKind::Committed,
                            Place::new(
                                at,
                                (at + length + usize::from(names)).min(self.clause.len()),
                            ),
                            place,
                        )
                    });
                }
            }
            if let Some(length) = self
                .pack
                .of(ClaimKind::Deployed, "live")
                .at(self.clause, at)
            {
                let named = self.has_object(ClaimKind::Deployed, 0, at)
                    || (0..at).any(|place| {
                        matches!(self.what(place), Some(What::Id | What::Code))
                            || self.pack.list("pronouns").has(self.word(place))
                    });
                let about_url = (0..at).any(|place| self.what(place) == Some(What::Url));
                let is_place = !matches!(self.word(at), "is" | "are" | "now" | "went" | "live");
                let copula = self.copula_before(at).is_some()
                    || self.pack.list("copulas").has(self.word(at.wrapping_sub(1)));
                if named && !about_url && (!is_place || copula) {
                    let place = Place::new(at, at + length);
                    found.push(Found::new(
                        ClaimKind::Deployed,
                        Place::new(at.saturating_sub(2), at + length),
                        place,
                    ));
                }
            }
            self.is_there(ClaimKind::FileDeleted, "gone", at, found);
            self.is_there(ClaimKind::FileCreated, "there", at, found);
        }
    }
}

fn is_preposition(word: &str) -> bool {
    matches!(
        word,
        "to" | "into"
            | "in"
            | "from"
            | "for"
            | "with"
            | "on"
            | "at"
            | "of"
            | "by"
            | "via"
            | "under"
            | "inside"
            | "within"
            | "across"
            | "over"
            | "using"
            | "without"
            | "between"
            | "during"
            | "when"
            | "where"
            | "because"
            | "after"
            | "before"
            | "against"
            | "per"
            | "than"
            | "through"
            | "dans"
            | "pour"
            | "avec"
            | "en"
            | "para"
            | "con"
            | "com"
            | "mit"
            | "für"
            | "aus"
            | "zu"
            | "von"
    )
}
