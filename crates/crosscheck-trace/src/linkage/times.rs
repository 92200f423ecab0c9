//! Times as logs spell them, compared where possible.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A moment on one clock. Moments of different clocks cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    clock: Clock,
    /// Nanoseconds; for a bare count, billionths of whatever it counts.
    at: i128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clock {
    /// A bare count of units that the log does not name.
    Count,
    /// A time of day without a zone.
    Local,
    /// A time with its zone.
    World,
}

impl Moment {
    fn parse(text: &str) -> Option<Self> {
        let (clock, at) = if let Some(at) = count(text) {
            (Clock::Count, at)
        } else if let Ok(time) = text.parse::<Timestamp>() {
            (Clock::World, time.as_nanosecond())
        } else {
            let time: DateTime = text.parse().ok()?;
            let time = time.to_zoned(TimeZone::UTC).ok()?;
            (Clock::Local, time.timestamp().as_nanosecond())
        };
        Some(Self { clock, at })
    }
}

/// A number of seconds as nanoseconds, with any number of decimals.
fn count(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let billionths: String = fraction
        .chars()
        .chain(std::iter::repeat('0'))
        .take(9)
        .collect();
    format!("{whole}{billionths}").parse().ok()
}

/// Compares two times, if they are of one clock.
pub(super) fn compare(a: Option<&str>, b: Option<&str>) -> Option<Ordering> {
    let (a, b) = (Moment::parse(a?)?, Moment::parse(b?)?);
    (a.clock == b.clock).then(|| a.at.cmp(&b.at))
}

/// Whether the first time is before the second, as far as they can be compared.
pub(super) fn is_before(a: Option<&str>, b: Option<&str>) -> bool {
    compare(a, b) == Some(Ordering::Less)
}

/// Whether a record ended before it began. Some write an end that was never set
/// as zero.
pub(super) fn is_backwards(started: Option<&str>, ended: Option<&str>) -> bool {
    let is_set = ended
        .and_then(Moment::parse)
        .is_some_and(|moment| moment.at > 0);
    is_set && is_before(ended, started)
}

/// Whether the last part of a dotted order, which begins with the moment a run
/// started in UTC, names another moment than the run does. Digits that one of
/// them lacks are not compared, nor is a start in another zone.
pub(super) fn is_of_another_time(order: &str, started: Option<&str>) -> bool {
    const SECOND: usize = "20260505100000".len();
    let last = order.rsplit('.').next().unwrap_or_default();
    let (Some((stamp, _)), Some(started)) = (last.split_once('Z'), started) else {
        return false;
    };
    let digits = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
    let (_, time) = started.split_once(['T', ' ']).unwrap_or_default();
    if time.contains(['+', '-']) {
        return false;
    }
    let (named, began) = (digits(stamp), digits(started));
    let both = named.len().min(began.len());
    both >= SECOND && named.get(..both) != began.get(..both)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_clock_compare_and_others_do_not() {
        let table = [
            ("999", "1000", Some(Ordering::Less)),
            ("1000", "2026", Some(Ordering::Less)),
            ("1777975200.5", "1777975200.25", Some(Ordering::Greater)),
            (
                "2026-01-01T00:00:00.1Z",
                "2026-01-01T00:00:00.25Z",
                Some(Ordering::Less),
            ),
            (
                "2026-01-01T00:00:00+01:00",
                "2026-01-01T00:00:00+02:00",
                Some(Ordering::Greater),
            ),
            (
                "2026-01-01T10:00:00-08:00",
                "2026-01-01T13:00:00-05:00",
                Some(Ordering::Equal),
            ),
            (
                "2026-01-01T00:00:00",
                "2025-12-31 23:59:59.999999",
                Some(Ordering::Greater),
            ),
            ("2026-01-01T00:00:00", "2026-01-01T00:00:00Z", None),
            ("1767225600", "2026-01-01T00:00:00Z", None),
            ("yesterday", "1", None),
            ("", "1", None),
        ];
        for (a, b, expected) in table {
            assert_eq!(compare(Some(a), Some(b)), expected, "{a} and {b}");
        }
        assert_eq!(compare(None, Some("1")), None);
    }

    #[test]
    fn an_order_names_the_moment_that_a_run_started() {
        let order = "20260505T100000000001Zr1.20260505T100003571809Zr2";
        for (started, other) in [
            ("2026-05-05T10:00:03.571809", false),
            ("2026-05-05T10:00:03.571809Z", false),
            ("2026-05-05T05:00:03.571809-05:00", false),
            ("2026-05-05T10:00:03.571Z", false),
            ("2026-05-05T10:00:03", false),
            ("2026-05-05T10:00:03.571810", true),
            ("2026-05-05T10:00:03.572", true),
            ("2026-05-05T10:00:04", true),
            ("soon", false),
        ] {
            assert_eq!(is_of_another_time(order, Some(started)), other, "{started}");
        }
        for odd in ["no order", "ééééééééZ"] {
            assert!(!is_of_another_time(odd, Some("2026-05-05T10:00:03")));
        }
    }
}
