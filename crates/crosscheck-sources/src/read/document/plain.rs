//! Plain text: bare URLs, identifiers, numbered lists of sources.

use std::ops::Range;

use super::claims::{self, Found};
use super::references::{self, items};
use super::spans::Spans;
use super::{Mention, ReadOptions};
use crate::read::identifier::identifiers_in;
use crate::read::urls::urls_in;

/// The citations of a text.
pub(super) fn mentions(text: &str, options: ReadOptions) -> Vec<Mention> {
    let list = items(text, options, |_| false);
    let listed = references::spans(&list);
    let mut found = references::cited(text, &list, &listed, |_| false);
    for (range, url) in places(text, options) {
        if !listed.covers(range.start) {
            found.push(Found::new(text, &range, url));
        }
    }
    let blocks = Spans::new(paragraphs(text));
    claims::mentions(text, &blocks, Vec::new(), found)
}

/// Bare URLs and identifiers of a text, in its order.
pub(super) fn places(text: &str, options: ReadOptions) -> Vec<(Range<usize>, String)> {
    let urls = Spans::new(urls_in(text));
    let mut places: Vec<(Range<usize>, String)> = urls
        .0
        .iter()
        .filter_map(|range| Some((range.clone(), text.get(range.clone())?.to_owned())))
        .collect();
    if options.identifiers {
        let named = identifiers_in(text).into_iter();
        places.extend(named.filter(|(range, _)| !urls.covers(range.start)));
        places.sort_by_key(|(range, _)| range.start);
    }
    places
}

/// Runs of lines between blank lines.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut offset, mut open) = (0, false);
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.len();
        offset = range.end;
        if line.trim().is_empty() {
            open = false;
        } else if let Some(last) = found.last_mut().filter(|_| open) {
            last.end = range.end;
        } else {
            found.push(range);
            open = true;
        }
    }
    found
}
