//! `crosscheck ci`: the policy, the outputs, the exit codes.

use std::fs;
use std::path::Path;
use std::process::Command;

use crosscheck_testkit::{Desk, Reply, Seen, Site};

use crate::check::{KEY, PUBLIC};

const CALL: &str = r#"{"tool":"contacts.upsert","params":{"id":"c_1","status":"archived"}}"#;

/// A project with a database, an honest log, a lying one, and a claim.
fn desk() -> Desk {
    let desk = Desk::new(env!("CARGO_BIN_EXE_crosscheck"));
    let made = rusqlite::Connection::open(desk.path().join("shop.db")).unwrap();
    made.execute_batch(
        "CREATE TABLE contacts(id TEXT PRIMARY KEY, status TEXT);
         INSERT INTO contacts VALUES('c_1', 'active'), ('c_2', 'archived');",
    )
    .unwrap();
    desk.file("logs/lie.ndjson", format!("{CALL}\n"));
    let honest = CALL.replace("c_1", "c_2");
    desk.file("logs/true.ndjson", format!("{honest}\n"));
    desk.file("README.md", "No link here.\n");
    desk
}

fn check(name: &str, keys: &str) -> String {
    format!("[[check]]\nname = \"{name}\"\n{keys}\n")
}

const LIE: &str = "verifier = \"rows\"\nlog = \"logs/lie.ndjson\"\nsqlite = \"shop.db\"";
const TRUE: &str = "verifier = \"rows\"\nlog = \"logs/true.ndjson\"\nsqlite = \"shop.db\"";
const BOTH: &str = "verifier = \"rows\"\nlog = \"logs/*.ndjson\"\ndb = \"SHOP\"";

/// The project with this policy.
fn with_policy(policy: &str) -> Desk {
    let desk = desk();
    desk.file("crosscheck.toml", policy);
    let place = desk.at("shop.db");
    desk.variable("SHOP", place)
}

fn git(desk: &Desk, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(words)
        .current_dir(desk.path())
        .env("HOME", desk.home())
        .output()
        .unwrap();
    assert!(done.status.success(), "{words:?}: {done:?}");
}

fn run(desk: &Desk, words: &[&str]) -> Seen {
    desk.crosscheck(["ci"].iter().chain(words))
}

#[test]
fn one_exit_code_for_all_checks_the_worst_wins() {
    let nothing = "verifier = \"sources\"\ndocument = \"none/*.md\"";
    let unset = "verifier = \"rows\"\nlog = \"logs/*\"\ndb = \"UNSET\"";
    let secret = "verifier = \"rows\"\nlog = \"logs/true.ndjson\"\ndb = \"SECRET\"";
    let accepted = format!("{LIE}\naccept = \"refuted\"\nexpires = 2999-12-31\nwhy = \"known\"");
    let over = format!("{LIE}\naccept = \"refuted\"\nexpires = 2020-12-31");
    let documents = "verifier = \"sources\"\ndocument = \"*.md\"";
    let baseless = "verifier = \"pr\"\ntext = \"README.md\"";
    for (checks, code, said) in [
        (vec![TRUE], 0, "a: "),
        (vec![TRUE, LIE], 1, "b: "),
        (vec![documents], 2, "nothing was checked"),
        (vec![BOTH], 1, "1 refuted, 0 undecided, 1 confirmed"),
        (vec![baseless], 3, "a text needs `base`"),
        (vec![LIE, nothing], 3, "no file matches `none/*.md`"),
        (
            vec![LIE, unset],
            3,
            "the environment variable `UNSET` is not set",
        ),
        (vec![secret], 3, "a: "),
        (
            vec![&accepted],
            0,
            "`refuted` is accepted until 2999-12-31: known",
        ),
        (
            vec![&over],
            1,
            "`refuted` was accepted until 2020-12-31 and counts again",
        ),
    ] {
        let names = ["a", "b"].iter().zip(&checks);
        let policy: String = names.map(|(name, keys)| check(name, keys)).collect();
        let desk = with_policy(&policy).variable("SECRET", "postgres://u:S3cret@127.0.0.1:1/d");
        let seen = run(&desk, &[]);
        assert_eq!(seen.code, code, "{policy}{}", seen.summary());
        assert!(!seen.summary().contains("S3cret"), "{}", seen.summary());
        assert!(seen.stdout.contains(said), "{policy}{}", seen.summary());
    }
}

#[test]
fn what_a_check_accepts_fails_nothing_in_any_output() {
    let policy = check(
        "a",
        &format!("{LIE}\naccept = \"refuted\"\nwhy = \"known\""),
    ) + &check("b", TRUE);
    let desk = with_policy(&policy);
    let outputs =
        ["junit", "sarif", "html", "ndjson"].map(|name| format!("--output={name}=out.{name}"));
    let words = ["ci", "--output=github", "--otel=out.otel"].map(str::to_owned);
    let seen = desk.crosscheck(words.iter().chain(&outputs));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let again = desk.crosscheck(["render", "out.ndjson", "--format", "github"]);
    for text in [&seen.stdout, &again.stdout] {
        assert!(
            !text.contains("::error") && text.contains("::notice file=logs/lie"),
            "{text}"
        );
    }
    let junit = desk.read("out.junit");
    assert!(junit.contains("failures=\"0\" errors=\"0\""), "{junit}");
    assert!(
        junit.contains("<skipped message=\"`refuted` is accepted: known\">"),
        "{junit}"
    );
    let sarif = desk.read("out.sarif");
    assert!(
        sarif.contains("\"level\": \"note\"")
            && !sarif.contains("\"level\": \"error\",\n          \"loc"),
        "{sarif}"
    );
    let page = desk.read("out.html");
    for part in [
        "<h1>crosscheck: <span class=\"confirmed\">confirmed<",
        "<strong class=\"accepted\">accepted</strong>",
        "(1 accepted)",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(desk.read("out.otel").contains(
        "{\"key\":\"gen_ai.evaluation.score.label\",\"value\":{\"stringValue\":\"accepted\"}}"
    ));
}

#[test]
fn a_policy_that_cannot_be_used_is_named_with_its_line() {
    for (policy, words, said) in [
        ("", &[][..], "declares no check"),
        (
            "\n[[check]]\nnam = \"a\"\n",
            &[],
            "line 3, check.nam: unknown key; did you mean check.name?",
        ),
        (&check("a", TRUE), &["b"], "no check is called `b`"),
        (
            &check("a", TRUE),
            &["--output", "json", "--output", "github"],
            "two outputs",
        ),
        (
            &check("a", TRUE),
            &["--output", "yaml=a"],
            "unknown output format `yaml`",
        ),
        (
            &check("a", TRUE),
            &["--output", "json=logs/true.ndjson"],
            "which this run reads",
        ),
        (
            &check("a", TRUE),
            &["--output", "json=a", "--output", "html=a"],
            "same file",
        ),
        (
            &check("a", "verifier = \"workspace\"\nworkspace = \"w\""),
            &[],
            "--allow-verify",
        ),
    ] {
        let seen = run(&with_policy(policy), words);
        let all = format!("{}{}", seen.stdout, seen.stderr);
        assert_eq!(seen.code, 3, "{policy}{}", seen.summary());
        assert!(all.contains(said), "{said}: {}", seen.summary());
    }
}

#[test]
fn several_outputs_of_one_run_are_the_same_bytes_whatever_the_workers_and_the_locale() {
    let policy: String = [("a", LIE), ("b", TRUE), ("c", BOTH)]
        .map(|(name, keys)| check(name, keys))
        .concat();
    let outputs = [
        "junit", "sarif", "html", "markdown", "json", "ndjson", "csv",
    ];
    let mut first: Option<Vec<String>> = None;
    let desk = with_policy(&policy).variable("SOURCE_DATE_EPOCH", "1700000000");
    for (jobs, locale, zone) in [
        ("1", "C", "UTC"),
        ("8", "tr_TR.UTF-8", "Asia/Kolkata"),
        ("3", "de_DE.UTF-8", "America/St_Johns"),
    ] {
        let mut words = vec![
            "ci".to_owned(),
            format!("--jobs={jobs}"),
            "--output=github".into(),
        ];
        words.push("--otel=out.otel".into());
        words.extend(outputs.map(|name| format!("--output={name}=out.{name}")));
        let done = desk
            .command(words)
            .envs([("LC_ALL", locale), ("TZ", zone)])
            .output()
            .unwrap();
        let seen = desk.seen(&done);
        assert_eq!(seen.code, 1, "{}", seen.summary());
        let mut made: Vec<String> = outputs
            .iter()
            .map(|name| desk.read(&format!("out.{name}")))
            .collect();
        made.push(seen.stdout.clone());
        for text in &made {
            assert!(
                text.contains("c: ") || text.contains("c%3A") || text.contains("c%3A%20"),
                "{text}"
            );
        }
        let before = first.get_or_insert_with(|| made.clone());
        assert_eq!(*before, made);
    }
    let page = desk.read("out.html");
    assert!(page.contains("logs/lie.ndjson") && page.contains("sha256"));
    assert!(page.contains("2023-11-14T22:13:20"), "{page}");
    let events = desk.json("out.otel");
    let events = &events["resourceLogs"][0]["scopeLogs"][0]["logRecords"];
    assert_eq!(events[0]["eventName"], "gen_ai.evaluation.result");
    assert_eq!(events.as_array().map(Vec::len), Some(4));
    let keys = events[0]["attributes"].as_array().unwrap().iter();
    let keys: Vec<&str> = keys.filter_map(|one| one["key"].as_str()).collect();
    assert!(keys.contains(&"crosscheck.evidence.digest"), "{keys:?}");
}

#[test]
fn the_policy_of_the_base_branch_cannot_be_loosened() {
    let desk = with_policy(&check("a", LIE));
    git(&desk, &["init", "-q", "-b", "main"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "base"]);
    let loose = check("a", &format!("{LIE}\naccept = \"refuted\"")) + &check("b", TRUE);
    let loose = loose + &check("c", BOTH);
    desk.file("crosscheck.toml", loose);

    let own = run(&desk, &["a", "b"]);
    assert_eq!(own.code, 0, "{}", own.summary());

    let by_base = run(&desk, &["--policy", "main"]);
    assert_eq!(by_base.code, 1, "{}", by_base.summary());
    let ignored = "the check `a` is ignored: main:crosscheck.toml declares it otherwise";
    for said in [&by_base.stderr, &by_base.stdout] {
        assert!(said.contains(ignored), "{}", by_base.summary());
    }
    assert!(by_base.stdout.contains("b: "), "{}", by_base.summary());
    let beyond = "the check `c` is ignored: it reaches what main:crosscheck.toml does not";
    assert!(by_base.stderr.contains(beyond), "{}", by_base.summary());

    for wrong in ["other", "--upload-pack=x", ""] {
        let seen = run(&desk, &[&format!("--policy={wrong}")]);
        assert_eq!(seen.code, 3, "{}", seen.summary());
        assert!(!seen.stderr.contains("`: \n"), "{}", seen.summary());
    }
}

#[test]
fn checks_whose_files_have_not_changed_are_left_out_and_named() {
    let desk = with_policy(&(check("a", LIE) + &check("b", TRUE)));
    git(&desk, &["init", "-q", "-b", "main"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "base"]);
    let text = fs::read_to_string(desk.path().join("logs/true.ndjson")).unwrap();
    desk.file("logs/true.ndjson", format!("{text}\n"));

    let seen = run(&desk, &["--changed"]);

    assert_eq!(seen.code, 0, "{}", seen.summary());
    let left_out = "not run, because its files have not changed: a";
    assert!(seen.stdout.contains(left_out), "{}", seen.summary());
    assert!(!seen.stdout.contains("rows a: "), "{}", seen.summary());
    git(&desk, &["commit", "-qam", "next"]);
    let nothing = run(&desk, &["--changed"]);
    assert_eq!(nothing.code, 0, "{}", nothing.summary());
    let shown = "ci crosscheck.toml: nothing to check";
    assert!(nothing.stdout.contains(shown), "{}", nothing.summary());
}

/// A project whose branch `next` differs from `main` by what `change` does.
fn with_branch(policy: &str, change: impl Fn(&Desk)) -> Desk {
    let desk = with_policy(policy);
    desk.file("contract.toml", "version = 1\n");
    git(&desk, &["init", "-q", "-b", "main"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "base"]);
    git(&desk, &["checkout", "-qb", "next"]);
    change(&desk);
    desk
}

#[test]
fn a_branch_does_not_choose_what_it_is_checked_by() {
    let with_contract = check("a", &format!("{LIE}\ncontract = \"contract.toml\"\n"));
    let desk = with_branch(&with_contract, |desk| {
        desk.file("contract.toml", "version = 1\n# looser\n");
    });
    let seen = run(&desk, &["--policy", "main"]);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    assert!(
        seen.stdout
            .contains("`contract.toml` is not that of `main`"),
        "{}",
        seen.summary()
    );

    // a tag of the same name, with a looser policy
    let desk = with_branch(&check("a", LIE), |desk| {
        desk.file("crosscheck.toml", check("a", TRUE));
        git(desk, &["commit", "-qam", "looser"]);
        git(desk, &["tag", "main"]);
    });
    let seen = run(&desk, &["--policy", "main"]);
    assert_eq!(seen.code, 1, "{}", seen.summary());
}

#[test]
fn what_git_does_not_see_counts_as_changed() {
    let ignored = |desk: &Desk| {
        let text = fs::read(desk.path().join("logs/lie.ndjson")).unwrap();
        desk.file(".gitignore", "more.ndjson\n");
        git(desk, &["add", "."]);
        git(desk, &["commit", "-qm", "next"]);
        desk.file("logs/more.ndjson", text);
    };
    let linked = |desk: &Desk| {
        fs::rename(desk.path().join("logs"), desk.path().join("others")).unwrap();
        std::os::unix::fs::symlink("others", desk.path().join("logs")).unwrap();
        git(desk, &["add", "."]);
        git(desk, &["commit", "-qm", "next"]);
    };
    let all = LIE.replace("lie.ndjson", "*.ndjson");
    for (keys, change) in [(all.as_str(), &ignored as &dyn Fn(&Desk)), (LIE, &linked)] {
        let desk = with_branch(&check("a", keys), change);
        let seen = run(&desk, &["--policy", "main", "--changed"]);
        assert_eq!(seen.code, 1, "{keys}{}", seen.summary());
    }
}

#[test]
fn no_variable_is_shown_that_holds_something_else() {
    for keys in [
        "verifier = \"pr\"\nevent = \"SECRET\"\nbase = \"main\"\n",
        "verifier = \"rows\"\nlog = \"logs/lie.ndjson\"\ndb = \"SECRET\"\n",
    ] {
        let desk = with_policy(&check("a", keys)).variable("SECRET", "hunter2supersecret");
        let seen = run(&desk, &[]);
        assert_eq!(seen.code, 3, "{keys}{}", seen.summary());
        assert!(
            !seen.summary().contains("hunter2"),
            "{keys}{}",
            seen.summary()
        );
    }
}

#[test]
fn one_record_holds_all_checks() {
    // the third check has several inputs, and no history of one of them
    let desk = with_policy(&(check("a", LIE) + &check("b", TRUE) + &check("c", BOTH)));
    let seen = run(&desk, &["--ledger", "history.db"]);
    assert_eq!(seen.code, 1, "{}", seen.summary());

    let shown = desk.crosscheck(["ledger", "show", "history.db", "--format", "ndjson"]);
    let records: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(records.len(), 1, "{}", shown.summary());
    for part in [
        "\"command\":\"ci\"",
        "\"check a\":\"refuted\"",
        "\"check b\":\"confirmed\"",
        "a/",
    ] {
        assert!(records[0].contains(part), "{part}: {}", shown.summary());
    }
    run(
        &desk,
        &["--ledger", "history.db", "--output", "html=page.html"],
    );
    assert_eq!(desk.read("page.html").matches("<rect ").count(), 4);

    // none of many checks is left out of its history
    let many: String = (0..40).map(|at| check(&format!("c{at}"), TRUE)).collect();
    let desk = with_policy(&many);
    run(&desk, &["--ledger", "history.db"]);
    let trend = desk.crosscheck(["ledger", "trend", "history.db"]);
    assert_eq!(trend.stdout.lines().count(), 40, "{}", trend.summary());
}

/// Everything below a folder, onto the desk.
fn lay(desk: &Desk, from: &Path, at: &str) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{at}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            lay(desk, &entry.path(), &format!("{name}/"));
        } else {
            let there = desk.file(&name, "");
            fs::copy(entry.path(), there).unwrap();
        }
    }
}

#[test]
fn the_shop_of_the_examples_has_one_lie_for_each_verifier_and_nothing_else() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop/site");
    let site = Site::start(move |asked| {
        match fs::read(pages.join(asked.target.trim_start_matches('/'))) {
            Ok(page) => Reply::new(200)
                .header("content-type", "text/html")
                .body(page),
            Err(_) => Reply::new(404),
        }
    });
    let desk = Desk::new(env!("CARGO_BIN_EXE_crosscheck"));
    lay(
        &desk,
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop"),
        "",
    );
    let answer = desk.read("answers/shipping.md");
    desk.file(
        "answers/shipping.md",
        answer.replace("http://127.0.0.1:8765/", &format!("{}/", site.base())),
    );
    let made = rusqlite::Connection::open(desk.path().join("shop.db")).unwrap();
    made.execute_batch(&desk.read("shop.sql")).unwrap();
    let branch: [&[&str]; 6] = [
        &["init", "-q", "-b", "main"],
        &["add", "shop.sql"],
        &["commit", "-qm", "base"],
        &["checkout", "-qb", "prices"],
        &["add", "."],
        &["commit", "-qm", "prices"],
    ];
    for words in branch {
        git(&desk, words);
    }
    let place = desk.at("shop.db");
    let judge = serde_json::json!({"shop": {"command": desk.at("llm/judge"), "prompt_via": "stdin",
        "report_via": "stdout", "version_args": []}});
    let desk = desk
        .variable("SHOP_DB", place)
        .variable("CROSSCHECK_WORKSPACE_JUDGE", "shop")
        .variable("CROSSCHECK_WORKSPACE_JUDGES", judge.to_string());

    let words = [
        "ci",
        "--config",
        "crosscheck.toml",
        "--allow-verify",
        "--output",
        "ndjson",
        "--output",
        "html=page.html",
    ];
    let seen = desk.crosscheck(words);

    assert_eq!(seen.code, 1, "{}", seen.summary());
    let mut lies: Vec<(String, u64)> = Vec::new();
    for line in seen.stdout.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["type"] == "run" {
            let (check, _) = line["subject"].as_str().unwrap().split_once(": ").unwrap();
            let counts = &line["counts"];
            assert_eq!(counts["undecided"], 0, "{check}: {}", seen.summary());
            lies.push((check.to_owned(), counts["refuted"].as_u64().unwrap()));
        }
    }
    let expected = [
        "orders",
        "support",
        "billing",
        "prices",
        "answers",
        "reasoning",
        "checkout",
        "session",
        "pull-request",
    ];
    let expected: Vec<(String, u64)> = expected.map(|name| (name.to_owned(), 1)).into();
    assert_eq!(lies, expected, "{}", seen.summary());
    assert!(
        seen.stdout.contains("WORKSPACE_WORK_OPEN"),
        "{}",
        seen.summary()
    );
    // what decided a claim, what lies in a run directory, and what the judge wrote
    let page = desk.read("page.html");
    for input in [
        "src/prices.toml",
        "runs/refund-policy/plan.json",
        "crosscheck/workspaces/checkout/verification-report.md",
    ] {
        let row = format!("<dt>{input}</dt><dd><code>sha256 ");
        assert!(page.contains(&row), "{input}: {page}");
    }
}

#[test]
fn init_writes_a_policy_that_runs_and_never_replaces_one() {
    let desk = desk().variable("DATABASE_URL", "sqlite:shop.db");
    let lines = [
        r#"{"type":"user","sessionId":"s","cwd":"/p","uuid":"u","timestamp":"2026-10-01T10:00:00Z","message":{"role":"user","content":"Go."}}"#,
    ];
    desk.file("sessions/a.jsonl", lines.join("\n"));
    desk.file("docs/a.md", "See [it](https://example.com/).\n");
    desk.file("node_modules/b/b.md", "See [it](https://example.com/).\n");

    let made = desk.crosscheck(["init"]);

    assert_eq!(made.code, 0, "{}", made.summary());
    let policy = desk.read("crosscheck.toml");
    for part in [
        "log = [\"logs/*.ndjson\"]",
        "db = \"DATABASE_URL\"",
        "document = [\"docs/*.md\"]",
        "transcript = [\"sessions/*.jsonl\"]",
    ] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    assert!(!policy.contains("sqlite:shop.db"), "{policy}");
    // of several databases none is left out without a word
    desk.file("b.db", fs::read(desk.path().join("shop.db")).unwrap());
    let mut several = desk.command(["init", "--print"]);
    let several = several
        .env("OTHER_URL", "postgres://u:hunter2@h/d")
        .output();
    let several = desk.seen(&several.unwrap());
    for part in [
        "\ndb = \"DATABASE_URL\"\n# other databases",
        "\n# db = \"OTHER_URL\"",
        "\n# sqlite = \"b.db\"",
        "\n# sqlite = \"shop.db\"",
    ] {
        assert!(several.stdout.contains(part), "{}", several.stdout);
    }
    assert!(!several.stdout.contains("hunter2"), "{}", several.stdout);
    let again = desk.crosscheck(["init"]);
    assert_eq!(again.code, 3, "{}", again.summary());
    assert_eq!(desk.read("crosscheck.toml"), policy);
    let checked = run(&desk, &["rows"]);
    assert_eq!(checked.code, 1, "{}", checked.summary());
    let empty = Desk::new(env!("CARGO_BIN_EXE_crosscheck"));
    let shown = empty.crosscheck(["init", "--print"]);
    assert!(
        shown.stdout.contains("Nothing to check was found"),
        "{}",
        shown.summary()
    );
}

#[test]
fn a_report_that_contradicts_itself_is_neither_signed_nor_shown() {
    let desk = with_policy(&check("a", LIE));
    desk.file("key.pem", KEY);
    run(&desk, &["-o", "ndjson=r.ndjson"]);
    let report = desk.read("r.ndjson");
    let (units, of_run) = report.trim_end().rsplit_once('\n').unwrap();
    let run_line = |changed: String| format!("{units}\n{changed}\n");
    let table = [
        (report.clone(), 0),
        // the run says that all is well
        (
            run_line(of_run.replace("\"verdict\":\"refuted\"", "\"verdict\":\"confirmed\"")),
            3,
        ),
        // a unit was taken out, or made good
        (
            report.lines().skip(1).collect::<Vec<_>>().join("\n") + "\n",
            3,
        ),
        (
            report.replacen("\"verdict\":\"refuted\"", "\"verdict\":\"confirmed\"", 1),
            3,
        ),
    ];
    for (text, code) in table {
        desk.file("r.ndjson", &text);
        for words in [
            &["attest", "r.ndjson", "--sign", "key.pem"][..],
            &["render", "r.ndjson"],
        ] {
            let seen = desk.crosscheck(words);
            assert_eq!(seen.code, code, "{words:?} {text} {}", seen.summary());
            let is_named = seen.stderr.contains("REPORT_CONTRADICTS_ITSELF");
            assert_eq!(is_named, code == 3, "{words:?} {text} {}", seen.summary());
        }
    }
}

#[test]
fn a_signed_report_is_verified_offline_and_a_changed_page_is_not() {
    let desk = with_policy(&check("a", LIE));
    desk.file("key.pem", KEY);
    desk.file("pub.pem", PUBLIC);
    run(&desk, &["-o", "ndjson=r.ndjson", "-o", "html=r.html"]);
    let signed = desk.talk(["attest r.ndjson r.html --sign key.pem -o r.dsse"]);
    assert!(signed.contains("exit 0"), "{signed}");

    let verify = [
        "attest",
        "verify",
        "r.dsse",
        "r.html",
        "--public-key",
        "pub.pem",
    ];
    let good = desk.crosscheck(verify);
    assert_eq!(good.code, 0, "{}", good.summary());
    assert!(
        good.stdout.contains("signed refuted for 1 run(s)"),
        "{}",
        good.summary()
    );

    desk.file(
        "r.html",
        desk.read("r.html").replace("refuted", "confirmed"),
    );
    let changed = desk.crosscheck(verify);
    assert_eq!(changed.code, 1, "{}", changed.summary());
    let envelope = desk.read("r.dsse");
    desk.file("r.dsse", envelope.replacen("eyJ", "eyK", 1));
    assert_eq!(desk.crosscheck(verify).code, 1);
}
