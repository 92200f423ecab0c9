//! `crosscheck demo`: the one-minute tour.

use std::path::Path;

use crosscheck::core::NoListener;
use crosscheck::core::advice::with_causes;
use crosscheck::core::files::write_atomic;
use crosscheck::rows::{Log, Style, Task};
use crosscheck::{Database, tour};

use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::output::Streams;

pub(crate) fn run(args: &DemoArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => tour::fresh_folder().map_err(|error| stage(&error.to_string()))?,
    };
    let write = |name: &str, bytes: &[u8]| {
        write_atomic(&folder.join(name), bytes).map_err(|error| stage(&with_causes(&error)))
    };
    write("calls.ndjson", tour::LOG.as_bytes())?;
    write("trusted.ndjson", tour::TRUSTED.as_bytes())?;
    let database = folder.join("shop.db");
    tour::create_database(&database).map_err(|error| stage(&error.to_string()))?;

    let mut task = Task::new(Vec::new(), Database::Sqlite(database));
    task.logs = vec![Log::Path(folder.join("calls.ndjson"))];
    let report = task
        .run(&mut NoListener)
        .map_err(|error| Failure::told(&error))?;
    let (mut document, mut human) = (Vec::new(), Vec::new());
    let written = report
        .write_document(&mut document)
        .and_then(|()| report.write_human(Style::default(), &mut human));
    written.map_err(|error| stage(&error.to_string()))?;
    write("report.json", &document)?;

    streams.data(story(&folder, &String::from_utf8_lossy(&human)).as_bytes())?;
    // The tour did what it should; that it caught a lie is its point.
    Ok(0)
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
