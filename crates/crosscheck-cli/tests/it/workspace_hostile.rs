//! What an agent may have put into its workspace or its project to get
//! something out of whoever verifies it.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crosscheck_testkit::Desk;
use serde_json::{Value, json};

use crate::workspace::{FOLDER, PASS, last_log, metadata, stage};

fn fifo(desk: &Desk, name: &str) {
    let made = Command::new("mkfifo")
        .arg(desk.path().join(name))
        .status()
        .unwrap();
    assert!(made.success());
}

pub(crate) fn git(desk: &Desk, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(args)
        .current_dir(desk.path())
        .env("HOME", desk.home())
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn verified(desk: &Desk) -> Value {
    let seen = desk.crosscheck(["verify", "demo", "--json"]);
    serde_json::from_str(&seen.stdout).unwrap_or_else(|_| panic!("{}", seen.stderr))
}

fn codes(result: &Value) -> Vec<&str> {
    result["audit"]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect()
}

#[test]
fn a_lock_that_is_a_link_is_refused_and_what_it_points_to_is_kept() {
    let desk = stage("report pass");
    let precious = desk.file("precious", "keep");
    symlink(&precious, desk.path().join(FOLDER).join(".verify.lock")).unwrap();
    symlink(&precious, desk.path().join(FOLDER).join(".run.lock")).unwrap();
    for words in [&["verify", "demo"][..], &["workspace", "run", "demo"]] {
        let seen = desk.crosscheck(words);
        assert_eq!(seen.code, 1);
        assert!(seen.stderr.starts_with("Error: "), "{}", seen.stderr);
    }
    assert_eq!(desk.read("precious"), "keep");
    assert_eq!(desk.llm_calls(), 0);
}

#[test]
fn a_log_that_is_a_link_or_a_fifo_is_only_a_warning() {
    let desk = stage("report pass");
    let log = desk.path().join(FOLDER).join("verification-log.ndjson");
    symlink(desk.file("precious", "keep"), &log).unwrap();
    insta::assert_snapshot!(desk.talk(["verify demo"]));
    assert_eq!(desk.read("precious"), "keep");
    fs::remove_file(&log).unwrap();
    fifo(&desk, &format!("{FOLDER}/verification-log.ndjson"));
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
}

#[test]
fn no_program_of_the_checked_repository_runs() {
    let desk = stage("report pass");
    let proof = desk.path().join("it-ran");
    git(&desk, &["init", "-q"]);
    desk.file("a.txt", "one\n");
    git(&desk, &["add", "a.txt"]);
    git(&desk, &["commit", "-qm", "start"]);
    let program = format!("touch '{}'; cat", proof.display());
    for key in ["filter.a=b.clean", "filter.x.clean", "core.fsmonitor"] {
        git(&desk, &["config", key, &program]);
    }
    desk.file(".gitattributes", "* filter=x\n");
    desk.file("a.txt", "two, longer\n");
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        json!({"version": 1, "criteria": [{"id": "c", "type": "git_changed", "base": "HEAD", "globs": ["a.txt"]}]})
            .to_string(),
    );
    let seen = desk.crosscheck(["workspace", "check", "demo", "--json"]);
    assert_eq!(seen.code, 0, "the change is seen: {}", seen.stderr);
    desk.crosscheck(["workspace", "run", "demo", "--max-iterations", "1"]);
    assert!(!proof.exists());
}

#[test]
fn options_of_all_workspace_commands_may_come_before_the_command() {
    let desk = stage("report pass");
    let project = desk.path().display().to_string();
    let elsewhere = desk.file("elsewhere/.keep", "");
    for words in [
        vec!["--no-colors", "--project", &project, "verify", "demo"],
        vec![
            "--workspaces-dir=claude-iterate/workspaces",
            "workspace",
            "list",
        ],
    ] {
        let seen = desk.crosscheck(&words);
        assert_eq!(seen.code, 0, "{words:?}: {}", seen.stderr);
    }
    let mut away = desk.command(["--project", &project, "verify", "demo"]);
    away.current_dir(elsewhere.parent().unwrap());
    assert!(away.output().unwrap().status.success());
    let seen = desk.crosscheck(["--no-colors", "verify", "demo", "--bogus"]);
    assert_eq!(seen.code, 1, "{}", seen.stderr);
}

#[test]
fn a_report_with_windows_line_ends_is_shown_as_it_is() {
    let desk = stage("sed 's/$/\\r/' \"$HOME_OF_FAKE/pass.md\" > \"$CROSSCHECK_REPORT_PATH\"");
    let seen = desk.crosscheck(["verify", "demo", "--show-report"]);
    assert!(
        seen.stdout.ends_with(&PASS.replace('\n', "\r\n")),
        "{}",
        seen.stdout
    );
}

#[test]
fn a_named_file_counts_only_where_it_may_be_looked_for() {
    let claim = |name: &str| {
        let report = PASS.replace(
            "✅ VERIFIED COMPLETE\n",
            &format!("✅ VERIFIED COMPLETE\n\n## Deliverables Verified\n\n- `{name}`\n"),
        );
        let desk = stage("report claim");
        desk.file("llm/claim.md", report);
        let result = verified(&desk);
        (
            result["status"].as_str().unwrap().to_owned(),
            result["audit"]["claims"]["checked"].as_u64().unwrap(),
        )
    };
    assert_eq!(claim(".env"), ("needs_review".to_owned(), 1));
    assert_eq!(claim("../x.txt"), ("pass".to_owned(), 0));
    assert_eq!(claim("/etc/passwd"), ("pass".to_owned(), 0));
}

#[test]
fn neighbouring_large_numbers_are_not_equal() {
    let desk = stage("report pass");
    desk.file("j.json", r#"{"a":9007199254740993,"b":1.0,"c":0.5}"#);
    let criterion = |id: &str, pointer: &str, equals: Value| json!({"id": id, "type": "json_value", "path": "j.json", "pointer": pointer, "equals": equals});
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        json!({"version": 1, "criteria": [
            criterion("far", "/a", json!(9_007_199_254_740_992_u64)),
            criterion("near", "/a", json!(9_007_199_254_740_993_u64)),
            criterion("whole", "/b", json!(1)),
            criterion("half", "/c", json!(0.5)),
        ]})
        .to_string(),
    );
    let result = verified(&desk);
    let outcomes: Vec<&str> = result["audit"]["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .map(|seen| seen["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["fail", "pass", "pass", "pass"]);
}

#[test]
fn counts_are_compared_whatever_the_verdict() {
    let desk = stage(
        "sed 's/One is open/2\\/3 done/' \"$HOME_OF_FAKE/fail.md\" > \"$CROSSCHECK_REPORT_PATH\"",
    );
    desk.file(
        &format!("{FOLDER}/.status.json"),
        r#"{"complete":true,"progress":{"completed":3,"total":3}}"#,
    );
    let result = verified(&desk);
    assert_eq!(
        codes(&result),
        ["JUDGE_MODIFIED_PROJECT", "COUNT_MISMATCH"],
        "{result}"
    );
}

#[test]
fn a_changed_acceptance_file_is_reported_once() {
    let desk = stage("echo >> acc.json; report pass");
    let file = desk.file(
        "acc.json",
        r#"{"version":1,"criteria":[{"id":"c","type":"file_exists","paths":["acc.json"]}]}"#,
    );
    let seen = desk.crosscheck([
        "verify",
        "demo",
        "--json",
        "--acceptance",
        file.to_str().unwrap(),
    ]);
    let result: Value = serde_json::from_str(&seen.stdout).unwrap();
    insta::assert_snapshot!(format!("{:#}", result["audit"]["findings"]));
}

#[test]
fn a_verdict_that_cannot_be_recorded_is_in_the_log() {
    let desk = stage("report pass; echo '{bad' > \"$W/.metadata.json\"");
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(seen.code, 1);
    let log = last_log(&desk);
    assert_eq!(
        (&log["outcome"], &log["errorCode"]),
        (&json!("error"), &json!("io"))
    );
}

#[test]
fn a_prompt_that_begins_with_a_dash_is_no_option() {
    let desk = stage(
        "if [ $CALL = 2 ]; then report fail; elif [ $CALL = 4 ]; then report pass; else claim true; echo $CALL > made; fi",
    );
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    assert_eq!(seen.code, 0, "{}{}", seen.stdout, seen.stderr);
    let ends = |call: &str| desk.read(call).matches("\n--\n").count();
    assert_eq!((ends("llm/args-1"), ends("llm/args-3")), (0, 1));
    let findings = "\n--\n---\n**VERIFICATION FINDINGS**";
    assert_eq!(desk.read("llm/args-3").matches(findings).count(), 1);
}

#[test]
fn counters_at_the_end_of_their_range_stay_there() {
    let desk = stage("report pass");
    let full = json!({"name": "demo", "created": "2025-10-15T10:00:00.000Z",
        "verification": {"verificationAttempts": u64::MAX, "verifyResumeCycles": 0}});
    desk.file(&format!("{FOLDER}/.metadata.json"), full.to_string());
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert_eq!(
        metadata(&desk)["verification"]["verificationAttempts"],
        u64::MAX
    );
}

#[test]
fn a_table_of_the_wrong_kind_is_an_error_in_every_file() {
    let desk = stage("report pass");
    desk.file(".claude-iterate.json", r#"{"verification":5}"#);
    assert_eq!(
        desk.crosscheck(["verify", "demo"]).stderr,
        "Error: Invalid configuration: Project config: verification: must be an object\n"
    );
}

#[test]
fn a_folder_in_place_of_the_report_is_moved_away() {
    let desk = stage("mkdir \"$CROSSCHECK_REPORT_PATH\"");
    desk.file(&format!("{FOLDER}/verification-report.md"), PASS);
    assert_eq!(desk.crosscheck(["verify", "demo"]).code, 1);
    assert_eq!(desk.read(&format!("{FOLDER}/verification-report.md")), PASS);
    insta::assert_snapshot!(desk.names(FOLDER).join("\n"));
}

#[test]
fn plain_lines_of_the_llm_stay_together() {
    let desk = stage("printf 'line1\\nline2\\n\\nline3\\n'; report pass");
    insta::assert_snapshot!(desk.talk(["verify demo --verbose"]));
}

#[test]
fn what_was_asked_for_is_watched_through_links() {
    let desk = stage(
        "if [ \"$CROSSCHECK_PHASE\" = verify ]; then report pass; else echo easier > TASK.md; echo '{\"version\":1,\"criteria\":[]}' > acc.json; claim true; fi",
    );
    fs::remove_file(desk.path().join(FOLDER).join("INSTRUCTIONS.md")).unwrap();
    for (link, file, text) in [
        ("INSTRUCTIONS.md", "TASK.md", "hard"),
        (
            "ACCEPTANCE.json",
            "acc.json",
            r#"{"version":1,"criteria":[{"id":"c","type":"file_exists","paths":["nope"]}]}"#,
        ),
    ] {
        desk.file(file, text);
        symlink(
            format!("../../../{file}"),
            desk.path().join(FOLDER).join(link),
        )
        .unwrap();
    }
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    insta::assert_snapshot!(seen.summary());
}

#[test]
fn a_report_that_names_more_files_than_are_looked_for_needs_review() {
    let list = (1..=10_001)
        .map(|line| format!("- `R.md:{line}`"))
        .collect::<Vec<_>>()
        .join("\n");
    let desk = stage("report many");
    desk.file("R.md", "x\n".repeat(10_001));
    desk.file(
        "llm/many.md",
        PASS.replace(
            "✅ VERIFIED COMPLETE\n",
            &format!("✅ VERIFIED COMPLETE\n\n## Files Reviewed\n\n{list}\n"),
        ),
    );
    let result = verified(&desk);
    assert_eq!(result["status"], "needs_review");
    assert_eq!(
        codes(&result),
        ["CLAIMED_FILE_MISSING", "JUDGE_MODIFIED_PROJECT"]
    );
}

#[test]
fn files_beside_the_report_are_project_files() {
    let desk = stage("report pass; echo x > r-important.txt");
    let seen = desk.crosscheck(["verify", "demo", "--json", "--report-path", &desk.at("r")]);
    let result: Value = serde_json::from_str(&seen.stdout).unwrap();
    insta::assert_snapshot!(format!("{:#}", result["audit"]["findings"]));
}

#[test]
fn the_log_knows_the_hash_of_the_bytes_of_the_report() {
    let desk = stage("printf '## Summary\\n\\377\\n' > \"$CROSSCHECK_REPORT_PATH\"");
    let result = verified(&desk);
    assert_eq!(
        last_log(&desk)["reportSha256"],
        result["audit"]["reportSha256"]
    );
}

#[test]
fn a_report_is_not_written_over_a_file_of_the_workspace() {
    for name in [
        ".metadata.json",
        "INSTRUCTIONS.md",
        "verification-log.ndjson",
    ] {
        let desk = stage("report pass")
            .variable("CROSSCHECK_WORKSPACE_VERIFICATION_REPORT_FILENAME", name);
        let before = desk.read(&format!("{FOLDER}/.metadata.json"));
        let seen = desk.crosscheck(["workspace", "check", "demo"]);
        assert_eq!(seen.code, 1, "{name}");
        assert!(
            seen.stderr
                .starts_with("Error: Report path is a file of the workspace itself: "),
            "{}",
            seen.stderr
        );
        assert_eq!(desk.read(&format!("{FOLDER}/.metadata.json")), before);
    }
}

#[test]
fn a_resume_after_an_offline_verdict_names_what_is_missing() {
    let desk =
        stage("claim true; echo $CALL >> made").variable("CROSSCHECK_WORKSPACE_JUDGE", "none");
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        r#"{"version":1,"criteria":[{"id":"a","type":"file_exists","paths":["x"]}]}"#,
    );
    // The stand-in is the agent; nobody is asked to judge.
    desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    insta::assert_snapshot!(desk.neutral("llm/args-2"));
}

#[test]
fn under_its_compatible_name_no_other_word_is_shown() {
    let desk = stage("report pass");
    let link = desk.path().join("claude-iterate-bin");
    fs::create_dir(&link).unwrap();
    let program = link.join("claude-iterate");
    symlink(env!("CARGO_BIN_EXE_crosscheck"), &program).unwrap();
    let mut shown = String::new();
    for words in [&["verify"][..], &["verify", "--help"]] {
        let output = Command::new(&program)
            .args(words)
            .env_remove("COLUMNS")
            .current_dir(desk.path())
            .output()
            .unwrap();
        shown += &desk.seen(&output).after(&words.join(" "));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_run_asks_once_whether_the_llm_is_there() {
    let desk = stage(
        "if [ $CALL = 2 ]; then report fail; elif [ $CALL = 4 ]; then report pass; else claim true; echo $CALL > made; fi",
    );
    let program = desk.path().join("llm/fake");
    let script = fs::read_to_string(&program).unwrap();
    fs::write(
        &program,
        script.replace(
            "echo 'fake 1.0'",
            &format!("echo probe >> '{}'", desk.at("llm/probes")),
        ),
    )
    .unwrap();
    assert_eq!(
        desk.crosscheck(["workspace", "run", "demo", "--no-delay"])
            .code,
        0
    );
    assert_eq!(desk.read("llm/probes"), "probe\n");
}

#[test]
fn judge_profiles_are_merged_key_by_key() {
    let desk = stage("cat \"$HOME_OF_FAKE/pass.md\"");
    let program = desk.at("llm/fake");
    let codex = format!(
        "[workspace]\njudge = 'codex'\n[workspace.judges.codex]\ncommand = '{program}'\nreport_via = 'stdout'\n"
    );
    desk.user_config(&codex);
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    desk.user_config("[workspace.judges.claude]\ncommand = 'x'\n");
    let seen = desk.crosscheck(["verify", "demo"]);
    assert!(
        seen.stderr
            .starts_with("Error: Invalid configuration: User config: judges.claude: is built in"),
        "{}",
        seen.stderr
    );
}

#[test]
fn a_typed_report_path_is_followed_through_links() {
    let desk = stage("report pass");
    let target = desk.path().join("t.md");
    symlink(&target, desk.path().join(FOLDER).join("l.md")).unwrap();
    for words in [&["verify", "demo"][..], &["workspace", "check", "demo"]] {
        let _ = fs::remove_file(&target);
        desk.crosscheck(words.iter().chain(&["--report-path", "l.md"]));
        assert!(target.is_file(), "{words:?}");
        assert!(desk.path().join(FOLDER).join("l.md").is_symlink());
    }
}

#[test]
fn a_list_shows_every_folder_with_readable_metadata() {
    let desk = stage("report pass");
    desk.file(
        "claude-iterate/workspaces/Bad name/.metadata.json",
        r#"{"name":"x","created":"2025-10-15T10:00:00.000Z"}"#,
    );
    desk.file(
        "claude-iterate/workspaces/.demo2.tmp.crosscheck-abcdefghijkl/.metadata.json",
        r#"{"name":"left by an interrupted init","created":"2025-10-15T10:00:00.000Z"}"#,
    );
    insta::assert_snapshot!(desk.talk(["workspace list"]));
}

#[test]
fn text_without_a_last_line_end_does_not_swallow_the_summary() {
    let desk = stage("printf abc; report pass");
    desk.user_config(
        &format!(
            "[workspace]\njudge = 'mine'\n[workspace.judges.mine]\ncommand = '{}'\nargs = ['{{prompt}}']\n",
            desk.at("llm/fake")
        ),
    );
    let seen = desk.crosscheck(["verify", "demo", "-v"]);
    assert!(
        seen.stdout
            .starts_with("Verifying workspace: demo\nabc\n\nAll done\n"),
        "{}",
        seen.stdout
    );
}

#[test]
fn a_configuration_that_is_a_fifo_is_refused_without_waiting() {
    for name in [".claude-iterate.json", "crosscheck.toml"] {
        let desk = stage("report pass");
        let _ = fs::remove_file(desk.path().join(name));
        fifo(&desk, name);
        let seen = desk.crosscheck(["verify", "demo"]);
        assert_eq!(seen.code, 1);
        assert!(
            seen.stderr
                .starts_with("Error: Invalid configuration: Project config: "),
            "{}",
            seen.stderr
        );
    }
}

#[test]
fn a_torn_line_of_the_log_keeps_to_itself() {
    let desk = stage("report pass");
    desk.file(&format!("{FOLDER}/verification-log.ndjson"), "{\"partial");
    desk.crosscheck(["verify", "demo"]);
    assert_eq!(last_log(&desk)["outcome"], "pass");
}
