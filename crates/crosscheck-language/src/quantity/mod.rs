//! Quantities: dates, years, versions, clock times, decades and numbers with
//! their units (judge Q1 to Q11).

mod around;
mod clock;
mod date;
mod decimal;
mod digits;
mod fraction;
mod hedge;
mod number;
mod origin;
mod scan;
mod tail;

use std::ops::Range;

use crate::lexicon::{Dimension, LEXICON};
pub use decimal::Decimal;
pub use digits::Digits;
pub use fraction::spoken;
pub use hedge::{Bound, Hedge, time_bound};
pub use origin::{Origin, origin_of};
pub use scan::{begins_quantity, each_quantity, scan};

/// One quantity of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// Its range, without a count noun.
    pub range: Range<usize>,
    /// How it is written.
    pub role: Role,
    /// The range of the words of its unit.
    pub unit_words: Option<Range<usize>>,
    /// Its value.
    pub kind: QuantityKind,
    /// By how many places words such as `million` shift it.
    pub shift: i32,
    /// Values that are written in it, and are not it: the 25 minutes of `1 h 25 min`.
    pub parts: Vec<QuantityKind>,
    /// What else its form can mean: `7B` is 7 billion or 7 bytes.
    pub others: Vec<QuantityKind>,
    /// Known only for quantities of [`quantities`] and of a claim.
    pub hedge: Hedge,
    /// The ends of a range, of which it is one: `15-17 GW`. Known like the hedge.
    pub ends: Option<Box<(Decimal, Decimal)>>,
}

/// How a quantity is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `3`
    Digits,
    /// `three`, `half a million`
    Word,
    /// `a dozen`, `a million`: it can be a little more or less.
    Vague,
    /// It is rather a name, and a text can have it in many forms: `5G`, `3f2a9c1`.
    Name,
    /// `112th` is a word (judge T4); a text that has it does not lack the number.
    Ordinal,
}

/// The value of a quantity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum QuantityKind {
    /// A date, perhaps without its day.
    Date {
        /// The year.
        year: u16,
        /// From 1 to 12.
        month: u8,
        /// From 1 to 31.
        day: Option<u8>,
    },
    /// A year.
    Year(u16),
    /// The first year of a decade.
    Decade(u16),
    /// Minutes of a half day, and which half if known.
    Clock {
        /// Below 720.
        minutes: u16,
        /// The second half.
        afternoon: Option<bool>,
    },
    /// A version, without `v`.
    Version(Box<str>),
    /// A number.
    Number {
        /// How many.
        value: Decimal,
        /// Of what.
        unit: Unit,
    },
    /// More digits than a value can have; compared as text.
    Long(Box<str>),
}

/// What a number is a number of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Nothing is said.
    None,
    /// A unit of the table.
    Dimension(Dimension),
    /// The stem of the counted word.
    Count(Box<str>),
}

/// All quantities of a normal text that is read as prose.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let mut found = scan(text, false);
    for quantity in &mut found {
        quantity.hedge = Hedge::of(text, &quantity.range);
    }
    for second in 1..found.len() {
        let ends = range_of(text, &found, second - 1);
        for quantity in found.iter_mut().skip(second - 1).take(2) {
            quantity.ends = quantity.ends.take().or_else(|| ends.map(Box::new));
        }
    }
    found
}

/// Whether a normal text that is read as prose has a quantity.
pub fn has_quantity(text: &str) -> bool {
    !scan(text, false).is_empty()
}

/// Whether a normal text that is read as prose has a figure.
pub fn has_figure(text: &str) -> bool {
    let may_be = !text.is_ascii() || text.bytes().any(|byte| byte.is_ascii_digit());
    may_be && scan(text, false).iter().any(Quantity::is_figure)
}

/// The ends of the range that a quantity begins: `15-17`, `15 to 17`.
pub fn range_of(text: &str, all: &[Quantity], first: usize) -> Option<(Decimal, Decimal)> {
    let (a, b) = (all.get(first)?, all.get(first + 1)?);
    let between = text.get(a.range.end..b.range.start)?.trim();
    match (&a.kind, &b.kind) {
        (
            QuantityKind::Number { value: low, unit },
            QuantityKind::Number {
                value: high,
                unit: its,
            },
        ) if matches!(between, "-" | "to" | "bis" | "à") && unit == its => {
            (low.compare(*high) == std::cmp::Ordering::Less).then_some((*low, *high))
        }
        _ => None,
    }
}

impl Quantity {
    /// Whether this is a figure: a number, date or version written with digits.
    pub fn is_figure(&self) -> bool {
        self.role == Role::Digits && !matches!(self.kind, QuantityKind::Year(_))
    }

    /// Whether words around it make it less than exact: `about 600`, `more than 2,100`.
    pub const fn is_rounded(&self) -> bool {
        self.hedge.about || self.hedge.bound.is_some()
    }

    /// Whether `seen`, a quantity of another text, matches this one.
    pub fn matches(&self, seen: &Self) -> bool {
        let mut readings = seen.others.iter().chain([&seen.kind]);
        readings.any(|kind| self.means(kind))
    }

    /// Whether `seen`, a value of another text, is one that this can mean.
    pub fn means(&self, seen: &QuantityKind) -> bool {
        let mut readings = self.others.iter().chain([&self.kind]);
        readings.any(|kind| kind.matches(seen)) || self.is_rounded_from(seen)
    }

    /// Whether its words say that it is `seen` with fewer digits: `around 1,300 kg` and 1,260 kg,
    /// `more than 800` and 820, but not 790.
    fn is_rounded_from(&self, seen: &QuantityKind) -> bool {
        let about = false;
        let bound = Hedge {
            about,
            ..self.hedge
        };
        self.is_rounded()
            && self.kind.rounds_within(seen, SAID_TO_BE_ROUNDED)
            && (bound == Hedge::default() || bound.allows(&self.kind, seen))
    }

    /// Whether its hedge allows `seen`, a value of another text.
    pub fn allows(&self, seen: &QuantityKind) -> bool {
        self.hedge.allows(&self.kind, seen)
            || self.ends.is_none() && self.kind.rounds(seen)
            || self
                .ends
                .as_deref()
                .is_some_and(|ends| self.kind.is_between(*ends, seen))
    }

    /// The stem of the counted word.
    pub fn count_noun(&self) -> Option<&str> {
        self.kind.count_noun()
    }
}

/// A rounded figure is at most this many percent off.
const ROUNDED: u8 = 2;
/// The same for one that is said to be rounded.
const SAID_TO_BE_ROUNDED: u8 = 8;

impl QuantityKind {
    /// Whether this is `seen` with fewer digits: $2.9 billion for $2.923 billion.
    pub fn rounds(&self, seen: &Self) -> bool {
        self.rounds_within(seen, ROUNDED)
    }

    fn rounds_within(&self, seen: &Self, percent_off: u8) -> bool {
        let percent = LEXICON.percent.id;
        // `a mean age of 37` for 37.2 years
        let bare = match (self, seen) {
            (
                Self::Number {
                    unit: Unit::None, ..
                },
                Self::Number {
                    unit: Unit::Dimension(its),
                    ..
                },
            ) => its.id != percent,
            _ => false,
        };
        let amounts = bare || self.has_dimension_of(seen) || self.is_comparable(seen, false);
        match (self, seen) {
            (
                Self::Number { value, unit },
                Self::Number {
                    value: other,
                    unit: its,
                },
            ) if amounts => {
                let measure = |unit: &Unit| unit.measure().filter(|_| !bare);
                let factor =
                    |unit: &Unit| measure(unit).map_or((1, 1), |unit| (unit.num, unit.den));
                let ((a_num, a_den), (b_num, b_den)) = (factor(unit), factor(its));
                let (own, long) = (value.times(a_num, b_den), other.times(b_num, a_den));
                value.is_rounded(
                    *other,
                    b_num.saturating_mul(a_den),
                    b_den.saturating_mul(a_num),
                ) && long.is_within(percent_off, own)
            }
            _ => false,
        }
    }

    /// Whether `seen`, an amount of the same kind, is not outside these ends.
    pub fn is_between(&self, (low, high): (Decimal, Decimal), seen: &Self) -> bool {
        match (self, seen) {
            (Self::Number { unit, .. }, Self::Number { value, unit: its }) => {
                unit == its
                    && low.compare(*value) != std::cmp::Ordering::Greater
                    && high.compare(*value) != std::cmp::Ordering::Less
            }
            _ => false,
        }
    }

    /// Whether it is a measured amount.
    pub fn has_dimension(&self) -> bool {
        matches!(self, Self::Number { unit, .. } if unit.measure().is_some())
    }

    /// Whether its unit counts as a word of the claim.
    pub fn is_soft(&self) -> bool {
        matches!(self, Self::Number { unit: Unit::Dimension(unit), .. } if unit.soft)
    }

    /// Whether both are amounts of one dimension.
    pub fn has_dimension_of(&self, other: &Self) -> bool {
        let measure = |kind: &Self| match kind {
            Self::Number { unit, .. } => unit.measure().map(|unit| unit.id),
            _ => None,
        };
        let own = measure(self);
        own.is_some() && own == measure(other)
    }

    /// Judge Q10: whether `seen`, a quantity of a text, matches this one of a
    /// claim.
    pub fn matches(&self, seen: &Self) -> bool {
        match (self, seen) {
            (
                Self::Date { year, month, day },
                Self::Date {
                    year: y,
                    month: m,
                    day: d,
                },
            ) => year == y && month == m && (day.is_none() || day == d),
            (Self::Year(year), Self::Year(y) | Self::Date { year: y, .. }) => year == y,
            (Self::Number { value, .. }, Self::Year(year)) => {
                *value == Decimal::whole(u32::from(*year))
            }
            (Self::Year(year), Self::Number { value, unit })
            | (Self::Number { value, unit }, Self::Date { year, .. }) => {
                *unit == Unit::None && *value == Decimal::whole(u32::from(*year))
            }
            (Self::Decade(first), _) => seen.year().is_some_and(|year| year / 10 * 10 == *first),
            (
                Self::Clock { minutes, afternoon },
                Self::Clock {
                    minutes: other,
                    afternoon: half,
                },
            ) => minutes == other && (afternoon.is_none() || half.is_none() || afternoon == half),
            (Self::Version(a), Self::Version(b)) | (Self::Long(a), Self::Long(b)) => a == b,
            (
                Self::Number { value, unit },
                Self::Number {
                    value: other,
                    unit: its,
                },
            ) => same_amount(*value, unit, *other, its),
            _ => false,
        }
    }

    /// Judge Q11: whether `seen` could be in the place of this one: same kind,
    /// same kind of unit. In `code` a number without a unit is comparable with
    /// any.
    pub fn is_comparable(&self, seen: &Self, code: bool) -> bool {
        match (self, seen) {
            (Self::Date { day, .. }, Self::Date { day: other, .. }) => {
                day.is_none() || other.is_some()
            }
            (Self::Year(_), Self::Year(_)) | (Self::Version(_), Self::Version(_)) => true,
            (Self::Number { unit, .. }, Self::Number { unit: other, .. }) => match (unit, other) {
                (Unit::Dimension(a), Unit::Dimension(b)) => a.id == b.id,
                (Unit::Count(a), Unit::Count(b)) => a == b,
                (Unit::None, Unit::None) => true,
                (_, Unit::None) => code,
                _ => false,
            },
            _ => false,
        }
    }

    /// The stem of the counted word.
    pub fn count_noun(&self) -> Option<&str> {
        match self {
            Self::Number {
                unit: Unit::Count(noun),
                ..
            } => Some(noun),
            _ => None,
        }
    }

    /// Its year, if it has one.
    pub fn year(&self) -> Option<u16> {
        match self {
            Self::Decade(year) | Self::Year(year) | Self::Date { year, .. } => Some(*year),
            Self::Number {
                value,
                unit: Unit::None,
            } => value.small().filter(|year| *year >= 1000),
            _ => None,
        }
    }
}

fn same_amount(a: Decimal, a_unit: &Unit, b: Decimal, b_unit: &Unit) -> bool {
    match (a_unit.measure(), b_unit.measure()) {
        (Some(x), Some(y)) => x.id == y.id && a.times(x.num, y.den) == b.times(y.num, x.den),
        (Some(x), None) => (x.soft || *b_unit == Unit::None) && a == b,
        (None, Some(y)) => (y.soft || *a_unit == Unit::None) && a == b,
        (None, None) => a == b,
    }
}

impl Unit {
    /// Its measure. A single letter behind a blank is a count noun, because it could be anything;
    /// but a reader of `30 s` beside `30000 ms` sees that they are the same.
    pub fn measure(&self) -> Option<Dimension> {
        match self {
            Self::Dimension(dimension) => Some(*dimension),
            Self::Count(noun) if noun.len() == 1 => LEXICON.word(noun)?.unit,
            Self::Count(_) | Self::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_match_across_units_but_not_against_counts() {
        let table = [
            ("30s", "30000 ms", true),
            ("2 weeks", "14 days", true),
            ("2 hours", "120 minutes", true),
            ("1 MB", "1 MiB", false),
            ("5", "5 ms", true),
            ("5 workers", "5", true),
            ("5 workers", "5 threads", true),
            ("5 workers", "5 ms", false),
            ("2023", "2023-04-05", true),
            ("2023", "2,023", true),
            ("1794", "3 March 1794", true),
            ("1794 people", "3 March 1794", false),
            ("the 1794 people", "3 March 1795", false),
            ("March 2025", "2025-03-09", true),
            ("9 March 2025", "March 2025", false),
            ("v1.2", "v1.2", true),
            ("v1.2.0", "1.2.0", true),
            ("5%", "5 pp", false),
            ("30 s", "30 minutes", false),
            ("30 s", "30 h", false),
            ("30 s", "30000 ms", true),
            ("30 s", "30", true),
            ("5 m", "5 hours", false),
            ("5 m", "5 metres", true),
            ("three", "3", true),
            ("2:30 PM", "14:30", true),
            ("2:30", "14:30", true),
            ("2:30 am", "14:30", false),
            ("12:05", "0:05", true),
            ("the 1980s", "1984", true),
            ("the 1980s", "May 1989", true),
            ("the 1980s", "the 1980s", true),
            ("the 1980s", "1990", false),
            ("the 1780s", "1784", true),
            ("1984", "the 1980s", false),
        ];
        for (claim, text, expected) in table {
            let (a, b) = (&scan(claim, false)[0], &scan(text, false)[0]);
            assert_eq!(a.matches(b), expected, "{claim} / {text}");
        }
    }

    #[test]
    fn a_figure_in_another_form_is_the_same_figure() {
        let table = [
            ("7B parameters", "7 billion parameters", true),
            ("7B", "7 bytes", true),
            ("7B", "8 billion", false),
            ("2,800,000 people", "2.8m people", true),
            ("2.8m people", "2.9 million people", false),
            ("£1m", "1 million pounds", true),
            ("$2.8 m", "2.8 million dollars", true),
            ("$3b", "$3 bn", true),
            ("3 bn", "3 billion", true),
            ("100m", "100 metres", true),
            ("5m", "5 minutes", true),
            ("5 km", "5,000 metres", true),
            ("5km", "five kilometres", true),
            ("5 km", "5 Kilometer", true),
            ("5 km", "6 km", false),
            ("5 km", "5 kg", false),
            ("1.21 GW", "1,210 MW", true),
            ("1.21 GW", "1.21 MW", false),
            ("5 MWh", "5 MW", false),
            ("2 kg", "2,000 grams", true),
            ("41 000", "41,000", true),
            ("41 000", "14,000", false),
            ("41,000", "41,237", false),
            ("41.000", "41,000", true),
            ("1.234.567", "1,234,567", true),
            ("6.5.2023", "v6.5.2023", true),
            ("-5 °C", "minus 5 °C", true),
            ("minus five", "-5", true),
            ("`-0.05`", "-0.05", true),
            ("-5", "5", false),
            ("99 cents", "$0.99", true),
            ("1.5 lakh people", "150,000 people", true),
            ("16,2 GW", "16.2 GW", true),
            ("16.2 GW", "16,2 Gigawatt", true),
            ("16,2 GW", "162 GW", false),
            ("1,5 Milliarden Euro", "1.5 billion euros", true),
            ("10 %", "10 Prozent", true),
        ];
        for (claim, text, expected) in table {
            let (a, b) = (&scan(claim, false)[0], &scan(text, false)[0]);
            assert_eq!(a.matches(b), expected, "{claim} / {text}");
        }
    }

    #[test]
    fn only_the_same_kind_can_conflict() {
        let table = [
            ("5 ms", "6 seconds", true),
            ("5 ms", "6 bytes", false),
            ("5 workers", "6 workers", true),
            ("5 workers", "6 threads", false),
            ("5", "6", true),
            ("5 workers", "6", false),
            ("May 2020", "4 June 2020", true),
            ("4 May 2020", "June 2020", false),
            ("2019", "2020", true),
            ("2019", "2,020", false),
            ("2:30", "2:40", false),
            ("the 1980s", "the 1990s", false),
            ("v1.2", "v1.3", true),
        ];
        for (claim, text, expected) in table {
            let (a, b) = (&scan(claim, false)[0].kind, &scan(text, false)[0].kind);
            assert_eq!(a.is_comparable(b, false), expected, "{claim} / {text}");
        }
        let code = (&scan("5 workers", false)[0].kind, &scan("6", false)[0].kind);
        assert!(code.0.is_comparable(code.1, true));
    }
}
