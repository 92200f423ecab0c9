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
    read(text.strip_prefix('\u{FEFF}').unwrap_or(text)).map_err(WorkspaceError::acceptance)
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptanceFile {
    version: f64,
    criteria: Vec<Value>,
}

fn read(text: &str) -> Result<Vec<Criterion>, String> {
    let file: AcceptanceFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if (file.version - 1.0).abs() > f64::EPSILON {
        return Err("version: must be 1".to_owned());
    }
    if file.criteria.len() > MAX_CRITERIA {
        return Err(format!("criteria: at most {MAX_CRITERIA} are allowed"));
    }
    let mut ids = HashSet::new();
    let criteria = file.criteria.iter().enumerate();
    let read = criteria.map(|(at, value)| {
        let criterion = criterion(value).map_err(|why| format!("criteria[{at}]: {why}"))?;
        let (id, is_new) = (&criterion.id, ids.insert(criterion.id.clone()));
        is_new
            .then_some(())
            .ok_or_else(|| format!("criteria[{at}]: the id `{id}` is used twice"))?;
        Ok(criterion)
    });
    read.collect()
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
    match check.mistake() {
        Some(why) => Err(format!("{id}: {why}")),
        None => Ok(Criterion { id, kind, check }),
    }
}

impl CriterionCheck {
    /// What no type can say; `None` when all is well.
    fn mistake(&self) -> Option<&'static str> {
        let (is_good, why) = match self {
            Self::FileExists { paths }
            | Self::FileAbsent { paths }
            | Self::MinBytes { paths, .. } => (!paths.is_empty(), "paths: name at least one"),
            Self::GlobCount {
                min: None,
                max: None,
                ..
            } => (false, "give min, max or both"),
            Self::GlobCount { min, max, .. } => (
                min.zip(*max).is_none_or(|(min, max)| min <= max),
                "min is greater than max",
            ),
            Self::FileContains { literal, regex, .. } => (
                literal.is_some() != regex.is_some(),
                "give either literal or regex",
            ),
            Self::TextAbsent { globs, literals } => (
                !globs.is_empty() && !literals.is_empty() && !literals.contains(&String::new()),
                "globs and literals: name at least one each, none empty",
            ),
            Self::Sha256 { hex, .. } => (
                hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "hex: expected 64 hex digits",
            ),
            Self::JsonValue { pointer, .. } => (
                pointer.is_empty() || pointer.starts_with('/'),
                "pointer: must be empty or begin with `/`",
            ),
            Self::Command { argv, .. } if argv.first().is_none_or(String::is_empty) => {
                (false, "argv: name a program")
            }
            Self::Command {
                timeout_seconds, ..
            } => (
                (1..=86_400).contains(timeout_seconds),
                "timeoutSeconds: must be between 1 and 86400",
            ),
            Self::GitChanged { base, .. } => (
                !base.is_empty() && !base.starts_with('-') && !base.contains(char::is_whitespace),
                "base: name a commit",
            ),
            Self::StatusComplete {} => return None,
        };
        (!is_good).then_some(why)
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
