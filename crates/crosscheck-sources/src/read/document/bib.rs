//! BibTeX: a list of sources that nothing in the file cites.

use std::sync::LazyLock;

use regex::Regex;

use super::structure::Seen;

static START: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*@(\w+)\s*[{(]\s*([^,\s]*)").ok());

/// Reads the structure of a file: each entry is a note that nobody uses.
pub(super) fn parse(text: &str) -> Seen {
    let mut seen = Seen::default();
    let starts = START
        .as_ref()
        .into_iter()
        .flat_map(|form| form.captures_iter(text));
    for form in starts {
        if let (Some(whole), Some(key)) = (form.get(0), form.get(2)) {
            if let Some((last, _)) = seen.footnotes.last_mut() {
                last.end = whole.start();
            }
            seen.footnotes
                .push((whole.start()..text.len(), key.as_str().to_owned()));
        }
    }
    seen.blocks
        .extend(seen.footnotes.iter().map(|(range, _)| range.clone()));
    seen
}
