//! What the waiting calls say beside what the database holds: columns, child
//! rows, and rows that are only known by their values.
//!
//! Contract: rows 10.1.

use super::order::primary_name;
use super::{Run, Waiting};
use crate::compare::compare;
use crate::compare::value::Value;
use crate::fact::{Cells, Fact, FactState, Found, RowSeen, Subject};
use crate::judge::children::{self, Judged, sides};
use crate::judge::seen::SeenCall;
use crate::judge::texts::REDACTED;
use crate::judge::time::CallId;
use crate::look::{Columns, Listed, MOST, Questions, Shape, cell, key_text};
use crate::observe::Cell;
use crate::observe::source::Key;
use crate::plan::model::TableModel;
use crate::plan::{Claim, ColumnId, Looked, Model, TableId, Target};

/// At most this many values that reads showed of a column count.
const READ: usize = 5_000;

impl Run<'_> {
    /// Compares the facts of calls, of which the first that is judged has this number.
    pub(super) fn compare(&mut self, waiting: &mut [Waiting], first: u32) {
        let reads = waiting.iter().map(|waiting| &waiting.call);
        for call in reads.filter(|call| !call.class.is_judged()) {
            self.note_read(call);
        }
        let questions = self.questions(waiting);
        let lists = questions.lists(self.source, self.known.planner.model(), self.claimed);
        let mut lists = lists.into_iter();
        let judged = waiting.iter_mut().map(|waiting| &mut waiting.call);
        let judged = judged.filter(|call| call.class.is_judged());
        for (id, call) in (first..).map(CallId).zip(judged) {
            for subject in &mut call.subjects {
                self.compare_subject(subject, &mut lists, id);
            }
        }
    }

    /// Whether the database holds what a read shows of columns.
    fn note_read(&mut self, call: &SeenCall) {
        for subject in &call.subjects {
            let Some(cells) = &subject.cells else {
                continue;
            };
            for fact in &subject.facts {
                let shown = self.known.read.get(&fact.target);
                let is_enough = shown.is_some_and(|shown| shown.len() >= READ);
                if is_enough || !matches!(fact.about, Target::Column(_)) {
                    continue;
                }
                let model = self.known.planner.model();
                let (look, ..) = judged(model, subject.table, fact, cells, None);
                let prints = &self.known.prints;
                let key = subject.key.iter();
                let key = key.map(|(_, value)| prints.of_any_case(value));
                let other = (look == FactState::Differs).then(|| key.collect());
                let shown = self.known.read.entry(fact.target).or_default();
                let is_compared = look == FactState::Agrees || other.is_some();
                if is_compared {
                    shown.push((subject.row, other));
                }
            }
        }
    }

    /// The lists that are needed, in the order in which they are compared.
    fn questions(&self, waiting: &[Waiting]) -> Questions {
        let model = self.known.model();
        let mut questions = Questions::default();
        let judged = waiting.iter().map(|waiting| &waiting.call);
        let judged = judged.filter(|call| call.class.is_judged());
        for subject in judged.flat_map(|call| &call.subjects) {
            let facts = subject.facts.iter();
            let of_facts = facts.filter_map(|fact| of_fact(model, subject, fact));
            for (shape, key) in by_values(model, subject).into_iter().chain(of_facts) {
                questions.add(shape, key);
            }
        }
        questions
    }

    fn compare_subject(
        &mut self,
        subject: &mut Subject,
        lists: &mut impl Iterator<Item = Listed>,
        id: CallId,
    ) {
        let (model, time) = (self.known.planner.model(), &self.known.time);
        if !subject.looked.is_by_key() {
            let was_there = |row: &Cells| {
                let name = primary_name(model, subject.table, row);
                let row = name.and_then(|name| time.known_row(subject.table, &name));
                row.is_some_and(|row| time.was_read_before(row, id))
            };
            let list = by_values(model, subject).and_then(|_| lists.next());
            subject.seen = match list {
                Some(list) => counted(model, subject, list, was_there),
                None => RowSeen::Values {
                    rows: 0,
                    is_whole: false,
                },
            };
            return;
        }
        let mut facts = std::mem::take(&mut subject.facts);
        for fact in &mut facts {
            let model = self.known.planner.model();
            let list = of_fact(model, subject, fact).and_then(|_| lists.next());
            let Some(cells) = &subject.cells else {
                continue;
            };
            (fact.look, fact.found, fact.word) = judged(model, subject.table, fact, cells, list);
            if is_hidden(model, subject.table, fact) {
                hide(fact);
            }
        }
        subject.facts = facts;
        subject.cells = None;
    }
}

/// Whether a fact is about a column whose values are not shown.
fn is_hidden(model: &Model, table: TableId, fact: &Fact) -> bool {
    let table = model.table(fact.about.table(table, model));
    let is_hidden = |column: ColumnId| table.column(column).is_hidden;
    let of_rows = match &fact.claim {
        Claim::Rows(rows) => &rows[..],
        Claim::Value(_) | Claim::Values(_) => &[],
    };
    fact.about.column().is_some_and(is_hidden)
        || of_rows
            .iter()
            .flatten()
            .any(|(column, _)| is_hidden(*column))
}

/// Takes the values out of a fact that was compared.
fn hide(fact: &mut Fact) {
    let redacted = || Value::Text(REDACTED.into());
    fact.claim = Claim::Value(redacted());
    if let Some(asked) = &mut fact.asked {
        asked.0 = redacted();
    }
    fact.found = match fact.look {
        FactState::Agrees => Found::Same,
        _ => Found::Cell(Box::new(Cell::Text(REDACTED.into()))),
    };
}

/// The rows that may be meant by a look without a key: those that hold the
/// value of one column, an id if there is one.
fn by_values(model: &Model, subject: &Subject) -> Option<(Shape, Key)> {
    if subject.looked.is_by_key() {
        return None;
    }
    let table = model.table(subject.table);
    let fits = |(column, value): &(ColumnId, Value)| {
        let holds = table.column(*column).holds;
        let text = crate::plan::key::fit_text(holds, value.plain().trim().into())?;
        Some((*column, text))
    };
    let mut usable: Vec<&(ColumnId, Value)> = subject
        .conditions
        .iter()
        .filter(|(_, value)| matches!(value, Value::Number(_) | Value::Text(_)))
        .collect();
    usable.sort_by_key(|(column, value)| {
        let is_foreign = table.column(*column).is_foreign;
        (!is_foreign, value.is_trivial())
    });
    let (column, text) = usable.into_iter().find_map(fits)?;
    let shape = Shape {
        table: subject.table,
        key: Columns::from_slice(&[column]),
        fields: subject
            .conditions
            .iter()
            .map(|(column, _)| *column)
            .chain(table.primary().iter().copied())
            .collect(),
    };
    Some((shape, Key::from([text])))
}

/// How many rows hold all values.
fn counted(
    model: &Model,
    subject: &Subject,
    list: Listed,
    was_there: impl Fn(&Cells) -> bool,
) -> RowSeen {
    let rows = match list {
        Ok(rows) => rows,
        Err(message) => return RowSeen::Failed(message.into()),
    };
    let table = model.table(subject.table);
    let holds_all = |row: &&Cells| {
        subject.conditions.iter().all(|(column, value)| {
            let sides = sides(table, *column, "", crate::plan::From::Argument);
            cell(row, *column).is_some_and(|held| compare(value, held, sides).is_equal())
        })
    };
    // what a read showed before is not what the call made
    let is_new = |row: &&Cells| subject.looked != Looked::Values || !was_there(row);
    let count = rows.iter().filter(holds_all).filter(is_new).count();
    RowSeen::Values {
        rows: u32::try_from(count).unwrap_or(u32::MAX),
        is_whole: rows.len() <= MOST,
    }
}

/// The list that a fact is compared with, if it needs one.
fn of_fact(model: &Model, subject: &Subject, fact: &Fact) -> Option<(Shape, Key)> {
    let cells = subject.cells.as_ref()?;
    let claimed = || match &fact.claim {
        Claim::Rows(rows) => {
            let mut columns: Columns = rows
                .iter()
                .flat_map(|row| row.iter().map(|(column, _)| *column))
                .collect();
            columns.sort_unstable();
            columns.dedup();
            columns
        }
        Claim::Value(_) | Claim::Values(_) => Columns::new(),
    };
    let (child, fields) = match &fact.about {
        Target::Column(_) => return None,
        Target::Named {
            table,
            column,
            value,
        } => {
            let shape = Shape {
                table: *table,
                key: Columns::from_slice(&[*column]),
                fields: claimed(),
            };
            return Some((shape, Key::from([value.clone()])));
        }
        Target::Rows { child } => (*child, claimed()),
        Target::Beside { child, column } | Target::List { child, column } => {
            (*child, Columns::from_slice(&[*column]))
        }
    };
    let child = model.table(subject.table).children.get(child)?;
    let text = |column: &ColumnId| cell(cells, *column).and_then(key_text);
    let key: Option<Key> = child.parent.iter().map(text).collect();
    let shape = Shape {
        table: child.table,
        key: child.columns.iter().copied().collect(),
        fields,
    };
    Some((shape, key?))
}

/// What looking says about one fact.
fn judged(
    model: &Model,
    table: TableId,
    fact: &Fact,
    cells: &Cells,
    list: Option<Listed>,
) -> Judged {
    if let (Target::Column(column), Some(value)) = (&fact.about, fact.value()) {
        return of_column(model.table(table), *column, (fact, value), cells);
    }
    let rows = match list {
        Some(Ok(rows)) => rows,
        Some(Err(message)) => return (FactState::NotCompared, Found::Failed(message.into()), ""),
        None => return (FactState::NotCompared, Found::Nothing, "no key"),
    };
    let table = model.table(fact.about.table(table, model));
    match (&fact.about, &fact.claim) {
        (Target::Beside { column, .. }, Claim::Value(value)) => match &rows[..] {
            [row] => of_column(table, *column, (fact, value), row),
            _ => (FactState::NotCompared, Found::Nothing, "no single row"),
        },
        (Target::List { column, .. }, Claim::Values(values)) => {
            children::list(values, &rows, *column, table)
        }
        (Target::Rows { .. } | Target::Named { .. }, Claim::Rows(claimed)) => {
            children::rows(claimed, &rows, table, fact.from, fact.is_complete)
        }
        _ => (FactState::NotCompared, Found::Nothing, ""),
    }
}

/// What one column of a row holds beside a value.
fn of_column(
    table: &TableModel,
    column: ColumnId,
    (fact, value): (&Fact, &Value),
    row: &Cells,
) -> Judged {
    let Some(held) = cell(row, column) else {
        return (FactState::NotCompared, Found::Nothing, "no column");
    };
    let said = compare(value, held, sides(table, column, &fact.field, fact.from));
    (FactState::of(said), Found::of(held, value), said.word())
}
