//! `crosscheck demo`: the one-minute tour.

use std::path::{Path, PathBuf};

use crosscheck::core::NoListener;
use crosscheck::core::advice::with_causes;
use crosscheck::core::files::{read_regular, write_atomic};
use crosscheck::rows::{Log, Style, Task};
use crosscheck::{Database, tour};

use super::spare::write_files;
use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::output::Streams;

const REPORT: &str = "report.json";
/// What SQLite may keep beside the database.
const COMPANIONS: [&str; 3] = ["shop.db-wal", "shop.db-shm", "shop.db-journal"];

pub(crate) fn run(args: &DemoArgs, streams: &mut Streams) -> Result<u8, Failure> {
    if let Some(folder) = &args.folder {
        tell(folder, streams)?;
    } else {
        let fresh = tour::fresh_folder().map_err(|error| stage(&error.to_string()))?;
        tell(fresh.path(), streams)?;
        fresh.keep();
    }
    // The tour did what it should; that it caught a lie is its point.
    Ok(0)
}

fn tell(folder: &Path, streams: &mut Streams) -> Result<(), Failure> {
    let database = tour::database().map_err(|error| stage(&error.to_string()))?;
    let files = [
        ("calls.ndjson", tour::LOG.as_bytes()),
        ("trusted.ndjson", tour::TRUSTED.as_bytes()),
        ("shop.db", database.as_slice()),
    ];
    let missing = missing(folder, &files)?;
    let human = set_up(folder, &files).inspect_err(|_| {
        for path in &missing {
            let _ = std::fs::remove_file(path);
        }
    })?;
    streams.data(story(folder, &human).as_bytes())
}

/// The files that are not there yet. One that is must be of an earlier tour.
fn missing(folder: &Path, files: &[(&str, &[u8])]) -> Result<Vec<PathBuf>, Failure> {
    let mut missing = Vec::new();
    let names = files.iter().map(|(name, _)| *name);
    for name in names.chain([REPORT]).chain(COMPANIONS) {
        let path = folder.join(name);
        if path.symlink_metadata().is_err() {
            missing.push(path);
            continue;
        }
        let found = read_regular(&path, tour::MAX_BYTES).ok();
        let is_ours = |bytes: Vec<u8>| {
            name == REPORT && tour::is_report(&bytes) || files.contains(&(name, bytes.as_slice()))
        };
        if path.is_symlink() || !found.is_some_and(is_ours) {
            return Err(Failure::usage(
                &format!(
                    "the tour would replace `{}`, which is not of an earlier tour",
                    path.display()
                ),
                "name a folder that is empty or does not exist: crosscheck demo DIR",
            ));
        }
    }
    Ok(missing)
}

/// Writes the files and the report about them, which it returns for people.
fn set_up(folder: &Path, files: &[(&str, &[u8])]) -> Result<String, Failure> {
    let (document, human) = report(folder, files)?;
    let all = files.iter().copied().chain([(REPORT, document.as_slice())]);
    write_files(folder, &all.collect::<Vec<_>>()).map_err(|error| stage(&with_causes(&error)))?;
    Ok(human)
}

/// The report about the files as they will be in the folder; it is made before
/// anything is written there.
fn report(folder: &Path, files: &[(&str, &[u8])]) -> Result<(Vec<u8>, String), Failure> {
    let desk = tour::fresh_folder().map_err(|error| stage(&error.to_string()))?;
    let made = desk.path().join("shop.db");
    let report = written(&made, files).and_then(|()| {
        let log = Log::Bytes {
            name: folder.join("calls.ndjson").display().to_string(),
            bytes: tour::LOG.as_bytes().to_vec(),
        };
        let mut task = Task::new(Vec::new(), Database::Sqlite(made.clone()));
        task.logs = vec![log];
        task.run(&mut NoListener)
            .map_err(|error| Failure::of(&error))
    });
    drop(desk);
    let report = report?;
    let (mut document, mut human) = (Vec::new(), Vec::new());
    report
        .write_document(&mut document)
        .and_then(|()| report.write_human(Style::default(), &mut human))
        .map_err(|error| stage(&error.to_string()))?;
    let there = folder.join("shop.db").display().to_string();
    let made = made.display().to_string();
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let inner = |text: &str| quoted(text).trim_matches('"').to_owned();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let document = text(document).replace(&inner(&made), &inner(&there));
    Ok((document.into_bytes(), text(human).replace(&made, &there)))
}

fn written(made: &Path, files: &[(&str, &[u8])]) -> Result<(), Failure> {
    let database = files.iter().find(|(name, _)| *name == "shop.db");
    let bytes = database.map_or(&[][..], |(_, bytes)| *bytes);
    write_atomic(made, bytes).map_err(|error| stage(&with_causes(&error)))
}

fn story(folder: &Path, human: &str) -> String {
    let place = folder.display();
    format!(
        "An agent logged these tool calls and said that all of them were done:\n\n{log}\n\
         crosscheck looked into the database, read-only, and reports:\n\n{human}\n\
         The lie: the agent said order o_1002 was refunded. The database says it is still paid.\n\n\
         The files are in {place}\n\
         \x20 calls.ndjson    the tool-call log\n\
         \x20 shop.db         the database (SQLite)\n\
         \x20 report.json     the report for machines\n\
         \x20 trusted.ndjson  an earlier log that is true, to learn a contract from\n\n\
         Try next:\n\
         \x20 crosscheck rows {place}/calls.ndjson --db {place}/shop.db --explain\n\
         \x20 crosscheck rows learn {place}/trusted.ndjson --db {place}/shop.db\n\
         \x20 crosscheck explain VALUE_MISMATCH\n\
         Then use your own log and database: crosscheck rows LOG --db FILE, or --postgres-url URL.\n",
        log = tour::LOG,
    )
}

fn stage(message: &str) -> Failure {
    Failure::usage(
        &format!("cannot set up the tour: {message}"),
        "name a folder that can be written: crosscheck demo DIR",
    )
}
