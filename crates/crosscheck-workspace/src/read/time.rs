//! Timestamps of workspace files: written as `YYYY-MM-DDTHH:MM:SS.mmmZ`.

use jiff::Timestamp;

pub use crosscheck_core::clock::utc_millis as stamp;

/// Whether a text is an RFC 3339 date and time.
pub fn is_timestamp(text: &str) -> bool {
    let Some((head, rest)) = text.split_at_checked("2025-10-15T10:00:00".len()) else {
        return false;
    };
    let has_shape = head.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        10 => matches!(byte, b'T' | b't' | b' '),
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    let fraction = rest.strip_prefix('.').map_or(0, |digits| {
        1 + digits.bytes().take_while(u8::is_ascii_digit).count()
    });
    let (fraction, offset) = rest.split_at(fraction);
    let has_offset = matches!(offset, "Z" | "z")
        || matches!(offset.as_bytes(), [b'+' | b'-', h1, h2, b':', m1, m2]
            if [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()));
    // More digits than a clock has can be read, but not computed with.
    has_shape
        && fraction != "."
        && has_offset
        && format!("{head}{offset}").parse::<Timestamp>().is_ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_moment_is_written_in_utc_with_milliseconds() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_760_522_400_007);
        assert_eq!(stamp(time), "2025-10-15T10:00:00.007Z");
        assert_eq!(stamp(SystemTime::UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn only_a_date_with_time_and_offset_is_a_timestamp() {
        for good in [
            "2025-10-15T10:00:00Z",
            "2025-10-15T10:00:00.123Z",
            "2025-10-15T10:00:00+02:00",
            "2025-10-15T10:00:00.123456789012Z",
            "2025-10-15t10:00:00z",
        ] {
            assert!(is_timestamp(good), "{good}");
        }
        for bad in [
            "2025-10-15",
            "yesterday",
            "",
            "2025-10-15T10:00:00",
            "2025-13-15T10:00:00Z",
            "2025-10-15T10Z",
            "2025-10-15T10:00Z",
            "2025-10-15T10:00:00Z[UTC]",
            "2025-10-15T10:00:00+0200",
            "2025-10-15T10:00:00,5Z",
            "2025-10-15T10:00:00.Z",
            "2025-10-15T10:00:0äZ",
        ] {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
