//! Tables: what a source in a row is cited for.

use std::sync::Arc;

use crosscheck_core::rules::Rule;
use crosscheck_judge::builtin::{has_figure, stems};

use super::Firm;
use super::bind::{By, Claim, Spot};
use super::doc::{Doc, Table};
use super::labels::is_citation;
use crate::pattern::{Pattern, pattern};

pattern! {
    /// Headings of columns that hold sources.
    SOURCES,
    r"(?i)^(?:(?:primary|main|data|key|original)\s+)?(?:sources?|references?|refs?\.?|citations?|links?|urls?|doi|evidence|papers?|stud(?:y|ies)|reports?|website|page|reviews?|read more|more info|details|article|quellen?|beleg|nachweise?|fuentes?|fontes?|fonti|来源|出处|出典|参考)(?:\s*(?:\(.*\)|links?|urls?))?$"
}
pattern! {
    /// Headings of columns that only count.
    COUNTS, r"(?i)^(?:#|no\.?|nr\.?|id|rank|row|item|s/n|)$"
}

pattern! {
    /// Headings of columns that hold what the source is cited for.
    CLAIMS,
    r"(?i)^(?:(?:key|main)\s+)?(?:claims?|findings?|facts?|statements?|takeaways?|insights?|quotes?|quotations?|assertions?)$"
}
pattern! {
    /// Headings that say nothing of what is below them.
    NAMELESS,
    r"(?i)^(?:details?|results?|information|description|notes?|summary|what)$"
}
pattern! {
    /// Headings of columns in which the author rates a source, or says when it was looked at.
    OWN,
    r"(?i)^(?:(?:date )?(?:accessed|retrieved)|access(?:ed)? date|(?:last )?(?:checked|verified)|(?:source |evidence )?(?:confidence|reliability|credibility|quality|tier)(?: level| score| \(.*\))?|published|publication date|verdict)$"
}

pattern! {
    /// Headings beside a column of claims that date, rate or number them.
    BESIDE,
    r"(?i)\b(?:dates?|day|when|year|time|accessed|updated|published|scores?|rating|confidence|pages?|pp?|id|no|nr|tier|level|priority|weight)\b|#"
}

const ROW: Rule = Rule::new(
    "sources.row",
    "a source in a table is cited for its row with the heads of the columns",
);

/// A cell with so many words of its own is a sentence.
const SENTENCE: usize = 5;
/// At most this many rows head a table; more of them are data.
const HEAD_ROWS: usize = 4;

/// What heads a column.
#[derive(Debug, Default, Clone)]
pub(super) struct Head {
    /// What is next to the rows of the table.
    own: String,
    /// That and what is above it, without figures: those are not figures of a row.
    all: String,
}

/// A row of a table with a cell that cites.
pub(super) struct Row<'d> {
    doc: &'d Doc,
    spots: &'d [Vec<Spot>],
    /// Blocks of the cells; one that spans columns is in each of them.
    cells: &'d [usize],
    heads: &'d [Head],
    /// The column of the cell that cites.
    own: usize,
}

impl<'d> Row<'d> {
    /// The row around a cell that is not a head.
    pub(super) fn of(doc: &'d Doc, spots: &'d [Vec<Spot>], block: usize) -> Option<Self> {
        let (table, row, own) = doc.blocks.get(block)?.cell?;
        let table = doc.tables.get(table)?;
        if row < table.heads {
            return None;
        }
        Some(Self {
            doc,
            spots,
            cells: table.rows.get(row)?,
            heads: table.columns.get_or_init(|| heads(doc, table)),
            own,
        })
    }

    fn read(&self, cell: usize) -> String {
        let block = self.doc.blocks.get(cell);
        let spots = self.spots.get(cell).map(Vec::as_slice).unwrap_or_default();
        block.map_or_else(String::new, |block| super::claims::cell_words(block, spots))
    }

    /// What the row says with the headings of its columns; none where it is not
    /// what the source is cited for.
    pub(super) fn claim(&self, spot: &Spot) -> Option<Claim> {
        let is = |form: &Pattern, words: &str| form.is_match(words.trim());
        let own_cell = *self.cells.get(self.own)?;
        let head = self.heads.get(self.own);
        let in_column = head.is_some_and(|head| is(&SOURCES, &head.own));
        let label = spot.title.as_deref().unwrap_or_default();
        let is_label = spot.by == By::Link && is_citation(label);
        let is_mark = spot.by == By::Mark;
        let own_text = self.doc.blocks.get(own_cell)?.text.trim();
        let is_named = !in_column && !is_label && !is_mark && self.own == 0 && own_text == label;
        if !(in_column || is_label || is_mark || is_named) || !ROW.is_on() {
            return None;
        }
        // What a mark cites can be a sentence in the cell.
        if is_mark && !in_column && stems(&self.read(own_cell)).len() >= SENTENCE {
            return None;
        }
        let has_claims = self.heads.iter().any(|head| is(&CLAIMS, &head.own));
        let mut parts: Vec<String> = Vec::new();
        let mut is_loose = false;
        for (at, cell, Head { own, all }) in self.columns() {
            let head = own.as_str();
            let said = self.read(cell);
            let is_own = at == self.own;
            // beside a column of claims, a figure dates or rates them
            let is_rated = is(&OWN, head) || has_claims && !is(&CLAIMS, head) && has_figure(&said);
            let is_sure = has_claims && (is(&OWN, head) || is(&BESIDE, head));
            let is_source = is_own || is(&SOURCES, head);
            // What another mark cites is not what this one is cited for.
            let is_other = is_mark && !in_column && !is_own && at > 0 && self.has_mark(cell);
            let is_count =
                !is_own && is(&COUNTS, head) && (at == 0 || !head.is_empty()) && is_short(&said);
            let is_left_out = said.is_empty()
                || !is_own && is_rated && is_sure
                || is_other
                || is_source && in_column
                || is_own && is_label && said.split_whitespace().count() < 2
                || is_count && at == 0;
            if is_left_out {
                continue;
            }
            is_loose |= !is_own && is_rated || is_count;
            let is_nameless = is(&CLAIMS, head) || is(&NAMELESS, head);
            parts.push(match all.as_str() {
                all if all.is_empty() || parts.is_empty() || is_nameless => said,
                all => format!("{all} {said}"),
            });
        }
        let claim: Arc<str> = parts.join(", ").into();
        let is_more = !is_named || parts.len() > 1;
        (!claim.is_empty() && is_more).then_some(Claim {
            text: Some(claim),
            firm: match () {
                () if is_loose => Firm::No,
                // what is missing on the page of a name may be on others
                () if is_named => Firm::Shared,
                () => Firm::Yes,
            },
            part: None,
        })
    }

    /// The cells of the row, each once, with its column and what heads it. No single
    /// head says what is below several of them.
    fn columns(&self) -> Vec<(usize, usize, Head)> {
        let cells = self.cells.iter().enumerate();
        let is_same = |at: usize, cell: &usize| self.cells.get(at) == Some(cell);
        let first =
            cells.filter(|(at, cell)| at.checked_sub(1).is_none_or(|last| !is_same(last, cell)));
        let found = first.map(|(at, cell)| {
            let head = self.heads.get(at).filter(|_| !is_same(at + 1, cell));
            (at, *cell, head.cloned().unwrap_or_default())
        });
        found.collect()
    }

    fn has_mark(&self, cell: usize) -> bool {
        let spots = self.spots.get(cell).into_iter().flatten();
        spots.clone().any(|spot| spot.by == By::Mark)
    }
}

/// Whether a cell is the number of its row.
fn is_short(said: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    said.len() <= 4 && said.bytes().all(is_digit)
}

fn heads(doc: &Doc, table: &Table) -> Vec<Head> {
    let read = |cell: &usize| {
        let block = doc.blocks.get(*cell);
        block.map_or_else(String::new, |block| super::claims::cell_words(block, &[]))
    };
    let is_title =
        |row: &[usize]| row.len() > 1 && row.iter().all(|cell| Some(cell) == row.first());
    let first = table.heads.saturating_sub(HEAD_ROWS);
    let rows = table
        .rows
        .get(first..table.heads)
        .unwrap_or_default()
        .iter();
    let rows: Vec<&Vec<usize>> = rows.filter(|row| !is_title(row)).collect();
    let columns = 0..rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let head = |column: usize| {
        let mut cells: Vec<&usize> = rows.iter().filter_map(|row| row.get(column)).collect();
        cells.dedup();
        let mut parts: Vec<String> = cells.into_iter().map(read).collect();
        parts.retain(|part| !part.is_empty());
        let own = parts.last().cloned().unwrap_or_default();
        parts.retain(|part| !has_figure(part));
        Head {
            own,
            all: parts.join(" "),
        }
    };
    columns.map(head).collect()
}
