//! The one report type: the neutral view, the same for all verifiers, and the
//! contract documents of the verifier that made it.

use std::ops::Deref;
use std::sync::OnceLock;

use crosscheck_core::{Outcome, Verdict};

/// The neutral view of a run, which every renderer can show.
pub use crosscheck_core::Report as Neutral;

/// The report of a verifier, in its own terms.
pub trait Findings {
    /// The verdict of the run.
    fn verdict(&self) -> Verdict;

    /// The neutral view. Costly for a large run, so built only on request.
    fn neutral(&self) -> Neutral;
}

/// Reports that have both under these names.
macro_rules! findings {
    ($($report:ty),*) => { $(
        impl Findings for $report {
            fn verdict(&self) -> Verdict {
                Self::verdict(self)
            }

            fn neutral(&self) -> Neutral {
                Self::neutral(self)
            }
        }
    )* };
}
findings!(
    crosscheck_pr::PrReport,
    crosscheck_rows::report::Report,
    crosscheck_trace::TraceReport
);

/// The result of a run. It dereferences to the verifier's own report, which has
/// the contract documents.
#[derive(Debug)]
pub struct Report<F> {
    findings: F,
    neutral: OnceLock<Neutral>,
}

impl<F: Findings> Report<F> {
    /// The report of these findings.
    pub const fn new(findings: F) -> Self {
        Self {
            findings,
            neutral: OnceLock::new(),
        }
    }

    /// The verdict of the run.
    pub fn verdict(&self) -> Verdict {
        self.findings.verdict()
    }

    /// The neutral view without secrets, built at the first call.
    pub fn neutral(&self) -> &Neutral {
        self.neutral
            .get_or_init(|| self.findings.neutral().masked())
    }

    /// The neutral view itself, for who needs nothing else.
    pub fn into_neutral(self) -> Neutral {
        let built = self.neutral.into_inner();
        built.unwrap_or_else(|| self.findings.neutral().masked())
    }

    /// One outcome for each thing that was checked.
    pub fn units(&self) -> &[Outcome] {
        &self.neutral().outcomes
    }
}

impl<F> Deref for Report<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.findings
    }
}

impl<F: Findings> AsRef<Neutral> for Report<F> {
    fn as_ref(&self) -> &Neutral {
        self.neutral()
    }
}
