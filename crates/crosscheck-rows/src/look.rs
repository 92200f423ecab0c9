//! From the rows that calls are about to what the database shows of them:
//! grouped by table and shape, looked up in batches.
//!
//! Contract: rows 10.1.

use std::collections::HashMap;

use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::compare::shown;
use crate::fact::{Cells, RowSeen};
use crate::observe::ends::Claimed;
use crate::observe::groups::Groups;
use crate::observe::source::{self, Key, RowLookup};
use crate::observe::{Cell, Row, RowsSeen, Source};
use crate::plan::{ColumnId, Model, TableId};

/// The most rows of one key that are read.
pub(crate) const MOST: usize = 10_000;
/// At most this many values of each end of a column are read.
const ENDS: usize = 100;

/// A question about the rows of one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub(crate) table: TableId,
    pub(crate) key: Columns,
    pub(crate) fields: Columns,
}

/// A few columns of a table.
pub(crate) type Columns = SmallVec<[ColumnId; 8]>;

impl Shape {
    fn lookup(&self, model: &Model) -> RowLookup {
        let table = model.table(self.table);
        let names = |columns: &[ColumnId]| {
            let name = |column: &ColumnId| table.column(*column).column.as_str().to_owned();
            columns.iter().map(name).collect()
        };
        RowLookup {
            table: table.table.clone(),
            identity: names(&self.key),
            fields: names(&self.fields),
        }
    }
}

/// What was seen of one row, and the row.
pub(crate) type FoundRow = (RowSeen, Option<Cells>);

/// The rows of a list, or why they could not be read. More than [`MOST`] were
/// not all read.
pub(crate) type Listed = Result<Vec<Cells>, String>;

/// Questions that are asked together.
#[derive(Default)]
pub(crate) struct Questions {
    shapes: Vec<Shape>,
    numbers: HashMap<Shape, usize, foldhash::fast::RandomState>,
    groups: Groups<usize, usize>,
    /// Equal questions are asked once.
    known: HashMap<(usize, Key), usize, foldhash::fast::RandomState>,
    places: Vec<usize>,
}

impl Questions {
    /// Adds a question; answers come in the same order.
    pub(crate) fn add(&mut self, shape: Shape, key: Key) {
        let number = if let Some(number) = self.numbers.get(&shape) {
            *number
        } else {
            let number = self.shapes.len();
            self.shapes.push(shape.clone());
            self.numbers.insert(shape, number);
            number
        };
        let next = self.known.len();
        let place = *self.known.entry((number, key.clone())).or_insert(next);
        if place == next {
            self.groups.add(number, || number, key);
        }
        self.places.push(place);
    }

    /// The rows, one for each question.
    pub(crate) fn rows(
        self,
        source: &mut dyn Source,
        model: &Model,
        claimed: Claimed,
    ) -> Vec<FoundRow> {
        let shapes = self.shapes;
        let answers = self.groups.answer(|number, keys| {
            let Some(shape) = shapes.get(*number) else {
                return Vec::new();
            };
            let seen = source::rows(source, &shape.lookup(model), keys, claimed);
            let columns = names(shape, model);
            seen.into_iter()
                .map(|seen| of_row(shape, &columns, seen))
                .collect()
        });
        spread(&self.places, answers, || {
            (RowSeen::Failed(NO_ANSWER.into()), None)
        })
    }

    /// The lists, one for each question.
    pub(crate) fn lists(
        self,
        source: &mut dyn Source,
        model: &Model,
        claimed: Claimed,
    ) -> Vec<Listed> {
        let shapes = self.shapes;
        let answers = self.groups.answer(|number, keys| {
            let Some(shape) = shapes.get(*number) else {
                return Vec::new();
            };
            let lists = source::lists(source, &shape.lookup(model), keys, MOST + 1, claimed);
            let columns = names(shape, model);
            let cells = |row: Row| cells(shape, &columns, row);
            let list = |rows: Result<Vec<Row>, String>| {
                rows.map(|rows| rows.into_iter().map(cells).collect())
            };
            lists.into_iter().map(list).collect()
        });
        spread(&self.places, answers, || Err(NO_ANSWER.to_owned()))
    }
}

const NO_ANSWER: &str = "the database gave no answer";

/// The answer of each place; where several share one, the last keeps it.
fn spread<T: Clone>(places: &[usize], answers: Vec<T>, missing: impl Fn() -> T) -> Vec<T> {
    let mut answers: Vec<(Option<T>, usize)> = answers
        .into_iter()
        .map(|answer| (Some(answer), 0))
        .collect();
    for place in places {
        if let Some((_, uses)) = answers.get_mut(*place) {
            *uses += 1;
        }
    }
    let answer = |place: &usize| {
        let (answer, uses) = answers.get_mut(*place)?;
        *uses -= 1;
        if *uses == 0 {
            answer.take()
        } else {
            answer.clone()
        }
    };
    let found = places.iter().map(answer);
    found.map(|found| found.unwrap_or_else(&missing)).collect()
}

fn of_row(shape: &Shape, names: &[&str], seen: RowsSeen) -> FoundRow {
    match seen {
        RowsSeen::None => (RowSeen::None, None),
        RowsSeen::One(row) => (RowSeen::One, Some(cells(shape, names, row))),
        RowsSeen::Many(_) => (RowSeen::Many, None),
        RowsSeen::Failed(error) => (RowSeen::Failed(error.message().into()), None),
    }
}

/// The names of the columns that a shape asks for.
fn names<'m>(shape: &Shape, model: &'m Model) -> Vec<&'m str> {
    let table = model.table(shape.table);
    let name = |column: &ColumnId| table.column(*column).column.as_str();
    shape.fields.iter().map(name).collect()
}

fn cells(shape: &Shape, names: &[&str], row: Row) -> Cells {
    let cells = row.into_fields(names);
    shape.fields.iter().copied().zip(cells).collect()
}

/// The value of a column.
pub(crate) fn cell(cells: &[(ColumnId, Cell)], column: ColumnId) -> Option<&Cell> {
    let mut cells = cells.iter();
    cells
        .find(|(known, _)| *known == column)
        .map(|(_, cell)| cell)
}

/// The value of a column as a key of another table; `None` for NULL and what
/// cannot be one.
pub(crate) fn key_text(cell: &Cell) -> Option<SmolStr> {
    match cell {
        Cell::Null | Cell::Unreadable | Cell::Document(_) => None,
        Cell::Text(text) => Some(text.clone()),
        other => Some(shown(other).into()),
    }
}

/// The values at both ends of a column.
pub(crate) fn ends(
    source: &mut dyn Source,
    model: &Model,
    (table, column): (TableId, ColumnId),
) -> Option<Vec<String>> {
    let table = model.table(table);
    let name = table.column(column).column.as_str();
    let cells = source.ends(&table.table, name, ENDS).ok()?;
    Some(cells.iter().map(|cell| shown(cell).into_owned()).collect())
}
