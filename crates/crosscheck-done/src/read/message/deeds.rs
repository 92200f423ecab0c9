//! Statements about what was done: files, names, commits, deployments.
//!
//! A deed opens its clause ("Created …", "I've pushed …", F6), or is said of
//! its object ("`x` has been removed", F7). What a script, a user or a test
//! did is none of the agent's.

use super::Commands;
use super::found::{Found, Place};
use super::pack::Pack;
use super::path;
use super::runs::number_word;
use super::tokens::{Token, What};
use crate::kind::{Kind, Scope};

pub(super) struct Deeds<'c> {
    pub(super) pack: &'c Pack,
    pub(super) clause: &'c [&'c Token],
    pub(super) commands: &'c dyn Commands,
    /// Whether another clause of the sentence says that something works.
    pub(super) works_elsewhere: bool,
    /// Whether the sentence speaks of a commit.
    pub(super) commits_elsewhere: bool,
}

/// How a verb is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    /// The agent did it; its objects follow.
    Active,
    /// It was done to what stands before this place.
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

    fn verb(&self, kind: Kind, at: usize) -> Option<usize> {
        self.pack.of(kind, "verbed").at(self.clause, at)
    }

    /// How the verb here is used, if the agent says it of its own work.
    fn voice(&self, at: usize) -> Option<Voice> {
        let known = self.pack.deeds.at(self.clause, at).is_some()
            || self
                .pack
                .of(Kind::Verified, "checked")
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
        const KINDS: [Kind; 5] = [
            Kind::Committed,
            Kind::Pushed,
            Kind::Deployed,
            Kind::Fixed,
            Kind::MigrationApplied,
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
        let has_verb = (end..self.clause.len()).any(|place| {
            let word = self.word(place);
            self.pack.list("passives").has(word) || self.pack.list("verbs").has(word)
        });
        at <= start + 4
            && (start..at).any(is_object)
            && (start..at).all(is_before)
            && ends
            && !has_verb
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
        match self.what(at) {
            Some(What::Word) => {
                let word = self.word(at);
                self.pack.list("openers").has(word) || self.pack.list("adv").has(word)
            }
            Some(What::Good | What::Number(_) | What::Sign(_)) => true,
            _ => false,
        }
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
                return Some(first);
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
        all
    }

    fn is_joint_before(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.token(before));
        before.is_some_and(|before| {
            matches!(before.what, What::Sign(',')) || matches!(before.word(), "and" | "plus")
        })
    }

    /// The objects that stand right before a passive.
    fn objects_before(&self, end: usize) -> Vec<usize> {
        let mut all = Vec::new();
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
                What::Word if all.is_empty() && at + 4 >= end => {}
                What::Word => {}
                _ => break,
            }
        }
        all.reverse();
        all
    }

    /// The file behind "to", "into", "in", "from".
    fn destination(&self, from: usize) -> Option<usize> {
        (from..self.clause.len()).find(|at| {
            let leads = at.checked_sub(1).is_some_and(|before| {
                let mut place = before;
                while place > 0
                    && matches!(
                        self.word(place),
                        "the" | "file" | "our" | "your" | "new" | "existing"
                    )
                {
                    place -= 1;
                }
                matches!(
                    self.word(place),
                    "to" | "into"
                        | "in"
                        | "from"
                        | "inside"
                        | "within"
                        | "at"
                        | "en"
                        | "dans"
                        | "em"
                        | "zu"
                        | "aus"
                )
            });
            self.what(*at) == Some(What::Path) && leads
        })
    }

    fn text(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text.as_str())
    }

    // ------------------------------------------------------------ files, names, keys

    fn files(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        let created = self.verb(Kind::FileCreated, at);
        let modified = self.verb(Kind::FileModified, at);
        let deleted = self.verb(Kind::FileDeleted, at);
        let set = self.verb(Kind::EnvSet, at);
        let added = self.verb(Kind::SymbolAdded, at);
        let Some(length) = [created, modified, deleted, set, added]
            .into_iter()
            .flatten()
            .max()
        else {
            return;
        };
        let verb = Verb {
            at,
            end: at + length,
            created: created.is_some(),
            modified: modified.is_some(),
            deleted: deleted.is_some(),
            sets: set.is_some(),
            adds_names: added.is_some(),
        };
        let objects = match voice {
            Voice::Active => self.objects(verb.end),
            Voice::Passive(end) => self.objects_before(end),
        };
        let behind = objects.last().map_or(verb.end, |last| *last.max(&at) + 1);
        let target = self.destination(behind.min(self.clause.len()).max(verb.end));
        let place = Place::new(at, verb.end);
        if self.keys(&verb, &objects, target, place, found) {
            return;
        }
        if let Some(target) = target {
            self.within_file(&verb, &objects, target, place, found);
        } else {
            self.plain_objects(&verb, voice, &objects, place, found);
        }
    }

    /// `KEY` in `.env`, or called an environment variable.
    fn keys(
        &self,
        verb: &Verb,
        objects: &[usize],
        target: Option<usize>,
        place: Place,
        found: &mut Vec<Found>,
    ) -> bool {
        let env_file = target.filter(|target| is_env_file(self.text(*target)));
        let context = self.pack.of(Kind::EnvSet, "context").any(self.clause);
        let keys: Vec<usize> = objects
            .iter()
            .copied()
            .filter(|at| self.what(*at) == Some(What::Key))
            .collect();
        if keys.is_empty() || !verb.sets || !(env_file.is_some() || context) {
            return false;
        }
        for key in keys {
            let end = env_file.map_or(key, |file| file.max(key)) + 1;
            let file = env_file.map_or("", |file| self.text(file));
            let name = self.text(key);
            found.push(Found {
                subject: if file.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name}@{file}")
                },
                ..Found::new(
                    Kind::EnvSet,
                    Place::new(place.start.min(key), end.max(place.end)),
                    place,
                )
            });
        }
        true
    }

    /// "added X to `file`": a name in it, or a change of it.
    fn within_file(
        &self,
        verb: &Verb,
        objects: &[usize],
        target: usize,
        place: Place,
        found: &mut Vec<Found>,
    ) {
        let file = self.text(target).to_owned();
        let names: Vec<usize> = objects
            .iter()
            .copied()
            .filter(|at| self.is_name(*at))
            .collect();
        let quote = Place::new(place.start, target + 1);
        let symbol = match (verb.adds_names, verb.deleted) {
            (true, _) => Some(Kind::SymbolAdded),
            (false, true) => Some(Kind::SymbolRemoved),
            (false, false) => None,
        };
        if let Some(kind) = symbol.filter(|_| !names.is_empty()) {
            for name in names {
                found.push(Found {
                    subject: format!("{}@{file}", self.text(name)),
                    ..Found::new(kind, quote, place)
                });
            }
            return;
        }
        let is_folder =
            file.ends_with('/') || !(path::has_extension(&file) || path::is_known_name(&file));
        let paths: Vec<usize> = objects
            .iter()
            .copied()
            .filter(|at| self.what(*at) == Some(What::Path))
            .collect();
        if is_folder && !paths.is_empty() && (verb.created || verb.deleted) {
            self.paths(verb, &paths, place, found);
        } else if self
            .pack
            .of(Kind::FileCreated, "puts")
            .at(self.clause, verb.at)
            .is_some()
        {
            found.push(Found {
                subject: file,
                ..Found::new(Kind::FileCreated, quote, place)
            });
        } else if verb.modified
            || self
                .pack
                .of(Kind::FileModified, "into")
                .at(self.clause, verb.at)
                .is_some()
        {
            found.push(Found {
                subject: file,
                ..Found::new(Kind::FileModified, quote, place)
            });
        }
    }

    fn plain_objects(
        &self,
        verb: &Verb,
        voice: Voice,
        objects: &[usize],
        place: Place,
        found: &mut Vec<Found>,
    ) {
        let paths: Vec<usize> = objects
            .iter()
            .copied()
            .filter(|at| self.what(*at) == Some(What::Path))
            .collect();
        if !paths.is_empty() && !self.is_aside(verb, voice, &paths) {
            self.paths(verb, &paths, place, found);
        }
        let kind = match (verb.adds_names, verb.deleted) {
            (true, _) => Kind::SymbolAdded,
            (false, true) => Kind::SymbolRemoved,
            (false, false) => return,
        };
        if verb.is_only_env() {
            return;
        }
        for name in objects.iter().copied().filter(|at| self.is_name(*at)) {
            found.push(Found {
                subject: self.text(name).to_owned(),
                ..Found::new(
                    kind,
                    Place::new(place.start.min(name), (name + 1).max(place.end)),
                    place,
                )
            });
        }
    }

    /// "removed the unused code `x.py`": only what follows the verb itself, or
    /// the word "file", is deleted.
    fn is_aside(&self, verb: &Verb, voice: Voice, paths: &[usize]) -> bool {
        let Some(first) = paths.first().filter(|_| voice == Voice::Active) else {
            return false;
        };
        let between = self.clause.get(verb.end..*first).unwrap_or_default();
        let plain = |token: &&Token| {
            let word = token.word();
            word.is_empty()
                || matches!(
                    word,
                    "file"
                        | "files"
                        | "script"
                        | "module"
                        | "the"
                        | "obsolete"
                        | "old"
                        | "unused"
                        | "legacy"
                        | "directory"
                        | "folder"
                        | "dead"
                        | "following"
                        | "datei"
                        | "fichier"
                        | "archivo"
                        | "arquivo"
                        | "fichero"
                        | "ficheiro"
                        | "le"
                        | "el"
                        | "o"
                        | "die"
                )
                || self.pack.list("plain_modifiers").has(word)
                || self.pack.list("adv").has(word)
        };
        verb.deleted && !between.iter().all(plain)
    }

    fn paths(&self, verb: &Verb, paths: &[usize], place: Place, found: &mut Vec<Found>) {
        let kind = match (verb.created, verb.deleted, verb.modified) {
            (true, _, _) => Kind::FileCreated,
            (_, true, _) => Kind::FileDeleted,
            (_, _, true) if !self.pack.list("needs_target").has(self.word(verb.at)) => {
                Kind::FileModified
            }
            _ => return,
        };
        for (nth, at) in paths.iter().enumerate() {
            if self.names_no_file(*at) {
                continue;
            }
            let start = if nth == 0 { place.start.min(*at) } else { *at };
            let end = if nth == 0 {
                place.end.max(at + 1)
            } else {
                at + 1
            };
            found.push(Found {
                subject: self.text(*at).to_owned(),
                ..Found::new(kind, Place::new(start, end), place)
            });
        }
    }

    /// `/health` endpoint, `feature/x` branch, `a/b` package.
    fn names_no_file(&self, at: usize) -> bool {
        let text = self.text(at);
        let is_route = text.starts_with('/') && !path::has_extension(text);
        let noun = [at + 1, at + 2].map(|place| self.word(place));
        let before = at.checked_sub(1).map_or("", |before| self.word(before));
        let [next, after] = noun;
        is_route
            || NO_FILES.contains(&next)
            || (matches!(next, "api" | "new" | "feature") && NO_FILES.contains(&after))
            || (!path::has_extension(text) && NO_FILES.contains(&before))
    }

    /// Whether a token names something of code, and no other thing follows.
    fn is_name(&self, at: usize) -> bool {
        if !matches!(self.what(at), Some(What::Id | What::Key)) {
            return false;
        }
        if !self.commands.claims(self.text(at)).is_empty() {
            return false;
        }
        let Some(next) = self.token(at + 1) else {
            return true;
        };
        match next.what {
            What::Word => {
                self.pack
                    .of(Kind::SymbolAdded, "noun")
                    .at(self.clause, at + 1)
                    .is_some()
                    || is_preposition(&next.text)
                    || matches!(
                        next.text.as_str(),
                        "and"
                            | "or"
                            | "plus"
                            | "which"
                            | "that"
                            | "so"
                            | "as"
                            | "is"
                            | "are"
                            | "was"
                            | "were"
                            | "has"
                            | "have"
                    )
                    || self.pack.list("passives").has(&next.text)
                    || self.pack.list("adv").has(&next.text)
            }
            _ => true,
        }
    }

    // ------------------------------------------------------------ git

    fn git(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        if let Some(length) = self.verb(Kind::Committed, at) {
            let fits = match voice {
                Voice::Active => self.commits(at + length),
                Voice::Passive(end) => {
                    self.has_object(Kind::Committed, 0, end) && self.commits(at + length)
                }
            };
            if fits {
                let start = self.start_of(at, voice);
                found.push(Found {
                    subject: self.sha(at),
                    ..Found::new(
                        Kind::Committed,
                        Place::new(start, self.end_of(at + length)),
                        Place::new(at, at + length),
                    )
                });
            }
        }
        if let Some(length) = self.verb(Kind::Pushed, at) {
            let place = Place::new(at, at + length);
            let quote = Place::new(self.start_of(at, voice), self.end_of(at + length));
            let to = self.word(at + length) == "to"
                || (at + length..at + length + 6).any(|place| self.word(place) == "to");
            let object = match voice {
                Voice::Active => self.has_object(
                    Kind::Pushed,
                    at + length,
                    (at + length + 5).min(self.clause.len()),
                ),
                Voice::Passive(end) => self.has_object(Kind::Pushed, 0, end),
            };
            let aside = self
                .pack
                .list("N11_objects")
                .any(self.clause.get(at..).unwrap_or_default());
            let deploys = self
                .pack
                .of(Kind::Deployed, "place")
                .any(self.clause.get(at..).unwrap_or_default())
                || (at..self.clause.len())
                    .any(|place| matches!(self.word(place), "image" | "package" | "container"));
            let alone = self.commits_elsewhere
                && self
                    .token(at + length)
                    .is_none_or(|next| matches!(next.what, What::Sign(_)));
            if aside || !(object || to || alone) {
                return;
            }
            let kind = if deploys && !object {
                Kind::Deployed
            } else {
                Kind::Pushed
            };
            found.push(Found {
                subject: self.sha(at),
                ..Found::new(kind, quote, place)
            });
        }
    }

    /// Whether "committed" speaks of git, and not of a promise.
    fn commits(&self, next: usize) -> bool {
        match self.what(next) {
            None | Some(What::Sign(_) | What::Path | What::Sha | What::Good) => true,
            Some(What::Word) if self.word(next) == "to" => {
                let mut place = next + 1;
                while matches!(
                    self.word(place),
                    "the" | "local" | "current" | "your" | "our" | "a"
                ) {
                    place += 1;
                }
                matches!(self.what(place), Some(What::Code | What::Id))
                    || matches!(
                        self.word(place),
                        "main"
                            | "master"
                            | "branch"
                            | "repo"
                            | "repository"
                            | "git"
                            | "trunk"
                            | "develop"
                            | "feature"
                            | "new"
                    )
                    || self.word(place).starts_with("origin")
            }
            Some(What::Word) => {
                let word = self.word(next);
                matches!(
                    word,
                    "as" | "and"
                        | "with"
                        | "in"
                        | "on"
                        | "under"
                        | "locally"
                        | "it"
                        | "everything"
                        | "directly"
                        | "separately"
                        | "via"
                        | "on top"
                ) || self.pack.list("adv").has(word)
                    || self.has_object(Kind::Committed, next, (next + 6).min(self.clause.len()))
            }
            Some(What::Number(_)) => true,
            _ => false,
        }
    }

    fn has_object(&self, kind: Kind, start: usize, end: usize) -> bool {
        (start..end).any(|at| {
            self.pack.of(kind, "object").at(self.clause, at).is_some()
                || matches!(self.what(at), Some(What::Path | What::Sha))
        })
    }

    fn sha(&self, from: usize) -> String {
        let at = (from..self.clause.len()).find(|at| self.what(*at) == Some(What::Sha));
        at.map_or_else(String::new, |at| self.text(at).to_owned())
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

    fn deployed(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        let Some(length) = self.verb(Kind::Deployed, at) else {
            return;
        };
        let end = at + length;
        let strong = matches!(
            self.word(at),
            "deployed"
                | "redeployed"
                | "re-deployed"
                | "rolled"
                | "deployt"
                | "déployé"
                | "desplegado"
                | "implantado"
        );
        let rest = self.clause.get(end..).unwrap_or_default();
        let place = self.pack.of(Kind::Deployed, "place").any(rest);
        let object = match voice {
            Voice::Active => self.has_object(Kind::Deployed, end, (end + 6).min(self.clause.len())),
            Voice::Passive(before) => self.has_object(Kind::Deployed, 0, before),
        };
        let to = matches!(self.word(end), "to" | "on" | "at" | "via" | "with" | "as");
        let ends = self
            .token(end)
            .is_none_or(|next| matches!(next.what, What::Sign(_)));
        let passive = matches!(voice, Voice::Passive(_));
        let fits =
            (strong && (object || to || ends || passive || place)) || place || (object && !strong);
        if fits {
            let quote = Place::new(self.start_of(at, voice), self.end_of(end));
            found.push(Found::new(Kind::Deployed, quote, Place::new(at, end)));
        }
    }

    fn rows(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        let (start, stop) = match voice {
            Voice::Active => (at + 1, self.clause.len()),
            Voice::Passive(end) => (0, end),
        };
        let range = || start..stop;
        if let Some(length) = self.verb(Kind::MigrationApplied, at) {
            let near = range().take(6).find(|place| {
                self.pack
                    .of(Kind::MigrationApplied, "object")
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
                    Kind::MigrationApplied,
                    quote,
                    Place::new(at, at + length),
                ));
                return;
            }
        }
        let Some(length) = self.verb(Kind::RowWritten, at) else {
            return;
        };
        let object = range().take(6).find(|place| {
            let noun = self
                .pack
                .of(Kind::RowWritten, "object")
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
            .of(Kind::RowWritten, "place")
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
            None => place,
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
                ..Found::new(Kind::RowWritten, quote, Place::new(at, at + length))
            });
        }
    }

    fn endpoints(&self, found: &mut Vec<Found>) {
        let works = self.pack.of(Kind::EndpointWorks, "predicate");
        for at in 0..self.clause.len() {
            let is_url = self.what(at) == Some(What::Url);
            let noun = |place: usize| {
                self.pack
                    .of(Kind::EndpointWorks, "noun")
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
                    Kind::EndpointWorks,
                    quote,
                    Place::new(predicate, predicate + length),
                )
            });
        }
    }

    // ------------------------------------------------------------ what was tried

    fn fixed(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        let Some(length) = self.verb(Kind::Fixed, at) else {
            return;
        };
        let end = at + length;
        if self.pack.of(Kind::Fixed, "nouns_after").has(self.word(end)) {
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
                    .of(Kind::Fixed, "object")
                    .at(self.clause, place)
                    .is_some()
            {
                object = Some(place);
                break;
            }
        }
        let Some(object) = object else {
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
            ..Found::new(Kind::Fixed, quote, Place::new(at, end))
        });
    }

    fn tried(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        if let Some(length) = self.verb(Kind::Verified, at)
            && self.is_trial(at + length, voice)
        {
            let quote = Place::new(self.start_of(at, voice), self.end_of(at + length));
            found.push(Found::new(
                Kind::Verified,
                quote,
                Place::new(at, at + length),
            ));
        }
        if self
            .pack
            .of(Kind::Verified, "checked")
            .at(self.clause, at)
            .is_some()
            && self.works_elsewhere
        {
            let quote = Place::new(self.start_of(at, voice), self.end_of(at + 1));
            found.push(Found::new(Kind::Verified, quote, Place::new(at, at + 1)));
        }
        if let Some(length) = self.verb(Kind::Ran, at)
            && voice == Voice::Active
        {
            self.ran(at, at + length, found);
        }
    }

    /// "verified users can log in" is about users.
    fn is_trial(&self, next: usize, voice: Voice) -> bool {
        const AFTER: [&str; 40] = [
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
                .of(Kind::Ran, "object")
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
        let noun = self.pack.of(Kind::Ran, "object").at(self.clause, place);
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
                Kind::Ran,
                Place::new(self.start_of(at, Voice::Active), stop),
                Place::new(at, end),
            )
        });
    }

    // ------------------------------------------------------------ numbers

    fn counted(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        if voice != Voice::Active {
            return;
        }
        let adds = self.pack.of(Kind::Count, "added").at(self.clause, at);
        if let Some(length) = adds
            && let Some((number, place)) = self.number_at(at + length)
        {
            let mut noun = place;
            while self.pack.list("plain_modifiers").has(self.word(noun))
                && self
                    .pack
                    .of(Kind::Count, "tests")
                    .at(self.clause, noun)
                    .is_none()
            {
                noun += 1;
            }
            if let Some(size) = self.pack.of(Kind::Count, "tests").at(self.clause, noun) {
                Self::count("tests", number, at, noun + size, found);
            }
        }
        if let Some(length) = self.pack.of(Kind::Count, "fixed").at(self.clause, at)
            && let Some((number, end, subject)) = self.count_of_problems(at + length)
        {
            Self::count(&subject, number, at, end, found);
        }
        let mut place = at + 1;
        if self.word(place) == "all" {
            place += 1;
            if let Some((number, noun)) = self.number_at(place)
                && let Some(size) = self.pack.of(Kind::Count, "items").at(self.clause, noun)
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
            ..Found::new(Kind::Count, Place::new(at, end), Place::new(at, at + 1))
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
            .of(Kind::Count, "problems")
            .at(self.clause, place)?;
        let words = self.clause.get(place..place + length)?;
        let words: Vec<&str> = words.iter().map(|token| token.word()).collect();
        Some((number, place + length, words.join(" ")))
    }

    // ------------------------------------------------------------ fixed phrases

    fn phrases(&self, found: &mut Vec<Found>) {
        for at in 0..self.clause.len() {
            if let Some(length) = self.pack.of(Kind::Verified, "works").at(self.clause, at) {
                let place = Place::new(at, at + length);
                found.push(Found::new(
                    Kind::Verified,
                    Place::new(at.saturating_sub(2), at + length),
                    place,
                ));
            }
            if let Some(length) = self.pack.of(Kind::Committed, "phrase").at(self.clause, at) {
                let place = Place::new(at, at + length);
                let names = self.what(at + length) == Some(What::Sha);
                let opens = (0..at).all(|before| self.is_opener(before));
                let is_reference = matches!(self.word(at), "in" | "as");
                if (is_reference && names) || (!is_reference && opens) {
                    found.push(Found {
                        subject: self.sha(at),
                        ..Found::new(
                            Kind::Committed,
                            Place::new(
                                at,
                                (at + length + usize::from(names)).min(self.clause.len()),
                            ),
                            place,
                        )
                    });
                }
            }
            if let Some(length) = self.pack.of(Kind::Deployed, "live").at(self.clause, at) {
                let named = self.has_object(Kind::Deployed, 0, at)
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
                        Kind::Deployed,
                        Place::new(at.saturating_sub(2), at + length),
                        place,
                    ));
                }
            }
            if let Some(length) = self.pack.of(Kind::FileDeleted, "gone").at(self.clause, at) {
                let object = self
                    .objects_before(at)
                    .into_iter()
                    .rfind(|place| self.what(*place) == Some(What::Path));
                if let Some(object) = object {
                    found.push(Found {
                        subject: self.text(object).to_owned(),
                        negative: true,
                        ..Found::new(
                            Kind::FileDeleted,
                            Place::new(object, at + length),
                            Place::new(at, at + length),
                        )
                    });
                }
            }
        }
    }
}

/// Nouns that say that the token beside them is not a file.
const NO_FILES: [&str; 32] = [
    "branch",
    "branches",
    "endpoint",
    "endpoints",
    "route",
    "routes",
    "tag",
    "label",
    "package",
    "dependency",
    "dependencies",
    "image",
    "table",
    "column",
    "header",
    "import",
    "imports",
    "pr",
    "repo",
    "remote",
    "namespace",
    "url",
    "query",
    "action",
    "role",
    "scope",
    "permission",
    "plugin",
    "api",
    "prefix",
    "alias",
    "handler",
];

/// A verb that changes files, names or settings.
struct Verb {
    at: usize,
    end: usize,
    created: bool,
    modified: bool,
    deleted: bool,
    sets: bool,
    adds_names: bool,
}

impl Verb {
    /// "set" and "configured" say nothing about code.
    fn is_only_env(&self) -> bool {
        self.sets && !self.created && !self.modified && !self.deleted && !self.adds_names
    }
}

fn is_env_file(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or_default();
    name.starts_with(".env") || name.strip_suffix(".env").is_some() || name == ".envrc"
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
