//! What a random sample says about the claims that were not checked (claims 4).

/// The 95 % upper bound of the share of bad claims, as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    bad: usize,
    total: usize,
}

impl Bound {
    /// When `bad` of `checked` claims, drawn from `total`, did not pass: the
    /// largest number of bad claims for which so few would still be seen in one
    /// of twenty draws.
    pub fn of(total: usize, checked: usize, bad: usize) -> Self {
        let logs = log_factorials(total);
        let (mut low, mut high) = (bad.min(total), total);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            // Sums of logarithms are slightly inexact, and exactly one draw in twenty
            // must count.
            if at_most(&logs, total, middle, checked, bad) >= 0.05 - 1e-9 {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Self { bad: low, total }
    }

    /// The share, from 0 to 1.
    pub fn share(self) -> f64 {
        if self.total == 0 {
            return 0.0;
        }
        as_f64(self.bad) / as_f64(self.total)
    }

    /// The share in percent with one decimal, or as many as show its first
    /// digit; rounded up, because it is an upper bound.
    pub fn percent(self) -> String {
        let (bad, total) = (self.bad as u128, self.total.max(1) as u128);
        let (mut places, mut scale) = (1, 1000u128);
        while bad > 0 && bad * scale < total {
            places += 1;
            scale *= 10;
        }
        let digits = (bad * scale).div_ceil(total).to_string();
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, behind) = digits.split_at(digits.len() - places);
        format!("{whole}.{behind}")
    }
}

/// P(X ≤ bad) when `checked` of `total` are drawn and `marked` of them are bad.
fn at_most(logs: &[f64], total: usize, marked: usize, checked: usize, bad: usize) -> f64 {
    let choose = |n: usize, k: usize| {
        let log = |at: usize| logs.get(at).copied().unwrap_or_default();
        log(n) - log(k) - log(n - k)
    };
    let least = checked.saturating_sub(total - marked);
    let most = bad.min(marked).min(checked);
    if least > most {
        return 0.0;
    }
    (least..=most)
        .map(|hits| {
            (choose(marked, hits) + choose(total - marked, checked - hits) - choose(total, checked))
                .exp()
        })
        .sum()
}

fn log_factorials(up_to: usize) -> Vec<f64> {
    let mut logs = Vec::with_capacity(up_to + 1);
    let mut sum = 0.0;
    logs.push(sum);
    for number in 1..=up_to {
        sum += as_f64(number).ln();
        logs.push(sum);
    }
    logs
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a document has far fewer than 2^52 claims"
)]
const fn as_f64(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_draw_in_twenty_counts() {
        assert!((Bound::of(400, 1, 0).share() - 0.95).abs() < 1e-12);
    }

    #[test]
    fn the_bound_is_that_of_the_hypergeometric_distribution() {
        let table = [
            (100, 15, 0, 0.16),
            (200, 60, 0, 0.04),
            (10, 3, 0, 0.5),
            (10, 10, 0, 0.0),
            (10, 10, 3, 0.3),
            (5, 1, 1, 1.0),
            (0, 0, 0, 0.0),
        ];
        for (total, checked, bad, expected) in table {
            let bound = Bound::of(total, checked, bad).share();
            assert!(
                (bound - expected).abs() < 1e-9,
                "{total} {checked} {bad}: {bound}"
            );
        }
    }

    #[test]
    fn an_upper_bound_is_rounded_up_and_zero_only_when_it_is_zero() {
        let table = [
            (0, 3, "0.0"),
            (1, 3, "33.4"),
            (2, 3, "66.7"),
            (3, 3, "100.0"),
            (18, 50_000, "0.04"),
            (1, 1000, "0.1"),
            (1, 999, "0.2"),
            (1, 1001, "0.10"),
            (1, 10_000_000, "0.00001"),
            (16, 100, "16.0"),
            (0, 0, "0.0"),
        ];
        for (bad, total, expected) in table {
            assert_eq!(Bound { bad, total }.percent(), expected, "{bad}/{total}");
        }
    }
}
