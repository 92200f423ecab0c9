//! The texts of a run, prepared once for all claims about them.

use std::sync::Arc;

use crosscheck_core::digest::Digest;
use crosscheck_judge::Text;

use super::kept::Kept;

/// Memory of a judged text as a multiple of its length.
pub(super) const PREPARED: usize = 12;
/// Memory limit for all texts together.
const BUDGET: usize = 128 * 1024 * 1024;
/// A shorter text is prepared sooner than found again.
const KEPT_MIN: usize = 2048;

/// The texts of a run, by their digests.
pub(crate) struct Texts(Kept<Vec<u8>, Arc<Text<'static>>>);

impl Texts {
    pub(crate) fn new() -> Self {
        Self(Kept::new(BUDGET))
    }

    /// The prepared text.
    pub(crate) fn prepared(&self, text: &str) -> Arc<Text<'static>> {
        let prepare = || Arc::new(Text::new(text.to_owned()));
        if text.len() < KEPT_MIN {
            return prepare();
        }
        let key = Digest::of(text);
        self.0
            .get(&key.bytes()[..], prepare, |_| text.len() * PREPARED)
    }
}
