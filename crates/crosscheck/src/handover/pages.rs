//! Cited pages, for `sources`.

use crosscheck_core::NoListener;
use crosscheck_core::advice::with_causes;
use crosscheck_done::handover::Answer;
use crosscheck_fetch::address::shown;
use crosscheck_sources::read::document::{Format, ReadOptions};
use crosscheck_sources::report::result::Row;

use crate::sources::{Task, Tools, read_document};

/// One answer for each URL: the worst that `sources` says about a sentence
/// that cites it.
pub(super) fn answers(message: &str, urls: &[String], tools: Tools) -> Vec<Answer> {
    let options = ReadOptions {
        include_code: false,
        identifiers: false,
    };
    let document = read_document(
        "message",
        message.as_bytes(),
        Some(Format::Markdown),
        options,
    );
    let report = document.and_then(|document| {
        let mut task = Task::new(vec![document]);
        task.tools = tools;
        task.run(&mut NoListener)
    });
    match report {
        Ok(report) => urls.iter().map(|url| of(url, &report.results)).collect(),
        Err(error) => vec![Answer::none(&with_causes(&error)); urls.len()],
    }
}

fn of(url: &str, rows: &[Row]) -> Answer {
    let name = shown(url);
    let about = rows
        .iter()
        .filter(|row| *row.url == *name || &*row.url == url);
    let worst = about.max_by_key(|row| row.status);
    worst.map_or_else(
        || Answer::none("`sources` found no citation of this page"),
        |row| Answer::new(row.status.verdict(), &row.explanation),
    )
}
