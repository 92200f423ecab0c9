//! The files that a request names (trace 1): artifacts directory, trace, plan.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crosscheck_core::files::{ReadError, Root, drain_limited, open_regular, read_limited};

use super::artifacts::MAX_DOCUMENT;
use crate::error::TraceError;
use crate::request::Input;

pub(crate) fn open_root(folder: &Path) -> Result<Root, TraceError> {
    let fail = |source| TraceError::Open {
        what: "artifacts directory",
        source,
    };
    let root = Root::new(folder).map_err(fail)?;
    if root.path().is_dir() {
        Ok(root)
    } else {
        Err(fail(ReadError::Io {
            path: folder.to_owned(),
            source: std::io::ErrorKind::NotADirectory.into(),
        }))
    }
}

pub(crate) fn open_trace<'s>(
    input: &Input,
    stdin: &'s mut dyn Read,
) -> Result<Box<dyn Read + 's>, TraceError> {
    let fail = |source| TraceError::Open {
        what: "trace",
        source,
    };
    match input {
        Input::RunDir(folder) => Ok(Box::new(
            open_regular(&folder.join("trace.jsonl")).map_err(fail)?,
        )),
        Input::Files { trace: None, .. } => Ok(Box::new(stdin)),
        Input::Files {
            trace: Some(path), ..
        } => {
            let io = |source| {
                fail(ReadError::Io {
                    path: path.clone(),
                    source,
                })
            };
            let file = File::open(path).map_err(io)?; // the caller named it, so it may be a pipe
            if file.metadata().map_err(io)?.is_dir() {
                return Err(fail(ReadError::NotRegular { path: path.clone() }));
            }
            Ok(Box::new(file))
        }
    }
}

/// The bytes of the plan; `None` when a run directory has none.
pub(crate) fn open_plan(input: &Input) -> Result<Option<Vec<u8>>, TraceError> {
    let fail = |source| TraceError::Open {
        what: "plan",
        source,
    };
    let path = match input {
        Input::Files { plan, .. } => {
            return read_limited(plan, MAX_DOCUMENT).map(Some).map_err(fail);
        }
        Input::RunDir(folder) => folder.join("plan.json"),
    };
    let file = match open_regular(&path) {
        Ok(file) => file,
        Err(ReadError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(error) => return Err(fail(error)),
    };
    match drain_limited(file, MAX_DOCUMENT) {
        Ok(Some(bytes)) => Ok(Some(bytes)),
        Ok(None) => Err(fail(ReadError::TooLarge {
            path,
            limit: MAX_DOCUMENT,
        })),
        Err(source) => Err(fail(ReadError::Io { path, source })),
    }
}
