//! What a call is about and what it says, and what the database shows of it: a
//! row and its facts are planned, looked up and judged as one thing.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::compare::value::{Print, Value};
use crate::compare::{Comparison, is_just};
use crate::observe::Cell;
use crate::plan::{ColumnId, Model, TableId};

/// A row of the database, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct RowId(pub(crate) u32);

/// What a fact is about, within its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct TargetId(pub(crate) u32);

/// One row of a key, by its columns.
pub(crate) type Cells = Vec<(ColumnId, Cell)>;

/// A row that a call is about.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Subject {
    pub(crate) table: TableId,
    pub(crate) row: RowId,
    /// The key, or for a look by values its conditions, as text.
    #[serde(with = "small")]
    pub(crate) key: SmallVec<[(ColumnId, SmolStr); 1]>,
    /// What a look by values compares; empty for a look by key.
    pub(crate) conditions: Box<[(ColumnId, Value)]>,
    pub(crate) key_from: KeyFrom,
    pub(crate) looked: Looked,
    /// Whether the mapping from call to row is certain.
    pub(crate) is_sure: bool,
    pub(crate) why: Why,
    /// Whether the answer shows more of the row than its key.
    pub(crate) has_image: bool,
    /// Whether the rows that it should point to are all there, though it is not.
    pub(crate) has_parents: bool,
    pub(crate) seen: RowSeen,
    /// The row, until its facts are compared.
    #[serde(skip)]
    pub(crate) cells: Option<Cells>,
    pub(crate) facts: Vec<Fact>,
}

impl Subject {
    /// A row that is looked for by its key.
    pub(crate) fn new(table: TableId, key_from: KeyFrom, is_sure: bool, why: Why) -> Self {
        Self {
            table,
            row: RowId::default(),
            key: SmallVec::new(),
            conditions: Box::default(),
            key_from,
            looked: Looked::Row,
            is_sure,
            why,
            has_image: false,
            has_parents: false,
            seen: RowSeen::None,
            cells: None,
            facts: Vec::new(),
        }
    }

    /// Whether it is known by just these columns.
    pub(crate) fn is_known_by(&self, columns: &[ColumnId]) -> bool {
        let mut key = self.key.iter();
        self.key.len() == columns.len() && key.all(|(column, _)| columns.contains(column))
    }
}

/// Keys, which most often have one part.
mod small {
    use serde::{Deserialize, Deserializer, Serializer};
    use smallvec::SmallVec;

    pub(super) fn serialize<T: serde::Serialize, S: Serializer>(
        parts: &SmallVec<[T; 1]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(parts)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<SmallVec<[T; 1]>, D::Error> {
        Vec::deserialize(deserializer).map(SmallVec::from_vec)
    }
}

/// What was seen of a row.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mark {
    Deleted,
    /// Its state may mean that.
    Perhaps,
    Not,
}

/// Where the key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum KeyFrom {
    Argument,
    Result,
    Contract,
}

impl KeyFrom {
    /// Whether a contract says which row is meant.
    pub(crate) const fn is_literal(self) -> bool {
        matches!(self, Self::Contract)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Result => "result",
            Self::Contract => "contract",
        }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Looked {
    /// A row with the key.
    Row,
    /// That there is none.
    Absence,
    /// Rows with all values.
    Values,
    /// That there is none with all values.
    ValuesAbsent,
}

impl Looked {
    pub(crate) const fn is_by_key(self) -> bool {
        matches!(self, Self::Row | Self::Absence)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Absence | Self::ValuesAbsent => "absence",
            Self::Values => "values",
        }
    }
}

/// Why a row is meant, for people.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Why {
    /// The answer holds these fields; whether the tool names the table.
    Answer(SmolStr, bool),
    /// These arguments are the key; whether the tool names the table.
    Arguments(SmolStr, bool),
    /// There is no key.
    Values,
    Contract,
}

/// One thing that a call says about a row.
#[derive(Debug, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub(crate) struct Fact {
    pub(crate) about: Target,
    /// The number of what it is about.
    pub(crate) target: TargetId,
    pub(crate) claim: Claim,
    pub(crate) from: From,
    /// The field it comes from, with its outer field.
    pub(crate) field: SmolStr,
    pub(crate) is_firm: bool,
    /// An outcome of the call rather than a state of the row: it may agree.
    pub(crate) is_outcome: bool,
    /// What was asked for, where the answer says something else.
    pub(crate) asked: Option<Box<(Value, SmolStr)>>,
    /// Whether its value is among the arguments, apart from the key.
    pub(crate) repeats_argument: bool,
    /// Whether more rows than those listed are worth telling.
    pub(crate) is_complete: bool,
    /// What the log showed before, if that was something else.
    pub(crate) before: Option<Print>,
    pub(crate) look: FactState,
    pub(crate) found: Found,
    /// What makes them equal or not comparable, in a word.
    #[serde(with = "word")]
    pub(crate) word: Word,
}

impl Fact {
    /// A fact of which nothing more is known.
    pub(crate) const fn new(about: Target, claim: Claim, from: From, field: SmolStr) -> Self {
        Self {
            about,
            target: TargetId(0),
            claim,
            from,
            field,
            is_firm: false,
            is_outcome: false,
            asked: None,
            repeats_argument: false,
            is_complete: false,
            before: None,
            look: FactState::NotCompared,
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

/// A word of this program.
pub(crate) type Word = &'static str;

/// Such words, when calls are written and read again.
mod word {
    use std::collections::BTreeSet;
    use std::sync::{Mutex, PoisonError};

    use serde::{Deserialize, Deserializer, Serializer};

    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

    pub(super) fn serialize<S: Serializer>(
        word: &&'static str,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        WORDS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(word);
        serializer.serialize_str(word)
    }

    /// Only what was written is read.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static str, D::Error> {
        let word = <&str>::deserialize(deserializer)?;
        let words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(words.get(word).copied().unwrap_or_default())
    }
}

/// What becomes of a fact: as the look at the database says, until it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FactState {
    Agrees,
    Differs,
    /// It cannot be compared, or the look failed.
    NotCompared,
    AskedNotDone,
    /// All that was claimed is there, and more.
    ExtraRows,
    Superseded,
    Overtaken,
}

impl FactState {
    pub(crate) const fn of(comparison: Comparison) -> Self {
        match comparison {
            Comparison::Equal(_) => Self::Agrees,
            Comparison::Different(_) => Self::Differs,
            Comparison::Not(_) => Self::NotCompared,
        }
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::NotCompared => "not_compared",
            Self::AskedNotDone => "asked_not_done",
            Self::ExtraRows => "extra_rows",
            Self::Superseded => "superseded",
            Self::Overtaken => "overtaken",
        }
    }
}

/// What was found.
#[derive(Debug, Serialize, Deserialize)]
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
        if is_just(claimed, cell) || *cell == crate::compare::cell(claimed) {
            Self::Same
        } else {
            Self::Cell(Box::new(cell.clone()))
        }
    }
}

/// What a fact is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Target {
    /// A column of the row.
    Column(ColumnId),
    /// A column of the one row beside it, in a child table.
    Beside { child: usize, column: ColumnId },
    /// Rows of a child table.
    Rows { child: usize },
    /// The values of one column of a child table.
    List { child: usize, column: ColumnId },
    /// Rows that a contract names: their table, the column they share, and its value.
    Named {
        table: TableId,
        column: ColumnId,
        value: SmolStr,
    },
}

impl Target {
    /// The one column that it is about.
    pub(crate) const fn column(&self) -> Option<ColumnId> {
        match self {
            Self::Column(column) | Self::Beside { column, .. } | Self::List { column, .. } => {
                Some(*column)
            }
            Self::Rows { .. } | Self::Named { .. } => None,
        }
    }

    /// The table whose rows it is about, of a row of this one.
    pub(crate) fn table(&self, own: TableId, model: &Model) -> TableId {
        match self {
            Self::Column(_) => own,
            Self::Beside { child, .. } | Self::Rows { child } | Self::List { child, .. } => {
                let child = model.table(own).children.get(*child);
                child.map_or(own, |child| child.table)
            }
            Self::Named { table, .. } => *table,
        }
    }
}

/// What is claimed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Claim {
    Value(Value),
    Values(Box<[Value]>),
    /// The rows, each as columns with their values.
    Rows(Box<[Element]>),
}

/// The columns of one claimed row.
pub(crate) type Element = Box<[(ColumnId, Value)]>;

impl Claim {
    /// Whether one of the values in it is such.
    pub(crate) fn any(&self, mut is_such: impl FnMut(&Value) -> bool) -> bool {
        match self {
            Self::Value(value) => is_such(value),
            Self::Values(values) => values.iter().any(is_such),
            Self::Rows(rows) => rows.iter().flatten().any(|(_, value)| is_such(value)),
        }
    }

    /// Appends the claim as JSON text, equal for equal claims.
    pub(crate) fn write_canonical(&self, out: &mut String) {
        match self {
            Self::Value(value) => value.write_canonical(out),
            Self::Values(values) => {
                let write = |out: &mut String, value: &Value| value.write_canonical(out);
                separated(out, ['[', ']'], values.iter(), write);
            }
            Self::Rows(rows) => separated(out, ['[', ']'], rows.iter(), |out, row| {
                separated(out, ['{', '}'], row.iter(), |out, (column, value)| {
                    let _ = write!(out, "\"{}\":", column.0); // memory takes everything
                    value.write_canonical(out);
                });
            }),
        }
    }
}

/// Writes items with commas between them, in brackets.
fn separated<T>(
    out: &mut String,
    [open, close]: [char; 2],
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push(open);
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(close);
}

/// Where a fact comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum From {
    Argument,
    Result,
    Contract,
    /// What a contract says the call shows and does not write.
    Shown,
    /// The name of the tool.
    Tool,
}

impl From {
    /// Whether a contract says what is meant.
    pub(crate) const fn is_literal(self) -> bool {
        matches!(self, Self::Contract | Self::Shown)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Result => "result",
            Self::Contract | Self::Shown => "contract",
            Self::Tool => "tool",
        }
    }
}
