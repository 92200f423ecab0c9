//! A database of each engine, filled by the same statements.

use std::process::{Child, Command, Stdio};

use crosscheck_testkit::{Database, Desk, Engine, Seen, Server};
use serde_json::Value;

/// The engines `check` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
    Mysql,
}

pub(crate) const ENGINES: [Kind; 3] = [Kind::Sqlite, Kind::Postgres, Kind::Mysql];

/// A desk and a database.
pub(crate) struct Stage {
    pub(crate) desk: Desk,
    kind: Kind,
    server: Option<Database>,
}

impl Stage {
    /// `None`, with a word about it, where there is no server.
    pub(crate) fn new(kind: Kind, setup: &str) -> Option<Self> {
        let server = match kind {
            Kind::Sqlite => None,
            Kind::Postgres => Some(Server::named(Engine::Postgres)?.database(setup)),
            Kind::Mysql => Some(Server::named(Engine::Mysql)?.database(setup)),
        };
        let stage = Self {
            desk: crate::desk(),
            kind,
            server,
        };
        if kind == Kind::Sqlite {
            stage.run(setup);
        }
        Some(stage)
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn database(&self) -> Option<&Database> {
        self.server.as_ref()
    }

    /// Runs statements beside the program.
    pub(crate) fn run(&self, sql: &str) {
        if let Some(database) = &self.server {
            return database.session().run(sql);
        }
        let connection = rusqlite::Connection::open(self.desk.path().join("app.db")).unwrap();
        connection
            .busy_timeout(std::time::Duration::from_secs(20))
            .unwrap();
        connection.execute_batch(sql).unwrap();
    }

    fn flags(&self) -> [String; 2] {
        match (&self.kind, &self.server) {
            (Kind::Postgres, Some(database)) => ["--postgres-url".into(), database.url().into()],
            (Kind::Mysql, Some(database)) => ["--mysql-url".into(), database.url().into()],
            _ => ["--db".into(), "app.db".into()],
        }
    }

    /// The arguments of a run with this database.
    pub(crate) fn words(command: &str, database: &[String], extra: &[&str]) -> Vec<String> {
        let mut words: Vec<String> = [
            command,
            "--workflow-id",
            "wf",
            "--events",
            "events.ndjson",
            "--registry",
            "registry.json",
            "--no-human-report",
            "--write-run-bundle",
            "bundle",
        ]
        .iter()
        .map(|word| (*word).to_owned())
        .collect();
        words.extend(database.iter().cloned());
        words.extend(extra.iter().map(|word| (*word).to_owned()));
        words
    }

    pub(crate) fn check(&self, extra: &[&str]) -> Seen {
        self.desk
            .crosscheck(Self::words("check", &self.flags(), extra))
    }

    /// What `rows` says, with these arguments.
    pub(crate) fn rows(&self, arguments: &[&str]) -> Seen {
        self.crosscheck(&[&["rows"], arguments].concat())
    }

    /// What the program says with these arguments and the database.
    pub(crate) fn crosscheck(&self, arguments: &[&str]) -> Seen {
        let words = arguments.iter().map(|word| (*word).to_owned());
        self.desk.crosscheck(words.chain(self.flags()))
    }

    /// The same against another URL of the same kind of server.
    pub(crate) fn check_at(&self, url: &str, extra: &[&str]) -> Seen {
        let [flag, _] = self.flags();
        self.desk
            .crosscheck(Self::words("check", &[flag, url.to_owned()], extra))
    }

    /// A run to be started by the test itself.
    pub(crate) fn command(&self, command: &str, extra: &[&str]) -> Command {
        self.desk
            .command(Self::words(command, &self.flags(), extra))
    }

    /// Starts a run, to be disturbed.
    pub(crate) fn spawn(&self, extra: &[&str]) -> Child {
        self.command("check", extra)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Every fact of every step of the last run.
    pub(crate) fn steps(&self) -> Vec<Value> {
        let result: Value =
            serde_json::from_str(&self.desk.read("bundle/workflow-result.json")).unwrap();
        result["steps"].as_array().unwrap().clone()
    }
}
