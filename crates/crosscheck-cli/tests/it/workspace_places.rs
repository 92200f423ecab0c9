//! Where a report may be written, and what becomes of the one that was there.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::process::Command;

use crosscheck_testkit::Desk;

use crate::workspace::{FOLDER, stage};

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
