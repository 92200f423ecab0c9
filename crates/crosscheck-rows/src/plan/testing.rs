//! Small databases and calls for tests, written in one line each.

use crosscheck_transcript::Format;

use super::field::Vocabulary;
use super::model::Model;
use crate::observe::{Catalog, Column, ColumnKind, Holds, Identifier, Table};
use crate::read::{Call, InputFormat, Logs};

/// `loans: id* text, email! text, status` is a table: `*` marks the primary
/// key, `!` a unique column; types are `int`, `text`, `num`, `uuid`.
pub(crate) fn catalog(tables: &[&str]) -> Catalog {
    Catalog {
        tables: tables.iter().map(|text| table(text)).collect(),
        foreign_keys: Vec::new(),
        closed: Vec::new(),
    }
}

fn table(text: &str) -> Table {
    let (name, columns) = text.split_once(": ").unwrap();
    let mut table = Table {
        table: name.into(),
        columns: Vec::new(),
        primary_key: Vec::new(),
        unique: Vec::new(),
        hides: None,
    };
    for column in columns.split(", ") {
        let (name, of_type) = column.split_once(' ').unwrap_or((column, ""));
        let bare = Identifier::from_catalog(name.trim_end_matches(['*', '!']));
        if name.ends_with('*') {
            table.primary_key.push(bare.clone());
        } else if name.ends_with('!') {
            table.unique.push(vec![bare.clone()]);
        }
        table.columns.push(Column {
            name: bare,
            kind: ColumnKind::Plain,
            holds: match of_type {
                "int" => Holds::Integer,
                "text" => Holds::Text,
                "num" => Holds::Number(None),
                "uuid" => Holds::Uuid,
                _ => Holds::Other,
            },
        });
    }
    table
}

pub(crate) fn model(tables: &[&str]) -> Model {
    Model::new(&catalog(tables))
}

pub(crate) fn vocabulary(tables: &[&str]) -> Vocabulary {
    Vocabulary::new(model(tables))
}

/// One plain call.
pub(crate) fn call(line: &str) -> Call {
    let mut calls = Vec::new();
    let mut logs = Logs::default();
    let mut bytes = line.as_bytes();
    let format = InputFormat::Is(Format::Calls);
    logs.read("log", format, &mut bytes, &mut |some| calls.extend(some))
        .unwrap();
    calls.remove(0)
}
