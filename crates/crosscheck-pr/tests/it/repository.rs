//! A small repository with two commits.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

pub(crate) struct Repository {
    folder: TempDir,
}

/// Files with their content; `None` removes a file.
pub(crate) type Files<'f> = &'f [(&'f str, Option<&'f str>)];

impl Repository {
    pub(crate) fn new(before: Files<'_>, after: Files<'_>, message: &str) -> Self {
        let repository = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit(before, "first");
        repository.git(&["tag", "base"]);
        repository.commit(after, message);
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn commit(&self, files: Files<'_>, message: &str) {
        for (path, content) in files {
            let path = self.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match content {
                Some(content) => fs::write(path, content).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
            .args(args)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}
