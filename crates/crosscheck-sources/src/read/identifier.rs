//! DOI, arXiv and PMID forms, and the pages they resolve to.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// The word each form begins with, the form, and where it leads.
static FORMS: LazyLock<Vec<(&str, Regex, &str)>> = LazyLock::new(|| {
    [
        (
            "doi",
            // old ones hold angle brackets: `43:4<338::AID-JBM2>3.0.CO;2-B`
            r"(?i)\bdoi(?::\s*|\s+)10\.\d{4,9}/[^\s<>]+(?:<\d[^\s<>]*::[^\s<>]*>\d[^\s<>]+)?",
            "https://doi.org/",
        ),
        (
            "arxiv",
            r"(?i)\barxiv:\s*(?:\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7})",
            "https://arxiv.org/abs/",
        ),
        (
            "pmid",
            r"(?i)\bPMID:\s*\d{1,9}\b",
            "https://pubmed.ncbi.nlm.nih.gov/",
        ),
    ]
    .into_iter()
    .filter_map(|(word, pattern, base)| Some((word, Regex::new(pattern).ok()?, base)))
    .collect()
});

/// Identifiers in a text, with the URLs they stand for.
pub fn identifiers_in(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    if !text.contains(':') && !text.contains("10.") {
        return found; // every form has one of them
    }
    for (word, pattern, base) in FORMS.iter() {
        let mut windows = text.as_bytes().windows(word.len());
        // most sentences hold no form, and asking the pattern takes longer
        if !windows.any(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes())) {
            continue;
        }
        for whole in pattern.find_iter(text) {
            let after = whole.as_str().get(word.len()..).unwrap_or_default();
            let name = after.trim_start_matches(|c: char| c == ':' || c.is_whitespace());
            let trimmed = super::urls::trim_end(name);
            let range = whole.start()..whole.end() - name.len() + trimmed.len();
            found.push((range, [*base, trimmed].concat()));
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doi_may_stand_without_a_colon() {
        let text = "Oaks grow old. DOI 10.1000/xyz123. The 10.1000/x is none.";
        let found = identifiers_in(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, "https://doi.org/10.1000/xyz123");
        assert_eq!(text.get(found[0].0.clone()), Some("DOI 10.1000/xyz123"));
    }

    #[test]
    fn a_form_may_be_written_in_any_case_and_with_any_blank() {
        for (text, url) in [
            ("Doi:\u{a0}10.1000/x", "https://doi.org/10.1000/x"),
            ("DOI \t10.1000/x).", "https://doi.org/10.1000/x"),
            (
                "ARXIV: hep-th/9901001",
                "https://arxiv.org/abs/hep-th/9901001",
            ),
            ("pmid:1", "https://pubmed.ncbi.nlm.nih.gov/1"),
            (
                "doi:10.1002/(SICI)1097-4636(199823)43:4<338::AID-JBM2>3.0.CO;2-B, and",
                "https://doi.org/10.1002/(SICI)1097-4636(199823)43:4<338::AID-JBM2>3.0.CO;2-B",
            ),
            ("<b>doi:10.1000/x<br>now", "https://doi.org/10.1000/x"),
        ] {
            let found: Vec<String> = identifiers_in(text).into_iter().map(|one| one.1).collect();
            assert_eq!(found, [url], "{text}");
        }
        assert!(identifiers_in("xdoi:10.1000/x, arXiv: none, PMID: 1234567890").is_empty());
    }

    #[test]
    fn identifiers_become_the_pages_they_resolve_to() {
        let text = "See doi:10.1038/nature12373, arXiv:2101.00001v2 and PMID: 12345.";
        let (places, urls): (Vec<_>, Vec<_>) = identifiers_in(text).into_iter().unzip();
        let places: Vec<&str> = places
            .into_iter()
            .filter_map(|place| text.get(place))
            .collect();
        assert_eq!(
            places,
            [
                "doi:10.1038/nature12373",
                "arXiv:2101.00001v2",
                "PMID: 12345"
            ]
        );
        assert_eq!(
            urls,
            [
                "https://doi.org/10.1038/nature12373",
                "https://arxiv.org/abs/2101.00001v2",
                "https://pubmed.ncbi.nlm.nih.gov/12345"
            ]
        );
    }
}
