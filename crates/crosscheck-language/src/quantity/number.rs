//! Numbers written with digits (judge Q3) and as words (judge Q4).

use std::ops::Range;

use super::date::plain;
use super::scan::{Scanner, Step};
use super::tail::Tail;
use super::{Decimal, Quantity, QuantityKind, Role, Unit};
use crate::lexicon::{Dimension, LEXICON};
use crate::text::{is_letter, is_word_char, last_word};

struct Digits {
    value: Option<Decimal>,
    text: String,
    end: usize,
    /// Four plain digits: may be a year.
    bare: bool,
    /// The value if the point separates groups of three.
    grouped: Option<Decimal>,
}

impl Scanner<'_> {
    pub(super) fn number(&self, at: usize) -> Step {
        if self.is_part_of_name(at) {
            return Step::Skip(at + self.word(at).len());
        }
        let (mut start, currency) = self.currency_before(at);
        let leading_dot = currency.is_none() && self.char_before(at) == Some('.');
        start -= usize::from(leading_dot);
        let sign = self.minus_before(start);
        let negative = sign > 0;
        start -= sign;
        let digits = self.read_digits(at, leading_dot, negative);
        let after_type = digits.end + self.type_suffix(digits.end);
        if let Some(value) = digits
            .value
            .filter(|_| self.tail(after_type).starts_with(" dozen "))
        {
            let end = after_type + " dozen".len();
            return Step::Found(self.counted(start, end, value.times(12, 1), Role::Digits));
        }
        let Some(tail) = self.unit_tail(after_type, currency) else {
            return self.glued(start..digits.end, at, &digits);
        };
        let bare = digits.bare && !negative && currency.is_none() && tail.shift == 0;
        let behind = self.text.get(after_type..tail.end).unwrap_or_default();
        let mut others = match (digits.value, currency) {
            (Some(value), None) => readings(value, behind),
            _ => Vec::new(),
        };
        // Many countries write `41.000` for 41,000.
        others.extend(digits.grouped.map(|value| QuantityKind::Number {
            value: value.shifted(tail.shift),
            unit: tail.unit.clone(),
        }));
        others.extend(self.version_said(at, &digits, &tail));
        let range = start..tail.end;
        let unit_words = tail.unit_words.clone();
        let shift = tail.shift;
        let role = if self.is_of_date(at, digits.end) {
            Role::Name
        } else {
            Role::Digits
        };
        Step::Found(Quantity {
            role,
            unit_words,
            shift,
            others,
            ..plain(range, kind_of(&digits, tail, bare))
        })
    }

    /// Whether a number is part of a date in a form that is not read: `3 March`, `March 3-5`, `09/2021`,
    /// `1971-75`. Another form of the date does not lack it.
    fn is_of_date(&self, at: usize, end: usize) -> bool {
        const NEAR: usize = 12;
        let head = self.text.get(..at).unwrap_or_default();
        let head = head.get(head.floor_char_boundary(head.len().saturating_sub(NEAR))..);
        let tail = self.tail(end);
        let tail = tail.get(..tail.floor_char_boundary(NEAR));
        let is_month = |word: &str| {
            let entry = LEXICON.word_in_any_case(word);
            word.starts_with(char::is_uppercase) && entry.is_some_and(|entry| entry.month.is_some())
        };
        let has_month = |text: &str| text.split(|c| !is_letter(c)).any(is_month);
        let is_year = |digits: &str| digits.len() == 4 && digits.starts_with(['1', '2']);
        let joined = |text: &str| text.strip_suffix(['/', '-']).map(str::to_owned);
        let before = head.and_then(joined);
        let is_behind = before.is_some_and(|head| is_year(digits_behind(&head)));
        let is_before = matches!(self.char(end), Some('/' | '-')) && is_year(self.digits(end + 1));
        let is_beside = [head, tail].into_iter().flatten().any(has_month);
        end - at <= 2 && (is_beside || is_behind || is_before)
    }

    /// `version 3.2` is `v3.2`.
    fn version_said(&self, at: usize, digits: &Digits, tail: &Tail) -> Option<QuantityKind> {
        const WORDS: [&str; 6] = ["version", "Version", "release", "Release", "ver.", "Ver."];
        let head = self.text.get(..at)?.strip_suffix(' ')?;
        let said = WORDS.iter().any(|word| head.ends_with(word));
        let plain = tail.shift == 0 && !matches!(tail.unit, Unit::Dimension(_));
        let text = self.text.get(at..digits.end).filter(|_| said && plain)?;
        Some(QuantityKind::Version(text.into()))
    }

    /// A number with unknown letters directly behind it is rather a name: `7200mAh`, `5G`, `3f2a9c1`.
    /// An ordinal is a word, and the `x` of `1920x1080` none.
    fn glued(&self, range: Range<usize>, at: usize, digits: &Digits) -> Step {
        let letters = self.word(digits.end);
        let rest = letters.strip_prefix(['x', 'X']).unwrap_or_default();
        let is_times = rest.starts_with(|c: char| c.is_ascii_digit());
        let is_ordinal = matches!(letters, "st" | "nd" | "rd" | "th");
        if let Some(value) = digits.value.filter(|_| is_times || is_ordinal) {
            let unit = Unit::None;
            return Step::Found(Quantity {
                role: if is_ordinal {
                    Role::Ordinal
                } else {
                    Role::Digits
                },
                ..plain(range, QuantityKind::Number { value, unit })
            });
        }
        let end = at + self.word(at).len().max(range.end - at);
        let text = self.text.get(range.start..end).unwrap_or_default();
        let kind = QuantityKind::Long(text.to_lowercase().into());
        Step::Found(Quantity {
            role: Role::Name,
            ..plain(range.start..end, kind)
        })
    }

    /// `COVID-19` and `GPT-4` are names; `mid-2019` contains a year.
    pub(super) fn is_part_of_name(&self, at: usize) -> bool {
        let letter = at.checked_sub(1).and_then(|dash| self.char_before(dash));
        let word = self.word(at);
        let year = word.len() == 4 && matches!(word.parse(), Ok(1900..=2099));
        // `2.5 mya-10,000 years`
        let digits = self.tail(at + self.digits(at).len());
        let grouped = digits.strip_prefix(',').is_some_and(|rest| {
            rest.len() >= 3 && rest.bytes().take(3).all(|byte| byte.is_ascii_digit())
        });
        self.char_before(at) == Some('-') && letter.is_some_and(is_letter) && !year && !grouped
    }

    fn currency_before(&self, at: usize) -> (usize, Option<Dimension>) {
        match self
            .char_before(at)
            .and_then(|sign| Some((sign, LEXICON.currency(sign)?)))
        {
            Some((sign, dimension)) => (at - sign.len_utf8(), Some(dimension)),
            None => (at, None),
        }
    }

    /// The length of a minus sign or the word `minus` before a number; between two numbers it
    /// means something else.
    fn minus_before(&self, at: usize) -> usize {
        const BEFORE: &str = "(=:,[`\"'|*<>~";
        let free = |c: char| c.is_whitespace() || BEFORE.contains(c);
        if self.char_before(at) == Some('-') {
            return usize::from(self.char_before(at - 1).is_none_or(free));
        }
        let head = self.text.get(..at).unwrap_or_default();
        let len = "minus ".len();
        let start = head.len().checked_sub(len);
        let word = start.and_then(|start| head.split_at_checked(start));
        let said = word.filter(|(_, word)| word.eq_ignore_ascii_case("minus "));
        let is_sign = said.is_some_and(|(before, _)| {
            before.chars().next_back().is_none_or(free)
                && !before.trim_end().ends_with(|c: char| c.is_ascii_digit())
        });
        if is_sign { len } else { 0 }
    }

    fn read_digits(&self, at: usize, leading_dot: bool, negative: bool) -> Digits {
        if let Some(digits) = self.hex_digits(at, negative) {
            return digits;
        }
        let (mut text, mut end, grouped) = self.whole_digits(at);
        let mut behind = 0;
        if leading_dot {
            behind = text.len();
        } else if self.char(end) == Some('.') && !self.digits(end + 1).is_empty() {
            let fraction = self.digits(end + 1);
            text.push_str(fraction);
            behind = fraction.len();
            end += 1 + fraction.len();
        } else if let Some(fraction) = self.comma_fraction(at, end).filter(|_| !grouped) {
            text.push_str(fraction);
            behind = fraction.len();
            end += 1 + fraction.len();
        }
        let value = Decimal::parse(&text, behind, negative);
        let dotted = !self.code && !grouped && behind == 3 && !leading_dot;
        let dotted = dotted && (4..=6).contains(&text.len()) && !text.starts_with('0');
        let dotted = dotted.then(|| Decimal::parse(&text, 0, negative));
        Digits {
            value,
            bare: !grouped && behind == 0 && text.len() == 4,
            grouped: dotted.flatten(),
            text,
            end,
        }
    }

    /// The `2` of `16,2`, which can be no group of three and is not a list.
    fn comma_fraction(&self, at: usize, end: usize) -> Option<&str> {
        let fraction = self.digits(end + 1);
        let behind = end + 1 + fraction.len();
        let goes_on = matches!(self.char(behind), Some(',' | '.' | '-' | '/'))
            && !self.digits(behind + 1).is_empty();
        let listed = matches!(
            self.char_before(at),
            Some(',' | '(' | '[' | '{' | '-' | '/')
        );
        let fits = !self.code
            && self.char(end) == Some(',')
            && (1..=2).contains(&fraction.len())
            && end - at <= 3;
        (fits && !goes_on && !listed).then_some(fraction)
    }

    fn hex_digits(&self, at: usize, negative: bool) -> Option<Digits> {
        let hex = self.tail(at).strip_prefix("0x")?;
        let len = hex
            .bytes()
            .take_while(|byte| byte.is_ascii_hexdigit() || *byte == b'_')
            .count();
        let text = hex.get(..len)?.replace('_', "");
        if text.is_empty() {
            return None;
        }
        let value = i128::from_str_radix(&text, 16).ok();
        Some(Digits {
            value: value.and_then(|value| Decimal::parse(&value.to_string(), 0, negative)),
            text: format!("0x{text}"),
            end: at + 2 + len,
            bare: false,
            grouped: None,
        })
    }

    /// Digits with groups of three after commas, blanks or apostrophes, or with `_`; whether there
    /// were any.
    fn whole_digits(&self, at: usize) -> (String, usize, bool) {
        let first = self.digits(at);
        let mut end = at + first.len();
        let mut text = first.to_owned();
        if first.len() <= 3 {
            while self.char(end) == Some(',') && self.digits(end + 1).len() == 3 {
                text.push_str(self.digits(end + 1));
                end += 4;
            }
        }
        if end == at + first.len() && self.begins_groups(at, first) {
            let mark = self.char(end).filter(|c| matches!(c, ' ' | '\''));
            while mark.is_some() && self.char(end) == mark && self.is_group(end + 1) {
                text.push_str(self.digits(end + 1));
                end += 4;
            }
        }
        let commas = end > at + first.len();
        while !commas && self.char(end) == Some('_') && !self.digits(end + 1).is_empty() {
            text.push_str(self.digits(end + 1));
            end += 1 + self.digits(end + 1).len();
        }
        (text, end, end > at + first.len())
    }

    /// Whether blanks can separate groups of three behind these digits: `41 000`. A day of a month
    /// and a number behind another one are not such groups.
    fn begins_groups(&self, at: usize, first: &str) -> bool {
        let head = self.text.get(..at).unwrap_or_default().trim_end();
        let word = last_word(head);
        let month = LEXICON.word_in_any_case(word).and_then(|entry| entry.month);
        !self.code
            && (1..=3).contains(&first.len())
            && !first.starts_with('0')
            && month.is_none()
            && !head.ends_with(|c: char| c.is_ascii_digit())
    }

    /// Three digits that nothing else continues.
    fn is_group(&self, at: usize) -> bool {
        let goes_on = |c: char| is_word_char(c) || matches!(c, ':' | '/');
        let end = at + 3;
        self.digits(at).len() == 3
            && !self.char(end).is_some_and(goes_on)
            && (self.char(end) != Some(',') || self.digits(end + 1).is_empty())
    }

    /// `u32`, `_usize`, `f64` directly behind the digits.
    fn type_suffix(&self, at: usize) -> usize {
        let word = self.word(at);
        let name = word.strip_prefix('_').unwrap_or(word);
        let is_type = match name.split_at_checked(1) {
            Some(("i" | "u", width)) => {
                matches!(width, "8" | "16" | "32" | "64" | "128" | "size")
            }
            Some(("f", width)) => matches!(width, "32" | "64"),
            _ => false,
        };
        if is_type { word.len() } else { 0 }
    }

    /// An amount in words with its unit behind it.
    pub(super) fn counted(&self, start: usize, end: usize, value: Decimal, role: Role) -> Quantity {
        let mut tail = Tail::at(end);
        self.add_unit(&mut tail);
        let unit = tail.unit;
        Quantity {
            role,
            unit_words: tail.unit_words,
            ..plain(start..tail.end, QuantityKind::Number { value, unit })
        }
    }

    pub(super) fn number_word(&self, at: usize) -> Option<Quantity> {
        let word = self.word(at);
        let mut value = LEXICON.word_in_any_case(word)?.number?;
        let mut end = at + word.len();
        if (20..100).contains(&value) && self.char(end) == Some('-') {
            let unit = self.word(end + 1);
            let ones = match unit {
                "one" => Some(1),
                _ => LEXICON.word(unit).and_then(|entry| entry.number),
            };
            if let Some(ones @ 1..=9) = ones {
                value += ones;
                end += 1 + unit.len();
            }
        }
        // `two-thirds`
        let share = self.fraction(end + 1);
        if let Some(share) = share.filter(|share| share.range.start == at) {
            return Some(share);
        }
        let amount = Decimal::whole(value);
        if self.tail(end).starts_with(" dozen ") {
            let end = end + " dozen".len();
            return Some(self.counted(at, end, amount.times(12, 1), Role::Vague));
        }
        let half = [" and a half", "-and-a-half"];
        let half = half.iter().find(|half| self.tail(end).starts_with(**half));
        let amount = half.map_or(Some(amount), |_| amount.plus(Decimal::whole(5).shifted(-1)))?;
        let mut tail = Tail::at(end + half.map_or(0, |half| half.len()));
        self.add_scale_words(&mut tail);
        self.add_unit(&mut tail);
        let sign = self.minus_before(at);
        let value = amount.shifted(tail.shift);
        let value = if sign > 0 { value.times(-1, 1) } else { value };
        let unit = tail.unit;
        Some(Quantity {
            role: if word.eq_ignore_ascii_case("dozen") {
                Role::Vague
            } else {
                Role::Word
            },
            shift: tail.shift,
            unit_words: tail.unit_words,
            ..plain(at - sign..tail.end, QuantityKind::Number { value, unit })
        })
    }
}

/// What else the letters behind a number can mean: `7B`, `2.8m`, `99 cents`.
fn readings(value: Decimal, behind: &str) -> Vec<QuantityKind> {
    let words = LEXICON
        .word(behind.trim_start())
        .map(|entry| entry.readings.iter());
    let read = |word: &str| {
        let entry = LEXICON.word(word)?;
        let (places, unit) = match entry.unit {
            Some(unit) => (0, Unit::Dimension(unit)),
            None => (entry.scale?, Unit::None),
        };
        let value = value.shifted(places);
        Some(QuantityKind::Number { value, unit })
    };
    let words = words.into_iter().flatten();
    words.filter_map(|word| read(word)).collect()
}

/// The digits that a text ends with.
fn digits_behind(text: &str) -> &str {
    let rest = text.trim_end_matches(|c: char| c.is_ascii_digit());
    text.get(rest.len()..).unwrap_or_default()
}

fn kind_of(digits: &Digits, tail: Tail, bare: bool) -> QuantityKind {
    let Some(value) = digits.value else {
        return QuantityKind::Long(digits.text.as_str().into());
    };
    let year = digits.text.parse::<u16>().ok();
    match (year, tail.unit) {
        (Some(year @ 1900..=2099), Unit::None | Unit::Count(_)) if bare => QuantityKind::Year(year),
        (_, unit) => QuantityKind::Number {
            value: value.shifted(tail.shift),
            unit,
        },
    }
}
