//! Sentences that begin with a small letter or with code: `iPhone users …`,
//! `` `fast_sync` was … ``.

use std::borrow::Cow;

use crate::pattern::pattern;
use regex::Captures;

/// Reads as a capital letter, and is taken out again.
const CAPITAL: &str = "A\u{e010}";

pattern! {
    /// A name that is written small, behind the end of a sentence: code, a capital letter
    /// inside the word, or an underscore.
    NAME,
    {
        let end = r#"[.!?]["')\]]*(?:\s*\[\^?[0-9]{1,3}\])*\s+["'(]?"#;
        let name = r"`|\p{Ll}{1,3}\p{Lu}\p{L}|[\p{Ll}\d]+_[\p{Ll}\d_]*|\p{Ll}[\w:]*\(\)";
        format!("({end})({name})")
    }
}

/// The text with a capital letter in front of such names.
pub(crate) fn with_capitals(text: &str) -> Cow<'_, str> {
    if !text.contains(['.', '!', '?']) {
        return Cow::Borrowed(text);
    }
    NAME.replace_all(text, |parts: &Captures<'_>| {
        let part = |at| parts.get(at).map_or("", |part| part.as_str());
        format!("{}{CAPITAL}{}", part(1), part(2))
    })
}

/// The same without them.
pub(crate) fn without_capitals(text: &str) -> Cow<'_, str> {
    if text.contains(CAPITAL) {
        Cow::Owned(text.replace(CAPITAL, ""))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::read::sentence::Sentence;

    #[test]
    fn a_sentence_may_begin_with_a_small_letter_or_with_code() {
        for second in [
            "iPhone users cannot join [1].",
            "`fast_sync` has been removed [1].",
            "fast_sync has been removed [1].",
            "macOS is not supported [1].",
            "eBay sold it [1].",
            "open() fails now [1].",
        ] {
            let text = format!("A version for tablets is planned. {second}");
            let all = Sentence::all(&text);
            let written: Vec<&str> = all.iter().map(|one| one.written.as_str()).collect();
            assert_eq!(written, ["A version for tablets is planned.", second]);
        }
        for text in [
            "Phones, e.g. iPhones, cannot join.",
            "It costs approx. iPhone prices.",
            "Oaks grow approx. two metres.",
        ] {
            assert_eq!(Sentence::all(text).len(), 1, "{text}");
        }
        let marked = Sentence::all("It is planned. [1] iPhone users cannot join. [2]");
        let marks: Vec<_> = marked.iter().map(|one| one.marks.clone()).collect();
        assert_eq!(marks, [[1], [2]]);
    }
}
