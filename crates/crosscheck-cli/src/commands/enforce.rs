//! `crosscheck enforce`.

use std::path::PathBuf;

use crosscheck::check::ContractError;
use crosscheck::check::ContractFailure;
use crosscheck::check::enforce::{self, Acceptance, EnforceRequest, Mode};
use crosscheck::core::advice::EXIT_DRIFT;
use crosscheck::core::canonical;
use crosscheck::core::clock::{Clock as _, SystemClock};

use super::check::Plan;
use crate::args::EnforceArgs;
use crate::failure::Failure;
use crate::output::Streams;

const STATE_DIR: &str = ".crosscheck/enforce";
const LINKS_MAX: usize = 8;
const LINK_LEN_MAX: usize = 2048;

/// Runs the command; every failure is one envelope.
pub(crate) fn run(args: &EnforceArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let told = |error: ContractError| Failure::enveloped(&error);
    let mode = mode(args).map_err(told)?;
    let plan = Plan::new(&args.check).map_err(told)?;
    let mut checked = plan.check(streams).map_err(told)?;
    plan.write_bundles(&mut checked).map_err(told)?;
    let run_id = plan.run_id(&mut checked).map_err(told)?;
    let request = EnforceRequest {
        folder: args
            .state_dir
            .clone()
            .unwrap_or_else(|| PathBuf::from(STATE_DIR)),
        mode,
        write: !args.no_state_write,
        run_id,
        clock: &SystemClock,
    };
    let enforced = enforce::enforce(&mut checked.report, &request).map_err(told)?;
    let line = canonical::of(&enforced.document)
        .map_err(|error| told(ContractError::internal(error.to_string())))?;
    if !enforced.drifted || plan.is_human() {
        plan.tell(&checked, streams);
    }
    streams
        .try_data((line + "\n").as_bytes())
        .map_err(|error| told(ContractError::internal(format!("stdout: {error}"))))?;
    if enforced.drifted {
        let drift = ContractError::new(
            ContractFailure::OutputLockMismatch,
            "the run differs from the accepted baseline; standard output has the drift",
        );
        Failure::enveloped(&drift).tell(streams);
        return Ok(EXIT_DRIFT);
    }
    Ok(plan.exit_code(&checked))
}

fn mode(args: &EnforceArgs) -> Result<Mode, ContractError> {
    let creates = args.create_baseline || args.replace_baseline;
    if creates && args.accept_drift {
        return Err(ContractError::enforce_usage(
            "--create-baseline and --accept-drift exclude each other",
        ));
    }
    if creates {
        return Ok(Mode::CreateBaseline {
            replace: args.replace_baseline,
        });
    }
    if args.accept_drift {
        return acceptance(args).map(Mode::AcceptDrift);
    }
    Ok(Mode::Check)
}

fn acceptance(args: &EnforceArgs) -> Result<Acceptance, ContractError> {
    let need = |value: &Option<String>, flag: &str, variable: &str| {
        let standing = || {
            environment(&format!("CROSSCHECK_{variable}"))
                .or_else(|| environment(&format!("AGENTSKEPTIC_{variable}")))
        };
        value
            .clone()
            .or_else(standing)
            .filter(|text| !text.trim().is_empty())
            .ok_or_else(|| ContractError::enforce_usage(format!("--accept-drift needs {flag}")))
    };
    let expected_hash = need(
        &args.expected_projection_hash,
        "--expected-projection-hash",
        "ENFORCE_EXPECTED_PROJECTION_HASH",
    )?;
    let version = need(
        &args.lifecycle_state_version,
        "--lifecycle-state-version",
        "ENFORCE_LIFECYCLE_STATE_VERSION",
    )?;
    let version = version.parse().map_err(|_| {
        ContractError::enforce_usage("--lifecycle-state-version is not a whole number")
    })?;
    let reason = need(&args.reason, "--reason", "ACCEPT_REASON")?;
    let owner = need(&args.owner, "--owner", "ACCEPT_OWNER")?;
    if args.evidence_link.len() > LINKS_MAX {
        return Err(ContractError::enforce_usage(format!(
            "at most {LINKS_MAX} --evidence-link"
        )));
    }
    for link in &args.evidence_link {
        if !link.starts_with("https://") || link.len() > LINK_LEN_MAX {
            return Err(ContractError::enforce_usage(format!(
                "--evidence-link must be an https URL of at most {LINK_LEN_MAX} characters"
            )));
        }
    }
    if let Some(time) = &args.review_by
        && !enforce::is_after(time, SystemClock.now())
    {
        return Err(ContractError::enforce_usage(
            "--review-by must be an RFC 3339 time in the future",
        ));
    }
    Ok(Acceptance {
        expected_hash,
        version,
        reason,
        owner,
        review_by: args.review_by.clone(),
        links: args.evidence_link.clone(),
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line reads the environment"
)]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
