//! `crosscheck sources`: does the cited page exist, and does it say so?
//!
//! Two people are served: the Chair of an agent debate, who needs findings in
//! real time through the log, and everybody with an answer full of links.

pub mod check;
pub mod finding;
pub mod judge;
mod lists;
pub mod observe;
mod pattern;
pub mod plan;
pub mod read;
pub mod reasons;
pub mod report;
pub mod run;
pub mod settings;
pub mod status;
pub mod words;
