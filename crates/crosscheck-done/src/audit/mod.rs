//! Replays past sessions and counts how often "done" was wrong.

mod lines;
mod replay;
mod report;
mod words;

pub use lines::stop_lines;
pub use replay::{Past, PastClaim, Replay, Stop};
pub use report::{Audit, FEW, Group, Label, Measured, Rate, Tally, Worst, labels, parse_time};
pub use words::human;
