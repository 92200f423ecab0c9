//! `iterate-<stamp>.log`: everything that was asked and answered in a run.
//! Failing to write it never stops the run.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

use crosscheck_core::files::{Owned, open_owned};

use crate::read::time;

pub(super) struct Journal(Option<File>);

impl Journal {
    pub(super) fn open(folder: &Path, now: SystemTime) -> Self {
        let path = folder.join(format!("iterate-{}.log", time::file_stamp(now)));
        Self(open_owned(&path, Owned::Append).ok())
    }

    pub(super) fn note(&mut self, heading: &str, text: &str) {
        if let Some(file) = &mut self.0 {
            let _ = file.write_all(format!("=== {heading}\n{}\n\n", text.trim_end()).as_bytes());
        }
    }
}
