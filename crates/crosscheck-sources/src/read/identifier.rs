//! DOI, arXiv and PMID forms, and the pages they resolve to.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

static FORMS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (
            r"(?i)\bdoi(?::\s*|\s+)(10\.\d{4,9}/[^\s<>]+)",
            "https://doi.org/",
        ),
        (
            r"(?i)\barxiv:\s*(\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7})",
            "https://arxiv.org/abs/",
        ),
        (
            r"(?i)\bPMID:\s*(\d{1,9})\b",
            "https://pubmed.ncbi.nlm.nih.gov/",
        ),
    ]
    .into_iter()
    .filter_map(|(pattern, base)| Some((Regex::new(pattern).ok()?, base)))
    .collect()
});

/// Identifiers in a text, with the URLs they stand for.
pub fn identifiers_in(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    if !text.contains(':') && !text.contains("10.") {
        return found; // every form has one of them
    }
    for (pattern, base) in FORMS.iter() {
        for form in pattern.captures_iter(text) {
            if let (Some(whole), Some(name)) = (form.get(0), form.get(1)) {
                let trimmed = super::urls::trim_end(name.as_str());
                let range = whole.start()..name.start() + trimmed.len();
                found.push((range, format!("{base}{trimmed}")));
            }
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
