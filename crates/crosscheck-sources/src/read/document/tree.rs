//! The blocks of a document as a tree: which is in which, and behind which.
//!
//! It is built once from what the reader of the format saw. Lists are not blocks
//! of their own; their items know which items they are with.

use std::cmp::Reverse;
use std::ops::Range;

use super::structure::{DocumentParts, Table};

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BlockKind {
    /// An item of a list, or what explains a term.
    Item,
    /// A block of words of others.
    Quotation,
    /// A table; its cells are not blocks here.
    Table,
    /// Code.
    Code,
    Heading,
    Paragraph,
}

/// One block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) range: Range<usize>,
    pub(super) parent: Option<usize>,
    /// The block before it in the same parent.
    pub(super) before: Option<usize>,
    /// The block behind it in the same parent.
    pub(super) after: Option<usize>,
    /// The first block in it.
    pub(super) first: Option<usize>,
    /// Of an item: the first item of its list.
    pub(super) list: usize,
}

/// The blocks of a document, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) blocks: Vec<Block>,
}

impl Tree {
    pub(super) fn of(text: &str, seen: &DocumentParts) -> Self {
        let mut all: Vec<(Range<usize>, BlockKind)> = seen.kinds.clone();
        let headings = seen.headings.iter();
        all.extend(headings.map(|heading| (heading.range.clone(), BlockKind::Heading)));
        all.extend(
            seen.tables
                .iter()
                .filter_map(around)
                .map(|range| (range, BlockKind::Table)),
        );
        let is_block = |range: &&Range<usize>| {
            text.get((*range).clone())
                .is_some_and(|code| code.contains('\n'))
        };
        let code = seen.code.iter().filter(is_block);
        all.extend(code.map(|range| (range.clone(), BlockKind::Code)));
        all.extend(
            seen.blocks
                .iter()
                .map(|range| (range.clone(), BlockKind::Paragraph)),
        );
        all.sort_by_key(|(range, kind)| (range.start, Reverse(range.end), *kind));
        all.dedup_by(|next, one| next.0 == one.0);
        let mut tree = Self::default();
        let mut open: Vec<usize> = Vec::new();
        let mut last: Option<usize> = None;
        for (range, kind) in all {
            while let Some(closed) = open.pop_if(|at| tree.end(*at) <= range.start) {
                last = Some(closed);
            }
            let parent = open.last().copied();
            let above = parent
                .and_then(|at| tree.blocks.get(at))
                .map(|one| one.kind);
            // nothing in it is a block of its own
            if above.is_some_and(|kind| !matches!(kind, BlockKind::Item | BlockKind::Quotation)) {
                continue;
            }
            open.push(tree.add(range, kind, parent, last));
            last = None;
        }
        tree
    }

    fn end(&self, at: usize) -> usize {
        self.blocks.get(at).map_or(0, |block| block.range.end)
    }

    fn add(
        &mut self,
        range: Range<usize>,
        kind: BlockKind,
        parent: Option<usize>,
        before: Option<usize>,
    ) -> usize {
        let own = self.blocks.len();
        let sibling = before.and_then(|at| self.blocks.get_mut(at));
        let list = sibling.map_or(own, |last| {
            last.after = Some(own);
            if (last.kind, kind) == (BlockKind::Item, BlockKind::Item) {
                last.list
            } else {
                own
            }
        });
        if let Some(parent) = parent.and_then(|at| self.blocks.get_mut(at)) {
            parent.first.get_or_insert(own);
        }
        self.blocks.push(Block {
            kind,
            range,
            parent,
            before,
            after: None,
            first: None,
            list,
        });
        own
    }

    pub(super) fn get(&self, at: Option<usize>) -> Option<&Block> {
        self.blocks.get(at?)
    }

    /// The words of a block before the blocks in it.
    pub(super) fn own(&self, block: &Block) -> Range<usize> {
        let end = self.get(block.first).map(|first| first.range.start);
        block.range.start..end.unwrap_or(block.range.end)
    }
}

/// From the first cell of a table to the last.
fn around(table: &Table) -> Option<Range<usize>> {
    let start = table.cells().map(|cell| cell.start).min()?;
    let end = table.cells().map(|cell| cell.end).max()?;
    Some(start..end)
}
