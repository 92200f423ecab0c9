//! One reason not to trust a report, and what follows from it.

use crosscheck_core::Level;
use serde::Serialize;

use crate::reasons::Finding;
use crate::status::WorkspaceStatus;

/// The effect of a finding on the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The work is not complete.
    Fail,
    /// A person has to review it.
    NeedsReview,
    /// Worth knowing.
    Note,
}

impl Effect {
    /// The best status that is still possible.
    pub const fn allows(self) -> WorkspaceStatus {
        match self {
            Self::Fail => WorkspaceStatus::Fail,
            Self::NeedsReview => WorkspaceStatus::NeedsReview,
            Self::Note => WorkspaceStatus::Pass,
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FindingSeen {
    /// The code.
    #[serde(serialize_with = "as_code")]
    #[schemars(with = "String")]
    pub code: Finding,
    /// Its effect.
    pub effect: Effect,
    /// The message of this case, in one line.
    pub detail: String,
}

impl FindingSeen {
    /// A finding with the effect that its code has.
    pub(super) fn new(code: Finding, detail: impl Into<String>) -> Self {
        let effect = match code.reason().level {
            Level::Error => Effect::Fail,
            Level::Warning => Effect::NeedsReview,
            Level::Note => Effect::Note,
        };
        Self {
            code,
            effect,
            detail: detail.into(),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn as_code<S: serde::Serializer>(code: &Finding, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.code())
}
