//! Statements of a final message about rows, which `rows` answers.
//!
//! A look that fails or takes too long is not an answer: the statement stays
//! unproven.
//!
//! Contract: done 6.2.

mod rows;

use std::sync::mpsc;
use std::time::Duration;

use crosscheck_done::gate::{Report, Task};
use crosscheck_done::handover::Answer;

use crate::done::Others;

/// Asks `rows` where something was handed to it.
pub(crate) fn answer(report: &mut Report, task: &Task, others: Others) {
    if report.handovers.is_empty() {
        return;
    }
    let by_shell = report.handovers.iter().any(|one| one.by_shell);
    let answer = match (&task.log, others.database) {
        (Some(_), Some(Err(why))) => Answer::none(&why),
        (Some(log), Some(Ok(database))) => {
            let log = log.path.clone();
            in_time(others.limit, move || rows::answer(log, database, by_shell))
        }
        _ => Answer::none("there is no database to look in"),
    };
    report.answer(&answer);
}

/// The answer, unless it takes too long.
fn in_time(limit: Option<Duration>, ask: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    let Some(limit) = limit else {
        return ask();
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = sender.send(ask()); // too late when the receiver is gone
    });
    receiver
        .recv_timeout(limit.max(Duration::from_millis(1)))
        .unwrap_or_else(|_| Answer::none("no answer in time"))
}
