//! `crosscheck enforce`.

use std::path::{Path, PathBuf};

use crosscheck::check::ContractError;
use crosscheck::check::ContractFailure;
use crosscheck::check::enforce::{self, Acceptance, EnforceRequest, Enforced, Mode};
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
    of_check(args, streams).map_err(|error| Failure::enveloped(&error))
}

/// Runs `check`, and compares what it found.
fn of_check(args: &EnforceArgs, streams: &mut Streams) -> Result<u8, ContractError> {
    let mode = mode(args)?;
    let plan = Plan::new(&args.check)?;
    let checked = plan.check(streams)?;
    plan.write_bundles(&checked)?;
    let run_id = plan.run_id(&checked)?;
    let enforced = enforce::enforce(&checked, &request(args, mode, run_id)?)?;
    if !enforced.drifted || plan.is_human() {
        plan.tell(&checked, streams);
    }
    answer(&enforced, plan.exit_code(&checked), streams)
}

fn request(
    args: &EnforceArgs,
    mode: Mode,
    run_id: String,
) -> Result<EnforceRequest<'static>, ContractError> {
    Ok(EnforceRequest {
        folder: match &args.state_dir {
            Some(folder) => folder.clone(),
            None => own_folder()?,
        },
        mode,
        write: !args.no_state_write,
        run_id,
        clock: &SystemClock,
    })
}

/// The folder of the project that nobody named. Whoever can put a link there
/// must not choose where the baseline is kept.
fn own_folder() -> Result<PathBuf, ContractError> {
    let folder = PathBuf::from(STATE_DIR);
    for part in [folder.parent(), Some(folder.as_path())]
        .into_iter()
        .flatten()
    {
        let is_link = part
            .symlink_metadata()
            .is_ok_and(|about| about.is_symlink());
        let is_inside = || {
            let here = Path::new(".").canonicalize().ok()?;
            Some(part.canonicalize().ok()?.starts_with(here))
        };
        if is_link && is_inside() != Some(true) {
            return Err(ContractError::new(
                ContractFailure::EnforceStateCorrupt,
                format!(
                    "`{}` is a link out of the project, so that its state would be kept elsewhere; remove the link, or name the folder with --state-dir",
                    part.display()
                ),
            ));
        }
    }
    Ok(folder)
}

/// Prints the answer; drift wins over the exit code of the run.
fn answer(enforced: &Enforced, exit: u8, streams: &mut Streams) -> Result<u8, ContractError> {
    let line = canonical::of(&enforced.document)
        .map_err(|error| ContractError::internal(error.to_string()))?;
    streams
        .try_data((line + "\n").as_bytes())
        .map_err(|error| ContractError::internal(format!("stdout: {error}")))?;
    if !enforced.drifted {
        return Ok(exit);
    }
    let drift = ContractError::new(
        ContractFailure::OutputLockMismatch,
        "the run differs from the accepted baseline; standard output has the drift",
    );
    Failure::enveloped(&drift).tell(streams);
    Ok(EXIT_DRIFT)
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
