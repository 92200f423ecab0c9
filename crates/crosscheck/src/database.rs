//! The database of a run: one type for every command that opens one.

use std::path::PathBuf;
use std::time::Duration;

use crosscheck_core::redact::SecretUrl;
use crosscheck_rows::observe::{
    Limits, MysqlSource, PostgresSource, Source, SourceError, SqliteSource,
};

/// The database to check. It is opened read-only.
#[derive(Debug, Clone)]
pub enum Database {
    /// A `SQLite` file.
    Sqlite(PathBuf),
    /// A PostgreSQL server; without schemas, those that the command searches.
    Postgres {
        /// How to connect.
        url: SecretUrl,
        /// Schemas to search.
        schemas: Vec<String>,
    },
    /// A database of a MySQL or MariaDB server.
    Mysql(SecretUrl),
}

impl Database {
    /// A `SQLite` file.
    pub fn sqlite(path: impl Into<PathBuf>) -> Self {
        Self::Sqlite(path.into())
    }

    /// The database of a URL, by its scheme; `None` for a server that this
    /// version cannot read.
    pub fn from_url(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once(':')?;
        match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => Some(Self::Postgres {
                url: SecretUrl::new(url),
                schemas: Vec::new(),
            }),
            "mysql" | "mysql2" | "mariadb" => Some(Self::Mysql(SecretUrl::new(url))),
            "sqlite" => {
                let path = rest.strip_prefix("//").unwrap_or(rest);
                Some(Self::sqlite(path))
            }
            _ => None,
        }
    }

    /// Its name in reports: the file, or the URL without its secrets.
    pub fn shown(&self) -> String {
        match self {
            Self::Sqlite(path) => path.display().to_string(),
            Self::Postgres { url, .. } | Self::Mysql(url) => url.shown(),
        }
    }

    /// Opens it. Who says nothing for so long is given up; by default a minute.
    pub(crate) fn open(&self, timeout: Option<Duration>) -> Result<Box<dyn Source>, SourceError> {
        let limits = timeout.map_or_else(Limits::default, Limits::of);
        Ok(match self {
            Self::Sqlite(path) => Box::new(SqliteSource::open_within(path, limits)?),
            Self::Postgres { url, schemas } => Box::new(PostgresSource::connect_within(
                url.clone(),
                schemas.clone(),
                limits,
            )?),
            Self::Mysql(url) => Box::new(MysqlSource::connect_within(url.clone(), limits)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_its_engine_by_its_scheme() {
        let engine = |url: &str| match Database::from_url(url) {
            Some(Database::Sqlite(path)) => format!("sqlite {}", path.display()),
            Some(Database::Postgres { .. }) => "postgres".to_owned(),
            Some(Database::Mysql(_)) => "mysql".to_owned(),
            None => "none".to_owned(),
        };
        let table = [
            ("postgres://u@h/d", "postgres"),
            ("PostgreSQL://u@h/d", "postgres"),
            ("mysql2://u@h/d", "mysql"),
            ("mariadb://u@h/d", "mysql"),
            ("sqlite:shop.db", "sqlite shop.db"),
            ("sqlite:///tmp/shop.db", "sqlite /tmp/shop.db"),
            ("mssql://u@h/d", "none"),
            ("shop.db", "none"),
        ];
        for (url, expected) in table {
            assert_eq!(engine(url), expected, "{url}");
        }
    }
}
