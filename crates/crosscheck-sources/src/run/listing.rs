//! What a debate log cites, without looking at any of it.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use crosscheck_fetch::address::shown_in_text;

use crate::plan::binding::Binding;
use crate::read::entry::LogEntry;
use crate::read::log::{LogPaths, LogReader};
use crate::read::sentence::Sentence;
use crate::words::shown_url;

/// One source of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The entry.
    pub seq: u64,
    /// The URL as it may be shown.
    pub url: String,
    /// The sentence that matters most of those it is cited for.
    pub claim: Option<String>,
}

/// The sources of a log in the order of its entries; those of struck entries are left out.
pub fn citations(log: &Path) -> io::Result<Vec<Listed>> {
    let news = LogReader::new(&LogPaths::of(log).log).look()?;
    let struck: HashSet<u64> = news.entries.iter().flat_map(LogEntry::strikes).collect();
    let mut found = Vec::new();
    for entry in &news.entries {
        if entry.is_result() || struck.contains(&entry.seq) {
            continue;
        }
        let text = Sentence::of_entry(&entry.content);
        let only = entry.sources.len() == 1;
        for source in &entry.sources {
            let binding = Binding::of(source, only, &text, None);
            found.push(Listed {
                seq: entry.seq,
                url: shown_url(&source.cited.text),
                claim: binding
                    .central()
                    .map(|sentence| shown_in_text(&sentence.text).into_owned()),
            });
        }
    }
    Ok(found)
}
