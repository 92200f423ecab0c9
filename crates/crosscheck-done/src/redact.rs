//! Secrets are taken out before anything is shown or stored.

pub use crosscheck_core::redact::redacted;
