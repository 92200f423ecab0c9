//! Where outputs go, and what they never replace.

use std::fs;
use std::os::unix::fs::symlink;

use crosscheck::render::Format;
use crosscheck_testkit::{Desk, Seen};
use rusqlite::Connection;
use serde_json::json;

const LOG: &str = "{\"tool\": \"pay_order\", \"params\": {\"order_id\": \"o_1\"}, \"result\": {\"id\": \"o_1\", \"status\": \"paid\"}}\n";

/// A desk with a log and a database.
fn shop() -> Desk {
    with_shop(crate::desk())
}

fn with_shop(desk: Desk) -> Desk {
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    let table = "CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT); INSERT INTO orders VALUES ('o_1', 'paid');";
    connection.execute_batch(table).unwrap();
    desk.file("run.ndjson", LOG);
    desk
}

fn assert_refused(seen: &Seen, what: &str) {
    assert_eq!(seen.code, 3, "{what}: {}", seen.summary());
    assert!(
        seen.stderr.contains("would replace"),
        "{what}: {}",
        seen.summary()
    );
}

#[test]
fn no_report_replaces_a_database_however_it_is_named() {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let output = format!("shop.db{ending}");
        for spelling in ["shop.db", "sqlite:shop.db", "sqlite://shop.db", "link.db"] {
            for by_variable in [false, true] {
                let desk = if by_variable {
                    shop().variable("DATABASE_URL", spelling)
                } else {
                    shop()
                };
                symlink("shop.db", desk.path().join("link.db")).unwrap();
                let before = fs::read(desk.path().join("shop.db")).unwrap();
                let mut words = vec!["rows", "run.ndjson", "--output", &output];
                if !by_variable {
                    words.extend(["--db", spelling]);
                }
                let seen = desk.crosscheck(&words);
                let what = format!("{spelling} {by_variable} {output}");
                assert_refused(&seen, &what);
                assert_eq!(fs::read(desk.path().join("shop.db")).unwrap(), before);
            }
        }
    }
}

#[test]
fn a_report_of_done_does_not_replace_the_database_of_the_settings() {
    let desk = shop();
    desk.user_config("[done]\ndatabase = \"sqlite:shop.db\"\n");
    desk.file("message.md", "Done.\n");
    let before = fs::read(desk.path().join("shop.db")).unwrap();
    let seen = desk.crosscheck([
        "done",
        "check",
        "--message",
        "message.md",
        "--output",
        "shop.db",
    ]);
    assert_refused(&seen, "done");
    assert_eq!(fs::read(desk.path().join("shop.db")).unwrap(), before);
}

#[test]
fn a_report_does_not_replace_the_file_of_passwords() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = crate::desk();
    let desk = desk.variable("PGPASSFILE", "passwords");
    let desk = with_shop(desk);
    let path = desk.file("passwords", "*:*:*:*:secret\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let seen = desk.crosscheck([
        "rows",
        "run.ndjson",
        "--db",
        "shop.db",
        "--output",
        "passwords",
    ]);
    assert_refused(&seen, "PGPASSFILE");
    assert_eq!(desk.read("passwords"), "*:*:*:*:secret\n");
}

/// A document with one claim about a file.
fn document(source: &str, claim: &str) -> String {
    json!({
        "version": "SubResult.v1", "task_id": "t", "status": "ok",
        "answers": [{"question": "q", "summary": "", "claims": [{
            "claim_id": "c", "claim": claim, "confidence": 0.9,
            "evidence": [{"source": source, "quote": "default port = 8080",
                "locator": {"type": "line_range", "path": source, "start": 2, "end": 2}}],
        }]}],
        "coverage": {"inputs_scanned": []},
    })
    .to_string()
}

#[test]
fn a_document_that_mentions_its_report_does_not_stop_it() {
    let desk = crate::desk();
    desk.file("a.conf", "# server\ndefault port = 8080\n");
    let words = [
        "claims",
        "--result",
        "r.json",
        "--select",
        "all",
        "--out",
        "report.json",
    ];
    desk.file("r.json", document("a.conf", "The default port is 8080."));
    desk.crosscheck(words);
    let first = desk.read("report.json");
    for claim in ["report.json", "report.json:1", "The default port is 9090."] {
        desk.file("r.json", document("a.conf", claim).replace("8080", "9090"));
        let seen = desk.crosscheck(words);
        assert_ne!(seen.code, 3, "{claim}: {}", seen.summary());
        assert_ne!(desk.read("report.json"), first, "{claim}");
    }
    // what it cites is read, and kept
    desk.file(
        "r.json",
        document("report.json", "The default port is 8080."),
    );
    let before = desk.read("report.json");
    assert_refused(&desk.crosscheck(words), "a cited file");
    assert_eq!(desk.read("report.json"), before);
}

#[test]
fn a_linked_file_is_not_replaced_by_the_report_about_the_link() {
    let desk = crate::desk();
    desk.file(
        "a.md",
        "See [the notes](notes.md) and [a part](other.md#part).\n",
    );
    desk.file("notes.md", "# Notes\n");
    desk.file("other.md", "# Part\n");
    for name in ["notes.md", "other.md"] {
        let before = desk.read(name);
        let words = [
            "sources",
            "a.md",
            "--offline",
            "--links",
            "all",
            "--output",
            name,
        ];
        assert_refused(&desk.crosscheck(words), name);
        assert_eq!(desk.read(name), before);
    }
    let words = ["sources", "a.md", "--offline", "--output", "notes.md"];
    assert_ne!(desk.crosscheck(words).code, 3, "it is not looked at");
}

#[test]
fn a_file_that_a_message_is_about_is_not_replaced() {
    let desk = crate::desk();
    desk.file("message.md", "I created `src/new.py`.\n");
    desk.file("src/new.py", "print(1)\n");
    let words = [
        "done",
        "check",
        "--message",
        "message.md",
        "--output",
        "src/new.py",
    ];
    assert_refused(&desk.crosscheck(words), "done");
    assert_eq!(desk.read("src/new.py"), "print(1)\n");
}

#[test]
fn an_output_does_not_replace_the_settings_of_a_program() {
    for name in [
        ".git/config",
        ".git/HEAD",
        ".git/hooks/pre-commit",
        ".claude/settings.json",
        ".env",
        "crosscheck.toml",
    ] {
        let desk = shop();
        desk.file(name, "# mine\n");
        let quick = "quick --input run.ndjson --db shop.db --export-registry";
        for words in [
            vec!["rows", "run.ndjson", "--db", "shop.db", "--output", name],
            quick.split(' ').chain([name]).collect(),
            vec!["sources", "run.ndjson", "--offline", "--output", name],
        ] {
            assert_refused(&desk.crosscheck(&words), &format!("{words:?}"));
            assert_eq!(desk.read(name), "# mine\n");
        }
    }
}

#[test]
fn an_earlier_report_is_replaced() {
    // annotations of a workflow are not kept in files
    let formats = Format::NAMES
        .into_iter()
        .filter(|format| *format != "github");
    for format in formats {
        let desk = shop();
        fs::create_dir(desk.path().join(".out")).unwrap();
        let words = ["rows", "run.ndjson", "--db", "shop.db", "--format", format];
        for _ in 0..2 {
            let seen = desk.crosscheck(words.iter().chain(&["--output", ".out/report"]));
            assert_ne!(seen.code, 3, "{format}: {}", seen.summary());
        }
    }
}

#[test]
fn a_stream_or_the_null_device_can_be_an_output() {
    let desk = shop();
    desk.file("a.md", "See <https://a.invalid/>.\n");
    desk.file("message.md", "Done.\n");
    for words in [
        vec!["rows", "run.ndjson", "--db", "shop.db"],
        vec!["sources", "a.md", "--offline"],
        vec!["done", "check", "--message", "message.md"],
    ] {
        let to = |output: &'static str| desk.crosscheck(words.iter().chain(&["--output", output]));
        let plain = desk.crosscheck(&words);
        let null = to("/dev/null");
        assert_eq!(
            (null.code, null.stdout.as_str()),
            (plain.code, ""),
            "{words:?}: {}",
            null.summary()
        );
        for output in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            let seen = to(output);
            assert_eq!(seen.code, plain.code, "{words:?}: {}", seen.summary());
            assert!(!seen.stdout.is_empty(), "{words:?} {output}");
        }
    }
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_document_in_the_folder_under_check_is_not_replaced() {
    let desk = crate::desk();
    let own = "See <https://a.invalid/>.\n";
    desk.file("docs/a.md", own);
    for words in [
        ["docs", "--output", "docs/a.md"],
        ["docs/*.md", "--output", "docs/a.md"],
        [".", "--report", "docs/a.md"],
    ] {
        let seen = desk.crosscheck(["sources", "--offline"].iter().chain(&words));
        assert_eq!(seen.code, 3, "{words:?}: {}", seen.summary());
        assert_eq!(desk.read("docs/a.md"), own, "{words:?}");
    }
    let own = document("a.conf", "The port is 8080.");
    desk.file("results/a.json", &own);
    let words = ["claims", "--batch", "results", "--out", "results/a.json"];
    let seen = desk.crosscheck(words);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    assert_eq!(desk.read("results/a.json"), own);
}

#[test]
fn a_way_through_a_folder_that_is_not_there_replaces_nothing() {
    let desk = crate::desk();
    let own = "See <https://a.invalid/>.\n";
    desk.file("a.md", own);
    let mut shown = String::new();
    for option in ["--output", "--report", "--lint-out"] {
        shown += &desk.talk([format!("sources a.md --offline {option} new/../a.md")]);
        assert_eq!(desk.read("a.md"), own, "{option}");
    }
    insta::assert_snapshot!(shown);
    // nor is a folder made that nobody asked for
    let words = ["sources", "a.md", "--offline", "--output", "new/report"];
    assert_eq!(desk.crosscheck(words).code, 3);
    assert!(!desk.path().join("new").exists());
    // the report about a slip is not written there, either
    let own = document("a.conf", "The port is 8080.");
    desk.file("r.json", &own);
    for option in ["--out", "--details", "--output"] {
        let words = ["claims", "--result", "r.json", option, "new2/../r.json"];
        let seen = desk.crosscheck(words);
        assert_eq!(seen.code, 3, "{option}: {}", seen.summary());
        assert_eq!(desk.read("r.json"), own, "{option}");
        assert!(!desk.path().join("new2").exists(), "{option}");
    }
}

#[test]
fn two_outputs_in_one_file_are_refused() {
    let desk = crate::desk();
    desk.file("a.md", "See <https://a.invalid/>.\n");
    desk.file("r.json", document("a.conf", "The port is 8080."));
    insta::assert_snapshot!(desk.talk([
        "sources a.md --offline --output x --report ./x",
        "claims --result r.json --out x --output x",
    ]));
    let twice = ["sources", "a.md", "--offline", "--output", "/dev/null"];
    let seen = desk.crosscheck(twice.iter().chain(&["--report", "/dev/null"]));
    assert_eq!(seen.code, 2, "{}", seen.summary());
}

/// Runs the program through a shell, which redirects its input.
fn redirected(desk: &Desk, line: &str) -> Seen {
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", &format!("exec \"$0\" {line}")])
        .arg(env!("CARGO_BIN_EXE_crosscheck"))
        .current_dir(desk.path())
        .env_clear()
        .env("HOME", desk.home());
    desk.seen(&shell.output().unwrap())
}

#[test]
fn no_report_replaces_what_comes_by_standard_input() {
    let rows = "--db shop.db --output run.ndjson < run.ndjson";
    for line in [
        format!("rows - {rows}"),
        format!("rows /dev/stdin {rows}"),
        format!("rows /dev/fd/0 {rows}"),
        format!("rows /proc/self/fd/0 {rows}"),
        "rows - --db shop.db --output hard < run.ndjson".to_owned(),
        "rows - --db shop.db --output /dev/fd/0 0<> run.ndjson".to_owned(),
        "rows run.ndjson --db shop.db --output /dev/fd/3 3>> run.ndjson".to_owned(),
        "sources - --offline --output run.ndjson < run.ndjson".to_owned(),
        "done check --message - --output run.ndjson < run.ndjson".to_owned(),
        "claims --result - --out run.ndjson < run.ndjson".to_owned(),
        "quick --input - --db shop.db --export-registry run.ndjson < run.ndjson".to_owned(),
    ] {
        let desk = shop();
        fs::hard_link(desk.path().join("run.ndjson"), desk.path().join("hard")).unwrap();
        let seen = redirected(&desk, &line);
        assert_eq!(seen.code, 3, "{line}: {}", seen.summary());
        assert_eq!(desk.read("run.ndjson"), LOG, "{line}");
        assert_eq!(desk.read("hard"), LOG, "{line}");
    }
    let desk = shop();
    let seen = redirected(&desk, "rows - --db shop.db --output report < run.ndjson");
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn no_report_replaces_a_program_that_the_run_is_to_start() {
    use std::os::unix::fs::PermissionsExt as _;
    let script = "#!/bin/sh\necho '{\"verdict\":\"unclear\"}'\n";
    for command in ["./j.sh", "sh j.sh"] {
        let desk = crate::desk();
        desk.file("a.conf", "# server\ndefault port = 8080\n");
        desk.file("r.json", document("a.conf", "The default port is 8080."));
        desk.file("a.md", "The port is 80 <https://a.invalid/>.\n");
        let path = desk.file("j.sh", script);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        for line in [
            "claims --result r.json --out j.sh --judge-command",
            "claims --result r.json --out j.sh --search-command",
            "sources a.md --offline --output j.sh --judge-command",
        ] {
            let words: Vec<&str> = line.split(' ').chain(command.split(' ')).collect();
            let seen = desk.crosscheck(&words);
            assert_eq!(seen.code, 3, "{line}: {}", seen.summary());
            assert_eq!(desk.read("j.sh"), script, "{line}");
        }
    }
}

#[test]
fn no_report_replaces_what_a_database_keeps_under_another_name() {
    for ending in ["-wal", "-shm", "-journal"] {
        let desk = shop();
        let beside = desk.file(&format!("shop.db{ending}"), "");
        fs::hard_link(beside, desk.path().join("report")).unwrap();
        let words = [
            "rows",
            "run.ndjson",
            "--db",
            "shop.db",
            "--output",
            "report",
        ];
        assert_refused(&desk.crosscheck(words), ending);
    }
}

#[test]
fn manual_pages_replace_manual_pages_of_ours_alone() {
    let desk = crate::desk();
    desk.file("m/crosscheck.1", ".TH CROSSCHECK 1\nanother program\n");
    desk.file("m/other.1", "other");
    insta::assert_snapshot!(desk.talk(["man m"]));
    assert_eq!(desk.names("m"), ["crosscheck.1", "other.1"]);
    let kept = desk.read("m/crosscheck.1");
    assert_eq!(kept, ".TH CROSSCHECK 1\nanother program\n");
    fs::remove_file(desk.path().join("m/crosscheck.1")).unwrap();
    for _ in 0..2 {
        let seen = desk.crosscheck(["man", "m"]);
        assert_eq!(seen.code, 0, "{}", seen.summary());
    }
    // a mistyped command is no folder to create
    assert_eq!(desk.crosscheck(["man", "rwos"]).code, 3);
    assert_eq!(desk.names("."), ["m"]);
    assert_eq!(desk.read("m/other.1"), "other");
}
