//! `crosscheck init`: a policy for what is found in the project. What a file is, its content
//! says; nothing is changed but the new file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use crosscheck::config::PROJECT_FILE;
use crosscheck::core::advice::RunReason;
use crosscheck::transcript::{Format, detect};

use super::patterns::matching;
use crate::args::InitArgs;
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::project_root;

/// What is read of each file.
const HEAD: u64 = 256 << 10;
/// More files are a slip.
const FILES_MAX: usize = 20_000;
/// Folders of what others wrote or a build made.
const FOREIGN: [&str; 6] = ["node_modules", "target", "vendor", "dist", "build", "venv"];
const SCHEMES: [&str; 5] = [
    "postgres://",
    "postgresql://",
    "mysql://",
    "mariadb://",
    "sqlite:",
];

const OPENING: &str = "# What `crosscheck ci` checks. Written by `crosscheck init`; yours to change.
#
# Each [[check]] names a verifier and its inputs; `*` and `**` are patterns. Keys: docs/reference/config.md, or
# `crosscheck schema config`. A check passes when it is confirmed. To accept less for a while:
#
#   accept = \"undecided\"
#   expires = 2030-12-31
#   why = \"the staging database is being moved\"
";

const NO_DATABASE: &str = "db = \"DATABASE_URL\"   # no database was found: name the variable that holds its URL, or `sqlite = \"FILE\"`";

/// What a file can be checked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Log,
    Claims,
    Session,
    Run,
    Citations,
    Database,
}

/// The check of each kind: its name, its verifier, the key of its inputs, and what it is about.
const CHECKS: [(Kind, &str, &str, &str, &str); 5] = [
    (
        Kind::Log,
        "rows",
        "rows",
        "log",
        "tool calls against the rows that they should have left",
    ),
    (
        Kind::Claims,
        "claims",
        "claims",
        "document",
        "claims of agents against the files and pages that they cite",
    ),
    (
        Kind::Citations,
        "citations",
        "sources",
        "document",
        "cited pages; this uses the network",
    ),
    (
        Kind::Run,
        "trace",
        "trace",
        "run_dir",
        "reasoning traces against plan and evidence",
    ),
    (
        Kind::Session,
        "sessions",
        "done",
        "transcript",
        "what a coding agent said at the end of a session",
    ),
];

pub(crate) fn run(args: &InitArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let root = project_root()?;
    let text = policy(&found(&root), &databases());
    if args.print {
        streams.data(text.as_bytes())?;
        return Ok(0);
    }
    let path = root.join(PROJECT_FILE);
    let made = OpenOptions::new().write(true).create_new(true).open(&path);
    let written = made.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let message = format!("cannot create `{}`: {error}", path.display());
        let help = "a file that is there is never replaced; see what it would be with --print";
        Failure::because(RunReason::OutputUnwritable.reason(), &message, help)
    })?;
    let count = text.matches("\n[[check]]").count();
    streams.data(
        format!(
            "{}: {count} check{}\nread it, then run: crosscheck ci\n",
            path.display(),
            if count == 1 { "" } else { "s" }
        )
        .as_bytes(),
    )?;
    Ok(0)
}

/// What the project holds: patterns and paths by kind.
fn found(root: &Path) -> BTreeMap<Kind, BTreeSet<String>> {
    let mut found: BTreeMap<Kind, BTreeSet<String>> = BTreeMap::new();
    let pattern = "**/*.{ndjson,jsonl,json,md,db,sqlite,sqlite3}";
    let files = matching(root, pattern).unwrap_or_default();
    let below = |path: &PathBuf| Some(path.strip_prefix(root).ok()?.to_str()?.to_owned());
    let own = files.iter().filter_map(below).filter(|path| is_own(path));
    for path in own.take(FILES_MAX) {
        if let Some(kind) = kind_of(root, &path) {
            found
                .entry(kind)
                .or_default()
                .insert(as_pattern(kind, &path));
        }
    }
    found
}

fn is_own(path: &str) -> bool {
    let is_foreign = |part: &str| part.starts_with('.') || FOREIGN.contains(&part);
    !path.split('/').any(is_foreign)
}

fn kind_of(root: &Path, path: &str) -> Option<Kind> {
    let whole = root.join(path);
    let mut head = Vec::new();
    let is_file = whole.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let file = is_file.then(|| File::open(&whole).ok()).flatten()?;
    file.take(HEAD).read_to_end(&mut head).ok()?;
    if head.starts_with(b"SQLite format 3\0") {
        return Some(Kind::Database);
    }
    let text = String::from_utf8_lossy(&head);
    let (_, end) = path.rsplit_once('.')?;
    match end {
        "md" => text.contains("](http").then_some(Kind::Citations),
        "json" if text.contains("\"SubResult.v1\"") => Some(Kind::Claims),
        "jsonl" if path.ends_with("trace.jsonl") && whole.with_file_name("plan.json").is_file() => {
            Some(Kind::Run)
        }
        "jsonl" | "ndjson" => match detect(&text)? {
            Format::ClaudeCode | Format::Codex => Some(Kind::Session),
            _ => Some(Kind::Log),
        },
        _ => None,
    }
}

/// All files of its kind beside it; a database and a run are named alone.
fn as_pattern(kind: Kind, path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    match (kind, folder) {
        (Kind::Run, "") => ".".to_owned(),
        (Kind::Run, _) => folder.to_owned(),
        // a folder may hold other JSON and other logs, too
        (Kind::Log | Kind::Session, "") | (Kind::Claims | Kind::Database, _) => path.to_owned(),
        (_, "") => format!("*.{end}"),
        (_, folder) => format!("{folder}/*.{end}"),
    }
}

/// Variables of the environment that hold the URL of a database; the URL is not shown.
fn databases() -> BTreeSet<String> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let is_database = |value: &str| SCHEMES.iter().any(|scheme| value.starts_with(scheme));
    let variables = std::env::vars_os().filter_map(text);
    let variables = variables.filter(|(_, value)| is_database(value));
    variables.map(|(name, _)| name).collect()
}

fn policy(found: &BTreeMap<Kind, BTreeSet<String>>, variables: &BTreeSet<String>) -> String {
    let of = |kind: Kind| found.get(&kind).into_iter().flatten();
    let variables = variables
        .iter()
        .map(|name| format!("db = {}", quoted(name)));
    let files = of(Kind::Database).map(|path| format!("sqlite = {}", quoted(path)));
    let mut databases = variables.chain(files);
    let mut database = databases.next();
    let others: Vec<String> = databases.map(|one| format!("\n# {one}")).collect();
    if let Some(first) = database.as_mut().filter(|_| !others.is_empty()) {
        let note = "# other databases were found; a check has one, so choose, or copy this check";
        *first = format!("{first}\n{note}{}", others.concat());
    }
    let mut policy = OPENING.to_owned();
    // without a database the check cannot run, and says so
    let database = database.unwrap_or_else(|| NO_DATABASE.to_owned());
    for (kind, name, verifier, key, about) in CHECKS {
        let inputs: Vec<String> = of(kind).map(|path| quoted(path)).collect();
        if inputs.is_empty() {
            continue;
        }
        let inputs = inputs.join(", ");
        let _ = write!(
            policy,
            "\n# {about}\n[[check]]\nname = \"{name}\"\nverifier = \"{verifier}\"\n{key} = [{inputs}]\n"
        );
        if kind == Kind::Log {
            let _ = writeln!(policy, "{database}");
        }
    }
    if found.keys().all(|kind| *kind == Kind::Database) {
        policy.push_str(EXAMPLE);
    }
    policy
}

/// What is written when there is nothing to check yet.
const EXAMPLE: &str = "
# Nothing to check was found. For example:
#
# [[check]]
# name = \"rows\"
# verifier = \"rows\"
# log = \"logs/*.ndjson\"
# db = \"DATABASE_URL\"   # the name of the variable, never the URL
";

/// A text as TOML; a JSON string is one.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_checked_with_their_neighbours_where_all_are_of_one_kind() {
        for (kind, path, expected) in [
            (Kind::Log, "logs/a.ndjson", "logs/*.ndjson"),
            (Kind::Log, "a.jsonl", "a.jsonl"),
            (Kind::Citations, "README.md", "*.md"),
            (Kind::Claims, "out/result.json", "out/result.json"),
            (Kind::Run, "runs/7/trace.jsonl", "runs/7"),
            (Kind::Database, "data/shop.db", "data/shop.db"),
        ] {
            assert_eq!(as_pattern(kind, path), expected);
        }
        for (path, own) in [
            ("docs/a.md", true),
            (".git/a.md", false),
            ("node_modules/x/a.md", false),
        ] {
            assert_eq!(is_own(path), own, "{path}");
        }
    }
}
