//! How rows, values and differences are told to people.

use std::borrow::Cow;

use crosscheck_core::redact::holds_secret;
use smol_str::SmolStr;

use super::children::cell_json;
use crate::compare::shown;
use crate::compare::value::Value;
use crate::fact::{Fact, Found, Subject};
use crate::plan::{Claim, Model, TableId, Target};

/// Shown instead of values that must not be shown.
pub(crate) const REDACTED: &str = "<redacted>";

const LONGEST: usize = 80;

/// Tells what was seen, with values or without.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'m> {
    pub(crate) model: &'m Model,
    pub(crate) redacts: bool,
}

impl Texts<'_> {
    /// `loans id=l-1`
    pub(crate) fn row(&self, subject: &Subject) -> String {
        let table = self.model.table(subject.table);
        let part = |(column, value): &(crate::plan::ColumnId, SmolStr)| {
            let column = table.column(*column);
            let value = if column.is_hidden { REDACTED } else { value };
            format!("{}={}", column.column, self.text(value))
        };
        let key: Vec<String> = subject.key.iter().map(part).collect();
        format!("{} {}", table.shown, key.join(", "))
    }

    /// A text, unless values must not be shown.
    pub(crate) fn text(&self, text: &str) -> String {
        if self.redacts || holds_secret(text) {
            REDACTED.to_owned()
        } else {
            cut(text).into_owned()
        }
    }

    /// A claimed value, in one short line.
    pub(crate) fn value(&self, value: &Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            _ => self.text(&value.plain()),
        }
    }

    /// What a fact claims, in one short line.
    pub(crate) fn claimed(&self, fact: &Fact, target: &(TableId, Target)) -> String {
        match &fact.claim {
            Claim::Value(value) => self.value(value),
            Claim::Values(values) => {
                let parts: Vec<_> = values.iter().take(LONGEST).map(Value::plain).collect();
                self.text(&parts.join(", "))
            }
            Claim::Rows(rows) => {
                let table = self.target_table(target);
                let row = rows
                    .first()
                    .map(|row| super::children::json_row(self.model.table(table), row));
                self.text(&row.unwrap_or_default())
            }
        }
    }

    /// What was found, in one short line.
    pub(crate) fn found(&self, fact: &Fact) -> String {
        match &fact.found {
            Found::Nothing => "nothing".to_owned(),
            Found::Same => fact
                .value()
                .map_or_else(String::new, |value| self.value(value)),
            Found::Cell(cell) => match &**cell {
                crate::observe::Cell::Null => "null".to_owned(),
                cell => self.text(&shown(cell)),
            },
            Found::Count(count) => format!("{count} rows"),
            Found::Several(several) => self.text(&several.0),
            Found::Failed(message) => self.text(message),
        }
    }

    /// The element that has no row.
    pub(crate) fn missing(&self, fact: &Fact, target: &(TableId, Target)) -> String {
        match &fact.found {
            Found::Several(several) => self.text(&several.1),
            _ => self.claimed(fact, target),
        }
    }

    /// The column, or the child table, that a fact is about.
    pub(crate) fn target(&self, target: &(TableId, Target)) -> String {
        let table = self.model.table(self.target_table(target));
        match (target.1.column(), &target.1) {
            (Some(column), Target::Column(_)) => table.column(column).column.to_string(),
            (Some(column), _) => format!("{}.{}", table.shown, table.column(column).column),
            (None, _) => table.shown.to_string(),
        }
    }

    /// The table whose rows a fact is about.
    pub(crate) fn target_table(&self, (table, target): &(TableId, Target)) -> TableId {
        target.table(*table, self.model)
    }
}

/// A text that is not too long for a line.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    if text.chars().nth(LONGEST).is_none() {
        return text.into();
    }
    let start: String = text.chars().take(LONGEST - 3).collect();
    (start + "...").into()
}

/// Appends what was found.
pub(crate) fn write_found(out: &mut String, fact: &Fact) {
    match &fact.found {
        Found::Nothing | Found::Failed(_) => out.push_str("null"),
        Found::Same => fact.claim.write_canonical(out),
        Found::Cell(cell) => out.push_str(&cell_json(cell)),
        Found::Count(count) => out.push_str(&count.to_string()),
        Found::Several(several) => out.push_str(&several.0),
    }
}
