//! `crosscheck check`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crosscheck::check::bundle::{self, Decision, Maker, Signer, Staged};
use crosscheck::check::{Checked, ContractError, Policy, Target, Task};
use crosscheck::core::clock::SystemClock;
use crosscheck::core::text::unit_len;
use crosscheck::render;
use crosscheck::{Database, Report};

use crate::args::{CheckArgs, CheckRunArgs};
use crate::failure::Failure;
use crate::ledger::{Inputs, Recorder};
use crate::output::Streams;
use crate::progress::{Loudness, Progress};
use crate::settings::database::{Environment, Given, choose};
use crate::settings::project_root;

const WORKFLOW_ID_MAX: usize = 512;

/// Runs the command; every failure is one envelope.
pub(crate) fn run(args: &CheckArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let plan = Plan::new(&args.run).map_err(|error| Failure::enveloped(&error))?;
    let (recorder, _) = project_root()
        .and_then(|root| Recorder::of_project(args.record.ledger.as_deref(), &root))
        .map_err(|failure| failure.for_contract(true))?;
    let checked = plan
        .check(streams)
        .map_err(|error| Failure::enveloped(&error))?;
    plan.write_bundles(&checked)
        .map_err(|error| Failure::enveloped(&error))?;
    recorder
        .keep(|| checked.neutral().clone(), || plan.inputs())
        .map_err(|failure| failure.for_contract(true))?;
    plan.tell(&checked, streams);
    streams
        .try_stream(|out| {
            if let Some(format) = args.report_format {
                let style = render::Style::default();
                return render::render(checked.neutral(), format, &style, out);
            }
            checked.write_certificate(out)?;
            out.write_all(b"\n")
        })
        .map_err(|error| {
            Failure::enveloped(&ContractError::internal(format!(
                "stdout: the result was not written: {error}"
            )))
        })?;
    Ok(plan.exit_code(&checked))
}

/// The command line, checked in the order of the contract.
pub(crate) struct Plan {
    pub(crate) task: Task,
    run_bundle: Option<PathBuf>,
    decision_bundle: Option<PathBuf>,
    decision: Decision,
    signer: Option<Signer>,
    human_report: bool,
    budget_counts: bool,
    /// Every file that the run reads.
    read: Vec<PathBuf>,
}

impl Plan {
    pub(crate) fn new(args: &CheckRunArgs) -> Result<Self, ContractError> {
        let workflow_id = workflow_id(args.workflow_id.as_ref())?;
        let project = args.project.as_deref();
        let events = path(args.events.as_ref(), project, "events.ndjson", "--events")?;
        let registry = path(args.registry.as_ref(), project, "tools.json", "--registry")?;
        let database = database(args)?;
        let policy = policy(args)?;
        if args.sign_ed25519_private_key.is_some()
            && args.write_run_bundle.is_none()
            && args.write_decision_bundle.is_none()
        {
            return Err(ContractError::usage(
                "--sign-ed25519-private-key needs --write-run-bundle or --write-decision-bundle",
            ));
        }
        for (path, flag) in [
            (&args.write_run_bundle, "--write-run-bundle"),
            (&args.write_decision_bundle, "--write-decision-bundle"),
            (&args.coverage_budget, "--coverage-budget"),
        ] {
            if path
                .as_ref()
                .is_some_and(|path| path.as_os_str().is_empty())
            {
                return Err(ContractError::usage(format!("{flag} is empty")));
            }
        }
        if let (Some(run), Some(decision)) = (&args.write_run_bundle, &args.write_decision_bundle)
            && is_one_folder(run, decision)
        {
            return Err(ContractError::usage(
                "--write-run-bundle and --write-decision-bundle need a folder each",
            ));
        }
        let budget = budget(args);
        if args.enforce_coverage_budget && budget.is_none() {
            return Err(ContractError::usage(
                "--enforce-coverage-budget needs a coverage budget: name one with --coverage-budget",
            ));
        }
        let mut decision = Decision::load(
            args.decision_attestation.as_deref(),
            args.decision_next_action.as_deref(),
        )?;
        decision.without_human_report = args.no_human_report;
        let signer = match &args.sign_ed25519_private_key {
            Some(path) => Some(Signer::load(path)?),
            None => None,
        };
        let read = read_files(args, &events, &registry, budget.as_ref(), &database);
        Ok(Self {
            read,
            task: Task {
                workflow_id,
                events,
                registry,
                database,
                policy,
                budget,
                with_result: args.write_run_bundle.is_some(),
                timeout: args.timeout,
            },
            run_bundle: args.write_run_bundle.clone(),
            decision_bundle: args.write_decision_bundle.clone(),
            decision,
            signer,
            human_report: !args.no_human_report,
            budget_counts: args.enforce_coverage_budget,
        })
    }

    pub(crate) fn check(&self, streams: &Streams) -> Result<Report<Checked>, ContractError> {
        let loudness = Loudness {
            terminal_only: true,
            ..Loudness::default()
        };
        self.task.run(&mut Progress::new(loudness, streams))
    }

    pub(crate) fn write_bundles(&self, checked: &Checked) -> Result<(), ContractError> {
        let maker = Maker {
            version: env!("CARGO_PKG_VERSION"),
            clock: &SystemClock,
            inputs: &self.read,
        };
        let signer = self.signer.as_ref();
        let mut staged = Vec::new();
        if let Some(folder) = &self.run_bundle {
            staged.push(bundle::stage_run(
                folder,
                checked,
                &checked.log,
                signer,
                maker,
            )?);
        }
        if let Some(folder) = &self.decision_bundle {
            let run_id = self.run_id(checked)?;
            let decision = &self.decision;
            staged.push(bundle::stage_decision(
                folder, checked, decision, signer, maker, &run_id,
            )?);
        }
        // neither is replaced when one of them cannot be
        staged.iter().try_for_each(Staged::check)?;
        staged.into_iter().try_for_each(Staged::place)
    }

    /// The events and the registry.
    fn inputs(&self) -> Inputs {
        Inputs::files([self.task.events.as_path(), self.task.registry.as_path()])
    }

    /// The run bundle's folder names the run, else the certificate does.
    pub(crate) fn run_id(&self, checked: &Checked) -> Result<String, ContractError> {
        if let Some(name) = self.run_bundle.as_deref().and_then(bundle::base_name) {
            return Ok(name);
        }
        let hash = checked
            .certificate_hash()
            .map_err(|error| ContractError::internal(error.to_string()))?;
        Ok(format!("run-{}", hash.hex().get(..16).unwrap_or_default()))
    }

    /// The lines of standard error, in the order of the contract.
    pub(crate) fn tell(&self, checked: &Checked, streams: &mut Streams) {
        let mut text = checked.verdict_lines();
        if let Some(budget) = &checked.budget {
            text.push_str(&budget.lines);
            if self.human_report {
                text.push_str(&budget.block);
            }
        }
        streams.talk(&text);
        if self.human_report {
            streams.talk(checked.human());
            streams.talk("\n");
        }
    }

    /// As the state says; a budget that must be met and is not turns 0 into 1.
    pub(crate) fn exit_code(&self, checked: &Checked) -> u8 {
        let missed = checked.budget.as_ref().is_some_and(|budget| budget.missed);
        match checked.verdict().exit_code() {
            0 if missed && self.budget_counts => 1,
            state => state,
        }
    }

    pub(crate) fn is_human(&self) -> bool {
        self.human_report
    }
}

fn workflow_id(value: Option<&OsString>) -> Result<String, ContractError> {
    let missing = || ContractError::usage("--workflow-id <id> is missing; it is never guessed");
    workflow_name(value.ok_or_else(missing)?).map_err(ContractError::usage)
}

/// The name of a workflow, as it may stand on a certificate.
pub(super) fn workflow_name(value: &OsStr) -> Result<String, String> {
    let id = value.to_str().ok_or("--workflow-id is not UTF-8 text")?;
    if id.is_empty() || unit_len(id) > WORKFLOW_ID_MAX {
        return Err(format!(
            "--workflow-id must have 1 to {WORKFLOW_ID_MAX} characters"
        ));
    }
    Ok(id.to_owned())
}

/// Every file that the run reads.
fn read_files(
    args: &CheckRunArgs,
    events: &Path,
    registry: &Path,
    budget: Option<&PathBuf>,
    database: &Target,
) -> Vec<PathBuf> {
    let named = [
        &args.decision_attestation,
        &args.decision_next_action,
        &args.sign_ed25519_private_key,
    ];
    let file = match database {
        Target::Database(Database::Sqlite(path)) => Some(path.clone()),
        _ => None,
    };
    [events, registry]
        .into_iter()
        .map(Path::to_owned)
        .chain(budget.cloned())
        .chain(file)
        .chain(named.into_iter().flatten().cloned())
        .collect()
}

fn path(
    given: Option<&PathBuf>,
    project: Option<&Path>,
    name: &str,
    flag: &str,
) -> Result<PathBuf, ContractError> {
    match (given, project) {
        (Some(path), _) if !path.as_os_str().is_empty() => Ok(path.clone()),
        (None, Some(root)) => Ok(in_project(root, name)),
        _ => Err(ContractError::usage(format!(
            "{flag} <path> is missing or empty"
        ))),
    }
}

/// Whether two paths lead to one folder, which may not be there yet.
fn is_one_folder(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let found = path.canonicalize();
        found.or_else(|_| std::path::absolute(path)).ok()
    };
    place(a) == place(b)
}

/// Our own folder of a project comes first, also as the one that is missed.
fn in_project(root: &Path, name: &str) -> PathBuf {
    let [ours, theirs] = ["crosscheck", "agentskeptic"].map(|folder| root.join(folder).join(name));
    if !ours.exists() && theirs.exists() {
        theirs
    } else {
        ours
    }
}

fn budget(args: &CheckRunArgs) -> Option<PathBuf> {
    let standing = || {
        let path = in_project(args.project.as_deref()?, "coverage-budget.json");
        path.exists().then_some(path)
    };
    args.coverage_budget.clone().or_else(standing)
}

fn database(args: &CheckRunArgs) -> Result<Target, ContractError> {
    let given = Given {
        db: args.db.as_deref(),
        takes_urls: true,
        postgres_url: args.postgres_url.as_deref(),
        mysql_url: args.mysql_url.as_deref(),
        schemas: &[],
    };
    choose(given, &Environment::read()).map_err(ContractError::usage)
}

fn policy(args: &CheckRunArgs) -> Result<Policy, ContractError> {
    let (window, poll) = (&args.verification_window_ms, &args.poll_interval_ms);
    match (args.consistency.as_deref(), window, poll) {
        (None | Some("strong"), None, None) => Ok(Policy::Strong),
        (None | Some("strong"), _, _) => Err(ContractError::usage(
            "--verification-window-ms and --poll-interval-ms go with --consistency eventual only",
        )),
        (Some("eventual"), Some(window), Some(poll)) => Policy::eventual(window, poll),
        (Some("eventual"), _, _) => Err(ContractError::usage(
            "--consistency eventual needs --verification-window-ms and --poll-interval-ms",
        )),
        (Some(_), _, _) => Err(ContractError::usage("--consistency is strong or eventual")),
    }
}
