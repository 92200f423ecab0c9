//! Plain text: bare URLs, identifiers, lists of sources.

use std::ops::Range;

use super::lines::blocks;
use super::spans::Spans;
use super::structure::Seen;
use super::{Mention, ReadOptions, bind};
use crate::read::identifier::identifiers_in;
use crate::read::urls::urls_in;

/// The citations of a text.
pub(super) fn mentions(
    text: &str,
    options: ReadOptions,
    dangling: &mut Vec<(u64, String)>,
) -> Vec<Mention> {
    let seen = Seen {
        blocks: blocks(text, &Spans::default()),
        ..Seen::default()
    };
    bind::mentions(text, seen, options, dangling)
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
