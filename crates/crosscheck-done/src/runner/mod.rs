//! Programs that prove something when they run: which commands they are, and
//! what their output says.

mod output;
mod table;

pub use output::{Reading, read, strip_ansi};
pub(crate) use table::BUILT_IN;
pub use table::{Match, OwnRunner, Row, Table, TableError};
