//! TLS with ring, trusting the system's certificate authorities.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};

/// A configuration that trusts no certificate yet.
pub(super) fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
}

/// The configuration for all connections of a fetcher. Reads the system's
/// certificates, which takes milliseconds.
pub(super) fn client_config(builder: ConfigBuilder<ClientConfig, WantsVerifier>) -> ClientConfig {
    builder
        .with_root_certificates(trusted())
        .with_no_client_auth()
}

/// The system's certificates; if it has none (a minimal container), the public
/// ones that come with the program.
fn trusted() -> RootCertStore {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if store.is_empty() {
        store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    store
}
