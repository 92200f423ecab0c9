//! The forms of hashes, numbers and paths.

/// 64 lower-case hex digits.
pub(crate) fn is_hash(text: &str) -> bool {
    // without an early exit the compiler can vectorise the loop
    text.len() == 64
        && text.bytes().fold(0, |above, byte| {
            let digit = byte.wrapping_sub(b'0').saturating_sub(9);
            let letter = byte.wrapping_sub(b'a').saturating_sub(5);
            above | digit.min(letter)
        }) == 0
}

/// An integer from 0 below 2^63.
pub(crate) fn natural(digits: &str) -> Option<u64> {
    if digits == "-0" {
        return Some(0);
    }
    digits.parse().ok().filter(|number| *number < 1 << 63)
}

/// The number at the beginning of a text, from 0 below 2^63 and without leading
/// zeros, and its number of digits.
pub(crate) fn leading_natural(text: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0_u64;
    let mut length = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
        length += 1;
    }
    let has_spare = length > 1 && text.first() == Some(&b'0');
    (length > 0 && !has_spare && number < 1 << 63).then_some((number, length))
}

/// Relative, without backslash, NUL, drive prefix, and without empty, `.` or
/// `..` segments: such a path cannot lexically leave its folder.
pub(crate) fn is_safe_path(path: &str) -> bool {
    let mut bytes = path.bytes();
    let drive =
        bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic()) && bytes.next() == Some(b':');
    if drive || memchr::memchr2(b'\\', b'\0', path.as_bytes()).is_some() {
        return false;
    }
    let mut rest = path.as_bytes();
    while let Some((segment, tail)) =
        memchr::memchr(b'/', rest).and_then(|at| Some((rest.get(..at)?, rest.get(at + 1..)?)))
    {
        if matches!(segment, b"" | b"." | b"..") {
            return false;
        }
        rest = tail;
    }
    !matches!(rest, b"" | b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_number_has_no_leading_zeros_and_fits_63_bits() {
        for (text, expected) in [
            ("0", Some((0, 1))),
            ("0-1", Some((0, 1))),
            ("120]", Some((120, 3))),
            ("9223372036854775807", Some(((1 << 63) - 1, 19))),
            ("9223372036854775808", None),
            ("18446744073709551616", None),
            ("99999999999999999999999", None),
            ("00", None),
            ("01", None),
            ("-1", None),
            ("", None),
            ("٠", None),
        ] {
            assert_eq!(leading_natural(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_hash_has_64_digits_of_which_letters_are_lower_case() {
        let hash = "0123456789abcdef".repeat(4);
        assert!(is_hash(&hash));
        assert!(!is_hash(&"0".repeat(63)) && !is_hash(&format!("{hash}0")));
        for byte in 0..128_u8 {
            let text = hash.replace('7', &char::from(byte).to_string());
            let is_digit = byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            assert_eq!(is_hash(&text), is_digit, "{byte}");
        }
        assert!(!is_hash(&"é".repeat(32)));
    }

    #[test]
    fn safe_paths_cannot_leave_their_folder() {
        for path in ["a", "evidence/x.txt", "a b/ü", "...", "ab:c"] {
            assert!(is_safe_path(path), "{path}");
        }
        for path in [
            "", "/a", "a//b", "a/", "./a", "a/../b", "..", "a\\b", "a\0b", "C:x", "c:/x",
        ] {
            assert!(!is_safe_path(path), "{path}");
        }
    }
}
