//! `crosscheck demo`: the one-minute tour.

use std::path::Path;

use crosscheck::core::NoListener;
use crosscheck::core::advice::with_causes;
use crosscheck::core::files::write_atomic;
use crosscheck::quick::{self, Database, Ingest, QuickTask, Targets};
use crosscheck::tour;

use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::output::Streams;

pub(crate) fn run(args: &DemoArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => tour::fresh_folder().map_err(|error| stage(&error.to_string()))?,
    };
    let at = |name: &str| folder.join(name);
    write_atomic(&at("calls.ndjson"), tour::LOG.as_bytes())
        .map_err(|error| stage(&with_causes(&error)))?;
    tour::create_database(&at("shop.db")).map_err(|error| stage(&error.to_string()))?;

    let task = QuickTask {
        log: Some(tour::LOG.as_bytes().to_vec()),
        ingest: Ingest::Ladder,
        database: Database::Sqlite(at("shop.db")),
    };
    let report = quick::run(&task, &mut NoListener).map_err(|error| Failure::told(&error))?;
    let documents = report
        .documents("demo")
        .map_err(|error| Failure::told(&error))?;
    let targets = Targets {
        registry: &at("registry.json"),
        events: Some(&at("events.ndjson")),
        report: Some(&at("report.json")),
    };
    quick::publish(&documents, &targets).map_err(|error| Failure::told(&error))?;
    write_atomic(&at("certificate.json"), documents.certificate.as_bytes())
        .map_err(|error| stage(&with_causes(&error)))?;

    streams.data(story(&folder, &documents.human).as_bytes())?;
    // The tour did what it should; that it caught a lie is its point.
    Ok(0)
}

fn story(folder: &Path, human: &str) -> String {
    let place = folder.display();
    format!(
        "An agent logged these tool calls and said that all of them were done:\n\n{log}\n\
         crosscheck looked into the database, read-only, and reports:\n\n{human}\n\n\
         The lie: the agent said order o_1002 was refunded. The database says it is still paid.\n\n\
         The files are in {place}\n\
         \x20 calls.ndjson      the tool-call log\n\
         \x20 shop.db           the database (SQLite)\n\
         \x20 certificate.json  the verdict for machines\n\
         \x20 report.json       every fact of every unit\n\
         \x20 registry.json     what was checked, as a contract that can be replayed\n\
         \x20 events.ndjson     the calls that belong to it, workflow id `demo`\n\n\
         Try next:\n\
         \x20 crosscheck quick --input {place}/calls.ndjson --db {place}/shop.db --export-registry /tmp/registry.json\n\
         \x20 crosscheck quick --input {place}/calls.ndjson --db {place}/shop.db --export-registry /tmp/registry.json --explain-mapping\n\
         \x20 crosscheck check --workflow-id demo --events {place}/events.ndjson --registry {place}/registry.json --db {place}/shop.db\n\
         \x20 crosscheck explain VALUE_MISMATCH\n\
         Then use your own log and database: --input LOG, and --db FILE or --postgres-url URL.\n",
        log = tour::LOG,
    )
}

fn stage(message: &str) -> Failure {
    Failure::usage(
        &format!("cannot set up the tour: {message}"),
        "name a folder that can be written: crosscheck demo DIR",
    )
}
