//! `crosscheck claims` over several documents.

use serde_json::Value;

use crate::claims::{document, with_file};

#[test]
fn out_holds_what_standard_output_holds_and_details_one_line_each() {
    let desk = with_file();
    let seen = desk.crosscheck([
        "claims",
        "--result",
        "good.json",
        "--result",
        "bad.json",
        "--out",
        "made/reports.jsonl",
        "--details",
        "details.jsonl",
    ]);
    assert_eq!(seen.code, 1, "{}", seen.summary());
    assert_eq!(desk.read("made/reports.jsonl"), seen.stdout);
    let details: Vec<Value> = desk
        .read("details.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tasks: Vec<&Value> = details
        .iter()
        .map(|one| &one["report"]["task_id"])
        .collect();
    assert_eq!(tasks, ["good", "bad"]);
    assert_eq!(
        desk.read(".claude/context-firewall/verify/bad.json"),
        seen.stdout.lines().nth(1).unwrap().to_owned() + "\n"
    );
}

#[test]
fn a_document_that_cannot_be_read_has_its_line_too() {
    let desk = with_file();
    desk.file("broken.json", "{");
    let seen = desk.crosscheck([
        "claims",
        "--result",
        "gone.json",
        "--result",
        "broken.json",
        "--result",
        "good.json",
        "--out",
        "reports.jsonl",
    ]);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    let lines = desk.read("reports.jsonl");
    let states: Vec<String> = lines
        .lines()
        .map(|line| {
            let report: Value = serde_json::from_str(line).unwrap();
            format!("{} {}", report["task_id"], report["status"])
        })
        .collect();
    assert_eq!(
        states,
        [
            "\"unknown\" \"failed\"",
            "\"unknown\" \"failed\"",
            "\"good\" \"ok\""
        ]
    );
}

#[test]
fn a_batch_that_cannot_be_written_is_printed_all_the_same() {
    insta::assert_snapshot!(with_file().talk(["claims --batch . --out a.conf/x"]));
}

#[test]
fn standard_input_is_one_document() {
    let line = "claims --result - --result -";
    let seen = with_file().crosscheck_with_input(line.split(' '), b"{}");
    insta::assert_snapshot!(seen.after(line));
}

#[test]
fn a_pattern_that_names_nothing_is_reported_also_beside_a_document() {
    insta::assert_snapshot!(with_file().talk(["claims --result good.json --batch nowhere"]));
}

#[test]
fn a_command_line_that_cannot_run_leaves_its_report_where_it_was_promised() {
    let desk = with_file();
    let seen = desk.crosscheck([
        "claims",
        "--result",
        "good.json",
        "--sample-rate",
        "7",
        "--out",
        "made/o.json",
        "--compact",
    ]);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    assert_eq!(seen.stdout.lines().count(), 1);
    assert_eq!(desk.read("made/o.json"), seen.stdout);
}

#[test]
fn a_path_out_of_the_root_is_noted_also_when_nothing_is_there() {
    let desk = with_file();
    for path in ["../missing.txt", "/etc", "/nonexist/x", "/bin/sh"] {
        let text = document("t", "The default port is 8080", "port = 8080")
            .replace("\"a.conf\"", &format!("{path:?}"));
        desk.file("out.json", text);
        let args = ["claims", "--result", "out.json", "--details", "d.json"];
        let seen = desk.crosscheck(args);
        assert_ne!(seen.code, 3, "{path}: {}", seen.summary());
        let details = desk.json("d.json");
        assert_eq!(details["warnings"][0]["code"], "outside_root", "{path}");
    }
}

#[test]
fn the_confidence_statement_of_each_document_is_on_standard_error() {
    let both = "claims --result good.json --result bad.json --select random";
    let shown = with_file().talk([both, &format!("{both} --quiet")]);
    insta::assert_snapshot!(shown);
}
