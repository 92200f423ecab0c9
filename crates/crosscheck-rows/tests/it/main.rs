//! The whole verifier on generated logs and generated databases.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests stop when their stage cannot be set"
)]

mod generated;
mod properties;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
