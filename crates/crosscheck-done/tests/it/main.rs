//! The gate on whole messages and whole sessions.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "helpers of tests may fail like the tests themselves"
)]

mod messages;
mod scale;
mod secrets;
mod sessions;
mod subagents;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
