//! Whether a key accepts a value, and which of two values is stricter.

use serde_json::{Value, json};
use url::Url;

use crate::key::{Preset, ValueKind};

/// A whole number above this is shown without an upper limit.
const LARGE: u64 = 1 << 50;
/// How much of a wrong value is shown.
const SHOWN: usize = 80;

impl ValueKind {
    /// The checked value; the error says what it must be.
    pub fn check(self, value: &Value) -> Result<Value, String> {
        let refuse = |rule: &str| Err(format!("must be {rule}, got {}", self.shown(value)));
        match self {
            Self::Text => match value.as_str() {
                Some(text) if !text.is_empty() => Ok(json!(text)),
                _ => refuse("a non-empty text"),
            },
            Self::Flag => match value.as_bool() {
                Some(flag) => Ok(json!(flag)),
                None => refuse("true or false"),
            },
            Self::Whole { least, most } => match whole(value) {
                Some(number) if (least..=most).contains(&number) => Ok(json!(number)),
                _ if value.is_number() && most < LARGE => {
                    refuse(&format!("between {least} and {most}"))
                }
                _ => refuse(&format!("a whole number of at least {least}")),
            },
            Self::Seconds(most) => match value.as_f64() {
                Some(number) if (0.0..=f64::from(most)).contains(&number) => Ok(json!(number)),
                _ => refuse(&format!("a number of seconds between 0 and {most}")),
            },
            Self::Share => match share(value) {
                Some(number) if (0.0..=1.0).contains(&number) => Ok(value.clone()),
                _ => refuse("a number from 0 to 1"),
            },
            Self::Word(words) => match value.as_str().filter(|text| words.contains(text)) {
                Some(text) => Ok(json!(text)),
                None => refuse(&format!("one of {}", words.join(", "))),
            },
            Self::Url => match value.as_str().filter(|text| Url::parse(text).is_ok()) {
                Some(text) => Ok(json!(text)),
                None => refuse("an absolute URL"),
            },
            Self::Texts => match texts(value) {
                Some(list) => Ok(json!(list)),
                None => refuse("an array of texts"),
            },
            Self::Program => match texts(value).filter(|argv| !argv.is_empty()) {
                Some(argv) => Ok(json!(argv)),
                None => refuse("an array of texts that names a program"),
            },
            Self::Some(words) => match value.as_bool() {
                Some(true) => Ok(json!(words)),
                Some(false) => Ok(json!([])),
                None => {
                    match texts(value).filter(|list| list.iter().all(|one| words.contains(one))) {
                        Some(list) => Ok(json!(list)),
                        None => refuse(&format!("true, false or an array of {}", words.join(", "))),
                    }
                }
            },
            Self::RelativePath => {
                let is_relative = |text: &&str| !text.is_empty() && !text.starts_with('/');
                match value.as_str().filter(is_relative) {
                    Some(text) => Ok(json!(text)),
                    None => refuse("a non-empty relative path"),
                }
            }
            Self::Paths => {
                let list = value
                    .as_str()
                    .map_or_else(|| texts(value), |one| Some(vec![one]));
                let is_path = |text: &&str| !text.is_empty() && !text.starts_with('/');
                let has_whole = list.iter().flatten().any(|text| text.starts_with('/'));
                match list.filter(|list| !list.is_empty() && list.iter().all(is_path)) {
                    Some(list) => Ok(json!(list)),
                    None if has_whole => {
                        Err("must be a path below the project, got an absolute one".to_owned())
                    }
                    None => refuse("a relative path or a list of them"),
                }
            }
            Self::Date => match day(value) {
                Some(text) => Ok(json!(text)),
                None => refuse("a date such as 2026-12-31"),
            },
            // A table may hold secrets, so it is not shown.
            Self::Table if value.is_object() => Ok(value.clone()),
            Self::Table => Err("must be a table".to_owned()),
            Self::Tables => match value.as_array() {
                Some(list) if list.iter().all(Value::is_object) => Ok(value.clone()),
                _ => Err("must be a list of tables".to_owned()),
            },
        }
    }

    /// A wrong value in a message. Texts of any content may be secrets; only
    /// where one word of a few, a number or a path belongs are they repeated.
    fn shown(self, value: &Value) -> String {
        match self {
            Self::Text
            | Self::Url
            | Self::Texts
            | Self::Paths
            | Self::Program
            | Self::Table
            | Self::Tables => kind_of(value).to_owned(),
            _ => shown(value),
        }
    }

    /// Reads a variable as the value a file would hold: as text, or as a TOML
    /// or JSON value.
    pub(crate) fn of_variable(self, text: &str) -> Value {
        match self {
            Self::Text | Self::Word(_) | Self::Url | Self::RelativePath | Self::Date => {
                json!(text)
            }
            Self::Flag if text == "1" || text == "0" => json!(text == "1"),
            _ => serde_json::from_str(text)
                .ok()
                .or_else(|| of_toml_text(text))
                .unwrap_or_else(|| json!(text)),
        }
    }

    /// Reads what was typed for an option as the value a file would hold.
    pub fn of_option(self, text: &str) -> Result<Value, String> {
        let value = match self {
            Self::Seconds(_) => json!(seconds(text)?),
            Self::Share => json!(text),
            Self::Texts | Self::Program => return Ok(json!(text)),
            _ => self.of_variable(text),
        };
        self.check(&value)
    }

    /// The position of a value between the most lenient and the strictest.
    pub(crate) fn rank(self, value: &Value) -> Option<f64> {
        match self {
            Self::Flag => value.as_bool().map(|flag| f64::from(u8::from(flag))),
            Self::Whole { .. } | Self::Seconds(_) => value.as_f64(),
            Self::Share => share(value),
            Self::Word(words) => {
                let place = words.iter().position(|word| value == word)?;
                u32::try_from(place).ok().map(f64::from)
            }
            _ => None,
        }
    }
}

impl Preset {
    /// The default as a value, if there is one.
    pub fn value(self) -> Option<Value> {
        Some(match self {
            Self::Unset | Self::Depends(_) => return None,
            Self::Flag(flag) => json!(flag),
            Self::Number(number) => json!(number),
            Self::Text(text) => json!(text),
            Self::Texts(list) => json!(list),
        })
    }
}

/// The same value as JSON. No setting is a date, so a date becomes its text.
pub(crate) fn of_toml(value: &toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => json!({"date": date.to_string()}),
        toml::Value::Array(values) => values.iter().map(of_toml).collect(),
        toml::Value::Table(table) => table
            .iter()
            .map(|(key, value)| (key.clone(), of_toml(value)))
            .collect(),
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) => json!(number),
        toml::Value::Boolean(truth) => json!(truth),
    }
}

/// `5`, `0.5`, `5s` or `500ms`.
pub fn seconds(text: &str) -> Result<f64, String> {
    let (number, scale) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1000.0),
        (None, Some(number)) => (number, 1.0),
        (None, None) => (text, 1.0),
    };
    let value = number.trim().parse::<f64>();
    value
        .map(|value| value / scale)
        .map_err(|_| "a number of seconds is wanted".to_owned())
}

fn of_toml_text(text: &str) -> Option<Value> {
    let table: toml::Table = format!("value = {text}").parse().ok()?;
    let mut values = table.iter();
    let (_, value) = values.next()?;
    values.next().is_none().then(|| of_toml(value))
}

fn whole(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "whole and in the range of exact doubles"
    )]
    (number.fract() == 0.0 && (0.0..=LARGE as f64).contains(&number)).then_some(number as u64)
}

/// A share that is a number, or its digits.
pub fn share(value: &Value) -> Option<f64> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    match value {
        Value::String(text) if text.bytes().all(is_digit) => text.parse().ok(),
        other => other.as_f64(),
    }
}

/// A date of the file, or its text.
fn day(value: &Value) -> Option<&str> {
    let text = value.get("date").unwrap_or(value).as_str()?;
    let parsed: toml::value::Datetime = text.parse().ok()?;
    (parsed.date.is_some() && parsed.time.is_none() && parsed.offset.is_none()).then_some(text)
}

fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

/// What a value is, without the value.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(text) if text.is_empty() => "an empty text",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(table) if table.len() == 1 && table.contains_key("date") => "a date",
        Value::Object(_) => "a table",
    }
}

/// A message of a deserializer without the value that it repeats.
pub(crate) fn without_value(message: &str) -> String {
    let known = ["invalid type: ", "invalid value: ", "unknown variant "];
    let parts = known
        .iter()
        .find_map(|head| Some((head, message.strip_prefix(head)?)))
        .and_then(|(head, rest)| Some((head, rest.rsplit_once(", expected ")?)));
    let Some((head, (found, expected))) = parts else {
        return message.to_owned();
    };
    let kind = found.split(['"', '`']).next().unwrap_or_default();
    format!("{head}{kind}").trim_end().to_owned() + ", expected " + expected
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_text_or_a_toml_or_json_value() {
        let checked = |kind: ValueKind, text: &str| kind.check(&kind.of_variable(text));
        let number = ValueKind::Whole { least: 0, most: 9 };
        assert_eq!(checked(ValueKind::Text, "5"), Ok(json!("5")));
        assert_eq!(checked(number, "5"), Ok(json!(5)));
        assert_eq!(checked(ValueKind::Seconds(9), "5.5"), Ok(json!(5.5)));
        assert_eq!(checked(ValueKind::Flag, "true"), Ok(json!(true)));
        assert_eq!(checked(ValueKind::Flag, "1"), Ok(json!(true)));
        assert_eq!(checked(ValueKind::Share, "0.28"), Ok(json!(0.28)));
        assert_eq!(
            checked(ValueKind::Texts, r#"["a", 'b']"#),
            Ok(json!(["a", "b"]))
        );
        assert!(checked(ValueKind::Table, r#"{"a":{"b":"c"}}"#).is_ok());
        let some = ValueKind::Some(&["a", "b"]);
        assert_eq!(checked(some, "true"), Ok(json!(["a", "b"])));
        assert_eq!(checked(some, r#"["b"]"#), Ok(json!(["b"])));
        assert!(checked(number, "soon").is_err());
        assert!(checked(number, "5\nother = 'x'").is_err());
    }

    #[test]
    fn a_text_that_may_be_a_secret_is_not_repeated() {
        let secret = "host u:S3cret";
        for kind in [
            ValueKind::Texts,
            ValueKind::Program,
            ValueKind::Url,
            ValueKind::Table,
            ValueKind::Tables,
        ] {
            for value in [json!(secret), json!([[secret]]), json!({ "a": secret })] {
                let why = kind.check(&value).err().unwrap_or_default();
                assert!(!why.contains("S3cret"), "{why}");
            }
        }
        let why = ValueKind::Texts.check(&json!(secret)).unwrap_err();
        assert_eq!(why, "must be an array of texts, got a text");
        for (message, clean) in [
            (
                "invalid type: string \"u:S3, expected `x`\", expected a map",
                "invalid type: string, expected a map",
            ),
            (
                "invalid value: integer `7`, expected u8",
                "invalid value: integer, expected u8",
            ),
            (
                "unknown variant `S3cret`, expected `a` or `b`",
                "unknown variant, expected `a` or `b`",
            ),
            ("missing field `a`", "missing field `a`"),
        ] {
            assert_eq!(without_value(message), clean);
        }
    }

    #[test]
    fn a_wrong_value_says_what_it_must_be() {
        let why = |kind: ValueKind, value: Value| kind.check(&value).unwrap_err();
        let number = ValueKind::Whole { least: 1, most: 10 };
        assert_eq!(why(number, json!(11)), "must be between 1 and 10, got 11");
        assert_eq!(
            why(ValueKind::Flag, json!("maybe")),
            "must be true or false, got \"maybe\""
        );
        assert_eq!(
            why(ValueKind::Word(&["a", "b"]), json!("c")),
            "must be one of a, b, got \"c\""
        );
        assert_eq!(why(ValueKind::Table, json!("secret")), "must be a table");
        assert_eq!(
            why(ValueKind::Tables, json!({"a": 1})),
            "must be a list of tables"
        );
        assert_eq!(
            why(ValueKind::Some(&["a"]), json!(["b"])),
            "must be true, false or an array of a, got [\"b\"]"
        );
        assert!(why(ValueKind::Share, json!("1e-3")).starts_with("must be a number from 0 to 1"));
    }
}
