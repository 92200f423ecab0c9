//! `evidenceSummary` of a step: what was counted and compared.

use serde_json::{Map, Value, json};

/// What was seen, without the effects.
#[derive(Debug, Clone)]
pub(crate) enum Evidence {
    /// Nothing but a number of rows. Most steps end so.
    Rows(u8),
    /// Anything else, as the report shows it.
    Facts(Map<String, Value>),
}

impl Evidence {
    /// As the report shows it.
    pub(crate) fn facts(&self) -> Map<String, Value> {
        match self {
            Self::Rows(count) => Map::from_iter([("rowCount".to_owned(), json!(count))]),
            Self::Facts(facts) => facts.clone(),
        }
    }

    /// How many rows there were, if that was counted.
    pub(crate) fn row_count(&self) -> Option<u64> {
        match self {
            Self::Rows(count) => Some(u64::from(*count)),
            Self::Facts(facts) => facts.get("rowCount").and_then(Value::as_u64),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Rows(_) => None,
            Self::Facts(facts) => facts.get(key),
        }
    }

    pub(super) fn insert(&mut self, key: &str, value: Value) {
        let mut facts = self.facts();
        facts.insert(key.to_owned(), value);
        *self = Self::Facts(facts);
    }
}

impl From<Value> for Evidence {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(facts) => Self::Facts(facts),
            _ => Self::Facts(Map::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_rows_is_shown_as_any_other_fact() {
        let (short, long) = (Evidence::Rows(2), Evidence::from(json!({ "rowCount": 2 })));
        assert_eq!(short.facts(), long.facts());
        assert_eq!(short.row_count(), long.row_count());
    }
}
