//! One report with every verdict and awkward words, in every format.

mod fixture;
mod machines;
mod people;
mod same_story;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
