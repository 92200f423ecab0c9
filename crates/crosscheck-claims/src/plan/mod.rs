//! What should be true: which claims are checked, and where to look for each.

mod bound;
mod probe;
mod sample;

pub use bound::Bound;
pub use sample::Selection;

pub(crate) use probe::{Hint, Probe, Quote, Unit, unit};
pub(crate) use sample::select;
