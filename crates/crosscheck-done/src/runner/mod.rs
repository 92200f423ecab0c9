//! Programs that prove something when they run: which commands they are, and
//! what their output says.

mod output;
mod row;
mod script;
mod steers;
mod table;
mod task;

pub use output::{Reading, read, strip_ansi};
pub(crate) use output::{hook_works, job_works, summary};
pub use row::Row;
pub use steers::Steers;
pub(crate) use steers::changed_lines;
pub(crate) use table::BUILT_IN;
pub use table::{Match, OwnRunner, Table, TableError};
pub(crate) use task::{Followed, definition, follow, names as task_names, runs_tool};
