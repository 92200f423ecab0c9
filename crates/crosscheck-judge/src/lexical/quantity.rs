//! Quantities: dates, years, versions and numbers with their units.
//!
//! One pass from left to right; at each place dates are tried before
//! versions, versions before numbers, numbers before number words.

mod around;

use std::ops::Range;

use super::lexicon::{Dimension, LEXICON};
use super::pairs::QUANTITIES;
use super::text::{is_letter, is_word_char, stem_into};

/// One quantity of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// Where it stands, without a count noun.
    pub range: Range<usize>,
    /// Whether it was written as a word.
    pub word: bool,
    /// Where the words of its unit stand.
    pub(super) unit_words: Option<Range<usize>>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Date {
        year: u16,
        month: u8,
        day: Option<u8>,
    },
    Year(u16),
    Version(Box<str>),
    Number {
        value: Decimal,
        unit: Unit,
    },
    /// More digits than a value holds; compared as text.
    Long(Box<str>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unit {
    None,
    Dimension(Dimension),
    /// The stem of the word that is counted.
    Count(Box<str>),
}

/// `mantissa * 10^exponent`, without trailing zeros in the mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    mantissa: i128,
    exponent: i32,
}

impl Quantity {
    /// Whether this is a figure: a number, date or version written with digits.
    pub fn is_figure(&self) -> bool {
        !self.word && !matches!(self.kind, Kind::Year(_))
    }

    pub(super) const fn is_date(&self) -> bool {
        matches!(self.kind, Kind::Date { .. })
    }

    /// The stem of what is counted.
    pub(super) fn count_noun(&self) -> Option<&str> {
        match &self.kind {
            Kind::Number {
                unit: Unit::Count(noun),
                ..
            } => Some(noun),
            _ => None,
        }
    }

    /// Whether `seen` could stand in the place of this one: same kind, same
    /// kind of unit. In `code` a number without unit can stand for any.
    pub(super) fn is_comparable(&self, seen: &Self, code: bool) -> bool {
        match (&self.kind, &seen.kind) {
            (Kind::Date { day, .. }, Kind::Date { day: other, .. }) => {
                day.is_none() || other.is_some()
            }
            (Kind::Year(_), Kind::Year(_)) | (Kind::Version(_), Kind::Version(_)) => true,
            (Kind::Number { unit, .. }, Kind::Number { unit: other, .. }) => match (unit, other) {
                (Unit::Dimension(a), Unit::Dimension(b)) => a.id == b.id,
                (Unit::Count(a), Unit::Count(b)) => a == b,
                (Unit::None, Unit::None) => true,
                (_, Unit::None) => code,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether `seen`, a quantity of a snippet, is what this one says.
    pub fn matches(&self, seen: &Self) -> bool {
        match (&self.kind, &seen.kind) {
            (
                Kind::Date { year, month, day },
                Kind::Date {
                    year: y,
                    month: m,
                    day: d,
                },
            ) => year == y && month == m && (day.is_none() || day == d),
            (Kind::Year(year), Kind::Year(y) | Kind::Date { year: y, .. }) => year == y,
            (
                Kind::Year(year),
                Kind::Number {
                    value,
                    unit: Unit::None,
                },
            ) => *value == Decimal::whole(i128::from(*year)),
            (Kind::Number { value, .. }, Kind::Year(year)) => {
                *value == Decimal::whole(i128::from(*year))
            }
            (Kind::Version(a), Kind::Version(b)) | (Kind::Long(a), Kind::Long(b)) => a == b,
            (
                Kind::Number { value, unit },
                Kind::Number {
                    value: other,
                    unit: its,
                },
            ) => same_amount(*value, unit, *other, its),
            _ => false,
        }
    }
}

fn same_amount(a: Decimal, a_unit: &Unit, b: Decimal, b_unit: &Unit) -> bool {
    match (a_unit.measure(), b_unit.measure()) {
        (Some(x), Some(y)) => x.id == y.id && a.times(x.num, y.den) == b.times(y.num, x.den),
        (Some(_), None) => *b_unit == Unit::None && a == b,
        (None, Some(_)) => *a_unit == Unit::None && a == b,
        (None, None) => a == b,
    }
}

impl Unit {
    /// What it measures. A letter behind a blank counts things, because it could be anything; but
    /// nobody who reads `30 s` next to `30000 ms` would miss that they are the same.
    fn measure(&self) -> Option<Dimension> {
        match self {
            Self::Dimension(dimension) => Some(*dimension),
            Self::Count(noun) if noun.len() == 1 => LEXICON.word(noun)?.unit,
            Self::Count(_) | Self::None => None,
        }
    }
}

impl Decimal {
    const fn whole(value: i128) -> Self {
        Self {
            mantissa: value,
            exponent: 0,
        }
        .tidy()
    }

    const fn tidy(mut self) -> Self {
        if self.mantissa == 0 {
            self.exponent = 0;
        }
        while self.mantissa != 0 && self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.exponent += 1;
        }
        self
    }

    /// From digits and how many of them stand behind the point; at most 18 digits count.
    fn parse(digits: &str, behind: usize, negative: bool) -> Option<Self> {
        let significant = digits.trim_start_matches('0');
        let cut = significant.trim_end_matches('0');
        let dropped = significant.len() - cut.len();
        if cut.len() > 18 {
            return None;
        }
        let mantissa: i128 = if cut.is_empty() { 0 } else { cut.parse().ok()? };
        let exponent = i32::try_from(dropped).ok()? - i32::try_from(behind).ok()?;
        Some(
            Self {
                mantissa: if negative { -mantissa } else { mantissa },
                exponent,
            }
            .tidy(),
        )
    }

    fn shifted(mut self, places: u32) -> Self {
        if self.mantissa != 0 {
            self.exponent = self
                .exponent
                .saturating_add(i32::try_from(places).unwrap_or(0));
        }
        self
    }

    /// Mantissas have at most 18 digits and factors together less than 20, so nothing is lost.
    fn times(self, a: i128, b: i128) -> Self {
        Self {
            mantissa: self.mantissa.saturating_mul(a).saturating_mul(b),
            exponent: self.exponent,
        }
        .tidy()
    }
}

/// The quantities of a text in normal form. `code` says that it is a line of
/// a snippet that is not prose, where names imply units (`TIMEOUT_MS = 30000`).
pub(super) fn scan(text: &str, code: bool) -> Vec<Quantity> {
    let scanner = Scanner { text };
    let mut found: Vec<Quantity> = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        if byte.is_ascii() && !byte.is_ascii_alphanumeric() {
            at += 1; // a mark or a blank begins nothing
            continue;
        }
        if let Some(end) = end_of_mere_word(text.as_bytes(), at) {
            at = end;
            continue;
        }
        let c = scanner.char(at).unwrap_or_default();
        let fresh = !scanner.char_before(at).is_some_and(is_word_char);
        let step = if c.is_ascii_digit() && fresh && !scanner.follows_name_dot(at) {
            scanner.at_digit(at)
        } else if is_letter(c) && fresh {
            scanner.at_word(at)
        } else {
            None
        };
        let next = at + c.len_utf8();
        at = match step {
            Some(Step::Found(quantity)) => {
                let end = quantity.range.end;
                found.push(quantity);
                end.max(next)
            }
            Some(Step::Skip(end)) => end.max(next),
            None => next,
        };
    }
    around::spread_over_ranges(text, &mut found);
    if code {
        around::take_from_names(&scanner, &mut found);
    }
    found
}

/// Where the ASCII word ends that begins here, or that a quantity left here, if none can begin with
/// its letters. Digits in it belong to it.
fn end_of_mere_word(bytes: &[u8], at: usize) -> Option<usize> {
    let tail = bytes.get(at..).unwrap_or_default();
    let starts = tail.first().is_some_and(u8::is_ascii_alphabetic);
    if !starts || QUANTITIES.hold_start(tail) {
        return None;
    }
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let len = tail.iter().position(|byte| !belongs(byte));
    let end = len.map_or(bytes.len(), |len| at + len);
    bytes.get(end).is_none_or(u8::is_ascii).then_some(end)
}

/// All quantities of a normal text, sentence by sentence or line by line as the judge sees them.
pub fn quantities(text: &str) -> Vec<Quantity> {
    scan(text, false)
}

struct Scanner<'t> {
    text: &'t str,
}

enum Step {
    Found(Quantity),
    /// Nothing here counts; go on at this offset.
    Skip(usize),
}

/// What stands behind the digits of a number.
struct Tail {
    unit: Unit,
    shift: u32,
    end: usize,
    unit_words: Option<Range<usize>>,
}

impl Scanner<'_> {
    fn char(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    fn tail(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The run of ASCII digits from here.
    fn digits(&self, at: usize) -> &str {
        let tail = self.tail(at);
        let len = tail.bytes().take_while(u8::is_ascii_digit).count();
        tail.get(..len).unwrap_or_default()
    }

    /// The run of letters, digits and `_` from here.
    fn word(&self, at: usize) -> &str {
        let tail = self.tail(at);
        let plain = tail
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let rest = tail.get(plain..).unwrap_or_default();
        let more = match rest.bytes().next() {
            Some(byte) if !byte.is_ascii() => rest.find(|c| !is_word_char(c)).unwrap_or(rest.len()),
            _ => 0,
        };
        tail.get(..plain + more).unwrap_or_default()
    }

    /// The run of letters from here.
    fn letters(&self, at: usize) -> &str {
        let tail = self.tail(at);
        let len = tail.find(|c| !is_letter(c)).unwrap_or(tail.len());
        tail.get(..len).unwrap_or_default()
    }

    fn spaces(&self, at: usize) -> usize {
        self.tail(at).len() - self.tail(at).trim_start().len()
    }

    /// `a.5` and the `2` of `1.2` are parts of something else.
    fn follows_name_dot(&self, at: usize) -> bool {
        self.char_before(at) == Some('.')
            && self.char_before(at - 1).is_some_and(char::is_alphanumeric)
    }

    fn at_digit(&self, at: usize) -> Option<Step> {
        self.iso_date(at)
            .or_else(|| self.day_month_year(at))
            .or_else(|| self.version(at, at))
            .map(Step::Found)
            .or_else(|| Some(self.number(at)))
    }

    fn at_word(&self, at: usize) -> Option<Step> {
        let word = self.word(at);
        // Most words begin nothing, and one look at the lists says so.
        if word.is_ascii()
            && !word.starts_with(['v', 'V'])
            && LEXICON
                .word_in_any_case(word)
                .is_none_or(|entry| entry.month.is_none() && entry.number.is_none())
        {
            return Some(Step::Skip(at + word.len()));
        }
        let found = self
            .month_first(at)
            .or_else(|| {
                let is_v = matches!(self.char(at), Some('v' | 'V'));
                is_v.then(|| self.version(at, at + 1)).flatten()
            })
            .or_else(|| self.number_word(at));
        found
            .map(Step::Found)
            .or_else(|| Some(Step::Skip(at + self.word(at).len())))
    }

    fn iso_date(&self, at: usize) -> Option<Quantity> {
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

    fn day_month_year(&self, at: usize) -> Option<Quantity> {
        let day = self.digits(at);
        let mut end = at + day.len();
        end += Some(self.spaces(end)).filter(|blank| *blank > 0)?;
        let (month, after) = self.month(end)?;
        let (year, end) = self.year_at(after)?;
        (day.len() <= 2)
            .then(|| date(at..end, year, month, Some(day.parse().ok()?)))
            .flatten()
    }

    fn month_first(&self, at: usize) -> Option<Quantity> {
        let (month, after) = self.month(at)?;
        if let Some((year, end)) = self.year_at(after) {
            return date(at..end, year, month, None);
        }
        let start = after + Some(self.spaces(after)).filter(|blank| *blank > 0)?;
        let day = self.digits(start);
        let mut end = start + day.len();
        if !(1..=2).contains(&day.len()) {
            return None;
        }
        end += usize::from(self.char(end) == Some(','));
        let (year, end) = self.year_at(end)?;
        date(at..end, year, month, Some(day.parse().ok()?))
    }

    /// A month name and the offset behind it and its dot.
    fn month(&self, at: usize) -> Option<(u8, usize)> {
        let name = self.word(at);
        if !(3..=9).contains(&name.len()) {
            return None;
        }
        let month = LEXICON.word(&name.to_lowercase())?.month?;
        let end = at + name.len();
        Some((month, end + usize::from(self.char(end) == Some('.'))))
    }

    /// Blanks and a year of four digits.
    fn year_at(&self, at: usize) -> Option<(u16, usize)> {
        let start = at + Some(self.spaces(at)).filter(|blank| *blank > 0)?;
        let word = self.word(start);
        (word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| Some((word.parse().ok()?, start + 4)))
            .flatten()
    }

    /// `1.2.3-rc.1`, `v1.2.3`, `v2`; `digits_at` is behind the `v`.
    fn version(&self, at: usize, digits_at: usize) -> Option<Quantity> {
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
        Some(Quantity {
            range: at..end,
            word: false,
            unit_words: None,
            kind: Kind::Version(self.text.get(digits_at..end)?.into()),
        })
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

    fn number(&self, at: usize) -> Step {
        let (mut start, currency) = self.currency_before(at);
        let leading_dot = currency.is_none() && self.char_before(at) == Some('.');
        start -= usize::from(leading_dot);
        let negative = self.minus_before(start);
        start -= usize::from(negative);
        let Some(digits) = self.read_digits(at, leading_dot, negative) else {
            return Step::Skip(at + self.word(at).len());
        };
        let after_type = digits.end + self.type_suffix(digits.end);
        let Some(tail) = self.unit_tail(after_type, currency) else {
            return Step::Skip(at + self.word(at).len().max(digits.end - at));
        };
        let bare = digits.bare && !negative && currency.is_none() && tail.shift == 0;
        let kind = kind_of(&digits, &tail, bare);
        Step::Found(Quantity {
            range: start..tail.end,
            word: false,
            unit_words: tail.unit_words,
            kind,
        })
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

    fn read_digits(&self, at: usize, leading_dot: bool, negative: bool) -> Option<ReadDigits> {
        if let Some(hex) = self.tail(at).strip_prefix("0x") {
            let len = hex
                .bytes()
                .take_while(|byte| byte.is_ascii_hexdigit() || *byte == b'_')
                .count();
            let text = hex.get(..len)?.replace('_', "");
            if !text.is_empty() {
                let value = i128::from_str_radix(&text, 16).ok();
                return Some(ReadDigits {
                    value: value.and_then(|value| Decimal::parse(&value.to_string(), 0, negative)),
                    text: format!("0x{text}"),
                    end: at + 2 + len,
                    bare: false,
                });
            }
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
        Some(ReadDigits {
            value: Decimal::parse(&text, behind, negative),
            bare: !grouped && behind == 0 && text.len() == 4,
            text,
            end,
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
        let mut grouped = end > at + first.len();
        while !grouped && self.char(end) == Some('_') && !self.digits(end + 1).is_empty() {
            text.push_str(self.digits(end + 1));
            end += 1 + self.digits(end + 1).len();
        }
        grouped |= end > at + first.len();
        (text, end, grouped)
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

    /// Scale and unit behind a number; `None` when attached letters make it something else.
    fn unit_tail(&self, at: usize, currency: Option<Dimension>) -> Option<Tail> {
        let mut tail = Tail {
            unit: Unit::None,
            shift: 0,
            end: at,
            unit_words: None,
        };
        let attached = self.word(at);
        if let Some(places) = LEXICON.suffix(attached)
            && (attached != "B" || currency.is_some())
        {
            tail.shift = places;
            tail.end += attached.len();
        }
        self.add_scale_word(&mut tail);
        if let Some(dimension) = currency {
            let attached = !self.word(tail.end).is_empty();
            tail.unit = Unit::Dimension(dimension);
            return (!attached).then_some(tail);
        }
        self.add_unit(&mut tail).then_some(tail)
    }

    fn add_scale_word(&self, tail: &mut Tail) {
        if self.char(tail.end) == Some(' ') {
            let word = self.word(tail.end + 1);
            if let Some(places) = LEXICON.word_in_any_case(word).and_then(|entry| entry.scale) {
                tail.shift += places;
                tail.end += 1 + word.len();
            }
        }
    }

    /// Whether what follows can stand behind a number; adds its unit.
    fn add_unit(&self, tail: &mut Tail) -> bool {
        let at = tail.end;
        if let Some((dimension, len)) = self.percent(at) {
            tail.unit = Unit::Dimension(dimension);
            tail.unit_words = Some(at..at + len);
            tail.end = at + len;
            return true;
        }
        let gap = usize::from(matches!(self.char(at), Some(' ' | '-')));
        let word = self.word(at + gap);
        if word.is_empty() {
            return true;
        }
        let plain = self.letters(at + gap).len() == word.len();
        let lower = word.to_lowercase();
        let entry = LEXICON.word(&lower);
        let single = word.chars().count() == 1;
        if let Some(dimension) = entry.and_then(|entry| entry.unit)
            && plain
            && (gap == 0 || !single)
            && word != "US"
        {
            tail.unit = Unit::Dimension(dimension);
            tail.unit_words = Some(at + gap..at + gap + word.len());
            tail.end = at + gap + word.len();
            return true;
        }
        let counts = plain
            && gap == 1
            && word.chars().all(|c| !c.is_uppercase())
            && !entry.is_some_and(|entry| entry.stop);
        if counts {
            let mut stem = String::new();
            stem_into(word, entry, &mut stem);
            tail.unit = Unit::Count(stem.into());
        }
        gap == 1
    }

    /// `%`, `per cent`, `percentage points`.
    fn percent(&self, at: usize) -> Option<(Dimension, usize)> {
        let tail = self.tail(at);
        let gap = usize::from(tail.starts_with([' ', '-']));
        let rest = tail.get(gap..)?;
        if rest.starts_with('%') && !tail.starts_with('-') {
            return Some((LEXICON.percent, gap + 1));
        }
        let ends_word = |len: usize| !rest.get(len..).is_some_and(|t| t.starts_with(is_word_char));
        [
            ("percentage points", LEXICON.percentage_point),
            ("percentage point", LEXICON.percentage_point),
            ("per cent", LEXICON.percent),
        ]
        .into_iter()
        .find(|(words, _)| gap == 1 && rest.starts_with(words) && ends_word(words.len()))
        .map(|(words, dimension)| (dimension, gap + words.len()))
    }

    fn number_word(&self, at: usize) -> Option<Quantity> {
        let word = self.word(at);
        let lower = word.to_ascii_lowercase();
        let mut value = LEXICON.word(&lower)?.number?;
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
        let mut tail = Tail {
            unit: Unit::None,
            shift: 0,
            end,
            unit_words: None,
        };
        self.add_scale_word(&mut tail);
        self.add_unit(&mut tail);
        Some(Quantity {
            range: at..tail.end,
            word: true,
            unit_words: tail.unit_words,
            kind: Kind::Number {
                value: Decimal::whole(i128::from(value)).shifted(tail.shift),
                unit: tail.unit,
            },
        })
    }
}

struct ReadDigits {
    value: Option<Decimal>,
    text: String,
    end: usize,
    /// Four plain digits: may be a year.
    bare: bool,
}

fn kind_of(digits: &ReadDigits, tail: &Tail, bare: bool) -> Kind {
    let Some(value) = digits.value else {
        return Kind::Long(digits.text.as_str().into());
    };
    let year = digits.text.parse::<u16>().ok();
    match (year, &tail.unit) {
        (Some(year @ 1900..=2099), Unit::None | Unit::Count(_)) if bare => Kind::Year(year),
        (_, unit) => Kind::Number {
            value: value.shifted(tail.shift),
            unit: unit.clone(),
        },
    }
}

fn date(range: Range<usize>, year: u16, month: u8, day: Option<u8>) -> Option<Quantity> {
    let valid = (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day));
    valid.then_some(Quantity {
        range,
        word: false,
        unit_words: None,
        kind: Kind::Date { year, month, day },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short spelling of what was found.
    fn seen(text: &str, code: bool) -> Vec<String> {
        scan(text, code)
            .iter()
            .map(|quantity| match &quantity.kind {
                Kind::Date { year, month, day } => match day {
                    Some(day) => format!("{year}-{month}-{day}"),
                    None => format!("{year}-{month}"),
                },
                Kind::Year(year) => format!("year {year}"),
                Kind::Version(text) => format!("version {text}"),
                Kind::Long(text) => format!("long {text}"),
                Kind::Number { value, unit } => {
                    let unit = match unit {
                        Unit::None => String::new(),
                        Unit::Dimension(dimension) => {
                            format!(" x{}/{}", dimension.num, dimension.den)
                        }
                        Unit::Count(noun) => format!(" {noun}"),
                    };
                    format!("{}e{}{unit}", value.mantissa, value.exponent)
                }
            })
            .collect()
    }

    #[test]
    fn each_kind_of_quantity_is_read() {
        let table: &[(&str, &[&str])] = &[
            (
                "on 2025-03-03 and March 3, 2025 or 3 Mar. 2025, May 2024",
                &["2025-3-3", "2025-3-3", "2025-3-3", "2024-5"],
            ),
            (
                "v2 1.4.2-rc.1 v1.2.3. 10.0.0.1",
                &[
                    "version 2",
                    "version 1.4.2-rc.1",
                    "version 1.2.3",
                    "version 10.0.0.1",
                ],
            ),
            ("u32 utf8 a.5 x_9 3rd 5x 1e5", &[]),
            (
                "0xFF 1,234 1_000 3.50",
                &["255e0", "1234e0", "1e3", "35e-1"],
            ),
            (
                "$5 million €7bn $3B 5B 4k",
                &["5e6 x1/1", "7e9 x1/1", "3e9 x1/1", "5e0 x1/1", "4e3"],
            ),
            ("-5 (-6) 7-8 a -9", &["-5e0", "-6e0", "7e0", "8e0", "-9e0"]),
            ("30u64, 5_usize; 2f32", &["3e1", "5e0", "2e0"]),
            (
                "84% 5 % 6 per cent 7 percentage points",
                &["84e0 x1/1", "5e0 x1/1", "6e0 x1/1", "7e0 x1/1"],
            ),
            (
                "10MB 2 weeks 30-second 5s 5 s 9µs",
                &[
                    "1e1 x1000000/1",
                    "2e0 x604800000/1",
                    "3e1 x1000/1",
                    "5e0 x1000/1",
                    "5e0 s",
                    "9e0 x1/1000",
                ],
            ),
            ("3 workers, 4 of 5 Big", &["3e0 worker", "4e0", "5e0"]),
            (
                "2021 2021 users 2021 ms 2150 1,999",
                &["year 2021", "year 2021", "2021e0 x1/1", "215e1", "1999e0"],
            ),
            (
                "Three workers, two million, one, twenty-five hours",
                &["3e0 worker", "2e6", "25e0 x3600000/1"],
            ),
            (
                "41 to 46 percent, 10-20 MB, 2000 to 3000 ms",
                &[
                    "41e0 x1/1",
                    "46e0 x1/1",
                    "1e1 x1000000/1",
                    "2e1 x1000000/1",
                    "2e3 x1/1",
                    "3e3 x1/1",
                ],
            ),
            ("= .5 and 0.5", &["5e-1", "5e-1"]),
            (
                "1234567890123456789012345",
                &["long 1234567890123456789012345"],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(seen(text, false), *expected, "{text}");
        }
    }

    #[test]
    fn names_in_code_imply_units() {
        assert_eq!(seen("TIMEOUT_MS = 30000", true), ["3e4 x1/1"]);
        assert_eq!(seen("TIMEOUT_MS = 2000", true), ["2e3 x1/1"]);
        assert_eq!(seen("TIMEOUT_MS = 30000", false), ["3e4"]);
        assert_eq!(
            seen("kb = 1, secs = 2", true),
            ["1e0 x1000/1", "2e0 x1000/1"]
        );
        assert_eq!(seen("limit seconds: five", true), ["5e0 x1000/1"]);
        assert_eq!(seen("TIMEOUT_MS = 2000 tries", true), ["year 2000"]);
    }

    #[test]
    fn a_year_is_an_amount_only_where_a_name_says_so() {
        let amounts = [
            "timeoutMs=2000",
            "const TIMEOUT_MS: u32 = 2000;",
            "--timeout-ms 2000",
            "{\"timeout_ms\": 2000}",
            "Duration::from_millis(2000)",
            "set(timeout_ms, 2000)",
            "| timeout (ms) | 2000 |",
            "WAITS_MS = [5, 2000]",
        ];
        for text in amounts {
            assert_eq!(seen(text, true).last().unwrap(), "2e3 x1/1", "{text}");
        }
        let years = [
            "Revenue grew 12 percent in 2000.",
            "Revenue grew 12 percent (2000)",
            "Timeout seconds grew in 2000.",
            "timeout_ms = 5, since: 2000",
            "timeout_ms=5 since=2000",
            "timeout_ms: slow, since: 2000",
            "timeout_ms = 5 # 2000 tries",
            "timeout_ms\nsince 2000",
        ];
        for text in years {
            assert_eq!(seen(text, true).last().unwrap(), "year 2000", "{text}");
        }
    }

    #[test]
    fn the_unit_of_a_range_comes_before_that_of_a_name() {
        assert_eq!(
            seen("limit_hours: 3 to 5 days", true),
            ["3e0 x86400000/1", "5e0 x86400000/1"]
        );
        assert_eq!(
            seen("limit_hours: 3 to 5", true),
            ["3e0 x3600000/1", "5e0 x3600000/1"]
        );
    }

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
        ];
        for (claim, text, expected) in table {
            let (a, b) = (&scan(claim, false)[0], &scan(text, false)[0]);
            assert_eq!(a.matches(b), expected, "{claim} / {text}");
        }
    }
}
