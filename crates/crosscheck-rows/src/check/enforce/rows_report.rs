//! A report of `rows`, as the run that `enforce` compares.
//!
//! What it says about itself is counted again: a report that was cut, edited or
//! made by something else is refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crosscheck_core::advice::with_causes;
use crosscheck_core::digest::Digest;
use crosscheck_core::files::read_limited;
use crosscheck_core::text::terminal_safe;
use crosscheck_core::{Verdict, canonical};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::Evidence;
use crate::check::error::ContractError;
use crate::check::plan::order::unique;
use crate::check::reasons::ContractFailure;
use crate::check::report::{Unread, verdict_line};
use crate::reasons::RowReason;

const SCHEMA: &str = "crosscheck.rows/1";
const MAX_BYTES: u64 = 1 << 30;

/// The states of calls, and the verdict that each of them stands for.
const STATES: [(&str, Verdict); 4] = [
    ("proven", Verdict::Confirmed),
    ("superseded", Verdict::Confirmed),
    ("refuted", Verdict::Refuted),
    ("unproven", Verdict::Undecided),
];
const RELATIONS: [(Verdict, &str); 3] = [
    (Verdict::Confirmed, "matches_expectations"),
    (Verdict::Refuted, "does_not_match"),
    (Verdict::Undecided, "not_established"),
];

/// A run of `rows --contract`.
pub struct RowsReport {
    /// What is compared with the baseline.
    pub evidence: Evidence,
    /// The verdict of the run.
    pub verdict: Verdict,
    /// The first line of standard error, as of a run of `check`.
    pub verdict_line: String,
    /// For people: every call that is not proven, and the sum.
    pub human: String,
}

impl RowsReport {
    /// Reads the document that `rows --contract FILE --format json` wrote.
    pub fn load(path: &Path, workflow_id: &str) -> Result<Self, ContractError> {
        let invalid = |why: String| {
            ContractError::new(
                ContractFailure::EnforceReportInvalid,
                format!("the report `{}` cannot be used: {why}", path.display()),
            )
        };
        let bytes = read_limited(path, MAX_BYTES).map_err(|error| invalid(with_causes(&error)))?;
        Self::parse(&bytes, workflow_id).map_err(invalid)
    }

    fn parse(bytes: &[u8], workflow_id: &str) -> Result<Self, String> {
        let mut document: Document = serde_json::from_slice(bytes)
            .map_err(|error| format!("it is not a report of `rows`: {error}"))?;
        let verdict = document.check()?;
        document.outcomes.sort_by_key(|outcome| outcome.call.index);
        Ok(Self {
            evidence: Evidence {
                workflow_id: workflow_id.to_owned(),
                truth: document.truth(workflow_id, verdict)?.into_bytes(),
                document_sha256: Digest::of(bytes).hex(),
                verdict,
                unread: document.unread(),
            },
            verdict,
            verdict_line: verdict_line(verdict),
            human: document.human(),
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    schema: String,
    verdict: String,
    exit_code: u8,
    summary: String,
    calls: BTreeMap<String, usize>,
    contract: Option<Contract>,
    #[serde(default)]
    redacted: bool,
    outcomes: Vec<Outcome>,
}

#[derive(Deserialize)]
struct Contract {
    sha256: String,
}

#[derive(Deserialize)]
struct Outcome {
    claim: String,
    verdict: String,
    state: String,
    reasons: Vec<Reason>,
    call: Call,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Reason {
    reason: String,
    message: String,
}

#[derive(Deserialize)]
struct Call {
    index: u64,
    tool: String,
}

#[derive(Deserialize)]
struct Row {
    table: String,
    key: BTreeMap<String, String>,
    looked: String,
    facts: Vec<Fact>,
}

/// Values as they are written: numbers keep all their digits.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fact {
    column: Option<String>,
    child_table: Option<String>,
    claimed: Box<RawValue>,
    found: Box<RawValue>,
    state: String,
}

impl Document {
    /// The verdict, if the report can be a baseline and fits its own outcomes.
    fn check(&self) -> Result<Verdict, String> {
        if self.schema != SCHEMA {
            return Err(format!("its schema is `{}`, not {SCHEMA}", self.schema));
        }
        if self.contract.is_none() {
            return Err(
                "it was made without a contract; run `crosscheck rows --contract FILE`".to_owned(),
            );
        }
        if self.redacted {
            return Err("its values are redacted, so that no drift could be seen; run `crosscheck rows` without --redact".to_owned());
        }
        let said = |name: &str| self.calls.get(name).copied().unwrap_or_default();
        let of_state = |state: &str| {
            self.outcomes
                .iter()
                .filter(|one| one.state == state)
                .count()
        };
        let parts = ["writes", "reads", "failed", "ignored"].map(said);
        let mut parts = parts.into_iter();
        let total = parts.try_fold(0_usize, usize::checked_add);
        let is_counted = STATES
            .iter()
            .all(|(state, _)| said(state) == of_state(state))
            && said("writes") == self.outcomes.len()
            && Some(said("total")) == total;
        if !is_counted {
            return Err("its counts do not fit its outcomes".to_owned());
        }
        let least = Verdict::roll_up(self.outcomes.iter().filter_map(Outcome::stands_for));
        let known = RELATIONS
            .iter()
            .find(|(verdict, _)| verdict.word() == self.verdict);
        let (verdict, _) = known.ok_or_else(|| format!("it has no verdict `{}`", self.verdict))?;
        // lines that could not be read keep a run without refuted calls undecided
        let fits =
            *verdict == least || (*verdict == Verdict::Undecided && least == Verdict::Confirmed);
        let is_own = |one: &Outcome| {
            one.stands_for()
                .is_some_and(|own| own.word() == one.verdict)
        };
        if !fits || self.exit_code != verdict.exit_code() || !self.outcomes.iter().all(is_own) {
            return Err("its verdict does not fit its outcomes".to_owned());
        }
        Ok(*verdict)
    }

    fn open(&self) -> impl Iterator<Item = &Outcome> {
        let outcomes = self.outcomes.iter();
        outcomes.filter(|one| one.stands_for() != Some(Verdict::Confirmed))
    }

    fn human(&self) -> String {
        let mut text = String::new();
        for outcome in self.open() {
            let word = outcome.state.to_uppercase();
            let Call { tool, index } = &outcome.call;
            let _ = writeln!(text, "{word} {tool} (call {index})");
            for reason in &outcome.reasons {
                let _ = writeln!(text, "  {}: {}", reason.reason, reason.message);
            }
        }
        let _ = writeln!(text, "{}", self.summary);
        terminal_safe(&text).into_owned()
    }

    /// What drift compares. Calls that read or failed, places in the log and
    /// names of files are left out.
    fn truth(&self, workflow_id: &str, verdict: Verdict) -> Result<String, String> {
        let relation = RELATIONS.iter().find(|(known, _)| *known == verdict);
        let steps = self.outcomes.iter().zip(1_u64..).map(Outcome::step);
        let codes = self.open().flat_map(|one| &one.reasons);
        let truth = json!({
            "schemaVersion": 2, "workflowId": workflow_id, "runKind": "rows",
            "stateRelation": relation.map(|(_, word)| word),
            "reasonCodes": unique(codes.map(|reason| reason.reason.as_str())),
            "evidenceGapPrimary": null, "checkpointVerdicts": [],
            "contractSha256": self.contract.as_ref().map(|contract| &contract.sha256),
            "steps": steps.collect::<Vec<_>>(),
        });
        canonical::of(&truth).map_err(|error| error.to_string())
    }

    /// A call whose row could not be read says nothing about drift.
    fn unread(&self) -> Option<Unread> {
        self.outcomes.iter().find_map(|one| {
            let mut reasons = one.reasons.iter();
            let failed = reasons.find(|one| one.reason == RowReason::ConnectorError.code())?;
            Some(Unread {
                is_silence: true,
                message: format!("call {}: {}", one.call.index, failed.message),
            })
        })
    }
}

impl Outcome {
    fn stands_for(&self) -> Option<Verdict> {
        let known = STATES.iter().find(|(state, _)| *state == self.state);
        known.map(|(_, verdict)| *verdict)
    }

    /// A step of the material truth; `seq` counts the calls that write.
    fn step((outcome, seq): (&Self, u64)) -> serde_json::Value {
        let expected: Vec<String> = outcome.rows.iter().map(Row::expected).collect();
        let reasons = outcome.reasons.iter().map(|reason| reason.reason.as_str());
        let state = std::iter::once(outcome.state.as_str()).chain(reasons);
        let mut observed = vec![state.collect::<Vec<_>>().join(" ")];
        observed.extend(outcome.rows.iter().map(Row::observed));
        json!({
            "seq": seq, "toolId": outcome.call.tool, "declaredAction": outcome.claim,
            "expectedOutcome": expected.join("; "), "observedOutcome": observed.join("; "),
        })
    }
}

impl Row {
    fn name(&self) -> String {
        let pairs = self.key.iter();
        let pairs = pairs.map(|(column, value)| format!("{column}={value}"));
        format!("{} {}", self.table, pairs.collect::<Vec<_>>().join(","))
    }

    fn expected(&self) -> String {
        let name = self.name();
        if self.looked == "absence" {
            return format!("no row {name}");
        }
        let facts = self.facts.iter();
        let facts = facts.map(|fact| format!("{} {}", fact.target(), fact.claimed));
        format!("{name}: {}", facts.collect::<Vec<_>>().join(", "))
    }

    fn observed(&self) -> String {
        let facts = self.facts.iter();
        let facts = facts.map(|fact| format!("{} {} {}", fact.target(), fact.found, fact.state));
        format!("{}: {}", self.name(), facts.collect::<Vec<_>>().join(", "))
    }
}

impl Fact {
    fn target(&self) -> String {
        let parts = [&self.child_table, &self.column].into_iter().flatten();
        parts.cloned().collect::<Vec<_>>().join(".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn report() -> Value {
        json!({
            "schema": SCHEMA, "tool": "crosscheck", "verifier": "rows", "subject": "a against b",
            "verdict": "confirmed", "exitCode": 0, "summary": "1 of 1",
            "calls": {"total": 2, "writes": 1, "proven": 1, "refuted": 0, "unproven": 0, "superseded": 0,
                      "reads": 1, "failed": 0, "ignored": 0},
            "contract": {"path": "c.toml", "sha256": "00"}, "warnings": [],
            "outcomes": [{
                "unit": "c2", "claim": "pay(1)", "verdict": "confirmed", "state": "proven", "reasons": [],
                "place": {"path": "run.json", "line": 2},
                "call": {"index": 2, "id": null, "tool": "pay", "step": 1, "class": "write", "classFrom": "contract"},
                "rows": [{"table": "orders", "key": {"id": "1"}, "keyFrom": "contract", "looked": "row", "sure": true, "why": "",
                    "facts": [{"column": "total", "childTable": null, "claimed": 1, "found": 1, "asked": null,
                               "source": "contract", "field": "total", "firm": true, "state": "agrees", "tolerance": ""}]}],
                "uncompared": [],
            }],
        })
    }

    fn read(report: &Value) -> Result<RowsReport, String> {
        RowsReport::parse(report.to_string().as_bytes(), "wf")
    }

    fn changed(pointer: &str, value: Value) -> Value {
        let mut report = report();
        *report.pointer_mut(pointer).unwrap() = value;
        report
    }

    #[test]
    fn places_and_reads_are_no_drift_and_values_rows_and_contracts_are() {
        let truth = |report: &Value| read(report).unwrap().evidence.truth;
        let mut more_reads = changed("/calls/reads", json!(4));
        *more_reads.pointer_mut("/calls/total").unwrap() = json!(5);
        *more_reads.pointer_mut("/outcomes/0/call/index").unwrap() = json!(5);
        for same in [
            changed("/subject", json!("elsewhere")),
            changed("/outcomes/0/place/line", json!(7)),
            changed("/contract/path", json!("d.toml")),
            more_reads,
        ] {
            assert_eq!(truth(&same), truth(&report()), "{same}");
        }
        for other in [
            changed("/contract/sha256", json!("01")),
            changed("/outcomes/0/claim", json!("pay(2)")),
            changed("/outcomes/0/rows/0/key/id", json!("2")),
            changed("/outcomes/0/rows/0/looked", json!("absence")),
            changed("/outcomes/0/rows/0/facts/0/found", json!(2)),
            changed("/outcomes/0/rows/0/facts/0/claimed", json!(2)),
            changed("/outcomes/0/rows/0/facts/0/state", json!("superseded")),
            changed("/outcomes/0/rows/0/facts/0/childTable", json!("items")),
        ] {
            assert_ne!(truth(&other), truth(&report()), "{other}");
        }
    }

    #[test]
    fn reports_of_another_kind_or_that_contradict_themselves_are_refused() {
        for (report, part) in [
            (json!({"schemaVersion": 3, "steps": []}), "not a report"),
            (json!([]), "not a report"),
            (
                changed("/schema", json!("crosscheck.rows/2")),
                "crosscheck.rows/2",
            ),
            (changed("/contract", json!(null)), "without a contract"),
            (changed("/calls/proven", json!(2)), "counts"),
            (changed("/calls/total", json!(3)), "counts"),
            (changed("/calls/reads", json!(usize::MAX)), "counts"),
            (changed("/outcomes", json!([])), "counts"),
            (changed("/verdict", json!("refuted")), "verdict"),
            (changed("/verdict", json!("fine")), "fine"),
            (changed("/exitCode", json!(1)), "verdict"),
            (
                changed("/outcomes/0/verdict", json!("undecided")),
                "verdict",
            ),
            (changed("/outcomes/0/state", json!("sure")), "counts"),
            (changed("/outcomes/0/rows", json!(null)), "null"),
        ] {
            let message = read(&report).err().unwrap();
            assert!(message.contains(part), "{part}: {message}");
        }
        let mut redacted = report();
        redacted["redacted"] = json!(true);
        assert!(read(&redacted).err().unwrap().contains("--redact"));
        let cut = report().to_string();
        let cut = cut.get(..cut.len() - 2).unwrap().as_bytes();
        assert!(RowsReport::parse(cut, "wf").is_err());
    }

    #[test]
    fn a_run_with_lines_that_could_not_be_read_stays_undecided() {
        let mut report = changed("/verdict", json!("undecided"));
        *report.pointer_mut("/exitCode").unwrap() = json!(2);
        assert_eq!(read(&report).unwrap().verdict, Verdict::Undecided);
    }
}
