//! The commands around a verification, and their settings.

use serde_json::{Value, json};

use crate::workspace::{FOLDER, stage};

const SKIPS: &str = "⚠️  Using --dangerously-skip-permissions (runtime override)\n";

#[test]
fn setup_says_that_permissions_are_skipped_and_that_output_was_shown() {
    let desk = stage("[ \"$1\" = --dangerously-skip-permissions ] && exit 0; echo sorry; exit 3");
    let seen = desk.crosscheck([
        "workspace",
        "setup",
        "demo",
        "--dangerously-skip-permissions",
    ]);
    assert_eq!((seen.code, seen.stderr.as_str()), (0, SKIPS));
    let seen = desk.crosscheck(["workspace", "setup", "demo"]);
    assert_eq!(
        (seen.code, seen.stdout.as_str(), seen.stderr.as_str()),
        (
            1,
            "sorry\n",
            "Error: Claude execution failed: Claude exited with code 3\nOutput: (shown above)\n"
        )
    );
}

#[test]
fn a_new_workspace_leaves_the_events_to_the_project_by_default() {
    let desk = stage("report pass");
    let made = |name: &str, more: &[&str]| -> Value {
        let seen = desk.crosscheck([&["workspace", "init", name], more].concat());
        assert_eq!(seen.code, 0, "{}", seen.summary());
        let path = format!("claude-iterate/workspaces/{name}/.metadata.json");
        serde_json::from_str(&desk.read(&path)).unwrap()
    };
    assert_eq!(made("plain", &[]).get("notifyEvents"), None);
    assert_eq!(
        made("told", &["--notify-events", "error,completion"])["notifyEvents"],
        json!(["error", "completion"])
    );
}

#[test]
fn a_wrong_judge_is_reported_with_the_place_it_comes_from() {
    let known = "Unknown judge 'zzz'. Known judges: claude, codex, gemini, none";
    let desk = stage("report pass");
    desk.user_config("[workspace]\njudge = \"zzz\"\n");
    let typed = desk.crosscheck(["verify", "demo", "--judge", "yyy"]);
    assert!(
        typed.stderr.starts_with("Error: Unknown judge 'yyy'."),
        "{}",
        typed.summary()
    );
    for words in [&["verify", "demo"][..], &["workspace", "run", "demo"]] {
        assert_eq!(
            desk.crosscheck(words).stderr,
            format!("Error: Invalid configuration: User config: judge: {known}\n")
        );
    }
    desk.user_config("[workspace.judges.m]\ncommand = \"x\"\nstream = \"foo\"\n");
    let seen = desk.crosscheck(["verify", "demo"]);
    assert!(
        seen.stderr
            .starts_with("Error: Invalid configuration: User config: judges.m.stream: "),
        "{}",
        seen.summary()
    );
    desk.user_config("");
    let desk = desk.variable("CROSSCHECK_WORKSPACE_JUDGE", "zzz");
    assert_eq!(
        desk.crosscheck(["verify", "demo"]).stderr,
        format!(
            "Error: Invalid configuration: Environment config: CROSSCHECK_WORKSPACE_JUDGE: {known}\n"
        )
    );
    assert!(
        !desk
            .path()
            .join(FOLDER)
            .join("verification-report.md")
            .exists()
    );
}

#[test]
fn a_wrong_key_names_the_one_that_was_probably_meant() {
    let desk = stage("report pass");
    for (text, said) in [
        (
            "[workspace]\nmax_attempts = 3\n",
            "max_attempts: unknown key; did you mean verification.max_attempts?",
        ),
        (
            "[workspace.verifcation]\ndepth = \"deep\"\n",
            "verifcation: unknown key; did you mean verification?",
        ),
        (
            "[workspace]\nverification = \"x\"\n",
            "verification: must be a table",
        ),
        (
            "[workspace]\nnotify_url = 2020-01-01\n",
            "notify_url: must be an absolute URL, got a date",
        ),
    ] {
        desk.file("crosscheck.toml", text);
        let seen = desk.crosscheck(["verify", "demo"]);
        let said = format!("Error: Invalid configuration: Project config: {said}\n");
        assert_eq!((seen.code, seen.stderr), (1, said), "{text}");
    }
}

#[test]
fn an_invalid_status_file_is_not_shown_as_none() {
    let desk = stage("report pass");
    let warnings = || -> Value {
        let seen = desk.crosscheck(["workspace", "show", "demo", "--json"]);
        let shown: Value = serde_json::from_str(&seen.stdout).unwrap();
        shown["progress"]["warnings"].clone()
    };
    assert_eq!(warnings(), json!([]));
    desk.file(&format!("{FOLDER}/.status.json"), "{\"complete\": 1}");
    let printed = warnings();
    assert!(
        printed[0]
            .as_str()
            .is_some_and(|text| text.starts_with("the status file is not valid: ")),
        "{printed}"
    );
}

#[test]
fn a_run_warns_once_of_settings_that_it_ignores() {
    let desk =
        stage("if [ \"$CROSSCHECK_PHASE\" = verify ]; then report pass; else claim true; fi");
    desk.file(
        &format!("{FOLDER}/.metadata.json"),
        r#"{"name":"demo","created":"2025-10-15T10:00:00.000Z","config":{"claude":{"args":["x"]}}}"#,
    );
    let desk = desk.variable("CROSSCHECK_WORKSPACE_VERIFICATION_GUARDS", "strict");
    for words in [
        &["verify", "demo"][..],
        &["workspace", "run", "demo", "--no-delay"],
    ] {
        let seen = desk.crosscheck(words);
        let printed = seen.stderr.matches("claude.args is ignored").count();
        assert_eq!(printed, 1, "{}", seen.summary());
    }
}

#[test]
fn a_judge_that_writes_into_the_log_of_verifications_is_noticed() {
    let desk =
        stage("report pass; echo '{\"outcome\":\"pass\"}' >> \"$W/verification-log.ndjson\"");
    let seen = desk.crosscheck(["verify", "demo", "--json"]);
    let result: Value = serde_json::from_str(&seen.stdout).unwrap();
    insta::assert_snapshot!(format!("{:#}", result["audit"]["findings"]));
}
