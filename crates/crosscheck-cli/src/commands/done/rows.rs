//! Statements about rows go to `rows`, with the database that whoever starts
//! the check has named.

use std::ffi::OsStr;
use std::sync::mpsc;
use std::time::Duration;

use crosscheck::core::Verdict;
use crosscheck::core::redact::SecretUrl;
use crosscheck::done::gate::{Report, Task};
use crosscheck::done::handover::Answer;
use crosscheck::handover;

use crate::settings::database::{Chosen, Environment, Given, choose};

/// Asks, if there is something to ask. With a limit an answer that takes
/// longer is none.
pub(super) fn ask(report: &mut Report, task: &Task, limit: Option<Duration>) {
    let Some(log) = &task.log else {
        return;
    };
    report.ask_rows(|database| {
        let database = match chosen(database) {
            Ok(database) => database,
            Err(why) => return unanswered(&why),
        };
        let log = log.path.clone();
        let Some(limit) = limit else {
            return handover::rows(log, database);
        };
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = sender.send(handover::rows(log, database)); // too late when nobody waits
        });
        let late = |_| unanswered("the database did not answer in time");
        receiver.recv_timeout(limit).unwrap_or_else(late)
    });
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

fn unanswered(why: &str) -> Answer {
    Answer::new("rows", Verdict::Undecided, why)
}
