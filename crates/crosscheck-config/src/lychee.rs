//! The configuration of the link checker lychee, read as a layer of ours: its
//! keys become those of `[sources]` and `[fetch]`, so that the directions of
//! those decide what a file in the project may do.

use serde_json::{Value, json};

use crate::check::of_toml;
use crate::layer::{ConfigError, Layer, Place};

/// The name that lychee looks for.
pub const LYCHEE_FILE: &str = "lychee.toml";

/// Keys that change neither what is asked nor what is said about it here.
const WITHOUT_EFFECT: &[&str] = &[
    "verbose",
    "no_progress",
    "progress",
    "output",
    "format",
    "mode",
    "color",
    "exclude_mail",
    "include_mail",
    "exclude_all_private",
    "exclude_private",
    "exclude_link_local",
    "exclude_loopback",
    "method",
    "threads",
    "glob_ignore_case",
    "hidden",
    "no_ignore",
    "skip_missing",
    "host_stats",
];

/// A layer, and the keys of the file that mean nothing here.
#[derive(Debug)]
pub struct Lychee {
    /// What it sets.
    pub layer: Layer,
    /// The keys that were not understood, sorted.
    pub unknown: Vec<String>,
}

impl Lychee {
    /// Reads the text of such a file.
    pub fn of_text(
        place: Place,
        text: &str,
        shown: &str,
        is_found: bool,
    ) -> Result<Self, ConfigError> {
        let mut layer = Layer::empty(place, shown.to_owned(), is_found);
        let parsed = text.parse::<toml::Table>();
        let table = parsed.map_err(|error| layer.no_toml(text, &error))?;
        let mut unknown = Vec::new();
        for (name, value) in &table {
            let value = of_toml(value);
            match translated(name, &value) {
                Some((table, key, value)) => layer.add_one(table, key, &value)?,
                None if WITHOUT_EFFECT.contains(&name.as_str()) => {}
                None => unknown.push(name.clone()),
            }
        }
        Ok(Self { layer, unknown })
    }
}

/// The table, key and value of ours that a key of lychee means.
fn translated(name: &str, value: &Value) -> Option<(&'static str, &'static str, Value)> {
    let sources = |key, value: Value| Some(("sources", key, value));
    match name {
        "timeout" => sources("timeout", value.clone()),
        "max_retries" => sources("max_retries", value.clone()),
        "retry_wait_time" => sources("retry_wait", value.clone()),
        "max_redirects" => sources("max_redirects", value.clone()),
        "max_concurrency" => sources("jobs", value.clone()),
        "host_concurrency" => sources("host_concurrency", value.clone()),
        "host_request_interval" => sources("host_request_interval", json!(seconds(value)?)),
        "max_cache_age" => sources("max_cache_age", json!(seconds(value)?)),
        "accept" => sources("accept", json!(statuses(value)?)),
        "include" => sources("include", texts(value)),
        "exclude" => sources("exclude", texts(value)),
        "remap" => sources("remap", texts(value)),
        "basic_auth" => sources("basic_auth", texts(value)),
        "user_agent" => sources("user_agent", value.clone()),
        "require_https" => Some(("fetch", "require_https", value.clone())),
        _ => None,
    }
}

/// A list, where lychee takes one text too.
fn texts(value: &Value) -> Value {
    match value {
        Value::String(_) => json!([value]),
        _ => value.clone(),
    }
}

/// `["200..=204", 403]` or `"200,403"`.
fn statuses(value: &Value) -> Option<String> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match value {
        Value::Array(list) => {
            let all: Option<Vec<String>> = list.iter().map(one).collect();
            all.map(|all| all.join(","))
        }
        _ => one(value),
    }
}

/// `1d`, `2h 30m`, `500ms` or a number of seconds.
fn seconds(value: &Value) -> Option<f64> {
    if let Some(number) = value.as_f64() {
        return Some(number);
    }
    let mut sum = 0.0;
    for part in value.as_str()?.split_whitespace() {
        let end = part.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = part.split_at_checked(end)?;
        let scale = match unit {
            "ms" => 0.001,
            "s" | "sec" | "secs" => 1.0,
            "m" | "min" | "mins" => 60.0,
            "h" | "hr" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            "w" | "week" | "weeks" => 604_800.0,
            _ => return None,
        };
        sum += number.parse::<f64>().ok()? * scale;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "timeout = 30\nexclude = ['^https://a\\.example']\naccept = ['200..=204', 403]\n\
                        max_cache_age = '1d'\nverbose = 'info'\nheader = { authorization = 'x' }\nremap = 'a b'\n\
                        host_request_interval = '50ms'\ncache = true\n";

    #[test]
    fn common_keys_are_translated_and_others_named() {
        let read = Lychee::of_text(Place::Named, TEXT, "lychee.toml", false).unwrap();
        let set: Vec<(String, String)> = read
            .layer
            .values
            .iter()
            .map(|(table, key, value)| (format!("{}.{}", table.name, key.path), value.to_string()))
            .collect();
        for (key, value) in [
            ("sources.timeout", "30.0"),
            ("sources.exclude", r#"["^https://a\\.example"]"#),
            ("sources.accept", r#""200..=204,403""#),
            ("sources.max_cache_age", "86400.0"),
            ("sources.remap", r#"["a b"]"#),
            ("sources.host_request_interval", "0.05"),
        ] {
            let known = set.iter().find(|(name, _)| name == key);
            assert_eq!(known.map(|(_, value)| value.as_str()), Some(value), "{key}");
        }
        assert_eq!(read.unknown, ["cache", "header"]);
        assert!(Lychee::of_text(Place::Named, "timeout = 'x'", "l", false).is_err());
        assert!(Lychee::of_text(Place::Named, "=", "l", false).is_err());
    }

    #[test]
    fn times_are_read_as_lychee_writes_them() {
        for (text, expected) in [
            ("1d", Some(86_400.0)),
            ("2h 30m", Some(9000.0)),
            ("soon", None),
        ] {
            assert_eq!(seconds(&json!(text)), expected, "{text}");
        }
    }
}
