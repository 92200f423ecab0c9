//! Where a report may be written, and what becomes of the one that was there.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crosscheck_testkit::Desk;
use serde_json::json;

use crate::workspace::{FOLDER, PASS, last_log, stage};

fn fifo(desk: &Desk, name: &str) {
    let made = Command::new("mkfifo")
        .arg(desk.path().join(name))
        .status()
        .unwrap();
    assert!(made.success());
}

#[test]
fn a_report_path_that_is_a_pipe_is_refused_before_the_llm_and_stays() {
    let desk = stage("report pass");
    fifo(&desk, "pipe");
    symlink(desk.path().join("pipe"), desk.path().join("link")).unwrap();
    fifo(&desk, &format!("{FOLDER}/inner.md"));
    for (command, path) in [
        ("verify", desk.at("pipe")),
        ("verify", desk.at("link")),
        ("verify", "inner.md".to_owned()),
        ("check", desk.at("pipe")),
    ] {
        let seen = desk.crosscheck(["workspace", command, "demo", "--report-path", &path]);
        assert!(
            seen.code == 1
                && seen
                    .stderr
                    .starts_with("Error: Report path is a device, a pipe or a socket: "),
            "{command} {path}: {}",
            seen.summary()
        );
    }
    desk.file(
        "crosscheck.toml",
        "[workspace.verification]\nreport_filename = \"inner.md\"\n",
    );
    assert_eq!(desk.crosscheck(["verify", "demo"]).code, 1);
    for name in ["pipe", &format!("{FOLDER}/inner.md")] {
        let kind = fs::symlink_metadata(desk.path().join(name)).unwrap();
        assert!(kind.file_type().is_fifo(), "{name}");
    }
    assert_eq!(desk.llm_calls(), 0);
}

#[test]
fn a_report_is_not_written_over_what_it_is_judged_by() {
    let desk = stage("report pass");
    let criteria = r#"{"version":1,"criteria":[{"id":"a","type":"status_complete"}]}"#;
    desk.file("acc.json", criteria);
    symlink(desk.path().join("acc.json"), desk.path().join("link.json")).unwrap();
    let own = desk.path().join(FOLDER).join(".metadata.json");
    symlink(&own, desk.path().join("meta")).unwrap();
    let metadata = fs::read_to_string(&own).unwrap();
    for command in ["check", "verify"] {
        for (acceptance, report, said) in [
            ("acc.json", "acc.json", "is the acceptance file"),
            ("acc.json", "link.json", "is the acceptance file"),
            ("link.json", "acc.json", "is the acceptance file"),
            ("acc.json", "meta", "is a file of the workspace itself"),
        ] {
            let seen = desk.crosscheck([
                "workspace",
                command,
                "demo",
                "--acceptance",
                acceptance,
                "--report-path",
                &desk.at(report),
            ]);
            let said = format!("Error: Report path {said}: ");
            assert!(
                seen.code == 1 && seen.stderr.starts_with(&said),
                "{acceptance} {report}: {}",
                seen.summary()
            );
        }
    }
    assert_eq!(desk.read("acc.json"), criteria);
    assert_eq!(fs::read_to_string(&own).unwrap(), metadata);
    assert_eq!(desk.llm_calls(), 0);
}

#[test]
fn what_a_killed_verification_set_aside_is_dealt_with_at_every_start() {
    let left = format!("{FOLDER}/verification-report.md.prev-2147483646");
    let report = format!("{FOLDER}/verification-report.md");

    let desk = stage("report pass");
    desk.file(&left, "OLD");
    desk.user_config("[workspace.claude]\ncommand = \"no-such-program-here\"\n");
    insta::assert_snapshot!(desk.talk(["verify demo"]));
    assert_eq!(desk.read(&report), "OLD");
    assert!(!desk.path().join(&left).exists());

    let desk = stage("report pass");
    desk.file(&left, "OLD");
    desk.file(&report, "NEWER");
    desk.crosscheck(["workspace", "check", "demo"]);
    assert!(!desk.path().join(&left).exists());
}

#[test]
fn an_interruption_before_the_verdict_brings_the_older_report_back() {
    let desk = stage("report pass");
    let report = format!("{FOLDER}/verification-report.md");
    desk.file(&report, "OLD-ONE");
    let slow =
        json!({"id": "a", "type": "command", "argv": ["sh", "-c", "touch started; sleep 60"]});
    desk.file(
        &format!("{FOLDER}/ACCEPTANCE.json"),
        json!({"version": 1, "criteria": [slow]}).to_string(),
    );
    let child = desk
        .command(["verify", "demo"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !desk.path().join("started").exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "never started");
        thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(desk.seen(&child.wait_with_output().unwrap()).code, 130);
    assert_eq!(desk.read(&report), "OLD-ONE");
    assert_eq!(desk.read(&format!("{report}.rejected")), PASS);
    assert_eq!(last_log(&desk)["errorCode"], "interrupted");
}

#[test]
fn a_report_that_was_set_aside_is_no_project_file_and_goes_with_the_verdict() {
    let desk = stage("report pass");
    let report = format!("{FOLDER}/verification-report.md");
    desk.file(&report, "OLD-ONE");
    desk.file(
        "acc.json",
        json!({"version": 1, "criteria": [
            {"id": "a", "type": "text_absent", "globs": [format!("{FOLDER}/*")], "literals": ["OLD-ONE"]}]})
        .to_string(),
    );
    let seen = desk.crosscheck(["verify", "demo", "--acceptance", "acc.json"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let names = desk.names(FOLDER);
    assert!(
        !names.iter().any(|name| name.contains(".prev-")),
        "{names:?}"
    );
}

#[test]
fn an_interrupted_init_leaves_nothing_or_a_whole_workspace() {
    for trial in 0..24 {
        let desk = Desk::new(env!("CARGO_BIN_EXE_crosscheck"));
        let mut child = desk
            .command(["workspace", "init", "demo"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(trial));
        let pid = rustix::process::Pid::from_child(&child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
        let code = child.wait().unwrap().code();
        let home = desk.path().join("crosscheck/workspaces");
        let names: Vec<String> = fs::read_dir(&home)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(
            names.is_empty() || names == ["demo"] && home.join("demo/.metadata.json").exists(),
            "after {trial} ms, {code:?}: {names:?}"
        );
    }
}
