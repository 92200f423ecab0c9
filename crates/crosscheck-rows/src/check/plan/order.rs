//! The order of code lists and effect ids: `_`, digits, letters without
//! regard to case; at a tie, lower case first.
//!
//! Contract: check 4.

use std::cmp::Ordering;

/// Compares two texts in this order.
pub(crate) fn locale_order(a: &str, b: &str) -> Ordering {
    let folded = |text: &str| -> Vec<u32> { text.chars().map(class).collect() };
    folded(a).cmp(&folded(b)).then_with(|| {
        let first = a.chars().zip(b.chars()).find(|(x, y)| x != y);
        first.map_or(Ordering::Equal, |(x, y)| {
            y.is_lowercase().cmp(&x.is_lowercase()).then(x.cmp(&y))
        })
    })
}

/// Other characters keep their place among the code points; `_` comes before `0`.
fn class(c: char) -> u32 {
    match c {
        '_' => u32::from('0') * 2 - 1,
        _ => u32::from(c.to_ascii_lowercase()) * 2,
    }
}

/// The unique texts of a list in this order.
pub(crate) fn unique<'c>(codes: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    let mut codes: Vec<&'c str> = codes.into_iter().collect();
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

    #[test]
    fn other_characters_keep_their_place_among_the_code_points() {
        let sorted = ["a b", "a-b", "a.b", "a_b", "a0", "a:b", "ab", "a~b", "aé"];
        let mut shuffled = sorted;
        shuffled.reverse();
        shuffled.sort_by(|a, b| locale_order(a, b));
        assert_eq!(shuffled, sorted);
    }
}
