//! The manifest of a seal (trace 6.16).

use std::collections::BTreeMap;

use super::document::{self, Unwrapped};
use super::object::Flaw;
use crate::forms::{is_hash, is_safe_path};

/// A manifest that can be read.
pub(crate) struct Manifest {
    /// Paths and hashes.
    pub(crate) files: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads `manifest.json`, or says why it is not a manifest.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let json = document::parse(bytes).map_err(Flaw::why)?;
        let Unwrapped::Plain(root) = document::unwrap(json.root()) else {
            return Err("its wrapper is not of version 1".to_owned());
        };
        let members = root.as_object().ok_or("it is not an object")?;
        let files: Result<_, String> = members
            .map(|(path, hash)| match hash.as_str() {
                Some(hash) if is_hash(hash) => Ok((path.to_string(), hash.to_owned())),
                _ => Err(format!("`{path}` has no hash of 64 lower-case hex digits")),
            })
            .collect();
        Ok(Self { files: files? })
    }

    /// The paths that may be opened.
    pub(crate) fn safe_paths(&self) -> impl Iterator<Item = &String> {
        self.files.keys().filter(|path| is_safe_path(path))
    }
}
