//! What is under the title of a list of sources: an entry, or a sentence
//! that cites one. A document may be called `Notes`, and notes may tell something.

use std::ops::Range;

use crosscheck_judge::builtin::has_figure;

use super::claims::PLACE;
use super::naming::{Lead, SIGN, beside, is};
use super::shape::is_entry;
use super::silent::{front_matter, links_in};
use super::structure::{DocumentParts, Heading};
use crate::pattern::pattern;

/// What a piece of text with a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    /// It names a source.
    Entry,
    /// It may name one or tell something.
    Doubtful,
    /// It tells something.
    Sentence,
}

/// Words without which few words tell something.
const VERBS: [&str; 50] = [
    "is", "are", "was", "were", "has", "have", "had", "will", "would", "can", "cannot", "could",
    "may", "must", "should", "does", "do", "did", "fell", "rose", "grew", "said", "says", "won",
    "lost", "began", "became", "made", "cut", "costs", "cost", "led", "ran", "sold", "shows",
    "found", "gave", "took", "went", "came", "held", "paid", "built", "wrote", "left", "kept",
    "ist", "sind", "war", "hat",
];
pattern! {
    /// How a sentence begins that names its source first.
    NAMES, r"(?i)^(?:according to|as|per|in|laut|selon)\b"
}
pattern! {
    /// How a sentence goes on behind its source: ` says that …`.
    GOES_ON, r"^ (?:\p{Ll}+s|has|have|had|is|was|are|were|will|can) "
}

pattern! {
    /// A sentence that leads to what follows it.
    LEADS_ON,
    r"(?i)^(?:see|check|visit|read|try|use|click|download|find|learn|browse|consult|refer|take a look|have a look|for )\b|\b(?:the following|here (?:is|are)|here's|these (?:links|pages|resources|articles|papers|posts|guides|docs)|(?:links?|resources|reading|references|documentation|tutorials?|articles) (?:on|about|for|to)|more information|further reading)\b"
}

/// The title of the whole document: nothing comes before it, and all other headings
/// lie below it.
pub(super) fn document_title<'s>(text: &str, seen: &'s DocumentParts) -> Option<&'s Heading> {
    let first = seen.headings.iter().min_by_key(|one| one.range.start)?;
    let front = front_matter(text).end;
    let is_before = |block: &Range<usize>| block.start >= front && block.end <= first.range.start;
    let is_below = |one: &Heading| one.level > first.level || one.range == first.range;
    let is_title = seen.headings.iter().all(is_below) && !seen.blocks.iter().any(is_before);
    is_title.then_some(first)
}

/// What a piece under the title of a list is; `is_prose` where that title is the one of the
/// document.
pub(super) fn telling(
    text: &str,
    seen: &DocumentParts,
    range: &Range<usize>,
    is_prose: bool,
) -> Telling {
    const WORDS_MIN: usize = 3;
    let words = beside(text, seen, range);
    let sign = SIGN.find(&words);
    let body = words.get(sign.map_or(0, |sign| sign.end())..);
    let body = body.unwrap_or_default().trim();
    let Some((before, after)) = body.split_once(PLACE) else {
        // only a number is linked
        let is_stated = is_prose
            && is_sentence(body, Lead::Label) == Some(true)
            && !is_entry(body, false)
            && !is_in_title_case(body);
        return if is_stated {
            Telling::Sentence
        } else {
            Telling::Entry
        };
    };
    let is_open = |open, close| before.matches(open).count() > before.matches(close).count();
    let in_brackets = is_open('(', ')');
    let own = match before.rfind('(').filter(|_| in_brackets) {
        Some(at) => before.get(..at).unwrap_or_default(),
        None => before,
    };
    let own = own
        .trim()
        .trim_end_matches(['*', '_', '[', ' ', ':', '-', '–', '—']);
    let is_quoted = own.starts_with(['"', '“', '«', '„', '*', '_']);
    let link = links_in(seen, range).into_iter().next();
    if is_entry(body, in_brackets) {
        return Telling::Entry;
    }
    if count(own) < WORDS_MIN {
        return behind(before, after, is_prose);
    }
    let is_ended = own
        .trim_end_matches(['"', '”', '\'', '*', '_'])
        .ends_with(['.', '!', '?', '。']);
    let has_title = link.is_some_and(|link| !link.bare && count(&link.title) >= WORDS_MIN);
    let is_plain = !is_quoted && !is_in_title_case(own);
    let has_verb = is_plain && verb(own).is_some();
    let is_sure = is_plain && verb(own) == Some(true);
    let is_closed = after.trim_end().ends_with(['.', '!', '?', '。']);
    let is_stated = match (in_brackets, is_prose) {
        (true, false) => is_sure || has_verb && is_closed,
        (true, true) => is_sure || is_plain && is_closed,
        (false, true) => is_sure && has_title || has_verb && is_ended,
        (false, false) => false,
    };
    let is_linked = link.is_some_and(|link| !link.bare);
    let may_tell = tells(own) && (is_linked || is_ended || is_prose) || is_ended && has_title;
    match () {
        () if is_stated => Telling::Sentence,
        () if in_brackets || may_tell => Telling::Doubtful,
        () => Telling::Entry,
    }
}

/// What a piece is whose words are behind its link.
fn behind(before: &str, after: &str, is_prose: bool) -> Telling {
    const WORDS_MIN: usize = 4;
    let rest = after.split(['.', '!', '?']).next().unwrap_or_default();
    let is_ended = after.trim_end().ends_with(['.', '!', '?', '。']);
    if count(rest) < WORDS_MIN || !tells(rest) || !is_ended {
        return Telling::Entry;
    }
    let is_named = is(&NAMES, before) || !before.is_empty() && is(&GOES_ON, after);
    if is_prose && is_named {
        Telling::Sentence
    } else {
        Telling::Doubtful
    }
}

fn count(words: &str) -> usize {
    let wide = words.chars().filter(|c| *c >= '\u{2e80}').count();
    let words = words.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).count() + wide / 3
}

/// Whether words have a verb or a figure.
fn tells(words: &str) -> bool {
    has_figure(words) || verb(words).is_some()
}

/// Whether words have a verb: a known one, or one that may be no verb.
pub(super) fn verb(words: &str) -> Option<bool> {
    let all = || words.split(|c: char| !c.is_alphanumeric());
    let may_be = |word: &str| word.len() > 4 && word.ends_with("ed");
    let is_known = all().any(|word| VERBS.contains(&word));
    (is_known || all().any(may_be)).then_some(is_known)
}

/// Whether the words of a link are a statement rather than a title.
pub(super) fn states(title: &str) -> bool {
    let verb = verb(title);
    verb == Some(true) || verb.is_some() && has_figure(title)
}

/// Whether most words begin with a capital letter, as in titles.
fn is_in_title_case(words: &str) -> bool {
    const SMALL: usize = 4;
    let words = words.split_whitespace().skip(1);
    let words = words.filter(|word| word.chars().count() >= SMALL);
    let (large, small): (Vec<&str>, Vec<&str>) = words.partition(|word| {
        word.trim_start_matches(|c: char| !c.is_alphanumeric())
            .starts_with(char::is_uppercase)
    });
    large.len() > small.len()
}

/// Whether words state something, and whether they leave no doubt that they do.
pub(super) fn is_sentence(words: &str, lead: Lead) -> Option<bool> {
    const WORDS_MIN: usize = 4;
    const WIDE_MIN: usize = 8;
    let count = words.split_whitespace().count();
    let end = words.trim_end_matches(['"', '”', '’', '\'', ')', ']', '*', '_']);
    let is_ended = end.ends_with(['.', '!', '。', '！', '…']);
    if lead == Lead::Source && is_ended && count > 2 {
        return Some(true);
    }
    let wide = words.chars().filter(|c| *c >= '\u{2e80}').count();
    if (count < WORDS_MIN && wide < WIDE_MIN) || words.ends_with([':', '?']) {
        return None;
    }
    if matches!(lead, Lead::Label | Lead::More) && is(&LEADS_ON, words) {
        return None;
    }
    if is_ended {
        return Some(true);
    }
    (lead != Lead::Label || tells(words)).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::super::tests::cited as read;
    use super::super::{Format, Mention};

    const FACT: &str = "Meridian shares rose 2.3 percent to 17.40 euros.";
    const LINK: &str = "[Court upholds ruling against Meridian](https://a.example/x)";
    const TITLES: [&str; 6] = [
        "Notes",
        "Sources",
        "Further reading",
        "Bibliography",
        "Footnotes",
        "References",
    ];

    #[test]
    fn the_title_of_a_document_makes_no_list_of_its_sentences() {
        for title in TITLES {
            for form in [
                "Meridian shares rose 2.3 percent to 17.40 euros (LINK).",
                "- Meridian shares rose 2.3 percent to 17.40 euros (LINK).",
                "1. Meridian shares rose 2.3 percent to 17.40 euros (LINK).",
                "FACT LINK",
                "- FACT LINK",
                "FACT\n\nSource: LINK",
                "- FACT\n  - LINK",
                "## Details\n\n- FACT LINK",
                "## Details\n\nFACT\n\nSource: LINK",
                "Oaks grow. Elms\ngrow. Meridian shares rose 2.3 percent\nto 17.40 euros (LINK).",
            ] {
                let text = format!("# {title}\n\n{form}\n");
                let text = text.replace("FACT", FACT).replace("LINK", LINK);
                let seen = read(&text, Format::Markdown);
                let claims: Vec<_> = seen
                    .iter()
                    .map(|one| (one.claim.as_deref(), one.is_loose))
                    .collect();
                assert_eq!(claims, [(Some(FACT), false)], "{text}");
            }
        }
        let link = "<a href=\"https://a.example/x\">Court upholds ruling against Meridian</a>";
        let text = format!(
            "<html><body><h1>Notes</h1><p>Meridian shares rose 2.3 percent to 17.40 euros ({link}).</p></body></html>"
        );
        let seen = read(&text, Format::Html);
        assert_eq!(seen[0].claim.as_deref(), Some(FACT), "{seen:?}");
        let said =
            "According to Court upholds ruling against Meridian, shares were sold for 17.40 euros.";
        let text = format!("# Notes\n\nAccording to {LINK}, shares were sold for 17.40 euros.\n");
        let seen = read(&text, Format::Markdown);
        assert_eq!(seen[0].claim.as_deref(), Some(said));
    }

    #[test]
    fn a_sentence_with_a_linked_number_is_no_entry_below_the_title_of_a_document() {
        let link = "<a href=\"https://a.example/x\">[1]</a>";
        for title in TITLES {
            let text = format!("<h1>{title}</h1><p>About 31,000 cars cross it a day. {link}</p>");
            let seen = read(&text, Format::Html);
            let claim = seen[0].claim.as_deref();
            assert_eq!(claim, Some("About 31,000 cars cross it a day."), "{title}");
        }
        let entry = "Okafor, N. (2019). Rooftop beekeeping census, 4th printing.";
        let seen = read(
            &format!("<h1>Notes</h1><p>{entry} {link}</p>"),
            Format::Html,
        );
        assert!(seen[0].entry.is_some(), "{seen:?}");
    }

    #[test]
    fn entries_without_a_heading_accuse_no_one_beside_prose() {
        for entry in [
            "Okafor, N., & Ito, T. (2023). *Bridges: 48 cases*. Bridges, 14(3), 201–219. https://a.example/x",
            "Moreau, Claire. \"Ferries Were Never Late.\" *Quarterly*, vol. 8, 2023, pp. 201–19, https://a.example/x.",
            "Moreau, Claire. 2019. \"Pumps of 3.2 kW.\" Pump World 8 (2): 201–19. https://a.example/x.",
        ] {
            let text = format!("# Trees\n\nTrees cool cities.\n\n{entry}\n");
            let seen = read(&text, Format::Markdown);
            let is_free = |one: &Mention| one.is_loose || one.entry.is_some();
            assert!(!seen.is_empty() && seen.iter().all(is_free), "{seen:?}");
        }
        let sentence = "Oaks fell by 5 percent, https://a.example/x.";
        let seen = read(
            &format!("Trees cool cities.\n\n{sentence}\n"),
            Format::Markdown,
        );
        assert!(!seen[0].is_loose && seen[0].entry.is_none(), "{seen:?}");
    }

    #[test]
    fn a_sentence_is_no_entry_below_any_title_of_a_list() {
        for title in TITLES {
            for (form, is_loose) in [
                (
                    "Meridian shares rose 2.3 percent to 17.40 euros (LINK).",
                    false,
                ),
                (
                    "- Meridian shares rose 2.3 percent to 17.40 euros (LINK).",
                    false,
                ),
                ("- FACT LINK", true),
                ("FACT LINK", true),
                ("- FACT\n  - LINK", true),
                ("FACT\n\nSource: LINK", true),
            ] {
                let text = format!("# Report\n\nOaks grow.\n\n## {title}\n\n{form}\n");
                let text = text.replace("FACT", FACT).replace("LINK", LINK);
                let seen = read(&text, Format::Markdown);
                let claims: Vec<_> = seen
                    .iter()
                    .map(|one| (one.claim.as_deref(), one.is_loose))
                    .collect();
                assert_eq!(claims, [(Some(FACT), is_loose)], "{text}");
            }
        }
    }

    #[test]
    fn a_sentence_with_an_uncited_number_is_not_a_sure_entry() {
        for form in [
            "# Notes\n\n[1] FACT (LINK)\n\n[2] Elms were cut (LINK).\n",
            "# Town\n\nOaks grow.\n\n[^1]: FACT LINK\n",
        ] {
            let text = form.replace("FACT", FACT).replace("LINK", LINK);
            let is_sure = |one: &Mention| one.entry.as_ref().is_some_and(|one| one.is_certain);
            let seen = read(&text, Format::Markdown);
            assert!(!seen.is_empty() && !seen.iter().any(is_sure), "{seen:?}");
        }
    }

    #[test]
    fn entries_stay_entries_below_the_title_of_a_document() {
        for entry in [
            "Okafor, N. (2019). Rooftop beekeeping census, 4th printing. https://a.example/x",
            "Moreau, Claire. \"Island Ferries Were Late.\" *Island Quarterly*, 14 June 2023, https://a.example/x.",
            "Moreau, Claire. 2023. \"Island Ferry Punctuality.\" Island Quarterly 8 (2): 201–19. https://a.example/x.",
            "City of Harrow. (2024). [Annual report](https://a.example/x).",
            "[Court upholds ruling against Meridian](https://a.example/x)",
            "[Court upholds ruling against Meridian](https://a.example/x) - Harbour Times, 3 May 2024",
            "[ripgrep](https://a.example/x) - a fast search tool",
            "Rooftop beekeeping census. [Harbour Office](https://a.example/x)",
            "*Rooftop beekeeping census* [PDF](https://a.example/x)",
            "Harbour tram ridership: https://a.example/x",
            "Harbour Office, [Harbour tram ridership](https://a.example/x), 2023",
        ] {
            for text in [
                format!("# Bibliography\n\n- {entry}\n"),
                format!("# Bibliography\n\n{entry}\n"),
                format!("# Report\n\nOaks grow.\n\n## Notes\n\n- {entry}\n"),
            ] {
                let seen = read(&text, Format::Markdown);
                assert!(
                    seen.iter().all(|one| one.entry.is_some()),
                    "{text}: {seen:?}"
                );
            }
        }
        for title in [
            "Introduction to distributed systems ([PDF](https://a.example/x))",
            "Annual report 2023 ([PDF](https://a.example/x))",
            "The Rust Programming Language ([website](https://a.example/x))",
            "Court of appeal upholds ruling ([Harbour Times](https://a.example/x))",
            "Court of appeal upheld the ruling. [Harbour Times](https://a.example/x)",
            "[ripgrep](https://a.example/x) is a fast search tool that was written in Rust.",
        ] {
            let text = format!("# Report\n\nOaks grow.\n\n## Further reading\n\n- {title}\n");
            let seen = read(&text, Format::Markdown);
            assert!(
                seen.iter().all(|one| one.is_loose || one.entry.is_some()),
                "{text}: {seen:?}"
            );
        }
    }
}
