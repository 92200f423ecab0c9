//! Records as in-toto statements in DSSE envelopes, signed with Ed25519, so
//! that others can verify them without the ledger.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crosscheck_core::advice::with_causes;
use crosscheck_core::canonical;
use crosscheck_core::digest::Digest;
use crosscheck_core::files::read_limited;
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, DecodePublicKey as _, EncodePublicKey as _};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Item, LedgerError, LedgerReason, Record};

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "https://github.com/crosscheck-dev/crosscheck/ledger-record/v1";
const PAYLOAD: &str = "application/vnd.in-toto+json";
const KEY_MAX: u64 = 1 << 16;

/// A private key.
pub struct Signer {
    key: SigningKey,
    id: String,
}

/// A public key.
pub struct Verifier(VerifyingKey);

/// An in-toto statement: what it is about, and what it says of that.
#[derive(Serialize, Deserialize)]
pub struct Statement<P> {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    /// What is said.
    pub predicate: P,
}

impl<P> Statement<P> {
    /// What is said of these things, in the form of this type.
    pub fn new(about: &[Item], predicate_type: &str, predicate: P) -> Self {
        let subject = |item: &Item| Subject {
            name: item.name.clone(),
            digest: Sha256 {
                sha256: item.sha256.clone(),
            },
        };
        Self {
            kind: STATEMENT.to_owned(),
            subject: about.iter().map(subject).collect(),
            predicate_type: predicate_type.to_owned(),
            predicate,
        }
    }

    /// What it is about.
    pub fn about(&self) -> Vec<Item> {
        let item = |subject: &Subject| Item {
            name: subject.name.clone(),
            sha256: subject.digest.sha256.clone(),
        };
        self.subject.iter().map(item).collect()
    }
}

#[derive(Serialize, Deserialize)]
struct Subject {
    name: String,
    digest: Sha256,
}

#[derive(Serialize, Deserialize)]
struct Sha256 {
    sha256: String,
}

#[derive(Serialize, Deserialize)]
struct Predicate {
    hash: String,
    record: Record,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload: String,
    payload_type: String,
    signatures: Vec<Sign>,
}

#[derive(Serialize, Deserialize)]
struct Sign {
    #[serde(default)]
    keyid: String,
    sig: String,
}

impl Signer {
    /// Reads a PKCS#8 PEM file.
    pub fn load(path: &Path) -> Result<Self, LedgerError> {
        let pem = read_pem(path)?;
        // what the library says about a broken key is not shown: it may quote the key
        let broken = || unusable(path, "it is not an Ed25519 private key in PKCS#8 PEM form");
        let key = SigningKey::from_pkcs8_pem(pem.trim()).map_err(|_| broken())?;
        let public = key.verifying_key().to_public_key_der();
        let public = public.map_err(|_| broken())?;
        Ok(Self {
            id: Digest::of(public.as_bytes()).hex(),
            key,
        })
    }

    /// The envelope of a record with its hash, on one line.
    pub fn envelope(&self, record: &Record, hash: &str) -> String {
        let own = Item {
            name: format!("ledger record {}", record.seq),
            sha256: hash.to_owned(),
        };
        let about = [std::slice::from_ref(&own), &record.entry.inputs].concat();
        let predicate = Predicate {
            hash: hash.to_owned(),
            record: record.clone(),
        };
        self.sign(&Statement::new(&about, PREDICATE, predicate))
    }

    /// The envelope of a statement, on one line.
    pub fn sign<P: Serialize>(&self, statement: &Statement<P>) -> String {
        let payload = canonical::of(statement).unwrap_or_default();
        let signature = self.key.sign(&signed(PAYLOAD, payload.as_bytes()));
        let envelope = Envelope {
            payload: STANDARD.encode(payload),
            payload_type: PAYLOAD.to_owned(),
            signatures: vec![Sign {
                keyid: self.id.clone(),
                sig: STANDARD.encode(signature.to_bytes()),
            }],
        };
        canonical::of(&envelope).unwrap_or_default()
    }
}

impl Verifier {
    /// Reads an SPKI PEM file.
    pub fn load(path: &Path) -> Result<Self, LedgerError> {
        let pem = read_pem(path)?;
        VerifyingKey::from_public_key_pem(pem.trim())
            .map(Self)
            .map_err(|_| unusable(path, "it is not an Ed25519 public key in SPKI PEM form"))
    }

    /// The record of an envelope that this key has signed; otherwise what is
    /// wrong.
    pub fn open(&self, text: &str) -> Result<Record, &'static str> {
        let statement = self.statement::<Predicate>(text, PREDICATE)?;
        let Predicate { hash, record } = statement.predicate;
        let is_whole = Digest::of(record.text()).hex() == hash;
        is_whole
            .then_some(record)
            .ok_or("its record does not have its hash")
    }

    /// The statement of this type in an envelope that this key has signed.
    pub fn statement<P: DeserializeOwned>(
        &self,
        text: &str,
        predicate_type: &str,
    ) -> Result<Statement<P>, &'static str> {
        let envelope: Envelope =
            serde_json::from_str(text).map_err(|_| "it is not a DSSE envelope")?;
        if envelope.payload_type != PAYLOAD {
            return Err("it does not hold an in-toto statement");
        }
        let payload = STANDARD.decode(&envelope.payload);
        let payload = payload.map_err(|_| "its payload is not base64")?;
        let message = signed(PAYLOAD, &payload);
        let is_signed = envelope.signatures.iter().any(|sign| {
            let bytes = STANDARD.decode(&sign.sig).ok();
            let signature = bytes.and_then(|bytes| Signature::from_slice(&bytes).ok());
            signature.is_some_and(|signature| self.0.verify_strict(&message, &signature).is_ok())
        });
        if !is_signed {
            return Err("this key has not signed it");
        }
        let statement: Statement<P> =
            serde_json::from_slice(&payload).map_err(|_| "it does not hold such a statement")?;
        let is_ours = statement.kind == STATEMENT && statement.predicate_type == predicate_type;
        is_ours
            .then_some(statement)
            .ok_or("its statement is of another type")
    }
}

/// What is signed: DSSE's encoding of type and payload.
fn signed(kind: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

fn read_pem(path: &Path) -> Result<String, LedgerError> {
    let bytes =
        read_limited(path, KEY_MAX).map_err(|error| unusable(path, &with_causes(&error)))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn unusable(path: &Path, why: &str) -> LedgerError {
    let message = format!("cannot use the key `{}`: {why}", path.display());
    LedgerError::new(LedgerReason::KeyUnusable, message)
}
