//! MySQL and MariaDB compare values of different types by converting both.
//! Batches must compare as exactly as single look-ups do.

use crate::check::event;
use crate::check_engines::outcome;
use crate::check_engines::stage::{Kind, Stage};

const REGISTRY: &str = r#"[
 {"toolId":"row","effectDescriptionTemplate":"row","verification":{"kind":"sql_row","table":{"pointer":"/table"},
   "identityEq":[{"column":{"const":"c"},"value":{"pointer":"/c"}}],"requiredFields":{"pointer":"/fields"}}},
 {"toolId":"sum","effectDescriptionTemplate":"sum","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"aggregate","id":"s","table":{"pointer":"/table"},"fn":"SUM","sumColumn":{"const":"c"},"expect":{"op":"gte","value":{"const":0}}}]}},
 {"toolId":"join","effectDescriptionTemplate":"join","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"join_count","id":"j","leftTable":{"pointer":"/table"},"rightTable":{"pointer":"/other"},"join":{"leftColumn":{"const":"c"},"rightColumn":{"const":"c"}},"expect":{"op":"gte","value":{"const":0}}}]}},
 {"toolId":"absent","effectDescriptionTemplate":"absent","verification":{"kind":"sql_row_absent","table":{"pointer":"/table"},
   "identityEq":[{"column":{"const":"c"},"value":{"pointer":"/c"}}]}},
 {"toolId":"exists","effectDescriptionTemplate":"exists","verification":{"kind":"sql_relational","checks":[
   {"checkKind":"related_exists","id":"e","childTable":{"pointer":"/table"},"matchEq":[{"column":{"const":"c"},"value":{"pointer":"/c"}}]}]}}]"#;

/// Type of the column, its values, and keys with how their steps end.
type Column = (
    &'static str,
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
);

const FOUND: &str = "";
const ABSENT: &str = "ROW_ABSENT";
const REFUSED: &str = "CONNECTOR_ERROR";

const COLUMNS: [Column; 24] = [
    (
        "TINYINT",
        &["127", "-128", "0"],
        &[
            ("127", FOUND),
            ("300", ABSENT),
            ("-300", ABSENT),
            ("18446744073709551615", ABSENT),
            ("x", REFUSED),
            ("0", FOUND),
            ("7.0", REFUSED),
        ],
    ),
    (
        "TINYINT UNSIGNED",
        &["255", "0"],
        &[("255", FOUND), ("-1", ABSENT), ("256", ABSENT)],
    ),
    (
        "BIGINT",
        &["9007199254740993", "-9223372036854775808"],
        &[
            ("9007199254740993", FOUND),
            ("9007199254740992", ABSENT),
            ("-9223372036854775808", FOUND),
            ("9223372036854775808", ABSENT),
        ],
    ),
    (
        "BIGINT UNSIGNED",
        &["18446744073709551615", "7"],
        &[
            ("18446744073709551615", FOUND),
            ("18446744073709551614", ABSENT),
            ("-1", ABSENT),
            ("007", FOUND),
        ],
    ),
    (
        "YEAR",
        &["2024"],
        &[("2024", FOUND), ("24", REFUSED), ("2025", ABSENT)],
    ),
    ("BIT(8)", &["b'101'"], &[("5", FOUND), ("6", ABSENT)]),
    (
        "DECIMAL(5,2)",
        &["1.23", "-0.50"],
        &[
            ("1.23", FOUND),
            ("1.230", FOUND),
            ("1.234", ABSENT),
            ("-0.5", FOUND),
            ("99999", ABSENT),
            ("123e-2", FOUND),
            ("abc", REFUSED),
        ],
    ),
    (
        "DECIMAL(30,10)",
        &["12345678901234567890.0000000001"],
        &[
            ("12345678901234567890.0000000001", FOUND),
            ("12345678901234567890", ABSENT),
        ],
    ),
    (
        "FLOAT",
        &["0.1", "16777216"],
        &[("0.1", FOUND), ("0.2", ABSENT), ("16777216", FOUND)],
    ),
    (
        "DOUBLE",
        &["0.1", "1e300"],
        &[
            ("0.1", FOUND),
            ("1e300", FOUND),
            ("0.10000000000000002", ABSENT),
        ],
    ),
    (
        "DATE",
        &["'2024-02-29'"],
        &[
            ("2024-02-29", FOUND),
            ("2024-02-28", ABSENT),
            ("2023-02-29", REFUSED),
        ],
    ),
    (
        "DATETIME(3)",
        &["'2024-02-03 04:05:06.789'"],
        &[
            ("2024-02-03T04:05:06.789Z", FOUND),
            ("2024-02-03 04:05:06.789", FOUND),
            ("2024-02-03 04:05:06.7891", ABSENT),
            ("2024-02-03", ABSENT),
            ("soon", REFUSED),
        ],
    ),
    (
        "TIMESTAMP NULL",
        &["'2024-02-03 04:05:06'"],
        &[
            ("2024-02-03T04:05:06Z", FOUND),
            ("2024-02-03T04:05:07Z", ABSENT),
        ],
    ),
    (
        "TIME(1)",
        &["'-26:05:06.5'"],
        &[("-26:05:06.5", FOUND), ("26:05:06.5", ABSENT)],
    ),
    (
        "VARCHAR(5) CHARACTER SET latin1",
        &["'abc'", "'?'", "'Zoe'", "'e'"],
        &[
            ("abc", FOUND),
            ("ABC", FOUND),
            ("abcdefgh", ABSENT),
            ("abc ", FOUND),
            ("日", ABSENT),
            ("ü", ABSENT),
            ("Zoe", FOUND),
        ],
    ),
    (
        "VARCHAR(5) CHARACTER SET utf8mb3",
        &["'ü'", "'?'"],
        &[("ü", FOUND), ("😀", ABSENT)],
    ),
    (
        "VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        &["'abc'", "'😀'"],
        &[("abc", FOUND), ("ABC", ABSENT), ("😀", FOUND)],
    ),
    (
        "VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        &["'abc'", "'é'"],
        &[("ABC", FOUND), ("É", FOUND)],
    ),
    (
        "CHAR(5) CHARACTER SET ucs2",
        &["'abc'"],
        &[("abc", FOUND), ("é", ABSENT)],
    ),
    (
        "VARCHAR(5) CHARACTER SET utf16 COLLATE utf16_bin",
        &["'ü'", "'😀'"],
        &[("ü", FOUND), ("😀", FOUND), ("a", ABSENT)],
    ),
    (
        "VARCHAR(5) CHARACTER SET gbk",
        &["'日'"],
        &[("日", FOUND), ("ü", ABSENT), ("a", ABSENT)],
    ),
    (
        "ENUM('a','b')",
        &["'b'"],
        &[("b", FOUND), ("2", ABSENT), ("c", ABSENT)],
    ),
    (
        "VARBINARY(9)",
        &["'abc'"],
        &[("abc", FOUND), ("616263", REFUSED)],
    ),
    (
        "UUID",
        &["'7d444840-9dc0-11d1-b245-5ffdce74fad2'"],
        &[
            ("7D444840-9DC0-11D1-B245-5FFDCE74FAD2", FOUND),
            ("7d444840-9dc0-11d1-b245-5ffdce74fad3", ABSENT),
            ("x", ABSENT),
        ],
    ),
];

/// Each column with and without an index, which decides how the server compares.
fn setup() -> String {
    let mut sql = "SET NAMES utf8mb4; SET time_zone = '+00:00'; SET sql_mode = '';".to_owned();
    for (at, (of_type, values, _)) in COLUMNS.iter().enumerate() {
        for (prefix, index) in [("i", ", UNIQUE (c)"), ("l", ", KEY (c)"), ("n", "")] {
            let values: Vec<String> = values.iter().map(|value| format!("({value})")).collect();
            let table = format!("CREATE TABLE {prefix}{at} (c {of_type}{index});");
            let rows = format!("INSERT INTO {prefix}{at} VALUES {};", values.join(","));
            sql = sql + &table + &rows;
        }
    }
    sql + "CREATE TABLE words (c VARCHAR(9)); INSERT INTO words VALUES ('c_1'), ('12x');
           CREATE TABLE numbers (c INT); INSERT INTO numbers VALUES (0)"
}

#[test]
fn keys_of_a_batch_are_compared_exactly_with_and_without_an_index() {
    let Some(stage) = Stage::new(Kind::Mysql, &setup()) else {
        return;
    };
    stage.desk.file("registry.json", REGISTRY);
    let (mut events, mut wanted) = (String::new(), Vec::new());
    for (at, (of_type, _, keys)) in COLUMNS.iter().enumerate() {
        for prefix in ["i", "l", "n"] {
            for (key, code) in *keys {
                let params =
                    serde_json::json!({"table": format!("{prefix}{at}"), "c": key, "fields": {}});
                for tool in ["row", "absent", "exists"] {
                    events += &event(wanted.len(), tool, &params.to_string());
                    let code = match (tool, *code) {
                        ("absent", ABSENT) => "",
                        ("absent", FOUND) => "ROW_PRESENT_WHEN_FORBIDDEN",
                        ("exists", ABSENT) => "RELATED_ROWS_ABSENT",
                        (_, code) => code,
                    };
                    wanted.push((format!("{tool} {prefix} {of_type} {key}"), code));
                }
            }
        }
    }
    stage.desk.file("events.ndjson", events);
    assert_eq!(stage.check(&[]).code, 2);
    let steps = stage.steps();
    assert_eq!(steps.len(), wanted.len());
    let wrong: Vec<String> = steps
        .iter()
        .zip(&wanted)
        .filter(|(step, (_, code))| outcome(step).1 != *code)
        .map(|(step, (name, code))| format!("{name}: expected {code:?}, got {step}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_server_would_compare_or_add_up_leniently_is_refused() {
    let Some(stage) = Stage::new(Kind::Mysql, &setup()) else {
        return;
    };
    stage.desk.file("registry.json", REGISTRY);
    stage.desk.file(
        "events.ndjson",
        event(0, "sum", r#"{"table":"words"}"#)
            + &event(1, "join", r#"{"table":"words","other":"numbers"}"#)
            + &event(2, "sum", r#"{"table":"numbers"}"#)
            + &event(3, "join", r#"{"table":"words","other":"words"}"#),
    );
    assert_eq!(stage.check(&[]).code, 2);
    let codes: Vec<String> = stage.steps().iter().map(|step| outcome(step).1).collect();
    assert_eq!(codes, [REFUSED, REFUSED, "", ""]);
}
