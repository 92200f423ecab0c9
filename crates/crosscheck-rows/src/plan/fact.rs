//! What a call is about, and what it says.

use std::fmt::Write as _;

use smallvec::SmallVec;
use smol_str::SmolStr;

use super::model::{ColumnId, TableId};
use crate::compare::value::Value;

/// A row that a call is about.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) table: TableId,
    /// The key, or for a look by values its conditions, as text.
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
    pub(crate) facts: Vec<Fact>,
}

/// Where the key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyFrom {
    Argument,
    Result,
    Contract,
    /// An SQL statement among the arguments.
    Statement,
}

impl KeyFrom {
    /// Whether a contract says which row is meant.
    pub(crate) const fn is_literal(self) -> bool {
        matches!(self, Self::Contract | Self::Statement)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Result => "result",
            Self::Contract => "contract",
            Self::Statement => "statement",
        }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone)]
pub(crate) enum Why {
    /// The answer holds these fields; whether the tool names the table.
    Answer(SmolStr, bool),
    /// These arguments are the key; whether the tool names the table.
    Arguments(SmolStr, bool),
    /// The elements of this argument hold the key.
    Elements(SmolStr),
    /// There is no key.
    Values,
    Contract,
    /// An SQL statement names its key.
    Statement,
}

/// One thing that a call says about a row.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub(crate) struct Fact {
    pub(crate) target: Target,
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
}

impl Fact {
    /// A fact of which nothing more is known.
    pub(crate) const fn new(target: Target, claim: Claim, from: From, field: SmolStr) -> Self {
        Self {
            target,
            claim,
            from,
            field,
            is_firm: false,
            is_outcome: false,
            asked: None,
            repeats_argument: false,
            is_complete: false,
        }
    }
}

/// What a fact is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

/// What is claimed.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    Argument,
    Result,
    Contract,
    /// What a contract says the call shows and does not write.
    Shown,
    /// An SQL statement among the arguments.
    Statement,
    /// The name of the tool.
    Tool,
    /// What is said of a state: a history may hold it, too. It tells nothing
    /// but that.
    History,
}

impl From {
    /// Whether a contract says what is meant.
    pub(crate) const fn is_literal(self) -> bool {
        matches!(self, Self::Contract | Self::Shown | Self::Statement)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Result => "result",
            Self::Contract | Self::Shown => "contract",
            Self::Statement => "statement",
            Self::Tool => "tool",
            Self::History => "history",
        }
    }
}
