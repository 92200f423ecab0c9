//! Which stems of the claim are in each unit of the text.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::super::claim::Claim;
use super::super::text::{normalise, stems};
use crate::question::{Kind, Question};

/// The units that have any stem of a claim.
pub(super) struct Held {
    /// Stems of the text, by number, to those of the claim.
    from_text: HashMap<u32, u32, FxBuildHasher>,
    /// Units in order, and where their stems begin.
    units: Vec<(usize, usize)>,
    stems: Vec<u32>,
    /// The claim's stems that are in the page's title (H) or in names of its origin, sorted.
    pub(super) header: Vec<u32>,
}

impl Held {
    pub(super) fn of(claim: &Claim<'_>, question: &Question<'_>) -> Self {
        let index = question.text.index();
        let mut held = Self {
            from_text: HashMap::default(),
            units: Vec::new(),
            stems: Vec::new(),
            header: header(claim, question),
        };
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (own, stem) in (0u32..).zip(&claim.stems) {
            let Some(id) = index.stem(&stem.text) else {
                continue;
            };
            held.from_text.insert(id, own);
            let counts = |unit: &u32| {
                let unit = index.units.get(*unit as usize);
                // Judge T8: a question states nothing.
                unit.is_some_and(|unit| claim.question || !unit.question)
            };
            let units = index.units_of(id).iter().copied().filter(counts);
            pairs.extend(units.map(|unit| (unit, own)));
        }
        pairs.sort_unstable();
        for (unit, stem) in pairs {
            let unit = unit as usize;
            if held.units.last().is_none_or(|(last, _)| *last != unit) {
                held.units.push((unit, held.stems.len()));
            }
            held.stems.push(stem);
        }
        held
    }

    /// The claim's stems in a unit, sorted.
    pub(super) fn of_unit(&self, unit: usize) -> &[u32] {
        match self.units.binary_search_by_key(&unit, |(unit, _)| *unit) {
            Ok(at) => self.at(at),
            Err(_) => &[],
        }
    }

    /// The units with any stem, in order.
    pub(super) fn units(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let units = self.units.iter().enumerate();
        units.map(|(at, (unit, _))| (*unit, self.at(at)))
    }

    /// The claim's stem that is this stem of the text.
    pub(super) fn own(&self, stem: u32) -> Option<u32> {
        self.from_text.get(&stem).copied()
    }

    fn at(&self, at: usize) -> &[u32] {
        let start = |at: usize| {
            self.units
                .get(at)
                .map_or(self.stems.len(), |(_, start)| *start)
        };
        self.stems.get(start(at)..start(at + 1)).unwrap_or_default()
    }
}

fn header(claim: &Claim<'_>, question: &Question<'_>) -> Vec<u32> {
    let header = question.header.filter(|_| question.kind == Kind::Web);
    let words = stems(&normalise(header.unwrap_or_default()));
    let own = (0u32..).zip(claim.stems.iter().take(claim.plain));
    let titled = own
        .filter(|(_, stem)| words.iter().any(|word| **word == *stem.text))
        .map(|(id, _)| id);
    titled
        .chain(claim.stems_of_place(question.reference))
        .collect()
}
