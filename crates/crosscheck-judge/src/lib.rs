//! Who answers the question whether a text supports a claim.
#![warn(missing_docs)]

pub mod command;
pub mod config;
pub mod endpoint;
pub mod lexical;
pub mod model;
pub mod replay;

pub use command::CommandModel;
pub use config::{JudgeKind, RawJudge, StandIn};
pub use endpoint::HttpModel;
pub use lexical::Lexical;
pub use model::{ModelJudge, Use};
pub use replay::ReplayModel;
