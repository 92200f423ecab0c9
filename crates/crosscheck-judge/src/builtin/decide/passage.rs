//! The part of a long text that a model is shown.

use std::ops::Range;

use super::Case;
use crate::builtin::claim::Claim;
use crate::question::Question;
use crosscheck_language::phrase::Phrase as _;

/// Whole units up to a number of characters: around the quote if it is there,
/// else around the window that shares most with the claim.
pub(in crate::builtin) fn passage(question: &Question<'_>, most: usize) -> Range<usize> {
    let normal = super::with_dashes_apart(question.claim);
    let claim = Claim::of(&normal);
    let case = Case::of(question, &claim, false);
    let units: Vec<Range<usize>> = case.unit_places();
    let mut window = case.quoted(&units).unwrap_or_else(|| case.overlap().units);
    let source = question.text.source();
    let chars = |range: Range<usize>| source.get(range).map_or(0, |text| text.chars().count());
    let span = |units: &[Range<usize>]| match units {
        [first, .., last] => first.start..last.end,
        [only] => only.clone(),
        [] => 0..0,
    };
    let place = |window: &Range<usize>| span(units.get(window.clone()).unwrap_or_default());
    let mut length = chars(place(&window));
    loop {
        let before = window.clone();
        for (head, tail) in [(0, 1), (1, 0)] {
            let wider = window.start.saturating_sub(head)..(window.end + tail).min(units.len());
            let grown = length + chars(place(&wider)).saturating_sub(chars(place(&window)));
            if wider != window && grown <= most {
                (window, length) = (wider, grown);
            }
        }
        if window == before {
            break;
        }
    }
    let place = place(&window);
    let anchor = case.anchor(window, &place);
    cut(source, place, anchor, most)
}

/// Where the unit is that shares most words with the claim, those of names
/// included. The first of equals; none where no unit shares any.
pub(in crate::builtin) fn nearest(question: &Question<'_>) -> Option<Range<usize>> {
    if question.claim.len() > super::MAX_CLAIM_BYTES {
        return None;
    }
    let normal = super::with_dashes_apart(question.claim);
    let claim = Claim::of(&normal);
    let case = Case::of(question, &claim, false);
    let shared = case.held.units().map(|(unit, stems)| (unit, stems.len()));
    let (unit, _) = shared.reduce(|best, one| if one.1 > best.1 { one } else { best })?;
    let unit = case.text.index().units.get(unit)?;
    Some(case.text.source_range(unit.range()))
}

/// If a unit is too long, the part around the anchor.
fn cut(source: &str, place: Range<usize>, anchor: usize, most: usize) -> Range<usize> {
    let text = source.get(place.clone()).unwrap_or_default();
    if text.chars().nth(most).is_none() {
        return place;
    }
    let head = source.get(place.start..anchor).unwrap_or_default();
    let before = head.char_indices().rev().take(most / 2).last();
    let start = before.map_or(head.len(), |(start, _)| start);
    let tail = text.get(start..).unwrap_or_default();
    let end = tail
        .char_indices()
        .nth(most)
        .map_or(tail.len(), |(end, _)| end);
    place.start + start..place.start + start + end
}

impl Case<'_> {
    /// Where the units are in the source.
    fn unit_places(&self) -> Vec<Range<usize>> {
        let units = self.text.index().units.iter();
        units
            .map(|unit| self.text.source_range(unit.range()))
            .collect()
    }

    /// The quote, or the first word of the claim, in a window of units.
    fn anchor(&self, window: Range<usize>, place: &Range<usize>) -> usize {
        let quote = self
            .question
            .quote
            .map(str::trim)
            .filter(|quote| !quote.is_empty());
        let text = self.text.source().get(place.clone()).unwrap_or_default();
        let quoted = quote.and_then(|quote| Some(place.start + text.find(quote)?));
        let word = || {
            window.into_iter().find_map(|number| {
                let unit = self.unit(number);
                let word = (0..unit.count()).find(|word| unit.stem(*word).is_some())?;
                let start = self.text.index().units.get(number)?.range().start;
                let at = start + unit.range(word).start;
                Some(self.text.source_range(at..at + 1).start)
            })
        };
        quoted.or_else(word).unwrap_or(place.start)
    }

    /// The unit in which the quote begins.
    fn quoted(&self, units: &[Range<usize>]) -> Option<Range<usize>> {
        let quote = self
            .question
            .quote
            .map(str::trim)
            .filter(|quote| !quote.is_empty())?;
        let at = self.text.source().find(quote)?;
        let unit = units.partition_point(|unit| unit.end <= at);
        (unit < units.len()).then_some(unit..unit + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Text;

    fn shown(claim: &str, quote: Option<&str>, text: &str, most: usize) -> String {
        let text = Text::new(text);
        let question = Question {
            quote,
            ..Question::new(claim, &text)
        };
        let range = passage(&question, most);
        text.source().get(range).unwrap_or_default().to_owned()
    }

    #[test]
    fn whole_sentences_around_the_best_one_are_shown() {
        let text = "One is here now. Two is here now. The old mill grinds corn. Four is here now. Five is here now.";
        let claim = "The mill grinds corn";
        assert_eq!(
            shown(claim, None, text, 30),
            "e now. The old mill grinds cor"
        );
        assert_eq!(
            shown("Five", Some("grinds"), text, 40),
            "The old mill grinds corn."
        );
        let wide = shown("Five", Some("grinds"), text, 62);
        assert_eq!(
            wide,
            "Two is here now. The old mill grinds corn. Four is here now."
        );
        assert_eq!(shown(claim, None, text, 1000), text);
        assert_eq!(shown(claim, None, "", 10), "");
    }

    #[test]
    fn the_nearest_sentence_shares_most_words_and_is_the_first_of_equals() {
        let text = "Ada Lovelace wrote notes.\n\nThe old mill grinds corn. The mill grinds corn.";
        let near = |claim: &str| {
            let text = Text::new(text);
            let range = nearest(&Question::new(claim, &text))?;
            text.source().get(range).map(|near| near.trim().to_owned())
        };
        let mill = near("The mill grinds wheat and corn");
        assert_eq!(mill.as_deref(), Some("The old mill grinds corn."));
        let ada = near("Ada Lovelace built a bridge");
        assert_eq!(ada.as_deref(), Some("Ada Lovelace wrote notes."));
        assert_eq!(near("Whales sing"), None);
    }
}
