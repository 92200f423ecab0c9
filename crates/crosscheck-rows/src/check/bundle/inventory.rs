//! Our own list of a bundle: a hash for every file, so that a single changed
//! byte anywhere is found and named.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crosscheck_core::canonical;
use crosscheck_core::digest::{Digest, of_reader};
use crosscheck_core::files::Root;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read_inside;
use super::sign::Sidecar;
use crate::check::error::ContractError;

/// The name of the list.
pub(super) const NAME: &str = "crosscheck-files.json";
/// The name of its signature.
pub(super) const SIGNATURE: &str = "crosscheck-files.sig.json";
const KIND: &str = "crosscheck_bundle_files";
const MAX_BYTES: u64 = 1024 * 1024;
const LIST_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The files of a bundle with hash and length.
pub(super) type Files = BTreeMap<String, (Digest, u64)>;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct List {
    schema_version: u8,
    kind: String,
    files: Vec<Line>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    path: String,
    sha256: String,
    byte_length: u64,
}

/// The list of the files named.
pub(super) fn text(files: &Files) -> Result<String, ContractError> {
    let line = |(name, (digest, length)): (&String, &(Digest, u64))| Line {
        path: name.clone(),
        sha256: digest.hex(),
        byte_length: *length,
    };
    let list = List {
        schema_version: 1,
        kind: KIND.to_owned(),
        files: files.iter().map(line).collect(),
    };
    let text = canonical::of(&list).map_err(|error| ContractError::internal(error.to_string()))?;
    Ok(text + "\n")
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
    let (bytes, mut wrong) = changed(folder, names);
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

/// The list of a folder, and in what the files there differ from it.
pub(super) fn changed(folder: &Path, names: &[&str]) -> (Vec<u8>, Vec<String>) {
    let bytes = read_inside(folder, NAME, LIST_MAX_BYTES).unwrap_or_default();
    let Some(lines) = lines(&bytes) else {
        return (bytes, vec![format!("{NAME} is not a list of files")]);
    };
    let mut wrong = Vec::new();
    let mut files = Files::new();
    for Line { path, sha256, .. } in &lines {
        let is_plain = !path.contains(['/', '\\']) && path != "..";
        match is_plain.then(|| measured(folder, path)).flatten() {
            Some(found) if found.0.hex() == *sha256 => {
                files.insert(path.clone(), found);
            }
            _ => wrong.push(format!("{path} is missing or changed")),
        }
    }
    // lengths, names that come twice, blanks: there is one form only
    let is_as_written = || text(&files).is_ok_and(|text| text.as_bytes() == bytes);
    if wrong.is_empty() && !is_as_written() {
        wrong.push(format!("{NAME} is changed"));
    }
    let is_listed = |name: &str| lines.iter().any(|line| line.path == name);
    let added = names
        .iter()
        .filter(|name| is_there(folder, name) && !is_listed(name));
    wrong.extend(added.map(|name| format!("{name} is not in the list")));
    (bytes, wrong)
}

/// What lies in a folder and is not in its list.
pub(super) fn others(folder: &Path) -> Vec<String> {
    let bytes = read_inside(folder, NAME, LIST_MAX_BYTES).unwrap_or_default();
    let lines = lines(&bytes).unwrap_or_default();
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut others: Vec<String> = found
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| ![NAME, SIGNATURE].contains(&name.as_str()))
        .filter(|name| !lines.iter().any(|line| line.path == *name))
        .collect();
    others.sort();
    others
}

fn lines(bytes: &[u8]) -> Option<Vec<Line>> {
    let list: List = serde_json::from_slice(bytes).ok()?;
    (list.kind == KIND).then_some(list.files)
}

/// Whether something has this name, also a link that leads nowhere.
fn is_there(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

/// Hash and length of a regular file that lies in the folder.
fn measured(folder: &Path, name: &str) -> Option<(Digest, u64)> {
    let root = Root::new(folder).ok()?;
    let (file, length) = root.open_measured(Path::new(name)).ok()?;
    Some((of_reader(file).ok()?, length))
}

/// Whether every byte of a signature file is as we write it for this list and key.
fn signs(signature: &[u8], list: &[u8], pem: &str) -> bool {
    Sidecar::parse(signature).is_some_and(|sidecar| {
        sidecar.names_key(pem)
            && sidecar.holds(list, pem)
            && sidecar.text_for(list).as_bytes() == signature
    })
}
