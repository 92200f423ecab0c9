//! A JSON file that is changed in one place and otherwise left unchanged:
//! unknown keys, their order and the digits of numbers are kept (workspace 4).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// An object in the order of its file, each value as it is written there. A
/// repeated key keeps its first place and its last value.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
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

    /// Sets a member that is an object; what else it had stays behind these members.
    pub(crate) fn set_members(&mut self, key: &str, mut members: Self) {
        // `set` indents them again
        let old = self.0.get(key).map(|raw| raw.get().replace("\n  ", "\n"));
        let old = old.and_then(|text| Self::read(&text).ok());
        for (name, value) in old.unwrap_or_default().0 {
            members.0.entry(name).or_insert(value);
        }
        self.set(key, members);
    }

    /// Removes a member.
    pub fn remove(&mut self, key: &str) {
        self.0.shift_remove(key);
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
}
