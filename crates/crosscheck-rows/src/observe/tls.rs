//! How a database connection is protected: `sslmode` and `sslrootcert` of a
//! URL, in the sense libpq gives them.
//!
//! Neither driver knows all of these words, so they are taken out of the URL
//! before the driver reads it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use crosscheck_core::files::{ReadError, read_limited};
use mysql_async::SslOpts;
use percent_encoding::percent_decode_str;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

const ROOTS_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The MySQL driver leaves the host name unchecked only when the refusal it
/// gets from `rustls` contains this word, which today's refusals do not. They
/// do quote the name that was expected; so this is the name we expect. The
/// chain is checked before the name, and its refusals quote no name.
const NAME_THAT_IS_NOT_CHECKED: &str = "NotValidForName.invalid";

/// How far a connection is protected; the later, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// In the clear.
    Disable,
    /// Encrypted if the server can.
    Prefer,
    /// Encrypted, with whomever.
    Require,
    /// Encrypted, with a server that a trusted authority vouches for.
    VerifyCa,
    /// Encrypted, with the host of the URL.
    VerifyFull,
}

/// What a URL says about protection.
#[derive(Debug, Default)]
pub(super) struct Tls {
    mode: Option<Mode>,
    roots: Option<Roots>,
}

#[derive(Debug)]
enum Roots {
    System,
    File(PathBuf),
}

/// Why the wanted protection cannot be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum TlsError {
    #[error("unknown sslmode `{0}`; use disable, prefer, require, verify-ca or verify-full")]
    UnknownMode(String),
    #[error("sslrootcert needs sslmode=verify-ca or sslmode=verify-full")]
    RootsUnused,
    #[error("{0} is not understood here; use sslmode and sslrootcert")]
    ForeignParameter(String),
    #[error("the certificates of sslrootcert cannot be read")]
    ReadRoots(#[from] ReadError),
    #[error("`{}` holds no certificate", .0.display())]
    NoRoots(PathBuf),
    #[error("the system has no trusted certificates; name a file with sslrootcert")]
    NoSystemRoots,
    #[error("TLS cannot be set up")]
    Setup(#[from] Error),
    #[error("TLS cannot be set up")]
    Verifier(#[from] rustls::client::VerifierBuilderError),
}

impl Tls {
    /// Takes the two parameters out of a URL; the rest is the driver's.
    pub(super) fn split(url: &str) -> Result<(Self, String), TlsError> {
        // a password may hold a question mark
        let after_password = url.find('@').unwrap_or(0);
        let Some(query_at) = url
            .get(after_password..)
            .and_then(|rest| rest.find('?'))
            .map(|at| at + after_password)
        else {
            return Ok((Self::default(), url.to_owned()));
        };
        let (head, query) = url.split_at(query_at);
        let mut tls = Self::default();
        let mut rest = Vec::new();
        for pair in query.trim_start_matches('?').split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match decoded(name).as_str() {
                "sslmode" => tls.mode = Some(Mode::named(&decoded(value))?),
                "sslrootcert" => {
                    tls.roots = Some(match decoded(value).as_str() {
                        "system" => Roots::System,
                        path => Roots::File(path.into()),
                    });
                }
                _ if !pair.is_empty() => rest.push(pair),
                _ => {}
            }
        }
        let url = if rest.is_empty() {
            head.to_owned()
        } else {
            format!("{head}?{}", rest.join("&"))
        };
        Ok((tls, url))
    }

    /// The mode, given what the driver itself found in the URL. With trusted
    /// certificates at hand `require` checks them, as libpq does.
    pub(super) fn mode(&self, of_driver: Mode) -> Result<Mode, TlsError> {
        match (self.mode.unwrap_or(of_driver), &self.roots) {
            (Mode::Require, Some(_)) => Ok(Mode::VerifyCa),
            (Mode::Disable | Mode::Prefer, Some(_)) => Err(TlsError::RootsUnused),
            (mode, _) => Ok(mode),
        }
    }

    /// The settings of a connection that is encrypted.
    pub(super) fn client_config(&self, mode: Mode) -> Result<ClientConfig, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?;
        let chain = match mode {
            Mode::VerifyFull => {
                let roots = self.trusted()?;
                return Ok(builder.with_root_certificates(roots).with_no_client_auth());
            }
            Mode::VerifyCa => Some(
                WebPkiServerVerifier::builder_with_provider(
                    Arc::new(self.trusted()?),
                    Arc::clone(&provider),
                )
                .build()?,
            ),
            Mode::Disable | Mode::Prefer | Mode::Require => None,
        };
        let anybody = AnyName { chain, provider };
        Ok(builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(anybody))
            .with_no_client_auth())
    }

    /// The same for the MySQL driver, which builds its settings itself.
    pub(super) fn mysql(&self, mode: Mode, host: &str) -> Result<Option<SslOpts>, TlsError> {
        if mode == Mode::Disable {
            return Ok(None);
        }
        choose_provider();
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        let options = SslOpts::default();
        Ok(Some(match mode {
            Mode::VerifyFull => options
                .with_disable_built_in_roots(true)
                .with_root_certs(self.trusted_bytes()?.into_iter().map(Into::into).collect())
                .with_danger_tls_hostname_override(Some(host)),
            Mode::VerifyCa => options
                .with_disable_built_in_roots(true)
                .with_root_certs(self.trusted_bytes()?.into_iter().map(Into::into).collect())
                .with_danger_skip_domain_validation(true)
                .with_danger_tls_hostname_override(Some(NAME_THAT_IS_NOT_CHECKED)),
            Mode::Disable | Mode::Prefer | Mode::Require => options
                .with_danger_accept_invalid_certs(true)
                .with_danger_tls_hostname_override(Some(host)),
        }))
    }

    fn trusted(&self) -> Result<RootCertStore, TlsError> {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(self.certificates()?);
        if store.is_empty() {
            return Err(match &self.roots {
                Some(Roots::File(path)) => TlsError::NoRoots(path.clone()),
                Some(Roots::System) | None => TlsError::NoSystemRoots,
            });
        }
        Ok(store)
    }

    /// The same certificates in the form they have in a file.
    fn trusted_bytes(&self) -> Result<Vec<Vec<u8>>, TlsError> {
        self.trusted()?;
        let usable = |certificate: &CertificateDer<'static>| {
            RootCertStore::empty().add(certificate.clone()).is_ok()
        };
        Ok(self
            .certificates()?
            .into_iter()
            .filter(usable)
            .map(|certificate| certificate.to_vec())
            .collect())
    }

    fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        match &self.roots {
            Some(Roots::File(path)) => of_file(path),
            Some(Roots::System) | None => Ok(rustls_native_certs::load_native_certs().certs),
        }
    }
}

impl Mode {
    fn named(word: &str) -> Result<Self, TlsError> {
        Ok(match word {
            "disable" => Self::Disable,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => return Err(TlsError::UnknownMode(word.to_owned())),
        })
    }
}

fn of_file(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = read_limited(path, ROOTS_MAX_BYTES)?;
    CertificateDer::pem_slice_iter(&bytes)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| TlsError::NoRoots(path.to_owned()))
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The MySQL driver takes the provider of the process; somebody may have
/// chosen one already.
fn choose_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _: Result<(), Arc<CryptoProvider>> = ring::default_provider().install_default();
    });
}

/// Accepts a certificate whatever name it carries; without a chain to check,
/// any certificate. That the server holds its key is checked in any case.
#[derive(Debug)]
struct AnyName {
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chain) = &self.chain else {
            return Ok(ServerCertVerified::assertion());
        };
        // the name comes last: a server that fails there has passed everything else
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(url: &str) -> (Tls, String) {
        Tls::split(url).unwrap()
    }

    #[test]
    fn only_our_parameters_leave_the_url() {
        let (tls, rest) = split("postgres://u:p?w@h/d?sslmode=verify-ca&a=1&sslrootcert=%2Fx%20y");
        assert_eq!(rest, "postgres://u:p?w@h/d?a=1");
        assert_eq!(tls.mode(Mode::Prefer).unwrap(), Mode::VerifyCa);
        assert!(matches!(tls.roots, Some(Roots::File(path)) if path == Path::new("/x y")));
        assert_eq!(split("mysql://h/d?sslmode=require").1, "mysql://h/d");
        assert_eq!(split("host=h dbname=d").1, "host=h dbname=d");
    }

    #[test]
    fn every_mode_has_its_name_and_other_words_are_refused() {
        let table = [
            ("disable", Mode::Disable),
            ("prefer", Mode::Prefer),
            ("require", Mode::Require),
            ("verify-ca", Mode::VerifyCa),
            ("verify-full", Mode::VerifyFull),
        ];
        for (word, mode) in table {
            let (tls, _) = split(&format!("postgres://h/d?sslmode={word}"));
            assert_eq!(tls.mode(Mode::Prefer).unwrap(), mode, "{word}");
        }
        for word in ["", "REQUIRE", "allow", "verify"] {
            let refused = Tls::split(&format!("postgres://h/d?sslmode={word}")).unwrap_err();
            assert!(refused.to_string().contains("verify-full"), "{refused}");
        }
        assert_eq!(
            split("postgres://h/d").0.mode(Mode::Prefer).unwrap(),
            Mode::Prefer
        );
    }

    #[test]
    fn trusted_certificates_are_never_ignored() {
        let mode = |query: &str| {
            split(&format!("postgres://h/d?{query}"))
                .0
                .mode(Mode::Prefer)
        };
        assert_eq!(
            mode("sslmode=require&sslrootcert=x").unwrap(),
            Mode::VerifyCa
        );
        assert!(mode("sslrootcert=x").is_err());
        assert!(mode("sslmode=disable&sslrootcert=x").is_err());
    }

    #[test]
    fn a_missing_or_empty_certificate_file_is_refused_when_certificates_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty.pem");
        std::fs::File::create(&empty).unwrap();
        for path in [empty, folder.path().join("absent.pem")] {
            let url = format!(
                "mysql://h/d?sslmode=verify-full&sslrootcert={}",
                path.display()
            );
            let (tls, _) = split(&url);
            assert!(tls.client_config(Mode::VerifyFull).is_err());
            assert!(tls.client_config(Mode::VerifyCa).is_err());
            assert!(tls.mysql(Mode::VerifyFull, "h").is_err());
            assert!(tls.mysql(Mode::VerifyCa, "h").is_err());
            assert!(tls.client_config(Mode::Require).is_ok());
        }
    }
}
