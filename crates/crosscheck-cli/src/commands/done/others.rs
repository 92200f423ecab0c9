//! What other verifiers need for what `done` hands to them, as whoever starts
//! the check has configured it.

use std::ffi::OsStr;
use std::time::Duration;

use crosscheck::config;
use crosscheck::core::redact::SecretUrl;
use crosscheck::done::Others;
use crosscheck::done::config::Settings;
use crosscheck::done::gate::Layers;
use crosscheck::sources;

use crate::settings::database::{Chosen, Environment, Given, choose};
use crate::settings::variable;

/// The other verifiers; a limit is the time that all of them may take.
pub(super) fn of(layers: &Layers, settings: &Settings, limit: Option<Duration>) -> Others {
    Others {
        database: settings.database.as_ref().map(chosen),
        sources: tools(layers),
        limit,
    }
}

/// `[sources]` and `[fetch]`; what is wrong there changes nothing, because
/// the defaults are the strictest.
fn tools(layers: &Layers) -> sources::Tools {
    let settings = config::sources(&layers.config);
    let fetch = config::web(&layers.config, &variable);
    match (settings, fetch) {
        (Ok(settings), Ok(fetch)) => sources::Tools {
            settings,
            fetch,
            ..sources::Tools::default()
        },
        _ => sources::Tools::default(),
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
