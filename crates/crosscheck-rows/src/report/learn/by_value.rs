//! Arguments that no column is called like, and the columns that hold their
//! values. The columns of a row are sorted by what they hold, so that a value is
//! compared with those alone that may equal it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::compare::moment::Moment;
use crate::compare::value::Value;
use crate::compare::{Sides, compare, shown};
use crate::observe::Cell;
use crate::plan::ColumnId;

/// At most this many different values are remembered of an argument.
const VALUES: usize = 2;

/// What was seen of one argument.
#[derive(Default)]
pub(super) struct ByValue {
    pub(super) calls: usize,
    /// In how many calls a column held the value.
    pub(super) columns: BTreeMap<ColumnId, usize>,
    pub(super) values: BTreeSet<String>,
}

impl ByValue {
    /// One more call with this value, and a row with these cells.
    pub(super) fn add(&mut self, value: &Value, cells: &Cells<'_>) {
        self.calls += 1;
        if self.values.len() < VALUES {
            self.values.insert(value.canonical());
        }
        let mut like = cells.like(value);
        like.retain(|(_, cell)| compare(value, cell, Sides::default()).is_equal());
        for (column, _) in like {
            *self.columns.entry(column).or_default() += 1;
        }
        // only what held the value in every call is proposed
        let all = self.calls;
        self.columns.retain(|_, held| *held == all);
    }
}

/// The cells of a row by what they may equal.
pub(super) struct Cells<'r>(HashMap<String, Vec<(ColumnId, &'r Cell)>>);

impl<'r> Cells<'r> {
    pub(super) fn new(cells: impl Iterator<Item = &'r (ColumnId, Cell)>) -> Self {
        let mut sorted: HashMap<String, Vec<(ColumnId, &Cell)>> = HashMap::new();
        for (column, cell) in cells {
            for sign in signs(&shown(cell)) {
                sorted.entry(sign).or_default().push((*column, cell));
            }
        }
        Self(sorted)
    }

    fn like(&self, value: &Value) -> Vec<(ColumnId, &'r Cell)> {
        let signs = signs(&value.plain());
        let found = signs.iter().filter_map(|sign| self.0.get(sign)).flatten();
        let mut found: Vec<(ColumnId, &Cell)> = found.copied().collect();
        found.sort_by_key(|(column, _)| *column);
        found.dedup_by_key(|(column, _)| *column);
        found
    }
}

/// What two values that may be equal have in common: their letters and digits,
/// the digits of a number, the day or the second of a moment, a truth value.
fn signs(text: &str) -> Vec<String> {
    let text = text.trim();
    let folded = text.to_lowercase().replace('ß', "ss");
    let bare: String = folded.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut signs = vec![format!(
        "text {}",
        if bare.is_empty() { text } else { &bare }
    )];
    let number: Option<f64> = text.parse().ok();
    match number.filter(|number| number.is_finite()) {
        Some(number) => signs.push(digits(&number.to_string())),
        None if text.contains(|c: char| c.is_ascii_digit()) => signs.push(digits(text)),
        None => {}
    }
    match folded.as_str() {
        "true" | "t" | "yes" | "y" | "1" | "on" => signs.push("truth".to_owned()),
        "false" | "f" | "no" | "n" | "0" | "off" => signs.push("untruth".to_owned()),
        _ => {}
    }
    if let Some(moment) = Moment::parse(text) {
        signs.push(format!("day {}", moment.day()));
        signs.push(digits(&moment.seconds.to_string()));
    }
    signs
}

/// The first digits of a number that are not zero.
fn digits(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_matches('0');
    format!("number {}", digits.get(..6).unwrap_or(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_equal_is_looked_at() {
        let cells = [
            Cell::Text("In Progress".into()),
            Cell::Text("1,250 EUR".into()),
            Cell::Number(1250.0),
            Cell::Text("2026-03-01T10:00:00Z".into()),
            Cell::Bool(true),
            Cell::Text("!!!".into()),
            Cell::Text("Straße 5".into()),
            Cell::Number(0.1),
        ];
        let values = [
            Value::Text("in-progress".into()),
            Value::Number("1250".into()),
            Value::Number("1.25e3".into()),
            Value::Text("1250.00".into()),
            Value::Text("2026-03-01".into()),
            Value::Text("2026-03-01T12:00:00+02:00".into()),
            Value::Number("1772359200".into()),
            Value::Text("yes".into()),
            Value::Number("1".into()),
            Value::Text("!!!".into()),
            Value::Text("strasse 5".into()),
            Value::Number("0.10".into()),
        ];
        let row: Vec<(ColumnId, Cell)> = (0..).map(ColumnId).zip(cells).collect();
        let sorted = Cells::new(row.iter());
        let mut equal = 0;
        for value in &values {
            let like = sorted.like(value);
            for (column, cell) in &row {
                if compare(value, cell, Sides::default()).is_equal() {
                    equal += 1;
                    assert!(
                        like.iter().any(|(known, _)| known == column),
                        "{value:?} {cell:?}"
                    );
                }
            }
        }
        assert!(equal > values.len() - 2, "{equal}");
    }

    #[test]
    fn a_value_is_compared_with_few_of_many_columns() {
        let row: Vec<(ColumnId, Cell)> = (0..1_000)
            .map(|at| (ColumnId(at), Cell::Text(format!("value {at}").into())))
            .collect();
        let cells = Cells::new(row.iter());
        assert!(cells.like(&Value::Text("Value 77".into())).len() < 4);
        let mut seen = ByValue::default();
        for _ in 0..3 {
            seen.add(&Value::Text("value 5".into()), &cells);
        }
        assert_eq!(
            seen.columns.into_iter().collect::<Vec<_>>(),
            [(ColumnId(5), 3)]
        );
    }
}
