//! Conversations with the real program.
#![expect(
    clippy::disallowed_methods,
    clippy::format_push_string,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "tests set their stage with plain calls and stop when it cannot be set"
)]

mod batch;
mod check;
mod check_advice;
mod check_bundles;
mod check_corners;
mod check_engines;
mod check_evidence;
mod check_faults;
mod check_progress;
mod check_rules;
mod check_tls;
mod check_values;
mod check_vectors;
mod ci;
mod claims;
mod claims_batch;
mod claims_config;
mod claims_hostile;
mod claims_reports;
mod claude_code;
mod config;
mod damaged_answers;
mod documents;
mod done;
mod done_audit;
mod done_codex;
mod done_codex_live;
mod done_gate;
mod done_hook;
mod done_install;
mod done_rows;
mod enforce;
mod enforce_crash;
mod faults;
mod house;
mod judge;
mod ledger;
mod ledger_safety;
mod ledger_server;
mod limits;
mod odd_databases;
mod outputs;
mod pooler;
mod pr;
mod quick;
mod quick_servers;
mod quick_vectors;
mod reports;
mod rows;
mod rows_vectors;
mod sources;
mod sources_channels;
mod sources_corners;
mod sources_documents;
mod sources_options;
mod sources_rules;
mod sources_vectors;
mod trace;
mod workspace;
mod workspace_attacks;
mod workspace_claude;
mod workspace_codex;
mod workspace_commands;
mod workspace_criteria;
mod workspace_hostile;
mod workspace_offline;
mod workspace_places;
mod workspace_runs;
mod workspace_slips;
mod workspace_steering;

use crosscheck_testkit::Desk;

/// A fresh desk for the program under test.
fn desk() -> Desk {
    Desk::new(env!("CARGO_BIN_EXE_crosscheck"))
}

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
