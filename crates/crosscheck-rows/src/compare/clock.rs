//! Times of the day as people and databases write them.

use super::Comparison::{self, Different, Equal, Not};

const HALF: u32 = 12 * 3600;

/// A time of the day.
#[derive(Clone, Copy)]
struct Clock {
    seconds: u32,
    /// Whether it may as well be in the afternoon.
    is_open: bool,
}

/// Compares two times of the day, or one with another text that has digits.
pub(super) fn compare(claim: &str, held: &str) -> Option<Comparison> {
    let held = clock(held)?;
    let Some(claim) = clock(claim) else {
        let has_digits = claim.chars().any(|c| c.is_ascii_digit());
        return has_digits.then_some(Not("time form"));
    };
    let apart = claim.seconds.abs_diff(held.seconds);
    Some(if apart == 0 {
        Equal("time")
    } else if apart == HALF && (claim.is_open || held.is_open) {
        Not("time form")
    } else {
        Different("")
    })
}

/// `14:30`, `9:00:00`, `2:30 PM`, `2pm`.
fn clock(text: &str) -> Option<Clock> {
    let lower = text.to_ascii_lowercase().replace('.', "");
    let lower = lower.trim();
    let (time, half) = if let Some(time) = lower.strip_suffix("pm") {
        (time, Some(12))
    } else if let Some(time) = lower.strip_suffix("am") {
        (time, Some(0))
    } else {
        (lower, None)
    };
    let number = |part: &str| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        let is_short = (1..=2).contains(&part.len());
        (is_number && is_short)
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    let parts: Option<Vec<u32>> = time.trim().split(':').map(number).collect();
    let (hour, minute, second) = match parts?[..] {
        [hour] if half.is_some() => (hour, 0, 0),
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let of_day = half.map_or(hour, |half| hour % 12 + half);
    Some(Clock {
        seconds: of_day * 3600 + minute * 60 + second,
        is_open: half.is_none() && hour <= 12,
    })
}
