//! Past sessions in numbers: how often "done" was wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

use crosscheck_core::Verdict;
use crosscheck_core::outcome::{Grounds, Outcome, Report as Neutral};
use crosscheck_core::{Place, UnitId};
use schemars::JsonSchema;
use serde::Serialize;

use super::replay::{Past, PastClaim, Stop};
use super::words::{rates, shown};
use crate::reasons::DoneReason;

/// The name of the contract.
const SCHEMA: &str = "crosscheck.done.audit/1";
/// At most this many claims that did not hold are listed.
const MAX_LISTED: usize = 1000;
/// Below this number of stops a rate says little.
pub const FEW: u64 = 30;

/// The report of an audit.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Audit {
    /// `crosscheck.done.audit/1`.
    pub schema: &'static str,
    /// The program and its version.
    pub tool: String,
    /// Sessions, those of subagents aside.
    pub sessions: u64,
    /// Sessions of subagents.
    pub subagents: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Logs that could not be read, with the cause.
    pub unread: Vec<String>,
    /// Lines that could not be read.
    pub broken_lines: u64,
    /// Prompts that users typed.
    pub turns: u64,
    /// How often the agent stopped, and how those stops ended.
    pub total: Group,
    /// Claims by kind, verdict and reason.
    pub claims: BTreeMap<String, BTreeMap<String, BTreeMap<String, u64>>>,
    /// Findings by name.
    pub findings: BTreeMap<String, u64>,
    /// Stops with a refuted claim among those with a claim.
    pub false_done_rate: Rate,
    /// Stops with an unproven and no refuted claim among those with a claim.
    pub unshown_rate: Rate,
    /// Stops that say "done", with changes and no claim, among stops with changes.
    pub claimless_done_rate: Rate,
    /// The same by harness.
    pub by_harness: BTreeMap<String, Group>,
    /// By model; a refutation that rests on printed words alone is unproven here.
    pub by_model: BTreeMap<String, Group>,
    /// By project.
    pub by_project: BTreeMap<String, Group>,
    /// By week of the session's first record, as `2026-W40`.
    pub by_week: BTreeMap<String, Group>,
    /// Claims that did not hold, refuted ones first.
    pub worst: Vec<Worst>,
    /// Claims that did not hold beyond those listed.
    pub not_listed: u64,
    /// This tool against verdicts made by hand.
    pub measured: Option<Measured>,
}

/// Numbers of stops.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Group {
    /// All of them.
    pub stops: u64,
    /// Those with a claim.
    pub with_claims: u64,
    /// Those with a refuted claim.
    pub refuted: u64,
    /// Those with an unproven and no refuted claim.
    pub unproven: u64,
    /// Those in a turn with changes.
    pub with_edits: u64,
    /// Those in a turn with changes that say "done" and claim nothing.
    pub claimless: u64,
}

/// A share with its Wilson interval of 95 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
    /// The share; absent where there is nothing to divide by.
    pub rate: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

/// A claim that did not hold.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Worst {
    /// The log.
    pub file: String,
    /// The line of the message.
    pub line: usize,
    /// Its kind.
    pub kind: String,
    /// The words.
    pub quote: String,
    /// `refuted` or `unproven`.
    pub verdict: String,
    /// Why.
    pub reason: String,
}

/// This tool against verdicts made by hand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Measured {
    /// Verdicts made by hand.
    pub labels: u64,
    /// Claims that this tool found in the labelled messages.
    pub found: u64,
    /// Labels for which it found a claim of the same kind.
    pub matched: u64,
    /// Of these, the same verdict.
    pub agreed: u64,
    /// `matched` of `found`.
    pub precision: Option<f64>,
    /// `matched` of `labels`.
    pub recall: Option<f64>,
    /// `agreed` of `matched`.
    pub accuracy: Option<f64>,
}

/// A verdict made by hand.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The end of the log's path.
    pub file: String,
    /// The line of the message.
    pub line: usize,
    /// The kind of the claim.
    pub kind: String,
    /// `verified`, `refuted` or `unproven`.
    pub verdict: String,
}

/// Reads `file,line,kind,verdict`, one per line; a first line of names is
/// passed over.
pub fn labels(text: &str) -> Result<Vec<Label>, String> {
    let mut all = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [file, number, kind, verdict] = cells.as_slice() else {
            if line.trim().is_empty() {
                continue;
            }
            return Err(format!("line {} does not have four cells", at + 1));
        };
        let Ok(number) = number.parse() else {
            if at == 0 {
                continue;
            }
            return Err(format!("line {}: `{number}` is not a line number", at + 1));
        };
        if !matches!(*verdict, "verified" | "refuted" | "unproven") {
            return Err(format!("line {}: unknown verdict `{verdict}`", at + 1));
        }
        all.push(Label {
            file: (*file).to_owned(),
            line: number,
            kind: (*kind).to_owned(),
            verdict: (*verdict).to_owned(),
        });
    }
    Ok(all)
}

impl Rate {
    /// The share of `count` in `of`.
    #[expect(clippy::cast_precision_loss, reason = "numbers of stops are small")]
    pub fn new(count: u64, of: u64) -> Self {
        const Z: f64 = 1.959_963_984_540_054;
        if of == 0 {
            return Self {
                count,
                ..Self::default()
            };
        }
        let n = of as f64;
        let share = count as f64 / n;
        let base = 1.0 + Z * Z / n;
        let middle = (share + Z * Z / (2.0 * n)) / base;
        let half = Z / base * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let short = |value: f64| (value * 10_000.0).round() / 10_000.0;
        Self {
            count,
            of,
            rate: Some(short(share)),
            low: Some(short((middle - half).max(0.0))),
            high: Some(short((middle + half).min(1.0))),
        }
    }
}

impl Group {
    fn add(&mut self, stop: &Stop) {
        self.add_as(stop, |claim| claim.verdict);
    }

    /// Counts no refutation that rests on printed words alone.
    fn add_firm(&mut self, stop: &Stop) {
        self.add_as(stop, |claim| {
            if claim.by_text {
                Verdict::Undecided
            } else {
                claim.verdict
            }
        });
    }

    fn add_as(&mut self, stop: &Stop, verdict: impl Fn(&PastClaim) -> Verdict) {
        let worst = stop.claims.iter().map(verdict).max();
        self.stops += 1;
        self.with_claims += u64::from(worst.is_some());
        self.refuted += u64::from(worst == Some(Verdict::Refuted));
        self.unproven += u64::from(worst == Some(Verdict::Undecided));
        self.with_edits += u64::from(stop.edited);
        self.claimless += u64::from(stop.edited && stop.says_done && worst.is_none());
    }
}

/// Adds sessions up.
#[derive(Debug)]
pub struct Tally {
    audit: Audit,
    labels: Vec<Label>,
    found: u64,
    matched: u64,
    agreed: u64,
}

impl Tally {
    /// Nothing so far.
    pub fn new(tool: &str, labels: Vec<Label>) -> Self {
        Self {
            audit: Audit {
                schema: SCHEMA,
                tool: tool.to_owned(),
                ..Audit::default()
            },
            labels,
            found: 0,
            matched: 0,
            agreed: 0,
        }
    }

    /// Adds a session and its subagents.
    pub fn add(&mut self, past: &Past) {
        self.audit.sessions += 1;
        self.audit.turns += past.turns as u64;
        self.log(past);
        for agent in &past.agents {
            self.audit.subagents += 1;
            self.log(agent);
        }
    }

    /// Adds a log that could not be read.
    pub fn unread(&mut self, why: String) {
        self.audit.unread.push(why);
    }

    fn log(&mut self, past: &Past) {
        self.audit.bytes += past.bytes;
        self.audit.broken_lines += past.facts.broken as u64;
        for finding in &past.findings {
            *self.audit.findings.entry(finding.clone()).or_default() += 1;
        }
        let harness = past.harness.name();
        let unknown = || "unknown".to_owned();
        let model = past.facts.model.clone().unwrap_or_else(unknown);
        let project = past
            .facts
            .cwd
            .as_deref()
            .map_or_else(unknown, str::to_owned);
        let week = past.facts.started.as_deref().and_then(week);
        let week = week.unwrap_or_else(unknown);
        for stop in &past.stops {
            let audit = &mut self.audit;
            audit.total.add(stop);
            let groups = [
                (&mut audit.by_harness, harness),
                (&mut audit.by_project, project.as_str()),
                (&mut audit.by_week, week.as_str()),
            ];
            for (group, name) in groups {
                group.entry(name.to_owned()).or_default().add(stop);
            }
            let by_model = audit.by_model.entry(model.clone()).or_default();
            by_model.add_firm(stop);
            for claim in &stop.claims {
                let verdicts = audit.claims.entry(claim.kind.to_owned()).or_default();
                let reasons = verdicts.entry(claim.word().to_owned()).or_default();
                *reasons.entry(claim.reason.clone()).or_default() += 1;
                if claim.verdict != Verdict::Confirmed {
                    audit.list(&past.path, stop.line, claim);
                }
            }
            self.measure(&past.path, stop);
        }
    }

    fn measure(&mut self, path: &Path, stop: &Stop) {
        let path = path.to_string_lossy();
        let labels: Vec<&Label> = self
            .labels
            .iter()
            .filter(|label| label.line == stop.line && path.ends_with(&label.file))
            .collect();
        if labels.is_empty() {
            return;
        }
        self.found += stop.claims.len() as u64;
        let mut used = BTreeSet::new();
        for label in labels {
            let fits = |claim: &PastClaim| claim.kind == label.kind;
            let same = |claim: &PastClaim| fits(claim) && claim.word() == label.verdict;
            let find = |test: &dyn Fn(&PastClaim) -> bool| {
                let mut claims = stop.claims.iter().enumerate();
                claims.find(|(at, claim)| !used.contains(at) && test(claim))
            };
            if let Some((at, claim)) = find(&same).or_else(|| find(&fits)) {
                self.matched += 1;
                self.agreed += u64::from(claim.word() == label.verdict);
                used.insert(at);
            }
        }
    }

    /// The report.
    pub fn finish(mut self) -> Audit {
        let total = &self.audit.total;
        self.audit.false_done_rate = Rate::new(total.refuted, total.with_claims);
        self.audit.unshown_rate = Rate::new(total.unproven, total.with_claims);
        self.audit.claimless_done_rate = Rate::new(total.claimless, total.with_edits);
        self.audit.worst.sort_by(|a, b| {
            let rank = |one: &Worst| one.verdict != "refuted";
            (rank(a), &a.file, a.line).cmp(&(rank(b), &b.file, b.line))
        });
        if !self.labels.is_empty() {
            let labels = self.labels.len() as u64;
            self.audit.measured = Some(Measured {
                labels,
                found: self.found,
                matched: self.matched,
                agreed: self.agreed,
                precision: Rate::new(self.matched, self.found).rate,
                recall: Rate::new(self.matched, labels).rate,
                accuracy: Rate::new(self.agreed, self.matched).rate,
            });
        }
        self.audit
    }
}

impl Audit {
    fn list(&mut self, path: &Path, line: usize, claim: &PastClaim) {
        let refuted = claim.verdict == Verdict::Refuted;
        if self.worst.len() >= MAX_LISTED {
            self.not_listed += 1;
            // a refuted claim takes the place of one that is only unproven
            let last = self.worst.iter().rposition(|one| one.verdict != "refuted");
            match last.filter(|_| refuted) {
                Some(last) => drop(self.worst.swap_remove(last)),
                None => return,
            }
        }
        self.worst.push(Worst {
            file: path.display().to_string(),
            line,
            kind: claim.kind.to_owned(),
            quote: claim.quote.clone(),
            verdict: claim.word().to_owned(),
            reason: claim.reason.clone(),
        });
    }

    /// Replaces quotes, paths and names of projects by what `hide` makes of them.
    pub fn redact(&mut self, hide: &dyn Fn(&str) -> String) {
        for one in &mut self.worst {
            one.file = hide(&one.file);
            one.quote = hide(&one.quote);
        }
        let projects = std::mem::take(&mut self.by_project).into_iter();
        self.by_project = projects.map(|(name, group)| (hide(&name), group)).collect();
        for why in &mut self.unread {
            *why = hide(why);
        }
    }

    /// The report for renderers: one unit per listed claim.
    pub fn neutral(&self, subject: &str) -> Neutral {
        let outcomes: Vec<Outcome> = self.worst.iter().enumerate().filter_map(outcome).collect();
        Neutral {
            verifier: "done",
            subject: subject.to_owned(),
            verdict: outcomes
                .iter()
                .map(|one| one.verdict)
                .max()
                .unwrap_or(Verdict::Confirmed),
            summary: self.summary(),
            outcomes,
            notices: rates(self)
                .map(|(name, rate)| format!("{name}: {}", shown(&rate)))
                .into(),
        }
    }

    /// One line.
    pub fn summary(&self) -> String {
        let total = &self.total;
        format!(
            "{} sessions, {} stops, {} with claims: {} with a refuted, {} with an unproven claim",
            self.sessions, total.stops, total.with_claims, total.refuted, total.unproven
        )
    }
}

fn outcome((at, one): (usize, &Worst)) -> Option<Outcome> {
    let reason = DoneReason::of_word(&one.reason);
    Some(Outcome {
        unit: UnitId::try_from(format!("{}-{}", at + 1, one.kind)).ok()?,
        claim: one.quote.clone(),
        verdict: if one.verdict == "refuted" {
            Verdict::Refuted
        } else {
            Verdict::Undecided
        },
        reasons: reason
            .map(|reason| Grounds {
                reason,
                message: reason.meaning.to_owned(),
            })
            .into_iter()
            .collect(),
        expected: Some(one.kind.clone()),
        observed: Some(one.reason.clone()),
        place: Some(Place {
            path: one.file.clone(),
            line: Some(one.line as u64),
            column: None,
            end_line: None,
        }),
        link: None,
    })
}

/// A day or a time, as people write them.
pub fn parse_time(text: &str) -> Option<SystemTime> {
    let day = || {
        let date: jiff::civil::Date = text.parse().ok()?;
        Some(date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let time = text.parse::<jiff::Timestamp>().ok().or_else(day)?;
    Some(time.into())
}

/// The week of a time, as `2026-W40`.
fn week(time: &str) -> Option<String> {
    let time: jiff::Timestamp = time.parse().ok()?;
    let date = time
        .to_zoned(jiff::tz::TimeZone::UTC)
        .date()
        .iso_week_date();
    Some(format!("{}-W{:02}", date.year(), date.week()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_wilson() {
        let rate = Rate::new(10, 100);
        assert_eq!(
            (rate.rate, rate.low, rate.high),
            (Some(0.1), Some(0.0552), Some(0.1744))
        );
        let none = Rate::new(0, 10);
        assert_eq!(
            (none.rate, none.low, none.high),
            (Some(0.0), Some(0.0), Some(0.2775))
        );
        assert_eq!(Rate::new(0, 0).rate, None);
    }

    #[test]
    fn a_week_belongs_to_the_year_of_its_thursday() {
        assert_eq!(week("2026-10-01T10:00:00Z").as_deref(), Some("2026-W40"));
        assert_eq!(week("2027-01-01T10:00:00Z").as_deref(), Some("2026-W53"));
        assert_eq!(week("yesterday"), None);
    }

    #[test]
    fn labels_are_read_with_or_without_a_first_line_of_names() {
        let label = Label {
            file: "a.jsonl".to_owned(),
            line: 7,
            kind: "tests_pass".to_owned(),
            verdict: "refuted".to_owned(),
        };
        for text in [
            "a.jsonl,7,tests_pass,refuted\n",
            "file,line,kind,verdict\n\na.jsonl, 7, tests_pass, refuted",
        ] {
            assert_eq!(labels(text), Ok(vec![label.clone()]), "{text}");
        }
        for text in [
            "a,b",
            "a.jsonl,7,tests_pass,wrong",
            "a,1,k,refuted\nb,x,k,refuted",
        ] {
            assert!(labels(text).is_err(), "{text}");
        }
    }
}
