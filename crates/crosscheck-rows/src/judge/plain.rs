//! Verdicts of which nothing is reported but their facts: those of most calls.
//! They are kept in a few bytes, so that they need not be made again.

use super::call::CallVerdict;
use super::seen::SeenCall;
use super::subject::{FactState, FactVerdict, RowVerdict, State};

/// The words of facts have so many numbers.
const WORDS: usize = 16;

const STATES: [FactState; 7] = [
    FactState::Agrees,
    FactState::Differs,
    FactState::NotCompared,
    FactState::AskedNotDone,
    FactState::ExtraRows,
    FactState::Superseded,
    FactState::Overtaken,
];

/// The plain verdicts of a run, in the order of its calls.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    /// Where the bytes of each call end; those of others are none.
    ends: Vec<u32>,
    /// For each row whether it is sure, then one byte for each of its facts.
    bytes: Vec<u8>,
    words: Vec<&'static str>,
}

impl Plain {
    /// Keeps the verdict about the next call, if it is plain.
    pub(crate) fn keep(&mut self, call: &SeenCall, verdict: &CallVerdict) {
        let start = self.bytes.len();
        if self.add(call, verdict).is_none() {
            self.bytes.truncate(start);
        }
        // beyond that nothing is kept any more
        self.ends
            .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    fn add(&mut self, call: &SeenCall, verdict: &CallVerdict) -> Option<()> {
        let tells = !verdict.grounds.is_empty() || !verdict.uncompared.is_empty();
        if tells || verdict.state != State::Proven {
            return None;
        }
        for (subject, row) in call.subjects.iter().zip(&verdict.rows) {
            let is_plain = row.state == State::Proven && row.grounds.is_empty();
            if !is_plain || row.facts.len() != subject.facts.len() {
                return None;
            }
            self.bytes.push(u8::from(row.is_sure));
            for fact in &row.facts {
                let state = STATES.iter().position(|state| *state == fact.state)?;
                let word = self.word(fact.word)?;
                let byte = (word << 4) | (usize::from(fact.is_firm) << 3) | state;
                self.bytes.push(u8::try_from(byte).ok()?);
            }
        }
        Some(())
    }

    fn word(&mut self, word: &'static str) -> Option<usize> {
        // the same word from another place only takes a number more
        let mut known = self.words.iter();
        let known = known.position(|known| std::ptr::eq(*known, word));
        let number = known.unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        });
        Some(number).filter(|number| *number < WORDS)
    }

    /// The verdict about a call, if it was kept.
    pub(crate) fn get(&self, at: usize, call: &SeenCall) -> Option<CallVerdict> {
        let start = at.checked_sub(1).map_or(Some(0), |before| {
            self.ends.get(before).map(|end| *end as usize)
        });
        let end = *self.ends.get(at)? as usize;
        let mut bytes = self.bytes.get(start?..end)?.iter();
        let mut rows = Vec::with_capacity(call.subjects.len());
        for subject in &call.subjects {
            let is_sure = *bytes.next()? == 1;
            let facts: Option<Vec<FactVerdict>> = subject
                .facts
                .iter()
                .map(|_| {
                    let byte = usize::from(*bytes.next()?);
                    Some(FactVerdict {
                        state: *STATES.get(byte & 7)?,
                        is_firm: byte & 8 != 0,
                        word: self.words.get(byte >> 4)?,
                    })
                })
                .collect();
            rows.push(RowVerdict {
                state: State::Proven,
                grounds: Vec::new(),
                is_sure,
                facts: facts?,
            });
        }
        let is_kept = !rows.is_empty();
        is_kept.then(|| CallVerdict {
            state: State::Proven,
            grounds: Box::default(),
            rows: rows.into(),
            uncompared: Box::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::verify::testing::{LOG, report};

    /// Writes that are there, with nothing to add.
    const DONE: &str = r#"{"tool":"update_loan","params":{"loan_id":"l-2","status":"closed"},"result":{"id":"l-2","status":"closed","fee":0}}
{"tool":"update_loan","params":{"loan_id":"l-1","fee":1.5,"status":"OPEN"},"result":{"id":"l-1","member_id":"m-1","status":"open","fee":1.50}}
{"tool":"set_stock","params":{"a":1,"b":"x","level":5},"result":{"a":1,"b":"x","level":5}}
"#;

    #[test]
    fn what_is_kept_is_what_would_be_made_again() {
        let mut kept = 0;
        for log in [LOG, DONE] {
            let report = report(log, false, false);
            for (at, call) in (0..).zip(report.known.calls.iter()) {
                let made = report.judged_again(at, &call).unwrap();
                if let Some(plain) = report.plain.get(at as usize, &call) {
                    assert_eq!(format!("{plain:?}"), format!("{made:?}"));
                    kept += 1;
                } else {
                    let is_stated = !made.grounds.is_empty() || !made.uncompared.is_empty();
                    assert!(is_stated, "{made:?}");
                }
            }
        }
        assert!(kept > 1);
    }
}
