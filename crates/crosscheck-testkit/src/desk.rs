//! A temporary folder in which the real program is run.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A temporary folder; the program runs in it and sees only the environment
/// that the test sets.
#[derive(Debug)]
pub struct Desk {
    /// The parent of the desk and of the user's home.
    _whole: tempfile::TempDir,
    folder: PathBuf,
    home: PathBuf,
    program: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Exit code; 128 plus the number of the signal that ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    folder: PathBuf,
    home: PathBuf,
}

impl Desk {
    /// A fresh desk for this program: `Desk::new(env!("CARGO_BIN_EXE_crosscheck"))`.
    pub fn new(program: &str) -> Self {
        let whole = tempfile::tempdir().expect("a temporary folder can be made");
        let [folder, home] = ["desk", "home"].map(|name| {
            let path = whole.path().join(name);
            fs::create_dir(&path).expect("a folder can be made in it");
            path
        });
        Self {
            _whole: whole,
            folder,
            home,
            program: PathBuf::from(program),
            variables: Vec::new(),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The user's home, outside the folder under check.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// A path on the desk, as text.
    pub fn at(&self, name: &str) -> String {
        self.path().join(name).display().to_string()
    }

    /// Puts a file on the desk, with its folders.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        put(self.path().join(name), content)
    }

    /// Puts a file into the user's home.
    pub fn home_file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        put(self.home.join(name), content)
    }

    /// Writes the user's own configuration.
    pub fn user_config(&self, text: &str) -> PathBuf {
        self.home_file(".config/crosscheck/config.toml", text)
    }

    /// Reads a file on the desk.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Reads a file on the desk as JSON.
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of the files in a folder of the desk, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path().join(folder))
            .expect("the folder is there")
            .map(|entry| {
                entry
                    .expect("readable")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    /// Sets an environment variable for the runs that follow.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Runs the program with these arguments and no input.
    pub fn crosscheck<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Seen {
        self.crosscheck_with_input(args, b"")
    }

    /// Runs the program with these arguments and this standard input.
    pub fn crosscheck_with_input<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        input: &[u8],
    ) -> Seen {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || {
            let _ = stdin.write_all(&input); // the program may close it early
        });
        let output = child.wait_with_output().expect("the program ends");
        feeder.join().expect("the input is fed");
        self.seen(&output)
    }

    /// The program as a command to be started by the test itself.
    pub fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(args)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The result of a finished child process of this desk.
    pub fn seen(&self, output: &std::process::Output) -> Seen {
        use std::os::unix::process::ExitStatusExt as _;
        let status = output.status;
        Seen {
            code: status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap_or_default()),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            folder: self.path().to_owned(),
            home: self.home.clone(),
        }
    }

    /// A text of a file on the desk, as [`Seen::neutral`].
    pub fn neutral(&self, name: &str) -> String {
        neutral(&self.read(name), &self.folder, &self.home)
    }

    /// Runs these command lines one after the other, quoted as for a shell:
    /// what was typed and all that was answered, for a snapshot.
    pub fn talk<L: AsRef<str>>(&self, lines: impl IntoIterator<Item = L>) -> String {
        let answer = |line: L| {
            let words = shlex::split(line.as_ref()).expect("quotes are closed");
            self.crosscheck(words).after(line.as_ref())
        };
        lines.into_iter().map(answer).collect()
    }
}

fn put(path: PathBuf, content: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("it can be made");
    fs::write(&path, content).expect("the file can be written");
    path
}

impl Seen {
    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.summary()))
    }

    /// The exit code and the code of the error on the last line of standard
    /// error, such as `3 CLI_USAGE`; all of the answer if there is none.
    pub fn refusal(&self) -> String {
        let last = self.stderr.lines().last().unwrap_or_default();
        let code = serde_json::from_str::<Value>(last)
            .ok()
            .and_then(|envelope| Some(envelope.get("code")?.as_str()?.to_owned()));
        code.map_or_else(|| self.summary(), |code| format!("{} {code}", self.code))
    }

    /// The whole answer for a snapshot, without what differs from machine to
    /// machine and from run to run.
    pub fn summary(&self) -> String {
        let text = format!(
            "exit {}\n--- stdout\n{}\n--- stderr\n{}",
            self.code,
            self.stdout.trim_end(),
            self.stderr.trim_end()
        );
        self.neutral(&text)
    }

    /// The same below the command line that led to it.
    pub fn after(&self, line: &str) -> String {
        let line = self.neutral(line);
        format!("$ crosscheck {line}\n{}\n", self.summary())
    }

    /// A text of the run with words for folders, ports, times, ids and the version.
    pub fn neutral(&self, text: &str) -> String {
        neutral(text, &self.folder, &self.home)
    }
}

fn neutral(text: &str, folder: &Path, home: &Path) -> String {
    let mut text = text
        .replace(&folder.display().to_string(), "[DESK]")
        .replace(&home.display().to_string(), "[HOME]");
    for (pattern, word) in [
        (r"\b(127\.0\.0\.1|localhost):\d{4,5}\b", "$1:[PORT]"),
        (
            r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
            "[TIME]",
        ),
        (r"(crosscheck [\d.]+) \([^)]*\)", "$1 ([COMMIT])"),
        (r"<code>sha256 [0-9a-f]{64}", "<code>sha256 [HASH]"),
        (
            r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
            "[UUID]",
        ),
        (r"/[\w/]*/\.tmp\w{6}\b", "[TEMP]"),
        (r"\bcrosscheck-demo-\w{6}\b", "[DEMO]"),
        (r"\(pid \d+\)", "(pid [PID])"),
        (r"(?s)<style>.*?</style>", "<style>[STYLE]</style>"),
        (
            concat!(r"\b", env!("CARGO_PKG_VERSION"), r"\b"),
            "[VERSION]",
        ),
    ] {
        let pattern = regex::Regex::new(pattern).expect("the pattern is one");
        text = pattern.replace_all(&text, word).into_owned();
    }
    text
}
