//! The verifier on small repositories.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests set their own stage on the disk, and stop at once when they cannot"
)]

mod claims;
mod repository;
