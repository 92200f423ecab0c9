//! `crosscheck quick`, `crosscheck check` and the commands around it: baselines, registries,
//! certificates, bundles.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use crosscheck::render::Format;

use super::ledger::LedgerOption;
use super::options::{options, subcommands};

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum CompareCommand {
    Certificates(CertificatesArgs),
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum DecisionBundleCommand {
    Validate(ValidateArgs),
}

subcommands!(CompareCommand, DecisionBundleCommand);

options! {
    "quick" QuickArgs {
        input: Option<OsString>,
        db: Option<OsString>,
        postgres_url: Option<OsString>,
        mysql_url: Option<OsString>,
        export_registry: Option<OsString>,
        emit_events: Option<OsString>,
        workflow_id: Option<OsString>,
        no_human_report: bool,
        write_report: Option<OsString>,
        explain_mapping: bool,
        input_format: Option<OsString>,
        format: Option<OsString>,
        report_format: Option<OsString>,
        schema: Vec<OsString>,
        timeout: Option<OsString>,
        redact: bool,
    }

    "check" CheckArgs {
        run: CheckRunArgs,
        report_format: Option<Format>,
        record: LedgerOption,
    }
    "a run of check" CheckRunArgs {
        workflow_id: Option<OsString>,
        events: Option<PathBuf>,
        registry: Option<PathBuf>,
        project: Option<PathBuf>,
        db: Option<OsString>,
        postgres_url: Option<OsString>,
        mysql_url: Option<OsString>,
        timeout: Option<Duration>,
        consistency: Option<String>,
        verification_window_ms: Option<String>,
        poll_interval_ms: Option<String>,
        no_human_report: bool,
        write_run_bundle: Option<PathBuf>,
        write_decision_bundle: Option<PathBuf>,
        decision_attestation: Option<PathBuf>,
        decision_next_action: Option<PathBuf>,
        sign_ed25519_private_key: Option<PathBuf>,
        coverage_budget: Option<PathBuf>,
        enforce_coverage_budget: bool,
    }

    "enforce" EnforceArgs {
        check: CheckRunArgs,
        create_baseline: bool,
        replace_baseline: bool,
        accept_drift: bool,
        state_dir: Option<PathBuf>,
        no_state_write: bool,
        expected_projection_hash: Option<String>,
        lifecycle_state_version: Option<String>,
        reason: Option<String>,
        owner: Option<String>,
        review_by: Option<String>,
        evidence_link: Vec<String>,
    }

    "validate-registry" ValidateRegistryArgs {
        registry: Option<PathBuf>,
        events: Option<PathBuf>,
        workflow_id: Option<String>,
    }
    "compare" CompareArgs {
        command: CompareCommand,
    }
    "decision-bundle" DecisionBundleArgs {
        command: DecisionBundleCommand,
    }
    "verify-bundle-signature" VerifyBundleSignatureArgs {
        run_dir: Option<PathBuf>,
        public_key: Option<PathBuf>,
        explain: bool,
    }
    "compare certificates" CertificatesArgs {
        before: Option<PathBuf>,
        after: Option<PathBuf>,
        steps: bool,
        fail_on: Vec<String>,
    }
    "decision-bundle validate" ValidateArgs {
        folder: PathBuf,
        public_key: Option<PathBuf>,
    }
}
