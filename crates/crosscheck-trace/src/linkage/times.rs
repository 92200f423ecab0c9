//! Times as logs spell them, compared where possible.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A moment on one clock. Moments of different clocks cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) clock: Clock,
    /// Nanoseconds; for a bare count, billionths of whatever it counts.
    pub(super) at: i128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Clock {
    /// A bare count of units that the log does not name.
    Count,
    /// A time of day without a zone.
    Local,
    /// A time with its zone.
    World,
}

impl Moment {
    pub(super) fn of(text: &str) -> Option<Self> {
        if let Some(at) = count(text) {
            let clock = Clock::Count;
            return Some(Self { clock, at });
        }
        if let Ok(time) = text.parse::<Timestamp>() {
            let clock = Clock::World;
            let at = time.as_nanosecond();
            return Some(Self { clock, at });
        }
        let time: DateTime = text.parse().ok()?;
        let clock = Clock::Local;
        let at = time
            .to_zoned(TimeZone::UTC)
            .ok()?
            .timestamp()
            .as_nanosecond();
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
    let (a, b) = (Moment::of(a?)?, Moment::of(b?)?);
    (a.clock == b.clock).then(|| a.at.cmp(&b.at))
}

/// Whether a record ended before it began. Some write an end that was never set
/// as zero.
pub(super) fn is_backwards(started: Option<&str>, ended: Option<&str>) -> bool {
    let is_set = ended
        .and_then(Moment::of)
        .is_some_and(|moment| moment.at > 0);
    is_set && compare(ended, started) == Some(Ordering::Less)
}

/// Whether the last part of a dotted order, which begins with the moment a run
/// started in UTC, names another moment than the run does. What the start does
/// not contain (its zone, its last digits) is not compared.
pub(super) fn is_of_another_time(order: &str, started: Option<&str>) -> bool {
    const STAMP: usize = "20260505T100000".len();
    let last = order.rsplit('.').next().unwrap_or_default();
    let stamp = last.split_once('Z').map(|(stamp, _)| stamp);
    let Some((second, micros)) = stamp.and_then(|stamp| stamp.split_at_checked(STAMP)) else {
        return false;
    };
    let fraction = if micros.is_empty() { "0" } else { micros };
    let Some(named) = Moment::of(&format!("{second}.{fraction}Z")) else {
        return false;
    };
    let Some(began) = started.and_then(Moment::of) else {
        return false;
    };
    let unit = match started.map_or(0, fraction_digits) {
        0 => 1_000_000_000,
        1..=3 => 1_000_000,
        _ => 1_000,
    };
    began.clock != Clock::Count && began.at.div_euclid(unit) != named.at.div_euclid(unit)
}

fn fraction_digits(time: &str) -> usize {
    let digits = time.split_once(['.', ',']).map(|(_, rest)| rest);
    let digits = digits.unwrap_or_default().bytes();
    digits.take_while(u8::is_ascii_digit).count()
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
            ("2026-05-05T10:00:03.571809+02:00", true),
            ("soon", false),
        ] {
            assert_eq!(is_of_another_time(order, Some(started)), other, "{started}");
        }
        assert!(!is_of_another_time("no order", Some("2026-05-05T10:00:03")));
        assert!(!is_of_another_time(
            "ééééééééZ",
            Some("2026-05-05T10:00:03")
        ));
    }
}
