//! Processes that a call for this workspace left behind because the program was
//! killed together with the keeper that would have ended them.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::llm::{ITERATE, PHASE, VERIFY, WORKSPACE};
use super::lock::{self, LockPurpose};
use crate::error::WorkspaceError;

/// Ends them. While another command works on the workspace (`other` is its
/// lock), the processes may be its own, and stay.
pub(crate) fn end(folder: &Path, other: LockPurpose) -> Result<(), WorkspaceError> {
    if lock::is_held(other, folder) {
        return Ok(());
    }
    let entry = |name: &str, value: &[u8]| [name.as_bytes(), b"=", value].concat();
    let ended = [ITERATE, VERIFY].iter().all(|phase| {
        crosscheck_process::end_marked(&[
            entry(WORKSPACE, folder.as_os_str().as_bytes()),
            entry(PHASE, phase.as_bytes()),
        ])
    });
    if ended {
        Ok(())
    } else {
        Err(WorkspaceError::LeftRunning {
            who: "An earlier command".to_owned(),
        })
    }
}
