//! `enforce`: a run against an accepted baseline, with the state in a file.

pub(crate) mod drift;
mod state;

use std::path::PathBuf;

use crosscheck_core::Verdict;
use crosscheck_core::clock::Clock;
use crosscheck_core::digest::Digest;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::bundle::timestamp;
use super::error::ContractError;
use super::read::moment::rfc3339;
use super::reasons::{ContractFailure as Failure, ContractReason};
use super::report::Report;
use super::schema::document;
use crate::reasons::RowReason;
use state::{Acceptance as Accepted, Baseline, History, State, StateFile};

const NEXT_AFTER_DRIFT: &str = "repair the drift, or accept it: crosscheck enforce ... --accept-drift --expected-projection-hash with the value of expected_projection_hash_for_accept, and --lifecycle-state-version with the value of lifecycle_state_version";
/// A drift that was not written down cannot be accepted; only a run that stores
/// it gives the version an acceptance asks for.
const NEXT_AFTER_UNSTORED_DRIFT: &str = "repair the drift, or store and accept it: nothing was stored because of --no-state-write, so run the same command without it, then again with --accept-drift, --expected-projection-hash and --lifecycle-state-version from the answer of that run";
const NEXT_AFTER_UNSTORED: &str =
    "nothing was stored because of --no-state-write: run the same command without it";
const NEXT_WHILE_FAILING: &str = "the run equals its baseline, but does not hold itself (see the verdict lines and the exit code): repair what failed and set a new baseline with --replace-baseline";

/// What is asked of the lifecycle.
#[derive(Debug)]
pub enum Mode {
    /// compare with the baseline
    Check,
    /// make this run the baseline
    CreateBaseline {
        /// Whether there may be one already.
        replace: bool,
    },
    /// make the drifted run the baseline
    AcceptDrift(Acceptance),
}

/// Who accepts a drift, and why.
#[derive(Debug)]
pub struct Acceptance {
    /// The hash of the baseline that is given up.
    pub expected_hash: String,
    /// The state that was looked at.
    pub version: u64,
    /// Why.
    pub reason: String,
    /// Who.
    pub owner: String,
    /// Until when the acceptance holds without a look.
    pub review_by: Option<String>,
    /// A link to more.
    pub links: Vec<String>,
}

/// What one call is asked to do.
pub struct EnforceRequest<'a> {
    /// Where states are kept.
    pub folder: PathBuf,
    /// What is asked.
    pub mode: Mode,
    /// Whether the state may be written.
    pub write: bool,
    /// Names the run.
    pub run_id: String,
    /// The clock.
    pub clock: &'a dyn Clock,
}

/// What the lifecycle answers.
#[derive(Debug)]
pub struct Enforced {
    /// The document for standard output.
    pub document: Value,
    /// Whether the run drifted from the baseline.
    pub drifted: bool,
}

/// Takes a finished run through the lifecycle.
pub fn enforce(report: &Report, request: &EnforceRequest<'_>) -> Result<Enforced, ContractError> {
    if let Some(unread) = report.unread.as_ref().filter(|unread| unread.is_silence) {
        return refuse(Failure::EnforceRunUnread, not_read(&unread.message));
    }
    let mut truth = Vec::new();
    report.write_material_truth(&mut truth)?;
    let workflow_id = &report.head.workflow_id;
    let file = StateFile::new(&request.folder, workflow_id);
    // without a file there is nothing to guard unless one will be made
    let makes = matches!(request.mode, Mode::CreateBaseline { .. });
    let guards = request.write && (makes || file.exists());
    let lock = if guards { Some(file.lock()?) } else { None };
    // what appears meanwhile was not guarded and is not looked at
    let found = if request.write && !guards {
        None
    } else {
        file.read()?
    };
    let mut run = Run {
        now: timestamp(request.clock),
        id: &request.run_id,
        hash: Digest::of(&truth).hex(),
        truth,
        report,
        writes: request.write,
        state: found.unwrap_or_else(|| State::missing(workflow_id)),
        body: serde_json::Map::new(),
        drifted: false,
    };
    let before = run.state.lifecycle_state_version;
    let due = run.state.needs_rebaseline;
    let answer = match &request.mode {
        Mode::Check => run.check(),
        Mode::CreateBaseline { replace } => run.create(*replace),
        Mode::AcceptDrift(acceptance) => run.accept(acceptance),
    };
    // some refusals are transitions, too
    let is_changed =
        run.state.lifecycle_state_version != before || run.state.needs_rebaseline != due;
    if request.write && is_changed {
        file.write(&run.state)?;
    }
    drop(lock);
    answer?;
    Ok(Enforced {
        drifted: run.drifted,
        document: run.document(),
    })
}

fn refuse<T>(failure: Failure, why: impl Into<String>) -> Result<T, ContractError> {
    Err(ContractError::new(failure, why))
}

fn not_read(message: &str) -> String {
    format!("the run could not be compared with a baseline: {message}")
}

fn parsed(bytes: &[u8]) -> Value {
    document(bytes).map(|(_, truth)| truth).unwrap_or_default()
}

struct Run<'r> {
    now: String,
    id: &'r str,
    report: &'r Report,
    /// What drift compares, as canonical JSON, and its hash.
    truth: Vec<u8>,
    hash: String,
    /// Whether what is decided will be stored.
    writes: bool,
    state: State,
    body: serde_json::Map<String, Value>,
    drifted: bool,
}

impl Run<'_> {
    fn create(&mut self, replace: bool) -> Result<(), ContractError> {
        let before = self.baseline_hash();
        if before.is_some() && !replace {
            let why = format!(
                "there is a baseline already (lifecycle_state {}); use --replace-baseline to give it up",
                self.state.lifecycle_state
            );
            return refuse(Failure::EnforceInvalidTransition, why);
        }
        self.state.active_acceptance = None;
        self.state.needs_rebaseline = false;
        self.become_baseline()?;
        let reason = "BASELINE_ESTABLISHED";
        self.transition("baseline_active", "baseline_created", before, Some(reason));
        self.decide("decision_trusted", reason, None);
        self.say_next("commit the state file and run `crosscheck enforce` on every change");
        Ok(())
    }

    fn check(&mut self) -> Result<(), ContractError> {
        let Some(expected) = self.baseline_hash() else {
            return refuse(
                Failure::EnforceBaselineRequired,
                "there is no baseline for this workflow; run with --create-baseline first",
            );
        };
        if self.state.needs_rebaseline || self.review_is_due() {
            self.state.needs_rebaseline = true;
            return refuse(
                Failure::EnforceBaselineRebaseRequired,
                "the review date of the accepted drift has passed; set a new baseline with --replace-baseline",
            );
        }
        let is_rerun = self.state.lifecycle_state == "rerun_required";
        if expected != self.hash {
            self.must_be_read()?;
            self.drift(&expected, is_rerun);
            return Ok(());
        }
        let open = self.state.lifecycle_state == "action_required";
        let (to, reason, status, kind) = if open {
            ("action_required", "REMEDIATION_ACK_REQUIRED", "", "")
        } else if is_rerun {
            let kind = "governed_acceptance_active";
            ("baseline_active", "RERUN_PASS", "rerun_pass", kind)
        } else {
            ("baseline_active", "CHECK_MATCH", "match", "baseline_match")
        };
        self.transition(to, "check_pass", Some(expected), Some(reason));
        if open {
            return refuse(
                Failure::EnforceRemediationAckRequired,
                "the run matches the baseline again, but the drift before it is not answered: answer it with --accept-drift or --replace-baseline",
            );
        }
        self.decide("decision_trusted", reason, Some(status));
        self.say("pass_kind", json!(kind));
        if is_rerun {
            let governed = self.state.active_acceptance.take();
            let governed = governed.map(|acceptance| acceptance.acceptance_id);
            self.say("governed_acceptance_id", json!(governed));
        }
        self.say_next("");
        Ok(())
    }

    fn drift(&mut self, expected: &str, is_rerun: bool) {
        let (reason, status) = if is_rerun {
            ("RERUN_FAIL", "rerun_fail")
        } else {
            ("DRIFT_DETECTED", "drift")
        };
        let pending = Some(expected.to_owned());
        self.state
            .pending_accept_projection_hash
            .clone_from(&pending);
        self.transition("action_required", "drift_detected", pending, Some(reason));
        self.decide("decision_blocked", reason, Some(status));
        self.say("expected_projection_hash_for_accept", json!(expected));
        let after = parsed(&self.truth);
        self.say("drift", drift::whole(&self.baseline_truth(), &after));
        let next = if self.writes {
            NEXT_AFTER_DRIFT
        } else {
            NEXT_AFTER_UNSTORED_DRIFT
        };
        self.say("next_action", json!(next));
        self.drifted = true;
    }

    fn accept(&mut self, acceptance: &Acceptance) -> Result<(), ContractError> {
        if self.state.lifecycle_state != "action_required" {
            let why = format!(
                "there is no drift to accept: lifecycle_state is {}; a drift is stored by `crosscheck enforce` without --accept-drift and --no-state-write",
                self.state.lifecycle_state
            );
            return refuse(Failure::EnforceInvalidTransition, why);
        }
        if acceptance.version != self.state.lifecycle_state_version {
            let why = format!(
                "lifecycle_state_version is {}, not {}; look at the last drift answer and pass its version",
                self.state.lifecycle_state_version, acceptance.version
            );
            return refuse(Failure::EnforceStaleStateVersion, why);
        }
        let pending = self.state.pending_accept_projection_hash.clone();
        if pending.as_deref() != Some(acceptance.expected_hash.as_str()) {
            return refuse(
                Failure::EnforceExpectedHashMismatch,
                "the named hash is not the one that waits for acceptance; pass `expected_projection_hash_for_accept` from the answer of the check that found the drift (the hash of the baseline, not `actual_projection_hash`)",
            );
        }
        self.must_be_read()?;
        self.become_baseline()?;
        let id = format!("{}\n{}\n{}", self.state.workflow_id, self.hash, self.now);
        let id = Digest::of(id).hex();
        let id = format!("acc-{}", id.get(..16).unwrap_or_default());
        self.state.active_acceptance = Some(Accepted {
            acceptance_id: id.clone(),
            reason: acceptance.reason.clone(),
            owner: acceptance.owner.clone(),
            evidence_links: acceptance.links.clone(),
            review_by: acceptance.review_by.clone(),
            accepted_at: self.now.clone(),
            accepted_material_truth_sha256: self.hash.clone(),
        });
        self.transition("rerun_required", "drift_accepted", pending, None);
        for name in ["decision_state", "decision_reason_code"] {
            self.say(name, Value::Null);
        }
        self.say("accepted_projection_hash", json!(self.hash));
        self.say("acceptance_id", json!(id));
        let next = if self.writes {
            "run `crosscheck enforce` again; a matching run closes the acceptance"
        } else {
            NEXT_AFTER_UNSTORED
        };
        self.say("next_action", json!(next));
        Ok(())
    }

    fn baseline_hash(&self) -> Option<String> {
        let baseline = self.state.baseline.as_ref()?;
        Some(baseline.material_truth_sha256.clone())
    }

    fn baseline_truth(&self) -> Value {
        let baseline = self.state.baseline.as_ref();
        baseline
            .map(|baseline| parsed(baseline.material_truth.get().as_bytes()))
            .unwrap_or_default()
    }

    /// A look-up that the database refuses is not a drift, unless the baseline
    /// has such a step itself.
    fn must_be_read(&self) -> Result<(), ContractError> {
        let Some(unread) = &self.report.unread else {
            return Ok(());
        };
        let truth = self.baseline_truth();
        let codes = truth.get("reasonCodes").and_then(Value::as_array);
        let known = codes.into_iter().flatten().any(|code| {
            *code == RowReason::ConnectorError.code()
                || *code == ContractReason::MultiEffectIncomplete.code()
        });
        if known {
            Ok(())
        } else {
            refuse(Failure::EnforceRunUnread, not_read(&unread.message))
        }
    }

    fn review_is_due(&self) -> bool {
        let acceptance = self.state.active_acceptance.as_ref();
        let due = acceptance.and_then(|acceptance| rfc3339(acceptance.review_by.as_deref()?));
        matches!((due, rfc3339(&self.now)), (Some(due), Some(now)) if due <= now)
    }

    fn become_baseline(&mut self) -> Result<(), ContractError> {
        let material_truth = String::from_utf8(self.truth.clone())
            .map_err(|error| error.to_string())
            .and_then(|text| RawValue::from_string(text).map_err(|error| error.to_string()))
            .map_err(ContractError::internal)?;
        self.state.pending_accept_projection_hash = None;
        self.state.baseline = Some(Baseline {
            material_truth_sha256: self.hash.clone(),
            certificate_sha256: self.report.certificate_hash()?.hex(),
            material_truth,
            run_id: self.id.to_owned(),
            established_at: self.now.clone(),
        });
        Ok(())
    }

    fn transition(
        &mut self,
        to: &str,
        event: &str,
        expected: Option<String>,
        reason: Option<&str>,
    ) {
        let from = std::mem::replace(&mut self.state.lifecycle_state, to.to_owned());
        self.state.lifecycle_state_version += 1;
        self.state.note(History {
            at: self.now.clone(),
            event: event.to_owned(),
            run_id: self.id.to_owned(),
            from,
            to: to.to_owned(),
            expected_projection_hash: expected,
            actual_projection_hash: self.hash.clone(),
            decision_reason_code: reason.map(str::to_owned),
        });
    }

    fn decide(&mut self, state: &str, reason: &str, status: Option<&str>) {
        self.say("decision_state", json!(state));
        self.say("decision_reason_code", json!(reason));
        self.say("actual_projection_hash", json!(self.hash));
        if let Some(status) = status {
            self.say("result_status", json!(status));
            self.say("expected_projection_hash_for_accept", Value::Null);
        }
    }

    /// What to do next. The decision is about the comparison with the baseline
    /// alone, so that somebody must say when what both hold is wrong.
    fn say_next(&mut self, action: &str) {
        let action = if action.is_empty() || self.writes {
            action
        } else {
            NEXT_AFTER_UNSTORED
        };
        let is_sound = self.report.verdict() == Verdict::Confirmed;
        let action = match (is_sound, action) {
            (true, "") => "none".to_owned(),
            (true, action) => action.to_owned(),
            (false, "") => NEXT_WHILE_FAILING.to_owned(),
            (false, action) => format!("{NEXT_WHILE_FAILING}; then {action}"),
        };
        self.say("next_action", json!(action));
    }

    fn say(&mut self, key: &str, value: Value) {
        self.body.insert(key.to_owned(), value);
    }

    fn document(mut self) -> Value {
        let version = self.state.lifecycle_state_version;
        self.say("schema_version", json!(2));
        self.say("code", json!("COMPLETED"));
        self.say("lifecycle_state", json!(self.state.lifecycle_state));
        self.say("lifecycle_state_version", json!(version));
        self.say("workflow_id", json!(self.state.workflow_id));
        self.say("run_id", json!(self.id));
        json!({ "schemaVersion": 2, "enforce": self.body })
    }
}

/// Whether an RFC 3339 time lies after a moment.
pub fn is_after(time: &str, now: std::time::SystemTime) -> bool {
    let now = jiff::Timestamp::try_from(now).ok();
    rfc3339(time) > Some(now.map_or(i64::MAX, jiff::Timestamp::as_millisecond))
}
