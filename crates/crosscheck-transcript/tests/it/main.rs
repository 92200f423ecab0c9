//! Logs as they really look, and logs made to hurt.

mod formats;
mod hostile;
mod session;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
