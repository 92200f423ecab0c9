//! `crosscheck attest`: a report as a signed statement, and whether one is.

use std::path::{Path, PathBuf};

use crosscheck::Neutral;
use crosscheck::batch::reports;
use crosscheck::core::digest::Digest;
use crosscheck::core::outcome::{Grounds, Outcome};
use crosscheck::core::{Reason, UnitId, Verdict};
use crosscheck::ledger::{Item, LedgerReason, Signer, Statement, Verifier};
use serde::{Deserialize, Serialize};

use super::render::unread;
use super::spare::{publish, spare};
use crate::args::VERSION;
use crate::args::attest::{AttestArgs, AttestCommand, AttestVerifyArgs, SignArgs};
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::read_named;

/// The largest file that is signed, and the largest envelope.
const FILE_MAX: u64 = 1 << 30;
const PREDICATE: &str = "https://github.com/crosscheck-dev/crosscheck/report/v1";

/// What is said of a report.
#[derive(Serialize, Deserialize)]
struct Attested {
    tool: String,
    verdict: Verdict,
    runs: Vec<AttestedRun>,
}

#[derive(Serialize, Deserialize)]
struct AttestedRun {
    verifier: String,
    subject: String,
    verdict: Verdict,
    summary: String,
    confirmed: usize,
    refuted: usize,
    undecided: usize,
}

pub(crate) fn run(args: &AttestArgs, streams: &mut Streams) -> Result<u8, Failure> {
    match (&args.command, &args.sign) {
        (Some(AttestCommand::Verify(args)), _) => verify(args, streams),
        (None, Some(args)) => sign(args, streams),
        (None, None) => Err(Failure::usage(
            "attest needs a report",
            "name a file that a check wrote with --format ndjson",
        )),
    }
}

fn sign(args: &SignArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let signer = Signer::load(&args.sign).map_err(|error| Failure::of(&error))?;
    let mut files = vec![args.report.clone()];
    files.extend(args.files.iter().cloned());
    if let Some(output) = &args.output {
        spare(
            output,
            &[&files, std::slice::from_ref(&args.sign)].concat(),
            &[],
        )?;
    }
    let text = String::from_utf8_lossy(&read(&args.report)?).into_owned();
    let reports = reports(&text).map_err(|why| unread(&args.report, &why))?;
    let attested = Attested {
        tool: format!("crosscheck {VERSION}"),
        verdict: Verdict::roll_up(reports.iter().map(|report| report.verdict)),
        runs: reports.iter().map(attested_run).collect(),
    };
    let about = items(&files)?;
    let envelope = signer.sign(&Statement::new(&about, PREDICATE, attested)) + "\n";
    match &args.output {
        Some(path) => publish(path, envelope.as_bytes())?,
        None => streams.data(envelope.as_bytes())?,
    }
    Ok(0)
}

fn attested_run(report: &Neutral) -> AttestedRun {
    AttestedRun {
        verifier: report.verifier.to_owned(),
        subject: report.subject.clone(),
        verdict: report.verdict,
        summary: report.summary.clone(),
        confirmed: report.count(Verdict::Confirmed),
        refuted: report.count(Verdict::Refuted),
        undecided: report.count(Verdict::Undecided),
    }
}

fn verify(args: &AttestVerifyArgs, streams: &mut Streams) -> Result<u8, Failure> {
    if let Some(output) = &args.presented.output {
        let read = [args.public_key.clone(), args.envelope.clone()];
        spare(output, &[read.as_slice(), &args.files].concat(), &[])?;
    }
    let verifier = Verifier::load(&args.public_key).map_err(|error| Failure::of(&error))?;
    let text = String::from_utf8_lossy(&read(&args.envelope)?).into_owned();
    let given = items(&args.files)?;
    let (mut outcomes, summary) = match verifier.statement::<Attested>(text.trim(), PREDICATE) {
        Err(why) => {
            let grounds = Some((LedgerReason::ExportInvalid.reason(), why.to_owned()));
            (
                vec![outcome(0, "the key signed the envelope", grounds)],
                why.to_owned(),
            )
        }
        Ok(statement) => {
            let signed = statement.about();
            let files = (1..).zip(&given).map(|(at, item)| {
                let is_signed = signed.iter().any(|one| one.sha256 == item.sha256);
                let message = "none of the signed files has its SHA-256".to_owned();
                let grounds = (LedgerReason::ExportInvalid.reason(), message);
                let claim = format!("`{}` was signed", item.name);
                outcome(at, &claim, (!is_signed).then_some(grounds))
            });
            let own = outcome(0, "the key signed the envelope", None);
            let runs = statement.predicate.runs.len();
            let summary = format!(
                "{} signed {} for {runs} run(s): {}",
                statement.predicate.tool,
                statement.predicate.verdict.word(),
                signed
                    .iter()
                    .map(|item| item.name.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            );
            (std::iter::once(own).chain(files).collect(), summary)
        }
    };
    outcomes.sort_by(|one, other| one.unit.cmp(&other.unit));
    let report = Neutral {
        verifier: "attest",
        subject: args.envelope.display().to_string(),
        verdict: Verdict::roll_up(outcomes.iter().map(|one| one.verdict)),
        summary,
        outcomes,
        notices: Vec::new(),
    };
    let presenter = args.presented.presenter();
    presenter.show(&[&report], Ok(()), streams)?;
    Ok(report.verdict.exit_code())
}

/// One thing that was verified, and what is wrong with it.
fn outcome(at: usize, claim: &str, wrong: Option<(&'static Reason, String)>) -> Outcome {
    let verdict = match wrong {
        Some(_) => Verdict::Refuted,
        None => Verdict::Confirmed,
    };
    let grounds = wrong.map(|(reason, message)| Grounds { reason, message });
    let unit = UnitId::numbered('a', at);
    Outcome::new(
        unit,
        claim.to_owned(),
        verdict,
        grounds.into_iter().collect(),
    )
}

fn items(files: &[PathBuf]) -> Result<Vec<Item>, Failure> {
    let item = |path: &PathBuf| {
        Ok(Item {
            name: path.display().to_string(),
            sha256: Digest::of(read(path)?).hex(),
        })
    };
    files.iter().map(item).collect()
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_named(path, FILE_MAX).map_err(|why| {
        Failure::usage(
            &format!("cannot read `{}`: {why}", path.display()),
            "name a file that can be read",
        )
    })
}
