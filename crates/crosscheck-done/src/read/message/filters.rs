//! What is no claim, although it has the words of one: negations, hedges,
//! plans, conditions, questions, instructions, what others say, history.

use super::Commands;
use super::found::{Found, Place};
use super::pack::Pack;
use super::runs::Frames;
use super::tokens::{Token, What};
use super::units::{Clause, Unit};
use crate::kind::Kind;

/// What is known of a unit before its claims are looked at.
pub(super) struct Filters<'u> {
    pack: &'u Pack,
    unit: &'u Unit,
    clauses: &'u [Clause<'u>],
    all: Vec<&'u Token>,
    /// For each clause the kinds it says have failed.
    failures: Vec<Vec<Kind>>,
}

impl<'u> Filters<'u> {
    pub(super) fn new(
        pack: &'u Pack,
        unit: &'u Unit,
        clauses: &'u [Clause<'u>],
        commands: &dyn Commands,
    ) -> Self {
        let failures = clauses.iter().map(|clause| {
            Frames {
                pack,
                clause,
                commands,
                is_row: unit.is_row,
                counts: unit.counts(),
            }
            .failures()
        });
        Self {
            pack,
            unit,
            clauses,
            all: unit.tokens.iter().collect(),
            failures: failures.collect(),
        }
    }

    /// Whether the unit says that a check fails now.
    pub(super) fn admits_failure(&self) -> bool {
        let fails = self.failures.iter().any(|kinds| !kinds.is_empty());
        fails && !self.asks() && !self.is_planned() && !self.pack.list("N9").any(&self.all)
    }

    /// The rule by which a statement is none; `None` when it is one.
    pub(super) fn rule(&self, number: usize, found: &Found) -> Option<&'static str> {
        let clause = self.clauses.get(number).map_or(&[][..], Vec::as_slice);
        let at = found.predicate.start;
        let mut neutral = self.neutral(clause);
        if found.negative {
            neutral.push(found.quote); // "no longer appears" is no guess
        }
        let has =
            |list: &str, range: std::ops::Range<usize>| self.starts(list, clause, range, &neutral);
        let before = || 0..at;
        let whole = || 0..clause.len();
        let rules: [(&'static str, bool); 12] = [
            ("N10", self.is_planned()),
            ("N6", self.asks()),
            ("N7", self.instructs(number, clause)),
            ("N3", self.pack.list("N3").any(&self.all)),
            ("N1", self.negated(clause, found, &neutral)),
            ("N2", has("N2", whole()) || self.is_hedged_behind(number)),
            (
                "N4",
                has("N4", before())
                    || self.is_infinitive(clause, at)
                    || Self::is_future(clause, at),
            ),
            (
                "N5",
                self.depends(number, clause, at)
                    || self.depends_behind(number, clause, found.predicate.end),
            ),
            ("N8", self.is_attributed(clause, at)),
            (
                "N9",
                self.pack.list("N9").any(&self.all) && !self.is_present(clause)
                    || has("N9_clause", before()) && !self.is_present(clause)
                    || self.is_dated(clause, found)
                    || self.is_habit(clause, found),
            ),
            ("N11", self.is_attributive(clause, found)),
            ("N12", self.contradicts_itself(number, clause, found)),
        ];
        rules
            .into_iter()
            .find(|(_, holds)| *holds)
            .map(|(rule, _)| rule)
    }

    /// Whether a phrase of a list begins in a range, outside of what is neutral.
    fn starts(
        &self,
        list: &str,
        clause: &[&Token],
        range: std::ops::Range<usize>,
        neutral: &[Place],
    ) -> bool {
        let list = self.pack.list(list);
        range
            .into_iter()
            .any(|at| list.at(clause, at).is_some() && !neutral.iter().any(|place| place.has(at)))
    }

    /// "no errors", "no longer fails", "not only": negations that say
    /// something good, or nothing.
    fn neutral(&self, clause: &[&Token]) -> Vec<Place> {
        let mut all = Vec::new();
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
                    all.push(Place::new(at, end + length));
                }
            }
            if word(at) == "no" && word(at + 1) == "longer" && self.is_bad(word(at + 2)) {
                all.push(Place::new(at, at + 3));
            }
            if word(at) == "not" && matches!(word(at + 1), "only" | "just") {
                all.push(Place::new(at, at + 2));
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

    fn negated(&self, clause: &[&Token], found: &Found, neutral: &[Place]) -> bool {
        let end = if found.negative {
            found.quote.start
        } else {
            found.predicate.start
        };
        let contracted = |at: usize| {
            let word = clause.get(at).map_or("", |token| token.word());
            word.ends_with("n't")
        };
        self.starts("N1", clause, 0..end, neutral)
            || (0..end).any(contracted)
            || clause
                .get(found.predicate.end)
                .is_some_and(|next| matches!(next.word(), "nothing" | "none"))
    }

    fn is_planned(&self) -> bool {
        let list = self.pack.list("N10");
        let titled = |title: &String| {
            let words: Vec<&str> = title.split(' ').collect();
            list.all().any(|phrase| {
                let length = phrase.split(' ').count();
                words
                    .windows(length)
                    .any(|window| window.join(" ") == phrase)
            })
        };
        // "Test plan: …"
        let colon = self
            .all
            .iter()
            .position(|token| token.is_sign(':'))
            .filter(|colon| *colon <= 4);
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
        let is_label = label.is_some_and(|label| {
            let mut phrases = list.all().chain(labels.all());
            phrases.any(|phrase| {
                label
                    .strip_suffix(phrase)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
            })
        });
        is_label
            || self.unit.is_open_task
            || self.unit.above.iter().any(titled)
            || self
                .unit
                .above
                .iter()
                .any(|title| labels.all().any(|phrase| phrase == title))
            || self
                .unit
                .tokens
                .first()
                .is_some_and(|first| first.what == What::Bad)
    }

    fn asks(&self) -> bool {
        let first = self
            .unit
            .tokens
            .iter()
            .find(|token| token.what == What::Word);
        let opens = first.is_some_and(|first| self.pack.list("N6").has(first.word()));
        self.unit.is_question
            || (opens
                && self
                    .unit
                    .tokens
                    .first()
                    .is_some_and(|token| token.what == What::Word))
    }

    fn instructs(&self, number: usize, clause: &[&Token]) -> bool {
        let list = self.pack.list("N7");
        let opens = |clause: &[&Token]| {
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
            length.is_some() && !label && !noun
        };
        opens(clause) || (number > 0 && self.clauses.first().is_some_and(|first| opens(first)))
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

    /// "I'll", "we'll" and their like before the verb.
    fn is_future(clause: &[&Token], at: usize) -> bool {
        (0..at).any(|place| {
            clause
                .get(place)
                .is_some_and(|token| token.word().ends_with("'ll"))
        })
    }

    /// A condition in the clause, or one that opens the sentence.
    fn depends(&self, number: usize, clause: &[&Token], at: usize) -> bool {
        let list = self.pack.list("N5");
        let unless = self.pack.list("N5_unless");
        let governs = |clause: &[&Token], range: std::ops::Range<usize>| {
            range
                .into_iter()
                .any(|place| list.at(clause, place).is_some() && unless.at(clause, place).is_none())
        };
        let fronted = number > 0
            && self.clauses.first().is_some_and(|first| {
                let start = first
                    .iter()
                    .position(|token| token.what == What::Word)
                    .unwrap_or(0);
                governs(first, start..(start + 1).min(first.len()))
            });
        governs(clause, 0..at) || fronted
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
            self.pack.list("N5").at(clause, at).is_some()
                && self.pack.list("N5_unless").at(clause, at).is_none()
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
            words.copied().collect::<Vec<&Token>>()
        });
        words.is_some_and(|words| {
            let length = self.pack.list("N2").at(&words, 0);
            length.is_some_and(|length| words.len() <= length + 1)
        })
    }

    fn is_attributed(&self, clause: &[&Token], at: usize) -> bool {
        let list = self.pack.list("N8");
        // "the tests pass according to the README"
        let behind = (at..clause.len()).any(|place| {
            self.pack
                .list("N8_behind")
                .at(clause, place)
                .is_some_and(|length| {
                    let next = place + length;
                    let mut runs = self.pack.runs.iter();
                    !runs.any(|run| run.subject.at(clause, next).is_some())
                        && clause
                            .get(next)
                            .is_some_and(|token| token.what != What::Code)
                })
        });
        behind
            || (0..at).any(|place| {
                let tool = place.checked_sub(1).is_some_and(|before| {
                    self.pack
                        .runs
                        .iter()
                        .any(|run| run.subject.at(clause, before).is_some())
                        || clause
                            .get(before)
                            .is_some_and(|token| token.what == What::Code)
                });
                list.at(clause, place).is_some() && !tool
            })
    }

    /// "was created in 2019", "were added in v1.2": no deed of this session.
    fn is_dated(&self, clause: &[&Token], found: &Found) -> bool {
        let word = |at: usize| clause.get(at).map_or("", |token| token.word());
        let passive = found
            .predicate
            .start
            .checked_sub(1)
            .is_some_and(|before| self.pack.list("passives").has(word(before)));
        let dated = |at: usize| {
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
        };
        passive && (found.predicate.end..clause.len()).any(dated)
    }

    /// "`x` is created at startup": what a program does, not what was done.
    fn is_habit(&self, clause: &[&Token], found: &Found) -> bool {
        let word = |at: usize| clause.get(at).map_or("", |token| token.word());
        let before = found.predicate.start.checked_sub(1).map_or("", word);
        found.kind.is_of_the_world()
            && matches!(before, "is" | "are" | "gets" | "get")
            && self.pack.list("habits").has(word(found.predicate.end))
    }

    /// "now" says that the past is over.
    fn is_present(&self, clause: &[&Token]) -> bool {
        clause
            .iter()
            .any(|token| self.pack.list("now").has(token.word()))
    }

    /// "passing tests are required", "the deployed version".
    fn is_attributive(&self, clause: &[&Token], found: &Found) -> bool {
        let Found {
            kind, predicate, ..
        } = found;
        if kind.is_run() && !matches!(kind, Kind::Deployed) {
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
    fn contradicts_itself(&self, number: usize, clause: &[&Token], found: &Found) -> bool {
        let failed = |at: usize| {
            self.failures
                .get(at)
                .is_some_and(|kinds| kinds.contains(&found.kind))
        };
        if failed(number) {
            return true;
        }
        let others = (0..self.clauses.len()).filter(|other| *other != number);
        let mut others = others.filter(|other| failed(*other)).peekable();
        let earlier = others.peek().is_some_and(|other| *other < number);
        others.next().is_some() && !(earlier && self.is_present(clause))
    }
}
