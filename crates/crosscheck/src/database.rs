//! The database of a run: one type for every command that opens one.

use std::path::PathBuf;

use crosscheck_core::redact::SecretUrl;
use crosscheck_rows::observe::{
    MysqlSource, PostgresPool, PostgresSource, Source, SourceError, SqliteSource,
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

    /// Opens it, with up to this many connections if they can share one
    /// snapshot.
    pub(crate) fn open(&self, jobs: usize) -> Result<Box<dyn Source>, SourceError> {
        Ok(match self {
            Self::Sqlite(path) => Box::new(SqliteSource::open(path)?),
            // only PostgreSQL lets several connections see one snapshot
            Self::Postgres { url, .. } if jobs > 1 => Box::new(PostgresPool::connect(url, jobs)?),
            Self::Postgres { url, schemas } => {
                Box::new(PostgresSource::connect(url.clone(), schemas.clone())?)
            }
            Self::Mysql(url) => Box::new(MysqlSource::connect(url.clone())?),
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
