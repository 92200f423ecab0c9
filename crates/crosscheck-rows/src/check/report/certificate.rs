//! The Outcome Certificate of a contract run, and the material truth in it.
//! Both may hold millions of steps, which are written and never held.
//!
//! Contract: check 11.

use std::io::{self, Write};

use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::{Verdict, canonical};

use super::{Collector, Head, Report, correctness, evidence, human, texts};
use crate::certificate::{self, Blocker, Doc, Spine, word};
use crate::check::error::ContractError;
use crate::check::judge::StepStatus;
use crate::check::read::Log;

/// A certificate without its steps and details.
pub(crate) struct Certificate {
    /// Its canonical text before, between and behind these lists.
    around: [String; 3],
    pub(super) headline: String,
    pub(crate) human: String,
    blocker: Blocker,
    relation: &'static str,
}

/// One sentence about the run.
pub(crate) fn trust_sentence(collected: &Collector, log: &Log, head: &Head) -> String {
    let uncertain_only = head.run_level.is_empty()
        && collected.has(StepStatus::Uncertain)
        && !collected.has(StepStatus::Incomplete);
    let sentence = match head.status {
        Verdict::Confirmed => texts::TRUSTED,
        Verdict::Refuted => texts::NOT_TRUSTED_MISMATCH,
        Verdict::Undecided if uncertain_only => texts::NOT_TRUSTED_UNCERTAIN,
        Verdict::Undecided => texts::NOT_TRUSTED_INCOMPLETE,
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
    let (rationale, trust_decision) = match head.status {
        Verdict::Confirmed => (texts::RELIANCE_PERMITTED, "safe"),
        Verdict::Refuted => (texts::RELIANCE_MISMATCH, "unsafe"),
        Verdict::Undecided => (texts::RELIANCE_OPEN, "unknown"),
    };
    let spine = Spine {
        trust_decision,
        summary: headline.as_str().into(),
        failure: completeness.failure,
        codes: primary_codes(collected, log, head),
        guidance: guidance(head),
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
    let whole = certificate::Certificate {
        workflow_id: &head.workflow_id,
        run_kind: "contract_sql",
        verdict: head.status,
        is_permitted: head.status == Verdict::Confirmed,
        critical: collected.critical,
        rationale,
        intent: trust.into(),
        details: Vec::new(),
        steps: Vec::new(),
        human: &human,
        evidence: &completeness,
        spine: &spine,
        definition,
    };
    Ok(Certificate {
        around: around_lists(&whole.doc())?,
        headline,
        blocker: completeness.blocker,
        relation: certificate::relation(head.status),
        human,
    })
}

fn around_lists(certificate: &Doc) -> Result<[String; 3], ContractError> {
    let internal = |error: canonical::CanonicalError| ContractError::internal(error.to_string());
    let text = canonical::of(certificate).map_err(internal)?;
    // inside a JSON string quotes are escaped, and only the workflow id is behind the steps
    let parts = text
        .split_once("\"explanation\":{\"details\":[]")
        .and_then(|(before, rest)| Some((before, rest.rsplit_once("\"steps\":[]")?)));
    let (before, (between, behind)) =
        parts.ok_or_else(|| ContractError::internal("a certificate has two lists"))?;
    Ok([
        format!("{before}\"explanation\":{{\"details\":["),
        format!("]{between}\"steps\":["),
        format!("]{behind}"),
    ])
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
        Verdict::Confirmed => "No rerun is needed; run again when the workflow or its data change.",
        Verdict::Refuted | Verdict::Undecided => {
            "Follow the primary remediation item, then run the same command again."
        }
    }
}

impl Report {
    /// Writes the certificate as canonical JSON, without a newline.
    pub fn write_certificate(&self, out: &mut dyn Write) -> io::Result<()> {
        let [before, between, behind] = &self.certificate.around;
        out.write_all(before.as_bytes())?;
        self.details.copy_to(out)?;
        out.write_all(between.as_bytes())?;
        self.steps.copy_to(out)?;
        out.write_all(behind.as_bytes())
    }

    /// The hash of the certificate's bytes.
    pub fn certificate_hash(&self) -> io::Result<Digest> {
        let mut hasher = Hasher::new();
        self.write_certificate(&mut hasher)?;
        Ok(hasher.finish())
    }

    /// Writes what drift compares, as canonical JSON without a newline.
    pub fn write_material_truth(&self, out: &mut dyn Write) -> io::Result<()> {
        let blocker = word(&self.certificate.blocker);
        let codes = serde_json::to_string(&self.reason_codes).unwrap_or_default();
        write!(
            out,
            "{{\"checkpointVerdicts\":[],\"evidenceGapPrimary\":\"{blocker}\",\"reasonCodes\":{codes},"
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
