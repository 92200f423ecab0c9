//! The place of a figure in data: its line, the lines above it, its column
//! (judge D3).

use super::super::text::stems;
use super::Case;
use super::conflict::is_operand;
use super::figures::Wanted;

/// The parent of a line is searched for at most this many lines up.
const OWNER_LINES: usize = 64;
/// A table with more columns is read without columns.
const COLUMNS_MAX: usize = 64;

impl Case<'_> {
    /// Whether a line with another such figure has all words of the context that the lines with
    /// the claim's figure have, and more: `min = 5`, `max = 3`.
    pub(super) fn has_rival_line(&self, wanted: &Wanted<'_>, own: &[usize]) -> bool {
        let own: Vec<u8> = own
            .iter()
            .map(|unit| self.context_of(wanted, *unit))
            .collect();
        self.held.units().any(|(unit, _)| {
            let its = self.context_of(wanted, unit);
            own.iter().all(|own| its & own == *own && its != *own)
                && self.strays(wanted, unit, true).any(|mark| {
                    let seen = self.unit(unit);
                    let found = self.figure(&seen, &mark);
                    found.is_some_and(|found| {
                        !is_operand(&found) && !self.spares(&self.claimed(wanted), &found)
                    })
                })
        })
    }

    /// One bit for each word of the context that a line or one of its parents has.
    fn context_of(&self, wanted: &Wanted<'_>, unit: usize) -> u8 {
        let lines: Vec<usize> = self.owners(unit).into_iter().chain([unit]).collect();
        let has = |stem: u32| lines.iter().any(|line| self.holds(*line, stem));
        let bits = wanted.context.iter().take(8).enumerate();
        bits.fold(0, |bits, (at, stem)| bits | u8::from(has(*stem)) << at)
    }

    /// The parents of a line: less indented ones above it, and its `[section]`.
    fn owners(&self, unit: usize) -> Vec<usize> {
        let mut owners = Vec::new();
        let mut indent = self.indent(unit);
        for above in (unit.saturating_sub(OWNER_LINES)..unit).rev() {
            if indent > 0 {
                let its = self.indent(above);
                if its < indent {
                    owners.push(above);
                    indent = its;
                }
            } else if self.unit(above).source().starts_with('[') {
                owners.push(above);
                break;
            }
        }
        owners
    }

    /// The indentation of the line of a unit.
    fn indent(&self, unit: usize) -> usize {
        let Some(unit) = self.text.index().units.get(unit) else {
            return 0;
        };
        let start = self.text.source_range(unit.range()).start;
        let head = self.text.source().get(..start).unwrap_or_default();
        head.len() - head.trim_end_matches([' ', '\t']).len()
    }

    /// Whether the figure is in a column of a table that the claim does not name, and another
    /// column that it names has another such figure in this row.
    fn is_in_other_column(&self, wanted: &Wanted<'_>, row: usize, head: usize) -> bool {
        let named = |cell: &str| {
            let own = |stem: &String| self.claim.stems.iter().any(|known| *known.text == **stem);
            stems(cell).iter().any(own)
        };
        let head = self.unit(head);
        let named: Vec<bool> = head.source().split('|').map(named).collect();
        let row = self.unit(row);
        let column = |at: usize| {
            let before = row.source().get(..at).unwrap_or_default();
            before.matches('|').count()
        };
        let is_named = |at: usize| named.get(column(at)) == Some(&true);
        let figures = self.text.figures();
        let marks = figures.marks(row.number);
        let (own, others): (Vec<_>, Vec<_>) = marks
            .iter()
            .filter_map(|mark| Some((mark.range().start, figures.value(mark)?)))
            .partition(|(_, value)| wanted.quantity.means(value));
        named.len() <= COLUMNS_MAX
            && !own.iter().any(|(at, _)| is_named(*at))
            && others
                .iter()
                .any(|(at, value)| is_named(*at) && wanted.quantity.kind.is_alike(value))
    }

    /// Whether the claim's figure matches only a part of a calculation: `4 * 1024` is not 4 KB.
    pub(super) fn is_calculated(&self, wanted: &Wanted<'_>, unit: usize) -> bool {
        let seen = self.unit(unit);
        let marks = self.text.figures().marks(unit).iter();
        let mut own = marks
            .filter_map(|mark| self.figure(&seen, mark))
            .filter(|found| wanted.quantity.means(found.kind))
            .peekable();
        !self.prose()
            && wanted.quantity.kind.has_dimension()
            && own.peek().is_some()
            && own.all(|found| is_operand(&found))
    }

    /// The same for a row of any table; other lines have no columns.
    pub(super) fn is_in_another_column(&self, wanted: &Wanted<'_>, unit: usize) -> bool {
        let is_row = |unit: usize| self.unit(unit).source().trim_start().starts_with('|');
        if !is_row(unit) {
            return false;
        }
        let above = (unit.saturating_sub(OWNER_LINES)..unit).rev();
        let head = above.take_while(|above| is_row(*above)).last();
        head.is_some_and(|head| self.is_in_other_column(wanted, unit, head))
    }
}
