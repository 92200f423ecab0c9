//! Quotations as scholars write them: shortened, and fitted into a sentence.

use crate::pattern::pattern;

/// Fewer words in all could be on any page.
const WORDS_MIN: usize = 3;

pattern! {
    /// A letter in brackets, changed to fit the sentence: `[w]e`.
    FITTED, r"\[(\p{L})\](\p{L})"
}

pattern! {
    /// What is between two pieces of the quoted text.
    CUT, r"(?i)\s*(?:\[[^\]]{0,80}\]|\(\s*(?:\.\.\.|…|sic)!?\s*\)|\.\.\.+|…|\s[-–—]+\s|[–—])[.,;]?\s*"
}

/// What of a quotation must be on the page: the text between what was left out
/// (`…`, `[...]`), added (`[the city]`, `(sic)`) or set off by dashes. None where
/// nothing of that kind is in it, or too little is left.
pub(super) fn parts(quotation: &str) -> Vec<String> {
    let whole = FITTED.replace_all(quotation, "$1$2");
    let pieces = CUT.split(&whole).map(str::trim);
    let pieces: Vec<String> = pieces
        .filter(|piece| !piece.is_empty())
        .map(str::to_owned)
        .collect();
    let words = pieces.iter().map(|piece| piece.split_whitespace().count());
    let is_adapted = pieces != [quotation];
    if is_adapted && words.sum::<usize>() >= WORDS_MIN {
        pieces
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use crosscheck_judge::Text;

    use super::*;

    #[test]
    fn what_was_left_out_or_added_need_not_be_on_the_page() {
        let page =
            Text::new("Then she said: We will plant more trees - lots of them - in the city.");
        for (quotation, expected) in [
            ("we will plant … in the city", true),
            ("We will plant more trees [...] in the city", true),
            ("[w]e will plant more trees", true),
            ("we will plant [even] more trees", true),
            ("we will plant more trees (sic)", true),
            ("more trees—lots of them—in the city", true),
            ("we will plant … in the country", false),
            ("in the city … we will plant", false),
            ("[w]e will fell more trees", false),
            ("we will plant trees", false),
        ] {
            let found = page.quotes(quotation) || {
                let parts = parts(quotation);
                !parts.is_empty() && page.quotes_in_order(&parts)
            };
            assert_eq!(found, expected, "{quotation}");
        }
    }
}
