//! Where something is written is a file or a folder. A user who names a URL there
//! meant another option, and its password must not become the name of a file.

use std::fs::{File, Metadata};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use crosscheck::config::{PROJECT_FILE, USER_FILE};
use crosscheck::core::digest::of_reader;
use crosscheck::core::files::{folder_of, way_through_nothing};
use crosscheck::core::outputs;

use crate::settings::places;

/// What happens to a path that an option names. The hint at its declaration says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathRole {
    /// One file is written, or replaced.
    WritesFile,
    /// A folder is written into, or a ledger.
    WritesFolder,
    /// It is read.
    Reads,
    /// Other paths begin there.
    Base,
    /// It is no path.
    NoPath,
}

fn role(argument: &Arg) -> PathRole {
    match (argument.get_value_hint(), argument.get_long()) {
        (_, Some("root" | "project")) => PathRole::Base,
        (ValueHint::FilePath, _) => PathRole::WritesFile,
        (ValueHint::DirPath, _) => PathRole::WritesFolder,
        // every other path, and the words of a program
        (ValueHint::AnyPath | ValueHint::CommandName, _) => PathRole::Reads,
        _ => PathRole::NoPath,
    }
}

/// An option, what it does with its path, and the path.
type Written<'w> = (&'w str, PathRole, PathBuf);

/// What this command line names to be written, besides the ledger.
static WRITTEN: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// The options that were typed, by their long names.
static GIVEN: OnceLock<Vec<String>> = OnceLock::new();

/// The options that were typed.
pub(crate) fn given_options() -> impl Iterator<Item = String> {
    GIVEN.get().into_iter().flatten().cloned()
}

/// What it names to be read.
static READ_PATHS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// What it does not name, and is read all the same.
static PLANNED: OnceLock<(PathBuf, Vec<PathBuf>)> = OnceLock::new();

/// Files of a project that steer a check.
const STANDING: [&str; 6] = [
    PROJECT_FILE,
    ".crosscheckignore",
    ".lycheeignore",
    ".claude-iterate.json",
    ".claude/context-firewall.local.md",
    ".git/config",
];

/// Notes what a command line names to be written, and what to be read. Two
/// outputs in one file are refused.
pub(crate) fn note_paths(command: &Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let (mut written, mut read, mut typed) = (Vec::new(), Vec::new(), Vec::new());
    let mut inputs = Vec::new();
    let mut bases = vec![PathBuf::from(".")];
    let mut here = Some((command, matches));
    while let Some((command, matches)) = here {
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let long = argument.get_long().unwrap_or_default();
            if matches.value_source(id) == Some(ValueSource::CommandLine) {
                typed.push(long.to_owned());
            }
            let given = || {
                let given = matches.try_get_raw(id).ok().flatten();
                let given = given.into_iter().flatten().map(PathBuf::from);
                given.filter_map(|value| file_of(argument, value))
            };
            let role = role(argument);
            if matches!(role, PathRole::WritesFile | PathRole::WritesFolder) {
                refuse_url(command, argument, given())?;
            }
            match role {
                PathRole::WritesFolder if long == "ledger" => read.extend(given()),
                PathRole::WritesFile | PathRole::WritesFolder if !long.is_empty() => {
                    written.extend(given().map(|path| (long, role, path)));
                }
                PathRole::Base => bases.extend(given()),
                PathRole::Reads => {
                    read.extend(given());
                    inputs.extend(given());
                }
                PathRole::WritesFile | PathRole::WritesFolder | PathRole::NoPath => {}
            }
        }
        here = matches
            .subcommand()
            .and_then(|(name, inner)| Some((command.find_subcommand(name)?, inner)));
    }
    let _ = GIVEN.set(typed);
    refuse_same(&written)?;
    // some commands write below the folder that they are given
    let below =
        |path: &PathBuf| -> Vec<PathBuf> { bases.iter().map(|base| base.join(path)).collect() };
    refuse_way_through_nothing(&written, &below)?;
    refuse_new_folder(&written, &below)?;
    let written: Vec<PathBuf> = written
        .iter()
        .flat_map(|(_, _, path)| below(path))
        .collect();
    let may_replace = |path: &&PathBuf| !is_stream(path) || path.is_file();
    written
        .iter()
        .filter(may_replace)
        .for_each(|path| outputs::expect(path));
    if let Some(input) = standard_input() {
        outputs::named_open(&input);
    }
    let _ = READ_PATHS.set(inputs);
    let standing = STANDING.map(PathBuf::from);
    let read = read.iter().chain(&standing).flat_map(below);
    read.chain(user_file())
        .for_each(|path| outputs::named(&path));
    let _ = WRITTEN.set(written);
    Ok(())
}

/// The file of `--output FORMAT=FILE`, which may be given several times; any other option
/// names its file as it is.
fn file_of(argument: &Arg, value: PathBuf) -> Option<PathBuf> {
    if argument.get_long() != Some("output") || !matches!(argument.get_action(), ArgAction::Append)
    {
        return Some(value);
    }
    let text = value.to_str()?;
    Some(PathBuf::from(text.split_once('=')?.1))
}

/// Refuses `new/../file`: which file it names is known only when the folder is there.
fn refuse_way_through_nothing(
    written: &[Written<'_>],
    below: &impl Fn(&PathBuf) -> Vec<PathBuf>,
) -> Result<(), clap::Error> {
    let is_there = |folder: &Path| {
        let mut places = below(&folder.to_owned()).into_iter();
        places.any(|folder| folder.is_dir())
    };
    for (long, _, path) in written {
        if let Some(folder) = way_through_nothing(path, is_there) {
            let text = format!(
                "the folder `{}` of --{long} does not exist; create it, or name the file without `..`\n",
                folder.display()
            );
            return Err(clap::Error::raw(ErrorKind::ValueValidation, text));
        }
    }
    Ok(())
}

/// Refuses `--output new/file`: a folder that nobody asked for is most often a
/// mistyped one.
fn refuse_new_folder(
    written: &[Written<'_>],
    below: &impl Fn(&PathBuf) -> Vec<PathBuf>,
) -> Result<(), clap::Error> {
    let outputs = written.iter().filter(|(long, _, path)| {
        *long == "output" && !is_stream(path) && !is_url(&path.to_string_lossy())
    });
    for (long, _, path) in outputs {
        let folder = folder_of(path).to_owned();
        let places = below(&folder);
        if !places.iter().any(|folder| folder.is_dir()) {
            let shown = folder.display();
            let text = if places.iter().any(|place| place.exists()) {
                format!("`{shown}` of --{long} is a file, not a folder\n")
            } else {
                format!("the folder `{shown}` of --{long} does not exist; create it first\n")
            };
            return Err(clap::Error::raw(ErrorKind::ValueValidation, text));
        }
    }
    Ok(())
}

/// What the standard input is, if it is open.
fn standard_input() -> Option<Metadata> {
    let input = std::io::stdin().as_fd().try_clone_to_owned().ok()?;
    File::from(input).metadata().ok()
}

/// The user's own settings.
fn user_file() -> Option<PathBuf> {
    let folder = places(Path::new("."), None).user_folder?;
    Some(folder.join(USER_FILE))
}

fn refuse_same(written: &[Written<'_>]) -> Result<(), clap::Error> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    let files = written
        .iter()
        .filter(|(_, role, path)| *role == PathRole::WritesFile && !is_stream(path));
    for (long, _, path) in files.filter(|(_, _, path)| path.as_os_str() != "-") {
        let Some(place) = outputs::place_of(path) else {
            continue;
        };
        if let Some((other, _)) = seen.iter().find(|(_, taken)| *taken == place) {
            let text = format!("--{long} names the same file as --{other}\n");
            return Err(clap::Error::raw(ErrorKind::ValueValidation, text));
        }
        seen.push((*long, place));
    }
    Ok(())
}

/// Whether a path names a stream of the process or a device that takes
/// anything, and not an entry that could be replaced.
pub(crate) fn is_stream(path: &Path) -> bool {
    let text = path.to_str().unwrap_or_default();
    let number = ["/dev/fd/", "/proc/self/fd/"]
        .iter()
        .find_map(|folder| text.strip_prefix(folder));
    matches!(
        text,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty"
    ) || number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Further files of a project that the run has read, which the command line does not name: no
/// output may replace them.
pub(crate) fn note_inputs(root: &Path, paths: Vec<PathBuf>) {
    for path in &paths {
        outputs::named(path);
    }
    let _ = PLANNED.set((root.to_owned(), paths));
}

/// What was noted.
pub(crate) fn written() -> &'static [PathBuf] {
    WRITTEN.get().map_or(&[], Vec::as_slice)
}

/// The files that the command line names to be read, with their SHA-256; for a page that
/// is handed over.
pub(crate) fn hashed_inputs() -> Vec<(String, String)> {
    let (root, planned) = PLANNED
        .get()
        .map_or((Path::new(""), &[][..]), |(root, planned)| (root, planned));
    let files = READ_PATHS.get().into_iter().flatten().chain(planned);
    let mut hashed: Vec<(String, String)> = Vec::new();
    for path in files.filter(|path| path.is_file()) {
        let name = path.strip_prefix(root).unwrap_or(path).display();
        let hash = File::open(path).and_then(of_reader);
        hashed.extend(hash.ok().map(|hash| (name.to_string(), hash.hex())));
    }
    hashed.dedup();
    hashed
}

/// Refuses a URL where something would be written. It is not repeated.
fn refuse_url(
    command: &Command,
    argument: &Arg,
    mut given: impl Iterator<Item = PathBuf>,
) -> Result<(), clap::Error> {
    // messages may be sent to a URL, and a server may hold a ledger
    let takes_urls = matches!(argument.get_long(), Some("outbox" | "ledger"));
    if takes_urls || !given.any(|value| is_url(&value.to_string_lossy())) {
        return Ok(());
    }
    let name = match argument.get_long() {
        Some(long) => format!("--{long}"),
        None => command.get_name().to_owned(),
    };
    let text = format!("`{name}` takes the name of a file or folder to write, not a URL\n");
    Err(clap::Error::raw(ErrorKind::ValueValidation, text))
}

/// A scheme, a colon and two slashes.
pub(crate) fn is_url(value: &str) -> bool {
    let is_scheme = |scheme: &str| {
        let may = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(may)
    };
    value
        .split_once("://")
        .is_some_and(|(scheme, _)| is_scheme(scheme))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;

    /// Every option that writes, and its command.
    fn writing() -> BTreeSet<String> {
        fn walk(command: &Command, found: &mut BTreeSet<String>) {
            for argument in command.get_arguments() {
                let writes = matches!(
                    role(argument),
                    PathRole::WritesFile | PathRole::WritesFolder
                );
                found.extend(argument.get_long().filter(|_| writes).map(str::to_owned));
            }
            for inner in command.get_subcommands() {
                walk(inner, found);
            }
        }
        let mut found = BTreeSet::new();
        walk(&crate::args::Cli::command(), &mut found);
        found
    }

    #[test]
    fn what_an_option_does_with_its_path_is_declared_at_the_option() {
        let expected = [
            "cache-dir",
            "decisions",
            "details",
            "emit-events",
            "export-registry",
            "judge-cache",
            "ledger",
            "lint-out",
            "otel",
            "out",
            "outbox",
            "output",
            "report",
            "report-path",
            "state-dir",
            "workspaces-dir",
            "write-decision-bundle",
            "write-report",
            "write-run-bundle",
        ];
        let found = writing();
        assert_eq!(
            found.iter().map(String::as_str).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn a_url_is_no_place_to_write_to() {
        let url = "postgres://u:hunter2@h/d";
        let noted = |line: &[&str]| {
            let mut command = crate::args::Cli::command();
            let matches = command.try_get_matches_from_mut(line).unwrap();
            note_paths(&command, &matches).map_err(|error| error.to_string())
        };
        for line in [
            &["crosscheck", "claims", "--result", "a.json", "--out", url][..],
            &["crosscheck", "done", "check", "-o", url],
            &["crosscheck", "sources", "a.md", "--cache-dir", url],
            &["crosscheck", "man", url],
        ] {
            let refused = noted(line).unwrap_err();
            assert!(refused.contains("not a URL"), "{line:?}: {refused}");
            assert!(!refused.contains("hunter2"), "{refused}");
        }
        for line in [
            &["crosscheck", "check", "--postgres-url", url][..],
            &["crosscheck", "sources", "--offline", "https://a.example/"],
        ] {
            assert_eq!(noted(line), Ok(()), "{line:?}");
        }
        assert!(!is_url("a:b.json") && !is_url("1://x"));
    }
}
