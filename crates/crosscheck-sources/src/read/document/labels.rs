//! Links whose words only say where something is from: `([source](u))`,
//! `([Smith, 2020](u))`. They are not part of the claim.

use std::ops::Range;

use crosscheck_judge::builtin::has_figure;

use super::asides::{is_dated, is_paged};
use super::claims::{Edit, Reads};
use super::shape::LETTERS;
use super::structure::{DocumentParts, Link};
use crate::pattern::{Pattern, pattern};

/// What may be around links in brackets, besides them.
const AROUND_MAX: usize = 60;
/// A label in brackets with more words says something.
const WORDS_MAX: usize = 12;

pattern! {
    BEFORE,
    r"(?i)[(\[（](?:\s|see|also|sources?|refs?|references?|via|cf\.?|e\.g\.|from|per|data|in|by|at|and|link|quelle|siehe|vgl\.?|[:,;&*_])*$"
}
pattern! {
    BETWEEN,
    r"(?i)^(?:\s|and|see|also|via|und|[,;&/|·*_]|,?\s*\(?(?:19|20)[0-9][0-9][a-z]?\)?|pp?\.\s?[0-9]+(?:[–-][0-9]+)?)*$"
}
pattern! {
    BEHIND,
    r"(?i)^(?:\s|[,;*_]|\+[0-9]{1,2}|\(?(?:19|20)[0-9][0-9][a-z]?\)?|pp?\.\s?[0-9]+(?:[–-][0-9]+)?|§+\s?[0-9]+)*[)\]）]"
}
pattern! {
    /// A word for a source, or an identifier.
    CITATION,
    {
        let word =
            r"sources?|links?|refs?|references?|here|pdf|doi|archived?|citation|quelle|来源|出典";
        let id = r"(?i:arxiv[:\s]\s*(?:[0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?|[a-z-]+(?:\.[a-z]{2})?/[0-9]{7})(?:\s*\[[\w.-]+\])?|doi[:\s]\s*10\.\S+|10\.[0-9]{4,9}/\S+|pmid[:\s]\s*[0-9]+|pmc[0-9]+)";
        format!(
            r"^[\s\[(*_]*(?:(?i:(?:{word})\s*(?:#|no\.?)?\s*[0-9]{{0,3}})|{id})[\s\])*_.]*$"
        )
    }
}
pattern! {
    /// Author and year.
    AUTHOR,
    {
        let name =
            format!(r"(?:(?:van|von|de|der|den|la|le|di|du|al) +){{0,3}}\p{{Lu}}[{LETTERS}'’.-]*");
        let year = r"\(?(?:(?:19|20)[0-9][0-9][a-z]?|n\.\s?d\.)\)?";
        let page = r"(?:,?\s*(?:pp?\.|§|ch\.|sec\.)\s?[[0-9].–-]+)?";
        format!(
            r"^[\s\[(*_]*{name}(?:(?:,|\s+(?:and|&|et al\.?,?|und|y|et))*\s+{name}|\s+et al\.?)*(?:,\s*{year}|\s*\({year}\)){page}[\s\])*_.]*$"
        )
    }
}
pattern! {
    /// The name of a site.
    SITE,
    format!(
            r"^(?:[{LETTERS}0-9-]+\.)+[{LETTERS}]{{2,}}(?:/\S*)?$"
        )
}

pattern! {
    /// A sentence, and the beginning of a line below it.
    SENTENCE_ABOVE, r#"(?i)[.!]["”’)*_\\]*[ \t]*(?:<br\s*/?>\s*|\r?\n)[ \t>*_]*$"#
}
pattern! {
    /// The end of a block, or another link.
    BLOCK_ENDS, r"^[*_ \t]*(?:$|</|\r?\n[ \t>]*(?:\r?\n|$|[-*\[]))"
}

pattern! {
    /// The number of an issue or a change, or the name of a commit.
    TICKET,
    r"^[`(]*(?:(?i:(?:gh|pr|mr|issue|pull(?: request)?|merge request|bug|ticket|cl|commit)\s?[-#]?\s?[0-9]+)|[A-Za-z0-9_./-]*[#!][0-9]+|[0-9a-f]*(?:[0-9][a-f]|[a-f][0-9])[0-9a-f]*)[`)]*$"
}

/// Whether a URL is what a line defines, `[label]: https://…`, although a
/// broken line before it makes a paragraph of them.
pub(super) fn defines(text: &str, at: usize) -> bool {
    let head = text.get(..at).unwrap_or_default();
    if !head.trim_end().ends_with("]:") {
        return false; // a line can be the whole document, so it is looked for last
    }
    let line = head.rsplit('\n').next().unwrap_or_default();
    let label = line
        .trim()
        .strip_suffix(':')
        .and_then(|label| label.strip_prefix('['));
    label.is_some_and(|label| label.ends_with(']') && !label.starts_with('^'))
}

/// Takes labels out of what is read. Where their words may belong to the sentence,
/// they stay as doubtful ones.
pub(super) fn remove(text: &str, seen: &mut DocumentParts) {
    let groups = groups(text, &seen.links).into_iter().map(|range| {
        let with = if is_sure_group(text, &seen.links, &range) {
            Reads::Nothing
        } else {
            Reads::Doubtful(read_group(text, &seen.links, &range))
        };
        (range, with)
    });
    let words = seen.links.iter().filter(|link| !link.bare && !link.is_mark);
    let alone = words.filter_map(|link| {
        let with = if is_behind_sentence(text, link) {
            Reads::Mark
        } else if Chip::of(text, link).is_some_and(|chip| chip.is_sure)
            || is_glued(text, link)
            || is_citation(&link.title) && is_sure(text, link)
        {
            Reads::Nothing
        } else if is_citation(&link.title)
            || is_dated(&link.title) && ends(text, link) && !is_attached(text, link.range.start)
            || is_title_behind_sentence(text, link)
            || is_title_on_last_line(text, link)
        {
            Reads::Doubtful(doubtful(&link.title))
        } else {
            return None;
        };
        Some((link.range.clone(), with))
    });
    let chips = seen.links.iter().filter_map(|link| {
        let Chip { range, is_sure } = Chip::of(text, link)?;
        let written = text.get(range.clone())?.to_owned();
        let with = if is_sure {
            Reads::Nothing
        } else {
            Reads::Doubtful(written)
        };
        Some((range, with))
    });
    let edits: Vec<(Range<usize>, Reads)> = groups.chain(alone).chain(chips).collect();
    let edits = edits.into_iter().map(|(range, with)| Edit { range, with });
    seen.edits.extend(edits);
    super::claims::sort(&mut seen.edits);
}

/// Whether a label says where something is from, and nothing else.
pub(super) fn is_citation(label: &str) -> bool {
    let label = label.trim();
    label.len() <= 200
        && (is_generic(label)
            || is(&AUTHOR, label)
            || is(&SITE, label)
            || is_ticket(label)
            || is_counted(label))
}

fn is(form: &Pattern, text: &str) -> bool {
    form.is_match(text)
}

/// `source`, `¹`, `doi:10.1000/1`: what can be nothing but a label.
fn is_generic(label: &str) -> bool {
    let is_raised = !label.is_empty() && label.chars().all(|c| "⁰¹²³⁴⁵⁶⁷⁸⁹,˒".contains(c));
    is_raised || label.starts_with("oai_citation") || is(&CITATION, label)
}

fn is_ticket(label: &str) -> bool {
    is(&TICKET, label) && (label.contains(['#', '!', ' ', '-']) || label.len() >= 7)
}

/// Whether a label that is not part of brackets is surely none of the sentence
/// either: `[Titanic (2003)](u) won` and `peaked at [#1](u)` may be.
fn is_sure(text: &str, link: &Link) -> bool {
    let label = link.title.trim();
    if is_generic(label) {
        return true;
    }
    if is(&SITE, label) || is_ticket(label) {
        return leads_there(link);
    }
    let several = [" et al", " and ", " & "]
        .iter()
        .any(|and| label.contains(and));
    several || (ends(text, link) && !is_governed(text, link.range.start))
}

/// Whether a clause ends behind a link, or another one is there.
fn ends(text: &str, link: &Link) -> bool {
    let tail = text.get(link.range.end..).unwrap_or_default();
    let tail = tail.trim_start_matches(['*', '_', ')', ']']);
    tail.trim_start_matches(' ').starts_with('[')
        || tail.is_empty()
        || tail.starts_with(['.', ',', ';', '!', '?', '\n', '\r', '<', '|'])
}

/// Words that stay as doubtful ones; `rev. 12` in them ends no sentence.
fn doubtful(words: &str) -> String {
    words.replace(". ", " ")
}

/// Whether the URL of a link has the name or the number that its words are.
fn leads_there(link: &Link) -> bool {
    let url = link.url.to_lowercase();
    let words = link.title.to_lowercase();
    let mut parts = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| part.len() > 2 || part.starts_with(|c: char| c.is_ascii_digit()));
    parts.any(|part| url.contains(part))
}

/// Whether the word before a link needs it: `held in [Seoul, 1952](u)`.
fn is_governed(text: &str, at: usize) -> bool {
    const GOVERNS: [&str; 20] = [
        "in", "at", "on", "by", "of", "to", "from", "with", "for", "the", "a", "an", "and", "or",
        "than", "is", "was", "are", "were", "as",
    ];
    const FAR: usize = 24;
    let start = text.floor_char_boundary(at.saturating_sub(FAR));
    let head = text.get(start..at).unwrap_or_default().trim_end();
    let word = head.rsplit(|c: char| !c.is_alphabetic()).next();
    let word = word.unwrap_or_default().to_lowercase();
    head.ends_with(':') || GOVERNS.contains(&&*word)
}

/// Whether a link goes on with the words before it: `won [Wimbledon 2019](u)`.
fn is_attached(text: &str, at: usize) -> bool {
    let head = text.get(..at).unwrap_or_default().trim_end_matches(' ');
    head.ends_with(char::is_alphanumeric)
}

/// Whether brackets with links surely name sources. `(in [Madrid](u))`,
/// `([and it had no side effects](u))`, and a name in the middle of a sentence
/// that the link does not lead to may say more.
fn is_sure_group(text: &str, links: &[Link], range: &Range<usize>) -> bool {
    let written = text.get(range.clone()).unwrap_or_default();
    let head = written.trim_start_matches(['(', '[', '（', ' ', '*', '_']);
    let word = head.split(|c: char| !c.is_alphabetic()).next();
    let word = word.unwrap_or_default().to_lowercase();
    let governs = head.len() > word.len() && ["in", "by", "at", "from", "and"].contains(&&*word);
    let tail = text.get(range.end..).unwrap_or_default();
    let goes_on = tail.trim_start_matches(' ').starts_with(char::is_lowercase);
    let mut inside = inside(links, range).filter(|link| !link.bare && !link.is_mark);
    let is_sure = |link: &Link| {
        let label = link.title.trim();
        let is_phrase =
            label.starts_with(char::is_lowercase) && label.split_whitespace().count() > 3;
        is_citation(label)
            || is_paged(label)
            || (is_label(link) && !is_phrase && !is_dated(label) && (!goes_on || leads_there(link)))
    };
    !governs && !written.contains('§') && inside.all(is_sure)
}

fn inside<'l>(links: &'l [Link], range: &Range<usize>) -> impl Iterator<Item = &'l Link> {
    let first = links.partition_point(|link| link.range.start < range.start);
    let end = range.end;
    let rest = links.get(first..).unwrap_or_default().iter();
    rest.take_while(move |link| link.range.start < end)
}

/// Brackets with the words of their links.
fn read_group(text: &str, links: &[Link], range: &Range<usize>) -> String {
    let mut out = String::new();
    let mut cursor = range.start;
    for link in inside(links, range) {
        out.push_str(text.get(cursor..link.range.start).unwrap_or_default());
        if !link.bare {
            out.push_str(&doubtful(&link.title));
        }
        cursor = cursor.max(link.range.end);
    }
    out.push_str(text.get(cursor..range.end).unwrap_or_default());
    out
}

/// The number of further sources that chat products show behind a link.
struct Chip {
    range: Range<usize>,
    /// It is glued to the name, or a sentence ended before it.
    is_sure: bool,
}

impl Chip {
    /// `[Reuters](u)+2`; `[rose](u) +2` is none.
    fn of(text: &str, link: &Link) -> Option<Self> {
        let tail = text.get(link.range.end..)?;
        let rest = tail
            .trim_start_matches([' ', ')', ']', '*'])
            .strip_prefix('+')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (_, after) = rest.split_at(digits);
        let next = after.trim_start_matches(' ');
        let ends = next.is_empty()
            || after.starts_with(['.', ',', ';', ')', ']', '\n', '\r', '|'])
            || next.starts_with('[')
            || after.starts_with(' ') && next.starts_with(char::is_uppercase);
        let is_name = link.title.starts_with(char::is_uppercase)
            && !link.title.contains(|c: char| c.is_ascii_digit());
        let gap = tail.len() - rest.len() - 1;
        let start = link.range.end + gap;
        let head = text.get(..link.range.start)?;
        let head = head.trim_end_matches([' ', '(', '[', '*']);
        ((1..=2).contains(&digits) && ends && is_name).then(|| Self {
            range: start..start + 1 + digits,
            is_sure: gap == 0 || head.ends_with(['.', '!', '?', '\n']),
        })
    }
}

/// Whether a label is what chat products show for several sources, `Reuters+1`,
/// or has a number in front: `4: Reuters`, `🔗 4`.
fn is_counted(label: &str) -> bool {
    const NAME_MAX: usize = 40;
    let is_number = |text: &str| {
        (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_name =
        |text: &str| text.len() <= NAME_MAX && !text.contains(|c: char| c.is_ascii_digit());
    let more = label.rsplit_once('+').is_some_and(|(name, more)| {
        is_number(more)
            && is_name(name.trim_end())
            && name.trim_end().ends_with(char::is_alphanumeric)
    });
    let listed = label.split_once(": ").is_some_and(|(number, name)| {
        is_number(number) && is_name(name) && name.split(' ').count() <= 3
    });
    let sign = label.trim_start_matches(['🔗', '📎', '📄', '🌐', '↗', '\u{FE0F}', ' ']);
    let only = label.strip_prefix('+').is_some_and(is_number);
    more || only || listed || (is_number(sign) && sign.len() < label.len())
}

/// Whether a link names a source between two sentences: `Trees cool. [Nature](u) Oaks grow.`
/// It cites the sentence before it.
fn is_behind_sentence(text: &str, link: &Link) -> bool {
    const NAME_MAX: usize = 5;
    const SMALL: [&str; 5] = ["of", "the", "and", "for", "&"];
    // what names nothing tells something: `[No people were hurt](u)`
    let is_of_name = |word: &str| !word.starts_with(char::is_lowercase) || SMALL.contains(&word);
    let end = Chip::of(text, link).map_or(link.range.end, |chip| chip.range.end);
    let tail = text.get(end..).unwrap_or_default();
    let next = tail.trim_start_matches(['*', '_', ']', ')', ',', ';', '.', ' ', '\t']);
    // another source, a new sentence or the end; not `[Nature](u) says`
    let is_end = next.is_empty()
        || next.starts_with(['\n', '[', '<'])
        || (tail.starts_with([' ', '\n']) && next.starts_with(char::is_uppercase));
    let words = link.title.split_whitespace();
    let is_name = || {
        words.clone().count() <= NAME_MAX
            && words.clone().all(|word| !word.ends_with(['.', '!', '?']))
            && words.clone().all(is_of_name)
            && link
                .title
                .starts_with(|c: char| c.is_uppercase() || !c.is_alphabetic())
            && (is_citation(&link.title) || !has_figure(&link.title))
    };
    // a label alone on its line is behind the line above
    let is_wrapped = || is_generic(link.title.trim()) && follows_line(text, link.range.start);
    (follows_sentence(text, link.range.start) || is_wrapped()) && is_end && is_name()
}

/// Whether a sentence ends on the line above this place.
fn follows_line(text: &str, at: usize) -> bool {
    const NEAR: usize = 64;
    let start = text.floor_char_boundary(at.saturating_sub(NEAR));
    is(&SENTENCE_ABOVE, text.get(start..at).unwrap_or_default())
}

/// Whether a sentence ends right before this place, on the same line.
fn follows_sentence(text: &str, at: usize) -> bool {
    const NEAR: usize = 16;
    let start = text.floor_char_boundary(at.saturating_sub(NEAR));
    let head = text.get(start..at).unwrap_or_default();
    let head = head
        .strip_suffix('>')
        .and_then(|tag| tag.rfind('<').and_then(|start| tag.get(..start)))
        .unwrap_or(head);
    let closed = head.trim_end_matches([' ', '*', '_', '[', '(', '"', '”', '’', ')']);
    closed.ends_with(['.', '!']) && !head.ends_with('\n')
}

/// Whether a link behind a sentence ends its line without a full stop, as titles of sources do:
/// `Trees cool. [Read more: a survey of street trees](u)`. It may also tell something of its own.
fn is_title_behind_sentence(text: &str, link: &Link) -> bool {
    let tail = text.get(link.range.end..).unwrap_or_default();
    let next = tail.trim_start_matches(['*', '_', ' ', '\t']);
    let is_end = next.is_empty() || next.starts_with(['\n', '\r', '[', '<']);
    is_end
        && !link.title.ends_with(['.', '!', '?'])
        && follows_sentence(text, link.range.start)
        && has_words_before(text, link.range.start)
}

/// Whether the title of a source is the last line of a block, below a sentence.
fn is_title_on_last_line(text: &str, link: &Link) -> bool {
    const TITLE_WORDS: usize = 3;
    const NEAR: usize = 64;
    let start = text.floor_char_boundary(link.range.start.saturating_sub(NEAR));
    let end = text.ceil_char_boundary((link.range.end + NEAR).min(text.len()));
    let head = text.get(start..link.range.start).unwrap_or_default();
    let tail = text.get(link.range.end..end).unwrap_or_default();
    link.title.split_whitespace().count() >= TITLE_WORDS
        && !link.title.ends_with(['.', '!', '?'])
        && is(&SENTENCE_ABOVE, head)
        && is(&BLOCK_ENDS, tail)
}

/// Whether more than the number of an item comes before this place on its line.
fn has_words_before(text: &str, at: usize) -> bool {
    const FAR: usize = 64;
    const LETTERS_MIN: usize = 8;
    let start = text.floor_char_boundary(at.saturating_sub(FAR));
    let head = text.get(start..at).unwrap_or_default();
    let line = head.rsplit('\n').next().unwrap_or_default();
    line.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS_MIN
}

/// Whether a label is glued to the word before it, as programs leave them:
/// `41,000 people[census](u)`. Tags between them are not seen.
fn is_glued(text: &str, link: &Link) -> bool {
    const INLINE: [&str; 4] = ["<span", "</span>", "<b>", "</b>"];
    const NEAR: usize = 512;
    let start = text.floor_char_boundary(link.range.start.saturating_sub(NEAR));
    let mut head = text.get(start..link.range.start).unwrap_or_default();
    while let Some(start) = head.strip_suffix('>').and_then(|tag| tag.rfind('<')) {
        let (before, tag) = head.split_at(start);
        if tag.len() > AROUND_MAX || !INLINE.iter().any(|inline| tag.starts_with(inline)) {
            return false;
        }
        head = before;
    }
    let is_word = |c: char| c.is_ascii_alphanumeric();
    head.ends_with(is_word) && link.title.starts_with(is_word) && is_label(link)
}

/// Brackets in which nothing but links to sources is.
fn groups(text: &str, links: &[Link]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Where the bracket opens in front of the links so far.
    let mut open: Option<usize> = None;
    let mut last: Option<&Link> = None;
    for link in links {
        if last.is_some_and(|last| link.range.start < last.range.end) {
            continue; // inside another one
        }
        let between = last.map(|last| {
            text.get(last.range.end..link.range.start)
                .unwrap_or_default()
        });
        let goes_on =
            between.is_some_and(|between| between.len() <= AROUND_MAX && BETWEEN.is_match(between));
        if !goes_on {
            open = opening(text, link.range.start);
        }
        // behind a sentence brackets name its source, whatever its title tells
        if !is_label(link)
            && !open
                .is_some_and(|open| follows_sentence(text, open) && has_words_before(text, open))
        {
            open = None;
        }
        if let (Some(start), Some(end)) = (open, closing(text, link.range.end)) {
            found.push(start..end);
            open = None;
        }
        last = Some(link);
    }
    found
}

fn is_label(link: &Link) -> bool {
    let words = link.title.split_whitespace().count();
    let says_more = || has_figure(&link.title);
    link.bare
        || link.is_mark
        || is_citation(&link.title)
        || (words <= WORDS_MAX && !says_more())
        || is_dated(&link.title)
}

/// Where a bracket opens that ends right before a link.
fn opening(text: &str, link: usize) -> Option<usize> {
    let head = text.get(..link)?;
    let start = head
        .char_indices()
        .rev()
        .take(AROUND_MAX)
        .last()
        .map_or(link, |(at, _)| at);
    let found = BEFORE.find(text.get(start..link)?)?;
    Some(start + found.start())
}

/// Where the bracket closes behind a link.
fn closing(text: &str, link: usize) -> Option<usize> {
    let tail = text.get(link..)?;
    let end = tail
        .char_indices()
        .nth(AROUND_MAX)
        .map_or(tail.len(), |(at, _)| at);
    let found = BEHIND.find(tail.get(..end)?)?;
    Some(link + found.end())
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::cited;
    use super::*;

    #[test]
    fn labels_of_sources_are_distinguished_from_words_of_a_claim() {
        for label in [
            "source",
            "Source 12",
            "link",
            "Smith, 2020",
            "Moreau & Petit, 2023, p. 17",
            "Smith et al. (2020)",
            "van der Berg and Ito (2020b)",
            "reuters.com",
            "Ref 3",
            "#634",
            "rust-lang/rust#123",
            "GH-12",
            "arXiv:2509.25140v1",
            "arXiv:2509.25140 [cs.CL]",
            "doi:10.1000/182",
            "10.1000/182",
            "PMID: 12345",
            "PR #7",
            "`a1b2c3d4`",
            "Reuters+1",
            "+2",
            "New York Times+2",
            "oai_citation:4‡reuters.com",
            "²",
            "🔗 4",
            "4: Reuters",
        ] {
            assert!(is_citation(label), "{label}");
        }
        for label in [
            "Trees cool streets",
            "In 2020 Paris counted 41,000 trees",
            "Paris 2020",
            "the review",
            "3.2 degrees",
            "Node.js 20",
            "C#7 syntax",
            "b2b",
            "123456789",
            "C++11",
            "Ages 2+3",
        ] {
            assert!(!is_citation(label), "{label}");
        }
    }

    #[test]
    fn a_source_between_two_sentences_belongs_to_the_one_before() {
        let text = "Rome planted 41,000 trees. [Nature](https://a.example/1) Milan planted 90,000 oaks. [New York Times](https://a.example/2)\n\nParis has 12 parks. [Le Monde](https://a.example/3) [Reuters+1](https://a.example/4)\n\nOaks grew by 3.2 % in 2024.[²](https://a.example/5) Firs did not.\n\nOaks are old. [Nature](https://a.example/6) says so.\n";
        let found = cited(text, Format::Markdown);
        let claims: Vec<&str> = found
            .iter()
            .filter_map(|one| one.claim.as_deref())
            .collect();
        assert_eq!(
            claims,
            [
                "Rome planted 41,000 trees.",
                "Milan planted 90,000 oaks.",
                "Paris has 12 parks.",
                "Paris has 12 parks.",
                "Oaks grew by 3.2 % in 2024.",
                "Nature says so.",
            ]
        );
    }
}
