//! Debates and documents against loopback.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that cannot set its stage must stop at once"
)]

mod desk;
mod families;
mod following;
mod readings;
mod researcher;
mod ruling;
mod scale;
mod shapes;
mod tables;
mod ways;
mod world;

#[test]
fn every_test_file_is_compiled() {
    crosscheck_testkit::assert_all_modules_listed(env!("CARGO_MANIFEST_DIR"));
}
