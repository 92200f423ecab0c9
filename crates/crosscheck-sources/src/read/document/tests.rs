//! What the tests of all formats share, and the tests of what they have in common.

mod markdown;

use super::*;

pub(super) const OPTIONS: ReadOptions = ReadOptions {
    include_code: false,
    identifiers: true,
};

/// The citations of a text.
pub(super) fn cited(text: &str, format: Format) -> Vec<Mention> {
    mentions(text, format, OPTIONS).unwrap()
}

/// The URL and the claim of each citation.
pub(super) fn claims(text: &str, format: Format) -> Vec<(String, Option<String>)> {
    cited(text, format)
        .into_iter()
        .map(|one| (one.url, one.claim.as_deref().map(str::to_owned)))
        .collect()
}

pub(super) fn one(url: &str, claim: &str) -> (String, Option<String>) {
    (url.to_owned(), Some(claim.to_owned()))
}

#[test]
fn a_document_is_read_in_the_encoding_it_names() {
    let text = "[1]: https://a.example/1\n\nBäume grow tall [1].";
    let utf8 = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let low: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let high: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(text.encode_utf16())
        .flat_map(u16::to_be_bytes)
        .collect();
    for bytes in [text.as_bytes(), &utf8, &low, &high] {
        assert_eq!(decode(bytes).as_deref(), Ok(text));
    }
    assert_eq!(
        decode(&low[2..]),
        Err(NotText::Bytes),
        "nothing says what it is"
    );
    let latin = b"B\xe4ume grow tall https://a.example/1";
    let text = "Bäume grow tall https://a.example/1";
    assert_eq!(decode(latin).as_deref(), Ok(text));
}

#[test]
fn what_a_reader_would_follow_is_found() {
    let bad = "https://b.example/x";
    for (format, text) in [
        (
            Format::Html,
            "<p>Elms <a href='//b.example/x'>grow</a>.</p>",
        ),
        (
            Format::Html,
            "<p>Elms <a href='http:\\\\b.example\\x'>grow</a>.</p>",
        ),
        (
            Format::Html,
            "<base href='https://b.example/y/'><p>Elms <a href='../x'>grow</a>.</p>",
        ),
        (
            Format::Html,
            "<svg><foreignObject><p>Elms <a href='https://b.example/x'>grow</a>.</p></foreignObject></svg>",
        ),
        (
            Format::Html,
            "<p>Elms <a href='ht&Tab;tps://b.example/x'>grow</a>.</p>",
        ),
        (
            Format::Html,
            "<map><area href='https://b.example/x'></map><p>Elms grow.</p>",
        ),
        (
            Format::Html,
            "<p>Elms grow.</p><iframe src='https://b.example/x'>none</iframe>",
        ),
        (
            Format::Markdown,
            "Elms [grow](ht&Tab;tps://b.example/x) tall.",
        ),
        (
            Format::Markdown,
            "Elms grow <iframe src='https://b.example/x'></iframe> tall.",
        ),
        (Format::Markdown, "Elms [grow](//b.example/x) tall."),
        (Format::Markdown, r"Elms grow at http:\\b.example\x today."),
        (Format::Text, r"Elms grow at http:\\b.example\x today."),
        (
            Format::Tex,
            "The sign \\verb|%| is one. Elms \\href{https://b.example/x}{grow} tall.\n",
        ),
        (
            Format::Notebook,
            r#"{"cells": [{"cell_type": "code", "source": "x", "outputs": [{"data": {"text/html": ["<p>Elms <a href='https://b.example/x'>grow</a>.</p>"]}}]}]}"#,
        ),
    ] {
        let urls: Vec<String> = cited(text, format).into_iter().map(|one| one.url).collect();
        let urls: Vec<String> = urls
            .iter()
            .map(|url| url.replace("http:", "https:"))
            .collect();
        assert_eq!(urls, [bad], "{text}");
    }
}

#[test]
fn what_would_be_read_by_halves_is_refused() {
    let twice = r#"{"text": "Elms (https://b.example/x) grow.", "text": "Oaks grow."}"#;
    assert_eq!(
        read(twice, Format::Json, OPTIONS),
        Err(DocumentError::Repeated)
    );
    let lines = read(twice, Format::Jsonl, OPTIONS).unwrap();
    assert_eq!(lines.bad_lines, [1]);
    let first: Vec<u8> = "\u{feff}A paragraph.\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mixed = [&first[..], b"Elms grow tall (https://b.example/x)."].concat();
    assert_eq!(decode(&mixed), Err(NotText::Encoding));
}

#[test]
fn what_is_no_document_is_refused_by_name() {
    let is_refused = |bytes: &[u8]| matches!(decode(bytes), Err(NotText::Kind(_)));
    assert!(is_refused(b"%PDF-1.4 only ASCII"));
    assert!(is_refused(b"{\\rtf1 text}"));
    for name in ["a.eml", "a.SRT", "a.rtf", "a.pdf"] {
        assert!(matches!(refused(name), Some(NotText::Kind(_))), "{name}");
    }
    for name in ["a.md", "a.org", "a.txt", "README", "a.b/c"] {
        assert_eq!(refused(name), None, "{name}");
    }
    for text in ["{}", "[]", "{\"cells\": 3}"] {
        let read = read(text, Format::Notebook, OPTIONS);
        assert_eq!(read, Err(DocumentError::Notebook), "{text}");
    }
    let read = read("{\"cells\": []}", Format::Notebook, OPTIONS);
    assert!(read.is_ok());
}
