//! Whether the files that a report names exist (workspace 18).

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crosscheck_core::files::open_regular;

use super::criteria::Ground;
use crate::plan::path_claim::PathClaim;

/// The largest file whose lines are counted.
const LIMIT: u64 = 256 << 20;

/// The result for one named file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimSeen {
    /// The file and its line exist.
    Confirmed,
    /// It does not exist.
    Missing,
    /// It has fewer lines.
    TooShort {
        /// How many.
        lines: u64,
    },
    /// It is outside the project and was not checked.
    Outside,
}

/// Searches for a file in the project, then the workspace, then its working
/// folder. A name that leads out of one of them is not searched for in the
/// others.
pub fn look(claim: &PathClaim, ground: Ground<'_>) -> ClaimSeen {
    let working = ground.workspace.join("working");
    let mut leads_out = false;
    for folder in [ground.project, ground.workspace, &working] {
        let path = crate::read::layout::normal(&folder.join(&claim.path));
        if ![ground.project, ground.workspace]
            .iter()
            .any(|root| path.starts_with(root))
        {
            leads_out = true;
            continue;
        }
        match real_inside(&path, ground) {
            Ok(Some(real)) => return lines(claim, &real),
            Ok(None) => {}
            Err(()) => return ClaimSeen::Outside,
        }
    }
    if leads_out {
        ClaimSeen::Outside
    } else {
        ClaimSeen::Missing
    }
}

/// The real path of an existing file; `Err` when a link leads out.
fn real_inside(path: &Path, ground: Ground<'_>) -> Result<Option<PathBuf>, ()> {
    let Ok(real) = fs::canonicalize(path) else {
        return Ok(None);
    };
    let is_inside = [ground.project, ground.workspace]
        .iter()
        .any(|root| fs::canonicalize(root).is_ok_and(|root| real.starts_with(root)));
    if is_inside { Ok(Some(real)) } else { Err(()) }
}

fn lines(claim: &PathClaim, path: &Path) -> ClaimSeen {
    let Some(line) = claim.line else {
        return ClaimSeen::Confirmed;
    };
    match open_regular(path)
        .ok()
        .and_then(|file| count_lines(file).ok())
    {
        Some(lines) if line > lines => ClaimSeen::TooShort { lines },
        // A folder has no lines.
        _ => ClaimSeen::Confirmed,
    }
}

fn count_lines(file: fs::File) -> std::io::Result<u64> {
    let mut file = BufReader::new(file.take(LIMIT));
    let mut lines = 0;
    while file.skip_until(b'\n')? > 0 {
        lines += 1;
    }
    Ok(lines)
}
