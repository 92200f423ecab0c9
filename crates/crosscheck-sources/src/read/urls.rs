//! URLs inside running text.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

static START: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?:https?://|www\.)[^\s<>]").ok());

/// Where URLs stand in a text. Punctuation that ends a sentence and brackets
/// that were opened outside do not belong to a URL.
pub fn urls_in(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let Some(pattern) = START.as_ref() else {
        return found;
    };
    for start in pattern.find_iter(text) {
        if found.last().is_some_and(|last| start.start() < last.end) {
            continue; // a URL inside a URL, as archives write them
        }
        // Scripts without blanks between words may stand right before it.
        let before = text.get(..start.start()).unwrap_or_default();
        // so may the underscores of an emphasis, if nothing is glued to them.
        let before = before.trim_end_matches('_').chars().next_back();
        if before.is_some_and(|c| c.is_ascii_alphanumeric()) {
            continue;
        }
        let tail = text.get(start.start()..).unwrap_or_default();
        let end = tail.find(|c: char| {
            c.is_whitespace()
                || matches!(c, '<' | '>' | '"' | '“' | '”' | '`' | '|')
                || is_wide_mark(c)
        });
        let word = trim_end(tail.get(..end.unwrap_or(tail.len())).unwrap_or_default());
        if word.len() > "www.".len() {
            found.push(start.start()..start.start() + word.len());
        }
    }
    found
}

/// Punctuation of scripts that put no blank after it.
fn is_wide_mark(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301B}'
        | '！' | '（' | '）' | '，' | '：' | '；' | '？' | '．')
}

/// The URL without what the sentence around it put behind it.
pub fn trim_end(mut word: &str) -> &str {
    loop {
        let Some(last) = word.chars().next_back() else {
            return word;
        };
        let cut = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '\\' | '*' | '_' | '…' | '’' | '‘'
            | '。' | '，' | '、' => true,
            ')' => unbalanced(word, '(', ')'),
            ']' => unbalanced(word, '[', ']'),
            '}' => unbalanced(word, '{', '}'),
            _ => false,
        };
        // `](` inside means that a Markdown link ended here.
        if let Some(at) = word.find("](") {
            word = word.get(..at).unwrap_or_default();
            continue;
        }
        if !cut {
            return word;
        }
        word = word.get(..word.len() - last.len_utf8()).unwrap_or_default();
    }
}

/// The text without the signs of emphasis. Inside a URL the same signs are part of the URL.
pub fn without_emphasis(text: &str) -> String {
    let plain = |text: &str| text.replace("**", "").replace("__", "");
    let mut out = String::with_capacity(text.len());
    let mut cursor = 0;
    for url in urls_in(text) {
        out.push_str(&plain(text.get(cursor..url.start).unwrap_or_default()));
        out.push_str(text.get(url.clone()).unwrap_or_default());
        cursor = url.end;
    }
    out.push_str(&plain(text.get(cursor..).unwrap_or_default()));
    out
}

fn unbalanced(word: &str, open: char, close: char) -> bool {
    word.matches(close).count() > word.matches(open).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_emphasis_inside_a_url_belong_to_the_url() {
        for (text, expected) in [
            ("**Oaks** are __old__.", "Oaks are old."),
            (
                "**Oaks** (http://a.example/t__x) are __old__.",
                "Oaks (http://a.example/t__x) are old.",
            ),
            ("http://a.example/a**b, **c**", "http://a.example/a**b, c"),
            (
                "**http://a.example/x** and __http://a.example/y__.",
                "http://a.example/x and http://a.example/y.",
            ),
            (
                "**[Oaks](http://a.example/x)**",
                "[Oaks](http://a.example/x)",
            ),
        ] {
            assert_eq!(without_emphasis(text), expected, "{text}");
        }
    }

    #[test]
    fn a_url_ends_where_the_sentence_goes_on() {
        for (text, expected) in [
            ("See https://a.example/x.", vec!["https://a.example/x"]),
            ("(http://a.example/b)", vec!["http://a.example/b"]),
            (
                "https://en.example/wiki/Oak_(tree), then",
                vec!["https://en.example/wiki/Oak_(tree)"],
            ),
            (
                "[label](https://a.example/x) more",
                vec!["https://a.example/x"],
            ),
            (
                "<https://a.example>, \"https://b.example\"",
                vec!["https://a.example", "https://b.example"],
            ),
            ("www.a.example/b and nothing", vec!["www.a.example/b"]),
            (
                "https://web.archive.example/2020/https://a.example/",
                vec!["https://web.archive.example/2020/https://a.example/"],
            ),
            (
                "_https://a.example/x_ and __www.b.example__, but name_https://c.example",
                vec!["https://a.example/x", "www.b.example"],
            ),
            ("no url at all, not even http://", vec![]),
        ] {
            let found: Vec<&str> = urls_in(text)
                .into_iter()
                .filter_map(|range| text.get(range))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
