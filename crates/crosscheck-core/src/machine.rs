//! What this machine has run out of.

use std::io;

/// Whether this machine has run out of something, which says nothing about
/// anybody else.
pub fn is_machine_limit(error: &io::Error) -> bool {
    const TOO_MANY_FILES: [i32; 2] = [23, 24]; // ENFILE, EMFILE
    const NO_BUFFERS: i32 = if cfg!(target_os = "linux") { 105 } else { 55 };
    let code = error.raw_os_error().unwrap_or_default();
    TOO_MANY_FILES.contains(&code)
        || code == NO_BUFFERS
        || matches!(
            error.kind(),
            io::ErrorKind::OutOfMemory | io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
        )
}
