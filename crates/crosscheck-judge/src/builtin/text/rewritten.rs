//! A text made from another one, with the way back.

/// A text made from another one piece by piece.
#[derive(Debug, Default)]
pub(in crate::builtin) struct Rewritten {
    pub(in crate::builtin) text: String,
    runs: Vec<Run>,
}

/// A stretch of the text; it goes on to the start of the next one.
#[derive(Debug, Clone, Copy)]
struct Run {
    at: u32,
    from: u32,
    /// Byte by byte the source; otherwise all of it stands for all of its source.
    same: bool,
}

impl Rewritten {
    pub(in crate::builtin) fn with_capacity(len: usize) -> Self {
        Self {
            text: String::with_capacity(len),
            runs: Vec::new(),
        }
    }

    /// Adds a piece of the source as it is, or with other letters in the same places.
    pub(in crate::builtin) fn copy(&mut self, from: usize, piece: &str) {
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

    /// Adds what stands for the source from here on.
    pub(in crate::builtin) fn replace(&mut self, from: usize, with: &str) {
        if !with.is_empty() {
            self.runs.push(run(self.text.len(), from, false));
            self.text.push_str(with);
        }
    }

    /// Where in the source the character at this place begins.
    pub(in crate::builtin) fn start(&self, at: usize) -> usize {
        self.run(at).map_or(at, |(run, _)| run.source(at))
    }

    /// Where in the source a piece of the text ends that ends here.
    pub(in crate::builtin) fn end(&self, at: usize, source_len: usize) -> usize {
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
