//! What a run does besides iterating.

use crosscheck_testkit::Desk;
use serde_json::json;

use crate::workspace::{FOLDER, last_log, metadata, stage};
use crate::workspace_hostile::stuck;

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

fn journal(desk: &Desk) -> String {
    let names = desk.names(FOLDER);
    let logs: Vec<&String> = names
        .iter()
        .filter(|name| name.starts_with("iterate-"))
        .collect();
    assert_eq!(logs.len(), 1, "{names:?}");
    desk.neutral(&format!("{FOLDER}/{}", logs[0]))
}

#[test]
fn the_log_of_a_run_has_every_prompt_and_all_output() {
    let desk = stage(
        "if [ \"$CROSSCHECK_PHASE\" = verify ]; then echo JUDGE-OUT; echo JUDGE-ERR >&2; report pass; exit; fi
echo AGENT-OUT; echo AGENT-ERR >&2; claim true",
    );
    desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    insta::assert_snapshot!(journal(&desk));
}

#[test]
fn the_log_of_a_run_has_the_output_of_calls_that_failed() {
    let desk = stage("echo OUT3; echo ERR3 >&2; exit 3");
    desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    let mut shown = journal(&desk);
    for ending in ["exit 3", "exit 0"] {
        let desk = stage(&format!(
            "if [ \"$CROSSCHECK_PHASE\" = verify ]; then echo OUT-J; echo ERR-J >&2; {ending}; fi; claim true"
        ));
        desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
        shown += &format!("\n{ending}\n{}", journal(&desk));
    }
    insta::assert_snapshot!(shown);
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

#[test]
fn a_second_cycle_without_progress_is_reported_also_when_it_is_the_last() {
    let words = ["--project", "p", "workspace", "run", "demo", "--no-delay"];
    let two = |agent| stuck(agent).variable("CROSSCHECK_WORKSPACE_VERIFICATION_MAX_ATTEMPTS", "2");
    let seen = two("true").crosscheck(words);
    assert_eq!(seen.code, 1);
    assert!(
        seen.stdout
            .ends_with("Not resuming: all verification attempts of this run are used\n"),
        "{}",
        seen.summary()
    );
    assert_eq!(
        seen.stderr,
        "Error: No progress between verification cycles\n"
    );
    let seen = two("echo x >> work.txt").crosscheck(words);
    assert_eq!((seen.code, seen.stderr.as_str()), (1, ""), "with progress");
}
