//! BibTeX: a list of sources that nothing in the file cites.

use std::ops::Range;

use super::structure::DocumentParts;
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

/// Reads the structure of a file: each entry is a note that is not used.
pub(super) fn parse(text: &str) -> DocumentParts {
    let mut seen = DocumentParts::default();
    let starts = START.captures_iter(text);
    let mut entries: Vec<(Range<usize>, &str, &str)> = Vec::new();
    for form in starts {
        if let (Some(whole), Some(kind), Some(key)) = (form.get(0), form.get(1), form.get(2)) {
            if let Some((last, ..)) = entries.last_mut() {
                last.end = whole.start();
            }
            entries.push((whole.start()..text.len(), kind.as_str(), key.as_str()));
        }
    }
    for (range, kind, key) in entries {
        if OTHER.contains(&kind.to_ascii_lowercase().as_str()) {
            seen.hidden.push(range);
            continue;
        }
        add_urls(text, &range, &mut seen);
        seen.footnotes.push((range.clone(), key.to_owned()));
        seen.blocks.push(range);
    }
    seen
}

/// The key of each entry, and the pages it leads to.
pub(super) fn entries(text: &str, options: ReadOptions) -> Vec<(String, Vec<String>)> {
    let mut seen = parse(text);
    let entries = std::mem::take(&mut seen.footnotes).into_iter();
    let urls = |range: &Range<usize>| {
        let inside = |at: usize| range.contains(&at);
        let links = seen.links.iter().filter(|link| inside(link.range.start));
        let mut urls: Vec<String> = links
            .filter_map(|link| bind::target(link, options))
            .collect();
        let own = text.get(range.clone()).unwrap_or_default();
        for (place, url) in plain::places(own, options) {
            let at = range.start + place.start;
            let is_known = seen.links.iter().any(|link| link.range.contains(&at));
            if !is_known && !urls.contains(&url) {
                urls.push(url);
            }
        }
        urls
    };
    entries.map(|(range, key)| (key, urls(&range))).collect()
}

/// The URLs of an entry as TeX prints them, and its identifiers that no URL holds.
fn add_urls(text: &str, entry: &Range<usize>, seen: &mut DocumentParts) {
    let own = text.get(entry.clone()).unwrap_or_default();
    let mut urls = String::new();
    for range in urls_in(own) {
        let written = own.get(range.clone()).unwrap_or_default();
        let url = tex::url(written);
        urls.push_str(&url.to_ascii_lowercase());
        urls.push(' ');
        if url != written {
            let range = entry.start + range.start..entry.start + range.end;
            let words = range.end..range.end;
            seen.link(text, range, words, url);
        }
    }
    let fields: Vec<(String, Range<usize>, String)> = FIELD
        .captures_iter(own)
        .filter_map(|form| {
            let value = form.get(2).or(form.get(3)).or(form.get(4))?;
            let name = form.get(1)?.as_str().to_ascii_lowercase();
            Some((name, value.range(), tex::url(value.as_str())))
        })
        .collect();
    let of = |names: [&str; 2]| {
        let mut all = fields.iter();
        all.find(|(name, ..)| names.contains(&name.as_str()))
            .map(|(.., value)| value.to_ascii_lowercase())
    };
    let archive = of(["archiveprefix", "eprinttype"]);
    for (name, range, value) in &fields {
        let Some((id, identifier)) = identifier(name, value, archive.as_deref()) else {
            continue;
        };
        if !urls.contains(&id.to_ascii_lowercase()) {
            let range = entry.start + range.start..entry.start + range.end;
            let words = range.end..range.end;
            seen.link(text, range, words, identifier);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::super::{Format, ReadOptions, mentions};

    fn read(text: &str, identifiers: bool) -> Vec<String> {
        let options = ReadOptions {
            include_code: false,
            identifiers,
        };
        let found = mentions(text, Format::Bib, options).unwrap();
        assert!(
            found
                .iter()
                .all(|one| one.entry.is_some() && one.claim.is_none())
        );
        found.into_iter().map(|one| one.url).collect()
    }

    #[test]
    fn identifiers_of_entries_are_the_pages_they_resolve_to() {
        for (fields, urls) in [
            ("doi={10.1000/182}", &["https://doi.org/10.1000/182"][..]),
            (
                "DOI = \"doi:10.1000/182\"",
                &["https://doi.org/10.1000/182"],
            ),
            (
                r"doi={10.1007/978-3-642\_12}",
                &["https://doi.org/10.1007/978-3-642_12"],
            ),
            (
                "doi={10.1002/(SICI)1097(199823)43:4$<$338::AID-JBM2$>$3.0.CO;2-B}",
                &["https://doi.org/10.1002/(SICI)1097(199823)43:4<338::AID-JBM2>3.0.CO;2-B"],
            ),
            (
                "doi={https://doi.org/10.1000/182}",
                &["https://doi.org/10.1000/182"],
            ),
            (
                "url={http://dx.doi.org/10.1000/ABC}, doi={10.1000/abc}",
                &["http://dx.doi.org/10.1000/ABC"],
            ),
            (
                "eprint={2301.00001}, archivePrefix={arXiv}",
                &["https://arxiv.org/abs/2301.00001"],
            ),
            (
                "eprint={hep-th/9901001}",
                &["https://arxiv.org/abs/hep-th/9901001"],
            ),
            ("eprint={1234567}, eprinttype={jstor}", &[]),
            ("pmid = 12345", &["https://pubmed.ncbi.nlm.nih.gov/12345"]),
            ("doi={n/a}", &[]),
        ] {
            let text = format!("@article{{a, title={{Bone}}, {fields}, year=1998}}\n");
            assert_eq!(read(&text, true), urls, "{fields}");
            let kept: Vec<&str> = urls
                .iter()
                .copied()
                .filter(|url| fields.contains(url))
                .collect();
            assert_eq!(read(&text, false), kept, "{fields}");
        }
    }

    #[test]
    fn urls_are_those_that_tex_prints() {
        let text = concat!(
            "@comment{jabref-meta: https://a.example/none}\n",
            "@misc{a, url={http://a.example/\\-DynaReport/\\-38101-1.htm}}\n",
            "@misc{b, url={http://a.example/under{\\_}score\\%20x}}\n",
            "@misc{c, howpublished={\\url{http://a.example/\\~{}lee/}}, note={http://a.example/{\\textasciitilde}ann/}}\n",
        );
        assert_eq!(
            read(text, true),
            [
                "http://a.example/DynaReport/38101-1.htm",
                "http://a.example/under_score%20x",
                "http://a.example/~lee/",
                "http://a.example/~ann/",
            ]
        );
    }
}
