//! Tests on whole blocks of bytes without branches, so that the compiler can
//! vectorise them.

const BLOCK: usize = 256;

/// Whether the text already has normal form: printable ASCII and line feeds.
pub fn is_normal(text: &str) -> bool {
    let odd = |odd: u8, byte: &u8| odd | u8::from(!matches!(byte, b'\n' | b' '..=b'~'));
    let mut blocks = text.as_bytes().chunks(BLOCK);
    blocks.all(|block| block.iter().fold(0, odd) == 0)
}

/// Whether a text in normal form has no white space but single blanks.
pub(super) fn is_tidy(text: &str) -> bool {
    let bytes = text.as_bytes();
    let blank = |byte: u8| u8::from(byte == b' ');
    let line = bytes
        .iter()
        .fold(0, |seen, byte| seen | u8::from(*byte == b'\n'));
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    line == 0 && pairs.fold(0, |seen, (a, b)| seen | (blank(*a) & blank(*b))) == 0
}

/// The first position from `from` on with one of these bytes.
pub fn next_of(bytes: &[u8], from: usize, is_one: impl Fn(u8) -> bool) -> Option<usize> {
    const SMALL: usize = 32;
    let mut at = from;
    for block in bytes.get(from..)?.chunks(SMALL) {
        if block.iter().fold(false, |seen, byte| seen | is_one(*byte)) {
            let place = block.iter().position(|byte| is_one(*byte));
            return place.map(|place| at + place);
        }
        at += block.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_next_byte_is_found_in_every_block(text in "[a-c.]{0,90}", from in 0usize..95) {
            let simple = text.get(from..).and_then(|tail| tail.find('.')).map(|at| from + at);
            proptest::prop_assert_eq!(next_of(text.as_bytes(), from, |byte| byte == b'.'), simple);
        }

        #[test]
        fn a_tidy_text_has_single_blanks(text in "[ab \\n]{0,20}") {
            proptest::prop_assert_eq!(is_tidy(&text), !text.contains("  ") && !text.contains('\n'));
        }
    }
}
