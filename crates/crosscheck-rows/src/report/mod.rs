//! What we tell: the verdict of a run, and one outcome for each call that
//! writes (rows 11).

mod closing;
mod document;
mod human;
mod learn;
mod neutral;
mod outcome;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;

use crosscheck_core::listener::{Event, Listener};
use crosscheck_core::{Outcome, Report as Neutral, Verdict};
use serde::Serialize;
use smol_str::SmolStr;

use crate::fact::RowSeen;
use crate::judge::call::CallVerdict;
use crate::judge::like::Likeness;
use crate::judge::seen::SeenCall;
use crate::judge::subject::{Bench, State};
use crate::judge::texts::Texts;
use crate::judge::time::CallId;
use crate::plan::Looked;
use crate::read::Logs;
use crate::run::Known;
use crate::run::calls::Kept;

use closing::Told;
pub use human::Style;
pub use learn::{Learnt, Lessons};

/// At most this many verdicts are kept.
const KEPT: usize = 10_000;
/// From so many rows on, not finding a single one is worth a warning.
const NONE_OF: usize = 5;
/// At most this many shell and file tools are named.
const TOOLS: usize = 8;
/// At most this many lines that are not JSON are named.
const LINES: usize = 20;

/// What a run found.
pub struct Report {
    pub(crate) subject: String,
    pub(crate) known: Known,
    /// How each call ended.
    pub(crate) states: Vec<State>,
    /// The first verdicts, which need not be made again.
    verdicts: Vec<CallVerdict>,
    likeness: Likeness,
    /// The calls in the order of the report: refuted, unproven, proven,
    /// superseded, each in log order.
    order: Vec<u32>,
    logs: Logs,
    redacts: bool,
    contract: Option<Used>,
    /// What the agent says at the end and no proven call bears out.
    told: Vec<Told>,
}

/// The contract that decided.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Used {
    pub(crate) path: String,
    pub(crate) sha256: String,
}

/// How many calls ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// All calls of the logs.
    pub total: usize,
    /// Those that write.
    pub writes: usize,
    /// Of these, proven.
    pub proven: usize,
    /// Refuted.
    pub refuted: usize,
    /// Unproven.
    pub unproven: usize,
    /// Replaced by later ones.
    pub superseded: usize,
    /// Calls that read.
    pub reads: usize,
    /// Calls that failed.
    pub failed: usize,
    /// Calls that only talk.
    pub ignored: usize,
}

impl Report {
    pub(crate) fn new(
        subject: String,
        known: Known,
        likeness: Likeness,
        logs: Logs,
        redacts: bool,
        contract: Option<Used>,
    ) -> Self {
        let mut report = Self {
            subject,
            known,
            states: Vec::new(),
            verdicts: Vec::new(),
            likeness,
            order: Vec::new(),
            logs,
            redacts,
            contract,
            told: Vec::new(),
        };
        let (states, verdicts) = report.bench().states(KEPT);
        report.order = (0..u32::try_from(states.len()).unwrap_or(u32::MAX)).collect();
        report
            .order
            .sort_by_key(|at| states.get(*at as usize).copied());
        report.states = states;
        report.verdicts = verdicts;
        report
    }

    /// The same with what the agent says at the end.
    pub(crate) fn with_claims(mut self) -> Self {
        let message = self.logs.closing.take().unwrap_or_default();
        self.told = closing::unborne(&self, &message);
        self
    }

    /// How many calls ended how.
    pub fn tally(&self) -> Tally {
        let counts = &self.known.counts;
        let of = |state| {
            let states = self.states.iter();
            states.filter(|known| **known == state).count()
        };
        Tally {
            total: counts.total as usize,
            writes: self.states.len(),
            proven: of(State::Proven),
            refuted: of(State::Refuted),
            unproven: of(State::Unproven),
            superseded: of(State::Superseded),
            reads: counts.reads,
            failed: counts.failed,
            ignored: counts.ignored,
        }
    }

    /// The verdict of the run: confirmed when there is a write, all of them
    /// are proven or superseded, and every line was read.
    pub fn verdict(&self) -> Verdict {
        let tally = self.tally();
        let unread = self.logs.malformed_count + self.logs.unknown_count;
        let is_open = tally.unproven > 0 || tally.writes == 0 || unread > 0;
        let is_told = |state| self.told.iter().any(|told| told.state == state);
        let is_open = is_open || is_told(State::Unproven);
        match (
            tally.refuted + usize::from(is_told(State::Refuted)),
            is_open,
        ) {
            (0, false) => Verdict::Confirmed,
            (0, true) => Verdict::Undecided,
            _ => Verdict::Refuted,
        }
    }

    /// One sentence.
    pub fn summary(&self) -> String {
        let tally = self.tally();
        format!(
            "{} of {} write calls could be checked: {} proven, {} refuted, {} unproven",
            tally.proven + tally.refuted,
            tally.writes - tally.superseded,
            tally.proven,
            tally.refuted,
            tally.unproven
        )
    }

    /// What a reader must know about the run itself.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.doubts();
        warnings.extend(self.elsewhere());
        warnings.extend(self.beside_the_contract());
        warnings
    }

    /// What proven calls said and the contract does not compare.
    fn beside_the_contract(&self) -> Option<String> {
        self.contract.as_ref()?;
        let mut tools: BTreeMap<SmolStr, BTreeSet<String>> = BTreeMap::new();
        for (call, verdict) in self.calls() {
            if verdict.state == State::Proven && !verdict.uncompared.is_empty() {
                let names = tools.entry(call.tool.name.clone()).or_default();
                names.extend(verdict.uncompared.iter().cloned());
            }
        }
        let line = |(tool, names): (&SmolStr, &BTreeSet<String>)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{tool}: {}", names.join(", "))
        };
        let tools = first_of(tools.iter().map(line), "; ")?;
        Some(format!(
            "proven as the contract says, but not compared: {tools}; map it in the contract, or name it in ignore if it is not stored"
        ))
    }

    /// Why the calls or the database may not be all that they seem to be.
    pub fn doubts(&self) -> Vec<String> {
        let name = |log: usize| self.logs.names.get(log).map_or("", String::as_str);
        let logs = &self.logs;
        let mut warnings = Vec::new();
        for (lines, count, what, more_what) in [
            (
                &logs.malformed,
                logs.malformed_count,
                "is not JSON",
                "are not JSON",
            ),
            (
                &logs.unknown,
                logs.unknown_count,
                "was not understood: it may be a call of an unknown form",
                "were not understood",
            ),
        ] {
            let first = lines.iter().take(LINES);
            warnings.extend(first.map(|(log, line)| format!("{}: line {line} {what}", name(*log))));
            let more = count.saturating_sub(lines.len().min(LINES));
            if more > 0 {
                warnings.push(format!("{more} more lines {more_what}"));
            }
        }
        if self.known.counts.total == 0 {
            let records: usize = self.logs.ignored.iter().sum();
            warnings.push(if records + self.logs.malformed_count == 0 {
                "no tool call was found: the log is empty, or holds messages alone".to_owned()
            } else {
                format!("no tool call was found; {records} records have no known form")
            });
        }
        let is_unused = self.contract.is_some() && !self.known.planner.has_ruled();
        if is_unused && self.known.counts.total > 0 {
            warnings.push("no entry of the contract names a tool of these logs".to_owned());
        }
        if !self.has_tables() {
            warnings.push(
                "the database has no tables that this role sees: is this the right database, schema and role?"
                    .to_owned(),
            );
        } else if self.finds_nothing() {
            warnings.push(
                "none of the rows was found: is this the database the agent used?".to_owned(),
            );
        }
        warnings
    }

    fn has_tables(&self) -> bool {
        self.known.model().tables().next().is_some()
    }

    /// What is said of shell and file tools, whose calls are not judged.
    fn elsewhere(&self) -> Option<String> {
        let tools = &self.known.elsewhere;
        let count: usize = tools.values().sum();
        let lines = tools.iter();
        let tools = first_of(lines.map(|(tool, count)| format!("{tool} ({count})")), ", ")?;
        Some(format!(
            "{count} calls of shell and file tools are ignored: {tools}; what they did to the database was not checked"
        ))
    }

    fn finds_nothing(&self) -> bool {
        let mut looked = 0;
        for call in self.known.calls.iter() {
            let rows = call.subjects.iter();
            for subject in rows.filter(|subject| subject.looked == Looked::Row) {
                if !matches!(subject.seen, RowSeen::None) {
                    return false;
                }
                looked += 1;
            }
        }
        looked >= NONE_OF
    }

    /// The neutral report, which every renderer can show.
    pub fn neutral(&self) -> Neutral {
        Neutral {
            verifier: "rows",
            subject: self.subject.clone(),
            verdict: self.verdict(),
            summary: self.summary(),
            outcomes: {
                let told = self.told.iter().enumerate();
                let told = told.map(|(at, told)| neutral::said(self, at, told));
                self.steps().map(|(step, ..)| step).chain(told).collect()
            },
            notices: self.warnings(),
        }
    }

    /// The neutral step of each call, with what it was made of, in the order of the report.
    fn steps(&self) -> impl Iterator<Item = (Outcome, Kept<'_>, Cow<'_, CallVerdict>)> {
        self.calls().map(|(call, verdict)| {
            let step = neutral::step(self, &call, &verdict);
            (step, call, verdict)
        })
    }

    /// Fails if what was kept of the calls could not be read again: then what
    /// was made of this report lacks some.
    pub fn intact(&self) -> io::Result<()> {
        self.known.calls.intact()
    }

    /// Writes the document `crosscheck.rows/1`.
    pub fn write_document(&self, out: &mut dyn io::Write) -> io::Result<()> {
        document::write(self, out)?;
        self.intact()
    }

    /// The document `crosscheck.rows/1`.
    pub fn document(&self) -> String {
        let mut bytes = Vec::new();
        let _ = self.write_document(&mut bytes); // memory takes everything
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Writes the report for people.
    pub fn write_human(&self, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
        human::write(self, style, out)?;
        self.intact()
    }

    /// The calls with their verdicts, in the order of the report.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (Kept<'_>, Cow<'_, CallVerdict>)> {
        self.judged(self.order.iter().copied())
    }

    /// The same, in the order of the logs.
    pub(crate) fn calls_in_time(&self) -> impl Iterator<Item = (Kept<'_>, Cow<'_, CallVerdict>)> {
        self.judged(0..)
    }

    fn judged(
        &self,
        places: impl Iterator<Item = u32>,
    ) -> impl Iterator<Item = (Kept<'_>, Cow<'_, CallVerdict>)> {
        let bench = self.bench();
        places.map_while(move |at| {
            let call = self.known.calls.get(at as usize)?;
            let state = *self.states.get(at as usize)?;
            let known = self.verdicts.get(at as usize).map(Cow::Borrowed);
            let verdict = bench.verdict(CallId(at), &call, state, known);
            Some((call, verdict))
        })
    }

    fn bench(&self) -> Bench<'_> {
        Bench {
            known: &self.known,
            likeness: &self.likeness,
            texts: self.texts(),
        }
    }

    /// Tells a listener how each call ended.
    pub(crate) fn tell(&self, listener: &mut dyn Listener) {
        let mut unit = String::new();
        for (number, state) in self.known.calls.numbers().iter().zip(&self.states) {
            unit.clear();
            let _ = write!(unit, "c{number}"); // memory takes everything
            listener.hear(Event::Judged {
                unit: &unit,
                verdict: neutral::verdict(*state),
                text: &[],
            });
        }
    }

    pub(crate) fn texts(&self) -> Texts<'_> {
        Texts {
            model: self.known.model(),
            redacts: self.redacts,
        }
    }

    /// The line of a call, if its log has lines.
    fn line(&self, call: &SeenCall) -> Option<u32> {
        let is_document = self.logs.documents.contains(&(call.place.log as usize));
        (!is_document).then_some(call.place.record)
    }

    fn log(&self, call: &SeenCall) -> &str {
        let name = self.logs.names.get(call.place.log as usize);
        name.map_or("", String::as_str)
    }
}

/// The first of some tools in one line; `None` where there is none.
fn first_of(mut lines: impl Iterator<Item = String>, between: &str) -> Option<String> {
    let mut listed: Vec<String> = lines.by_ref().take(TOOLS).collect();
    listed.extend(lines.next().map(|_| "others".to_owned()));
    (!listed.is_empty()).then(|| listed.join(between))
}
