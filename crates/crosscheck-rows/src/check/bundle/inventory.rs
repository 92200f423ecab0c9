//! Our own list of a bundle: a hash for every file, so that a single changed
//! byte anywhere is found and named.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crosscheck_core::canonical;
use crosscheck_core::digest::{Digest, of_reader};
use crosscheck_core::files::Root;
use serde_json::{Value, json};

use super::read_inside;
use super::sign::Sidecar;
use crate::check::error::ContractError;

/// The name of the list.
pub(super) const NAME: &str = "crosscheck-files.json";
/// The name of its signature.
pub(super) const SIGNATURE: &str = "crosscheck-files.sig.json";
const LIST: &str = "crosscheck_bundle_files";
const LIST_OF_BOTH: &str = "crosscheck_bundle_being_replaced";
const MAX_BYTES: u64 = 1024 * 1024;
const LIST_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The files of a bundle with hash and length.
pub(super) type Files = BTreeMap<String, (Digest, u64)>;

/// A line of a list.
pub(super) struct Listed {
    path: String,
    sha256: String,
    /// Whether the file lay there before the bundle, which did not write it.
    is_kept: bool,
}

/// The list of the files named.
pub(super) fn text(files: &Files, kept: &BTreeSet<String>) -> Result<String, ContractError> {
    let list: Vec<Value> = files
        .iter()
        .map(|(name, (digest, len))| {
            let mut entry = json!({ "path": name, "sha256": digest.hex(), "byteLength": len });
            if let (true, Some(entry)) = (kept.contains(name), entry.as_object_mut()) {
                entry.insert("kept".to_owned(), Value::Bool(true));
            }
            entry
        })
        .collect();
    let document = json!({ "schemaVersion": 1, "kind": LIST, "files": list });
    let text =
        canonical::of(&document).map_err(|error| ContractError::internal(error.to_string()))?;
    Ok(text + "\n")
}

/// A list that names files as they were and as they will be, and repeats the
/// records of both bundles. It is never the list of a valid bundle.
pub(super) fn text_of_both(
    before: &[Listed],
    files: &Files,
    kept: &BTreeSet<String>,
    records: &[Value],
) -> Result<String, ContractError> {
    let entry = |path: &str, sha256: &str, is_kept: bool| json!({ "path": path, "sha256": sha256, "kept": is_kept });
    let now = files
        .iter()
        .map(|(name, (digest, _))| entry(name, &digest.hex(), kept.contains(name)));
    let before = before
        .iter()
        .map(|one| entry(&one.path, &one.sha256, one.is_kept));
    let list: Vec<Value> = before.chain(now).collect();
    let document =
        json!({ "schemaVersion": 1, "kind": LIST_OF_BOTH, "files": list, "records": records });
    canonical::of(&document).map_err(|error| ContractError::internal(error.to_string()))
}

/// The files and hashes that the list of a folder names, and the records that
/// it repeats; `None` without a list.
pub(super) fn listed(folder: &Path) -> Option<(Vec<Listed>, Vec<Value>)> {
    let list = read_inside(folder, NAME, LIST_MAX_BYTES).ok()?;
    let document: Value = serde_json::from_slice(&list).ok()?;
    let kind = document.get("kind").and_then(Value::as_str)?;
    let records = document.get("records").and_then(Value::as_array);
    [LIST, LIST_OF_BOTH]
        .contains(&kind)
        .then(|| Some((entries(&list)?, records.cloned().unwrap_or_default())))?
}

/// Whether a bundle wrote this file, as far as its list says.
pub(super) fn is_written(listed: &[Listed], name: &str, sha256: &str) -> bool {
    let mut lines = listed
        .iter()
        .filter(|one| one.path == name && one.sha256 == sha256)
        .peekable();
    lines.peek().is_some() && lines.all(|one| !one.is_kept)
}

/// Whether something has this name, also a link that leads nowhere.
fn is_there(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

fn entries(list: &[u8]) -> Option<Vec<Listed>> {
    let list: Value = serde_json::from_slice(list).ok()?;
    let files = list.get("files")?.as_array()?.iter();
    files
        .map(|entry| {
            let text = |key: &str| entry.get(key)?.as_str().map(str::to_owned);
            Some(Listed {
                path: text("path")?,
                sha256: text("sha256")?,
                is_kept: entry.get("kept") == Some(&Value::Bool(true)),
            })
        })
        .collect()
}

/// Hash and length of a regular file that lies in the folder.
fn measured(folder: &Path, name: &str) -> Option<(Digest, u64)> {
    let root = Root::new(folder).ok()?;
    let (file, length) = root.open_measured(Path::new(name)).ok()?;
    Some((of_reader(file).ok()?, length))
}

/// The same for a file that is not a link.
pub(super) fn measured_plain(folder: &Path, name: &str) -> Option<(Digest, u64)> {
    let is_plain = folder
        .join(name)
        .symlink_metadata()
        .is_ok_and(|meta| meta.is_file());
    is_plain.then(|| measured(folder, name)).flatten()
}

/// What the manifest of a bundle says about itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claims {
    /// A signature is beside the manifest or in it.
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

/// Every file that is changed or missing, or that has one of the names of such
/// a bundle and is not in the list; empty for a bundle that somebody else made
/// without a list.
pub(super) fn check(
    folder: &Path,
    names: &[&str],
    public_pem: Option<&str>,
    claims: Claims,
) -> Vec<String> {
    let is_expected = claims.is_ours || is_there(folder, SIGNATURE);
    if !is_there(folder, NAME) {
        let missing = is_expected.then(|| format!("{NAME} is missing"));
        return missing.into_iter().collect();
    }
    let bytes = read_inside(folder, NAME, LIST_MAX_BYTES).unwrap_or_default();
    let Some(entries) = entries(&bytes) else {
        return vec![format!("{NAME} is not a list of files")];
    };
    let mut wrong = changed(folder, names, &bytes, &entries);
    let signature = read_inside(folder, SIGNATURE, MAX_BYTES).ok();
    match (&signature, public_pem) {
        (None, _) if claims.is_signed => wrong.push(format!("{SIGNATURE} is missing")),
        (Some(_), _) if !claims.is_signed => {
            wrong.push(format!(
                "{SIGNATURE} signs a list, but the bundle is not signed"
            ));
        }
        (Some(signature), Some(pem)) if !signs(signature, &bytes, pem) => {
            wrong.push(format!("{SIGNATURE} does not fit {NAME} and the key"));
        }
        _ => {}
    }
    wrong.sort();
    wrong
}

fn changed(folder: &Path, names: &[&str], list: &[u8], entries: &[Listed]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut files = Files::new();
    let mut kept = BTreeSet::new();
    for Listed {
        path: name,
        sha256,
        is_kept,
    } in entries
    {
        let is_plain = !name.contains(['/', '\\']) && name != "..";
        match is_plain.then(|| measured(folder, name)).flatten() {
            Some(found) if found.0.hex() == *sha256 => {
                files.insert(name.clone(), found);
                kept.extend(is_kept.then(|| name.clone()));
            }
            _ => wrong.push(format!("{name} is missing or changed")),
        }
    }
    // lengths, names that come twice, blanks: there is one form only
    let is_as_written = || text(&files, &kept).is_ok_and(|text| text.as_bytes() == list);
    if wrong.is_empty() && !is_as_written() {
        wrong.push(format!("{NAME} is changed"));
    }
    let is_listed = |name: &str| entries.iter().any(|listed| listed.path == name);
    let added = names
        .iter()
        .filter(|name| is_there(folder, name) && !is_listed(name));
    wrong.extend(added.map(|name| format!("{name} is not in the list")));
    wrong
}

/// What lies in a folder and is not in its list.
pub(super) fn others(folder: &Path) -> Vec<String> {
    let bytes = read_inside(folder, NAME, LIST_MAX_BYTES).unwrap_or_default();
    let entries = entries(&bytes).unwrap_or_default();
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut others: Vec<String> = found
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| ![NAME, SIGNATURE].contains(&name.as_str()))
        .filter(|name| !entries.iter().any(|listed| listed.path == *name))
        .collect();
    others.sort();
    others
}

/// Whether every byte of a signature file is as we write it for this list and key.
fn signs(signature: &[u8], list: &[u8], pem: &str) -> bool {
    Sidecar::parse(signature).is_some_and(|sidecar| {
        sidecar.names_key(pem)
            && sidecar.holds(list, pem)
            && sidecar.text_for(list).as_bytes() == signature
    })
}
