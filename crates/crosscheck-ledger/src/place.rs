//! Where a ledger is, and who chose the place.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::Digest;
use crosscheck_core::files::real;
use crosscheck_core::outputs::is_same_file;
use crosscheck_core::redact::SecretUrl;

use crate::{Connect, LedgerError};

/// The file of a ledger, or its server.
#[derive(Debug, Clone)]
pub struct Place {
    /// How it is shown; of a server, without its password.
    file: PathBuf,
    /// The project that the file must stay in.
    root: Option<PathBuf>,
    remote: Option<Remote>,
}

/// A PostgreSQL server.
#[derive(Debug, Clone)]
pub(crate) struct Remote {
    pub(crate) url: SecretUrl,
    pub(crate) connect: Connect,
    /// What waits for this server is in the spool folder beside this path.
    waiting: PathBuf,
}

impl Place {
    /// A file that the user named. Its folder must exist.
    pub fn named(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            root: None,
            remote: None,
        }
    }

    /// A database on a PostgreSQL server. What cannot be appended in time waits
    /// in a folder of its own in `state`, which the agent should not own.
    pub fn server(url: SecretUrl, connect: Connect, state: &Path) -> Self {
        let shown = url.shown();
        let name = Digest::of(&shown).hex();
        Self {
            file: shown.into(),
            root: None,
            remote: Some(Remote {
                url,
                connect,
                waiting: state.join(format!("ledger-{}", name.get(..16).unwrap_or(&name))),
            }),
        }
    }

    pub(crate) const fn remote(&self) -> Option<&Remote> {
        self.remote.as_ref()
    }

    /// The default place of a project, `.crosscheck/ledger.db`. The agent under
    /// check can write there, so that no link is followed out of the project.
    pub fn of_project(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            file: root.join(".crosscheck/ledger.db"),
            root: Some(root),
            remote: None,
        }
    }

    /// The file, as it is shown.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether writing to this path would change the ledger or a file of it.
    pub fn holds(&self, path: &Path) -> bool {
        let beside = |end: &str| {
            let own = self.remote.as_ref().map(|remote| &remote.waiting);
            let mut name = real(own.unwrap_or(&self.file)).into_os_string();
            name.push(end);
            PathBuf::from(name)
        };
        let found = real(path);
        let spool = crate::spool::folder(&beside(""));
        ["", "-wal", "-shm", "-journal"]
            .map(beside)
            .iter()
            .any(|own| found == *own || is_same_file(&found, own))
            || found.starts_with(&spool)
    }

    /// Whether links are refused.
    pub(crate) const fn is_confined(&self) -> bool {
        self.root.is_some()
    }

    /// The file to open, in a folder without links; the folder is created if
    /// wanted. Of a server, the path beside which entries wait.
    pub(crate) fn resolved(&self, creates: bool) -> Result<PathBuf, LedgerError> {
        let Some(root) = &self.root else {
            let waiting = self.remote.as_ref().map(|remote| &remote.waiting);
            return Ok(waiting.unwrap_or(&self.file).clone());
        };
        let folder = root.join(".crosscheck");
        let fail = LedgerError::io(&self.file, creates);
        if creates {
            fs::create_dir_all(&folder).map_err(fail)?;
        }
        let missing = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => LedgerError::missing(&self.file),
            _ => fail(error),
        };
        let folder = folder.canonicalize().map_err(missing)?;
        let root = root.canonicalize().map_err(fail)?;
        if !folder.starts_with(&root) {
            let why = "its folder is a link out of the project";
            return Err(LedgerError::not_a_ledger(&self.file, why));
        }
        let file = folder.join("ledger.db");
        if file.is_symlink() {
            return Err(LedgerError::not_a_ledger(&self.file, "it is a link"));
        }
        Ok(file)
    }
}
