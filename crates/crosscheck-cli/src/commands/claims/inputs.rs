//! The documents a run is asked to verify.

use std::io;
use std::path::{Path, PathBuf};

use crosscheck::claims::read::MAX_DOCUMENT_BYTES;
use crosscheck::claims::{ClaimsError, is_report};
use crosscheck::core::files::{ReadError, drain_limited, read_limited};
use crosscheck::core::outputs::is_same_file;

use crate::args::claims::ClaimsArgs;
use crate::args::is_stream;
use crate::commands::patterns::matching;
use crate::commands::spare::spare;
use crate::failure::without_secrets;

/// One document.
pub(super) enum Input {
    Text(String),
    Stdin,
    File(PathBuf),
}

impl Input {
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Text(_) | Self::Stdin => None,
        }
    }

    /// How a remark about it begins.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Text(_) => "document on the command line".to_owned(),
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => without_secrets(&path.display().to_string()),
        }
    }

    pub(super) fn read(&self) -> Result<Vec<u8>, ClaimsError> {
        let failed = |path: &Path, source| ClaimsError::ReadResult {
            path: path.to_owned(),
            source,
        };
        match self {
            Self::Text(text) => Ok(text.clone().into_bytes()),
            Self::Stdin => {
                let path = PathBuf::from("-");
                match drain_limited(io::stdin().lock(), MAX_DOCUMENT_BYTES) {
                    Ok(Some(bytes)) => Ok(bytes),
                    Ok(None) => Err(failed(
                        &path,
                        ReadError::TooLarge {
                            path: path.clone(),
                            limit: MAX_DOCUMENT_BYTES,
                        },
                    )),
                    Err(source) => Err(failed(
                        &path,
                        ReadError::Io {
                            path: path.clone(),
                            source,
                        },
                    )),
                }
            }
            Self::File(path) => {
                read_limited(path, MAX_DOCUMENT_BYTES).map_err(|source| failed(path, source))
            }
        }
    }
}

/// Every document, in the order it was named; a batch sorted by path. What this
/// run writes is not a document of a batch; a notice names it.
pub(super) fn collect(args: &ClaimsArgs, root: &Path) -> Result<Vec<Input>, String> {
    let mut inputs: Vec<Input> = args.result.iter().map(|value| named(value, root)).collect();
    for pattern in &args.batch {
        let found = batch(pattern, root)?;
        if found.is_empty() {
            return Err(format!("--batch: there is no document at `{pattern}`"));
        }
        inputs.extend(found.into_iter().map(Input::File));
    }
    let from_stdin = |input: &&Input| matches!(input, Input::Stdin);
    if inputs.iter().filter(from_stdin).count() > 1 {
        return Err("--result: standard input can be read only once".to_owned());
    }
    let files = || inputs.iter().filter_map(Input::path);
    if args.by_agent
        && let Some(path) = files().find(|path| !is_inside(path, root))
    {
        // a pattern must not list what is elsewhere
        let named = args.result.iter().find(|name| root.join(name) == path);
        return Err(named.map_or_else(
            || "--batch: a document lies outside the project".to_owned(),
            |name| format!("--result: `{name}` lies outside the project"),
        ));
    }
    for (option, place) in written(args) {
        let place = root.join(place);
        if files().any(|path| is_same_file(path, &place)) {
            return Err(format!(
                "--{option}: `{}` is the document to verify",
                place.display()
            ));
        }
        spare(&place, &[], &[]).map_err(|failure| failure.message().to_owned())?;
    }
    Ok(inputs)
}

/// The files that the command line asks for.
pub(super) fn written(args: &ClaimsArgs) -> impl Iterator<Item = (&'static str, &Path)> {
    let places = [
        ("out", &args.out),
        ("details", &args.details),
        ("output", &args.output),
    ];
    places
        .into_iter()
        .filter_map(|(option, place)| Some((option, place.as_deref()?)))
}

/// Whether a run that could not be done may say so in this file: over nothing
/// but an earlier report, and not over a document.
pub(super) fn may_tell_in(file: &Path, inputs: &[PathBuf], root: &Path) -> bool {
    let file = root.join(file);
    let is_input = inputs
        .iter()
        .any(|input| is_same_file(&root.join(input), &file));
    is_stream(&file) || file.symlink_metadata().is_err() || is_report(&file) && !is_input
}

/// Whether a file really lies below the root. What does not exist is not
/// read.
fn is_inside(path: &Path, root: &Path) -> bool {
    match (std::fs::canonicalize(path), std::fs::canonicalize(root)) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        (Err(error), _) => error.kind() == io::ErrorKind::NotFound,
        (Ok(_), Err(_)) => false,
    }
}

fn named(value: &str, root: &Path) -> Input {
    if value
        .trim_start_matches([' ', '\t', '\r', '\n'])
        .starts_with('{')
    {
        Input::Text(value.to_owned())
    } else if value == "-" {
        Input::Stdin
    } else {
        Input::File(root.join(value))
    }
}

/// The JSON files of a folder, or the files a pattern names.
fn batch(pattern: &str, root: &Path) -> Result<Vec<PathBuf>, String> {
    let whole = root.join(pattern);
    if whole.is_dir() {
        let mut found: Vec<PathBuf> = files_in(&whole)?
            .into_iter()
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .collect();
        found.sort();
        return Ok(found);
    }
    let mut found = matching(root, pattern).map_err(|why| format!("--batch: {why}"))?;
    found.retain(|path| !path.is_dir());
    found.sort();
    Ok(found)
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("--batch: cannot read `{}`: {error}", folder.display()))?;
    Ok(entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect())
}
