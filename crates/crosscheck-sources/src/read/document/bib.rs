//! BibTeX: a list of sources that nothing in the file cites.

use std::ops::Range;

use super::written::Written;
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

/// A file as the HTML of a list of sources.
pub(super) fn html(text: &str) -> Written {
    let mut out = Written::default();
    // the list has no other title above it
    out.markup(0, "<h1></h1><h2>References</h2><ul>");
    for (_, own) in each_entry(text) {
        out.markup(own.start, "<li>");
        let mut cursor = own.start;
        for (range, url) in urls(text, own.clone()) {
            let words = text.get(cursor..range.start);
            out.words(cursor, words.unwrap_or_default());
            out.link(range.start, &url);
            out.markup(range.end, "</a>");
            cursor = range.end.max(cursor);
        }
        out.words(cursor, text.get(cursor..own.end).unwrap_or_default());
    }
    out
}

/// The key of each entry and where it is.
fn each_entry(text: &str) -> Vec<(&str, Range<usize>)> {
    let mut found: Vec<(&str, Range<usize>)> = Vec::new();
    for form in START.captures_iter(text) {
        let Some(start) = form.get(0).map(|whole| whole.start()) else {
            continue;
        };
        if let Some((_, last)) = found.last_mut().filter(|(_, last)| last.end == text.len()) {
            last.end = start;
        }
        let (_, [kind, key]) = form.extract();
        if !OTHER.contains(&kind.to_ascii_lowercase().as_str()) {
            found.push((key, start..text.len()));
        }
    }
    found
}

/// The key of each entry, and the pages it leads to.
pub(super) fn entries(text: &str, options: ReadOptions) -> Vec<(String, Vec<String>)> {
    let all = each_entry(text).into_iter();
    let entry = |(key, range): (&str, Range<usize>)| {
        let own = text.get(range.clone()).unwrap_or_default();
        let named = urls(text, range.clone());
        let is_named = |place: &Range<usize>| {
            let at = range.start + place.start;
            named.iter().any(|(known, _)| known.contains(&at))
        };
        let others = plain::places(own, options).into_iter();
        let others = others.filter(|(place, _)| !is_named(place));
        let links = named
            .iter()
            .filter_map(|(_, url)| bind::target(url, options));
        let mut urls: Vec<String> = links.collect();
        urls.extend(others.map(|(_, url)| url));
        urls.dedup();
        (key.to_owned(), urls)
    };
    all.map(entry).collect()
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
