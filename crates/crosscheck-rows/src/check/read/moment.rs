//! Timestamps of events, as ECMAScript reads them.
//!
//! They come from agents in that language and only say whether time runs
//! backwards. What a date alone means is UTC; a time without a zone is UTC
//! too, so that the answer is the same everywhere.
//!
//! Contract: check 5.

use jiff::fmt::{rfc2822, strtime};

const DAY: i64 = 86_400_000;
/// The last moment that ECMAScript can hold, and the first before 1970.
const LAST: i64 = 100_000_000 * DAY;

/// Milliseconds after 1970.
pub(crate) fn moment(text: &str) -> Option<i64> {
    Reader(text.as_bytes())
        .moment()
        .or_else(|| {
            let stamp = rfc2822::DateTimeParser::new().parse_timestamp(text);
            Some(stamp.ok()?.as_millisecond())
        })
        .or_else(|| printed(text))
        .filter(|millis| millis.abs() <= LAST)
}

/// What `String(date)` gives; the name of the zone behind it says nothing.
fn printed(text: &str) -> Option<i64> {
    let date = text.split_once(" (").map_or(text, |(date, _)| date);
    let parsed = strtime::parse("%a %b %d %Y %H:%M:%S GMT%z", date).ok()?;
    Some(parsed.to_timestamp().ok()?.as_millisecond())
}

/// The days from 1970 to a date of the Gregorian calendar. A day beyond the
/// end of its month counts into the next one.
pub(crate) const fn days(year: i64, month: i64, day: i64) -> i64 {
    // a year that begins in March has its odd day at the end
    let year = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// The rest of an ISO text.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn moment(mut self) -> Option<i64> {
        let year = self.year()?;
        let month = self.after(b"-", 1..=12, Some(1))?;
        let day = self.after(b"-", 1..=31, Some(1))?;
        let mut millis = days(year, month, day) * DAY;
        if self.take(b" ") {
            millis += self.time()? - self.loose_zone()?;
        } else if self.take(b"Tt") {
            millis += self.time()? - self.zone()?;
        }
        self.0.is_empty().then_some(millis)
    }

    fn year(&mut self) -> Option<i64> {
        match self.0.first()? {
            b'+' => self.skip().digits(6),
            b'-' => self
                .skip()
                .digits(6)
                .filter(|year| *year > 0)
                .map(|year| -year),
            _ => self.digits(4),
        }
    }

    fn time(&mut self) -> Option<i64> {
        let hour = self.digits(2).filter(|hour| *hour <= 24)?;
        let minute = self.after(b":", 0..=59, None)?;
        let has_seconds = self.0.first() == Some(&b':');
        let second = self.after(b":", 0..=59, Some(0))?;
        let mut millis = ((hour * 60 + minute) * 60 + second) * 1000;
        if has_seconds && self.take(b".") {
            millis += self.fraction()?;
        }
        (millis <= DAY).then_some(millis)
    }

    /// The first three digits of a fraction count.
    fn fraction(&mut self) -> Option<i64> {
        let len = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.0.split_at_checked(len).filter(|_| len > 0)?;
        self.0 = rest;
        let padded = digits.iter().copied().chain(*b"00").take(3);
        Some(padded.fold(0, |all, digit| all * 10 + i64::from(digit - b'0')))
    }

    fn zone(&mut self) -> Option<i64> {
        if self.0.is_empty() || self.take(b"Zz") {
            return Some(0);
        }
        let sign = if self.take(b"+") {
            1
        } else if self.take(b"-") {
            -1
        } else {
            return None;
        };
        let hours = self.digits(2).filter(|hours| *hours <= 23)?;
        self.take(b":");
        let minutes = self.digits(2).filter(|minutes| *minutes <= 59)?;
        Some(sign * (hours * 60 + minutes) * 60_000)
    }

    /// A zone as databases and shells write it: `UTC` or hours alone, maybe
    /// behind a blank.
    fn loose_zone(&mut self) -> Option<i64> {
        self.take(b" ");
        let is_utc = ["UTC", "GMT"].iter().any(|name| self.0 == name.as_bytes());
        match *self.0 {
            _ if is_utc => {
                self.0 = &[];
                Some(0)
            }
            [b'+' | b'-', a, b] if [a, b].iter().all(u8::is_ascii_digit) => {
                let sign = if self.take(b"+") { 1 } else { -1 };
                self.0 = self.0.strip_prefix(b"-").unwrap_or(self.0);
                Some(sign * self.digits(2)? * 3_600_000)
            }
            _ => self.zone(),
        }
    }

    /// Two digits in a range after a mark; what to take without the mark.
    fn after(
        &mut self,
        mark: &[u8],
        range: std::ops::RangeInclusive<i64>,
        otherwise: Option<i64>,
    ) -> Option<i64> {
        if !self.take(mark) {
            return otherwise;
        }
        self.digits(2).filter(|number| range.contains(number))
    }

    fn digits(&mut self, len: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(len)?;
        let mut number = 0;
        for digit in digits {
            number = number * 10 + i64::from(char::from(*digit).to_digit(10)?);
        }
        self.0 = rest;
        Some(number)
    }

    fn take(&mut self, any: &[u8]) -> bool {
        let taken = self.0.first().is_some_and(|byte| any.contains(byte));
        if taken {
            self.skip();
        }
        taken
    }

    fn skip(&mut self) -> &mut Self {
        self.0 = self.0.get(1..).unwrap_or_default();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ecmascript_reads_is_read() {
        let table = [
            ("1970-01-01T00:00:01Z", 1000),
            ("1970-01-01T01:00:01+01:00", 1000),
            ("1970-01-01T01:00:01+0100", 1000),
            ("1970-01-01t00:00:01z", 1000),
            ("1970-01-01 00:00:01", 1000),
            ("1970-01-01T00:00", 0),
            ("1970-01-02", DAY),
            ("1970", 0),
            ("1970-02", 31 * DAY),
            ("1970T00:00Z", 0),
            ("1970-01-01T24:00:00Z", DAY),
            ("1970-01-01T00:00:00.1234567Z", 123),
            ("1970-01-01T00:00:00.5Z", 500),
            ("2024-02-30T00:00:00Z", 1_709_251_200_000),
            ("+002024-01-01T00:00:00Z", 1_704_067_200_000),
            ("-000001-01-01T00:00:00Z", -62_198_755_200_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
            ("+275760-09-13T00:00:00Z", LAST),
            ("Mon, 01 Jan 2024 00:00:00 GMT", 1_704_067_200_000),
            (
                "Mon Jan 01 2024 02:00:00 GMT+0200 (Eastern European Standard Time)",
                1_704_067_200_000,
            ),
            ("Mon Jan 01 2024 00:00:00 GMT+0000", 1_704_067_200_000),
            ("2024-01-01 00:00:00+00", 1_704_067_200_000),
            ("2024-01-01 02:00:00 +02", 1_704_067_200_000),
            ("2023-12-31 19:00:00-05", 1_704_067_200_000),
            ("2024-01-01 00:00:00 +0000", 1_704_067_200_000),
            ("2024-01-01 00:00:00 UTC", 1_704_067_200_000),
            ("2024-01-01 00:00:00 Z", 1_704_067_200_000),
            ("01 Jan 2024 00:00:00 +0200", 1_704_060_000_000),
        ];
        for (text, millis) in table {
            assert_eq!(moment(text), Some(millis), "{text}");
        }
    }

    #[test]
    fn what_ecmascript_does_not_read_is_no_moment() {
        for text in [
            "",
            " ",
            "yesterday",
            "12:00",
            "T00:00:00Z",
            "20240101",
            "20240101T000000Z",
            "1704067200",
            "2024-13-01",
            "2024-02-32",
            "2024-01-01T00Z",
            "2024-01-01T25:00:00Z",
            "2024-01-01T24:01Z",
            "2024-01-01T23:59:60Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00,5Z",
            "2024-01-01T00:00:00+02",
            "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00Z extra",
            " 2024-01-01T00:00:00Z ",
            "+275760-09-13T00:00:00.001Z",
            "２０２４-01-01",
        ] {
            assert_eq!(moment(text), None, "{text:?}");
        }
    }
}
