//! Flags over environment over configuration over defaults.

pub(crate) mod asking;
pub(crate) mod config;
pub(crate) mod fetching;
pub(crate) mod sections;

/// A variable of the environment that is not empty.
#[expect(
    clippy::disallowed_methods,
    reason = "this crate alone reads the environment"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
