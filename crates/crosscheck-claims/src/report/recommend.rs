//! The recommendation, with the words that the contract requires (claims 3.3).

use crate::Checked;
use crate::judge::ClaimStatus;
use crate::wire::StatusV1;

const FAILED: &str =
    "Rerun /cf-run with stronger evidence requirements, or run cf-critic on the failed claims.";
const PARTIAL: &str = "Use more line_range and symbol_range locators, with quotes, so that every claim can be re-read.";
const OUTSIDE: &str = "Some evidence lies outside the project root and was not opened; pass --allow-outside-root if it may be read.";

pub(super) fn text(status: StatusV1, checked: &[Checked<'_>]) -> String {
    let unverified = checked
        .iter()
        .any(|one| one.status == ClaimStatus::Partial || one.unverified);
    let refused = checked.iter().any(|one| one.refused);
    let mut parts = Vec::new();
    match status {
        StatusV1::Ok => {}
        StatusV1::Partial => parts.push(PARTIAL),
        StatusV1::Failed => {
            parts.push(FAILED);
            if unverified {
                parts.push(PARTIAL);
            }
        }
    }
    if refused {
        parts.push(OUTSIDE);
    }
    parts.join(" ")
}
