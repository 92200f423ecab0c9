//! `check` on logs of agents: calls become events, and registries may say more.

use crosscheck_testkit::Seen;
use serde_json::{Value, json};

use crate::check_engines::stage::{ENGINES, Kind, Stage};

const SHOP: &str = "
    CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, customer VARCHAR(20), status VARCHAR(20), total INTEGER);
    CREATE TABLE items (order_id VARCHAR(20), sku VARCHAR(20), qty INTEGER, PRIMARY KEY (order_id, sku));
    INSERT INTO orders VALUES ('o1', 'Mira', 'paid', 30), ('o2', 'Otto', 'new', 5);
    INSERT INTO items VALUES ('o1', 'pen', 2), ('o1', 'ink', 1)";

fn registry() -> Value {
    let column = |name: &str, value: Value| json!({"column": {"const": name}, "value": value});
    let order = |key: Value| json!([column("id", key)]);
    json!([
        {"toolId": "get_order", "reads": true},
        {"toolId": "create_order", "effectDescriptionTemplate": "create an order of {/customer}",
         "verification": {"kind": "sql_effects", "effects": [
            {"id": "order", "table": {"const": "orders"}, "identityEq": order(json!({"result": "/id"})),
             "requiredFields": {"fields": {"customer": {"pointer": "/customer"}, "status": {"const": "new"},
                                           "total": {"result": "/total"}}}},
            {"id": "item", "table": {"const": "items"}, "forEach": {"pointer": "/items"},
             "identityEq": [column("order_id", json!({"result": "/id"})), column("sku", json!({"each": "/sku"}))],
             "requiredFields": {"fields": {"qty": {"each": "/qty"}}}}]}},
        {"toolId": "set_status", "effectDescriptionTemplate": "set {/order_id} to {/status}",
         "verification": {"kind": "sql_row", "table": {"const": "orders"},
            "identityEq": order(json!({"pointer": "/order_id"})),
            "requiredFields": {"fields": {"status": {"pointer": "/status"}}}}},
        {"toolId": "replace_order", "effectDescriptionTemplate": "replace {/id}",
         "verification": {"kind": "sql_row", "table": {"const": "orders"},
            "identityEq": order(json!({"pointer": "/id"})), "requiredFields": {"result": ""}}},
        {"toolId": "delete_order", "effectDescriptionTemplate": "delete {/id}",
         "verification": {"kind": "sql_row_absent", "table": {"const": "orders"},
            "identityEq": order(json!({"pointer": "/id"}))}},
        {"toolId": "drop_items", "effectDescriptionTemplate": "drop items of {/id}",
         "verification": {"kind": "sql_relational", "checks": [
            {"checkKind": "aggregate", "id": "gone", "table": {"const": "items"}, "fn": "COUNT_STAR",
             "forEach": {"pointer": "/skus"}, "whereEq": [column("sku", json!({"each": ""}))],
             "expect": {"op": "eq", "value": {"const": 0}}}]}}
    ])
}

type Call = (&'static str, Value, Value);
type Writer = fn(&[Call]) -> String;

fn create(quantity: u32) -> Call {
    let items = json!([{"sku": "pen", "qty": 2}, {"sku": "ink", "qty": quantity}]);
    let arguments = json!({"customer": "Mira", "items": items});
    (
        "create_order",
        arguments,
        json!({"id": "o1", "total": 30, "status": "new"}),
    )
}

fn set(order: &str, status: &str) -> Call {
    (
        "set_status",
        json!({"order_id": order, "status": status}),
        json!("ok"),
    )
}

fn ndjson(calls: &[Call]) -> String {
    let line = |(tool, arguments, result): &Call| {
        format!(
            "{}\n",
            json!({"tool": tool, "params": arguments, "result": result})
        )
    };
    calls.iter().map(line).collect()
}

fn openai(calls: &[Call]) -> String {
    let lines = calls
        .iter()
        .zip(0..)
        .map(|((tool, arguments, result), id)| {
            let id = format!("call_{id}");
            let arguments = arguments.to_string();
            let call = json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function",
            "function": {"name": tool, "arguments": arguments}}]});
            let result = result
                .as_str()
                .map_or_else(|| result.to_string(), str::to_owned);
            let answer = json!({"role": "tool", "tool_call_id": id, "content": result});
            format!("{call}\n{answer}\n")
        });
    lines.collect()
}

fn anthropic(calls: &[Call]) -> String {
    let lines = calls.iter().zip(0..).map(|((tool, arguments, result), id)| {
        let id = format!("toolu_{id}");
        let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": arguments}]});
        let result = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
        let answer = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]});
        format!("{call}\n{answer}\n")
    });
    lines.collect()
}

fn stage(kind: Kind) -> Option<Stage> {
    let stage = Stage::new(kind, SHOP)?;
    stage.desk.file("registry.json", registry().to_string());
    Some(stage)
}

fn sqlite() -> Stage {
    stage(Kind::Sqlite).unwrap()
}

fn check(stage: &Stage, log: &str, extra: &[&str]) -> Seen {
    stage.desk.file("run.log", log);
    let words = [
        "check",
        "--workflow-id",
        "wf",
        "--log",
        "run.log",
        "--registry",
        "registry.json",
    ];
    stage.crosscheck(&[&words, extra].concat())
}

fn steps(seen: &Seen) -> Vec<(u64, String)> {
    let certificate: Value = serde_json::from_str(&seen.stdout).unwrap();
    let steps = certificate["steps"].as_array().unwrap().iter();
    let step = |step: &Value| {
        let observed = step["observedOutcome"].as_str().unwrap();
        (step["seq"].as_u64().unwrap(), observed.to_owned())
    };
    steps.map(step).collect()
}

#[test]
fn a_report_format_takes_the_place_of_the_certificate() {
    let stage = sqlite();
    let log = ndjson(&[create(3)]);
    let certificate = check(&stage, &log, &[]);
    let mut shown = String::new();
    for format in ["json", "junit", "markdown"] {
        let seen = check(&stage, &log, &["--report-format", format]);
        assert_eq!(seen.code, certificate.code, "{format}");
        assert_eq!(seen.stderr, certificate.stderr, "{format}");
        shown += &seen.neutral(&seen.stdout);
    }
    insta::assert_snapshot!(shown);
    assert_eq!(check(&stage, &log, &["--report-format", "pdf"]).code, 3);
}

fn honest() -> Vec<Call> {
    vec![
        (
            "get_order",
            json!({"id": "o2"}),
            json!({"id": "o2", "status": "new"}),
        ),
        create(1),
        (
            "set_status",
            json!({"order_id": "o2", "status": "paid"}),
            json!("Error: not allowed"),
        ),
        set("o1", "paid"),
    ]
}

#[test]
fn calls_of_every_format_become_steps_on_every_engine() {
    let formats: [(&str, Writer); 3] = [
        ("ndjson", ndjson),
        ("openai", openai),
        ("anthropic", anthropic),
    ];
    for kind in ENGINES {
        let Some(stage) = stage(kind) else { continue };
        for (format, written) in formats {
            let log = written(&honest());
            let seen = check(
                &stage,
                &log,
                &["--input-format", format, "--no-human-report"],
            );
            assert_eq!(seen.code, 0, "{kind:?} {format}: {}", seen.summary());
            let expected = [(2, "multi_effect effect_rows=3"), (4, "rowCount=1")];
            let expected = expected.map(|(seq, text)| (seq, text.to_owned()));
            assert_eq!(steps(&seen), expected, "{kind:?} {format}");
            assert_eq!(
                seen.stderr.lines().nth(2).unwrap(),
                "log_calls: calls=4 reads=1 failed=1 unreadable=0 superseded=0"
            );
            let same = check(&stage, &log, &["--no-human-report"]);
            assert_eq!(same.summary(), seen.summary(), "{format} is found out");

            let lie = check(&stage, &written(&[create(7), set("o1", "paid")]), &[]);
            assert_eq!(lie.code, 1, "{kind:?} {format}: {}", lie.summary());
            insta::assert_snapshot!("the_lie", format!("{:#}", lie.json()["explanation"]));
        }
    }
}

#[test]
fn what_a_later_call_wrote_again_is_marked_and_not_compared() {
    let stage = sqlite();
    let log = ndjson(&[
        set("o2", "paid"),
        set("o2", "sent"),
        set("o2", "new"),
        set("o1", "paid"),
    ]);
    let seen = check(&stage, &log, &[]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let calls = seen
        .stderr
        .lines()
        .find(|line| line.starts_with("log_calls:"));
    assert_eq!(
        calls,
        Some("log_calls: calls=4 reads=0 failed=0 unreadable=0 superseded=2")
    );
    let shown: Vec<String> = steps(&seen).into_iter().map(|(_, text)| text).collect();
    let by = "superseded by seq=3";
    assert_eq!(shown, [by, by, "rowCount=1", "rowCount=1"]);

    // the last write is a lie, and the one before it does not save it
    let seen = check(&stage, &ndjson(&[set("o2", "new"), set("o2", "sent")]), &[]);
    assert_eq!(seen.code, 1, "{}", seen.summary());

    let delete = || ("delete_order", json!({"id": "o9"}), json!("ok"));
    let seen = check(&stage, &ndjson(&[set("o9", "new"), delete()]), &[]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let seen = check(&stage, &ndjson(&[delete(), set("o9", "new")]), &[]);
    assert_eq!(seen.code, 1, "{}", seen.summary());
}

#[test]
fn an_answer_can_be_the_row_that_is_compared() {
    let stage = sqlite();
    let replaced = |total: u32| {
        let row = json!({"id": "o2", "customer": "Otto", "status": "new", "total": total});
        check(
            &stage,
            &ndjson(&[("replace_order", json!({"id": "o2"}), row)]),
            &[],
        )
        .code
    };
    assert_eq!((replaced(5), replaced(6)), (0, 1));
    let unanswered = ("replace_order", json!({"id": "o2"}), json!(null));
    let seen = check(&stage, &ndjson(&[unanswered]), &["--no-human-report"]);
    insta::assert_snapshot!(seen.summary());
}

#[test]
fn a_list_without_elements_or_that_is_none_is_never_a_pass() {
    let stage = sqlite();
    let drop = |skus: Value| {
        let call = ("drop_items", json!({"id": "o1", "skus": skus}), json!("ok"));
        check(&stage, &ndjson(&[call]), &["--no-human-report"])
    };
    assert_eq!(drop(json!(["cup", "hat"])).code, 0);
    assert_eq!(drop(json!(["cup", "pen"])).code, 1);
    insta::assert_snapshot!(
        [json!([]), json!("pen")]
            .map(|skus| drop(skus).summary())
            .join("\n")
    );
}

#[test]
fn what_cannot_be_read_of_a_log_keeps_the_run_from_passing() {
    let stage = sqlite();
    let good = ndjson(&[set("o1", "paid")]);
    let unknown = ndjson(&[("refund", json!({}), json!("ok"))]);
    let reads = ndjson(&[("get_order", json!({}), json!("ok"))]);
    let unreadable = r#"{"tool":"set_status","params":"order o1","result":"ok"}"#;
    let mut shown = String::new();
    for log in [
        format!("{good}{{\"tool\":\n"),
        format!("{good}{unreadable}\n"),
        format!("{good}{unknown}"),
        reads,
        String::new(),
    ] {
        let seen = check(
            &stage,
            &log,
            &["--input-format", "ndjson", "--no-human-report"],
        );
        shown += &format!("{log}{}\n", seen.summary());
    }
    let refused = [
        "--log none.log",
        "--log .",
        "--log run.log --events run.log",
        "--events run.log --input-format openai",
    ];
    let check = "check --workflow-id wf --db app.db --registry registry.json";
    shown += &stage
        .desk
        .talk(refused.map(|words| format!("{check} {words}")));
    insta::assert_snapshot!(shown);
}

#[test]
fn several_logs_are_one_run_that_can_be_bundled_and_enforced() {
    let stage = sqlite();
    stage.desk.file("first.log", ndjson(&[set("o2", "sent")]));
    let extra = ["--log", "first.log", "--write-run-bundle", "bundle"];
    let seen = check(&stage, &ndjson(&[set("o2", "new")]), &extra);
    assert_eq!(
        seen.code,
        1,
        "the log that is named last counts: {}",
        seen.summary()
    );
    assert_eq!(stage.steps().len(), 2);

    let enforce = |extra: &str| {
        let words = "enforce --workflow-id wf --log run.log --registry registry.json";
        let words = format!("{words} --state-dir state {extra}");
        stage.crosscheck(&words.split_whitespace().collect::<Vec<_>>())
    };
    assert_eq!(enforce("--create-baseline").code, 0);
    assert_eq!(enforce("").code, 0);
    stage.run("UPDATE orders SET status = 'sent' WHERE id = 'o2'");
    assert_eq!(enforce("").code, 4);
}

#[test]
fn tools_that_read_make_no_steps_of_events_either() {
    let stage = sqlite();
    let event = |seq: u32, tool: &str, params: &str| {
        format!(
            "{{\"schemaVersion\":1,\"workflowId\":\"wf\",\"seq\":{seq},\"type\":\"tool_observed\",\"toolId\":\"{tool}\",\"params\":{params}}}\n"
        )
    };
    let read = event(0, "get_order", "{}");
    let write = event(1, "set_status", r#"{"order_id":"o1","status":"paid"}"#);
    stage.desk.file("events.ndjson", format!("{read}{write}"));
    let words =
        "check --workflow-id wf --events events.ndjson --registry registry.json --no-human-report";
    let words: Vec<&str> = words.split(' ').collect();
    let both = stage.crosscheck(&words).summary();
    stage.desk.file("events.ndjson", read);
    let alone = stage.crosscheck(&words).summary();
    insta::assert_snapshot!(format!("{both}\nwithout the write\n{alone}"));
}

#[test]
fn unknown_names_are_refused_beside_the_extensions() {
    let stage = sqlite();
    let row = |more: Value| {
        let mut entry = registry()[2].clone();
        let members = more.as_object().unwrap().clone();
        entry["verification"]
            .as_object_mut()
            .unwrap()
            .extend(members);
        entry
    };
    for entry in [
        json!({"toolId": "t", "reads": false}),
        json!({"toolId": "t", "reads": true, "verification": registry()[2]["verification"]}),
        row(json!({"for_each": {"pointer": "/a"}})),
        row(json!({"forEach": {"each": "/a"}})),
        row(json!({"forEach": {"const": []}})),
        row(json!({"requiredFields": {"fields": {}}})),
        row(json!({"requiredFields": {"fields": {"a": 1}}})),
        row(json!({"requiredFields": {"fields": {"a": {"const": 1}}, "pointer": "/a"}})),
        row(json!({"requiredFields": {"result": "id"}})),
    ] {
        stage.desk.file("registry.json", json!([entry]).to_string());
        let seen = check(&stage, "", &[]);
        assert_eq!(seen.code, 3, "{entry}");
        assert_eq!(seen.refusal(), "3 REGISTRY_SCHEMA_INVALID");
    }
}
