//! The guarded fetcher against loopback sites, most of them hostile.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set its stage must stop at once"
)]

mod bombs;
mod fetching;
mod ssrf;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
