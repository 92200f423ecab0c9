//! The only step that touches the web. It returns what it saw, not what it
//! thinks of it.

mod language;
pub mod local;
pub mod page;
mod probe;
mod quotation;
pub mod secondary;

pub use page::{Look, Looker, PageSeen, UrlSeen};
