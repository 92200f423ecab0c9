//! `quote_hash` without a quote: some run of whole lines must have it
//! (claims 7.3).

use crosscheck_core::digest::{Digest, Hasher};

/// Longer snippets are tried only as a whole.
const MAX_LINES: usize = 200;

/// Whether some run of consecutive lines (as such, with one LF appended, or
/// trimmed at both ends) has this hash. The snippet has no CR before LF.
pub(super) fn is_confirmed(snippet: &str, hex: &str) -> bool {
    let lines: Vec<&str> = snippet.split('\n').collect();
    if lines.len() > MAX_LINES {
        return [snippet, snippet.trim()]
            .iter()
            .any(|text| Digest::of(text).hex() == hex)
            || Digest::of(format!("{snippet}\n")).hex() == hex;
    }
    (0..lines.len()).any(|first| {
        let run = lines.get(first..).unwrap_or_default();
        starts_run(run, hex, false) || starts_run(run, hex, true)
    })
}

/// Tries every run that starts with the first of these lines.
fn starts_run(lines: &[&str], hex: &str, trimmed: bool) -> bool {
    let matches = |hasher: Hasher| hasher.finish().hex() == hex;
    let mut so_far = Hasher::new();
    for (number, line) in lines.iter().enumerate() {
        let mut line = *line;
        if trimmed && number == 0 {
            line = line.trim_start();
            if line.is_empty() {
                return false; // the trimmed run is one that starts later
            }
        }
        if number > 0 {
            so_far.update("\n");
        }
        if trimmed {
            let mut ended = so_far.clone();
            ended.update(line.trim_end());
            if !line.trim().is_empty() && matches(ended) {
                return true;
            }
        }
        so_far.update(line);
        if !trimmed {
            let mut with_end = so_far.clone();
            with_end.update("\n");
            if matches(so_far.clone()) || matches(with_end) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_run_of_whole_lines_confirms() {
        let snippet = "  one\n\n two  \nthree";
        for text in [
            "  one",
            "one",
            " two  \nthree\n",
            "one\n\n two",
            "three",
            snippet,
            snippet.trim(),
            "",
        ] {
            assert!(is_confirmed(snippet, &Digest::of(text).hex()), "{text:?}");
        }
        for text in ["on", "one\ntwo", "two  \nthr"] {
            assert!(!is_confirmed(snippet, &Digest::of(text).hex()), "{text:?}");
        }
    }

    #[test]
    fn a_long_snippet_is_tried_only_as_a_whole() {
        let snippet = vec!["line"; 201].join("\n");
        assert!(is_confirmed(&snippet, &Digest::of(&snippet).hex()));
        assert!(!is_confirmed(&snippet, &Digest::of("line").hex()));
    }
}
