//! What the waiting calls say beside what the database holds: columns, child
//! rows, and rows that are only known by their values.
//!
//! Contract: rows 10.1.

use std::collections::VecDeque;

use super::Run;
use super::order::{Part, PartSubject, primary_name};
use crate::compare::compare;
use crate::compare::value::{Print, Value};
use crate::judge::children::{self, Judged, sides};
use crate::judge::seen::{Found, Look, RowSeen, SeenFact, SeenSubject};
use crate::judge::texts::REDACTED;
use crate::judge::time::CallId;
use crate::look::{Cells, Columns, Listed, MOST, Questions, Shape, cell, key_text};
use crate::observe::Cell;
use crate::observe::source::Key;
use crate::plan::{Claim, ColumnId, Looked, Model, TableId, Target};

/// Which list belongs to what.
enum Asked {
    /// The fact of a subject of a part.
    Fact(usize, usize, usize),
    /// A look by values.
    Values(usize, usize),
}

impl Run<'_> {
    /// Compares the facts of calls, and keeps those that are judged.
    pub(super) fn compare(&mut self, mut parts: Vec<Part>) {
        let (questions, asked) = self.questions(&parts);
        let lists = questions.lists(self.source, self.known.planner.model(), self.claimed);
        let mut lists = asked
            .into_iter()
            .zip(lists)
            .collect::<Vec<_>>()
            .into_iter()
            .peekable();
        let calls = parts.iter().filter(|part| part.call.is_some()).count();
        let mut judged = self.judged - u32::try_from(calls).unwrap_or_default();
        for (at, part) in parts.iter_mut().enumerate() {
            let is_judged = part.call.is_some();
            for (place, subject) in part.subjects.iter_mut().enumerate() {
                let is_here = |asked: &Asked| match asked {
                    Asked::Fact(part, subject, _) | Asked::Values(part, subject) => {
                        (*part, *subject) == (at, place)
                    }
                };
                let mut own = Vec::new();
                while let Some((asked, list)) = lists.next_if(|(asked, _)| is_here(asked)) {
                    own.push((asked, list));
                }
                let id = is_judged.then_some(CallId(judged));
                self.compare_subject(subject, own, id);
            }
            judged += u32::from(is_judged);
        }
        for part in parts {
            let Some(mut call) = part.call else { continue };
            let seen = |part: PartSubject| SeenSubject {
                facts: part.facts.into(),
                ..part.subject
            };
            call.subjects = part.subjects.into_iter().map(seen).collect();
            self.known.keep(call);
        }
    }

    /// The lists that are needed, in the order of the parts.
    fn questions(&self, parts: &[Part]) -> (Questions, Vec<Asked>) {
        let model = self.known.model();
        let mut questions = Questions::default();
        let mut asked = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            for (place, subject) in part.subjects.iter().enumerate() {
                if let Some((shape, key)) = by_values(model, subject) {
                    questions.add(shape, key);
                    asked.push(Asked::Values(at, place));
                }
                let facts = subject.facts.iter().zip(&subject.prints);
                for (number, (fact, (print, _))) in facts.enumerate() {
                    let (table, target) = self.known.targets.get(fact.target);
                    let read = (subject.subject.row, fact.target, *print);
                    let is_wanted =
                        part.call.is_some() || self.known.calibration.wants(*table, read);
                    let question = is_wanted
                        .then(|| of_fact(model, *table, target, fact, subject))
                        .flatten();
                    if let Some((shape, key)) = question {
                        questions.add(shape, key);
                        asked.push(Asked::Fact(at, place, number));
                    }
                }
            }
        }
        (questions, asked)
    }

    fn compare_subject(
        &mut self,
        part: &mut PartSubject,
        lists: Vec<(Asked, Listed)>,
        id: Option<CallId>,
    ) {
        let is_judged = id.is_some();
        let (model, time) = (self.known.planner.model(), &self.known.time);
        // in the order of the facts
        let mut of_facts: VecDeque<(usize, Listed)> = VecDeque::new();
        for (asked, list) in lists {
            match asked {
                Asked::Values(..) => {
                    part.subject.seen = counted(model, part, list, |row| {
                        let name = primary_name(model, part.subject.table, row);
                        let row = name.and_then(|name| time.known_row(part.subject.table, &name));
                        row.zip(id)
                            .is_some_and(|(row, id)| time.was_read_before(row, id))
                    });
                }
                Asked::Fact(_, _, number) => of_facts.push_back((number, list)),
            }
        }
        if part.subject.looked == Looked::Values || part.subject.looked == Looked::ValuesAbsent {
            if !matches!(
                part.subject.seen,
                RowSeen::Values { .. } | RowSeen::Failed(_)
            ) {
                part.subject.seen = RowSeen::Values {
                    rows: 0,
                    is_whole: false,
                };
            }
            return;
        }
        let (table, row) = (part.subject.table, part.subject.row);
        let cells = part.cells.take();
        let facts = part.facts.iter_mut().zip(&part.prints);
        for (at, (fact, (print, is_complete))) in facts.enumerate() {
            let list = of_facts.pop_front_if(|(number, _)| *number == at);
            let list = list.map(|(_, list)| list);
            let read = (row, fact.target, *print);
            if !is_judged && !self.known.calibration.wants(table, read) {
                continue;
            }
            let Some(cells) = &cells else { continue };
            let (_, target) = self.known.targets.get(fact.target);
            let (look, found, word) = judged(model, table, target, fact, cells, list, *is_complete);
            if is_judged {
                (fact.look, fact.found, fact.word) = (look, found, word);
                if is_hidden(model, table, target, &fact.claim) {
                    hide(fact);
                }
            } else {
                let prints = &self.known.prints;
                let key = part.subject.key.iter();
                let key: Vec<Print> = key.map(|(_, value)| prints.of_any_case(value)).collect();
                self.known.calibration.add(table, read, look, &key);
            }
        }
    }
}

/// Whether a fact is about a column whose values are not shown.
fn is_hidden(model: &Model, table: TableId, target: &Target, claim: &Claim) -> bool {
    let child = |place: &usize| model.table(table).children.get(*place);
    let (table, column) = match target {
        Target::Column(column) => (Some(table), Some(*column)),
        Target::Beside {
            child: place,
            column,
        }
        | Target::List {
            child: place,
            column,
        } => (child(place).map(|child| child.table), Some(*column)),
        Target::Rows { child: place } => (child(place).map(|child| child.table), None),
        Target::Named { table, .. } => (Some(*table), None),
    };
    let claimed = match claim {
        Claim::Rows(rows) => &rows[..],
        Claim::Value(_) | Claim::Values(_) => &[],
    };
    let of_rows = claimed
        .iter()
        .flat_map(|row| row.iter().map(|(column, _)| *column));
    table.is_some_and(|table| {
        let mut columns = column.into_iter().chain(of_rows);
        columns.any(|column| model.table(table).column(column).is_hidden)
    })
}

/// Takes the values out of a fact that was compared.
fn hide(fact: &mut SeenFact) {
    let redacted = || Value::Text(REDACTED.into());
    fact.claim = Claim::Value(redacted());
    if let Some(asked) = &mut fact.asked {
        asked.0 = redacted();
    }
    fact.found = match fact.look {
        Look::Agrees => Found::Same,
        _ => Found::Cell(Box::new(Cell::Text(REDACTED.into()))),
    };
}

/// The rows that may be meant by a look without a key: those that hold the
/// value of one column, an id if there is one.
fn by_values(model: &Model, part: &PartSubject) -> Option<(Shape, Key)> {
    if part.subject.looked.is_by_key() {
        return None;
    }
    let table = model.table(part.subject.table);
    let fits = |(column, value): &(ColumnId, Value)| {
        let holds = table.column(*column).holds;
        let text = crate::plan::key::fit_text(holds, value.plain().trim().into())?;
        Some((*column, text))
    };
    let mut usable: Vec<&(ColumnId, Value)> = part
        .subject
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
        table: part.subject.table,
        key: Columns::from_slice(&[column]),
        fields: part
            .subject
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
    part: &PartSubject,
    list: Listed,
    was_there: impl Fn(&Cells) -> bool,
) -> RowSeen {
    let rows = match list {
        Ok(rows) => rows,
        Err(message) => return RowSeen::Failed(message.into()),
    };
    let table = model.table(part.subject.table);
    let holds_all = |row: &&Cells| {
        part.subject.conditions.iter().all(|(column, value)| {
            let sides = sides(table, *column, "", crate::plan::From::Argument);
            cell(row, *column).is_some_and(|held| compare(value, held, sides).is_equal())
        })
    };
    // what a read showed before is not what the call made
    let is_new = |row: &&Cells| part.subject.looked != Looked::Values || !was_there(row);
    let count = rows.iter().filter(holds_all).filter(is_new).count();
    RowSeen::Values {
        rows: u32::try_from(count).unwrap_or(u32::MAX),
        is_whole: rows.len() <= MOST,
    }
}

/// The list that a fact is compared with, if it needs one.
fn of_fact(
    model: &Model,
    table: TableId,
    target: &Target,
    fact: &SeenFact,
    part: &PartSubject,
) -> Option<(Shape, Key)> {
    let cells = part.cells.as_ref()?;
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
    let (child, fields) = match target {
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
    let child = model.table(table).children.get(child)?;
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
    target: &Target,
    fact: &SeenFact,
    cells: &Cells,
    list: Option<Listed>,
    is_complete: bool,
) -> Judged {
    if let (Target::Column(column), Some(value)) = (target, fact.value()) {
        let sides = sides(model.table(table), *column, &fact.field, fact.from);
        let Some(held) = cell(cells, *column) else {
            return (Look::Not, Found::Nothing, "no column");
        };
        let said = compare(value, held, sides);
        return (Look::of(said), Found::of(held, value), said.word());
    }
    let rows = match list {
        Some(Ok(rows)) => rows,
        Some(Err(message)) => return (Look::Failed, Found::Failed(message.into()), ""),
        None => return (Look::Not, Found::Nothing, "no key"),
    };
    let child = |child: usize| {
        let child = model.table(table).children.get(child);
        child.map_or(table, |child| child.table)
    };
    match (target, &fact.claim) {
        (
            Target::Beside {
                child: place,
                column,
            },
            Claim::Value(value),
        ) => {
            let [row] = &rows[..] else {
                return (Look::Not, Found::Nothing, "no single row");
            };
            let sides = sides(model.table(child(*place)), *column, &fact.field, fact.from);
            let Some(held) = cell(row, *column) else {
                return (Look::Not, Found::Nothing, "no column");
            };
            let said = compare(value, held, sides);
            (Look::of(said), Found::of(held, value), said.word())
        }
        (
            Target::List {
                child: place,
                column,
            },
            Claim::Values(values),
        ) => children::list(values, &rows, *column, model.table(child(*place))),
        (Target::Rows { child: place }, Claim::Rows(claimed)) => {
            let table = model.table(child(*place));
            children::rows(claimed, &rows, table, fact.from, is_complete)
        }
        (Target::Named { table, .. }, Claim::Rows(claimed)) => {
            children::rows(claimed, &rows, model.table(*table), fact.from, is_complete)
        }
        _ => (Look::Not, Found::Nothing, ""),
    }
}
