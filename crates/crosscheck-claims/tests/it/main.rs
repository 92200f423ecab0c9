//! The verifier from outside.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests set their stage with plain calls and stop when it cannot be set"
)]

mod verify;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
