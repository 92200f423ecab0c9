//! Numbers written with digits (judge Q3) and as words (judge Q4).

use super::super::lexicon::{Dimension, LEXICON};
use super::super::text::{is_letter, is_word_char};
use super::scan::{Scanner, Step};
use super::tail::Tail;
use super::{Decimal, Kind, Quantity, Unit};

struct Digits {
    value: Option<Decimal>,
    text: String,
    end: usize,
    /// Four plain digits: may be a year.
    bare: bool,
}

impl Scanner<'_> {
    pub(super) fn number(&self, at: usize) -> Step {
        if self.is_part_of_name(at) {
            return Step::Skip(at + self.word(at).len());
        }
        let (mut start, currency) = self.currency_before(at);
        let leading_dot = currency.is_none() && self.char_before(at) == Some('.');
        start -= usize::from(leading_dot);
        let negative = self.minus_before(start);
        start -= usize::from(negative);
        let digits = self.read_digits(at, leading_dot, negative);
        let after_type = digits.end + self.type_suffix(digits.end);
        let Some(tail) = self.unit_tail(after_type, currency) else {
            return Step::Skip(at + self.word(at).len().max(digits.end - at));
        };
        let bare = digits.bare && !negative && currency.is_none() && tail.shift == 0;
        Step::Found(Quantity {
            range: start..tail.end,
            word: false,
            unit_words: tail.unit_words.clone(),
            kind: kind_of(&digits, tail, bare),
        })
    }

    /// `COVID-19` and `GPT-4` are names; `mid-2019` contains a year.
    pub(super) fn is_part_of_name(&self, at: usize) -> bool {
        let letter = at.checked_sub(1).and_then(|dash| self.char_before(dash));
        let word = self.word(at);
        let year = word.len() == 4 && matches!(word.parse(), Ok(1900..=2099));
        self.char_before(at) == Some('-') && letter.is_some_and(is_letter) && !year
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

    fn minus_before(&self, at: usize) -> bool {
        self.char_before(at) == Some('-')
            && self
                .char_before(at - 1)
                .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '=' | ':' | ',' | '['))
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
        }
        let value = Decimal::parse(&text, behind, negative);
        let (places, len) = self.exponent(end).unwrap_or((0, 0));
        Digits {
            value: value.map(|value| value.scaled(places)),
            bare: !grouped && behind == 0 && text.len() == 4 && len == 0,
            text,
            end: end + len,
        }
    }

    /// The exponent of `1e6`, and its length.
    fn exponent(&self, at: usize) -> Option<(i32, usize)> {
        let tail = self.tail(at).strip_prefix(['e', 'E'])?;
        let digits = tail.strip_prefix(['+', '-']).unwrap_or(tail);
        let sign = tail.len() - digits.len();
        let len = digits.bytes().take_while(u8::is_ascii_digit).count();
        let ends = !digits.get(len..)?.starts_with(is_word_char);
        let places = tail.get(..sign + len)?.parse().ok()?;
        (ends && (1..=2).contains(&len)).then_some((places, 1 + sign + len))
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
        })
    }

    /// Digits with groups of three after commas, or with `_`; whether there were any.
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
        let commas = end > at + first.len();
        while !commas && self.char(end) == Some('_') && !self.digits(end + 1).is_empty() {
            text.push_str(self.digits(end + 1));
            end += 1 + self.digits(end + 1).len();
        }
        (text, end, end > at + first.len())
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
        let mut tail = Tail::at(end);
        self.add_scale_words(&mut tail);
        self.add_unit(&mut tail);
        Some(Quantity {
            range: at..tail.end,
            word: true,
            unit_words: tail.unit_words,
            kind: Kind::Number {
                value: Decimal::whole(value).shifted(tail.shift),
                unit: tail.unit,
            },
        })
    }
}

fn kind_of(digits: &Digits, tail: Tail, bare: bool) -> Kind {
    let Some(value) = digits.value else {
        return Kind::Long(digits.text.as_str().into());
    };
    let year = digits.text.parse::<u16>().ok();
    match (year, tail.unit) {
        (Some(year @ 1900..=2099), Unit::None | Unit::Count(_)) if bare => Kind::Year(year),
        (_, unit) => Kind::Number {
            value: value.shifted(tail.shift),
            unit,
        },
    }
}
