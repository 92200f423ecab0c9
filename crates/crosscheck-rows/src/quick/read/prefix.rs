//! L3: what may come before the JSON of a line.

use crosscheck_core::text::is_ecma_space;

const LEVELS: [&str; 6] = ["DEBUG", "INFO", "WARN", "WARNING", "ERROR", "TRACE"];

/// P1: the line without a leading timestamp.
pub(super) fn after_timestamp(line: &str) -> Option<&str> {
    let mut scan = Scan(line);
    scan.digits(4)?;
    scan.one("-")?;
    scan.digits(2)?;
    scan.one("-")?;
    scan.digits(2)?;
    scan.one("T ")?;
    scan.digits(2)?;
    scan.one(":")?;
    scan.digits(2)?;
    scan.one(":")?;
    scan.digits(2)?;
    scan.optional(|scan| {
        scan.one(".")?;
        scan.digits(1)?;
        scan.skip(|c| c.is_ascii_digit());
        Some(())
    });
    // without white space behind it, the zone is not one and neither is the timestamp
    scan.optional(|scan| {
        if scan.one("Z").is_some() {
            return Some(());
        }
        scan.one("+-")?;
        scan.digits(2)?;
        scan.optional(|scan| scan.one(":"));
        scan.digits(2)
    });
    scan.space()
}

/// P2: the line without a leading level word.
pub(super) fn after_level(line: &str) -> Option<&str> {
    LEVELS.iter().find_map(|level| {
        let head = line.get(..level.len())?;
        if !head.eq_ignore_ascii_case(level) {
            return None;
        }
        Scan(line.get(level.len()..)?).space()
    })
}

/// P3: the line without a leading `[…]` of 1 to 64 UTF-16 units.
pub(super) fn after_bracket(line: &str) -> Option<&str> {
    let body = line.strip_prefix('[')?;
    let mut units = 0;
    for (at, c) in body.char_indices() {
        if c == ']' {
            return if units == 0 {
                None
            } else {
                Scan(body.get(at + 1..)?).space()
            };
        }
        units += c.len_utf16();
        if units > 64 {
            return None;
        }
    }
    None
}

struct Scan<'s>(&'s str);

impl<'s> Scan<'s> {
    fn one(&mut self, allowed: &str) -> Option<()> {
        let c = self.0.chars().next()?;
        allowed.contains(c).then_some(())?;
        self.0 = self.0.get(c.len_utf8()..)?;
        Some(())
    }

    fn digits(&mut self, count: usize) -> Option<()> {
        let head = self.0.as_bytes().get(..count)?;
        head.iter().all(u8::is_ascii_digit).then_some(())?;
        self.0 = self.0.get(count..)?;
        Some(())
    }

    fn skip(&mut self, matches: impl Fn(char) -> bool) {
        self.0 = self.0.trim_start_matches(matches);
    }

    /// Tries a part; what did not match leaves no trace.
    fn optional(&mut self, part: impl FnOnce(&mut Self) -> Option<()>) {
        let before = self.0;
        if part(self).is_none() {
            self.0 = before;
        }
    }

    /// At least one white space; the text behind all of it.
    fn space(self) -> Option<&'s str> {
        let rest = self.0.trim_start_matches(is_ecma_space);
        (rest.len() < self.0.len()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_in_their_forms() {
        for stamp in [
            "2026-05-05T10:00:00Z ",
            "2026-05-05 10:00:00 ",
            "2026-05-05T10:00:00.123456+0200\t",
            "2026-05-05T10:00:00-02:30\u{a0}",
            "2026-05-05T10:00:00.5Z  ",
        ] {
            assert_eq!(
                after_timestamp(&format!("{stamp}{{}}")),
                Some("{}"),
                "{stamp}"
            );
        }
        for other in [
            "2026-05-05T10:00:00Z{}",
            "2026-05-05T10:00:00,5Z {}",
            "26-05-05T10:00:00Z {}",
            "2026-05-05T10:00 {}",
            "2026-05-05t10:00:00 {}",
            "2026-05-05T10:00:00. {}",
            "2026-05-05T10:00:00+2 {}",
            "x2026-05-05T10:00:00 {}",
        ] {
            assert_eq!(after_timestamp(other), None, "{other}");
        }
    }

    #[test]
    fn level_words_in_any_case_need_space_behind() {
        assert_eq!(after_level("info {}"), Some("{}"));
        assert_eq!(after_level("WARNING\t{}"), Some("{}"));
        assert_eq!(after_level("WARN: {}"), None);
        assert_eq!(after_level("INFORM {}"), None);
        assert_eq!(after_level("FATAL {}"), None);
    }

    #[test]
    fn brackets_hold_up_to_64_units() {
        assert_eq!(after_bracket("[worker 3] {}"), Some("{}"));
        assert_eq!(
            after_bracket(&format!("[{}] {{}}", "x".repeat(64))),
            Some("{}")
        );
        assert_eq!(after_bracket(&format!("[{}] {{}}", "x".repeat(65))), None);
        assert_eq!(
            after_bracket(&format!("[{}] {{}}", "\u{1F600}".repeat(32))),
            Some("{}")
        );
        assert_eq!(
            after_bracket(&format!("[{}] {{}}", "\u{1F600}".repeat(33))),
            None
        );
        assert_eq!(after_bracket("[] {}"), None);
        assert_eq!(after_bracket("[a]{}"), None);
        assert_eq!(after_bracket("[a [b] {}"), Some("{}"));
    }
}
