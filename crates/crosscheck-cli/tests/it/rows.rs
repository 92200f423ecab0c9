//! Conversations with `crosscheck rows`.

use crosscheck::render::Format;
use crosscheck_testkit::{Desk, Seen};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::desk;

const SHOP: &str = "
    CREATE TABLE orders (id TEXT PRIMARY KEY, item TEXT, status TEXT, total NUMERIC(8,2));
    INSERT INTO orders VALUES ('o_1', 'lamp', 'paid', 49.9), ('o_2', 'book', 'paid', 12.5), ('o_3', 'pen', 'sent', 2);";

/// One order was paid, another one is said to be refunded.
const CALLS: &str = r#"{"tool":"get_order","params":{"order_id":"o_3"},"result":{"id":"o_3","status":"sent"}}
{"tool":"pay_order","params":{"order_id":"o_1"},"result":{"id":"o_1","status":"paid"}}
{"tool":"refund_order","params":{"order_id":"o_2"},"result":{"id":"o_2","status":"refunded"}}
{"tool":"cancel_order","params":{"order_id":"o_1"},"result":"Error: it is paid already"}
{"tool":"ship_order","params":{"order_id":"o_1","carrier":"DHL"},"result":"ok"}
"#;

const FORMATS: [&str; Format::ALL.len()] = Format::NAMES;

fn shop() -> Desk {
    let desk = desk();
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    connection.execute_batch(SHOP).unwrap();
    desk.file("run.ndjson", CALLS);
    desk
}

#[test]
fn lies_come_first_with_what_was_claimed_and_what_was_found() {
    let seen = shop().crosscheck(["rows", "run.ndjson", "--db", "shop.db"]);

    insta::assert_snapshot!(seen.summary(), @r"
    exit 1
    --- stdout
    REFUTED     refund_order  (run.ndjson:3, call 3)
                VALUE_MISMATCH: orders id=o_2: status is paid, claimed refunded
    UNPROVEN    ship_order  (run.ndjson:5, call 5)
                NOTHING_COMPARED: orders id=o_1 exists, but nothing agrees: status is paid, which does not say shipped
    PROVEN      pay_order  (run.ndjson:2, call 2)

    2 of 3 write calls could be checked: 1 proven, 1 refuted, 1 unproven; 0 superseded, 1 reads, 1 failed, 0 ignored
    --- stderr
    ");
}

#[test]
fn every_format_names_the_lie() {
    let desk = shop();
    let line = |format| format!("rows run.ndjson --db shop.db --format {format}");
    insta::assert_snapshot!(desk.talk(FORMATS.map(line)));
}

#[test]
fn redacted_reports_hold_no_value_and_no_key() {
    let desk = shop();
    let line =
        |format| format!("rows run.ndjson --db shop.db --redact --explain --format {format}");
    let printed = desk.talk(FORMATS.map(line));
    for word in ["o_1", "o_2", "refunded", "paid", "DHL"] {
        assert!(!printed.contains(word), "{word}: {printed}");
    }
    insta::assert_snapshot!(printed);
}

#[test]
fn quiet_prints_nothing_and_output_goes_into_a_file() {
    let desk = shop();
    let quiet = desk.crosscheck(["rows", "run.ndjson", "--db", "shop.db", "--quiet"]);
    assert_eq!((quiet.code, quiet.stdout.as_str()), (1, ""));

    let seen = desk.crosscheck([
        "rows",
        "run.ndjson",
        "--db",
        "shop.db",
        "--format",
        "json",
        "--output",
        "report.json",
    ]);
    assert_eq!((seen.code, seen.stdout.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&desk.read("report.json")).unwrap();
    assert_eq!(report["calls"]["total"], 5);

    for input in ["shop.db", "run.ndjson"] {
        let before = std::fs::read(desk.path().join(input)).unwrap();
        let seen = desk.crosscheck(["rows", "run.ndjson", "--db", "shop.db", "--output", input]);
        assert_eq!(seen.code, 3, "{}", seen.stderr);
        assert_eq!(std::fs::read(desk.path().join(input)).unwrap(), before);
    }
}

#[test]
fn what_keeps_it_from_running_is_said_with_a_code() {
    let desk = shop();
    desk.file(
        "contract.toml",
        "version = 1\n[tools.x]\ntabel = \"orders\"\n",
    );
    let lines = [
        "nothing.json --db shop.db",
        ". --db shop.db",
        "run.ndjson --db nothing.db",
        "run.ndjson --db run.ndjson",
        "run.ndjson",
        "- - --db shop.db",
        "run.ndjson --db shop.db --colour",
        "run.ndjson --db shop.db --contract contract.toml",
    ];
    insta::assert_snapshot!(desk.talk(lines.map(|line| format!("rows {line}"))));
}

#[test]
fn the_database_may_come_from_the_environment() {
    let desk = shop();
    let url = format!("sqlite://{}", desk.path().join("shop.db").display());
    let seen = desk
        .variable("DATABASE_URL", url)
        .crosscheck(["rows", "run.ndjson"]);
    assert_eq!(seen.code, 1, "{}", seen.stderr);
}

#[test]
fn standard_input_is_a_log_too() {
    let seen = shop().crosscheck_with_input(["rows", "-", "--db", "shop.db"], CALLS.as_bytes());
    insta::assert_snapshot!(seen.summary());
}

#[test]
fn five_keys_that_are_all_unknown_ask_for_the_right_database() {
    let desk = shop();
    let call = |id: u32| {
        json!({"tool": "update_order", "params": {"order_id": format!("o_{id}"), "status": "paid"}})
            .to_string()
    };
    let calls: Vec<String> = (10..15).map(call).collect();
    desk.file("other.ndjson", calls.join("\n"));
    insta::assert_snapshot!(desk.talk(["rows other.ndjson --db shop.db"]));
}

#[test]
fn a_contract_fits_a_tool_of_any_server_or_says_that_it_fits_none() {
    let desk = shop();
    let entry = |tool: &str| format!("version = 1\n[tools.{tool}]\nclass = 'ignore'\n");
    desk.file("contract.toml", entry("notify"));
    for (tool, count, warns) in [
        ("mcp__shop__notify", 1, false),
        ("mcp__shop__ring", 0, true),
    ] {
        desk.file(
            "run.ndjson",
            json!({"tool": tool, "params": {}}).to_string(),
        );
        let words = ["rows", "run.ndjson", "--db", "shop.db", "--format", "json"];
        let seen = desk.crosscheck(words.iter().chain(&["--contract", "contract.toml"]));
        let report: Value = serde_json::from_str(&seen.stdout).unwrap();
        assert_eq!(report["calls"]["ignored"], count, "{tool}");
        let warnings = report["warnings"].to_string();
        assert_eq!(
            warnings.contains("no entry of the contract"),
            warns,
            "{warnings}"
        );
    }
    desk.file(
        "contract.toml",
        "version = 1\n[tools.t]\ntable = 'x'\nkey = { id = '/args/id' }\n",
    );
    let seen = desk.crosscheck([
        "rows",
        "run.ndjson",
        "--db",
        "shop.db",
        "--contract",
        "contract.toml",
    ]);
    assert_eq!(
        seen.stderr.matches("has no table").count(),
        1,
        "{}",
        seen.stderr
    );
}

#[test]
fn secrets_are_compared_and_never_shown() {
    let desk = desk();
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    let schema =
        "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, api_token TEXT, db_password TEXT, passcode TEXT, auth_key TEXT, db_pwd TEXT, totp TEXT, user_pin TEXT);
        INSERT INTO users VALUES (1, 'Mira', 'held-token-93', 'held-word-93', 'held-word-1', 'held-word-2', 'held-word-3', 'held-word-4', 'held-word-5');";
    connection.execute_batch(schema).unwrap();
    let row = json!({"id": 1, "name": "Mira", "api_token": "said-token-17", "db_password": "said-word-17",
        "passcode": "said-word-1", "auth_key": "said-word-2", "db_pwd": "said-word-3", "totp": "said-word-4", "user_pin": "said-word-5"});
    let call = json!({"tool": "update_user", "params": row, "result": row});
    desk.file("run.ndjson", call.to_string());
    for format in ["human", "json", "ndjson", "html"] {
        let words = [
            "rows",
            "run.ndjson",
            "--db",
            "shop.db",
            "--explain",
            "--format",
            format,
        ];
        let seen = desk.crosscheck(words);
        assert_eq!(seen.code, 1, "{}", seen.stdout);
        for secret in ["-token-", "-word-"] {
            assert!(!seen.stdout.contains(secret), "{format}: {}", seen.stdout);
        }
    }
}

#[test]
fn what_is_only_said_at_the_end_is_reported() {
    let desk = shop();
    let call = json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "pay_order", "arguments": "{\"order_id\":\"o_1\"}"}}]});
    let answer = json!({"role": "tool", "tool_call_id": "a", "content": "{\"id\":\"o_1\",\"status\":\"paid\"}"});
    for (said, code, reported) in [
        ("I have paid order o_1.", 0, None),
        ("I could not refund order o_2, shall I?", 0, None),
        ("Thank you, have a nice day.", 0, None),
        (
            "I have refunded order o_2 (12.50 EUR).",
            2,
            Some("refunded order o_2"),
        ),
        (
            "I have paid order o_1 and cancelled order o_3.",
            2,
            Some("cancelled order o_3"),
        ),
        ("I have paid order o_2.", 2, Some("paid order o_2")),
    ] {
        let end = json!({"role": "assistant", "content": said});
        desk.file("run.json", json!([call, answer, end]).to_string());
        let line = "rows run.json --db shop.db --format json";
        assert_eq!(desk.crosscheck(line.split(' ')).code, 0, "{said}");
        let line = format!("{line} --claims");
        let seen = desk.crosscheck(line.split(' '));
        assert_eq!(seen.code, code, "{said}: {}", seen.stdout);
        let report: Value = serde_json::from_str(&seen.stdout).unwrap();
        let claims = report["claims"].to_string();
        assert!(
            reported.is_none_or(|text| claims.contains(text)),
            "{claims}"
        );
    }
}

#[test]
fn a_misspelt_tool_of_a_contract_is_an_error_with_the_nearest_name() {
    let desk = shop();
    let entry = "class = 'write'\ntable = 'orders'\nkey = { id = '/args/order_id' }\nfields = { status = { const = 'refunded' } }\n";
    for (tool, code) in [("refundOrder", 3), ("refund_ordr", 3), ("reopen_ticket", 1)] {
        desk.file(
            "contract.toml",
            format!("version = 1\n[tools.{tool}]\n{entry}"),
        );
        let line = "rows run.ndjson --db shop.db --contract contract.toml";
        let seen = desk.crosscheck(line.split(' '));
        assert_eq!(seen.code, code, "{tool}: {}", seen.stderr);
        let names = seen.stderr.contains("did you mean `refund_order`?");
        assert_eq!(names, code == 3, "{}", seen.stderr);
    }
}

#[test]
fn what_later_calls_replaced_is_proposed_for_the_contract_too() {
    let desk = shop();
    let calls = r#"{"tool":"create_order","params":{"item":"lamp","total":49.9},"result":{"id":"o_1","status":"new"}}
{"tool":"update_order","params":{"order_id":"o_1","status":"paid"},"result":{"id":"o_1","status":"paid"}}
{"tool":"send_mail","params":{"to":"m@example.org"},"result":"sent"}"#;
    desk.file("run.ndjson", calls);
    insta::assert_snapshot!(desk.talk(["rows learn run.ndjson --db shop.db"]));
}

#[test]
fn a_contract_is_reported_all_its_mistakes_with_their_lines() {
    let desk = shop();
    let contract = "version = 1\n[tools.a]\ntable = 'ordres'\nkey = { id = '/args/id' }\n\n[tools.b]\ntable = 'orders'\nkey = { id = '/args/id' }\nfields = { stat = '/args/x' }\n";
    desk.file("contract.toml", contract);
    let seen = desk.crosscheck([
        "rows",
        "run.ndjson",
        "--db",
        "shop.db",
        "--contract",
        "contract.toml",
    ]);
    assert_eq!(seen.code, 3);
    for printed in [
        "line 3: tools.a.table: the database has no table `ordres` that this role may read; there is ",
        "line 9: tools.b.fields: the table `orders` has no column `stat`; there is id, ",
    ] {
        assert!(seen.stderr.contains(printed), "{}", seen.stderr);
    }
}

#[test]
fn keys_of_several_names_are_learnt() {
    let desk = desk();
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    let tables = "CREATE TABLE tickets (id INTEGER PRIMARY KEY, status TEXT, priority TEXT);
        INSERT INTO tickets VALUES (2, 'closed', 'low'), (3, 'open', 'high');
        CREATE TABLE shifts (agent INTEGER, day TEXT, kind TEXT, PRIMARY KEY (agent, day));
        INSERT INTO shifts VALUES (7, 'mon', 'late');";
    connection.execute_batch(tables).unwrap();
    let calls = [
        json!({"tool": "rank_ticket", "params": {"ticket_id": 3, "priority": "high"}}),
        json!({"tool": "rank_ticket", "params": {"id": 2, "priority": "low"}}),
        json!({"tool": "assign_shift", "params": {"agent": 7, "day": "mon", "kind": "late"}}),
    ];
    desk.file("run.ndjson", calls.map(|call| format!("{call}\n")).concat());
    let learnt = desk.crosscheck(["rows", "learn", "run.ndjson", "--db", "shop.db"]);
    for key in [
        "key = { agent = \"/args/agent\", day = \"/args/day\" }",
        "key = { id = [\"/args/id\", \"/args/ticket_id\"] }",
    ] {
        assert!(learnt.stdout.contains(key), "{}", learnt.stdout);
    }
    let confirmed = learnt
        .stdout
        .replace("confirmed = false", "confirmed = true");
    desk.file("contract.toml", confirmed);
    let run = "rows run.ndjson --db shop.db --contract contract.toml --format json";
    let good = desk.crosscheck(run.split(' '));
    assert_eq!(good.code, 0, "{}", good.stdout);
    connection
        .execute_batch("UPDATE tickets SET priority = 'none'")
        .unwrap();
    let lie = desk.crosscheck(run.split(' '));
    let refuted: Vec<u64> = states(&lie)
        .into_iter()
        .filter(|(_, state)| state == "refuted")
        .map(|(call, _)| call)
        .collect();
    assert_eq!(refuted, [1, 2], "{}", lie.stdout);
}

#[test]
fn runs_with_a_database_each_are_learnt_together() {
    let desk = desk();
    for (day, ticket) in [("monday", 1), ("tuesday", 2)] {
        let connection = Connection::open(desk.path().join(format!("{day}.db"))).unwrap();
        let tables = "CREATE TABLE tickets (id INTEGER PRIMARY KEY, priority TEXT);
            INSERT INTO tickets VALUES (1, 'high'), (2, 'high');";
        connection.execute_batch(tables).unwrap();
        let params = json!({"ticket_id": ticket, "priority": "high"});
        let call = json!({"tool": "update_ticket", "params": params, "result": "ok"});
        desk.file(&format!("{day}.ndjson"), format!("{call}\n"));
    }
    let learn = |rest: &str| {
        let words =
            format!("rows learn monday.ndjson tuesday.ndjson --db monday.ndjson=monday.db {rest}");
        desk.crosscheck(words.split_whitespace())
    };
    let learnt = learn("--db tuesday.ndjson=tuesday.db");
    let line = "priority = \"/args/priority\"  # agrees 2, differs 0, open 0";
    assert!(learnt.stdout.contains(line), "{}", learnt.summary());
    let unnamed = learn("--db monday.db");
    let printed = "no `--db tuesday.ndjson=FILE|URL` names the database of this log";
    assert_eq!(unnamed.code, 3);
    assert!(unnamed.stderr.contains(printed), "{}", unnamed.stderr);
    let several = "rows monday.ndjson --db monday.db --db tuesday.db";
    assert_eq!(desk.crosscheck(several.split(' ')).code, 3);
}

#[test]
fn what_was_learnt_and_confirmed_decides_what_the_names_do_not() {
    let desk = desk();
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE orders (id TEXT PRIMARY KEY, stage TEXT, place TEXT);
             INSERT INTO orders VALUES ('o_1', 'boxed', 'Bonn'), ('o_2', 'sent', 'Rome'), ('o_3', 'boxed', 'Oslo');",
        )
        .unwrap();
    let call = |id: &str, town: &str| {
        let call = json!({"tool": "update_order", "params": {"order_id": id, "destination": town}, "result": "ok"});
        format!("{call}\n")
    };
    desk.file("good.ndjson", call("o_1", "Bonn") + &call("o_2", "Rome"));
    desk.file("lie.ndjson", call("o_3", "Paris"));

    // nothing says that the destination is kept as the place
    let before = desk.crosscheck(["rows", "lie.ndjson", "--db", "shop.db"]);
    assert_eq!(before.code, 2, "{}", before.stdout);

    let learnt = desk.crosscheck(["rows", "learn", "good.ndjson", "--db", "shop.db"]);
    insta::assert_snapshot!(learnt.summary());
    desk.file("contract.toml", &learnt.stdout);
    let proposed = desk.crosscheck([
        "rows",
        "lie.ndjson",
        "--db",
        "shop.db",
        "--contract",
        "contract.toml",
    ]);
    assert_eq!(
        proposed.code, 2,
        "a proposal refutes nothing: {}",
        proposed.stdout
    );

    // a person knows it
    assert!(learnt.stdout.contains("nothing fits"), "{}", learnt.stdout);
    let confirmed = learnt
        .stdout
        .replace("confirmed = false", "confirmed = true")
        + "table = \"orders\"\nkey = { id = \"/args/order_id\" }\nfields = { place = \"/args/destination\" }\n";
    desk.file("contract.toml", confirmed);
    let good = desk.crosscheck([
        "rows",
        "good.ndjson",
        "--db",
        "shop.db",
        "--contract",
        "contract.toml",
    ]);
    assert_eq!(good.code, 0, "{}", good.stdout);
    let lie = desk.crosscheck([
        "rows",
        "lie.ndjson",
        "--db",
        "shop.db",
        "--contract",
        "contract.toml",
    ]);
    insta::assert_snapshot!(lie.summary());
}

#[test]
fn shell_and_file_tools_are_ignored_and_named_unless_they_reach_a_database() {
    let desk = desk();
    Connection::open(desk.path().join("app.db"))
        .unwrap()
        .execute_batch("CREATE TABLE orders(id TEXT PRIMARY KEY, status TEXT); INSERT INTO orders VALUES('o1', 'open');")
        .unwrap();
    let write = r#"{"tool":"update_order","params":{"order_id":"o1","status":"open"},"result":{"id":"o1","status":"open"}}"#;
    let calls = [
        (
            r#"{"tool":"Bash","params":{"command":"cargo test"},"result":"ok"}"#,
            0,
        ),
        (
            r#"{"tool":"Edit","params":{"file_path":"a.rs","old_string":"a","new_string":"b"},"result":"ok"}"#,
            0,
        ),
        (
            r#"{"tool":"Grep","params":{"pattern":"x"},"result":"a.rs"}"#,
            0,
        ),
        (
            r#"{"tool":"Bash","params":{"command":"psql -c 'select refund(1)'"},"result":"ok"}"#,
            2,
        ),
        (
            r#"{"tool":"Write","params":{"file_path":"app.db","content":"x"},"result":"ok"}"#,
            2,
        ),
        (r#"{"tool":"Bash","params":{"note":"o1"},"result":"ok"}"#, 2),
    ];
    for (call, code) in calls {
        desk.file("run.ndjson", format!("{write}\n{call}\n"));
        let seen = desk.crosscheck(["rows", "run.ndjson", "--db", "app.db"]);
        assert_eq!(seen.code, code, "{call}: {}", seen.stdout);
        let is_named = seen
            .stdout
            .contains("calls of shell and file tools are ignored");
        assert_eq!(is_named, code == 0, "{call}: {}", seen.stdout);
    }
}

#[test]
fn a_tool_that_names_a_table_is_judged_whatever_else_it_may_be() {
    let desk = desk();
    Connection::open(desk.path().join("app.db"))
        .unwrap()
        .execute_batch("CREATE TABLE files(id TEXT PRIMARY KEY, path TEXT);")
        .unwrap();
    desk.file(
        "run.ndjson",
        r#"{"tool":"write_file","params":{"id":"f1","path":"a"},"result":{"id":"f1","path":"a"}}"#,
    );
    insta::assert_snapshot!(desk.talk(["rows run.ndjson --db app.db"]));
}

/// States of the judged calls, by the number of the call.
fn states(seen: &Seen) -> Vec<(u64, String)> {
    let report: Value = serde_json::from_str(&seen.stdout).unwrap();
    let outcomes = report["outcomes"].as_array().unwrap();
    let mut states: Vec<(u64, String)> = outcomes
        .iter()
        .map(|outcome| {
            let index = outcome["call"]["index"].as_u64().unwrap();
            (index, outcome["state"].as_str().unwrap().to_owned())
        })
        .collect();
    states.sort();
    states
}

/// Runs calls against a database, both as they are given.
fn judged(tables: &str, calls: &[Value]) -> Seen {
    let desk = desk();
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    connection.execute_batch(tables).unwrap();
    let lines: Vec<String> = calls.iter().map(Value::to_string).collect();
    desk.file("run.ndjson", lines.join("\n"));
    desk.crosscheck(["rows", "run.ndjson", "--db", "shop.db", "--format", "json"])
}

#[test]
fn an_answer_that_may_be_a_refusal_accuses_no_one() {
    let call = |answer: Value| json!({"tool": "update_order", "params": {"order_id": "o_2", "status": "refunded"}, "result": answer});
    for answer in [
        json!("Order o_2 is locked by another process"),
        json!({"updated": 0}),
        json!({"status": "rejected"}),
        json!({"order_id": "o_2", "message": "The order was not changed"}),
        json!(false),
    ] {
        let seen = judged(SHOP, &[call(answer.clone())]);
        assert_eq!(states(&seen), [(1, "unproven".to_owned())], "{answer}");
        assert!(
            seen.stdout
                .contains("the answer may say that it was not done, or not yet"),
            "{answer}"
        );
    }
    for answer in [json!("ValidationError: status"), json!("HTTP 409 Conflict")] {
        let seen = judged(SHOP, &[call(answer.clone())]);
        assert_eq!(states(&seen), [], "{answer}");
    }
    let seen = judged(SHOP, &[call(json!("Order o_2 updated"))]);
    assert_eq!(states(&seen), [(1, "refuted".to_owned())]);
}

#[test]
fn a_tool_that_deletes_a_part_does_not_want_the_whole_gone() {
    for (tool, state) in [
        ("delete_order", "refuted"),
        ("remove_order_coupon", "unproven"),
    ] {
        let call = json!({"tool": tool, "params": {"order_id": "o_1"}, "result": "ok"});
        let seen = judged(SHOP, &[call]);
        assert_eq!(states(&seen), [(1, state.to_owned())], "{tool}");
    }
}

const FAMILY: &str = "
    CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE orders (id TEXT PRIMARY KEY, customer_id TEXT REFERENCES customers(id) ON DELETE CASCADE, status TEXT);
    CREATE TABLE order_items (id TEXT PRIMARY KEY, order_id TEXT REFERENCES orders(id), item TEXT, amount INTEGER);
    INSERT INTO customers VALUES ('c_2', 'Ada'), ('c_3', 'Bob');
    INSERT INTO orders VALUES ('o_2', 'c_2', 'new'), ('o_3', 'c_3', 'new'), ('o_4', 'c_3', 'new');
    INSERT INTO order_items VALUES ('i_2', 'o_2', 'lamp', 1);";

#[test]
fn a_row_may_go_with_the_row_it_hangs_on() {
    let create = json!({"tool": "create_order", "params": {"customer_id": "c_1"},
        "result": {"id": "o_1", "customer_id": "c_1", "status": "new"}});
    let delete =
        json!({"tool": "delete_customer", "params": {"customer_id": "c_1"}, "result": "ok"});
    let seen = judged(FAMILY, &[create.clone(), delete]);
    let expected = [(1, "unproven".to_owned()), (2, "proven".to_owned())];
    assert_eq!(states(&seen), expected);
    // nothing was deleted later: the order was never made
    let seen = judged(FAMILY, &[create]);
    assert_eq!(states(&seen), [(1, "refuted".to_owned())]);
}

#[test]
fn child_rows_may_be_changed_by_calls_about_themselves() {
    let items = json!([{"item": "lamp", "amount": 1}, {"item": "book", "amount": 2}]);
    let create = json!({"tool": "create_order", "params": {"customer_id": "c_2", "items": items},
        "result": {"id": "o_2", "customer_id": "c_2", "status": "new", "items": items}});
    let seen = judged(FAMILY, std::slice::from_ref(&create));
    assert_eq!(states(&seen), [(1, "refuted".to_owned())]);
    let delete =
        json!({"tool": "delete_order_item", "params": {"order_item_id": "i_3"}, "result": "ok"});
    let seen = judged(FAMILY, &[create, delete]);
    let expected = [(1, "unproven".to_owned()), (2, "proven".to_owned())];
    assert_eq!(states(&seen), expected);
}

#[test]
fn sql_that_writes_is_never_taken_for_a_read() {
    for sql in [
        "-- close it\nUPDATE orders SET status = 'x'",
        "BEGIN; INSERT OR REPLACE INTO orders VALUES (1); COMMIT",
        "CALL close_order('o_1')",
    ] {
        let call = json!({"tool": "query", "params": {"sql": sql}, "result": "ok"});
        let seen = judged(SHOP, &[call]);
        assert_eq!(states(&seen), [(1, "unproven".to_owned())], "{sql}");
        assert!(seen.stdout.contains("SQL_TEXT"), "{sql}");
    }
}

const DESK: &str = "
    CREATE TABLE tickets (id TEXT PRIMARY KEY, status TEXT, note TEXT, tags TEXT);
    CREATE TABLE ticket_notes (id INTEGER PRIMARY KEY, ticket_id TEXT REFERENCES tickets(id), author TEXT, body TEXT);
    INSERT INTO tickets VALUES ('t_1', 'closed', 'refund approved', '[\"vip\",\"late\"]'),
        ('t_2', 'closed', 'the customer wants the money back, and the lamp, too', '[]'),
        ('t_3', 'closed', 'the customer wants the mon', '[]'),
        ('t_4', 'closed', 'the customer wants…', '[]'), ('t_5', 'closed', 'card 4111111111111111', '[]');
    INSERT INTO ticket_notes VALUES (1, 't_1', 'ada', 'refund approved'), (2, 't_1', 'bob', 'sent');";

/// The state of a call that closes a ticket and answers with this besides.
fn closed(ticket: &str, answer: &Value) -> String {
    let mut image = json!({"id": ticket, "status": "closed"});
    let members = answer.as_object().unwrap().clone();
    image.as_object_mut().unwrap().extend(members);
    let call = json!({"tool": "update_ticket", "params": {"ticket_id": ticket, "status": "closed"}, "result": image});
    let seen = judged(DESK, &[call]);
    states(&seen).remove(0).1
}

#[test]
fn an_answer_that_says_more_or_less_than_the_row_proves_nothing() {
    for (ticket, note) in [
        ("t_1", "refund approved for 500 EUR"),
        ("t_1", "Refund  approved, for 500 EUR"),
        ("t_1", "the refund approved"),
        ("t_1", "refund"),
        ("t_1", "refund approved for 500…"),
        ("t_1", "refund approved for 500..."),
        ("t_2", "the customer wants the money"),
        ("t_2", "the customer wants a lamp…"),
        (
            "t_3",
            "the customer wants the money back, and the lamp, too",
        ),
        ("t_4", "the customer wants the money back"),
        ("t_5", "card ************2222"),
    ] {
        assert_eq!(closed(ticket, &json!({"note": note})), "unproven", "{note}");
    }
    assert_eq!(closed("t_1", &json!({"tags": ["vip"]})), "unproven");
    let notes = |body: &str| {
        let notes = json!([{"author": "ada", "body": body}, {"author": "bob", "body": "sent"}]);
        closed("t_1", &json!({"ticket_notes": notes}))
    };
    assert_eq!(notes("refund approved for 500 EUR"), "unproven");
    assert_eq!(notes("refund approved"), "proven");
}

#[test]
fn an_answer_that_writes_the_row_otherwise_or_shows_that_it_is_cut_is_honest() {
    for (ticket, note) in [
        ("t_1", "refund approved"),
        ("t_1", " Refund approved. "),
        ("t_1", "refund  approved"),
        ("t_2", "the customer wants the mo…"),
        ("t_2", "The customer wants..."),
        ("t_5", "card ************1111"),
    ] {
        assert_eq!(closed(ticket, &json!({"note": note})), "proven", "{note}");
    }
}

#[test]
fn a_key_of_another_type_is_named_with_its_column_and_what_to_do() {
    let tables = "CREATE TABLE appointments (id INTEGER PRIMARY KEY, code TEXT, vet TEXT);
        INSERT INTO appointments VALUES (1, 'A-17', 'Dr X');";
    let message = r#"appointment_id \"A-17\" cannot be appointments.id, which holds whole numbers; if another column holds it, name that one in a contract: key = { COLUMN = \"/args/appointment_id\" }"#;
    for tool in ["reassign_vet", "update_appointment"] {
        let call = json!({"tool": tool, "params": {"appointment_id": "A-17", "vet": "Dr X"}, "result": "ok"});
        let seen = judged(tables, &[call]);
        assert_eq!(states(&seen), [(1, "unproven".to_owned())]);
        assert!(seen.stdout.contains(message), "{}", seen.stdout);
    }
}

#[test]
fn a_log_that_is_one_document_has_no_lines_but_ids() {
    let desk = shop();
    let call = |id: &str, order: &str| json!({"id": id, "tool": "update_order", "params": {"order_id": order, "status": "refunded"}, "result": "ok"});
    let log = json!([call("c_a", "o_1"), call("c_b", "o_2")]);
    desk.file("one.json", log.to_string());
    let lines = log.as_array().unwrap().iter().map(Value::to_string);
    desk.file("two.ndjson", lines.collect::<Vec<_>>().join("\n"));
    insta::assert_snapshot!(
        desk.talk(["rows one.json --db shop.db", "rows two.ndjson --db shop.db",])
    );
}

#[test]
fn a_later_call_that_may_have_changed_a_row_is_reported_with_what_it_did() {
    let tables = "CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, stock INTEGER);
        INSERT INTO products VALUES (1, 'lamp', 7), (2, 'chair', 3);";
    let shown = json!({"id": 1, "name": "lamp", "stock": 9});
    let first = json!({"tool": "update_product", "params": {"product_id": 1, "name": "lamp"}, "result": shown});
    let second = json!({"tool": "update_product", "params": {"product_id": 2, "name": "chair"}, "result": "ok"});
    let seen = judged(tables, &[first, second]);
    let printed =
        "call 2 (update_product) wrote to another row of products and may have changed it";
    assert!(seen.stdout.contains(printed), "{}", seen.stdout);
}

const LIBRARY: &str = "
    CREATE TABLE book (isbn TEXT PRIMARY KEY, title TEXT, copies INTEGER);
    INSERT INTO book VALUES ('978-1', 'Tides', 3), ('978-2', 'Iron', 2);
    CREATE TABLE patron (patron_id INTEGER PRIMARY KEY, name TEXT, points INTEGER, role TEXT);
    INSERT INTO patron VALUES (1, 'Ada', 50, 'admin'), (2, 'Ben', 70, 'user');
    CREATE TABLE transfers (id INTEGER PRIMARY KEY, amount INTEGER);
    INSERT INTO transfers VALUES (4, 50);";

fn state_of(tool: &str, params: &Value, answer: &Value) -> String {
    let call = json!({"tool": tool, "params": params, "result": answer});
    let seen = judged(LIBRARY, &[call]);
    let states = states(&seen);
    let [(_, state)] = &states[..] else {
        panic!("{tool}: {states:?}");
    };
    state.clone()
}

#[test]
fn what_is_removed_from_a_row_is_not_proven_by_the_values_it_lacks() {
    let copies = json!({"isbn": "978-1", "copies": 1});
    let role = json!({"patron_id": 1, "role": "editor"});
    for (tool, params, answer, state) in [
        ("remove_copies", &copies, json!("ok"), "unproven"),
        ("remove_role", &role, json!("ok"), "unproven"),
        // the answer repeats what it was given
        ("remove_role", &role, role.clone(), "unproven"),
        (
            "remove_copies",
            &copies,
            json!({"isbn": "978-1", "copies": 2}),
            "unproven",
        ),
        // three are there, and nobody knows whether there were more
        (
            "remove_copies",
            &copies,
            json!({"isbn": "978-1", "copies": 3}),
            "unproven",
        ),
        (
            "remove_copies",
            &json!({"isbn": "978-9", "copies": 1}),
            json!("ok"),
            "proven",
        ),
    ] {
        assert_eq!(state_of(tool, params, &answer), state, "{tool} {answer}");
    }
}

#[test]
fn a_number_that_is_added_says_nothing_about_the_sum() {
    let points = json!({"patron_id": 2, "points": 70});
    for (tool, params, answer, state) in [
        ("add_points", &points, json!("ok"), "unproven"),
        ("increase_points", &points, json!("ok"), "unproven"),
        ("deduct_points", &points, json!("ok"), "unproven"),
        ("top_up_points", &points, json!("ok"), "unproven"),
        (
            "add_copies",
            &json!({"isbn": "978-2", "copies": 2}),
            json!("ok"),
            "unproven",
        ),
        (
            "add_points",
            &json!({"patron_id": 2, "points": 20}),
            json!({"patron_id": 2, "points": 70}),
            "proven",
        ),
        ("update_patron", &points, json!("ok"), "proven"),
        ("set_points", &points, json!("ok"), "proven"),
        // a new row holds what it is given
        (
            "add_patron",
            &json!({"patron_id": 2, "name": "Ben", "points": 70, "role": "user"}),
            json!("ok"),
            "proven",
        ),
        (
            "create_transfer",
            &json!({"amount": 50}),
            json!({"transfer_id": 4}),
            "proven",
        ),
    ] {
        assert_eq!(state_of(tool, params, &answer), state, "{tool} {answer}");
    }
}

#[test]
fn an_answer_that_postpones_the_work_accuses_no_one() {
    let call = |answer: &Value| json!({"tool": "update_order", "params": {"order_id": "o_2", "status": "refunded"}, "result": answer});
    for (answer, state) in [
        (json!({"accepted": true, "task": "t1"}), "unproven"),
        (json!({"status": "accepted"}), "unproven"),
        (json!({"task_id": "t1"}), "unproven"),
        (json!(0), "unproven"),
        (json!({"code": "E_LOCKED"}), "unproven"),
        (json!("Update scheduled for 2026-12-01"), "unproven"),
        // a row with the states of its domain is compared
        (
            json!({"order_id": "o_2", "status": "accepted", "total": 12.5}),
            "refuted",
        ),
        (json!({"status": "accepted", "item": "book"}), "refuted"),
        (json!({"ok": true, "task_id": "t1"}), "refuted"),
    ] {
        let seen = judged(SHOP, &[call(&answer)]);
        assert_eq!(states(&seen), [(1, state.to_owned())], "{answer}");
    }
}

#[test]
fn with_a_contract_nothing_in_the_answer_is_nothing_in_the_row() {
    let desk = shop();
    desk.file(
        "contract.toml",
        "version = 1\n[tools.clear_item]\nclass = \"write\"\ntable = \"orders\"\nkey = { id = \"/args/order\" }\nfields = { item = \"/result/item\", status = \"/result/status\" }\n",
    );
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    let clears = "UPDATE orders SET item = NULL WHERE id = 'o_1'";
    connection.execute_batch(clears).unwrap();
    for (order, exit) in [("o_1", 0), ("o_2", 1)] {
        let answer = json!({"item": null, "status": "paid"});
        let call = json!({"tool": "clear_item", "params": {"order": order}, "result": answer});
        desk.file("run.ndjson", call.to_string());
        let command = "rows run.ndjson --db shop.db --contract contract.toml";
        let seen = desk.crosscheck(command.split(' '));
        assert_eq!(seen.code, exit, "{}", seen.stdout);
    }
}

#[test]
fn what_replaced_a_call_and_what_is_missing_is_named() {
    let call = |status: &str| json!({"tool": "update_order", "params": {"order_id": "o_1", "status": status}, "result": "ok"});
    let seen = judged(SHOP, &[call("sent"), call("paid")]);
    assert!(
        seen.stdout
            .contains("orders id=o_1: call 2 (update_order) wrote status again"),
        "{}",
        seen.stdout
    );
    let seen = judged("", &[call("sent"), call("paid")]);
    let warning = "the database has no tables";
    assert_eq!(seen.stdout.matches(warning).count(), 1, "{}", seen.stdout);
    let desk = desk();
    desk.file("run.ndjson", call("sent").to_string());
    desk.file("shop.db", "");
    let seen = desk.crosscheck(["rows", "run.ndjson", "--db", "shop.db"]);
    assert_eq!(seen.stdout.matches(warning).count(), 1, "{}", seen.stdout);
    assert!(!seen.stdout.contains("NO_TABLE"), "{}", seen.stdout);

    let desk = shop();
    desk.file("run.ndjson", "");
    insta::assert_snapshot!(desk.talk(["rows learn run.ndjson --db shop.db"]));
}

const REVIEWS: &str = "
    CREATE TABLE rooms (id TEXT PRIMARY KEY, status TEXT);
    CREATE TABLE reviews (id INTEGER PRIMARY KEY, room_id TEXT REFERENCES rooms, stars INTEGER, text TEXT, status TEXT);
    INSERT INTO rooms VALUES ('r-1','free'), ('r-2','free');
    INSERT INTO reviews VALUES (1,'r-1',5,'quiet','new'), (2,'r-2',3,'small','new');";

/// An answer with the rows that a call made, as tools for many rows give it.
fn reviewed(tool: &str, member: &str, second: &Value) -> Value {
    let first = json!({"id": 1, "room_id": "r-1", "stars": 5, "text": "quiet", "status": "new"});
    let asked = |row: &Value| json!({"room_id": row["room_id"], "stars": row["stars"]});
    let params = json!({"reviews": [asked(&first), asked(second)]});
    json!({"tool": tool, "params": params, "result": {member: [first, second]}})
}

#[test]
fn the_rows_that_a_tool_for_many_answers_with_are_those_of_the_table_it_names() {
    let true_row = json!({"id": 2, "room_id": "r-2", "stars": 3, "status": "new"});
    let other_value = json!({"id": 2, "room_id": "r-2", "stars": 4, "status": "new"});
    let no_row = json!({"id": 3, "room_id": "r-2", "stars": 3, "status": "new"});
    for (tool, member) in [
        ("bulk_create_reviews", "created"),
        ("add_reviews", "added"),
        ("import_reviews", "inserted"),
        ("update_reviews", "updated"),
    ] {
        for (row, state) in [
            (&true_row, "proven"),
            (&other_value, "refuted"),
            (&no_row, "refuted"),
        ] {
            let seen = judged(REVIEWS, &[reviewed(tool, member, row)]);
            let report: Value = serde_json::from_str(&seen.stdout).unwrap();
            assert_eq!(report["outcomes"][0]["state"], state, "{tool}: {report:#}");
        }
    }
    // what else was made is not a row of it
    let other = json!({"id": 3, "kind": "message"});
    let call =
        json!({"tool": "create_review", "params": {"stars": 5}, "result": {"created": other}});
    let seen = judged(REVIEWS, &[call]);
    assert_eq!(seen.code, 2, "{}", seen.stdout);
    // what was left out is not a claim
    let seen = judged(REVIEWS, &[reviewed("create_reviews", "skipped", &no_row)]);
    assert_eq!(seen.code, 2, "{}", seen.stdout);
}

#[test]
fn what_the_elements_of_an_argument_say_is_compared_or_named() {
    let mut call = reviewed(
        "bulk_create_reviews",
        "created",
        &json!({"id": 2, "room_id": "r-2", "stars": 3}),
    );
    call["params"]["reviews"][1]["text"] = json!("large and bright");
    let seen = judged(REVIEWS, &[call]);
    let open = "\"message\": \"not compared: reviews[].text\"";
    assert!(seen.stdout.contains(open), "{}", seen.stdout);
}

#[test]
fn an_option_with_swapped_letters_is_recognised() {
    for (typed, meant) in [("--bd", "`--db`"), ("--shcema", "`--schema`")] {
        let seen = desk().crosscheck(["rows", "run.jsonl", typed, "x", "--format", "json"]);
        assert_eq!(seen.code, 3);
        let asked = format!("did you mean {meant}?");
        assert!(seen.stderr.contains(&asked), "{}", seen.stderr);
    }
}

#[test]
fn the_configuration_holds_the_options_and_a_project_only_tightens() {
    let desk = shop();
    let run = |more: &[&str]| {
        let words = [&["rows", "run.ndjson", "--db", "shop.db"], more].concat();
        desk.crosscheck(words)
    };
    assert!(run(&[]).stdout.contains("o_2"));
    desk.file("crosscheck.toml", "[rows]\nredact = true\n");
    assert!(!run(&[]).stdout.contains("o_2"));
    desk.file("crosscheck.toml", "[rows]\ncontract = \"mine.toml\"\n");
    let seen = run(&[]);
    assert!(
        seen.stderr.contains("rows.contract is ignored"),
        "{}",
        seen.summary()
    );
    let named = desk.variable("CROSSCHECK_ROWS_CONTRACT", "gone.toml");
    let words = ["rows", "run.ndjson", "--db", "shop.db"];
    assert_eq!(named.crosscheck(words).code, 3);
    // what only a check has is refused by what checks nothing
    let words = ["rows", "learn", "run.ndjson", "--db", "shop.db", "--claims"];
    assert_eq!(named.crosscheck(words).code, 3);
}
