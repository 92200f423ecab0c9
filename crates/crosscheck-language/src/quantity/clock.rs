//! Clock times (judge Q6), decades (Q7), and marks that are not quantities
//! (Q8).

use super::date::plain;
use super::scan::Scanner;
use super::{Quantity, QuantityKind};
use crate::lexicon::{LEXICON, List};
use crate::text::{is_letter, is_word_char};

/// The longest distance between a number and its bracket.
const BRACKET_REACH: usize = 24;

impl Scanner<'_> {
    /// `2:30`, `14:30:15`, `2:30 pm`, `7 a.m.`
    pub(super) fn clock(&self, at: usize) -> Option<Quantity> {
        let digits = self.digits(at);
        let hour: u16 = digits.parse().ok().filter(|hour| *hour <= 24)?;
        let bound = self.char_before(at) == Some(':') || self.is_part_of_name(at);
        if digits.len() > 2 || bound {
            return None;
        }
        let end = at + digits.len();
        let Some(mut end) = self.sixtieths(end) else {
            let (half, end) = self.half_of_day(end).filter(|_| (1..=12).contains(&hour))?;
            let (minutes, afternoon) = (hour % 12 * 60, Some(half));
            return Some(plain(at..end, QuantityKind::Clock { minutes, afternoon }));
        };
        let minute: u16 = self.text.get(end - 2..end)?.parse().ok()?;
        end = self.sixtieths(end).unwrap_or(end);
        let half = self.half_of_day(end);
        if half.is_none() && self.char(end).is_some_and(|c| is_word_char(c) || c == ':') {
            return None;
        }
        let afternoon = match half {
            Some((afternoon, _)) => Some(afternoon),
            // `07:00` is a time of 24 hours.
            None if digits.starts_with('0') || hour > 12 => Some(hour > 12),
            None => None,
        };
        let minutes = hour % 12 * 60 + minute;
        let end = half.map_or(end, |(_, end)| end);
        Some(plain(at..end, QuantityKind::Clock { minutes, afternoon }))
    }

    /// The end of a `:00` to `:59` that begins here.
    fn sixtieths(&self, at: usize) -> Option<usize> {
        match self.tail(at).as_bytes() {
            [b':', b'0'..=b'5', b'0'..=b'9', ..] => Some(at + 3),
            _ => None,
        }
    }

    /// `am`, `p.m.`, possibly after a blank: whether it is the second half of the day, and
    /// where it ends.
    fn half_of_day(&self, at: usize) -> Option<(bool, usize)> {
        let start = at + usize::from(self.char(at) == Some(' '));
        let afternoon = match self.char(start)? {
            'a' | 'A' => false,
            'p' | 'P' => true,
            _ => return None,
        };
        let mut end = start + 1;
        end += usize::from(self.char(end) == Some('.'));
        matches!(self.char(end), Some('m' | 'M')).then_some(())?;
        end += 1;
        let whole = !self.char(end).is_some_and(is_word_char);
        let end = end + usize::from(self.char(end) == Some('.'));
        whole.then_some((afternoon, end))
    }

    /// `the 1980s`, `early 1990's`
    pub(super) fn decade(&self, at: usize) -> Option<Quantity> {
        let digits = self.digits(at);
        let year = digits
            .parse()
            .ok()
            .filter(|year| (1000..=2090).contains(year))?;
        let behind = self.tail(at + 4);
        let mark = behind
            .strip_prefix('\'')
            .unwrap_or(behind)
            .strip_prefix('s')?;
        let is_decade = !self.code
            && digits.len() == 4
            && year % 10 == 0
            && !mark.starts_with(is_word_char)
            && self.follows_decade_word(at);
        let end = self.text.len() - mark.len();
        is_decade.then(|| plain(at..end, QuantityKind::Decade(year)))
    }

    fn follows_decade_word(&self, at: usize) -> bool {
        let head = self.text.get(..at).unwrap_or_default();
        if head.ends_with('\'') {
            return true;
        }
        let Some(head) = head.strip_suffix([' ', '-']) else {
            return false;
        };
        let word = head.chars().rev().take(9).take_while(|c| is_letter(*c));
        let word = head.get(head.len() - word.map(char::len_utf8).sum::<usize>()..);
        let fresh = |len: usize| {
            let before = self.char_before(head.len() - len);
            !before.is_some_and(is_word_char)
        };
        word.is_some_and(|word| {
            let entry = LEXICON.word_in_any_case(word);
            entry.is_some_and(|entry| entry.is(List::DecadeBefore)) && fresh(word.len())
        })
    }

    /// Whether the number here is in `[12]`, `[3, 4]` or `[5-7]` of prose.
    pub(super) fn is_reference_mark(&self, at: usize) -> bool {
        let belongs = |c: &char| c.is_ascii_digit() || matches!(c, ',' | '-') || c.is_whitespace();
        let head = self.text.get(..at).unwrap_or_default();
        let before: usize = head
            .chars()
            .rev()
            .take(BRACKET_REACH)
            .take_while(belongs)
            .map(char::len_utf8)
            .sum();
        let Some(open) = head
            .get(..at - before)
            .and_then(|head| head.strip_suffix('['))
        else {
            return false;
        };
        let tail = self.tail(at);
        let behind: usize = tail
            .chars()
            .take(BRACKET_REACH)
            .take_while(belongs)
            .map(char::len_utf8)
            .sum();
        let inner = self.text.get(at - before..at + behind).unwrap_or_default();
        let long = |number: &str| number.len() >= 4;
        !self.code
            && tail.get(behind..).is_some_and(|tail| tail.starts_with(']'))
            && !open.ends_with(['=', ':', ',', '('])
            && !inner.split(|c: char| !c.is_ascii_digit()).any(long)
    }
}
