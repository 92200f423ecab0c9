//! `crosscheck ledger`.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::Path;

use crosscheck::Neutral;
use crosscheck::config::{self, Config};
use crosscheck::core::Verdict;
use crosscheck::core::advice::with_causes;
use crosscheck::core::digest::Digest;
use crosscheck::core::files::open_regular;
use crosscheck::core::text::{one_line, steers_terminal};
use crosscheck::ledger::{
    self, Care, Expected, Found, Ledger, LedgerError, Place, Reader, Signer, Verifier, Walk, Wanted,
};
use crosscheck::render::Format;

use crate::args::PlainFormat;
use crate::args::ledger::{
    ExportArgs, LedgerArgs, LedgerCommand, ShowArgs, TrendArgs, VerifyArgs, VerifyExportArgs,
};
use crate::commands::spare::{publish_with, spare};
use crate::failure::Failure;
use crate::ledger::{find, history_of, place_named, spare as spare_ledger, tell_unusable};
use crate::output::Streams;
use crate::present::Presenter;
use crate::settings::{misconfigured, places, project_root};

/// Records that the formats for reports show at once; they are kept in memory.
const REPORTS_MAX: u64 = 1000;

pub(crate) fn run(args: &LedgerArgs, streams: &mut Streams) -> Result<u8, Failure> {
    match &args.command {
        LedgerCommand::Show(args) => show(args, streams),
        LedgerCommand::Verify(args) => verify(args, streams),
        LedgerCommand::Trend(args) => trend(args, streams),
        LedgerCommand::Export(args) => export(args, streams),
        LedgerCommand::VerifyExport(args) => verify_export(args, streams),
    }
}

fn verify(args: &VerifyArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let head = args.expect_head.as_deref().map(digest).transpose()?;
    let expected = Expected {
        head,
        count: args.expect_count,
    };
    let place = place(args.file.file.as_deref())?;
    let walk = open(&place, streams)?
        .verify(&expected)
        .map_err(|error| Failure::of(&error))?;
    let report = ledger::verified(&walk, &place.file().display().to_string());
    args.presented
        .presenter()
        .show(&[&report], Ok(()), streams)?;
    Ok(report.verdict.exit_code())
}

fn show(args: &ShowArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let format = args.presented.format();
    let is_report = !matches!(format, Format::Human | Format::Json | Format::Ndjson);
    if is_report && args.last > REPORTS_MAX {
        return Err(Failure::usage(
            &format!("this format shows at most {REPORTS_MAX} records"),
            "lower --last, or use --format ndjson",
        ));
    }
    let place = place(args.file.file.as_deref())?;
    let reader = open(&place, streams)?;
    warn_of_breaks(&reader, args.last, streams)?;
    let wanted = Wanted {
        last: args.last,
        command: args.command.as_deref(),
    };
    let failed = |error: LedgerError| Failure::of(&error);
    let mut text = String::new();
    let mut reports: Vec<Neutral> = Vec::new();
    let mut written = Ok(());
    let streams_out = args.presented.output.is_none();
    if format == Format::Json {
        text.push('[');
    }
    let mut shown = 0_u64;
    let mut is_readable = true;
    let read = reader.records(wanted, &mut |found| {
        is_readable &= found.record.is_some();
        match format {
            Format::Human => text.push_str(&lines(&found)),
            Format::Json | Format::Ndjson => {
                if format == Format::Json && shown > 0 {
                    text.push_str(",\n");
                }
                text.push_str(&line(&found));
                if format == Format::Ndjson {
                    text.push('\n');
                }
            }
            _ => reports.push(ledger::recorded(&found)),
        }
        shown += 1;
        // what is shown piece by piece is not collected
        if streams_out && text.len() > 1 << 16 && written.is_ok() {
            written = Presenter::new(format, None).present_text(&text, streams);
            text.clear();
        }
        Ok(())
    });
    read.map_err(failed)?;
    written?;
    if format == Format::Json {
        text.push_str("]\n");
    }
    let presenter = args.presented.presenter();
    if is_report {
        let reports: Vec<&Neutral> = reports.iter().collect();
        presenter.show(&reports, Ok(()), streams)?;
    } else {
        presenter.present_text(&text, streams)?;
    }
    let count = reader.count(wanted.command).map_err(failed)?;
    if count > shown {
        streams.talk(&format!(
            "{shown} of {count} records are shown; pass --last N for more\n"
        ));
    } else if count == 0 {
        streams.talk("the ledger has no such record\n");
    }
    Ok(u8::from(!is_readable))
}

/// How the runs of each check went.
fn trend(args: &TrendArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let place = place(args.file.file.as_deref())?;
    let reader = open(&place, streams)?;
    warn_of_breaks(&reader, args.last, streams)?;
    let wanted = Wanted {
        last: args.last,
        command: None,
    };
    let history = history_of(&reader, wanted).map_err(|error| Failure::of(&error))?;
    let width = history.keys().map(|name| name.chars().count()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    if args.format == PlainFormat::Json {
        text = crosscheck::core::foreign::json_pretty(&history) + "\n";
    } else {
        for (name, verdicts) in &history {
            let count = |wanted: Verdict| verdicts.iter().filter(|one| **one == wanted).count();
            let (good, bad) = (count(Verdict::Confirmed), count(Verdict::Refuted));
            let open = verdicts.len() - good - bad;
            let line: String = verdicts.iter().map(|verdict| letter(*verdict)).collect();
            let name = one_line(name);
            let _ = writeln!(
                text,
                "{name:<width$}  {bad} refuted, {open} undecided, {good} confirmed  {line}"
            );
        }
    }
    Presenter::new(Format::Human, None).present_text(&text, streams)?;
    if history.is_empty() {
        streams.talk("the ledger has no run of a check\n");
    }
    Ok(0)
}

const fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Confirmed => '.',
        Verdict::Undecided => '?',
        Verdict::Refuted => 'x',
    }
}

/// A record with its hash, as JSON. Characters that could steer a terminal or
/// reorder a line are escaped.
fn line(found: &Found) -> String {
    let Found { seq, hash, record } = found;
    let json = match record {
        Some(record) => format!("{{\"hash\":\"{hash}\",\"record\":{}}}", record.text()),
        None => serde_json::json!({"hash": hash, "record": null, "seq": seq}).to_string(),
    };
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if steers_terminal(c) || c == '\u{feff}' {
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// One envelope per line, written as they are made.
fn export(args: &ExportArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let failure = |error: LedgerError| Failure::of(&error);
    let signer = Signer::load(&args.sign).map_err(failure)?;
    let place = place(args.file.file.as_deref())?;
    if let Some(output) = &args.output {
        spare(output, std::slice::from_ref(&args.sign), &[])?;
    }
    let reader = open(&place, streams)?;
    // a signature says that the record is what was recorded
    reader.insist().map_err(failure)?;
    let wanted = Wanted {
        last: args.last,
        command: args.command.as_deref(),
    };
    let mut failed = None;
    let mut write = |out: &mut dyn Write| {
        let mut written = Ok(());
        let read = reader.records(wanted, &mut |found| {
            if let (Some(record), Ok(())) = (&found.record, &written) {
                written = writeln!(out, "{}", signer.envelope(record, &found.hash));
            }
            Ok(())
        });
        if let Err(error) = read {
            failed = Some(error);
            return Err(io::Error::other("the ledger cannot be read to its end"));
        }
        written
    };
    let published = match &args.output {
        Some(path) => publish_with(path, |out| write(out)),
        None => streams
            .try_stream(|out| write(out))
            .map_err(|error| Failure::stdout(&error)),
    };
    match failed {
        Some(error) => Err(failure(error)),
        None => published.map(|()| 0),
    }
}

fn verify_export(args: &VerifyExportArgs, streams: &mut Streams) -> Result<u8, Failure> {
    if let Some(output) = &args.presented.output {
        let read = [args.public_key.clone(), args.export.clone()];
        spare(output, &read, &[])?;
    }
    let verifier = Verifier::load(&args.public_key).map_err(|error| Failure::of(&error))?;
    let unreadable = |why: &dyn std::fmt::Display| {
        let name = args.export.display();
        let message = format!("cannot read the export `{name}`: {why}");
        Failure::usage(&message, "name a file that can be read, or `-`")
    };
    let input: Box<dyn BufRead> = if args.export.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        let file = open_regular(&args.export).map_err(|error| unreadable(&error))?;
        Box::new(io::BufReader::new(file))
    };
    let report = ledger::signed(input, &verifier, &args.export.display().to_string())
        .map_err(|error| unreadable(&error))?;
    args.presented
        .presenter()
        .show(&[&report], Ok(()), streams)?;
    Ok(report.verdict.exit_code())
}

/// One line for the run and one for each unit.
fn lines(found: &Found) -> String {
    let Some(record) = &found.record else {
        return format!("{:>6}  this record cannot be read\n", found.seq);
    };
    let entry = &record.entry;
    let mut text = format!(
        "{:>6}  {}  {:<9}  {}: {}{}\n",
        record.seq,
        entry.at,
        entry.verdict.word(),
        entry.command,
        one_line(&entry.summary),
        if record.spooled { "  (spooled)" } else { "" }
    );
    for unit in &entry.units {
        let codes: Vec<&str> = unit.reasons.iter().map(|one| one.code.as_str()).collect();
        let _ = writeln!(
            text,
            "        {:<9}  {}  {}",
            unit.verdict.word(),
            one_line(&unit.claim),
            codes.join(" ")
        );
    }
    if entry.units_left_out > 0 {
        let _ = writeln!(text, "        and {} more", entry.units_left_out);
    }
    text
}

/// What is shown of a broken chain needs a warning. Only the end that is shown
/// is walked: the whole chain is for `ledger verify`.
fn warn_of_breaks(reader: &Reader, last: u64, streams: &mut Streams) -> Result<(), Failure> {
    let walk: Walk = reader
        .verify_last(last)
        .map_err(|error| Failure::of(&error))?;
    if let Some(first) = walk.problems.first() {
        streams.talk(&format!(
            "warning: the chain is broken: {}; `crosscheck ledger verify` lists all breaks\n",
            first.message
        ));
    }
    Ok(())
}

/// The ledger, after what waits beside it was taken in.
fn open(place: &Place, streams: &mut Streams) -> Result<Reader, Failure> {
    let take_in = || {
        Ledger::open(place, Care::COMMAND, ledger::redacted).and_then(|mut ledger| ledger.take_in())
    };
    match (place.spooled() > 0).then(take_in).transpose() {
        Ok(Some(taken)) => tell_unusable(&taken, streams),
        Ok(None) => {}
        Err(error) => streams.talk(&format!(
            "warning: the spool files beside the ledger were not taken in: {}\n",
            with_causes(&error)
        )),
    }
    Reader::open(place).map_err(|error| Failure::of(&error))
}

fn place(named: Option<&Path>) -> Result<Place, Failure> {
    let place = match named {
        Some(named) => place_named(named)?,
        None => default_place()?,
    };
    spare_ledger(&place)?;
    Ok(place)
}

fn default_place() -> Result<Place, Failure> {
    let root = project_root()?;
    let config = Config::load(&places(&root, None)).map_err(|error| misconfigured(&error))?;
    let configured = config::ledger(&config, &root, find).map_err(|error| misconfigured(&error))?;
    Ok(configured.unwrap_or_else(|| Place::of_project(root)))
}

fn digest(text: &str) -> Result<Digest, Failure> {
    Digest::from_hex(&text.to_ascii_lowercase()).ok_or_else(|| {
        Failure::usage(
            "--expect-head is not a SHA-256",
            "pass the 64 hex digits that `crosscheck ledger verify` prints as the head",
        )
    })
}
