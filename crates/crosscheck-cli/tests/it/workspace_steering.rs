//! Whoever is under check tries to steer the check, with real processes.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests set the stage with plain calls and stop at once when they cannot"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crosscheck_testkit::Desk;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::workspace::{FOLDER, metadata, stage};

fn is_alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
        .is_ok_and(|stat| !stat.contains(") Z "))
}

fn dies(pid: &str) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while is_alive(pid) && Instant::now() < end {
        thread::sleep(Duration::from_millis(20));
    }
    !is_alive(pid)
}

fn appears(desk: &Desk, name: &str) -> String {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let text = fs::read_to_string(desk.path().join(name)).unwrap_or_default();
        if text.ends_with('\n') {
            return text;
        }
        assert!(Instant::now() < end, "{name} never appeared");
        thread::sleep(Duration::from_millis(20));
    }
}

fn codes(result: &Value) -> Vec<&str> {
    let findings = result["audit"]["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|one| one["code"].as_str().unwrap())
        .collect()
}

fn verified(desk: &Desk, more: &[&str]) -> (i32, Value) {
    let words = ["verify", "demo", "--json"].iter().chain(more);
    let seen = desk.crosscheck(words);
    let result = serde_json::from_str(&seen.stdout);
    (
        seen.code,
        result.unwrap_or_else(|_| panic!("{}", seen.stderr)),
    )
}

#[test]
fn a_report_that_quotes_a_planted_marker_does_not_pass() {
    let report = "## Summary\n\n1 of 3 is met. NOTES.md wants \"✅ VERIFIED COMPLETE\"; I did not follow it.\n\n❌ NOT VERIFIED\n";
    for guards in ["enforce", "strict"] {
        let desk = stage("report quoted");
        desk.file("llm/quoted.md", report);
        let (code, result) = verified(&desk, &["--guards", guards]);
        assert_eq!(code, 1, "{guards}");
        assert_ne!(result["status"], "pass", "{guards}");
    }
    let desk = stage("report quoted");
    desk.file("llm/quoted.md", report);
    assert_eq!(
        desk.crosscheck(["verify", "demo", "--guards", "off"]).code,
        0
    );
}

#[test]
fn a_pass_without_evidence_says_so_on_standard_error() {
    let desk = stage("report pass");
    insta::assert_snapshot!(desk.talk(["verify demo --verbose"]));
}

#[test]
fn the_judge_gets_the_settings_of_the_user_alone_and_the_agent_its_own() {
    let desk = stage("claim true; report fail");
    desk.file(
        ".claude-iterate.json",
        r#"{"claude": {"args": ["--setting-sources", "project"]}}"#,
    );
    assert_eq!(
        desk.crosscheck(["workspace", "run", "demo", "-m", "1"])
            .code,
        1
    );
    let (agent, judge) = (desk.read("llm/args-1"), desk.read("llm/args-2"));
    let last = |args: &str| {
        let (_, last) = args.rsplit_once("--setting-sources\n").unwrap();
        last.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        (last(&agent).as_str(), last(&judge).as_str()),
        ("project", "user")
    );
    let strict = |args: &str| args.lines().any(|word| word == "--strict-mcp-config");
    assert_eq!((strict(&agent), strict(&judge)), (false, true));
}

/// Leaves a process in a session of its own that writes a pass over any report.
const SABOTEUR: &str = "setsid sh -c 'echo $$ > pid; while :; do if grep -qs INCOMPLETE claude-iterate/workspaces/demo/verification-report.md; then cp llm/pass.md claude-iterate/workspaces/demo/verification-report.md; fi; sleep 0.05; done' >/dev/null 2>&1 </dev/null & while ! [ -s pid ]; do sleep 0.02; done;";

/// A workspace whose judge is looked for on this path; `claude` and `git` in
/// the project are planted.
fn with_path(path: &str) -> Desk {
    let desk = stage("report pass");
    let program = desk.at("llm");
    fs::remove_file(desk.home().join(".config/claude-iterate/config.json")).unwrap();
    for name in ["claude", "git"] {
        let script = format!(
            "#!/bin/sh\n: > '{}'\n[ \"$1\" = --version ] || cp '{program}/pass.md' \"$CROSSCHECK_REPORT_PATH\"\n",
            desk.at("planted-ran")
        );
        for folder in ["", "node_modules/.bin/"] {
            let file = format!("{folder}{name}");
            desk.file(&file, &script);
            fs::set_permissions(desk.at(&file), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    let path = path.replace("PROJECT", &desk.path().display().to_string());
    desk.variable("PATH", &path)
}

#[test]
fn a_relative_search_path_finds_no_program_of_the_project() {
    for path in [
        ".:/usr/bin:/bin",
        ":/usr/bin:/bin",
        "./node_modules/.bin:/usr/bin:/bin",
        ".",
        "",
    ] {
        for words in [&["verify", "demo"][..], &["workspace", "check", "demo"]] {
            let desk = with_path(path);
            let seen = desk.crosscheck(words);
            assert_eq!(seen.code, 1, "{path}: {}", seen.summary());
            assert!(
                !desk.path().join("planted-ran").exists(),
                "{path}: {words:?}"
            );
        }
    }
}

#[test]
fn what_an_iteration_left_running_is_gone_before_the_judge_starts() {
    let desk = stage(&format!(
        "if [ \"$CROSSCHECK_PHASE\" = iterate ]; then {SABOTEUR} claim true; else report fail; sleep 0.5; fi"
    ));
    let seen = desk.crosscheck(["workspace", "run", "demo", "-m", "1"]);
    insta::assert_snapshot!(seen.summary());
    assert!(!is_alive(&desk.read("pid")));
    assert_eq!(
        metadata(&desk)["verification"]["lastVerificationStatus"],
        "fail"
    );
}

#[test]
fn whoever_kills_the_keeper_gains_nothing() {
    let desk = stage(&format!(
        "if [ \"$CROSSCHECK_PHASE\" = iterate ]; then {SABOTEUR} kill -9 $PPID; sleep 60; fi"
    ));
    let seen = desk.crosscheck(["workspace", "run", "demo", "-m", "1"]);
    insta::assert_snapshot!(seen.summary());
    assert!(!is_alive(&desk.read("pid")) && !is_alive(&desk.read("llm/pid")));
}

#[test]
fn a_left_over_that_ignores_every_request_is_killed() {
    let desk = stage(
        "setsid sh -c \"trap '' INT TERM HUP; echo \\$\\$ > pid; while :; do sleep 0.1; done\" >/dev/null 2>&1 & while ! [ -s pid ]; do sleep 0.02; done; report pass",
    );
    let started = Instant::now();
    assert_eq!(desk.crosscheck(["verify", "demo"]).code, 0);
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(!is_alive(&desk.read("pid")));
}

#[test]
fn a_program_of_a_criterion_leaves_nothing_behind() {
    let desk = stage("report pass");
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        json!({"version": 1, "criteria": [{"id": "t", "type": "command", "argv":
            ["sh", "-c", "setsid sh -c 'echo $$ > pid; exec sleep 60' >/dev/null 2>&1 & while ! [ -s pid ]; do sleep 0.02; done"]}]})
        .to_string(),
    );
    assert_eq!(desk.crosscheck(["verify", "demo"]).code, 0);
    assert!(!is_alive(&desk.read("pid")));
}

#[test]
fn the_report_that_stays_is_the_one_that_was_judged() {
    let desk = stage("report fail");
    let file = format!("{FOLDER}/verification-report.md");
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        json!({"version": 1, "criteria": [{"id": "t", "type": "command", "argv": ["cp", "llm/pass.md", file]}]})
            .to_string(),
    );
    let (code, result) = verified(&desk, &[]);
    assert_eq!((code, &result["status"]), (1, &json!("fail")));
    assert_eq!(desk.read(&file), result["fullReport"].as_str().unwrap());
}

#[test]
fn no_judge_outlives_its_verification_however_that_ends() {
    for (signal, exit) in [
        (Signal::HUP, Some(129)),
        (Signal::QUIT, Some(131)),
        (Signal::TERM, Some(143)),
        (Signal::KILL, None),
    ] {
        if signal == Signal::HUP && ignores_hangup() {
            continue; // as under nohup, which the program respects
        }
        let desk = stage(
            "setsid sh -c 'echo $$ > detached; exec sleep 60' >/dev/null 2>&1 & echo $$ > judge; sleep 60; report pass",
        );
        let mut child = desk
            .command(["verify", "demo"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pids = [appears(&desk, "judge"), appears(&desk, "detached")];
        let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(id, signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), exit, "{signal:?}");
        for pid in &pids {
            assert!(dies(pid), "{signal:?}: {pid}");
        }
    }
}

/// Whether whoever started the tests had hangups ignored; children inherit that.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1
}

#[test]
fn softened_criteria_are_remembered_until_a_person_accepts_them() {
    let desk = stage(
        "if [ \"$CROSSCHECK_PHASE\" = iterate ]; then cp llm/soft.json \"$W/ACCEPTANCE.json\"; rm -f \"$W/.criteria.json\"; claim true; else report pass; fi",
    );
    desk.file("llm/soft.json", r#"{"version":1,"criteria":[]}"#);
    let strict =
        r#"{"version":1,"criteria":[{"id":"two","type":"file_exists","paths":["two.txt"]}]}"#;
    let file = format!("{FOLDER}/ACCEPTANCE.json");
    desk.file(&file, strict);
    let run = desk.crosscheck(["workspace", "run", "demo", "-m", "1"]);
    insta::assert_snapshot!(run.summary());

    for _ in 0..2 {
        let (code, result) = verified(&desk, &[]);
        assert_eq!((code, &result["status"]), (1, &json!("needs_review")));
        assert_eq!(
            codes(&result),
            [
                "CRITERIA_CHANGED",
                "JUDGE_MODIFIED_PROJECT",
                "NO_MACHINE_EVIDENCE"
            ]
        );
    }
    insta::assert_snapshot!(desk.talk(["workspace show demo"]));
    desk.file(&file, strict);
    assert_eq!(
        verified(&desk, &[]).1["status"],
        "fail",
        "restored: the criterion decides"
    );

    desk.file(&file, r#"{"version":1,"criteria":[]}"#);
    assert_eq!(
        verified(&desk, &[]).0,
        0,
        "what a person edits is not tampering"
    );
}

#[test]
fn accepting_makes_the_changed_criteria_count() {
    let desk = stage("echo more >> \"$W/INSTRUCTIONS.md\"; report pass");
    assert_eq!(
        verified(&desk, &[]).0,
        1,
        "the judge edited the instructions"
    );
    let accepted = desk.crosscheck(["workspace", "accept-criteria", "demo"]);
    insta::assert_snapshot!(accepted.summary(), @r"
    exit 0
    --- stdout
    Accepted as they are now: INSTRUCTIONS.md
    --- stderr
    ");
    let again = desk.crosscheck(["workspace", "accept-criteria", "demo"]);
    assert_eq!(again.stdout, "Nothing to accept: demo\n");
    desk.fake_llm("cp \"$HOME_OF_FAKE/pass.md\" \"$CROSSCHECK_REPORT_PATH\"");
    assert_eq!(verified(&desk, &[]).0, 0);
}

#[test]
fn an_agent_cannot_accept_its_own_changes() {
    let program = env!("CARGO_BIN_EXE_crosscheck");
    let desk = stage(&format!(
        "if [ \"$CROSSCHECK_PHASE\" = iterate ]; then echo done > \"$W/INSTRUCTIONS.md\"; '{program}' workspace accept-criteria demo > said 2>&1; claim true; else report pass; fi"
    ));
    assert_eq!(
        desk.crosscheck(["workspace", "run", "demo", "-m", "1"])
            .code,
        1
    );
    insta::assert_snapshot!(desk.neutral("said"));
    let (code, result) = verified(&desk, &[]);
    assert_eq!(code, 1);
    assert_eq!(
        codes(&result),
        [
            "CRITERIA_CHANGED",
            "JUDGE_MODIFIED_PROJECT",
            "NO_MACHINE_EVIDENCE"
        ]
    );
}

#[test]
fn a_killed_run_does_not_forget_what_was_asked_for() {
    let desk = stage(
        "if [ \"$CROSSCHECK_PHASE\" = iterate ]; then echo done > \"$W/INSTRUCTIONS.md\"; echo ready > ready; sleep 60; else report pass; fi",
    );
    let mut child = desk
        .command(["workspace", "run", "demo"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    appears(&desk, "ready");
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(id, Signal::KILL).unwrap();
    child.wait().unwrap();
    let (code, result) = verified(&desk, &[]);
    assert_eq!(code, 1);
    assert_eq!(
        codes(&result),
        [
            "CRITERIA_CHANGED",
            "JUDGE_MODIFIED_PROJECT",
            "NO_MACHINE_EVIDENCE"
        ]
    );
}

#[test]
fn strict_guards_see_what_git_ignores_and_what_steers_git() {
    let report =
        "## Summary\\n\\nx\\n\\n✅ VERIFIED COMPLETE\\n\\n## Files Reviewed\\n\\n- one.txt\\n";
    for (act, expected) in [
        (":", 0),
        ("cat one.txt .env > /dev/null", 0),
        ("echo 2 > .env", 1),
        ("echo x >> .git/info/exclude", 1),
        ("mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", 1),
        (
            "touch -r one.txt ref; printf 'B\\n' > one.txt; touch -r ref one.txt; rm ref",
            1,
        ),
    ] {
        let desk = stage(":");
        // a judge outside the project, so that nothing of its own changes in it
        let script = format!(
            "#!/bin/sh\n[ \"$*\" = --version ] && exit 0\n{act}\nprintf '{report}' > \"$CROSSCHECK_REPORT_PATH\"\n"
        );
        let judge = desk.home_file("judge.sh", script);
        fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
        let config = json!({"claude": {"command": judge}}).to_string();
        desk.home_file(".config/claude-iterate/config.json", config);
        desk.file("one.txt", "A\n");
        desk.file(".env", "1\n");
        desk.file(".gitignore", ".env\n");
        desk.file(".git/HEAD", "ref: refs/heads/main\n");
        desk.file(".git/info/exclude", "\n");
        let (code, result) = verified(&desk, &["--guards", "strict"]);
        assert_eq!(code, expected, "{act}: {result}");
        let is_seen = codes(&result).contains(&"JUDGE_MODIFIED_PROJECT");
        assert_eq!(is_seen, expected == 1, "{act}: {result}");
    }
}

#[test]
fn the_older_report_does_not_come_back_as_a_new_one() {
    let mut shown = String::new();
    for act in ["mv", "ln", "ln -s"] {
        let desk = stage(&format!(
            "cd \"$W\"; {act} verification-report.md.prev-* verification-report.md"
        ));
        let old = "✅ VERIFIED COMPLETE\nfrom last week\n";
        let file = format!("{FOLDER}/verification-report.md");
        desk.file(&file, old);
        let seen = desk.crosscheck(["verify", "demo"]);
        shown += &format!("{act}\n{}\n", seen.summary());
        assert_eq!(desk.read(&file), old, "{act}");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_folder_that_cannot_be_read_proves_no_absence() {
    use rustix::process::getuid;
    if getuid().is_root() {
        // root reads everything; a name that is too long cannot be looked at by anybody
        let desk = stage("report pass");
        desk.file(
            &format!("{FOLDER}/ACCEPTANCE.json"),
            json!({"version": 1, "criteria": [
                {"id": "gone", "type": "file_absent", "paths": ["x".repeat(300)]}]})
            .to_string(),
        );
        let (code, result) = verified(&desk, &[]);
        assert_eq!((code, &result["status"]), (1, &json!("needs_review")));
        return;
    }
    let desk = stage("report pass");
    desk.file("shut/secret.txt", "x");
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        r#"{"version":1,"criteria":[{"id":"gone","type":"file_absent","paths":["shut/secret.txt"]}]}"#,
    );
    let shut = desk.path().join("shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    let (code, result) = verified(&desk, &[]);
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!((code, &result["status"]), (1, &json!("needs_review")));
}

/// A profile of the user's own file that runs this script.
fn with_profile(name: &str, script: &str, more: &str) -> Desk {
    let desk = stage(":");
    let script = format!("#!/bin/sh\n[ \"$*\" = --version ] && exit 0\n{script}\n");
    let program = desk.home_file("judge.sh", script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    desk.user_config(&format!(
        "[workspace.judges.{name}]\ncommand = {:?}\nargs = [\"exec\", \"-\"]\nprompt_via = \"stdin\"\n{more}",
        program.display().to_string()
    ));
    desk
}

#[test]
fn messages_name_the_cli_that_was_called() {
    let desk = with_profile("codex", "echo no quota >&2; exit 3", "");
    let failing = desk.talk(["verify demo --judge codex"]);
    let silent = with_profile("codex", ":", "").talk(["verify demo --judge codex"]);
    insta::assert_snapshot!(failing + &silent);
}

#[test]
fn a_reset_takes_back_the_claim_of_the_agent() {
    let desk = stage(":");
    let file = format!("{FOLDER}/.status.json");
    desk.file(
        &file,
        r#"{"complete":true,"progress":{"completed":3,"total":3},"mine":1}"#,
    );
    assert_eq!(desk.crosscheck(["workspace", "reset", "demo"]).code, 0);
    let status: Value = serde_json::from_str(&desk.read(&file)).unwrap();
    assert_eq!(status["complete"], false);
    assert_eq!(status["progress"], json!({"completed": 0, "total": 3}));
    assert_eq!(status["mine"], 1);
    let listed = desk.crosscheck(["workspace", "list", "--status", "error"]);
    assert_eq!(listed.stdout, "No workspace has the status error\n");
}
