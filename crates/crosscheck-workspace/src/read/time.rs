//! Timestamps of workspace files: written as `YYYY-MM-DDTHH:MM:SS.mmmZ`.

use std::time::SystemTime;

use jiff::Timestamp;

/// The text of a moment, in UTC with milliseconds.
pub fn stamp(time: SystemTime) -> String {
    Timestamp::try_from(time).map_or_else(|_| String::new(), |time| format!("{time:.3}"))
}

/// The name part of a log file: `YYYY-MM-DDTHH-MM-SS`.
pub fn file_stamp(time: SystemTime) -> String {
    let text = stamp(time);
    text.split('.').next().unwrap_or_default().replace(':', "-")
}

/// Whether a text is an RFC 3339 date and time.
pub fn is_timestamp(text: &str) -> bool {
    let has_time = text
        .as_bytes()
        .get(10)
        .is_some_and(|byte| matches!(byte, b'T' | b't' | b' '));
    has_time && text.parse::<Timestamp>().is_ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_moment_is_written_in_utc_with_milliseconds() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_760_522_400_007);
        assert_eq!(stamp(time), "2025-10-15T10:00:00.007Z");
        assert_eq!(file_stamp(time), "2025-10-15T10-00-00");
        assert_eq!(stamp(SystemTime::UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn only_a_date_with_time_and_offset_is_a_timestamp() {
        for good in [
            "2025-10-15T10:00:00Z",
            "2025-10-15T10:00:00.123Z",
            "2025-10-15T10:00:00+02:00",
        ] {
            assert!(is_timestamp(good), "{good}");
        }
        for bad in [
            "2025-10-15",
            "yesterday",
            "",
            "2025-10-15T10:00:00",
            "2025-13-15T10:00:00Z",
        ] {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
