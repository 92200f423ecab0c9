//! The settings of one verification.

use std::path::PathBuf;

use crosscheck_core::digest::Digest;

/// The settings of one run.
#[derive(Debug, Clone)]
pub struct TraceRequest {
    /// Where the run is.
    pub input: Input,
    /// Root for evidence and sealed files, if there is one.
    pub artifacts: Option<PathBuf>,
    /// Least number of supports per derived claim; can only raise that of the
    /// trace.
    pub min_supports: u64,
    /// How derived claims are treated if the run declares insufficient evidence.
    pub insufficient: Insufficient,
    /// Whether the absence of a seal is a failure.
    pub require_seal: bool,
    /// The hash the trace file must have.
    pub expect_trace_sha256: Option<Digest>,
    /// Whether the hash of the trace file is needed even if nothing is compared
    /// with it.
    pub hash_trace: bool,
    /// Only changes which numbers are reported.
    pub policy: Policy,
    /// How many failures are listed per check.
    pub max_failures: usize,
}

/// Where trace and plan are.
#[derive(Debug, Clone)]
pub enum Input {
    /// `trace.jsonl` and `plan.json` in this directory; a missing plan is a
    /// finding.
    RunDir(PathBuf),
    /// Files named by the caller; a missing one is an error.
    Files {
        /// The trace; `None` is standard input.
        trace: Option<PathBuf>,
        /// The plan.
        plan: PathBuf,
    },
}

/// How derived claims are treated if the run declares insufficient evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Insufficient {
    /// They pass when each is clearly marked.
    #[default]
    Marked,
    /// They fail.
    Forbid,
}

/// Which numbers are reported. Never changes the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Those of the contract.
    #[default]
    Strict,
    /// Some more.
    Audit,
}

impl Policy {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Audit => "audit",
        }
    }
}

impl TraceRequest {
    /// The default request for a run directory.
    pub fn run_dir(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            artifacts: Some(folder.clone()),
            ..Self::of(Input::RunDir(folder))
        }
    }

    /// The default request for an input, without artifacts.
    pub fn of(input: Input) -> Self {
        Self {
            input,
            artifacts: None,
            min_supports: 0,
            insufficient: Insufficient::Marked,
            require_seal: false,
            expect_trace_sha256: None,
            hash_trace: false,
            policy: Policy::Strict,
            max_failures: 1000,
        }
    }
}
