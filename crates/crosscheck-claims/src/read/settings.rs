//! `.claude/context-firewall.local.md`: front matter of Settings.v1.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crosscheck_core::files::{ReadError, drain_limited, open_regular};
use serde_json::{Map, Value};

use super::scalar::{self, Scalar};
use crate::rate::Rate;
use crate::request::Risk;
use crate::warning::Warnings;

/// Where the settings stand below the root.
const PLACE: &str = ".claude/context-firewall.local.md";
/// The largest settings file.
const MAX_BYTES: u64 = 1024 * 1024;

/// What the settings say, as far as a verification asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    low: Rate,
    medium: Rate,
    high: Rate,
    /// Whether reports are kept.
    pub persist: bool,
    /// Where reports are kept; relative to the root.
    pub persist_dir: PathBuf,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            low: Rate::hundredths(5),
            medium: Rate::hundredths(15),
            high: Rate::hundredths(30),
            persist: true,
            persist_dir: PathBuf::from(".claude/context-firewall"),
        }
    }
}

impl Settings {
    /// Reads the text of a settings file; whatever is wrong with it is a warning.
    pub fn parse(text: &str, warnings: &mut Warnings) -> Self {
        let mut settings = Self::default();
        apply(text, &mut settings, warnings);
        settings
    }

    /// The sampling rate at this risk.
    pub const fn rate(&self, risk: Risk) -> &Rate {
        match risk {
            Risk::Low => &self.low,
            Risk::Medium => &self.medium,
            Risk::High => &self.high,
        }
    }
}

/// Reads the settings below this root; whatever is wrong with them is a warning.
pub(crate) fn read_settings(root: &Path, warnings: &mut Warnings) -> Settings {
    let mut settings = Settings::default();
    let path = root.join(PLACE);
    let read = open_regular(&path).and_then(|file| {
        drain_limited(file, MAX_BYTES).map_err(|source| ReadError::Io {
            path: path.clone(),
            source,
        })
    });
    match read {
        Ok(Some(bytes)) => apply(&String::from_utf8_lossy(&bytes), &mut settings, warnings),
        Ok(None) => warnings.add(
            PLACE,
            "settings_unreadable",
            "the file is larger than 1 MiB",
        ),
        Err(ReadError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => warnings.add(PLACE, "settings_unreadable", error.to_string()),
    }
    settings
}

fn apply(text: &str, settings: &mut Settings, warnings: &mut Warnings) {
    let Some(front) = front_matter(text) else {
        warnings.add(
            PLACE,
            "settings_no_front_matter",
            "there is no front matter; defaults apply",
        );
        return;
    };
    // Of YAML 1.2 core only `true` and `false` are truth values, not `no` or `off`; and a
    // `.nan`, which becomes null, spoils only its own key.
    let rules = serde_saphyr::options! {
        strict_booleans: true,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
    };
    let map = match serde_saphyr::from_str_with_options(&front, rules) {
        Ok(Value::Object(map)) => map,
        Ok(_) => {
            warnings.add(
                PLACE,
                "settings_not_a_map",
                "the front matter is not a map; defaults apply",
            );
            return;
        }
        Err(error) => {
            let message = crosscheck_core::text::one_line(&error.to_string());
            warnings.add(
                PLACE,
                "settings_bad_yaml",
                format!("the front matter is not YAML: {message}"),
            );
            return;
        }
    };
    let written = Written::of(&front);
    Reader {
        settings,
        warnings,
        written,
    }
    .top(&map);
}

/// The block between the first line `---` and the next one.
fn front_matter(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines = text.lines();
    if lines.next() != Some("---") {
        return None;
    }
    let mut block = String::new();
    for line in lines {
        if line == "---" {
            return Some(block);
        }
        block.push_str(line);
        block.push('\n');
    }
    None
}

/// Values as they are written: of a rate a double would have lost the last places, and the reader
/// takes `fAlse` for a truth value and `0b1` for a number, which YAML 1.2 core does not.
#[derive(Default)]
struct Written {
    rates: HashMap<String, String>,
    enabled: Option<String>,
    keeps: Option<String>,
    folder: Option<String>,
}

impl Written {
    fn of(front: &str) -> Self {
        #[derive(Default, serde::Deserialize)]
        struct Rates {
            #[serde(default)]
            sample_rate: HashMap<String, String>,
        }
        #[derive(Default, serde::Deserialize)]
        struct Enabled {
            enabled: Option<String>,
        }
        #[derive(Default, serde::Deserialize)]
        struct Persist {
            #[serde(default)]
            persist: Enabled,
        }
        #[derive(Default, serde::Deserialize)]
        struct Folder {
            dir: Option<String>,
        }
        #[derive(Default, serde::Deserialize)]
        struct Kept {
            #[serde(default)]
            persist: Folder,
        }
        // One after the other, so that a slip in one leaves the others readable.
        let rates: Rates = serde_saphyr::from_str(front).unwrap_or_default();
        let top: Enabled = serde_saphyr::from_str(front).unwrap_or_default();
        let below: Persist = serde_saphyr::from_str(front).unwrap_or_default();
        let kept: Kept = serde_saphyr::from_str(front).unwrap_or_default();
        Self {
            rates: rates.sample_rate,
            enabled: top.enabled,
            keeps: below.persist.enabled,
            folder: kept.persist.dir,
        }
    }
}

impl Written {
    /// The folder, if the reader took for something else what core calls a string.
    fn spelt_folder(&self) -> Option<PathBuf> {
        let text = self.folder.as_ref()?;
        (scalar::kind(text) == Scalar::String).then(|| PathBuf::from(text))
    }
}

/// Whether a truth value is spelt as YAML 1.2 core spells them.
fn is_truth(written: Option<&String>) -> bool {
    written.is_none_or(|text| {
        matches!(
            text.as_str(),
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE"
        )
    })
}

struct Reader<'r> {
    settings: &'r mut Settings,
    warnings: &'r mut Warnings,
    written: Written,
}

impl Reader<'_> {
    fn top(&mut self, map: &Map<String, Value>) {
        for (key, value) in map {
            match (key.as_str(), value) {
                ("enabled", Value::Bool(_)) if !is_truth(self.written.enabled.as_ref()) => {
                    self.wrong(key);
                }
                ("enabled", Value::Bool(false)) => self.warnings.add(
                    PLACE,
                    "settings_disabled",
                    "enabled is false; a verification that somebody starts runs all the same",
                ),
                ("sample_rate", Value::Object(rates)) => self.rates(rates),
                ("persist", Value::Object(persist)) => self.persist(persist),
                ("enabled", Value::Bool(true))
                | ("read_warn_bytes" | "tool_output_warn_chars" | "constraints", _) => {}
                ("enabled" | "sample_rate" | "persist", _) => self.wrong(key),
                _ => self.unknown(key),
            }
        }
    }

    fn rates(&mut self, rates: &Map<String, Value>) {
        for (key, value) in rates {
            let name = format!("sample_rate.{key}");
            let rate = match value {
                Value::Number(number) => match self.written.rates.get(key) {
                    Some(text) => match scalar::kind(text) {
                        Scalar::Decimal => Rate::parse(text.strip_prefix('+').unwrap_or(text)),
                        Scalar::Other => Rate::parse(&number.to_string()),
                        Scalar::String => None,
                    },
                    None => Rate::parse(&number.to_string()),
                },
                _ => None,
            };
            let place = match key.as_str() {
                "low" => &mut self.settings.low,
                "medium" => &mut self.settings.medium,
                "high" => &mut self.settings.high,
                _ => {
                    self.unknown(&name);
                    continue;
                }
            };
            match rate {
                Some(rate) => *place = rate,
                None => self.wrong(&name),
            }
        }
    }

    fn persist(&mut self, persist: &Map<String, Value>) {
        for (key, value) in persist {
            match (key.as_str(), value) {
                ("enabled", Value::Bool(keep)) if is_truth(self.written.keeps.as_ref()) => {
                    self.settings.persist = *keep;
                }
                ("dir", Value::String(folder)) if !folder.is_empty() => {
                    self.settings.persist_dir = PathBuf::from(folder);
                }
                ("dir", Value::Number(_) | Value::Bool(_) | Value::Null) => {
                    match self.written.spelt_folder() {
                        Some(folder) => self.settings.persist_dir = folder,
                        None => self.wrong("persist.dir"),
                    }
                }
                ("enabled" | "dir", _) => self.wrong(&format!("persist.{key}")),
                _ => self.unknown(&format!("persist.{key}")),
            }
        }
    }

    fn wrong(&mut self, key: &str) {
        self.warnings.add(
            key,
            "settings_bad_value",
            "the value has the wrong type or is out of range; the default applies",
        );
    }

    fn unknown(&mut self, key: &str) {
        self.warnings
            .add(key, "settings_unknown_key", "the settings have no such key");
    }
}

#[cfg(test)]
#[path = "settings/tests.rs"]
mod tests;
