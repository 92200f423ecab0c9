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

use crosscheck_core::redact::SecretUrl;
use crosscheck_testkit::{Database, Engine, Server};

use super::source::{self, Key, RowLookup};
use super::{
    Catalog, Cell, Limits, MysqlSource, PostgresSource, RowsSeen, Scope, Source, SourceError, Table,
};
use crate::quick::{self, QuickReport, read};

const ENGINES: [Engine; 2] = [Engine::Postgres, Engine::Mysql];

/// A fresh database, if there is a server for it.
fn fresh(engine: Engine, setup: &str) -> Option<Database> {
    Some(Server::named(engine)?.database(setup))
}

fn open(engine: Engine, url: &str) -> Box<dyn Source> {
    try_open(engine, url, Limits::default()).unwrap()
}

fn try_open(engine: Engine, url: &str, limits: Limits) -> Result<Box<dyn Source>, SourceError> {
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

/// A question for the row with this key that compares all other columns.
fn request(catalog: &Catalog, name: &str, key: &[&str]) -> (RowLookup, Key) {
    let table = table(catalog, name);
    let identity = table.identity().unwrap_or_default();
    assert_eq!(identity.len(), key.len(), "the key of {name}");
    let others = table.columns.iter().map(|column| &column.name);
    let others = others.filter(|name| !identity.contains(name));
    let lookup = RowLookup {
        table: table.table.clone(),
        identity: identity.iter().map(ToString::to_string).collect(),
        fields: others.map(ToString::to_string).collect(),
    };
    (lookup, key.iter().map(|text| (*text).into()).collect())
}

/// What is seen of one row.
fn look(source: &mut dyn Source, (lookup, key): &(RowLookup, Key)) -> RowsSeen {
    let seen = source::rows(
        source,
        lookup,
        std::slice::from_ref(key),
        crate::observe::ends::Claimed::ANYTHING,
    );
    seen.into_iter().next().unwrap()
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
fn run(source: &mut dyn Source, log: &str) -> (QuickReport, String) {
    run_with(source, log, &mut crosscheck_core::NoListener)
}

fn run_with(
    source: &mut dyn Source,
    log: &str,
    listener: &mut dyn crosscheck_core::Listener,
) -> (QuickReport, String) {
    let log = read::log(Some(log.as_bytes())).unwrap();
    let report = quick::run(&log, source, listener).unwrap();
    let text = report.documents("test", true).unwrap().report;
    (report, text)
}
