//! Reads files below or beside the root, pages and search results. Only this
//! step touches the world; it returns data and no verdict.

mod file;
mod kept;
mod pages;
mod place;
mod private;
mod query;
mod store;
mod texts;
mod web;

pub use web::{FetchedPages, Found, PageSeen, Pages, Search, SearchCommand};

pub(crate) use file::{FileSeen, Missing};
pub(crate) use kept::Kept;
pub(crate) use pages::PageStore;
pub(crate) use place::Policy;
pub(crate) use private::Privacy;
pub(crate) use query::{NoNodes, Selected, select, squeezed};
pub(crate) use store::Store;
pub(crate) use texts::Texts;
