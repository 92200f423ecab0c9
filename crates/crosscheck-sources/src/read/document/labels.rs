//! What of a text only says where something is from: URLs, marks, and links
//! such as `([source](u))` or `([Smith, 2020](u))`. It is not part of the claim.

use std::ops::Range;

use crosscheck_core::rules::Rule;
use crosscheck_judge::builtin::has_figure;

use super::bind::{By, Spot};
use super::shape::LETTERS;
use super::spans::{Pairs, Spans};
use crate::lists::list;
use crate::pattern::{Pattern, pattern};

list! {
    GOVERNS, "governs"
}

const LABEL: Rule = Rule::new(
    "sources.label",
    "links that only name a source are no part of the claim",
);

/// A label in brackets with more words says something.
const WORDS_MAX: usize = 12;

pattern! {
    /// What may be in brackets besides links that only name sources.
    FILLER,
    concat!(
            r"(?i)^(?:[\s,;:&/|·#*_+–—-]|see|also|the|sources?|refs?\.?|references?|via|cf\.?|e\.g\.|from|per|data|and|link|quelle|siehe|vgl\.?|und",
            r"|(?:accessed|retrieved|published|updated|abgerufen|on|am)\b|\+[0-9]{1,2}|[0-9]{1,2} (?:others?|more)",
            r"|\(?(?:[0-9]{1,2}\.? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: [0-9]{1,2},)? (?:19|20)[0-9][0-9]\)?|(?:19|20)[0-9][0-9](?:-[0-9]{2}-[0-9]{2})?[a-z]?|n\.d\.",
            r"|pp?\.\s?[0-9]+(?:[–-][0-9]+)?|§+\s?[0-9]+)*$"
        )
}
pattern! {
    /// A word for a source, or an identifier.
    GENERIC,
    {
        let word =
            r"sources?|links?|refs?|references?|here|pdf|doi|archived?|citation|quelle|来源|出典";
        let id = r"(?i:arxiv[:\s]\s*(?:[0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?|[a-z-]+(?:\.[a-z]{2})?/[0-9]{7})(?:\s*\[[\w.-]+\])?|doi[:\s]\s*10\.\S+|10\.[0-9]{4,9}/\S+|pmid[:\s]\s*[0-9]+|pmc[0-9]+)";
        format!(
            r"^[\s\[(*_]*(?:(?i:(?:{word})\s*(?:#|no\.?)?\s*[0-9]{{0,3}})|{id}|[⁰¹²³⁴⁵⁶⁷⁸⁹,˒]+|\+[0-9]{{1,2}})[\s\])*_.]*$"
        )
    }
}
pattern! {
    /// Author and year, or a name and a date.
    AUTHOR,
    {
        let name =
            format!(r"(?:(?:van|von|de|der|den|la|le|di|du|al) +){{0,3}}\p{{Lu}}[{LETTERS}'’.-]*");
        let year = r"\(?(?:(?:19|20)[0-9][0-9][a-z]?|n\.\s?d\.)\)?";
        let page = r"(?:,?\s*(?:pp?\.|§|ch\.|sec\.)\s?[[0-9].–-]+)?";
        format!(
            r"^[\s\[(*_]*{name}(?:(?:,|\s+(?:and|&|et al\.?,?|und|y|et))*\s+{name}|\s+et al\.?)*(?:,\s*(?:[0-9]{{1,2}} \p{{L}}+ )?{year}|\s*\({year}\)|,\s*pp?\. ?[0-9]+){page}[\s\])*_.]*$"
        )
    }
}
pattern! {
    /// The name of a site.
    SITE, format!(r"^(?:[{LETTERS}0-9-]+\.)+[{LETTERS}]{{2,}}(?:/\S*)?$")
}
pattern! {
    /// The number of an issue or a change, the name of a commit, or the count of
    /// further sources that chat products show: `Reuters+1`.
    TICKET,
    {
        let name = format!("[{LETTERS} ]{{2,40}}");
        format!(
            r"^[`(]*(?:(?i:(?:gh|pr|mr|issue|pull(?: request)?|merge request|bug|ticket|cl|commit)\s?[-#]?\s?[0-9]+)|[A-Za-z0-9_./-]*[#!][0-9]+|[0-9a-f]*(?:[0-9][a-f]|[a-f][0-9])[0-9a-f]{{5,}}|{name}\+[0-9]{{1,2}}|[0-9]{{1,2}}: {name})[`)]*$"
        )
    }
}
pattern! {
    /// The number of further sources behind a link.
    CHIP, r"^[)\]]? ?\+[0-9]{1,2}(?:[.,;)\]\s]|$)"
}

/// Whether words are surely no part of the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    Sure,
    Doubtful,
}

/// What is taken out of a text with these sources.
pub(super) fn cuts(text: &str, spots: &[Spot]) -> Vec<(Range<usize>, Cut)> {
    let mut found: Vec<(Range<usize>, Cut)> = Vec::new();
    let brackets = Spans::new(Pairs::new(text, [b'(', b')'], None).ranges());
    let square = Spans::new(Pairs::new(text, [b'[', b']'], None).ranges());
    let mut last: Option<Range<usize>> = None;
    // brackets that say something
    let mut said: Option<Range<usize>> = None;
    for (at, spot) in spots.iter().enumerate() {
        if spot.by != By::Link {
            // `[PMID:123, "what it says"]`
            let head = text.get(..spot.span.start).unwrap_or_default();
            let whole = square.around(&spot.span).filter(|_| head.ends_with('['));
            found.push((whole.unwrap_or(&spot.span).clone(), Cut::Sure));
        }
        let is_inside = last
            .as_ref()
            .is_some_and(|last| last.contains(&spot.span.start));
        if is_inside || !LABEL.is_on() {
            continue;
        }
        let group = brackets.around(&spot.span);
        if let Some(group) = group.filter(|group| said.as_ref() != Some(*group)) {
            let rest = spots.get(at..).unwrap_or_default();
            let inside = rest.iter().take_while(|one| one.span.end <= group.end);
            let inside: Vec<&Spot> = inside.collect();
            if let Some(cut) = group_cut(text, group, &inside) {
                found.push((group.clone(), cut));
                last = Some(group.clone());
                continue;
            }
            said = Some(group.clone());
        }
        if spot.by == By::Link {
            found.extend(label_cut(text, spot).map(|cut| (spot.span.clone(), cut)));
        }
    }
    found
}

/// Whether brackets with links only name sources.
fn group_cut(text: &str, group: &Range<usize>, inside: &[&Spot]) -> Option<Cut> {
    let mut around = String::new();
    let mut cursor = group.start + 1;
    for spot in inside {
        around.push_str(text.get(cursor..spot.span.start).unwrap_or_default());
        around.push(' ');
        cursor = spot.span.end.max(cursor);
    }
    around.push_str(text.get(cursor..group.end - 1).unwrap_or_default());
    if !FILLER.is_match(around.trim()) {
        return None;
    }
    let labels = inside.iter().filter(|spot| spot.by == By::Link);
    let labels: Vec<&str> = labels.filter_map(|spot| spot.title.as_deref()).collect();
    let is_label = |label: &&str| {
        let words = label.split_whitespace().count();
        let is_phrase = label.starts_with(char::is_lowercase) && words > 3;
        is_citation(label) || words <= WORDS_MAX && !is_phrase && !has_figure(label)
    };
    let tail = text.get(group.end..).unwrap_or_default().trim_start();
    let goes_on = tail.starts_with(char::is_lowercase);
    let is_generic = |label: &&str| GENERIC.is_match(label);
    let head = text.get(..group.start).unwrap_or_default().trim_end();
    let is_behind = head.ends_with(['.', '!', '?']);
    let is_sure = is_behind && !goes_on
        || labels.iter().all(is_label) && (!goes_on || labels.iter().all(is_generic));
    Some(if is_sure { Cut::Sure } else { Cut::Doubtful })
}

/// Whether the words of a link that is not in brackets only name a source.
fn label_cut(text: &str, spot: &Spot) -> Option<Cut> {
    let label = spot.title.as_deref().unwrap_or_default();
    let tail = text.get(spot.span.end..).unwrap_or_default();
    let head = text.get(..spot.span.start).unwrap_or_default();
    let ends = tail.is_empty() || tail.starts_with(['.', ',', ';', '!', '?', '\n', ')', ']']);
    let is_chip = CHIP.is_match(tail);
    if !is_citation(label) && !is_chip {
        return None;
    }
    let behind = head
        .trim_end_matches(['[', '(', ' '])
        .ends_with(['.', '!', '?', '\n']);
    let ends = ends || TICKET.is_match(label);
    let is_sure = GENERIC.is_match(label) || is_chip || behind || ends && !is_governed(head);
    Some(if is_sure { Cut::Sure } else { Cut::Doubtful })
}

/// Whether a label says where something is from, and nothing else.
pub(super) fn is_citation(label: &str) -> bool {
    let is = |form: &Pattern| form.is_match(label.trim());
    label.len() <= 200 && (is(&GENERIC) || is(&AUTHOR) || is(&SITE) || is(&TICKET))
}

/// Whether the words of a link are a name: few of them, and no figure.
pub(super) fn is_name(label: &str) -> bool {
    const NAME_MAX: usize = 5;
    const SMALL: [&str; 5] = ["of", "the", "and", "for", "&"];
    let is_of_name = |word: &str| !word.starts_with(char::is_lowercase) || SMALL.contains(&word);
    let mut words = label.split_whitespace();
    is_citation(label)
        || words.clone().count() <= NAME_MAX && words.all(is_of_name) && !has_figure(label)
}

/// Whether the word before a link needs it: `held in [Seoul, 1952](u)`.
fn is_governed(head: &str) -> bool {
    let head = head.trim_end();
    let word = head.rsplit(|c: char| !c.is_alphabetic()).next();
    let word = word.unwrap_or_default().to_lowercase();
    head.ends_with(':') || GOVERNS.contains(word.as_str())
}

/// Ranges in order with what frames them, without those in others.
pub(super) fn widened(text: &str, mut cuts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    cuts.sort_by_key(|cut| (cut.start, std::cmp::Reverse(cut.end)));
    let mut found: Vec<Range<usize>> = Vec::new();
    for cut in cuts {
        let chip = text.get(cut.end..).and_then(|tail| CHIP.find(tail));
        let chip = chip.map_or(0, |chip| {
            chip.as_str()
                .trim_end_matches(['.', ',', ';', ')', ']', ' ', '\n'])
                .len()
        });
        let cut = framed(text, cut.start..cut.end + chip);
        match found.last_mut() {
            Some(last) if cut.end <= last.end => {}
            // two of them with nothing but a comma between
            Some(last) if is_gap(text, last.end, cut.start) => {
                *last = framed(text, last.start..cut.end);
            }
            _ => found.push(cut),
        }
    }
    found
}

fn is_gap(text: &str, from: usize, to: usize) -> bool {
    let between = text.get(from.min(to)..to).unwrap_or_default();
    between.chars().all(|c| matches!(c, ' ' | ',' | ';' | '\n'))
}

/// A range with the brackets around it that hold nothing else.
fn framed(text: &str, mut cut: Range<usize>) -> Range<usize> {
    const FRAMES: [(char, char); 6] = [
        ('(', ')'),
        ('[', ']'),
        ('（', '）'),
        ('<', '>'),
        ('"', '"'),
        ('【', '】'),
    ];
    loop {
        let head = text.get(..cut.start).unwrap_or_default();
        let tail = text.get(cut.end..).unwrap_or_default();
        let blanks = [' ', ',', ';', '\n'];
        let (head, tail) = (
            head.trim_end_matches(blanks),
            tail.trim_start_matches(blanks),
        );
        let frame = FRAMES
            .iter()
            .find(|(open, close)| head.ends_with(*open) && tail.starts_with(*close));
        let Some((open, close)) = frame else {
            return cut;
        };
        cut = head.len() - open.len_utf8()..text.len() - tail.len() + close.len_utf8();
    }
}
