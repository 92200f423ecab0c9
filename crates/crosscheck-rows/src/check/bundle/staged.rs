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
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crosscheck_core::digest::{Digest, of_reader};
use crosscheck_core::files::{write_atomic, write_atomic_with};
use crosscheck_core::folder::{Beside, Swapped};

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

/// A folder in the making that nobody has written to for so long is of a run
/// that was killed.
const ABANDONED_AFTER: Duration = Duration::from_hours(1);

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
    optional: &'static [&'static str],
}

/// What is in the folder of a bundle before.
#[derive(Default)]
struct Earlier {
    /// The list of the bundle before.
    listed: Vec<Listed>,
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
        optional: &'static [&'static str],
        maker: Maker<'_>,
    ) -> Result<Self, ContractError> {
        let beside = Beside::new(named).map_err(|error| failed(named, &error))?;
        sweep(&beside, maker.clock.now());
        let inputs = maker.inputs.iter();
        Ok(Self {
            named: named.to_owned(),
            beside,
            files: Files::new(),
            kept: BTreeSet::new(),
            inputs: inputs.filter_map(|path| path.canonicalize().ok()).collect(),
            optional,
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
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let found = inventory::measured_plain(folder, &name);
            let hash = found.map(|(digest, _)| digest.hex());
            let is_same = hash.is_some() && self.hash_of(&name) == hash;
            let is_list = [inventory::NAME, inventory::SIGNATURE].contains(&name.as_str());
            let is_written = |listed: &[Listed]| {
                is_list
                    || hash.as_ref().is_some_and(|hash| {
                        NAMES.contains(&name.as_str()) && inventory::is_written(listed, &name, hash)
                    })
            };
            let is_ours = listed.as_deref().is_some_and(is_written)
                && (is_same || !self.inputs.contains(&folder.join(&name)));
            if is_ours || (found.is_some() && is_leftover(&name)) {
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
        earlier.listed = listed.unwrap_or_default();
        Ok(earlier)
    }

    fn is_part(&self, name: &str) -> bool {
        self.files.contains_key(name) || self.optional.contains(&name)
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
        let both = inventory::text_of_both(&earlier.listed, &self.files, &self.kept)?;
        write_atomic(&folder.join(inventory::NAME), both.as_bytes())
            .map_err(|error| fail(inventory::NAME, &error))?;
        let stale = earlier.ours.iter();
        let stale = stale.filter(|name| !self.files.contains_key(*name));
        for name in stale {
            fs::remove_file(folder.join(name)).map_err(|error| fail(name, &error))?;
        }
        let names = self.files.keys().filter(|name| *name != inventory::NAME);
        for name in names.map(String::as_str).chain([inventory::NAME]) {
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

/// Whether a killed run left it: a temporary file of a file of a bundle.
fn is_leftover(name: &str) -> bool {
    name.rsplit_once(".tmp.")
        .is_some_and(|(start, end)| NAMES.contains(&start) && is_random(end))
}

fn is_random(end: &str) -> bool {
    end.len() == 6 && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Removes what killed runs left beside the folder: folders in the making that
/// nobody writes to any more and that hold nothing but files of a bundle.
fn sweep(beside: &Beside, now: SystemTime) {
    let (Some(parent), Some(own)) = (beside.path().parent(), beside.path().file_name()) else {
        return;
    };
    let own = own.to_string_lossy();
    let Some((start, _)) = own.rsplit_once(".tmp.") else {
        return;
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_sibling = name
            .rsplit_once(".tmp.")
            .is_some_and(|(other, end)| other == start && is_random(end));
        if is_sibling && name != own {
            remove_abandoned(&entry.path(), now);
        }
    }
}

fn remove_abandoned(folder: &Path, now: SystemTime) {
    let is_old = |path: &Path| {
        let changed = path.symlink_metadata().and_then(|meta| meta.modified());
        changed.is_ok_and(|at| {
            now.duration_since(at)
                .is_ok_and(|age| age > ABANDONED_AFTER)
        })
    };
    let is_folder = folder.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    let Some(entries) = fs::read_dir(folder).ok().filter(|_| is_folder) else {
        return;
    };
    let entries: Vec<_> = entries.flatten().collect();
    let is_ours = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        entry.file_type().is_ok_and(|kind| kind.is_file())
            && (NAMES.contains(&name.as_str()) || is_leftover(&name))
            && is_old(&entry.path())
    };
    if is_old(folder) && entries.iter().all(is_ours) {
        for entry in &entries {
            let _ = fs::remove_file(entry.path());
        }
        let _ = fs::remove_dir(folder);
    }
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
            ("events.ndjson.tmp.a1B2c3", true),
            ("crosscheck-files.json.tmp.aaaaaa", true),
            ("events.ndjson.tmp.a1B2c", false),
            ("events.ndjson.tmp.a1B2c-", false),
            ("notes.txt.tmp.a1B2c3", false),
            ("events.ndjson", false),
        ] {
            assert_eq!(is_leftover(name), expected, "{name}");
        }
    }
}
