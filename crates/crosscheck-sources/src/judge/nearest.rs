//! The sentence of a page that comes nearest to a claim it does not confirm.

use std::ops::Range;

use crosscheck_fetch::address::shown_in_text;
use crosscheck_judge::Question;
use crosscheck_judge::builtin::nearest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::observe::PageSeen;
use crate::words::{cut, one_line};

const TEXT_MAX: usize = 400;

/// What the page says instead, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Nearest {
    /// The sentence, on one line.
    pub text: String,
    /// The paragraph of the page's text it is in, from 1; none for the title.
    pub paragraph: Option<usize>,
}

impl Nearest {
    /// The part of the page that decided, else the sentence that shares most
    /// words with the first of these texts that shares any, else the title.
    pub(super) fn of(page: &PageSeen, decided: Option<&str>, words: &[&str]) -> Option<Self> {
        let source = page.text.source();
        let decided = decided.filter(|span| !span.is_empty()).and_then(|span| {
            let start = memchr::memmem::find(source.as_bytes(), span.as_bytes())?;
            Some(start..start + span.len())
        });
        let shared = || {
            let near = |words: &&str| nearest(&Question::new(words, &page.text));
            words.iter().find_map(near)
        };
        if let Some(range) = decided.or_else(shared) {
            return Some(Self::at(source, range));
        }
        let title = page
            .page
            .title
            .as_deref()
            .or(page.page.heading.as_deref())?;
        Some(Self {
            text: shown_text(title),
            paragraph: None,
        })
        .filter(|near| !near.text.is_empty())
    }

    fn at(source: &str, range: Range<usize>) -> Self {
        let before = source.get(..range.start).unwrap_or_default();
        let ends = memchr::memmem::find_iter(before.as_bytes(), b"\n\n");
        Self {
            paragraph: Some(ends.count() + 1),
            text: shown_text(source.get(range).unwrap_or_default()),
        }
    }

    /// Where it is, in words.
    pub fn place(&self) -> String {
        self.paragraph.map_or_else(
            || "title".to_owned(),
            |number| format!("paragraph {number}"),
        )
    }
}

fn shown_text(text: &str) -> String {
    cut(&one_line(&shown_in_text(text)), TEXT_MAX)
}

#[cfg(test)]
mod tests {
    use crosscheck_fetch::text::Page;

    use super::*;

    fn near(decided: Option<&str>, words: &[&str]) -> Option<(String, String)> {
        let page = Page {
            text: "Trees of the town\n\nA survey counted trees. It ended in May.\n\nShade cools."
                .to_owned(),
            title: Some("The town's trees".to_owned()),
            ..Page::default()
        };
        let page = PageSeen::new(page, false, None);
        let near = Nearest::of(&page, decided, words)?;
        Some((near.place(), near.text))
    }

    #[test]
    fn the_nearest_sentence_is_named_with_its_paragraph() {
        let said = |place: &str, text: &str| Some((place.to_owned(), text.to_owned()));
        let ended = said("paragraph 2", "It ended in May.");
        assert_eq!(
            near(None, &["The survey ended in June."]),
            said("paragraph 2", "A survey counted trees.")
        );
        assert_eq!(near(None, &["It ended in June."]), ended);
        assert_eq!(near(Some("It ended in May."), &["Shade"]), ended);
        assert_eq!(
            near(None, &["no such", "Shade is warm"]),
            said("paragraph 3", "Shade cools.")
        );
        assert_eq!(
            near(None, &["Whales sing."]),
            said("title", "The town's trees")
        );
    }
}
