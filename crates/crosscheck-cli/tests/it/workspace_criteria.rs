//! Single rules of declared criteria.

use std::os::unix::fs::symlink;
use std::path::Path;

use crosscheck_testkit::{Desk, Schema};
use serde_json::{Value, json};

use crate::workspace::{FOLDER, last_log, stage};
use crate::workspace_hostile::git;

/// Outcome and detail of each criterion.
fn looked_at(desk: &Desk, criteria: &[Value]) -> Vec<(String, String)> {
    let numbered: Vec<Value> = criteria
        .iter()
        .enumerate()
        .map(|(at, criterion)| {
            let mut criterion = criterion.clone();
            criterion["id"] = json!(format!("c{at}"));
            criterion
        })
        .collect();
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        json!({"version": 1, "criteria": numbered}).to_string(),
    );
    let seen = desk.crosscheck(["workspace", "check", "demo", "--json"]);
    let result: Value =
        serde_json::from_str(&seen.stdout).unwrap_or_else(|_| panic!("{}", seen.stderr));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = result["audit"]["criteria"].as_array().unwrap();
    all.iter()
        .map(|one| (text(&one["outcome"]), text(&one["detail"])))
        .collect()
}

fn outcomes(desk: &Desk, criteria: &[Value]) -> Vec<String> {
    let looked_at = looked_at(desk, criteria);
    looked_at.into_iter().map(|(outcome, _)| outcome).collect()
}

#[test]
fn a_link_hides_no_file_from_a_pattern() {
    let desk = stage("report pass");
    desk.file("kept/a.rs", "// TODO\n");
    symlink("kept/a.rs", desk.path().join("link.rs")).unwrap();
    symlink("kept", desk.path().join("src")).unwrap();
    let away = desk.path().parent().unwrap();
    symlink(away, desk.path().join("away")).unwrap();
    let absent = |glob: &str| json!({"type": "text_absent", "globs": [glob], "literals": ["TODO"]});
    let count = |glob: &str, min: u64| json!({"type": "glob_count", "glob": glob, "min": min});
    let criteria = [
        absent("link.rs"),
        absent("src/*.rs"),
        absent("away/*.rs"),
        count("link.rs", 1),
        count("src/*.rs", 1),
        count("{kept,src}/*.rs", 1),
        count("{kept,src}/*.rs", 2),
        json!({"type": "glob_count", "glob": "away/*", "max": 1}),
    ];
    assert_eq!(
        outcomes(&desk, &criteria),
        [
            "fail", "fail", "error", "pass", "pass", "pass", "error", "error"
        ]
    );
}

#[test]
fn a_text_with_a_byte_order_mark_is_a_text() {
    let desk = stage("report pass");
    let wide: Vec<u8> = "\u{FEFF}x TODO"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    desk.file("wide.txt", wide);
    let criteria = [
        json!({"type": "text_absent", "globs": ["*.txt"], "literals": ["TODO"]}),
        json!({"type": "file_contains", "path": "wide.txt", "literal": "TODO"}),
    ];
    assert_eq!(outcomes(&desk, &criteria), ["fail", "pass"]);
}

#[test]
fn a_nul_byte_hides_no_text_and_accuses_no_picture() {
    let desk = stage("report pass");
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    desk.file("nul/a.rs", "// \0\nfn main() {} // TODO\n");
    desk.file("wide/a.rs", wide("fn main() {} // TODO"));
    desk.file(
        "late/a.rs",
        [" ".repeat(9000).as_bytes(), b"TO\0DO"].concat(),
    );
    desk.file("picture/a.rs", b"\x89PNG\0\0\x01done");
    let absent = |folder: &str| json!({"type": "text_absent", "globs": [format!("{folder}/*")], "literals": ["TODO"]});
    let criteria = ["nul", "wide", "late", "picture"].map(absent);
    assert_eq!(
        outcomes(&desk, &criteria),
        ["error", "error", "error", "pass"]
    );
}

#[test]
fn a_json_value_is_found_beside_a_large_number_and_behind_a_byte_order_mark() {
    let desk = stage("report pass");
    desk.file("j.json", "\u{FEFF}{\"s\":\"x\",\"big\":1e400}");
    let value = |pointer: &str, equals: Value| json!({"type": "json_value", "path": "j.json", "pointer": pointer, "equals": equals});
    let criteria = [value("/s", json!("x")), value("/big", json!(1))];
    let seen = looked_at(&desk, &criteria);
    assert_eq!(seen[0].0, "pass");
    assert_eq!(
        seen[1],
        (
            "fail".to_owned(),
            "j.json has 1e400 at /big, expected 1".to_owned()
        )
    );
}

#[test]
fn what_a_failing_report_names_is_looked_at_too() {
    let desk = stage(
        "printf '## Deliverables Verified\\n- `a.txt:9`\\n- `gone.txt`\\n❌ INCOMPLETE\\n' > \"$CROSSCHECK_REPORT_PATH\"",
    );
    desk.file("a.txt", "1\n2\n3\n");
    desk.file(
        &format!("{FOLDER}/.status.json"),
        r#"{"complete":true,"progress":{"completed":4,"total":3}}"#,
    );
    let seen = desk.crosscheck(["verify", "demo", "--json"]);
    let result: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(result["status"], "fail");
    assert_eq!(
        result["audit"]["claims"],
        json!({"checked": 2, "missing": 1})
    );
    // the calls of the stand-in are kept in the project
    assert_eq!(
        last_log(&desk)["findings"],
        json!([
            "CLAIMED_LINE_OUT_OF_RANGE",
            "JUDGE_MODIFIED_PROJECT",
            "STATUS_DISAGREES"
        ])
    );
}

#[test]
fn every_path_that_is_wrong_is_reported() {
    let desk = stage("report pass");
    desk.file("there", "x");
    symlink("/", desk.path().join("root")).unwrap();
    let seen = looked_at(
        &desk,
        &[
            json!({"type": "file_exists", "paths": ["a", "there", "root/", "b/"]}),
            json!({"type": "file_absent", "paths": ["there", "a", "root"]}),
            json!({"type": "min_bytes", "paths": ["there", "a"], "bytes": 2}),
            json!({"type": "file_exists", "paths": ["there", "root/"]}),
        ],
    );
    let fails = |detail: &str| ("fail".to_owned(), detail.to_owned());
    assert_eq!(
        seen[..3],
        [
            fails("a does not exist; b/ does not exist"),
            fails("there exists; root exists"),
            fails("there has 1 bytes, expected at least 2; a does not exist"),
        ]
    );
    assert_eq!(seen[3].0, "error");
}

#[test]
fn nothing_is_absent_behind_a_link_that_leaves_the_project_or_leads_nowhere() {
    let desk = stage("report pass");
    desk.file("folder/x", "x");
    for (name, target) in [
        ("out", desk.home()),
        ("dangling", Path::new("nowhere")),
        ("inner", Path::new("folder")),
        ("folder/deep", desk.home()),
    ] {
        symlink(target, desk.path().join(name)).unwrap();
    }
    let absent = |path: &str| json!({"type": "file_absent", "paths": [path]});
    for (path, expected) in [
        ("out/nonexistent", "error"),
        ("out/a/b", "error"),
        ("dangling/x", "error"),
        ("inner/deep/x", "error"),
        ("inner/y", "pass"),
        ("folder/x/y", "pass"),
        ("a/b/c", "pass"),
        ("dangling", "fail"),
    ] {
        assert_eq!(looked_at(&desk, &[absent(path)])[0].0, expected, "{path}");
    }
}

#[test]
fn both_names_of_a_renamed_file_differ() {
    let desk = stage("report pass");
    desk.file("a.txt", "the same text in both\n".repeat(20));
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "start"]);
    git(&desk, &["mv", "a.txt", "b.txt"]);
    let two = json!({"type": "git_changed", "base": "HEAD", "globs": ["*.txt"], "minFiles": 2});
    assert_eq!(outcomes(&desk, &[two]), ["pass"]);
}

#[test]
fn a_command_without_an_exit_code_has_none() {
    let desk = stage("report pass");
    let criteria = [
        json!({"type": "command", "argv": ["true"]}),
        json!({"type": "command", "argv": ["no-such-program-here"]}),
        json!({"type": "status_complete"}),
    ];
    looked_at(&desk, &criteria);
    let seen = desk.crosscheck(["workspace", "check", "demo", "--json"]);
    let result: Value = serde_json::from_str(&seen.stdout).unwrap();
    let codes: Vec<Option<&Value>> = result["audit"]["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.get("exitCode"))
        .collect();
    assert_eq!(codes, [Some(&json!(0)), Some(&Value::Null), None]);
    let schema: Value =
        serde_json::from_str(&desk.crosscheck(["schema", "workspace-result"]).stdout).unwrap();
    assert!(Schema::new(schema).fits(&result), "{result}");
}
