//! Ed25519 signatures in a file beside what they sign.
//!
//! Contract: check 15.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crosscheck_core::advice::with_causes;
use crosscheck_core::canonical::quoted;
use crosscheck_core::digest::Digest;
use crosscheck_core::files::read_limited;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, DecodePublicKey as _, EncodePublicKey as _};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde_json::Value;

use crate::check::error::ContractError;
use crate::check::reasons::ContractFailure;
use crate::check::schema::Schema;

const KEY_MAX: u64 = 64 * 1024;

/// A key that signs bundles.
pub struct Signer {
    key: SigningKey,
    public_pem: String,
}

impl Signer {
    /// Reads a PKCS#8 PEM file.
    pub fn load(path: &Path) -> Result<Self, ContractError> {
        let fail = |why: String| {
            ContractError::new(
                ContractFailure::BundleSignaturePrivateKeyInvalid,
                format!("--sign-ed25519-private-key `{}`: {why}", path.display()),
            )
        };
        let bytes = read_limited(path, KEY_MAX).map_err(|error| fail(with_causes(&error)))?;
        let pem = String::from_utf8_lossy(&bytes);
        // what the library says about a broken key is not shown: it may quote the key
        let key = SigningKey::from_pkcs8_pem(pem.trim())
            .map_err(|_| fail("not an Ed25519 key in PKCS#8 PEM form".to_owned()))?;
        let public_pem = key
            .verifying_key()
            .to_public_key_pem(LineEnding::LF)
            .map_err(|_| fail("its public key has no PEM form".to_owned()))?;
        Ok(Self { key, public_pem })
    }

    /// The signature file of a content whose line ends are `\n`.
    pub(super) fn sidecar(&self, content: &[u8]) -> String {
        text(
            &self.key.sign(content).to_bytes(),
            content,
            &self.public_pem,
        )
    }
}

fn text(signature: &[u8], content: &[u8], public_pem: &str) -> String {
    let signature = STANDARD.encode(signature);
    format!(
        "{{\"algorithm\":\"ed25519\",\"schemaVersion\":1,\"signatureBase64\":\"{signature}\",\"signedContentSha256Hex\":\"{}\",\"signingPublicKeySpkiPem\":{}}}\n",
        Digest::of(content).hex(),
        quoted(public_pem.into())
    )
}

/// A signature file, read and checked for its form.
pub(super) struct Sidecar {
    pub(super) sha256: String,
    pub(super) public_pem: String,
    signature: Vec<u8>,
}

impl Sidecar {
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        if !Schema::Signature.fits(&value) {
            return None;
        }
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            sha256: text("signedContentSha256Hex")?,
            public_pem: text("signingPublicKeySpkiPem")?,
            // the form asks for any text; what is not a signature fits no content
            signature: STANDARD
                .decode(text("signatureBase64")?)
                .unwrap_or_default(),
        })
    }

    /// The file as it is written for a content, with the signature and key of this one.
    pub(super) fn text_for(&self, content: &[u8]) -> String {
        let pem = self.public_pem.replace("\r\n", "\n").trim().to_owned() + "\n";
        text(&self.signature, content, &pem)
    }

    /// Whether it names this key.
    pub(super) fn names_key(&self, public_pem: &str) -> bool {
        same_pem(&self.public_pem, public_pem)
    }

    /// Whether the signature fits content and key.
    pub(super) fn holds(&self, content: &[u8], public_pem: &str) -> bool {
        let check = || -> Option<()> {
            let key = VerifyingKey::from_public_key_pem(public_pem.trim()).ok()?;
            let signature = Signature::from_slice(&self.signature).ok()?;
            key.verify_strict(content, &signature).ok()
        };
        check().is_some()
    }
}

/// What is wrong with a text that should be a public key; nothing of the text
/// is shown, it may be a private one.
pub(super) fn fault_of_public_key(pem: &str) -> Option<&'static str> {
    if VerifyingKey::from_public_key_pem(pem.trim()).is_ok() {
        return None;
    }
    Some(if pem.contains("PRIVATE KEY-----") {
        "a private key; the public one is wanted, which `openssl pkey -in KEY -pubout` prints"
    } else {
        "not an Ed25519 public key in SPKI PEM form"
    })
}

/// What a key is called where people compare keys.
pub(super) fn key_digest(pem: &str) -> String {
    let key = VerifyingKey::from_public_key_pem(pem.trim());
    key.map_or_else(|_| "?".to_owned(), |key| Digest::of(key.as_bytes()).hex())
}

fn same_pem(a: &str, b: &str) -> bool {
    let plain = |pem: &str| pem.replace("\r\n", "\n").trim().to_owned();
    plain(a) == plain(b)
}
