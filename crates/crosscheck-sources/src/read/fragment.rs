//! Text fragments: `#:~:text=start,end` in a URL quotes the page behind it.

use percent_encoding::percent_decode_str;

/// A fragment with fewer characters than this could be anywhere.
const CHARS_MIN: usize = 8;

/// The quotations of a URL: for each its start and, where it has one, its end.
pub fn fragments(url: &str) -> Vec<Vec<String>> {
    let Some((_, directive)) = url.split_once(":~:") else {
        return Vec::new();
    };
    let texts = directive
        .split('&')
        .filter_map(|one| one.strip_prefix("text="));
    texts
        .map(|text| {
            // `before-,` and `,-after` only say where among several places.
            let parts = text
                .split(',')
                .filter(|part| !part.ends_with('-') && !part.starts_with('-'));
            parts
                .map(decoded)
                .filter(|part| !part.trim().is_empty())
                .collect::<Vec<String>>()
        })
        .filter(|parts| parts.iter().map(|part| part.chars().count()).sum::<usize>() >= CHARS_MIN)
        .collect()
}

pub(crate) fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_quotes_its_start_and_end() {
        for (url, expected) in [
            ("https://a.example/x", vec![]),
            ("https://a.example/x#part", vec![]),
            (
                "https://a.example/x#:~:text=left%20on%20time%20on%2094%25",
                vec![vec!["left on time on 94%"]],
            ),
            (
                "https://a.example/x#top:~:text=before-,the%20start,the%20end,-after&text=other%20words",
                vec![vec!["the start", "the end"], vec!["other words"]],
            ),
            ("https://a.example/x#:~:text=on", vec![]),
        ] {
            assert_eq!(fragments(url), expected, "{url}");
        }
    }
}
