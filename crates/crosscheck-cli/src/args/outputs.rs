//! Where something is written is a file or a folder. A user who names a URL there
//! meant another option, and its password must not become the name of a file.

use std::any::TypeId;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::ArgMatches;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use crosscheck::config::{LYCHEE_FILE, PROJECT_FILE, USER_FILE};
use crosscheck::core::digest::of_reader;
use crosscheck::core::files::{folder_of, way_through_nothing};
use crosscheck::core::outputs;

use crate::settings::places;

/// Options whose value is written to; `-o` is `--output` where it exists.
const OUTPUTS: [&str; 19] = [
    "--cache-dir",
    "--decisions",
    "--details",
    "--emit-events",
    "--export-registry",
    "--judge-cache",
    "--ledger",
    "--lint-out",
    "--out",
    "--output",
    "--proof",
    "--report",
    "--report-path",
    "--state-dir",
    "--workspaces-dir",
    "--write-decision-bundle",
    "--write-report",
    "--write-run-bundle",
    "-o",
];

/// Commands whose one argument is the folder they write.
const FOLDERS: [&str; 2] = ["demo", "man"];

/// Options among them that name one file; the others name folders, or a ledger.
const FILES: [&str; 11] = [
    "decisions",
    "details",
    "emit-events",
    "export-registry",
    "lint-out",
    "out",
    "outbox",
    "output",
    "report",
    "report-path",
    "write-report",
];

/// What this command line names to be written, besides the ledger.
static WRITTEN: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// The options that were typed, by their long names.
static GIVEN: OnceLock<Vec<String>> = OnceLock::new();

/// Whether an option was typed.
pub(crate) fn is_given(long: &str) -> bool {
    GIVEN
        .get()
        .is_some_and(|given| given.iter().any(|one| one == long))
}

/// What it names to be read.
static READ_PATHS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Files of a project that steer a check.
const STANDING: [&str; 7] = [
    PROJECT_FILE,
    LYCHEE_FILE,
    ".crosscheckignore",
    ".lycheeignore",
    ".claude-iterate.json",
    ".claude/context-firewall.local.md",
    ".git/config",
];

/// Notes what a command line names to be written, and what to be read. Two
/// outputs in one file are refused.
pub(crate) fn note_paths(command: &clap::Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let (mut written, mut read, mut typed) = (Vec::new(), Vec::new(), Vec::new());
    let mut inputs = Vec::new();
    let mut bases = vec![PathBuf::from(".")];
    let mut here = Some((command, matches));
    while let Some((command, matches)) = here {
        for argument in command.get_arguments() {
            let long = argument.get_long().unwrap_or_default();
            if matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine) {
                typed.push(long.to_owned());
            }
            let is_written = long == "outbox" || OUTPUTS.contains(&format!("--{long}").as_str());
            let given = || {
                let given = matches.get_raw(argument.get_id().as_str());
                given.into_iter().flatten().map(PathBuf::from)
            };
            if is_written && long != "ledger" {
                written.extend(given().map(|path| (long, path)));
            } else if matches!(long, "root" | "project") {
                bases.extend(given());
            } else if matches!(long, "db" | "input" | "result")
                || long.ends_with("-command")
                || argument.get_value_parser().type_id() == TypeId::of::<PathBuf>()
            {
                read.extend(given());
                if long != "ledger" {
                    inputs.extend(given());
                }
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
    let written: Vec<PathBuf> = written.iter().flat_map(|(_, path)| below(path)).collect();
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

/// Refuses `new/../file`: which file it names is known only when the folder is there.
fn refuse_way_through_nothing(
    written: &[(&str, PathBuf)],
    below: &impl Fn(&PathBuf) -> Vec<PathBuf>,
) -> Result<(), clap::Error> {
    let is_there = |folder: &Path| {
        let mut places = below(&folder.to_owned()).into_iter();
        places.any(|folder| folder.is_dir())
    };
    for (long, path) in written {
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
    written: &[(&str, PathBuf)],
    below: &impl Fn(&PathBuf) -> Vec<PathBuf>,
) -> Result<(), clap::Error> {
    let outputs = written.iter().filter(|(long, path)| {
        *long == "output" && !is_stream(path) && !is_url(&path.to_string_lossy())
    });
    for (long, path) in outputs {
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

fn refuse_same(written: &[(&str, PathBuf)]) -> Result<(), clap::Error> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    let files = written
        .iter()
        .filter(|(long, path)| FILES.contains(long) && !is_stream(path));
    for (long, path) in files.filter(|(_, path)| path.as_os_str() != "-") {
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

/// What was noted.
pub(crate) fn written() -> &'static [PathBuf] {
    WRITTEN.get().map_or(&[], Vec::as_slice)
}

/// The files that the command line names to be read, with their SHA-256; for a page that
/// is handed over.
pub(crate) fn hashed_inputs() -> Vec<(String, String)> {
    let named = READ_PATHS.get().into_iter().flatten();
    let files = named.filter(|path| path.is_file());
    files
        .filter_map(|path| {
            let hash = of_reader(File::open(path).ok()?).ok()?;
            Some((path.display().to_string(), hash.hex()))
        })
        .collect()
}

/// Refuses a URL where something would be written. It is not repeated.
pub(crate) fn refuse_urls(words: &[OsString]) -> Result<(), clap::Error> {
    let words: Vec<String> = words
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let of_next = words
        .array_windows()
        .map(|[name, value]| (name, value.as_str()));
    let of_same = words.iter().filter_map(|word| {
        let name = OUTPUTS.iter().find(|name| {
            let rest = word.strip_prefix(**name);
            rest.is_some_and(|rest| rest.starts_with('=') || **name == "-o")
        })?;
        Some((*name, word.get(name.len()..)?.trim_start_matches('=')))
    });
    let of_next = of_next.filter_map(|(name, value)| {
        let known = OUTPUTS
            .iter()
            .chain(&FOLDERS)
            .find(|known| *known == name)?;
        Some((*known, value))
    });
    let Some((name, _)) = of_next.chain(of_same).find(|(_, value)| is_url(value)) else {
        return Ok(());
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
    use clap::CommandFactory as _;

    use super::*;

    fn refuses(line: &[&str]) -> bool {
        let words: Vec<OsString> = line.iter().map(OsString::from).collect();
        let refused = refuse_urls(&words);
        if let Err(error) = &refused {
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        refused.is_err()
    }

    #[test]
    fn a_url_is_no_place_to_write_to() {
        let url = "postgres://u:hunter2@h/d";
        for name in OUTPUTS {
            assert!(refuses(&["crosscheck", "claims", name, url]), "{name}");
            assert!(
                refuses(&["crosscheck", "claims", &format!("{name}={url}")]),
                "{name}"
            );
        }
        assert!(refuses(&["crosscheck", "done", &format!("-o{url}")]));
        assert!(refuses(&["crosscheck", "man", url]));
        for line in [
            &["crosscheck", "claims", "--out", "a:b.json"][..],
            &["crosscheck", "check", "--postgres-url", url],
            &["crosscheck", "sources", "--offline", "https://a.example/"],
            &["crosscheck", "claims", "--out", "1://x"],
        ] {
            assert!(!refuses(line), "{line:?}");
        }
    }

    /// Options that read, or name something that is there.
    const READ: [&str; 34] = [
        "acceptance",
        "after",
        "allow-path",
        "artifacts",
        "before",
        "config",
        "contract",
        "coverage-budget",
        "decision-attestation",
        "decisions",
        "decision-next-action",
        "dns-fixture",
        "events",
        "files-from",
        "from",
        "inbox",
        "input",
        "judge-replay",
        "label",
        "log",
        "lychee-config",
        "message",
        "plan",
        "project",
        "public-key",
        "registry",
        "root",
        "rows-report",
        "run-dir",
        "sign",
        "sign-ed25519-private-key",
        "trace",
        "transcript",
        "unreliable-domains",
    ];

    #[test]
    fn every_option_with_a_path_is_known_as_one_that_reads_or_writes() {
        fn walk(command: &clap::Command, unknown: &mut Vec<String>) {
            for argument in command.get_arguments() {
                let Some(long) = argument.get_long() else {
                    continue;
                };
                let takes_path = argument.get_value_parser().type_id()
                    == clap::builder::ValueParser::path_buf().type_id();
                let is_known =
                    OUTPUTS.contains(&format!("--{long}").as_str()) || READ.contains(&long);
                if takes_path && !is_known {
                    unknown.push(format!("{} --{long}", command.get_name()));
                }
            }
            for inner in command.get_subcommands() {
                walk(inner, unknown);
            }
        }
        let mut unknown = Vec::new();
        walk(&crate::args::Cli::command(), &mut unknown);
        walk(&crate::args::QuickCli::command(), &mut unknown);
        assert_eq!(unknown, Vec::<String>::new(), "add them to OUTPUTS or READ");
    }
}
