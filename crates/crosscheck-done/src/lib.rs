//! Completion claims of a coding agent against its session and the project.
//!
//! An agent ends with "all tests pass" or "created `x.py`". Each such
//! statement is taken out of the message, held against the record of the
//! session and against the project as it is, and gets one verdict. Claims and
//! evidence do not inform each other: the extractor reads only the message,
//! the session reader never reads the agent's prose.
#![warn(missing_docs)]
#![expect(
    clippy::struct_excessive_bools,
    reason = "settings, rows of the runner table and matches are lists of independent facts"
)]
#![expect(
    clippy::match_same_arms,
    reason = "each arm states a rule of its own, in the order of the contract"
)]

pub mod audit;
pub mod claim;
pub mod config;
pub mod gate;
pub mod handover;
pub mod install;
pub mod judge;
pub mod kind;
pub mod learn;
pub mod observe;
pub mod opinion;
pub mod own;
pub mod place;
pub mod read;
pub mod reasons;
pub mod redact;
pub mod relevance;
pub mod report;
pub mod runner;
pub mod shell;
pub mod state;
pub mod tamper;

pub use gate::{Report, Task, check};
