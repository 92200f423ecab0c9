//! Stems: words that differ only in their ending share one (judge T5).

use super::super::lexicon::{Entry, LEXICON};
use super::words::{Style, each_word, is_content};

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
pub(in crate::builtin) fn stem_into(word: &str, entry: Option<&Entry>, stem: &mut String) {
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
    drop_plural(stem);
    drop_tense(stem);
    if stem.len() > 4 && stem.ends_with("ly") {
        stem.truncate(stem.len() - 2);
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
}

fn drop_plural(stem: &mut String) {
    let len = stem.len();
    if len > 4 && (stem.ends_with("ies") || stem.ends_with("ied")) {
        stem.truncate(len - 3);
        stem.push('y');
    } else if stem.ends_with("sses") {
        stem.truncate(len - 2);
    } else if len > 3
        && stem.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| stem.ends_with(end))
    {
        stem.pop();
    }
}

fn drop_tense(stem: &mut String) {
    let len = stem.len();
    if len > 5 && stem.ends_with("ing") {
        stem.truncate(len - 3);
    } else if len > 4 && stem.ends_with("ed") {
        stem.truncate(len - 2);
    } else {
        return;
    }
    let mut ends = stem.bytes().rev();
    let (last, before) = (ends.next(), ends.next());
    let doubled = last == before
        && last
            .is_some_and(|letter| letter.is_ascii_alphabetic() && !b"aeioulsz".contains(&letter));
    if stem.len() > 2 && doubled {
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
