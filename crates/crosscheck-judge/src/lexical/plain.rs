//! The same questions asked of plain ASCII text, which is what most pages
//! are: whole blocks of bytes at once, without branches, so that the compiler
//! makes vector instructions of them.

/// How many bytes are looked at together.
const BLOCK: usize = 32;
/// A needle of at most this many bytes is looked for with vector instructions by the standard library.
const QUICK_NEEDLE: usize = 32;

/// Whether the text is its own normal form: printable ASCII and line feeds.
pub(super) fn is_normal(text: &str) -> bool {
    let odd = |odd: u8, byte: &u8| odd | u8::from(!matches!(byte, b'\n' | b' '..=b'~'));
    let mut blocks = text.as_bytes().chunks(BLOCK * 8);
    blocks.all(|block| block.iter().fold(0, odd) == 0)
}

/// Whether the text is printable ASCII in which no blank follows another.
pub(super) fn is_tidy(text: &str) -> bool {
    let bytes = text.as_bytes();
    let odd = |odd: u8, byte: &u8| odd | u8::from(!(b' '..=b'~').contains(byte));
    let double =
        |seen: u8, (a, b): (&u8, &u8)| seen | (u8::from(*a == b' ') & u8::from(*b == b' '));
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    bytes.iter().fold(0, odd) == 0 && pairs.fold(0, double) == 0
}

/// Whether an ASCII digit stands in the text.
pub(super) fn has_digit(text: &str) -> bool {
    let digit = |seen: u8, byte: &u8| seen | u8::from(byte.is_ascii_digit());
    text.as_bytes().iter().fold(0, digit) != 0
}

/// ASCII text, collapsed and in lower case.
pub(super) fn lower(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split('\n').map(str::trim) {
        if is_tidy(line) {
            if !line.is_empty() && !out.is_empty() {
                out.push(' ');
            }
            out.push_str(line);
            continue;
        }
        for word in line.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    out.make_ascii_lowercase();
    out
}

/// Whether `wanted` stands in `text`; the answer is mostly no, and given soon.
pub fn holds(text: &str, wanted: &str) -> bool {
    let mut len = wanted.len().min(QUICK_NEEDLE);
    while !wanted.is_char_boundary(len) {
        len -= 1;
    }
    let quick = wanted.get(..len).unwrap_or_default();
    text.contains(quick) && (len == wanted.len() || text.contains(wanted))
}

/// The first place from `from` on whose byte is one of these.
pub(super) fn next_of(bytes: &[u8], from: usize, is_one: impl Fn(u8) -> bool) -> Option<usize> {
    let mut at = from;
    let tail = bytes.get(from..)?;
    for block in tail.chunks(BLOCK) {
        if block.iter().fold(false, |seen, byte| seen | is_one(*byte)) {
            return block
                .iter()
                .position(|byte| is_one(*byte))
                .map(|place| at + place);
        }
        at += block.len();
    }
    None
}

/// How many runs of letters ASCII text has, and how many marks of code.
pub(super) fn runs_and_marks(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    let letter = |byte: u8| u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
    let (mut runs, mut marks) = (0, 0);
    let first = bytes.first().map_or(0, |byte| letter(*byte));
    runs += usize::from(first);
    let next = bytes.get(1..).unwrap_or_default();
    // A sum of so few ones fits into a byte, and sixteen bytes into a vector.
    for (before, here) in bytes.chunks(240).zip(next.chunks(240)) {
        let begun = before
            .iter()
            .zip(here)
            .fold(0u8, |sum, (a, b)| sum + (letter(*b) & (letter(*a) ^ 1)));
        runs += usize::from(begun);
    }
    for block in bytes.chunks(240) {
        let sum = block
            .iter()
            .fold(0u8, |sum, byte| sum + is_code_mark(*byte));
        marks += usize::from(sum);
    }
    (runs, marks)
}

/// One of ``{}()[];=<>|&*#/\_$@``.
fn is_code_mark(byte: u8) -> u8 {
    let within = |byte: u8, from: u8, count: u8| u8::from(byte.wrapping_sub(from) < count);
    let bracket = u8::from(byte >= 0x40) & within(byte | 0x20, b'{', 3); // also `[`, `\`, `]`
    bracket
        | within(byte, b'#', 2)
        | u8::from(byte == b'&')
        | within(byte, b'(', 3)
        | u8::from(byte == b'/')
        | within(byte, b';', 4)
        | u8::from(byte == b'@')
        | u8::from(byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::super::text::{collapse, is_code_mark as is_mark, is_letter};
    use super::*;

    proptest::proptest! {
        #[test]
        fn plain_text_is_lowered_as_any_other(text in "[ -~\\t\\n]{0,60}") {
            let slow = collapse(&text).to_lowercase();
            proptest::prop_assert_eq!(lower(&text), slow);
        }

        #[test]
        fn what_is_held_is_found_whatever_its_length(
            head in "[ab]{0,40}", wanted in "[abé]{0,40}", tail in "[ab]{0,9}"
        ) {
            let text = format!("{head}{wanted}{tail}");
            proptest::prop_assert!(holds(&text, &wanted));
            let longer = format!("{wanted}a{tail}b");
            proptest::prop_assert_eq!(holds(&text, &longer), text.contains(&longer));
        }

        #[test]
        fn the_next_byte_is_found_in_every_block(text in "[a-c.]{0,90}", from in 0usize..95) {
            let simple = text.get(from..).and_then(|tail| tail.find('.')).map(|at| from + at);
            proptest::prop_assert_eq!(next_of(text.as_bytes(), from, |byte| byte == b'.'), simple);
        }

        #[test]
        fn runs_and_marks_are_counted_as_one_by_one(text in "[\\x00-\\x7f]{0,600}") {
            let (mut runs, mut inside) = (0, false);
            for c in text.chars() {
                runs += usize::from(is_letter(c) && !inside);
                inside = is_letter(c);
            }
            let marks = text.chars().filter(|c| is_mark(*c)).count();
            proptest::prop_assert_eq!(runs_and_marks(&text), (runs, marks));
        }
    }

    #[test]
    fn every_ascii_character_is_the_same_mark_both_ways() {
        for byte in 0..0x80u8 {
            assert_eq!(
                is_code_mark(byte) == 1,
                is_mark(char::from(byte)),
                "{byte:x}"
            );
        }
    }
}
