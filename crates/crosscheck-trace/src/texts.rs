//! Many short texts in one buffer: a run may have hundreds of thousands of ids
//! and paths, and an allocation for each would cost as much as the text.

/// Texts by number, in order of insertion.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    all: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Texts {
    /// Adds a text; returns its number.
    pub(crate) fn push(&mut self, text: &str) -> u32 {
        let number = self.ends.len();
        self.all.push_str(text);
        self.ends.push(self.all.len());
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The text with this number, or an empty one.
    pub(crate) fn get(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(Some(0), |at| self.end(at));
        start
            .zip(self.end(at))
            .and_then(|(start, end)| self.all.get(start..end))
            .unwrap_or_default()
    }

    fn end(&self, at: usize) -> Option<usize> {
        self.ends.get(at).copied()
    }

    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let text = self.all.get(start..*end).unwrap_or_default();
            start = *end;
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_number_and_in_order() {
        let mut texts = Texts::default();
        assert_eq!((texts.len(), texts.get(0)), (0, ""));
        let all = ["a", "", "é\u{1F30A}", "b"];
        for (number, text) in all.into_iter().enumerate() {
            assert_eq!(texts.push(text) as usize, number);
        }
        assert_eq!(
            [0, 1, 2, 3, 4].map(|at| texts.get(at)),
            ["a", "", "é\u{1F30A}", "b", ""]
        );
        assert!(texts.iter().eq(all));
        assert_eq!(texts.iter().len(), 4);
    }
}
