//! What a run does besides iterating.

use serde_json::json;

use crate::workspace::{FOLDER, last_log, metadata, stage};

/// Not complete twice, then complete; the judge passes.
const THREE: &str = "n=$(cat \"$HOME_OF_FAKE/n\" 2>/dev/null || echo 0)
if [ \"$CROSSCHECK_PHASE\" = verify ]; then report pass; exit; fi
n=$((n + 1)); echo $n > \"$HOME_OF_FAKE/n\"
if [ $n -ge 3 ]; then claim true; else claim false; fi";

#[test]
fn what_would_stop_the_verification_stops_a_run_before_its_first_iteration() {
    let broken = json!({"version": 1, "criteria": [{"id": "a", "type": "nope"}]}).to_string();
    for (file, content, said) in [
        (
            format!("{FOLDER}/ACCEPTANCE.json"),
            broken.as_str(),
            "Error: Invalid acceptance file: ",
        ),
        (
            "crosscheck.toml".to_owned(),
            "[workspace.verification]\nreport_filename = \"../x.md\"\n",
            "Error: verification.reportFilename must stay inside the workspace",
        ),
        (
            "crosscheck.toml".to_owned(),
            "[workspace.verification]\nreport_filename = \"working\"\n",
            "Error: Report path is a directory: ",
        ),
    ] {
        let desk = stage(THREE);
        desk.file(&format!("{FOLDER}/working/x"), "");
        desk.file(&file, content);
        let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
        assert_eq!(seen.code, 1, "{}", seen.summary());
        assert!(seen.stderr.starts_with(said), "{}", seen.summary());
        assert_eq!(desk.llm_calls(), 0, "{said}");
        assert_eq!(metadata(&desk)["executionIterations"], json!(null));
        let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay", "--no-verify"]);
        assert_eq!(seen.code, 0, "nothing to verify: {}", seen.summary());
    }
}

#[test]
fn criteria_that_break_during_a_run_are_an_error_in_the_log() {
    let desk = stage("claim true; echo '{' > \"$W/ACCEPTANCE.json\"");
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    insta::assert_snapshot!(seen.summary());
    let log = last_log(&desk);
    assert_eq!(
        (&log["outcome"], &log["errorCode"], &log["trigger"]),
        (&json!("error"), &json!("io"), &json!("auto"))
    );
    assert_eq!(metadata(&desk)["status"], "completed");
}

#[test]
fn a_run_that_ends_without_completion_is_in_progress_whatever_it_was_before() {
    for before in ["completed", "error", "in_progress"] {
        let desk = stage("claim false");
        desk.file(
            &format!("{FOLDER}/.metadata.json"),
            format!(
                r#"{{"name":"demo","created":"2025-10-15T10:00:00.000Z","status":"{before}"}}"#
            ),
        );
        let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay", "-m", "1"]);
        assert_eq!(seen.code, 0, "{}", seen.summary());
        assert_eq!(metadata(&desk)["status"], "in_progress", "{before}");
    }
}
