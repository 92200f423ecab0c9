//! Which statements of a message can be checked.
//!
//! The message alone is read here: no file, no session, no setting of the
//! project decides what counts as a statement. A statement is a frame of a
//! closed grammar (`patterns/grammar.toml`) filled with words of a language;
//! anything else is none.

mod blocks;
mod checks;
mod deeds;
mod grammar;
mod normalise;
mod pack;
mod path;
mod signs;
mod tokens;
mod units;
mod veto;

use std::cell::LazyCell;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

pub(crate) use normalise::span_of_code;
pub(crate) use pack::BUILT_IN as PACKS;
pub use pack::PackError;
pub(crate) use path::{has_extension, is_known_name, listed, words};

use crate::kind::{Claim, ClaimKind, Scope};
use checks::{Clause, Found};
use grammar::{Sentence, Tagger, tag};
use normalise::Text;
use pack::{By, Pack};
use tokens::{Token, What};
use units::Unit;

/// So much of a message is read.
pub const MAX_MESSAGE: usize = 256 * 1024;
/// At most this many claims are kept.
pub const MAX_CLAIMS: usize = 64;
/// At most this many words of a sentence are read together.
const MAX_WORDS: usize = 600;
/// A statement is compared with so many that differ from it in scope alone.
const MAX_SCOPES: usize = 4 * MAX_CLAIMS;

/// Knows what a command in the text of a message would show.
pub trait Commands {
    /// The claims that such a command proves when it succeeds.
    fn claims(&self, code: &str) -> Vec<ClaimKind>;
}

/// What was found in a message.
#[derive(Debug, Default)]
pub struct Extraction {
    /// The claims, in the order of the message.
    pub claims: Vec<Claim>,
    /// Claims beyond the limit.
    pub left_out: usize,
    /// Whether the message was longer than what is read.
    pub is_cut: bool,
    /// Whether it says that the work is over.
    pub says_done: bool,
    /// Whether it says that something fails, is left out or was not done.
    concedes: bool,
    /// Whether it says that tests or checks fail.
    tells_failure: bool,
    /// What was dropped, and by which rule; only when asked for.
    pub dropped: Vec<Dropped>,
}

/// A statement that is not a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// What it would have been.
    pub kind: ClaimKind,
    /// Its words.
    pub quote: String,
    /// The rule, for example `N2`.
    pub rule: &'static str,
}

/// Finds claims in messages.
#[derive(Debug)]
pub struct Extractor {
    languages: Vec<Arc<Language>>,
    has_database: bool,
}

/// The words of a language, and how they are tagged.
#[derive(Debug)]
struct Language {
    pack: Pack,
    tagger: Tagger,
    /// Its place among those that are built in.
    built_in: Option<usize>,
}

impl Language {
    fn new(pack: Pack, built_in: Option<usize>) -> Arc<Self> {
        let tagger = Tagger::new(&pack);
        Arc::new(Self {
            pack,
            tagger,
            built_in,
        })
    }

    /// A language that is built in, which is read once.
    fn at(at: usize) -> Option<Arc<Self>> {
        static READ: [OnceLock<Option<Arc<Language>>>; PACKS.len()] =
            [const { OnceLock::new() }; _];
        let (name, text) = PACKS.get(at)?;
        let read = || {
            // its examples are for tests
            let words = text.split("\n[must_match]").next().unwrap_or(text);
            let pack = Pack::built_in(name, words).ok()?;
            Some(Self::new(pack, Some(at)))
        };
        READ.get(at)?.get_or_init(read).clone()
    }
}

/// What the words of a message say before anything else is opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// Languages in which it may hold a claim: it has a word that every claim
    /// of theirs has.
    pub languages: Vec<String>,
    /// Whether it may say that the work is over.
    pub done: bool,
}

/// What words of the lists tell of the text that has them: the languages in
/// which it may claim something, those in which it is written, and those in
/// which it may say that the work is over; one bit for each.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    claims: u16,
    languages: u16,
    done: u16,
}

/// The words of the lists, by their first two bytes: a hook reads one message,
/// for which anything larger takes longer to build than to use.
struct Search {
    words: FxHashMap<[u8; 2], Vec<(&'static str, Told)>>,
    /// For each first byte: the last five bits of the bytes behind it.
    seconds: [u32; 256],
}

impl Search {
    fn new() -> Self {
        let mut search = Self {
            words: FxHashMap::default(),
            seconds: [0; 256],
        };
        for (at, (_, text)) in PACKS.iter().enumerate() {
            for list in ["keywords", "own_words", "done_words"] {
                for word in pack::quick_list(text, list) {
                    let is = |name: &str| u16::from(list == name) << at;
                    let own = u16::from(list == "keywords" && !word.is_ascii()) << at;
                    let told = Told {
                        claims: is("keywords"),
                        languages: is("own_words") | own,
                        done: is("done_words"),
                    };
                    search.put(word, told);
                }
            }
        }
        search
    }

    fn put(&mut self, word: &'static str, told: Told) {
        if let [first, second, ..] = word.as_bytes() {
            let alike = self.words.entry([*first, *second]).or_default();
            alike.push((word, told));
            if let Some(known) = self.seconds.get_mut(usize::from(*first)) {
                *known |= 1 << (second & 31);
            }
        }
    }

    fn told(&self, text: &str) -> Told {
        // letters beyond ASCII have cases, too
        let text = format!(" {} ", text.to_lowercase());
        let mut told = Told::default();
        let may_begin = |(_, [first, second]): &(usize, &[u8; 2])| {
            let known = self.seconds.get(usize::from(*first));
            known.is_some_and(|known| known >> (second & 31) & 1 == 1)
        };
        let pairs = text.as_bytes().array_windows().enumerate();
        for (at, pair) in pairs.filter(may_begin) {
            let rest = text.as_bytes().get(at..).unwrap_or_default();
            let alike = self.words.get(pair).into_iter().flatten();
            for (_, one) in alike.filter(|(word, _)| rest.starts_with(word.as_bytes())) {
                told.claims |= one.claims;
                told.languages |= one.languages;
                told.done |= one.done;
            }
        }
        told
    }
}

/// What the words of a text tell, in all languages.
fn told(text: &str) -> Told {
    static ALL: OnceLock<Search> = OnceLock::new();
    ALL.get_or_init(Search::new).told(text)
}

/// The places of these languages among those that are built in.
fn wanted(languages: &[String]) -> impl Iterator<Item = usize> {
    let all = PACKS.iter().enumerate();
    let named = all.filter(|(_, (name, _))| languages.iter().any(|one| one == name));
    named.map(|(at, _)| at)
}

/// Looks for the words that claims have, in these languages. English words are
/// in messages of every language, so another language beside English is one
/// that has words of its own there.
pub fn hints(message: &str, languages: &[String]) -> Hints {
    let told = told(&Text::new(limited(message)).norm);
    let has = |bits: u16, at: usize| bits >> at & 1 == 1;
    let has_english = wanted(languages).any(|at| at == 0) && has(told.claims, 0);
    let is_own = |at: usize| at == 0 || !has_english || has(told.languages, at);
    let found = wanted(languages).filter(|at| has(told.claims, *at) && is_own(*at));
    let names = found.filter_map(|at| PACKS.get(at));
    Hints {
        languages: names.map(|(name, _)| (*name).to_owned()).collect(),
        done: wanted(languages).any(|at| has(told.done, at)),
    }
}

/// The pattern files that are built in: language and text.
pub const fn phrases() -> &'static [(&'static str, &'static str)] {
    &PACKS
}

impl Extractor {
    /// For these languages, with further pattern files of the user: each a
    /// name and its text.
    pub fn new(languages: &[String], files: &[(String, String)]) -> Result<Self, PackError> {
        let mut all: Vec<_> = wanted(languages).filter_map(Language::at).collect();
        for (name, text) in files {
            let pack = Pack::parse(name, text)?;
            all.retain(|known| known.pack.language != pack.language);
            all.push(Language::new(pack, None));
        }
        Ok(Self {
            languages: all,
            has_database: false,
        })
    }

    /// Also takes "I saved the order" for a statement about a row.
    #[must_use]
    pub const fn with_database(mut self, has_database: bool) -> Self {
        self.has_database = has_database;
        self
    }

    /// Checks each pack against the sentences that it must find and must not.
    pub fn self_test(&self, commands: &dyn Commands) -> Result<(), PackError> {
        for language in &self.languages {
            let pack = &language.pack;
            let fail = |problem: String| PackError {
                name: pack.language.clone(),
                problem,
            };
            for (kind, sentences) in &pack.must_match {
                for sentence in sentences {
                    let seen = self.read(sentence, commands, true);
                    if !seen.claims.iter().any(|claim| claim.kind.name() == kind) {
                        let dropped = &seen.dropped;
                        return Err(fail(format!(
                            "`{sentence}` must be {kind}; dropped {dropped:?}"
                        )));
                    }
                }
            }
            for sentence in &pack.must_not_match {
                let seen = self.read(sentence, commands, true);
                if let Some(claim) = seen.claims.first() {
                    return Err(fail(format!(
                        "`{sentence}` must hold no claim; found {}",
                        claim.kind
                    )));
                }
            }
        }
        Ok(())
    }

    /// The claims of a message.
    pub fn read(&self, message: &str, commands: &dyn Commands, explain: bool) -> Extraction {
        let cut = limited(message);
        let text = Text::new(cut);
        let units = units::units(&text.norm, &blocks::blocks(&text.norm));
        let mut reader = Reader {
            commands,
            text: &text,
            message: cut,
            spotted: Vec::new(),
            extraction: Extraction {
                is_cut: cut.len() < message.len(),
                ..Extraction::default()
            },
            explain,
            has_database: self.has_database,
        };
        let told: Vec<Told> = units.iter().map(|unit| unit.told(&text)).collect();
        for language in &self.languages {
            let pack = &language.pack;
            let may_claim = |told: &Told| {
                let built_in = language.built_in;
                told.done != 0 || built_in.is_none_or(|at| told.claims >> at & 1 == 1)
            };
            let mut topics = [0, 0];
            for (unit, _) in units.iter().zip(&told).filter(|(_, told)| may_claim(told)) {
                match pack.by {
                    By::Words => reader.unit(pack, &language.tagger, unit, &mut topics),
                    By::Substring => reader.signs(pack, unit),
                }
            }
            // what the other sentences concede counts only beside a claim
            let mut others = units.iter().zip(&told).filter(|(_, told)| !may_claim(told));
            reader.extraction.concedes |= pack.by == By::Words
                && !reader.spotted.is_empty()
                && others.any(|(unit, _)| concedes(&Sentence::new(pack, unit)));
        }
        finish(cut, reader.spotted, reader.extraction)
    }
}

fn limited(message: &str) -> &str {
    let mut end = message.len().min(MAX_MESSAGE);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    message.get(..end).unwrap_or_default()
}

/// A claim with its place in bytes of the message.
struct Spotted {
    claim: Claim,
    bytes: (usize, usize),
    /// Other places that say the same.
    also: Vec<(usize, usize)>,
}

struct Reader<'r> {
    commands: &'r dyn Commands,
    text: &'r Text,
    message: &'r str,
    spotted: Vec<Spotted>,
    extraction: Extraction,
    explain: bool,
    has_database: bool,
}

impl Reader<'_> {
    /// A sentence of a language with blanks between words. `topics` are the
    /// checks that the two sentences before it named.
    fn unit(&mut self, pack: &Pack, tagger: &Tagger, unit: &Unit, topics: &mut [u8; 2]) {
        if unit.tokens.len() > MAX_WORDS {
            return; // nobody writes such a sentence
        }
        let sentence = Sentence::new(pack, unit);
        let cells = tagger.cells(&sentence, self.commands);
        let whole = LazyCell::new(|| veto::of_unit(&sentence, unit.is_planned(pack)));
        let topic = checks::topic(&cells);
        let clauses: Vec<Clause<'_>> = grammar::clauses(&sentence, &cells)
            .into_iter()
            .map(|place| Clause {
                sentence: &sentence,
                cells: &cells,
                place,
                topic: if topic == 0 {
                    topics[0] | topics[1]
                } else {
                    topic
                },
            })
            .collect();
        let failing = clauses
            .iter()
            .fold(0, |bits, clause| bits | checks::failing(clause));
        self.extraction.tells_failure |= failing != 0;
        self.extraction.concedes |= failing != 0 || concedes(&sentence);
        let mut governed = None;
        for clause in &clauses {
            // a sign parts two thoughts, a comma does not
            let before = clause.place.start.checked_sub(1);
            if before.is_some_and(|at| cells.get(at).is_some_and(|cell| cell.is(tag('.')))) {
                governed = None;
            }
            let mut found = clause.checks();
            found.extend(clause.deeds(self.has_database));
            if found.is_empty() {
                found.extend(below_title(unit, clause));
            }
            for found in merged(found) {
                let is_failing = failing & grammar::bit(found.kind) != 0 && !found.negative;
                let own = veto::of_clause(clause, &found);
                let rule = (*whole)
                    .or(own)
                    .or(governed)
                    .or(is_failing.then_some("N12"));
                // a condition goes on behind "and"
                if matches!(own, Some("N5" | "N4" | "N8")) {
                    governed = own;
                }
                let bytes = bytes_of(&unit.tokens, &found.quote);
                self.keep(rule, bytes, found);
            }
            self.extraction.says_done |= says_done(clause) && whole.is_none();
        }
        *topics = [topic, topics[0]];
    }

    /// A sentence of a language that puts no blanks between words.
    fn signs(&mut self, pack: &Pack, unit: &Unit) {
        let (rule, all) = signs::read(pack, self.text, unit);
        for (bytes, found) in all {
            self.keep(rule, bytes, found);
        }
    }

    fn keep(&mut self, rule: Option<&'static str>, bytes: (usize, usize), found: Found) {
        let (start, end) = self.text.original(bytes.0, bytes.1);
        let quote = self.message.get(start..end).unwrap_or_default().trim_end();
        if let Some(rule) = rule {
            if self.explain {
                self.extraction.dropped.push(Dropped {
                    kind: found.kind,
                    quote: crate::redact::redacted(quote),
                    rule,
                });
            }
            return;
        }
        self.spotted.push(Spotted {
            claim: Claim {
                subject: found.subject,
                scope: found.scope,
                count: found.count,
                tool: found.tool,
                ..Claim::new(found.kind, quote.chars().take(200).collect())
            },
            bytes: (start, start + quote.len()),
            also: Vec::new(),
        });
    }
}

fn bytes_of(tokens: &[Token], place: &std::ops::Range<usize>) -> (usize, usize) {
    let start = tokens.get(place.start).map_or(0, |token| token.span.start);
    let last = place
        .end
        .saturating_sub(1)
        .min(tokens.len().saturating_sub(1));
    let end = tokens.get(last).map_or(start, |token| token.span.end);
    (start, end.max(start))
}

/// Whether a sentence says that something is not as it should be.
fn concedes(sentence: &Sentence<'_>) -> bool {
    let is_none = |at: usize| {
        sentence.is("problems.no", at)
            || sentence.is("problems.nothing", at)
            || sentence.what(at) == Some(What::Number(0))
    };
    (0..sentence.tokens.len()).any(|at| {
        let said = sentence.is("concedes", at) || sentence.what(at) == Some(What::Bad);
        said && !(at.saturating_sub(3)..at).any(is_none)
    })
}

fn says_done(clause: &Clause<'_>) -> bool {
    let (sentence, tokens) = (clause.sentence, clause.tokens());
    let mut hedges = ["N1", "N2", "N4"].iter();
    let is_hedged = hedges.any(|name| sentence.has(name, tokens.clone()));
    let mut first = tokens.take(7);
    first.any(|at| sentence.is("done_words", at)) && !is_hedged
}

/// A file in a list below "Files created (2):", or behind "New file:".
fn below_title(unit: &Unit, clause: &Clause<'_>) -> Option<Found> {
    let sentence = clause.sentence;
    let pack = sentence.pack;
    let mut tokens = clause.tokens();
    let start = tokens.find(|at| sentence.what(*at) != Some(What::Good))?;
    let colon = (start..start + 5).find(|at| sentence.what(*at) == Some(What::Sign(':')));
    let first = colon.map_or(start, |colon| colon + 1);
    let path = sentence.tokens.get(first)?;
    let words: Vec<&str> = match colon {
        Some(colon) if colon > start => (start..colon).map(|at| sentence.word(at)).collect(),
        _ => unit.above.last()?.split(' ').collect(),
    };
    let is_verb = |kind: ClaimKind, word: &str| pack.has(pack.part(kind, "verbed"), word);
    let is_new = |word: &str| pack.has(pack.list("new_words"), word);
    let kinds = [
        ClaimKind::FileDeleted,
        ClaimKind::FileCreated,
        ClaimKind::FileModified,
    ];
    let kind = kinds.into_iter().find(|kind| {
        let is_created = *kind == ClaimKind::FileCreated;
        let mut words = words.iter();
        words.any(|word| is_verb(*kind, word) || is_created && is_new(word))
    })?;
    let is_plain = |word: &&str| {
        word.bytes().all(|byte| byte.is_ascii_digit())
            || pack.has(pack.list("file_words"), word)
            || kinds.iter().any(|kind| is_verb(*kind, word))
    };
    let is_title = words.len() <= 6 && words.iter().all(is_plain);
    (is_title && path.what == What::Path).then(|| Found {
        subject: path.text.clone(),
        ..Found::new(kind, first..first + 1, first)
    })
}

/// One statement where several frames found the same.
fn merged(found: Vec<Found>) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for one in found {
        let same = all.iter_mut().find(|other| {
            other.kind == one.kind
                && other.subject == one.subject
                && other.quote.start < one.quote.end
                && one.quote.start < other.quote.end
        });
        match same {
            Some(other) => {
                other.quote =
                    other.quote.start.min(one.quote.start)..other.quote.end.max(one.quote.end);
                other.count = other.count.or(one.count);
                other.negative |= one.negative;
                other.said = other.said.min(one.said);
                if other.scope == Scope::Plain {
                    other.scope = one.scope;
                }
            }
            None => all.push(one),
        }
    }
    // "verified that all tests pass" says the one thing
    let is_weak = |one: &Found| {
        matches!(
            one.kind,
            ClaimKind::Verified | ClaimKind::Ran | ClaimKind::Complete
        )
    };
    let others = all.iter().any(|one| !is_weak(one));
    all.retain(|one| !others || !matches!(one.kind, ClaimKind::Verified | ClaimKind::Complete));
    all
}

/// In the order of the message, each claim once: the last one counts.
fn finish(message: &str, mut spotted: Vec<Spotted>, mut extraction: Extraction) -> Extraction {
    spotted.sort_by_key(|one| (one.bytes, one.claim.kind));
    let mut claims: Vec<Option<Spotted>> = Vec::new();
    let mut alike: FxHashMap<(ClaimKind, String), Vec<usize>> = FxHashMap::default();
    for one in spotted {
        let subject = match one.claim.kind {
            // who sent an email and opened a ticket did two things
            ClaimKind::Action if one.claim.subject.is_empty() => one.claim.quote.clone(),
            _ => one.claim.subject.clone(),
        };
        let key = (one.claim.kind, subject);
        let places = alike.entry(key).or_default();
        // two languages may know the same words
        let overlaps = |at: &usize| {
            let other = claims.get(*at).and_then(Option::as_ref);
            other.is_some_and(|other| {
                same_place(other, &one) || other.claim.scope == one.claim.scope
            })
        };
        let near = places.len().saturating_sub(MAX_SCOPES);
        let found = (near..places.len()).find(|nth| places.get(*nth).is_some_and(overlaps));
        let old = found.and_then(|nth| claims.get_mut(places.remove(nth))?.take());
        places.push(claims.len());
        claims.push(Some(match old {
            Some(old) => later(old, one),
            None => one,
        }));
    }
    let mut claims: Vec<Spotted> = claims.into_iter().flatten().collect();
    // "all tasks are completed" adds nothing to what can be checked
    let is_complete = |one: &Spotted| one.claim.kind == ClaimKind::Complete;
    if claims.iter().any(|one| !is_complete(one)) {
        claims.retain(|one| !is_complete(one));
    }
    extraction.left_out = claims.len().saturating_sub(MAX_CLAIMS);
    // a long list of files must not push out what the tests are said to do
    claims.sort_by_key(|one| (!one.claim.kind.is_about_all(), one.bytes));
    claims.truncate(MAX_CLAIMS);
    claims.sort_by_key(|one| one.bytes);
    let deleted = claims
        .iter()
        .filter(|one| one.claim.kind == ClaimKind::FileDeleted);
    let deleted: FxHashMap<String, usize> = deleted
        .map(|one| (one.claim.subject.clone(), one.bytes.0))
        .collect();
    let is_gone = |one: &Spotted| {
        let made = [ClaimKind::FileCreated, ClaimKind::FileModified];
        let gone = deleted.get(&one.claim.subject);
        made.contains(&one.claim.kind) && gone.is_some_and(|at| *at > one.bytes.0)
    };
    let mut places: Vec<usize> = Vec::new();
    for one in &claims {
        let all = one.also.iter().chain([&one.bytes]);
        places.extend(all.flat_map(|(start, end)| [*start, *end]));
    }
    let character = characters(message, places);
    let span = |(start, end): &(usize, usize)| {
        [start, end].map(|at| character.get(at).copied().unwrap_or_default())
    };
    let claims = claims.into_iter();
    extraction.claims = claims
        .map(|one| Claim {
            span: span(&one.bytes),
            also: one.also.iter().map(span).collect(),
            concedes: extraction.concedes || is_gone(&one),
            tells_failure: extraction.tells_failure,
            ..one.claim
        })
        .collect();
    extraction
}

/// The number of characters before each of some bytes of a text.
fn characters(text: &str, mut places: Vec<usize>) -> FxHashMap<usize, usize> {
    places.sort_unstable();
    let (mut at, mut count) = (0, 0);
    let counted = places.into_iter().map(|place| {
        count += text.get(at..place).unwrap_or_default().chars().count();
        at = place;
        (place, count)
    });
    counted.collect()
}

/// Two statements of the same: the later one, with what only the earlier one says.
fn later(mut old: Spotted, mut new: Spotted) -> Spotted {
    let inside = same_place(&old, &new);
    if inside && old.claim.count.is_some() && new.claim.count.is_none() {
        std::mem::swap(&mut old, &mut new);
    }
    new.claim.count = new.claim.count.or(old.claim.count);
    new.also = std::mem::take(&mut old.also);
    if !inside {
        new.also.push(old.bytes);
    }
    new
}

fn same_place(one: &Spotted, other: &Spotted) -> bool {
    one.bytes.0 < other.bytes.1 && other.bytes.0 < one.bytes.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::Table;

    #[test]
    fn each_language_finds_its_own_sentences() {
        let table = Table::new(&[]).unwrap();
        let mut wrong = Vec::new();
        for (name, text) in PACKS {
            let extractor = Extractor::new(&[name.to_owned()], &[]).unwrap();
            let pack = Pack::parse(name, text).unwrap();
            let kinds = |seen: &Extraction| -> Vec<(&'static str, String)> {
                let claims = seen.claims.iter();
                claims
                    .map(|claim| (claim.kind.name(), claim.quote.clone()))
                    .collect()
            };
            for (kind, sentences) in &pack.must_match {
                for sentence in sentences {
                    let seen = extractor.read(sentence, &table, true);
                    if !seen.claims.iter().any(|claim| claim.kind.name() == kind) {
                        wrong.push(format!(
                            "{name}: {sentence:?} is not {kind}: {:?} {:?}",
                            kinds(&seen),
                            seen.dropped
                        ));
                    }
                }
            }
            for sentence in &pack.must_not_match {
                let seen = extractor.read(sentence, &table, true);
                if !seen.claims.is_empty() {
                    wrong.push(format!(
                        "{name}: {sentence:?} holds a claim: {:?}",
                        kinds(&seen)
                    ));
                }
            }
        }
        assert!(
            wrong.is_empty(),
            "{} wrong\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}
