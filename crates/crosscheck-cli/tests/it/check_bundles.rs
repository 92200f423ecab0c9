//! Bundles are swapped in as a whole: real runs that fail, are killed, or
//! write into one folder at the same time.

use std::fs;
use std::os::unix::fs::chown;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crosscheck_testkit::{Desk, Seen};

use crate::check::{FLAGS, desk as plain_desk, event};

const KEY: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pem");
const PUBLIC: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pub.pem");
const ROW: &str = r#"{"id":"g1","fields":{"room":204}}"#;
const SIGNED: [&str; 6] = [
    "--write-run-bundle",
    "r",
    "--write-decision-bundle",
    "d",
    "--sign-ed25519-private-key",
    "key.pem",
];

fn desk(steps: usize) -> Desk {
    let desk = plain_desk();
    desk.file("key.pem", KEY);
    desk.file("pub.pem", PUBLIC);
    let events = (0..steps).map(|seq| event(seq, "guest.save", ROW));
    desk.file("events.ndjson", events.collect::<String>());
    desk
}

fn words<'w>(extra: &'w [&'w str]) -> impl Iterator<Item = &'w &'w str> {
    let fixed = ["check", "--no-human-report"].iter();
    fixed.chain(&FLAGS).chain(extra)
}

fn check(desk: &Desk, extra: &[&str]) -> Seen {
    desk.crosscheck(words(extra))
}

fn start(desk: &Desk, extra: &[&str]) -> Child {
    let mut command = desk.command(words(extra));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The program under a limit that a shell sets.
fn limited(desk: &Desk, limit: &str, extra: &[&str]) -> Seen {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_crosscheck"))
        .args(words(extra))
        .current_dir(desk.path())
        .env_clear()
        .env("HOME", desk.home());
    desk.seen(&shell.output().unwrap())
}

fn assert_both_hold(desk: &Desk) {
    let key = ["--public-key", "pub.pem"];
    let decision = ["decision-bundle", "validate", "d"];
    let seen = desk.crosscheck(decision.iter().chain(&key));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let run = ["verify-bundle-signature", "--run-dir", "r"];
    let seen = desk.crosscheck(run.iter().chain(&key));
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

/// What is on the desk beside its files.
fn others(desk: &Desk) -> Vec<String> {
    let mut names = desk.names(".");
    names.retain(|name| name.contains(".tmp."));
    names
}

#[test]
fn a_signed_run_that_fails_keeps_the_evidence_of_the_run_before() {
    let desk = desk(40);
    assert_eq!(check(&desk, &SIGNED).code, 0);
    let before = [desk.read("r/agent-run.json"), desk.read("d/manifest.json")];
    for kilobytes in [0, 2, 8, 16] {
        let seen = limited(&desk, &format!("ulimit -f {kilobytes}"), &SIGNED);
        assert_eq!(seen.refusal(), "3 BUNDLE_WRITE_FAILED", "{kilobytes}");
        let after = [desk.read("r/agent-run.json"), desk.read("d/manifest.json")];
        assert_eq!(after, before, "{kilobytes}");
        assert_both_hold(&desk);
        assert_eq!(others(&desk), Vec::<String>::new());
    }
}

#[test]
fn a_signed_run_that_fails_in_the_folder_of_its_input_deletes_nothing() {
    let desk = desk(40);
    let events = desk.read("events.ndjson");
    let here = [
        "--write-run-bundle",
        ".",
        "--sign-ed25519-private-key",
        "key.pem",
    ];
    let names = desk.names(".");
    for kilobytes in [0, 4, 16] {
        let seen = limited(&desk, &format!("ulimit -f {kilobytes}"), &here);
        assert_eq!(seen.code, 3, "{kilobytes}: {}", seen.summary());
        assert_eq!(desk.read("events.ndjson"), events);
        assert_eq!(desk.names("."), names);
    }
    assert_eq!(check(&desk, &here).refusal(), "3 BUNDLE_WRITE_FAILED");
    assert_eq!(desk.read("events.ndjson"), events);
    assert_eq!(desk.names("."), names);
}

#[test]
fn a_file_that_no_earlier_bundle_lists_is_never_replaced() {
    let desk = desk(1);
    desk.file("d/manifest.json", "{\"name\":\"my app\"}");
    desk.file("d/notes.txt", "mine");
    insta::assert_snapshot!(check(&desk, &SIGNED).summary());
    assert_eq!(desk.names("d"), ["manifest.json", "notes.txt"]);
    assert_eq!(desk.read("d/manifest.json"), "{\"name\":\"my app\"}");
    assert!(
        !desk.path().join("r").exists(),
        "neither bundle is written when one cannot be"
    );
    fs::remove_file(desk.path().join("d/manifest.json")).unwrap();
    assert_eq!(check(&desk, &SIGNED).refusal(), "3 BUNDLE_WRITE_FAILED");
    assert_eq!(desk.read("d/notes.txt"), "mine");
    fs::remove_file(desk.path().join("d/notes.txt")).unwrap();
    assert_eq!(check(&desk, &SIGNED).code, 0);
}

#[test]
fn a_list_that_no_bundle_wrote_makes_no_file_ours() {
    use crosscheck::core::digest::Digest;
    let mine = [
        ("manifest.json", "{\"name\":\"my app\"}"),
        ("exit.json", "{\"exit\":\"north\"}"),
        ("attestation.json", "{}"),
        ("agent-run.json", "{\"producer\":{\"name\":\"me\"}}"),
        ("events.ndjson", "precious\n"),
        ("workflow-result.sig.json", "{}"),
    ];
    for (name, text) in mine {
        for both in [
            "crosscheck_bundle_files",
            "crosscheck_bundle_being_replaced",
        ] {
            let desk = desk(1);
            for folder in ["r", "d"] {
                let listed = serde_json::json!({"schemaVersion": 1, "kind": both, "files": [
                    {"path": name, "sha256": Digest::of(text).hex(), "byteLength": text.len()}]});
                desk.file(&format!("{folder}/{name}"), text);
                desk.file(
                    &format!("{folder}/crosscheck-files.json"),
                    listed.to_string(),
                );
            }
            check(&desk, &SIGNED);
            for folder in ["r", "d"] {
                assert_eq!(desk.read(&format!("{folder}/{name}")), text, "{both}");
            }
        }
    }
}

#[test]
fn a_planted_record_makes_no_file_ours_whose_hash_it_does_not_hold() {
    use crosscheck::core::digest::Digest;
    let maker = serde_json::json!({"name": "crosscheck", "version": "0.1.0"});
    let some = "0".repeat(64);
    let records = [
        (
            "manifest.json",
            serde_json::json!({"producer": maker, "certificate": {"sha256": some}, "materialTruth": {"sha256": some}}),
        ),
        (
            "agent-run.json",
            serde_json::json!({"producer": maker, "artifacts": {"events": {"sha256": some}}}),
        ),
    ];
    for (record, content) in records {
        for name in [
            "events.ndjson",
            "workflow-result.json",
            "outcome-certificate.json",
            "material-truth.json",
            "attestation.json",
            "next-action.json",
            "exit.json",
        ] {
            for kind in [
                "crosscheck_bundle_files",
                "crosscheck_bundle_being_replaced",
            ] {
                let desk = desk(1);
                let line = |name: &str, text: &str| serde_json::json!({"path": name, "sha256": Digest::of(text).hex(), "byteLength": text.len()});
                let content = content.to_string();
                let list = serde_json::json!({"schemaVersion": 1, "kind": kind,
                    "files": [line(name, "mine\n"), line(record, &content)], "records": []});
                for folder in ["r", "d"] {
                    desk.file(&format!("{folder}/{name}"), "mine\n");
                    desk.file(&format!("{folder}/{record}"), &content);
                    desk.file(&format!("{folder}/crosscheck-files.json"), list.to_string());
                }
                let seen = check(&desk, &SIGNED);
                for folder in ["r", "d"] {
                    let file = format!("{folder}/{name}");
                    assert!(desk.path().join(&file).exists(), "{file} {record} {kind}");
                    assert_eq!(desk.read(&file), "mine\n", "{file} {record} {kind}");
                }
                assert_eq!(seen.refusal(), "3 BUNDLE_WRITE_FAILED", "{name}");
            }
        }
    }
}

#[test]
fn files_that_were_added_to_a_bundle_are_named_and_keep_it_from_being_replaced() {
    let desk = desk(1);
    assert_eq!(check(&desk, &SIGNED).code, 0);
    let key = [
        "decision-bundle",
        "validate",
        "d",
        "--public-key",
        "pub.pem",
    ];
    assert!(desk.crosscheck(key).stderr.contains("every file is listed"));
    desk.file("d/notes.txt", "mine");
    let seen = desk.crosscheck(key);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert!(seen.stderr.contains("not part of the bundle: notes.txt"));
    assert_eq!(check(&desk, &SIGNED).refusal(), "3 BUNDLE_WRITE_FAILED");
    assert_eq!(desk.read("d/notes.txt"), "mine");
    // a file that would be read as a part of it is one
    desk.file("d/next-action.json", "{}");
    let seen = desk.crosscheck([
        "decision-bundle",
        "validate",
        "d",
        "--public-key",
        "pub.pem",
    ]);
    assert_eq!(seen.code, 2, "{}", seen.summary());
}

#[test]
fn what_killed_runs_left_behind_makes_no_later_bundle_invalid() {
    let desk = desk(1);
    assert_eq!(check(&desk, &SIGNED).code, 0);
    for name in [
        "r/events.ndjson.tmp.crosscheck-a1B2c3d4E5f6",
        "r/crosscheck-files.json.tmp.crosscheck-zzzzzzzzzzzz",
        "d/manifest.json.tmp.crosscheck-000000000000",
        ".r.tmp.crosscheck-a1B2c3d4E5f6/events.ndjson",
    ] {
        desk.file(name, "half");
    }
    assert_eq!(check(&desk, &SIGNED).code, 0);
    assert_both_hold(&desk);
}

#[test]
fn a_run_killed_at_any_moment_leaves_two_whole_bundles() {
    let desk = desk(400);
    assert_eq!(check(&desk, &SIGNED).code, 0);
    let begun = Instant::now();
    assert_eq!(check(&desk, &SIGNED).code, 0);
    let whole = begun.elapsed();
    let mut killed = 0;
    for round in 0..40 {
        let mut child = start(&desk, &SIGNED);
        // from the middle to a little beyond the end, where the bundles are written
        std::thread::sleep(whole * (40 + round * 7 / 4) / 100);
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        assert_both_hold(&desk);
    }
    assert!(killed > 5, "{killed} of 40 were killed");
    assert_eq!(check(&desk, &SIGNED).code, 0);
    assert_both_hold(&desk);
}

/// A run of `check` or `enforce` with other events.
fn with_events(desk: &Desk, command: &str, events: &str, extra: &[&str]) -> Seen {
    desk.crosscheck(words_with(command, events, extra))
}

fn words_with<'w>(command: &'w str, events: &'w str, extra: &'w [&'w str]) -> Vec<&'w str> {
    let mut words: Vec<&str> = words(extra).copied().collect();
    let at = words.iter().position(|word| *word == "--events").unwrap();
    (words[0], words[at + 1]) = (command, events);
    words
}

#[test]
fn a_later_bundle_never_removes_what_lay_there_before_the_first() {
    for command in ["check", "enforce"] {
        let desk = desk(2);
        let events = desk.read("events.ndjson");
        desk.file("in/events.ndjson", &events);
        let state = if command == "enforce" {
            vec!["--create-baseline", "--state-dir", "state"]
        } else {
            Vec::new()
        };
        for (folder, input) in [(".", "events.ndjson"), ("in", "in/events.ndjson")] {
            for bundle in ["--write-run-bundle", "--write-decision-bundle"] {
                for _ in 0..2 {
                    let extra = [&[bundle, folder][..], &state].concat();
                    let seen = with_events(&desk, command, input, &extra);
                    assert!(seen.code <= 4, "{}", seen.summary());
                    assert_eq!(desk.read(input), events, "{command} {bundle} {folder}");
                }
            }
        }
    }
}

#[test]
fn the_events_of_a_bundle_can_be_checked_again_in_its_folder() {
    let desk = desk(2);
    let run = ["--write-run-bundle", "r"];
    assert_eq!(check(&desk, &run).code, 0);
    let events = desk.read("r/events.ndjson");
    let seen = with_events(&desk, "check", "r/events.ndjson", &run);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let decision = ["--write-decision-bundle", "r"];
    let seen = with_events(&desk, "check", "r/events.ndjson", &decision);
    assert_eq!(seen.refusal(), "3 BUNDLE_WRITE_FAILED");
    assert_eq!(desk.read("r/events.ndjson"), events);
}

#[test]
fn a_planted_list_makes_no_file_ours() {
    let desk = desk(2);
    let names = ["app.db", "key.pem", "log.ndjson", "events.ndjson"];
    desk.file("log.ndjson", "mine");
    let line = |name: &&str| {
        let bytes = fs::read(desk.path().join(name)).unwrap_or_default();
        let sha256 = crosscheck::core::digest::Digest::of(bytes).hex();
        format!(r#"{{"path":"{name}","sha256":"{sha256}","byteLength":1}}"#)
    };
    let lines: Vec<String> = names.iter().map(line).collect();
    let planted = format!(
        r#"{{"files":[{}],"kind":"crosscheck_bundle_files","schemaVersion":1}}"#,
        lines.join(",")
    );
    desk.file("crosscheck-files.json", planted);
    let before = desk.names(".");
    let here = [&["--write-decision-bundle", "."][..], &SIGNED[4..]].concat();
    assert_eq!(check(&desk, &here).refusal(), "3 BUNDLE_WRITE_FAILED");
    let after = desk.names(".");
    let lost: Vec<&String> = before.iter().filter(|name| !after.contains(name)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!(desk.read("log.ndjson"), "mine");
    assert_eq!(desk.read("key.pem"), KEY);
}

#[test]
fn a_planted_record_with_the_right_hashes_makes_no_other_document_ours() {
    let desk = desk(2);
    let hash = |text: &str| crosscheck::core::digest::Digest::of(text).hex();
    let places = [
        (
            "outcome-certificate.json",
            "d",
            "manifest.json",
            "certificate",
        ),
        ("material-truth.json", "d", "manifest.json", "materialTruth"),
        (
            "workflow-result.json",
            "r",
            "agent-run.json",
            "workflowResult",
        ),
    ];
    for (name, folder, record, member) in places {
        for folder in ["d", "r"] {
            let _ = fs::remove_dir_all(desk.path().join(folder));
        }
        let mine = r#"{"my":"only copy"}"#;
        let kept = format!(r#"{{"{member}":{{"sha256":"{}"}}}}"#, hash(mine));
        let kept = if folder == "r" {
            format!(r#"{{"artifacts":{kept}"#) + "}"
        } else {
            kept
        };
        let by = r#"{"producer":{"name":"crosscheck"},"#;
        let record_text = kept.replacen('{', by, 1);
        let lines = [(name, mine), (record, record_text.as_str())].map(|(name, text)| {
            let (hash, length) = (hash(text), text.len());
            format!(r#"{{"byteLength":{length},"path":"{name}","sha256":"{hash}"}}"#)
        });
        let list = format!(
            r#"{{"files":[{}],"kind":"crosscheck_bundle_files","schemaVersion":1}}"#,
            lines.join(",")
        );
        desk.file(&format!("{folder}/{name}"), mine);
        desk.file(&format!("{folder}/{record}"), &record_text);
        desk.file(&format!("{folder}/crosscheck-files.json"), list);
        let seen = check(&desk, &SIGNED);
        assert_eq!(seen.code, 3, "{name}: {}", seen.summary());
        assert_eq!(desk.read(&format!("{folder}/{name}")), mine);
    }
}

#[test]
fn files_of_another_user_are_neither_replaced_nor_removed() {
    // only root can make them
    let give_away = |path: std::path::PathBuf| chown(path, Some(65534), None).is_ok();
    let desk = desk(1);
    assert_eq!(check(&desk, &SIGNED).code, 0);
    for name in ["r/events.ndjson", "d/exit.json"] {
        if !give_away(desk.path().join(name)) {
            return;
        }
    }
    desk.file(
        "other.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{"room":7}}"#),
    );
    let seen = with_events(&desk, "check", "other.ndjson", &SIGNED);
    assert_eq!(seen.refusal(), "3 BUNDLE_WRITE_FAILED");
    assert_both_hold(&desk);

    let desk = self::desk(1);
    let left = "r/events.ndjson.tmp.crosscheck-a1B2c3d4E5f6";
    assert!(give_away(desk.file(left, "half")));
    let folder = ".r.tmp.crosscheck-aaaaaaaaaaaa";
    assert!(give_away(
        desk.file(&format!("{folder}/events.ndjson"), "half")
    ));
    let touched = Command::new("touch")
        .args([
            "-d",
            "2 hours ago",
            folder,
            &format!("{folder}/events.ndjson"),
        ])
        .current_dir(desk.path())
        .status();
    assert!(touched.unwrap().success());
    assert_eq!(check(&desk, &SIGNED).refusal(), "3 BUNDLE_WRITE_FAILED");
    assert_eq!(desk.read(left), "half");
    assert_eq!(desk.names(folder), ["events.ndjson"]);
}

#[test]
fn folders_that_killed_runs_left_are_removed_when_that_is_safe() {
    let desk = desk(1);
    for name in [
        ".r.tmp.crosscheck-aaaaaaaaaaaa/events.ndjson",
        ".r.tmp.crosscheck-aaaaaaaaaaaa/agent-run.json.tmp.crosscheck-a1B2c3d4E5f6",
        ".r.tmp.crosscheck-bbbbbbbbbbbb/notes.txt",
        ".r.tmp.crosscheck-cccccccccccc/events.ndjson",
        ".r.tmp.crosscheck-short/events.ndjson",
        ".r.tmp.backup/events.ndjson",
        ".other.tmp.crosscheck-dddddddddddd/events.ndjson",
    ] {
        desk.file(name, "half");
    }
    let touch = "touch -d '2 hours ago' .r.*-[abs]*/* .r.*backup/* .other*/* .r.*-[abs]* .r.*backup .other*";
    let touched = Command::new("sh")
        .args(["-c", touch])
        .current_dir(desk.path())
        .status();
    assert!(touched.unwrap().success());
    assert_eq!(check(&desk, &SIGNED).code, 0);
    assert_eq!(
        others(&desk),
        [
            ".other.tmp.crosscheck-dddddddddddd",
            ".r.tmp.backup",
            ".r.tmp.crosscheck-bbbbbbbbbbbb",
            ".r.tmp.crosscheck-short"
        ]
    );
}

#[test]
fn several_runs_into_one_folder_leave_one_whole_bundle() {
    let desk = desk(40);
    assert_eq!(check(&desk, &SIGNED).code, 0);
    for _ in 0..4 {
        let mut runs: Vec<Child> = (0..6).map(|_| start(&desk, &SIGNED)).collect();
        while runs.iter_mut().any(|run| run.try_wait().unwrap().is_none()) {
            for name in ["r/agent-run.json", "d/manifest.json"] {
                // between its folder and the file a reader can lose a bundle that was just replaced
                let path = desk.path().join(name);
                let text = fs::read(&path).or_else(|_| fs::read(&path));
                assert!(!text.unwrap().is_empty(), "{name}");
            }
        }
        for mut run in runs {
            assert!(run.wait().unwrap().success());
        }
        assert_both_hold(&desk);
        assert_eq!(others(&desk), Vec::<String>::new());
    }
}

#[test]
fn a_bundle_is_written_through_a_link() {
    let desk = desk(1);
    fs::create_dir(desk.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", desk.path().join("r")).unwrap();
    for _ in 0..2 {
        assert_eq!(check(&desk, &SIGNED).code, 0);
        assert!(
            fs::symlink_metadata(desk.path().join("r"))
                .unwrap()
                .is_symlink()
        );
        assert_both_hold(&desk);
    }
}

#[test]
fn a_run_bundle_is_explained_in_words_and_a_changed_one_is_refuted() {
    let desk = desk(1);
    assert_eq!(check(&desk, &SIGNED).code, 0);
    let explain = [
        "verify-bundle-signature",
        "--run-dir",
        "r",
        "--public-key",
        "pub.pem",
        "--explain",
    ];
    let seen = desk.crosscheck(explain);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    for part in ["intact: run bundle `r`", "signed: Ed25519", "events.ndjson"] {
        assert!(seen.stdout.contains(part), "{part}: {}", seen.stdout);
    }
    let decision = desk.crosscheck([
        "decision-bundle",
        "validate",
        "d",
        "--public-key",
        "pub.pem",
    ]);
    assert!(decision.stderr.starts_with("intact: decision bundle"));
    for name in [
        "events.ndjson",
        "workflow-result.json",
        "crosscheck-files.json",
    ] {
        let before = desk.read(&format!("r/{name}"));
        desk.file(&format!("r/{name}"), format!("{before} "));
        let seen = desk.crosscheck(explain);
        assert_eq!(seen.code, 1, "{name}: {}", seen.summary());
        assert!(seen.stdout.starts_with("refuted: "), "{}", seen.stdout);
        assert!(seen.stdout.contains(name), "{}", seen.stdout);
        desk.file(&format!("r/{name}"), before);
    }
    desk.file("d/exit.json", "{}");
    let decision = desk.crosscheck([
        "decision-bundle",
        "validate",
        "d",
        "--public-key",
        "pub.pem",
    ]);
    assert_eq!(decision.code, 2);
    assert!(
        decision.stderr.starts_with("refuted: "),
        "{}",
        decision.stderr
    );
}
