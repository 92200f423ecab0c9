//! Timestamps of events. They only say whether time runs backwards: one that
//! cannot be read says nothing. A date alone, or a time without a zone, is UTC,
//! so that the answer is the same everywhere.
//!
//! Contract: check 5.

use jiff::fmt::{rfc2822, strtime};

use crate::compare::moment::read;

/// Milliseconds after 1970: of an ISO text, of a mail, or of what
/// `String(date)` gives in ECMAScript.
pub(crate) fn moment(text: &str) -> Option<i64> {
    iso(text)
        .or_else(|| {
            let stamp = rfc2822::DateTimeParser::new().parse_timestamp(text);
            Some(stamp.ok()?.as_millisecond())
        })
        .or_else(|| {
            // the name of the zone behind it says nothing
            let printed = text.split_once(" (").map_or(text, |(printed, _)| printed);
            let parsed = strtime::parse("%a %b %d %Y %H:%M:%S GMT%z", printed).ok()?;
            Some(parsed.to_timestamp().ok()?.as_millisecond())
        })
}

/// The same of an RFC 3339 time, which has a zone.
pub(crate) fn rfc3339(text: &str) -> Option<i64> {
    let (millis, has_time, has_zone) = read(text)?;
    (has_time && has_zone).then_some(millis)
}

fn iso(text: &str) -> Option<i64> {
    // ECMAScript reads a year or a month alone as its first day
    let whole = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    };
    read(&whole).map(|(millis, ..)| millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_write_is_read() {
        const NEW_YEAR: i64 = 1_704_067_200_000;
        for (text, millis) in [
            ("1970-01-01T00:00:01Z", 1000),
            ("1970-01-01T01:00:01+01:00", 1000),
            ("1970-01-01t00:00:01z", 1000),
            ("1970-01-01 00:00:01", 1000),
            ("1970-01-02", 86_400_000),
            ("1970", 0),
            ("1970-02", 31 * 86_400_000),
            ("1970-01-01T00:00:00.1234567Z", 123),
            ("9999-12-31T23:59:59-12:00", 253_402_343_999_000),
            ("Mon, 01 Jan 2024 00:00:00 GMT", NEW_YEAR),
            (
                "Mon Jan 01 2024 02:00:00 GMT+0200 (Eastern European Standard Time)",
                NEW_YEAR,
            ),
            ("2024-01-01 00:00:00 UTC", NEW_YEAR),
            ("2023-12-31 19:00:00-05", NEW_YEAR),
        ] {
            assert_eq!(moment(text), Some(millis), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "12:00",
            "1704067200",
            "2024-13-01",
            "2024-01-01T00:00:00Z extra",
        ] {
            assert_eq!(moment(text), None, "{text:?}");
        }
        assert_eq!(rfc3339("2024-01-01"), None);
        assert_eq!(rfc3339("2024-01-01T00:00:00"), None);
        assert_eq!(rfc3339("2024-01-01T00:00:00Z"), Some(NEW_YEAR));
    }
}
