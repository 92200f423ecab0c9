//! Statements of a final message that another verifier answers.
//!
//! A look that fails or takes too long is not an answer: the statement stays
//! unproven.

mod lines;
mod pages;
mod rows;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use crosscheck_done::gate::{Report, Task};
use crosscheck_done::handover::{Answer, LinesAsked, Question, Verifier};

use crate::done::Others;

/// Asks every verifier that something was handed to.
pub(crate) fn answer(report: &mut Report, task: &Task, others: Others) {
    let ends = others.limit.map(|limit| Instant::now() + limit);
    report.ask(Verifier::Claims, |questions| {
        let asked: Vec<LinesAsked> = questions.iter().filter_map(|one| lines_of(one)).collect();
        let root = task.places.root.clone();
        in_time(ends, questions.len(), move || lines::answers(&root, &asked))
    });
    report.ask(Verifier::Rows, |questions| {
        let count = questions.len();
        let (Some(log), Some(database)) = (&task.log, others.database) else {
            return vec![Answer::none("there is no database to look in"); count];
        };
        let log = log.path.clone();
        let by_shell = questions.contains(&&Question::Rows { by_shell: true });
        in_time(ends, count, move || {
            let answer = database.map_or_else(
                |why| Answer::none(&why),
                |it| rows::answer(log, it, by_shell),
            );
            vec![answer; count] // one answer about the log settles all
        })
    });
    report.ask(Verifier::Sources, |questions| {
        let urls: Vec<String> = questions.iter().filter_map(|one| url_of(one)).collect();
        let message = task.message.clone();
        in_time(ends, questions.len(), move || {
            pages::answers(&message, &urls, others.sources)
        })
    });
}

fn lines_of(question: &Question) -> Option<LinesAsked> {
    match question {
        Question::Lines(asked) => Some(asked.clone()),
        Question::Rows { .. } | Question::Page(_) => None,
    }
}

fn url_of(question: &Question) -> Option<String> {
    match question {
        Question::Page(url) => Some(url.clone()),
        Question::Rows { .. } | Question::Lines(_) => None,
    }
}

/// The answers, unless they take too long.
fn in_time(
    ends: Option<Instant>,
    count: usize,
    ask: impl FnOnce() -> Vec<Answer> + Send + 'static,
) -> Vec<Answer> {
    let Some(ends) = ends else {
        return ask();
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = sender.send(ask()); // too late when the receiver is gone
    });
    let left = ends.saturating_duration_since(Instant::now());
    receiver
        .recv_timeout(left.max(Duration::from_millis(1)))
        .unwrap_or_else(|_| vec![Answer::none("no answer in time"); count])
}
