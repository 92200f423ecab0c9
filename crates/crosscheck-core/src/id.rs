//! Ids are types: checked once, when they are made.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names one thing that was checked, unique within a run.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String")]
pub struct UnitId(String);

/// An id must not be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an id cannot be empty")]
pub struct EmptyId;

impl UnitId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id `prefix` followed by `index`, as in `u0`.
    pub fn numbered(prefix: char, index: usize) -> Self {
        Self(format!("{prefix}{index}"))
    }
}

impl TryFrom<String> for UnitId {
    type Error = EmptyId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.is_empty() {
            Err(EmptyId)
        } else {
            Ok(Self(text))
        }
    }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_id_is_refused() {
        assert_eq!(UnitId::try_from(String::new()), Err(EmptyId));
        assert_eq!(UnitId::numbered('u', 3).as_str(), "u3");
    }
}
