//! What `rows` needs for what `done` hands to it, as whoever starts the check
//! has configured it.

use std::ffi::OsStr;
use std::time::Duration;

use crosscheck::core::redact::SecretUrl;
use crosscheck::done::Others;
use crosscheck::done::config::Settings;

use crate::settings::database::{Chosen, Environment, Given, choose};

/// The database; a limit is the time that looking may take.
pub(super) fn of(settings: &Settings, limit: Option<Duration>) -> Others {
    Others {
        database: settings.database.as_ref().map(chosen),
        limit,
    }
}

fn chosen(database: &SecretUrl) -> Result<crosscheck::Database, String> {
    let given = Given {
        db: Some(OsStr::new(database.expose())),
        takes_urls: true,
        ..Given::default()
    };
    match choose(given, &Environment::read())? {
        Chosen::Database(database) => Ok(database),
        Chosen::NotShipped(scheme) => Err(format!(
            "a {scheme} database cannot be checked by this version"
        )),
    }
}
