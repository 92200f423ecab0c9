//! `iterate-<stamp>.log`: all prompts and answers of a run (workspace 15). A
//! write failure never stops the run.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

use crosscheck_core::files::{Owned, open_owned};

use crate::read::time;

#[derive(Debug)]
pub(crate) struct Journal(Option<File>);

impl Journal {
    pub(crate) fn open(folder: &Path, now: SystemTime) -> Self {
        let path = folder.join(format!("iterate-{}.log", time::file_stamp(now)));
        Self(open_owned(&path, Owned::Append).ok())
    }

    /// An empty text gets no heading.
    pub(crate) fn note(&mut self, heading: &str, text: &str) {
        if let Some(file) = self.0.as_mut().filter(|_| !text.trim().is_empty()) {
            let _ = file.write_all(format!("=== {heading}\n{}\n\n", text.trim_end()).as_bytes());
        }
    }
}
