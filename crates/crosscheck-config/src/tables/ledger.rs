//! `[ledger]`

use crate::Direction::{StarterOnly, Up};
use crate::Preset;
use crate::ValueKind::{Flag, Text};
use crate::key::table;

table! {
    /// What every command that records its runs reads.
    LEDGER = "ledger", "Where runs are recorded";
    "enabled": Flag, Preset::Flag(false), Up,
        "Whether runs are recorded; a `path` is enough, unless this is false";
    "path": Text, Preset::Depends("`.crosscheck/ledger.db` in the project"), StarterOnly("it decides where the history is kept"),
        "File of the ledger, `postgres://USER@HOST/DATABASE`, or `env:NAME` of a variable that holds one of both";
}
