//! BibTeX: a list of sources that nothing in the file cites.

use std::ops::Range;

use super::doc::{Doc, Kind, Writer};
use super::lines::words;
use super::{ReadOptions, bind, plain, tex};
use crate::pattern::pattern;
use crate::read::urls::urls_in;

pattern! {
    START, r"(?m)^\s*@(\w+)\s*[{(]\s*([^,\s]*)"
}
pattern! {
    /// A field that names a source by an identifier, and its value.
    FIELD,
    concat!(
            r"(?i)[,\s](doi|eprint|pmid|archiveprefix|eprinttype)\s*=\s*",
            r#"(?:\{((?:[^{}]|\{[^{}]*\})*)\}|"([^"]*)"|(\d+))"#
        )
}
pattern! {
    ARXIV, r"^(?:\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?$"
}
/// Entries that are not sources.
const OTHER: [&str; 3] = ["comment", "string", "preamble"];

/// Reads a file: each entry is a note that is not used.
pub(super) fn parse(text: &str) -> Doc {
    let mut writer = Writer::default();
    let starts: Vec<_> = START.captures_iter(text).collect();
    for (number, form) in starts.iter().enumerate() {
        let (Some(whole), Some(kind), Some(key)) = (form.get(0), form.get(1), form.get(2)) else {
            continue;
        };
        let next = starts.get(number + 1).and_then(|next| next.get(0));
        let end = next.map_or(text.len(), |next| next.start());
        if OTHER.contains(&kind.as_str().to_ascii_lowercase().as_str()) {
            continue;
        }
        writer.open(Kind::Note, whole.start());
        writer.note(key.as_str().to_owned());
        let mut cursor = whole.start();
        for (range, url) in urls(text, whole.start()..end) {
            words(&mut writer, text, cursor..range.start.max(cursor));
            writer.whole_link(range.start, url, (range.end, ""));
            cursor = range.end.max(cursor);
        }
        words(&mut writer, text, cursor..end);
        writer.close();
    }
    writer.finish()
}

/// The key of each entry, and the pages it leads to.
pub(super) fn entries(text: &str, options: ReadOptions) -> Vec<(String, Vec<String>)> {
    let doc = parse(text);
    let urls = |own: usize| {
        let block = doc.blocks.get(own)?;
        let links = block
            .links
            .iter()
            .filter_map(|link| bind::target(&link.url, options));
        let mut urls: Vec<String> = links.collect();
        for (_, url) in plain::places(&block.text, options) {
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        Some(urls)
    };
    let notes = doc.notes.iter();
    notes
        .map(|(key, own)| (key.clone(), urls(*own).unwrap_or_default()))
        .collect()
}

/// The URLs of an entry as TeX prints them, and its identifiers that no URL holds.
fn urls(text: &str, entry: Range<usize>) -> Vec<(Range<usize>, String)> {
    let own = text.get(entry.clone()).unwrap_or_default();
    let here = |range: Range<usize>| entry.start + range.start..entry.start + range.end;
    let mut found: Vec<(Range<usize>, String)> = urls_in(own)
        .into_iter()
        .filter_map(|range| Some((here(range.clone()), tex::url(own.get(range)?))))
        .collect();
    let known: String = found
        .iter()
        .map(|(_, url)| url.to_ascii_lowercase() + " ")
        .collect();
    let fields: Vec<(String, Range<usize>, String)> = FIELD
        .captures_iter(own)
        .filter_map(|form| {
            let value = form.get(2).or(form.get(3)).or(form.get(4))?;
            let name = form.get(1)?.as_str().to_ascii_lowercase();
            Some((name, value.range(), tex::url(value.as_str())))
        })
        .collect();
    let mut all = fields.iter();
    let archive = all.find(|(name, ..)| ["archiveprefix", "eprinttype"].contains(&name.as_str()));
    let archive = archive.map(|(.., value)| value.to_ascii_lowercase());
    for (name, range, value) in &fields {
        let named = identifier(name, value, archive.as_deref());
        let named = named.filter(|(id, _)| !known.contains(&id.to_ascii_lowercase()));
        found.extend(named.map(|(_, identifier)| (here(range.clone()), identifier)));
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// The identifier a field gives, and the form that is known everywhere.
fn identifier<'v>(name: &str, value: &'v str, archive: Option<&str>) -> Option<(&'v str, String)> {
    let after = |word: &str| {
        let start = value.get(..word.len())?;
        let rest = value.get(word.len()..)?;
        start.eq_ignore_ascii_case(word).then_some(rest)
    };
    let is_number = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    match name {
        "doi" => {
            let id = after("doi:").unwrap_or(value);
            id.starts_with("10.").then(|| (id, format!("doi:{id}")))
        }
        "eprint" if archive.is_none_or(|archive| archive == "arxiv") => {
            let id = after("arxiv:").unwrap_or(value);
            let is_arxiv = ARXIV.is_match(id);
            is_arxiv.then(|| (id, format!("arXiv:{id}")))
        }
        "eprint" if archive == Some("pubmed") => {
            is_number(value).then(|| (value, format!("PMID:{value}")))
        }
        "pmid" => is_number(value).then(|| (value, format!("PMID:{value}"))),
        _ => None,
    }
}
