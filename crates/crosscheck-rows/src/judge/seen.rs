//! Calls together with what the database shows of them.

use std::sync::Arc;

use crosscheck_core::Json;
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::time::{RowId, TargetId};
use crate::compare::value::{Print, Value};
use crate::compare::{Comparison, is_just, shown};
use crate::observe::Cell;
use crate::plan::classify::Class;
use crate::plan::{Claim, ColumnId, Fact, From, KeyFrom, Looked, TableId, Tool, Why};
use crate::read::Place;
use crate::reasons::CallReason as Reason;

/// A call that is judged.
#[derive(Debug)]
pub(crate) struct SeenCall {
    /// Among all calls of the logs, from 1.
    pub(crate) index: u32,
    pub(crate) id: Option<Box<str>>,
    pub(crate) tool: Arc<Tool>,
    pub(crate) class: Class,
    pub(crate) class_from: SmolStr,
    pub(crate) is_answered: bool,
    /// Whether the answer may say that nothing was done.
    pub(crate) may_be_refused: bool,
    pub(crate) step: u32,
    pub(crate) place: Place,
    /// The arguments, in one short line.
    pub(crate) said: Box<str>,
    pub(crate) subjects: Box<[SeenSubject]>,
    /// Why there is nothing to look for.
    pub(crate) reason: Option<Box<(Reason, String)>>,
    /// Arguments and answer, where they are asked for.
    pub(crate) raw: Option<Box<(Json, Option<Json>)>>,
    /// What was said and may not be compared with anything.
    pub(crate) uncompared: Box<[(SmolStr, Value)]>,
}

impl SeenCall {
    /// About how many bytes of text it keeps.
    pub(crate) fn weight(&self) -> usize {
        let mut weight = 0;
        let mut add = |value: &Value| weight += value.length();
        for subject in &self.subjects {
            subject.conditions.iter().for_each(|(_, value)| add(value));
            for fact in &subject.facts {
                fact.asked.iter().for_each(|asked| add(&asked.0));
                fact.claim.any(|value| {
                    add(value);
                    false
                });
            }
        }
        self.uncompared.iter().for_each(|(_, value)| add(value));
        let length = |cell: &Cell| shown(cell).len();
        let facts = self.subjects.iter().flat_map(|subject| &subject.facts);
        let found = facts.map(|fact| match &fact.found {
            Found::Cell(cell) => length(cell),
            Found::Several(several) => several.0.len() + several.1.len(),
            Found::Nothing | Found::Same | Found::Count(_) | Found::Failed(_) => 0,
        });
        let rows = self.subjects.iter().flat_map(|subject| &subject.cells);
        let cells = rows.flat_map(|cells| cells.iter().map(|(_, cell)| length(cell)));
        let raw = self.raw.iter().map(|raw| {
            let answer = raw.1.as_ref().map_or(0, Json::weight);
            raw.0.weight() + answer
        });
        weight + found.sum::<usize>() + cells.sum::<usize>() + raw.sum::<usize>()
    }
}

/// A row that a call is about, as it was seen.
#[derive(Debug)]
pub(crate) struct SeenSubject {
    pub(crate) table: TableId,
    pub(crate) row: RowId,
    pub(crate) key: SmallVec<[(ColumnId, SmolStr); 1]>,
    pub(crate) key_from: KeyFrom,
    pub(crate) looked: Looked,
    pub(crate) is_sure: bool,
    /// Whether the answer shows more of the row than its key.
    pub(crate) has_image: bool,
    /// Whether the rows that it should point to are all there, though it is not.
    pub(crate) has_parents: bool,
    pub(crate) why: Why,
    pub(crate) seen: RowSeen,
    pub(crate) facts: Box<[SeenFact]>,
    /// What a look by values compares.
    pub(crate) conditions: Box<[(ColumnId, Value)]>,
    /// The whole row, where it is asked for.
    pub(crate) cells: Option<Box<[(ColumnId, Cell)]>>,
}

/// What was seen of a row.
#[derive(Debug)]
pub(crate) enum RowSeen {
    None,
    One,
    Many,
    /// A row that should be gone, as far as it is marked.
    There(Mark),
    /// This many rows hold all values; whether all candidates were read.
    Values {
        rows: u32,
        is_whole: bool,
    },
    Failed(Box<str>),
}

/// Whether a row is marked as deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Deleted,
    /// Its state may mean that.
    Perhaps,
    Not,
}

/// A fact, as it was seen.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub(crate) struct SeenFact {
    pub(crate) target: TargetId,
    pub(crate) claim: Claim,
    pub(crate) from: From,
    pub(crate) field: SmolStr,
    pub(crate) is_firm: bool,
    pub(crate) is_outcome: bool,
    pub(crate) repeats_argument: bool,
    pub(crate) asked: Option<Box<(Value, SmolStr)>>,
    /// What the log showed before, if that was something else.
    pub(crate) before: Option<Print>,
    /// Whether the log showed anything before.
    pub(crate) was_known: bool,
    pub(crate) look: Look,
    pub(crate) found: Found,
    /// What makes them equal or not comparable, in a word.
    pub(crate) word: &'static str,
}

impl SeenFact {
    pub(crate) fn new(fact: Fact, target: TargetId) -> Self {
        Self {
            target,
            claim: fact.claim,
            from: fact.from,
            field: fact.field,
            is_firm: fact.is_firm,
            is_outcome: fact.is_outcome,
            repeats_argument: fact.repeats_argument,
            asked: fact.asked,
            before: None,
            was_known: false,
            look: Look::Not,
            found: Found::Nothing,
            word: "",
        }
    }

    /// Whether the call was to write it, and its answer does not merely show it
    /// beside other things.
    pub(crate) fn is_written(&self) -> bool {
        let is_shown = matches!(self.from, From::Result | From::Contract | From::Shown);
        !is_shown || self.asked.is_some() || self.repeats_argument
    }

    pub(crate) fn value(&self) -> Option<&Value> {
        match &self.claim {
            Claim::Value(value) => Some(value),
            Claim::Values(_) | Claim::Rows(_) => None,
        }
    }
}

/// What looking said about a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Agrees,
    Differs,
    /// Not comparable.
    Not,
    /// All that was claimed is there, and more.
    Extra,
    /// The look failed.
    Failed,
}

impl Look {
    pub(crate) const fn of(comparison: Comparison) -> Self {
        match comparison {
            Comparison::Equal(_) => Self::Agrees,
            Comparison::Different(_) => Self::Differs,
            Comparison::Not(_) => Self::Not,
        }
    }
}

/// What was found.
#[derive(Debug)]
pub(crate) enum Found {
    Nothing,
    /// Just what was claimed.
    Same,
    Cell(Box<Cell>),
    /// This many rows.
    Count(u32),
    /// Several values or rows as JSON, and the element that is missing.
    Several(Box<(String, String)>),
    Failed(Box<str>),
}

impl Found {
    /// A cell beside the value it is compared with.
    pub(crate) fn of(cell: &Cell, claimed: &Value) -> Self {
        let is_same = match (cell, claimed) {
            _ if is_just(claimed, cell) => true,
            (Cell::Number(number), Value::Number(_)) => {
                crosscheck_core::canonical::number_text(*number) == claimed.canonical()
            }
            (Cell::Null, Value::Null) => true,
            (Cell::Bool(truth), Value::Bool(claimed)) => truth == claimed,
            _ => false,
        };
        if is_same {
            Self::Same
        } else {
            Self::Cell(Box::new(cell.clone()))
        }
    }
}
