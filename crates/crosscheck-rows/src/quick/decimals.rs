//! Confidences as text.

/// Three decimals, without trailing zeros and point.
pub(crate) fn three_decimals(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::three_decimals;

    #[test]
    fn confidence_is_shown_with_up_to_three_decimals() {
        for (number, text) in [
            (1.0, "1"),
            (0.833_333, "0.833"),
            (0.8, "0.8"),
            (0.0, "0"),
            (0.549_999_999_999_999_9, "0.55"),
            (0.9833, "0.983"),
        ] {
            assert_eq!(three_decimals(number), text);
        }
    }
}
