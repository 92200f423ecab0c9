//! The window of the text that shares most words with the claim (judge D2).

use std::ops::Range;

use super::Case;
use crate::question::EvidenceKind;

/// The best window.
pub(super) struct Overlap {
    /// The claim's stems outside names that are in it or in the title.
    pub(super) present: Vec<bool>,
    pub(super) units: Range<usize>,
}

impl Overlap {
    /// Their number.
    pub(super) fn count(&self) -> usize {
        self.present.iter().filter(|one| **one).count()
    }
}

impl Case<'_> {
    /// The first of the best windows. Windows move by one unit; only one whose
    /// last unit shares a stem can be the first of the best.
    pub(super) fn overlap(&self) -> Overlap {
        let size = self.window();
        let mut window = Window::new(self.claim.plain, &self.held.header);
        let mut best = window.seen(0..size);
        let mut most = window.distinct;
        let mut ahead = self.held.units().peekable();
        let mut behind = self.held.units().peekable();
        for (unit, _) in self.held.units() {
            let start = (unit + 1).saturating_sub(size);
            while let Some((_, stems)) = ahead.next_if(|(unit, _)| *unit < start + size) {
                window.add(stems);
            }
            while let Some((_, stems)) = behind.next_if(|(unit, _)| *unit < start) {
                window.remove(stems);
            }
            if window.distinct > most {
                most = window.distinct;
                best = window.seen(start..start + size);
            }
        }
        best
    }

    fn window(&self) -> usize {
        let index = self.text.index();
        let count = index.units.len();
        let long = || self.text.normal_text().chars().count() > self.thresholds.window_over_chars;
        let slides = index.prose
            || self.question.kind == EvidenceKind::Web
            || count > self.thresholds.window_over_units
            || long();
        if slides {
            self.thresholds.window.min(count)
        } else {
            count
        }
    }
}

/// The claim's stems outside names in a moving window.
struct Window {
    counts: Vec<u32>,
    distinct: usize,
}

impl Window {
    fn new(plain: usize, header: &[u32]) -> Self {
        let mut window = Self {
            counts: vec![0; plain],
            distinct: 0,
        };
        window.add(header);
        window
    }

    fn add(&mut self, stems: &[u32]) {
        for stem in stems {
            if let Some(count) = self.counts.get_mut(*stem as usize) {
                self.distinct += usize::from(*count == 0);
                *count += 1;
            }
        }
    }

    fn remove(&mut self, stems: &[u32]) {
        for stem in stems {
            if let Some(count) = self.counts.get_mut(*stem as usize) {
                *count -= 1;
                self.distinct -= usize::from(*count == 0);
            }
        }
    }

    fn seen(&self, units: Range<usize>) -> Overlap {
        Overlap {
            present: self.counts.iter().map(|count| *count > 0).collect(),
            units,
        }
    }
}
