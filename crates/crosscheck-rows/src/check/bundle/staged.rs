//! A bundle in the making: written beside its folder, then swapped in.
//!
//! A run that fails or is killed leaves the bundle before as it was, and of
//! several runs into one folder one whole bundle remains. A folder that also
//! holds files of other people is not swapped; the bundle is then put into it
//! file by file. Only what an earlier bundle wrote is replaced or removed: a
//! file of the bundle that lay there before stays, and the list says so.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::{Digest, of_reader};
use crosscheck_core::files::{write_atomic, write_atomic_with, written_as};
use crosscheck_core::folder::{Beside, Swapped, is_own};
use serde_json::Value;

use super::content;
use super::inventory::{self, Files, Listed};
use super::sign::Signer;
use super::{Counted, Maker, failed};
use crate::check::error::ContractError;

/// Every file that a bundle may have. No list makes another file ours.
const NAMES: [&str; 14] = [
    "agent-run.json",
    "attestation.json",
    inventory::NAME,
    inventory::SIGNATURE,
    "events.ndjson",
    "exit.json",
    "human-layer.json",
    "manifest.json",
    "manifest.sig.json",
    "material-truth.json",
    "next-action.json",
    "outcome-certificate.json",
    "workflow-result.json",
    "workflow-result.sig.json",
];

/// A bundle that is written, but not in its place yet.
pub struct Staged {
    named: PathBuf,
    beside: Beside,
    files: Files,
    /// Files of the bundle that lay in the folder before it.
    kept: BTreeSet<String>,
    /// The real paths of what the run read.
    inputs: Vec<PathBuf>,
    /// Names that such a bundle may have; a file of this name would be read as a part of it.
    parts: &'static [&'static str],
}

/// What is in the folder of a bundle before.
#[derive(Default)]
struct Earlier {
    /// The list of the bundle before.
    listed: Vec<Listed>,
    /// What it says who made it.
    records: Vec<Value>,
    /// Files of an earlier bundle, with what a killed run left behind.
    ours: Vec<String>,
    /// Files that are as the bundle needs them and that no bundle wrote.
    kept: BTreeSet<String>,
    /// Whether there is anything else.
    has_others: bool,
}

impl Staged {
    pub(super) fn new(
        named: &Path,
        parts: &'static [&'static str],
        maker: Maker<'_>,
    ) -> Result<Self, ContractError> {
        let beside = Beside::new(named).map_err(|error| failed(named, &error))?;
        beside.sweep(maker.clock.now(), &|name| NAMES.contains(&name));
        let inputs = maker.inputs.iter();
        Ok(Self {
            named: named.to_owned(),
            beside,
            files: Files::new(),
            kept: BTreeSet::new(),
            inputs: inputs.filter_map(|path| path.canonicalize().ok()).collect(),
            parts,
        })
    }

    /// Writes a file, reads it back, and gives its hash and length.
    pub(super) fn write(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(Digest, u64), ContractError> {
        let path = self.beside.path().join(name);
        let fail = |error: &dyn std::error::Error| failed(&self.named.join(name), error);
        let mut seen = None;
        write_atomic_with(&path, |file| {
            let mut counted = Counted::new(file);
            write(&mut counted)?;
            seen = Some(counted.finish());
            Ok(())
        })
        .map_err(|error| fail(&error))?;
        let back = File::open(&path)
            .and_then(of_reader)
            .map_err(|error| fail(&error))?;
        match seen {
            Some(seen) if seen.0 == back => {
                self.files.insert(name.to_owned(), seen);
                Ok(seen)
            }
            _ => Err(fail(&io::Error::other(
                "the file reads back different from what was written",
            ))),
        }
    }

    pub(super) fn write_text(
        &mut self,
        name: &str,
        text: &str,
    ) -> Result<(Digest, u64), ContractError> {
        self.write(name, |out| out.write_all(text.as_bytes()))
    }

    /// Writes the list of all files, and signs it.
    pub(super) fn finish(mut self, signer: Option<&Signer>) -> Result<Self, ContractError> {
        // a folder that another run swaps meanwhile is neither its old nor its new bundle
        let lock = self.lock()?;
        self.kept = self.earlier()?.kept;
        drop(lock);
        let text = inventory::text(&self.files, &self.kept)?;
        self.write_text(inventory::NAME, &text)?;
        if let Some(signer) = signer {
            self.write_text(inventory::SIGNATURE, &signer.sidecar(text.as_bytes()))?;
        }
        Ok(self)
    }

    /// Whether the bundle may have its place; nothing is changed.
    pub fn check(&self) -> Result<(), ContractError> {
        let _lock = self.lock()?;
        self.earlier().map(drop)
    }

    /// Puts the bundle in its place.
    pub fn place(self) -> Result<(), ContractError> {
        let _lock = self.lock()?;
        let earlier = self.earlier()?;
        if let Some(name) = earlier.kept.difference(&self.kept).next() {
            let why = "it appeared while the bundle was written; run again";
            return Err(failed(&self.named.join(name), &io::Error::other(why)));
        }
        if earlier.has_others {
            return self.put_in(&earlier);
        }
        let fail = |error: io::Error| failed(&self.named, &error);
        match self.beside.swap().map_err(fail)? {
            Swapped::Whole(None) => Ok(()),
            Swapped::Whole(Some(old)) => remove(&old, &earlier.ours),
            Swapped::Not(beside) => Self { beside, ..self }.put_in(&earlier),
        }
    }

    fn lock(&self) -> Result<Option<File>, ContractError> {
        let locked = self.beside.lock();
        locked.map_err(|error| failed(&self.named, &error))
    }

    fn earlier(&self) -> Result<Earlier, ContractError> {
        let folder = self.beside.place();
        let Ok(entries) = fs::read_dir(folder) else {
            return Ok(Earlier::default());
        };
        let listed = inventory::listed(folder);
        let mut earlier = Earlier::default();
        let has_list = listed.is_some();
        let (listed, noted) = listed.unwrap_or_default();
        let records = content::records(folder, noted);
        // who can only add files to the folder must not make files of others ours
        let owner_of = |name: &str| Some(folder.join(name).symlink_metadata().ok()?.uid());
        let owner = owner_of(inventory::NAME);
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let found = inventory::measured_plain(folder, &name);
            let hash = found.map(|(digest, _)| digest.hex());
            let is_same = hash.is_some() && self.hash_of(&name) == hash;
            let is_list = [inventory::NAME, inventory::SIGNATURE].contains(&name.as_str());
            let is_written = hash.as_ref().is_some_and(|hash| {
                NAMES.contains(&name.as_str())
                    && owner_of(&name) == owner
                    && inventory::is_written(&listed, &name, hash)
                    && content::is_ours(folder, &name, &records)
            });
            let is_own_list = has_list
                && (name == inventory::NAME
                    || is_list && content::is_ours(folder, &name, &records));
            let is_ours = (is_own_list || is_written)
                && (is_same || !self.inputs.contains(&folder.join(&name)));
            let is_own = entry.metadata().is_ok_and(|meta| is_own(&meta));
            if is_ours || (found.is_some() && is_own && is_leftover(&name)) {
                earlier.ours.push(name);
                continue;
            }
            earlier.has_others = true;
            if is_same {
                earlier.kept.insert(name);
            } else if is_list || self.is_part(&name) {
                let why = "it is where the bundle will be, and no earlier bundle wrote it as it is; remove it or name another folder";
                return Err(failed(&self.named.join(name), &io::Error::other(why)));
            }
        }
        (earlier.listed, earlier.records) = (listed, records);
        Ok(earlier)
    }

    fn is_part(&self, name: &str) -> bool {
        self.files.contains_key(name) || self.parts.contains(&name)
    }

    fn hash_of(&self, name: &str) -> Option<String> {
        self.files.get(name).map(|(digest, _)| digest.hex())
    }

    /// Puts the bundle into a folder that stays. Until all is done, the list
    /// there names the old and the new files: a run that is killed leaves a
    /// bundle that is not valid, and no file that the next run would not know.
    fn put_in(self, earlier: &Earlier) -> Result<(), ContractError> {
        let folder = self.beside.place();
        let fail =
            |name: &str, error: &dyn std::error::Error| failed(&self.named.join(name), error);
        let mut records = earlier.records.clone();
        records.extend(content::records(self.beside.path(), Vec::new()));
        let both = inventory::text_of_both(&earlier.listed, &self.files, &self.kept, &records)?;
        write_atomic(&folder.join(inventory::NAME), both.as_bytes())
            .map_err(|error| fail(inventory::NAME, &error))?;
        let stale = earlier.ours.iter();
        let stale = stale.filter(|name| !self.files.contains_key(*name));
        for name in stale {
            fs::remove_file(folder.join(name)).map_err(|error| fail(name, &error))?;
        }
        let mut names: Vec<&str> = self.files.keys().map(String::as_str).collect();
        names.sort_by_key(|name| *name == inventory::NAME);
        for name in names {
            let is_there = inventory::measured_plain(folder, name)
                .is_some_and(|(digest, _)| Some(digest.hex()) == self.hash_of(name));
            if !is_there {
                let mut from = File::open(self.beside.path().join(name))
                    .map_err(|error| fail(name, &error))?;
                write_atomic_with(&folder.join(name), |out| io::copy(&mut from, out).map(drop))
                    .map_err(|error| fail(name, &error))?;
            }
        }
        Ok(())
    }
}

/// Whether it has the name of what a killed run leaves: a temporary file of a
/// file of a bundle.
fn is_leftover(name: &str) -> bool {
    written_as(name).is_some_and(|name| NAMES.contains(&name))
}

/// Removes the bundle before. What arrived in its folder meanwhile stays.
fn remove(old: &Path, ours: &[String]) -> Result<(), ContractError> {
    for name in ours {
        let _ = fs::remove_file(old.join(name));
    }
    fs::remove_dir(old).map_err(|error| failed(old, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_files_of_bundles_are_left_over() {
        for (name, expected) in [
            ("events.ndjson.tmp.crosscheck-a1B2c3d4E5f6", true),
            ("crosscheck-files.json.tmp.crosscheck-aaaaaaaaaaaa", true),
            ("events.ndjson.tmp.backup", false),
            ("events.ndjson.tmp.crosscheck-a1B2c", false),
            ("notes.txt.tmp.crosscheck-a1B2c3d4E5f6", false),
            ("events.ndjson", false),
        ] {
            assert_eq!(is_leftover(name), expected, "{name}");
        }
    }
}
