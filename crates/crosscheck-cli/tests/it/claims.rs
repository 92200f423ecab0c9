//! `crosscheck claims`: the contract cases, and conversations.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use crosscheck::render::Format;
use crosscheck_testkit::{Desk, Reply, Site};
use serde_json::{Value, json};

use crate::desk;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/claims")
}

#[test]
fn the_contract_cases_hold() {
    let mut count = 0;
    let mut folders: Vec<PathBuf> = fs::read_dir(vectors())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    for folder in folders {
        run_case(&folder);
        count += 1;
    }
    assert!(count >= 55, "{count} cases");
}

fn run_case(folder: &Path) {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let case: Value = read_json(&folder.join("case.json"));
    let expected = &case["expected"];
    let desk = desk();
    copy(folder, desk.path());
    let project = fs::canonicalize(desk.path()).unwrap().join("project");
    set_up(&case, &project);
    let base = serve(&case);
    let fill = |text: &str| {
        text.replace("{{ROOT}}", &project.display().to_string())
            .replace("{{BASE}}", &base)
    };
    let result = project.join("result.json");
    if result.is_file() {
        let text = fs::read_to_string(&result).unwrap_or_default();
        if text.contains("{{") {
            fs::write(&result, fill(&text)).unwrap();
        }
    }
    let mut args = vec!["claims".to_owned()];
    args.extend(strings(&case["args"]).iter().map(|arg| fill(arg)));
    args.extend(["--details".to_owned(), desk.at("details.json")]);

    let output = desk.command(&args).current_dir(&project).output().unwrap();
    let seen = desk.seen(&output);

    assert_eq!(
        i64::from(seen.code),
        expected["exit_code"].as_i64().unwrap(),
        "{name}: {}",
        seen.summary()
    );
    let report: Value = serde_json::from_str(&seen.stdout).unwrap();
    for (key, value) in expected["report"].as_object().unwrap() {
        assert_eq!(&report[key], value, "{name}: {key}");
    }
    let failures: Vec<Value> = report["failures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!({"claim_id": one["claim_id"], "code": one["evidence"]["code"]}))
        .collect();
    assert_eq!(json!(failures), expected["failures"], "{name}");
    for text in strings(&expected["recommendation_contains"]) {
        assert!(
            report["recommendation"].as_str().unwrap().contains(&text),
            "{name}: {text}"
        );
    }
    for key in ["persisted_at", "out_at"] {
        if let Some(path) = expected[key].as_str() {
            assert_eq!(
                fs::read_to_string(project.join(path)).unwrap(),
                seen.stdout,
                "{name}: {path}"
            );
        }
    }
    if expected["persisted_at"].is_null() {
        assert!(
            !project.join(".claude/context-firewall").exists(),
            "{name}: something was kept"
        );
    }
    for path in strings(&expected["absent"]) {
        assert!(!project.join(&path).exists(), "{name}: {path}");
    }
    check_details(&name, expected, &desk);
}

fn check_details(name: &str, expected: &Value, desk: &Desk) {
    if expected["claim_results"].is_null() {
        return;
    }
    let details = desk.json("details.json");
    let results: Vec<Value> = details["claims"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!({"claim_id": one["claim_id"], "status": one["status"]}))
        .collect();
    assert_eq!(json!(results), expected["claim_results"], "{name}");
    for code in strings(&expected["warning_codes"]) {
        let warnings = details["warnings"].as_array().unwrap();
        assert!(
            warnings.iter().any(|one| one["code"] == code.as_str()),
            "{name}: {code}"
        );
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|one| one.as_str().unwrap().to_owned())
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

fn set_up(case: &Value, project: &Path) {
    for step in case["setup"].as_array().cloned().unwrap_or_default() {
        let path = project.join(step["path"].as_str().unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match step["op"].as_str().unwrap() {
            "symlink" => {
                std::os::unix::fs::symlink(step["target"].as_str().unwrap(), path).unwrap();
            }
            "write_base64" => {
                let bytes = base64::engine::general_purpose::STANDARD
                    .decode(step["data"].as_str().unwrap())
                    .unwrap();
                fs::write(path, bytes).unwrap();
            }
            other => panic!("unknown step {other}"),
        }
    }
}

/// A loopback site with the routes of a case; it ends with the test program.
fn serve(case: &Value) -> String {
    let routes = case["site"].as_array().cloned().unwrap_or_default();
    if routes.is_empty() {
        return String::new();
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            reader.read_line(&mut line).unwrap_or_default();
            let wanted = line.split(' ').nth(1).unwrap_or_default().to_owned();
            while reader.read_line(&mut line).unwrap_or_default() > 2 {}
            let route = routes.iter().find(|route| route["path"] == wanted.as_str());
            let (status, body) = route.map_or((404, String::new()), |route| {
                (
                    route["status"].as_u64().unwrap(),
                    route["body"].as_str().unwrap().to_owned(),
                )
            });
            let mut stream = stream;
            let _ = write!(
                stream,
                "HTTP/1.1 {status} x\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    base
}

pub(crate) fn document(task_id: &str, claim: &str, quote: &str) -> String {
    json!({
        "version": "SubResult.v1", "task_id": task_id, "status": "ok",
        "answers": [{"question": "q", "summary": "", "claims": [{
            "claim_id": "port", "claim": claim, "confidence": 0.9,
            "evidence": [{"source": "a.conf", "locator": {"type": "line_range", "path": "a.conf", "start": 2, "end": 2}, "quote": quote}],
        }]}],
        "coverage": {"inputs_scanned": []},
    })
    .to_string()
}

pub(crate) fn with_file() -> Desk {
    let desk = desk();
    desk.file("a.conf", "# server\ndefault port = 8080\n# end\n");
    desk.file(
        "good.json",
        document("good", "The default port is 8080", "port = 8080"),
    );
    desk.file(
        "bad.json",
        document("bad", "The default port is 8080", "port = 9090"),
    );
    desk
}

#[test]
fn people_see_the_line_that_is_there_and_the_difference() {
    let desk = with_file();
    let seen = desk.crosscheck([
        "claims", "--result", "bad.json", "--format", "human", "--quiet",
    ]);
    insta::assert_snapshot!(seen.summary());
}

#[test]
fn every_usage_error_is_answered_with_a_report() {
    let shown = with_file().talk([
        "claims",
        "cf-verify --risk huge --result good.json", // silent: an agent gets both streams mixed
        "claims --result good.json --format pdf",
        "claims --result good.json --no-such-option",
        "claims --result good.json --sample-rate 7",
        "claims --result good.json --judge command",
        "claims --result good.json --root nowhere",
        "claims --result gone.json",
        "claims --result .",
    ]);
    insta::assert_snapshot!(shown);
}

#[test]
fn a_report_that_cannot_be_written_is_still_printed() {
    let shown = with_file().talk([
        "claims --result good.json --out a.conf/x.json",
        "claims --result good.json --out .",
        "explain OUTPUT_UNWRITABLE",
    ]);
    insta::assert_snapshot!(shown);
}

#[test]
fn several_documents_give_one_line_each_and_the_worst_exit_code() {
    let shown = with_file().talk([
        "claims --result good.json --result bad.json",
        "claims --batch '*.json' --no-persist",
        "claims --batch . --result gone.json --no-persist",
    ]);
    insta::assert_snapshot!(shown);
}

#[test]
fn every_format_tells_the_failed_claim() {
    let desk = with_file();
    let formats = Format::NAMES.into_iter().filter(|format| *format != "json");
    let line = |format| format!("claims --result bad.json --format {format}");
    insta::assert_snapshot!(desk.talk(formats.map(line)));
    let kept = desk.read(".claude/context-firewall/verify/bad.json");
    assert_eq!(kept.get(..13), Some("{\n  \"version\""));
}

#[test]
fn standard_input_and_inline_json_are_documents_too() {
    let desk = with_file();
    let text = document("inline", "The default port is 8080", "port = 8080");
    let seen =
        desk.crosscheck_with_input(["claims", "--result", "-", "--no-persist"], text.as_bytes());
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let padded = format!(" \n\t{text}");
    let seen = desk.crosscheck(["claims", "--result", &padded, "--no-persist"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn a_model_judge_is_confined_and_held_to_its_words() {
    let desk = with_file();
    let vague = "Clients reach the thing at number 8080";
    desk.file("vague.json", document("vague", vague, "port = 8080"));
    let script = "#!/bin/sh\ncat > seen.json\nprintf '{\"verdict\":\"contradicts\",\"span\":\"invented words\"}'\n";
    desk.file("judge.sh", script);
    let outside = document("out", "x", "y").replace("a.conf", "../a.conf");
    desk.file("sub/result.json", outside);
    let judged = "--no-persist --judge command --judge-command";
    insta::assert_snapshot!(desk.talk([
        format!(
            "claims --result vague.json --no-judge-cache --details d.json {judged} sh judge.sh"
        ),
        format!("claims --root sub --result result.json {judged} false"),
    ]));
    let details = desk.json("d.json");
    assert_eq!(
        details["claims"][0]["evidence"][0]["judge"]["reasons"],
        json!(["span_not_found"])
    );
    assert_eq!(details["judge"]["calls"], 1);
    let asked = desk.json("seen.json");
    assert_eq!(asked["protocol"], "crosscheck.judge.v1");
}

#[test]
fn recorded_answers_repeat_a_run() {
    let desk = with_file();
    desk.file(
        "vague.json",
        document("vague", "Clients reach the thing at number 8080", " "),
    );
    desk.file("answers.ndjson", "{\"claim\":\"Clients reach the thing at number 8080\",\"answer\":{\"verdict\":\"supports\",\"span\":\"port = 8080\",\"reason\":\"r\"}}\n");
    let seen = desk.crosscheck([
        "claims",
        "--result",
        "vague.json",
        "--no-persist",
        "--judge",
        "replay",
        "--judge-replay",
        "answers.ndjson",
    ]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn the_users_file_opens_private_addresses_but_not_to_an_agent() {
    let site = Site::start(|_| Reply::html("<p>Bodies are limited to 10 MB.</p>"));
    let desk = desk();
    let url = format!("{}/notes", site.base());
    desk.user_config("[fetch]\nallow_private = true\n");
    desk.file(
        "r.json",
        json!({
            "version": "SubResult.v1", "task_id": "t", "status": "ok",
            "answers": [{"question": "q", "summary": "", "claims": [{
                "claim_id": "size", "claim": "Bodies are limited to 10 MB.", "confidence": 0.9,
                "evidence": [{"source": "tool:WebFetch", "quote": "n/a", "locator": {
                    "type": "tool_call", "tool": "WebFetch", "args_hash": format!("sha256:{}", "1".repeat(64)),
                    "rerun_hint": {"type": "web_fetch", "url": url, "prompt": "size?"}}}],
            }]}],
            "coverage": {"inputs_scanned": []},
        })
        .to_string(),
    );
    let with = |command: &str| {
        desk.crosscheck([command, "--result", "r.json", "--no-persist"]);
        site.connections()
    };
    assert_eq!(with("cf-verify"), 0);
    assert!(with("claims") > 0);
}

#[test]
fn output_writes_the_format_into_a_file_and_the_report_stays_on_standard_output() {
    let desk = with_file();
    desk.file("made/y", "");
    let bad = "claims --result bad.json --color never --verbose --format sarif --output";
    insta::assert_snapshot!(
        desk.talk(["made/x.sarif", "a.conf/x.sarif"].map(|at| format!("{bad} {at}")))
    );
    let sarif = desk.json("made/x.sarif");
    assert_eq!(sarif["version"], "2.1.0");
}

#[test]
fn every_format_names_the_file_of_a_json_path_not_its_query() {
    let desk = with_file();
    desk.file("d.json", "{\"port\": 8080}");
    let text = document("query", "The default port is 8080", "port = 9090").replace(
        r#"{"end":2,"path":"a.conf","start":2,"type":"line_range"}"#,
        r#"{"type":"json_path","source":"d.json","path":"$.port"}"#,
    );
    desk.file("query.json", text);
    let line = |format| format!("claims --extended --result query.json --format {format}");
    insta::assert_snapshot!(desk.talk(["github", "ndjson", "human", "sarif"].map(line)));
}

#[test]
fn explain_knows_the_reasons_of_the_judge_and_every_warning() {
    let desk = with_file();
    for code in [
        "quantity_conflict",
        "polarity_conflict",
        "low_overlap",
        "quantity_missing",
        "identifier_missing",
        "polarity_unsure",
        "no_checkable_content",
        "claim_too_long",
        "span_not_found",
        "verbatim",
        "lexical",
        "settings_disabled",
        "range_end_cut",
        "settings_bad_value",
        "settings_bad_yaml",
        "settings_unknown_key",
        "quote_hash_malformed",
        "schema_deviation",
    ] {
        let seen = desk.crosscheck(["explain", code]);
        assert_eq!(seen.code, 0, "{code}");
        assert!(seen.stdout.starts_with(code), "{}", seen.summary());
    }
}
