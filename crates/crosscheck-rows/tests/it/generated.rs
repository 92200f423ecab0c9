//! Logs and databases that nobody would write by hand. Names come from a
//! small set, so that they meet; values from one in which comparison is hard.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

const TABLES: [&str; 10] = [
    "contacts",
    "Orders",
    "order_items",
    "s",
    "boxes",
    "a b",
    "q\"x",
    "é",
    "\u{1F600}s",
    "sqlitestore",
];
const COLUMNS: [&str; 12] = [
    "id",
    "status",
    "Name",
    "user_id",
    "userId",
    "value",
    "a",
    "col\"q",
    "ΟΔΟΣ",
    "\u{1F600}",
    "\u{FF5E}",
    "x y",
];
const ODD_KEYS: [&str; 8] = [
    "",
    ".",
    "a.b",
    "x[0]",
    "[0]",
    "__proto__",
    "__qvFields",
    "~/",
];

/// A table: its name, columns with types, how many of them are the key, rows.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    name: &'static str,
    columns: Vec<(&'static str, &'static str)>,
    key: usize,
    parent: Option<usize>,
    rows: Vec<Vec<Value>>,
}

pub(crate) fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..8).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(vec![
            "", "7", "7.0", " 7 ", "abc", "true", "null", "1e2", "\u{a0}x"
        ])
        .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ]
}

pub(crate) fn tables() -> impl Strategy<Value = Vec<Table>> {
    let names = prop::sample::subsequence(TABLES.to_vec(), 0..4);
    names.prop_flat_map(|names| names.into_iter().map(table).collect::<Vec<_>>())
}

fn table(name: &'static str) -> impl Strategy<Value = Table> {
    let types = prop::sample::select(vec!["TEXT", "INTEGER", "REAL", "BLOB", "NUMERIC", ""]);
    let columns = prop::sample::subsequence(COLUMNS.to_vec(), 1..6)
        .prop_shuffle()
        .prop_flat_map(move |names| {
            let count = names.len();
            (Just(names), prop::collection::vec(types.clone(), count))
        });
    let rows = prop::collection::vec(prop::collection::vec(scalar(), 6), 0..4);
    (columns, 0usize..3, prop::option::of(0usize..3), rows).prop_map(
        move |((names, types), key, parent, rows)| Table {
            name,
            columns: names.into_iter().zip(types).collect(),
            key,
            parent,
            rows,
        },
    )
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Creates the tables; rows that their own constraints refuse are left out.
pub(crate) fn fill(connection: &rusqlite::Connection, tables: &[Table]) {
    for (at, table) in tables.iter().enumerate() {
        let names: Vec<String> = table.columns.iter().map(|(name, _)| quoted(name)).collect();
        let mut parts: Vec<String> = table
            .columns
            .iter()
            .map(|(name, kind)| format!("{} {kind}", quoted(name)))
            .collect();
        let key = &names[..table.key.min(names.len())];
        if !key.is_empty() {
            let kind = if at % 2 == 0 { "PRIMARY KEY" } else { "UNIQUE" };
            parts.push(format!("{kind}({})", key.join(",")));
        }
        if let Some(parent) = table.parent.and_then(|parent| tables.get(parent)) {
            let column = quoted(parent.columns[0].0);
            parts.push(format!(
                "FOREIGN KEY({}) REFERENCES {}({column})",
                names[0],
                quoted(parent.name)
            ));
        }
        let name = quoted(table.name);
        connection
            .execute_batch(&format!("CREATE TABLE {name}({})", parts.join(",")))
            .unwrap();
        let marks = vec!["?"; names.len()].join(",");
        for row in &table.rows {
            let values = row.iter().take(names.len()).map(to_sql);
            let _ = connection.execute(
                &format!("INSERT OR IGNORE INTO {name} VALUES({marks})"),
                rusqlite::params_from_iter(values),
            );
        }
    }
}

fn to_sql(value: &Value) -> rusqlite::types::Value {
    use rusqlite::types::Value as Sql;
    match value {
        Value::Null => Sql::Null,
        Value::Bool(yes) => Sql::Integer(i64::from(*yes)),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Sql::Integer(whole),
            None => Sql::Real(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) if text.len() == 3 => Sql::Blob(text.clone().into_bytes()),
        other => Sql::Text(other.as_str().unwrap_or_default().to_owned()),
    }
}

fn key() -> impl Strategy<Value = String> {
    let column = prop::sample::select(COLUMNS.to_vec());
    let table = prop::sample::select(TABLES.to_vec());
    prop_oneof![
        6 => column.clone().prop_map(str::to_owned),
        2 => (table, column.clone()).prop_map(|(table, column)| format!("{table}.{column}")),
        1 => column.clone().prop_map(|column| format!("{column}Id")),
        1 => column.prop_map(str::to_uppercase),
        1 => prop::sample::select(ODD_KEYS.to_vec()).prop_map(str::to_owned),
    ]
}

fn bag() -> impl Strategy<Value = Value> {
    let tree = scalar().prop_recursive(8, 48, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    });
    prop::collection::vec((key(), tree), 0..6)
        .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into())
}

fn call() -> impl Strategy<Value = Value> {
    let tool = (
        prop::sample::select(vec!["", "create_", "upsert.", "x"]),
        prop::sample::select(TABLES.to_vec()),
    )
        .prop_map(|(verb, table)| format!("{verb}{table}"));
    (tool, bag(), 0..5).prop_map(|(tool, bag, shape)| match shape {
        0 => json!({"toolId": tool, "arguments": bag.to_string()}),
        1 => json!({"function": {"name": tool, "arguments": bag}}),
        2 => json!({"tool_calls": [{"name": tool, "input": bag}]}),
        3 => json!({"action": tool, "toolId": 5, "fields": bag}),
        _ => json!({"tool": tool, "params": bag}),
    })
}

/// Calls, as whole JSON or line by line with prefixes, in text of any kind.
pub(crate) fn log() -> impl Strategy<Value = Vec<u8>> {
    let prefix = prop::sample::select(vec![
        "",
        "",
        "",
        "2024-01-02T03:04:05Z ",
        "INFO ",
        "[x] ",
        "\u{1b}[31m",
        "it's ",
        "{",
    ]);
    let lines = prop::collection::vec((prefix, call()), 0..60)
        .prop_map(|lines| {
            let lines: Vec<String> = lines
                .into_iter()
                .map(|(pre, call)| format!("{pre}{call}"))
                .collect();
            lines.join("\n").into_bytes()
        })
        .boxed();
    prop_oneof![
        prop::collection::vec(call(), 0..60)
            .prop_map(|calls| Value::from(calls).to_string().into_bytes()),
        lines.clone(),
        (lines, any::<Vec<u8>>(), any::<prop::sample::Index>()).prop_map(|(mut log, noise, at)| {
            let at = at.index(log.len() + 1);
            log.splice(at..at, noise);
            log
        }),
        any::<Vec<u8>>(),
    ]
}
