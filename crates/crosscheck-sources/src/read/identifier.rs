//! DOI, arXiv and PMID forms, and the pages they resolve to.
//!
//! Contract: sources 8.

use crate::pattern::pattern;
use std::ops::Range;

/// The word each form begins with, and where it leads.
const FORMS: [(&str, &str); 3] = [
    ("doi", "https://doi.org/"),
    ("arxiv", "https://arxiv.org/abs/"),
    ("pmid", "https://pubmed.ncbi.nlm.nih.gov/"),
];

pattern! {
    FORM,
    {
        let forms = [
            // old ones hold angle brackets: `43:4<338::AID-JBM2>3.0.CO;2-B`
            r"doi(?::\s*|\s+)10\.[0-9]{4,9}/[^\s<>]+(?:<[0-9][^\s<>]*::[^\s<>]*>[0-9][^\s<>]+)?",
            r"arxiv:\s*(?:[0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})",
            r"pmid:\s*[0-9]{1,9}\b",
        ];
        format!(r"(?i)\b(?:{})", forms.join("|"))
    }
}

/// Identifiers in a text, in their order, with the URLs they stand for.
pub fn identifiers_in(text: &str) -> Vec<(Range<usize>, String)> {
    if !text.contains(':') && !text.contains("10.") {
        return Vec::new(); // every form has one of them
    }
    let found = FORM.find_iter(text);
    let identifier = |whole: regex::Match<'_>| {
        let begins = |word: &str| {
            let start = whole.as_str().get(..word.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        let (word, base) = FORMS.iter().find(|(word, _)| begins(word))?;
        let after = whole.as_str().get(word.len()..)?;
        let name = after.trim_start_matches(|c: char| c == ':' || c.is_whitespace());
        let trimmed = super::urls::trim_end(name);
        let range = whole.start()..whole.end() - name.len() + trimmed.len();
        Some((range, [*base, trimmed].concat()))
    };
    found.filter_map(identifier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doi_needs_no_colon() {
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
