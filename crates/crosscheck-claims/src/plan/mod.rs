//! Which claims are checked, and where the evidence of each is (claims 4, 6.1).
//!
//! Contract: claims 6.1.

mod bound;
mod probe;
mod sample;

pub use bound::Bound;
pub use sample::Selection;

pub(crate) use probe::{Probe, Quote, Spot, Unit, unit};
pub(crate) use sample::select;
