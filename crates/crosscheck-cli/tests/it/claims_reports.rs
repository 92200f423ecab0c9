//! What `crosscheck claims` says to people and programs: formats, usage errors,
//! what is fetched.

use std::fs;

use crosscheck::render::Format;
use crosscheck_testkit::{Reply, Site};
use serde_json::{Value, json};

use crate::claims::{document, with_file};
use crate::desk;

#[test]
fn a_command_line_that_is_refused_leaves_its_report_in_out_too() {
    let desk = with_file();
    for words in [
        &["--result", "good.json", "--risk", "zz"][..],
        &["--result", "good.json", "--format", "xml"],
        &["--result", "good.json", "--select", "zz"],
        &["--result", "good.json", "--line-slack", "x"],
        &["--result", "good.json", "--bogus"],
        &["--result", "good.json", "--risk", "low", "--risk", "high"],
        &["--result", "good.json", "--sample-rate", "2"],
        &["--compact"],
    ] {
        for command in ["claims", "cf-verify"] {
            let words = [command].into_iter().chain(words.iter().copied());
            let seen = desk.crosscheck(words.clone().chain(["--out", "o.json"]));
            assert_eq!(seen.code, 3, "{}", seen.summary());
            assert_eq!(seen.json()["task_id"], "unknown");
            assert_eq!(desk.read("o.json"), seen.stdout, "{words:?}");
            fs::remove_file(desk.path().join("o.json")).unwrap();
        }
    }
    fs::create_dir(desk.path().join("inner")).unwrap();
    let seen = desk.crosscheck(["claims", "--bogus", "--root", "inner", "--out=o.json"]);
    assert_eq!(desk.read("inner/o.json"), seen.stdout);
}

#[test]
fn a_password_in_a_url_that_is_no_document_is_not_repeated() {
    let desk = with_file();
    let url = "postgres://u:hunter2@db.example/x";
    for words in [
        &["--result", url][..],
        &["--result", url, "--result", "good.json", "--verbose"],
        &["--result", url, "--format", "human"],
        &["--result", url, "--out", "o.json", "--details", "d.json"],
        &["--result", url, "--output", "o.html", "--format", "html"],
        &["--batch", url],
        &["--result", "good.json", "--root", url],
        &["--result", "good.json", "--config", url],
    ] {
        let seen = desk.crosscheck([&["claims"], words].concat());
        let mut shown = seen.summary();
        for name in ["o.json", "d.json", "o.html"] {
            shown += &fs::read_to_string(desk.path().join(name)).unwrap_or_default();
        }
        assert!(!shown.contains("hunter2"), "{shown}");
        assert_eq!(seen.code, 3, "{shown}");
        assert!(shown.contains("***"), "{shown}");
    }
}

#[test]
fn secrets_in_the_urls_of_claims_are_not_shown_in_any_view() {
    let desk = with_file();
    desk.file("page.txt", "see http://u:geheim@a.example/x\nand more\n");
    let claim = "It is at https://a.example/?a=1;token=geheim and https://u:geheim@b.example/#access_token=geheim";
    let claims = [
        json!({"claim_id": "c1", "claim": claim, "confidence": 0.9, "evidence": [{
            "source": "page.txt",
            "locator": {"type": "line_range", "path": "page.txt", "start": 1, "end": 1},
            "quote": "see http://u:geheim2@b.example/?sig=geheim3"}]}),
        json!({"claim_id": "c2", "claim": claim, "confidence": 0.9, "evidence": [{
            "source": "https://a.example/?sig=geheim",
            "locator": {"type": "line_range", "path": "https://a.example/?sig=geheim", "start": 1, "end": 1}}]}),
    ];
    let document = json!({
        "version": "SubResult.v1", "task_id": "t", "status": "ok",
        "answers": [{"question": "q", "summary": "", "claims": claims}],
        "coverage": {"inputs_scanned": []},
    });
    desk.file("secret.json", document.to_string());
    let formats = Format::NAMES.into_iter().filter(|format| *format != "json");
    let all = "claims --result secret.json --sample-rate 1";
    let shown = desk.talk(formats.map(|format| format!("{all} --format {format}")));
    assert!(!shown.contains("geheim"), "{shown}");
    insta::assert_snapshot!(shown);
    // the contract repeats the evidence as it was written
    let seen = desk.crosscheck(all.split(' '));
    let source = &seen.json()["failures"][1]["evidence"]["source"];
    assert_eq!(source, "https://a.example/?sig=geheim");
}

#[test]
fn a_negative_number_is_refused_as_a_value() {
    let options = [
        "--sample-rate",
        "--line-slack",
        "--jobs",
        "--max-file-bytes",
        "--timeout",
        "--judge-budget",
    ];
    let line = |option| format!("claims --result good.json {option} -1");
    insta::assert_snapshot!(with_file().talk(options.map(line)));
}

/// Two claims, of which only the first is true.
fn good_and_bad() -> String {
    let (good, bad) = (
        document("both", "The default port is 8080", "port = 8080"),
        document("both", "The default port is 8080", "port = 9090"),
    );
    let mut both: Value = serde_json::from_str(&good).unwrap();
    let bad: Value = serde_json::from_str(&bad).unwrap();
    let mut second = bad["answers"][0]["claims"][0].clone();
    both["answers"][0]["claims"][0]["claim_id"] = json!("stands");
    second["claim_id"] = json!("falls");
    both["answers"][0]["claims"]
        .as_array_mut()
        .unwrap()
        .push(second);
    both.to_string()
}

#[test]
fn every_format_names_every_claim() {
    let desk = with_file();
    desk.file("both.json", good_and_bad());
    let formats = Format::NAMES.into_iter().filter(|format| *format != "json");
    let line = |format| format!("claims --result both.json --select all --format {format}");
    insta::assert_snapshot!(desk.talk(formats.map(line)));
}

#[test]
fn people_read_which_document_of_a_batch_is_meant() {
    let line = "claims --result good.json --result bad.json --format human";
    insta::assert_snapshot!(with_file().talk([line]));
}

#[test]
fn no_format_takes_the_name_of_a_tool_for_a_file() {
    let desk = with_file();
    let tool = |hint: &str| {
        document("call", "The default port is 8080", "port = 9090")
            .replace(
                r#"{"end":2,"path":"a.conf","start":2,"type":"line_range"}"#,
                &format!(r#"{{"type":"tool_call","tool":"X","args_hash":"sha256:1","rerun_hint":{hint}}}"#),
            )
            .replace(r#""source":"a.conf""#, r#""source":"tool:X""#)
    };
    let fetch = r#"{"type":"web_fetch","url":"http://u:pw@10.0.0.1/x?token=SECRET","prompt":"p"}"#;
    let search = r#"{"type":"web_search","query":"default port"}"#;
    desk.file("fetch.json", tool(fetch));
    desk.file("search.json", tool(search));
    let formats = ["github", "ndjson", "human", "sarif", "markdown"];
    let lines = ["fetch", "search"]
        .map(|name| formats.map(|format| format!("claims --result {name}.json --format {format}")));
    let shown = desk.talk(lines.as_flattened());
    assert!(
        !shown.contains("SECRET") && !shown.contains("tool:X"),
        "{shown}"
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn a_document_without_claims_is_undecided_in_every_format() {
    let desk = desk();
    let none = json!({
        "version": "SubResult.v1", "task_id": "none", "status": "ok", "answers": [],
        "coverage": {"inputs_scanned": []},
    });
    desk.file("none.json", none.to_string());
    let formats = Format::NAMES.into_iter().filter(|format| *format != "json");
    let line = |format| format!("claims --result none.json --format {format}");
    let mut lines = formats.map(line).collect::<Vec<_>>();
    lines.push("explain no_claims".to_owned());
    insta::assert_snapshot!(desk.talk(lines));
}

#[test]
fn a_page_is_fetched_once_however_many_claims_name_it() {
    let site = Site::start(|_| Reply::html("<p>Bodies are limited to 10 MB.</p>"));
    let desk = desk();
    let claim = |id: usize| {
        json!({
            "claim_id": id.to_string(), "claim": "Bodies are limited to 10 MB.", "confidence": 0.9,
            "evidence": [{"source": "tool:WebFetch", "quote": "n/a", "locator": {
                "type": "tool_call", "tool": "WebFetch", "args_hash": format!("sha256:{}", "1".repeat(64)),
                "rerun_hint": {"type": "web_fetch", "url": format!("{}/notes", site.base()), "prompt": "size?"}}}],
        })
    };
    let claims: Vec<Value> = (0..8).map(claim).collect();
    let document = json!({
        "version": "SubResult.v1", "task_id": "t", "status": "ok",
        "answers": [{"question": "q", "summary": "", "claims": claims}],
        "coverage": {"inputs_scanned": []},
    });
    desk.file("r.json", document.to_string());
    let args = ["--select", "all", "--allow-private", "--no-persist"];
    let seen = desk.crosscheck(["claims", "--result", "r.json"].into_iter().chain(args));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert_eq!(seen.json()["passed"], 8);
    assert_eq!(site.connections(), 1);
}
