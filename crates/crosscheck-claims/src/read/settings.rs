//! `.claude/context-firewall.local.md`: front matter of Settings.v1
//! (claims 3.5).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crosscheck_core::files::{ReadError, drain_limited, open_regular};

use super::yaml::{self, Yaml};
use crate::rate::Rate;
use crate::request::Risk;
use crate::warning::Warnings;

/// Path of the settings below the root.
const PLACE: &str = ".claude/context-firewall.local.md";
/// The largest settings file.
const MAX_BYTES: u64 = 1024 * 1024;

/// The settings that a verification uses.
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
    /// Reads the text of a settings file; everything wrong with it is a warning.
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

/// Reads the settings below this root; everything wrong with them is a warning.
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
    match yaml::parse(&front) {
        Ok(Yaml::Map(map)) => Reader { settings, warnings }.top(&map),
        Ok(_) => warnings.add(
            PLACE,
            "settings_not_a_map",
            "the front matter is not a map; defaults apply",
        ),
        Err(error) => {
            let message = crosscheck_core::text::one_line(&error);
            warnings.add(
                PLACE,
                "settings_bad_yaml",
                format!("the front matter is not YAML: {message}"),
            );
        }
    }
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

/// A boolean of YAML 1.2 core, where `no` and `off` are strings.
fn truth(value: &Yaml) -> Option<bool> {
    let Yaml::Plain(text) = value else {
        return None;
    };
    match text.as_str() {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// A rate from its decimal text, because a double would lose the last digits.
fn rate(value: &Yaml) -> Option<Rate> {
    let Yaml::Plain(text) = value else {
        return None;
    };
    Rate::parse(text.strip_prefix('+').unwrap_or(text))
}

fn folder(value: &Yaml) -> Option<PathBuf> {
    let text = match value {
        Yaml::Text(text) => text,
        Yaml::Plain(text) if is_text(text) => text,
        _ => return None,
    };
    (!text.is_empty()).then(|| PathBuf::from(text))
}

/// Whether a plain scalar is text in YAML 1.2 core: no number, truth or null.
fn is_text(plain: &str) -> bool {
    const WORDS: [&str; 5] = ["", "~", "null", "true", "false"];
    let word = plain.to_lowercase();
    let number = word.trim_start_matches(['+', '-']);
    let number = number.strip_prefix(".").unwrap_or(number);
    let is_based = |prefix: &str, base| {
        let digits = word.strip_prefix(prefix);
        digits.is_some_and(|digits| u64::from_str_radix(digits, base).is_ok())
    };
    !WORDS.contains(&&*word)
        && number.parse::<f64>().is_err()
        && !is_based("0x", 16)
        && !is_based("0o", 8)
}

struct Reader<'r> {
    settings: &'r mut Settings,
    warnings: &'r mut Warnings,
}

impl Reader<'_> {
    fn top(&mut self, map: &BTreeMap<String, Yaml>) {
        for (key, value) in map {
            match (key.as_str(), value) {
                ("enabled", value) => match truth(value) {
                    Some(true) => {}
                    Some(false) => self.warnings.add(
                        PLACE,
                        "settings_disabled",
                        "enabled is false; a verification that is started runs all the same",
                    ),
                    None => self.wrong(key),
                },
                ("sample_rate", Yaml::Map(rates)) => self.rates(rates),
                ("persist", Yaml::Map(persist)) => self.persist(persist),
                ("sample_rate" | "persist", _) => self.wrong(key),
                ("read_warn_bytes" | "tool_output_warn_chars" | "constraints", _) => {}
                _ => self.unknown(key),
            }
        }
    }

    fn rates(&mut self, rates: &BTreeMap<String, Yaml>) {
        for (key, value) in rates {
            let name = format!("sample_rate.{key}");
            let place = match key.as_str() {
                "low" => &mut self.settings.low,
                "medium" => &mut self.settings.medium,
                "high" => &mut self.settings.high,
                _ => {
                    self.unknown(&name);
                    continue;
                }
            };
            match rate(value) {
                // the file belongs to the project: it may tighten, never loosen
                Some(rate) if rate.is_below(place) => self.warnings.add(
                    &name,
                    "setting_ignored",
                    "a file of the project may raise the rate, not lower it; the default applies",
                ),
                Some(rate) => *place = rate,
                None => self.wrong(&name),
            }
        }
    }

    fn persist(&mut self, persist: &BTreeMap<String, Yaml>) {
        for (key, value) in persist {
            let name = format!("persist.{key}");
            match (key.as_str(), truth(value), folder(value)) {
                ("enabled", Some(keep), _) => self.settings.persist = keep,
                ("dir", _, Some(folder)) => self.settings.persist_dir = folder,
                ("enabled" | "dir", ..) => self.wrong(&name),
                _ => self.unknown(&name),
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
