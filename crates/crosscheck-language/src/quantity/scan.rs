//! One pass from left to right; at each position dates are tried first, then
//! clock times, decades and versions, then numbers and number words.

use super::around::Around;
use super::{Quantity, Role};
use crate::lexicon::{LEXICON, WordEntry};
use crate::text::chars::{char_at, char_before, is_unspaced};
use crate::text::{Style, each_word, is_word_char, next_of};

/// The quantities of a text in normal form.
pub fn scan(text: &str, code: bool) -> Vec<Quantity> {
    let mut words = Vec::new();
    each_word(text, Style::Text, &mut |word, range| {
        if begins_quantity(LEXICON.word(word)) {
            words.push(range.start);
        }
    });
    let mut found = Vec::new();
    each_quantity(text, code, words.into_iter(), &mut |quantity| {
        if quantity.role != Role::Ordinal {
            found.push(quantity);
        }
    });
    found
}

/// Whether this word can belong to a quantity: a month, a number or a fraction.
pub fn begins_quantity(entry: Option<&WordEntry>) -> bool {
    entry.is_some_and(|entry| {
        entry.month.is_some()
            || entry.number.is_some()
            || !entry.fractions.is_empty()
            || entry.scale.is_some()
    })
}

/// Calls `take` with every quantity of a text in normal form. `code` means that
/// it is a line of a text that is not prose, where names imply units
/// (`TIMEOUT_MS = 30000`). `words` are the positions of the words that can
/// begin a quantity; all other quantities begin with a digit, or with `v`
/// before one.
pub fn each_quantity(
    text: &str,
    code: bool,
    words: impl Iterator<Item = usize>,
    take: &mut dyn FnMut(Quantity),
) {
    let scanner = Scanner { text, code };
    let mut around = Around::new(&scanner, take);
    let mut words = words.peekable();
    let next_digit = |from| next_of(text.as_bytes(), from, |byte| byte.is_ascii_digit());
    let mut digit = next_digit(0);
    let mut at = 0;
    loop {
        while words.next_if(|word| *word < at).is_some() {}
        if digit.is_some_and(|digit| digit < at) {
            digit = next_digit(at);
        }
        let (place, is_digit) = match (words.peek().copied(), digit) {
            (Some(word), Some(digit)) if word < digit => (word, false),
            (Some(word), None) => (word, false),
            (_, Some(digit)) => (digit, true),
            (None, None) => break,
        };
        let step = if is_digit {
            scanner.at_digit(place)
        } else {
            scanner.at_word(place)
        };
        at = match step {
            Step::Found(quantity) => {
                let end = quantity.range.end;
                around.put(quantity);
                end.max(place + 1)
            }
            Step::Skip(end) => end.max(place + 1),
        };
    }
    around.end();
}

pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) code: bool,
}

pub(super) enum Step {
    Found(Quantity),
    /// No quantity here; continue at this offset.
    Skip(usize),
}

impl<'t> Scanner<'t> {
    pub(super) fn char(&self, at: usize) -> Option<char> {
        char_at(self.text, at)
    }

    pub(super) fn char_before(&self, at: usize) -> Option<char> {
        char_before(self.text, at)
    }

    pub(super) fn tail(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The run of ASCII digits from here.
    pub(super) fn digits(&self, at: usize) -> &'t str {
        let tail = self.tail(at);
        let len = tail.bytes().take_while(u8::is_ascii_digit).count();
        tail.get(..len).unwrap_or_default()
    }

    /// The run of letters, digits and `_` from here. Han, Kana and Hangul have no blanks around other
    /// words, so one kind ends where the other begins.
    pub(super) fn word(&self, at: usize) -> &'t str {
        let tail = self.tail(at);
        let unspaced = tail.starts_with(is_unspaced);
        let len = tail.find(|c| !is_word_char(c) || is_unspaced(c) != unspaced);
        tail.get(..len.unwrap_or(tail.len())).unwrap_or_default()
    }

    pub(super) fn spaces(&self, at: usize) -> usize {
        self.tail(at).len() - self.tail(at).trim_start().len()
    }

    fn at_digit(&self, at: usize) -> Step {
        let digits = at + self.digits(at).len();
        match self.char_before(at) {
            Some('v' | 'V') => {
                let v = at - 1;
                let fresh = !self.char_before(v).is_some_and(is_word_char);
                let version = fresh.then(|| self.version(v, at)).flatten();
                return version.map_or(Step::Skip(digits), Step::Found);
            }
            // Han, Kana and Hangul have no blanks around figures.
            Some(before)
                if is_word_char(before) && !is_unspaced(before) && !self.is_times(at - 1) =>
            {
                return Step::Skip(digits);
            }
            // `a.5` and the `2` of `1.2` are parts of something else.
            Some('.') if self.char_before(at - 1).is_some_and(char::is_alphanumeric) => {
                return Step::Skip(digits);
            }
            _ if self.is_reference_mark(at) => return Step::Skip(digits),
            _ => {}
        }
        self.iso_date(at)
            .or_else(|| self.day_month_year(at))
            .or_else(|| self.clock(at))
            .or_else(|| self.decade(at))
            .or_else(|| self.version(at, at))
            .map_or_else(|| self.number(at), Step::Found)
    }

    /// Whether the `x` of `1920x1080` is here.
    fn is_times(&self, at: usize) -> bool {
        let head = self.text.get(..at).unwrap_or_default();
        let before = head.trim_end_matches(|c: char| c.is_ascii_digit());
        matches!(self.char(at), Some('x' | 'X'))
            && before.len() < head.len()
            && !before.ends_with(is_word_char)
    }

    fn at_word(&self, at: usize) -> Step {
        let word = self.word(at);
        let fresh = !self.char_before(at).is_some_and(is_word_char);
        let found = fresh.then(|| {
            self.month_first(at)
                .or_else(|| self.fraction(at))
                .or_else(|| self.round_number(at))
                .or_else(|| self.number_word(at))
        });
        let skip = Step::Skip(at + word.len());
        found.flatten().map_or(skip, Step::Found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{QuantityKind, Unit};
    use super::*;

    /// A short spelling of the result.
    fn seen(text: &str, code: bool) -> Vec<String> {
        scan(text, code).iter().map(spelled).collect()
    }

    fn spelled(quantity: &Quantity) -> String {
        match &quantity.kind {
            QuantityKind::Date { year, month, day } => match day {
                Some(day) => format!("{year}-{month}-{day}"),
                None => format!("{year}-{month}"),
            },
            QuantityKind::Year(year) => format!("year {year}"),
            QuantityKind::Decade(year) => format!("decade {year}"),
            QuantityKind::Clock { minutes, afternoon } => match afternoon {
                Some(true) => format!("{minutes} pm"),
                Some(false) => format!("{minutes} am"),
                None => format!("{minutes} min"),
            },
            QuantityKind::Version(text) => format!("version {text}"),
            QuantityKind::Long(text) => format!("long {text}"),
            QuantityKind::Number { value, unit } => {
                let unit = match unit {
                    Unit::None => String::new(),
                    Unit::Dimension(dimension) => {
                        format!(" x{}/{}", dimension.num, dimension.den)
                    }
                    Unit::Count(noun) => format!(" {noun}"),
                };
                format!("{}{unit}", value.shown())
            }
        }
    }

    #[test]
    fn each_kind_of_quantity_is_read() {
        let table: &[(&str, &[&str])] = &[
            (
                "on 2025-03-03 and March 3, 2025 or 3 Mar. 2025, May 2024",
                &["2025-3-3", "2025-3-3", "2025-3-3", "2024-5"],
            ),
            (
                "May 4th, 1990, 4th of May 1990, 4 May, 1990; May, 1990",
                &["1990-5-4", "1990-5-4", "1990-5-4", "1990-5"],
            ),
            (
                "v2 1.4.2-rc.1 v1.2.3. 10.0.0.1 ssl-3.1.4",
                &[
                    "version 2",
                    "version 1.4.2-rc.1",
                    "version 1.2.3",
                    "version 10.0.0.1",
                    "version 3.1.4",
                ],
            ),
            (
                "u32 utf8 a.5 x_9 3rd 5x COVID-19 GPT-4 x-1:30",
                &["long 5x", "3e1"],
            ),
            ("COVID-19 May 2020", &["2020-5"]),
            ("mid-2019 x-2150", &["year 2019"]),
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
                "Three workers, two million, one, twenty-five hours, two hundred thousand dogs",
                &["3e0 worker", "2e6", "25e0 x3600000/1", "2e5 dog"],
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
            ("端口是8080和1400万人", &["808e1 和", "14e2 万"]),
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
    fn signs_groups_and_dates_are_read_in_other_forms() {
        let table: &[(&str, &[&str])] = &[
            (
                "minus 5, `-6` and 10 minus 7",
                &["-5e0", "-6e0", "1e1 minus", "7e0"],
            ),
            (
                "41 000 trees, 1 234 567, on May 12 300 came, in 2020 100 came, 5 100m",
                &[
                    "41e3 tre",
                    "1234567e0",
                    "12e0",
                    "3e2 cam",
                    "year 2020",
                    "1e2 cam",
                    "5e0",
                    "1e2 x1000/1",
                ],
            ),
            ("10.0.2021 5G", &["version 10.0.2021", "long 5g"]),
            (
                "7200rpm, 1920x1080, 3f2a9c1 and $5x",
                &["long 7200rpm", "192e1", "108e1", "long 3f2a9c1", "long $5x"],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(seen(text, false), *expected, "{text}");
        }
    }

    #[test]
    fn a_day_behind_another_one_denies_nothing() {
        for (text, role) in [
            ("11 February 2022", Role::Digits),
            ("7-11 February 2022", Role::Vague),
            ("7 to 11 February 2022", Role::Vague),
            ("5, 6 and 7 May 2020", Role::Vague),
        ] {
            let last = scan(text, false).pop().unwrap();
            assert!(matches!(last.kind, QuantityKind::Date { .. }), "{text}");
            assert_eq!(last.role, role, "{text}");
        }
    }

    #[test]
    fn fractions_and_round_numbers_are_read() {
        let table: &[(&str, &[&str])] = &[
            (
                "A third of them, one-third, two-thirds",
                &["long a third of", "long one third", "long two thirds"],
            ),
            ("three quarters of the fish", &["long three quarters of"]),
            (
                "a third attempt, the third of them, two third parties",
                &["2e0 third"],
            ),
            (
                "nearly half of the members, half the town",
                &["long half", "long half"],
            ),
            (
                "half a million dogs, half-a-dozen, a quarter of a million",
                &[
                    "long half a million",
                    "long half a dozen",
                    "long a quarter of a million",
                ],
            ),
            (
                "a dozen eggs, two dozen eggs, 3 dozen eggs",
                &["12e0 egg", "24e0 egg", "36e0 egg"],
            ),
            (
                "a million dogs, one hundred, a hundred and fifty",
                &["1e6 dog", "1e2", "5e1"],
            ),
            ("two and a half hours", &["25e-1 x3600000/1"]),
        ];
        for (text, expected) in table {
            assert_eq!(seen(text, false), *expected, "{text}");
        }
    }

    #[test]
    fn clock_times_are_one_quantity() {
        let table: &[(&str, &[&str])] = &[
            (
                "2:30 PM 14:30 2:30 0:05 12:00:30 p.m.",
                &["150 pm", "150 pm", "150 min", "5 am", "0 pm"],
            ),
            ("at 2:30pm, 9:15 a.m.", &["150 pm", "555 am"]),
            (
                "7 a.m. 3pm 12 pm 07:00 13 pm",
                &["420 am", "180 pm", "0 pm", "420 am", "13e0 pm"],
            ),
            (
                "25:10 2:60 2:3",
                &["25e0", "1e1", "2e0", "6e1", "2e0", "3e0"],
            ),
            (
                "1:2:30 2:30:40:50",
                &["1e0", "2e0", "3e1", "2e0", "3e1", "4e1", "5e1"],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(seen(text, false), *expected, "{text}");
        }
    }

    #[test]
    fn a_decade_needs_a_word_before_it() {
        let table: &[(&str, &[&str])] = &[
            (
                "in the 1980s, early 1990's",
                &["decade 1980", "decade 1990"],
            ),
            (
                "the mid-1980s and the 1780s",
                &["decade 1980", "decade 1780"],
            ),
            ("after 1800s", &["18e2 x1000/1"]),
            ("the 1985s", &["1985e0 x1000/1"]),
            ("the 2100s", &["21e2 x1000/1"]),
        ];
        for (text, expected) in table {
            assert_eq!(seen(text, false), *expected, "{text}");
        }
        assert_eq!(seen("the 1980s", true), ["198e1 x1000/1"]);
    }

    #[test]
    fn a_reference_mark_is_not_a_quantity() {
        assert_eq!(seen("It is so [12], [3, 4] and [5-7].", false), [""; 0]);
        assert_eq!(seen("x:[12] (see [1999])", false), ["12e0", "year 1999"]);
        assert_eq!(seen("[12]", true), ["12e0"]);
    }

    #[test]
    fn names_in_code_imply_units() {
        assert_eq!(seen("TIMEOUT_MS = 30000", true), ["3e4 x1/1"]);
        // it matches 2000 ms, and contradicts nothing
        assert_eq!(seen("TIMEOUT_MS = 2000", true), ["year 2000"]);
        assert_eq!(seen("TIMEOUT_MS = 30000", false), ["3e4"]);
        assert_eq!(
            seen("kb = 1, secs = 2", true),
            ["1e0 x1000/1", "2e0 x1000/1"]
        );
        assert_eq!(seen("limit seconds: five", true), ["5e0 x1000/1"]);
        assert_eq!(seen("TIMEOUT_MS = 2000 tries", true), ["year 2000"]);
    }

    #[test]
    fn the_unit_of_a_range_wins_over_that_of_a_name() {
        assert_eq!(
            seen("limit_hours: 3 to 5 days", true),
            ["3e0 x86400000/1", "5e0 x86400000/1"]
        );
        assert_eq!(
            seen("limit_hours: 3 to 5", true),
            ["3e0 x3600000/1", "5e0 x3600000/1"]
        );
    }
}
