//! Conversations about workspaces, with a stand-in for the LLM that really
//! runs as a child process.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests set the stage with plain calls and stop at once when they cannot"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crosscheck_testkit::{Desk, Reply, Schema, Site};
use serde_json::{Value, json};

pub(crate) const FOLDER: &str = "claude-iterate/workspaces/demo";
pub(crate) const PASS: &str = "# Verification Report\n\n## Summary\n\nAll done\n\n✅ VERIFIED COMPLETE\n\n**Confidence Level**: High\n**Recommended Action**: Archive\n";
const FAIL: &str = "# Verification Report\n\n## Summary\n\nOne is open\n\n❌ INCOMPLETE\n\n### Incomplete Requirements\n\n1. **Readme**: not written\n";

/// A desk with a workspace `demo` whose LLM runs this script. `$W` is the
/// workspace folder; `report pass` and `report fail` write a report.
pub(crate) fn stage(script: &str) -> Desk {
    let desk = crate::desk();
    let folder = desk.path().join(FOLDER);
    let functions = format!(
        "W='{}'\nreport() {{ cp \"$HOME_OF_FAKE/$1.md\" \"${{CROSSCHECK_REPORT_PATH:-$W/verification-report.md}}\"; }}\n\
         claim() {{ echo \"{{\\\"complete\\\": $1}}\" > \"$W/.status.json\"; }}\n",
        folder.display()
    );
    let program = desk.fake_llm(&(functions + script));
    desk.file("llm/pass.md", PASS);
    desk.file("llm/fail.md", FAIL);
    let config = json!({"claude": {"command": program}}).to_string();
    desk.home_file(".config/claude-iterate/config.json", config);
    desk.file(
        &format!("{FOLDER}/.metadata.json"),
        r#"{"name":"demo","created":"2025-10-15T10:00:00.000Z","mode":"loop","teamNote":"keep"}"#,
    );
    desk.file(
        &format!("{FOLDER}/INSTRUCTIONS.md"),
        "# Task\n\n1. Write `README.md`\n",
    );
    desk
}

pub(crate) fn metadata(desk: &Desk) -> Value {
    serde_json::from_str(&desk.read(&format!("{FOLDER}/.metadata.json"))).unwrap()
}

pub(crate) fn last_log(desk: &Desk) -> Value {
    let log = desk.read(&format!("{FOLDER}/verification-log.ndjson"));
    serde_json::from_str(log.lines().last().unwrap()).unwrap()
}

fn is_alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
        .is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_passing_report_is_reported_recorded_and_logged() {
    let desk = stage("report pass");
    let seen = desk.crosscheck(["verify", "demo"]);
    insta::assert_snapshot!(seen.summary(), @r"
    exit 0
    --- stdout
    Verifying workspace: demo

    All done

    ✅ VERIFICATION PASSED

    Full report: [DESK]/claude-iterate/workspaces/demo/verification-report.md
    --- stderr
    ");
    let metadata = metadata(&desk);
    assert_eq!(metadata["teamNote"], "keep");
    assert_eq!(metadata["verification"]["verificationAttempts"], 1);
    let log = last_log(&desk);
    assert_eq!(
        (&log["outcome"], &log["trigger"], &log["llmExit"]),
        (&json!("pass"), &json!("manual"), &json!(0))
    );
}

#[test]
fn json_is_the_whole_standard_output_and_fits_its_schema() {
    let desk = stage("echo chatter; report fail");
    let seen = desk.crosscheck(["workspace", "verify", "demo", "--json", "--verbose"]);
    assert_eq!(seen.code, 1);
    let document: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(document["issues"], json!(["Readme"]));
    insta::assert_snapshot!(seen.stderr);
    let schema: Value =
        serde_json::from_str(&desk.crosscheck(["schema", "workspace-result"]).stdout).unwrap();
    assert!(Schema::new(schema).fits(&document), "{document}");
}

#[test]
fn an_llm_that_writes_nothing_leaves_everything_as_it_was() {
    let desk = stage("echo I need permission");
    let old = desk.file(&format!("{FOLDER}/verification-report.md"), PASS);
    let before = desk.read(&format!("{FOLDER}/.metadata.json"));
    let seen = desk.crosscheck(["verify", "demo"]);
    insta::assert_snapshot!(seen.summary(), @r"
    exit 1
    --- stdout
    Verifying workspace: demo
    --- stderr
    Error: Verification report not generated
    Expected location: [DESK]/claude-iterate/workspaces/demo/verification-report.md

    Possible causes:
      1. Permission prompts blocked execution
         Try: --dangerously-skip-permissions
      2. Claude failed to understand instructions
      3. Path or permission issues preventing file write

    An earlier report exists at that location and was not used.

    Claude output:
    I need permission
    ");
    assert_eq!(fs::read_to_string(old).unwrap(), PASS);
    assert_eq!(desk.read(&format!("{FOLDER}/.metadata.json")), before);
    assert_eq!(last_log(&desk)["errorCode"], "report_missing");
}

#[test]
fn a_report_of_a_failing_llm_is_rejected() {
    let desk = stage("report pass; echo quota exceeded >&2; exit 3");
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(seen.code, 1);
    assert_eq!(
        seen.stderr,
        "Error: Claude execution failed: Claude exited with code 3\nStderr: quota exceeded\n"
    );
    let rejected = format!("{FOLDER}/verification-report.md.rejected");
    assert!(desk.path().join(rejected).exists());
    assert_eq!(
        (&last_log(&desk)["errorCode"], &last_log(&desk)["llmExit"]),
        (&json!("llm_failed"), &json!(3))
    );
}

#[test]
fn an_llm_killed_by_a_signal_is_distinguished_and_silence_is_named() {
    let seen = stage("kill -9 $$").crosscheck(["verify", "demo"]);
    assert_eq!(
        seen.stderr,
        "Error: Claude execution failed: Claude was terminated by signal 9\nOutput: (none)\n"
    );
}

#[test]
fn a_hanging_llm_and_its_children_end_at_the_time_limit() {
    let desk = stage("sleep 60 & echo $! > \"$HOME_OF_FAKE/grandchild\"; sleep 60");
    let seen = desk.crosscheck(["verify", "demo", "--timeout", "1"]);
    assert_eq!(seen.code, 1);
    assert!(
        seen.stderr
            .starts_with("Error: Claude execution failed: timed out after 1 s\n"),
        "{}",
        seen.stderr
    );
    assert!(!is_alive(&desk.read("llm/pid")) && !is_alive(&desk.read("llm/grandchild")));
    assert_eq!(last_log(&desk)["errorCode"], "llm_timeout");
}

#[test]
fn ctrl_c_kills_the_llm_and_puts_the_old_report_back() {
    let desk = stage("report fail; sleep 60");
    desk.file(&format!("{FOLDER}/verification-report.md"), PASS);
    let child = desk
        .command(["verify", "demo"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let report = desk.path().join(FOLDER).join("verification-report.md");
    while fs::read_to_string(&report).ok().as_deref() != Some(FAIL) {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "the LLM never started"
        );
        thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let seen = desk.seen(&child.wait_with_output().unwrap());
    assert_eq!(seen.code, 130);
    assert!(!is_alive(&desk.read("llm/pid")));
    assert_eq!(desk.read(&format!("{FOLDER}/verification-report.md")), PASS);
    assert_eq!(last_log(&desk)["errorCode"], "interrupted");
    assert!(metadata(&desk).get("verification").is_none());
}

#[test]
fn ten_megabytes_of_output_are_shown_without_loss() {
    let desk = stage("head -c 10000000 /dev/zero | tr '\\0' x");
    let seen = desk.crosscheck(["verify", "demo"]);
    let (_, output) = seen.stderr.split_once("Claude output:\n").unwrap();
    assert_eq!(output.trim_end().len(), 10_000_000);
}

#[test]
fn the_output_of_the_judge_is_shown_live_in_verbose_mode() {
    let desk = stage("echo looking; echo plain; sleep 1; report pass");
    let mut child = desk
        .command(["verify", "demo", "-v"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert_eq!(next(), "Verifying workspace: demo");
    assert_eq!(next(), "looking");
    assert!(child.try_wait().unwrap().is_none(), "shown only at the end");
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    insta::assert_snapshot!(rest.join("\n").replace(&desk.at(""), "[DESK]/"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let words = "--print --append-system-prompt";
    assert_eq!(
        desk.read("llm/args-1")
            .matches(&words.replace(' ', "\n"))
            .count(),
        1
    );
}

#[test]
fn a_judge_that_edits_the_instructions_is_caught() {
    let desk = stage("echo 'nothing to do' > \"$W/INSTRUCTIONS.md\"; report pass");
    insta::assert_snapshot!(desk.talk(["verify demo"]));
}

#[test]
fn with_criteria_a_forged_marker_cannot_pass() {
    let desk = stage("report pass");
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        r#"{"version":1,"criteria":[{"id":"readme","type":"file_exists","paths":["README.md"]}]}"#,
    );
    insta::assert_snapshot!(desk.talk(["verify demo"]));
    desk.file("README.md", "x");
    assert_eq!(desk.crosscheck(["verify", "demo"]).code, 0);
}

#[test]
fn strict_guards_refuse_a_bare_pass_and_off_gives_the_eight_keys() {
    let desk = stage("report pass");
    let strict: Value = serde_json::from_str(
        &desk
            .crosscheck(["verify", "demo", "--guards", "strict", "--json"])
            .stdout,
    )
    .unwrap();
    assert_eq!(strict["status"], "needs_review");
    let off: Value = serde_json::from_str(
        &desk
            .crosscheck(["verify", "demo", "--guards", "off", "--json"])
            .stdout,
    )
    .unwrap();
    assert_eq!(
        (off.as_object().unwrap().len(), &off["status"]),
        (8, &json!("pass"))
    );
}

#[test]
fn errors_of_the_command_line_end_with_1_or_3_in_detail() {
    let desk = stage("report pass");
    let table: &[(&[&str], &str)] = &[
        (
            &["verify", "demo", "--verbose", "-q", "--depth", "QUICK"],
            "Error: Cannot use both --verbose and --quiet\n",
        ),
        (
            &["verify", "demo", "--depth", "x"],
            "Error: invalid value 'x' for '--depth <LEVEL>'",
        ),
        (
            &["verify", "a/b"],
            "Error: Invalid workspace name 'a/b'. Use 1-100 letters, numbers, hyphens, and underscores.\n",
        ),
        (
            &["verify", "nosuch"],
            "Error: Workspace 'nosuch' not found at: [DESK]/claude-iterate/workspaces/nosuch\nAvailable workspaces: demo. See all with: crosscheck workspace list\n",
        ),
        (
            &["verify", "demo", "--judge", "nobody"],
            "Error: Unknown judge 'nobody'. Known judges: claude, codex, gemini, none\n",
        ),
        (
            &["verify", "demo", "extra"],
            "Error: unexpected argument 'extra'",
        ),
        (&["verify"], "Error: the following required arguments"),
        (
            &["workspace", "verify", "demo", "--timeout", "-1"],
            "Error: ",
        ),
        (&["workspace", "nonsense"], "Error: unrecognized subcommand"),
        (
            &["workspace", "run", "demo", "-q", "--verbose"],
            "Error: Cannot use both --verbose and --quiet\n",
        ),
        (
            &["workspace", "history", "demo"],
            "Error: unrecognized subcommand 'history'",
        ),
    ];
    for (args, message) in table {
        let seen = desk.crosscheck(*args);
        let stderr = seen
            .stderr
            .replace(&desk.path().display().to_string(), "[DESK]");
        assert_eq!(
            (seen.code, seen.stdout.as_str()),
            (1, ""),
            "{args:?}: {stderr}"
        );
        assert!(stderr.starts_with(message), "{args:?}: {stderr}");
    }
    assert_eq!(
        desk.crosscheck(["verify", "nosuch", "--detailed-exitcode"])
            .code,
        3
    );
    assert_eq!(
        desk.crosscheck(["verify", "demo", "--nonsense", "--detailed-exitcode"])
            .code,
        3
    );
    assert_eq!(desk.llm_calls(), 0);
}

#[test]
fn missing_instructions_name_the_setup_command() {
    let desk = stage("report pass");
    fs::remove_file(desk.path().join(FOLDER).join("INSTRUCTIONS.md")).unwrap();
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(
        seen.stderr,
        "Error: Instructions not found. Run setup first:\n crosscheck workspace setup demo\n"
    );
}

#[test]
fn large_instructions_reach_the_llm_on_standard_input() {
    let desk = stage("wc -c > \"$HOME_OF_FAKE/stdin\"; claim true");
    desk.file(&format!("{FOLDER}/INSTRUCTIONS.md"), "x".repeat(200_000));
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay", "--no-verify"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(desk.read("llm/stdin").trim().parse::<usize>().unwrap() > 200_000);
}

#[test]
fn a_judge_may_answer_with_the_report_itself() {
    let desk = stage("cat > \"$HOME_OF_FAKE/stdin\"; cat \"$HOME_OF_FAKE/pass.md\"");
    let program = desk.at("llm/fake");
    desk.user_config(
        &format!("[workspace]\njudge = 'mine'\n[workspace.judges.mine]\ncommand = '{program}'\nargs = ['--in', '{{project}}']\nprompt_via = 'stdin'\nreport_via = 'stdout'\n"),
    );
    let seen = desk.crosscheck(["verify", "demo", "--depth", "Deep"]);
    assert_eq!((seen.code, seen.stderr.as_str()), (0, ""));
    assert_eq!(desk.read(&format!("{FOLDER}/verification-report.md")), PASS);
    insta::assert_snapshot!(desk.neutral("llm/stdin"));
}

#[test]
fn a_judge_gets_its_prompt_also_when_its_profile_names_no_place_for_it() {
    let script = "for last; do :; done; printf %s \"$last\" > \"$HOME_OF_FAKE/last\"; cat \"$HOME_OF_FAKE/pass.md\"";
    for (keys, in_file) in [
        ("", false),
        ("args = ['--once']\nsystem_via = 'arg'\n", false),
        ("args = ['--once']\nprompt_via = 'file'\n", true),
    ] {
        let desk = stage(script);
        let program = desk.at("llm/fake");
        desk.user_config(
            &format!("[workspace]\njudge = 'mine'\n[workspace.judges.mine]\ncommand = '{program}'\n{keys}report_via = 'stdout'\nversion_args = []\n"),
        );
        let seen = desk.crosscheck(["verify", "demo"]);
        assert_eq!((seen.code, seen.stderr.as_str()), (0, ""), "{keys}");
        let last = desk.read("llm/last");
        assert_eq!(last.starts_with('/'), in_file, "{last}");
        let prompt = last.matches("You write no file at all").count();
        assert_eq!(prompt, usize::from(!in_file), "{last}");
    }
}

#[test]
fn a_nul_in_the_instructions_does_not_end_a_run() {
    let desk = stage("claim true");
    desk.file(&format!("{FOLDER}/INSTRUCTIONS.md"), "write\0it");
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay", "--no-verify"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
}

#[test]
fn a_test_command_names_a_program_and_takes_no_id_twice() {
    let desk = stage("exit 9");
    desk.user_config("[workspace.verification]\ntest_command = []\n");
    let empty = desk.talk(["workspace check demo"]);
    desk.user_config("[workspace.verification]\ntest_command = ['true']\n");
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        r#"{"version":1,"criteria":[{"id":"testCommand","type":"status_complete"}]}"#,
    );
    insta::assert_snapshot!(empty + &desk.talk(["workspace check demo"]));
}

#[test]
fn check_decides_offline_by_criteria_alone() {
    let desk = stage("exit 9");
    let seen = desk.crosscheck(["workspace", "check", "demo", "--detailed-exitcode"]);
    assert_eq!(seen.code, 2);
    assert!(seen.stdout.starts_with("Verifying workspace: demo\n\nNo machine-checkable criteria declared\n\n⚠️  NEEDS REVIEW\n"), "{}", seen.stdout);
    desk.file(
        "outside.json",
        r#"{"version":1,"criteria":[{"id":"works","type":"command","argv":["sh","-c","exit 0"]},{"id":"done","type":"status_complete"}]}"#,
    );
    let seen = desk.crosscheck([
        "workspace",
        "check",
        "demo",
        "--acceptance",
        "outside.json",
        "--json",
    ]);
    let document: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(
        (&document["status"], &document["issues"]),
        (&json!("fail"), &json!(["done"]))
    );
    assert_eq!(document["audit"]["criteria"][0]["exitCode"], 0);
    assert_eq!(desk.llm_calls(), 0);
}

#[test]
fn every_kind_of_criterion_is_evaluated() {
    let desk = stage("exit 9");
    desk.file("a/x.txt", "hello\nTODO\n");
    desk.file("b.json", r#"{"n":[1.0]}"#);
    desk.file(
        &format!("{FOLDER}/.status.json"),
        r#"{"complete":true,"progress":{"completed":2,"total":2}}"#,
    );
    let good = [
        r#"{"id":"a","type":"file_exists","paths":["b.json","a/"]}"#,
        r#"{"id":"b","type":"file_absent","paths":["c","a/y"]}"#,
        r#"{"id":"c","type":"glob_count","glob":"**/*.txt","min":1,"max":1}"#,
        r#"{"id":"d","type":"file_contains","path":"a/x.txt","regex":"^hel+o"}"#,
        r#"{"id":"e","type":"text_absent","globs":["**/*.txt"],"literals":["FIXME"]}"#,
        r#"{"id":"f","type":"min_bytes","paths":["a/x.txt"],"bytes":11}"#,
        r#"{"id":"g","type":"json_value","path":"b.json","pointer":"/n/0","equals":1}"#,
        r#"{"id":"h","type":"command","argv":["false"],"expectExit":1}"#,
        r#"{"id":"i","type":"status_complete"}"#,
    ];
    let bad = [
        (r#"{"id":"a","type":"file_exists","paths":["a"]}"#, "fail"),
        (r#"{"id":"b","type":"file_absent","paths":["a/"]}"#, "fail"),
        (
            r#"{"id":"c","type":"glob_count","glob":"*.txt","min":1}"#,
            "fail",
        ),
        (
            r#"{"id":"d","type":"file_contains","path":"nope","literal":"x"}"#,
            "fail",
        ),
        (
            r#"{"id":"e","type":"text_absent","globs":["a/*"],"literals":["TODO"]}"#,
            "fail",
        ),
        (
            r#"{"id":"f","type":"min_bytes","paths":["a/x.txt"],"bytes":99}"#,
            "fail",
        ),
        (
            r#"{"id":"g","type":"json_value","path":"a/x.txt","pointer":"","equals":1}"#,
            "error",
        ),
        (
            r#"{"id":"h","type":"command","argv":["no-such-program-here"]}"#,
            "error",
        ),
        (
            r#"{"id":"i","type":"command","argv":["sleep","9"],"timeoutSeconds":1}"#,
            "error",
        ),
        (r#"{"id":"j","type":"git_changed","base":"HEAD"}"#, "error"),
        (
            r#"{"id":"k","type":"sha256","path":"b.json","hex":"0000000000000000000000000000000000000000000000000000000000000000"}"#,
            "fail",
        ),
    ];
    let outcomes = |criteria: &str| -> Vec<String> {
        desk.file(
            "c.json",
            format!(r#"{{"version":1,"criteria":[{criteria}]}}"#),
        );
        let seen = desk.crosscheck([
            "workspace",
            "check",
            "demo",
            "--acceptance",
            "c.json",
            "--json",
        ]);
        let document: Value =
            serde_json::from_str(&seen.stdout).unwrap_or_else(|_| panic!("{}", seen.stderr));
        let all = document["audit"]["criteria"].as_array().unwrap();
        all.iter()
            .map(|one| {
                format!(
                    "{} {}",
                    one["id"].as_str().unwrap(),
                    one["outcome"].as_str().unwrap()
                )
            })
            .collect()
    };
    for outcome in outcomes(&good.join(",")) {
        assert!(outcome.ends_with(" pass"), "{outcome}");
    }
    let seen = outcomes(&bad.map(|(criterion, _)| criterion).join(","));
    for (outcome, (_, expected)) in seen.iter().zip(bad) {
        assert!(
            outcome.ends_with(expected),
            "{outcome}, expected {expected}"
        );
    }
}

#[test]
fn git_changes_are_counted_outside_the_workspaces_folder() {
    let desk = stage("report pass");
    let git = |args: &[&str]| {
        let ran = std::process::Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(args)
            .current_dir(desk.path())
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    };
    desk.file(".gitignore", "llm/\n");
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "base"]);
    desk.file("c.json", r#"{"version":1,"criteria":[{"id":"g","type":"git_changed","base":"HEAD","globs":["src/**"]}]}"#);
    let run = || {
        desk.crosscheck(["workspace", "check", "demo", "--acceptance", "c.json"])
            .code
    };
    assert_eq!(run(), 1);
    desk.file("src/new.rs", "x");
    assert_eq!(run(), 0);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "work"]);
    assert_eq!(run(), 1);
}

#[test]
fn a_run_resumes_with_the_gaps_until_the_verification_passes() {
    let desk = stage(
        "case $CALL in 1) claim true;; 2) report fail;; 3) echo x > README.md; claim true;; 4) report pass;; esac",
    );
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    assert_eq!(
        (seen.code, desk.llm_calls()),
        (0, 4),
        "{}{}",
        seen.stdout,
        seen.stderr
    );
    insta::assert_snapshot!(desk.neutral("llm/args-3"));
    let metadata = metadata(&desk);
    assert_eq!(
        (&metadata["status"], &metadata["executionIterations"]),
        (&json!("completed"), &json!(2))
    );
    assert_eq!(metadata["verification"]["verifyResumeCycles"], 1);
    assert_eq!(last_log(&desk)["trigger"], "auto");
    assert_eq!(
        desk.read(&format!("{FOLDER}/INSTRUCTIONS.md")),
        "# Task\n\n1. Write `README.md`\n"
    );
}

#[test]
fn a_run_stops_resuming_when_attempts_or_iterations_are_used_up() {
    let script = "if [ \"$CROSSCHECK_PHASE\" = verify ]; then report fail; else claim true; echo $CALL > work; fi";
    let desk = stage(script);
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    assert_eq!(desk.llm_calls(), 4);
    insta::assert_snapshot!(seen.summary());
    let desk = stage(script);
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay", "-m", "1"]);
    assert_eq!(desk.llm_calls(), 2);
    insta::assert_snapshot!(seen.summary());
}

#[test]
fn needs_review_never_resumes_and_an_error_is_not_retried() {
    let desk = stage(
        "if [ \"$CROSSCHECK_PHASE\" = verify ]; then echo unclear > \"$CROSSCHECK_REPORT_PATH\"; else claim true; fi",
    );
    assert_eq!(
        (
            desk.crosscheck(["workspace", "run", "demo", "--no-delay"])
                .code,
            desk.llm_calls()
        ),
        (1, 2)
    );
    let desk = stage("if [ \"$CROSSCHECK_PHASE\" = verify ]; then exit 5; else claim true; fi");
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    assert_eq!((seen.code, desk.llm_calls()), (1, 2));
    let metadata = metadata(&desk);
    assert_eq!(
        (&metadata["status"], metadata.get("verification")),
        (&json!("completed"), None)
    );
}

#[test]
fn an_agent_that_rewrites_its_task_is_caught_in_the_run() {
    let desk = stage(
        "if [ \"$CROSSCHECK_PHASE\" = verify ]; then report pass; else claim true; echo easy > \"$W/INSTRUCTIONS.md\"; fi",
    );
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    insta::assert_snapshot!(seen.summary());
}

#[test]
fn a_failing_iteration_marks_the_workspace_and_counts_nothing() {
    let desk = stage("echo broken >&2; exit 2");
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay"]);
    assert_eq!(
        (seen.code, seen.stderr.as_str()),
        (
            1,
            "Error: Claude execution failed: Claude exited with code 2\nStderr: broken\n"
        )
    );
    let metadata = metadata(&desk);
    assert_eq!(
        (&metadata["status"], metadata.get("executionIterations")),
        (&json!("error"), None)
    );
}

#[test]
fn a_run_ends_when_its_iterations_are_used_up() {
    let desk = stage("true");
    let seen = desk.crosscheck(["workspace", "run", "demo", "--no-delay", "-m", "2"]);
    assert_eq!(desk.llm_calls(), 2);
    insta::assert_snapshot!(seen.summary());
}

#[test]
fn two_verifications_at_once_do_not_mix() {
    let desk = stage("sleep 2; report pass");
    let first = desk
        .command(["verify", "demo", "-q"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !desk.path().join("llm/pid").exists() {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "the LLM never started"
        );
        thread::sleep(Duration::from_millis(20));
    }
    let second = desk.crosscheck(["verify", "demo"]);
    assert_eq!(second.code, 1);
    assert_eq!(
        second.stderr,
        format!(
            "Error: Another verification of workspace 'demo' is running (pid {})\n",
            first.id()
        )
    );
    let third = desk.crosscheck(["verify", "demo", "--wait", "-q"]);
    assert_eq!(
        (
            third.code,
            desk.seen(&first.wait_with_output().unwrap()).code
        ),
        (0, 0)
    );
    assert_eq!(metadata(&desk)["verification"]["verificationAttempts"], 2);
}

#[test]
fn a_configured_report_cannot_leave_the_workspace_but_a_typed_one_can() {
    let desk = stage("report pass");
    desk.file(&format!("{FOLDER}/.metadata.json"), r#"{"name":"demo","created":"2025-10-15T10:00:00.000Z","config":{"verification":{"reportFilename":"../r.md"}}}"#);
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(
        (seen.code, seen.stderr.as_str()),
        (
            1,
            "Error: verification.reportFilename must stay inside the workspace\n"
        )
    );
    let seen = desk.crosscheck(["verify", "demo", "--report-path", "../../../out/r.md"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert_eq!(desk.read("out/r.md"), PASS);
    assert_eq!(
        desk.crosscheck(["verify", "demo", "--report-path", "/"])
            .stderr,
        "Error: Report path is a directory: /\n"
    );
}

#[test]
fn a_notification_tells_the_verdict_and_nothing_of_the_report() {
    let site = Site::start(|_| Reply::new(200));
    let address = format!("{}/topic", site.base());
    let desk = stage("report fail").variable("CROSSCHECK_WORKSPACE_NOTIFY_URL", address);
    assert_eq!(desk.crosscheck(["verify", "demo"]).code, 1);
    let asked = site.asked();
    let [printed] = asked.as_slice() else {
        panic!("told once, not {asked:?}")
    };
    assert_eq!(
        ["title", "priority", "tags"].map(|name| printed.header(name).unwrap_or_default()),
        ["Verification Failed", "high", "crosscheck,verification"]
    );
    let request = String::from_utf8_lossy(&printed.body);
    insta::assert_snapshot!(request.replace(&desk.at(""), "[DESK]/"));
}

#[test]
fn an_unreachable_notification_address_is_only_a_warning() {
    let desk = stage("report pass").variable(
        "CROSSCHECK_WORKSPACE_NOTIFY_URL",
        "http://u:secret@127.0.0.1:9/x",
    );
    let seen = desk.crosscheck(["verify", "demo"]);
    assert_eq!(seen.code, 0);
    assert!(
        seen.stderr.starts_with("Warning: notification not sent: ")
            && !seen.stderr.contains("secret"),
        "{}",
        seen.stderr
    );
}

#[test]
fn the_third_failure_in_a_row_is_a_warning() {
    let desk = stage("report fail");
    for _ in 0..2 {
        assert_eq!(desk.crosscheck(["verify", "demo"]).stderr, "");
    }
    assert_eq!(
        desk.crosscheck(["verify", "demo"]).stderr,
        "Warning: the last 3 verifications of workspace 'demo' did not pass; most frequent: Readme (3)\n"
    );
}

#[test]
fn a_workspace_is_made_set_up_shown_listed_and_reset() {
    let desk = crate::desk();
    desk.file("task.md", "# Task\n");
    let made = desk.crosscheck(["workspace", "init", "new-one", "--mode", "Iterative"]);
    assert_eq!((made.code, made.stderr.as_str()), (0, ""));
    let folder = "crosscheck/workspaces/new-one";
    assert_eq!(desk.names(folder), [".metadata.json", "TODO.md", "working"]);
    assert!(
        desk.read(&format!("{folder}/TODO.md"))
            .starts_with("# TODO - new-one\n")
    );
    let again = desk.crosscheck(["workspace", "init", "new-one"]);
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (1, "Error: Workspace already exists: new-one\n")
    );
    assert_eq!(
        desk.crosscheck(["workspace", "init", "x", "--mode", "weird"])
            .code,
        1
    );

    assert_eq!(
        desk.crosscheck(["workspace", "setup", "new-one", "--from", "task.md"])
            .code,
        0
    );
    let shown: Value = serde_json::from_str(
        &desk
            .crosscheck(["workspace", "show", "new-one", "--json"])
            .stdout,
    )
    .unwrap();
    assert_eq!(
        (
            &shown["setupIterations"],
            &shown["maxIterations"],
            &shown["mode"]
        ),
        (&json!(1), &json!(20), &json!("iterative"))
    );
    insta::assert_snapshot!(desk.talk(["workspace show new-one", "workspace ls"]));
    assert_eq!(
        desk.crosscheck(["workspace", "list", "--status", "error", "--json"])
            .stdout,
        "[]\n"
    );

    desk.crosscheck(["workspace", "check", "new-one"]);
    assert_eq!(desk.crosscheck(["workspace", "reset", "new-one"]).code, 0);
    let metadata = || -> Value {
        serde_json::from_str(&desk.read(&format!("{folder}/.metadata.json"))).unwrap()
    };
    assert_eq!(
        (
            &metadata()["setupIterations"],
            &metadata()["verification"]["verificationAttempts"]
        ),
        (&json!(0), &json!(1))
    );
    desk.crosscheck(["workspace", "reset", "new-one", "--verification"]);
    assert!(metadata().get("verification").is_none());
}

#[test]
fn under_its_compatible_name_the_workspace_word_is_implied() {
    let desk = stage("report pass");
    let link = desk.path().join("claude-iterate-bin");
    fs::create_dir(&link).unwrap();
    let link = link.join("claude-iterate");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_crosscheck"), &link).unwrap();
    let call = |args: &[&str]| {
        desk.seen(
            &std::process::Command::new(&link)
                .args(args)
                .current_dir(desk.path())
                .env("HOME", desk.home())
                .output()
                .unwrap(),
        )
    };
    assert_eq!(call(&["verify", "demo"]).code, 0);
    assert_eq!(call(&["--version"]).code, 0);
    fs::remove_file(desk.path().join(FOLDER).join("INSTRUCTIONS.md")).unwrap();
    assert!(
        call(&["verify", "demo"])
            .stderr
            .ends_with("\n claude-iterate setup demo\n")
    );
}

#[test]
fn control_characters_of_a_report_never_reach_the_terminal() {
    let desk = stage(
        "printf '## Summary\\n\\n\\033[2Jhidden\\n\\n❌ INCOMPLETE\\n' > \"$CROSSCHECK_REPORT_PATH\"",
    );
    insta::assert_snapshot!(desk.talk(["verify demo --show-report"]));
}
