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
const NOTES_MAX: usize = 16;
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
    pub entry: Entry,
}

/// What is recorded about one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
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

impl Entry {
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
            cut(&mut unit.id);
            cut(&mut unit.claim);
            for reason in &mut unit.reasons {
                cut(&mut reason.code);
                cut(&mut reason.message);
            }
        }
        for items in [&mut self.inputs, &mut self.outputs] {
            items.truncate(ITEMS_MAX);
            for item in items {
                cut(&mut item.name);
            }
        }
        while self.notes.len() > NOTES_MAX {
            self.notes.pop_last();
        }
        for note in self.notes.values_mut() {
            cut(note);
        }
        for text in [
            &mut self.at,
            &mut self.command,
            &mut self.tool,
            &mut self.subject,
            &mut self.summary,
        ] {
            cut(text);
        }
        if self.id.is_empty() {
            let text = canonical::of(&self).unwrap_or_default();
            self.id = Digest::of(text).hex().chars().take(32).collect();
        }
        self
    }

    /// Whether an entry found on disk is one that this program writes.
    pub(crate) fn is_sound(&self) -> bool {
        let is_hash = |item: &Item| Digest::from_hex(&item.sha256).is_some();
        let names = self.notes.keys();
        is_id(&self.id)
            && is_time(&self.at)
            && self.inputs.iter().chain(&self.outputs).all(is_hash)
            && names.map(String::len).all(|length| length <= CHARS_MAX)
            && self.clone().fitted() == *self
    }
}

impl Record {
    pub(crate) fn new(seq: u64, previous: String, entry: Entry, spooled: bool) -> Self {
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

/// The shape of a time by RFC 3339 in UTC, which also sorts as text.
fn is_time(text: &str) -> bool {
    let shape = text.bytes().map(|byte| match byte {
        b'0'..=b'9' => b'0',
        other => other,
    });
    shape.eq(b"0000-00-00T00:00:00Z".iter().copied())
}

fn cut(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(CHARS_MAX) {
        let mut kept = text.chars().take(CHARS_MAX - 1).collect::<String>();
        debug_assert!(kept.len() <= at);
        kept.push('…');
        *text = kept;
    }
}
