//! Rows get their names, and facts their place in time (rows 9).

use std::collections::{BTreeSet, HashSet};

use smol_str::SmolStr;

use super::hints::Hints;
use super::{Run, Waiting};
use crate::compare::value::{Print, Value};
use crate::compare::{Sides, compare, shown};
use crate::fact::{Cells, Fact, Mark, RowId, RowSeen};
use crate::judge::seen::SeenCall;
use crate::judge::time::{Before, CallId, Deed, Place};
use crate::look::{cell, key_text};
use crate::observe::Cell;
use crate::plan::classify::Class;
use crate::plan::means::means;
use crate::plan::words::words;
use crate::plan::{Claim, ColumnId, From, Looked, Model, Subject, TableId, Target};
use crate::reasons::CallReason as Reason;

impl Run<'_> {
    /// Names the rows of a call, and puts its facts in the order of time.
    pub(super) fn in_order(&mut self, waiting: &mut Waiting) {
        let call = &mut waiting.call;
        if !call.class.is_judged() {
            for subject in &mut call.subjects {
                self.shown(subject);
            }
            return;
        }
        let id = CallId(self.judged);
        self.judged += 1;
        for subject in &mut call.subjects {
            self.written(subject, (id, call.step));
        }
        self.mark_blind(call, id);
        self.mark_mentioned(&call.subjects, id, &waiting.hints.values);
        if call.subjects.is_empty() {
            self.mark_unmapped(call, id, &waiting.hints, waiting.sql.as_deref());
        }
    }

    /// A row that a read shows: what it holds is known from now on.
    fn shown(&mut self, subject: &mut Subject) {
        self.name(subject);
        let row = subject.row;
        self.known.time.meet(row, CallId(self.judged), true);
        for fact in &mut subject.facts {
            fact.target = self.known.targets.number(subject.table, &fact.about);
            let print = self.print(&fact.claim);
            let before = self.judged.checked_sub(1).map(CallId);
            let time = &mut self.known.time;
            time.read(row, fact.target, print, fact.value(), before);
        }
    }

    /// A row that a call writes or deletes.
    fn written(&mut self, subject: &mut Subject, at: (CallId, u32)) {
        self.name(subject);
        let row = subject.row;
        self.known.time.meet(row, at.0, false);
        match subject.looked {
            Looked::Absence => {
                if let Some(cells) = &subject.cells {
                    subject.seen = RowSeen::There(mark(self.known.model(), subject.table, cells));
                }
                self.known.time.note(Place::Row(row), Deed::Deletes, at.0);
            }
            Looked::Row => self.known.time.note(Place::Row(row), Deed::Writes, at.0),
            Looked::Values => {
                let claim = (subject.table, claim_name(&subject.conditions));
                *self.known.same_claims.entry(claim).or_default() += 1;
            }
            Looked::ValuesAbsent => {}
        }
        let mut facts = std::mem::take(&mut subject.facts);
        if subject.looked == Looked::Row {
            facts.retain_mut(|fact| self.fact_written(subject, fact, at));
            subject.facts = facts;
        }
    }

    /// Whether a fact is one, which what the answer repeats from before is not.
    fn fact_written(&mut self, subject: &Subject, fact: &mut Fact, at: (CallId, u32)) -> bool {
        let (row, print) = (subject.row, self.print(&fact.claim));
        let target = self.known.targets.number(subject.table, &fact.about);
        fact.target = target;
        let before = self.known.time.before(row, target, print);
        let is_repeated = matches!(fact.from, From::Result | From::Tool);
        if before == Before::Same && is_repeated && fact.asked.is_none() {
            if !fact.is_outcome {
                self.known.time.shows(row, target, at.0);
            }
            return false;
        }
        fact.before = match before {
            Before::Other(before) => Some(before),
            Before::Same | Before::Unknown => None,
        };
        // how a call went says nothing of a column that holds something else
        let is_there = |cells: &Cells| holds(cells, fact);
        if !fact.is_outcome || subject.cells.as_ref().is_some_and(is_there) {
            self.known.time.own(row, target, print, at);
        }
        true
    }

    fn print(&mut self, claim: &Claim) -> Print {
        self.text.clear();
        claim.write_canonical(&mut self.text);
        self.known.prints.of_text(&self.text)
    }

    /// Names the row of a subject: by the primary key of the row that was found,
    /// whichever key the call used.
    fn name(&mut self, subject: &mut Subject) {
        let name = row_name(self.known.planner.model(), subject);
        subject.row = self.known.time.row(subject.table, &name);
    }

    /// Rows that a call writes to without the log showing all it does there.
    fn mark_blind(&mut self, call: &SeenCall, id: CallId) {
        if means().tells(&call.tool) {
            return;
        }
        let is_setter = call.tool.verb.is_setter;
        let is_shown = |subject: &&Subject| {
            let mut facts = subject.facts.iter();
            subject.has_image || (is_setter && facts.any(|fact| !fact.is_outcome))
        };
        // most calls have one row
        let several = Some(&call.subjects).filter(|subjects| subjects.len() > 1);
        let shown = several.into_iter().flatten().filter(is_shown);
        let shown: HashSet<RowId> = shown.map(|subject| subject.row).collect();
        for subject in &call.subjects {
            let (table, row) = (Place::Table(subject.table), Place::Row(subject.row));
            let primary = self.known.planner.model().table(subject.table).primary();
            let is_primary = subject.is_known_by(primary);
            let is_gone = matches!(subject.seen, RowSeen::None);
            let time = &mut self.known.time;
            time.note(table, Deed::Writes, id);
            match subject.looked {
                Looked::Row => {
                    if !is_setter || !is_shown(&subject) {
                        time.note(row, Deed::Loosens, id);
                    }
                    if !is_shown(&subject) && !shown.contains(&subject.row) {
                        time.note(row, Deed::Hides, id);
                    }
                }
                Looked::ValuesAbsent => {
                    time.note(table, Deed::Hides, id);
                    time.note(table, Deed::MayDelete, id);
                }
                Looked::Absence if is_gone => {
                    time.note(table, Deed::Deletes, id);
                    // which row it was cannot be known any more
                    if !is_primary {
                        time.note(table, Deed::MayDelete, id);
                    }
                }
                // a call that sets something without a key may mean any row
                Looked::Values if !call.tool.verb.creates => time.note(table, Deed::Hides, id),
                Looked::Absence | Looked::Values => {}
            }
        }
    }

    /// The ids of other rows that a call holds, or that its rows point to: it
    /// may change those, too.
    fn mark_mentioned(&mut self, subjects: &[Subject], id: CallId, values: &[Print]) {
        let known = &mut self.known;
        let mut own: Vec<Print> = Vec::new();
        for subject in subjects {
            let key = subject.key.iter();
            own.extend(key.map(|(_, value)| known.prints.of_any_case(value)));
        }
        own.sort_unstable(); // a list may have a hundred thousand keys
        let is_other = |value: &&Print| own.binary_search(value).is_err();
        for value in values.iter().filter(is_other) {
            known.time.note(Place::Value(*value), Deed::Mentions, id);
        }
        for subject in subjects {
            let table = known.planner.model().table(subject.table);
            for (column, cell) in subject.cells.iter().flatten() {
                if table.column(*column).is_foreign
                    && let Some(text) = key_text(cell)
                {
                    let print = known.prints.of_any_case(&text);
                    known.time.note(Place::Value(print), Deed::Mentions, id);
                }
            }
        }
    }

    /// A call without a row may have changed those it hints at.
    fn mark_unmapped(&mut self, call: &SeenCall, id: CallId, hints: &Hints, sql: Option<&str>) {
        let keeps = call.tool.verb.is_setter || call.tool.verb.creates;
        let may_delete = call.class != Class::Write || !keeps;
        let reason = call.reason.as_ref().map(|reason| reason.0);
        let is_unreadable = reason == Some(Reason::ArgumentsUnreadable);
        let named = sql.map(|sql| named_in(self.known.planner.model(), sql));
        let clears = call.class == Class::Delete
            || is_unreadable
            || hints.clears
            || named.as_ref().is_some_and(|named| !named.is_empty());
        let time = &mut self.known.time;
        for value in &hints.values {
            time.note(Place::Value(*value), Deed::Hides, id);
            if may_delete {
                time.note(Place::Value(*value), Deed::MayDelete, id);
            }
        }
        let tables = named.as_ref().unwrap_or(&hints.tables);
        let is_open = hints.is_open && named.as_ref().is_none_or(BTreeSet::is_empty);
        // what a tool did before it may have done again
        let tool = Place::Value(self.known.prints.of_text(&call.tool.name));
        let puts_back = hints.puts_back || time.has_done(tool, Deed::PutsBack);
        time.note(tool, Deed::PutsBack, id);
        let places = tables.iter().map(|table| Place::Table(*table));
        for place in places.chain(is_open.then_some(Place::Anywhere)) {
            time.note(place, Deed::Hides, id);
            if clears {
                time.note(place, Deed::MayDelete, id);
            }
            if puts_back {
                time.note(place, Deed::PutsBack, id);
            }
        }
    }
}

/// What a look by values asks for, in one text.
pub(crate) fn claim_name(conditions: &[(ColumnId, Value)]) -> SmolStr {
    let mut parts: Vec<String> = conditions
        .iter()
        .map(|(column, value)| format!("{}={}", column.0, value.canonical()))
        .collect();
    parts.sort();
    parts.join("\u{0}").into()
}

/// The name of a row that was found: its primary key.
pub(super) fn primary_name(model: &Model, table: TableId, cells: &Cells) -> Option<SmolStr> {
    let text = |column: &ColumnId| cell(cells, *column).and_then(key_text);
    match model.table(table).primary() {
        [] => None,
        [column] => text(column),
        columns => {
            let texts = columns.iter().map(text).collect::<Option<Vec<_>>>()?;
            Some(texts.join("\u{0}").into())
        }
    }
}

fn row_name(model: &Model, subject: &Subject) -> SmolStr {
    let primary = model.table(subject.table).primary();
    if let Some(cells) = &subject.cells
        && let Some(name) = primary_name(model, subject.table, cells)
    {
        return name;
    }
    let of = |column: &ColumnId| {
        let mut key = subject.key.iter();
        key.find(|(own, _)| own == column)
            .map(|(_, value)| value.clone())
    };
    let is_primary = subject.looked.is_by_key() && subject.key.len() == primary.len();
    if let Some(texts) = primary
        .iter()
        .map(of)
        .collect::<Option<Vec<_>>>()
        .filter(|_| is_primary)
    {
        return texts.join("\u{0}").into();
    }
    let part = |(column, value): &(ColumnId, SmolStr)| format!("{}\u{1}{value}", column.0);
    let parts: Vec<String> = subject.key.iter().map(part).collect();
    format!("\u{1}{}", parts.join("\u{0}")).into()
}

/// Whether a row holds what a fact claims of one of its columns.
fn holds(cells: &Cells, fact: &Fact) -> bool {
    let Target::Column(column) = fact.about else {
        return false;
    };
    let held = cell(cells, column).zip(fact.value());
    held.is_some_and(|(held, value)| compare(value, held, Sides::default()).is_equal())
}

/// Whether a row that should be gone is marked as deleted.
fn mark(model: &Model, table: TableId, cells: &Cells) -> Mark {
    let table = model.table(table);
    let mut mark = Mark::Not;
    for (column, cell) in cells {
        let name = &table.column(*column).name;
        let text = shown(cell).trim().to_lowercase();
        if means().marks(name, is_set(cell), &text) {
            mark = Mark::Perhaps;
        }
        if words().soft_delete.has(&name.joined) && is_set(cell) {
            return Mark::Deleted;
        }
        if matches!(name.last(), "status" | "state") {
            if words().soft_words.has(&text) {
                return Mark::Deleted;
            }
            if words().soft_maybe.has(&text) {
                mark = Mark::Perhaps;
            }
        }
    }
    mark
}

fn is_set(cell: &Cell) -> bool {
    match cell {
        Cell::Null | Cell::Bool(false) => false,
        Cell::Number(number) => *number != 0.0,
        Cell::Text(text) => !matches!(
            text.trim().to_lowercase().as_str(),
            "" | "0" | "f" | "false"
        ),
        _ => true,
    }
}

/// The tables whose names an SQL text holds as words.
fn named_in(model: &Model, sql: &str) -> BTreeSet<TableId> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words: HashSet<&str> = sql.split(|c: char| !is_part(c)).collect();
    let is_named = |name: &str| {
        if name.chars().all(is_part) {
            words.contains(name)
        } else {
            sql.contains(name)
        }
    };
    let tables = model.tables();
    tables
        .filter(|(_, table)| is_named(&table.table.name.as_str().to_lowercase()))
        .map(|(id, _)| id)
        .collect()
}
