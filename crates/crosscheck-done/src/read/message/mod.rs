//! Which statements of a message can be checked.
//!
//! The message alone is read here: no file, no session, no setting of the
//! project decides what counts as a statement.

mod blocks;
mod deeds;
mod filters;
mod found;
mod markup;
mod normalise;
mod pack;
mod path;
mod pieces;
mod references;
mod runs;
mod shown;
mod signs;
mod tokens;
mod units;

use std::cell::RefCell;

use aho_corasick::AhoCorasick;
use rustc_hash::FxHashMap;

pub use pack::PackError;
pub(crate) use path::{has_extension, is_known_name};
pub use references::{Lines, MAX_REFERENCES, Reference, Text as QuotedText, references};
pub(crate) use runs::is_test_name;

use crate::kind::{Claim, ClaimKind, Denied, Scope};
use deeds::Deeds;
use filters::Filters;
use found::{Found, Place};
use normalise::{Characters, Text};
use pack::{BUILT_IN, By, Pack};
use pieces::Piece;
use runs::{Frames, Topic};
use tokens::{Token, What};
use units::Unit;

pub(crate) use pack::BUILT_IN as PACKS;

/// So much of a message is read.
pub const MAX_MESSAGE: usize = 256 * 1024;
/// At most this many claims are kept.
pub const MAX_CLAIMS: usize = 64;
/// A statement is compared with so many that differ from it in scope alone.
const MAX_SCOPES: usize = 4 * MAX_CLAIMS;
/// A sentence of so few words adds to the one before it.
const MAX_ASIDE: usize = 6;

/// Knows what a command in the text of a message would show.
pub trait Commands {
    /// The claims that such a command proves when it succeeds.
    fn claims(&self, code: &str) -> Vec<ClaimKind>;
}

/// Asks about each command once.
struct Known<'c> {
    commands: &'c dyn Commands,
    answers: RefCell<FxHashMap<String, Vec<ClaimKind>>>,
}

impl Commands for Known<'_> {
    fn claims(&self, code: &str) -> Vec<ClaimKind> {
        let known = self.answers.borrow().get(code).cloned();
        known.unwrap_or_else(|| {
            let answer = self.commands.claims(code);
            let mut answers = self.answers.borrow_mut();
            answers.insert(code.to_owned(), answer.clone());
            answer
        })
    }
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
    /// Whether it says that a check fails.
    admits_failure: bool,
    /// Whether it says that a commit is not pushed.
    keeps_back: bool,
    /// What was taken back in the same breath: it is so in every language.
    taken_back: Vec<(ClaimKind, (usize, usize))>,
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
    packs: Vec<Pack>,
    has_database: bool,
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

/// Looks for the words that claims have, in these languages.
pub fn hints(message: &str, languages: &[String]) -> Hints {
    let mut words: Vec<&str> = Vec::new();
    let mut owners: Vec<Option<&str>> = Vec::new();
    for (name, text) in BUILT_IN
        .iter()
        .filter(|(name, _)| languages.iter().any(|language| language == name))
    {
        let keywords = pack::quick_list(text, "keywords");
        owners.extend(std::iter::repeat_n(Some(*name), keywords.len()));
        words.extend(keywords);
        let done = pack::quick_list(text, "done_words");
        owners.extend(std::iter::repeat_n(None, done.len()));
        words.extend(done);
    }
    let Ok(search) = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(words)
    else {
        return Hints {
            languages: languages.to_vec(),
            done: true,
        };
    };
    // letters beyond ASCII have cases, too
    let text = Text::new(limited(message)).norm.to_lowercase();
    let mut hints = Hints::default();
    for found in search.find_overlapping_iter(&text) {
        match owners.get(found.pattern().as_usize()).copied().flatten() {
            None => hints.done = true,
            Some(name) if hints.languages.iter().any(|known| known == name) => {}
            Some(name) => hints.languages.push(name.to_owned()),
        }
    }
    hints
}

/// The pattern files that are built in: language and text.
pub const fn phrases() -> &'static [(&'static str, &'static str)] {
    &BUILT_IN
}

impl Extractor {
    /// For these languages, with further pattern files of the user: each a
    /// name and its text.
    pub fn new(languages: &[String], files: &[(String, String)]) -> Result<Self, PackError> {
        let mut packs = Vec::new();
        for (name, text) in BUILT_IN {
            if languages.iter().any(|language| language == name) {
                packs.push(Pack::parse(name, text)?);
            }
        }
        for (name, text) in files {
            let pack = Pack::parse(name, text)?;
            packs.retain(|known| known.language != pack.language);
            packs.push(pack);
        }
        Ok(Self {
            packs,
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
        self.packs
            .iter()
            .try_for_each(|pack| self_test(pack, commands))
    }

    /// The claims of a message.
    pub fn read(&self, message: &str, commands: &dyn Commands, explain: bool) -> Extraction {
        let cut = limited(message);
        let text = Text::new(cut);
        let (blocks, codes) = blocks::blocks(&text.norm);
        let units = units::units(&text.norm, &blocks);
        let characters = Characters::of(cut);
        let mut extraction = Extraction {
            is_cut: cut.len() < message.len(),
            ..Extraction::default()
        };
        let mut spotted: Vec<Spotted> = Vec::new();
        let commands = &Known {
            commands,
            answers: RefCell::default(),
        };
        for pack in &self.packs {
            let mut reader = Reader {
                pack,
                commands,
                text: &text,
                message: cut,
                characters: &characters,
                planned: FxHashMap::default(),
                topic: Topic::default(),
                problems: [false; 2],
                is_limited: false,
                denies: Denied::default(),
                is_first: true,
                spotted: &mut spotted,
                extraction: &mut extraction,
                explain,
                has_database: self.has_database,
            };
            let is_last = std::ptr::eq(pack, self.packs.last().unwrap_or(pack));
            for (nth, unit) in units.iter().enumerate() {
                reader.unit(unit, units.get(nth + 1));
                if is_last {
                    reader.shown(shown::spans(unit));
                }
            }
            if is_last {
                reader.shown(shown::blocks(&text.norm, &codes));
            }
        }
        finish(spotted, extraction)
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
}

struct Reader<'r> {
    pack: &'r Pack,
    commands: &'r dyn Commands,
    text: &'r Text,
    message: &'r str,
    characters: &'r Characters,
    /// Titles that were looked at, and whether they announce a plan.
    planned: FxHashMap<*const u8, bool>,
    topic: Topic,
    /// Whether the last two units named a problem.
    problems: [bool; 2],
    /// Whether the statement at hand leaves something out.
    is_limited: bool,
    /// What its sentence says is absent.
    denies: Denied,
    /// Where a message begins, "it" is what the user asked for.
    is_first: bool,
    spotted: &'r mut Vec<Spotted>,
    extraction: &'r mut Extraction,
    explain: bool,
    has_database: bool,
}

impl Reader<'_> {
    /// Output of a run in which all tests passed.
    fn shown(&mut self, shown: impl IntoIterator<Item = shown::Shown>) {
        for (place, count) in shown {
            let bytes = (place.start, place.end);
            self.keep(
                ClaimKind::TestsPass,
                None,
                bytes,
                String::new(),
                Scope::Plain,
                Some(count),
            );
        }
    }

    fn unit(&mut self, unit: &Unit, next: Option<&Unit>) {
        self.topic.next();
        self.denies = self.denied_by(unit);
        let is_titled = self.is_titled(unit);
        if !is_titled {
            self.shown(shown::labelled(self.pack, &self.text.norm, unit));
        }
        if self.pack.by == By::Substring {
            return self.signs(unit, next, is_titled);
        }
        let clauses = units::clauses(self.pack, unit);
        let pieces: Vec<Vec<Piece>> = clauses
            .iter()
            .map(|clause| pieces::of(self.pack, clause))
            .collect();
        let counts = unit.counts();
        let is_faultless = self.is_faultless(unit);
        let frames: Vec<Vec<Frames>> = pieces
            .iter()
            .map(|pieces| self.frames(pieces, unit.is_row, counts, is_faultless))
            .collect();
        let problem = self.pack.of(ClaimKind::Fixed, "object");
        let mut named = self.problems.contains(&true);
        let mut problem_before = named || std::mem::take(&mut self.is_first);
        let is_limited = self.is_limited_by(unit);
        let before = self.spotted.len();
        let all: Vec<&Token> = unit.tokens.iter().collect();
        let is_undone = self.pack.list("undone").any(&all) || self.begins_undone(next);
        self.extraction.keeps_back |= self.keeps_back(&all);
        let filters = Filters::new(self.pack, unit, next, &clauses, &frames, is_titled);
        self.extraction.admits_failure |= filters.admits_failure();
        let works = clauses.iter().any(|clause| {
            clause
                .iter()
                .any(|token| matches!(token.word(), "works" | "work" | "working"))
        });
        let commits = unit.tokens.iter().any(|token| {
            self.pack
                .of(ClaimKind::Committed, "verbed")
                .has(token.word())
        });
        for (number, clause) in clauses.iter().enumerate() {
            let parts = pieces.get(number).into_iter().flatten();
            let parts = parts.zip(frames.get(number).into_iter().flatten());
            let mut found_here = Vec::new();
            for (piece, frames) in parts {
                let mut found = frames.read(&mut self.topic);
                found.extend(
                    Deeds {
                        pack: self.pack,
                        clause: &piece.tokens,
                        commands: self.commands,
                        works_elsewhere: works,
                        commits_elsewhere: commits,
                        problem_before,
                        has_database: self.has_database,
                    }
                    .read(),
                );
                found_here.extend(merged(piece.in_clause(found)));
            }
            if clauses.len() > 1 && found_here.is_empty() {
                found_here.extend(self.ratio(unit, clause));
            }
            named |= problem.any(clause);
            problem_before = named;
            self.listed(unit, clause, &mut found_here);
            for found in found_here {
                let rule = filters.rule(number, &found);
                let bytes = bytes_of(clause, found.quote);
                let is_limited = match found.kind {
                    ClaimKind::FileCreated | ClaimKind::FileModified | ClaimKind::SymbolAdded => {
                        is_undone
                    }
                    ClaimKind::ChecksPass => is_limited || filters.admits_failure(),
                    _ => is_limited,
                };
                self.is_limited = is_limited && !found.negative;
                self.keep(
                    found.kind,
                    rule,
                    bytes,
                    found.subject,
                    found.scope,
                    found.count,
                );
            }
            self.extraction.says_done |= self.says_done(unit, clause);
        }
        // "All 12 tests pass. None skipped."
        if before == self.spotted.len()
            && unit.tokens.len() <= MAX_ASIDE
            && let Some(last) = self.spotted.last_mut()
        {
            last.claim.denies = last.claim.denies.or(self.denies);
        }
        self.is_limited = false;
        self.denies = Denied::default();
        self.problems = [problem.any(&all), self.problems[0]];
    }

    /// The statements of a language that puts no blanks between words.
    fn signs(&mut self, unit: &Unit, next: Option<&Unit>, is_titled: bool) {
        for sign in signs::read(self.pack, self.text, unit, next, is_titled) {
            let bytes = (sign.start, sign.end);
            self.keep(sign.kind, sign.rule, bytes, sign.subject, sign.scope, None);
        }
    }

    fn frames<'p>(
        &self,
        pieces: &'p [Piece],
        is_row: bool,
        counts: bool,
        is_faultless: bool,
    ) -> Vec<Frames<'p>>
    where
        Self: 'p,
    {
        let frames = |piece: &'p Piece| {
            Frames::new(
                self.pack,
                &piece.tokens,
                self.commands,
                is_row,
                counts,
                is_faultless,
            )
        };
        pieces.iter().map(frames).collect()
    }

    /// "12 green, 0 red"
    fn is_faultless(&self, unit: &Unit) -> bool {
        let tokens: Vec<&Token> = unit.tokens.iter().collect();
        let mut runs = self.pack.runs.iter();
        let tests = runs.find(|run| run.kind == ClaimKind::TestsPass);
        let is_zero =
            |token: &&Token| token.what == What::Number(0) || matches!(token.word(), "no" | "zero");
        let zeros = tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| is_zero(token));
        let mut behind = zeros.map(|(at, _)| at + 1);
        tests.is_some_and(|tests| behind.any(|at| tests.failure.at(&tokens, at).is_some()))
    }

    /// Whether a title above announces a plan; many items share one title.
    /// What is ticked off is not a plan, except in a test plan, which is a form.
    fn is_titled(&mut self, unit: &Unit) -> bool {
        let mut above = unit
            .above
            .iter()
            .filter(|title| !unit.is_ticked || title.contains("plan"));
        above.any(|title| {
            let known = self.planned.entry(title.as_ptr());
            *known.or_insert_with(|| filters::is_plan(self.pack, title))
        })
    }

    /// What a sentence says is absent: "none skipped", "0 warnings".
    fn denied_by(&self, unit: &Unit) -> Denied {
        let tokens: Vec<&Token> = unit.tokens.iter().collect();
        let (no, nothing) = (
            self.pack.list("problems.no"),
            self.pack.list("problems.nothing"),
        );
        let is_none = |token: &Token| {
            token.what == What::Number(0) || no.has(token.word()) || nothing.has(token.word())
        };
        let is_denied = |at: usize| {
            // "Skipped: 0"
            let behind = |step: usize| tokens.get(at + step);
            let labelled = behind(1).is_some_and(|sign| matches!(sign.what, What::Sign(':' | '=')))
                && behind(2).is_some_and(|value| is_none(value));
            let before = tokens.get(..at).unwrap_or_default().iter().rev().take(4);
            let mut before = before.take_while(|token| {
                let ends = matches!(token.what, What::Sign(_) | What::Number(1..));
                !ends && token.word() != "longer"
            });
            labelled || before.any(|token| is_none(token))
        };
        let has = |list: &str| {
            let list = self.pack.list(list);
            let mut places = (0..tokens.len()).filter(|at| list.at(&tokens, *at).is_some());
            places.any(is_denied)
        };
        Denied {
            skips: has("skips"),
            warnings: has("warnings") && !self.are_some_warnings(&tokens),
        }
    }

    /// "no new warnings", "adds no warnings", "no warnings from `calc`": there
    /// may be others.
    fn are_some_warnings(&self, tokens: &[&Token]) -> bool {
        const MORE: [&str; 13] = [
            "new",
            "additional",
            "further",
            "extra",
            "add",
            "adds",
            "added",
            "adding",
            "introduce",
            "introduces",
            "introduced",
            "introducing",
            "causes",
        ];
        let list = self.pack.list("warnings");
        let mut places = (0..tokens.len()).filter(|at| list.at(tokens, *at).is_some());
        places.all(|at| {
            let mut before = tokens
                .get(at.saturating_sub(3)..at)
                .unwrap_or_default()
                .iter();
            let narrows = tokens
                .get(at + 1)
                .is_some_and(|next| matches!(next.word(), "from" | "in" | "for" | "about"));
            let named = tokens.get(at + 2).is_some_and(|next| {
                matches!(next.what, What::Path | What::Id | What::Code)
                    && self.commands.claims(&next.text).is_empty()
            });
            before.any(|token| MORE.contains(&token.word())) || narrows && named
        })
    }

    /// "Removed it afterwards." right behind what was made.
    fn begins_undone(&self, next: Option<&Unit>) -> bool {
        let next = next.map_or(&[][..], |next| &next.tokens);
        let tokens: Vec<&Token> = next.iter().collect();
        let list = self.pack.list("undone");
        (0..tokens.len().min(4)).any(|at| list.at(&tokens, at).is_some())
    }

    /// "the second commit is only local", but not "nothing is left unpushed"
    fn keeps_back(&self, tokens: &[&Token]) -> bool {
        let list = self.pack.list("unpushed");
        let (no, nothing) = (
            self.pack.list("problems.no"),
            self.pack.list("problems.nothing"),
        );
        let is_none = |token: &&Token| {
            token.what == What::Number(0) || no.has(token.word()) || nothing.has(token.word())
        };
        let mut places = (0..tokens.len()).filter(|at| list.at(tokens, *at).is_some());
        places.any(|at| {
            let before = tokens.get(at.saturating_sub(4)..at).unwrap_or_default();
            !before.iter().any(is_none)
        })
    }

    /// "the suite (50/50)": so many of so many passed.
    fn ratio(&self, unit: &Unit, clause: &[&Token]) -> Option<Found> {
        let signs: Vec<What> = clause.iter().map(|token| token.what).collect();
        let [What::Number(count @ 1..), What::Sign('/'), What::Number(of)] = signs.as_slice()
        else {
            return None;
        };
        let mut runs = self.pack.runs.iter();
        let tests = runs.find(|run| run.kind == ClaimKind::TestsPass)?;
        let start = clause.first()?.span.start;
        let number = unit
            .tokens
            .partition_point(|token| token.span.start < start);
        let bracket = number.checked_sub(1)?;
        let before = unit.tokens.get(bracket.saturating_sub(3)..bracket)?;
        let before: Vec<&Token> = before.iter().collect();
        let ends = |at: usize| {
            let length = tests.subject.at(&before, at);
            length.is_some_and(|length| at + length == before.len())
        };
        let is_of_tests = (0..before.len()).any(ends);
        let place = Place::new(0, clause.len());
        (count == of && is_of_tests).then(|| Found {
            count: Some(*count),
            ..Found::new(ClaimKind::TestsPass, place, place)
        })
    }

    /// Whether a sentence says that something was left out: "with `test_x`
    /// skipped", "everything but calc", "without `test_x`", "(`test_x` ❌)",
    /// "on main, not on this branch".
    fn is_limited_by(&self, unit: &Unit) -> bool {
        let tokens: Vec<&Token> = unit.tokens.iter().collect();
        let list = self.pack.list("limits");
        let is_none = |token: &&&Token| {
            let word = token.word();
            token.what == What::Number(0)
                || self.pack.list("problems.no").has(word)
                || self.pack.list("problems.nothing").has(word)
        };
        let is_limit = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            list.at(&tokens, at).is_some() && !before.is_some_and(|before| is_none(&before))
        };
        let is_but = |at: usize| {
            let next = tokens.get(at + 1).map(|token| token.what);
            let ends = tokens
                .get(at + 2)
                .is_none_or(|token| matches!(token.what, What::Sign(_)));
            tokens.get(at).is_some_and(|token| token.word() == "but")
                && (matches!(next, Some(What::Path | What::Id | What::Code))
                    || matches!(next, Some(What::Word | What::Number(_))) && ends)
        };
        let is_without = |at: usize| {
            let next = tokens.get(at + 1);
            tokens
                .get(at)
                .is_some_and(|token| token.word() == "without")
                && next.is_some_and(|next| {
                    matches!(next.what, What::Path | What::Id | What::Code)
                        || is_test_name(&next.text)
                })
        };
        let is_bad = |at: usize| tokens.get(at).is_some_and(|token| token.what == What::Bad);
        (0..tokens.len()).any(|at| is_limit(at) || is_but(at) || is_without(at) || is_bad(at))
    }

    /// One verb serves every listed object: files under or behind "Created:".
    fn listed(&self, unit: &Unit, clause: &[&Token], found: &mut Vec<Found>) {
        let is_path = |at: usize| clause.get(at).is_some_and(|token| token.what == What::Path);
        let first = clause
            .iter()
            .position(|token| token.what != What::Good)
            .unwrap_or(0);
        let sign = clause.iter().take(5).position(|token| token.is_sign(':'));
        let label = sign.filter(|sign| is_path(sign + 1));
        let words: Vec<&str> = match (label, unit.above.last()) {
            (Some(sign), _) => {
                let label = clause.iter().take(sign).skip(first);
                label.map(|token| token.word()).collect()
            }
            (None, Some(title)) if is_path(first) => title.split(' ').take(5).collect(),
            _ => return,
        };
        if !found.is_empty() || words.len() > 4 {
            return;
        }
        let has = |kind: ClaimKind| {
            words
                .iter()
                .any(|word| self.pack.of(kind, "verbed").has(word))
        };
        let plain = |word: &&str| {
            matches!(
                *word,
                "files" | "file" | "new" | "the" | "i" | "i've" | "we" | "what" | "following"
            ) || self.pack.deeds.has(word)
        };
        let title = words.join(" ");
        let mut new_files = self.pack.list("new_files").all();
        let is_named_new = new_files.any(|phrase| phrase == title);
        let is_new = is_named_new
            || words.contains(&"new") && words.iter().any(|word| word.starts_with("file"));
        let kind = if has(ClaimKind::FileDeleted) {
            ClaimKind::FileDeleted
        } else if has(ClaimKind::FileCreated) || is_new {
            ClaimKind::FileCreated
        } else if has(ClaimKind::FileModified) && words.iter().any(|word| word.starts_with("file"))
        {
            ClaimKind::FileModified
        } else {
            return;
        };
        if !is_named_new && !words.iter().all(plain) {
            return;
        }
        let from = label.map_or(first, |sign| sign + 1);
        let listed = (from..clause.len()).take_while(|at| {
            is_path(*at)
                || label.is_some() && clause.get(*at).is_some_and(|token| runs::is_joint(token))
        });
        let named = listed.filter(|at| is_path(*at)).map(|at| {
            let place = Place::new(at, at + 1);
            Found {
                subject: clause
                    .get(at)
                    .map(|token| token.text.clone())
                    .unwrap_or_default(),
                ..Found::new(kind, place, place)
            }
        });
        found.extend(named.take(if label.is_some() { usize::MAX } else { 1 }));
    }

    fn says_done(&self, unit: &Unit, clause: &[&Token]) -> bool {
        let list = self.pack.list("done_words");
        let hedged = self.pack.list("N2").any(clause)
            || self.pack.list("N4").any(clause)
            || self.pack.list("N1").any(clause);
        let at = (0..clause.len()).find(|at| list.at(clause, *at).is_some());
        at.is_some_and(|at| at <= 6) && !hedged && !unit.is_question
    }

    fn keep(
        &mut self,
        kind: ClaimKind,
        rule: Option<&'static str>,
        bytes: (usize, usize),
        subject: String,
        scope: Scope,
        count: Option<u64>,
    ) {
        let (start, end) = self.text.original(bytes.0, bytes.1);
        let quote = self.message.get(start..end).unwrap_or_default().trim_end();
        if let Some(rule) = rule {
            if rule == "N12" {
                self.extraction.taken_back.push((kind, (start, end)));
            }
            if self.explain {
                self.extraction.dropped.push(Dropped {
                    kind,
                    quote: crate::redact::redacted(quote),
                    rule,
                });
            }
            return;
        }
        let first = self.characters.before(self.message, start);
        let length = quote.chars().count();
        self.spotted.push(Spotted {
            claim: Claim {
                kind,
                quote: quote.chars().take(200).collect(),
                span: [first, first + length],
                subject,
                scope,
                count,
                also: Vec::new(),
                admits_failure: false,
                is_limited: self.is_limited,
                denies: self.denies,
            },
            bytes: (start, start + quote.len()),
        });
    }
}

fn bytes_of(clause: &[&Token], place: Place) -> (usize, usize) {
    let start = clause.get(place.start).map_or(0, |token| token.span.start);
    let last = place
        .end
        .saturating_sub(1)
        .min(clause.len().saturating_sub(1));
    let end = clause.get(last).map_or(start, |token| token.span.end);
    (start, end.max(start))
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
                other.quote = Place::new(
                    other.quote.start.min(one.quote.start),
                    other.quote.end.max(one.quote.end),
                );
                other.count = other.count.or(one.count);
                if other.scope == Scope::Plain {
                    other.scope = one.scope;
                }
            }
            None => all.push(one),
        }
    }
    // "verified that all tests pass" says the one thing
    let others = all
        .iter()
        .any(|one| !matches!(one.kind, ClaimKind::Verified | ClaimKind::Ran));
    all.retain(|one| one.kind != ClaimKind::Verified || !others);
    all
}

/// In the order of the message, each claim once: the last one counts.
fn finish(mut spotted: Vec<Spotted>, mut extraction: Extraction) -> Extraction {
    let is_taken_back = |one: &Spotted| {
        let mut all = extraction.taken_back.iter().take(MAX_SCOPES);
        all.any(|(kind, (start, end))| {
            *kind == one.claim.kind && *start < one.bytes.1 && one.bytes.0 < *end
        })
    };
    spotted.retain(|one| !is_taken_back(one));
    spotted.sort_by_key(|one| (one.bytes, one.claim.kind));
    let mut claims: Vec<Option<Spotted>> = Vec::new();
    let mut alike: FxHashMap<(ClaimKind, String), Vec<usize>> = FxHashMap::default();
    for one in spotted {
        let key = (one.claim.kind, one.claim.subject.clone());
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
    extraction.left_out = claims.len().saturating_sub(MAX_CLAIMS);
    // a long list of files must not push out what the tests are said to do
    claims.sort_by_key(|one| (!one.claim.kind.is_about_all(), one.bytes));
    claims.truncate(MAX_CLAIMS);
    claims.sort_by_key(|one| one.bytes);
    // "I wrote `a.py`. Later I deleted `a.py`."
    let mut deleted: FxHashMap<String, usize> = FxHashMap::default();
    for one in &claims {
        if one.claim.kind == ClaimKind::FileDeleted {
            deleted.insert(one.claim.subject.clone(), one.bytes.0);
        }
    }
    for one in &mut claims {
        let is_made = matches!(
            one.claim.kind,
            ClaimKind::FileCreated | ClaimKind::FileModified
        );
        let later = deleted.get(&one.claim.subject);
        one.claim.is_limited |= is_made && later.is_some_and(|later| *later > one.bytes.0);
    }
    extraction.claims = claims
        .into_iter()
        .map(|one| Claim {
            admits_failure: extraction.admits_failure,
            is_limited: match one.claim.kind {
                ClaimKind::Pushed => extraction.keeps_back,
                _ => one.claim.is_limited,
            },
            ..one.claim
        })
        .collect();
    extraction
}

/// Two statements of the same: the later one, with what only the earlier one says.
fn later(mut old: Spotted, mut new: Spotted) -> Spotted {
    if same_place(&old, &new) && old.claim.count.is_some() && new.claim.count.is_none() {
        std::mem::swap(&mut old, &mut new);
    }
    let inside = same_place(&old, &new);
    new.claim.count = new.claim.count.or(old.claim.count);
    new.claim.denies = new.claim.denies.or(old.claim.denies);
    new.claim.also = std::mem::take(&mut old.claim.also);
    if !inside {
        new.claim.also.push(old.claim.span);
    }
    new
}

fn same_place(one: &Spotted, other: &Spotted) -> bool {
    one.bytes.0 < other.bytes.1 && other.bytes.0 < one.bytes.1
}

fn self_test(pack: &Pack, commands: &dyn Commands) -> Result<(), PackError> {
    let fail = |problem: String| PackError {
        name: pack.language.clone(),
        problem,
    };
    let read = |sentence: &str| {
        let text = Text::new(sentence);
        let mut extraction = Extraction::default();
        let mut spotted = Vec::new();
        let mut reader = Reader {
            pack,
            commands,
            text: &text,
            message: sentence,
            characters: &Characters::of(sentence),
            planned: FxHashMap::default(),
            topic: Topic::default(),
            problems: [false; 2],
            is_limited: false,
            denies: Denied::default(),
            is_first: true,
            spotted: &mut spotted,
            extraction: &mut extraction,
            explain: true,
            has_database: false,
        };
        for unit in &units::units(&text.norm, &blocks::blocks(&text.norm).0) {
            reader.unit(unit, None);
        }
        finish(spotted, extraction)
    };
    for (kind, sentences) in &pack.must_match {
        for sentence in sentences {
            let seen = read(sentence);
            if !seen.claims.iter().any(|claim| claim.kind.name() == kind) {
                return Err(fail(format!(
                    "`{sentence}` must be {kind}; found {:?}, dropped {:?}",
                    kinds(&seen),
                    seen.dropped
                )));
            }
        }
    }
    for sentence in &pack.must_not_match {
        let seen = read(sentence);
        if !seen.claims.is_empty() {
            return Err(fail(format!(
                "`{sentence}` must hold no claim; found {:?}",
                kinds(&seen)
            )));
        }
    }
    Ok(())
}

fn kinds(seen: &Extraction) -> Vec<(&'static str, &str)> {
    let claims = seen.claims.iter();
    claims
        .map(|claim| (claim.kind.name(), claim.quote.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::Table;

    #[test]
    fn each_language_finds_its_own_sentences() {
        let table = Table::new(&[]).unwrap();
        for (name, _) in BUILT_IN {
            let extractor = Extractor::new(&[name.to_owned()], &[]).unwrap();
            let pack = &extractor.packs[0];
            let mut wrong = Vec::new();
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
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    }
}
