//! Realistic logs, and hostile ones.

mod formats;
mod hostile;
mod session;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
