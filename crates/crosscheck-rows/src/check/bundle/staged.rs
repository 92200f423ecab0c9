//! A bundle in the making: written beside its folder, then swapped in.
//!
//! A bundle has a folder of its own. What may be replaced is an earlier bundle
//! and nothing else: a folder whose list names every file in it, each as it
//! was written. So nobody has to guess whose a file is, a run that fails or is
//! killed leaves the bundle before as it was, and of several runs into one
//! folder one whole bundle remains.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::{Digest, of_reader};
use crosscheck_core::files::{write_atomic_with, written_as};
use crosscheck_core::folder::{Beside, Swapped, is_own};

use super::inventory::{self, Files};
use super::sign::Signer;
use super::{Counted, Maker, failed};
use crate::check::error::ContractError;

/// A bundle that is written, but not in its place yet.
pub struct Staged {
    named: PathBuf,
    beside: Beside,
    files: Files,
    /// The real paths of what the run read.
    inputs: Vec<PathBuf>,
    /// Every file that such a bundle may have, besides its list.
    parts: &'static [&'static str],
}

impl Staged {
    pub(super) fn new(
        named: &Path,
        parts: &'static [&'static str],
        maker: Maker<'_>,
    ) -> Result<Self, ContractError> {
        let beside = Beside::new(named).map_err(|error| failed(named, &error))?;
        beside.sweep(maker.clock.now(), &|name| is_part(parts, name));
        let inputs = maker.inputs.iter();
        Ok(Self {
            named: named.to_owned(),
            beside,
            files: Files::new(),
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
        let text = inventory::text(&self.files)?;
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
        let fail = |error: io::Error| failed(&self.named, &error);
        match self.beside.swap().map_err(fail)? {
            Swapped::Whole(None) => Ok(()),
            Swapped::Whole(Some(old)) => {
                for name in earlier {
                    let _ = fs::remove_file(old.join(name));
                }
                // what arrived in it meanwhile stays
                fs::remove_dir(&old).map_err(|error| failed(&old, &error))
            }
            Swapped::Not(beside) => put_in(&beside, &self.files, &earlier).map_err(fail),
        }
    }

    fn lock(&self) -> Result<Option<File>, ContractError> {
        let locked = self.beside.lock();
        locked.map_err(|error| failed(&self.named, &error))
    }

    /// The files of the bundle that is there, with what a killed run left of
    /// them; an error when anything else is in the folder.
    fn earlier(&self) -> Result<Vec<String>, ContractError> {
        let folder = self.beside.place();
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let refuse = |name: &str, why: &str| {
            let why = format!(
                "{why}; a bundle replaces an earlier one and nothing else: name another folder, or empty this one"
            );
            Err(failed(&self.named.join(name), &io::Error::other(why)))
        };
        let owner = |name: &str| Some(folder.join(name).symlink_metadata().ok()?.uid());
        let mut earlier = Vec::new();
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_left = written_as(&name).is_some_and(|name| is_part(self.parts, name))
                && entry
                    .metadata()
                    .is_ok_and(|meta| meta.is_file() && is_own(&meta));
            if !is_left && !is_part(self.parts, &name) {
                return refuse(&name, "it is not part of such a bundle");
            }
            // who can only add files to the folder must not make those of others ours
            if !is_left && owner(&name) != owner(inventory::NAME) {
                return refuse(
                    &name,
                    "it does not belong to who wrote the list of the bundle",
                );
            }
            let path = folder.join(&name);
            let found = || File::open(&path).and_then(of_reader).ok();
            let new = self.files.get(&name).map(|(digest, _)| *digest);
            if self.inputs.contains(&path) && new != found() {
                return refuse(&name, "this run reads it");
            }
            earlier.push(name);
        }
        if earlier.is_empty() {
            return Ok(earlier);
        }
        match inventory::changed(folder, self.parts).1.first() {
            Some(wrong) => refuse("", &format!("{wrong}, so that it is no earlier bundle")),
            None => Ok(earlier),
        }
    }
}

fn is_part(parts: &[&str], name: &str) -> bool {
    parts.contains(&name) || [inventory::NAME, inventory::SIGNATURE].contains(&name)
}

/// Puts the bundle into a folder that cannot be moved, as a mount point. Its
/// list goes first and comes last, so that half a bundle is never a valid one.
fn put_in(beside: &Beside, files: &Files, earlier: &[String]) -> io::Result<()> {
    let folder = beside.place();
    let list_first = |name: &&String| *name != inventory::NAME;
    let mut old: Vec<&String> = earlier.iter().collect();
    old.sort_by_key(list_first);
    for name in old {
        fs::remove_file(folder.join(name))?;
    }
    let mut new: Vec<&String> = files.keys().collect();
    new.sort_by_key(|name| !list_first(name));
    for name in new {
        let mut from = File::open(beside.path().join(name))?;
        write_atomic_with(&folder.join(name), |out| io::copy(&mut from, out).map(drop))
            .map_err(io::Error::other)?;
    }
    Ok(())
}
