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

/// Every file that is changed, missing or not in the list; empty for a bundle
/// without a list.
pub(super) fn check(folder: &Path, public_pem: Option<&str>) -> Vec<String> {
    let Ok(bytes) = read_limited(&folder.join(NAME), MAX_BYTES) else {
        return Vec::new();
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
    if let (Ok(signature), Some(pem)) =
        (read_limited(&folder.join(SIGNATURE), MAX_BYTES), public_pem)
        && !Sidecar::parse(&signature).is_some_and(|sidecar| sidecar.holds(&bytes, pem))
    {
        wrong.push(format!("{SIGNATURE} does not fit {NAME} and the key"));
    }
    wrong.sort();
    wrong
}
