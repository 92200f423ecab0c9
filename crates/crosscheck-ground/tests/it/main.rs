//! The ways out into the world tried against loopback, children that
//! misbehave, logs as they really look, logs made to hurt, and the judge.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set its stage must stop at once"
)]

mod bombs;
mod fetching;
mod formats;
mod hostile;
mod lexical;
mod process;
mod ssrf;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
