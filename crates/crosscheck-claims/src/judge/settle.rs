//! From the results of its evidence to the result of a claim (claims 6.2).

use super::{Attempt, ClaimStatus};
use crate::request::EvidenceMode;

/// The result of a claim whose evidence was tried in check order.
pub(crate) fn settle(attempts: &[Attempt], mode: EvidenceMode) -> ClaimStatus {
    let any = |status| attempts.iter().any(|attempt| attempt.status == status);
    match mode {
        EvidenceMode::Any if any(ClaimStatus::Passed) => ClaimStatus::Passed,
        EvidenceMode::Any | EvidenceMode::All if any(ClaimStatus::Failed) => ClaimStatus::Failed,
        EvidenceMode::All if any(ClaimStatus::Passed) && !any(ClaimStatus::Partial) => {
            ClaimStatus::Passed
        }
        EvidenceMode::Any | EvidenceMode::All => ClaimStatus::Partial,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasons::ClaimReason;

    #[test]
    fn any_pass_wins_unless_all_must_pass() {
        use ClaimStatus::{Failed, Partial, Passed};
        let table: &[(&[ClaimStatus], ClaimStatus, ClaimStatus)] = &[
            (&[Passed], Passed, Passed),
            (&[Failed, Passed], Passed, Failed),
            (&[Partial, Passed], Passed, Partial),
            (&[Failed, Partial], Failed, Failed),
            (&[Partial], Partial, Partial),
            (&[], Partial, Partial),
        ];
        for (statuses, any, all) in table {
            let attempts: Vec<Attempt> = statuses
                .iter()
                .map(|status| Attempt::new(0, *status, ClaimReason::Unclear))
                .collect();
            assert_eq!(settle(&attempts, EvidenceMode::Any), *any, "{statuses:?}");
            assert_eq!(settle(&attempts, EvidenceMode::All), *all, "{statuses:?}");
        }
    }
}
