//! The rules of A.9 and A.10, on catalogs made by hand.

use crosscheck_core::canonical;

use super::*;
use crate::observe::{Column, ColumnKind, ForeignKey, Holds, Table};
use crate::quick::read;

fn name(text: &str) -> Identifier {
    Identifier::from_catalog(text)
}

fn table_ref(table: &str) -> TableRef {
    TableRef {
        schema: None,
        name: name(table),
    }
}

/// `"orders: id*, status"` is a table with a key column and another one.
fn table(text: &str) -> Table {
    let (table, columns) = text.split_once(": ").unwrap();
    let columns: Vec<&str> = columns
        .split(", ")
        .filter(|column| !column.is_empty())
        .collect();
    Table {
        table: table_ref(table),
        columns: columns
            .iter()
            .map(|column| Column {
                name: name(column.trim_end_matches('*')),
                kind: ColumnKind::Plain,
                holds: Holds::Other,
            })
            .collect(),
        primary_key: columns
            .iter()
            .filter_map(|column| column.strip_suffix('*'))
            .map(name)
            .collect(),
        unique: Vec::new(),
        hides: None,
    }
}

fn catalog(tables: &[&str]) -> Catalog {
    Catalog {
        tables: tables.iter().map(|text| table(text)).collect(),
        foreign_keys: Vec::new(),
        closed: Vec::new(),
    }
}

fn plan(log: &str, catalog: &Catalog) -> Plan {
    units(&read::log(Some(log.as_bytes())).unwrap(), catalog)
}

/// One line for each unit: where it looks, for what.
fn shown(plan: &Plan) -> Vec<String> {
    let pairs = |pairs: &[Identity]| -> String {
        let pairs: Vec<String> = pairs
            .iter()
            .map(|pair| format!("{}={}", pair.column, pair.value))
            .collect();
        pairs.join(",")
    };
    plan.units
        .iter()
        .map(|unit| match &unit.expectation {
            Expectation::Row(row) => {
                let fields: Vec<String> = row
                    .fields
                    .iter()
                    .map(|(column, value)| format!("{column}={}", value.text()))
                    .collect();
                format!(
                    "{}[{}] {}",
                    row.table.shown(),
                    pairs(&row.identity),
                    fields.join(",")
                )
            }
            Expectation::Related(related) => {
                format!("{} {}", related.check_id, pairs(&related.match_eq))
            }
            Expectation::Unmapped(unmapped) => {
                let codes: Vec<&str> = unmapped.codes.iter().map(|code| code.code()).collect();
                format!("{} {}", unmapped.table.shown(), codes.join("+"))
            }
        })
        .collect()
}

#[test]
fn a_path_that_names_a_table_goes_there_and_the_rest_follows_the_tool() {
    let catalog = catalog(&["contacts: id*, status", "orders: id*, total"]);
    let plan = plan(
        r#"{"tool":"contacts.save","params":{"id":"c","status":"x","order":{"id":"o","total":5}}}"#,
        &catalog,
    );
    assert_eq!(
        shown(&plan),
        ["contacts[id=c] status=x", "orders[id=o] total=5"]
    );
}

#[test]
fn the_fallback_bucket_sorts_between_upper_and_lower_case_names() {
    let catalog = catalog(&["Zebra: id*", "apple: id*", "things: id*"]);
    let plan = plan(
        r#"{"tool":"things.put","params":{"id":"t","zebra":{"id":"z"},"apple":{"id":"a"}}}"#,
        &catalog,
    );
    assert_eq!(
        shown(&plan),
        ["Zebra[id=z] ", "things[id=t] ", "apple[id=a] "]
    );
}

#[test]
fn tables_that_match_equally_go_to_the_smallest_name() {
    let catalog = catalog(&["user_logs: id*", "user_tags: id*"]);
    let plan = plan(r#"{"tool":"x","params":{"user":{"id":"1"}}}"#, &catalog);
    assert_eq!(shown(&plan), ["user_logs[id=1] "]);
}

#[test]
fn no_good_table_and_two_equal_tables_are_both_reported() {
    let catalog = catalog(&["apples: id*", "pears: id*"]);
    let plan = plan(r#"{"tool":"noop","params":{"k":"1"}}"#, &catalog);
    assert_eq!(
        shown(&plan),
        ["apples MAPPING_LOW_CONFIDENCE+MAPPING_AMBIGUOUS"]
    );
}

#[test]
fn one_table_without_any_likeness_is_not_looked_at() {
    let plan = plan(
        r#"{"tool":"noop","params":{"id":"1"}}"#,
        &catalog(&["apples: id*"]),
    );
    assert_eq!(shown(&plan), ["apples MAPPING_LOW_CONFIDENCE"]);
}

#[test]
fn a_key_column_without_a_parameter_ends_the_mapping() {
    let both = catalog(&["orders: region*, id*"]);
    assert_eq!(
        shown(&plan(r#"{"tool":"orders","params":{"id":"1"}}"#, &both)),
        ["orders MAPPING_NO_UNIQUE_KEY"]
    );
    let complete = r#"{"tool":"orders","params":{"id":1,"region":"eu"}}"#;
    assert_eq!(shown(&plan(complete, &both)), ["orders[id=1,region=eu] "]);
    let keyless = catalog(&["orders: id"]);
    assert_eq!(
        shown(&plan(complete, &keyless)),
        ["orders MAPPING_NO_UNIQUE_KEY"]
    );
}

#[test]
fn key_values_are_text_and_infinity_is_none() {
    let catalog = catalog(&["orders: id*"]);
    for (value, expected) in [
        ("null", "orders[id=null] "),
        ("true", "orders[id=true] "),
        ("1e21", "orders[id=1e+21] "),
        ("1e999", "orders MAPPING_NO_UNIQUE_KEY"),
    ] {
        let log = format!(r#"{{"tool":"orders","params":{{"id":{value}}}}}"#);
        assert_eq!(shown(&plan(&log, &catalog)), [expected], "{value}");
    }
}

#[test]
fn a_parameter_may_serve_several_columns_and_ties_go_to_the_first_path() {
    let catalog = catalog(&["orders: id*, order_id, name"]);
    let plan = plan(
        r#"{"tool":"orders","params":{"id":"1","Name":"b","NAME":"a"}}"#,
        &catalog,
    );
    assert_eq!(shown(&plan), ["orders[id=1] name=a"]);
}

#[test]
fn a_field_that_is_null_is_compared_and_one_that_is_infinite_is_not() {
    let catalog = catalog(&["orders: id*, a, b"]);
    let plan = plan(
        r#"{"tool":"orders","params":{"id":"1","a":null,"b":1e999}}"#,
        &catalog,
    );
    assert_eq!(shown(&plan), ["orders[id=1] a=null"]);
}

#[test]
fn confidence_is_the_mean_of_three_scores() {
    let catalog = catalog(&["orders: id*", "order_items: id*"]);
    let confidence = |log: &str| plan(log, &catalog).units.first().unwrap().confidence;
    assert_eq!(
        canonical::number_text(confidence(r#"{"tool":"orders","params":{"id":"1"}}"#)),
        "1"
    );
    // the tool knows nothing of the table: (0 + 0.9 + 0) / 3
    assert_eq!(
        canonical::number_text(confidence(
            r#"{"tool":"x","params":{"orders":{"recordId":"1"}}}"#
        )),
        "0.3"
    );
}

fn with_foreign_key(child: &[&str], parent: &[&str]) -> Catalog {
    let mut catalog = catalog(&["lines: id*, order_region, order_id", "orders: region*, id*"]);
    catalog.foreign_keys.push(ForeignKey {
        child: table_ref("lines"),
        child_columns: child.iter().map(|column| name(column)).collect(),
        parent: table_ref("orders"),
        parent_columns: parent.iter().map(|column| name(column)).collect(),
    });
    catalog
}

#[test]
fn a_composite_foreign_key_is_one_unit_and_needs_both_ends() {
    let catalog = with_foreign_key(&["order_region", "order_id"], &["region", "id"]);
    let related = |params: &str| {
        let log = format!(r#"{{"tool":"lines","params":{params}}}"#);
        shown(&plan(&log, &catalog))
            .into_iter()
            .filter(|line| line.starts_with("fk:"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        related(r#"{"order_id":7,"order_region":"eu","id":"l","region":"eu"}"#),
        ["fk:lines.order_id,order_region order_id=7,order_region=eu"]
    );
    assert!(related(r#"{"order_id":7,"order_region":null,"id":"l","region":"eu"}"#).is_empty());
    assert!(related(r#"{"order_id":7,"order_region":"eu","id":"l"}"#).is_empty());
}

#[test]
fn each_foreign_key_of_each_action_gives_its_own_unit() {
    let mut catalog = with_foreign_key(&["order_id"], &["id"]);
    catalog.foreign_keys.push(catalog.foreign_keys[0].clone());
    let log = r#"[{"tool":"lines","params":{"id":"l","order_id":1}},{"tool":"lines","params":{"id":"m","order_id":1}}]"#;
    let related = shown(&plan(log, &catalog))
        .iter()
        .filter(|line| line.starts_with("fk:"))
        .count();
    assert_eq!(related, 4);
}

#[test]
fn the_twenty_first_unit_is_not_planned() {
    let catalog = catalog(&["orders: id*"]);
    let log = |count: usize| {
        let calls: Vec<String> = (0..count)
            .map(|i| format!(r#"{{"tool":"orders","params":{{"id":{i}}}}}"#))
            .collect();
        format!("[{}]", calls.join(","))
    };
    let exact = plan(&log(20), &catalog);
    assert_eq!((exact.units.len(), exact.capped), (20, false));
    let over = plan(&log(21), &catalog);
    assert_eq!((over.units.len(), over.capped), (20, true));
}

#[test]
fn a_database_without_tables_gives_no_units() {
    assert!(
        plan(
            r#"{"tool":"orders","params":{"id":1}}"#,
            &Catalog::default()
        )
        .units
        .is_empty()
    );
}

#[test]
fn every_parameter_is_explained_with_its_runner_up() {
    let catalog = catalog(&["contacts: id*, status", "orders: id*"]);
    let log = read::log(Some(
        br#"{"tool":"contacts.save","params":{"id":"c","stauts":"x"}}"#,
    ))
    .unwrap();
    // two letters are swapped: ratio 2/3 is not enough
    let line = "  stauts -> table `contacts` 1, runner-up `orders` 0 (by the tool's name), column none (best `id` 0), runner-up `status` 0\n";
    let text = explain(&log, &catalog);
    assert!(text.contains(line), "{text}");
}
