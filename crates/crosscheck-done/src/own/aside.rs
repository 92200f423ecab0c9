//! A copy of the project to run in, so that the real tree stays as it is.
//!
//! Where the system allows it, the copy is an overlay at the same path, seen by
//! the command alone and without a network: nothing is copied, and paths within
//! environments stay right. Elsewhere the files are copied.
//!
//! What the session left in the tree is hostile: a file may be a link to
//! another place, a name may hold anything. So files are laid over the tree by
//! our own code, no link is followed, and names are never lines of a text.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crosscheck_process::{Program, Ran};
use tempfile::TempDir;

use super::steering::{Before, Steered};

/// So much of the output is kept.
const KEEP: usize = 1 << 20;
/// A tree that is larger is not copied.
const MAX_COPY: u64 = 1 << 30;

/// Set up within the namespace, in which the mount is seen by nobody else; then
/// the command runs as the user it was called by. The arguments behind the
/// number are the files that are not there in the copy.
const SCRIPT: &str = r#"
root=$1 hold=$2 cut=$3 gone=$4; shift 4
mount -t overlay overlay -o "lowerdir=$root,upperdir=$hold/upper,workdir=$hold/work" "$root" || exit 97
cd "$root" || exit 97
while [ "$gone" -gt 0 ]; do
  rm -f -- "$1" || exit 97
  shift; gone=$((gone - 1))
done
if [ "$cut" = cut ]; then
  { ip link set lo up || ifconfig lo up; } 2>/dev/null || exit 98
fi
: > "$hold/ready"
exec unshare --user --map-current-user -- "$@"
"#;

/// The place for one run.
#[derive(Debug)]
pub(super) struct Aside<'a> {
    root: &'a Path,
    hold: TempDir,
    steered: &'a Steered,
}

impl<'a> Aside<'a> {
    pub(super) fn new(root: &'a Path, steered: &'a Steered) -> Result<Self, String> {
        let hold = TempDir::with_prefix("crosscheck-run-").map_err(|error| error.to_string())?;
        let aside = Self {
            root,
            hold,
            steered,
        };
        aside.stage().map_err(|error| error.to_string())?;
        Ok(aside)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.hold.path().join(name)
    }

    /// What lies above hides what is below it, be that a link or a folder.
    fn stage(&self) -> std::io::Result<()> {
        for name in ["upper", "work"] {
            fs::create_dir(self.path(name))?;
        }
        for (file, before) in self.steered.files() {
            match before {
                Some(before) => lay(&self.path("upper"), file, Some(before))?,
                None => is_plain(self.root, file)?,
            }
        }
        Ok(())
    }

    /// The files that are not there in the copy.
    fn gone(&self) -> Vec<&str> {
        let files = self.steered.files();
        files
            .filter_map(|(file, before)| before.is_none().then_some(file))
            .collect()
    }

    /// Runs a command; the second value says whether the network was off.
    pub(super) fn run(
        &self,
        argv: &[String],
        time: Duration,
        hidden: &[String],
    ) -> Result<(Ran, bool), String> {
        let limits = |program: Program| {
            program
                .without(hidden)
                .variable("CI", "1")
                .time_limit(Some(time))
                .keep(KEEP)
        };
        for cut in ["cut", "connected"] {
            if let Some(program) = self.overlaid(argv, cut)
                && let Ok(ran) = limits(program).run()
                && self.path("ready").exists()
            {
                return Ok((ran, cut == "cut"));
            }
        }
        let tree = self.path("tree");
        let mut left = MAX_COPY;
        copy(self.root, &tree, &mut left)?;
        for (file, before) in self.steered.files() {
            lay(&tree, file, before).map_err(|error| error.to_string())?;
        }
        let (program, rest) = argv.split_first().ok_or("no command")?;
        let ran = limits(Program::new(program, &tree).args(rest)).run();
        ran.map(|ran| (ran, false))
            .map_err(|error| error.to_string())
    }

    /// The command within an overlay; `None` where there can be none.
    fn overlaid(&self, argv: &[String], cut: &str) -> Option<Program> {
        let root = self.root.to_str()?;
        // these separate the options of a mount
        if root.contains([',', ':', '\\']) || !cfg!(target_os = "linux") {
            return None;
        }
        let mut words = vec!["--user", "--map-current-user", "--keep-caps", "--mount"];
        if cut == "cut" {
            words.push("--net");
        }
        let hold = self.hold.path().to_str()?;
        let gone = self.gone();
        let count = gone.len().to_string();
        words.extend(["sh", "-c", SCRIPT, "sh", root, hold, cut, &count]);
        words.extend(gone);
        words.extend(argv.iter().map(String::as_str));
        Some(Program::new("unshare", self.root).args(words))
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        // the work folder of an overlay has no rights at all
        use std::os::unix::fs::PermissionsExt as _;
        let work = self.path("work/work");
        let _ = fs::set_permissions(work, fs::Permissions::from_mode(0o700));
    }
}

/// Whether a file of the project is named plainly, and no link is on the way.
fn is_plain(root: &Path, file: &str) -> std::io::Result<()> {
    let refuse = || Err(std::io::Error::other(format!("cannot replace {file:?}")));
    let parts = Path::new(file).components();
    if !parts
        .clone()
        .all(|part| matches!(part, Component::Normal(_)))
    {
        return refuse();
    }
    let mut folder = root.to_owned();
    for part in Path::new(file)
        .parent()
        .into_iter()
        .flat_map(Path::components)
    {
        folder.push(part);
        if folder.is_symlink() {
            return refuse();
        }
    }
    Ok(())
}

/// Puts a file into a tree of ours, or takes it away. What is in its place goes
/// first, so that nothing is written through a link.
fn lay(tree: &Path, file: &str, before: Option<&Before>) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    is_plain(tree, file)?;
    let path = tree.join(file);
    match fs::symlink_metadata(&path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(&path)?,
        Ok(_) => fs::remove_file(&path)?,
        Err(_) => {}
    }
    let Some(before) = before else {
        return Ok(());
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let text = before.text.as_bytes();
    crosscheck_core::files::write_atomic(&path, text).map_err(std::io::Error::other)?;
    let mode = if before.is_program { 0o755 } else { 0o644 };
    fs::set_permissions(&path, fs::Permissions::from_mode(mode))
}

/// Copies a tree, as blocks that are shared where the file system can.
fn copy(from: &Path, to: &Path, left: &mut u64) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("cannot copy {}: {error}", from.display());
    fs::create_dir_all(to).map_err(fail)?;
    for entry in fs::read_dir(from).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() {
            copy(&path, &target, left)?;
        } else if kind.is_symlink() {
            let link = fs::read_link(&path).map_err(fail)?;
            std::os::unix::fs::symlink(link, &target).map_err(fail)?;
        } else if kind.is_file() {
            let size = fs::copy(&path, &target).map_err(fail)?;
            *left = left
                .checked_sub(size)
                .ok_or("the project is too large to be copied")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_tree_is_written_or_removed() {
        let place = tempfile::tempdir().unwrap();
        let tree = place.path().join("tree");
        let victim = place.path().join("victim");
        fs::create_dir(&tree).unwrap();
        crosscheck_core::files::write_atomic(&victim, b"precious").unwrap();
        std::os::unix::fs::symlink(&victim, tree.join("Makefile")).unwrap();
        std::os::unix::fs::symlink(place.path(), tree.join("folder")).unwrap();
        let before = Before {
            text: "test:\n".to_owned(),
            is_program: false,
        };

        lay(&tree, "Makefile", Some(&before)).unwrap();
        assert!(!tree.join("Makefile").is_symlink());
        for file in ["folder/victim", "../victim", victim.to_str().unwrap()] {
            assert!(lay(&tree, file, Some(&before)).is_err(), "{file}");
            assert!(lay(&tree, file, None).is_err(), "{file}");
        }
        let left = crosscheck_core::files::read_regular(&victim, 64).unwrap();
        assert_eq!(left, b"precious");
    }
}
