//! Claimed rows and lists against the rows of a child table.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::compare::value::Value;
use crate::compare::{Comparison, Sides, compare, shown};
use crate::fact::{Cells, Element, FactState, Found};
use crate::look::{MOST, cell};
use crate::observe::{Cell, Holds};
use crate::plan::means::means;
use crate::plan::model::TableModel;
use crate::plan::{ColumnId, From};

/// The most comparisons of one fact; a claim that needs more is left open.
const COMPARISONS: usize = 2_000_000;
/// At most this many rows are shown.
const SHOWN: usize = 20;

/// What looking said, what was found, and a word.
pub(crate) type Judged = (FactState, Found, &'static str);

const TOO_MANY: Judged = (FactState::NotCompared, Found::Nothing, "too many rows");

/// Each claimed row needs a row of its own. `is_complete` wants no others.
pub(crate) fn rows(
    claimed: &[Element],
    found: &[Cells],
    table: &TableModel,
    from: From,
    is_complete: bool,
) -> Judged {
    let is_whole = found.len() <= MOST;
    let compare_all = |element: &Element, row: &Cells| {
        let parts = element.iter().map(|(column, value)| {
            let sides = sides(table, *column, "", from);
            cell(row, *column).map_or(Comparison::Not("no column"), |held| {
                compare(value, held, sides)
            })
        });
        Fit::of(parts)
    };
    let names = |element: &Element| signature(element.iter().map(|(_, value)| value.plain()));
    let texts = |element: &Element, row: &Cells| {
        let held =
            |(column, _): &(ColumnId, Value)| cell(row, *column).map(shown).unwrap_or_default();
        signature(element.iter().map(held))
    };
    let mut matching = Matching::new(found.len());
    matching.exactly(claimed, found, names, texts);
    let mut worst = Fit::Whole;
    for wanted in [Fit::Whole, Fit::Open] {
        if matching.missing(claimed).is_some() {
            worst = wanted;
        }
        let fits = |element: &Element, row: &Cells| compare_all(element, row) >= wanted;
        if !matching.greedily(claimed, found, fits) {
            return TOO_MANY;
        }
    }
    let Some(missing) = matching.missing(claimed) else {
        if worst < Fit::Whole {
            return (FactState::NotCompared, count(found.len()), "partial");
        }
        let has_more = is_complete && matching.left() > 0;
        let look = if has_more {
            FactState::ExtraRows
        } else {
            FactState::Agrees
        };
        return (look, count(found.len()), "");
    };
    // a row that may be this one serves another element
    let is_doubtful = found
        .iter()
        .take(SHOWN * SHOWN)
        .any(|row| compare_all(missing, row) == Fit::Open);
    if !is_whole || is_doubtful {
        return (
            FactState::NotCompared,
            count(found.len()),
            if is_whole { "partial" } else { "too many rows" },
        );
    }
    let several = (json_rows(table, missing, found), json_row(table, missing));
    (FactState::Differs, Found::Several(Box::new(several)), "")
}

/// Each claimed value needs a row of its own.
pub(crate) fn list(
    claimed: &[Value],
    found: &[Cells],
    column: ColumnId,
    table: &TableModel,
) -> Judged {
    let is_whole = found.len() <= MOST;
    let sides = sides(table, column, "", From::Result);
    let said = |value: &Value, row: &Cells| {
        cell(row, column).map_or(Comparison::Not("no column"), |held| {
            compare(value, held, sides)
        })
    };
    let is_other = |row: &Cells| {
        claimed
            .first()
            .is_some_and(|first| matches!(said(first, row), Comparison::Not(_)))
    };
    if !found.is_empty() && found.iter().all(is_other) {
        return (FactState::NotCompared, count(found.len()), "other kind");
    }
    let mut matching = Matching::new(found.len());
    let held = |_: &Value, row: &Cells| {
        let held = cell(row, column).map(shown);
        held.unwrap_or_default().into_owned()
    };
    matching.exactly(claimed, found, |value| value.plain().into_owned(), held);
    if !matching.greedily(claimed, found, |value, row| said(value, row).is_equal()) {
        return TOO_MANY;
    }
    match matching.missing(claimed) {
        None if matching.left() > 0 => (FactState::ExtraRows, count(found.len()), ""),
        None => (FactState::Agrees, count(found.len()), ""),
        Some(_) if !is_whole => (FactState::NotCompared, count(found.len()), "too many rows"),
        Some(missing) => {
            let cells = found.iter().take(SHOWN).filter_map(|row| cell(row, column));
            let texts: Vec<String> = cells.map(cell_json).collect();
            let several = (
                format!("[{}]", texts.join(", ")),
                missing.plain().into_owned(),
            );
            (FactState::Differs, Found::Several(Box::new(several)), "")
        }
    }
}

/// What a comparison needs to know about a column and a field.
pub(crate) fn sides(table: &TableModel, column: ColumnId, field: &str, from: From) -> Sides {
    let column = table.column(column);
    Sides {
        holds: column.holds,
        column_is_minor: column.is_minor,
        // asked of a column of small units only
        field_is_minor: column.is_minor
            && !field.is_empty()
            && crate::plan::names::Name::new(field).is_minor(),
        has_time: matches!(column.holds, Holds::Moment(_))
            || means().moments.has(column.name.last()),
        literally: from.is_literal(),
    }
}

/// How well a row fits an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// Nothing differs, something is equal, and something cannot be compared.
    Open,
    /// Everything is equal.
    Whole,
}

impl Fit {
    fn of(parts: impl Iterator<Item = Comparison>) -> Self {
        let (mut equal, mut fit) = (false, Self::Whole);
        for part in parts {
            match part {
                Comparison::Equal(_) => equal = true,
                Comparison::Different(_) => return Self::No,
                Comparison::Not(_) => fit = Self::Open,
            }
        }
        if equal { fit } else { Self::No }
    }
}

/// Which rows are taken, and which elements have one.
struct Matching {
    taken: Vec<bool>,
    matched: Vec<bool>,
    budget: usize,
}

impl Matching {
    fn new(rows: usize) -> Self {
        Self {
            taken: vec![false; rows],
            matched: Vec::new(),
            budget: COMPARISONS,
        }
    }

    /// Elements whose texts are just those of a row, without comparing all pairs.
    fn exactly<E>(
        &mut self,
        claimed: &[E],
        found: &[Cells],
        name: impl Fn(&E) -> String,
        text: impl Fn(&E, &Cells) -> String,
    ) {
        self.matched = vec![false; claimed.len()];
        let Some(first) = claimed.first() else { return };
        // elements of one array mostly fill the same columns
        let mut rows: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, row) in found.iter().enumerate().rev() {
            rows.entry(text(first, row)).or_default().push(at);
        }
        for (at, element) in claimed.iter().enumerate() {
            let Some(places) = rows.get_mut(&name(element)) else {
                continue;
            };
            let fits = places.last().and_then(|place| found.get(*place));
            if fits.is_some_and(|row| text(element, row) == name(element))
                && let Some(place) = places.pop()
            {
                self.take(at, place);
            }
        }
    }

    /// The others in their order, each with the first row that fits; `false`
    /// when that would be too much work.
    fn greedily<E>(
        &mut self,
        claimed: &[E],
        found: &[Cells],
        fits: impl Fn(&E, &Cells) -> bool,
    ) -> bool {
        for (at, element) in claimed.iter().enumerate() {
            if self.matched.get(at) == Some(&true) {
                continue;
            }
            for (place, row) in found.iter().enumerate() {
                if self.taken.get(place) == Some(&true) {
                    continue;
                }
                if self.budget == 0 {
                    return false;
                }
                self.budget -= 1;
                if fits(element, row) {
                    self.take(at, place);
                    break;
                }
            }
        }
        true
    }

    fn take(&mut self, element: usize, place: usize) {
        if let Some(matched) = self.matched.get_mut(element) {
            *matched = true;
        }
        if let Some(taken) = self.taken.get_mut(place) {
            *taken = true;
        }
    }

    fn missing<'e, E>(&self, claimed: &'e [E]) -> Option<&'e E> {
        let mut pairs = claimed.iter().zip(&self.matched);
        pairs
            .find(|(_, matched)| !**matched)
            .map(|(element, _)| element)
    }

    fn left(&self) -> usize {
        self.taken.iter().filter(|taken| !**taken).count()
    }
}

fn signature<'t>(texts: impl Iterator<Item = Cow<'t, str>>) -> String {
    let mut signature = String::new();
    for text in texts {
        signature.push_str(&text);
        signature.push('\u{0}');
    }
    signature
}

fn count(rows: usize) -> Found {
    Found::Count(u32::try_from(rows).unwrap_or(u32::MAX))
}

pub(crate) fn json_row(table: &TableModel, element: &Element) -> String {
    let member = |(column, value): &(ColumnId, Value)| {
        let name = table.column(*column).column.as_str();
        format!(
            "{}: {}",
            Value::Text(name.into()).canonical(),
            value.canonical()
        )
    };
    let members: Vec<String> = element.iter().map(member).collect();
    format!("{{{}}}", members.join(", "))
}

fn json_rows(table: &TableModel, element: &Element, found: &[Cells]) -> String {
    let row = |row: &Cells| {
        let member = |(column, _): &(ColumnId, Value)| {
            let name = table.column(*column).column.as_str();
            let held = cell(row, *column).map_or("null".to_owned(), cell_json);
            format!("{}: {held}", Value::Text(name.into()).canonical())
        };
        let members: Vec<String> = element.iter().map(member).collect();
        format!("{{{}}}", members.join(", "))
    };
    let rows: Vec<String> = found.iter().take(SHOWN).map(row).collect();
    format!("[{}]", rows.join(", "))
}

/// A cell as JSON text.
pub(crate) fn cell_json(cell: &Cell) -> String {
    match cell {
        Cell::Null => "null".to_owned(),
        Cell::Bool(_) => shown(cell).into_owned(),
        Cell::Number(number) if number.is_finite() => shown(cell).into_owned(),
        other => Value::Text(shown(other).into()).canonical(),
    }
}
