//! Figures of tables (judge R1). A row with several figures does not say by itself which is whose: only
//! one with a name and a value can say a claim.

use crosscheck_language::quantity::{Quantity, scan};
use crosscheck_language::text::{normalise, stems};

use super::Case;

/// Only tables of so many lines and bytes are read.
const LINES_MAX: usize = 512;
const LINE_MAX: usize = 4096;
/// A claim with more figures is not compared with tables.
const FIGURES_MAX: usize = 8;

impl Case<'_> {
    /// Whether a figure of the claim is only in rows of tables that do not say it of the claim's subject.
    pub(super) fn is_of_another_cell(&self) -> bool {
        let text = self.text.source();
        let claimed = &self.claim.quantities;
        if !(1..=FIGURES_MAX).contains(&claimed.len()) || !text.contains(['\t', '|']) {
            return false;
        }
        let lines = text.lines().filter(|line| line.len() <= LINE_MAX);
        let lines: Vec<Vec<&str>> = lines.take(LINES_MAX).map(cells).collect();
        let named = |row: &[&str]| row.first().map_or(0, |name| self.named(name));
        let most = lines.iter().map(|row| named(row)).max().unwrap_or(0);
        // of the same name in two tables it is not known which one is meant
        let is_named =
            |row: &[&str]| matches!(row, [name, _] if most > 0 && self.named(name) == most);
        let is_valued = |row: &[&str]| is_named(row) && row.iter().any(|cell| has_digit(cell));
        claimed.iter().any(|one| {
            let with = || lines.iter().filter(|row| has(row, one));
            let is_disputed = || lines.iter().any(|row| is_valued(row) && !has(row, one));
            let is_in_sentence = || with().any(|row| row.len() < 2);
            let is_said = || with().any(|row| is_named(row)) && !is_disputed();
            with().next().is_some() && !is_in_sentence() && !is_said()
        })
    }

    /// How many words of a name the claim has; none where it lacks one of them.
    fn named(&self, name: &str) -> usize {
        let words = stems(&normalise(name));
        let is_own = |stem: &String| self.held.own(stem).is_some();
        if words.iter().all(is_own) {
            words.len()
        } else {
            0
        }
    }
}

/// The cells of a row, between tabs or bars.
fn cells(line: &str) -> Vec<&str> {
    let inner = line.trim().strip_prefix('|');
    let cells: Vec<&str> = match inner {
        Some(inner) => inner.trim_end_matches('|').split('|').collect(),
        None => line.split('\t').collect(),
    };
    cells.into_iter().map(str::trim).collect()
}

fn has(row: &[&str], wanted: &Quantity) -> bool {
    let is_there = |cell: &&str| {
        let has_digit = cell.contains(|c: char| c.is_ascii_digit());
        has_digit
            && scan(&normalise(cell), false)
                .iter()
                .any(|one| wanted.matches(one))
    };
    row.iter().any(is_there)
}

fn has_digit(cell: &str) -> bool {
    cell.contains(|c: char| c.is_ascii_digit())
}
