//! Limits of the system and text that would steer a terminal.

use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use crosscheck_testkit::{Desk, Reply, Seen, Site};

use serde_json::json;

use crate::desk;

/// The program in a shell that set a limit before.
fn limited(desk: &Desk, limit: &str, args: &[&str]) -> Seen {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_crosscheck"))
        .args(args)
        .current_dir(desk.path())
        .env_clear()
        .env("HOME", desk.home())
        .env("TMPDIR", desk.home());
    desk.seen(&shell.output().unwrap())
}

#[test]
fn a_limit_on_file_sizes_is_an_error_and_leaves_nothing_behind() {
    let mut shown = String::new();
    for args in [&["man", "pages"], &["demo", "tour"]] {
        let desk = desk();
        std::fs::create_dir(desk.path().join("pages")).unwrap();
        shown += &limited(&desk, "ulimit -f 0", args).after(&args.join(" "));
        let left = std::fs::read_dir(desk.path().join(args[1]));
        assert_eq!(left.map_or(0, Iterator::count), 0, "{args:?}");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_tour_that_fails_leaves_no_temporary_folder() {
    for kilobytes in [0, 1, 8, 16] {
        let desk = desk();
        let limit = format!("ulimit -f {kilobytes}");
        let seen = limited(&desk, &limit, &["demo"]);
        let left = std::fs::read_dir(desk.home()).unwrap().count();
        assert_eq!(left, usize::from(seen.code == 0), "{kilobytes}");
    }
}

#[test]
fn the_tour_replaces_no_file_but_those_of_an_earlier_one() {
    let mut shown = String::new();
    for name in [
        "calls.ndjson",
        "trusted.ndjson",
        "shop.db",
        "report.json",
        "shop.db-wal",
    ] {
        let desk = desk();
        desk.file(&format!("d/{name}"), "precious");
        shown += &desk.talk(["demo d"]);
        assert_eq!(desk.names("d"), [name]);
        assert_eq!(desk.read(&format!("d/{name}")), "precious");
    }
    insta::assert_snapshot!(shown);
    let desk = desk();
    for folder in ["d", "./d", "d"] {
        let seen = desk.crosscheck(["demo", folder]);
        assert_eq!(seen.code, 0, "{folder}: {}", seen.summary());
    }
    desk.file("elsewhere", "precious");
    std::fs::remove_file(desk.path().join("d/report.json")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", desk.path().join("d/report.json")).unwrap();
    assert_eq!(desk.crosscheck(["demo", "d"]).code, 3);
    assert_eq!(desk.read("elsewhere"), "precious");
}

#[test]
fn the_report_of_the_tour_names_the_files_of_its_folder() {
    let desk = desk();
    assert_eq!(desk.crosscheck(["demo", "d"]).code, 0);
    let report = desk.json("d/report.json");
    insta::assert_snapshot!(format!("{report:#}"));
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let desk = desk();
    std::fs::create_dir(desk.path().join("pages")).unwrap();
    assert_eq!(desk.crosscheck(["man", "pages"]).code, 0);
    insta::assert_snapshot!(desk.names("pages").join("\n"));
}

/// Without root's rights: root is above the limit on processes.
fn with_one_thread(desk: &Desk, args: &[&str]) -> Seen {
    const NOBODY_ELSE: u32 = 61_234;
    let mut shell = Command::new("bash");
    shell
        .args(["-c", "ulimit -u 1; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_crosscheck"))
        .args(args)
        .current_dir("/");
    if std::fs::metadata("/proc/self").is_ok_and(|meta| {
        use std::os::unix::fs::MetadataExt as _;
        meta.uid() == 0
    }) {
        shell.uid(NOBODY_ELSE).gid(NOBODY_ELSE);
    }
    desk.seen(&shell.output().unwrap())
}

#[test]
fn a_limit_on_threads_is_a_named_error_with_exit_3() {
    let seen = with_one_thread(&desk(), &["doctor"]);
    if seen.code == 126 {
        eprintln!("skipped: another user cannot start the program where it was built");
        return;
    }
    assert_eq!(
        (seen.code, seen.stdout.as_str()),
        (3, ""),
        "{}",
        seen.stderr
    );
    assert!(
        seen.stderr
            .starts_with("error[INTERNAL_ERROR]: cannot start a thread: "),
        "{}",
        seen.stderr
    );
    let seen = with_one_thread(&desk(), &["check", "--workflow-id", "w"]);
    let envelope: serde_json::Value = serde_json::from_str(&seen.stderr).unwrap();
    assert_eq!(seen.code, 3);
    assert_eq!(envelope["code"], "INTERNAL_ERROR");
}

/// Everything that steers a terminal, or makes a line read as another.
const STEERING: &str = "\u{1b}[2J\u{200e}\u{200f}\u{61c}\u{2028}\u{2029}\u{202e}";

#[test]
fn nothing_on_standard_error_steers_a_terminal() {
    let name = format!("x{STEERING}.json");
    let mut shown = String::new();
    for args in [
        &["claims", "--result", &name][..],
        &["sources", &name],
        &["trace", &name],
        &["explain", &name],
        &["schema", &name],
        &["workspace", "show", &name],
        &["check", &name],
        &[&name],
    ] {
        let seen = desk().crosscheck(args);
        assert_ne!(seen.code, 0, "{args:?}");
        assert!(
            !seen
                .stderr
                .contains(|c| c != '\n' && STEERING.replace("[2J", "").contains(c)),
            "{args:?}: {:?}",
            seen.stderr
        );
        shown += &seen.after(&args.join(" ").escape_debug().to_string());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn nothing_of_a_checked_log_steers_whoever_reads_standard_error_later() {
    let desk = crate::check::desk();
    let tool = format!("guests{STEERING}.update");
    let call = json!({"tool": tool, "params": {"id": "x", "name": STEERING}, "result": "ok"});
    desk.file("log.ndjson", format!("{call}\n"));
    let event = json!({"schemaVersion": 1, "workflowId": "wf", "seq": 0, "type": "tool_observed",
        "toolId": tool, "params": {"id": STEERING}});
    desk.file("events.ndjson", format!("{event}\n"));
    let contract = ["--workflow-id", "wf", "--events", "events.ndjson"];
    let contract = [
        &contract[..],
        &["--registry", "registry.json", "--db", "app.db"],
    ]
    .concat();
    for args in [
        [
            "quick",
            "--input",
            "log.ndjson",
            "--export-registry",
            "r",
            "--explain-mapping",
        ]
        .iter()
        .chain(&["--db", "app.db"])
        .copied()
        .collect::<Vec<&str>>(),
        [&["check"], &contract[..]].concat(),
        [&["enforce", "--create-baseline"], &contract[..]].concat(),
    ] {
        let seen = desk.crosscheck(&args);
        assert_ne!(
            seen.stderr.find("\\u200e"),
            None,
            "{args:?}: {}",
            seen.summary()
        );
        // the contract of `quick` fixes the bytes of a digest: no terminal obeys these
        let may_stay = |c: char| args[0] == "quick" && "\u{7f}\u{2028}\u{2029}".contains(c);
        let raw = |c: char| c != '\n' && STEERING.replace("[2J", "").contains(c) && !may_stay(c);
        assert!(!seen.stderr.contains(raw), "{args:?}: {:?}", seen.stderr);
    }
}

#[test]
fn an_error_is_json_for_whoever_asks_for_json() {
    for args in [
        &["sources", "no-such-file.md", "--format", "json"][..],
        &["trace", "no-such-folder", "--json"],
        &["explain", "NO_SUCH", "--format", "json"],
        &["doctor", "--nonsense", "--format=json"],
    ] {
        let seen = desk().crosscheck(args);
        assert_eq!((seen.code, seen.stdout.as_str()), (3, ""), "{args:?}");
        let envelope: serde_json::Value = serde_json::from_str(&seen.stderr).unwrap();
        assert_eq!(envelope["kind"], "execution_truth_layer_error", "{args:?}");
    }
}

#[test]
fn on_a_terminal_a_contract_command_speaks_to_people() {
    let desk = desk();
    let line = format!(
        "{} check --workflow-id w --events no-such-file --registry r --db d",
        env!("CARGO_BIN_EXE_crosscheck")
    );
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(desk.path())
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: `script` of util-linux is not installed");
        return;
    };
    insta::assert_snapshot!(desk.seen(&output).summary().replace('\r', ""));
}

#[test]
fn a_report_never_replaces_the_document_it_is_about() {
    let desk = desk();
    desk.file("answer.md", "See <https://a.invalid/>.\n");
    let line = |option| format!("sources answer.md --offline {option} ./answer.md");
    insta::assert_snapshot!(desk.talk(["--output", "--report", "--lint-out"].map(line)));
    assert_eq!(desk.read("answer.md"), "See <https://a.invalid/>.\n");
}

/// Every spelling of a file of the desk; `link` is a link to the desk.
fn spellings(desk: &Desk, name: &str) -> [String; 5] {
    [
        name.to_owned(),
        format!("./{name}"),
        desk.at(name),
        format!("/proc/self/cwd/{name}"),
        format!("link/{name}"),
    ]
}

#[test]
fn no_output_replaces_a_file_that_the_run_reads() {
    const EVIDENCE: &str = "# server\ndefault port = 8080\n# end\n";
    let fetching = ["--dns-fixture", "dns.txt", "--config", "own.toml"];
    let sources = [
        "sources",
        "a.md",
        "--offline",
        "--files-from",
        "list",
        "--unreliable-domains",
    ];
    let sources = [&sources[..], &["bad.txt"], &fetching].concat();
    let claims = [
        "claims",
        "--result",
        "good.json",
        "--judge-replay",
        "answers.ndjson",
    ];
    let claims = [&claims[..], &fetching].concat();
    let done = vec![
        "done",
        "check",
        "--message",
        "msg.txt",
        "--config",
        "own.toml",
    ];
    let standing = ["crosscheck.toml", "own.toml"];
    let of_web = [&standing[..], &["dns.txt"]].concat();
    let of_sources = ["a.md", "list", "bad.txt", ".crosscheckignore"];
    let cases = [
        (
            done,
            vec!["--output"],
            [&standing[..], &["msg.txt"]].concat(),
        ),
        (
            claims,
            vec!["--out", "--output", "--details"],
            [&of_web[..], &["good.json", "a.conf", "answers.ndjson"]].concat(),
        ),
        (
            sources,
            vec!["--output", "--report", "--lint-out"],
            [&of_web[..], &of_sources].concat(),
        ),
    ];
    let desk = crate::claims::with_file();
    std::os::unix::fs::symlink(desk.path(), desk.path().join("link")).unwrap();
    for (name, text) in [
        ("a.md", "See <https://a.invalid/>.\n"),
        ("a.conf", EVIDENCE),
        ("msg.txt", "Done.\n"),
        ("list", "a.md\n"),
        ("dns.txt", "{}"),
        ("answers.ndjson", ""),
        ("bad.txt", "bad.example\n"),
        ("own.toml", ""),
        ("crosscheck.toml", ""),
        (".crosscheckignore", "# nothing\n"),
    ] {
        desk.file(name, text);
    }
    for (command, options, files) in &cases {
        for (at, name) in files.iter().enumerate() {
            let before = desk.read(name);
            for option in options {
                for spelling in spellings(&desk, name).iter().skip(at % 2) {
                    let seen = desk.crosscheck(command.iter().copied().chain([*option, spelling]));
                    let what = format!("{} {option} {spelling}", command[0]);
                    assert_eq!(desk.read(name), before, "{what}: {}", seen.summary());
                    assert_eq!(seen.code, 3, "{what}: {}", seen.summary());
                }
            }
        }
    }
}

#[test]
fn a_page_of_endless_numbers_takes_bounded_memory() {
    let desk = desk();
    let site = Site::start(|_| {
        let numbers = "1 ".repeat(512 * 1024);
        Reply::html(format!(
            "<!doctype html><title>Trees</title><p>{numbers}</p>"
        ))
    });
    let text = format!(
        "A survey counted 41,000 trees [1].\n\n[1]: {}/a\n",
        site.base()
    );
    desk.file("d.md", text);
    let args = [
        "sources",
        "d.md",
        "--allow-private",
        "--jobs",
        "1",
        "--quiet",
    ];
    // data, not addresses: the allocator reserves 64 MiB of addresses per thread, now and then
    insta::assert_snapshot!(limited(&desk, "ulimit -d 65536", &args).summary());
}

#[test]
fn rows_take_bounded_memory_however_long_their_texts_are() {
    use std::fmt::Write as _;
    let desk = desk();
    let database = rusqlite::Connection::open(desk.path().join("notes.db")).unwrap();
    let table = "CREATE TABLE notes (id INTEGER PRIMARY KEY, author TEXT, body TEXT);";
    database.execute_batch(table).unwrap();
    let mut log = String::new();
    for id in 1..=60 {
        let body = format!("note {id} about a lamp ").repeat(45_000);
        let (call, row) = (
            json!({"author": "ada", "body": body}),
            json!({"id": id, "author": "ada", "body": body}),
        );
        let line = json!({"tool": "create_note", "params": call, "result": row});
        writeln!(log, "{line}").unwrap();
        let body = if id == 57 {
            body.replace("lamp", "bell")
        } else {
            body
        };
        let insert = "INSERT INTO notes VALUES (?1, 'ada', ?2)";
        database.execute(insert, (id, body)).unwrap();
    }
    drop(database);
    assert!(log.len() > 60 << 20);
    desk.file("run.ndjson", log);
    let args = ["rows", "run.ndjson", "--db", "notes.db"];
    let (free, bound) = (
        desk.crosscheck(args),
        limited(&desk, "ulimit -d 131072", &args),
    );
    assert_eq!(free.code, 1);
    assert_eq!(bound.code, 1, "{}", bound.stderr);
    let lines: Vec<&str> = bound
        .stdout
        .lines()
        .filter(|line| line.len() < 200)
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
    assert!(bound.stdout == free.stdout);
}

/// A page that is slow to read and judge.
fn slow_site() -> Site {
    Site::start(|_| {
        let numbers = "1 ".repeat(2_400_000);
        Reply::html(format!(
            "<!doctype html><title>Trees</title><p>{numbers}</p>"
        ))
    })
}

#[test]
fn the_time_limit_of_a_page_holds_for_reading_and_judging_it() {
    let site = slow_site();
    let claim = "A survey counted 41,000 trees.";
    let document = json!({
        "version": "SubResult.v1", "task_id": "t", "status": "ok",
        "answers": [{"question": "q", "summary": "", "claims": [{
            "claim_id": "trees", "claim": claim, "confidence": 0.9,
            "evidence": [{"source": "tool:WebFetch", "quote": "n/a", "locator": {
                "type": "tool_call", "tool": "WebFetch", "args_hash": format!("sha256:{}", "1".repeat(64)),
                "rerun_hint": {"type": "web_fetch", "url": format!("{}/a", site.base()), "prompt": "?"}}}],
        }]}],
        "coverage": {"inputs_scanned": []},
    });
    let desk = desk();
    desk.file("d.md", format!("{claim} [1]\n\n[1]: {}/a\n", site.base()));
    desk.file("r.json", document.to_string());
    for words in [
        &["sources", "d.md", "--format", "json"][..],
        &["claims", "--result", "r.json", "--select", "all"],
    ] {
        let start = Instant::now();
        let more = ["--allow-private", "--timeout", "0.2"];
        let seen = desk.crosscheck(words.iter().chain(&more));
        // this build is about twenty times slower than a release
        assert!(start.elapsed() < Duration::from_secs(20), "{words:?}");
        assert_eq!(seen.code, 2, "not decided: {}", seen.summary());
    }
}

#[test]
fn lists_in_lists_take_linear_time() {
    let desk = desk();
    let item = |depth: usize| {
        format!(
            "{}- a fact <https://a.invalid/{depth}>\n",
            "  ".repeat(depth)
        )
    };
    desk.file("d.md", (0..600).map(item).collect::<String>());
    let start = Instant::now();
    let seen = desk.crosscheck(["sources", "d.md", "--offline", "--format", "json"]);
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_limit_on_open_files_is_named_and_accepts_nothing() {
    let desk = crate::workspace::stage("report pass");
    let mut refused = 0;
    for most in 6..20 {
        let limit = format!("ulimit -n {most}");
        let seen = limited(&desk, &limit, &["workspace", "accept-criteria", "demo"]);
        if seen.code == 0 {
            assert_eq!(seen.stdout, "Nothing to accept: demo\n", "{most}");
        } else {
            refused += 1;
            assert!(
                seen.stderr.contains("Too many open files"),
                "{most}: {}",
                seen.summary()
            );
        }
    }
    assert!(refused > 1, "the limits were never reached");
}

#[test]
fn a_debate_does_not_record_what_a_limit_of_this_machine_prevented() {
    let site = Site::start(|_| Reply::html("<p>A survey counted 41,000 trees in 2024.</p>"));
    let entry = |seq: u64, content: &str| {
        json!({"seq": seq, "timestamp": "2026-02-21T15:00:00Z", "phase": "rebuttal",
            "speaker": "promoter", "type": "new_point", "content": content,
            "sources": [{"url": format!("{}/{seq}", site.base()), "title": "Trees"}]})
    };
    let more = [
        "--allow-private",
        "--retry-wait",
        "0",
        "--host-request-interval",
        "0",
    ];
    let says_yes = r#"{"verdict":"supports","span":"A survey counted 41,000 trees"}"#;
    let model = ["--judge", "command", "--judge-command", "echo", says_yes];
    for (content, judge) in [
        ("A survey counted 41,000 trees in 2024.", &[][..]),
        (
            "Somebody went through the town and numbered its trees.",
            &model,
        ),
    ] {
        let log: Vec<String> = (1..5).map(|seq| entry(seq, content).to_string()).collect();
        let log = log.join("\n") + "\n";
        let words = ["sources", "--log", "."].into_iter().chain(more);
        let words: Vec<&str> = words.chain(judge.iter().copied()).collect();
        let mut starved = 0;
        for most in 8..20 {
            let desk = desk();
            desk.file("debate-log.jsonl", &log);
            let seen = limited(&desk, &format!("ulimit -n {most}"), &words);
            if seen.code == 3 && seen.stderr.contains("open files") {
                assert!(seen.stderr.contains("ulimit -n"), "{most}: {}", seen.stderr);
            }
            starved += usize::from(seen.stderr.contains("is not recorded: "));
            let kept = desk.read("debate-log.jsonl");
            assert!(!kept.contains("open files"), "{most}: {kept}");
            assert!(!kept.contains("no answer"), "{most}: {kept}");
            let again = desk.crosscheck(&words);
            assert_eq!(
                again.code,
                0,
                "{most}: {}{}",
                seen.summary(),
                again.summary()
            );
        }
        assert!(starved > 0, "the limits were never reached: {judge:?}");
    }
}

#[test]
fn a_file_size_limit_is_named_as_the_cause_of_a_missing_report() {
    let desk = desk();
    desk.file("a.md", "See <https://a.invalid/>.\n".repeat(40));
    let seen = limited(
        &desk,
        "ulimit -f 1",
        &["sources", "a.md", "--offline", "--report", "r"],
    );
    insta::assert_snapshot!(seen.summary());
    assert!(!desk.path().join("r").exists());
}

#[test]
fn a_ledger_whose_name_is_too_long_is_refused_and_not_begun() {
    let desk = crate::claims::with_file();
    let name = "l".repeat(250);
    let before = desk.names(".");
    insta::assert_snapshot!(desk.talk([format!("claims --result good.json --ledger {name}")]));
    let mut after = desk.names(".");
    after.retain(|name| name != ".claude");
    assert_eq!(after, before);
    let name = "l".repeat(247);
    let seen = desk.crosscheck(["claims", "--result", "good.json", "--ledger", &name]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
}
