//! Figures and codes of a claim that are in another row of a table (judge R1).

use super::super::quantity::{Quantity, scan};
use super::super::text::{normalise, stems};
use super::Case;
use super::opposite::codes;

/// At most this many lines of a table are read, and none that is longer.
const LINES_MAX: usize = 1024;
const LINE_MAX: usize = 4096;

/// A line of the text, with its figures.
struct Line {
    text: String,
    is_row: bool,
    figures: Vec<Quantity>,
    /// The figures of each cell.
    cells: Vec<Vec<Quantity>>,
}

impl Case<'_> {
    /// Whether a figure or a code of the claim is only in rows of tables that have nothing else of
    /// it.
    pub(super) fn is_of_another_row(&self) -> bool {
        let own: Vec<(&str, &str)> = codes(self.claim.text).collect();
        if self.claim.quantities.is_empty() && own.is_empty() {
            return false;
        }
        let lines = self.lines();
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
        self.is_in_another_row(&lines, &units)
            || self.is_below_another_head(&lines)
            || claimed.iter().any(|one| {
                let others = claimed.iter().filter(|other| !std::ptr::eq(*other, one));
                let others: Vec<&Quantity> = others.collect();
                strays(&|line| line.has(one), &|line| {
                    has_word(line) || has_code(line) || others.iter().any(|other| line.has(other))
                })
            })
            || own.iter().any(|code| {
                let has = |line: &Line| codes(&line.text).any(|one| one == *code);
                strays(&has, &|line| has_word(line) || has_figure(line))
            })
    }

    /// The lines of a text with a table.
    fn lines(&self) -> Vec<Line> {
        let text = Some(self.text.source()).filter(|text| text.contains('\t'));
        let lines = text.unwrap_or_default().lines();
        let lines = lines.filter(|line| line.len() <= LINE_MAX && !line.trim().is_empty());
        lines.take(LINES_MAX).map(Line::of).collect()
    }

    /// Whether a figure of the claim is only below other heads of a table than the one with another
    /// figure of it: `2024` and what is below `2023`.
    fn is_below_another_head(&self, lines: &[Line]) -> bool {
        let heads = lines.iter().enumerate().map(|(at, line)| {
            let is_first = at == 0 || lines.get(at - 1).is_some_and(|above| !above.is_row);
            line.is_row && is_first
        });
        let mut head: Option<&Line> = None;
        let rows = lines.iter().zip(heads).filter_map(|(line, is_head)| {
            head = if is_head {
                Some(line)
            } else {
                head.filter(|_| line.is_row)
            };
            Some((line, head.filter(|_| !is_head)?))
        });
        let rows: Vec<(&Line, &Line)> = rows.collect();
        let claimed = &self.claim.quantities;
        claimed.iter().any(|one| {
            let mut with = lines.iter().filter(|line| line.has(one));
            let row = with.next().filter(|_| with.next().is_none());
            let pair = rows
                .iter()
                .find(|(line, _)| row.is_some_and(|row| std::ptr::eq(*line, row)));
            pair.is_some_and(|(row, head)| {
                let columns = row.columns(one);
                let mut others = claimed.iter().map(|other| head.columns(other));
                others
                    .any(|other| !other.is_empty() && !other.iter().any(|at| columns.contains(at)))
            })
        })
    }

    /// Whether each of two figures of the claim is nearer to the word of the other one's row.
    fn is_in_another_row(&self, lines: &[Line], units: &[u32]) -> bool {
        let columns = self.claim.columns.iter();
        let named: Vec<(usize, Vec<u32>)> = columns
            .zip(&self.claim.quantities)
            .filter_map(|(column, one)| {
                let mut rows = lines.iter().filter(|line| line.has(one));
                let row = rows.next().filter(|row| row.is_row)?;
                let words = stems(&row.text);
                let words = words.iter().filter_map(|stem| self.held.own(stem));
                let words = words.filter(|stem| !units.contains(stem));
                rows.next().is_none().then(|| (*column, words.collect()))
            })
            .collect();
        let is_shared = |stem: u32| named.iter().filter(|(_, own)| own.contains(&stem)).count() > 1;
        let places = self.claim.places.iter().filter(|place| {
            let mut rows = named.iter();
            rows.any(|(_, own)| own.contains(&place.stem)) && !is_shared(place.stem)
        });
        let places: Vec<_> = places.collect();
        let strays = named.iter().filter(|(column, own)| {
            let nearest = places
                .iter()
                .min_by_key(|place| place.column.abs_diff(*column));
            nearest.is_some_and(|place| !own.contains(&place.stem))
        });
        strays.count() > 1
    }
}

impl Line {
    fn of(line: &str) -> Self {
        let text = normalise(line);
        let is_row = line.trim().contains('\t');
        let cells = line.split('\t').filter(|_| is_row);
        Self {
            is_row,
            cells: cells.map(|cell| scan(&normalise(cell), false)).collect(),
            figures: scan(&text, false),
            text,
        }
    }

    /// The cells that have a figure.
    fn columns(&self, wanted: &Quantity) -> Vec<usize> {
        let cells = self.cells.iter().enumerate();
        let with = cells.filter(|(_, cell)| cell.iter().any(|one| wanted.matches(one)));
        with.map(|(at, _)| at).collect()
    }

    fn has(&self, wanted: &Quantity) -> bool {
        self.figures.iter().any(|one| wanted.matches(one))
    }
}
