//! Tables: what a source in a row is cited for.

use std::ops::Range;

use crosscheck_judge::builtin::{has_figure, stems};

use super::claims::Reads;
use super::labels::is_citation;
use super::structure::{DocumentParts, Link, Table};
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
    /// Headings of columns in which the author rates a source, or says when it was looked at.
    OWN,
    r"(?i)^(?:(?:date )?(?:accessed|retrieved)|access(?:ed)? date|(?:last )?(?:checked|verified)|(?:source |evidence )?(?:confidence|reliability|credibility|quality|tier)(?: level| score| \(.*\))?|published|publication date|verdict)$"
}

pattern! {
    /// Headings beside a column of claims that date, rate or number them.
    BESIDE,
    r"(?i)\b(?:dates?|day|when|year|time|accessed|updated|published|scores?|rating|confidence|pages?|pp?|id|no|nr|tier|level|priority|weight)\b|#"
}

/// What a row says.
#[derive(Clone)]
pub(super) struct Said {
    pub(super) claim: String,
    /// The same with cells that may only say something of the source.
    pub(super) whole: Option<String>,
    /// The link names what the row is about: its page may lack what the row says.
    pub(super) is_named: bool,
    /// The link may be cited for something else.
    pub(super) is_loose: bool,
}

/// What cites a source in a cell.
#[derive(Clone, Copy)]
pub(super) enum Cites<'l> {
    Link(&'l Link),
    Url,
    /// A mark such as `[1]`, or the use of a footnote.
    Mark,
}

impl Cites<'_> {
    /// It is a link whose words only say where something is from.
    pub(super) fn is_label(self) -> bool {
        matches!(self, Self::Link(link) if is_citation(&link.title))
    }
}

/// A cell with so many words of its own is a sentence.
const SENTENCE: usize = 5;

/// What the row says that a source is cited in, with the headings of its columns;
/// none where it is not a source of the row.
pub(super) fn claim(
    text: &str,
    seen: &DocumentParts,
    table: &Table,
    row: usize,
    link: &Range<usize>,
    by: Cites<'_>,
) -> Option<Said> {
    let cells = table.rows.get(row)?;
    let own = cells
        .iter()
        .position(|cell| cell.start <= link.start && link.end <= cell.end)?;
    let read = |range: &Range<usize>| seen.read(text, range).trim_matches(['|', ' ']).to_owned();
    let heads = heads(table, read);
    let is = |form: &Pattern, words: &str| form.is_match(words.trim());
    let in_column = heads.get(own).is_some_and(|head| is(&SOURCES, &head.own));
    let is_label = by.is_label();
    let is_mark = matches!(by, Cites::Mark);
    let is_named = !in_column && !is_label && !is_mark && names_row(text, cells, own, by);
    if !in_column && !is_label && !is_mark && !is_named {
        return None;
    }
    // What a mark cites can be a sentence in the cell.
    if is_mark && !in_column && stems(&read(cells.get(own)?)).len() >= SENTENCE {
        return None;
    }
    let (mut parts, mut whole) = (Vec::new(), Vec::new());
    let has_claims = heads.iter().any(|head| is(&CLAIMS, &head.own));
    for (at, cell, Head { own: head, all }) in columns(cells, &heads) {
        let said = read(cell);
        // beside a column of claims, a figure dates or rates them
        let is_figure = || has_figure(&said);
        let is_beside = || has_claims && !is(&CLAIMS, head) && is_figure();
        let mut may_be_beside = false;
        if at != own && (is(&OWN, head) || is_beside()) {
            may_be_beside = !has_claims || !(is(&OWN, head) || is(&BESIDE, head));
            if !may_be_beside {
                continue;
            }
        }
        let is_source = at == own || is(&SOURCES, head);
        // What another mark cites is not what this one is cited for.
        let is_other = is_mark && !in_column && at != own && at > 0 && has_mark(seen, cell);
        if said.is_empty()
            || is_other
            || (is_source && in_column)
            || (at == own && is_label && said.split_whitespace().count() < 2)
        {
            continue;
        }
        // without a heading only the first column can count
        if at != own
            && (at == 0 || !head.is_empty())
            && is(&COUNTS, head)
            && said.len() <= 4
            && said
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            if at == 0 {
                continue;
            }
            may_be_beside = true; // the number of a player
        }
        let is_bare = |parts: &[String]| all.is_empty() || parts.is_empty();
        let row_text = |is_bare| {
            if is_bare {
                said.clone()
            } else {
                format!("{all} {said}")
            }
        };
        whole.push(row_text(is_bare(&whole)));
        if !may_be_beside {
            parts.push(row_text(is_bare(&parts)));
        }
    }
    let claim = parts.join(", ");
    let whole = (whole.len() > parts.len()).then(|| whole.join(", "));
    let is_more = !is_named || parts.len() > 1;
    (!claim.is_empty() && is_more).then_some(Said {
        claim,
        whole,
        is_named,
        is_loose: false,
    })
}

/// What heads a column.
pub(super) struct Head {
    /// What is next to the rows of the table.
    own: String,
    /// That and what is above it, without figures: those are not figures of a row.
    pub(super) all: String,
}

static NO_HEAD: Head = Head {
    own: String::new(),
    all: String::new(),
};

/// The cells of a row, each once, with its column and what heads it. No single
/// head says what is below several of them.
pub(super) fn columns<'c>(
    cells: &'c [Range<usize>],
    heads: &'c [Head],
) -> impl Iterator<Item = (usize, &'c Range<usize>, &'c Head)> {
    let is_same = |one: usize, cell: &Range<usize>| cells.get(one) == Some(cell);
    let own = cells.iter().enumerate();
    let own = own.filter(move |(at, cell)| at.checked_sub(1).is_none_or(|at| !is_same(at, cell)));
    own.map(move |(at, cell)| {
        let head = heads.get(at).filter(|_| !is_same(at + 1, cell));
        (at, cell, head.unwrap_or(&NO_HEAD))
    })
}

/// At most this many rows head a table; more of them are data.
const HEAD_ROWS: usize = 4;

pub(super) fn heads(table: &Table, read: impl Fn(&Range<usize>) -> String) -> Vec<Head> {
    let is_title =
        |row: &[Range<usize>]| row.len() > 1 && row.iter().all(|cell| Some(cell) == row.first());
    let last = table.head.len().saturating_sub(HEAD_ROWS);
    let rows = table.head.get(last..).unwrap_or_default().iter();
    let rows: Vec<&Vec<Range<usize>>> = rows.filter(|row| !is_title(row)).collect();
    let columns = 0..rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let head = |column: usize| {
        let mut cells: Vec<&Range<usize>> = rows.iter().filter_map(|row| row.get(column)).collect();
        cells.dedup();
        let mut parts: Vec<String> = cells.into_iter().map(&read).collect();
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

/// Whether a link is all that is in the first cell of a row.
fn names_row(text: &str, cells: &[Range<usize>], own: usize, by: Cites<'_>) -> bool {
    let Cites::Link(link) = by else {
        return false;
    };
    let cell = cells.get(own).filter(|_| own == 0);
    cell.is_some_and(|cell| {
        let around = [cell.start..link.range.start, link.range.end..cell.end];
        let mut around = around.into_iter().filter_map(|side| text.get(side));
        around.all(|side| !side.contains(char::is_alphanumeric))
    })
}

/// Whether a mark is in a cell.
fn has_mark(seen: &DocumentParts, cell: &Range<usize>) -> bool {
    let first = seen
        .edits
        .partition_point(|edit| edit.range.start < cell.start);
    let inside = seen.edits.get(first..).unwrap_or_default().iter();
    inside
        .take_while(|edit| edit.range.start < cell.end)
        .any(|edit| edit.with == Reads::Mark)
}

/// The table and row around a place.
pub(super) fn around(tables: &[Table], at: usize) -> Option<(usize, usize)> {
    let start = |table: &Table| table.cells().next().map(|cell| cell.start);
    let table = tables
        .partition_point(|table| start(table).is_some_and(|start| start <= at))
        .checked_sub(1)?;
    let rows = &tables.get(table)?.rows;
    // cells of rows above may reach into a row: its own ones end last
    let end = |row: &Vec<Range<usize>>| row.iter().map(|cell| cell.end).max();
    let row = rows.partition_point(|row| end(row).is_none_or(|end| end <= at));
    let covers = rows.get(row)?.iter().any(|cell| cell.contains(&at));
    covers.then_some((table, row))
}
