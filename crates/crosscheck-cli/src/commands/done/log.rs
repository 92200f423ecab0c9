//! `done log` and `done patterns`.

use std::fmt::Write as _;

use crosscheck::core::digest::Digest;
use crosscheck::core::text::terminal_safe;
use crosscheck::done::claim::phrases;
use crosscheck::done::runner::Table;

use super::place::memory;
use crate::args::done::{LogArgs, PatternsArgs};
use crate::failure::Failure;
use crate::output::Streams;

/// One line for each decision, the oldest first.
pub(super) fn run(args: &LogArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let folder = crate::settings::current_dir()?;
    let wanted = args.session.as_ref().map(|id| Digest::of(id).hex());
    let entries = memory(&folder)
        .map(|memory| memory.entries())
        .unwrap_or_default();
    let mut text = String::new();
    for entry in entries.iter().filter(|entry| {
        wanted
            .as_ref()
            .is_none_or(|wanted| *wanted == entry.session_sha256)
    }) {
        let claims: Vec<String> = entry
            .claims
            .iter()
            .map(|[kind, verdict, reason]| format!("{kind} {verdict} {reason}"))
            .collect();
        let session = entry.session_sha256.get(..12).unwrap_or_default();
        let _ = write!(
            text,
            "{}  {session}  {}  {}",
            entry.at, entry.event, entry.action
        );
        if entry.bounces > 0 {
            let _ = write!(text, " (round {})", entry.bounces);
        }
        let _ = write!(text, "  {}", claims.join("; "));
        if let Some(ledger) = &entry.ledger {
            let _ = write!(text, "  (record {ledger})");
        }
        text.push('\n');
    }
    streams.data(terminal_safe(&text).as_bytes())?;
    Ok(0)
}

/// The phrases of each language, then the runners.
pub(super) fn patterns(args: &PatternsArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let all = phrases();
    if let Some(lang) = &args.lang
        && !all.iter().any(|(language, _)| language == lang)
    {
        let known: Vec<&str> = all.iter().map(|(language, _)| *language).collect();
        return Err(Failure::usage(
            &format!("no patterns for the language `{lang}`"),
            &format!("known are {}", known.join(", ")),
        ));
    }
    let mut text = String::new();
    for (_, pack) in all
        .iter()
        .filter(|(language, _)| args.lang.as_deref().is_none_or(|lang| lang == *language))
    {
        text.push_str(pack);
        text.push('\n');
    }
    if args.lang.is_none() {
        let table =
            Table::new(&[]).map_err(|error| Failure::usage(&error.to_string(), "this is a bug"))?;
        text.push_str("# Programs that prove something\n");
        for row in table.rows() {
            let works: Vec<&str> = row.work.iter().map(|work| work.name()).collect();
            let commands: Vec<String> = row.commands().collect();
            let _ = writeln!(
                text,
                "{} [{}]: {}",
                row.name,
                works.join(", "),
                commands.join(", ")
            );
        }
    }
    streams.data(text.as_bytes())?;
    Ok(0)
}
