//! The words of the blocks that a source is cited for.

use std::ops::Range;

use super::super::claims::PLACE;
use super::super::naming::{SIGN, beside};
use super::super::tables;
use super::super::tree::BlockKind;
use super::{BLOCKS_MAX, LONGEST, Place, Reader};

impl Reader<'_> {
    /// The words of blocks that name no source themselves, and where they are.
    pub(super) fn words(&self, place: &Place) -> Option<(String, Range<usize>)> {
        let mut said: Vec<String> = Vec::new();
        let mut from: Option<Range<usize>> = None;
        let mut at = place.blocks.start;
        let mut count = 0;
        while at < place.blocks.end {
            let block = self.tree.blocks.get(at)?;
            at += 1;
            let range = match block.kind {
                BlockKind::Heading | BlockKind::Code => return None,
                BlockKind::Table => {
                    let rows = self.rows(&block.range)?;
                    said.push(rows);
                    block.range.clone()
                }
                BlockKind::Quotation | BlockKind::Item | BlockKind::Paragraph => {
                    let own = self.tree.own(block);
                    own.start..own.end.min(place.until)
                }
            };
            if block.kind == BlockKind::Quotation && place.blocks.start + 1 == at {
                return self.words_in(at - 1, place.until);
            }
            if range.is_empty() {
                continue;
            }
            count += 1;
            if count > BLOCKS_MAX || range.len() > LONGEST || self.is_cited(&range) {
                return None;
            }
            if block.kind != BlockKind::Table {
                let words = self.read(&range);
                said.extend((!words.is_empty()).then_some(words));
            }
            let start = from.map_or(range.start, |from: Range<usize>| from.start);
            from = Some(start..range.end);
            // the words of an item can be a paragraph in it
            let is_empty = said.is_empty() && block.kind == BlockKind::Item;
            if let Some(first) = block.first.filter(|_| is_empty && place.blocks.end == at) {
                return self.words_in(first, place.until);
            }
        }
        Some((joined(&said), from?)).filter(|(words, _)| !words.is_empty())
    }

    /// The words of a block with the blocks in it.
    pub(super) fn words_in(&self, at: usize, until: usize) -> Option<(String, Range<usize>)> {
        let block = self.tree.blocks.get(at)?;
        if block.range.len() > 2 * LONGEST {
            return None;
        }
        let mut said = Vec::new();
        let mut next = at;
        while let Some(one) = self.tree.blocks.get(next) {
            if one.range.start >= block.range.end.min(until) || next > at + BLOCKS_MAX {
                break;
            }
            let own = self.tree.own(one);
            let own = own.start..own.end.min(until);
            if one.kind == BlockKind::Code || self.is_cited(&own) {
                return None;
            }
            let words = self.read(&own);
            said.extend((!words.is_empty()).then_some(words));
            next += 1;
        }
        Some((joined(&said), block.range.start..block.range.end.min(until)))
    }

    /// Whether a range names a source of its own.
    pub(super) fn is_cited(&self, range: &Range<usize>) -> bool {
        let words = beside(self.text, self.seen, range);
        let use_at = self.uses.0.partition_point(|one| one.start < range.start);
        let has_use = self
            .uses
            .0
            .get(use_at)
            .is_some_and(|one| one.start < range.end);
        words.contains(PLACE) || has_use
    }

    pub(super) fn read(&self, range: &Range<usize>) -> String {
        let words = self.seen.read(self.text, range);
        let sign = SIGN.find(&words);
        let words = words
            .get(sign.map_or(0, |sign| sign.end())..)
            .unwrap_or_default();
        let words = words.trim_matches(['>', ' ', '\n']);
        // the signs around a quotation; those of its first words belong to them
        let inner = words
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        inner
            .filter(|inner| !inner.contains('"'))
            .unwrap_or(words)
            .to_owned()
    }

    /// The rows of a table, with the headings of their columns.
    fn rows(&self, range: &Range<usize>) -> Option<String> {
        let (table, _) = tables::around(&self.seen.tables, range.end - 1)?;
        let table = self.seen.tables.get(table)?;
        let heads = tables::heads(table, |cell| self.cell(cell));
        let row = |cells: &Vec<Range<usize>>| {
            let cells = tables::columns(cells, &heads).map(|(at, cell, head)| {
                let said = self.cell(cell);
                let head = &head.all;
                if at == 0 || head.is_empty() {
                    said
                } else {
                    format!("{head} {said}")
                }
            });
            cells.collect::<Vec<_>>().join(", ")
        };
        let rows: Vec<String> = table.rows.iter().take(BLOCKS_MAX + 1).map(row).collect();
        (rows.len() <= BLOCKS_MAX).then(|| joined(&rows))
    }

    fn cell(&self, cell: &Range<usize>) -> String {
        self.seen
            .read(self.text, cell)
            .trim_matches(['|', ' '])
            .to_owned()
    }
}

/// Several pieces as sentences.
fn joined(said: &[String]) -> String {
    let [one] = said else {
        let sentences = said.iter().map(|words| {
            let is_ended = words.ends_with(['.', '!', '?', '"', '”', ':', ';']);
            format!("{words}{}", if is_ended { "" } else { "." })
        });
        return sentences.collect::<Vec<_>>().join(" ");
    };
    one.clone()
}
