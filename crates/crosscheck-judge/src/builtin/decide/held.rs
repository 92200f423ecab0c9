//! Which stems of the claim are in each unit of the text.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use crate::builtin::claim::Claim;
use crate::question::{EvidenceKind, Question};
use crosscheck_language::text::{normalise, stems};

/// The units that have any stem of a claim.
pub(super) struct Held<'c> {
    /// The claim's stems that are in the text, with their numbers.
    own: HashMap<&'c str, u32, FxBuildHasher>,
    /// Units in order, and where their stems begin.
    units: Vec<(usize, usize)>,
    stems: Vec<u32>,
    /// The claim's stems that are in the page's title (H) or in names of its origin, sorted.
    pub(super) header: Vec<u32>,
}

impl<'c> Held<'c> {
    pub(super) fn of(claim: &'c Claim<'_>, question: &Question<'_>) -> Self {
        let text = question.text;
        let stems = claim.stems.iter().map(|stem| &*stem.text);
        let mut own: HashMap<&str, u32, FxBuildHasher> = stems.zip(0u32..).collect();
        let mut is_there = vec![false; claim.stems.len()];
        let (mut units, mut held) = (Vec::new(), Vec::new());
        for (unit, mut found) in text.units_with(&own) {
            found.sort_unstable();
            found.dedup();
            for stem in &found {
                if let Some(place) = is_there.get_mut(*stem as usize) {
                    *place = true;
                }
            }
            // Judge T8: a question states nothing.
            let asks = text
                .index()
                .units
                .get(unit)
                .is_some_and(|unit| unit.question);
            if claim.question || !asks {
                units.push((unit, held.len()));
                held.extend(found);
            }
        }
        own.retain(|_, stem| is_there.get(*stem as usize) == Some(&true));
        Self {
            own,
            units,
            stems: held,
            header: header(claim, question),
        }
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

    /// The number of the claim's stem, if the text has it.
    pub(super) fn own(&self, stem: &str) -> Option<u32> {
        self.own.get(stem).copied()
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
    let header = question
        .header
        .filter(|_| question.kind == EvidenceKind::Web);
    let words = stems(&normalise(header.unwrap_or_default()));
    let own = (0u32..).zip(claim.stems.iter().take(claim.plain));
    let titled = own
        .filter(|(_, stem)| words.iter().any(|word| **word == *stem.text))
        .map(|(id, _)| id);
    titled
        .chain(claim.stems_of_place(question.reference))
        .collect()
}
