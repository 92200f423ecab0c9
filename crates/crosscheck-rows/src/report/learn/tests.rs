//! What is proposed, what it proves, and what it leaves open.

use super::{Learnt, Lessons};
use crate::verify::Request;
use crate::verify::testing::report_of;

const CLINIC: &str = "
    CREATE TABLE invoices (invoice_no INTEGER PRIMARY KEY, appt_id TEXT, total_cents INTEGER);
    CREATE TABLE invoice_lines (invoice_no INTEGER REFERENCES invoices, pos INTEGER, item TEXT, qty INTEGER, price_cents INTEGER, PRIMARY KEY (invoice_no, pos));
    CREATE TABLE pets (pet_id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
    INSERT INTO invoices VALUES (5001,'A-103',8450), (5003,'A-102',9000);
    INSERT INTO invoice_lines VALUES (5001,1,'exam',1,4500), (5001,2,'bandage',2,1975), (5003,1,'vaccine',3,2000), (5003,2,'card',1,3000);
    INSERT INTO pets VALUES (13,'Kiki',13);";

fn invoice(number: u32, appointment: &str, total: f64, lines: &[(&str, u32, f64)]) -> String {
    let line = |(at, (item, qty, price)): (usize, &(&str, u32, f64))| {
        format!(
            r#"{{"pos":{},"item":"{item}","qty":{qty},"price":{price}}}"#,
            at + 1
        )
    };
    let lines: Vec<String> = lines.iter().enumerate().map(line).collect();
    let lines = lines.join(",");
    format!(
        r#"{{"tool":"create_invoice","params":{{"appt_id":"{appointment}","lines":[{lines}]}},"result":{{"invoice_no":{number},"appt_id":"{appointment}","total":{total},"lines":[{lines}]}}}}"#
    )
}

/// The values of `pos` and `qty` are the same in this run.
fn trusted() -> String {
    invoice(
        5001,
        "A-103",
        84.5,
        &[("exam", 1, 45.0), ("bandage", 2, 19.75)],
    )
}

fn taught(reports: &[crate::report::Report]) -> Learnt {
    let mut lessons = Lessons::default();
    for report in reports {
        lessons.add(report);
    }
    lessons.learnt()
}

fn learnt(log: &str) -> Learnt {
    let request = Request {
        learns: true,
        ..Request::default()
    };
    taught(&[report_of(CLINIC, log, &request)])
}

/// The report with what was learnt of the trusted run, as a person confirms it.
fn judged(log: &str, change: impl Fn(String) -> String) -> crate::report::Report {
    let contract = learnt(&trusted()).contract;
    let confirmed = change(contract.replace("confirmed = false", "confirmed = true"));
    let request = Request {
        contract: Some(("contract.toml".to_owned(), confirmed)),
        ..Request::default()
    };
    report_of(CLINIC, log, &request)
}

fn shown(report: &crate::report::Report) -> String {
    let mut text = Vec::new();
    report
        .write_human(crate::report::Style::default(), &mut text)
        .unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_column_is_learnt_from_the_member_that_is_called_like_it() {
    let contract = learnt(&trusted()).contract;
    assert!(contract.contains(r#"qty = "/each/qty""#), "{contract}");
    let honest = invoice(
        5003,
        "A-102",
        90.0,
        &[("vaccine", 3, 20.0), ("card", 1, 30.0)],
    );
    let report = shown(&judged(&honest, |contract| {
        contract.replace("open = ", "ignore = ")
    }));
    assert!(report.starts_with("PROVEN"), "{report}");
    let lie = invoice(
        5001,
        "A-103",
        84.5,
        &[("exam", 7, 45.0), ("bandage", 9, 19.75)],
    );
    let report = shown(&judged(&lie, |contract| contract));
    assert!(report.starts_with("REFUTED"), "{report}");
}

#[test]
fn a_key_is_learnt_from_the_member_that_is_called_like_it() {
    let call =
        r#"{"tool":"register_pet","params":{"name":"Kiki","age":13},"result":{"pet_id":13}}"#;
    let contract = learnt(call).contract;
    assert!(
        contract.contains(r#"key = { pet_id = "/result/pet_id" }"#),
        "{contract}"
    );
}

#[test]
fn what_is_left_out_is_named_in_the_proposal_and_beside_it() {
    let learnt = learnt(&trusted());
    let line = "open = [\"lines[].price\"]  # said and not compared";
    assert!(learnt.contract.contains(line), "{}", learnt.contract);
    assert_eq!(learnt.left_out, ["create_invoice: lines[].price"]);
}

#[test]
fn what_a_learned_contract_does_not_compare_stays_unproven() {
    let lie = invoice(
        5001,
        "A-103",
        84.5,
        &[("exam", 1, 99.0), ("bandage", 2, 3.5)],
    );
    let text = shown(&judged(&lie, |contract| contract));
    let open = "PARTLY_COMPARED: not compared: lines[].price";
    assert!(
        text.starts_with("UNPROVEN") && text.contains(open),
        "{text}"
    );
    // a person may say that it is not stored
    for ignored in ["lines[].price", "lines.price", "lines"] {
        let text = shown(&judged(&lie, |contract| {
            let rule = format!("class = \"write\"\nignore = [\"{ignored}\"]");
            contract.replace("class = \"write\"", &rule)
        }));
        assert!(text.starts_with("PROVEN"), "{text}");
        assert!(!text.contains("not compared"), "{text}");
    }
}

#[test]
fn an_unconfirmed_proposal_proves_no_more_than_was_compared() {
    let text = shown(&judged(&trusted(), |contract| {
        contract.replace("confirmed = true", "confirmed = false")
    }));
    assert!(text.starts_with("UNPROVEN"), "{text}");
    assert!(
        text.contains("PARTLY_COMPARED: not compared: lines[].price"),
        "{text}"
    );
}

#[test]
fn what_was_added_and_what_was_there_before_need_no_column() {
    let tables = "CREATE TABLE accounts (id TEXT PRIMARY KEY, title TEXT, balance NUMERIC);
        INSERT INTO accounts VALUES ('a-1', 'Savings', 70);";
    let contract = "version = 1
[tools.deposit]
class = \"write\"
table = \"accounts\"
key = { id = \"/args/account_id\" }
fields = { balance = \"/result/balance\", title = \"/args/new_title\" }
";
    let request = Request {
        contract: Some(("contract.toml".to_owned(), contract.to_owned())),
        ..Request::default()
    };
    let call = r#"{"tool":"deposit","params":{"account_id":"a-1","amount":20,"title":"Old","new_title":"Savings"},"result":{"balance":70}}"#;
    let text = shown(&report_of(tables, call, &request));
    assert!(text.starts_with("PROVEN"), "{text}");
    assert!(!text.contains("not compared"), "{text}");
}

/// Every tool that is learnt from these calls, and none is refused.
#[test]
fn what_is_written_can_be_read_again() {
    let calls = [
        r#"{"tool":"update_pet","params":{"pet_id":13,"name":"Kik"},"result":"ok"}"#,
        r#"{"tool":"rename_pet","params":{"pet_id":13,"name":"Kiki"},"result":"ok"}"#,
        r#"{"tool":"zap.\"it\"\n","params":{"pet_id":13,"age":13},"result":"ok"}"#,
        r#"{"tool":"delete_pet","params":{"pet_id":99},"result":"ok"}"#,
        r#"{"tool":"get_pet","params":{"pet_id":13},"result":"Error: no"}"#,
        r#"{"tool":"update_pet","params":{"pet_id":13,"colour":"red"},"result":"Error: no"}"#,
        r#"{"tool":"send_mail","params":{"to":"x"},"result":"ok"}"#,
        &trusted(),
    ];
    // any two of them, one after the other
    for first in calls {
        for second in calls {
            let log = [first, second].join("\n");
            let contract = learnt(&log).contract;
            let request = Request {
                contract: Some(("contract.toml".to_owned(), contract)),
                ..Request::default()
            };
            shown(&report_of(CLINIC, &log, &request));
        }
    }
    let replaced = learnt(&calls[..2].join("\n")).contract;
    // what a later call replaced each time is compared in the next run
    assert!(
        replaced.contains("name = \"/args/name\"  # agrees 0, differs 0, open 1"),
        "{replaced}"
    );
    assert_eq!(learnt("").tools, 0);
}

const STUDIO: &str = "
    CREATE TABLE members (id TEXT PRIMARY KEY, name TEXT, status TEXT);
    CREATE TABLE plans (id TEXT PRIMARY KEY, price NUMERIC);
    CREATE TABLE lessons (id TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE bookings (id INTEGER PRIMARY KEY, member_id TEXT REFERENCES members, lesson_id TEXT REFERENCES lessons);
    CREATE TABLE contracts (id INTEGER PRIMARY KEY, member_id TEXT REFERENCES members, plan TEXT);
    INSERT INTO members VALUES ('m-1','Ada','active'), ('m-2','Bo','active');
    INSERT INTO lessons VALUES ('l-1','yoga'), ('l-2','boxing');
    INSERT INTO bookings VALUES (1,'m-1','l-1'), (2,'m-2','l-2');
    INSERT INTO contracts VALUES (1,'m-1','gold'), (2,'m-2','basic');
    INSERT INTO plans VALUES ('p-1', 10);";

fn learnt_in_studio(calls: &[&str]) -> String {
    let request = Request {
        learns: true,
        ..Request::default()
    };
    taught(&[report_of(STUDIO, &calls.join("\n"), &request)]).contract
}

#[test]
fn a_table_is_not_proposed_because_its_key_is_there() {
    let contract = learnt_in_studio(&[
        r#"{"tool":"book_lesson","params":{"lesson_id":"l-1","member_id":"m-1"},"result":"ok"}"#,
        r#"{"tool":"book_lesson","params":{"lesson_id":"l-2","member_id":"m-2"},"result":"ok"}"#,
        r#"{"tool":"change_plan","params":{"member_id":"m-1","plan":"gold"},"result":"ok"}"#,
    ]);
    assert!(!contract.contains("\ntable"), "{contract}");
    assert!(contract.contains("found by their values"), "{contract}");
}

#[test]
fn a_table_is_proposed_where_something_agreed() {
    let contract = learnt_in_studio(&[
        r#"{"tool":"freeze_member","params":{"member_id":"m-1"},"result":"ok"}"#,
        r#"{"tool":"rename_member","params":{"member_id":"m-2","name":"Bo"},"result":"ok"}"#,
    ]);
    let key = "table = \"members\"\nkey = { id = \"/args/member_id\" }";
    assert_eq!(contract.matches(key).count(), 1, "{contract}");
    assert!(
        contract.contains("nothing fits: NOTHING_COMPARED 1"),
        "{contract}"
    );
    // without a key there is nothing to propose
    let contract = learnt_in_studio(&[
        r#"{"tool":"create_contract","params":{"member_id":"m-1","plan":"gold"},"result":"ok"}"#,
    ]);
    assert!(contract.contains("found by their values"), "{contract}");
    assert!(!contract.contains("table = "), "{contract}");
}

#[test]
fn what_is_not_stored_moves_from_open_to_ignore() {
    let contract = "[tools.a]\nopen = [\"x\"]  # r\n\n[tools.b]\nclass = \"write\"\nopen = [\"x\", \"y\", \"z[].p\"]  # r\n[tools.b.fields]\nq = \"/args/q\"\n";
    let once = super::write::ignored(contract, "b", "y");
    let twice = super::write::ignored(&once, "b", "z[].p");
    let all = super::write::ignored(&twice, "b", "x");
    assert!(
        once.contains("ignore = [\"y\"]\nopen = [\"x\", \"z[].p\"]  # r\n[tools.b.fields]"),
        "{once}"
    );
    assert!(
        twice.contains("ignore = [\"y\", \"z[].p\"]\nopen = [\"x\"]  # r\n"),
        "{twice}"
    );
    assert!(
        all.contains("ignore = [\"y\", \"z[].p\", \"x\"]\n[tools.b.fields]"),
        "{all}"
    );
    assert!(all.starts_with("[tools.a]\nopen = [\"x\"]  # r\n"), "{all}");
}

const LINES: &str = "
    CREATE TABLE lines (line_id TEXT PRIMARY KEY, customer_id TEXT, roaming_enabled INTEGER);
    CREATE TABLE tickets (id TEXT PRIMARY KEY, status TEXT, resolution TEXT);
    INSERT INTO lines VALUES ('L1','C1',1), ('L2','C2',0);
    INSERT INTO tickets VALUES ('t1','closed','fixed'), ('t2','open','fixed');";

/// The contract of a trusted run, as a person confirms it, for another log.
fn confirmed(tables: &str, trusted: &str, log: &str) -> (Learnt, String) {
    let request = Request {
        learns: true,
        ..Request::default()
    };
    let learnt = taught(&[report_of(tables, trusted, &request)]);
    let contract = learnt
        .contract
        .replace("confirmed = false", "confirmed = true");
    let request = Request {
        contract: Some(("contract.toml".to_owned(), contract)),
        ..Request::default()
    };
    let text = shown(&report_of(tables, log, &request));
    (learnt, text)
}

/// Runs that each begin with the same database leave different ones.
#[test]
fn several_runs_with_a_database_each_are_learnt_together() {
    let request = Request {
        learns: true,
        ..Request::default()
    };
    let call = |id: &str| {
        format!(r#"{{"tool":"close_ticket","params":{{"ticket_id":"{id}"}},"result":"ok"}}"#)
    };
    let other = LINES.replace("('t2','open'", "('t2','closed'");
    let learnt = taught(&[
        report_of(LINES, &call("t1"), &request),
        report_of(&other, &call("t2"), &request),
    ]);
    let state = "status = { const = \"closed\" }  # agrees 2, differs 0, open 0";
    assert!(learnt.contract.contains(state), "{}", learnt.contract);
}

#[test]
fn a_state_that_the_verb_implies_is_a_constant() {
    let call = |id: &str| {
        format!(
            r#"{{"tool":"close_ticket","params":{{"ticket_id":"{id}","resolution":"fixed"}},"result":"ok"}}"#
        )
    };
    let (learnt, text) = confirmed(LINES, &call("t1"), &call("t2"));
    let state = r#"status = { const = "closed" }"#;
    assert!(learnt.contract.contains(state), "{}", learnt.contract);
    assert!(text.starts_with("REFUTED"), "{text}");
}

#[test]
fn a_field_that_the_call_does_not_set_proves_nothing() {
    let call = |line: &str, customer: &str| {
        format!(
            r#"{{"tool":"swap_device","params":{{"line_id":"{line}","customer_id":"{customer}"}},"result":"ok"}}"#
        )
    };
    let (learnt, text) = confirmed(LINES, &call("L1", "C1"), &call("L2", "C2"));
    assert!(
        learnt.coverage.contains("a lost write of swap_device"),
        "{}",
        learnt.coverage
    );
    assert!(text.starts_with("UNPROVEN"), "{text}");
}

/// Reasons that only say that nobody knows which row is meant: that is what a contract tells.
const UNKNOWN_ROW: [&str; 4] = ["NO_KEY", "NO_TABLE", "TABLE_AMBIGUOUS", "KEY_TYPE"];

/// So many cases of the vectors hold an open call that a learned contract, confirmed unread, lets
/// pass: a row that a later call may have removed, and a number that may have been added.
const OPEN_CASES: usize = 2;

/// A learned contract, confirmed unread, passes nothing that is refuted without one on any case of the
/// vectors, and hardly anything that is open.
#[test]
#[expect(clippy::disallowed_methods, reason = "vectors of this repository")]
fn a_learned_contract_is_never_less_strict_than_none() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/rows");
    let (mut seen, mut open, mut refuted) = (0, Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        for case in file["cases"].as_array().unwrap() {
            let engines = case["engines"].as_array();
            let is_for_sqlite =
                engines.is_none_or(|engines| engines.iter().any(|engine| engine == "sqlite"));
            if case["contract"].is_string() || !is_for_sqlite {
                continue;
            }
            let tables = case["sql"].as_str().or(file["sql"].as_str()).unwrap();
            let lines = case["log"].as_array().unwrap().iter();
            let lines = lines.map(|line| {
                line.as_str()
                    .map_or_else(|| line.to_string(), str::to_owned)
            });
            let log = lines.collect::<Vec<String>>().join("\n");
            if let Some((was_refuted, found)) = weakened(tables, &log) {
                let weaker = if was_refuted { &mut refuted } else { &mut open };
                weaker.push(format!("{}, {found}", case["name"]));
            }
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen}");
    assert!(refuted.is_empty(), "{}", refuted.join("\n"));
    assert!(open.len() <= OPEN_CASES, "{}", open.join("\n"));
}

/// The calls that pass only with what was learned, and whether one was refuted without it.
fn weakened(tables: &str, log: &str) -> Option<(bool, String)> {
    use crate::judge::subject::State;
    let plain = report_of(tables, log, &Request::default());
    let request = Request {
        learns: true,
        ..Request::default()
    };
    let learnt = taught(&[report_of(tables, log, &request)]);
    let contract = learnt
        .contract
        .replace("confirmed = false", "confirmed = true");
    let request = Request {
        contract: Some(("contract.toml".to_owned(), contract)),
        ..Request::default()
    };
    let ruled = report_of(tables, log, &request);
    let (mut was_refuted, mut weaker) = (false, Vec::new());
    for ((call, before), (_, after)) in plain.calls_in_time().zip(ruled.calls_in_time()) {
        let passes = |state| matches!(state, State::Proven | State::Superseded);
        let codes: Vec<&str> = before.grounds.iter().map(|(code, _)| code.code()).collect();
        let is_unknown = codes.iter().all(|code| UNKNOWN_ROW.contains(code));
        if passes(after.state) && !passes(before.state) && !is_unknown {
            was_refuted |= before.state == State::Refuted;
            weaker.push(format!(
                "call {}: {codes:?}, then {:?}",
                call.index, after.state
            ));
        }
    }
    let told = || format!("{}\n{}", weaker.join("; "), learnt.contract);
    (!weaker.is_empty()).then(|| (was_refuted, told()))
}

#[test]
fn a_contract_shows_no_sign_that_steers_the_reader() {
    let log = "{\"tool\":\"update_pet\u{202e}\",\"params\":{\"pet_id\":13,\"name\":\"Kiki\",\"x\u{9b}\":1},\"result\":\"ok\"}\n";
    let contract = learnt(log).contract;
    assert!(contract.contains("update_pet\\u202e"), "{contract:?}");
    let steers = crosscheck_core::text::steers_terminal;
    assert!(!contract.contains(steers), "{contract:?}");
}
