//! Days without their own year or month: `7-11 February 2022`, `February 7-11`, `3 March`; months
//! and years in short forms: `09/2021`, `1971-75`.

use super::date::{date, plain};
use super::scan::Scanner;
use super::{Decimal, Quantity, QuantityKind, Unit};
use crate::lexicon::{LEXICON, List};
use crate::text::{is_letter, is_word_char};

/// What can be between two days of one month.
const JOINS: [&str; 7] = ["-", " - ", " to ", " and ", "/", " & ", ", "];
/// A list of days is read up to this many.
const DAYS_MAX: usize = 8;

impl Scanner<'_> {
    /// A day of a month, written with or without a year; the month can belong to a later day.
    pub(super) fn day(&self, at: usize) -> Option<Quantity> {
        let (day, own) = self.day_digits(at)?;
        if self.code || self.is_part_of_name(at) {
            return None;
        }
        let mut end = own;
        for _ in 0..DAYS_MAX {
            if let Some((month, after)) = self.month_behind(end) {
                let till = if end == own { after } else { own };
                let year = self.year_of_range(after);
                return dated(at..till, year, month, day);
            }
            let Some(next) = self.joined(end).and_then(|next| self.day_digits(next)) else {
                break;
            };
            end = next.1;
        }
        self.last_day(at, day, own)
    }

    /// `February 7`, and the first day of `February 7-11, 2022`.
    pub(super) fn month_and_day(&self, at: usize) -> Option<Quantity> {
        let (month, after) = self.month_named(at)?;
        let start = after + Some(self.spaces(after)).filter(|blank| *blank > 0)?;
        let (day, end) = self.day_digits(start)?;
        if self.code || self.counts(end) {
            return None;
        }
        dated(at..end, self.year_behind_days(end), month, day)
    }

    /// The last day of `February 7-11, 2022`.
    fn last_day(&self, at: usize, day: u8, end: usize) -> Option<Quantity> {
        let head = self.text.get(..at)?;
        let head = JOINS
            .iter()
            .take(4)
            .find_map(|join| head.strip_suffix(join))?;
        let before = head.trim_end_matches(|c: char| c.is_ascii_digit());
        let first: u8 = head.get(before.len()..)?.parse().ok()?;
        let before = before.strip_suffix(' ')?;
        let before = before.strip_suffix('.').unwrap_or(before);
        let start = before.trim_end_matches(is_letter).len();
        let (month, _) = self.month_named(start)?;
        let fits = first < day && !self.counts(end);
        let (year, end) = match self.year_at(end) {
            Some((year, end)) => (Some(year), end),
            None => (self.year_behind_days(end), end),
        };
        dated(at..end, year, month, day).filter(|_| fits)
    }

    /// The number of a day and the offset behind it and its ordinal mark.
    fn day_digits(&self, at: usize) -> Option<(u8, usize)> {
        let digits = self.digits(at);
        let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
        let end = at + digits.len();
        let end = end + self.ordinal_mark(end);
        let goes_on = match self.char(end) {
            Some('.' | ',' | ':' | '/') => !self.digits(end + 1).is_empty(),
            Some(c) => is_word_char(c) || c == '%',
            None => false,
        };
        // `7/8 February`
        let goes_on = goes_on
            && self
                .joined(end)
                .and_then(|next| self.month_behind(next + self.digits(next).len()))
                .is_none();
        (digits.len() <= 2 && !goes_on).then_some((day, end))
    }

    /// Where the next day begins.
    fn joined(&self, at: usize) -> Option<usize> {
        let tail = self.tail(at);
        let join = JOINS.iter().find(|join| {
            let rest = tail.strip_prefix(**join);
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })?;
        Some(at + join.len())
    }

    /// The month behind a day: ` February`, ` of May`.
    fn month_behind(&self, at: usize) -> Option<(u8, usize)> {
        let of = self.tail(at).strip_prefix(" of").map_or(0, |_| 3);
        let at = at + of;
        let blank = Some(self.spaces(at)).filter(|blank| *blank > 0)?;
        self.month_named(at + blank)
    }

    /// A month with a capital letter.
    fn month_named(&self, at: usize) -> Option<(u8, usize)> {
        let named = self.char(at).is_some_and(char::is_uppercase);
        let fresh = !self.char_before(at).is_some_and(is_word_char);
        self.month(at).filter(|_| named && fresh)
    }

    /// The year behind a month, or behind the other end of the range: `28 February to 3 March 2022`.
    fn year_of_range(&self, at: usize) -> Option<u16> {
        let behind = self.year_at(at).map(|(year, _)| year);
        behind.or_else(|| {
            let next = self.joined(at)?;
            let (_, end) = self.day_digits(next)?;
            let (_, after) = self.month_behind(end)?;
            self.year_at(after).map(|(year, _)| year)
        })
    }

    /// The year behind `7` of `February 7-11, 2022` or of `February 7 to March 3, 2022`.
    fn year_behind_days(&self, at: usize) -> Option<u16> {
        let mut end = at;
        for _ in 0..DAYS_MAX {
            if let Some((year, _)) = self.year_at(end) {
                return Some(year);
            }
            end = match self.joined(end).and_then(|next| self.day_digits(next)) {
                Some((_, end)) => end,
                None => self.other_month_and_day(end)?,
            };
        }
        None
    }

    /// The offset behind ` to March 3`.
    fn other_month_and_day(&self, at: usize) -> Option<usize> {
        let tail = self.tail(at);
        let join = JOINS.iter().take(3).find(|join| tail.starts_with(**join))?;
        let (_, after) = self.month_named(at + join.len())?;
        let start = after + Some(self.spaces(after)).filter(|blank| *blank > 0)?;
        self.day_digits(start).map(|(_, end)| end)
    }

    /// Whether a word that can be counted follows: `May 20 people came`.
    fn counts(&self, at: usize) -> bool {
        let Some(tail) = self.tail(at).strip_prefix(' ') else {
            return false;
        };
        let word = self.word(self.text.len() - tail.len());
        let entry = LEXICON.word(word);
        word.starts_with(char::is_lowercase) && !entry.is_some_and(|entry| entry.is(List::Stop))
    }

    /// `09/2021`, `2021-09`
    pub(super) fn month_of_year(&self, at: usize) -> Option<Quantity> {
        let first = self.digits(at);
        let mark = self.char(at + first.len())?;
        let second = self.digits(at + first.len() + 1);
        let end = at + first.len() + 1 + second.len();
        let (year, month) = match (first.len(), mark, second.len()) {
            (1..=2, '/', 4) => (second, first),
            (4, '-', 2) => (first, second),
            _ => return None,
        };
        let year: u16 = year
            .parse()
            .ok()
            .filter(|year| (1900..=2099).contains(year))?;
        let month: u8 = month.parse().ok()?;
        let goes_on = match self.char(end) {
            Some('.' | ',') => !self.digits(end + 1).is_empty(),
            Some(c) => is_word_char(c) || matches!(c, '/' | '-' | '%'),
            None => false,
        };
        let bound = matches!(self.char_before(at), Some('/' | '-' | '.' | ','));
        // `2001-02` is rather a range of years.
        let range = mark == '-' && u16::from(month) > year % 100;
        let mut found = date(at..end, year, month, None)?;
        // `3/2000` may also be a part of 2000.
        if mark == '/' && !first.starts_with('0') {
            found.others.push(number(month.into()));
        }
        let fits = !goes_on && !bound && !range && !self.is_part_of_name(at);
        fits.then_some(found)
    }

    /// The year that the `75` of `1971-75` is.
    pub(super) fn end_of_years(&self, at: usize) -> Option<Quantity> {
        let digits = self.digits(at);
        let head = self.text.get(..at)?.strip_suffix(['-', '/'])?;
        let before = head.trim_end_matches(|c: char| c.is_ascii_digit());
        let first = head.get(before.len()..).filter(|first| first.len() == 4)?;
        let first: u16 = first
            .parse()
            .ok()
            .filter(|year| (1000..=2099).contains(year))?;
        let last: u16 = digits.parse().ok().filter(|_| digits.len() == 2)?;
        let end = at + 2;
        let goes_on = match self.char(end) {
            Some('.' | ',') => !self.digits(end + 1).is_empty(),
            Some(c) => is_word_char(c) || matches!(c, '/' | '-' | '%' | ':'),
            None => false,
        };
        let fresh =
            !before.ends_with(|c: char| is_word_char(c) || matches!(c, '-' | '/' | '.' | ','));
        let year = first / 100 * 100 + last;
        if goes_on || !fresh || year <= first {
            return None;
        }
        let kind = match year {
            1900..=2099 => QuantityKind::Year(year),
            _ => number(year),
        };
        let mut found = plain(at..end, kind);
        found.others.push(number(last));
        Some(found)
    }
}

fn dated(range: std::ops::Range<usize>, year: Option<u16>, month: u8, day: u8) -> Option<Quantity> {
    match year {
        Some(year) => date(range, year, month, Some(day)),
        None => Some(plain(range, QuantityKind::Day { month, day })),
    }
}

fn number(value: u16) -> QuantityKind {
    QuantityKind::Number {
        value: Decimal::whole(u32::from(value)),
        unit: Unit::None,
    }
}
