//! Reasoning traces: every id and hash recomputed, order, linkage and
//! grounding checked, accepted only when all of it holds.
#![warn(missing_docs)]

pub mod canonical;
