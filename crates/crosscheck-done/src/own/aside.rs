//! A copy of the project to run in, so that the real tree stays as it is.
//!
//! Where the system allows it, the copy is an overlay at the same path, seen by
//! the command alone and without a network: nothing is copied, and paths within
//! environments stay right. Elsewhere the files are copied.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_process::{Program, Ran};
use tempfile::TempDir;

use super::steering::Steered;

/// So much of the output is kept.
const KEEP: usize = 1 << 20;
/// A tree that is larger is not copied.
const MAX_COPY: u64 = 1 << 30;

/// Set up within the namespace, in which the mount is seen by nobody else; then
/// the command runs as the user it was called by.
const SCRIPT: &str = r#"
root=$1 hold=$2 cut=$3; shift 3
mount -t overlay overlay -o "lowerdir=$root,upperdir=$hold/upper,workdir=$hold/work" "$root" || exit 97
cd "$root" || exit 97
cp -R "$hold/stage/." . || exit 97
while IFS= read -r file; do rm -f -- "$file"; done < "$hold/gone"
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
}

impl<'a> Aside<'a> {
    pub(super) fn new(root: &'a Path, steered: &Steered) -> Result<Self, String> {
        let hold = TempDir::with_prefix("crosscheck-run-").map_err(|error| error.to_string())?;
        let aside = Self { root, hold };
        aside.stage(steered).map_err(|error| error.to_string())?;
        Ok(aside)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.hold.path().join(name)
    }

    fn stage(&self, steered: &Steered) -> std::io::Result<()> {
        for name in ["upper", "work", "stage"] {
            fs::create_dir(self.path(name))?;
        }
        let mut gone = String::new();
        for (file, text) in steered.files() {
            let Some(text) = text else {
                gone.push_str(file);
                gone.push('\n');
                continue;
            };
            let path = self.path("stage").join(file);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            put(&path, text)?;
            // a script stays one
            if let Ok(now) = fs::metadata(self.root.join(file)) {
                fs::set_permissions(&path, now.permissions())?;
            }
        }
        put(&self.path("gone"), &gone)
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
        copy(&self.path("stage"), &tree, &mut left)?;
        let gone = crosscheck_core::files::read_regular(&self.path("gone"), MAX_COPY);
        let gone = String::from_utf8(gone.unwrap_or_default()).unwrap_or_default();
        for file in gone.lines() {
            let _ = fs::remove_file(tree.join(file));
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
        words.extend([
            "sh",
            "-c",
            SCRIPT,
            "sh",
            root,
            self.hold.path().to_str()?,
            cut,
        ]);
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

fn put(path: &Path, text: &str) -> std::io::Result<()> {
    crosscheck_core::files::write_atomic(path, text.as_bytes()).map_err(std::io::Error::other)
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
