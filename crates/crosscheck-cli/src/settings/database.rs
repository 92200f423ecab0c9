//! The database of a run: options over the environment. Passwords may come
//! from the environment alone, so that none is on a command line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crosscheck::Database;
use crosscheck::check::Target;
use crosscheck::core::files::read_limited;
use crosscheck::core::outputs;
use crosscheck::core::redact::{SecretUrl, Server};

use super::variable;

/// The largest file of passwords that is read.
const PASSWORDS_MAX: u64 = 1 << 20;
const POSTGRES_PORT: u16 = 5432;

/// Servers that people ask for and that are not read. The first may be shipped one day.
const OTHER_SERVERS: [&str; 8] = [
    "bigquery",
    "sqlserver",
    "mssql",
    "mongodb",
    "mongodb+srv",
    "oracle",
    "redis",
    "cassandra",
];

/// The options of a command line.
#[derive(Clone, Copy, Default)]
pub(crate) struct Given<'a> {
    pub(crate) db: Option<&'a OsStr>,
    /// Whether `--db` may be a URL, and `DATABASE_URL` can replace a flag.
    pub(crate) takes_urls: bool,
    pub(crate) postgres_url: Option<&'a OsStr>,
    pub(crate) mysql_url: Option<&'a OsStr>,
    pub(crate) schemas: &'a [OsString],
}

/// What the environment says about databases.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    database_url: Option<String>,
    postgres_password: Option<String>,
    /// The lines of the password file.
    postgres_passwords: Option<String>,
    mysql_password: Option<String>,
}

impl Environment {
    pub(crate) fn read() -> Self {
        let named = variable("PGPASSFILE").map(PathBuf::from);
        let file = named.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".pgpass")));
        Self {
            database_url: variable("DATABASE_URL"),
            postgres_password: variable("PGPASSWORD"),
            postgres_passwords: file.and_then(|file| private(&file)),
            mysql_password: variable("MYSQL_PWD"),
        }
    }
}

/// The text of a file that only its owner may read; the client of PostgreSQL
/// passes over others, too.
fn private(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    if mode & 0o077 != 0 {
        return None;
    }
    String::from_utf8(read_limited(path, PASSWORDS_MAX).ok()?).ok()
}

/// Chooses the database, which may be a server that this version cannot read; the error is for people.
pub(crate) fn choose(given: Given<'_>, environment: &Environment) -> Result<Target, String> {
    let schemas = given
        .schemas
        .iter()
        .map(|name| text(name, "--schema"))
        .collect::<Result<Vec<String>, String>>()?;
    let full =
        |value: Option<&'_ OsStr>| value.filter(|value| !value.is_empty()).map(OsStr::to_owned);
    let url = |value: &OsStr, flag| text(value, flag).map(SecretUrl::new);
    for (value, flag, own) in [
        (given.postgres_url, "--postgres-url", "postgres"),
        (given.mysql_url, "--mysql-url", "mysql"),
        (given.db.filter(|_| !given.takes_urls), "--db", "sqlite"),
    ] {
        fits(value, flag, own)?;
    }
    let chosen = match (
        full(given.db),
        full(given.postgres_url),
        full(given.mysql_url),
    ) {
        (Some(value), None, None) if given.takes_urls => by_name(&value),
        (Some(path), None, None) => Target::Database(Database::Sqlite(path.into())),
        (None, Some(value), None) => Target::Database(Database::Postgres {
            url: url(&value, "--postgres-url")?,
            schemas: Vec::new(),
        }),
        (None, None, Some(value)) => Target::Database(Database::Mysql(url(&value, "--mysql-url")?)),
        (None, None, None) => {
            let url = environment.database_url.as_ref();
            let url = url.filter(|_| given.takes_urls);
            by_name(OsStr::new(url.ok_or_else(|| nothing(given.takes_urls))?))
        }
        _ => {
            return Err(
                "name exactly one database: --db, --postgres-url and --mysql-url exclude each other"
                    .to_owned(),
            );
        }
    };
    match chosen {
        Target::Database(database) => placed(database, schemas, environment).map(Target::Database),
        other @ Target::NotShipped(_) => Ok(other),
    }
}

/// The same, of the servers that this version reads.
pub(crate) fn shipped(given: Given<'_>) -> Result<Database, String> {
    match choose(given, &Environment::read())? {
        Target::Database(database) => Ok(database),
        Target::NotShipped(scheme) => Err(format!(
            "a {scheme} database cannot be checked by this version"
        )),
    }
}

/// The database at this file or URL.
pub(crate) fn named(place: &str) -> Result<Database, String> {
    shipped(Given {
        db: Some(OsStr::new(place)),
        takes_urls: true,
        ..Given::default()
    })
}

/// The scheme of a URL, in small letters.
fn scheme_of(value: &OsStr) -> Option<String> {
    let (scheme, _) = value.to_str()?.split_once("://")?;
    Some(scheme.to_ascii_lowercase())
}

/// The database that a URL names, if it is one of a known server or file.
fn by_url(value: &OsStr) -> Option<Database> {
    let text = value.to_str()?;
    let is_file = text.to_ascii_lowercase().starts_with("sqlite:");
    let is_url = is_file || text.contains("://");
    Database::from_url(text).filter(|_| is_url)
}

/// Whether a URL is one for this option; who typed another is told which takes it.
fn fits(value: Option<&OsStr>, flag: &str, own: &str) -> Result<(), String> {
    let Some((value, scheme)) = value.and_then(|value| Some((value, scheme_of(value)?))) else {
        return Ok(());
    };
    // only names of servers are repeated: what else stands there may be a secret
    match by_url(value) {
        Some(Database::Postgres { .. }) if own != "postgres" => Err(format!(
            "{flag} is given the URL of a PostgreSQL server: use --postgres-url"
        )),
        Some(Database::Mysql(_)) if own != "mysql" => Err(format!(
            "{flag} is given the URL of a MySQL or MariaDB server: use --mysql-url"
        )),
        None if OTHER_SERVERS.iter().skip(3).any(|other| *other == scheme) => Err(format!(
            "{flag}: a {scheme} database cannot be checked by this version; it reads SQLite, PostgreSQL, MySQL and MariaDB"
        )),
        _ => Ok(()),
    }
}

fn nothing(takes_urls: bool) -> String {
    let (path, or) = if takes_urls {
        ("<path|url>", ", or set DATABASE_URL")
    } else {
        ("<path>", "")
    };
    format!("name the database with --db {path}, --postgres-url <url> or --mysql-url <url>{or}")
}

fn text(value: &OsStr, flag: &str) -> Result<String, String> {
    let text = value.to_str().map(str::to_owned);
    text.ok_or_else(|| format!("{flag} is not UTF-8 text"))
}

/// A URL of a known server, `sqlite:` and a path, or a path.
fn by_name(value: &OsStr) -> Target {
    let other = scheme_of(value).filter(|scheme| OTHER_SERVERS.contains(&scheme.as_str()));
    match (by_url(value), other) {
        (Some(database), _) => Target::Database(database),
        (None, Some(scheme)) => Target::NotShipped(scheme),
        (None, None) => Target::Database(Database::Sqlite(value.into())),
    }
}

/// Adds the schemas, and the password if the URL has none.
fn placed(
    database: Database,
    schemas: Vec<String>,
    environment: &Environment,
) -> Result<Database, String> {
    match database {
        Database::Postgres { url, .. } => {
            let password = || {
                let file = environment.postgres_passwords.as_deref();
                let own = environment.postgres_password.clone();
                own.or_else(|| in_password_file(file?, &url.server()?))
            };
            Ok(Database::Postgres {
                url: with_password(&url, password),
                schemas,
            })
        }
        _ if !schemas.is_empty() => Err("--schema goes with a PostgreSQL database only".to_owned()),
        Database::Mysql(url) => {
            let password = || environment.mysql_password.clone();
            Ok(Database::Mysql(with_password(&url, password)))
        }
        Database::Sqlite(path) => {
            outputs::named_database(&path);
            Ok(Database::Sqlite(path))
        }
    }
}

fn with_password(url: &SecretUrl, password: impl Fn() -> Option<String>) -> SecretUrl {
    let has_none = url.server().is_some_and(|server| !server.has_password);
    match password().filter(|_| has_none) {
        Some(password) => url.with_password(&password),
        None => url.clone(),
    }
}

/// The password of the first line that fits: `host:port:database:user:password`,
/// where `*` fits anything and `\` makes a colon or itself plain.
fn in_password_file(lines: &str, server: &Server) -> Option<String> {
    let port = server.port.unwrap_or(POSTGRES_PORT).to_string();
    let database = server.path.split('?').next().unwrap_or_default();
    let host = if server.host.is_empty() {
        "localhost"
    } else {
        &server.host
    };
    let wanted = [host, &port, database, &server.user];
    lines
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(fields)
        .find(|fields| {
            let fits = |(field, wanted): (&String, &&str)| field == "*" || field == wanted;
            fields.len() == 5 && fields.iter().zip(&wanted).all(fits)
        })
        .and_then(|mut fields| fields.pop())
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        // behind the fourth colon everything is the password
        let is_last = fields.len() == 5;
        match c {
            ':' if !is_last => fields.push(String::new()),
            '\\' => {
                let next = chars.next().unwrap_or('\\');
                fields
                    .last_mut()
                    .into_iter()
                    .for_each(|field| field.push(next));
            }
            c => fields
                .last_mut()
                .into_iter()
                .for_each(|field| field.push(c)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(given: Given<'_>, environment: &Environment) -> String {
        match choose(given, environment) {
            Ok(Target::Database(Database::Sqlite(path))) => format!("sqlite {}", path.display()),
            Ok(Target::Database(Database::Postgres { url, schemas })) => {
                format!("postgres {} {}", url.expose(), schemas.join(","))
            }
            Ok(Target::Database(Database::Mysql(url))) => format!("mysql {}", url.expose()),
            Ok(Target::NotShipped(scheme)) => format!("not shipped {scheme}"),
            Err(message) => message,
        }
    }

    fn db(value: &str) -> Given<'_> {
        Given {
            db: Some(OsStr::new(value)),
            takes_urls: true,
            ..Given::default()
        }
    }

    #[test]
    fn options_go_before_the_environment() {
        let environment = Environment {
            database_url: Some("postgres://h/d".to_owned()),
            ..Environment::default()
        };
        let nothing = Given {
            takes_urls: true,
            ..Given::default()
        };
        let table = [
            (db("a.db"), "sqlite a.db"),
            (db("MySQL://u@h/d"), "mysql MySQL://u@h/d"),
            (db("sqlite:///tmp/a.db"), "sqlite /tmp/a.db"),
            (db("mssql://h/d"), "not shipped mssql"),
            (nothing, "postgres postgres://h/d "),
        ];
        for (given, expected) in table {
            assert_eq!(chosen(given, &environment), expected);
        }
        let advice = chosen(nothing, &Environment::default());
        assert!(advice.ends_with("or set DATABASE_URL"), "{advice}");
        let advice = chosen(Given::default(), &environment);
        assert!(
            advice.starts_with("name the database with --db <path>,"),
            "{advice}"
        );
    }

    #[test]
    fn a_url_without_a_password_gets_that_of_the_environment() {
        let environment = Environment {
            postgres_password: Some("p@ss".to_owned()),
            mysql_password: Some("m".to_owned()),
            ..Environment::default()
        };
        let table = [
            ("postgres://u@h/d", "postgres postgres://u:p%40ss@h/d "),
            ("postgres://u:own@h/d", "postgres postgres://u:own@h/d "),
            ("mysql://u@h/d", "mysql mysql://u:m@h/d"),
        ];
        for (url, expected) in table {
            assert_eq!(chosen(db(url), &environment), expected);
        }
    }

    #[test]
    fn the_password_file_is_read_as_the_client_of_postgresql_reads_it() {
        let lines = "# comment\nother:5432:d:u:wrong\nh:*:d:u\\:x:a\\:b:c\n*:*:*:u:last";
        let password = |url: &str| {
            let server = SecretUrl::new(url).server().unwrap();
            in_password_file(lines, &server)
        };
        assert_eq!(password("postgres://u%3Ax@h/d").as_deref(), Some("a:b:c"));
        assert_eq!(
            password("postgres://u@elsewhere:99/x").as_deref(),
            Some("last")
        );
        assert_eq!(password("postgres://v@h/d"), None);
    }
}
