//! What is said to people is true of the run it is said about.

use serde_json::Value;

use super::{CALL, database, report_on, stage, with};

fn explanation(report: &Value) -> &str {
    report["units"][0]["explanation"].as_str().unwrap()
}

#[test]
fn a_verified_unit_names_what_was_compared_and_what_was_not() {
    let desk = stage();
    for (params, said) in [
        (
            r#""id":"c1""#,
            "A row with this key is there; nothing else was compared.",
        ),
        (
            r#""id":"c1","nickname":"WRONG","phone":"x""#,
            "A row with this key is there; nothing else was compared. Not compared, because no column matches: nickname, phone.",
        ),
        (
            r#""id":"c1","name":"Ada""#,
            "The database holds what the tool call declared for name.",
        ),
        (
            r#""id":"c1","name":"Ada","phone":"x""#,
            "The database holds what the tool call declared for name. Not compared, because no column matches: phone.",
        ),
    ] {
        let log = format!(r#"{{"tool":"contacts.upsert","params":{{{params}}}}}"#);
        let (code, report) = report_on(&desk, log.as_bytes());
        assert_eq!((code, explanation(&report)), (0, said));
    }
    let many: Vec<String> = (0..9).map(|at| format!(r#""q\n{at}z":1"#)).collect();
    let log = CALL.replace("}}", &format!(",{}}}}}", many.join(",")));
    let (_, report) = report_on(&desk, log.as_bytes());
    let said = explanation(&report);
    assert!(
        said.ends_with("q 0z, q 1z, q 2z, q 3z, q 4z and 4 more."),
        "{said}"
    );
}

#[test]
fn advice_names_no_row_that_was_not_looked_for() {
    const ROW: [&str; 2] = ["observed row", "the row and its table"];
    let desk = stage();
    for (log, wanted) in [
        (
            r#"{"tool":"contacts.upsert","params":{"name":"Ada"}}"#,
            "Which table and which key",
        ),
        ("", "the log as it was given"),
    ] {
        let (code, report) = report_on(&desk, log.as_bytes());
        let said = report["evidenceCompleteness"].to_string();
        assert_eq!(code, 2);
        assert!(said.contains(wanted), "{said}");
        assert!(!ROW.iter().any(|word| said.contains(word)), "{said}");
    }
    let (_, report) = report_on(&desk, CALL.replace("Ada", "Eve").as_bytes());
    let said = report["evidenceCompleteness"].to_string();
    assert!(said.contains(ROW[0]), "{said}");
}

#[test]
fn the_line_of_a_unit_is_whole_however_long_its_names_are() {
    let desk = stage();
    let table = format!("contacts{}", "x".repeat(5000));
    let statements = format!(
        "DROP TABLE contacts; CREATE TABLE {table}(id TEXT PRIMARY KEY); INSERT INTO {table} VALUES ('c1');"
    );
    database(&desk, &statements).close().unwrap();
    let call = format!(r#"{{"tool":"{table}","params":{{"id":"c1"}}}}"#);
    desk.file("log", call);
    let seen = desk.crosscheck(with(&[]));
    insta::assert_snapshot!(seen.stderr);
}

/// The lines under `Not checked:`.
fn unchecked(seen: &crosscheck_testkit::Seen) -> Vec<&str> {
    let lines = seen
        .stderr
        .lines()
        .skip_while(|line| *line != "Not checked:");
    lines
        .skip(1)
        .filter(|line| line.starts_with("- "))
        .collect()
}

#[test]
fn the_report_ends_with_what_was_not_checked_and_points_to_rows() {
    let desk = stage();
    desk.file(
        "log",
        r#"{"tool":"contacts.upsert","params":{"id":"c1","name":"Ada","tags":["a"],"colour":"red"}}
{"tool":"contacts.upsert","params":{"id":"c1","name":"Ada","tags":["b"],"colour":"red"}}
{"tool":"get_contacts","params":{"id":"c1"}}
{"tool":"delete_contacts","params":{"id":"c1"}}
{"tool":"ping","params":{}}
{"tool":"contacts.upsert","params":{"id":"c1","name":"Ada"}}
"#,
    );
    let seen = desk.crosscheck(with(&[]));
    assert_eq!(
        unchecked(&seen),
        [
            "- 1 tool calls with the same parameters as an earlier one",
            "- tool calls without parameters: ping",
            "- arrays, whose plain values are ignored: tags",
            "- 1 parameters without a column: colour",
            "- the values of rows of which only the existence was looked at: u1, u2",
            "- whether anything was written by tools that read; their calls were taken for written rows: get_contacts",
            "- whether anything was deleted; calls of these tools were taken for written rows, so a row that is still there counts as agreement, and one that is gone as a contradiction: delete_contacts",
            "- what the tools answered: parameters alone are compared",
        ]
    );
    let last = seen.stderr.lines().last();
    assert!(last.is_some_and(|line| line.contains("`crosscheck rows LOG`")));
}

#[test]
fn calls_and_units_beyond_the_caps_are_named() {
    let desk = stage();
    let call =
        |at: usize| format!("{{\"tool\":\"contacts.upsert\",\"params\":{{\"id\":\"c{at}\"}}}}\n");
    desk.file("log", (0..60).map(call).collect::<String>());
    let seen = desk.crosscheck(with(&[]));
    let said = unchecked(&seen);
    assert_eq!(
        said[..2],
        [
            "- tool calls after the first 50",
            "- what comes after the first 20 units, among it 30 whole tool calls"
        ]
    );
}

#[test]
fn a_database_without_visible_tables_is_named_as_such() {
    let desk = stage();
    database(&desk, "DROP TABLE contacts").close().unwrap();
    let seen = desk.crosscheck(with(&[]));
    assert_eq!(seen.code, 2);
    let said = unchecked(&seen);
    assert!(
        said[0].starts_with("- every tool call: no table is visible."),
        "{said:?}"
    );
}
