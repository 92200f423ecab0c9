//! Time comes from outside, so that tests can fix it.

use std::time::SystemTime;

use jiff::Timestamp;

/// Returns the time.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> SystemTime;
}

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the wall clock"
    )]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// A time as documents write it: RFC 3339, UTC, whole seconds. A time that no
/// calendar holds is the beginning of 1970.
pub fn utc_seconds(time: SystemTime) -> String {
    let time = Timestamp::try_from(time).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The same with milliseconds.
pub fn utc_millis(time: SystemTime) -> String {
    let time = Timestamp::try_from(time).unwrap_or_default();
    format!("{time:.3}")
}

/// A clock with a fixed time.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub SystemTime);

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_written_in_utc() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_760_522_400_987);
        assert_eq!(utc_seconds(time), "2025-10-15T10:00:00Z");
        assert_eq!(utc_millis(time), "2025-10-15T10:00:00.987Z");
        let early = SystemTime::UNIX_EPOCH - Duration::from_millis(500);
        assert_eq!(utc_seconds(early), "1969-12-31T23:59:59Z");
        assert_eq!(utc_millis(early), "1969-12-31T23:59:59.500Z");
    }
}
