//! Cells of tables that say a claim together with the heads of their row and of their column
//! (judge R1).

use std::collections::HashSet;

use super::super::phrase::negations;
use super::super::quantity::{Quantity, scan};
use super::super::text::{normalise, stems};
use super::Case;

/// Only tables of so many lines and bytes are read.
const LINES_MAX: usize = 4096;
const LINE_MAX: usize = 4096;
/// A longer line above a table, or a sentence, is not a caption.
const CAPTION_MAX: usize = 120;

/// Words that say no more than that a row has what a cell holds.
const PLAIN: [&str; 35] = [
    "about",
    "around",
    "roughly",
    "approximately",
    "a",
    "an",
    "the",
    "in",
    "of",
    "on",
    "at",
    "for",
    "per",
    "was",
    "were",
    "is",
    "are",
    "be",
    "had",
    "has",
    "have",
    "there",
    "its",
    "with",
    "stood",
    "amounted",
    "to",
    "counted",
    "recorded",
    "reached",
    "allows",
    "offers",
    "year",
    "total",
    "s",
];
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
const GENERAL: [&str; 8] = [
    "value",
    "values",
    "amount",
    "data",
    "details",
    "result",
    "figure",
    "specification",
];

/// What a claim says outside its figures.
struct Said {
    words: Vec<String>,
    stems: HashSet<String>,
}

impl Case<'_> {
    /// The row of a table with a cell that says the claim. Every cell that the claim names has to
    /// say it: the same heads can be in two tables.
    pub(super) fn saying_row(&self) -> Option<&str> {
        let text = self.text.source();
        let is_plain = negations(self.claim).next().is_none() && !self.claim.question;
        if !text.contains('\t') || self.claim.quantities.is_empty() || !is_plain {
            return None;
        }
        let said = self.said();
        let (mut head, mut caption): (Option<Vec<&str>>, &str) = (None, "");
        let mut named: Vec<(usize, [bool; 2], &str)> = Vec::new();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        for line in lines.take(LINES_MAX).filter(|line| line.len() <= LINE_MAX) {
            let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
            if cells.len() < 2 {
                let is_caption =
                    line.len() <= CAPTION_MAX && !line.trim_end().ends_with(['.', '!', '?']);
                (head, caption) = (None, if is_caption { line } else { caption });
                continue;
            }
            let is_pair = cells.len() == 2 && head.is_none() && has_figure(cells.get(1)?);
            if !is_pair && (head.is_none() || is_head(&cells)) {
                head = Some(cells);
                continue;
            }
            let row = cells.first().copied().unwrap_or_default();
            let empty = vec![""; cells.len()];
            let heads = head.as_ref().unwrap_or(&empty);
            if heads.len() != cells.len() || !self.has_head(&said, row) {
                continue;
            }
            let corner = heads.first().copied().unwrap_or_default();
            for (column, cell) in heads.iter().zip(&cells).skip(1) {
                let general =
                    column.is_empty() || GENERAL.contains(&column.to_lowercase().as_str());
                if has_figure(cell) && (general || self.has_head(&said, column)) {
                    let weight = stems(row).len() + stems(column).len();
                    let place = [row, column, corner, caption];
                    let says = self.is_said_by(&said, place, cell);
                    named.push((weight, [self.names_caption(caption), says], line));
                }
            }
        }
        // `Youth unemployment` is not `Unemployment`
        let most = named.iter().map(|(weight, ..)| *weight).max()?;
        named.retain(|(weight, ..)| *weight == most);
        // of tables with the same heads, the one whose caption the claim names
        let is_named = named.iter().any(|(_, [is_named, _], _)| *is_named);
        named.retain(|(_, [own, _], _)| *own == is_named);
        let &(_, _, line) = named.first()?;
        named.iter().all(|(_, [_, says], _)| *says).then_some(line)
    }

    fn said(&self) -> Said {
        let mut text = self.claim.text.to_owned();
        for one in &self.claim.quantities {
            text.replace_range(one.range.clone(), &" ".repeat(one.range.len()));
        }
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
        Said {
            words: words.collect(),
            stems: stems(&text).into_iter().collect(),
        }
    }

    /// Whether a claim has all that a head says.
    fn has_head(&self, said: &Said, head: &str) -> bool {
        let figures = figures(head);
        let words = stems(&without_unit(head));
        let names = |stem: &String| said.stems.contains(stem) || said.stands_for(stem);
        (!figures.is_empty() || !words.is_empty())
            && figures.iter().all(|one| self.has_figure(one))
            && words.iter().all(names)
    }

    /// Whether a cell and what is around it have every figure and every word of a claim.
    fn is_said_by(&self, said: &Said, place: [&str; 4], cell: &str) -> bool {
        let [row, column, _, caption] = place;
        let unit = [unit_of(column), unit_of(row)].into_iter().flatten().next();
        let cell = unit.map_or_else(|| cell.to_owned(), |unit| format!("{cell} {unit}"));
        let own = figures(&without_unit(&cell));
        let header = self.question.header.unwrap_or_default();
        let heads = [row, column, caption, header].into_iter();
        let heads: Vec<Quantity> = heads.flat_map(figures).collect();
        let mut known = HashSet::new();
        if unit.is_some_and(|unit| unit.contains("m²")) {
            known.extend(stems("square metre meter"));
        }
        for text in place.into_iter().chain([header, &cell]) {
            known.extend(stems(&normalise(text)));
            // `K3` has no stem
            let words = text.split(|c: char| !c.is_alphanumeric());
            known.extend(words.map(str::to_lowercase));
        }
        let is_known = |word: &String| {
            let stems = stems(word);
            PLAIN.contains(&word.as_str())
                || known.contains(word)
                || is_verb_of(word, &known)
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
            && said.words.iter().all(is_known)
            && self.is_captioned(caption, header)
    }

    fn has_figure(&self, seen: &Quantity) -> bool {
        self.claim.quantities.iter().any(|one| one.matches(seen))
    }

    /// Whether a caption names nothing that neither the claim nor the title has.
    fn is_captioned(&self, caption: &str, header: &str) -> bool {
        names(caption).all(|name| self.claim.text.contains(name) || header.contains(name))
    }

    /// Whether a claim has all that a caption names.
    fn names_caption(&self, caption: &str) -> bool {
        let own = names(caption).map(|name| self.claim.text.contains(name));
        own.reduce(|all, own| all && own).unwrap_or(false)
    }
}

impl Said {
    fn stands_for(&self, head: &str) -> bool {
        let mut verbs = VERBS
            .iter()
            .filter(|(verb, _)| self.words.iter().any(|word| word == verb));
        verbs.any(|(_, heads)| {
            heads
                .iter()
                .any(|one| stems(one).iter().any(|stem| stem == head))
        })
    }
}

/// Whether a word stands for a head that is known.
fn is_verb_of(word: &str, known: &HashSet<String>) -> bool {
    let mut verbs = VERBS.iter().filter(|(verb, _)| *verb == word);
    verbs.any(|(_, heads)| {
        let mut stems = heads.iter().flat_map(|head| stems(head));
        stems.any(|stem| known.contains(&stem))
    })
}

/// Names and figures of a caption.
fn names(caption: &str) -> impl Iterator<Item = &str> {
    let names = caption.split_whitespace().skip(1).filter(|word| {
        word.starts_with(char::is_uppercase) || word.contains(|c: char| c.is_ascii_digit())
    });
    let names = names.map(|name| name.trim_matches(|c: char| !c.is_alphanumeric()));
    names.filter(|name| !name.is_empty())
}

/// A row without figures, or one of years behind an empty cell.
fn is_head(cells: &[&str]) -> bool {
    let has_digit = |cell: &&str| cell.contains(|c: char| c.is_ascii_digit());
    let is_year = |cell: &&str| cell.len() == 4 && cell.bytes().all(|byte| byte.is_ascii_digit());
    let first = cells.first().copied().unwrap_or_default();
    let years = first.is_empty() || first.eq_ignore_ascii_case("year");
    !cells.iter().any(has_digit) || years && cells.iter().skip(1).all(is_year)
}

fn has_figure(cell: &str) -> bool {
    cell.contains(|c: char| c.is_ascii_digit())
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
