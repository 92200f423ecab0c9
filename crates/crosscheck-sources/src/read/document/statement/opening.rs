//! Sources that are named before what they are cited for: a title that opens a block, a term, the
//! tag of a quotation.

use super::super::naming::{Lead, Naming};
use super::super::shape::is_entry;
use super::super::silent::links_in;
use super::super::tables::Said;
use super::super::telling::{is_sentence, states, verb};
use super::super::tree::{Block, BlockKind};
use super::{Place, Reader, SENTENCES_MAX, Stated};
use crate::read::sentence::Sentence;

impl Reader<'_> {
    /// What a quotation says whose tag names its source, unless a link in it does.
    pub(super) fn quoted(&self, at: usize) -> Option<Stated> {
        let block = self.tree.blocks.partition_point(|one| one.range.start < at);
        self.kind(block)
            .filter(|kind| *kind == BlockKind::Quotation)?;
        let (claim, from) = self.words_in(block, usize::MAX)?;
        claim.contains(' ').then(|| Stated {
            range: at..at + 1,
            from,
            said: Said {
                claim,
                whole: None,
                is_named: false,
                is_loose: false,
            },
        })
    }

    /// What follows a title that opens a block, unless the title is itself a statement.
    pub(super) fn opened(&self, block: &Block, naming: &Naming) -> Option<Stated> {
        let from = naming.range.end..self.tree.own(block).end;
        let words = self.read(&from);
        let words = words.trim_start_matches(['.', ':', '-', '–', '—', '*', '_', ' ']);
        let link = links_in(self.seen, &naming.range).into_iter().next()?;
        let is_short = Sentence::all(words).len() <= SENTENCES_MAX;
        let is_statement = !states(&link.title)
            && is_sentence(words, Lead::Label) == Some(true)
            && !is_entry(words, false)
            && !self.is_cited(&from)
            && !self.listed.covers(block.range.start);
        is_statement.then(|| Stated {
            range: naming.range.clone(),
            from,
            said: Said {
                claim: words.to_owned(),
                whole: None,
                is_named: false,
                is_loose: verb(words) != Some(true) || !is_short,
            },
        })
    }

    /// What explains a term that names a source: `<dt>[title](u)</dt><dd>Sentence.</dd>`.
    pub(super) fn definition(&self, item: usize, naming: &Naming) -> Option<Place> {
        let next = self.tree.blocks.get(item)?.after?;
        let written = |at: usize| self.text.get(self.tree.blocks.get(at)?.range.clone());
        let is_term = written(item)?.trim_start().starts_with("<dt")
            || written(next)?.trim_start().starts_with(':');
        let (words, _) = self.words_in(next, usize::MAX)?;
        let is_stated = is_sentence(&words, Lead::Label) == Some(true);
        let is_cited = is_term && is_stated && naming.lead == Lead::Label;
        (is_cited && self.kind(next) == Some(BlockKind::Item)).then(|| Place {
            blocks: next..next + 1,
            until: usize::MAX,
            is_sure: naming.links == 1 && verb(&words) == Some(true),
            is_quoted: false,
        })
    }
}
