//! Programs that prove something when they run: which commands they are, and
//! what their output says.

mod choice;
mod output;
mod row;
mod script;
mod table;

pub use output::{Reading, read, strip_ansi, warns};
pub use row::Row;
pub(crate) use script::script;
pub(crate) use table::BUILT_IN;
pub use table::{Match, OwnRunner, Table, TableError};
