//! The type of a plain scalar in YAML 1.2 core.

/// The type of a plain scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    /// A decimal number.
    Decimal,
    /// An integer in another base.
    Whole(u64),
    /// Any other number, a truth value or null.
    Other,
    String,
}

pub(super) fn kind(text: &str) -> Scalar {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if is_decimal(unsigned) {
        return Scalar::Decimal;
    }
    let is_word = matches!(
        text,
        "" | "~"
            | "null"
            | "Null"
            | "NULL"
            | "true"
            | "True"
            | "TRUE"
            | "false"
            | "False"
            | "FALSE"
            | ".nan"
            | ".NaN"
            | ".NAN"
    );
    if is_word || matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Scalar::Other;
    }
    let based = |prefix, base, is: fn(&u8) -> bool| {
        let digits: &str = text.strip_prefix(prefix)?;
        (!digits.is_empty() && digits.bytes().all(|digit| is(&digit)))
            .then(|| u64::from_str_radix(digits, base).map_or(Scalar::Other, Scalar::Whole))
    };
    based("0o", 8, |digit| (b'0'..=b'7').contains(digit))
        .or_else(|| based("0x", 16, u8::is_ascii_hexdigit))
        .unwrap_or(Scalar::String)
}

/// `12`, `1.`, `.5`, `1.5e-3`, without a sign.
fn is_decimal(text: &str) -> bool {
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (text, None),
    };
    let exponent_fits = exponent.is_none_or(|digits| {
        let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
        !digits.is_empty() && are_digits(digits)
    });
    let (whole, behind) = number.split_once('.').unwrap_or((number, ""));
    exponent_fits
        && !(whole.is_empty() && behind.is_empty())
        && are_digits(whole)
        && are_digits(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_is_what_the_expressions_of_the_core_schema_say() {
        for text in [
            "0", "-0", "+12", "007", "1.", ".5", "-1.5e-03", "12e03", "+.5E+1",
        ] {
            assert_eq!(kind(text), Scalar::Decimal, "{text}");
        }
        assert_eq!(kind("0x1F"), Scalar::Whole(31));
        assert_eq!(kind("0o17"), Scalar::Whole(15));
        let long = format!("0x{}", "f".repeat(99));
        for text in ["-.INF", ".nan", "", "~", "Null", "TRUE", &long] {
            assert_eq!(kind(text), Scalar::Other, "{text}");
        }
        for text in [
            "0b1", "0X1", "0O1", "+0x1", "-0o0", "1_0", "0o8", "0x", ".", "e1", "1e", "+", ".iNf",
            "-.nan", "tRue", "nULL", "yes", "1:30", "inf",
        ] {
            assert_eq!(kind(text), Scalar::String, "{text}");
        }
    }
}
