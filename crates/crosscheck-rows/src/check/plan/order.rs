//! The order of code lists and effect ids: `_`, digits, letters without
//! regard to case; at a tie, lower case first.

use std::cmp::Ordering;

/// Compares two texts in this order.
pub(crate) fn locale_order(a: &str, b: &str) -> Ordering {
    let folded = |text: &str| -> Vec<(u8, char)> { text.chars().map(class).collect() };
    folded(a).cmp(&folded(b)).then_with(|| {
        let first = a.chars().zip(b.chars()).find(|(x, y)| x != y);
        first.map_or(Ordering::Equal, |(x, y)| {
            y.is_lowercase().cmp(&x.is_lowercase()).then(x.cmp(&y))
        })
    })
}

fn class(c: char) -> (u8, char) {
    match c {
        '_' => (0, c),
        '0'..='9' => (1, c),
        'a'..='z' | 'A'..='Z' => (2, c.to_ascii_lowercase()),
        _ => (3, c),
    }
}

/// The unique texts of a list in this order.
pub(crate) fn unique(codes: impl IntoIterator<Item = &'static str>) -> Vec<&'static str> {
    let mut codes: Vec<&'static str> = codes.into_iter().collect();
    codes.sort_by(|a, b| locale_order(a, b));
    codes.dedup();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_come_in_locale_order() {
        let sorted = ["a", "A", "a_b", "a0", "ab", "aB", "Ab"];
        let mut shuffled = ["Ab", "ab", "a0", "A", "aB", "a_b", "a"];
        shuffled.sort_by(|a, b| locale_order(a, b));
        assert_eq!(shuffled, sorted);
    }
}
