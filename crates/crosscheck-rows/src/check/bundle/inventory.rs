//! Our own list of a bundle: a hash for every file, so that a single changed
//! byte anywhere is found and named.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use crosscheck_core::canonical;
use crosscheck_core::digest::{Digest, of_reader};
use crosscheck_core::files::{open_regular, read_limited};
use serde_json::{Value, json};

use super::sign::{Sidecar, Signer};
use super::write_text;
use crate::check::error::ContractError;

/// The name of the list.
pub(super) const NAME: &str = "crosscheck-files.json";
const SIGNATURE: &str = "crosscheck-files.sig.json";
const MAX_BYTES: u64 = 1024 * 1024;
const LIST_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Writes the list of the files named, and signs it.
pub(super) fn write(
    folder: &Path,
    files: &BTreeMap<String, (Digest, u64)>,
    signer: Option<&Signer>,
) -> Result<(), ContractError> {
    let list: Vec<Value> = files
        .iter()
        .map(|(name, (digest, len))| json!({ "path": name, "sha256": digest.hex(), "byteLength": len }))
        .collect();
    let document = json!({ "schemaVersion": 1, "kind": "crosscheck_bundle_files", "files": list });
    let text = canonical::of(&document)
        .map_err(|error| ContractError::internal(error.to_string()))?
        + "\n";
    write_text(&folder.join(NAME), &text)?;
    if let Some(signer) = signer {
        write_text(&folder.join(SIGNATURE), &signer.sidecar(text.as_bytes()))?;
    }
    Ok(())
}

/// Removes files of an earlier bundle in the same folder that this one has not.
pub(super) fn remove_others(
    folder: &Path,
    known: &[&str],
    files: &BTreeMap<String, (Digest, u64)>,
    is_signed: bool,
) -> Result<(), ContractError> {
    let stale = known.iter().filter(|name| !files.contains_key(**name));
    let list = (!is_signed).then_some(&SIGNATURE);
    for name in stale.chain(list) {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(super::failed(&path, &error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What the manifest of a bundle says about itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claims {
    /// A signature stands beside the manifest or in it.
    pub(super) is_signed: bool,
    /// We made it, so a list belongs to it.
    pub(super) is_ours: bool,
}

impl Claims {
    pub(super) fn of(manifest: &Value, is_signed: bool) -> Self {
        let maker = manifest.pointer("/producer/name").and_then(Value::as_str);
        Self {
            is_signed,
            is_ours: maker == Some("crosscheck"),
        }
    }
}

/// Every file that is changed, missing or not in the list; empty for a bundle
/// that somebody else made without a list.
pub(super) fn check(folder: &Path, public_pem: Option<&str>, claims: Claims) -> Vec<String> {
    let signature = read_limited(&folder.join(SIGNATURE), MAX_BYTES).ok();
    let Ok(bytes) = read_limited(&folder.join(NAME), LIST_MAX_BYTES) else {
        let is_expected = signature.is_some() || claims.is_ours;
        return if is_expected {
            vec![format!("{NAME} is missing")]
        } else {
            Vec::new()
        };
    };
    let Ok(list) = serde_json::from_slice::<Value>(&bytes) else {
        return vec![format!("{NAME} is not JSON")];
    };
    let mut wrong = Vec::new();
    let mut named = vec![NAME.to_owned(), SIGNATURE.to_owned()];
    for entry in list
        .get("files")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = text("path");
        named.push(name.to_owned());
        let plain = !name.contains(['/', '\\']) && name != "..";
        let digest = plain
            .then(|| open_regular(&folder.join(name)).ok())
            .flatten()
            .and_then(|file: File| of_reader(file).ok());
        if digest.is_none_or(|digest| digest.hex() != text("sha256")) {
            wrong.push(format!("{name} is missing or changed"));
        }
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !named.contains(&name) {
            wrong.push(format!("{name} is not in the list"));
        }
    }
    match (&signature, public_pem) {
        (None, _) if claims.is_signed => wrong.push(format!("{SIGNATURE} is missing")),
        (Some(signature), Some(pem)) if !signs(signature, &bytes, pem) => {
            wrong.push(format!("{SIGNATURE} does not fit {NAME} and the key"));
        }
        _ => {}
    }
    wrong.sort();
    wrong
}

/// Whether every byte of a signature file is as we write it for this list and key.
fn signs(signature: &[u8], list: &[u8], pem: &str) -> bool {
    Sidecar::parse(signature).is_some_and(|sidecar| {
        sidecar.names_key(pem)
            && sidecar.holds(list, pem)
            && sidecar.text_for(list).as_bytes() == signature
    })
}
