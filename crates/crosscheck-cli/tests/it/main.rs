//! Conversations with the real program.

mod house;
mod workspace;

use crosscheck_testkit::Desk;

/// A fresh desk for the program under test.
fn desk() -> Desk {
    Desk::new(env!("CARGO_BIN_EXE_crosscheck"))
}

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
