//! The reference page and the schema of the configuration, made from the
//! tables.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::key::{Direction, Key, Preset, Table, ValueKind};
use crate::tables::{CHECK, TABLES};

const OPENING: &str = include_str!("page.md");

/// The reference page in Markdown.
pub fn reference() -> String {
    let mut page = OPENING.to_owned();
    for table in TABLES {
        let _ = write!(
            page,
            "\n## [{}]\n\n{}. Variables begin with `{}`.\n\n| key | option | value | default | project file | meaning |\n|---|---|---|---|---|---|\n",
            table.name,
            table.about,
            table.prefix()
        );
        for key in table.keys {
            let between = format!(" | {}", project(key));
            add_key(&mut page, key, &format!(" | {}", option_of(key)), &between);
        }
    }
    let _ = write!(
        page,
        "\n## [[check]]\n\n{}.\n\n| key | value | default | meaning |\n|---|---|---|---|\n",
        CHECK.about
    );
    for key in CHECK.keys {
        add_key(&mut page, key, "", "");
    }
    page
}

/// One row of a table; what only some tables have comes after the key and before the meaning.
fn add_key(page: &mut String, key: &Key, after_key: &str, before_meaning: &str) {
    let _ = writeln!(
        page,
        "| `{}`{after_key} | {} | {}{before_meaning} | {} |",
        key.path,
        value_of(key.kind),
        default_of(key.default),
        key.summary().replace('|', "\\|")
    );
}

/// The JSON Schema of the file, for editors.
pub fn schema() -> Value {
    let table = |table: &Table| {
        let mut properties = Map::new();
        for key in table.keys {
            add(&mut properties, key.path, key);
        }
        object(table.about, &properties)
    };
    let mut tables: Map<String, Value> = TABLES
        .iter()
        .map(|known| (known.name.to_owned(), table(known)))
        .collect();
    let mut check = table(&CHECK);
    if let Value::Object(members) = &mut check {
        members.insert("required".to_owned(), json!(["name", "verifier"]));
    }
    tables.insert(
        CHECK.name.to_owned(),
        json!({"type": "array", "items": check}),
    );
    let mut schema = object("crosscheck.toml", &tables);
    if let Value::Object(members) = &mut schema {
        let draft = json!("https://json-schema.org/draft/2020-12/schema");
        members.insert("$schema".to_owned(), draft);
    }
    schema
}

fn object(about: &str, properties: &Map<String, Value>) -> Value {
    json!({"type": "object", "description": about, "properties": properties, "additionalProperties": false})
}

fn add(properties: &mut Map<String, Value>, path: &str, key: &Key) {
    match path.split_once('.') {
        None => drop(properties.insert(path.to_owned(), property(key))),
        Some((table, rest)) => {
            let inner = properties
                .entry(table)
                .or_insert_with(|| object(table, &Map::new()));
            if let Some(Value::Object(inner)) = inner.get_mut("properties") {
                add(inner, rest, key);
            }
        }
    }
}

fn property(key: &Key) -> Value {
    let mut schema = match key.kind {
        ValueKind::Text | ValueKind::RelativePath => json!({"type": "string", "minLength": 1}),
        ValueKind::Url => json!({"type": "string", "format": "uri"}),
        ValueKind::Flag => json!({"type": "boolean"}),
        ValueKind::Whole { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        ValueKind::Seconds(most) => json!({"type": "number", "minimum": 0, "maximum": most}),
        ValueKind::Share => json!({"type": ["number", "string"], "minimum": 0, "maximum": 1}),
        ValueKind::Word(words) => json!({"enum": words}),
        ValueKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        ValueKind::Program => json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
        ValueKind::Some(words) => {
            json!({"oneOf": [{"type": "boolean"}, {"type": "array", "items": {"enum": words}}]})
        }
        ValueKind::Paths => {
            let path = json!({"type": "string", "minLength": 1});
            json!({"oneOf": [path, {"type": "array", "items": path, "minItems": 1}]})
        }
        ValueKind::Date => json!({"type": "string", "format": "date"}),
        ValueKind::Table => json!({"type": "object"}),
        ValueKind::Tables => json!({"type": "array", "items": {"type": "object"}}),
    };
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), json!(key.summary()));
        if let Some(value) = key.default.value() {
            members.insert("default".to_owned(), value);
        }
    }
    schema
}

fn option_of(key: &Key) -> String {
    let option = key.typed.option();
    option.map_or_else(String::new, |(long, _)| format!("`--{long}`"))
}

fn value_of(kind: ValueKind) -> String {
    match kind {
        ValueKind::Text => "text".to_owned(),
        ValueKind::Flag => "true or false".to_owned(),
        ValueKind::Whole { least, most } if most > 1 << 50 => format!("{least} or more"),
        ValueKind::Whole { least, most } => format!("{least} to {most}"),
        ValueKind::Seconds(u32::MAX) => "seconds".to_owned(),
        ValueKind::Seconds(most) => format!("seconds, up to {most}"),
        ValueKind::Share => "0 to 1".to_owned(),
        ValueKind::Word(words) => format!("`{}`", words.join("`, `")),
        ValueKind::Url => "URL".to_owned(),
        ValueKind::Texts => "list of texts".to_owned(),
        ValueKind::Program => "program and arguments".to_owned(),
        ValueKind::RelativePath => "relative path".to_owned(),
        ValueKind::Some(words) => format!("true, false or list of `{}`", words.join("`, `")),
        ValueKind::Paths => "relative path, or list of them".to_owned(),
        ValueKind::Date => "date".to_owned(),
        ValueKind::Table => "table".to_owned(),
        ValueKind::Tables => "list of tables".to_owned(),
    }
}

fn default_of(preset: Preset) -> String {
    match preset {
        Preset::Unset => "none".to_owned(),
        Preset::Depends(text) => text.to_owned(),
        Preset::Texts([]) => "empty".to_owned(),
        Preset::Flag(flag) => format!("`{flag}`"),
        Preset::Number(number) => format!("`{number}`"),
        Preset::Text(text) => format!("`{text}`"),
        Preset::Texts(list) => format!("`{}`", list.join("`, `")),
    }
}

fn project(key: &Key) -> String {
    match key.direction {
        Direction::StarterOnly(why) => format!("no: {why}"),
        Direction::Harmless => "yes".to_owned(),
        Direction::Up => "only up".to_owned(),
        Direction::UpTo(most) => format!("only up, to {most}"),
        Direction::Down => "only down".to_owned(),
        Direction::Grow => "only more".to_owned(),
        Direction::Shrink => "only fewer".to_owned(),
        Direction::Only(word) => format!("only `{word}`"),
    }
}
