//! What is written, and what happens when it cannot be.

use std::fs::{self, File};
use std::process::Stdio;

use super::{CALL, assert_envelope, assert_refused, stage, with};

#[test]
fn a_registry_path_that_cannot_be_renamed_to_leaves_nothing() {
    let desk = stage();
    for (path, what) in [
        ("data", "a folder"),
        ("log/below/registry.json", "below a file"),
        ("/proc/no-such/registry.json", "an uncreatable folder"),
        ("/dev/null", "a device"),
    ] {
        let mut args = with(&["--emit-events", "out/events.ndjson"]);
        args[6] = path;
        let message = assert_refused(&desk, &desk.crosscheck(args), "INTERNAL_ERROR", what);
        assert!(message.starts_with("export-registry: "), "{message}");
    }
    assert_eq!(desk.names("data"), ["app.db"]);
    assert!(!fs::symlink_metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_failing_events_file_leaves_the_registry_and_prints_nothing() {
    let desk = stage();
    let seen = desk.crosscheck(with(&["--emit-events", "data"]));
    let message = assert_envelope(&seen, "INTERNAL_ERROR", "a folder");
    assert!(message.starts_with("emit-events: "), "{message}");
    assert_eq!(desk.names("out"), ["registry.json"]);
    assert_eq!(desk.names("data"), ["app.db"]);
}

#[test]
fn a_failing_report_file_prints_nothing() {
    let desk = stage();
    let seen = desk.crosscheck(with(&["--write-report", "data"]));
    let message = assert_envelope(&seen, "INTERNAL_ERROR", "a folder");
    assert!(message.starts_with("write-report: "), "{message}");
}

#[test]
fn an_old_registry_stays_when_the_run_is_refused() {
    let desk = stage();
    desk.file("out/registry.json", "old");
    let mut args = with(&[]);
    args[4] = "data/nowhere.db";
    assert_envelope(&desk.crosscheck(args), "INTERNAL_ERROR", "no database");
    assert_eq!(desk.read("out/registry.json"), "old");
    assert_eq!(
        desk.names("data"),
        ["app.db"],
        "a missing database is not created"
    );
}

#[test]
fn a_full_disk_under_standard_output_is_reported() {
    let desk = stage();
    let child = desk
        .command(with(&[]))
        .stdin(Stdio::null())
        .stdout(File::options().write(true).open("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let seen = desk.seen(&child.wait_with_output().unwrap());
    let message = assert_envelope(&seen, "INTERNAL_ERROR", "/dev/full");
    assert!(message.starts_with("stdout: "), "{message}");
}

#[test]
fn a_closed_pipe_changes_neither_exit_code_nor_files() {
    let desk = stage();
    desk.file("log", CALL.replace("Ada", "Eve"));
    let mut child = desk
        .command(with(&["--no-human-report"]))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let seen = desk.seen(&child.wait_with_output().unwrap());
    assert_eq!((seen.code, seen.stderr.as_str()), (1, ""));
    assert_eq!(desk.names("out"), ["registry.json"]);
}

#[test]
fn the_human_report_can_be_silenced_without_any_other_change() {
    let desk = stage();
    let loud = desk.crosscheck(with(&[]));
    let quiet = desk.crosscheck(with(&["--no-human-report"]));
    assert_eq!((loud.code, &loud.stdout), (quiet.code, &quiet.stdout));
    assert!(
        loud.stderr
            .starts_with("=== quick-verify human report ===\n")
    );
    assert_eq!(quiet.stderr, "");
}

#[test]
fn nothing_exported_means_an_empty_array_and_a_file_of_no_bytes() {
    let desk = stage();
    desk.file("log", " \n");
    let seen = desk.crosscheck(with(&["--emit-events", "out/events"]));
    assert_eq!(seen.code, 2);
    assert_eq!(desk.read("out/registry.json"), "[]");
    assert_eq!(desk.read("out/events"), "");
}

#[test]
fn explain_mapping_adds_to_standard_error_only() {
    let desk = stage();
    let plain = desk.crosscheck(with(&["--no-human-report"]));
    let shown = desk.crosscheck(with(&["--no-human-report", "--explain-mapping"]));
    assert_eq!((plain.code, &plain.stdout), (shown.code, &shown.stdout));
    insta::assert_snapshot!(shown.stderr);
}

#[test]
fn the_same_run_twice_writes_the_same_bytes() {
    let desk = stage();
    let args = with(&[
        "--emit-events",
        "out/events",
        "--write-report",
        "out/report",
    ]);
    let runs: Vec<_> = (0..2)
        .map(|_| {
            let seen = desk.crosscheck(&args);
            let files =
                ["out/registry.json", "out/events", "out/report"].map(|name| desk.read(name));
            (seen.code, seen.stdout, seen.stderr, files)
        })
        .collect();
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn an_output_that_names_a_file_of_the_database_is_refused() {
    for ending in ["-wal", "-shm", "-journal"] {
        for flag in ["--export-registry", "--emit-events", "--write-report"] {
            let desk = stage();
            std::os::unix::fs::symlink("data/app.db", desk.path().join("link.db")).unwrap();
            let beside = format!("data/app.db{ending}");
            for database in ["data/app.db", "data/../data/app.db", "link.db"] {
                let mut args = with(&[]);
                args[4] = database;
                if flag == "--export-registry" {
                    args[6] = &beside;
                } else {
                    args.extend([flag, &beside]);
                }
                let seen = desk.crosscheck(args);
                let message = assert_refused(&desk, &seen, "CLI_USAGE", &beside);
                assert!(message.contains("would replace"), "{message}");
                assert_eq!(desk.names("data"), ["app.db"]);
            }
        }
    }
}

#[test]
fn a_link_to_standard_output_is_not_replaced_by_a_file() {
    let desk = stage();
    let link = desk.path().join("mystdout");
    std::os::unix::fs::symlink("/proc/self/fd/1", &link).unwrap();
    for flag in ["--export-registry", "--emit-events", "--write-report"] {
        let mut args = with(&[]);
        if flag == "--export-registry" {
            args[6] = "mystdout";
        } else {
            args.extend([flag, "mystdout"]);
        }
        let out = File::create(desk.path().join("o")).unwrap();
        let child = desk
            .command(args)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let seen = desk.seen(&child.wait_with_output().unwrap());
        assert_envelope(&seen, "INTERNAL_ERROR", flag);
        assert_eq!(desk.read("o"), "", "{flag}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "{flag}");
    }
}
