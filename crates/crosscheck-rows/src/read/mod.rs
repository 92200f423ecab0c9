//! What was said: the tool calls of agent logs with their answers, and what a
//! contract says about tools. Touches nothing but its input.

mod answer;
pub(crate) mod contract;
mod log;
mod pairs;
pub(crate) mod pointer;

use crosscheck_core::Json;
use crosscheck_transcript::Hints;
use serde::{Deserialize, Serialize};

pub use answer::Answer;
pub use contract::ContractError;
pub(crate) use contract::{Class, Contract};
pub use log::{InputFormat, Logs};

/// One tool call.
#[derive(Debug, Clone)]
pub struct Call {
    /// The id that its result refers to.
    pub id: Option<String>,
    /// The tool; empty when the log does not name it.
    pub tool: String,
    /// An object, or why there is none.
    pub arguments: Result<Json, &'static str>,
    /// What the tool answered; `None` when the log has no answer.
    pub answer: Option<Answer>,
    /// Whether the log itself calls it failed.
    pub failed: bool,
    /// What the tool says of itself.
    pub hints: Hints,
    /// Which message of the model it is in, counted over all logs: calls
    /// of one message were made at once.
    pub step: u32,
    /// Where it is.
    pub place: Place,
}

/// Where a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The log, by its place among all.
    pub log: u32,
    /// Line or element, from 1.
    pub record: u32,
}
