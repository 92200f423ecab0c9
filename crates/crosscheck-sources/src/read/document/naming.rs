//! Blocks that only name their sources: a title alone, `Source: [title](u)`,
//! `— [name](u)`, `According to [title](u):`.

use std::ops::Range;

use super::claims::{PLACE, Reads};
use super::lines::introduces_quotation;
use super::silent::links_in;
use super::structure::{DocumentParts, Link};
use super::tree::{Block, BlockKind, Tree};
use crate::pattern::{Pattern, pattern};
use crate::read::urls::urls_in;

/// A block with more links is a list of them.
const LINKS_MAX: usize = 12;
/// A title has so many words; a name has fewer.
const TITLE_WORDS: usize = 3;

pattern! {
    /// Words that name where the block before is from.
    SOURCE,
    r"(?i)^\W*(?:(?:(?:data|original|primary|image|photo|figure|table) )?(?:sources?|credits?|evidence)|references?|refs?|citations?|cited from|via|from|per|according to|as reported (?:by|in)|reported (?:by|in)|adapted from|quellen?|belege?|fontes?|fuentes?|来源|资料来源|出典)(?:\s*[:：]|\b)[^\p{L}\x01]*\x01"
}
pattern! {
    /// Words that lead on to a page.
    MORE,
    r"(?i)^\W*(?:read (?:more|on|the (?:full )?\w+)|(?:learn|find out) more|more(?: info(?:rmation)?| details| here)?|full (?:story|article|text|report)|continue reading|mehr(?: dazu)?|lire la suite)(?:\s*[:：]|\b)[^\p{L}\x01]{0,8}(?:(?:at|in|on|from|here) ?)?[^\p{L}\x01]*\x01"
}
pattern! {
    /// Signs before the name of a person who is quoted.
    DASH, r"^[\s>*_]*(?:—|–|―|--)"
}
pattern! {
    /// What ends a line, in Markdown or HTML.
    LINE, r"(?i)\n|<br\s*/?>"
}
pattern! {
    /// Words by which a source says something.
    SAYS,
    r"(?i)\b(?:says|said|states?|stated|reports?|reported|notes?|noted|writes|wrote|finds|found|shows?|showed|argues|explains|puts it|describes|quotes?|quoting)\b"
}
pattern! {
    /// A title in other letters before its source.
    TITLE,
    r"(?i)^(?:\*{1,3}[^*]+[^*.!?]\*{1,3}|_{1,2}[^_]+[^_.!?]_{1,2}|<(?:b|strong|em|i)>[^<]+[^<.!?]</(?:b|strong|em|i)>)[^\p{L}\p{N}]*$"
}
pattern! {
    /// A link at the beginning, no other one, and a sentence behind it.
    OPENING, r#"^[*_"“(]{0,3}\x01[*_"”)]{0,3}(?:[.:]| [–—])[*_]{0,3} ["“]?[\p{Lu}\p{Nd}][^\x01]*$"#
}
pattern! {
    /// The signs of an item.
    pub(super) SIGN, r"^[\s>]*(?:(?:[-+•]|\*{1,5}|\.{1,5}|\(?[0-9]{1,3}[.)])(?:\s|$))?\s*"
}
/// How the words of a block name its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// There are no words besides the links.
    Label,
    /// `Source: [title](u)`
    Source,
    /// `Read more: [title](u)`
    More,
    /// `— [name](u)`
    Attribution,
    /// `According to [title](u):`
    Intro,
    /// `Install it from [title](u):`
    Colon,
    /// `**Title** ([name](u))`
    Title,
    /// `[title](u). Sentence.`
    Opening,
}

/// A block that names sources.
#[derive(Debug, Clone)]
pub(super) struct Naming {
    pub(super) lead: Lead,
    /// Where it does.
    pub(super) range: Range<usize>,
    pub(super) links: usize,
    /// The words of its first link that have letters.
    pub(super) words: usize,
}

impl Naming {
    /// The words of its first link are a title, not a name.
    pub(super) const fn has_title(&self) -> bool {
        self.words >= TITLE_WORDS
    }
}

/// How a block names its sources, if it does nothing else.
pub(super) fn naming(
    text: &str,
    seen: &DocumentParts,
    tree: &Tree,
    block: &Block,
) -> Option<Naming> {
    if matches!(block.kind, BlockKind::Table | BlockKind::Code) {
        return None;
    }
    let own = tree.own(block);
    let range = attribution_line(text, &own).unwrap_or(own);
    let links = links_in(seen, &range);
    let written = text.get(range.clone())?;
    if links.is_empty() && !written.contains("://") || links.len() > LINKS_MAX {
        return None;
    }
    // pictures and badges name nothing
    let is_picture = |link: &&Link| {
        let next = seen
            .images
            .partition_point(|image| image.start < link.range.start);
        let holds = |image: &Range<usize>| image.start < link.range.end;
        seen.images.get(next).is_some_and(holds)
            || !link.bare && !link.title.contains(char::is_alphanumeric)
    };
    if links.iter().any(is_picture) {
        return None;
    }
    let beside = beside(text, seen, &range);
    if let ([link], true) = (links.as_slice(), opens(&beside)) {
        return Some(Naming {
            lead: Lead::Opening,
            range: range.start..link.range.end,
            links: 1,
            words: 0,
        });
    }
    let lead = if is_title_of_items(text, tree, block, &links, &beside) {
        Lead::Title
    } else {
        lead(&beside)?
    };
    let is_sentence = |link: &&Link| link.title.trim_end().ends_with(['.', '!', '?']);
    if lead == Lead::Label && links.iter().any(is_sentence) {
        return None;
    }
    let title = links.first().map_or("", |link| link.title.as_str());
    Some(Naming {
        lead,
        links: beside.matches(PLACE).count(),
        words: title
            .split_whitespace()
            .filter(|word| word.contains(char::is_alphabetic))
            .count(),
        range,
    })
}

/// Whether a block is a title with its source, and items are below it.
fn is_title_of_items(
    text: &str,
    tree: &Tree,
    block: &Block,
    links: &[&Link],
    beside: &str,
) -> bool {
    let is_item = |one: &Block| one.kind == BlockKind::Item;
    let inside = tree.get(block.first).is_some_and(is_item);
    let behind =
        || block.kind == BlockKind::Paragraph && tree.get(block.after).is_some_and(is_item);
    let [link] = links else {
        return false;
    };
    let title = text.get(block.range.start..link.range.start);
    let title = title.unwrap_or_default();
    let sign = SIGN.find(title);
    let title = title.get(sign.map_or(0, |sign| sign.end())..);
    let is_last = || {
        let rest = beside.split_once(PLACE).map_or("", |(_, rest)| rest);
        !rest.contains(char::is_alphanumeric)
    };
    (inside || behind()) && is(&TITLE, title.unwrap_or_default()) && is_last()
}

/// Whether a block begins with its only link, and a sentence is behind it: `[title](u). It is`.
fn opens(beside: &str) -> bool {
    let sign = SIGN.find(beside);
    let own = beside.get(sign.map_or(0, |sign| sign.end())..);
    own.is_some_and(|own| is(&OPENING, own))
}

/// The last line of a block, where it names who is quoted.
fn attribution_line(text: &str, own: &Range<usize>) -> Option<Range<usize>> {
    let words = text.get(own.clone())?.trim_end();
    let start = LINE.find_iter(words).last()?.end();
    let line = words.get(start..)?;
    is(&DASH, line).then(|| own.start + start..own.start + words.len())
}

pub(super) fn is(form: &Pattern, text: &str) -> bool {
    form.is_match(text)
}

/// The words of a range, with a sign for each link or URL.
pub(super) fn beside(text: &str, seen: &DocumentParts, range: &Range<usize>) -> String {
    let links = links_in(seen, range).into_iter();
    let mut cut: Vec<(Range<usize>, Option<&Reads>)> =
        links.map(|link| (link.range.clone(), None)).collect();
    let own = text.get(range.clone()).unwrap_or_default();
    let urls = urls_in(own).into_iter();
    cut.extend(urls.map(|url| (range.start + url.start..range.start + url.end, None)));
    let first = seen
        .edits
        .partition_point(|edit| edit.range.start < range.start);
    let inside = seen.edits.get(first..).unwrap_or_default().iter();
    let edits = inside.take_while(|edit| edit.range.start < range.end);
    cut.extend(edits.map(|edit| (edit.range.clone(), Some(&edit.with))));
    cut.sort_by_key(|(piece, reads)| (piece.start, reads.is_some(), std::cmp::Reverse(piece.end)));
    let mut out = String::new();
    let mut cursor = range.start;
    for (piece, reads) in cut {
        if piece.start < cursor {
            continue;
        }
        out.push_str(text.get(cursor..piece.start).unwrap_or_default());
        match reads {
            None => out.push(PLACE),
            Some(Reads::Chars(chars)) => out.push_str(chars),
            Some(Reads::Blank) => out.push(' '),
            Some(_) => {}
        }
        cursor = piece.end;
    }
    out.push_str(text.get(cursor..range.end).unwrap_or_default());
    out
}

/// What the words beside links say of them.
fn lead(beside: &str) -> Option<Lead> {
    const WORDS_MAX: usize = 8;
    const NAME_MAX: usize = 4;
    const INTRO_MAX: usize = 18;
    let sign = SIGN.find(beside);
    let own = beside.get(sign.map_or(0, |sign| sign.end())..)?.trim();
    let (before, behind) = own.split_once(PLACE)?;
    let count = |words: &str| {
        let words = words.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).count()
    };
    let [before_count, behind_count] = [count(before), count(behind)];
    if introduces_quotation(own) {
        return Some(Lead::Intro);
    }
    if is(&DASH, own) {
        let is_name = before_count <= NAME_MAX && behind_count <= WORDS_MAX;
        return is_name.then_some(Lead::Attribution);
    }
    if before_count + behind_count == 0 && behind.contains('.') {
        return None; // a sentence of its own
    }
    if before_count + behind_count == 0 {
        return Some(if own.ends_with(':') {
            Lead::Intro
        } else {
            Lead::Label
        });
    }
    if own.ends_with(':') || own.ends_with(',') && is(&SOURCE, own) {
        let says = is(&SOURCE, own) || is(&SAYS, own);
        let most = if says { INTRO_MAX } else { WORDS_MAX };
        let is_short = before_count + behind_count <= most && !behind.contains(PLACE);
        return is_short.then_some(if says { Lead::Intro } else { Lead::Colon });
    }
    let is_short = behind_count <= WORDS_MAX && !behind.contains(". ");
    match () {
        () if !is_short => None,
        () if is(&SOURCE, own) => Some(Lead::Source),
        () if is(&MORE, own) && behind_count == 0 => Some(Lead::More),
        () => None,
    }
}
