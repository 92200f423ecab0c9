//! The Outcome Certificate of a contract run, and the material truth in it.
//! Both may hold millions of steps, so they are written, never built.

use std::io::{self, Write};

use crosscheck_core::canonical::{self, CanonicalError};
use crosscheck_core::digest::{Digest, Hasher};
use serde::Serialize;
use serde_json::Value;

use super::{Collector, Head, Report, WorkflowStatus, correctness, evidence, human, texts};
use crate::check::error::ContractError;
use crate::check::judge::StepStatus;
use crate::check::read::Log;
use crate::wire::certificate_v3::{FailureSpine, Reliance, RunKind};

/// The parts of a certificate other than its lists.
pub(crate) struct Certificate {
    /// Members as canonical text, by name; `None` where a list is written.
    members: Vec<(&'static str, Option<String>)>,
    pub(super) headline: String,
    pub(crate) human: String,
    pub(crate) blocker: Value,
    pub(crate) relation: &'static str,
}

/// One sentence about the run.
pub(crate) fn trust_sentence(collected: &Collector, log: &Log, head: &Head) -> String {
    let uncertain_only = head.run_level.is_empty()
        && collected.has(StepStatus::Uncertain)
        && !collected.has(StepStatus::Incomplete);
    let sentence = match head.status {
        WorkflowStatus::Complete => texts::TRUSTED,
        WorkflowStatus::Inconsistent => texts::NOT_TRUSTED_MISMATCH,
        WorkflowStatus::Incomplete if uncertain_only => texts::NOT_TRUSTED_UNCERTAIN,
        WorkflowStatus::Incomplete => texts::NOT_TRUSTED_INCOMPLETE,
    };
    let suffix = if log.sequence.is_empty() {
        ""
    } else {
        texts::IRREGULAR_SUFFIX
    };
    format!("{sentence}{suffix}")
}

pub(super) fn certificate(
    collected: &Collector,
    log: &Log,
    head: &Head,
) -> Result<Certificate, ContractError> {
    let trust = trust_sentence(collected, log, head);
    let headline = head
        .analysis
        .as_ref()
        .map_or_else(|| trust.clone(), |analysis| super::line(&analysis.summary));
    let completeness = evidence::completeness(collected, log, head);
    let (rationale, reliance, relation, decision) = match head.status {
        WorkflowStatus::Complete => (
            texts::RELIANCE_PERMITTED,
            Reliance::Permitted,
            "matches_expectations",
            "safe",
        ),
        WorkflowStatus::Inconsistent => (
            texts::RELIANCE_MISMATCH,
            Reliance::Prohibited,
            "does_not_match",
            "unsafe",
        ),
        WorkflowStatus::Incomplete => (
            texts::RELIANCE_OPEN,
            Reliance::Prohibited,
            "not_established",
            "unknown",
        ),
    };
    let spine = FailureSpine {
        schema_version: 1,
        trust_decision: decision,
        summary: headline.as_str().into(),
        actionable_failure: evidence::failure(head.analysis.as_ref()),
        primary_codes: primary_codes(collected, log, head),
        rerun_guidance: guidance(head),
        source: "workflow",
    };
    let definition = head
        .analysis
        .as_ref()
        .map(|analysis| correctness::definition(head, analysis, collected.driver.as_ref()));
    let human = human::report(
        collected,
        log,
        head,
        &trust,
        &completeness,
        &spine,
        definition.as_ref(),
    )?;
    let blocker = serde_json::to_value(completeness.blocker_category).unwrap_or_default();
    let text = |value: &dyn erased::Canonical| value.text().map(Some);
    let mut members = Vec::new();
    if let Some(definition) = &definition {
        members.push(("correctnessDefinition", text(definition)?));
    }
    members.extend([
        ("evidenceCompleteness", text(&completeness)?),
        ("explanation", None),
        ("failureSpine", text(&spine)?),
        ("highStakesReliance", text(&reliance)?),
        ("humanReport", text(&human)?),
        ("intentSummary", text(&trust)?),
        ("releaseCriticalVerdict", text(&collected.critical)?),
        ("relianceRationale", text(&rationale)?),
        ("runKind", text(&RunKind::ContractSql)?),
        ("schemaVersion", text(&3)?),
        ("stateRelation", text(&relation)?),
        ("steps", None),
        ("workflowId", text(&head.workflow_id)?),
    ]);
    Ok(Certificate {
        members,
        headline,
        human,
        blocker,
        relation,
    })
}

mod erased {
    use super::{CanonicalError, ContractError, Serialize, canonical};

    /// Anything that has a canonical text.
    pub(super) trait Canonical {
        fn text(&self) -> Result<String, ContractError>;
    }

    impl<T: Serialize> Canonical for T {
        fn text(&self) -> Result<String, ContractError> {
            canonical::of(self)
                .map_err(|error: CanonicalError| ContractError::internal(error.to_string()))
        }
    }
}

fn primary_codes(collected: &Collector, log: &Log, head: &Head) -> Vec<String> {
    let codes = match &head.analysis {
        Some(analysis) => analysis
            .evidence
            .first()
            .map(|first| first.codes.clone())
            .unwrap_or_default(),
        None => evidence::codes(collected, log),
    };
    let codes = if codes.is_empty() {
        vec!["UNCLASSIFIED"]
    } else {
        codes
    };
    codes.into_iter().take(24).map(str::to_owned).collect()
}

const fn guidance(head: &Head) -> &'static str {
    match head.status {
        WorkflowStatus::Complete => {
            "No rerun is needed; run again when the workflow or its data change."
        }
        WorkflowStatus::Inconsistent | WorkflowStatus::Incomplete => {
            "Follow the primary remediation item, then run the same command again."
        }
    }
}

impl Report {
    /// Writes the certificate as canonical JSON, without a newline.
    pub fn write_certificate(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"{")?;
        for (at, (name, text)) in self.certificate.members.iter().enumerate() {
            write!(out, "{}\"{name}\":", if at > 0 { "," } else { "" })?;
            match text {
                Some(text) => out.write_all(text.as_bytes())?,
                None if *name == "steps" => {
                    out.write_all(b"[")?;
                    self.steps.copy_to(out)?;
                    out.write_all(b"]")?;
                }
                None => {
                    out.write_all(b"{\"details\":[")?;
                    self.details.copy_to(out)?;
                    let headline = canonical::quoted(self.certificate.headline.as_str().into());
                    write!(out, "],\"headline\":{headline}}}")?;
                }
            }
        }
        out.write_all(b"}")
    }

    /// The hash of the certificate's bytes.
    pub fn certificate_hash(&self) -> io::Result<Digest> {
        let mut hasher = Hasher::new();
        self.write_certificate(&mut hasher)?;
        Ok(hasher.finish())
    }

    /// Writes what drift compares, as canonical JSON without a newline.
    pub fn write_material_truth(&self, out: &mut dyn Write) -> io::Result<()> {
        let blocker = self.certificate.blocker.to_string();
        let codes = serde_json::to_string(&self.reason_codes).unwrap_or_default();
        write!(
            out,
            "{{\"checkpointVerdicts\":[],\"evidenceGapPrimary\":{blocker},\"reasonCodes\":{codes},"
        )?;
        write!(
            out,
            "\"runKind\":\"contract_sql\",\"schemaVersion\":2,\"stateRelation\":\"{}\",\"steps\":[",
            self.certificate.relation
        )?;
        let mut first = true;
        self.steps.each(|step| {
            if !std::mem::take(&mut first) {
                out.write_all(b",")?;
            }
            let (before, after) = without_mark(step);
            out.write_all(before)?;
            out.write_all(after)
        })?;
        let workflow = canonical::quoted(self.head.workflow_id.as_str().into());
        write!(out, "],\"workflowId\":{workflow}}}")
    }

    /// The hash of the material truth.
    pub fn material_truth_hash(&self) -> io::Result<Digest> {
        let mut hasher = Hasher::new();
        self.write_material_truth(&mut hasher)?;
        Ok(hasher.finish())
    }

    /// The member `stateRelation`.
    pub fn relation(&self) -> &'static str {
        self.certificate.relation
    }
}

/// A step of the certificate without the mark of release-critical ones. Inside
/// a JSON string its quotes would be escaped, so that the bytes found are the
/// member itself.
fn without_mark(step: &[u8]) -> (&[u8], &[u8]) {
    const MARK: &[u8] = b",\"releaseCritical\":";
    let Some(at) = memchr::memmem::find(step, MARK) else {
        return (step, b"");
    };
    let (before, rest) = step.split_at(at);
    let value = rest.get(MARK.len()..).unwrap_or_default();
    let after = value
        .iter()
        .position(|byte| *byte == b',')
        .unwrap_or(value.len());
    (before, value.get(after..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_member_is_taken_out() {
        let step = br#"{"observedOutcome":"x \",\"releaseCritical\":true","releaseCritical":false,"seq":1}"#;
        let (before, after) = without_mark(step);
        assert_eq!(
            [before, after].concat(),
            br#"{"observedOutcome":"x \",\"releaseCritical\":true","seq":1}"#
        );
    }
}
