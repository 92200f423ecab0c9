//! Days and moments as logs and databases write them.

use jiff::civil::{Time, date};
use jiff::fmt::temporal::Pieces;

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
        // most texts are no moment, and the library reads years without one
        let is_like = (10..=40).contains(&text.len()) && !text.starts_with("0000");
        let (millis, has_time, offset_known) = is_like.then(|| read(text)).flatten()?;
        Some(Self {
            seconds: millis.div_euclid(1000),
            offset_known,
            has_time,
        })
    }

    pub(crate) const fn day(self) -> i64 {
        self.seconds.div_euclid(DAY)
    }
}

/// Milliseconds since 1970 of an ISO text with hyphens, whether it has a time, and whether
/// it has an offset. Counted in days, because the library's own moments end before the last days
/// of 9999, which people take for "for ever".
pub(crate) fn read(text: &str) -> Option<(i64, bool, bool)> {
    let bare = text.strip_suffix(" UTC").or(text.strip_suffix(" utc"));
    // the library also reads dates without hyphens, and zones by their name
    let has_hyphens = matches!(text.as_bytes(), [_, _, _, _, b'-', _, _, b'-', ..]);
    if !has_hyphens || text.contains('[') {
        return None;
    }
    let pieces = Pieces::parse(bare.unwrap_or(text)).ok()?;
    let since = pieces
        .date()
        .to_datetime(pieces.time().unwrap_or(Time::midnight()))
        .duration_since(date(1970, 1, 1).at(0, 0, 0, 0));
    let offset = pieces.to_numeric_offset().map(jiff::tz::Offset::seconds);
    let millis = i64::try_from(since.as_millis()).ok()?;
    Some((
        millis - i64::from(offset.unwrap_or(0)) * 1000,
        pieces.time().is_some(),
        offset.is_some() || bare.is_some(),
    ))
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
