//! What is recorded about a run, within stated limits.

use std::collections::BTreeMap;

use crosscheck_core::digest::Digest;
use crosscheck_core::{Verdict, canonical};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the contract.
const SCHEMA: &str = "crosscheck.ledger.record/1";
/// The units that are kept, the worst first; the others are counted.
pub const UNITS_MAX: usize = 500;
const REASONS_MAX: usize = 3;
const ITEMS_MAX: usize = 256;
/// A run of `ci` has one for each check.
const NOTES_MAX: usize = 100;
const CHARS_MAX: usize = 300;
/// The largest record as JSON, with every character escaped.
pub(crate) const BYTES_MAX: usize = 8 << 20;
/// The same, for those who read records.
pub const RECORD_MAX: u64 = BYTES_MAX as u64;
/// What the first record carries as the hash of the one before.
pub(crate) const FIRST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// One record of the ledger, as it is hashed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// `crosscheck.ledger.record/1`.
    pub schema: String,
    /// Its number, from 1.
    pub seq: u64,
    /// SHA-256 of the record before; zeros in the first.
    pub previous: String,
    /// Whether it waited in a spool file.
    pub spooled: bool,
    /// The run.
    pub entry: LedgerEntry,
}

/// What is recorded about one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// 32 hex digits that no other entry has.
    pub id: String,
    /// When the run ended, by RFC 3339.
    pub at: String,
    /// The command, for example `done`.
    pub command: String,
    /// The program and its version.
    pub tool: String,
    /// How long the run took.
    pub duration_ms: u64,
    /// What was checked.
    pub subject: String,
    /// The verdict of the run.
    pub verdict: Verdict,
    /// One sentence for people.
    pub summary: String,
    /// What was read, by hash.
    pub inputs: Vec<Item>,
    /// What was made, by hash.
    pub outputs: Vec<Item>,
    /// Further facts, for example the decision of the gate.
    pub notes: BTreeMap<String, String>,
    /// All units by verdict, also those that are left out below.
    pub counts: Counts,
    /// The units, the worst first.
    pub units: Vec<Unit>,
    /// How many units are left out.
    pub units_left_out: u64,
}

/// A document by its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its SHA-256.
    pub sha256: String,
}

/// Units by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Checked, and true.
    pub confirmed: u64,
    /// Checked, and false.
    pub refuted: u64,
    /// Not decided.
    pub undecided: u64,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// Its name within the run.
    pub id: String,
    /// What was claimed.
    pub claim: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<Ground>,
}

/// A reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ground {
    /// Its code.
    pub code: String,
    /// The message of this case.
    pub message: String,
}

/// An id that no other entry has.
pub fn new_id() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // two entries of one process still differ by what they hold
        return String::new();
    }
    format!("{:032x}", u128::from_be_bytes(bytes))
}

impl LedgerEntry {
    /// The entry within the limits of a record, with an id.
    #[must_use]
    pub fn fitted(mut self) -> Self {
        if self.units.len() > UNITS_MAX {
            self.units
                .sort_by_key(|unit| std::cmp::Reverse(unit.verdict));
            self.units_left_out += (self.units.len() - UNITS_MAX) as u64;
            self.units.truncate(UNITS_MAX);
        }
        for unit in &mut self.units {
            unit.reasons.truncate(REASONS_MAX);
        }
        for items in [&mut self.inputs, &mut self.outputs] {
            items.truncate(ITEMS_MAX);
        }
        while self.notes.len() > NOTES_MAX {
            self.notes.pop_last();
        }
        self.each_text(cut);
        if self.id.is_empty() {
            let text = canonical::of(&self).unwrap_or_default();
            self.id = Digest::of(text).hex().chars().take(32).collect();
        }
        self
    }

    /// Without secrets, by the rules of this function, and within the limits.
    #[must_use]
    pub fn cleaned(mut self, clean: fn(&str) -> String) -> Self {
        self.each_text(|text| *text = clean(text));
        self.fitted()
    }

    /// Every text that comes from outside.
    fn each_text(&mut self, mut change: impl FnMut(&mut String)) {
        for unit in &mut self.units {
            change(&mut unit.id);
            change(&mut unit.claim);
            for reason in &mut unit.reasons {
                change(&mut reason.code);
                change(&mut reason.message);
            }
        }
        for item in self.inputs.iter_mut().chain(&mut self.outputs) {
            change(&mut item.name);
        }
        self.notes.values_mut().for_each(&mut change);
        for text in [
            &mut self.at,
            &mut self.command,
            &mut self.tool,
            &mut self.subject,
            &mut self.summary,
        ] {
            change(text);
        }
    }

    /// Whether an entry found on disk is one that this program writes.
    pub(crate) fn is_sound(&self) -> bool {
        let is_hash = |item: &Item| Digest::from_hex(&item.sha256).is_some();
        let is_name = |name: &String| {
            let mut letters = name.bytes();
            name.len() <= 40 && letters.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        };
        is_id(&self.id)
            && is_time(&self.at)
            && self.inputs.iter().chain(&self.outputs).all(is_hash)
            && self.notes.keys().all(is_name)
            && self.has_its_counts()
            && self.clone().fitted() == *self
    }

    /// Whether counts, units and verdict fit each other.
    fn has_its_counts(&self) -> bool {
        let listed = |verdict| {
            let same = self.units.iter().filter(|unit| unit.verdict == verdict);
            same.count() as u64
        };
        let all = [
            (self.counts.confirmed, listed(Verdict::Confirmed)),
            (self.counts.refuted, listed(Verdict::Refuted)),
            (self.counts.undecided, listed(Verdict::Undecided)),
        ];
        let sum = all
            .iter()
            .try_fold(0_u64, |sum, (count, _)| sum.checked_add(*count));
        let total = self.units_left_out.checked_add(self.units.len() as u64);
        let worst = Verdict::roll_up(self.units.iter().map(|unit| unit.verdict));
        sum == total
            && all.iter().all(|(count, listed)| count >= listed)
            && (self.verdict == worst || self.units.is_empty())
    }
}

impl Record {
    pub(crate) fn new(seq: u64, previous: String, entry: LedgerEntry, spooled: bool) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            seq,
            previous,
            spooled,
            entry,
        }
    }

    /// A text that was read; `None` if it is not a record in its canonical
    /// form.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let record: Self = serde_json::from_str(text).ok()?;
        (record.schema == SCHEMA && record.text() == text).then_some(record)
    }

    /// The canonical JSON that is hashed.
    pub fn text(&self) -> String {
        // plain texts and numbers always have one
        canonical::of(self).unwrap_or_default()
    }
}

/// 32 lower-case hex digits.
pub(crate) fn is_id(text: &str) -> bool {
    text.len() == 32
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A time by RFC 3339 in UTC, to the second, which also sorts as text.
fn is_time(text: &str) -> bool {
    let is_shaped =
        |(byte, shape): (u8, u8)| byte == shape || shape == b'0' && byte.is_ascii_digit();
    let shape = *b"0000-00-00T00:00:00Z";
    text.len() == shape.len()
        && text.bytes().zip(shape).all(is_shaped)
        && text.parse::<jiff::Timestamp>().is_ok()
}

fn cut(text: &mut String) {
    if text.chars().nth(CHARS_MAX).is_some() {
        *text = text.chars().take(CHARS_MAX - 1).chain(['…']).collect();
    }
}
