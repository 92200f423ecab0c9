//! Comparing what was claimed with what a column holds (rows 7).
//!
//! Three answers: equal, different, not comparable. Whatever another program
//! may have written otherwise without lying is not comparable.

mod json;
pub(crate) mod moment;
pub(crate) mod number;
mod text;
pub(crate) mod value;

use std::borrow::Cow;

use crate::observe::{Cell, Holds};
use moment::Moment;
use number::Decimal;
use value::Value;

/// What a comparison says, with the tolerance or the reason in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal(&'static str),
    Different(&'static str),
    Not(&'static str),
}

impl Comparison {
    pub(crate) const fn is_equal(self) -> bool {
        matches!(self, Self::Equal(_))
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Equal(word) | Self::Different(word) | Self::Not(word) => word,
        }
    }
}

use Comparison::{Different, Equal, Not};

/// What is said instead of a tolerance when nothing is claimed against something.
pub(crate) const NULL: &str = "null";

/// One side says more than the other.
const PARTIAL: &str = "partial";
/// The column holds the beginning alone.
const CUT: &str = "cut";
/// Said of texts that differ in case alone.
pub(crate) const CASE: &str = "case";
/// The column holds the day alone, and is made for a time.
const DAY: &str = "day";
/// One side hides a part, and what it shows fits.
const MASKED: &str = "masked";

/// Whether what is not comparable for this reason leaves something open that
/// only one side says. Other reasons are ways to write the same.
pub(crate) fn leaves_open(word: &str) -> bool {
    [PARTIAL, CUT, DAY].contains(&word)
}

/// What the comparison needs to know about a column and a field.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub(crate) struct Sides {
    pub(crate) holds: Holds,
    /// Whether the name of the column speaks of the small unit of money.
    pub(crate) column_is_minor: bool,
    /// Whether the name of the field does.
    pub(crate) field_is_minor: bool,
    /// Whether the column is made for moments, by its type or its name.
    pub(crate) has_time: bool,
    /// Whether a contract says which column is meant: texts and numbers are
    /// then equal or different.
    pub(crate) literally: bool,
}

/// Compares a claimed value with a cell.
pub(crate) fn compare(claim: &Value, cell: &Cell, sides: Sides) -> Comparison {
    if !sides.column_is_minor && is_just(claim, cell) {
        return Equal("");
    }
    let said = tolerant(claim, cell, sides);
    if !sides.literally || !matches!(said, Not(_)) {
        return said;
    }
    let is_text = said != Not(DAY) && matches!((claim, cell), (Value::Text(_), Cell::Text(_)));
    let is_number = || Decimal::of_value(claim).is_some() && Decimal::of_cell(cell).is_some();
    if is_text || is_number() {
        Different("")
    } else {
        said
    }
}

/// Whether a cell holds just the text or the number that is claimed: then no
/// tolerance is needed.
pub(crate) fn is_just(claim: &Value, cell: &Cell) -> bool {
    match (claim, cell) {
        (Value::Text(text), Cell::Text(held)) => text == held,
        (Value::Number(digits), Cell::Number(held)) => {
            digits.len() <= 15 && digits.parse() == Ok(*held)
        }
        _ => false,
    }
}

fn tolerant(claim: &Value, cell: &Cell, sides: Sides) -> Comparison {
    let is_nothing = match claim {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Json(_) => false,
    };
    match cell {
        Cell::Unreadable => return Not("bytes"),
        Cell::Null if is_nothing => return Equal(""),
        Cell::Text(text) if is_nothing && text.is_empty() => return Equal(""),
        _ if is_nothing => return Different(NULL),
        Cell::Null => return Different(""),
        _ => {}
    }
    match claim {
        Value::Json(json) => json::compare(json.root(), cell),
        Value::Bool(truth) => {
            // programs keep truth in whole numbers and texts: 1.00 is an amount
            let is_amount = match sides.holds {
                Holds::Number(scale) => scale != Some(0),
                holds => holds == Holds::Single,
            };
            let own = truth_of(cell).filter(|_| !is_amount);
            own.map_or(Not("no truth value"), |own| same(own == *truth))
        }
        Value::Null | Value::Number(_) | Value::Text(_) => scalar(claim, cell, sides),
    }
}

const fn same(is_same: bool) -> Comparison {
    if is_same { Equal("") } else { Different("") }
}

/// A number or a text against a cell that holds something.
fn scalar(claim: &Value, cell: &Cell, sides: Sides) -> Comparison {
    if let Cell::Bool(own) = cell {
        return word_of_truth(&claim.plain())
            .map_or(Not("no truth value"), |truth| same(truth == *own));
    }
    let (ours, theirs) = (Decimal::of_value(claim), Decimal::of_cell(cell));
    if let (Some(ours), Some(theirs)) = (&ours, &theirs) {
        return match (claim, cell) {
            (Value::Text(a), Cell::Text(b)) if text::are_digits_of_people(a, b) => {
                Not("leading digits")
            }
            _ => numbers(ours, theirs, sides),
        };
    }
    if let Value::Text(text) = claim
        && let Some(claimed) = Moment::parse(text)
    {
        return moments(claimed, cell, theirs.as_ref(), sides);
    }
    if let (Some(ours), Some(held)) = (&ours, moment_of(cell, sides)) {
        let epoch = epoch_of(held);
        let is_same = held.has_time && epoch.iter().any(|epoch| epoch == ours);
        return if is_same {
            Equal("epoch")
        } else {
            Not("date form")
        };
    }
    let both_texts = matches!(claim, Value::Text(_)) && !matches!(cell, Cell::Number(_));
    if ours.is_some() != theirs.is_some() && !both_texts {
        return ours.map_or(Not("coded"), |number| text::currency(&number, &shown(cell)));
    }
    if matches!(cell, Cell::Number(_)) {
        return Not("coded");
    }
    text::compare(&claim.plain(), &shown(cell))
}

fn numbers(claim: &Decimal, held: &Decimal, sides: Sides) -> Comparison {
    let is_minor = sides.column_is_minor && !sides.field_is_minor;
    if claim.is_about(held) {
        return if is_minor && !sides.literally && !claim.is_zero() {
            Not("minor units")
        } else {
            Equal("")
        };
    }
    if let Holds::Number(Some(scale)) = sides.holds
        && claim.rounds_to(held, i64::from(scale))
    {
        return Equal("rounded");
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the column has lost these digits, too"
    )]
    let is_same_single = |a: f64, b: f64| (a as f32).to_bits() == (b as f32).to_bits();
    if sides.holds == Holds::Single && is_same_single(claim.to_f64(), held.to_f64()) {
        return Equal("single precision");
    }
    let is_hundredfold = claim.hundredfold() == *held;
    if is_hundredfold && (is_minor || (sides.holds == Holds::Integer && !claim.is_whole())) {
        return Equal("minor units");
    }
    if is_hundredfold || *claim == held.hundredfold() {
        return Not("factor 100");
    }
    let apart = (claim.to_f64() - held.to_f64()).abs();
    if sides.holds == Holds::Integer && !claim.is_whole() && apart < 1.0 {
        return Not("rounded");
    }
    if claim.is_of_another_unit(held) {
        return Not("unit");
    }
    Different("")
}

fn moments(claim: Moment, cell: &Cell, number: Option<&Decimal>, sides: Sides) -> Comparison {
    let Some(held) = moment_of(cell, sides) else {
        return match number {
            Some(number) if claim.offset_known && claim.has_time => of_epoch(claim, number),
            _ => Not("no date"),
        };
    };
    let apart = (claim.seconds - held.seconds).abs();
    if !(claim.has_time && held.has_time) {
        return if claim.has_time && sides.has_time && apart > 0 && claim.day() == held.day() {
            Not(DAY)
        } else if claim.day() == held.day() {
            Equal(if claim.has_time == held.has_time {
                ""
            } else {
                "date only"
            })
        } else if apart <= 86_400 && claim.has_time != held.has_time {
            Not("time zone")
        } else {
            Different("")
        };
    }
    let zones = claim.offset_known != held.offset_known;
    if apart == 0 {
        return Equal(if zones { "time zone" } else { "" });
    }
    if zones && apart <= 14 * 3600 && apart % 900 == 0 {
        return Not("time zone");
    }
    Different("")
}

/// A moment against a number: seconds or milliseconds since 1970, if the
/// number can be that at all.
fn of_epoch(claim: Moment, number: &Decimal) -> Comparison {
    if epoch_of(claim).contains(number) {
        return Equal("epoch");
    }
    let number = number.to_f64();
    let seconds = 1e8..4.2e9;
    let is_epoch = seconds.contains(&number) || seconds.contains(&(number / 1000.0));
    if is_epoch {
        Different("epoch")
    } else {
        Not("date form")
    }
}

/// Seconds and milliseconds since 1970.
fn epoch_of(moment: Moment) -> [Decimal; 2] {
    let seconds = moment.seconds;
    [seconds, seconds.saturating_mul(1000)].map(Decimal::of_whole)
}

/// The day or moment in a column.
fn moment_of(cell: &Cell, sides: Sides) -> Option<Moment> {
    match cell {
        Cell::Moment(text) => Moment::parse(text).map(|moment| Moment {
            offset_known: sides.holds != Holds::Moment(false),
            ..moment
        }),
        Cell::Day(text) => Moment::parse(text),
        Cell::Text(text) => Moment::parse(text),
        _ => None,
    }
}

/// The text of a cell, as people write it.
pub(crate) fn shown(cell: &Cell) -> Cow<'_, str> {
    match cell {
        Cell::Null => "".into(),
        Cell::Bool(true) => "true".into(),
        Cell::Bool(false) => "false".into(),
        Cell::Number(number) => crosscheck_core::canonical::number_text(*number).into(),
        Cell::Text(text) | Cell::Document(text) => text.as_str().into(),
        Cell::Moment(text) | Cell::Day(text) => text.as_str().into(),
        Cell::Unreadable => "(bytes)".into(),
    }
}

fn truth_of(cell: &Cell) -> Option<bool> {
    match cell {
        Cell::Bool(truth) => Some(*truth),
        other => word_of_truth(&shown(other)),
    }
}

fn word_of_truth(word: &str) -> Option<bool> {
    match word.trim().to_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "1" | "on" => Some(true),
        "false" | "f" | "no" | "n" | "0" | "off" => Some(false),
        _ => None,
    }
}

/// How an answer relates to what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    Same,
    /// It shows a part of it.
    Part,
    Other,
}

/// Compares what was asked for with what was answered. They are the same if
/// either side says so, unless the answer says less.
pub(crate) fn answered(asked: &Value, returned: &Value) -> Answered {
    let held = cell(returned);
    let said = compare(asked, &held, Sides::default());
    let has_parts = matches!((asked, returned), (Value::Json(_), Value::Json(_)));
    if is_part(said, asked, &held) {
        return Answered::Part;
    }
    let is_back = || compare(returned, &cell(asked), Sides::default()).is_equal();
    if said.is_equal() || (!has_parts && is_back()) {
        Answered::Same
    } else {
        Answered::Other
    }
}

/// Whether a column holds only a part of what was claimed, as far as a
/// comparison can say.
pub(crate) fn is_part(said: Comparison, claim: &Value, held: &Cell) -> bool {
    let (ours, theirs) = (claim.length(), shown(held).len());
    match said {
        Not(MASKED) => theirs <= ours,
        Not(word) => leaves_open(word) && theirs < ours,
        Equal(_) | Different(_) => false,
    }
}

/// A claimed value as a column would hold it.
pub(crate) fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(truth) => Cell::Bool(*truth),
        Value::Number(digits) => match digits.parse() {
            Ok(number) if digits.len() <= 15 => Cell::Number(number),
            _ => Cell::Text(digits.clone()),
        },
        Value::Text(text) => Cell::Text(text.clone()),
        Value::Json(json) => {
            Cell::Document(crosscheck_core::canonical::of_node(json.root()).into())
        }
    }
}

#[cfg(test)]
mod tests;
