//! The commands around a verification, and their settings.

use serde_json::{Value, json};

use crate::workspace::{FOLDER, stage};

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
    desk.user_config("[workspace.judges.m]\ncommand = \"x\"\nreport_via = \"foo\"\n");
    let seen = desk.crosscheck(["verify", "demo"]);
    assert!(
        seen.stderr
            .starts_with("Error: Invalid configuration: User config: judges.m.report_via: "),
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
