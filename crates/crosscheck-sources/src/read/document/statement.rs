//! Blocks that only name a source: `Source: [title](u)` behind a paragraph, a
//! title below a sentence, `— [name](u)` below a quotation. Such a link is cited
//! for another block, and its words are not a claim.

mod opening;
mod words;

use std::collections::HashMap;
use std::ops::Range;

use super::claims::PLACE;
use super::naming::{Lead, Naming, SIGN, beside, naming};
use super::shape::{is_entry, is_title, is_title_of_links};
use super::spans::Spans;
use super::structure::DocumentParts;
use super::tables::Said;
use super::telling::{document_title, is_sentence};
use super::tree::{Block, BlockKind, Tree};
use crate::read::sentence::Sentence;

/// A longer statement is not a statement of one source, in bytes.
const LONGEST: usize = 4000;
/// At most this many blocks can be one statement.
const BLOCKS_MAX: usize = 12;
/// With more sentences not all of them need to be from the source.
const SENTENCES_MAX: usize = 3;
/// Items that are together.
#[derive(Default)]
struct List {
    links: usize,
    /// All of them only name sources.
    is_naming: bool,
}

/// What links are cited for that only name their source.
pub(super) struct Statements(Vec<Stated>);

struct Stated {
    range: Range<usize>,
    /// Where the statement is.
    from: Range<usize>,
    said: Said,
}

impl Statements {
    /// What the link at this place is cited for.
    pub(super) fn at(&self, at: usize) -> Option<&Said> {
        let next = self.0.partition_point(|one| one.range.start <= at);
        let own = self.0.get(next.checked_sub(1)?)?;
        own.range.contains(&at).then_some(&own.said)
    }

    /// The places of the links.
    pub(super) fn spans(&self) -> Spans {
        Spans::new(self.0.iter().map(|one| one.range.clone()).collect())
    }

    /// Leaves out what has a mark of its own: another source is cited for it.
    pub(super) fn without_marked(&mut self, mut marks: Vec<usize>) {
        marks.sort_unstable();
        self.0.retain(|one| {
            let first = marks.partition_point(|at| *at < one.from.start);
            marks.get(first).is_none_or(|at| *at >= one.from.end)
        });
    }
}

/// Finds the blocks that only name a source, and what they are cited for.
pub(super) fn find(text: &str, seen: &DocumentParts) -> Statements {
    let tree = Tree::of(text, seen);
    let namings = tree
        .blocks
        .iter()
        .map(|block| naming(text, seen, &tree, block));
    let mut reader = Reader {
        text,
        seen,
        namings: namings.collect(),
        lists: HashMap::new(),
        uses: Spans::new(
            seen.footnote_uses
                .iter()
                .map(|(range, _)| range.clone())
                .collect(),
        ),
        listed: sections(text, seen, is_title),
        linked: sections(text, seen, is_title_of_links),
        tree,
    };
    reader.lists = reader.lists();
    let places = 0..reader.namings.len();
    let mut found: Vec<Stated> = places.filter_map(|at| reader.stated(at)).collect();
    found.extend(seen.cites.iter().filter_map(|(at, _)| reader.quoted(*at)));
    found.sort_by_key(|one| one.range.start);
    Statements(found)
}

/// Sections below headings of a kind, which the title of the document is never of.
fn sections(text: &str, seen: &DocumentParts, is_kind: fn(&str) -> bool) -> Spans {
    let mut found = Vec::new();
    let mut open: Option<(u8, usize)> = None;
    let title = document_title(text, seen).map(|title| &title.range);
    let below = seen.headings.iter();
    let mut headings: Vec<_> = below.filter(|one| Some(&one.range) != title).collect();
    headings.sort_by_key(|heading| heading.range.start);
    for heading in headings {
        if let Some((_, start)) = open.take_if(|(level, _)| heading.level <= *level) {
            found.push(start..heading.range.start);
        }
        let words = seen.read(text, &heading.range);
        if open.is_none() && is_kind(&words) {
            open = Some((heading.level, heading.range.start));
        }
    }
    found.extend(open.map(|(_, start)| start..text.len()));
    Spans::new(found)
}

struct Reader<'t> {
    text: &'t str,
    seen: &'t DocumentParts,
    tree: Tree,
    /// Of each block.
    namings: Vec<Option<Naming>>,
    /// By their first item.
    lists: HashMap<usize, List>,
    /// Where footnotes are used.
    uses: Spans,
    /// Sections that list sources.
    listed: Spans,
    /// Sections that list links.
    linked: Spans,
}

/// Where a statement is and what makes it sure.
struct Place {
    blocks: Range<usize>,
    until: usize,
    is_sure: bool,
    is_quoted: bool,
}

impl Reader<'_> {
    /// Counts the links of lists.
    fn lists(&self) -> HashMap<usize, List> {
        let mut lists: HashMap<usize, List> = HashMap::new();
        for (at, block) in self.tree.blocks.iter().enumerate() {
            if block.kind != BlockKind::Item {
                continue;
            }
            let own = self.naming_of_item(at);
            let list = lists.entry(block.list).or_insert(List {
                links: 0,
                is_naming: true,
            });
            list.links += own.map_or(0, |own| own.links);
            list.is_naming &= own.is_some_and(|own| {
                !matches!(
                    own.lead,
                    Lead::Intro | Lead::Colon | Lead::Title | Lead::Opening
                )
            });
        }
        lists
    }

    /// How an item names its sources; its words can be a paragraph in it.
    fn naming_of_item(&self, at: usize) -> Option<&Naming> {
        let block = self.tree.blocks.get(at)?;
        let first = block.first.filter(|_| self.is_blank(block));
        self.namings.get(first.unwrap_or(at))?.as_ref()
    }

    /// Whether a block has no words besides the blocks in it.
    fn is_blank(&self, block: &Block) -> bool {
        let own = self.tree.own(block);
        let words = beside(self.text, self.seen, &own);
        let start = SIGN.find(&words).map_or(0, |sign| sign.end());
        words.get(start..).is_none_or(|rest| rest.trim().is_empty())
    }

    fn stated(&self, at: usize) -> Option<Stated> {
        let naming = self.namings.get(at)?.as_ref()?;
        let block = self.tree.blocks.get(at)?;
        if self.linked.covers(block.range.start) {
            return None;
        }
        if naming.lead == Lead::Opening {
            return self.opened(block, naming);
        }
        let mut place = self.place(at, block, naming)?;
        let is_listed = self.listed.covers(block.range.start);
        place.is_sure &= !is_listed;
        let (words, from) = self.words(&place)?;
        let is_table = self
            .tree
            .get(Some(place.blocks.start))
            .is_some_and(|one| one.kind == BlockKind::Table);
        let form = if place.is_quoted || is_table {
            words.contains(' ').then_some(place.is_quoted)
        } else {
            is_sentence(&words, naming.lead)
        };
        // entries of a list are not cited for each other
        if is_listed && !self.is_said_in_list(&place, naming, &words, form) {
            return None;
        }
        // what is too short to judge is still what the source is cited for
        let (words, form) = match form {
            Some(form) => (words, form),
            None if naming.lead == Lead::Source => (String::new(), false),
            None => return None,
        };
        let is_short = || place.is_quoted || Sentence::all(&words).len() <= SENTENCES_MAX;
        let is_sure = place.is_sure && form && is_short();
        Some(Stated {
            range: naming.range.clone(),
            from,
            said: Said {
                claim: words,
                whole: None,
                is_named: false,
                is_loose: !is_sure,
            },
        })
    }

    /// Whether words in a list of sources are what a source there is named for.
    fn is_said_in_list(
        &self,
        place: &Place,
        naming: &Naming,
        words: &str,
        form: Option<bool>,
    ) -> bool {
        let in_item = self.kind(place.blocks.start) == Some(BlockKind::Item);
        let is_named = naming.lead == Lead::Source || naming.lead == Lead::Label && in_item;
        is_named && form == Some(true) && !is_entry(words, false)
    }

    /// The blocks that a naming block is cited for.
    fn place(&self, at: usize, block: &Block, naming: &Naming) -> Option<Place> {
        let is_one = naming.links == 1;
        let place = |at: usize, is_sure: bool| {
            let kind = self.tree.blocks.get(at)?.kind;
            Some(Place {
                blocks: at..at + 1,
                until: usize::MAX,
                is_sure,
                is_quoted: kind == BlockKind::Quotation,
            })
        };
        let own = self.tree.own(block);
        if naming.range.start > own.start {
            // a line of the same block
            let parent = self.tree.get(block.parent);
            return Some(Place {
                blocks: at..at + 1,
                until: naming.range.start,
                is_sure: is_one,
                is_quoted: parent.is_some_and(|parent| parent.kind == BlockKind::Quotation),
            });
        }
        match (naming.lead, block.kind) {
            (Lead::Intro | Lead::Colon | Lead::Title, _) => self.introduced(block, naming),
            (Lead::Label, BlockKind::Heading) => {
                let is_first = block.before.is_none();
                let next = block.after.filter(|_| naming.words > 1 && !is_first)?;
                let is_sure = naming.has_title() && self.is_only_link(block);
                self.is_paragraph(next).then(|| place(next, is_sure))?
            }
            (Lead::Opening, _) | (_, BlockKind::Heading) => None,
            _ => self.before(at, block, naming),
        }
    }

    /// Whether the section of a heading has no link but the one in the heading.
    fn is_only_link(&self, heading: &Block) -> bool {
        let behind = self.seen.headings.iter().map(|one| one.range.start);
        let next = behind.filter(|start| *start >= heading.range.end).min();
        let section = heading.range.start..next.unwrap_or(self.text.len());
        let words = beside(self.text, self.seen, &section);
        words.matches(PLACE).count() == 1
    }

    /// The quotation, paragraph or list that a line introduces.
    fn introduced(&self, block: &Block, naming: &Naming) -> Option<Place> {
        let is_item = |at: &usize| self.kind(*at) == Some(BlockKind::Item);
        let inside = block.first.filter(is_item);
        let next = inside.or(block.after)?;
        let own = self.tree.blocks.get(next)?;
        let says = match naming.lead {
            Lead::Intro => true,
            Lead::Title => own.kind == BlockKind::Item,
            _ => own.kind == BlockKind::Item && self.is_stated(next),
        };
        let mut end = next + 1;
        if own.kind == BlockKind::Item {
            while let Some(item) = self
                .tree
                .blocks
                .get(end)
                .filter(|_| end <= next + BLOCKS_MAX)
            {
                let is_inside = item.range.start < self.tree.blocks.get(end - 1)?.range.end;
                if !is_inside && item.list != next {
                    break;
                }
                end += 1;
            }
        }
        let is_quoted = own.kind == BlockKind::Quotation;
        let is_said = says && matches!(own.kind, BlockKind::Item | BlockKind::Paragraph);
        (is_quoted || is_said).then_some(Place {
            blocks: next..end,
            until: usize::MAX,
            is_sure: is_quoted && naming.lead == Lead::Intro && naming.links == 1,
            is_quoted,
        })
    }

    fn kind(&self, at: usize) -> Option<BlockKind> {
        Some(self.tree.blocks.get(at)?.kind)
    }

    fn is_paragraph(&self, at: usize) -> bool {
        self.kind(at) == Some(BlockKind::Paragraph)
    }

    /// Whether an item is a whole sentence.
    fn is_stated(&self, at: usize) -> bool {
        let words = self.words_in(at, usize::MAX).map(|(words, _)| words);
        words.is_some_and(|words| is_sentence(&words, Lead::Label) == Some(true))
    }

    /// The blocks before a naming block, or above it.
    fn before(&self, at: usize, block: &Block, naming: &Naming) -> Option<Place> {
        if let Some(place) = self.of_list(at, block, naming) {
            return place;
        }
        let parent = self.tree.get(block.parent);
        let holder = parent.filter(|holder| holder.kind == BlockKind::Quotation);
        let is_alone = block.before.is_none() && naming.lead == Lead::Source;
        let outer = holder.filter(|_| is_alone && block.after.is_none());
        let first = outer.map_or(block.before, |holder| holder.before);
        let last = self.statement_before(first)?;
        let Some(before) = last else {
            return match outer.and_then(|holder| self.tree.get(holder.parent)) {
                Some(item) if item.kind == BlockKind::Item => item_around(outer?, naming),
                _ => self.below(block, naming),
            };
        };
        let above = self.tree.blocks.get(before)?;
        if self.is_cut(above.range.end..naming.range.start) {
            return None;
        }
        let in_quotation = holder.is_some() && outer.is_none();
        let is_one = naming.links == 1 && last == first && !self.is_followed(block, Lead::Source);
        let is_held = in_quotation || block.parent.is_some() && above.kind == BlockKind::Paragraph;
        let is_sure = match naming.lead {
            _ if matches!(above.kind, BlockKind::Heading | BlockKind::Code) => return None,
            Lead::Attribution => is_one,
            Lead::Label if is_held => is_one,
            Lead::Source => is_one && above.kind != BlockKind::Table,
            // then both are links to follow
            Lead::Label if self.is_followed(block, Lead::Label) => return None,
            Lead::Label | Lead::More if naming.has_title() => false,
            Lead::Label | Lead::More | Lead::Intro | Lead::Colon | Lead::Title | Lead::Opening => {
                return None;
            }
        };
        let is_list = above.kind == BlockKind::Item && above.list != before;
        let start = match above.kind {
            BlockKind::Item => above.list,
            _ if in_quotation => parent?.first?,
            _ => before,
        };
        let all = &self.tree.blocks;
        let end = all.partition_point(|one| one.range.start < above.range.end);
        Some(Place {
            blocks: start..end,
            until: naming.range.start,
            is_sure: is_sure && !is_list,
            is_quoted: in_quotation || above.kind == BlockKind::Quotation,
        })
    }

    /// The first block from here backwards that does not name sources itself: several lines
    /// that are behind one statement.
    #[expect(
        clippy::option_option,
        reason = "an inner none: there is no such block"
    )]
    fn statement_before(&self, mut last: Option<usize>) -> Option<Option<usize>> {
        for _ in 0..BLOCKS_MAX {
            let naming = |at: usize| self.namings.get(at)?.as_ref();
            let is_naming = |at: usize| {
                naming(at).is_some_and(|one| !matches!(one.lead, Lead::Title | Lead::Opening))
            };
            let Some(at) = last.filter(|at| is_naming(*at) && self.is_paragraph(*at)) else {
                return Some(last);
            };
            last = self.tree.get(Some(at))?.before;
        }
        None
    }

    /// Whether a block that names sources in this way follows.
    fn is_followed(&self, block: &Block, lead: Lead) -> bool {
        let next = block.after.and_then(|at| self.namings.get(at)?.as_ref());
        next.is_some_and(|next| next.lead == lead)
    }

    /// What a list of names is cited for: the item that it is in, or the block before it.
    #[expect(
        clippy::option_option,
        reason = "an inner none: no other place is looked at"
    )]
    fn of_list(&self, at: usize, block: &Block, naming: &Naming) -> Option<Option<Place>> {
        let parent = block
            .parent
            .filter(|_| block.before.is_none() && block.kind != BlockKind::Item);
        let is_item = |at: &usize| {
            self.tree
                .blocks
                .get(*at)
                .is_some_and(|one| one.kind == BlockKind::Item)
        };
        let item = Some(at).filter(is_item).or(parent.filter(is_item))?;
        let own = self.tree.blocks.get(item)?;
        let first = self.tree.blocks.get(own.list)?;
        let list = self.lists.get(&own.list)?;
        let holder = self.tree.get(first.parent);
        let in_item = holder.is_some_and(|holder| holder.kind == BlockKind::Item);
        if !list.is_naming {
            let is_source = naming.lead == Lead::Source && own.before.is_none();
            let place = if in_item && is_source {
                item_around(own, naming)
            } else {
                self.item_before(item, naming)
                    .or_else(|| self.definition(item, naming))
            };
            return Some(place);
        }
        let Some(before) = first.before else {
            let holder = first.parent.filter(|_| in_item)?;
            return Some(Some(Place {
                blocks: holder..holder + 1,
                until: first.range.start,
                is_sure: list.links == 1,
                is_quoted: false,
            }));
        };
        let above = self.tree.blocks.get(before)?;
        let gap = above.range.end..first.range.start;
        let is_near = || {
            let words = self
                .text
                .get(above.range.clone())
                .unwrap_or_default()
                .trim();
            let end = above.range.start + words.len();
            let between = self.text.get(end..first.range.start).unwrap_or_default();
            between.matches('\n').count() <= 1 && !between.contains('<')
                || words.starts_with("**") && words.ends_with("**")
                || words.starts_with("<b>")
                || words.starts_with("<strong>")
        };
        let is_cited = match above.kind {
            BlockKind::Quotation => list.links == 1,
            BlockKind::Paragraph => in_item || naming.lead == Lead::Source || is_near(),
            _ => false,
        };
        let place = is_cited.then(|| Place {
            blocks: before..before + 1,
            until: first.range.start,
            is_sure: list.links == 1 && in_item,
            is_quoted: above.kind == BlockKind::Quotation,
        });
        Some(place.filter(|_| !self.is_cut(gap.clone())))
    }

    /// The item before one that names a source: `Source: [title](u)`, or what explains a term,
    /// as in `<dt>Sentence.</dt><dd>[title](u)</dd>`.
    fn item_before(&self, item: usize, naming: &Naming) -> Option<Place> {
        let before = self.tree.blocks.get(item)?.before?;
        let block = self.tree.blocks.get(before)?;
        let written = self.text.get(block.range.clone())?;
        let is_term = written.trim_start().starts_with("<dt");
        let is_cited = naming.lead == Lead::Source || is_term && naming.lead == Lead::Label;
        (is_cited && block.kind == BlockKind::Item).then_some(Place {
            blocks: before..before + 1,
            until: usize::MAX,
            is_sure: naming.links == 1,
            is_quoted: false,
        })
    }

    /// What is below a title that opens an item or a quotation.
    fn below(&self, block: &Block, naming: &Naming) -> Option<Place> {
        let next = block
            .after
            .filter(|_| block.parent.is_some() && naming.has_title())?;
        let is_title = naming.lead == Lead::Label && self.is_paragraph(next);
        is_title.then_some(Place {
            blocks: next..next + 1,
            until: usize::MAX,
            is_sure: false,
            is_quoted: false,
        })
    }

    /// Whether a line is drawn between two blocks.
    fn is_cut(&self, between: Range<usize>) -> bool {
        let between = self.text.get(between).unwrap_or_default();
        ["---", "***", "___", "<hr"]
            .iter()
            .any(|line| between.contains(line))
    }
}

/// The words of the item that a block is in.
fn item_around(block: &Block, naming: &Naming) -> Option<Place> {
    let item = block.parent?;
    Some(Place {
        blocks: item..item + 1,
        until: block.range.start,
        is_sure: naming.links == 1,
        is_quoted: false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::cited;

    /// The claim of each link, and whether it accuses no one.
    fn read(text: &str, format: Format) -> Vec<(Option<String>, bool)> {
        let found = cited(text, format);
        let claim = |claim: Option<std::sync::Arc<str>>| claim.map(|claim| claim.to_string());
        found
            .into_iter()
            .map(|one| (claim(one.claim), one.is_loose))
            .collect()
    }

    const FACT: &str = "Rome planted 41,000 trees in 2021.";
    const LINK: &str = "[Street trees of the old town](https://a.example/x)";

    /// Puts the fact and a link into a form.
    fn filled(form: &str) -> String {
        form.replace("FACT", FACT).replace("LINK", LINK)
    }

    #[test]
    fn a_block_that_only_names_a_source_is_cited_for_the_block_before_it() {
        for form in [
            "- FACT\n  - LINK\n",
            "- Elms grow.\n- FACT\n    - LINK\n- Oaks grow.\n",
            "- FACT\n\n  - LINK\n",
            "1. FACT\n\n   LINK\n",
            "1. FACT\n\n   Source: LINK\n",
            "- FACT\n  - Source: LINK\n",
            "FACT\n\nSource: LINK\n",
            "Elms grow.\n\nFACT\n\n*Source: LINK*\n",
            "FACT\n\n**Source:** LINK\n",
            "FACT\n\n(Source: LINK)\n",
            "FACT\n\nVia LINK\n",
            "FACT\n\nSource: LINK, 3 March 2025\n",
            "- FACT\n\nSource: LINK\n",
            "FACT\n\nSource: https://a.example/x\n",
            "- FACT\n  - https://a.example/x\n",
            "> FACT\n\nSource: LINK\n",
            "> FACT\n>\n> LINK\n",
            "> FACT\n>\n> — LINK\n",
            "> FACT\n> — LINK\n",
            "> FACT\n\n— LINK\n",
            "FACT\n\n— LINK\n",
            "According to LINK:\n\n> FACT\n",
            "From LINK:\n> FACT\n",
            "As LINK puts it:\n\n> FACT\n\nOaks grow.\n",
            "LINK:\n\n> FACT\n",
            "As reported by LINK,\n\n> FACT\n",
            "FACT\nLINK\n",
            "FACT  \nLINK\n",
            "FACT<br>LINK\n",
            "- FACT\n  LINK\n",
            "FACT\n\n> Source: LINK\n",
            "1. FACT\n   > Source: LINK\n",
            "- FACT\n  - Source: LINK\n  - Confidence: high\n",
            "FACT\n\n**Evidence:** LINK\n",
            "![Chart](https://a.example/c.png)\n*FACT*\n\nSource: LINK\n",
        ] {
            let seen = read(&filled(form), Format::Markdown);
            assert_eq!(seen, [(Some(FACT.to_owned()), false)], "{form}");
        }
    }

    #[test]
    fn a_title_that_opens_a_block_is_cited_for_what_follows_it() {
        let fact = "Rome has planted 41,000 trees.";
        for form in [
            "LINK. FACT\n",
            "- LINK: FACT\n- [Oaks](https://a.example/y) grow.\n",
            "**LINK** – FACT\n",
            "# Notes\n\n- LINK: FACT\n",
            "LINK\n: FACT\n",
            "<dl><dt>LINK</dt><dd>FACT</dd></dl>\n",
        ] {
            let html = "<a href=\"https://a.example/x\">Street trees of the old town</a>";
            let link = if form.contains("<dl") { html } else { LINK };
            let text = form.replace("FACT", fact).replace("LINK", link);
            let seen = read(&text, Format::Markdown);
            assert_eq!(seen[0], (Some(fact.to_owned()), false), "{form}");
        }
        // words without a verb may describe the source
        let text = format!("{LINK}. A survey of all 300 trees of the town.\n");
        assert!(read(&text, Format::Markdown)[0].1, "{text}");
        // a statement with a link on it stays the claim, and what is not a sentence claims nothing
        for (form, claim) in [
            (
                "[FACT](https://a.example/x). Nobody counted them.\n",
                "FACT.",
            ),
            (
                "LINK: a survey of trees.\n",
                "Street trees of the old town: a survey of trees.",
            ),
            (
                "LINK. Elms ([x](https://a.example/y)) grow.\n",
                "Street trees of the old town.",
            ),
        ] {
            let shown = fact.trim_end_matches('.');
            let text = form.replace("FACT", shown).replace("LINK", LINK);
            let claim = claim.replace("FACT", shown);
            assert_eq!(
                read(&text, Format::Markdown)[0],
                (Some(claim), false),
                "{form}"
            );
        }
    }

    #[test]
    fn the_tag_of_a_quotation_can_name_its_source() {
        let text = format!("<blockquote cite=\"https://a.example/x\"><p>{FACT}</p></blockquote>");
        for format in [Format::Html, Format::Markdown] {
            let seen = read(&text, format);
            assert_eq!(seen, [(Some(FACT.to_owned()), false)]);
        }
        let local = text.replace("https://a.example/x", "notes.html");
        assert_eq!(read(&local, Format::Html), []);
    }

    #[test]
    fn a_source_of_doubtful_ownership_accuses_no_one() {
        for form in [
            "### Trees\n\n#### [Lake Oster](https://a.example/x)\n\nFACT\n",
            "# Trees\n\n## [Lake Oster](https://a.example/x)\n\nFACT\n",
            "FACT\n\nRead more: LINK\n",
            "> FACT\n\nLINK\n",
            "**FACT**\n\n- LINK\n",
            "LINK says:\n\nFACT\n",
            "According to LINK:\n\n- FACT\n",
            "FACT\n- LINK\n",
            "Elms grow.\n\nFACT\n\nLINK\n",
            "1. LINK\n\n   FACT\n",
        ] {
            let seen = read(&filled(form), Format::Markdown);
            assert_eq!(seen, [(Some(FACT.to_owned()), true)], "{form}");
        }
        let two = "[Oaks](https://a.example/y)";
        for form in [
            "- FACT\n  - LINK\n  - TWO\n",
            "FACT\n\nSources: LINK, TWO\n",
            "FACT\n\nSource: LINK\n\nSource: TWO\n",
        ] {
            let seen = read(&filled(form).replace("TWO", two), Format::Markdown);
            let one = (Some(FACT.to_owned()), true);
            assert_eq!(seen, [one.clone(), one], "{form}");
        }
        let long = "Elms grow in Milan. Oaks grow in Turin. Yews grow in Pisa. Ashes grow.";
        let seen = read(&format!("{long}\n\nSource: {LINK}\n"), Format::Markdown);
        assert_eq!(seen, [(Some(long.to_owned()), true)]);
        let rows = "| City | Trees |\n|---|---|\n| Rome | 41,000 |\n| Pisa | 900 |\n";
        let seen = read(&format!("{rows}\nSource: {LINK}\n"), Format::Markdown);
        let shown = "Rome, Trees 41,000. Pisa, Trees 900.";
        assert_eq!(seen, [(Some(shown.to_owned()), true)]);
        let list = "- Rome has 41,000 trees\n- Pisa has 900 trees\n";
        let seen = read(&format!("{list}\nSource: {LINK}\n"), Format::Markdown);
        let shown = "Rome has 41,000 trees. Pisa has 900 trees.";
        assert_eq!(seen, [(Some(shown.to_owned()), true)]);
    }

    #[test]
    fn html_names_sources_in_the_same_ways() {
        let link = "<a href=\"https://a.example/x\">Street trees of the old town</a>";
        for form in [
            "<blockquote cite=\"https://a.example/x\"><p>FACT</p><footer>— LINK</footer></blockquote>",
            "<blockquote>FACT<footer>LINK</footer></blockquote>",
            "<blockquote>FACT<br>— LINK</blockquote>",
            "<blockquote>FACT <cite>LINK</cite></blockquote>",
            "<blockquote><p>FACT</p><p><cite>LINK</cite></p></blockquote>",
            "<figure><blockquote><p>FACT</p></blockquote><figcaption>— LINK</figcaption></figure>",
            "<p>FACT</p><p><small>Source: LINK</small></p>",
            "<ul><li>FACT<ul><li>LINK</li></ul></li></ul>",
            "<ul><li><p>FACT</p><ul><li><p>LINK</p></li></ul></li><li>Oaks grow.</li></ul>",
            "<ol><li><p>FACT</p><p>LINK</p></li></ol>",
            "<dl><dt>FACT</dt><dd>LINK</dd><dt>Oaks grow.</dt><dd>Tall ones.</dd></dl>",
            "<p>According to LINK:</p><blockquote><p>FACT</p></blockquote>",
            "<figure><img src=\"a.png\"><figcaption>FACT</figcaption></figure><p>Source: LINK</p>",
        ] {
            let text = form.replace("FACT", FACT).replace("LINK", link);
            for (text, format) in [
                (format!("<html><body>{text}</body></html>"), Format::Html),
                (
                    format!("# Trees\n\n{text}\n\nOaks grow.\n"),
                    Format::Markdown,
                ),
            ] {
                let seen = read(&text, format);
                assert_eq!(seen, [(Some(FACT.to_owned()), false)], "{text}");
            }
        }
        let text = format!("<h1>Trees</h1><h3>{link}</h3><p>{FACT}</p>");
        let sure = [(Some(FACT.to_owned()), false)];
        assert_eq!(read(&text, Format::Html), sure);
    }

    #[test]
    fn other_formats_name_sources_in_the_same_ways() {
        for (form, format) in [
            ("FACT\n\nSource: LINK\n", Format::Rst),
            (".. epigraph::\n\n   FACT\n\n   -- LINK\n", Format::Rst),
            (
                "Elms grow.\n\n   FACT\n\n   -- LINK\n\nOaks grow.\n",
                Format::Rst,
            ),
            ("- FACT\n\n  - LINK\n", Format::Rst),
            ("FACT\n\nSource: LINK\n", Format::Adoc),
            ("* FACT\n** LINK\n", Format::Adoc),
            ("[quote, LINK]\n____\nFACT\n____\n", Format::Adoc),
            ("[quote, Meyer, https://a.example/x]\nFACT\n", Format::Adoc),
            ("FACT\n\nSource: LINK\n", Format::Text),
            ("- FACT\n  - LINK\n", Format::Text),
        ] {
            let link = match format {
                Format::Rst => "`Street trees of the old town <https://a.example/x>`__",
                Format::Adoc => "https://a.example/x[Street trees of the old town]",
                _ => LINK,
            };
            let text = form.replace("FACT", FACT).replace("LINK", link);
            let seen = read(&text, format);
            assert_eq!(seen, [(Some(FACT.to_owned()), false)], "{text}");
        }
    }

    #[test]
    fn a_paragraph_below_a_linked_title_is_from_that_page() {
        for form in [
            "# Digest\n\n### LINK\n\nFACT\n",
            "# Digest\n\n### LINK\n\nFACT\n\n### [Elms of the old town](https://a.example/y)\n\nElms grow in Pisa.\n",
        ] {
            let seen = read(&filled(form), Format::Markdown);
            assert_eq!(seen[0], (Some(FACT.to_owned()), false), "{form}");
        }
    }

    #[test]
    fn the_nearest_block_is_what_a_source_is_named_for_however_short_it_is() {
        for short in [
            "Printing is free.",
            "Dogs are welcome.",
            "Parking costs nothing.",
        ] {
            let text = format!("# Town\n\nFilms cannot be renewed.\n\n{short}\n\nSource: {LINK}\n");
            let seen = read(&text, Format::Markdown);
            assert_eq!(seen, [(Some(short.to_owned()), false)], "{text}");
        }
        for short in ["Printing", "Elms grow.", "Is it free?", "Free of charge"] {
            let text = format!("# Town\n\nFilms cannot be renewed.\n\n{short}\n\nSource: {LINK}\n");
            let seen = cited(&text, Format::Markdown);
            let entry = seen[0].entry.as_ref().unwrap();
            assert!(seen[0].claim.is_none() && !entry.is_certain, "{text}");
        }
    }

    #[test]
    fn the_items_below_a_title_with_its_source_are_what_is_cited() {
        let items = "- Rome planted 41,000 trees.\n- Elms grow in Pisa.\n";
        let nested = "  - Rome planted 41,000 trees.\n  - Elms grow in Pisa.\n";
        let shown = "Rome planted 41,000 trees. Elms grow in Pisa.";
        for form in [
            "- **Street trees of the old town** ([Times](https://a.example/x))\nNESTED",
            "- Oaks grow.\n- **Street trees** ([Times](https://a.example/x)):\nNESTED- Yews grow.\n",
            "**Street trees of the old town** ([Times](https://a.example/x))\n\nITEMS",
            "- The [Times](https://a.example/x) reports the following:\nNESTED",
            "The [Times](https://a.example/x) reports the following:\n\nITEMS",
            "Key facts from the [Times](https://a.example/x):\n\nITEMS",
            "The long survey of trees in the [Times](https://a.example/x) of last week found the following about it:\n\nITEMS",
        ] {
            let text = form.replace("ITEMS", items).replace("NESTED", nested);
            let seen = read(&text, Format::Markdown);
            assert_eq!(seen, [(Some(shown.to_owned()), true)], "{text}");
        }
    }

    #[test]
    fn lists_of_links_are_no_sources_of_their_neighbours() {
        for form in [
            "FACT\n\n## See also\n\n- LINK\n",
            "# Trees\n\n## See also\n\nFACT\n\nSource: LINK\n",
            "FACT\n\n## References\n\n- LINK\n",
            "FACT\n\nSee also: LINK\n",
            "FACT\n\nSee LINK for details.\n",
            "FACT\n\nLearn more at [our site](https://a.example/x).\n",
            "FACT\n\n### LINK\n",
            "# LINK\n\nFACT\n",
            "FACT\n\n- LINK\n- [Oaks of the old town](https://a.example/y)\n",
            "FACT\n\n---\n\nSource: LINK\n",
            "- Trees of the town\n  - LINK\n",
            "- See these pages about the town.\n  - LINK\n",
            "Here are some pages about the town:\n- LINK\n",
            "FACT\n\n[Documentation](https://a.example/x)\n",
            "FACT\n\n[![build](https://a.example/b.svg)](https://a.example/x)\n",
            "FACT [1]\n\nSource: LINK\n",
            "FACT\n\n    code\n    more\n\nSource: LINK\n",
            "- [Oaks of the old town](https://a.example/y)\n  - LINK\n",
            "## [1.2.0](https://a.example/x) (2022-11-30)\n\nFACT\n",
            "- LINK - FACT\n",
            "Install it from LINK:\n\nFACT\n",
            "FACT That is told in\nLINK\n",
            "FACT\nLINK\nare old.\n",
            "FACT\n\n[Elms grow in the old town.](https://a.example/x)\n",
        ] {
            let seen = read(&filled(form), Format::Markdown);
            let is_said = |(claim, _): &(Option<String>, bool)| claim.as_deref() == Some(FACT);
            assert!(!seen.iter().any(is_said), "{form}: {seen:?}");
        }
    }
}
