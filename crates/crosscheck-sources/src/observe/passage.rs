//! The sentences and lines of a page, with what is compared of them.

use crosscheck_judge::builtin::{Quantity, normalise, quantities, sentences, stems};

/// No more of a page than this is searched.
const PAGE_MAX: usize = 512 * 1024;
/// A shorter stem is not taken for the root of another one.
const ROOT_MIN: usize = 5;

/// A sentence or line of a page.
#[derive(Debug, Clone)]
pub struct Passage {
    /// What it says.
    pub text: String,
    /// Its figures.
    pub figures: Vec<Quantity>,
    /// Its distinct stems, in order.
    stems: Vec<String>,
}

impl Passage {
    /// A text as one passage.
    pub fn of(text: String) -> Self {
        let mut stems = stems(&text);
        stems.sort_unstable();
        stems.dedup();
        Self {
            figures: quantities(&text),
            stems,
            text,
        }
    }

    /// The passages of a text.
    pub(super) fn all(source: &str) -> Vec<Self> {
        let lines = source.lines().filter(|line| !line.trim().is_empty());
        let mut read = 0;
        let lines = lines.take_while(|line| {
            read += line.len();
            read <= PAGE_MAX
        });
        let texts = lines.flat_map(|line| sentences(&normalise(line)));
        texts.map(Self::of).collect()
    }

    /// Whether it has a word with this stem.
    pub fn has(&self, stem: &str) -> bool {
        self.first_from(stem) == Some(stem)
    }

    /// Whether it has a word with this stem, or one that a long stem is the root of.
    pub fn has_root(&self, stem: &str) -> bool {
        let first = self.first_from(stem);
        first
            .is_some_and(|first| first == stem || stem.len() >= ROOT_MIN && first.starts_with(stem))
    }

    /// Whatever a stem is the root of follows it in order.
    fn first_from(&self, stem: &str) -> Option<&str> {
        let at = self.stems.partition_point(|one| one.as_str() < stem);
        self.stems.get(at).map(String::as_str)
    }
}
