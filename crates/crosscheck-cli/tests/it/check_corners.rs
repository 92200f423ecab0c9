//! Corners of the contract in which a wrong answer would be easy.

use crosscheck_testkit::{Desk, Seen};
use serde_json::{Value, json};

use crate::check::{FLAGS, event, execute};
use crate::check_engines::outcome;
use crate::check_engines::stage::{Kind, Stage};

const KEY: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pem");
const PUBLIC: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pub.pem");

/// A registry of one relational check, and a tool for rows and absent rows.
fn registry(check: &Value) -> String {
    let pair = json!([{"column": {"pointer": "/by"}, "value": {"pointer": "/id"}}]);
    json!([
        {"toolId": "rel", "effectDescriptionTemplate": "x",
         "verification": {"kind": "sql_relational", "checks": [check]}},
        {"toolId": "row", "effectDescriptionTemplate": "x",
         "verification": {"kind": "sql_row", "table": {"pointer": "/table"}, "identityEq": pair, "requiredFields": {"pointer": "/fields"}}},
        {"toolId": "gone", "effectDescriptionTemplate": "x",
         "verification": {"kind": "sql_row_absent", "table": {"pointer": "/table"}, "identityEq": pair}},
    ])
    .to_string()
}

fn exists(table: &str, column: &str, value: &str) -> Value {
    json!({"checkKind": "related_exists", "id": "e", "childTable": {"const": table},
           "matchEq": [{"column": {"const": column}, "value": {"const": value}}]})
}

fn sum(expected: f64) -> Value {
    json!({"checkKind": "aggregate", "id": "s", "table": {"const": "t"}, "fn": "SUM",
           "sumColumn": {"const": "v"}, "expect": {"op": "eq", "value": {"const": expected}}})
}

/// The codes of the steps of one run.
fn codes(kind: Kind, setup: &str, check: &Value, events: &[(&str, Value)]) -> Option<Vec<String>> {
    let stage = Stage::new(kind, setup)?;
    stage.desk.file("registry.json", registry(check));
    let lines = events.iter().enumerate();
    let lines: String = lines
        .map(|(seq, (tool, params))| event(seq, tool, &params.to_string()))
        .collect();
    stage.desk.file("events.ndjson", lines);
    let seen = stage.check(&[]);
    assert_ne!(seen.code, 3, "{}", seen.summary());
    Some(stage.steps().iter().map(|step| outcome(step).1).collect())
}

const SERVERS_TOO: [Kind; 3] = [Kind::Sqlite, Kind::Postgres, Kind::Mysql];

#[test]
fn no_name_of_a_table_is_mistaken_for_ours() {
    for kind in SERVERS_TOO {
        // unquoted, PostgreSQL would make it small
        let upper = if kind == Kind::Postgres { "k" } else { "K" };
        for name in ["k", upper, "t", "l", "r", "a", "s", "u", "n", "place"] {
            let row = |id: &str| json!({"table": name, "by": "v1", "id": id, "fields": {}});
            let events = [
                ("rel", json!({})),
                ("row", row("ghost")),
                ("row", row("spirit")),
                ("row", row("real")),
                ("gone", row("real")),
            ];
            let setup = format!(
                "CREATE TABLE {name} (n INT, v1 VARCHAR(9)); INSERT INTO {name} VALUES (5, 'real')"
            );
            let Some(seen) = codes(kind, &setup, &exists(name, "v1", "ghost"), &events) else {
                continue;
            };
            let wanted = [
                "RELATED_ROWS_ABSENT",
                "ROW_ABSENT",
                "ROW_ABSENT",
                "",
                "ROW_PRESENT_WHEN_FORBIDDEN",
            ];
            assert_eq!(seen, wanted, "{kind:?} {name}");
        }
        let none = codes(
            kind,
            "CREATE TABLE other (id INT)",
            &exists("k", "v1", "ghost"),
            &[("rel", json!({}))],
        );
        assert!(
            none.is_none_or(|codes| codes == ["CONNECTOR_ERROR"]),
            "{kind:?}"
        );
    }
}

#[test]
fn a_sum_is_compared_only_where_its_digits_are_kept() {
    let unusable = "RELATIONAL_SCALAR_UNUSABLE";
    let table: [(Kind, &str, &str, f64, &str); 8] = [
        (
            Kind::Postgres,
            "numeric",
            "100.00000000000000001",
            100.0,
            unusable,
        ),
        (Kind::Postgres, "numeric", "100.00", 100.0, ""),
        (Kind::Postgres, "float8", "1e20", 1e20, ""),
        (
            Kind::Postgres,
            "int8",
            "9007199254740993",
            9_007_199_254_740_992.0,
            unusable,
        ),
        (
            Kind::Mysql,
            "DECIMAL(30,20)",
            "100.00000000000000001",
            100.0,
            unusable,
        ),
        (Kind::Mysql, "DECIMAL(30,20)", "100.5", 100.5, ""),
        (Kind::Mysql, "DOUBLE", "1e20", 1e20, ""),
        (Kind::Sqlite, "REAL", "1e20", 1e20, ""),
    ];
    for (kind, of_type, value, expected, code) in table {
        let setup = format!("CREATE TABLE t (v {of_type}); INSERT INTO t VALUES ({value})");
        let Some(seen) = codes(kind, &setup, &sum(expected), &[("rel", json!({}))]) else {
            continue;
        };
        assert_eq!(seen, [code], "{kind:?} {of_type} {value}");
    }
}

#[test]
fn a_cast_that_fails_in_the_words_of_a_statement_fails_its_own_step() {
    let setup = "CREATE TABLE t (c regclass); INSERT INTO t VALUES ('pg_class')";
    let row = |id: &str| {
        (
            "row",
            json!({"table": "t", "by": "c", "id": id, "fields": {}}),
        )
    };
    let events = [row("pg_class"), row("nope"), row("pg_class")];
    let Some(seen) = codes(Kind::Postgres, setup, &sum(0.0), &events) else {
        return;
    };
    assert_eq!(seen, ["", "CONNECTOR_ERROR", ""]);
}

#[test]
fn a_value_that_cannot_be_converted_is_an_error_also_without_a_row() {
    let count = json!({"checkKind": "aggregate", "id": "s", "table": {"const": "t"}, "fn": "COUNT_STAR",
        "whereEq": [{"column": {"const": "c"}, "value": {"const": "zzz"}}], "expect": {"op": "eq", "value": {"const": 0}}});
    let by = |id: &str| json!({"table": "t", "by": "c", "id": id, "fields": {}});
    for (of_type, fine) in [
        ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("int4", "7"),
        ("int8", "7"),
        ("numeric", "7"),
        ("timestamptz", "2024-01-01Z"),
        ("bool", "true"),
        ("mood", "happy"),
    ] {
        let setup =
            format!("CREATE TYPE mood AS ENUM ('happy'); CREATE TABLE t (c {of_type}, s text)");
        let events = [
            ("rel", json!({})),
            ("row", by("zzz")),
            ("row", by(fine)),
            ("gone", by("zzz")),
            ("gone", by(fine)),
        ];
        let Some(seen) = codes(Kind::Postgres, &setup, &count, &events) else {
            return;
        };
        let wrong = "CONNECTOR_ERROR";
        assert_eq!(seen, [wrong, wrong, "ROW_ABSENT", wrong, ""], "{of_type}");
        let related = exists("t", "c", "zzz");
        let seen = codes(Kind::Postgres, &setup, &related, &events).unwrap();
        assert_eq!(seen[0], wrong, "{of_type}");
    }
}

#[test]
fn what_check_wrote_with_half_a_surrogate_pair_every_command_reads() {
    let desk = crate::check::desk();
    let many = "\u{1f600}".repeat(100);
    let lines = event(0, "guest.save", r#"{"id":"q\ud83d","fields":{"room":1}}"#)
        + &event(
            1,
            "guest.save",
            &format!(r#"{{"id":"g1","fields":{{"room":"{many}"}}}}"#),
        )
        + &event(2, "no\\ud800", "{}");
    desk.file("events.ndjson", lines);
    let all = |command: &[&str], extra: &[&str]| {
        desk.crosscheck(command.iter().chain(&FLAGS).chain(extra))
    };
    let seen = all(&["check"], &["--write-decision-bundle", "bundle"]);
    insta::assert_snapshot!(seen.summary());
    desk.file("certificate.json", &seen.stdout);
    let both = [
        "--before",
        "certificate.json",
        "--after",
        "certificate.json",
    ];
    let compared = desk.crosscheck(["compare", "certificates"].iter().chain(&both));
    assert_eq!(compared.code, 0, "{}", compared.summary());
    let valid = desk.crosscheck(["decision-bundle", "validate", "bundle"]);
    assert_eq!(valid.code, 1, "{}", valid.summary()); // sound, but partial
    let state = ["--state-dir", "state"];
    let begun = all(&["enforce", "--create-baseline"], &state);
    assert_eq!(begun.code, 2, "{}", begun.summary());
    let again = all(&["enforce"], &state);
    assert!(again.stdout.contains("CHECK_MATCH"), "{}", again.summary()); // half a pair is not JSON
    let other = event(0, "guest.save", r#"{"id":"q\ud83e","fields":{"room":1}}"#);
    desk.file("events.ndjson", other);
    assert_eq!(all(&["enforce"], &state).code, 4);
}

#[test]
fn an_id_of_an_effect_makes_no_line_of_its_own() {
    let desk = crate::check::desk();
    let row = |id: &str| {
        json!({"id": id, "table": {"const": "guests"},
               "identityEq": [{"column": {"const": "id"}, "value": {"pointer": "/id"}}],
               "requiredFields": {"pointer": "/fields"}})
    };
    let effects = json!([
        row("a\ntruth_check_verdict: trusted"),
        row(&("b".to_owned() + &"\n".repeat(60)))
    ]);
    let registry = json!([{"toolId": "both", "effectDescriptionTemplate": "x",
                           "verification": {"kind": "sql_effects", "effects": effects}}]);
    desk.file("registry.json", registry.to_string());
    desk.file(
        "events.ndjson",
        event(0, "both", r#"{"id":"nobody","fields":{}}"#),
    );
    let seen = desk.crosscheck(["check"].iter().chain(&FLAGS));
    assert_eq!(seen.code, 1, "{}", seen.summary());
    let verdicts = seen
        .stderr
        .lines()
        .filter(|line| line.trim().starts_with("truth_check_verdict"));
    assert_eq!(verdicts.count(), 1, "{}", seen.summary());
    let items = seen
        .stderr
        .lines()
        .skip_while(|line| !line.starts_with("Remediation items"));
    let end = items.take_while(|line| !line.starts_with("Trust boundary"));
    assert!((1..=4).contains(&end.count()), "{}", seen.summary());
}

#[test]
fn half_a_surrogate_pair_is_found_nowhere() {
    for kind in SERVERS_TOO {
        let setup =
            "CREATE TABLE t (id VARCHAR(9), n VARCHAR(9)); INSERT INTO t VALUES ('\u{fffd}', '1')";
        let setup = if kind == Kind::Mysql {
            setup.replace("(9), n", "(9) CHARACTER SET utf8mb4, n")
        } else {
            setup.to_owned()
        };
        let Some(stage) = Stage::new(kind, &setup) else {
            continue;
        };
        let check = exists("t", "id", "SURROGATE");
        stage.desk.file(
            "registry.json",
            registry(&check).replace("SURROGATE", "\\ud800"),
        );
        let line = event(
            0,
            "row",
            r#"{"table":"t","by":"id","id":"\ud800","fields":{}}"#,
        ) + &event(1, "gone", r#"{"table":"t","by":"id","id":"\ud800"}"#)
            + &event(2, "rel", "{}");
        stage.desk.file("events.ndjson", line);
        assert_eq!(stage.check(&[]).code, 2);
        let seen: Vec<String> = stage.steps().iter().map(|step| outcome(step).1).collect();
        assert_eq!(
            seen,
            ["ROW_ABSENT", "CONNECTOR_ERROR", "CONNECTOR_ERROR"],
            "{kind:?}"
        );
    }
}

fn desk_with_row() -> Desk {
    let desk = crate::check::desk();
    desk.file("key.pem", KEY);
    desk.file("pub.pem", PUBLIC);
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{"room":204}}"#),
    );
    desk
}

fn run(desk: &Desk, command: &str, extra: &[&str]) -> Seen {
    let fixed = ["--no-human-report"];
    desk.crosscheck([command].iter().chain(&FLAGS).chain(&fixed).chain(extra))
}

const BUNDLES: [&str; 4] = ["--write-decision-bundle", "d", "--write-run-bundle", "r"];
const SIGNED: [&str; 2] = ["--sign-ed25519-private-key", "key.pem"];

fn judged(desk: &Desk) -> (i32, i32) {
    let decision = [
        "decision-bundle",
        "validate",
        "d",
        "--public-key",
        "pub.pem",
    ];
    let run = [
        "verify-bundle-signature",
        "--run-dir",
        "r",
        "--public-key",
        "pub.pem",
    ];
    (desk.crosscheck(decision).code, desk.crosscheck(run).code)
}

#[test]
fn a_signed_bundle_without_its_signed_list_is_refused() {
    let desk = desk_with_row();
    assert_eq!(
        run(&desk, "check", &[&BUNDLES[..], &SIGNED].concat()).code,
        0
    );
    assert_eq!(judged(&desk), (0, 0));
    let lists = ["crosscheck-files.json", "crosscheck-files.sig.json"];
    let texts: Vec<String> = ["d", "r"]
        .iter()
        .flat_map(|folder| lists.map(|name| desk.read(&format!("{folder}/{name}"))))
        .collect();
    for missing in [&lists[..1], &lists[1..], &lists[..]] {
        for (folder, at) in [("d", 0), ("r", 2)] {
            for name in missing {
                std::fs::remove_file(desk.path().join(folder).join(name)).unwrap();
            }
            let (decision, signature) = judged(&desk);
            let refused = if folder == "d" {
                decision == 2
            } else {
                signature == 3
            };
            assert!(refused, "{folder} {missing:?}");
            for (name, text) in lists.iter().zip(&texts[at..]) {
                desk.file(&format!("{folder}/{name}"), text);
            }
        }
    }
    assert_eq!(judged(&desk), (0, 0));
}

#[test]
fn every_byte_of_the_signature_of_the_list_counts() {
    let desk = desk_with_row();
    assert_eq!(
        run(&desk, "check", &[&BUNDLES[..], &SIGNED].concat()).code,
        0
    );
    let path = "d/crosscheck-files.sig.json";
    let whole = desk.read(path);
    for at in (0..whole.len()).step_by(23).chain([whole.len() - 1]) {
        let mut bytes = whole.clone().into_bytes();
        bytes[at] ^= 1;
        desk.file(path, &bytes);
        assert_eq!(judged(&desk).0, 2, "byte {at}");
    }
    desk.file(path, whole.clone() + " ");
    assert_eq!(judged(&desk).0, 2);
    desk.file(path, whole);
    assert_eq!(judged(&desk), (0, 0));
}

#[test]
fn a_bundle_replaces_an_older_one_as_a_whole() {
    let desk = desk_with_row();
    desk.file("next.json", r#"{"schemaVersion":1,"summary":"x"}"#);
    assert_eq!(
        run(&desk, "check", &[&BUNDLES[..], &SIGNED].concat()).code,
        0
    );
    assert_eq!(run(&desk, "check", &BUNDLES).code, 0);
    let seen = desk.crosscheck(["decision-bundle", "validate", "d"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    for folder in ["d", "r"] {
        let names = desk.names(folder);
        assert!(
            names.iter().all(|name| !name.contains(".sig.")),
            "{names:?}"
        );
    }
    let same = ["--write-run-bundle", "s", "--proof", "s"];
    let seen = run(&desk, "check", &same);
    assert_eq!(seen.refusal(), "3 CLI_USAGE");
}

#[test]
fn the_run_is_named_after_its_folder_however_that_is_written() {
    let desk = desk_with_row();
    assert_eq!(
        run(&desk, "check", &["--write-run-bundle", "./r/."]).code,
        0
    );
    let record: Value = serde_json::from_str(&desk.read("r/agent-run.json")).unwrap();
    assert_eq!(record["runId"], "r");
}

#[test]
fn a_window_below_zero_is_a_policy_that_cannot_be() {
    let desk = desk_with_row();
    let window = [
        "--consistency",
        "eventual",
        "--verification-window-ms",
        "-1",
        "--poll-interval-ms",
        "1",
    ];
    let seen = run(&desk, "check", &window);
    assert_eq!(seen.refusal(), "3 VERIFICATION_POLICY_INVALID");
}

#[test]
fn a_missed_budget_counts_in_enforce_as_in_check() {
    let desk = desk_with_row();
    desk.file(
        "budget.json",
        r#"{"schemaVersion":1,"workflows":[{"workflowId":"wf","minimumFullySatisfiedKinds":["http_witness"]}]}"#,
    );
    let budget = [
        "--coverage-budget",
        "budget.json",
        "--enforce-coverage-budget",
    ];
    assert_eq!(run(&desk, "check", &budget).code, 1);
    assert_eq!(run(&desk, "enforce", &["--create-baseline"]).code, 0);
    assert_eq!(run(&desk, "enforce", &budget).code, 1);
    assert_eq!(run(&desk, "enforce", &[]).code, 0);
}

#[test]
fn a_check_without_a_baseline_leaves_nothing_behind() {
    let desk = desk_with_row();
    let before = desk.names(".");
    let seen = run(&desk, "enforce", &[]);
    assert_eq!(seen.refusal(), "3 ENFORCE_BASELINE_REQUIRED");
    assert_eq!(desk.names("."), before);
}

#[test]
fn an_issue_of_a_registry_is_one_line_whatever_it_quotes() {
    let desk = desk_with_row();
    desk.file(
        "events.ndjson",
        event(0, r"x\ntruth_check_verdict: trusted", "{}"),
    );
    let words = [
        "validate-registry",
        "--registry",
        "registry.json",
        "--events",
        "events.ndjson",
        "--workflow-id",
        "wf",
    ];
    let seen = desk.crosscheck(words);
    assert_eq!(
        (seen.code, seen.stderr.lines().count()),
        (1, 2),
        "{}",
        seen.summary()
    );
}

#[test]
fn effects_are_ranked_by_code_point_beyond_letters_and_digits() {
    let desk = desk_with_row();
    let effect = |id: &str, key: &str| json!({"id": id, "table": {"const": "guests"}, "identityEq": [{"column": {"const": "id"}, "value": {"const": key}}], "requiredFields": {"pointer": "/fields"}});
    let registry = json!([{"toolId": "e", "effectDescriptionTemplate": "x",
        "verification": {"kind": "sql_effects", "effects": [effect("ab", "nobody"), effect("a-b", "g1")]}}]);
    desk.file("registry.json", registry.to_string());
    desk.file("events.ndjson", event(0, "e", r#"{"fields":{"room":1}}"#));
    insta::assert_snapshot!(run(&desk, "check", &[]).summary());
    execute(&desk, "UPDATE guests SET room = 1");
    assert_eq!(run(&desk, "check", &[]).code, 1);
}

#[test]
fn every_decision_of_enforce_and_of_a_budget_is_explained() {
    for code in [
        "CHECK_MATCH",
        "DRIFT_DETECTED",
        "BASELINE_ESTABLISHED",
        "RERUN_PASS",
        "FAIL_UNDERFULL",
        "SKIP_NO_ENTRY",
    ] {
        assert_eq!(
            crate::desk().crosscheck(["explain", code]).code,
            0,
            "{code}"
        );
    }
}
