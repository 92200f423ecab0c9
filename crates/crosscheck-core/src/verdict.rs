//! The verdicts that all verifiers share.
//!
//! Each wire contract has its own words; each verifier maps them in one total
//! function. The order of the variants matters here: the worst verdict is the
//! greatest, so a roll-up is `max`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of checking a statement.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Checked, and true.
    Confirmed,
    /// It could not be checked, or the check does not decide.
    Undecided,
    /// Checked, and false.
    Refuted,
}

impl Verdict {
    /// The worst of the parts; without parts [`Verdict::Undecided`].
    pub fn roll_up(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().max().unwrap_or(Self::Undecided)
    }

    /// The exit code of a run that ended with this verdict.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Confirmed => 0,
            Self::Refuted => 1,
            Self::Undecided => 2,
        }
    }

    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Undecided => "undecided",
            Self::Refuted => "refuted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{self, Confirmed, Refuted, Undecided};

    #[test]
    fn roll_up_takes_the_worst_and_treats_nothing_as_undecided() {
        let table: &[(&[Verdict], Verdict)] = &[
            (&[], Undecided),
            (&[Confirmed], Confirmed),
            (&[Confirmed, Undecided], Undecided),
            (&[Undecided, Refuted, Confirmed], Refuted),
        ];
        for (units, expected) in table {
            assert_eq!(
                Verdict::roll_up(units.iter().copied()),
                *expected,
                "units: {units:?}"
            );
        }
    }
}
