//! Locators beyond v1: byte ranges, `JSONPath`, stack signatures.
//!
//! Contract: claims 12.

use crosscheck_judge::EvidenceKind;

use super::FileItem;
use crate::Session;
use crate::judge::{Attempt, ClaimStatus, quote};
use crate::observe::{Missing, NoNodes, Selected, select, squeezed};
use crate::reasons::ClaimReason;

/// All frames of a stack must be within this many lines.
const STACK_WINDOW: u64 = 200;
/// A larger document is not queried, because it is parsed as a whole.
const MAX_JSON_BYTES: u64 = 8 * 1024 * 1024;

impl Session<'_> {
    pub(super) fn byte_range(
        &self,
        item: FileItem<'_>,
        (start, end): (u64, u64),
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        self.hint_file(item.file, attempt);
        if start >= item.file.size {
            attempt.end(ClaimStatus::Failed, ClaimReason::RangeOutOfBounds);
            return Ok(());
        }
        let max = self.options.max_snippet_bytes;
        for end in [end, end.saturating_add(1)] {
            let bytes = item.file.bytes(start, end, max)?;
            let text = String::from_utf8_lossy(&bytes);
            self.weigh(item, EvidenceKind::File, &text, attempt);
            // Producers disagree about the end, so a missing quote is searched for
            // once more.
            if attempt.code != ClaimReason::QuoteNotFound {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn json_path(
        &self,
        item: FileItem<'_>,
        query: &str,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        self.hint_file(item.file, attempt);
        let bytes = item.file.lines(1, item.file.line_count(), MAX_JSON_BYTES)?;
        let max = self.options.max_snippet_bytes;
        let (status, code) = match select(&bytes, query, max) {
            Ok(nodes) if !nodes.is_empty() => return self.weigh_nodes(item, &nodes, attempt),
            Ok(_) => (ClaimStatus::Failed, ClaimReason::PathNoMatch),
            Err(NoNodes::NotJson) => (ClaimStatus::Partial, ClaimReason::Unreadable),
            Err(NoNodes::BadQuery) => (ClaimStatus::Partial, ClaimReason::MalformedLocator),
            Err(NoNodes::TooLarge) => return Err(Missing::TooLarge),
        };
        attempt.end(status, code);
        Ok(())
    }

    /// The quote may match the line, the decoded string, or the JSON text with
    /// any white space.
    fn weigh_nodes(
        &self,
        item: FileItem<'_>,
        nodes: &[Selected],
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let lines: Vec<String> = nodes.iter().map(Selected::line).collect();
        let snippet = lines.join("\n");
        if snippet.len() as u64 > self.options.max_snippet_bytes {
            return Err(Missing::TooLarge);
        }
        let is_shown =
            |wanted: &str| quote::find(wanted, &snippet, self.options.quote_level).is_some();
        let is_in = |wanted: &&str| {
            let text = squeezed(wanted);
            let decoded = serde_json::from_str::<String>(&format!("\"{wanted}\""));
            let is_json = nodes.iter().any(|node| node.member().contains(&text))
                || decoded.is_ok_and(|decoded| is_shown(&decoded));
            !is_shown(wanted) && is_json
        };
        let asked = match item.quote.text.as_deref().filter(is_in) {
            // Found as JSON text: the judge still reads the plain lines.
            Some(text) => format!("{snippet}\n{text}"),
            None => snippet.clone(),
        };
        self.weigh(item, EvidenceKind::Json, &asked, attempt);
        Ok(())
    }

    pub(super) fn stack(
        &self,
        item: FileItem<'_>,
        signature: &str,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        self.hint_file(item.file, attempt);
        let bytes = item.file.lines(1, item.file.line_count(), MAX_JSON_BYTES)?;
        let text = String::from_utf8_lossy(&bytes);
        let Some(range) = find_stack(&text, &frames(signature)) else {
            attempt.end(ClaimStatus::Failed, ClaimReason::StackNotFound);
            return Ok(());
        };
        self.weigh_lines(item, range, attempt)
    }
}

fn frames(signature: &str) -> Vec<String> {
    let mut text = signature.to_owned();
    for mark in [" > ", " <- ", " -> ", " | ", ";"] {
        text = text.replace(mark, "\n");
    }
    text.split('\n')
        .map(|frame| frame.trim().to_owned())
        .filter(|frame| !frame.is_empty())
        .collect()
}

/// The lines (from 1) of the first place where the frames occur in order.
fn find_stack(text: &str, frames: &[String]) -> Option<(u64, u64)> {
    let (first, rest) = frames.split_first()?;
    let lines: Vec<&str> = text.split('\n').collect();
    let starts = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.contains(first.as_str()));
    for (start, line) in starts {
        let window = lines
            .iter()
            .enumerate()
            .skip(start)
            .take(usize::try_from(STACK_WINDOW).ok()?);
        let mut wanted = rest.iter().peekable();
        let mut last = start;
        let mut behind = after(line, first);
        for (number, line) in window {
            let mut tail = if number == start { behind } else { line };
            while let Some(found) = wanted.next_if(|frame| tail.contains(frame.as_str())) {
                tail = after(tail, found);
                last = number;
            }
            behind = "";
            if wanted.peek().is_none() {
                return Some((start as u64 + 1, last as u64 + 1));
            }
        }
    }
    None
}

/// The part of a line behind the first occurrence of a frame.
fn after<'l>(line: &'l str, frame: &str) -> &'l str {
    line.find(frame)
        .and_then(|at| line.get(at + frame.len()..))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_in_order_within_a_window() {
        let text = "x\nat main\nat run\nnoise\nat fail: boom\n";
        let table = [
            ("at main > at run > boom", Some((2, 5))),
            ("at main;at fail", Some((2, 5))),
            ("at run\nat main", None),
            ("at main", Some((2, 2))),
            ("fail <- boom", Some((5, 5))),
            ("boom -> fail", None),
            ("", None),
        ];
        for (signature, expected) in table {
            assert_eq!(
                find_stack(text, &frames(signature)),
                expected,
                "{signature}"
            );
        }
        let far = format!("first\n{}last", "x\n".repeat(199));
        assert_eq!(find_stack(&far, &frames("first > last")), None);
        let near = format!("first\n{}last", "x\n".repeat(198));
        assert_eq!(find_stack(&near, &frames("first > last")), Some((1, 200)));
    }
}
