//! The trace verifier on whole runs.
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::format_collect,
    clippy::semicolon_if_nothing_returned,
    clippy::needless_pass_by_value,
    clippy::type_complexity,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests set their own stage on the disk, and stop at once when they cannot"
)]

mod access;
mod canonical;
mod contract;
mod race;
mod rules;
mod seal;
mod support;
mod tools;
mod vectors;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
