//! Rules about the code itself.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::indexing_slicing,
    reason = "a test reads the project as it lies on the disk and stops when it cannot"
)]

mod contracts;
mod invariants;
mod source;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
