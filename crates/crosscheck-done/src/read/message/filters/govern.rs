//! Whether a word governs a statement: a negation, hedge, plan, order or time
//! counts where it speaks of the statement, and not wherever it is.

use super::super::found::Found;
use super::super::pack::Pack;
use super::super::tokens::{Token, What};
use super::{Filters, View, is_before};
use crate::kind::{ClaimKind, Scope};

/// So far from a statement a word is taken to govern it.
const FAR: usize = 64;
/// At most this many words are in a sentence that only says how the one before came out.
const SHORT: usize = 6;

/// A statement in its clause.
pub(super) struct Case<'c> {
    pub(super) clause: &'c [&'c Token],
    pub(super) view: &'c View,
    pub(super) found: &'c Found,
    pub(super) number: usize,
}

/// How a clause is set apart from the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seam {
    /// By a word.
    Word,
    Comma,
    /// By a semicolon or a dash.
    Wide,
    /// It is in brackets.
    Brackets,
}

impl Case<'_> {
    fn word(&self, at: usize) -> &str {
        self.clause.get(at).map_or("", |token| token.word())
    }

    fn is_sign(&self, at: usize, signs: &[char]) -> bool {
        let what = self.clause.get(at).map(|token| token.what);
        matches!(what, Some(What::Sign(sign)) if signs.contains(&sign))
    }
}

impl Filters<'_> {
    /// Whether an aside is meant: "so that I can confirm …", "once I can …".
    pub(super) fn is_in_earnest(&self, clause: &[&Token], at: usize) -> bool {
        let unless = self.pack.list("asides_unless");
        (at.saturating_sub(2)..at).any(|place| {
            let word = clause.get(place).map_or("", |token| token.word());
            let before = place.checked_sub(1).and_then(|before| clause.get(before));
            let is_result =
                word == "so" && before.is_none_or(|before| matches!(before.what, What::Sign(_)));
            unless.has(word) && !is_result
        })
    }

    /// Whether one of these words before the statement governs it.
    fn governs(&self, case: &Case<'_>, places: &[usize], end: usize) -> bool {
        let own = |place: usize| case.found.negative && case.found.quote.has(place);
        let mut before = before(places, end).iter().rev().copied();
        before.any(|place| !own(place) && !self.is_apart(case, place))
    }

    /// Whether a word and the statement behind it are two thoughts: "no
    /// worries, all tests pass", "merge it because all tests pass".
    fn is_apart(&self, case: &Case<'_>, place: usize) -> bool {
        let start = case.found.quote.start;
        if place >= start || start - place > FAR {
            return false;
        }
        if self.has_reason(case, place) {
            return true;
        }
        let mut sign = start;
        while sign > place + 1 && self.pack.list("adv").has(case.word(sign - 1)) {
            sign -= 1;
        }
        sign > place + 1
            && case.is_sign(sign - 1, &[',', '，'])
            && !matches!(case.word(start), "and" | "or" | "nor")
            && self.is_finite(case)
            && !self.is_list(case, place, sign - 1)
    }

    /// "… because all tests pass"
    fn has_reason(&self, case: &Case<'_>, place: usize) -> bool {
        let list = self.pack.list("because");
        let start = case.found.quote.start;
        let mut places = place + 2..start;
        start.saturating_sub(place) <= FAR && places.any(|at| list.at(case.clause, at).is_some())
    }

    /// Whether the words between a word and a comma belong to what follows:
    /// a check, or a part of its name as in "no unit, integration or e2e test".
    fn is_list(&self, case: &Case<'_>, place: usize, comma: usize) -> bool {
        let named = |at: usize| {
            let mut runs = self.pack.runs.iter();
            runs.any(|run| run.subject.at(case.clause, at).is_some())
        };
        let modifiers = self.pack.list("plain_modifiers");
        let mut words = place + 1..comma;
        (place..comma).any(named)
            || !words.is_empty() && words.all(|at| modifiers.has(case.word(at)))
    }

    /// Whether the statement has a verb: "tests passing" alone has none.
    fn is_finite(&self, case: &Case<'_>) -> bool {
        let found = case.found;
        let is_bare = self.pack.list("bare").has(case.word(found.predicate.start));
        let copulas = self.pack.list("copulas");
        let mut words = found.quote.start..found.predicate.start;
        !case.word(found.predicate.start).is_empty()
            && (!is_bare || words.any(|at| copulas.at(case.clause, at).is_some()))
    }

    pub(super) fn is_negated(&self, case: &Case<'_>) -> bool {
        let Case { view, found, .. } = case;
        let end = if found.negative {
            found.quote.start
        } else {
            found.predicate.start
        };
        let behind = found.predicate.end;
        self.governs(case, &view.negations, end)
            || matches!(case.word(behind), "nothing" | "none")
            || self.is_denied_value(case)
            || self.is_denied_before(case.number)
    }

    /// "No unit, integration or e2e test passes."
    fn is_denied_before(&self, number: usize) -> bool {
        let before = number
            .checked_sub(1)
            .and_then(|before| self.clauses.get(before));
        let Some([first, rest @ ..]) = before.map(Vec::as_slice) else {
            return false;
        };
        let modifiers = self.pack.list("plain_modifiers");
        self.seam(number) == Seam::Comma
            && self.pack.list("N1").has(first.word())
            && (1..=FAR).contains(&rest.len())
            && rest.iter().all(|token| modifiers.has(token.word()))
    }

    /// "tests pass: no"
    fn is_denied_value(&self, case: &Case<'_>) -> bool {
        let at = case.found.predicate.end;
        if !case.is_sign(at, &[':', '=', '|', '→', '-', '–', '—']) {
            return false;
        }
        let Some(value) = case.clause.get(at + 1) else {
            return self.is_denied_by_next(case);
        };
        let ends = case
            .clause
            .get(at + 2)
            .is_none_or(|next| matches!(next.what, What::Sign(_)));
        let list = self.pack.list("N1_value");
        value.what == What::Bad || ends && list.at(case.clause, at + 1).is_some()
    }

    /// A mark begins a clause of its own.
    fn is_denied_by_next(&self, case: &Case<'_>) -> bool {
        let next = self.clauses.get(case.number + 1);
        let first = next.and_then(|next| next.first());
        first.is_some_and(|first| first.what == What::Bad)
    }

    pub(super) fn is_hedged(&self, case: &Case<'_>) -> bool {
        let found = case.found;
        let modal = self.pack.list("N2_modal");
        let is_own = |place: usize| found.negative && found.quote.has(place);
        let near = before(&case.view.hedges, found.predicate.end + FAR);
        let mut hedges = near.iter().rev().filter(|place| !is_own(**place));
        hedges.any(|place| {
            let place = *place;
            let is_modal = modal.at(case.clause, place).is_some();
            if place < found.predicate.end {
                let is_open = is_modal || self.is_own_thought(case, place);
                let is_apart =
                    is_open && (self.is_apart(case, place) || self.is_led_in(case, place));
                !is_apart
            } else if is_modal {
                Self::is_weakened(case, place)
            } else {
                !self.has_joint(case, place)
            }
        }) || self.is_hedged_behind(case.number)
    }

    /// "I think we are done, all tests pass": the guess has words of its own.
    fn is_own_thought(&self, case: &Case<'_>, place: usize) -> bool {
        let length = self.pack.list("N2").at(case.clause, place).unwrap_or(1);
        let words = place + length..place + length + 2;
        case.word(place) == "i" && words.into_iter().all(|at| !case.word(at).is_empty())
    }

    /// "this should be safe: all tests pass", and not "you should see: …".
    fn is_led_in(&self, case: &Case<'_>, place: usize) -> bool {
        let start = case.found.quote.start;
        let Some(colon) = start.checked_sub(1).filter(|at| case.is_sign(*at, &[':'])) else {
            return false;
        };
        let (expects, look) = (self.pack.list("expects"), self.pack.list("N7_look"));
        let mut words = place..colon;
        words.len() > 2
            && words.len() <= FAR
            && case.word(0) != "what"
            && !expects.has(case.word(colon - 1))
            && !words.any(|at| look.at(case.clause, at).is_some())
            && !self.is_list(case, place, colon)
            && self.is_finite(case)
    }

    /// "all tests pass should be the outcome", "all tests pass, or should".
    fn is_weakened(case: &Case<'_>, place: usize) -> bool {
        let start = case.found.predicate.end;
        let is_between = |at: usize| {
            matches!(case.word(at), "or" | "at" | "least" | "they" | "it" | "all")
                || case.is_sign(at, &[','])
        };
        let or = |at: usize| case.word(at) == "or";
        place == start
            || place - start <= 6 && (start..place).all(is_between) && (start..place).any(or)
    }

    /// Whether another thought begins between the statement and a word behind it.
    fn has_joint(&self, case: &Case<'_>, place: usize) -> bool {
        let joints = self.pack.list("joints");
        let start = case.found.predicate.end;
        place.saturating_sub(start) > FAR || (start..place).any(|at| joints.has(case.word(at)))
    }

    pub(super) fn is_intended(&self, case: &Case<'_>) -> bool {
        let Case {
            clause,
            view,
            found,
            ..
        } = case;
        let at = found.predicate.start;
        // "all required tests"
        let is_modifier = |place: &usize| {
            found.quote.has(*place) && self.pack.list("plain_modifiers").has(case.word(*place))
        };
        let mut plans = before(&view.plans, at).iter().rev();
        plans.any(|place| !is_modifier(place) && self.governs(case, &[*place], at))
            || self.governs(case, &view.future, at)
            || self.is_infinitive(clause, at) && !self.is_reached(case)
            || self.is_wished(case)
    }

    /// "I got all tests to pass"
    fn is_reached(&self, case: &Case<'_>) -> bool {
        let reached = self.pack.list("reached");
        let start = case.found.quote.start;
        let mut places = start.saturating_sub(4)..start;
        places.any(|at| {
            let length = reached.at(case.clause, at);
            length.is_some_and(|length| at + length == start)
        })
    }

    /// "I want lint clean, tests passing": the wish comes before the list.
    fn is_wished(&self, case: &Case<'_>) -> bool {
        let wishes = |number: usize| {
            let clause = self.clauses.get(number);
            let view = self.views.get(number).zip(clause);
            let view = view.map(|(view, clause)| view.get_or_init(|| self.view(clause)));
            view.is_some_and(|view| !(view.plans.is_empty() && view.future.is_empty()))
        };
        case.number > 0
            && case.found.kind.is_run()
            && !self.is_finite(case)
            && self.seam(case.number) != Seam::Brackets
            && !self.is_wide_apart(case.number)
            && (wishes(0) || wishes(case.number - 1))
    }

    pub(super) fn depends(&self, case: &Case<'_>) -> bool {
        let conditions = before(&case.view.conditions, case.found.predicate.start);
        let mut conditions = conditions.iter().rev();
        conditions.any(|place| !self.has_reason(case, *place))
            || case.number > 0 && self.is_fronted() && !self.is_wide_apart(case.number)
            || self.depends_behind(case.number, case.clause, case.found.predicate.end)
    }

    /// How each clause is set apart from the one before.
    fn seams(&self) -> &[Seam] {
        self.seams.get_or_init(|| {
            let mut all = Vec::new();
            let mut last = 0;
            for clause in self.clauses {
                let start = clause.first().map_or(0, |first| first.span.start);
                let at = self.all.partition_point(|token| token.span.start < start);
                let before = at.checked_sub(1).and_then(|before| self.all.get(before));
                let opens = before.is_some_and(|before| before.is_sign('('));
                let is_inside = opens || start < last || all.last() == Some(&Seam::Brackets);
                last = start;
                let first = clause.first().map(|first| first.what);
                all.push(match first {
                    _ if is_inside => Seam::Brackets,
                    Some(What::Sign('—' | '–')) => Seam::Wide,
                    _ if before.is_some_and(|one| one.is_sign(';') || one.is_sign('；')) => {
                        Seam::Wide
                    }
                    Some(What::Sign(_)) => Seam::Comma,
                    _ => Seam::Word,
                });
            }
            all
        })
    }

    fn seam(&self, number: usize) -> Seam {
        self.seams().get(number).copied().unwrap_or(Seam::Word)
    }

    /// Whether a semicolon or a dash is between the first clause and this.
    fn is_wide_apart(&self, number: usize) -> bool {
        let find = || {
            self.seams()
                .iter()
                .skip(1)
                .position(|seam| *seam == Seam::Wide)
        };
        let first = *self.wide.get_or_init(find);
        first.is_some_and(|first| first < number)
    }

    pub(super) fn is_ordered(&self, case: &Case<'_>) -> bool {
        if let Some(order) = case.view.order {
            return !(self.is_apart(case, order) || self.is_led_in(case, order));
        }
        case.number > 0 && self.begins_with_order() && !self.is_behind_order(case.number)
    }

    /// "please merge — all tests pass": what is said behind the order.
    fn is_behind_order(&self, number: usize) -> bool {
        let (lists, looks) = *self.order_kind.get_or_init(|| {
            let first = self.clauses.first().map_or(&[][..], Vec::as_slice);
            let looks = self.order(first).is_some_and(|at| {
                let look = self.pack.list("N7_look");
                look.at(first, at).is_some()
            });
            (first.iter().any(|token| token.is_sign(':')), looks)
        });
        !lists && (self.is_wide_apart(number) || self.seam(number) == Seam::Comma && !looks)
    }

    pub(super) fn is_asked(&self, case: &Case<'_>) -> bool {
        let end = case.found.predicate.end.saturating_sub(1);
        let end = case.clause.get(end).map_or(0, |token| token.span.end);
        if self.unit.is_question {
            return self.own_question().is_none_or(|start| start < end);
        }
        self.opens_question()
            && case.number == 0
            && !is_before(case.view.sign, case.found.quote.start)
    }

    pub(super) fn opens_question(&self) -> bool {
        let first = self.unit.tokens.first();
        let first = first.filter(|first| first.what == What::Word);
        first.is_some_and(|first| self.pack.list("N6").has(first.word()))
    }

    /// Where a question begins behind a statement: "…, shall I commit?"
    fn own_question(&self) -> Option<usize> {
        *self.question.get_or_init(|| {
            let openers = self.pack.list("N6_own");
            let begins = |at: &usize| {
                let before = at.checked_sub(1).and_then(|before| self.all.get(before));
                let parts = before.is_some_and(|before| {
                    matches!(before.what, What::Sign(',' | ';' | '—' | '–' | '-' | ':'))
                        || matches!(before.word(), "and" | "so" | "but" | "then")
                });
                parts && openers.at(&self.all, *at).is_some()
            };
            let at = (0..self.all.len()).rev().find(begins)?;
            let rest = self.all.get(at..).unwrap_or_default();
            let words: Vec<&str> = rest.iter().map(|token| token.word()).collect();
            let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
            let last = words.last().copied().unwrap_or_default();
            let is_tag = words.len() <= 3 && self.pack.list("N6_tag").has(last);
            self.all
                .get(at)
                .filter(|_| !is_tag)
                .map(|first| first.span.start)
        })
    }

    /// History and habits, where they are the time of the statement.
    pub(super) fn is_over(&self, case: &Case<'_>) -> bool {
        let Case { view, found, .. } = case;
        if view.is_present {
            return false;
        }
        let is_now = self.is_now(case);
        // "as before, all tests pass"
        let is_passed = |place: usize| {
            let ends = case.is_sign(place + 1, &[',', ':']);
            is_now && self.is_apart(case, place) && (ends || case.word(place) != "before")
        };
        let is_own = |place: usize| found.negative && found.quote.has(place);
        // "I have already pushed it" tells of what is so
        let is_perfect = |place: usize| {
            let before = place.checked_sub(1).map_or("", |before| case.word(before));
            case.word(place) == "already" && self.pack.list("perfects").has(before)
        };
        let mut past = before(&view.past, found.predicate.start).iter().rev();
        if past.any(|place| !is_own(*place) && !is_passed(*place) && !is_perfect(*place)) {
            return true;
        }
        if self.pack.list("present").all().next().is_none() {
            return self.is_past();
        }
        let speaks = |places: &[usize], list: &str| {
            let mut near = before(places, found.predicate.end + FAR).iter().rev();
            near.any(|place| {
                // "all tests pass, always a nice feeling"
                let length = self.pack.list(list).at(case.clause, *place).unwrap_or(1);
                let comments = *place > found.predicate.end
                    && case.is_sign(place - 1, &[','])
                    && !case.word(place + length).is_empty();
                *place < found.predicate.end || !(comments || self.has_joint(case, *place))
            })
        };
        if speaks(&view.habits, "N9_habit") {
            return true;
        }
        !is_now && (speaks(&view.times, "N9") || self.is_about_the_past(case.number))
    }

    /// Whether the verb tells of now.
    fn is_now(&self, case: &Case<'_>) -> bool {
        let found = case.found;
        let mut words = found.quote.start..found.predicate.start;
        let present = self.pack.list("present");
        present.at(case.clause, found.predicate.start).is_some()
            && !words.any(|at| self.pack.list("pasts").has(case.word(at)))
    }

    /// "Previously, I ran them and all passed", "…, but that was last week".
    fn is_about_the_past(&self, number: usize) -> bool {
        if !self.is_past() || self.seam(number) == Seam::Brackets {
            return false;
        }
        let (first, last) = *self.past_words.get_or_init(|| {
            let times = self.pack.list("N9");
            let tells = |other: usize, clause: &[&Token]| {
                self.seam(other) != Seam::Brackets && times.any(clause)
            };
            let mut clauses = self.clauses.iter().enumerate();
            let first = clauses.find(|(other, clause)| tells(*other, clause));
            let mut clauses = self.clauses.iter().enumerate().rev();
            let last =
                clauses.find(|(other, clause)| self.speaks_back(clause) && tells(*other, clause));
            (first.map(|(other, _)| other), last.map(|(other, _)| other))
        });
        first.is_some_and(|first| first < number) || last.is_some_and(|last| last > number)
    }

    /// "… but that was last week"
    fn speaks_back(&self, clause: &[&Token]) -> bool {
        let breaks = self.pack.list("clause_breaks");
        let mut words = clause.iter().map(|token| token.word());
        let first = words.find(|word| !word.is_empty() && !breaks.has(word));
        first.is_some_and(|word| matches!(word, "that" | "it" | "this" | "which" | "they"))
    }

    /// "all tests pass is what the README says"
    pub(super) fn is_spoken_of(&self, case: &Case<'_>) -> bool {
        let at = case.found.predicate.end;
        let spoken = self.pack.list("N11_spoken").at(case.clause, at);
        let unless = self.pack.list("N11_spoken_unless");
        case.found.kind.is_run()
            && !case.found.negative
            && spoken.is_some_and(|length| unless.at(case.clause, at + length).is_none())
    }

    /// The last clause that names a test that fails: "… but `test_x` fails".
    pub(super) fn exception(&self) -> Option<usize> {
        *self.exception.get_or_init(|| {
            let breaks = self.pack.list("clause_breaks");
            let excepts = |clause: &Vec<&Token>| {
                let mut words = clause.iter().filter(|token| !token.is_sign(','));
                let breaks = words.next().is_some_and(|first| breaks.has(first.word()));
                breaks
                    && clause.windows(2).any(|pair| match pair {
                        [name, failure] => {
                            matches!(name.what, What::Id | What::Code | What::Path)
                                && name.text.contains("test")
                                && self.is_bad(failure.word())
                        }
                        _ => false,
                    })
            };
            self.clauses.iter().rposition(excepts)
        })
    }

    /// Whether it is said behind a place that the rest fails: "the other still
    /// fails", "one fails", "the second does not".
    pub(super) fn rest_fails(&self, number: usize, from: usize) -> bool {
        let last = *self.last_rest.get_or_init(|| {
            let mut clauses = self.clauses.iter().enumerate().rev();
            clauses.find_map(|(at, clause)| Some((at, self.last_rest_in(clause)?)))
        });
        last.is_some_and(|last| last >= (number, from))
    }

    /// The same in the sentence behind: "One test passes. The other fails."
    pub(super) fn next_fails(&self) -> bool {
        let tokens = self.next.map(|next| next.tokens.iter().collect::<Vec<_>>());
        tokens.is_some_and(|tokens| self.is_rest_that_fails(&tokens))
    }

    /// "Requirement: all tests pass. Status: met."
    pub(super) fn is_affirmed(&self) -> bool {
        let met = self.pack.list("met");
        let affirms = |tokens: &[&Token]| met.any(tokens) && !self.pack.list("N1").any(tokens);
        let next = self.next.map(|next| next.tokens.iter().collect::<Vec<_>>());
        let next = next.filter(|next| next.len() <= SHORT);
        let is_ticked = self.all.iter().any(|token| token.what == What::Good);
        is_ticked || affirms(&self.all) || next.is_some_and(|next| affirms(&next))
    }

    fn last_rest_in(&self, clause: &[&Token]) -> Option<usize> {
        (0..clause.len()).rfind(|place| {
            let before = place.checked_sub(1).and_then(|before| clause.get(before));
            let begins = before.is_none_or(|before| {
                matches!(before.what, What::Sign(',' | ';' | '–' | '—')) || is_joint(before.word())
            });
            let rest = clause.get(*place..).unwrap_or_default();
            begins && self.is_rest_that_fails(rest)
        })
    }

    fn is_rest_that_fails(&self, tokens: &[&Token]) -> bool {
        let is_count = |token: &&&Token| matches!(token.what, What::Number(count) if count > 0);
        let words = tokens.iter().map(|token| token.word());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(8).collect();
        let named = self.pack.list("rest").at(tokens, 0);
        let said = match (named, tokens.first().filter(is_count)) {
            (Some(length), _) => words.get(length..),
            (None, Some(_)) => Some(words.as_slice()),
            (None, None) => behind_rest(self.pack, &words),
        };
        let Some(said) = said else {
            return false;
        };
        let adverbs = self.pack.list("adv");
        let is_adverb = |word: &str| adverbs.has(word) || matches!(word, "still" | "currently");
        let mut said = said.iter().copied().filter(|word| !is_adverb(word));
        match (said.next(), said.next()) {
            (Some("don't" | "doesn't" | "didn't"), None) => true,
            (Some("not" | "nicht" | "no" | "non" | "não"), None) => true,
            (Some("do" | "does" | "did"), Some("not")) => said.next().is_none(),
            (Some("is" | "are"), Some(word)) | (Some(word), _) => self.is_bad(word),
            (None, _) => false,
        }
    }

    /// "the fee tests pass; the rounding test doesn't": what is said of a part
    /// leaves the rest to a later clause or to the next sentence.
    pub(super) fn others_fail(&self, number: usize, found: &Found) -> bool {
        if found.kind != ClaimKind::TestsPass || found.scope == Scope::All {
            return false;
        }
        let is_part = matches!(
            found.scope,
            Scope::Name(_) | Scope::Path(_) | Scope::Count(_)
        );
        let fails = |tokens: &[&Token]| self.is_other_that_fails(tokens, is_part);
        let mut later = self.clauses.iter().skip(number + 1).take(SHORT);
        let own = self.clauses.get(number).map_or(&[][..], Vec::as_slice);
        let behind = own.get(found.predicate.end..).unwrap_or_default();
        let next = self.next.filter(|next| !next.is_question);
        let next = next.map(|next| next.tokens.iter().take(FAR).collect::<Vec<_>>());
        let begins = behind
            .first()
            .is_some_and(|first| matches!(first.what, What::Sign(_)) || is_joint(first.word()));
        begins && fails(behind)
            || later.any(|clause| fails(clause))
            || next.is_some_and(|next| fails(&next))
            || self.is_not_for(number, behind)
    }

    /// "the suite passes for fees, not for totals"
    fn is_not_for(&self, number: usize, behind: &[&Token]) -> bool {
        let narrows = self.pack.list("narrows");
        let later = self.clauses.iter().skip(number + 1).flatten();
        let words = behind.iter().chain(later).map(|token| token.word());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(16).collect();
        let is_not = |pair: &[&str]| matches!(pair, [not, place, what] if self.pack.list("N1").has(not) && narrows.has(place) && *what != "the");
        words.first().is_some_and(|first| narrows.has(first)) && words.windows(3).any(is_not)
    }

    /// Whether these words say that something fails, or does not; of a test,
    /// unless a part was spoken of.
    fn is_other_that_fails(&self, tokens: &[&Token], is_part: bool) -> bool {
        let words = tokens.iter().map(|token| token.word());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(16).collect();
        let runs = || self.pack.runs.iter();
        let of = |word: &str, tests: bool| {
            let mut runs = runs().filter(|run| (run.kind == ClaimKind::TestsPass) == tests);
            runs.any(|run| run.subject.has(word))
        };
        let is_test =
            |word: &&str| of(word, true) || matches!(*word, "one" | "ones" | "those" | "rest");
        let is_of_tests = words.iter().any(is_test);
        let is_other = !is_of_tests && words.iter().any(|word| of(word, false));
        if is_other || !(is_part || is_of_tests) {
            return false;
        }
        let is_late = |word: &&&str| matches!(**word, "yet" | "still" | "now" | "though");
        let last = words.iter().rev().find(|word| !is_late(word));
        let denies = words.len() > 1
            && last.is_some_and(|last| {
                matches!(
                    *last,
                    "doesn't"
                        | "don't"
                        | "isn't"
                        | "aren't"
                        | "not"
                        | "nope"
                        | "nicht"
                        | "no"
                        | "non"
                        | "pas"
                        | "não"
                )
            });
        let is_denial = |word: &&str| {
            self.pack.list("N1").has(word)
                || self.pack.list("now").has(word)
                || self.pack.list("problems.nothing").has(word)
                || self.pack.list("over").has(word)
                || matches!(
                    *word,
                    "including"
                        | "even"
                        | "used"
                        | "was"
                        | "were"
                        | "had"
                        | "0"
                        | "zero"
                        | "longer"
                        | "fixed"
                        | "previously"
                )
        };
        let passes = |word: &&str| {
            runs().any(|run| run.kind == ClaimKind::TestsPass && run.predicate.has(word))
        };
        let fails = words
            .iter()
            .position(|word| self.is_bad(word))
            .is_some_and(|at| {
                !words.iter().any(is_denial) && !words.iter().skip(at + 1).any(passes)
            });
        denies || fails
    }

    /// "(two fail)", "; two fail", "two fail; otherwise …": some of them do
    /// not.
    pub(super) fn is_limited_by_others(&self, number: usize) -> bool {
        let find = || {
            let mut clauses = self.clauses.iter();
            clauses.rposition(|clause| self.is_some_fail(clause))
        };
        let last = *self.some_fail.get_or_init(find);
        let clause = |number: Option<usize>| number.and_then(|at| self.clauses.get(at));
        let first = clause(Some(number)).and_then(|own| own.first());
        let otherwise = first.is_some_and(|first| first.word() == "otherwise");
        let before = clause(number.checked_sub(1).filter(|_| otherwise));
        last.is_some_and(|last| last > number)
            || before.is_some_and(|before| self.is_some_fail(before))
    }

    /// "two fail", "but 2 of them still fail".
    fn is_some_fail(&self, clause: &[&Token]) -> bool {
        let breaks = self.pack.list("clause_breaks");
        let mut words = clause.iter().filter(|token| match token.what {
            What::Sign(_) => false,
            _ => !breaks.has(token.word()) && !matches!(token.word(), "and" | "here"),
        });
        let some = words.next().is_some_and(|first| match first.what {
            What::Number(number) => number > 0,
            _ => self.pack.list("numbers").has(first.word()),
        });
        let between = [
            "of",
            "them",
            "tests",
            "test",
            "still",
            "do",
            "are",
            "is",
            "currently",
        ];
        let mut rest = words.skip_while(|token| between.contains(&token.word()));
        let fails = rest.next().is_some_and(|token| {
            matches!(
                token.word(),
                "fail" | "fails" | "failing" | "failed" | "not" | "don't"
            )
        });
        some && fails && rest.next().is_none()
    }

    /// The last clause that takes everything before it back: "they do not".
    pub(super) fn denial(&self) -> Option<usize> {
        *self.denial.get_or_init(|| {
            let denies = |clause: &Vec<&Token>| {
                let words = clause.iter().map(|token| token.word());
                let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(6).collect();
                let words = match words.as_slice() {
                    ["but" | "and" | "yet" | "however", rest @ ..] => rest,
                    words => words,
                };
                matches!(
                    words,
                    ["they" | "it", "do" | "does" | "did", "not"]
                        | ["they" | "it", "don't" | "doesn't" | "didn't"]
                        | ["they" | "it", "do" | "does" | "did", "not", "yet"]
                )
            };
            self.clauses.iter().rposition(denies)
        })
    }
}

fn is_joint(word: &str) -> bool {
    matches!(
        word,
        "but" | "and" | "yet" | "while" | "whereas" | "however"
    )
}

/// What is said of "the other", "one", "two", "the second one".
fn behind_rest<'w, 's>(pack: &Pack, words: &'w [&'s str]) -> Option<&'w [&'s str]> {
    let is_count = |word: &str| pack.list("numbers").has(word);
    match words {
        [
            "the",
            "other" | "others" | "rest" | "second" | "third" | "last" | "first",
            "one" | "ones" | "two" | "three",
            said @ ..,
        ]
        | [
            "the",
            "other" | "others" | "rest" | "second" | "third" | "last" | "first",
            said @ ..,
        ]
        | ["another" | "others" | "some", said @ ..] => Some(said),
        [count, said @ ..] if is_count(count) => Some(said),
        _ => None,
    }
}

/// The places before an end; they are in order.
fn before(places: &[usize], end: usize) -> &[usize] {
    let count = places.partition_point(|place| *place < end);
    places.get(..count).unwrap_or_default()
}
