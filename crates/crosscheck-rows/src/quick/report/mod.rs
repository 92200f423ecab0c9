//! What we tell: sums up, builds the contract documents, publishes them.

mod certificate;
mod correctness;
mod evidence;
mod export;
mod human;
mod neutral;
mod publish;
mod reconcile;
pub(crate) mod redaction;
pub(crate) mod texts;
mod unchecked;

use std::fmt::Write as _;

use crosscheck_core::json::Scalar;
use crosscheck_core::text::{one_line_js, unit_len};
use crosscheck_core::{JsString, Verdict, canonical};

pub use publish::{Targets, publish};

use crate::certificate::{Doc, object};
use crate::error::RowsError;
use crate::observe::{Catalog, RowsSeen};
use crate::quick::judge::{Judgement, LookedUp};
use crate::quick::plan::{Expectation, Unit, explain};
use crate::quick::read::{Ingest, Log};
use crate::reasons::RowReason;
use export::Export;
use reconcile::Reconciliation;

/// A unit, what was seen of it and what we make of it.
#[derive(Debug, Clone)]
pub struct Finding {
    unit: Unit,
    seen: Option<RowsSeen>,
    judgement: Judgement,
}

impl Finding {
    /// Puts the three together.
    pub fn new(unit: Unit, seen: Option<RowsSeen>, judgement: Judgement) -> Self {
        Self {
            unit,
            seen,
            judgement,
        }
    }
}

/// What a quick run found.
#[derive(Debug, Clone)]
pub struct QuickReport {
    verdict: Verdict,
    summary: JsString,
    ingest: Ingest,
    repeated: Vec<JsString>,
    units: Vec<UnitReport>,
    capped: bool,
    /// What the database has.
    catalog: Catalog,
    /// What was not checked, in sentences.
    unchecked: Vec<String>,
}

/// In place of what `--redact` hides.
const HIDDEN: &str = "\u{2026}";

/// One unit with everything the documents say about it.
#[derive(Debug, Clone)]
struct UnitReport {
    finding: Finding,
    tool: JsString,
    reconciliation: Reconciliation,
    export: Option<Export>,
}

/// The finished texts of a run, before anything is written.
#[derive(Debug, Clone)]
pub struct Documents {
    /// The registry file.
    pub registry: String,
    /// The events file.
    pub events: String,
    /// The report file, with its line feed; empty when it was not asked for.
    pub report: String,
    /// Standard output, with its line feed.
    pub certificate: String,
    /// The human report, without a final line feed.
    pub human: String,
}

impl QuickReport {
    /// Sums up the findings of a log.
    pub fn new(log: &Log, catalog: Catalog, findings: Vec<Finding>, capped: bool) -> Self {
        let unchecked = unchecked::sentences(log, &catalog, &findings, capped);
        Self {
            catalog,
            ..Self::summed_up(log, findings, capped, unchecked)
        }
    }

    fn summed_up(log: &Log, findings: Vec<Finding>, capped: bool, unchecked: Vec<String>) -> Self {
        let units: Vec<UnitReport> = findings
            .into_iter()
            .filter_map(|finding| UnitReport::new(finding, log))
            .collect();
        let verdict = roll_up(&units, &log.ingest);
        let summary = summary(verdict, &units, &log.ingest, capped);
        Self {
            verdict,
            summary,
            ingest: log.ingest.clone(),
            repeated: log.repeated.clone(),
            units,
            capped,
            catalog: Catalog::default(),
            unchecked,
        }
    }

    /// A log that was too large to be examined; no database is looked at.
    pub fn unexamined(log: &Log) -> Self {
        let unchecked = vec![texts::LOG_UNREAD.to_owned()];
        Self::summed_up(log, Vec::new(), false, unchecked)
    }

    /// The same without values and keys; names, codes and verdicts stay. What
    /// a replay needs stays, too: the registry and the events.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        self.repeated.fill(HIDDEN.into());
        self.units.iter_mut().for_each(UnitReport::hide);
        self
    }

    /// The verdict of the run.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Builds the documents; nothing is written. The report names every malformed
    /// line, which is too much work for no reader.
    pub fn documents(&self, workflow_id: &str, with_report: bool) -> Result<Documents, RowsError> {
        let tools = self.tools();
        let entries: Vec<&Doc> = tools.iter().map(|export| &export.entry).collect();
        let human = human::report(self);
        let certificate = certificate::certificate(self, workflow_id, &human);
        Ok(Documents {
            registry: canonical::of(&entries)?,
            events: events(&tools, workflow_id),
            report: if with_report {
                canonical::of(&self.doc())? + "\n"
            } else {
                String::new()
            },
            certificate: canonical::of(&certificate)? + "\n",
            human,
        })
    }

    /// Which table and column every parameter went to, for people.
    pub fn mapping_text(&self, log: &Log) -> String {
        explain(log, &self.catalog)
    }

    /// Exported tools in UTF-16 order of their id; ids are ASCII.
    fn tools(&self) -> Vec<&Export> {
        let mut tools: Vec<&Export> = self
            .units
            .iter()
            .filter_map(|unit| unit.export.as_ref())
            .collect();
        tools.sort_by(|a, b| a.tool_id.cmp(&b.tool_id));
        tools
    }

    fn header_codes(&self) -> Vec<RowReason> {
        if self.capped {
            vec![RowReason::UnitCapExceeded]
        } else {
            Vec::new()
        }
    }

    /// The report, version 4 (A.13).
    fn doc(&self) -> Doc {
        let exported = self.units.iter().filter(|unit| unit.export.is_some());
        let exported = exported.count();
        let repeated = self.repeated.iter();
        let warnings = repeated.map(|key| {
            object! { "code": RowReason::DedupeDropped.code(), "actionKey": key }
        });
        let header = self.header_codes().into_iter().map(RowReason::code);
        let units = self.units.iter().map(UnitReport::doc);
        let tools = self.tools().into_iter().map(|tool| &tool.entry);
        object! {
            "schemaVersion": 4, "verdict": texts::rollup_word(self.verdict),
            "summary": self.summary, "verificationMode": "inferred",
            "scope": object! {
                "quickVerifyVersion": "1.2.1",
                "capabilities": ["inferred_row", "inferred_related_exists"],
                "limitations": [
                    "quick_verify_inferred_row_and_related_exists_only",
                    "no_multi_effect_contract",
                    "no_destructive_or_forbidden_row_contract",
                    "contract_replay_export_row_and_eligible_related_exists_tools",
                ],
                "ingestContract": "structured_tool_activity", "groundTruth": "read_only_sql",
            },
            "productTruth": object! {
                "doesNotProve": texts::DOES_NOT_PROVE,
                "layers": object! {
                    "declared": texts::LAYER_DECLARED, "expected": texts::LAYER_EXPECTED,
                    "observed": texts::LAYER_OBSERVED,
                },
                "quickVerifyProvisional": true,
                "contractReplayPartialCoverage": exported > 0 && exported < self.units.len(),
            },
            "ingest": object! {
                "reasonCodes": self.ingest.all_codes().map(RowReason::code).collect::<Vec<_>>(),
                "malformedLineCount": self.ingest.malformed_lines,
            },
            "ingestWarnings": some(warnings), "runHeaderReasonCodes": some(header),
            "units": units.collect::<Vec<_>>(),
            "exportableRegistry": object! { "tools": tools.collect::<Vec<_>>() },
            "evidenceCompleteness": evidence::completeness(self).doc(),
        }
    }
}

/// A list, unless it is empty.
fn some<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let items: Vec<T> = items.collect();
    (!items.is_empty()).then_some(items)
}

impl UnitReport {
    fn new(finding: Finding, log: &Log) -> Option<Self> {
        let action = crate::quick::plan::action_of(log, &finding.unit)?;
        let reconciliation = Reconciliation::of(&finding, &action.tool, &action.flat.canonical());
        let export = export::export(&finding, action);
        Some(Self {
            tool: action.tool.clone(),
            reconciliation,
            export,
            finding,
        })
    }

    fn hide(&mut self) {
        let identity = match &mut self.finding.unit.expectation {
            Expectation::Row(request) => {
                for (_, value) in &mut request.fields {
                    *value = Scalar::String(HIDDEN.into());
                }
                &mut request.identity
            }
            Expectation::Related(request) => &mut request.match_eq,
            Expectation::Unmapped(_) => &mut Vec::new(),
        };
        for pair in identity {
            pair.value = HIDDEN.into();
        }
        if let LookedUp::Mismatch {
            expected, actual, ..
        } = &mut self.finding.judgement.facts
        {
            HIDDEN.clone_into(expected);
            HIDDEN.clone_into(actual);
        }
        self.reconciliation = Reconciliation::of(&self.finding, &self.tool, HIDDEN);
    }

    fn id(&self) -> &str {
        self.finding.unit.id.as_str()
    }

    fn verdict(&self) -> Verdict {
        self.finding.judgement.verdict
    }

    fn reasons(&self) -> &[RowReason] {
        &self.finding.judgement.reasons
    }

    fn expectation(&self) -> &Expectation {
        &self.finding.unit.expectation
    }

    fn kind(&self) -> &'static str {
        match self.expectation() {
            Expectation::Row(_) | Expectation::Unmapped(_) => "row",
            Expectation::Related(_) => "related_exists",
        }
    }

    fn table(&self) -> String {
        self.expectation().table().shown()
    }

    /// One sentence: what we make of it, and why.
    fn explanation(&self) -> String {
        let why: Vec<&str> = self
            .reasons()
            .iter()
            .map(|code| texts::human_fragment_for_reason_code(*code))
            .collect();
        match self.verdict() {
            Verdict::Confirmed => texts::what_was_confirmed(&self.finding.unit),
            Verdict::Refuted => format!(
                "The database contradicts the tool call: {}.",
                why.join("; ")
            ),
            Verdict::Undecided => format!("Nothing was established: {}.", why.join("; ")),
        }
    }

    fn doc(&self) -> Doc {
        let unit = &self.finding.unit;
        let alternates = match self.expectation() {
            Expectation::Unmapped(unmapped) => &unmapped.alternates[..],
            Expectation::Row(_) | Expectation::Related(_) => &[],
        };
        let alternates = alternates
            .iter()
            .map(|(table, score)| object! { "table": table.shown(), "score": score });
        object! {
            "unitId": self.id(), "kind": self.kind(), "verdict": texts::unit_word(self.verdict()),
            "confidence": unit.confidence,
            "reasonCodes": self.reasons().iter().map(|code| code.code()).collect::<Vec<_>>(),
            "sourceAction": object! { "toolName": self.tool, "actionIndex": unit.action },
            "contractEligible": self.export.is_some(),
            "inference": object! {
                "table": self.table(), "rationale": unit.rationale, "alternates": some(alternates),
            },
            "verification": verification(&self.finding.judgement.facts),
            "explanation": self.explanation(), "reconciliation": self.reconciliation.doc(),
            "correctnessDefinition": correctness::definition(self),
        }
    }
}

fn verification(facts: &LookedUp) -> Doc {
    match facts {
        LookedUp::None => Doc::default(),
        LookedUp::Rows(count) => object! { "rowCount": count },
        LookedUp::Shape(keys) => object! { "rowCount": 1, "rowKeys": keys },
        LookedUp::Unreadable(field) => object! { "rowCount": 1, "field": field },
        LookedUp::Mismatch {
            field,
            expected,
            actual,
        } => object! { "rowCount": 1, "field": field, "expected": expected, "actual": actual },
    }
}

/// A.4, and A.6: a run that dropped tool calls cannot pass, nor one with calls
/// that could not be read.
fn roll_up(units: &[UnitReport], ingest: &Ingest) -> Verdict {
    let worst = Verdict::roll_up(units.iter().map(UnitReport::verdict));
    let is_partial =
        ingest.has(RowReason::IngestActionCap) || ingest.has(RowReason::IngestUnreadableArguments);
    if worst == Verdict::Confirmed && is_partial {
        Verdict::Undecided
    } else {
        worst
    }
}

fn summary(verdict: Verdict, units: &[UnitReport], ingest: &Ingest, capped: bool) -> JsString {
    let count = |verdict| {
        units
            .iter()
            .filter(|unit| unit.verdict() == verdict)
            .count()
    };
    let mut text = format!(
        "Inferred and provisional: {} over {} unit(s): {} verified, {} failed, {} uncertain.",
        texts::rollup_word(verdict),
        units.len(),
        count(Verdict::Confirmed),
        count(Verdict::Refuted),
        count(Verdict::Undecided),
    );
    for code in ingest.distinct_codes() {
        let _ = write!(text, " Ingest {code}: {}.", code.reason().meaning);
    }
    if capped {
        let _ = write!(
            text,
            " {}: further units were not checked.",
            RowReason::UnitCapExceeded
        );
    }
    debug_assert!(
        unit_len(&text) <= 2048,
        "the codes are few and their texts short"
    );
    one_line_js(text.as_str().into())
}

/// A.3b: one line for each exported tool, in the same order.
fn events(tools: &[&Export], workflow_id: &str) -> String {
    let workflow_id = canonical::quoted(workflow_id.into());
    let mut text = String::new();
    for (seq, tool) in tools.iter().enumerate() {
        let tool_id = canonical::quoted(tool.tool_id.as_str().into());
        let _ = writeln!(
            text,
            "{{\"schemaVersion\":1,\"workflowId\":{workflow_id},\"seq\":{seq},\"type\":\"tool_observed\",\"toolId\":{tool_id},\"params\":{}}}",
            tool.params
        );
    }
    text
}
