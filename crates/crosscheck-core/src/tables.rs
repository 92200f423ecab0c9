//! The tables of the configuration file. Each part reads its own; all of them
//! know the names of the others, to tell a slip of the pen from a neighbour.

/// How many letters a name may differ from a known one to be a slip; what
/// differs more is a table of another program and left alone.
pub const SLIP: usize = 2;

/// Every table of `crosscheck.toml`.
pub const TABLES: &[&str] = &[
    "check",
    "claims",
    "done",
    "fetch",
    "gate",
    "judge",
    "judges",
    "ledger",
    "quick",
    "rows",
    "server",
    "sources",
    "trace",
    "workspace",
];
