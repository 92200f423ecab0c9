//! Inline code spans of one line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::VecDeque;
use std::ops::Range;

/// A run of backticks: where, and how many.
#[derive(Clone, Copy)]
struct TickRun {
    at: usize,
    len: usize,
}

/// The code spans of a line, as byte ranges: the whole span with its backticks,
/// and its content. A run without a partner is plain text. Takes linear time
/// for any mix of runs.
pub(super) fn code_spans(line: &str) -> Vec<(Range<usize>, Range<usize>)> {
    if !line.contains('`') {
        return Vec::new();
    }
    let runs = runs(line.as_bytes());
    if let [open, close] = runs.as_slice()
        && open.len == close.len
    {
        return vec![span(*open, *close)]; // by far the most frequent case
    }
    let mut by_len: HashMap<usize, VecDeque<usize>> = HashMap::new();
    for (index, run) in runs.iter().enumerate() {
        by_len.entry(run.len).or_default().push_back(index);
    }
    let mut spans = Vec::new();
    let mut next = 0;
    while let Some(open) = runs.get(next) {
        let partner = by_len.get_mut(&open.len).and_then(|same| {
            while same.front().is_some_and(|index| *index <= next) {
                same.pop_front();
            }
            same.front().copied()
        });
        next = match partner.and_then(|index| runs.get(index).map(|close| (index, close))) {
            Some((index, close)) => {
                spans.push(span(*open, *close));
                index + 1
            }
            None => next + 1,
        };
    }
    spans
}

fn span(open: TickRun, close: TickRun) -> (Range<usize>, Range<usize>) {
    (open.at..close.at + close.len, open.at + open.len..close.at)
}

/// The line without its code spans.
pub(super) fn without_code(line: &str) -> Cow<'_, str> {
    if !line.contains('`') {
        return Cow::Borrowed(line);
    }
    let mut rest = String::with_capacity(line.len());
    let mut from = 0;
    for (span, _) in code_spans(line) {
        rest.push_str(line.get(from..span.start).unwrap_or_default());
        from = span.end;
    }
    rest.push_str(line.get(from..).unwrap_or_default());
    Cow::Owned(rest)
}

fn runs(bytes: &[u8]) -> Vec<TickRun> {
    let mut runs: Vec<TickRun> = Vec::new();
    for at in memchr::memchr_iter(b'`', bytes) {
        match runs.last_mut() {
            Some(run) if run.at + run.len == at => run.len += 1,
            _ => runs.push(TickRun { at, len: 1 }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_needs_two_runs_of_the_same_length() {
        let table = [
            ("a `b` c", "a  c"),
            ("``a ` b`` c", " c"),
            ("a ` b", "a ` b"),
            ("`a``b`", ""),
            ("``` `x` ``", "```  ``"),
        ];
        for (line, rest) in table {
            assert_eq!(without_code(line), rest, "{line}");
        }
    }

    #[test]
    fn many_lonely_runs_take_linear_time() {
        let line: String = (1..2000).map(|len| "`".repeat(len) + " ").collect();
        assert_eq!(without_code(&line), line);
    }
}
