//! The trace verifier on whole runs.
#![expect(
    clippy::disallowed_methods,
    reason = "tests set their own stage on the disk"
)]

mod access;
mod canonical;
mod contract;
mod rules;
mod seal;
mod support;
mod vectors;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
