//! What only a real server can show. The servers come from the environment;
//! see `scripts/test-servers`.

mod batches;
mod catalogs;
mod exact;
mod kinds;
mod protection;
mod safety;
mod trouble;
mod trust;

use crosscheck_core::JsString;
use crosscheck_core::json::Scalar;
use crosscheck_core::redact::SecretUrl;
use crosscheck_testkit::{Database, Engine, Server};

use super::{
    Catalog, Cell, Limits, MysqlSource, PostgresSource, RowSource, RowsSeen, SourceError, Table,
};
use crate::plan::{Identity, RowRequest};
use crate::{QuickReport, read};

const ENGINES: [Engine; 2] = [Engine::Postgres, Engine::Mysql];

/// A fresh database, if there is a server for it.
fn fresh(engine: Engine, setup: &str) -> Option<Database> {
    Some(Server::named(engine)?.database(setup))
}

fn open(engine: Engine, url: &str) -> Box<dyn RowSource> {
    try_open(engine, url, Limits::default()).unwrap()
}

fn try_open(engine: Engine, url: &str, limits: Limits) -> Result<Box<dyn RowSource>, SourceError> {
    let url = SecretUrl::new(url);
    Ok(match engine {
        Engine::Postgres => Box::new(PostgresSource::connect_within(url, Vec::new(), limits)?),
        Engine::Mysql => Box::new(MysqlSource::connect_within(url, limits)?),
    })
}

fn table<'c>(catalog: &'c Catalog, name: &str) -> &'c Table {
    let found = catalog
        .tables
        .iter()
        .find(|table| table.table.name.as_str() == name);
    found.unwrap_or_else(|| panic!("{name} is not in the catalog"))
}

/// A request for the row with this key that compares all other columns.
fn request(catalog: &Catalog, name: &str, key: &[&str]) -> RowRequest {
    let table = table(catalog, name);
    let identity = table.identity().unwrap_or_default();
    assert_eq!(identity.len(), key.len(), "the key of {name}");
    RowRequest {
        table: table.table.clone(),
        identity: identity
            .iter()
            .zip(key)
            .map(|(column, value)| Identity {
                column: column.clone(),
                value: JsString::from(*value),
                path: JsString::from(""),
            })
            .collect(),
        fields: table
            .columns
            .iter()
            .filter(|column| !identity.contains(&column.name))
            .map(|column| (column.name.clone(), Scalar::Null))
            .collect(),
    }
}

/// The cells of the one row with this key.
fn cells(seen: RowsSeen) -> Vec<(String, Cell)> {
    match seen {
        RowsSeen::One(row) => row
            .columns()
            .map(|(name, cell)| (name.to_owned(), cell.clone()))
            .collect(),
        other => panic!("{other:?}"),
    }
}

/// A whole run over a log, and its full report.
fn run(source: &mut dyn RowSource, log: &str) -> (QuickReport, String) {
    run_with(source, log, &mut crosscheck_core::outcome::Silence)
}

fn run_with(
    source: &mut dyn RowSource,
    log: &str,
    listener: &mut dyn crosscheck_core::Listener,
) -> (QuickReport, String) {
    let log = read::log(Some(log.as_bytes())).unwrap();
    let report = crate::quick(&log, source, listener).unwrap();
    let text = report.documents("test").unwrap().report;
    (report, text)
}
