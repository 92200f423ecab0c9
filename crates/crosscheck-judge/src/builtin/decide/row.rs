//! Figures and codes of a claim that are in another row of a table (judge R1).

use super::super::quantity::{Quantity, scan};
use super::super::text::{normalise, stems};
use super::Case;
use super::opposite::codes;
use super::overlap::Overlap;

/// At most this many lines of a table are read, and none that is longer.
const LINES_MAX: usize = 1024;
const LINE_MAX: usize = 4096;

/// A line of the text, with its figures.
struct Line {
    text: String,
    is_row: bool,
    figures: Vec<Quantity>,
}

impl Case<'_> {
    /// Whether a figure or a code of the claim is only in rows of tables that have nothing else of
    /// it.
    pub(super) fn is_of_another_row(&self, overlap: &Overlap) -> bool {
        let own: Vec<(&str, &str)> = codes(self.claim.text).collect();
        if self.claim.quantities.is_empty() && own.is_empty() {
            return false;
        }
        let lines = self.lines_near(overlap);
        let claimed = &self.claim.quantities;
        let units = claimed.iter().flat_map(|one| self.unit_stems(one));
        let units: Vec<u32> = units.collect();
        let is_code = |stem: &str| {
            own.iter()
                .any(|(letters, _)| letters.eq_ignore_ascii_case(stem))
        };
        let is_word = |stem: &str| {
            let known = self.held.own(stem);
            known.is_some_and(|one| !units.contains(&one)) && !is_code(stem)
        };
        let has_word = |line: &Line| stems(&line.text).iter().any(|stem| is_word(stem));
        let has_code = |line: &Line| codes(&line.text).any(|code| own.contains(&code));
        let strays = |has: &dyn Fn(&Line) -> bool, is_named: &dyn Fn(&Line) -> bool| {
            let mut with = lines.iter().filter(|line| has(line)).peekable();
            with.peek().is_some() && with.all(|line| line.is_row && !is_named(line))
        };
        let has_figure = |line: &Line| claimed.iter().any(|one| line.has(one));
        claimed.iter().any(|one| {
            strays(&|line| line.has(one), &|line| {
                has_word(line) || has_code(line)
            })
        }) || own.iter().any(|code| {
            let has = |line: &Line| codes(&line.text).any(|one| one == *code);
            strays(&has, &|line| has_word(line) || has_figure(line))
        })
    }

    /// The lines of the best window and around it, if it has a table.
    fn lines_near(&self, overlap: &Overlap) -> Vec<Line> {
        let reach = self.thresholds.neighbours_code;
        let units = &self.text.index().units;
        let from = overlap.units.start.saturating_sub(reach);
        let to = units.len().min(overlap.units.end + reach);
        let near = units.get(from).zip(units.get(to.saturating_sub(1)));
        let near = near.map(|(first, last)| first.range().start..last.range().end);
        let near = near.map(|range| self.text.source_of(range));
        let near = near.filter(|near| near.contains('\t')).unwrap_or_default();
        let lines = near.lines().filter(|line| line.len() <= LINE_MAX);
        lines.take(LINES_MAX).map(Line::of).collect()
    }
}

impl Line {
    fn of(line: &str) -> Self {
        let text = normalise(line);
        Self {
            is_row: line.trim().contains('\t'),
            figures: scan(&text, false),
            text,
        }
    }

    fn has(&self, wanted: &Quantity) -> bool {
        self.figures.iter().any(|one| wanted.matches(one))
    }
}
