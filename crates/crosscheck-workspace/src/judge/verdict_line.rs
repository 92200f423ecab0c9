//! Lines that give a verdict: a marker or one of a few words, alone or behind a
//! label such as `Final Status:` (workspace 10).

use super::parse::{Marker, leading_marker, means_none, strip_prefix_any_case, strip_word};

/// The last word of a label that announces a verdict.
const LABELS: [&str; 14] = [
    "verdict",
    "status",
    "result",
    "outcome",
    "conclusion",
    "decision",
    "assessment",
    "judgement",
    "judgment",
    "determination",
    "finding",
    "overall",
    "verification",
    "state",
];
/// Longer ones first, so that they are removed as a whole.
const CONTRARY: [&str; 9] = [
    "verification incomplete",
    "verification failed",
    "not completed",
    "not complete",
    "not verified",
    "unverified",
    "incomplete",
    "failed",
    "fail",
];
/// What may be between a label and its word.
const FILLERS: [&str; 18] = [
    "the",
    "this",
    "that",
    "work",
    "task",
    "project",
    "workspace",
    "deliverables",
    "it",
    "is",
    "are",
    "was",
    "were",
    "remains",
    "still",
    "currently",
    "marked",
    "as",
];
/// Followed by one of these, a word names a section or counts something.
const COUNTED: [&str; 10] = [
    "requirements",
    "requirement",
    "items",
    "tasks",
    "tests",
    "cases",
    "checks",
    "criteria",
    "deliverables",
    "steps",
];

/// The meaning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// This verdict.
    Verdict(Marker),
    /// A verdict, or the name of a section whose text says which.
    Section(Marker),
    /// Only that the verdict comes next.
    Label,
}

/// What a line states about the whole work. `labelled` means that the line
/// before it was a label.
pub(super) fn said(line: &str, labelled: bool) -> Option<Said> {
    let start = undecorated(line);
    let in_table = line.trim_start().starts_with('|');
    if let Some(marker) = of_value(start, labelled) {
        return Some(marker);
    }
    if is_label(start.trim_end_matches(is_decoration)) {
        return Some(Said::Label);
    }
    let value = undecorated(behind_label(start, in_table)?);
    of_value(value, true)
}

fn of_value(value: &str, labelled: bool) -> Option<Said> {
    if let Some(rest) = value.strip_prefix('❌') {
        let rest = undecorated(rest.trim_start_matches('\u{FE0F}'));
        let is_section = ["incomplete requirements", "requirements not met"]
            .iter()
            .any(|name| strip_prefix_any_case(rest, name).is_some());
        let says_nothing = is_section || counts_nothing(rest) || means_none(rest);
        return (!says_nothing).then_some(Said::Verdict(Marker::Incomplete));
    }
    if let Some(marker) = leading_marker(value) {
        return is_alone(value, marker, labelled).then_some(Said::Verdict(marker));
    }
    if labelled {
        return contrary(without_fillers(value), true);
    }
    contrary(value, false)
}

/// A pass or review marker is a verdict behind a label, or alone on its line.
fn is_alone(value: &str, marker: Marker, labelled: bool) -> bool {
    let bare = value.trim_end_matches(|c: char| is_decoration(c) || matches!(c, '.' | '!'));
    let is_whole = match marker {
        Marker::Verified => bare.ends_with("VERIFIED") || bare.ends_with("VERIFIED COMPLETE"),
        Marker::NeedsReview => bare.ends_with("NEEDS REVIEW"),
        Marker::Incomplete => true,
    };
    labelled || (is_whole && bare.chars().count() < 24)
}

fn contrary(value: &str, labelled: bool) -> Option<Said> {
    let (word, rest) = CONTRARY
        .iter()
        .find_map(|word| Some((*word, strip_said(value, word)?)))?;
    let is_compound = rest
        .strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    if is_compound || counts_nothing(rest) {
        return None;
    }
    let verdict = Said::Verdict(Marker::Incomplete);
    let bare = rest.trim_matches(|c: char| is_decoration(c) || matches!(c, '.' | '!' | ':' | '#'));
    let is_one_word = !word.contains(' ');
    if bare.is_empty() {
        let is_section = is_one_word && !labelled;
        return Some(if is_section {
            Said::Section(Marker::Incomplete)
        } else {
            verdict
        });
    }
    if labelled {
        return Some(verdict);
    }
    let is_shouted = value
        .get(..word.len())
        .is_some_and(|said| !said.contains(|c: char| c.is_ascii_lowercase()));
    let names_section = is_one_word && COUNTED.iter().any(|it| strip_word(bare, it).is_some());
    (is_shouted && !names_section).then_some(verdict)
}

/// What follows a whole word; an underscore behind it may be emphasis.
fn strip_said<'l>(text: &'l str, word: &str) -> Option<&'l str> {
    let rest = strip_prefix_any_case(text, word)?;
    let behind = rest.trim_start_matches('_');
    (!behind.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// `: 0`, ` 0 of 3`, `: none`
fn counts_nothing(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| {
        is_decoration(c) || matches!(c, ':' | '：' | '=' | '-' | '–' | '—' | '(' | '|')
    });
    let rest = COUNTED
        .iter()
        .find_map(|it| strip_word(rest, it))
        .unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| is_decoration(c) || matches!(c, ':' | '=' | '|'));
    let is_part = |rest: &str| {
        rest.strip_prefix(['.', ','])
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    strip_word(rest, "0").is_some_and(|rest| !is_part(rest))
        || strip_word(rest, "none").is_some()
        || strip_word(rest, "nothing").is_some()
        || strip_word(rest, "n/a").is_some()
}

fn without_fillers(mut value: &str) -> &str {
    for _ in 0..5 {
        let Some(rest) = FILLERS.iter().find_map(|word| strip_word(value, word)) else {
            break;
        };
        value = undecorated(rest);
    }
    value
}

/// The text behind a label.
fn behind_label(line: &str, in_table: bool) -> Option<&str> {
    const LONGEST: usize = 60;
    const IS: &[u8] = b" is ";
    let mut separators = line.char_indices().take(LONGEST).filter(|(_, c)| {
        matches!(c, ':' | '：' | '=' | '–' | '—' | '-' | '→') || in_table && *c == '|'
    });
    let by_sign = separators.find_map(|(at, c)| {
        let label = line.get(..at)?.trim_end_matches(is_decoration);
        is_label(label).then(|| line.get(at + c.len_utf8()..))?
    });
    by_sign.or_else(|| {
        let mut places = line.as_bytes().windows(IS.len()).take(LONGEST);
        let at = places.position(|it| it.eq_ignore_ascii_case(IS))?;
        is_label(line.get(..at)?.trim_end_matches(is_decoration))
            .then(|| line.get(at + IS.len()..))
            .flatten()
    })
}

/// `Verdict`, `Final Status`, `The overall result`
fn is_label(text: &str) -> bool {
    const MOST_WORDS: usize = 5;
    const LONGEST: usize = 60;
    let text = text.trim_end_matches([':', '：', '#', ' ', '*', '_']);
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let last = last.trim_start_matches(['*', '_']);
    text.len() <= LONGEST
        && LABELS.iter().any(|label| last.eq_ignore_ascii_case(label))
        && text.split_whitespace().count() <= MOST_WORDS
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_' | '~')
}

/// Without the text before the first word: list signs, emphasis, heading marks,
/// tags, emojis other than those of markers.
fn undecorated(line: &str) -> &str {
    let mut rest = line;
    loop {
        let before = rest;
        rest = rest.trim_start_matches(|c: char| {
            is_decoration(c)
                || matches!(
                    c,
                    '#' | '+' | '-' | '•' | '|' | '>' | '→' | '–' | '—' | ':' | '('
                )
                || is_picture(c)
        });
        rest = without_number(rest);
        for sign in ["[ ]", "[x]", "[X]", "["] {
            rest = rest.strip_prefix(sign).unwrap_or(rest);
        }
        if let Some((tag, behind)) = rest.strip_prefix('<').and_then(|it| it.split_once('>'))
            && tag.len() < 40
        {
            rest = behind;
        }
        if rest.len() == before.len() {
            return rest;
        }
    }
}

/// Without `1.` or `2)`.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == text.len() || text.len() - rest.len() > 9 {
        return text;
    }
    rest.strip_prefix(['.', ')'])
        .filter(|rest| rest.starts_with(char::is_whitespace))
        .unwrap_or(text)
}

/// An emoji or sign without a meaning here.
fn is_picture(c: char) -> bool {
    !c.is_alphanumeric()
        && !matches!(c, '✅' | '❌' | '⚠')
        && matches!(u32::from(c), 0x2190..=0x2BFF | 0xFE0F | 0x200D | 0x1F000..=0x1FAFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTRARY_LINES: [&str; 31] = [
        "__Final Status__: __NOT VERIFIED__",
        "❌ NOT VERIFIED",
        "❌ three files are absent",
        "- ❌ `a.rs`",
        "Verdict: INCOMPLETE",
        "**Verdict**: incomplete",
        "**Verdict:** Not verified, two files are absent",
        "### Final Status: ❌ NOT VERIFIED",
        "Overall Result – FAIL",
        "Overall: FAILED (3 of 5)",
        "1. **Verification Status:** Not complete",
        "VERIFICATION FAILED",
        "## VERIFICATION FAILED",
        "Verification failed.",
        "**NOT VERIFIED**",
        "- [ ] NOT COMPLETE",
        "INCOMPLETE: 3 of 5 files",
        "FAILED because the tests do not run",
        "🔴 FAILED – see below",
        "| Verdict | INCOMPLETE |",
        "The final verdict is INCOMPLETE",
        "Verdict: the work is incomplete",
        "Verdict = FAIL",
        "<h2>VERIFICATION FAILED</h2>",
        "Result： FAIL",
        "Status: ⛔ not verified",
        "> Verdict: FAIL",
        "Verdict: \u{2717} FAIL",
        "**Final Status** — **❌ INCOMPLETE**",
        "Final Status -> NOT VERIFIED",
        "Conclusion: Verification incomplete",
    ];

    #[test]
    fn contrary_lines_are_recognised_behind_any_decoration() {
        for line in CONTRARY_LINES {
            assert_eq!(
                said(line, false),
                Some(Said::Verdict(Marker::Incomplete)),
                "{line}"
            );
        }
        for line in ["Incomplete", "### Failed", "**Incomplete:**", "_FAILED_"] {
            assert_eq!(
                said(line, false),
                Some(Said::Section(Marker::Incomplete)),
                "{line}"
            );
            assert_eq!(
                said(line, true),
                Some(Said::Verdict(Marker::Incomplete)),
                "{line}"
            );
        }
        assert_eq!(
            said("Incomplete, two are absent", true),
            Some(Said::Verdict(Marker::Incomplete))
        );
    }

    #[test]
    fn honest_lines_are_not_contrary() {
        for line in [
            "### Incomplete Requirements",
            "## INCOMPLETE REQUIREMENTS",
            "### ❌ Incomplete Requirements",
            "Requirements Not Met",
            "- Failed: 0",
            "- FAILED: none",
            "FAIL 0, PASS 12",
            "Failed login attempts are logged",
            "Incomplete sentences were rewritten",
            "Fail-over was tried",
            "Result: fail-over works",
            "Status: complete",
            "Test result: 12 passed, 0 failed",
            "Result: Failed: 0",
            "FAILED TESTS",
            "Verdict: COMPLETE",
            "no failed tests",
            "❌ None",
            "Legend: ✅ met, ❌ not met",
            "The status is shown in the header",
            "1.5 FAILED",
            "FAIL_FAST is set",
        ] {
            let verdict = said(line, false);
            assert!(
                !matches!(
                    verdict,
                    Some(Said::Verdict(Marker::Incomplete) | Said::Section(_))
                ),
                "{line}: {verdict:?}"
            );
        }
    }

    #[test]
    fn a_label_announces_the_next_line() {
        for line in [
            "## Verdict",
            "**Final Status:**",
            "Overall result",
            "# The Verdict #",
        ] {
            assert_eq!(said(line, false), Some(Said::Label), "{line}");
        }
        for line in ["## Summary", "Verdict of the other tool was ignored"] {
            assert_eq!(said(line, false), None, "{line}");
        }
    }

    #[test]
    fn a_pass_marker_is_a_verdict_alone_or_behind_a_label() {
        for line in [
            "✅ VERIFIED COMPLETE",
            "- **✅ VERIFIED**.",
            "## ✅ VERIFIED COMPLETE",
            "**Final Status**: ✅ VERIFIED (5 of 5)",
        ] {
            assert_eq!(
                said(line, false),
                Some(Said::Verdict(Marker::Verified)),
                "{line}"
            );
        }
        assert_eq!(said("1. ✅ VERIFIED greeting file", false), None);
    }
}
