//! The configuration of all commands.
//!
//! [`TABLES`] lists every key once: type, default, meaning, and its
//! [`Direction`], which says what a file that the agent under check can write
//! may do with it. [`Config`] reads the layers and applies the directions, so
//! that no verifier has to consider who wrote a file.
//!
//! Nothing here reads the environment: the caller passes the variables and
//! folders it found ([`Places`]).
#![warn(missing_docs)]

mod check;
mod config;
mod key;
mod layer;
mod page;
pub mod tables;

pub use check::{seconds, share};
pub use config::{Config, Notice, loosens};
pub use key::{Direction, Key, Preset, Settings, Table, Typed, ValueKind};
pub use layer::{ConfigError, Layer, PROJECT_FILE, Place, Places, Trust, USER_FILE, lies_outside};
pub use page::{reference, schema};
pub use tables::TABLES;
