//! Every setting: its name, what it may hold, and which compatible files may
//! carry it. Our own files and the environment may carry all of them.

use serde_json::Value;
use url::Url;

use crate::read::metadata::NOTIFY_EVENTS;

/// What a setting holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    Flag,
    Number {
        least: u64,
        most: u64,
    },
    Word(&'static [&'static str]),
    Address,
    List,
    /// A program with its arguments.
    Program,
    Words(&'static [&'static str]),
    /// A relative path that is not empty.
    Inside,
}

/// Compatible files that may carry a key.
pub(super) const USER: u8 = 1;
pub(super) const PROJECT: u8 = 2;
pub(super) const WORKSPACE: u8 = 4;
const ALL: u8 = USER | PROJECT | WORKSPACE;
const OWN: u8 = 0;

#[derive(Debug)]
pub(super) struct Key {
    /// In the compatible spelling.
    pub(super) path: &'static str,
    pub(super) kind: Kind,
    pub(super) compatible: u8,
}

const fn key(path: &'static str, kind: Kind, compatible: u8) -> Key {
    Key {
        path,
        kind,
        compatible,
    }
}

const fn number(least: u64, most: u64) -> Kind {
    Kind::Number { least, most }
}

pub(super) const DEPTHS: &[&str] = &["quick", "standard", "deep"];
pub(super) const GUARDS: &[&str] = &["off", "warn", "enforce", "strict"];
const LEVELS: &[&str] = &["quiet", "progress", "verbose"];
const MOST: u64 = 9_007_199_254_740_991;

pub(super) const KEYS: &[Key] = &[
    key("workspacesDir", Kind::Text, PROJECT),
    key("templatesDir", Kind::Text, PROJECT),
    key("archiveDir", Kind::Text, PROJECT),
    key("globalTemplatesDir", Kind::Text, USER),
    key("defaultMaxIterations", number(1, MOST), PROJECT | USER),
    key("defaultDelay", number(0, MOST), PROJECT | USER),
    key(
        "defaultStagnationThreshold",
        number(0, MOST),
        PROJECT | USER,
    ),
    key("outputLevel", Kind::Word(LEVELS), ALL),
    key("notifyUrl", Kind::Address, ALL),
    key("notifyEvents", Kind::Words(&NOTIFY_EVENTS), PROJECT),
    key("notification.statusWatch.enabled", Kind::Flag, PROJECT),
    key(
        "notification.statusWatch.debounceMs",
        number(500, 10_000),
        PROJECT,
    ),
    key(
        "notification.statusWatch.notifyOnlyMeaningful",
        Kind::Flag,
        PROJECT,
    ),
    key("claude.command", Kind::Text, ALL),
    key("claude.args", Kind::List, ALL),
    key("colors", Kind::Flag, USER),
    key("verification.autoVerify", Kind::Flag, ALL),
    key("verification.resumeOnFail", Kind::Flag, ALL),
    key("verification.maxAttempts", number(1, 10), ALL),
    key("verification.reportFilename", Kind::Inside, ALL),
    key("verification.depth", Kind::Word(DEPTHS), ALL),
    key("verification.notifyOnVerification", Kind::Flag, ALL),
    key("verification.timeoutSeconds", number(0, 86_400), OWN),
    key("verification.guards", Kind::Word(GUARDS), OWN),
    key("verification.testCommand", Kind::Program, OWN),
    key("judge", Kind::Text, OWN),
];

/// A checked value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Setting {
    Text(String),
    Flag(bool),
    Number(u64),
    List(Vec<String>),
}

impl Key {
    /// `verification.max_attempts`
    pub(super) fn snake(&self) -> String {
        let mut snake = String::new();
        for c in self.path.chars() {
            if c.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        }
        snake
    }

    /// `CROSSCHECK_WORKSPACE_VERIFICATION_MAX_ATTEMPTS`
    pub(super) fn variable(&self) -> String {
        format!(
            "CROSSCHECK_WORKSPACE_{}",
            self.snake().replace('.', "_").to_uppercase()
        )
    }
}

impl Kind {
    /// Checks a value of a file; the text says why it is refused.
    pub(super) fn check(self, value: &Value) -> Result<Setting, String> {
        let refuse = |rule: &str| Err(format!("must be {rule}, got {}", shown(value)));
        match self {
            Self::Text => match value.as_str() {
                Some(text) if !text.is_empty() => Ok(Setting::Text(text.to_owned())),
                _ => refuse("a non-empty text"),
            },
            Self::Flag => match value.as_bool() {
                Some(flag) => Ok(Setting::Flag(flag)),
                None => refuse("true or false"),
            },
            Self::Number { least, most } => match whole(value) {
                Some(number) if (least..=most).contains(&number) => Ok(Setting::Number(number)),
                Some(_) if most < MOST => refuse(&format!("between {least} and {most}")),
                None if value.is_number() && most < MOST => {
                    refuse(&format!("between {least} and {most}"))
                }
                _ => refuse(&format!("a whole number of at least {least}")),
            },
            Self::Word(words) => match value.as_str().filter(|text| words.contains(text)) {
                Some(text) => Ok(Setting::Text(text.to_owned())),
                None => refuse(&format!("one of {}", words.join(", "))),
            },
            Self::Address => match value.as_str().filter(|text| Url::parse(text).is_ok()) {
                Some(text) => Ok(Setting::Text(text.to_owned())),
                None => refuse("an absolute URL"),
            },
            Self::List => match texts(value) {
                Some(list) => Ok(Setting::List(list)),
                None => refuse("an array of texts"),
            },
            Self::Program => match texts(value).filter(|argv| !argv.is_empty()) {
                Some(argv) => Ok(Setting::List(argv)),
                None => refuse("an array of texts that names a program"),
            },
            Self::Words(words) => match texts(value)
                .filter(|list| list.iter().all(|text| words.contains(&text.as_str())))
            {
                Some(list) => Ok(Setting::List(list)),
                None => refuse(&format!("an array of {}", words.join(", "))),
            },
            Self::Inside => match value
                .as_str()
                .filter(|text| !text.is_empty() && !text.starts_with('/'))
            {
                Some(text) => Ok(Setting::Text(text.to_owned())),
                None => refuse("a non-empty relative path"),
            },
        }
    }

    /// Reads the text of a variable as the value a file would hold.
    pub(super) fn of_variable(self, text: &str) -> Value {
        let read = || serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        match self {
            Self::Flag | Self::Number { .. } | Self::List | Self::Program | Self::Words(_) => {
                read()
            }
            Self::Text | Self::Word(_) | Self::Address | Self::Inside => Value::from(text),
        }
    }
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
    (number.fract() == 0.0 && (0.0..=MOST as f64).contains(&number)).then_some(number as u64)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value
        .as_array()?
        .iter()
        .map(|one| one.as_str().map(str::to_owned))
        .collect()
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        format!("{short}…")
    } else {
        short
    }
}
