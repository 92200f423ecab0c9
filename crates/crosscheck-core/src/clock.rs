//! Time comes from outside, so that tests can fix it.

use std::time::{Duration, SystemTime};

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

/// A clock with a fixed time.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub SystemTime);

impl FixedClock {
    /// Fixed at this many seconds after 1970.
    pub fn at_unix(seconds: u64) -> Self {
        Self(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }
}

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        self.0
    }
}
