//! Judges answer the question whether a text supports a claim.
#![warn(missing_docs)]

mod answer;
pub mod builtin;
pub mod command;
pub mod config;
pub mod endpoint;
mod masked;
pub mod model;
mod question;
pub mod replay;

pub use answer::{Answer, Basis, Opinion};
pub use builtin::{Builtin, Quantity, Text};
pub use command::CommandModel;
pub use config::{Answers, JudgeKind};
pub use endpoint::{HttpModel, models};
pub use model::{ModelJudge, Style, Use};
pub use question::{EvidenceKind, Judge, JudgeSeen, NoAnswer, Question, Tally};
pub use replay::ReplayModel;
