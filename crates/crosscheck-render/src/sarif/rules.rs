//! Rules: the reasons of a report, each declared once.

use crosscheck_core::{Level, Outcome, Reason, Report, Verdict};
use serde_json::{Value, json};

use crate::story::main_reason;

// The rule of an outcome without a reason.
const REFUTED: &Reason = &Reason {
    code: "REFUTED",
    level: Level::Error,
    meaning: "the world disagrees with what was claimed",
    help: "compare what was expected with what was observed",
};
const UNDECIDED: &Reason = &Reason {
    code: "UNDECIDED",
    level: Level::Warning,
    meaning: "looking did not decide what was claimed",
    help: "make what was claimed reachable, and check again",
};
const CONFIRMED: &Reason = &Reason {
    code: "CONFIRMED",
    level: Level::Note,
    meaning: "the world agrees with what was claimed",
    help: "nothing needs to be done",
};

pub(super) struct Rules(Vec<&'static Reason>);

impl Rules {
    /// The rules of a report, in the order of first use.
    pub(super) fn of(report: &Report) -> Self {
        let mut rules = Self(Vec::new());
        for outcome in &report.outcomes {
            if outcome.reasons.is_empty() {
                rules.add(plain(outcome.verdict));
            }
            for grounds in &outcome.reasons {
                rules.add(grounds.reason);
            }
        }
        rules
    }

    /// The rule of an outcome.
    pub(super) fn id(outcome: &Outcome) -> &'static str {
        main_reason(outcome).map_or(plain(outcome.verdict).code, |grounds| grounds.reason.code)
    }

    pub(super) fn index(&self, id: &str) -> Option<usize> {
        self.0.iter().position(|rule| rule.code == id)
    }

    pub(super) fn declarations(&self) -> Vec<Value> {
        self.0
            .iter()
            .map(|reason| {
                json!({
                    "id": reason.code,
                    "shortDescription": { "text": reason.meaning },
                    "help": { "text": reason.help },
                    "defaultConfiguration": { "level": level_word(reason.level) },
                })
            })
            .collect()
    }

    fn add(&mut self, reason: &'static Reason) {
        if self.index(reason.code).is_none() {
            self.0.push(reason);
        }
    }
}

pub(super) const fn level_word(level: Level) -> &'static str {
    match level {
        Level::Note => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

const fn plain(verdict: Verdict) -> &'static Reason {
    match verdict {
        Verdict::Refuted => REFUTED,
        Verdict::Undecided => UNDECIDED,
        Verdict::Confirmed => CONFIRMED,
    }
}
