//! Databases and files for one case.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use crosscheck_testkit::Desk;
use serde_json::{Value, json};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// A kind of database a case can run on.
pub(super) trait Engine {
    fn name(&self) -> &'static str;
    /// Makes a fresh database and returns the flags that name it.
    fn create(&mut self, folder: &Path, statements: &[&str], user: Option<&str>) -> Vec<String>;
    /// Everything that must be the same after the run.
    fn state(&mut self, folder: &Path) -> Value;
    fn forget(&mut self) {}
}

pub(super) struct Sqlite;

impl Engine for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn create(&mut self, folder: &Path, statements: &[&str], _: Option<&str>) -> Vec<String> {
        let place = folder.join("database");
        fs::create_dir(&place).unwrap();
        let file = place.join("db.sqlite");
        let connection = rusqlite::Connection::open(&file).unwrap();
        for statement in statements {
            connection
                .execute_batch(statement)
                .unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        connection.close().unwrap();
        vec!["--db".into(), file.display().to_string()]
    }

    fn state(&mut self, folder: &Path) -> Value {
        let files: BTreeMap<String, String> = fs::read_dir(folder.join("database"))
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let bytes = fs::read(entry.path()).unwrap();
                (
                    entry.file_name().to_string_lossy().into_owned(),
                    BASE64_STANDARD.encode(bytes),
                )
            })
            .collect();
        json!(files)
    }
}

/// A server; every case gets a database of its own.
pub(super) struct Postgres {
    runtime: tokio::runtime::Runtime,
    server: tokio_postgres::Config,
    made: usize,
    database: String,
}

impl Postgres {
    pub(super) fn new(url: &str) -> Self {
        Self {
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap(),
            server: url.parse().unwrap(),
            made: 0,
            database: String::new(),
        }
    }

    fn execute(&self, database: Option<&str>, statement: &str) -> Vec<String> {
        let mut config = self.server.clone();
        if let Some(name) = database {
            config.dbname(name);
        }
        self.runtime.block_on(async {
            let (client, connection) = config.connect(NoTls).await.unwrap();
            tokio::spawn(connection);
            texts(&client, statement).await
        })
    }
}

async fn texts(client: &Client, statement: &str) -> Vec<String> {
    client
        .simple_query(statement)
        .await
        .unwrap_or_else(|error| panic!("{statement}: {error:?}"))
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
        .collect()
}

impl Engine for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn create(&mut self, _: &Path, statements: &[&str], user: Option<&str>) -> Vec<String> {
        self.made += 1;
        self.database = format!("crosscheck_quick_{}_{}", std::process::id(), self.made);
        let create = format!("CREATE DATABASE {} TEMPLATE template0", self.database);
        self.execute(None, &create);
        for statement in statements {
            self.execute(Some(&self.database), statement);
        }
        let host = match self.server.get_hosts() {
            [tokio_postgres::config::Host::Tcp(host), ..] => host.clone(),
            other => panic!("the server must be reached by TCP: {other:?}"),
        };
        let port = self.server.get_ports().first().copied().unwrap_or(5432);
        let user = user.or(self.server.get_user()).unwrap_or("postgres");
        let password = match self.server.get_password() {
            Some(password) => format!(":{}", String::from_utf8_lossy(password)),
            None => String::new(),
        };
        vec![
            "--postgres-url".into(),
            format!(
                "postgres://{user}{password}@{host}:{port}/{}",
                self.database
            ),
        ]
    }

    fn state(&mut self, _: &Path) -> Value {
        let tables = self.execute(
            Some(&self.database),
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('r', 'p', 'S') AND n.nspname !~ '^(pg_|information_schema$)' ORDER BY 1",
        );
        let rows: BTreeMap<String, Vec<String>> = tables
            .into_iter()
            .map(|table| {
                let all = format!("SELECT t::text FROM {table} t ORDER BY 1");
                let rows = self.execute(Some(&self.database), &all);
                (table, rows)
            })
            .collect();
        json!(rows)
    }

    fn forget(&mut self) {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.database);
        self.execute(None, &drop);
    }
}

/// The log of a case: a text, raw bytes, or a pattern that repeats.
pub(super) fn log_bytes(input: &Value) -> Vec<u8> {
    if let Some(text) = input.as_str() {
        return text.as_bytes().to_vec();
    }
    if let Some(encoded) = input["base64"].as_str() {
        return BASE64_STANDARD.decode(encoded).unwrap();
    }
    let repeat = &input["repeat"];
    let text = |name: &str| {
        repeat[name]
            .as_str()
            .unwrap_or_default()
            .as_bytes()
            .to_vec()
    };
    let unit = match repeat["unit_base64"].as_str() {
        Some(encoded) => BASE64_STANDARD.decode(encoded).unwrap(),
        None => text("unit"),
    };
    let count = usize::try_from(repeat["count"].as_u64().unwrap_or_default()).unwrap();
    [text("prefix"), unit.repeat(count), text("suffix")].concat()
}

/// The command line of a case with its places filled in.
pub(super) fn arguments(case: &Value, database: &[String], desk: &Desk) -> Vec<String> {
    let places = [
        ("{INPUT}", desk.at("input")),
        ("{REGISTRY}", desk.at("out/registry.json")),
        ("{EVENTS}", desk.at("out/events.ndjson")),
        ("{DIR}", desk.at("empty")),
    ];
    let mut words = Vec::new();
    for word in case["args"].as_array().unwrap() {
        let word = word.as_str().unwrap();
        if word == "{DB}" {
            words.extend_from_slice(database);
            continue;
        }
        let filled = places.iter().fold(word.to_owned(), |word, (mark, place)| {
            word.replace(mark, place)
        });
        words.push(filled);
    }
    words
}
