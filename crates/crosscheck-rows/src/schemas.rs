//! The JSON Schemas of the documents this crate writes and reads, as they are
//! published in `schemas`.

use schemars::Schema;

use crate::check::schema::Schema as Contract;

/// The file of `--write-report`.
pub fn quick_report() -> Schema {
    published(include_str!("../../../schemas/quick-report.schema.json"))
}

/// The line that `quick` and `check` print on standard output.
pub fn outcome_certificate() -> Schema {
    Contract::Certificate.whole()
}

/// The registry that `check` reads. `--export-registry` writes it, too, but
/// may have nothing to say, which cannot be replayed.
pub fn registry() -> Schema {
    Contract::ToolsRegistry.whole()
}

/// One line of the file that `check` reads and `--emit-events` writes.
pub fn event() -> Schema {
    Contract::Event.whole()
}

/// The document of `rows --format json`.
pub fn rows_report() -> Schema {
    published(include_str!("../../../schemas/rows-report.schema.json"))
}

/// The contract that `rows` reads.
pub fn rows_contract() -> Schema {
    published(include_str!("../../../schemas/rows-contract.schema.json"))
}

/// A broken file would have no rules; a test reads both.
fn published(text: &str) -> Schema {
    serde_json::from_str(text).unwrap_or_default()
}
