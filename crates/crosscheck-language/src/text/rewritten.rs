//! A text derived from another one, with the positions in the source.

/// A text derived from another one piece by piece.
#[derive(Debug, Default)]
pub struct Rewritten {
    /// The rewritten text.
    pub text: String,
    runs: Vec<Run>,
}

/// A run of the text; it ends at the start of the next one.
#[derive(Debug, Clone, Copy)]
struct Run {
    at: u32,
    from: u32,
    /// A byte-by-byte copy of the source; otherwise the run as a whole replaces
    /// its source.
    same: bool,
}

impl Rewritten {
    /// An empty one with room for so many bytes.
    pub fn with_capacity(len: usize) -> Self {
        Self {
            text: String::with_capacity(len),
            runs: Vec::new(),
        }
    }

    /// Adds a piece of the source unchanged, or with other letters in the same
    /// positions.
    pub fn copy(&mut self, from: usize, piece: &str) {
        let at = self.text.len();
        let goes_on = self
            .runs
            .last()
            .is_some_and(|run| run.same && at - run.at as usize + run.from as usize == from);
        if !goes_on && !piece.is_empty() {
            self.runs.push(run(at, from, true));
        }
        self.text.push_str(piece);
    }

    /// Adds text that replaces the source from here on.
    pub fn replace(&mut self, from: usize, with: &str) {
        if !with.is_empty() {
            self.runs.push(run(self.text.len(), from, false));
            self.text.push_str(with);
        }
    }

    /// Where the character at this position begins in the source.
    pub fn start(&self, at: usize) -> usize {
        self.run(at).map_or(at, |(run, _)| run.source(at))
    }

    /// Where a piece of the text that ends here ends in the source.
    pub fn end(&self, at: usize, source_len: usize) -> usize {
        match self.run(at.saturating_sub(1)) {
            Some((run, _)) if run.same => run.source(at),
            Some((_, next)) => next.map_or(source_len, |next| next.from as usize),
            None => at,
        }
    }

    fn run(&self, at: usize) -> Option<(Run, Option<Run>)> {
        let next = self.runs.partition_point(|run| run.at as usize <= at);
        let run = self.runs.get(next.checked_sub(1)?)?;
        Some((*run, self.runs.get(next).copied()))
    }
}

impl Run {
    const fn source(self, at: usize) -> usize {
        let behind = if self.same { at - self.at as usize } else { 0 };
        self.from as usize + behind
    }
}

fn run(at: usize, from: usize, same: bool) -> Run {
    let small = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Run {
        at: small(at),
        from: small(from),
        same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_leads_back_to_its_source() {
        // source: "ab  c\u{200b}d ﬁ"
        let mut text = Rewritten::default();
        text.copy(0, "ab");
        text.replace(2, " ");
        text.copy(4, "c");
        text.copy(8, "d ");
        text.replace(10, "fi");
        assert_eq!(text.text, "ab cd fi");
        let starts: Vec<usize> = (0..8).map(|at| text.start(at)).collect();
        assert_eq!(starts, [0, 1, 2, 4, 8, 9, 10, 10]);
        let ends: Vec<usize> = (1..=8).map(|at| text.end(at, 13)).collect();
        assert_eq!(ends, [1, 2, 4, 5, 9, 10, 13, 13]);
    }
}
