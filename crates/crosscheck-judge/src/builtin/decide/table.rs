//! Cells of tables, read with the heads of their row and of their column (judge R1): a cell can say a
//! claim, and a figure of the claim can be in a cell that is about something else.

use std::collections::HashSet;

use crosscheck_language::phrase::negations;
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

/// Words that say no more than that a row has what a cell holds.
const PLAIN: &str = "about around roughly approximately a an the in of on at for per was were is are be had has \
    have there its with stood amounted to counted recorded reached allows offers year total s";
/// Words, and the heads that they stand for.
const VERBS: [(&str, &[&str]); 12] = [
    ("costs", &["price", "cost", "fee"]),
    ("cost", &["price", "cost", "fee"]),
    ("weighs", &["weight", "mass"]),
    ("lasts", &["duration", "lifetime"]),
    ("lived", &["population", "inhabitants"]),
    ("high", &["height", "elevation"]),
    ("tall", &["height"]),
    ("rises", &["elevation"]),
    ("long", &["length"]),
    ("wide", &["width"]),
    ("deep", &["depth"]),
    ("thick", &["thickness"]),
];
/// Heads of columns that name nothing.
const GENERAL: [&str; 9] = [
    "",
    "value",
    "values",
    "amount",
    "data",
    "details",
    "result",
    "figure",
    "specification",
];

/// A row of a table with what is above it.
struct Row<'t> {
    line: &'t str,
    cells: Vec<&'t str>,
    heads: Vec<&'t str>,
    caption: &'t str,
}

impl Case<'_> {
    /// The row of a table with a cell that says the claim. Every cell that the claim names has to
    /// say it: the same heads can be in two tables.
    pub(super) fn saying_row(&self) -> Option<&str> {
        let is_plain = negations(self.claim).next().is_none() && !self.claim.question;
        if !(1..=FIGURES_MAX).contains(&self.claim.quantities.len()) || !is_plain {
            return None;
        }
        let mut named: Vec<(usize, bool, bool, &str)> = Vec::new();
        for row in rows(self.text.source()) {
            let first = row.cells.first().copied().unwrap_or_default();
            if !self.names_head(first) {
                continue;
            }
            for (head, cell) in row.heads.iter().zip(&row.cells).skip(1) {
                let is_general = GENERAL.contains(&head.to_lowercase().as_str());
                if has_digit(cell) && (is_general || self.names_head(head)) {
                    let weight = stems(first).len() + stems(head).len();
                    let says = self.is_said_by(&row, head, cell);
                    named.push((weight, self.names_caption(row.caption), says, row.line));
                }
            }
        }
        // `Youth unemployment` is not `Unemployment`; of tables with the same heads, the one whose
        // caption the claim names
        let (most, is_named) = named.iter().map(|one| (one.0, one.1)).max()?;
        named.retain(|one| (one.0, one.1) == (most, is_named));
        let all_say = named.iter().all(|one| one.2);
        named.first().filter(|_| all_say).map(|one| one.3)
    }

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
        let names = |stem: &String| {
            let said = self.claim.stems.iter().any(|own| *own.text == **stem);
            said || self.claim_words().any(|word| stands_for(&word, stem))
        };
        (!figures.is_empty() || !words.is_empty())
            && figures.iter().all(|one| self.has_figure(one))
            && words.iter().all(names)
    }

    /// The words of the claim outside its figures, in small letters.
    fn claim_words(&self) -> impl Iterator<Item = String> {
        let mut text = self.claim.text.to_owned();
        for one in &self.claim.quantities {
            text.replace_range(one.range.clone(), &" ".repeat(one.range.len()));
        }
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>().into_iter()
    }

    /// Whether a cell and what is around it have every figure and every word of a claim.
    fn is_said_by(&self, row: &Row<'_>, head: &str, cell: &str) -> bool {
        let first = row.cells.first().copied().unwrap_or_default();
        let corner = row.heads.first().copied().unwrap_or_default();
        let unit = [unit_of(head), unit_of(first)].into_iter().flatten().next();
        let cell = unit.map_or_else(|| cell.to_owned(), |unit| format!("{cell} {unit}"));
        let own = figures(&without_unit(&cell));
        let header = self.question.header.unwrap_or_default();
        let heads: Vec<Quantity> = [first, head, row.caption, header]
            .into_iter()
            .flat_map(figures)
            .collect();
        let mut known: HashSet<String> = HashSet::new();
        for text in [first, head, corner, row.caption, header, &cell] {
            known.extend(stems(&normalise(text)));
            // `K3` has no stem
            known.extend(
                text.split(|c: char| !c.is_alphanumeric())
                    .map(str::to_lowercase),
            );
        }
        if unit.is_some_and(|unit| unit.contains("m²")) {
            known.extend(stems("square metre meter"));
        }
        let is_known = |word: String| {
            let stems = stems(&word);
            PLAIN.split(' ').any(|one| one == word)
                || known.contains(&word)
                || known.iter().any(|stem| stands_for(&word, stem))
                || !stems.is_empty() && stems.iter().all(|stem| known.contains(stem))
        };
        let is_there =
            |all: &[Quantity], wanted: &Quantity| all.iter().any(|one| wanted.matches(one));
        let claimed = &self.claim.quantities;
        claimed.iter().any(|one| is_there(&own, one))
            && claimed
                .iter()
                .all(|one| is_there(&own, one) || is_there(&heads, one))
            && own.iter().all(|one| self.has_figure(one))
            && self.claim_words().all(is_known)
            && names_in(row.caption)
                .all(|name| self.claim.text.contains(name) || header.contains(name))
    }

    fn has_figure(&self, seen: &Quantity) -> bool {
        self.claim.quantities.iter().any(|one| one.matches(seen))
    }

    /// Whether a claim has all that a caption names.
    fn names_caption(&self, caption: &str) -> bool {
        let own = names_in(caption).map(|name| self.claim.text.contains(name));
        own.reduce(|all, own| all && own).unwrap_or(false)
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

fn stands_for(word: &str, head: &str) -> bool {
    let mut verbs = VERBS.iter().filter(|(verb, _)| *verb == word);
    verbs.any(|(_, heads)| {
        heads
            .iter()
            .any(|one| stems(one).iter().any(|stem| stem == head))
    })
}

/// Names and figures of a caption.
fn names_in(caption: &str) -> impl Iterator<Item = &str> {
    let names = caption.split_whitespace().skip(1);
    let names = names.filter(|word| word.starts_with(char::is_uppercase) || has_digit(word));
    let names = names.map(|name| name.trim_matches(|c: char| !c.is_alphanumeric()));
    names.filter(|name| !name.is_empty())
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

/// `EUR` in `Rent (EUR)`
fn unit_of(head: &str) -> Option<&str> {
    let (_, unit) = head.split_once('(')?;
    unit.split_once(')').map(|(unit, _)| unit.trim())
}

fn without_unit(head: &str) -> String {
    normalise(head.split('(').next().unwrap_or_default())
}
