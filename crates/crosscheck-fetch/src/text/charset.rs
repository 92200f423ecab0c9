//! Bytes to text: the header's charset, then the page's own, then UTF-8.

use encoding_rs::{Encoding, UTF_8};

/// Browsers search this far for the page's own charset.
const META_WITHIN: usize = 4096;

/// Decodes a body; invalid bytes become U+FFFD.
pub(super) fn decode(content_type: Option<&str>, body: &[u8], meta: bool) -> String {
    let encoding = content_type
        .and_then(|value| label_in(value.as_bytes()))
        .or_else(|| meta.then(|| label_in_meta(body)).flatten())
        .unwrap_or(UTF_8);
    encoding.decode(body).0.into_owned()
}

/// The encoding after `charset=`.
fn label_in(text: &[u8]) -> Option<&'static Encoding> {
    let text = String::from_utf8_lossy(text).to_ascii_lowercase();
    let after = text
        .split_once("charset")?
        .1
        .trim_start()
        .strip_prefix('=')?;
    let label = after.trim_start().trim_start_matches(['"', '\'']);
    let label = label
        .split(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)))
        .next()?;
    Encoding::for_label(label.as_bytes())
}

fn label_in_meta(body: &[u8]) -> Option<&'static Encoding> {
    let start = body.get(..body.len().min(META_WITHIN)).unwrap_or_default();
    let text = String::from_utf8_lossy(start).to_ascii_lowercase();
    text.split("<meta")
        .skip(1)
        .find_map(|tag| label_in(tag.split('>').next().unwrap_or_default().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_wins_over_the_page_and_the_page_over_utf_8() {
        let latin = b"<meta charset=\"iso-8859-1\">caf\xe9";
        assert!(decode(None, latin, true).ends_with("café"));
        assert!(decode(Some("text/html; charset=\"UTF-8\""), latin, true).ends_with("caf\u{fffd}"));
        assert!(decode(Some("text/html"), "café".as_bytes(), true).ends_with("café"));
        let equiv = b"<META http-equiv=Content-Type content='text/html; charset=windows-1251'>\xcf";
        assert!(decode(None, equiv, true).ends_with('П'));
    }
}
