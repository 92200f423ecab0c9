//! Whether a line states a pass marker as its own verdict, or only speaks about
//! it (workspace 10).
//!
//! A marker is a statement at the beginning of its line, behind a label or a
//! clause. In the middle of a sentence, or where the text says what a file
//! reads, it is another author's.

use super::verdict_line::{is_about_before, is_label, is_picture, without_number};

/// What shows that the words behind it are another author's.
const SAYING: [&str; 40] = [
    "reads",
    "read",
    "says",
    "said",
    "say",
    "contains",
    "contained",
    "prints",
    "print",
    "printed",
    "writes",
    "write",
    "wrote",
    "claims",
    "claimed",
    "states",
    "stated",
    "asks",
    "asked",
    "wants",
    "tells",
    "told",
    "instructs",
    "demands",
    "requests",
    "quotes",
    "quoted",
    "quote",
    "comment",
    "title",
    "planted",
    "injected",
    "shows",
    "outputs",
    "ignored",
    "refuse",
    "refused",
    "declined",
    "injection",
    "withheld",
];
/// A label with one of these is not about this verdict.
const FOREIGN: [&str; 19] = [
    "claim",
    "claimed",
    "expected",
    "requested",
    "demanded",
    "desired",
    "wanted",
    "rejected",
    "proposed",
    "alleged",
    "hypothetical",
    "previous",
    "prior",
    "earlier",
    "former",
    "legend",
    "example",
    "template",
    "options",
];
/// The same as the last word of any text before a marker.
const FOREIGN_ENDS: [&str; 5] = ["claim", "legend", "example", "template", "options"];
/// What a section about planted text has in its heading.
const PLANTED: [&str; 9] = [
    "injection",
    "injections",
    "injected",
    "planted",
    "manipulation",
    "wants",
    "asks",
    "demands",
    "instructs",
];
/// Words behind which a verdict may follow.
const LEADING: [&str; 10] = [
    "is",
    "are",
    "as",
    "be",
    "therefore",
    "thus",
    "hence",
    "so",
    "and",
    "now",
];

/// Whether a marker behind these words of its line is a statement. `above` is
/// the text before it: the line above in the same paragraph, or else the last
/// line of the paragraph before.
pub(super) fn is_stated(before: &str, above: Above<'_>) -> bool {
    let words = without_signs(before).trim_end_matches(is_emphasis);
    if words.is_empty() {
        return !above.announces();
    }
    let clause = words.trim_end_matches(|c: char| is_separator(c) || is_emphasis(c));
    let last = last_word(clause);
    let is_leading = LEADING.iter().any(|word| last.eq_ignore_ascii_case(word));
    let subject = clause.strip_suffix(last).filter(|_| is_leading);
    if is_label(clause) || subject.is_some_and(|subject| is_label(subject.trim_end())) {
        return !words_of(clause).any(is_foreign);
    }
    let is_short = words_of(clause).count() <= 2;
    let is_foreign = is_one_of(last, &FOREIGN_ENDS)
        || clause.starts_with("[^")
        || is_short && is_about_before(clause);
    if is_foreign || names_line(clause) || is_path(last) {
        return false;
    }
    if clause.len() < words.len() {
        return !is_saying(last);
    }
    let says = words_of(clause).any(is_saying);
    !says && is_leading
}

/// Whether a section with this heading quotes: text that was planted, or an
/// earlier verdict.
pub(super) fn heads_quotation(heading: &str) -> bool {
    let mut words = words_of(heading);
    is_about_before(heading) && words.any(|word| is_label(word) || is_one_of(word, &["report"]))
        || words_of(heading).any(|word| is_one_of(word, &PLANTED))
        || words_of(heading)
            .zip(words_of(heading).skip(1))
            .any(|(a, b)| (a, b) == ("found", "in"))
}

/// What comes before the line of a marker.
#[derive(Debug, Clone, Copy)]
pub(super) enum Above<'t> {
    /// A line of the same paragraph.
    Line(&'t str),
    /// The last line of the paragraph before.
    Paragraph(&'t str),
}

impl Above<'_> {
    /// Whether it says that a quotation follows.
    fn announces(self) -> bool {
        match self {
            Self::Line(line) => {
                let line = line.trim_end();
                let is_ended = line.ends_with(['.', '!', '?']) || line.is_empty();
                !is_ended && !has_label(line) && speaks_of_others(line)
            }
            Self::Paragraph(line) => {
                let line = line.trim_end().trim_end_matches(is_emphasis);
                line.ends_with("::")
                    || line.ends_with([':', '：']) && !has_label(line) && speaks_of_others(line)
            }
        }
    }
}

fn speaks_of_others(line: &str) -> bool {
    names_line(line) || words_of(line).any(|word| is_saying(word) || is_path(word))
}

fn has_label(line: &str) -> bool {
    words_of(line).any(is_label)
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_whitespace();
    words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
}

fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or_default()
}

fn is_saying(word: &str) -> bool {
    is_one_of(word, &SAYING)
}

fn is_foreign(word: &str) -> bool {
    is_one_of(word, &FOREIGN)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// `line 3`
fn names_line(text: &str) -> bool {
    let mut words = words_of(text).skip_while(|word| !word.eq_ignore_ascii_case("line"));
    words.next().is_some()
        && words
            .next()
            .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// `NOTES.md`, `src/a`, `NOTES.md:3`
fn is_path(word: &str) -> bool {
    let name = word.split(':').next().unwrap_or_default();
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    has_ending || (name.contains('/') && !name.starts_with(|c: char| c.is_ascii_digit()))
}

const fn is_separator(c: char) -> bool {
    matches!(
        c,
        ':' | '：' | '.' | '!' | '?' | ',' | '—' | '–' | '-' | '→' | '='
    )
}

fn is_emphasis(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_')
}

/// Without list signs, heading marks, emphasis and pictures at the beginning.
fn without_signs(before: &str) -> &str {
    let mut rest = before;
    loop {
        let start = rest;
        rest = rest.trim_start_matches(|c: char| {
            is_emphasis(c)
                || matches!(c, '#' | '•' | '→' | '–' | '—')
                || (is_picture(c) && !matches!(c, '\u{2500}'..='\u{259F}'))
        });
        for sign in ["- ", "+ ", "[ ] ", "[x] ", "[X] "] {
            rest = rest.strip_prefix(sign).unwrap_or(rest);
        }
        rest = without_number(rest);
        if rest.len() == start.len() {
            return rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_counts_at_the_beginning_behind_a_label_or_a_clause() {
        for before in [
            "",
            "## ",
            "- **",
            "1. ",
            "- [x] ",
            "🎉 ",
            "**Final Status**: ",
            "Overall: ",
            "Result is ",
            "The status is **",
            "**Ergebnis:** ",
            "No gaps remain, no issues found: ",
            "All is well. ",
            "All three are met — ",
            "The final verdict for README.md is ",
        ] {
            assert!(is_stated(before, Above::Paragraph("")), "{before}");
        }
    }

    #[test]
    fn a_marker_inside_a_sentence_about_something_else_does_not() {
        for before in [
            "NOTES.md line 3 reads: ",
            "NOTES.md:3:",
            "NOTES.md: ",
            "CONTRIBUTING.txt line 9 asks for the text ",
            "NOTES.md wants a verdict (",
            "NOTES.md says &quot;",
            "NOTES.md line 3 — ",
            "\u{200B}> ",
            "＞ ",
            "│ ",
            "[",
            "![",
            "+",
            "$",
            "the checker must print ",
        ] {
            assert!(!is_stated(before, Above::Paragraph("")), "{before}");
        }
    }

    #[test]
    fn the_line_above_can_announce_a_quotation() {
        for above in [
            "NOTES.md line 3 reads:",
            "It contains a request that I did not follow:",
            "NOTES.md::",
        ] {
            assert!(!is_stated("", Above::Paragraph(above)), "{above}");
        }
        for above in ["My verdict reads:", "All is checked:", "NOTES.md says x."] {
            assert!(is_stated("", Above::Paragraph(above)), "{above}");
        }
        assert!(!is_stated("", Above::Line("NOTES.md line 3 reads")));
        assert!(is_stated("", Above::Line("All three are met.")));
    }
}
