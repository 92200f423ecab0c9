//! What may stand around and before the JSON of a log: colour codes (L1b) and
//! the prefixes of a line (L3).

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// What ECMAScript calls white space, inside a class.
pub(crate) const SPACE: &str =
    r"\t-\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";

/// The most UTF-16 units in a bracket before a line.
const BRACKET_MAX: usize = 64;

static COLOUR: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"\x1b\[[0-9;?]*[{SPACE}\-/]*[@-~]")));
static TIMESTAMP: LazyLock<Regex> = LazyLock::new(|| {
    let zone = "(?:Z|[+-][0-9]{2}:?[0-9]{2})?";
    before(&format!(
        "[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(?:\\.[0-9]+)?{zone}"
    ))
});
static LEVEL: LazyLock<Regex> =
    LazyLock::new(|| before("(?i-u:DEBUG|INFO|WARN|WARNING|ERROR|TRACE)"));
static BRACKET: LazyLock<Regex> = LazyLock::new(|| before(r"\[([^\]]{1,64})\]"));

/// A pattern of the program.
#[expect(clippy::expect_used, reason = "every pattern is used by a test")]
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of the program is a regular expression")
}

/// Something before a line, with white space behind it. Most lines begin with
/// their JSON, and a pattern takes longer to make than such a log to read.
fn before(text: &str) -> Regex {
    pattern(&format!("^(?:{text})[{SPACE}]+"))
}

/// L1b: the text without colour codes.
pub(super) fn strip(text: &str) -> Cow<'_, str> {
    if text.contains("\u{1b}[") {
        COLOUR.replace_all(text, "")
    } else {
        Cow::Borrowed(text)
    }
}

/// P1: the line without a leading timestamp.
pub(super) fn after_timestamp(line: &str) -> Option<&str> {
    let may_be_one = line.starts_with(|first: char| first.is_ascii_digit());
    line.get(may_be_one.then(|| TIMESTAMP.find(line))??.end()..)
}

/// P2: the line without a leading level word.
pub(super) fn after_level(line: &str) -> Option<&str> {
    let may_be_one = line.starts_with(|first: char| first.is_ascii_alphabetic());
    line.get(may_be_one.then(|| LEVEL.find(line))??.end()..)
}

/// P3: the line without a leading `[…]` of 1 to 64 UTF-16 units.
pub(super) fn after_bracket(line: &str) -> Option<&str> {
    let found = line.starts_with('[').then(|| BRACKET.captures(line))??;
    let inside = found.get(1)?.as_str();
    let whole = found.get(0)?.end();
    (inside.encode_utf16().count() <= BRACKET_MAX)
        .then(|| line.get(whole..))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_vanish_and_everything_else_stays() {
        let table = [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[?25l{\u{1b}[1;2 -/H}", "{}"),
            ("\u{1b}[\n{\"a\":1}", "\"a\":1}"),
            ("\u{1b}[31", "\u{1b}[31"),
            ("\u{1b}[\u{1b}[m", "\u{1b}["),
            ("\u{1b}]0;title\u{7}", "\u{1b}]0;title\u{7}"),
            ("\u{1b}[!m", "\u{1b}[!m"),
            ("plain", "plain"),
        ];
        for (text, expected) in table {
            assert_eq!(strip(text), expected, "{text:?}");
        }
    }

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
