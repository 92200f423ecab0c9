//! Days and moments as logs and databases write them.

const DAY: i64 = 86_400;

/// A day, or a moment on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Seconds since 1970; in UTC if the offset is known.
    pub(crate) seconds: i64,
    pub(crate) offset_known: bool,
    pub(crate) has_time: bool,
}

impl Moment {
    /// `2026-03-01`, `2026-03-01 10:00`, `2026-03-01T10:00:00.5Z`, with an
    /// offset such as `+02:00`; fractions of a second do not count.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if !text.is_ascii() || !(10..=40).contains(&text.len()) {
            return None;
        }
        let (date, rest) = text.split_at(10);
        let day = day(date)?;
        let Some(rest) = rest.strip_prefix(['T', 't', ' ']) else {
            return rest.is_empty().then_some(Self {
                seconds: day * DAY,
                offset_known: false,
                has_time: false,
            });
        };
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.')
            .unwrap_or(rest.len());
        let (time, zone) = rest.split_at(end);
        let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let seconds = clock(time)?;
        if fraction.is_empty() || fraction.contains(':') {
            return None;
        }
        let offset = offset(zone.trim())?;
        Some(Self {
            seconds: day * DAY + seconds - offset.unwrap_or(0),
            offset_known: offset.is_some(),
            has_time: true,
        })
    }

    pub(crate) const fn day(self) -> i64 {
        self.seconds.div_euclid(DAY)
    }
}

/// Days since 1970 of a date in the Gregorian calendar.
fn day(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, of_month) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() != 4 || month.len() != 2 || of_month.len() != 2 || parts.next().is_some() {
        return None;
    }
    let (year, month, of_month) = (number(year)?, number(month)?, number(of_month)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    if year == 0 || !(1..=days).contains(&of_month) {
        return None;
    }
    // years that begin in March have their leap day at the end
    let shifted = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + of_month - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

fn clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let two = |part: &str| (part.len() == 2).then(|| number(part)).flatten();
    let (hour, minute) = (two(parts.next()?)?, two(parts.next()?)?);
    let second = parts.next().map_or(Some(0), two)?;
    let is_time = hour < 24 && minute < 60 && second < 60 && parts.next().is_none();
    is_time.then_some(hour * 3600 + minute * 60 + second)
}

/// The offset in seconds; `Some(None)` where there is none.
#[expect(clippy::option_option, reason = "no offset is not a wrong one")]
fn offset(zone: &str) -> Option<Option<i64>> {
    if zone.is_empty() {
        return Some(None);
    }
    if zone.eq_ignore_ascii_case("z") || zone.eq_ignore_ascii_case("utc") {
        return Some(Some(0));
    }
    let (sign, rest) = match zone.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, zone.strip_prefix('+')?),
    };
    let digits = rest.replacen(':', "", 1);
    let (hours, minutes) = match digits.len() {
        2 => (digits.as_str(), "00"),
        4 => digits.split_at(2),
        _ => return None,
    };
    Some(Some(sign * (number(hours)? * 3600 + number(minutes)? * 60)))
}

fn number(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_moment() {
        let at = |text: &str| {
            Moment::parse(text).map(|moment| (moment.seconds, moment.offset_known, moment.has_time))
        };
        assert_eq!(at("1970-01-01"), Some((0, false, false)));
        assert_eq!(at("1970-01-02T00:00:01Z"), Some((DAY + 1, true, true)));
        assert_eq!(at("2000-03-01 00:00"), Some((951_868_800, false, true)));
        assert_eq!(
            at("2024-02-29T12:00:00.123+02:00"),
            Some((1_709_200_800, true, true))
        );
        assert_eq!(
            at("2024-02-29 12:00:00 UTC"),
            Some((1_709_208_000, true, true))
        );
        assert_eq!(at("2024-02-29 12:00:00-0530"), at("2024-02-29T17:30:00Z"));
        assert_eq!(at("1969-12-31T23:59:59Z"), Some((-1, true, true)));
        for text in [
            "",
            "2024-13-01",
            "2023-02-29",
            "24-01-01",
            "2024-01-01T25:00",
            "2024-01-01x",
            "2024-01-01T10:00:00+2",
            "0000-01-01",
            "tomorrow!!",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }
}
