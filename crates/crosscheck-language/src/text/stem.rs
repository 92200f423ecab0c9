//! Stems: words that differ only in their ending share one (judge T5).

use super::words::{Style, each_word, is_content};
use crate::lexicon::{LEXICON, WordEntry};

/// The stems of a normal text, in order, with repetitions.
pub fn stems(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut stem = String::new();
    each_word(text, Style::Text, &mut |word, _| {
        let entry = LEXICON.word(word);
        if is_content(word, entry) {
            stem_into(word, entry, &mut stem);
            found.push(stem.clone());
        }
    });
    found
}

/// Writes the stem of a word into `stem`.
pub fn stem_into(word: &str, entry: Option<&WordEntry>, stem: &mut String) {
    stem.clear();
    if !word.is_ascii() {
        stem.push_str(word);
        return;
    }
    let synonym = entry
        .and_then(|entry| entry.synonym.as_deref())
        .or_else(|| {
            let singular = LEXICON.word(word.strip_suffix('s')?)?;
            singular.synonym.as_deref()
        });
    stem.push_str(synonym.unwrap_or(word));
    // Every ending ends in one of these.
    if !matches!(stem.as_bytes(), [.., b's' | b'd' | b'g' | b'y' | b'e']) {
        return;
    }
    drop_plural(stem);
    drop_tense(stem);
    if matches!(stem.as_bytes(), [_, _, _, .., b'l', b'y']) {
        stem.truncate(stem.len() - 2);
    }
    if matches!(stem.as_bytes(), [_, _, _, .., b'e']) {
        stem.pop();
    }
}

fn drop_plural(stem: &mut String) {
    let len = stem.len();
    match stem.as_bytes() {
        [_, _, .., b'i', b'e', b's' | b'd'] => {
            stem.truncate(len - 3);
            stem.push('y');
        }
        [.., b's', b's', b'e', b's'] => stem.truncate(len - 2),
        [.., b's' | b'u' | b'i', b's'] => {}
        [_, _, _, .., b's'] => {
            stem.pop();
        }
        _ => {}
    }
}

fn drop_tense(stem: &mut String) {
    let len = stem.len();
    match stem.as_bytes() {
        [_, _, _, .., b'i', b'n', b'g'] => stem.truncate(len - 3),
        [_, _, _, .., b'e', b'd'] => stem.truncate(len - 2),
        _ => return,
    }
    if let [_, .., before, last] = stem.as_bytes()
        && before == last
        && last.is_ascii_alphabetic()
        && !b"aeioulsz".contains(last)
    {
        stem.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(word: &str) -> String {
        let mut stem = String::new();
        stem_into(word, LEXICON.word(word), &mut stem);
        stem
    }

    #[test]
    fn stems_follow_the_steps_in_order() {
        let table = [
            ("retries", "retry"),
            ("tied", "tied"),
            ("applied", "app"),
            ("classes", "class"),
            ("status", "status"),
            ("this", "this"),
            ("gas", "gas"),
            ("logs", "log"),
            ("running", "run"),
            ("calling", "call"),
            ("missing", "miss"),
            ("ring", "ring"),
            ("committed", "commit"),
            ("added", "ad"),
            ("need", "need"),
            ("quickly", "quick"),
            ("service", "servic"),
            ("services", "servic"),
            ("dbs", "databas"),
            ("max", "maximum"),
            ("größe", "größe"),
            ("13th", "13th"),
        ];
        for (word, expected) in table {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn words_without_content_have_no_stem() {
        assert_eq!(
            stems("The 3 million x isn't never two hundred retries of 日 in C"),
            ["retry", "日", "C"]
        );
    }
}
