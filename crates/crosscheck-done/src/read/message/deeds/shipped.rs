//! Statements about commits, pushes and deployments.

use super::super::found::{Found, Place};
use super::super::tokens::What;
use super::{Deeds, Voice};
use crate::kind::ClaimKind;

impl Deeds<'_> {
    pub(super) fn git(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        if let Some(length) = self.verb(ClaimKind::Committed, at) {
            let fits = match voice {
                Voice::Active => self.commits(at + length),
                Voice::Passive(end) => {
                    self.has_object(ClaimKind::Committed, 0, end) && self.commits(at + length)
                }
            };
            if fits {
                let start = self.start_of(at, voice);
                found.push(Found {
                    subject: self.sha(at),
                    ..Found::new(
                        ClaimKind::Committed,
                        Place::new(start, self.end_of(at + length)),
                        Place::new(at, at + length),
                    )
                });
            }
        }
        if let Some(length) = self.verb(ClaimKind::Pushed, at) {
            let place = Place::new(at, at + length);
            let quote = Place::new(self.start_of(at, voice), self.end_of(at + length));
            let to = self.word(at + length) == "to"
                || (at + length..at + length + 6).any(|place| self.word(place) == "to");
            let object = match voice {
                Voice::Active => self.has_object(
                    ClaimKind::Pushed,
                    at + length,
                    (at + length + 5).min(self.clause.len()),
                ),
                Voice::Passive(end) => self.has_object(ClaimKind::Pushed, 0, end),
            };
            let rest = self.clause.get(at..).unwrap_or_default();
            let aside = || self.pack.list("N11_objects").any(rest);
            let deploys = || {
                self.pack.of(ClaimKind::Deployed, "place").any(rest)
                    || (at..self.clause.len())
                        .any(|place| matches!(self.word(place), "image" | "package" | "container"))
            };
            let alone = self.commits_elsewhere
                && self
                    .token(at + length)
                    .is_none_or(|next| matches!(next.what, What::Sign(_)));
            if !(object || to || alone) || aside() {
                return;
            }
            let kind = if !object && deploys() {
                ClaimKind::Deployed
            } else {
                ClaimKind::Pushed
            };
            found.push(Found {
                subject: self.sha(at),
                ..Found::new(kind, quote, place)
            });
        }
    }

    /// "My commits are already on origin": what is there was pushed.
    pub(super) fn on_remote(&self, found: &mut Vec<Found>) {
        let of = |part: &str| self.pack.of(ClaimKind::Pushed, part);
        let mut places = (1..self.clause.len()).filter_map(|at| {
            let length = of("there").at(self.clause, at)?;
            Some((at, at + length))
        });
        let Some((at, end)) = places.next() else {
            return;
        };
        if matches!(
            self.word(end),
            "server" | "machine" | "host" | "side" | "end"
        ) {
            return;
        }
        let is = |place: usize| self.pack.list("passives").has(self.word(place));
        let Some(verb) = (at.saturating_sub(4)..at).rfind(|place| is(*place)) else {
            return;
        };
        let thing = (verb.saturating_sub(4)..verb)
            .find(|place| of("moved").at(self.clause, *place).is_some());
        if let Some(thing) = thing {
            let quote = Place::new(thing, end);
            let place = Place::new(verb, end);
            found.push(Found::new(ClaimKind::Pushed, quote, place));
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
                    || self.has_object(
                        ClaimKind::Committed,
                        next,
                        (next + 6).min(self.clause.len()),
                    )
            }
            Some(What::Number(_)) => true,
            _ => self.is_hash(next) && self.ends(next + 1),
        }
    }

    pub(super) fn has_object(&self, kind: ClaimKind, start: usize, end: usize) -> bool {
        (start..end).any(|at| {
            self.pack.of(kind, "object").at(self.clause, at).is_some()
                || matches!(self.what(at), Some(What::Path | What::Sha))
        })
    }

    pub(super) fn sha(&self, from: usize) -> String {
        let at = (from..self.clause.len())
            .find(|at| self.what(*at) == Some(What::Sha) || self.is_bare_sha(*at));
        at.map_or_else(String::new, |at| self.text(at).to_owned())
    }

    /// "as f78d18c", "in commit deadbee", "committed `1234567`": a hash by what
    /// comes before it.
    fn is_bare_sha(&self, at: usize) -> bool {
        let is_stated = |before: usize| {
            matches!(self.word(before), "as" | "commit" | "hash" | "sha")
                || self.verb(ClaimKind::Committed, before).is_some()
                    && self.what(at) != Some(What::Word)
        };
        self.is_hash(at) && at.checked_sub(1).is_some_and(is_stated)
    }

    fn is_hash(&self, at: usize) -> bool {
        let text = self.text(at);
        (7..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    pub(super) fn deployed(&self, at: usize, voice: Voice, found: &mut Vec<Found>) {
        let Some(length) = self.verb(ClaimKind::Deployed, at) else {
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
        let place = || self.pack.of(ClaimKind::Deployed, "place").any(rest);
        let object = match voice {
            Voice::Active => {
                self.has_object(ClaimKind::Deployed, end, (end + 6).min(self.clause.len()))
            }
            Voice::Passive(before) => self.has_object(ClaimKind::Deployed, 0, before),
        };
        let to = matches!(self.word(end), "to" | "on" | "at" | "via" | "with" | "as");
        let ends = self
            .token(end)
            .is_none_or(|next| matches!(next.what, What::Sign(_)));
        let passive = matches!(voice, Voice::Passive(_));
        let fits = object || strong && (to || ends || passive) || place();
        if fits {
            let quote = Place::new(self.start_of(at, voice), self.end_of(end));
            found.push(Found::new(ClaimKind::Deployed, quote, Place::new(at, end)));
        }
    }
}
