//! What a plain scalar is in YAML 1.2 core.

/// What a plain scalar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    /// A number with ten digits.
    Decimal,
    /// Another number, a truth value or null.
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
    let all = |digits: &str, is: fn(&char) -> bool| {
        !digits.is_empty() && digits.chars().all(|digit| is(&digit))
    };
    let octal = text.strip_prefix("0o");
    let hex = text.strip_prefix("0x");
    if is_word
        || matches!(unsigned, ".inf" | ".Inf" | ".INF")
        || octal.is_some_and(|digits| all(digits, |digit| digit.is_digit(8)))
        || hex.is_some_and(|digits| all(digits, char::is_ascii_hexdigit))
    {
        Scalar::Other
    } else {
        Scalar::String
    }
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
        for text in ["0x1F", "0o17", "-.INF", ".nan", "", "~", "Null", "TRUE"] {
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
