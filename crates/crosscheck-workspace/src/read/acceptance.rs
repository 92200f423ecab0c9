//! `ACCEPTANCE.json`: what must be true whatever a report says (workspace 18).

use std::collections::HashSet;
use std::path::{Component, Path};

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::pattern::FilePattern;
use crate::error::WorkspaceError;

/// The file in the workspace folder.
pub const ACCEPTANCE_FILE: &str = "ACCEPTANCE.json";
/// The largest acceptance file that is read.
pub const LIMIT: u64 = 4 << 20;
const MAX_CRITERIA: usize = 1000;

/// One declared criterion.
#[derive(Debug, Clone)]
pub struct Criterion {
    /// Unique in the file.
    pub id: String,
    /// The word of its type.
    pub kind: String,
    /// Its condition.
    pub check: CriterionCheck,
}

/// The condition of a criterion.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CriterionCheck {
    /// Every path is a file, or a folder if it ends in `/`.
    FileExists {
        /// The paths.
        paths: Vec<ProjectPath>,
    },
    /// None exists.
    FileAbsent {
        /// The paths.
        paths: Vec<ProjectPath>,
    },
    /// The number of matching files.
    GlobCount {
        /// The pattern.
        glob: FilePattern,
        /// At least.
        min: Option<u64>,
        /// At most.
        max: Option<u64>,
    },
    /// A text is in a file.
    FileContains {
        /// The file.
        path: ProjectPath,
        /// The text itself.
        literal: Option<String>,
        /// Or a pattern of it.
        regex: Option<TextPattern>,
    },
    /// None of the texts is in any matching file.
    TextAbsent {
        /// Which files.
        globs: Vec<FilePattern>,
        /// The texts.
        literals: Vec<String>,
    },
    /// Each file is at least this long.
    MinBytes {
        /// The files.
        paths: Vec<ProjectPath>,
        /// The length.
        bytes: u64,
    },
    /// A file has exactly this content.
    Sha256 {
        /// The file.
        path: ProjectPath,
        /// Its SHA-256.
        hex: String,
    },
    /// A value in a JSON file.
    JsonValue {
        /// The file.
        path: ProjectPath,
        /// Its JSON pointer.
        pointer: String,
        /// The expected value.
        equals: Value,
    },
    /// A command ends with the expected code.
    #[serde(rename_all = "camelCase")]
    Command {
        /// Program and arguments; no shell.
        argv: Vec<String>,
        /// Folder inside the project.
        cwd: Option<ProjectPath>,
        /// Time limit.
        #[serde(default = "ten_minutes")]
        timeout_seconds: u64,
        /// Expected exit code.
        #[serde(default)]
        expect_exit: i32,
    },
    /// Files differ from a commit.
    #[serde(rename_all = "camelCase")]
    GitChanged {
        /// The commit.
        base: String,
        /// Which files; all if absent.
        globs: Option<Vec<FilePattern>>,
        /// How many at least.
        #[serde(default = "one")]
        min_files: u64,
    },
    /// The agent itself says complete, without contradiction.
    StatusComplete {},
}

const fn ten_minutes() -> u64 {
    600
}

const fn one() -> u64 {
    1
}

/// A path below the project folder.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct ProjectPath(pub String);

impl TryFrom<String> for ProjectPath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        stays_inside(&text).map(|()| Self(text))
    }
}

/// A pattern of text.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct TextPattern(pub Regex);

impl TryFrom<String> for TextPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Regex::new(&text)
            .map(Self)
            .map_err(|error| error.to_string())
    }
}

pub(super) fn stays_inside(text: &str) -> Result<(), String> {
    let mut depth = 0_usize;
    for part in Path::new(text).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(format!("`{text}` leaves the project"));
            }
        }
    }
    if text.is_empty() {
        Err("a path is empty".to_owned())
    } else {
        Ok(())
    }
}

/// Checks the text of an acceptance file.
pub fn parse(text: &str) -> Result<Vec<Criterion>, WorkspaceError> {
    read(text.strip_prefix('\u{FEFF}').unwrap_or(text)).map_err(WorkspaceError::Acceptance)
}

fn read(text: &str) -> Result<Vec<Criterion>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let file = value.as_object().ok_or("expected an object")?;
    if let Some(key) = file
        .keys()
        .find(|key| !matches!(key.as_str(), "version" | "criteria"))
    {
        return Err(format!("{key}: unknown key"));
    }
    if file.get("version").and_then(Value::as_f64) != Some(1.0) {
        return Err("version: must be 1".to_owned());
    }
    let criteria = file
        .get("criteria")
        .and_then(Value::as_array)
        .ok_or("criteria: expected an array")?;
    if criteria.len() > MAX_CRITERIA {
        return Err(format!("criteria: at most {MAX_CRITERIA} are allowed"));
    }
    let mut ids = HashSet::new();
    criteria
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let criterion = criterion(value).map_err(|why| format!("criteria[{at}]: {why}"))?;
            if ids.insert(criterion.id.clone()) {
                Ok(criterion)
            } else {
                Err(format!(
                    "criteria[{at}]: the id `{}` is used twice",
                    criterion.id
                ))
            }
        })
        .collect()
}

fn criterion(value: &Value) -> Result<Criterion, String> {
    let mut object: Map<String, Value> = value.as_object().ok_or("expected an object")?.clone();
    let mut word = |key: &str| match object.remove(key) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(format!("{key}: expected a text")),
    };
    let id = word("id")?;
    let kind = word("type")?;
    let is_good = (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    if !is_good {
        return Err("id: use 1 to 64 letters, digits, `_`, `.` and `-`".to_owned());
    }
    let tagged = Value::Object(Map::from_iter([(kind.clone(), Value::Object(object))]));
    let check: CriterionCheck =
        serde_json::from_value(tagged).map_err(|error| format!("{id}: {error}"))?;
    check.validate().map_err(|why| format!("{id}: {why}"))?;
    Ok(Criterion { id, kind, check })
}

impl CriterionCheck {
    fn validate(&self) -> Result<(), &'static str> {
        match self {
            Self::FileExists { paths }
            | Self::FileAbsent { paths }
            | Self::MinBytes { paths, .. } => {
                if paths.is_empty() {
                    Err("paths: name at least one")
                } else {
                    Ok(())
                }
            }
            Self::GlobCount { min, max, .. } => match (min, max) {
                (None, None) => Err("give min, max or both"),
                (Some(min), Some(max)) if min > max => Err("min is greater than max"),
                _ => Ok(()),
            },
            Self::FileContains { literal, regex, .. } => match (literal, regex) {
                (Some(_), None) | (None, Some(_)) => Ok(()),
                _ => Err("give either literal or regex"),
            },
            Self::TextAbsent { globs, literals } => {
                if globs.is_empty() || literals.is_empty() || literals.iter().any(String::is_empty)
                {
                    Err("globs and literals: name at least one each, none empty")
                } else {
                    Ok(())
                }
            }
            Self::Sha256 { hex, .. } => {
                if hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    Ok(())
                } else {
                    Err("hex: expected 64 hex digits")
                }
            }
            Self::JsonValue { pointer, .. } => {
                if pointer.is_empty() || pointer.starts_with('/') {
                    Ok(())
                } else {
                    Err("pointer: must be empty or begin with `/`")
                }
            }
            Self::Command {
                argv,
                timeout_seconds,
                ..
            } => {
                if argv.first().is_none_or(String::is_empty) {
                    Err("argv: name a program")
                } else if !(1..=86_400).contains(timeout_seconds) {
                    Err("timeoutSeconds: must be between 1 and 86400")
                } else {
                    Ok(())
                }
            }
            Self::GitChanged { base, .. } => {
                if base.is_empty() || base.starts_with('-') || base.contains(char::is_whitespace) {
                    Err("base: name a commit")
                } else {
                    Ok(())
                }
            }
            Self::StatusComplete {} => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(criterion: &str) -> String {
        parse(&format!(r#"{{"version":1,"criteria":[{criterion}]}}"#))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn every_type_is_read() {
        let all = r#"{"version":1,"criteria":[
            {"id":"a","type":"file_exists","paths":["x","d/"]},
            {"id":"b","type":"file_absent","paths":["x"]},
            {"id":"c","type":"glob_count","glob":"**/*.rs","min":1},
            {"id":"d","type":"file_contains","path":"x","regex":"a+"},
            {"id":"e","type":"text_absent","globs":["*.rs"],"literals":["TODO"]},
            {"id":"f","type":"min_bytes","paths":["x"],"bytes":3},
            {"id":"g","type":"sha256","path":"x","hex":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
            {"id":"h","type":"json_value","path":"x","pointer":"/a/0","equals":null},
            {"id":"i","type":"command","argv":["true"],"cwd":"d","timeoutSeconds":5,"expectExit":1},
            {"id":"j","type":"git_changed","base":"HEAD~1","globs":["src/**"],"minFiles":2},
            {"id":"k.l_m-1","type":"status_complete"}]}"#;
        assert_eq!(parse(all).unwrap().len(), 11);
    }

    #[test]
    fn a_number_that_is_not_whole_is_refused() {
        let half = r#"{"id":"a","type":"glob_count","glob":"*","min":1.5}"#;
        assert!(error(half).contains("expected u64"));
    }

    #[test]
    fn unknown_keys_and_types_are_refused_with_their_position() {
        for (criterion, part) in [
            (
                r#"{"id":"a","type":"magic"}"#,
                "criteria[0]: a: unknown variant",
            ),
            (
                r#"{"id":"a","type":"file_exists","paths":["x"],"pathz":1}"#,
                "unknown field `pathz`",
            ),
            (
                r#"{"id":"a","type":"file_exists","paths":["../x"]}"#,
                "leaves the project",
            ),
            (
                r#"{"id":"a","type":"file_exists","paths":["/etc/passwd"]}"#,
                "leaves the project",
            ),
            (
                r#"{"id":"a","type":"glob_count","glob":"a/../../*","min":1}"#,
                "leaves the project",
            ),
            (r#"{"id":"a b","type":"status_complete"}"#, "id: use"),
            (r#"{"type":"status_complete"}"#, "id: expected"),
            (
                r#"{"id":"a","type":"file_contains","path":"x"}"#,
                "either literal or regex",
            ),
            (
                r#"{"id":"a","type":"file_contains","path":"x","regex":"("}"#,
                "regex",
            ),
            (
                r#"{"id":"a","type":"git_changed","base":"--output=x"}"#,
                "base",
            ),
            (
                r#"{"id":"a","type":"status_complete"},{"id":"a","type":"status_complete"}"#,
                "used twice",
            ),
        ] {
            let message = error(criterion);
            assert!(
                message.starts_with("Invalid acceptance file: criteria[") && message.contains(part),
                "{message}"
            );
        }
        for text in [
            "",
            "[]",
            r#"{"version":2,"criteria":[]}"#,
            r#"{"version":1}"#,
            r#"{"version":1,"criteria":[],"x":1}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
