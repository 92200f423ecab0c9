//! Does it agree? The room that compares what was quoted and claimed with
//! what was seen.

mod attempt;
mod extended;
mod hash;
mod quote;
mod settle;
mod web;

pub use attempt::Status;
pub(crate) use attempt::{Attempt, Hints, QuoteState, Verifier};
pub(crate) use settle::settle;
