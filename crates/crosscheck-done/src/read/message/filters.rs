//! What is not a claim, although it has the words of one: negations, hedges,
//! plans, conditions, questions, instructions, what others say, history.
//!
//! Contract: done 4.4.

mod govern;

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::found::{Found, Place};
use super::pack::{By, Pack};
use super::runs::Frames;
use super::tokens::{Token, What};
use super::units::{Clause, Unit};
use crate::kind::{ClaimKind, Scope};
use govern::{Case, Seam};

/// What is known of a unit before its claims are looked at.
pub(super) struct Filters<'u> {
    pack: &'u Pack,
    unit: &'u Unit,
    /// The sentence behind it.
    next: Option<&'u Unit>,
    clauses: &'u [Clause<'u>],
    all: Vec<&'u Token>,
    /// For each clause the kinds it says have failed.
    failures: Vec<Vec<ClaimKind>>,
    /// The first clause that says so of a kind.
    first_failure: FxHashMap<ClaimKind, usize>,
    /// Whether a title above announces a plan.
    is_titled: bool,
    // looked for once, and only when there is a statement
    planned: OnceCell<bool>,
    /// Where a question of its own begins that ends the sentence.
    question: OnceCell<Option<usize>>,
    reported: OnceCell<bool>,
    past: OnceCell<bool>,
    fronted: OnceCell<bool>,
    ordered: OnceCell<bool>,
    /// How each clause is set apart from the one before.
    seams: OnceCell<Vec<Seam>>,
    /// The first clause that a semicolon or a dash sets apart, from the second.
    wide: OnceCell<Option<usize>>,
    /// Whether the first clause, an order, lists something, and tells to look.
    order_kind: OnceCell<(bool, bool)>,
    /// The first clause that names a past time, and the last one that says
    /// "that was …".
    past_words: OnceCell<(Option<usize>, Option<usize>)>,
    /// The last clause that says "they do not".
    denial: OnceCell<Option<usize>>,
    /// The last clause that names a test that fails.
    exception: OnceCell<Option<usize>>,
    /// The last clause that says that some fail.
    some_fail: OnceCell<Option<usize>>,
    /// Where it is said last that the rest fails: clause and place.
    last_rest: OnceCell<Option<(usize, usize)>>,
    views: Vec<OnceCell<View>>,
}

/// Where the words of a clause are that make a statement none.
struct View {
    /// Negations outside of "no errors" and its like.
    negations: Vec<usize>,
    hedges: Vec<usize>,
    plans: Vec<usize>,
    past: Vec<usize>,
    conditions: Vec<usize>,
    others: Vec<usize>,
    others_behind: Vec<usize>,
    /// "in 2019", "since v1.2".
    dates: Vec<usize>,
    habits: Vec<usize>,
    times: Vec<usize>,
    /// "I'll".
    future: Vec<usize>,
    /// Where it begins to ask the reader to do something.
    order: Option<usize>,
    /// The first sign that parts two thoughts.
    sign: Option<usize>,
    is_present: bool,
}

impl<'u> Filters<'u> {
    pub(super) fn new(
        pack: &'u Pack,
        unit: &'u Unit,
        next: Option<&'u Unit>,
        clauses: &'u [Clause<'u>],
        frames: &[Vec<Frames>],
        is_titled: bool,
    ) -> Self {
        let failures: Vec<Vec<ClaimKind>> = frames.iter().map(|pieces| failures(pieces)).collect();
        let mut first_failure = FxHashMap::default();
        for (number, kinds) in failures.iter().enumerate() {
            for kind in kinds {
                first_failure.entry(*kind).or_insert(number);
            }
        }
        Self {
            pack,
            unit,
            next,
            clauses,
            all: unit.tokens.iter().collect(),
            failures,
            first_failure,
            is_titled,
            planned: OnceCell::new(),
            question: OnceCell::new(),
            reported: OnceCell::new(),
            past: OnceCell::new(),
            fronted: OnceCell::new(),
            ordered: OnceCell::new(),
            seams: OnceCell::new(),
            wide: OnceCell::new(),
            order_kind: OnceCell::new(),
            past_words: OnceCell::new(),
            denial: OnceCell::new(),
            exception: OnceCell::new(),
            some_fail: OnceCell::new(),
            last_rest: OnceCell::new(),
            views: clauses.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// Whether the unit says that a check fails now.
    pub(super) fn admits_failure(&self) -> bool {
        let fails = !self.first_failure.is_empty();
        let asks = self.unit.is_question || self.opens_question();
        fails && !asks && !self.is_planned() && !self.is_past()
    }

    /// The rule by which a statement is none; `None` when it is one.
    pub(super) fn rule(&self, number: usize, found: &Found) -> Option<&'static str> {
        let clause = self.clauses.get(number)?;
        let view = self.views.get(number)?.get_or_init(|| self.view(clause));
        let case = Case {
            clause,
            view,
            found,
            number,
        };
        let at = found.predicate.start;
        let rules: [(&'static str, bool); 12] = [
            ("N10", self.is_planned()),
            ("N6", self.is_asked(&case)),
            ("N7", self.is_ordered(&case)),
            ("N3", self.is_reported()),
            ("N1", self.is_negated(&case)),
            ("N2", self.is_hedged(&case)),
            ("N4", self.is_intended(&case)),
            ("N5", self.depends(&case)),
            (
                "N8",
                is_before(view.others.first().copied(), at)
                    || view.others_behind.last().is_some_and(|last| *last >= at),
            ),
            (
                "N9",
                self.is_over(&case)
                    || self.is_dated(clause, view, found)
                    || self.is_habit(clause, found),
            ),
            (
                "N11",
                self.is_attributive(clause, found) || self.is_spoken_of(&case),
            ),
            ("N12", self.contradicts_itself(number, view, found)),
        ];
        rules
            .into_iter()
            .find(|(_, holds)| *holds)
            .map(|(rule, _)| rule)
    }

    fn is_reported(&self) -> bool {
        let find = || {
            let neutral = self.neutral(&self.all);
            let list = self.pack.list("N3");
            let mut places = (0..self.all.len()).filter(|at| !is_set(&neutral, *at));
            places.any(|at| list.at(&self.all, at).is_some() && !self.is_said_of_other(at))
        };
        *self.reported.get_or_init(find)
    }

    /// "…, but the UI is untested": a thing of its own.
    fn is_said_of_other(&self, at: usize) -> bool {
        let token = |back: usize| at.checked_sub(back).and_then(|at| self.all.get(at));
        let word = |back: usize| token(back).map_or("", |token| token.word());
        let named = ["the", "a", "an", "my", "our"].contains(&word(3));
        let mut runs = self.pack.runs.iter();
        named
            && matches!(word(0), "untested" | "unverified")
            && matches!(word(1), "is" | "are" | "remains" | "remain" | "stays")
            && !matches!(
                word(2),
                "result" | "results" | "claim" | "statement" | "change" | "fix"
            )
            && !runs.any(|run| run.subject.has(word(2)))
    }

    fn is_past(&self) -> bool {
        let find = || self.pack.list("N9").any(&self.all);
        *self.past.get_or_init(find)
    }

    fn view(&self, clause: &[&Token]) -> View {
        let neutral = self.neutral(clause);
        let places = |list: &str| -> Vec<usize> {
            let list = self.pack.list(list);
            let found = (0..clause.len()).filter(|at| list.at(clause, *at).is_some());
            found.collect()
        };
        let outside = |list: &str| -> Vec<usize> {
            let mut found = places(list);
            found.retain(|at| !is_set(&neutral, *at));
            found
        };
        let unless = self.pack.list("N5_unless");
        let mut conditions = outside("N5");
        conditions.retain(|at| unless.at(clause, *at).is_none());
        let mut others = outside("N8");
        others.retain(|at| !self.is_behind_tool(clause, *at) && !self.names_tool(clause, *at));
        let mut others_behind = places("N8_behind");
        others_behind.retain(|at| self.names_other(clause, *at));
        let mut negations = outside("N1");
        let word = |at: usize| clause.get(at).map_or("", |token| token.word());
        let short = |end: &'static str| {
            let found = (0..clause.len()).filter(move |at| word(*at).ends_with(end));
            found.filter(|at| !is_set(&neutral, *at))
        };
        negations.extend(short("n't"));
        negations.sort_unstable();
        negations.dedup();
        View {
            negations,
            hedges: outside("N2"),
            plans: outside("N4"),
            past: outside("N9_clause"),
            conditions,
            others,
            others_behind,
            dates: (0..clause.len())
                .filter(|at| is_date(clause, *at))
                .collect(),
            habits: places("N9_habit"),
            times: places("N9"),
            future: short("'ll").collect(),
            order: self.order(clause),
            sign: clause
                .iter()
                .position(|token| matches!(token.what, What::Sign(',' | ';' | ':' | '—' | '–'))),
            is_present: clause
                .iter()
                .any(|token| self.pack.list("now").has(token.word())),
        }
    }

    /// "no errors", "no longer fails", "not only": negations that say
    /// something good, or nothing.
    fn neutral(&self, clause: &[&Token]) -> Vec<bool> {
        let mut all = vec![false; clause.len()];
        let mut push = |place: Place| {
            let end = place.end.min(clause.len());
            if let Some(tokens) = all.get_mut(place.start..end) {
                tokens.fill(true);
            }
        };
        let no = self.pack.list("problems.no");
        for at in 0..clause.len() {
            let word = |place: usize| clause.get(place).map_or("", |token| token.word());
            if let Some(length) = no.at(clause, at) {
                let mut end = at + length;
                let named_at = |place: usize| {
                    self.pack
                        .runs
                        .iter()
                        .filter_map(|run| run.problem.at(clause, place))
                        .max()
                };
                while named_at(end).is_none() && self.pack.list("problems.modifiers").has(word(end))
                {
                    end += 1;
                }
                let named = named_at(end);
                let plain = self.pack.list("problems.words").at(clause, end);
                let other = matches!(
                    word(end),
                    "regressions"
                        | "regression"
                        | "changes"
                        | "change"
                        | "diff"
                        | "conflicts"
                        | "downtime"
                        | "side"
                ) && !self.pack.list("passives").has(word(end + 1)); // "no changes were committed"
                if let Some(length) = named.max(plain).or(other.then_some(1)) {
                    push(Place::new(at, end + length));
                }
            }
            if let Some(length) = self.pack.list("asides").at(clause, at)
                && !self.is_in_earnest(clause, at)
            {
                push(Place::new(at, at + length));
            }
            if word(at) == "no" && word(at + 1) == "longer" && self.is_bad(word(at + 2)) {
                push(Place::new(at, at + 3));
            }
            if word(at) == "not" && matches!(word(at + 1), "only" | "just") {
                push(Place::new(at, at + 2));
            }
        }
        all
    }

    fn is_bad(&self, word: &str) -> bool {
        self.pack.runs.iter().any(|run| run.failure.has(word))
            || matches!(
                word,
                "crashes"
                    | "crash"
                    | "panics"
                    | "throws"
                    | "hangs"
                    | "leaks"
                    | "breaks"
                    | "errors"
                    | "exist"
                    | "exists"
            )
    }

    fn is_planned(&self) -> bool {
        *self.planned.get_or_init(|| self.find_plan())
    }

    fn find_plan(&self) -> bool {
        let list = self.pack.list("N10");
        // "Test plan: …"
        let colon = self.all.iter().take(5).position(|token| token.is_sign(':'));
        let label = colon.map(|colon| {
            let words = self
                .all
                .get(..colon)
                .unwrap_or_default()
                .iter()
                .map(|token| token.word());
            words.collect::<Vec<_>>().join(" ")
        });
        let labels = self.pack.list("N10_label");
        let is_label = label.filter(|_| !self.is_affirmed()).is_some_and(|label| {
            let mut phrases = list.all().chain(labels.all());
            phrases.any(|phrase| {
                label
                    .strip_suffix(phrase)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
            })
        });
        is_label
            || self.unit.is_open_task
            || self.is_titled
            || self
                .unit
                .tokens
                .first()
                .is_some_and(|first| first.what == What::Bad || is_pending(first))
    }

    fn begins_with_order(&self) -> bool {
        let find = || {
            self.clauses
                .first()
                .is_some_and(|first| self.order(first).is_some())
        };
        *self.ordered.get_or_init(find)
    }

    /// Where an order begins, if the clause is one.
    fn order(&self, clause: &[&Token]) -> Option<usize> {
        let list = self.pack.list("N7");
        let start = clause
            .iter()
            .position(|token| {
                !matches!(token.what, What::Sign(',' | '—' | '–' | ':'))
                    && !matches!(token.word(), "and" | "then" | "so" | "now" | "just")
            })
            .unwrap_or(0);
        let length = list.at(clause, start);
        let label = length.is_some_and(|length| {
            clause
                .get(start + length)
                .is_some_and(|next| matches!(next.what, What::Sign(':')))
        });
        // "run 12 passed", "check results: …"
        let noun = length.is_some_and(|length| {
            let next = clause.get(start + length).map_or("", |token| token.word());
            matches!(
                next,
                "results"
                    | "result"
                    | "passed"
                    | "passes"
                    | "succeeded"
                    | "is"
                    | "was"
                    | "output"
                    | "completed"
                    | "status"
            )
        });
        let length = length.filter(|_| !label && !noun)?;
        // "please note", "you should know"
        let asides = self.pack.list("asides");
        let is_aside = (start..start + length).any(|at| asides.at(clause, at).is_some());
        (!is_aside).then_some(start)
    }

    /// "to pass", "to all pass".
    fn is_infinitive(&self, clause: &[&Token], at: usize) -> bool {
        let mut place = at;
        while let Some(before) = place.checked_sub(1) {
            let word = clause.get(before).map_or("", |token| token.word());
            if word == "to" {
                return true;
            }
            if !(self.pack.list("adv").has(word) || word == "be") {
                return false;
            }
            place = before;
        }
        false
    }

    /// A condition that opens the sentence.
    fn is_fronted(&self) -> bool {
        let find = || {
            self.clauses.first().is_some_and(|first| {
                let start = first
                    .iter()
                    .position(|token| token.what == What::Word)
                    .unwrap_or(0);
                self.pack.list("N5").at(first, start).is_some()
                    && self.pack.list("N5_unless").at(first, start).is_none()
                    && self.pack.list("asides").at(first, start).is_none()
            })
        };
        *self.fronted.get_or_init(find)
    }

    /// "the tests pass once you …", "the tests pass, if you …".
    fn depends_behind(&self, number: usize, clause: &[&Token], end: usize) -> bool {
        let is_passed_over =
            |token: &&Token| self.pack.list("adv").has(token.word()) || token.is_sign(',');
        let is_condition = |clause: &[&Token], from: usize| {
            let rest = clause.get(from..).unwrap_or_default();
            let at = from
                + rest
                    .iter()
                    .take_while(|token| is_passed_over(token))
                    .count();
            let before = at.checked_sub(1).and_then(|before| clause.get(before));
            let word = clause.get(at).map_or("", |token| token.word());
            // "even if you run them twice", "whether you like it or not"
            let concedes =
                before.is_some_and(|before| before.word() == "even") || word == "whether";
            self.pack.list("N5").at(clause, at).is_some()
                && self.pack.list("N5_unless").at(clause, at).is_none()
                && !concedes
        };
        let next = self.clauses.get(number + 1);
        is_condition(clause, end)
            || self.ends_at(clause, end) && next.is_some_and(|next| is_condition(next, 0))
    }

    /// Whether nothing but signs and words such as "now" follows.
    fn ends_at(&self, clause: &[&Token], end: usize) -> bool {
        let mut rest = clause.iter().skip(end);
        rest.all(|token| token.word().is_empty() || self.pack.list("adv").has(token.word()))
    }

    /// "all tests pass, I think."
    fn is_hedged_behind(&self, number: usize) -> bool {
        let words = self.clauses.get(number + 1).map(|next| {
            let words = next.iter().filter(|token| token.what == What::Word);
            let words = words.take(self.pack.longest + 2);
            words.copied().collect::<Vec<&Token>>()
        });
        words.is_some_and(|words| {
            let length = self.pack.list("N2").at(&words, 0);
            length.is_some_and(|length| words.len() <= length + 1)
        })
    }

    /// "the tests pass according to the README"
    fn names_other(&self, clause: &[&Token], at: usize) -> bool {
        let length = self.pack.list("N8_behind").at(clause, at);
        length.is_some_and(|length| {
            let next = at + length;
            let mut runs = self.pack.runs.iter();
            !runs.any(|run| run.subject.at(clause, next).is_some())
                && clause
                    .get(next)
                    .is_some_and(|token| token.what != What::Code)
        })
    }

    /// "according to pytest"
    fn names_tool(&self, clause: &[&Token], at: usize) -> bool {
        let length = self.pack.list("N8_behind").at(clause, at);
        length.is_some_and(|length| {
            let mut runs = self.pack.runs.iter();
            let next = clause.get(at + length);
            next.is_some_and(|next| next.what == What::Code)
                || runs.any(|run| {
                    run.kind != ClaimKind::ChecksPass // CI is another one
                        && run.subject.at(clause, at + length).is_some()
                })
        })
    }

    /// Whether a tool is what says so.
    fn is_behind_tool(&self, clause: &[&Token], at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| {
            self.pack
                .runs
                .iter()
                .any(|run| run.subject.at(clause, before).is_some())
                || clause.get(before).is_some_and(|token| {
                    token.what == What::Code
                        || matches!(token.word(), "output" | "run" | "rerun" | "re-run")
                })
        })
    }

    /// "was created in 2019", "were added in v1.2": no deed of this session.
    fn is_dated(&self, clause: &[&Token], view: &View, found: &Found) -> bool {
        let before = found.predicate.start.checked_sub(1);
        let before = before.and_then(|before| clause.get(before));
        let passive = before.is_some_and(|token| self.pack.list("passives").has(token.word()));
        let last = view.dates.last();
        passive && last.is_some_and(|last| *last >= found.predicate.end)
    }

    /// "`x` is created at startup": what a program does, not what was done.
    fn is_habit(&self, clause: &[&Token], found: &Found) -> bool {
        let word = |at: usize| clause.get(at).map_or("", |token| token.word());
        let before = found.predicate.start.checked_sub(1).map_or("", word);
        found.kind.is_of_the_world()
            && matches!(before, "is" | "are" | "gets" | "get")
            && self.pack.list("habits").has(word(found.predicate.end))
    }

    /// "passing tests are required", "the deployed version".
    fn is_attributive(&self, clause: &[&Token], found: &Found) -> bool {
        let Found {
            kind, predicate, ..
        } = found;
        if kind.is_run() && !matches!(kind, ClaimKind::Deployed) {
            return false;
        }
        let before = predicate.start.checked_sub(1).and_then(|at| clause.get(at));
        let article = before.is_some_and(|token| self.pack.list("N11_before").has(token.word()));
        article
            && clause
                .get(predicate.end)
                .is_some_and(|next| next.what == What::Word)
    }

    /// The sentence itself says that the same thing failed.
    fn contradicts_itself(&self, number: usize, view: &View, found: &Found) -> bool {
        let own = self.failures.get(number);
        if own.is_some_and(|kinds| kinds.contains(&found.kind)) {
            return true;
        }
        let is_later = |clause: Option<usize>| clause.is_some_and(|clause| clause > number);
        let is_of_tests = matches!(found.kind, ClaimKind::TestsPass | ClaimKind::ChecksPass);
        if is_later(self.denial()) || is_of_tests && is_later(self.exception()) {
            return true;
        }
        let rest_fails = found.kind.is_run()
            && (self.others_fail(number, found)
                || self.rest_fails(number, found.predicate.end)
                || found.scope != Scope::All && self.next_fails());
        if rest_fails || is_of_tests && self.is_limited_by_others(number) {
            return true;
        }
        let first = self.first_failure.get(&found.kind);
        first.is_some_and(|first| *first > number || !view.is_present)
    }
}

/// Whether a title announces what is not done yet.
pub(super) fn is_plan(pack: &Pack, title: &str) -> bool {
    let list = pack.list("N10");
    if pack.by == By::Substring {
        return list.all().any(|word| title.contains(word));
    }
    let words: Vec<&str> = title.split(' ').collect();
    let is_in_title = |phrase: &str| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        words.windows(parts.len()).any(|window| window == parts)
    };
    list.all().any(is_in_title) || pack.list("N10_label").all().any(|phrase| phrase == title)
}

/// A mark of what has not come to an end.
fn is_pending(token: &Token) -> bool {
    matches!(
        token.what,
        What::Sign('⏳' | '⌛' | '🚧' | '🔜' | '⬜' | '🔲' | '🔄')
    )
}

/// Each kind of which a piece of a clause says that something failed.
fn failures(pieces: &[Frames]) -> Vec<ClaimKind> {
    let mut kinds: Vec<ClaimKind> = pieces.iter().flat_map(Frames::failures).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn is_set(all: &[bool], at: usize) -> bool {
    all.get(at).is_some_and(|is_set| *is_set)
}

fn is_before(place: Option<usize>, at: usize) -> bool {
    place.is_some_and(|place| place < at)
}

/// "in 2019", "since v1.2".
fn is_date(clause: &[&Token], at: usize) -> bool {
    let word = |at: usize| clause.get(at).map_or("", |token| token.word());
    let is_year = match clause.get(at + 1).map(|token| token.what) {
        Some(What::Number(number)) => (1970..2100).contains(&number),
        _ => false,
    };
    let next = word(at + 1);
    let is_version = next == "version"
        || next
            .strip_prefix('v')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    matches!(word(at), "in" | "since" | "until") && (is_year || is_version)
}
