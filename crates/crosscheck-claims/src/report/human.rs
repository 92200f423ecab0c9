//! The view for people: for each claim that does not hold, the claim, the
//! actual lines with the difference marked, and advice; one line for each claim
//! that holds.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use crosscheck_core::text::{safe_line, terminal_safe};
use crosscheck_core::{Report, Verdict};
use crosscheck_fetch::address::shown_in_text;
use crosscheck_judge::Opinion;

use super::{Findings, decisive};
use crate::Checked;
use crate::judge::{Attempt, ClaimStatus};
use crate::reasons::ClaimReason;
use crate::wire::VerifyReportV1;

/// At most this many lines of a file are shown for one claim.
const LINES_SHOWN: u64 = 12;
/// Longer lines are cut, in characters.
const LINE_MAX: usize = 200;
/// At most this many claims are shown with their lines, the others in one line
/// each.
const CLAIMS_SHOWN: usize = 100;

/// One claim, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    id: String,
    claim: String,
    status: ClaimStatus,
    code: &'static str,
    /// The basis of the judge's answer, if it did not confirm the claim.
    because: Option<String>,
    /// What is shown for a claim that does not hold.
    finding: Option<Finding>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    reason: String,
    help: &'static str,
    path: Option<String>,
    /// First line number and text.
    lines: Option<(u64, String)>,
    /// What to mark in the text, and the label.
    mark: Option<(std::ops::Range<usize>, String)>,
}

pub(super) fn shown(findings: &Findings<'_, '_>) -> Vec<Shown> {
    let mut room = CLAIMS_SHOWN;
    let one = |checked| {
        let mut shown = brief(checked)?;
        if shown.status != ClaimStatus::Passed && room > 0 {
            room -= 1;
            shown.finding = finding(findings, checked);
        }
        Some(shown)
    };
    findings.checked.iter().filter_map(one).collect()
}

fn brief(checked: &Checked<'_>) -> Option<Shown> {
    let (attempt, _) = decisive(checked)?;
    Some(Shown {
        id: safe(&checked.id().0.to_string()),
        claim: safe(&checked.unit_claim.text()),
        status: checked.status,
        code: attempt.code.code(),
        because: because(attempt),
        finding: None,
    })
}

/// Why the judge did not confirm the claim, in words.
fn because(attempt: &Attempt) -> Option<String> {
    let answer = attempt.answer.as_ref();
    let answer = answer.filter(|answer| answer.verdict != Opinion::Supports)?;
    answer.explanation.as_deref().map(safe)
}

fn finding(findings: &Findings<'_, '_>, checked: &Checked<'_>) -> Option<Finding> {
    let (attempt, evidence) = decisive(checked)?;
    let place = evidence.place();
    let lines = attempt
        .lines
        .zip(place.as_deref())
        .and_then(|(range, path)| lines_there(findings, path, range));
    let quote = evidence.quote.and_then(crosscheck_core::Node::as_str);
    let mark = lines
        .as_ref()
        .and_then(|(_, text)| mark(text, attempt, quote));
    let search = || Some(format!("a search for `{}`", evidence.search()?));
    Some(Finding {
        reason: super::sentence(attempt),
        help: attempt.code.reason().help,
        path: place
            .map(std::borrow::Cow::into_owned)
            .or_else(search)
            .map(|path| safe_line(&super::place_shown(&path)).into_owned()),
        lines,
        mark,
    })
}

fn safe(text: &str) -> String {
    safe_line(&shown_in_text(text)).into_owned()
}

fn lines_there(
    findings: &Findings<'_, '_>,
    path: &str,
    (first, last): (u64, u64),
) -> Option<(u64, String)> {
    let visit = findings.store.visit(path);
    let file = visit.as_ref().as_ref().ok()?;
    let last = last.min(first + LINES_SHOWN - 1);
    let bytes = file.lines(first, last, 1 << 20).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            let line = shown_in_text(line.trim_end_matches('\r'));
            let cut: String = line.chars().take(LINE_MAX).collect();
            terminal_safe(&cut.replace('\t', "    ")).into_owned()
        })
        .collect();
    Some((first, lines.join("\n")))
}

/// What to mark: where the quote differs, or the words that contradict.
fn mark(
    text: &str,
    attempt: &Attempt,
    quote: Option<&str>,
) -> Option<(std::ops::Range<usize>, String)> {
    if attempt.code == ClaimReason::QuoteNotFound {
        return difference(text, &shown_in_text(quote?));
    }
    let span = attempt.answer.as_ref()?.span.as_deref()?;
    let first = span.lines().map(str::trim).find(|line| !line.is_empty())?;
    let first = shown_in_text(first);
    let at = text.find(first.as_ref())?;
    let because = because(attempt);
    let label = because.unwrap_or_else(|| "this says something else".to_owned());
    Some((at..at + first.len(), label))
}

/// Where the text resembles the first line of the quote most, and where it
/// begins to differ.
fn difference(text: &str, quote: &str) -> Option<(std::ops::Range<usize>, String)> {
    let wanted: Vec<char> = quote
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?
        .chars()
        .take(LINE_MAX)
        .collect();
    let there: Vec<(usize, char)> = text.char_indices().collect();
    let (start, same) = (0..there.len())
        .map(|start| (start, common(there.iter().skip(start), &wanted)))
        .rev()
        .max_by_key(|(_, same)| *same)
        .filter(|(_, same)| *same > 2)?;
    // Marks whole words, not single letters.
    let is_word = |at: usize| wanted.get(at).is_some_and(|c| c.is_alphanumeric());
    let mut from = same;
    while from > 0 && is_word(from - 1) && is_word(from) {
        from -= 1;
    }
    let mut to = from;
    while is_word(to) || to == from {
        to += 1;
    }
    let said: String = wanted.iter().skip(from).take(to - from).collect();
    let begin = there.get(start + from)?.0;
    let rest = text.get(begin..)?;
    let word = match rest.find(|c: char| !c.is_alphanumeric()) {
        Some(0) => rest.chars().next()?.len_utf8(),
        Some(len) => len,
        None => rest.len(),
    };
    let label = if said.trim().is_empty() {
        "the quote differs here".to_owned()
    } else {
        format!("the quote has `{}` here", terminal_safe(&said))
    };
    Some((begin..begin + word, label))
}

/// How many characters from here on match the quote.
fn common<'t>(there: impl Iterator<Item = &'t (usize, char)>, wanted: &[char]) -> usize {
    there.zip(wanted).take_while(|((_, x), y)| x == *y).count()
}

pub(super) fn render(
    neutral: &Report,
    wire: &VerifyReportV1,
    shown: &[Shown],
    colour: bool,
) -> String {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = String::new();
    let is_passed = |one: &&Shown| one.status == ClaimStatus::Passed;
    let (passed, open): (Vec<&Shown>, Vec<&Shown>) = shown.iter().partition(is_passed);
    for one in &passed {
        let _ = writeln!(text, "{}", in_one_line(one));
    }
    if !passed.is_empty() {
        text.push('\n');
    }
    for one in open {
        match &one.finding {
            Some(finding) => text.push_str(&render_one(one, finding, &renderer)),
            None => text.push_str(&in_one_line(one)),
        }
        text.push_str("\n\n");
    }
    let verdict = match neutral.verdict {
        Verdict::Confirmed => "ok",
        Verdict::Undecided => "partial",
        Verdict::Refuted => "failed",
    };
    let _ = writeln!(text, "{verdict}: {}", terminal_safe(&neutral.summary));
    if !wire.recommendation.is_empty() && neutral.summary != wire.recommendation {
        let _ = writeln!(text, "{}", terminal_safe(&wire.recommendation));
    }
    for notice in &neutral.notices {
        let _ = writeln!(text, "note: {}", safe(notice));
    }
    text
}

fn in_one_line(one: &Shown) -> String {
    let word = match one.status {
        ClaimStatus::Passed => "passed",
        ClaimStatus::Failed => "error",
        ClaimStatus::Partial => "warning",
    };
    let because = one.because.as_ref().map(|because| format!(" ({because})"));
    let because = because.unwrap_or_default();
    format!("{word}[{}]: {}: {}{because}", one.code, one.id, one.claim)
}

fn render_one(one: &Shown, finding: &Finding, renderer: &Renderer) -> String {
    let level = if one.status == ClaimStatus::Failed {
        Level::ERROR
    } else {
        Level::WARNING
    };
    let title = format!("{}: {}", one.id, one.claim);
    let mut group = level
        .primary_title(title)
        .id(one.code)
        .elements(Vec::<annotate_snippets::Element<'_>>::new());
    if let Some((first, text)) = &finding.lines
        && !text.is_empty()
    {
        let line = usize::try_from(*first).unwrap_or(1);
        let mut snippet = Snippet::source(text.as_str())
            .line_start(line)
            .path(finding.path.as_deref().unwrap_or_default())
            .fold(false);
        let marked = finding.mark.as_ref().filter(|(range, _)| !range.is_empty());
        snippet = match marked {
            Some((range, label)) => snippet.annotation(
                AnnotationKind::Primary
                    .span(range.clone())
                    .label(label.as_str()),
            ),
            None => snippet.annotation(
                AnnotationKind::Primary
                    .span(0..text.find('\n').unwrap_or(text.len()))
                    .label("the claim points here"),
            ),
        };
        group = group.element(snippet);
    } else if let Some(path) = &finding.path {
        group = group.element(Level::NOTE.message(format!("the claim points to {path}")));
    }
    group = group.element(Level::NOTE.message(finding.reason.as_str()));
    let marked = finding.mark.as_ref().map(|(_, label)| label);
    if let Some(because) = one
        .because
        .as_ref()
        .filter(|because| marked != Some(because))
    {
        group = group.element(Level::NOTE.message(because.as_str()));
    }
    group = group.element(Level::HELP.message(finding.help));
    renderer.render(&[group])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_between_line_and_quote_is_marked() {
        let text = "fn main() {\n    let port = 8080;\n}";
        let (range, label) = difference(text, "let port = 9090;").unwrap();
        assert_eq!(text.get(range), Some("8080"));
        assert_eq!(label, "the quote has `9090` here");
        let (range, label) = difference("default port = 8080", "port = 9090").unwrap();
        assert_eq!(range, 15..19);
        assert_eq!(label, "the quote has `9090` here");
        assert_eq!(difference("abc", "xyz"), None);
        assert_eq!(difference("abc", "abc"), None);
    }
}
