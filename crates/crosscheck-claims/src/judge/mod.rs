//! Compares quote and claim with the text that was found. Pure, except that a
//! model judge may be asked.

mod attempt;
mod hash;
pub(crate) mod quote;
mod settle;

pub use attempt::ClaimStatus;
pub(crate) use attempt::{Attempt, Hints, LineRange, QuoteState, seen_quote, weigh};
pub(crate) use settle::settle;
