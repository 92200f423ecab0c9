//! A JSON file that is changed in one place and otherwise left unchanged:
//! unknown keys, their order and the digits of numbers are kept (workspace 4).

use crosscheck_core::json::{Json, ParseError, Rules};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Files of this kind are small; a deeper one is an attack.
const RULES: Rules = Rules {
    max_depth: Some(64),
    ..Rules::ECMASCRIPT
};

/// Parses with the depth limit of these files; a byte-order mark is tolerated.
pub(crate) fn parse(text: &str) -> Result<Json, ParseError> {
    Json::parse_with(text.strip_prefix('\u{FEFF}').unwrap_or(text), &RULES)
}

/// An object in the order of its file, each value as it is written there. A
/// repeated key keeps its first place and its last value.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct OrderedJson(IndexMap<String, Box<RawValue>>);

impl OrderedJson {
    /// The object in a text.
    pub(crate) fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text.strip_prefix('\u{FEFF}').unwrap_or(text))
    }

    /// Sets a member.
    pub fn set(&mut self, key: &str, value: impl Serialize) {
        let text = serde_json::to_string_pretty(&value).unwrap_or_default();
        let text = text.replace('\n', "\n  ");
        if let Ok(raw) = RawValue::from_string(text) {
            self.0.insert(key.to_owned(), raw);
        }
    }

    /// Removes a member.
    pub fn remove(&mut self, key: &str) {
        self.0.shift_remove(key);
    }

    /// The members of a member that is an object.
    pub(crate) fn members(&self, key: &str) -> IndexMap<String, Box<RawValue>> {
        // `set` indents them again
        let inner = self.0.get(key).map(|raw| raw.get().replace("\n  ", "\n"));
        let inner = inner.and_then(|text| Self::read(&text).ok());
        inner.unwrap_or_default().0
    }

    /// Indented by two spaces, with a final newline.
    pub fn pretty(&self) -> String {
        let members = self.0.iter();
        let members = members.map(|(key, value)| {
            let key = serde_json::Value::from(key.as_str());
            format!("  {key}: {}", value.get())
        });
        format!("{{\n{}\n}}\n", members.collect::<Vec<_>>().join(",\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_changed_stays_as_it_was() {
        let mut document = OrderedJson::read(
            "\u{FEFF}{\"z\":1.50,\"a\":[],\"n\":[1,{\"k\":\"\\u00e4\\n\"}],\"z\":12345678901234567890}",
        )
        .unwrap();
        document.set("new", "x\"y");
        document.set("list", [1]);
        assert_eq!(
            document.pretty(),
            "{\n  \"z\": 12345678901234567890,\n  \"a\": [],\n  \"n\": [1,{\"k\":\"\\u00e4\\n\"}],\n  \"new\": \"x\\\"y\",\n  \"list\": [\n    1\n  ]\n}\n"
        );
    }

    #[test]
    fn deep_nesting_is_refused_and_never_overflows() {
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
