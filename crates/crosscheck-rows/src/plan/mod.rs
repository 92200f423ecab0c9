//! What should be true: the rows that each call is about, and what it says
//! about them (rows 4 to 8). Pure.

pub(crate) mod by_contract;
pub(crate) mod call;
pub(crate) mod classify;
mod facts;
mod field;
mod image;
pub(crate) mod key;
pub(crate) mod lookup;
pub(crate) mod means;
pub(crate) mod model;
pub(crate) mod names;
mod object;
mod reading;
mod related;
mod rows;
pub(crate) mod statement;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod words;

pub(crate) use crate::fact::{Claim, From, KeyFrom, Looked, Subject, Target, Why};
pub(crate) use call::{Planned, Planner};
pub(crate) use field::{Field, Tool, Vocabulary};
pub(crate) use model::{ColumnId, Model, TableId};
