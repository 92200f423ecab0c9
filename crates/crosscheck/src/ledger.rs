//! The ledger: what is recorded about a run, and what is shown of it again.
//!
//! ```no_run
//! use crosscheck::{ledger, trace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let report = trace::Task::run_dir("runs/7").run()?;
//! let run = ledger::Run::at("2026-10-01T10:00:00Z");
//! let place = ledger::Place::named("history.db");
//! let mut open = ledger::Ledger::open(&place, ledger::Care::COMMAND, ledger::redacted)?;
//! open.append(&ledger::entry(report.neutral(), run))?;
//! let walk = ledger::Reader::open(&place)?.verify(&ledger::Expected::default())?;
//! println!("{} records, head {:?}", walk.count, walk.head);
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, Read as _};
use std::path::Path;

use crosscheck_core::advice::with_causes;
use crosscheck_core::outcome::{Grounds, Outcome};
use crosscheck_core::redact::SecretUrl;
pub use crosscheck_core::redact::redacted;
use crosscheck_core::{Reason, UnitId, Verdict};
#[doc(hidden)]
pub use crosscheck_ledger::*;

use crate::catalogue;
use crate::report::Neutral;

/// Whether this names a server or a variable, and no file.
pub fn is_elsewhere(name: &str) -> bool {
    name.contains("://") || name.starts_with("env:")
}

/// A ledger on a PostgreSQL server. What cannot be appended in time waits in this folder.
pub fn at_server(url: SecretUrl, state: &Path) -> Place {
    let connect: Connect = |url, limit| {
        crosscheck_rows::observe::postgres_client(url, limit).map_err(|error| with_causes(&error))
    };
    Place::server(url, connect, state)
}

/// The commands whose runs are recorded, as their reports name them.
const COMMANDS: [&str; 8] = [
    "check",
    "ci",
    "claims",
    "done",
    "rows",
    "sources",
    "trace",
    "workspace",
];

/// What a report does not say about its run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// When it ended, by RFC 3339 in UTC, to the second.
    pub at: String,
    /// The program and its version.
    pub tool: String,
    /// How long it took.
    pub duration_ms: u64,
    /// What was read.
    pub inputs: Vec<Item>,
    /// What was made.
    pub outputs: Vec<Item>,
    /// Further facts.
    pub notes: BTreeMap<String, String>,
}

impl Run {
    /// A run of this version that ended at this time.
    pub fn at(at: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            tool: concat!("crosscheck ", env!("CARGO_PKG_VERSION")).to_owned(),
            ..Self::default()
        }
    }
}

/// What is recorded about a run. Secrets are taken out of every text.
pub fn entry(report: &Neutral, run: Run) -> LedgerEntry {
    let count = |verdict| report.count(verdict) as u64;
    let unit = |outcome: &Outcome| Unit {
        id: outcome.unit.as_str().to_owned(),
        claim: outcome.claim.clone(),
        verdict: outcome.verdict,
        reasons: outcome.reasons.iter().map(ground).collect(),
    };
    let counts = Counts {
        confirmed: count(Verdict::Confirmed),
        refuted: count(Verdict::Refuted),
        undecided: count(Verdict::Undecided),
    };
    // the worst first, so that what is left out is the least
    let mut kept: Vec<&Outcome> = Vec::new();
    for verdict in [Verdict::Refuted, Verdict::Undecided, Verdict::Confirmed] {
        let same = report.outcomes.iter().filter(|one| one.verdict == verdict);
        kept.extend(same.take(UNITS_MAX.saturating_sub(kept.len())));
    }
    LedgerEntry {
        id: new_id(),
        at: run.at,
        command: report.verifier.to_owned(),
        tool: run.tool,
        duration_ms: run.duration_ms,
        subject: report.subject.clone(),
        verdict: report.verdict,
        summary: report.summary.clone(),
        inputs: run.inputs,
        outputs: run.outputs,
        notes: run.notes,
        counts,
        units_left_out: (report.outcomes.len() - kept.len()) as u64,
        units: kept.into_iter().map(unit).collect(),
    }
    .cleaned(redacted)
}

fn ground(grounds: &Grounds) -> Ground {
    Ground {
        code: grounds.reason.code.to_owned(),
        message: grounds.message.clone(),
    }
}

/// A record for renderers; also one that cannot be read.
pub fn recorded(found: &Found) -> Neutral {
    let Some(record) = &found.record else {
        let message = format!("record {} cannot be read", found.seq);
        let reason = LedgerReason::RecordEdited.reason();
        let outcomes = unit(
            &format!("record-{}", found.seq),
            message.clone(),
            Verdict::Refuted,
            Some((reason, message.clone())),
        );
        return Neutral {
            verifier: "ledger",
            subject: format!("record {}", found.seq),
            verdict: Verdict::Refuted,
            summary: message,
            outcomes: outcomes.into_iter().collect(),
            notices: Vec::new(),
        };
    };
    let entry = &record.entry;
    let known = COMMANDS.iter().find(|name| **name == entry.command);
    let mut notices = Vec::new();
    if entry.units_left_out > 0 {
        notices.push(format!(
            "{} more unit(s) of this run are counted and not listed",
            entry.units_left_out
        ));
    }
    Neutral {
        verifier: known.copied().unwrap_or("ledger"),
        subject: format!("record {}, {}: {}", record.seq, entry.at, entry.subject),
        verdict: entry.verdict,
        summary: entry.summary.clone(),
        outcomes: entry.units.iter().filter_map(outcome).collect(),
        notices,
    }
}

fn outcome(unit: &Unit) -> Option<Outcome> {
    let grounds = |ground: &Ground| {
        let known = catalogue::explain(&ground.code);
        known.first().map(|(_, reason)| Grounds {
            reason,
            message: ground.message.clone(),
        })
    };
    let reasons = unit.reasons.iter().filter_map(grounds).collect();
    let id = UnitId::try_from(unit.id.clone()).ok()?;
    Some(Outcome::new(id, unit.claim.clone(), unit.verdict, reasons))
}

/// What was found about a part of the ledger.
fn unit(
    id: &str,
    claim: String,
    verdict: Verdict,
    reason: Option<(&'static Reason, String)>,
) -> Option<Outcome> {
    let reasons = reason.map(|(reason, message)| Grounds { reason, message });
    let id = UnitId::try_from(id.to_owned()).ok()?;
    Some(Outcome::new(
        id,
        claim,
        verdict,
        reasons.into_iter().collect(),
    ))
}

/// What a public key says about the lines of an export, for renderers: one
/// unit for each line that is wrong, or one for all of them.
pub fn signed(mut export: impl BufRead, verifier: &Verifier, name: &str) -> io::Result<Neutral> {
    let mut outcomes = Vec::new();
    let (mut count, mut wrong) = (0_u64, 0_u64);
    let mut numbers: Vec<u64> = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        // an envelope holds a record in base64
        let most = 2 * RECORD_MAX;
        let read = export.by_ref().take(most).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.len() as u64 == most {
            return Err(io::Error::other("it has a line that is too long"));
        }
        count += 1;
        let opened = match std::str::from_utf8(&line) {
            Ok(text) => verifier.open(text.trim_end()),
            Err(_) => Err("it is not UTF-8 text"),
        };
        let why = match opened {
            Ok(record) => {
                numbers.push(record.seq);
                continue;
            }
            Err(why) => why,
        };
        wrong += 1;
        if outcomes.len() < PROBLEMS_MAX {
            let reason = LedgerReason::ExportInvalid.reason();
            let message = format!("line {count}: {why}");
            outcomes.extend(unit(
                &format!("line-{count}"),
                message.clone(),
                Verdict::Refuted,
                Some((reason, message)),
            ));
        }
    }
    let gaps = gaps(&mut numbers);
    let signed = count - wrong;
    let mut summary = format!("this key signed {signed} of {count} statements");
    if let Some(first) = gaps.first() {
        let _ = write!(summary, "; numbers are missing between them: {first}");
        let reason = LedgerReason::ExportGap.reason();
        for gap in gaps.iter().take(PROBLEMS_MAX) {
            let message = format!("{gap} is not in the export");
            outcomes.extend(unit(
                &gap.replace(' ', "-"),
                message.clone(),
                Verdict::Undecided,
                Some((reason, message)),
            ));
        }
    } else if count > 0 && wrong == 0 {
        outcomes.extend(unit("export", summary.clone(), Verdict::Confirmed, None));
    }
    Ok(Neutral {
        verifier: "ledger",
        subject: name.to_owned(),
        verdict: Verdict::roll_up(outcomes.iter().map(|one| one.verdict)),
        summary,
        outcomes,
        notices: Vec::new(),
    })
}

/// The numbers that are missing between the records of an export. One of a
/// single command has such gaps, too, so they are named and not refuted.
fn gaps(numbers: &mut [u64]) -> Vec<String> {
    numbers.sort_unstable();
    let missing = |pair: &[u64; 2]| match pair {
        [before, after] if *after > before + 2 => {
            Some(format!("records {} to {}", before + 1, after - 1))
        }
        [before, after] if *after == before + 2 => Some(format!("record {}", before + 1)),
        _ => None,
    };
    numbers.array_windows().filter_map(missing).collect()
}

fn records(count: u64) -> String {
    format!("{count} {}", if count == 1 { "record" } else { "records" })
}

/// What the walk along a chain found, for renderers: one unit for each break,
/// or one for the whole chain.
pub fn verified(walk: &Walk, file: &str) -> Neutral {
    let head = walk.head.as_deref().unwrap_or("none");
    let claim = format!(
        "{} follow one another; the head is {head}",
        records(walk.count)
    );
    let mut outcomes = Vec::new();
    if walk.problems.is_empty() {
        let (verdict, reason) = if walk.count == 0 {
            let empty = LedgerReason::Empty.reason();
            (Verdict::Undecided, Some((empty, empty.meaning.to_owned())))
        } else {
            (Verdict::Confirmed, None)
        };
        outcomes.extend(unit("chain", claim, verdict, reason));
    }
    for (at, problem) in walk.problems.iter().enumerate() {
        let id = match problem.seq {
            Some(seq) => format!("{}-record-{seq}", at + 1),
            None => format!("{}-ledger", at + 1),
        };
        let reason = Some((problem.reason.reason(), problem.message.clone()));
        outcomes.extend(unit(&id, problem.message.clone(), Verdict::Refuted, reason));
    }
    let listed = walk.problems.len() as u64;
    let more = walk.problem_count.saturating_sub(listed);
    let more = (more > 0).then(|| format!("{more} more breaks are not listed"));
    let noted = walk.head.as_ref().map(|head| {
        format!(
            "head {head}, {}. Note both down elsewhere: whoever rewrites the whole file leaves a \
             whole chain, which only `--expect-head` and `--expect-count` tell from this one",
            records(walk.count)
        )
    });
    Neutral {
        verifier: "ledger",
        subject: file.to_owned(),
        verdict: Verdict::roll_up(outcomes.iter().map(|one| one.verdict)),
        summary: match (walk.problem_count, walk.count) {
            (0, 0) => "the ledger has no record".to_owned(),
            (0, count) => format!("{}, the chain is whole", records(count)),
            (breaks, count) => {
                let places = if breaks == 1 { "place" } else { "places" };
                format!(
                    "{}, the chain is broken at {breaks} {places}",
                    records(count)
                )
            }
        },
        outcomes,
        notices: noted.into_iter().chain(more).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::gaps;

    #[test]
    fn missing_numbers_are_named_in_order() {
        for (mut numbers, expected) in [
            (vec![], vec![]),
            (vec![4, 5, 6], vec![]),
            (vec![5, 1, 3], vec!["record 2", "record 4"]),
            (vec![1, 5], vec!["records 2 to 4"]),
            (vec![1, 1, 2], vec![]),
        ] {
            assert_eq!(gaps(&mut numbers), expected);
        }
    }
}
