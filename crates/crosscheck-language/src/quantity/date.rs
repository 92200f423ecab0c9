//! Dates (judge Q1) and versions (judge Q2).

use std::ops::Range;

use super::scan::Scanner;
use super::{Decimal, Hedge, Quantity, QuantityKind, Role, Unit};
use crate::lexicon::LEXICON;
use crate::text::is_word_char;

impl Scanner<'_> {
    /// `2025-03-09`
    pub(super) fn iso_date(&self, at: usize) -> Option<Quantity> {
        let piece = self.text.get(at..at + 10)?;
        let bytes = piece.as_bytes();
        let shaped = bytes.iter().enumerate().all(|(place, byte)| match place {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        if !shaped || self.char(at + 10).is_some_and(|c| c.is_ascii_digit()) {
            return None;
        }
        let month = piece.get(5..7)?.parse().ok()?;
        let day = piece.get(8..10)?.parse().ok()?;
        date(at..at + 10, piece.get(..4)?.parse().ok()?, month, Some(day))
    }

    /// `9 March 2025`, `9th of March, 2025`
    pub(super) fn day_month_year(&self, at: usize) -> Option<Quantity> {
        let day = self.digits(at);
        if day.len() > 2 || self.is_part_of_name(at) {
            return None;
        }
        let mut end = at + day.len();
        if let ordinal @ 1.. = self.ordinal_mark(end) {
            end += ordinal;
            end += if self.tail(end).starts_with(" of") {
                3
            } else {
                0
            };
        }
        end += Some(self.spaces(end)).filter(|blank| *blank > 0)?;
        let (month, after) = self.month(end)?;
        let (year, end) = self.year_at(after)?;
        let found = date(at..end, year, month, Some(day.parse().ok()?))?;
        let role = if self.is_behind_day(at) {
            Role::Vague
        } else {
            found.role
        };
        Some(Quantity { role, ..found })
    }

    /// Whether another day of the month is before this one: `7-11 March 2022` does not deny the 7th.
    fn is_behind_day(&self, at: usize) -> bool {
        let head = self.text.get(..at).unwrap_or_default();
        let joins = ["-", " - ", " to ", " and ", "/", " & ", ", "];
        let head = joins.iter().find_map(|join| head.strip_suffix(join));
        head.is_some_and(|head| head.ends_with(|c: char| c.is_ascii_digit()))
    }

    /// `March 2025`, `March 9, 2025`, `March 9th 2025`
    pub(super) fn month_first(&self, at: usize) -> Option<Quantity> {
        let (month, after) = self.month(at)?;
        if let Some((year, end)) = self.year_at(after) {
            return date(at..end, year, month, None);
        }
        let start = after + Some(self.spaces(after)).filter(|blank| *blank > 0)?;
        let day = self.digits(start);
        if !(1..=2).contains(&day.len()) {
            return None;
        }
        let end = start + day.len();
        let (year, end) = self.year_at(end + self.ordinal_mark(end))?;
        date(at..end, year, month, Some(day.parse().ok()?))
    }

    /// The length of `st`, `nd`, `rd` or `th` here.
    pub(super) fn ordinal_mark(&self, at: usize) -> usize {
        match self.word(at) {
            mark @ ("st" | "nd" | "rd" | "th") => mark.len(),
            _ => 0,
        }
    }

    /// A month name and the offset behind it and its dot.
    pub(super) fn month(&self, at: usize) -> Option<(u8, usize)> {
        let name = self.word(at);
        let month = LEXICON.word_in_any_case(name)?.month?;
        let end = at + name.len();
        Some((month, end + usize::from(self.char(end) == Some('.'))))
    }

    /// An optional comma, blanks and a year of four digits.
    pub(super) fn year_at(&self, at: usize) -> Option<(u16, usize)> {
        let gap = self.tail(at).len() - self.tail(at).trim_start_matches(' ').len();
        let at = match self.char(at + gap) {
            Some(',') => at + gap + 1,
            _ => at,
        };
        let start = at + Some(self.spaces(at)).filter(|blank| *blank > 0)?;
        let word = self.word(start);
        (word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| Some((word.parse().ok()?, start + 4)))
            .flatten()
    }

    /// `1.2.3-rc.1`, `v1.2.3`, `v2`; `digits_at` is behind the `v`.
    pub(super) fn version(&self, at: usize, digits_at: usize) -> Option<Quantity> {
        let mut end = digits_at + self.digits(digits_at).len();
        if end == digits_at {
            return None;
        }
        let mut dots = 0;
        while self.char(end) == Some('.') && !self.digits(end + 1).is_empty() {
            end += 1 + self.digits(end + 1).len();
            dots += 1;
        }
        if dots >= 2 {
            end += self.version_tag(end);
        } else if digits_at == at || self.char(end).is_some_and(is_word_char) {
            return None;
        }
        let text = self.text.get(digits_at..end)?;
        let mut found = plain(at..end, QuantityKind::Version(text.into()));
        if at == digits_at {
            found.others.extend(in_groups(text));
        }
        Some(found)
    }

    fn version_tag(&self, at: usize) -> usize {
        let Some(tail) = self.tail(at).strip_prefix('-') else {
            return 0;
        };
        let len = tail
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
            .count();
        let tag = tail.get(..len).unwrap_or_default();
        match tag.trim_end_matches(['.', '-']).len() {
            0 => 0,
            len => 1 + len,
        }
    }
}

/// The amount of `1.234.567`, as many countries write it.
fn in_groups(text: &str) -> Option<QuantityKind> {
    let mut groups = text.split('.');
    let first = groups.next()?;
    let grouped = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3);
    let value = Decimal::parse(&text.replace('.', ""), 0, false).filter(|_| grouped)?;
    let unit = Unit::None;
    Some(QuantityKind::Number { value, unit })
}

pub(super) fn date(range: Range<usize>, year: u16, month: u8, day: Option<u8>) -> Option<Quantity> {
    let valid = (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day));
    valid.then(|| plain(range, QuantityKind::Date { year, month, day }))
}

/// A quantity written with digits that has no unit.
pub(super) const fn plain(range: Range<usize>, kind: QuantityKind) -> Quantity {
    Quantity {
        range,
        role: Role::Digits,
        unit_words: None,
        shift: 0,
        parts: Vec::new(),
        kind,
        others: Vec::new(),
        hedge: Hedge {
            about: false,
            bound: None,
        },
        ends: None,
    }
}
