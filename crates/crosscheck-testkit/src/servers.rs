//! Databases on real servers, fresh for each test.
//!
//! The test script names the servers in the environment; a test that needs a
//! missing one says so and ends.

use std::env;
use std::fs;
use std::io::Write as _;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use mysql_async::prelude::Queryable as _;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{NoTls, SimpleQueryMessage};
use url::Url;

/// The kind of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// PostgreSQL.
    Postgres,
    /// MySQL or MariaDB.
    Mysql,
}

/// Adds the running test to the file that `./test` counts at its end.
fn note_skipped(variable: &str) {
    let Some(path) = env::var_os("CROSSCHECK_TEST_SKIPPED") else {
        return;
    };
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("unnamed test");
    let file = fs::OpenOptions::new().append(true).create(true).open(path);
    // one write call, because tests of several processes add lines
    let line = format!("{name} ({variable})\n");
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("the file of CROSSCHECK_TEST_SKIPPED can be written");
}

/// A throwaway server on which databases may be created.
#[derive(Debug, Clone)]
pub struct Server {
    engine: Engine,
    url: String,
}

impl Server {
    /// The server that the environment names; without one, prints a message and
    /// returns `None`.
    #[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
    pub fn named(engine: Engine) -> Option<Self> {
        let variable = match engine {
            Engine::Postgres => "CROSSCHECK_TEST_POSTGRES",
            Engine::Mysql => "CROSSCHECK_TEST_MYSQL",
        };
        if let Ok(url) = env::var(variable) {
            return Some(Self { engine, url });
        }
        eprintln!("skipped: {variable} is not set; scripts/test-servers starts a server");
        note_skipped(variable);
        None
    }

    pub(crate) fn at(engine: Engine, url: String) -> Self {
        Self { engine, url }
    }

    /// The URL of the server, with its password.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A fresh database in which these statements were run.
    pub fn database(&self, setup: &str) -> Database {
        static COUNTER: AtomicUsize = AtomicUsize::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cc_{}_{number}", process::id());
        Session::open(self.engine, &self.url).run(&format!("CREATE DATABASE {name}"));
        let mut url = Url::parse(&self.url).expect("the server's URL is one");
        url.set_path(&name);
        let database = Database {
            server: self.clone(),
            name,
            url: url.into(),
        };
        database.session().run(setup);
        database
    }
}

/// A database that is dropped with this value.
#[derive(Debug)]
pub struct Database {
    server: Server,
    name: String,
    url: String,
}

impl Database {
    /// Its URL, with the password.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same for another user.
    pub fn url_for(&self, user: &str, password: &str) -> String {
        let mut url = Url::parse(&self.url).expect("the URL is one");
        url.set_username(user).expect("the URL has a host");
        url.set_password(Some(password))
            .expect("the URL has a host");
        url.into()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A new connection to it.
    pub fn session(&self) -> Session {
        Session::open(self.server.engine, &self.url)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let force = match self.server.engine {
            Engine::Postgres => " WITH (FORCE)",
            Engine::Mysql => "",
        };
        let mut session = Session::open(self.server.engine, &self.server.url);
        session.run(&format!("DROP DATABASE IF EXISTS {}{force}", self.name));
    }
}

/// A connection that may do everything.
pub struct Session {
    runtime: Runtime,
    client: Client,
}

enum Client {
    Postgres(tokio_postgres::Client),
    Mysql(mysql_async::Conn),
}

impl Session {
    /// Connects without TLS.
    pub fn open(engine: Engine, url: &str) -> Self {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be made");
        let client = runtime.block_on(async {
            match engine {
                Engine::Postgres => {
                    let (client, connection) = tokio_postgres::connect(url, NoTls)
                        .await
                        .expect("the test server answers");
                    tokio::spawn(connection);
                    Client::Postgres(client)
                }
                Engine::Mysql => {
                    let options = mysql_async::Opts::from_url(url).expect("the URL is one");
                    let options = mysql_async::OptsBuilder::from_opts(options).prefer_socket(false);
                    Client::Mysql(
                        mysql_async::Conn::new(options)
                            .await
                            .expect("the test server answers"),
                    )
                }
            }
        });
        Self { runtime, client }
    }

    /// Runs statements, separated by semicolons.
    pub fn run(&mut self, sql: &str) {
        if sql.trim().is_empty() {
            return;
        }
        self.runtime.block_on(async {
            match &mut self.client {
                Client::Postgres(client) => client
                    .batch_execute(sql)
                    .await
                    .unwrap_or_else(|error| panic!("{sql}: {error:?}")),
                Client::Mysql(client) => client
                    .query_drop(sql)
                    .await
                    .unwrap_or_else(|error| panic!("{sql}: {error}")),
            }
        });
    }

    /// The first value of the first row, as text.
    pub fn text(&mut self, sql: &str) -> Option<String> {
        self.runtime.block_on(async {
            match &mut self.client {
                Client::Postgres(client) => client
                    .simple_query(sql)
                    .await
                    .unwrap_or_else(|error| panic!("{sql}: {error:?}"))
                    .iter()
                    .find_map(|message| match message {
                        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                        _ => None,
                    }),
                Client::Mysql(client) => client
                    .query_first::<mysql_async::Row, _>(sql)
                    .await
                    .unwrap_or_else(|error| panic!("{sql}: {error}"))
                    .and_then(|mut row| row.take(row.len() - 1)),
            }
        })
    }
}
