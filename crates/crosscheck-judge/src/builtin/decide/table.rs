//! Cells of tables, read with the heads of their row and of their column (judge R1): a cell can say a
//! claim, and a figure of the claim can be in a cell that is about something else.

use crosscheck_language::quantity::{Quantity, scan};
use crosscheck_language::text::{normalise, stems};

use super::Case;

/// Only tables of so many lines and bytes are read.
const LINES_MAX: usize = 512;
const LINE_MAX: usize = 4096;
/// A claim with more figures is not compared with tables.
const FIGURES_MAX: usize = 8;
/// A longer line above a table, or a sentence, is not a caption.
const CAPTION_MAX: usize = 120;

/// A row of a table with what is above it.
struct Row<'t> {
    line: &'t str,
    cells: Vec<&'t str>,
    heads: Vec<&'t str>,
    caption: &'t str,
}

impl Case<'_> {
    /// Whether a figure of the claim is only in rows of tables that have nothing else of it, or below
    /// a head that the claim does not name beside one that it names.
    pub(super) fn is_of_another_cell(&self) -> bool {
        let text = self.text.source();
        let claimed = &self.claim.quantities;
        if !(1..=FIGURES_MAX).contains(&claimed.len()) || !text.contains(['\t', '|']) {
            return false;
        }
        let rows = rows(text);
        // `Height in 2020` is not the table of a claim about 2021
        let names_table = |caption: &str| {
            let is_claimed = |own: &Quantity| claimed.iter().any(|one| one.matches(own));
            self.knows(caption) && figures(caption).iter().all(is_claimed)
        };
        let head = |row: &Row<'_>| self.names_head(row.cells.first().copied().unwrap_or_default());
        let named: Vec<(&Row<'_>, bool, bool)> = rows
            .iter()
            .map(|row| (row, head(row), names_table(row.caption)))
            .collect();
        // whether the claim names another row or another table more exactly
        let is_nearer = |(row, by_head, by_caption): &(&Row<'_>, bool, bool)| {
            named.iter().any(|(other, head, caption)| {
                let is_same = other.caption == row.caption;
                is_same && *head && !by_head || !is_same && *caption && !by_caption
            })
        };
        let lines = text
            .lines()
            .filter(|line| line.len() <= LINE_MAX && has_digit(line));
        let lines: Vec<Vec<Quantity>> = lines.take(LINES_MAX).map(figures).collect();
        claimed.iter().any(|one| {
            let is_here = |seen: &Vec<Quantity>| seen.iter().any(|seen| one.matches(seen));
            let others: Vec<&Quantity> = claimed
                .iter()
                .filter(|other| !std::ptr::eq(*other, one))
                .collect();
            let with = named
                .iter()
                .filter(|(row, ..)| row.cells.iter().any(|cell| has(cell, one)));
            let with: Vec<_> = with.collect();
            !with.is_empty()
                && lines.iter().filter(|line| is_here(line)).count() <= with.len()
                && with
                    .iter()
                    .all(|row| self.is_stray(row.0, one, &others) || is_nearer(row))
        })
    }

    fn knows(&self, text: &str) -> bool {
        let stems = stems(&normalise(text));
        stems.iter().any(|stem| self.held.own(stem).is_some())
    }

    fn is_stray(&self, row: &Row<'_>, own: &Quantity, others: &[&Quantity]) -> bool {
        let names = |head: &str| self.knows(head) || others.iter().any(|other| has(head, other));
        let columns = || row.heads.iter().zip(&row.cells).skip(1);
        let is_named = columns().any(|(head, cell)| has(cell, own) && names(head));
        let is_beside = columns().any(|(head, cell)| names(head) && !has(cell, own));
        let is_about = names(row.line) || names(row.caption);
        !is_about || is_beside && !is_named
    }

    /// Whether a claim has all that a head says.
    fn names_head(&self, head: &str) -> bool {
        let figures = figures(head);
        let words = stems(&without_unit(head));
        let names = |stem: &String| self.claim.stems.iter().any(|own| *own.text == **stem);
        (!figures.is_empty() || !words.is_empty())
            && figures.iter().all(|one| self.has_figure(one))
            && words.iter().all(names)
    }

    fn has_figure(&self, seen: &Quantity) -> bool {
        self.claim.quantities.iter().any(|one| one.matches(seen))
    }
}

/// The rows of the tables of a text; columns are between tabs or bars.
fn rows(text: &str) -> Vec<Row<'_>> {
    let (mut heads, mut caption): (Option<Vec<&str>>, &str) = (None, "");
    let mut found = Vec::new();
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && line.len() <= LINE_MAX);
    for line in lines.take(LINES_MAX).filter(|_| text.contains(['\t', '|'])) {
        let inner = line
            .trim()
            .strip_prefix('|')
            .map(|line| line.trim_end_matches('|'));
        let cells: Vec<&str> = match inner {
            Some(inner) => inner.split('|').map(str::trim).collect(),
            None => line.split('\t').map(str::trim).collect(),
        };
        if cells.len() < 2 {
            let is_caption =
                line.len() <= CAPTION_MAX && !line.trim_end().ends_with(['.', '!', '?']);
            (heads, caption) = (None, if is_caption { line } else { caption });
            continue;
        }
        if cells
            .iter()
            .all(|cell| cell.trim_matches(['-', ':', '=']).is_empty() && !cell.is_empty())
        {
            continue;
        }
        let is_pair =
            cells.len() == 2 && heads.is_none() && cells.iter().skip(1).any(|cell| has_digit(cell));
        if !is_pair && (heads.is_none() || is_head(&cells)) {
            heads = Some(cells);
            continue;
        }
        let above = heads.clone().unwrap_or_else(|| vec![""; cells.len()]);
        if above.len() == cells.len() {
            found.push(Row {
                line,
                cells,
                heads: above,
                caption,
            });
        }
    }
    found
}

/// A row without figures, or one of years behind an empty cell.
fn is_head(cells: &[&str]) -> bool {
    let is_year = |cell: &&str| cell.len() == 4 && cell.bytes().all(|byte| byte.is_ascii_digit());
    let first = cells.first().copied().unwrap_or_default();
    let years = first.is_empty() || first.eq_ignore_ascii_case("year");
    !cells.iter().any(|cell| has_digit(cell)) || years && cells.iter().skip(1).all(is_year)
}

fn has_digit(cell: &str) -> bool {
    cell.contains(|c: char| c.is_ascii_digit())
}

fn has(text: &str, wanted: &Quantity) -> bool {
    figures(text).iter().any(|one| wanted.matches(one))
}

fn figures(text: &str) -> Vec<Quantity> {
    scan(&normalise(text), false)
}

fn without_unit(head: &str) -> String {
    normalise(head.split('(').next().unwrap_or_default())
}
