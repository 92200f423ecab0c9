//! Logs written by somebody who wishes us ill, and the limits.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{CALL, assert_refused, database, report_on, stage, with};
use crate::desk;

const MAX: usize = 8_388_608;

fn codes(report: &Value) -> Vec<&str> {
    let codes = report["ingest"]["reasonCodes"].as_array().unwrap();
    codes.iter().map(|code| code.as_str().unwrap()).collect()
}

#[test]
fn the_limit_counts_bytes_and_includes_the_last() {
    let desk = stage();
    let mut log = CALL.as_bytes().to_vec();
    log.resize(MAX, b' ');
    assert_eq!(report_on(&desk, &log).0, 0);
    log.push(b' ');
    let (code, report) = report_on(&desk, &log);
    assert_eq!((code, codes(&report)), (2, vec!["INGEST_INPUT_TOO_LARGE"]));
    assert_eq!(report["ingest"]["malformedLineCount"], 0);
}

#[test]
fn a_log_that_is_too_large_is_not_read_to_its_end_and_needs_no_database() {
    let desk = stage();
    let mut args = with(&[]);
    (args[2], args[4]) = ("/dev/zero", "data/nowhere.db");
    insta::assert_snapshot!(desk.crosscheck(args).summary());
}

#[test]
fn an_empty_log_still_needs_its_database() {
    let desk = stage();
    desk.file("log", "");
    let mut args = with(&[]);
    args[4] = "data/nowhere.db";
    assert_refused(
        &desk,
        &desk.crosscheck(args),
        "INTERNAL_ERROR",
        "no database",
    );
}

#[test]
fn no_nesting_overflows_the_stack() {
    let desk = stage();
    for depth in [5_000, 1_000_000] {
        for (open, inside, close) in [
            ("[", CALL, "]"),
            (r#"{"tool_calls":["#, CALL, "]}"),
            (
                r#"[{"tool":"contacts","params":{"id":"c1"},"tool_calls":["#,
                "",
                "]}]",
            ),
            (r#"{"tool":"contacts","params":{"id":"c1","x":"#, "1", "}}"),
        ] {
            let depth = depth.min((MAX - 1_000) / (open.len() + close.len()));
            let log = [open.repeat(depth).as_str(), inside, &close.repeat(depth)].concat();
            let (code, report) = report_on(&desk, log.as_bytes());
            assert!(code < 3, "{open} {depth}");
            assert!(
                !report["units"].as_array().unwrap().is_empty(),
                "{open} {depth}"
            );
        }
    }
}

#[test]
fn unclosed_nesting_up_to_the_limit_is_no_tool_call() {
    let desk = stage();
    for byte in [b'{', b'[', b'"', b'\'', b'\\', 0x1b, 0xff, 0] {
        let (code, report) = report_on(&desk, &vec![byte; MAX]);
        assert_eq!(code, 2, "{byte}");
        assert_eq!(
            codes(&report),
            ["MALFORMED_LINE", "INGEST_NO_STRUCTURED_TOOL_ACTIVITY"],
            "{byte}"
        );
    }
}

#[test]
fn bytes_that_are_not_text_become_replacement_characters() {
    let (code, report) = report_on(
        &stage(),
        b"{\"tool\":\"contacts.upsert\",\"params\":{\"id\":\"c1\",\"name\":\"A\xff\xe2\x82b\"}}",
    );
    assert_eq!(code, 1);
    assert_eq!(
        report["units"][0]["verification"]["expected"],
        "\"A\u{fffd}\u{fffd}b\""
    );
}

#[test]
fn a_nul_outside_a_string_is_malformed_and_inside_must_be_escaped() {
    let desk = stage();
    let (_, report) = report_on(&desk, &[CALL.as_bytes(), b"\0"].concat());
    assert_eq!(
        report["ingest"]["malformedLineCount"], 1,
        "found by scanning"
    );
    assert_eq!(report["units"].as_array().unwrap().len(), 1);
    let (code, report) = report_on(&desk, CALL.replace("Ada", "A\\u0000").as_bytes());
    assert_eq!(code, 1);
    assert_eq!(
        report["units"][0]["verification"]["expected"],
        r#""A\u0000""#
    );
}

#[test]
fn a_nul_in_an_identity_finds_nothing_or_says_that_it_could_not_look() {
    let (code, report) = report_on(&stage(), CALL.replace("c1", "c1\\u0000").as_bytes());
    let unit = &report["units"][0];
    assert_eq!((code, &unit["reasonCodes"]), (1, &json!(["ROW_ABSENT"])));
}

#[test]
fn numbers_beyond_a_double_take_part_in_no_check() {
    let desk = stage();
    let log = CALL.replace("\"Ada\"", "1e999");
    let (code, report) = report_on(&desk, log.as_bytes());
    assert_eq!(code, 0, "a compared value that is not finite is skipped");
    assert_eq!(report["units"][0]["verification"], json!({"rowCount": 1}));
    let log = CALL.replace("\"c1\"", "-1e999");
    let (code, report) = report_on(&desk, log.as_bytes());
    assert_eq!(
        (code, &report["units"][0]["reasonCodes"]),
        (2, &json!(["MAPPING_NO_UNIQUE_KEY"]))
    );
    let digits = "9".repeat(100_000);
    let (code, _) = report_on(&desk, CALL.replace("\"Ada\"", &digits).as_bytes());
    assert_eq!(code, 0);
}

#[test]
fn half_surrogates_survive_everywhere() {
    let desk = stage();
    let log = r#"{"tool":"contacts.\ud800","params":{"id":"c1","name":"\udc00","\ud800":"x"}}"#;
    desk.file("log", log);
    let seen = desk.crosscheck(with(&[
        "--emit-events",
        "out/events",
        "--write-report",
        "report",
    ]));
    assert_eq!(seen.code, 1, "{}", seen.stderr);
    insta::assert_snapshot!(desk.read("out/events") + &desk.read("report"));
}

#[test]
fn proto_is_a_key_like_any_other() {
    let log = r#"{"tool":"contacts.upsert","params":{"id":"c1","__proto__":{"name":"Eve"},"constructor":1}}"#;
    let (code, report) = report_on(&stage(), log.as_bytes());
    assert_eq!(code, 0);
    insta::assert_snapshot!(report["units"][0]["reconciliation"]["declared"]);
}

#[test]
fn control_characters_reach_a_pipe_unchanged_and_stay_on_their_line() {
    let log = CALL.replace("Ada", "\\u001b[31m\\u0007\\nx");
    let desk = stage();
    desk.file("log", log);
    let seen = desk.crosscheck(with(&[]));
    let certificate: Value = serde_json::from_str(&seen.stdout).unwrap();
    let said = certificate["humanReport"].as_str().unwrap();
    assert_eq!(format!("{}\n", said.trim_end()), seen.stderr);
    assert!(
        !seen.stderr.contains('\u{1b}'),
        "inside JSON text it is an escape"
    );
}

#[test]
fn standard_input_is_a_log_too() {
    let desk = stage();
    let mut args = with(&["--no-human-report"]);
    args[2] = "-";
    let seen = desk.crosscheck_with_input(args, CALL.as_bytes());
    assert_eq!((seen.code, seen.stderr.as_str()), (0, ""));
}

#[test]
fn a_fifo_is_read_to_its_end() {
    let desk = stage();
    let made = std::process::Command::new("mkfifo")
        .arg(desk.at("pipe"))
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no mkfifo here");
        return;
    }
    let path = desk.path().join("pipe");
    let feeder = std::thread::spawn(move || std::fs::write(path, CALL).unwrap());
    let mut args = with(&[]);
    args[2] = "pipe";
    assert_eq!(desk.crosscheck(args).code, 0);
    feeder.join().unwrap();
}

#[test]
fn a_signal_while_reading_ends_with_its_number_and_leaves_no_file() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let desk = stage();
        let mut args = with(&[]);
        args[2] = "-";
        let mut child = desk
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // More than a pipe holds: once it is written, the program is reading.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&vec![b' '; 1 << 20]).unwrap();
        let sent = std::process::Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let seen = desk.seen(&child.wait_with_output().unwrap());
        drop(stdin);
        assert_eq!((seen.code, seen.stdout.as_str()), (code, ""), "SIG{signal}");
        assert!(desk.names("out").is_empty());
    }
}

#[test]
fn a_password_in_a_url_is_never_shown() {
    for url in [
        "postgres://u:hunter2@127.0.0.1:1/x",
        "postgres://u:hunter2@no-such-host.invalid/x",
        "postgres://u:hunter2@127.0.0.1:notaport/x",
        "postgresql://127.0.0.1:1/x?user=u&password=hunter2",
        "host=127.0.0.1 port=1 user=u password=hunter2",
        "hunter2://",
        "postgres://u:hun%zzter2hunter2@127.0.0.1:1/x",
        "postgres://u:hunter2@127.0.0.1:1/x?sslpassword=hunter2",
    ] {
        let desk = desk();
        desk.file("log", CALL);
        std::fs::create_dir(desk.path().join("out")).unwrap();
        let seen = desk.crosscheck([
            "quick",
            "--input",
            "log",
            "--export-registry",
            "out/r",
            "--postgres-url",
            url,
        ]);
        assert_refused(&desk, &seen, "INTERNAL_ERROR", url);
        if url != "hunter2://" {
            assert!(!seen.stderr.contains("hunter2"), "{}", seen.stderr);
        }
    }
}

#[test]
fn a_table_without_a_name_is_looked_at_but_not_exported() {
    let desk = stage();
    database(
        &desk,
        "DROP TABLE contacts; CREATE TABLE \"\" (id TEXT PRIMARY KEY); INSERT INTO \"\" VALUES ('c1');",
    )
    .close()
    .unwrap();
    desk.file("log", r#"{"toolId":"x","params":{"id":"c1"}}"#);
    let seen = desk.crosscheck(with(&[]));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert_eq!(desk.read("out/registry.json"), "[]");
}
