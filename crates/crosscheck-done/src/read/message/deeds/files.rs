//! Statements about files, names in them, and keys of environment files.

use super::super::found::{Found, Place};
use super::super::path;
use super::super::tokens::{Token, What};
use super::{Deeds, Voice, is_preposition};
use crate::kind::ClaimKind;

impl Deeds<'_> {
    pub(super) fn files(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        let created = self.verb(ClaimKind::FileCreated, at);
        let modified = self.verb(ClaimKind::FileModified, at);
        let deleted = self.verb(ClaimKind::FileDeleted, at);
        let set = self.verb(ClaimKind::EnvSet, at);
        let added = self.verb(ClaimKind::SymbolAdded, at);
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
        // "I wrote no file called `x`"
        if voice == Voice::Active && matches!(self.word(verb.end), "no" | "nothing" | "neither") {
            return;
        }
        let objects = match voice {
            Voice::Active => self.objects(verb.end),
            Voice::Passive(end) => self.objects_before(end),
        };
        let behind = objects.last().map_or(verb.end, |last| *last.max(&at) + 1);
        let from = behind.min(self.clause.len()).max(verb.end);
        let target = if self.pack.list("needs_target").has(self.word(at)) {
            self.goal(from)
        } else {
            self.destination(from)
        };
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
        let context = || self.pack.of(ClaimKind::EnvSet, "context").any(self.clause);
        let keys: Vec<usize> = objects
            .iter()
            .copied()
            .filter(|at| self.what(*at) == Some(What::Key))
            .collect();
        if keys.is_empty() || !verb.sets || !(env_file.is_some() || context()) {
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
                    ClaimKind::EnvSet,
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
            (true, _) => Some(ClaimKind::SymbolAdded),
            (false, true) => Some(ClaimKind::SymbolRemoved),
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
            .of(ClaimKind::FileCreated, "puts")
            .at(self.clause, verb.at)
            .is_some()
        {
            found.push(Found {
                subject: file,
                ..Found::new(ClaimKind::FileCreated, quote, place)
            });
        } else if verb.modified
            || self
                .pack
                .of(ClaimKind::FileModified, "into")
                .at(self.clause, verb.at)
                .is_some()
        {
            found.push(Found {
                subject: file,
                ..Found::new(ClaimKind::FileModified, quote, place)
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
            (true, _) => ClaimKind::SymbolAdded,
            (false, true) => ClaimKind::SymbolRemoved,
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
            (true, _, _) => ClaimKind::FileCreated,
            (_, true, _) => ClaimKind::FileDeleted,
            (_, _, true) if !self.pack.list("needs_target").has(self.word(verb.at)) => {
                ClaimKind::FileModified
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

    /// Whether a token names something of code, and no other thing is
    /// beside it: "the branch `fix_login`" is nothing of the code.
    fn is_name(&self, at: usize) -> bool {
        if !matches!(self.what(at), Some(What::Id | What::Key)) {
            return false;
        }
        let nouns = self.pack.of(ClaimKind::SymbolAdded, "noun");
        let is_noun = |place: usize| nouns.at(self.clause, place).is_some();
        if let Some(before) = at.checked_sub(1)
            && self.what(before) == Some(What::Word)
            && !(is_noun(at + 1) || is_noun(before) || self.leads_to_name(self.word(before)))
        {
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
                is_noun(at + 1)
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

    /// Whether a word right before a name says nothing about what it names.
    fn leads_to_name(&self, word: &str) -> bool {
        (self.pack.list("plain_modifiers").has(word) && word != "release")
            || self.pack.of(ClaimKind::SymbolAdded, "before").has(word)
            || self.pack.deeds.has(word)
            || self.is_opener_word(word)
            || is_preposition(word)
            || matches!(word, "plus" | "that" | "which")
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
    const fn is_only_env(&self) -> bool {
        self.sets && !self.created && !self.modified && !self.deleted && !self.adds_names
    }
}

fn is_env_file(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or_default();
    name.starts_with(".env") || name.strip_suffix(".env").is_some() || name == ".envrc"
}
